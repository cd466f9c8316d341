"""A gait of one's own as a Python function of time: joint angles (dof,) in rad at t in s.

    gait = sp.gaits.FunctionGait(lambda t: 0.4 * np.sin(5.0 * t + 0.6 * np.arange(19)), cycle=2 * np.pi / 5.0)

The function is sampled, not called in every step: over one period if it has one, else second by second as time goes on, on a grid that
does not depend on how a run is cut. Between samples (knots) a quintic with the value, rate and acceleration of a quintic
spline at its ends is used: rates and accelerations do not jump. An interval is halved until the curve is within `tolerance` (rad) of the
function at its quarters and middle; `gait.error` is the largest difference found. A function that cannot be met with intervals above
1e-4 s jumps or has a kink, and is refused with the time of it. Before t = 0 the function is not called.
"""

from __future__ import annotations

import ctypes
import functools
import math
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from serpenoid.compiled import call_address, njit, table_at
from serpenoid.core import FloatArray, Robot
from serpenoid.core.command import GAITS
from serpenoid.core.declare import declare, description
from serpenoid.core.door import door
from serpenoid.core.errors import InputError
from serpenoid.core.functions import FunctionField
from serpenoid.core.quantities import Number
from serpenoid.core.theirs import theirs
from serpenoid.gaits.base import CompiledGait
from serpenoid.gaits.custom import IN_PLANE, IN_SPACE, clear, columns, headings_of_joints
from serpenoid.gaits.samples import segment

BLOCK = 1.0  # s sampled at a time where there is no period
KNOTS = 64  # intervals of a block to begin with
PADDING = 10  # intervals beyond a block, so that its spline does not feel its ends
SHORTEST = 1e-4  # s, interval
QUARTERS = (0.25, 0.5, 0.75)
_SLOT = 4  # in the parameters: number of the block (-1: none), its knots, its address; twice, for even and odd blocks


@GAITS.register
@description(eq=False)
class FunctionGait(CompiledGait):
    """Joint angles by a Python function of time; see the module."""

    function: Any = declare(FunctionField("joint angles (dof,) in rad", of="(t)"))
    cycle: float | None = declare(
        Number("time after which it repeats itself; none: never", "s", above=0.0), default=None
    )
    tolerance: float = declare(Number("of the samples", "rad", above=0.0), default=1e-6)

    KIND: ClassVar[int] = 4
    NAME: ClassVar[str] = "function"

    def __getstate__(self) -> dict[str, Any]:
        """The description alone: samples lie at places in memory, and a copy makes its own."""
        return {name: value for name, value in self.__dict__.items() if name != "_blocks"}

    @functools.cached_property
    def _blocks(self) -> dict[Any, Any]:
        """Samples by degrees of freedom and number of the block, and the callbacks that hand them out."""
        return {}

    def period(self, robot: Robot) -> float | None:
        """Period of the shape in s, as given."""
        return self.cycle

    def steady_from(self, robot: Robot) -> float:
        """Time from which the gait is steady: after one period, s."""
        return self.cycle or np.inf

    @door
    def angles(self, robot: Robot, t: float) -> FloatArray:
        """Joint angles (dof,) in rad at time t: the function itself."""
        return self._called(len(robot.axes), float(t))

    @property
    def error(self) -> float:
        """Largest difference between the curve and the function found so far, rad."""
        return max((block[1] for block in self._blocks.values() if isinstance(block, tuple)), default=0.0)

    def raise_problem(self) -> None:
        """Raise what went wrong with the function while a run was under way."""
        problem = self._blocks.get("problem")
        if problem is not None:
            raise problem

    def row(self, robot: Robot) -> tuple[FloatArray, FloatArray]:
        """Parameters: address of the sampler, plane or space, length of a block, whether it is a period, two slots; table: `columns`."""
        return self._row(robot, IN_PLANE)

    def row_in_space(self, robot: Robot) -> tuple[FloatArray, FloatArray]:
        """The same, to fill yaw, pitch and roll of the joints."""
        return self._row(robot, IN_SPACE)

    def _row(self, robot: Robot, where: float) -> tuple[FloatArray, FloatArray]:
        dofs = len(robot.axes)
        self._block(dofs, 0)  # what is wrong with the function shows before the run
        if ("sampler", dofs) not in self._blocks:
            self._blocks["sampler", dofs] = _SAMPLER(lambda number, par, *_: self._fill(dofs, int(number), par))
        address = ctypes.cast(self._blocks["sampler", dofs], ctypes.c_void_p).value or 0
        length = BLOCK if self.cycle is None else self.cycle
        slots = [-1.0, 0.0, 0.0]
        return np.array([float(address), where, length, float(self.cycle is not None), *slots, *slots]), columns(robot)

    def _fill(self, dofs: int, number: int, par: Any) -> None:
        """Give a kernel the samples of a block: called back from it."""
        try:
            samples = self._block(dofs, number)[0]
        except BaseException as error:
            self._blocks["problem"] = error
            samples = self._blocks.setdefault("nothing", np.full((2, 1 + 3 * dofs), np.nan))
        slot = _SLOT + 3 * (number % 2)
        par[slot], par[slot + 1], par[slot + 2] = float(number), float(len(samples)), float(samples.ctypes.data)

    def _called(self, dofs: int, t: float) -> FloatArray:
        with theirs(f"the gait's function at t = {t:.6g} s", self.function):
            angles = np.asarray(self.function(t), dtype=float)
        if angles.shape != (dofs,) or not np.isfinite(angles).all():
            raise InputError(
                f"the gait's function must return {dofs} finite joint angles in rad, one per degree of freedom; at t = {t:.6g} s it returned "
                + (f"shape {angles.shape}" if angles.shape != (dofs,) else f"{angles[~np.isfinite(angles)][0]}")
            )
        return angles

    def _block(self, dofs: int, number: int) -> tuple[FloatArray, float]:
        """Knots of a block (time, then value, rate and acceleration of all angles), and the error found."""
        key = (dofs, number)
        if key not in self._blocks:
            length = BLOCK if self.cycle is None else self.cycle
            self._blocks[key] = sampled(
                lambda t: self._called(dofs, t),
                number * length,
                (number + 1) * length,
                self.tolerance,
                self.cycle is not None,
            )
        found: tuple[FloatArray, float] = self._blocks[key]
        return found


_ADDRESS, _SIZE = ctypes.POINTER(ctypes.c_double), ctypes.c_ssize_t
_SAMPLER = ctypes.CFUNCTYPE(
    None, ctypes.c_double, _ADDRESS, _SIZE, _ADDRESS, _SIZE, _SIZE, _SIZE, _ADDRESS, _SIZE, _SIZE, _SIZE
)


def sampled(
    function: Callable[[float], FloatArray], begin: float, end: float, tolerance: float, periodic: bool
) -> tuple[FloatArray, float]:
    """Knots (k, 1 + 3 d) of a function from begin to end, close enough together, and the largest error found."""
    known: dict[float, FloatArray] = {}

    def at(times: FloatArray) -> FloatArray:
        for t in times.tolist():
            if t not in known:
                known[t] = function(t)
        return np.array([known[t] for t in times.tolist()])

    if periodic and np.abs(at(np.array([begin])) - at(np.array([end]))).max(initial=0.0) > tolerance:
        raise InputError(f"the gait's function does not repeat itself after its period of {end - begin:.6g} s")
    knots = np.linspace(begin, end, KNOTS + 1)
    while True:
        table = _with_derivatives(at, knots, periodic)
        width = np.diff(knots)
        places = knots[:-1] + np.multiply.outer(QUARTERS, width)
        error = np.max([_difference(table, at(row), x) for x, row in zip(QUARTERS, places, strict=True)], axis=0)
        bad = error > tolerance
        if not bad.any():
            return np.ascontiguousarray(table), float(error.max(initial=0.0))
        if width[bad].min() < 2.0 * SHORTEST:
            t = knots[np.argmax(error)]
            raise InputError(
                f"the gait's function jumps or has a kink near t = {t:.4g} s: within {SHORTEST:g} s it cannot be followed to {tolerance:g} rad; "
                "smooth it, or raise the tolerance"
            )
        knots = np.sort(np.concatenate([knots, knots[:-1][bad] + 0.5 * width[bad]]))


def _with_derivatives(at: Callable[[FloatArray], FloatArray], knots: FloatArray, periodic: bool) -> FloatArray:
    """Time, value, rate and acceleration at the knots, by a quintic spline that goes on beyond them (not before t = 0)."""
    from scipy.interpolate import make_interp_spline

    if periodic:
        values = at(knots)
        values[-1] = values[0]
        spline = make_interp_spline(knots, values, k=5, bc_type="periodic")
    else:
        step = (knots[-1] - knots[0]) / KNOTS
        beyond = step * np.arange(1, PADDING + 1)
        before = knots[0] - beyond[::-1]
        times = np.concatenate([before[before >= 0.0], knots, knots[-1] + beyond])
        values = at(knots)
        spline = make_interp_spline(times, at(times), k=5)
    return np.concatenate([knots[:, None], values, spline(knots, 1), spline(knots, 2)], axis=1)


def _difference(table: FloatArray, wanted: FloatArray, x: float) -> FloatArray:
    """Largest difference of any angle at the fraction x of each interval."""
    d = wanted.shape[1]
    h = np.diff(table[:, 0])[:, None]
    q, v, a = table[:, 1 : 1 + d], table[:, 1 + d : 1 + 2 * d], table[:, 1 + 2 * d :]
    y = 1.0 - x
    found = (
        q[:-1] * y**3 * (1 + 3 * x + 6 * x * x) + q[1:] * x**3 * (1 + 3 * y + 6 * y * y)
        + h * (v[:-1] * x * y**3 * (1 + 3 * x) - v[1:] * y * x**3 * (1 + 3 * y))
        + 0.5 * h * h * (a[:-1] * x * x * y**3 + a[1:] * y * y * x**3)
    )  # fmt: skip
    return np.asarray(np.abs(found - wanted).max(axis=1, initial=0.0))


@njit
def quintic(h, x, q0, v0, a0, q1, v1, a1):
    """Value, rate and acceleration at the fraction x of an interval h of the quintic with these at its ends."""
    d = q1 - q0
    b1, b2 = h * v0, 0.5 * h * h * a0
    e0, e1, e2 = d - b1 - b2, h * v1 - b1 - 2.0 * b2, h * h * a1 - 2.0 * b2
    b3 = 10.0 * e0 - 4.0 * e1 + 0.5 * e2
    b4 = -15.0 * e0 + 7.0 * e1 - e2
    b5 = 6.0 * e0 - 3.0 * e1 + 0.5 * e2
    value = q0 + x * (b1 + x * (b2 + x * (b3 + x * (b4 + x * b5))))
    rate = (b1 + x * (2.0 * b2 + x * (3.0 * b3 + x * (4.0 * b4 + x * 5.0 * b5)))) / h
    return value, rate, (2.0 * b2 + x * (6.0 * b3 + x * (12.0 * b4 + x * 20.0 * b5))) / (h * h)


@njit
def fill(par, tab, t, out):
    """Fill angle, rate (and in the plane acceleration) of every degree of freedom at time t."""
    length, dofs = par[2], tab.shape[1]
    number = max(0.0, math.floor(t / length))
    at = t
    if par[3] > 0.0:
        at, number = t - math.floor(t / length) * length, 0.0
    slot = _SLOT + 3 * (int(number) % 2)
    if par[slot] != number:
        call_address(par[0], number, par, tab, out)
    knots = table_at(par[slot + 2], int(par[slot + 1]), 1 + 3 * dofs)
    k = segment(knots, at)
    h = knots[k + 1, 0] - knots[k, 0]
    x = (at - knots[k, 0]) / h
    for e in range(dofs):
        a, b, c = 1 + e, 1 + dofs + e, 1 + 2 * dofs + e
        value, rate, bend = quintic(
            h, x, knots[k, a], knots[k, b], knots[k, c], knots[k + 1, a], knots[k + 1, b], knots[k + 1, c]
        )
        joint, row = int(tab[0, e]), (2 * int(tab[1, e]) if par[1] > 0.0 else 0)
        if row + 1 < out.shape[0]:
            out[row, joint], out[row + 1, joint] = value, rate
        if par[1] == 0.0:
            out[2, joint] = bend


@njit
def headings(par, tab, t, out):
    """Fill rows 0, 1, 2: link headings in the body frame, their rates and accelerations at time t."""
    clear(3, out)
    fill(par, tab, t, out)
    headings_of_joints(out)


@njit
def joint_angles(par, tab, t, aim):
    """Fill yaw, its rate, pitch, its rate (and roll, its rate, where there are rows for them) of the joints."""
    clear(aim.shape[0], aim)
    fill(par, tab, t, aim)
