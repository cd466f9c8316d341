"""The numbers a run is judged by: one name, one unit, one formula each, in the plane and in space (computed in `judgement`).

S is the level displacement of the centre of gravity, T the time simulated, n the links, M the mass, v_t and v_n a contact's velocity
along and across its edge, tau_k and theta_k torque and angle of a degree of freedom. Torques are those of the actuators.

A metric that does not apply is None, and `Trajectory.reasons` says why. A metric of one's own is a function of the trajectory:

    sp.simulation.metrics.register("head_height", "m", lambda run: run["node"][:, -1, 2].max(), "greatest height of the head's tip")
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from serpenoid.core import Trajectory
from serpenoid.core.door import door
from serpenoid.core.errors import InputError
from serpenoid.core.functions import function_named
from serpenoid.core.theirs import theirs
from serpenoid.judgement.ledger import Metric
from serpenoid.judgement.metrics import METRICS as COMPUTED
from serpenoid.simulation.formulas import Measured
from serpenoid.simulation.loads import LINE, has_lines, line_named, motor_named
from serpenoid.simulation.setup import Setup
from serpenoid.simulation.steady import steady_motion
from serpenoid.spelling import near

METRICS: dict[str, Metric] = dict(COMPUTED)  # and those of users


SPOKEN = {  # what summaries and figures call them, where that is not the name with blanks
    "distance": ("com_distance",), "displacement": ("com_distance",), "height_gained": ("com_dz",), "dx": ("com_dx",), "dy": ("com_dy",), "dz": ("com_dz",),
    "efficiency_j": ("efficiency",), "largest_torque": ("torque_max",), "greatest_torque": ("torque_max",), "lost_to_friction": ("friction_loss",),
    "slip": ("slip_per_link", "slip_along_per_link"), "torque": ("torque_max", "torque_steady_max", "torque_rms_max", "torque_sq_mean"),
    "steady_torque": ("torque_steady_max", "torque_rms_max"), "work": ("net_work", "positive_work", "friction_loss"), "power": ("mean_power", "peak_power"),
    "roll_rate": ("roll_rate_mean",), "contacts": ("contact_count_mean",), "contacts_mean": ("contact_count_mean",), "normal_force": ("normal_force_max",),
}  # fmt: skip
_BRACKETS, _UNSAID = re.compile(r"\([^()]*\)"), re.compile(r"[^a-z0-9]+")


@door
def register(
    name: str, unit: str, function: Callable[[Trajectory], float | None], formula: str = "", better: str = "more"
) -> None:
    """Add a metric of one's own: every run after that has it; `better` says whether "more" or "less" of it is."""
    if better not in ("more", "less"):
        raise InputError(f'better must be "more" or "less", got {better!r}')
    if not name.isidentifier() or not callable(function):
        raise InputError(
            f"a metric needs a name like a variable's and a function of the trajectory, got {name!r}, {function!r}"
        )
    if name in METRICS and METRICS[name].function is None:
        raise InputError(f"{name} is a metric of serpenoid itself; choose another name")
    METRICS[name] = Metric(unit, formula or (function.__doc__ or "").strip().split("\n")[0], function, better=better)


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
    if name == LINE and not has_lines(setup):
        return "no servo of the robot has a torque-speed line (no_load_speed); name a motor: motor_line(TORQUE,RATE)"
    if not name.startswith("steady_"):
        return ""
    gait, duration = setup.gait, setup.settings.duration
    if gait is None or not hasattr(gait, "steady_from") or gait.period(setup.robot) is None:
        return "only gaits with a period have a steady speed"
    return "" if duration is None else steady_motion(setup, duration).why
