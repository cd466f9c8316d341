"""Robots, worlds and runs for tests of MuJoCo and Drake as engines."""

from __future__ import annotations

from typing import Any

import numpy as np

from serpenoid.contact import Coulomb
from serpenoid.core import Robot, Start, World
from serpenoid.core.actuator import Servo
from serpenoid.core.terrain import Ground
from serpenoid.peers import engine_class
from serpenoid.spatial.engine import SpatialEngine

OURS = ("mujoco", "drake")  # with our contacts and joints
SERVO = Servo(stiffness=60.0, damping=1.5)


def sidewinder(servo: Servo | None = SERVO, **changes: Any) -> Robot:
    l, m, r = 0.2, 0.3, 0.015
    given = {"joint_damping": 0.0, **changes}
    return Robot(
        name="sidewinder", links=6, link_length=l, link_mass=m, link_inertia=m * (3 * r * r + l * l) / 12, com_offset=l / 2,
        contact_offset=l / 2, joints="pitch-yaw", radius=r, servo=servo, **given,
    )  # fmt: skip


def level(law: Any = None, **ground: Any) -> World:
    return World(law or Coulomb(0.8, 0.8), ground=Ground(**{"stiffness": 2e4, "damping": 50.0, **ground}))


def engine(
    name: str, robot: Robot, gait: Any, world: World, step: float, start: Start | None = None, **options: Any
) -> Any:
    """An engine that follows a gait, with a frame every 20 ms."""
    kind = SpatialEngine if name == "own" else engine_class(name)
    made = kind(
        robot,
        world,
        start or Start(),
        step=step,
        stride=max(1, round(0.02 / step)),
        ideal=robot.servo is None,
        first=gait,
        **options,
    )
    made.follow(gait)
    return made


class Run:
    """What an engine came to after a time."""

    def __init__(
        self, name: str, robot: Robot, gait: Any, world: World, duration: float, step: float, **options: Any
    ) -> None:
        self.engine = engine(name, robot, gait, world, step, **options)
        self.good = self.engine.advance(round(duration / step))
        self.variables, self.totals = self.engine.variables(), self.engine.totals()

    def __getitem__(self, name: str) -> Any:
        return self.variables[name].data


def far(a: Run, b: Run) -> float:
    """Largest distance of the nodes in the same frames."""
    assert a.good and b.good and len(a["time"]) == len(b["time"])
    return float(np.linalg.norm(a["node"] - b["node"], axis=-1).max())


FEATURES = {
    "plain": {}, "torque limit": {"torque_limit": 0.4}, "rotor": {"rotor_inertia": 2e-3}, "gear friction": {"gear_friction": 0.05},
    "backlash": {"backlash": 0.02}, "torque-speed line": {"torque_limit": 1.0, "no_load_speed": 4.0}, "speed limit": {"speed_limit": 1.0},
    "sampled": {"control_period": 0.02},
}  # fmt: skip
