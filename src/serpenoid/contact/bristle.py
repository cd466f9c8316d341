"""Stick and slip with a bristle: true sticking (Ma, Li and Wang (2001), reading B of its equation (4)).

    stick:  z' = v,  f = -k z - c v,  k = f_s / l_s,  c = 2 zeta sqrt(k m);     leaves when |z| >= l_s
    slip:   f = -mu N d,  d the direction of slip, z held at d mu N / k;        sticks again when v d < 0

The force is continuous when slip ends, and drops from f_s to mu N when it begins (f_s >= mu N is required of every contact). In an
implicit step of length h a sticking contact is f = -k z - max(c, k h / 2) v', z its deflection at the start of the step and v' the velocity at its end,
and a slipping one is constant until its velocity reverses and like that from there: both monotone in v', so the step is convex. With z' = z + h v' a
spring so taken has no damping of its own (the deflection at the end of the step instead of z would add h k to c), while h k / 2 keeps the step
stable at any length and its loss from being negative. So sticking rings and dies out as it should while h < 4 zeta sqrt(m / k). The stored energy is
k z^2 / 2; leaving the stick releases part of it to heat, never to motion.

A contact that is too fast at t = 0 for its bristle to hold it, |v| > f_s / sqrt(k m), slips from the start (`contact.beginning`). An unloaded bristle would be swept
through l_s in a tenth of a millisecond, against a damping force c v that no step of usual length shows.

| key | symbol | unit |
|---|---|---|
| static_force_along, static_force_across | f_s^t, f_s^n; where neither force nor coefficient is given: the sliding friction mu N | N |
| stick_length_along, stick_length_across | l_s^t, l_s^n; an axis with l_s = 0 is smoothed Coulomb | m |
| bristle_damping | zeta | - |
| static_along, static_across | mu_S of both axes: then f_s = mu_S N, and k follows from the weight at rest | - |

Limits: undamped sticking rings at sqrt(k/m) (1000 rad/s in the paper); torques while sticking need steps of
2e-5 s, the distance does not (2.5e-4 s are enough for 1 %).
"""

from __future__ import annotations

import math

import numpy as np

from serpenoid.compiled import njit
from serpenoid.contact.ground import ACROSS, BACKWARD, FORWARD, REST, STATIC_N, STATIC_T, STIFF_N, STIFF_T
from serpenoid.contact.smoothing import smoothed
from serpenoid.contact.threshold import check_static, static_forces
from serpenoid.contact.touch import FN, FT, KNN, KTT, VN, VT
from serpenoid.core import DryFriction, FloatArray
from serpenoid.core.declare import declare, description
from serpenoid.core.quantities import Number
from serpenoid.core.world import LAWS


@LAWS.register
@description
class Bristle(DryFriction):
    """Stick and slip by a bristle of stiffness static_force / stick_length."""

    static_force_along: float | None = declare(
        Number("breakaway force along; none: the sliding friction", "N", low=0.0), default=None
    )
    static_force_across: float | None = declare(
        Number("breakaway force across; none: the sliding friction", "N", low=0.0), default=None
    )
    stick_length_along: float = declare(Number("0: that axis does not stick", "m", low=0.0), default=0.0)
    stick_length_across: float = declare(Number("0: that axis does not stick", "m", low=0.0), default=1e-5)
    bristle_damping: float = declare(Number("damping ratio of a sticking contact", low=0.0), default=0.1)
    smoothing: float | None = declare(
        Number("below it an axis that does not stick creeps; none: 1e-4 of the links' speed", "m/s", above=0.0), default=None
    )  # fmt: skip
    static_along: float | None = declare(
        Number("static coefficient along, instead of the force", low=0.0), default=None
    )
    static_across: float | None = declare(
        Number("static coefficient across, instead of the force", low=0.0), default=None
    )

    KIND = 2
    NAME = "bristle"

    def check(self) -> None:
        """Static friction is a force or a coefficient."""
        check_static(self)

    def scalars(self) -> FloatArray:
        """Parameter row of the kernel: damping ratio."""
        return np.array([self.bristle_damping])

    def sticking(self, weight: FloatArray) -> FloatArray:
        """Static forces, and stiffness f_s / l_s (0 where the axis does not stick; -1 / l_s with a static force AS_SLIDING)."""
        forces = static_forces(self, weight)
        lengths = (self.stick_length_along, self.stick_length_across)
        stiff = [f / l if l > 0.0 else 0.0 * f for f, l in zip(forces, lengths, strict=True)]
        return np.stack([*forces, *stiff])


@njit
def damping(stiffness, mass, zeta):
    """Damping c of a bristle under a link's mass."""
    return 2.0 * zeta * math.sqrt(stiffness * mass)


@njit
def held(v, z, stiffness, forward, backward, c, dt):
    """Force and slope of a bristle at deflection z, at most the breakaway force; past breakaway within the step it stays what it was there."""
    reach = z + dt * v
    edge = forward / stiffness if reach >= 0.0 else -backward / stiffness
    force, slope = -stiffness * z - c * v, c
    if abs(reach) > abs(edge):
        force, slope = -stiffness * z - c * (edge - z) / dt, 0.0
    if -forward <= force <= backward:
        return force, slope
    return min(max(force, -forward), backward), 0.0


@njit
def of_axis(limits, i, along):
    """Of one axis of contact i: sliding friction forward and backward, static friction likewise, stiffness."""
    forward, backward = (limits[FORWARD, i], limits[BACKWARD, i]) if along else (limits[ACROSS, i], limits[ACROSS, i])
    static, stiffness = (
        (limits[STATIC_T, i], limits[STIFF_T, i]) if along else (limits[STATIC_N, i], limits[STIFF_N, i])
    )
    if static >= 0.0:
        return forward, backward, static, static, stiffness
    if stiffness < 0.0:
        stiffness *= -max(forward, backward)
    return forward, backward, forward, backward, stiffness


@njit
def axis(v, z, mode, sides, mass, eps, zeta, dt, by, predicted):
    """Force and slope of one axis (`sides`: see `of_axis`); `mode` is 0 in stick, else the direction of slip."""
    forward, backward, ahead, behind, stiffness = sides
    if stiffness <= 0.0:
        return smoothed(v, forward if v >= 0.0 else backward, eps, by, predicted)
    c = max(damping(stiffness, mass, zeta), 0.5 * stiffness * dt)
    if mode == 0.0:
        return held(v, z, stiffness, ahead, behind, c, dt)
    limit = forward if mode > 0.0 else backward
    if v * mode >= 0.0:
        return -limit * mode, 0.0
    return held(v, mode * limit / stiffness, stiffness, ahead, behind, c, dt)


@njit
def evaluate(scalars, eps, limits, memory, dt, by, touch):
    """Forces and slopes of all contacts at the end of a step of length dt."""
    for i in range(touch.shape[1]):
        mass, zeta = limits[REST, i], scalars[0]
        touch[FT, i], touch[KTT, i] = axis(
            touch[VT, i],
            memory[0, i],
            memory[2, i],
            of_axis(limits, i, True),
            mass,
            eps,
            zeta,
            dt,
            by,
            touch[FT, i],
        )
        touch[FN, i], touch[KNN, i] = axis(
            touch[VN, i],
            memory[1, i],
            memory[3, i],
            of_axis(limits, i, False),
            mass,
            eps,
            zeta,
            dt,
            by,
            touch[FN, i],
        )


@njit
def advance_axis(v, z, mode, sides, dt):
    """New deflection and mode of one axis after a step in which it moved at v, and the energy stored in it."""
    forward, backward, ahead, behind, stiffness = sides
    if stiffness <= 0.0:
        return 0.0, 0.0, 0.0
    if mode == 0.0 or v * mode < 0.0:
        z = z + dt * v
        mode = 0.0
    if mode == 0.0 and abs(z) * stiffness >= (ahead if z >= 0.0 else behind):
        mode = math.copysign(1.0, z)
    if mode != 0.0:
        z = mode * (forward if mode > 0.0 else backward) / stiffness
    return z, mode, 0.5 * stiffness * z * z


@njit
def advance(scalars, limits, memory, dt, touch):
    """Move all bristles on by a step; return the energy they store."""
    energy = 0.0
    for i in range(touch.shape[1]):
        memory[0, i], memory[2, i], along = advance_axis(
            touch[VT, i], memory[0, i], memory[2, i], of_axis(limits, i, True), dt
        )
        memory[1, i], memory[3, i], across = advance_axis(
            touch[VN, i], memory[1, i], memory[3, i], of_axis(limits, i, False), dt
        )
        energy += along + across
    return energy
