"""Friction by the direction of slip, with a ratchet: forward, backward and across differ.

    f = -N [ mu_t (u.t) t + mu_n (u.n) n ],    u = v / sqrt(|v|^2 + eps^2),    mu_t = mu_f or mu_b by the sign of v.t

The law of Hu et al. (2009), Alben (2013) and Zhang et al. (2021): the components of the *unit* slip vector are
weighted, so a contact that slips mostly sideways has little friction left along the body. `smoothing` is eps in m/s (none: see
`contact.smoothing`).
The law is not the gradient of a convex function, so the implicit step is guarded (see engines).
"""

from __future__ import annotations

import math

import numpy as np

from serpenoid.compiled import inverse_root, njit
from serpenoid.contact.touch import FN, FT, KNN, KNT, KTN, KTT, PREDICTED, SECANT, VN, VT
from serpenoid.core import DryFriction, FloatArray
from serpenoid.core.declare import declare, description
from serpenoid.core.quantities import Number
from serpenoid.core.world import LAWS


@LAWS.register
@description
class UnitSlip(DryFriction):
    """Friction weighted by the components of the unit slip vector; smoothed by a speed in m/s, or as the motion asks for."""

    smoothing: float | None = declare(
        Number("below it a contact creeps instead of sticking; none: 1e-4 of the links' speed", "m/s", above=0.0), default=None
    )  # fmt: skip

    KIND = 3
    NAME = "unit-slip"

    def scalars(self) -> FloatArray:
        """Parameter row of the kernel."""
        return np.zeros(1)


@njit
def evaluate(eps, limits, by, touch):
    """Forces and the 2 x 2 slopes of all contacts (the secant is diagonal)."""
    eps2 = eps * eps
    for i in range(touch.shape[1]):
        along = limits[0, i] if touch[VT, i] >= 0.0 else limits[1, i]
        across = limits[2, i]
        r = inverse_root(touch[VT, i] * touch[VT, i] + touch[VN, i] * touch[VN, i] + eps2)
        vt, vn = touch[VT, i], touch[VN, i]
        ut, un = vt * r, vn * r  # the unit slip, or what was predicted of it
        if by == PREDICTED:
            ut = -touch[FT, i] / along if along > 0.0 else 0.0
            un = -touch[FN, i] / across if across > 0.0 else 0.0
            size = max(1.0, math.sqrt(ut * ut + un * un))
            ut, un = ut / size, un / size
        square = 0.0 if by == SECANT else r * r
        touch[FT, i] = -along * vt * r
        touch[FN, i] = -across * vn * r
        touch[KTT, i] = along * (r - ut * vt * square)
        touch[KNN, i] = across * (r - un * vn * square)
        touch[KTN, i] = -along * ut * vn * square
        touch[KNT, i] = -across * un * vt * square


@njit
def parameter_slopes(eps, limits, touch, weights, by_limit):
    """Add how the sum of the forces, weighted (2, contacts), depends on the limits; returns how on eps."""
    by_eps = 0.0
    for i in range(touch.shape[1]):
        vt, vn = touch[VT, i], touch[VN, i]
        row, wt, wn = 0 if vt >= 0.0 else 1, weights[0, i], weights[1, i]
        r = inverse_root(vt * vt + vn * vn + eps * eps)
        by_limit[row, i] -= wt * vt * r
        by_limit[2, i] -= wn * vn * r
        by_eps += (limits[row, i] * vt * wt + limits[2, i] * vn * wn) * eps * r * r * r
    return by_eps
