"""Two links of one body: which pairs can touch, how near they are, and how to find the near ones without looking at all.

Links are segments with a radius. Neighbours overlap at their joint by construction, and short thick links overlap with those next
to them wherever the body bends. A pair i < j counts where the body between its links, of length s, cannot bring them together by
bending no tighter than its own thickness:

    j = i + 2 and s >= r_i + r_j        (one stiff link between them)
    or s >= (pi/2) (r_i + r_j)          (a tube bent to half a circle about its own surface)

Near pairs are found by boxes: a binary tree over the links in their order, each box round all links below it. A chain's
order is a good one, so that building is O(n) and a search O(log n) per link as long as few links are near each other.

The tree lies in six rows: column 1 is the root, columns 2 k and 2 k + 1 are the children of k, column `size` + i is link i.
"""

from __future__ import annotations

import math

import numpy as np

from serpenoid.compiled import njit

LOW, HIGH = 0, 3  # rows of a box: least x, y, z; greatest x, y, z
BOX_ROWS = 6
_HALF_TURN = 0.5 * math.pi
_PARALLEL = 1e-12  # of the product of squared lengths: directions that count as parallel


def tree_size(links: int) -> int:
    """Least power of two that is not below the number of links: the tree has twice as many columns."""
    return 1 << max(0, int(links - 1).bit_length())


@njit
def counts(arc, radius, i, j):
    """Whether links i < j are a pair that can touch; `arc` (n+1,) is the length of the body up to each joint."""
    between, thick = arc[j] - arc[i + 1], radius[i] + radius[j]
    return (j == i + 2 and between >= thick) or (j > i + 2 and between >= _HALF_TURN * thick)


@njit
def join_boxes(tree, size, links):
    """Fill the boxes above those of the links."""
    for k in range(size + links, 2 * size):
        for e in range(3):
            tree[LOW + e, k], tree[HIGH + e, k] = np.inf, -np.inf
    for m in range(size - 1):
        k = size - 1 - m
        for e in range(3):
            tree[LOW + e, k] = min(tree[LOW + e, 2 * k], tree[LOW + e, 2 * k + 1])
            tree[HIGH + e, k] = max(tree[HIGH + e, 2 * k], tree[HIGH + e, 2 * k + 1])


@njit
def overlap(tree, a, b):
    """Whether two boxes overlap."""
    return (
        tree[LOW, a] <= tree[HIGH, b] and tree[LOW, b] <= tree[HIGH, a]
        and tree[LOW + 1, a] <= tree[HIGH + 1, b] and tree[LOW + 1, b] <= tree[HIGH + 1, a]
        and tree[LOW + 2, a] <= tree[HIGH + 2, b] and tree[LOW + 2, b] <= tree[HIGH + 2, a]
    )  # fmt: skip


@njit
def after(node):
    """The box to look at after `node` and all below it; 0: none."""
    while node & 1:
        node >>= 1
    return node + 1 if node else 0


@njit
def next_near(tree, size, links, i, node):
    """The next link, searching from box `node`, whose box overlaps that of link i, and the box to go on from; (-1, 0): none."""
    while node:
        if not overlap(tree, size + i, node):
            node = after(node)
        elif node < size:
            node = 2 * node
        else:
            return node - size, after(node)
    return -1, 0


@njit
def nearest(p, d, q, e):
    """Where two segments p + s d and q + t e, s and t in 0..1, are nearest: s, t."""
    rx, ry, rz = p[0] - q[0], p[1] - q[1], p[2] - q[2]
    a, c = d[0] * d[0] + d[1] * d[1] + d[2] * d[2], e[0] * e[0] + e[1] * e[1] + e[2] * e[2]
    b = d[0] * e[0] + d[1] * e[1] + d[2] * e[2]
    f, g = d[0] * rx + d[1] * ry + d[2] * rz, e[0] * rx + e[1] * ry + e[2] * rz
    wide = a * c - b * b
    s = min(max((b * g - c * f) / wide, 0.0), 1.0) if wide > _PARALLEL * a * c else 0.0
    t = (b * s + g) / c if c > 0.0 else 0.0
    if t < 0.0 or t > 1.0:
        t = min(max(t, 0.0), 1.0)
        s = min(max((b * t - f) / a, 0.0), 1.0) if a > 0.0 else 0.0
    return s, t


@njit
def distance(p, d, q, e):
    """Distance of two segments p + s d and q + t e."""
    s, t = nearest(p, d, q, e)
    x, y, z = p[0] + s * d[0] - q[0] - t * e[0], p[1] + s * d[1] - q[1] - t * e[1], p[2] + s * d[2] - q[2] - t * e[2]
    return math.sqrt(x * x + y * y + z * z)


@njit
def from_point(x, q, e):
    """Distance of a point from the segment q + t e."""
    c = e[0] * e[0] + e[1] * e[1] + e[2] * e[2]
    u, v, w = x[0] - q[0], x[1] - q[1], x[2] - q[2]
    t = min(max((u * e[0] + v * e[1] + w * e[2]) / c, 0.0), 1.0) if c > 0.0 else 0.0
    u, v, w = u - t * e[0], v - t * e[1], w - t * e[2]
    return math.sqrt(u * u + v * v + w * w)
