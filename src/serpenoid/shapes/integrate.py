"""From shape functions to a curve with frames: steps by the exponential on SE(3).

Pose (R = [e1 ea eb], c): R' = R [k]x with k = (tau, kappa_a, kappa_b), c' = R (1, 0, 0)', equations (3) of Yamada and Hirose. A step of
length h multiplies the pose by the exponential of a twist (w, v):

    midpoint:  w = h k(mid),  v = h e1                                                              order 2
    Magnus:    w = h (k1 + k2) / 2 + sqrt(3) h^2 / 12 (k1 x k2),
               v = h e1 + sqrt(3) h^2 / 12 (k1 - k2) x e1,   k1, k2 at the two Gauss points         order 4

Both are exact for constant k. Rotations are unit quaternions, renormalised, so they stay rotations.
"""

from __future__ import annotations

import numpy as np

from serpenoid.compiled import kernel, njit
from serpenoid.frames import exponential_coefficients, rotated

_ROOT3_12 = np.sqrt(3.0) / 12.0


@njit
def twist(order, h, k, i):
    """Twist (w, v) of step i; k has rows tau, kappa_a, kappa_b at one (order 2) or two (order 4) points a step."""
    if order == 2:
        return h * k[0, i, 0], h * k[1, i, 0], h * k[2, i, 0], h, 0.0, 0.0
    a0, a1, a2 = k[0, i, 0], k[1, i, 0], k[2, i, 0]
    b0, b1, b2 = k[0, i, 1], k[1, i, 1], k[2, i, 1]
    m = _ROOT3_12 * h * h
    w0 = 0.5 * h * (a0 + b0) + m * (a1 * b2 - a2 * b1)
    w1 = 0.5 * h * (a1 + b1) + m * (a2 * b0 - a0 * b2)
    w2 = 0.5 * h * (a2 + b2) + m * (a0 * b1 - a1 * b0)
    return w0, w1, w2, h, m * (a2 - b2), -m * (a1 - b1)


@kernel
def march(order, h, k, pose, out):
    """Fill out (n + 1, 7): position and quaternion of every node, from `pose`; h (n,) are the steps."""
    c0, c1, c2, q0, q1, q2, q3 = pose[0], pose[1], pose[2], pose[3], pose[4], pose[5], pose[6]
    out[0, 0], out[0, 1], out[0, 2] = c0, c1, c2
    out[0, 3], out[0, 4], out[0, 5], out[0, 6] = q0, q1, q2, q3
    for i in range(h.size):
        w0, w1, w2, v0, v1, v2 = twist(order, h[i], k, i)
        half, real, first, second = exponential_coefficients(w0 * w0 + w1 * w1 + w2 * w2)
        # translation in the body: v + first (w x v) + second w x (w x v)
        x0, x1, x2 = w1 * v2 - w2 * v1, w2 * v0 - w0 * v2, w0 * v1 - w1 * v0
        y0, y1, y2 = w1 * x2 - w2 * x1, w2 * x0 - w0 * x2, w0 * x1 - w1 * x0
        d0, d1, d2 = v0 + first * x0 + second * y0, v1 + first * x1 + second * y1, v2 + first * x2 + second * y2
        d0, d1, d2 = rotated(q0, q1, q2, q3, d0, d1, d2)
        c0, c1, c2 = c0 + d0, c1 + d1, c2 + d2
        # rotation
        r1, r2, r3 = half * w0, half * w1, half * w2
        n0 = q0 * real - q1 * r1 - q2 * r2 - q3 * r3
        n1 = q0 * r1 + q1 * real + q2 * r3 - q3 * r2
        n2 = q0 * r2 - q1 * r3 + q2 * real + q3 * r1
        n3 = q0 * r3 + q1 * r2 - q2 * r1 + q3 * real
        size = 1.0 / np.sqrt(n0 * n0 + n1 * n1 + n2 * n2 + n3 * n3)
        q0, q1, q2, q3 = n0 * size, n1 * size, n2 * size, n3 * size
        out[i + 1, 0], out[i + 1, 1], out[i + 1, 2] = c0, c1, c2
        out[i + 1, 3], out[i + 1, 4], out[i + 1, 5], out[i + 1, 6] = q0, q1, q2, q3


@kernel
def march_many(order, h, k, poses, out, first, last):
    """March shapes first to last of a batch: k (3 m, n, points), three rows a shape, poses (m, 7), out (m, n + 1, 7)."""
    for j in range(first, last):
        march(order, h, k[3 * j : 3 * j + 3], poses[j], out[j])
