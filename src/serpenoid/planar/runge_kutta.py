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

from serpenoid import contact
from serpenoid.compiled import kernel, njit
from serpenoid.contact import sums as tally
from serpenoid.contact.touch import FN, FT, VN, VT, XW, YW
from serpenoid.frames import sincos, sincos1, turned
from serpenoid.gaits import headings
from serpenoid.gaits.drives import torques
from serpenoid.planar import account
from serpenoid.planar.dynamics import (
    inertia_and_spin,
    kinetic_energy,
    reactions,
    shape_acceleration,
    torque_acceleration,
)
from serpenoid.planar.kinematics import (
    ANGLE,
    BEND,
    PM,
    PX,
    PY,
    RATE,
    TAU,
    UJ,
    VJ,
    XC,
    XG,
    XJ,
    YC,
    YG,
    YJ,
    C,
    S,
    face_ground,
    place,
    slip,
    spread_forces,
)  # fmt: skip
from serpenoid.planar.shape_step import PSI, SPIN, TURN, VX, VY, X, Y, stand_on_patches, turn_along

QUADRATURES = (
    tally.NET_WORK, tally.POSITIVE_WORK, tally.FRICTION_LOSS, tally.DAMPING_LOSS,
    tally.SLIP_ACROSS, tally.SLIP_ALONG, tally.TORQUE_SQ,
)  # fmt: skip
_QUADRATURES = np.array(QUADRATURES)
_HAIR = 1e-9  # of a step


def state_size(links: int, shape: bool) -> int:
    """Length of the state vector, quadratures included."""
    return (6 if shape else 2 * links + 4) + len(QUADRATURES)


@njit
def rates_of_sums(chain, b, touch, dy, first, acc):
    """Rates of the quadratures into dy[first:]; keeps the last positive power."""
    work, positive, damping, square = 0.0, 0.0, 0.0, 0.0
    for i in range(1, b.shape[1]):
        rate = b[RATE, i] - b[RATE, i - 1]
        drive = b[TAU, i] + chain.damping[i] * rate
        work += drive * rate
        positive += max(0.0, drive * rate)
        damping += chain.damping[i] * rate * rate
        square += drive * drive
    loss, across, along = 0.0, 0.0, 0.0
    for i in range(b.shape[1]):
        loss -= touch[FT, i] * touch[VT, i] + touch[FN, i] * touch[VN, i]
        across += abs(touch[VN, i])
        along += abs(touch[VT, i])
    dy[first], dy[first + 1], dy[first + 2], dy[first + 3] = work, positive, loss, damping
    dy[first + 4], dy[first + 5], dy[first + 6] = across, along, square
    acc[tally.POWER] = positive


@kernel
def shape_slope(chain, gait, law, b, touch, q, acc, t, y, dy):
    """Time derivative of the state of a prescribed shape; leaves forces and torques in b, touch and motion in q."""
    headings(gait.kind, gait.par, gait.tab, t, b)
    sincos(b, ANGLE, C, S)
    place(chain, b)
    face_ground(chain, b)
    inertia, spin = inertia_and_spin(chain, b)
    c, s = sincos1(y[2])
    vx, vy = turned(y[3] / chain.total, y[4] / chain.total, c, -s)
    turn = (y[5] - spin) / inertia
    if law.patches.shape[0] > 0:
        stand_on_patches(law, b, touch, y[0], y[1], y[2])
    slip(b, touch, vx, vy, turn)
    contact.evaluate(law.kind, law.scalars, law.limits, law.memory, 0.0, False, touch)
    spread_forces(b, touch)
    ax, ay, _alpha = shape_acceleration(chain, b, inertia, vx, vy, turn)
    reactions(b)
    torque = 0.0
    for i in range(b.shape[1]):
        torque += b[PM, i]
    dy[0], dy[1], dy[2] = y[3] / chain.total, y[4] / chain.total, turn
    fx, fy = turned(ax * chain.total, ay * chain.total, c, s)
    dy[3], dy[4], dy[5] = fx, fy, torque
    rates_of_sums(chain, b, touch, dy, 6, acc)
    q[X], q[Y], q[PSI], q[VX], q[VY], q[TURN], q[SPIN] = y[0], y[1], y[2], vx, vy, turn, y[5]
    turn_along(b, turn)
    acc[tally.KINETIC] = kinetic_energy(chain, b, vx, vy)


@kernel
def torque_slope(chain, drive, law, b, touch, q, acc, space, t, y, dy):
    """Time derivative of the state under torques; leaves forces and torques in b, touch and motion in q."""
    n = b.shape[1]
    for i in range(n):
        b[ANGLE, i], b[RATE, i] = y[4 + i], y[4 + n + i]
    sincos(b, ANGLE, C, S)
    place(chain, b)
    face_ground(chain, b)
    vx, vy = y[2] - b[UJ, 0], y[3] - b[VJ, 0]
    if law.patches.shape[0] > 0:
        for i in range(n):
            touch[XW, i] = y[0] - b[XJ, 0] + b[XC, i]
            touch[YW, i] = y[1] - b[YJ, 0] + b[YC, i]
        contact.stand(law.patches, law.plain, law.scale, touch, law.limits)
    slip(b, touch, vx, vy, 0.0)
    contact.evaluate(law.kind, law.scalars, law.limits, law.memory, 0.0, False, touch)
    spread_forces(b, touch)
    torques(drive.kind, drive.par, drive.tab, t, b, TAU)
    ax, ay = torque_acceleration(chain, b, space[4])
    dy[0], dy[1], dy[2], dy[3] = y[2], y[3], ax, ay
    for i in range(n):
        dy[4 + i], dy[4 + n + i] = b[RATE, i], b[BEND, i]
        # the link's own acceleration, for the joint forces
        m, g, l, square = chain.mass[i], chain.com[i], chain.length[i], b[RATE, i] ** 2
        b[PX, i] = m * (ax - g * (b[S, i] * b[BEND, i] + b[C, i] * square))
        b[PY, i] = m * (ay + g * (b[C, i] * b[BEND, i] - b[S, i] * square))
        b[PM, i] = b[XG, i] * b[PY, i] - b[YG, i] * b[PX, i] + chain.inertia[i] * b[BEND, i]
        ax -= l * (b[S, i] * b[BEND, i] + b[C, i] * square)
        ay += l * (b[C, i] * b[BEND, i] - b[S, i] * square)
    reactions(b)
    rates_of_sums(chain, b, touch, dy, 4 + 2 * n, acc)
    q[X], q[Y], q[VX], q[VY] = y[0] - b[XJ, 0], y[1] - b[YJ, 0], vx, vy
    q[PSI], q[TURN] = np.mean(b[ANGLE]), np.mean(b[RATE])
    acc[tally.KINETIC] = kinetic_energy(chain, b, vx, vy)


@kernel
def slope(shape, chain, source, law, b, touch, q, acc, space, t, y, dy):
    """Time derivative of the state in either mode; `source` is the gait or the drive."""
    if shape:
        shape_slope(chain, source, law, b, touch, q, acc, t, y, dy)
    else:
        torque_slope(chain, source, law, b, touch, q, acc, space, t, y, dy)


@kernel
def pack(shape, chain, b, q, acc, y):
    """State vector from the motion in q and (under torques) the headings and rates in b."""
    n = b.shape[1]
    first = 6 if shape else 4 + 2 * n
    if shape:
        c, s = sincos1(q[PSI])
        px, py = turned(chain.total * q[VX], chain.total * q[VY], c, s)
        y[0], y[1], y[2], y[3], y[4], y[5] = q[X], q[Y], q[PSI], px, py, q[SPIN]
    else:
        y[0], y[1], y[2], y[3] = q[X] + b[XJ, 0], q[Y] + b[YJ, 0], q[VX] + b[UJ, 0], q[VY] + b[VJ, 0]
        for i in range(n):
            y[4 + i], y[4 + n + i] = b[ANGLE, i], b[RATE, i]
    for j in range(_QUADRATURES.size):
        y[first + j] = acc[_QUADRATURES[j]]


@kernel
def step(order, shape, chain, source, law, b, touch, q, acc, space, y, K, t, dt):
    """Advance y from t by dt; K[0] holds the slope at t on entry and at t + dt on return. False if not finite."""
    z = K[4]
    if order == 4:
        for k in range(1, 4):
            # the stages at the middle, the middle and the end of the step
            part = 0.5 * dt if k < 3 else dt
            for i in range(y.size):
                z[i] = y[i] + part * K[k - 1, i]
            at = t + (part if k < 3 else (1.0 - _HAIR) * dt)
            slope(shape, chain, source, law, b, touch, q, acc, space, at, z, K[k])
        for i in range(y.size):
            y[i] += dt / 6.0 * (K[0, i] + 2.0 * K[1, i] + 2.0 * K[2, i] + K[3, i])
    else:
        for i in range(y.size):
            y[i] += dt * K[0, i]
    slope(shape, chain, source, law, b, touch, q, acc, space, t + (1.0 + _HAIR) * dt, y, K[0])
    first = 6 if shape else 4 + 2 * b.shape[1]
    for j in range(_QUADRATURES.size):
        acc[_QUADRATURES[j]] = y[first + j]
    gained = acc[tally.KINETIC] - acc[tally.KINETIC_START]
    acc[tally.SCHEME_LOSS] = acc[tally.NET_WORK] - gained - acc[tally.FRICTION_LOSS] - acc[tally.DAMPING_LOSS]
    acc[tally.PEAK_POWER] = max(acc[tally.PEAK_POWER], acc[tally.POWER])
    acc[tally.ITERATIONS] += 1.0
    acc[tally.RESIDUAL_MAX] = max(acc[tally.RESIDUAL_MAX], abs(b[TAU, 0]))
    account.watch_torques(chain, b, t + dt, acc)
    if not shape:
        account.watch_joints(b, acc)
    return math.isfinite(acc[tally.KINETIC]) and math.isfinite(acc[tally.TORQUE_SQ]) and math.isfinite(y[0] + y[1])
