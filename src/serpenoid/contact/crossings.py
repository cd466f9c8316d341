"""Does a body pass through itself? Looked for in the recorded frames of any run, in the plane and in space.

The overlap of two links i, j that count as a pair (`contact.segments`) is

    r_i + r_j - distance of their axes

and where the axes themselves cross in the plane r_i + r_j + (how far the nearest of their four ends lies beyond the other axis): the
way back. It is 0 for links that touch. In space links without a radius count with THIN of their length.

Between frames every joint is taken to move straight and evenly. A pair is followed in steps no longer than its gap lasts at its
relative speed (conservative advancement), a quarter of its thickness at least; in the plane the instants at which an end runs
into an axis are the roots of a quadratic, so that thin links do not pass unseen.

Only pairs whose boxes, swept from frame to frame, overlap are looked at: O(n) per frame unless the body is a tangle.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from serpenoid.compiled import kernel, njit
from serpenoid.contact.segments import (
    BOX_ROWS,
    HIGH,
    LOW,
    counts,
    distance,
    from_point,
    join_boxes,
    next_near,
    tree_size,
)
from serpenoid.core import FloatArray, Robot

THIN = 0.01  # of its length: radius in space of a link without one
SLIGHT = 1e-3  # of the sum of the radii: overlaps below it are contacts, not crossings
_FINEST = 1.0 / 512.0  # of the time between frames
_CROSSED = 1e-9  # of the links' length: axes nearer than that cross, if they do not only touch
_NEVER = 2.0
_DEEPEST, _WHERE, _FIRST, _FOUND = (
    0,
    1,
    4,
    7,
)  # slots of what is found: overlap, frame, links; frame, links of the first; how many


class SelfCrossing(NamedTuple):
    """Deepest overlap of two links (m, 0: none touch), when and of which links; the first time that two links cross, None: never."""

    overlap: float
    time: float | None = None
    links: tuple[int, int] = (0, 0)
    first: float | None = None
    first_links: tuple[int, int] = (0, 0)


@njit
def at(P, Q, u, k):
    """Place of joint k at the share u of the way from frame P to frame Q."""
    return P[k, 0] + u * (Q[k, 0] - P[k, 0]), P[k, 1] + u * (Q[k, 1] - P[k, 1]), P[k, 2] + u * (Q[k, 2] - P[k, 2])


@njit
def less(a, b):
    """Difference of two vectors."""
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@njit
def wedge(a, b):
    """Vertical component of the product of two vectors."""
    return a[0] * b[1] - a[1] * b[0]


@njit
def entered(p, d, q, e):
    """How far two axes p + s d, q + t e in the plane have crossed: way of the nearest end back to the other axis; 0: not at all."""
    a, b = wedge(d, less(q, p)), wedge(d, (q[0] + e[0] - p[0], q[1] + e[1] - p[1], 0.0))
    f, g = wedge(e, less(p, q)), wedge(e, (p[0] + d[0] - q[0], p[1] + d[1] - q[1], 0.0))
    if a * b >= 0.0 or f * g >= 0.0:
        return 0.0
    ends = min(from_point(p, q, e), from_point((p[0] + d[0], p[1] + d[1], p[2] + d[2]), q, e))
    others = min(from_point(q, p, d), from_point((q[0] + e[0], q[1] + e[1], q[2] + e[2]), p, d))
    return min(ends, others)


@njit
def overlap_at(P, Q, u, i, j, thick, flat):
    """Overlap of links i and j on the way from frame P to frame Q."""
    p, q = at(P, Q, u, i), at(P, Q, u, j)
    d, e = less(at(P, Q, u, i + 1), p), less(at(P, Q, u, j + 1), q)
    apart = distance(p, d, q, e)
    if flat and apart < _CROSSED * (abs(d[0]) + abs(d[1]) + abs(e[0]) + abs(e[1])):
        return thick + entered(p, d, q, e)
    return thick - apart


@njit
def passed(P, Q, k, j):
    """When joint k first runs into axis j in the plane on the way from frame P to frame Q: share of the way, _NEVER: not."""
    a0, b0, x0 = at(P, Q, 0.0, j), at(P, Q, 0.0, j + 1), at(P, Q, 0.0, k)
    a1, b1, x1 = at(P, Q, 1.0, j), at(P, Q, 1.0, j + 1), at(P, Q, 1.0, k)
    e0, r0 = less(b0, a0), less(x0, a0)
    de, dr = less(less(b1, a1), e0), less(less(x1, a1), r0)
    # e x r = c + b u + a u^2
    c, b, a = wedge(e0, r0), wedge(e0, dr) + wedge(de, r0), wedge(de, dr)
    inside = b * b - 4.0 * a * c
    if inside < 0.0 or (a == 0.0 and b == 0.0):
        return _NEVER
    root = -0.5 * (b + math.copysign(math.sqrt(inside), b))
    u, v = c / root if root != 0.0 else _NEVER, root / a if a != 0.0 else _NEVER
    for w in (min(u, v), max(u, v)):
        if 0.0 < w <= 1.0:
            ex, ey, rx, ry = e0[0] + w * de[0], e0[1] + w * de[1], r0[0] + w * dr[0], r0[1] + w * dr[1]
            if 0.0 <= ex * rx + ey * ry <= ex * ex + ey * ey:
                return w
    return _NEVER


@njit
def fastest(P, Q, i, j):
    """Greatest relative way of any two points of links i and j from frame P to frame Q."""
    top = 0.0
    for a in range(i, i + 2):
        for b in range(j, j + 2):
            x, y, z = less(less(at(P, Q, 1.0, a), at(P, Q, 0.0, a)), less(at(P, Q, 1.0, b), at(P, Q, 0.0, b)))
            top = max(top, x * x + y * y + z * z)
    return math.sqrt(top)


@njit
def far(P, i, j, reach):
    """Whether the middles of two links are too far apart to meet: `reach` beyond half their lengths."""
    x, y, z = (
        0.5 * (P[i, 0] + P[i + 1, 0] - P[j, 0] - P[j + 1, 0]),
        0.5 * (P[i, 1] + P[i + 1, 1] - P[j, 1] - P[j + 1, 1]),
        0.5 * (P[i, 2] + P[i + 1, 2] - P[j, 2] - P[j + 1, 2]),
    )
    return x * x + y * y + z * z > reach * reach


@njit
def follow_pair(P, Q, i, j, thick, flat, way):
    """Deepest overlap of a pair on the way from frame P to frame Q, and the share of the way at which it first crosses."""
    slight = SLIGHT * thick
    first, u = _NEVER, 0.0
    least = max(_FINEST, 0.25 * thick / way) if way > 0.0 else 1.0
    if flat and thick == 0.0:
        least = 0.25  # what happens between is found below
    deepest = -np.inf
    while True:
        over = overlap_at(P, Q, u, i, j, thick, flat)
        deepest = max(deepest, over)
        if over > slight and first > 1.0:
            first = u
        if u >= 1.0:
            break
        u = min(1.0, u + max(least, -over / way if way > 0.0 else 1.0))
    if flat:
        w = min(min(passed(P, Q, i, j), passed(P, Q, i + 1, j)), min(passed(P, Q, j, i), passed(P, Q, j + 1, i)))
        if w <= 1.0:
            deepest, first = max(deepest, thick), min(first, w)
    return deepest, first


@njit
def sweep_boxes(P, Q, radius, tree, size):
    """Boxes round the links at both frames."""
    n = radius.shape[0]
    for i in range(n):
        for e in range(3):
            low, high = min(P[i, e], P[i + 1, e]), max(P[i, e], P[i + 1, e])
            tree[LOW + e, size + i] = min(low, min(Q[i, e], Q[i + 1, e])) - radius[i]
            tree[HIGH + e, size + i] = max(high, max(Q[i, e], Q[i + 1, e])) + radius[i]
    join_boxes(tree, size, n)


@kernel
def find_crossings(nodes, arc, radius, flat, tree, found):
    """Fill `found` from the frames (f, n+1, 3): deepest overlap and where, the first crossing; frames count in shares."""
    n, frames, size = radius.shape[0], nodes.shape[0], tree.shape[1] // 2
    for f in range(max(frames - 1, 1)):
        P, Q = nodes[f], nodes[min(f + 1, frames - 1)]
        sweep_boxes(P, Q, radius, tree, size)
        for i in range(n - 2):
            j, node = next_near(tree, size, n, i, size + i + 2)
            while j >= 0:
                if j < n and counts(arc, radius, i, j):
                    thick, way = radius[i] + radius[j], fastest(P, Q, i, j)
                    reach = 0.5 * (arc[i + 1] - arc[i] + arc[j + 1] - arc[j]) + thick + way
                    if not far(P, i, j, reach):
                        deepest, first = follow_pair(P, Q, i, j, thick, flat, way)
                        if deepest > found[_DEEPEST]:
                            found[_DEEPEST], found[_WHERE], found[_WHERE + 1], found[_WHERE + 2] = deepest, f, i, j
                        if first <= 1.0 and f + first < found[_FIRST]:
                            found[_FIRST], found[_FIRST + 1], found[_FIRST + 2] = f + first, i, j
                            found[_FOUND] += 1.0
                j, node = next_near(tree, size, n, i, node)


def self_crossing(robot: Robot, times: FloatArray, nodes: FloatArray, flat: bool) -> SelfCrossing:
    """What the frames tell: times (f,), places (f, n+1, 3) of tail's end, joints and head's tip; `flat`: in the plane axes can cross."""
    bad = np.flatnonzero(~np.isfinite(nodes).all(axis=(1, 2)))
    stop = int(bad[0]) if bad.size else len(nodes)
    if robot.links < 3 or stop == 0:
        return SelfCrossing(0.0)
    radius = np.array(robot.radius, dtype=float)
    if not flat:
        radius = np.where(radius > 0.0, radius, THIN * robot.link_length)
    arc = np.concatenate([[0.0], np.cumsum(robot.link_length)])
    found = np.zeros(_FOUND + 1)
    found[_FIRST] = np.inf
    tree = np.zeros((BOX_ROWS, 2 * tree_size(robot.links)))
    find_crossings(np.ascontiguousarray(nodes[:stop], dtype=float), arc, radius, bool(flat), tree, found)
    frames = np.arange(stop)
    deep, first = found[_WHERE : _WHERE + 3], found[_FIRST : _FIRST + 3]
    return SelfCrossing(
        float(max(found[_DEEPEST], 0.0)),
        float(times[int(deep[0])]) if found[_DEEPEST] > 0.0 else None,
        (int(deep[1]), int(deep[2])),
        float(np.interp(first[0], frames, times[:stop])) if np.isfinite(first[0]) else None,
        (int(first[1]), int(first[2])),
    )
