"""How sharp dry friction is: the speed below which a contact creeps instead of sticking, and how Newton copes with little of it.

Dry friction is smoothed by a speed eps: -mu N v / sqrt(v^2 + eps^2). An absolute eps is wrong for slow motions: below it nothing sticks.
Where a law gives none, eps follows the motion,

    eps = max(SHARE sqrt(2 E / m), REST sqrt(g L))          E: kinetic energy after the last step, m, L: mass and length of the body

so that a gait that is carried out a thousand times more slowly covers the same distance per cycle, and a body at rest stays there: eps
shrinks with the creep until it is REST sqrt(g L), less than a nanometre per second for a body of a metre. It is part of the state. (The
speed is that of the links, not the slip: where a body rolls or strides, most of its contacts stick.)

Newton with the tangent as slope leaves the region where it converges, of width eps, whenever a contact begins or ceases to stick. Then the
slopes are taken with the force f* that the last linearisation predicted for this velocity, in place of one factor of the force itself:

    K = (mu N + f* v / r) / r         r = sqrt(v^2 + eps^2),  |f*| <= mu N          (the tangent where f* = -mu N v / r)

This is Newton for the equation f r + mu N v = 0 in both v and f: it converges in some ten iterations, however small eps is
(Chan, Golub and Mulet, SIAM J. Sci. Comput. 20, 1999, for the same function). Coupled laws do likewise, with a vector f*.
"""

from __future__ import annotations

import math
from typing import Any

from serpenoid.compiled import inverse_root, njit
from serpenoid.contact.sums import KINETIC, SMOOTHING
from serpenoid.contact.touch import PREDICTED, SECANT
from serpenoid.core import Robot, World

SHARE = 1e-4  # of the links' speed
REST = 1e-10  # of sqrt(g L)
SOLVED = 1e-2  # of eps: a smaller correction is the last one; what it leaves is the square of that
SHRINK = 0.7  # a correction must be smaller than this share of the one before, or the slopes are predicted ones


def given_smoothing(law: Any) -> float:
    """Smoothing speed of a law, m/s; 0: it follows the motion; 1 for laws that have none."""
    value = getattr(law, "smoothing", 1.0)
    return 0.0 if value is None else float(value)


def least_smoothing(robot: Robot, world: World) -> float:
    """Smoothing speed at rest of a law whose smoothing follows the motion, m/s; 0 where it does not."""
    if given_smoothing(world.friction) > 0.0:
        return 0.0
    return REST * (math.sqrt(world.gravity * robot.length) or 1.0)


def first_smoothing(law: Any, least: float, kinetic: float, mass: float) -> float:
    """Smoothing speed of the first step of a body of that mass and kinetic energy, m/s."""
    return given_smoothing(law) or max(least, SHARE * math.sqrt(2.0 * kinetic / mass))


def correction_tolerance(law: Any) -> float:
    """Correction of the contact velocities that is the last one, m/s; 0: SOLVED times the smoothing of the step."""
    return min(1e-5, SOLVED * given_smoothing(law))


@njit
def smoothed(v, limit, eps, by, predicted):
    """Force and slope of one axis: by the tangent -df/dv, the secant -f/v, or with the force that was predicted."""
    r = inverse_root(v * v + eps * eps)
    if by == SECANT:
        slope = limit * r
    elif by == PREDICTED:
        slope = max(0.0, limit + min(max(predicted, -limit), limit) * v * r) * r
    else:
        slope = limit * eps * eps * r * r * r
    return -limit * v * r, slope


@njit
def mixed_slope(along, across):
    """Mixed slope of solvers whose matrices are symmetric: the smaller one, with which laws that are not symmetric converge best."""
    return along if abs(along) < abs(across) else across


@njit
def follow_motion(least, mass, acc):
    """Set the smoothing speed of the next step, where it follows the motion (`least` > 0); acc: slots of `contact.sums`."""
    if least > 0.0:
        acc[SMOOTHING] = max(least, SHARE * math.sqrt(2.0 * acc[KINETIC] / mass))
