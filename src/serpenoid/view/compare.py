"""Motions of one robot by several engines in one film: next to each other under like cameras, or in one scene.

A motion is anything with engine (a name), time, place, axis, back and com; see `poses.poses_of`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from serpenoid.core import FloatArray, World
from serpenoid.core.errors import InputError
from serpenoid.core.terrain import Ground
from serpenoid.view import style
from serpenoid.view.camera import Camera, azimuths, follow
from serpenoid.view.film import instants, write_film
from serpenoid.view.land import Land
from serpenoid.view.picture import Actor, Picture
from serpenoid.view.poses import Poses, drawn_radius, poses_of
from serpenoid.view.space_stage import FADE, HALF, ROOM, Map, Overlay, ground_normal, pixels, playback, scale_bar, write
from serpenoid.view.stage import WIDE

Box = tuple[float, float, float, float]  # left, bottom, width, height
LAYOUTS = ("beside", "together")
MOST = 6  # motions
SHARES = np.linspace(0.0, 1.0, 3)  # of a link: where contact with the ground is looked for


def colour_of(k: int) -> str:
    """Colour of the motion of number k."""
    return [*style.LINES, style.INK][k]


def checked(motions: Sequence[Any], link_length: Any) -> list[Poses]:
    """The motions' poses; refused where there are none or too many."""
    if not 1 <= len(motions) <= MOST:
        raise InputError(f"1 to {MOST} motions can be shown together, got {len(motions)}")
    return [poses_of(motion, link_length) for motion in motions]


def land_from(world: World | None) -> Land:
    """Ground and obstacles of a world; without one a level plane."""
    return Land(Ground()) if world is None else Land(world.ground or Ground(), world.obstacles)


def actor(shown: Poses, whole: Poses, radius: Any, colour: str, track: bool) -> Actor:
    """A body in shades of one colour."""
    given = np.broadcast_to(np.asarray(radius, dtype=float), (whole.axis.shape[1],))
    light, dark, head = (style.mixed(colour, c, s) for c, s in (("#ffffff", 0.12), ("#000000", 0.22), ("#ffffff", 0.5)))
    return Actor(shown, whole, drawn_radius(given, whole), given, SHARES, light, dark, head, colour, colour, track)


def side_by_side(
    motions: Sequence[Any], path: str | Path, *, link_length: Any, radius: Any, world: World | None = None,
    layout: str = "beside", fps: float = 30, size: tuple[int, int] = (1280, 720), speed: float | None = None,
    title: str = "", progress: Callable[[float], None] | None = None,
) -> Path:  # fmt: skip
    """Write a film of one robot's motions by several engines; length and radius of links in m, one or one a link."""
    if layout not in LAYOUTS:
        raise InputError(f"layout must be one of {', '.join(LAYOUTS)}, got {layout!r}")
    bodies = checked(motions, link_length)
    names = [str(getattr(motion, "engine", f"motion {k + 1}")) for k, motion in enumerate(motions)]
    start, end = min(float(b.time[0]) for b in bodies), max(float(b.time[-1]) for b in bodies)
    speed = playback(end - start) if speed is None else speed
    title = ", ".join(x for x in (title, f"{speed:g} x speed" if speed != 1.0 else "") if x)

    def make(fps: float, size: tuple[int, int]) -> _Sides:
        times = instants(start, end, fps, speed)
        return _Sides(bodies, names, radius, land_from(world), layout, times, fps, size, title, speed)

    return write_film(path, fps, size, speed, make, progress)


class _Sides:
    """The artists of such a film."""

    def __init__(
        self, bodies: list[Poses], names: list[str], radius: Any, land: Land, layout: str, times: FloatArray,
        fps: float, size: tuple[int, int], title: str, speed: float,
    ) -> None:  # fmt: skip
        wide, high = size
        self.shown = SimpleNamespace(time=times)
        self.bodies, self.names, self.land = [b.at(times) for b in bodies], names, land
        self.ends = [float(b.time[-1]) for b in bodies]
        self.rolls = [np.degrees(np.interp(times, b.time, b.roll)) for b in bodies]
        self.figure = style.canvas(WIDE, WIDE * high / wide, wide / WIDE, style.GROUND)
        self.beside = layout == "beside"
        boxes, cameras = self._cameras(fps, wide / high)
        actors = [
            actor(shown, whole, radius, colour_of(k), self.beside)
            for k, (shown, whole) in enumerate(zip(self.bodies, bodies, strict=True))
        ]
        self.pictures = [
            Picture(self.figure.add_axes(box), cast, land, seen, forces=False, fade=FADE * speed)
            for box, cast, seen in zip(boxes, [[a] for a in actors] if self.beside else [actors], cameras, strict=True)
        ]
        self.map, self.map_box = None, self._map_box(boxes)
        if self.map_box is not None:
            ax = self.figure.add_axes(self.map_box)
            self.map = Map(ax, [(body, colour_of(k)) for k, body in enumerate(bodies)], land)
        self._words(boxes, title)

    def _cameras(self, fps: float, aspect: float) -> tuple[list[Box], list[list[Camera]]]:
        """Boxes of the pictures, and cameras that look the same way from equally far: one a body, or one for all."""
        azimuth, length, normal = azimuths(self.bodies[0], fps), self.bodies[0].length, ground_normal(self.land)
        if not self.beside:
            node, half = np.concatenate([b.node for b in self.bodies], axis=1), (HALF[0] * aspect, HALF[1])
            return [(0.0, 0.0, 1.0, 1.0)], [follow(node, azimuth, length, fps, normal, half, ROOM * length)]
        best: tuple[float, list[Box], list[list[Camera]]] | None = None
        for rows in range(1, len(self.bodies) + 1):  # as many rows as show the bodies largest
            boxes = panels(len(self.bodies), rows)
            half = (0.42 * aspect * boxes[0][2] / boxes[0][3], 0.32)
            made = [follow(b.node, azimuth, length, fps, normal, half, ROOM * length) for b in self.bodies]
            far = max(cameras[0].distance for cameras in made)
            if best is None or boxes[0][3] / far > best[0]:
                cameras = [[camera._replace(distance=far) for camera in each] for each in made]
                best = boxes[0][3] / far, boxes, cameras
        assert best is not None
        return best[1], best[2]

    def _map_box(self, boxes: list[Box]) -> Box | None:
        """Where a map fits: in the corner of one picture, or where a picture is missing in the last row."""
        if not self.beside:
            return 0.855, 0.635, 0.12, 0.26
        rows, columns = round(1.0 / boxes[0][3]), round(1.0 / boxes[0][2])
        if rows * columns == len(boxes):
            return None
        left, wide, high = boxes[-1][0] + boxes[-1][2], 1.0 - boxes[-1][0] - boxes[-1][2], boxes[-1][3]
        return left + 0.03 * wide, 0.05 * high, 0.94 * wide, 0.82 * high

    def _words(self, boxes: list[Box], title: str) -> None:
        """Clock; names, title and scale, which never change; a line on each body."""
        over, picture = Overlay(self.figure), self.pictures[0]
        front = self.figure.add_axes((0.0, 0.0, 1.0, 1.0), zorder=5)
        front.set_axis_off()
        self.clock = write(front, 0.025, 0.955, "", fontsize=22, fontweight="bold", va="center")
        write(over.axes, 0.975, 0.955, title, color=style.GREY, va="center", ha="right")
        self.lines = []
        shift = 0.03 + 0.0115 * max(len(name) for name in self.names)
        for k, name in enumerate(self.names):
            x, top = (boxes[k][0], boxes[k][1] + boxes[k][3]) if self.beside else (0.0, 1.0 - 0.052 * k)
            y = top - (0.125 if not self.beside or top > 0.99 else 0.045)
            write(over.axes, x + 0.025, y, name, color=colour_of(k), fontweight="bold", va="center")
            place = (x + 0.025, y - 0.045) if self.beside else (x + 0.025 + shift, y)
            self.lines.append(write(front, *place, "", color=style.GREY, fontsize=13, va="center"))
        if self.map_box is not None:
            left, bottom, wide, high = self.map_box
            spot: Any = {"x": left + 0.5 * wide, "y": bottom + high + 0.022, "fontsize": 13 if self.beside else 11}
            write(over.axes, text="from above", color=style.GREY, va="center", ha="center", **spot)
        for left, bottom, wide, high in boxes if self.beside else []:  # lines between the pictures
            over.axes.plot([left, left], [bottom, bottom + high], color="white", lw=4 if left > 0.0 else 0)
            over.axes.plot([left, left + wide], [bottom, bottom], color="white", lw=4 if bottom > 0.0 else 0)
        scale = picture.cameras[0].scale * boxes[0][3]
        scale_bar(
            over.axes, scale, picture.aspect * boxes[0][3] / boxes[0][2], None if self.land.bare else picture.spacing
        )
        self.still = over.layers()

    def picture(self, k: int) -> NDArray[np.uint8]:
        """Pixels of instant k, (height, width, 4)."""
        now = float(self.shown.time[k])
        for picture in self.pictures:
            picture.show(k)
        if self.map is not None:
            self.map.show([now] * len(self.bodies))
        self.clock.set_text(f"t = {now:.2f} s")
        for body, roll, end, line in zip(self.bodies, self.rolls, self.ends, self.lines, strict=True):
            way = body.com[k] - body.com[0]
            over = f", ended at {end:.3g} s" if now > end + 1e-6 else ""
            line.set_text(f"{np.hypot(way[0], way[1]):.2f} m, roll {round(roll[k])}°{over}")
        return pixels(self.figure, self.still)


def panels(count: int, rows: int) -> list[Box]:
    """Boxes of pictures in so many rows, shares of the whole."""
    columns = -(-count // rows)
    return [(k % columns / columns, (rows - 1 - k // columns) / rows, 1.0 / columns, 1.0 / rows) for k in range(count)]
