"""Golden-section search, bracketed by a coarse scan.

Golden section alone finds *a* local maximum; the efficiency of creeping has a second, tiny one at small winding
angles. So the interval is first scanned at equal distances, and the search starts in the two cells around the best
point. The bracket shrinks by the factor 0.618 per evaluation. Undefined values (None, NaN) count as worse than everything.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from serpenoid.core.door import door
from serpenoid.core.errors import InputError, NumericalError
from serpenoid.core.quantities import Whole
from serpenoid.core.theirs import theirs
from serpenoid.optimise.parallel import evaluate_all
from serpenoid.simulation.budget import MOST_THREADS

_RATIO = (math.sqrt(5.0) - 1.0) / 2.0


@dataclass(frozen=True)
class Optimum:
    """Where the best value is, the value, all evaluations in order, and the scan; `at_end` warns of a cut bracket."""

    place: float
    value: float
    evaluations: list[tuple[float, float | None]]
    scan: list[tuple[float, float | None]]
    at_end: bool


def _rank(value: float | None) -> float:
    if not (value is None or isinstance(value, float | int | np.floating | np.integer)):
        raise InputError(f"the function to maximise must return a number or None, got {value!r}")
    return -math.inf if value is None or math.isnan(value) else value


@door
def golden_section(
    function: Callable[[float], float | None], low: float, high: float, tolerance: float
) -> tuple[float, float, list[tuple[float, float | None]]]:
    """Maximise a unimodal function on [low, high] until the bracket is shorter than the tolerance; place, value, evaluations."""
    if not (math.isfinite(low) and math.isfinite(high) and low < high and tolerance > 0.0):
        raise InputError(f"golden section needs low < high and a positive tolerance, got {low}, {high}, {tolerance}")
    seen: list[tuple[float, float | None]] = []

    def look(x: float) -> float:
        with theirs("the function to be searched", function):
            value = function(x)
        seen.append((x, value))
        return _rank(value)

    tolerance = max(tolerance, 8.0 * math.ulp(max(abs(low), abs(high))))  # a bracket cannot shrink below rounding
    a, b = high - _RATIO * (high - low), low + _RATIO * (high - low)
    fa, fb = look(a), look(b)
    while high - low > tolerance:
        if fa >= fb:
            high, b, fb = b, a, fa
            a = high - _RATIO * (high - low)
            fa = look(a)
        else:
            low, a, fa = a, b, fb
            b = low + _RATIO * (high - low)
            fb = look(b)
    place, value = (a, fa) if fa >= fb else (b, fb)
    return place, value, seen


@door(points=Whole(low=2, high=1_000_000), threads=Whole(low=1, high=MOST_THREADS))
def scan_and_refine(
    function: Callable[[float], float | None], low: float, high: float, *, points: int = 18,
    tolerance: float | None = None, threads: int | None = None, progress: Callable[[float], None] | None = None,
) -> Optimum:  # fmt: skip
    """Maximise on [low, high]: a scan of `points` places, then golden section around the best; tolerance (high-low)/500."""
    if points < 3:
        raise InputError(f"a scan needs at least 3 points, got {points}")
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise InputError(f"the interval must be low < high, got {low}:{high}")
    tolerance = (high - low) / 500.0 if tolerance is None else tolerance
    if not tolerance > 0.0:
        raise InputError(f"tolerance must be > 0, got {tolerance}")
    places = [low + (high - low) * k / (points - 1) for k in range(points)]
    values = evaluate_all(function, places, threads=threads, progress=progress)
    scan = list(zip(places, values, strict=True))
    best = max(range(points), key=lambda k: _rank(values[k]))
    if _rank(values[best]) == -math.inf:
        raise NumericalError(f"the objective is undefined at all {points} places scanned from {low:g} to {high:g}")
    left, right = places[max(best - 1, 0)], places[min(best + 1, points - 1)]
    place, value, seen = golden_section(function, left, right, tolerance)
    if _rank(values[best]) > value:
        place, value = places[best], _rank(values[best])
    at_end = min(place - low, high - place) <= 2.0 * tolerance
    return Optimum(place, value, scan + seen, scan, at_end)
