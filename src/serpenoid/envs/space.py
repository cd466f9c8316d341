"""Environments in space: `Sidewind` on bare ground, `Pegs` among posts on ground that resists equally in all directions."""

from __future__ import annotations

from functools import cached_property
from typing import ClassVar

import numpy as np

from serpenoid.contact import Coulomb
from serpenoid.core import FloatArray, Robot, Start, World
from serpenoid.core.actuator import Servo
from serpenoid.core.declare import declare, description
from serpenoid.core.obstacles import Disc
from serpenoid.core.quantities import Number
from serpenoid.core.terrain import Ground
from serpenoid.envs.task import LINKS, SERVO, SMOOTHING, STEP, Draw, Task, ahead_left
from serpenoid.robots import alternating, rods
from serpenoid.simulation.fleet import Sensed

LIFTING = Servo(stiffness=40.0, damping=1.0, torque_limit=4.0, speed_limit=6.0)  # of a robot that lifts itself
RADIUS = 0.025  # body lengths
LATTICE = 0.35  # body lengths between pegs
PEG = 0.03  # body lengths, radius
JITTER = 0.06  # body lengths
AHEAD, ASIDE = 3.0, 0.75  # body lengths that the pegs reach from the head, and to each side


@description
class SidewindTask(Task):
    """Get as far as possible sideways, along y, on ground that resists equally in all directions."""

    links: int = declare(LINKS, default=12)
    step: float = declare(STEP, default=2.5e-3)
    friction: float = declare(Number("coefficient, the same in all directions", low=0.0, high=10.0), default=0.6)

    NAME: ClassVar[str] = "Sidewind"

    @cached_property
    def robot(self) -> Robot:
        """Joints that yaw and pitch by turns, with servos that can lift."""
        return alternating(self.links, self.length, self.mass, radius=RADIUS * self.length, servo=LIFTING)

    @cached_property
    def world(self) -> World:
        """Level ground in space."""
        return World(Coulomb(self.friction, self.friction, smoothing=SMOOTHING), ground=Ground())

    def draw(self, rng: np.random.Generator) -> Draw:
        """A nearly straight body along x."""
        return Draw(self.world, Start(angles=self.posture(rng)), np.zeros(2))

    @property
    def layout(self) -> tuple[tuple[str, int], ...]:
        """What is observed, in order."""
        m = len(self.robot.axes)
        return (
            ("joint angles (rad)", m), ("joint rates (rad/s)", m), ("joint torques (N m)", m),
            ("velocity of the centre of gravity, ahead, to the left and up (m/s)", 3),
            ("angular velocity of the middle link, its axes (rad/s)", 3), ("the vertical, in the same axes", 3),
            ("heading: cosine and sine", 2),
        )  # fmt: skip

    def observation(self, sensed: Sensed, goals: FloatArray) -> FloatArray:
        """What the robots observe."""
        own = ahead_left(sensed.velocity, sensed.way)
        return np.concatenate(
            [sensed.angles, sensed.rates, sensed.torques, own, sensed.velocity[:, 2:], sensed.gyro, sensed.up, sensed.way], axis=1
        )  # fmt: skip

    def progress(self, before: Sensed, now: Sensed, goals: FloatArray) -> FloatArray:
        """How far the robots came along y, m."""
        return np.asarray(now.com[:, 1] - before.com[:, 1])


@description
class PegsTask(Task):
    """Get as far as possible along x by pushing against posts: friction alone gives no way."""

    step: float = declare(STEP, default=2.5e-3)
    friction: float = declare(Number("coefficient, the same in all directions", low=0.0, high=10.0), default=0.2)
    pegs: float = declare(Number("share of the posts that stand", low=0.0, high=1.0), default=1.0)

    NAME: ClassVar[str] = "Pegs"
    HORIZON: ClassVar[int] = 300

    @cached_property
    def robot(self) -> Robot:
        """A chain of round rods with servos."""
        return rods(self.links, self.length, self.mass, radius=RADIUS * self.length, servo=SERVO)

    def draw(self, rng: np.random.Generator) -> Draw:
        """Posts at jittered places of a lattice, none on the straight body from the tail at the origin."""
        size, free = self.length, (RADIUS + PEG + 0.01)
        posts = []
        for i in range(int((1.0 + AHEAD) / LATTICE)):
            for j in range(-int(ASIDE / LATTICE), int(ASIDE / LATTICE) + 1):
                shift, stands = rng.uniform(-JITTER, JITTER, 2), rng.random() < self.pegs
                x, y = i * LATTICE + shift[0], (j + 0.5 * (i % 2)) * LATTICE + shift[1]
                if stands and not (abs(y) < 2.0 * free and -free < x < 1.0 + free):
                    posts.append(Disc((float(size * x), float(size * y)), PEG * size))
        ground = Ground("point", 2e4, 200.0)
        world = World(Coulomb(self.friction, self.friction, smoothing=SMOOTHING), obstacles=tuple(posts), ground=ground)
        return Draw(world, Start(angles=tuple((0.2 * np.array(self.posture(rng))).tolist())), np.zeros(2))

    @property
    def layout(self) -> tuple[tuple[str, int], ...]:
        """What is observed, in order."""
        return (
            *super().layout,
            ("sideways force of posts on each link, to the left (weights of the robot)", self.links),
        )

    def observation(self, sensed: Sensed, goals: FloatArray) -> FloatArray:
        """What the robots observe."""
        felt = sensed.walls / (self.weight / self.length)
        return np.concatenate([super().observation(sensed, goals), felt], axis=1)
