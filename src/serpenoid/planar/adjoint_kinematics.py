"""The way back through the kinematics of a planar chain (`kinematics`): from contacts to links to headings.

Each function is the transpose of the one that it names, in the opposite order. Rows of the adjoints are those of `layout`; derivatives by
lengths, levers and places of contacts are added to the slopes.
"""

from __future__ import annotations

from serpenoid.compiled import njit
from serpenoid.planar.layout import (
    COM,
    CONTACT,
    EDGE_C,
    EDGE_S,
    LENGTH,
    LEVER,
    MN,
    MT,
    RATE,
    TOTAL,
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
)


@njit
def reverse_facing(constants, f, bar, slopes):
    """Back through `face_ground`: edges, their moments and the contact velocities of the change of shape."""
    points, slope = constants.points, slopes.points
    for j in range(f.shape[1]):
        at, c, s, rate, tx, ty = points[CONTACT, j], f[C, j], f[S, j], f[RATE, j], f[TX, j], f[TY, j]
        ux, uy = f[UJ, j] - at * s * rate, f[VJ, j] + at * c * rate
        mt, mn, vt, vn = bar[MT, j], bar[MN, j], bar[VT0, j], bar[VN0, j]
        # edges
        ex = bar[TX, j] - mt * f[YC, j] + mn * f[XC, j] + vt * ux + vn * uy
        ey = bar[TY, j] + mt * f[XC, j] + mn * f[YC, j] + vt * uy - vn * ux
        slope[EDGE_C, j] += ex * c + ey * s
        slope[EDGE_S, j] += ey * c - ex * s
        # places and velocities of the contacts
        bx, by, bu, bv = mt * ty + mn * tx, mn * ty - mt * tx, vt * tx - vn * ty, vt * ty + vn * tx
        bar[XC, j] += bx
        bar[YC, j] += by
        bar[UJ, j] += bu
        bar[VJ, j] += bv
        slope[CONTACT, j] += rate * (bv * c - bu * s)
        bar[C, j] += ex * points[EDGE_C, j] + ey * points[EDGE_S, j] + at * rate * bv
        bar[S, j] += ey * points[EDGE_C, j] - ex * points[EDGE_S, j] - at * rate * bu
        bar[RATE, j] += at * (c * bv - s * bu)


@njit
def reverse_ground(constants, scratch, adjoint, slopes):
    """Back through `face_ground` and `place_points`: what is left stands at the links."""
    f, bar, links, n = scratch.points, adjoint.points, adjoint.links, scratch.links.shape[1]
    several = f.shape[1] > n
    reverse_facing(constants, f, bar, slopes)
    for j in range(f.shape[1]):
        i, at, bx, by = j % n, constants.points[CONTACT, j], bar[XC, j], bar[YC, j]
        slopes.points[CONTACT, j] += bx * f[C, j] + by * f[S, j]
        bar[C, j] += at * bx
        bar[S, j] += at * by
        links[XJ, i] += bx
        links[YJ, i] += by
        if several:
            links[C, i] += bar[C, j]
            links[S, i] += bar[S, j]
            links[RATE, i] += bar[RATE, j]
            links[UJ, i] += bar[UJ, j]
            links[VJ, i] += bar[VJ, j]


@njit
def reverse_centres(links, b, bar, slope):
    """Back from the centres of gravity of the links to their joints."""
    for i in range(b.shape[1]):
        at, c, s, rate = links[COM, i], b[C, i], b[S, i], b[RATE, i]
        bx, by, bu, bv = bar[XG, i], bar[YG, i], bar[WX, i], bar[WY, i]
        slope[COM, i] += bx * c + by * s + rate * (bv * c - bu * s)
        bar[C, i] += at * (bx + rate * bv)
        bar[S, i] += at * (by - rate * bu)
        bar[RATE, i] += at * (c * bv - s * bu)
        bar[XJ, i] += bx
        bar[YJ, i] += by
        bar[UJ, i] += bu
        bar[VJ, i] += bv


@njit
def reverse_chain(links, total, b, bar, slopes):
    """Back along the chain and through `lever_sums`: from the joints to cosine, sine and rate of the links."""
    n, x, y, u, v, slope = b.shape[1], 0.0, 0.0, 0.0, 0.0, slopes.links
    for back in range(n):
        i = n - 1 - back
        l, c, s, rate = links[LENGTH, i], b[C, i], b[S, i], b[RATE, i]
        slope[LENGTH, i] += x * c + y * s + rate * (v * c - u * s)
        bar[C, i] += l * (x + rate * v)
        bar[S, i] += l * (y - rate * u)
        bar[RATE, i] += l * (c * v - s * u)
        x, y, u, v = x + bar[XJ, i], y + bar[YJ, i], u + bar[UJ, i], v + bar[VJ, i]
    slopes.numbers[TOTAL] -= (x * b[XJ, 0] + y * b[YJ, 0] + u * b[UJ, 0] + v * b[VJ, 0]) / total
    x, y, u, v = x / total, y / total, u / total, v / total
    for i in range(n):
        lever, c, s, rate = links[LEVER, i], b[C, i], b[S, i], b[RATE, i]
        slope[LEVER, i] -= x * c + y * s + rate * (v * c - u * s)
        bar[C, i] -= lever * (x + rate * v)
        bar[S, i] -= lever * (y - rate * u)
        bar[RATE, i] -= lever * (c * v - s * u)


@njit
def reverse_kinematics(links, total, b, adjoint, slopes):
    """Back through `forward_kinematics` to the headings and their rates."""
    bar, headings = adjoint.links, adjoint.headings
    reverse_centres(links, b, bar, slopes.links)
    reverse_chain(links, total, b, bar, slopes)
    for i in range(b.shape[1]):
        headings[0, i] += bar[S, i] * b[C, i] - bar[C, i] * b[S, i]
        headings[1, i] += bar[RATE, i]
