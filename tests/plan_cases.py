"""What the tests of the concertina planner share: seeded fields, and checks of a motion that use nothing of the planner."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from serpenoid.core.checks import FloatArray
from serpenoid.gaits.concertina import Posture
from serpenoid.gaits.concertina_legs import Leg
from serpenoid.planning import ConcertinaSolution, Disc, Polygon, Upright, Wall

HALF_WIDTH = 0.05  # L
TARGET = (20.0, 0.0)
START = Posture().nodes()


def point_to_segments(p: FloatArray, a: FloatArray, b: FloatArray) -> FloatArray:
    """Distance of points to segments, all broadcast."""
    e = b - a
    t = np.clip(((p - a) * e).sum(-1) / (e * e).sum(-1), 0.0, 1.0)
    return np.linalg.norm(a + t[..., None] * e - p, axis=-1)


def cross(a: FloatArray, b: FloatArray) -> FloatArray:
    """z of the product of plane vectors."""
    return a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]


def segment_distance(a: FloatArray, b: FloatArray, c: FloatArray, d: FloatArray) -> FloatArray:
    """Distance of the segments ab and cd, all broadcast; zero where they cross."""
    ends = [
        point_to_segments(a, c, d),
        point_to_segments(b, c, d),
        point_to_segments(c, a, b),
        point_to_segments(d, a, b),
    ]
    crossed = (cross(b - a, c - a) * cross(b - a, d - a) < 0.0) & (cross(d - c, a - c) * cross(d - c, b - c) < 0.0)
    return np.where(crossed, 0.0, np.minimum.reduce(np.broadcast_arrays(*ends)))


def own_distance(nodes: FloatArray) -> float:
    """Least distance of two links that share no joint, over postures (k, 8, 2)."""
    i, j = np.array([(i, j) for i in range(7) for j in range(i + 2, 7)]).T
    return float(segment_distance(nodes[:, i], nodes[:, i + 1], nodes[:, j], nodes[:, j + 1]).min())


def convex_gap(a: FloatArray, b: FloatArray, corners: FloatArray) -> FloatArray:
    """Gaps of segments ab (k, 2) to a convex polygon, negative by the depth of entry: separating axes, then distances."""
    sides = np.roll(corners, -1, axis=0) - corners
    outward = np.stack([sides[:, 1], -sides[:, 0]], axis=1)
    outward /= np.linalg.norm(outward, axis=1)[:, None]
    most = np.sum(corners * outward, axis=1)
    apart = (np.minimum(a @ outward.T, b @ outward.T) - most).max(axis=1)
    e = b - a
    normal = np.stack([-e[:, 1], e[:, 0]], axis=1) / np.linalg.norm(e, axis=1)[:, None]
    heights = normal @ corners.T - np.sum(normal * a, axis=1)[:, None]
    apart = np.maximum(apart, np.maximum(heights.min(axis=1), -heights.max(axis=1)))
    distance = segment_distance(a[:, None], b[:, None], corners, np.roll(corners, -1, axis=0)).min(axis=1)
    return np.where(apart > 0.0, distance, apart)


def gap(nodes: FloatArray, obstacles: Iterable[Upright], half_width: float) -> FloatArray:
    """Least gaps (k, 7) of the links of postures (k, 8, 2) to discs and convex polygons."""
    a, b = nodes[:, :-1].reshape(-1, 2), nodes[:, 1:].reshape(-1, 2)
    least = np.full(len(a), np.inf)
    for item in obstacles:
        if isinstance(item, Disc):
            own = point_to_segments(np.array(item.centre), a, b) - item.radius
        else:
            own = convex_gap(a, b, item.corners)
        least = np.minimum(least, own)
    return least.reshape(-1, 7) - half_width


def instants(leg: Leg, even: int = 100, between: int = 4) -> FloatArray:
    """Fractions s of a leg: evenly, at its knots and between them."""
    parts = np.linspace(0.0, 1.0, between + 1)[:-1]
    fine = (leg.knots[:-1, None] + np.diff(leg.knots)[:, None] * parts).ravel() if between else np.empty(0)
    return np.unique(np.clip(np.concatenate([fine, np.linspace(0.0, 1.0, even)]), 0.0, 1.0))


def faults(
    result: ConcertinaSolution, even: int = 100, between: int = 4, parts: Iterable[Upright] | None = None
) -> dict[str, float]:
    """Worst of a whole plan: drift of pinned links, opened joints, jumps between legs, least distance of links, least gap."""
    worst = {"drift": 0.0, "opened": 0.0, "jump": 0.0, "own": np.inf, "gap": np.inf, "turn": 0.0}
    last = result.start.nodes(result.lengths)
    for leg in result.legs:
        nodes, psi = leg.at(instants(leg, even, between))
        held = sorted({k for link in leg.pinned for k in (link - 1, link)})
        worst["drift"] = max(worst["drift"], float(np.abs(nodes[:, held] - leg.base[held]).max()))
        sizes = np.linalg.norm(np.diff(nodes, axis=1), axis=2)
        worst["opened"] = max(worst["opened"], float(np.abs(sizes - result.lengths).max()))
        worst["jump"] = max(worst["jump"], float(np.abs(nodes[0] - last).max()))
        worst["own"] = min(worst["own"], own_distance(nodes))
        worst["turn"] = max(worst["turn"], float(np.abs(np.diff(psi, axis=1)).max()))
        obstacles = result.obstacles if parts is None else parts
        worst["gap"] = min(worst["gap"], float(gap(nodes, obstacles, result.half_width).min()))
        last = nodes[-1]
    return worst


def disc_field(seed: int, count: int = 20) -> tuple[Disc, ...]:
    """Discs of radius 0.3 to 0.6 in [2, 18] x [-6, 6], clear of the start."""
    rng, found = np.random.default_rng(seed), []
    while len(found) < count:
        item = Disc((rng.uniform(2.0, 18.0), rng.uniform(-6.0, 6.0)), rng.uniform(0.3, 0.6))
        if gap(START[None], [item], HALF_WIDTH).min() > 1e-3:
            found.append(item)
    return tuple(found)


def mixed_field(seed: int, count: int = 14, half_width: float = HALF_WIDTH) -> tuple[Upright, ...]:
    """Discs, convex polygons and walls, clear of the start."""
    rng, found = np.random.default_rng(1000 + seed), []
    while len(found) < count:
        x, y, size = rng.uniform(2.0, 18.0), rng.uniform(-6.0, 6.0), rng.uniform(0.4, 0.9)
        kind, angle = rng.integers(3), rng.uniform(0.0, 2.0 * np.pi)
        item: Any
        if kind == 0:
            item = Disc((x, y), 0.7 * size)
        elif kind == 1:
            k = int(rng.integers(3, 7))
            turns = angle + 2.0 * np.pi * (np.arange(k) + rng.uniform(-0.3, 0.3, k)) / k
            item = Polygon(tuple((x + size * np.cos(t), y + size * np.sin(t)) for t in turns))
        else:
            dx, dy = 1.5 * size * np.cos(angle), 1.5 * size * np.sin(angle)
            item = Wall((x - dx, y - dy), (x + dx, y + dy), 0.1)
        if gap(START[None], [item], half_width).min() > 1e-3:
            found.append(item)
    return tuple(found)


def head_is_cut_off(obstacles: Iterable[Upright], target: FloatArray, half_width: float, cell: float = 0.05) -> bool:
    """Flood fill of the places where a disc as wide as the head is free: whether the target is not met from the head's tip.

    Cells are shut only if they are entered by more than their half diagonal, so that no leak is overlooked.
    """
    items = list(obstacles)
    reach = np.concatenate([START, np.atleast_2d(target)] + [_box(item) for item in items])
    low, high = reach.min(axis=0) - 1.0, reach.max(axis=0) + 1.0
    x, y = np.arange(low[0], high[0], cell), np.arange(low[1], high[1], cell)
    middle = np.stack(np.meshgrid(x, y, indexing="ij"), axis=-1).reshape(-1, 2)
    room = gap_of_points(middle, items).reshape(len(x), len(y)) - half_width
    shut = room < -np.sqrt(0.5) * cell
    now = np.zeros_like(shut)
    now[tuple(np.rint((START[7] - low) / cell).astype(int))] = True
    while True:  # grow by one cell in all eight directions
        grown = now.copy()
        for dx in (-1, 0, 1):
            for dy in (-1, 0, 1):
                moved = np.roll(np.roll(now, dx, axis=0), dy, axis=1)
                grown |= moved
        grown &= ~shut
        grown[0], grown[-1], grown[:, 0], grown[:, -1] = ~shut[0], ~shut[-1], ~shut[:, 0], ~shut[:, -1]
        if (grown == now).all():
            break
        now = grown
    return not bool(now[tuple(np.rint((np.asarray(target) - low) / cell).astype(int))])


def _box(item: Upright) -> FloatArray:
    if isinstance(item, Disc):
        return np.array(item.centre) + item.radius * np.array([[-1.0, -1.0], [1.0, 1.0]])
    return item.corners


def gap_of_points(points: FloatArray, obstacles: Iterable[Upright]) -> FloatArray:
    """Signed distances (k,) of points (k, 2) to discs and convex polygons."""
    least = np.full(len(points), np.inf)
    for item in obstacles:
        if isinstance(item, Disc):
            own = np.linalg.norm(points - item.centre, axis=1) - item.radius
        else:
            corners, after = item.corners, np.roll(item.corners, -1, axis=0)
            within = np.all(cross(after - corners, points[:, None] - corners) > 0.0, axis=1)
            border = point_to_segments(points[:, None], corners, after).min(axis=1)
            own = np.where(within, -border, border)
        least = np.minimum(least, own)
    return least
