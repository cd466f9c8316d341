"""Whether a link passed through something thin between two steps, unseen: its axis on one side before, on the other after.

Contacts are found at one pose per step. A link that moves farther than the thickness of a peg and its own may be before it in one step
and behind it in the next. Only links that move that far are looked at. Before the step a point was at p - dt v: nothing touched it, so
its velocity did not change.

| obstacle | passed where |
|---|---|
| bar, post | the nearest points of both axes change sides, both within the way of the step |
| box | the way of a point of the axis meets the box, and the side by which it is pushed out lies ahead |
| side of a wall | an end of the axis goes from before it to farther behind it than it could be pushed back from |
"""

from __future__ import annotations

import math

from serpenoid.compiled import njit
from serpenoid.contact.segments import nearest
from serpenoid.contact.spots import G_BOX, G_END, G_PIPE, G_POST, G_SIDE, G_THIN, box_gap
from serpenoid.spatial.layout import EX, LENGTH, PJ, RADIUS, V, W

_MIDDLE = 1e-9  # of the square of the way: an axis that ends a step on the axis of a bar, but for rounding, is not before it any more
_ALONG = 3  # points of a link tried against boxes


@njit
def point_velocity(body, i, x, y, z):
    """Velocity of the point of link i at (x, y, z) from the centre of gravity."""
    w0, w1, w2 = body[W, i], body[W + 1, i], body[W + 2, i]
    return (body[V, i] + w1 * z - w2 * y, body[V + 1, i] + w2 * x - w0 * z, body[V + 2, i] + w0 * y - w1 * x)


@njit
def between(a, b, c, d):
    """Vector from the segment c to c + d to the segment a to b, where they are nearest."""
    way = (b[0] - a[0], b[1] - a[1], b[2] - a[2])
    s, t = nearest(a, way, c, d)
    return (
        a[0] + s * way[0] - c[0] - t * d[0], a[1] + s * way[1] - c[1] - t * d[1], a[2] + s * way[2] - c[2] - t * d[2],
    )  # fmt: skip


@njit
def beside(a, b, c):
    """Vector from the point c to the segment a to b, where it is nearest."""
    x, y, z = b[0] - a[0], b[1] - a[1], b[2] - a[2]
    size = x * x + y * y + z * z
    s = (x * (c[0] - a[0]) + y * (c[1] - a[1]) + z * (c[2] - a[2])) / size if size > 0.0 else 0.0
    s = min(max(s, 0.0), 1.0)
    return a[0] + s * x - c[0], a[1] + s * y - c[1], a[2] + s * z - c[2]


@njit
def changes_side(before, after, way):
    """Whether two vectors, both no longer than the way, point to opposite sides, or one has no side: the axes meet."""
    one = before[0] * before[0] + before[1] * before[1] + before[2] * before[2]
    two = after[0] * after[0] + after[1] * after[1] + after[2] * after[2]
    dot = before[0] * after[0] + before[1] * after[1] + before[2] * after[2]
    most = way * way
    return dot < _MIDDLE * most and max(one, two) <= most * (1.0 + _MIDDLE)


@njit
def meets_box(objects, k, p, q):
    """Whether the way from p to q meets box k and ends where it is pushed on ahead."""
    c, s = objects[6, k], objects[7, k]
    low, high = 0.0, 1.0
    for e in range(3):
        if e == 0:
            a = c * (p[0] - objects[0, k]) + s * (p[1] - objects[1, k])
            b = c * (q[0] - objects[0, k]) + s * (q[1] - objects[1, k])
        elif e == 1:
            a = c * (p[1] - objects[1, k]) - s * (p[0] - objects[0, k])
            b = c * (q[1] - objects[1, k]) - s * (q[0] - objects[0, k])
        else:
            a, b = p[2] - objects[2, k], q[2] - objects[2, k]
        half, way = objects[3 + e, k], b - a
        if abs(way) < 1e-300:
            if abs(a) > half:
                return False
            continue
        one, two = (-half - a) / way, (half - a) / way
        low, high = max(low, min(one, two)), min(high, max(one, two))
    if low > high:
        return False
    _, nx, ny, nz = box_gap(objects, k, q[0], q[1], q[2], 0.0)
    return nx * (q[0] - p[0]) + ny * (q[1] - p[1]) + nz * (q[2] - p[2]) > 0.0


@njit
def passes_side(objects, k, p, q, r):
    """Whether the way from p to q leads through side k of a wall."""
    ax, ay, nx, ny = objects[0, k], objects[1, k], objects[4, k], objects[5, k]
    before, after = nx * (p[0] - ax) + ny * (p[1] - ay), nx * (q[0] - ax) + ny * (q[1] - ay)
    if before < 0.0 or after >= -r:
        return False
    share = before / (before - after)
    x, y = p[0] + share * (q[0] - p[0]) - ax, p[1] + share * (q[1] - p[1]) - ay
    sx, sy = objects[2, k] - ax, objects[3, k] - ay
    return 0.0 <= x * sx + y * sy <= sx * sx + sy * sy


@njit
def passes(terrain, a, b, c, d, r, way):
    """Whether a link from a, b (its ends before) to c, d (after) passes anything."""
    objects, ground = terrain.objects, terrain.ground
    for k in range(int(ground[G_BOX])):
        base = (objects[0, k], objects[1, k], objects[2, k])
        axis = (objects[3, k] * objects[6, k], objects[4, k] * objects[6, k], objects[5, k] * objects[6, k])
        if changes_side(between(a, b, base, axis), between(c, d, base, axis), way):
            return True
    for k in range(int(ground[G_BOX]), int(ground[G_PIPE])):
        for e in range(_ALONG):
            s = e / (_ALONG - 1.0)
            p = (a[0] + s * (b[0] - a[0]), a[1] + s * (b[1] - a[1]), a[2] + s * (b[2] - a[2]))
            q = (c[0] + s * (d[0] - c[0]), c[1] + s * (d[1] - c[1]), c[2] + s * (d[2] - c[2]))
            if meets_box(objects, k, p, q):
                return True
    a, b, c, d = (a[0], a[1], 0.0), (b[0], b[1], 0.0), (c[0], c[1], 0.0), (d[0], d[1], 0.0)
    for k in range(int(ground[G_POST]), int(ground[G_SIDE])):
        base = (objects[0, k], objects[1, k], 0.0)
        if changes_side(beside(a, b, base), beside(c, d, base), way):
            return True
    for k in range(int(ground[G_SIDE]), int(ground[G_END])):
        if passes_side(objects, k, a, c, r) or passes_side(objects, k, b, d, r):
            return True
    return False


@njit
def leaps(chain, terrain, body, origin, dt):
    """Whether a link passed an obstacle in the step that ended here, with its centre of gravity at `origin`."""
    for i in range(body.shape[1]):
        l, px, py, pz = chain.links[LENGTH, i], body[PJ, i], body[PJ + 1, i], body[PJ + 2, i]
        qx, qy, qz = px + l * body[EX, i], py + l * body[EX + 1, i], pz + l * body[EX + 2, i]
        u, v = point_velocity(body, i, px, py, pz), point_velocity(body, i, qx, qy, qz)
        way = dt * math.sqrt(max(u[0] ** 2 + u[1] ** 2 + u[2] ** 2, v[0] ** 2 + v[1] ** 2 + v[2] ** 2))
        if way > terrain.ground[G_THIN]:
            c = (origin[0] + px, origin[1] + py, origin[2] + pz)
            d = (origin[0] + qx, origin[1] + qy, origin[2] + qz)
            a = (c[0] - dt * u[0], c[1] - dt * u[1], c[2] - dt * u[2])
            b = (d[0] - dt * v[0], d[1] - dt * v[1], d[2] - dt * v[2])
            if passes(terrain, a, b, c, d, chain.links[RADIUS, i], way):
                return True
    return False
