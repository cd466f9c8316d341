"""Robots as MJCF, MuJoCo's own format: robot, ground, obstacles, servos; and the gait beside it as a program that runs.

Robots without servos get stiff ones under names that say so (`ideal-`): read back, their joints do what they are told again. A joint without a
motor is a limp one. Written are explicit inertias, hinges with damping, stops, rotors and dry friction, one capsule per link, and position servos with the robot's gains.
MuJoCo's friction is the same in all directions of the ground: the larger of the two coefficients is written, and the file says so. Reading is in
`mjcf_import`.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from serpenoid.core import FloatArray, Robot, World
from serpenoid.core.actuator import Servo
from serpenoid.core.errors import InputError
from serpenoid.core.obstacles import Disc
from serpenoid.core.terrain import Box, Cylinder
from serpenoid.formats.chain import AXES, headline
from serpenoid.formats.mjcf_import import read_mjcf as read_mjcf
from serpenoid.formats.mjcf_motors import IDEAL
from serpenoid.formats.xml import Element, SubElement, number, numbers, plain_name, xml_text

STIFF = Servo(stiffness=200.0, damping=5.0)  # for robots without servos: MuJoCo needs something that moves the joints
MOST_LINKS = 480  # MuJoCo reads no XML that is nested deeper than 500 elements
PROGRAM = '''"""{title}: the model beside this file in MuJoCo, moved by its gait.

    python {program} [--view]

Needs MuJoCo (pip install "mujoco>=3.17,!=4.0.0"). The table holds joint angles (rad) every {period} s.
"""

import sys
from pathlib import Path

import mujoco
import numpy as np

here = Path(__file__).parent
model = mujoco.MjModel.from_xml_path(str(here / {model}))
data = mujoco.MjData(model)
names = (here / {table}).read_text().partition("\\n")[0].split(",")[1:]
table = np.loadtxt(here / {table}, delimiter=",", skiprows=1, ndmin=2)
motor_of = {{int(model.actuator_trnid[a, 0]): a for a in range(model.nu)}}
motors = [motor_of.get(mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_JOINT, name), -1) for name in names]
driven = [k for k, motor in enumerate(motors) if motor >= 0]  # joints without a motor are limp
times, angles, motors = table[:, 0], table[:, 1:][:, driven], [motors[k] for k in driven]


def command(t):
    """Joint angles at a time, straight lines between the samples."""
    return np.array([np.interp(t, times, column) for column in angles.T])


data.qpos[:] = model.key_qpos[0]
mujoco.mj_forward(model, data)
start = data.subtree_com[0].copy()


def advance():
    """One step of the simulation."""
    data.ctrl[motors] = command(data.time)
    mujoco.mj_step(model, data)


if "--view" in sys.argv:
    import mujoco.viewer

    with mujoco.viewer.launch_passive(model, data) as viewer:
        while viewer.is_running() and data.time < times[-1]:
            advance()
            viewer.sync()
else:
    while data.time < times[-1]:
        advance()
print(f"moved {{np.linalg.norm(data.subtree_com[0] - start):.4f}} m in {{data.time:.2f}} s")
'''


def friction_of(world: World) -> float:
    """The coefficient that stands for a world's friction in MuJoCo: the largest of its law."""
    law = world.friction
    return float(max(law.along, law.across, law.backward or 0.0)) if law.DRY else 0.0


def mjcf_text(robot: Robot, world: World | None = None, *, step: float = 1e-3, qpos: FloatArray | None = None) -> str:
    """The robot on its ground as MJCF; `qpos` (7 + axes,): place, attitude and joint angles of the key frame."""
    if robot.links > MOST_LINKS:
        raise InputError(
            f"MuJoCo reads chains of {MOST_LINKS} links at most from a file, {robot.name} has {robot.links}"
        )
    world = World() if world is None else world
    root = Element("mujoco", model=plain_name(robot.name))
    SubElement(root, "compiler", angle="radian", autolimits="true", inertiafromgeom="false", balanceinertia="false")
    SubElement(
        root,
        "option",
        timestep=number(step),
        gravity=numbers([0.0, 0.0, -world.gravity]),
        integrator="implicitfast",
        cone="elliptic",
        impratio="10",
    )
    mu = friction_of(world)
    default = SubElement(root, "default")
    SubElement(default, "geom", friction=numbers([mu, 0.005, 0.0001]), condim="3" if mu > 0.0 else "1")
    body = SubElement(root, "worldbody")
    _add_ground(body, world, robot.length)
    actuators = Element("actuator")
    for i in range(robot.links):
        body = _add_link(body, robot, i, actuators)
    root.append(actuators)
    if qpos is not None:
        SubElement(SubElement(root, "keyframe"), "key", name="start", qpos=numbers(qpos))
    law = world.friction
    remark = f"{headline(robot)} MuJoCo's friction is isotropic: {mu:g} stands for {law!r}."
    return xml_text(root, remark)


def _add_ground(body: Element, world: World, height: float) -> None:
    """Ground plane and obstacles, upright ones up to a height; the ground has no heights here."""
    ground = world.ground
    normal = np.array([0.0, 0.0, 1.0]) if ground is None else np.asarray(ground.normal)
    SubElement(body, "light", pos="0 0 4", dir="0 0 -1", directional="true")
    if ground is not None and ground.heights is not None:
        raise InputError("a height field is not written as MJCF; take it out of the world, or export the robot alone")
    if ground is None or ground.plane:
        SubElement(
            body, "geom", name="ground", type="plane", size="0 0 1", zaxis=numbers(normal), contype="2", conaffinity="1"
        )
    for k, o in enumerate(world.obstacles):
        given: dict[str, Any] = {"name": f"obstacle{k}", "contype": "2", "conaffinity": "1"}
        if isinstance(o, Disc):
            ends = [*o.centre, -height, *o.centre, height]
            SubElement(body, "geom", type="cylinder", size=number(o.radius), fromto=numbers(ends), **given)
        elif isinstance(o, Cylinder):
            ends = [*o.base, *np.add(o.base, np.multiply(o.length, o.axis))]
            SubElement(body, "geom", type="cylinder", size=number(o.radius), fromto=numbers(ends), **given)
        elif isinstance(o, Box):
            turn = [math.cos(0.5 * o.yaw), 0.0, 0.0, math.sin(0.5 * o.yaw)]
            SubElement(
                body,
                "geom",
                type="box",
                size=numbers(np.multiply(0.5, o.size)),
                pos=numbers(o.centre),
                quat=numbers(turn),
                **given,
            )
        else:
            raise InputError(f"a {type(o).__name__} is not written as MJCF; known are discs, cylinders and boxes")


def skin_radii(robot: Robot) -> FloatArray:
    """Radii of the links' capsules; thin links get a twentieth of their length."""
    return np.where(robot.radius > 0.0, robot.radius, 0.05 * robot.link_length)


def _add_link(parent: Element, robot: Robot, i: int, actuators: Element) -> Element:
    """A link inside the one before, with the axes of its joint and their motors."""
    offset = float(robot.link_length[i - 1]) if i else 0.0
    body = SubElement(parent, "body", name=f"link{i}", pos=numbers([offset, 0.0, 0.0]))
    axial, across = float(np.asarray(robot.axial_inertia)[i]), float(robot.link_inertia[i])
    SubElement(
        body,
        "inertial",
        pos=numbers([robot.com_offset[i], 0.0, 0.0]),
        mass=number(robot.link_mass[i]),
        diaginertia=numbers([axial, across, across]),
    )
    if i == 0:
        SubElement(body, "freejoint", name="base")
    servo = robot.servos[i - 1] if i else None
    for kind in [kind for joint, kind in robot.axes if joint == i] if i else []:
        limit = float(robot.joint_limit[i - 1])
        given: dict[str, Any] = {"range": numbers([-limit, limit])} if math.isfinite(limit) else {}
        rotor, dry = (servo.rotor_inertia, servo.gear_friction) if servo is not None else (0.0, 0.0)
        SubElement(
            body, "joint", name=f"{kind}{i}", type="hinge", axis=numbers(AXES[kind]), damping=number(robot.joint_damping[i - 1]),
            armature=number(rotor), frictionloss=number(dry), **given,
        )  # fmt: skip
        if i not in robot.limp:
            motor, called = servo or STIFF, f"motor-{kind}{i}" if servo else f"{IDEAL}{kind}{i}"
            force: dict[str, Any] = (
                {} if motor.torque_limit is None else {"forcerange": numbers([-motor.torque_limit, motor.torque_limit])}
            )
            SubElement(
                actuators, "position", name=called, joint=f"{kind}{i}", kp=number(motor.stiffness), kv=number(motor.damping), **force,
            )  # fmt: skip
    radius, length = float(skin_radii(robot)[i]), float(robot.link_length[i])
    SubElement(
        body, "geom", name=f"skin{i}", type="capsule", size=number(radius),
        fromto=numbers([0.0, 0.0, 0.0, length, 0.0, 0.0]), contype="1", conaffinity="2",
    )  # fmt: skip
    return body


def program_text(title: str, model: str, table: str, program: str, period: float) -> str:
    """A Python program that moves the model by the gait's table."""
    safe, call = (text.replace("\\", " ").replace('"', "'")[:200] for text in (title, program))
    return PROGRAM.format(title=safe, model=ascii(model), table=ascii(table), program=call, period=f"{period:g}")
