"""Points and segments against the square cells of a grid, in units of cells; node (i, j) has the square [i +- 1/2] x [j +- 1/2].

| function | answers |
|---|---|
| `cell_of` | the number of the cell along one axis |
| `is_clear` | whether a segment stays in free cells; through a corner only where both neighbours are free |
| `segment_gap` | distance of a segment to a cell's square, 0 where they overlap |
| `link_gaps` | distance of each segment to the nearest wall square |
"""

from __future__ import annotations

import numpy as np

from serpenoid.compiled import kernel, njit


@njit
def cell_of(x):
    """Number of the cell that holds a coordinate."""
    return int(np.floor(x + 0.5))


@njit
def crossing(x, step, cell):
    """Share of a step at which a coordinate leaves its cell."""
    if step > 0.0:
        return (cell + 0.5 - x) / step
    if step < 0.0:
        return (cell - 0.5 - x) / step
    return np.inf


@kernel
def is_clear(free, x, y, x1, y1):
    """Whether the segment from (x, y), in a free cell, to (x1, y1) stays in free cells."""
    nx, ny = free.shape
    i, j = cell_of(x), cell_of(y)
    dx, dy = x1 - x, y1 - y
    di, dj = (1 if dx > 0.0 else -1), (1 if dy > 0.0 else -1)
    end_i, end_j = cell_of(x1), cell_of(y1)
    for _ in range(abs(end_i - i) + abs(end_j - j) + 4):
        if not (0 <= i < nx and 0 <= j < ny) or not free[i, j]:
            return False
        tx, ty = crossing(x, dx, i), crossing(y, dy, j)
        if (i == end_i and j == end_j) or min(tx, ty) > 1.0:
            break
        if abs(tx - ty) < 1e-12:
            if not (free[i + di, j] and free[i, j + dj]):
                return False
            i, j = i + di, j + dj
        elif tx < ty:
            i += di
        else:
            j += dj
    return bool(free[end_i, end_j])


@njit
def point_square(x, y, i, j):
    """Distance of a point to a cell's square."""
    dx, dy = max(abs(x - i) - 0.5, 0.0), max(abs(y - j) - 0.5, 0.0)
    return np.sqrt(dx * dx + dy * dy)


@njit
def point_segment(px, py, ax, ay, bx, by):
    """Distance of a point to a segment."""
    dx, dy = bx - ax, by - ay
    square = dx * dx + dy * dy
    t = min(max(((px - ax) * dx + (py - ay) * dy) / square, 0.0), 1.0) if square > 0.0 else 0.0
    ex, ey = ax + t * dx - px, ay + t * dy - py
    return np.sqrt(ex * ex + ey * ey)


@njit
def overlaps(ax, ay, bx, by, i, j):
    """Whether a segment meets the closed square of a cell (Liang and Barsky's clipping)."""
    first, last = 0.0, 1.0
    for a, d, c in ((ax, bx - ax, i), (ay, by - ay, j)):
        if d == 0.0:
            if abs(a - c) > 0.5:
                return False
        else:
            t0, t1 = (c - 0.5 - a) / d, (c + 0.5 - a) / d
            first, last = max(first, min(t0, t1)), min(last, max(t0, t1))
    return first <= last


@kernel
def segment_gap(ax, ay, bx, by, i, j):
    """Distance of a segment to the square of cell (i, j), 0 where they overlap."""
    if overlaps(ax, ay, bx, by, i, j):
        return 0.0
    best = min(point_square(ax, ay, i, j), point_square(bx, by, i, j))
    for sx in (-0.5, 0.5):
        for sy in (-0.5, 0.5):
            best = min(best, point_segment(i + sx, j + sy, ax, ay, bx, by))
    return best


@kernel
def link_gaps(walls, joints):
    """Distance of every link (joints (m, n+1, 2) in cells) to the nearest wall square, (m, n)."""
    nx, ny = walls.shape
    count, n = joints.shape[0], joints.shape[1] - 1
    gaps = np.empty((count, n))
    for m in range(count):
        for k in range(n):
            ax, ay, bx, by = joints[m, k, 0], joints[m, k, 1], joints[m, k + 1, 0], joints[m, k + 1, 1]
            best, ring = np.inf, 0
            while ring < best + 1.5 and ring <= nx + ny:  # rings of cells round the segment's box, outwards
                i0, i1 = cell_of(min(ax, bx)) - ring, cell_of(max(ax, bx)) + ring
                j0, j1 = cell_of(min(ay, by)) - ring, cell_of(max(ay, by)) + ring
                for i in range(max(i0, 0), min(i1, nx - 1) + 1):
                    edge = ring == 0 or i in (i0, i1)
                    for j in range(j0, j1 + 1, 1 if edge else j1 - j0):
                        if 0 <= j < ny and walls[i, j]:
                            best = min(best, segment_gap(ax, ay, bx, by, i, j))
                ring += 1
            gaps[m, k] = best
    return gaps
