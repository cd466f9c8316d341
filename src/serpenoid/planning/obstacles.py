"""Obstacles in the plane and how far links are from them, with signs and gradients.

A link is a segment from node a to node b with a half width w; its gap to an obstacle is the signed distance of the segment to the
obstacle's border less w: positive outside, zero in touch, negative inside. Three kinds of `core.obstacles`: `Disc`, `Polygon` and `Wall`.

The gap is the least of a few smooth ones, so that a link that lies flat on a wall has two:

| feature | gap | gradient |
|---|---|---|
| disc of radius R at c, link | abs(p - c) - R - w, p = (1-t) a + t b nearest to c | n ((1-t) da + t db), n = (p - c) / abs(p - c) |
| convex corner c, link | the same with R = 0, negative where p lies inside | the same, n outward |
| node x, edge of a polygon | outward distance of x - w | n dx, n the edge's outward normal |
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from serpenoid.compiled import kernel, njit
from serpenoid.core.checks import FloatArray
from serpenoid.core.door import FiniteNumbers, door
from serpenoid.core.errors import InputError
from serpenoid.core.obstacles import Disc, Polygon, Upright, Wall

FARTHEST = 1e6  # m
PLANNED = (Disc, Polygon, Wall)  # what plans know


def scaled(item: Upright, factor: float) -> Upright:
    """The same obstacle with all its lengths multiplied."""
    if isinstance(item, Disc):
        return Disc((factor * item.centre[0], factor * item.centre[1]), factor * item.radius)
    if isinstance(item, Polygon):
        return Polygon(tuple((factor * x, factor * y) for x, y in item.points))
    if isinstance(item, Wall):
        ends = [(factor * x, factor * y) for x, y in (item.start, item.end)]
        return Wall(ends[0], ends[1], factor * item.thickness)
    raise InputError(f"obstacles must be Disc, Polygon or Wall, got {item!r}")


class ObstacleTable(NamedTuple):
    """Obstacles as arrays for kernels."""

    discs: FloatArray  # (d, 3) centre and radius
    disc_names: np.ndarray  # (d,) number of the obstacle
    corners: FloatArray  # (c, 2) of all polygons, one after the other
    normals: FloatArray  # (c, 2) outward normal of the side that begins in the corner
    sharp: np.ndarray  # (c,) whether the corner is convex
    first: np.ndarray  # (p+1,) where each polygon's corners begin
    names: np.ndarray  # (p,) number of the obstacle
    rounds: FloatArray  # (p, 3) centre and radius of a circle about each polygon


def scene_of(obstacles: tuple[Any, ...], scale: float = 1.0) -> ObstacleTable:
    """Pack obstacles, with all lengths divided by `scale`."""
    for item in obstacles:
        if not isinstance(item, PLANNED):
            raise InputError(f"obstacles must be Disc, Polygon or Wall, got {item!r}")
    round_ones = [(i, item) for i, item in enumerate(obstacles) if isinstance(item, Disc)]
    straight = [(i, item.corners / scale) for i, item in enumerate(obstacles) if not isinstance(item, Disc)]
    corners = np.concatenate([np.empty((0, 2))] + [c for _, c in straight])
    normals, sharp = np.empty_like(corners), np.empty(len(corners), dtype=np.bool_)
    first = np.concatenate([[0], np.cumsum([len(c) for _, c in straight])]).astype(np.int64)
    for k, (_, c) in enumerate(straight):
        side = np.roll(c, -1, axis=0) - c
        side /= np.hypot(side[:, 0], side[:, 1])[:, None]
        normals[first[k] : first[k + 1]] = np.stack([side[:, 1], -side[:, 0]], axis=1)
        before = np.roll(side, 1, axis=0)
        sharp[first[k] : first[k + 1]] = before[:, 0] * side[:, 1] - before[:, 1] * side[:, 0] > 0.0
    rounds = np.empty((len(straight), 3))
    for k, (_, c) in enumerate(straight):
        rounds[k, :2] = 0.5 * (c.min(axis=0) + c.max(axis=0))
        rounds[k, 2] = np.hypot(*(c - rounds[k, :2]).T).max()
    discs = np.array([[*item.centre, item.radius] for _, item in round_ones]).reshape(-1, 3) / scale
    return ObstacleTable(
        discs, np.array([i for i, _ in round_ones], dtype=np.int64), corners, normals, sharp, first,
        np.array([i for i, _ in straight], dtype=np.int64), rounds,
    )  # fmt: skip


@njit
def crossing(ax, ay, bx, by, cx, cy, dx, dy):
    """Whether the segments ab and cd cross."""
    s = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
    t = (bx - ax) * (dy - ay) - (by - ay) * (dx - ax)
    u = (dx - cx) * (ay - cy) - (dy - cy) * (ax - cx)
    v = (dx - cx) * (by - cy) - (dy - cy) * (bx - cx)
    return s * t < 0.0 and u * v < 0.0


@njit
def meeting(ax, ay, bx, by, cx, cy, dx, dy):
    """Fraction of the segment ab at which it crosses cd; -1 if it does not."""
    s = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
    t = (bx - ax) * (dy - ay) - (by - ay) * (dx - ax)
    u = (dx - cx) * (ay - cy) - (dy - cy) * (ax - cx)
    v = (dx - cx) * (by - cy) - (dy - cy) * (bx - cx)
    if (s > 0.0) != (t > 0.0) and (u > 0.0) != (v > 0.0):
        return u / (u - v)
    return -1.0


@njit
def nearest(ax, ay, bx, by, x, y):
    """Fraction t of the segment ab that is nearest to a point, and the vector from the point to it."""
    ex, ey = bx - ax, by - ay
    t = ((x - ax) * ex + (y - ay) * ey) / max(ex * ex + ey * ey, 1e-300)
    t = min(max(t, 0.0), 1.0)
    return t, ax + t * ex - x, ay + t * ey - y


@njit
def inside(corners, first, last, x, y):
    """Whether a point lies inside the polygon of corners first .. last-1."""
    found = False
    j = last - 1
    for i in range(first, last):
        if (corners[i, 1] > y) != (corners[j, 1] > y):
            f = (y - corners[i, 1]) / (corners[j, 1] - corners[i, 1])
            if x < corners[i, 0] + f * (corners[j, 0] - corners[i, 0]):
                found = not found
        j = i
    return found


@njit
def polygon_distance(scene, p, x, y):
    """Signed distance of a point to polygon p, negative inside."""
    first, last = scene.first[p], scene.first[p + 1]
    least = np.inf
    j = last - 1
    for i in range(first, last):
        c, d = scene.corners[j], scene.corners[i]
        _, dx, dy = nearest(c[0], c[1], d[0], d[1], x, y)
        least = min(least, np.sqrt(dx * dx + dy * dy))
        j = i
    return -least if inside(scene.corners, first, last, x, y) else least


@kernel
def point_distance(scene, x, y):
    """Signed distance of a point to the nearest obstacle, negative inside; infinity without obstacles."""
    best = np.inf
    for i in range(scene.discs.shape[0]):
        dx, dy = x - scene.discs[i, 0], y - scene.discs[i, 1]
        best = min(best, np.sqrt(dx * dx + dy * dy) - scene.discs[i, 2])
    for p in range(scene.names.shape[0]):
        best = min(best, polygon_distance(scene, p, x, y))
    return best


@door(points=FiniteNumbers(width=2, dims=(1, 2)))
def signed_distance(obstacles: tuple[Any, ...], points: ArrayLike) -> FloatArray:
    """Signed distance (k,) of points (k, 2) to the nearest obstacle, negative inside."""
    scene = scene_of(tuple(obstacles))
    return np.array([point_distance(scene, x, y) for x, y in np.atleast_2d(np.asarray(points, dtype=float))])
