"""Round links, posts and pipes as faces: made once in their own frames and placed in the world.

A face has four corners, each with a normal of its own, so that shading runs smoothly over a surface; its colour is one,
so that the stripe on the back has sharp edges. How faces are lit and drawn is in `raster`.

| on a link | where | why |
|---|---|---|
| pale stripe | along the back | rolling is seen |
| dark balls | joints | links are told apart |
| orange | last link, with eyes | the head |
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.core import FloatArray
from serpenoid.core.terrain import Cylinder, Obstacle, Pipe
from serpenoid.view import style
from serpenoid.view.camera import Camera
from serpenoid.view.ground import Land

STRIPE = np.radians(24.0)  # half width of the stripe on the back
ROUND = 18  # faces round a link of a short chain
PIECE = 8.0  # radii: length of a face along a link
GAP = 0.55  # radii: from a joint to the end of its links' shells
JOINT = 0.84  # radii: balls in the joints
EYE = 0.26  # radii
FEW, MANY = 12, 60  # links of a chain from which it is drawn more coarsely


class Faces(NamedTuple):
    """Four-cornered faces."""

    corner: FloatArray  # (m, 4, 3) m
    normal: FloatArray  # (m, 4, 3) outwards
    colour: FloatArray  # (m, 4) red, green, blue, opacity

    @staticmethod
    def joined(parts: list[Faces]) -> Faces:
        """All of them as one."""
        return Faces(*(np.concatenate(x) for x in zip(*parts, strict=True)))


class Skin(NamedTuple):
    """Faces of a chain, each in the frame of its link (axis, left, back; origin at the tail-side joint)."""

    link: np.ndarray  # (m,)
    faces: Faces

    def placed(self, node: FloatArray, axis: FloatArray, back: FloatArray) -> Faces:
        """The faces in the world, of a chain with nodes (n+1, 3) and directions (n, 3)."""
        from serpenoid.view import raster

        frame = np.stack([axis, np.cross(back, axis), back], axis=1)  # rows: axis, left, back
        corner, normal = np.empty_like(self.faces.corner), np.empty_like(self.faces.normal)
        raster.place(self.faces.corner, self.faces.normal, self.link, np.ascontiguousarray(node), frame, corner, normal)
        return Faces(corner, normal, self.faces.colour)


def turned(along: FloatArray, radius: FloatArray, angle: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Corners, normals (k-1, a-1, 4, 3) of a body turned about x: radii at places (k,), angles (a,) from z to -y."""
    out = np.stack([np.zeros_like(angle), -np.sin(angle), np.cos(angle)], axis=-1)
    point = along[:, None, None] * np.array([1.0, 0.0, 0.0]) + radius[:, None, None] * out
    slope = np.arctan2(-np.gradient(radius), np.gradient(along))
    normal = np.cos(slope)[:, None, None] * out + np.sin(slope)[:, None, None] * np.array([1.0, 0.0, 0.0])

    def quads(x: FloatArray) -> FloatArray:
        return np.stack([x[:-1, :-1], x[1:, :-1], x[1:, 1:], x[:-1, 1:]], axis=2)

    return quads(point), quads(normal)


def ball(centre: FloatArray, radius: float, colour: str, steps: int = 6) -> Faces:
    """A ball."""
    turn = np.linspace(0.0, np.pi, steps + 1)
    angle = np.linspace(0.0, 2.0 * np.pi, 2 * steps + 1)
    corner, _ = turned(-np.cos(turn), np.sin(turn), angle)
    corner = corner.reshape(-1, 4, 3)
    return Faces(centre + radius * corner, corner.copy(), np.tile(style.rgba(colour), (len(corner), 1)))


def _shell(length: float, radius: float, ends: tuple[bool, bool], count: int, colour: str, stripe: str) -> Faces:
    """The shell of a link along x, its back along z; an open end is a whole cap, others are rounded off at a joint."""
    gap = min(GAP * radius, 0.11 * length)
    edge = 0.35 * min(gap, radius)
    cap = np.radians([90.0, 68.0, 46.0, 23.0, 0.0])
    begin = []
    for is_end in ends:
        if is_end:
            begin.append((-radius * np.sin(cap), radius * np.cos(cap)))
        else:
            begin.append((gap + edge * np.array([0.0, 0.3, 1.0]), radius * np.array([JOINT * 0.95, 0.96, 1.0])))
    finish = (length - begin[1][0])[::-1], begin[1][1][::-1]
    middle = np.linspace(begin[0][0][-1], finish[0][0], max(2, int(np.ceil(length / (PIECE * radius))) + 1))[1:-1]
    along = np.concatenate([begin[0][0], middle, finish[0]])
    size = np.concatenate([begin[0][1], np.full(middle.size, radius), finish[1]])
    side = np.linspace(STRIPE, 2.0 * np.pi - STRIPE, count)
    angle = np.concatenate([[-STRIPE, 0.0], side])
    corner, normal = turned(along, size, angle)
    colours = np.tile(style.rgba(colour), (along.size - 1, angle.size - 1, 1))
    marked = slice(4 if ends[0] else 0, -4 if ends[1] else None)
    colours[marked, :2] = style.rgba(stripe)
    return Faces(corner.reshape(-1, 4, 3), normal.reshape(-1, 4, 3), colours.reshape(-1, 4))


def skin(length: FloatArray, radius: FloatArray, light: str, dark: str, head: str = style.ORANGE) -> Skin:
    """The skin of a chain of links (n,) m: two shades by turns, balls in the joints, a head with eyes."""
    n = len(length)
    count = ROUND if n <= FEW else 16 if n <= MANY else 8
    parts, numbers = [], []
    stripe = style.mixed(light, style.STRIPE, 0.86)
    for i in range(n):
        colour = head if i == n - 1 else light if i % 2 else dark
        pieces = [_shell(length[i], radius[i], (i == 0, i == n - 1), count, colour, stripe)]
        if i > 0:
            joint = JOINT * min(radius[i], radius[i - 1])
            pieces.append(ball(np.zeros(3), joint, style.OUTLINE, 6 if n <= MANY else 4))
        if i == n - 1:
            for left in (0.55, -0.55):
                place = np.array([length[i] + 0.55 * radius[i], left * radius[i], 0.62 * radius[i]])
                pieces.append(ball(place, EYE * radius[i], style.INK, 5))
        parts += pieces
        numbers += [np.full(len(p.colour), i) for p in pieces]
    return Skin(np.concatenate(numbers), Faces.joined(parts))


def _bar(
    base: FloatArray, axis: FloatArray, length: float, radius: float, piece: float, colour: FloatArray, inside: bool
) -> Faces:
    """The mantle of a round bar (with its flat ends) or, from inside, of a pipe."""
    frame = _frame(axis)
    steps = int(np.clip(np.ceil(length / piece), 1, 60))
    along = np.linspace(0.0, length, steps + 1)
    angle = np.linspace(0.0, 2.0 * np.pi, 29)
    corner, normal = turned(along, np.full(along.size, radius), angle)
    parts = [(corner, -normal if inside else normal)]
    if not inside:
        for x, out in ((0.0, -1.0), (length, 1.0)):
            disc, _ = turned(np.full(4, x), radius * np.linspace(0.0, 1.0, 4), angle)
            parts.append((disc, np.broadcast_to(np.array([out, 0.0, 0.0]), disc.shape)))
    corner, normal = (np.concatenate([p[k].reshape(-1, 4, 3) for p in parts]) for k in (0, 1))
    return Faces(base + corner @ frame, normal @ frame, np.tile(colour, (len(corner), 1)))


def _frame(axis: FloatArray) -> FloatArray:
    """Rows: a direction and two across it."""
    side = np.cross(axis, np.eye(3)[int(np.argmin(np.abs(axis)))])
    side /= np.linalg.norm(side)
    return np.stack([axis, side, np.cross(axis, side)])


def obstacle_faces(obstacle: Obstacle, piece: float, about: FloatArray, reach: float) -> Faces:
    """A post or a pipe in faces about `piece` (m) long; of an endless pipe the part within `reach` (m) of a place (boxes: `boxes`)."""
    if isinstance(obstacle, Cylinder):
        base, axis = np.array(obstacle.base), np.array(obstacle.axis)
        return _bar(base, axis, obstacle.length, obstacle.radius, piece, style.rgba(style.STONE), False)
    assert isinstance(obstacle, Pipe)
    axis = np.array(obstacle.axis)
    start = np.array(obstacle.point) + axis * ((about - np.array(obstacle.point)) @ axis - reach)
    return _bar(start, axis, 2.0 * reach, obstacle.radius, 4.0 * piece, style.rgba(style.GLASS), True)


def pipe_rings(pipe: Pipe, about: FloatArray, reach: float) -> list[FloatArray]:
    """Rings (k, 3) of a pipe within `reach` (m) of a place, a radius apart."""
    axis, point = np.array(pipe.axis), np.array(pipe.point)
    _, side, other = _frame(axis)
    turn = np.linspace(0.0, 2.0 * np.pi, 49)[:, None]
    ring = pipe.radius * (np.cos(turn) * side + np.sin(turn) * other)
    middle = (about - point) @ axis
    step = max(pipe.radius, reach / 30.0)
    numbers = np.arange(np.floor((middle - reach) / step), np.ceil((middle + reach) / step) + 1)
    return [point + k * step * axis + ring for k in numbers]


def terrain_faces(land: Land, camera: Camera, aspect: float, most: int = 44) -> Faces:
    """The part of a height field that the camera sees."""
    corners = camera.corners(aspect, land.laid(camera.target), np.array([0.0, 0.0, 1.0]))[:, :2]
    low, high = corners.min(axis=0), corners.max(axis=0)
    cell = land.ground.heights.cell if land.ground.heights is not None else 1.0
    step = cell * max(1.0, np.ceil(float((high - low).max()) / most / cell))
    grid = [step * np.arange(np.floor(low[e] / step) - 1, np.ceil(high[e] / step) + 2) for e in (0, 1)]
    flat = np.stack(np.meshgrid(*grid, indexing="ij"), axis=-1)
    point = np.concatenate([flat, land.height(flat)[..., None]], axis=-1)
    normal = land.normal(flat)

    def quads(x: FloatArray) -> FloatArray:
        return np.stack([x[:-1, :-1], x[1:, :-1], x[1:, 1:], x[:-1, 1:]], axis=2).reshape(-1, 4, 3)

    corner = quads(point)
    return Faces(corner, quads(normal), np.tile(style.rgba(style.GROUND), (len(corner), 1)))


def vignette(wide: int, high: int) -> NDArray[np.uint8]:
    """A backdrop (high, wide, 4) that is lightest a little above the middle."""
    x = np.abs(np.linspace(-1.0, 1.0, wide, dtype=np.float32))[None]
    y = np.linspace(0.9, -1.1, high, dtype=np.float32)[:, None]
    share = np.maximum(x, np.where(y > 0.0, y / 0.9, -y / 1.1))
    light, dark = (
        255.0 * style.rgba(style.mixed(style.GROUND, other, part))[:3]
        for other, part in (("#ffffff", 0.45), (style.GROUND_BOLD, 0.4))
    )
    made = np.full((high, wide, 4), 255, np.uint8)
    for c in range(3):
        made[..., c] = share * (dark[c] - light[c]) + (light[c] + 0.5)
    return made
