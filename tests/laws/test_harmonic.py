"""The field: long double, closed forms, maximum principle, no local minimum; the path: reference numbers, walls, gaps, corridors."""

from __future__ import annotations

import numpy as np
import pytest

from serpenoid.planning import HarmonicField, Map, curvature_limit, find_path, harmonic, maps, path_from, solve
from serpenoid.planning.dissection import solve_sparse
from serpenoid.planning.fronts import solve_fronts
from serpenoid.planning.smoothing import all_clear
from serpenoid.robots import rods

RELATIVE = 1e-12  # of u: what the requirement asks
RESIDUAL = 1e-14  # of (2) relative to u: some tens of roundings
START, GOAL = (6.0, 8.0), (54.0, 52.0)


@pytest.fixture(scope="module")
def field() -> HarmonicField:
    return solve(maps.read("two-walls"), GOAL)


def long_double(unknown: np.ndarray, goal: tuple[int, int]) -> np.ndarray:
    """u by banded elimination in long double, every node a row (walls: u = 0)."""
    nx, ny = unknown.shape
    inside = unknown.ravel()
    upper = np.zeros((nx * ny, ny + 1), np.longdouble)
    upper[:, 0] = np.where(inside, 4, 1)
    for shift in (1, ny):
        both = inside[:-shift] & inside[shift:]
        upper[:-shift, shift][both] = -1
    u = np.zeros(nx * ny, np.longdouble)
    centre = goal[0] * ny + goal[1]
    for shift in (1, -1, ny, -ny):
        u[centre + shift] = inside[centre + shift]
    for k in np.flatnonzero(inside):
        row = upper[k, : min(ny, nx * ny - 1 - k) + 1]
        share = row / row[0]
        for d in np.flatnonzero(row[1:]) + 1:
            upper[k + d, : len(row) - d] -= share[d] * row[d:]
            u[k + d] -= share[d] * u[k]
    for k in range(nx * ny - 1, -1, -1):
        ahead = min(ny, nx * ny - 1 - k)
        u[k] = (u[k] - (upper[k, 1 : ahead + 1] * u[k + 1 : k + ahead + 1]).sum()) / upper[k, 0]
    u[centre] = 1
    return u.reshape(nx, ny)


def corridor(length: int, width: int = 5) -> Map:
    walls = np.ones((length + 2, width + 2), bool)
    walls[1:-1, 1:-1] = False
    return Map(walls)


def serpentine(rows: int, length: int, width: int = 5) -> Map:
    pitch = width + 1
    walls = np.ones((length + 2, pitch * rows + 1), bool)
    for r in range(rows):
        walls[1:-1, pitch * r + 1 : pitch * (r + 1)] = False
        if r < rows - 1:
            walls[slice(length - width + 1, length + 1) if r % 2 == 0 else slice(1, width + 1), pitch * (r + 1)] = False
    return Map(walls)


def in_walls(area: Map, points: np.ndarray) -> int:
    i, j = np.floor(points / area.cell + 0.5).astype(int).T
    return int(area.solid[i, j].sum())


def test_two_walls_as_in_the_reference(field: HarmonicField) -> None:
    assert abs(field.u[6, 8] / 2.6775e-10 - 1.0) < 1e-4
    assert field.residual()[0] < 1e-15 and field.residual()[1] < RESIDUAL
    path = path_from(field, START)
    assert path.status == "reached" and len(path.points) == 244
    assert abs(path.length / 121.3 - 1.0) < 1e-3 and abs(path.min_clearance / 4.85 - 1.0) < 2e-3
    assert path.u_start == pytest.approx(field.u[6, 8], rel=1e-12)
    assert np.array_equal(path.points[-1], GOAL) and np.array_equal(path.points[0], START)


def test_relative_accuracy_against_long_double(field: HarmonicField) -> None:
    unknown = field.reach.copy()
    unknown[54, 52] = False
    exact = long_double(unknown, (54, 52))
    four, zero = np.full(unknown.shape, 4), np.zeros(unknown.shape, np.int64)
    for u in (field.u, solve_fronts(unknown, four, field.goals), solve_sparse(unknown, four, field.goals, zero)):
        assert np.abs(u[unknown] / exact[unknown] - 1.0).max() < RELATIVE
    assert exact[unknown].min() < 1e-11


def test_scaling_is_an_exact_similarity(field: HarmonicField) -> None:
    """Any exponents give the same u; w alone changes."""
    unknown = field.reach.copy()
    unknown[54, 52] = False
    e = np.where(unknown, 3 * np.arange(61)[:, None] - 2 * np.arange(61), 0)
    w = solve_sparse(unknown, np.full(unknown.shape, 4), field.goals, e)
    assert np.abs(np.ldexp(w, -e)[unknown] / field.u[unknown] - 1.0).max() < RELATIVE
    assert np.log2(w[unknown]).max() > 100.0


def test_maximum_principle(field: HarmonicField) -> None:
    """Every free node but the goal has a neighbour with a larger u and one with a smaller."""
    u = np.pad(field.ln_u, 1, constant_values=-np.inf)
    around = np.stack([np.roll(u, s, (0, 1))[1:-1, 1:-1] for s in ((1, 0), (-1, 0), (0, 1), (0, -1))])
    inner = field.reach.copy()
    inner[54, 52] = False
    assert (around.max(axis=0) > field.ln_u)[inner].all() and (around.min(axis=0) < field.ln_u)[inner].all()


@pytest.mark.parametrize("length", [600, 2000, 20000])
def test_long_corridor_falls_as_the_closed_form(length: int) -> None:
    """Far from the ends the slowest mode alone is left: cosh k = 2 - cos(pi / 6) for five free cells."""
    area = corridor(length)
    field = solve(area, (length - 2.0, 3.0))
    k = np.arccosh(2.0 - np.cos(np.pi / 6.0))
    fall = np.diff(field.ln_u[100 : length - 100, 3])
    assert np.abs(fall / k - 1.0).max() < 1e-10
    assert field.solves == 1 and field.residual()[1] < RESIDUAL
    path = path_from(field, (2.0, 2.4))
    assert path.status == "reached" and abs(path.length - (length - 4)) < 2.0 and in_walls(area, path.points) == 0
    assert path.ln_u_start == pytest.approx(-k * length, rel=0.02)
    if length > 600:
        assert path.u_start == 0.0


def test_serpentine_of_6000_cells() -> None:
    area = serpentine(30, 205)
    path = find_path(area, (3.0, 3.0), (3.0, 3.0 + 6 * 29))
    assert path.status == "reached" and path.length > 5800.0 and in_walls(area, path.points) == 0
    assert path.ln_u_start < -2900.0 and path.field is not None and path.field.residual()[1] < RESIDUAL


def test_poor_exponents_are_corrected(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stairs of one cell fall faster than any straight corridor: with a narrower range the first exponents do not do, the next ones do."""
    n = 600
    walls = np.ones((n + 2, n + 2), bool)
    k = np.arange(1, n + 1)
    walls[k, k] = walls[k[1:], k[:-1]] = False
    area = Map(walls)
    field = solve(area, (float(n), float(n)))
    monkeypatch.setattr(harmonic, "RANGE", 200)
    again = solve(area, (float(n), float(n)))
    assert field.solves == 1 and again.solves > 1 and again.residual()[1] < RESIDUAL
    assert np.abs(np.log2(again.w[again.reach])).max() < 200.0 < np.abs(np.log2(field.w[field.reach])).max()
    assert np.allclose(again.ln_u[again.reach], field.ln_u[field.reach], rtol=1e-12, atol=1e-10)
    path = path_from(field, (1.0, 1.0))
    assert path.status == "reached" and in_walls(area, path.points) == 0 and len(path.gaps) >= 1


@pytest.mark.parametrize("name", list(maps.bundled()))
def test_no_local_minimum_from_anywhere(name: str) -> None:
    area = maps.read(name)
    assert area.goal is not None
    field = solve(area, area.goal)
    rng = np.random.default_rng(11)
    nodes = np.argwhere(area.free)
    starts = nodes[rng.integers(len(nodes), size=1000)] + rng.uniform(-0.5, 0.5, (1000, 2))
    for start in starts:
        path = path_from(field, start)
        i, j = np.floor(start + 0.5).astype(int)
        assert path.status == ("reached" if field.reach[i, j] else "unreachable")
        assert in_walls(area, path.points) == 0 and all_clear(area.free, path.points)
        assert (path.reason == "") == (path.status == "reached")


def test_unreachable_is_said_without_a_solve() -> None:
    area = maps.read("rubble")
    path = find_path(area, (60.0, 40.0), (112.0, 70.0))
    assert path.status == "unreachable" and "no way" in path.reason and path.field is None
    diagonal = maps.from_text("#####\n#..##\n#.#.#\n##..#\n#####")
    assert find_path(diagonal, (1.0, 3.0), (3.0, 1.0)).status == "unreachable"  # cells that meet at a corner only


def test_gap_of_one_cell_is_warned_of() -> None:
    walls = maps.closed(np.zeros((20, 11)))
    walls[10, :] = True
    walls[10, 4] = False
    path = find_path(Map(walls, cell=0.5), (1.5, 4.0), (9.0, 3.0))
    assert path.status == "reached" and np.allclose(path.gaps, [[5.0, 2.0]])
    assert "gap of one cell, at (5, 2) m" in path.warnings[0]
    walls[10, 5] = False
    assert find_path(Map(walls, cell=0.5), (1.5, 4.0), (9.0, 3.0)).warnings == ()


def test_several_goals_and_goals_between_nodes() -> None:
    area = maps.read("maze")
    path = find_path(area, (15.0, 25.0), [(65.3, 44.8), (15.2, 44.7)])
    assert path.status == "reached" and np.allclose(path.points[-1], (15.2, 44.7))


def test_reflecting_walls(field: HarmonicField) -> None:
    """No flow through walls: what leaves the source arrives at the goal, and the path still arrives."""
    area = field.map
    other = solve(area, GOAL, walls="neumann", source=START)
    assert other.residual()[1] < RESIDUAL * 100.0  # near the source u is a small difference
    flow = [
        sum(other.u[i + a, j + b] - other.u[i, j] for a, b in ((1, 0), (-1, 0), (0, 1), (0, -1)))
        for i, j in ((6, 8), (54, 52))
    ]
    assert flow[0] == pytest.approx(-flow[1], rel=1e-10) and flow[0] > 0.01
    path = find_path(area, START, GOAL, walls="neumann")
    assert path.status == "reached" and in_walls(area, path.points) == 0


def test_cell_size_only_scales() -> None:
    small, large = maps.read("maze"), maps.read("maze", cell=0.1)
    one, two = find_path(small, (5, 5), (65, 45)), find_path(large, (0.5, 0.5), (6.5, 4.5))
    assert np.allclose(one.points * 0.1, two.points, atol=1e-12) and two.length == pytest.approx(0.1 * one.length)
    assert np.allclose(two.at([0.0, two.length]), two.points[[0, -1]])


def test_half_width_keeps_away() -> None:
    area = maps.read("maze", cell=0.1)
    robot = rods(links=8, length=2.4).but(radius=0.1)
    path = find_path(area, (0.5, 0.5), (6.5, 4.5), robot=robot)
    assert path.map.growth == pytest.approx(0.15) and path.status == "reached"
    assert path.min_clearance > 0.15


def test_curvature_limit_is_kept_where_there_is_room() -> None:
    area = maps.read("maze")
    sharp = find_path(area, (5, 5), (65, 45))
    assert sharp.curvature.max() > 0.3
    smooth = find_path(area, (5, 5), (65, 45), limit=0.3)
    assert smooth.smoothed and smooth.curvature.max() <= 0.3 and smooth.warnings == ()
    assert all_clear(area.free, smooth.points) and np.array_equal(smooth.points[[0, -1]], sharp.points[[0, -1]])
    tight = find_path(area, (5, 5), (65, 45), limit=0.02)
    assert "the joints allow 0.02 1/cell" in tight.warnings[0] and all_clear(area.free, tight.points)


def test_curvature_limit_is_that_of_a_chain_at_its_joint_limit() -> None:
    """Joints at phi_max on links of length l: the circle that touches all links in their middles."""
    robot = rods(links=8, length=2.4).but(joint_limit=0.7)
    turns = np.cumsum(np.full(8, 0.7))
    joints = np.cumsum(0.3 * np.stack([np.cos(turns), np.sin(turns)], axis=1), axis=0)
    middles = 0.5 * (joints[1:] + joints[:-1])
    a, b, c = middles[:3]
    sides = [np.hypot(*(a - b)), np.hypot(*(b - c)), np.hypot(*(c - a))]
    area = 0.5 * abs((b - a)[0] * (c - a)[1] - (b - a)[1] * (c - a)[0])
    assert curvature_limit(robot) == pytest.approx(4.0 * area / np.prod(sides), rel=1e-12)
    assert curvature_limit(rods(links=8, length=2.4)) == np.inf


POCKETS = "######\n##...#\n#..#.#\n##...#\n#..#.#\n##..##\n######"


@pytest.mark.parametrize(
    ("text", "start", "goal"),
    [
        ("#" * 60 + "\n#" + "." * 58 + "#\n" + "#" * 60, (20, 1), (58, 1)),  # behind the source the field is 0
        ("####\n##.#\n#..#\n####", (2.3, 1.2), (1, 1)),  # nothing but source and goal and a corner
        (POCKETS, (2.9, 0.8), (2, 4)),  # a dead end has the field of its mouth
    ],
)
def test_reflecting_walls_lead_there_too(text: str, start: tuple, goal: tuple) -> None:
    area = maps.from_text(text)
    found = find_path(area, start, goal, walls="neumann")
    assert found.status == "reached" and np.allclose(found.points[-1], goal)
    cells = np.floor(found.points + 0.5).astype(int)
    assert not area.walls[tuple(cells.T)].any() and np.hypot(*np.diff(found.points, axis=0).T).max() <= 0.5 + 1e-9


def test_reflecting_walls_on_random_maps() -> None:
    """From every free cell of random maps the goal is reached wherever it connects."""
    rng = np.random.default_rng(4)
    tried = 0
    for _ in range(60):
        walls = np.pad(rng.random((8, 9)) < 0.35, 1, constant_values=True)
        free = np.argwhere(~walls)
        area = maps.from_array(walls)
        goal, start = (free[k].astype(float) for k in rng.choice(len(free), 2, replace=False))
        found = find_path(area, start, goal, walls="neumann")
        assert found.status in ("reached", "unreachable")
        tried += found.status == "reached"
        assert not area.walls[tuple(np.floor(found.points + 0.5).astype(int).T)].any()
    assert tried > 20
