"""Joint angles of any gait in space: waves of yaw and pitch, the planar gaits lifted, samples.

`source_of` gives what the kernels need of a gait on a robot; `joint_angles` fills yaw and
pitch of every joint and their rates. A planar gait has yaw only: its headings' differences.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np

from serpenoid.compiled import literal, njit, table_in
from serpenoid.core import FloatArray, Robot
from serpenoid.core.errors import InputError
from serpenoid.core.slots import (
    FIXED,
    PITCH,
    PITCH_YAW,
    ROBOT,
    UNIVERSAL,
    YAW,
    is_locked,
    kind_of_joint,
    robot_numbers,
)
from serpenoid.gaits import custom, function, sampled, sequence, serpenoid, standing_wave, waves
from serpenoid.gaits.preparing import IN_SPACE, prepared
from serpenoid.gaits.rows import check_gait

WAVES, SAMPLED = waves.WAVES, sampled.IN_SPACE_KIND
_SERPENOID, _STANDING_WAVE, _SAMPLED_HEADINGS = (
    serpenoid.Serpenoid.KIND,
    standing_wave.StandingWave.KIND,
    sampled.Sampled.KIND,
)
_CUSTOM, _FUNCTION, _SEQUENCE = custom.CustomGait.KIND, function.FunctionGait.KIND, sequence.Sequence.KIND
_IN_PLANE = {_SERPENOID, _STANDING_WAVE, _SAMPLED_HEADINGS, _CUSTOM, _FUNCTION}
_NO_AXIS = (
    "the {{kind}} gait has a wave of {axis}, and no joint of {{name}} ({{joints}}) can {axis}: "
    'give it joints = "alternating" or "universal", or a gait without that wave'
)
MISFITS = (
    _NO_AXIS.format(axis="yaw"),
    _NO_AXIS.format(axis="pitch"),
    "a {kind} gait bends in the plane by yaw joints; {name} has {joints} joints: use a gait of two waves",
)
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
    compiled = getattr(gait, "KERNELS", None) is not None and gait.KIND != WAVES
    given = prepared(gait, robot, IN_SPACE) if compiled else (gait.KIND, *gait.row(robot))
    kind, par, tab = check_gait(gait, given[0], given[1:], robot)
    reason = misfit(kind, robot_numbers(robot), tab)
    if reason:
        raise InputError(MISFITS[reason - 1].format(kind=gait.NAME, name=robot.name, joints=robot.joints_text))
    return kind, par, tab


@literal
def misfit(kind, r, tab):
    """Number of the sentence in MISFITS why a gait does not fit the joints of a robot in space; 0: it does. A wave that no joint has would be dropped."""
    yaws, pitches, planar = False, False, True
    for joint in range(1, int(r[ROBOT.links])):
        if not is_locked(r, joint):
            code = kind_of_joint(r, joint)
            yaws, pitches = (
                yaws or code in (YAW, UNIVERSAL, PITCH_YAW),
                pitches or code in (PITCH, UNIVERSAL, PITCH_YAW),
            )
            planar = planar and code in (YAW, FIXED)
    if kind != WAVES:
        return 0 if planar or kind == SAMPLED else 3
    waves_of_yaw, waves_of_pitch = False, False
    for row in range(2):
        for j in range(tab.shape[1]):
            waves_of_yaw = waves_of_yaw or tab[waves.YAW + row, j] != 0.0
            waves_of_pitch = waves_of_pitch or tab[waves.PITCH + row, j] != 0.0
    if waves_of_yaw and not yaws:
        return 1
    return 2 if waves_of_pitch and not pitches else 0


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
