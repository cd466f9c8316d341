"""How the weight of the body is shared among its links in the plane: a load law.

    N_i = W m_i a_i / sum_k m_k a_k          W the weight of the body, a_i the activation of link i

The sum of the normal forces is the weight at all times. Without a law every link carries its own weight (a_i = 1).

| kind | activation | for |
|---|---|---|
| `given` | numbers, one per link, that replace m_i a_i | a body that does not lie flat, a heavy load above a link |
| `bends` | exp(-(kappa_i L / c)^2), kappa_i the curvature at the link, L the body length, c = `curvature` | snakes that lift their bends (Hu et al. 2009) |
| `wave` | max(0, 1 + A cos(2 pi k s_i / L + w t + phase)), s_i from the tail to mid-link | a lifting wave of one's own (Zhang et al. 2021) |

kappa_i is the turn from the link before to the link after over the distance of their middles; at the ends that to the one neighbour. A
wave with w > 0 runs towards the tail, as the bends of `Serpenoid` do.

Lifting is quasi-static: no link leaves the ground or gains height, and the moments of the weight about the body's long axis and across it
are not balanced (a snake balances them by lifting little). Forces of dry laws follow the load; the viscous law knows none. The stiffness of
bristles stays that of the weight at rest.
"""

from __future__ import annotations

import math

import numpy as np

from serpenoid.compiled import njit
from serpenoid.contact.ground import ACROSS, BACKWARD, FORWARD, REST, STATIC_N, STATIC_T, STIFF_N, STIFF_T
from serpenoid.core import FloatArray, Robot
from serpenoid.core.declare import declare, description
from serpenoid.core.errors import InputError
from serpenoid.core.quantities import Angle, Number
from serpenoid.core.several import Numbers
from serpenoid.core.world import LOADS, Load

OWN_WEIGHT = 0  # kind of a world without a load law, and of one that does not change with time
LIGHTEST = 0.02  # mean activation of a wave at any time: below it the body has nothing to stand on
_PHASES = 720  # of a wave that are tried


@LOADS.register
@description
class GivenLoad(Load):
    """Shares of the weight, one per link, constant."""

    weights: tuple[float, ...] = declare(
        Numbers("shares of the weight, one per link; their sum counts as 1", item=Number(low=0.0))
    )

    KIND = OWN_WEIGHT
    NAME = "given"

    def check(self) -> None:
        """Something carries."""
        shares = np.atleast_1d(np.asarray(self.weights, dtype=float))
        if not shares.sum() > 0.0:
            raise InputError("weights must be >= 0, one per link, and not all 0")

    def at_rest(self, robot: Robot) -> FloatArray:
        """Mass that rests on each link, (n,) kg."""
        shares = np.atleast_1d(np.asarray(self.weights, dtype=float))
        if shares.size not in (1, robot.links):
            raise InputError(f"weights: give one per link, {robot.links}, got {shares.size}")
        shares = np.broadcast_to(shares, robot.links)
        return np.asarray(robot.mass * shares / shares.sum())


@LOADS.register
@description
class LiftedBends(Load):
    """Bends are lifted: the load falls with the curvature of the body."""

    curvature: float = declare(Number("curvature times body length at which the activation is 1/e", above=0.0))

    KIND = 1
    NAME = "bends"

    def row(self, robot: Robot) -> FloatArray:
        """Parameter row of the kernel: the curvature, 1/m."""
        return np.array([self.curvature / robot.length])


@LOADS.register
@description
class LoadWave(Load):
    """A wave of activation along the body, whatever the body does."""

    amplitude: float = declare(Number("above 1 some links carry nothing at times", low=0.0, high=100.0))
    waves: float = declare(Number("wave lengths along the body", low=0.0, high=1e4))
    frequency: float = declare(Number("", "rad/s"))
    phase: float = declare(Angle("at the tail at t = 0"), default=0.0)

    KIND = 2
    NAME = "wave"

    def row(self, robot: Robot) -> FloatArray:
        """Parameter row of the kernel: amplitude, wave number (1/m), frequency, phase."""
        row = np.array([self.amplitude, 2.0 * np.pi * self.waves / robot.length, self.frequency, self.phase])
        middle = np.cumsum(robot.link_length) - 0.5 * robot.link_length
        turn = np.linspace(0.0, 2.0 * np.pi, _PHASES)[:, None] if self.frequency != 0.0 else np.zeros((1, 1))
        active = np.maximum(0.0, 1.0 + self.amplitude * np.cos(row[1] * middle + self.phase + turn))
        least = float((active @ robot.link_mass).min() / robot.mass)
        if least < LIGHTEST:
            raise InputError(
                f"this load wave lifts nearly the whole body at once (mean activation {least:.2g}); use a smaller amplitude or more waves"
            )
        return row


@njit
def activate_bends(row, length, heading, active):
    """Activation of every link by the curvature there, the greatest 1."""
    n, least = heading.size, math.inf
    for i in range(n):
        a, b = max(i - 1, 0), min(i + 1, n - 1)
        way = 0.5 * (length[a] + length[b]) + (length[i] if 0 < i < n - 1 else 0.0)
        bend = (heading[b] - heading[a]) / (way * row[0])
        active[i] = bend * bend
        least = min(least, active[i])
    for i in range(n):
        active[i] = math.exp(least - active[i])


@njit
def activate_wave(row, length, t, active):
    """Activation of every link by a wave."""
    s = 0.0
    for i in range(active.size):
        active[i] = max(0.0, 1.0 + row[0] * math.cos(row[1] * (s + 0.5 * length[i]) + row[2] * t + row[3]))
        s += length[i]


@njit
def activate(kind, row, length, mass, heading, t, active):
    """Normal force of every link over its own weight into `active`; NaN where the kernel does not know the law."""
    if kind == 1:
        activate_bends(row, length, heading, active)
    elif kind == 2:
        activate_wave(row, length, t, active)
    else:
        active[:] = math.nan
    whole, carried = 0.0, 0.0
    for i in range(active.size):
        whole += mass[i]
        carried += mass[i] * active[i]
    for i in range(active.size):
        active[i] *= whole / carried


@njit
def load_contact(plain, limits, j, factor):
    """Multiply the limits of contact point j, set for the weight at rest, with its load over that."""
    if plain[STATIC_T, j] >= 0.0:
        limits[STATIC_T, j] = plain[STATIC_T, j] * factor
    elif plain[STIFF_T, j] < 0.0:
        limits[STIFF_T, j] = -plain[STIFF_T, j] * max(limits[FORWARD, j], limits[BACKWARD, j])
    if plain[STATIC_N, j] >= 0.0:
        limits[STATIC_N, j] = plain[STATIC_N, j] * factor
    elif plain[STIFF_N, j] < 0.0:
        limits[STIFF_N, j] = -plain[STIFF_N, j] * limits[ACROSS, j]
    limits[FORWARD, j] *= factor
    limits[BACKWARD, j] *= factor
    limits[ACROSS, j] *= factor
    limits[REST, j] = plain[REST, j]
