"""Drives: time to joint torques.

`SineTorque`: tau_i = amplitude sin(phase_per_joint i + frequency t), equation (14) of Ma, Li and Wang (2001) with phase 2 pi / n
and frequency 1 rad/s. `SampledTorque`: torques at given times, straight lines (or a cubic spline) between
them, zero outside unless they are periodic. Joints count from
1 at the tail, locked ones too; the axes of joints with two count one by one.
"""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np

from serpenoid.compiled import njit
from serpenoid.core import Description, FloatArray, Robot
from serpenoid.core.command import DRIVES
from serpenoid.core.declare import declare, description
from serpenoid.core.door import door
from serpenoid.core.errors import InputError
from serpenoid.core.quantities import Angle, Number
from serpenoid.core.robot import AXES, kinds_of
from serpenoid.core.several import Array
from serpenoid.gaits.samples import INTERPOLATION, PERIODIC, check_ways, checked_samples, piece_at, pieces

__all__ = ["DRIVES", "CompiledDrive", "SampledTorque", "SineTorque", "torques"]


class CompiledDrive(Description):
    """Base of the built-in drives."""

    KIND: ClassVar[int]
    NAME: ClassVar[str]
    TAG: ClassVar[str] = "kind"
    SECTION: ClassVar[str] = "drive"

    @door
    def row(self, robot: Robot, axes: int | None = None) -> tuple[FloatArray, FloatArray]:
        """Parameters and table of the kernel; `axes` is the number of driven axes in space."""
        raise NotImplementedError

    @door
    def shortest_period(self, robot: Robot) -> float | None:
        """Period of the fastest part of the torques in s, None if they have none."""
        return None


@DRIVES.register
@description
class SineTorque(CompiledDrive):
    """A travelling sine of torques: N m, rad/s, rad a joint."""

    amplitude: float = declare(Number("", "N m"))
    frequency: float = declare(Number("", "rad/s"))
    phase_per_joint: float = declare(Angle("from joint to joint"))

    KIND: ClassVar[int] = 0
    NAME: ClassVar[str] = "sine"

    def row(self, robot: Robot, axes: int | None = None) -> tuple[FloatArray, FloatArray]:
        """Parameters of the kernel, then the numbers of the axes; no table."""
        return np.array([self.amplitude, self.frequency, self.phase_per_joint, *axis_numbers(robot)]), np.zeros((1, 1))

    def shortest_period(self, robot: Robot) -> float | None:
        """Period of the sine, s."""
        return 2.0 * np.pi / abs(self.frequency) if self.frequency and self.amplitude else None


@DRIVES.register
@description(eq=False)
class SampledTorque(CompiledDrive):
    """Joint torques (N m) at given times (s), one column per joint."""

    times: FloatArray = declare(Array("rising", "s", least=4))
    values: FloatArray = declare(Array("torques, one row per time and one column per joint", "N m", ndim=2))

    interpolation: str = declare(INTERPOLATION, default="linear")
    periodic: bool = declare(PERIODIC, default=False)

    KIND: ClassVar[int] = 1
    NAME: ClassVar[str] = "sampled"

    def check(self) -> None:
        """Times rise, with one row for each; what repeats itself closes."""
        _, values = checked_samples("sampled drive", self.times, self.values)
        check_ways("sampled drive", values, self.interpolation, self.periodic)

    def row(self, robot: Robot, axes: int | None = None) -> tuple[FloatArray, FloatArray]:
        """Parameters: whether it is periodic; table of `samples`, one column per joint (in space: one per axis, of `axes`)."""
        t, v = checked_samples("sampled drive", self.times, self.values)
        count = robot.links - 1 if axes is None else axes
        if v.shape[1] != count:
            raise InputError(f"sampled drive has {v.shape[1]} torques a row; {robot.name} has {count} joint axes")
        return np.array([float(self.periodic)]), pieces(t, v, self.interpolation, self.periodic)


def axis_numbers(robot: Robot) -> list[int]:
    """Number of each axis that moves, from 1 at the tail: a joint without one counts as well, so that one that fails changes no other."""
    kinds = kinds_of(robot.joints, robot.links - 1) if isinstance(robot.joints, str) else robot.joints
    numbers: list[int] = []
    count = 0
    for joint, kind in enumerate(kinds, 1):
        if joint not in robot.locked:
            numbers += range(count + 1, count + 1 + len(AXES[kind]))
        count += max(1, len(AXES[kind]))
    return numbers


@njit
def torques(kind, par, tab, t, out, row):
    """Fill out[row, 1:] with the torques at time t by the drive `kind`, of all joints or of all axes that move; entry 0 is zero."""
    n = out.shape[1]
    out[row, 0] = 0.0
    if kind == 0:
        named = par.size == n + 2  # the numbers of axes; else i is the number of the joint
        for i in range(1, n):
            out[row, i] = par[0] * math.sin(par[2] * (par[2 + i] if named else i) + par[1] * t)
        return
    k, x, inside = piece_at(tab, t, par[0] > 0.0)
    m = n - 1
    for i in range(1, n):
        a, b, c, d = tab[k, i], tab[k, m + i], tab[k, 2 * m + i], tab[k, 3 * m + i]
        out[row, i] = ((a * x + b) * x + c) * x + d if inside else 0.0
