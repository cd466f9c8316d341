"""What a search is after: metrics to maximise or minimise, and limits on metrics that its optimum keeps.

A limit such as "torque_max<2" has a margin, (value - bound) / |bound|, positive where it is broken; with a bound of 0 the margin is the value.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from serpenoid.core.errors import InputError
from serpenoid.core.quantities import brief, shown
from serpenoid.simulation.loads import LOAD, line_named
from serpenoid.simulation.metrics import find_metric, metric_of
from serpenoid.simulation.setup import Setup

FRONT = ("steady_speed",), ("cost_of_transport",)  # maximised and minimised where nothing is said
ACTIVE = 0.01  # a limit is reached where its margin is above -1 %
_MOTOR = "TORQUE,RATE[,CONTINUOUS] (stall torque in N m, no-load speed in rad/s, torque that it stands for long in N m: without it a fifth of the first)"
_LIMIT = re.compile(r"\s*([A-Za-z_][^<>=]*?)\s*(<=|>=|<|>)\s*([-+.\w]+)\s*")


@dataclass(frozen=True)
class Objective:
    """A metric, and whether more of it is better (sign 1) or less (-1)."""

    metric: str
    sign: float

    @property
    def goal(self) -> str:
        """In a word."""
        return "maximise" if self.sign > 0.0 else "minimise"

    @property
    def unit(self) -> str:
        """Unit of the metric."""
        return metric_of(self.metric).unit


@dataclass(frozen=True)
class Limit:
    """A bound that a metric must keep."""

    metric: str
    relation: str  # < <= > >=
    bound: float
    source: str = ""  # where it comes from, if not from the user's own words

    def __str__(self) -> str:
        return f"{self.metric} {self.relation} {brief(self.bound)}"

    def margin(self, value: float | None) -> float:
        """How far the limit is broken (> 0) or kept (<= 0), relative to the bound; infinite where the metric does not apply."""
        if value is None or math.isnan(value):
            return math.inf
        over = (value - self.bound) if "<" in self.relation else (self.bound - value)
        margin = over / (abs(self.bound) or 1.0)
        return max(margin, 1e-300) if not self.keeps(value) else min(margin, 0.0)

    def keeps(self, value: float | None) -> bool:
        """Whether a value keeps it."""
        if value is None or math.isnan(value):
            return False
        b = self.bound
        return {"<": value < b, "<=": value <= b, ">": value > b, ">=": value >= b}[self.relation]


def objectives_of(maximise: Sequence[str], minimise: Sequence[str], allow: tuple[str, ...]) -> list[Objective]:
    """The objectives; without any, speed against cost of transport."""
    if not maximise and not minimise:
        maximise, minimise = FRONT
    signs = [(name, 1.0) for name in maximise] + [(name, -1.0) for name in minimise]
    made = [Objective(find_metric(name, allow), sign) for name, sign in signs]
    for k, one in enumerate(made):
        if one.metric in [other.metric for other in made[:k]]:
            raise InputError(f"{one.metric} is given as an objective twice")
    if len(made) > 3:
        raise InputError(
            f"a search has at most 3 objectives, got {len(made)}; make the others limits with --subject-to"
        )
    return made


def limit_of(text: str, allow: tuple[str, ...] = ()) -> Limit:
    """The limit that "torque_max<2" names."""
    found = _LIMIT.fullmatch(text)
    try:
        if found is None:
            raise ValueError
        bound = float(found[3])
        if not math.isfinite(bound):
            raise ValueError
    except ValueError:
        raise InputError(
            f'--subject-to needs METRIC, one of < <= > >=, and a finite number, such as "torque_max<2"; got {shown(text)}'
        ) from None
    return Limit(find_metric(found[1], allow), found[2], bound)


def motor_limits(given: str | Sequence[float] | None, setup: Setup) -> list[Limit]:
    """Limits of the motors by the rule of `simulation.loads`: from stall torque (N m), no-load speed (rad/s) and continuous torque as given, or ("robot") from its servos."""
    if given is None:
        return []
    if given == "robot":
        return _limits_of_servos(setup)
    try:
        values = [float(v) for v in (given.split(",") if isinstance(given, str) else given)]
    except ValueError:
        raise InputError(f'--motor-limits needs {_MOTOR}, such as 2,6, or "robot"; got {shown(given)}') from None
    if len(values) not in (2, 3) or not all(math.isfinite(v) and v > 0.0 for v in values):
        raise InputError(f"motor limits are {_MOTOR}, all > 0, got {shown(given)}")
    return [
        Limit("torque_rms_max", "<=", values[2] if len(values) == 3 else _continuous(values[0]), "motor"),
        Limit(line_named(values[0], values[1]), "<=", 1.0, "motor"),
    ]


def _continuous(stall: float) -> float:
    """Torque that a motor stands for long, N m, by its stall torque."""
    return float(f"{LOAD * stall:.12g}")


def _limits_of_servos(setup: Setup) -> list[Limit]:
    """The same from what the robot's servos declare: of each number the least."""
    servos = [servo for servo in setup.robot.servos if servo is not None]
    torques = [servo.torque_limit for servo in servos if servo.torque_limit is not None]
    lines = [(float(servo.torque_limit or 0.0), servo.no_load_speed) for servo in servos if servo.no_load_speed]
    rates = [servo.speed_limit for servo in servos if servo.speed_limit is not None]
    made = [Limit("torque_rms_max", "<=", _continuous(min(torques)), "servo")] if torques else []
    made += [Limit(line_named(*line), "<=", 1.0, "servo") for line in sorted(set(lines))]
    made += [Limit("joint_rate_max", "<=", min(rates), "servo")] if rates else []
    if not made:
        raise InputError(
            f"{setup.robot.name} declares no limits of its motors (robot.servo.torque_limit, no_load_speed, speed_limit); "
            f"give them as --motor-limits {_MOTOR}"
        )
    return made


def total_excess(limits: Sequence[Limit], values: Mapping[str, float | None]) -> float:
    """Sum of the margins by which limits are broken; 0 where all are kept."""
    return sum(max(limit.margin(values.get(limit.metric)), 0.0) for limit in limits)
