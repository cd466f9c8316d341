"""Which way a robot is meant to go on a slope, and how much height it gains.

A gait whose run with unlimited motors gains height is meant to climb. Of another one the same run on level ground tells: if it goes the way in which
the slope rises, the robot was meant to climb and slides down.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from serpenoid.core import FloatArray, Trajectory
from serpenoid.simulation.run import execute
from serpenoid.simulation.setup import Setup

ALONG = (
    0.3  # of the way: a robot that goes so far up or down a slope is meant to; less, and it is meant to go across it
)
STANDING = 1e-3  # m: a run that goes less far goes nowhere


def rises_towards(setup: Setup) -> tuple[FloatArray, float] | None:
    """Direction (x, y) in which the ground rises and its slope > 0 (rad); None on the level and on uneven ground."""
    world, floor = setup.world, setup.world.floor
    plane = world if floor is None else floor
    if plane.slope == 0.0:
        return None
    sign = float(np.copysign(1.0, plane.slope))
    return sign * np.array([np.cos(plane.slope_direction), np.sin(plane.slope_direction)]), abs(plane.slope)


def height_gained(setup: Setup, run: Trajectory) -> float:
    """Rise of the centre of gravity, m; in the plane from the way on the tilted plane."""
    moved = run["com"][-1] - run["com"][0]
    found = rises_towards(setup)
    if setup.spatial or found is None:
        return float(moved[2])
    return float(moved[:2] @ found[0] * np.sin(found[1]))


def level(setup: Setup) -> Setup:
    """The same on level ground."""
    world, floor = setup.world, setup.world.floor
    flat = world.but(slope=0.0) if floor is None else world.but(ground=floor.but(slope=0.0))
    return replace(setup, world=flat, settings=setup.settings.but(checked=False))


def meant_to_climb(setup: Setup, run: Trajectory) -> bool:
    """Whether a robot on a slope is meant to climb, by its run with motors that have no limits."""
    found = rises_towards(setup)
    if found is None:
        return False
    direction, slope = found
    gained = height_gained(setup, run)
    if gained > ALONG * np.sin(slope) * float(np.linalg.norm(run["com"][-1] - run["com"][0])):
        return True
    flat = execute(level(setup))
    way = (flat["com"][-1] - flat["com"][0])[:2]
    return flat.status.ok and bool(way @ direction > max(ALONG * np.linalg.norm(way), STANDING))
