"""What every gait evaluated by a kernel shares: no horizon, no kinks, angles at any time.

A gait is a function of time without an end. Its subclasses give `row(robot)`, the parameters and tables of the kernel, and
override what does not hold for them: the period, when it is steady, the times at which joint accelerations jump.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from serpenoid.core import Description, FloatArray, Robot
from serpenoid.core.door import door
from serpenoid.core.errors import InputError


class CompiledGait(Description):
    """Base of the built-in gaits."""

    KIND: ClassVar[int]
    NAME: ClassVar[str]
    TAG: ClassVar[str] = "kind"
    SECTION: ClassVar[str] = "gait"

    @door
    def row(self, robot: Robot) -> tuple[FloatArray, FloatArray]:
        """Parameters and tables for the kernel."""
        raise InputError(f"{type(self).__name__} moves joints in space: its kernel has no row of headings")

    @door
    def period(self, robot: Robot) -> float | None:
        """Period of the shape in s, None if it has none."""
        return None

    @door
    def shortest_period(self, robot: Robot) -> float | None:
        """Period of the fastest part of the motion in s, None if it has none."""
        return self.period(robot)

    @door
    def steady_from(self, robot: Robot) -> float:
        """Time from which the gait is steady, s; infinite if it never is."""
        return np.inf

    def steady_until(self) -> float:
        """Time at which the steady part ends, s; infinite if it never does."""
        return np.inf

    def kinks(self) -> list[float]:
        """Times at which the joint accelerations jump, s."""
        return []

    @door
    def angles(self, robot: Robot, t: float) -> FloatArray:
        """Joint angles (dof,) in rad at time t, in the order of `robot.axes`."""
        from serpenoid.gaits.joints import angles

        return angles(self, robot, t)
