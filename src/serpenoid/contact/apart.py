"""Can links of a body in the plane meet at all? A quick answer from their headings, before `crossings` looks closely."""

from __future__ import annotations

import math

import numpy as np

from serpenoid.contact.segments import counts
from serpenoid.core import FloatArray, Robot

_SURELY = 1e-6  # rad: headings so near to a right angle are looked at closely


def cannot_meet(robot: Robot, headings: FloatArray) -> bool:
    """Whether headings (f, n) of links in the plane show that no two links meet, in the frames or between them.

    Where all headings of two frames lie within an angle 2 a < 180 deg about one direction, every link goes on along that direction by at
    least cos(a) of its length, in these frames and on the straight way from one to the other. Links that have others between them are
    then at least cos(a) times the length between them apart: they cannot meet where that exceeds their thickness.
    """
    half = 0.5 * float(headings.max() - headings.min())  # of all frames: mostly that is enough
    if not half < 0.5 * math.pi - _SURELY:
        low, high = headings.min(axis=1), headings.max(axis=1)
        low[1:], high[1:] = np.minimum(low[1:], low[:-1]), np.maximum(high[1:], high[:-1])
        half = 0.5 * float((high - low).max())
    if not half < 0.5 * math.pi - _SURELY:  # NaN too
        return False
    thick = 2.0 * float(robot.radius.max())
    return thick == 0.0 or _farther(robot, thick / math.cos(half))


def _farther(robot: Robot, gap: float) -> bool:
    """Whether all links that count as a pair have more than `gap` of the body between them."""
    arc, radius = np.concatenate([[0.0], np.cumsum(robot.link_length)]), np.array(robot.radius, dtype=float)
    for i in range(robot.links - 2):
        for j in range(i + 2, robot.links):
            if arc[j] - arc[i + 1] > gap:
                break
            if counts(arc, radius, i, j):
                return False
    return True
