"""Over what a result is differentiated: numbers of a description by their keys, and the description with one of them changed.

A key is that of scenario files: "world.friction.across", "robot.link_mass", "gait.winding_angle" ("_deg" at its end: in degrees). One number
stands for all links where all have the same; a list has a derivative for each of its numbers. What of parts or lists is counted: "gait.parts.0.waves", "robot.link_mass[3]".
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any

import numpy as np

from serpenoid.core import FloatArray
from serpenoid.core.declare import quantity_of
from serpenoid.core.errors import InputError
from serpenoid.core.quantities import Quantity, Whole, shown
from serpenoid.formats.scenario import steps_of
from serpenoid.simulation.setup import Setup
from serpenoid.spelling import near

TABLES = ("robot", "gait", "world", "start")
Place = tuple[int, ...]  # index of one of several numbers; () of a single one
NEAR = 3e-4  # of a number: distance of the differences
_SMALL = 1e-2  # in its unit (rad for angles): a smaller one that may have any sign counts as 1


@dataclass(frozen=True)
class Parameter:
    """A number, or several, of a description."""

    key: str
    value: FloatArray  # of no dimension: one number
    unit: str
    meaning: str
    positive: bool = False  # it cannot be negative

    @property
    def in_degrees(self) -> bool:
        """Whether the key is in degrees."""
        return self.key.endswith("_deg")

    def places(self) -> Iterator[Place]:
        """Indices of its numbers."""
        return np.ndindex(self.value.shape)

    def moved(self, setup: Setup, change: float, place: Place | None = None) -> Setup:
        """The description with one of its numbers changed by so much; without a place all of them, by a share."""
        value = np.array(self.value * (1.0 + change) if place is None else self.value)
        if place is not None:
            value[place] += change
        return with_value(setup, self.key, value)


def with_value(setup: Setup, key: str, value: FloatArray) -> Setup:
    """The description with another value at a key; refused by its own words where that is not allowed."""
    table, *path = _path(key)
    given = (np.radians(value) if key.endswith("_deg") else value).tolist()
    if table == "gait":
        return replace(setup, command=_put(setup.command, path, given))
    if table == "robot":
        return replace(setup, robot=_put(setup.robot, path, given))
    if table == "world":
        return replace(setup, world=_put(setup.world, path, given))
    return replace(setup, start=_put(setup.start, path, given))


def _put(item: Any, path: list[str], value: Any) -> Any:
    """A part of a description with another value at a path of fields and counted parts."""
    if not path:
        return value
    name, *rest = path
    if isinstance(item, np.ndarray):
        return [_put(one, rest, value) if k == int(name) else one for k, one in enumerate(item.tolist())]
    if isinstance(item, tuple):
        return tuple(_put(one, rest, value) if k == int(name) else one for k, one in enumerate(item))
    return item.but(**{name: _put(getattr(item, name), rest, value)})


def _path(key: str) -> list[str]:
    """The steps of a key; one of an angle in degrees leads to the angle."""
    return steps_of(key.removesuffix("_deg"))


def _declared(setup: Setup, key: str) -> Quantity | None:
    """Declaration of the number of a key, those of counted parts too."""
    table, *path = _path(key)
    item: Any = {"robot": setup.robot, "gait": setup.command, "world": setup.world, "start": setup.start}[table]
    found: Quantity | None = None
    for name in path:
        if name.isdecimal() and isinstance(item, tuple | np.ndarray):
            item = item[int(name)]
        elif is_dataclass(item):
            found = next((quantity_of(f) for f in fields(item) if f.name == name), None)
            item = getattr(item, name, None)
    return found


def _table_at(keys: dict[str, Any], key: str) -> tuple[Any, Any]:
    """The table in which the number of a key stands, and its name (or index) there."""
    item: Any = keys
    parts = _path(key)
    for depth, part in enumerate(parts):
        inside: dict[Any, Any] = (
            dict(enumerate(item)) if isinstance(item, list) else item if isinstance(item, dict) else {}
        )
        name: Any = int(part) if isinstance(item, list) and part.isdecimal() else part
        if name not in inside:
            known = [str(k) for k in inside]
            raise InputError(
                f"over {key}: this description has no {'.'.join(parts[: depth + 1])}"
                + (near(part, known) or (f"; given there are {', '.join(known)}" if known else "; it is one value"))
                + _unsaid(part)
            )
        if depth == len(parts) - 1:
            return item, name
        item = inside[name]
    raise InputError(f"over {shown(key)}: this is no key")


def _unsaid(name: str) -> str:
    """What a number that is not given follows."""
    if name == "smoothing":
        return "; where the law gives no smoothing it follows the motion, and its derivative is in all the others: give world.friction.smoothing to differentiate by it"
    return "; backward follows along where it is not given" if name == "backward" else ""


def parameter_of(setup: Setup, key: str) -> Parameter:
    """The number, or numbers, of a key."""
    if not isinstance(key, str) or key.split(".")[0] not in TABLES:
        raise InputError(
            f"over needs keys of {', '.join(TABLES)}, as world.friction.across, got {shown(key)}; what is of the calculation (run) is no parameter"
        )
    table, last = _table_at(setup.keys(), key)
    quantity = _declared(setup, key)
    value = table[last]
    try:
        array = np.array(value, dtype=float)
    except (TypeError, ValueError):
        array = np.array(math.nan)
    if isinstance(value, bool | str) or array.size == 0 or not np.isfinite(array).all() or isinstance(quantity, Whole):
        raise InputError(f"over {key} must be a number that can change a little, and this is {shown(value)}")
    item = getattr(quantity, "item", quantity)
    unit = getattr(quantity, "unit", "") or getattr(item, "unit", "")
    if getattr(item, "angle", False):
        unit = unit or "rad"
    degrees = key.endswith("_deg")
    return Parameter(
        key, np.asarray(np.degrees(array)) if degrees else array, "deg" if degrees else unit, getattr(quantity, "meaning", ""),
        max(getattr(item, "low", -math.inf), getattr(item, "above", -math.inf)) >= 0.0,
    )  # fmt: skip


def near_of(parameter: Parameter, place: Place) -> float:
    """How far from a number the differences are taken: a share of it, or of 1 where it may have any sign and is small."""
    size, degrees = abs(float(parameter.value[place])), math.degrees(1.0) if parameter.in_degrees else 1.0
    if size >= _SMALL * degrees or (parameter.positive and size > 0.0):
        return NEAR * size
    return NEAR * degrees
