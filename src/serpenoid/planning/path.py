"""From a start to the goal: the path down the harmonic field, its length, clearance and curvature.

    alpha = atan2(Phi(i,j-1) - Phi(i,j+1), Phi(i-1,j) - Phi(i+1,j)),    p <- p + h (cos alpha, sin alpha)        (3)

until within max(h, 0.75 cell) of the goal, where the path ends exactly (see `descent`). (3) is printed as one fraction; it is two arguments.

A body of links l whose joints turn by phi_max at most can lie on curves up to kappa = 2 tan(phi_max / 2) / l: the circle through the joints
of a chain with all joints at phi_max has this curvature of its inscribed circle. A path that bends more is smoothed where it does.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import ArrayLike

from serpenoid.core import Robot
from serpenoid.core.checks import FloatArray, per_item
from serpenoid.core.door import FiniteNumbers, door
from serpenoid.core.errors import InputError
from serpenoid.core.quantities import Number
from serpenoid.planning.cells import cell_of
from serpenoid.planning.descent import FULL, REACHED, STALLED, descend, draw, steps_to
from serpenoid.planning.harmonic import HarmonicField, goal_nodes, reachable, solve
from serpenoid.planning.maps import Map
from serpenoid.planning.smoothing import smoothed, turning

STEP = 0.5  # cells
SMALLEST_STEP = 0.01  # cells
MOST_NAMED = 5  # places named in one warning


@dataclass(frozen=True, eq=False)
class PlannedPath:
    """A way through a map, or why there is none: `status` is "reached", "unreachable" or "stalled"."""

    points: FloatArray  # (k, 2) m
    map: Map = field(repr=False)
    status: str
    reason: str = ""
    warnings: tuple[str, ...] = ()
    ln_u_start: float = -np.inf
    gaps: FloatArray = field(default_factory=lambda: np.zeros((0, 2)))  # (g, 2) m, gaps of one cell on the way
    node_steps: int = 0  # steps that went to the best neighbour
    smoothed: bool = False
    field: HarmonicField | None = field(default=None, repr=False)

    @functools.cached_property
    def arc(self) -> FloatArray:
        """Arc length at each point, (k,) m."""
        return np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(self.points, axis=0).T))])

    @property
    def length(self) -> float:
        """Length in m."""
        return float(self.arc[-1])

    @functools.cached_property
    def clearance(self) -> FloatArray:
        """Distance of each point to the nearest solid node, (k,) m."""
        return self.map.clearance(self.points)

    @property
    def min_clearance(self) -> float:
        """Smallest distance to a solid node in m."""
        return float(self.clearance.min())

    @property
    def u_start(self) -> float:
        """u = 1 - Phi at the start; 0 where it is below the range of a double (see `ln_u_start`)."""
        return float(np.exp(self.ln_u_start))

    @functools.cached_property
    def curvature(self) -> FloatArray:
        """Turn at each point over the mean of the two segments that meet there, (k,) 1/m; 0 at the ends."""
        return turning(self.points)

    @door
    def at(self, arc: ArrayLike) -> FloatArray:
        """Points at arc lengths (m), (..., 2); the ends beyond the ends."""
        s = np.asarray(arc, dtype=float)
        return np.stack([np.interp(s, self.arc, self.points[:, 0]), np.interp(s, self.arc, self.points[:, 1])], axis=-1)

    @door
    def heading(self, arc: ArrayLike) -> FloatArray:
        """Direction of the path at arc lengths (m) in rad, in (-pi, pi]."""
        k = np.clip(np.searchsorted(self.arc, np.asarray(arc, dtype=float), side="right") - 1, 0, len(self.points) - 2)
        d = self.points[k + 1] - self.points[k]
        return np.arctan2(d[..., 1], d[..., 0])


@door
def curvature_limit(robot: Robot) -> float:
    """Largest curvature (1/m) that the joints of a robot can take; inf where they have no limit."""
    angle = np.minimum(robot.joint_limit, np.pi)
    if robot.locked:
        angle = angle.copy()
        angle[[joint - 1 for joint in robot.locked]] = 0.0
    longer = np.maximum(robot.link_length[:-1], robot.link_length[1:])
    with np.errstate(over="ignore"):
        return float(np.min(np.where(angle < np.pi, 2.0 * np.tan(0.5 * np.minimum(angle, 3.14)) / longer, np.inf)))


@door(start=FiniteNumbers(width=2), goal=FiniteNumbers(width=2), limit=Number(above=0.0, infinite=True))
def find_path(
    area: Map, start: ArrayLike, goal: ArrayLike, *, step: float = STEP, walls: str = "dirichlet", robot: Robot | None = None,
    margin: float | None = None, limit: float | None = None,
) -> PlannedPath:  # fmt: skip
    """The path from start to a goal (m); a robot grows the obstacles by its half width and `margin` and limits the curvature (1/m)."""
    if robot is not None:
        area = area.grown(float(robot.radius.max()), margin)
        limit = curvature_limit(robot) if limit is None else limit
    i, j = area.node("start", start)
    goals, _ = goal_nodes(area, goal)
    if (goals == (i, j)).all(axis=1).any():
        raise InputError("start and goal lie in one cell; there is nothing to plan")
    if not reachable(area, goals)[i, j]:
        return _nowhere(area, start)
    return path_from(solve(area, goal, walls, start if walls == "neumann" else None), start, step=step, limit=limit)


def _nowhere(area: Map, start: ArrayLike) -> PlannedPath:
    """The answer for a start without a way to the goal."""
    grown = f" with {area.length_text(area.growth)} kept to the obstacles" if area.growth else ""
    reason = f"no way of free cells leads from the start {area.place_text(start)} to the goal{grown}"
    return PlannedPath(np.array([start], dtype=float), area, "unreachable", reason)


@door(start=FiniteNumbers(width=2, dims=(1,)), limit=Number(above=0.0, infinite=True))
def path_from(
    source: HarmonicField, start: ArrayLike, *, step: float = STEP, limit: float | None = None
) -> PlannedPath:
    """The path down a solved field; step in cells; beyond a curvature `limit` (1/m) it is smoothed."""
    if float(per_item("step", step, 1, 0.0, 1.0)[0]) < SMALLEST_STEP:
        raise InputError(f"step must be {SMALLEST_STEP} to 1 cell, got {step}")
    area = source.map
    i, j = area.node("start", start)
    if not source.reach[i, j]:
        return _nowhere(area, start)
    points, status, walked = _descended(source, np.asarray(start, dtype=float) / area.cell, float(step))
    if status == STALLED and source.walls == "neumann":
        points, status, walked = _out_of_pockets(source, points, walked, float(step))
    gaps = _gaps(area, points)
    warnings = [_gap_warning(area, gaps)] if len(gaps) else []
    reason = "" if status == REACHED else f"the field has no direction at {area.place_text(points[-1])}"
    found = PlannedPath(
        points, area, "reached" if status == REACHED else "stalled", reason, tuple(warnings), source.ln_u_at(start), gaps, walked,
        field=source,
    )  # fmt: skip
    return found if limit is None or status != REACHED else limited(found, limit, step)


def _descended(source: HarmonicField, start: FloatArray, step: float) -> tuple[FloatArray, int, int]:
    """Points (m), status and node steps; the room for points grows as needed."""
    cell = source.map.cell
    room, most = int(4 * sum(source.reach.shape) / step) + 64, int(8 * source.reach.sum() / step) + 1024
    while True:
        points = np.empty((room, 2))
        status, count, walked = descend(
            source.w, source.e, source.reach, source.walls == "neumann", source.goals, source.ends / cell, start[0], start[1],
            step, points,
        )  # fmt: skip
        if status != FULL or room >= most:
            kept = points[:count] if status != FULL else points[:1]
            return kept * cell, status, walked
        room = min(4 * room, most)


def _out_of_pockets(source: HarmonicField, points: FloatArray, walked: int, step: float) -> tuple[FloatArray, int, int]:
    """Go on where reflecting walls leave the field flat (in a pocket it is that of its mouth): node by node towards the goal until it rises.

    Each new descent begins higher than the last one ended, so this ends.
    """
    cell, steps = source.map.cell, steps_to(source.reach, source.goals)
    while True:
        i, j = (cell_of(x) for x in points[-1] / cell)
        record = source.w[i, j]
        room = np.empty((int((steps[i, j] + 2) * (2.0 + 1.0 / step)) + 4, 2))
        room[0] = points[-1] / cell
        count = draw(room, 1, float(i), float(j), step)
        while steps[i, j] > 0 and source.w[i, j] <= record * (1.0 + 1e-12):
            near = [(i + a, j + b) for a, b in ((1, 0), (-1, 0), (0, 1), (0, -1)) if source.reach[i + a, j + b]]
            i, j = min(near, key=lambda node: steps[node])
            count, walked = draw(room, count, float(i), float(j), step), walked + 1
        points = np.concatenate([points, cell * room[1:count]])
        if steps[i, j] == 0:
            number = int(np.flatnonzero((source.goals == (i, j)).all(axis=1))[0])
            return np.concatenate([points, source.ends[number : number + 1]]), REACHED, walked
        more, status, added = _descended(source, points[-1] / cell, step)
        points, walked = np.concatenate([points, more[1:]]), walked + added
        if status != STALLED:
            return points, status, walked


def _gaps(area: Map, points: FloatArray) -> FloatArray:
    """Places (m) on the way where walls stand on both sides of one free cell."""
    i, j = np.floor(points / area.cell + 0.5).astype(int).T
    w = area.walls
    tight = (w[i - 1, j] & w[i + 1, j]) | (w[i, j - 1] & w[i, j + 1])
    nodes = np.stack([i, j], axis=1)[tight]
    fresh = np.ones(len(nodes), bool)
    fresh[1:] = np.abs(np.diff(nodes, axis=0)).sum(axis=1) > 1  # one place for each stretch of such cells
    return nodes[fresh] * area.cell


def _gap_warning(area: Map, gaps: FloatArray) -> str:
    """Say where the way is one cell wide."""
    named = ", ".join(area.place_text(place) for place in gaps[:MOST_NAMED]) + " ..." * (len(gaps) > MOST_NAMED)
    return (
        f"the path goes through {len(gaps)} gap{'s' * (len(gaps) > 1)} of one cell, at {named}: use smaller cells there"
    )


def limited(found: PlannedPath, limit: float, step: float = STEP) -> PlannedPath:
    """The path with its curvature brought below a limit (1/m) where the walls allow it; a warning says where they do not."""
    per_item("curvature limit", limit if np.isfinite(limit) else 0.0, 1, 0.0)
    if found.curvature.max() <= limit:
        return found
    points, worst, place = smoothed(found.map, found.points, limit, step)
    more: tuple[str, ...] = ()
    if worst > limit:
        area = found.map
        more = (
            f"the path bends by {area.curvature_text(worst, '.3g')} at {area.place_text(place, '.4g')}; "
            f"the joints allow {area.curvature_text(limit, '.3g')}",
        )
    return replace(found, points=points, smoothed=True, warnings=found.warnings + more)
