"""Rectilinear motion: a vertical wave travels along the straight body and carries it.

pitch_j = A sin(omega t + nu i)          i = n - j: joints counted from the head
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from serpenoid.core import Robot
from serpenoid.gaits.waves import Wave, WaveGait, check_numbers, from_head


@dataclass(frozen=True)
class Rectilinear(WaveGait):
    """A vertical travelling wave: amplitude and `phase_per_joint` in rad, frequency in rad/s."""

    amplitude: float = 0.3
    frequency: float = 4.0
    phase_per_joint: float = np.pi / 4.0
    ramp: float = 1.0

    NAME: ClassVar[str] = "rectilinear"

    def __post_init__(self) -> None:
        check_numbers(self)

    def yaw_and_pitch(self, robot: Robot) -> tuple[Wave, Wave]:
        """Waves of yaw and pitch."""
        i = from_head(robot)
        return Wave(0.0, 0.0, 0.0 * i, 0.0), Wave(0.0, self.amplitude, self.phase_per_joint * i, self.frequency)
