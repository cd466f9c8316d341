"""MuJoCo behind the same `Simulation`: with our contacts and joints, or with its own.

The model (`peers.mujoco_model`) has a free joint at the tail's end and one hinge per axis. MuJoCo's `implicitfast` steps

    (M + h D) (v' - v) = h (forces at q, v)        q' = q + h v'

with D the joints' damping and what its actuators have of it.

`MujocoEngine`: contacts are off; our contact forces go into `xfrc_applied`, our joint torques into `qfrc_applied`, both found at the velocity
that the step reaches (`peers.ahead`).

`MujocoNativeEngine`: soft contacts with an elliptic cone; their stiffness follows the masses that meet (`SOLREF`), friction is isotropic
(`across` counts), neither smoothed nor with memory; a height field is made of triangles and ends at its edge. Servos are actuators
tau = kp (aim' - q') - kd v', all at the end of the step: since kv is implicit, kv = kd + h kp and the control aim' are exactly that.
Gear friction is `frictionloss`, stops are joint limits. Backlash and the motor's torque-speed line are taken at the begin of the step.
Prescribed joints are equality constraints.
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
from serpenoid.core import FloatArray
from serpenoid.core.errors import InputError
from serpenoid.peers.ahead import LinkPoses
from serpenoid.peers.coordinates import Base, base_for
from serpenoid.peers.engine import DivergedError, PeerEngine
from serpenoid.peers.mujoco_model import IMPEDANCE, IMPRATIO, SOLREF, load_mujoco, model_of, silence
from serpenoid.peers.native import NativeContact, count_native, native_loads, native_note
from serpenoid.spatial.command import set_command
from serpenoid.spatial.layout import AIM, GAIT, HELD, MODE, PASSIVE, QP, TRACK, Q


def put_state(data: Any, base: Base, angles: FloatArray, rates: FloatArray) -> None:
    """Put a MuJoCo state into a pose and its velocities."""
    data.qpos[:3], data.qpos[3:7], data.qpos[7:] = base.place, base.attitude, angles
    back = base.attitude * [1.0, -1.0, -1.0, -1.0]
    load_mujoco().mju_rotVecQuat(data.qvel[3:6], base.spin, back)  # in the axes of link 0
    data.qvel[:3], data.qvel[6:] = base.velocity, rates


class MujocoEngine(PeerEngine):
    """A robot in MuJoCo with our contacts and joints."""

    NAME = "mujoco"

    def _build(self) -> None:
        self.mujoco = load_mujoco()
        self.model = self._model()
        self.data, self.middle = self.mujoco.MjData(self.model), self.mujoco.MjData(self.model)
        self.inertia = np.zeros((self.model.nv, self.model.nv))
        self.base = base_for()

    def _model(self) -> Any:
        return model_of(self.robot, self.world, self.dt, rotor=self.rotor)

    def _place(self, base: Base, angles: FloatArray, rates: FloatArray) -> None:
        put_state(self.data, base, angles, rates)

    def _pose(self, data: Any) -> LinkPoses:
        """Links and motion axes of a MuJoCo state."""
        return LinkPoses(data.xpos[1:], data.xmat[1:].reshape(-1, 3, 3), data.subtree_com[1], data.cdof)

    def _act(self) -> None:
        """Our forces and torques; positions and velocities of the step are set."""
        mujoco, m, d, middle = self.mujoco, self.model, self.data, self.middle
        mujoco.mj_fullM(m, d, self.inertia)
        self.inertia.flat[:: m.nv + 1] += self.dt * m.dof_damping
        middle.qpos[:] = d.qpos
        mujoco.mj_integratePos(m, middle.qpos, d.qvel, 0.5 * self.dt)
        mujoco.mj_kinematics(m, middle)
        mujoco.mj_comPos(m, middle)
        pushed = d.qfrc_passive - d.qfrc_bias
        push = self._solve(self._pose(d), self._pose(middle), d.qvel, pushed, self.inertia)
        d.xfrc_applied[1:, :3], d.xfrc_applied[1:, 3:] = push.force, push.torque
        d.qfrc_applied[6:] = push.motor - push.loss + push.stop

    def _step(self) -> tuple[Base, FloatArray, FloatArray]:
        mujoco, m, d, base = self.mujoco, self.model, self.data, self.base
        d.time = 1.0  # MuJoCo resets a state that diverged to time 0, and only warns
        mujoco.mj_step1(m, d)
        self._act()
        mujoco.mj_step2(m, d)
        if d.time < 1.0:
            raise DivergedError("MuJoCo has reset a state that diverged")
        self._after()
        base.place[:], base.attitude[:], base.velocity[:] = d.qpos[:3], d.qpos[3:7], d.qvel[:3]
        mujoco.mju_rotVecQuat(base.spin, d.qvel[3:6], d.qpos[3:7])
        return base, d.qpos[7:], d.qvel[6:]

    def _march(self, to: int) -> int:
        with silence(self.mujoco):
            return super()._march(to)

    def _after(self) -> None:
        """What is to be read from the package after a step."""

    def _package_arrays(self) -> dict[str, FloatArray]:
        d = self.data
        return {"qpos": d.qpos, "qvel": d.qvel, "warmstart": d.qacc_warmstart}

    def _put_package(self, arrays: Mapping[str, FloatArray]) -> None:
        d = self.data
        d.qpos[:], d.qvel[:], d.qacc_warmstart[:] = arrays["qpos"], arrays["qvel"], arrays["warmstart"]


class MujocoNativeEngine(MujocoEngine):
    """A robot in MuJoCo with its own contacts and actuators."""

    NAME = "mujoco-native"
    NATIVE = True

    def _model(self) -> Any:
        act, m = self.constants.chain.actuators, len(self.robot.axes)
        zero = np.zeros(m)
        robot = (
            self.robot.but(limp=()) if self.robot.limp else self.robot
        )  # an actuator on every axis, some without gains
        model = model_of(
            robot, self.world, self.dt, gains=(zero, zero, np.inf), native=True, tied=self.ideal, rotor=self.rotor
        )
        model.dof_frictionloss[6:] = act[GEAR_FRICTION]
        stopped = act[STOP_HIGH] < UNLIMITED
        model.jnt_limited[1:] = stopped
        model.jnt_range[1:][stopped] = act[STOP_LOW : STOP_HIGH + 1].T[stopped]
        model.jnt_solref[1:] = [2.0 * self.dt, 1.0]
        limited = act[TORQUE_LIMIT] < UNLIMITED
        model.actuator_forcelimited[:] = limited
        self.kp, self.kd = act[STIFFNESS] * act[DRIVEN], act[DAMPING_GAIN] * act[DRIVEN]
        self.limit = act[TORQUE_LIMIT]
        self.lead = 4.0 * self.dt * IMPEDANCE  # s: what a rate asked for adds to the angle asked for
        return model

    def _act(self) -> None:
        """The command into actuators, constraints or torques."""
        m, d, state, act = self.model, self.data, self.state, self.constants.chain.actuators
        if not set_command(self.constants, state, self.scratch, (self.done + 1) * self.dt, self.dt):
            raise InputError("the kind of the gait or the drive is not one that the kernels know")
        dofs, axes = state.dofs, self.scratch.axes
        active = dofs[PASSIVE] == 0.0
        aimed = state.motion[MODE] in (GAIT, TRACK)
        self.servo = active & aimed & (act[SERVO] > 0.0) & (not self.ideal)
        d.qfrc_applied[6:] = np.where(active & (not aimed), dofs[HELD] * act[DRIVEN], 0.0)
        if self.ideal:
            d.eq_active[:] = active & aimed & (act[DRIVEN] > 0.0)
            m.eq_data[:, 0] = axes[Q] + self.lead * axes[QP]
        else:
            self._set_servos(act, dofs[AIM])
        self.before = d.qvel[6:].copy()

    def _set_servos(self, act: FloatArray, aim: FloatArray) -> None:
        """Gains, limits and controls of the actuators; play and the motor's line at the begin of the step."""
        m, d, h = self.model, self.data, self.dt
        angle, rate = d.qpos[7:], d.qvel[6:]
        # within the play nothing aims, but the motor brakes
        error, play = aim - angle, act[BACKLASH]
        side = np.copysign(1.0, error)
        on = self.servo & (np.abs(error) >= play)
        self.kv = np.where(self.servo, self.kd, 0.0) + np.where(on, h * self.kp, 0.0)
        m.actuator_gainprm[:, 0] = np.where(on, self.kp, 0.0)
        m.actuator_biasprm[:, 1], m.actuator_biasprm[:, 2] = -m.actuator_gainprm[:, 0], -self.kv
        line = np.where(act[NO_LOAD_SPEED] < UNLIMITED, self.limit / act[NO_LOAD_SPEED], 0.0)
        m.actuator_forcerange[:, 0] = -self.limit - line * np.minimum(rate, 0.0)
        m.actuator_forcerange[:, 1] = self.limit - line * np.maximum(rate, 0.0)
        d.ctrl[:] = aim - side * play

    def _after(self) -> None:
        m, d, motor = self.model, self.data, self.push_out.motor
        motor[:] = d.qfrc_applied[6:]
        if self.ideal:
            rows = np.flatnonzero(d.efc_type == self.mujoco.mjtConstraint.mjCNSTR_EQUALITY)
            motor[d.efc_id[rows]] += d.efc_force[rows]
        else:  # kv was implicit: what an actuator applied has the rate at the end of the step
            force = d.actuator_force
            free = (force > m.actuator_forcerange[:, 0]) & (force < m.actuator_forcerange[:, 1])
            free |= self.limit >= UNLIMITED
            motor += force - self.kv * (d.qvel[6:] - self.before) * free
        address = d.contact.efc_address
        count_native(self.state.sums, self.dt, d.efc_force[address[address >= 0]])
        if self.looked:
            native_loads(self.state.loads, d.xmat[1:].reshape(-1, 3, 3)[:, :, 0], self._contacts())

    def _contacts(self) -> list[NativeContact]:
        """Contacts of the step that press."""
        m, d, found = self.model, self.data, []
        wrench = np.zeros(6)
        for i in range(d.ncon):
            contact = d.contact[i]
            if contact.efc_address < 0:
                continue
            self.mujoco.mj_contactForce(m, d, i, wrench)
            if wrench[0] <= 0.0:
                continue
            frame = contact.frame.reshape(3, 3)
            second = m.geom_bodyid[contact.geom2] > 0  # the normal points from the first geometry to the second
            sign = 1.0 if second else -1.0
            link = int(m.geom_bodyid[contact.geom2 if second else contact.geom1]) - 1
            found.append(
                NativeContact(
                    link, contact.pos.copy(), sign * frame[0], sign * (frame.T @ wrench[:3]), float(wrench[0])
                )
            )
        return found

    def _contact_note(self) -> str:
        said = f"{native_note(self.world)}; solref {SOLREF[0]:g} {SOLREF[1]:g}, impratio {IMPRATIO:g}, elliptic cone"
        act = self.constants.chain.actuators
        if np.any(act[BACKLASH] > 0.0) or np.any(act[NO_LOAD_SPEED] < UNLIMITED):
            said += "; backlash and torque-speed line at the begin of the step"
        if np.any(act[GEAR_FRICTION] > 0.0) or np.any(act[STOP_HIGH] < UNLIMITED):
            said += "; gear friction and stops are MuJoCo's own"
        return said

    def _joint_note(self) -> str:
        return "equality constraints"


__all__ = ["MujocoEngine", "MujocoNativeEngine", "put_state"]
