"""The step of `shape_step`, link by link: for processors with many threads and little memory for each.

The stages are the very same functions, called with arrays of one column, which a compiler keeps in registers; so is the law of a contact. Kept from
pass to pass are only cosine, sine and rate of the links (`rows`, WORK_ROWS) and what the state keeps; places and velocities follow from
these along the chain. A step is

1. headings, cosines and sines of all links, and where the centre of gravity lies;
2. tail to head: the sums over the contacts, once for every iteration of Newton (in the first also the moment of inertia);
3. head to tail: forces of the contacts at the solution, momenta, forces and torques of the joints, the account.

Contact forces are computed again in 3 rather than kept. It is the same step as `shape_step.step` but for rounding: for one contact point per link, on even ground,
without stops and without contact between links (`planar.by_link.covers`).
"""

from __future__ import annotations

import math

import numpy as np

from serpenoid import contact
from serpenoid.compiled import njit
from serpenoid.contact import is_coupled
from serpenoid.contact import sums as slot
from serpenoid.contact.smoothing import follow_motion
from serpenoid.contact.touch import FN, FT, PREDICTED, SECANT, TANGENT
from serpenoid.frames import sincos1
from serpenoid.planar import account
from serpenoid.planar.by_link import (
    PREDICTED_N,
    PREDICTED_T,
    ROW_C,
    ROW_S,
    keep_memory,
    step_back,
    take_link,
    take_memory,
    take_pose,
    working,
)
from serpenoid.planar.command import followed_headings
from serpenoid.planar.dynamics import inertia_and_spin, load_inner
from serpenoid.planar.kinematics import face_ground, lever_sums, place_links, slip, spread_forces
from serpenoid.planar.layout import (
    ANGLE,
    LAW,
    LEAST,
    LENGTH,
    NUMBERS,
    RATE,
    SPIN0,
    TAU,
    TOTAL,
    TURN,
    TURN0,
    WX0,
    WY0,
    C,
    S,
)  # fmt: skip
from serpenoid.planar.shape_step import (
    NEWTON,
    PREDICT,
    SECANTS,
    SETTLED,
    assemble,
    clear,
    correct_contacts,
    count_search,
    fallen,
    improve,
    move_base,
    search_from,
    turn_along,
)


@njit
def take_shape(constants, rows, one, total):
    """Cosines and sines of the headings in `rows`; returns place and velocity of the tail's end and of the head's tip from the centre of gravity."""
    x, y, u, v = 0.0, 0.0, 0.0, 0.0
    dx, dy, du, dv = 0.0, 0.0, 0.0, 0.0
    b = one.body
    for i in range(rows.shape[1]):
        b[RATE, 0] = rows[RATE, i]
        b[C, 0], b[S, 0] = sincos1(rows[ANGLE, i])
        rows[ROW_C, i], rows[ROW_S, i] = b[C, 0], b[S, 0]
        take_link(constants.links, i, one)
        px, py, pu, pv = lever_sums(one.links, b)
        x, y, u, v = x + px, y + py, u + pu, v + pv
        l = one.links[LENGTH, 0]
        dx, dy = dx + l * b[C, 0], dy + l * b[S, 0]
        du, dv = du - l * b[S, 0] * b[RATE, 0], dv + l * b[C, 0] * b[RATE, 0]
    tail = (x / total, y / total, u / total, v / total)
    return tail, (tail[0] + dx, tail[1] + dy, tail[2] + du, tail[3] + dv)


@njit
def touch_link(law, scalars, eps, state, one, rows, i, v, by, dt):
    """Forces and slopes of the contact of link i of a body whose velocities are v; places of `one` are set."""
    face_ground(one.links, one.body)
    slip(one.body, one.touch, v[0], v[1], v[2])
    if by == PREDICTED:
        one.touch[FT, 0], one.touch[FN, 0] = rows[PREDICTED_T, i], rows[PREDICTED_N, i]
    take_memory(law, state.memory, i, one)
    contact.evaluate(law, scalars, eps, one.limits, one.memory, dt, by, one.touch)


@njit
def sum_contacts(constants, state, rows, one, tail, v, by, dt, sums):
    """Sums of forces and slopes over the contacts; returns moment of inertia and angular momentum of the change of shape."""
    numbers, links, b = constants.numbers, constants.links, one.body
    law, scalars = int(numbers[LAW]), numbers[NUMBERS:]
    v = working(one, v[0], v[1], v[2])
    eps, dt, _ = working(one, state.sums[slot.SMOOTHING], dt, 0.0)
    coupled = is_coupled(law, scalars)
    x, y, u, w = tail
    inertia, spin = 0.0, 0.0
    clear(sums)
    for i in range(rows.shape[1]):
        take_link(links, i, one)
        take_pose(rows, i, one)
        x, y, u, w = place_links(one.links, b, x, y, u, w)
        touch_link(law, scalars, eps, state, one, rows, i, v, by, dt)
        assemble(b, one.touch, coupled, dt, sums)
        more, turning = inertia_and_spin(one.links, b)
        inertia, spin = inertia + more, spin + turning
    return inertia, spin


@njit
def predict_contacts(constants, state, rows, one, tail, v, d, by, dt):
    """Forces that the linearisation at v gives after the correction d, into `rows`."""
    numbers, links, b, touch = constants.numbers, constants.links, one.body, one.touch
    law, scalars = int(numbers[LAW]), numbers[NUMBERS:]
    v, d = working(one, v[0], v[1], v[2]), working(one, d[0], d[1], d[2])
    eps, dt, _ = working(one, state.sums[slot.SMOOTHING], dt, 0.0)
    coupled = is_coupled(law, scalars)
    x, y, u, w = tail
    for i in range(rows.shape[1]):
        take_link(links, i, one)
        take_pose(rows, i, one)
        x, y, u, w = place_links(one.links, b, x, y, u, w)
        touch_link(law, scalars, eps, state, one, rows, i, v, by, dt)
        correct_contacts(b, touch, coupled, d[0], d[1], d[2])
        rows[PREDICTED_T, i], rows[PREDICTED_N, i] = touch[FT, 0], touch[FN, 0]


@njit
def solve_base(constants, state, scratch, one, tail, fall, dt):
    """Newton for the velocities of the body; returns these, where they were evaluated last, the correction then, by which slopes, moment of inertia and angular momentum."""
    numbers, rows, sums, q = constants.numbers, scratch.links, scratch.newton, state.motion
    by = TANGENT
    v, momentum, rules = search_from(numbers, q, 0.0, fall, state.sums[slot.SMOOTHING])
    d, trial = (0.0 * v[0], 0.0 * v[1], 0.0 * v[2]), (np.inf, 1.0, np.inf)
    inertia, spin, at, used = 0.0, 0.0, v, TANGENT
    for it in range(NEWTON + SECANTS):
        if it >= NEWTON:
            by = SECANT
        at, used = v, by
        inertia, spin = sum_contacts(constants, state, rows, one, tail, at, used, dt, sums)
        body, before = (numbers[TOTAL], inertia), (momentum[0], momentum[1], momentum[2] - spin)
        v, d, trial, by, verdict = improve(v, d, trial, by, sums, body, before, rules, dt)
        if verdict == SETTLED:
            break
        if verdict == PREDICT:
            predict_contacts(constants, state, rows, one, tail, at, d, used, dt)
    count_search(it, state.sums)
    return v, at, d, used, inertia, spin


@njit
def take_state(k, i, one):
    """What the state keeps of link i."""
    own = one.state
    own[TURN0, 0], own[WX0, 0], own[WY0, 0], own[SPIN0, 0] = k[TURN0, i], k[WX0, i], k[WY0, i], k[SPIN0, i]


@njit
def keep_state(k, i, one):
    """Keep what `momentum_rates` has set of link i, and its rate."""
    own = one.state
    k[TURN0, i], k[WX0, i], k[WY0, i], k[SPIN0, i] = one.body[RATE, 0], own[WX0, 0], own[WY0, 0], own[SPIN0, 0]


@njit
def account_links(constants, state, rows, one, head, motion, by, dt, t):
    """Forces at the solution, joint forces and torques, and the account of the step, from the head to the tail; returns the sums of `momentum_rates`.

    motion: velocities of the last evaluation, correction after it, change of the centre's velocity, turn of the axes.
    """
    numbers, links, k, sums, b, touch = constants.numbers, constants.links, state.links, state.sums, one.body, one.touch
    law, scalars, n = int(numbers[LAW]), numbers[NUMBERS:], rows.shape[1]
    coupled, (at, correction, change, axes) = is_coupled(law, scalars), motion
    v, d = working(one, at[0], at[1], at[2]), working(one, correction[0], correction[1], correction[2])
    dvx, dvy, turn = working(one, change[0], change[1], state.motion[TURN])
    c, s, dt = working(one, axes[0], axes[1], dt)
    eps, _, _ = working(one, sums[slot.SMOOTHING], 0.0, 0.0)
    x, y, u, w = head
    fx, fy, moment, kinetic, loss, stored = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    across, along, rubbed = 0.0, 0.0, 0.0
    square, work, positive, damping, lost, top, where = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0
    for m in range(n):
        i = n - 1 - m
        take_link(links, i, one)
        take_pose(rows, i, one)
        take_state(k, i, one)
        # forces of the contact at the solution
        x, y, u, w = step_back(one, x, y, u, w)
        place_links(one.links, b, x, y, u, w)
        touch_link(law, scalars, eps, state, one, rows, i, v, by, dt)
        correct_contacts(b, touch, coupled, d[0], d[1], d[2])
        stored += contact.advance(law, scalars, one.limits, one.memory, dt, touch)
        keep_memory(law, state.memory, i, one)
        spread_forces(one.links, b, b, touch)
        more, slid, taken = account.contact_rates(touch)
        across, along, rubbed = across + more, along + slid, rubbed + taken
        # momentum, force and torque of the joint
        turn_along(b, turn)
        more, wasted = account.momentum_rates(one.links, one.state, b, dvx, dvy, c, s, dt)
        kinetic, loss = kinetic + more, loss + wasted
        fx, fy, moment = load_inner(b, fx, fy, moment)
        if i > 0:
            rate, rate0 = b[RATE, 0] - (rows[RATE, i - 1] + turn), one.state[TURN0, 0] - k[TURN0, i - 1]
            drive, done, taken, wasted = account.joint_work(b[TAU, 0], constants.joints, i, rate, rate0, dt, 0.5)
            square, work, positive = square + drive * drive, work + done, positive + max(0.0, done)
            damping, lost = damping + taken, lost + wasted
            if abs(drive) >= top:  # of equal ones the innermost, as from the tail
                top, where = abs(drive), i
        keep_state(k, i, one)
    account.count_contacts(across, along, rubbed, dt, sums)
    account.add_joints(square, work, positive, damping, lost, b[TAU, 0], dt, sums)
    account.note_torque(top, where, t, sums)
    sums[slot.STORED] = stored
    return kinetic, loss


@njit
def step(constants, state, scratch, one, t, dt):
    """Advance to time t = end of the step; False if a number is not finite. Of the scratch `links` (WORK_ROWS, n) and `newton` are used."""
    numbers, q, sums = constants.numbers, state.motion, state.sums
    followed_headings(constants, t, scratch.links)
    tail, head = take_shape(constants, scratch.links, one, numbers[TOTAL])
    fall = fallen(numbers, q, dt)
    v, at, d, by, inertia, spin = solve_base(constants, state, scratch, one, tail, fall, dt)
    if not math.isfinite(v[0] + v[1] + v[2]):
        return False
    turn, change, given = move_base(q, v, inertia, spin, fall, dt)
    rates = account_links(constants, state, scratch.links, one, head, (at, d, change, turn), by, dt, t)
    account.count_energies(numbers, q, rates, change, given, sums)
    follow_motion(numbers[LEAST], numbers[TOTAL], sums)
    return math.isfinite(sums[slot.TORQUE_SQ]) and math.isfinite(sums[slot.KINETIC])
