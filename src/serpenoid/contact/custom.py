"""A friction law of one's own: a compiled function of velocity and load.

    @numba.njit
    def stribeck(v_along, v_across, load, p):
        ...
        return f_along, f_across

    law = sp.contact.CustomLaw(function=stribeck, parameters=[0.6, 0.3])

The function gets the velocity of a contact along and across the edge (m/s), the normal force on it (N) and the parameters, and returns
the force on the robot (N). `along`, `backward` and `across`, of the law or of a patch, multiply the load that the function gets for that
component, so that a patch scales a law that is proportional to the load. It is compiled once a process, and our kernels call it by its
address: they are not compiled anew.

The implicit step needs slopes -df/dv. They are central differences over 6e-6 of the velocity, or of `resolution` (m/s) where that is
larger: the slope is exact to about 1e-10 if the law is smooth on that scale. A slope by which friction would grow weaker with the
velocity counts as zero: the step then converges more slowly, to the same force.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from types import FunctionType
from typing import Any, ClassVar

import numpy as np

from serpenoid.compiled import call_address, carray, njit
from serpenoid.compiled.kernel import has_numba
from serpenoid.compiled.own import code_of, inner
from serpenoid.contact.touch import FN, FT, KNN, KNT, KTN, KTT, SECANT, VN, VT
from serpenoid.core import DryFriction, FloatArray
from serpenoid.core.declare import declare, description
from serpenoid.core.errors import InputError
from serpenoid.core.functions import FunctionField
from serpenoid.core.quantities import Number, shown
from serpenoid.core.several import Array
from serpenoid.core.theirs import note_lost, theirs
from serpenoid.core.world import LAWS

DIFFERENCE = 6e-6  # of the velocity: cube root of the rounding error


@LAWS.register
@description(eq=False)
class CustomLaw(DryFriction):
    """Friction by a function of velocity and load; see the module."""

    along: float = declare(Number("multiplies the load along the edge, forward", low=0.0), default=1.0)
    across: float = declare(Number("multiplies the load across the edge", low=0.0), default=1.0)
    function: Any = declare(
        FunctionField("of velocity and load", of="(v_along, v_across, load, parameters)"), default=None
    )
    parameters: FloatArray = declare(Array("handed to the function", least=0), default=())
    resolution: float = declare(Number("speed on which the law is smooth", "m/s", above=0.0), default=1e-3)

    KIND: ClassVar[int] = 6
    NAME: ClassVar[str] = "custom"

    def check(self) -> None:
        """The function compiles."""
        if self.function is None:
            raise InputError("function is needed: (v_along, v_across, load, parameters) to the force along and across")
        law_code(self.function)

    def scalars(self) -> FloatArray:
        """Parameter row of the kernel: the function's address, the resolution, the parameters."""
        return np.array([float(law_code(self.function).address), self.resolution, *self.parameters])


def compiled(function: Callable[..., Any], what: str, example: tuple[Any, ...]) -> Any:
    """The function as Numba compiles it, itself where there is no Numba; refused in words where it does not compile for the example."""
    if not has_numba():
        return _callable(function, what, example)
    import numba
    from numba.core.dispatcher import Dispatcher

    if not isinstance(function, Dispatcher | FunctionType):
        raise InputError(f"{what} must be a function written in Python, which can be compiled, got {shown(function)}")
    made = function if isinstance(function, Dispatcher) else numba.njit(error_model="numpy")(function)
    try:
        made.compile(tuple(numba.typeof(value) for value in example))
    except (numba.core.errors.NumbaError, TypeError) as error:  # TypeError: another number of arguments
        reason = str(error).strip().splitlines()
        raise InputError(
            f"{what} {_name(function)} does not compile: {reason[-1] if reason else error}"[:400]
        ) from error
    return made


def _callable(function: Any, what: str, example: tuple[Any, ...]) -> Any:
    """The function itself, tried on the example."""
    if not callable(function):
        raise InputError(f"{what} must be a function, got {shown(function)}")
    with theirs(what, function):
        answer = function(*example)
    numbers = 2 if what == "the friction law" else 1
    if np.shape(answer) != ((2,) if numbers == 2 else ()) or not np.issubdtype(np.asarray(answer).dtype, np.number):
        wanted = "two numbers, the force along and across" if numbers == 2 else "one number, the angle"
        raise InputError(f"{what} {_name(function)} must give {wanted}, gave {shown(answer)}")
    return function


def _name(function: Any) -> str:
    return getattr(function, "__name__", type(function).__name__)


@functools.cache
def law_code(function: Callable[..., Any]) -> Any:
    """The function with its slopes, for all contacts, as code at an address that stays valid while the process lives."""
    made = compiled(function, "the friction law", (0.1, 0.2, 1.0, np.ones(1)))
    note_lost()

    @inner
    def force(v, w, limits, i, p):
        along = limits[0, i] if v >= 0.0 else limits[1, i]
        across = limits[2, i]
        f, g = made(v, w, along, p)
        if across != along:
            _, g = made(v, w, across, p)
        return f, g

    @code_of
    def law(secant, par, count, table, _rows, _columns, stride, out, rows, columns, step):
        scalars = carray(par, (count,))
        limits, touch = carray(table, (_rows, stride)), carray(out, (rows, step))
        p = scalars[2:]
        touch[FT, :], touch[FN, :] = math.nan, math.nan  # what stays where the function raises
        for i in range(columns):
            v, w = touch[VT, i], touch[VN, i]
            f, g = force(v, w, limits, i, p)
            a, b = DIFFERENCE * max(abs(v), scalars[1]), DIFFERENCE * max(abs(w), scalars[1])
            f1, g1 = force(v + a, w, limits, i, p)
            f0, g0 = force(v - a, w, limits, i, p)
            f3, g3 = force(v, w + b, limits, i, p)
            f2, g2 = force(v, w - b, limits, i, p)
            tt, nn = max(0.0, 0.5 * (f0 - f1) / a), max(0.0, 0.5 * (g2 - g3) / b)
            tn, nt = 0.5 * (f2 - f3) / b, 0.5 * (g0 - g1) / a
            if secant > 0.0:
                tt, tn = (max(0.0, -f / v), 0.0) if abs(v) > a else (tt, 0.0)
                nn, nt = (max(0.0, -g / w), 0.0) if abs(w) > b else (nn, 0.0)
            touch[FT, i], touch[FN, i] = f, g
            touch[KTT, i], touch[KNN, i], touch[KTN, i], touch[KNT, i] = tt, nn, tn, nt

    return law


@njit
def evaluate(scalars, limits, by, touch):
    """Forces and the 2 x 2 slopes of all contacts, by the function whose address comes first."""
    call_address(scalars[0], 1.0 if by == SECANT else 0.0, scalars, limits, touch)
