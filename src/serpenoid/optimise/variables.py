"""What a search varies: numbers of a scenario, each between two bounds.

A search works in the unit cube; `Varied.at` turns a coordinate u in [0, 1] into the value, `Varied.coordinate` turns it back. A whole number
takes equal shares of [0, 1], so that no value is favoured: at = low + floor(u (high - low + 1)).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from serpenoid.core.errors import InputError
from serpenoid.core.quantities import Number, Whole, shown
from serpenoid.formats.scenario import steps_of
from serpenoid.simulation.setup import Setup, declaration_at, part_at

MOST_VARIABLES = 30
Place = tuple[float, ...]


@dataclass(frozen=True)
class Varied:
    """A key of the scenario, its bounds, and what its declaration tells of it."""

    key: str
    low: float
    high: float
    whole: bool = False
    unit: str = ""
    meaning: str = ""

    @property
    def name(self) -> str:
        """The key in words: "gait winding angle", "friction along"."""
        words = self.key.removeprefix("world.").replace(".", " ").replace("_", " ")
        return words.removesuffix(" deg") if self.unit == "deg" else words

    @property
    def count(self) -> int:
        """How many values a whole number can take."""
        return int(self.high) - int(self.low) + 1

    @property
    def span(self) -> float:
        """High less low."""
        return self.high - self.low

    def at(self, u: float) -> float:
        """Value at a coordinate in [0, 1]."""
        u = min(max(float(u), 0.0), 1.0)
        if self.whole:
            return int(self.low) + min(int(u * self.count), self.count - 1)
        return self.low + self.span * u

    def coordinate(self, value: float) -> float:
        """Coordinate in [0, 1] of a value."""
        if self.whole:
            return (value - int(self.low) + 0.5) / self.count
        return (value - self.low) / self.span

    def rounded(self, value: float) -> float:
        """The nearest value that the variable can take."""
        value = min(max(value, self.low), self.high)
        return math.floor(value + 0.5) if self.whole else float(value)

    def bound_near(self, value: float) -> float | None:
        """The bound at which a value lies: exactly for a whole number, else within 1/250 of the interval."""
        near = 0.0 if self.whole else self.span / 250.0
        return next((end for end in (self.low, self.high) if abs(value - end) <= near), None)


def interval(over: str) -> tuple[str, float, float]:
    """Key path and bounds of "path.to.key=low:high"."""
    key, equals, span = over.partition("=")
    low, colon, high = span.partition(":")
    try:
        if not (equals and colon and key.strip()):
            raise ValueError
        ends = float(low), float(high)
    except ValueError:
        raise InputError(f"--over needs path.to.key=low:high, got {shown(over)}") from None
    if not (math.isfinite(ends[0]) and math.isfinite(ends[1]) and ends[0] < ends[1]):
        raise InputError(f"the interval must be low < high, got {over.strip()[:100]}")
    return key.strip(), *ends


def variables_of(over: Sequence[str], build: Callable[[Mapping[str, Any]], Setup]) -> list[Varied]:
    """The variables of a search; each alone must be acceptable at both its bounds, before anything runs."""
    if not over:
        raise InputError("a search needs at least one --over path.to.key=low:high")
    if len(over) > MOST_VARIABLES:
        raise InputError(f"a search has at most {MOST_VARIABLES} variables, got {len(over)}")
    found: list[Varied] = []
    for text in over:
        key, low, high = interval(text)
        if any(_bare(key) == _bare(other.key) for other in found):
            raise InputError(f"--over {key} is given twice")
        found.append(_variable(key, low, high, build))
    return found


def _bare(key: str) -> str:
    return key.removesuffix("_deg")


def _variable(key: str, low: float, high: float, build: Callable[[Mapping[str, Any]], Setup]) -> Varied:
    """A variable, whole if its declaration says so; its ends must be acceptable."""
    whole = low == math.floor(low) and high == math.floor(high)
    try:
        setup = build({key: low})
    except InputError:
        if not whole:
            raise
        setup = build({key: int(low)})  # a whole number, or what is wrong with it in its own words
    quantity = declaration_at(setup, key)
    is_whole = isinstance(quantity, Whole)
    if is_whole and not whole:
        raise InputError(f"{key} is a whole number: give whole bounds, got {low:g}:{high:g}")
    if quantity is not None and not isinstance(quantity, Number):
        raise InputError(f"{key} is not one number: it must be {quantity.allowed}")
    build({key: int(high) if is_whole else high})
    unit = "deg" if key.endswith("_deg") else quantity.unit if quantity is not None else ""
    return Varied(key, low, high, is_whole, unit, quantity.meaning if quantity is not None else "")


def _element(item: Any, name: str, number: int) -> float | None:
    """A number of a list that is a field of a description; None where there is none."""
    values = getattr(item, name, None)
    if values is None or isinstance(values, str) or not hasattr(values, "__len__") or number >= len(values):
        return None
    value = values[number]
    return float(value) if isinstance(value, int | float) else None


def own_place(setup: Setup, variables: Sequence[Varied]) -> Place | None:
    """Where the scenario itself lies; None if it has no such number or one beyond the bounds."""
    found: list[float] = []
    for v in variables:
        *before, name = steps_of(v.key)
        if name.isdecimal():
            value = _element(part_at(setup, ".".join(before)), before[-1], int(name))
            if value is None or not v.low <= value <= v.high:
                return None
            found.append(value)
            continue
        item = part_at(setup, v.key)
        value = getattr(item, name, None) if hasattr(item, name) else getattr(item, _bare(name), None)
        if isinstance(value, bool) or not isinstance(value, int | float):
            return None
        value = math.degrees(value) if name.endswith("_deg") and not hasattr(item, name) else value
        if not v.low <= value <= v.high:
            return None
        found.append(int(value) if v.whole else float(value))
    return tuple(found)
