"""MuJoCo as a second opinion in space: the same robot, world and gait, with our ground law applied or MuJoCo's own contacts.

The model has a free joint at the tail's end and one hinge an axis, so v = (velocity, angular velocity of link 0, joint rates).
Mass, inertia and centre of gravity of every link are given explicitly. The integrator is `implicitfast`.

| argument | choices |
|---|---|
| `native` | False: contacts off, our law (`engines.applied`) in `xfrc_applied`; True: MuJoCo's soft contacts, elliptic cone |
| `application` | of our law: "ahead" (at the velocity that the step reaches), "present" (explicit; needs small steps) |
| `mode` | "servo": actuators with the law of MuJoCo's `position`; "shape": prescribed joints, by very stiff ones (our law) or equality constraints (native) |

Servos are tau = kp (aim' - q') - kd v', all at the end of the step: since MuJoCo steps q' = q + h v' and takes an actuator's
kv implicitly, kv = kd + h kp and the control aim' are exactly that. Prescribed joints are the same with
kp = 100 J / h^2, kd = h kp and feed-forward of the rate, J = m L^2 / 12 of the whole body: they follow within tau / kp.

Native contacts differ from ours: their stiffness follows the masses that meet (`SOLREF`), friction is isotropic (`across` counts),
neither smoothed nor with memory; a height field is made of triangles and ends at its edge. Contacts among links are off, as in
our engine.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from serpenoid.core import FloatArray, Robot, Start, World
from serpenoid.core.actuator import Servo
from serpenoid.core.terrain import Box, Cylinder, Ground
from serpenoid.peers.ground import AppliedGround, Pose
from serpenoid.peers.motion import RIGID, Motion, Recorder, Setup, check_choice, native_friction, native_note
from serpenoid.peers.mujoco_planar import load_mujoco, silence
from serpenoid.spatial._old.kinematics import YAW, axes_of

SOLREF = "0.01 1"  # time constant (s) and damping ratio of native contacts
IMPRATIO = 10.0  # friction to normal impedance of native contacts
BASE = 1.0  # m, thickness of a height field
IMPEDANCE = 0.9999  # of the equality constraints that prescribe joints


def _numbers(*values: float) -> str:
    return " ".join(repr(float(v)) for v in values)


def _terrain(world: World) -> tuple[str, str]:
    """Assets and geometries of ground and obstacles."""
    ground, mu = world.ground or Ground(), native_friction(world, heights=True)
    shared = f'contype="0" conaffinity="1" {_touch(mu)}'
    assets, parts = "", []
    if ground.heights is not None:
        h, cell, origin = ground.heights.heights, ground.heights.cell, ground.heights.origin
        half = [0.5 * cell * (count - 1) for count in h.shape[::-1]]
        assets = (
            f'<hfield name="field" nrow="{h.shape[0]}" ncol="{h.shape[1]}" size="{_numbers(*half, _span(h), BASE)}"/>'
        )
        at = _numbers(origin[0] + half[0], origin[1] + half[1], h.min())
        parts.append(f'<geom type="hfield" hfield="field" pos="{at}" {shared}/>')
    elif ground.plane:
        parts.append(f'<geom type="plane" size="0 0 1" zaxis="{_numbers(*ground.normal)}" {shared}/>')
    for o in world.obstacles:
        if isinstance(o, Cylinder):
            ends = _numbers(*o.base, *np.add(o.base, np.multiply(o.length, o.axis)))
            parts.append(f'<geom type="cylinder" size="{o.radius!r}" fromto="{ends}" {shared}/>')
        elif isinstance(o, Box):
            half, turn = np.multiply(0.5, o.size).tolist(), (np.cos(0.5 * o.yaw), 0.0, 0.0, np.sin(0.5 * o.yaw))
            where = f'pos="{_numbers(*o.centre)}" quat="{_numbers(*turn)}"'
            parts.append(f'<geom type="box" size="{_numbers(*half)}" {where} {shared}/>')
    return assets, "".join(parts)


def _touch(mu: float) -> str:
    """Contact attributes of a geometry."""
    return f'friction="{_numbers(mu, 0.005, 0.0001)}" solref="{SOLREF}" condim="{3 if mu > 0.0 else 1}"'


def _span(heights: FloatArray) -> float:
    return max(float(np.ptp(heights)), 1e-6)


def _joint(robot: Robot, i: int, a: int) -> tuple[str, str]:
    """Name of an axis and its hinge."""
    name, axis = (f"yaw{i}", "0 0 1") if a == YAW else (f"pitch{i}", "0 1 0")
    return name, f'<joint name="{name}" type="hinge" axis="{axis}" damping="{_numbers(robot.joint_damping[i - 1])}"/>'


def model_xml(
    robot: Robot, world: World, step: float = 1e-3, *, gains: tuple[float, float, float] | None = None, native: bool = False,
    tied: bool = False,
) -> str:  # fmt: skip
    """Describe robot and world as MJCF; `gains` kp, kv and torque limit of actuators; `tied`: joints held by equalities."""
    assets, terrain = _terrain(world) if native else ("", "")
    touch = f'contype="1" conaffinity="0" {_touch(native_friction(world, heights=True))}' if native else ""
    bodies, servos, ties = [], [], []
    axial: Any = robot.axial_inertia
    for i in range(robot.links):
        bodies.append(f'<body name="link{i}" pos="{_numbers(robot.link_length[i - 1] if i else 0.0, 0, 0)}">')
        bodies.append("<freejoint/>" if i == 0 else "")
        for a in axes_of(robot, i) if i else ():
            name, joint = _joint(robot, i, a)
            bodies.append(joint)
            if i not in robot.limp and gains is not None:
                kp, kv, most = gains
                limit = f'forcelimited="true" forcerange="{_numbers(-most, most)}"' if np.isfinite(most) else ""
                law = f'biastype="affine" gainprm="{_numbers(kp)}" biasprm="{_numbers(0, -kp, -kv)}"'
                servos.append(f'<general joint="{name}" {law} {limit}/>')
            stiff = f'solref="{_numbers(2.0 * step, 1)}" solimp="{_numbers(0.999, IMPEDANCE, 0.001, 0.5, 2)}"'
            ties.append(f'<joint joint1="{name}" {stiff}/>' if tied else "")
        inertia = _numbers(axial[i], robot.link_inertia[i], robot.link_inertia[i])
        com, mass = _numbers(robot.com_offset[i], 0, 0), _numbers(robot.link_mass[i])
        bodies.append(f'<inertial pos="{com}" mass="{mass}" diaginertia="{inertia}"/>')
        if native:
            ends = _numbers(0, 0, 0, robot.link_length[i], 0, 0)
            bodies.append(f'<geom type="capsule" size="{_numbers(robot.radius[i])}" fromto="{ends}" {touch}/>')
    off = "" if native else '<flag contact="disable"/>'
    return f"""<mujoco>
      <compiler angle="radian" inertiafromgeom="false" autolimits="false"/>
      <option timestep="{step!r}" gravity="{_numbers(0, 0, -world.gravity)}" integrator="implicitfast" cone="elliptic"
        impratio="{IMPRATIO!r}">{off}</option>
      <asset>{assets}</asset>
      <worldbody>{terrain}{"".join(bodies)}{"</body>" * robot.links}</worldbody>
      <actuator>{"".join(servos)}</actuator>
      <equality>{"".join(ties)}</equality>
    </mujoco>"""


def model_of(robot: Robot, world: World, step: float = 1e-3, **options: Any) -> Any:
    """Build the MuJoCo model of a robot in a world (see `model_xml`)."""
    model = load_mujoco().MjModel.from_xml_string(model_xml(robot, world, step, **options))
    if options.get("native") and world.ground is not None and world.ground.heights is not None:
        h = world.ground.heights.heights
        model.hfield_data[:] = ((h - h.min()) / _span(h)).ravel()
    return model


def put_state(data: Any, setup: Setup) -> None:
    """Put a MuJoCo state into the first state of a run."""
    data.qpos[:3], data.qpos[3:7], data.qpos[7:] = setup.place, setup.attitude, setup.angles
    back = setup.attitude * [1.0, -1.0, -1.0, -1.0]
    load_mujoco().mju_rotVecQuat(data.qvel[3:6], setup.spin, back)  # in the axes of link 0
    data.qvel[:3], data.qvel[6:] = setup.velocity, setup.rates


class Stepper:
    """One MuJoCo model in time."""

    def __init__(self, robot: Robot, world: World, setup: Setup, step: float, native: bool, application: str) -> None:
        self.mujoco = load_mujoco()
        self.setup, self.step, self.native, self.ahead = setup, step, native, application == "ahead"
        self.driven, self.reach = setup.driven, setup.reach
        self.tied = native and setup.shape
        kp, kd, self.limit = setup.gains(step)
        self.kv = kd + step * kp
        # what a rate asked for adds to the angle asked for, s: damping over stiffness of servo or constraint
        self.lead = 4.0 * step * IMPEDANCE if self.tied else step
        gains = None if self.tied else (kp, self.kv, self.limit)
        self.model = model_of(robot, world, step, gains=gains, native=native, tied=self.tied)
        self.data, self.middle = self.mujoco.MjData(self.model), self.mujoco.MjData(self.model)
        put_state(self.data, setup)
        self.inertia = np.zeros((self.model.nv, self.model.nv))
        self.ground = None if native else AppliedGround(robot, world, step)

    def pose(self, data: Any) -> Pose:
        """Links and motion axes of a MuJoCo state."""
        return Pose(data.xpos[1:], data.xmat[1:].reshape(-1, 3, 3), data.subtree_com[1], data.cdof)

    def push(self) -> None:
        """Our forces into `xfrc_applied`; positions, velocities and controls of the step are set."""
        mujoco, m, d, ground = self.mujoco, self.model, self.data, self.ground
        assert ground is not None
        now = self.pose(d)
        if not self.ahead:
            spin = np.ascontiguousarray(d.cvel[1:, :3])
            velocity = d.cvel[1:, 3:] + np.cross(spin, now.place - now.about)
            force, torque = ground.forces(now.place, now.frames, spin, velocity)
        else:
            mujoco.mj_fwdActuation(m, d)
            mujoco.mj_fullM(m, d, self.inertia)
            implicit = m.dof_damping.copy()
            implicit[6 + self.driven] += self.kv * (np.abs(d.actuator_force) < self.limit)
            self.inertia.flat[:: m.nv + 1] += self.step * implicit
            middle = self.middle
            middle.qpos[:] = d.qpos
            mujoco.mj_integratePos(m, middle.qpos, d.qvel, 0.5 * self.step)
            mujoco.mj_kinematics(m, middle)
            mujoco.mj_comPos(m, middle)
            pushed = d.qfrc_passive - d.qfrc_bias + d.qfrc_actuator
            force, torque = ground.forces_ahead(now, self.pose(middle), self.reach, d.qvel, pushed, self.inertia)
        d.xfrc_applied[1:, :3], d.xfrc_applied[1:, 3:] = force, torque

    def advance(self, t: float, recorder: Recorder) -> None:
        """One step to time t; `mj_step1` has been called."""
        d, k = self.data, self.driven
        angles, rates = self.setup.aim(t, self.step)
        wanted = angles + self.lead * rates
        if self.tied:
            self.model.eq_data[:, 0] = wanted
        else:
            d.ctrl[:] = wanted[k]
        if self.ground is not None:
            self.push()
        before = d.qvel[6:].copy()
        self.mujoco.mj_step2(self.model, d)
        rate, force = d.qvel[6:], d.actuator_force
        if self.tied:
            torque = d.efc_force[: len(angles)]  # equalities come first
        else:  # kv was implicit: what an actuator applied has the rate at the end of the step
            torque = force - self.kv * (rate - before)[k] * (np.abs(force) < self.limit)
        recorder.work(torque, self.step * rate[k])
        if self.setup.shape:
            recorder.follow(d.qpos[7:], angles)
        if self.ground is not None:
            recorder.touch(self.ground.contacts, self.ground.normal_force)
        else:
            address = d.contact.efc_address
            normal = d.efc_force[address[address >= 0]]
            recorder.touch(float((normal > 0.0).sum()), float(normal.max(initial=0.0)))

    def note(self, world: World, recorder: Recorder) -> str:
        """What differs from our own engine."""
        if self.native:
            said = [native_note(world), f"solref {SOLREF}, impratio {IMPRATIO:g}, elliptic cone"]
        else:
            said = ["our law at the velocity the step reaches" if self.ahead else "our law at present velocities"]
        if self.setup.shape:
            how = "equality constraints" if self.tied else f"servos of {RIGID:g} J/h^2"
            said.append(f"joints prescribed by {how}, within {recorder.stray:.1e} rad")
        return "; ".join(said)


def simulate(
    robot: Robot, gait: Any, world: World, start: Start | None = None, *, mode: str = "servo", servo: Servo | None = None,
    duration: float, step: float = 1e-3, native: bool = False, record_interval: float = 0.02, application: str = "ahead",
    substeps: int = 1,
) -> Motion:  # fmt: skip
    """Run a gait in MuJoCo; `substeps` divides the step, for our law applied at the present velocities."""
    check_choice(application, substeps)
    setup = Setup(robot, gait, world, start or Start(), mode, servo, duration)
    recorder = Recorder(robot, duration, step / substeps, record_interval)
    stepper = Stepper(robot, world, setup, recorder.step, native, application)
    mujoco, model, data = stepper.mujoco, stepper.model, stepper.data
    started, busy = time.perf_counter(), time.thread_time()
    with silence(mujoco):
        for k in range(recorder.steps):
            if k == 1:
                started, busy = time.perf_counter(), time.thread_time()
            mujoco.mj_step1(model, data)
            if recorder.due(k):
                recorder.frame(*stepper.pose(data)[:2])
            stepper.advance((k + 1) * recorder.step, recorder)
            if data.time < (k + 0.5) * recorder.step:  # MuJoCo resets a state that diverged, and only warns
                recorder.good = False
                break
        mujoco.mj_kinematics(model, data)
    if recorder.good and recorder.due(recorder.steps):
        recorder.frame(*stepper.pose(data)[:2])
    cpu, wall = time.thread_time() - busy, time.perf_counter() - started
    return recorder.motion("mujoco", wall, cpu, stepper.note(world, recorder))
