"""The velocities at the end of a step in space: Newton over contacts, joints and the whole body.

Prescribed joints leave 6 unknowns, the twist of link 0 (`solve_shape`); driven ones are solved by the recursion of
`dynamics.spatial` (`solve_drive`). Contacts enter by their slopes. Newton is damped by halving while the corrections of the
contact velocities do not shrink (the natural test of Deuflhard), and falls back on the secant -f/v, which always
dissipates; steps that do not converge even so are counted. The last correction's forces are linearised, so that they balance the momenta exactly.
"""

from __future__ import annotations

import math

import numpy as np

from serpenoid.compiled import kernel, njit
from serpenoid.contact import COUPLED
from serpenoid.contact import sums as tally
from serpenoid.spatial._old.contacts import push, settle, slopes, spread
from serpenoid.spatial._old.detect import slip
from serpenoid.spatial._old.dynamics import add_square, body_inertia, inertia_of, momenta, solve6, solve_chain, times
from serpenoid.spatial._old.kinematics import (
    AIM,
    DAMP,
    DRIVEN,
    HA,
    HL,
    KD,
    KP,
    LIMIT,
    MASS,
    PG,
    Q0,
    QB,
    QD0,
    QP,
    QS,
    QT,
    WB,
    A,
    B,
    D,
    T,
    V,
    W,
    spread_twists,
)  # fmt: skip
from serpenoid.spatial._old.spots import LINK, NORMAL, NX, SX, TX, VNORMAL
from serpenoid.spatial._old.touch import FN, FT, VN, VT

_NEWTON, _SECANT = 10, 30
_LEAST = 0.02  # of a correction: shorter ways back are not tried
_FRESH = 3  # iterates that the friction limits follow
_SHRINK = 0.7  # a correction must be smaller than this share of the one before
_ARM = 0.1  # m: what a joint rate counts for among the contact velocities
_FREE = 1e299  # N m: no torque limit


@njit
def plus(x, f, g):
    """Vector x + f g of six numbers."""
    return (
        x[0] + f * g[0], x[1] + f * g[1], x[2] + f * g[2], x[3] + f * g[3], x[4] + f * g[4], x[5] + f * g[5],
    )  # fmt: skip


@njit
def with_contacts(surface, count, dt, coupled, a, r):
    """Matrix and right side of the whole body with the slopes and forces of all contacts."""
    for c in range(count):
        spot = surface.spots[c]
        kn, kt, ks, mixed = slopes(surface, c, coupled)
        n, g, h = spread(spot, NX), spread(spot, TX), spread(spot, SX)
        r = plus(r, dt * spot[NORMAL], n)
        r = plus(r, dt * surface.touch[FT, c], g)
        r = plus(r, dt * surface.touch[FN, c], h)
        a = add_square(a, n, dt * kn)
        a = add_square(a, g, dt * (kt - abs(mixed)))
        a = add_square(a, h, dt * (ks - abs(mixed)))
        if mixed != 0.0:
            a = add_square(a, plus(g, math.copysign(1.0, mixed), h), dt * abs(mixed))
    return a, r


@njit
def missing_momentum(chain, b, dt, gravity):
    """Momentum that the predicted twists lack: what there was and what gravity gives, less what they have."""
    s = momenta(chain, b)
    r = (-s[0], -s[1], -s[2], -s[3], -s[4], -s[5] - dt * chain.total * gravity)
    for i in range(b.shape[0]):
        r = plus(r, 1.0, (b[i, HA], b[i, HA + 1], b[i, HA + 2], b[i, HL], b[i, HL + 1], b[i, HL + 2]))
    return r


@kernel
def solve_shape(chain, surface, b, count, touching, dt, gravity, tolerance, acc):
    """Newton for the twist of link 0 with prescribed joint rates; twists and contact forces are left complete.

    `count` spots, of which the first `touching` are contacts and the others pins.
    """
    whole = body_inertia(chain, b)
    lack = missing_momentum(chain, b, dt, gravity)
    coupled = surface.kind == COUPLED
    x = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)  # twist of link 0 beyond the predicted one
    dx = x
    best, scale, change = np.inf, 1.0, 0.0
    it = 0
    for it in range(_NEWTON + _SECANT):
        secant = it >= _NEWTON
        push(chain, surface, count, touching, dt, secant, it < _FRESH)
        a, r = with_contacts(surface, count, dt, coupled, whole, plus(lack, -1.0, times(whole, x)))
        step = solve6(a, r)
        move(b, step, 1.0)
        change = slip(b, surface.spots, surface.touch, count)
        if not secant and change > _SHRINK * best and scale > _LEAST:
            # a worse place than the last: back to half of the way that led here
            scale *= 0.5
            dx = (0.5 * dx[0], 0.5 * dx[1], 0.5 * dx[2], 0.5 * dx[3], 0.5 * dx[4], 0.5 * dx[5])
            x = plus(x, -1.0, dx)
            move(b, plus(step, 1.0, dx), -1.0)
            slip(b, surface.spots, surface.touch, count)
            continue
        best, scale, dx = change, 1.0, step
        x = plus(x, 1.0, step)
        if change < tolerance:
            break
    acc[tally.ITERATIONS] += it + 1
    if not change < tolerance:
        acc[tally.UNCONVERGED] += 1.0
    settle(surface, count, coupled)


@njit
def move(b, step, f):
    """Add f times a twist to those of all links."""
    for i in range(b.shape[0]):
        for e in range(6):
            b[i, W + e] += f * step[e]


@njit
def drive(d, k, rate, dt):
    """Drive impulse T and damping D of axis k: servo, torque limit and joint damping at the end of the step."""
    damp = d[k, DAMP]
    if d[k, KP] < 0.0:  # a torque given
        d[k, T], d[k, D] = dt * d[k, AIM] * d[k, DRIVEN], dt * damp
        return
    kp, kd = d[k, KP] * d[k, DRIVEN], d[k, KD] * d[k, DRIVEN]
    steady = kp * (d[k, AIM] - d[k, Q0] - 0.5 * dt * d[k, QD0])
    slope = 0.5 * dt * kp + kd
    torque = steady - slope * rate
    if abs(torque) > d[k, LIMIT]:
        d[k, T], d[k, D] = dt * math.copysign(d[k, LIMIT], torque), dt * damp
    else:
        d[k, T], d[k, D] = dt * steady, dt * (slope + damp)


@njit
def assemble(chain, surface, b, count, dt, gravity, coupled):
    """Matrices A and right sides B of the links: inertia, momenta, gravity, contacts at their velocities."""
    for i in range(b.shape[0]):
        a = inertia_of(chain, b, i)
        for e in range(21):
            b[i, A + e] = a[e]
        f = -dt * chain.link[i, MASS] * gravity
        b[i, B], b[i, B + 1], b[i, B + 2] = b[i, HA] + b[i, PG + 1] * f, b[i, HA + 1] - b[i, PG] * f, b[i, HA + 2]
        b[i, B + 3], b[i, B + 4], b[i, B + 5] = b[i, HL], b[i, HL + 1], b[i, HL + 2] + f
    for c in range(count):
        spot, i = surface.spots[c], int(surface.spots[c, LINK])
        kn, kt, ks, mixed = slopes(surface, c, coupled)
        vn, vt, vs = spot[VNORMAL], surface.touch[VT, c], surface.touch[VN, c]
        add_spot(b, i, spread(spot, NX), dt * kn, dt * (spot[NORMAL] + kn * vn))
        g, h = spread(spot, TX), spread(spot, SX)
        add_spot(b, i, g, dt * (kt - abs(mixed)), dt * (surface.touch[FT, c] + kt * vt + mixed * vs))
        add_spot(b, i, h, dt * (ks - abs(mixed)), dt * (surface.touch[FN, c] + ks * vs + mixed * vt))
        if mixed != 0.0:
            add_spot(b, i, plus(g, math.copysign(1.0, mixed), h), dt * abs(mixed), 0.0)


@njit
def add_spot(b, i, g, slope, force):
    """Add slope g g' and force g of one axis of a spot to link i."""
    p0, p1, p2, p3, p4, p5 = slope * g[0], slope * g[1], slope * g[2], slope * g[3], slope * g[4], slope * g[5]
    b[i, A] += p0 * g[0]
    b[i, A + 1] += p0 * g[1]
    b[i, A + 2] += p0 * g[2]
    b[i, A + 3] += p1 * g[1]
    b[i, A + 4] += p1 * g[2]
    b[i, A + 5] += p2 * g[2]
    for e in range(3):
        b[i, A + 6 + e] += p0 * g[3 + e]
        b[i, A + 9 + e] += p1 * g[3 + e]
        b[i, A + 12 + e] += p2 * g[3 + e]
        b[i, A + 15 + e] += p3 * g[3 + e]
    b[i, A + 18] += p4 * g[4]
    b[i, A + 19] += p4 * g[5]
    b[i, A + 20] += p5 * g[5]
    for e in range(6):
        b[i, B + e] += force * g[e]


@njit
def drive_all(d, dt):
    """Drives of all axes at the rates tried, which are kept in QS; whether torque limits can act."""
    limited = False
    for k in range(d.shape[0]):
        drive(d, k, d[k, QT], dt)
        limited = limited or (d[k, KP] >= 0.0 and d[k, LIMIT] < _FREE)
        d[k, QS] = d[k, QT]
    return limited


@njit
def go_back(chain, surface, b, d, count, tried):
    """Half of the way from the last good iterate (WB, QB) to the one just evaluated (tried, QS)."""
    for e in range(6):
        b[0, W + e] = 0.5 * (tried[e] + b[0, WB + e])
    for k in range(d.shape[0]):
        d[k, QT] = 0.5 * (d[k, QS] + d[k, QB])
    spread_twists(chain, b, d, QT)
    slip(b, surface.spots, surface.touch, count)


@kernel
def solve_drive(chain, surface, b, d, count, touching, dt, gravity, tolerance, acc):
    """Newton for all velocities; twists, rates QT and contact forces are left complete."""
    coupled = surface.kind == COUPLED
    best, scale, change = np.inf, 1.0, 0.0
    for k in range(d.shape[0]):
        d[k, QT] = d[k, QP]
    it = 0
    for it in range(_NEWTON + _SECANT):
        secant = it >= _NEWTON
        push(chain, surface, count, touching, dt, secant, it < _FRESH)
        assemble(chain, surface, b, count, dt, gravity, coupled)
        limited = drive_all(d, dt)
        tried = (b[0, W], b[0, W + 1], b[0, W + 2], b[0, V], b[0, V + 1], b[0, V + 2])
        solve_chain(chain, b, d, QT)
        change = slip(b, surface.spots, surface.touch, count)
        if limited:
            for k in range(d.shape[0]):
                change = max(change, _ARM * abs(d[k, QT] - d[k, QS]))
        if not secant and change > _SHRINK * best and scale > _LEAST:
            scale *= 0.5
            go_back(chain, surface, b, d, count, tried)
            continue
        best, scale = change, 1.0
        if change < tolerance:
            break
        # the evaluated iterate becomes the place to come back to
        for e in range(6):
            b[0, WB + e] = tried[e]
        for k in range(d.shape[0]):
            d[k, QB] = d[k, QS]
    acc[tally.ITERATIONS] += it + 1
    if not change < tolerance:
        acc[tally.UNCONVERGED] += 1.0
    settle(surface, count, coupled)
