"""Drake as a third opinion in space: the same robot, world and gait, with our ground law applied or Drake's own contacts.

A discrete `MultibodyPlant`: link 0 floats, every axis is a revolute joint, two axes of one joint meet in a body without mass. So
v = (angular velocity, velocity of link 0, joint rates). Drake steps

    M (v' - v) = h (forces)        q' = q + h v'

with joint damping and servos (`JointActuator` gains) at the end of the step, tau = kp (aim' - q') + kd (rate' - v').

| argument | choices |
|---|---|
| `native` | False: no geometry, our law (`engines.applied`) as external spatial forces; True: Drake's compliant point contacts |
| `application` | of our law: "ahead" (at the velocity that the step reaches), "present" (explicit; needs small steps) |
| `mode` | "servo"; "shape": prescribed joints, by gains kp = 100 J / h^2, kd = h kp, J = m L^2 / 12 of the whole body |

Native contacts differ from ours: N = k x (1 + d x') (Hunt and Crossley) with our k, and d such that the damping is ours under
the load at rest; friction is isotropic (`across` counts), regularised by Drake's solver, without memory. A link meets a plane with
spheres at its ends, as in our engine (Drake's capsule would have one point), and obstacles with its capsule. Drake gives up
stiffness of servos that a step cannot resolve; see `SapPdControllerConstraint` there.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from serpenoid.core import FloatArray, Robot, Start, World
from serpenoid.core.actuator import Servo
from serpenoid.core.errors import InputError
from serpenoid.core.terrain import Box, Cylinder, Ground
from serpenoid.peers.ground import AppliedGround, Pose
from serpenoid.peers.motion import RIGID, Motion, Recorder, Setup, check_choice, native_friction, native_note
from serpenoid.spatial._old.kinematics import YAW, axes_of


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


def add_robot(drake: Any, plant: Any, robot: Robot) -> tuple[list[Any], list[Any]]:
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
            turns = axes_of(robot, i)
            for k, a in enumerate(turns):
                last = k == len(turns) - 1
                outer = body if last else plant.AddRigidBody(f"cross{i}", drake.SpatialInertia.Zero())
                direction = [0.0, 0.0, 1.0] if a == YAW else [0.0, 1.0, 0.0]
                name, loss = f"{'yaw' if a == YAW else 'pitch'}{i}", float(robot.joint_damping[i - 1])
                axes.append(plant.AddJoint(drake.RevoluteJoint(name, inner, outer.body_frame(), direction, loss)))
                inner = outer.body_frame()
            if not turns:
                plant.AddJoint(drake.WeldJoint(f"lock{i}", inner, body.body_frame(), drake.RigidTransform()))
        links.append(body)
    return links, axes


def plant_of(robot: Robot, world: World, step: float = 0.0) -> tuple[Any, list[Any], list[Any]]:
    """Plant of a robot without contacts, its bodies and axes; step 0: continuous, accelerations as an output."""
    drake = load_drake()
    plant = drake.MultibodyPlant(step)
    plant.mutable_gravity_field().set_gravity_vector([0.0, 0.0, -world.gravity])
    links, axes = add_robot(drake, plant, robot)
    return plant, links, axes


def add_contacts(drake: Any, plant: Any, scene: Any, robot: Robot, world: World, links: list[Any]) -> None:
    """Geometries of links, ground and obstacles."""
    ground, mu = world.ground or Ground(), native_friction(world, heights=False)
    rest = robot.mass * world.gravity / (2.0 * robot.links)  # N, on one end of a link
    material = drake.ProximityProperties()
    drake.AddContactMaterial(
        dissipation=ground.damping / max(rest, 1e-12), point_stiffness=2.0 * ground.stiffness,
        friction=drake.CoulombFriction(mu, mu), properties=material,
    )  # fmt: skip
    along = drake.RotationMatrix.MakeYRotation(0.5 * np.pi)
    spheres, capsules, floor, things = [], [], [], []
    for i, body in enumerate(links):
        l, r = float(robot.link_length[i]), float(robot.radius[i])
        for e, x in enumerate((0.0, l)):
            at = drake.RigidTransform([x, 0.0, 0.0])
            spheres.append(plant.RegisterCollisionGeometry(body, at, drake.Sphere(r), f"end{i}_{e}", material))
        at = drake.RigidTransform(along, [0.5 * l, 0.0, 0.0])
        capsules.append(plant.RegisterCollisionGeometry(body, at, drake.Capsule(r, l), f"side{i}", material))
    fixed = plant.world_body()
    if ground.plane:
        at = drake.HalfSpace.MakePose(ground.normal, np.zeros(3))
        floor.append(plant.RegisterCollisionGeometry(fixed, at, drake.HalfSpace(), "plane", material))
    for k, o in enumerate(world.obstacles):
        if isinstance(o, Cylinder):
            turn = drake.RotationMatrix.MakeFromOneVector(np.array(o.axis), 2)
            at = drake.RigidTransform(turn, np.add(o.base, np.multiply(0.5 * o.length, o.axis)))
            shape = drake.Cylinder(o.radius, o.length)
        elif isinstance(o, Box):
            at = drake.RigidTransform(drake.RotationMatrix.MakeZRotation(o.yaw), np.array(o.centre))
            shape = drake.Box(*o.size)
        things.append(plant.RegisterCollisionGeometry(fixed, at, shape, f"thing{k}", material))
    group = drake.GeometrySet
    rule = drake.CollisionFilterDeclaration().ExcludeWithin(group([*spheres, *capsules]))
    rule.ExcludeBetween(group(spheres), group(things)).ExcludeBetween(group(capsules), group(floor))
    scene.collision_filter_manager().Apply(rule)


class Stepper:
    """One Drake plant in time."""

    def __init__(self, robot: Robot, world: World, setup: Setup, step: float, native: bool, application: str) -> None:
        self.drake = drake = load_drake()
        self.setup, self.step, self.native, self.ahead = setup, step, native, application == "ahead"
        self.driven, self.reach = setup.driven, setup.reach
        self.kp, self.kd, self.limit = setup.gains(step)
        self.damping = np.concatenate([np.zeros(6), setup.damping])
        self.plant, self.links, axes = plant_of(robot, world, step)
        self._actuate(axes)
        if native:
            builder = drake.DiagramBuilder()
            self.plant, scene = drake.AddMultibodyPlantSceneGraph(builder, self.plant)
            add_contacts(drake, self.plant, scene, robot, world, self.links)
        self.plant.Finalize()
        with silence():
            self.simulator = drake.Simulator(builder.Build() if native else self.plant)
        self.context = self.plant.GetMyMutableContextFromRoot(self.simulator.get_mutable_context())
        self.middle = self.plant.CreateDefaultContext()
        self.plant.SetPositions(self.context, np.concatenate([setup.attitude, setup.place, setup.angles]))
        self.plant.SetVelocities(self.context, np.concatenate([setup.spin, setup.velocity, setup.rates]))
        self.ground = None if native else AppliedGround(robot, world, step)
        self.loads = self._loads(robot)

    def _actuate(self, axes: list[Any]) -> None:
        gains = self.drake.PdControllerGains(p=self.kp, d=self.kd)
        for k in self.driven:
            actuator = self.plant.AddJointActuator(f"motor{k}", axes[k], self.limit)
            actuator.set_controller_gains(gains)

    def _loads(self, robot: Robot) -> list[Any]:
        """External forces at the links' centres of gravity."""
        loads = []
        for i, body in enumerate(self.links):
            load = self.drake.ExternallyAppliedSpatialForce()
            load.body_index, load.p_BoBq_B = body.index(), np.array([robot.com_offset[i], 0.0, 0.0])
            loads.append(load)
        return loads

    def pose(self, context: Any) -> Pose:
        """Links and motion axes in a context: the Jacobian of the head's body has those of all links in a serial chain."""
        plant = self.plant
        poses = plant.get_body_poses_output_port().Eval(context)
        rows = np.stack([poses[body.index()].GetAsMatrix34() for body in self.links])
        place, frames = np.ascontiguousarray(rows[:, :, 3]), np.ascontiguousarray(rows[:, :, :3])
        about, head = place[0].copy(), self.links[-1]
        point = frames[-1].T @ (about - place[-1])
        world = plant.world_frame()
        jacobian = plant.CalcJacobianSpatialVelocity(
            context, self.drake.JacobianWrtVariable.kV, head.body_frame(), point, world, world
        )
        return Pose(place, frames, about, np.ascontiguousarray(jacobian.T))

    def inertia_and_forces(
        self, q: FloatArray, v: FloatArray, angles: FloatArray, rates: FloatArray
    ) -> tuple[Any, Any]:
        """Inertia matrix with what Drake treats implicitly, and the generalised forces at the present state."""
        plant, context, h = self.plant, self.context, self.step
        inertia = plant.CalcMassMatrix(context)
        pushed = plant.CalcGravityGeneralizedForces(context) - plant.CalcBiasTerm(context) - self.damping * v
        implicit, k = self.damping.copy(), self.driven
        torque = self.kp * (angles - q[7:] - h * v[6:])[k] + self.kd * (rates - v[6:])[k]
        free = np.abs(torque) < self.limit
        pushed[6 + k] += np.clip(torque, -self.limit, self.limit)
        implicit[6 + k] += (self.kd + h * self.kp) * free
        inertia[np.diag_indices(len(v))] += h * implicit
        return np.ascontiguousarray(inertia), pushed

    def push(self, q: FloatArray, v: FloatArray, angles: FloatArray, rates: FloatArray) -> None:
        """Our forces into the plant's input."""
        assert self.ground is not None
        plant, now = self.plant, self.pose(self.context)
        if not self.ahead:
            twists = np.cumsum(now.axes * v[:, None], axis=0)[self.reach - 1]
            spin = np.ascontiguousarray(twists[:, :3])
            velocity = twists[:, 3:] + np.cross(spin, now.place - now.about)
            force, torque = self.ground.forces(now.place, now.frames, spin, velocity)
        else:
            inertia, pushed = self.inertia_and_forces(q, v, angles, rates)
            half = plant.MapVelocityToQDot(self.context, 0.5 * self.step * v)
            plant.SetPositions(self.middle, q + half)
            force, torque = self.ground.forces_ahead(now, self.pose(self.middle), self.reach, v, pushed, inertia)
        for i, load in enumerate(self.loads):
            load.F_Bq_W = self.drake.SpatialForce(tau=torque[i], f=force[i])
        plant.get_applied_spatial_force_input_port().FixValue(self.context, self.loads)

    def advance(self, t: float, recorder: Recorder) -> None:
        """One step to time t."""
        plant, context, k = self.plant, self.context, self.driven
        angles, rates = self.setup.aim(t, self.step)
        q, v = plant.GetPositions(context), plant.GetVelocities(context)
        if len(k):
            port = plant.get_desired_state_input_port(self.links[0].model_instance())
            port.FixValue(context, np.concatenate([angles[k], rates[k]]))
        if self.ground is not None:
            self.push(q, v, angles, rates)
        self.simulator.AdvanceTo(t)
        after = plant.GetPositions(context)
        if not np.isfinite(after).all():
            raise RuntimeError("not finite")
        recorder.work(plant.get_net_actuation_output_port().Eval(context), (after - q)[7 + k])
        if self.setup.shape:
            recorder.follow(after[7:], angles)
        if self.ground is not None:
            recorder.touch(self.ground.contacts, self.ground.normal_force)
        else:
            self.count(recorder)

    def count(self, recorder: Recorder) -> None:
        """Native contacts of the last step."""
        results = self.plant.get_contact_results_output_port().Eval(self.context)
        pairs = [results.point_pair_contact_info(i) for i in range(results.num_point_pair_contacts())]
        normal = [abs(float(np.dot(p.contact_force(), p.point_pair().nhat_BA_W))) for p in pairs]
        recorder.touch(float(sum(n > 0.0 for n in normal)), max(normal, default=0.0))

    def note(self, world: World, recorder: Recorder) -> str:
        """What differs from our own engine."""
        if self.native:
            said = [
                native_note(world),
                "Hunt-Crossley damping, " + str(self.plant.get_discrete_contact_approximation()),
            ]
        else:
            said = ["our law at the velocity the step reaches" if self.ahead else "our law at present velocities"]
        if self.setup.shape:
            said.append(f"joints prescribed by servos of {RIGID:g} J/h^2, within {recorder.stray:.1e} rad")
        return "; ".join(said)


def simulate(
    robot: Robot, gait: Any, world: World, start: Start | None = None, *, mode: str = "servo", servo: Servo | None = None,
    duration: float, step: float = 1e-3, native: bool = False, record_interval: float = 0.02, application: str = "ahead",
    substeps: int = 1,
) -> Motion:  # fmt: skip
    """Run a gait in Drake; `substeps` divides the step, for our law applied at the present velocities."""
    check_choice(application, substeps)
    setup = Setup(robot, gait, world, start or Start(), mode, servo, duration)
    recorder = Recorder(robot, duration, step / substeps, record_interval)
    stepper = Stepper(robot, world, setup, recorder.step, native, application)
    recorder.frame(*stepper.pose(stepper.context)[:2])
    stepper.simulator.Initialize()
    started, busy = time.perf_counter(), time.thread_time()
    for k in range(recorder.steps):
        if k == 1:
            started, busy = time.perf_counter(), time.thread_time()
        try:
            stepper.advance((k + 1) * recorder.step, recorder)
        except RuntimeError:  # its solver gave up
            recorder.good = False
            break
        if recorder.due(k + 1):
            recorder.frame(*stepper.pose(stepper.context)[:2])
    cpu, wall = time.thread_time() - busy, time.perf_counter() - started
    return recorder.motion("drake", wall, cpu, stepper.note(world, recorder))
