"""The planar engine: the one place where a planar robot's time advances.

`PlanarEngine` holds one robot's arrays (`layout`): constants, state, scratch. It has no horizon: `advance` goes to any later step,
and a frame is recorded every `stride` steps. However the time is divided into calls, and wherever the state is saved and put
back, the results are equal bit for bit.

Joints are ideal (a gait or a curve of angles prescribes them, or torques drive them), or carried by servos that aim at the gait
or curve. Commands may change at any step: the pose, the velocities and the momentum are carried over exactly.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from serpenoid.contact import sums as slot
from serpenoid.contact.joint import DRIVEN, SERVO, STOP_HIGH, UNLIMITED
from serpenoid.core import FloatArray, Robot, Start, Variable, World
from serpenoid.core.errors import InputError
from serpenoid.gaits import headings
from serpenoid.planar import runge_kutta, switch
from serpenoid.planar.command import DRIVE_KINDS, PLANAR_GAITS, lock
from serpenoid.planar.constants import bending_joints, constants_for
from serpenoid.planar.layout import (
    AIM,
    ANGLE,
    ANGLE0,
    COMMAND,
    DONE,
    DRIVE,
    FOLLOWED,
    FRAME_ROWS,
    FREE,
    JOINT_STATES,
    LAST_FX,
    LAST_FY,
    LINK_STATES,
    LOCKED,
    MODE,
    MOTION_SLOTS,
    NOTHING,
    ORDER,
    PLAIN,
    PRESCRIBED,
    PSI,
    PUSH,
    PUSHED,
    Q0,
    Q1,
    RATE,
    SAMPLE,
    SOURCE,
    T0,
    T1,
    TORQUE,
    TRACKED,
    TURN,
    TURN0,
    V0,
    V1,
    VX,
    VY,
    WANTED,
    Frames,
    State,
    X,
    Y,
    scratch_for,
)  # fmt: skip
from serpenoid.planar.record import flat, mean_heading, nodes_of, recorded_variables, upright
from serpenoid.planar.step import (
    FINE,
    UNKNOWN_KIND,
    march_driven,
    march_explicit,
    march_prescribed,
    record_forces,
    record_motion,
)  # fmt: skip

FIRST_FRAMES = 64  # room for so many at the start; it doubles when it is full


class PlanarEngine:
    """One robot in time, in the plane."""

    NAME = "planar"

    def __init__(
        self, robot: Robot, world: World, start: Start, *, step: float, stride: int = 1, ideal: bool = True, first: Any = None,
        integrator: str = "implicit", tolerance: float | None = None,
    ) -> None:  # fmt: skip
        self.robot, self.ideal, self.dt, self.stride = robot, ideal, float(step), int(stride)
        if not (np.isfinite(step) and step > 0.0 and stride >= 1):
            raise InputError(f"the engine needs a step > 0 s and a stride >= 1, got {step!r} and {stride!r}")
        self.joints = np.array(bending_joints(robot), dtype=np.intp)
        self._columns: Any = slice(1, None) if len(self.joints) == robot.links - 1 else self.joints
        self.constants = constants_for(
            robot, world, step=self.dt, stride=self.stride, ideal=ideal, integrator=integrator, tolerance=tolerance
        )
        self.weights = robot.link_mass * world.gravity
        n, explicit = robot.links, self.constants.numbers[ORDER] > 0.0
        size = runge_kutta.state_size(n) if explicit else 1
        self.scratch = scratch_for(n, self.constants.links[PLAIN:], size)
        self.state = State(
            np.zeros(MOTION_SLOTS), np.zeros((LINK_STATES, n)), np.zeros((JOINT_STATES, n)), np.zeros(slot.SLOTS),
            np.zeros((2, size)),
        )  # fmt: skip
        self._explicit = explicit
        self._first_frame = 0
        self._frames = self._room(FIRST_FRAMES)
        self._limp()
        self._begin(start, first)

    # --- how it begins

    def _limp(self) -> None:
        """Joints without torque from the start: those of the robot, and those without a servo among servos."""
        self.state.joints[FREE] = 1.0 - self.constants.joints[DRIVEN]
        self.constants.joints[DRIVEN] = 1.0  # from now on the state says so
        self.state.joints[SAMPLE] = -1.0

    def _begin(self, start: Start, first: Any) -> None:
        """Put the body in its first posture, the tail's end at the start position."""
        q, b = self.state.motion, self.scratch.links
        b[ANGLE] = b[RATE] = 0.0
        if first is None:
            pass
        elif hasattr(first, "KIND"):
            headings(self._gait_kind(first), *first.row(self.robot), 0.0, b)
            if not self.ideal:
                b[RATE] = 0.0
            lock(self.constants.joints, b, ANGLE)
            lock(self.constants.joints, b, RATE)
        else:
            angles = np.zeros(self.robot.links)
            angles[self.joints] = self._per_joint("first posture", first)
            b[ANGLE] = np.cumsum(angles) - np.cumsum(angles).mean()
        q[PSI], q[TURN] = start.heading, start.angular_velocity
        c, s = np.cos(start.heading), np.sin(start.heading)
        q[VX], q[VY] = c * start.velocity[0] + s * start.velocity[1], c * start.velocity[1] - s * start.velocity[0]
        q[MODE], q[SOURCE] = PRESCRIBED, NOTHING
        if not self.ideal:  # world axes from the start
            b[ANGLE] += start.heading
            b[RATE] = 0.0
            q[PSI], q[VX], q[VY] = 0.0, *start.velocity
        switch.begin(self.constants, self.state, self.scratch)
        if not self.ideal:
            switch.release(self.constants, self.state, self.scratch)
        x, y = self._tail()
        q[X], q[Y] = start.position[0] - x, start.position[1] - y
        self.state.joints[AIM, self.joints] = self.state.joints[WANTED, self.joints] = self.joint_angles()
        beyond = np.flatnonzero(np.abs(self.joint_angles()) > self.constants.joints[STOP_HIGH, self.joints] * (1.0 + 1e-9))
        if beyond.size and not self.ideal:
            joint = int(self.joints[beyond[0]])
            raise InputError(
                f"the first posture bends joint {joint} by {self.joint_angles()[beyond[0]]:.4g} rad, beyond its stop at "
                f"{self.constants.joints[STOP_HIGH, joint]:.4g} rad"
            )
        record_motion(self.state, self._frames, 0)

    def _tail(self) -> tuple[float, float]:
        """Place of the tail's end relative to the centre of gravity, world axes."""
        place = nodes_of(self.robot, self._headings(), np.zeros(2))[0]
        return float(place[0]), float(place[1])

    # --- commands

    def follow(self, gait: Any) -> None:
        """Take a compiled gait as the command: ideal joints are prescribed, servos aim at it."""
        kind = self._gait_kind(gait)
        row, table = gait.row(self.robot)
        self._needs_angles()
        self._tell(FOLLOWED, kind, row, table)

    def drive(self, drive: Any) -> None:
        """Take a compiled drive as the command: torques."""
        if getattr(drive, "KIND", None) not in DRIVE_KINDS:
            raise InputError(
                f"the planar engine knows the drives {', '.join(DRIVE_KINDS.values())}, got {drive!r}"[:300]
            )
        row, table = drive.row(self.robot, len(self.joints))
        if table.shape[1] == 1 + len(self.joints):  # a column per joint that bends: to one per joint
            wide = np.zeros((len(table), self.robot.links))
            wide[:, 0], wide[:, self.joints] = table[:, 0], table[:, 1:]
            table = wide
        self._tell(DRIVE, drive.KIND, row, table)

    def track(self, t0: float, t1: float, q0: ArrayLike, v0: ArrayLike, q1: ArrayLike, v1: ArrayLike) -> None:
        """Let joints or aims follow the cubic from (q0, v0) at time t0 to (q1, v1) at t1, and stay at its end."""
        self._needs_angles()
        rows = [
            self._per_joint(name, values)
            for name, values in (("angles q0", q0), ("rates v0", v0), ("angles q1", q1), ("rates v1", v1))
        ]
        if not (math.isfinite(t0) and t0 < t1 < math.inf):
            raise InputError(f"a curve to track must end after it begins, got {t0!r} to {t1!r} s")
        joints, motion = self.state.joints, self.state.motion
        for row, array in zip((Q0, V0, Q1, V1), rows, strict=True):
            joints[row, self._columns] = array
        motion[T0], motion[T1] = t0, t1
        if motion[SOURCE] != TRACKED or self._explicit:
            self._tell(TRACKED)

    def push(self, torques: ArrayLike) -> None:
        """Hold torques on the joints from now on."""
        self.state.joints[PUSH, self._columns] = self._per_joint("torques", torques)
        if self.state.motion[SOURCE] != PUSHED or self._explicit:
            self._tell(PUSHED)

    def rest(self) -> None:
        """Command nothing: the joints are limp."""
        self._tell(NOTHING)

    def passive(self, mask: ArrayLike) -> None:
        """Leave joints without torque from now on, (dof,) of truth values."""
        self.state.joints[FREE, self.joints] = self._per_joint("passive joints", mask)
        if self.done > 0 or self.state.motion[SOURCE] != NOTHING:
            self._tell(float(self.state.motion[SOURCE]))

    def anchor(self, k: int, on: bool, place: Any = None, velocity: Any = (0.0, 0.0)) -> None:
        """Refuse: the plane has no anchors."""
        raise InputError("anchors hold a robot in space only; give the world a ground")

    def _per_joint(self, what: str, values: ArrayLike) -> FloatArray:
        array = np.asarray(values, dtype=float)
        if array.shape != self.joints.shape or not math.isfinite(array.dot(array)):
            raise InputError(
                f"{what} must be {len(self.joints)} finite numbers, one per joint that bends, got {values!r}"
            )
        return array

    def _gait_kind(self, gait: Any) -> int:
        kind = getattr(gait, "KIND", None)
        if kind not in PLANAR_GAITS:
            raise InputError(f"the planar engine knows the gaits {', '.join(PLANAR_GAITS.values())}, got {gait!r}")
        return int(kind)

    def _needs_angles(self) -> None:
        if not self.ideal and not np.any(self.constants.joints[SERVO] > 0.0):
            raise InputError("joints without servos cannot follow angles; use ideal joints or give the robot a servo")

    def _tell(
        self, source: float, kind: int = 0, row: FloatArray | None = None, table: FloatArray | None = None
    ) -> None:
        """Change the source of commands, and with it the axes and the integrator's vector."""
        angles = source in (FOLLOWED, TRACKED)
        prescribed = angles and self.ideal and not self.state.joints[FREE].any()
        if self._explicit:
            self._check_explicit(prescribed, angles)
        if row is not None and table is not None:
            self.constants.numbers[COMMAND] = kind
            self.constants = self.constants._replace(
                row=np.ascontiguousarray(row, dtype=float), table=np.ascontiguousarray(table, dtype=float)
            )
        if angles and self.state.motion[SOURCE] in (DRIVE, PUSHED):  # servos begin to aim from where the joints are
            self.state.joints[AIM, self.joints], self.state.joints[SAMPLE] = self.joint_angles(), -1.0
        self.state.motion[SOURCE] = source
        group = (self.constants, self.state, self.scratch)
        if prescribed:
            switch.prescribe(*group)
        elif source != NOTHING or self.state.motion[MODE] != PRESCRIBED:
            switch.release(*group)
        if self._explicit:
            runge_kutta.pack(*group)
            runge_kutta.slope(*group, self.time, self.state.vector[0], self.state.vector[1])
        if self.done == 0 and self._first_frame == 0:
            record_motion(self.state, self._frames, 0)

    def _check_explicit(self, prescribed: bool, angles: bool) -> None:
        """Refuse driven joints that only the implicit integrator can take."""
        act = self.constants.joints
        if not prescribed and (angles or np.any(act[LOCKED] > 0.0)):
            raise InputError('locked joints, and limp ones among prescribed ones, need integrator = "implicit"')
        if not prescribed and np.any(act[STOP_HIGH, 1:] < UNLIMITED):
            raise InputError(
                'a joint with stops (joint_limit) is stiff there and needs integrator = "implicit" under torques'
            )

    # --- time

    def advance(self, to: int) -> bool:
        """Advance to step number `to`; False if a number is not finite (then `done` is the last good step)."""
        motion = self.state.motion
        if to <= motion[DONE]:
            return True
        if motion[SOURCE] == NOTHING and motion[MODE] == PRESCRIBED:
            self._rest_from_start()
        room = to // self.stride + 1 - self._first_frame
        if room > len(self._frames.motion):
            self._grow(room)
        march = march_explicit if self._explicit else march_prescribed if motion[MODE] == PRESCRIBED else march_driven
        ended = march(self.constants, self.state, self.scratch, self._frames, self._first_frame, to)
        if ended == UNKNOWN_KIND:
            raise InputError("the kernels do not know this kind of gait, drive or friction law")
        return bool(ended == FINE)

    def _rest_from_start(self) -> None:
        switch.release(self.constants, self.state, self.scratch)
        self._tell(NOTHING)

    def _room(self, frames: int) -> Frames:
        return Frames(np.zeros((frames, MOTION_SLOTS + slot.SLOTS)), np.zeros((frames, FRAME_ROWS, self.robot.links)))

    def _grow(self, frames: int) -> None:
        """Make room for more frames."""
        bigger = self._room(max(frames, 2 * len(self._frames.motion)))
        for old, new in zip(self._frames, bigger, strict=True):
            new[: len(old)] = old
        self._frames = bigger

    @property
    def done(self) -> int:
        """Steps taken; counted by the kernels themselves, so that an interrupt between two calls cannot lose any."""
        return int(self.state.motion[DONE])

    @property
    def time(self) -> float:
        """Time reached, s."""
        return self.done * self.dt

    @property
    def sums(self) -> FloatArray:
        """Accumulators; slots in `contact.sums`."""
        return self.state.sums

    # --- what is seen

    def joint_angles(self) -> FloatArray:
        """Joint angles, (dof,) rad."""
        heading = self.state.links[ANGLE0]
        return heading[self.joints] - heading[self.joints - 1]

    def joint_rates(self) -> FloatArray:
        """Joint rates, (dof,) rad/s."""
        turn = self.state.links[TURN0]
        return turn[self.joints] - turn[self.joints - 1]

    def joint_torques(self) -> FloatArray:
        """Torques of the actuators in the last step, (dof,) N m."""
        return self.state.joints[TORQUE, self.joints]

    def joint_targets(self) -> FloatArray:
        """Angles commanded, (dof,) rad; NaN under torques."""
        given = self.state.motion[SOURCE] in (FOLLOWED, TRACKED)
        return self.state.joints[WANTED, self.joints] if given else np.full(len(self.joints), np.nan)

    def joint_aims(self) -> FloatArray:
        """Where the servos aim, (dof,) rad: the targets, no faster than the servos allow; the angles themselves with ideal joints."""
        return self.joint_angles() if self.ideal else self.state.joints[AIM, self.joints]

    def _headings(self) -> FloatArray:
        return self.state.links[ANGLE0] + self.state.motion[PSI]

    def heading(self) -> float:
        """Direction of the mean link axis, rad, without jumps."""
        return float(mean_heading(self._headings()))

    def com(self) -> FloatArray:
        """Centre of gravity, (3,) m."""
        return np.array([self.state.motion[X], self.state.motion[Y], 0.0])

    def com_velocity(self) -> FloatArray:
        """Velocity of the centre of gravity, (3,) m/s."""
        q = self.state.motion
        c, s = np.cos(q[PSI]), np.sin(q[PSI])
        return np.array([c * q[VX] - s * q[VY], s * q[VX] + c * q[VY], 0.0])

    def nodes(self) -> FloatArray:
        """Places of tail's end, joints and head's tip, (n+1, 3) m."""
        places = nodes_of(self.robot, self._headings(), self.state.motion[[X, Y]])
        return flat(places[:, 0], places[:, 1])

    def link_frames(self) -> FloatArray:
        """Axes of the links as columns (towards the head, to the left, up), (n, 3, 3)."""
        heading = self._headings()
        c, s = np.cos(heading), np.sin(heading)
        return np.stack([flat(c, s), flat(-s, c), upright(np.ones_like(c))], axis=-1)

    def link_angular_velocities(self) -> FloatArray:
        """Angular velocities of the links, (n, 3) rad/s."""
        return upright(self.state.links[TURN0])

    def contact_forces(self) -> FloatArray:
        """Friction forces on the links in the last step, (n, 3) N."""
        return flat(self.state.links[LAST_FX], self.state.links[LAST_FY])

    def normal_forces(self) -> FloatArray:
        """Normal forces on the links, (n,) N: their weights."""
        return self.weights.copy()

    def wall_forces(self) -> FloatArray:
        """Forces of upright obstacles: there are none in the plane, (n, 3) N."""
        return np.zeros((self.robot.links, 3))

    def wall_points(self) -> FloatArray:
        """Where upright obstacles press: nowhere, (n, 3)."""
        return np.full((self.robot.links, 3), np.nan)

    def wall_obstacles(self) -> FloatArray:
        """Which upright obstacle presses on each link: none, (n,)."""
        return np.full(self.robot.links, -1.0)

    def wall_pressures(self) -> FloatArray:
        """Sizes of the wall forces on each link: none, (n,) N."""
        return np.zeros(self.robot.links)

    def anchor_forces(self) -> FloatArray:
        """Forces of anchors: there are none in the plane, (0, 3) N."""
        return np.zeros((0, 3))

    def totals(self) -> dict[str, float]:
        """What the run has added up, by name."""
        return slot.totals(self.state.sums)

    # --- what is kept

    def arrays(self) -> dict[str, FloatArray]:
        """Live views of the whole state, by name."""
        return self.state._asdict()

    def put(self, arrays: Mapping[str, Any]) -> None:
        """Continue from a state of the same robot, world, step and command."""
        for name, own in self.arrays().items():
            given = np.asarray(arrays.get(name, np.nan), dtype=float)
            if given.shape != own.shape or not np.isfinite(given).all():
                raise InputError(
                    f"this state does not belong to the robot: {name} is missing, not finite or of another shape"
                )
        for name, own in self.arrays().items():
            own[...] = arrays[name]
        self.restart_record()

    def restart_record(self) -> None:
        """Begin the record anew: its first frame is now, or the next one due."""
        self._first_frame = -(-self.done // self.stride)
        self._frames = self._room(FIRST_FRAMES)
        if self.on_grid:
            self._write(self._frames, 0)

    def _write(self, frames: Frames, frame: int) -> None:
        """Write the present instant, with the forces of the last step, into a frame."""
        record_motion(self.state, frames, frame)
        record_forces(self.state, frames, frame)

    @property
    def on_grid(self) -> bool:
        """Whether a frame lies at the present instant."""
        return self.done % self.stride == 0

    @property
    def frames(self) -> int:
        """Frames recorded so far."""
        return self.done // self.stride + 1 - self._first_frame

    def frame_times(self) -> FloatArray:
        """Times of the frames recorded and of the present instant, s."""
        times = np.arange(self._first_frame, self._first_frame + self.frames) * self.stride * self.dt
        return times if self.on_grid else np.append(times, self.time)

    def rows(self) -> tuple[FloatArray, FloatArray]:
        """Frames, the last one now: motion and sums (f, .), values of the links (f, FRAME_ROWS, n)."""
        kept = self._frames.motion[: self.frames], self._frames.links[: self.frames]
        if self.on_grid:
            return kept
        now = self._room(1)
        self._write(now, 0)
        return np.concatenate([kept[0], now.motion]), np.concatenate([kept[1], now.links])

    def recorded(self) -> dict[str, FloatArray]:
        """The frames recorded, to be saved."""
        first = np.array([float(self._first_frame)])
        return {
            "motion": self._frames.motion[: self.frames].copy(),
            "links": self._frames.links[: self.frames].copy(),
            "first": first,
        }

    def put_recorded(self, arrays: Mapping[str, Any]) -> None:
        """Take over frames that `recorded` gave, up to the present step."""
        motion, links = np.array(arrays["motion"], dtype=float), np.array(arrays["links"], dtype=float)
        first = int(np.asarray(arrays["first"]).reshape(-1)[0])
        like, count = self._frames, self.done // self.stride + 1 - first
        if motion.shape != (count, *like.motion.shape[1:]) or links.shape != (count, *like.links.shape[1:]):
            raise InputError("these recorded frames do not belong to the simulation")
        self._first_frame, self._frames = first, Frames(motion, links)

    def variables(self) -> dict[str, Variable]:
        """Everything recorded, by name."""
        return recorded_variables(self)
