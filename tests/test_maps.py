"""Maps from every source, and what is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from serpenoid.core.errors import InputError, SerpenoidError
from serpenoid.planning import find_path, maps, solve

ROOM = "#####\n#...#\n#..##\n#####"


def picture(path: Path, light: np.ndarray) -> Path:
    from matplotlib.image import imsave

    imsave(path, light, cmap="gray", vmin=0.0, vmax=1.0)
    return path


def test_text_has_the_largest_y_first() -> None:
    room = maps.from_text("cell 0.5\nstart 0.5,1\ngoal: 1.5, 1\n" + ROOM)
    assert room.walls.shape == (5, 4) and room.cell == 0.5 and room.start == (0.5, 1.0) and room.goal == (1.5, 1.0)
    assert room.walls[3, 1] and not room.walls[3, 2] and not room.walls[2, 1]
    assert maps.from_text(ROOM, cell=0.2).cell == 0.2


def test_all_sources_give_the_same_map(tmp_path: Path) -> None:
    room = maps.from_text(ROOM)
    np.save(tmp_path / "room.npy", room.walls)
    (tmp_path / "room.txt").write_text(room.text())
    picture(tmp_path / "room.png", np.where(room.walls.T[::-1], 0.1, 0.9))
    for kind in ("npy", "txt", "png"):
        again = maps.read(tmp_path / f"room.{kind}", cell=0.3)
        assert np.array_equal(again.walls, room.walls) and again.cell == 0.3 and again.name == "room"
    assert np.array_equal(maps.from_array(room.walls.astype(int)).walls, room.walls)
    assert np.array_equal(maps.closed(room.walls[1:-1, 1:-1]), room.walls)


def test_polygons_cover_every_cell_that_they_overlap() -> None:
    """Against points sampled inside: a cell with a point of the polygon is a wall, one whose square holds none is not."""
    corners = np.array([[1.3, 1.1], [4.7, 2.0], [3.1, 3.9]])
    area = maps.from_polygons([corners], (6.0, 5.0), 0.25)
    rng = np.random.default_rng(4)
    shares = rng.dirichlet(np.ones(3), 400_000)
    hit = np.zeros_like(area.walls)
    hit[tuple(np.floor(shares @ corners / 0.25 + 0.5).astype(int).T)] = True
    inner = area.walls[1:-1, 1:-1]
    assert not (hit[1:-1, 1:-1] & ~inner).any()
    assert (inner & ~hit[1:-1, 1:-1]).sum() <= 3  # slivers that sampling missed
    thin = maps.from_polygons([[[1.1, 1.1], [3.9, 1.1], [3.9, 1.11]]], (6.0, 5.0), 0.5)
    assert thin.walls[2:9, 2].all()


@pytest.mark.parametrize("radius", [0.0, 0.3, 0.5, 1.2, 2.0, 3.7])
def test_growing_is_by_the_distance_to_the_squares_of_walls(radius: float) -> None:
    rng = np.random.default_rng(2)
    area = maps.from_array(maps.closed(rng.random((30, 25)) < 0.01), cell=0.1)
    grown = area.grown(radius * 0.1, margin=0.0)
    nodes = np.argwhere(np.ones_like(area.walls))
    gap = np.maximum(np.abs(nodes[:, None] - np.argwhere(area.walls)) - 0.5, 0.0)
    near = (np.hypot(gap[..., 0], gap[..., 1]).min(axis=1) < radius - 1e-9).reshape(area.walls.shape)
    assert np.array_equal(grown.walls, near | area.walls)
    assert np.array_equal(grown.solid, area.walls)


def test_widths_of_corridors() -> None:
    walls = np.ones((40, 9), bool)
    walls[1:-1, 2:7] = False
    assert np.all(maps.from_array(walls, cell=0.2).width[8:-8, 2:7] == 1.0)
    tilted = np.add.outer(np.arange(40), -np.arange(40))
    diagonal = maps.from_array(maps.closed(np.abs(tilted) > 3))
    assert abs(diagonal.width[20, 20] - 3 * np.sqrt(2)) < 1e-12  # 7 free nodes in a row, 3 across


def test_bundled_maps_have_a_way() -> None:
    assert set(maps.bundled()) == {"two-walls", "maze", "rubble", "corridor"}
    for name in maps.bundled():
        area = maps.read(name)
        assert area.start is not None and area.goal is not None
        assert find_path(area, area.start, area.goal).status == "reached"


TWO_ROOMS = "#######\n#..#..#\n#..#..#\n#######"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "empty map"),
        ("####\n####\n####", "no free cell"),
        ("##\n##", "empty map"),
        ("#.##\n#..#\n####", r"open: node \(1, 2\)"),
        ("####\n#x.#\n####", "line 2 has 'x'"),
        ("####\n#..##\n####", "line 2 has 5 cells"),
        ("cell no\n####\n#..#\n####", "cell needs a number"),
        ("cell 0\n####\n#..#\n####", "cell must be finite and > 0"),
        ("start 4\n####\n#..#\n####", "start needs two numbers"),
    ],
)
def test_bad_text(text: str, says: str) -> None:
    with pytest.raises(InputError, match=says):
        maps.from_text(text)


@pytest.mark.parametrize(
    ("array", "says"),
    [
        (np.zeros(5), "two-dimensional grid, got 1 dimension"),
        (np.ones((4, 4, 4)), "got 3 dimensions"),
        (np.full((5, 5), np.nan), r"node \(0, 0\) has nan"),
        (np.zeros((5, 5)), "open"),
        ([["a", "b"]], "grid of numbers"),
        (np.ones((1, 4)), "empty map"),
    ],
)
def test_bad_array(array: object, says: str) -> None:
    with pytest.raises(InputError, match=says):
        maps.from_array(array)  # type: ignore[arg-type]


def test_bad_files(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="bundled are corridor, maze"):
        maps.read(tmp_path / "none.txt")
    (tmp_path / "text.png").write_text(ROOM)
    with pytest.raises(InputError, match="no PNG picture"):
        maps.read(tmp_path / "text.png")
    (tmp_path / "binary.txt").write_bytes(bytes(range(128, 256)))
    with pytest.raises(InputError, match="neither a PNG picture nor a text map"):
        maps.read(tmp_path / "binary.txt")
    grey = picture(tmp_path / "grey.png", np.random.default_rng(1).random((40, 40)))
    with pytest.raises(InputError, match=r"picture but no map: .* neither dark"):
        maps.read(grey)
    with pytest.raises(InputError, match="no free cell"):
        maps.read(picture(tmp_path / "black.png", np.zeros((9, 9))))
    np.save(tmp_path / "objects.npy", np.array([{}, 1], dtype=object), allow_pickle=True)
    with pytest.raises(InputError, match="no plain array"):
        maps.read(tmp_path / "objects.npy")
    for head in ("{'descr': ('<f8'", "((((", "{'descr': '\\", "{" * 90):  # what each of Python's own parsers raises
        raw = head.encode().ljust(117) + b"\n"
        (tmp_path / "head.npy").write_bytes(b"\x93NUMPY\x01\x00" + len(raw).to_bytes(2, "little") + raw + bytes(80))
        with pytest.raises(InputError, match="no plain array"):
            maps.read(tmp_path / "head.npy")


@pytest.mark.parametrize(
    ("start", "goal", "says"),
    [
        ((9.0, 1.0), (1.0, 2.0), "start .* outside the map"),
        ((1.0, 1.0), (1.0, -4.0), "goal .* outside the map"),
        ((3.0, 1.0), (1.0, 2.0), "start .* inside an obstacle"),
        ((1.0, 1.0), (3.2, 2.0), "goal .* inside an obstacle"),
        ((1.0, np.nan), (1.0, 2.0), "start must be finite numbers, 2 for a point"),
        ((1.0, 1.0, 1.0), (1.0, 2.0), "start must be finite numbers, 2 for a point"),
        ((1.0, 1.0), (1.0, 2.0, 3.0), "goal must be finite numbers, 2 for a point"),
        ((1.0, 1.0), "there", "goal must be finite numbers, 2 for a point"),
        ((1.0, 1.0), (1.2, 0.9), "one cell"),
    ],
)
def test_bad_places(start: object, goal: object, says: str) -> None:
    with pytest.raises(InputError, match=says):
        find_path(maps.from_text(TWO_ROOMS), start, goal)  # type: ignore[arg-type]


def test_bad_choices() -> None:
    area = maps.from_text(TWO_ROOMS)
    for wrong, says in (
        (lambda: solve(area, (1, 1), walls="soft"), "dirichlet, neumann"),
        (lambda: solve(area, (1, 1), walls="neumann"), "need a source"),
        (lambda: solve(area, (1, 1), walls="neumann", source=(4, 1)), "does not connect"),
        (lambda: solve(area, (1, 1), walls="neumann", source=(1, 1)), "one cell"),
        (lambda: find_path(area, (1, 1), (2, 2), step=0.0), "step"),
        (lambda: find_path(area, (1, 1), (2, 2), step=2.0), "step"),
        (lambda: area.grown(5.0), "nothing of map"),
        (lambda: area.grown(-1.0), "half width"),
        (lambda: maps.read("maze").grown(0.4, 0.4).node("goal", (2, 1)), "closer than 0.8 cells"),
        (lambda: maps.from_polygons([[[0, 0], [1, 1]]], (4, 4), 0.5), "three corners"),
        (lambda: maps.from_polygons([], (4e6, 4e6), 0.5), "may have"),
    ):
        with pytest.raises(SerpenoidError, match=says):
            wrong()


def test_suggestions_go_with_the_size_of_a_cell() -> None:
    one, small = maps.read("maze"), maps.read("maze", cell=0.05)
    assert np.allclose(small.start, 0.05 * np.array(one.start)) and np.allclose(small.goal, 0.05 * np.array(one.goal))
    small.node("start", small.start)


@pytest.mark.parametrize("array", [np.full((5, 5), 1j), np.zeros((5, 5), "datetime64[s]"), np.array([["a"] * 4] * 4)])
def test_only_numbers_are_a_map(array: np.ndarray) -> None:
    with pytest.raises(SerpenoidError, match="grid of numbers"):
        maps.from_array(array)


def test_extreme_sizes_are_refused() -> None:
    area = maps.read("two-walls")
    for make in (
        lambda: area.grown(1e200),
        lambda: maps.read("maze", cell=1e-300),
        lambda: area.node("start", (1e300, 1)),
    ):
        with pytest.raises(SerpenoidError):
            make()
    with pytest.raises(SerpenoidError, match="two lines that say cell"):
        maps.from_text("cell 1\ncell 2\n###\n#.#\n###")
