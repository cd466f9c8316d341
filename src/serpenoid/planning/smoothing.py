"""A path that bends no more than the body can: stretches that bend too much relax towards the least bending energy.

At the least sum of |p(k-1) - 2 p(k) + p(k+1)|^2 each point is p(k) = (4 (p(k-1) + p(k+1)) - p(k-2) - p(k+2)) / 6; points move there in turn.
Only stretches near a bend above the limit move (within one radius 1/kappa, and more from round to round), only through free cells, and
only until the limit holds, so the path leaves the field's way no more than needed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from serpenoid.compiled import kernel
from serpenoid.core.checks import FloatArray
from serpenoid.planning.cells import is_clear

if TYPE_CHECKING:
    from serpenoid.planning.maps import Map

SWEEPS, ROUNDS = 40, 300  # sweeps between two resamplings, and rounds of both at most
WIDER = 0.02  # of 1/kappa: by so much the stretch that moves grows each round


def turning(points: FloatArray) -> FloatArray:
    """Turn at each point over the mean length of the segments that meet there, (k,) 1/m; 0 at the ends."""
    bend = np.zeros(len(points))
    if len(points) > 2:
        d = np.diff(points, axis=0)
        size = np.hypot(*d.T)
        turn = np.arctan2(d[:-1, 0] * d[1:, 1] - d[:-1, 1] * d[1:, 0], (d[:-1] * d[1:]).sum(axis=1))
        bend[1:-1] = np.abs(turn) / (0.5 * (size[:-1] + size[1:]))
    return bend


def evenly(points: FloatArray, spacing: float) -> FloatArray:
    """The same polyline with points at equal arc lengths, at most `spacing` apart (m)."""
    arc = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(points, axis=0).T))])
    s = np.linspace(0.0, arc[-1], max(2, int(np.ceil(arc[-1] / spacing)) + 1))
    return np.stack([np.interp(s, arc, points[:, 0]), np.interp(s, arc, points[:, 1])], axis=1)


@kernel
def relax(free, points, moving, sweeps):
    """Relax points (cells) in place towards the least bending energy, where both segments stay in free cells; the ends stay."""
    last = len(points) - 1
    for _ in range(sweeps):
        for k in range(1, last):
            if moving[k]:
                x, y = points[k]
                for c in range(2):
                    # at the ends the line goes on straight
                    before = points[k - 2, c] if k > 1 else 2.0 * points[0, c] - points[1, c]
                    after = points[k + 2, c] if k < last - 1 else 2.0 * points[last, c] - points[last - 1, c]
                    points[k, c] = (4.0 * (points[k - 1, c] + points[k + 1, c]) - before - after) / 6.0
                if not (
                    is_clear(free, points[k - 1, 0], points[k - 1, 1], points[k, 0], points[k, 1])
                    and is_clear(free, points[k, 0], points[k, 1], points[k + 1, 0], points[k + 1, 1])
                ):
                    points[k] = x, y


@kernel
def all_clear(free, points):
    """Whether every segment of a polyline (cells) stays in free cells."""
    for k in range(len(points) - 1):
        if not is_clear(free, points[k, 0], points[k, 1], points[k + 1, 0], points[k + 1, 1]):
            return False
    return True


def smoothed(area: Map, points: FloatArray, limit: float, step: float) -> tuple[FloatArray, float, FloatArray]:
    """The smoothed points (m), their largest curvature (1/m) and its place (m)."""
    free, spacing = area.free, step * area.cell
    near = int(np.ceil(1.0 / max(limit, 1e-9) / spacing)) if limit > 0.0 else len(points)
    best = evenly(points, spacing)
    if not all_clear(free, best / area.cell):
        best = points.copy()
    bend = turning(best)
    now = best
    for turn in range(ROUNDS):
        over = turning(now) > limit
        if not over.any():
            break
        reach = min(int(near * (1.0 + WIDER * turn)), len(now) // 2 - 1)
        moving = np.convolve(over, np.ones(2 * reach + 1), mode="same") > 0.0
        grid = now / area.cell
        relax(free, grid, moving, SWEEPS)
        even = evenly(grid * area.cell, spacing)
        now = even if all_clear(free, even / area.cell) else grid * area.cell
        new = turning(now)
        if new.max() < bend.max():
            best, bend = now, new
    worst = int(np.argmax(bend))
    return best, float(bend[worst]), best[worst]
