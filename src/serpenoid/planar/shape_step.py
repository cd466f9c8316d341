"""Shape to motion by backward Euler in momentum form: prescribed joints, implicit friction, torques out.

State: centre of gravity p, heading psi of the body frame, velocity V (body axes) and angular velocity W of that
frame. In the body frame the shape at the end of the step is known whatever the heading, so the geometry is computed
once. The step is

    M V' = R(-h W') M V + h sum f_k(V', W')              R turns the old momentum into the new axes
    J' W' + H' = L + h sum x_k x f_k(V', W')             L the angular momentum about the centre of gravity

(M g h along a sloping plane added to M V), a 3 x 3 Newton in (V', W'), from the extrapolated last step: for the per-axis laws the gradient of a convex
function. Momentum and angular momentum are kept to rounding where no force acts. The last correction's forces are
linearised, so that they balance the momentum exactly. Order 1.

Where corrections do not shrink, slopes are taken with predicted forces (`contact.smoothing`); for laws without these Newton is damped
by halving while the residual grows. Laws that jump or are not monotone and do not converge fall back on the secant -f/v,
which always dissipates, and the step is counted.
"""

from __future__ import annotations

import math

import numpy as np

from serpenoid import contact
from serpenoid.compiled import njit
from serpenoid.contact import is_coupled, is_predictable
from serpenoid.contact import sums as slot
from serpenoid.contact.self_contact import ON
from serpenoid.contact.smoothing import SHRINK, SOLVED, follow_motion
from serpenoid.contact.touch import FN, FT, KNN, KNT, KTN, KTT, PREDICTED, SECANT, TANGENT, VN, VT
from serpenoid.frames import sincos, sincos1
from serpenoid.planar import account
from serpenoid.planar.command import prescribed_headings
from serpenoid.planar.dynamics import inertia_and_spin, reactions
from serpenoid.planar.ground import stand_on_ground
from serpenoid.planar.kinematics import face_ground, forward_kinematics, place_points, slip, spread_forces
from serpenoid.planar.layout import (
    ANGLE,
    ANGLE0,
    ANY_STOP,
    DTURN,
    DVX,
    DVY,
    GX,
    GY,
    LAW,
    LEAST,
    MN,
    MT,
    NUMBERS,
    PSI,
    RATE,
    SPIN,
    TOLERANCE,
    TOTAL,
    TURN,
    TURN0,
    TX,
    TY,
    UNEVEN,
    VX,
    VY,
    WX,
    WY,
    XG,
    YG,
    C,
    S,
    X,
    Y,
)  # fmt: skip
from serpenoid.planar.self_touch import load_joints, touch_all

NEWTON, SECANTS = 40, 8  # evaluations before the secant fallback, and of it
NEXT, BACK, PREDICT, SETTLED = (
    0,
    1,
    2,
    3,
)  # what comes after an evaluation: the next, one half way back, one with predicted forces, none


@njit
def clear(sums):
    """Set the sums of the contacts to zero."""
    for k in range(12):
        sums[k] = 0.0


@njit
def assemble(b, touch, coupled, dt, sums):
    """Add forces and slopes of the contacts to `sums`: 3 forces, then the 3 x 3 matrix by rows."""
    f0, f1, f2, a00, a01, a02, a11, a12, a22 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(b.shape[1]):
        tx, ty, mt, mn, ft, fn = b[TX, i], b[TY, i], b[MT, i], b[MN, i], touch[FT, i], touch[FN, i]
        f0 += ft * tx - fn * ty
        f1 += ft * ty + fn * tx
        f2 += ft * mt + fn * mn
    for i in range(b.shape[1]):
        tx, ty, mt, mn, kt, kn = b[TX, i], b[TY, i], b[MT, i], b[MN, i], touch[KTT, i], touch[KNN, i]
        a00 += kt * tx * tx + kn * ty * ty
        a01 += (kt - kn) * tx * ty
        a11 += kt * ty * ty + kn * tx * tx
        a02 += kt * tx * mt - kn * ty * mn
        a12 += kt * ty * mt + kn * tx * mn
        a22 += kt * mt * mt + kn * mn * mn
    sums[0] += dt * f0
    sums[1] += dt * f1
    sums[2] += dt * f2
    sums[3] += dt * a00
    sums[4] += dt * a01
    sums[5] += dt * a02
    sums[6] += dt * a01
    sums[7] += dt * a11
    sums[8] += dt * a12
    sums[9] += dt * a02
    sums[10] += dt * a12
    sums[11] += dt * a22
    if coupled:
        for i in range(b.shape[1]):
            t = (b[TX, i], b[TY, i], b[MT, i])
            n = (-b[TY, i], b[TX, i], b[MN, i])
            for j in range(3):
                for k in range(3):
                    sums[3 + 3 * j + k] += dt * (touch[KTN, i] * t[j] * n[k] + touch[KNT, i] * n[j] * t[k])


@njit
def solve_general3(sums, r0, r1, r2):
    """Solve the 3 x 3 system in sums[3:12] by Cramer's rule."""
    a, b, c = sums[3], sums[4], sums[5]
    d, e, f = sums[6], sums[7], sums[8]
    g, h, i = sums[9], sums[10], sums[11]
    m0, m1, m2 = e * i - f * h, f * g - d * i, d * h - e * g
    det = 1.0 / (a * m0 + b * m1 + c * m2)
    x0 = (m0 * r0 + (c * h - b * i) * r1 + (b * f - c * e) * r2) * det
    x1 = (m1 * r0 + (a * i - c * g) * r1 + (c * d - a * f) * r2) * det
    x2 = (m2 * r0 + (b * g - a * h) * r1 + (a * e - b * d) * r2) * det
    return x0, x1, x2


@njit
def friction(constants, state, scratch, dt, by):
    """Forces and slopes of all contacts by the friction law."""
    contact.evaluate(
        int(constants.numbers[LAW]), constants.numbers[NUMBERS:], state.sums[slot.SMOOTHING], scratch.limits, state.memory, dt, by,
        scratch.touch,
    )  # fmt: skip


@njit
def advance_friction(constants, state, scratch, dt):
    """Move the contacts' memory on by a step; returns the energy stored in it."""
    return contact.advance(
        int(constants.numbers[LAW]), constants.numbers[NUMBERS:], scratch.limits, state.memory, dt, scratch.touch
    )  # fmt: skip


@njit
def correct_contacts(b, touch, coupled, dx, dy, dw):
    """Contact velocities after the last correction of the body's velocities, and the linearised forces there."""
    for i in range(b.shape[1]):
        et = dx * b[TX, i] + dy * b[TY, i] + dw * b[MT, i]
        en = dy * b[TX, i] - dx * b[TY, i] + dw * b[MN, i]
        touch[VT, i] += et
        touch[VN, i] += en
        touch[FT, i] -= touch[KTT, i] * et
        touch[FN, i] -= touch[KNN, i] * en
    if coupled:
        for i in range(b.shape[1]):
            et = dx * b[TX, i] + dy * b[TY, i] + dw * b[MT, i]
            en = dy * b[TX, i] - dx * b[TY, i] + dw * b[MN, i]
            touch[FT, i] -= touch[KTN, i] * en
            touch[FN, i] -= touch[KNT, i] * et


@njit
def improve(v, d, trial, by, sums, body, momentum, rules, dt):
    """One correction of Newton from the sums of the contacts at v = (vx, vy, turn); returns v, correction, trial, slopes to take, verdict.

    trial: squared residual to beat, share of the correction taken, size of the last one. body: mass, moment of inertia. momentum: that of
    the body before the contacts act, in the axes at the start. rules: tolerance, whether slopes can be predicted.
    """
    (vx, vy, turn), (dx, dy, dw), (best, scale, last) = v, d, trial
    (mass, inertia), (px, py, pl), (tolerance, predictable) = body, momentum, rules
    reach = math.sqrt(inertia / mass)
    c, s = sincos1(dt * turn)
    ox, oy = c * px + s * py, c * py - s * px
    r0, r1, r2 = mass * vx - ox - sums[0], mass * vy - oy - sums[1], inertia * turn - pl - sums[2]
    norm = r0 * r0 + r1 * r1 + r2 * r2 / (reach * reach)
    if by == TANGENT and not predictable and norm > best * 1.0001 and scale > 1e-3:
        # a worse place: go back half of the way
        dx, dy, dw = 0.5 * dx, 0.5 * dy, 0.5 * dw
        return (vx - dx, vy - dy, turn - dw), (dx, dy, dw), (best, 0.5 * scale, last), by, BACK
    sums[3] += mass
    sums[7] += mass
    sums[11] += inertia
    sums[5] -= dt * oy
    sums[8] += dt * ox
    dx, dy, dw = solve_general3(sums, -r0, -r1, -r2)
    change = math.sqrt(dx * dx + dy * dy) + reach * abs(dw)
    verdict = NEXT
    if change < tolerance:
        verdict = SETTLED
    elif predictable and by == TANGENT and change > SHRINK * last:
        by = PREDICTED
    if by == PREDICTED and verdict == NEXT:
        verdict = PREDICT
    return (vx + dx, vy + dy, turn + dw), (dx, dy, dw), (norm, 1.0, change), by, verdict


@njit
def search_from(numbers, q, spin, fall, smoothing):
    """Where Newton begins: velocities tried, momentum of the body before the contacts act, and its rules."""
    mass, law = numbers[TOTAL], int(numbers[LAW])
    tolerance = numbers[TOLERANCE] if numbers[TOLERANCE] > 0.0 else SOLVED * smoothing
    v = (q[VX] + q[DVX], q[VY] + q[DVY], q[TURN] + q[DTURN])
    return v, (mass * (q[VX] + fall[0]), mass * (q[VY] + fall[1]), q[SPIN] - spin), (tolerance, is_predictable(law))


@njit
def count_search(it, sums):
    """Count the iterations of a search that ended with number `it`."""
    sums[slot.ITERATIONS] += it + 1
    if it >= NEWTON:
        sums[slot.UNCONVERGED] += 1.0


@njit
def solve_base(numbers, q, scratch, memory, inertia, spin, fall, dt, account_sums):
    """Newton for (V', W'), `fall` what gravity gives to V; leaves contact velocities and (linearised) forces in the scratch; returns (vx, vy, turn)."""
    b, touch, limits, sums = scratch.points, scratch.touch, scratch.limits, scratch.newton
    law, scalars, eps = int(numbers[LAW]), numbers[NUMBERS:], account_sums[slot.SMOOTHING]
    v, momentum, rules = search_from(numbers, q, spin, fall, eps)
    d, trial, by = (0.0, 0.0, 0.0), (np.inf, 1.0, np.inf), TANGENT
    coupled, body = is_coupled(law, scalars), (numbers[TOTAL], inertia)
    for it in range(NEWTON + SECANTS):
        if it >= NEWTON:
            by = SECANT
        slip(b, touch, v[0], v[1], v[2])
        contact.evaluate(law, scalars, eps, limits, memory, dt, by, touch)
        clear(sums)
        assemble(b, touch, coupled, dt, sums)
        v, d, trial, by, verdict = improve(v, d, trial, by, sums, body, momentum, rules, dt)
        if verdict == SETTLED:
            break
        if verdict == PREDICT:
            correct_contacts(b, touch, coupled, d[0], d[1], d[2])
    count_search(it, account_sums)
    correct_contacts(b, touch, coupled, d[0], d[1], d[2])
    return v


@njit
def fallen(numbers, q, dt):
    """What gravity along the plane adds to the velocity in a step, in the axes of its start."""
    gx, gy = numbers[GX], numbers[GY]
    if gx == 0.0 and gy == 0.0:
        return 0.0, 0.0
    c, s = sincos1(q[PSI])
    return dt * (c * gx + s * gy), dt * (c * gy - s * gx)


@njit
def move_base(q, v, inertia, spin, fall, dt):
    """Move the body by its new velocities v; returns the turn of its axes (cosine, sine), the change of velocity without what gravity gave, that."""
    vx, vy, turn = v
    c, s = sincos1(dt * turn)
    fx, fy = c * fall[0] + s * fall[1], c * fall[1] - s * fall[0]
    ox, oy = c * q[VX] + s * q[VY] + fx, c * q[VY] - s * q[VX] + fy
    q[PSI] += dt * turn
    cp, sp = sincos1(q[PSI])
    q[X] += dt * (cp * vx - sp * vy)
    q[Y] += dt * (sp * vx + cp * vy)
    q[DVX], q[DVY], q[DTURN] = vx - q[VX], vy - q[VY], turn - q[TURN]
    q[VX], q[VY], q[TURN], q[SPIN] = vx, vy, turn, inertia * turn + spin
    return (c, s), (vx - ox, vy - oy), (fx, fy)


@njit
def turn_along(b, turn):
    """Make rate and link velocities complete: those of the shape plus the rotation of the body frame."""
    for i in range(b.shape[1]):
        b[WX, i] -= turn * b[YG, i]
        b[WY, i] += turn * b[XG, i]
        b[RATE, i] += turn


@njit
def step(constants, state, scratch, t, dt):
    """Advance to time t = end of the step; False if a number is not finite."""
    b, touch, k, q, sums = scratch.links, scratch.touch, state.links, state.motion, state.sums
    links, numbers, memory = constants.links, constants.numbers, state.memory
    total = numbers[TOTAL]
    # the prescribed shape at the end of the step
    prescribed_headings(constants, state, t, b)
    sincos(b, ANGLE, C, S)
    forward_kinematics(links, total, b)
    if scratch.points.shape[1] > b.shape[1]:
        place_points(constants.points, b, scratch.points)
    face_ground(constants.points, scratch.points)
    inertia, spin = inertia_and_spin(links, b)
    if numbers[UNEVEN] > 0.0:
        c, s = sincos1(q[PSI])
        x, y = q[X] + dt * (c * q[VX] - s * q[VY]), q[Y] + dt * (s * q[VX] + c * q[VY])
        stand_on_ground(constants, scratch, x, y, q[PSI] + dt * q[TURN], t)
    if constants.skin.numbers[ON] > 0.0:
        touch_all(constants, scratch, dt, sums[slot.SMOOTHING], 0, False)
    # the motion of the body
    fall = fallen(numbers, q, dt)
    vx, vy, turn = solve_base(numbers, q, scratch, memory, inertia, spin, fall, dt, sums)
    if not math.isfinite(vx + vy + turn):
        return False
    (c, s), (dvx, dvy), (fx, fy) = move_base(q, (vx, vy, turn), inertia, spin, fall, dt)
    # forces in the joints, and the account
    turn_along(b, turn)
    spread_forces(constants.points, scratch.links, scratch.points, scratch.touch)
    relative, loss = account.momentum_rates(links, k, b, dvx, dvy, c, s, dt)
    account.count_energies(numbers, q, (relative, loss), (dvx, dvy), (fx, fy), sums)
    reactions(b)
    if constants.skin.numbers[ON] > 0.0:
        load_joints(constants, state, scratch, dt)
    if touch.shape[1] > b.shape[1]:
        across, along, loss = account.contact_rates_of_points(constants.points, touch)
    else:
        across, along, loss = account.contact_rates(touch)
    account.count_contacts(across, along, loss, dt, sums)
    follow_motion(numbers[LEAST], total, sums)
    if numbers[ANY_STOP] > 0.0:
        account.count_stopped(constants.joints, k, state.joints, b, dt, t, sums)
    else:
        account.count_joints(constants.joints, k, state.joints, b, dt, t, sums, 0.5)
    sums[slot.STORED] = contact.advance(int(numbers[LAW]), numbers[NUMBERS:], scratch.limits, memory, dt, touch)
    for i in range(b.shape[1]):
        k[ANGLE0, i] = b[ANGLE, i]
    for i in range(b.shape[1]):
        k[TURN0, i] = b[RATE, i]
    return math.isfinite(sums[slot.TORQUE_SQ]) and math.isfinite(sums[slot.KINETIC])
