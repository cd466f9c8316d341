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

from serpenoid.compiled import njit
from serpenoid.core import FloatArray, Robot
from serpenoid.core.command import GAITS
from serpenoid.core.declare import declare, description
from serpenoid.core.quantities import Angle, Number
from serpenoid.gaits.base import CompiledGait


@GAITS.register
@description
class StandingWave(CompiledGait):
    """Links swing in phase: amplitude in rad, frequency in rad/s."""

    amplitude: float = declare(Angle("of the heading", low=-np.pi, high=np.pi))
    waves: float = declare(Number("on the body", above=0.0, high=1000.0))
    frequency: float = declare(Number("", "rad/s", above=0.0))

    KIND: ClassVar[int] = 1
    NAME: ClassVar[str] = "standing-wave"

    def row(self, robot: Robot) -> tuple[FloatArray, FloatArray]:
        """Parameters: frequency; table: each link's amplitude."""
        middles = np.cumsum(robot.link_length) - 0.5 * robot.link_length
        mode = self.amplitude * np.cos(2.0 * np.pi * self.waves * (middles / robot.length - 0.5))
        return np.array([self.frequency]), mode[None, :]

    def period(self, robot: Robot) -> float | None:
        """Period of the wave, s."""
        return float(2.0 * np.pi / self.frequency)

    def steady_from(self, robot: Robot) -> float:
        """Time from which the gait is steady, s."""
        return 3.0 * float(2.0 * np.pi / self.frequency)


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
