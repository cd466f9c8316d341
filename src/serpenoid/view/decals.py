"""What lies flat on the ground in a picture in space: grid lines, bands, shadows; in world places, before any camera.

A band is a flat stretch with round ends. All loops turn the same way, so that they are filled once however often they
overlap: shadows and tracks stay of one tone.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from serpenoid.core import FloatArray
from serpenoid.core.terrain import Box, Cylinder, Ground, Obstacle
from serpenoid.view.camera import Camera
from serpenoid.view.ground import Land

CAP = 7  # corners of a band's round end


def bands(start: FloatArray, end: FloatArray, radius: Any, land: Land, cap: int = CAP) -> FloatArray:
    """Outlines (m, 2 cap, 3) of bands from start to end (m, 3), radius (m) about them, on the ground, anticlockwise."""
    along = (end - start)[:, :2]
    size = np.linalg.norm(along, axis=1, keepdims=True)
    unit = np.where(size > 1e-9, along / np.maximum(size, 1e-9), np.array([1.0, 0.0]))
    turn = np.linspace(-0.5 * np.pi, 0.5 * np.pi, cap)
    c, s = np.cos(turn)[:, None], np.sin(turn)[:, None]
    left = np.stack([-unit[:, 1], unit[:, 0]], axis=-1)[:, None]
    rim = (c * unit[:, None] + s * left) * np.broadcast_to(np.asarray(radius), (len(start),))[:, None, None]
    flat = np.concatenate([end[:, None, :2] + rim, start[:, None, :2] - rim], axis=1)
    return np.concatenate([flat, land.height(flat)[..., None]], axis=-1)


def grid_lines(land: Land, camera: Camera, aspect: float, spacing: float) -> tuple[FloatArray, FloatArray]:
    """Lines (m, k, 2) of the ground at multiples of the spacing as the camera sees them; fine ones, every fifth."""
    corners = camera.corners(aspect, land.laid(camera.target), land.normal(camera.target))[:, :2]
    low, high = corners.min(axis=0), corners.max(axis=0)
    ends, numbers = [], []
    for a in (0, 1):
        here = np.arange(np.floor(low[a] / spacing), np.ceil(high[a] / spacing) + 1)
        line = np.empty((here.size, 2, 2))
        line[..., a] = here[:, None] * spacing
        line[:, :, 1 - a] = low[1 - a], high[1 - a]
        ends.append(line)
        numbers.append(here)
    first, last = np.concatenate(ends).transpose(1, 0, 2)
    start, finish = _within(first, last, corners)
    pieces = np.linspace(0.0, 1.0, 2 if land.ground.heights is None else 40)
    share = start[:, None] + pieces * (finish - start)[:, None]
    flat = first[:, None] + share[..., None] * (last - first)[:, None]
    seen = camera.see(np.concatenate([flat, land.height(flat)[..., None]], axis=-1))
    inside, bold = finish > start, np.concatenate(numbers) % 5 == 0
    return seen[inside & ~bold], seen[inside & bold]


def _within(first: FloatArray, last: FloatArray, corners: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Shares of lines (m, 2) between which they run inside an anticlockwise polygon; nowhere if not in this order."""
    low, high = np.zeros(len(first)), np.ones(len(first))
    for a, b in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        inward = np.array([a[1] - b[1], b[0] - a[0]])
        start, rate = (first - a) @ inward, (last - first) @ inward
        level = np.abs(rate) < 1e-15
        share = -start / np.where(level, 1.0, rate)
        low = np.where(level, np.where(start < 0.0, 2.0, low), np.where(rate > 0.0, np.maximum(low, share), low))
        high = np.where(~level & (rate < 0.0), np.minimum(high, share), high)
    return low, high


def obstacle_shadow(obstacle: Obstacle, land: Land, light: FloatArray) -> FloatArray | None:
    """Outline (k, 3) of the shadow of a post or a box on the ground, anticlockwise; None where there is none."""
    from scipy.spatial import ConvexHull

    if isinstance(obstacle, Box):
        c, s = np.cos(obstacle.yaw), np.sin(obstacle.yaw)
        corner = np.array(np.meshgrid([-0.5, 0.5], [-0.5, 0.5], [-0.5, 0.5])).reshape(3, -1).T * obstacle.size
        point = np.array(obstacle.centre) + corner @ np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]])
    elif isinstance(obstacle, Cylinder):
        axis = np.array(obstacle.axis)
        side = np.cross(axis, np.eye(3)[int(np.argmin(np.abs(axis)))])
        side /= np.linalg.norm(side)
        turn = np.linspace(0.0, 2.0 * np.pi, 25)[:, None]
        ring = obstacle.radius * (np.cos(turn) * side + np.sin(turn) * np.cross(axis, side))
        point = np.array(obstacle.base) + np.concatenate([ring, ring + obstacle.length * axis])
    else:
        return None
    point[:, 2] = np.maximum(point[:, 2], land.height(point))  # what is below the ground throws none
    laid = land.laid(point, light)
    return np.asarray(laid[ConvexHull(laid[:, :2]).vertices])


def footprints(land: Land) -> list[FloatArray]:
    """Outlines (k, 2) of posts and boxes as seen from above."""
    found = [obstacle_shadow(o, Land(Ground()), np.array([0.0, 0.0, 1.0])) for o in land.obstacles]
    return [outline[:, :2] for outline in found if outline is not None]
