"""Turning in place: the front half sidewinds to one side, the rear half to the other.

    yaw_j = A sin(omega t + nu |x|),   pitch_j = A_v sin(omega t + nu |x| + delta_0)          x = i - n/2, i = n - j

Both waves run outwards from the middle (or inwards, nu < 0), so the halves sidewind in opposite directions.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from serpenoid.core import Robot
from serpenoid.gaits.waves import Wave, WaveGait, check_numbers, from_head


@dataclass(frozen=True)
class TurnInPlace(WaveGait):
    """Sidewinding in opposite directions of the two halves; angles in rad, frequency in rad/s."""

    amplitude: float = 0.4
    vertical_amplitude: float = 0.2
    frequency: float = 3.0
    phase_per_joint: float = 0.6
    phase_offset: float = 0.5 * np.pi
    ramp: float = 1.0

    NAME: ClassVar[str] = "turn-in-place"

    def __post_init__(self) -> None:
        check_numbers(self)

    def yaw_and_pitch(self, robot: Robot) -> tuple[Wave, Wave]:
        """Waves of yaw and pitch."""
        phase = self.phase_per_joint * np.abs(from_head(robot) - 0.5 * robot.links)
        return (
            Wave(0.0, self.amplitude, phase, self.frequency),
            Wave(0.0, self.vertical_amplitude, phase + self.phase_offset, self.frequency),
        )
