"""How deep are links inside upright obstacles? Measured on the obstacle itself, to the nearest free place outside it.

A contact knows how far a link's border is behind one side of a wall, and forgets the link once it is through; here the axis of a link is followed
by points, and the depth of a link is that of its deepest point in the solid plus its half width. Depth beyond the half width: the axis itself is
inside. Points lie an eighth of a cell apart at most, so a corner that is cut by less than a sixteenth of a cell may be passed over.

| obstacle | depth of a point |
|---|---|
| disc | radius - distance to the centre |
| polygon, wall | distance to the nearest side, where it lies inside |
| grid | distance to the nearest square that is free, where its own is solid; the border goes on beyond the grid |
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from serpenoid.contact.walls import clearance, walls_of_grid
from serpenoid.core import Disc, FloatArray, Grid, Upright

PARTS = 24  # of a link at least
FINE = 0.125  # of a cell: distance of points at most
MOST_PARTS = 400


def depth_in(item: Upright, points: FloatArray) -> FloatArray:
    """How far points (k, 2) lie inside an upright obstacle (m; negative: outside)."""
    if isinstance(item, Disc):
        return np.asarray(item.radius - np.hypot(*(points - np.asarray(item.centre)).T))
    a = np.asarray(item.corners)
    b = np.roll(a, -1, axis=0)
    way, gap = b - a, points[:, None] - a
    share = np.clip((gap * way).sum(axis=-1) / (way**2).sum(axis=-1), 0.0, 1.0)
    rest = gap - share[..., None] * way
    border = np.hypot(rest[..., 0], rest[..., 1]).min(axis=1)
    # a ray to the right crosses the border an odd number of times from inside
    y = points[:, None, 1]
    spans = (a[:, 1] > y) != (b[:, 1] > y)
    rise = np.where(way[:, 1] == 0.0, 1.0, way[:, 1])
    right = points[:, None, 0] < a[:, 0] + (y - a[:, 1]) / rise * way[:, 0]
    inside = (spans & right).sum(axis=1) % 2 == 1
    return np.where(inside, border, -border)


class _Cells:
    """The solid cells of a grid, and the free ones beside them."""

    def __init__(self, item: Grid) -> None:
        from scipy.ndimage import binary_dilation

        self.solid = np.pad(np.asarray(item.cells, dtype=bool), 1, mode="edge")
        self.cell, self.origin = item.cell, np.asarray(item.origin, dtype=float) - item.cell
        beside = ~self.solid & binary_dilation(self.solid, np.ones((3, 3)))
        self.free = np.argwhere(beside).astype(float)
        self.walls = walls_of_grid(item.cells, item.cell, item.origin)

    def room(self, points: FloatArray) -> FloatArray:
        """Distance (m) of points (k, 2) from the nearest side or corner."""
        return clearance(self.walls, points)

    def depth(self, points: FloatArray) -> FloatArray:
        """How far points (k, 2) lie inside solid cells (m); 0 where they do not."""
        place = (points - self.origin) / self.cell
        nx, ny = self.solid.shape
        i, j = np.floor(place + 0.5).astype(int).T
        within = np.flatnonzero(self.solid[np.clip(i, 0, nx - 1), np.clip(j, 0, ny - 1)])
        found = np.zeros(len(points))
        for k in within if len(self.free) else ():
            way = np.maximum(np.abs(self.free - place[k]) - 0.5, 0.0)
            found[k] = self.cell * float(np.sqrt((way**2).sum(axis=1).min()))
        if not len(self.free):
            found[within] = np.inf
        return found


class WallDepths:
    """Depths of the links of a robot in upright obstacles."""

    def __init__(self, obstacles: Sequence[Any], radius: FloatArray, lengths: FloatArray) -> None:
        self.radius = np.asarray(radius, dtype=float)
        self.grids = [_Cells(item) for item in obstacles if isinstance(item, Grid)]
        self.others = [item for item in obstacles if isinstance(item, Upright) and not isinstance(item, Grid)]
        boxes = [_box(item) for item in self.others]
        self.low = np.array([low for low, _ in boxes]).reshape(-1, 2)
        self.high = np.array([high for _, high in boxes]).reshape(-1, 2)
        finest = min((FINE * grid.cell for grid in self.grids), default=np.inf)
        parts = int(np.clip(np.ceil(float(np.max(lengths)) / finest), PARTS, MOST_PARTS))
        self.share = np.linspace(0.0, 1.0, parts + 1)[:, None]

    @property
    def some(self) -> bool:
        """Whether there is anything to be inside of."""
        return bool(self.grids or self.others)

    def of(self, nodes: FloatArray, beside: bool = False) -> FloatArray:
        """Depth (n,) in m of every link in the solid, by its border; 0 where it only touches or is outside.

        In grids only of links whose axis is inside, unless those `beside` are asked for too: that takes longer, and contacts know them.
        """
        a, b = nodes[:-1, None], nodes[1:, None]
        points = a + self.share * (b - a)
        count, parts = points.shape[:2]
        deepest = np.full(count, -np.inf)
        for grid in self.grids:
            inside = grid.depth(points.reshape(-1, 2))
            inside = np.where(inside > 0.0, inside, -grid.room(points.reshape(-1, 2)) if beside else -np.inf)
            deepest = np.maximum(deepest, inside.reshape(count, parts).max(axis=1))
        reach = float(self.radius.max())
        near = np.all((self.low < nodes.max(axis=0) + reach) & (self.high > nodes.min(axis=0) - reach), axis=1)
        for k in np.flatnonzero(near):
            inside = depth_in(self.others[k], points.reshape(-1, 2)).reshape(count, parts).max(axis=1)
            deepest = np.maximum(deepest, inside)
        return np.maximum(deepest + self.radius, 0.0)


def _box(item: Upright) -> tuple[FloatArray, FloatArray]:
    """Corners of the box about an obstacle."""
    if isinstance(item, Disc):
        centre = np.asarray(item.centre, dtype=float)
        return centre - item.radius, centre + item.radius
    return item.corners.min(axis=0), item.corners.max(axis=0)
