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

from serpenoid.compiled import entry
from serpenoid.contact import sums as slot
from serpenoid.contact.joint import DRIVEN, SERVO, STOP_HIGH, UNLIMITED
from serpenoid.contact.self_contact import FULL, TANGLED, check_apart
from serpenoid.contact.smoothing import first_smoothing
from serpenoid.contact.taken_up import check_posture, check_taken_up, refuse_stop
from serpenoid.core import FloatArray, Robot, Start, Variable, World
from serpenoid.core.checks import check_steps, first_frame
from serpenoid.core.errors import InputError
from serpenoid.gaits import headings
from serpenoid.gaits.drives import SampledTorque
from serpenoid.gaits.rows import check_drive, check_gait, widened
from serpenoid.planar import layout as at
from serpenoid.planar import runge_kutta, switch
from serpenoid.planar import step as stepping
from serpenoid.planar.command import DRIVE_KINDS, PLANAR_GAITS, lock, stop_headings
from serpenoid.planar.constants import bending_joints, constants_for
from serpenoid.planar.ground import stand_on_ground
from serpenoid.planar.layout import PlanarFrames, PlanarState, scratch_for
from serpenoid.planar.observe import PlanarInstant
from serpenoid.planar.record import axes_of, nodes_of, recorded_variables

FIRST_FRAMES = 4  # room for so many at the start, little where thousands of robots begin; it doubles when it is full


class PlanarEngine(PlanarInstant):
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
        n, explicit = robot.links, self.constants.numbers[at.ORDER] > 0.0
        size = runge_kutta.state_size(n) if explicit else 1
        self.scratch = scratch_for(self.constants, size)
        self.state = PlanarState(
            np.zeros(at.MOTION_SLOTS), np.zeros((at.LINK_STATES, n)), np.zeros((at.JOINT_STATES, n)), np.zeros(slot.SLOTS),
            np.zeros((2, size)), np.zeros((4, self.constants.points.shape[1])),
        )  # fmt: skip
        self._explicit, self._follows = explicit, ideal or bool(np.any(self.constants.joints[SERVO] > 0.0))
        self._entries: dict[Any, Any] = {}
        self._told = at.NOTHING  # whose numbers the constants hold: a gait's or a drive's
        self._source: tuple[Any, tuple[int, FloatArray, FloatArray]] | None = None
        self._first_frame = 0
        self._frames = self._room(FIRST_FRAMES)
        self._limp()
        self._begin(world, start, first)
        sums, least = self.state.sums, float(self.constants.numbers[at.LEAST])
        sums[slot.SMOOTHING] = first_smoothing(world.friction, least, float(sums[slot.KINETIC]), robot.mass)

    # --- how it begins

    def _limp(self) -> None:
        """Joints without torque from the start: those of the robot, and those without a servo among servos."""
        self.state.joints[at.FREE] = 1.0 - self.constants.joints[DRIVEN]
        self.constants.joints[DRIVEN] = 1.0  # from now on the state says so
        self.state.joints[at.SAMPLE] = -1.0

    def _begin(self, world: World, start: Start, first: Any) -> None:
        """Put the body in its first posture, the tail's end at the start position."""
        q, b = self.state.motion, self.scratch.links
        b[at.ANGLE] = b[at.RATE] = 0.0
        if hasattr(first, "KIND"):
            headings(*self._gait_source(first), 0.0, b)
            if not self.ideal and start.rates != "posture":
                b[at.RATE] = 0.0
            lock(self.constants.joints, b, at.ANGLE)
            lock(self.constants.joints, b, at.RATE)
        elif first is not None:
            angles = np.zeros(self.robot.links)
            angles[self.joints] = self._per_joint("first posture", first)
            bent, length = np.cumsum(angles), self.robot.link_length  # mean axis ahead
            b[at.ANGLE] = bent - np.arctan2((length * np.sin(bent)).sum(), (length * np.cos(bent)).sum())
        if start.rates is not None and not isinstance(start.rates, str):
            b[at.RATE] = 0.0
            b[at.RATE, self.joints] = self._per_joint("start.rates", np.atleast_1d(start.rates))
            b[at.RATE] = np.cumsum(b[at.RATE])
            switch.balance(self.constants, self.scratch)
        if self.constants.numbers[at.ANY_STOP] > 0.0:
            stop_headings(self.constants, self.state, 0.0, b)
        q[at.PSI], q[at.TURN] = start.heading, start.angular_velocity
        c, s = np.cos(start.heading), np.sin(start.heading)
        vx, vy = start.velocity
        q[at.VX], q[at.VY] = c * vx + s * vy, c * vy - s * vx
        q[at.MODE], q[at.SOURCE] = at.PRESCRIBED, at.NOTHING
        if not self.ideal:  # world axes from the start
            b[at.ANGLE] += start.heading
            q[at.PSI], q[at.VX], q[at.VY] = 0.0, *start.velocity
        switch.begin(self.constants, self.state, self.scratch)
        if not self.ideal:
            switch.release(self.constants, self.state, self.scratch)
        nodes = nodes_of(self.robot, axes_of(self._headings()), np.zeros(3))
        q[at.X], q[at.Y] = start.position[0] - nodes[0, 0], start.position[1] - nodes[0, 1]
        fall = self.constants.numbers[at.GX : at.GY + 1] @ q[[at.X, at.Y]]
        self.state.sums[[slot.POTENTIAL, slot.POTENTIAL_START]] = -self.robot.mass * fall
        self.state.joints[at.AIM, self.joints] = self.state.joints[at.WANTED, self.joints] = self.joint_angles()
        if not self.ideal:
            check_posture(self.joint_angles(), self.constants.joints[STOP_HIGH, self.joints], self.joints)
        if self.constants.numbers[at.UNEVEN] > 0.0:
            stand_on_ground(self.constants, self.scratch, q[at.X], q[at.Y], q[at.PSI], 0.0)
        self.state.links[at.LAST_NORMAL] = self.scratch.links[at.LOAD]
        check_apart(self.robot, world, nodes, flat=True)
        stepping.record_motion(self.state, self._frames, 0)

    # --- commands

    def follow(self, gait: Any) -> None:
        """Take a compiled gait as the command: ideal joints are prescribed, servos aim at it."""
        kind, row, table = self._gait_source(gait)
        self._needs_angles()
        self._tell(at.FOLLOWED, kind, row, table)

    def drive(self, drive: Any) -> None:
        """Take a compiled drive as the command: torques."""
        if getattr(drive, "KIND", None) not in DRIVE_KINDS:
            raise InputError(
                f"the planar engine knows the drives {', '.join(DRIVE_KINDS.values())}, got {drive!r}"[:300]
            )
        row, table = check_drive(drive, drive.row(self.robot, len(self.joints)), len(self.joints))
        sampled = drive.KIND == SampledTorque.KIND  # a column per joint that bends: to one per joint
        table = widened(table, self.joints - 1, self.robot.links - 1) if sampled else table
        self._tell(at.DRIVE, drive.KIND, row, table)

    def track(self, t0: float, t1: float, curve: ArrayLike) -> None:
        """Let joints or aims follow a cubic and stay at its end: rows of `curve` (4, dof) are angle and rate at t0, then at t1."""
        self._needs_angles()
        curve = np.asarray(curve, dtype=float)
        if curve.shape != (4, len(self.joints)) or not math.isfinite(curve.ravel().dot(curve.ravel())):
            raise InputError(
                f"a curve to track must be 4 rows of {len(self.joints)} finite numbers, got shape {curve.shape}"
            )
        if not (math.isfinite(t0) and t0 < t1 < math.inf):
            raise InputError(f"a curve to track must end after it begins, got {t0!r} to {t1!r} s")
        joints, motion = self.state.joints, self.state.motion
        for row, values in zip((at.Q0, at.V0, at.Q1, at.V1), curve, strict=True):
            joints[row, self._columns] = values
        motion[at.T0], motion[at.T1] = t0, t1
        if motion[at.SOURCE] != at.TRACKED or self._explicit:
            self._tell(at.TRACKED)

    def push(self, torques: ArrayLike) -> None:
        """Hold torques on the joints from now on."""
        self.state.joints[at.PUSH, self._columns] = self._per_joint("torques", torques)
        if self.state.motion[at.SOURCE] != at.PUSHED or self._explicit:
            self._tell(at.PUSHED)

    def rest(self) -> None:
        """Command nothing: the joints are limp."""
        self._tell(at.NOTHING)

    def passive(self, mask: ArrayLike) -> None:
        """Leave joints without torque from now on, (dof,) of truth values."""
        free, row = self._per_joint("passive joints", mask), self.state.joints
        if self.ideal and self.state.motion[at.SOURCE] in (at.FOLLOWED, at.TRACKED):
            taken, wanted = (row[at.FREE, self.joints] > 0.0) & (free == 0.0), row[at.WANTED, self.joints]
            check_taken_up(taken, self.joint_angles(), wanted, self.joints)
        row[at.FREE, self.joints] = free
        if self.done > 0 or self.state.motion[at.SOURCE] != at.NOTHING:
            self._tell(float(self.state.motion[at.SOURCE]))

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

    def _gait_source(self, gait: Any) -> tuple[int, FloatArray, FloatArray]:
        """Kind, parameters and table of a gait, as the kernels need them."""
        if self._source is not None and self._source[0] is gait:  # its first posture was asked for
            return self._source[1]
        kind: Any = getattr(gait, "KIND", None)
        if kind not in PLANAR_GAITS:
            known = ", ".join(PLANAR_GAITS.values())
            lifts = "; other gaits lift the body and need a ground: sp.World(ground=sp.Ground()), and a robot of three dimensions"
            raise InputError(f"the planar engine knows the gaits {known}, got {gait!r}{lifts}")
        found = check_gait(gait, kind, gait.row(self.robot), self.robot)
        self._source = gait, found
        return found

    def _needs_angles(self) -> None:
        if not self._follows:
            raise InputError("joints without servos cannot follow angles; use ideal joints or give the robot a servo")

    def _tell(
        self, source: float, kind: int = 0, row: FloatArray | None = None, table: FloatArray | None = None
    ) -> None:
        """Change the source of commands, and with it the axes and the integrator's vector."""
        angles = source in (at.FOLLOWED, at.TRACKED)
        prescribed = angles and self.ideal and not self.state.joints[at.FREE].any()
        if self._explicit:
            self._check_explicit(prescribed, angles)
        if row is not None and table is not None:
            self._told = source
            self.constants.numbers[at.COMMAND] = kind
            self.constants = self.constants._replace(
                row=np.ascontiguousarray(row, dtype=float), table=np.ascontiguousarray(table, dtype=float)
            )
        # after torques servos begin to aim from where the joints are
        if angles and self.state.motion[at.SOURCE] in (at.DRIVE, at.PUSHED):
            self.state.joints[at.AIM, self.joints], self.state.joints[at.SAMPLE] = self.joint_angles(), -1.0
        self.state.motion[at.SOURCE] = source
        group = (self.constants, self.state, self.scratch)
        if prescribed:
            switch.prescribe(*group)
        elif source != at.NOTHING or self.state.motion[at.MODE] != at.PRESCRIBED:
            switch.release(*group)
        if self._explicit:
            runge_kutta.pack(*group)
            runge_kutta.slope(*group, self.time, self.state.vector[0], self.state.vector[1])
        if self.done == 0 and self._first_frame == 0:
            stepping.record_motion(self.state, self._frames, 0)

    def _check_explicit(self, prescribed: bool, angles: bool) -> None:
        """Refuse driven joints that only the implicit integrator can take."""
        act = self.constants.joints
        if not prescribed and (angles or np.any(act[at.LOCKED] > 0.0)):
            raise InputError('locked joints, and limp ones among prescribed ones, need integrator = "implicit"')
        if not prescribed and np.any(act[STOP_HIGH, 1:] < UNLIMITED):
            raise InputError(
                'a joint with stops (joint_limit) is stiff there and needs integrator = "implicit" under torques'
            )

    # --- time

    def advance(self, to: int) -> bool:
        """Advance to step number `to`; False if a number is not finite (then `done` is the last good step)."""
        motion = self.state.motion
        if to <= motion[at.DONE]:
            return True
        if motion[at.SOURCE] == at.NOTHING and motion[at.MODE] == at.PRESCRIBED:
            self._rest_from_start()
        room = to // self.stride + 1 - self._first_frame
        if room > len(self._frames.motion):
            self._grow(room)
        march = stepping.march_prescribed if motion[at.MODE] == at.PRESCRIBED else stepping.march_driven
        if self._explicit:
            march = stepping.march_explicit
        given = (self.constants, self.state, self.scratch, self._frames, self._first_frame, to)
        if march not in self._entries:  # compiled, or loaded, when first needed
            self._entries[march] = entry(march, *given)
        ended = self._entries[march](*given)
        if ended == stepping.AT_STOP:
            refuse_stop(int(self.sums[slot.FIRST_STOP_JOINT]), float(self.sums[slot.FIRST_STOP]))
        if ended == stepping.OUT_OF_RANGE:
            raise InputError(f"step {self.done} and frame {self._first_frame} do not lie in the record of this engine")
        if self.scratch.own.counts[FULL] > 0.0:
            raise InputError(TANGLED)
        if ended == stepping.UNKNOWN_KIND:
            raise InputError("the kernels do not know this kind of gait, drive or friction law")
        return bool(ended == stepping.FINE)

    def _rest_from_start(self) -> None:
        switch.release(self.constants, self.state, self.scratch)
        self._tell(at.NOTHING)

    def _room(self, frames: int) -> PlanarFrames:
        return PlanarFrames(
            np.zeros((frames, at.MOTION_SLOTS + slot.SLOTS)), np.zeros((frames, at.FRAME_ROWS, self.robot.links))
        )

    def _grow(self, frames: int) -> None:
        """Make room for more frames."""
        bigger = self._room(max(frames, 2 * len(self._frames.motion)))
        for old, new in zip(self._frames, bigger, strict=True):
            new[: len(old)] = old
        self._frames = bigger

    @property
    def done(self) -> int:
        """Steps taken; counted by the kernels themselves, so that an interrupt between two calls cannot lose any."""
        return int(self.state.motion[at.DONE])

    @property
    def time(self) -> float:
        """Time reached, s."""
        return self.done * self.dt

    @property
    def sums(self) -> FloatArray:
        """Accumulators; slots in `contact.sums`."""
        return self.state.sums

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
        check_steps(float(arrays["motion"][at.DONE]))
        source, mode = arrays["motion"][at.SOURCE], arrays["motion"][at.MODE]
        told = source not in (at.FOLLOWED, at.DRIVE) or source == self._told
        if not told or source not in range(5) or mode not in (at.PRESCRIBED, at.DRIVEN_JOINTS):
            raise InputError(f"this state does not belong to the robot: a command of kind {source:g}, mode {mode:g}")
        for name, own in self.arrays().items():
            own[...] = arrays[name]
        self.restart_record()

    def restart_record(self) -> None:
        """Begin the record anew: its first frame is now, or the next one due."""
        self._first_frame = -(-self.done // self.stride)
        self._frames = self._room(FIRST_FRAMES)
        if self.on_grid:
            self._write(self._frames, 0)

    def _write(self, frames: PlanarFrames, frame: int) -> None:
        """Write the present instant, with the forces of the last step, into a frame."""
        stepping.record_motion(self.state, frames, frame)
        stepping.record_forces(self.state, frames, frame)

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
        return np.asarray(times if self.on_grid else np.append(times, self.time), dtype=np.float64)

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
        first = first_frame(arrays["first"], self.done, self.stride)
        like, count = self._frames, self.done // self.stride + 1 - first
        if motion.shape != (count, *like.motion.shape[1:]) or links.shape != (count, *like.links.shape[1:]):
            raise InputError("these recorded frames do not belong to the simulation")
        self._first_frame, self._frames = first, PlanarFrames(motion, links)

    def variables(self) -> Mapping[str, Variable]:
        """Everything recorded, by name."""
        return recorded_variables(self)
