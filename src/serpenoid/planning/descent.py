"""Down the harmonic field with sub-cell accuracy, never into a wall: kernels in units of cells.

The field is u = 2^-e w on the nodes; all that counts here are ratios, so values are read against a local exponent. One step of length h goes
along the gradient of u, central differences at the nodes (equation (3) of the source), blended bilinearly over the free nodes round the
point. A node that only touches the point's cell at a corner between two walls does not count: it is another room.

A step stands if it stays in free cells and raises the blended u above every value before it. Otherwise the path goes from node to
node, each time to the neighbour with the largest u, until u is above that record again: every node that is no goal has a neighbour with a larger u
(maximum principle), so the walk ends at a goal and nothing can oscillate.
"""

from __future__ import annotations

import math

import numpy as np

from serpenoid.compiled import kernel, njit
from serpenoid.planning.cells import cell_of, is_clear

REACHED, STALLED, FULL = 0, 1, 2
SMALLEST_STOP = 0.75  # cells
BETTER = 1.0 + 1e-12  # a step raises u at least so much: rounding is no progress


@njit
def value(w, e, i, j, zero):
    """u at a node in units of 2^-zero."""
    return math.ldexp(w[i, j], zero - e[i, j])


@njit
def beside(w, e, free, reflect, i, j, own, zero):
    """u at a neighbour; a wall has 0, or the value `own` of this side if it reflects."""
    if free[i, j]:
        return value(w, e, i, j, zero)
    return own if reflect else 0.0


@njit
def gradient_at(w, e, free, reflect, i, j, zero):
    """Central difference of u at a free node, in units of 2^-zero a cell."""
    own = value(w, e, i, j, zero)
    right, left = beside(w, e, free, reflect, i + 1, j, own, zero), beside(w, e, free, reflect, i - 1, j, own, zero)
    up, down = beside(w, e, free, reflect, i, j + 1, own, zero), beside(w, e, free, reflect, i, j - 1, own, zero)
    return 0.5 * (right - left), 0.5 * (up - down)


@kernel
def blend(w, e, free, reflect, x, y, zero):
    """u and its gradient at a point of a free cell, blended over the four nodes round it; units of 2^-zero."""
    ci, cj = cell_of(x), cell_of(y)
    di, dj = (1 if x > ci else -1), (1 if y > cj else -1)
    fx, fy = abs(x - ci), abs(y - cj)
    open_x, open_y = free[ci + di, cj], free[ci, cj + dj]
    u, gx, gy, total = 0.0, 0.0, 0.0, 0.0
    for a in range(2):
        for b in range(2):
            weight = (fx if a else 1.0 - fx) * (fy if b else 1.0 - fy)
            i, j = ci + a * di, cj + b * dj
            if weight == 0.0 or not free[i, j] or (a and b and not (open_x or open_y)):
                continue
            gi, gj = gradient_at(w, e, free, reflect, i, j, zero)
            u += weight * value(w, e, i, j, zero)
            gx += weight * gi
            gy += weight * gj
            total += weight
    return (u / total if reflect else u), gx / total, gy / total


@njit
def best_neighbour(w, e, free, i, j, zero):
    """The free neighbour with the largest u, and that u in units of 2^-zero."""
    bi, bj, best = i, j, -1.0
    for di, dj in ((1, 0), (-1, 0), (0, 1), (0, -1)):
        if free[i + di, j + dj]:
            u = value(w, e, i + di, j + dj, zero)
            if u > best:
                bi, bj, best = i + di, j + dj, u
    return bi, bj, best


@njit
def draw(points, count, x, y, h):
    """Append the segment from the last point to (x, y) in pieces of at most h; returns the new count, -1 if there is no room."""
    ax, ay = points[count - 1]
    pieces = max(1, int(np.ceil(np.hypot(x - ax, y - ay) / h - 1e-9)))
    if count + pieces > len(points):
        return -1
    for k in range(1, pieces + 1):
        points[count] = ax + (x - ax) * k / pieces, ay + (y - ay) * k / pieces
        count += 1
    return count


@njit
def arrived(free, goals, ends, x, y, stop):
    """Number of the goal within the stop radius and in sight, -1 if there is none."""
    for k in range(len(goals)):
        near = np.hypot(x - goals[k, 0], y - goals[k, 1]) <= stop or (
            cell_of(x) == goals[k, 0] and cell_of(y) == goals[k, 1]
        )
        if near and is_clear(free, x, y, ends[k, 0], ends[k, 1]):
            return k
    return -1


@kernel
def steps_to(free, goals):
    """Steps from node to node to the nearest goal, (nx, ny); -1 where none leads there."""
    steps = np.full(free.shape, -1)
    queue = np.empty((free.size, 2), np.int64)
    head, tail = 0, 0
    for k in range(len(goals)):
        steps[goals[k, 0], goals[k, 1]] = 0
        queue[tail, 0], queue[tail, 1] = goals[k, 0], goals[k, 1]
        tail += 1
    while head < tail:
        i, j = queue[head, 0], queue[head, 1]
        head += 1
        for di, dj in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            if free[i + di, j + dj] and steps[i + di, j + dj] < 0:
                steps[i + di, j + dj] = steps[i, j] + 1
                queue[tail, 0], queue[tail, 1] = i + di, j + dj
                tail += 1
    return steps


@kernel
def descend(w, e, free, reflect, goals, ends, x, y, h, points):
    """Path from (x, y) into `points`; goals are nodes, ends the points in their cells. Returns status, count, steps from node to node."""
    stop = max(h, SMALLEST_STOP)
    points[0] = x, y
    count, walked, walking = 1, 0, False
    zero = e[cell_of(x), cell_of(y)]
    record, _, _ = blend(w, e, free, reflect, x, y, zero)
    while count < len(points):
        goal = arrived(free, goals, ends, x, y, stop)
        if goal >= 0:
            count = draw(points, count, ends[goal, 0], ends[goal, 1], h)
            return (REACHED if count > 0 else FULL), count, walked
        ci, cj = cell_of(x), cell_of(y)
        if e[ci, cj] != zero:
            record, zero = math.ldexp(record, e[ci, cj] - zero), e[ci, cj]
        if not walking:
            u, gx, gy = blend(w, e, free, reflect, x, y, zero)
            size = np.hypot(gx, gy)
            if size > 0.0:
                nx, ny = x + h * gx / size, y + h * gy / size
                if is_clear(free, x, y, nx, ny):
                    u, _, _ = blend(w, e, free, reflect, nx, ny, zero)
                    if u > record * BETTER:
                        x, y, record = nx, ny, u
                        points[count] = x, y
                        count += 1
                        continue
        bi, bj, best = best_neighbour(w, e, free, ci, cj, zero)
        if best <= value(w, e, ci, cj, zero):
            return STALLED, count, walked
        count = draw(points, count, float(bi), float(bj), h)
        if count < 0:
            return FULL, 0, walked
        x, y, walked = float(bi), float(bj), walked + 1
        walking = best <= record
        record = max(record, best)
    return FULL, count, walked
