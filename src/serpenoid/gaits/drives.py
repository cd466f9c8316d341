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

from serpenoid.compiled import literal, njit
from serpenoid.core import Description, FloatArray, Robot
from serpenoid.core.command import DRIVES
from serpenoid.core.declare import declare, description
from serpenoid.core.door import door
from serpenoid.core.quantities import Angle, Number
from serpenoid.core.several import Array
from serpenoid.core.slots import ROBOT, axes_of_kind, count_axes, is_locked, kind_of_joint, numbers_of, slots
from serpenoid.gaits.preparing import (
    ALL_JOINTS,
    COLUMNS,
    KERNEL,
    PARAMETERS,
    REASON,
    ROWS,
    SHORTEST,
    SIZES,
    WORK_COLUMNS,
    WORK_ROWS,
    Kernels,
    prepared,
    time_or_none,
)
from serpenoid.gaits.samples import (
    BANDS,
    CUBIC,
    INTERPOLATION,
    PERIODIC,
    check_ways,
    checked_samples,
    fill_pieces,
    piece_at,
)

SINE, SAMPLED = 0, 1  # kinds of the kernels
__all__ = ["DRIVES", "CompiledDrive", "SampledTorque", "SineTorque", "torques"]


class CompiledDrive(Description):
    """Base of the built-in drives."""

    KIND: ClassVar[int]
    NAME: ClassVar[str]
    KERNELS: ClassVar[Kernels | None] = None
    REFUSED: ClassVar[tuple[str, ...]] = ()
    TAG: ClassVar[str] = "kind"
    SECTION: ClassVar[str] = "drive"

    @door
    def row(self, robot: Robot, axes: int | None = None) -> tuple[FloatArray, FloatArray]:
        """Parameters and table of the kernel; `axes` is the number of driven axes, else there is a torque for every joint."""
        if self.KERNELS is None:
            raise NotImplementedError
        return prepared(self, robot, ALL_JOINTS if axes is None else float(axes))[1:]

    @door
    def shortest_period(self, robot: Robot) -> float | None:
        """Period of the fastest part of the torques in s, None if they have none."""
        if self.KERNELS is None:
            return None
        out = np.zeros(SIZES)
        nothing = np.zeros(1)
        self.KERNELS.times(numbers_of(self), nothing, nothing, np.zeros((1, 1)), out)
        return time_or_none(out, SHORTEST)


@DRIVES.register
@description
class SineTorque(CompiledDrive):
    """A travelling sine of torques: N m, rad/s, rad a joint."""

    amplitude: float = declare(Number("", "N m"))
    frequency: float = declare(Number("", "rad/s"))
    phase_per_joint: float = declare(Angle("from joint to joint"))

    KIND: ClassVar[int] = SINE
    NAME: ClassVar[str] = "sine"


@DRIVES.register
@description(eq=False)
class SampledTorque(CompiledDrive):
    """Joint torques (N m) at given times (s), one column per joint."""

    times: FloatArray = declare(Array("rising", "s", least=4))
    values: FloatArray = declare(Array("torques, one row per time and one column per joint", "N m", ndim=2))

    interpolation: str = declare(INTERPOLATION, default="linear")
    periodic: bool = declare(PERIODIC, default=False)

    KIND: ClassVar[int] = SAMPLED
    NAME: ClassVar[str] = "sampled"
    REFUSED: ClassVar[tuple[str, ...]] = ("sampled drive has {0:.0f} torques a row; {name} has {1:.0f} joint axes",)

    def check(self) -> None:
        """Times rise, with one row for each; what repeats itself closes."""
        _, values = checked_samples("sampled drive", self.times, self.values)
        check_ways("sampled drive", values, self.interpolation, self.periodic)


sine_at, sampled_at = slots(SineTorque), slots(SampledTorque)


@literal
def size_of_sine(g, r, where, out):
    """Parameters: amplitude, frequency, phase a joint, then the numbers of the axes; no table."""
    out[PARAMETERS], out[ROWS], out[COLUMNS], out[KERNEL] = 3.0 + count_axes(r), 1, 1, SINE
    return 0


@literal
def fill_sine(g, r, where, par, tab, work):
    """Fill the parameters. Axes count from 1 at the tail: a joint without one counts as well, so that one that fails changes no other."""
    par[0], par[1], par[2] = g[sine_at.amplitude], g[sine_at.frequency], g[sine_at.phase_per_joint]
    k, count = 3, 0
    for joint in range(1, int(r[ROBOT.links])):
        axes = axes_of_kind(kind_of_joint(r, joint))
        if not is_locked(r, joint):
            for axis in range(axes):
                par[k] = count + axis + 1.0
                k += 1
        count += max(1, axes)
    return 0


@literal
def times_of_sine(g, r, par, tab, out):
    """The period of the sine."""
    moves = g[sine_at.frequency] != 0.0 and g[sine_at.amplitude] != 0.0
    out[SHORTEST] = 2.0 * math.pi / abs(g[sine_at.frequency]) if moves else math.nan


@literal
def size_of_samples(g, r, where, out):
    """Parameters: whether it is periodic; table of `samples`, one column per joint or driven axis."""
    at = sampled_at
    count, given = r[ROBOT.links] - 1.0 if where == ALL_JOINTS else where, g[at.values + 2]
    out[PARAMETERS], out[ROWS], out[COLUMNS], out[KERNEL] = 1, g[at.times + 1], 1.0 + 4.0 * given, SAMPLED
    out[WORK_ROWS], out[WORK_COLUMNS] = BANDS, g[at.times + 1]
    out[REASON], out[REASON + 1] = given, count
    return 0 if given == count else 1


@literal
def fill_samples(g, r, where, par, tab, work):
    """Fill parameters and table."""
    at = sampled_at
    columns = (tab.shape[1] - 1) // 4
    par[0] = g[at.periodic]
    for k in range(tab.shape[0]):
        tab[k, 0] = g[int(g[at.times]) + k]
        for j in range(columns):
            tab[k, 1 + 3 * columns + j] = g[int(g[at.values]) + k * columns + j]
    fill_pieces(tab, g[at.interpolation] == CUBIC, par[0] > 0.0, 0.0, work)
    return 0


@literal
def times_of_samples(g, r, par, tab, out):
    """Samples have no period that steps must resolve."""
    out[SHORTEST] = math.nan


SineTorque.KERNELS = Kernels(size_of_sine, fill_sine, times_of_sine)
SampledTorque.KERNELS = Kernels(size_of_samples, fill_samples, times_of_samples)


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
