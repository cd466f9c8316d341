"""The numbers a run is judged by, each with its unit and formula.

S is the displacement of the centre of gravity, T the time simulated, n the links, M the mass, v_t and v_n a
contact's velocity along and across its edge, tau_i and theta_i a joint's torque and angle. Torques are those of the
actuators (joint damping included).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from serpenoid.contact import sums as tally
from serpenoid.core import FloatArray, Gait, Robot, World
from serpenoid.planar.run import PlanarRun

REFERENCE_STEP = 1e-3  # s, dt_ref of equation (13) of paper 002; it only scales the efficiency
SLIP_FLOOR = 1e-9  # m a link: below it the efficiency would measure rounding


class Metric(NamedTuple):
    """Unit and formula of a metric."""

    unit: str
    formula: str


SPATIAL_METRICS: dict[str, Metric] = {
    "com_dz": Metric("m", "displacement of the centre of gravity along world z"),
    "path_length": Metric(
        "m", "displacements of the centre of gravity in the level plane over whole periods, summed, plus the rest"
    ),
    "travel_direction": Metric("rad", "direction of the displacement in the level plane, from world x"),
    "heading": Metric("rad", "heading of the averaged body frame (virtual chassis) at the end, from world x"),
    "roll_angle": Metric(
        "rad",
        "roll about the body's axis against the vertical, mean of the links and of the time after the first period",
    ),
    "roll_rate_mean": Metric("rad/s", "slope of the roll angle, fitted over whole periods after the first"),
    "contact_count_mean": Metric("-", "contacts that press, mean over time"),
    "normal_force_max": Metric("N", "largest normal force of a contact at any step"),
    "ground_loss": Metric("J", "-int sum N v_n dt: taken by the springs and dampers of the ground"),
    "potential_energy_change": Metric("J", "M g times the rise of the centre of gravity"),
}  # only of runs in space

METRICS: dict[str, Metric] = {
    "com_distance": Metric("m", "S = |displacement of the centre of gravity| from start to end"),
    "com_dx": Metric("m", "displacement of the centre of gravity along world x"),
    "com_dy": Metric("m", "displacement of the centre of gravity along world y"),
    "com_forward": Metric("m", "displacement of the centre of gravity along the start heading (negative: backward)"),
    "head_distance": Metric("m", "|displacement| of the head's tip"),
    "tail_distance": Metric("m", "|displacement| of the tail's end"),
    "slip_per_link": Metric("m", "W_n = (1/n) sum_i int |v_n,i| dt"),
    "slip_along_per_link": Metric("m", "(1/n) sum_i int |v_t,i| dt"),
    "torque_sq_mean": Metric("N^2 m^2", "(1/T) int sum_i tau_i^2 dt"),
    "torque_max": Metric("N m", "largest |tau_i| of any joint at any step"),
    "steady_speed": Metric(
        "m/s",
        "displacement of the centre of gravity over the last whole periods of the steady gait (cruise, or after three "
        "periods) over their time; negative if it runs against the mean heading; null without one whole period or with under 20 frames a period",
    ),
    "efficiency": Metric("1/(N m)^2", "J of (13): S / (torque_sq_mean * (n/T) W_n dt_ref), dt_ref = 1e-3 s"),
    "net_work": Metric("J", "int sum_i tau_i theta_i' dt, each step with its mean joint rate"),
    "positive_work": Metric("J", "sum_i int max(0, tau_i theta_i') dt"),
    "friction_loss": Metric("J", "-int sum_i f_i . v_i dt over the contacts (what bristles store included)"),
    "damping_loss": Metric("J", "int sum_i c_i theta_i'^2 dt in the joints"),
    "scheme_loss": Metric("J", "energy that the integrator itself loses: see engines.tally"),
    "kinetic_energy_change": Metric("J", "kinetic energy at the end less that at the start"),
    "stored_energy": Metric("J", "energy in the bristles at the end"),
    "mean_power": Metric("W", "positive_work / T"),
    "peak_power": Metric("W", "largest sum_i max(0, tau_i theta_i') of any step"),
    "cost_of_transport": Metric("-", "positive_work / (M g S); null if it did not move or without gravity"),
    "moment_residual": Metric("N m", "largest moment left at the tail's free end by the joint torques: a check"),
    "joint_angle_max": Metric(
        "rad", "largest |theta_i| (torque mode: of any step; shape mode: of the recorded frames)"
    ),
}


def steady_speed(run: PlanarRun, robot: Robot, gait: Gait | None, duration: float) -> float | None:
    """Speed over the last whole periods of the steady part, signed by the mean heading; None without a whole period."""
    steady_from = getattr(gait, "steady_from", None)
    if gait is None or steady_from is None or run.done < run.steps:
        return None
    period = gait.period(robot)
    begin, end = steady_from(robot), min(gait.steady_until(), duration)  # type: ignore[attr-defined]
    if period is None or not end - begin >= period * (1.0 - 1e-9):
        return None
    if run.stride * run.dt > period / 20.0:
        return None  # too few frames a period to tell
    span = np.floor((end - begin) / period * (1.0 + 1e-9)) * period
    time = np.arange(run.frames) * run.stride * run.dt
    motion = run.rec.motion
    path = np.stack([np.interp([end - span, end], time, motion[:, k]) for k in (0, 1)])
    moved = path[:, 1] - path[:, 0]
    inside = (time >= end - span) & (time <= end)
    heading = motion[inside, 2]
    ahead = moved[0] * np.cos(heading).mean() + moved[1] * np.sin(heading).mean()
    return float(np.copysign(np.hypot(*moved), ahead) / span)


def joint_figures(acc: FloatArray, links: int, time: float, weight: float, distance: float) -> dict[str, float | None]:
    """Metrics of slip, torques, work and energy from the sums of a run."""
    slip = float(acc[tally.SLIP_ACROSS]) / links
    torque_sq = float(acc[tally.TORQUE_SQ]) / time if time > 0.0 else 0.0
    positive = float(acc[tally.POSITIVE_WORK])
    effort = torque_sq * links / time * slip * REFERENCE_STEP if time > 0.0 else 0.0
    return {
        "slip_per_link": slip,
        "slip_along_per_link": float(acc[tally.SLIP_ALONG]) / links,
        "torque_sq_mean": torque_sq,
        "torque_max": float(acc[tally.TORQUE_MAX]),
        "efficiency": distance / effort if slip > SLIP_FLOOR and effort > 0.0 else None,
        "net_work": float(acc[tally.NET_WORK]),
        "positive_work": positive,
        "friction_loss": float(acc[tally.FRICTION_LOSS]),
        "damping_loss": float(acc[tally.DAMPING_LOSS]),
        "scheme_loss": float(acc[tally.SCHEME_LOSS]),
        "kinetic_energy_change": float(acc[tally.KINETIC] - acc[tally.KINETIC_START]),
        "stored_energy": float(acc[tally.STORED]),
        "mean_power": positive / time if time > 0.0 else 0.0,
        "peak_power": float(acc[tally.PEAK_POWER]),
        "cost_of_transport": positive / (weight * distance) if weight * distance > 0.0 else None,
        "moment_residual": float(acc[tally.RESIDUAL_MAX]),
    }


def measure(
    run: PlanarRun, robot: Robot, gait: Gait | None, world: World, heading: float, duration: float, nodes: FloatArray,
    angles: FloatArray,
) -> dict[str, float | None]:  # fmt: skip
    """All metrics of a planar run; `nodes` (frames, n+1, 2) are tail's end, joints and head's tip, `angles` the joint angles."""
    motion = run.rec.motion
    dx, dy = (run.q[:2] - motion[0, :2]).tolist()
    distance = float(np.hypot(dx, dy))
    figures = joint_figures(run.acc, robot.links, run.time, robot.mass * world.gravity, distance)
    result: dict[str, float | None] = {
        "com_distance": distance,
        "com_dx": dx,
        "com_dy": dy,
        "com_forward": float(dx * np.cos(heading) + dy * np.sin(heading)),
        "head_distance": float(np.hypot(*(nodes[-1, -1] - nodes[0, -1]))),
        "tail_distance": float(np.hypot(*(nodes[-1, 0] - nodes[0, 0]))),
        "steady_speed": steady_speed(run, robot, gait, duration),
        "joint_angle_max": max(float(run.acc[tally.ANGLE_MAX]), float(np.abs(angles).max())),
        **figures,
    }
    return {name: result[name] for name in METRICS}
