"""What a body moves on, as far as it is drawn: heights, gaps to ground and obstacles, shadows, places of contact.

A run records how many contacts a link has, not where they are. They are the points of the link that are nearest to a
surface: `on_ground` ranks the gaps of all its contact points to ground and obstacles and takes as many as were counted.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from serpenoid.core import FloatArray, Trajectory, World
from serpenoid.core.obstacles import Upright
from serpenoid.core.terrain import Box, Cylinder, Ground, Obstacle, Pipe
from serpenoid.view.poses import Poses

NEAR = 0.03  # radii: gap below which a link touches, where contacts were not counted


class Land(NamedTuple):
    """Ground and obstacles."""

    ground: Ground
    obstacles: tuple[Obstacle, ...] = ()

    @property
    def bare(self) -> bool:
        """Whether there is no ground at all, only obstacles."""
        return self.ground.heights is None and not self.ground.plane

    def height(self, place: FloatArray) -> FloatArray:
        """Height of the ground under places (..., 2 or 3), m; of a height field as `contact.field` has it."""
        x, y = place[..., 0], place[..., 1]
        field = self.ground.heights
        if field is None:
            n = self.ground.normal
            return np.asarray(-(n[0] * x + n[1] * y) / n[2])
        rows, columns = field.heights.shape
        u = np.clip((x - field.origin[0]) / field.cell, 0.0, columns - 1.0)
        v = np.clip((y - field.origin[1]) / field.cell, 0.0, rows - 1.0)
        i, j = np.minimum(u.astype(int), columns - 2), np.minimum(v.astype(int), rows - 2)
        u, v, h = u - i - 0.5, v - j - 0.5, field.heights
        # straight from the middle of the cell to its border, straight along the border
        share = 2.0 * np.maximum(np.abs(u), np.abs(v))
        with np.errstate(invalid="ignore", divide="ignore"):
            u, v = (np.where(share > 0.0, 0.5 + w / share, 0.5) for w in (u, v))
        low, high = (1.0 - u) * h[j, i] + u * h[j, i + 1], (1.0 - u) * h[j + 1, i] + u * h[j + 1, i + 1]
        middle = 0.25 * (h[j, i] + h[j, i + 1] + h[j + 1, i] + h[j + 1, i + 1])
        return np.asarray((1.0 - share) * middle + share * ((1.0 - v) * low + v * high))

    def normal(self, place: FloatArray) -> FloatArray:
        """Upward normal of the ground under places (..., 2 or 3)."""
        if self.ground.heights is None:
            return np.broadcast_to(self.ground.normal, (*place.shape[:-1], 3))
        step = 0.25 * self.ground.heights.cell
        x, y = (
            (self.height(place[..., :2] + d) - self.height(place[..., :2] - d)) / (2.0 * step) for d in step * np.eye(2)
        )
        n = np.stack([-x, -y, np.ones_like(x)], axis=-1)
        return np.asarray(n / np.linalg.norm(n, axis=-1, keepdims=True))

    def gap(self, place: FloatArray) -> FloatArray:
        """Distance of places (..., 3) from the ground, along its normal; infinite where there is none."""
        if self.bare:
            return np.full(place.shape[:-1], np.inf)
        return np.asarray((place[..., 2] - self.height(place)) * self.normal(place)[..., 2])

    def laid(self, place: FloatArray, light: FloatArray | None = None) -> FloatArray:
        """Places (..., 3) moved onto the ground: straight down, or along the rays of a light in that direction."""
        ray = np.array([0.0, 0.0, 1.0]) if light is None else light / light[2]
        down = place - ray * (place[..., 2] - self.height(place))[..., None]
        for _ in range(0 if light is None else 3):  # the ground there may be higher or lower
            down = down + ray * (self.height(down) - down[..., 2])[..., None] * _along(ray, self.normal(down))
        return np.concatenate([down[..., :2], self.height(down)[..., None]], axis=-1)

    def hides(self, eye: FloatArray, place: FloatArray) -> NDArray[np.bool_]:
        """Whether a post or a box stands between an eye and places (k, 3)."""
        solid = [o for o in self.obstacles if isinstance(o, Box | Cylinder)]
        share = np.linspace(0.3, 0.99, 60)[:, None, None]
        points = eye + share * (place - eye)
        inside = [(distance_to(o, points) < -1e-3 * np.linalg.norm(place - eye, axis=1)).any(axis=0) for o in solid]
        return np.any(inside, axis=0) if inside else np.zeros(len(place), bool)


def _along(ray: FloatArray, normal: FloatArray) -> FloatArray:
    """Newton's step along a ray towards a sloping ground, in steps on a level one."""
    return np.asarray(normal[..., 2] / np.maximum(normal @ ray, 0.2))[..., None]


def world_of(run: Trajectory) -> World:
    """Ground, obstacles and anchors of a run's description, or of what its plan made of that."""
    keys = run.provenance.get("world") or run.scenario.get("world", {})
    return World(ground=keys.get("ground"), obstacles=keys.get("obstacles") or (), anchors=keys.get("anchors") or ())


def land_of(world: World) -> Land:
    """Ground and solid obstacles of a world; the plane is a level ground."""
    return Land(world.floor or Ground(), tuple(o for o in world.obstacles if not isinstance(o, Upright)))


def distance_to(obstacle: Obstacle, place: FloatArray) -> FloatArray:
    """Distance of places (..., 3) from an obstacle's surface; negative within what is solid."""
    if isinstance(obstacle, Box):
        c, s = np.cos(obstacle.yaw), np.sin(obstacle.yaw)
        d = (place - np.array(obstacle.centre)) @ np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
        out = np.abs(d) - 0.5 * np.array(obstacle.size)
        return np.asarray(np.linalg.norm(np.maximum(out, 0.0), axis=-1) + np.minimum(out.max(axis=-1), 0.0))
    if isinstance(obstacle, Cylinder | Pipe):
        d = place - np.array(obstacle.base if isinstance(obstacle, Cylinder) else obstacle.point)
        along = d @ np.array(obstacle.axis)
        away = np.linalg.norm(d - along[..., None] * np.array(obstacle.axis), axis=-1)
        if isinstance(obstacle, Pipe):
            return np.asarray(obstacle.radius - away)
        out = np.stack([away - obstacle.radius, np.maximum(-along, along - obstacle.length)], axis=-1)
        return np.asarray(np.linalg.norm(np.maximum(out, 0.0), axis=-1) + np.minimum(out.max(axis=-1), 0.0))
    return np.full(place.shape[:-1], np.inf)


def contact_shares(run: Trajectory, land: Land, length: FloatArray, radius: FloatArray) -> FloatArray:
    """Where the contact points of a link lie, as shares of its length from the tail-side joint, (k,)."""
    from serpenoid.contact.spots import contact_points

    if land.ground.model == "flat":
        return np.array([0.0, 1.0])
    if land.ground.model == "point":
        keys = run.scenario.get("robot", {})
        given = next((keys[k] for k in ("contact_offset", "com_offset") if keys.get(k) is not None), 0.5 * length)
        return np.array([np.asarray(given, dtype=float).mean() / length.mean()])
    robot, world = SimpleNamespace(link_length=length, radius=radius), SimpleNamespace(ground=land.ground, obstacles=land.obstacles)  # fmt: skip
    return np.linspace(0.0, 1.0, contact_points(cast(Any, robot), cast(Any, world)))


def on_ground(body: Poses, radius: FloatArray, land: Land, shares: FloatArray) -> NDArray[np.bool_]:
    """Which contact points (t, n, k) touch the ground: the nearest ones, as many as the link had contacts."""
    link = np.diff(body.node, axis=1)
    place = body.node[:, :-1, None] + shares[:, None] * link[:, :, None]
    gap = land.gap(place) - radius[:, None]
    counted = ~np.isnan(body.touching)
    gaps = [gap]
    for obstacle in land.obstacles:
        other = distance_to(obstacle, place) - radius[:, None]
        gaps.append(other.min(axis=-1, keepdims=True) if isinstance(obstacle, Cylinder) else other)
    rank = np.concatenate(gaps, axis=-1).argsort(axis=-1, kind="stable").argsort(axis=-1)[..., : shares.size]
    nearest = (rank < np.nan_to_num(body.touching)[..., None]) & np.isfinite(gap)
    return np.where(counted[..., None], nearest, gap < NEAR * np.maximum(radius, 1e-6)[:, None])


def stretches(body: Poses, radius: FloatArray, land: Land, shares: FloatArray) -> FloatArray:
    """Ends (t, n, 2, 3) of the stretch of each link that touches the ground, laid onto it; NaN where none does."""
    touch = on_ground(body, radius, land, shares)
    first = np.where(touch, shares, np.inf).min(axis=-1)
    last = np.where(touch, shares, -np.inf).max(axis=-1)
    ends = np.stack([first, last], axis=-1)
    ends[~np.isfinite(ends)] = np.nan
    place = body.node[:, :-1, None] + ends[..., None] * np.diff(body.node, axis=1)[:, :, None]
    normal = land.normal(np.nan_to_num(place))
    foot = np.nan_to_num(place) - radius[:, None, None] * normal
    return np.where(np.isnan(place), np.nan, land.laid(foot))
