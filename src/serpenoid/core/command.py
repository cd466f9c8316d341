"""Commands: a gait gives joint angles, a drive joint torques, a plan a task carried out, a controller what the state asks for."""

from __future__ import annotations

from typing import Any, ClassVar, Protocol

from serpenoid.core.checks import FloatArray
from serpenoid.core.door import door
from serpenoid.core.family import Family
from serpenoid.core.robot import Robot

GAITS = Family("gait", tag="kind", home="serpenoid.gaits")
DRIVES = Family("drive", tag="kind", home="serpenoid.gaits.drives")
PLANS = Family("plan", tag="kind", home="serpenoid.planning")
CONTROLLERS = Family("controller", tag="kind", home="serpenoid.control.kinds")
COMMANDS = {"gait": GAITS, "drive": DRIVES, "plan": PLANS, "controller": CONTROLLERS}


class Gait(Protocol):
    """Time to joint angles; built-in ones are chosen in kernels by KIND and a parameter row (see `gaits`)."""

    KIND: ClassVar[int]
    NAME: ClassVar[str]

    def row(self, robot: Robot) -> tuple[FloatArray, FloatArray]:
        """Parameters and tables for the kernel."""
        ...

    def period(self, robot: Robot) -> float | None:
        """Period of the shape in s, None if it has none."""
        ...

    def kinks(self) -> list[float]:
        """Times at which the joint accelerations jump, s."""
        ...

    @door
    def angles(self, robot: Robot, t: float) -> FloatArray:
        """Joint angles (dof,) in rad at time t, in the order of `robot.axes`."""
        ...

    def keys(self) -> dict[str, Any]:
        """Describe the gait as the keys of a scenario."""
        ...


class Drive(Protocol):
    """Time to joint torques (see `gaits.drives`)."""

    KIND: ClassVar[int]
    NAME: ClassVar[str]

    def row(self, robot: Robot, axes: int | None = None) -> tuple[FloatArray, FloatArray]:
        """Parameters and tables for the kernel; `axes` is the number of driven axes in space."""
        ...

    def keys(self) -> dict[str, Any]:
        """Describe the drive as the keys of a scenario."""
        ...
