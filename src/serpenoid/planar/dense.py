"""The dense equations of motion of Ma, Li and Wang (2001), corrected, as a plain NumPy reference for the O(n) recursion.

Unknowns are the tail's end r_0 and the headings phi of the links; f_k is the contact force on the robot.

    D tau = f-tau + 0tau + M0 r_0'' + M phi''                                                     (2)
    f-f + 0f + m0 r_0'' + m phi'' = 0                                                             (3)
    phi = E theta + e phi_0                                                                       (9)

Gravity g along a sloping plane acts on the links' centres of gravity: f-tau has h_i (g_x s_i - g_y c_i), f-f has -M g. Solved for the prescribed shape (10), (11) and for given torques (12) in O(n^3): a reference, not for runs.

| symbol | field | shape | meaning |
|---|---|---|---|
| h_i | `lever(robot)` | (n,) kg m | m_i lG_i + l_i sum_{k>i} m_k |
| D | `D` | (n, n-1) | joint torques to moments on the links: + on link i, - on link i-1 |
| E | `E` | (n, n-1) | joint angles to headings; E'D = I, e'D = 0 with e = (1, ..., 1) |
| M, M0 | `M`, `M0` | (n, n) kg m^2, (n, 2) kg m | inertia of the headings, and its coupling with r_0'' |
| m0, m | `m0`, `m` | (2, 2) kg, (2, n) kg m | mass, and its coupling with phi'' (the transpose of M0) |
| 0tau, 0f | `tau0`, `f0` | (n,) N m, (2,) N | centripetal terms |
| f-tau, f-f | `tau_f`, `f_f` | (n,) N m, (2,) N | contact terms |

Source: Ma, Li and Wang (2001), equations (2), (3), (9)-(12). Errata, found by comparison with Lagrange's
equations and noted where they apply: the off-diagonal cases of M are interchanged, 0tau and f-f have a wrong
sign, (2) prints phi' for phi'' and m prints e_j for c_j. The paper's matrices are indexed from 1, so row i is
link i-1. Joint damping is not part of these equations: tau is the whole torque between two links.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from serpenoid.core import FloatArray, Robot

Gravity = tuple[float, float]
LEVEL: Gravity = (0.0, 0.0)  # m/s^2


class Terms(NamedTuple):
    """Every term of equations (2) and (3) at one state."""

    M: FloatArray
    M0: FloatArray
    m0: FloatArray
    m: FloatArray
    tau0: FloatArray
    tau_f: FloatArray
    f0: FloatArray
    f_f: FloatArray


def torque_map(links: int) -> FloatArray:
    """D of (2): column j is the torque of joint j+1, + on its outer link, - on its inner one."""
    return np.eye(links, links - 1, k=-1) - np.eye(links, links - 1)


def angle_map(links: int) -> FloatArray:
    """E of (9): ones below the diagonal (the condition "& i > 1" of the paper is redundant)."""
    return np.tri(links, links - 1, k=-1)


def lever(robot: Robot) -> FloatArray:
    """h_i = m_i lG_i + l_i (mass of the links beyond i), kg m."""
    return robot.link_mass * robot.com_offset + robot.link_length * mass_beyond(robot)


def mass_beyond(robot: Robot) -> FloatArray:
    """Mass of the links on the head's side of each link, kg."""
    return robot.mass - np.cumsum(robot.link_mass)


def outer_lever(robot: Robot) -> FloatArray:
    """l_min h_max of the indices i, j, shape (n, n), zero diagonal: the link nearer to the head carries h."""
    # erratum: the paper's cases j < i and j > i are interchanged, which gives an indefinite matrix
    product = np.outer(robot.link_length, lever(robot))
    upper = np.triu(product, k=1)
    return upper + upper.T


def terms(
    robot: Robot,
    phi: FloatArray,
    dphi: FloatArray,
    forces: FloatArray,
    offsets: FloatArray | None = None,
    gravity: Gravity = LEVEL,
) -> Terms:
    """Evaluate every term of (2) and (3); forces (n, 2) act at the contact points, world axes; gravity (2,) along the plane.

    With several contact points per link: forces (n, k, 2), and their `offsets` (n, k) from the tail-side joints.
    """
    swing = (
        robot.contact_offset[:, None] * forces
        if offsets is None
        else (np.asarray(offsets)[..., None] * forces).sum(axis=1)
    )
    forces = forces if offsets is None else forces.sum(axis=1)
    c, s, h = np.cos(phi), np.sin(phi), lever(robot)
    coupling = outer_lever(robot)
    between = phi[None, :] - phi[:, None]  # phi_k - phi_i in row i, column k
    own = robot.link_mass * robot.com_offset**2 + robot.link_inertia + robot.link_length**2 * mass_beyond(robot)
    M0 = h[:, None] * np.stack([-s, c], axis=1)
    beyond = forces.sum(axis=0) - np.cumsum(forces, axis=0)
    arm = robot.link_length[:, None] * beyond + swing
    return Terms(
        M=coupling * np.cos(between) + np.diag(own),
        M0=M0,
        m0=robot.mass * np.eye(2),
        m=M0.T,  # erratum: the second entry is h_j c_j, printed e_j
        tau0=-(coupling * np.sin(between)) @ dphi**2,  # erratum: the sum over k > i lacks its minus sign
        tau_f=arm[:, 0] * s - arm[:, 1] * c + h * (gravity[0] * s - gravity[1] * c),
        f0=-np.array([c, s]) @ (h * dphi**2),
        f_f=-forces.sum(axis=0)
        - robot.mass * np.asarray(gravity),  # erratum: printed without the minus sign, against f-tau and (4)
    )


def _solve(matrix: FloatArray, side: FloatArray) -> FloatArray:
    return np.asarray(np.linalg.solve(matrix, side), dtype=np.float64)


def tail_acceleration(t: Terms, ddphi: FloatArray) -> FloatArray:
    """Acceleration of the tail's end by (10), shape (2,)."""
    return -_solve(t.m0, t.m @ ddphi + t.f_f + t.f0)


def reduced(t: Terms) -> tuple[FloatArray, FloatArray]:
    """M - M0 m0^-1 m, and f-tau + 0tau - M0 m0^-1 (f-f + 0f): what remains of (2) after (3)."""
    inertia = t.M - t.M0 @ _solve(t.m0, t.m)
    return inertia, t.tau_f + t.tau0 - t.M0 @ _solve(t.m0, t.f_f + t.f0)


def shape_to_motion(
    robot: Robot, phi: FloatArray, dphi: FloatArray, ddtheta: FloatArray, forces: FloatArray, offsets: FloatArray | None = None,
    gravity: Gravity = LEVEL,
) -> tuple[FloatArray, float, FloatArray]:  # fmt: skip
    """Given joint accelerations, by (10), (11): accelerations of the tail's end and heading, torques."""
    n = robot.links
    t = terms(robot, phi, dphi, forces, offsets, gravity)
    inertia, rest = reduced(t)
    bent = angle_map(n) @ ddtheta
    # (11): unknowns tau and phi_0'', one column each
    system = np.column_stack([torque_map(n), -inertia.sum(axis=1)])
    unknown = _solve(system, inertia @ bent + rest)
    ddphi0 = float(unknown[-1])
    return tail_acceleration(t, bent + ddphi0), ddphi0, unknown[:-1]


def torque_to_motion(
    robot: Robot, phi: FloatArray, dphi: FloatArray, tau: FloatArray, forces: FloatArray, offsets: FloatArray | None = None,
    gravity: Gravity = LEVEL,
) -> tuple[FloatArray, FloatArray]:  # fmt: skip
    """Given joint torques, by (12) and (10): the tail's acceleration and those of all headings."""
    t = terms(robot, phi, dphi, forces, offsets, gravity)
    inertia, rest = reduced(t)
    ddphi = _solve(inertia, torque_map(robot.links) @ tau - rest)
    return tail_acceleration(t, ddphi), ddphi
