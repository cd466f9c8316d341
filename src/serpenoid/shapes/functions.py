"""Functions of arc length and time, with their derivative and integral: what shapes are made of.

`Constant`, `Steps` (piecewise constant), `Sine`, `Samples` (cubic spline) and `Given` (any Python function) can be added, subtracted and
multiplied by numbers. Each is called with an array of s (m) and a time t (s), knows df/ds and the integral from 0, and says where it
breaks (jumps in value), so that integration can stop there. Values are checked: NaN and infinity are refused with the place.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from serpenoid.core import FloatArray, per_item
from serpenoid.core.door import FiniteNumbers, door
from serpenoid.core.errors import InputError
from serpenoid.core.theirs import theirs

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(12)
_PANEL = 0.05  # m: panels of numerical integrals are at most this long, and at least 16
_DIFFERENCES = 4e-3 * 0.125 ** np.arange(9)  # m: steps tried for functions without a derivative


class Function:
    """A function f(s, t); subclasses define `value`, and `slope` and `area` where these are known exactly."""

    breaks: tuple[float, ...] = ()

    def value(self, s: FloatArray, t: float) -> FloatArray:
        """Values at s."""
        raise NotImplementedError

    def slope(self, s: FloatArray, t: float) -> FloatArray:
        """Derivative df/ds at s, by differences of the most trustworthy of several steps unless a subclass knows better."""
        with np.errstate(all="ignore"):
            found = np.stack([_difference(self, np.asarray(s, dtype=float), t, h) for h in _DIFFERENCES])
            change = np.abs(np.diff(found, axis=0))
        change[~np.isfinite(change)] = np.inf
        best = np.argmin(change, axis=0)[None] + 1
        return np.take_along_axis(found, best, axis=0)[0]

    def area(self, s: FloatArray, t: float) -> FloatArray:
        """Integral from 0 to s, by Gauss quadrature on panels unless a subclass knows better."""
        return quadrature(self, s, t)

    def __call__(self, s: ArrayLike, t: float = 0.0) -> FloatArray:
        """Values at s, checked to be finite."""
        place = np.asarray(s, dtype=float)
        with np.errstate(all="ignore"):
            result = np.broadcast_to(np.asarray(self.value(place, t), dtype=float), place.shape)
        if not np.isfinite(result).all():
            where = np.atleast_1d(place)[~np.isfinite(np.atleast_1d(result))][0]
            raise InputError(f"a shape function is not finite at s = {where:.6g} m")
        return result

    @property
    def zero(self) -> bool:
        """Whether the function is zero by construction."""
        return False

    def __add__(self, other: Function | float) -> Function:
        return Sum(self, function(other))

    def __radd__(self, other: float) -> Function:
        return Sum(function(other), self)

    def __neg__(self) -> Function:
        return Scaled(self, -1.0)

    def __sub__(self, other: Function | float) -> Function:
        return Sum(self, -function(other))

    def __rsub__(self, other: float) -> Function:
        return Sum(function(other), -self)

    def __mul__(self, factor: float) -> Function:
        return Scaled(self, float(factor))

    __rmul__ = __mul__


def _difference(f: Function, s: FloatArray, t: float, h: float) -> FloatArray:
    """Fourth-order central difference."""
    near, far = f.value(s + h, t) - f.value(s - h, t), f.value(s + 2 * h, t) - f.value(s - 2 * h, t)
    return (8.0 * near - far) / (12.0 * h)


def function(thing: Any) -> Function:
    """A Function from a Function, a number or a Python function of s (or of s and t)."""
    if isinstance(thing, Function):
        return thing
    if callable(thing):
        return Given(thing)
    return Constant(float(per_item("shape function", thing, 1, -np.inf)[0]))


def quadrature(f: Function, s: FloatArray, t: float) -> FloatArray:
    """Integral of f from 0 to each s: panels that end at the breaks, 12 Gauss points each."""
    place = np.ravel(s)
    low, high = min(0.0, float(place.min())), max(0.0, float(place.max()))
    if low == high:
        return np.zeros_like(s)
    count = int(np.clip(np.ceil((high - low) / _PANEL), 16, 4000))
    inner = [0.0, *(x for x in f.breaks if low < x < high)]
    edges = np.unique(np.concatenate([np.linspace(low, high, count + 1), inner]))
    whole = _panels(f, edges[:-1], edges[1:], t)
    table = np.concatenate([[0.0], np.cumsum(whole)])
    table -= table[int(np.searchsorted(edges, 0.0))]
    k = np.clip(np.searchsorted(edges, place, side="right") - 1, 0, edges.size - 2)
    return (table[k] + _panels(f, edges[k], place, t)).reshape(np.shape(s))


def _panels(f: Function, a: FloatArray, b: FloatArray, t: float) -> FloatArray:
    half = 0.5 * (b - a)
    points = (0.5 * (a + b))[:, None] + half[:, None] * _NODES
    return half * (f(points.ravel(), t).reshape(points.shape) @ _WEIGHTS)


@door
@dataclass(frozen=True)
class Constant(Function):
    """The same value everywhere."""

    level: float

    def __post_init__(self) -> None:
        per_item("constant", self.level, 1, -np.inf)

    def value(self, s: FloatArray, t: float) -> FloatArray:
        """The level."""
        return np.full(np.shape(s), self.level)

    def slope(self, s: FloatArray, t: float) -> FloatArray:
        """Zero."""
        return np.zeros(np.shape(s))

    def area(self, s: FloatArray, t: float) -> FloatArray:
        """Level times s."""
        return self.level * s

    @property
    def zero(self) -> bool:
        """Whether the level is zero."""
        return self.level == 0.0


class Steps(Function):
    """Piecewise constant: values[k] from edges[k] on; the first also before edges[0]. One value more than inner edges."""

    @door(edges=FiniteNumbers(empty=True))
    def __init__(self, edges: ArrayLike, values: ArrayLike) -> None:
        self.edges, self.levels = np.asarray(edges, dtype=float), np.asarray(values, dtype=float)
        if self.edges.ndim != 1 or self.levels.shape != (self.edges.size + 1,):
            raise InputError(
                f"steps need one value more than edges, got {self.edges.size} edges and {self.levels.size} values"
            )
        if not (np.isfinite(self.edges).all() and np.isfinite(self.levels).all()) or np.any(np.diff(self.edges) <= 0.0):
            raise InputError("the edges of steps must be finite and rise")
        self.breaks = tuple(self.edges.tolist())

    def value(self, s: FloatArray, t: float) -> FloatArray:
        """Value of the piece that holds s."""
        return self.levels[np.searchsorted(self.edges, s, side="right")]

    def slope(self, s: FloatArray, t: float) -> FloatArray:
        """Zero: the jumps are in `breaks`."""
        return np.zeros(np.shape(s))

    @property
    def zero(self) -> bool:
        """Whether all pieces are zero."""
        return not self.levels.any()


@door
@dataclass(frozen=True)
class Sine(Function):
    """amplitude * sin(wave_number s + frequency t + phase): rad/m, rad/s, rad."""

    amplitude: float
    wave_number: float
    phase: float = 0.0
    frequency: float = 0.0

    def __post_init__(self) -> None:
        for name, number in vars(self).items():
            per_item(f"sine {name}", number, 1, -np.inf)

    def _angle(self, s: FloatArray, t: float) -> FloatArray:
        return self.wave_number * s + self.frequency * t + self.phase

    def value(self, s: FloatArray, t: float) -> FloatArray:
        """The sine."""
        return self.amplitude * np.sin(self._angle(s, t))

    def slope(self, s: FloatArray, t: float) -> FloatArray:
        """The cosine."""
        return self.amplitude * self.wave_number * np.cos(self._angle(s, t))

    def area(self, s: FloatArray, t: float) -> FloatArray:
        """Integral from 0; also for wave number 0."""
        if self.wave_number == 0.0:
            return self.value(s, t) * s
        half = 0.5 * self.wave_number * s
        return self.amplitude * s * np.sinc(half / np.pi) * np.sin(half + self.frequency * t + self.phase)

    @property
    def zero(self) -> bool:
        """Whether the amplitude is zero."""
        return self.amplitude == 0.0


class Samples(Function):
    """Values at given s, joined by a cubic spline; held at the ends beyond them."""

    @door
    def __init__(self, s: ArrayLike, values: ArrayLike) -> None:
        from scipy.interpolate import CubicSpline

        place, level = np.asarray(s, dtype=float), np.asarray(values, dtype=float)
        if place.ndim != 1 or place.shape != level.shape or place.size < 4:
            raise InputError(f"samples need at least 4 places and as many values, got {place.shape} and {level.shape}")
        if not (np.isfinite(place).all() and np.isfinite(level).all()):
            raise InputError("samples must be finite")
        if np.any(np.diff(place) <= 0.0):
            raise InputError(f"the places of samples must rise; s = {place[1:][np.diff(place) <= 0.0][0]:g} m does not")
        self.low, self.high = float(place[0]), float(place[-1])
        self.breaks = (self.low, self.high)  # the value is held beyond them
        self._spline = CubicSpline(place, level)
        self._slope, self._area = self._spline.derivative(), self._spline.antiderivative()

    def value(self, s: FloatArray, t: float) -> FloatArray:
        """The spline."""
        result: FloatArray = self._spline(np.clip(s, self.low, self.high))
        return result

    def slope(self, s: FloatArray, t: float) -> FloatArray:
        """The spline's derivative, zero beyond its ends."""
        inside = (s >= self.low) & (s <= self.high)
        result: FloatArray = np.where(inside, self._slope(np.clip(s, self.low, self.high)), 0.0)
        return result

    def area(self, s: FloatArray, t: float) -> FloatArray:
        """The spline's integral from 0."""
        return self._from_low(np.asarray(s)) - self._from_low(np.asarray(0.0))

    def _from_low(self, s: FloatArray) -> FloatArray:
        inside = np.clip(s, self.low, self.high)
        beyond = np.where(s < self.low, (s - self.low) * self._spline(self.low), 0.0)
        beyond = beyond + np.where(s > self.high, (s - self.high) * self._spline(self.high), 0.0)
        result: FloatArray = self._area(inside) + beyond
        return result


class Given(Function):
    """Any Python function of s, or of s and t, on arrays; with its derivative if known, and its breaks."""

    @door
    def __init__(
        self, f: Callable[..., Any], derivative: Callable[..., Any] | None = None, breaks: Sequence[float] = ()
    ) -> None:
        from inspect import signature

        self._f, self._derivative, self.breaks = f, derivative, tuple(breaks)
        try:
            known = signature(f).parameters
            self._timed = "t" in known or len([p for p in known.values() if p.default is p.empty]) > 1
        except (TypeError, ValueError):  # some built-in functions have no signature
            self._timed = False

    def value(self, s: FloatArray, t: float) -> FloatArray:
        """The function itself."""
        with theirs("a shape function, called with an array of s,", self._f):
            given = self._f(s, t) if self._timed else self._f(s)
        try:
            result = np.asarray(given)
            if np.iscomplexobj(result):
                raise TypeError("it gives complex numbers")
            return np.broadcast_to(result.astype(float), np.shape(s))
        except (TypeError, ValueError, ArithmeticError) as error:
            raise InputError(f"a shape function must take an array of s and give as many numbers: {error}") from error

    def slope(self, s: FloatArray, t: float) -> FloatArray:
        """The derivative given, else differences."""
        if self._derivative is None:
            return super().slope(s, t)
        with theirs("the derivative of a shape function", self._derivative):
            result: FloatArray = np.asarray(self._derivative(s, t) if self._timed else self._derivative(s), dtype=float)
        return np.broadcast_to(result, np.shape(s))


class Sum(Function):
    """Sum of functions."""

    def __init__(self, *parts: Function) -> None:
        self.parts = parts
        self.breaks = tuple(sorted({x for part in parts for x in part.breaks}))

    def value(self, s: FloatArray, t: float) -> FloatArray:
        """Sum of the values."""
        return np.sum([part.value(s, t) for part in self.parts], axis=0)

    def slope(self, s: FloatArray, t: float) -> FloatArray:
        """Sum of the derivatives."""
        return np.sum([part.slope(s, t) for part in self.parts], axis=0)

    def area(self, s: FloatArray, t: float) -> FloatArray:
        """Sum of the integrals."""
        return np.sum([part.area(s, t) for part in self.parts], axis=0)

    @property
    def zero(self) -> bool:
        """Whether all parts are zero."""
        return all(part.zero for part in self.parts)


class Scaled(Function):
    """A function times a number."""

    def __init__(self, part: Function, factor: float) -> None:
        self.part, self.factor, self.breaks = part, float(per_item("factor", factor, 1, -np.inf)[0]), part.breaks

    def value(self, s: FloatArray, t: float) -> FloatArray:
        """Factor times the value."""
        return self.factor * self.part.value(s, t)

    def slope(self, s: FloatArray, t: float) -> FloatArray:
        """Factor times the derivative."""
        return self.factor * self.part.slope(s, t)

    def area(self, s: FloatArray, t: float) -> FloatArray:
        """Factor times the integral."""
        return self.factor * self.part.area(s, t)

    @property
    def zero(self) -> bool:
        """Whether it is zero by construction."""
        return self.factor == 0.0 or self.part.zero


class Integral(Function):
    """start + the integral of a function from 0."""

    def __init__(self, part: Function, start: float = 0.0) -> None:
        self.part, self.start, self.breaks = part, float(start), part.breaks

    def value(self, s: FloatArray, t: float) -> FloatArray:
        """The integral."""
        return self.start + self.part.area(s, t)

    def slope(self, s: FloatArray, t: float) -> FloatArray:
        """The function integrated."""
        return self.part.value(s, t)


class Turned(Function):
    """One component of the curvatures (kappa_a, kappa_b) turned by phi: equation (29) of Yamada and Hirose.

    `which` "a": cos phi kappa_a + sin phi kappa_b; "b": -sin phi kappa_a + cos phi kappa_b.
    """

    def __init__(self, kappa_a: Function, kappa_b: Function, phi: Function, which: str) -> None:
        self.a, self.b, self.phi, self.which = kappa_a, kappa_b, phi, which
        self.breaks = tuple(sorted({*kappa_a.breaks, *kappa_b.breaks, *phi.breaks}))

    def _both(self, a: FloatArray, b: FloatArray, angle: FloatArray) -> FloatArray:
        c, s = np.cos(angle), np.sin(angle)
        return c * a + s * b if self.which == "a" else c * b - s * a

    def value(self, s: FloatArray, t: float) -> FloatArray:
        """The component."""
        return self._both(self.a.value(s, t), self.b.value(s, t), self.phi.value(s, t))

    def slope(self, s: FloatArray, t: float) -> FloatArray:
        """Product rule: the turned derivatives, and the other component times phi'."""
        angle, turn = self.phi.value(s, t), self.phi.slope(s, t)
        a, b = self.a.value(s, t), self.b.value(s, t)
        c, n = np.cos(angle), np.sin(angle)
        other = c * b - n * a if self.which == "a" else -(c * a + n * b)
        return self._both(self.a.slope(s, t), self.b.slope(s, t), angle) + turn * other

    @property
    def zero(self) -> bool:
        """Zero if both curvatures are."""
        return self.a.zero and self.b.zero
