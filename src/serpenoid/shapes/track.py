"""A chain laid on a track: every joint on one plane curve, each link a chord of it, as when the links follow their leader.

The track is a fine polyline; it goes straight on beyond its last point. From the base at arc length s the next joint is the first
point ahead at the link's length from this one (a circle cut with the track), and so on to the tip; so lengths are kept to rounding
and the joint angles are a function of s alone.

| symbol | meaning | unit |
|---|---|---|
| s | arc length of the base (tail end of link 0) along the track | m |
| `places` | arc lengths of all link ends, base first | m |
| phi | joint angles: heading of a link minus that of the link before it | rad |
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from serpenoid.compiled import njit
from serpenoid.core.checks import FloatArray, per_item
from serpenoid.core.errors import InputError

MOST_POINTS = 2_000_000


class Track(NamedTuple):
    """A plane curve by points close together."""

    points: FloatArray  # (k, 2) m
    along: FloatArray  # (k,) m, arc length

    @property
    def length(self) -> float:
        """Arc length from the first point to the last in m."""
        return float(self.along[-1])

    def at(self, s: ArrayLike) -> FloatArray:
        """Points at arc lengths s (m), (., 2); the ends are held."""
        where = np.asarray(s, dtype=float)
        return np.stack([np.interp(where, self.along, self.points[:, e]) for e in (0, 1)], axis=-1)

    def tangents(self) -> FloatArray:
        """Unit tangents at the points, (k, 2)."""
        way = np.gradient(self.points, self.along, axis=0)
        return np.asarray(way / np.hypot(way[:, 0], way[:, 1])[:, None])


def track_through(points: FloatArray) -> Track:
    """A track whose points are given, none of them twice in a row."""
    steps = np.hypot(*np.diff(points, axis=0).T)
    return Track(np.ascontiguousarray(points), np.concatenate([[0.0], np.cumsum(steps)]))


def track_of(path: ArrayLike, spacing: float, smoothing: float = 0.0) -> Track:
    """A track along a path (k, 2) in m: points every `spacing`, rounded by a Gaussian of width `smoothing` (m); its ends stay."""
    try:
        points = np.asarray(path, dtype=float)
    except (TypeError, ValueError) as error:
        raise InputError("a path must be points x, y in m, shape (k, 2)") from error
    if points.ndim != 2 or points.shape[1] != 2 or len(points) < 2 or not np.isfinite(points).all():
        raise InputError(f"a path must be at least two finite points x, y in m, shape (k, 2); got shape {points.shape}")
    per_item("spacing", spacing, 1, 0.0, strict=True)
    per_item("smoothing", smoothing, 1, 0.0)
    moved = np.concatenate([[True], np.hypot(*np.diff(points, axis=0).T) > 0.0])
    if moved.sum() < 2:
        raise InputError("a path must have a length; all its points are one")
    raw = track_through(points[moved])
    count = int(np.ceil(raw.length / spacing)) + 1
    if count > MOST_POINTS:
        raise InputError(
            f"a path of {raw.length:g} m needs {count} points {spacing:g} m apart, more than {MOST_POINTS}"
        )
    even = raw.at(np.linspace(0.0, raw.length, max(count, 4)))
    return track_through(_rounded(even, smoothing * (len(even) - 1) / raw.length))


def _rounded(points: FloatArray, sigma: float) -> FloatArray:
    """Points through a Gaussian of `sigma` points; the path goes on beyond its ends by reflection through them, so they stay."""
    if sigma < 1e-3:
        return points
    reach = min(int(4.0 * sigma) + 1, len(points) - 1)
    weights = np.exp(-0.5 * (np.arange(-reach, reach + 1) / sigma) ** 2)
    weights /= weights.sum()
    before = 2.0 * points[0] - points[reach:0:-1]
    after = 2.0 * points[-1] - points[-2 : -2 - reach : -1]
    padded = np.vstack([before, points, after])
    return np.column_stack([np.convolve(padded[:, e], weights, mode="valid") for e in (0, 1)])


@njit
def lay(points, along, lengths, s, nodes, places):
    """Fill the link ends (n + 1, 2) and their arc lengths for the base at arc length s; beyond the end the track goes straight on."""
    last = along.shape[0] - 2
    k = 0
    high = last
    while k < high:  # segment that holds s
        middle = (k + high + 1) // 2
        if along[middle] <= s:
            k = middle
        else:
            high = middle - 1
    f = (s - along[k]) / (along[k + 1] - along[k])
    x, y = points[k, 0] + f * (points[k + 1, 0] - points[k, 0]), points[k, 1] + f * (points[k + 1, 1] - points[k, 1])
    nodes[0, 0], nodes[0, 1], places[0] = x, y, s
    for i in range(lengths.shape[0]):
        r2 = lengths[i] * lengths[i]
        while k < last and (points[k + 1, 0] - x) ** 2 + (points[k + 1, 1] - y) ** 2 < r2:
            k += 1
        ux, uy = points[k + 1, 0] - points[k, 0], points[k + 1, 1] - points[k, 1]
        dx, dy = points[k, 0] - x, points[k, 1] - y
        a, b, c = ux * ux + uy * uy, dx * ux + dy * uy, dx * dx + dy * dy - r2
        f = (-b + math.sqrt(max(b * b - a * c, 0.0))) / a
        x, y = points[k, 0] + f * ux, points[k, 1] + f * uy
        nodes[i + 1, 0], nodes[i + 1, 1] = x, y
        places[i + 1] = along[k] + f * (along[k + 1] - along[k])


@njit
def _lay_all(points, along, lengths, starts, nodes, places):
    for k in range(starts.shape[0]):
        lay(points, along, lengths, starts[k], nodes[k], places[k])


def laid(track: Track, lengths: FloatArray, starts: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Link ends (m, n + 1, 2) and their arc lengths (m, n + 1) for bases at the arc lengths `starts` (m,)."""
    begin = np.atleast_1d(np.asarray(starts, dtype=float))
    nodes, places = np.zeros((begin.size, len(lengths) + 1, 2)), np.zeros((begin.size, len(lengths) + 1))
    _lay_all(track.points, track.along, np.ascontiguousarray(lengths), begin, nodes, places)
    return nodes, places


def joint_angles(nodes: FloatArray) -> FloatArray:
    """Joint angles (., n - 1) in rad of link ends (., n + 1, 2), from -pi to pi."""
    way = np.diff(nodes, axis=-2)
    turn = np.diff(np.arctan2(way[..., 1], way[..., 0]), axis=-1)
    return np.asarray((turn + np.pi) % (2.0 * np.pi) - np.pi)


def off_track(track: Track, points: FloatArray, near: tuple[float, float]) -> tuple[FloatArray, FloatArray]:
    """Distances (m; left of the track positive) of points (m, 2) from the track between two arc lengths, and where that is."""
    first, end = np.searchsorted(track.along, near)
    first, end = max(int(first) - 1, 0), min(int(end) + 1, len(track.along))
    p, s = track.points[first:end], track.along[first:end]
    way = np.diff(p, axis=0)
    size = np.hypot(way[:, 0], way[:, 1])
    gap = points[:, None] - p[:-1]
    share = np.clip((gap * way).sum(axis=-1) / size**2, 0.0, 1.0)
    rest = gap - share[..., None] * way
    best = np.argmin((rest**2).sum(axis=-1), axis=1)
    rows = np.arange(len(points))
    side = way[best, 0] * gap[rows, best, 1] - way[best, 1] * gap[rows, best, 0]
    return np.copysign(np.hypot(*rest[rows, best].T), side), s[best] + share[rows, best] * np.diff(s)[best]
