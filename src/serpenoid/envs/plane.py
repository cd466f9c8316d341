"""Environments in the plane, on ground that resists sideways more than along: `Creep` and `Target`."""

from __future__ import annotations

from functools import cached_property
from typing import ClassVar

import numpy as np

from serpenoid.contact import Coulomb
from serpenoid.core import FloatArray, Robot, Start, World
from serpenoid.core.declare import declare, description
from serpenoid.core.errors import InputError
from serpenoid.core.quantities import Angle, Number
from serpenoid.envs.task import HASTE, SERVO, SMOOTHING, Draw, Task, ahead_left
from serpenoid.robots import rods
from serpenoid.simulation.fleet import Sensed


@description
class CreepTask(Task):
    """Get as far as possible along x."""

    along: float = declare(Number("friction along the links", low=0.0, high=10.0), default=0.1)
    across: float = declare(Number("friction across the links", low=0.0, high=10.0), default=0.5)
    turned: float = declare(Angle("largest heading at the start", low=0.0, high=np.pi), default=0.2)

    NAME: ClassVar[str] = "Creep"

    @cached_property
    def robot(self) -> Robot:
        """A chain of rods with servos."""
        return rods(self.links, self.length, self.mass, servo=SERVO)

    @cached_property
    def world(self) -> World:
        """Level ground."""
        return World(Coulomb(self.along, self.across, smoothing=SMOOTHING))

    def draw(self, rng: np.random.Generator) -> Draw:
        """A bent body with its tail at the origin, about along x."""
        angles = self.posture(rng)
        return Draw(
            self.world, Start(heading=float(rng.uniform(-self.turned, self.turned)), angles=angles), np.zeros(2)
        )


@description
class TargetTask(CreepTask):
    """Bring the centre of gravity to a place ahead or aside."""

    nearest: float = declare(
        Number("distance of the place, least, in body lengths", above=0.0, high=100.0), default=1.0
    )
    farthest: float = declare(Number("and greatest", above=0.0, high=100.0), default=2.0)
    bearing: float = declare(Angle("greatest angle of the place from ahead", low=0.0, high=np.pi), default=1.0)
    haste: float = declare(HASTE, default=0.005)
    within: float = declare(Number("body lengths at which it is reached", above=0.0, high=1.0), default=0.15)

    NAME: ClassVar[str] = "Target"
    HORIZON: ClassVar[int] = 400

    def check(self) -> None:
        """The range is one."""
        super().check()
        if self.farthest < self.nearest:
            raise InputError(f"farthest must be at least nearest, {self.nearest:g}, got {self.farthest:g}")

    def draw(self, rng: np.random.Generator) -> Draw:
        """A place round the middle of the body as it begins."""
        world, start, _ = super().draw(rng)
        far = self.length * rng.uniform(self.nearest, self.farthest)
        angle = start.heading + rng.uniform(-self.bearing, self.bearing)
        half = 0.5 * self.length
        x = half * np.cos(start.heading) + far * np.cos(angle)
        return Draw(world, start, np.array([x, half * np.sin(start.heading) + far * np.sin(angle)]))

    @property
    def layout(self) -> tuple[tuple[str, int], ...]:
        """What is observed, in order."""
        return (*super().layout, ("place of the target, ahead and to the left (body lengths)", 2))

    def observation(self, sensed: Sensed, goals: FloatArray) -> FloatArray:
        """What the robots observe."""
        there = ahead_left(goals - sensed.com[:, :2], sensed.way) / self.length
        return np.concatenate([super().observation(sensed, goals), there], axis=1)

    def progress(self, before: Sensed, now: Sensed, goals: FloatArray) -> FloatArray:
        """How much nearer the robots came, m."""
        return apart(before.com, goals) - apart(now.com, goals)

    def reached(self, now: Sensed, goals: FloatArray) -> np.ndarray:
        """Which robots are there."""
        return apart(now.com, goals) < self.within * self.length

    def target(self, goal: FloatArray) -> FloatArray | None:
        """The place."""
        return goal


def apart(places: FloatArray, others: FloatArray) -> FloatArray:
    """Horizontal distances of places (robots, 2 or more), m."""
    x, y = places[:, 0] - others[:, 0], places[:, 1] - others[:, 1]
    return np.sqrt(x * x + y * y)
