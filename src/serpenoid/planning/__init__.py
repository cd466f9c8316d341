"""From a task to a motion: concertina to a target, through obstacles that are touched and not avoided."""

from __future__ import annotations

from serpenoid.planning.concertina import ELBOWS, Plan, plan
from serpenoid.planning.obstacles import Disc, Obstacle, Polygon, Wall, signed_distance
from serpenoid.planning.refine import Contact

__all__ = ["ELBOWS", "Contact", "Disc", "Obstacle", "Plan", "Polygon", "Wall", "plan", "signed_distance"]
