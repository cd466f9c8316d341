"""Driven joints by backward Euler in momentum form: torques or servos in, implicit friction, motors, gears and stops, O(n).

State: centre of gravity p and its velocity V, headings and angular velocities of all links, world axes. Each link
keeps its momentum from the last step; the step solves, with the geometry at its end,

    m_i (v_i' - v_i) = h (f_i + F_i - F_{i+1})
    I_i (w_i' - w_i) + d_i = h (moments about the centre of gravity of the link + tau_i - tau_{i+1})

d_i = (x_i' - x_i) x m_i (v_i - V) makes the sum of the second line the exact balance of angular momentum. Every
pass linearises the friction, f = f* - K (v - v*), and runs the recursion `solve_chain`, in which K only adds to the
links' inertia; geometry and friction converge together. Momentum and angular momentum are kept to rounding where no
force acts. Order 1.

Motors, gears and stops (`contact.joint`) give the impulse of a joint as T - D (its rate), linearised anew in every pass; angles
at the end of the step are those at its start plus h times the rates at its end. A joint whose angle is commanded (an ideal joint
among limp ones) or locked is held: its rate is put into the recursion.
"""

from __future__ import annotations

import math

import numpy as np

from serpenoid.compiled import njit
from serpenoid.contact import is_predictable
from serpenoid.contact import sums as slot
from serpenoid.contact.joint import JOINT_DAMPING, ROTOR, loss_impulse, motor_impulse, stop_impulse
from serpenoid.contact.self_contact import ON
from serpenoid.contact.smoothing import SHRINK, SOLVED, follow_motion, mixed_slope
from serpenoid.contact.touch import FN, FT, KNN, KNT, KTN, KTT, PREDICTED, SECANT, TANGENT, VN, VT
from serpenoid.frames import sincos
from serpenoid.planar import account
from serpenoid.planar.command import (
    HELD_JOINT,
    SERVO_DRIVEN,
    TORQUE_DRIVEN,
    commanded_angles,
    commanded_torques,
    joint_kind,
    move_aims,
    stop_held,
)  # fmt: skip
from serpenoid.planar.dynamics import reactions, solve_chain
from serpenoid.planar.ground import stand_on_ground
from serpenoid.planar.kinematics import face_ground, forward_kinematics, place_points, slip, spread_forces
from serpenoid.planar.layout import (
    AIM,
    ANGLE,
    ANGLE0,
    ANY_LOCKED,
    ANY_STOP,
    COM,
    CONTACT,
    DRIVE,
    DRIVEN_BY,
    DSPEED,
    DVX,
    DVY,
    GX,
    GY,
    HELD,
    HELD_RATE,
    INERTIA,
    LAW,
    LEAST,
    LENGTH,
    LEVER,
    MASS,
    MOTOR_D,
    MOTOR_T,
    NEW_RATE,
    NOTHING,
    PUSHED,
    RATE,
    SIMPLE,
    SOURCE,
    STOP_D,
    STOP_T,
    TOLERANCE,
    TOTAL,
    TURN0,
    TX,
    TY,
    UNEVEN,
    VN0,
    VT0,
    VX,
    VY,
    WX0,
    WY0,
    XG,
    XG0,
    YG,
    YG0,
    A,
    B,
    C,
    D,
    S,
    T,
    X,
    Y,
)  # fmt: skip
from serpenoid.planar.self_touch import add_touches, load_joints, measure_touches, settle_touches
from serpenoid.planar.shape_step import advance_friction, friction

PASSES = 50
SECANT_FROM = 40
_PREDICTED_FROM = 3  # for motors at their limits
_DAMPED_FROM = 30  # where joints or links that touch each other keep it from settling


@njit
def build(constants, state, scratch, dt):
    """Link matrices and right sides of the step, friction linearised about the velocities in `touch`."""
    q, numbers = state.motion, constants.numbers
    before = (q[VX] + dt * numbers[GX], q[VY] + dt * numbers[GY])
    build_links(
        constants.links, constants.points, state.links, scratch.links, scratch.points, scratch.touch, before, scratch.solve, dt
    )  # fmt: skip


@njit
def build_links(links, points, k, b, f, touch, before, a, dt):
    """The same of any links: k their state, f their contact points; `before` is the velocity of the body before the contacts act."""
    n, (ux, uy) = b.shape[1], before
    for i in range(n):
        m, g, c, s = links[MASS, i], links[COM, i], b[C, i], b[S, i]
        # inertia and old momentum
        px, py = m * (k[WX0, i] + ux), m * (k[WY0, i] + uy)
        finite = m * ((b[XG, i] - k[XG0, i]) * k[WY0, i] - (b[YG, i] - k[YG0, i]) * k[WX0, i])
        a00, a01, a11, a02, a12, a22 = m, 0.0, m, -m * g * s, m * g * c, m * g * g + links[INERTIA, i]
        b0, b1, b2 = px, py, g * (c * py - s * px) + links[INERTIA, i] * k[TURN0, i] - finite
        j = i
        while j < f.shape[1]:  # contact points of the link, usually one
            # friction: matrix K in world axes, and the impulse that it has at rest
            tx, ty, l = f[TX, j], f[TY, j], points[CONTACT, j]
            kt, kn, kc = dt * touch[KTT, j], dt * touch[KNN, j], dt * mixed_slope(touch[KTN, j], touch[KNT, j])
            kxx = kt * tx * tx + kn * ty * ty - 2.0 * kc * tx * ty
            kxy = (kt - kn) * tx * ty + kc * (tx * tx - ty * ty)
            kyy = kt * ty * ty + kn * tx * tx + 2.0 * kc * tx * ty
            it = dt * touch[FT, j] + kt * touch[VT, j] + kc * touch[VN, j]
            jn = dt * touch[FN, j] + kn * touch[VN, j] + kc * touch[VT, j]
            ix, iy = it * tx - jn * ty, it * ty + jn * tx
            hx, hy = kxy * c - kxx * s, kyy * c - kxy * s
            a00, a01, a11 = a00 + kxx, a01 + kxy, a11 + kyy
            a02, a12, a22 = a02 + l * hx, a12 + l * hy, a22 + l * l * (hy * c - hx * s)
            b0, b1, b2 = b0 + ix, b1 + iy, b2 + l * (c * iy - s * ix)
            j += n
        a[A, i], a[A + 1, i], a[A + 2, i], a[A + 3, i], a[A + 4, i], a[A + 5, i] = a00, a01, a11, a02, a12, a22
        a[B, i], a[B + 1, i], a[B + 2, i] = b0, b1, b2


@njit
def centre_velocity(links, total, b, ux, uy):
    """Velocity of the centre of gravity of a chain whose tail moves at (ux, uy) with the rates in b."""
    x, y = 0.0, 0.0
    for i in range(b.shape[1]):
        x -= links[LEVER, i] * b[S, i] * b[RATE, i]
        y += links[LEVER, i] * b[C, i] * b[RATE, i]
    return ux + x / total, uy + y / total


@njit
def settle_contacts(points, links, b, touch, vx, vy):
    """Contact velocities at the solution, and the linearised forces there; b are the rows of the contact points."""
    if b.shape[1] > links.shape[1]:
        place_points(points, links, b)
    face_ground(points, b)
    for i in range(b.shape[1]):
        tx, ty = b[TX, i], b[TY, i]
        et = vx * tx + vy * ty + b[VT0, i] - touch[VT, i]
        en = vy * tx - vx * ty + b[VN0, i] - touch[VN, i]
        kc = mixed_slope(touch[KTN, i], touch[KNT, i])
        touch[VT, i] += et
        touch[VN, i] += en
        touch[FT, i] -= touch[KTT, i] * et + kc * en
        touch[FN, i] -= touch[KNN, i] * en + kc * et


@njit
def plain_joints(constants, state):
    """Whether every joint is limp or driven by a torque, with nothing but damping beside it."""
    source, numbers = state.motion[SOURCE], constants.numbers
    free = source in (NOTHING, DRIVE, PUSHED)
    return numbers[SIMPLE] > 0.0 and numbers[ANY_LOCKED] == 0.0 and free


@njit
def hold_angles(constants, state, scratch, dt):
    """Headings at the end of the step for the rates tried, with the held joints at their angles."""
    b, k = scratch.links, state.links
    b[ANGLE, 0] = k[ANGLE0, 0] + dt * b[RATE, 0]
    for i in range(1, b.shape[1]):
        if joint_kind(constants, state, i) == HELD_JOINT:
            b[ANGLE, i] = b[ANGLE, i - 1] + b[HELD, i]
        else:
            b[ANGLE, i] = k[ANGLE0, i] + dt * b[RATE, i]


@njit
def linearise_joints(constants, state, scratch, dt, secant, again):
    """T and D of every joint at the rates tried; `again`: with what they were predicted to be, where motors are at their limits."""
    b, m, k, act = scratch.links, scratch.solve, state.links, constants.joints
    for i in range(1, b.shape[1]):
        kind, rate = joint_kind(constants, state, i), b[RATE, i] - b[RATE, i - 1]
        predicted = m[MOTOR_T, i] - m[MOTOR_D, i] * rate if again else np.inf
        m[MOTOR_T, i], m[MOTOR_D, i], m[STOP_T, i], m[STOP_D, i] = 0.0, 0.0, 0.0, 0.0
        if kind == HELD_JOINT:
            m[T, i], m[D, i] = b[HELD_RATE, i], -1.0
            continue
        rate0 = k[TURN0, i] - k[TURN0, i - 1]
        angle0 = k[ANGLE0, i] - k[ANGLE0, i - 1]
        if kind == SERVO_DRIVEN:
            aim = state.joints[AIM, i]
            m[MOTOR_T, i], m[MOTOR_D, i] = motor_impulse(act, i, aim, angle0, rate0, rate, dt, 1.0, predicted)
        elif kind == TORQUE_DRIVEN:
            m[MOTOR_T, i] = dt * b[DRIVEN_BY, i]
        m[STOP_T, i], m[STOP_D, i] = stop_impulse(act, i, angle0, rate0, rate, dt, 1.0)
        steady, slope = loss_impulse(act, i, rate, dt, secant)
        m[T, i] = m[MOTOR_T, i] + m[STOP_T, i] + steady + act[ROTOR, i] * rate0
        m[D, i] = m[MOTOR_D, i] + m[STOP_D, i] + slope + act[ROTOR, i]


@njit
def place_guess(constants, state, scratch, plain, velocity, it, by, t, dt):
    """Geometry, joints and friction of the rates and velocity tried in pass `it`; in the first also what the contacts stand on."""
    b, k, q, (vx, vy) = scratch.links, state.links, state.motion, velocity
    if plain:
        for i in range(b.shape[1]):
            b[ANGLE, i] = k[ANGLE0, i] + dt * b[RATE, i]
    else:
        hold_angles(constants, state, scratch, dt)
        linearise_joints(constants, state, scratch, dt, by == SECANT, it >= _PREDICTED_FROM)
    sincos(b, ANGLE, C, S)
    forward_kinematics(constants.links, constants.numbers[TOTAL], b)
    if scratch.points.shape[1] > b.shape[1]:
        place_points(constants.points, b, scratch.points)
    face_ground(constants.points, scratch.points)
    if it == 0 and constants.numbers[UNEVEN] > 0.0:
        stand_on_ground(constants, scratch, q[X] + dt * vx, q[Y] + dt * vy, 0.0, t)
    slip(scratch.points, scratch.touch, vx, vy, 0.0)
    friction(constants, state, scratch, dt, by)


@njit
def next_pass(it, slow, by, predictable, hard):
    """After pass `it`, whether its correction was slow to shrink: slopes to take, and share of the correction to take; hard: joints or touches may keep it from settling."""
    slow = slow and it < PASSES - 2
    if slow and predictable and by == TANGENT:
        by = PREDICTED
    return by, 0.5 if slow and (by != PREDICTED or (it >= _DAMPED_FROM and hard)) else 1.0


@njit
def tolerance_of(numbers, sums):
    """Change of the velocities that is the last one, m/s."""
    return numbers[TOLERANCE] if numbers[TOLERANCE] > 0.0 else SOLVED * sums[slot.SMOOTHING]


@njit
def count_passes(it, sums):
    """Count the passes of a step that ended with number `it`."""
    sums[slot.ITERATIONS] += it + 1
    if it >= SECANT_FROM:
        sums[slot.UNCONVERGED] += 1.0


@njit
def solve_motion(constants, state, scratch, plain, t, dt):
    """Passes of the recursion until the velocities settle; returns the velocity of the centre of gravity."""
    b, k, q = scratch.links, state.links, state.motion
    n, links, total, numbers = b.shape[1], constants.links, constants.numbers[TOTAL], constants.numbers
    tolerance = tolerance_of(numbers, state.sums)
    predictable, by = is_predictable(int(numbers[LAW])), TANGENT
    vx, vy = q[VX] + q[DVX], q[VY] + q[DVY]
    for i in range(n):
        b[RATE, i] = k[TURN0, i] + k[DSPEED, i]
    last, damp = np.inf, 1.0
    it, touches, skin = 0, 0, constants.skin.numbers[ON] > 0.0
    for it in range(PASSES):
        # geometry and friction of the current guess
        if it >= SECANT_FROM:
            by = SECANT
        place_guess(constants, state, scratch, plain, (vx, vy), it, by, t, dt)
        build(constants, state, scratch, dt)
        if skin:
            touches = add_touches(constants, scratch, dt, state.sums[slot.SMOOTHING], it, by == SECANT)
        # the solution, and how far it is from the guess
        ux, uy = solve_chain(links, b, NEW_RATE, scratch.solve)
        if touches > 0:
            ux, uy = settle_touches(constants, scratch, touches, ux, uy, state.sums[slot.SMOOTHING], tolerance)
        change = 0.0
        for i in range(n):
            change = max(change, links[LENGTH, i] * abs(b[NEW_RATE, i] - b[RATE, i]))
            b[RATE, i] += damp * (b[NEW_RATE, i] - b[RATE, i])
        nx, ny = centre_velocity(links, total, b, ux, uy)
        change = max(change, math.sqrt((nx - vx) ** 2 + (ny - vy) ** 2))
        if not math.isfinite(change):
            return np.nan, np.nan
        if damp == 1.0 and change < tolerance:
            vx, vy = nx, ny
            break
        vx, vy = vx + damp * (nx - vx), vy + damp * (ny - vy)
        slow, last = change > SHRINK * last, change
        by, damp = next_pass(it, slow, by, predictable, touches > 0 or not plain)
        if by == PREDICTED:  # the forces that the linearisation gives for the new velocities
            forward_kinematics(links, total, b)
            settle_contacts(constants.points, b, scratch.points, scratch.touch, vx, vy)
    count_passes(it, state.sums)
    return vx, vy


@njit
def command_joints(constants, state, scratch, plain, t, dt):
    """What the joints are told for the step that ends at t: torques, or aims and angles."""
    b, m = scratch.links, scratch.solve
    source = state.motion[SOURCE]
    if source in (NOTHING, DRIVE, PUSHED):
        commanded_torques(constants, state, t, b)
        for i in range(b.shape[1]):
            b[HELD, i], b[HELD_RATE, i] = 0.0, 0.0  # where a joint is locked
    else:
        commanded_angles(constants, state, t, b)
        move_aims(constants, state, t, dt, b)
        if constants.numbers[ANY_STOP] > 0.0:
            stop_held(constants, state, t, b)
    if plain:
        for i in range(b.shape[1]):
            m[T, i] = dt * b[DRIVEN_BY, i]
            m[D, i] = dt * constants.joints[JOINT_DAMPING, i]


@njit
def step(constants, state, scratch, t, dt):
    """Advance to time t = end of the step; False if a number is not finite."""
    b, touch, k, q, sums = scratch.links, scratch.touch, state.links, state.motion, state.sums
    n, plain, links, total = b.shape[1], plain_joints(constants, state), constants.links, constants.numbers[TOTAL]
    command_joints(constants, state, scratch, plain, t, dt)
    vx, vy = solve_motion(constants, state, scratch, plain, t, dt)
    if not math.isfinite(vx + vy):
        return False
    # the solution: velocities at the geometry of the last pass
    forward_kinematics(links, total, b)
    settle_contacts(constants.points, b, scratch.points, touch, vx, vy)
    dvx, dvy = vx - q[VX], vy - q[VY]
    q[X] += dt * vx
    q[Y] += dt * vy
    q[DVX], q[DVY], q[VX], q[VY] = dvx, dvy, vx, vy
    for i in range(n):
        k[DSPEED, i] = b[RATE, i] - k[TURN0, i]
    # forces in the joints, and the account
    spread_forces(constants.points, scratch.links, scratch.points, scratch.touch)
    fx, fy = dt * constants.numbers[GX], dt * constants.numbers[GY]
    relative, loss = account.momentum_rates(links, k, b, dvx - fx, dvy - fy, 1.0, 0.0, dt)
    account.count_energies(constants.numbers, q, (relative, loss), (dvx - fx, dvy - fy), (fx, fy), sums)
    reactions(b)
    if constants.skin.numbers[ON] > 0.0:
        measure_touches(scratch)
        load_joints(constants, state, scratch, dt)
    if touch.shape[1] > b.shape[1]:
        across, along, loss = account.contact_rates_of_points(constants.points, touch)
    else:
        across, along, loss = account.contact_rates(touch)
    account.count_contacts(across, along, loss, dt, sums)
    if plain:
        account.count_joints(constants.joints, k, state.joints, b, dt, t, sums, 0.0)
    else:
        sums[slot.KINETIC] += account.count_actuators(constants, state, scratch, dt, t)
    account.watch_joints(b, sums)
    follow_motion(constants.numbers[LEAST], total, sums)
    sums[slot.STORED] = advance_friction(constants, state, scratch, dt)
    for i in range(n):
        k[ANGLE0, i], k[TURN0, i] = b[ANGLE, i], b[RATE, i]
        k[XG0, i], k[YG0, i] = b[XG, i], b[YG, i]
    return math.isfinite(sums[slot.KINETIC]) and math.isfinite(sums[slot.TORQUE_SQ])
