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

from serpenoid.compiled import literal, njit
from serpenoid.core import FloatArray, Robot
from serpenoid.core.command import GAITS
from serpenoid.core.declare import declare, description
from serpenoid.core.errors import InputError
from serpenoid.core.robot import AXES, kinds_of
from serpenoid.core.several import Array
from serpenoid.core.slots import (
    PITCH,
    PITCH_YAW,
    ROBOT,
    ROLL,
    UNIVERSAL,
    YAW,
    axes_of_kind,
    kind_of_joint,
    slots,
    total,
)
from serpenoid.gaits.base import CompiledGait
from serpenoid.gaits.preparing import (
    COLUMNS,
    IN_PLANE,
    IN_SPACE,
    KERNEL,
    PARAMETERS,
    PERIOD,
    RAW,
    REASON,
    ROWS,
    SHORTEST,
    STEADY_FROM,
    STEADY_UNTIL,
    WORK_COLUMNS,
    WORK_ROWS,
    Kernels,
)
from serpenoid.gaits.samples import (
    BANDS,
    CUBIC,
    ENDS_OF_SPLINE,
    INTERPOLATION,
    PERIODIC,
    check_ways,
    checked_samples,
    fill_pieces,
    piece_at,
)

KIND, IN_SPACE_KIND = 2, 11  # of the kernels, in the plane and in space
ROLLS = "samples give yaw and pitch; {name} has joints that roll: use a controller"


def columns_of(robot: Robot) -> list[tuple[int, str]]:
    """Joint and axis of each column of samples: joint by joint, locked ones too; yaw before pitch where a joint has both."""
    kinds = kinds_of(robot.joints, robot.links - 1) if isinstance(robot.joints, str) else robot.joints
    if "roll" in kinds:
        raise InputError(ROLLS.format(name=robot.name))
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

    KIND: ClassVar[int] = KIND
    NAME: ClassVar[str] = "sampled"
    REFUSED: ClassVar[tuple[str, ...]] = (
        "sampled gait has {0:.0f} joint angles a row; {name} has {1:.0f} joints",
        "sampled gait has {0:.0f} joint angles a row; {name} has {1:.0f} joints with {2:.0f} axes",
        ROLLS,
    )

    def check(self) -> None:
        """Times rise, with one row for each; what repeats itself closes."""
        _, values = checked_samples("sampled gait", self.times, self.values)
        check_ways("sampled gait", values, self.interpolation, self.periodic, self.ends)

    def kinks(self) -> list[float]:
        """Times at which joint accelerations may jump: the two ends, with straight lines every sample (of the first period)."""
        t = np.asarray(self.times, dtype=float)
        if self.interpolation == "linear":
            return [float(x) for x in t]
        return [] if self.periodic else [float(t[0]), float(t[-1])]


at = slots(Sampled)


@literal
def count_columns(r):
    """How many columns samples of a robot have, joint by joint, locked ones too; -1: a joint rolls."""
    found = 0
    for joint in range(1, int(r[ROBOT.links])):
        kind = kind_of_joint(r, joint)
        if kind == ROLL:
            return -1
        found += axes_of_kind(kind)
    return found


@literal
def size(g, r, where, out):
    """Parameters: whether it is periodic; table: times, then four coefficients a segment of each link's heading, in space of yaw of all links, then pitch."""
    joints, given = r[ROBOT.links] - 1.0, g[at.values + 2]
    columns = r[ROBOT.links] if where == IN_PLANE else 2.0 * r[ROBOT.links]
    out[PARAMETERS], out[ROWS], out[COLUMNS] = 1, g[at.times + 1], 1.0 + 4.0 * columns
    out[WORK_ROWS], out[WORK_COLUMNS] = BANDS, g[at.times + 1]
    out[KERNEL] = KIND if where == IN_PLANE else IN_SPACE_KIND
    out[REASON], out[REASON + 1] = given, joints
    if where == IN_PLANE:
        return 0 if given == joints else 1
    if where == RAW:
        return 0
    out[REASON + 2] = count_columns(r)
    if out[REASON + 2] < 0.0:
        return 3
    return 0 if given == out[REASON + 2] else 2


@literal
def put_headings(g, k, tab):
    """Set the headings of the links at sample k, about their mean, in the last block of the table."""
    n = (tab.shape[1] - 1) // 4
    first, d, angle = int(g[at.values]) + k * (n - 1), 1 + 3 * n, 0.0
    tab[k, d] = 0.0
    for i in range(1, n):
        angle += g[first + i - 1]
        tab[k, d + i] = angle
    mean = total(tab[k], d, n) / n
    for i in range(n):
        tab[k, d + i] -= mean


@literal
def put_angles(g, r, k, tab):
    """Set yaw and pitch of the joints at sample k in the last block of the table."""
    n, place = int(r[ROBOT.links]), int(g[at.values]) + k * int(g[at.values + 2])
    for joint in range(1, n):
        kind = kind_of_joint(r, joint)
        if kind in (YAW, UNIVERSAL, PITCH_YAW):
            tab[k, 1 + 6 * n + joint] = g[place]
            place += 1
        if kind in (PITCH, UNIVERSAL, PITCH_YAW):
            tab[k, 1 + 7 * n + joint] = g[place]
            place += 1


@literal
def fill(g, r, where, par, tab, work):
    """Fill parameters and table."""
    par[0] = g[at.periodic]
    for k in range(tab.shape[0]):
        tab[k, 0] = g[int(g[at.times]) + k]
        if where == IN_PLANE:
            put_headings(g, k, tab)
        elif where == IN_SPACE:
            put_angles(g, r, k, tab)
    if where != RAW:
        ends = 0.0 if math.isnan(g[at.ends]) else g[at.ends]
        fill_pieces(tab, g[at.interpolation] == CUBIC, par[0] > 0.0, ends, work)
    return 0


@literal
def times(g, r, par, tab, out):
    """The period is that of periodic samples; steady after three."""
    period = tab[tab.shape[0] - 1, 0] - tab[0, 0]
    out[PERIOD] = out[SHORTEST] = period if par[0] > 0.0 else math.nan
    out[STEADY_FROM] = 3.0 * period if par[0] > 0.0 else math.inf
    out[STEADY_UNTIL] = math.inf


Sampled.KERNELS = Kernels(size, fill, times)


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
