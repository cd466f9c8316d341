"""Torque to motion by backward Euler in momentum form: joint torques in, implicit friction and damping, O(n).

State: centre of gravity p and its velocity V, headings and angular velocities of all links, world axes. Each link
keeps its momentum from the last step; the step solves, with the geometry at its end,

    m_i (v_i' - v_i) = h (f_i + F_i - F_{i+1})
    I_i (w_i' - w_i) + d_i = h (moments about the centre of gravity of the link + tau_i - tau_{i+1})

d_i = (x_i' - x_i) x m_i (v_i - V) makes the sum of the second line the exact balance of angular momentum. Every
pass linearises the friction, f = f* - K (v - v*), and runs the recursion `solve_chain`, in which K only adds to the
links' inertia; geometry and friction converge together. Momentum and angular momentum are kept to rounding where no
force acts. Order 1.
"""

from __future__ import annotations

import math

import numpy as np

from serpenoid import contact
from serpenoid.compiled import kernel, njit
from serpenoid.contact import sums as tally
from serpenoid.contact.touch import FN, FT, KNN, KNT, KTN, KTT, VN, VT, XW, YW
from serpenoid.frames import sincos
from serpenoid.gaits.drives import torques
from serpenoid.planar import account
from serpenoid.planar.dynamics import kinetic_energy, reactions, solve_chain
from serpenoid.planar.kinematics import (
    ANGLE,
    ANGLE0,
    DTURN,
    RATE,
    SPIN0,
    TAU,
    TURN0,
    TX,
    TY,
    VN0,
    VT0,
    WX,
    WX0,
    WY,
    WY0,
    XC,
    XG,
    XG0,
    YC,
    YG,
    YG0,
    C,
    S,
    face_ground,
    place,
    slip,
    spread_forces,
)  # fmt: skip
from serpenoid.planar.shape_step import DVX, DVY, PSI, TURN, VX, VY, X, Y

_PASSES = 40
_SECANT_FROM = 32


@njit
def remember(chain, b):
    """Keep this end of the step as the start of the next."""
    for i in range(b.shape[1]):
        b[ANGLE0, i] = b[ANGLE, i]
        b[XG0, i] = b[XG, i]
        b[YG0, i] = b[YG, i]


@kernel
def begin(chain, b, q, acc):
    """Set the memory of the step for the headings and rates in b and the velocity of the centre of gravity in q."""
    sincos(b, ANGLE, C, S)
    place(chain, b)
    for i in range(b.shape[1]):
        b[WX0, i] = b[WX, i]
        b[WY0, i] = b[WY, i]
        b[TURN0, i] = b[RATE, i]
        b[SPIN0, i] = chain.mass[i] * (b[XG, i] * b[WY, i] - b[YG, i] * b[WX, i])
    remember(chain, b)
    acc[tally.KINETIC] = kinetic_energy(chain, b, q[VX], q[VY])
    acc[tally.KINETIC_START] = acc[tally.KINETIC]


@njit
def build(chain, b, touch, q, dt, A, B):
    """Link matrices and right sides of the step, friction linearised about the velocities in `touch`."""
    for i in range(b.shape[1]):
        m, g, l = chain.mass[i], chain.com[i], chain.contact[i]
        c, s, tx, ty = b[C, i], b[S, i], b[TX, i], b[TY, i]
        # inertia and old momentum
        px, py = m * (b[WX0, i] + q[VX]), m * (b[WY0, i] + q[VY])
        finite = m * ((b[XG, i] - b[XG0, i]) * b[WY0, i] - (b[YG, i] - b[YG0, i]) * b[WX0, i])
        # friction: matrix K in world axes, and the impulse that it has at rest
        kt, kn, kc = dt * touch[KTT, i], dt * touch[KNN, i], 0.5 * dt * (touch[KTN, i] + touch[KNT, i])
        kxx = kt * tx * tx + kn * ty * ty - 2.0 * kc * tx * ty
        kxy = (kt - kn) * tx * ty + kc * (tx * tx - ty * ty)
        kyy = kt * ty * ty + kn * tx * tx + 2.0 * kc * tx * ty
        it = dt * touch[FT, i] + kt * touch[VT, i] + kc * touch[VN, i]
        jn = dt * touch[FN, i] + kn * touch[VN, i] + kc * touch[VT, i]
        ix, iy = it * tx - jn * ty, it * ty + jn * tx
        hx, hy = kxy * c - kxx * s, kyy * c - kxy * s
        A[0, i] = m + kxx
        A[1, i] = kxy
        A[2, i] = m + kyy
        A[3, i] = l * hx - m * g * s
        A[4, i] = l * hy + m * g * c
        A[5, i] = m * g * g + chain.inertia[i] + l * l * (hy * c - hx * s)
        B[0, i] = px + ix
        B[1, i] = py + iy
        B[2, i] = g * (c * py - s * px) + chain.inertia[i] * b[TURN0, i] - finite + l * (c * iy - s * ix)


@njit
def centre_velocity(chain, b, ux, uy):
    """Velocity of the centre of gravity of a chain whose tail moves at (ux, uy) with the rates in b."""
    x, y = 0.0, 0.0
    for i in range(b.shape[1]):
        x -= chain.lever[i] * b[S, i] * b[RATE, i]
        y += chain.lever[i] * b[C, i] * b[RATE, i]
    return ux + x / chain.total, uy + y / chain.total


@njit
def settle_contacts(chain, b, touch, vx, vy):
    """Contact velocities at the solution, and the linearised forces there."""
    face_ground(chain, b)
    for i in range(b.shape[1]):
        tx, ty = b[TX, i], b[TY, i]
        et = vx * tx + vy * ty + b[VT0, i] - touch[VT, i]
        en = vy * tx - vx * ty + b[VN0, i] - touch[VN, i]
        kc = 0.5 * (touch[KTN, i] + touch[KNT, i])
        touch[VT, i] += et
        touch[VN, i] += en
        touch[FT, i] -= touch[KTT, i] * et + kc * en
        touch[FN, i] -= touch[KNN, i] * en + kc * et


@njit
def solve_motion(chain, law, b, touch, q, space, dt, tolerance, acc):
    """Passes of the recursion until the velocities settle; returns the velocity of the centre of gravity."""
    A, B, T, D, E = space
    n = b.shape[1]
    vx, vy = q[VX] + q[DVX], q[VY] + q[DVY]
    for i in range(n):
        b[RATE, i] = b[TURN0, i] + b[DTURN, i]
    last, damp = np.inf, 1.0
    it = 0
    for it in range(_PASSES):
        # geometry and friction of the current guess
        for i in range(n):
            b[ANGLE, i] = b[ANGLE0, i] + dt * b[RATE, i]
        sincos(b, ANGLE, C, S)
        place(chain, b)
        face_ground(chain, b)
        if it == 0 and law.patches.shape[0] > 0:
            for i in range(n):
                touch[XW, i] = q[X] + dt * vx + b[XC, i]
                touch[YW, i] = q[Y] + dt * vy + b[YC, i]
            contact.stand(law.patches, law.plain, law.scale, touch, law.limits)
        slip(b, touch, vx, vy, 0.0)
        secant = it >= _SECANT_FROM
        contact.evaluate(law.kind, law.scalars, law.limits, law.memory, dt, secant, touch)
        build(chain, b, touch, q, dt, A, B)
        # the solution, and how far it is from the guess
        ux, uy = solve_chain(chain, b, A, B, T, D, E, TAU)
        change = 0.0
        for i in range(n):
            change = max(change, chain.length[i] * abs(b[TAU, i] - b[RATE, i]))
            b[RATE, i] += damp * (b[TAU, i] - b[RATE, i])
        nx, ny = centre_velocity(chain, b, ux, uy)
        change = max(change, math.sqrt((nx - vx) ** 2 + (ny - vy) ** 2))
        if not math.isfinite(change):
            return np.nan, np.nan
        if damp == 1.0 and change < tolerance:
            vx, vy = nx, ny
            break
        vx, vy = vx + damp * (nx - vx), vy + damp * (ny - vy)
        damp = 0.5 if change > 0.7 * last and it < _PASSES - 2 else 1.0
        last = change
    acc[tally.ITERATIONS] += it + 1
    if it >= _SECANT_FROM:
        acc[tally.UNCONVERGED] += 1.0
    return vx, vy


@njit
def step(chain, drive, law, b, touch, q, acc, space, t, dt, tolerance):
    """Advance to time t = end of the step; False if a number is not finite."""
    n = b.shape[1]
    # drives and damping as impulses of the step
    torques(drive.kind, drive.par, drive.tab, t, b, TAU)
    for i in range(n):
        space[2][i] = dt * b[TAU, i]
        space[3][i] = dt * chain.damping[i]
    vx, vy = solve_motion(chain, law, b, touch, q, space, dt, tolerance, acc)
    if not math.isfinite(vx + vy):
        return False
    # the solution: velocities at the geometry of the last pass
    place(chain, b)
    settle_contacts(chain, b, touch, vx, vy)
    dvx, dvy = vx - q[VX], vy - q[VY]
    q[X] += dt * vx
    q[Y] += dt * vy
    q[DVX], q[DVY], q[VX], q[VY] = dvx, dvy, vx, vy
    q[PSI], q[TURN] = 0.0, 0.0
    for i in range(n):
        q[PSI] += b[ANGLE, i] / n
        q[TURN] += b[RATE, i] / n
        b[DTURN, i] = b[RATE, i] - b[TURN0, i]
    # forces in the joints, and the account
    spread_forces(b, touch)
    relative = account.momentum_rates(chain, b, dvx, dvy, 1.0, 0.0, dt, acc)
    acc[tally.KINETIC] = relative + 0.5 * chain.total * (vx * vx + vy * vy)
    reactions(b)
    account.count_contacts(touch, dt, acc)
    account.count_joints(chain, b, dt, t, acc)
    account.watch_joints(b, acc)
    acc[tally.STORED] = contact.advance(law.kind, law.scalars, law.limits, law.memory, dt, touch)
    remember(chain, b)
    return math.isfinite(acc[tally.KINETIC]) and math.isfinite(acc[tally.TORQUE_SQ])
