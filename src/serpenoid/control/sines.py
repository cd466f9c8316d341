"""Gaits as sines: what oscillators and compliant shapes need to know of a gait, and what their controllers share.

    angle_k(t) = offset_k + amplitude_k sin(frequency t + phase_k)      for each degree of freedom k, amplitude_k >= 0

The numbers are the first terms of the Fourier series of the gait's steady part, so that any gait will do whose angles are such sines: creeping,
sidewinding, rolling, a compound serpenoid with one frequency. A gait that has more in it is refused.
"""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

import numpy as np

from serpenoid.core import FloatArray, Robot, Status, Variable
from serpenoid.core.copying import Independent
from serpenoid.core.errors import InputError

SAMPLES = 32  # of a period
PURE = 1e-6  # of the greatest amplitude: what may be left beside the sines
STILL = 1e-9  # rad: an amplitude below it is none


class Sines(NamedTuple):
    """Offset, amplitude and phase (rad) of every degree of freedom, and their frequency (rad/s, > 0)."""

    offset: FloatArray
    amplitude: FloatArray
    phase: FloatArray
    frequency: float


def sines_of(gait: Any, robot: Robot) -> Sines:
    """The sines of a gait on a robot; refuses a gait that is not made of them."""
    name = getattr(gait, "NAME", type(gait).__name__)
    period = gait.period(robot)
    if period is None:
        raise InputError(f"the gait {name} has no period, so that it is not made of sines of one frequency")
    begin = float(gait.steady_from(robot))
    begin = begin if np.isfinite(begin) else 0.0
    if float(gait.steady_until()) < begin + period:
        raise InputError(f"the gait {name} is nowhere steady for a period: leave its stop_time out")
    times = begin + period * np.arange(SAMPLES) / SAMPLES
    series = np.fft.rfft(np.array([gait.angles(robot, t) for t in times]), axis=0) / SAMPLES
    amplitude, rest = 2.0 * np.abs(series[1]), 2.0 * np.abs(series[2:]).max(initial=0.0)
    if rest > PURE * max(float(amplitude.max(initial=0.0)), STILL):
        raise InputError(
            f"the gait {name} is not made of sines of one frequency: {rest:.3g} rad of its angles is left over "
            f"beside {amplitude.max(initial=0.0):.3g} rad"
        )
    frequency = 2.0 * np.pi / period
    phase = np.angle(series[1]) + 0.5 * np.pi - frequency * begin
    return Sines(
        series[0].real, np.where(amplitude > STILL, amplitude, 0.0), _carried_on(phase, amplitude > STILL), frequency
    )


def _carried_on(phase: FloatArray, moving: Any) -> FloatArray:
    """Phases without jumps by 2 pi; those that do not move have the phase of the one before them (the first that moves)."""
    where = np.maximum.accumulate(np.where(moving, np.arange(len(phase)), 0))
    if moving.any():
        where = np.where(where < np.argmax(moving), np.argmax(moving), where)
    return np.unwrap(phase[where])


class ShapeController(Independent):
    """What controllers share that give the angles of a shape: a log of their calls, limits of the joints, nothing to miss."""

    NAME = "shape"
    COLUMNS: ClassVar[tuple[tuple[str, str, str], ...]] = ()  # name, unit and meaning of what is logged beside the time

    def __init__(self, robot: Robot, period: float) -> None:
        self.body, self.period = robot, period
        self.most = np.array([robot.joint_limit[joint - 1] for joint, _ in robot.axes])
        self.yaw = np.array([kind == "yaw" for _, kind in robot.axes])
        self.calls: list[list[float]] = []  # time and the columns
        self.events: list[Any] = []

    def within(self, angles: FloatArray, rates: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Angles and rates within the joints' limits."""
        kept = np.clip(angles, -self.most, self.most)
        return kept, np.where(kept == angles, rates, 0.0)

    def status(self) -> Status:
        """A shape has no goal that it could miss."""
        return Status("ok")

    def rows(self) -> FloatArray:
        """The log (calls, 1 + columns)."""
        return np.array(self.calls, dtype=float).reshape(-1, 1 + len(self.COLUMNS))

    def restore_rows(self, rows: Any) -> None:
        """Take a log back."""
        self.calls = [[float(v) for v in row] for row in np.reshape(rows, (-1, 1 + len(self.COLUMNS)))]

    def report(self) -> dict[str, Any]:
        """The columns at the last call."""
        last = self.calls[-1] if self.calls else []
        return {name: value for (name, _, _), value in zip(self.COLUMNS, last[1:], strict=False)}

    def variables(self) -> dict[str, Variable]:
        """The columns at the times of the calls."""
        rows = self.rows()
        found = {"call_time": Variable(("call",), rows[:, 0], "s", "time of a call of the controller")}
        for k, (name, unit, meaning) in enumerate(self.COLUMNS):
            found[name] = Variable(("call",), rows[:, 1 + k], unit, meaning)
        return found
