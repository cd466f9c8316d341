"""A step in space, in momentum form: all joints prescribed, all driven, or limp ones among prescribed ones.

State: place c and velocity V of the centre of gravity, attitude and angular velocity of link 0, joint angles and rates, and
the momentum of every link relative to c and V (so that a moving observer sees the same step); x_i x m_i V, m_i V complete it. The pose
at the end of the step is predicted from extrapolated velocities; there the step solves for the velocities at its end

    h_i(t') = h_i + dt (forces at the end of the step)           all links, all joints: nothing else

with contacts, gravity, and all that acts in the joints taken at the end of the step (their positions by the mean of the rates at
both ends). Without forces the momenta are kept to rounding in every mode. Places, angles and attitude follow by the mean of the
velocities at both ends: second order in free flight, first order with contacts, stable at any step.

The velocities are solved for in `spatial.newton`. Kinetic energy counts the rotors of the motors, J w^2 / 2.
"""

from __future__ import annotations

import math

from serpenoid.compiled import njit
from serpenoid.contact import sums
from serpenoid.contact.joint import (
    GEAR_FRICTION,
    JOINT_DAMPING,
    ROTOR,
    SERVO,
    TORQUE_LIMIT,
    at_stop,
    loss_impulse,
    stop_impulse,
    stop_share,
)
from serpenoid.contact.self_contact import ON
from serpenoid.contact.smoothing import follow_motion
from serpenoid.contact.spots import DRAG, G_END, G_POST, G_THIN, GAP, LINK, NORMAL, ROLL_K, ROLL_W, STIFF, VNORMAL, VP
from serpenoid.contact.touch import FN, FT, VN, VT
from serpenoid.frames import turned_quaternion
from serpenoid.spatial.audit import MORE, TRIES, audit, drag_for, is_watched, keep_state, set_excess, take_back
from serpenoid.spatial.contacts import detect_contacts, drag_power, store_contacts, wall_loads, wrenches
from serpenoid.spatial.dynamics import momenta, momentum_of, momentum_sum, reactions, twist_of
from serpenoid.spatial.kinematics import forward_kinematics, propagate_twists, set_first_frame
from serpenoid.spatial.layout import (
    ALL_HELD,
    ANGLE,
    AW,
    AX,
    AY,
    AZ,
    CHANGE,
    DONE,
    DRIVE,
    DT,
    DV,
    DW,
    EX,
    GEAR_D,
    GEAR_T,
    GRAVITY,
    HA,
    HL,
    IDLE,
    KINETIC,
    KINETIC_MAX,
    LEAST,
    MASS,
    MIXED,
    MODE,
    MOTOR_D,
    MOTOR_T,
    NONE_HELD,
    PEAK,
    PG,
    PUSH,
    QP,
    QS,
    QT,
    RATE,
    ROLLING,
    SHARE,
    SOME_HELD,
    TAU,
    TORQUE,
    VX,
    VY,
    VZ,
    WX,
    WY,
    WZ,
    Q,
    V,
    W,
    X,
    Y,
    Z,
)  # fmt: skip
from serpenoid.spatial.leaps import leaps
from serpenoid.spatial.newton import is_held, solve_driven, solve_prescribed
from serpenoid.spatial.self_touch import find_own, load_joints


@njit
def turned_attitude(q, rx, ry, rz):
    """Attitude of link 0 turned by the rotation vector (rx, ry, rz) of the world."""
    return turned_quaternion(q[AW], q[AX], q[AY], q[AZ], rx, ry, rz)


@njit
def carried(chain, body, i, vx, vy, vz):
    """Momentum that link i has by moving along with the centre of gravity at (vx, vy, vz): angular, linear."""
    m, x, y, z = chain.links[MASS, i], body[PG, i], body[PG + 1, i], body[PG + 2, i]
    px, py, pz = m * vx, m * vy, m * vz
    return y * pz - z * py, z * px - x * pz, x * py - y * px, px, py, pz


@njit
def predict(chain, q, kept, body, axes, dt):
    """Place the body as extrapolated velocities take it, make the kept momenta absolute there.

    Returns its centre of gravity, and the momentum kept less that of the predicted twists. The joint angles Q are those of the predicted pose, the rates QP those expected at its end.
    """
    half = 0.5 * dt
    wx, wy, wz = q[WX] + q[DW], q[WY] + q[DW + 1], q[WZ] + q[DW + 2]
    w, x, y, z = turned_attitude(q, half * (q[WX] + wx), half * (q[WY] + wy), half * (q[WZ] + wz))
    set_first_frame(body, w, x, y, z)
    forward_kinematics(chain, body, axes)
    cx = q[X] + half * (2.0 * q[VX] + q[DV])
    cy = q[Y] + half * (2.0 * q[VY] + q[DV + 1])
    cz = q[Z] + half * (2.0 * q[VZ] + q[DV + 2])
    h0, h1, h2, h3, h4, h5 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(body.shape[1]):
        a0, a1, a2, a3, a4, a5 = carried(chain, body, i, q[VX], q[VY], q[VZ])
        a0, a1, a2 = kept[0, i] + a0, kept[1, i] + a1, kept[2, i] + a2
        a3, a4, a5 = kept[3, i] + a3, kept[4, i] + a4, kept[5, i] + a5
        body[HA, i], body[HA + 1, i], body[HA + 2, i] = a0, a1, a2
        body[HL, i], body[HL + 1, i], body[HL + 2, i] = a3, a4, a5
        h0, h1, h2, h3, h4, h5 = h0 + a0, h1 + a1, h2 + a2, h3 + a3, h4 + a4, h5 + a5
    # twists with link 0 at rest in O, and the linear momentum they have
    body[W, 0], body[W + 1, 0], body[W + 2, 0] = wx, wy, wz
    body[V, 0], body[V + 1, 0], body[V + 2, 0] = 0.0, 0.0, 0.0
    propagate_twists(chain, body, axes, QP)
    s = momentum_sum(chain, body)
    r = 1.0 / chain.total
    v0, v1, v2 = q[VX] + q[DV], q[VY] + q[DV + 1], q[VZ] + q[DV + 2]
    u0, u1, u2 = v0 - s[3] * r, v1 - s[4] * r, v2 - s[5] * r
    for i in range(body.shape[1]):
        body[V, i], body[V + 1, i], body[V + 2, i] = body[V, i] + u0, body[V + 1, i] + u1, body[V + 2, i] + u2
    # about its centre of gravity a body that moves on gains no angular momentum
    m = chain.total
    return (cx, cy, cz), (h0 - s[0], h1 - s[1], h2 - s[2], h3 - m * v0, h4 - m * v1, h5 - m * v2)


@njit
def rotor_energy(chain, dofs, axes, rate):
    """Kinetic energy of the rotors at the rates in row `rate`, and the product with the momenta before."""
    own, cross = 0.0, 0.0
    for k in range(axes.shape[1]):
        j, w = chain.actuators[ROTOR, k], axes[rate, k]
        own += 0.5 * j * w * w
        cross += j * w * dofs[RATE, k]
    return own, cross


@njit
def finish(chain, numbers, q, kept, dofs, acc, body, axes, contacts, total, which):
    """Move to the end of the step: place, attitude, momenta, forces, torques, and the account; False if not finite."""
    dt, gravity = numbers[DT], numbers[GRAVITY]
    half = 0.5 * dt
    s = momenta(chain, body) if which != NONE_HELD else momentum_sum(chain, body)
    left = 0.0
    if which != NONE_HELD:
        wrenches(chain, numbers, contacts, body, total)
        r = reactions(chain, body, axes, 1.0 / dt)
        left = math.sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2])
    # the centre of gravity
    r, z = 1.0 / chain.total, q[Z]
    for e in range(3):
        v = s[3 + e] * r
        q[X + e] += half * (q[VX + e] + v)
        q[DV + e] = v - q[VX + e]
        q[VX + e] = v
    # momenta relative to it, energies
    kinetic, cross = rotor_energy(chain, dofs, axes, QP if which == ALL_HELD else QT)
    roll = 0.0
    for i in range(body.shape[1]):
        w0, w1, w2, v0, v1, v2 = twist_of(body, i)
        n0, n1, n2, n3, n4, n5 = momentum_of(chain, body, i, w0, w1, w2, v0, v1, v2)
        kinetic += 0.5 * (w0 * n0 + w1 * n1 + w2 * n2 + v0 * n3 + v1 * n4 + v2 * n5)
        cross += w0 * body[HA, i] + w1 * body[HA + 1, i] + w2 * body[HA + 2, i]
        cross += v0 * body[HL, i] + v1 * body[HL + 1, i] + v2 * body[HL + 2, i]
        roll += w0 * body[EX, i] + w1 * body[EX + 1, i] + w2 * body[EX + 2, i]
        a0, a1, a2, a3, a4, a5 = carried(chain, body, i, -q[VX], -q[VY], -q[VZ])
        kept[0, i], kept[1, i], kept[2, i] = n0 + a0, n1 + a1, n2 + a2
        kept[3, i], kept[4, i], kept[5, i] = n3 + a3, n4 + a4, n5 + a5
    loss = kinetic + q[KINETIC] - cross
    q[KINETIC] = kinetic
    # link 0
    w, x, y, t = turned_attitude(
        q, half * (q[WX] + body[W, 0]), half * (q[WY] + body[W + 1, 0]), half * (q[WZ] + body[W + 2, 0])
    )  # fmt: skip
    q[AW], q[AX], q[AY], q[AZ] = w, x, y, t
    for e in range(3):
        q[DW + e] = body[W + e, 0] - q[WX + e]
        q[WX + e] = body[W + e, 0]
    weight = chain.total * gravity
    loss += weight * (dt * q[VZ] - (q[Z] - z))
    acc[sums.SCHEME_LOSS] += loss
    acc[sums.KINETIC], acc[sums.POTENTIAL] = kinetic, weight * q[Z]
    q[KINETIC_MAX] = max(q[KINETIC_MAX], kinetic)
    acc[sums.ROLL] += dt * roll / body.shape[1]
    acc[sums.RESIDUAL_MAX] = max(acc[sums.RESIDUAL_MAX], left)
    return math.isfinite(kinetic) and math.isfinite(q[X] + q[Y] + q[Z])


@njit
def count_contacts(numbers, contacts, total, count, t, acc):
    """Add the contacts of a step to the account: friction, springs and dampers of what is touched, how deep it is pressed in."""
    spots, touch, dt = contacts.spots, contacts.touch, numbers[DT]
    across, along, friction, normal, top = 0.0, 0.0, 0.0, 0.0, acc[sums.NORMAL_MAX]
    pressing, half, stored, work, deepest = 0, 0.5 * dt, 0.0, 0.0, acc[sums.PENETRATION_MAX]
    for a in range(total):
        force = spots[NORMAL, a]
        if force > 0.0:
            pressing += 1
            across += abs(touch[VN, a])
            along += abs(touch[VT, a])
        friction -= touch[FT, a] * touch[VT, a] + touch[FN, a] * touch[VN, a]
        normal -= force * spots[VNORMAL, a]
        top = max(top, force)
    if numbers[ROLLING] > 0.0:
        for a in range(count):
            friction += spots[ROLL_K, a] * spots[ROLL_W, a] ** 2
    for a in range(count):
        vn = spots[VNORMAL, a]
        depth = max(-spots[GAP, a] - half * (vn - spots[VP, a]), 0.0)
        spring = spots[STIFF, a] * depth
        stored += spring * depth
        work += spring * vn
        if depth > deepest:
            deepest = depth
            acc[sums.PENETRATION_TIME], acc[sums.PENETRATION_LINK] = t, spots[LINK, a]
    acc[sums.SLIP_ACROSS] += across * dt * numbers[SHARE]
    acc[sums.SLIP_ALONG] += along * dt * numbers[SHARE]
    acc[sums.FRICTION_LOSS] += friction * dt
    # what springs and dampers take; what the step gives them beyond that is the scheme's
    taken = (normal + work) * dt + 0.5 * stored - acc[sums.SPRING_STORED]
    acc[sums.GROUND_LOSS] += taken
    acc[sums.SCHEME_LOSS] += normal * dt - taken
    acc[sums.DAMPER_LOSS] += (normal + work) * dt
    acc[sums.CONTACTS] += pressing * dt
    acc[sums.NORMAL_MAX], acc[sums.PENETRATION_MAX] = top, deepest
    acc[sums.SPRING_STORED] = 0.5 * stored
    if count > 0 and spots[DRAG, 0] > 0.0:  # what the audit of the step takes is the scheme's
        loss = dt * drag_power(contacts, count)
        acc[sums.FRICTION_LOSS] -= loss
        acc[sums.SCHEME_LOSS] += loss


@njit
def joint_torques(chain, dofs, axes, k, prescribed, dt):
    """Torques in joint k at the end of the step: of the motor, of the losses (positive: they brake), of the stop."""
    act = chain.actuators
    rate, before = axes[QP, k] if prescribed else axes[QT, k], dofs[RATE, k]
    if prescribed:
        t1, d1 = loss_impulse(act, k, rate, dt)
        loss = (d1 * rate - t1) / dt
        torque = axes[TAU, k] + loss + act[ROTOR, k] * (rate - before) / dt
        stop = stop_share(at_stop(act, k, axes[Q, k]), torque)
        return torque - stop, loss, stop
    tried = axes[QS, k]
    loss = act[JOINT_DAMPING, k] * rate
    if act[GEAR_FRICTION, k] > 0.0:
        loss += (axes[GEAR_D, k] * rate - axes[GEAR_T, k]) / dt
    t2, d2 = stop_impulse(act, k, dofs[ANGLE, k], before, tried, dt)
    return (axes[MOTOR_T, k] - axes[MOTOR_D, k] * rate) / dt, loss, (t2 - d2 * rate) / dt


@njit
def finish_joints(chain, dofs, axes, mode, which, dt, t, acc):
    """Move the joints to the end of the step and add them to the account."""
    act, prescribed, mixed = chain.actuators, which == ALL_HELD, which == SOME_HELD
    square, net, positive, damping, stopped, scheme, saturated = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    servos = which == NONE_HELD and mode != DRIVE and mode != PUSH and mode != IDLE
    for k in range(axes.shape[1]):
        held = prescribed or (mixed and is_held(chain, dofs, k))
        torque, loss, stop = joint_torques(chain, dofs, axes, k, held, dt)
        rate = axes[QP, k] if held else axes[QT, k]
        angle = axes[Q, k] if held else dofs[ANGLE, k] + 0.5 * dt * (dofs[RATE, k] + rate)
        moved = (
            0.5 * dt * (rate + dofs[RATE, k])
        )  # where rates jump the torque is an impulse, which works with this mean
        dofs[ANGLE, k], dofs[CHANGE, k], dofs[RATE, k], dofs[TORQUE, k] = angle, rate - dofs[RATE, k], rate, torque
        dofs[PEAK, k] = max(dofs[PEAK, k], abs(torque))
        square += torque * torque
        positive += max(0.0, torque * moved)
        net += torque * moved
        damping += loss * moved
        stopped -= stop * moved
        scheme += (torque - loss + stop) * (moved - dt * rate)
        if abs(torque) > acc[sums.TORQUE_MAX]:
            acc[sums.TORQUE_MAX], acc[sums.TORQUE_MAX_JOINT], acc[sums.TORQUE_MAX_TIME] = abs(torque), k, t
        if abs(angle) > acc[sums.ANGLE_MAX]:
            acc[sums.ANGLE_MAX], acc[sums.ANGLE_MAX_JOINT] = abs(angle), k
        if (stop != 0.0 or (held and at_stop(act, k, angle) != 0.0)) and acc[sums.FIRST_STOP] == 0.0:
            acc[sums.FIRST_STOP], acc[sums.FIRST_STOP_JOINT] = t, k
        if servos and act[SERVO, k] > 0.0 and abs(torque) >= act[TORQUE_LIMIT, k] * (1.0 - 1e-9):
            saturated += dt
    acc[sums.NET_WORK] += net
    acc[sums.POSITIVE_WORK] += positive
    acc[sums.DAMPING_LOSS] += damping
    acc[sums.STOP_LOSS] += stopped
    acc[sums.SCHEME_LOSS] += scheme
    acc[sums.SATURATED] += saturated
    acc[sums.TORQUE_SQ] += square * dt
    acc[sums.POWER] = positive / dt
    acc[sums.PEAK_POWER] = max(acc[sums.PEAK_POWER], positive / dt)


@njit
def attempt(constants, state, scratch, t, which, drag):
    """Advance to time t but for the memory of the contacts; `drag` (N s/m) acts at the contacts.

    Returns whether all is finite, the numbers of spots and of contacts, and the centre of gravity of the pose at which they were found.
    """
    chain, terrain, numbers = constants.chain, constants.terrain, constants.numbers
    q, dofs, acc, anchors = state.motion, state.dofs, state.sums, state.anchors
    body, axes, contacts = scratch.body, scratch.axes, scratch.contacts
    dt, number, mode = numbers[DT], q[DONE] + 1.0, int(q[MODE])
    prescribed = which == ALL_HELD
    if which == SOME_HELD:
        mode = MIXED
    for k in range(0 if prescribed else axes.shape[1]):
        if which == NONE_HELD or not is_held(chain, dofs, k):
            axes[QP, k] = dofs[RATE, k] + dofs[CHANGE, k]
            axes[Q, k] = dofs[ANGLE, k] + 0.5 * dt * (dofs[RATE, k] + axes[QP, k])
    origin, lack = predict(chain, q, state.momenta, body, axes, dt)
    total, count, unclear = detect_contacts(
        chain, terrain, numbers, body, state.memory, anchors, contacts, origin, number, drag
    )  # fmt: skip
    acc[sums.UPRIGHT] += unclear
    skin = chain.skin.numbers[ON] > 0.0
    if skin:
        find_own(chain, body, contacts.own)
    if prescribed:
        fall = dt * chain.total * numbers[GRAVITY]
        lack = (lack[0], lack[1], lack[2], lack[3], lack[4], lack[5] - fall)
        solve_prescribed(chain, terrain.anchors, numbers, body, anchors, contacts, total, count, lack, acc)
    else:
        solve_driven(
            chain, terrain.anchors, numbers, body, axes, dofs, anchors, contacts, total, count, mode, acc
        )  # fmt: skip
    good = finish(chain, numbers, q, state.momenta, dofs, acc, body, axes, contacts, total, which)
    if skin:
        load_joints(chain, body, axes, contacts.own, dt, prescribed, which != NONE_HELD, acc)
    count_contacts(numbers, contacts, total, count, t, acc)
    finish_joints(chain, dofs, axes, mode, which, dt, t, acc)
    set_excess(q, acc)
    if terrain.ground[G_THIN] > 0.0 and acc[sums.CROSSED] == 0.0 and leaps(chain, terrain, body, origin, dt):
        acc[sums.CROSSED] = t
    return good, total, count, origin


@njit
def step(constants, state, scratch, t, which):
    """Advance to time t; prescribed joints (all, some, none): Q and QP of the axes are their angles and rates at t, driven ones: by `dofs`.

    Returns whether all is finite, the number of spots and the centre of gravity of the pose at which they were found.
    """
    terrain, numbers, contacts = constants.terrain, constants.numbers, scratch.contacts
    watched, drag, total, count, origin, good = (
        is_watched(terrain, state.motion, state.sums),
        0.0,
        0,
        0,
        (0.0, 0.0, 0.0),
        False,
    )
    if watched:
        keep_state(state, scratch.before)
    for k in range(TRIES):
        good, total, count, origin = attempt(constants, state, scratch, t, which, drag)
        if not watched or not good:
            break
        over = audit(constants, state, scratch)
        if over == 0.0 or count == 0 or k == TRIES - 1:
            break
        if k > 0:
            drag = max(drag_for(numbers, contacts, count, over), MORE * drag)
        take_back(state, scratch.before)
    state.sums[sums.STORED] = store_contacts(
        terrain.anchors, numbers, state.memory, state.anchors, contacts, total, count, state.motion[DONE] + 1.0
    )  # fmt: skip
    if terrain.ground[G_END] > terrain.ground[G_POST]:
        wall_loads(state.loads, contacts, count, origin)
    follow_motion(numbers[LEAST], constants.chain.total, state.sums)
    return good, total, origin
