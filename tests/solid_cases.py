"""An independent check of links against walls, by shapely: random yards of thin walls, random maps, and how deep links are in them."""

from __future__ import annotations

from typing import Any

import numpy as np
import shapely

import serpenoid as sp
from serpenoid.core.errors import InputError
from serpenoid.gaits.concertina import Posture
from serpenoid.gaits.concertina_legs import Leg
from serpenoid.planning import ConcertinaSolution, Map, PathPlan, Wall, maps

THICK = 0.2  # L: of the walls of a yard
START = shapely.LineString(Posture().nodes())
MOVE = 2e-3  # L: no node moves farther from one posture that is checked to the next
TOUCH = 2e-6  # L: links that are no deeper are in touch
BEYOND = 12  # cells of its border that are added round a map
ROBOTS = ("ms1", "ms2", "ma2001", "rods")


def yard(seed: int, half_width: float) -> tuple[tuple[Wall, ...], tuple[float, float]]:
    """Thin walls clear of the start, and a target in the free."""
    rng = np.random.default_rng(seed)
    count, span, found = int(rng.integers(6, 22)), rng.uniform(4.0, 9.0), []
    while len(found) < count:
        middle = np.array([rng.uniform(0.0, 2.0 * span), rng.uniform(-span, span)])
        angle, half = rng.uniform(0.0, np.pi), 0.5 * rng.uniform(0.5, 4.0)
        way = half * np.array([np.cos(angle), np.sin(angle)])
        (ax, ay), (bx, by) = (middle - way).tolist(), (middle + way).tolist()
        item = Wall((ax, ay), (bx, by), THICK)
        if shapely.Polygon(item.corners).distance(START) > half_width + 1e-3:
            found.append(item)
    solid = shapely.union_all([shapely.Polygon(item.corners) for item in found])
    while True:
        x, y = rng.uniform([0.0, -span], [2.0 * span, span]).tolist()
        if solid.distance(shapely.Point(x, y)) > half_width + 0.02:
            return tuple(found), (x, y)


def postures(leg: Leg) -> np.ndarray:
    """Nodes (k, 8, 2) of a leg, so many that none moves far between two of them."""
    s = np.unique(np.concatenate([leg.knots, np.linspace(0.0, 1.0, 50)]))
    for _ in range(12):
        nodes = leg.nodes(s)
        far = np.linalg.norm(np.diff(nodes, axis=0), axis=2).max(axis=1) > MOVE
        if not far.any():
            break
        s = np.unique(np.concatenate([s, 0.5 * (s[1:] + s[:-1])[far]]))
    return leg.nodes(s)


def lines_of(nodes: np.ndarray) -> np.ndarray:
    """Axes of all links of postures (k, n + 1, 2), as lines."""
    return np.asarray(shapely.linestrings(np.stack([nodes[:, :-1], nodes[:, 1:]], axis=2).reshape(-1, 2, 2)))


def entered(made: ConcertinaSolution) -> list[tuple[int, int]]:
    """Leg and wall of all links that are in a wall by more than TOUCH at some instant."""
    wide = made.half_width - TOUCH
    walls = [
        shapely.Polygon(item.corners).buffer(wide, quad_segs=64, join_style="round" if wide > 0.0 else "mitre")
        for item in made.obstacles
    ]
    tree, found = shapely.STRtree(walls), set()
    for number, leg in enumerate(made.legs):
        _, hit = tree.query(lines_of(postures(leg)), predicate="intersects")
        found |= {(number, int(wall)) for wall in hit}
    return sorted(found)


def random_map(rng: np.random.Generator, cell: float) -> Map:
    """A closed room with bars."""
    walls = np.zeros((int(rng.integers(30, 70)), int(rng.integers(25, 50))), bool)
    walls[[0, -1]] = walls[:, [0, -1]] = True
    for _ in range(int(rng.integers(2, 9))):
        size = [int(rng.integers(4, 25)), int(rng.integers(1, 4))]
        along, across = size if rng.random() < 0.5 else size[::-1]
        i, j = (int(rng.integers(1, n - 1)) for n in walls.shape)
        walls[i : i + along, j : j + across] = True
    return maps.from_array(walls, cell)


def random_maze(rng: np.random.Generator, cell: float, width: int) -> Map:
    """Corridors of some cells, with walls of one between them, that reach every room."""
    n, m, pitch = int(rng.integers(3, 6)), int(rng.integers(3, 5)), width + 1
    walls = np.ones((n * pitch + 1, m * pitch + 1), bool)
    inner = [[slice(k * pitch + 1, (k + 1) * pitch) for k in range(max(n, m))]] * 2
    stack, seen = [(0, 0)], {(0, 0)}
    walls[inner[0][0], inner[1][0]] = False
    while stack:
        i, j = stack[-1]
        near = [(i + 1, j), (i - 1, j), (i, j + 1), (i, j - 1)]
        near = [(a, b) for a, b in near if 0 <= a < n and 0 <= b < m and (a, b) not in seen]
        if not near:
            stack.pop()
            continue
        a, b = near[int(rng.integers(len(near)))]
        seen.add((a, b))
        stack.append((a, b))
        walls[inner[0][a], inner[1][b]] = False
        if a != i:
            walls[max(a, i) * pitch, inner[1][j]] = False
        else:
            walls[inner[0][i], max(b, j) * pitch] = False
    return maps.from_array(walls, cell)


def passage(seed: int, execute: str) -> tuple[sp.Robot, PathPlan] | None:
    """A robot, and a plan through a random map with cells of any size that leaves room for it; None: there is none."""
    rng = np.random.default_rng(seed)
    name = ROBOTS[int(rng.integers(len(ROBOTS)))]
    if name == "rods":
        n, link = int(rng.integers(4, 12)), float(rng.uniform(0.05, 0.4))
        robot = sp.robots.rods(n, n * link, float(n), radius=link * float(rng.uniform(0.05, 0.25)))
    elif name == "ma2001":
        robot = sp.robots.ma2001(links=int(rng.integers(4, 10)))
        robot = robot.but(radius=0.1 * float(robot.link_length.mean()))
    else:
        robot = getattr(sp.robots, name)()
    link = float(robot.link_length.mean())
    if rng.random() < 0.7:
        width = int(rng.integers(4, 14))
        area = random_maze(rng, link * float(rng.uniform(1.2, 3.5)) / width, width)
    else:
        area = random_map(rng, link / float(np.exp(rng.uniform(np.log(1.1), np.log(15.0)))))
    try:
        free = np.argwhere(area.grown(float(robot.radius.max())).free) * area.cell
    except InputError:
        return None
    pairs = free[rng.integers(len(free), size=(12, 2))]
    start, goal = pairs[np.argmax(np.hypot(*(pairs[:, 0] - pairs[:, 1]).T))].tolist()
    return robot, PathPlan(area, start=tuple(start), goals=(tuple(goal),), execute=execute)


def solid_of(area: Map) -> shapely.Geometry:
    """The solid cells of a map as one shape; its border goes on beyond it."""
    i, j = np.argwhere(np.pad(area.solid, BEYOND, mode="edge")).T - BEYOND
    cell = area.cell
    return shapely.union_all(shapely.box((i - 0.5) * cell, (j - 0.5) * cell, (i + 0.5) * cell, (j + 0.5) * cell))


def deepest(run: Any, solid: shapely.Geometry, half_width: float) -> float:
    """How far a link of any frame is in the solid, by its border; where its axis is inside, by the deepest point of that."""
    lines = lines_of(run["node"][:, :, :2])
    shapely.prepare(solid)
    near = lines[shapely.dwithin(lines, solid, half_width)]
    within = shapely.intersects(near, solid)
    depth = float(np.max(half_width - shapely.distance(near[~within], solid), initial=0.0))
    for line in near[within]:
        places = shapely.points(np.linspace(*np.array(line.coords), 41))
        places = places[shapely.intersects(places, solid)]
        depth = max(
            depth, half_width, half_width + float(np.max(shapely.distance(places, solid.boundary), initial=0.0))
        )
    return depth
