"""By what each number of a run is judged when the same run at another step gives another one.

A change counts relative to the number itself; where that is below SMALL of its scale, relative to the scale; angles count as
parts of WHOLE, so that 0.02 rad are 5 %. A metric without an entry here, in UNJUDGED or of a user's own does not exist (a test compares).

| scale | what it is |
|---|---|
| way | path of the centre of gravity, at least SHORTEST body lengths |
| speed | that over the time |
| angle | WHOLE |
| rate | one radian over the time |
| slip | slip per link, across or along, at least SMALL of the shortest way |
| torque, torque_sq | NOTHING over SMALL of the weight times the body length, or of the energy turned over; its square |
| energy, power | energy turned over in the run; that over the time |
| force | weight |
| depth | radius, at least a thousandth of the body length |
| itself | none: the number alone |
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from serpenoid.judgement.metrics import METRICS

SHORTEST = 0.1  # body lengths: a path shorter than that counts as that long
NOTHING = 1e-6  # of the weight times the body length, and of the greatest energy: work and torques below it are none
SMALL = 0.01  # of its scale: a number below it is judged by its scale
WHOLE = 0.4  # rad
ROUGH = 0.025  # estimated error from which on a number is told to be rough; then all are named that are off by
NAMED = 0.01
FLAT = 1e-3  # of the body length: least radius of the scale of depths

SCALES = {name: metric.scale for name, metric in METRICS.items() if metric.scale}
UNJUDGED = {name: metric.unjudged for name, metric in METRICS.items() if metric.unjudged}
PARTS = ("com_dx", "com_dy", "com_dz", "com_forward")  # of one displacement


def scales_of(metrics: Mapping[str, float | None], mass: float, gravity: float, length: float, radius: float, turned: float, time: float) -> dict[str, float]:  # fmt: skip
    """The size of each scale in a run; `turned` is the energy turned over in it."""
    weight, least = mass * gravity, SHORTEST * length
    way = max(
        metrics["path_length"] or 0.0, math.hypot(metrics["com_distance"] or 0.0, metrics["com_dz"] or 0.0), least
    )
    slip = max(metrics["slip_per_link"] or 0.0, metrics["slip_along_per_link"] or 0.0, SMALL * least)
    torque = NOTHING / SMALL * max(weight * length, turned)
    energy, lasted = max(turned, NOTHING * weight * length), max(time, 1e-300)
    return {
        "way": way, "speed": way / lasted, "rate": 1.0 / lasted, "slip": slip, "torque": torque, "torque_sq": torque**2, "energy": energy,
        "power": energy / lasted, "force": weight, "depth": max(radius, FLAT * length), "itself": 0.0,
    }  # fmt: skip


def changed(name: str, mine: float | None, other: float | None, scales: Mapping[str, float]) -> float:
    """Change of a number of a run from the same run at another step, relative to itself or its scale; infinite where only one has it."""
    if mine is None or other is None:
        return 0.0 if mine is other else math.inf
    kind, difference = SCALES[name], abs(other - mine)
    if difference == 0.0:
        return 0.0
    if kind == "angle":
        turn = math.fmod(difference, 2.0 * math.pi)
        return min(turn, 2.0 * math.pi - turn) / WHOLE
    return _relative(difference, mine, scales[kind])


def _relative(difference: float, mine: float, scale: float) -> float:
    """A difference relative to a number, or to its scale where the number is small beside it."""
    size = scale if abs(mine) < SMALL * scale else abs(mine)
    return difference / size if size > 0.0 else math.inf


def changes_of(mine: Mapping[str, Any], other: Mapping[str, Any], scales: Mapping[str, float]) -> dict[str, float]:
    """Change of each number that is judged and that the run has."""
    return {
        name: changed(name, mine[name], other[name], scales)
        for name in SCALES
        if not (mine[name] is None and other[name] is None)
    }


def estimates_of(mine: Mapping[str, Any], other: Mapping[str, Any], scales: Mapping[str, float]) -> dict[str, float]:
    """The same for an estimate: a part of the displacement may change by as much as the whole, if by chance it does not."""
    found = changes_of(mine, other, scales)
    moved = math.hypot(*(other[name] - mine[name] for name in PARTS[:3]))
    return {**found, **{name: _relative(moved, mine[name], scales["way"]) for name in PARTS}}
