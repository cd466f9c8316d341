"""Dynamics of a floating chain in space, in O(n): momenta, the chain solved by recursion, accelerations, reactions.

Everything is in world axes about one point O, the body's centre of gravity (see `kinematics.spatial`), so that the
momenta, forces and matrices of different links simply add up. Links are symmetric about their axis e: inertia
I_t 1 + (I_a - I_t) e e'. With the spatial inertia M_i of a link about O and its twist t_i:

    momentum   h_i = M_i t_i            law   d h_i / dt = f_i            (no Coriolis terms: axes and O do not turn)

Recursion. Let every link obey  A_i t_i = b_i + (what the joint at its tail side passes on) - (what it passes on to the
outer links) with t_i = t_{i-1} + S q', and every joint axis pass on S . (wrench) = T - D q'. From the head inwards q' is
eliminated, which leaves the outer links as one symmetric 6 x 6 matrix and a right side:

    u = A S,   q' = (T + S.b - u.t_{i-1}) / (S.u + D),   A <- A - u u' / (S.u + D),   b <- b - u (T + S.b) / (S.u + D)

The same recursion gives implicit velocities (A the inertia with the slopes of the contacts, b momenta and impulses) and
accelerations (A the inertia, b the forces less what the velocities ask for): `solve_chain`, `torque_acceleration`.

The 21 numbers of a symmetric matrix: angular block xx xy xz yy yz zz, mixed block (angular x linear) by rows, linear block.
"""

from __future__ import annotations

from serpenoid.compiled import njit
from serpenoid.spatial._old.kinematics import (
    AXIAL,
    DAMP,
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
    UR,
    A,
    B,
    D,
    T,
    U,
    V,
    W,
    spread_twists,
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
def inertia_of(chain, b, i):
    """Spatial inertia of link i about O."""
    return link_inertia(
        chain.link[i, MASS], chain.link[i, TRANSVERSE], chain.link[i, AXIAL],
        b[i, EX], b[i, EX + 1], b[i, EX + 2], b[i, PG], b[i, PG + 1], b[i, PG + 2],
    )  # fmt: skip


@njit
def momentum_of(chain, b, i, w0, w1, w2, v0, v1, v2):
    """Momentum of link i about O, angular then linear, at a twist."""
    m, transverse, g = chain.link[i, MASS], chain.link[i, TRANSVERSE], chain.link[i, AXIAL] - chain.link[i, TRANSVERSE]
    ex, ey, ez, x, y, z = b[i, EX], b[i, EX + 1], b[i, EX + 2], b[i, PG], b[i, PG + 1], b[i, PG + 2]
    p0, p1, p2 = m * (v0 + w1 * z - w2 * y), m * (v1 + w2 * x - w0 * z), m * (v2 + w0 * y - w1 * x)
    along = g * (ex * w0 + ey * w1 + ez * w2)
    return (
        transverse * w0 + along * ex + y * p2 - z * p1,
        transverse * w1 + along * ey + z * p0 - x * p2,
        transverse * w2 + along * ez + x * p1 - y * p0,
        p0, p1, p2,
    )  # fmt: skip


@njit
def momenta(chain, b):
    """Fill the momenta NA, NL of all links from their twists; returns their sum."""
    s0, s1, s2, s3, s4, s5 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(b.shape[0]):
        h = momentum_of(chain, b, i, b[i, W], b[i, W + 1], b[i, W + 2], b[i, V], b[i, V + 1], b[i, V + 2])
        for e in range(6):
            b[i, NA + e] = h[e]
        s0, s1, s2, s3, s4, s5 = s0 + h[0], s1 + h[1], s2 + h[2], s3 + h[3], s4 + h[4], s5 + h[5]
    return s0, s1, s2, s3, s4, s5


@njit
def kinetic_energy(b):
    """Kinetic energy from the twists and the momenta NA, NL."""
    energy = 0.0
    for i in range(b.shape[0]):
        for e in range(6):
            energy += 0.5 * b[i, W + e] * b[i, NA + e]
    return energy


@njit
def body_inertia(chain, b):
    """Spatial inertia of the whole body about O, joints held."""
    a = inertia_of(chain, b, 0)
    for i in range(1, b.shape[0]):
        c = inertia_of(chain, b, i)
        a = (
            a[0] + c[0], a[1] + c[1], a[2] + c[2], a[3] + c[3], a[4] + c[4], a[5] + c[5], a[6] + c[6],
            a[7] + c[7], a[8] + c[8], a[9] + c[9], a[10] + c[10], a[11] + c[11], a[12] + c[12], a[13] + c[13],
            a[14] + c[14], a[15] + c[15], a[16] + c[16], a[17] + c[17], a[18] + c[18], a[19] + c[19], a[20] + c[20],
        )  # fmt: skip
    return a


@njit
def matrix_at(b, i):
    """The 21 numbers of link i's matrix A."""
    return (
        b[i, A], b[i, A + 1], b[i, A + 2], b[i, A + 3], b[i, A + 4], b[i, A + 5], b[i, A + 6], b[i, A + 7], b[i, A + 8],
        b[i, A + 9], b[i, A + 10], b[i, A + 11], b[i, A + 12], b[i, A + 13], b[i, A + 14], b[i, A + 15], b[i, A + 16],
        b[i, A + 17], b[i, A + 18], b[i, A + 19], b[i, A + 20],
    )  # fmt: skip


@njit
def solve_chain(chain, b, d, rate):
    """Solve the chain for A, B of the links and T, D of the axes; twists into W, V, joint unknowns into slot `rate`."""
    n = b.shape[0]
    a = matrix_at(b, n - 1)
    r0, r1, r2, r3, r4, r5 = (
        b[n - 1, B], b[n - 1, B + 1], b[n - 1, B + 2], b[n - 1, B + 3], b[n - 1, B + 4], b[n - 1, B + 5]
    )  # fmt: skip
    for j in range(n - 1):
        i = n - 1 - j
        # the axes of this link's joint, outermost first, eliminated
        for o in range(chain.first[i + 1] - chain.first[i]):
            k = chain.first[i + 1] - 1 - o
            s = (d[k, SA], d[k, SA + 1], d[k, SA + 2], d[k, SL], d[k, SL + 1], d[k, SL + 2])
            u = times(a, s)
            e = 1.0 / (s[0] * u[0] + s[1] * u[1] + s[2] * u[2] + s[3] * u[3] + s[4] * u[4] + s[5] * u[5] + d[k, D])
            x = d[k, T] + s[0] * r0 + s[1] * r1 + s[2] * r2 + s[3] * r3 + s[4] * r4 + s[5] * r5
            x *= e
            d[k, UR] = x
            d[k, U], d[k, U + 1], d[k, U + 2] = e * u[0], e * u[1], e * u[2]
            d[k, U + 3], d[k, U + 4], d[k, U + 5] = e * u[3], e * u[4], e * u[5]
            a = add_square(a, u, -e)
            r0, r1, r2 = r0 - x * u[0], r1 - x * u[1], r2 - x * u[2]
            r3, r4, r5 = r3 - x * u[3], r4 - x * u[4], r5 - x * u[5]
        # the inner link
        c = i - 1
        a = (
            a[0] + b[c, A], a[1] + b[c, A + 1], a[2] + b[c, A + 2], a[3] + b[c, A + 3], a[4] + b[c, A + 4],
            a[5] + b[c, A + 5], a[6] + b[c, A + 6], a[7] + b[c, A + 7], a[8] + b[c, A + 8], a[9] + b[c, A + 9],
            a[10] + b[c, A + 10], a[11] + b[c, A + 11], a[12] + b[c, A + 12], a[13] + b[c, A + 13], a[14] + b[c, A + 14],
            a[15] + b[c, A + 15], a[16] + b[c, A + 16], a[17] + b[c, A + 17], a[18] + b[c, A + 18], a[19] + b[c, A + 19],
            a[20] + b[c, A + 20],
        )  # fmt: skip
        r0, r1, r2 = r0 + b[c, B], r1 + b[c, B + 1], r2 + b[c, B + 2]
        r3, r4, r5 = r3 + b[c, B + 3], r4 + b[c, B + 4], r5 + b[c, B + 5]
    x0, x1, x2, x3, x4, x5 = solve6(a, (r0, r1, r2, r3, r4, r5))
    b[0, W], b[0, W + 1], b[0, W + 2], b[0, V], b[0, V + 1], b[0, V + 2] = x0, x1, x2, x3, x4, x5
    for i in range(1, n):
        for k in range(chain.first[i], chain.first[i + 1]):
            y = d[k, UR] - d[k, U] * x0 - d[k, U + 1] * x1 - d[k, U + 2] * x2
            y = y - d[k, U + 3] * x3 - d[k, U + 4] * x4 - d[k, U + 5] * x5
            d[k, rate] = y
            x0, x1, x2 = x0 + y * d[k, SA], x1 + y * d[k, SA + 1], x2 + y * d[k, SA + 2]
            x3, x4, x5 = x3 + y * d[k, SL], x4 + y * d[k, SL + 1], x5 + y * d[k, SL + 2]
        b[i, W], b[i, W + 1], b[i, W + 2], b[i, V], b[i, V + 1], b[i, V + 2] = x0, x1, x2, x3, x4, x5


@njit
def velocity_forces(chain, b, d):
    """Fill B of the links with the wrench FA, FL less what the velocities ask for: the gyroscopic part and that of turning axes."""
    z0, z1, z2, z3, z4, z5 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(b.shape[0]):
        if i > 0:
            # accelerations of the twists by the turning of the axes: (w, v)_{i-1} crossed with S q'
            w0, w1, w2, v0, v1, v2 = (
                b[i - 1, W],
                b[i - 1, W + 1],
                b[i - 1, W + 2],
                b[i - 1, V],
                b[i - 1, V + 1],
                b[i - 1, V + 2],
            )
            for k in range(chain.first[i], chain.first[i + 1]):
                r = d[k, QD]
                a0, a1, a2, l0, l1, l2 = (
                    r * d[k, SA],
                    r * d[k, SA + 1],
                    r * d[k, SA + 2],
                    r * d[k, SL],
                    r * d[k, SL + 1],
                    r * d[k, SL + 2],
                )
                z0, z1, z2 = z0 + w1 * a2 - w2 * a1, z1 + w2 * a0 - w0 * a2, z2 + w0 * a1 - w1 * a0
                z3 += w1 * l2 - w2 * l1 + v1 * a2 - v2 * a1
                z4 += w2 * l0 - w0 * l2 + v2 * a0 - v0 * a2
                z5 += w0 * l1 - w1 * l0 + v0 * a1 - v1 * a0
                w0, w1, w2, v0, v1, v2 = w0 + a0, w1 + a1, w2 + a2, v0 + l0, v1 + l1, v2 + l2
        w0, w1, w2, v0, v1, v2 = b[i, W], b[i, W + 1], b[i, W + 2], b[i, V], b[i, V + 1], b[i, V + 2]
        h = momentum_of(chain, b, i, w0, w1, w2, v0, v1, v2)
        y = momentum_of(chain, b, i, z0, z1, z2, z3, z4, z5)
        b[i, B] = b[i, FA] - y[0] - (w1 * h[2] - w2 * h[1] + v1 * h[5] - v2 * h[4])
        b[i, B + 1] = b[i, FA + 1] - y[1] - (w2 * h[0] - w0 * h[2] + v2 * h[3] - v0 * h[5])
        b[i, B + 2] = b[i, FA + 2] - y[2] - (w0 * h[1] - w1 * h[0] + v0 * h[4] - v1 * h[3])
        b[i, B + 3] = b[i, FA + 3] - y[3] - (w1 * h[5] - w2 * h[4])
        b[i, B + 4] = b[i, FA + 4] - y[4] - (w2 * h[3] - w0 * h[5])
        b[i, B + 5] = b[i, FA + 5] - y[5] - (w0 * h[4] - w1 * h[3])


@njit
def torque_acceleration(chain, b, d, rate):
    """Given torques TAU and wrenches FA, FL: accelerations of the twists into W, V, of the joints into slot `rate`.

    Frames, twists and rates QD are set; the twists are overwritten. Joint damping is counted.
    """
    velocity_forces(chain, b, d)
    for i in range(b.shape[0]):
        a = inertia_of(chain, b, i)
        for e in range(21):
            b[i, A + e] = a[e]
    for k in range(d.shape[0]):
        d[k, T] = d[k, TAU] - d[k, DAMP] * d[k, QD]
        d[k, D] = 0.0
    solve_chain(chain, b, d, rate)


@njit
def required_torques(chain, b, d, rate, w0, w1, w2, v0, v1, v2):
    """Inverse dynamics: torques TAU for accelerations of the joints (slot `rate`) and of link 0's twist; wrench left at the tail.

    Frames, twists, rates QD and wrenches FA, FL are set; the twists are overwritten. Joint damping is counted.
    """
    velocity_forces(chain, b, d)
    b[0, W], b[0, W + 1], b[0, W + 2], b[0, V], b[0, V + 1], b[0, V + 2] = w0, w1, w2, v0, v1, v2
    spread_twists(chain, b, d, rate)
    momenta(chain, b)
    r0, r1, r2, r3, r4, r5 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for j in range(b.shape[0]):
        i = b.shape[0] - 1 - j
        r0, r1, r2 = r0 + b[i, NA] - b[i, B], r1 + b[i, NA + 1] - b[i, B + 1], r2 + b[i, NA + 2] - b[i, B + 2]
        r3, r4, r5 = r3 + b[i, NA + 3] - b[i, B + 3], r4 + b[i, NA + 4] - b[i, B + 4], r5 + b[i, NA + 5] - b[i, B + 5]
        for k in range(chain.first[i], chain.first[i + 1]):
            torque = d[k, SA] * r0 + d[k, SA + 1] * r1 + d[k, SA + 2] * r2
            torque += d[k, SL] * r3 + d[k, SL + 1] * r4 + d[k, SL + 2] * r5
            d[k, TAU] = torque + d[k, DAMP] * d[k, QD]
    return r0, r1, r2, r3, r4, r5


@njit
def reactions(chain, b, d, impulse):
    """Joint torques TAU from the changes of momentum (NA - HA) over a step and the wrenches; what is left at the tail."""
    r0, r1, r2, r3, r4, r5 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for j in range(b.shape[0]):
        i = b.shape[0] - 1 - j
        r0 += (b[i, NA] - b[i, HA]) * impulse - b[i, FA]
        r1 += (b[i, NA + 1] - b[i, HA + 1]) * impulse - b[i, FA + 1]
        r2 += (b[i, NA + 2] - b[i, HA + 2]) * impulse - b[i, FA + 2]
        r3 += (b[i, NA + 3] - b[i, HA + 3]) * impulse - b[i, FA + 3]
        r4 += (b[i, NA + 4] - b[i, HA + 4]) * impulse - b[i, FA + 4]
        r5 += (b[i, NA + 5] - b[i, HA + 5]) * impulse - b[i, FA + 5]
        for k in range(chain.first[i], chain.first[i + 1]):
            d[k, TAU] = (
                d[k, SA] * r0 + d[k, SA + 1] * r1 + d[k, SA + 2] * r2
                + d[k, SL] * r3 + d[k, SL + 1] * r4 + d[k, SL + 2] * r5
            )  # fmt: skip
    return r0, r1, r2, r3, r4, r5
