"""Heading control: a gait is steered to a commanded heading by bending the whole body a little to one side.

    angle_j(t) = gait_j(t) + b / m   for each of the m yaw joints,    b = clip(g e + integral of g e / T_i, -limit, limit)

| symbol | meaning | unit |
|---|---|---|
| e | commanded heading less the mean of the measured heading over the last period of the gait | rad |
| g | `gain`: bend of the whole body per error; negative for a robot that moves tail first | - |
| T_i | `integral_time` of the integral action, which takes away what the ground pulls aside; infinite: none | s |
| b | bend of the whole body, head against tail, to the left | rad |

The heading is the direction of the mean link axis. Within a cycle it sways with the wave, so its mean over one period counts; before the
first period is over, the mean so far. The integral stands still while the bend is at its limit. In space only yaw joints are bent.

    steering = Steering(robot, gait, heading=0.5)
    run = sp.simulate(robot, steering, world, duration=60.0)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from serpenoid.control.controller import Command
from serpenoid.core import FloatArray, Gait, Robot, Status, Variable, per_item
from serpenoid.core.errors import InputError

PERIOD = 0.02  # s
EASING = 0.2  # of the gait's period: time constant with which the bend follows


class Steering:
    """Steers a gait to a heading.

    Parameters
    ----------
    robot : Robot, with yaw joints
    gait : Gait, with joint angles at any time
    heading : rad from world x, or a function of time (s) that gives it
    gain : rad of bend per rad of error
    integral_time : s
    limit : rad, greatest bend of the whole body
    period : s between calls
    """

    NAME = "steering"

    def __init__(
        self, robot: Robot, gait: Gait, heading: float | Callable[[float], float] = 0.0, *, gain: float = 1.0, integral_time: float = np.inf,
        limit: float = 1.0, period: float = PERIOD,
    ) -> None:  # fmt: skip
        if not hasattr(gait, "angles"):
            raise InputError(f"steering needs a gait with angles at any time, got {gait!r}"[:200])
        self.body, self.gait, self.wanted = robot, gait, heading
        if not callable(heading):
            per_item("heading", heading, 1, -1e4, 1e4)
        self.period = float(per_item("period", period, 1, 0.0, strict=True)[0])
        self.gain = float(per_item("gain", gain, 1, -1e3, 1e3)[0])
        self.limit = float(per_item("limit", limit, 1, 0.0, 50.0, strict=True)[0])
        self.integral_time = float(integral_time)
        if not self.integral_time > 0.0:
            raise InputError(f"integral_time must be > 0 s, got {integral_time!r}")
        self.yaw = np.array([kind == "yaw" for _, kind in robot.axes])
        if not self.yaw.any():
            raise InputError(f"steering bends yaw joints; {robot.name} has none")
        self.cycle = gait.period(robot) or 10.0 * self.period  # s
        self.window = max(1, round(self.cycle / self.period))  # calls in a cycle
        self.bend, self.integral = 0.0, 0.0  # rad
        self.headings: list[float] = []  # of the last cycle, rad
        self.calls: list[list[float]] = []  # time, mean heading, heading commanded, bend
        self.events: list[Any] = []

    def heading_at(self, t: float) -> float:
        """The heading commanded at a time, rad."""
        value = float(self.wanted(t) if callable(self.wanted) else self.wanted)
        if not np.isfinite(value):
            raise InputError(f"the heading commanded at t = {t:.6g} s must be finite, got {value!r}")
        return value

    def first_angles(self) -> FloatArray:
        """Angles of the gait at t = 0, without a bend."""
        return np.asarray(self.gait.angles(self.body, 0.0), dtype=float)

    def command(self, state: Any, t: float) -> Command:
        """Angles of the gait with the bend that brings the heading back."""
        self.headings = [*self.headings, float(state.heading)][-self.window :]
        mean, wanted = float(np.mean(self.headings)), self.heading_at(t)
        error, h = wanted - mean, self.period
        integral = self.integral + self.gain * error * h / self.integral_time
        asked = self.gain * error + integral
        if abs(asked) <= self.limit or abs(integral) < abs(self.integral):
            self.integral = integral
        target = min(max(asked, -self.limit), self.limit)
        self.bend += (1.0 - np.exp(-h / (EASING * self.cycle))) * (target - self.bend)
        self.calls.append([float(t), mean, wanted, self.bend])
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
        return {"heading_mean": mean, "heading_error": mean - wanted, "bend": bend, "bend_max": max(abs(row[3]) for row in self.calls)}

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
            "bend": self.bend, "integral": self.integral, "headings": list(self.headings),
            "calls": np.array(self.calls, dtype=float).reshape(-1, 4),
        }  # fmt: skip

    def recall(self, memory: Mapping[str, Any]) -> None:
        """Take back what `memory` gave."""
        self.bend, self.integral = float(memory["bend"]), float(memory["integral"])
        self.headings = [float(v) for v in memory["headings"]]
        self.calls = [[float(v) for v in row] for row in np.reshape(memory["calls"], (-1, 4))]

    def __repr__(self) -> str:
        return f"Steering({type(self.gait).__name__}, period={self.period:g})"
