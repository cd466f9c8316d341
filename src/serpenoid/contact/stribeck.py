"""Friction that falls from a static value to the sliding one as a contact gains speed, and may rise again (Stribeck).

    f = -s(|v|) A v / sqrt(v' A v + (mu eps)^2) N,     A = diag(mu_t^2, mu_n^2)
    s = 1 + (ratio - 1) exp(-(|v| / v_s)^2) + c |v|

| symbol | key | unit |
|---|---|---|
| mu_t, mu_n | sliding coefficients `along` (or `backward` where v_t < 0) and `across` | - |
| ratio | `static_ratio`: static over sliding friction | - |
| v_s | `stribeck_speed`: at it 37 % of the difference is left | m/s |
| c | `viscous`: growth of the friction with the speed | s/m |
| eps | `smoothing`; where it is not given it follows the motion (`contact.smoothing`) | m/s |

The axes act together: with equal coefficients the force is s mu N against the slip, in every direction, with unequal ones an ellipse bounds it, as in
`contact.coulomb`, which this law is for ratio = 1 and c = 0. Source of s: Armstrong-Helouvry, Dupont and Canudas de Wit, Automatica 30 (1994), eq. (5).

Friction that falls with the speed is not monotone: an implicit step has one solution only while h N mu (ratio - 1) / v_s is less than the mass that a
contact feels. Longer steps jump from sticking to sliding; those that do not converge are counted and reported.
"""

from __future__ import annotations

import math

import numpy as np

from serpenoid.compiled import njit
from serpenoid.contact.coulomb import ellipse, ellipse_slopes
from serpenoid.contact.touch import FN, FT, KNN, KNT, KTN, KTT, PREDICTED, TANGENT, VN, VT
from serpenoid.core import DryFriction, FloatArray
from serpenoid.core.declare import declare, description
from serpenoid.core.quantities import Number
from serpenoid.core.world import LAWS


@LAWS.register
@description
class Stribeck(DryFriction):
    """Static friction that falls to sliding friction with the speed; its axes act together."""

    static_ratio: float = declare(Number("static over sliding friction", low=1.0, high=100.0), default=1.3)
    stribeck_speed: float = declare(Number("speed over which friction falls", "m/s", above=0.0), default=0.02)
    viscous: float = declare(Number("growth with the speed, of the sliding friction", "s/m", low=0.0), default=0.0)
    smoothing: float | None = declare(
        Number("below it a contact creeps instead of sticking; none: 1e-4 of the links' speed", "m/s", above=0.0), default=None
    )  # fmt: skip

    KIND = 7
    NAME = "stribeck"

    def scalars(self) -> FloatArray:
        """Parameter row of the kernel: ratio - 1, v_s, c."""
        return np.array([self.static_ratio - 1.0, self.stribeck_speed, self.viscous])


@njit
def evaluate(scalars, eps, limits, by, touch):
    """Forces and the 2 x 2 slopes of all contacts; predicted slopes leave out what falls with the speed."""
    more, speed, viscous = scalars[0], scalars[1], scalars[2]
    for i in range(touch.shape[1]):
        vt, vn = touch[VT, i], touch[VN, i]
        size = math.sqrt(vt * vt + vn * vn)
        bump = more * math.exp(-(min(size / speed, 30.0) ** 2))
        s = 1.0 + bump + viscous * size
        if by == PREDICTED:
            touch[FT, i] /= s
            touch[FN, i] /= s
        ellipse(limits, eps, by, touch, i)
        ft, fn = touch[FT, i], touch[FN, i]
        for row in (FT, FN, KTT, KNN, KTN, KNT):
            touch[row, i] *= s
        # ds/dv = g v
        g = viscous / size if size > 0.0 else 0.0
        if by == TANGENT:
            g -= 2.0 * bump / (speed * speed)
            touch[KTN, i] -= ft * g * vn
            touch[KNT, i] -= fn * g * vt
        if by in (TANGENT, PREDICTED):
            touch[KTT, i] -= ft * g * vt
            touch[KNN, i] -= fn * g * vn


@njit
def parameter_slopes(scalars, eps, limits, touch, weights, by_limit, by_scalar):
    """Add how the sum of the forces, weighted (2, contacts), depends on the limits and the law's own numbers; returns how on eps.

    The forces in `touch` are those of the law.
    """
    more, speed, viscous = scalars[0], scalars[1], scalars[2]
    by_eps = 0.0
    for i in range(touch.shape[1]):
        vt, vn, wt, wn = touch[VT, i], touch[VN, i], weights[0, i], weights[1, i]
        size = math.sqrt(vt * vt + vn * vn)
        x = min(size / speed, 30.0)
        bump = math.exp(-x * x)
        s = 1.0 + more * bump + viscous * size
        by_eps += ellipse_slopes(limits, eps, touch, i, s * wt, s * wn, by_limit)
        bare = (touch[FT, i] * wt + touch[FN, i] * wn) / s
        by_scalar[0] += bare * bump
        by_scalar[1] += bare * more * bump * 2.0 * x * x / speed
        by_scalar[2] += bare * size
    return by_eps
