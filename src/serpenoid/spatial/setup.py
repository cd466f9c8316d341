"""From descriptions to the arrays of the spatial engine."""

from __future__ import annotations

import dataclasses
import functools
from typing import Any

import numpy as np

from serpenoid.contact import LAWS, Bristle
from serpenoid.contact.ground import patch_table
from serpenoid.contact.joint import nonlinearity, servos_of
from serpenoid.contact.self_contact import skin_of
from serpenoid.contact.smoothing import correction_tolerance, least_smoothing
from serpenoid.contact.spots import G_POINTS, slots_of, spot_tables, terrain_of
from serpenoid.contact.springs import STIFF, ground_springs
from serpenoid.contact.sums import SLOTS
from serpenoid.contact.walls import walls_around
from serpenoid.core import FloatArray, Robot, World
from serpenoid.core.errors import InputError
from serpenoid.core.once import Same
from serpenoid.gaits.joints import ROWS
from serpenoid.spatial.anchors import ANCHOR_ROWS, anchor_constants
from serpenoid.spatial.contacts import STAMP
from serpenoid.spatial.detect import stick_row
from serpenoid.spatial.kinematics import chain_of
from serpenoid.spatial.layout import (
    AXIS_ROWS,
    BODY_ROWS,
    BOUNCE,
    COMMAND_KIND,
    DOF_ROWS,
    DRY,
    DT,
    EX,
    EY,
    EZ,
    GRAVITY,
    HOLD,
    IDEAL,
    LAW,
    LEAST,
    LOAD_ROWS,
    MOTION_ROWS,
    NONLINEAR,
    PLAIN,
    RIGID,
    ROLLING,
    SCALARS,
    SHARE,
    STICK,
    STRIDE,
    TOLERANCE,
    WALL_NAME,
    WALL_POINT,
    SpatialBefore,
    SpatialConstants,
    SpatialScratch,
    SpatialState,
)  # fmt: skip


def anchors_of(robot: Robot, world: World) -> FloatArray:
    """Constants (5, k) of the world's anchors."""
    anchors = world.anchors
    for anchor in anchors:
        if anchor.link >= robot.links or anchor.at > robot.link_length[anchor.link] * (1.0 + 1e-9):
            raise InputError(
                f"an anchor at {anchor.at:g} m of link {anchor.link} lies beyond the links of {robot.name}"
            )
    rows = [[getattr(anchor, name) for anchor in anchors] for name in ("link", "at", "hold", "stiffness")]
    return anchor_constants(rows[0], rows[1], robot.link_mass, rows[2], rows[3])


def grounded(world: World) -> World:
    """The world with a ground in three dimensions."""
    if world.floor is None:
        raise InputError("a run in space needs a ground: give the world a Ground")
    return world if world.ground is not None else _on_floor(Same(world))


@functools.lru_cache(maxsize=16)
def _on_floor(described: Same) -> World:
    """The same object for the same world."""
    (world,) = described.items
    return dataclasses.replace(world, ground=world.floor)


def numbers_of(
    robot: Robot, world: World, step: float, stride: int, ideal: bool, tolerance: float | None
) -> FloatArray:
    """Row of numbers: step, gravity, tolerance, friction law."""
    law = world.friction
    if LAWS.get(law.NAME) is None or LAWS[law.NAME].KIND != law.KIND:
        raise InputError(f"the spatial engine does not know the friction law {law!r}; known: {', '.join(LAWS)}")
    scalars = law.scalars_in_space(world)
    row = np.zeros(SCALARS + len(scalars))
    row[DT], row[GRAVITY], row[STRIDE], row[IDEAL] = step, world.gravity, stride, float(ideal)
    row[TOLERANCE], row[LEAST] = tolerance or correction_tolerance(law), least_smoothing(robot, world)
    row[HOLD] = next((servo.control_period for servo in servos_of(robot) if servo is not None), 0.0)
    row[ROLLING] = world.ground.rolling if world.ground is not None else 0.0
    if row[ROLLING] > 0.0 and np.any(np.asarray(world.edge_angle) != 0.0):
        raise InputError("rolling resistance acts about the links' axes; with an edge_angle it is not known")
    bounce = (world.ground.restitution or 0.0) if world.ground is not None else 0.0
    row[BOUNCE], row[RIGID] = bounce, STIFF * robot.mass / step if bounce > 0.0 else 0.0
    row[COMMAND_KIND], row[LAW], row[DRY] = -1.0, law.KIND, float(law.DRY)
    row[PLAIN : PLAIN + 3] = law.along, law.along if law.backward is None else law.backward, law.across
    row[STICK : STICK + 8] = stick_row(law, world.gravity)
    row[SCALARS:] = scalars
    return row


def constants_of(
    robot: Robot, world: World, *, step: float, stride: int, ideal: bool, tolerance: float | None = None
) -> SpatialConstants:
    """Constants without a command. What engines write into is their own, the rest is shared."""
    made = _prepared(Same(robot, world), step, stride, ideal, tolerance)
    return made._replace(numbers=made.numbers.copy())


@functools.lru_cache(maxsize=16)
def _prepared(described: Same, step: float, stride: int, ideal: bool, tolerance: float | None) -> SpatialConstants:
    """The constants of descriptions, which do not change, computed once."""
    robot, world = described.items
    chain = chain_of(robot, np.asarray(world.edge_angle, dtype=float))._replace(skin=skin_of(robot, world, step))
    walls = walls_around(world.obstacles, world.surface)
    springs = ground_springs(robot, world, step)
    terrain = terrain_of(robot, world, patch_table(world), walls, anchors_of(robot, world), springs)
    numbers = numbers_of(robot, world, step, stride, ideal, tolerance)
    numbers[SHARE] = 1.0 / terrain.ground[G_POINTS]
    numbers[NONLINEAR] = nonlinearity(chain.actuators)
    return SpatialConstants(chain, terrain, numbers, np.zeros(1), np.zeros((1, 1)))


def state_of(constants: SpatialConstants, memory: bool) -> SpatialState:
    """A state at rest in a straight posture; `memory`: the friction law has one."""
    chain, terrain = constants.chain, constants.terrain
    n, m = chain.links.shape[1], len(chain.kinds)
    slots = np.zeros((5, slots_of(n, terrain) if memory else 0))
    slots[STAMP] = -2.0
    loads = np.zeros((LOAD_ROWS, n))
    loads[WALL_NAME], loads[WALL_POINT : WALL_POINT + 3] = -1.0, np.nan
    return SpatialState(
        np.zeros(MOTION_ROWS), np.zeros((6, n)), np.zeros((DOF_ROWS, m)), np.zeros(SLOTS), slots,
        np.zeros((ANCHOR_ROWS, terrain.anchors.shape[1])), loads,
    )  # fmt: skip


def has_memory(law: Any) -> bool:
    """Whether contacts of the law remember anything from step to step."""
    return bool(law.KIND == Bristle.KIND)


def scratch_of(constants: SpatialConstants) -> SpatialScratch:
    """Working space of a step."""
    chain, terrain = constants.chain, constants.terrain
    n, m = chain.links.shape[1], len(chain.kinds)
    body = np.zeros((BODY_ROWS, n))
    body[EX], body[EY + 1], body[EZ + 2] = 1.0, 1.0, 1.0
    room = slots_of(n, terrain) + terrain.anchors.shape[1]
    tables = spot_tables(room, chain.skin)
    before = SpatialBefore(
        np.zeros(MOTION_ROWS), np.zeros((6, n)), np.zeros((DOF_ROWS, m)), np.zeros(SLOTS), np.zeros_like(tables.spots)
    )  # fmt: skip
    return SpatialScratch(body, np.zeros((AXIS_ROWS, m)), np.zeros((ROWS, n)), np.zeros((1, m + 1)), tables, before)
