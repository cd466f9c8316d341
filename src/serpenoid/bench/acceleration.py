"""What one acceleration costs: ours with friction, MuJoCo's `mj_forward` of the same chain without.

Ours goes from headings, rates and torques to accelerations in a compiled loop in which every state differs a
little. MuJoCo is called from Python, so the cost of a call is taken off its time. It is measured on a
function that returns at once (`mj_tendon` of a model without tendons); reported beside it are `mj_forward` of
an empty model, which does a little work of its own, and MuJoCo's own compiled loop (`rollout`, whole steps).
Loops are short and many, so that some of them run undisturbed on a shared machine.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from serpenoid.compiled import kernel
from serpenoid.core import FloatArray, Robot, Start, World
from serpenoid.frames import sincos
from serpenoid.peers.mujoco_model import load_mujoco, plane_model
from serpenoid.planar.dynamics import torque_acceleration
from serpenoid.planar.engine import PlanarEngine
from serpenoid.planar.kinematics import face_ground, forward_kinematics, place_points, slip, spread_forces
from serpenoid.planar.layout import ANGLE, DRIVEN_BY, RATE, TOTAL, UJ, VJ, C, S
from serpenoid.planar.shape_step import friction

_DRIFT = 1e-7  # rad and rad/s by which each state differs from the last


@kernel
def accelerate(constants, state, scratch, torques, repetitions):
    """Evaluate accelerations of many slightly changing states; the sum returned keeps all of them alive."""
    b, links, mass = scratch.links, constants.links, constants.numbers[TOTAL]
    total = 0.0
    for _ in range(repetitions):
        for i in range(b.shape[1]):
            b[ANGLE, i] += _DRIFT
            b[RATE, i] -= _DRIFT
            b[DRIVEN_BY, i] = torques[i]
        sincos(b, ANGLE, C, S)
        forward_kinematics(links, mass, b)
        if scratch.points.shape[1] > b.shape[1]:
            place_points(constants.points, b, scratch.points)
        face_ground(constants.points, scratch.points)
        slip(scratch.points, scratch.touch, 0.3 - b[UJ, 0], 0.1 - b[VJ, 0], 0.0)
        friction(constants, state, scratch, 0.0, False)
        spread_forces(constants.points, scratch.links, scratch.points, scratch.touch)
        x, y = torque_acceleration(constants, b, scratch.solve)
        total += x + y
    return total


def best_of(repeats: int, work: Callable[[], Any]) -> float:
    """Shortest wall time of some repeats, s."""
    best = np.inf
    for _ in range(repeats):
        started = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - started)
    return best


def our_acceleration_time(robot: Robot, world: World, state: FloatArray, repetitions: int = 1_000) -> float:
    """Seconds for one of our accelerations with friction; state (3, n): headings, rates, torques (from 1)."""
    engine = PlanarEngine(robot, world, Start(), step=1e-3)
    b = engine.scratch.links

    def loop() -> None:
        b[ANGLE], b[RATE] = state[0], state[1]
        accelerate(engine.constants, engine.state, engine.scratch, state[2], repetitions)

    loop()
    return best_of(200, loop) / repetitions


def mujoco_acceleration_times(robot: Robot, state: FloatArray, repetitions: int = 250) -> dict[str, float]:
    """Seconds for `mj_forward` as called, a call alone, the difference, and a step of `rollout`."""
    mujoco = load_mujoco()
    from mujoco import rollout

    model = plane_model(robot)
    data = mujoco.MjData(model)
    data.qpos[2:] = np.diff(state[0], prepend=0.0)
    data.qvel[2:] = np.diff(state[1], prepend=0.0)
    data.qfrc_applied[3:] = state[2, 1:]
    empty = mujoco.MjModel.from_xml_string("<mujoco/>")
    nothing = mujoco.MjData(empty)

    def timed(function: Callable[[Any, Any], None], m: Any, d: Any) -> float:
        def loop() -> None:
            for _ in range(repetitions):
                function(m, d)

        return best_of(200, loop) / repetitions

    first = np.zeros(mujoco.mj_stateSize(model, mujoco.mjtState.mjSTATE_FULLPHYSICS))
    mujoco.mj_getState(model, data, first, mujoco.mjtState.mjSTATE_FULLPHYSICS)
    spare = mujoco.MjData(model)
    called, call = timed(mujoco.mj_forward, model, data), timed(mujoco.mj_tendon, model, data)
    rolled = best_of(50, lambda: rollout.rollout(model, spare, first[None], nstep=repetitions)) / repetitions
    return {
        "mj_forward": called,
        "python_call": call,
        "mj_forward_net": called - call,
        "mj_forward_empty_model": timed(mujoco.mj_forward, empty, nothing),
        "rollout_step": rolled,
    }
