"""Bring the tips of all links onto a path, link by link, by turning joints: the kernels of the published procedure.

A link has its tail-side joint A and its tip B; C is the point of the path nearest to B. The joint at A turns link AB, and all links beyond
it with it, by min(alpha, E) towards C,

    cos alpha = (AB^2 + AC^2 - BC^2) / (2 AB AC),    direction: sign of (B - A) x (C - A),

so that a turn never passes the direction of C ("preventing shaking"). The head link settles first; then the link before it turns, the links beyond it settle
again, and so on down to the base link. A link is settled when BC <= tol. It rests unsettled where a turn would not bring it nearer: alpha = 0, C at A, or two
points of the path that would each turn it back from the other.

The nearest point is sought *forward*: on the stretch of two link lengths that begins at the point of A (at the C of the link before), no nearer to A than
half the link. The *literal* search begins at the
path's first point and stops before the distance grows: once the robot has moved on it finds points far behind.
"""

from __future__ import annotations

import numpy as np

from serpenoid.compiled import kernel, njit

FORWARD, LITERAL = 0, 1
WINDOW = 2.0  # link lengths of path on which the nearest point is sought
APART = 0.5  # link lengths: points nearer to A are not sought, else a link that points backward would rest with C at A
STILL = 1e-9  # rad: a smaller turn is none
PATIENCE = 60  # turns of one link beyond pi / E


@njit
def nearest_on(path, k, x, y):
    """Nearest point of segment k of a path to (x, y): its coordinates and distance."""
    ax, ay = path[k, 0], path[k, 1]
    dx, dy = path[k + 1, 0] - ax, path[k + 1, 1] - ay
    square = dx * dx + dy * dy
    t = min(max(((x - ax) * dx + (y - ay) * dy) / square, 0.0), 1.0) if square > 0.0 else 0.0
    cx, cy = ax + t * dx, ay + t * dy
    return cx, cy, np.hypot(cx - x, cy - y)


@kernel
def closest(path, arc, first, length, ax, ay, x, y, search, project):
    """Nearest point C of the path to a tip (x, y): index, coordinates, distance; `first` is the path index of the joint A at (ax, ay)."""
    begin = 0 if search == LITERAL else first
    best, at = np.inf, begin
    for k in range(begin, len(path)):
        far = np.hypot(path[k, 0] - x, path[k, 1] - y)
        if search == FORWARD:
            last = k == len(path) - 1 or arc[k] > arc[begin] + WINDOW * length
            apart = np.hypot(path[k, 0] - ax, path[k, 1] - ay) > APART * length
            if far < best and (apart or (last and best == np.inf)):
                best, at = far, k
            if last:
                break
        elif far < best:
            best, at = far, k
        else:
            break
    cx, cy = path[at, 0], path[at, 1]
    if project:
        for k in range(max(at - 1, begin), min(at + 1, len(path) - 1)):
            px, py, far = nearest_on(path, k, x, y)
            if far < best:
                best, cx, cy = far, px, py
    return at, cx, cy, best


@njit
def place(joints, headings, lengths, first):
    """Put the tips of links from `first` on by their headings."""
    for k in range(first, len(lengths)):
        joints[k + 1, 0] = joints[k, 0] + lengths[k] * np.cos(headings[k])
        joints[k + 1, 1] = joints[k, 1] + lengths[k] * np.sin(headings[k])


@kernel
def turn(path, arc, begin, joints, headings, lengths, index, k, most, tol, search, project, before):
    """Turn link k once towards the path; returns the angle, 0 if it is settled or cannot come nearer. `before` is its last turn."""
    first = begin if k == 0 else index[k - 1]
    ax, ay = joints[k]
    bx, by = joints[k + 1]
    index[k], cx, cy, far = closest(path, arc, first, lengths[k], ax, ay, bx, by, search, project)
    if far <= tol:
        return 0.0
    base, side = np.hypot(cx - ax, cy - ay), lengths[k]
    if base == 0.0:
        return 0.0
    cosine = (side * side + base * base - far * far) / (2.0 * side * base)
    angle = min(np.arccos(min(max(cosine, -1.0), 1.0)), most)
    if angle < STILL:
        return 0.0
    if (bx - ax) * (cy - ay) - (by - ay) * (cx - ax) < 0.0:
        angle = -angle
    if angle * before < 0.0 and abs(angle) >= 0.999 * abs(before):
        return 0.0  # back and forth between two points
    for q in range(k, len(lengths)):
        headings[q] += angle
    place(joints, headings, lengths, k)
    return angle


@kernel
def settle_link(path, arc, begin, joints, headings, lengths, index, k, most, tol, search, project):
    """Turn link k until it is settled or rests; returns the number of turns."""
    before = 0.0
    patience = int(np.pi / most) + PATIENCE
    for count in range(patience):
        angle = turn(path, arc, begin, joints, headings, lengths, index, k, most, tol, search, project, before)
        if angle == 0.0:
            return count
        before = angle
    return patience


@kernel
def settle_all(path, arc, begin, joints, headings, lengths, index, most, tol, search, project):
    """Settle all links from head to base, re-settling those beyond each turn; returns the number of turns."""
    n = len(lengths)
    patience = int(np.pi / most) + PATIENCE
    place(joints, headings, lengths, 0)
    for q in range(n):  # where the joints are on the path
        first = begin if q == 0 else index[q - 1]
        index[q] = closest(
            path, arc, first, lengths[q], joints[q, 0], joints[q, 1], joints[q + 1, 0], joints[q + 1, 1], search, False
        )[0]
    turns = 0
    for k in range(n - 1, -1, -1):
        before = 0.0
        for _ in range(patience):
            before = turn(path, arc, begin, joints, headings, lengths, index, k, most, tol, search, project, before)
            turns += before != 0.0
            for q in range(k + 1, n):
                turns += settle_link(path, arc, begin, joints, headings, lengths, index, q, most, tol, search, project)
            if before == 0.0:
                break
    return turns


@kernel
def gaps_to_path(path, arc, begin, joints, lengths, index, search, project):
    """Distance of every tip to its nearest point of the path, (n,)."""
    far = np.empty(len(lengths))
    for k in range(len(lengths)):
        first = begin if k == 0 else index[k - 1]
        index[k], _, _, far[k] = closest(
            path,
            arc,
            first,
            lengths[k],
            joints[k, 0],
            joints[k, 1],
            joints[k + 1, 0],
            joints[k + 1, 1],
            search,
            project,
        )
    return far
