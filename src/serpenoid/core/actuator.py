"""Actuators: what turns the angles asked of a joint into torques. The law of the kernels is in `contact.joint`."""

from __future__ import annotations

from typing import ClassVar

from serpenoid.core.declare import Description, declare, description
from serpenoid.core.family import Family
from serpenoid.core.quantities import Angle, Number

SERVOS = Family("servo preset", tag="preset", home="serpenoid.robots.servos")


@description
class Servo(Description):
    """A position servo: tau = stiffness (aim - angle) - damping rate, within the torque limit.

    The aim moves at most at `speed_limit`, and is sampled and held every `control_period` (0: continuous). With `no_load_speed` the
    torque that the motor can give falls from `torque_limit` at rest to none at that speed.
    """

    PRESETS: ClassVar[Family] = SERVOS

    stiffness: float = declare(Number("proportional gain", "N m/rad", low=0.0), default=60.0)
    damping: float = declare(Number("derivative gain", "N m s/rad", low=0.0), default=1.5)
    torque_limit: float | None = declare(Number("largest torque; none: no limit", "N m", above=0.0), default=None)
    speed_limit: float | None = declare(Number("how fast the aim may move", "rad/s", above=0.0), default=None)
    control_period: float = declare(Number("sample and hold; 0: continuous", "s", low=0.0), default=0.0)
    gear_friction: float = declare(Number("dry friction of the gear", "N m", low=0.0), default=0.0)
    backlash: float = declare(Angle("play of the gear", low=0.0, high=3.0), default=0.0)
    rotor_inertia: float = declare(Number("at the joint's side of the gear", "kg m^2", low=0.0), default=0.0)
    no_load_speed: float | None = declare(
        Number("at which the motor gives no torque; needs a torque limit", "rad/s", above=0.0), default=None
    )

    def check(self) -> None:
        """A torque-speed line begins at the torque limit."""
        from serpenoid.core.errors import InputError

        if self.no_load_speed is not None and self.torque_limit is None:
            raise InputError("Servo: no_load_speed needs a torque_limit: the torque at rest from which the line falls")
