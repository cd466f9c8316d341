"""From a task to a motion: concertina to a target through obstacles; harmonic fields, paths through maps and following them."""

from __future__ import annotations

from serpenoid.core.obstacles import Disc, Polygon, Upright, Wall
from serpenoid.planning import maps
from serpenoid.planning.concertina import ELBOWS, ConcertinaPlan, ConcertinaSolution
from serpenoid.planning.follow import Following, SettledPosture, follow, settle
from serpenoid.planning.harmonic import HarmonicField, solve
from serpenoid.planning.maps import Map
from serpenoid.planning.mobility import TABLE_2, degrees_of_freedom, mobility_table
from serpenoid.planning.obstacles import signed_distance
from serpenoid.planning.path import PlannedPath, curvature_limit, find_path, path_from
from serpenoid.planning.path_plan import PathPlan, PathSolution
from serpenoid.planning.posture import laid
from serpenoid.planning.refine import Contact

__all__ = [
    "ELBOWS",
    "TABLE_2",
    "ConcertinaPlan",
    "ConcertinaSolution",
    "Contact",
    "Disc",
    "Following",
    "HarmonicField",
    "Map",
    "PathPlan",
    "PathSolution",
    "PlannedPath",
    "Polygon",
    "SettledPosture",
    "Upright",
    "Wall",
    "curvature_limit",
    "degrees_of_freedom",
    "find_path",
    "follow",
    "laid",
    "maps",
    "mobility_table",
    "path_from",
    "settle",
    "signed_distance",
    "solve",
]  # fmt: skip


def __dir__() -> list[str]:
    return __all__
