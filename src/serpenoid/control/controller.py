"""A controller: looks at the state, gives a command.

    def steer(state, t):
        return gait.angles(robot, t) - 0.2 * state.heading

    run = sp.simulate(robot, sp.control.Controller(steer, period=0.02), world, duration=20.0)

The function is called at t = 0, period, 2 period, ... (at the nearest whole step) and returns joint angles (rad, one per degree of
freedom), a `Command`, or None (go on as before). Angles are reached at the end of the period, on a curve without jumps of the
velocity: by ideal joints exactly, by servos as well as they can. Torques (N m) act at once and stay for the period.

A controller with a memory is a class with the same `command(state, t)` and `period`, and `memory()` and `recall(memory)`, which give
and take everything it remembers as numbers, texts, lists and arrays, so that its runs can be saved and resumed bit for bit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from serpenoid.core.checks import FloatArray, per_item
from serpenoid.core.errors import InputError
from serpenoid.core.trajectory import Status


@dataclass(frozen=True, eq=False)
class Hold:
    """An anchor that is set: at `place` (m; None: where its point is now), carried along at `velocity` (m/s)."""

    place: tuple[float, float] | None = None
    velocity: tuple[float, float] = (0.0, 0.0)


@dataclass(frozen=True, eq=False)
class Command:
    """What a controller asks for until its next call; what is None stays as it is.

    | field | meaning |
    |---|---|
    | angles, rates | joint angles (rad) at the end of the period, and their rates there (rad/s; None: from the angles) |
    | torques | joint torques, N m |
    | passive | degrees of freedom without torque (bool each) |
    | anchors | number of the anchor to `Hold` (set, or carried on) or None (released) |
    | done | the controller has finished, and the run with it |
    """

    angles: ArrayLike | None = None
    rates: ArrayLike | None = None
    torques: ArrayLike | None = None
    passive: Sequence[bool] | None = None
    anchors: Mapping[int, Hold | None] = field(default_factory=dict)
    done: bool = False


class Controller:
    """A Python function of state and time, called at a period (s)."""

    NAME = "controller"

    def __init__(self, function: Callable[[Any, float], Any], period: float) -> None:
        if not callable(function):
            raise InputError(f"a controller needs a function of state and time, got {function!r}"[:200])
        self.function = function
        self.period = float(per_item("controller period", period, 1, 0.0, strict=True)[0])

    def command(self, state: Any, t: float) -> Any:
        """What the function asks for."""
        return self.function(state, t)

    def memory(self) -> dict[str, Any]:
        """A plain function remembers nothing."""
        return {}

    def recall(self, memory: Mapping[str, Any]) -> None:
        """A plain function remembers nothing."""

    def status(self) -> Status:
        """How it ended, as the controller sees it."""
        return Status("ok")

    def __repr__(self) -> str:
        name = getattr(self.function, "__name__", type(self.function).__name__)
        return f"Controller({name}, period={self.period:g})"


def command_of(answer: Any, axes: int, who: str, t: float) -> Command:
    """A controller's answer as a checked command; wrong shapes and numbers that are not finite are refused."""
    if answer is None:
        return Command()
    command = answer if isinstance(answer, Command) else Command(angles=answer)
    for name in ("angles", "rates", "torques"):
        value = getattr(command, name)
        if value is not None:
            _checked(value, axes, f"{who} at t = {t:.6g} s: {name}")
    if command.angles is not None and command.torques is not None:
        raise InputError(f"{who} at t = {t:.6g} s: give angles or torques, not both")
    if command.rates is not None and command.angles is None:
        raise InputError(f"{who} at t = {t:.6g} s: rates need angles")
    return command


def _checked(value: Any, axes: int, what: str) -> FloatArray:
    try:
        given = np.asarray(value)
        array = given.astype(float) if given.dtype.kind in "iuf" else None
    except (TypeError, ValueError, OverflowError):
        array = None
    if array is None:
        raise InputError(f"{what} must be {axes} numbers, got {value!r}"[:300])
    if array.shape != (axes,):
        raise InputError(f"{what} must be {axes} numbers, one per degree of freedom, got shape {array.shape}")
    if not np.isfinite(array).all():
        raise InputError(
            f"{what} must be finite, got {array[~np.isfinite(array)][0]} for degree of freedom {int(np.flatnonzero(~np.isfinite(array))[0])}"
        )
    return array


__all__ = ["Command", "Controller", "Hold", "command_of"]
