"""Velocity threshold: viscous below a speed, Coulomb above it (Ma, Li and Wang (2001), reading V of its equation (4)).

    f_e = -f_s v_e / v_s         |v_e| <= v_s = l_s / dt_ref
    f_e = -mu_e N sign(v_e)      |v_e| >  v_s

The paper's displacement is read as the one of a time step; the step becomes the model parameter `reference_step`
(dt_ref), apart from the integrator's own step, or the physics would depend on the latter. With f_s > mu N the force
drops at the threshold (breakaway), so the law is not monotone and the step is guarded. An axis with l_s = 0 has no
first branch: it is Coulomb friction smoothed by `smoothing`.

| key | symbol | unit |
|---|---|---|
| static_force_along, static_force_across | f_s^t, f_s^n; where neither force nor coefficient is given: the sliding friction mu N | N |
| stick_length_along, stick_length_across | l_s^t, l_s^n | m |
| reference_step | dt_ref | s |
| static_along, static_across | mu_S of both axes: then f_s = mu_S N, instead of the forces | - |
| critical_speed | V_cr: then v_s = V_cr for both axes, whatever the lengths above say | m/s |

The last two make it equation (5) of Sarrafan et al. (2012): linear up to mu_S N at V_cr, then mu_D N.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from serpenoid.compiled import njit
from serpenoid.contact.coulomb import smoothed_slopes
from serpenoid.contact.ground import AS_SLIDING, STATIC_N, STATIC_T
from serpenoid.contact.smoothing import smoothed
from serpenoid.contact.touch import FN, FT, KNN, KTT, SECANT, VN, VT
from serpenoid.core import DryFriction, FloatArray
from serpenoid.core.declare import declare, description
from serpenoid.core.errors import InputError
from serpenoid.core.quantities import Number
from serpenoid.core.world import LAWS


@LAWS.register
@description
class Threshold(DryFriction):
    """Viscous below v_s = stick_length / reference_step, Coulomb above."""

    static_force_along: float | None = declare(
        Number("breakaway force along; none: the sliding friction", "N", low=0.0), default=None
    )
    static_force_across: float | None = declare(
        Number("breakaway force across; none: the sliding friction", "N", low=0.0), default=None
    )
    stick_length_along: float = declare(Number("0: that axis does not stick", "m", low=0.0), default=0.0)
    stick_length_across: float = declare(Number("0: that axis does not stick", "m", low=0.0), default=1e-5)
    reference_step: float = declare(Number("step of which the stick length is the way", "s", above=0.0), default=1e-3)
    smoothing: float | None = declare(
        Number("below it an axis that does not stick creeps; none: 1e-4 of the links' speed", "m/s", above=0.0), default=None
    )  # fmt: skip
    static_along: float | None = declare(
        Number("static coefficient along, instead of the force", low=0.0), default=None
    )
    static_across: float | None = declare(
        Number("static coefficient across, instead of the force", low=0.0), default=None
    )
    critical_speed: float | None = declare(Number("threshold of both axes", "m/s", above=0.0), default=None)

    KIND = 1
    NAME = "threshold"

    def check(self) -> None:
        """Static friction is a force or a coefficient."""
        check_static(self)

    def scalars(self) -> FloatArray:
        """Parameter row of the kernel: v_s of both axes."""
        if self.critical_speed is not None:
            return np.array([self.critical_speed, self.critical_speed])
        lengths = np.array([self.stick_length_along, self.stick_length_across])
        return np.asarray(lengths / self.reference_step)

    def sticking(self, weight: FloatArray) -> FloatArray:
        """Static forces; no stiffness."""
        return np.stack([*static_forces(self, weight), 0.0 * weight, 0.0 * weight])


def check_static(law: Any) -> None:
    """Refuse a static force beside a static coefficient."""
    for name in ("along", "across"):
        force, coefficient = getattr(law, f"static_force_{name}"), getattr(law, f"static_{name}")
        if force is not None and coefficient is not None:
            raise InputError(
                f"give static_force_{name} or static_{name}, not both; got {force:g} N and the coefficient {coefficient:g}"
            )


def static_forces(law: Any, weight: FloatArray) -> list[FloatArray]:
    """Static forces along and across: coefficients times the normal force, plain forces, or AS_SLIDING where none is given."""
    found = []
    for name in ("along", "across"):
        force, coefficient = getattr(law, f"static_force_{name}"), getattr(law, f"static_{name}")
        if coefficient is not None:
            found.append(coefficient * weight)
        else:
            found.append(np.full_like(weight, AS_SLIDING if force is None else force))
    return found


@njit
def axis(v, limit, eps, static_force, speed, by, predicted):
    """Force and slope of one axis."""
    if speed <= 0.0:
        return smoothed(v, limit, eps, by, predicted)
    if abs(v) <= speed:
        static = static_force if static_force >= 0.0 else limit
        return -static * v / speed, static / speed
    return -limit * math.copysign(1.0, v), (limit / abs(v) if by == SECANT else 0.0)


@njit
def evaluate(scalars, eps, limits, by, touch):
    """Forces and slopes of all contacts."""
    for i in range(touch.shape[1]):
        along = limits[0, i] if touch[VT, i] >= 0.0 else limits[1, i]
        touch[FT, i], touch[KTT, i] = axis(touch[VT, i], along, eps, limits[STATIC_T, i], scalars[0], by, touch[FT, i])
        touch[FN, i], touch[KNN, i] = axis(
            touch[VN, i], limits[2, i], eps, limits[STATIC_N, i], scalars[1], by, touch[FN, i]
        )


@njit
def axis_slopes(v, limit, eps, static_force, speed, w):
    """How w f of one axis depends on its limit, on eps, on its static force and on its threshold."""
    if speed <= 0.0:
        by_limit, by_eps = smoothed_slopes(v, limit, eps, w)
        return by_limit, by_eps, 0.0, 0.0
    if abs(v) > speed:
        return -w * math.copysign(1.0, v), 0.0, 0.0, 0.0
    given = static_force >= 0.0
    by_static = -w * v / speed
    by_speed = w * (static_force if given else limit) * v / (speed * speed)
    return (0.0, 0.0, by_static, by_speed) if given else (by_static, 0.0, 0.0, by_speed)


@njit
def parameter_slopes(scalars, eps, limits, touch, weights, by_limit, by_scalar):
    """Add how the sum of the forces, weighted (2, contacts), depends on limits and thresholds; returns how on eps."""
    by_eps = 0.0
    for i in range(touch.shape[1]):
        for axis_row, static_row in ((0, STATIC_T), (1, STATIC_N)):
            v = touch[VN, i] if axis_row == 1 else touch[VT, i]
            row = 2 if axis_row == 1 else (0 if v >= 0.0 else 1)
            slid, smooth, stuck, speed = axis_slopes(
                v, limits[row, i], eps, limits[static_row, i], scalars[axis_row], weights[axis_row, i]
            )
            by_limit[row, i] += slid
            by_limit[static_row, i] += stuck
            by_scalar[axis_row] += speed
            by_eps += smooth
    return by_eps
