"""The planar engine: the one place where a planar robot's time advances.

`PlanarEngine` holds one robot's arrays (`layout`): constants, state, scratch. It has no horizon: `advance` goes to any later step,
and a frame is recorded every `stride` steps. However the time is divided into calls, and wherever the state is saved and put
back, the results are equal bit for bit.

Joints are ideal (a gait or a curve of angles prescribes them, or torques drive them), or carried by servos that aim at the gait
or curve. Commands may change at any step: the pose, the velocities and the momentum are carried over exactly.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from serpenoid.contact import sums as slot
from serpenoid.contact.joint import SERVO
from serpenoid.core import FloatArray, Robot, Start, Variable, World
from serpenoid.core.errors import InputError
from serpenoid.gaits import headings
from serpenoid.gaits.drives import DRIVES
from serpenoid.planar import runge_kutta, switch
from serpenoid.planar.command import DRIVE_KINDS, PLANAR_GAITS, PLANAR_KINDS, lock
from serpenoid.planar.constants import bending_joints, constants_for, servos_of
from serpenoid.planar.layout import (
    AIM,
    ANGLE,
    ANGLE0,
    COMMAND,
    DONE,
    DRIVE,
    EDGE_C,
    EDGE_S,
    FOLLOWED,
    FRAME_ROWS,
    FREE,
    JOINT_STATES,
    LAST_FN,
    LAST_FT,
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
from serpenoid.planar.record import flat, nodes_of, recorded_variables, upright
from serpenoid.planar.step import (
    FINE,
    UNKNOWN_KIND,
    march_driven,
    march_explicit,
    march_prescribed,
    record_motion,
)  # fmt: skip

FIRST_FRAMES = 64  # room for so many at the start; it doubles when it is full


class PlanarEngine:
    """One robot in time, in the plane."""

    def __init__(
        self, robot: Robot, world: World, start: Start, *, step: float, stride: int = 1, ideal: bool = True, first: Any = None,
        integrator: str = "implicit", tolerance: float | None = None,
    ) -> None:  # fmt: skip
        self.robot, self.ideal, self.dt, self.stride = robot, ideal, float(step), int(stride)
        if not (np.isfinite(step) and step > 0.0 and stride >= 1):
            raise InputError(f"the engine needs a step > 0 s and a stride >= 1, got {step!r} and {stride!r}")
        self.joints = np.array(bending_joints(robot), dtype=np.intp)
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
        self.sums = self.state.sums
        self._explicit = explicit
        self._first_frame = 0
        self._frames = self._room(FIRST_FRAMES)
        self._limp()
        self._begin(start, first)

    # --- how it begins

    def _limp(self) -> None:
        """Joints without torque from the start: those of the robot, and those without a servo among servos."""
        free = self.state.joints[FREE]
        free[list(self.robot.limp)] = 1.0
        servos = servos_of(self.robot, self.ideal)
        if any(servo is not None for servo in servos):
            free[1:][[servo is None for servo in servos]] = 1.0
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
        self.state.joints[AIM, self.joints] = self.state.joints[WANTED, self.joints] = self.angles
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
            raise InputError(f"the planar engine knows the drives {', '.join(DRIVES)}, got {drive!r}")
        row, table = drive.row(self.robot)
        self._tell(DRIVE, drive.KIND, row, table)

    def track(self, t0: float, t1: float, q0: ArrayLike, v0: ArrayLike, q1: ArrayLike, v1: ArrayLike) -> None:
        """Let joints or aims follow the cubic from (q0, v0) at time t0 to (q1, v1) at t1, and stay at its end."""
        self._needs_angles()
        joints, motion = self.state.joints, self.state.motion
        for row, name, values in ((Q0, "angles", q0), (V0, "rates", v0), (Q1, "angles", q1), (V1, "rates", v1)):
            joints[row, self.joints] = self._per_joint(f"{name} of the joints", values)
        motion[T0], motion[T1] = t0, t1
        if motion[SOURCE] != TRACKED or self._explicit:
            self._tell(TRACKED)

    def push(self, torques: ArrayLike) -> None:
        """Hold torques on the joints from now on."""
        self.state.joints[PUSH, self.joints] = self._per_joint("torques", torques)
        if self.state.motion[SOURCE] != PUSHED or self._explicit:
            self._tell(PUSHED)

    def rest(self) -> None:
        """Command nothing: the joints are limp."""
        self._tell(NOTHING)

    def passive(self, mask: ArrayLike) -> None:
        """Leave joints without torque from now on, (dof,) of truth values."""
        self.state.joints[FREE, self.joints] = self._per_joint("passive joints", mask)
        self._tell(float(self.state.motion[SOURCE]))

    def anchor(self, k: int, on: bool, place: Any = None, velocity: Any = (0.0, 0.0)) -> None:
        """Refuse: the plane has no anchors."""
        raise InputError("anchors hold a robot in space only; give the world a ground")

    def _per_joint(self, what: str, values: ArrayLike) -> FloatArray:
        array = np.asarray(values, dtype=float)
        if array.shape != self.joints.shape or not np.isfinite(array).all():
            raise InputError(
                f"{what} must be {len(self.joints)} finite numbers, one per joint that bends, got {values!r}"
            )
        return array

    def _gait_kind(self, gait: Any) -> int:
        kind = getattr(gait, "KIND", None)
        if kind not in PLANAR_KINDS:
            raise InputError(f"the planar engine knows the gaits {', '.join(PLANAR_GAITS)}, got {gait!r}")
        return int(kind)

    def _needs_angles(self) -> None:
        if not self.ideal and not np.any(self.constants.joints[SERVO] > 0.0):
            raise InputError("joints without servos cannot follow angles; use ideal joints or give the robot a servo")

    def _tell(
        self, source: float, kind: int = 0, row: FloatArray | None = None, table: FloatArray | None = None
    ) -> None:
        """Change the source of commands, and with it the axes and the integrator's vector."""
        if row is not None and table is not None:
            self.constants.numbers[COMMAND] = kind
            self.constants = self.constants._replace(
                row=np.ascontiguousarray(row, dtype=float), table=np.ascontiguousarray(table, dtype=float)
            )
        self.state.motion[SOURCE] = source
        group = (self.constants, self.state, self.scratch)
        angles, free = source in (FOLLOWED, TRACKED), bool(self.state.joints[FREE].any())
        prescribed = angles and not free and not np.any(self.constants.joints[SERVO] > 0.0)
        if prescribed:
            switch.prescribe(*group)
        elif source != NOTHING or self.state.motion[MODE] != PRESCRIBED:
            switch.release(*group)
        if self._explicit:
            if not prescribed and (angles or np.any(self.constants.joints[LOCKED] > 0.0)):
                raise InputError('locked joints, and limp ones among prescribed ones, need integrator = "implicit"')
            runge_kutta.pack(*group)
            runge_kutta.slope(*group, self.time, self.state.vector[0], self.state.vector[1])
        if self.done == 0 and self._first_frame == 0:
            record_motion(self.state, self._frames, 0)

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

    # --- what is seen

    @property
    def angles(self) -> FloatArray:
        """Joint angles, (dof,) rad."""
        heading = self.state.links[ANGLE0]
        return heading[self.joints] - heading[self.joints - 1]

    @property
    def rates(self) -> FloatArray:
        """Joint rates, (dof,) rad/s."""
        turn = self.state.links[TURN0]
        return turn[self.joints] - turn[self.joints - 1]

    @property
    def torques(self) -> FloatArray:
        """Torques of the actuators in the last step, (dof,) N m."""
        return self.state.joints[TORQUE, self.joints]

    @property
    def aims(self) -> FloatArray:
        """Where the servos aim, (dof,) rad; the angles themselves with ideal joints."""
        return self.angles if self.ideal else self.state.joints[AIM, self.joints]

    def _headings(self) -> FloatArray:
        return self.state.links[ANGLE0] + self.state.motion[PSI]

    def heading(self) -> float:
        """Mean direction of the links, rad, without jumps."""
        return float(self._headings().mean())

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
        edge = self._headings() + np.arctan2(self.constants.links[EDGE_S], self.constants.links[EDGE_C])
        c, s, along, across = np.cos(edge), np.sin(edge), self.state.links[LAST_FT], self.state.links[LAST_FN]
        return flat(c * along - s * across, s * along + c * across)

    # --- what is kept

    def arrays(self) -> dict[str, FloatArray]:
        """Live views of the whole state, by name."""
        return self.state._asdict()

    def put(self, arrays: Mapping[str, Any]) -> None:
        """Continue from a state of the same robot, world, step and command; frames recorded so far are forgotten."""
        for name, own in self.arrays().items():
            given = np.asarray(arrays.get(name, np.nan), dtype=float)
            if given.shape != own.shape or not np.isfinite(given).all():
                raise InputError(
                    f"this state does not belong to the robot: {name} is missing, not finite or of another shape"
                )
        for name, own in self.arrays().items():
            own[...] = arrays[name]
        self._first_frame = self.done // self.stride + 1
        self._frames = self._room(FIRST_FRAMES)

    @property
    def frames(self) -> int:
        """Frames recorded so far."""
        return self.done // self.stride + 1 - self._first_frame

    def frame_times(self) -> FloatArray:
        """Times of the frames recorded, s."""
        return np.arange(self._first_frame, self._first_frame + self.frames) * (self.stride * self.dt)

    def recorded(self) -> tuple[FloatArray, FloatArray]:
        """Recorded frames: motion and sums (f, .), values of the links (f, FRAME_ROWS, n)."""
        return self._frames.motion[: self.frames], self._frames.links[: self.frames]

    def variables(self) -> dict[str, Variable]:
        """Everything recorded, by name."""
        return recorded_variables(self)
