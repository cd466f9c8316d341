"""The world: gravity, friction, places with other coefficients, ground and obstacles in space."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from serpenoid.core.checks import FloatArray
from serpenoid.core.declare import Description, Part, Parts, declare, description
from serpenoid.core.door import door
from serpenoid.core.errors import InputError
from serpenoid.core.family import Family
from serpenoid.core.friction_map import FrictionMap
from serpenoid.core.obstacles import Anchor, Disc, Grid, Polygon, SelfContact, Surface, Upright, Wall
from serpenoid.core.quantities import Angle, Number, Whole
from serpenoid.core.robot import Robot
from serpenoid.core.several import Numbers, Vector
from serpenoid.core.terrain import OBSTACLES, STEEPEST, Box, Cylinder, Ground, Obstacle, Pipe

__all__ = [
    "LAWS", "LOADS", "Anchor", "Box", "Cylinder", "Disc", "DryFriction", "Friction", "FrictionMap", "Grid", "Load", "Obstacle", "Patch", "Pipe", "Polygon",
    "SelfContact", "Surface", "Upright", "Wall", "World",
]  # fmt: skip

FLOOR = Ground("point", 2e4, 200.0)  # under upright obstacles and anchors where the world has no ground


@description
class Friction(Description):
    """A friction law: `along` the edge forward, `backward` (None: as along), `across` it."""

    along: float = declare(Number("coefficient along the edge, forward", low=0.0))
    across: float = declare(Number("coefficient across the edge", low=0.0))
    backward: float | None = declare(
        Number("coefficient along the edge, backward; none: as forward", low=0.0), default=None
    )

    KIND: ClassVar[int]
    NAME: ClassVar[str]
    TAG: ClassVar[str] = "law"
    DRY: ClassVar[bool] = False  # forces scale with the weight

    def scalars(self) -> FloatArray:
        """Parameter row of the kernel."""
        raise NotImplementedError

    def scalars_in_space(self, world: World) -> FloatArray:
        """Parameter row of the kernel in a world with three dimensions."""
        return self.scalars()

    def sticking(self, weight: FloatArray) -> FloatArray:
        """Static forces along and across (N; negative: as the sliding friction) and their stiffnesses (N/m) under normal forces `weight`, shape (4, n)."""
        return np.zeros((4, len(weight)))


@description
class DryFriction(Friction):
    """A law whose forces are coefficients times the normal force."""

    DRY: ClassVar[bool] = True


LAWS = Family("friction law", tag="law", home="serpenoid.contact", base=Friction)


@description
class Load(Description):
    """A load law: how the weight of a body in the plane is shared among its links (see `contact.load`)."""

    KIND: ClassVar[int]
    NAME: ClassVar[str]
    TAG: ClassVar[str] = "kind"

    @door
    def at_rest(self, robot: Robot) -> FloatArray:
        """Mass that rests on each link of a body at rest, (n,) kg."""
        return robot.link_mass

    @door
    def row(self, robot: Robot) -> FloatArray:
        """Parameter row of the kernel."""
        return np.zeros(1)


LOADS = Family("load law", tag="kind", home="serpenoid.contact", base=Load)


def _usual() -> Friction:
    """The law of a world that names none."""
    law: Friction = LAWS["coulomb"](along=0.1, across=0.5)
    return law


@description
class Patch(Description):
    """A rectangle of the ground with its own coefficients."""

    rectangle: tuple[float, float, float, float] = declare(Vector("x0, y0, x1, y1", "m", size=4))
    along: float = declare(Number("coefficient along the edge, forward", low=0.0))
    across: float = declare(Number("coefficient across the edge", low=0.0))
    backward: float | None = declare(Number("coefficient backward; none: as forward", low=0.0), default=None)

    def check(self) -> None:
        """A rectangle has an area."""
        x0, y0, x1, y1 = self.rectangle
        if x1 <= x0 or y1 <= y0:
            raise InputError(f"patch rectangle must be x0 < x1, y0 < y1, got {self.rectangle}")


@description
class World(Description):
    """What a robot lies on and touches; with a ground, upright obstacles or anchors it has three dimensions, else it is the plane."""

    friction: Friction = declare(Part("between links and ground", of=LAWS), default_factory=_usual)
    gravity: float = declare(Number("", "m/s^2", low=0.0, high=1e6), default=9.81)
    slope: float = declare(
        Angle("of the plane on which a planar robot lies (in space: of the ground)", low=-STEEPEST, high=STEEPEST), default=0.0
    )  # fmt: skip
    slope_direction: float = declare(Angle("from x, in which that plane rises"), default=0.0)
    patches: tuple[Patch, ...] = declare(Parts("places with other coefficients", of=Patch), default=())
    friction_map: FrictionMap | None = declare(
        Part("factors of the coefficients from place to place", of=FrictionMap), default=None
    )
    edge_angle: float | tuple[float, ...] = declare(
        Numbers("by which the friction axes are turned against the link; one or one per link", "rad", item=Angle()), default=0.0
    )  # fmt: skip
    contact_points: int = declare(
        Whole("in the plane, along each link; from 2 on Gauss points that share its load", low=1, high=16), default=1
    )
    load: Load | None = declare(
        Part("in the plane, how the weight is shared; none: each link its own", of=LOADS), default=None
    )
    ground: Ground | None = declare(Part("in three dimensions", of=Ground), default=None)
    obstacles: tuple[Obstacle, ...] = declare(Parts("what stands on it", of=OBSTACLES), default=())
    surface: Surface = declare(Part("of upright obstacles", of=Surface), default=Surface())
    self_contact: SelfContact | None = declare(
        Part("of links with each other; none: they pass through each other", of=SelfContact), default=None
    )
    anchors: tuple[Anchor, ...] = declare(Parts("pins that a command sets", of=Anchor), default=())

    def check(self) -> None:
        """Solid obstacles need a ground, which slopes in space; contact points and loads of the plane are not those of space."""
        self._check_plane()
        if self.ground is None and not all(isinstance(o, Upright) for o in self.obstacles):
            raise InputError("obstacles need a ground in three dimensions: give the world a Ground ([world.ground])")
        if self.slope != 0.0 and self.floor is not None:
            raise InputError(
                f"slope ({self.slope:.4g} rad) tilts the plane of a world without ground, obstacles and anchors; in space give it to the "
                "ground (world.ground.slope, world.ground.slope_direction)"
            )

    @property
    def pressing_gravity(self) -> float:
        """Gravity that presses a planar robot onto the plane, m/s^2: g cos(slope)."""
        return self.gravity * float(np.cos(self.slope)) if self.slope else self.gravity

    @property
    def sliding_gravity(self) -> tuple[float, float]:
        """Gravity along the plane of a planar robot, world axes, m/s^2: g sin(slope), downhill."""
        if not self.slope:
            return 0.0, 0.0
        size = -self.gravity * float(np.sin(self.slope))
        return size * float(np.cos(self.slope_direction)), size * float(np.sin(self.slope_direction))

    def _check_plane(self) -> None:
        """Refuse in space what is of the plane."""
        if self.floor is None:
            return
        if self.contact_points != 1:
            raise InputError(
                f"contact_points = {self.contact_points} is for the plane; in space use ground.points ([world.ground] points)"
            )
        if self.load is not None:
            raise InputError("load is for the plane; in space the ground itself gives the normal forces")

    @property
    def upright(self) -> tuple[Upright, ...]:
        """The obstacles of which only the plan counts."""
        return tuple(o for o in self.obstacles if isinstance(o, Upright))

    @property
    def floor(self) -> Ground | None:
        """The ground in three dimensions: as given, level under upright obstacles or anchors, none in the plane."""
        if self.ground is None and (self.obstacles or self.anchors):
            return FLOOR
        return self.ground
