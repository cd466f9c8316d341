"""What each stage tries to lower, with gradient and a positive definite curvature in the stage's coordinates.

| stage | objective | source |
|---|---|---|
| 1 | (head - aim)^2 / 2 over theta_4 .. theta_6, and squares of the distance of theta_1, theta_2 from their fold | equations (2) to (6) |
| 2 | (joint 4 - joint 6)^2 / 2 | equations (8) to (10) |
| 3 | squares of the distance of theta_1 .. theta_4 from the basic pattern, halved | equation (12) |

In stage 1, with r = aim - head and links i, j of headings psi, the gradient is -L_i u'_i r and the curvature
L_i L_j cos(psi_i - psi_j) + delta_ij L_i u_i r; u_i r is kept above a share of abs(r), so that it is positive definite where the exact one is not
(links that point away from the aim).
"""

from __future__ import annotations

import numpy as np

from serpenoid.compiled import kernel, njit

_SHARE = 0.2  # of abs(r): least stiffness against turning
_SOFT = 1e-3  # the same for an aim that is reached


@njit
def _head(nodes, psi, lengths, aim_x, aim_y, g, H):
    """Stage 1, front: coordinates 2, 3, 4 are the headings of links 5, 6, 7."""
    rx, ry = aim_x - nodes[7, 0], aim_y - nodes[7, 1]
    r = np.sqrt(rx * rx + ry * ry)
    for i in range(3):
        c, s = np.cos(psi[4 + i]), np.sin(psi[4 + i])
        g[2 + i] = -lengths[4 + i] * (c * ry - s * rx)
        for j in range(3):
            H[2 + i, 2 + j] = lengths[4 + i] * lengths[4 + j] * np.cos(psi[4 + i] - psi[4 + j])
        H[2 + i, 2 + i] += lengths[4 + i] * max(c * rx + s * ry, _SHARE * r + _SOFT)
    return 0.5 * r * r


@njit
def _pattern(count, psi, goal, g, H):
    """Joints 1 .. count, whose links from 0 to count-1 move, towards their goals."""
    f = 0.0
    for k in range(count):
        e = psi[k + 1] - psi[k] - goal[k]
        f += 0.5 * e * e
        g[k] -= e
        H[k, k] += 1.0
        if k + 1 < count:
            g[k + 1] += e
            H[k + 1, k + 1] += 1.0
            H[k, k + 1] -= 1.0
            H[k + 1, k] -= 1.0
    return f


@kernel
def objective(stage, nodes, psi, lengths, goal, g, H):
    """Value, gradient (5,) and curvature (5, 5); `goal` has theta_1 .. theta_4 of the pattern, then the aim (x, y)."""
    g.fill(0.0)
    H.fill(0.0)
    if stage == 1:
        return _pattern(2, psi, goal, g, H) + _head(nodes, psi, lengths, goal[4], goal[5], g, H)
    if stage == 2:
        g[0], g[1] = nodes[4, 0] - nodes[6, 0], nodes[4, 1] - nodes[6, 1]
        H[0, 0], H[1, 1] = 1.0, 1.0
        return 0.5 * (g[0] * g[0] + g[1] * g[1])
    return _pattern(4, psi, goal, g, H)
