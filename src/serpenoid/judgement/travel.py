"""How far a run went, and which way: displacement and path of the centre of gravity, head and tail."""

from __future__ import annotations

import math

from serpenoid.compiled import kernel, njit
from serpenoid.judgement import ledger as at
from serpenoid.judgement.ledger import Metric, at_instant, length

PLACE = 1
MOVED = 1e-7  # of the body length: a displacement below it measures rounding
METRICS = {
    "com_distance": Metric("m", "S = |level displacement of the centre of gravity| from start to end", scale="way"),
    "com_dx": Metric("m", "displacement of the centre of gravity along world x", scale="way"),
    "com_dy": Metric("m", "displacement of the centre of gravity along world y", scale="way"),
    "com_dz": Metric("m", "displacement of the centre of gravity along world z", scale="way"),
    "com_forward": Metric("m", "displacement of the centre of gravity along the start heading (negative: backward)", scale="way"),
    "path_length": Metric("m", "level displacements of the centre of gravity over whole periods, summed, plus the rest", scale="way"),
    "travel_direction": Metric("rad", "direction of the level displacement, from world x", scale="angle", absent="it did not move"),
    "heading": Metric("rad", "direction of the mean link axis at the end, from world x", scale="angle"),
    "head_distance": Metric("m", "|displacement| of the head's tip", scale="way"),
    "tail_distance": Metric("m", "|displacement| of the tail's end", scale="way"),
}  # fmt: skip


@njit
def displacement(run, row):
    """Displacement of the centre of gravity along an axis of the world, m."""
    return run.frames[row, run.frames.shape[1] - 1] - run.frames[row, 0]


@njit
def distance(run):
    """Its length in the level, m."""
    return length(displacement(run, at.COM_X), displacement(run, at.COM_Y))


@njit
def went(run):
    """Whether it moved by more than rounding."""
    return distance(run) > MOVED * run.facts[at.LENGTH]


@njit
def whole_periods(period, end):
    """How many periods of the gait (NaN: it has none) lie in a run that ends then."""
    return math.floor(end / period * (1.0 + 1e-9)) if period > 0.0 else 0


@kernel
def path_length(time, xs, ys, period):
    """Level displacements over whole periods, summed, plus the rest, from instants and places."""
    last = time.shape[0] - 1
    x0, y0, way = xs[0], ys[0], 0.0
    for k in range(1, whole_periods(period, time[last]) + 1):
        t = min(k * period, time[last])
        x, y = at_instant(t, time, xs), at_instant(t, time, ys)
        way += length(x - x0, y - y0)
        x0, y0 = x, y
    return way + length(xs[last] - x0, ys[last] - y0)


@njit
def node_moved(run, k):
    """How far a node is from where it was at first, m."""
    first, last = run.nodes[0, k], run.nodes[run.nodes.shape[0] - 1, k]
    return math.sqrt((last[0] - first[0]) ** 2 + (last[1] - first[1]) ** 2 + (last[2] - first[2]) ** 2)


@kernel
def measure(run, out):
    """Fill in the metrics of this file."""
    dx, dy, ahead = displacement(run, at.COM_X), displacement(run, at.COM_Y), run.facts[at.START_HEADING]
    out[0] = distance(run)
    out[1] = dx
    out[2] = dy
    out[3] = displacement(run, at.COM_Z)
    out[4] = dx * math.cos(ahead) + dy * math.sin(ahead)
    out[5] = path_length(run.frames[at.TIME], run.frames[at.COM_X], run.frames[at.COM_Y], run.facts[at.PERIOD])
    out[6] = math.atan2(dy, dx) if went(run) else at.ABSENT
    out[7] = run.frames[at.HEADING, run.frames.shape[1] - 1]
    out[8] = node_moved(run, run.nodes.shape[1] - 1)
    out[9] = node_moved(run, 0)
