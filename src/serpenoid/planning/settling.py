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

from typing import NamedTuple

import numpy as np

from serpenoid.compiled import kernel, njit
from serpenoid.core.checks import FloatArray

FORWARD, LITERAL = 0, 1
WINDOW = 2.0  # link lengths of path on which the nearest point is sought
APART = 0.5  # link lengths: points nearer to A are not sought, else a link that points backward would rest with C at A
STILL = 1e-9  # rad: a smaller turn is none
PATIENCE = 60  # turns of one link beyond pi / E


class Polyline(NamedTuple):
    """The path as kernels see it."""

    points: FloatArray  # (k, 2) m
    arc: FloatArray  # (k,) m
    begin: int  # number of the point at the base


class Links(NamedTuple):
    """The body, changed in place."""

    joints: FloatArray  # (n+1, 2) m, base first
    headings: FloatArray  # (n,) rad
    lengths: FloatArray  # (n,) m
    nearest: np.ndarray  # (n,) number of the path point nearest to each tip


class SettleRule(NamedTuple):
    """How links are turned."""

    cap: float  # E, rad: largest turn at once
    tol: float  # m: a tip no farther from the path is settled
    search: int  # FORWARD or LITERAL
    project: bool  # nearest on the segments, not only among the points


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
def closest(line, links, k, search, project):
    """Nearest point C of the path to the tip of link k: index, coordinates, distance."""
    path, arc = line.points, line.arc
    first = line.begin if k == 0 else links.nearest[k - 1]  # the path point of its joint A
    length, ax, ay = links.lengths[k], links.joints[k, 0], links.joints[k, 1]
    x, y = links.joints[k + 1, 0], links.joints[k + 1, 1]
    begin = 0 if search == LITERAL else first
    best, at = np.inf, begin
    for i in range(begin, len(path)):
        far = np.hypot(path[i, 0] - x, path[i, 1] - y)
        if search == FORWARD:
            last = i == len(path) - 1 or arc[i] > arc[begin] + WINDOW * length
            apart = np.hypot(path[i, 0] - ax, path[i, 1] - ay) > APART * length
            if far < best and (apart or (last and best == np.inf)):
                best, at = far, i
            if last:
                break
        elif far < best:
            best, at = far, i
        else:
            break
    cx, cy = path[at, 0], path[at, 1]
    if project:
        for i in range(max(at - 1, begin), min(at + 1, len(path) - 1)):
            px, py, far = nearest_on(path, i, x, y)
            if far < best:
                best, cx, cy = far, px, py
    return at, cx, cy, best


@njit
def place_tips(links, first):
    """Put the tips of links from `first` on by their headings."""
    joints, headings, lengths, _ = links
    for k in range(first, len(lengths)):
        joints[k + 1, 0] = joints[k, 0] + lengths[k] * np.cos(headings[k])
        joints[k + 1, 1] = joints[k, 1] + lengths[k] * np.sin(headings[k])


@kernel
def turn(line, links, k, rule, before):
    """Turn link k once towards the path; returns the angle, 0 if it is settled or cannot come nearer. `before` is its last turn."""
    ax, ay = links.joints[k]
    bx, by = links.joints[k + 1]
    links.nearest[k], cx, cy, far = closest(line, links, k, rule.search, rule.project)
    if far <= rule.tol:
        return 0.0
    base, side = np.hypot(cx - ax, cy - ay), links.lengths[k]
    if base == 0.0:
        return 0.0
    cosine = (side * side + base * base - far * far) / (2.0 * side * base)
    angle = min(np.arccos(min(max(cosine, -1.0), 1.0)), rule.cap)
    if angle < STILL:
        return 0.0
    if (bx - ax) * (cy - ay) - (by - ay) * (cx - ax) < 0.0:
        angle = -angle
    if angle * before < 0.0 and abs(angle) >= 0.999 * abs(before):
        return 0.0  # back and forth between two points
    for q in range(k, len(links.lengths)):
        links.headings[q] += angle
    place_tips(links, k)
    return angle


@kernel
def settle_link(line, links, k, rule):
    """Turn link k until it is settled or rests; returns the number of turns."""
    before = 0.0
    patience = int(np.pi / rule.cap) + PATIENCE
    for count in range(patience):
        angle = turn(line, links, k, rule, before)
        if angle == 0.0:
            return count
        before = angle
    return patience


@kernel
def settle_all(line, links, rule):
    """Settle all links from head to base, re-settling those beyond each turn; returns the number of turns."""
    n = len(links.lengths)
    patience = int(np.pi / rule.cap) + PATIENCE
    place_tips(links, 0)
    for q in range(n):  # where the joints are on the path
        links.nearest[q] = closest(line, links, q, rule.search, False)[0]
    turns = 0
    for k in range(n - 1, -1, -1):
        before = 0.0
        for _ in range(patience):
            before = turn(line, links, k, rule, before)
            turns += before != 0.0
            for q in range(k + 1, n):
                turns += settle_link(line, links, q, rule)
            if before == 0.0:
                break
    return turns


@kernel
def gaps_to_path(line, links, rule):
    """Distance of every tip to its nearest point of the path, (n,)."""
    far = np.empty(len(links.lengths))
    for k in range(len(links.lengths)):
        links.nearest[k], _, _, far[k] = closest(line, links, k, rule.search, rule.project)
    return far
