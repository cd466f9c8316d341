"""Obstacles seen from above, one vocabulary for worlds and plans: descriptions only, geometry in `contact` and `planning`.

| description | what it is |
|---|---|
| `Disc`, `Polygon`, `Wall`, `Grid` | upright, without top or end below: a round post, a block, a bar, the solid cells of a map |
| `Surface` | what upright obstacles are made of |
| `Anchor` | a pin of a link that a command sets into the ground and draws again |
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from serpenoid.core.checks import FloatArray
from serpenoid.core.declare import Description, declare, description
from serpenoid.core.errors import InputError
from serpenoid.core.quantities import Number, Quantity, Say, Whole, shown
from serpenoid.core.several import Points, Vector
from serpenoid.core.terrain import OBSTACLES, Obstacle


class Upright(Obstacle):
    """An obstacle of which only the plan counts."""

    @property
    def corners(self) -> FloatArray:
        """Corners (k, 2), counter-clockwise; none for a disc."""
        return np.empty((0, 2))


@OBSTACLES.register
@description
class Disc(Upright):
    """A round post."""

    centre: tuple[float, float] = declare(Vector("", "m"))
    radius: float = declare(Number("", "m", above=0.0, high=1e6))

    NAME = "disc"


@OBSTACLES.register
@description
class Polygon(Upright):
    """A block with straight sides that do not cross each other."""

    points: tuple[tuple[float, float], ...] = declare(Points("corners, either way round", "m", least=3))

    NAME = "polygon"

    def check(self) -> None:
        """Corners of a simple polygon, turned counter-clockwise."""
        x, y = np.array(self.points).T
        area = 0.5 * float(np.sum(x * np.roll(y, -1) - y * np.roll(x, -1)))
        span = max(float(np.ptp(x)), float(np.ptp(y)))
        if span == 0.0 or min(np.hypot(x - np.roll(x, -1), y - np.roll(y, -1))) < 1e-9 * span:
            raise InputError("two corners of a polygon that follow each other lie on one place")
        points = self.points if area > 0.0 else self.points[::-1]
        if _sides_cross(np.array(points)):
            raise InputError("the sides of a polygon must not cross each other")
        if abs(area) < 1e-9 * span * span:
            raise InputError("a polygon needs an area; its corners lie on a line")
        object.__setattr__(self, "points", points)

    @property
    def corners(self) -> FloatArray:
        """Corners (k, 2), counter-clockwise."""
        return np.array(self.points)


def _sides_cross(corners: FloatArray) -> bool:
    """Whether two sides of a polygon that are no neighbours cross."""
    begin, way = corners, np.roll(corners, -1, axis=0) - corners

    def left(a: FloatArray, b: FloatArray) -> FloatArray:
        return np.asarray(a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0])

    from_side = begin[None, :] - begin[:, None]
    here = left(way[:, None], from_side)
    there = left(way[:, None], from_side + way[None, :])
    apart = here * there < 0.0  # the ends of side j lie on both sides of side i
    return bool(np.any(apart & apart.T))


@OBSTACLES.register
@description
class Wall(Upright):
    """A straight bar from `start` to `end` with square ends."""

    start: tuple[float, float] = declare(Vector("of its middle line", "m"))
    end: tuple[float, float] = declare(Vector("of its middle line", "m"))
    thickness: float = declare(Number("", "m", above=0.0, high=1e6), default=0.1)

    NAME = "wall"

    def check(self) -> None:
        """A wall has a length."""
        if np.hypot(*np.subtract(self.end, self.start)) < 1e-9:
            raise InputError(f"a wall needs a length; both its ends are {self.start}")

    @property
    def corners(self) -> FloatArray:
        """Corners (4, 2), counter-clockwise."""
        a, b = np.array(self.start), np.array(self.end)
        along = (b - a) / np.hypot(*(b - a))
        aside = 0.5 * self.thickness * np.array([-along[1], along[0]])
        return np.array([a - aside, b - aside, b + aside, a + aside])


@dataclass(frozen=True)
class Cells(Quantity):
    """Which cells of a grid are solid: an array (nx, ny) of bool, read only; in files texts of "#" and ".", one per x."""

    @property
    def allowed(self) -> str:
        """What is allowed."""
        return 'an array (nx, ny) of true and false, or a list of texts of "#" (solid) and "." of equal length'

    def take(self, value: Any, path: str, say: Say, before: Mapping[str, Any]) -> Any:
        """A read-only array of bool."""
        rows = value
        if isinstance(value, list | tuple) and value and all(isinstance(row, str) for row in value):
            rows = [[{"#": True, ".": False}.get(c) for c in row] for row in value]
        try:
            cells = np.array(rows)
        except ValueError:
            cells = np.zeros(0)
        whole = cells.dtype.kind in "biu" and cells.ndim == 2 and cells.size > 0 and bool(np.isin(cells, (0, 1)).all())
        if not whole:
            say(path, f"must be {self.allowed}, got {shown(value)}")
            return None
        cells = cells.astype(bool)
        cells.flags.writeable = False
        return cells

    def plain(self, value: Any) -> Any:
        """Texts."""
        return ["".join("#" if solid else "." for solid in row) for row in value]

    def schema(self) -> dict[str, Any]:
        """A list of texts."""
        return {"type": "array", "items": {"type": "string", "pattern": "^[#.]+$"}, "minItems": 1}


@OBSTACLES.register
@description(eq=False)
class Grid(Upright):
    """The solid cells of a map: `cells[i, j]` true is a solid square of side `cell` about origin + cell (i, j); its border goes on beyond it."""

    cells: NDArray[np.bool_] = declare(Cells("solid ones"))
    cell: float = declare(Number("side of a cell", "m", above=0.0))
    origin: tuple[float, float] = declare(Vector("middle of the first cell", "m"), default=(0.0, 0.0))

    NAME = "grid"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Grid):
            return NotImplemented
        return (self.cell, self.origin) == (other.cell, other.origin) and np.array_equal(self.cells, other.cells)

    def __hash__(self) -> int:
        return hash((self.cell, self.origin, self.cells.tobytes()))


@description
class Surface(Description):
    """What upright obstacles are made of."""

    stiffness: float = declare(Number("per contact", "N/m", low=0.0), default=1e5)
    damping: float = declare(Number("per contact", "N s/m", low=0.0), default=100.0)
    friction: float = declare(Number("coefficient", low=0.0), default=0.1)


@description
class SelfContact(Description):
    """Contact between the links of one body, which need a radius; neighbours at a joint do not count."""

    stiffness: float | None = declare(
        Number("per contact; none: the robot's whole weight presses in by 1 % of the radius (at least link mass / (4 steps)^2)", "N/m", above=0.0),
        default=None,
    )  # fmt: skip
    damping: float | None = declare(
        Number("per contact; none: half of a link's critical damping", "N s/m", low=0.0), default=None
    )
    friction: float = declare(Number("coefficient", low=0.0), default=0.1)


@description
class Anchor(Description):
    """A pin that a command sets into the ground and draws again: it holds a point of a link up to a force, then it is dragged along."""

    link: int = declare(Whole("number of the link, from 0 at the tail", low=0, high=20_000))
    at: float = declare(Number("place along the link, from its tail-side joint", "m", low=0.0))
    hold: float = declare(Number("force up to which it holds", "N", low=0.0))
    stiffness: float = declare(Number("", "N/m", above=0.0), default=1e6)
