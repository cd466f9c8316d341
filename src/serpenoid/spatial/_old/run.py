"""The spatial engine: the one place where a robot's time advances in three dimensions.

`SpatialRun` is to `engines.spatial_step` what `PlanarRun` is to the planar steps: it holds one robot's arrays and advances
them in stretches; its whole state is a few arrays, from which it continues bit for bit. Modes: "shape" (joints prescribed by
a gait), "servo" (the gait is what position servos aim at), "torque".
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from serpenoid.compiled import kernel, njit
from serpenoid.contact import patch_table
from serpenoid.contact import sums as tally
from serpenoid.core import FloatArray, Robot, Start, World
from serpenoid.core.actuator import Servo
from serpenoid.core.errors import InputError
from serpenoid.gaits.drives import torques
from serpenoid.gaits.joints import joint_angles, source_of
from serpenoid.spatial._old.anchors import P_FX, P_FY
from serpenoid.spatial._old.contacts import surface_of
from serpenoid.spatial._old.dynamics import kinetic_energy, momenta
from serpenoid.spatial._old.kinematics import (
    AIM,
    EX,
    HA,
    KD,
    KP,
    LIMIT,
    NA,
    PJ,
    QD,
    QP,
    SPEED,
    TAU,
    Q,
    W,
    body_for,
    chain_of,
    place,
    spread_twists,
)  # fmt: skip
from serpenoid.spatial._old.spots import LINK, NORMAL, NX, SX, TX, slots_of, terrain_of
from serpenoid.spatial._old.start import begin, check_start
from serpenoid.spatial._old.step import (
    AW,
    AX,
    AY,
    AZ,
    DONE,
    KINETIC,
    MOTION_SLOTS,
    VX,
    WX,
    X,
    Y,
    Z,
    carry,
    drive_step,
    face,
    shape_step,
)  # fmt: skip
from serpenoid.spatial._old.touch import FN, FT, VN, VT
from serpenoid.spatial._old.walls import Walls

# columns of a recorded frame, one row a link; world axes
PLACE, AXIS, BACK, FORCE = 0, 3, 6, 9  # tail-side joint, direction, back, contact force; three each
PRESS, TOUCHING, SLIP_T, SLIP_N, FORCE_T, FORCE_N, SPIN = 12, 13, 14, 15, 16, 17, 18
FRAME_COLUMNS = 19
MODES = ("shape", "servo", "torque")
UNLIMITED = 1e300


class Source(NamedTuple):
    """A gait or a drive for the kernels; `hold` is the servos' control period (0: continuous)."""

    kind: int
    par: FloatArray
    tab: FloatArray
    hold: float


class Record(NamedTuple):
    """Recorded frames: motion (f, MOTION_SLOTS), links (f, n, FRAME_COLUMNS), joints (f, m, 3): angle, rate, torque; sums; pins (f, pins, 2): forces."""

    motion: FloatArray
    links: FloatArray
    joints: FloatArray
    sums: FloatArray
    pins: FloatArray


@kernel
def record_pose(chain, b, d, q, acc, rec, frame):
    """Write pose, rates and sums into a frame; b and d are scratch copies."""
    face(b, q[AW], q[AX], q[AY], q[AZ])
    place(chain, b, d)
    rec.motion[frame, :] = q
    rec.sums[frame, :] = acc
    for e in range(3):
        b[0, W + e] = q[WX + e]
        b[0, W + 3 + e] = 0.0
    spread_twists(chain, b, d, QD)
    for i in range(b.shape[0]):
        row = rec.links[frame, i]
        row[PLACE], row[PLACE + 1], row[PLACE + 2] = q[X] + b[i, PJ], q[Y] + b[i, PJ + 1], q[Z] + b[i, PJ + 2]
        for e in range(3):
            row[AXIS + e] = b[i, EX + e]
            row[BACK + e] = b[i, EX + 6 + e]
        row[SPIN] = b[i, W] * b[i, EX] + b[i, W + 1] * b[i, EX + 1] + b[i, W + 2] * b[i, EX + 2]
    for k in range(d.shape[0]):
        rec.joints[frame, k, 0], rec.joints[frame, k, 1] = d[k, Q], d[k, QD]


@kernel
def record_forces(surface, d, count, rec, frame):
    """Write contact forces and torques of the last step into a frame."""
    links = rec.links[frame]
    links[:, FORCE : FORCE_N + 1] = 0.0
    for a in range(count):
        spot, row = surface.spots[a], links[int(surface.spots[a, LINK])]
        n, t, s = spot[NORMAL], surface.touch[FT, a], surface.touch[FN, a]
        for e in range(3):
            row[FORCE + e] += n * spot[NX + e] + t * spot[TX + e] + s * spot[SX + e]
        row[PRESS] += n
        row[FORCE_T] += t
        row[FORCE_N] += s
        if n > 0.0:
            row[TOUCHING] += 1.0
            row[SLIP_T] += surface.touch[VT, a]
            row[SLIP_N] += surface.touch[VN, a]
    for i in range(links.shape[0]):
        if links[i, TOUCHING] > 0.0:
            links[i, SLIP_T] /= links[i, TOUCHING]
            links[i, SLIP_N] /= links[i, TOUCHING]
    for k in range(d.shape[0]):
        rec.joints[frame, k, 2] = d[k, TAU]
    for k in range(surface.pins.shape[0]):
        rec.pins[frame, k, 0], rec.pins[frame, k, 1] = surface.pins[k, P_FX], surface.pins[k, P_FY]


@njit
def aim_gait(chain, d, aim, shape, dt):
    """Hand the gait's angles to the degrees of freedom: prescribed, or as targets that move at most at the speed limit."""
    for i in range(1, aim.shape[1]):
        for k in range(chain.first[i], chain.first[i + 1]):
            row = 2 * chain.axis[k]
            if shape:
                d[k, AIM], d[k, QP] = aim[row, i], aim[row + 1, i]
            else:
                most = d[k, SPEED] * dt
                d[k, AIM] += min(max(aim[row, i] - d[k, AIM], -most), most)


@kernel
def march(
    mode, chain, terrain, surface, source, b, d, q, acc, aim, b2, d2, k0, k1, dt, gravity, tolerance, share, stride, rec
):
    """Steps k0 to k1; returns the step reached. Modes: 0 shape, 1 servo, 2 torque."""
    for k in range(k0, k1):
        t = (k + 1) * dt
        if mode == 2:
            torques(source.kind, source.par, source.tab, t, aim, 0)
            for j in range(d.shape[0]):
                d[j, AIM] = aim[0, j + 1]
        else:
            held = t if source.hold <= 0.0 else source.hold * np.floor(t / source.hold * (1.0 + 1e-12))
            joint_angles(source.kind, source.par, source.tab, held, aim)
            aim_gait(chain, d, aim, mode == 0, dt)
        if mode == 0:
            good, count = shape_step(chain, terrain, surface, b, d, q, acc, t, dt, gravity, tolerance, share)
        else:
            good, count = drive_step(chain, terrain, surface, b, d, q, acc, t, dt, gravity, tolerance, share)
        if not good:
            return k
        q[DONE] = k + 1
        if k == 0:
            record_forces(surface, d, count, rec, 0)
        if (k + 1) % stride == 0:
            frame = (k + 1) // stride
            d2[:, :] = d
            record_pose(chain, b2, d2, q, acc, rec, frame)
            record_forces(surface, d, count, rec, frame)
    return k1


class SpatialRun:
    """One robot in time and space."""

    def __init__(
        self, robot: Robot, gait: Any, drive: Any, world: World, start: Start, *, mode: str, duration: float, steps: int,
        stride: int, servo: Servo | None = None, tolerance: float | None = None, pins: FloatArray | None = None,
        walls: Walls | None = None,
    ) -> None:  # fmt: skip
        if mode not in MODES:
            raise InputError(f"mode must be one of {', '.join(MODES)}, got {mode!r}")
        self.mode = MODES.index(mode)
        self.robot, self.world = robot, world
        self.steps, self.stride, self.dt, self.gravity = steps, stride, duration / steps, world.gravity
        self.tolerance = tolerance or min(1e-5, 1e-2 * getattr(world.friction, "smoothing", 1.0))
        self.chain = chain_of(robot, np.asarray(world.edge_angle, dtype=float))
        self.terrain = terrain_of(robot, world, patch_table(world))
        self.surface = surface_of(
            world.friction, world.gravity, robot.links, slots_of(robot, self.terrain), pins, walls
        )
        self.b, self.d = body_for(robot)
        self.b2, self.d2 = self.b.copy(), self.d.copy()
        self.q, self.acc = np.zeros(MOTION_SLOTS), np.zeros(tally.SLOTS)
        self.aim = np.zeros((4, max(robot.links, len(self.d) + 1)))[
            :, : robot.links if mode != "torque" else None
        ].copy()
        self.source = self._source(robot, gait, drive, duration, servo)
        frames = steps // stride + 1
        self.rec = Record(
            np.zeros((frames, MOTION_SLOTS)), np.zeros((frames, robot.links, FRAME_COLUMNS)),
            np.zeros((frames, len(self.d), 3)), np.zeros((frames, tally.SLOTS)),
            np.zeros((frames, len(self.surface.pins), 2)),
        )  # fmt: skip
        self._begin(gait, start, duration)

    def _source(self, robot: Robot, gait: Any, drive: Any, duration: float, servo: Servo | None) -> Source:
        """The gait or the drive; servo gains go into d."""
        self.d[:, LIMIT], self.d[:, SPEED] = UNLIMITED, UNLIMITED
        if self.mode == 2:
            if drive is None:
                raise InputError("a torque-driven run needs a drive")
            self.d[:, KP] = -1.0
            par, tab = drive.row(robot, len(self.d))
            return Source(drive.KIND, par, tab, 0.0)
        if gait is None:
            raise InputError("a run in shape or servo mode needs a gait")
        if self.mode == 0 and robot.limp:
            raise InputError('limp joints cannot be prescribed; use mode = "servo"')
        hold = 0.0
        if self.mode == 1:
            servo = servo or Servo()
            self.d[:, KP], self.d[:, KD] = servo.stiffness, servo.damping
            self.d[:, LIMIT] = UNLIMITED if servo.torque_limit is None else servo.torque_limit
            self.d[:, SPEED] = UNLIMITED if servo.speed_limit is None else servo.speed_limit
            hold = servo.control_period
        kind, par, tab = source_of(gait, robot, duration)
        return Source(kind, par, tab, hold)

    def _begin(self, gait: Any, start: Start, duration: float) -> None:
        """Put the body in its first posture on the ground, with its first momenta."""
        b, d, q = self.b, self.d, self.q
        if self.mode != 2:
            joint_angles(self.source.kind, self.source.par, self.source.tab, 0.0, self.aim)
            aim_gait(self.chain, d, self.aim, True, self.dt)
            d[:, Q] = d[:, AIM]
            d[:, QD] = d[:, QP] if self.mode == 0 else 0.0
        elif gait is not None:
            first = np.zeros((4, self.robot.links))
            joint_angles(*source_of(gait, self.robot, duration), 0.0, first)
            aim_gait(self.chain, d, first, True, self.dt)
            d[:, Q] = d[:, AIM]
        begin(self.robot, gait, self.world, start, self.chain, self.terrain, b, d, q)
        momenta(self.chain, b)
        b[:, HA : HA + 6] = b[:, NA : NA + 6]
        carry(self.chain, b, *(-q[VX : VX + 3]))
        q[KINETIC] = kinetic_energy(b)
        weight = self.robot.mass * self.gravity
        self.acc[tally.KINETIC] = self.acc[tally.KINETIC_START] = q[KINETIC]
        self.acc[tally.POTENTIAL] = self.acc[tally.POTENTIAL_START] = weight * q[Z]
        check_start(self.robot, self.world, self.chain, self.terrain, self.surface, b, q)
        self.d2[:, :] = d
        record_pose(self.chain, self.b2, self.d2, q, self.acc, self.rec, 0)

    def advance(self, to: int) -> bool:
        """Advance to step `to`; False if the run diverged (then `done` is the last good step)."""
        to = min(to, self.steps)
        reached = march(
            self.mode, self.chain, self.terrain, self.surface, self.source, self.b, self.d, self.q, self.acc, self.aim,
            self.b2, self.d2, self.done, to, self.dt, self.gravity, self.tolerance, 1.0 / self.terrain.ground[6], self.stride,
            self.rec,
        )  # fmt: skip
        return int(reached) == to

    @property
    def done(self) -> int:
        """Steps taken."""
        return int(self.q[DONE])

    @property
    def time(self) -> float:
        """Time reached, s."""
        return self.done * self.dt

    @property
    def frames(self) -> int:
        """Frames recorded so far."""
        return self.done // self.stride + 1

    def state(self) -> dict[str, FloatArray]:
        """Everything needed to continue, as copies."""
        arrays = {name: getattr(self, name).copy() for name in ("b", "d", "q", "acc")}
        frames = {
            f"rec_{name}": values[: self.frames].copy() for name, values in zip(self.rec._fields, self.rec, strict=True)
        }
        return {
            **arrays, **frames, "store": self.surface.store.copy(), "stamp": self.surface.stamp.copy(), "pins": self.surface.pins.copy(),
            "gates": self.surface.gates.copy(),
            "grid": np.array([self.dt, float(self.steps), float(self.stride)]),
        }  # fmt: skip

    def restore(self, state: Mapping[str, Any]) -> None:
        """Continue from a state that `state` returned for the same robot, world and step."""
        own = {name: getattr(self, name) for name in ("b", "d", "q", "acc")}
        own |= {
            "store": self.surface.store,
            "stamp": self.surface.stamp,
            "pins": self.surface.pins,
            "gates": self.surface.gates,
        }
        for name, array in own.items():
            if name not in state or np.shape(state[name]) != array.shape:
                raise InputError(f"this state does not belong to the run: {name} is missing or has another shape")
            array[...] = state[name]


__all__ = ["MODES", "VX", "Record", "SpatialRun", "X", "Y"]
