"""The step of `drive_step`, link by link, as `shape_by_link` is that of `shape_step`: for GPUs.

Joints are limp or driven by torques, with damping and nothing else (`drive_step.plain_joints`). A pass is

1. cosines and sines of the headings tried, and where the centre of gravity lies;
2. head to tail: the contact of each link, its matrix, and its rotation eliminated (four numbers are kept per link);
3. tail to head: the rates, how far they are from those tried, the velocity of the centre of gravity.

After the last pass one more from head to tail computes the forces again, the momenta and the account.
"""

from __future__ import annotations

import math

import numpy as np

from serpenoid import contact
from serpenoid.compiled import njit
from serpenoid.contact import is_predictable
from serpenoid.contact import sums as slot
from serpenoid.contact.joint import JOINT_DAMPING
from serpenoid.contact.smoothing import SHRINK, follow_motion
from serpenoid.contact.touch import FN, FT, PREDICTED, SECANT, TANGENT
from serpenoid.frames import sincos1
from serpenoid.gaits.drives import torques
from serpenoid.planar import account
from serpenoid.planar.by_link import (
    DRIVE_E,
    DRIVE_OLD,
    DRIVE_T,
    PREDICTED_N,
    PREDICTED_T,
    ROW_C,
    ROW_S,
    keep_memory,
    step_back,
    take_link,
    take_pose,
    working,
)
from serpenoid.planar.drive_step import (
    PASSES,
    SECANT_FROM,
    build_links,
    count_passes,
    next_pass,
    settle_contacts,
    tolerance_of,
)
from serpenoid.planar.dynamics import load_inner, solve_tail, with_outer, without_rotation
from serpenoid.planar.kinematics import lever_sums, place_links, spread_forces
from serpenoid.planar.layout import (
    ANGLE0,
    COMMAND,
    DRIVE,
    DSPEED,
    DVX,
    DVY,
    FREE,
    GX,
    GY,
    LAW,
    LEAST,
    LENGTH,
    LEVER,
    NUMBERS,
    RATE,
    SOURCE,
    SPIN0,
    TAU,
    TOTAL,
    TURN0,
    VX,
    VY,
    WX0,
    WY0,
    XG,
    XG0,
    YG,
    YG0,
    C,
    D,
    E,
    S,
    T,
    X,
    Y,
)  # fmt: skip
from serpenoid.planar.shape_by_link import touch_link


@njit
def command_torques(constants, state, rows, t):
    """Torques of the joints at time t into `rows`; none where a joint is limp or nothing is commanded."""
    drive = state.motion[SOURCE] == DRIVE
    if drive:
        torques(int(constants.numbers[COMMAND]), constants.row, constants.table, t, rows, DRIVE_T)
    for i in range(rows.shape[1]):
        rows[DRIVE_T, i] = rows[DRIVE_T, i] * (1.0 - state.joints[FREE, i]) if drive else 0.0


@njit
def take_state(k, i, one):
    """What the state keeps of link i."""
    own = one.state
    own[TURN0, 0], own[WX0, 0], own[WY0, 0], own[SPIN0, 0] = k[TURN0, i], k[WX0, i], k[WY0, i], k[SPIN0, i]
    own[XG0, 0], own[YG0, 0] = k[XG0, i], k[YG0, i]


@njit
def take_guess(constants, state, rows, one, dt):
    """Cosines and sines for the rates tried; returns place and velocity of the head's tip from the centre of gravity."""
    b, k, own = one.body, state.links, one.links
    x, y, u, v = 0.0, 0.0, 0.0, 0.0
    ahead = (0.0, 0.0, 0.0, 0.0)
    for i in range(rows.shape[1]):
        b[RATE, 0] = rows[RATE, i]
        b[C, 0], b[S, 0] = sincos1(k[ANGLE0, i] + dt * b[RATE, 0])
        rows[ROW_C, i], rows[ROW_S, i] = b[C, 0], b[S, 0]
        take_link(constants.links, i, one)
        px, py, pu, pv = lever_sums(own, b)
        x, y, u, v = x + px, y + py, u + pu, v + pv
        back = step_back(one, 0.0, 0.0, 0.0, 0.0)
        ahead = (ahead[0] - back[0], ahead[1] - back[1], ahead[2] - back[2], ahead[3] - back[3])
    m = constants.numbers[TOTAL]
    return x / m + ahead[0], y / m + ahead[1], u / m + ahead[2], v / m + ahead[3]


@njit
def eliminate(constants, state, rows, one, head, velocity, by, dt):
    """Contacts and matrices of all links, from the head to the tail, their rotations eliminated; returns velocity of the tail's end and rate of the first link."""
    numbers, q, b, m, n = constants.numbers, state.motion, one.body, one.solve, rows.shape[1]
    law, scalars = int(numbers[LAW]), numbers[NUMBERS:]
    vx, vy, eps = working(one, velocity[0], velocity[1], state.sums[slot.SMOOTHING])
    ux, uy, dt = working(one, q[VX] + dt * numbers[GX], q[VY] + dt * numbers[GY], dt)
    x, y, u, w = head
    outer = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    matrix = outer
    for k in range(n):
        i = n - 1 - k
        take_link(constants.links, i, one)
        take_pose(rows, i, one)
        take_state(state.links, i, one)
        x, y, u, w = step_back(one, x, y, u, w)
        place_links(one.links, b, x, y, u, w)
        touch_link(law, scalars, eps, state, one, rows, i, (vx, vy, 0.0), by, dt)
        build_links(one.links, one.links, one.state, b, b, one.touch, (ux, uy), m, dt)
        matrix = with_outer(one.links, b, m, 0, outer)
        if i > 0:
            m[T, 0], m[D, 0] = dt * rows[DRIVE_T, i], dt * constants.joints[JOINT_DAMPING, i]
            outer = without_rotation(m, 0, matrix)
            rows[DRIVE_E, i], rows[DRIVE_E + 1, i] = m[E, 0], m[E + 1, 0]
            rows[DRIVE_E + 2, i], rows[DRIVE_E + 3, i] = m[E + 2, 0], m[E + 3, 0]
    return solve_tail(matrix)


@njit
def take_rates(constants, rows, tail, damp):
    """Rates of the solution, from the tail to the head: those tried go into DRIVE_OLD.

    Returns the largest change (m/s), the velocity of the centre of gravity, and that of the head's tip relative to it.
    """
    links, total = constants.links, constants.numbers[TOTAL]
    y0, y1, w = tail
    change, x, y, u, v = 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(rows.shape[1]):
        if i > 0:
            w = rows[DRIVE_E + 3, i] - rows[DRIVE_E, i] * y0 - rows[DRIVE_E + 1, i] * y1 + rows[DRIVE_E + 2, i] * w
        old, l, c, s = rows[RATE, i], links[LENGTH, i], rows[ROW_C, i], rows[ROW_S, i]
        change = max(change, l * abs(w - old))
        rate = old + damp * (w - old)
        rows[DRIVE_OLD, i], rows[RATE, i] = old, rate
        y0, y1 = y0 - l * s * w, y1 + l * c * w
        x, y = x - links[LEVER, i] * s * rate, y + links[LEVER, i] * c * rate
        u, v = u - l * s * rate, v + l * c * rate
    x, y = x / total, y / total
    return change, (tail[0] + x, tail[1] + y), (u - x, v - y)


@njit
def settle_link(constants, state, rows, one, i, places, velocities, eps, by, dt):
    """Contact of link i at the solution by its linearisation at the guess; places: of the head-side end with both velocities; returns those of its tail-side joint.

    velocities: of the centre of gravity, at the guess and at the solution.
    """
    b, numbers = one.body, constants.numbers
    (x, y, u, w, ua, wa), ((ox, oy), (vx, vy)) = places, velocities
    take_link(constants.links, i, one)
    take_pose(rows, i, one)
    b[RATE, 0] = rows[DRIVE_OLD, i]
    _x, _y, u, w = step_back(one, x, y, u, w)
    b[RATE, 0] = rows[RATE, i]
    x, y, ua, wa = step_back(one, x, y, ua, wa)
    b[RATE, 0] = rows[DRIVE_OLD, i]
    place_links(one.links, b, x, y, u, w)
    touch_link(int(numbers[LAW]), numbers[NUMBERS:], eps, state, one, rows, i, (ox, oy, 0.0), by, dt)
    b[RATE, 0] = rows[RATE, i]
    place_links(one.links, b, x, y, ua, wa)
    settle_contacts(one.links, b, b, one.touch, vx, vy)
    return x, y, u, w, ua, wa


@njit
def predict_contacts(constants, state, rows, one, places, guess, found, by, dt):
    """Forces that the linearisation at the guess gives at the velocities found, into `rows`; places: see `settle_link`."""
    n = rows.shape[1]
    ox, oy, eps = working(one, guess[0], guess[1], state.sums[slot.SMOOTHING])
    vx, vy, dt = working(one, found[0], found[1], dt)
    for k in range(n):
        i = n - 1 - k
        places = settle_link(constants, state, rows, one, i, places, ((ox, oy), (vx, vy)), eps, by, dt)
        rows[PREDICTED_T, i], rows[PREDICTED_N, i] = one.touch[FT, 0], one.touch[FN, 0]


@njit
def solve_motion(constants, state, rows, one, dt):
    """Passes until the velocities settle; returns the velocity of the centre of gravity, that tried in the last pass, by which slopes, places for `settle_link`."""
    numbers, q, k = constants.numbers, state.motion, state.links
    tolerance, predictable, by = tolerance_of(numbers, state.sums), is_predictable(int(numbers[LAW])), TANGENT
    v = (q[VX] + q[DVX], q[VY] + q[DVY])
    for i in range(rows.shape[1]):
        rows[RATE, i] = k[TURN0, i] + k[DSPEED, i]
    _a, _b, h = working(one, 0.0, 0.0, dt)
    it, last, damp, guess, used, none = 0, np.inf, 1.0, v, TANGENT, 0.0 * h
    places = (none, none, none, none, none, none)
    for it in range(PASSES):
        if it >= SECANT_FROM:
            by = SECANT
        guess, used = v, by
        head = take_guess(constants, state, rows, one, h)
        tail = eliminate(constants, state, rows, one, head, v, by, dt)
        size, (nx, ny), (ua, wa) = take_rates(constants, rows, tail, damp)
        places = (head[0], head[1], head[2], head[3], ua, wa)
        change = max(size, math.sqrt((nx - v[0]) ** 2 + (ny - v[1]) ** 2))
        if not math.isfinite(change):
            return (np.nan * v[0], np.nan * v[1]), guess, used, places
        v = (v[0] + damp * (nx - v[0]), v[1] + damp * (ny - v[1]))
        if damp == 1.0 and change < tolerance:
            break
        slow, last = change > SHRINK * last, change
        by, damp = next_pass(it, slow, by, predictable, False)
        if by == PREDICTED:
            predict_contacts(constants, state, rows, one, places, guess, v, used, dt)
    count_passes(it, state.sums)
    return v, guess, used, places


@njit
def account_links(constants, state, rows, one, motion, by, dt, t):
    """Forces at the solution, joint forces and torques, the account, and the state of the links, from the head to the tail; returns the sums of `momentum_rates`.

    motion: velocity of the centre of gravity, the one tried in the last pass, its change without what gravity gave, places of `settle_link`.
    """
    numbers, k, sums, b, touch, n = constants.numbers, state.links, state.sums, one.body, one.touch, rows.shape[1]
    law, scalars, (found, guess, change, places) = int(numbers[LAW]), numbers[NUMBERS:], motion
    ox, oy, eps = working(one, guess[0], guess[1], sums[slot.SMOOTHING])
    vx, vy, dt = working(one, found[0], found[1], dt)
    dvx, dvy, _ = working(one, change[0], change[1], 0.0)
    fx, fy, moment, kinetic, loss, stored = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    across, along, rubbed = 0.0, 0.0, 0.0
    square, work, positive, damping, lost, top, where = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0
    bent, joint = 0.0, 0
    for m in range(n):
        i = n - 1 - m
        places = settle_link(constants, state, rows, one, i, places, ((ox, oy), (vx, vy)), eps, by, dt)
        take_state(k, i, one)
        stored += contact.advance(law, scalars, one.limits, one.memory, dt, touch)
        keep_memory(law, state.memory, i, one)
        spread_forces(one.links, b, b, touch)
        more, slid, taken = account.contact_rates(touch)
        across, along, rubbed = across + more, along + slid, rubbed + taken
        more, wasted = account.momentum_rates(one.links, one.state, b, dvx, dvy, 1.0, 0.0, dt)
        kinetic, loss = kinetic + more, loss + wasted
        fx, fy, moment = load_inner(b, fx, fy, moment)
        angle = k[ANGLE0, i] + dt * rows[DRIVE_OLD, i]
        if i > 0:
            rate, rate0 = b[RATE, 0] - rows[RATE, i - 1], one.state[TURN0, 0] - k[TURN0, i - 1]
            drive, done, taken, wasted = account.joint_work(b[TAU, 0], constants.joints, i, rate, rate0, dt, 0.0)
            square, work, positive = square + drive * drive, work + done, positive + max(0.0, done)
            damping, lost = damping + taken, lost + wasted
            if abs(drive) >= top:  # of equal ones the innermost, as from the tail
                top, where = abs(drive), i
            turned = abs(angle - (k[ANGLE0, i - 1] + dt * rows[DRIVE_OLD, i - 1]))
            if turned >= bent:
                bent, joint = turned, i
        k[DSPEED, i] = b[RATE, 0] - one.state[TURN0, 0]
        k[ANGLE0, i], k[TURN0, i], k[XG0, i], k[YG0, i] = angle, b[RATE, 0], b[XG, 0], b[YG, 0]
        k[WX0, i], k[WY0, i], k[SPIN0, i] = one.state[WX0, 0], one.state[WY0, 0], one.state[SPIN0, 0]
    account.count_contacts(across, along, rubbed, dt, sums)
    account.add_joints(square, work, positive, damping, lost, b[TAU, 0], dt, sums)
    account.note_torque(top, where, t, sums)
    account.note_angle(bent, joint, sums)
    sums[slot.STORED] = stored
    return kinetic, loss


@njit
def step(constants, state, scratch, one, t, dt):
    """Advance to time t = end of the step; False if a number is not finite. Of the scratch only `links` (DRIVE_ROWS, n) is used."""
    numbers, q, sums, rows = constants.numbers, state.motion, state.sums, scratch.links
    command_torques(constants, state, rows, t)
    v, guess, by, places = solve_motion(constants, state, rows, one, dt)
    if not math.isfinite(v[0] + v[1]):
        return False
    dvx, dvy, fx, fy = v[0] - q[VX], v[1] - q[VY], dt * numbers[GX], dt * numbers[GY]
    q[X] += dt * v[0]
    q[Y] += dt * v[1]
    q[DVX], q[DVY], q[VX], q[VY] = dvx, dvy, v[0], v[1]
    change = (dvx - fx, dvy - fy)
    rates = account_links(constants, state, rows, one, (v, guess, change, places), by, dt, t)
    account.count_energies(numbers, q, rates, change, (fx, fy), sums)
    follow_motion(numbers[LEAST], numbers[TOTAL], sums)
    return math.isfinite(sums[slot.KINETIC]) and math.isfinite(sums[slot.TORQUE_SQ])
