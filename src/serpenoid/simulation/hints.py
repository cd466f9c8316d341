"""Numbers whose size gives another unit away: millimetres, grams, degrees. A hint, never a refusal; every text begins with "hint:".

Looked at are the declared fields of a description (`core.declare`) by their units, and what follows from several of them.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import fields
from typing import TYPE_CHECKING, Any

import numpy as np

from serpenoid.core import Robot
from serpenoid.core.declare import quantity_of
from serpenoid.core.once import Same
from serpenoid.core.quantities import Angle

if TYPE_CHECKING:
    from serpenoid.simulation.warnings import Evidence

LONGEST_LINK, LONGEST, SHORTEST = 5.0, 50.0, 1e-3  # m, of a link, of a body
DENSITIES = (30.0, 25_000.0)  # kg/m^3, of foam and of what is heavier than any metal
WATER = 1000.0  # kg/m^3
STOUT = 5.0  # radius over length of a link of water, from which the mass does not fit the length
GRAVEST = 100.0  # m/s^2
FASTEST = 50.0  # m/s
SWINGS = ("amplitude", "winding_angle")  # names of angles whose size is known
SMALL, LARGE = 0.03, 2.5  # rad


def _swings(command: Any) -> Iterator[tuple[str, float]]:
    """Angles of a command by which joints swing: name and greatest size."""
    cls: Any = type(command)
    for name in _angles_of(cls):
        value = getattr(command, name, None)
        if value is not None:
            yield name, float(np.abs(np.asarray(value, dtype=float)).max(initial=0.0))


@functools.lru_cache(maxsize=1024)
def _angles_of(cls: Any) -> tuple[str, ...]:
    """Names of the fields of a description by which joints swing."""
    if not hasattr(cls, "__dataclass_fields__"):
        return ()
    known = [(item.name, quantity_of(item)) for item in fields(cls) if item.name.endswith(SWINGS)]
    return tuple(name for name, quantity in known if isinstance(quantity, Angle) or quantity.unit == "rad")


def angles(run: Evidence) -> Iterator[str]:
    """Degrees given as radians, and the other way round."""
    for name, value in _swings(run.setup.command):
        if 0.0 < value < SMALL:
            turned = np.degrees(value)
            yield f"hint: {name} is {value:.3g} rad, {turned:.3g} degrees; was {turned:.3g} rad meant? (keys in _deg are degrees)"
        elif value > LARGE:
            yield f"hint: {name} is {value:.3g} rad, {np.degrees(value):.3g} degrees; were {value:.3g} degrees meant?"


def lengths(run: Evidence) -> Iterator[str]:
    """A robot in millimetres."""
    robot = run.setup.robot
    longest = float(robot.link_length.max())
    if longest > LONGEST_LINK or robot.length > LONGEST:
        yield f"hint: links of {longest:.3g} m make a body of {robot.length:.3g} m; lengths are in metres, were millimetres meant?"
    elif robot.length < SHORTEST:
        yield f"hint: the whole body is {robot.length:.2g} m long; lengths are in metres"


def densities(run: Evidence) -> Iterator[str]:
    """Links too heavy or too light for their volume, or without a radius for their length."""
    yield from _densities(Same(run.setup.robot))


@functools.lru_cache(maxsize=64)
def _densities(described: Same) -> tuple[str, ...]:
    return tuple(_of_robot(*described.items))


def _of_robot(robot: Robot) -> Iterator[str]:
    thick = robot.radius > 0.0
    if thick.any():
        volume = np.pi * robot.radius[thick] ** 2 * robot.link_length[thick]
        density = robot.link_mass[thick] / volume
        worst = float(density[np.abs(np.log(density / WATER)).argmax()])
        if not DENSITIES[0] <= worst <= DENSITIES[1]:
            yield f"hint: by mass, length and radius a link has {worst:.3g} kg/m^3 (water {WATER:g}, steel 7850); masses are in kg, lengths in m"
        return
    stout = np.sqrt(robot.link_mass / (WATER * np.pi * robot.link_length)) / robot.link_length
    if float(stout.max()) > STOUT:
        i = int(stout.argmax())
        yield (
            f"hint: {robot.link_mass[i]:.3g} kg on {robot.link_length[i]:.3g} m of length would be {stout[i]:.2g} times as thick as long if it "
            "were water; masses are in kg, were grams meant?"
        )


def gravity(run: Evidence) -> Iterator[str]:
    """Gravity in millimetres."""
    if run.setup.world.gravity > GRAVEST:
        yield f"hint: gravity is {run.setup.world.gravity:g} m/s^2, on earth it is 9.81; were millimetres meant?"


def speeds(run: Evidence) -> Iterator[str]:
    """A speed in millimetres."""
    speed = getattr(run.setup.gait, "speed", None)
    if isinstance(speed, float) and abs(speed) > FASTEST:
        yield f"hint: the gait's speed is {speed:g} m/s; were millimetres per second meant?"


HINTS = (angles, lengths, densities, gravity, speeds)
