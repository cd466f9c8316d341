"""Smoothed Coulomb friction: the default law. Its axes act apart (the papers' law) or together.

    apart     f_t = -mu_t N v_t / sqrt(v_t^2 + eps^2)        f_n = -mu_n N v_n / sqrt(v_n^2 + eps^2)
    together  f = -dD/dv,   D = N sqrt((mu_t v_t)^2 + (mu_n v_n)^2 + (mu eps)^2),   mu the smallest coefficient > 0

| symbol | meaning | unit |
|---|---|---|
| v_t, v_n | velocity of the contact point along and across the edge | m/s |
| mu_t, mu_n | friction coefficients `along` (or `backward` where v_t < 0) and `across` | - |
| N | normal force of the contact, m_i g | N |
| eps | `smoothing`: below it a contact creeps instead of sticking; where it is not given it follows the motion (`contact.smoothing`) | m/s |

Source: equation (4) of Ma, Li and Wang (2001) in the limit l_s -> 0. The force is the gradient of the convex
dissipation mu N sqrt(v^2 + eps^2), so an implicit step is a convex minimisation. Limits: with an eps of one's own no true sticking;
where the body barely slips, slip and torques depend on eps, the distance little.

Apart, equal coefficients are not isotropic: a contact that slides at 45 degrees feels sqrt(2) mu N. Together they are: |f| <= mu N in
every direction; unequal ones bound the force by an ellipse with the half axes mu_t N and mu_n N, and the work is the greatest that this
allows (a convex law too; slopes are symmetric). `axes` chooses; where it is left out, the axes act apart in the plane, and in space
together wherever the coefficients of a contact (of the law, a patch or a wall) are equal, else apart.
"""

from __future__ import annotations

import math

import numpy as np

from serpenoid.compiled import inverse_root, njit
from serpenoid.contact.smoothing import smoothed
from serpenoid.contact.touch import FN, FT, KNN, KNT, KTN, KTT, PREDICTED, SECANT, VN, VT
from serpenoid.core import DryFriction, FloatArray
from serpenoid.core.declare import declare, description
from serpenoid.core.quantities import Choice, Number
from serpenoid.core.world import LAWS, World

APART, TOGETHER, WHERE_EQUAL = 0.0, 1.0, 2.0  # how the axes of a contact act


@LAWS.register
@description
class Coulomb(DryFriction):
    """Coulomb friction, its axes apart or together; smoothed by a speed in m/s, or as the motion asks for."""

    smoothing: float | None = declare(
        Number("below it a contact creeps instead of sticking; none: 1e-4 of the links' speed", "m/s", above=0.0), default=None
    )  # fmt: skip

    axes: str | None = declare(
        Choice("apart: each its own friction; together: an ellipse; none: together in space where coefficients are equal", options=("apart", "together")),
        default=None,
    )  # fmt: skip

    KIND = 0
    NAME = "coulomb"

    @property
    def equal(self) -> bool:
        """Whether the coefficients are the same in all directions."""
        return self.along == self.across and self.backward in (None, self.along)

    def scalars(self) -> FloatArray:
        """Parameter row of the kernel, in the plane: how the axes act."""
        return np.array([TOGETHER if self.axes == "together" else APART])

    def scalars_in_space(self, world: World) -> FloatArray:
        """Parameter row of the kernel in a world with three dimensions."""
        row = self.scalars()
        alike = self.equal or world.upright or any(p.along == p.across for p in world.patches)
        if self.axes is None and alike:
            row[0] = WHERE_EQUAL
        return row


@njit
def ellipse(limits, eps, by, touch, i):
    """Force and slopes of contact i whose axes act together."""
    vt, vn = touch[VT, i], touch[VN, i]
    forward, backward, across = limits[0, i], limits[1, i], limits[2, i]
    along = forward if vt >= 0.0 else backward
    least = max(forward, backward, across)
    for limit in (forward, backward, across):
        least = min(least, limit) if limit > 0.0 else least
    a, b, s = along * along, across * across, eps * eps * least * least
    square = a * vt * vt + b * vn * vn + s
    w = inverse_root(square) if square > 0.0 else 0.0
    ft, fn = -a * vt * w, -b * vn * w
    if by == PREDICTED:
        pt, pn = touch[FT, i], touch[FN, i]
        size = (pt * pt / a if a > 0.0 else 0.0) + (pn * pn / b if b > 0.0 else 0.0)
        shorter = w * w / math.sqrt(max(size, 1.0))
        pt, pn = (pt if a > 0.0 else 0.0) * shorter, (pn if b > 0.0 else 0.0) * shorter
        touch[KTT, i] = max(0.0, a * w + pt * a * vt)
        touch[KNN, i] = max(0.0, b * w + pn * b * vn)
        touch[KTN, i] = touch[KNT, i] = 0.5 * (pt * b * vn + pn * a * vt)
    else:
        bent = 0.0 if by == SECANT else w * w * w
        touch[KTT, i] = a * w if by == SECANT else a * bent * (b * vn * vn + s)
        touch[KNN, i] = b * w if by == SECANT else b * bent * (a * vt * vt + s)
        touch[KTN, i] = touch[KNT, i] = -a * b * vt * vn * bent
    touch[FT, i], touch[FN, i] = ft, fn


@njit
def alone(limits, eps, by, touch, i):
    """Force and slopes of contact i whose axes act apart, among others that do not."""
    vt, limit = touch[VT, i], limits[0, i] if touch[VT, i] >= 0.0 else limits[1, i]
    touch[FT, i], touch[KTT, i] = smoothed(vt, limit, eps, by, touch[FT, i])
    touch[FN, i], touch[KNN, i] = smoothed(touch[VN, i], limits[2, i], eps, by, touch[FN, i])
    touch[KTN, i] = touch[KNT, i] = 0.0


@njit
def evaluate_each(scalars, eps, limits, by, touch):
    """Forces and slopes of all contacts where the axes of some act together, or where they are predicted."""
    for i in range(touch.shape[1]):
        if scalars[0] == TOGETHER or (scalars[0] == WHERE_EQUAL and limits[0, i] == limits[1, i] == limits[2, i]):
            ellipse(limits, eps, by, touch, i)
        else:
            alone(limits, eps, by, touch, i)


@njit
def evaluate(scalars, eps, limits, by, touch):
    """Forces and slopes of all contacts."""
    if scalars[0] != APART or by == PREDICTED:
        evaluate_each(scalars, eps, limits, by, touch)
        return
    eps2, secant = eps * eps, by == SECANT
    n = touch.shape[1]
    for i in range(n):
        limit = limits[0, i] if touch[VT, i] >= 0.0 else limits[1, i]
        r = inverse_root(touch[VT, i] * touch[VT, i] + eps2)
        touch[FT, i] = -limit * touch[VT, i] * r
        touch[KTT, i] = limit * r * (1.0 if secant else eps2 * r * r)
    for i in range(n):
        limit = limits[2, i]
        r = inverse_root(touch[VN, i] * touch[VN, i] + eps2)
        touch[FN, i] = -limit * touch[VN, i] * r
        touch[KNN, i] = limit * r * (1.0 if secant else eps2 * r * r)


@njit
def ellipse_slopes(limits, eps, touch, i, wt, wn, by_limit):
    """Add to `by_limit` how wt f_t + wn f_n of a contact whose axes act together depends on its limits; returns how on eps."""
    vt, vn = touch[VT, i], touch[VN, i]
    row = 0 if vt >= 0.0 else 1
    along, across, least, lowest = limits[row, i], limits[2, i], 0.0, -1
    for k in range(3):
        if limits[k, i] > 0.0 and (lowest < 0 or limits[k, i] < least):
            least, lowest = limits[k, i], k
    square = (along * vt) ** 2 + (across * vn) ** 2 + (eps * least) ** 2
    if lowest < 0 or not square > 0.0:
        return 0.0
    w = inverse_root(square)
    bent = (along * along * vt * wt + across * across * vn * wn) * w * w * w
    by_limit[row, i] += along * vt * (bent * vt - 2.0 * wt * w)
    by_limit[2, i] += across * vn * (bent * vn - 2.0 * wn * w)
    by_limit[lowest, i] += eps * eps * least * bent
    return eps * least * least * bent


@njit
def smoothed_slopes(v, limit, eps, w):
    """How w f of one axis that acts apart depends on its limit and on eps."""
    r = inverse_root(v * v + eps * eps)
    return -w * v * r, w * limit * v * eps * r * r * r


@njit
def parameter_slopes(scalars, eps, limits, touch, weights, by_limit):
    """Add how the sum of the forces, weighted (2, contacts), depends on the limits; returns how on eps."""
    by_eps = 0.0
    for i in range(touch.shape[1]):
        if scalars[0] != APART:
            by_eps += ellipse_slopes(limits, eps, touch, i, weights[0, i], weights[1, i], by_limit)
            continue
        row = 0 if touch[VT, i] >= 0.0 else 1
        by_along, eps_t = smoothed_slopes(touch[VT, i], limits[row, i], eps, weights[0, i])
        by_across, eps_n = smoothed_slopes(touch[VN, i], limits[2, i], eps, weights[1, i])
        by_limit[row, i] += by_along
        by_limit[2, i] += by_across
        by_eps += eps_t + eps_n
    return by_eps
