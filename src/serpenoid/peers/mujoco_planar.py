"""MuJoCo as a second opinion: the same planar chain as a MuJoCo model, and a peer run of a gait.

The model has two slides and a hinge at the tail's end and a hinge a joint, so q = (x_0, y_0, phi_0, theta_1,
...): the unknowns of paper 002. Mass, inertia and centre of gravity of each link are given explicitly; there
are no geometries, no contacts and no gravity.

The peer run drives the joints by position servos with feed-forward of the rate,

    tau_i = kp (theta_i* - theta_i) + kd (theta_i*' - theta_i')

one MuJoCo `position` actuator a joint with kv = kd and control theta* + (kd/kp) theta*', which is the same
force; the integrator `implicitfast` treats kd implicitly. Friction is the smoothed Coulomb law of
`contact.coulomb`, computed by NumPy over all links and put into `xfrc_applied` at each step, so it is
explicit: that is how MuJoCo takes a user's law.

| symbol | argument | unit |
|---|---|---|
| kp, kd | `stiffness`, `damping` | N m/rad, N m s/rad |

Limits: planar, per-axis Coulomb friction without patches, edges along the links. MuJoCo is optional (extra
`serpenoid[engines]`) and is imported on use.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from serpenoid.contact import Coulomb
from serpenoid.core import FloatArray, Gait, Robot, World
from serpenoid.core.errors import InputError
from serpenoid.gaits import headings


def load_mujoco() -> Any:
    """Import MuJoCo, or say how to get it."""
    try:
        import mujoco
    except ImportError as error:
        raise InputError(
            'this needs MuJoCo, which is not installed; install it with: pip install "serpenoid[engines]"'
        ) from error
    return mujoco


def model_xml(robot: Robot, step: float = 1e-3, stiffness: float = 0.0, damping: float = 0.0) -> str:
    """Describe a robot as MJCF; with a stiffness also position servos of that stiffness and damping."""
    bodies, close = [], []
    for i in range(robot.links):
        place = "0 0 0" if i == 0 else f"{float(robot.link_length[i - 1])!r} 0 0"
        bodies.append(f'<body name="link{i}" pos="{place}">')
        if i == 0:
            bodies.append('<joint name="x" type="slide" axis="1 0 0"/><joint name="y" type="slide" axis="0 1 0"/>')
            bodies.append('<joint name="heading" type="hinge" axis="0 0 1"/>')
        else:
            loss = float(robot.joint_damping[i - 1])
            bodies.append(f'<joint name="joint{i}" type="hinge" axis="0 0 1" damping="{loss!r}"/>')
        mass, inertia, com = (float(x[i]) for x in (robot.link_mass, robot.link_inertia, robot.com_offset))
        bodies.append(
            f'<inertial pos="{com!r} 0 0" mass="{mass!r}" diaginertia="{inertia!r} {inertia!r} {inertia!r}"/>'
        )
        close.append("</body>")
    servos = "".join(
        f'<position joint="joint{i}" kp="{stiffness!r}" kv="{damping!r}"/>'
        for i in range(1, robot.links)
        if stiffness > 0.0
    )
    return f"""<mujoco>
      <compiler angle="radian" inertiafromgeom="false" autolimits="false"/>
      <option timestep="{step!r}" gravity="0 0 0" integrator="implicitfast">
        <flag contact="disable" constraint="disable"/>
      </option>
      <worldbody>{"".join(bodies + close)}</worldbody>
      <actuator>{servos}</actuator>
    </mujoco>"""


def model_of(robot: Robot, step: float = 1e-3, stiffness: float = 0.0, damping: float = 0.0) -> Any:
    """Build the MuJoCo model of a robot (see `model_xml`)."""
    return load_mujoco().MjModel.from_xml_string(model_xml(robot, step, stiffness, damping))


def push(robot: Robot, data: Any, forces: FloatArray) -> None:
    """Put forces (n, 2), world axes, on the contact points of a MuJoCo state whose headings are set."""
    phi = np.cumsum(data.qpos[2:])
    arm = robot.contact_offset - robot.com_offset
    data.xfrc_applied[1:, :2] = forces
    data.xfrc_applied[1:, 5] = arm * (np.cos(phi) * forces[:, 1] - np.sin(phi) * forces[:, 0])


@dataclass(frozen=True)
class PeerRun:
    """What a MuJoCo run of a gait came to, as in `metrics`; times are those of the stepping alone."""

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


@contextmanager
def silence(mujoco: Any) -> Iterator[None]:
    """Keep MuJoCo's warnings off the terminal and out of its log file; the state still counts them."""
    before = mujoco.get_mju_user_warning()
    mujoco.set_mju_user_warning(lambda _: None)
    try:
        yield
    finally:
        mujoco.set_mju_user_warning(before)


def simulate_shape(
    robot: Robot, gait: Gait, world: World, duration: float, step: float, stiffness: float, damping: float
) -> PeerRun:
    """Run a gait in MuJoCo under position servos, with the world's smoothed Coulomb friction."""
    law = world.friction
    if not isinstance(law, Coulomb) or world.patches or np.any(np.asarray(world.edge_angle) != 0.0):
        raise InputError("the MuJoCo peer run takes Coulomb friction without patches and with edge_angle = 0 only")
    mujoco = load_mujoco()
    steps = max(1, int(np.ceil(duration / step - 1e-9)))
    model = model_of(robot, duration / steps, stiffness, damping)
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
    return PeerRun(float(distance), slip / steps * duration / robot.links, square / steps, wall, cpu, steps, finite)


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
