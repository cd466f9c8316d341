"""What a robot, its joints and the ground are to the planar kernels: the tables of constants, and what is refused.

| integrator | for |
|---|---|
| implicit | everything |
| euler, rk4 | gaits, drives and held torques on laws without memory; no servos, no stops, no locked or limp joints among driven ones |
"""

from __future__ import annotations

from typing import Any

import numpy as np

from serpenoid.contact import LAWS, Bristle, Frictionless, limits_table, patch_table
from serpenoid.contact.joint import (
    AIM_SPEED,
    BACKLASH,
    DAMPING_GAIN,
    DRIVEN,
    GEAR_FRICTION,
    JOINT_DAMPING,
    NO_LOAD_SPEED,
    ROTOR,
    SERVO,
    STIFFNESS,
    STOP_DAMPING,
    STOP_HIGH,
    STOP_LOW,
    STOP_STIFFNESS,
    TORQUE_LIMIT,
    UNLIMITED,
    actuators_for,
)  # fmt: skip
from serpenoid.core import FloatArray, Robot, World, per_item
from serpenoid.core.errors import InputError
from serpenoid.planar.layout import (
    ANY_LOCKED,
    COM,
    CONTACT,
    CONTROL_PERIOD,
    EDGE_C,
    EDGE_S,
    INERTIA,
    JOINT_CONSTANTS,
    LAW,
    LENGTH,
    LEVER,
    LINK_CONSTANTS,
    LOCKED,
    MASS,
    NUMBERS,
    ORDER,
    PLAIN,
    SCALE,
    SIMPLE,
    STEP,
    STRIDE,
    TOLERANCE,
    TOTAL,
    Constants,
)  # fmt: skip

INTEGRATORS = {"implicit": 0, "euler": 1, "rk4": 4}
STOP_K, STOP_D = 1000.0, 2.0  # N m/rad, N m s/rad: spring and damper of the joints' stops


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
    table[COM], table[CONTACT] = robot.com_offset, robot.contact_offset
    table[LEVER] = mass * robot.com_offset + robot.link_length * beyond
    table[EDGE_C], table[EDGE_S] = np.cos(edge), np.sin(edge)
    table[SCALE] = mass * world.gravity if world.friction.DRY else 1.0
    table[PLAIN:] = limits_table(world, mass)
    return table


def servos_of(robot: Robot, ideal: bool) -> list[Any]:
    """Servo of every joint, None where there is none; none at all with ideal joints."""
    servo = None if ideal else robot.servo
    return list(servo) if isinstance(servo, tuple | list) else [servo] * (robot.links - 1)


def joint_table(robot: Robot, ideal: bool) -> FloatArray:
    """Constants of the joints in the columns of their outer links, (JOINT_CONSTANTS, n)."""
    table = np.zeros((JOINT_CONSTANTS, robot.links))
    table[: len(actuators_for(1))] = actuators_for(robot.links)
    table[DRIVEN] = 1.0
    bend = bending_joints(robot)
    table[LOCKED, 1:] = 1.0
    table[LOCKED, bend] = 0.0
    table[JOINT_DAMPING, 1:] = robot.joint_damping
    limit = np.where(robot.joint_limit < UNLIMITED, robot.joint_limit, UNLIMITED)
    table[STOP_LOW, 1:], table[STOP_HIGH, 1:] = -limit, limit
    table[STOP_STIFFNESS, 1:], table[STOP_DAMPING, 1:] = STOP_K, STOP_D
    for joint, servo in enumerate(servos_of(robot, ideal), 1):
        if servo is None:
            continue
        table[SERVO, joint] = 1.0
        table[STIFFNESS, joint], table[DAMPING_GAIN, joint] = servo.stiffness, servo.damping
        table[CONTROL_PERIOD, joint] = servo.control_period
        for row, name in ((TORQUE_LIMIT, "torque_limit"), (AIM_SPEED, "speed_limit"), (NO_LOAD_SPEED, "no_load_speed")):
            value = getattr(servo, name)
            table[row, joint] = UNLIMITED if value is None else value
        table[BACKLASH, joint] = 0.5 * servo.backlash
        table[GEAR_FRICTION, joint] = servo.gear_friction
        table[ROTOR, joint] = servo.rotor_inertia
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
    if isinstance(law, Frictionless) and world.patches:
        raise InputError('friction law "none" has no use for patches; choose another law or leave them out')
    if not isinstance(law, Bristle):
        return
    for axis, row in (("along", [0, 1]), ("across", [2])):
        length = getattr(law, f"stick_length_{axis}")
        force = float(limits[4 if axis == "along" else 5].min())
        keys = ("along", "backward") if axis == "along" else ("across",)
        patches = [getattr(p, key) or 0.0 for p in world.patches for key in keys]
        strongest = max(limits[row].max(), limits[3].max() * world.gravity * max(patches, default=0.0))
        if length > 0.0 and force < strongest:
            raise InputError(
                f"bristle friction needs static_force_{axis} >= the sliding friction {strongest:.4g} N, got {force:g} N"
            )


def check_integrator(integrator: str, world: World, joints: FloatArray) -> int:
    """Order of an integrator (0: implicit), refused where it cannot take the friction law or the joints."""
    if integrator not in INTEGRATORS:
        raise InputError(f"integrator must be one of {', '.join(INTEGRATORS)}, got {integrator!r}")
    needs = f'needs integrator = "implicit", got {integrator!r}'
    if integrator != "implicit":
        if isinstance(world.friction, Bristle):
            raise InputError(f"the bristle law has memory and {needs}")
        if np.any(joints[SERVO] > 0.0):
            raise InputError(f"a servo is stiff and {needs}")
        if np.any(joints[STOP_HIGH, 1:] < UNLIMITED):
            raise InputError(f"a joint with stops (joint_limit) is stiff there and {needs}")
    return INTEGRATORS[integrator]


def constants_for(
    robot: Robot, world: World, *, step: float, stride: int, ideal: bool, integrator: str, tolerance: float | None
) -> Constants:
    """All constants of a robot in a world; the command comes later."""
    links, joints = link_table(robot, world), joint_table(robot, ideal)
    check_ground(world, links[PLAIN:])
    parameters = np.asarray(world.friction.scalars(), dtype=float)
    numbers = np.zeros(NUMBERS + len(parameters))
    numbers[TOTAL] = robot.link_mass.sum()
    # a hundredth of the speed over which the friction law bends; what the last correction leaves is the square of that
    numbers[TOLERANCE] = tolerance or min(1e-5, 1e-2 * getattr(world.friction, "smoothing", 1.0))
    numbers[STEP], numbers[STRIDE] = step, stride
    numbers[ORDER] = check_integrator(integrator, world, joints)
    numbers[LAW], numbers[NUMBERS:] = world.friction.KIND, parameters
    numbers[ANY_LOCKED], numbers[SIMPLE] = joints[LOCKED].max(), simple(joints)
    return Constants(links, joints, numbers, patch_table(world), np.zeros(1), np.zeros((1, 1)))
