"""A standing wave: every link swings in phase. Reciprocal, so only a ratchet makes it travel.

Link headings are amplitude * cos(2 pi waves (u/L - 1/2)) * sin(frequency t), u the middle of the link: symmetric
fore and aft. By the scallop theorem it goes nowhere on a ground that resists forward and backward alike.

| field | unit |
|---|---|
| `amplitude` of the heading | rad |
| `waves` on the body | - |
| `frequency` | rad/s |
"""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np

from serpenoid.compiled import literal, njit
from serpenoid.core.command import GAITS
from serpenoid.core.declare import declare, description
from serpenoid.core.quantities import Angle, Number
from serpenoid.core.slots import ROBOT, body_length, slots
from serpenoid.gaits.base import CompiledGait
from serpenoid.gaits.preparing import (
    COLUMNS,
    KERNEL,
    PARAMETERS,
    PERIOD,
    ROWS,
    SHORTEST,
    STEADY_FROM,
    STEADY_UNTIL,
    Kernels,
)

KIND = 1


@GAITS.register
@description
class StandingWave(CompiledGait):
    """Links swing in phase: amplitude in rad, frequency in rad/s."""

    amplitude: float = declare(Angle("of the heading", low=-np.pi, high=np.pi))
    waves: float = declare(Number("on the body", above=0.0, high=1000.0))
    frequency: float = declare(Number("", "rad/s", above=0.0))

    KIND: ClassVar[int] = KIND
    NAME: ClassVar[str] = "standing-wave"


at = slots(StandingWave)


@literal
def size(g, r, where, out):
    """Parameters: frequency; table: each link's amplitude."""
    out[PARAMETERS], out[ROWS], out[COLUMNS], out[KERNEL] = 1, 1, r[ROBOT.links], KIND
    return 0


@literal
def fill(g, r, where, par, tab, work):
    """Fill parameters and table."""
    par[0] = g[at.frequency]
    length, end, first = body_length(r), 0.0, int(r[ROBOT.link_length])
    for i in range(tab.shape[1]):
        end += r[first + i]
        middle = end - 0.5 * r[first + i]
        tab[0, i] = g[at.amplitude] * math.cos(2.0 * math.pi * g[at.waves] * (middle / length - 0.5))
    return 0


@literal
def times(g, r, par, tab, out):
    """The gait is steady after three periods of the wave."""
    period = 2.0 * math.pi / g[at.frequency]
    out[PERIOD], out[SHORTEST], out[STEADY_FROM], out[STEADY_UNTIL] = period, period, 3.0 * period, math.inf


StandingWave.KERNELS = Kernels(size, fill, times)


@njit
def headings(par, tab, t, out):
    """Fill rows 0, 1, 2: link headings in the body frame, their rates and accelerations at time t."""
    w = par[0]
    c, s = math.cos(w * t), math.sin(w * t)
    for i in range(out.shape[1]):
        out[0, i] = tab[0, i] * s
        out[1, i] = w * tab[0, i] * c
        out[2, i] = -w * w * tab[0, i] * s


@njit
def parameter_slopes(par, tab, t, weights, by_par, by_tab):
    """Add how the sum of headings and rates at time t, weighted (2, n), depends on parameters and table."""
    w = par[0]
    c, s = math.cos(w * t), math.sin(w * t)
    for i in range(weights.shape[1]):
        by_par[0] += tab[0, i] * (weights[0, i] * t * c + weights[1, i] * (c - w * t * s))
        by_tab[0, i] += weights[0, i] * s + weights[1, i] * w * c
