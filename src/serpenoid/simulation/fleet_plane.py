"""Many planar robots in one call: each follows its next joint angles up to a step of its own, and is read at the end.

The loop takes the steps of `planar.step` on the arrays of the robots' own engines. It is told where they are: one table of addresses
per robot (`contact.sensed`), in the order of constants, state, scratch, frames, and the curve that the joints follow. Robots share
nothing, so results do not depend on how they are divided among threads.
"""

from __future__ import annotations

import math

import numpy as np

from serpenoid.compiled import carray, kernel, njit, pointer
from serpenoid.compiled.address import call_flag, call_whole, claim
from serpenoid.contact.self_contact import LinkSkin, Touching
from serpenoid.contact.sensed import (
    ADDRESS,
    BLOCK,
    COM,
    FIRST,
    GYRO,
    SIZE,
    TIME,
    TIP,
    TIP_WAY,
    UP,
    VELOCITY,
    WAY,
    WORK,
    row_of,
    table_of,
)  # fmt: skip
from serpenoid.contact.sums import POSITIVE_WORK
from serpenoid.planar.layout import (
    ANGLE0,
    DONE,
    LENGTH,
    LEVER,
    MODE,
    PRESCRIBED,
    PSI,
    Q0,
    Q1,
    STEP,
    T0,
    T1,
    TORQUE,
    TOTAL,
    TURN0,
    V0,
    V1,
    VX,
    VY,
    PlanarConstants,
    PlanarFrames,
    PlanarScratch,
    PlanarState,
    X,
    Y,
)  # fmt: skip


@njit
def constants_at(t):
    """Constants of a robot."""
    skin = LinkSkin(row_of(t, 8), row_of(t, 9), row_of(t, 10), row_of(t, 11))
    return PlanarConstants(
        table_of(t, 0), table_of(t, 1), table_of(t, 2), row_of(t, 3), table_of(t, 4), row_of(t, 5), row_of(t, 6), table_of(t, 7), skin
    )  # fmt: skip


@njit
def state_at(t):
    """State of a robot."""
    return PlanarState(row_of(t, 12), table_of(t, 13), table_of(t, 14), row_of(t, 15), table_of(t, 16), table_of(t, 17))


@njit
def scratch_at(t):
    """Working space of a robot."""
    own = Touching(
        table_of(t, 25), table_of(t, 26), table_of(t, 27), table_of(t, 28), table_of(t, 29), table_of(t, 30), row_of(t, 31)
    )  # fmt: skip
    return PlanarScratch(
        table_of(t, 18), table_of(t, 19), table_of(t, 20), table_of(t, 21), table_of(t, 22), row_of(t, 23), table_of(t, 24), own
    )  # fmt: skip


@njit
def frames_at(t):
    """Recorded frames of a robot."""
    links = carray(pointer(t[33, ADDRESS]), (t[33, SIZE], t[33, SIZE + 1], t[33, SIZE + 2]))
    return PlanarFrames(table_of(t, 32), links)


@njit
def aim(t, state, joints, goal, t1, next_curve):
    """Let the joints go on from where their curve ends to the next angles, as `Simulation.advance` does."""
    curve, earlier, times, goals = table_of(t, 34), row_of(t, 35), row_of(t, 36), table_of(t, 37)
    t0 = times[1]
    for j in range(len(joints)):
        curve[0, j], curve[1, j] = curve[2, j], curve[3, j]
        goals[0, j], goals[1, j] = goal[j], np.nan
    call_flag(next_curve, (curve, earlier, times, goals, t1, False))
    rows = state.joints
    for j in range(len(joints)):
        c = joints[j]
        rows[Q0, c], rows[V0, c], rows[Q1, c], rows[V1, c] = curve[0, j], curve[1, j], curve[2, j], curve[3, j]
    state.motion[T0], state.motion[T1] = t0, t1


@njit
def read(constants, state, joints, out):
    """Write what is sensed of a robot into a row."""
    q, links, n, m = state.motion, state.links, state.links.shape[1], len(joints)
    c, s = math.cos(q[PSI]), math.sin(q[PSI])
    out[TIME] = q[DONE] * constants.numbers[STEP]
    out[COM], out[COM + 1], out[COM + 2] = q[X], q[Y], 0.0
    out[VELOCITY], out[VELOCITY + 1], out[VELOCITY + 2] = c * q[VX] - s * q[VY], s * q[VX] + c * q[VY], 0.0
    x, y, tail_x, tail_y = 0.0, 0.0, 0.0, 0.0
    along, aside = 0.0, 0.0  # from tail's end to head's tip
    for i in range(n):
        a = links[ANGLE0, i] + q[PSI]
        ca, sa = math.cos(a), math.sin(a)
        x, y = x + ca, y + sa
        tail_x, tail_y = tail_x + constants.links[LEVER, i] * ca, tail_y + constants.links[LEVER, i] * sa
        along, aside = along + constants.links[LENGTH, i] * ca, aside + constants.links[LENGTH, i] * sa
        if i == n - 1:
            out[TIP_WAY], out[TIP_WAY + 1] = ca, sa
    size = math.sqrt(x * x + y * y) + 1e-300
    out[WAY], out[WAY + 1] = x / size, y / size
    total = constants.numbers[TOTAL]
    out[TIP], out[TIP + 1], out[TIP + 2] = q[X] + along - tail_x / total, q[Y] + aside - tail_y / total, 0.0
    out[UP], out[UP + 1], out[UP + 2] = 0.0, 0.0, 1.0
    out[GYRO], out[GYRO + 1], out[GYRO + 2] = 0.0, 0.0, links[TURN0, n // 2]
    out[WORK] = state.sums[POSITIVE_WORK]
    for j in range(m):
        i = joints[j]
        out[FIRST + j] = links[ANGLE0, i] - links[ANGLE0, i - 1]
        out[FIRST + m + j] = links[TURN0, i] - links[TURN0, i - 1]
        out[FIRST + 2 * m + j] = state.joints[TORQUE, i]
    for i in range(n):
        out[FIRST + 3 * m + i] = 0.0


@njit
def advance_one(t, joints, code, goal, following, first, to, out):
    """Advance one robot and read it; how it ended."""
    constants, state, ended = constants_at(t), state_at(t), 0
    if following:
        aim(t, state, joints, goal, to * constants.numbers[STEP], code[0])
    if to > state.motion[DONE]:
        march = code[1] if state.motion[MODE] == PRESCRIBED else code[2]
        ended = call_whole(march, (constants, state, scratch_at(t), frames_at(t), first, to))
    read(constants, state, joints, out)
    return ended


@kernel
def advance_planar(turn, tables, joints, code, goals, following, first, to, ended, out):
    """Advance robots to steps `to`, those that are `following` a curve by their next goal; how each ended, and what is sensed then.

    `code`: addresses of `next_curve`, `march_prescribed` and `march_driven`. `turn`: the next robot that no thread has taken yet.
    """
    k = claim(turn, BLOCK)
    while k < len(to):
        for i in range(k, min(k + BLOCK, len(to))):
            ended[i] = advance_one(tables[i], joints, code, goals[i], following[i], first[i], to[i], out[i])
        k = claim(turn, BLOCK)
