"""A gait given by samples: joint angles over time, joined by a cubic spline (continuous accelerations).

`times` has shape (m,), rising; `values` has shape (m, n-1) in rad. `ends` says how the spline meets its ends:
"natural", "clamped" (at rest) or "not-a-knot" (as the samples go on: exact for cubics). Outside the samples the first or last angles are held. The body frame is the mean
of the link headings.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from serpenoid.compiled import njit
from serpenoid.core import FloatArray, Robot
from serpenoid.core.command import GAITS
from serpenoid.core.declare import declare, description
from serpenoid.core.errors import InputError
from serpenoid.core.quantities import Choice
from serpenoid.core.robot import AXES, kinds_of
from serpenoid.core.several import Array
from serpenoid.gaits.base import CompiledGait


def checked_samples(what: str, times: ArrayLike, values: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Times and values as arrays; refused unless finite, two-dimensional and rising in time."""
    try:
        t, v = np.asarray(times, dtype=float), np.asarray(values, dtype=float)
    except (TypeError, ValueError) as error:
        raise InputError(f"{what}: times and rows must be numbers, one row of equal length for each time") from error
    if t.ndim != 1 or v.ndim != 2 or v.shape[0] != t.size or t.size < 4:
        raise InputError(f"{what}: need at least 4 times and one row for each, got {t.shape} and {v.shape}")
    if not (np.isfinite(t).all() and np.isfinite(v).all()):
        raise InputError(f"{what}: samples must be finite")
    if np.any(np.diff(t) <= 0.0):
        raise InputError(f"{what}: times must rise, but time {t[1:][np.diff(t) <= 0.0][0]:g} s does not")
    return t, v


def columns_of(robot: Robot) -> list[tuple[int, str]]:
    """Joint and axis of each column of samples: joint by joint, locked ones too; yaw before pitch where a joint has both."""
    kinds = kinds_of(robot.joints, robot.links - 1) if isinstance(robot.joints, str) else robot.joints
    if "roll" in kinds:
        raise InputError(f"samples give yaw and pitch; {robot.name} has joints that roll: use a controller")
    return [(i + 1, axis) for i, kind in enumerate(kinds) for axis in ("yaw", "pitch") if axis in AXES[kind]]


@GAITS.register
@description(eq=False)
class Sampled(CompiledGait):
    """Joint angles (rad) at given times (s), one column a joint."""

    times: FloatArray = declare(Array("rising", "s", least=4))
    values: FloatArray = declare(Array("angles, one row per time and one column per joint", "rad", ndim=2))
    ends: str = declare(
        Choice("how the spline meets its ends", options=("natural", "clamped", "not-a-knot")), default="natural"
    )

    KIND: ClassVar[int] = 2
    NAME: ClassVar[str] = "sampled"

    def check(self) -> None:
        """Times rise, with one row for each."""
        checked_samples("sampled gait", self.times, self.values)

    def row(self, robot: Robot) -> tuple[FloatArray, FloatArray]:
        """Parameters: none; table: times, then four spline coefficients of each link's heading a segment."""
        from scipy.interpolate import CubicSpline

        t, theta = checked_samples("sampled gait", self.times, self.values)
        if theta.shape[1] != robot.links - 1:
            raise InputError(
                f"sampled gait has {theta.shape[1]} joint angles a row; {robot.name} has {robot.links - 1} joints"
            )
        heading = np.concatenate([np.zeros((t.size, 1)), np.cumsum(theta, axis=1)], axis=1)
        heading -= heading.mean(axis=1, keepdims=True)
        spline = CubicSpline(t, heading, bc_type=self.ends)
        table = np.zeros((t.size, 1 + 4 * robot.links))
        table[:, 0] = t
        table[:-1, 1:] = np.moveaxis(spline.c, 0, 1).reshape(t.size - 1, -1)
        table[-1, -robot.links :] = heading[-1]
        return np.zeros(1), table

    def joint_table(self, robot: Robot) -> FloatArray:
        """Table for three dimensions: times, then four spline coefficients a segment of yaw of all links, then pitch.

        Columns of the samples: one per joint, or yaw and pitch by turns for joints with both.
        """
        from scipy.interpolate import CubicSpline

        t, theta = checked_samples("sampled gait", self.times, self.values)
        n, columns = robot.links, columns_of(robot)
        if theta.shape[1] != len(columns):
            raise InputError(
                f"sampled gait has {theta.shape[1]} joint angles a row; {robot.name} has {n - 1} joints with {len(columns)} axes"
            )
        yaw, pitch = np.zeros((t.size, n)), np.zeros((t.size, n))
        for k, (joint, kind) in enumerate(columns):
            (yaw if kind == "yaw" else pitch)[:, joint] = theta[:, k]
        values = np.concatenate([yaw, pitch], axis=1)
        spline = CubicSpline(t, values, bc_type=self.ends)
        table = np.zeros((t.size, 1 + 8 * n))
        table[:, 0] = t
        table[:-1, 1:] = np.moveaxis(spline.c, 0, 1).reshape(t.size - 1, -1)
        table[-1, -2 * n :] = values[-1]
        return table

    def kinks(self) -> list[float]:
        """Times at which joint accelerations may jump: the two ends."""
        t = np.asarray(self.times, dtype=float)
        return [float(t[0]), float(t[-1])]


@njit
def segment(times, t):
    """Index of the sample interval that holds t, by bisection."""
    low, high = 0, times.shape[0] - 1
    while high - low > 1:
        middle = (low + high) // 2
        if times[middle, 0] <= t:
            low = middle
        else:
            high = middle
    return low


@njit
def headings(par, tab, t, out):
    """Fill rows 0, 1, 2: link headings in the body frame, their rates and accelerations at time t."""
    n = out.shape[1]
    last = tab.shape[0] - 1
    hair = 1e-9 * (tab[last, 0] - tab[0, 0])  # integrators look a hair beyond the ends of their steps
    if t > tab[last, 0] + hair or t < tab[0, 0] - hair:
        row, first = (last, 1 + 3 * n) if t > tab[last, 0] else (0, 1 + 3 * n)
        for i in range(n):
            out[0, i] = tab[row, first + i]
            out[1, i] = 0.0
            out[2, i] = 0.0
        return
    k = segment(tab, t)
    x = t - tab[k, 0]
    for i in range(n):
        a, b, c, d = tab[k, 1 + i], tab[k, 1 + n + i], tab[k, 1 + 2 * n + i], tab[k, 1 + 3 * n + i]
        out[0, i] = ((a * x + b) * x + c) * x + d
        out[1, i] = (3.0 * a * x + 2.0 * b) * x + c
        out[2, i] = 6.0 * a * x + 2.0 * b


@njit
def joint_angles(tab, t, aim):
    """Fill rows 0 to 3 of `aim`: yaw, its rate, pitch, its rate; outside the samples the ends are held."""
    n = aim.shape[1]
    last = tab.shape[0] - 1
    inside = tab[0, 0] <= t <= tab[last, 0]
    k = segment(tab, t) if inside else (0 if t < tab[0, 0] else last)
    x = t - tab[k, 0] if inside else 0.0
    for i in range(2 * n):
        row, j = (0, i) if i < n else (2, i - n)
        a, b, c, d = tab[k, 1 + i], tab[k, 1 + 2 * n + i], tab[k, 1 + 4 * n + i], tab[k, 1 + 6 * n + i]
        aim[row, j] = ((a * x + b) * x + c) * x + d
        aim[row + 1, j] = (3.0 * a * x + 2.0 * b) * x + c if inside else 0.0
