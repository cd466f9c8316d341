"""Many robots in space in one call: what `fleet_plane` does, by the steps of `spatial.march`.

The chain's whole numbers (which degrees of freedom a joint has, and of what kind) and the mass are those of one robot, which all share.
"""

from __future__ import annotations

import math

import numpy as np

from serpenoid.compiled import kernel, njit
from serpenoid.compiled.address import call_flag, call_whole, claim
from serpenoid.contact.self_contact import LinkSkin, Touching
from serpenoid.contact.sensed import (
    BLOCK,
    COM,
    FIRST,
    GYRO,
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
from serpenoid.contact.spots import SpotTables, Terrain
from serpenoid.contact.sums import POSITIVE_WORK
from serpenoid.spatial.kinematics import place_body
from serpenoid.spatial.layout import (
    ANGLE,
    DONE,
    DT,
    EX,
    EY,
    FROM,
    FROM_ANGLE,
    FROM_RATE,
    LENGTH,
    PJ,
    RATE,
    TO,
    TO_ANGLE,
    TO_RATE,
    TORQUE,
    VX,
    WALL_FORCE,
    SpatialBefore,
    SpatialChain,
    SpatialConstants,
    SpatialScratch,
    SpatialState,
    W,
    X,
)  # fmt: skip


@njit
def constants_at(t, chain):
    """Constants of a robot; whole numbers and the mass are those of `chain`."""
    skin = LinkSkin(row_of(t, 2), row_of(t, 3), row_of(t, 4), row_of(t, 5))
    own = SpatialChain(table_of(t, 0), chain.first, chain.kinds, table_of(t, 1), chain.total, skin)
    terrain = Terrain(row_of(t, 6), table_of(t, 7), table_of(t, 8), table_of(t, 9))
    return SpatialConstants(own, terrain, row_of(t, 10), row_of(t, 11), table_of(t, 12))


@njit
def state_at(t):
    """State of a robot."""
    return SpatialState(
        row_of(t, 13), table_of(t, 14), table_of(t, 15), row_of(t, 16), table_of(t, 17), table_of(t, 18), table_of(t, 19)
    )  # fmt: skip


@njit
def scratch_at(t):
    """Working space of a robot."""
    own = Touching(
        table_of(t, 27), table_of(t, 28), table_of(t, 29), table_of(t, 30), table_of(t, 31), table_of(t, 32), row_of(t, 33)
    )  # fmt: skip
    spots = SpotTables(table_of(t, 24), table_of(t, 25), table_of(t, 26), own)
    before = SpatialBefore(row_of(t, 34), table_of(t, 35), table_of(t, 36), row_of(t, 37), table_of(t, 38))
    return SpatialScratch(table_of(t, 20), table_of(t, 21), table_of(t, 22), table_of(t, 23), spots, before)


@njit
def aim(t, state, goal, t1, next_curve):
    """Let the joints go on from where their curve ends to the next angles, as `Simulation.advance` does."""
    curve, earlier, times, goals = table_of(t, 40), row_of(t, 41), row_of(t, 42), table_of(t, 43)
    t0, dofs = times[1], state.dofs
    for j in range(dofs.shape[1]):
        curve[0, j], curve[1, j] = curve[2, j], curve[3, j]
        goals[0, j], goals[1, j] = goal[j], np.nan
    call_flag(next_curve, (curve, earlier, times, goals, t1, False))
    for j in range(dofs.shape[1]):
        dofs[FROM_ANGLE, j], dofs[FROM_RATE, j] = curve[0, j], curve[1, j]
        dofs[TO_ANGLE, j], dofs[TO_RATE, j] = curve[2, j], curve[3, j]
    state.motion[FROM], state.motion[TO] = t0, t1


@njit
def read(constants, state, scratch, out):
    """Write what is sensed of a robot into a row."""
    body, q, dofs = scratch.body, state.motion, state.dofs
    n, m = body.shape[1], dofs.shape[1]
    place_body(constants.chain, state, body, scratch.axes)
    out[TIME] = q[DONE] * constants.numbers[DT]
    x, y, last, mid = 0.0, 0.0, n - 1, n // 2
    for i in range(n):
        x, y = x + body[EX, i], y + body[EX + 1, i]
    size = math.sqrt(x * x + y * y) + 1e-300
    out[WAY], out[WAY + 1] = x / size, y / size
    ahead = math.sqrt(body[EX, last] ** 2 + body[EX + 1, last] ** 2) + 1e-300
    out[TIP_WAY], out[TIP_WAY + 1] = body[EX, last] / ahead, body[EX + 1, last] / ahead
    for e in range(3):
        out[COM + e], out[VELOCITY + e] = q[X + e], q[VX + e]
        out[TIP + e] = q[X + e] + body[PJ + e, last] + constants.chain.links[LENGTH, last] * body[EX + e, last]
        axis = EX + 3 * e
        out[UP + e] = body[axis + 2, mid]
        out[GYRO + e] = body[axis, mid] * body[W, mid] + body[axis + 1, mid] * body[W + 1, mid] + body[axis + 2, mid] * body[W + 2, mid]  # fmt: skip
    out[WORK] = state.sums[POSITIVE_WORK]
    for j in range(m):
        out[FIRST + j], out[FIRST + m + j], out[FIRST + 2 * m + j] = dofs[ANGLE, j], dofs[RATE, j], dofs[TORQUE, j]
    for i in range(n):
        side = 0.0
        for e in range(3):
            side += body[EY + e, i] * state.loads[WALL_FORCE + e, i]
        out[FIRST + 3 * m + i] = side


@njit
def advance_one(t, chain, code, goal, following, first, to, out):
    """Advance one robot and read it; how it ended."""
    constants, state, scratch, ended = constants_at(t, chain), state_at(t), scratch_at(t), 0
    if following:
        aim(t, state, goal, to * constants.numbers[DT], code[0])
    if to > state.motion[DONE]:
        ended = call_whole(code[1], (constants, state, scratch, table_of(t, 39), first, to))
    read(constants, state, scratch, out)
    return ended


@kernel
def advance_spatial(turn, tables, chain, code, goals, following, first, to, ended, out):
    """Advance robots to steps `to`, those that are `following` a curve by their next goal; how each ended, and what is sensed then.

    `code`: addresses of `next_curve` and `march`. `turn`: the next robot that no thread has taken yet.
    """
    k = claim(turn, BLOCK)
    while k < len(to):
        for i in range(k, min(k + BLOCK, len(to))):
            ended[i] = advance_one(tables[i], chain, code, goals[i], following[i], first[i], to[i], out[i])
        k = claim(turn, BLOCK)
