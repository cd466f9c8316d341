"""Planar dynamics of a chain in O(n): inertia, reactions, and accelerations by recursion.

The corrected equations (2), (3), (10)-(12) of Ma, Li and Wang (2001), without its matrices. All positions are relative to the
centre of gravity of the body (see `planar.kinematics`).

Reactions. With p_k the rate of change of link k's momentum, m_k that of its angular momentum and f_k the contact
force, the force and torque of joint i are sums over the links beyond it:

    F_i = sum_{k>=i} (p_k - f_k)        tau_i = sum_{k>=i} (m_k - x_k x f_k) - x_i x F_i

(of several contact points of a link: f_k their sum, and x_k x f_k the sum of their moments, kept about the tail-side joint in FM).

Recursion. Each link obeys A_i (u_i, w_i) = b_i + (F_i, N_i) - (what the outer links need), u_i the unknown of its
tail-side joint (acceleration or velocity), w_i that of its rotation, N_i = T_i - D_i (w_i - w_{i-1}) the joint's
torque, and u_{i+1} = u_i + l_i n_i w_i (for accelerations less the centripetal l_i w_i^2 t_i). From the head
inwards w_i is eliminated; what is left of the outer links is a symmetric 3 x 3 matrix in (u_i, w_{i-1}). A joint whose rate r is
prescribed (0: locked) is the limit D to infinity with T = D r: w_i = w_{i-1} + r is put in instead of eliminated.
`solve_chain` gives implicit velocities (A the inertia with the slopes of the friction added, D the damping times
the step), `torque_acceleration` the accelerations.
"""

from __future__ import annotations

from serpenoid.compiled import njit
from serpenoid.contact.joint import JOINT_DAMPING
from serpenoid.planar.layout import (
    BEND,
    COM,
    DRIVEN_BY,
    FM,
    FX,
    FY,
    INERTIA,
    JX,
    JY,
    LENGTH,
    LEVER,
    MASS,
    PM,
    PX,
    PY,
    RATE,
    TAU,
    TOTAL,
    WX,
    WY,
    XG,
    XJ,
    YG,
    YJ,
    A,
    B,
    C,
    D,
    E,
    R,
    S,
    T,
)  # fmt: skip


@njit
def inertia_and_spin(links, b):
    """Moment of inertia about the centre of gravity, and angular momentum of the change of shape alone."""
    inertia, spin = 0.0, 0.0
    for i in range(b.shape[1]):
        inertia += links[MASS, i] * (b[XG, i] * b[XG, i] + b[YG, i] * b[YG, i]) + links[INERTIA, i]
    for i in range(b.shape[1]):
        spin += links[MASS, i] * (b[XG, i] * b[WY, i] - b[YG, i] * b[WX, i]) + links[INERTIA, i] * b[RATE, i]
    return inertia, spin


@njit
def kinetic_energy(constants, b, vx, vy):
    """Kinetic energy of a body whose link velocities wx, wy and rates are complete, moving at (vx, vy)."""
    links, total = constants.links, constants.numbers[TOTAL]
    energy = 0.5 * total * (vx * vx + vy * vy)
    for i in range(b.shape[1]):
        energy += 0.5 * links[MASS, i] * (b[WX, i] * b[WX, i] + b[WY, i] * b[WY, i])
        energy += 0.5 * links[INERTIA, i] * b[RATE, i] * b[RATE, i]
    return energy


@njit
def reactions(b):
    """Joint forces and torques from the rates of momentum px, py, pm and the contact forces fx, fy with their moments fm."""
    load_inner(b, 0.0, 0.0, 0.0)


@njit
def load_inner(b, fx, fy, moment):
    """The same of links beyond which force and moment (about the body's centre of gravity) are these; returns those at their inner end."""
    for k in range(b.shape[1]):
        i = b.shape[1] - 1 - k
        fx += b[PX, i] - b[FX, i]
        fy += b[PY, i] - b[FY, i]
        moment += b[PM, i] - (b[XJ, i] * b[FY, i] - b[YJ, i] * b[FX, i] + b[FM, i])
        b[JX, i] = fx
        b[JY, i] = fy
        b[TAU, i] = moment - (b[XJ, i] * fy - b[YJ, i] * fx)
    return fx, fy, moment


@njit
def shape_acceleration(constants, b, inertia, turn):
    """Prescribed shape: acceleration of the centre of gravity and of the body's rotation; fills px, py, pm.

    Axes turn with the body at `turn`; rate, bend are those of the headings in these axes; fx, fy, fm are set.
    """
    n, links, total = b.shape[1], constants.links, constants.numbers[TOTAL]
    x, y = 0.0, 0.0
    for i in range(n):
        x += links[LEVER, i] * (b[S, i] * b[BEND, i] + b[C, i] * b[RATE, i] ** 2)
        y -= links[LEVER, i] * (b[C, i] * b[BEND, i] - b[S, i] * b[RATE, i] ** 2)
    x, y = x / total, y / total
    ax, ay, torque, spin = 0.0, 0.0, 0.0, 0.0
    for i in range(n):
        gx = x - links[COM, i] * (b[S, i] * b[BEND, i] + b[C, i] * b[RATE, i] ** 2)
        gy = y + links[COM, i] * (b[C, i] * b[BEND, i] - b[S, i] * b[RATE, i] ** 2)
        x -= links[LENGTH, i] * (b[S, i] * b[BEND, i] + b[C, i] * b[RATE, i] ** 2)
        y += links[LENGTH, i] * (b[C, i] * b[BEND, i] - b[S, i] * b[RATE, i] ** 2)
        b[PX, i] = links[MASS, i] * (gx - 2.0 * turn * b[WY, i] - turn * turn * b[XG, i])
        b[PY, i] = links[MASS, i] * (gy + 2.0 * turn * b[WX, i] - turn * turn * b[YG, i])
        spin += b[XG, i] * b[PY, i] - b[YG, i] * b[PX, i] + links[INERTIA, i] * b[BEND, i]
        torque += b[XJ, i] * b[FY, i] - b[YJ, i] * b[FX, i] + b[FM, i]
        ax += b[FX, i]
        ay += b[FY, i]
    ax, ay, alpha = ax / total, ay / total, (torque - spin) / inertia
    for i in range(n):
        b[PX, i] += links[MASS, i] * (ax - alpha * b[YG, i])
        b[PY, i] += links[MASS, i] * (ay + alpha * b[XG, i])
        b[PM, i] = b[XG, i] * b[PY, i] - b[YG, i] * b[PX, i] + links[INERTIA, i] * (b[BEND, i] + alpha)
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
def with_outer(links, b, m, i, outer):
    """Matrix and right side of link i with what is left of the outer links, moved to its own joint: a00, a01, a11, a02, a12, a22, b0, b1, b2."""
    s00, s01, s11, s02, s12, s22, c0, c1, c2 = outer
    p0, p1 = -links[LENGTH, i] * b[S, i], links[LENGTH, i] * b[C, i]
    q0, q1 = s00 * p0 + s01 * p1 + s02, s01 * p0 + s11 * p1 + s12
    a00, a01, a11 = m[A, i] + s00, m[A + 1, i] + s01, m[A + 2, i] + s11
    a02, a12 = m[A + 3, i] + q0, m[A + 4, i] + q1
    a22 = m[A + 5, i] + p0 * q0 + p1 * q1 + s02 * p0 + s12 * p1 + s22
    b0, b1, b2 = m[B, i] + c0, m[B + 1, i] + c1, m[B + 2, i] + p0 * c0 + p1 * c1 + c2
    return a00, a01, a11, a02, a12, a22, b0, b1, b2


@njit
def without_rotation(m, i, matrix):
    """What is left of link i and the outer ones once its rotation is eliminated; E and R keep what was."""
    a00, a01, a11, a02, a12, a22, b0, b1, b2 = matrix
    drive, damp = m[T, i], m[D, i]
    if damp < 0.0:  # held at the rate `drive` against the inner link
        m[E, i], m[E + 1, i], m[E + 2, i], m[E + 3, i], m[R, i] = 0.0, 0.0, 1.0, drive, 0.0
        return a00, a01, a11, a02, a12, a22, b0 - a02 * drive, b1 - a12 * drive, b2 - a22 * drive
    r = 1.0 / (a22 + damp)
    e0, e1, e2, er = a02 * r, a12 * r, damp * r, (b2 + drive) * r
    m[E, i], m[E + 1, i], m[E + 2, i], m[E + 3, i], m[R, i] = e0, e1, e2, er, r
    s00, s01, s11 = a00 - a02 * e0, a01 - a02 * e1, a11 - a12 * e1
    return s00, s01, s11, a02 * e2, a12 * e2, damp * (1.0 - e2), b0 - a02 * er, b1 - a12 * er, damp * er - drive


@njit
def solve_tail(matrix):
    """Unknowns of the tail's end and of the first link, from its matrix and right side."""
    a00, a01, a11, a02, a12, a22, b0, b1, b2 = matrix
    return solve3(a00, a01, a02, a11, a12, a22, b0, b1, b2)


@njit
def solve_chain(links, b, w_row, m):
    """Solve the chain by recursion; fills b[w_row] (the w_i) and returns u_0.

    m is the working space: link matrices and right sides from A and B on, drive and damping of the joints in T and D. What was
    eliminated stays there for further right sides: E, R, and in A of link 0 the matrix of all links.
    """
    n = b.shape[1]
    outer = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    for k in range(n - 1):
        i = n - 1 - k
        outer = without_rotation(m, i, with_outer(links, b, m, i, outer))
    matrix = with_outer(links, b, m, 0, outer)
    m[A, 0], m[A + 1, 0], m[A + 2, 0], m[A + 3, 0], m[A + 4, 0], m[A + 5, 0] = matrix[:6]
    x0, x1, w = solve_tail(matrix)
    b[w_row, 0] = w
    y0, y1 = x0, x1
    for i in range(1, n):
        y0 -= links[LENGTH, i - 1] * b[S, i - 1] * w
        y1 += links[LENGTH, i - 1] * b[C, i - 1] * w
        w = m[E + 3, i] - m[E, i] * y0 - m[E + 1, i] * y1 + m[E + 2, i] * w
        b[w_row, i] = w
    return x0, x1


@njit
def torque_acceleration(constants, b, m):
    """Given joint torques: fills `bend` (angular accelerations) and returns the tail's acceleration.

    Headings, rates, contact forces and drive torques of `b` are set, in world axes. The recursion of `solve_chain`
    for D = 0, where what is left of the outer links is 2 x 2, with the links' terms built on the way: half the
    time. Joint damping comes from the actuators; m: working space.
    """
    n, links, joints = b.shape[1], constants.links, constants.joints
    s00, s01, s11, c0, c1, torque = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    x0, x1, w = 0.0, 0.0, 0.0
    for k in range(n):
        i = n - 1 - k
        mass, g, l, c, s = links[MASS, i], links[COM, i], links[LENGTH, i], b[C, i], b[S, i]
        square = b[RATE, i] * b[RATE, i]
        # the outer links, moved to this link's own joint
        p0, p1 = -l * s, l * c
        q0, q1 = s00 * p0 + s01 * p1, s01 * p0 + s11 * p1
        d0 = c0 + l * square * (s00 * c + s01 * s)
        d1 = c1 + l * square * (s01 * c + s11 * s)
        a00, a11 = mass + s00, mass + s11
        a02, a12 = q0 - mass * g * s, q1 + mass * g * c
        a22 = mass * g * g + links[INERTIA, i] + p0 * q0 + p1 * q1
        b0 = b[FX, i] + mass * g * square * c + d0
        b1 = b[FY, i] + mass * g * square * s + d1
        b2 = b[FM, i] + p0 * d0 + p1 * d1 - torque
        if i == 0:
            x0, x1, w = solve3(a00, s01, a02, a11, a12, a22, b0, b1, b2)
            break
        # this link's rotation, eliminated
        torque = b[DRIVEN_BY, i] - joints[JOINT_DAMPING, i] * (b[RATE, i] - b[RATE, i - 1])
        r = 1.0 / a22
        e0, e1, er = a02 * r, a12 * r, (b2 + torque) * r
        m[E, i], m[E + 1, i], m[E + 3, i] = e0, e1, er
        s00, s01, s11 = a00 - a02 * e0, s01 - a02 * e1, a11 - a12 * e1
        c0, c1 = b0 - a02 * er, b1 - a12 * er
    b[BEND, 0] = w
    y0, y1 = x0, x1
    for i in range(1, n):
        l, square = links[LENGTH, i - 1], b[RATE, i - 1] * b[RATE, i - 1]
        y0 -= l * (b[S, i - 1] * w + square * b[C, i - 1])
        y1 += l * (b[C, i - 1] * w - square * b[S, i - 1])
        w = m[E + 3, i] - m[E, i] * y0 - m[E + 1, i] * y1
        b[BEND, i] = w
    return x0, x1
