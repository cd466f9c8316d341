"""A film of dorsal reference curves, one per picture, seen from one place: the body as a smooth tube with its back, over a level floor.

The curves are lifted together until the lowest of them lies on the floor, which shows their shadow and a scale. How far the body has
rolled is measured: the angle of eb about e1 at s = 0, against the first curve.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from serpenoid.core import FloatArray
from serpenoid.core.door import door
from serpenoid.core.errors import InputError
from serpenoid.core.terrain import Ground
from serpenoid.view import decals, style
from serpenoid.view.camera import Camera, distance_for, with_room
from serpenoid.view.encode import write_film
from serpenoid.view.ground import Land
from serpenoid.view.inset import Overlay, key, scale_bar
from serpenoid.view.shape import (
    BELLY,
    BODY,
    DORSAL,
    FIN,
    FIN_HEIGHT,
    PALE_FROM,
    STRIPE,
    Sight,
    best_sight,
    resampled,
    tube_radius,
)
from serpenoid.view.sheet import Sheet
from serpenoid.view.solids import Faces, vignette

if TYPE_CHECKING:
    from serpenoid.shapes import Curve

MOST_CURVES = 600
ROUND = 40  # faces round the tube
RINGS = (120, 500)  # of a tube: least, most
LOWEST = 30.0  # degrees: elevation of the camera at least, so that no horizon is seen
GRID = 9  # lines across the picture, about
SAIL = style.mixed(FIN, "#ffffff", 0.45)


@door
def rolling_film(
    curves: Sequence[Curve], path: str | Path, fps: float = 24, size: tuple[int, int] = (960, 720),
    progress: Callable[[float], None] | None = None, *, title: str = "",
) -> Path:  # fmt: skip
    """Write a film of curves, one per frame, seen from one place: mp4 or gif by the suffix, whole or not at all."""
    if not 2 <= len(curves) <= MOST_CURVES:
        raise InputError(f"a film needs 2 to {MOST_CURVES} curves, got {len(curves)}")
    return write_film(path, fps, size, 1.0, lambda _, size: RollingStage(curves, size, title), progress)


class RollingStage:
    """A film of curves, one per picture, seen from one place."""

    def __init__(self, curves: Sequence[Curve], size: tuple[int, int], title: str) -> None:
        self.curves, self.times = curves, np.arange(len(curves), dtype=float)
        self.title = title or f"{curves[0].shape.name}: lateral rolling"
        self.radius = max(tube_radius(curve) for curve in curves)
        points = np.concatenate([curve.position for curve in curves])
        room = (FIN_HEIGHT + 0.4) * self.radius
        self.lift = np.array([0.0, 0.0, room - float(points[:, 2].min())])
        self.rolled = np.degrees(rolled(curves))
        self.land = Land(Ground())
        self.sheet = Sheet(size, unit=size[0] / 960.0)
        self.camera = self._camera(points + self.lift, room, size[0] / size[1])
        right, towards = self.camera.axes[0], self.camera.axes[2]
        light = np.array([0.0, 0.0, 1.0]) - 0.62 * right + 0.45 * np.array([towards[0], towards[1], 0.0])
        self.light = light / np.linalg.norm(light)
        self.backdrop = self._backdrop(size)
        self.over = Overlay(size, self._words)

    def _camera(self, points: FloatArray, room: float, aspect: float) -> Camera:
        """One camera that sees all curves, and a floor without a horizon."""
        sight = best_sight(points, aspect)
        axes = Sight(max(sight.elevation, LOWEST), sight.azimuth).axes
        places = np.concatenate([points, points * np.array([1.0, 1.0, 0.0])])  # and their shadows' places
        seen = places @ axes.T
        target = (0.5 * (seen.min(axis=0) + seen.max(axis=0))) @ axes
        about = with_room(points[None], room)
        return Camera(target, axes, distance_for(about, target[None], axes[None], (0.44 * aspect, 0.36)))

    def _backdrop(self, size: tuple[int, int]) -> NDArray[np.uint8]:
        """The floor with its grid, which never changes."""
        aspect = size[0] / size[1]
        self.spacing = style.round_below(1.5 * aspect / self.camera.scale / GRID)
        made = Sheet(size, unit=self.sheet.unit)
        made.pixels[:] = vignette(*size)
        for segments, width, alpha in zip(
            decals.grid_lines(self.land, self.camera, aspect, self.spacing), (1.0, 1.8), (0.16, 0.32), strict=True
        ):
            made.hairlines(self._flat(segments), width, style.TRACK, alpha)
        return made.pixels.copy()

    def _flat(self, seen: FloatArray) -> FloatArray:
        """Pixels of what is seen (..., 2) picture heights from the middle."""
        wide, high = self.sheet.size
        return np.asarray(seen * np.array([high, -high]) + np.array([0.5 * wide, 0.5 * high]))

    def _words(self, sheet: Sheet) -> None:
        """Title, scale and what the colours mean."""
        sheet.write(0.03, 0.045, self.title, 19.0, bold=True)
        scale_bar(sheet, self.camera.scale * sheet.size[1], 0.2, f"  (grid {self.spacing:g} m)")
        key(sheet, [("line", DORSAL, "dorsal line"), ("band", SAIL, "fin"), ("band", BELLY, "belly")], 0.62)

    def picture(self, k: int) -> NDArray[np.uint8]:
        """Pixels of curve k, (height, width, 4); they are drawn over by the next one."""
        sheet, curve = self.sheet, self.curves[k]
        count = int(np.clip(curve.shape.length / (0.4 * self.radius), *RINGS))
        place, frame = resampled(curve, count)
        place = place + self.lift
        sheet.pixels[:] = self.backdrop
        laid = self.land.laid(place, self.light)
        for size, alpha in ((1.4, 0.14), (0.95, 0.24)):
            bands = decals.bands(laid[:-1], laid[1:], size * self.radius, self.land)
            sheet.fill(self._flat(self.camera.see(bands)), style.SHADOW, alpha)
        sheet.faces(tube(place, frame, self.radius), self.camera, self.light)
        sheet.faces(fin(place, frame, self.radius), self.camera, self.light)
        sheet.resolve()
        self.over.lay(sheet)
        sheet.write(0.03, 0.105, f"rolled by {round(self.rolled[k]) + 0}°; the backbone stays", 15.0, style.GREY)
        return sheet.pixels


def rolled(curves: Sequence[Curve]) -> FloatArray:
    """Angle (k,) rad by which the back of each curve is turned about its tangent at s = 0, against the first; unwrapped."""
    first = curves[0].frame[0]
    back = np.array([curve.frame[0, :, 2] for curve in curves])
    return np.unwrap(np.arctan2(-(back @ first[:, 1]), back @ first[:, 2]))


def _quads(x: FloatArray) -> FloatArray:
    return np.stack([x[:-1, :-1], x[1:, :-1], x[1:, 1:], x[:-1, 1:]], axis=2).reshape(-1, 4, 3)


def tube(place: FloatArray, frame: FloatArray, radius: float) -> Faces:
    """The body with round ends about places (n, 3): dorsal line, flanks, belly; its normals run smoothly."""
    turn = np.radians([18.0, 36.0, 54.0, 72.0, 90.0])
    ends = np.concatenate([-turn[::-1], np.zeros(len(place)), turn])
    keep = np.concatenate([np.zeros(turn.size, int), np.arange(len(place)), np.full(turn.size, len(place) - 1)])
    along, side, back = (frame[keep, :, j] for j in range(3))
    middle = place[keep] + radius * np.sin(ends)[:, None] * along
    half = np.linspace(STRIPE, 2.0 * np.pi - STRIPE, ROUND - 1)
    angle = np.concatenate([[-STRIPE, 0.0], half])
    out = np.cos(angle)[:, None] * back[:, None] + np.sin(angle)[:, None] * side[:, None]
    normal = np.cos(ends)[:, None, None] * out + np.sin(ends)[:, None, None] * along[:, None]
    point = middle[:, None] + (radius * np.cos(ends))[:, None, None] * out
    away = np.abs((0.5 * (angle[1:] + angle[:-1]) + np.pi) % (2.0 * np.pi) - np.pi)
    colour = np.where(away[:, None] > PALE_FROM, style.rgba(BELLY), style.rgba(BODY))
    colour[away < STRIPE] = style.rgba(DORSAL)
    shades = np.broadcast_to(colour, (len(keep) - 1, angle.size - 1, 4)).reshape(-1, 4)
    return Faces(_quads(point), _quads(normal), np.ascontiguousarray(shades))


def fin(place: FloatArray, frame: FloatArray, radius: float) -> Faces:
    """The dorsal fin along eb, seen from both sides, with a strong edge."""
    parts = []
    for low, high, colour in ((1.0, FIN_HEIGHT, SAIL), (FIN_HEIGHT, FIN_HEIGHT + 0.22, DORSAL)):
        point = np.stack([place + x * radius * frame[..., 2] for x in (low, high)], axis=1)
        corner = _quads(point)
        for sign in (1.0, -1.0):
            normal = _quads(np.repeat(sign * frame[..., 1][:, None], 2, axis=1))
            parts.append(Faces(corner, normal, np.tile(style.rgba(colour), (len(corner), 1))))
    return Faces.joined(parts)
