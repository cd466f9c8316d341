"""Motors, pins and pace of a concertina plan that is carried out; all assumed, since the source prints none."""

from __future__ import annotations

from typing import Any

from serpenoid.core.actuator import Servo
from serpenoid.core.declare import Description, Part, declare, description
from serpenoid.core.door import door
from serpenoid.core.quantities import Choice, Number
from serpenoid.robots.ms1 import Fittings

SENSORS = ("tactile", "torque")


@description
class Motors(Description):
    """Servos, pins and pace of an execution."""

    servo: Servo = declare(
        Part("of each yaw joint", of=Servo), default_factory=lambda: Servo(400.0, 20.0, torque_limit=40.0)
    )
    hold: float = declare(Number("force that each pin withstands", "N", above=0.0, high=1e9), default=300.0)
    speed: float = declare(Number("of any joint, at most", "rad/s", low=1e-2, high=1e3), default=1.0)
    acceleration: float = declare(Number("of any joint, at most", "rad/s^2", low=1e-2, high=1e6), default=4.0)
    tolerance: float = declare(
        Number("a leg ends when every driven joint is that close", "rad", low=1e-9, high=1.0), default=2e-4
    )
    patience: float = declare(Number("how long to wait for that", "s", low=0.1, high=1e3), default=2.0)
    friction: float = declare(Number("of the casters", low=0.0, high=10.0), default=0.05)
    takeover: float = declare(
        Number("in which a joint that begins to drive goes from its measured angle to the plan's; 0: at once", "s", low=0.0, high=10.0),
        default=0.4,
    )  # fmt: skip
    force_limit: float = declare(Number("of contact with an obstacle", "N", above=0.0, high=1e9), default=40.0)
    sensor: str = declare(
        Choice("of contact; torque: inferred from the joint torques", options=SENSORS), default="tactile"
    )
    threshold: float = declare(
        Number("torques left over below it are no contact", "N m", above=0.0, high=1e9), default=0.3
    )


@door
def motors_of(fittings: Fittings, **changes: Any) -> Motors:
    """Motors, pins and friction of a mechanical snake's fittings; the pins are all of a link's, the head's two counted once."""
    servo = Servo(400.0, 20.0, torque_limit=fittings.motor_torque)
    hold = fittings.holding_force * min(fittings.solenoids)
    return Motors(**{"servo": servo, "hold": hold, "friction": fittings.ground_friction, **changes})
