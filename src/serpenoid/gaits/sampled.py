"""A gait given by samples: joint angles over time, joined by a cubic spline (continuous accelerations) or by straight lines.

`times` has shape (m,), rising; `values` has shape (m, n-1) in rad. `ends` says how the spline meets its ends:
"natural", "clamped" (at rest) or "not-a-knot" (as the samples go on: exact for cubics). Outside the samples the first or last angles are
held, unless they are `periodic`. Straight lines have rates that jump: ideal joints then need impulses of torque. The body frame is the
mean of the link headings.
"""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np

from serpenoid.compiled import njit
from serpenoid.core import FloatArray, Robot
from serpenoid.core.command import GAITS
from serpenoid.core.declare import declare, description
from serpenoid.core.errors import InputError
from serpenoid.core.robot import AXES, kinds_of
from serpenoid.core.several import Array
from serpenoid.gaits.base import CompiledGait
from serpenoid.gaits.samples import (
    ENDS_OF_SPLINE,
    INTERPOLATION,
    PERIODIC,
    check_ways,
    checked_samples,
    piece_at,
    pieces,
)


def columns_of(robot: Robot) -> list[tuple[int, str]]:
    """Joint and axis of each column of samples: joint by joint, locked ones too; yaw before pitch where a joint has both."""
    kinds = kinds_of(robot.joints, robot.links - 1) if isinstance(robot.joints, str) else robot.joints
    if "roll" in kinds:
        raise InputError(f"samples give yaw and pitch; {robot.name} has joints that roll: use a controller")
    return [(i + 1, axis) for i, kind in enumerate(kinds) for axis in ("yaw", "pitch") if axis in AXES[kind]]


@GAITS.register
@description(eq=False)
class Sampled(CompiledGait):
    """Joint angles (rad) at given times (s), one column per joint."""

    times: FloatArray = declare(Array("rising", "s", least=4))
    values: FloatArray = declare(Array("angles, one row per time and one column per joint", "rad", ndim=2))
    ends: str | None = declare(ENDS_OF_SPLINE, default=None)
    interpolation: str = declare(INTERPOLATION, default="cubic")
    periodic: bool = declare(PERIODIC, default=False)

    KIND: ClassVar[int] = 2
    NAME: ClassVar[str] = "sampled"

    def check(self) -> None:
        """Times rise, with one row for each; what repeats itself closes."""
        _, values = checked_samples("sampled gait", self.times, self.values)
        check_ways("sampled gait", values, self.interpolation, self.periodic, self.ends)

    def _pieces(self, values: FloatArray) -> FloatArray:
        """Table of some columns at the samples' times."""
        return pieces(np.asarray(self.times), values, self.interpolation, self.periodic, self.ends or "natural")

    def row(self, robot: Robot) -> tuple[FloatArray, FloatArray]:
        """Parameters: whether it is periodic; table: times, then four coefficients of each link's heading a segment."""
        theta = np.asarray(self.values)
        if theta.shape[1] != robot.links - 1:
            raise InputError(
                f"sampled gait has {theta.shape[1]} joint angles a row; {robot.name} has {robot.links - 1} joints"
            )
        heading = np.concatenate([np.zeros((len(theta), 1)), np.cumsum(theta, axis=1)], axis=1)
        return np.array([float(self.periodic)]), self._pieces(heading - heading.mean(axis=1, keepdims=True))

    def joint_table(self, robot: Robot) -> FloatArray:
        """Table for three dimensions: times, then four coefficients a segment of yaw of all links, then pitch.

        Columns of the samples: one per joint, or yaw and pitch by turns for joints with both.
        """
        theta = np.asarray(self.values)
        n, columns = robot.links, columns_of(robot)
        if theta.shape[1] != len(columns):
            raise InputError(
                f"sampled gait has {theta.shape[1]} joint angles a row; {robot.name} has {n - 1} joints with {len(columns)} axes"
            )
        yaw, pitch = np.zeros((len(theta), n)), np.zeros((len(theta), n))
        for k, (joint, kind) in enumerate(columns):
            (yaw if kind == "yaw" else pitch)[:, joint] = theta[:, k]
        return self._pieces(np.concatenate([yaw, pitch], axis=1))

    def period(self, robot: Robot) -> float | None:
        """Period of the shape in s: that of periodic samples."""
        return float(self.times[-1] - self.times[0]) if self.periodic else None

    def steady_from(self, robot: Robot) -> float:
        """Time from which the gait is steady, s: after three periods."""
        return 3.0 * (self.period(robot) or np.inf)

    def kinks(self) -> list[float]:
        """Times at which joint accelerations may jump: the two ends, with straight lines every sample (of the first period)."""
        t = np.asarray(self.times, dtype=float)
        if self.interpolation == "linear":
            return [float(x) for x in t]
        return [] if self.periodic else [float(t[0]), float(t[-1])]


@njit
def headings(par, tab, t, out):
    """Fill rows 0, 1, 2: link headings in the body frame, their rates and accelerations at time t."""
    n = out.shape[1]
    k, x, inside = piece_at(tab, t, par[0] > 0.0)
    for i in range(n):
        a, b, c, d = tab[k, 1 + i], tab[k, 1 + n + i], tab[k, 1 + 2 * n + i], tab[k, 1 + 3 * n + i]
        out[0, i] = ((a * x + b) * x + c) * x + d
        out[1, i] = (3.0 * a * x + 2.0 * b) * x + c if inside else 0.0
        out[2, i] = 6.0 * a * x + 2.0 * b if inside else 0.0


@njit
def joint_angles(par, tab, t, aim):
    """Fill rows 0 to 3 of `aim`: yaw, its rate, pitch, its rate; outside the samples the ends are held."""
    n = aim.shape[1]
    k, x, inside = piece_at(tab, t, par[0] > 0.0)
    for i in range(2 * n):
        row, j = (0, i) if i < n else (2, i - n)
        a, b, c, d = tab[k, 1 + i], tab[k, 1 + 2 * n + i], tab[k, 1 + 4 * n + i], tab[k, 1 + 6 * n + i]
        aim[row, j] = ((a * x + b) * x + c) * x + d
        aim[row + 1, j] = (3.0 * a * x + 2.0 * b) * x + c if inside else 0.0


@njit
def parameter_slopes(par, tab, t, weights, by_tab):
    """Add how the sum of headings and rates at time t, weighted (2, n), depends on the table."""
    n, last = weights.shape[1], tab.shape[0] - 1
    k, x, inside = piece_at(tab, t, par[0] > 0.0)
    by_time = 0.0
    for i in range(n):
        a, b, c = tab[k, 1 + i], tab[k, 1 + n + i], tab[k, 1 + 2 * n + i]
        heading, rate = weights[0, i], weights[1, i]
        by_tab[k, 1 + 3 * n + i] += heading
        if inside:
            by_tab[k, 1 + i] += x * x * (x * heading + 3.0 * rate)
            by_tab[k, 1 + n + i] += x * (x * heading + 2.0 * rate)
            by_tab[k, 1 + 2 * n + i] += x * heading + rate
            by_time += heading * ((3.0 * a * x + 2.0 * b) * x + c) + rate * (6.0 * a * x + 2.0 * b)
    by_tab[k, 0] -= by_time
    if par[0] > 0.0:
        turns = math.floor((t - tab[0, 0]) / (tab[last, 0] - tab[0, 0]))
        by_tab[last, 0] -= turns * by_time
        by_tab[0, 0] += turns * by_time
