"""The end of a step in space: place, attitude, momenta and joints move on, and the account of energy, slip, torques and contacts is kept.

Slots of the account: `contact.sums`. Kinetic energy counts the rotors of the motors, J w^2 / 2. Places and attitude move by the mean of the
velocities at both ends of the step.
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
from serpenoid.contact.spots import DRAG, GAP, LEAVE, LINK, LOST, NORMAL, ROLL_K, ROLL_W, STIFF, UX, UY, VNORMAL, VP
from serpenoid.contact.touch import FN, FT, VN, VT
from serpenoid.frames import turned_quaternion
from serpenoid.spatial.contacts import drag_power, wrenches
from serpenoid.spatial.dynamics import (
    carried,
    momenta,
    momentum_before,
    momentum_of,
    momentum_sum,
    reactions,
    twist_of,
)
from serpenoid.spatial.impacts import moved
from serpenoid.spatial.layout import (
    ALL_HELD,
    ANGLE,
    AW,
    AX,
    AY,
    AZ,
    CHANGE,
    DRIVE,
    DT,
    DV,
    DW,
    EX,
    GEAR_D,
    GEAR_T,
    GRAVITY,
    IDLE,
    KINETIC,
    KINETIC_MAX,
    MOTOR_D,
    MOTOR_T,
    NONE_HELD,
    PEAK,
    PUSH,
    QP,
    QS,
    QT,
    RATE,
    RIGID,
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
    W,
    X,
    Y,
    Z,
)  # fmt: skip
from serpenoid.spatial.newton import is_held


@njit
def turned_attitude(q, rx, ry, rz):
    """Attitude of link 0 turned by the rotation vector (rx, ry, rz) of the world."""
    return turned_quaternion(q[AW], q[AX], q[AY], q[AZ], rx, ry, rz)


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
def turn(q, body, first, dt):
    """Turn link 0 to the end of the step; `first`: see `finish`."""
    half = 0.5 * dt
    if first < 0.0:
        w, x, y, t = turned_attitude(
            q, half * (q[WX] + body[W, 0]), half * (q[WY] + body[W + 1, 0]), half * (q[WZ] + body[W + 2, 0])
        )  # fmt: skip
    else:
        w, x, y, t = turned_attitude(
            q, moved(q[WX], body[W, 0], q[DW], first, dt), moved(q[WY], body[W + 1, 0], q[DW + 1], first, dt),
            moved(q[WZ], body[W + 2, 0], q[DW + 2], first, dt),
        )  # fmt: skip
    q[AW], q[AX], q[AY], q[AZ] = w, x, y, t
    for e in range(3):
        if first < 0.0:
            q[DW + e] = body[W + e, 0] - q[WX + e]
        q[WX + e] = body[W + e, 0]


@njit
def finish(chain, numbers, q, kept, dofs, acc, body, axes, contacts, total, which, first):
    """Move to the end of the step: place, attitude, momenta, forces, torques, and the account; False if not finite.

    `first`: share of the step before the first impact; -1: there is none.
    """
    dt, gravity = numbers[DT], numbers[GRAVITY]
    half = 0.5 * dt
    s = momenta(chain, body) if which != NONE_HELD else momentum_sum(chain, body)
    left = 0.0
    if which != NONE_HELD:
        wrenches(chain, numbers, contacts, body, total)
        r = reactions(chain, body, axes, kept, (q[VX], q[VY], q[VZ]), 1.0 / dt)
        left = math.sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2])
    # the centre of gravity
    r, z, before = 1.0 / chain.total, q[Z], (q[VX], q[VY], q[VZ])
    for e in range(3):
        v = s[3 + e] * r
        if first < 0.0:
            q[X + e] += half * (q[VX + e] + v)
            q[DV + e] = v - q[VX + e]
        else:  # the smooth change stays as it was
            q[X + e] += moved(q[VX + e], v, q[DV + e], first, dt)
        q[VX + e] = v
    # momenta relative to it, energies
    kinetic, cross = rotor_energy(chain, dofs, axes, QP if which == ALL_HELD else QT)
    roll = 0.0
    for i in range(body.shape[1]):
        w0, w1, w2, v0, v1, v2 = twist_of(body, i)
        n0, n1, n2, n3, n4, n5 = momentum_of(chain, body, i, w0, w1, w2, v0, v1, v2)
        kinetic += 0.5 * (w0 * n0 + w1 * n1 + w2 * n2 + v0 * n3 + v1 * n4 + v2 * n5)
        h0, h1, h2, h3, h4, h5 = momentum_before(chain, body, kept, i, before[0], before[1], before[2])
        cross += w0 * h0 + w1 * h1 + w2 * h2 + v0 * h3 + v1 * h4 + v2 * h5
        roll += w0 * body[EX, i] + w1 * body[EX + 1, i] + w2 * body[EX + 2, i]
        a0, a1, a2, a3, a4, a5 = carried(chain, body, i, -q[VX], -q[VY], -q[VZ])
        kept[0, i], kept[1, i], kept[2, i] = n0 + a0, n1 + a1, n2 + a2
        kept[3, i], kept[4, i], kept[5, i] = n3 + a3, n4 + a4, n5 + a5
    loss = kinetic + q[KINETIC] - cross
    q[KINETIC] = kinetic
    turn(q, body, first, dt)
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
    struck, rubbed, bounces = 0.0, 0.0, numbers[RIGID] > 0.0
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
        if bounces and spots[LEAVE, a] >= 0.0:  # what an impact takes is not the work at the velocities after it
            struck += spots[NORMAL, a] * (spots[LOST, a] + vn)
            rubbed += 0.5 * (
                touch[FT, a] * (touch[VT, a] - spots[UX, a]) + touch[FN, a] * (touch[VN, a] - spots[UY, a])
            )
            continue
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
    acc[sums.FRICTION_LOSS] += rubbed * dt
    acc[sums.SCHEME_LOSS] -= rubbed * dt
    taken = (normal + struck + work) * dt + 0.5 * stored - acc[sums.SPRING_STORED]
    acc[sums.GROUND_LOSS] += taken
    acc[sums.SCHEME_LOSS] += normal * dt - taken
    acc[sums.DAMPER_LOSS] += (normal + struck + work) * dt
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
def finish_joints(chain, dofs, axes, mode, which, dt, t, acc, first):
    """Move the joints to the end of the step and add them to the account; `first`: see `finish`."""
    act, prescribed, mixed = chain.actuators, which == ALL_HELD, which == SOME_HELD
    square, net, positive, damping, stopped, scheme, saturated = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    servos = which == NONE_HELD and mode != DRIVE and mode != PUSH and mode != IDLE
    for k in range(axes.shape[1]):
        held = prescribed or (mixed and is_held(chain, dofs, k))
        torque, loss, stop = joint_torques(chain, dofs, axes, k, held, dt)
        rate = axes[QP, k] if held else axes[QT, k]
        angle = axes[Q, k] if held else dofs[ANGLE, k] + 0.5 * dt * (dofs[RATE, k] + rate)
        mean = (
            0.5 * dt * (rate + dofs[RATE, k])
        )  # where rates jump the torque is an impulse, which works with this mean
        if held or first < 0.0:
            dofs[CHANGE, k] = rate - dofs[RATE, k]
        else:
            angle = dofs[ANGLE, k] + moved(dofs[RATE, k], rate, dofs[CHANGE, k], first, dt)
        dofs[ANGLE, k], dofs[RATE, k], dofs[TORQUE, k] = angle, rate, torque
        dofs[PEAK, k] = max(dofs[PEAK, k], abs(torque))
        square += torque * torque
        positive += max(0.0, torque * mean)
        net += torque * mean
        damping += loss * mean
        stopped -= stop * mean
        scheme += (torque - loss + stop) * (mean - dt * rate)
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
