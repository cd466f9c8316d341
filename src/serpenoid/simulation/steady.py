"""When a run is in steady motion, and what it covers then.

Steady motion is the last whole periods of the steady gait; of a run that has none (no period, or too short) it is all but its first quarter, in which it
starts, or lands on the ground.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from serpenoid.core import FloatArray, Variable
from serpenoid.simulation.setup import Setup

LANDING = 0.25  # of a run without whole steady periods: left out at its beginning
FRAMES_PER_PERIOD = 20  # at least, for the steady speed


class Steady(NamedTuple):
    """When a run is in steady motion, s; `whole` periods lie in it, 0 where there is none: then `why` says why, and it is all but the first quarter."""

    first: float
    end: float
    whole: int = 0
    why: str = ""


def steady_motion(setup: Setup, end: float) -> Steady:
    """When a run that ends at `end` (s) is in steady motion."""
    gait: Any = setup.gait
    if gait is None or not hasattr(gait, "steady_from"):
        return Steady(LANDING * end, end, why="only gaits with a period have a steady speed")
    period = gait.period(setup.robot)
    if period is None:
        return Steady(LANDING * end, end, why="the gait has no period")
    begin, until = gait.steady_from(setup.robot), min(gait.steady_until(), end)
    whole = np.floor((until - begin) / period * (1.0 + 1e-9))
    if not whole >= 1.0:
        return Steady(LANDING * end, end, why=too_short(period, begin, until))
    return Steady(float(until - whole * period), float(until), int(whole))


def too_short(period: float, begin: float, end: float) -> str:
    """Why a run has no steady speed: its steady part, from when to when (s), is shorter than a period (s)."""
    return (
        f"needs a whole period of {period:.3g} s after {begin:.3g} s, when the gait is steady; it ends at {end:.3g} s"
    )


def frames_in(time: FloatArray, steady: Steady) -> FloatArray:
    """Which frames, by their times (s), lie in steady motion."""
    near = 1e-9 * steady.end
    return np.asarray((time >= steady.first - near) & (time <= steady.end + near))


class Covered(NamedTuple):
    """The last whole periods of a steady gait: from when to when and how long (s), the displacement in them (m); or why there are none."""

    first: float = 0.0
    end: float = 0.0
    lasted: float = 0.0
    moved: FloatArray | None = None
    why: str = ""


def covered_in(variables: Mapping[str, Variable], steady: Steady) -> Covered:
    """What was covered in the last whole periods of the steady gait."""
    time, com = variables["time"].data, variables["com"].data
    if steady.why:
        return Covered(why=steady.why)
    lasted = steady.end - steady.first
    if len(time) < 2 or time[1] - time[0] > lasted / steady.whole / FRAMES_PER_PERIOD:
        return Covered(why=f"under {FRAMES_PER_PERIOD} frames per period; use a shorter record_interval")
    ends = np.stack([np.interp([steady.first, steady.end], time, com[:, e]) for e in (0, 1)])
    return Covered(steady.first, steady.end, lasted, ends[:, 1] - ends[:, 0])
