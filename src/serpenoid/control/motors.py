"""Motors, pins and pace of a concertina plan that is carried out; all assumed, since the source prints none."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from serpenoid.core.actuator import Servo
from serpenoid.core.checks import per_item
from serpenoid.core.errors import InputError
from serpenoid.robots.ms1 import Fittings

SENSORS = ("tactile", "torque")


@dataclass(frozen=True)
class Motors:
    """Servos, pins and pace of an execution.

    | field | meaning | unit |
    |---|---|---|
    | servo | position servo of each yaw joint | |
    | hold | force that each pin withstands | N |
    | speed, acceleration | of any joint, at most | rad/s, rad/s^2 |
    | tolerance | a leg ends when every driven joint is that close | rad |
    | patience | how long to wait for that | s |
    | friction | of the casters | - |
    | takeover | time in which a joint that begins to drive goes from its measured angle to the plan's; 0: at once | s |
    | force_limit | of contact with an obstacle | N |
    | sensor | "tactile", or "torque": contact is inferred from the joint torques | |
    | threshold | torques left over below it are no contact | N m |
    """

    servo: Servo = field(default_factory=lambda: Servo(400.0, 20.0, torque_limit=40.0))
    hold: float = 300.0
    speed: float = 1.0
    acceleration: float = 4.0
    tolerance: float = 2e-4
    patience: float = 2.0
    friction: float = 0.05
    takeover: float = 0.4
    force_limit: float = 40.0
    sensor: str = "tactile"
    threshold: float = 0.3

    def __post_init__(self) -> None:
        for name in ("hold", "force_limit", "threshold"):
            per_item(f"motors {name}", getattr(self, name), 1, 0.0, 1e9, strict=True)
        for name, low, high in (
            ("speed", 1e-2, 1e3), ("acceleration", 1e-2, 1e6), ("tolerance", 1e-9, 1.0), ("patience", 0.1, 1e3), ("takeover", 0.0, 10.0),
        ):  # fmt: skip
            per_item(f"motors {name}", getattr(self, name), 1, low, high)
        if not isinstance(self.servo, Servo):
            raise InputError(f"motors servo must be a Servo, got {self.servo!r}"[:200])
        per_item("motors friction", self.friction, 1, 0.0, 10.0)
        if self.sensor not in SENSORS:
            raise InputError(f"sensor must be one of {', '.join(SENSORS)}, got {self.sensor!r}")


def motors_of(fittings: Fittings, **changes: Any) -> Motors:
    """Motors, pins and friction of a mechanical snake's fittings; the pins are all of a link's, the head's two counted once."""
    servo = Servo(400.0, 20.0, torque_limit=fittings.motor_torque)
    hold = fittings.holding_force * min(fittings.solenoids)
    return Motors(**{"servo": servo, "hold": hold, "friction": fittings.ground_friction, **changes})
