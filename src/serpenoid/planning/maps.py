"""Where are the walls? A map is a grid of nodes, each a wall or free, with a cell size.

Node (i, j) lies at x = i c, y = j c, c the cell size (m); its cell is the square of side c about it. A wall cell is solid: a body
overlaps a wall where it overlaps the square of a wall node. The outermost nodes are walls, so that nothing leaves the map.

| source | convention |
|---|---|
| text | `#` wall, `.` free; the first line has the largest y; lines `cell 0.05`, `start 6,8`, `goal 54,52` may come before |
| picture (PNG, PGM, BMP) | dark wall, bright free; the first row has the largest y |
| `map.yaml` of ROS with its picture | see `ros_maps` |
| array | `array[i, j]` true (or not 0) for a wall at node (i, j) |
| polygons | corners in m; a cell that a polygon overlaps is a wall, and so is the border |

All lengths are in m. A map whose source gives no size has cells of 1 and names lengths in cells (`unit`); `Map.sized` gives its cells a
size. Messages are worded by the map (`length_text`, `place_text`), so they name the unit that its user counts in.

A robot of half width b is a point on a map whose obstacles are grown by b and a margin: `Map.grown`. The map keeps what is
really solid beside it.
"""

from __future__ import annotations

import functools
import io
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from serpenoid.core.checks import FloatArray, per_item
from serpenoid.core.copying import Fixed
from serpenoid.core.door import FiniteNumbers, Several, door
from serpenoid.core.errors import InputError
from serpenoid.core.quantities import Anything, Text
from serpenoid.formats.files import brightness
from serpenoid.formats.opening import checked_name, content, named, parsing, size_text
from serpenoid.planning.cells import segment_gap
from serpenoid.planning.scaling import widths

BoolArray = NDArray[np.bool_]
MOST_CELLS = 1_000_000
BYTES_PER_NODE = 1200  # of memory that the field takes at most
MOST_BYTES = 16_000_000  # of a map's file
FARTHEST = 1e9  # m
UNCLEAR = 0.05  # share of pixels that may be neither dark nor bright
PICTURES = {".png": "PNG", ".pgm": "PPM", ".bmp": "BMP"}  # suffix and Pillow's name of the format
LONGEST_HEADER = 4096  # bytes of a PGM picture before its pixels, comments included: a comment is read byte by byte
MOST_COMMENTS = 10_000  # of a PGM picture whose numbers are text
_COMMENT = re.compile(rb"#[^\r\n]*(?:[\r\n]|\Z)")
_HEADER = re.compile(rb"P(?:[14]\s+\d+\s+\d+|[2356]\s+\d+\s+\d+\s+\d+)\s")
NEIGHBOURS = ((1, 0), (-1, 0), (0, 1), (0, -1))


@door(walls=Anything(), solid=Anything())
@dataclass(frozen=True, eq=False)
class Map(Fixed):
    """Walls on a grid: `walls[i, j]` is node (i, j) at (i, j) cells; `solid` are the walls before growing."""

    walls: BoolArray  # (nx, ny)
    cell: float = None  # type: ignore[assignment]  # m, 1e-6 to 1e6; None: no size, then it is 1 and lengths are counted in cells
    name: str = "map"
    start: tuple[float, float] | None = None  # m, a suggestion
    goal: tuple[float, float] | None = None  # m, a suggestion
    solid: BoolArray = field(default=None)  # type: ignore[arg-type]  # (nx, ny)
    growth: float = 0.0  # m
    unit: str = ""  # in which lengths are named: "m" or "cells"

    def __post_init__(self) -> None:
        walls = _checked(self.walls)
        walls.flags.writeable = False
        object.__setattr__(self, "walls", walls)
        if self.solid is None:
            object.__setattr__(self, "solid", walls)
        object.__setattr__(self, "unit", self.unit or ("cells" if self.cell is None else "m"))
        cell = per_item("cell", 1.0 if self.cell is None else self.cell, 1, 1e-6, 1e6)
        object.__setattr__(self, "cell", float(cell[0]))

    @door
    def sized(self, cell: float, unit: str = "m") -> Map:
        """The same map with cells of another size (m); start, goal and growth change with it, lengths are named in `unit`."""
        share = float(per_item("cell", cell, 1, 0.0, strict=True)[0]) / self.cell
        start, goal = (None if p is None else (share * p[0], share * p[1]) for p in (self.start, self.goal))
        return replace(self, cell=cell, start=start, goal=goal, growth=share * self.growth, unit=unit)

    @property
    def unit_length(self) -> float:
        """The unit in which lengths are named, in m."""
        return self.cell if self.unit == "cells" else 1.0

    @door
    def length_text(self, length: float, form: str = "g") -> str:
        """A length (m) in the unit of the map: "1.5 cells"."""
        return f"{length / self.unit_length:{form}} {self.unit}"

    @door(point=FiniteNumbers(width=2))
    def place_text(self, point: ArrayLike, form: str = "g") -> str:
        """A place (m) in the unit of the map: "(6, 8) cells"."""
        x, y = np.asarray(point, dtype=float) / self.unit_length
        return f"({x:{form}}, {y:{form}}) {self.unit}"

    @door
    def curvature_text(self, curvature: float, form: str = "g") -> str:
        """A curvature (1/m) in the unit of the map: "0.3 1/cell"."""
        return f"{curvature * self.unit_length:{form}} 1/{self.unit.removesuffix('s')}"

    @property
    def free(self) -> BoolArray:
        """Nodes that are no wall, (nx, ny)."""
        return ~self.walls

    @property
    def size(self) -> tuple[float, float]:
        """Width and height between the outermost nodes in m."""
        nx, ny = self.walls.shape
        return (nx - 1) * self.cell, (ny - 1) * self.cell

    @door
    def node(self, name: str, point: ArrayLike) -> tuple[int, int]:
        """The free node whose cell holds a point (m); an error names it as `name`."""
        try:
            x, y = per_item(name, point, 2, -FARTHEST, FARTHEST)
        except ValueError as error:
            raise InputError(f"{name} must be two finite numbers x, y in {self.unit}, got {point!r}") from error
        i, j = int(np.floor(x / self.cell + 0.5)), int(np.floor(y / self.cell + 0.5))
        nx, ny = self.walls.shape
        if not (0 <= i < nx and 0 <= j < ny):
            width, height = (edge / self.unit_length for edge in self.size)
            raise InputError(
                f"{name} {self.place_text((x, y))} lies outside the map, 0 to {width:g} by 0 to {height:g} {self.unit}"
            )
        if self.walls[i, j]:
            why = (
                "inside an obstacle"
                if self.solid[i, j]
                else f"closer than {self.length_text(self.growth)} (half width and margin) to an obstacle"
            )
            raise InputError(f"{name} {self.place_text((x, y))} lies {why}")
        return i, j

    @door
    def grown(self, half_width: float, margin: float | None = None) -> Map:
        """The map for the middle of a body: obstacles grown by half its width and a margin (m; default half a cell)."""
        margin = 0.5 * self.cell if margin is None else margin
        for name, value in (("half width", half_width), ("margin", margin)):
            per_item(name, value, 1, 0.0, FARTHEST)
        radius = half_width + margin
        walls = _grown(self.solid, radius / self.cell)
        if walls.all():
            raise InputError(
                f"nothing of map {self.name!r} is left free for a body of half width {self.length_text(half_width)} and margin {self.length_text(margin)}"
            )
        return replace(self, walls=walls, growth=radius)

    @functools.cached_property
    def _tree(self) -> Any:
        from scipy.spatial import cKDTree

        return cKDTree(np.argwhere(self.solid) * self.cell)

    @door(points=FiniteNumbers(width=2))
    def clearance(self, points: ArrayLike) -> FloatArray:
        """Distance (m) of points (k, 2) to the nearest node that is solid."""
        return np.asarray(self._tree.query(np.asarray(points, dtype=float))[0])

    @functools.cached_property
    def width(self) -> FloatArray:
        """Width (m) of the free room at each node: the shortest of its free runs along rows, columns and diagonals, (nx, ny)."""
        return widths(self.free) * self.cell

    def text(self) -> str:
        """The map as text, as `from_text` reads it."""
        head = [f"cell {self.cell!r}"] if self.unit == "m" else []
        share = self.unit_length
        head += [
            f"{name} {p[0] / share!r},{p[1] / share!r}" for name, p in (("start", self.start), ("goal", self.goal)) if p
        ]
        rows = ["".join("#" if wall else "." for wall in column) for column in self.solid.T[::-1]]
        return "\n".join([*head, *rows]) + "\n"


def _check_size(shape: tuple[int, ...]) -> None:
    """Refuse more nodes than there may be, before they are worked on."""
    if len(shape) >= 2 and shape[0] * shape[1] > MOST_CELLS:
        count = shape[0] * shape[1]
        raise InputError(
            f"a map may have {MOST_CELLS} nodes; this has {shape[0]} x {shape[1]} = {count}, whose field would take about "
            f"{size_text(count * BYTES_PER_NODE)}; use larger cells"
        )


def _checked(array: Any) -> BoolArray:
    """A grid of walls that is a map: two-dimensional, finite, closed, with something free in it."""
    try:
        grid = np.array(array)
        if grid.ndim != 2:
            raise InputError(f"a map must be a two-dimensional grid, got {grid.ndim} dimension{'s' * (grid.ndim != 1)}")
        _check_size(grid.shape)
        if grid.dtype.kind not in "biuf":
            raise TypeError
        numbers = grid.astype(float)
    except (TypeError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError("a map must be a two-dimensional grid of numbers, wall (not 0) or free (0)") from error
    if not np.isfinite(numbers).all():
        i, j = np.argwhere(~np.isfinite(numbers))[0]
        raise InputError(f"a map must have finite numbers; node ({i}, {j}) has {numbers[i, j]}")
    if min(grid.shape) < 3:
        raise InputError(f"an empty map: it has {grid.shape[0]} x {grid.shape[1]} nodes; at least 3 x 3 are needed")
    walls = numbers != 0.0
    border = np.ones_like(walls)
    border[1:-1, 1:-1] = False
    if not walls[border].all():
        i, j = np.argwhere(border & ~walls)[0]
        raise InputError(f"the map is open: node ({i}, {j}) of its border is free; close the border with walls")
    if walls.all():
        raise InputError("an empty map: it has no free cell")
    return walls


def closed(array: ArrayLike) -> BoolArray:
    """The grid with one more ring of wall nodes round it."""
    return np.pad(np.asarray(array) != 0, 1, constant_values=True)


def from_array(array: ArrayLike, cell: float | None = None, name: str = "array") -> Map:
    """A map from `array[i, j]`, not 0 for a wall at x = i, y = j cells."""
    return Map(array, cell, name)  # type: ignore[arg-type]


@door(text=Text(most=MOST_BYTES))
def from_text(text: str, cell: float | None = None, name: str = "text") -> Map:
    """A map from lines of `#` (wall) and `.` (free), the first with the largest y."""
    given: dict[str, Any] = {}
    lines = [line.rstrip() for line in text.splitlines()]
    while lines and (found := re.fullmatch(r"\s*(cell|start|goal)\s*[ =:]\s*(.+)", lines[0])):
        if found[1] in given:
            raise InputError(f"no map: it has two lines that say {found[1]}")
        given[found[1]] = _numbers(found[1], found[2])
        lines.pop(0)
    lines = [line for line in lines if line]
    if not lines:
        raise InputError("an empty map: no line of # and .")
    for number, line in enumerate(lines, 1):
        strange = sorted(set(line) - {"#", "."})
        if strange:
            raise InputError(f"no map: line {number} has {strange[0]!r}; walls are # and free cells .")
        if len(line) != len(lines[0]):
            raise InputError(f"no map: line {number} has {len(line)} cells, the first has {len(lines[0])}")
    _check_size((len(lines[0]), len(lines)))
    walls = np.array([[c == "#" for c in line] for line in reversed(lines)]).T
    own = given.get("cell", (None,))[0]
    if own is not None and not 0.0 < own < FARTHEST:
        raise InputError(f"no map: cell must be finite and > 0, got {own:g}")
    area = Map(walls, own, name, given.get("start"), given.get("goal"))  # type: ignore[arg-type]
    return area if cell is None else area.sized(cell)


def _numbers(name: str, text: str) -> tuple[float, ...]:
    """The numbers of a line before the map."""
    count = 1 if name == "cell" else 2
    try:
        values = tuple(float(part) for part in re.split(r"[,\s]+", text.strip()))
    except ValueError:
        values = ()
    if len(values) != count or not np.isfinite(values).all():
        raise InputError(f"no map: {name} needs {'a number' if count == 1 else 'two numbers x,y'}, got {text!r}")
    return values


@door
def light_of(path: str | Path) -> FloatArray:
    """Brightness of a picture, 0 (black) to 1 (white), the first row on top."""
    from PIL import Image

    kind = PICTURES.get(Path(path).suffix.lower(), "PNG")
    found = content(path, "map", MOST_BYTES)
    if kind == "PPM" and not _HEADER.match(_COMMENT.sub(b" ", found[:LONGEST_HEADER])):
        raise InputError(f"{named(path)} is no {kind} picture: its first {LONGEST_HEADER} bytes are no header")
    if found[:2] in (b"P1", b"P2", b"P3"):  # numbers as text: comments may stand anywhere
        if found.count(b"#") > MOST_COMMENTS:
            raise InputError(f"{named(path)} has {found.count(b'#')} comments; a picture may have {MOST_COMMENTS}")
        found = _COMMENT.sub(b"\n", found)
    with parsing(path, f"is no {kind} picture"):
        try:
            with Image.open(io.BytesIO(found), formats=[kind]) as picture:
                _check_size(picture.size)
                return brightness(picture)
        except Image.DecompressionBombError:
            raise InputError(
                f"{named(path)}: a map may have {MOST_CELLS} nodes; this picture has many times more"
            ) from None


@door
def from_picture(path: str | Path, cell: float | None = None) -> Map:
    """A map from a picture: dark pixels are walls, the first row has the largest y."""
    light = light_of(path)
    unclear = float(np.mean((light > 0.25) & (light < 0.75)))
    if unclear > UNCLEAR:
        raise InputError(
            f"{named(path)} is a picture but no map: {unclear:.0%} of its pixels are neither dark (wall) nor bright (free)"
        )
    return Map((light < 0.5)[::-1].T, cell, Path(path).stem)  # type: ignore[arg-type]


@door(polygons=Several(item=FiniteNumbers(width=2)))
def from_polygons(polygons: Sequence[ArrayLike], size: Sequence[float], cell: float, name: str = "polygons") -> Map:
    """A map of `size` (width, height in m) with polygons (k, 2) in m; cells that one overlaps are walls, and the border."""
    width, height = per_item("size", size, 2, 0.0, strict=True)
    per_item("cell", cell, 1, 0.0, strict=True)
    nx, ny = round(width / cell) + 1, round(height / cell) + 1
    _check_size((nx, ny))
    walls = np.pad(np.zeros((max(nx - 2, 0), max(ny - 2, 0)), bool), 1, constant_values=True)
    for k, polygon in enumerate(polygons):
        corners = np.asarray(polygon, dtype=float)
        if corners.ndim != 2 or corners.shape[0] < 3 or corners.shape[1] != 2 or not np.isfinite(corners).all():
            raise InputError(f"polygon {k} must be at least three corners x, y in m, all finite")
        walls |= _covered(corners / cell, walls.shape)
    return Map(walls, cell, name)


def _covered(corners: FloatArray, shape: tuple[int, int]) -> BoolArray:
    """Cells that a polygon (corners in cells) overlaps: its edges touch their square, or it holds their middle."""
    x, y = np.mgrid[: shape[0], : shape[1]]
    inside = np.zeros(shape, bool)
    edge = np.zeros(shape, bool)
    for (ax, ay), (bx, by) in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        if ay != by:
            inside ^= ((ay > y) != (by > y)) & (x < ax + (y - ay) / (by - ay) * (bx - ax))
        low = np.maximum(np.floor(np.minimum((ax, ay), (bx, by))).astype(int) - 1, 0)
        high = np.minimum(np.ceil(np.maximum((ax, ay), (bx, by))).astype(int) + 2, shape)
        for i in range(low[0], high[0]):
            for j in range(low[1], high[1]):
                edge[i, j] |= segment_gap(float(ax), float(ay), float(bx), float(by), i, j) == 0.0
    return inside | edge


def _grown(walls: BoolArray, radius: float) -> BoolArray:
    """Walls and every node nearer than `radius` (cells) to the square of one."""
    from scipy.ndimage import maximum_filter1d

    grown = walls.copy()
    reach = int(min(np.ceil(radius + 0.5), walls.shape[1] - 1))
    for dy in range(-reach, reach + 1):
        rest = radius**2 - max(abs(dy) - 0.5, 0.0) ** 2
        if rest <= 0.0:
            continue
        dx = int(min(np.ceil(np.sqrt(rest) + 0.5) - 1, len(walls)))  # the largest whole number below sqrt(rest) + 1/2
        wide = maximum_filter1d(walls, 2 * dx + 1, axis=0, mode="constant", cval=1)
        grown[:, max(dy, 0) : walls.shape[1] + min(dy, 0)] |= wide[:, max(-dy, 0) : walls.shape[1] + min(-dy, 0)]
    return grown


def bundled() -> dict[str, Path]:
    """Maps that come with the package, by name."""
    folder = Path(str(resources.files("serpenoid") / "maps"))
    return {path.stem: path for path in sorted(folder.glob("*.txt"))}


def read(source: str | Path, cell: float | None = None) -> Map:
    """A bundled map by name, or a map file: a picture, .yaml (of ROS), .npy (array), else text; `cell` in m wins over the file's."""
    path = bundled().get(str(source)) or Path(checked_name(source, "map"))
    if not os.path.lexists(path):
        raise InputError(f"no map {named(source)!r}: no such file, and bundled are {', '.join(bundled())}")
    kind = path.suffix.lower()
    if kind in PICTURES:
        return from_picture(path, cell)
    if kind == ".npy":
        return _from_npy(path, cell)
    if kind in (".yaml", ".yml"):
        from serpenoid.planning.ros_maps import read_ros

        return read_ros(path, cell)
    try:
        text = content(path, "map", MOST_BYTES).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError(f"{named(path)} is neither a PNG picture nor a text map") from None
    return from_text(text, cell, path.stem)


def _from_npy(path: Path, cell: float | None) -> Map:
    """A map from an array file."""
    found = io.BytesIO(content(path, "map", MOST_BYTES))
    if not found.getbuffer().nbytes:
        raise InputError(f"{named(path)} is an empty file")
    with parsing(path, "holds no plain array of numbers"):
        version = np.lib.format.read_magic(found)
        header = np.lib.format.read_array_header_1_0 if version[0] == 1 else np.lib.format.read_array_header_2_0
        _check_size(header(found)[0])
        found.seek(0)
        return from_array(np.load(found), cell, path.stem)
