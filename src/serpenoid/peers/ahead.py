"""Our ground and our joints as forces for the dynamics of another package: at the velocity that its step will reach.

A package that steps its velocities by

    H (v' - v) = h (p + sum over contacts G' f + tau)         q' = q + h v'

(H: its inertia matrix with whatever it treats implicitly; p: its own generalised forces) is handed the contact forces f and the joint torques tau that
our laws have at v', found by Newton with the package's own H, p and Jacobians. The step is still entirely the package's: it computes v'
again from f and tau, and arrives where the iteration ended (`v`). Since v' carries q to q', it is the velocity of the middle of the
step: contact points, gaps and slip are taken at the pose `middle` (q + h v / 2), and the normal force at the gap that the step ends
with, N = max(0, -k (g + h v_n' / 2) - d v_n'). Forces and torques act on the links where they are `now`.

In the joints act motor, gear friction and stops (`contact.joint`), with the angle q + h v' at the end of the step. The joint's damping and
the rotor's inertia are the package's own. Prescribed joints are servos with RIGID = 100 J / h^2 and h times that as damping, J = m L^2 / 12
of the whole body, with feed-forward of the rate: a step brings them home, within tau / kp.

With `explicit` the contacts are taken as they are now instead, which is what any package does with a user's forces. Friction of slope
mu N / smoothing is stiff: so applied, it is stable only while h < 2 m_eff smoothing / (mu N), m_eff the mass that a contact feels.

| array | shape | unit |
|---|---|---|
| `LinkPoses.place`, `.frames` | (n, 3) tail-side joints, (n, 3, 3) rotation matrices of the links | m, - |
| `LinkPoses.axes`, `.about` | (N, 6) twist about the point (3,) `about` by a unit of each velocity: angular, linear | |
| `reach` | (n,) how many of the N velocities move a link: those of a serial chain | |
| `Push.force`, `.torque` | (n, 3) forces and torques about the links' centres of gravity, world axes, without gravity | N, N m |
| `Push.motor`, `.loss`, `.stop` | (m,) torques of motor, losses (positive: they brake) and stop | N m |
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from serpenoid.compiled import kernel, njit
from serpenoid.contact import is_coupled, is_predictable, sums
from serpenoid.contact.joint import DRIVEN, loss_impulse, motor_impulse, nonlinear, stop_impulse
from serpenoid.contact.smoothing import SHRINK, SOLVED
from serpenoid.contact.spots import CX, G_END, G_POST, LINK, NORMAL, NX, SX, TX, UX, UY, VP
from serpenoid.contact.touch import FN, FT, PREDICTED, SECANT, TANGENT
from serpenoid.core import FloatArray
from serpenoid.spatial.account import count_contacts
from serpenoid.spatial.command import set_command
from serpenoid.spatial.contacts import (
    carry_spots,
    contact_forces,
    contact_loads,
    detect_contacts,
    slopes,
    spot_force,
    store_contacts,
    wall_loads,
)  # fmt: skip
from serpenoid.spatial.layout import (
    AIM,
    ANGLE,
    COM,
    DONE,
    DRIVE,
    DT,
    EX,
    EY,
    EZ,
    GAIT,
    HELD,
    IDLE,
    LAW,
    MODE,
    PASSIVE,
    PG,
    PJ,
    PUSH,
    QP,
    SCALARS,
    TOLERANCE,
    TRACK,
    Q,
    V,
    W,
)  # fmt: skip

RIGID = 100.0  # stiffness of prescribed joints in units of the body's inertia over the step squared
_NEWTON, _SECANT = 30, 12  # iterations
_FRESH = 12  # of them, those whose friction limits follow the normal forces
_ARM = 0.1  # m: what a joint rate counts for among the contact velocities


class LinkPoses(NamedTuple):
    """Links of a chain somewhere, and how the generalised velocities move them there."""

    place: FloatArray
    frames: FloatArray
    about: FloatArray
    axes: FloatArray


class Push(NamedTuple):
    """What is handed to the package for a step."""

    force: FloatArray
    torque: FloatArray
    motor: FloatArray
    loss: FloatArray
    stop: FloatArray
    motor_slope: FloatArray
    loss_slope: FloatArray
    stop_slope: FloatArray


def push_for(links: int, dofs: int) -> Push:
    """Nothing pushed yet."""
    return Push(np.zeros((links, 3)), np.zeros((links, 3)), *(np.zeros(dofs) for _ in range(6)))


@njit
def take_pose(chain, body, pose):
    """Poses of the links into the scratch, relative to the point `about`."""
    for i in range(body.shape[1]):
        for e in range(3):
            body[EX + e, i], body[EY + e, i] = pose.frames[i, e, 0], pose.frames[i, e, 1]
            body[EZ + e, i] = pose.frames[i, e, 2]
            body[PJ + e, i] = pose.place[i, e] - pose.about[e]
            body[PG + e, i] = body[PJ + e, i] + chain.links[COM, i] * body[EX + e, i]


@njit
def take_twists(body, axes, reach, v):
    """Twists of the links at velocities v."""
    t0, t1, t2, t3, t4, t5 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    k = 0
    for i in range(body.shape[1]):
        while k < reach[i]:
            r = v[k]
            t0, t1, t2 = t0 + r * axes[k, 0], t1 + r * axes[k, 1], t2 + r * axes[k, 2]
            t3, t4, t5 = t3 + r * axes[k, 3], t4 + r * axes[k, 4], t5 + r * axes[k, 5]
            k += 1
        body[W, i], body[W + 1, i], body[W + 2, i] = t0, t1, t2
        body[V, i], body[V + 1, i], body[V + 2, i] = t3, t4, t5


@njit
def jacobian_row(axes, last, point, direction, g):
    """Velocity along a direction of a link's point by a unit of each of its `last` generalised velocities, into g."""
    x, y, z = point
    u, v, w = direction
    a0, a1, a2 = y * w - z * v, z * u - x * w, x * v - y * u
    for k in range(last):
        s = axes[k]
        g[k] = s[0] * a0 + s[1] * a1 + s[2] * a2 + s[3] * u + s[4] * v + s[5] * w


@kernel
def add_spots(contacts, now, middle, shift, reach, total, coupled, dt, matrix, right, rows):
    """Add the spots' impulses and slopes, at their present velocities, to the matrix and right side of a correction."""
    spots, touch = contacts.spots, contacts.touch
    for a in range(total):
        i = int(spots[LINK, a])
        last, s = reach[i], shift[i]
        at = (spots[CX, a], spots[CX + 1, a], spots[CX + 2, a])
        moved = (at[0] + s[0], at[1] + s[1], at[2] + s[2])
        for e, first in enumerate((NX, TX, SX)):
            direction = (spots[first, a], spots[first + 1, a], spots[first + 2, a])
            jacobian_row(middle.axes, last, at, direction, rows[e])
            jacobian_row(now.axes, last, moved, direction, rows[3 + e])
        kn, kt, ks, mixed = slopes(contacts, a, coupled)
        fn, ft, fs = spots[NORMAL, a], touch[FT, a], touch[FN, a]
        for j in range(last):
            pn, pt, ps = dt * rows[3, j], dt * rows[4, j], dt * rows[5, j]
            right[j] += pn * fn + pt * ft + ps * fs
            qn, qt, qs = pn * kn, pt * kt + ps * mixed, ps * ks + pt * mixed
            for k in range(last):
                matrix[j, k] += qn * rows[0, k] + qt * rows[1, k] + qs * rows[2, k]


@njit
def shifts(chain, body, now, shift):
    """Where the links' centres of gravity are now, less where they are in the scratch; each about its own point."""
    for i in range(body.shape[1]):
        for e in range(3):
            centre = now.place[i, e] - now.about[e] + chain.links[COM, i] * now.frames[i, e, 0]
            shift[i, e] = centre - body[PG + e, i]


@njit
def joint_motor(chain, state, axes, k, rigid, rate):
    """T and D of the motor of degree of freedom k over a step that ends at angle + h rate; `rigid` > 0: prescribed joints."""
    dofs, act, dt = state.dofs, chain.actuators, rigid[1]
    mode = state.motion[MODE]
    if dofs[PASSIVE, k] > 0.0 or mode == IDLE or act[DRIVEN, k] == 0.0:
        return 0.0, 0.0
    if mode in (DRIVE, PUSH):
        return dt * dofs[HELD, k] * act[DRIVEN, k], 0.0
    if rigid[0] > 0.0:
        return dt * rigid[0] * (axes[Q, k] + dt * axes[QP, k] - dofs[ANGLE, k]), 2.0 * dt * dt * rigid[0]
    return motor_impulse(act, k, dofs[AIM, k], dofs[ANGLE, k], 0.0, rate, dt, 1.0)


@njit
def add_joints(chain, state, axes, rigid, v, push, matrix, right, secant):
    """Add what acts in the joints at the rates of v; whether it is not linear in them."""
    act, dt, bent = chain.actuators, rigid[1], False
    first = len(v) - len(push.motor)
    for k in range(len(push.motor)):
        rate, angle = v[first + k], state.dofs[ANGLE, k]
        t0, d0 = joint_motor(chain, state, axes, k, rigid, rate)
        t1, d1 = loss_impulse(act, k, rate, dt, secant)
        t2, d2 = stop_impulse(act, k, angle, 0.0, rate, dt, 1.0)
        push.motor[k], push.loss[k], push.stop[k] = t0, t1, t2
        push.motor_slope[k], push.loss_slope[k], push.stop_slope[k] = d0, d1, d2
        slope = d0 + d1 + d2
        right[first + k] += t0 + t1 + t2 - slope * rate
        matrix[first + k, first + k] += slope
        bent = bent or nonlinear(act, k, angle)
    return bent


@njit
def settle_joints(v, dt, push):
    """Torques of motor, losses (positive: they brake) and stop after the last correction, linear in it."""
    first = len(v) - len(push.motor)
    for k in range(len(push.motor)):
        rate = v[first + k]
        push.motor[k] = (push.motor[k] - push.motor_slope[k] * rate) / dt
        push.loss[k] = (push.loss_slope[k] * rate - push.loss[k]) / dt
        push.stop[k] = (push.stop[k] - push.stop_slope[k] * rate) / dt


@njit
def hand_over(contacts, body, total, push):
    """Forces and torques of the spots about the links' centres of gravity."""
    push.force[:, :] = 0.0
    push.torque[:, :] = 0.0
    spots = contacts.spots
    for a in range(total):
        i = int(spots[LINK, a])
        fx, fy, fz = spot_force(spots, contacts.touch, a)
        x, y, z = spots[CX, a] - body[PG, i], spots[CX + 1, a] - body[PG + 1, i], spots[CX + 2, a] - body[PG + 2, i]
        push.force[i, 0] += fx
        push.force[i, 1] += fy
        push.force[i, 2] += fz
        push.torque[i, 0] += y * fz - z * fy
        push.torque[i, 1] += z * fx - x * fz
        push.torque[i, 2] += x * fy - y * fx


@njit
def find_contacts(constants, state, scratch, pose, reach, v, explicit):
    """Spots of the body at a pose; number of spots, that of the contacts among them."""
    chain, numbers, contacts = constants.chain, constants.numbers, scratch.contacts
    take_pose(chain, scratch.body, pose)
    take_twists(scratch.body, pose.axes, reach, v)
    origin = (pose.about[0], pose.about[1], pose.about[2])
    number = state.motion[DONE] + 1.0
    total, count, unclear = detect_contacts(
        chain, constants.terrain, numbers, scratch.body, state.memory, state.anchors, contacts, origin, number, 0.0
    )  # fmt: skip
    state.sums[sums.UPRIGHT] += unclear
    if not explicit:  # gaps and ways from anchors run from those of the middle of the step
        contacts.spots[VP, :count] = 0.0
        contacts.spots[UX, count:total] = 0.0
        contacts.spots[UY, count:total] = 0.0
    return total, count


@kernel
def newton(constants, state, scratch, now, middle, reach, v, momentum, inertia, rigid, push, spots):
    """Newton for the velocities v at the end of the step under contacts and joints; `spots`: (number of spots, of contacts)."""
    chain, numbers, body, contacts = constants.chain, constants.numbers, scratch.body, scratch.contacts
    total, count = spots
    coupled, acc = is_coupled(numbers[LAW], numbers[SCALARS:]), state.sums
    shift, rows = np.zeros((body.shape[1], 3)), np.zeros((6, len(v)))
    shifts(chain, body, now, shift)
    base, best, scale, it, change = v.copy(), np.inf, 1.0, 0, 0.0
    eps, predictable, by = acc[sums.SMOOTHING], is_predictable(int(numbers[LAW])), TANGENT
    tolerance = numbers[TOLERANCE] if numbers[TOLERANCE] > 0.0 else SOLVED * eps
    for it in range(_NEWTON + _SECANT):
        if it >= _NEWTON:
            by = SECANT
        contact_forces(
            chain, constants.terrain.anchors, numbers, state.anchors, contacts, total, count, eps, by, it, it < _FRESH
        )  # fmt: skip
        matrix, right = inertia.copy(), momentum - inertia @ v
        add_spots(contacts, now, middle, shift, reach, total, coupled, rigid[1], matrix, right, rows)
        bent = add_joints(chain, state, scratch.axes, rigid, v, push, matrix, right, by == SECANT)
        tried = v + np.linalg.solve(matrix, right)
        take_twists(body, middle.axes, reach, tried)
        change = carry_spots(contacts, body, 0, total, coupled)
        if bent:
            for k in range(len(push.motor)):
                j = len(v) - len(push.motor) + k
                change = max(change, _ARM * abs(tried[j] - v[j]))
        if by == TANGENT and change > SHRINK * best and predictable:
            by = PREDICTED
        elif by == TANGENT and change > best and scale > 0.02:
            # a worse place than the last: half of the way that led here
            scale *= 0.5
            v[:] = 0.5 * (v + base)
            take_twists(body, middle.axes, reach, v)
            carry_spots(contacts, body, 0, total, coupled)
            continue
        best, scale = change, 1.0
        base[:] = v
        v[:] = tried
        if (total == 0 and not bent) or change < tolerance:
            break
    acc[sums.ITERATIONS] += it + 1
    if total > 0 and not change < tolerance:
        acc[sums.UNCONVERGED] += 1.0
    settle_joints(v, rigid[1], push)


@kernel
def solve_ahead(constants, state, scratch, now, middle, reach, v, pushed, inertia, rigid, push, explicit):
    """Command, contact forces and joint torques of the coming step; v becomes the velocities at its end.

    `rigid`: stiffness of prescribed joints (0: there are none), step. False if the kind of gait or drive is unknown.
    """
    chain, numbers, contacts, body = constants.chain, constants.numbers, scratch.contacts, scratch.body
    terrain, dt = constants.terrain, numbers[DT]
    if not set_command(constants, state, scratch, (state.motion[DONE] + 1.0) * dt, dt):
        return False
    mode = state.motion[MODE]
    if mode != GAIT and mode != TRACK:
        rigid = (0.0, rigid[1])
    momentum = inertia @ v + dt * pushed
    pose = now if explicit else middle
    total, count = find_contacts(constants, state, scratch, pose, reach, v, explicit)
    if explicit:
        contact_forces(
            chain,
            terrain.anchors,
            numbers,
            state.anchors,
            contacts,
            total,
            count,
            state.sums[sums.SMOOTHING],
            TANGENT,
            0,
            True,
        )
        still, rows = np.zeros((body.shape[1], 3)), np.zeros((6, len(v)))
        unused = np.zeros((len(v), len(v)))
        add_spots(contacts, now, now, still, reach, total, False, dt, unused, momentum, rows)
        newton(constants, state, scratch, now, now, reach, v, momentum, inertia, rigid, push, (0, 0))
    else:
        newton(constants, state, scratch, now, middle, reach, v, momentum, inertia, rigid, push, (total, count))
    origin = (pose.about[0], pose.about[1], pose.about[2])
    state.sums[sums.STORED] = store_contacts(
        terrain.anchors, numbers, state.memory, state.anchors, contacts, total, count, state.motion[DONE] + 1.0
    )  # fmt: skip
    if terrain.ground[G_END] > terrain.ground[G_POST]:
        wall_loads(state.loads, contacts, count, origin)
    contact_loads(state.loads, contacts, total, origin)
    t = numbers[DT] * (state.motion[DONE] + 1.0)
    count_contacts(numbers, contacts, total, count, t, state.sums)
    hand_over(contacts, body, total, push)
    return True
