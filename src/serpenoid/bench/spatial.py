"""`serpenoid bench spatial`: speed of the spatial engine on one core, against MuJoCo and Pinocchio, in one run.

| key | what is divided by what |
|---|---|
| ratio_run_vs_mujoco | MuJoCo's 10 s of sidewinding over ours, both with the same servos, each at its own step (*) |
| ratio_shape_vs_mujoco | the same with prescribed joints; MuJoCo's by the faster of equality constraints and stiff servos |
| ratio_run_same_step, ratio_shape_same_step | the same with both at 1e-3 s |
| ratio_run_vs_rollout | as the first against MuJoCo's own loop in C (`mujoco.rollout`), without Python between its steps |
| ratio_aba_vs_pinocchio | `pinocchio.aba` over our acceleration, 50-link universal chain (revolute joints), both called from Python |
| cost_per_link_1000_over_20 | time per link and step at 1000 links over that at 20: universal joints, servos, on the ground |
| times_real_time | simulated over wall seconds of `sidewind` |

(*) The largest step whose 10 s path is within 1 % of its own value at a quarter of that step, and at all shorter ones tried.

The robot is `sarrafan2012` (6 links, 10 axes), delta_0 = 0, capsules on a plane with mu = 0.8. MuJoCo has its native contact:
elliptic cone, implicitfast, solref 0.01 1, impratio 10. Times are the stepping alone (controls computed before), the
shortest of several repeats, processor time. Ours counts torques, slip, work and contact sums on the way; MuJoCo's does not.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from serpenoid.bench.planar import machine
from serpenoid.compiled import kernel
from serpenoid.contact import Coulomb
from serpenoid.core import Robot, Start, World
from serpenoid.core.actuator import Servo
from serpenoid.core.errors import InputError, NumericalError
from serpenoid.core.terrain import Ground
from serpenoid.gaits import CompoundSerpenoid, Sidewinding
from serpenoid.peers.ahead import RIGID
from serpenoid.peers.coordinates import base_for, base_from_state
from serpenoid.peers.mujoco import put_state
from serpenoid.peers.mujoco_model import IMPEDANCE, load_mujoco, model_of, silence
from serpenoid.robots import sarrafan2012, universal
from serpenoid.simulation.formulas import path_length
from serpenoid.spatial.command import set_command
from serpenoid.spatial.dynamics import torque_acceleration
from serpenoid.spatial.engine import SpatialEngine
from serpenoid.spatial.kinematics import chain_of, forward_kinematics, propagate_twists
from serpenoid.spatial.layout import AIM, AXIS_ROWS, BODY_ROWS, EX, EY, EZ, QD, QP, QT, Q

Progress = Callable[[float, str], None]
DURATION, PERIOD = 10.0, 8.0 / 3.0  # s
STEPS = (2e-2, 1.6e-2, 1e-2, 8e-3, 5e-3, 4e-3, 2.5e-3, 2e-3, 1e-3, 5e-4, 2.5e-4)  # s
WITHIN = 0.01  # of the path
REPEATS = 5
SERVO = Servo(60.0, 1.5)
# the law and the ground that have been measured since the first version
WORLD = World(Coulomb(0.8, 0.8, smoothing=1e-3), ground=Ground(stiffness=2e4, damping=50.0))


def engine_of(mode: str, step: float) -> SpatialEngine:
    """Our engine at the begin of the run; modes: "servo", "shape" (prescribed joints)."""
    robot = sarrafan2012().but(servo=SERVO if mode == "servo" else None)
    made = SpatialEngine(
        robot, WORLD, Start(), step=step, stride=max(1, round(0.02 / step)), ideal=mode == "shape", first=Sidewinding()
    )
    made.follow(Sidewinding())
    return made


def ours(mode: str, step: float, repeats: int = 1) -> tuple[float, float]:
    """Path (m) and shortest processor time (s) of our run."""
    best, path, steps = np.inf, np.nan, round(DURATION / step)
    for _ in range(repeats):
        run = engine_of(mode, DURATION / steps)
        began = time.thread_time()
        good = run.advance(steps)
        best = min(best, time.thread_time() - began)
        frames = run.variables()
        path = path_length(frames["time"].data, frames["com"].data[:, :2], PERIOD) if good else np.nan
    return path, best


class Peer:
    """MuJoCo's run with native contact, its controls computed before: `how` is "servo", "tied" or "stiff"."""

    def __init__(self, how: str, step: float) -> None:
        self.mujoco, self.how, self.steps = load_mujoco(), how, round(DURATION / step)
        self.step = DURATION / self.steps
        shape = how != "servo"
        engine = engine_of("shape" if shape else "servo", self.step)
        robot = engine.robot
        rigid = RIGID * robot.mass * robot.length**2 / 12.0 / self.step**2
        kp, kd = (rigid, self.step * rigid) if shape else (SERVO.stiffness, SERVO.damping)
        lead = 0.0 if not shape else 4.0 * self.step * IMPEDANCE if how == "tied" else self.step
        gains = None if how == "tied" else (kp, kd + self.step * kp, np.inf)
        self.model = model_of(robot, WORLD, self.step, gains=gains, native=True, tied=how == "tied")
        self.data = self.mujoco.MjData(self.model)
        base = base_for()
        base_from_state(engine.constants, engine.state, engine.scratch, base)
        self.first = base, engine.joint_angles(), engine.joint_rates()
        self.controls = np.zeros((self.steps, self.model.nv - 6))
        for k in range(self.steps):
            set_command(engine.constants, engine.state, engine.scratch, (k + 1) * self.step, self.step)
            axes = engine.scratch.axes
            self.controls[k] = axes[Q] + lead * axes[QP] if shape else engine.state.dofs[AIM]

    def time(self) -> float:
        """Processor time of the stepping loop."""
        mujoco, model, data = self.mujoco, self.model, self.data
        mujoco.mj_resetData(model, data)
        put_state(data, *self.first)
        step, target = mujoco.mj_step, model.eq_data[:, 0] if self.how == "tied" else data.ctrl
        with silence(mujoco):
            began = time.thread_time()
            for control in self.controls:
                target[:] = control
                step(model, data)
            return time.thread_time() - began

    def path(self) -> float:
        """Path of the same loop; NaN if it diverged."""
        mujoco, model, data = self.mujoco, self.model, self.data
        mujoco.mj_resetData(model, data)
        put_state(data, *self.first)
        target = model.eq_data[:, 0] if self.how == "tied" else data.ctrl
        places = []
        with silence(mujoco):
            for control in self.controls:
                target[:] = control
                mujoco.mj_step1(model, data)
                places.append(data.subtree_com[1].copy())
                mujoco.mj_step2(model, data)
            mujoco.mj_forward(model, data)
        if data.time < (self.steps - 0.5) * self.step:
            return np.nan
        places.append(data.subtree_com[1].copy())
        return path_length(np.linspace(0.0, DURATION, len(places)), np.array(places)[:, :2], PERIOD)

    def rollout(self) -> float:
        """Processor time of MuJoCo's own loop over the same controls."""
        from mujoco import rollout

        mujoco = self.mujoco
        mujoco.mj_resetData(self.model, self.data)
        put_state(self.data, *self.first)
        kind = mujoco.mjtState.mjSTATE_FULLPHYSICS
        first = np.zeros(mujoco.mj_stateSize(self.model, kind))
        mujoco.mj_getState(self.model, self.data, first, kind)
        with silence(mujoco):
            began = time.thread_time()
            rollout.rollout(self.model, self.data, first[None], self.controls[None])
            return time.thread_time() - began


def largest_step(path: Callable[[float], float]) -> float:
    """Largest step that meets the criterion together with all shorter ones tried."""
    known: dict[float, float] = {}

    def at(step: float) -> float:
        if step not in known:
            known[step] = path(step)
        return known[step]

    found = None
    for step in reversed(STEPS):
        fine = at(step / 4.0)
        if not abs(at(step) - fine) <= WITHIN * fine:
            break
        found = step
    if found is None:
        raise NumericalError("no step tried meets the criterion")
    return found


def bench_mode(mode: str) -> dict[str, Any]:
    """Times of our run and MuJoCo's in one mode, each at its largest step and both at 1e-3 s."""
    own = largest_step(lambda h: ours(mode, h)[0])
    ways = ("servo",) if mode == "servo" else ("tied", "stiff")
    peers = {}
    for how in ways:
        try:
            peers[how] = largest_step(lambda h, how=how: Peer(how, h).path())  # type: ignore[misc]
        except NumericalError:
            continue
    our_time, our_plain = ours(mode, own, 3 * REPEATS)[1], ours(mode, 1e-3, REPEATS)[1]
    times = {how: min(Peer(how, h).time() for _ in range(REPEATS)) for how, h in peers.items()}
    best = min(times, key=lambda how: times[how])
    plain = min(Peer(best, 1e-3).time() for _ in range(REPEATS))
    key = "run" if mode == "servo" else "shape"
    result = {
        f"ratio_{key}_vs_mujoco": times[best] / our_time,
        f"ratio_{key}_same_step": plain / our_plain,
        f"{key}_step_ours": own,
        f"{key}_step_mujoco": peers[best],
        f"{key}_time_ours": our_time,
        f"{key}_time_mujoco": times[best],
        f"{key}_path_ours": ours(mode, own)[0],
        f"{key}_path_mujoco": Peer(best, peers[best]).path(),
        f"{key}_way_mujoco": best,
    }
    if mode == "servo":
        result["ratio_run_vs_rollout"] = min(Peer(best, peers[best]).rollout() for _ in range(REPEATS)) / our_time
        result["times_real_time"] = DURATION / our_plain
    return result


@kernel
def accelerate(chain, body, axes):
    """Everything from angles and rates to accelerations."""
    forward_kinematics(chain, body, axes)
    propagate_twists(chain, body, axes, QD)
    torque_acceleration(chain, body, axes, QT)


def pinocchio_model(pin: Any, robot: Robot) -> Any:
    """The robot in Pinocchio: a free base and revolute joints."""
    model = pin.Model()
    joint = model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "base")
    axial: Any = robot.axial_inertia
    for i in range(robot.links):
        rigid = pin.SE3(np.eye(3), np.array([robot.link_length[i - 1], 0.0, 0.0])) if i else pin.SE3.Identity()
        for kind in [kind for j, kind in robot.axes if j == i]:
            turn = {"yaw": pin.JointModelRZ, "pitch": pin.JointModelRY, "roll": pin.JointModelRX}[kind]
            joint = model.addJoint(joint, turn(), rigid, f"{i} {kind}")
            rigid = pin.SE3.Identity()
        inertia = np.diag([axial[i], robot.link_inertia[i], robot.link_inertia[i]])
        model.appendBodyToJoint(
            joint, pin.Inertia(robot.link_mass[i], np.array([robot.com_offset[i], 0.0, 0.0]), inertia), rigid
        )
    model.gravity.linear[:] = 0.0
    return model


def bench_acceleration(calls: int = 2000) -> dict[str, Any]:
    """Forward dynamics of a 50-link universal chain, ours and Pinocchio's, called from Python."""
    try:
        import pinocchio as pin
    except ImportError as error:
        raise InputError("bench spatial needs Pinocchio: pip install pin") from error
    robot = universal(50, length=5.0, mass=10.0, radius=0.03)
    rng = np.random.default_rng(3)
    chain, m = chain_of(robot), len(robot.axes)
    body, axes = np.zeros((BODY_ROWS, robot.links)), np.zeros((AXIS_ROWS, m))
    body[EX], body[EY + 1], body[EZ + 2] = 1.0, 1.0, 1.0
    q, qd = rng.uniform(-0.5, 0.5, m), rng.uniform(-2.0, 2.0, m)
    axes[Q], axes[QD] = q, qd
    model = pinocchio_model(pin, robot)
    data, still = model.createData(), np.zeros(6 + m)
    place_, rates = np.concatenate([np.zeros(3), [0.0, 0.0, 0.0, 1.0], q]), np.concatenate([np.zeros(6), qd])

    def timed(work: Callable[[], Any]) -> float:
        best = np.inf
        for _ in range(REPEATS):
            began = time.thread_time()
            for _ in range(calls):
                work()
            best = min(best, (time.thread_time() - began) / calls)
        return best

    accelerate(chain, body, axes)
    own = timed(lambda: accelerate(chain, body, axes))
    theirs = timed(lambda: pin.aba(model, data, place_, rates, still))
    return {"ratio_aba_vs_pinocchio": theirs / own, "aba_time_ours": own, "aba_time_pinocchio": theirs}


def bench_links() -> dict[str, Any]:
    """Time per link and step of long and short robots under servos on the ground."""
    gait = CompoundSerpenoid(yaw_amplitude=0.1, yaw_spatial=0.3, yaw_temporal=3.0)

    def cost(links: int, steps: int) -> float:
        robot = universal(links, length=0.1 * links, mass=0.2 * links, radius=0.02).but(servo=SERVO)
        best = np.inf
        for _ in range(REPEATS):
            run = SpatialEngine(robot, WORLD, Start(), step=1e-3, stride=steps, ideal=False, first=gait)
            run.follow(gait)
            began = time.thread_time()
            if not run.advance(steps):
                raise NumericalError(f"the run of {links} links diverged")
            best = min(best, time.thread_time() - began)
        return best / (links * steps)

    short, long = cost(20, 4000), cost(1000, 300)
    return {"cost_per_link_1000_over_20": long / short, "time_per_link_step_20": short, "time_per_link_step_1000": long}


def run(progress: Progress | None = None) -> dict[str, Any]:
    """Measure everything; keys and figures for the JSON."""
    told = progress or (lambda fraction, text: None)
    ours("servo", 1e-2)
    ours("shape", 1e-2)  # compiled before any clock starts
    result: dict[str, Any] = {}
    parts: list[tuple[str, Callable[[], dict[str, Any]]]] = [
        ("servos", lambda: bench_mode("servo")), ("prescribed", lambda: bench_mode("shape")),
        ("acceleration", bench_acceleration), ("links", bench_links),
    ]  # fmt: skip
    for k, (name, part) in enumerate(parts):
        told(k / len(parts), name)
        result.update(part())
    told(1.0, "done")
    return {**result, **machine()}
