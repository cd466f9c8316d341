"""How far is it from everywhere to the target around the obstacles? A grid of distances for the tip of the head.

Cells of side h cover robot, target and obstacles with a free margin. The tip is a disc of the head's half width w; the room of a cell is
the signed distance of its middle to the obstacles less w.

- Distances to guide a search are those of the shortest way through cells with room >= 0 along eight directions (see `shortest`), which cost more where
  it is narrow: the robot behind the tip is wider than the tip.
- For a proof a cell is open if any point of it may be free: room + h / sqrt(2) >= 0. Any free way of the tip runs through open cells that
  touch each other, and ways outside the grid can be led along its free border; so where the target's cell cannot be reached from
  the tip's through open cells, the target is *proved* unreachable for the head. Cells too large for a small leak find no proof, never a
  wrong one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from serpenoid.compiled import kernel, njit
from serpenoid.core.checks import FloatArray
from serpenoid.planning.obstacles import ObstacleTable, polygon_distance
from serpenoid.planning.shortest import grid_distances

_MARGIN = 4.0  # L
_MOST_CELLS = 1_000_000
WIDE, NARROW = 0.6, 2.0  # L: ways with less room than WIDE at each side cost up to NARROW times more


class DistanceField(NamedTuple):
    """Distances (ny, nx) to the target, infinity where it cannot be reached; cell [j, i] has its middle at origin + h (i, j)."""

    distance: FloatArray
    origin: FloatArray
    cell: float

    def at(self, x: float, y: float) -> float:
        """Distance at a place, the smallest of the cells around it with the way to their middle; outside, straight to the grid."""
        return float(distance_at(self.distance, self.origin, self.cell, x, y))

    def connected(self, place: FloatArray) -> bool:
        """Whether the target can be reached from the cell of a place; outside the grid everything is free."""
        i, j = np.rint((place - self.origin) / self.cell).astype(int)
        ny, nx = self.distance.shape
        return bool(np.isfinite(self.distance[min(max(j, 0), ny - 1), min(max(i, 0), nx - 1)]))


@kernel
def distance_at(distance, origin, cell, x, y):
    """Distance at a place."""
    ny, nx = distance.shape
    px, py = (x - origin[0]) / cell, (y - origin[1]) / cell
    i, j = min(max(int(np.floor(px)), 0), nx - 2), min(max(int(np.floor(py)), 0), ny - 2)
    best = np.inf
    for b in range(j, j + 2):
        for a in range(i, i + 2):
            way = cell * np.sqrt((px - a) ** 2 + (py - b) ** 2)
            best = min(best, distance[b, a] + way)
    return best


@njit
def _span(low, high, origin, cell, count):
    """First and last + 1 of the cells whose middles lie between two places."""
    return max(int(np.ceil((low - origin) / cell)), 0), min(int(np.floor((high - origin) / cell)) + 1, count)


@kernel
def _rooms(scene, half_width, origin, cell, out):
    """Fill the room at the middle of every cell: signed distance less the half width, WIDE at most; each obstacle only looks around itself."""
    ny, nx = out.shape
    out.fill(WIDE)
    for k in range(scene.discs.shape[0]):
        x, y, r = scene.discs[k, 0], scene.discs[k, 1], scene.discs[k, 2]
        reach = r + half_width + WIDE
        i0, i1 = _span(x - reach, x + reach, origin[0], cell, nx)
        j0, j1 = _span(y - reach, y + reach, origin[1], cell, ny)
        for j in range(j0, j1):
            for i in range(i0, i1):
                dx, dy = origin[0] + i * cell - x, origin[1] + j * cell - y
                out[j, i] = min(out[j, i], np.sqrt(dx * dx + dy * dy) - r - half_width)
    for p in range(scene.names.shape[0]):
        x0, y0, x1, y1 = np.inf, np.inf, -np.inf, -np.inf
        for k in range(scene.first[p], scene.first[p + 1]):
            x0, x1 = min(x0, scene.corners[k, 0]), max(x1, scene.corners[k, 0])
            y0, y1 = min(y0, scene.corners[k, 1]), max(y1, scene.corners[k, 1])
        reach = half_width + WIDE
        i0, i1 = _span(x0 - reach, x1 + reach, origin[0], cell, nx)
        j0, j1 = _span(y0 - reach, y1 + reach, origin[1], cell, ny)
        for j in range(j0, j1):
            for i in range(i0, i1):
                room = polygon_distance(scene, p, origin[0] + i * cell, origin[1] + j * cell) - half_width
                out[j, i] = min(out[j, i], room)


def _grid(
    scene: ObstacleTable, target: FloatArray, places: FloatArray, cell: float
) -> tuple[FloatArray, float, tuple[int, int]]:
    """Origin, side and numbers (ny, nx) of the cells that cover everything; the target is the middle of one."""
    points = [places, target[None], scene.corners]
    points += [scene.discs[:, :2] + s * scene.discs[:, 2:] for s in (-1.0, 1.0)]
    everything = np.concatenate(points)
    low, high = everything.min(axis=0) - _MARGIN, everything.max(axis=0) + _MARGIN
    cell = max(cell, float(np.sqrt(np.prod(high - low) / _MOST_CELLS)))
    origin = target - cell * np.ceil((target - low) / cell)
    nx, ny = (np.ceil((high - origin) / cell).astype(int) + 1).tolist()
    return origin, cell, (ny, nx)


def distances_to(
    scene: ObstacleTable,
    target: FloatArray,
    places: FloatArray,
    half_width: float,
    cell: float = 0.1,
    proof: bool = False,
) -> DistanceField:
    """Distances to a target on a grid that covers the obstacles, the target and `places` (k, 2); `proof`: through all open cells."""
    origin, cell, shape = _grid(scene, target, places, cell)
    room = np.empty(shape)
    _rooms(scene, half_width, origin, cell, room)
    goal = np.ascontiguousarray(np.rint((target - origin) / cell).astype(np.int64)[None, ::-1])
    narrow = 1.0 - np.minimum(np.maximum(room, 0.0), WIDE) / WIDE
    is_open = room >= (-cell * np.sqrt(0.5) if proof else 0.0)
    return DistanceField(grid_distances((1.0 + NARROW * narrow) * cell, is_open, goal, 0.0, True), origin, cell)
