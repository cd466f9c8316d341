"""The velocities at the end of a step in space: Newton over contacts, joints and the whole body.

Prescribed joints leave 6 unknowns, the twist of link 0 (`solve_prescribed`); driven ones are solved by the recursion of
`spatial.dynamics` (`solve_driven`). Contacts enter by their slopes, joints by what acts in them (`contact.joint`): motor, losses,
stops, and the rotor, whose momentum J w is one more impulse J w_0 - J w. Newton is damped by halving while the corrections of the
contact velocities do not shrink (the natural test of Deuflhard); where the friction law allows it, slopes are taken with predicted forces
instead (`contact.smoothing`). Else it falls back on the secant -f/v, which always
dissipates; steps that do not converge even so are counted. The last correction's forces are linearised, so that they balance the momenta exactly.
"""

from __future__ import annotations

import math

import numpy as np

from serpenoid.compiled import kernel, njit
from serpenoid.contact import is_coupled, is_predictable, sums
from serpenoid.contact.joint import (
    DRIVEN,
    GEAR_FRICTION,
    JOINT_DAMPING,
    ROTOR,
    gear_impulse,
    motor_impulse,
    nonlinear,
    stop_impulse,
)
from serpenoid.contact.self_contact import TOUCHES
from serpenoid.contact.smoothing import SOLVED
from serpenoid.contact.spots import LINK, NORMAL, NX, ROLL_K, ROLL_W, SX, TX, VNORMAL
from serpenoid.contact.touch import FN, FT, PREDICTED, SECANT, TANGENT, VN, VT
from serpenoid.spatial.contacts import contact_forces, contact_vector, roll_vector, settle_forces, slopes
from serpenoid.spatial.detect import contact_velocities
from serpenoid.spatial.dynamics import add_square, body_inertia, inertia_of, solve6, solve_chain, times
from serpenoid.spatial.kinematics import propagate_twists
from serpenoid.spatial.layout import (
    AIM,
    ANGLE,
    DRIVE,
    DT,
    GEAR_D,
    GEAR_T,
    GRAVITY,
    HA,
    HELD,
    HL,
    IDLE,
    LAW,
    MASS,
    MIXED,
    MOTOR_D,
    MOTOR_T,
    NONLINEAR,
    PASSIVE,
    PG,
    PUSH,
    QB,
    QP,
    QS,
    QT,
    RATE,
    ROLLING,
    SCALARS,
    TOLERANCE,
    A,
    B,
    D,
    T,
    V,
    W,
)  # fmt: skip
from serpenoid.spatial.self_touch import push_touches, settle_touches

_NEWTON, _SECANT = 25, 25
_LEAST = 0.02  # of a correction: shorter ways back are not tried
_PREDICTED_FROM = 3  # for motors at their limits
_FRESH = 3  # iterates that the friction limits follow
_SHRINK = 0.7  # a correction must be smaller than this share of the one before
_DAMPED = 5  # iterates from which predicted slopes go half of the way where corrections do not shrink
_ARM = 0.1  # m: what a joint rate counts for among the contact velocities


@njit
def plus(x, f, g):
    """Vector x + f g of six numbers."""
    return (
        x[0] + f * g[0], x[1] + f * g[1], x[2] + f * g[2], x[3] + f * g[3], x[4] + f * g[4], x[5] + f * g[5],
    )  # fmt: skip


@njit
def with_contacts(contacts, total, dt, coupled, a, r):
    """Matrix and right side of the whole body with the slopes and forces of all contacts."""
    spots, touch = contacts.spots, contacts.touch
    for c in range(total):
        kn, kt, ks, mixed = slopes(contacts, c, coupled)
        n, g, h = contact_vector(spots, c, NX), contact_vector(spots, c, TX), contact_vector(spots, c, SX)
        r = plus(r, dt * spots[NORMAL, c], n)
        r = plus(r, dt * touch[FT, c], g)
        r = plus(r, dt * touch[FN, c], h)
        a = add_square(a, n, dt * kn)
        a = add_square(a, g, dt * (kt - abs(mixed)))
        a = add_square(a, h, dt * (ks - abs(mixed)))
        if mixed != 0.0:
            a = add_square(a, plus(g, math.copysign(1.0, mixed), h), dt * abs(mixed))
    return a, r


@njit
def with_rolling(spots, total, dt, a, r):
    """The same with the rolling resistance of all contacts."""
    for c in range(total):
        g = roll_vector(spots, c)
        r = plus(r, -dt * spots[ROLL_K, c] * spots[ROLL_W, c], g)
        a = add_square(a, g, dt * spots[ROLL_K, c])
    return a, r


@kernel
def solve_prescribed(chain, held, numbers, body, anchors, contacts, total, count, lack, acc):
    """Newton for the twist of link 0 with prescribed joint rates; twists and contact forces are left complete.

    `lack` is the momentum that the predicted twists lack: what there was and what gravity gives, less what they have.
    """
    dt, eps, coupled = numbers[DT], acc[sums.SMOOTHING], is_coupled(numbers[LAW], numbers[SCALARS:])
    tolerance = numbers[TOLERANCE] if numbers[TOLERANCE] > 0.0 else SOLVED * eps
    predictable, by = is_predictable(int(numbers[LAW])), TANGENT
    whole = body_inertia(chain, body)
    x = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)  # twist of link 0 beyond the predicted one
    dx = x
    best, scale, change = np.inf, 1.0, 0.0
    it = 0
    for it in range(_NEWTON + _SECANT):
        if it >= _NEWTON:
            by = SECANT
        contact_forces(chain, held, numbers, anchors, contacts, total, count, eps, by, it < _FRESH)
        a, r = with_contacts(contacts, total, dt, coupled, whole, plus(lack, -1.0, times(whole, x)))
        if numbers[ROLLING] > 0.0:
            a, r = with_rolling(contacts.spots, total, dt, a, r)
        step = solve6(a, r)
        move(body, step, 1.0)
        change = contact_velocities(body, contacts.spots, contacts.touch, total)
        if by == TANGENT and change > _SHRINK * best and predictable:
            by = PREDICTED
        elif by == TANGENT and change > _SHRINK * best and scale > _LEAST:
            # a worse place than the last: back to half of the way that led here
            scale *= 0.5
            dx = (0.5 * dx[0], 0.5 * dx[1], 0.5 * dx[2], 0.5 * dx[3], 0.5 * dx[4], 0.5 * dx[5])
            x = plus(x, -1.0, dx)
            move(body, plus(step, 1.0, dx), -1.0)
            contact_velocities(body, contacts.spots, contacts.touch, total)
            continue
        slow = change > _SHRINK * best
        best, scale, dx = change, 1.0, step
        x = plus(x, 1.0, step)
        if change < tolerance:
            break
        if by == PREDICTED:
            settle_forces(contacts, total, coupled)
            if slow and it >= _DAMPED:
                x = plus(x, -0.5, step)
                move(body, step, -0.5)
                contact_velocities(body, contacts.spots, contacts.touch, total)
                settle_forces(contacts, total, coupled)
    acc[sums.ITERATIONS] += it + 1
    if not change < tolerance:
        acc[sums.UNCONVERGED] += 1.0
    settle_forces(contacts, total, coupled)


@njit
def move(body, step, f):
    """Add f times a twist to those of all links."""
    s0, s1, s2, s3, s4, s5 = f * step[0], f * step[1], f * step[2], f * step[3], f * step[4], f * step[5]
    for i in range(body.shape[1]):
        body[W, i] += s0
        body[W + 1, i] += s1
        body[W + 2, i] += s2
        body[V, i] += s3
        body[V + 1, i] += s4
        body[V + 2, i] += s5


@njit
def is_held(chain, dofs, k):
    """Whether an ideal joint follows angles, and is not limp."""
    return chain.actuators[DRIVEN, k] > 0.0 and dofs[PASSIVE, k] == 0.0


@njit
def motor(chain, dofs, mode, k, rate, dt, predicted):
    """T and D of the motor of axis k: a servo with its aim, or the torque held in the rows of the state."""
    if dofs[PASSIVE, k] > 0.0 or mode == IDLE:
        return 0.0, 0.0
    if mode in (DRIVE, PUSH):
        return dt * dofs[HELD, k] * chain.actuators[DRIVEN, k], 0.0
    return motor_impulse(chain.actuators, k, dofs[AIM, k], dofs[ANGLE, k], dofs[RATE, k], rate, dt, 0.5, predicted)


@njit
def drive_all(chain, axes, dofs, mode, dt, level, by, again):
    """T and D of all axes at the rates tried, which are kept in QS; whether they are not linear in the rates.

    `level` is that of NONLINEAR; slopes of gear friction are taken `by` what those of the contacts are; `again`: with the impulses that
    were predicted, where motors are at their limits.
    """
    act, bent, mixed = chain.actuators, level > 1.0, mode == MIXED
    for k in range(axes.shape[1]):
        rate, before = axes[QT, k], dofs[RATE, k]
        if mixed and is_held(chain, dofs, k):
            axes[T, k], axes[D, k], axes[QS, k] = axes[QP, k], -1.0, rate
            continue
        t, d = motor(chain, dofs, mode, k, rate, dt, axes[MOTOR_T, k] - axes[MOTOR_D, k] * rate if again else np.inf)
        axes[MOTOR_T, k], axes[MOTOR_D, k] = t, d
        if act[GEAR_FRICTION, k] > 0.0:
            predicted = (axes[GEAR_T, k] - axes[GEAR_D, k] * rate) / dt
            axes[GEAR_T, k], axes[GEAR_D, k] = gear_impulse(act, k, rate, dt, by, predicted)
            t, d = t + axes[GEAR_T, k], d + axes[GEAR_D, k]
        d += dt * act[JOINT_DAMPING, k]
        if level > 0.0:
            t1, d1 = stop_impulse(act, k, dofs[ANGLE, k], before, rate, dt)
            t, d = t + t1, d + d1
            bent = bent or nonlinear(act, k, dofs[ANGLE, k] + 0.5 * dt * (before + rate))
        axes[T, k] = t + act[ROTOR, k] * before
        axes[D, k] = d + act[ROTOR, k]
        axes[QS, k] = rate
    return bent


@njit
def assemble(chain, contacts, body, total, dt, gravity, coupled):
    """Matrices A and right sides B of the links: inertia, momenta, gravity, contacts at their velocities."""
    spots, touch = contacts.spots, contacts.touch
    for i in range(body.shape[1]):
        a = inertia_of(chain, body, i)
        for e in range(21):
            body[A + e, i] = a[e]
        f = -dt * chain.links[MASS, i] * gravity
        body[B, i], body[B + 1, i] = body[HA, i] + body[PG + 1, i] * f, body[HA + 1, i] - body[PG, i] * f
        body[B + 2, i], body[B + 3, i] = body[HA + 2, i], body[HL, i]
        body[B + 4, i], body[B + 5, i] = body[HL + 1, i], body[HL + 2, i] + f
    for c in range(total):
        i = int(spots[LINK, c])
        kn, kt, ks, mixed = slopes(contacts, c, coupled)
        vn, vt, vs = spots[VNORMAL, c], touch[VT, c], touch[VN, c]
        add_spot(body, i, contact_vector(spots, c, NX), dt * kn, dt * (spots[NORMAL, c] + kn * vn))
        g, h = contact_vector(spots, c, TX), contact_vector(spots, c, SX)
        add_spot(body, i, g, dt * (kt - abs(mixed)), dt * (touch[FT, c] + kt * vt + mixed * vs))
        add_spot(body, i, h, dt * (ks - abs(mixed)), dt * (touch[FN, c] + ks * vs + mixed * vt))
        if mixed != 0.0:
            add_spot(body, i, plus(g, math.copysign(1.0, mixed), h), dt * abs(mixed), 0.0)
        if spots[ROLL_K, c] > 0.0:
            add_spot(body, i, roll_vector(spots, c), dt * spots[ROLL_K, c], 0.0)


@njit
def add_spot(body, i, g, slope, force):
    """Add slope g g' and force g of one axis of a spot to link i."""
    p0, p1, p2, p3, p4, p5 = slope * g[0], slope * g[1], slope * g[2], slope * g[3], slope * g[4], slope * g[5]
    body[A, i] += p0 * g[0]
    body[A + 1, i] += p0 * g[1]
    body[A + 2, i] += p0 * g[2]
    body[A + 3, i] += p1 * g[1]
    body[A + 4, i] += p1 * g[2]
    body[A + 5, i] += p2 * g[2]
    for e in range(3):
        body[A + 6 + e, i] += p0 * g[3 + e]
        body[A + 9 + e, i] += p1 * g[3 + e]
        body[A + 12 + e, i] += p2 * g[3 + e]
        body[A + 15 + e, i] += p3 * g[3 + e]
    body[A + 18, i] += p4 * g[4]
    body[A + 19, i] += p4 * g[5]
    body[A + 20, i] += p5 * g[5]
    for e in range(6):
        body[B + e, i] += force * g[e]


@njit
def go_back(chain, contacts, body, axes, total, tried, last):
    """Half of the way from the last good iterate (`last`, QB) to the one just evaluated (`tried`, QS)."""
    for e in range(6):
        body[W + e, 0] = 0.5 * (tried[e] + last[e])
    for k in range(axes.shape[1]):
        axes[QT, k] = 0.5 * (axes[QS, k] + axes[QB, k])
    propagate_twists(chain, body, axes, QT)
    contact_velocities(body, contacts.spots, contacts.touch, total)


@kernel
def solve_driven(chain, held, numbers, body, axes, dofs, anchors, contacts, total, count, mode, acc):
    """Newton for all velocities; twists, rates QT and contact forces are left complete."""
    dt, eps, coupled = numbers[DT], acc[sums.SMOOTHING], is_coupled(numbers[LAW], numbers[SCALARS:])
    tolerance = numbers[TOLERANCE] if numbers[TOLERANCE] > 0.0 else SOLVED * eps
    predictable, by = is_predictable(int(numbers[LAW])), TANGENT
    best, scale, change = np.inf, 1.0, 0.0
    last = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    for k in range(axes.shape[1]):
        axes[QT, k] = axes[QP, k]
    it = 0
    for it in range(_NEWTON + _SECANT):
        if it >= _NEWTON:
            by = SECANT
        contact_forces(chain, held, numbers, anchors, contacts, total, count, eps, by, it < _FRESH)
        assemble(chain, contacts, body, total, dt, numbers[GRAVITY], coupled)
        touches = contacts.own.counts[TOUCHES] > 0.0
        if touches:
            push_touches(chain, body, contacts.own, dt, eps, it, by == SECANT)
        bent = drive_all(chain, axes, dofs, mode, dt, numbers[NONLINEAR], by, it >= _PREDICTED_FROM)
        tried = (body[W, 0], body[W + 1, 0], body[W + 2, 0], body[V, 0], body[V + 1, 0], body[V + 2, 0])
        solve_chain(chain, body, axes, QT)
        met = settle_touches(chain, body, axes, contacts.own, eps, tolerance) if touches else 0.0
        change = max(contact_velocities(body, contacts.spots, contacts.touch, total), met)
        if bent:
            for k in range(axes.shape[1]):
                change = max(change, _ARM * abs(axes[QT, k] - axes[QS, k]))
        if by == TANGENT and change > _SHRINK * best and predictable:
            by = PREDICTED
        elif by == TANGENT and change > _SHRINK * best and scale > _LEAST:
            scale *= 0.5
            go_back(chain, contacts, body, axes, total, tried, last)
            continue
        slow = change > _SHRINK * best
        best, scale, last = change, 1.0, tried
        if change < tolerance:
            break
        if by == PREDICTED:
            settle_forces(contacts, total, coupled)
            if slow and it >= _DAMPED:
                for k in range(axes.shape[1]):
                    axes[QB, k] = axes[QT, k]
                new = (body[W, 0], body[W + 1, 0], body[W + 2, 0], body[V, 0], body[V + 1, 0], body[V + 2, 0])
                go_back(chain, contacts, body, axes, total, tried, new)
                settle_forces(contacts, total, coupled)
        # the evaluated iterate becomes the place to come back to
        for k in range(axes.shape[1]):
            axes[QB, k] = axes[QS, k]
    acc[sums.ITERATIONS] += it + 1
    if not change < tolerance:
        acc[sums.UNCONVERGED] += 1.0
    settle_forces(contacts, total, coupled)
