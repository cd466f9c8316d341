"""Upright walls seen from above: posts and straight sides that links touch with their half width, exactly.

Walls have no top and no end below: only the plan counts, whatever the ground's contact model. A link is a segment with its radius
as half width. It touches

| feature | where | gap |
|---|---|---|
| post (centre, radius R; R = 0: a convex corner) | the point of the link's axis that is nearest to it | distance - R - r |
| side (the free space on its left) | either end of the link, where its foot lies on the side | distance to the left - r |

so a link that lies flat on a wall has two spots, one that leans on a corner has one, and none of them jumps. Links enter a wall by
no more than their half width; beyond that they have broken through.

What presses is kept for each link in a `gate` row: force and place at the end of the last step, peak force, deepest entry. A link that is driven through a
corner comes out on its other side; `clearance` of its axis tells.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from serpenoid.compiled import njit
from serpenoid.core import FloatArray, per_item
from serpenoid.core.errors import InputError
from serpenoid.spatial._old.spots import CX, GAP, LINK, NORMAL, NX, SX, TX, WALL, keep
from serpenoid.spatial._old.touch import FN, FT

# rows of what presses on a link
D_FX, D_FY, D_X, D_Y, D_NAME, D_PRESS, D_BEST, D_PEAK, D_DEEPEST = range(9)
GATE_COLUMNS = 9
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


def wall_slots(links: int, walls: Walls) -> int:
    """Number of slots: all spots that could ever be."""
    return int(links * (len(walls.posts) + 2 * len(walls.sides)))


@njit
def _stand(spots, count, link, slot, gap, nx, ny, x, y, z, r, ex, ey, ez, name):
    """Write the spot of a wall."""
    keep(spots, count, link, slot, gap, nx, ny, 0.0, x, y, z, r, ex, ey, ez, 1.0, 0.0, 1.0)
    spots[count, WALL] = 1.0 + name


@njit
def find_walls(walls, first, i, length, r, px, py, pz, ex, ey, ez, x0, y0, spots, count):
    """Append the spots of link i that are in touch; its slots begin at `first`. Returns the new count."""
    flat = math.sqrt(ex * ex + ey * ey)
    ux, uy = ex * length, ey * length
    reach = 0.5 * length * flat + r
    mx, my = x0 + px + 0.5 * ux, y0 + py + 0.5 * uy
    for k in range(walls.posts.shape[0]):
        dx, dy, most = walls.posts[k, 0] - mx, walls.posts[k, 1] - my, reach + walls.posts[k, 2]
        if dx * dx + dy * dy < most * most:
            at = 0.5 + (dx * ux + dy * uy) / max(ux * ux + uy * uy, 1e-300)
            at = min(max(at, 0.0), 1.0)
            gx, gy = (at - 0.5) * ux - dx, (at - 0.5) * uy - dy
            away = math.sqrt(gx * gx + gy * gy)
            gap = away - walls.posts[k, 2] - r
            if gap < 0.0 and away > 1e-12:
                s = at * length
                _stand(
                    spots, count, i, first + k, gap, gx / away, gy / away, px + s * ex, py + s * ey, pz + s * ez, r,
                    ex, ey, ez, walls.posts[k, 3],
                )  # fmt: skip
                count += 1
    first += walls.posts.shape[0]
    for k in range(walls.sides.shape[0]):
        ax, ay, nx, ny = walls.sides[k, 0], walls.sides[k, 1], walls.sides[k, 4], walls.sides[k, 5]
        if abs(nx * (mx - ax) + ny * (my - ay)) < reach:
            sx, sy = walls.sides[k, 2] - ax, walls.sides[k, 3] - ay
            size = sx * sx + sy * sy
            for e in range(2):
                x, y = px + e * ux, py + e * uy
                dx, dy = x0 + x - ax, y0 + y - ay
                along, gap = dx * sx + dy * sy, nx * dx + ny * dy - r
                if 0.0 <= along <= size and -2.0 * r <= gap < 0.0:
                    _stand(
                        spots, count, i, first + 2 * k + e, gap, nx, ny, x, y, pz + e * length * ez, r, ex, ey, ez,
                        walls.sides[k, 6],
                    )  # fmt: skip
                    count += 1
    return count


def gates_for(links: int) -> FloatArray:
    """Rows of what presses on the links, nothing yet."""
    gates = np.zeros((links, GATE_COLUMNS))
    gates[:, D_NAME] = -1.0
    return gates


@njit
def keep_gates(gates, spots, touch, count, x0, y0):
    """After a step: what presses on every link; name and place are those of the strongest spot.

    D_FX, D_FY is the sum of the forces; D_PRESS that of their sizes, which a pinch does not hide.
    """
    for i in range(gates.shape[0]):
        gates[i, D_FX], gates[i, D_FY], gates[i, D_NAME], gates[i, D_PRESS], gates[i, D_BEST] = 0.0, 0.0, -1.0, 0.0, 0.0
    for a in range(count):
        if spots[a, WALL] > 0.0:
            gate = gates[int(spots[a, LINK])]
            force = spots[a, NORMAL]
            fx = force * spots[a, NX] + touch[FT, a] * spots[a, TX] + touch[FN, a] * spots[a, SX]
            fy = force * spots[a, NX + 1] + touch[FT, a] * spots[a, TX + 1] + touch[FN, a] * spots[a, SX + 1]
            if force > gate[D_BEST]:
                gate[D_X], gate[D_Y], gate[D_NAME] = x0 + spots[a, CX], y0 + spots[a, CX + 1], spots[a, WALL] - 1.0
                gate[D_BEST] = force
            gate[D_FX] += fx
            gate[D_FY] += fy
            gate[D_PRESS] += math.sqrt(fx * fx + fy * fy)
            gate[D_DEEPEST] = max(gate[D_DEEPEST], -spots[a, GAP])
    for i in range(gates.shape[0]):
        gates[i, D_PEAK] = max(gates[i, D_PEAK], gates[i, D_PRESS])
