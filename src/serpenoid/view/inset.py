"""What lies over the pictures of a film: layers that never change, a scale of length and of force, a small map of the way."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from serpenoid.core import FloatArray
from serpenoid.view import decals, style
from serpenoid.view.ground import Land
from serpenoid.view.picture import PT
from serpenoid.view.poses import Poses
from serpenoid.view.sheet import Sheet

TRAIL = 1500  # points of a way at most
KEY_SIZE, KEY_LETTER = 12.0, 9.6  # pt of the words of a key; px of a letter, about, on a sheet 1280 px wide
TURNS = 720.0  # degrees of roll from which it is counted in turns


class Overlay:
    """What is drawn once and laid over every picture."""

    def __init__(self, size: tuple[int, int], draw: Callable[[Sheet], None]) -> None:
        """Find colour and opacity of what `draw` draws: it looks different on black and on white where it is not opaque."""
        black, white = Sheet(size, "#000000"), Sheet(size, "#ffffff")
        draw(black)
        draw(white)
        clear = (white.pixels[..., :3].astype(np.int16) - black.pixels[..., :3]).max(axis=2)
        opaque = np.clip(255 - clear, 0, 255).astype(np.uint8)
        self.layer: NDArray[np.uint8] = np.dstack([black.pixels[..., :3], opaque])
        inked = np.flatnonzero(opaque.any(axis=1))
        cuts = np.flatnonzero(np.diff(inked) > 1) + 1
        self.rows = [np.array([part[0], part[-1] + 1]) for part in np.split(inked, cuts) if part.size]

    def lay(self, sheet: Sheet) -> None:
        """Put it over a picture."""
        from serpenoid.view import raster

        for rows in self.rows:
            raster.lay(sheet.pixels, self.layer, rows)


def scale_bar(sheet: Sheet, pixels: float, widest: float, more: str = "", unit: str = "m") -> None:
    """A bar of round length in the lower left corner, `widest` of the sheet at most; `pixels` of a `unit`."""
    wide, high = sheet.size
    bar = style.round_below(widest * wide / pixels)
    left, y = 0.025 * wide, 0.95 * high
    sheet.stroke([np.array([[left, y], [left + bar * pixels, y]])], 5.0 * PT, style.INK)
    sheet.write(0.025, 0.911, f"{bar:g} {unit}{more}")


def force_scale(sheet: Sheet, name: str, force: float, pixels: float) -> None:
    """An arrow of a round force in the lower right corner; `pixels` of a force so large (N)."""
    wide, high = sheet.size
    unit = style.round_below(force)
    if unit <= 0.0:
        return
    end = np.array([[0.975 * wide, 0.95 * high]])
    sheet.arrows(end - np.array([unit / force * pixels, 0.0]), end, 2.16 * PT, style.FORCE)
    sheet.write(0.975, 0.911, f"{name} {unit:g} N", align="right")


def key(sheet: Sheet, items: list[tuple[str, str, str]], middle: float = 0.555, y: float = 0.95) -> None:
    """What marks mean, in one row with its middle at a share of the width: kind (line, dash, band, dot, diamond, star), colour, words."""
    wide, high = sheet.size
    letter, mark, gap = KEY_LETTER * sheet.unit, 26.0 * sheet.unit, 22.0 * sheet.unit
    lengths = [mark + 8.0 * sheet.unit + letter * len(text) for _, _, text in items]
    x = middle * wide - 0.5 * (sum(lengths) + gap * (len(items) - 1))
    for (kind, colour, text), length in zip(items, lengths, strict=True):
        sheet.write((x + mark + 8.0 * sheet.unit) / wide, y, text, KEY_SIZE, style.GREY)
        ends, level = np.array([[x, y * high], [x + mark, y * high]]), np.array([[x + 0.5 * mark, y * high]])
        if kind in ("line", "band"):
            sheet.stroke([ends], 2.0 * PT if kind == "line" else 6.0 * PT, colour)
        elif kind == "dash":
            sheet.stroke([ends[0] + (ends[1] - ends[0]) * np.array(part)[:, None] for part in ((0.0, 0.38), (0.62, 1.0))], 2.4 * PT, colour)  # fmt: skip
        elif kind == "star":
            star(sheet, level[0], 9.0)
        else:
            sheet.dots(level, 6.6, colour, 4 if kind == "diamond" else 24)
        x += length + gap


def star(sheet: Sheet, at: FloatArray, size: float) -> None:
    """A goal."""
    turn = 0.5 * np.pi + np.arange(10) * np.pi / 5.0
    rim = np.where(np.arange(10) % 2 == 0, 1.0, 0.42)[:, None] * np.stack([np.cos(turn), -np.sin(turn)], axis=1)
    for scale, colour in ((1.18, style.INK), (1.0, style.ORANGE)):
        sheet.fill((at + scale * size * sheet.unit * rim)[None], colour)


def slope_wedge(sheet: Sheet, left: float, y: float, wide: float, slope: float) -> None:
    """A slope (rad) from its side over a level line, both told: under a camera without a horizon it would look flat."""
    size = np.array(sheet.size)
    corner = np.array([left, y]) * size
    long = wide * size[0]
    base, top = corner + np.array([long, 0.0]), corner + long * np.array([1.0, -np.tan(slope)])
    sheet.fill([np.array([corner, base, top])], style.STONE)
    sheet.stroke([np.array([corner, base])], 1.2 * PT, style.GREY)
    sheet.stroke([np.array([corner, top])], 2.2 * PT, style.INK)
    sheet.write(left + 0.5 * wide, y + 0.027, f"level; rises {np.degrees(slope):.3g}°", 12.0, style.INK, align="center")


def roll_text(degrees: float) -> str:
    """A roll in degrees, in turns where there are several."""
    if abs(degrees) > TURNS:
        return f"{degrees / 360.0:.1f} turns"
    return f"{round(degrees) + 0}°"


class WayMap:
    """The whole way from above, small, with the bodies where they are."""

    def __init__(self, box: tuple[float, float, float, float], bodies: list[tuple[Poses, str]], land: Land) -> None:
        """`box`: left, top, width, height as shares of the sheet."""
        self.box, self.bodies, self.land = box, bodies, land
        places = np.concatenate([body.node[..., :2].reshape(-1, 2) for body, _ in bodies])
        self.low, self.high = places.min(axis=0), places.max(axis=0)
        self.every = [max(1, len(body.time) // TRAIL) for body, _ in bodies]

    def _flat(self, sheet: Sheet, place: FloatArray) -> FloatArray:
        """Pixels of places (..., 2)."""
        shape = np.array(self.box[2:]) * sheet.size
        corner = np.array(self.box[:2]) * sheet.size
        scale = float((shape / np.maximum(self.high - self.low, 1e-9)).min()) / 1.16
        middle = 0.5 * (self.low + self.high)
        return np.asarray(corner + 0.5 * shape + scale * (place - middle) * np.array([1.0, -1.0]))

    def frame(self, sheet: Sheet) -> None:
        """What stays: paper, obstacles, slope, the whole ways."""
        left, top, wide, high = np.array(self.box) * np.tile(sheet.size, 2)
        edge = np.array([[left, top], [left + wide, top], [left + wide, top + high], [left, top + high], [left, top]])
        sheet.fill([edge[:-1]], "#ffffff", 0.85)
        sheet.stroke([edge], 0.8 * PT, style.PALE)
        corner = np.array([left, top]), np.array([left + wide, top + high])
        seen = [np.clip(self._flat(sheet, outline), *corner) for outline in decals.footprints(self.land)]
        sheet.fill(seen, style.STONE)
        ground = self.land.ground
        if ground.slope != 0.0 and ground.heights is None:
            way = np.sign(ground.slope) * np.array([np.cos(ground.slope_direction), -np.sin(ground.slope_direction)])
            middle, reach = np.array([[left + 0.84 * wide, top + 0.14 * high]]), 0.09 * wide * way
            sheet.arrows(middle - reach, middle + reach, 1.6 * PT, style.RED)
        for (body, _), every in zip(self.bodies, self.every, strict=True):
            sheet.stroke([self._flat(sheet, body.com[::every, :2])], 1.2 * PT, style.PALE)

    def draw(self, sheet: Sheet, times: list[float]) -> None:
        """The bodies at a time each."""
        one = len(self.bodies) == 1
        for (body, colour), every, time in zip(self.bodies, self.every, times, strict=True):
            k = int(np.clip(np.searchsorted(body.time, time), 0, len(body.time) - 1))
            way, line = (self._flat(sheet, x) for x in (body.com[: k + 1 : every, :2], body.node[k, :, :2]))
            sheet.stroke([way], 1.2 * PT, style.GREY if one else colour)
            sheet.stroke([line], 3.0 * PT, colour)
            sheet.dots(line[-1:], 2.5 * PT, style.ORANGE if one else colour)
