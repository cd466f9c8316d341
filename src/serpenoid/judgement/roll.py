"""How a run in space rolls: angle about the links' axes, and its rate over whole periods."""

from __future__ import annotations

import math

import numpy as np

from serpenoid.compiled import kernel
from serpenoid.core.checks import FloatArray
from serpenoid.judgement import ledger as at
from serpenoid.judgement.ledger import Metric, at_instant
from serpenoid.judgement.travel import whole_periods

PLACE = 3
FEWEST = 3  # whole periods, for a rate
METRICS = {
    "roll_angle": Metric("rad", "roll about the links' axes against the vertical, mean of the links after the first period", scale="angle"),
    "roll_rate_mean": Metric("rad/s", "slope of the roll angle, fitted over whole periods after the first", scale="rate"),
}  # fmt: skip


@kernel
def roll_of(axis, back, roll):
    """Fill `roll` (f,): roll of the links about their axes against the vertical, their mean, rad, without jumps in time.

    Of directions (f, n, 3) of links and of their backs. Positive as a right-handed turn about the axis towards the head; 0 where the back is up.
    """
    count, n = axis.shape[0], axis.shape[1]
    roll[:] = 0.0
    for i in range(n):
        before = 0.0
        for f in range(count):
            left = back[f, i, 0] * axis[f, i, 1] - back[f, i, 1] * axis[f, i, 0]
            angle = math.atan2(left, back[f, i, 2])
            if f > 0 and math.isfinite(before):
                angle += 2.0 * math.pi * math.floor((before - angle) / (2.0 * math.pi) + 0.5)
            roll[f] += angle / n
            before = angle


def mean_roll(axis: FloatArray, back: FloatArray) -> FloatArray:
    """Roll of the links, their mean, (f,)."""
    made = np.empty(len(axis))
    roll_of(np.ascontiguousarray(axis, dtype=float), np.ascontiguousarray(back, dtype=float), made)
    return made


@kernel
def measure(run, out):
    """Fill in the metrics of this file."""
    out[0] = out[1] = at.ABSENT
    if run.facts[at.FLAT] > 0.0:
        return
    time, roll, period = run.frames[at.TIME], run.frames[at.ROLL], run.facts[at.PERIOD]
    total, count = 0.0, 0
    for f in range(time.shape[0]):
        if time[f] >= period:
            total += roll[f]
            count += 1
    if count > 0:
        out[0] = total / count
    end = time[time.shape[0] - 1]
    whole = whole_periods(period, end)
    if whole < FEWEST:
        return
    at_mean = value_mean = 0.0
    for k in range(1, whole + 1):
        t = min(k * period, end)
        at_mean += t / whole
        value_mean += at_instant(t, time, roll) / whole
    shared = square = 0.0
    for k in range(1, whole + 1):
        t = min(k * period, end)
        shared += (t - at_mean) * (at_instant(t, time, roll) - value_mean)
        square += (t - at_mean) ** 2
    out[1] = shared / square
