"""Friction that varies from place to place: factors of the law's coefficients on a grid, in the plane and in space.

    mu(x, y) = factor(x, y) mu          bilinear between the nodes; beyond the grid its edge goes on

`along` is the factor of the coefficients forward and backward, `across` that of the other (none: the same). For the viscous law it is the
factor of its coefficients, for a law of one's own that of the load it is handed. Patches lie on the map and replace it; walls have their
own friction. A step takes the friction of the place that it is predicted to reach.

From a function: `FrictionMap.sampled`, which checks that the grid is fine enough. From a picture or a table: the key `file` of a scenario.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from serpenoid.core.checks import FloatArray
from serpenoid.core.declare import Description, declare, description
from serpenoid.core.door import door
from serpenoid.core.errors import InputError
from serpenoid.core.quantities import Number
from serpenoid.core.several import Array, Vector
from serpenoid.core.theirs import theirs

MOST_NODES = 1_000_000


@description(eq=False)
class FrictionMap(Description):
    """Factors (ny, nx) of the friction coefficients on a grid with spacing `cell`, the first node at `origin` (x, y)."""

    along: FloatArray = declare(Array("factors along the edge; rows along y, columns along x", ndim=2, least=2))
    cell: float = declare(Number("distance of the grid's nodes", "m", above=0.0))
    origin: tuple[float, float] = declare(Vector("place of the first node", "m"), default=(0.0, 0.0))
    across: FloatArray | None = declare(Array("factors across the edge; none: as along", ndim=2, least=2), default=None)

    def check(self) -> None:
        """Factors are not negative, and both grids are the same."""
        for name in ("along", "across"):
            factors = getattr(self, name)
            if factors is not None and factors.min() < 0.0:
                raise InputError(f"friction map: {name} must be >= 0 everywhere, the least is {factors.min():g}")
        if self.across is not None and self.across.shape != self.along.shape:
            raise InputError(
                f"friction map: along and across need equal grids, got {self.along.shape} and {self.across.shape}"
            )
        if self.along.size > MOST_NODES:
            raise InputError(f"friction map: at most {MOST_NODES} nodes, got {self.along.size}")

    @classmethod
    @door(cell=Number(above=0.0))
    def sampled(
        cls,
        factor: Callable[[float, float], float | tuple[float, float]],
        low: tuple[float, float],
        high: tuple[float, float],
        cell: float,
        tolerance: float | None = 0.01,
    ) -> FrictionMap:
        """The map of a function of x and y (m), one factor or (along, across), sampled every `cell` m between two corners.

        Refused where the grid misses the function, in the middle of its cells, by more than `tolerance` of its greatest value; None: not checked.
        """
        x, y = (np.arange(a, b + 0.5 * cell, cell) for a, b in zip(low, high, strict=True))
        if x.size * y.size > MOST_NODES:
            raise InputError(f"friction map: at most {MOST_NODES} nodes, got {x.size * y.size}; use a larger cell")
        nodes = _values(factor, x, y)
        made = cls(nodes[..., 0], cell, low, nodes[..., 1] if np.any(nodes[..., 1] != nodes[..., 0]) else None)
        if tolerance is not None:
            middle = 0.25 * (nodes[1:, 1:] + nodes[1:, :-1] + nodes[:-1, 1:] + nodes[:-1, :-1])
            missed = float(np.abs(_values(factor, x[:-1] + 0.5 * cell, y[:-1] + 0.5 * cell) - middle).max())
            if missed > tolerance * float(np.abs(nodes).max()):
                raise InputError(
                    f"a grid of {cell:g} m misses the function by up to {missed:.3g}; use a smaller cell, or tolerance=None to take it so"
                )
        return made

    @property
    def most(self) -> float:
        """Greatest factor."""
        return float(max(self.along.max(), 0.0 if self.across is None else self.across.max()))

    def row(self) -> FloatArray:
        """What the kernels read: nx, ny, origin, cell, factors along, factors across, in one row."""
        ny, nx = self.along.shape
        across = self.along if self.across is None else self.across
        return np.concatenate([[nx, ny, *self.origin, self.cell], self.along.ravel(), across.ravel()])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, FrictionMap):
            return NotImplemented
        return np.array_equal(self.row(), other.row())

    def __hash__(self) -> int:
        return hash(self.row().tobytes())


def _values(factor: Callable[[float, float], float | tuple[float, float]], x: FloatArray, y: FloatArray) -> FloatArray:
    """Factors along and across (ny, nx, 2) of a function."""
    with theirs("factor, which must be a function of x and y (m) that gives one factor or two,", factor):
        return np.array([[np.broadcast_to(factor(float(u), float(v)), 2) for u in x] for v in y], dtype=float)
