"""The spatial engine: the one place where a robot's time advances in three dimensions.

`SpatialEngine` holds one robot's arrays (`spatial.layout`): constants, state, scratch, and the frames recorded so far. It has no
horizon: `advance(to)` takes steps up to a number, and however the way is cut, the results are equal bit for bit. Time is k dt with the
step counter k of the state.

| command | ideal joints | otherwise |
|---|---|---|
| `follow(gait)`, `track(curve)` | prescribed exactly | servos aim at it |
| `drive(drive)`, `push(torques)` | torques | torques |
| none | no torque | no torque |

A change of command carries pose, velocities and momenta over as they are.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from serpenoid.compiled import entry
from serpenoid.contact.joint import SERVO, STOP_HIGH, STOP_LOW
from serpenoid.contact.self_contact import FULL, TANGLED, check_apart
from serpenoid.contact.smoothing import first_smoothing
from serpenoid.contact.spots import G_STIFF
from serpenoid.contact.sums import KINETIC, KINETIC_START, POTENTIAL_START, SMOOTHING, totals
from serpenoid.contact.taken_up import check_posture, check_taken_up
from serpenoid.core import FloatArray, Robot, Start, Variable, World
from serpenoid.core.checks import check_steps, first_frame
from serpenoid.core.errors import InputError
from serpenoid.gaits.joints import joint_angles, source_of
from serpenoid.gaits.rows import check_drive
from serpenoid.spatial.anchors import AT_X, ON, PULL_X, SPEED_X
from serpenoid.spatial.command import DRIVE_KINDS, GAIT_KINDS
from serpenoid.spatial.layout import (
    AIM,
    ANGLE,
    COMMAND_KIND,
    DONE,
    DRIVE,
    ENERGY_START,
    FROM,
    FROM_ANGLE,
    FROM_RATE,
    GAIT,
    HELD,
    IDLE,
    KINETIC_MAX,
    LEAST,
    MODE,
    PASSIVE,
    PUSH,
    RATE,
    TARGET,
    TO,
    TO_ANGLE,
    TO_RATE,
    TRACK,
)  # fmt: skip
from serpenoid.spatial.march import (
    GOOD,
    OUT_OF_RANGE,
    UNKNOWN,
    frame_size,
    keep_frame,
    march,
    place_state,
    record_frame,
)
from serpenoid.spatial.readings import SpatialReadings
from serpenoid.spatial.record import variables_of
from serpenoid.spatial.setup import constants_of, grounded, has_memory, scratch_of, state_of
from serpenoid.spatial.start import begin

FIRST_ROOM = 4  # frames, little where thousands of robots begin; it doubles when it is full


class SpatialEngine(SpatialReadings):
    """One robot in time and space."""

    NAME = "spatial"

    def __init__(
        self, robot: Robot, world: World, start: Start, *, step: float, stride: int, ideal: bool, first: Any = None,
        integrator: str = "implicit", tolerance: float | None = None,
    ) -> None:  # fmt: skip
        if integrator != "implicit":
            raise InputError(f'the spatial engine has only the integrator "implicit", got {integrator!r}')
        self.robot, self.world, self.start, self.ideal = robot, grounded(world), start, bool(ideal)
        self.dt, self.stride, self.axes = float(step), int(stride), robot.axes
        self.constants = constants_of(
            robot, self.world, step=self.dt, stride=self.stride, ideal=ideal, tolerance=tolerance
        )  # fmt: skip
        self.state = state_of(self.constants, has_memory(world.friction))
        self.scratch = scratch_of(self.constants)
        self._last, self._first_frame = 0, 0
        self._told = IDLE  # whose numbers the constants hold: a gait's or a drive's
        n, m, k = robot.links, len(self.axes), self.state.anchors.shape[1]
        self.record = np.zeros((FIRST_ROOM, frame_size(n, m, k)))
        self._march_entry = entry(march, self.constants, self.state, self.scratch, self.record, 0, 0)
        self._place_entry = entry(place_state, self.constants, self.state, self.scratch)
        self._set_posture(first)
        begin(self, start, first)
        check_apart(robot, world, self.nodes(), flat=False)
        least, kinetic = float(self.constants.numbers[LEAST]), float(self.state.sums[KINETIC])
        self.state.sums[SMOOTHING] = first_smoothing(world.friction, least, kinetic, robot.mass)
        self.restart_record()

    def _set_posture(self, first: Any) -> None:
        """Joint angles at t = 0: those of a gait (with its rates, if the joints are ideal), given ones, or zero."""
        dofs = self.state.dofs
        if hasattr(first, "KIND") or hasattr(first, "joint_angles"):
            rows = self.scratch.command
            joint_angles(*source_of(first, self.robot), 0.0, rows)
            for k, (joint, _) in enumerate(self.axes):
                row = 2 * self.constants.chain.kinds[k]
                moving = self.ideal or self.start.rates == "posture"
                dofs[ANGLE, k], dofs[RATE, k] = rows[row, joint], rows[row + 1, joint] if moving else 0.0
        elif first is not None:
            dofs[ANGLE] = self._each("first", first)
        if self.start.rates is not None and not isinstance(self.start.rates, str):
            dofs[RATE] = self._each("start.rates", np.atleast_1d(self.start.rates))
        self._stop_posture()
        dofs[TARGET] = dofs[AIM] = dofs[ANGLE]

    def _stop_posture(self) -> None:
        """Ideal joints begin at their stops at most; for others a posture beyond them is refused."""
        dofs, stops = self.state.dofs, self.constants.chain.actuators[STOP_LOW : STOP_HIGH + 1]
        beyond = (dofs[ANGLE] < stops[0] * (1.0 + 1e-9)) | (dofs[ANGLE] > stops[1] * (1.0 + 1e-9))
        if not self.ideal:
            check_posture(dofs[ANGLE], stops[1], [joint for joint, _ in self.axes])
            return
        dofs[RATE, beyond] = 0.0
        dofs[ANGLE] = np.clip(dofs[ANGLE], *stops)

    def _each(self, name: str, values: ArrayLike) -> FloatArray:
        """Finite numbers of the degrees of freedom, (dof,)."""
        array = np.asarray(values, dtype=float)
        if array.shape != (len(self.axes),) or not isfinite(array.dot(array)):
            raise InputError(
                f"{name} must be {len(self.axes)} finite numbers, one for each degree of freedom of {self.robot.name}; got shape {array.shape}"
            )
        return array

    # commands

    def _command(self, mode: int, kind: int, par: ArrayLike, tab: ArrayLike) -> None:
        self._told = mode
        self.constants.numbers[COMMAND_KIND] = kind
        rows = np.array(par, dtype=float, order="C", ndmin=1), np.array(tab, dtype=float, order="C", ndmin=2)
        self.constants = self.constants._replace(par=rows[0], tab=rows[1])

    def _check_angles(self) -> None:
        """Refuse angles that nothing would bring about."""
        if not self.ideal and len(self.axes) and not np.any(self.constants.chain.actuators[SERVO] > 0.0):
            raise InputError(f"{self.robot.name} has no servos that could aim at angles; give it a servo, or torques")

    def follow(self, gait: Any) -> None:
        """Take a compiled gait as the command."""
        self._check_angles()
        kind, par, tab = source_of(gait, self.robot)
        if kind not in GAIT_KINDS:
            raise InputError(f"the spatial engine does not know gaits of kind {kind} ({gait!r})"[:200])
        self._command(GAIT, kind, par, tab)
        self._aim_on()
        self.state.motion[MODE] = GAIT

    def drive(self, drive: Any) -> None:
        """Take a compiled drive, torques over time, as the command."""
        if getattr(drive, "KIND", None) not in DRIVE_KINDS:
            raise InputError(f"the spatial engine does not know the drive {drive!r}"[:200])
        self._command(DRIVE, drive.KIND, *check_drive(drive, drive.row(self.robot, len(self.axes)), len(self.axes)))
        self.state.motion[MODE] = DRIVE
        self.state.dofs[TARGET] = np.nan

    def track(self, t0: float, t1: float, curve: ArrayLike) -> None:
        """Let joints or aims follow a cubic: rows of `curve` (4, dof) are angle and rate at t0, then at t1."""
        if not t1 > t0:
            raise InputError(f"a curve to track must end after it begins, got {t0!r} to {t1!r} s")
        curve = np.asarray(curve, dtype=float)
        if curve.shape != (4, len(self.axes)) or not math.isfinite(curve.ravel().dot(curve.ravel())):
            raise InputError(
                f"a curve to track must be 4 rows of {len(self.axes)} finite numbers, got shape {curve.shape}"
            )
        motion, dofs = self.state.motion, self.state.dofs
        if motion[MODE] != TRACK:
            self._check_angles()
            self._aim_on()
        for row, values in zip((FROM_ANGLE, FROM_RATE, TO_ANGLE, TO_RATE), curve, strict=True):
            dofs[row] = values
        motion[MODE], motion[FROM], motion[TO] = TRACK, t0, t1

    def push(self, torques: ArrayLike) -> None:
        """Hold these torques (N m) until told otherwise."""
        self.state.dofs[HELD] = self._each("torques", torques)
        self.state.dofs[TARGET] = np.nan
        self.state.motion[MODE] = PUSH

    def _aim_on(self) -> None:
        """After torques: servos begin to aim from where the joints are."""
        dofs = self.state.dofs
        lost = np.isnan(dofs[TARGET])
        dofs[AIM, lost] = dofs[TARGET, lost] = dofs[ANGLE, lost]

    def passive(self, mask: ArrayLike) -> None:
        """Leave these joints (dof,) without torque from now on, the others not."""
        free = np.asarray(mask, dtype=bool)
        if free.shape != (len(self.axes),):
            raise InputError(f"passive must be {len(self.axes)} truth values, got shape {free.shape}")
        if self.ideal and self.state.motion[MODE] in (GAIT, TRACK):
            dofs = self.state.dofs
            check_taken_up((dofs[PASSIVE] > 0.0) & ~free, dofs[ANGLE], dofs[TARGET], [joint for joint, _ in self.axes])
        self.state.dofs[PASSIVE] = free

    def anchor(self, k: int, on: bool, place: ArrayLike | None = None, velocity: ArrayLike = (0.0, 0.0)) -> None:
        """Set anchor k at a place (x, y) in m (None: where its point is, or where it holds already), or release it."""
        table = self.state.anchors
        if not 0 <= k < table.shape[1]:
            raise InputError(f"there are {table.shape[1]} anchors; {k!r} is not one of them")
        if not on:
            table[ON, k], table[PULL_X : PULL_X + 2, k] = 0.0, 0.0
            return
        speed = np.asarray(velocity, dtype=float)
        if place is not None:
            here = np.asarray(place, dtype=float)
        elif table[ON, k] > 0.0:
            here = table[AT_X : AT_X + 2, k] - self.dt * table[SPEED_X : SPEED_X + 2, k]
        else:
            here = self.anchor_points()[k, :2]
        if here.shape != (2,) or speed.shape != (2,) or not np.isfinite([here, speed]).all():
            raise InputError(f"place and velocity of an anchor must be two finite numbers, got {place!r}, {velocity!r}")
        table[ON, k], table[AT_X : AT_X + 2, k], table[SPEED_X : SPEED_X + 2, k] = 1.0, here + self.dt * speed, speed

    # time

    def advance(self, to: int) -> bool:
        """Advance to step number `to`; False if numbers are not finite (then `done` is the last good step)."""
        if to <= self.done:
            return True
        if self.done != self._last:
            self.restart_record()
        need = to // self.stride + 1 - self._first_frame
        if need > len(self.record):
            grown = np.zeros((max(need, 2 * len(self.record)), self.record.shape[1]))
            grown[: len(self.record)] = self.record
            self.record = grown
        status = self._march(to)
        self._last = self.done
        if self.scratch.contacts.own.counts[FULL] > 0.0:
            raise InputError(TANGLED)
        if status == OUT_OF_RANGE:
            raise InputError(f"step {self.done} and frame {self._first_frame} do not lie in the record of this engine")
        if status == UNKNOWN:
            raise InputError("the kernels do not know the kind of gait, drive or friction law of this run")
        return bool(status == GOOD)

    def _march(self, to: int) -> int:
        """Take the steps up to number `to`; GOOD, DIVERGED or UNKNOWN."""
        return int(self._march_entry(self.constants, self.state, self.scratch, self.record, self._first_frame, to))

    def restart_record(self) -> None:
        """Begin the record anew: its first frame is now, or the next one due."""
        self._last = self.done
        self._first_frame = -(-self.done // self.stride)
        if self.done % self.stride == 0:
            keep_frame(self.constants, self.state, self.scratch, self.record[0])

    @property
    def done(self) -> int:
        """Steps taken."""
        return int(self.state.motion[DONE])

    @property
    def time(self) -> float:
        """Time reached, s."""
        return self.done * self.dt

    @property
    def frames(self) -> int:
        """Frames recorded so far."""
        return self.done // self.stride + 1 - self._first_frame

    @property
    def first_frame(self) -> int:
        """Number of the first frame of the record: its time over that between frames."""
        return self._first_frame

    @property
    def sums(self) -> FloatArray:
        """Accumulators; slots in `contact.sums`."""
        return self.state.sums

    # what is

    @property
    def on_grid(self) -> bool:
        """Whether a frame lies at the present instant."""
        return self.done % self.stride == 0

    def rows(self) -> FloatArray:
        """The frames recorded, and one of the present instant where none lies there."""
        kept = self.record[: self.frames]
        if self.on_grid:
            return kept
        now = np.zeros(self.record.shape[1])
        record_frame(self.constants, self.state, self.scratch, now)
        return np.vstack([kept, now])

    def recorded(self) -> dict[str, FloatArray]:
        """The frames recorded, to be saved."""
        return {"frames": self.record[: self.frames].copy(), "first": np.array([float(self._first_frame)])}

    def put_recorded(self, arrays: Mapping[str, Any]) -> None:
        """Take over frames that `recorded` gave, up to the present step."""
        frames = np.array(arrays["frames"], dtype=float, order="C")
        first = first_frame(arrays["first"], self.done, self.stride)
        if frames.shape != (self.done // self.stride + 1 - first, self.record.shape[1]):
            raise InputError("these recorded frames do not belong to the simulation")
        self.record, self._first_frame, self._last = frames, first, self.done

    def totals(self) -> dict[str, float]:
        """What the run has added up, by name."""
        q = self.state.motion
        start = q[ENERGY_START] - self.state.sums[KINETIC_START] - self.state.sums[POTENTIAL_START]
        return {
            **totals(self.state.sums),
            "kinetic_max": float(q[KINETIC_MAX]),
            "spring_start": float(start),
            "ground_stiffness": float(self.constants.terrain.ground[G_STIFF]),
        }

    def arrays(self) -> dict[str, FloatArray]:
        """The whole state, live."""
        return self.state._asdict()

    def put(self, arrays: Mapping[str, Any]) -> None:
        """Take over a state of the same robot, world and step."""
        own = self.state._asdict()
        for name, array in own.items():
            if name not in arrays or np.shape(arrays[name]) != array.shape:
                raise InputError(
                    f"this state does not belong to the simulation: {name} is missing or has another shape"
                )
        dofs = np.delete(np.asarray(arrays["dofs"], dtype=float), TARGET, axis=0)
        for name, values in (
            *((k, arrays[k]) for k in ("motion", "momenta", "sums", "memory", "anchors")),
            ("dofs", dofs),
        ):
            if not np.isfinite(values).all():
                raise InputError(f"this state has numbers that are not finite in {name}")
        check_steps(float(arrays["motion"][DONE]))
        mode = arrays["motion"][MODE]
        if mode not in range(5) or (mode in (GAIT, DRIVE) and mode != self._told):
            raise InputError(f"this state does not belong to the simulation: its command is of kind {mode:g}")
        for name, array in own.items():
            array[...] = arrays[name]

    def variables(self) -> Mapping[str, Variable]:
        """Everything recorded, by name."""
        return variables_of(self)
