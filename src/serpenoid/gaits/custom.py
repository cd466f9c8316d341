"""A gait of one's own as a compiled function: time and number of the degree of freedom in, angle out.

    @numba.njit
    def wave(t, k, p):
        return p[0] * math.sin(p[1] * t + p[2] * k)

    gait = sp.gaits.CustomGait(wave, parameters=[0.4, 5.0, 0.6], cycle=2 * np.pi / 5.0)

t is in s, k counts the degrees of freedom from 0 at the tail in the order of `robot.axes` (without the locked joints), the angle is in
rad. It is compiled once a process, and our kernels call it by its address: they are not compiled anew.

Rates and accelerations are differences of five values h apart, with h = cycle / 600, or 1e-3 s without a cycle. For a wave of
frequency w their relative errors are (w h)^4 / 30 and (w h)^4 / 90: 4e-10 and 1e-10 with a cycle. The function is therefore
also called up to 2 h before t = 0. In the plane the body frame has the mean heading of the links.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from serpenoid.compiled import call_address, carray, njit
from serpenoid.compiled.own import code_of
from serpenoid.contact.custom import compiled
from serpenoid.core import FloatArray, Robot
from serpenoid.core.command import GAITS
from serpenoid.core.declare import declare, description
from serpenoid.core.functions import FunctionField
from serpenoid.core.quantities import Number
from serpenoid.core.several import Array
from serpenoid.core.theirs import note_lost
from serpenoid.gaits.base import CompiledGait

STEPS_PER_PERIOD, STEP = 600.0, 1e-3  # -, s: how far apart the values are of which derivatives are made
IN_PLANE, IN_SPACE = 0.0, 1.0
KINDS = {"yaw": 0.0, "pitch": 1.0, "roll": 2.0}


@GAITS.register
@description(eq=False)
class CustomGait(CompiledGait):
    """Joint angles by a compiled function (t, k, parameters); see the module."""

    function: Any = declare(FunctionField("angle of a degree of freedom", of="(t, k, parameters)"))
    parameters: FloatArray = declare(Array("handed to the function", least=0), default=())
    cycle: float | None = declare(
        Number("time after which it repeats itself; none: never", "s", above=0.0), default=None
    )

    KIND: ClassVar[int] = 3
    NAME: ClassVar[str] = "custom"

    def check(self) -> None:
        """The function compiles."""
        gait_code(self.function)

    def row(self, robot: Robot) -> tuple[FloatArray, FloatArray]:
        """Parameters: address, plane or space, step of the differences, then the function's own; table: `columns`."""
        return self._row(robot, IN_PLANE)

    def row_in_space(self, robot: Robot) -> tuple[FloatArray, FloatArray]:
        """The same, to fill yaw, pitch and roll of the joints."""
        return self._row(robot, IN_SPACE)

    def _row(self, robot: Robot, where: float) -> tuple[FloatArray, FloatArray]:
        step = STEP if self.cycle is None else self.cycle / STEPS_PER_PERIOD
        return np.array([float(gait_code(self.function).address), where, step, *self.parameters]), columns(robot)

    def period(self, robot: Robot) -> float | None:
        """Period of the shape in s, as given."""
        return self.cycle

    def steady_from(self, robot: Robot) -> float:
        """Time from which the gait is steady: after one period, s."""
        return self.cycle or np.inf


def columns(robot: Robot) -> FloatArray:
    """For each degree of freedom the joint it turns and its kind (yaw 0, pitch 1, roll 2), shape (2, dof)."""
    return np.array([[joint for joint, _ in robot.axes], [KINDS[kind] for _, kind in robot.axes]], dtype=float)


@functools.cache
def gait_code(function: Callable[..., Any]) -> Any:
    """The function with its derivatives, for all degrees of freedom, as code at an address."""
    made = compiled(function, "the gait", (0.1, 0, np.ones(1)))
    note_lost()

    @code_of
    def gait(t, par, count, table, two, dofs, stride, out, rows, columns, step):
        numbers = carray(par, (count,))
        tab, aim = carray(table, (two, stride)), carray(out, (rows, step))
        h, p = numbers[2], numbers[3:]
        for k in range(dofs):  # what stays where the function raises
            aim[2 * int(tab[1, k]) if numbers[1] > 0.0 else 0, int(tab[0, k])] = math.nan
        for k in range(dofs):
            joint, kind = int(tab[0, k]), int(tab[1, k])
            a, b = made(t - 2.0 * h, k, p), made(t - h, k, p)
            c, d, e = made(t, k, p), made(t + h, k, p), made(t + 2.0 * h, k, p)
            row = 2 * kind if numbers[1] > 0.0 else 0
            if row + 1 >= rows:
                continue
            aim[row, joint] = c
            aim[row + 1, joint] = (8.0 * (d - b) - (e - a)) / (12.0 * h)
            if numbers[1] == 0.0:
                aim[2, joint] = (16.0 * (d + b) - (e + a) - 30.0 * c) / (12.0 * h * h)

    return gait


@njit
def clear(rows, out):
    """Set the first rows to zero: locked joints have no degree of freedom."""
    for row in range(rows):
        for i in range(out.shape[1]):
            out[row, i] = 0.0


@njit
def headings_of_joints(out):
    """Turn rows 0, 1, 2 from joint angles (column 0: nothing), rates and accelerations into headings about their mean."""
    n = out.shape[1]
    for row in range(3):
        mean = 0.0
        for i in range(1, n):
            out[row, i] += out[row, i - 1]
            mean += out[row, i]
        mean /= n
        for i in range(n):
            out[row, i] -= mean


@njit
def headings(par, tab, t, out):
    """Fill rows 0, 1, 2: link headings in the body frame, their rates and accelerations at time t."""
    clear(3, out)
    call_address(par[0], t, par, tab, out)
    headings_of_joints(out)


@njit
def joint_angles(par, tab, t, aim):
    """Fill yaw, its rate, pitch, its rate (and roll, its rate, where there are rows for them) of the joints."""
    clear(aim.shape[0], aim)
    call_address(par[0], t, par, tab, aim)
