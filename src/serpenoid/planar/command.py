"""What the joints are told: by a compiled gait or drive, by a curve of joint angles, or by torques that are held.

| source | joints | what is commanded |
|---|---|---|
| NOTHING | driven | no torque: limp |
| FOLLOWED | prescribed, or driven by servos | the gait's headings: joint angle = difference of neighbours |
| DRIVE | driven | torques of the drive |
| TRACKED | prescribed, or driven by servos | a cubic from (q0, v0) at t0 to (q1, v1) at t1; held at its ends beyond them |
| PUSHED | driven | torques that stay what they are |

With x = (t - t0) / h, h = t1 - t0 and d = q1 - q0 the cubic (Hermite's) is

    q = q0 + x (h v0 + x ((3 d - h (2 v0 + v1)) + x (h (v0 + v1) - 2 d)))

The body frame of a gait is the gait's own, that of a curve has the mean heading of the links. A locked joint stays at angle 0;
the links beyond it turn with it. An ideal joint that is told to go beyond its stop stays there, at rest, until it is told to come
back.
"""

from __future__ import annotations

import math

from serpenoid.compiled import njit
from serpenoid.contact import sums as slot
from serpenoid.contact.joint import SERVO, STOP_HIGH, STOP_LOW, at_stop, moved_aim
from serpenoid.core.command import DRIVES, GAITS
from serpenoid.gaits import headings
from serpenoid.gaits.drives import torques
from serpenoid.planar.layout import (
    AIM,
    ANGLE,
    ANY_LOCKED,
    ANY_STOP,
    BEND,
    COMMAND,
    CONTROL_PERIOD,
    DRIVE,
    DRIVEN_BY,
    FOLLOWED,
    FREE,
    HELD,
    HELD_RATE,
    LOCKED,
    NOTHING,
    PUSH,
    PUSHED,
    Q0,
    Q1,
    RATE,
    SAMPLE,
    SOURCE,
    T0,
    T1,
    V0,
    V1,
    WANTED,
)  # fmt: skip

SPACE_ONLY = 10  # gaits from this kind on give no headings in the plane
PLANAR_GAITS = {gait.KIND: name for name, gait in GAITS.items() if gait.KIND < SPACE_ONLY}
DRIVE_KINDS = {drive.KIND: name for name, drive in DRIVES.items()}
_LAST_GAIT, _LAST_DRIVE = max(PLANAR_GAITS), max(DRIVE_KINDS)
_HAIR = 1e-9  # of the interval: rounding of the time at its ends
LIMP, TORQUE_DRIVEN, SERVO_DRIVEN, HELD_JOINT = 0, 1, 2, 3


@njit
def known(constants, state):
    """Whether the kernels know the kind of gait or drive that is commanded."""
    source, kind = state.motion[SOURCE], int(constants.numbers[COMMAND])
    if source == FOLLOWED:
        return 0 <= kind <= _LAST_GAIT
    if source == DRIVE:
        return 0 <= kind <= _LAST_DRIVE
    return True


@njit
def curve(t0, t1, q0, v0, q1, v1, t):
    """Angle, rate and acceleration of the cubic at time t."""
    h = t1 - t0
    if h <= 0.0 or t > t1 + _HAIR * h:
        return q1, 0.0, 0.0
    if t < t0 - _HAIR * h:
        return q0, 0.0, 0.0
    x, d = (t - t0) / h, q1 - q0
    second, third = 3.0 * d - h * (2.0 * v0 + v1), h * (v0 + v1) - 2.0 * d
    angle = q0 + x * (h * v0 + x * (second + x * third))
    return angle, v0 + x * (2.0 * second + 3.0 * x * third) / h, (2.0 * second + 6.0 * x * third) / (h * h)


@njit
def tracked_headings(state, t, b):
    """Headings, their rates and accelerations at time t by the curve tracked; their mean is zero."""
    n, q, motion = b.shape[1], state.joints, state.motion
    angle, rate, bend, mean0, mean1, mean2 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    b[ANGLE, 0], b[RATE, 0], b[BEND, 0] = 0.0, 0.0, 0.0
    for i in range(1, n):
        d0, d1, d2 = curve(motion[T0], motion[T1], q[Q0, i], q[V0, i], q[Q1, i], q[V1, i], t)
        angle, rate, bend = angle + d0, rate + d1, bend + d2
        b[ANGLE, i], b[RATE, i], b[BEND, i] = angle, rate, bend
        mean0, mean1, mean2 = mean0 + angle, mean1 + rate, mean2 + bend
    for i in range(n):
        b[ANGLE, i] -= mean0 / n
        b[RATE, i] -= mean1 / n
        b[BEND, i] -= mean2 / n


@njit
def lock(joints, b, row):
    """Straighten the locked joints: the links beyond turn back by what the joint would have bent."""
    before, inner = b[row, 0], b[row, 0]
    for i in range(1, b.shape[1]):
        given = b[row, i]
        b[row, i] = inner if joints[LOCKED, i] > 0.0 else inner + (given - before)
        before, inner = given, b[row, i]


@njit
def note_stop(sums, t, joint):
    """Keep when a joint first met its stop, and which."""
    if sums[slot.FIRST_STOP] == 0.0:
        sums[slot.FIRST_STOP], sums[slot.FIRST_STOP_JOINT] = t, joint


@njit
def stop_headings(constants, state, t, b):
    """Hold the joints at their stops that are told to go beyond them; HELD marks them, WANTED keeps what was commanded."""
    act, wanted, stopped = constants.joints, state.joints, False
    for i in range(1, b.shape[1]):
        wanted[WANTED, i] = b[ANGLE, i] - b[ANGLE, i - 1]
        b[HELD, i] = at_stop(act, i, wanted[WANTED, i])
        stopped = stopped or b[HELD, i] != 0.0
    if not stopped:
        return
    rate0, bend0 = b[RATE, 0], b[BEND, 0]
    for i in range(1, b.shape[1]):
        rate, bend = b[RATE, i] - rate0, b[BEND, i] - bend0
        rate0, bend0 = b[RATE, i], b[BEND, i]
        angle = min(max(wanted[WANTED, i], act[STOP_LOW, i]), act[STOP_HIGH, i])
        if b[HELD, i] != 0.0:
            rate, bend = 0.0, 0.0
            note_stop(state.sums, t, i)
        b[ANGLE, i], b[RATE, i], b[BEND, i] = b[ANGLE, i - 1] + angle, b[RATE, i - 1] + rate, b[BEND, i - 1] + bend


@njit
def stop_held(constants, state, t, b):
    """The same for joints that are held among limp ones."""
    act = constants.joints
    for i in range(1, b.shape[1]):
        if at_stop(act, i, b[HELD, i]) != 0.0 and joint_kind(constants, state, i) == HELD_JOINT:
            b[HELD, i], b[HELD_RATE, i] = min(max(b[HELD, i], act[STOP_LOW, i]), act[STOP_HIGH, i]), 0.0
            note_stop(state.sums, t, i)


@njit
def followed_headings(constants, t, b):
    """The same of a gait alone, into rows ANGLE, RATE and BEND (the next three are working space)."""
    headings(int(constants.numbers[COMMAND]), constants.row, constants.table, t, b)
    if constants.numbers[ANY_LOCKED] > 0.0:
        lock(constants.joints, b, ANGLE)
        lock(constants.joints, b, RATE)
        lock(constants.joints, b, BEND)


@njit
def prescribed_headings(constants, state, t, b):
    """Headings of the links in the body frame, their rates and accelerations, as commanded for time t."""
    if state.motion[SOURCE] == FOLLOWED:
        followed_headings(constants, t, b)
    else:
        tracked_headings(state, t, b)
    if constants.numbers[ANY_STOP] > 0.0:
        stop_headings(constants, state, t, b)


@njit
def joint_kind(constants, state, i):
    """How the joint at the tail side of link i is driven now."""
    source = state.motion[SOURCE]
    if constants.joints[LOCKED, i] > 0.0:
        return HELD_JOINT
    if state.joints[FREE, i] > 0.0 or source == NOTHING:
        return LIMP
    if source in (PUSHED, DRIVE):
        return TORQUE_DRIVEN
    return SERVO_DRIVEN if constants.joints[SERVO, i] > 0.0 else HELD_JOINT


@njit
def commanded_angles(constants, state, t, b):
    """Joint angles and rates commanded for time t into HELD, HELD_RATE (headings in the first rows are overwritten)."""
    q, motion = state.joints, state.motion
    if motion[SOURCE] == FOLLOWED:
        headings(int(constants.numbers[COMMAND]), constants.row, constants.table, t, b)
        for i in range(1, b.shape[1]):
            b[HELD, i], b[HELD_RATE, i] = b[ANGLE, i] - b[ANGLE, i - 1], b[RATE, i] - b[RATE, i - 1]
    else:
        for i in range(1, b.shape[1]):
            b[HELD, i], b[HELD_RATE, i], _bend = curve(
                motion[T0], motion[T1], q[Q0, i], q[V0, i], q[Q1, i], q[V1, i], t
            )
    if constants.numbers[ANY_LOCKED] > 0.0:
        for i in range(1, b.shape[1]):
            if constants.joints[LOCKED, i] > 0.0:
                b[HELD, i], b[HELD_RATE, i] = 0.0, 0.0


@njit
def commanded_torques(constants, state, t, b):
    """Torques commanded for time t into DRIVEN_BY; zero where the joint is limp."""
    source = state.motion[SOURCE]
    if source == DRIVE:
        torques(int(constants.numbers[COMMAND]), constants.row, constants.table, t, b, DRIVEN_BY)
    for i in range(b.shape[1]):
        given = b[DRIVEN_BY, i] if source == DRIVE else (state.joints[PUSH, i] if source == PUSHED else 0.0)
        b[DRIVEN_BY, i] = given * (1.0 - state.joints[FREE, i])


@njit
def move_aims(constants, state, t, dt, b):
    """Sample what the servos are to aim at, each at its own period, and move the aims there; HELD is set for time t."""
    act, q = constants.joints, state.joints
    at = t
    for i in range(1, b.shape[1]):
        period = act[CONTROL_PERIOD, i]
        if period <= 0.0:
            if at != t:
                commanded_angles(constants, state, t, b)
                at = t
            q[WANTED, i] = b[HELD, i]
        else:
            sample = math.floor(t / period * (1.0 + 1e-12))
            if sample != q[SAMPLE, i]:
                if at != sample * period:
                    at = sample * period
                    commanded_angles(constants, state, at, b)
                q[SAMPLE, i], q[WANTED, i] = sample, b[HELD, i]
        q[AIM, i] = moved_aim(act, i, q[AIM, i], q[WANTED, i], dt)
    if at != t:
        commanded_angles(constants, state, t, b)
