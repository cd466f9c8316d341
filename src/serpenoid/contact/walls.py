"""Upright walls seen from above: posts and straight sides that links touch with their half width, exactly.

Walls have no top and no end below: only the plan counts, whatever the ground's contact model. A link is a segment with its radius
as half width. It touches

| feature | where | gap |
|---|---|---|
| post (centre, radius R; R = 0: a convex corner) | the point of the link's axis that is nearest to it | distance - R - r |
| side (the free space on its left) | either end of the link, where its foot lies on the side | distance to the left - r |

so a link that lies flat on a wall has two spots, one that leans on a corner has one, and none of them jumps. Links enter a wall by
no more than their half width; beyond that they have broken through.

What presses on each link is kept in the state (`spatial.layout`, rows WALL_...): force and place at the end of the last step, peak
force, deepest entry. A link that is driven through a corner comes out on its other side; `clearance` of its axis shows it.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from serpenoid.compiled import njit
from serpenoid.contact.spots import G_END, G_POST, G_SIDE, WALL, keep
from serpenoid.core import FloatArray, per_item
from serpenoid.core.errors import InputError
from serpenoid.core.obstacles import Disc, Grid, Surface, Upright

STIFFNESS, DAMPING, FRICTION = 1e5, 100.0, 0.1
FARTHEST = 1e9  # m


class Walls(NamedTuple):
    """Posts and sides for the kernels, with what they are made of."""

    posts: FloatArray  # (., 4): place, radius, number of the obstacle
    sides: FloatArray  # (., 7): begin, end, normal to the left, number of the obstacle
    stuff: FloatArray  # stiffness N/m, damping N s/m, coefficient of friction


def _rows(name: str, given: Any, columns: int) -> FloatArray:
    """Rows of finite numbers."""
    try:
        rows = np.asarray(given, dtype=float)
    except (TypeError, ValueError):
        rows = np.full((1, 1), np.nan)
    rows = rows.reshape(-1, columns) if rows.size == 0 else rows
    if rows.ndim != 2 or rows.shape[1] != columns or not np.all(np.abs(rows) < FARTHEST):
        raise InputError(f"{name} of walls must be rows of {columns} finite numbers, got {given!r}"[:200])
    return rows


def walls_of(
    posts: Any = (), sides: Any = (), names: tuple[Any, Any] | None = None, *, stiffness: float = STIFFNESS,
    damping: float = DAMPING, friction: float = FRICTION,
) -> Walls:  # fmt: skip
    """Walls from posts (k, 3): x, y, radius, and sides (m, 4): x, y to x, y with the free space on the left, in m."""
    round_ones, straight = _rows("posts", posts, 3), _rows("sides", sides, 4)
    way = straight[:, 2:] - straight[:, :2]
    length = np.hypot(way[:, 0], way[:, 1])
    if np.any(length <= 0.0) or np.any(round_ones[:, 2] < 0.0):
        raise InputError("every side of a wall needs a length, every post a radius of at least 0")
    post_names, side_names = names if names is not None else (np.zeros(len(round_ones)), np.zeros(len(straight)))
    for name, given, count in (("posts", post_names, len(round_ones)), ("sides", side_names, len(straight))):
        if np.shape(given) != (count,) or (count and np.min(given) < 0):
            raise InputError(f"names of {name} must be {count} numbers from 0")
    stuff = [
        float(per_item(f"wall {name}", value, 1, 0.0)[0])
        for name, value in (("stiffness", stiffness), ("damping", damping), ("friction", friction))
    ]
    left = np.stack([-way[:, 1], way[:, 0]], axis=1) / length[:, None]
    rows = np.column_stack([round_ones, post_names]), np.column_stack([straight, left, side_names])
    one, other = (np.ascontiguousarray(row) for row in rows)  # one layout, so that kernels compile once
    return Walls(one, other, np.array(stuff))


def walls_of_grid(
    mask: Any, cell: float, origin: tuple[float, float] = (0.0, 0.0), *, stiffness: float = STIFFNESS, damping: float = DAMPING,
    friction: float = FRICTION,
) -> Walls:  # fmt: skip
    """Walls round the obstacles of a grid: `mask[i, j]` true is a solid square of side `cell` (m) about origin + cell (i, j).

    Sides are as long as they can be; convex corners are posts of radius 0. Beyond its border the grid goes on as its border is.
    """
    grid = np.asarray(mask)
    if grid.ndim != 2 or grid.size == 0:
        raise InputError(f"a grid of obstacles must have two dimensions, got shape {grid.shape}")
    per_item("cell", cell, 1, 0.0, strict=True)
    solid = np.pad(grid.astype(bool), 1, mode="edge")
    sides: list[tuple[float, float, float, float]] = []
    # walls along y, then (with the axes exchanged) along x; free space on the left of their direction
    for turned in (False, True):
        here = solid.T if turned else solid
        for step, up in ((1, turned), (-1, not turned)):
            face = here & ~np.roll(here, -step, axis=0)
            face[[0, -1]] = False
            for i in np.flatnonzero(face.any(axis=1)):
                edges = np.flatnonzero(np.diff(np.concatenate([[0], face[i, 1:-1].astype(int), [0]])))
                for low, high in edges.reshape(-1, 2):
                    a, b = (low, high) if up else (high, low)
                    x = i - 1 + 0.5 * step
                    sides.append((a - 0.5, x, b - 0.5, x) if turned else (x, a - 0.5, x, b - 0.5))
    four = solid[:-1, :-1].astype(int) + solid[1:, :-1] + solid[:-1, 1:] + solid[1:, 1:]
    diagonal = (four == 2) & (solid[:-1, :-1] == solid[1:, 1:])
    corners = np.argwhere((four == 1) | diagonal) - 0.5
    shift = np.asarray(origin, dtype=float)
    posts = np.column_stack([corners * cell + shift, np.zeros(len(corners))])
    straight = np.asarray(sides, dtype=float).reshape(-1, 4) * cell + np.tile(shift, 2)
    return walls_of(posts, straight, stiffness=stiffness, damping=damping, friction=friction)


def walls_around(obstacles: Any, surface: Surface | None = None) -> Walls | None:
    """Walls of the upright ones among obstacles, which keep their numbers; None: there are none."""
    stuff = surface or Surface()
    posts: list[FloatArray] = []
    sides: list[FloatArray] = []
    for number, obstacle in enumerate(obstacles):
        if isinstance(obstacle, Disc):
            own = np.array([[*obstacle.centre, obstacle.radius]]), np.zeros((0, 4))
        elif isinstance(obstacle, Grid):
            grid = walls_of_grid(obstacle.cells, obstacle.cell, obstacle.origin)
            own = grid.posts[:, :3], grid.sides[:, :4]
        elif isinstance(obstacle, Upright):
            own = _sides_of_polygon(obstacle.corners)
        else:
            continue
        for rows, part in zip((posts, sides), own, strict=True):
            rows.append(np.column_stack([part, np.full(len(part), float(number))]))
    if not posts:
        return None
    post, side = np.concatenate(posts), np.concatenate(sides)
    return walls_of(
        post[:, :3], side[:, :4], (post[:, 3], side[:, 4]), stiffness=stuff.stiffness, damping=stuff.damping, friction=stuff.friction
    )  # fmt: skip


def _sides_of_polygon(corners: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Convex corners (as posts of radius 0) and sides (free space on the left) of a solid polygon, counter-clockwise."""
    after = np.roll(corners, -1, axis=0)
    way, before = after - corners, corners - np.roll(corners, 1, axis=0)
    sharp = before[:, 0] * way[:, 1] - before[:, 1] * way[:, 0] > 0.0
    return np.column_stack([corners, np.zeros(len(corners))])[sharp], np.column_stack([after, corners])


def clearance(walls: Walls, points: Any) -> FloatArray:
    """Distance (m) of points (k, 2) from the nearest post or side; infinite where there is none."""
    p = np.asarray(points, dtype=float).reshape(-1, 2)
    best = np.full(len(p), np.inf)
    for post in walls.posts:
        best = np.minimum(best, np.hypot(*(p - post[:2]).T) - post[2])
    for side in walls.sides:
        way = side[2:4] - side[:2]
        share = np.clip((p - side[:2]) @ way / (way @ way), 0.0, 1.0)
        best = np.minimum(best, np.hypot(*(p - side[:2] - share[:, None] * way).T))
    return best


@njit
def find_walls(terrain, i, first, size, axis, joint, x0, y0, spots, count):
    """Append the spots of link i (length and radius `size`, tail-side `joint`) that touch walls; its slots begin at `first`.

    Returns the new count.
    """
    objects, ground = terrain.objects, terrain.ground
    length, r = size
    ex, ey, ez = axis
    px, py, pz = joint
    flat = math.sqrt(ex * ex + ey * ey)
    ux, uy = ex * length, ey * length
    reach = 0.5 * length * flat + r
    mx, my = x0 + px + 0.5 * ux, y0 + py + 0.5 * uy
    post, side, end = int(ground[G_POST]), int(ground[G_SIDE]), int(ground[G_END])
    for k in range(post, side):
        dx, dy, most = objects[0, k] - mx, objects[1, k] - my, reach + objects[2, k]
        if dx * dx + dy * dy < most * most:
            at = 0.5 + (dx * ux + dy * uy) / max(ux * ux + uy * uy, 1e-300)
            at = min(max(at, 0.0), 1.0)
            gx, gy = (at - 0.5) * ux - dx, (at - 0.5) * uy - dy
            away = math.sqrt(gx * gx + gy * gy)
            gap = away - objects[2, k] - r
            if gap < 0.0 and away > 1e-12:
                s = at * length
                point = (px + s * ex, py + s * ey, pz + s * ez)
                keep(
                    spots, count, i, first + k - post, gap, (gx / away, gy / away, 0.0), point, r, axis, (1.0, 0.0), 1.0
                )  # fmt: skip
                spots[WALL, count] = 1.0 + objects[3, k]
                count += 1
    first += side - post
    for k in range(side, end):
        ax, ay, nx, ny = objects[0, k], objects[1, k], objects[4, k], objects[5, k]
        if abs(nx * (mx - ax) + ny * (my - ay)) < reach:
            sx, sy = objects[2, k] - ax, objects[3, k] - ay
            way = sx * sx + sy * sy
            for e in range(2):
                x, y = px + e * ux, py + e * uy
                dx, dy = x0 + x - ax, y0 + y - ay
                along, gap = dx * sx + dy * sy, nx * dx + ny * dy - r
                if 0.0 <= along <= way and -2.0 * r <= gap < 0.0:
                    slot = first + 2 * (k - side) + e
                    point = (x, y, pz + e * length * ez)
                    keep(spots, count, i, slot, gap, (nx, ny, 0.0), point, r, axis, (1.0, 0.0), 1.0)
                    spots[WALL, count] = 1.0 + objects[6, k]
                    count += 1
    return count
