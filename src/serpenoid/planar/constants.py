"""What a robot, its joints and the ground are to the planar kernels: the tables of constants, and what is refused.

| integrator | for |
|---|---|
| implicit | everything |
| euler, rk4 | gaits, drives and held torques on laws without memory; no servos, no stops, no locked or limp joints among driven ones |
"""

from __future__ import annotations

import functools

import numpy as np

from serpenoid.contact import LAWS, Bristle, Frictionless
from serpenoid.contact.ground import ACROSS, BACKWARD, FORWARD, REST, STATIC_N, STATIC_T, map_row, patch_table
from serpenoid.contact.joint import (
    ACTUATOR_ROWS,
    GEAR_FRICTION,
    ROTOR,
    SERVO,
    STOP_HIGH,
    UNLIMITED,
    actuators_for,
    actuators_of,
    servos_of,
)  # fmt: skip
from serpenoid.contact.self_contact import skin_of
from serpenoid.contact.smoothing import correction_tolerance, least_smoothing
from serpenoid.core import FloatArray, Robot, World, per_item
from serpenoid.core.errors import InputError
from serpenoid.core.once import Same
from serpenoid.planar.ground import check_load, ground_rows, points_table
from serpenoid.planar.layout import (
    ANY_LOCKED,
    ANY_STOP,
    COM,
    CONTROL_PERIOD,
    EDGE_C,
    EDGE_S,
    GX,
    GY,
    INERTIA,
    JOINT_CONSTANTS,
    LAW,
    LEAST,
    LENGTH,
    LEVER,
    LINK_CONSTANTS,
    LOAD_KIND,
    LOAD_ROW,
    LOCKED,
    MASS,
    NUMBERS,
    ORDER,
    PLAIN,
    SIMPLE,
    STEP,
    STRIDE,
    TOLERANCE,
    TOTAL,
    UNEVEN,
    PlanarConstants,
)  # fmt: skip

INTEGRATORS = {"implicit": 0, "euler": 1, "rk4": 4}


def bending_joints(robot: Robot) -> list[int]:
    """Joints (from 1 at the tail) that bend: all but the fixed and locked ones; refused where an axis is not vertical."""
    wrong = [kind for _, kind in robot.axes if kind != "yaw"]
    if wrong:
        raise InputError(f"the planar engine needs every joint axis along z; {robot.name} has {wrong[0]} joints")
    return [joint for joint, _ in robot.axes]


def link_table(robot: Robot, world: World) -> FloatArray:
    """Constants of the links and the ground under them, (LINK_CONSTANTS, n)."""
    table = np.zeros((LINK_CONSTANTS, robot.links))
    mass = robot.link_mass
    beyond = np.concatenate([np.cumsum(mass[::-1])[::-1][1:], [0.0]])
    edge = per_item("edge_angle", world.edge_angle, robot.links, -np.inf)
    table[LENGTH], table[MASS], table[INERTIA] = robot.link_length, mass, robot.link_inertia
    table[COM] = robot.com_offset
    table[LEVER] = mass * robot.com_offset + robot.link_length * beyond
    table[EDGE_C], table[EDGE_S] = np.cos(edge), np.sin(edge)
    ground_rows(table, robot, world)
    return table


def joint_table(robot: Robot, ideal: bool) -> FloatArray:
    """Constants of the joints in the columns of their outer links, (JOINT_CONSTANTS, n); ideal joints have no servos."""
    return _joint_table(Same(robot), ideal)


@functools.lru_cache(maxsize=64)
def _joint_table(described: Same, ideal: bool) -> FloatArray:
    (robot,) = described.items
    bare = robot.but(servo=None) if ideal and robot.servo is not None else robot
    table = np.zeros((JOINT_CONSTANTS, robot.links))
    table[:ACTUATOR_ROWS] = actuators_for(robot.links)
    bend = bending_joints(robot)
    table[:ACTUATOR_ROWS, bend] = actuators_of(bare, bare.axes)
    table[LOCKED, 1:] = 1.0
    table[LOCKED, bend] = 0.0
    for joint, servo in enumerate(servos_of(bare), 1):
        table[CONTROL_PERIOD, joint] = 0.0 if servo is None else servo.control_period
    return table


def simple(joints: FloatArray) -> bool:
    """Whether no joint has a servo, gear friction, a rotor or stops: then damping is all there is beside a torque."""
    extra = joints[SERVO] + joints[GEAR_FRICTION] + joints[ROTOR] + (joints[STOP_HIGH] < UNLIMITED)
    return not np.any(extra[1:] > 0.0)


def check_ground(world: World, limits: FloatArray) -> None:
    """Refuse an unknown friction law, and grounds that the law would ignore or cannot hold."""
    law = world.friction
    if LAWS.get(law.NAME) is None or LAWS[law.NAME].KIND != law.KIND:
        raise InputError(
            f"the engine knows no friction law {law.NAME!r} of kind {law.KIND}; it knows {', '.join(LAWS)}"
        )
    if isinstance(law, Frictionless) and (world.patches or world.friction_map is not None):
        raise InputError('friction law "none" has no use for patches or a map; choose another law or leave them out')
    if not isinstance(law, Bristle):
        return
    for axis, rows, row in (("along", [FORWARD, BACKWARD], STATIC_T), ("across", [ACROSS], STATIC_N)):
        static, weight = limits[row], limits[REST] * world.pressing_gravity
        keys = ("along", "backward") if axis == "along" else ("across",)
        patches = [getattr(p, key) or 0.0 for p in world.patches for key in keys]
        most = 1.0 if world.friction_map is None else world.friction_map.most
        sliding = np.maximum(most * limits[rows].max(axis=0), max(patches, default=0.0) * weight)
        weak = np.flatnonzero((static >= 0.0) & (static < sliding * (1.0 - 1e-12)))
        if getattr(law, f"stick_length_{axis}") > 0.0 and weak.size:
            link = int(weak[0])
            key = f"static_{axis}" if getattr(law, f"static_{axis}") is not None else f"static_force_{axis}"
            raise InputError(
                f"bristle friction needs {key} >= the sliding friction of every contact: link {link} slides at "
                f"{sliding[link]:.4g} N and would stick up to {static[link]:.4g} N; raise it, or leave it out (then it is the sliding friction)"
            )


def check_integrator(integrator: str, world: World, joints: FloatArray, least: float) -> int:
    """Order of an integrator (0: implicit), refused where it cannot take the friction law or the joints."""
    if integrator not in INTEGRATORS:
        raise InputError(f"integrator must be one of {', '.join(INTEGRATORS)}, got {integrator!r}")
    needs = f'needs integrator = "implicit", got {integrator!r}'
    if integrator != "implicit":
        if isinstance(world.friction, Bristle):
            raise InputError(f"the bristle law has memory and {needs}")
        if least > 0.0:
            raise InputError(
                f"an explicit integrator needs a smoothing speed, and the law {world.friction.NAME!r} has none of its own (it follows the motion, too "
                f'stiff for {integrator}); give world.friction.smoothing, as 1e-3 m/s, or integrator = "implicit"'
            )
        if np.any(joints[SERVO] > 0.0):
            raise InputError(f"a servo is stiff and {needs}")
        if world.self_contact is not None:
            raise InputError(f"contact between links (world.self_contact) is stiff and {needs}")
    return INTEGRATORS[integrator]


def constants_for(
    robot: Robot, world: World, *, step: float, stride: int, ideal: bool, integrator: str, tolerance: float | None
) -> PlanarConstants:
    """All constants of a robot in a world; the command comes later. What engines write into is their own, the rest is shared."""
    made = _prepared(Same(robot, world), step, stride, ideal, integrator, tolerance)
    return made._replace(joints=made.joints.copy(), numbers=made.numbers.copy())


@functools.lru_cache(maxsize=64)
def _prepared(
    described: Same, step: float, stride: int, ideal: bool, integrator: str, tolerance: float | None
) -> PlanarConstants:
    """The constants of descriptions, which do not change, computed once."""
    robot, world = described.items
    links, joints = link_table(robot, world), joint_table(robot, ideal)
    check_ground(world, links[PLAIN:])
    check_load(world)
    parameters = np.asarray(world.friction.scalars(), dtype=float)
    numbers = np.zeros(NUMBERS + len(parameters))
    numbers[TOTAL] = robot.link_mass.sum()
    numbers[TOLERANCE] = tolerance or correction_tolerance(world.friction)
    numbers[LEAST] = least_smoothing(robot, world)
    numbers[GX], numbers[GY] = world.sliding_gravity
    numbers[STEP], numbers[STRIDE] = step, stride
    numbers[ORDER] = check_integrator(integrator, world, joints, numbers[LEAST])
    numbers[LAW], numbers[NUMBERS:] = world.friction.KIND, parameters
    numbers[ANY_LOCKED], numbers[SIMPLE] = joints[LOCKED].max(), simple(joints)
    numbers[ANY_STOP] = float(ideal and np.any(joints[STOP_HIGH, 1:] < UNLIMITED))
    patches, load = patch_table(world), world.load
    if load is not None:
        row = np.asarray(load.row(robot), dtype=float)
        numbers[LOAD_KIND], numbers[LOAD_ROW : LOAD_ROW + len(row)] = load.KIND, row
    numbers[UNEVEN] = len(patches) > 0 or world.friction_map is not None or numbers[LOAD_KIND] > 0.0
    points = points_table(links, robot, world)
    return PlanarConstants(
        links,
        points,
        joints,
        numbers,
        patches,
        map_row(world),
        np.zeros(1),
        np.zeros((1, 1)),
        skin_of(robot, world, step),
    )
