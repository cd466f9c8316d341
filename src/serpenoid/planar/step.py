"""Steps of the planar engine in a row: which step is taken, how steps are counted, when frames are recorded.

Time is the number of steps taken times the step, whatever calls it was divided into; the kernels themselves count (slot DONE of
the motion). Every STRIDE steps a frame is written; forces and torques of a frame are those of the step that ends there, and those
of the first step stand for t = 0.
"""

from __future__ import annotations

import numpy as np

from serpenoid.compiled import carray, kernel, njit, pointer
from serpenoid.contact import LAWS
from serpenoid.contact.self_contact import LinkSkin, Touching
from serpenoid.contact.sums import FIRST_STOP, SLOTS
from serpenoid.contact.touch import FN, FT, VN, VT
from serpenoid.core.checks import MOST_STEPS
from serpenoid.frames import sincos1, turned
from serpenoid.planar import drive_step, runge_kutta, shape_step
from serpenoid.planar.account import drive_torques
from serpenoid.planar.command import known
from serpenoid.planar.drive_step import plain_joints
from serpenoid.planar.layout import (
    ACTUATOR,
    ANGLE,
    ANGLE0,
    ANY_STOP,
    DONE,
    FOLLOWED,
    FORCE_N,
    FORCE_T,
    FORCE_X,
    FORCE_Y,
    FX,
    FY,
    HEADING,
    JOINT_X,
    JOINT_Y,
    JX,
    JY,
    LAST_FN,
    LAST_FT,
    LAST_FX,
    LAST_FY,
    LAST_JX,
    LAST_JY,
    LAST_NORMAL,
    LAST_VN,
    LAST_VT,
    LAW,
    LOAD,
    MODE,
    MOTION_SLOTS,
    PRESCRIBED,
    PRESS,
    PSI,
    SHARE,
    SLIP_N,
    SLIP_T,
    SOURCE,
    SPEED,
    STEP,
    STRIDE,
    TARGET,
    TORQUE,
    TRACKED,
    TURN0,
    VX,
    VY,
    WANTED,
    PlanarConstants,
    PlanarScratch,
    PlanarState,
)  # fmt: skip

FINE, NOT_FINITE, UNKNOWN_KIND, OUT_OF_RANGE, AT_STOP = 0, 1, 2, 3, 4  # how a march ended
_LAST_LAW = max(law.KIND for law in LAWS.values())


@kernel
def record_forces(state, frames, frame):
    """Write forces, torques and targets of the last step into a frame."""
    k, joints, links = state.links, state.joints, frames.links[frame]
    angles = state.motion[SOURCE] in (FOLLOWED, TRACKED)
    for i in range(k.shape[1]):
        links[ACTUATOR, i] = joints[TORQUE, i]
        links[TARGET, i] = joints[WANTED, i] if angles else np.nan
        links[JOINT_X, i], links[JOINT_Y, i] = k[LAST_JX, i], k[LAST_JY, i]
        links[FORCE_X, i], links[FORCE_Y, i] = k[LAST_FX, i], k[LAST_FY, i]
        links[SLIP_T, i], links[SLIP_N, i] = k[LAST_VT, i], k[LAST_VN, i]
        links[FORCE_T, i], links[FORCE_N, i] = k[LAST_FT, i], k[LAST_FN, i]
        links[PRESS, i] = k[LAST_NORMAL, i]


@kernel
def record_motion(state, frames, frame):
    """Write pose, velocities and sums into a frame, turned to world axes."""
    q, k, row = state.motion, state.links, frames.motion[frame]
    c, s = sincos1(q[PSI])
    for j in range(MOTION_SLOTS):
        row[j] = q[j]
    for j in range(SLOTS):
        row[MOTION_SLOTS + j] = state.sums[j]
    row[VX], row[VY] = c * q[VX] - s * q[VY], s * q[VX] + c * q[VY]
    for i in range(k.shape[1]):
        frames.links[frame, HEADING, i] = k[ANGLE0, i] + q[PSI]
        frames.links[frame, SPEED, i] = k[TURN0, i]


@njit
def sum_points(constants, k, touch):
    """Keep velocities and forces of the contacts link by link: of several points the mean by load, and the sum."""
    n, points = k.shape[1], constants.points
    for i in range(n):
        k[LAST_VT, i], k[LAST_VN, i] = points[SHARE, i] * touch[VT, i], points[SHARE, i] * touch[VN, i]
        k[LAST_FT, i], k[LAST_FN, i] = touch[FT, i], touch[FN, i]
    for j in range(n, touch.shape[1]):
        i = j % n
        k[LAST_VT, i] += points[SHARE, j] * touch[VT, j]
        k[LAST_VN, i] += points[SHARE, j] * touch[VN, j]
        k[LAST_FT, i] += touch[FT, j]
        k[LAST_FN, i] += touch[FN, j]


@kernel
def keep_forces(constants, state, scratch):
    """Keep torques, targets and forces of the last step in the state, forces in world axes."""
    k, b, touch, joints = state.links, scratch.links, scratch.touch, state.joints
    shape = state.motion[MODE] == PRESCRIBED
    c, s = sincos1(state.motion[PSI])
    stops = shape and constants.numbers[ANY_STOP] > 0.0
    if not stops and (shape or plain_joints(constants, state)):  # else the step itself has kept the torques
        drive_torques(constants.joints, b, joints)
    sum_points(constants, k, touch)
    for i in range(k.shape[1]):
        k[LAST_NORMAL, i] = b[LOAD, i]
        k[LAST_FX, i], k[LAST_FY, i] = turned(b[FX, i], b[FY, i], c, s)
        k[LAST_JX, i], k[LAST_JY, i] = turned(b[JX, i], b[JY, i], c, s)
    if shape and not stops:
        for i in range(1, k.shape[1]):
            joints[WANTED, i] = b[ANGLE, i] - b[ANGLE, i - 1]


@kernel
def record(constants, state, scratch, frames, first):
    """After a step: keep its forces; write the frame if there is one here. The storage begins with frame `first`."""
    done, stride = int(state.motion[DONE]), int(constants.numbers[STRIDE])
    keep_forces(constants, state, scratch)
    if done == 1 and first == 0:
        record_forces(state, frames, 0)
    if done % stride == 0:
        record_motion(state, frames, done // stride - first)
        record_forces(state, frames, done // stride - first)


@njit
def next_stop(constants, state, to):
    """Step number up to which nothing is recorded: the first step, the next frame, or the last step."""
    done, stride = int(state.motion[DONE]), int(constants.numbers[STRIDE])
    return 1 if done == 0 else min(to, (done // stride + 1) * stride)


@njit
def understood(constants, state):
    """Whether the kernels know the kinds of friction law, gait and drive."""
    return 0 <= int(constants.numbers[LAW]) <= _LAST_LAW and known(constants, state)


@njit
def in_range(constants, state, frames, first, to):
    """Whether all steps up to number `to` find room for their frames; asked once per call, whatever the state came from."""
    done, stride = state.motion[DONE], int(constants.numbers[STRIDE])
    if not (0.0 <= done <= MOST_STEPS) or stride < 1 or first < 0 or first > int(done) // stride + 1:
        return False
    return to // stride - first < min(len(frames.motion), len(frames.links))


@njit
def borrowed(array):
    """The same numbers without a count of references, which costs time wherever an array is handed on."""
    return carray(pointer(array.ctypes.data), array.shape)


@njit
def borrowed_constants(c):
    """Constants with borrowed arrays."""
    k = c.skin
    skin = LinkSkin(borrowed(k.numbers), borrowed(k.arc), borrowed(k.radius), borrowed(k.node))
    return PlanarConstants(
        borrowed(c.links), borrowed(c.points), borrowed(c.joints), borrowed(c.numbers), borrowed(c.patches), borrowed(c.chart),
        borrowed(c.row), borrowed(c.table), skin,
    )  # fmt: skip


@njit
def borrowed_state(s):
    """State with borrowed arrays."""
    return PlanarState(
        borrowed(s.motion), borrowed(s.links), borrowed(s.joints), borrowed(s.sums), borrowed(s.vector), borrowed(s.memory)
    )  # fmt: skip


@njit
def borrowed_scratch(w):
    """Scratch with borrowed arrays."""
    o = w.own
    own = Touching(
        borrowed(o.nodes), borrowed(o.seen), borrowed(o.tree), borrowed(o.pairs), borrowed(o.touch), borrowed(o.work), borrowed(o.counts)
    )  # fmt: skip
    return PlanarScratch(
        borrowed(w.links), borrowed(w.points), borrowed(w.touch), borrowed(w.limits), borrowed(w.solve), borrowed(w.newton),
        borrowed(w.stages), own,
    )  # fmt: skip


@kernel
def march_prescribed(constants, state, scratch, frames, first, to):
    """Implicit steps of prescribed joints up to step number `to`; returns how it ended."""
    constants, state, scratch = borrowed_constants(constants), borrowed_state(state), borrowed_scratch(scratch)
    if not understood(constants, state):
        return UNKNOWN_KIND
    if not in_range(constants, state, frames, first, to):
        return OUT_OF_RANGE
    dt, motion = constants.numbers[STEP], state.motion
    while motion[DONE] < to:
        for k in range(int(motion[DONE]), next_stop(constants, state, to)):
            if not shape_step.step(constants, state, scratch, (k + 1) * dt, dt):
                return NOT_FINITE
            motion[DONE] = k + 1
        record(constants, state, scratch, frames, first)
    return FINE


@kernel
def march_driven(constants, state, scratch, frames, first, to):
    """Implicit steps of driven joints up to step number `to`; returns how it ended."""
    constants, state, scratch = borrowed_constants(constants), borrowed_state(state), borrowed_scratch(scratch)
    if not understood(constants, state):
        return UNKNOWN_KIND
    if not in_range(constants, state, frames, first, to):
        return OUT_OF_RANGE
    dt, motion = constants.numbers[STEP], state.motion
    while motion[DONE] < to:
        for k in range(int(motion[DONE]), next_stop(constants, state, to)):
            if not drive_step.step(constants, state, scratch, (k + 1) * dt, dt):
                return NOT_FINITE
            motion[DONE] = k + 1
        record(constants, state, scratch, frames, first)
    return FINE


@kernel
def march_explicit(constants, state, scratch, frames, first, to):
    """Explicit steps in either mode up to step number `to`; returns how it ended."""
    if not understood(constants, state):
        return UNKNOWN_KIND
    if not in_range(constants, state, frames, first, to):
        return OUT_OF_RANGE
    dt, motion = constants.numbers[STEP], state.motion
    while motion[DONE] < to:
        for k in range(int(motion[DONE]), next_stop(constants, state, to)):
            if not runge_kutta.step(constants, state, scratch, k * dt, dt):
                return NOT_FINITE
            if state.sums[FIRST_STOP] > 0.0:
                return AT_STOP  # rates that jump are beyond these schemes
            motion[DONE] = k + 1
        record(constants, state, scratch, frames, first)
    return FINE
