"""A sheet of pixels on which films are drawn: filled loops, lines, arrows, words and lit faces.

Places are in pixels from the upper left corner, x to the right, y downwards. Sizes of letters and lines are given in units of a
sheet 1280 px wide and grow with it. Nothing here knows what is drawn.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.core import FloatArray
from serpenoid.view import style
from serpenoid.view.camera import Camera
from serpenoid.view.solids import Faces

WIDE = 1280.0  # px: the sheet for which sizes are given
SAMPLES = 3  # of a pixel's side, for solids
PAPER = 0.85  # opacity of the ground behind words
PAD = 4.2  # px of it round the words
HEAD = (3.4, 4.0)  # of an arrow: width and length of its head, in widths of its shaft


@functools.lru_cache(maxsize=64)
def _font(size: int, bold: bool) -> Any:
    import matplotlib
    from PIL import ImageFont

    file = f"{matplotlib.get_data_path()}/fonts/ttf/DejaVuSans{'-Bold' if bold else ''}.ttf"
    return ImageFont.truetype(file, size)


class _Letter(NamedTuple):
    """A drawn letter: opacities 0..255, its place from the pen on the base line, and how far the pen moves on, px."""

    cover: NDArray[np.uint8]
    left: int
    top: int
    advance: float


@functools.lru_cache(maxsize=2048)
def _letter(size: int, bold: bool, letter: str) -> _Letter:
    from PIL import Image, ImageDraw

    font = _font(size, bold)
    left, top, right, bottom = font.getbbox(letter, anchor="ls")
    image = Image.new("L", (max(1, right - left), max(1, bottom - top)))
    ImageDraw.Draw(image).text((-left, -top), letter, fill=255, font=font, anchor="ls")
    return _Letter(np.array(image), left, top, float(font.getlength(letter)))


def loops_of(shapes: Any) -> tuple[FloatArray, NDArray[np.int64]]:
    """Points (p, 2) of all shapes, a list of (k, 2) or an array (m, k, 2), and where each of them starts."""
    if isinstance(shapes, np.ndarray):
        m, k = shapes.shape[:2]
        return np.ascontiguousarray(shapes.reshape(-1, 2), dtype=float), np.arange(m + 1) * k
    starts = np.cumsum([0, *(len(s) for s in shapes)])
    points = np.concatenate(shapes) if len(shapes) else np.zeros((0, 2))
    return np.ascontiguousarray(points, dtype=float), starts


def arrow_loops(start: FloatArray, end: FloatArray, width: float) -> FloatArray:
    """Outlines (m, 7, 2) of arrows from start to end (m, 2) with shafts so wide; short ones shrink as a whole."""
    way = end - start
    length = np.linalg.norm(way, axis=1, keepdims=True)
    unit = way / np.maximum(length, 1e-9)
    size = np.minimum(width, length / HEAD[1])  # so that the head is never longer than the arrow
    side = np.stack([unit[:, 1], -unit[:, 0]], axis=1)
    neck = end - HEAD[1] * size * unit
    shaft, barb = 0.5 * size * side, 0.5 * HEAD[0] * size * side
    return np.stack([start + shaft, neck + shaft, neck + barb, end, neck - barb, neck - shaft, start - shaft], axis=1)


def empty_span(high: int) -> NDArray[np.int64]:
    """First and last column of rows in which nothing was drawn."""
    return np.tile(np.array([1 << 30, 0]), (high, 1))


class Sheet:
    """A picture (h, w, 4: red, green, blue, 255) to draw on."""

    def __init__(self, size: tuple[int, int], colour: str = style.GROUND, unit: float | None = None) -> None:
        wide, high = size
        self.pixels: NDArray[np.uint8] = np.full((high, wide, 4), 255, np.uint8)
        self.pixels[..., :3] = self._ink(colour, 1.0)[:3].round().astype(np.uint8)
        self._blank = self.pixels.view(np.uint32)[0, 0, 0]
        self.area = np.zeros((high, (wide // 8 + 2) * 8), np.float32)
        self.span = empty_span(high)
        self.unit = wide / WIDE if unit is None else unit  # px of a length of 1
        self._solid: dict[int, tuple[Any, Any, Any]] = {}  # by samples of a pixel's side

    @property
    def size(self) -> tuple[int, int]:
        """Width and height, px."""
        return self.pixels.shape[1], self.pixels.shape[0]

    def clear(self) -> None:
        """Make the sheet blank again."""
        self.pixels.view(np.uint32)[...] = self._blank

    @staticmethod
    def _ink(colour: Any, alpha: float) -> Any:
        """Red, green, blue 0..255 and opacity."""
        shade = style.rgba(colour) if isinstance(colour, str) else np.asarray(colour, dtype=float)
        return np.array([*(255.0 * shade[:3]), alpha], dtype=np.float32)

    def fill(self, shapes: Any, colour: Any, alpha: float = 1.0) -> None:
        """Fill closed shapes, all in one: what overlaps is filled once if all turn the same way."""
        from serpenoid.view import raster

        if len(shapes):
            raster.fill(self.pixels, self.area, self.span, *loops_of(shapes), self._ink(colour, alpha))

    def stroke(self, lines: Any, width: float, colour: Any, alpha: float = 1.0) -> None:
        """Draw polylines so wide (in units of a sheet 1280 px wide), all in one."""
        from serpenoid.view import raster

        if len(lines):
            half, share = self._half(width)
            raster.stroke(self.pixels, self.area, self.span, *loops_of(lines), half, self._ink(colour, alpha * share))

    def hairlines(self, lines: FloatArray, width: float, colour: Any, alpha: float = 1.0) -> None:
        """Draw straight thin lines (m, 2, 2), each for itself: faster than `stroke`, and darker where they cross."""
        from serpenoid.view import raster

        half, share = self._half(width)
        raster.hairlines(self.pixels, np.ascontiguousarray(lines, dtype=float), half, self._ink(colour, alpha * share))

    def _half(self, width: float) -> tuple[float, float]:
        """Half a width in px, and opacity: what is thinner than a pixel becomes paler instead."""
        half = 0.5 * width * self.unit
        return (half, 1.0) if half >= 0.4 else (0.4, half / 0.4)

    def arrows(self, start: FloatArray, end: FloatArray, width: float, colour: Any) -> None:
        """Draw arrows from start to end (m, 2); those that are not finite or shorter than half a pixel are left out."""
        seen = np.linalg.norm(np.nan_to_num(end - start), axis=1) > 0.5
        self.fill(arrow_loops(start[seen], end[seen], width * self.unit), colour)

    def dots(self, places: FloatArray, radius: float, colour: Any, corners: int = 24) -> None:
        """Draw discs (or diamonds: 4 corners) of a radius about places (m, 2)."""
        turn = np.linspace(0.0, 2.0 * np.pi, corners, endpoint=False)
        rim = radius * self.unit * np.stack([np.cos(turn), np.sin(turn)], axis=1)
        self.fill(np.asarray(places, dtype=float).reshape(-1, 1, 2) + rim, colour)

    def write(
        self, x: float, y: float, text: str, size: float = 16.0, colour: Any = style.INK, *, bold: bool = False,
        align: str = "left", paper: bool = True,
    ) -> None:  # fmt: skip
        """Put words with their middle at height y (shares of the picture from its upper left corner); size in pt."""
        if not text:
            return
        from serpenoid.view import raster

        em = max(4, round(size * 100.0 / 72.0 * self.unit))
        ascent, descent = _font(em, bold).getmetrics()
        letters = [_letter(em, bold, letter) for letter in text]
        length = sum(letter.advance for letter in letters)
        left = x * self.size[0] - length * {"left": 0.0, "center": 0.5, "right": 1.0}[align]
        base = y * self.size[1] + 0.5 * (0.8 * ascent - descent)  # letters with their descenders about the middle
        if paper:
            pad = PAD * self.unit
            low, high = base - 0.82 * ascent - pad, base + descent * 0.85 + pad
            box = [[left - pad, low], [left + length + pad, low], [left + length + pad, high], [left - pad, high]]
            self.fill([np.array(box)], style.GROUND, PAPER)
        ink = self._ink(colour, 1.0)
        for letter in letters:
            raster.stamp(self.pixels, letter.cover, round(left + letter.left), round(base + letter.top), ink)
            left += letter.advance

    def faces(self, faces: Faces, view: Camera, light: FloatArray, samples: int = SAMPLES, matte: bool = False) -> None:
        """Add solid faces to those of this picture; the nearest ones will be seen."""
        from serpenoid.view import raster

        wide, high = self.size
        if samples not in self._solid:
            shape = (high * samples, wide * samples)
            self._solid[samples] = np.zeros(shape, np.float32), np.empty((*shape, 3), np.uint8), empty_span(high)
        row = np.concatenate([view.eye, view.target, view.axes.ravel(), [view.distance, view.focal * high * samples]])
        raster.solids(*self._solid[samples], samples, *faces, row, light, matte)

    def resolve(self) -> None:
        """Lay the solid faces added so far over the picture."""
        from serpenoid.view import raster

        for samples, buffers in self._solid.items():
            raster.resolve(self.pixels, *buffers, samples)

    def paste(self, other: Sheet, left: int, top: int) -> None:
        """Put another sheet onto this one."""
        high, wide = other.pixels.shape[:2]
        self.pixels[top : top + high, left : left + wide] = other.pixels


def to_pixels(place: FloatArray, low: Sequence[float], scale: float, high: int) -> FloatArray:
    """Places (..., 2) of a plane, in px: `low` is seen in the lower left corner of a sheet so high, a length of 1 is `scale` px."""
    flat = (place - np.asarray(low)) * scale
    return np.stack([flat[..., 0], high - flat[..., 1]], axis=-1)
