"""What a run adds up step by step: the account of a step's energy, by the slots of `contact.sums`.

A step of length h with end velocities v' takes its joint forces from the change of each link's momentum, so

    sum tau_i theta'_i h = dE_kin + sum m |dv|^2 / 2 + sum I dw^2 / 2 + sum d_k w'_k - sum f_k . v'_k h

holds exactly (d_k is the part of the angular momentum balance that comes from the step's finite motion). The
joints' work is taken with their *mean* rate over the step; what then remains besides kinetic energy and friction is
the scheme's own loss:

    scheme = sum m |dv|^2 / 2 + sum I dw^2 / 2 + sum d_k w'_k + sum tau_i (mean rate_i - theta'_i) h

It is computed from these terms, not as the remainder, so the closed balance is a check of all torques and forces.

The mean rate of a joint that is told how to move is that of its rates before and after the step. Where rates jump (at a stop, between samples joined
by straight lines, where samples end) the torque is an impulse, and this is the rate with which it works; the way of the step is not.

With actuators (`drive_step`) tau_i is motor + stop - losses - rotor. The rotor's inertia J w'^2 / 2 counts as kinetic energy and
J (w' - w)^2 / 2 as the scheme's loss; the stop's work, what its spring stores included, is the stop's loss.

On a sloping plane gravity accelerates all links alike: joints feel nothing of it but what friction makes of it. So the rates of momentum are
counted without it, and its work is the potential energy -M g . p.
"""

from __future__ import annotations

from serpenoid.compiled import njit
from serpenoid.contact import sums as slot
from serpenoid.contact.joint import JOINT_DAMPING, ROTOR, TORQUE_LIMIT, at_stop, stop_share
from serpenoid.contact.touch import FN, FT, VN, VT
from serpenoid.planar.command import note_stop
from serpenoid.planar.layout import (
    ANGLE,
    ANGLE0,
    ANY_STOP,
    GX,
    GY,
    HELD,
    INERTIA,
    LOCKED,
    MASS,
    MOTOR_D,
    MOTOR_T,
    PM,
    PX,
    PY,
    RATE,
    SHARE,
    SPIN0,
    STOP_D,
    STOP_T,
    TAU,
    TORQUE,
    TOTAL,
    TURN0,
    VX,
    VY,
    WX,
    WX0,
    WY,
    WY0,
    XG,
    YG,
    D,
    T,
    X,
    Y,
)  # fmt: skip


@njit
def momentum_rates(links, k, b, dvx, dvy, c, s, dt):
    """Rates of momentum px, py, pm over the step, from velocities then (turned by -angle with cosine c, sine s) and now.

    wx, wy, rate are complete velocities now; those kept in k, the links' state, become them. Returns the kinetic energy relative
    to the centre of gravity and the kinetic parts of the scheme's loss.
    """
    n = b.shape[1]
    kinetic, loss = 0.0, 0.0
    r = 1.0 / dt
    # changes of velocity relative to the centre of gravity, in px, py for now
    for i in range(n):
        b[PX, i] = b[WX, i] - (c * k[WX0, i] + s * k[WY0, i])
    for i in range(n):
        b[PY, i] = b[WY, i] - (c * k[WY0, i] - s * k[WX0, i])
    # angular momentum: in pm what comes from the finite motion of the step, in spin0 the new one
    for i in range(n):
        b[PM, i] = -k[SPIN0, i] - links[MASS, i] * (b[XG, i] * b[PY, i] - b[YG, i] * b[PX, i])
    for i in range(n):
        k[SPIN0, i] = links[MASS, i] * (b[XG, i] * b[WY, i] - b[YG, i] * b[WX, i])
    for i in range(n):
        turn = b[RATE, i] - k[TURN0, i]
        ex, ey = b[PX, i] + dvx, b[PY, i] + dvy
        loss += 0.5 * links[MASS, i] * (ex * ex + ey * ey) + 0.5 * links[INERTIA, i] * turn * turn
        loss += (b[PM, i] + k[SPIN0, i]) * b[RATE, i]
    for i in range(n):
        kinetic += (
            links[MASS, i] * (b[WX, i] * b[WX, i] + b[WY, i] * b[WY, i]) + links[INERTIA, i] * b[RATE, i] * b[RATE, i]
        )
    # rates of momentum
    for i in range(n):
        b[PX, i] = links[MASS, i] * (b[PX, i] + dvx) * r
    for i in range(n):
        b[PY, i] = links[MASS, i] * (b[PY, i] + dvy) * r
    for i in range(n):
        b[PM, i] = (b[PM, i] + k[SPIN0, i] + links[INERTIA, i] * (b[RATE, i] - k[TURN0, i])) * r
    for i in range(n):
        b[PM, i] += b[XG, i] * b[PY, i] - b[YG, i] * b[PX, i]
    for i in range(n):
        k[WX0, i] = b[WX, i]
    for i in range(n):
        k[WY0, i] = b[WY, i]
    return 0.5 * kinetic, loss


@njit
def scheme_loss_of_fall(mass, dvx, dvy, fx, fy):
    """What the scheme's loss lacks if `momentum_rates` was given the change of velocity (dvx, dvy) without what gravity gave, (fx, fy)."""
    return mass * (fx * dvx + fy * dvy + 0.5 * (fx * fx + fy * fy))


@njit
def count_energies(numbers, q, rates, change, fall, sums):
    """Kinetic and potential energy after a step, and the kinetic part of the scheme's loss.

    rates: what `momentum_rates` returned; change: of the velocity of the centre of gravity without what gravity gave, `fall`.
    """
    (relative, loss), (dvx, dvy), (fx, fy), total = rates, change, fall, numbers[TOTAL]
    sums[slot.KINETIC] = relative + 0.5 * total * (q[VX] * q[VX] + q[VY] * q[VY])
    sums[slot.SCHEME_LOSS] += loss + scheme_loss_of_fall(total, dvx, dvy, fx, fy)
    sums[slot.POTENTIAL] = -total * (numbers[GX] * q[X] + numbers[GY] * q[Y])


@njit
def contact_rates(touch):
    """Speeds across and along the edges, summed over the links, and power lost to friction; one contact point per link."""
    across, along, loss = 0.0, 0.0, 0.0
    for i in range(touch.shape[1]):
        across += abs(touch[VN, i])
        along += abs(touch[VT, i])
        loss -= touch[FT, i] * touch[VT, i] + touch[FN, i] * touch[VN, i]
    return across, along, loss


@njit
def contact_rates_of_points(points, touch):
    """The same of several contact points per link: of each link the mean speeds, weighted with the points' shares of its load."""
    across, along, loss = 0.0, 0.0, 0.0
    for j in range(touch.shape[1]):
        across += points[SHARE, j] * abs(touch[VN, j])
        along += points[SHARE, j] * abs(touch[VT, j])
        loss -= touch[FT, j] * touch[VT, j] + touch[FN, j] * touch[VN, j]
    return across, along, loss


@njit
def count_contacts(across, along, loss, dt, sums):
    """Add slip and friction loss of a step from the rates of the contacts."""
    sums[slot.SLIP_ACROSS] += across * dt
    sums[slot.SLIP_ALONG] += along * dt
    sums[slot.FRICTION_LOSS] += loss * dt


@njit
def drive_torques(act, b, joints):
    """Torques of the actuators in the last step without motors or stops: those between the links, and what damping takes."""
    for i in range(1, b.shape[1]):
        joints[TORQUE, i] = (1.0 - act[LOCKED, i]) * (b[TAU, i] + act[JOINT_DAMPING, i] * (b[RATE, i] - b[RATE, i - 1]))


@njit
def watch_torques(joints, t, sums):
    """Keep the greatest torque so far, its joint and time."""
    for i in range(1, joints.shape[1]):
        note_torque(abs(joints[TORQUE, i]), i, t, sums)


@njit
def note_torque(torque, joint, t, sums):
    """Keep the greatest torque so far, its joint and time."""
    if torque > sums[slot.TORQUE_MAX]:
        sums[slot.TORQUE_MAX], sums[slot.TORQUE_MAX_JOINT], sums[slot.TORQUE_MAX_TIME] = torque, joint, t


@njit
def joint_work(tau, act, i, rate, rate0, dt, early):
    """Of joint i without motor or stop in a step: its torque, its work, what damping takes, the scheme's loss; see `count_joints`.

    What a locked joint bears is no torque of an actuator.
    """
    moved, damping = dt * (rate + early * (rate0 - rate)), act[JOINT_DAMPING, i]
    drive = tau + damping * rate
    drive -= act[LOCKED, i] * drive
    return drive, drive * moved, damping * rate * moved, tau * (moved - rate * dt)


@njit
def add_joints(square, work, positive, damping, loss, residual, dt, sums):
    """Add what the joints of a step come to: squares of the torques, works, losses; `residual` is what is left at the tail's end."""
    sums[slot.TORQUE_SQ] += square * dt
    sums[slot.NET_WORK] += work
    sums[slot.POSITIVE_WORK] += positive
    sums[slot.DAMPING_LOSS] += damping
    sums[slot.SCHEME_LOSS] += loss
    sums[slot.POWER] = positive / dt
    sums[slot.PEAK_POWER] = max(sums[slot.PEAK_POWER], positive / dt)
    sums[slot.RESIDUAL_MAX] = max(sums[slot.RESIDUAL_MAX], abs(residual))


@njit
def count_joints(act, k, joints, b, dt, t, sums, early):
    """Add work and torques of a step without motors or stops: tau and rate of the links are set; k is the links' state at its start.

    `early` is the share of the rate at the start in the mean rate: 1/2 of joints that are told how to move, 0 of driven ones.
    """
    square, work, positive, damping, loss = 0.0, 0.0, 0.0, 0.0, 0.0
    top = sums[slot.TORQUE_MAX]
    for i in range(1, b.shape[1]):
        rate, rate0 = b[RATE, i] - b[RATE, i - 1], k[TURN0, i] - k[TURN0, i - 1]
        drive, done, taken, lost = joint_work(b[TAU, i], act, i, rate, rate0, dt, early)
        square += drive * drive
        work += done
        positive += max(0.0, done)
        damping += taken
        loss += lost
        top = max(top, abs(drive))
    add_joints(square, work, positive, damping, loss, b[TAU, 0], dt, sums)
    if top > sums[slot.TORQUE_MAX]:
        drive_torques(act, b, joints)
        watch_torques(joints, t, sums)


@njit
def count_stopped(act, k, joints, b, dt, t, sums):
    """The same where ideal joints may rest at their stops (HELD): these bear their share of the torque and take its work."""
    power = 0.0
    for i in range(1, b.shape[1]):
        rate, rate0 = b[RATE, i] - b[RATE, i - 1], k[TURN0, i] - k[TURN0, i - 1]
        moved = 0.5 * dt * (rate + rate0)
        losses = act[JOINT_DAMPING, i] * rate
        stop = stop_share(b[HELD, i], b[TAU, i] + losses)
        motor = (1.0 - act[LOCKED, i]) * (b[TAU, i] + losses - stop)
        joints[TORQUE, i] = motor
        sums[slot.TORQUE_SQ] += motor * motor * dt
        sums[slot.NET_WORK] += motor * moved
        power += max(0.0, motor * moved) / dt
        sums[slot.DAMPING_LOSS] += losses * moved
        sums[slot.STOP_LOSS] -= stop * moved
        sums[slot.SCHEME_LOSS] += b[TAU, i] * (moved - rate * dt)
    sums[slot.POSITIVE_WORK] += power * dt
    sums[slot.POWER] = power
    sums[slot.PEAK_POWER] = max(sums[slot.PEAK_POWER], power)
    sums[slot.RESIDUAL_MAX] = max(sums[slot.RESIDUAL_MAX], abs(b[TAU, 0]))
    watch_torques(joints, t, sums)


@njit
def count_actuators(constants, state, scratch, dt, t):
    """Add work and torques of a step with motors, gears and stops, part by part; returns the rotors' kinetic energy."""
    b, m, act = scratch.links, scratch.solve, constants.joints
    k, joints, sums = state.links, state.joints, state.sums
    kinetic, power, ideal = 0.0, 0.0, constants.numbers[ANY_STOP] > 0.0
    for i in range(1, b.shape[1]):
        rate, rate0 = b[RATE, i] - b[RATE, i - 1], k[TURN0, i] - k[TURN0, i - 1]
        moved = (b[ANGLE, i] - b[ANGLE, i - 1]) - (k[ANGLE0, i] - k[ANGLE0, i - 1])
        if m[D, i] < 0.0:
            moved = 0.5 * dt * (rate + rate0)
        stop, rotor = (m[STOP_T, i] - m[STOP_D, i] * rate) / dt, act[ROTOR, i] * (rate - rate0) / dt
        if m[D, i] < 0.0:  # held: whatever torque it takes
            losses = act[JOINT_DAMPING, i] * rate
            motor = b[TAU, i] + losses + rotor
            if ideal:
                stop = stop_share(at_stop(act, i, b[HELD, i]), motor)
                motor -= stop
            motor *= 1.0 - act[LOCKED, i]
        else:
            motor = (m[MOTOR_T, i] - m[MOTOR_D, i] * rate) / dt
            losses = motor + stop - rotor - (m[T, i] - m[D, i] * rate) / dt
            if abs(motor) >= act[TORQUE_LIMIT, i] * (1.0 - 1e-9):
                sums[slot.SATURATED] += dt
        if stop != 0.0:
            note_stop(sums, t, i)
        joints[TORQUE, i] = motor
        sums[slot.TORQUE_SQ] += motor * motor * dt
        sums[slot.NET_WORK] += motor * moved
        power += max(0.0, motor * moved) / dt
        sums[slot.DAMPING_LOSS] += losses * moved
        sums[slot.STOP_LOSS] -= stop * moved
        sums[slot.SCHEME_LOSS] += (b[TAU, i] + rotor) * (moved - rate * dt)
        sums[slot.SCHEME_LOSS] += 0.5 * act[ROTOR, i] * (rate - rate0) * (rate - rate0)
        kinetic += 0.5 * act[ROTOR, i] * rate * rate
    sums[slot.POSITIVE_WORK] += power * dt
    sums[slot.POWER] = power
    sums[slot.PEAK_POWER] = max(sums[slot.PEAK_POWER], power)
    sums[slot.RESIDUAL_MAX] = max(sums[slot.RESIDUAL_MAX], abs(b[TAU, 0]))
    watch_torques(joints, t, sums)
    return kinetic


@njit
def note_angle(angle, joint, sums):
    """Keep the greatest joint angle so far and its joint."""
    if angle > sums[slot.ANGLE_MAX]:
        sums[slot.ANGLE_MAX], sums[slot.ANGLE_MAX_JOINT] = angle, joint


@njit
def watch_joints(b, sums):
    """Keep the greatest joint angle so far and its joint."""
    for i in range(1, b.shape[1]):
        note_angle(abs(b[ANGLE, i] - b[ANGLE, i - 1]), i, sums)
