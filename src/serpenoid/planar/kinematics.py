"""Where the parts of a planar chain are and how fast they move, relative to its centre of gravity.

With link directions t_i = (c_i, s_i), normals n_i = (-s_i, c_i) and rates r_i of the headings (equation (1) of
Ma, Li and Wang (2001)):

    joint i+1 = joint i + l_i t_i        centre of gravity = joint + lG_i t_i        contact = joint + lf_i t_i

and their velocities with r_i n_i in place of t_i. Everything is counted from the centre of gravity of the whole
body, which is sum h_i t_i / M from the tail, h_i = m_i lG_i + l_i (mass of the links beyond i).

`links` are the constants of the links, `b` is what is computed from them (`layout`); axes are those of the headings given (a
body frame or the world).
"""

from __future__ import annotations

from serpenoid.compiled import njit
from serpenoid.contact.touch import FN, FT, VN, VT
from serpenoid.planar.layout import (
    COM,
    CONTACT,
    EDGE_C,
    EDGE_S,
    FM,
    FX,
    FY,
    LENGTH,
    LEVER,
    MN,
    MT,
    RATE,
    TX,
    TY,
    UJ,
    VJ,
    VN0,
    VT0,
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
)  # fmt: skip


@njit
def lever_sums(links, b):
    """Sums over the links from which the tail's end follows: its place and velocity from the centre of gravity, times the mass of the body."""
    x, y, u, v = 0.0, 0.0, 0.0, 0.0
    for i in range(b.shape[1]):
        x -= links[LEVER, i] * b[C, i]
        y -= links[LEVER, i] * b[S, i]
        u += links[LEVER, i] * b[S, i] * b[RATE, i]
        v -= links[LEVER, i] * b[C, i] * b[RATE, i]
    return x, y, u, v


@njit
def forward_kinematics(links, total, b):
    """From c, s and rate: positions and velocities of joints, centres of gravity; positions of contacts."""
    x, y, u, v = lever_sums(links, b)
    place_links(links, b, x / total, y / total, u / total, v / total)


@njit
def place_links(links, b, x, y, u, v):
    """The same from the tail-side joint of the first link: place and velocity there; returns those at the end of the last link."""
    n = b.shape[1]
    for i in range(n):
        b[XJ, i] = x
        b[YJ, i] = y
        b[UJ, i] = u
        b[VJ, i] = v
        x += links[LENGTH, i] * b[C, i]
        y += links[LENGTH, i] * b[S, i]
        u -= links[LENGTH, i] * b[S, i] * b[RATE, i]
        v += links[LENGTH, i] * b[C, i] * b[RATE, i]
    # short loops of few rows each: the compiler vectorises those (it checks every pair of rows for overlap)
    for i in range(n):
        b[XG, i] = b[XJ, i] + links[COM, i] * b[C, i]
    for i in range(n):
        b[YG, i] = b[YJ, i] + links[COM, i] * b[S, i]
    for i in range(n):
        b[WX, i] = b[UJ, i] - links[COM, i] * b[S, i] * b[RATE, i]
    for i in range(n):
        b[WY, i] = b[VJ, i] + links[COM, i] * b[C, i] * b[RATE, i]
    for i in range(n):
        b[XC, i] = b[XJ, i] + links[CONTACT, i] * b[C, i]
    for i in range(n):
        b[YC, i] = b[YJ, i] + links[CONTACT, i] * b[S, i]
    return x, y, u, v


@njit
def face_ground(links, b):
    """From `forward_kinematics`: edge directions, their moments, and the contact velocities of the change of shape alone."""
    n = b.shape[1]
    for i in range(n):
        b[TX, i] = b[C, i] * links[EDGE_C, i] - b[S, i] * links[EDGE_S, i]
    for i in range(n):
        b[TY, i] = b[S, i] * links[EDGE_C, i] + b[C, i] * links[EDGE_S, i]
    for i in range(n):
        b[MT, i] = b[XC, i] * b[TY, i] - b[YC, i] * b[TX, i]
    for i in range(n):
        b[MN, i] = b[XC, i] * b[TX, i] + b[YC, i] * b[TY, i]
    for i in range(n):
        b[VT0, i] = b[UJ, i] - links[CONTACT, i] * b[S, i] * b[RATE, i]
    for i in range(n):
        b[VN0, i] = b[VJ, i] + links[CONTACT, i] * b[C, i] * b[RATE, i]
    for i in range(n):
        ux, uy = b[VT0, i], b[VN0, i]
        b[VT0, i] = ux * b[TX, i] + uy * b[TY, i]
        b[VN0, i] = uy * b[TX, i] - ux * b[TY, i]


@njit
def place_points(points, b, f):
    """Rows f of several contact points per link that `face_ground` needs, from those of their links, b; `points` are their constants."""
    n = b.shape[1]
    for j in range(f.shape[1]):
        i = j % n
        f[C, j], f[S, j], f[RATE, j], f[UJ, j], f[VJ, j] = b[C, i], b[S, i], b[RATE, i], b[UJ, i], b[VJ, i]
        f[XC, j] = b[XJ, i] + points[CONTACT, j] * b[C, i]
        f[YC, j] = b[YJ, i] + points[CONTACT, j] * b[S, i]


@njit
def slip(b, touch, vx, vy, turn):
    """Contact velocities along and across the edges of a body that moves at (vx, vy) and turns at `turn`."""
    for i in range(b.shape[1]):
        touch[VT, i] = vx * b[TX, i] + vy * b[TY, i] + turn * b[MT, i] + b[VT0, i]
    for i in range(b.shape[1]):
        touch[VN, i] = vy * b[TX, i] - vx * b[TY, i] + turn * b[MN, i] + b[VN0, i]


@njit
def spread_forces(points, b, f, touch):
    """Contact forces on the links in the axes of the headings, from those along and across the edges, and their moments: equations (5), (6)."""
    n = b.shape[1]
    for i in range(n):
        b[FX, i] = touch[FT, i] * f[TX, i] - touch[FN, i] * f[TY, i]
    for i in range(n):
        b[FY, i] = touch[FT, i] * f[TY, i] + touch[FN, i] * f[TX, i]
    for i in range(n):
        b[FM, i] = points[CONTACT, i] * (b[C, i] * b[FY, i] - b[S, i] * b[FX, i])
    for j in range(n, f.shape[1]):  # further contact points of the links
        i = j % n
        fx, fy = touch[FT, j] * f[TX, j] - touch[FN, j] * f[TY, j], touch[FT, j] * f[TY, j] + touch[FN, j] * f[TX, j]
        b[FX, i] += fx
        b[FY, i] += fy
        b[FM, i] += points[CONTACT, j] * (b[C, i] * fy - b[S, i] * fx)
