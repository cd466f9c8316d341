"""A step in space, in momentum form: prescribed joints (`shape_step`) or driven ones (`drive_step`).

State: place c and velocity V of the centre of gravity, attitude and angular velocity of link 0, joint angles and rates, and
the momentum of every link relative to c and V (so that a moving observer sees the same step); x_i x m_i V, m_i V complete it. The pose at the end of the step is predicted from extrapolated
velocities; there the step solves for the velocities at its end

    h_i(t') = h_i + dt (forces at the end of the step)           all links, all joints: nothing else

with contacts, gravity, joint damping and servos taken at the end of the step (their positions by the mean of the rates at
both ends). Without forces the momenta are kept to rounding in every mode. Places, angles and attitude follow by the mean of the
velocities at both ends: second order in free flight, first order with contacts, stable at any step.

The velocities are solved for in `engines.spatial_newton`.
"""

from __future__ import annotations

import math

from serpenoid.compiled import kernel, njit
from serpenoid.contact import sums as tally
from serpenoid.frames import sincos1
from serpenoid.spatial._old.contacts import look, remember, wrenches
from serpenoid.spatial._old.dynamics import kinetic_energy, momenta, reactions
from serpenoid.spatial._old.kinematics import (
    AIM,
    DAMP,
    DQ,
    EX,
    EY,
    EZ,
    HA,
    HL,
    KP,
    LIMIT,
    MASS,
    NA,
    PEAK,
    PG,
    Q0,
    QD,
    QD0,
    QP,
    QT,
    TAU,
    D,
    Q,
    T,
    V,
    W,
    place,
    spread_twists,
)  # fmt: skip
from serpenoid.spatial._old.newton import solve_drive, solve_shape
from serpenoid.spatial._old.spots import NORMAL, VNORMAL
from serpenoid.spatial._old.touch import FN, FT, VN, VT

# slots of the motion vector
X, Y, Z, VX, VY, VZ = range(6)  # centre of gravity
AW, AX, AY, AZ = 6, 7, 8, 9  # attitude of link 0, unit quaternion
WX, WY, WZ = 10, 11, 12  # its angular velocity
DV, DW = 13, 16  # last changes of the velocity and the angular velocity, three each
DONE, KINETIC = 19, 20
MOTION_SLOTS = 21


@njit
def turned(q, rx, ry, rz):
    """Attitude of link 0 turned by the rotation vector (rx, ry, rz) of the world."""
    angle = math.sqrt(rx * rx + ry * ry + rz * rz)
    c, s = sincos1(0.5 * angle)
    f = s / angle if angle > 1e-12 else 0.5
    x, y, z = f * rx, f * ry, f * rz
    w0, x0, y0, z0 = q[AW], q[AX], q[AY], q[AZ]
    w1 = c * w0 - x * x0 - y * y0 - z * z0
    x1 = c * x0 + x * w0 + y * z0 - z * y0
    y1 = c * y0 + y * w0 + z * x0 - x * z0
    z1 = c * z0 + z * w0 + x * y0 - y * x0
    r = 1.0 / math.sqrt(w1 * w1 + x1 * x1 + y1 * y1 + z1 * z1)
    return w1 * r, x1 * r, y1 * r, z1 * r


@njit
def face(b, w, x, y, z):
    """Set the frame of link 0 from its attitude."""
    b[0, EX], b[0, EX + 1], b[0, EX + 2] = 1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + w * z), 2.0 * (x * z - w * y)
    b[0, EY], b[0, EY + 1], b[0, EY + 2] = 2.0 * (x * y - w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z + w * x)
    b[0, EZ], b[0, EZ + 1], b[0, EZ + 2] = 2.0 * (x * z + w * y), 2.0 * (y * z - w * x), 1.0 - 2.0 * (x * x + y * y)


@njit
def carry(chain, b, vx, vy, vz):
    """Add to the kept momenta what the links have by moving along with the centre of gravity at (vx, vy, vz)."""
    for i in range(b.shape[0]):
        m, x, y, z = chain.link[i, MASS], b[i, PG], b[i, PG + 1], b[i, PG + 2]
        px, py, pz = m * vx, m * vy, m * vz
        b[i, HA] += y * pz - z * py
        b[i, HA + 1] += z * px - x * pz
        b[i, HA + 2] += x * py - y * px
        b[i, HL] += px
        b[i, HL + 1] += py
        b[i, HL + 2] += pz


@kernel
def predict(chain, b, d, q, dt, gravity):
    """Place the body as extrapolated velocities take it, make the momenta absolute there; returns its centre of gravity.

    The joint angles in d are those of the predicted pose, the rates in QP those expected at its end.
    """
    half = 0.5 * dt
    wx, wy, wz = q[WX] + q[DW], q[WY] + q[DW + 1], q[WZ] + q[DW + 2]
    w, x, y, z = turned(q, half * (q[WX] + wx), half * (q[WY] + wy), half * (q[WZ] + wz))
    face(b, w, x, y, z)
    place(chain, b, d)
    cx = q[X] + half * (2.0 * q[VX] + q[DV])
    cy = q[Y] + half * (2.0 * q[VY] + q[DV + 1])
    cz = q[Z] + half * (2.0 * q[VZ] + q[DV + 2])
    carry(chain, b, q[VX], q[VY], q[VZ])
    # twists with link 0 at rest in O, and the linear momentum they have
    for e in range(6):
        b[0, W + e] = 0.0
    b[0, W], b[0, W + 1], b[0, W + 2] = wx, wy, wz
    spread_twists(chain, b, d, QP)
    s = momenta(chain, b)
    r = 1.0 / chain.total
    u0, u1, u2 = q[VX] + q[DV] - s[3] * r, q[VY] + q[DV + 1] - s[4] * r, q[VZ] + q[DV + 2] - s[5] * r
    for i in range(b.shape[0]):
        b[i, V], b[i, V + 1], b[i, V + 2] = b[i, V] + u0, b[i, V + 1] + u1, b[i, V + 2] + u2
    return cx, cy, cz


@kernel
def finish(chain, surface, b, d, q, count, dt, gravity, acc, shape):
    """Move to the end of the step: place, attitude, momenta, forces, torques, and the account; False if not finite."""
    half = 0.5 * dt
    s = momenta(chain, b)
    wrenches(chain, surface, b, count, gravity)
    left = 0.0
    if shape:
        r = reactions(chain, b, d, 1.0 / dt)
        left = math.sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2])
    kinetic = kinetic_energy(b)
    cross, roll = 0.0, 0.0
    for i in range(b.shape[0]):
        for e in range(6):
            cross += b[i, W + e] * b[i, HA + e]
            b[i, HA + e] = b[i, NA + e]
        roll += b[i, W] * b[i, EX] + b[i, W + 1] * b[i, EX + 1] + b[i, W + 2] * b[i, EX + 2]
    loss = kinetic + q[KINETIC] - cross
    q[KINETIC] = kinetic
    # the centre of gravity and link 0
    r = 1.0 / chain.total
    z = q[Z]
    for e in range(3):
        v = s[3 + e] * r
        q[X + e] += half * (q[VX + e] + v)
        q[DV + e] = v - q[VX + e]
        q[VX + e] = v
    carry(chain, b, -q[VX], -q[VY], -q[VZ])
    w, x, y, t = turned(
        q, half * (q[WX] + b[0, W]), half * (q[WY] + b[0, W + 1]), half * (q[WZ] + b[0, W + 2])
    )  # fmt: skip
    q[AW], q[AX], q[AY], q[AZ] = w, x, y, t
    for e in range(3):
        q[DW + e] = b[0, W + e] - q[WX + e]
        q[WX + e] = b[0, W + e]
    weight = chain.total * gravity
    loss += weight * (dt * q[VZ] - (q[Z] - z))
    acc[tally.SCHEME_LOSS] += loss
    acc[tally.KINETIC], acc[tally.POTENTIAL] = kinetic, weight * q[Z]
    acc[tally.ROLL] += dt * roll / b.shape[0]
    acc[tally.RESIDUAL_MAX] = max(acc[tally.RESIDUAL_MAX], left)
    return math.isfinite(kinetic) and math.isfinite(q[X] + q[Y] + q[Z])


@kernel
def count_step(surface, d, count, dt, t, share, acc):
    """Add contacts and joints of a step to the account; TAU are the actuators' torques, Q0 to Q the way of the joints."""
    across, along, friction, normal, top = 0.0, 0.0, 0.0, 0.0, acc[tally.NORMAL_MAX]
    pressing = 0
    for a in range(count):
        force = surface.spots[a, NORMAL]
        if force > 0.0:
            pressing += 1
            across += abs(surface.touch[VN, a])
            along += abs(surface.touch[VT, a])
        friction -= surface.touch[FT, a] * surface.touch[VT, a] + surface.touch[FN, a] * surface.touch[VN, a]
        normal -= force * surface.spots[a, VNORMAL]
        top = max(top, force)
    acc[tally.SLIP_ACROSS] += across * dt * share
    acc[tally.SLIP_ALONG] += along * dt * share
    acc[tally.FRICTION_LOSS] += friction * dt
    acc[tally.GROUND_LOSS] += normal * dt
    acc[tally.CONTACTS] += pressing * dt
    acc[tally.NORMAL_MAX] = top
    square, positive = 0.0, 0.0
    for k in range(d.shape[0]):
        torque, moved = d[k, TAU], d[k, Q] - d[k, Q0]
        square += torque * torque
        d[k, PEAK] = max(d[k, PEAK], abs(torque))
        positive += max(0.0, torque * moved)
        acc[tally.NET_WORK] += torque * moved
        acc[tally.DAMPING_LOSS] += d[k, DAMP] * d[k, QD] * moved
        acc[tally.SCHEME_LOSS] += (torque - d[k, DAMP] * d[k, QD]) * (moved - dt * d[k, QD])
        if abs(torque) > acc[tally.TORQUE_MAX]:
            acc[tally.TORQUE_MAX], acc[tally.TORQUE_MAX_JOINT], acc[tally.TORQUE_MAX_TIME] = abs(torque), k, t
        if abs(d[k, Q]) > acc[tally.ANGLE_MAX]:
            acc[tally.ANGLE_MAX], acc[tally.ANGLE_MAX_JOINT] = abs(d[k, Q]), k
        if d[k, KP] >= 0.0 and abs(torque) >= d[k, LIMIT] * (1.0 - 1e-9):
            acc[tally.SATURATED] += dt
    acc[tally.TORQUE_SQ] += square * dt
    acc[tally.POSITIVE_WORK] += positive
    acc[tally.POWER] = positive / dt
    acc[tally.PEAK_POWER] = max(acc[tally.PEAK_POWER], positive / dt)


@njit
def shape_step(chain, terrain, surface, b, d, q, acc, t, dt, gravity, tolerance, share):
    """Advance to time t with the joints prescribed: AIM and QP of d are their angles and rates at t."""
    step = q[DONE] + 1.0
    for k in range(d.shape[0]):
        d[k, Q0] = d[k, Q]
        d[k, Q] = d[k, AIM]
        d[k, QD] = d[k, QP]
    x, y, z = predict(chain, b, d, q, dt, gravity)
    count, touching, unclear = look(chain, terrain, surface, b, x, y, z, step, True)
    acc[tally.UPRIGHT] += unclear
    solve_shape(chain, surface, b, count, touching, dt, gravity, tolerance, acc)
    good = finish(chain, surface, b, d, q, count, dt, gravity, acc, True)
    for k in range(d.shape[0]):
        d[k, TAU] += d[k, DAMP] * d[k, QD]
    acc[tally.STORED] = remember(surface, count, touching, x, y, dt, step)
    count_step(surface, d, count, dt, t, share, acc)
    return good, count


@njit
def drive_step(chain, terrain, surface, b, d, q, acc, t, dt, gravity, tolerance, share):
    """Advance to time t with driven joints: AIM of d holds the targets (or torques) for the step."""
    step = q[DONE] + 1.0
    for k in range(d.shape[0]):
        d[k, Q0], d[k, QD0] = d[k, Q], d[k, QD]
        d[k, QP] = d[k, QD] + d[k, DQ]
        d[k, Q] += 0.5 * dt * (d[k, QD] + d[k, QP])
    x, y, z = predict(chain, b, d, q, dt, gravity)
    count, touching, unclear = look(chain, terrain, surface, b, x, y, z, step, True)
    acc[tally.UPRIGHT] += unclear
    solve_drive(chain, surface, b, d, count, touching, dt, gravity, tolerance, acc)
    for k in range(d.shape[0]):
        rate = d[k, QT]
        d[k, TAU] = (d[k, T] - d[k, D] * rate) / dt + d[k, DAMP] * rate
        d[k, DQ], d[k, QD] = rate - d[k, QD0], rate
        d[k, Q] = d[k, Q0] + 0.5 * dt * (d[k, QD0] + rate)
    good = finish(chain, surface, b, d, q, count, dt, gravity, acc, False)
    acc[tally.STORED] = remember(surface, count, touching, x, y, dt, step)
    count_step(surface, d, count, dt, t, share, acc)
    return good, count
