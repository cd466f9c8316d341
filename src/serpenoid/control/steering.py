"""Heading control: a gait is steered to a commanded heading by bending the whole body a little to one side.

    angle_j(t) = gait_j(t) + b / m   for each of the m yaw joints,    b = clip(g e + integral of g e / T_i, -limit, limit)

| symbol | meaning | unit |
|---|---|---|
| e | commanded heading less the mean of the measured heading over the last period of the gait | rad |
| g | `gain`: bend of the whole body per error; negative for a robot that moves tail first | - |
| T_i | `integral_time` of the integral action, which takes away what the ground pulls aside; 0: none | s |
| b | bend of the whole body, head against tail, to the left | rad |

The heading is the direction of the mean link axis. Within a cycle it sways with the wave, so its mean over one period counts; before the
first period is over, the mean so far. The integral stands still while the bend is at its limit. In space only yaw joints are bent.

    run = sp.simulate(robot, sp.control.Steering(gait, heading=0.5), world, duration=60.0)

`Steering` is the description, `SteeringController` what carries it out.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from serpenoid.control.controller import Command
from serpenoid.core import FloatArray, Gait, Robot, Start, Status, Variable, World
from serpenoid.core.command import CONTROLLERS, GAITS
from serpenoid.core.copying import Independent
from serpenoid.core.declare import Description, Part, declare, description
from serpenoid.core.errors import InputError
from serpenoid.core.quantities import Angle, Number

PERIOD = 0.02  # s
EASING = 0.2  # of the gait's period: time constant with which the bend follows


@CONTROLLERS.register
@description(eq=False)
class Steering(Description):
    """Heading control: a gait steered to a heading."""

    gait: Gait = declare(Part("to be steered", of=GAITS))
    heading: float = declare(Angle("commanded, from world x"), default=0.0)
    gain: float = declare(
        Number("bend of the whole body per error; negative for a robot that moves tail first", low=-1e3, high=1e3),
        default=2.0,
    )
    integral_time: float = declare(Number("of integral action; 0: no such action", "s", low=0.0), default=5.0)
    limit: float = declare(Angle("greatest bend of the whole body", above=0.0, high=20.0), default=1.0)
    period: float = declare(Number("between calls", "s", above=0.0), default=PERIOD)

    NAME = "steering"
    TAG = "kind"
    SECTION = "controller"

    def prepare(self, robot: Robot, world: World, start: Start, progress: Any = None) -> tuple[Any, ...]:
        """What carries it out; it brings nothing along, and has no end of its own."""
        return robot, world, SteeringController(robot, self), start, None


class SteeringController(Independent):
    """Carries out `Steering` on a robot; `wanted` is the heading commanded (rad), which may be changed on the way."""

    NAME = "steering"

    def __init__(self, robot: Robot, steering: Steering) -> None:
        self.body, self.steering, self.gait, self.period = robot, steering, steering.gait, steering.period
        self.wanted = steering.heading
        self.yaw = np.array([kind == "yaw" for _, kind in robot.axes])
        if not self.yaw.any():
            raise InputError(f"steering bends yaw joints; {robot.name} has none")
        self.cycle = self.gait.period(robot) or 10.0 * self.period  # s
        self.window = max(1, round(self.cycle / self.period))  # calls in a cycle
        self.bend, self.integral = 0.0, 0.0  # rad
        self.headings: list[float] = []  # of the last cycle, rad
        self.calls: list[list[float]] = []  # time, mean heading, heading commanded, bend
        self.events: list[Any] = []

    def first_angles(self) -> FloatArray:
        """Angles of the gait at t = 0, without a bend."""
        return np.asarray(self.gait.angles(self.body, 0.0), dtype=float)

    def command(self, state: Any, t: float) -> Command:
        """Angles of the gait with the bend that brings the heading back."""
        self.headings = [*self.headings, float(state.heading)][-self.window :]
        mean, how, h = float(np.mean(self.headings)), self.steering, self.period
        error = self.wanted - mean
        integral = self.integral + (0.0 if how.integral_time == 0.0 else how.gain * error * h / how.integral_time)
        asked = how.gain * error + integral
        if abs(asked) <= how.limit or abs(integral) < abs(self.integral):
            self.integral = integral
        target = min(max(asked, -how.limit), how.limit)
        self.bend += float(1.0 - np.exp(-h / (EASING * self.cycle))) * (target - self.bend)
        self.calls.append([float(t), mean, self.wanted, self.bend])
        return Command(self.bent(t + h, self.bend))

    def bent(self, t: float, bend: float) -> FloatArray:
        """Joint angles (dof,) of the gait at a time, bent by so much in all, within the joints' limits."""
        angles = np.array(self.gait.angles(self.body, t), dtype=float)
        angles[self.yaw] += bend / self.yaw.sum()
        most = np.array([self.body.joint_limit[joint - 1] for joint, _ in self.body.axes])
        return np.clip(angles, -most, most)

    def status(self) -> Status:
        """A steered gait has no goal that it could miss."""
        return Status("ok")

    def report(self) -> dict[str, Any]:
        """Heading at the end: mean of the last cycle, its error, and the bend."""
        if not self.calls:
            return {}
        _, mean, wanted, bend = self.calls[-1]
        return {
            "heading_mean": mean,
            "heading_error": mean - wanted,
            "bend": bend,
            "bend_max": max(abs(row[3]) for row in self.calls),
        }

    def variables(self) -> dict[str, Variable]:
        """Headings and bend at the times of the calls."""
        rows = np.array(self.calls, dtype=float).reshape(-1, 4)
        return {
            "call_time": Variable(("call",), rows[:, 0], "s", "time of a call of the controller"),
            "heading_mean": Variable(("call",), rows[:, 1], "rad", "heading, mean over the last period of the gait"),
            "heading_wanted": Variable(("call",), rows[:, 2], "rad", "heading commanded"),
            "bend": Variable(("call",), rows[:, 3], "rad", "bend of the whole body to the left"),
        }

    def memory(self) -> dict[str, Any]:
        """Everything it remembers."""
        return {
            "bend": self.bend, "integral": self.integral, "wanted": self.wanted, "headings": list(self.headings),
            "calls": np.array(self.calls, dtype=float).reshape(-1, 4),
        }  # fmt: skip

    def recall(self, memory: Mapping[str, Any]) -> None:
        """Take back what `memory` gave."""
        self.bend, self.integral, self.wanted = (
            float(memory["bend"]),
            float(memory["integral"]),
            float(memory["wanted"]),
        )
        self.headings = [float(v) for v in memory["headings"]]
        self.calls = [[float(v) for v in row] for row in np.reshape(memory["calls"], (-1, 4))]

    def __repr__(self) -> str:
        return f"SteeringController({self.steering!r})"
