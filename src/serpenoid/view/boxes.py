"""What a box shows in a picture in space, so that its size and the touch of a body can be seen: grid, shadow and contact.

Everything is solid faces, drawn together with the bodies: what is behind a body or behind the box stays hidden. Grid lines are thin strips
of the faces; shadows and contacts are flat faces a little above the surface, cut off at its edges.

| symbol | meaning |
|---|---|
| spacing | distance of the grid lines, m: that of the grid on the ground |
| wide | width of a line, m |
"""

from __future__ import annotations

import numpy as np

from serpenoid.core import FloatArray
from serpenoid.core.terrain import Box
from serpenoid.view import style
from serpenoid.view.ground import distance_to
from serpenoid.view.poses import Poses
from serpenoid.view.solids import Faces

MOST = 40  # grid lines across a side; where there were more, only every fifth is drawn
LIFT = 0.02  # radii of the body: how far shadows and contacts lie above the surface
RIM = 12  # corners of a contact's disc
NEAR = 0.1  # radii: gap below which a counted contact is one with the box
LINE = style.mixed(style.STONE, style.TRACK, 0.75)
EDGE = style.mixed(style.STONE, style.INK, 0.55)
SHADE = style.mixed(style.STONE, style.SHADOW, 0.38)


def turn_of(box: Box) -> FloatArray:
    """Rows: the directions of a box's sides in the world."""
    c, s = np.cos(box.yaw), np.sin(box.yaw)
    return np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]])


def lines_at(low: float, high: float, origin: float, spacing: float) -> FloatArray:
    """Places between low and high, of a side whose middle lies at `origin`, where grid lines run."""
    if (high - low) / spacing > MOST:
        spacing *= 5.0
    first, last = np.ceil((low + origin) / spacing), np.floor((high + origin) / spacing)
    return np.asarray(np.arange(first, last + 1) * spacing - origin)


def _cuts(low: float, high: float, lines: FloatArray, wide: float) -> tuple[FloatArray, FloatArray]:
    """Where a side is cut (k + 1,), and what each piece is (k,): 0 surface, 1 line, 2 edge."""
    edge = min(1.4 * wide, 0.25 * (high - low))
    inner = lines[(lines > low + 2.0 * edge) & (lines < high - 2.0 * edge)]
    strips = np.column_stack([inner - 0.5 * wide, inner + 0.5 * wide]).ravel()
    at = np.concatenate([[low, low + edge], strips, [high - edge, high]])
    kind = np.zeros(at.size - 1)
    kind[0] = kind[-1] = 2
    kind[2:-2:2] = 1
    return at, kind


def box_faces(box: Box, spacing: float, wide: float) -> Faces:
    """The six sides of a box with grid lines `spacing` (m) apart and dark edges, lines `wide` (m)."""
    turn, half = turn_of(box), 0.5 * np.array(box.size)
    origin = np.array(box.centre) if box.yaw == 0.0 else np.array([0.0, 0.0, box.centre[2]])
    shades = np.stack([style.rgba(c) for c in (style.STONE, LINE, EDGE)])
    cuts = [_cuts(-h, h, lines_at(-h, h, o, spacing), wide) for h, o in zip(half, origin, strict=True)]
    parts = []
    for e in range(3):
        a, b = (e + 1) % 3, (e + 2) % 3
        (first, one), (second, two) = cuts[a], cuts[b]
        for sign in (-1.0, 1.0):
            point = np.empty((first.size, second.size, 3))
            point[..., e], point[..., a], point[..., b] = sign * half[e], first[:, None], second[None]
            quads = np.stack([point[:-1, :-1], point[1:, :-1], point[1:, 1:], point[:-1, 1:]], axis=2).reshape(-1, 4, 3)
            normal = np.broadcast_to(sign * np.eye(3)[e] @ turn, quads.shape)
            kind = np.maximum(one[:, None], two[None]).astype(int).ravel()
            parts.append(Faces(np.array(box.centre) + quads @ turn, normal, shades[kind]))
    return Faces.joined(parts)


def shadow_faces(box: Box, node: FloatArray, radius: FloatArray, light: FloatArray) -> Faces:
    """The shadow of a body with nodes (n+1, 3) on the top of a box."""
    turn, half = turn_of(box), 0.5 * np.array(box.size)
    place = (node - np.array(box.centre)) @ turn.T
    ray = turn @ light
    above = place[:, 2] - half[2]
    fallen = place[:, :2] - ray[:2] / ray[2] * above[:, None]
    along = np.diff(fallen, axis=0)
    unit = along / np.maximum(np.linalg.norm(along, axis=1, keepdims=True), 1e-9)
    side = np.stack([-unit[:, 1], unit[:, 0]], axis=1) * radius[:, None]
    ahead = 0.6 * unit * radius[:, None]
    start, end = fallen[:-1] - ahead, fallen[1:] + ahead
    loop = np.stack([start - side, end - side, end + side, start + side], axis=1)
    seen = (above[1:] > 0.0) | (above[:-1] > 0.0)
    return _on_side(box, 2, 1.0, loop[seen], LIFT * float(radius.mean()), SHADE)


def contact_faces(box: Box, body: Poses, frame: int, radius: FloatArray, shares: FloatArray, colour: str, rim: float) -> Faces:  # fmt: skip
    """Discs on a box where a body touches it; `rim` (m) by which they are wider than the body."""
    node = body.node[frame]
    place = node[:-1, None] + shares[:, None] * np.diff(node, axis=0)[:, None]
    gap = distance_to(box, place) - radius[:, None]
    counted = np.nan_to_num(body.touching[frame], nan=1.0)
    touch = (gap < NEAR * np.maximum(radius, 1e-6)[:, None]) & (counted > 0.0)[:, None]
    turn, half = turn_of(box), 0.5 * np.array(box.size)
    local = (place[touch] - np.array(box.centre)) @ turn.T
    size = np.broadcast_to(radius[:, None], touch.shape)[touch] + rim
    out = np.abs(local) - half
    which = out.argmax(axis=1)
    angle = np.linspace(0.0, 2.0 * np.pi, RIM, endpoint=False)
    ring = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    parts = []
    for e in range(3):
        for sign in (-1.0, 1.0):
            here = (which == e) & (np.sign(local[:, e]) == sign)
            middle = local[here][:, [(e + 1) % 3, (e + 2) % 3]]
            loop = middle[:, None] + size[here][:, None, None] * ring
            parts.append(_on_side(box, e, sign, _fans(middle, loop), 2.0 * LIFT * float(radius.mean()), colour))
    return Faces.joined(parts)


def _fans(middle: FloatArray, loop: FloatArray) -> FloatArray:
    """Discs (m, k, 2) about their middles (m, 2) as quads (m k / 2, 4, 2)."""
    first, second, third = loop[:, 0::2], loop[:, 1::2], np.roll(loop, -2, axis=1)[:, 0::2]
    centre = np.broadcast_to(middle[:, None], first.shape)
    return np.stack([centre, first, second, third], axis=2).reshape(-1, 4, 2)


def _on_side(box: Box, e: int, sign: float, loop: FloatArray, lift: float, colour: str) -> Faces:
    """Quads (m, 4, 2) in the plane of a side, cut off at its edges, as faces `lift` (m) above it."""
    turn, half = turn_of(box), 0.5 * np.array(box.size)
    a, b = (e + 1) % 3, (e + 2) % 3
    point = np.empty((len(loop), 4, 3))
    point[..., a], point[..., b] = np.clip(loop[..., 0], -half[a], half[a]), np.clip(loop[..., 1], -half[b], half[b])
    point[..., e] = sign * (half[e] + lift)
    normal = np.broadcast_to(sign * np.eye(3)[e] @ turn, point.shape)
    return Faces(np.array(box.centre) + point @ turn, normal, np.tile(style.rgba(colour), (len(loop), 1)))
