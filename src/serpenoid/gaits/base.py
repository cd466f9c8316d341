"""What every gait evaluated by a kernel shares: no horizon, no kinks, angles at any time.

A gait is a function of time without an end. A built-in one names the compiled functions that make its parameters and tables and say its period and
when it is steady (`gaits.preparing`); one in plain Python gives `row(robot)` and overrides what does not hold for it.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from serpenoid.core import Description, FloatArray, Robot
from serpenoid.core.door import door
from serpenoid.core.errors import InputError
from serpenoid.gaits.preparing import (
    IN_PLANE,
    PERIOD,
    RAW,
    SHORTEST,
    STEADY_FROM,
    Kernels,
    prepared,
    time_or_none,
    times_of,
)


class CompiledGait(Description):
    """Base of the built-in gaits."""

    KIND: ClassVar[int]
    NAME: ClassVar[str]
    TAG: ClassVar[str] = "kind"
    SECTION: ClassVar[str] = "gait"
    KERNELS: ClassVar[Kernels | None] = None
    REFUSED: ClassVar[tuple[str, ...]] = ()

    @door
    def row(self, robot: Robot) -> tuple[FloatArray, FloatArray]:
        """Parameters and tables for the kernel."""
        if self.KERNELS is None:
            raise InputError(f"{type(self).__name__} moves joints in space: its kernel has no row of headings")
        return prepared(self, robot, IN_PLANE)[1:]

    def _times(self, robot: Robot) -> FloatArray | None:
        """What the compiled functions say of times (`gaits.preparing`); None where there are none."""
        return None if self.KERNELS is None else times_of(self, robot, prepared(self, robot, RAW))

    @door
    def period(self, robot: Robot) -> float | None:
        """Period of the shape in s, None if it has none."""
        return time_or_none(self._times(robot), PERIOD)

    @door
    def shortest_period(self, robot: Robot) -> float | None:
        """Period of the fastest part of the motion in s, None if it has none."""
        times = self._times(robot)
        return self.period(robot) if times is None else time_or_none(times, SHORTEST)

    @door
    def steady_from(self, robot: Robot) -> float:
        """Time from which the gait is steady, s; infinite if it never is."""
        times = self._times(robot)
        return np.inf if times is None else float(times[STEADY_FROM])

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
