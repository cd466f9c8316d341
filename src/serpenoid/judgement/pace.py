"""How fast a run goes when it goes steadily: in the last whole periods of the steady gait.

Of a run that has none (no period, or too short) steady motion is all but its first quarter, in which it starts, or lands on the ground.
"""

from __future__ import annotations

import math

from serpenoid.compiled import kernel, njit
from serpenoid.judgement import ledger as at
from serpenoid.judgement.ledger import Metric, at_instant, length

PLACE = 2
LANDING = 0.25  # of a run without whole steady periods: left out at its beginning
FRAMES_PER_PERIOD = 20  # at least, for the steady speed
METRICS = {
    "steady_speed": Metric("m/s", "level displacement of the centre of gravity over the last whole periods of the steady gait, over their time", scale="speed"),
    "steady_forward_speed": Metric("m/s", "the same, signed: negative where it runs against the mean heading of these periods", scale="speed"),
}  # fmt: skip


@kernel
def steady_part(period, begin, until, end):
    """When a run that ends at `end` is in steady motion, s, and how many whole periods lie in it (0: none); of a gait that is steady from when to when."""
    last = min(until, end)
    whole = math.floor((last - begin) / period * (1.0 + 1e-9)) if period > 0.0 else 0.0
    if not whole >= 1.0:
        return LANDING * end, end, 0.0
    return last - whole * period, last, whole


@kernel
def frames_within(time, first, end):
    """First frame of steady motion from when to when, and the one after the last."""
    near, begin, count = 1e-9 * end, 0, time.shape[0]
    while begin < count and time[begin] < first - near:
        begin += 1
    stop = begin
    while stop < count and time[stop] <= end + near:
        stop += 1
    return begin, stop


@kernel
def prepare(run):
    """Note when the run is in steady motion, and at the headings of which frames is looked: from, to before, every so many."""
    time, facts, parts = run.frames[at.TIME], run.facts, run.parts
    count = time.shape[0]
    first, end, whole = steady_part(facts[at.PERIOD], facts[at.STEADY_FROM], facts[at.STEADY_UNTIL], time[count - 1])
    parts[at.STEADY_FIRST], parts[at.STEADY_END], parts[at.WHOLE] = first, end, whole
    begin = 0
    while begin < count and time[begin] < first:
        begin += 1
    stop = begin
    while stop < count and time[stop] <= end:
        stop += 1
    parts[at.LOOK_FROM], parts[at.LOOK_END] = begin, stop if seen(run) else begin
    apart = time[1] - time[0] if count > 1 else 1.0
    parts[at.LOOK_EVERY] = max(1.0, math.floor(facts[at.PERIOD] / apart / FRAMES_PER_PERIOD)) if whole > 0.0 else 1.0


@njit
def seen(run):
    """Whether there are whole periods of steady motion, and enough frames of them."""
    time, whole = run.frames[at.TIME], run.parts[at.WHOLE]
    if not whole > 0.0 or time.shape[0] < 2:
        return False
    lasted = run.parts[at.STEADY_END] - run.parts[at.STEADY_FIRST]
    return not time[1] - time[0] > lasted / whole / FRAMES_PER_PERIOD


@kernel
def measure(run, out):
    """Fill in the metrics of this file."""
    out[0] = out[1] = at.ABSENT
    if not seen(run):
        return
    time, first, end = run.frames[at.TIME], run.parts[at.STEADY_FIRST], run.parts[at.STEADY_END]
    dx = at_instant(end, time, run.frames[at.COM_X]) - at_instant(first, time, run.frames[at.COM_X])
    dy = at_instant(end, time, run.frames[at.COM_Y]) - at_instant(first, time, run.frames[at.COM_Y])
    c = s = 0.0
    for f in range(int(run.parts[at.LOOK_FROM]), int(run.parts[at.LOOK_END]), int(run.parts[at.LOOK_EVERY])):
        c += math.cos(run.frames[at.HEADING, f])
        s += math.sin(run.frames[at.HEADING, f])
    out[0] = length(dx, dy) / (end - first)
    out[1] = math.copysign(out[0], dx * c + dy * s)
