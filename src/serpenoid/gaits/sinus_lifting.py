"""Sinus-lifting: creeping whose bends are lifted off the ground (Hirose 1993).

    yaw_j = A sin(omega t - nu i),   pitch_j = A_v sin(2 (omega t - nu i) + phi)          i = n - j: joints counted from the head

The vertical wave has twice the frequency: both bends of a wave are lifted, and the stretches between them, which push, carry
the weight. That needs edges, as creeping does: friction across the body above that along it.

| symbol | field | unit |
|---|---|---|
| A | `amplitude` | rad |
| A_v | `lift_amplitude`; 0: creeping without lifting | rad |
| omega | `frequency`: positive, the wave runs to the tail and the body goes forward | rad/s |
| nu | `phase_per_joint` (spatial frequency) | rad |
| phi | `lift_phase`: -90 degrees lifts the bends, +90 degrees the stretches between them | rad |
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from serpenoid.core import Robot
from serpenoid.core.command import GAITS
from serpenoid.core.declare import declare, description
from serpenoid.core.quantities import Angle, Number
from serpenoid.gaits.waves import AMPLITUDE, PER_JOINT, RAMP, Wave, WaveGait, from_head


@GAITS.register
@description
class SinusLifting(WaveGait):
    """Creeping with lifted bends: amplitudes, `phase_per_joint` and `lift_phase` in rad, frequency in rad/s."""

    amplitude: float = declare(AMPLITUDE, default=np.radians(30.0))
    lift_amplitude: float = declare(
        Angle("A_v; 0: creeping without lifting", low=-np.pi, high=np.pi), default=np.radians(3.0)
    )
    frequency: float = declare(Number("omega; positive: forward", "rad/s"), default=3.0)
    phase_per_joint: float = declare(PER_JOINT, default=np.radians(45.0))
    lift_phase: float = declare(Angle("phi; -90 degrees lifts the bends"), default=np.radians(-90.0))
    ramp: float = declare(RAMP, default=1.0)

    NAME: ClassVar[str] = "sinus-lifting"

    def yaw_and_pitch(self, robot: Robot) -> tuple[Wave, Wave]:
        """Waves of yaw and pitch."""
        phase = -self.phase_per_joint * from_head(robot)
        return (
            Wave(0.0, self.amplitude, phase, self.frequency),
            Wave(0.0, self.lift_amplitude, 2.0 * phase + self.lift_phase, 2.0 * self.frequency),
        )
