"""Quantities that hold several numbers: per link, vectors, points, arrays (see `quantities`).

| quantity | kept as | plain form |
|---|---|---|
| `Numbers` | array with one number per link or joint, read only | number where all are equal, else list |
| `Vector` | tuple of so many numbers | list |
| `Points` | tuple of points | list of lists |
| `Array` | array of one or two dimensions, read only | list (of lists) |
| `Joints` | tuple of int | list |
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from serpenoid.core.quantities import Number, Quantity, Say, shown


@dataclass(frozen=True)
class Numbers(Quantity):
    """One number, or a list with one for each link ("links") or joint ("joints"); kept as an array with one for each.

    Without `per`, one number or any list of numbers, kept as a float or a tuple.
    """

    item: Number = Number()  # noqa: RUF009
    per: str = ""

    @property
    def angle(self) -> bool:  # type: ignore[override]
        """Whether the numbers are angles."""
        return self.item.angle

    @property
    def allowed(self) -> str:
        """What is allowed."""
        return f"{self.item.allowed}, one number or one per {self.per.removesuffix('s') or 'link'}"

    def count(self, before: Mapping[str, Any]) -> int | None:
        """How many there must be; None if that is not known."""
        links = before.get("links")
        return None if not self.per or links is None else links - (self.per == "joints")

    def take(self, value: Any, path: str, say: Say, before: Mapping[str, Any]) -> Any:
        """A read-only array (or a float or tuple)."""
        return self._several(self.item.take, value, path, say, before)

    def take_degrees(self, value: Any, path: str, say: Say, before: Mapping[str, Any]) -> Any:
        """The same from degrees."""
        return self._several(self.item.take_degrees, value, path, say, before)

    def _several(self, take: Any, value: Any, path: str, say: Say, before: Mapping[str, Any]) -> Any:
        """Take one number or each of a list."""
        if isinstance(value, np.ndarray) and value.ndim == 0:
            value = value.item()
        if isinstance(value, str) and value in self.item.words:
            return value
        several = isinstance(value, list | tuple | np.ndarray) and not np.ma.isMaskedArray(value)
        count = self.count(before)
        if several and (np.ndim(value) != 1 if isinstance(value, np.ndarray) else False):
            say(path, f"must be {self.allowed}, got an array of shape {np.shape(value)}")
            return None
        if several and count is not None and len(value) != count:
            say(path, f"has {len(value)} values; give one number or one for each of the {count} {self.per}")
            return None
        wrong: list[str] = []
        if several and any(isinstance(x, str) and x in self.item.words for x in value):
            say(path, f"must be {self.allowed}; a word stands alone, not in a list; got {shown(value)}")
            return None
        taken = [take(x, path, lambda _, what: wrong.append(what), before) for x in (value if several else [value])]
        if wrong or not taken:
            say(path, wrong[0] if wrong else f"must be {self.allowed}, got {shown(value)}")
            return None
        if not self.per:
            return tuple(taken) if several else taken[0]
        array = np.array(taken) if several else np.full(count or 1, taken[0])
        array.flags.writeable = False
        return array

    def plain(self, value: Any) -> Any:
        """A number where all are equal, else a list."""
        if not isinstance(value, tuple | np.ndarray):
            return self.item.plain(value)
        items = [self.item.plain(float(x)) for x in value]
        return items[0] if isinstance(value, np.ndarray) and all(x == items[0] for x in items) else items

    def schema(self) -> dict[str, Any]:
        """A number or a list."""
        item = self.item.schema()
        return {"anyOf": [item, {"type": "array", "items": item, "minItems": 1}]}


@dataclass(frozen=True)
class Vector(Quantity):
    """So many numbers, kept as a tuple."""

    size: int = 2
    item: Number = Number(low=-1e6, high=1e6)  # noqa: RUF009

    @property
    def allowed(self) -> str:
        """What is allowed."""
        words = {2: "two", 3: "three", 4: "four"}
        return f"{words.get(self.size, self.size)} numbers, each {self.item.allowed}"

    def take(self, value: Any, path: str, say: Say, before: Mapping[str, Any]) -> Any:
        """A tuple of floats."""
        if not isinstance(value, list | tuple | np.ndarray) or len(np.shape(value) if isinstance(value, np.ndarray) else [0]) != 1 or len(value) != self.size:  # fmt: skip
            say(path, f"must be {self.allowed}, got {shown(value)}")
            return None
        wrong: list[str] = []
        taken = tuple(self.item.take(x, path, lambda _, what: wrong.append(what), before) for x in value)
        if wrong:
            say(path, f"must be {self.allowed}, got {shown(value)}")
            return None
        return taken

    def plain(self, value: Any) -> Any:
        """A list."""
        return list(value)

    def schema(self) -> dict[str, Any]:
        """A list of so many numbers."""
        return {"type": "array", "items": self.item.schema(), "minItems": self.size, "maxItems": self.size}


@dataclass(frozen=True)
class Points(Quantity):
    """At least so many points, kept as a tuple of tuples."""

    least: int = 1
    item: Vector = Vector()

    @property
    def allowed(self) -> str:
        """What is allowed."""
        return f"at least {self.least} points of {self.item.allowed}"

    def take(self, value: Any, path: str, say: Say, before: Mapping[str, Any]) -> Any:
        """A tuple of tuples."""
        if (
            not isinstance(value, list | tuple | np.ndarray)
            or getattr(value, "ndim", 1) == 0
            or len(value) < self.least
        ):
            say(path, f"must be {self.allowed}, got {shown(value)}")
            return None
        return tuple(self.item.take(x, f"{path}[{k}]", say, before) for k, x in enumerate(value))

    def plain(self, value: Any) -> Any:
        """A list of lists."""
        return [list(x) for x in value]

    def schema(self) -> dict[str, Any]:
        """A list of points."""
        return {"type": "array", "items": self.item.schema(), "minItems": self.least}


@dataclass(frozen=True)
class Array(Quantity):
    """Finite numbers in one or two dimensions, each at least `least` long; kept as a read-only array."""

    ndim: int = 1
    least: int = 1

    @property
    def allowed(self) -> str:
        """What is allowed."""
        size = " x ".join([str(self.least)] * self.ndim)
        return f"at least {size} finite numbers" + (", every row as long" if self.ndim == 2 else "")

    def take(self, value: Any, path: str, say: Say, before: Mapping[str, Any]) -> Any:
        """A read-only array."""
        try:
            array = np.array(value)
            numbers = array.dtype.kind in "iuf" and not np.ma.isMaskedArray(value)
            array = array.astype(float) if numbers else array
        except (TypeError, ValueError, OverflowError):
            numbers = False
        if not numbers or array.ndim != self.ndim or min(array.shape) < self.least or not np.isfinite(array).all():
            say(path, f"must be {self.allowed}, got {shown(value) if not numbers else _described(array)}")
            return None
        array.flags.writeable = False
        return array

    def plain(self, value: Any) -> Any:
        """A list of lists."""
        return np.asarray(value).tolist()

    def schema(self) -> dict[str, Any]:
        """A list, or a list of lists."""
        row: dict[str, Any] = {"type": "array", "items": {"type": "number"}, "minItems": self.least}
        return row if self.ndim == 1 else {"type": "array", "items": row, "minItems": self.least}


def _described(array: np.ndarray) -> str:
    """An array in a message."""
    return f"shape {array.shape}" + ("" if np.isfinite(array).all() else " with values that are not finite")


@dataclass(frozen=True)
class Joints(Quantity):
    """Numbers of joints, counted from 1 at the tail; kept as a tuple of int."""

    @property
    def allowed(self) -> str:
        """What is allowed."""
        return "a list of joints, counted from 1 at the tail"

    def take(self, value: Any, path: str, say: Say, before: Mapping[str, Any]) -> Any:
        """A tuple of int."""
        if not isinstance(value, list | tuple | np.ndarray):
            say(path, f"must be {self.allowed}, got {shown(value)}")
            return None
        last = (before.get("links") or math.inf) - 1
        for joint in value:
            if not isinstance(joint, int | np.integer) or isinstance(joint, bool) or not 1 <= joint <= last:
                say(path, f"must name joints from 1 to {last:g}, got {shown(joint)}")
                return None
        return tuple(int(joint) for joint in value)

    def plain(self, value: Any) -> Any:
        """A list."""
        return list(value)

    def schema(self) -> dict[str, Any]:
        """A list of whole numbers."""
        return {"type": "array", "items": {"type": "integer", "minimum": 1}}
