"""Of what: metrics as smooth functions of how a run ends, of what it added up, and of its description.

They are the formulas of `judgement`, written for complex numbers too: their derivatives by the outcome are taken by a complex step,
f'(x) = Im f(x + i h) / h with h = 1e-30, exact to rounding.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from serpenoid.contact import sums as slot
from serpenoid.core import FloatArray
from serpenoid.core.errors import InputError
from serpenoid.core.quantities import shown
from serpenoid.judgement.effort import REFERENCE_STEP, SLIP_FLOOR
from serpenoid.judgement.travel import MOVED
from serpenoid.simulation.metrics import METRICS
from serpenoid.simulation.setup import Setup
from serpenoid.spelling import near

TINY = 1e-30  # of the complex step
Vector = Any  # real or complex


class Ending(NamedTuple):
    """What the measures read of a run: motion and headings of the links (world axes) at start and end, and the sums."""

    first: Vector  # x, y, then headings
    last: Vector
    sums: Vector


@dataclass(frozen=True)
class Measure:
    """A result: its unit, its formula of outcome, description and duration, and whether torques of the joints go into it."""

    unit: str
    formula: Callable[[Ending, Setup, float], Any]
    torques: bool = False
    meaning: str = ""


def _moved(o: Ending) -> Vector:
    return o.last[:2] - o.first[:2]


def _length(v: Vector) -> Any:
    return np.sqrt(v[0] * v[0] + v[1] * v[1])


def _angle(v: Vector) -> Any:
    """Direction of a vector; for a complex one about that of its real part."""
    x, y = np.real(v[0]), np.real(v[1])
    return np.arctan2(y, x) + np.arctan((x * v[1] - y * v[0]) / (x * v[0] + y * v[1]))


def _mean_direction(o: Ending) -> Any:
    headings = o.last[2:]
    middle = np.mean(np.real(headings))
    apart = headings - middle
    return middle + _angle((np.cos(apart).sum(), np.sin(apart).sum()))


def _node(place: Vector, setup: Setup, last: bool) -> Vector:
    """Head's tip (or tail's end) of a body with its centre of gravity and headings at `place`."""
    robot, axes = setup.robot, np.stack([np.cos(place[2:]), np.sin(place[2:])])
    ends = np.cumsum(robot.link_length * axes, axis=1)
    centres = ends - robot.link_length * axes + robot.com_offset * axes
    tail = place[:2] - centres @ robot.link_mass / robot.mass
    return tail + ends[:, -1] if last else tail


def _node_distance(last: bool) -> Callable[[Ending, Setup, float], Any]:
    return lambda o, setup, time: _length(_node(o.last, setup, last) - _node(o.first, setup, last))


def _forward(o: Ending, setup: Setup, time: float) -> Any:
    d, heading = _moved(o), setup.start.heading
    return d[0] * np.cos(heading) + d[1] * np.sin(heading)


def _summed(index: int, per_time: bool = False) -> Callable[[Ending, Setup, float], Any]:
    return lambda o, setup, time: o.sums[index] / (time if per_time else 1.0)


def _per_link(index: int) -> Callable[[Ending, Setup, float], Any]:
    return lambda o, setup, time: o.sums[index] / setup.robot.links


def _grown(now: int, start: int) -> Callable[[Ending, Setup, float], Any]:
    return lambda o, setup, time: o.sums[now] - o.sums[start]


def _cost(o: Ending, setup: Setup, time: float) -> Any:
    return o.sums[slot.POSITIVE_WORK] / (setup.robot.mass * setup.world.gravity * _length(_moved(o)))


def _efficiency(o: Ending, setup: Setup, time: float) -> Any:
    links = setup.robot.links
    slip = o.sums[slot.SLIP_ACROSS] / links
    return _length(_moved(o)) / (o.sums[slot.TORQUE_SQ] / time * links / time * slip * REFERENCE_STEP)


_FORMULAS: dict[str, tuple[Callable[[Ending, Setup, float], Any], bool]] = {
    "com_distance": (lambda o, setup, time: _length(_moved(o)), False),
    "com_dx": (lambda o, setup, time: _moved(o)[0], False),
    "com_dy": (lambda o, setup, time: _moved(o)[1], False),
    "com_forward": (_forward, False),
    "travel_direction": (lambda o, setup, time: _angle(_moved(o)), False),
    "heading": (lambda o, setup, time: _mean_direction(o), False),
    "head_distance": (_node_distance(True), False),
    "tail_distance": (_node_distance(False), False),
    "slip_per_link": (_per_link(slot.SLIP_ACROSS), False),
    "slip_along_per_link": (_per_link(slot.SLIP_ALONG), False),
    "friction_loss": (_summed(slot.FRICTION_LOSS), False),
    "kinetic_energy_change": (_grown(slot.KINETIC, slot.KINETIC_START), False),
    "potential_energy_change": (_grown(slot.POTENTIAL, slot.POTENTIAL_START), False),
    "torque_sq_mean": (_summed(slot.TORQUE_SQ, True), True),
    "efficiency": (_efficiency, True),
    "net_work": (_summed(slot.NET_WORK), True),
    "positive_work": (_summed(slot.POSITIVE_WORK), True),
    "damping_loss": (_summed(slot.DAMPING_LOSS), True),
    "scheme_loss": (_summed(slot.SCHEME_LOSS), True),
    "mean_power": (_summed(slot.POSITIVE_WORK, True), True),
    "cost_of_transport": (_cost, True),
}
MEASURES = {
    name: Measure(METRICS[name].unit, formula, torques, METRICS[name].formula)
    for name, (formula, torques) in _FORMULAS.items()
}
MEASURES["mean_speed"] = Measure("m/s", lambda o, setup, time: _length(_moved(o)) / time, False, "com_distance / T")
_MUST_MOVE = {"com_distance", "mean_speed", "travel_direction", "cost_of_transport", "efficiency"}


def measure_of(name: str) -> Measure:
    """A measure by its name; refused in words where it has no derivative."""
    if name in MEASURES:
        return MEASURES[name]
    known = ", ".join(MEASURES)
    if name in METRICS:
        raise InputError(
            f"of {name}: this metric is the greatest value of something, counts, or looks at single frames, and has no derivative here; there are {known}"
        )
    raise InputError(f"of {shown(name)}: there is no such result{near(str(name), list(MEASURES))}; there are {known}")


def check_defined(name: str, outcome: Ending, setup: Setup) -> None:
    """Refuse a result that has no value, or a kink, where the run ended."""
    if name in _MUST_MOVE and not _length(_moved(outcome)) > MOVED * setup.robot.length:
        raise InputError(f"of {name}: the body did not move, and a distance has a kink at zero; use com_dx or com_dy")
    if name == "efficiency" and not (
        outcome.sums[slot.SLIP_ACROSS] / setup.robot.links > SLIP_FLOOR and outcome.sums[slot.TORQUE_SQ] > 0.0
    ):
        raise InputError("of efficiency: it needs slip and torques, and this run has none")
    if name == "cost_of_transport" and not setup.world.gravity > 0.0:
        raise InputError("of cost_of_transport: it needs gravity, got 0 m/s^2")


def slopes_of(measure: Measure, outcome: Ending, setup: Setup, time: float) -> Ending:
    """Derivatives of a measure by the outcome."""
    found = []
    for k, part in enumerate(outcome):
        rates = np.zeros(len(part))
        for j in range(len(part)):
            tried: FloatArray = part.astype(complex)
            tried[j] += 1j * TINY
            rates[j] = np.imag(measure.formula(outcome._replace(**{Ending._fields[k]: tried}), setup, time)) / TINY
        found.append(rates)
    return Ending(*found)
