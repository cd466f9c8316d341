"""Joint commands for a robot that stands still: rows before them that bring straight joints to the first row, rows after them that bring the joints to rest.

    way       from straight joints at rest to where the run-up begins, 3 s^2 - 2 s^3, all joints together, none faster than `approach`
    run-up    from rest to the speed of the first rows, at constant acceleration: the run-out of the commands read backwards
    commands  unchanged; they begin at t = 0, what comes before has negative times
    run-out   from the speed of the last rows to rest

A joint runs out for as long as the way from its middle to its end takes at its greatest speed, at most LONGEST, and before its limit: no joint goes faster than the
commands or `approach` do, and none goes beyond `limit`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from serpenoid.core.checks import FloatArray, per_item
from serpenoid.core.door import FiniteNumbers, door
from serpenoid.core.errors import InputError
from serpenoid.formats.motion import Commands

APPROACH = 0.5  # rad/s
FREE = 1e6  # rad: a limit beyond it is none
LONGEST = 0.5  # s: of a run-out


@door(limit=FiniteNumbers(infinite=True))
def eased(commands: Commands, *, limit: ArrayLike | None = None, approach: ArrayLike = APPROACH) -> Commands:
    """The same commands, begun from straight joints at rest and ended at rest; `limit` (rad) and `approach` (rad/s) are numbers or one per axis."""
    times, angles = _checked(commands)
    axes = angles.shape[1]
    most = np.full(axes, np.inf) if limit is None else _limits(limit, axes)
    speed = per_item("approach", approach, axes, 0.0, strict=True)
    first, last = float(times[1] - times[0]), float(times[-1] - times[-2])
    up, out = _run_out(angles[::-1], first, most)[::-1], _run_out(angles, last, most)
    begin = up[0] if len(up) else angles[0]
    count = int(np.ceil(1.5 * np.max(np.abs(begin) / speed, initial=0.0) / first - 1e-9))
    share = np.arange(count)[:, None] / max(count, 1)
    way = begin * (3.0 * share**2 - 2.0 * share**3)
    before = np.concatenate([way, up])
    moments = np.concatenate([-first * np.arange(len(before), 0, -1), times - times[0], times[-1] - times[0] + last * np.arange(1, len(out) + 1)])  # fmt: skip
    return commands._replace(times=moments, angles=np.concatenate([before, angles, out]))


def _checked(commands: Commands) -> tuple[FloatArray, FloatArray]:
    """Times that rise, and complete rows of angles."""
    if not isinstance(commands, Commands):
        raise InputError(f"joint commands are needed (`commands_of`, `commands_from`), got {type(commands).__name__}")
    try:
        times, angles = np.asarray(commands.times, dtype=float), np.asarray(commands.angles, dtype=float)
    except (TypeError, ValueError):
        raise InputError("times and angles of commands must be numbers, in complete rows") from None
    if times.ndim != 1 or angles.ndim != 2 or len(times) != len(angles):
        raise InputError(f"commands need a row of angles for every time, got shapes {times.shape} and {angles.shape}")
    if len(times) < 2:
        raise InputError(f"commands that begin and end at rest need two rows, got {len(times)}")
    if not (np.isfinite(times).all() and np.isfinite(angles).all() and (np.diff(times) > 0.0).all()):
        raise InputError("times of commands must rise from row to row, and all numbers be finite")
    return times, angles


def _limits(limit: ArrayLike, axes: int) -> FloatArray:
    """A limit of each axis, which may be none (inf)."""
    try:
        found = np.asarray(limit, dtype=float)
    except (TypeError, ValueError):
        found = np.empty(0)
    if found.shape not in ((), (axes,)) or not (found > 0.0).all():
        raise InputError(f"limit must be > 0, one number or one for each of {axes} axes, got {limit!r}"[:200])
    return np.broadcast_to(np.where(found > FREE, np.inf, found), (axes,))


def _run_out(angles: FloatArray, h: float, most: FloatArray) -> FloatArray:
    """Rows after the last one that bring every joint to rest; the last two are equal."""
    speed = (angles[-1] - angles[-2]) / h
    fastest, reach = np.abs(np.diff(angles, axis=0)).max(axis=0, initial=0.0) / h, 0.5 * np.ptp(angles, axis=0)
    moves = speed != 0.0
    room = np.maximum(np.where(speed > 0.0, most - angles[-1], most + angles[-1]), 0.0)
    pace = np.where(moves, np.abs(speed), 1.0)
    duration = np.where(moves, np.minimum(np.minimum(reach / np.where(moves, fastest, 1.0), LONGEST), 2.0 * room / pace), 0.0)  # fmt: skip
    rows = int(np.ceil(np.max(duration, initial=0.0) / h - 1e-9))
    passed = np.minimum(h * np.arange(1, rows + (2 if rows else 1))[:, None], duration)
    gone = passed - 0.5 * passed**2 / np.where(duration > 0.0, duration, 1.0)
    return np.clip(angles[-1] + speed * gone, np.minimum(angles[-1], -most), np.maximum(angles[-1], most))
