"""The few central types: read this first.

| type | what it says | shapes and units |
|---|---|---|
| `Robot` | links and joints of a chain, tail first, with what moves the joints (`Servo`) | (n,) for links, (n-1,) for joints; m, kg, kg m^2, N m s/rad |
| `Friction` | a friction law with its coefficients (see `contact`) | |
| `World`, `Patch`, `FrictionMap`, `Ground` | gravity, law, places with other coefficients, the ground in space | m/s^2, m |
| `Cylinder`, `Box`, `Pipe`, `Disc`, `Polygon`, `Wall`, `Grid`, `Anchor` | what stands on it, pins | m |
| `Start`, `Settings` | pose and velocity at t = 0; duration and step | m, rad, m/s, rad/s, s |
| `Gait`, `Drive` | time to joint angles, time to joint torques (see `gaits`) | rad, N m |
| `Status` | how a run ended, where and when | s |
| `Trajectory` | everything a run recorded, with names, dimensions and units | |

Descriptions are frozen, and each field is declared once (`declare`). Links count from 0 at the tail; joint i connects links i-1 and i, so joints
count from 1. World z is up, the body's x axis points to the head, angles are counter-clockwise, units are SI and radians.
"""

from __future__ import annotations

from serpenoid.core.actuator import Servo
from serpenoid.core.checks import FloatArray, per_item
from serpenoid.core.command import Drive, Gait
from serpenoid.core.declare import Description, declare, description
from serpenoid.core.friction_map import FrictionMap
from serpenoid.core.obstacles import Anchor, Disc, Grid, Polygon, SelfContact, Surface, Upright, Wall
from serpenoid.core.robot import MAX_LINKS, Robot  # noqa: F401
from serpenoid.core.settings import Settings
from serpenoid.core.start import Start
from serpenoid.core.terrain import Box, Cylinder, Ground, HeightField, Obstacle, Pipe
from serpenoid.core.trajectory import Status, Trajectory, Variable
from serpenoid.core.world import DryFriction, Friction, Patch, World

__all__ = [
    "Anchor", "Box", "Cylinder", "Description", "Disc", "Drive", "DryFriction", "FloatArray", "Friction", "FrictionMap", "Gait", "Grid", "Ground",
    "HeightField", "Obstacle", "Patch", "Pipe", "Polygon", "Robot", "SelfContact", "Servo", "Settings", "Start", "Status", "Surface", "Trajectory", "Upright",
    "Variable", "Wall", "World", "declare", "description", "per_item",
]  # fmt: skip


def __dir__() -> list[str]:
    return __all__
