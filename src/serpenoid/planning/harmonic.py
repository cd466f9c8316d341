"""A field without local minima: Laplace's equation on a map, solved directly.

    Phi(i,j) = (Phi(i+1,j) + Phi(i-1,j) + Phi(i,j+1) + Phi(i,j-1)) / 4,    walls Phi = 1, goals Phi = 0        (2)

Solved is u = 1 - Phi (walls 0, goals 1): far from the goal Phi is 1 to all digits of a double, while u keeps its relative accuracy.
Where u itself leaves the range of a double, u = 2^-e w with whole numbers e (see `scaling`): an exact similarity of the matrix. Within the
range dense fronts eliminate the symmetric matrix (`fronts`); beyond it SuperLU takes the scaled one (`dissection`).

| symbol | meaning | unit |
|---|---|---|
| u, w, e | 1 - Phi; its significand and exponent, u = 2^-e w | - |
| goals | nodes with u = 1 | |
| source | with reflecting walls (no flow through them), the node with u = 0 | |

Source: a published fragment on path planning for snake-like robots, author and year unknown; equation numbers are its own. Its boundary
values are lost; these are the usual ones. Reflecting walls need a source, for without one u = 1 everywhere.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from serpenoid.core.checks import FloatArray
from serpenoid.core.door import FiniteNumbers, door
from serpenoid.core.errors import InputError, NumericalError
from serpenoid.planning.descent import blend
from serpenoid.planning.dissection import IntArray, solve_sparse
from serpenoid.planning.fronts import solve_fronts
from serpenoid.planning.maps import NEIGHBOURS, BoolArray, Map
from serpenoid.planning.scaling import rates, rough_decay
from serpenoid.planning.shortest import grid_distances

WALLS = ("dirichlet", "neumann")
RANGE = 900  # bits: w outside 2^-900 .. 2^900 is near the end of a double's range
SOLVES = 12  # at most, until the exponents are near


@dataclass(frozen=True, eq=False)
class HarmonicField:
    """u = 2^-e w on the nodes of a map that connect to a goal."""

    map: Map
    goals: IntArray  # (k, 2) nodes
    ends: FloatArray  # (k, 2) m, the goals as given
    reach: BoolArray  # (nx, ny) nodes that connect to a goal, goals among them
    w: FloatArray  # (nx, ny)
    e: IntArray  # (nx, ny)
    walls: str = "dirichlet"
    source: tuple[int, int] | None = None
    solves: int = 1  # linear solves that were needed

    @functools.cached_property
    def u(self) -> FloatArray:
        """u = 1 - Phi, (nx, ny); 0 where it is below the range of a double."""
        return np.ldexp(self.w, -self.e)

    @functools.cached_property
    def ln_u(self) -> FloatArray:
        """Natural logarithm of u, (nx, ny); -inf in walls and where no goal is reached."""
        with np.errstate(divide="ignore"):
            return np.where(self.reach, np.log(self.w) - self.e * np.log(2.0), -np.inf)

    @door(point=FiniteNumbers(width=2, dims=(1,)))
    def ln_u_at(self, point: ArrayLike) -> float:
        """Natural logarithm of u at a point (m), blended from the nodes round it; -inf where no goal is reached."""
        i, j = self.map.node("point", point)
        if not self.reach[i, j]:
            return -np.inf
        x, y = np.asarray(point, dtype=float) / self.map.cell
        u = blend(self.w, self.e, self.reach, self.walls == "neumann", x, y, self.e[i, j])[0]
        return float(np.log(u) - self.e[i, j] * np.log(2.0)) if u > 0.0 else -np.inf

    def residual(self) -> tuple[float, float]:
        """Largest residual of (2): of u itself, and relative to the u of its node."""
        own, around = self.w, np.zeros_like(self.w)
        for di, dj in NEIGHBOURS:
            other = np.roll(self.w, (-di, -dj), (0, 1))
            shift = self.e - np.roll(self.e, (-di, -dj), (0, 1))
            wall = ~np.roll(self.reach, (-di, -dj), (0, 1))
            around += np.where(wall, own if self.walls == "neumann" else 0.0, np.ldexp(other, np.where(wall, 0, shift)))
        inner = _unknown(self.reach, self.goals, self.source)
        if not inner.any():
            return 0.0, 0.0
        gap = np.abs(0.25 * around[inner] - own[inner])
        return float(np.ldexp(gap, -self.e[inner]).max()), float((gap / own[inner]).max())


def _unknown(reach: BoolArray, goals: IntArray, source: tuple[int, int] | None) -> BoolArray:
    """Nodes at which u is sought."""
    inside = reach.copy()
    inside[goals[:, 0], goals[:, 1]] = False
    if source is not None:
        inside[source] = False
    return inside


def goal_nodes(area: Map, goal: ArrayLike) -> tuple[IntArray, FloatArray]:
    """Nodes (k, 2) and points (k, 2) of one goal or several."""
    try:
        ends = np.atleast_2d(np.asarray(goal, dtype=float))
    except (TypeError, ValueError) as error:
        raise InputError(f"goal must be x, y in {area.unit}, or a list of such, got {goal!r}") from error
    if ends.ndim != 2 or ends.shape[1] != 2 or not len(ends):
        raise InputError(f"goal must be x, y in {area.unit}, or a list of such, got {goal!r}")
    nodes = np.array([area.node("goal", end) for end in ends])
    _, first = np.unique(nodes, axis=0, return_index=True)
    return nodes[np.sort(first)], ends[np.sort(first)]


def reachable(area: Map, goals: IntArray) -> BoolArray:
    """Nodes that connect to a goal through the four sides of free cells, (nx, ny)."""
    from scipy.ndimage import label

    rooms, _ = label(area.free)
    if len(goals) == 1:
        return rooms == rooms[goals[0, 0], goals[0, 1]]
    return np.isin(rooms, rooms[goals[:, 0], goals[:, 1]])


@door
def solve(area: Map, goal: ArrayLike, walls: str = "dirichlet", source: ArrayLike | None = None) -> HarmonicField:
    """The field of a map towards one goal or several (m); `walls` hold u = 0 ("dirichlet") or reflect ("neumann", with a source)."""
    if walls not in WALLS:
        raise InputError(f"walls must be one of {', '.join(WALLS)}, got {walls!r}")
    goals, ends = goal_nodes(area, goal)
    reach = reachable(area, goals)
    spring = None
    degree = np.full(reach.shape, 4)
    if walls == "neumann":
        if source is None:
            raise InputError("reflecting walls need a source: give the start, for without one the field is constant")
        spring = area.node("source", source)
        if not reach[spring]:
            place = area.place_text(np.array(spring) * area.cell)
            raise InputError(f"the source {place} does not connect to the goal")
        if (goals == spring).all(axis=1).any():
            raise InputError("source and goal lie in one cell")
        degree = sum(np.roll(reach, shift, (0, 1)).astype(int) for shift in NEIGHBOURS)  # type: ignore[assignment]
    w, e, solves = _solved(reach, degree, goals, spring, area)
    return HarmonicField(area, goals, ends, reach, w, e, walls, spring, solves)


def _solved(
    reach: BoolArray, degree: IntArray, goals: IntArray, spring: tuple[int, int] | None, area: Map
) -> tuple[FloatArray, IntArray, int]:
    """w, e and the number of solves: with estimated exponents where u may leave the range, corrected until w is within it."""
    inside = _unknown(reach, goals, spring)
    e = np.zeros(reach.shape, np.int64)
    bits = np.zeros(reach.shape)
    if spring is None:
        rate = rates(area.width / area.cell)
        if rough_decay(reach, rate, goals) > RANGE:
            bits = grid_distances(rate, reach, goals, 0.5, False)  # the shortest way weighted by the rate
            e = np.where(reach, np.rint(np.where(reach, bits, 0.0)), 0).astype(np.int64)
    for attempt in range(1, SOLVES + 1):
        w = solve_sparse(inside, degree, goals, e) if e.any() else solve_fronts(inside, degree, goals)
        if spring is not None:  # it falls in steps of its own size, not by powers; behind the source it is 0
            return np.where(inside, np.clip(w, 0.0, 1.0), w), e, attempt
        size = np.zeros(reach.shape)
        np.log2(w, where=inside & (w > 0.0), out=size)
        good = np.isfinite(w) & ((w > 0.0) | ~inside) & (np.abs(size) < RANGE)
        if good[inside].all():
            return w, e, attempt
        e = _corrected(e, size, inside & good, inside)
    raise NumericalError(f"the field spans too many powers of two: no exponents found in {SOLVES} solves")


def _corrected(e: IntArray, size: FloatArray, good: BoolArray, inside: BoolArray) -> IntArray:
    """Exponents that agree with w where it is in range, and go on beyond with the rate seen there."""
    found = np.where(good, e - size, 0.0)
    if e.any():
        seen = good & (e > 0.5 * e[good].max())
        ratio = float(np.median(found[seen] / e[seen]))
    else:
        return np.where(inside, np.rint(np.where(good, -size, RANGE)), 0).astype(np.int64)
    return np.where(inside, np.rint(np.where(good, found, ratio * e)), 0).astype(np.int64)
