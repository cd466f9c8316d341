"""Vectors of six and symmetric 6 x 6 matrices as numbers in tuples: what the recursions along a chain add up and solve.

Six numbers: angular part, linear part. The 21 numbers of a symmetric matrix: angular block xx xy xz yy yz zz, mixed block (angular x
linear) by rows, linear block xx xy xz yy yz zz.
"""

from __future__ import annotations

from serpenoid.compiled import njit


@njit
def nothing():
    """Six zeros (of the precision that the functions are compiled for)."""
    return 0.0, 0.0, 0.0, 0.0, 0.0, 0.0


@njit
def no_matrix():
    """The symmetric matrix of zeros."""
    return (
        0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
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
def summed(a, c):
    """Sum of two symmetric matrices."""
    return (
        a[0] + c[0], a[1] + c[1], a[2] + c[2], a[3] + c[3], a[4] + c[4], a[5] + c[5], a[6] + c[6],
        a[7] + c[7], a[8] + c[8], a[9] + c[9], a[10] + c[10], a[11] + c[11], a[12] + c[12], a[13] + c[13],
        a[14] + c[14], a[15] + c[15], a[16] + c[16], a[17] + c[17], a[18] + c[18], a[19] + c[19], a[20] + c[20],
    )  # fmt: skip


@njit
def plus(x, f, g):
    """Vector x + f g of six numbers."""
    return (
        x[0] + f * g[0], x[1] + f * g[1], x[2] + f * g[2], x[3] + f * g[3], x[4] + f * g[4], x[5] + f * g[5],
    )  # fmt: skip


@njit
def add_point(a, x, y, z, k):
    """Symmetric matrix a with slopes k (xx xy xz yy yz zz) of a force at the point c = (x, y, z): k, [c] k and [c] k [c]'."""
    g0, g1, g2 = y * k[2] - z * k[1], y * k[4] - z * k[3], y * k[5] - z * k[4]
    g3, g4, g5 = z * k[0] - x * k[2], z * k[1] - x * k[4], z * k[2] - x * k[5]
    g6, g7, g8 = x * k[1] - y * k[0], x * k[3] - y * k[1], x * k[4] - y * k[2]
    return (
        a[0] + y * g2 - z * g1, a[1] + z * g0 - x * g2, a[2] + x * g1 - y * g0,
        a[3] + z * g3 - x * g5, a[4] + x * g4 - y * g3, a[5] + x * g7 - y * g6,
        a[6] + g0, a[7] + g1, a[8] + g2, a[9] + g3, a[10] + g4, a[11] + g5, a[12] + g6, a[13] + g7, a[14] + g8,
        a[15] + k[0], a[16] + k[1], a[17] + k[2], a[18] + k[3], a[19] + k[4], a[20] + k[5],
    )  # fmt: skip
