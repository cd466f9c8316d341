"""Steps in sequence, and the frames that they leave: the compiled loop of the spatial engine.

A frame is one row of numbers: motion, sums, then one block per link, degree of freedom and anchor (`spatial.layout`, rows R_...).
"""

from __future__ import annotations

import math

from serpenoid.compiled import carray, kernel, njit, pointer
from serpenoid.contact.self_contact import LinkSkin, Touching
from serpenoid.contact.spots import SpotTables, Terrain
from serpenoid.contact.sums import SLOTS
from serpenoid.core.checks import MOST_STEPS
from serpenoid.spatial.anchors import ON, PULL_X, PULL_Y
from serpenoid.spatial.command import set_command
from serpenoid.spatial.contacts import contact_loads
from serpenoid.spatial.kinematics import place_body
from serpenoid.spatial.layout import (
    ALL_HELD,
    ANGLE,
    DONE,
    DT,
    EX,
    EZ,
    FRAME_ANCHOR_ROWS,
    FRAME_DOF_ROWS,
    FRAME_LINK_ROWS,
    GAIT,
    HEADING,
    IDEAL,
    MODE,
    MOTION_ROWS,
    NONE_HELD,
    PJ,
    R_ANGLE,
    R_AXIS,
    R_BACK,
    R_FX,
    R_FY,
    R_LOADS,
    R_ON,
    R_PLACE,
    R_RATE,
    R_SPIN,
    R_TARGET,
    R_TORQUE,
    RATE,
    SOME_HELD,
    STRIDE,
    TARGET,
    TORQUE,
    TRACK,
    WALL_NAME,
    SpatialBefore,
    SpatialChain,
    SpatialConstants,
    SpatialScratch,
    SpatialState,
    W,
    X,
)  # fmt: skip
from serpenoid.spatial.newton import is_held
from serpenoid.spatial.step import step

GOOD, DIVERGED, UNKNOWN, OUT_OF_RANGE = 0, 1, 2, 3
_LINKS = MOTION_ROWS + SLOTS  # where the links' block begins
_TURN = 2.0 * math.pi


def frame_size(links: int, dofs: int, anchors: int) -> int:
    """Numbers of a frame."""
    return _LINKS + FRAME_LINK_ROWS * links + FRAME_DOF_ROWS * dofs + FRAME_ANCHOR_ROWS * anchors


@kernel
def place_state(constants, state, scratch):
    """`place_body` for callers from Python."""
    place_body(constants.chain, state, scratch.body, scratch.axes)


@njit
def mean_heading(body, near):
    """Direction of the mean link axis seen from above, the turn nearest to `near`."""
    x, y = 0.0, 0.0
    for i in range(body.shape[1]):
        x += body[EX, i]
        y += body[EX + 1, i]
    angle = math.atan2(y, x)
    return angle + _TURN * round((near - angle) / _TURN)


@njit
def record_loads(state, row):
    """Write the loads of the last step, torques, targets and anchors into a frame."""
    n, m, k = state.loads.shape[1], state.dofs.shape[1], state.anchors.shape[1]
    for e in range(WALL_NAME):
        for i in range(n):
            row[_LINKS + (R_LOADS + e) * n + i] = state.loads[e, i]
    begin = _LINKS + FRAME_LINK_ROWS * n
    for i in range(m):
        row[begin + R_TORQUE * m + i] = state.dofs[TORQUE, i]
        row[begin + R_TARGET * m + i] = state.dofs[TARGET, i]
    begin += FRAME_DOF_ROWS * m
    for i in range(k):
        row[begin + R_FX * k + i] = state.anchors[PULL_X, i]
        row[begin + R_FY * k + i] = state.anchors[PULL_Y, i]
        row[begin + R_ON * k + i] = state.anchors[ON, i]


@kernel
def record_frame(constants, state, scratch, row):
    """Write the state into a frame; the scratch is overwritten, the state is not."""
    body, q = scratch.body, state.motion
    n, m = state.loads.shape[1], state.dofs.shape[1]
    place_body(constants.chain, state, body, scratch.axes)
    for e in range(MOTION_ROWS):
        row[e] = q[e]
    row[HEADING] = mean_heading(body, q[HEADING])
    for e in range(SLOTS):
        row[MOTION_ROWS + e] = state.sums[e]
    for e in range(3):
        for i in range(n):
            row[_LINKS + (R_PLACE + e) * n + i] = q[X + e] + body[PJ + e, i]
            row[_LINKS + (R_AXIS + e) * n + i] = body[EX + e, i]
            row[_LINKS + (R_BACK + e) * n + i] = body[EZ + e, i]
            row[_LINKS + (R_SPIN + e) * n + i] = body[W + e, i]
    begin = _LINKS + FRAME_LINK_ROWS * n
    for i in range(m):
        row[begin + R_ANGLE * m + i] = state.dofs[ANGLE, i]
        row[begin + R_RATE * m + i] = state.dofs[RATE, i]
    record_loads(state, row)


@kernel
def keep_frame(constants, state, scratch, row):
    """Write the state into a frame of the record: later headings go on from its heading."""
    record_frame(constants, state, scratch, row)
    state.motion[HEADING] = row[HEADING]


@njit
def borrowed(array):
    """The same numbers without a count of references, which costs time wherever an array is handed on."""
    return carray(pointer(array.ctypes.data), array.shape)


@njit
def borrowed_constants(c):
    """Constants with borrowed arrays."""
    h, t = c.chain, c.terrain
    k = h.skin
    skin = LinkSkin(borrowed(k.numbers), borrowed(k.arc), borrowed(k.radius), borrowed(k.node))
    chain = SpatialChain(borrowed(h.links), h.first, h.kinds, borrowed(h.actuators), h.total, skin)
    terrain = Terrain(borrowed(t.ground), borrowed(t.field), borrowed(t.objects), borrowed(t.anchors))
    return SpatialConstants(chain, terrain, borrowed(c.numbers), borrowed(c.par), borrowed(c.tab))


@njit
def borrowed_state(s):
    """State with borrowed arrays."""
    return SpatialState(
        borrowed(s.motion), borrowed(s.momenta), borrowed(s.dofs), borrowed(s.sums), borrowed(s.memory), borrowed(s.anchors),
        borrowed(s.loads),
    )  # fmt: skip


@njit
def borrowed_scratch(w):
    """Scratch with borrowed arrays."""
    c = w.contacts
    o = c.own
    own = Touching(
        borrowed(o.nodes), borrowed(o.seen), borrowed(o.tree), borrowed(o.pairs), borrowed(o.touch), borrowed(o.work), borrowed(o.counts)
    )  # fmt: skip
    tables = SpotTables(borrowed(c.spots), borrowed(c.touch), borrowed(c.friction), own)
    b = w.before
    before = SpatialBefore(
        borrowed(b.motion), borrowed(b.momenta), borrowed(b.dofs), borrowed(b.sums), borrowed(b.spots)
    )
    return SpatialScratch(borrowed(w.body), borrowed(w.axes), borrowed(w.command), borrowed(w.torques), tables, before)


@kernel
def march(constants, state, scratch, frames, first, to):
    """Steps up to number `to`, with a frame every STRIDE steps; row 0 of `frames` is frame number `first`.

    Returns GOOD, DIVERGED, UNKNOWN or OUT_OF_RANGE. The forces of the first step are those of frame 0 too.
    """
    constants, state, scratch = borrowed_constants(constants), borrowed_state(state), borrowed_scratch(scratch)
    numbers, q = constants.numbers, state.motion
    dt, stride = numbers[DT], int(numbers[STRIDE])
    if not (0.0 <= q[DONE] <= MOST_STEPS) or stride < 1:
        return OUT_OF_RANGE
    k, some = int(q[DONE]), False
    if first < 0 or first > k // stride + 1 or to // stride - first >= len(frames):  # no room for a frame
        return OUT_OF_RANGE
    for j in range(state.dofs.shape[1]):
        some = some or not is_held(constants.chain, state.dofs, j)
    while k < to:
        if not set_command(constants, state, scratch, (k + 1) * dt, dt):
            return UNKNOWN
        which = NONE_HELD
        if numbers[IDEAL] > 0.0 and (q[MODE] == GAIT or q[MODE] == TRACK):
            which = SOME_HELD if some else ALL_HELD
        good, total, origin = step(constants, state, scratch, (k + 1) * dt, which)
        if not good:
            return DIVERGED
        k += 1
        q[DONE] = k
        recorded = k % stride == 0
        if recorded or k == to or k == 1:
            contact_loads(state.loads, scratch.contacts, total, origin)
        if k == 1 and first == 0:
            record_loads(state, frames[0])
        if recorded:
            keep_frame(constants, state, scratch, frames[k // stride - first])
    return GOOD
