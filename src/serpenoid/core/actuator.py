"""Actuators: what turns the angles asked of a joint into torques."""

from __future__ import annotations

from dataclasses import dataclass

from serpenoid.core.checks import per_item


@dataclass(frozen=True)
class Servo:
    """Position servos on all driven joints: tau = stiffness (aim - angle) - damping rate, within the torque limit.

    The aim moves at most at `speed_limit`, and is sampled and held every `control_period` (0: continuous).
    """

    stiffness: float = 60.0  # N m/rad
    damping: float = 1.5  # N m s/rad
    torque_limit: float | None = None  # N m
    speed_limit: float | None = None  # rad/s
    control_period: float = 0.0  # s

    def __post_init__(self) -> None:
        for name in ("stiffness", "damping", "control_period"):
            per_item(f"servo {name}", getattr(self, name), 1, 0.0)
        for name in ("torque_limit", "speed_limit"):
            if getattr(self, name) is not None:
                per_item(f"servo {name}", getattr(self, name), 1, 0.0, strict=True)
