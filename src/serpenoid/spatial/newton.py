"""The velocities at the end of a step in space: Newton over contacts, joints and the whole body.

Prescribed joints leave 6 unknowns, the twist of link 0 (`solve_prescribed`); driven ones are solved by the recursion of
`spatial.dynamics` (`solve_driven`). Contacts enter by their slopes, joints by what acts in them (`contact.joint`): motor, losses,
stops, and the rotor, whose momentum J w is one more impulse J w_0 - J w. Newton is damped by halving while the corrections of the
contact velocities do not shrink (the natural test of Deuflhard); where the friction law allows it, slopes are taken with predicted forces
instead (`contact.smoothing`). Else it falls back on the secant -f/v, which always
dissipates; steps that do not converge even so are counted. The last correction's forces are linearised, so that they balance the momenta exactly;
friction that comes out beyond its cone is brought back (`contact.cone`), and the velocities are those of these forces.
"""

from __future__ import annotations

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
from serpenoid.contact.spots import LINK, NORMAL, ROLL_K, ROLL_R, ROLL_W, TX, VNORMAL
from serpenoid.contact.touch import FN, FT, PREDICTED, SECANT, TANGENT, VN, VT
from serpenoid.spatial.contacts import (
    carry_spot,
    carry_spots,
    contact_forces,
    hold_friction,
    roll_vector,
    slopes,
    with_spot,
)
from serpenoid.spatial.detect import roll_rates, spot_velocity
from serpenoid.spatial.dynamics import (
    body_inertia,
    eliminate,
    inertia_of,
    momentum_before,
    outward,
    right_side,
    set_twist,
    twist_of,
)
from serpenoid.spatial.impacts import impulse_change
from serpenoid.spatial.kinematics import propagate_twists
from serpenoid.spatial.layout import (
    AIM,
    ANGLE,
    DRIVE,
    DT,
    GEAR_D,
    GEAR_T,
    GRAVITY,
    HELD,
    IDLE,
    LAW,
    MIXED,
    MOTOR_D,
    MOTOR_T,
    NONLINEAR,
    PASSIVE,
    PUSH,
    QB,
    QP,
    QS,
    QT,
    RATE,
    RIGID,
    ROLLING,
    SCALARS,
    SOLVED,
    TOLERANCE,
    VX,
    VY,
    VZ,
    A,
    D,
    T,
    W,
)  # fmt: skip
from serpenoid.spatial.matrices import add_square, no_matrix, nothing, plus, solve6, summed, times
from serpenoid.spatial.self_touch import hold_touches, push_touches, settle_touches

_NEWTON, _SECANT = 25, 25
_HOLDS = 8  # of the friction of impacts
_LEAST = 0.02  # of a correction: shorter ways back are not tried
_PREDICTED_FROM = 3  # for motors at their limits
_SHRINK = 0.7  # a correction must be smaller than this share of the one before
_DAMPED = 5  # iterates from which predicted slopes go half of the way where corrections do not shrink
_ARM = 0.1  # m: what a joint rate counts for among the contact velocities


@njit
def tolerance_of(numbers, eps):
    """Correction of the contact velocities that is the last one, m/s; eps smooths the friction."""
    given = numbers[TOLERANCE]
    return given if given > 0.0 else (-given if given < 0.0 else SOLVED) * eps


@njit
def with_spots(contacts, total, dt, coupled, rolling, a, r):
    """Matrix and right side of the whole body, whose unknown is the correction of its twist, with the slopes and forces of all spots."""
    spots = contacts.spots
    for c in range(total):
        a, r = with_spot(contacts, c, coupled, 0.0, dt, a, r)
        if rolling:
            g = roll_vector(spots, c)
            r = plus(r, -dt * spots[ROLL_K, c] * spots[ROLL_W, c], g)
            a = add_square(a, g, dt * spots[ROLL_K, c])
    return a, r


@njit
def carry_body(contacts, total, coupled, rolling, x, f):
    """Velocities and forces of all spots after a change f x of the body's twist; returns the largest change of a velocity."""
    spots, touch, change = contacts.spots, contacts.touch, 0.0
    w0, w1, w2, v0, v1, v2 = f * x[0], f * x[1], f * x[2], f * x[3], f * x[4], f * x[5]
    for a in range(total):
        kn, kt, ks, mixed = slopes(contacts, a, coupled)
        dn, dt, ds = spot_velocity(spots, a, (w0, w1, w2, v0, v1, v2))
        spots[VNORMAL, a] += dn
        touch[VT, a] += dt
        touch[VN, a] += ds
        spots[NORMAL, a] -= kn * dn
        touch[FT, a] -= kt * dt + mixed * ds
        touch[FN, a] -= ks * ds + mixed * dt
        change = max(change, abs(dn), abs(dt), abs(ds))
    if rolling:
        for a in range(total):
            rate = w0 * spots[TX, a] + w1 * spots[TX + 1, a] + w2 * spots[TX + 2, a]
            spots[ROLL_W, a] += rate
            if spots[ROLL_K, a] > 0.0:
                change = max(change, spots[ROLL_R, a] * abs(rate))
    return change


@kernel
def solve_prescribed(chain, held, numbers, body, anchors, contacts, total, count, lack, acc):
    """Newton for the twist of link 0 with prescribed joint rates; twists and contact forces are left complete.

    `lack` is the momentum that the predicted twists lack: what there was and what gravity gives, less what they have.
    """
    dt, eps, coupled = numbers[DT], acc[sums.SMOOTHING], is_coupled(numbers[LAW], numbers[SCALARS:])
    tolerance, rolling = tolerance_of(numbers, eps), numbers[ROLLING] > 0.0
    predictable, by = is_predictable(int(numbers[LAW])), TANGENT
    whole = body_inertia(chain, body)
    x = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)  # twist of link 0 beyond the predicted one
    dx = x
    best, scale, change = np.inf, 1.0, 0.0
    it = 0
    for it in range(_NEWTON + _SECANT):
        if it >= _NEWTON:
            by = SECANT
        contact_forces(chain, held, numbers, anchors, contacts, total, count, eps, by, it, it < _NEWTON)
        a, r = with_spots(contacts, total, dt, coupled, rolling, whole, plus(lack, -1.0, times(whole, x)))
        step = solve6(a, r)
        change = carry_body(contacts, total, coupled, rolling, step, 1.0)
        if numbers[RIGID] > 0.0:
            change = max(change, impulse_change(numbers, contacts.spots, count, it))
        if by == TANGENT and change > _SHRINK * best and predictable:
            by = PREDICTED
        elif by == TANGENT and change > _SHRINK * best and scale > _LEAST:
            # a worse place than the last: back to half of the way that led here
            scale *= 0.5
            dx = plus(nothing(), 0.5, dx)
            x = plus(x, -1.0, dx)
            carry_body(contacts, total, coupled, rolling, plus(step, 1.0, dx), -1.0)
            continue
        slow = change > _SHRINK * best
        best, scale, dx = change, 1.0, step
        x = plus(x, 1.0, step)
        if change < tolerance:
            break
        if by == PREDICTED and slow and it >= _DAMPED:
            x = plus(x, -0.5, step)
            carry_body(contacts, total, coupled, rolling, step, -0.5)
    acc[sums.ITERATIONS] += it + 1
    if not change < tolerance:
        acc[sums.UNCONVERGED] += 1.0
    for _ in range(_HOLDS if numbers[RIGID] > 0.0 else 1):
        if not hold_friction(chain, numbers, contacts, count, by):
            break
        a, r = with_spots(contacts, total, dt, coupled, rolling, whole, plus(lack, -1.0, times(whole, x)))
        step = solve6(a, r)
        carry_body(contacts, total, coupled, rolling, step, 1.0)
        x = plus(x, 1.0, step)
    for i in range(body.shape[1]):
        set_twist(body, i, plus(twist_of(body, i), 1.0, x))


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
    """T and D of all axes at the rates tried; whether they are not linear in the rates.

    `level` is that of NONLINEAR; slopes of gear friction are taken `by` what those of the contacts are; `again`: with the impulses that
    were predicted, where motors are at their limits.
    """
    act, bent, mixed = chain.actuators, level > 1.0, mode == MIXED
    for k in range(axes.shape[1]):
        rate, before = axes[QT, k], dofs[RATE, k]
        if mixed and is_held(chain, dofs, k):
            axes[T, k], axes[D, k] = axes[QP, k], -1.0
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
    return bent


@njit
def solve_inwards(constants, state, scratch, total, count, coupled, touches):
    """Eliminate the axes from the head to the tail; twist of link 0.

    Every link adds its inertia, its momentum, what gravity gives it, and its spots at their velocities.
    """
    chain, numbers, kept, q = constants.chain, constants.numbers, state.momenta, state.motion
    body, axes, contacts = scratch.body, scratch.axes, scratch.contacts
    spots, dt, rolling = contacts.spots, numbers[DT], numbers[ROLLING] > 0.0
    vx, vy, vz = q[VX], q[VY], q[VZ] - dt * numbers[GRAVITY]
    a, r, c = no_matrix(), nothing(), count
    for j in range(body.shape[1]):
        i = body.shape[1] - 1 - j
        a = summed(a, inertia_of(chain, body, i))
        r = plus(r, 1.0, momentum_before(chain, body, kept, i, vx, vy, vz))
        while c > 0 and int(spots[LINK, c - 1]) == i:  # the spots of a link follow one another
            c -= 1
            a, r = with_spot(contacts, c, coupled, 1.0, dt, a, r)
            if rolling:
                a = add_square(a, roll_vector(spots, c), dt * spots[ROLL_K, c])
        for k in range(count, total):
            if int(spots[LINK, k]) == i:
                a, r = with_spot(contacts, k, coupled, 1.0, dt, a, r)
        if touches:
            r = plus(r, 1.0, right_side(body, i))
        for o in range(chain.first[i + 1] - chain.first[i]):  # the axes of this link's joint, outermost first
            a, r = eliminate(axes, chain.first[i + 1] - 1 - o, a, r)
    if touches:
        for e in range(21):
            body[A + e, 0] = a[e]
    return solve6(a, r)


@njit
def spread_outwards(chain, body, axes, contacts, x, total, count, coupled):
    """Twists and rates (row QT) of all links, and velocities of the first `count` spots, from the twist x of link 0.

    Returns the largest change of a spot's velocity.
    """
    change, c, spots = 0.0, 0, contacts.spots
    for i in range(body.shape[1]):
        for k in range(chain.first[i], chain.first[i + 1]):
            x = outward(axes, k, QT, x)
        set_twist(body, i, x)
        while c < count and int(spots[LINK, c]) == i:
            change = max(change, carry_spot(contacts, c, x, coupled))
            c += 1
    return max(change, carry_spots(contacts, body, c, total, coupled)) if c < total else change


@njit
def solve_links(constants, state, scratch, total, count, eps, it):
    """Twists, rates and forces by the slopes of contacts, joints and touches; returns the largest change of a velocity."""
    chain, numbers, body, axes, contacts = (
        constants.chain, constants.numbers, scratch.body, scratch.axes, scratch.contacts,
    )  # fmt: skip
    coupled, touches = is_coupled(int(numbers[LAW]), numbers[SCALARS:]), contacts.own.counts[TOUCHES] > 0.0
    x = solve_inwards(constants, state, scratch, total, count, coupled, touches)
    if touches:
        spread_outwards(chain, body, axes, contacts, x, 0, 0, coupled)
        change = settle_touches(chain, body, axes, contacts.own, eps, tolerance_of(numbers, eps))
        change = max(change, carry_spots(contacts, body, 0, total, coupled))
    else:
        change = spread_outwards(chain, body, axes, contacts, x, total, count, coupled)
    if numbers[ROLLING] > 0.0:
        change = max(change, roll_rates(body, contacts.spots, total))
    if numbers[RIGID] > 0.0:
        change = max(change, impulse_change(numbers, contacts.spots, count, it))
    return change


@njit
def go_back(chain, contacts, body, axes, total, tried, last, coupled, rolling):
    """Half of the way from the last good iterate (`last`, QB) to the one just evaluated (`tried`, QS)."""
    for e in range(6):
        body[W + e, 0] = 0.5 * (tried[e] + last[e])
    for k in range(axes.shape[1]):
        axes[QT, k] = 0.5 * (axes[QS, k] + axes[QB, k])
    propagate_twists(chain, body, axes, QT)
    carry_spots(contacts, body, 0, total, coupled)
    if rolling:
        roll_rates(body, contacts.spots, total)


@njit
def first_iterate(axes):
    """Begin with the predicted rates: number of the iterate, how slopes are taken, best and last correction, share of the way, last twist."""
    for k in range(axes.shape[1]):
        axes[QT, k] = axes[QP, k]
    return 0, TANGENT, np.inf, 0.0, 1.0, nothing()


@njit
def iterate(constants, state, scratch, total, count, mode, memo):
    """Correct all velocities once: whether that was the last correction, and what the next one needs to know (`first_iterate`)."""
    it, by, best, change, scale, last = memo
    chain, numbers, body, axes = constants.chain, constants.numbers, scratch.body, scratch.axes
    contacts, eps, law = scratch.contacts, state.sums[sums.SMOOTHING], int(numbers[LAW])
    coupled, predictable, rolling = is_coupled(law, numbers[SCALARS:]), is_predictable(law), numbers[ROLLING] > 0.0
    if it >= _NEWTON:
        by = SECANT
    contact_forces(
        chain, constants.terrain.anchors, numbers, state.anchors, contacts, total, count, eps, by, it, it < _NEWTON
    )  # fmt: skip
    touches = contacts.own.counts[TOUCHES] > 0.0
    if touches:
        push_touches(chain, body, contacts.own, numbers[DT], eps, it, by == SECANT)
    bent = False
    if it == 0 or numbers[NONLINEAR] > 0.0:  # else what acts in the joints is linear
        bent = drive_all(chain, axes, state.dofs, mode, numbers[DT], numbers[NONLINEAR], by, it >= _PREDICTED_FROM)
    for k in range(axes.shape[1]):
        axes[QS, k] = axes[QT, k]
    tried, tolerance = twist_of(body, 0), tolerance_of(numbers, eps)
    change = solve_links(constants, state, scratch, total, count, eps, it)
    if bent:
        for k in range(axes.shape[1]):
            change = max(change, _ARM * abs(axes[QT, k] - axes[QS, k]))
    if by == TANGENT and change > _SHRINK * best and predictable:
        by = PREDICTED
    elif by == TANGENT and change > _SHRINK * best and scale > _LEAST:
        go_back(chain, contacts, body, axes, total, tried, last, coupled, rolling)
        return it + 1 == _NEWTON + _SECANT, (it + 1, by, best, change, 0.5 * scale, last)
    slow, done = change > _SHRINK * best, change < tolerance
    if not done and by == PREDICTED and slow and it >= _DAMPED:
        for k in range(axes.shape[1]):
            axes[QB, k] = axes[QT, k]
        go_back(chain, contacts, body, axes, total, tried, twist_of(body, 0), coupled, rolling)
    if not done and not predictable:  # the evaluated iterate becomes the place to come back to
        for k in range(axes.shape[1]):
            axes[QB, k] = axes[QS, k]
    return done or it + 1 == _NEWTON + _SECANT, (it + 1, by, change, change, 1.0, tried)


@njit
def end_iterates(numbers, memo, acc):
    """Count the iterates of a step, and whether they converged."""
    acc[sums.ITERATIONS] += memo[0]
    if not memo[3] < tolerance_of(numbers, acc[sums.SMOOTHING]):
        acc[sums.UNCONVERGED] += 1.0


@kernel
def solve_driven(constants, state, scratch, total, count, mode):
    """Newton for all velocities; twists, rates QT and contact forces are left complete."""
    memo, done = first_iterate(scratch.axes), False
    while not done:
        done, memo = iterate(constants, state, scratch, total, count, mode, memo)
    end_iterates(constants.numbers, memo, state.sums)
    for _ in range(_HOLDS if constants.numbers[RIGID] > 0.0 else 1):
        if not hold_friction(constants.chain, constants.numbers, scratch.contacts, count, memo[1]):
            break
        if scratch.contacts.own.counts[TOUCHES] > 0.0:
            hold_touches(scratch.body, scratch.contacts.own)
        solve_links(constants, state, scratch, total, count, state.sums[sums.SMOOTHING], memo[0])
