"""Viscous friction: the force is proportional to the velocity.

    f_t = -c_t v_t        f_n = -c_n v_n

`along` (or `backward` where v_t < 0) and `across` are the coefficients c_t and c_n of one contact in N s/m; the
weight plays no role. The usual model of the averaged analyses (Liljeback et al.) and of a swimmer at low Reynolds
number. Isotropic viscous friction cannot propel: the mean contact point does not travel.
"""

from __future__ import annotations

import numpy as np

from serpenoid.compiled import njit
from serpenoid.contact.touch import FN, FT, KNN, KTT, VN, VT
from serpenoid.core import FloatArray, Friction
from serpenoid.core.declare import description
from serpenoid.core.world import LAWS


@LAWS.register
@description
class Viscous(Friction):
    """Anisotropic viscous friction; `along`, `backward`, `across` in N s/m a contact."""

    KIND = 4
    NAME = "viscous"

    def scalars(self) -> FloatArray:
        """Parameter row of the kernel."""
        return np.zeros(1)


@njit
def evaluate(limits, touch):
    """Forces and slopes of all contacts; the slope is its own secant."""
    for i in range(touch.shape[1]):
        touch[KTT, i] = limits[0, i] if touch[VT, i] >= 0.0 else limits[1, i]
        touch[KNN, i] = limits[2, i]
        touch[FT, i] = -touch[KTT, i] * touch[VT, i]
        touch[FN, i] = -touch[KNN, i] * touch[VN, i]


@njit
def parameter_slopes(touch, weights, by_limit):
    """Add how the sum of the forces, weighted (2, contacts), depends on the coefficients."""
    for i in range(touch.shape[1]):
        row = 0 if touch[VT, i] >= 0.0 else 1
        by_limit[row, i] -= weights[0, i] * touch[VT, i]
        by_limit[2, i] -= weights[1, i] * touch[VN, i]
