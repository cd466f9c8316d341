"""Sidewinding: equations (1) to (3) of Sarrafan et al. (2012), as printed, on our joints.

    theta_hor = A_hor sin(omega t + i delta) + psi_hor        theta_ver = A_ver sin(omega t + i delta + delta_0) + psi_ver

The paper counts joints i = 1, ... from the *head* and its x axis points to the tail. On our chain (from the tail, x to the
head; see `robots.sarrafan2012`) that is yaw_j = -theta_hor, pitch_j = +theta_ver of i = n - j.

| symbol | field | unit |
|---|---|---|
| A_hor, A_ver | `amplitude`, and `vertical_amplitude` if it differs | rad |
| omega | `frequency` | rad/s |
| delta | `phase_per_joint` (spatial frequency) | rad |
| delta_0 | `phase_offset`: 0 or pi/2 in the paper; its sign is the direction of rolling | rad |
| psi | `yaw_offset`, `pitch_offset` | rad |
| | `direction`: -1 mirrors the motion (delta_0 + pi) | - |
| | `turn`: the wave's amplitude grows by this share from tail to head, which makes the track curve (conical sidewinding) | - |
"""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np

from serpenoid.compiled import literal
from serpenoid.core.command import GAITS
from serpenoid.core.declare import declare, description
from serpenoid.core.quantities import Angle, Choice, Number
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
class Sidewinding(WaveGait):
    """Sidewinding by two waves with a phase between them."""

    amplitude: float = declare(AMPLITUDE, default=np.pi / 6.0)
    frequency: float = declare(Number("omega", "rad/s"), default=0.75 * np.pi)
    phase_per_joint: float = declare(PER_JOINT, default=-np.radians(70.0))
    phase_offset: float = declare(Angle("delta_0: of the vertical wave"), default=0.0)
    vertical_amplitude: float | None = declare(Angle("A_ver; none: as the other", low=-np.pi, high=np.pi), default=None)
    yaw_offset: float = declare(Angle("psi_hor", low=-np.pi, high=np.pi), default=0.0)
    pitch_offset: float = declare(Angle("psi_ver", low=-np.pi, high=np.pi), default=0.0)
    direction: int = declare(Choice("-1 mirrors the motion", options=(1, -1)), default=1)
    turn: float = declare(Number("growth of the amplitude from tail to head", low=-2.0, high=2.0), default=0.0)
    ramp: float = declare(RAMP, default=1.0)

    NAME: ClassVar[str] = "sidewinding"


at = slots(Sidewinding)


@literal
def fill(g, r, where, par, tab, work):
    """Fill parameters and table."""
    n = tab.shape[1]
    for j in range(1, n):
        i = n - j
        taper = 1.0 + g[at.turn] * (0.5 - i / n)
        vertical = g[at.amplitude] if math.isnan(g[at.vertical_amplitude]) else g[at.vertical_amplitude]
        offset = g[at.phase_offset] + (0.0 if g[at.direction] > 0.0 else math.pi)
        phase = g[at.phase_per_joint] * i
        put_wave(tab, YAW, j, -g[at.yaw_offset], -g[at.amplitude] * taper, phase)
        put_wave(tab, PITCH, j, g[at.pitch_offset], vertical * taper, phase + offset)
    put_rates(par, g[at.frequency], g[at.frequency], g[at.ramp], 0.0)
    finish(tab, where)
    return 0


Sidewinding.KERNELS = Kernels(size, fill, times)
