"""Planar dynamics of a chain in O(n): inertia, reactions, and accelerations by recursion.

The corrected equations (2), (3), (10)-(12) of paper 002, without its matrices. All positions are relative to the
centre of gravity of the body (see `kinematics.planar`).

Reactions. With p_k the rate of change of link k's momentum, m_k that of its angular momentum and f_k the contact
force, the force and torque of joint i are sums over the links beyond it:

    F_i = sum_{k>=i} (p_k - f_k)        tau_i = sum_{k>=i} (m_k - x_k x f_k) - x_i x F_i

Recursion. Each link obeys A_i (u_i, w_i) = b_i + (F_i, N_i) - (what the outer links need), u_i the unknown of its
tail-side joint (acceleration or velocity), w_i that of its rotation, N_i = T_i - D_i (w_i - w_{i-1}) the joint's
torque, and u_{i+1} = u_i + l_i n_i w_i (for accelerations less the centripetal l_i w_i^2 t_i). From the head
inwards w_i is eliminated; what is left of the outer links is a symmetric 3 x 3 matrix in (u_i, w_{i-1}).
`solve_chain` gives implicit velocities (A the inertia with the slopes of the friction added, D the damping times
the step), `torque_acceleration` the accelerations.
"""

from __future__ import annotations

import numpy as np

from serpenoid.compiled import njit
from serpenoid.planar.kinematics import (
    BEND,
    FX,
    FY,
    JX,
    JY,
    PM,
    PX,
    PY,
    RATE,
    TAU,
    WX,
    WY,
    XC,
    XG,
    XJ,
    YC,
    YG,
    YJ,
    C,
    S,
)


@njit
def inertia_and_spin(chain, b):
    """Moment of inertia about the centre of gravity, and angular momentum of the change of shape alone."""
    inertia, spin = 0.0, 0.0
    for i in range(b.shape[1]):
        inertia += chain.mass[i] * (b[XG, i] * b[XG, i] + b[YG, i] * b[YG, i]) + chain.inertia[i]
    for i in range(b.shape[1]):
        spin += chain.mass[i] * (b[XG, i] * b[WY, i] - b[YG, i] * b[WX, i]) + chain.inertia[i] * b[RATE, i]
    return inertia, spin


@njit
def kinetic_energy(chain, b, vx, vy):
    """Kinetic energy of a body whose link velocities wx, wy and rates are complete, moving at (vx, vy)."""
    energy = 0.5 * chain.total * (vx * vx + vy * vy)
    for i in range(b.shape[1]):
        energy += 0.5 * chain.mass[i] * (b[WX, i] * b[WX, i] + b[WY, i] * b[WY, i])
        energy += 0.5 * chain.inertia[i] * b[RATE, i] * b[RATE, i]
    return energy


@njit
def reactions(b):
    """Joint forces and torques from the rates of momentum px, py, pm and the contact forces fx, fy."""
    fx, fy, moment = 0.0, 0.0, 0.0
    for k in range(b.shape[1]):
        i = b.shape[1] - 1 - k
        fx += b[PX, i] - b[FX, i]
        fy += b[PY, i] - b[FY, i]
        moment += b[PM, i] - (b[XC, i] * b[FY, i] - b[YC, i] * b[FX, i])
        b[JX, i] = fx
        b[JY, i] = fy
        b[TAU, i] = moment - (b[XJ, i] * fy - b[YJ, i] * fx)


@njit
def shape_acceleration(chain, b, inertia, vx, vy, turn):
    """Prescribed shape: acceleration of the centre of gravity and of the body's rotation; fills px, py, pm.

    Axes turn with the body at `turn`; rate, bend are those of the headings in these axes; fx, fy are set.
    """
    n = b.shape[1]
    x, y = 0.0, 0.0
    for i in range(n):
        x += chain.lever[i] * (b[S, i] * b[BEND, i] + b[C, i] * b[RATE, i] ** 2)
        y -= chain.lever[i] * (b[C, i] * b[BEND, i] - b[S, i] * b[RATE, i] ** 2)
    x, y = x / chain.total, y / chain.total
    ax, ay, torque, spin = 0.0, 0.0, 0.0, 0.0
    for i in range(n):
        gx = x - chain.com[i] * (b[S, i] * b[BEND, i] + b[C, i] * b[RATE, i] ** 2)
        gy = y + chain.com[i] * (b[C, i] * b[BEND, i] - b[S, i] * b[RATE, i] ** 2)
        x -= chain.length[i] * (b[S, i] * b[BEND, i] + b[C, i] * b[RATE, i] ** 2)
        y += chain.length[i] * (b[C, i] * b[BEND, i] - b[S, i] * b[RATE, i] ** 2)
        b[PX, i] = chain.mass[i] * (gx - 2.0 * turn * b[WY, i] - turn * turn * b[XG, i])
        b[PY, i] = chain.mass[i] * (gy + 2.0 * turn * b[WX, i] - turn * turn * b[YG, i])
        spin += b[XG, i] * b[PY, i] - b[YG, i] * b[PX, i] + chain.inertia[i] * b[BEND, i]
        torque += b[XC, i] * b[FY, i] - b[YC, i] * b[FX, i]
        ax += b[FX, i]
        ay += b[FY, i]
    ax, ay, alpha = ax / chain.total, ay / chain.total, (torque - spin) / inertia
    for i in range(n):
        b[PX, i] += chain.mass[i] * (ax - alpha * b[YG, i])
        b[PY, i] += chain.mass[i] * (ay + alpha * b[XG, i])
        b[PM, i] = b[XG, i] * b[PY, i] - b[YG, i] * b[PX, i] + chain.inertia[i] * (b[BEND, i] + alpha)
    return ax, ay, alpha


@njit
def solve3(a00, a01, a02, a11, a12, a22, b0, b1, b2):
    """Solve a symmetric positive definite 3 x 3 system by elimination of the last unknown first."""
    r = 1.0 / a22
    e0, e1 = a02 * r, a12 * r
    s00, s01, s11 = a00 - a02 * e0, a01 - a02 * e1, a11 - a12 * e1
    c0, c1 = b0 - a02 * b2 * r, b1 - a12 * b2 * r
    d = 1.0 / (s00 * s11 - s01 * s01)
    x0, x1 = (s11 * c0 - s01 * c1) * d, (s00 * c1 - s01 * c0) * d
    return x0, x1, b2 * r - e0 * x0 - e1 * x1


@njit
def solve_chain(chain, b, A, B, T, D, E, row):
    """Solve the chain by recursion; fills b[row] (the w_i) and returns u_0.

    A (6, n): symmetric link matrices 00, 01, 11, 02, 12, 22; B (3, n): right sides; T, D (n): drive and damping of
    the joint; E (4, n): working space.
    """
    n = b.shape[1]
    s00, s01, s11, s02, s12, s22 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    c0, c1, c2 = 0.0, 0.0, 0.0
    x0, x1, w = 0.0, 0.0, 0.0
    for k in range(n):
        i = n - 1 - k
        # the outer links, moved to this link's own joint
        p0, p1 = -chain.length[i] * b[S, i], chain.length[i] * b[C, i]
        q0, q1 = s00 * p0 + s01 * p1 + s02, s01 * p0 + s11 * p1 + s12
        a00, a01, a11 = A[0, i] + s00, A[1, i] + s01, A[2, i] + s11
        a02, a12 = A[3, i] + q0, A[4, i] + q1
        a22 = A[5, i] + p0 * q0 + p1 * q1 + s02 * p0 + s12 * p1 + s22
        b0, b1, b2 = B[0, i] + c0, B[1, i] + c1, B[2, i] + p0 * c0 + p1 * c1 + c2
        if i == 0:
            x0, x1, w = solve3(a00, a01, a02, a11, a12, a22, b0, b1, b2)
            break
        # this link's rotation, eliminated
        r = 1.0 / (a22 + D[i])
        e0, e1, e2, er = a02 * r, a12 * r, D[i] * r, (b2 + T[i]) * r
        E[0, i], E[1, i], E[2, i], E[3, i] = e0, e1, e2, er
        s00, s01, s11 = a00 - a02 * e0, a01 - a02 * e1, a11 - a12 * e1
        s02, s12, s22 = a02 * e2, a12 * e2, D[i] * (1.0 - e2)
        c0, c1, c2 = b0 - a02 * er, b1 - a12 * er, D[i] * er - T[i]
    b[row, 0] = w
    y0, y1 = x0, x1
    for i in range(1, n):
        y0 -= chain.length[i - 1] * b[S, i - 1] * w
        y1 += chain.length[i - 1] * b[C, i - 1] * w
        w = E[3, i] - E[0, i] * y0 - E[1, i] * y1 + E[2, i] * w
        b[row, i] = w
    return x0, x1


@njit
def torque_acceleration(chain, b, E):
    """Given joint torques: fills `bend` (angular accelerations) and returns the tail's acceleration.

    Headings, rates, contact forces and drive torques of `b` are set, in world axes. The recursion of `solve_chain`
    for D = 0, where what is left of the outer links is 2 x 2, with the links' terms built on the way: half the
    time. E (4, n): working space.
    """
    n = b.shape[1]
    s00, s01, s11, c0, c1, torque = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    x0, x1, w = 0.0, 0.0, 0.0
    for k in range(n):
        i = n - 1 - k
        m, g, l, c, s = chain.mass[i], chain.com[i], chain.length[i], b[C, i], b[S, i]
        square = b[RATE, i] * b[RATE, i]
        # the outer links, moved to this link's own joint
        p0, p1 = -l * s, l * c
        q0, q1 = s00 * p0 + s01 * p1, s01 * p0 + s11 * p1
        d0 = c0 + l * square * (s00 * c + s01 * s)
        d1 = c1 + l * square * (s01 * c + s11 * s)
        a00, a11 = m + s00, m + s11
        a02, a12 = q0 - m * g * s, q1 + m * g * c
        a22 = m * g * g + chain.inertia[i] + p0 * q0 + p1 * q1
        b0 = b[FX, i] + m * g * square * c + d0
        b1 = b[FY, i] + m * g * square * s + d1
        b2 = chain.contact[i] * (c * b[FY, i] - s * b[FX, i]) + p0 * d0 + p1 * d1 - torque
        if i == 0:
            x0, x1, w = solve3(a00, s01, a02, a11, a12, a22, b0, b1, b2)
            break
        # this link's rotation, eliminated
        torque = b[TAU, i] - chain.damping[i] * (b[RATE, i] - b[RATE, i - 1])
        r = 1.0 / a22
        e0, e1, er = a02 * r, a12 * r, (b2 + torque) * r
        E[0, i], E[1, i], E[3, i] = e0, e1, er
        s00, s01, s11 = a00 - a02 * e0, s01 - a02 * e1, a11 - a12 * e1
        c0, c1 = b0 - a02 * er, b1 - a12 * er
    b[BEND, 0] = w
    y0, y1 = x0, x1
    for i in range(1, n):
        l, square = chain.length[i - 1], b[RATE, i - 1] * b[RATE, i - 1]
        y0 -= l * (b[S, i - 1] * w + square * b[C, i - 1])
        y1 += l * (b[C, i - 1] * w - square * b[S, i - 1])
        w = E[3, i] - E[0, i] * y0 - E[1, i] * y1
        b[BEND, i] = w
    return x0, x1


def chain_space(links: int) -> tuple[np.ndarray, ...]:
    """Working space of `solve_chain`: A, B, T, D, E."""
    return (
        np.zeros((6, links)),
        np.zeros((3, links)),
        np.zeros(links),
        np.zeros(links),
        np.zeros((4, links)),
    )
