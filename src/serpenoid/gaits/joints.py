"""Joint angles of any gait in space: waves of yaw and pitch, the planar gaits lifted, samples.

`source_of` gives what the kernels need of a gait on a robot, checked against its joint limits; `joint_angles` fills yaw and
pitch of every joint and their rates. A planar gait has yaw only: its headings' differences.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np

from serpenoid.compiled import njit
from serpenoid.core import FloatArray, Robot
from serpenoid.core.errors import InputError
from serpenoid.gaits import custom, function, sampled, serpenoid, standing_wave, waves

WAVES, SAMPLED = 10, 11
_SERPENOID, _STANDING_WAVE, _SAMPLED_HEADINGS = (
    serpenoid.Serpenoid.KIND,
    standing_wave.StandingWave.KIND,
    sampled.Sampled.KIND,
)
_CUSTOM, _FUNCTION = custom.CustomGait.KIND, function.FunctionGait.KIND
LOOKS = 2000  # instants at which the joint limits are checked


@njit
def joint_angles(kind, par, tab, t, aim):
    """Fill rows 0 to 3 of `aim`, (4, n): yaw, its rate, pitch, its rate, of the joint at the tail side of every link."""
    n = aim.shape[1]
    if kind == WAVES:
        waves.joint_angles(par, tab, t, aim)
        return
    if kind == SAMPLED:
        sampled.joint_angles(tab, t, aim)
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
    if getattr(gait, "KIND", None) not in (_SERPENOID, _STANDING_WAVE):
        return None
    from serpenoid.gaits import headings

    out = np.zeros((3, robot.links))
    par, tab = gait.row(robot)
    headings(gait.KIND, par, tab, 0.0, out)
    return float(out[0, 0]), float(out[1, 0])


def source_of(gait: Any, robot: Robot) -> tuple[int, FloatArray, FloatArray]:
    """Kind, parameters and table of a gait for the kernels; refused where it asks for more than the joints allow."""
    kind, par, tab = _parts(gait, robot)
    times = _times(gait, robot, tab if kind == SAMPLED else None)
    looks = np.stack([angles_at(kind, par, tab, t, robot.links) for t in times])
    waves.check_limits(robot, looks[:, 0], looks[:, 1], f"the {getattr(gait, 'NAME', 'sampled')} gait")
    return kind, par, tab


def _parts(gait: Any, robot: Robot) -> tuple[int, FloatArray, FloatArray]:
    """Kind, parameters and table; those of users' functions are made anew, for kernels write into them."""
    if hasattr(gait, "row_in_space"):
        return (gait.KIND, *gait.row_in_space(robot))
    return _source(gait, robot)


@lru_cache(maxsize=32)
def _source(gait: Any, robot: Robot) -> tuple[int, FloatArray, FloatArray]:
    """Kind, parameters and table of a built-in gait."""
    if gait.KIND == _SAMPLED_HEADINGS:
        return SAMPLED, np.zeros(1), np.ascontiguousarray(gait.joint_table(robot))
    par, tab = gait.row(robot)
    if gait.KIND != WAVES and not robot.planar:
        raise InputError(
            f"a {gait.NAME} gait bends in the plane by yaw joints; {robot.name} has {robot.joints_text} joints: use a gait of two waves"
        )
    return gait.KIND, par, np.ascontiguousarray(tab)


def _times(gait: Any, robot: Robot, samples: FloatArray | None) -> FloatArray:
    """Instants at which the joint limits are checked: the samples' span, or until the gait is steady and a period more."""
    if samples is not None:
        return np.linspace(samples[0, 0], samples[-1, 0], LOOKS)
    begin = max([0.0, getattr(gait, "ramp_time", 0.0), *gait.kinks()])
    return np.linspace(0.0, begin + (gait.period(robot) or 0.0), LOOKS)


def angles_at(kind: int, par: FloatArray, tab: FloatArray, t: float, links: int) -> FloatArray:
    """Yaw, pitch and roll of the joints at one time, (3, n-1); only users' own gaits roll."""
    aim = np.zeros((6, links))
    joint_angles(kind, par, tab, t, aim)
    return aim[::2, 1:].copy()


def angles(gait: Any, robot: Robot, t: float) -> FloatArray:
    """Joint angles (dof,) of a built-in gait at time t, in the order of `robot.axes`, rad."""
    every = angles_at(*_parts(gait, robot), float(t), robot.links)
    rows = dict(zip(("yaw", "pitch", "roll"), every, strict=True))
    return np.array([rows[kind][joint - 1] for joint, kind in robot.axes])
