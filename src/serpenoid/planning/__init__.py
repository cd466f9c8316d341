"""From a task to a motion: concertina to a target, through obstacles that are touched and not avoided."""

from __future__ import annotations

from serpenoid.planning.concertina import ELBOWS, Plan, plan
from serpenoid.planning.mobility import TABLE_2, degrees_of_freedom, mobility_table
from serpenoid.planning.obstacles import Disc, Obstacle, Polygon, Wall, signed_distance
from serpenoid.planning.refine import Contact

__all__ = [
    "ELBOWS", "TABLE_2", "Contact", "Disc", "Obstacle", "Plan", "Polygon", "Wall", "degrees_of_freedom", "mobility_table", "plan",
    "signed_distance",
]  # fmt: skip
