"""The numbers a run is judged by, each with its unit and formula.

S is the displacement of the centre of gravity, T the time simulated, n the links, M the mass, v_t and v_n a
contact's velocity along and across its edge, tau_i and theta_i a joint's torque and angle. Torques are those of the
actuators (joint damping included).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from serpenoid.core import FloatArray, Gait, Robot, World
from serpenoid.engines import tally
from serpenoid.engines.planar import PlanarRun

REFERENCE_STEP = 1e-3  # s, dt_ref of equation (13) of paper 002; it only scales the efficiency
SLIP_FLOOR = 1e-9  # m a link: below it the efficiency would measure rounding


class Metric(NamedTuple):
    """Unit and formula of a metric."""

    unit: str
    formula: str


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
    period = gait.period(robot, duration)
    begin, end = steady_from(robot, duration), gait.steady_until(duration)  # type: ignore[attr-defined]
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


def measure(
    run: PlanarRun, robot: Robot, gait: Gait | None, world: World, heading: float, duration: float, nodes: FloatArray,
    angles: FloatArray,
) -> dict[str, float | None]:  # fmt: skip
    """All metrics of a run; `nodes` (frames, n+1, 2) are tail's end, joints and head's tip, `angles` the joint angles."""
    acc, motion, n = run.acc, run.rec.motion, robot.links
    time = run.time
    dx, dy = (run.q[:2] - motion[0, :2]).tolist()
    distance = float(np.hypot(dx, dy))
    slip = float(acc[tally.SLIP_ACROSS]) / n
    torque_sq = float(acc[tally.TORQUE_SQ]) / time if time > 0.0 else 0.0
    positive = float(acc[tally.POSITIVE_WORK])
    weight = robot.mass * world.gravity
    effort = torque_sq * n / time * slip * REFERENCE_STEP if time > 0.0 else 0.0
    return {
        "com_distance": distance,
        "com_dx": dx,
        "com_dy": dy,
        "com_forward": float(dx * np.cos(heading) + dy * np.sin(heading)),
        "head_distance": float(np.hypot(*(nodes[-1, -1] - nodes[0, -1]))),
        "tail_distance": float(np.hypot(*(nodes[-1, 0] - nodes[0, 0]))),
        "slip_per_link": slip,
        "slip_along_per_link": float(acc[tally.SLIP_ALONG]) / n,
        "torque_sq_mean": torque_sq,
        "torque_max": float(acc[tally.TORQUE_MAX]),
        "steady_speed": steady_speed(run, robot, gait, duration),
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
        "joint_angle_max": max(float(acc[tally.ANGLE_MAX]), float(np.abs(angles).max())),
    }
