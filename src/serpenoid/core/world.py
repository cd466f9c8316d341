"""The world a robot moves in: gravity, friction, patches of other ground, ground and obstacles in space."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from serpenoid.core.checks import FloatArray, per_item
from serpenoid.core.errors import InputError
from serpenoid.core.terrain import Ground, Obstacle


@dataclass(frozen=True)
class Friction:
    """A friction law: `along` the edge forward, `backward` (None: as along), `across` it."""

    along: float
    across: float
    backward: float | None = None

    KIND: ClassVar[int]
    NAME: ClassVar[str]
    DRY: ClassVar[bool] = False  # forces scale with the weight

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if value is None and name in ("backward", "static_along", "static_across", "critical_speed"):
                continue
            positive = name in ("smoothing", "reference_step", "critical_speed")
            per_item(f"friction {name}", value, 1, 0.0, strict=positive)

    def scalars(self) -> FloatArray:
        """Parameter row of the kernel."""
        raise NotImplementedError

    def sticking(self, weight: FloatArray) -> FloatArray:
        """Static forces along and across (N) and their stiffnesses (N/m) under normal forces `weight`, shape (4, n)."""
        return np.zeros((4, len(weight)))


@dataclass(frozen=True)
class DryFriction(Friction):
    """A law whose forces are coefficients times the normal force."""

    DRY: ClassVar[bool] = True


@dataclass(frozen=True)
class Patch:
    """A rectangle (x0, y0, x1, y1) of the ground with its own coefficients."""

    rectangle: tuple[float, float, float, float]
    along: float
    across: float
    backward: float | None = None

    def __post_init__(self) -> None:
        x0, y0, x1, y1 = per_item("patch rectangle", self.rectangle, 4, -np.inf)
        if x1 <= x0 or y1 <= y0:
            raise InputError(f"patch rectangle must be x0 < x1, y0 < y1, got {self.rectangle}")
        for name in ("along", "across", "backward"):
            if getattr(self, name) is not None:
                per_item(f"patch {name}", getattr(self, name), 1, 0.0)


@dataclass(frozen=True)
class World:
    """The ground a robot lies on; `edge_angle` turns the friction axes against the link, in rad, one or one a link."""

    friction: Friction
    gravity: float = 9.81  # m/s^2
    patches: tuple[Patch, ...] = ()
    edge_angle: float | tuple[float, ...] = 0.0
    ground: Ground | None = None  # given: three dimensions
    obstacles: tuple[Obstacle, ...] = ()

    def __post_init__(self) -> None:
        per_item("gravity", self.gravity, 1, 0.0)
        if not isinstance(self.friction, Friction):
            raise InputError(f"friction must be a law of serpenoid.contact, got {self.friction!r}")
        if not all(isinstance(patch, Patch) for patch in self.patches):
            raise InputError("patches must be a tuple of Patch")
        if self.obstacles and self.ground is None:
            raise InputError("obstacles need a ground in three dimensions: give the world a Ground")
