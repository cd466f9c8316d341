"""Is the robot allowed to lie where it starts? Links that overlap, obstacles under them, obstacles too thin to be felt are refused."""

from __future__ import annotations

from typing import Any

import numpy as np

from serpenoid.core.checks import FloatArray
from serpenoid.core.errors import InputError
from serpenoid.core.obstacles import Disc, Wall
from serpenoid.gaits.concertina_legs import SIZE
from serpenoid.planning.gaps import GapTable, gap_table, gather
from serpenoid.planning.obstacles import ObstacleTable, crossing, inside
from serpenoid.planning.walk import ConcertinaProblem

THIN = 0.02  # L: obstacles with the links' width around them must be as thick as this, or a step could jump over them


def _thickness(obstacle: Any) -> float:
    """Least width of an obstacle, in m."""
    if isinstance(obstacle, Disc):
        return 2.0 * obstacle.radius
    if isinstance(obstacle, Wall):
        return min(obstacle.thickness, float(np.hypot(*np.subtract(obstacle.end, obstacle.start))))
    corners = obstacle.corners
    side = np.roll(corners, -1, axis=0) - corners
    side /= np.hypot(side[:, 0], side[:, 1])[:, None]
    heights = (corners[None] - corners[:, None]) @ np.array([[0.0, 1.0], [-1.0, 0.0]])
    return float(np.abs(np.einsum("ijk,ik->ij", heights, side)).max(axis=1).min())


def _crosses(nodes: FloatArray, k: int, scene: ObstacleTable, polygon: int) -> bool:
    """Whether link k (from 0) lies in a polygon or crosses a side of it."""
    first, last = scene.first[polygon], scene.first[polygon + 1]
    corners = scene.corners[first:last]
    return bool(inside(scene.corners, first, last, *nodes[k])) or any(
        crossing(*nodes[k], *nodes[k + 1], *a, *b) for a, b in zip(corners, np.roll(corners, -1, axis=0), strict=True)
    )


def check_start(problem: ConcertinaProblem) -> None:
    """Refuse a start that is not allowed, with the reason."""
    nodes, body, scene = problem.begin.nodes, problem.runner.body, problem.runner.scene
    for i, item in enumerate(problem.plan.obstacles):
        if _thickness(item) / problem.scale + 2.0 * body.half_width < THIN:
            raise InputError(f"obstacle {i} is thinner than {THIN} mean links with the links' width; make it thicker")
    over = np.flatnonzero(np.abs(problem.posture.angles) > body.limits + 1e-9)
    if over.size:
        raise InputError(f"joint {over[0] + 1} starts beyond its joint_limit")
    for k in range(7):
        for j in range(k + 2, 7):
            if crossing(*nodes[k], *nodes[k + 1], *nodes[j], *nodes[j + 1]):
                raise InputError(f"links {k + 1} and {j + 1} cross each other at the start")
        for polygon in range(len(scene.names)):
            if _crosses(nodes, k, scene, polygon):
                raise InputError(f"link {k + 1} starts inside obstacle {scene.names[polygon]}")
    near, table = np.arange(len(scene.discs)), GapTable(*gap_table())
    gap, info = table.gap, table.info
    for stage in (1, 2):  # all links move in one of them
        n = gather(stage, nodes, np.empty((8, 2, SIZE)), 0, body, scene, near, 0.0, *table)
        for i in range(n):
            link, obstacle = int(info[i, 0]) + 1, int(info[i, 1])
            if gap[i] < -1e-9 and obstacle >= 0:
                raise InputError(f"link {link} starts {problem.length_text(-gap[i])} inside obstacle {obstacle}")
            if gap[i] < -1e-9:
                width = problem.length_text(body.half_width)
                raise InputError(f"link {link} overlaps another link at the start (half width {width})")
