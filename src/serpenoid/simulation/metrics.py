"""The numbers a run is judged by: one name, one unit, one formula each, in the plane and in space.

S is the level displacement of the centre of gravity, T the time simulated, n the links, M the mass, v_t and v_n a contact's velocity
along and across its edge, tau_k and theta_k torque and angle of a degree of freedom. Torques are those of the actuators.

A metric that does not apply is None, and `Trajectory.reasons` says why. A metric of one's own is a function of the trajectory:

    sp.simulation.metrics.register("head_height", "m", lambda run: run["node"][:, -1, 2].max(), "greatest height of the head's tip")
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from serpenoid.contact.crossings import SelfCrossing, self_crossing
from serpenoid.contact.springs import sag_of
from serpenoid.core import FloatArray, Trajectory, Variable, chassis
from serpenoid.core.errors import InputError
from serpenoid.simulation.setup import Setup

REFERENCE_STEP = 1e-3  # s, dt_ref of equation (13) of paper 002; it only scales the efficiency
SLIP_FLOOR = 1e-9  # m per link: below it the efficiency would measure rounding
LOSSES = (
    "friction_loss",
    "damping_loss",
    "stop_loss",
    "ground_loss",
    "self_contact_loss",
    "scheme_loss",
)  # of the account
FRAMES_PER_PERIOD = 20  # at least, for the steady speed


class Metric(NamedTuple):
    """Unit and formula of a metric; `function` of the trajectory for those of users."""

    unit: str
    formula: str
    function: Callable[[Trajectory], float | None] | None = None


METRICS: dict[str, Metric] = {
    "com_distance": Metric("m", "S = |level displacement of the centre of gravity| from start to end"),
    "com_dx": Metric("m", "displacement of the centre of gravity along world x"),
    "com_dy": Metric("m", "displacement of the centre of gravity along world y"),
    "com_dz": Metric("m", "displacement of the centre of gravity along world z"),
    "com_forward": Metric("m", "displacement of the centre of gravity along the start heading (negative: backward)"),
    "path_length": Metric("m", "level displacements of the centre of gravity over whole periods, summed, plus the rest"),
    "travel_direction": Metric("rad", "direction of the level displacement, from world x"),
    "heading": Metric("rad", "direction of the mean link axis at the end, from world x"),
    "head_distance": Metric("m", "|displacement| of the head's tip"),
    "tail_distance": Metric("m", "|displacement| of the tail's end"),
    "steady_speed": Metric(
        "m/s",
        "level displacement of the centre of gravity over the last whole periods of the steady gait, over their time",
    ),
    "steady_forward_speed": Metric(
        "m/s", "the same, signed: negative where it runs against the mean heading of these periods"
    ),
    "roll_angle": Metric("rad", "roll about the links' axes against the vertical, mean of the links after the first period"),
    "roll_rate_mean": Metric("rad/s", "slope of the roll angle, fitted over whole periods after the first"),
    "slip_per_link": Metric("m", "W_n = (1/n) sum_i int |v_n,i| dt"),
    "slip_along_per_link": Metric("m", "(1/n) sum_i int |v_t,i| dt"),
    "torque_sq_mean": Metric("N^2 m^2", "(1/T) int sum_k tau_k^2 dt"),
    "torque_max": Metric("N m", "largest |tau_k| at any step"),
    "joint_angle_max": Metric("rad", "largest |theta_k| (prescribed in the plane: of the recorded frames, else of any step)"),
    "efficiency": Metric("1/(N m)^2", "J of (13): S / (torque_sq_mean * (n/T) W_n dt_ref), dt_ref = 1e-3 s"),
    "net_work": Metric("J", "int sum_k tau_k theta_k' dt, each step with its mean joint rate"),
    "positive_work": Metric("J", "sum_k int max(0, tau_k theta_k') dt"),
    "friction_loss": Metric("J", "-int sum f . v dt over the contacts (what bristles store included)"),
    "damping_loss": Metric("J", "in the joints: damping and gear friction"),
    "stop_loss": Metric("J", "taken by the joints' stops (what their springs store included)"),
    "ground_loss": Metric("J", "taken by springs and dampers of ground and obstacles (what the springs store included)"),
    "scheme_loss": Metric("J", "energy that the integrator itself loses: see planar.account"),
    "kinetic_energy_change": Metric("J", "kinetic energy at the end less that at the start"),
    "potential_energy_change": Metric("J", "M g times the rise of the centre of gravity"),
    "stored_energy": Metric("J", "energy in the bristles at the end"),
    "energy_residual": Metric("J", "net work less all losses and changes of energy: a check, 0 but for rounding"),
    "mean_power": Metric("W", "positive_work / T"),
    "peak_power": Metric("W", "largest sum_k max(0, tau_k theta_k') of any step"),
    "cost_of_transport": Metric("-", "positive_work / (M g S)"),
    "contact_count_mean": Metric("-", "contacts that press, mean over time"),
    "penetration": Metric("m", "deepest that a contact was pressed into ground or obstacle, at any step"),
    "ground_sag": Metric("m", "how deep contacts at rest on the level are pressed in: M g / (their number times the stiffness)"),
    "normal_force_max": Metric("N", "largest normal force of a contact at any step"),
    "self_overlap": Metric("m", "deepest overlap of two links that are not neighbours, frames and what lies between; 0: none"),
    "self_contact_loss": Metric("J", "taken by contact between links, springs, dampers and friction (what springs store included)"),
    "self_contact_energy": Metric("J", "energy in the springs between links at the end"),
    "self_contact_force_max": Metric("N", "largest normal force between two links at any step"),
    "moment_residual": Metric("N m", "largest moment left at the tail's free end by the joint torques: a check"),
}  # fmt: skip


def register(name: str, unit: str, function: Callable[[Trajectory], float | None], formula: str = "") -> None:
    """Add a metric of one's own: every run after that has it."""
    if not name.isidentifier() or not callable(function):
        raise InputError(
            f"a metric needs a name like a variable's and a function of the trajectory, got {name!r}, {function!r}"
        )
    if name in METRICS and METRICS[name].function is None:
        raise InputError(f"{name} is a metric of serpenoid itself; choose another name")
    METRICS[name] = Metric(unit, formula or (function.__doc__ or "").strip().split("\n")[0], function)


def own_metrics(run: Trajectory) -> dict[str, float | None]:
    """Values of the users' metrics; a function that raises or returns no number is refused by name."""
    found: dict[str, float | None] = {}
    for name, metric in METRICS.items():
        if metric.function is not None:
            try:
                value = metric.function(run)
                found[name] = None if value is None else float(value)
            except Exception as error:
                raise InputError(f"the metric {name} failed: {type(error).__name__}: {error}") from error
    return found


def at_periods(time: FloatArray, values: FloatArray, period: float | None) -> tuple[FloatArray, FloatArray]:
    """Whole multiples of the period within the run, and the values there, linear between frames."""
    count = int(np.floor(time[-1] / period * (1.0 + 1e-9))) if period else 0
    instants = np.minimum(np.arange(count + 1) * (period or 0.0), time[-1])
    columns = values.reshape(len(time), -1)
    found = np.stack([np.interp(instants, time, column) for column in columns.T], axis=-1)
    return instants, found.reshape((len(instants), *values.shape[1:]))


def path_length(time: FloatArray, com: FloatArray, period: float | None) -> float:
    """Displacements of the centre of gravity (f, 2) over whole periods, summed, plus the rest."""
    _, places = at_periods(time, com, period)
    legs = np.linalg.norm(np.diff(places, axis=0), axis=1).sum()
    return float(legs + np.linalg.norm(com[-1] - places[-1]))


def travelled(variables: Mapping[str, Variable], start_heading: float, period: float | None) -> dict[str, float | None]:
    """What can be said of any engine's motion."""
    time, com, node = (variables[name].data for name in ("time", "com", "node"))
    dx, dy, dz = (com[-1] - com[0]).tolist()
    distance = float(np.hypot(dx, dy))
    return {
        "com_distance": distance,
        "com_dx": dx,
        "com_dy": dy,
        "com_dz": dz,
        "com_forward": float(dx * np.cos(start_heading) + dy * np.sin(start_heading)),
        "path_length": path_length(time, com[:, :2], period),
        "travel_direction": float(np.arctan2(dy, dx)) if distance > 0.0 else None,
        "heading": float(variables["heading"].data[-1]),
        "head_distance": float(np.linalg.norm(node[-1, -1] - node[0, -1])),
        "tail_distance": float(np.linalg.norm(node[-1, 0] - node[0, 0])),
    }


def rolled(variables: Mapping[str, Variable], period: float | None) -> dict[str, float | None]:
    """Roll angle and rate of a run in space."""
    if "roll" not in variables:
        return {"roll_angle": None, "roll_rate_mean": None}
    time, roll = variables["time"].data, variables["roll"].data
    after = time >= (period or np.inf)
    instants, found = at_periods(time, roll, period)
    return {
        "roll_angle": float(roll[after].mean()) if after.any() else None,
        "roll_rate_mean": float(np.polyfit(instants[1:], found[1:], 1)[0]) if len(instants) >= 4 else None,
    }


def steady_speed(variables: Mapping[str, Variable], setup: Setup) -> tuple[float | None, float | None, str]:
    """Speed over the last whole periods of the steady gait, the same signed by the mean heading, or why there is none."""
    gait = setup.gait
    if gait is None or not hasattr(gait, "steady_from"):
        return None, None, "only gaits with a period have a steady speed"
    time, com, heading = (variables[name].data for name in ("time", "com", "heading"))
    period, begin, end = (
        gait.period(setup.robot),
        gait.steady_from(setup.robot),
        min(gait.steady_until(), float(time[-1])),
    )
    if period is None:
        return None, None, "the gait has no period"
    whole = np.floor((end - begin) / period * (1.0 + 1e-9))
    if not whole >= 1.0:
        return None, None, f"no whole period of {period:.3g} s lies in the steady part, {begin:.3g} to {end:.3g} s"
    if len(time) < 2 or time[1] - time[0] > period / FRAMES_PER_PERIOD:
        return None, None, f"under {FRAMES_PER_PERIOD} frames per period; use a shorter record_interval"
    first = end - whole * period
    ends = np.stack([np.interp([first, end], time, com[:, e]) for e in (0, 1)])
    moved = ends[:, 1] - ends[:, 0]
    inside = heading[(time >= first) & (time <= end)]
    ahead = moved[0] * np.cos(inside).mean() + moved[1] * np.sin(inside).mean()
    speed = float(np.hypot(*moved) / (whole * period))
    return speed, float(np.copysign(speed, ahead)), ""


def _from_sums(
    sums: Mapping[str, float], links: int, time: float, weight: float, distance: float
) -> dict[str, float | None]:
    """Metrics of slip, torques, work and energy from the sums of a run."""
    slip = sums["slip_across"] / links
    torque_sq = sums["torque_sq"] / time if time > 0.0 else 0.0
    positive = sums["positive_work"]
    effort = torque_sq * links / time * slip * REFERENCE_STEP if time > 0.0 else 0.0
    plain = (
        "torque_max",
        "net_work",
        "positive_work",
        "friction_loss",
        "damping_loss",
        "stop_loss",
        "ground_loss",
        "scheme_loss",
        "peak_power",
        "normal_max",
    )
    return {
        **{name: sums[name] for name in plain if name != "normal_max"},
        "normal_force_max": sums["normal_max"],
        "slip_per_link": slip,
        "slip_along_per_link": sums["slip_along"] / links,
        "torque_sq_mean": torque_sq,
        "efficiency": distance / effort if slip > SLIP_FLOOR and effort > 0.0 else None,
        "kinetic_energy_change": sums["kinetic"] - sums["kinetic_start"],
        "potential_energy_change": sums["potential"] - sums["potential_start"],
        "stored_energy": sums["stored"],
        "mean_power": positive / time if time > 0.0 else 0.0,
        "cost_of_transport": positive / (weight * distance) if weight * distance > 0.0 else None,
        "contact_count_mean": sums["contacts"] / time if time > 0.0 else 0.0,
        "self_contact_loss": sums["self_loss"],
        "self_contact_energy": sums["self_stored"],
        "self_contact_force_max": sums["self_force_max"],
        "moment_residual": sums["residual_max"],
    }


def residual_of(values: Mapping[str, float | None]) -> float | None:
    """Energy missing from the account, J; None where a part of it is not known."""
    parts = [values[name] for name in ("net_work", *LOSSES, "kinetic_energy_change", "potential_energy_change")]
    known = [part for part in parts if part is not None]
    return None if len(known) < len(parts) else float(known[0] - sum(known[1:]))


def turned_over(variables: Mapping[str, Variable]) -> float:
    """Energy turned over in a run, J: the greatest of positive work, friction, and the ranges of kinetic and potential energy."""
    spans = [float(np.ptp(variables[name].data)) for name in ("kinetic_energy", "potential_energy", "positive_work", "friction_loss")]  # fmt: skip
    known = [span for span in spans if np.isfinite(span)]
    return max(known, default=0.0)


def crossing_of(setup: Setup, variables: Mapping[str, Variable]) -> SelfCrossing:
    """Whether the body passed through itself, by the recorded frames."""
    time, node = variables["time"].data, variables["node"].data
    flat = bool(np.all(node[..., 2] == 0.0))  # in the plane axes can cross
    return self_crossing(setup.robot, time, node, flat)


def _sag(setup: Setup, sums: Mapping[str, float]) -> float | None:
    """How deep contacts at rest on the level are pressed in, m."""
    stiffness = sums.get("ground_stiffness")
    return sag_of(setup.robot, setup.world, stiffness) if setup.spatial and stiffness else None


def measure(
    setup: Setup, variables: Mapping[str, Variable], sums: Mapping[str, float], time: float, crossing: SelfCrossing
) -> tuple[dict[str, float | None], dict[str, str]]:
    """All metrics of a run, and the reasons of those that are None."""
    robot, gait = setup.robot, setup.gait
    period = gait.period(robot) if gait is not None else None
    far = travelled(variables, setup.start.heading, period)
    values: dict[str, float | None] = {**far, **rolled(variables, period)}
    values.update(
        _from_sums(sums, robot.links, time, robot.mass * setup.world.gravity, float(far["com_distance"] or 0.0))
    )
    values["steady_speed"], values["steady_forward_speed"], why = steady_speed(variables, setup)
    angles = variables["joint_angle"].data
    values["joint_angle_max"] = max(sums["angle_max"], float(np.abs(angles).max(initial=0.0)))
    if "roll" not in variables:  # in the plane every contact carries its weight all the time
        values["contact_count_mean"] = float(variables["contact_count"].data.mean())
        values["normal_force_max"] = float(variables["normal_force"].data.max())
    values["self_overlap"] = crossing.overlap
    values["penetration"] = sums["penetration_max"] if setup.spatial else None
    values["ground_sag"] = _sag(setup, sums)
    values["energy_residual"] = residual_of(values)
    reasons = {
        "steady_speed": why,
        "steady_forward_speed": why,
        "efficiency": "it slipped less than can be told from rounding, or without torque",
        "cost_of_transport": "it did not move, or there is no gravity",
        "travel_direction": "it did not move",
        "penetration": "in the plane nothing is pressed in",
        "ground_sag": "there is no ground in three dimensions",
        "roll_angle": "in the plane nothing rolls" if "roll" not in variables else "shorter than one period",
        "roll_rate_mean": "in the plane nothing rolls" if "roll" not in variables else "fewer than three whole periods",
    }
    unknown = [
        name for name, value in values.items() if value is not None and np.isnan(value)
    ]  # by the package that stepped it
    values.update(dict.fromkeys(unknown))
    reasons.update(dict.fromkeys(unknown, "the engine does not give it"))
    ordered = {name: values[name] for name, metric in METRICS.items() if metric.function is None}
    return ordered, {name: reasons[name] for name, value in ordered.items() if value is None and name in reasons}


def roll_of(axis: FloatArray, back: FloatArray) -> FloatArray:
    """Roll (f,) of the links about their axes, mean of the links, rad."""
    return np.asarray(chassis.roll(axis, back).mean(axis=1))


def check_metric(name: Any) -> str:
    """A metric's name, known."""
    import difflib

    if name not in METRICS:
        near = difflib.get_close_matches(str(name), list(METRICS), n=1)
        raise InputError(
            f"unknown metric {name!r}"
            + (f"; did you mean {near[0]}?" if near else f"; allowed are {', '.join(METRICS)}")
        )
    return str(name)
