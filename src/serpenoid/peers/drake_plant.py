"""The same robot and world as a Drake plant.

A discrete `MultibodyPlant`: link 0 floats, every axis is a revolute joint with the joint's damping, two axes of one joint meet in a body
without mass. So v = (angular velocity, velocity of link 0, joint rates). Drake steps

    M (v' - v) = h (forces)        q' = q + h v'

with joint damping and the gains of actuators at the end of the step. A servo's rotor inertia is that of its `JointActuator`. Outputs are
those of the present state, not samples of the last step.

Native contacts: N = k x (1 + d x') (Hunt and Crossley) with our k, and d such that the damping is ours under the load at rest; friction is
isotropic, regularised by Drake's solver. A link meets a plane with spheres at its ends, as in our engine (Drake's capsule would have one
point), and obstacles with its capsule.

Drake is optional (extra `serpenoid[engines]`) and is imported on use.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from serpenoid.contact.springs import ground_springs
from serpenoid.core import Robot, World
from serpenoid.core.errors import InputError
from serpenoid.core.terrain import Box, Cylinder, Ground
from serpenoid.peers.native import native_friction

DIRECTION = {"yaw": [0.0, 0.0, 1.0], "pitch": [0.0, 1.0, 0.0], "roll": [1.0, 0.0, 0.0]}


def load_drake() -> Any:
    """Import Drake, or say how to get it."""
    try:
        import pydrake.all
    except ImportError as error:
        raise InputError(
            'this needs Drake, which is not installed; install it with: pip install "serpenoid[engines]"'
        ) from error
    return pydrake.all


@contextmanager
def silence() -> Iterator[None]:
    """Keep Drake's remark that half spaces do not touch deformable bodies off the terminal."""
    log = logging.getLogger("drake")
    before = log.level
    log.setLevel(logging.ERROR)
    try:
        yield
    finally:
        log.setLevel(before)


def _add_robot(drake: Any, plant: Any, robot: Robot) -> tuple[list[Any], list[Any]]:
    """Put a robot's links and joints into a plant; returns its bodies and the joints of its axes, tail first."""
    links: list[Any] = []
    axes: list[Any] = []
    axial: Any = robot.axial_inertia
    for i in range(robot.links):
        m, com = float(robot.link_mass[i]), np.array([robot.com_offset[i], 0.0, 0.0])
        about = drake.RotationalInertia(axial[i], robot.link_inertia[i], robot.link_inertia[i])
        inertia = drake.SpatialInertia.MakeFromCentralInertia(mass=m, p_PScm_E=com, I_SScm_E=about)
        body = plant.AddRigidBody(f"link{i}", inertia)
        if i > 0:
            offset = drake.RigidTransform([float(robot.link_length[i - 1]), 0.0, 0.0])
            inner = plant.AddFrame(drake.FixedOffsetFrame(f"end{i - 1}", links[-1].body_frame(), offset))
            turns = [kind for joint, kind in robot.axes if joint == i]
            for k, kind in enumerate(turns):
                last = k == len(turns) - 1
                outer = body if last else plant.AddRigidBody(f"cross{i}_{k}", drake.SpatialInertia.Zero())
                name, loss = f"{kind}{i}", float(robot.joint_damping[i - 1])
                joint = drake.RevoluteJoint(name, inner, outer.body_frame(), DIRECTION[kind], loss)
                axes.append(plant.AddJoint(joint))
                inner = outer.body_frame()
            if not turns:
                plant.AddJoint(drake.WeldJoint(f"lock{i}", inner, body.body_frame(), drake.RigidTransform()))
        links.append(body)
    return links, axes


def plant_of(robot: Robot, world: World, step: float = 0.0) -> tuple[Any, list[Any], list[Any]]:
    """Plant of a robot without contacts, its bodies and axes; step 0: continuous, accelerations as an output."""
    drake = load_drake()
    plant = drake.MultibodyPlant(step)
    if step > 0.0:
        plant.SetUseSampledOutputPorts(False)
    plant.mutable_gravity_field().set_gravity_vector([0.0, 0.0, -world.gravity])
    links, axes = _add_robot(drake, plant, robot)
    return plant, links, axes


def add_contacts(drake: Any, plant: Any, scene: Any, robot: Robot, world: World, links: list[Any]) -> None:
    """Geometries of links, ground and obstacles."""
    ground, mu = world.ground or Ground(), native_friction(world, heights=False)
    rest = robot.mass * world.gravity / (2.0 * robot.links)  # N, on one end of a link
    stiffness, damping = ground_springs(robot, world, plant.time_step())
    material = drake.ProximityProperties()
    drake.AddContactMaterial(
        dissipation=damping / max(rest, 1e-12), point_stiffness=2.0 * stiffness,
        friction=drake.CoulombFriction(mu, mu), properties=material,
    )  # fmt: skip
    along = drake.RotationMatrix.MakeYRotation(0.5 * np.pi)
    spheres, capsules, floor = [], [], []
    for i, body in enumerate(links):
        l, r = float(robot.link_length[i]), float(robot.radius[i])
        for e, x in enumerate((0.0, l)):
            at = drake.RigidTransform([x, 0.0, 0.0])
            spheres.append(plant.RegisterCollisionGeometry(body, at, drake.Sphere(r), f"end{i}_{e}", material))
        at = drake.RigidTransform(along, [0.5 * l, 0.0, 0.0])
        capsules.append(plant.RegisterCollisionGeometry(body, at, drake.Capsule(r, l), f"side{i}", material))
    if ground.plane:
        at, fixed = drake.HalfSpace.MakePose(ground.normal, np.zeros(3)), plant.world_body()
        floor.append(plant.RegisterCollisionGeometry(fixed, at, drake.HalfSpace(), "plane", material))
    things = _add_obstacles(drake, plant, world, material)
    group = drake.GeometrySet
    rule = drake.CollisionFilterDeclaration().ExcludeWithin(group([*spheres, *capsules]))
    rule.ExcludeBetween(group(spheres), group(things)).ExcludeBetween(group(capsules), group(floor))
    scene.collision_filter_manager().Apply(rule)


def _add_obstacles(drake: Any, plant: Any, world: World, material: Any) -> list[Any]:
    """Geometries of the obstacles."""
    things = []
    for k, o in enumerate(world.obstacles):
        if isinstance(o, Cylinder):
            turn = drake.RotationMatrix.MakeFromOneVector(np.array(o.axis), 2)
            at = drake.RigidTransform(turn, np.add(o.base, np.multiply(0.5 * o.length, o.axis)))
            shape = drake.Cylinder(o.radius, o.length)
        elif isinstance(o, Box):
            at = drake.RigidTransform(drake.RotationMatrix.MakeZRotation(o.yaw), np.array(o.centre))
            shape = drake.Box(*o.size)
        else:
            raise InputError(f"Drake's native contacts know cylinders and boxes, not {type(o).__name__}")
        things.append(plant.RegisterCollisionGeometry(plant.world_body(), at, shape, f"thing{k}", material))
    return things
