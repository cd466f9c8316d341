"""Robots, one constructor a file; each number comes with its source. The constructor's name is the scenario preset. Their motors are in `servos`."""

from __future__ import annotations

from serpenoid.core.actuator import SERVOS
from serpenoid.core.robot import ROBOTS
from serpenoid.robots import servos
from serpenoid.robots.dynamixel import dynamixel
from serpenoid.robots.ma2001 import ma2001
from serpenoid.robots.modular import alternating, universal
from serpenoid.robots.ms1 import ms1
from serpenoid.robots.ms2 import ms2
from serpenoid.robots.reu import reu
from serpenoid.robots.rods import rods
from serpenoid.robots.rsnake import rsnake
from serpenoid.robots.sarrafan2012 import sarrafan2012
from serpenoid.robots.sea_snake import sea_snake

__all__ = [
    "ROBOTS", "SERVOS", "alternating", "dynamixel", "ma2001", "ms1", "ms2", "reu", "rods", "rsnake", "sarrafan2012", "sea_snake", "servos", "universal",
]  # fmt: skip


def __dir__() -> list[str]:
    return __all__
