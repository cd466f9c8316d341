"""The same robot and world as a MuJoCo model, built by `mujoco.MjSpec`.

Links are bodies in a chain, with mass, inertia and centre of gravity given explicitly. Every axis is a hinge with the joint's damping;
a servo's rotor inertia is its armature. The tail's end is free in space (`model_of`: a free joint, so that qvel = velocity, angular velocity in
the axes of link 0, joint rates) or in the plane (`plane_model`: two slides and a hinge, so that qpos = (x_0, y_0, phi_0, theta_1, ...), the
unknowns of Ma, Li and Wang (2001); no gravity, no contacts). The integrator is `implicitfast`.

| argument | meaning |
|---|---|
| `gains` | kp, kv and torque limit of an actuator per driven axis: tau = kp (ctrl - q) - kv q', kv implicit; one value or one per axis |
| `native` | geometries of links, ground and obstacles: MuJoCo's soft contacts with an elliptic cone; contacts among links are off |
| `tied` | an equality constraint per axis, which holds it at `eq_data[:, 0]` |

MuJoCo is optional (extra `serpenoid[engines]`) and is imported on use.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from serpenoid.core import FloatArray, Robot, World
from serpenoid.core.terrain import Box, Cylinder, Ground
from serpenoid.formats.mujoco_package import load_mujoco as load_mujoco
from serpenoid.formats.mujoco_package import silence as silence
from serpenoid.peers.native import native_friction

SOLREF = (0.01, 1.0)  # time constant (s) and damping ratio of native contacts
IMPRATIO = 10.0  # friction to normal impedance of native contacts
BASE = 1.0  # m, thickness of a height field
IMPEDANCE = 0.9999  # of the equality constraints that prescribe joints
DIRECTION = {"yaw": (0.0, 0.0, 1.0), "pitch": (0.0, 1.0, 0.0), "roll": (1.0, 0.0, 0.0)}


def _spec(mujoco: Any, step: float, gravity: float) -> Any:
    """An empty model in radians without any inference, and its integrator."""
    spec = mujoco.MjSpec()
    spec.compiler.degree = False
    spec.compiler.autolimits = False
    spec.compiler.inertiafromgeom = mujoco.mjtInertiaFromGeom.mjINERTIAFROMGEOM_FALSE
    spec.option.timestep = step
    spec.option.gravity = [0.0, 0.0, -gravity]
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    return spec


def _add_links(spec: Any, robot: Robot, inertia: FloatArray) -> list[Any]:
    """Bodies of a chain without joints, tail first; inertia (n, 3) about the centres of gravity."""
    bodies: list[Any] = []
    parent = spec.worldbody
    for i in range(robot.links):
        body = parent.add_body(name=f"link{i}", pos=[float(robot.link_length[i - 1]) if i else 0.0, 0.0, 0.0])
        body.mass, body.explicitinertial = float(robot.link_mass[i]), True
        body.ipos, body.inertia = [float(robot.com_offset[i]), 0.0, 0.0], inertia[i]
        bodies.append(body)
        parent = body
    return bodies


def _add_actuator(mujoco: Any, spec: Any, hinge: str, kp: float, kv: float, limit: float) -> None:
    """A position servo: tau = kp (ctrl - q) - kv q', within the limit."""
    motor = spec.add_actuator(name=f"motor-{hinge}", target=hinge, trntype=mujoco.mjtTrn.mjTRN_JOINT)
    motor.gaintype, motor.biastype = mujoco.mjtGain.mjGAIN_FIXED, mujoco.mjtBias.mjBIAS_AFFINE
    motor.gainprm[0], motor.biasprm[1], motor.biasprm[2] = kp, -kp, -kv
    if np.isfinite(limit):
        motor.forcelimited, motor.forcerange = mujoco.mjtLimited.mjLIMITED_TRUE, [-limit, limit]


def plane_model(robot: Robot, step: float = 1e-3, stiffness: float = 0.0, damping: float = 0.0) -> Any:
    """A robot with yaw joints in the plane; with a stiffness also position servos of that stiffness and damping."""
    mujoco = load_mujoco()
    spec = _spec(mujoco, step, 0.0)
    spec.option.disableflags = mujoco.mjtDisableBit.mjDSBL_CONTACT | mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    inertia = np.repeat(robot.link_inertia[:, None], 3, axis=1)
    for i, body in enumerate(_add_links(spec, robot, inertia)):
        if i == 0:
            for name, axis in (("x", (1.0, 0.0, 0.0)), ("y", (0.0, 1.0, 0.0))):
                body.add_joint(name=name, type=mujoco.mjtJoint.mjJNT_SLIDE, axis=axis)
            body.add_joint(name="heading", type=mujoco.mjtJoint.mjJNT_HINGE, axis=DIRECTION["yaw"])
            continue
        _add_hinge(mujoco, body, f"joint{i}", "yaw", float(robot.joint_damping[i - 1]))
        if stiffness > 0.0:
            _add_actuator(mujoco, spec, f"joint{i}", stiffness, damping, np.inf)
    return spec.compile()


def _add_hinge(mujoco: Any, body: Any, name: str, kind: str, damping: float, rotor: float = 0.0) -> Any:
    hinge = body.add_joint(name=name, type=mujoco.mjtJoint.mjJNT_HINGE, axis=DIRECTION[kind])
    hinge.damping = np.array([damping, 0.0, 0.0]) if np.ndim(hinge.damping) else damping
    hinge.armature = rotor
    return hinge


def _touch(geom: Any, mu: float, robot: bool) -> None:
    """Contact properties of a geometry; those of the robot do not meet each other."""
    geom.contype, geom.conaffinity = (1, 0) if robot else (0, 1)
    geom.friction, geom.condim = [mu, 0.005, 0.0001], 3 if mu > 0.0 else 1
    geom.solref = list(SOLREF)


def _span(heights: FloatArray) -> float:
    return max(float(np.ptp(heights)), 1e-6)


def _add_terrain(mujoco: Any, spec: Any, world: World, mu: float) -> None:
    """Geometries of ground and obstacles."""
    ground, kinds = world.ground or Ground(), mujoco.mjtGeom
    made = []
    if ground.heights is not None:
        h, cell, origin = ground.heights.heights, ground.heights.cell, ground.heights.origin
        half = [0.5 * cell * (count - 1) for count in h.shape[::-1]]
        field = spec.add_hfield(name="field", nrow=h.shape[0], ncol=h.shape[1], size=[*half, _span(h), BASE])
        field.userdata = ((h - h.min()) / _span(h)).ravel().tolist()
        at = [origin[0] + half[0], origin[1] + half[1], float(h.min())]
        made.append(spec.worldbody.add_geom(type=kinds.mjGEOM_HFIELD, hfieldname="field", pos=at))
    elif ground.plane:
        geom = spec.worldbody.add_geom(type=kinds.mjGEOM_PLANE, size=[0.0, 0.0, 1.0])
        geom.alt.type, geom.alt.zaxis = mujoco.mjtOrientation.mjORIENTATION_ZAXIS, ground.normal
        made.append(geom)
    for o in world.obstacles:
        if isinstance(o, Cylinder):
            ends = [*o.base, *np.add(o.base, np.multiply(o.length, o.axis))]
            made.append(spec.worldbody.add_geom(type=kinds.mjGEOM_CYLINDER, size=[o.radius, 0.0, 0.0], fromto=ends))
        elif isinstance(o, Box):
            turn = [np.cos(0.5 * o.yaw), 0.0, 0.0, np.sin(0.5 * o.yaw)]
            half = np.multiply(0.5, o.size).tolist()
            made.append(spec.worldbody.add_geom(type=kinds.mjGEOM_BOX, size=half, pos=o.centre, quat=turn))
    for geom in made:
        _touch(geom, mu, robot=False)


def model_of(
    robot: Robot, world: World, step: float = 1e-3, *, gains: tuple[Any, Any, Any] | None = None, native: bool = False,
    tied: bool = False, rotor: Any = 0.0,
) -> Any:  # fmt: skip
    """A robot in space, in a world (see the module's table); `rotor`: inertia of the motors' rotors, kg m^2, one or one per axis."""
    mujoco = load_mujoco()
    spec = _spec(mujoco, step, world.gravity)
    spec.option.cone, spec.option.impratio = mujoco.mjtCone.mjCONE_ELLIPTIC, IMPRATIO
    mu = native_friction(world, heights=True) if native else 0.0
    if native:
        _add_terrain(mujoco, spec, world, mu)
    else:
        spec.option.disableflags = mujoco.mjtDisableBit.mjDSBL_CONTACT
    axial: Any = robot.axial_inertia
    bodies = _add_links(spec, robot, np.column_stack([axial, robot.link_inertia, robot.link_inertia]))
    bodies[0].add_freejoint()
    for i, body in enumerate(bodies if native else ()):
        ends = [0.0, 0.0, 0.0, float(robot.link_length[i]), 0.0, 0.0]
        size = [float(robot.radius[i]), 0.0, 0.0]
        _touch(body.add_geom(type=mujoco.mjtGeom.mjGEOM_CAPSULE, size=size, fromto=ends), mu, robot=True)
    rotors = np.broadcast_to(np.asarray(rotor, dtype=float), (len(robot.axes),))
    for k, (joint, kind) in enumerate(robot.axes):
        name = f"{kind}{joint}"
        _add_hinge(mujoco, bodies[joint], name, kind, float(robot.joint_damping[joint - 1]), float(rotors[k]))
        if gains is not None and joint not in robot.limp:
            _add_actuator(mujoco, spec, name, *(float(np.broadcast_to(g, (len(robot.axes),))[k]) for g in gains))
        if tied:
            tie = spec.add_equality(type=mujoco.mjtEq.mjEQ_JOINT, name1=name)
            tie.solref, tie.solimp = [2.0 * step, 1.0], [0.999, IMPEDANCE, 0.001, 0.5, 2.0]
    return spec.compile()
