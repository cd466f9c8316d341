"""What an environment asks of a robot: the robot, its world, where it begins, what it senses, what it is paid for.

A task computes for many robots at once, one row per robot, with operations that treat every row by itself: so a robot among 256 senses and
earns the same, bit for bit, as one alone.

Action: joint angles that the servos aim at, in units of `reach`, one per degree of freedom from the tail, in [-1, 1] (beyond: as at the
bound). They are reached after `period` at the earliest: the servos have a torque limit and a speed limit.

    reward = progress / length - effort * work / (mass g length) - haste (+ 1 where a goal is reached)

with the progress (m) and the positive work of the joints (J) of the action.
"""

from __future__ import annotations

from functools import cached_property
from typing import ClassVar, NamedTuple

import numpy as np

from serpenoid.core import FloatArray, Robot, Start, World
from serpenoid.core.actuator import Servo
from serpenoid.core.declare import Description, declare, description
from serpenoid.core.errors import InputError
from serpenoid.core.quantities import Angle, Number, Whole
from serpenoid.simulation.fleet import Sensed

GRAVITY = 9.81  # m/s^2
SMOOTHING = 1e-3  # m/s, of the friction of all environments
SERVO = Servo(stiffness=20.0, damping=0.5, torque_limit=1.5, speed_limit=6.0)  # N m/rad, N m s/rad, N m, rad/s
MOST_STEPS = 1000  # of physics per action
LINKS = Whole("of the robot", low=2, high=100)
STEP = Number("of the physics", "s", above=0.0, high=0.1)
HASTE = Number("cost of each action in the reward", low=0.0, high=1.0)


class Draw(NamedTuple):
    """What is drawn at the start of an episode."""

    world: World
    start: Start
    goal: FloatArray  # (.,) what the task remembers of it


@description
class Task(Description):
    """What all environments have."""

    links: int = declare(LINKS, default=10)
    length: float = declare(Number("of the robot", "m", above=0.01, high=100.0), default=1.0)
    mass: float = declare(Number("of the robot", "kg", above=1e-3, high=1e3), default=2.0)
    period: float = declare(Number("of an action", "s", above=0.0, high=10.0), default=0.05)
    step: float = declare(STEP, default=5e-3)
    reach: float = declare(Angle("joint angle of an action of 1", low=0.01, high=np.pi / 2.0), default=1.0)
    effort: float = declare(Number("weight of work in the reward", low=0.0, high=1e3), default=0.02)
    haste: float = declare(HASTE, default=0.0)
    noise: float = declare(Angle("largest joint angle at the start", low=0.0, high=0.5), default=0.1)

    NAME: ClassVar[str]
    HORIZON: ClassVar[int] = 200  # actions of an episode

    def check(self) -> None:
        """An action lasts whole steps."""
        steps = self.period / self.step
        if abs(steps - round(steps)) > 1e-6 or not 1 <= round(steps) <= MOST_STEPS:
            raise InputError(f"period must be 1 to {MOST_STEPS} whole steps of {self.step:g} s, got {self.period:g} s")

    @cached_property
    def robot(self) -> Robot:
        """The robot, the same object for all episodes."""
        raise NotImplementedError

    @property
    def weight(self) -> float:
        """Work that counts as one body length at an effort of 1, J: mass, gravity, length."""
        return self.mass * GRAVITY * self.length

    def posture(self, rng: np.random.Generator) -> tuple[float, ...]:
        """Joint angles at the start."""
        return tuple(rng.uniform(-self.noise, self.noise, len(self.robot.axes)).tolist())

    def draw(self, rng: np.random.Generator) -> Draw:
        """World, start and goal of an episode."""
        raise NotImplementedError

    @property
    def layout(self) -> tuple[tuple[str, int], ...]:
        """What is observed, in order: name and how many numbers."""
        m = len(self.robot.axes)
        return (
            ("joint angles (rad)", m), ("joint rates (rad/s)", m), ("joint torques (N m)", m),
            ("velocity of the centre of gravity, ahead and to the left (m/s)", 2),
            ("turn rate of the middle link (rad/s)", 1), ("heading: cosine and sine", 2),
        )  # fmt: skip

    def observation(self, sensed: Sensed, goals: FloatArray) -> FloatArray:
        """What the robots observe, (robots, numbers)."""
        own = ahead_left(sensed.velocity, sensed.way)
        return np.concatenate([sensed.angles, sensed.rates, sensed.torques, own, sensed.gyro[:, 2:], sensed.way], axis=1)  # fmt: skip

    def progress(self, before: Sensed, now: Sensed, goals: FloatArray) -> FloatArray:
        """How far the robots came (robots,), m."""
        return np.asarray(now.com[:, 0] - before.com[:, 0])

    def reached(self, now: Sensed, goals: FloatArray) -> np.ndarray:
        """Which robots have reached their goal (robots,)."""
        return np.zeros(len(goals), dtype=bool)

    def target(self, goal: FloatArray) -> FloatArray | None:
        """Where the goal of an episode is, (2,) m, for pictures."""
        return None


def ahead_left(vectors: FloatArray, way: FloatArray) -> FloatArray:
    """Horizontal vectors (robots, 2 or more) in axes ahead and to the left of a direction (robots, 2)."""
    x, y, c, s = vectors[:, 0], vectors[:, 1], way[:, 0], way[:, 1]
    return np.stack([x * c + y * s, y * c - x * s], axis=1)
