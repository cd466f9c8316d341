"""Stick and slip with a bristle: true sticking (paper 002, reading B of its equation (4)).

    stick:  z' = v,  f = -k z - c v,  k = f_s / l_s,  c = 2 zeta sqrt(k m);     leaves when |z| >= l_s
    slip:   f = -mu N d,  d the direction of slip, z held at d mu N / k;        sticks again when v d < 0

The force is continuous when slip ends, and drops from f_s to mu N when it begins (f_s >= mu N is required). In an
implicit step of length h a sticking contact is a spring and damper of slope k h + c, and a slipping one is constant
until its velocity reverses and a spring from there: both monotone in v, so the step is convex. The stored energy is
k z^2 / 2; leaving the stick releases part of it to heat, never to motion.

| key | symbol | unit |
|---|---|---|
| static_force_along, static_force_across | f_s^t, f_s^n | N |
| stick_length_along, stick_length_across | l_s^t, l_s^n; an axis with l_s = 0 is smoothed Coulomb | m |
| bristle_damping | zeta | - |

Limits: undamped sticking rings at sqrt(k/m) (1000 rad/s in the paper); torques while sticking need steps of
2e-5 s, the distance does not (2.5e-4 s are enough for 1 %).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from serpenoid.compiled import njit
from serpenoid.contact.coulomb import smoothed
from serpenoid.contact.touch import FN, FT, KNN, KTT, VN, VT
from serpenoid.core import DryFriction, FloatArray


@dataclass(frozen=True)
class Bristle(DryFriction):
    """Stick and slip by a bristle of stiffness static_force / stick_length."""

    static_force_along: float = 0.0
    static_force_across: float = 5.0
    stick_length_along: float = 0.0
    stick_length_across: float = 1e-5
    bristle_damping: float = 0.1
    smoothing: float = 1e-3

    KIND = 2
    NAME = "bristle"

    def scalars(self) -> FloatArray:
        """Parameter row of the kernel: eps, stiffness and stick length of both axes, damping ratio."""
        along = self.static_force_along / self.stick_length_along if self.stick_length_along > 0.0 else 0.0
        across = self.static_force_across / self.stick_length_across if self.stick_length_across > 0.0 else 0.0
        return np.array(
            [
                self.smoothing,
                along,
                self.stick_length_along,
                across,
                self.stick_length_across,
                self.bristle_damping,
            ]
        )


@njit
def damping(stiffness, mass, zeta):
    """Damping c of a bristle under a link's mass."""
    return 2.0 * zeta * math.sqrt(stiffness * mass)


@njit
def held(v, z, stiffness, length, c, dt):
    """Force and slope of a bristle at deflection z; past breakaway within the step it stays what it was there."""
    reach = z + dt * v
    if abs(reach) <= length:
        return -stiffness * reach - c * v, stiffness * dt + c
    edge = length * math.copysign(1.0, reach)
    return -stiffness * edge - c * (edge - z) / dt, 0.0


@njit
def axis(v, z, mode, forward, backward, mass, eps, stiffness, length, zeta, dt, secant):
    """Force and slope of one axis; `mode` is 0 in stick, else the direction of slip."""
    if stiffness <= 0.0:
        return smoothed(v, forward if v >= 0.0 else backward, eps, secant)
    c = damping(stiffness, mass, zeta)
    if mode == 0.0:
        return held(v, z, stiffness, length, c, dt)
    limit = forward if mode > 0.0 else backward
    if v * mode >= 0.0:
        return -limit * mode, 0.0
    return held(v, mode * limit / stiffness, stiffness, length, c, dt)


@njit
def evaluate(scalars, limits, memory, dt, secant, touch):
    """Forces and slopes of all contacts at the end of a step of length dt."""
    for i in range(touch.shape[1]):
        touch[FT, i], touch[KTT, i] = axis(
            touch[VT, i], memory[0, i], memory[2, i], limits[0, i], limits[1, i], limits[3, i],
            scalars[0], scalars[1], scalars[2], scalars[5], dt, secant,
        )  # fmt: skip
        touch[FN, i], touch[KNN, i] = axis(
            touch[VN, i], memory[1, i], memory[3, i], limits[2, i], limits[2, i], limits[3, i],
            scalars[0], scalars[3], scalars[4], scalars[5], dt, secant,
        )  # fmt: skip


@njit
def advance_axis(v, z, mode, forward, backward, stiffness, length, dt):
    """New deflection and mode of one axis after a step in which it moved at v."""
    if mode == 0.0 or v * mode < 0.0:
        z = z + dt * v
        mode = 0.0
    if mode == 0.0 and abs(z) >= length:
        mode = math.copysign(1.0, z)
    if mode != 0.0:
        z = mode * (forward if mode > 0.0 else backward) / stiffness
    return z, mode


@njit
def advance(scalars, limits, memory, dt, touch):
    """Move all bristles on by a step; return the energy they store."""
    energy = 0.0
    for i in range(touch.shape[1]):
        if scalars[1] > 0.0:
            memory[0, i], memory[2, i] = advance_axis(
                touch[VT, i],
                memory[0, i],
                memory[2, i],
                limits[0, i],
                limits[1, i],
                scalars[1],
                scalars[2],
                dt,
            )
            energy += 0.5 * scalars[1] * memory[0, i] ** 2
        if scalars[3] > 0.0:
            memory[1, i], memory[3, i] = advance_axis(
                touch[VN, i],
                memory[1, i],
                memory[3, i],
                limits[2, i],
                limits[2, i],
                scalars[3],
                scalars[4],
                dt,
            )
            energy += 0.5 * scalars[3] * memory[1, i] ** 2
    return energy
