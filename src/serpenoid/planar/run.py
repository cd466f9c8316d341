"""The planar engine: the one place where a planar robot's time advances.

`PlanarRun` holds one robot's arrays and advances them in stretches of steps, so that a caller can show progress,
stop and continue. Its whole state is a few arrays (`state`): a run continued from them equals the uninterrupted one
bit for bit. Every `stride` steps a frame is recorded; forces and torques of a frame are those of the step that ends
there.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from serpenoid.compiled import kernel, njit
from serpenoid.contact import Bristle, Frictionless, limits_table, patch_table
from serpenoid.contact import sums as tally
from serpenoid.contact.touch import FN, FT, TOUCH_ROWS, VN, VT
from serpenoid.core import Drive, FloatArray, Gait, Robot, Start, World, per_item
from serpenoid.core.errors import InputError
from serpenoid.frames import sincos1
from serpenoid.gaits import headings
from serpenoid.planar import runge_kutta
from serpenoid.planar import shape_step as implicit_shape
from serpenoid.planar import torque_step as implicit_torque
from serpenoid.planar.dynamics import chain_space
from serpenoid.planar.kinematics import ANGLE, FX, FY, JX, JY, RATE, TAU, body_for, chain_of, tail_offset
from serpenoid.planar.shape_step import DONE, MOTION_SLOTS, PSI, TURN, VX, VY, X, Y

INTEGRATORS = {"implicit": 0, "euler": 1, "rk4": 4}

# rows of a recorded frame, one value a link; world axes
HEADING, SPEED, TORQUE, JOINT_X, JOINT_Y, FORCE_X, FORCE_Y, SLIP_T, SLIP_N, FORCE_T, FORCE_N = range(11)
FRAME_ROWS = 11


class Law(NamedTuple):
    """A friction law and the ground for the kernels."""

    kind: int
    scalars: FloatArray
    limits: FloatArray
    memory: FloatArray
    plain: FloatArray
    scale: FloatArray
    patches: FloatArray


class Source(NamedTuple):
    """A gait or a drive for the kernels."""

    kind: int
    par: FloatArray
    tab: FloatArray


class Record(NamedTuple):
    """Recorded frames: motion (f, MOTION_SLOTS), links (f, FRAME_ROWS, n), sums (f, SLOTS)."""

    motion: FloatArray
    links: FloatArray
    sums: FloatArray


@kernel
def record_forces(shape, chain, b, touch, q, rec, frame):
    """Write velocities, forces and torques of the last step into a frame, turned to world axes."""
    c, s = sincos1(q[PSI]) if shape else (1.0, 0.0)
    links = rec.links[frame]
    for i in range(b.shape[1]):
        links[TORQUE, i] = b[TAU, i]
        links[JOINT_X, i] = c * b[JX, i] - s * b[JY, i]
        links[JOINT_Y, i] = s * b[JX, i] + c * b[JY, i]
        links[FORCE_X, i] = c * b[FX, i] - s * b[FY, i]
        links[FORCE_Y, i] = s * b[FX, i] + c * b[FY, i]
        links[SLIP_T, i] = touch[VT, i]
        links[SLIP_N, i] = touch[VN, i]
        links[FORCE_T, i] = touch[FT, i]
        links[FORCE_N, i] = touch[FN, i]
    for i in range(1, b.shape[1]):
        links[TORQUE, i] += chain.damping[i] * (b[RATE, i] - b[RATE, i - 1])


@kernel
def record_motion(shape, b, q, acc, rec, frame):
    """Write pose, velocities and sums into a frame, turned to world axes."""
    c, s = sincos1(q[PSI]) if shape else (1.0, 0.0)
    rec.motion[frame, :] = q
    rec.motion[frame, VX], rec.motion[frame, VY] = c * q[VX] - s * q[VY], s * q[VX] + c * q[VY]
    rec.sums[frame, :] = acc
    for i in range(b.shape[1]):
        rec.links[frame, HEADING, i] = b[ANGLE, i] + (q[PSI] if shape else 0.0)
        rec.links[frame, SPEED, i] = b[RATE, i]


@njit
def record(shape, chain, b, touch, q, acc, rec, k, stride):
    """After step k (counted from 1): a frame every `stride` steps; the first step's forces stand for t = 0."""
    if k == 1:
        record_forces(shape, chain, b, touch, q, rec, 0)
    if k % stride == 0:
        record_motion(shape, b, q, acc, rec, k // stride)
        record_forces(shape, chain, b, touch, q, rec, k // stride)


@kernel
def march_shape(chain, gait, law, b, touch, q, acc, sums, k0, k1, dt, tolerance, stride, rec):
    """Implicit steps k0 to k1 of a prescribed shape; returns the step reached."""
    for k in range(k0, k1):
        if not implicit_shape.step(chain, gait, law, b, touch, q, acc, sums, (k + 1) * dt, dt, tolerance):
            return k
        q[DONE] = k + 1
        record(True, chain, b, touch, q, acc, rec, k + 1, stride)
    return k1


@kernel
def march_torque(chain, drive, law, b, touch, q, acc, space, k0, k1, dt, tolerance, stride, rec):
    """Implicit steps k0 to k1 under torques; returns the step reached."""
    for k in range(k0, k1):
        if not implicit_torque.step(chain, drive, law, b, touch, q, acc, space, (k + 1) * dt, dt, tolerance):
            return k
        q[DONE] = k + 1
        record(False, chain, b, touch, q, acc, rec, k + 1, stride)
    return k1


@kernel
def march_explicit(order, shape, chain, source, law, b, touch, q, acc, space, y, K, k0, k1, dt, stride, rec):
    """Runge-Kutta steps k0 to k1 in either mode; returns the step reached."""
    for k in range(k0, k1):
        if not runge_kutta.step(order, shape, chain, source, law, b, touch, q, acc, space, y, K, k * dt, dt):
            return k
        q[DONE] = k + 1
        record(shape, chain, b, touch, q, acc, rec, k + 1, stride)
    return k1


def law_for(world: World, robot: Robot) -> Law:
    """Friction law and ground of a world under a robot."""
    law, mass = world.friction, robot.link_mass
    limits = limits_table(world, mass)
    if isinstance(law, Frictionless) and world.patches:
        raise InputError('friction law "none" has no use for patches; choose another law or leave them out')
    if isinstance(law, Bristle):
        for axis, row in (("along", [0, 1]), ("across", [2])):
            length = getattr(law, f"stick_length_{axis}")
            force = float(limits[4 if axis == "along" else 5].min())
            keys = ("along", "backward") if axis == "along" else ("across",)
            patches = [getattr(p, key) or 0.0 for p in world.patches for key in keys]
            strongest = max(limits[row].max(), limits[3].max() * world.gravity * max(patches, default=0.0))
            if length > 0.0 and force < strongest:
                raise InputError(
                    f"bristle friction needs static_force_{axis} >= the sliding friction {strongest:.4g} N, got {force:g} N"
                )
    scale = mass * world.gravity if law.DRY else np.ones_like(mass)
    memory = np.zeros((4, robot.links))
    return Law(law.KIND, law.scalars(), limits, memory, limits.copy(), scale, patch_table(world))


class PlanarRun:
    """One robot in time: prescribed by a gait, or driven by torques (then the gait is only its first posture)."""

    def __init__(
        self, robot: Robot, gait: Gait | None, drive: Drive | None, world: World, start: Start,
        *, duration: float, steps: int, stride: int, integrator: str = "implicit", tolerance: float | None = None,
    ) -> None:  # fmt: skip
        if integrator not in INTEGRATORS:
            raise InputError(f"integrator must be one of {', '.join(INTEGRATORS)}, got {integrator!r}")
        if integrator != "implicit" and isinstance(world.friction, Bristle):
            raise InputError(f'the bristle law has memory and needs integrator = "implicit", got {integrator!r}')
        if robot.joints != "yaw":
            raise InputError(
                f"the planar engine needs every joint axis along z; {robot.name} has {robot.joints} joints"
            )
        n = robot.links
        self.shape = drive is None
        self.order = INTEGRATORS[integrator]
        self.steps, self.stride, self.dt = steps, stride, duration / steps
        # of the last correction, m/s: a hundredth of the speed over which the friction law bends; what it leaves is the square of that
        self.tolerance = tolerance or min(1e-5, 1e-2 * getattr(world.friction, "smoothing", 1.0))
        self.chain = chain_of(robot, per_item("edge_angle", world.edge_angle, n, -np.inf))
        self.law = law_for(world, robot)
        self.b, self.touch = body_for(n), np.zeros((TOUCH_ROWS, n))
        self.q, self.acc = np.zeros(MOTION_SLOTS), np.zeros(tally.SLOTS)
        self.sums, self.space = np.zeros(12), chain_space(n)
        source = gait if drive is None else drive
        if source is None:
            raise InputError("a run needs a gait (shape to motion) or a drive (torque to motion)")
        if drive is None:
            assert gait is not None
            self.source = Source(gait.KIND, *gait.row(robot))
        else:
            self.source = Source(drive.KIND, *drive.row(robot))
        size = runge_kutta.state_size(n, self.shape) if self.order else 1
        self.y, self.K = np.zeros(size), np.zeros((5, size))
        frames = steps // stride + 1
        self.rec = Record(
            np.zeros((frames, MOTION_SLOTS)),
            np.zeros((frames, FRAME_ROWS, n)),
            np.zeros((frames, tally.SLOTS)),
        )
        self._begin(robot, gait, start)

    def _begin(self, robot: Robot, gait: Gait | None, start: Start) -> None:
        """Put the body in its first posture, the tail's end at the start position."""
        q, b, chain = self.q, self.b, self.chain
        c, s = np.cos(start.heading), np.sin(start.heading)
        vx, vy = start.velocity
        if gait is not None:
            headings(gait.KIND, *gait.row(robot), 0.0, b)
        if self.shape:
            q[PSI], q[TURN] = start.heading, start.angular_velocity
            q[VX], q[VY] = c * vx + s * vy, c * vy - s * vx
            implicit_shape.begin(chain, self.source, b, q, self.acc)
            x, y = tail_offset(chain, b)
            x, y = c * x - s * y, s * x + c * y
        else:
            b[ANGLE] += start.heading
            b[RATE] = start.angular_velocity
            q[VX], q[VY] = vx, vy
            q[PSI], q[TURN] = b[ANGLE].mean(), b[RATE].mean()
            implicit_torque.begin(chain, b, q, self.acc)
            x, y = tail_offset(chain, b)
        q[X], q[Y] = start.position[0] - x, start.position[1] - y
        if self.order:
            runge_kutta.pack(self.shape, chain, b, q, self.acc, self.y)
            runge_kutta.slope(
                self.shape,
                chain,
                self.source,
                self.law,
                b,
                self.touch,
                q,
                self.acc,
                self.space,
                0.0,
                self.y,
                self.K[0],
            )
        record_motion(self.shape, b, q, self.acc, self.rec, 0)

    def advance(self, to: int) -> bool:
        """Advance to step `to`; False if the run diverged (then `done` is the last good step)."""
        to = min(to, self.steps)
        common = (self.chain, self.source, self.law, self.b, self.touch, self.q, self.acc)
        if self.order:
            reached = march_explicit(
                self.order,
                self.shape,
                *common,
                self.space,
                self.y,
                self.K,
                self.done,
                to,
                self.dt,
                self.stride,
                self.rec,
            )
        elif self.shape:
            reached = march_shape(*common, self.sums, self.done, to, self.dt, self.tolerance, self.stride, self.rec)
        else:
            reached = march_torque(*common, self.space, self.done, to, self.dt, self.tolerance, self.stride, self.rec)
        return int(reached) == to

    @property
    def done(self) -> int:
        """Steps taken; counted by the kernels themselves, so that an interrupt between two calls cannot lose any."""
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
        arrays = {name: getattr(self, name).copy() for name in ("b", "touch", "q", "acc", "y", "K")}
        return {
            **arrays, "rec_motion": self.rec.motion[: self.frames].copy(), "rec_links": self.rec.links[: self.frames].copy(),
            "rec_sums": self.rec.sums[: self.frames].copy(), "memory": self.law.memory.copy(), "limits": self.law.limits.copy(),
            "grid": np.array([self.dt, float(self.steps), float(self.stride)]),
        }  # fmt: skip

    def restore(self, state: Mapping[str, Any]) -> None:
        """Continue from a state that `state` returned for the same robot, world and step."""
        own = {name: getattr(self, name) for name in ("b", "touch", "q", "acc", "y", "K")}
        own |= {"memory": self.law.memory, "limits": self.law.limits}
        for name, array in own.items():
            if name not in state or np.shape(state[name]) != array.shape:
                raise InputError(f"this state does not belong to the run: {name} is missing or has another shape")
            array[...] = state[name]
