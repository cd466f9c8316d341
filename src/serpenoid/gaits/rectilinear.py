"""Rectilinear motion: a vertical wave travels along the straight body and carries it the way it runs itself.

    pitch_j = A sin(omega t + nu i)          i = n - j: joints counted from the head

| symbol | field | unit |
|---|---|---|
| A | `amplitude` | rad |
| omega | `frequency`: positive, the wave runs to the head and the body goes forward | rad/s |
| nu | `phase_per_joint` (spatial frequency) | rad |

Friction need not differ along and across: only the troughs stand on the ground, and they stand still. In the frame of the wave
the body flows along it; over a period T it advances by the length of body in a wave, less the wave's length on the ground, and
by what the lower side of the troughs, which are bent, is longer than the axis:

    advance a period = lambda (1 - J_0(Theta) + kappa r),     lambda = 2 pi l / nu,  Theta = A / (2 sin(nu/2)),  kappa = A / l

for links of length l and radius r that all pitch (Theta: amplitude of the slope; J_0: Bessel function).
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from serpenoid.compiled import literal
from serpenoid.core.command import GAITS
from serpenoid.core.declare import declare, description
from serpenoid.core.quantities import Number
from serpenoid.core.slots import slots
from serpenoid.gaits.preparing import Kernels
from serpenoid.gaits.waves import (
    AMPLITUDE,
    PER_JOINT,
    PITCH,
    RAMP,
    WaveGait,
    finish,
    put_rates,
    put_wave,
    size,
    times,
)


@GAITS.register
@description
class Rectilinear(WaveGait):
    """A vertical travelling wave: amplitude and `phase_per_joint` in rad, frequency in rad/s."""

    amplitude: float = declare(AMPLITUDE, default=np.radians(25.0))
    frequency: float = declare(Number("omega; positive: forward", "rad/s"), default=4.0)
    phase_per_joint: float = declare(PER_JOINT, default=np.radians(45.0))
    ramp: float = declare(RAMP, default=1.0)

    NAME: ClassVar[str] = "rectilinear"


at = slots(Rectilinear)


@literal
def fill(g, r, where, par, tab, work):
    """Fill parameters and table."""
    n = tab.shape[1]
    for j in range(1, n):
        put_wave(tab, PITCH, j, 0.0, g[at.amplitude], g[at.phase_per_joint] * (n - j))
    put_rates(par, 0.0, g[at.frequency], g[at.ramp], 0.0)
    finish(tab, where)
    return 0


Rectilinear.KERNELS = Kernels(size, fill, times)
