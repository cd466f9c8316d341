"""The ground and what stands on it, in three dimensions: descriptions only, physics in `contact`.

| description | what it is |
|---|---|
| `Ground` | a plane (level or sloping) or a height field; how stiff it is, and which contact model |
| `Cylinder` | a peg, a post, a pole: a round bar with flat ends, touched from outside |
| `Box` | a wall, a step: an upright block, turned about the vertical |
| `Pipe` | a round pipe, touched from inside |

Contact models: "capsule" touches with the surface of round links (so that bodies roll), "point" with the links'
contact points (`contact_offset`; equations (4), (5) of Sarrafan et al. 2012, where they are the centres of gravity; the radius
plays no role there and nothing rolls), "flat" with four rows of points at the rounded edges of a box, twice the radius wide and
high (box-shaped modules, links on pairs of casters: they tip, but do not roll).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from serpenoid.core.checks import FloatArray, per_item
from serpenoid.core.errors import InputError

MODELS = ("capsule", "point", "flat")
STEEPEST = np.radians(89.0)


def _vector(name: str, value: Any, count: int = 3) -> tuple[float, ...]:
    if np.shape(value) != (count,):
        raise InputError(f"{name} must be {count} numbers, got {value!r}")
    return tuple(per_item(name, value, count, -1e6, 1e6).tolist())


def _unit(name: str, value: Any) -> tuple[float, ...]:
    direction = np.array(_vector(name, value))
    length = float(np.linalg.norm(direction))
    if length < 1e-9:
        raise InputError(f"{name} must have a direction, got {value!r}")
    return tuple((direction / length).tolist())


@dataclass(frozen=True, eq=False)
class HeightField:
    """Heights (ny, nx) in m on a grid with spacing `cell`, the first node at `origin` (x, y); outside it its edge goes on."""

    heights: FloatArray
    cell: float
    origin: tuple[float, float] = (0.0, 0.0)

    def __post_init__(self) -> None:
        heights = np.asarray(self.heights, dtype=float)
        if heights.ndim != 2 or min(heights.shape) < 2 or not np.isfinite(heights).all():
            raise InputError("a height field needs at least 2 x 2 finite heights")
        object.__setattr__(self, "heights", heights)
        per_item("height field cell", self.cell, 1, 0.0, strict=True)
        object.__setattr__(self, "origin", _vector("height field origin", self.origin, 2))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, HeightField):
            return NotImplemented
        same = (self.cell, self.origin) == (other.cell, other.origin)
        return same and np.array_equal(self.heights, other.heights)

    def __hash__(self) -> int:
        return hash((self.cell, self.origin, self.heights.tobytes()))


@dataclass(frozen=True)
class Ground:
    """Spring and damper under every contact: N/m, N s/m; `slope` (rad) rises towards `slope_direction` (rad from x)."""

    model: str = "capsule"
    stiffness: float = 2e4
    damping: float = 50.0
    slope: float = 0.0
    slope_direction: float = 0.0
    plane: bool = True  # False: no plane at z = 0, only the obstacles (a pipe)
    heights: HeightField | None = None
    points: int = 0  # contact points along a link; 0: two on a plane, closer than the radius on anything else

    def __post_init__(self) -> None:
        if self.model not in MODELS:
            raise InputError(f"ground model must be one of {', '.join(MODELS)}, got {self.model!r}")
        per_item("ground stiffness", self.stiffness, 1, 0.0, strict=True)
        per_item("ground damping", self.damping, 1, 0.0)
        per_item("ground slope", self.slope, 1, -STEEPEST, STEEPEST)
        per_item("ground slope_direction", self.slope_direction, 1, -1e4, 1e4)
        if (
            not isinstance(self.points, int)
            or isinstance(self.points, bool)
            or not (self.points == 0 or 2 <= self.points <= 64)
        ):
            raise InputError(f"ground points must be 0 or a whole number from 2 to 64, got {self.points!r}")
        if self.heights is not None and (self.slope != 0.0 or not self.plane):
            raise InputError("a ground is a plane (with a slope) or a height field, not both")

    @property
    def normal(self) -> FloatArray:
        """Upward normal of the plane."""
        s, c = np.sin(self.slope), np.cos(self.slope)
        return np.array([-s * np.cos(self.slope_direction), -s * np.sin(self.slope_direction), c])


@dataclass(frozen=True)
class Obstacle:
    """Something that a robot can touch."""


@dataclass(frozen=True)
class Cylinder(Obstacle):
    """A round bar from `base` along `axis` (a unit vector is made of it), with flat ends."""

    base: tuple[float, ...]
    radius: float
    length: float
    axis: tuple[float, ...] = field(default=(0.0, 0.0, 1.0))

    def __post_init__(self) -> None:
        object.__setattr__(self, "base", _vector("cylinder base", self.base))
        object.__setattr__(self, "axis", _unit("cylinder axis", self.axis))
        per_item("cylinder radius", self.radius, 1, 0.0, strict=True)
        per_item("cylinder length", self.length, 1, 0.0, strict=True)


@dataclass(frozen=True)
class Box(Obstacle):
    """An upright block: `centre` and `size` (x, y, z) in m, turned by `yaw` (rad) about the vertical."""

    centre: tuple[float, ...]
    size: tuple[float, ...]
    yaw: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "centre", _vector("box centre", self.centre))
        object.__setattr__(self, "size", _vector("box size", self.size))
        if min(self.size) <= 0.0:
            raise InputError(f"box size must be > 0, got {self.size}")
        per_item("box yaw", self.yaw, 1, -1e4, 1e4)


@dataclass(frozen=True)
class Pipe(Obstacle):
    """The inside of a round pipe of `radius` about the line through `point` along `axis`; it has no ends."""

    point: tuple[float, ...]
    radius: float
    axis: tuple[float, ...] = field(default=(1.0, 0.0, 0.0))

    def __post_init__(self) -> None:
        object.__setattr__(self, "point", _vector("pipe point", self.point))
        object.__setattr__(self, "axis", _unit("pipe axis", self.axis))
        per_item("pipe radius", self.radius, 1, 0.0, strict=True)
