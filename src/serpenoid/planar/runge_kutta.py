"""Explicit Runge-Kutta for smooth laws: `euler` (order 1) and `rk4` (order 4), for both modes.

State of the prescribed shape: centre of gravity, heading of the body frame, momentum (world), angular momentum
about the centre of gravity. State under torques: tail's end and its velocity, headings and their rates. Work,
losses, slip and squared torques are integrated with the state, to its order. What remains of the energy balance is
the scheme's loss, here a measured error and not a term of the scheme. Stability asks for h < 2.8 m eps / (mu N)
with smoothed Coulomb friction (order 4), so these are for smooth laws; bristles (with memory) are refused by the
engine. Order 4 holds where the gait's kinks lie on the grid of steps: the last stage looks a hair before the end of
the step and the next first stage a hair after it, so that each sees its own side.
"""

from __future__ import annotations

import math

import numpy as np

from serpenoid.compiled import kernel, njit
from serpenoid.contact import sums as slot
from serpenoid.contact.joint import JOINT_DAMPING
from serpenoid.contact.touch import TANGENT
from serpenoid.frames import sincos, sincos1, turned
from serpenoid.planar import account
from serpenoid.planar.command import commanded_torques, prescribed_headings
from serpenoid.planar.dynamics import (
    inertia_and_spin,
    kinetic_energy,
    reactions,
    shape_acceleration,
    torque_acceleration,
)  # fmt: skip
from serpenoid.planar.ground import stand_on_ground
from serpenoid.planar.kinematics import face_ground, forward_kinematics, place_points, slip, spread_forces
from serpenoid.planar.layout import (
    ANGLE,
    ANGLE0,
    BEND,
    COM,
    GX,
    GY,
    INERTIA,
    LENGTH,
    LOCKED,
    MASS,
    MODE,
    ORDER,
    PM,
    PRESCRIBED,
    PSI,
    PX,
    PY,
    RATE,
    SPIN,
    SPIN0,
    TAU,
    TORQUE,
    TOTAL,
    TURN,
    TURN0,
    UJ,
    UNEVEN,
    VJ,
    VX,
    VY,
    WX,
    WX0,
    WY,
    WY0,
    XG,
    XG0,
    XJ,
    YG,
    YG0,
    YJ,
    C,
    S,
    X,
    Y,
)  # fmt: skip
from serpenoid.planar.shape_step import friction, turn_along

QUADRATURES = (
    slot.NET_WORK, slot.POSITIVE_WORK, slot.FRICTION_LOSS, slot.DAMPING_LOSS, slot.SLIP_ACROSS, slot.SLIP_ALONG, slot.TORQUE_SQ,
)  # fmt: skip
_QUADRATURES = np.array(QUADRATURES)
_HAIR = 1e-9  # of a step


def state_size(links: int) -> int:
    """Length of the state vector in either mode, quadratures included."""
    return max(6, 2 * links + 4) + len(QUADRATURES)


@njit
def rates_of_sums(constants, state, scratch, dy, first):
    """Rates of the quadratures into dy[first:]; keeps the last torques and positive power."""
    b, act = scratch.links, constants.joints
    work, positive, damping, square = 0.0, 0.0, 0.0, 0.0
    for i in range(1, b.shape[1]):
        rate = b[RATE, i] - b[RATE, i - 1]
        drive = (1.0 - act[LOCKED, i]) * (b[TAU, i] + act[JOINT_DAMPING, i] * rate)
        state.joints[TORQUE, i] = drive
        work += drive * rate
        positive += max(0.0, drive * rate)
        damping += act[JOINT_DAMPING, i] * rate * rate
        square += drive * drive
    across, along, loss = account.contact_rates(scratch.touch)
    if scratch.touch.shape[1] > b.shape[1]:
        across, along, loss = account.contact_rates_of_points(constants.points, scratch.touch)
    dy[first], dy[first + 1], dy[first + 2], dy[first + 3] = work, positive, loss, damping
    dy[first + 4], dy[first + 5], dy[first + 6] = across, along, square
    state.sums[slot.POWER] = positive


@kernel
def shape_slope(constants, state, scratch, t, y, dy):
    """Time derivative of the state of a prescribed shape; leaves forces and torques in the scratch, the motion in the state."""
    b, q, total = scratch.links, state.motion, constants.numbers[TOTAL]
    prescribed_headings(constants, state, t, b)
    sincos(b, ANGLE, C, S)
    forward_kinematics(constants.links, total, b)
    if scratch.points.shape[1] > b.shape[1]:
        place_points(constants.points, b, scratch.points)
    face_ground(constants.points, scratch.points)
    inertia, spin = inertia_and_spin(constants.links, b)
    c, s = sincos1(y[2])
    vx, vy = turned(y[3] / total, y[4] / total, c, -s)
    turn = (y[5] - spin) / inertia
    if constants.numbers[UNEVEN] > 0.0:
        stand_on_ground(constants, scratch, y[0], y[1], y[2], t)
    slip(scratch.points, scratch.touch, vx, vy, turn)
    friction(constants, state, scratch, 0.0, TANGENT)
    spread_forces(constants.points, scratch.links, scratch.points, scratch.touch)
    ax, ay, _alpha = shape_acceleration(constants, b, inertia, turn)
    reactions(b)
    torque = 0.0
    for i in range(b.shape[1]):
        torque += b[PM, i]
    dy[0], dy[1], dy[2] = y[3] / total, y[4] / total, turn
    fx, fy = turned(ax * total, ay * total, c, s)
    dy[3], dy[4], dy[5] = fx + total * constants.numbers[GX], fy + total * constants.numbers[GY], torque
    rates_of_sums(constants, state, scratch, dy, 6)
    q[X], q[Y], q[PSI], q[VX], q[VY], q[TURN], q[SPIN] = y[0], y[1], y[2], vx, vy, turn, y[5]
    turn_along(b, turn)
    state.sums[slot.KINETIC] = kinetic_energy(constants, b, vx, vy)


@kernel
def torque_slope(constants, state, scratch, t, y, dy):
    """Time derivative of the state under torques; leaves forces and torques in the scratch, the motion in the state."""
    b, q, links = scratch.links, state.motion, constants.links
    n = b.shape[1]
    for i in range(n):
        b[ANGLE, i], b[RATE, i] = y[4 + i], y[4 + n + i]
    sincos(b, ANGLE, C, S)
    forward_kinematics(links, constants.numbers[TOTAL], b)
    if scratch.points.shape[1] > b.shape[1]:
        place_points(constants.points, b, scratch.points)
    face_ground(constants.points, scratch.points)
    vx, vy = y[2] - b[UJ, 0], y[3] - b[VJ, 0]
    if constants.numbers[UNEVEN] > 0.0:
        stand_on_ground(constants, scratch, y[0] - b[XJ, 0], y[1] - b[YJ, 0], 0.0, t)
    slip(scratch.points, scratch.touch, vx, vy, 0.0)
    friction(constants, state, scratch, 0.0, TANGENT)
    spread_forces(constants.points, scratch.links, scratch.points, scratch.touch)
    commanded_torques(constants, state, t, b)
    ax, ay = torque_acceleration(constants, b, scratch.solve)
    dy[0], dy[1], dy[2], dy[3] = y[2], y[3], ax + constants.numbers[GX], ay + constants.numbers[GY]
    for i in range(n):
        dy[4 + i], dy[4 + n + i] = b[RATE, i], b[BEND, i]
        # the link's own acceleration, for the joint forces
        m, g, l, square = links[MASS, i], links[COM, i], links[LENGTH, i], b[RATE, i] ** 2
        b[PX, i] = m * (ax - g * (b[S, i] * b[BEND, i] + b[C, i] * square))
        b[PY, i] = m * (ay + g * (b[C, i] * b[BEND, i] - b[S, i] * square))
        b[PM, i] = b[XG, i] * b[PY, i] - b[YG, i] * b[PX, i] + links[INERTIA, i] * b[BEND, i]
        ax -= l * (b[S, i] * b[BEND, i] + b[C, i] * square)
        ay += l * (b[C, i] * b[BEND, i] - b[S, i] * square)
    reactions(b)
    rates_of_sums(constants, state, scratch, dy, 4 + 2 * n)
    q[X], q[Y], q[VX], q[VY] = y[0] - b[XJ, 0], y[1] - b[YJ, 0], vx, vy
    state.sums[slot.KINETIC] = kinetic_energy(constants, b, vx, vy)


@kernel
def slope(constants, state, scratch, t, y, dy):
    """Time derivative of the state in either mode."""
    if state.motion[MODE] == PRESCRIBED:
        shape_slope(constants, state, scratch, t, y, dy)
    else:
        torque_slope(constants, state, scratch, t, y, dy)


@kernel
def pack(constants, state, scratch):
    """State vector from the motion and the headings and rates in the state, in either mode."""
    b, q, k, y, n = scratch.links, state.motion, state.links, state.vector[0], state.links.shape[1]
    shape, total = q[MODE] == PRESCRIBED, constants.numbers[TOTAL]
    first = 6 if shape else 4 + 2 * n
    if shape:
        c, s = sincos1(q[PSI])
        px, py = turned(total * q[VX], total * q[VY], c, s)
        y[0], y[1], y[2], y[3], y[4], y[5] = q[X], q[Y], q[PSI], px, py, q[SPIN]
    else:
        for i in range(n):
            b[ANGLE, i], b[RATE, i] = k[ANGLE0, i], k[TURN0, i]
        sincos(b, ANGLE, C, S)
        forward_kinematics(constants.links, total, b)
        y[0], y[1], y[2], y[3] = q[X] + b[XJ, 0], q[Y] + b[YJ, 0], q[VX] + b[UJ, 0], q[VY] + b[VJ, 0]
        for i in range(n):
            y[4 + i], y[4 + n + i] = k[ANGLE0, i], k[TURN0, i]
    for j in range(_QUADRATURES.size):
        y[first + j] = state.sums[_QUADRATURES[j]]


@njit
def keep_links(constants, state, b):
    """Headings, velocities and momenta of the links at the end of a step into the state."""
    k = state.links
    for i in range(b.shape[1]):
        k[ANGLE0, i], k[TURN0, i], k[WX0, i], k[WY0, i] = b[ANGLE, i], b[RATE, i], b[WX, i], b[WY, i]
        k[XG0, i], k[YG0, i] = b[XG, i], b[YG, i]
        k[SPIN0, i] = constants.links[MASS, i] * (b[XG, i] * b[WY, i] - b[YG, i] * b[WX, i])


@kernel
def step(constants, state, scratch, t, dt):
    """Advance from t by dt; the state holds the slope at t on entry and at t + dt on return. False if not finite."""
    y, first_slope, K, z = state.vector[0], state.vector[1], scratch.stages, scratch.stages[3]
    sums, n = state.sums, state.links.shape[1]
    size = (6 if state.motion[MODE] == PRESCRIBED else 4 + 2 * n) + _QUADRATURES.size
    if constants.numbers[ORDER] == 4.0:
        for k in range(3):
            # the stages at the middle, the middle and the end of the step
            part, before = 0.5 * dt if k < 2 else dt, first_slope if k == 0 else K[k - 1]
            for i in range(size):
                z[i] = y[i] + part * before[i]
            at = t + (part if k < 2 else (1.0 - _HAIR) * dt)
            slope(constants, state, scratch, at, z, K[k])
        for i in range(size):
            y[i] += dt / 6.0 * (first_slope[i] + 2.0 * K[0, i] + 2.0 * K[1, i] + K[2, i])
    else:
        for i in range(size):
            y[i] += dt * first_slope[i]
    slope(constants, state, scratch, t + (1.0 + _HAIR) * dt, y, first_slope)
    keep_links(constants, state, scratch.links)
    first = size - _QUADRATURES.size
    for j in range(_QUADRATURES.size):
        sums[_QUADRATURES[j]] = y[first + j]
    q = state.motion
    sums[slot.POTENTIAL] = -constants.numbers[TOTAL] * (constants.numbers[GX] * q[X] + constants.numbers[GY] * q[Y])
    gained = sums[slot.KINETIC] - sums[slot.KINETIC_START] + sums[slot.POTENTIAL] - sums[slot.POTENTIAL_START]
    sums[slot.SCHEME_LOSS] = sums[slot.NET_WORK] - gained - sums[slot.FRICTION_LOSS] - sums[slot.DAMPING_LOSS]
    sums[slot.PEAK_POWER] = max(sums[slot.PEAK_POWER], sums[slot.POWER])
    sums[slot.ITERATIONS] += 1.0
    sums[slot.RESIDUAL_MAX] = max(sums[slot.RESIDUAL_MAX], abs(scratch.links[TAU, 0]))
    account.watch_torques(state.joints, t + dt, sums)
    if state.motion[MODE] != PRESCRIBED:
        account.watch_joints(scratch.links, sums)
    return math.isfinite(sums[slot.KINETIC]) and math.isfinite(sums[slot.TORQUE_SQ]) and math.isfinite(y[0] + y[1])
