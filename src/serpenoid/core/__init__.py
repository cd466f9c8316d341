"""The few central types: read this first.

| type | what it says | shapes and units |
|---|---|---|
| `Robot` | links and joints of a planar chain, tail first | (n,) for links, (n-1,) for joints; m, kg, kg m^2, N m s/rad |
| `Friction` | a friction law with its coefficients (see `contact`) | |
| `Patch`, `World` | the ground: gravity, law, places with other coefficients | m/s^2, m |
| `Start` | pose and velocity at t = 0 | m, rad, m/s, rad/s |
| `Gait`, `Drive` | time to joint angles, time to joint torques (see `gaits`, `control`) | rad, N m |
| `Status` | how a run ended, where and when | s |
| `Trajectory` | everything a run recorded, with names, dimensions and units | |

Descriptions are frozen. Links count from 0 at the tail; joint i connects links i-1 and i, so joints count from 1.
World z is up, the body's x axis points to the head, angles are counter-clockwise, units are SI and radians.
"""

from __future__ import annotations

from serpenoid.core.actuator import Servo
from serpenoid.core.checks import FloatArray, per_item
from serpenoid.core.command import Drive, Gait
from serpenoid.core.robot import MAX_LINKS, Robot
from serpenoid.core.start import Start
from serpenoid.core.terrain import Box, Cylinder, Ground, HeightField, Obstacle, Pipe
from serpenoid.core.trajectory import Status, Trajectory, Variable
from serpenoid.core.world import DryFriction, Friction, Patch, World

__all__ = [
    "MAX_LINKS", "Box", "Cylinder", "Drive", "DryFriction", "FloatArray", "Friction", "Gait", "Ground", "HeightField", "Obstacle", "Patch", "Pipe",
    "Robot", "Servo", "Start", "Status", "Trajectory", "Variable", "World", "per_item",
]  # fmt: skip
