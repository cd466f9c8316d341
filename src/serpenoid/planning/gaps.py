"""All gaps of a posture, with their gradients: links to obstacles, links to each other, joint angles to their limits.

Each gap is a row `rows[i] . dq + gap[i] >= 0` of a small step dq of the stage's coordinates, by the derivatives J = d nodes/dq and
P = d headings/dq (see `gaits.concertina_legs`). In stage 2 these are singular where an elbow is stretched: motions that are not free keep
both elbows bent by BENT.

A link that lies across a polygon with no corner near has a gap too, minus the depth of the middle of what lies inside: such
postures are no part of a motion, but a step that is too large must be told from a good one.

The gap of two links of one robot is the distance of a node to a link that it does not belong to, less the clearance: two segments that
do not cross cannot begin to cross unless a node of one meets the other.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from serpenoid.compiled import njit
from serpenoid.core.checks import FloatArray
from serpenoid.gaits.concertina_legs import SIZE
from serpenoid.planning.obstacles import inside, meeting, nearest

MOST = 400  # gaps at once; where there are more the posture counts as deep inside, so that none is overlooked
BENT = 1e-3  # rad: least bend of the elbows in stage 2 when it is not free
SELF = -1  # "obstacle" of a gap between links
LIMIT = -2  # "obstacle" of a joint limit
FIELDS = 7  # that say what a gap is, see GapTable
_SHALLOW = 0.02  # L: links enter corners by less in an increment
_CORNER, _SIDE, _OWN, _CHORD = 1e7, 2e7, 3e7, 4e7  # where the numbers of features begin
_ROUNDING = 1e-8  # L: links that lie in a polygon by less are in touch with it


class SevenLinkBody(NamedTuple):
    """The robot as kernels see it; lengths in units of the mean link."""

    lengths: FloatArray  # (7,)
    limits: FloatArray  # (6,) rad: largest joint angles
    half_width: float
    clearance: float  # least distance of the centre lines of two links


class GapTable(NamedTuple):
    """Room for the gaps of one posture."""

    rows: FloatArray  # (MOST, SIZE): derivative of each gap by the stage's coordinates
    gap: FloatArray  # (MOST,)
    info: FloatArray  # (MOST, FIELDS + 1): link (from 0), obstacle, point (x, y), normal to the link (x, y), feature; length of the row


@njit
def gap_table():
    """An empty table of gaps."""
    return GapTable(np.empty((MOST, SIZE)), np.empty(MOST), np.zeros((MOST, FIELDS + 1)))


@njit
def node_moves(stage, node):
    """Whether a node moves in the stage."""
    if stage == 1:
        return node <= 1 or node >= 5
    if stage == 2:
        return 3 <= node <= 5
    return node <= 3


@njit
def _put(n, m, J, a, b, t, nx, ny, value, rows, gap):
    """Write the gap of the point (1-t) a + t b of a link, a and b its nodes, and its row along the normal n; the next free place."""
    if n >= MOST:
        return n
    for j in range(m):
        rows[n, j] = nx * ((1.0 - t) * J[a, 0, j] + t * J[b, 0, j]) + ny * ((1.0 - t) * J[a, 1, j] + t * J[b, 1, j])
    gap[n] = value
    return n + 1


@njit
def _describe(n, link, obstacle, px, py, nx, ny, feature, info):
    """Write what gap n is: link, obstacle, point, normal and number of the pair of features."""
    if n < MOST:
        info[n, 0], info[n, 1], info[n, 2], info[n, 3], info[n, 4], info[n, 5] = link, obstacle, px, py, nx, ny
        info[n, 6] = feature


@njit
def _discs(n, k, nodes, J, m, body, scene, near, horizon, rows, gap, info):
    """Gaps of link k (from 0) to the discs."""
    ax, ay, bx, by = nodes[k, 0], nodes[k, 1], nodes[k + 1, 0], nodes[k + 1, 1]
    for i in range(near.shape[0]):
        x, y, radius = scene.discs[near[i], 0], scene.discs[near[i], 1], scene.discs[near[i], 2]
        t, dx, dy = nearest(ax, ay, bx, by, x, y)
        d = np.sqrt(dx * dx + dy * dy)
        if d - radius - body.half_width < horizon:
            nx, ny = dx / max(d, 1e-300), dy / max(d, 1e-300)
            _describe(
                n, k, scene.disc_names[near[i]], x + radius * nx, y + radius * ny, nx, ny, float(8 * near[i] + k), info
            )
            n = _put(n, m, J, k, k + 1, t, nx, ny, d - radius - body.half_width, rows, gap)
    return n


@njit
def _cuts_off(ax, ay, bx, by, scene, before, i, after):
    """Whether the segment ab crosses both sides that meet in a corner."""
    c, d, e = scene.corners[before], scene.corners[i], scene.corners[after]
    return (
        meeting(ax, ay, bx, by, c[0], c[1], d[0], d[1]) >= 0.0 and meeting(ax, ay, bx, by, d[0], d[1], e[0], e[1]) >= 0.0
    )  # fmt: skip


@njit
def _corners(n, k, nodes, J, m, body, scene, polygon, horizon, rows, gap, info):
    """Gaps of link k (from 0) to the convex corners of a polygon; the next free place, and whether it has entered one."""
    first, last = scene.first[polygon], scene.first[polygon + 1]
    ax, ay, bx, by = nodes[k, 0], nodes[k, 1], nodes[k + 1, 0], nodes[k + 1, 1]
    entered = False
    for i in range(first, last):
        if not scene.sharp[i]:
            continue
        x, y = scene.corners[i, 0], scene.corners[i, 1]
        t, dx, dy = nearest(ax, ay, bx, by, x, y)
        d = np.sqrt(dx * dx + dy * dy)
        if d - body.half_width >= horizon:
            continue
        before = last - 1 if i == first else i - 1
        ox, oy = scene.normals[i, 0] + scene.normals[before, 0], scene.normals[i, 1] + scene.normals[before, 1]
        if d > 1e-12:
            sign = 1.0
            cut = d <= _SHALLOW and _cuts_off(ax, ay, bx, by, scene, before, i, first if i == last - 1 else i + 1)
            if cut or inside(scene.corners, first, last, x + dx, y + dy):
                if t == 0.0 or t == 1.0 or d > _SHALLOW:
                    continue  # a node that entered through a side, or a link across the block: those are other gaps
                sign, entered = -1.0, entered or cut  # not cut: it leaves by another side, and may lie across the block
            nx, ny = sign * dx / d, sign * dy / d
        else:  # in touch: across the link, away from the block
            length = np.sqrt((bx - ax) ** 2 + (by - ay) ** 2)
            nx, ny, sign = (ay - by) / length, (bx - ax) / length, 1.0
            if nx * ox + ny * oy < 0.0:
                nx, ny = -nx, -ny
        _describe(n, k, scene.names[polygon], x, y, nx, ny, _CORNER + 8 * i + k, info)
        n = _put(n, m, J, k, k + 1, t, nx, ny, sign * d - body.half_width, rows, gap)
    return n, entered


@njit
def _depth(scene, polygon, x, y):
    """Depth of a point in a polygon, and the side that is nearest."""
    first, last = scene.first[polygon], scene.first[polygon + 1]
    depth, side = np.inf, first
    for i in range(first, last):
        c, d = scene.corners[i], scene.corners[first if i == last - 1 else i + 1]
        _, dx, dy = nearest(c[0], c[1], d[0], d[1], x, y)
        if dx * dx + dy * dy < depth:
            depth, side = dx * dx + dy * dy, i
    return np.sqrt(depth), side


@njit
def _across(n, k, nodes, J, m, body, scene, polygon, rows, gap, info):
    """Gap of link k (from 0) where it lies across a polygon: minus the depth of the middle between two sides that it meets.

    An end of the link that is in touch, perhaps inside by rounding, counts as a meeting; one that is deeper has a gap of its own.
    """
    first, last = scene.first[polygon], scene.first[polygon + 1]
    ax, ay, bx, by = nodes[k, 0], nodes[k, 1], nodes[k + 1, 0], nodes[k + 1, 1]
    low = 0.0
    while low < 1.0:  # from one meeting to the next
        high = 1.0
        for i in range(first, last):
            c, d = scene.corners[i], scene.corners[first if i == last - 1 else i + 1]
            t = meeting(ax, ay, bx, by, c[0], c[1], d[0], d[1])
            if low < t < high:
                high = t
        t = 0.5 * (low + high)
        x, y = (1.0 - t) * ax + t * bx, (1.0 - t) * ay + t * by
        if inside(scene.corners, first, last, x, y):
            depth, side = _depth(scene, polygon, x, y)
            touching = depth > _ROUNDING
            if touching and low == 0.0:
                touching = _depth(scene, polygon, ax, ay)[0] <= _ROUNDING
            if touching and high == 1.0:
                touching = _depth(scene, polygon, bx, by)[0] <= _ROUNDING
            if touching:
                nx, ny = scene.normals[side, 0], scene.normals[side, 1]
                _describe(
                    n, k, scene.names[polygon], x + depth * nx, y + depth * ny, nx, ny, _CHORD + 8 * first + k, info
                )
                n = _put(n, m, J, k, k + 1, t, nx, ny, -depth - body.half_width, rows, gap)
        low = high
    return n


@njit
def _sides(n, node, nodes, J, m, body, scene, polygon, horizon, rows, gap, info):
    """Gaps of a node to the sides of a polygon: those that it faces, or the nearest if it is inside."""
    first, last = scene.first[polygon], scene.first[polygon + 1]
    x, y = nodes[node, 0], nodes[node, 1]
    within = inside(scene.corners, first, last, x, y)
    link = max(node - 1, 0)
    deepest, which = -np.inf, -1
    for i in range(first, last):
        after = first if i == last - 1 else i + 1
        nx, ny = scene.normals[i, 0], scene.normals[i, 1]
        height = (x - scene.corners[i, 0]) * nx + (y - scene.corners[i, 1]) * ny
        a, b = scene.corners[i], scene.corners[after]
        along = (x - a[0]) * (b[0] - a[0]) + (y - a[1]) * (b[1] - a[1])
        if along <= 0.0 or along >= (b[0] - a[0]) ** 2 + (b[1] - a[1]) ** 2:
            continue
        if within:
            if height > deepest:
                deepest, which = height, i
        elif -_ROUNDING <= height < horizon + body.half_width:
            _describe(
                n, link, scene.names[polygon], x - height * nx, y - height * ny, nx, ny, _SIDE + 8 * i + node, info
            )
            n = _put(n, m, J, node, node, 0.0, nx, ny, height - body.half_width, rows, gap)
    if which >= 0:
        nx, ny = scene.normals[which, 0], scene.normals[which, 1]
        _describe(
            n, link, scene.names[polygon], x - deepest * nx, y - deepest * ny, nx, ny, _SIDE + 8 * which + node, info
        )
        n = _put(n, m, J, node, node, 0.0, nx, ny, deepest - body.half_width, rows, gap)
    return n


@njit
def _selves(n, stage, nodes, J, m, body, horizon, rows, gap, info):
    """Gaps of every node to every link that it does not belong to, where one of them moves."""
    for k in range(7):
        link_moves = node_moves(stage, k) or node_moves(stage, k + 1)
        for i in range(8):
            if i == k or i == k + 1 or not (link_moves or node_moves(stage, i)) or n >= MOST:
                continue
            x, y = nodes[i, 0], nodes[i, 1]
            t, dx, dy = nearest(nodes[k, 0], nodes[k, 1], nodes[k + 1, 0], nodes[k + 1, 1], x, y)
            d = np.sqrt(dx * dx + dy * dy)
            if d - body.clearance >= horizon:
                continue
            nx, ny = dx / max(d, 1e-300), dy / max(d, 1e-300)
            at = n
            _describe(n, k, np.int64(SELF), x, y, nx, ny, _OWN + 8 * i + k, info)
            n = _put(n, m, J, k, k + 1, t, nx, ny, d - body.clearance, rows, gap)
            for j in range(m):
                rows[at, j] -= nx * J[i, 0, j] + ny * J[i, 1, j]
    return n


@njit
def _far(nodes, a, b, body, scene, polygon, horizon):
    """Whether the segment of two nodes is farther from a polygon than the horizon, by the circle about it."""
    x, y, radius = scene.rounds[polygon, 0], scene.rounds[polygon, 1], scene.rounds[polygon, 2]
    _, dx, dy = nearest(nodes[a, 0], nodes[a, 1], nodes[b, 0], nodes[b, 1], x, y)
    return dx * dx + dy * dy > (radius + horizon + body.half_width) ** 2


@njit
def gather(stage, nodes, J, m, body, scene, near, horizon, rows, gap, info):
    """Fill a table of gaps (see GapTable) with all below the horizon and their rows (m coordinates; 0: gaps only); their number."""
    n = 0
    for k in range(7):
        if not (node_moves(stage, k) or node_moves(stage, k + 1)):
            continue
        n = _discs(n, k, nodes, J, m, body, scene, near, horizon, rows, gap, info)
        for polygon in range(scene.names.shape[0]):
            if _far(nodes, k, k + 1, body, scene, polygon, horizon):
                continue
            n, entered = _corners(n, k, nodes, J, m, body, scene, polygon, horizon, rows, gap, info)
            if not entered:
                n = _across(n, k, nodes, J, m, body, scene, polygon, rows, gap, info)
    for polygon in range(scene.names.shape[0]):
        for i in range(8):
            if node_moves(stage, i) and not _far(nodes, i, i, body, scene, polygon, horizon):
                n = _sides(n, i, nodes, J, m, body, scene, polygon, horizon, rows, gap, info)
    n = _selves(n, stage, nodes, J, m, body, horizon, rows, gap, info)
    if n >= MOST:
        gap.fill(-np.inf)
    return n


@njit
def _limit(n, m, P, k, sign, room, rows, gap, info):
    """Write the gap room >= 0 of a joint whose angle is psi_{k+1} - psi_k, falling with sign times that angle."""
    if n >= MOST:
        return n
    for j in range(m):
        rows[n, j] = -sign * (P[k + 1, j] - P[k, j])
    gap[n] = room
    info[n, 0], info[n, 1], info[n, 6] = k, LIMIT, _OWN + 64 + k
    return n + 1


@njit
def add_limits(n, kind, psi, P, limits, rows, gap, info):
    """Append joint limits, and in stage 2 the least bend of both elbows; the number of gaps."""
    m = kind.size
    for k in range(6):
        angle = psi[k + 1] - psi[k]
        moved = False
        for j in range(m):
            moved = moved or P[k + 1, j] != P[k, j]
        if moved and limits[k] - abs(angle) < 1.0:
            sign = 1.0 if angle > 0.0 else -1.0
            n = _limit(n, m, P, k, sign, limits[k] - abs(angle), rows, gap, info)
    if kind.number == 2:
        n = _limit(n, m, P, 2, kind.rear, -kind.rear * (psi[3] - psi[2]) - BENT, rows, gap, info)
        n = _limit(n, m, P, 4, kind.front, -kind.front * (psi[5] - psi[4]) - BENT, rows, gap, info)
    return n
