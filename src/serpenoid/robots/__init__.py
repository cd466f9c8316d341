"""Robots, one constructor a file; each number comes with its source. The constructor's name is the scenario preset."""

from __future__ import annotations

from serpenoid.core.robot import ROBOTS
from serpenoid.robots.ma2001 import ma2001
from serpenoid.robots.modular import alternating, universal
from serpenoid.robots.ms1 import ms1
from serpenoid.robots.ms2 import ms2
from serpenoid.robots.rods import rods
from serpenoid.robots.sarrafan2012 import sarrafan2012

__all__ = ["ROBOTS", "alternating", "ma2001", "ms1", "ms2", "rods", "sarrafan2012", "universal"]
