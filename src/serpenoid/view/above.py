"""What a film from above shows: ground or map, obstacles, path, robot, forces, pins, trail, clock and scales.

Runs in the plane, on maps and of concertina are all drawn here. A map, and a yard that is not too wide, stays whole in view; otherwise
the camera follows the centre of gravity, smoothly. What does not move is drawn once.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from serpenoid.core import FloatArray
from serpenoid.view import style
from serpenoid.view.camera import camera_path
from serpenoid.view.inset import Overlay, force_scale, key, scale_bar, star
from serpenoid.view.picture import PT
from serpenoid.view.poses import between
from serpenoid.view.scene import Scene
from serpenoid.view.sheet import Sheet, to_pixels

ROOM = 1.12  # view over what must be seen
TOP, BOTTOM, SIDE = 0.13, 0.12, 0.02  # of a picture that is seen whole, for words
GRID = 14  # lines across the view, about
ARROW, PUSH = 0.11, 0.06  # longest arrow: friction in body lengths, walls in the view's larger side
ARROWS = 60
FAINT = 0.01  # of the largest force: smaller ones of walls are not drawn
ASTRAY = 0.1  # body lengths that the camera may be off the centre of gravity; a wilder path is followed closer
WHOLE = 30.0  # links: a yard that spans more is followed by the camera
FOLLOWED = 16.0  # links: width of the view then
HEAD = 0.04  # of the body length coloured as head, one link at least
TRAIL = 3000  # points of the trail at most
LINKS = 64  # of a longer chain all links of one shade are drawn together
THIN = 2.1  # px: a body is drawn at least so wide to each side
NEAR = 3.0  # links about the way: obstacles farther off need not be seen
TARGET = "#b3123f"


def capsules(nodes: FloatArray, radius: FloatArray, round_by: int = 9) -> FloatArray:
    """Links as outlines (n, 2 k, 2) with round ends; nodes (n+1, 2), radius (n,)."""
    turn = np.linspace(-0.5 * np.pi, 0.5 * np.pi, round_by)
    way = np.diff(nodes, axis=0)
    psi = np.arctan2(way[:, 1], way[:, 0])[:, None] + turn
    rim = np.asarray(radius).reshape(-1, 1, 1) * np.stack([np.cos(psi), np.sin(psi)], axis=-1)
    return np.concatenate([nodes[1:, None] + rim, nodes[:-1, None] - rim], axis=1)


def link_colours(links: int) -> list[str]:
    """Colours of the links, tail first: two shades by turns, and an orange head."""
    heads = max(1, round(HEAD * links))
    return [style.ORANGE if k >= links - heads else style.SKIN if k % 2 else style.SKIN_DARK for k in range(links)]


class AboveStage:
    """A film of one scene from above."""

    def __init__(
        self, scene: Scene, times: FloatArray, fps: float, size: tuple[int, int], title: str, speed: float
    ) -> None:
        """Prepare the instants."""
        self.scene, self.title, self.times = scene, title, times
        self.shown = scene.body.at(times)
        low, high, weight = between(scene.body.time, times)
        self.frame = np.where(weight < 0.5, low, high)
        self.sheet = Sheet(size)
        self.size, self.aspect = size, size[0] / size[1]
        self.link = float(scene.body.lengths.mean())
        self._view(fps)
        self.pixels = size[0] / (2.0 * self.half[0])  # of a metre
        radius = scene.drawn * self.pixels
        self.radius = np.maximum(radius, THIN * self.sheet.unit)
        self.colours = link_colours(scene.radius.size)
        self.spacing = style.round_below(2.0 * self.half[0] / GRID * 1.5)
        self.friction = (
            float(np.linalg.norm(self.shown.force[..., :2], axis=-1).max(initial=0.0)) if scene.kind == "plane" else 0.0
        )
        self.push = float(np.linalg.norm(scene.push, axis=-1).max(initial=0.0))
        self.backdrop = self._backdrop() if self.fixed else None
        self.over = Overlay(size, self._words)

    def _view(self, fps: float) -> None:
        """Half width and half height in m, and the middle of the view at each instant."""
        scene, node, count = self.scene, self.shown.node[..., :2], len(self.times)
        low, high = extent(scene)
        tall = max((high - low)[1] / (1.0 - TOP - BOTTOM), (high - low)[0] / (1.0 - 2.0 * SIDE) / self.aspect)
        self.fixed = scene.cells is not None or (scene.kind == "above" and tall * self.aspect <= WHOLE * self.link)
        if self.fixed:
            middle = 0.5 * (low + high) + np.array([0.0, 0.5 * tall * (TOP - BOTTOM)])
            self.half, self.camera = np.array([0.5 * tall * self.aspect, 0.5 * tall]), np.tile(middle, (count, 1))
            return
        length = scene.body.length
        self.camera = camera_path(self.shown.com[:, :2], fps, ASTRAY * length)
        reach = np.abs(node - self.camera[:, None]).max(axis=(0, 1))
        reach = np.maximum(reach * ROOM + ARROW * length, 0.3 * length)
        half = max(float(reach[0]), float(reach[1]) * 1.18 * self.aspect)  # the words take 18 % of the height
        if scene.kind == "above":
            half = max(half, 0.5 * FOLLOWED * self.link)
        self.half = np.array([half, half / self.aspect])

    def flat(self, place: FloatArray, k: int) -> FloatArray:
        """Pixels of places (..., 2 or more) at instant k."""
        return to_pixels(place[..., :2], self.camera[k] - self.half, self.pixels, self.size[1])

    def _backdrop(self) -> NDArray[np.uint8]:
        sheet = Sheet(self.size)
        self._ground(sheet, 0)
        return sheet.pixels

    def _ground(self, sheet: Sheet, k: int) -> None:
        """What stays on the ground: grid, map, obstacles, path, target."""
        scene = self.scene
        if scene.cells is None:
            for lines, width, colour in zip(
                self._grid(k), (1.0, 1.8), (style.GROUND_LINE, style.GROUND_BOLD), strict=True
            ):
                sheet.stroke(lines, width * PT, colour)
        else:
            self._cells(sheet, k)
        blocks = [self.flat(block, k) for block in scene.blocks]
        sheet.fill(blocks, style.STONE)
        sheet.stroke([np.vstack([b, b[:1]]) for b in blocks], 1.1 * PT, style.mixed(style.STONE, style.INK, 0.45))
        if scene.path is not None:
            sheet.stroke(dashes(self.flat(scene.path, k), 7.0 * sheet.unit), 1.4 * PT, style.BLUE)
        if scene.target is not None:
            self._target(sheet, self.flat(scene.target, k))
        elif scene.path is not None:
            star(sheet, self.flat(scene.path[-1], k), 11.0)

    def _grid(self, k: int) -> tuple[list[FloatArray], list[FloatArray]]:
        """Lines of the ground at whole multiples of the spacing, every fifth one bold."""
        low, high = self.camera[k] - self.half, self.camera[k] + self.half
        groups: tuple[list[FloatArray], list[FloatArray]] = ([], [])
        for a in (0, 1):
            for i in range(int(np.floor(low[a] / self.spacing)), int(np.ceil(high[a] / self.spacing)) + 1):
                ends = np.array([low, high])
                ends[:, a] = i * self.spacing
                groups[i % 5 == 0].append(self.flat(ends, k))
        return groups

    def _cells(self, sheet: Sheet, k: int) -> None:
        """Solid cells, one rectangle for each run of them in a column."""
        cells = self.scene.cells
        assert cells is not None
        low, _ = cells.box
        boxes = []
        for i, column in enumerate(cells.solid):
            edges = np.flatnonzero(np.diff(np.concatenate([[0], column.astype(int), [0]])))
            for a, b in edges.reshape(-1, 2):
                boxes.append(low + cells.cell * np.array([[i, a], [i + 1, a], [i + 1, b], [i, b]]))
        sheet.fill(self.flat(np.array(boxes).reshape(-1, 4, 2), k), style.GREY)

    def _target(self, sheet: Sheet, at: FloatArray) -> None:
        """A ring with a cross."""
        size, turn = 12.0 * PT * sheet.unit, np.linspace(0.0, 2.0 * np.pi, 33)
        ring = at + size * np.stack([np.cos(turn), np.sin(turn)], axis=1)
        cross = [at + size * np.array(ends) for ends in (((-1.0, 0.0), (1.0, 0.0)), ((0.0, -1.0), (0.0, 1.0)))]
        sheet.stroke([ring, *cross], 1.8 * PT, TARGET)

    def _words(self, sheet: Sheet) -> None:
        """Title and scales, which never change."""
        sheet.write(0.975, 0.045, self.title, colour=style.GREY, align="right")
        scale_bar(sheet, self.pixels, 0.25, unit=self.scene.unit)
        force_scale(sheet, "friction force", self.friction, ARROW * self.scene.body.length * self.pixels)
        if self.push > 0.0 and self.scene.scaled:
            force_scale(sheet, "force of obstacles", self.push, PUSH * self.size[0])
        lamps = self.scene.pins is not None and not (self.push > 0.0 and self.scene.scaled)
        key(sheet, self._marks(), 0.45 if lamps else 0.53)

    def _marks(self) -> list[tuple[str, str, str]]:
        """What the marks on the ground mean."""
        scene = self.scene
        found = [("line", style.TRAIL if scene.kind == "plane" else style.ORANGE, "trail of the head")]
        found += [("dash", style.BLUE, "planned path")] if scene.path is not None else []
        found += [("star", style.ORANGE, "goal")] if scene.path is not None and scene.target is None else []
        found += [("dot", TARGET, "target")] if scene.target is not None else []
        found += [("diamond", style.INK, "pin holds")] if scene.pins is not None else []
        found += [("band", style.GREY, "wall")] if scene.cells is not None else []
        return found

    def picture(self, k: int) -> NDArray[np.uint8]:
        """Pixels of instant k, (height, width, 4); they are drawn over by the next one."""
        sheet = self.sheet
        if self.backdrop is not None:
            sheet.pixels[:] = self.backdrop
        else:
            sheet.clear()
            self._ground(sheet, k)
        self._trail(sheet, k)
        self._robot(sheet, k)
        self._forces(sheet, k)
        self.over.lay(sheet)
        clock, words = self.told(k)
        sheet.write(0.025, 0.045, clock, 26.0, bold=True)
        sheet.write(0.025, 0.105, words, colour=style.GREY)
        if self.scene.pins is not None:
            self._lamps(sheet, self.scene.pins.held[self.frame[k]])
        return sheet.pixels

    def _trail(self, sheet: Sheet, k: int) -> None:
        """The way of the head so far."""
        whole = self.scene.body
        done = int(np.searchsorted(whole.time, self.times[k], side="right"))
        way = whole.node[: done : max(1, done // TRAIL), -1, :2]
        line = self.flat(np.vstack([way, self.shown.node[k, -1, :2]]), k)
        sheet.stroke([line], 1.8 * PT, style.TRAIL if self.scene.kind == "plane" else style.ORANGE)

    def _robot(self, sheet: Sheet, k: int) -> None:
        """Links with an outline, eyes, pins that hold."""
        node = self.flat(self.shown.node[k], k)
        sheet.fill(capsules(node, self.radius + 1.2 * PT * sheet.unit), style.OUTLINE)
        outline = capsules(node, self.radius)
        if len(outline) <= LINKS:
            for loop, colour in zip(outline, self.colours, strict=True):
                sheet.fill(loop[None], colour)
        else:
            for colour in (style.SKIN_DARK, style.SKIN, style.ORANGE):
                sheet.fill(outline[[c == colour for c in self.colours]], colour)
        ahead = node[-1] - node[-2]
        ahead = 0.5 * self.radius[-1] * ahead / max(float(np.hypot(*ahead)), 1e-9)
        side = np.array([-ahead[1], ahead[0]])
        size = max(0.24 * float(self.radius[-1]) / sheet.unit, 0.7 * PT)
        sheet.dots(np.stack([node[-1] + side, node[-1] - side]), size, style.OUTLINE, 12)
        if self.scene.pins is not None:
            places = self.flat(self.scene.pins.places(self.shown.node[k], int(self.frame[k])), k)
            sheet.dots(places, 8.4, "#ffffff", 4)
            sheet.dots(places, 6.6, style.INK, 4)

    def _forces(self, sheet: Sheet, k: int) -> None:
        """Friction at the contact points; forces of obstacles with their tips where they press."""
        if self.friction > 0.0:
            every = -(-self.scene.radius.size // ARROWS)
            some = slice(every // 2, None, every)
            place, force = self.shown.place[k, some], self.shown.force[k, some]
            tip = place + force * (ARROW * self.scene.body.length / self.friction)
            sheet.arrows(self.flat(place, k), self.flat(tip, k), 2.0 * PT, style.FORCE)
        if self.push > 0.0:
            force, place = self.scene.push[self.frame[k]], self.scene.press[self.frame[k]]
            seen = np.isfinite(place).all(axis=1) & (np.linalg.norm(force, axis=1) > FAINT * self.push)
            way = force[seen, :2] * np.array([1.0, -1.0]) * (PUSH * self.size[0] / self.push)
            tip = self.flat(place[seen], k)
            if not self.scene.scaled:
                sheet.dots(tip, 5.5, style.FORCE)
                tip = tip + way  # only the direction is known: from the point of touch
            sheet.arrows(tip - way, tip, 2.16 * PT, style.FORCE)

    def told(self, k: int) -> tuple[str, str]:
        """The clock, and what is known of instant k."""
        scene, now, frame = self.scene, float(self.shown.time[k]), int(self.frame[k])
        words = [note.text(frame) for note in scene.notes]
        if scene.kind == "plane":
            words.append(f"distance {np.hypot(*(self.shown.com[k] - self.shown.com[0])[:2]):.2f} {scene.unit}")
        words += [text for time, text in scene.events if time <= now + 1e-9][-1:]
        if scene.kind == "above" and now >= scene.body.time[-1] - 1e-9:
            words.append(scene.status)
        return scene.clock.format(now), ", ".join(words)

    def _lamps(self, sheet: Sheet, held: NDArray[np.bool_]) -> None:
        """A lamp for each pin, tail to head; above the scale of forces, if there is one."""
        wide, high = self.size
        y = 0.86 if self.push > 0.0 and self.scene.scaled else 0.95
        x = 0.975 * wide - 30.0 * sheet.unit * np.arange(len(held) - 1, -1, -1)
        places = np.stack([x, np.full(len(held), y * high)], axis=1)
        sheet.write((x[0] - 20.0 * sheet.unit) / wide, y, "pins, tail to head", 12.0, style.GREY, align="right")
        sheet.dots(places, 12.0, style.GREY, 4)
        sheet.dots(places[~held], 10.0, style.GROUND, 4)
        sheet.dots(places[held], 10.0, style.INK, 4)


def extent(scene: Scene, room: float = 0.6) -> tuple[FloatArray, FloatArray]:
    """Lower left and upper right corner of all that must be seen: a map, or the motion, the target and obstacles near to them."""
    if scene.cells is not None:
        return scene.cells.box
    points = scene.body.node[..., :2].reshape(-1, 2)
    for more in (scene.path, None if scene.target is None else scene.target[None]):
        points = points if more is None else np.concatenate([points, more])
    return box_about(points, list(scene.blocks), float(scene.body.lengths.mean()), room)


def box_about(points: FloatArray, blocks: list[FloatArray], link: float, room: float) -> tuple[FloatArray, FloatArray]:
    """Corners of a box round points and blocks near to them, with room on all sides, in lengths of a link (m)."""
    low, high = points.min(axis=0), points.max(axis=0)
    for block in blocks:
        if np.all(block.max(axis=0) > low - NEAR * link) and np.all(block.min(axis=0) < high + NEAR * link):
            points = np.concatenate([points, np.clip(block, low - 2.0 * link, high + 2.0 * link)])
    return points.min(axis=0) - room * link, points.max(axis=0) + room * link


def dashes(line: FloatArray, length: float) -> list[FloatArray]:
    """A polyline (k, 2) cut into dashes so long (px), with gaps of 0.6 of it."""
    arc = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(line, axis=0).T))])
    starts = np.arange(0.0, arc[-1], 1.6 * length)
    made = []
    for start in starts:
        inner = arc[(arc > start) & (arc < start + length)]
        at = np.concatenate([[start], inner, [min(start + length, arc[-1])]])
        made.append(np.stack([np.interp(at, arc, line[:, e]) for e in (0, 1)], axis=1))
    return made
