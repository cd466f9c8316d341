"""The ground and what stands on it, in three dimensions: descriptions only, physics in `contact`.

| description | what it is |
|---|---|
| `Ground` | a plane (level or sloping) or a height field; how stiff it is, and which contact model |
| `HeightField` | heights on a grid |
| `Cylinder` | a peg, a post, a pole: a round bar with flat ends, touched from outside |
| `Box` | a wall, a step: an upright block, turned about the vertical |
| `Pipe` | a round pipe, touched from inside |

Contact models: "capsule" touches with the surface of round links (so that bodies roll), "point" with the links'
contact points (`contact_offset`; equations (4), (5) of Sarrafan et al. 2012, where they are the centres of gravity; the radius
plays no role there and nothing rolls), "flat" with four rows of points at the rounded edges of a box, twice the radius wide and
high (box-shaped modules, links on pairs of casters: they tip, but do not roll).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

import numpy as np

from serpenoid.core.checks import FloatArray
from serpenoid.core.declare import Description, Part, declare, description
from serpenoid.core.door import door
from serpenoid.core.errors import InputError
from serpenoid.core.family import Family
from serpenoid.core.quantities import Angle, Choice, Flag, Number, Whole
from serpenoid.core.several import Array, Vector
from serpenoid.core.theirs import theirs

MODELS = ("capsule", "point", "flat")
STEEPEST = float(np.radians(89.0))


@description(eq=False)
class HeightField(Description):
    """Heights (ny, nx) in m on a grid with spacing `cell`, the first node at `origin` (x, y); outside it its edge goes on."""

    heights: FloatArray = declare(Array("rows along y, columns along x", "m", ndim=2, least=2))
    cell: float = declare(Number("distance of the grid's nodes", "m", above=0.0))
    origin: tuple[float, float] = declare(Vector("place of the first node", "m"), default=(0.0, 0.0))

    @classmethod
    @door(cell=Number(above=0.0))
    def sampled(
        cls, height: Callable[[float, float], float], low: tuple[float, float], high: tuple[float, float], cell: float
    ) -> HeightField:
        """The field of a function of x and y (m), sampled every `cell` m between two corners."""
        x, y = (np.arange(a, b + 0.5 * cell, cell) for a, b in zip(low, high, strict=True))
        with theirs("height, which must be a function of x and y (m) that gives a height in m,", height):
            heights = np.array([[float(height(float(u), float(v))) for u in x] for v in y])
        return cls(heights, cell, low)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, HeightField):
            return NotImplemented
        same = (self.cell, self.origin) == (other.cell, other.origin)
        return same and np.array_equal(self.heights, other.heights)

    def __hash__(self) -> int:
        return hash((self.cell, self.origin, self.heights.tobytes()))


@description
class Ground(Description):
    """Spring and damper under every contact; `slope` rises towards `slope_direction`.

    Without `stiffness` the spring fits the load: at rest contacts are pressed in by a thousandth of the radius. Without
    `damping` the damper is half the critical one of a link's share, or the one that gives the `restitution` asked for; faster impacts keep
    that share of their speed whatever the spring.
    """

    model: str = declare(Choice("of contact", options=MODELS), default="capsule")
    stiffness: float | None = declare(
        Number("per contact; none: by the load and the step", "N/m", above=0.0), default=None
    )
    damping: float | None = declare(
        Number("per contact; none: by restitution, or half of critical", "N s/m", low=0.0), default=None
    )
    slope: float = declare(Angle("of the plane", low=-STEEPEST, high=STEEPEST), default=0.0)
    slope_direction: float = declare(Angle("from x, in which it rises"), default=0.0)
    plane: bool = declare(Flag("false: no plane at z = 0, only the obstacles (a pipe)"), default=True)
    heights: HeightField | None = declare(Part("instead of a plane", of=HeightField), default=None)
    points: int = declare(
        Whole("contact points along a link; 0: two on a plane, closer than the radius on anything else", low=0, high=64), default=0
    )  # fmt: skip
    rolling: float = declare(
        Number("resistance of round links to rolling about their axes: moment over radius and normal force", low=0.0),
        default=0.0,
    )
    restitution: float | None = declare(
        Number("speed after over speed before an impact of a link; instead of damping", low=0.0, high=1.0), default=None
    )

    def check(self) -> None:
        """One point is none; a plane or a height field; one way to say how it damps."""
        if self.rolling > 0.0 and self.model != "capsule":
            raise InputError(f'rolling resistance needs links that roll: model = "capsule", got "{self.model}"')
        if self.restitution is not None and self.damping is not None:
            raise InputError(
                f"a ground has a damping or a restitution, not both; got damping = {self.damping:g}, restitution = {self.restitution:g}"
            )
        if self.points == 1:
            raise InputError("points must be 0 or a whole number from 2 to 64, got 1")
        if self.heights is not None and (self.slope != 0.0 or not self.plane):
            raise InputError("a ground is a plane (with a slope) or a height field, not both")

    @property
    def normal(self) -> FloatArray:
        """Upward normal of the plane."""
        s, c = np.sin(self.slope), np.cos(self.slope)
        return np.array([-s * np.cos(self.slope_direction), -s * np.sin(self.slope_direction), c])


class Obstacle(Description):
    """Something that a robot can touch."""

    NAME: ClassVar[str]
    TAG: ClassVar[str] = "kind"


OBSTACLES = Family("obstacle", tag="kind", home="serpenoid.core.obstacles", base=Obstacle)


def _unit(name: str, value: tuple[float, ...]) -> tuple[float, ...]:
    """A direction as a unit vector; one that is a unit vector already stays as it is."""
    length = float(np.linalg.norm(value))
    if length < 1e-9:
        raise InputError(f"{name} must have a direction, got {value!r}")
    return value if abs(length - 1.0) < 1e-12 else tuple((np.array(value) / length).tolist())


@OBSTACLES.register
@description
class Cylinder(Obstacle):
    """A round bar from `base` along `axis` (a unit vector is made of it), with flat ends."""

    base: tuple[float, ...] = declare(Vector("centre of its foot", "m", size=3))
    radius: float = declare(Number("", "m", above=0.0))
    length: float = declare(Number("", "m", above=0.0))
    axis: tuple[float, ...] = declare(Vector("direction from its foot", size=3), default=(0.0, 0.0, 1.0))

    NAME = "cylinder"

    def check(self) -> None:
        """The axis has a direction."""
        object.__setattr__(self, "axis", _unit("cylinder axis", self.axis))


@OBSTACLES.register
@description
class Box(Obstacle):
    """An upright block, turned about the vertical."""

    centre: tuple[float, ...] = declare(Vector("", "m", size=3))
    size: tuple[float, ...] = declare(
        Vector("along its sides, each > 0", "m", size=3, item=Number(above=0.0, high=1e6))
    )
    yaw: float = declare(Angle("about the vertical"), default=0.0)

    NAME = "box"


@OBSTACLES.register
@description
class Pipe(Obstacle):
    """The inside of a round pipe about the line through `point` along `axis`; it has no ends."""

    point: tuple[float, ...] = declare(Vector("on its axis", "m", size=3))
    radius: float = declare(Number("", "m", above=0.0))
    axis: tuple[float, ...] = declare(Vector("direction", size=3), default=(1.0, 0.0, 0.0))

    NAME = "pipe"

    def check(self) -> None:
        """The axis has a direction."""
        object.__setattr__(self, "axis", _unit("pipe axis", self.axis))
