"""Smoothed Coulomb friction, per axis: the default law.

    f_t = -mu_t N v_t / sqrt(v_t^2 + eps^2)        f_n = -mu_n N v_n / sqrt(v_n^2 + eps^2)

| symbol | meaning | unit |
|---|---|---|
| v_t, v_n | velocity of the contact point along and across the edge | m/s |
| mu_t, mu_n | friction coefficients `along` (or `backward` where v_t < 0) and `across` | - |
| N | normal force of the contact, m_i g | N |
| eps | `smoothing`: below it a contact creeps instead of sticking | m/s |

Source: equation (4) of Ma, Li and Wang (2001) in the limit l_s -> 0. The force is the gradient of the convex
dissipation mu N sqrt(v^2 + eps^2), so an implicit step is a convex minimisation. Limits: no true sticking; where the
body barely slips, slip and torques depend on eps, the distance little.
"""

from __future__ import annotations

import math

import numpy as np

from serpenoid.compiled import njit
from serpenoid.contact.touch import FN, FT, KNN, KTT, VN, VT
from serpenoid.core import DryFriction, FloatArray
from serpenoid.core.declare import declare, description
from serpenoid.core.quantities import Number
from serpenoid.core.world import LAWS


@LAWS.register
@description
class Coulomb(DryFriction):
    """Per-axis Coulomb friction with a smoothing speed in m/s."""

    smoothing: float = declare(Number("below it a contact creeps instead of sticking", "m/s", above=0.0), default=1e-3)

    KIND = 0
    NAME = "coulomb"

    def scalars(self) -> FloatArray:
        """Parameter row of the kernel."""
        return np.array([self.smoothing])


@njit
def smoothed(v, limit, eps, secant):
    """Force and slope -df/dv (or the secant -f/v) of one axis."""
    r = 1.0 / math.sqrt(v * v + eps * eps)
    slope = limit * r if secant else limit * eps * eps * r * r * r
    return -limit * v * r, slope


@njit
def evaluate(scalars, limits, secant, touch):
    """Forces and slopes of all contacts."""
    eps2 = scalars[0] * scalars[0]
    n = touch.shape[1]
    for i in range(n):
        limit = limits[0, i] if touch[VT, i] >= 0.0 else limits[1, i]
        r = 1.0 / math.sqrt(touch[VT, i] * touch[VT, i] + eps2)
        touch[FT, i] = -limit * touch[VT, i] * r
        touch[KTT, i] = limit * r * (1.0 if secant else eps2 * r * r)
    for i in range(n):
        limit = limits[2, i]
        r = 1.0 / math.sqrt(touch[VN, i] * touch[VN, i] + eps2)
        touch[FN, i] = -limit * touch[VN, i] * r
        touch[KNN, i] = limit * r * (1.0 if secant else eps2 * r * r)
