"""What a run in space came to, whichever engine computed it; and what the runs of other packages share.

`Motion` is the common answer of our own engine (`motion_of`) and of its peers (`engines.spatial_mujoco`,
`engines.spatial_drake`): the links' frames in time and the sums by which runs are compared. `Setup` is the common question:
the first state of a run and what its servos aim at, taken from `SpatialRun` itself, so that all engines start alike.
`Recorder` collects frames and work.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from serpenoid.compiled import kernel
from serpenoid.contact import sums as tally
from serpenoid.core import FloatArray, Robot, Start, World
from serpenoid.core.actuator import Servo
from serpenoid.core.errors import InputError
from serpenoid.core.terrain import Ground, Pipe
from serpenoid.gaits.joints import joint_angles
from serpenoid.spatial._old.kinematics import AIM, PJ, QD, QP, Q, V, W, axes_of
from serpenoid.spatial._old.run import AXIS, BACK, PLACE, TOUCHING, SpatialRun, aim_gait
from serpenoid.spatial._old.step import AW, X

RIGID = 100.0  # stiffness of prescribed joints in units of the body's inertia over the step squared
APPLICATIONS = ("ahead", "present")  # of our law: at the velocity that the step reaches, or explicit


@dataclass(frozen=True, eq=False)
class Motion:
    """A run of n links in f frames, world axes; forces and contacts of a frame are those of the step that ends there."""

    engine: str
    time: FloatArray  # (f,) s
    place: FloatArray  # (f, n, 3) m, tail-side joints
    axis: FloatArray  # (f, n, 3) directions of the links, towards the head
    back: FloatArray  # (f, n, 3) their backs
    com: FloatArray  # (f, 3) m, centre of gravity
    contacts: FloatArray  # (f,) contacts that press
    normal_force_max: float  # N, of one contact
    net_work: float  # J, by the actuators
    positive_work: float  # J, summed over axes where positive
    wall_time: float  # s, stepping alone (of other engines from the second step, when everything is compiled)
    cpu_time: float  # s, of the stepping thread
    steps: int
    step: float  # s
    finite: bool  # it reached its end, all numbers finite
    note: str = ""  # what differs from our own engine

    def path_length(self, period: float) -> float:
        """Horizontal way of the centre of gravity in m: its displacements over whole periods (s), and the rest."""
        whole = np.arange(0.0, self.time[-1], period)
        at = np.stack([np.interp(whole, self.time, self.com[:, e]) for e in range(2)], axis=1)
        at = np.vstack([at, self.com[-1, :2]])
        return float(np.linalg.norm(np.diff(at, axis=0), axis=1).sum())

    @property
    def roll(self) -> FloatArray:
        """Angle in rad by which the links have turned about their own axes since the first frame, mean over them, (f,)."""
        left = np.cross(self.back, self.axis)
        frames = np.stack([self.axis, left, self.back], axis=-1)  # columns x, y, z
        turn = np.einsum("fnij,fnkj->fnik", frames[1:], frames[:-1])
        vector = 0.5 * np.stack(
            [turn[..., 2, 1] - turn[..., 1, 2], turn[..., 0, 2] - turn[..., 2, 0], turn[..., 1, 0] - turn[..., 0, 1]],
            -1,
        )
        sine = np.linalg.norm(vector, axis=-1)
        angle = np.arctan2(sine, 0.5 * (np.trace(turn, axis1=-2, axis2=-1) - 1.0))
        scale = np.where(sine > 1e-12, angle / np.maximum(sine, 1e-12), 1.0)
        middle = 0.5 * (self.axis[1:] + self.axis[:-1])
        share = (vector * middle).sum(-1) * scale
        return np.concatenate([[0.0], np.cumsum(share.mean(axis=1))])


def motion_of(run: SpatialRun, wall_time: float = 0.0, cpu_time: float = 0.0, note: str = "") -> Motion:
    """What our own engine recorded so far."""
    f = run.frames
    links, acc = run.rec.links[:f], run.acc
    return Motion(
        engine="serpenoid",
        time=np.linspace(0.0, (f - 1) * run.stride * run.dt, f),
        place=links[:, :, PLACE : PLACE + 3].copy(),
        axis=links[:, :, AXIS : AXIS + 3].copy(),
        back=links[:, :, BACK : BACK + 3].copy(),
        com=run.rec.motion[:f, X : X + 3].copy(),
        contacts=links[:, :, TOUCHING].sum(axis=1),
        normal_force_max=float(acc[tally.NORMAL_MAX]),
        net_work=float(acc[tally.NET_WORK]),
        positive_work=float(acc[tally.POSITIVE_WORK]),
        wall_time=wall_time,
        cpu_time=cpu_time,
        steps=run.done,
        step=run.dt,
        finite=run.done == run.steps and bool(np.isfinite(links).all()),
        note=note,
    )


@kernel
def next_aim(chain, source, d, aim, t, dt, shape):
    """Angles (and rates, of prescribed joints) asked for at time t into AIM (and QP) of d: as `engines.spatial` does it."""
    held = t if source.hold <= 0.0 else source.hold * np.floor(t / source.hold * (1.0 + 1e-12))
    joint_angles(source.kind, source.par, source.tab, held, aim)
    aim_gait(chain, d, aim, shape, dt)


class Setup:
    """First state of a run in space and what its joints aim at, as our own engine has them."""

    def __init__(
        self, robot: Robot, gait: Any, world: World, start: Start, mode: str, servo: Servo | None, duration: float
    ) -> None:
        if mode not in ("shape", "servo"):
            raise InputError(f'other engines run in mode "shape" or "servo", got {mode!r}')
        heavy = np.flatnonzero(np.asarray(robot.axial_inertia) > 2.0 * robot.link_inertia)
        if heavy.size:
            raise InputError(
                f"link {heavy[0]} has an axial_inertia of more than twice its link_inertia, which no rigid body has; "
                "other engines refuse it"
            )
        run = SpatialRun(robot, gait, None, world, start, mode=mode, duration=duration, steps=1, stride=1, servo=servo)
        self.robot, self.servo, self.shape = robot, servo or Servo(), mode == "shape"
        counts = [len(axes_of(robot, i)) for i in range(1, robot.links)]
        self.reach = 6 + np.cumsum([0, *counts])  # (n,) how many generalised velocities move a link
        limp = np.repeat([i in robot.limp for i in range(1, robot.links)], counts)
        self.driven = np.flatnonzero(~limp)  # axes with an actuator
        self.damping = np.repeat(robot.joint_damping, counts)  # (m,) N m s/rad
        self.chain, self.source, self.d, self._aim = run.chain, run.source, run.d, run.aim
        arm, w = run.b[0, PJ : PJ + 3], run.b[0, W : W + 3]
        self.place = run.q[X : X + 3] + arm  # m, tail's end
        self.attitude = run.q[AW : AW + 4].copy()  # of link 0: unit quaternion w, x, y, z
        self.spin = w.copy()  # rad/s, world axes
        self.velocity = run.b[0, V : V + 3] + np.cross(w, arm)  # m/s, of the tail's end
        self.angles, self.rates = run.d[:, Q].copy(), run.d[:, QD].copy()  # (m,) rad, rad/s

    def gains(self, step: float) -> tuple[float, float, float]:
        """Stiffness (N m/rad), damping (N m s/rad) and torque limit (N m) of the actuators.

        Prescribed joints have RIGID J / h^2 and h times that, J = m L^2 / 12 of the whole body: a step brings them home.
        """
        if self.shape:
            stiffness = RIGID * self.robot.mass * self.robot.length**2 / 12.0 / step**2
            return stiffness, step * stiffness, np.inf
        limit = np.inf if self.servo.torque_limit is None else self.servo.torque_limit
        return self.servo.stiffness, self.servo.damping, limit

    def aim(self, t: float, dt: float) -> tuple[FloatArray, FloatArray]:
        """Angles and rates (m,) asked for at time t, a step dt after the last; the rates are 0 for servos."""
        next_aim(self.chain, self.source, self.d, self._aim, t, dt, self.shape)
        return self.d[:, AIM], (self.d[:, QP] if self.shape else np.zeros(len(self.d)))


class Recorder:
    """Frames and work of a run in another engine."""

    def __init__(self, robot: Robot, duration: float, step: float, record_interval: float) -> None:
        self.robot = robot
        self.steps = max(1, int(np.ceil(duration / step - 1e-9)))
        self.step = duration / self.steps
        self.stride = max(1, round(record_interval / self.step))
        frames = self.steps // self.stride + 1
        self.place = np.zeros((frames, robot.links, 3))
        self.axis, self.back = np.zeros_like(self.place), np.zeros_like(self.place)
        self.contacts = np.zeros(frames)
        self.frames = 0  # kept
        self.now: float | None = None  # contacts of the last step
        self.net, self.positive, self.top, self.stray = 0.0, 0.0, 0.0, 0.0  # J, J, N, rad
        self.good = True

    def touch(self, contacts: float, normal: float) -> None:
        """Contacts of the last step and the largest normal force (N) among them."""
        if self.now is None:
            self.contacts[0] = contacts
        self.now, self.top = contacts, max(self.top, normal)

    def follow(self, angles: FloatArray, wanted: FloatArray) -> None:
        """Keep how far joints strayed from what was prescribed, rad."""
        self.stray = max(self.stray, float(np.abs(angles - wanted).max(initial=0.0)))

    def due(self, k: int) -> bool:
        """Whether the state after k steps is a frame."""
        return k % self.stride == 0

    def work(self, torque: FloatArray, moved: FloatArray) -> None:
        """Add the work of a step: torques in N m, ways of the axes in rad."""
        work = torque * moved
        self.net += float(work.sum())
        self.positive += float(work[work > 0.0].sum())

    def frame(self, place: FloatArray, frames: FloatArray) -> None:
        """Keep a frame: places (n, 3), rotation matrices (n, 3, 3) of the links."""
        k = self.frames
        self.place[k], self.axis[k], self.back[k] = place, frames[:, :, 0], frames[:, :, 2]
        self.contacts[k] = self.now or 0.0
        self.frames += 1

    def motion(self, engine: str, wall_time: float, cpu_time: float, note: str) -> Motion:
        """All of it."""
        f, robot = self.frames, self.robot
        centres = self.place[:f] + robot.com_offset[:, None] * self.axis[:f]
        com = np.einsum("n,fne->fe", robot.link_mass, centres) / robot.mass
        return Motion(
            engine=engine, time=np.linspace(0.0, (f - 1) * self.stride * self.step, f), place=self.place[:f], axis=self.axis[:f],
            back=self.back[:f], com=com, contacts=self.contacts[:f], normal_force_max=self.top, net_work=self.net,
            positive_work=self.positive, wall_time=wall_time, cpu_time=cpu_time, steps=self.steps, step=self.step,
            finite=self.good and bool(np.isfinite(com).all()), note=note,
        )  # fmt: skip


def native_friction(world: World, heights: bool) -> float:
    """The one coefficient that a package's own contacts can take from a world; refused where they cannot be like it."""
    law, ground = world.friction, world.ground or Ground()
    if ground.model != "capsule":
        raise InputError(
            f'native contacts are those of round links; they need ground.model = "capsule", got {ground.model!r}'
        )
    if world.patches:
        raise InputError("native contacts have one friction coefficient for the whole world: patches are not possible")
    if any(isinstance(o, Pipe) for o in world.obstacles):
        raise InputError("native contacts are between convex bodies: the inside of a pipe is not possible")
    if ground.heights is not None and not heights:
        raise InputError("this engine's native contacts know no height field; use a plane and obstacles")
    if not (law.DRY or law.NAME == "none"):
        raise InputError(f"native contacts have dry friction; the {law.NAME} law is not possible")
    return law.across


def native_note(world: World) -> str:
    """What a package's own contacts leave out of our law."""
    law = world.friction
    isotropic = law.along == law.across and law.backward in (None, law.along)
    return "native contacts" + ("" if isotropic else f" with isotropic friction {law.across:g}, that of across")


def check_choice(application: str, substeps: int) -> None:
    """Check the arguments that say how our law is applied."""
    if application not in APPLICATIONS:
        raise InputError(f"application must be one of {', '.join(APPLICATIONS)}, got {application!r}")
    if not isinstance(substeps, int) or isinstance(substeps, bool) or substeps < 1:
        raise InputError(f"substeps must be a whole number from 1, got {substeps!r}")
