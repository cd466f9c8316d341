"""The most that dry friction may be at a normal force: the edge of its cone, and forces brought back to it.

A step solves for the velocities with linear pieces of the law and with the limits of the iterate before. Where a contact strikes, its normal
force changes by so much from iterate to iterate that the force which balances the momenta may lie beyond what the normal force of the same
step allows. Such forces are brought back to the edge, in their direction, axis by axis where the axes of a law act apart.

| law | edge |
|---|---|
| `coulomb`, axes apart | mu_t N and mu_n N |
| `coulomb`, together; `unit-slip` | ellipse with these half axes |
| `stribeck` | the same ellipse, static_ratio + viscous abs(v) times as large |
| `threshold`, `bristle` | per axis the greater of static and sliding friction |

Laws without a cone (`viscous`, `none`, a user's function) are left as they are.
"""

from __future__ import annotations

import math

from serpenoid.compiled import njit
from serpenoid.contact.bristle import Bristle
from serpenoid.contact.coulomb import TOGETHER, WHERE_EQUAL, Coulomb
from serpenoid.contact.ground import ACROSS, BACKWARD, FORWARD, STATIC_N, STATIC_T
from serpenoid.contact.stribeck import Stribeck
from serpenoid.contact.threshold import Threshold
from serpenoid.contact.touch import FN, FT, VN, VT
from serpenoid.contact.unit_slip import UnitSlip

EDGE = 1e-6  # of the edge: friction that is not farther beyond it counts as within
_COULOMB, _UNIT_SLIP, _STRIBECK, _THRESHOLD, _BRISTLE = (
    Coulomb.KIND,
    UnitSlip.KIND,
    Stribeck.KIND,
    Threshold.KIND,
    Bristle.KIND,
)


@njit
def has_cone(kind):
    """Whether the friction of a law is bounded by the normal force."""
    return kind in (_COULOMB, _UNIT_SLIP, _STRIBECK, _THRESHOLD, _BRISTLE)


@njit
def share_within(size, edge):
    """Share of a force of that size which lies within the edge."""
    return 1.0 if size <= edge * (1.0 + EDGE) else edge / size


@njit
def within(kind, scalars, limits, touch, i):
    """Shares of the friction of contact i, along and across, that lie within its cone; 1: all of it."""
    ft, fn = touch[FT, i], touch[FN, i]
    along = max(limits[FORWARD, i] if ft <= 0.0 else limits[BACKWARD, i], 0.0)
    across = max(limits[ACROSS, i], 0.0)
    if kind in (_THRESHOLD, _BRISTLE):
        along, across = max(along, limits[STATIC_T, i]), max(across, limits[STATIC_N, i])
    elif kind == _STRIBECK:
        s = 1.0 + scalars[0] + scalars[2] * math.sqrt(touch[VT, i] ** 2 + touch[VN, i] ** 2)
        along, across = s * along, s * across
    equal = limits[FORWARD, i] == limits[BACKWARD, i] == limits[ACROSS, i]
    together = scalars[0] == TOGETHER or (scalars[0] == WHERE_EQUAL and equal)
    if kind in (_UNIT_SLIP, _STRIBECK) or (kind == _COULOMB and together):
        u = ft / along if along > 0.0 else 0.0
        w = fn / across if across > 0.0 else 0.0
        share = share_within(math.sqrt(u * u + w * w), 1.0)
        return share if along > 0.0 or ft == 0.0 else 0.0, share if across > 0.0 or fn == 0.0 else 0.0
    return share_within(abs(ft), along), share_within(abs(fn), across)


@njit
def bring_back(kind, scalars, limits, touch):
    """Bring the friction of all contacts back into its cone; whether any was beyond it."""
    beyond = False
    for i in range(touch.shape[1]):
        along, across = within(kind, scalars, limits, touch, i)
        if along < 1.0 or across < 1.0:
            touch[FT, i] *= along
            touch[FN, i] *= across
            beyond = True
    return beyond
