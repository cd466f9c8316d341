"""Runs of one robot by several engines in one film: next to each other under like cameras, or in one scene."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from serpenoid.core import FloatArray, Trajectory
from serpenoid.core.door import door
from serpenoid.core.errors import InputError
from serpenoid.view import style
from serpenoid.view.camera import Camera, azimuths, follow
from serpenoid.view.encode import instants, write_film
from serpenoid.view.film import playback
from serpenoid.view.inset import Overlay, WayMap, roll_text, scale_bar
from serpenoid.view.picture import Picture, actor_of
from serpenoid.view.scene import Scene, scene_of
from serpenoid.view.sheet import Sheet
from serpenoid.view.space_stage import FADE, HALF, INSET, ROOM

Panel = tuple[float, float, float, float]  # left, top, width, height, shares of the sheet
LAYOUTS = ("beside", "together")
MOST = 6  # runs
STRIP = 0.085  # of the height: time and title above several pictures
ENGINES = {  # what engines are called in figures
    "own": "serpenoid", "planar": "serpenoid, planar", "spatial": "serpenoid, spatial", "mujoco": "MuJoCo", "drake": "Drake",
    "mujoco-native": "MuJoCo, native contacts", "drake-native": "Drake, native contacts",
}  # fmt: skip


def colour_of(k: int) -> str:
    """Colour of the run of number k."""
    return [*style.LINES, style.INK][k]


def scenes_of(runs: Sequence[Trajectory]) -> list[Scene]:
    """What is to be drawn of each run; refused where there are none or too many."""
    if not 1 <= len(runs) <= MOST:
        raise InputError(f"1 to {MOST} runs can be shown together, got {len(runs)}")
    return [scene_of(run) for run in runs]


def names_of(runs: Sequence[Trajectory], names: Sequence[str] | None) -> list[str]:
    """What the runs are called: their engines, if nothing else is said."""
    if names is not None and len(names) != len(runs):
        raise InputError(f"names must be one for each of the {len(runs)} runs, got {len(names)}")
    called = names or [str(run.provenance.get("engine", f"run {k + 1}")) for k, run in enumerate(runs)]
    return [ENGINES.get(name, name) for name in called]


@door
def compare(
    runs: Sequence[Trajectory], path: str | Path, *, names: Sequence[str] | None = None, title: str = "", what: str | None = None,
    layout: str = "beside", size: str | tuple[int, int] = "720p", progress: Callable[[float], None] | None = None,
) -> Path:  # fmt: skip
    """Write runs of one robot by several engines: a film (.mp4, .gif) or a figure (.png, .pdf, .svg).

    `what` is drawn in a figure: "paths" (ways, rolls and contacts; the default) or "ends" (start and end of each run in space).
    """
    from serpenoid.view.compare_figures import compare_figure, start_end

    if Path(path).suffix.lower() in (".mp4", ".gif"):
        return side_by_side(runs, path, names=names, title=title, layout=layout, size=size, progress=progress)
    if what not in (None, "paths", "ends"):
        raise InputError(f'what must be "paths" or "ends", got {what!r}')
    draw = start_end if what == "ends" else compare_figure
    return draw(runs, path, names=names, title=title)


@door
def side_by_side(
    runs: Sequence[Trajectory], path: str | Path, *, names: Sequence[str] | None = None, layout: str = "beside", fps: float = 30,
    size: str | tuple[int, int] = "720p", speed: float | None = None, title: str = "",
    progress: Callable[[float], None] | None = None,
) -> Path:  # fmt: skip
    """Write a film of one robot's runs by several engines."""
    if layout not in LAYOUTS:
        raise InputError(f"layout must be one of {', '.join(LAYOUTS)}, got {layout!r}")
    scenes, called = scenes_of(runs), names_of(runs, names)
    start, end = min(float(s.body.time[0]) for s in scenes), max(float(s.body.time[-1]) for s in scenes)
    pace = playback(end - start) if speed is None else speed
    title = ", ".join(x for x in (title, f"{pace:g} x speed" if pace != 1.0 else "") if x)

    def make(fps: float, size: tuple[int, int]) -> SideBySide:
        return SideBySide(scenes, called, layout, instants(start, end, fps, pace), fps, size, title, pace)

    return write_film(path, fps, size, pace, make, progress)


class SideBySide:
    """A film of several runs."""

    def __init__(
        self, scenes: list[Scene], names: list[str], layout: str, times: FloatArray, fps: float, size: tuple[int, int], title: str,
        speed: float,
    ) -> None:  # fmt: skip
        self.scenes, self.names, self.times, self.title, self.size = scenes, names, times, title, size
        self.bodies = [s.body.at(times) for s in scenes]
        self.rolls = [np.degrees(np.interp(times, s.body.time, s.body.roll)) for s in scenes]
        self.beside, self.sheet = layout == "beside", Sheet(size)
        self.boxes, cameras = self._cameras(fps)
        unit, land = self.sheet.unit, scenes[0].land
        actors = [
            actor_of(scene, shown, colour_of(k), self.beside)
            for k, (scene, shown) in enumerate(zip(scenes, self.bodies, strict=True))
        ]
        self.parts = [
            (
                Picture(cast, land, seen, box[2:], unit=unit, forces=False, fade=FADE * speed),
                Sheet(box[2:], unit=unit),
                box[:2],
            )
            for box, cast, seen in zip(
                self._pixels(), [[a] for a in actors] if self.beside else [actors], cameras, strict=True
            )
        ]
        self.place = self._map_place()
        bodies = [(scene.body, colour_of(k)) for k, scene in enumerate(scenes)]
        self.map = None if self.place is None else WayMap(self.place, bodies, land)
        self.over = Overlay(size, self._words)

    def _pixels(self) -> list[Any]:
        """Left, top, width and height of the panels in px; they meet without gaps."""
        wide, high = self.size
        edges = [
            (round(x * wide), round(y * high), round((x + w) * wide), round((y + h) * high))
            for x, y, w, h in self.boxes
        ]
        return [(a, b, c - a, d - b) for a, b, c, d in edges]

    def _cameras(self, fps: float) -> tuple[list[Panel], list[list[Camera]]]:
        """Panels, and cameras that look the same way from equally far: one for each body, or one for all."""
        first, aspect = self.scenes[0], self.size[0] / self.size[1]
        azimuth, length, normal = azimuths(self.bodies[0], fps), first.body.length, first.normal
        if not self.beside:
            node, half = np.concatenate([b.node for b in self.bodies], axis=1), (HALF[0] * aspect, HALF[1])
            return [(0.0, 0.0, 1.0, 1.0)], [follow(node, azimuth, length, fps, normal, half, ROOM * length)]
        best: tuple[float, list[Panel], list[list[Camera]]] | None = None
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

    def _map_place(self) -> Panel | None:
        """Where a map fits: in the corner of one picture, or where a picture is missing in the last row."""
        if not self.beside:
            return INSET
        rows, columns = round(1.0 / self.boxes[0][3]), round(1.0 / self.boxes[0][2])
        if rows * columns == len(self.boxes):
            return None
        left, top, high = self.boxes[-1][0] + self.boxes[-1][2], self.boxes[-1][1], self.boxes[-1][3]
        wide = 1.0 - left
        return left + 0.03 * wide, top + 0.13 * high, 0.94 * wide, 0.82 * high

    def _spots(self) -> list[tuple[float, float]]:
        """Where the runs' names stand."""
        if not self.beside:
            return [(0.025, 0.125 + 0.052 * k) for k in range(len(self.names))]
        return [(box[0] + 0.025, box[1] + (0.125 if box[1] < 0.01 else 0.045)) for box in self.boxes]

    def _words(self, sheet: Sheet) -> None:
        """Names, title, map and scale, which never change."""
        size = np.array(sheet.size)
        for left, top, wide, high in self.boxes if self.beside else []:  # lines between the pictures
            ends = [((left, top), (left, top + high))] * (left > 0.0) + [((left, top), (left + wide, top))] * (
                top > 0.0
            )
            sheet.stroke([np.array(line) * size for line in ends], 5.5, "#ffffff")
        if len(self.boxes) > 1:  # a strip for time and title, which are of all pictures
            sheet.fill([np.array([(0.0, 0.0), (1.0, 0.0), (1.0, STRIP), (0.0, STRIP)]) * size], style.GROUND)
        sheet.write(0.975, 0.045, self.title, colour=style.GREY, align="right")
        for k, (name, (x, y)) in enumerate(zip(self.names, self._spots(), strict=True)):
            sheet.write(x, y, name, colour=colour_of(k), bold=True)
        if self.map is not None and self.place is not None:
            left, top, wide, _ = self.place
            sheet.write(
                left + 0.5 * wide, top - 0.02, "from above", 13.0 if self.beside else 11.0, style.GREY, align="center"
            )
            self.map.frame(sheet)
        picture, part, _ = self.parts[0]
        pixels = picture.cameras[0].scale * part.size[1]
        scale_bar(
            sheet,
            pixels,
            0.25 * self.boxes[0][2],
            "" if self.scenes[0].land.bare else f"  (grid {picture.spacing:g} m)",
        )

    def picture(self, k: int) -> NDArray[np.uint8]:
        """Pixels of instant k, (height, width, 4); they are drawn over by the next one."""
        sheet, now = self.sheet, float(self.times[k])
        sheet.clear()
        for picture, part, corner in self.parts:
            picture.draw(part, k)
            sheet.paste(part, *corner)
        self.over.lay(sheet)
        if self.map is not None:
            self.map.draw(sheet, [now] * len(self.bodies))
        sheet.write(0.025, 0.045, f"t = {now:.2f} s", 22.0, bold=True)
        shift = 0.03 + 0.0115 * max(len(name) for name in self.names)
        for body, roll, scene, (x, y) in zip(self.bodies, self.rolls, self.scenes, self._spots(), strict=True):
            way, end = body.com[k] - body.com[0], float(scene.body.time[-1])
            over = f", ended at {end:.3g} s" if now > end + 1e-6 else ""
            place = (x, y + 0.045) if self.beside else (x + shift, y)
            sheet.write(*place, f"{np.hypot(way[0], way[1]):.2f} m, roll {roll_text(roll[k])}{over}", 13.0, style.GREY)
        return sheet.pixels


def panels(count: int, rows: int) -> list[Panel]:
    """Boxes of pictures in so many rows, shares of the whole."""
    columns = -(-count // rows)
    return [(k % columns / columns, k // columns / rows, 1.0 / columns, 1.0 / rows) for k in range(count)]
