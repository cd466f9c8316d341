"""Dynamics of a floating chain in space, in O(n): momenta, the chain solved by recursion, accelerations, reactions.

Everything is in world axes about one point O, the body's centre of gravity (see `spatial.kinematics`), so that the
momenta, forces and matrices of different links simply add up. Links are symmetric about their axis e: inertia
I_t 1 + (I_a - I_t) e e'. With the spatial inertia M_i of a link about O and its twist t_i:

    momentum   h_i = M_i t_i            law   d h_i / dt = f_i            (no Coriolis terms: axes and O do not turn)

Recursion. Let every link obey  A_i t_i = b_i + (what the joint at its tail side passes on) - (what it passes on to the
outer links) with t_i = t_{i-1} + S q', and every joint axis pass on S . (wrench) = T - D q'. From the head inwards q' is
eliminated, which leaves the outer links as one symmetric 6 x 6 matrix and a right side:

    u = A S,   q' = (T + S.b - u.t_{i-1}) / (S.u + D),   A <- A - u u' / (S.u + D),   b <- b - u (T + S.b) / (S.u + D)

A joint whose rate is given (D < 0, T the rate) takes b <- b - u T and leaves A as it is. The same recursion gives implicit velocities (A the inertia with the slopes of the contacts, b momenta and impulses) and
accelerations (A the inertia, b the forces less what the velocities ask for): `solve_chain`, `torque_acceleration`.

The 21 numbers of a symmetric matrix: angular block xx xy xz yy yz zz, mixed block (angular x linear) by rows, linear block.
"""

from __future__ import annotations

from serpenoid.compiled import njit
from serpenoid.contact.joint import JOINT_DAMPING, ROTOR
from serpenoid.spatial.kinematics import propagate_twists
from serpenoid.spatial.layout import (
    AXIAL,
    EX,
    FA,
    HA,
    MASS,
    NA,
    PG,
    QD,
    SA,
    SL,
    TAU,
    TRANSVERSE,
    UE,
    UR,
    A,
    B,
    D,
    T,
    U,
    V,
    W,
)  # fmt: skip


@njit
def link_inertia(m, transverse, axial, ex, ey, ez, x, y, z):
    """Spatial inertia about O of a link with axis (ex, ey, ez) and centre of gravity (x, y, z), as 21 numbers."""
    g = axial - transverse
    return (
        transverse + g * ex * ex + m * (y * y + z * z), g * ex * ey - m * x * y, g * ex * ez - m * x * z,
        transverse + g * ey * ey + m * (x * x + z * z), g * ey * ez - m * y * z,
        transverse + g * ez * ez + m * (x * x + y * y),
        0.0, -m * z, m * y, m * z, 0.0, -m * x, -m * y, m * x, 0.0,
        m, 0.0, 0.0, m, 0.0, m,
    )  # fmt: skip


@njit
def times(a, x):
    """Symmetric 6 x 6 matrix (21 numbers) times a vector of 6."""
    return (
        a[0] * x[0] + a[1] * x[1] + a[2] * x[2] + a[6] * x[3] + a[7] * x[4] + a[8] * x[5],
        a[1] * x[0] + a[3] * x[1] + a[4] * x[2] + a[9] * x[3] + a[10] * x[4] + a[11] * x[5],
        a[2] * x[0] + a[4] * x[1] + a[5] * x[2] + a[12] * x[3] + a[13] * x[4] + a[14] * x[5],
        a[6] * x[0] + a[9] * x[1] + a[12] * x[2] + a[15] * x[3] + a[16] * x[4] + a[17] * x[5],
        a[7] * x[0] + a[10] * x[1] + a[13] * x[2] + a[16] * x[3] + a[18] * x[4] + a[19] * x[5],
        a[8] * x[0] + a[11] * x[1] + a[14] * x[2] + a[17] * x[3] + a[19] * x[4] + a[20] * x[5],
    )  # fmt: skip


@njit
def add_square(a, u, r):
    """Symmetric matrix a + r u u'."""
    p0, p1, p2, p3, p4, p5 = r * u[0], r * u[1], r * u[2], r * u[3], r * u[4], r * u[5]
    return (
        a[0] + p0 * u[0], a[1] + p0 * u[1], a[2] + p0 * u[2], a[3] + p1 * u[1], a[4] + p1 * u[2], a[5] + p2 * u[2],
        a[6] + p0 * u[3], a[7] + p0 * u[4], a[8] + p0 * u[5], a[9] + p1 * u[3], a[10] + p1 * u[4], a[11] + p1 * u[5],
        a[12] + p2 * u[3], a[13] + p2 * u[4], a[14] + p2 * u[5],
        a[15] + p3 * u[3], a[16] + p3 * u[4], a[17] + p3 * u[5], a[18] + p4 * u[4], a[19] + p4 * u[5], a[20] + p5 * u[5],
    )  # fmt: skip


@njit
def solve6(a, r):
    """Solve a positive definite 6 x 6 system: the linear block first, then the angular one."""
    # inverse of the linear block
    p, q, s, t, u, v = a[15], a[16], a[17], a[18], a[19], a[20]
    i0, i1, i2 = t * v - u * u, s * u - q * v, q * u - s * t
    i3, i4, i5 = p * v - s * s, q * s - p * u, p * t - q * q
    f = 1.0 / (p * i0 + q * i1 + s * i2)
    i0, i1, i2, i3, i4, i5 = i0 * f, i1 * f, i2 * f, i3 * f, i4 * f, i5 * f
    # G = mixed block times that inverse, by rows
    g0, g1, g2 = a[6] * i0 + a[7] * i1 + a[8] * i2, a[6] * i1 + a[7] * i3 + a[8] * i4, a[6] * i2 + a[7] * i4 + a[8] * i5
    g3, g4, g5 = (
        a[9] * i0 + a[10] * i1 + a[11] * i2,
        a[9] * i1 + a[10] * i3 + a[11] * i4,
        a[9] * i2 + a[10] * i4 + a[11] * i5,
    )
    g6, g7, g8 = (
        a[12] * i0 + a[13] * i1 + a[14] * i2,
        a[12] * i1 + a[13] * i3 + a[14] * i4,
        a[12] * i2 + a[13] * i4 + a[14] * i5,
    )
    # what is left of the angular block
    c0 = a[0] - g0 * a[6] - g1 * a[7] - g2 * a[8]
    c1 = a[1] - g0 * a[9] - g1 * a[10] - g2 * a[11]
    c2 = a[2] - g0 * a[12] - g1 * a[13] - g2 * a[14]
    c3 = a[3] - g3 * a[9] - g4 * a[10] - g5 * a[11]
    c4 = a[4] - g3 * a[12] - g4 * a[13] - g5 * a[14]
    c5 = a[5] - g6 * a[12] - g7 * a[13] - g8 * a[14]
    y0 = r[0] - g0 * r[3] - g1 * r[4] - g2 * r[5]
    y1 = r[1] - g3 * r[3] - g4 * r[4] - g5 * r[5]
    y2 = r[2] - g6 * r[3] - g7 * r[4] - g8 * r[5]
    j0, j1, j2 = c3 * c5 - c4 * c4, c2 * c4 - c1 * c5, c1 * c4 - c2 * c3
    j3, j4, j5 = c0 * c5 - c2 * c2, c1 * c2 - c0 * c4, c0 * c3 - c1 * c1
    f = 1.0 / (c0 * j0 + c1 * j1 + c2 * j2)
    w0, w1, w2 = (j0 * y0 + j1 * y1 + j2 * y2) * f, (j1 * y0 + j3 * y1 + j4 * y2) * f, (j2 * y0 + j4 * y1 + j5 * y2) * f
    z0 = r[3] - a[6] * w0 - a[9] * w1 - a[12] * w2
    z1 = r[4] - a[7] * w0 - a[10] * w1 - a[13] * w2
    z2 = r[5] - a[8] * w0 - a[11] * w1 - a[14] * w2
    return (
        w0, w1, w2,
        i0 * z0 + i1 * z1 + i2 * z2, i1 * z0 + i3 * z1 + i4 * z2, i2 * z0 + i4 * z1 + i5 * z2,
    )  # fmt: skip


@njit
def inertia_of(chain, body, i):
    """Spatial inertia of link i about O."""
    return link_inertia(
        chain.links[MASS, i], chain.links[TRANSVERSE, i], chain.links[AXIAL, i],
        body[EX, i], body[EX + 1, i], body[EX + 2, i], body[PG, i], body[PG + 1, i], body[PG + 2, i],
    )  # fmt: skip


@njit
def momentum_of(chain, body, i, w0, w1, w2, v0, v1, v2):
    """Momentum of link i about O, angular then linear, at a twist."""
    m, transverse, g = (
        chain.links[MASS, i],
        chain.links[TRANSVERSE, i],
        chain.links[AXIAL, i] - chain.links[TRANSVERSE, i],
    )
    ex, ey, ez, x, y, z = body[EX, i], body[EX + 1, i], body[EX + 2, i], body[PG, i], body[PG + 1, i], body[PG + 2, i]
    p0, p1, p2 = m * (v0 + w1 * z - w2 * y), m * (v1 + w2 * x - w0 * z), m * (v2 + w0 * y - w1 * x)
    along = g * (ex * w0 + ey * w1 + ez * w2)
    return (
        transverse * w0 + along * ex + y * p2 - z * p1,
        transverse * w1 + along * ey + z * p0 - x * p2,
        transverse * w2 + along * ez + x * p1 - y * p0,
        p0, p1, p2,
    )  # fmt: skip


@njit
def twist_of(body, i):
    """Twist of link i, angular then linear."""
    return body[W, i], body[W + 1, i], body[W + 2, i], body[V, i], body[V + 1, i], body[V + 2, i]


@njit
def momenta(chain, body):
    """Fill the momenta NA, NL of all links from their twists; returns their sum."""
    s0, s1, s2, s3, s4, s5 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(body.shape[1]):
        h = momentum_of(
            chain, body, i, body[W, i], body[W + 1, i], body[W + 2, i], body[V, i], body[V + 1, i], body[V + 2, i]
        )
        for e in range(6):
            body[NA + e, i] = h[e]
        s0, s1, s2, s3, s4, s5 = s0 + h[0], s1 + h[1], s2 + h[2], s3 + h[3], s4 + h[4], s5 + h[5]
    return s0, s1, s2, s3, s4, s5


@njit
def momentum_sum(chain, body):
    """Momentum of the whole body from the twists of its links."""
    s0, s1, s2, s3, s4, s5 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(body.shape[1]):
        h = momentum_of(
            chain, body, i, body[W, i], body[W + 1, i], body[W + 2, i], body[V, i], body[V + 1, i], body[V + 2, i]
        )
        s0, s1, s2, s3, s4, s5 = s0 + h[0], s1 + h[1], s2 + h[2], s3 + h[3], s4 + h[4], s5 + h[5]
    return s0, s1, s2, s3, s4, s5


@njit
def kinetic_energy(body):
    """Kinetic energy from the twists and the momenta NA, NL."""
    energy = 0.0
    for i in range(body.shape[1]):
        for e in range(6):
            energy += 0.5 * body[W + e, i] * body[NA + e, i]
    return energy


@njit
def body_inertia(chain, body):
    """Spatial inertia of the whole body about O, joints held."""
    a = inertia_of(chain, body, 0)
    for i in range(1, body.shape[1]):
        c = inertia_of(chain, body, i)
        a = (
            a[0] + c[0], a[1] + c[1], a[2] + c[2], a[3] + c[3], a[4] + c[4], a[5] + c[5], a[6] + c[6],
            a[7] + c[7], a[8] + c[8], a[9] + c[9], a[10] + c[10], a[11] + c[11], a[12] + c[12], a[13] + c[13],
            a[14] + c[14], a[15] + c[15], a[16] + c[16], a[17] + c[17], a[18] + c[18], a[19] + c[19], a[20] + c[20],
        )  # fmt: skip
    return a


@njit
def matrix_at(body, i):
    """The 21 numbers of link i's matrix A."""
    return (
        body[A, i], body[A + 1, i], body[A + 2, i], body[A + 3, i], body[A + 4, i], body[A + 5, i], body[A + 6, i], body[A + 7, i], body[A + 8, i],
        body[A + 9, i], body[A + 10, i], body[A + 11, i], body[A + 12, i], body[A + 13, i], body[A + 14, i], body[A + 15, i], body[A + 16, i],
        body[A + 17, i], body[A + 18, i], body[A + 19, i], body[A + 20, i],
    )  # fmt: skip


@njit
def solve_chain(chain, body, axes, rate):
    """Solve the chain for A, B of the links and T, D of the axes; twists into W, V, joint unknowns into row `rate`."""
    n = body.shape[1]
    a = matrix_at(body, n - 1)
    r0, r1, r2, r3, r4, r5 = (
        body[B, n - 1], body[B + 1, n - 1], body[B + 2, n - 1], body[B + 3, n - 1], body[B + 4, n - 1], body[B + 5, n - 1]
    )  # fmt: skip
    for j in range(n - 1):
        i = n - 1 - j
        # the axes of this link's joint, outermost first, eliminated
        for o in range(chain.first[i + 1] - chain.first[i]):
            k = chain.first[i + 1] - 1 - o
            s = (axes[SA, k], axes[SA + 1, k], axes[SA + 2, k], axes[SL, k], axes[SL + 1, k], axes[SL + 2, k])
            u = times(a, s)
            if axes[D, k] < 0.0:  # held: T is its rate
                x = axes[T, k]
                axes[UR, k] = x
                for c in range(6):
                    axes[U + c, k] = 0.0
                r0, r1, r2 = r0 - x * u[0], r1 - x * u[1], r2 - x * u[2]
                r3, r4, r5 = r3 - x * u[3], r4 - x * u[4], r5 - x * u[5]
                continue
            e = 1.0 / (s[0] * u[0] + s[1] * u[1] + s[2] * u[2] + s[3] * u[3] + s[4] * u[4] + s[5] * u[5] + axes[D, k])
            x = axes[T, k] + s[0] * r0 + s[1] * r1 + s[2] * r2 + s[3] * r3 + s[4] * r4 + s[5] * r5
            x *= e
            axes[UR, k], axes[UE, k] = x, e
            axes[U, k], axes[U + 1, k], axes[U + 2, k] = e * u[0], e * u[1], e * u[2]
            axes[U + 3, k], axes[U + 4, k], axes[U + 5, k] = e * u[3], e * u[4], e * u[5]
            a = add_square(a, u, -e)
            r0, r1, r2 = r0 - x * u[0], r1 - x * u[1], r2 - x * u[2]
            r3, r4, r5 = r3 - x * u[3], r4 - x * u[4], r5 - x * u[5]
        # the inner link
        c = i - 1
        a = (
            a[0] + body[A, c], a[1] + body[A + 1, c], a[2] + body[A + 2, c], a[3] + body[A + 3, c], a[4] + body[A + 4, c],
            a[5] + body[A + 5, c], a[6] + body[A + 6, c], a[7] + body[A + 7, c], a[8] + body[A + 8, c], a[9] + body[A + 9, c],
            a[10] + body[A + 10, c], a[11] + body[A + 11, c], a[12] + body[A + 12, c], a[13] + body[A + 13, c], a[14] + body[A + 14, c],
            a[15] + body[A + 15, c], a[16] + body[A + 16, c], a[17] + body[A + 17, c], a[18] + body[A + 18, c], a[19] + body[A + 19, c],
            a[20] + body[A + 20, c],
        )  # fmt: skip
        r0, r1, r2 = r0 + body[B, c], r1 + body[B + 1, c], r2 + body[B + 2, c]
        r3, r4, r5 = r3 + body[B + 3, c], r4 + body[B + 4, c], r5 + body[B + 5, c]
    for m in range(21):
        body[A + m, 0] = a[m]
    x0, x1, x2, x3, x4, x5 = solve6(a, (r0, r1, r2, r3, r4, r5))
    body[W, 0], body[W + 1, 0], body[W + 2, 0], body[V, 0], body[V + 1, 0], body[V + 2, 0] = x0, x1, x2, x3, x4, x5
    for i in range(1, n):
        for k in range(chain.first[i], chain.first[i + 1]):
            y = axes[UR, k] - axes[U, k] * x0 - axes[U + 1, k] * x1 - axes[U + 2, k] * x2
            y = y - axes[U + 3, k] * x3 - axes[U + 4, k] * x4 - axes[U + 5, k] * x5
            axes[rate, k] = y
            x0, x1, x2 = x0 + y * axes[SA, k], x1 + y * axes[SA + 1, k], x2 + y * axes[SA + 2, k]
            x3, x4, x5 = x3 + y * axes[SL, k], x4 + y * axes[SL + 1, k], x5 + y * axes[SL + 2, k]
        body[W, i], body[W + 1, i], body[W + 2, i], body[V, i], body[V + 1, i], body[V + 2, i] = x0, x1, x2, x3, x4, x5


@njit
def velocity_forces(chain, body, axes):
    """Fill B of the links with the wrench FA, FL less what the velocities ask for: the gyroscopic part and that of turning axes."""
    z0, z1, z2, z3, z4, z5 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(body.shape[1]):
        if i > 0:
            # accelerations of the twists by the turning of the axes: (w, v)_{i-1} crossed with S q'
            w0, w1, w2 = body[W, i - 1], body[W + 1, i - 1], body[W + 2, i - 1]
            v0, v1, v2 = body[V, i - 1], body[V + 1, i - 1], body[V + 2, i - 1]
            for k in range(chain.first[i], chain.first[i + 1]):
                r = axes[QD, k]
                a0, a1, a2 = r * axes[SA, k], r * axes[SA + 1, k], r * axes[SA + 2, k]
                l0, l1, l2 = r * axes[SL, k], r * axes[SL + 1, k], r * axes[SL + 2, k]
                z0, z1, z2 = z0 + w1 * a2 - w2 * a1, z1 + w2 * a0 - w0 * a2, z2 + w0 * a1 - w1 * a0
                z3 += w1 * l2 - w2 * l1 + v1 * a2 - v2 * a1
                z4 += w2 * l0 - w0 * l2 + v2 * a0 - v0 * a2
                z5 += w0 * l1 - w1 * l0 + v0 * a1 - v1 * a0
                w0, w1, w2, v0, v1, v2 = w0 + a0, w1 + a1, w2 + a2, v0 + l0, v1 + l1, v2 + l2
        w0, w1, w2, v0, v1, v2 = body[W, i], body[W + 1, i], body[W + 2, i], body[V, i], body[V + 1, i], body[V + 2, i]
        h = momentum_of(chain, body, i, w0, w1, w2, v0, v1, v2)
        y = momentum_of(chain, body, i, z0, z1, z2, z3, z4, z5)
        body[B, i] = body[FA, i] - y[0] - (w1 * h[2] - w2 * h[1] + v1 * h[5] - v2 * h[4])
        body[B + 1, i] = body[FA + 1, i] - y[1] - (w2 * h[0] - w0 * h[2] + v2 * h[3] - v0 * h[5])
        body[B + 2, i] = body[FA + 2, i] - y[2] - (w0 * h[1] - w1 * h[0] + v0 * h[4] - v1 * h[3])
        body[B + 3, i] = body[FA + 3, i] - y[3] - (w1 * h[5] - w2 * h[4])
        body[B + 4, i] = body[FA + 4, i] - y[4] - (w2 * h[3] - w0 * h[5])
        body[B + 5, i] = body[FA + 5, i] - y[5] - (w0 * h[4] - w1 * h[3])


@njit
def torque_acceleration(chain, body, axes, rate):
    """Given torques TAU and wrenches FA, FL: accelerations of the twists into W, V, of the joints into row `rate`.

    Frames, twists and rates QD are set; the twists are overwritten. Joint damping and rotors are counted.
    """
    velocity_forces(chain, body, axes)
    for i in range(body.shape[1]):
        a = inertia_of(chain, body, i)
        for e in range(21):
            body[A + e, i] = a[e]
    for k in range(axes.shape[1]):
        axes[T, k] = axes[TAU, k] - chain.actuators[JOINT_DAMPING, k] * axes[QD, k]
        axes[D, k] = chain.actuators[ROTOR, k]
    solve_chain(chain, body, axes, rate)


@njit
def required_torques(chain, body, axes, rate, w0, w1, w2, v0, v1, v2):
    """Inverse dynamics: torques TAU for accelerations of the joints (row `rate`) and of link 0's twist; wrench left at the tail.

    Frames, twists, rates QD and wrenches FA, FL are set; the twists are overwritten. Joint damping and rotors are counted.
    """
    velocity_forces(chain, body, axes)
    body[W, 0], body[W + 1, 0], body[W + 2, 0], body[V, 0], body[V + 1, 0], body[V + 2, 0] = w0, w1, w2, v0, v1, v2
    propagate_twists(chain, body, axes, rate)
    momenta(chain, body)
    r0, r1, r2, r3, r4, r5 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for j in range(body.shape[1]):
        i = body.shape[1] - 1 - j
        r0, r1, r2 = (
            r0 + body[NA, i] - body[B, i],
            r1 + body[NA + 1, i] - body[B + 1, i],
            r2 + body[NA + 2, i] - body[B + 2, i],
        )
        r3, r4, r5 = (
            r3 + body[NA + 3, i] - body[B + 3, i],
            r4 + body[NA + 4, i] - body[B + 4, i],
            r5 + body[NA + 5, i] - body[B + 5, i],
        )
        for k in range(chain.first[i], chain.first[i + 1]):
            torque = axes[SA, k] * r0 + axes[SA + 1, k] * r1 + axes[SA + 2, k] * r2
            torque += axes[SL, k] * r3 + axes[SL + 1, k] * r4 + axes[SL + 2, k] * r5
            torque += chain.actuators[JOINT_DAMPING, k] * axes[QD, k]
            axes[TAU, k] = torque + chain.actuators[ROTOR, k] * axes[rate, k]
    return r0, r1, r2, r3, r4, r5


@njit
def reactions(chain, body, axes, impulse):
    """Joint torques TAU from the changes of momentum (NA - HA) over a step and the wrenches; what is left at the tail."""
    r0, r1, r2, r3, r4, r5 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for j in range(body.shape[1]):
        i = body.shape[1] - 1 - j
        r0 += (body[NA, i] - body[HA, i]) * impulse - body[FA, i]
        r1 += (body[NA + 1, i] - body[HA + 1, i]) * impulse - body[FA + 1, i]
        r2 += (body[NA + 2, i] - body[HA + 2, i]) * impulse - body[FA + 2, i]
        r3 += (body[NA + 3, i] - body[HA + 3, i]) * impulse - body[FA + 3, i]
        r4 += (body[NA + 4, i] - body[HA + 4, i]) * impulse - body[FA + 4, i]
        r5 += (body[NA + 5, i] - body[HA + 5, i]) * impulse - body[FA + 5, i]
        for k in range(chain.first[i], chain.first[i + 1]):
            axes[TAU, k] = (
                axes[SA, k] * r0 + axes[SA + 1, k] * r1 + axes[SA + 2, k] * r2
                + axes[SL, k] * r3 + axes[SL + 1, k] * r4 + axes[SL + 2, k] * r5
            )  # fmt: skip
    return r0, r1, r2, r3, r4, r5
