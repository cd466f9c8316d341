"""From a plan to what carries it out in dynamics: robot with servos, world with obstacles and anchors, controller, start, longest time.

A plan is solved once for a body, and the solution is remembered while the plan lives; so pictures of a plan and its execution
show the same one. Only a plan that reaches its goal is carried out, unless its `anyway` asks for what there is of another; the run then
has the status of the plan, whatever comes of it.
"""

from __future__ import annotations

import weakref
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from serpenoid.control import ConcertinaDriver, Creeper, Feeder, Motors, PathDrive, motors_of
from serpenoid.core import FloatArray, Grid, Robot, Start, Status, World, per_item
from serpenoid.core.errors import InputError, NumericalError
from serpenoid.core.robot import MAX_LINKS
from serpenoid.planning.path_plan import ASSUMED_CELL
from serpenoid.robots import rods
from serpenoid.robots.ms1 import FITTINGS as MS1
from serpenoid.robots.ms2 import FITTINGS as MS2

FITTED = {"ms1": MS1, "ms2": MS2}  # robots whose motors and pins are known
LINKS, LINK_LENGTH = 6, 5.0  # of a body on a map where none is given; cells
SLIM = 0.15  # of a link: half width where one is needed and none is given
LINK_MASS = 1.0  # kg, where none is given
Prepared = tuple[Robot, World, Any, Start, float]

_SOLVED: weakref.WeakKeyDictionary[Any, tuple[Any, Any]] = weakref.WeakKeyDictionary()


def solved(plan: Any, body: Robot | ArrayLike | None) -> Any:
    """The solution of a plan for a body; the last one is remembered."""
    known = _SOLVED.get(plan)
    if known is None or known[0] is not body:
        known = _SOLVED[plan] = (body, plan.solve(body))
    return known[1]


def way_of(plan: Any, robot: Robot) -> tuple[Any, Status]:
    """The solution of a plan and how it ended, refused unless it leads to the goal, or as far as there is a way and `anyway` asks for it."""
    solution = solved(plan, robot)
    if solution.status == "reached":
        return solution, Status("ok")
    why = solution.status + (f", {solution.reason}" if solution.reason else "")
    if not plan.anyway:
        raise NumericalError(f"the plan cannot be carried out: {why}; anyway = true carries out what there is of it")
    if not solution.partial:
        raise NumericalError(f"there is nothing of the plan to carry out: {why}")
    return solution, Status(solution.status, why)


def prepare_concertina(plan: Any, robot: Robot, world: World) -> Prepared:
    """What carries out a `ConcertinaPlan`: its pins, motors and casters, those of the robot's fittings where they are known."""
    if world.friction != World().friction:
        raise InputError(
            "world.friction: the robot rolls on casters; their friction is plan.motors.friction, leave world.friction out"
        )
    solution, ended = way_of(plan, robot)
    width = float(robot.radius.max())
    if solution.half_width < width * (1.0 - 1e-9):
        u, unit = solution.unit_length, solution.unit
        raise InputError(
            f"half width {solution.half_width / u:g} {unit} is less than that of {robot.name}, {width / u:.4g}, which carries the plan out"
        )
    fittings = FITTED.get(robot.name)
    motors = plan.motors or (Motors() if fittings is None else motors_of(fittings))
    driver = ConcertinaDriver(robot, solution.legs, motors.but(sensor=plan.sensor), solution.obstacles)
    driver.planned = ended
    return driver.robot(robot), driver.world(world), driver, driver.start(), driver.longest


def prepare_path(plan: Any, robot: Robot, world: World) -> Prepared:
    """What carries out a `PathPlan`: the base fed along the path, or the body by itself; the ground's friction is the world's."""
    solution, ended = way_of(plan, robot)
    if not solution.half_width > 0.0:
        raise InputError(
            f"{robot.name} has no half width, so it would pass walls without touching them: give the plan's half_width"
        )
    body = robot.but(radius=solution.half_width)
    drive = plan.drive or PathDrive()
    area = solution.map
    walls = (Grid(np.asarray(area.solid, dtype=bool), area.cell),)
    carrier = (Feeder if plan.execute == "feed" else Creeper)(body, solution.path.points, walls, drive)
    carrier.planned = ended
    carrier.clearance = None if solution.following is None else float(solution.following.link_clearance)
    return carrier.robot(body), carrier.world(world), carrier, carrier.start(), carrier.longest


def body_on(
    plan: Any,
    robot: Robot | None = None,
    *,
    links: int | None = None,
    link_length: float | None = None,
    real: bool = False,
) -> tuple[Robot | FloatArray, tuple[str, ...]]:
    """A body for a `PathPlan`, and what was assumed of it: the robot given, or equal links in the unit of the plan.

    `real` asks for a robot that can be carried out: rods of 1 kg, as wide as the plan says or 0.15 of a link.
    """
    if robot is not None:
        if links is not None or link_length is not None:
            raise InputError("--robot brings its own links: leave out --links and --link-length")
        return robot, ()
    area = plan.area
    count = LINKS if links is None else links
    if not 1 <= count <= MAX_LINKS:
        raise InputError(f"--links must be a whole number from 1 to {MAX_LINKS}, got {count}")
    size = LINK_LENGTH * area.cell / area.unit_length
    if link_length is not None:
        size = float(per_item("link length", link_length, 1, 0.0, strict=True)[0])
    if not real:
        return np.full(count, size), ()
    sized = area if area.unit == "m" else area.sized(ASSUMED_CELL, "cells")
    width = SLIM * size if plan.half_width is None else plan.half_width
    if not width > 0.0:
        raise InputError("--execute needs a body with a half width above 0")
    u = sized.unit_length
    assumed = () if plan.half_width is not None else (f"half width {width:g} {area.unit}, {SLIM:g} of a link",)
    made = rods(count, count * size * u, count * LINK_MASS, radius=width * u)
    return made, (*assumed, f"{LINK_MASS:g} kg per link")
