"""Joint angles of any gait in space: waves of yaw and pitch, the planar gaits lifted, samples.

`source_of` gives what the kernels need of a gait on a robot, checked against its joint limits; `joint_angles` fills yaw and
pitch of every joint and their rates. A planar gait has yaw only: its headings' differences.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from serpenoid.compiled import njit
from serpenoid.core import FloatArray, Robot
from serpenoid.core.errors import InputError
from serpenoid.gaits import sampled, serpenoid, standing_wave, waves

WAVES, SAMPLED = 10, 11
_SERPENOID, _STANDING_WAVE, _SAMPLED_HEADINGS = (
    serpenoid.Serpenoid.KIND,
    standing_wave.StandingWave.KIND,
    sampled.Sampled.KIND,
)
LOOKS = 2000  # instants at which the joint limits are checked
SAMPLES_A_SECOND = 200.0
MOST_SAMPLES = 200_000


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
    if kind == _SERPENOID:
        serpenoid.headings(par, tab, t, aim)
    elif kind == _STANDING_WAVE:
        standing_wave.headings(par, tab, t, aim)
    else:
        sampled.headings(par, tab, t, aim)
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


def source_of(gait: Any, robot: Robot, span: float | None = None) -> tuple[int, FloatArray, FloatArray]:
    """Kind, parameters and table of a gait for the kernels; refused where it asks for more than the joints allow.

    A gait that is a Python object with `joint_angles(robot, t)` is sampled over `span` seconds.
    """
    if hasattr(gait, "joint_angles"):
        if span is None:
            raise InputError("a gait that is a Python function of time needs the span (s) over which it is sampled")
        kind, par, tab = SAMPLED, np.zeros(1), _sampled_function(gait, robot, span)
    else:
        kind, par, tab = _source(gait, robot)
    times = _times(gait, robot, tab if kind == SAMPLED else None)
    looks = np.stack([angles_at(kind, par, tab, t, robot.links) for t in times])
    waves.check_limits(robot, looks[:, 0], looks[:, 1], f"the {getattr(gait, 'NAME', 'sampled')} gait")
    return kind, par, tab


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
    """Yaw and pitch of the joints at one time, (2, n-1)."""
    aim = np.zeros((4, links))
    joint_angles(kind, par, tab, t, aim)
    return aim[::2, 1:].copy()


def angles(gait: Any, robot: Robot, t: float) -> FloatArray:
    """Joint angles (dof,) of a built-in gait at time t, in the order of `robot.axes`, rad."""
    both = angles_at(*_source(gait, robot), float(t), robot.links)
    rows = {"yaw": both[0], "pitch": both[1], "roll": np.zeros(robot.links - 1)}  # these gaits do not twist
    return np.array([rows[kind][joint - 1] for joint, kind in robot.axes])


def _sampled_function(gait: Any, robot: Robot, span: float) -> FloatArray:
    """Table of a gait that is a Python function `joint_angles(robot, t)`."""
    count = int(min(MOST_SAMPLES, max(8, np.ceil(span * SAMPLES_A_SECOND))))
    times = np.linspace(0.0, span, count)
    rows = np.stack([np.asarray(gait.joint_angles(robot, float(t)), dtype=float).reshape(-1) for t in times])
    return np.ascontiguousarray(sampled.Sampled(times, rows).joint_table(robot))
