"""Contacts inside an implicit step in space: forces at an iterate, their slopes in the links' matrices, forces afterwards.

A spot at c with normal n and friction axes t, s pushes with f = N n + f_t t + f_s s. Its slopes K_n, K_t, K_s (-df/dv) add
h K g g' to the matrix of its link, g = (c x n, n) and so on: a symmetric positive matrix, so that the recursion stays what it
is. Friction depends on N: its limits follow the first iterates and then stay, which leaves a convex problem for the
per-axis laws. Of the unit-slip law's mixed slopes the smaller one is taken.

Anchors are spots after the contacts: `count` contacts, `total` spots.
"""

from __future__ import annotations

import math

import numpy as np

from serpenoid import contact
from serpenoid.compiled import kernel, njit
from serpenoid.contact import cone
from serpenoid.contact.ground import LIMIT_ROWS
from serpenoid.contact.smoothing import mixed_slope
from serpenoid.contact.spots import (
    CX,
    DAMPED,
    DRAG,
    GAP,
    LINK,
    NORMAL,
    NX,
    ROLL_K,
    ROLL_W,
    SLOPE,
    SLOT,
    SX,
    TRIED,
    TX,
    VNORMAL,
    VP,
    WALL,
)
from serpenoid.contact.touch import FN, FT, KNN, KNT, KTN, KTT, SECANT, VN, VT
from serpenoid.spatial.anchors import advance_anchors, anchor_forces, find_anchors, keep_predicted
from serpenoid.spatial.detect import (
    assign_friction,
    begin_rolling,
    contact_velocities,
    find_spots,
    limit_friction,
    normal_forces,
    resist_rolling,
    roll_rates,
    spot_velocity,
)
from serpenoid.spatial.dynamics import twist_of
from serpenoid.spatial.impacts import HELD_BACK, bounce_forces
from serpenoid.spatial.layout import (
    DT,
    FA,
    FORCE,
    FORCE_N,
    FORCE_T,
    GRAVITY,
    LAW,
    MASS,
    PG,
    POINT,
    PRESS,
    RIGID,
    ROLLING,
    SCALARS,
    SLIP_N,
    SLIP_T,
    TOUCHING,
    WALL_DEEPEST,
    WALL_FORCE,
    WALL_NAME,
    WALL_PEAK,
    WALL_POINT,
    WALL_PRESS,
)  # fmt: skip
from serpenoid.spatial.matrices import add_point, plus

CREEP = 1e-7  # m/s^2 times the step: speed below which rolling counts as rest
STAMP = 4  # row of the memory: step at which the slot last touched


@kernel
def detect_contacts(chain, terrain, numbers, body, memory, anchors, contacts, origin, step, drag):
    """Find the spots of the predicted pose at `origin`, with coefficients, bristles and predicted velocities; then the anchors'.

    `drag` (N s/m) acts at every contact. Returns the number of spots, that of the contacts among them, and the contacts without direction.
    """
    spots, touch, friction = contacts.spots, contacts.touch, contacts.friction
    count, unclear = find_spots(chain, terrain, body, origin, spots)
    assign_friction(terrain, numbers, origin, spots, count)
    if memory.shape[1] > 0:
        for a in range(count):
            slot = int(spots[SLOT, a])
            held = memory[STAMP, slot] == step - 1.0
            for e in range(4):
                friction[LIMIT_ROWS + e, a] = memory[e, slot] if held else 0.0
    total = find_anchors(terrain.anchors, anchors, body, origin, spots, count)
    if numbers[ROLLING] > 0.0:
        begin_rolling(chain, spots, count, total)
    contact_velocities(body, spots, touch, total)
    if numbers[ROLLING] > 0.0:
        roll_rates(body, spots, total)
    for a in range(count):
        spots[VP, a], spots[DRAG, a] = spots[VNORMAL, a], drag
        spots[DAMPED, a] += drag
    keep_predicted(spots, touch, count, total)
    return total, count, unclear


@kernel
def contact_forces(chain, held, numbers, anchors, contacts, total, count, eps, by, it, fresh):
    """Forces and slopes of the spots at their velocities; `fresh`: the friction limits follow the normal forces of iterate `it`.

    `held` are the constants of the anchors, eps smooths the friction, slopes are taken by TANGENT, SECANT or PREDICTED.
    """
    dt = numbers[DT]
    anchor_forces(held, anchors, contacts.spots, contacts.touch, count, total, 0.5 * dt)
    normal_forces(contacts.spots, count, 0.5 * dt)
    if numbers[RIGID] > 0.0:
        bounce_forces(numbers, contacts.spots, count, by == SECANT, it)
        fresh = True
    if fresh:
        sticks = contact.reads_sticking(int(numbers[LAW]))
        limit_friction(
            chain, numbers, contacts.spots, count, contacts.friction, sticks, TRIED if numbers[RIGID] > 0.0 else NORMAL
        )
    contact.evaluate(
        int(numbers[LAW]),
        numbers[SCALARS:],
        eps,
        contacts.friction[:LIMIT_ROWS, :count],
        contacts.friction[LIMIT_ROWS:, :count],
        dt,
        by,
        contacts.touch[:, :count],
    )
    if numbers[ROLLING] > 0.0:
        resist_rolling(numbers[ROLLING], CREEP * dt, contacts.spots, count)
    if count > 0 and contacts.spots[DRAG, 0] > 0.0:
        add_drag(contacts, count)


@njit
def hold_friction(chain, numbers, contacts, count, by):
    """After the last iterate: whether friction was beyond its cone at the normal forces found.

    Then it is brought back to the edge and constant from now on, and so are the normal forces, but for those of contacts that strike.
    (The drag of `spatial.audit` has no cone.)
    """
    law = int(numbers[LAW])
    if count == 0 or not cone.has_cone(law) or contacts.spots[DRAG, 0] > 0.0:
        return False
    spots, touch = contacts.spots, contacts.touch
    strikes = numbers[RIGID] > 0.0
    if strikes:
        normal_forces(spots, count, 0.5 * numbers[DT])
        bounce_forces(numbers, spots, count, by == SECANT, HELD_BACK)
    limit_friction(
        chain, numbers, spots, count, contacts.friction, contact.reads_sticking(law), TRIED if strikes else NORMAL
    )
    if not cone.bring_back(law, numbers[SCALARS:], contacts.friction[:LIMIT_ROWS, :count], touch[:, :count]):
        return False
    for a in range(count):
        spots[NORMAL, a], spots[SLOPE, a] = max(spots[NORMAL, a], 0.0), spots[SLOPE, a] if strikes else 0.0
        touch[KTT, a], touch[KNN, a], touch[KTN, a], touch[KNT, a] = 0.0, 0.0, 0.0, 0.0
    return True


@njit
def add_drag(contacts, count):
    """Add the drag along and across to the friction of the contacts that press."""
    spots, touch = contacts.spots, contacts.touch
    for a in range(count):
        if spots[NORMAL, a] > 0.0:
            c = spots[DRAG, a]
            touch[FT, a] -= c * touch[VT, a]
            touch[FN, a] -= c * touch[VN, a]
            touch[KTT, a] += c
            touch[KNN, a] += c


@njit
def drag_power(contacts, count):
    """Power that the drag along and across takes."""
    spots, touch, power = contacts.spots, contacts.touch, 0.0
    for a in range(count):
        if spots[NORMAL, a] > 0.0:
            power += spots[DRAG, a] * (touch[VT, a] ** 2 + touch[VN, a] ** 2)
    return power


@njit
def slopes(contacts, a, coupled):
    """Symmetric slopes of spot a: normal, along, across, mixed."""
    touch = contacts.touch
    mixed = mixed_slope(touch[KTN, a], touch[KNT, a]) if coupled else 0.0
    return contacts.spots[SLOPE, a], touch[KTT, a], touch[KNN, a], mixed


@njit
def carry_spot(contacts, a, x, coupled):
    """Velocities of spot a at its link's twist x; its forces go along linearly. Returns the largest change of a velocity.

    So the forces after the last correction balance the momenta exactly, and they are those predicted for the next one.
    """
    spots, touch = contacts.spots, contacts.touch
    kn, kt, ks, mixed = slopes(contacts, a, coupled)
    vn, vt, vs = spot_velocity(spots, a, x)
    dn, dt, ds = vn - spots[VNORMAL, a], vt - touch[VT, a], vs - touch[VN, a]
    spots[VNORMAL, a], touch[VT, a], touch[VN, a] = vn, vt, vs
    spots[NORMAL, a] -= kn * dn
    touch[FT, a] -= kt * dt + mixed * ds
    touch[FN, a] -= ks * ds + mixed * dt
    return max(abs(dn), abs(dt), abs(ds))


@njit
def carry_spots(contacts, body, first, total, coupled):
    """The same for spots from `first` on, at the twists of their links."""
    change = 0.0
    for a in range(first, total):
        change = max(change, carry_spot(contacts, a, twist_of(body, int(contacts.spots[LINK, a])), coupled))
    return change


@njit
def with_spot(contacts, a, coupled, share, dt, matrix, right):
    """Matrix and right side of a link with the slopes and the force of spot a, taken at `share` of its velocity from it (1: at rest)."""
    spots, touch = contacts.spots, contacts.touch
    kn, kt, ks, mixed = slopes(contacts, a, coupled)
    kn, kt, ks, mixed = dt * kn, dt * kt, dt * ks, dt * mixed
    vn, vt, vs = share * spots[VNORMAL, a], share * touch[VT, a], share * touch[VN, a]
    fn = dt * spots[NORMAL, a] + kn * vn
    ft, fs = dt * touch[FT, a] + kt * vt + mixed * vs, dt * touch[FN, a] + ks * vs + mixed * vt
    n0, n1, n2 = spots[NX, a], spots[NX + 1, a], spots[NX + 2, a]
    t0, t1, t2 = spots[TX, a], spots[TX + 1, a], spots[TX + 2, a]
    s0, s1, s2 = spots[SX, a], spots[SX + 1, a], spots[SX + 2, a]
    x, y, z = spots[CX, a], spots[CX + 1, a], spots[CX + 2, a]
    p0, p1, p2 = fn * n0 + ft * t0 + fs * s0, fn * n1 + ft * t1 + fs * s1, fn * n2 + ft * t2 + fs * s2
    a0, a1, a2, b0, b1, b2 = kn * n0, kn * n1, kn * n2, kt * t0 + mixed * s0, kt * t1 + mixed * s1, kt * t2 + mixed * s2
    c0, c1, c2 = ks * s0 + mixed * t0, ks * s1 + mixed * t1, ks * s2 + mixed * t2
    slope = (
        a0 * n0 + b0 * t0 + c0 * s0, a0 * n1 + b0 * t1 + c0 * s1, a0 * n2 + b0 * t2 + c0 * s2,
        a1 * n1 + b1 * t1 + c1 * s1, a1 * n2 + b1 * t2 + c1 * s2, a2 * n2 + b2 * t2 + c2 * s2,
    )  # fmt: skip
    force = (y * p2 - z * p1, z * p0 - x * p2, x * p1 - y * p0, p0, p1, p2)
    return add_point(matrix, x, y, z, slope), plus(right, 1.0, force)


@njit
def roll_vector(spots, a):
    """Vector g = (t, 0) of the moment about the axis along spot a."""
    return (spots[TX, a], spots[TX + 1, a], spots[TX + 2, a], 0.0, 0.0, 0.0)


@njit
def spot_force(spots, touch, a):
    """Force of spot a on its link, world axes."""
    n, t, s = spots[NORMAL, a], touch[FT, a], touch[FN, a]
    return (
        n * spots[NX, a] + t * spots[TX, a] + s * spots[SX, a],
        n * spots[NX + 1, a] + t * spots[TX + 1, a] + s * spots[SX + 1, a],
        n * spots[NX + 2, a] + t * spots[TX + 2, a] + s * spots[SX + 2, a],
    )


@njit
def wrenches(chain, numbers, contacts, body, total):
    """Fill FA, FL: gravity and contact forces on the links, about O."""
    spots = contacts.spots
    for i in range(body.shape[1]):
        f = -chain.links[MASS, i] * numbers[GRAVITY]
        body[FA, i], body[FA + 1, i], body[FA + 2, i] = body[PG + 1, i] * f, -body[PG, i] * f, 0.0
        body[FA + 3, i], body[FA + 4, i], body[FA + 5, i] = 0.0, 0.0, f
    for a in range(total):
        i = int(spots[LINK, a])
        fx, fy, fz = spot_force(spots, contacts.touch, a)
        x, y, z = spots[CX, a], spots[CX + 1, a], spots[CX + 2, a]
        body[FA, i] += y * fz - z * fy
        body[FA + 1, i] += z * fx - x * fz
        body[FA + 2, i] += x * fy - y * fx
        body[FA + 3, i] += fx
        body[FA + 4, i] += fy
        body[FA + 5, i] += fz
        if numbers[ROLLING] > 0.0:
            m = -spots[ROLL_K, a] * spots[ROLL_W, a]
            for e in range(3):
                body[FA + e, i] += m * spots[TX + e, a]


@njit
def store_contacts(held, numbers, memory, anchors, contacts, total, count, step):
    """Move the bristles on by a step and keep them by slot, drag slipping anchors; returns the energy of the bristles."""
    dt = numbers[DT]
    advance_anchors(held, anchors, contacts.spots, contacts.touch, count, total, 0.5 * dt)
    if memory.shape[1] == 0:
        return 0.0
    energy = contact.advance(
        int(numbers[LAW]),
        numbers[SCALARS:],
        contacts.friction[:LIMIT_ROWS, :count],
        contacts.friction[LIMIT_ROWS:, :count],
        dt,
        contacts.touch[:, :count],
    )
    for a in range(count):
        slot = int(contacts.spots[SLOT, a])
        memory[STAMP, slot] = step
        for e in range(4):
            memory[e, slot] = contacts.friction[LIMIT_ROWS + e, a]
    return energy


@njit
def wall_loads(loads, contacts, count, origin):
    """After a step: what walls press on every link with; obstacle and place are those of the strongest spot.

    WALL_FORCE is the sum of the forces; WALL_PRESS that of their sizes in the plan, which a pinch does not hide.
    """
    spots, touch = contacts.spots, contacts.touch
    for i in range(loads.shape[1]):
        loads[WALL_NAME, i], loads[WALL_PRESS, i] = -1.0, 0.0
        for e in range(3):
            loads[WALL_FORCE + e, i], loads[WALL_POINT + e, i] = 0.0, np.nan
    best, last = 0.0, -1
    for a in range(count):  # the spots of a link follow one another
        if spots[WALL, a] > 0.0:
            i = int(spots[LINK, a])
            if i != last:
                best, last = 0.0, i
            force = spot_force(spots, touch, a)
            if spots[NORMAL, a] > best:
                best, loads[WALL_NAME, i] = spots[NORMAL, a], spots[WALL, a] - 1.0
                for e in range(3):
                    loads[WALL_POINT + e, i] = origin[e] + spots[CX + e, a]
            for e in range(3):
                loads[WALL_FORCE + e, i] += force[e]
            loads[WALL_PRESS, i] += math.sqrt(force[0] * force[0] + force[1] * force[1])
            loads[WALL_DEEPEST, i] = max(loads[WALL_DEEPEST, i], -spots[GAP, a])
    for i in range(loads.shape[1]):
        loads[WALL_PEAK, i] = max(loads[WALL_PEAK, i], loads[WALL_PRESS, i])


@kernel
def contact_loads(loads, contacts, total, origin):
    """Forces of the last step on every link: sums, means and the centre of its contacts by load."""
    spots, touch = contacts.spots, contacts.touch
    loads[: POINT + 3, :] = 0.0
    for a in range(total):
        i, n = int(spots[LINK, a]), spots[NORMAL, a]
        force = spot_force(spots, touch, a)
        for e in range(3):
            loads[FORCE + e, i] += force[e]
        loads[PRESS, i] += n
        loads[FORCE_T, i] += touch[FT, a]
        loads[FORCE_N, i] += touch[FN, a]
        if n > 0.0:
            loads[TOUCHING, i] += 1.0
            loads[SLIP_T, i] += touch[VT, a]
            loads[SLIP_N, i] += touch[VN, a]
            for e in range(3):
                loads[POINT + e, i] += n * (origin[e] + spots[CX + e, a])
    for i in range(loads.shape[1]):
        if loads[TOUCHING, i] > 0.0:
            loads[SLIP_T, i] /= loads[TOUCHING, i]
            loads[SLIP_N, i] /= loads[TOUCHING, i]
            for e in range(3):
                loads[POINT + e, i] /= loads[PRESS, i]
        else:
            for e in range(3):
                loads[POINT + e, i] = np.nan
