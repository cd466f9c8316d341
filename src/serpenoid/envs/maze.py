"""`Maze`: through a maze drawn anew in each episode, with creeping friction; the way is observed as a direction, walls as forces on the links.

The maze is a spanning tree over `cells` x `cells` squares (depth-first search with random choices), entered from a corridor at the left in
which the body lies at the start; the goal is the square that is farthest by the way through the maze.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from serpenoid.contact import Coulomb
from serpenoid.core import FloatArray, Robot, Start, World
from serpenoid.core.declare import declare, description
from serpenoid.core.obstacles import Wall
from serpenoid.core.quantities import Number, Whole
from serpenoid.core.terrain import Ground
from serpenoid.envs.plane import apart
from serpenoid.envs.space import RADIUS
from serpenoid.envs.task import HASTE, SERVO, SMOOTHING, STEP, Draw, Task, ahead_left
from serpenoid.robots import rods
from serpenoid.simulation.fleet import Sensed

THICKNESS = 0.02  # body lengths, of walls
LOOK = 0.5  # cells: how far ahead on the way the direction points
Place = tuple[int, int]


def tree_of(count: int, first: Place, rng: np.random.Generator) -> dict[Place, Place]:
    """A spanning tree over squares: the square from which each one is entered."""
    parent: dict[Place, Place] = {first: first}
    stack = [first]
    while stack:
        x, y = stack[-1]
        near = [(x + 1, y), (x, y + 1), (x - 1, y), (x, y - 1)]
        free = [p for p in near if 0 <= p[0] < count and 0 <= p[1] < count and p not in parent]
        if not free:
            stack.pop()
            continue
        place = free[int(rng.integers(len(free)))]
        parent[place] = (x, y)
        stack.append(place)
    return parent


def way_to(parent: dict[Place, Place], place: Place) -> list[Place]:
    """Squares from the first one to a place."""
    way = [place]
    while parent[way[-1]] != way[-1]:
        way.append(parent[way[-1]])
    return way[::-1]


def bars(count: int, parent: dict[Place, Place], first: Place) -> list[tuple[Place, Place]]:
    """Walls between lattice points: all sides of squares that are not passed, but for the way in at the left of the first square."""
    open_ = {frozenset(pair) for pair in parent.items()}
    made = []
    for x in range(count + 1):
        for y in range(count):
            passed = frozenset([(x - 1, y), (x, y)]) in open_ if 0 < x < count else False
            if not passed and not (x == 0 and y == first[1]):
                made.append(((x, y), (x, y + 1)))
            passed = frozenset([(y, x - 1), (y, x)]) in open_ if 0 < x < count else False
            if not passed:
                made.append(((y, x), (y + 1, x)))
    return made


@description
class MazeTask(Task):
    """Get the head through a maze to its farthest square."""

    step: float = declare(STEP, default=2.5e-3)
    haste: float = declare(HASTE, default=0.005)
    cells: int = declare(Whole("squares along each side", low=2, high=10), default=3)
    cell: float = declare(Number("side of a square, in body lengths", low=0.2, high=5.0), default=0.6)
    along: float = declare(Number("friction along the links", low=0.0, high=10.0), default=0.05)
    across: float = declare(Number("friction across the links", low=0.0, high=10.0), default=0.5)

    NAME: ClassVar[str] = "Maze"
    HORIZON: ClassVar[int] = 800

    @cached_property
    def robot(self) -> Robot:
        """A chain of round rods with servos."""
        return rods(self.links, self.length, self.mass, radius=RADIUS * self.length, servo=SERVO)

    def draw(self, rng: np.random.Generator) -> Draw:
        """A maze whose way in begins at the head of the body; the goal is the way from there, point by point."""
        count, side, long = self.cells, self.cell * self.length, 1.15 * self.length
        first = (0, int(rng.integers(count)))
        parent = tree_of(count, first, rng)
        low = np.array([0.0, -(first[1] + 0.5) * side])
        ways = [way_to(parent, place) for place in sorted(parent)]
        way = max(ways, key=len)
        walls = [self._wall(low + side * np.array(a), low + side * np.array(b)) for a, b in bars(count, parent, first)]
        half = 0.5 * side
        walls += [self._wall(np.array([-long, y]), np.array([0.0, y])) for y in (-half, half)]
        walls.append(self._wall(np.array([-long, -half]), np.array([-long, half])))
        points = [np.array([-0.5 * self.length, 0.0]), *(low + side * (np.array(place) + 0.5) for place in way)]
        points += [points[-1]] * (count * count + 1 - len(points))
        world = World(
            Coulomb(self.along, self.across, smoothing=SMOOTHING), obstacles=tuple(walls), ground=Ground("point", 2e4, 200.0)
        )  # fmt: skip
        start = Start(position=(-1.05 * self.length, 0.0), angles=tuple((0.5 * np.array(self.posture(rng))).tolist()))
        return Draw(world, start, np.array(points).ravel())

    def _wall(self, a: FloatArray, b: FloatArray) -> Any:
        thick = THICKNESS * self.length
        more = 0.5 * thick * (b - a) / np.abs(b - a).max()  # so that walls close their corners
        begin, end = a - more, b + more
        return Wall((float(begin[0]), float(begin[1])), (float(end[0]), float(end[1])), thick)

    @property
    def layout(self) -> tuple[tuple[str, int], ...]:
        """What is observed, in order."""
        return (
            *super().layout, ("way ahead of the head: ahead and to the left (body lengths)", 2),
            ("way left (body lengths)", 1), ("sideways force of walls on each link, to the left (weights of the robot)", self.links),
        )  # fmt: skip

    def observation(self, sensed: Sensed, goals: FloatArray) -> FloatArray:
        """What the robots observe."""
        way = Ways(goals)
        done = way.along(sensed.tip)
        there = ahead_left(way.place(done + LOOK * self.cell * self.length) - sensed.tip[:, :2], sensed.tip_way)
        felt = sensed.walls / (self.weight / self.length)
        rest = (way.total - done)[:, None]
        return np.concatenate([super().observation(sensed, goals), there / self.length, rest / self.length, felt], axis=1)  # fmt: skip

    def progress(self, before: Sensed, now: Sensed, goals: FloatArray) -> FloatArray:
        """How far the heads came along the way, m."""
        way = Ways(goals)
        return way.along(now.tip) - way.along(before.tip)

    def reached(self, now: Sensed, goals: FloatArray) -> np.ndarray:
        """Which heads are near the middle of the last square."""
        return apart(now.tip, goals[:, -2:]) < 0.4 * self.cell * self.length

    def target(self, goal: FloatArray) -> FloatArray | None:
        """The last square."""
        return goal[-2:]


class Ways:
    """Polylines (robots, points, 2), each with its last point repeated; what is summed is summed in one order for every robot."""

    def __init__(self, goals: FloatArray) -> None:
        points = goals.reshape(len(goals), -1, 2)
        self.begin, self.piece = points[:, :-1], points[:, 1:] - points[:, :-1]
        x, y = self.piece[..., 0], self.piece[..., 1]
        self.size = np.sqrt(x * x + y * y)
        ends = np.cumsum(self.size, axis=1)
        self.total, self.before = ends[:, -1], ends - self.size

    def along(self, places: FloatArray) -> FloatArray:
        """Arc length of the points of the ways that are nearest to places (robots, 2 or more), m."""
        from_x, from_y = places[:, :1] - self.begin[..., 0], places[:, 1:2] - self.begin[..., 1]
        x, y = self.piece[..., 0], self.piece[..., 1]
        share = np.clip((from_x * x + from_y * y) / np.maximum(self.size * self.size, 1e-12), 0.0, 1.0)
        off_x, off_y = from_x - share * x, from_y - share * y
        nearest = np.argmin(off_x * off_x + off_y * off_y, axis=1)
        row = np.arange(len(places))
        return np.asarray(self.before[row, nearest] + share[row, nearest] * self.size[row, nearest])

    def place(self, along: FloatArray) -> FloatArray:
        """Points of the ways at arc lengths (robots,), (robots, 2) m."""
        made = self.begin[:, 0].copy()
        for k in range(self.piece.shape[1]):
            share = np.clip((along - self.before[:, k]) / np.maximum(self.size[:, k], 1e-12), 0.0, 1.0)
            made += share[:, None] * self.piece[:, k]
        return made
