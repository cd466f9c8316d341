"""Where and how fast a run begins."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from serpenoid.core.checks import per_item
from serpenoid.core.errors import InputError

FARTHEST, FASTEST, MOST_TURNED = 1e6, 1e4, 1e4  # m, m/s or rad/s, rad: beyond them rounding shows


@dataclass(frozen=True)
class Start:
    """Where a run begins: place of the tail's end, direction of the mean axis, velocity of the centre of gravity."""

    position: tuple[float, float] = (0.0, 0.0)  # m
    heading: float = 0.0  # rad
    velocity: tuple[float, float] = (0.0, 0.0)  # m/s
    angular_velocity: float = 0.0  # rad/s
    height: float | None = None  # m above the ground, of the lowest point (no plane: z of the centre of gravity)
    pitch: float = 0.0  # rad, nose down
    roll: float = 0.0  # rad

    def __post_init__(self) -> None:
        for name, most in (("position", FARTHEST), ("velocity", FASTEST)):
            if np.shape(getattr(self, name)) != (2,):
                raise InputError(f"start {name} must be two numbers, got {getattr(self, name)!r}")
            per_item(f"start {name}", getattr(self, name), 2, -most, most)
        for name in ("heading", "pitch", "roll"):
            per_item(f"start {name}", getattr(self, name), 1, -MOST_TURNED, MOST_TURNED)
        if self.height is not None:
            per_item("start height", self.height, 1, -FARTHEST, FARTHEST)
            if self.height < 0.0:
                raise InputError(
                    f"start height {self.height:g} m lies below the ground; it is counted from the body's lowest point"
                )
        per_item("start angular_velocity", self.angular_velocity, 1, -FASTEST, FASTEST)
