"""Sinus-lifting: creeping whose outer bends are lifted off the ground (Hirose 1993).

    yaw_j = A sin(omega t + nu i),   pitch_j = A_v sin(2 (omega t + nu i) + phi)          i = n - j

The vertical wave has twice the frequency: both outer bends of a wave are lifted, the inner stretches, which push, carry the
weight.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from serpenoid.core import Robot
from serpenoid.gaits.waves import Wave, WaveGait, check_numbers, from_head


@dataclass(frozen=True)
class SinusLifting(WaveGait):
    """Creeping with lifted bends: amplitudes, `phase_per_joint` and `lift_phase` in rad, frequency in rad/s."""

    amplitude: float = 0.4
    lift_amplitude: float = 0.04
    frequency: float = 3.0
    phase_per_joint: float = 0.6
    lift_phase: float = 0.5 * np.pi
    ramp: float = 1.0

    NAME: ClassVar[str] = "sinus-lifting"

    def __post_init__(self) -> None:
        check_numbers(self)

    def yaw_and_pitch(self, robot: Robot) -> tuple[Wave, Wave]:
        """Waves of yaw and pitch."""
        phase = self.phase_per_joint * from_head(robot)
        lift = 2.0 * phase + self.lift_phase
        return Wave(0.0, self.amplitude, phase, self.frequency), Wave(
            0.0, self.lift_amplitude, lift, 2.0 * self.frequency
        )
