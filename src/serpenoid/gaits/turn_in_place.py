"""Turning in place: the front half sidewinds to one side, the rear half to the other.

    yaw_j = A sin(omega t + nu x),   pitch_j = A_v u sin(omega t + nu x + delta_0)          x = i - n/2, u = 2 x / n, i = n - j

Which way a body sidewinds is the sign of its vertical wave. Here that wave grows from nothing in the middle to A_v at both
ends, with opposite signs: the ends step to opposite sides and the body turns about its middle, counter-clockwise where A_v and
delta_0 have the same sign. (A vertical wave that is merely mirrored fore and aft steps to the same side with both halves.)

| symbol | field | unit |
|---|---|---|
| A | `amplitude` | rad |
| A_v | `vertical_amplitude` at the head's end; its sign is the sense of turning | rad |
| omega | `frequency`; reversed, the body turns back | rad/s |
| nu | `phase_per_joint` (spatial frequency) | rad |
| delta_0 | `phase_offset` of the vertical wave | rad |

A turning sidewinder by modulated vertical waves: Astley et al. (2015), "Modulation of orthogonal body waves enables high
maneuverability in sidewinding locomotion".
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
class TurnInPlace(WaveGait):
    """Sidewinding in opposite directions of the two halves; angles in rad, frequency in rad/s."""

    amplitude: float = declare(AMPLITUDE, default=np.radians(35.0))
    vertical_amplitude: float = declare(
        Angle("A_v at the ends; its sign is the sense of turning", low=-np.pi, high=np.pi), default=np.radians(25.0)
    )
    frequency: float = declare(Number("omega", "rad/s"), default=3.0)
    phase_per_joint: float = declare(PER_JOINT, default=np.radians(30.0))
    phase_offset: float = declare(Angle("delta_0 of the vertical wave"), default=np.radians(90.0))
    ramp: float = declare(RAMP, default=1.0)

    NAME: ClassVar[str] = "turn-in-place"

    def yaw_and_pitch(self, robot: Robot) -> tuple[Wave, Wave]:
        """Waves of yaw and pitch."""
        x = from_head(robot) - 0.5 * robot.links
        phase = self.phase_per_joint * x
        return (
            Wave(0.0, self.amplitude, phase, self.frequency),
            Wave(0.0, self.vertical_amplitude * 2.0 * x / robot.links, phase + self.phase_offset, self.frequency),
        )
