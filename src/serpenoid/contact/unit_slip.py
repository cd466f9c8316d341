"""Friction by the direction of slip, with a ratchet: forward, backward and across differ.

    f = -N [ mu_t (u.t) t + mu_n (u.n) n ],    u = v / sqrt(|v|^2 + eps^2),    mu_t = mu_f or mu_b by the sign of v.t

The law of Hu et al. (2009), Alben (2013) and Zhang et al. (2021): the components of the *unit* slip vector are
weighted, so a contact that slips mostly sideways has little friction left along the body. `smoothing` is eps in m/s.
The law is not the gradient of a convex function, so the implicit step is guarded (see engines).
"""

from __future__ import annotations

import math

import numpy as np

from serpenoid.compiled import njit
from serpenoid.contact.touch import FN, FT, KNN, KNT, KTN, KTT, VN, VT
from serpenoid.core import DryFriction, FloatArray
from serpenoid.core.declare import declare, description
from serpenoid.core.quantities import Number
from serpenoid.core.world import LAWS


@LAWS.register
@description
class UnitSlip(DryFriction):
    """Friction weighted by the components of the unit slip vector; smoothing speed in m/s."""

    smoothing: float = declare(Number("below it a contact creeps instead of sticking", "m/s", above=0.0), default=1e-3)

    KIND = 3
    NAME = "unit-slip"

    def scalars(self) -> FloatArray:
        """Parameter row of the kernel."""
        return np.array([self.smoothing])


@njit
def evaluate(scalars, limits, secant, touch):
    """Forces and the 2 x 2 slopes of all contacts (the secant is diagonal)."""
    eps2 = scalars[0] * scalars[0]
    for i in range(touch.shape[1]):
        along = limits[0, i] if touch[VT, i] >= 0.0 else limits[1, i]
        across = limits[2, i]
        r = 1.0 / math.sqrt(touch[VT, i] * touch[VT, i] + touch[VN, i] * touch[VN, i] + eps2)
        tangent = 0.0 if secant else r * r * r
        touch[FT, i] = -along * touch[VT, i] * r
        touch[FN, i] = -across * touch[VN, i] * r
        touch[KTT, i] = along * (r - touch[VT, i] * touch[VT, i] * tangent)
        touch[KNN, i] = across * (r - touch[VN, i] * touch[VN, i] * tangent)
        touch[KTN, i] = -along * touch[VT, i] * touch[VN, i] * tangent
        touch[KNT, i] = -across * touch[VT, i] * touch[VN, i] * tangent
