"""When a run is in steady motion (the rule is in `judgement.pace`), and why a run has no such part."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from serpenoid.core import FloatArray
from serpenoid.judgement.pace import frames_within, steady_part
from serpenoid.simulation.setup import Setup


class Steady(NamedTuple):
    """When a run is in steady motion, s; `whole` periods lie in it, 0 where there is none: then `why` says why, and it is all but the first quarter."""

    first: float
    end: float
    whole: int = 0
    why: str = ""


class Clock(NamedTuple):
    """Period of a gait and from when to when it is steady, s; NaN where it has none."""

    period: float = math.nan
    steady_from: float = math.nan
    steady_until: float = math.nan


def clock_of(setup: Setup) -> Clock:
    """What the gait of a description says of its time."""
    gait: Any = setup.gait
    period = gait.period(setup.robot) if gait is not None else None
    if period is None:
        return Clock()
    if not hasattr(gait, "steady_from"):
        return Clock(float(period))
    return Clock(float(period), float(gait.steady_from(setup.robot)), float(gait.steady_until()))


def steady_motion(setup: Setup, end: float) -> Steady:
    """When a run that ends at `end` (s) is in steady motion."""
    clock = clock_of(setup)
    first, last, whole = steady_part(*clock, float(end))
    why = ""
    if not whole:
        if setup.gait is None or not hasattr(setup.gait, "steady_from"):
            why = "only gaits with a period have a steady speed"
        elif math.isnan(clock.period):
            why = "the gait has no period"
        else:
            why = too_short(clock.period, clock.steady_from, min(clock.steady_until, end))
    return Steady(first, last, int(whole), why)


def too_short(period: float, begin: float, end: float) -> str:
    """Why a run has no steady speed: its steady part, from when to when (s), is shorter than a period (s)."""
    return (
        f"needs a whole period of {period:.3g} s after {begin:.3g} s, when the gait is steady; it ends at {end:.3g} s"
    )


def frames_in(time: FloatArray, steady: Steady) -> slice:
    """Which frames, by their times (s), lie in steady motion."""
    return slice(*frames_within(time, steady.first, steady.end))
