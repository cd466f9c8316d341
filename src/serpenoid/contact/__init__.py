"""Friction laws and ground: velocities of contact points in, forces on the robot out.

A law is a frozen description (`Coulomb(along=0.1, across=0.5)`) with an integer KIND, and a kernel that fills the
forces and their slopes. A new law is one file (registered by `LAWS.register`), one import below and one line in `evaluate`.
"""

from __future__ import annotations

import math

from serpenoid.compiled import njit
from serpenoid.contact import bristle, coulomb, custom, stribeck, threshold, unit_slip, viscous
from serpenoid.contact.bristle import Bristle
from serpenoid.contact.coulomb import Coulomb
from serpenoid.contact.custom import CustomLaw
from serpenoid.contact.frictionless import Frictionless
from serpenoid.contact.ground import limits_table, patch_table, stand  # noqa: F401  (of the engines)
from serpenoid.contact.load import GivenLoad, LiftedBends, LoadWave
from serpenoid.contact.stribeck import Stribeck
from serpenoid.contact.threshold import Threshold
from serpenoid.contact.touch import FT, KNT
from serpenoid.contact.unit_slip import UnitSlip
from serpenoid.contact.viscous import Viscous
from serpenoid.core import Patch
from serpenoid.core.world import LAWS, LOADS

__all__ = [
    "LAWS",
    "LOADS",
    "Bristle",
    "Coulomb",
    "CustomLaw",
    "Frictionless",
    "GivenLoad",
    "LiftedBends",
    "LoadWave",
    "Patch",
    "Stribeck",
    "Threshold",
    "UnitSlip",
    "Viscous",
]

_COULOMB, _THRESHOLD, _BRISTLE = Coulomb.KIND, Threshold.KIND, Bristle.KIND
_UNIT_SLIP, _VISCOUS, _NONE, _CUSTOM = UnitSlip.KIND, Viscous.KIND, Frictionless.KIND, CustomLaw.KIND
_STRIBECK = Stribeck.KIND


@njit
def is_coupled(kind, scalars):
    """Whether the axes of a law influence each other."""
    return kind in (_UNIT_SLIP, _CUSTOM, _STRIBECK) or (kind == _COULOMB and scalars[0] != coulomb.APART)


@njit
def is_predictable(kind):
    """Whether the slopes of a law can be taken with predicted forces (`contact.smoothing`)."""
    return kind in (_COULOMB, _UNIT_SLIP, _BRISTLE, _STRIBECK)


@njit
def reads_sticking(kind):
    """Whether a law reads the limits of sticking: masses, static forces and stiffnesses."""
    return kind in (_THRESHOLD, _BRISTLE, _CUSTOM)


@njit
def evaluate(kind, scalars, eps, limits, memory, dt, by, touch):
    """Fill forces and slopes of all contacts by the law `kind`, smoothed by eps; `dt` is the implicit step (0: none).

    Slopes are taken by TANGENT, SECANT or PREDICTED (`contact.touch`); for the last the forces on entry are those predicted.
    """
    if kind == _COULOMB:
        coulomb.evaluate(scalars, eps, limits, by, touch)
    elif kind == _UNIT_SLIP:
        unit_slip.evaluate(eps, limits, by, touch)
    elif kind == _THRESHOLD:
        threshold.evaluate(scalars, eps, limits, by, touch)
    elif kind == _BRISTLE:
        bristle.evaluate(scalars, eps, limits, memory, dt, by, touch)
    elif kind == _VISCOUS:
        viscous.evaluate(limits, touch)
    elif kind == _STRIBECK:
        stribeck.evaluate(scalars, eps, limits, by, touch)
    elif kind == _CUSTOM:
        custom.evaluate(scalars, limits, by, touch)
    elif kind == _NONE:
        touch[FT : KNT + 1, :] = 0.0
    else:  # no such law: the run ends as diverged
        touch[FT : KNT + 1, :] = math.nan


@njit
def parameter_slopes(kind, scalars, eps, limits, touch, weights, by_limit, by_scalar):
    """Add how the sum of the forces, weighted (2, contacts), depends on limits and scalars; returns how on eps.

    Velocities in `touch` are where the law was evaluated, by tangents. NaN for a law that has no slopes (`has_slopes`).
    """
    if kind == _COULOMB:
        return coulomb.parameter_slopes(scalars, eps, limits, touch, weights, by_limit)
    if kind == _UNIT_SLIP:
        return unit_slip.parameter_slopes(eps, limits, touch, weights, by_limit)
    if kind == _THRESHOLD:
        return threshold.parameter_slopes(scalars, eps, limits, touch, weights, by_limit, by_scalar)
    if kind == _STRIBECK:
        return stribeck.parameter_slopes(scalars, eps, limits, touch, weights, by_limit, by_scalar)
    if kind == _VISCOUS:
        viscous.parameter_slopes(touch, weights, by_limit)
        return 0.0
    return 0.0 if kind == _NONE else math.nan


def has_slopes(kind: int) -> bool:
    """Whether a law of this kind tells how its forces depend on its parameters."""
    return kind in (_COULOMB, _UNIT_SLIP, _THRESHOLD, _STRIBECK, _VISCOUS, _NONE)


@njit
def advance(kind, scalars, limits, memory, dt, touch):
    """Move the contacts' memory on by a step; return the energy stored in it."""
    if kind == _BRISTLE:
        return bristle.advance(scalars, limits, memory, dt, touch)
    return 0.0


def __dir__() -> list[str]:
    return __all__
