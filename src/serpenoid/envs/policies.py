"""Policies as baselines: random actions, a wave sent along the body, and a wave per joint with feedback.

A policy is a class that is made with a task, and answers for many robots at once:

    class Policy:
        def __init__(self, task): ...
        def act(self, observation, time): ...      # (robots, numbers), (robots,) s since the start -> (robots, dof)

| policy | parameters | action of joint j (from 0 at the tail) |
|---|---|---|
| `RandomPolicy` | none | uniform in [-1, 1] |
| `WavePolicy` | A, w, d, g and in space B, o | A sin(w t + d j) + g steer; pitch joints: B sin(w t + d j + o) |
| `CPGPolicy` | those of `WavePolicy` | the same wave by coupled phase oscillators |
| `JointPolicy` | w, then a_j, b_j, g_j, h_j | a_j sin(w t) + b_j cos(w t) + g_j steer + h_j felt_j |

`steer` is the direction in which to turn, the sine of an angle to the left: back to the first heading, or towards the target, or along the way;
`felt` is the sideways force on the link before the joint, where it is observed.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from serpenoid.control.cpg import CPG, CPGController
from serpenoid.control.sines import Sines
from serpenoid.core import FloatArray
from serpenoid.core.copying import Independent
from serpenoid.core.declare import taken
from serpenoid.core.door import FiniteNumbers, door
from serpenoid.core.errors import InputError
from serpenoid.core.quantities import shown
from serpenoid.envs.task import Task
from serpenoid.gaits import Serpenoid, Sidewinding

RAMP = 0.5  # s, in which a wave comes in


class Policy(Protocol):
    """What acts."""

    def act(self, observation: FloatArray, time: FloatArray) -> FloatArray:
        """Actions (robots, dof) for observations (robots, numbers) at times (robots,) since the start of the episodes, s."""


def parts(task: Task, observation: FloatArray) -> dict[str, FloatArray]:
    """The parts of observations by their names in `Task.layout`, up to the first bracket, colon or comma."""
    made, begin = {}, 0
    for name, size in task.layout:
        short = name.split(" (")[0].split(":")[0].split(",")[0]
        made[short] = observation[:, begin : begin + size]
        begin += size
    return made


def steer_of(task: Task, observation: FloatArray) -> FloatArray:
    """Where to turn (robots,): the sine of an angle to the left."""
    found = parts(task, observation)
    for name in ("way ahead of the head", "place of the target"):
        if name in found:
            ahead, left = found[name][:, 0], found[name][:, 1]
            size = np.sqrt(ahead * ahead + left * left) + 1e-9
            return np.where(ahead > 0.0, left / size, np.where(left > 0.0, 1.0, -1.0))
    return -found["heading"][:, 1]


def felt_of(task: Task, observation: FloatArray, dofs: int) -> FloatArray:
    """Sideways forces on the links before the joints (robots, dof), in weights of the robot; 0 where they are not observed."""
    found = parts(task, observation)
    for name, force in found.items():
        if name.startswith("sideways force"):
            return force[:, :dofs]
    return np.zeros((len(observation), dofs))


class RandomPolicy(Independent):
    """Uniform actions."""

    @door
    def __init__(self, task: Task, seed: int = 0) -> None:
        self.dofs, self.rng = len(task.robot.axes), np.random.default_rng(seed)

    def act(self, observation: FloatArray, time: FloatArray) -> FloatArray:
        """Any actions."""
        return self.rng.uniform(-1.0, 1.0, (len(observation), self.dofs))


class WavePolicy:
    """One travelling wave; parameters (k,), or (robots, k): a wave of its own for each robot."""

    @door
    def __init__(self, task: Task, parameters: Any) -> None:
        self.task, self.rows = task, rows_of(parameters, wave_size(task))
        kinds = [kind for _, kind in task.robot.axes]
        self.pitch = np.array([kind == "pitch" for kind in kinds])
        self.order = np.arange(len(kinds), dtype=float)

    def act(self, observation: FloatArray, time: FloatArray) -> FloatArray:
        """The wave at these times."""
        p = self.rows
        size, rate, phase, gain = p[:, 0:1], p[:, 1:2], p[:, 2:3], p[:, 3:4]
        turn = rate * time[:, None] + phase * self.order
        yaw = size * np.sin(turn) + gain * steer_of(self.task, observation)[:, None]
        made = yaw if not self.pitch.any() else np.where(self.pitch, p[:, 4:5] * np.sin(turn + p[:, 5:6]), yaw)
        return np.asarray(np.minimum(time / RAMP, 1.0)[:, None] * made)


class JointPolicy:
    """A sine of its own for each joint, of one frequency, and feedback; parameters (k,) or (robots, k)."""

    @door
    def __init__(self, task: Task, parameters: Any) -> None:
        self.task, self.dofs = task, len(task.robot.axes)
        self.rows = rows_of(parameters, joint_size(task))

    def act(self, observation: FloatArray, time: FloatArray) -> FloatArray:
        """Sines and feedback at these times."""
        m, p = self.dofs, self.rows
        sine, cosine, gain, feel = (p[:, 1 + k * m : 1 + (k + 1) * m] for k in range(4))
        turn = (p[:, 0] * time)[:, None]
        made = sine * np.sin(turn) + cosine * np.cos(turn)
        made = made + gain * steer_of(self.task, observation)[:, None] + feel * felt_of(self.task, observation, m)
        return np.asarray(np.minimum(time / RAMP, 1.0)[:, None] * made)


class CPGPolicy(Independent):
    """The wave of a `WavePolicy` by the coupled oscillators of `control.cpg`, from rest; robots that begin together share them."""

    @door
    def __init__(self, task: Task, parameters: Any) -> None:
        self.task, self.row = task, rows_of(parameters, wave_size(task))[0]
        self._begin()

    def _begin(self) -> None:
        robot, (rate, sine, cosine, gain, _) = self.task.robot, split_joints(joints_of_wave(self.task, self.row))
        gait = (
            Serpenoid(0.5, 1.5, 0.5) if robot.planar else Sidewinding()
        )  # what the network is made with; the wave takes its place
        self.network, self.gain = CPGController(robot, CPG((gait,))), gain
        size = self.task.reach * np.sqrt(sine * sine + cosine * cosine)
        phase = np.unwrap(np.arctan2(cosine, sine))
        self.network._take(Sines(np.zeros(len(size)), size, phase, rate))
        self.network.all = []  # no other gait comes
        low = 2 * len(size)
        self.network.value[low:] = self.network.target[low:]
        self.network.phase = self.network.value[low : low + len(size)].copy()

    def act(self, observation: FloatArray, time: FloatArray) -> FloatArray:
        """Angles of the oscillators at the end of the action."""
        if not time.any():
            self._begin()
        self.network.march(self.task.period)
        angles = self.network.angles()[0] / self.task.reach
        return np.asarray(angles + self.gain * steer_of(self.task, observation)[:, None])


def split_joints(row: FloatArray) -> tuple[float, FloatArray, FloatArray, FloatArray, FloatArray]:
    """The parameters of a `JointPolicy`: frequency; sine, cosine, gain and feeling of each joint."""
    sine, cosine, gain, feel = row[1:].reshape(4, -1)
    return float(row[0]), sine, cosine, gain, feel


def rows_of(parameters: Any, size: int) -> FloatArray:
    """Parameters as rows (1 or robots, size), refused where they are not finite or of another length."""
    if taken(FiniteNumbers(dims=(1, 2)), parameters, "", lambda *_: None, {}) is None:
        raise InputError(f"parameters of a policy must be {size} finite numbers, got {shown(parameters)}")
    rows = np.atleast_2d(np.asarray(parameters, dtype=float))
    if rows.ndim != 2 or rows.shape[1] != size:
        raise InputError(f"parameters of a policy must be {size} finite numbers, got shape {np.shape(parameters)}")
    return rows


def wave_size(task: Task) -> int:
    """Parameters of a `WavePolicy`."""
    return 6 if any(kind == "pitch" for _, kind in task.robot.axes) else 4


def joint_size(task: Task) -> int:
    """Parameters of a `JointPolicy`."""
    return 1 + 4 * len(task.robot.axes)


@door
def joints_of_wave(task: Task, wave: Any) -> FloatArray:
    """The `JointPolicy` that does what a `WavePolicy` does: where learning begins."""
    p = rows_of(wave, wave_size(task))[0]
    kinds = np.array([kind == "pitch" for _, kind in task.robot.axes])
    turn = p[2] * np.arange(len(kinds))
    size = np.full(len(kinds), p[0])
    if kinds.any():
        size, turn = np.where(kinds, p[4], p[0]), turn + np.where(kinds, p[5], 0.0)
    gain = np.where(kinds, 0.0, p[3])
    return np.concatenate([[p[1]], size * np.cos(turn), size * np.sin(turn), gain, np.zeros(len(kinds))])
