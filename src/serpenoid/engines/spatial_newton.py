"""The velocities at the end of a step in space: Newton over contacts, joints and the whole body.

Prescribed joints leave 6 unknowns, the twist of link 0 (`solve_shape`); driven ones are solved by the recursion of
`dynamics.spatial` (`solve_drive`). Contacts enter by their slopes. Newton is damped by halving while the corrections of the
contact velocities grow (the natural test of Deuflhard), and falls back on the secant -f/v, which always dissipates; such
steps are counted. The last correction's forces are linearised, so that they balance the momenta exactly.
"""

from __future__ import annotations

import math

import numpy as np

from serpenoid.compiled import kernel, njit
from serpenoid.contact import COUPLED
from serpenoid.contact.spots import LINK, NORMAL, NX, SX, TX, VNORMAL
from serpenoid.contact.touch import FN, FT, VN, VT
from serpenoid.dynamics.spatial import add_square, body_inertia, inertia_of, momenta, solve6, solve_chain, times
from serpenoid.engines import tally
from serpenoid.engines.spatial_contact import push, settle, slopes, spread
from serpenoid.kinematics.spatial import (
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
    QT,
    WB,
    A,
    B,
    D,
    Q,
    T,
    V,
    W,
    spread_twists,
)  # fmt: skip
from serpenoid.kinematics.touching import slip

_NEWTON, _SECANT = 25, 12


@kernel
def solve_shape(chain, terrain, surface, b, q, count, dt, gravity, tolerance, acc):
    """Newton for the twist of link 0 with prescribed joint rates; twists and contact forces are left complete."""
    whole = body_inertia(chain, b)
    s = momenta(chain, b)  # of the predicted twists
    n = b.shape[0]
    r0, r1, r2, r3, r4, r5 = -s[0], -s[1], -s[2], -s[3], -s[4], -s[5] - dt * chain.total * gravity
    for i in range(n):
        r0, r1, r2 = r0 + b[i, HA], r1 + b[i, HA + 1], r2 + b[i, HA + 2]
        r3, r4, r5 = r3 + b[i, HL], r4 + b[i, HL + 1], r5 + b[i, HL + 2]
    coupled = surface.kind == COUPLED
    x = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)  # twist of link 0 beyond the predicted one
    dx = x
    best, scale = np.inf, 1.0
    it = 0
    for it in range(_NEWTON + _SECANT):
        secant = it >= _NEWTON
        push(chain, terrain, surface, count, dt, secant)
        a = whole
        y = times(whole, x)
        e0, e1, e2, e3, e4, e5 = r0 - y[0], r1 - y[1], r2 - y[2], r3 - y[3], r4 - y[4], r5 - y[5]
        for c in range(count):
            spot = surface.spots[c]
            kn, kt, ks, mixed = slopes(surface, c, coupled)
            g = spread(spot, NX)
            f = dt * spot[NORMAL]
            e0, e1, e2, e3, e4, e5 = (
                e0 + f * g[0],
                e1 + f * g[1],
                e2 + f * g[2],
                e3 + f * g[3],
                e4 + f * g[4],
                e5 + f * g[5],
            )
            a = add_square(a, g, dt * kn)
            g = spread(spot, TX)
            f = dt * surface.touch[FT, c]
            e0, e1, e2, e3, e4, e5 = (
                e0 + f * g[0],
                e1 + f * g[1],
                e2 + f * g[2],
                e3 + f * g[3],
                e4 + f * g[4],
                e5 + f * g[5],
            )
            a = add_square(a, g, dt * (kt - abs(mixed)))
            h = spread(spot, SX)
            f = dt * surface.touch[FN, c]
            e0, e1, e2, e3, e4, e5 = (
                e0 + f * h[0],
                e1 + f * h[1],
                e2 + f * h[2],
                e3 + f * h[3],
                e4 + f * h[4],
                e5 + f * h[5],
            )
            a = add_square(a, h, dt * (ks - abs(mixed)))
            if mixed != 0.0:
                m = math.copysign(1.0, mixed)
                z = (
                    g[0] + m * h[0],
                    g[1] + m * h[1],
                    g[2] + m * h[2],
                    g[3] + m * h[3],
                    g[4] + m * h[4],
                    g[5] + m * h[5],
                )
                a = add_square(a, z, dt * abs(mixed))
        step = solve6(a, (e0, e1, e2, e3, e4, e5))
        change = move(b, step)
        if count > 0:
            change = slip(b, surface.spots, surface.touch, count)
        if not secant and change > best and scale > 0.02:
            # a worse place than the last: back to half of the way that led here
            scale *= 0.5
            dx = (0.5 * dx[0], 0.5 * dx[1], 0.5 * dx[2], 0.5 * dx[3], 0.5 * dx[4], 0.5 * dx[5])
            x = (x[0] - dx[0], x[1] - dx[1], x[2] - dx[2], x[3] - dx[3], x[4] - dx[4], x[5] - dx[5])
            move(
                b,
                (
                    -step[0] - dx[0],
                    -step[1] - dx[1],
                    -step[2] - dx[2],
                    -step[3] - dx[3],
                    -step[4] - dx[4],
                    -step[5] - dx[5],
                ),
            )
            slip(b, surface.spots, surface.touch, count)
            continue
        best, scale, dx = change, 1.0, step
        x = (x[0] + step[0], x[1] + step[1], x[2] + step[2], x[3] + step[3], x[4] + step[4], x[5] + step[5])
        if count == 0 or change < tolerance:
            break
    acc[tally.ITERATIONS] += it + 1
    if it >= _NEWTON:
        acc[tally.UNCONVERGED] += 1.0
    settle(surface, count, coupled)


@njit
def move(b, step):
    """Add a twist to those of all links; returns its size."""
    for i in range(b.shape[0]):
        for e in range(6):
            b[i, W + e] += step[e]
    return abs(step[3]) + abs(step[4]) + abs(step[5])


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
            m = math.copysign(1.0, mixed)
            z = (g[0] + m * h[0], g[1] + m * h[1], g[2] + m * h[2], g[3] + m * h[3], g[4] + m * h[4], g[5] + m * h[5])
            add_spot(b, i, z, dt * abs(mixed), 0.0)


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
def keep_iterate(b, d):
    """Keep the twist of link 0 and the rates at which the contacts are evaluated."""
    for e in range(6):
        b[0, WB + e] = b[0, W + e]
    for k in range(d.shape[0]):
        d[k, QB] = d[k, QT]


@kernel
def solve_drive(chain, terrain, surface, b, d, count, dt, gravity, tolerance, acc):
    """Newton for all velocities; twists, rates QT and contact forces are left complete."""
    coupled = surface.kind == COUPLED
    best, scale = np.inf, 1.0
    for k in range(d.shape[0]):
        d[k, QT] = d[k, QP]
    it = 0
    limited = True
    keep_iterate(b, d)
    for it in range(_NEWTON + _SECANT):
        secant = it >= _NEWTON
        push(chain, terrain, surface, count, dt, secant)
        assemble(chain, surface, b, count, dt, gravity, coupled)
        limited = False
        for k in range(d.shape[0]):
            drive(d, k, d[k, QT], dt)
            limited = limited or (d[k, KP] >= 0.0 and d[k, LIMIT] < 1e299)
        tried = (b[0, W], b[0, W + 1], b[0, W + 2], b[0, V], b[0, V + 1], b[0, V + 2])
        for k in range(d.shape[0]):
            d[k, Q] = d[k, QT]  # the iterate's rates, while the angles are not needed
        solve_chain(chain, b, d, QT)
        change = slip(b, surface.spots, surface.touch, count)
        if limited:
            for k in range(d.shape[0]):
                change = max(change, 0.1 * abs(d[k, QT] - d[k, Q]))
        if not secant and change > best and scale > 0.02:
            # a worse place than the last: half of the way that led here
            scale *= 0.5
            for e in range(6):
                b[0, W + e] = 0.5 * (tried[e] + b[0, WB + e])
            for k in range(d.shape[0]):
                d[k, QT] = 0.5 * (d[k, Q] + d[k, QB])
            spread_twists(chain, b, d, QT)
            slip(b, surface.spots, surface.touch, count)
            continue
        best, scale = change, 1.0
        if (count == 0 and not limited) or change < tolerance:
            break
        # the evaluated iterate becomes the place to come back to
        for e in range(6):
            b[0, WB + e] = tried[e]
        for k in range(d.shape[0]):
            d[k, QB] = d[k, Q]
    acc[tally.ITERATIONS] += it + 1
    if it >= _NEWTON:
        acc[tally.UNCONVERGED] += 1.0
    settle(surface, count, coupled)
