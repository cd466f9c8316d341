"""The judge of derivatives: the step of production itself, in plain Python, on dual numbers.

Run with NUMBA_DISABLE_JIT=1, so that kernels are plain functions. A dual number a + sum_k b_k e_k carries the exact derivatives b_k in several
directions. Three things would break it without a word, and are seen to: `frames.sincos1` rounds by adding and taking off a large number, which loses the
derivative of the angle, so it is replaced; `scratch.points` is the same array as `scratch.links` where each link has one contact, so copies
keep that; a dual refuses to become a float. While slopes are predicted ones, Newton's derivative converges only linearly, so the last passes are tangents.
"""

from __future__ import annotations

import math
import sys
import types

import numpy as np

LAST_PASSES = 3  # of Newton with tangents, once the values have converged


class Dual:
    """A number with its derivatives in some directions."""

    __slots__ = ("a", "b")
    __array_priority__ = 1000
    __hash__ = None

    def __init__(self, a, b):
        self.a, self.b = a, b

    def __add__(self, o):
        return Dual(self.a + o.a, self.b + o.b) if isinstance(o, Dual) else Dual(self.a + o, self.b)

    __radd__ = __add__

    def __sub__(self, o):
        return Dual(self.a - o.a, self.b - o.b) if isinstance(o, Dual) else Dual(self.a - o, self.b)

    def __rsub__(self, o):
        return Dual(o - self.a, -self.b)

    def __mul__(self, o):
        return Dual(self.a * o.a, self.a * o.b + o.a * self.b) if isinstance(o, Dual) else Dual(self.a * o, self.b * o)

    __rmul__ = __mul__

    def __truediv__(self, o):
        if isinstance(o, Dual):
            x = self.a / o.a
            return Dual(x, (self.b - x * o.b) / o.a)
        return Dual(self.a / o, self.b / o)

    def __rtruediv__(self, o):
        x = o / self.a
        return Dual(x, -x / self.a * self.b)

    def __neg__(self):
        return Dual(-self.a, -self.b)

    def __pow__(self, n):
        return Dual(self.a**n, n * self.a ** (n - 1) * self.b)

    def __abs__(self):
        return self if self.a >= 0 else -self

    def __lt__(self, o):
        return self.a < value(o)

    def __le__(self, o):
        return self.a <= value(o)

    def __gt__(self, o):
        return self.a > value(o)

    def __ge__(self, o):
        return self.a >= value(o)

    def __eq__(self, o):
        return self.a == value(o)

    def __ne__(self, o):
        return self.a != value(o)

    def __bool__(self):
        return self.a != 0

    def __int__(self):
        return int(self.a)

    def __float__(self):
        raise TypeError("a dual number would lose its derivative as a float")


def value(x):
    """The number without its derivatives."""
    return x.a if isinstance(x, Dual) else x


def slope(x, count):
    """The derivatives of a number."""
    return x.b if isinstance(x, Dual) else np.zeros(count)


def _function(own, rate):
    def made(x):
        return Dual(own(x.a), rate(x.a) * x.b) if isinstance(x, Dual) else own(x)

    return made


def _sqrt(x):
    if not isinstance(x, Dual):
        return math.sqrt(x)
    root = math.sqrt(x.a)
    return Dual(root, x.b / (2.0 * root) if root > 0.0 else 0.0 * x.b)


def _sincos1(x):
    if isinstance(x, Dual):
        c, s = math.cos(x.a), math.sin(x.a)
        return Dual(c, -s * x.b), Dual(s, c * x.b)
    return math.cos(x), math.sin(x)


def _sincos(rows, angle, cosine, sine):
    for i in range(rows.shape[1]):
        rows[cosine, i], rows[sine, i] = _sincos1(rows[angle, i])


def _mathematics():
    own = types.SimpleNamespace(**{name: getattr(math, name) for name in dir(math) if not name.startswith("_")})
    own.sqrt, own.isfinite = _sqrt, lambda x: math.isfinite(value(x))
    own.exp, own.cos = _function(math.exp, math.exp), _function(math.cos, lambda x: -math.sin(x))
    own.sin = _function(math.sin, math.cos)
    own.copysign = lambda a, b: math.copysign(value(a), value(b))
    own.floor = lambda x: math.floor(value(x))
    return own


def _last_passes(improve, shape_step):
    """The correction of Newton, which takes LAST_PASSES more by tangents once it has settled."""
    left = {"passes": LAST_PASSES}

    def made(*given):
        v, d, trial, by, verdict = improve(*given)
        if verdict == shape_step.SETTLED and left["passes"] > 0:
            left["passes"] -= 1
            return v, d, (np.inf, 1.0, np.inf), 0, shape_step.NEXT
        if verdict == shape_step.SETTLED:
            left["passes"] = LAST_PASSES
        return v, d, trial, by, verdict

    return made


def install():
    """Let the kernels of the plane calculate with dual numbers."""
    import serpenoid.planar.shape_step as shape_step

    own = _mathematics()
    replaced = {
        "borrowed": lambda array: array,
        "math": own,
        "inverse_root": lambda x: 1.0 / _sqrt(x),
        "sincos1": _sincos1,
    }
    replaced["sincos"] = _sincos
    shape_step.improve = _last_passes(shape_step.improve, shape_step)
    for name, module in list(sys.modules.items()):
        if name.startswith("serpenoid."):
            for attribute, new in replaced.items():
                if hasattr(module, attribute):
                    setattr(module, attribute, new)


def as_objects(group, directions, made):
    """Copy a group of arrays with their derivatives; `directions`: arrays (p, ...) by identity; arrays that are the same stay so."""
    if isinstance(group, np.ndarray):
        if id(group) not in made:
            copy = group.astype(object)
            rates = directions.get(id(group))
            if rates is not None:
                for place in np.ndindex(group.shape):
                    slopes = rates[(slice(None), *place)]
                    if slopes.any():
                        copy[place] = Dual(float(group[place]), slopes.copy())
            made[id(group)] = copy
        return made[id(group)]
    if isinstance(group, tuple):
        parts = [as_objects(part, directions, made) for part in group]
        return type(group)(*parts) if hasattr(group, "_fields") else tuple(parts)
    return group
