"""The numbers a run is judged by: one name, one unit, one formula each, in the plane and in space (computed in `formulas`).

S is the level displacement of the centre of gravity, T the time simulated, n the links, M the mass, v_t and v_n a contact's velocity
along and across its edge, tau_k and theta_k torque and angle of a degree of freedom. Torques are those of the actuators.

A metric that does not apply is None, and `Trajectory.reasons` says why. A metric of one's own is a function of the trajectory:

    sp.simulation.metrics.register("head_height", "m", lambda run: run["node"][:, -1, 2].max(), "greatest height of the head's tip")
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from serpenoid.core import Trajectory
from serpenoid.core.door import door
from serpenoid.core.errors import InputError
from serpenoid.core.functions import function_named
from serpenoid.core.theirs import theirs
from serpenoid.simulation.formulas import Measured
from serpenoid.simulation.loads import LINE, line_named, lines_of, motor_named
from serpenoid.simulation.setup import Setup
from serpenoid.simulation.steady import steady_motion
from serpenoid.spelling import near


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
    "torque_steady_max": Metric("N m", "largest |tau_k| of the recorded frames in steady motion: the last whole periods, of a run without such all but its first quarter"),
    "torque_rms_max": Metric("N m", "root mean square of tau_k in steady motion, of the joint that has most: what heats a motor"),
    "motor_line": Metric(
        "-", "largest |tau_k|/stall torque + |theta_k'|/no-load speed in steady motion (braking: the first part); above 1: beyond the servo's line; "
        "motor_line(3,5): of a motor of 3 N m and 5 rad/s",
    ),
    "joint_angle_max": Metric("rad", "largest |theta_k| (prescribed in the plane: of the recorded frames, else of any step)"),
    "joint_rate_max": Metric("rad/s", "largest |theta_k'| of the recorded frames"),
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


SPOKEN = {  # what summaries and figures call them, where that is not the name with blanks
    "distance": ("com_distance",), "displacement": ("com_distance",), "height_gained": ("com_dz",), "dx": ("com_dx",), "dy": ("com_dy",), "dz": ("com_dz",),
    "efficiency_j": ("efficiency",), "largest_torque": ("torque_max",), "greatest_torque": ("torque_max",), "lost_to_friction": ("friction_loss",),
    "slip": ("slip_per_link", "slip_along_per_link"), "torque": ("torque_max", "torque_steady_max", "torque_rms_max", "torque_sq_mean"),
    "steady_torque": ("torque_steady_max", "torque_rms_max"), "work": ("net_work", "positive_work", "friction_loss"), "power": ("mean_power", "peak_power"),
    "roll_rate": ("roll_rate_mean",), "contacts": ("contact_count_mean",), "contacts_mean": ("contact_count_mean",), "normal_force": ("normal_force_max",),
}  # fmt: skip
_BRACKETS, _UNSAID = re.compile(r"\([^()]*\)"), re.compile(r"[^a-z0-9]+")


@door
def register(name: str, unit: str, function: Callable[[Trajectory], float | None], formula: str = "") -> None:
    """Add a metric of one's own: every run after that has it."""
    if not name.isidentifier() or not callable(function):
        raise InputError(
            f"a metric needs a name like a variable's and a function of the trajectory, got {name!r}, {function!r}"
        )
    if name in METRICS and METRICS[name].function is None:
        raise InputError(f"{name} is a metric of serpenoid itself; choose another name")
    METRICS[name] = Metric(unit, formula or (function.__doc__ or "").strip().split("\n")[0], function)


def own_metrics(run: Trajectory, names: Sequence[str] | None = None) -> dict[str, float | None]:
    """Values of the users' metrics (those of `names`); a function that raises or returns no number is refused by name."""
    found: dict[str, float | None] = {}
    for name, metric in METRICS.items():
        if metric.function is not None and (names is None or name in names):
            with theirs(f"the metric {name}", metric.function):
                value = metric.function(run)
                found[name] = None if value is None else float(value)
    return found


def metric_of(name: str) -> Metric:
    """Unit and formula of a known metric, of one that names its motor too."""
    return METRICS[LINE if motor_named(name) else name]


def check_metric(name: Any) -> str:
    """A metric's name, known; also as summaries and figures call it, or with a motor: "motor_line(3,5)"."""
    if name in METRICS:
        return str(name)
    motor = motor_named(str(name))
    if motor is not None:
        return line_named(*motor)
    said = _UNSAID.sub("_", _BRACKETS.sub("", str(name)).strip().lower())
    found = SPOKEN.get(said, (said,))
    if len(found) > 1:
        raise InputError(f"{name!r} may be {' or '.join(found)}; name one of them")
    if found[0] in METRICS:
        return found[0]
    hint = near(name, list(METRICS)) or f"; allowed are {', '.join(METRICS)}"
    raise InputError(f"unknown metric {name!r}{hint}")


def values_of(setup: Setup, run: Trajectory, names: Sequence[str]) -> dict[str, float | None]:
    """Metrics of a trajectory by name, of those that name their motor too."""
    measured = Measured(setup, run.variables, {}, run.duration)
    return {name: measured[name] if motor_named(name) else run.metrics.get(name) for name in names}


def find_metric(name: str, allow: tuple[str, ...] = ()) -> str:
    """Name of a metric: a known one, or a function of the trajectory of an allowed module, as "my_module:my_metric"."""
    if not isinstance(name, str) or ":" not in name:
        return check_metric(name)
    found, own = function_named(name, allow), name.rpartition(":")[2]
    if own not in METRICS or METRICS[own].function is not found:
        register(own, "", found)
    return check_metric(own)


def never_there(name: str, setup: Setup) -> str:
    """Why no run of this description can have the metric; empty where it may."""
    planned = setup.gait is None and setup.drive is None  # a plan may bring a ground of its own
    if name in ("penetration", "ground_sag", "roll_angle", "roll_rate_mean") and not setup.spatial and not planned:
        return "there is no third dimension in the plane"
    if name == "cost_of_transport" and setup.world.gravity == 0.0:
        return "there is no gravity"
    if name == LINE and lines_of(setup) is None:
        return "no servo of the robot has a torque-speed line (no_load_speed); name a motor: motor_line(TORQUE,RATE)"
    if not name.startswith("steady_"):
        return ""
    gait, duration = setup.gait, setup.settings.duration
    if gait is None or not hasattr(gait, "steady_from") or gait.period(setup.robot) is None:
        return "only gaits with a period have a steady speed"
    return "" if duration is None else steady_motion(setup, duration).why
