"""What a gradient says: derivatives with units, relative sensitivities, the certificate, and flags; as a mapping, in words, as plain numbers."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from serpenoid.core import FloatArray
from serpenoid.core.door import door
from serpenoid.core.errors import InputError
from serpenoid.core.quantities import shown
from serpenoid.spelling import near


@dataclass(frozen=True)
class Secant:
    """What runs at more and at less of a parameter say: slopes to either side over `delta` of it, per unit of the parameter."""

    delta: float  # share of the parameter
    below: float
    above: float
    agrees: bool  # both within TOLERATED of the gradient

    @property
    def mean(self) -> float:
        """The slope from below to above."""
        return 0.5 * (self.below + self.above)


@dataclass(frozen=True, eq=False)
class Slope:
    """The derivative of a result by one parameter, or by each of several numbers."""

    key: str
    derivative: FloatArray  # of the shape of the parameter
    value: FloatArray  # of the parameter
    unit: str  # of the derivative
    relative: (
        float | None
    )  # change of the result in % for 1 % more of the parameter (of all its numbers); None where one of both is 0
    one_sided: bool = False  # the parameter lies at its bound
    secant: Secant | None = None

    @property
    def along(self) -> float:
        """Change of the result for a change of the parameter, of all its numbers by the same share, per share; of a single 0 per unit."""
        return float((self.derivative * self.value).sum())


@dataclass(frozen=True, eq=False)
class Gradient(Mapping[str, Any]):
    """Derivatives of one result: `g["world.friction.across"]`, in SI units (of a key in degrees: per degree)."""

    of: str
    unit: str
    value: float  # of the run made again, solved far enough
    before: float | None  # of the run that was given
    slopes: Mapping[str, Slope]
    flags: tuple[str, ...] = ()

    def __getitem__(self, key: str) -> float | FloatArray:
        if not isinstance(key, str) or key not in self.slopes:
            raise InputError(
                f"no derivative by {shown(key)} here{near(str(key), list(self.slopes))}; there are {', '.join(self.slopes)}"
            )
        found = self.slopes[key].derivative
        return float(found) if found.ndim == 0 else found

    def __contains__(self, key: object) -> bool:
        return isinstance(key, str) and key in self.slopes

    def __iter__(self) -> Iterator[str]:
        return iter(self.slopes)

    def __len__(self) -> int:
        return len(self.slopes)

    def plain(self) -> dict[str, Any]:
        """The same as numbers, texts, lists and tables."""
        return {
            "of": self.of, "unit": self.unit, "value": self.value, "value_of_the_run": self.before, "flags": list(self.flags),
            "over": [_plain(slope) for slope in self.slopes.values()],
        }  # fmt: skip

    def __str__(self) -> str:
        beside = "" if self.before is None else f" (the run itself: {_number(self.before)})"
        lines = [f"{self.of} = {_number(self.value)} {_bare(self.unit)}".rstrip() + beside]
        wide = max(len(key) for key in self.slopes)
        for slope in self.slopes.values():
            lines.append(f"  {slope.key:{wide}s}  {_said(slope)}")
        return "\n".join([*lines, *(f"  flag: {flag}" for flag in self.flags)])

    @door
    def summary(self) -> str:
        """The derivatives in words, a line each."""
        return str(self)


@dataclass(frozen=True, eq=False)
class Gradients(Mapping[str, Gradient]):
    """The gradients of several results of one run."""

    each: Mapping[str, Gradient]

    def __getitem__(self, name: str) -> Gradient:
        if not isinstance(name, str) or name not in self.each:
            raise InputError(
                f"no gradient of {shown(name)} here{near(str(name), list(self.each))}; there are {', '.join(self.each)}"
            )
        return self.each[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.each)

    def __len__(self) -> int:
        return len(self.each)

    def __str__(self) -> str:
        return "\n".join(str(one) for one in self.each.values())


def _number(value: float) -> str:
    return f"{value:.6g}"


def _bare(unit: str) -> str:
    return "" if unit == "-" else unit


def _said(slope: Slope) -> str:
    """A derivative in words."""
    found = slope.derivative
    text = f"{_number(float(found)) if found.ndim == 0 else _few(found)} {_bare(slope.unit)}".rstrip()
    if slope.relative is not None:
        text += f"; 1 % more: {slope.relative:+.3g} %"
    if slope.one_sided:
        text += "; to one side, at its bound"
    if slope.secant is not None:
        text += f"; over {slope.secant.delta:.3g}: {slope.secant.below:.4g} below, {slope.secant.above:.4g} above" + (
            "" if slope.secant.agrees else " (NOT within 5 %)"
        )
    return text


def _few(values: FloatArray) -> str:
    """An array by its size and range."""
    return f"{values.size} numbers from {values.min():.4g} to {values.max():.4g}"


def _plain(slope: Slope) -> dict[str, Any]:
    secant = slope.secant
    return {
        "key": slope.key, "value": slope.value.tolist(), "derivative": slope.derivative.tolist(), "unit": slope.unit, "relative": slope.relative,
        "one_sided": slope.one_sided,
        "secant": None if secant is None else {"delta": secant.delta, "below": secant.below, "above": secant.above, "agrees": secant.agrees},
    }  # fmt: skip


def relative_of(derivative: FloatArray, value: FloatArray, result: float) -> float | None:
    """Change of the result in % for 1 % more of a parameter; None where one of both is zero."""
    if result == 0.0 or not np.any(value) or not math.isfinite(result):
        return None
    return float((derivative * value).sum() / result)


def unit_of(result: str, parameter: str) -> str:
    """Unit of a derivative."""
    top, bottom = _bare(result), _bare(parameter)
    if not bottom:
        return top or "-"
    below = f"({bottom})" if " " in bottom or "/" in bottom or "^" in bottom else bottom
    return f"{top or '1'}/{below}" if "/" not in top else f"({top})/{below}"
