"""What a run asks of the motors of its joints: torques in steady motion, and how near they come to a motor's torque-speed line.

Torques in steady motion (`steady`) are those of the recorded frames.

The rule for motors is one, here and in `sizing`: the RMS torque of the worst joint is at most a fifth (`LOAD`) of the stall torque, what a maker calls
continuous ("stable motions are possible with robots designed for loads with 1/5 or less of the stall torque", emanual.robotis.com), and no joint goes beyond the
line from the stall torque at rest to the no-load speed:

    use = |tau| / stall + |rate| / free     where it drives, |tau| / stall where it brakes;   1: on the line
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from serpenoid.core import FloatArray, Variable
from serpenoid.judgement import effort
from serpenoid.simulation.setup import Setup
from serpenoid.simulation.steady import Steady, frames_in

LOAD = 0.2  # of the stall torque: RMS torque that a motor stands for long, and from which it runs hot
LINE = "motor_line"  # a metric that may name its motor: motor_line(stall torque, no-load speed)
_NAMED = re.compile(rf"{LINE}\(\s*([^(),]+?)\s*,\s*([^(),]+?)\s*\)")


class Worst(NamedTuple):
    """The greatest of something over the joints, the degree of freedom that has it, and when (s)."""

    value: float
    dof: int
    time: float


class Loads(NamedTuple):
    """Torques and rates of the joints in the frames of steady motion, (f, dof), and the frames' times, s."""

    torque: FloatArray
    rate: FloatArray
    time: FloatArray

    @property
    def some(self) -> bool:
        """Whether there is any, and all of it is known."""
        return bool(effort.known(self.torque, self.rate, 0, len(self.torque)))

    def rms(self) -> FloatArray:
        """Root mean square torque of each degree of freedom, N m."""
        return np.array([effort.rms_of(self.torque, k, 0, len(self.torque)) for k in range(self.torque.shape[1])])

    def use(self, stall: FloatArray | float, free: FloatArray | float) -> float:
        """How much of a motor's torque-speed line (N m, rad/s) the worst joint takes in these frames; infinite parts of it take none."""
        dofs = self.torque.shape[1]
        stalls, speeds = (np.array(np.broadcast_to(row, dofs), dtype=float) for row in (stall, free))
        return float(effort.use_of(self.torque, self.rate, stalls, speeds, 0, len(self.torque)))


def loads_of(variables: Mapping[str, Variable], steady: Steady) -> Loads:
    """What was recorded of the joints in steady motion."""
    time = variables["time"].data
    keep = frames_in(time, steady)
    torque, rate = (
        np.ascontiguousarray(variables[name].data[keep], dtype=float) for name in ("joint_torque", "joint_rate")
    )
    return Loads(torque, rate, time[keep])


def dof_of(setup: Setup, planar: bool, column: float) -> int:
    """The degree of freedom that the sums' slot of a joint names: the column of its outer link in the plane, else itself."""
    joints = [joint for joint, _ in setup.robot.axes]
    return joints.index(int(column)) if planar and int(column) in joints else min(int(column), len(joints) - 1)


def has_lines(setup: Setup) -> bool:
    """Whether a servo of the robot has a torque-speed line."""
    return any(servo is not None and servo.no_load_speed is not None for servo in setup.robot.servos)


def motor_named(name: str) -> tuple[float, float] | None:
    """Stall torque (N m) and no-load speed (rad/s) of "motor_line(3,5)"; None if it is no such name."""
    found = _NAMED.fullmatch(name.strip())
    try:
        numbers = [float(part) for part in found.groups()] if found else []
    except ValueError:
        return None
    return (numbers[0], numbers[1]) if numbers and all(0.0 < x < math.inf for x in numbers) else None


def line_named(stall: float, free: float) -> str:
    """The metric for a motor by its stall torque and no-load speed."""
    return f"{LINE}({stall:.12g},{free:.12g})"
