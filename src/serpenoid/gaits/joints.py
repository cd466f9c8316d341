"""Joint angles of any gait in space: waves of yaw and pitch, the planar gaits lifted, samples.

`source_of` gives what the kernels need of a gait on a robot; `joint_angles` fills yaw and
pitch of every joint and their rates. A planar gait has yaw only: its headings' differences.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np

from serpenoid.compiled import njit, table_in
from serpenoid.core import FloatArray, Robot
from serpenoid.core.errors import InputError
from serpenoid.gaits import custom, function, sampled, sequence, serpenoid, standing_wave, waves
from serpenoid.gaits.rows import check_gait

WAVES, SAMPLED = 10, 11
_SERPENOID, _STANDING_WAVE, _SAMPLED_HEADINGS = (
    serpenoid.Serpenoid.KIND,
    standing_wave.StandingWave.KIND,
    sampled.Sampled.KIND,
)
_CUSTOM, _FUNCTION, _SEQUENCE = custom.CustomGait.KIND, function.FunctionGait.KIND, sequence.Sequence.KIND
_IN_PLANE = {_SERPENOID, _STANDING_WAVE, _SAMPLED_HEADINGS, _CUSTOM, _FUNCTION}
ROWS = 12  # of what `joint_angles` fills


@njit
def joint_angles(kind, par, tab, t, aim):
    """Fill rows 0 to 3 of `aim`, (12, n): yaw, its rate, pitch, its rate, of the joint at the tail side of every link.

    Users' own gaits fill roll and its rate too, rows 4 and 5; rows 6 to 11 are working space of a sequence.
    """
    if kind != _SEQUENCE:
        angles_of(kind, par, tab, t, aim)
        return
    for i in range(aim.shape[1]):  # only some gaits roll
        aim[4, i], aim[5, i], aim[10, i], aim[11, i] = 0.0, 0.0, 0.0, 0.0
    k, share, rate, _bend = sequence.part_at(par, t)
    angles_in(par, k, t, aim[:6])
    if share < 1.0:
        angles_in(par, k - 1, t, aim[6:12])
        sequence.mix_angles(aim, share, rate)


@njit
def angles_in(par, k, t, aim):
    """The same by gait k of a sequence."""
    a, b, first, rows, columns = sequence.spans_of(par, k)
    table = table_in(par, first, rows, columns)
    angles_of(sequence.kind_of(par, k), par[a:b], table, sequence.time_of(par, k, t), aim)


@njit
def angles_of(kind, par, tab, t, aim):
    """The same by any gait but a sequence."""
    n = aim.shape[1]
    if kind == WAVES:
        waves.joint_angles(par, tab, t, aim)
        return
    if kind == SAMPLED:
        sampled.joint_angles(par, tab, t, aim)
        return
    if kind == _CUSTOM:
        custom.joint_angles(par, tab, t, aim)
        return
    if kind == _FUNCTION:
        function.joint_angles(par, tab, t, aim)
        return
    if kind == _SERPENOID:
        serpenoid.headings(par, tab, t, aim)
    elif kind == _STANDING_WAVE:
        standing_wave.headings(par, tab, t, aim)
    else:  # no such gait: the run ends as diverged
        aim[:, :] = math.nan
    for k in range(n - 1):
        i = n - 1 - k
        aim[0, i] -= aim[0, i - 1]
        aim[1, i] -= aim[1, i - 1]
    for i in range(n):
        aim[2, i] = 0.0
        aim[3, i] = 0.0
    aim[0, 0] = 0.0
    aim[1, 0] = 0.0


def first_heading(gait: Any, robot: Robot) -> tuple[float, float] | None:
    """Heading of link 0 in the body frame of a planar gait at t = 0 and its rate; None for a gait without such a frame."""
    kinds = {getattr(part, "KIND", None) for part in getattr(gait, "parts", (gait,))}
    if not kinds <= _IN_PLANE or not robot.planar:
        return None
    from serpenoid.gaits import headings

    out = np.zeros((6, robot.links))
    par, tab = gait.row(robot)
    headings(gait.KIND, par, tab, 0.0, out)
    return float(out[0, 0]), float(out[1, 0])


def source_of(gait: Any, robot: Robot) -> tuple[int, FloatArray, FloatArray]:
    """Kind, parameters and table of a gait for the kernels; those of users' functions are made anew, for kernels write into them."""
    if hasattr(gait, "row_in_space"):
        return check_gait(gait, gait.KIND, gait.row_in_space(robot), robot)
    return _source(gait, robot)


@lru_cache(maxsize=32)
def _source(gait: Any, robot: Robot) -> tuple[int, FloatArray, FloatArray]:
    """Kind, parameters and table of a built-in gait."""
    if gait.KIND == _SAMPLED_HEADINGS:
        return check_gait(gait, SAMPLED, ([float(gait.periodic)], gait.joint_table(robot)), robot)
    kind, par, tab = check_gait(gait, gait.KIND, gait.row(robot), robot)
    if gait.KIND == WAVES:
        _check_axes(gait, robot, tab)
    elif not robot.planar:
        raise InputError(
            f"a {gait.NAME} gait bends in the plane by yaw joints; {robot.name} has {robot.joints_text} joints: use a gait of two waves"
        )
    return kind, par, tab


def _check_axes(gait: Any, robot: Robot, tab: FloatArray) -> None:
    """Refuse a wave about an axis that no joint of the robot has: it would be dropped."""
    there = {kind for _, kind in robot.axes}
    for first, axis in ((0, "yaw"), (4, "pitch")):
        if axis not in there and np.any(tab[first : first + 2] != 0.0):
            raise InputError(
                f"the {gait.NAME} gait has a wave of {axis}, and no joint of {robot.name} ({robot.joints_text}) can {axis}: "
                'give it joints = "alternating" or "universal", or a gait without that wave'
            )


def angles_at(kind: int, par: FloatArray, tab: FloatArray, t: float, links: int) -> FloatArray:
    """Yaw, pitch and roll of the joints at one time, (3, n-1); only users' own gaits roll."""
    aim = np.zeros((ROWS, links))
    joint_angles(kind, par, tab, t, aim)
    return aim[:6:2, 1:].copy()


def angles(gait: Any, robot: Robot, t: float) -> FloatArray:
    """Joint angles (dof,) of a built-in gait at time t, in the order of `robot.axes`, rad."""
    every = angles_at(*source_of(gait, robot), float(t), robot.links)
    rows = dict(zip(("yaw", "pitch", "roll"), every, strict=True))
    return np.array([rows[kind][joint - 1] for joint, kind in robot.axes])
