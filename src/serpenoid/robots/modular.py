"""Modular robots of N equal links in three dimensions: alternating yaw and pitch joints, or universal joints.

The kinds that people build: alternating (each joint turned by 90 degrees against the last, yaw first) and universal (each joint yaws, then
pitches). Links are uniform rods; length and mass are those of the whole body. No source but the definition.
"""

from __future__ import annotations

from typing import Any

from serpenoid.core import Robot
from serpenoid.core.door import door
from serpenoid.core.robot import LINKS, ROBOTS
from serpenoid.robots.rods import rods


@ROBOTS.register
@door(links=LINKS)
def alternating(links: int = 16, length: float = 1.0, mass: float = 2.0, **changes: Any) -> Robot:
    """Build a robot whose joints yaw and pitch by turns, yaw first."""
    return rods(links, length, mass, **{"name": "alternating", "joints": "alternating", **changes})


@ROBOTS.register
@door(links=LINKS)
def universal(links: int = 10, length: float = 1.0, mass: float = 2.0, **changes: Any) -> Robot:
    """Build a robot of universal joints: each yaws, then pitches."""
    return rods(links, length, mass, **{"name": "universal", "joints": "universal", **changes})
