"""Spring and damper under a contact, where the ground names none: from the load, from what the step resolves, from a restitution.

A contact that carries the mass m of its share of a link on a spring k and a damper d swings with w = sqrt(k / m) and is damped by
z = d / (2 sqrt(k m)) of critical damping. At rest it is pressed in by the sag m g / k = g / w^2.

| given | stiffness | damping |
|---|---|---|
| nothing | sag of SAG of the radius, at least g dt^2, so that the step resolves the swing | z = DAMPED |
| restitution e | | z(e) |

A mass that falls on the spring leaves when the force would pull (the clamp N >= 0), with the share of its speed

    e = exp(-z (pi - atan2(2 z s, 1 - 2 z^2)) / s),        s = sqrt(1 - z^2)          (z < 1)
    e = exp(-z log((z + s) / (z - s)) / s),                s = sqrt(z^2 - 1)          (z > 1)

(Schwager and Poeschel, Granular Matter 9, 2007, equation (14)). An impact without any bounce has no finite damping: restitutions below
`LEAST` are taken as that. In space contacts faster than a few steps of weight do not meet the spring at all (`spatial.impacts`).
"""

from __future__ import annotations

import math

import numpy as np

from serpenoid.contact.spots import contact_points
from serpenoid.core import Robot, World
from serpenoid.core.terrain import Ground

SAG = 1e-3  # of the radius
DAMPED = 0.5  # of critical damping
LEAST = 0.01
STIFF = 1e4  # of the mass of the body over the step: slope of a contact that strikes a ground with a restitution (`spatial.impacts`)
BEARING = 2.0  # points of a link that carry it on uneven ground, however many there are
USUAL_GRAVITY = 9.81  # m/s^2, where there is none
_SLENDER = 0.05  # of the link length: the radius of links without any
_ALIKE = 1e-9  # from critical damping: both formulas have one limit there


def restitution_of(ratio: float) -> float:
    """Speed after an impact over that before, at a ratio to critical damping."""
    if abs(ratio - 1.0) < _ALIKE:
        return math.exp(-2.0)
    root = math.sqrt(abs(1.0 - ratio * ratio))
    if ratio < 1.0:
        return math.exp(-ratio * (math.pi - math.atan2(2.0 * ratio * root, 1.0 - 2.0 * ratio * ratio)) / root)
    return math.exp(-ratio * math.log((ratio + root) / (ratio - root)) / root)


def ratio_of(restitution: float) -> float:
    """Ratio to critical damping that gives a restitution."""
    if restitution >= 1.0:
        return 0.0
    low, high, wanted = 0.0, 10.0, max(restitution, LEAST)
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if restitution_of(middle) > wanted else (low, middle)
    return 0.5 * (low + high)


def bearing_points(robot: Robot, world: World) -> float:
    """Contact points of a link that carry its weight: of a flat one the lower rows."""
    with np.errstate(divide="ignore"):  # links without a radius are refused where the terrain is made
        points = contact_points(robot, world)
    return 0.5 * points if (world.ground or Ground()).model == "flat" else float(points)


def ground_springs(robot: Robot, world: World, step: float) -> tuple[float, float]:
    """Stiffness (N/m) and damping (N s/m) of a contact with the ground: as given, or as they fit the load and the step."""
    ground = world.ground or Ground()
    mass = robot.mass / (robot.links * min(bearing_points(robot, world), BEARING))
    stiffness, damping = ground.stiffness, ground.damping
    if stiffness is None:
        radius = float(robot.radius.mean()) or _SLENDER * float(robot.link_length.mean())
        gravity = world.gravity or USUAL_GRAVITY
        stiffness = mass * gravity / max(SAG * radius, gravity * step * step)
    if damping is None:
        ratio = DAMPED if ground.restitution is None else ratio_of(ground.restitution)
        damping = 2.0 * ratio * math.sqrt(stiffness * mass)
    return float(stiffness), float(damping)


def sag_of(robot: Robot, world: World, stiffness: float) -> float:
    """How deep the contacts of a robot at rest are pressed in, m: the mean of them."""
    return robot.mass * world.gravity / (stiffness * robot.links * bearing_points(robot, world))
