"""Between the coordinates of other packages and the state of our engine in space, and the joints' part of the account.

Packages describe a chain by its tail's end, `Base`. Our state has the centre of gravity instead. Joint angles and rates are the same.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from serpenoid.compiled import kernel
from serpenoid.contact import sums
from serpenoid.contact.joint import SERVO, TORQUE_LIMIT, at_stop, stop_share
from serpenoid.contact.smoothing import follow_motion
from serpenoid.core import FloatArray
from serpenoid.spatial.dynamics import kinetic_energy, momenta
from serpenoid.spatial.kinematics import place_body
from serpenoid.spatial.layout import (
    ANGLE,
    AW,
    DT,
    EX,
    GAIT,
    GRAVITY,
    IDEAL,
    KINETIC,
    LEAST,
    MODE,
    PASSIVE,
    PEAK,
    PJ,
    RATE,
    TARGET,
    TORQUE,
    TRACK,
    VX,
    WX,
    V,
    W,
    X,
    Z,
)  # fmt: skip


class Base(NamedTuple):
    """Pose and velocities of link 0 at the tail's end, world axes."""

    place: FloatArray  # (3,) m
    attitude: FloatArray  # (4,) unit quaternion w, x, y, z
    velocity: FloatArray  # (3,) m/s
    spin: FloatArray  # (3,) rad/s, angular velocity


def base_for() -> Base:
    """A base to be filled."""
    return Base(np.zeros(3), np.zeros(4), np.zeros(3), np.zeros(3))


@kernel
def base_from_state(constants, state, scratch, base):
    """Fill `base` from the state."""
    chain, body, q = constants.chain, scratch.body, state.motion
    place_body(chain, state, body, scratch.axes)
    s = momenta(chain, body)
    x, y, z = body[PJ, 0], body[PJ + 1, 0], body[PJ + 2, 0]
    wx, wy, wz = q[WX], q[WX + 1], q[WX + 2]
    turning = (wy * z - wz * y, wz * x - wx * z, wx * y - wy * x)
    for e in range(3):
        base.place[e] = q[X + e] + body[PJ + e, 0]
        base.velocity[e] = q[VX + e] - s[3 + e] / chain.total + turning[e]
        base.spin[e] = q[WX + e]
    for e in range(4):
        base.attitude[e] = q[AW + e]


@kernel
def state_from_base(constants, state, scratch, base, angles, rates, rotor):
    """Take over a pose and its velocities; energies go into the account. False if not finite."""
    chain, body, q, dofs, acc = constants.chain, scratch.body, state.motion, state.dofs, state.sums
    for e in range(4):
        q[AW + e] = base.attitude[e]
    for e in range(3):
        q[WX + e] = base.spin[e]
    kinetic = 0.0
    for k in range(dofs.shape[1]):
        dofs[ANGLE, k], dofs[RATE, k] = angles[k], rates[k]
        kinetic += 0.5 * rotor[k] * rates[k] * rates[k]
    place_body(chain, state, body, scratch.axes)
    x, y, z = body[PJ, 0], body[PJ + 1, 0], body[PJ + 2, 0]
    wx, wy, wz = q[WX], q[WX + 1], q[WX + 2]
    turning = (wy * z - wz * y, wz * x - wx * z, wx * y - wy * x)
    roll = 0.0
    for i in range(body.shape[1]):
        for e in range(3):
            body[V + e, i] += base.velocity[e] - turning[e]
            roll += body[W + e, i] * body[EX + e, i]
    s = momenta(chain, body)
    for e in range(3):
        q[X + e] = base.place[e] - body[PJ + e, 0]
        q[VX + e] = s[3 + e] / chain.total
    q[KINETIC] = kinetic + kinetic_energy(body)
    acc[sums.KINETIC] = q[KINETIC]
    follow_motion(constants.numbers[LEAST], chain.total, acc)
    acc[sums.POTENTIAL] = chain.total * constants.numbers[GRAVITY] * q[Z]
    acc[sums.ROLL] += constants.numbers[DT] * roll / body.shape[1]
    return math.isfinite(q[KINETIC]) and math.isfinite(q[X] + q[X + 1] + q[Z])


@kernel
def count_joints(constants, state, angles, push, damping, t):
    """Add the joints of a step to `angles` to the account: `push` has the torques of motors, gears and stops, before the angles are taken over."""
    dofs, acc, act, dt = state.dofs, state.sums, constants.chain.actuators, constants.numbers[DT]
    square, positive = 0.0, 0.0
    mode = state.motion[MODE]
    servo = constants.numbers[IDEAL] == 0.0 and mode in (GAIT, TRACK)
    ideal = constants.numbers[IDEAL] > 0.0 and mode in (GAIT, TRACK)
    for k in range(dofs.shape[1]):
        torque, moved, stop = push.motor[k], angles[k] - dofs[ANGLE, k], push.stop[k]
        if ideal and dofs[PASSIVE, k] == 0.0:
            share = stop_share(at_stop(act, k, dofs[TARGET, k]), torque)
            torque, stop = torque - share, stop + share
        if stop != 0.0 and acc[sums.FIRST_STOP] == 0.0:
            acc[sums.FIRST_STOP], acc[sums.FIRST_STOP_JOINT] = t, k
        dofs[TORQUE, k] = torque
        dofs[PEAK, k] = max(dofs[PEAK, k], abs(torque))
        square += torque * torque
        positive += max(0.0, torque * moved)
        acc[sums.NET_WORK] += torque * moved
        acc[sums.DAMPING_LOSS] += (push.loss[k] + damping[k] * moved / dt) * moved
        acc[sums.STOP_LOSS] -= stop * moved
        if abs(torque) > acc[sums.TORQUE_MAX]:
            acc[sums.TORQUE_MAX], acc[sums.TORQUE_MAX_JOINT], acc[sums.TORQUE_MAX_TIME] = abs(torque), k, t
        if abs(angles[k]) > acc[sums.ANGLE_MAX]:
            acc[sums.ANGLE_MAX], acc[sums.ANGLE_MAX_JOINT] = abs(angles[k]), k
        if servo and act[SERVO, k] > 0.0 and abs(torque) >= act[TORQUE_LIMIT, k] * (1.0 - 1e-9):
            acc[sums.SATURATED] += dt
    acc[sums.TORQUE_SQ] += square * dt
    acc[sums.POSITIVE_WORK] += positive
    acc[sums.POWER] = positive / dt
    acc[sums.PEAK_POWER] = max(acc[sums.PEAK_POWER], positive / dt)
