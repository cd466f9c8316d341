"""MuJoCo marching through a gait in the plane, as a user of MuJoCo would write it: the peer of `bench planar`.

The joints are driven by position servos with feed-forward of the rate,

    tau_i = kp (theta_i* - theta_i) + kd (theta_i*' - theta_i')

one MuJoCo `position` actuator per joint with kv = kd and control theta* + (kd/kp) theta*', which is the same
force; the integrator `implicitfast` treats kd implicitly. Friction is the smoothed Coulomb law of
`contact.coulomb`, computed by NumPy over all links and put into `xfrc_applied` at each step, so it is
explicit: that is how MuJoCo takes a user's law.

| symbol | argument | unit |
|---|---|---|
| kp, kd | `stiffness`, `damping` | N m/rad, N m s/rad |

Limits: per-axis Coulomb friction without patches, edges along the links. The engine behind `sp.simulate(..., engine="mujoco")`
knows all laws and takes them implicitly, at a higher cost per step; this loop is the faster one, so it is the one that is timed.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from serpenoid.contact import Coulomb
from serpenoid.core import FloatArray, Gait, Robot, World
from serpenoid.core.errors import InputError
from serpenoid.gaits import headings
from serpenoid.peers.mujoco_model import load_mujoco, plane_model, silence


@dataclass(frozen=True)
class MarchedRun:
    """What a run of a gait came to, as in `simulation.metrics`; times are those of the stepping alone."""

    com_distance: float  # m
    slip_per_link: float  # m
    torque_sq_mean: float  # N^2 m^2
    wall_time: float  # s
    cpu_time: float  # s
    steps: int
    finite: bool


def _targets(robot: Robot, gait: Gait, duration: float, steps: int) -> tuple[FloatArray, FloatArray]:
    """Joint angles and rates (steps, n - 1) of a gait; as a user would, all of them before the run."""
    par, tab = gait.row(robot)
    out = np.zeros((steps, 3, robot.links))
    for k in range(steps):
        headings(gait.KIND, par, tab, k * duration / steps, out[k])
    return np.diff(out[:, 0], axis=1), np.diff(out[:, 1], axis=1)


def _first_state(robot: Robot, gait: Gait, data: Any) -> None:
    """Put the tail's end at the origin in the gait's first posture, the centre of gravity at rest."""
    par, tab = gait.row(robot)
    first = np.zeros((3, robot.links))
    headings(gait.KIND, par, tab, 0.0, first)
    data.qpos[:], data.qvel[:] = 0.0, 0.0
    data.qpos[2:] = np.diff(first[0], prepend=0.0)
    data.qvel[2:] = np.diff(first[1], prepend=0.0)
    swing = _com_weights(robot) @ (1j * first[1] * np.exp(1j * first[0]))
    data.qvel[:2] = -swing.real, -swing.imag


def _com_weights(robot: Robot) -> FloatArray:
    """Weights h_i / M of the link directions in the vector from tail's end to centre of gravity, m."""
    beyond = robot.mass - np.cumsum(robot.link_mass)
    weights: FloatArray = (robot.link_mass * robot.com_offset + robot.link_length * beyond) / robot.mass
    return weights


def _com(robot: Robot, q: FloatArray) -> complex:
    return complex(q[0], q[1]) + complex(_com_weights(robot) @ np.exp(1j * np.cumsum(q[2:])))


def march_gait(
    robot: Robot, gait: Gait, world: World, duration: float, step: float, stiffness: float, damping: float
) -> MarchedRun:
    """Run a gait in MuJoCo under position servos, with the world's smoothed Coulomb friction."""
    law = world.friction
    uneven = world.patches or world.friction_map or world.load or world.contact_points > 1
    if not isinstance(law, Coulomb) or uneven or np.any(np.asarray(world.edge_angle) != 0.0):
        raise InputError(
            "this loop over MuJoCo takes Coulomb friction, the same everywhere, one contact point per link and edge_angle = 0 only"
        )
    mujoco = load_mujoco()
    steps = max(1, int(np.ceil(duration / step - 1e-9)))
    model = plane_model(robot, duration / steps, stiffness, damping)
    data = mujoco.MjData(model)
    _first_state(robot, gait, data)
    begin = _com(robot, data.qpos)
    angles, rates = _targets(robot, gait, duration, steps)
    controls = angles + damping / stiffness * rates
    started, busy = time.perf_counter(), time.thread_time()
    with silence(mujoco):
        slip, square = _march(mujoco, model, data, robot, law, world.gravity, controls, damping)
    cpu, wall = time.thread_time() - busy, time.perf_counter() - started
    distance = abs(_com(robot, data.qpos) - begin)
    # MuJoCo resets a state that diverged and only warns
    finite = bool(np.isfinite(distance + slip + square)) and all(w.number == 0 for w in data.warning)
    return MarchedRun(float(distance), slip / steps * duration / robot.links, square / steps, wall, cpu, steps, finite)


def _march(
    mujoco: Any,
    model: Any,
    data: Any,
    robot: Robot,
    law: Coulomb,
    gravity: float,
    controls: FloatArray,
    damping: float,
) -> tuple[float, float]:
    """Step through all controls; returns the sums over the steps of |v_n| and of the squared torques."""
    n = robot.links
    # plane vectors are complex numbers: contact velocities are v_0 + reach_c @ (rate e), e = exp(i heading)
    reach = np.tril(np.broadcast_to(robot.link_length, (n, n)), k=-1) + np.diag(robot.contact_offset)
    reach_c = 1j * reach
    weight = robot.link_mass * gravity
    backward = law.along if law.backward is None else law.backward
    arm = robot.contact_offset - robot.com_offset
    limits = np.stack([law.along * weight, law.across * weight], axis=1)  # (n, 2) along, across
    limits_back = np.stack([backward * weight, law.across * weight], axis=1)
    one_way = backward != law.along
    if law.smoothing is None:
        raise InputError(
            "MuJoCo takes forces of the present velocities: the friction law needs a smoothing speed of its own"
        )
    square_smoothing = law.smoothing**2
    qpos, qvel, force, turn = data.qpos, data.qvel, data.xfrc_applied[1:, :2], data.xfrc_applied[1:, 5]
    ctrl, torque = data.ctrl, data.actuator_force
    slip, square = 0.0, 0.0
    for k in range(controls.shape[0]):
        # friction at the state of this step
        direction = np.exp(1j * np.cumsum(qpos[2:]))
        velocity = complex(qvel[0], qvel[1]) + reach_c @ (np.cumsum(qvel[2:]) * direction)
        v = (velocity * direction.conj()).view(float).reshape(n, 2)  # along, across
        limit = np.where(v[:, :1] >= 0.0, limits, limits_back) if one_way else limits
        f = -limit * v / np.sqrt(v * v + square_smoothing)
        force[:] = (f.view(complex)[:, 0] * direction).view(float).reshape(n, 2)
        turn[:] = arm * f[:, 1]
        ctrl[:] = controls[k]
        before = qvel[3:].copy()
        mujoco.mj_step(model, data)
        # the damping was implicit: what the servos applied has the rates at the end of the step
        applied = torque - damping * (qvel[3:] - before)
        slip += float(np.abs(v[:, 1]).sum())
        square += float(applied @ applied)
    return slip, square
