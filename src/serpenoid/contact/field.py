"""Distance from a height field: the surface itself, its faces, edges and corners.

Each cell of the grid is four triangles, from its corners to its middle, whose height is the mean of the corners'; so the surface has no
preferred diagonal. Beyond the border the outermost heights go on. The distance of a point is that from the nearest point of the
surface, negative below it: it is continuous, and its gradient is the direction from there. A spring on it has a potential,
whatever creases the surface has. (The height above the surface times the cosine of its slope jumps at every crease.)

| symbol | meaning | unit |
|---|---|---|
| x, y, z | place of the point | m |
| reach | farther than that above the surface the distance is not looked for | m |

Limit: only cells up to `WIDEST` from the point's own are searched.
"""

from __future__ import annotations

import math

from serpenoid.compiled import njit

WIDEST = 64  # cells
_FLAT = 1e-12  # m: nearer than that to an edge or a corner the normal is that of the face below


@njit
def node_height(field, i, j):
    """Height of node (i, j); beyond the border that of the border."""
    return field[min(max(j, 0), field.shape[0] - 1), min(max(i, 0), field.shape[1] - 1)]


@njit
def height_below(field, i, j, s, t):
    """Height and its slopes per cell at (s, t), both 0 to 1, of cell (i, j)."""
    a, b = node_height(field, i, j), node_height(field, i + 1, j)
    d, c = node_height(field, i, j + 1), node_height(field, i + 1, j + 1)
    m = 0.25 * (a + b + c + d)
    if t <= s and t <= 1.0 - s:
        along, up = b - a, 2.0 * m - a - b
        return a + along * s + up * t, along, up
    if t >= s and t >= 1.0 - s:
        along, up = c - d, c + d - 2.0 * m
        return d + along * s - up * (1.0 - t), along, up
    if s <= t:
        along, up = 2.0 * m - a - d, d - a
        return a + along * s + up * t, along, up
    along, up = b + c - 2.0 * m, c - b
    return b - along * (1.0 - s) + up * t, along, up


@njit
def dot(a, b):
    """Scalar product."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@njit
def line_foot(a, way, share):
    """Vector from the foot a + share way to the origin, its length, and that it is not on a face."""
    v = (-a[0] - share * way[0], -a[1] - share * way[1], -a[2] - share * way[2])
    return math.sqrt(dot(v, v)), v, False


@njit
def triangle_foot(a, b, c):
    """Distance of the origin from a triangle, the vector from its nearest point to the origin (on a face: its upward normal), and whether it is a face's."""
    ab, ac = (b[0] - a[0], b[1] - a[1], b[2] - a[2]), (c[0] - a[0], c[1] - a[1], c[2] - a[2])
    d1, d2 = -dot(ab, a), -dot(ac, a)
    if d1 <= 0.0 and d2 <= 0.0:
        return line_foot(a, ab, 0.0)
    d3, d4 = -dot(ab, b), -dot(ac, b)
    if d3 >= 0.0 and d4 <= d3:
        return line_foot(b, ab, 0.0)
    vc = d1 * d4 - d3 * d2
    if vc <= 0.0 and d1 >= 0.0 and d3 <= 0.0:
        return line_foot(a, ab, d1 / (d1 - d3))
    d5, d6 = -dot(ab, c), -dot(ac, c)
    if d6 >= 0.0 and d5 <= d6:
        return line_foot(c, ab, 0.0)
    vb = d5 * d2 - d1 * d6
    if vb <= 0.0 and d2 >= 0.0 and d6 <= 0.0:
        return line_foot(a, ac, d2 / (d2 - d6))
    if d3 * d6 - d5 * d4 <= 0.0 and d4 >= d3 and d5 >= d6:
        bc = (c[0] - b[0], c[1] - b[1], c[2] - b[2])
        return line_foot(b, bc, (d4 - d3) / ((d4 - d3) + (d5 - d6)))
    nx, ny, nz = ab[1] * ac[2] - ab[2] * ac[1], ab[2] * ac[0] - ab[0] * ac[2], ab[0] * ac[1] - ab[1] * ac[0]
    f = math.copysign(1.0, nz) / math.sqrt(nx * nx + ny * ny + nz * nz)
    n = (f * nx, f * ny, f * nz)
    return abs(dot(n, a)), n, True


@njit
def cell_foot(field, cell, i, j, x, y, z, best, normal):
    """The nearest point of cell (i, j), whose first corner is at (x, y) from the point: (distance, normal), or what there was if that is nearer.

    `z` is the point's height; the normal of an edge or a corner points from the surface to the point.
    """
    ha, hb = node_height(field, i, j), node_height(field, i + 1, j)
    hd, hc = node_height(field, i, j + 1), node_height(field, i + 1, j + 1)
    # nothing of the cell is nearer than the box round it
    dx, dy = max(x, -x - cell, 0.0), max(y, -y - cell, 0.0)
    dz = max(min(ha, hb, hc, hd) - z, z - max(ha, hb, hc, hd), 0.0)
    if dx * dx + dy * dy + dz * dz >= best * best:
        return best, normal
    m = (x + 0.5 * cell, y + 0.5 * cell, 0.25 * (ha + hb + hc + hd) - z)
    a, b = (x, y, ha - z), (x + cell, y, hb - z)
    c, d = (x + cell, y + cell, hc - z), (x, y + cell, hd - z)
    for k in range(4):
        if k == 0:
            away, v, face = triangle_foot(a, b, m)
        elif k == 1:
            away, v, face = triangle_foot(b, c, m)
        elif k == 2:
            away, v, face = triangle_foot(c, d, m)
        else:
            away, v, face = triangle_foot(d, a, m)
        if away < best:
            best = away
            if face:
                normal = v
            elif away > _FLAT:
                normal = (v[0] / away, v[1] / away, v[2] / away)
    return best, normal


@njit
def cell_number(x):
    """The whole number at or below x (`math.floor` is none on every processor)."""
    i = int(x)
    return i - 1 if i > x else i


@njit
def field_distance(field, cell, x, y, z, reach):
    """Distance of a point from the surface, negative below it, and the upward normal; x and y are counted from the first node.

    More than `reach` above the surface any distance greater than that.
    """
    u, v = x / cell, y / cell
    i, j = cell_number(u), cell_number(v)
    h, hx, hy = height_below(field, i, j, u - i, v - j)
    hx, hy = hx / cell, hy / cell
    f = 1.0 / math.sqrt(1.0 + hx * hx + hy * hy)
    above = z >= h
    found = abs(z - h)  # straight down there is a point of the surface
    best, normal = found, (-hx * f, -hy * f, f)
    if above and best > reach:
        best = reach * (1.0 + 1e-12)
    near = best
    best, normal = cell_foot(field, cell, i, j, i * cell - x, j * cell - y, z, best, normal)
    wide = min(int(best / cell) + 1, WIDEST) if best < WIDEST * cell else WIDEST
    for q in range(j - wide, j + wide + 1):
        for p in range(i - wide, i + wide + 1):
            if p != i or q != j:
                best, normal = cell_foot(field, cell, p, q, p * cell - x, q * cell - y, z, best, normal)
    if best == near and near < found:
        return found, normal[0], normal[1], normal[2]  # nothing within reach
    if above:
        return best, normal[0], normal[1], normal[2]
    if normal[2] < 0.0:  # from an edge or a corner down to the point
        return -best, -normal[0], -normal[1], -normal[2]
    return -best, normal[0], normal[1], normal[2]


@njit
def height_clear(field, cell, x, y, r):
    """Height at which a ball of radius r over (x, y) just touches."""
    u, v = x / cell, y / cell
    i, j = cell_number(u), cell_number(v)
    low, high = height_below(field, i, j, u - i, v - j)[0], field.max() + r
    for _ in range(60):
        z = 0.5 * (low + high)
        if field_distance(field, cell, x, y, z, r)[0] < r:
            low = z
        else:
            high = z
    return high
