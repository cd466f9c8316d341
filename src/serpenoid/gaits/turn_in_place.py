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

from serpenoid.compiled import literal
from serpenoid.core.command import GAITS
from serpenoid.core.declare import declare, description
from serpenoid.core.quantities import Angle, Number
from serpenoid.core.slots import slots
from serpenoid.gaits.preparing import Kernels
from serpenoid.gaits.waves import (
    AMPLITUDE,
    PER_JOINT,
    PITCH,
    RAMP,
    YAW,
    WaveGait,
    finish,
    put_rates,
    put_wave,
    size,
    times,
)


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


at = slots(TurnInPlace)


@literal
def fill(g, r, where, par, tab, work):
    """Fill parameters and table."""
    n = tab.shape[1]
    for j in range(1, n):
        x = (n - j) - 0.5 * n
        phase = g[at.phase_per_joint] * x
        put_wave(tab, YAW, j, 0.0, g[at.amplitude], phase)
        put_wave(tab, PITCH, j, 0.0, g[at.vertical_amplitude] * 2.0 * x / n, phase + g[at.phase_offset])
    put_rates(par, g[at.frequency], g[at.frequency], g[at.ramp], 0.0)
    finish(tab, where)
    return 0


TurnInPlace.KERNELS = Kernels(size, fill, times)
