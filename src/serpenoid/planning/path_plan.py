"""A plan through a map as a description: which map, from where to where, for which body; solved, it is a path and the body along it.

    PathPlan("maze").solve(np.full(6, 4.5))                            cells; start and goal as the map suggests
    PathPlan("maze", cell=0.05, margin=0.01).solve(robots.ms1())       m

Lengths of a plan are in m where the map's file or `cell` gives the size of a cell, else in cells. A robot has a real size: on a map without one,
cells are taken as 0.05 m, and `assumed` reports it. The solution itself is always in m (a map without a size, with a body of plain
lengths, has cells of 1 m); `summary` and all messages are in the unit of the plan.

| status | meaning |
|---|---|
| reached | the path leads to a goal; with a body, all its links settle on it in every posture, and none overlaps a wall |
| unreachable | no way of free cells leads from the start to a goal |
| stalled | the field has no direction somewhere on the way, or links do not settle: `reason` says where |
| blocked | all links settle, but some overlap a wall: `reason` says where |
"""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from serpenoid.control.paths import PathDrive
from serpenoid.core import Robot, Start, World
from serpenoid.core.command import PLANS
from serpenoid.core.declare import Description, Part, declare, description
from serpenoid.core.door import door
from serpenoid.core.errors import InputError
from serpenoid.core.quantities import Angle, Choice, Flag, Number, Quantity, Say, shown
from serpenoid.core.several import Points, Vector
from serpenoid.planning import maps
from serpenoid.planning.follow import CAP, LEAST_CAP, SEARCHES, Following, follow
from serpenoid.planning.harmonic import WALLS
from serpenoid.planning.maps import Map
from serpenoid.planning.path import SMALLEST_STEP, STEP, PlannedPath, curvature_limit, find_path

EXECUTIONS = ("feed", "creep")
ASSUMED_CELL = 0.05  # m, for a robot on a map without a size
UNIT = "m or cells"  # of the lengths of a plan
Place = tuple[float, float]


@dataclass(frozen=True)
class MapSource(Quantity):
    """A map: the name of a bundled one, a file, or the text of one; in Python a `Map` too."""

    @property
    def allowed(self) -> str:
        """What is allowed."""
        return f"a file, the text of a map, or one of {', '.join(maps.bundled())}"

    def take(self, value: Any, path: str, say: Say, before: Mapping[str, Any]) -> Any:
        """A text or a Map."""
        if isinstance(value, Map | str | Path):
            return value if isinstance(value, Map) else str(value)
        say(path, f"must be {self.allowed}, got {shown(value)}")
        return None

    def plain(self, value: Any) -> Any:
        """A text: a file's map itself, so that a saved run needs no file and means the same when the file has changed."""
        if isinstance(value, str) and ("\n" in value or value in maps.bundled()):
            return value
        return (value if isinstance(value, Map) else maps.read(value)).text()

    def schema(self) -> dict[str, Any]:
        """A text."""
        return {"type": "string"}


@PLANS.register
@description(eq=False)
class PathPlan(Description):
    """From a start to a goal through a map. Lengths in m, or in cells where neither map nor `cell` gives a size."""

    map: str | Map = declare(MapSource("name of a bundled map, a file, or the text of a map"))
    start: Place | None = declare(Vector("in a free cell; none: as the map suggests", UNIT), default=None)
    goals: tuple[Place, ...] = declare(Points("in free cells; none: as the map suggests", UNIT, least=0), default=())
    cell: float | None = declare(
        Number("side of a cell; none: as the map gives it", "m", low=1e-6, high=1e6), default=None
    )
    walls: str = declare(
        Choice("the path shuns walls (dirichlet), or walls reflect (neumann)", options=WALLS), default="dirichlet"
    )
    half_width: float | None = declare(Number("none: that of the robot", UNIT, low=0.0, high=1e9), default=None)
    margin: float | None = declare(
        Number("between body and walls; none: half a cell", UNIT, low=0.0, high=1e9), default=None
    )
    step: float = declare(Number("of the path", "cells", low=SMALLEST_STEP, high=1.0), default=STEP)
    curvature: float | None = declare(
        Number("the path bends no more; none: what the robot's joints allow", "1/m or 1/cell", low=0.0), default=None
    )
    advance: float | None = declare(Number("increment of the base; none: one cell", UNIT, above=0.0), default=None)
    cap: float = declare(Angle("E: largest turn of a link at once", low=LEAST_CAP, below=np.pi), default=CAP)
    tolerance: float | None = declare(
        Number("a tip so near to the path is settled; none: 0.05 cells", UNIT, above=0.0), default=None
    )
    search: str = declare(
        Choice("for the nearest point: ahead, or as printed", options=tuple(SEARCHES)), default="forward"
    )
    project: bool = declare(Flag("nearest on the segments of the path, not only among its points"), default=True)

    execute: str = declare(
        Choice("how it is carried out: the base fed along the path, or the body creeping by itself", options=EXECUTIONS), default="feed"
    )  # fmt: skip
    drive: PathDrive | None = declare(
        Part("servos, limits and pace of the execution; none: the usual ones, on the world's ground", of=PathDrive),
        default=None,
    )
    anyway: bool = declare(Flag("carry out what there is of a plan that does not reach its goal"), default=False)

    TAG: ClassVar[str] = "kind"
    NAME: ClassVar[str] = "path"
    SECTION: ClassVar[str] = "plan"

    @functools.cached_property
    def area(self) -> Map:
        """The map, read once, with the size that `cell` gives it."""
        if isinstance(self.map, Map):
            area = self.map
        elif "\n" in str(self.map):
            area = maps.from_text(str(self.map))
        else:
            area = maps.read(self.map)
        return area if self.cell is None else area.sized(self.cell)

    @property
    def unit(self) -> str:
        """Unit of the plan's lengths: "m" or "cells"."""
        return self.area.unit

    def ends(self) -> tuple[Place, tuple[Place, ...]]:
        """Start and goals in the unit of the plan, as given or as the map suggests."""
        area = self.area
        for key, given, hint in (("start", self.start, area.start), ("goal", self.goals, area.goal)):
            if given in (None, ()) and hint is None:
                raise InputError(f"a {key} is needed: map {area.name!r} suggests none")
        start = area.start if self.start is None else self.start
        goals = self.goals if len(self.goals) else (area.goal,)
        return start, tuple(goals)  # type: ignore[return-value, arg-type]

    def prepare(self, robot: Robot, world: World, start: Start, progress: Any = None) -> Any:
        """What carries the plan out: robot, world, controller, start, longest time (s)."""
        from serpenoid.planning.carry_out import prepare_path

        return prepare_path(self, robot, world)

    @door
    def solve(self, body: Robot | ArrayLike | None = None) -> PathSolution:
        """Find the path, and take a body along it: a robot, link lengths in the unit of the plan, or none."""
        start, goals = self.ends()
        area, assumed = self.area, tuple[str, ...]()
        if isinstance(body, Robot):
            _check_joints(body)
            if self.unit == "cells":
                area = area.sized(ASSUMED_CELL, "cells")
                assumed = (f"cells of {ASSUMED_CELL:g} m, for the map gives no size",)
        u = area.unit_length
        width = _half_width(self.half_width, body, u)
        if width > 0.0 or self.margin is not None:
            area = area.grown(width, _times(self.margin, u))
        limit = _curvature(self.curvature, body, u)
        path = find_path(
            area, np.multiply(start, u), np.multiply(goals, u), step=self.step, walls=self.walls, limit=limit
        )
        following = None
        if path.status == "reached" and body is not None:
            lengths = body.link_length if isinstance(body, Robot) else np.asarray(body, dtype=float) * u
            following = follow(
                path, lengths, advance=_times(self.advance, u), cap=self.cap, tol=_times(self.tolerance, u),
                search=self.search, project=self.project, half_width=width,
            )  # fmt: skip
        return PathSolution(self, path, following, start, goals, width, assumed)


@dataclass(frozen=True, eq=False)
class PathSolution:
    """A path and the body along it, in m."""

    plan: PathPlan = field(repr=False)
    path: PlannedPath = field(repr=False)
    following: Following | None = field(repr=False)
    start: Place  # unit of the plan
    goals: tuple[Place, ...]  # unit of the plan
    half_width: float  # m
    assumed: tuple[str, ...] = ()  # what was not given

    @property
    def status(self) -> str:
        """How it ended: "reached", "unreachable", "stalled" or "blocked"."""
        return self.path.status if self.following is None else self.following.status

    @property
    def partial(self) -> bool:
        """Whether there is a way to a goal, though the body does not follow it well."""
        return self.path.status == "reached"

    @property
    def reason(self) -> str:
        """Why it did not end well; empty where it did."""
        return self.path.reason if self.following is None else self.following.reason

    @property
    def warnings(self) -> tuple[str, ...]:
        """What to look at."""
        return self.path.warnings + (() if self.following is None else self.following.warnings)

    @property
    def map(self) -> Map:
        """The map in m; its `solid` are the real walls."""
        return self.path.map

    @property
    def unit(self) -> str:
        """Unit of the plan's lengths."""
        return self.map.unit

    @property
    def unit_length(self) -> float:
        """That unit in m."""
        return self.map.unit_length

    def summary(self) -> dict[str, Any]:
        """What came of it in plain numbers, lists and texts; lengths in the unit of the plan."""
        path, body, u = self.path, self.following, self.unit_length
        some, sized = len(path.points) > 1, self.unit == "m" or bool(self.assumed)
        return {
            "status": self.status, "reason": self.reason, "unit": self.unit, "cell": self.map.cell if sized else None,
            "map": self.map.name, "start": list(self.start), "goals": [list(goal) for goal in self.goals],
            "links": 0 if body is None else len(body.lengths), "half_width": self.half_width / u, "u_start": path.u_start,
            "ln_u_start": path.ln_u_start if math.isfinite(path.ln_u_start) else None,
            "path_length": path.length / u if some else None, "min_clearance": path.min_clearance / u if some else None,
            "smoothed": path.smoothed, "link_clearance": None if body is None else body.link_clearance / u,
            "increments": 0 if body is None else len(body.base), "unsettled": 0 if body is None else len(body.unsettled),
            "unsettled_links": {} if body is None else {str(m): list(links) for m, links in body.unsettled.items()},
            "head_to_goal": None if body is None else body.head_to_goal / u, "warnings": list(self.warnings),
            "assumed": list(self.assumed),
        }  # fmt: skip


def _times(value: float | None, unit: float) -> float | None:
    """A length in m, or None."""
    return None if value is None else value * unit


def _check_joints(robot: Robot) -> None:
    """Refuse a robot that cannot bend in the plane at every joint."""
    if robot.joints in ("pitch", "alternating"):
        raise InputError(f"a path in the plane needs yaw in every joint; {robot.name} has {robot.joints} joints")


def _half_width(given: float | None, body: Any, unit: float) -> float:
    """Half width in m: as given, else the robot's, else 0."""
    if given is not None:
        return given * unit
    return float(body.radius.max()) if isinstance(body, Robot) else 0.0


def _curvature(given: float | None, body: Any, unit: float) -> float | None:
    """Largest curvature in 1/m: as given, else what the robot's joints allow; None: any."""
    limit = np.inf if given is None else given / unit
    if given is None and isinstance(body, Robot):
        limit = curvature_limit(body)
    return float(limit) if np.isfinite(limit) else None
