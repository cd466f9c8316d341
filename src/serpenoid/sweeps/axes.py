"""Along what a sweep goes: an axis is a key of the description and the values it takes.

| text | values |
|---|---|
| `5:90:5` | from 5 to at most 90 in steps of 5, both ends included; whole numbers if start and step are whole |
| `0.1,0.2,0.5`, `coulomb,viscous`, `true,false` | the values of a list: numbers, texts, true and false |
| `[[5], [5, 10]]` | a list in TOML, for values that are lists themselves |
| `0:0.8` | any number between the two; for random and Sobol designs |

Steps are added in decimal numbers, so the third of 0:0.8:0.05 is 0.1 and not 0.10000000000000001.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np

from serpenoid.core.errors import InputError
from serpenoid.core.quantities import shown
from serpenoid.formats.scenario import DEEPEST, steps_of, toml_value
from serpenoid.spelling import near

MOST_LISTED = 100_000  # values of a list
_NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_SPAN = re.compile(rf"\s*({_NUMBER})\s*:\s*({_NUMBER})\s*(?::\s*({_NUMBER})\s*)?")
_WHOLE = re.compile(r"[+-]?\d+")


@dataclass(frozen=True)
class Axis:
    """A key and its values: `count` of them from `start` in steps of `step`, or a list, or all between `low` and `high`."""

    key: str
    listed: tuple[Any, ...] = ()
    start: str = ""  # decimal numbers as they were given
    step: str = ""
    count: int = 0
    low: float | None = None
    high: float | None = None

    @property
    def continuous(self) -> bool:
        """Whether it is a range of all numbers."""
        return self.low is not None

    def value(self, index: int) -> Any:
        """The value of that number."""
        if self.listed:
            return self.listed[index]
        found = Decimal(self.start) + index * Decimal(self.step)
        whole = _WHOLE.fullmatch(self.start) and _WHOLE.fullmatch(self.step)
        return int(found) if whole else float(found)

    @property
    def values(self) -> list[Any]:
        """All values."""
        return [self.value(k) for k in range(self.count)]

    def between(self, share: float) -> Any:
        """The value at a share of the way, from 0 to less than 1: of a range, or one of the values with equal chance."""
        if self.low is not None and self.high is not None:
            return self.low + (self.high - self.low) * share
        return self.value(min(int(share * self.count), self.count - 1))

    def samples(self, most: int) -> list[Any]:
        """Some of its values, the ends among them."""
        if self.continuous:
            return [self.low, self.high]
        return [self.value(int(k)) for k in np.unique(np.linspace(0, self.count - 1, min(self.count, most)).round())]

    def plain(self) -> dict[str, Any]:
        """As it stands in the plan of a store."""
        if self.continuous:
            return {"key": self.key, "low": self.low, "high": self.high}
        if self.listed:
            return {"key": self.key, "values": list(self.listed)}
        return {"key": self.key, "start": self.start, "step": self.step, "count": self.count}


def axis_from(data: Mapping[str, Any]) -> Axis:
    """The axis of a plan."""
    if "low" in data:
        return Axis(data["key"], low=data["low"], high=data["high"])
    if "values" in data:
        return Axis(data["key"], listed=tuple(data["values"]), count=len(data["values"]))
    return Axis(data["key"], start=data["start"], step=data["step"], count=data["count"])


def axes_of(over: Sequence[str] | Mapping[str, Any]) -> tuple[Axis, ...]:
    """The axes of texts such as "gait.waves=1:3:0.5", or of keys with their values (a text, a list, an array, a range)."""
    if isinstance(over, str) or not isinstance(over, Mapping | Sequence):
        raise InputError(
            f'over must be keys with their values, as {{"gait.waves": "1:3:1"}} or ["gait.waves=1:3:1"], got {shown(over)}'
        )
    pairs = list(over.items()) if isinstance(over, Mapping) else [_split(text) for text in over]
    axes = tuple(axis_of(key, values) for key, values in pairs)
    keys = [axis.key for axis in axes]
    bare = [key.removesuffix("_deg") for key in keys]
    for key in keys:
        if bare.count(key.removesuffix("_deg")) > 1:
            raise InputError(f"--over {key}: given twice; give each key one list of values")
    if not axes:
        raise InputError("a sweep needs at least one axis, such as --over gait.winding_angle_deg=5:90:5")
    return axes


def ties_of(given: Any, axes: Sequence[Axis]) -> tuple[tuple[str, str], ...]:
    """Keys that take the value of an axis, each with that axis, from {key: axis} or ["key=axis"]."""
    keys = [axis.key for axis in axes]
    if not isinstance(given, Mapping) and (isinstance(given, str) or not isinstance(given, Sequence)):
        raise InputError(f'ties must be {{key: axis}} or ["key=axis"], got {shown(given)}')
    pairs = list(given.items()) if isinstance(given, Mapping) else [str(text).partition("=")[::2] for text in given]
    found = [(str(key).strip(), str(axis).strip()) for key, axis in pairs]
    for key, axis in found:
        if axis not in keys:
            raise InputError(
                f"--tie {key}={axis}: {axis or 'nothing'} is no axis of this sweep{near(axis, keys)}; there are {', '.join(keys)}"
            )
        if not all(steps_of(key)) or key in keys or [one for one, _ in found].count(key) > 1:
            raise InputError(f"--tie {key}={axis}: {shown(key)} is given twice, or is no key")
    return tuple(found)


def _split(text: Any) -> tuple[str, str]:
    key, equals, values = str(text).partition("=")
    if not equals or not key.strip() or not values.strip():
        raise InputError(f"--over needs path.to.key=values, such as gait.winding_angle_deg=5:90:5, got {shown(text)}")
    return key.strip(), values.strip()


def axis_of(key: str, values: Any) -> Axis:
    """One axis from what a person gave for it."""
    if not isinstance(key, str) or not all(steps_of(key)) or len(steps_of(key)) > DEEPEST:
        raise InputError(f"--over needs the path of a key, such as gait.waves, got {shown(key)}")
    if isinstance(values, str):
        span = _SPAN.fullmatch(values)
        if span is not None:
            return _spanned(key, span[1], span[2], span[3])
        given: Any = toml_value(values) if values.lstrip().startswith("[") else None
        values = given if isinstance(given, list) else [toml_value(piece.strip()) for piece in values.split(",")]
    if isinstance(values, np.ndarray | range):
        values = np.asarray(values).tolist()
    if not isinstance(values, list | tuple):
        values = [values]
    listed = tuple(value.item() if isinstance(value, np.generic) else value for value in values)
    _check_listed(key, listed)
    return Axis(key, listed=listed, count=len(listed))


def _check_listed(key: str, listed: tuple[Any, ...]) -> None:
    if not 1 <= len(listed) <= MOST_LISTED:
        raise InputError(f"--over {key}: a list has 1 to {MOST_LISTED} values, got {len(listed)}")
    for value in listed:
        if isinstance(value, float) and not math.isfinite(value):
            raise InputError(f"--over {key}: values must be finite, got {value}")
        if value == "" or not isinstance(value, bool | int | float | str | list | dict):
            raise InputError(f"--over {key}: values are numbers, texts, true, false or lists, got {shown(value)}")
    seen = set()
    for value in listed:
        if _alike(value) in seen:
            raise InputError(f"--over {key}: the value {shown(value)} is given twice")
        seen.add(_alike(value))


def _alike(value: Any) -> Any:
    """The same for values that are equal: 1 and 1.0 are, 1 and true are not."""
    if isinstance(value, Mapping):
        return tuple(sorted((key, _alike(item)) for key, item in value.items()))
    if isinstance(value, list | tuple):
        return tuple(map(_alike, value))
    return (type(value).__name__ if isinstance(value, bool | str) else "number", value)


def _spanned(key: str, start: str, stop: str, step: str | None) -> Axis:
    """A range with or without steps."""
    low, high = Decimal(start), Decimal(stop)
    if not (math.isfinite(float(low)) and math.isfinite(float(high))):
        raise InputError(f"--over {key}={start}:{stop}: numbers must be finite")
    if high < low or (high == low and step is None):
        raise InputError(f"--over {key}={start}:{stop}: the first number must be the smaller one")
    if step is None:
        return Axis(key, low=float(low), high=float(high))
    if not Decimal(step) > 0:
        raise InputError(f"--over {key}={start}:{stop}:{step}: the step must be > 0, got {step}")
    ratio = (high - low) / Decimal(step)
    if ratio > Decimal(10) ** 18:
        raise InputError(f"--over {key}={start}:{stop}:{step}: about {ratio:.3g} values; use a longer step")
    return Axis(key, start=start, step=step, count=int(ratio) + 1)
