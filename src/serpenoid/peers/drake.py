"""Drake behind the same `Simulation`: with our contacts and joints, or with its own.

The plant (`peers.drake_plant`) is discrete: M (v' - v) = h (forces), q' = q + h v', with joint damping and gains of actuators at the end of the
step. A step is the plant's own discrete update, applied to its context.

`DrakeEngine`: no geometry; our contact forces are external spatial forces, our joint torques generalised forces, both found at the velocity
that the step reaches (`peers.ahead`).

`DrakeNativeEngine`: Drake's compliant point contacts: Hunt-Crossley damping, isotropic friction (`across` counts), regularised by Drake's
solver, without memory. Servos are `JointActuator` gains, tau = kp (aim' - q') - kd v' within their effort limit; Drake gives up stiffness
that a step cannot resolve (see `SapPdControllerConstraint` there). Stops are position limits. Gear friction, backlash and a
torque-speed line are refused: Drake has no such joints. Prescribed joints are servos of 100 J / h^2 with feed-forward of the rate.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from serpenoid.contact.joint import (
    BACKLASH,
    DAMPING_GAIN,
    DRIVEN,
    GEAR_FRICTION,
    NO_LOAD_SPEED,
    SERVO,
    STIFFNESS,
    STOP_HIGH,
    STOP_LOW,
    TORQUE_LIMIT,
    UNLIMITED,
)  # fmt: skip
from serpenoid.core import FloatArray, World
from serpenoid.core.errors import InputError
from serpenoid.peers.ahead import RIGID, LinkPoses
from serpenoid.peers.coordinates import Base, base_for
from serpenoid.peers.drake_plant import add_contacts, load_drake, plant_of, silence
from serpenoid.peers.engine import DivergedError, PeerEngine
from serpenoid.peers.native import NativeContact, count_native, native_friction, native_loads, native_note
from serpenoid.spatial.command import set_command
from serpenoid.spatial.layout import AIM, GAIT, HELD, MODE, PASSIVE, QP, TRACK, Q


class DrakeEngine(PeerEngine):
    """A robot in Drake with our contacts and joints."""

    NAME = "drake"

    def _build(self) -> None:
        self.drake = load_drake()
        self.plant, self.links, axes = plant_of(self.robot, self.world, self.dt)
        for k in np.flatnonzero(self.rotor):
            self.plant.AddJointActuator(f"rotor{k}", axes[k]).set_default_rotor_inertia(float(self.rotor[k]))
        self.plant.Finalize()
        self.root = self.plant.CreateDefaultContext()
        self._ready(self.plant, self.root)
        self.middle = self.plant.CreateDefaultContext()
        self.loads = self._loads()

    def _ready(self, system: Any, root: Any) -> None:
        """Remember what is stepped, and the plant's part of its context."""
        self.system, self.root = system, root
        self.context = root if system is self.plant else self.plant.GetMyMutableContextFromRoot(root)
        self.base = base_for()
        self.damped = np.concatenate([np.zeros(6), self.damping])

    def _place(self, base: Base, angles: FloatArray, rates: FloatArray) -> None:
        self.plant.SetPositions(self.context, np.concatenate([base.attitude, base.place, angles]))
        self.plant.SetVelocities(self.context, np.concatenate([base.spin, base.velocity, rates]))

    def _loads(self) -> list[Any]:
        """External forces at the links' centres of gravity."""
        loads = []
        for i, body in enumerate(self.links):
            load = self.drake.ExternallyAppliedSpatialForce()
            load.body_index, load.p_BoBq_B = body.index(), np.array([self.robot.com_offset[i], 0.0, 0.0])
            loads.append(load)
        return loads

    def _frames(self, context: Any) -> tuple[FloatArray, FloatArray]:
        """Places of the tail-side joints and rotation matrices of the links."""
        poses = self.plant.get_body_poses_output_port().Eval(context)
        rows = np.stack([poses[body.index()].GetAsMatrix34() for body in self.links])
        return np.ascontiguousarray(rows[:, :, 3]), np.ascontiguousarray(rows[:, :, :3])

    def _pose(self, context: Any) -> LinkPoses:
        """Links and motion axes in a context: the Jacobian of the head's body has those of all links in a serial chain."""
        plant = self.plant
        place, frames = self._frames(context)
        about, head = place[0].copy(), self.links[-1]
        point = frames[-1].T @ (about - place[-1])
        world = plant.world_frame()
        jacobian = plant.CalcJacobianSpatialVelocity(
            context, self.drake.JacobianWrtVariable.kV, head.body_frame(), point, world, world
        )
        return LinkPoses(place, frames, about, np.ascontiguousarray(jacobian.T))

    def _act(self, q: FloatArray, v: FloatArray) -> None:
        """Our forces and torques into the plant's inputs."""
        plant, context, h = self.plant, self.context, self.dt
        inertia = plant.CalcMassMatrix(context)
        pushed = plant.CalcGravityGeneralizedForces(context) - plant.CalcBiasTerm(context) - self.damped * v
        inertia[np.diag_indices(len(v))] += h * self.damped
        plant.SetPositions(self.middle, q + plant.MapVelocityToQDot(context, 0.5 * h * v))
        push = self._solve(self._pose(context), self._pose(self.middle), v, pushed, np.ascontiguousarray(inertia))
        for i, load in enumerate(self.loads):
            load.F_Bq_W = self.drake.SpatialForce(tau=push.torque[i], f=push.force[i])
        plant.get_applied_spatial_force_input_port().FixValue(context, self.loads)
        torque = push.motor - push.loss + push.stop
        plant.get_applied_generalized_force_input_port().FixValue(context, np.concatenate([np.zeros(6), torque]))

    def _step(self) -> tuple[Base, FloatArray, FloatArray]:
        self._act(self.plant.GetPositions(self.context), self.plant.GetVelocities(self.context))
        try:
            self._before()
            self.root.SetDiscreteState(self.system.EvalUniquePeriodicDiscreteUpdate(self.root))
        except RuntimeError as error:
            raise DivergedError(f"Drake's solver gave up: {error}") from error
        plant, base = self.plant, self.base  # `_act` may have built another one
        q, v = plant.GetPositions(self.context), plant.GetVelocities(self.context)
        base.attitude[:], base.place[:] = q[:4] / np.linalg.norm(q[:4]), q[4:7]
        base.spin[:], base.velocity[:] = v[:3], v[3:6]
        return base, q[7:], v[6:]

    def _before(self) -> None:
        """What is to be read from the package of the coming step."""

    def _package_arrays(self) -> dict[str, FloatArray]:
        return {
            "positions": self.plant.GetPositions(self.context),
            "velocities": self.plant.GetVelocities(self.context),
        }

    def _put_package(self, arrays: Mapping[str, FloatArray]) -> None:
        self.plant.SetPositions(self.context, arrays["positions"])
        self.plant.SetVelocities(self.context, arrays["velocities"])


class DrakeNativeEngine(DrakeEngine):
    """A robot in Drake with its own contacts and actuators."""

    NAME = "drake-native"
    NATIVE = True

    def _check_native(self, world: World) -> None:
        super()._check_native(world)
        native_friction(world, heights=False)

    def _build(self) -> None:
        act = self.constants.chain.actuators
        for name, lacking in (
            ("gear friction", act[GEAR_FRICTION] > 0.0), ("backlash", act[BACKLASH] > 0.0),
            ("a torque-speed line", act[NO_LOAD_SPEED] < UNLIMITED),
        ):  # fmt: skip
            if lacking.any():
                raise InputError(
                    f'Drake\'s own joints have no {name.removeprefix("a ")}; use engine = "drake", which has our joints'
                )
        self.drake = load_drake()
        self.built: tuple[bool, ...] | None = None
        self._rebuild()

    def _aimed(self) -> FloatArray:
        """Which axes are held at angles in the coming step: by servos, or because they are prescribed."""
        act, dofs = self.constants.chain.actuators, self.state.dofs
        aimed = self.state.motion[MODE] in (GAIT, TRACK)
        return np.asarray((dofs[PASSIVE] == 0.0) & (act[DRIVEN] > 0.0) & aimed & (self.ideal | (act[SERVO] > 0.0)))

    def _rebuild(self) -> None:
        """A plant whose actuators are those of the axes that are held now: Drake's gains cannot change."""
        drake, act, on = self.drake, self.constants.chain.actuators, self._aimed()
        if self.built == tuple(on):
            return
        state = None if self.built is None else self._package_arrays()
        self.built, self.held = tuple(on), np.flatnonzero(on)
        plant, self.links, axes = plant_of(self.robot, self.world, self.dt)
        for k, axis in enumerate(axes):
            if act[STOP_HIGH, k] < UNLIMITED:
                axis.set_position_limits([act[STOP_LOW, k]], [act[STOP_HIGH, k]])
            limit = float(act[TORQUE_LIMIT, k]) if not self.ideal and act[TORQUE_LIMIT, k] < UNLIMITED else np.inf
            if on[k] or self.rotor[k] > 0.0:
                motor = plant.AddJointActuator(f"motor{k}", axis, limit if on[k] else np.inf)
                motor.set_default_rotor_inertia(float(self.rotor[k]))
            if on[k]:
                kp, kd = (
                    (self.stiffness, self.dt * self.stiffness) if self.ideal else act[STIFFNESS : DAMPING_GAIN + 1, k]
                )
                motor.set_controller_gains(drake.PdControllerGains(p=float(kp), d=float(kd)))
        builder = drake.DiagramBuilder()
        self.plant, scene = drake.AddMultibodyPlantSceneGraph(builder, plant)
        add_contacts(drake, self.plant, scene, self.robot, self.world, self.links)
        self.plant.Finalize()
        with silence():
            diagram = builder.Build()
            self._ready(diagram, diagram.CreateDefaultContext())
        if state is not None:
            self._put_package(state)

    def _act(self, q: FloatArray, v: FloatArray) -> None:
        """The command into gains or torques."""
        state, act = self.state, self.constants.chain.actuators
        self._rebuild()
        if not set_command(self.constants, state, self.scratch, (self.done + 1) * self.dt, self.dt):
            raise InputError("the kind of the gait or the drive is not one that the kernels know")
        aimed = state.motion[MODE] in (GAIT, TRACK)
        self.torque = np.where((state.dofs[PASSIVE] == 0.0) & (not aimed), state.dofs[HELD] * act[DRIVEN], 0.0)
        port = self.plant.get_applied_generalized_force_input_port()
        port.FixValue(self.context, np.concatenate([np.zeros(6), self.torque]))
        if len(self.held):
            axes = self.scratch.axes
            angles = axes[Q] if self.ideal else state.dofs[AIM]
            rates = axes[QP] if self.ideal else np.zeros(len(self.torque))
            desired = self.plant.get_desired_state_input_port(self.links[0].model_instance())
            desired.FixValue(self.context, np.concatenate([angles[self.held], rates[self.held]]))

    def _before(self) -> None:
        motor = self.push_out.motor
        motor[:] = self.torque
        if len(self.held):
            applied = self.plant.get_net_actuation_output_port().Eval(self.context)
            motor[self.held] += [applied[a.input_start()] for a in self._motors()]
        results = self.plant.get_contact_results_output_port().Eval(self.context)
        pairs = [results.point_pair_contact_info(k) for k in range(results.num_point_pair_contacts())]
        press = [float(-np.dot(pair.contact_force(), pair.point_pair().nhat_BA_W)) for pair in pairs]
        count_native(self.state.sums, self.dt, np.array(press))
        if self.looked:
            found = [self._contact(pair, n) for pair, n in zip(pairs, press, strict=True) if n > 0.0]
            native_loads(self.state.loads, self._frames(self.context)[1][:, :, 0], found)

    def _motors(self) -> list[Any]:
        return [self.plant.GetJointActuatorByName(f"motor{k}") for k in self.held]

    def _contact(self, info: Any, press: float) -> NativeContact:
        """A contact of the coming step; Drake gives the force on body B and the normal from B to A."""
        number = {int(body.index()): i for i, body in enumerate(self.links)}
        on_b = int(info.bodyB_index()) in number
        sign = 1.0 if on_b else -1.0
        link = number[int(info.bodyB_index() if on_b else info.bodyA_index())]
        normal = -sign * np.asarray(info.point_pair().nhat_BA_W)
        return NativeContact(
            link, np.asarray(info.contact_point()), normal, sign * np.asarray(info.contact_force()), press
        )

    def _contact_note(self) -> str:
        return f"{native_note(self.world)}; Hunt-Crossley damping, {self.plant.get_discrete_contact_approximation()}"

    def _joint_note(self) -> str:
        return f"servos of {RIGID:g} J/h^2"
