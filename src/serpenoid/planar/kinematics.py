"""Where the parts of a planar chain are and how fast they move, relative to its centre of gravity.

With link directions t_i = (c_i, s_i), normals n_i = (-s_i, c_i) and rates r_i of the headings (equation (1) of
paper 002):

    joint i+1 = joint i + l_i t_i        centre of gravity = joint + lG_i t_i        contact = joint + lf_i t_i

and their velocities with r_i n_i in place of t_i. Everything is counted from the centre of gravity of the whole
body, which is sum h_i t_i / M from the tail, h_i = m_i lG_i + l_i (mass of the links beyond i).

`Chain` holds a robot's constants, the array `b` what is computed from them; axes are those of the headings given
(a body frame or the world).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from serpenoid.compiled import njit
from serpenoid.contact.touch import FN, FT, VN, VT
from serpenoid.core import FloatArray, Robot


class Chain(NamedTuple):
    """Constants of a planar chain; arrays have one entry a link, index 0 at the tail."""

    length: FloatArray
    mass: FloatArray
    inertia: FloatArray
    com: FloatArray
    contact: FloatArray
    lever: FloatArray  # h_i = m_i lG_i + l_i sum_{k>i} m_k
    damping: FloatArray  # of the joint at the tail side of the link; 0 for link 0
    edge_c: FloatArray  # cosine and sine of the edge angle
    edge_s: FloatArray
    total: float  # mass of the body


# Rows of the working array `b` of one robot, shape (BODY_ROWS, n); positions and velocities relative to the centre of gravity.
ANGLE = 0  # heading of the link
RATE = 1  # its rate
BEND = 2  # its acceleration
C, S = 3, 4  # cosine and sine of the heading
XJ, YJ = 5, 6  # tail-side joint
UJ, VJ = 7, 8  # and its velocity
XG, YG = 9, 10  # centre of gravity of the link
WX, WY = 11, 12  # and its velocity
XC, YC = 13, 14  # contact point
TX, TY = 15, 16  # direction of the edge
MT, MN = 17, 18  # moments of unit forces along and across the edge about the centre of gravity of the body
VT0, VN0 = 19, 20  # contact velocity along and across, of the change of shape alone
FX, FY = 21, 22  # contact force
PX, PY = 23, 24  # rate of change of the link's momentum
PM = 25  # and of its angular momentum about the centre of gravity of the body
JX, JY = 26, 27  # force of the inner link on this one at the tail-side joint
TAU = 28  # torque of the inner link on this one; entry 0 is the residual of the balance
ANGLE0 = 29  # at the start of the step: heading
XG0, YG0 = 30, 31  # centre of gravity of the link
WX0, WY0 = 32, 33  # and its velocity
SPIN0 = 34  # m (position x velocity) of the link
TURN0 = 35  # angular velocity
DTURN = 36  # last change of the angular velocity
BODY_ROWS = 37


def chain_of(robot: Robot, edge_angle: FloatArray | float = 0.0) -> Chain:
    """Constants of a robot for the kernels."""
    mass = robot.link_mass.copy()
    beyond = np.concatenate([np.cumsum(mass[::-1])[::-1][1:], [0.0]])
    edge = np.broadcast_to(np.asarray(edge_angle, dtype=float), mass.shape)
    return Chain(
        robot.link_length.copy(),
        mass,
        robot.link_inertia.copy(),
        robot.com_offset.copy(),
        robot.contact_offset.copy(),
        mass * robot.com_offset + robot.link_length * beyond,
        np.concatenate([[0.0], robot.joint_damping]),
        np.cos(edge),
        np.sin(edge),
        float(mass.sum()),
    )


def body_for(links: int) -> FloatArray:
    """Working array for a robot of that many links."""
    return np.zeros((BODY_ROWS, links))


@njit
def place(chain, b):
    """From c, s and rate: positions and velocities of joints, centres of gravity; positions of contacts."""
    n = b.shape[1]
    x, y, u, v = 0.0, 0.0, 0.0, 0.0
    for i in range(n):
        x -= chain.lever[i] * b[C, i]
        y -= chain.lever[i] * b[S, i]
        u += chain.lever[i] * b[S, i] * b[RATE, i]
        v -= chain.lever[i] * b[C, i] * b[RATE, i]
    x, y, u, v = x / chain.total, y / chain.total, u / chain.total, v / chain.total
    for i in range(n):
        b[XJ, i] = x
        b[YJ, i] = y
        b[UJ, i] = u
        b[VJ, i] = v
        x += chain.length[i] * b[C, i]
        y += chain.length[i] * b[S, i]
        u -= chain.length[i] * b[S, i] * b[RATE, i]
        v += chain.length[i] * b[C, i] * b[RATE, i]
    # short loops of few rows each: the compiler vectorises those (it checks every pair of rows for overlap)
    for i in range(n):
        b[XG, i] = b[XJ, i] + chain.com[i] * b[C, i]
    for i in range(n):
        b[YG, i] = b[YJ, i] + chain.com[i] * b[S, i]
    for i in range(n):
        b[WX, i] = b[UJ, i] - chain.com[i] * b[S, i] * b[RATE, i]
    for i in range(n):
        b[WY, i] = b[VJ, i] + chain.com[i] * b[C, i] * b[RATE, i]
    for i in range(n):
        b[XC, i] = b[XJ, i] + chain.contact[i] * b[C, i]
    for i in range(n):
        b[YC, i] = b[YJ, i] + chain.contact[i] * b[S, i]


@njit
def face_ground(chain, b):
    """From `place`: edge directions, their moments, and the contact velocities of the change of shape alone."""
    n = b.shape[1]
    for i in range(n):
        b[TX, i] = b[C, i] * chain.edge_c[i] - b[S, i] * chain.edge_s[i]
    for i in range(n):
        b[TY, i] = b[S, i] * chain.edge_c[i] + b[C, i] * chain.edge_s[i]
    for i in range(n):
        b[MT, i] = b[XC, i] * b[TY, i] - b[YC, i] * b[TX, i]
    for i in range(n):
        b[MN, i] = b[XC, i] * b[TX, i] + b[YC, i] * b[TY, i]
    for i in range(n):
        b[VT0, i] = b[UJ, i] - chain.contact[i] * b[S, i] * b[RATE, i]
    for i in range(n):
        b[VN0, i] = b[VJ, i] + chain.contact[i] * b[C, i] * b[RATE, i]
    for i in range(n):
        ux, uy = b[VT0, i], b[VN0, i]
        b[VT0, i] = ux * b[TX, i] + uy * b[TY, i]
        b[VN0, i] = uy * b[TX, i] - ux * b[TY, i]


@njit
def slip(b, touch, vx, vy, turn):
    """Contact velocities along and across the edges of a body that moves at (vx, vy) and turns at `turn`."""
    for i in range(b.shape[1]):
        touch[VT, i] = vx * b[TX, i] + vy * b[TY, i] + turn * b[MT, i] + b[VT0, i]
    for i in range(b.shape[1]):
        touch[VN, i] = vy * b[TX, i] - vx * b[TY, i] + turn * b[MN, i] + b[VN0, i]


@njit
def spread_forces(b, touch):
    """Contact forces in the axes of the headings, from those along and across the edges: equations (5), (6)."""
    for i in range(b.shape[1]):
        b[FX, i] = touch[FT, i] * b[TX, i] - touch[FN, i] * b[TY, i]
    for i in range(b.shape[1]):
        b[FY, i] = touch[FT, i] * b[TY, i] + touch[FN, i] * b[TX, i]


@njit
def tail_offset(chain, b):
    """Position of the tail's end relative to the centre of gravity, from c and s alone."""
    x, y = 0.0, 0.0
    for i in range(b.shape[1]):
        x -= chain.lever[i] * b[C, i]
        y -= chain.lever[i] * b[S, i]
    return x / chain.total, y / chain.total
