"""Lateral rolling as a gait: a bellows shape whose frame turns about its backbone over time.

The backbone stays, the joints swing: the joint angles of a robot fitted to the rolled shape at time t. The roll angle is rate * t (rad/s), or any
function of time. For engines in three dimensions; the planar engine has no use for it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from serpenoid.core import FloatArray, Robot
from serpenoid.core.door import door
from serpenoid.core.errors import InputError
from serpenoid.core.theirs import theirs
from serpenoid.gaits.base import CompiledGait
from serpenoid.gaits.fit import fit
from serpenoid.gaits.function import FunctionGait
from serpenoid.shapes import Shape, roll, to_bellows


@dataclass(frozen=True, eq=False, repr=False)
class LateralRolling(CompiledGait):
    """Roll a shape about its own backbone: `angle` is a rate in rad/s, or a function of time in s."""

    shape: Shape
    angle: float | Callable[[float], float]

    KIND: ClassVar[int] = FunctionGait.KIND
    NAME: ClassVar[str] = "lateral-rolling"

    def __getstate__(self) -> dict[str, Any]:
        """The description alone: a copy fits for itself."""
        return {name: value for name, value in self.__dict__.items() if name != "_sampled"}

    @functools.cached_property
    def _sampled(self) -> dict[Robot, FunctionGait]:
        """The gait as a function of time, by robot."""
        return {}

    def row_in_space(self, robot: Robot) -> tuple[FloatArray, FloatArray]:
        """Parameters and table for the kernel: the fitted angles as a function of time, sampled."""
        if robot not in self._sampled:
            self._sampled[robot] = FunctionGait(lambda t: self.angles(robot, t))
        return self._sampled[robot].row_in_space(robot)

    def raise_problem(self) -> None:
        """Raise what went wrong with the fit while a run was under way."""
        for gait in self._sampled.values():
            gait.raise_problem()

    def keys(self) -> dict[str, Any]:
        """A scenario cannot hold a shape: the name only."""
        return {"kind": f"python:{self.NAME}"}

    @door
    def roll_angle(self, t: float) -> float:
        """Roll at time t, rad."""
        with theirs("the roll angle", self.angle):
            value = self.angle(t) if callable(self.angle) else self.angle * t
        if not np.isfinite(value):
            raise InputError(f"the roll angle is not finite at t = {t:g} s")
        return float(value)

    @door
    def shape_at(self, t: float) -> Shape:
        """The shape at time t: same backbone, frame turned everywhere by the same angle."""
        return roll(to_bellows(self.shape), self.roll_angle(t), t)

    @door
    def joint_angles(self, robot: Robot, t: float) -> FloatArray:
        """Joint angles of a robot that lies along the shape at time t, rad."""
        return fit(self.shape_at(t), robot, t=t).angles

    @door
    def angles(self, robot: Robot, t: float) -> FloatArray:
        """Joint angles (dof,) at time t, in the order of `robot.axes`, rad."""
        fitted = self.joint_angles(robot, t)
        if fitted.ndim == 1:
            return np.array([fitted[joint - 1] for joint, _ in robot.axes])
        return np.array([fitted[joint - 1, 0 if kind == "yaw" else 1] for joint, kind in robot.axes])
