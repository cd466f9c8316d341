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


at = slots(SinusLifting)


@literal
def fill(g, r, where, par, tab, work):
    """Fill parameters and table."""
    n = tab.shape[1]
    for j in range(1, n):
        phase = -g[at.phase_per_joint] * (n - j)
        put_wave(tab, YAW, j, 0.0, g[at.amplitude], phase)
        put_wave(tab, PITCH, j, 0.0, g[at.lift_amplitude], 2.0 * phase + g[at.lift_phase])
    put_rates(par, g[at.frequency], 2.0 * g[at.frequency], g[at.ramp], 0.0)
    finish(tab, where)
    return 0


SinusLifting.KERNELS = Kernels(size, fill, times)
