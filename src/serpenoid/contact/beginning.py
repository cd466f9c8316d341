"""How contacts begin: the bristles of those that slide at t = 0 are loaded (see `contact.bristle`)."""

from __future__ import annotations

import math

from serpenoid.compiled import njit
from serpenoid.contact.bristle import Bristle, of_axis
from serpenoid.contact.ground import REST
from serpenoid.contact.touch import VN, VT

_BRISTLE = Bristle.KIND


@njit
def first_mode(v, sides, mass):
    """Mode of an axis that begins at velocity v: slip in its direction where the bristle would not hold the mass that rests on it."""
    forward, backward, ahead, behind, stiffness = sides
    if stiffness <= 0.0:
        return 0.0
    held = max(ahead, forward) if v > 0.0 else max(behind, backward)
    return math.copysign(1.0, v) if abs(v) * math.sqrt(stiffness * mass) > held else 0.0


@njit
def begin_contacts(kind, limits, memory, touch):
    """Set the memory of contacts that begin with the velocities in `touch`, rows of a law that has one."""
    if kind == _BRISTLE:
        for i in range(touch.shape[1]):
            memory[2, i] = first_mode(touch[VT, i], of_axis(limits, i, True), limits[REST, i])
            memory[3, i] = first_mode(touch[VN, i], of_axis(limits, i, False), limits[REST, i])
