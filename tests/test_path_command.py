"""serpenoid plan path: the reference map, units, maps from files, execution, its files, and what it refuses."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import serpenoid as sp
from serpenoid import cli
from serpenoid.formats.files import read_table
from serpenoid.planning import maps

Asked = Callable[..., tuple[int, Any, str]]


@pytest.fixture
def asked(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Asked:
    """Exit code, JSON object and messages of a plan."""

    def ask(*words: str, film: bool = False) -> tuple[int, Any, str]:
        more = ["--film"] if film else []
        code = cli.main(["plan", "path", *words, "--out", str(tmp_path / "out"), "--force", "--json", *more])
        out, err = capsys.readouterr()
        return code, json.loads(out), err

    return ask


def box(nx: int, ny: int) -> np.ndarray:
    """A closed room, free inside."""
    walls = np.ones((nx, ny), bool)
    walls[1:-1, 1:-1] = False
    return walls


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """A folder of maps, good and bad."""
    from matplotlib.image import imsave

    reference, divided, gap, narrow = maps.read("two-walls"), box(30, 30), box(40, 21), box(80, 5)
    imsave(tmp_path / "two.png", np.where(reference.walls.T[::-1], 0.0, 1.0), cmap="gray")
    (tmp_path / "two.txt").write_text(reference.text())
    np.save(tmp_path / "two.npy", reference.walls)
    divided[15] = True
    np.save(tmp_path / "divided.npy", divided)
    gap[20] = True
    gap[20, 10] = False
    np.save(tmp_path / "gap.npy", gap)
    np.save(tmp_path / "narrow.npy", narrow)
    imsave(tmp_path / "photo.png", np.linspace(0.0, 1.0, 900).reshape(30, 30), cmap="gray")
    (tmp_path / "torn.png").write_bytes((tmp_path / "two.png").read_bytes()[:90])
    (tmp_path / "words.png").write_text("no picture")
    (tmp_path / "nothing.txt").write_text("\n\n")
    (tmp_path / "solid.txt").write_text("####\n" * 4)
    (tmp_path / "open.txt").write_text("####\n#..#\n#...\n####\n")
    (tmp_path / "ragged.txt").write_text("####\n#..#\n#.#\n####\n")
    (tmp_path / "strange.txt").write_text("####\n#.x#\n####\n")
    (tmp_path / "cell.txt").write_text("cell zero\n####\n#..#\n####\n")
    (tmp_path / "binary.txt").write_bytes(b"\xff\xfe\x00####")
    (tmp_path / "empty.npy").write_bytes(b"")
    np.save(tmp_path / "none.npy", np.zeros((0, 0)))
    np.save(tmp_path / "cube.npy", np.ones((4, 4, 4)))
    np.save(tmp_path / "objects.npy", np.array([[None, "a"], [1, 2]], dtype=object), allow_pickle=True)
    holed = box(9, 9).astype(float)
    holed[4, 4] = np.nan
    np.save(tmp_path / "nan.npy", holed)
    return tmp_path


def check_reference(said: Any) -> None:
    """The numbers known for the map with two walls, body width 0."""
    assert said["status"] == "reached" and said["reason"] == "" and said["warnings"] == []
    assert f"{said['u_start']:.3e}" == "2.677e-10" and said["ln_u_start"] == pytest.approx(np.log(said["u_start"]))
    assert said["path_length"] == pytest.approx(121.3, rel=0.01)
    assert said["min_clearance"] == pytest.approx(4.85, rel=0.05)
    assert said["unsettled"] == 0 and said["unsettled_links"] == {} and said["head_to_goal"] < 1.0


@pytest.mark.parametrize("name", ["two-walls", "two.png", "two.txt", "two.npy"])
def test_reference_map_from_every_source(asked: Asked, files: Path, name: str) -> None:
    source = name if name == "two-walls" else str(files / name)
    code, said, _ = asked("--map", source, "--start", "6,8", "--goal", "54,52")
    assert code == 0 and said["unit"] == "cells" and said["cell"] is None and "executed" not in said
    check_reference(said)
    assert said["links"] == 6 and said["half_width"] == 0.0 and said["assumed"] == []
    assert said["link_clearance"] > 0.0


def test_files_hold_the_plan(asked: Asked, tmp_path: Path) -> None:
    _, said, _ = asked("--map", "two-walls")  # start and goal as the map suggests
    check_reference(said)
    assert set(said["files"]) == {"figure", "path", "postures"}
    way, body = read_table(said["files"]["path"]), read_table(said["files"]["postures"])
    assert way[0, 1:3] == pytest.approx([6.0, 8.0]) and way[-1, 1:3] == pytest.approx([54.0, 52.0])
    assert way[-1, 0] == pytest.approx(said["path_length"]) and way[:, 3].min() == pytest.approx(said["min_clearance"])
    joints = body[:, 1:15].reshape(-1, 7, 2)
    assert np.abs(np.hypot(*np.moveaxis(np.diff(joints, axis=1), -1, 0)) / 5.0 - 1.0).max() < 1e-12
    assert np.hypot(*(joints[-1, -1] - way[-1, 1:3])) == pytest.approx(said["head_to_goal"])
    turns = np.diff(np.unwrap(np.arctan2(*np.moveaxis(np.diff(joints, axis=1), -1, 0)[::-1]), axis=1), axis=1)
    assert body[:, 15:20] == pytest.approx(turns, abs=1e-9)
    assert body[:, 20].min() == pytest.approx(said["link_clearance"]) and body[:, 21].max() == 0.0
    assert len(body) == said["increments"]
    saved = json.loads((tmp_path / "out" / "plan.json").read_text())
    assert saved == said and Path(said["files"]["figure"]).stat().st_size > 50_000


def test_a_cell_size_makes_metres(asked: Asked, tmp_path: Path) -> None:
    _, plain, _ = asked("--map", "maze", "--links", "6", "--link-length", "4.5")
    _, sized, _ = asked("--map", "maze", "--cell", "0.1", "--links", "6", "--link-length", "0.45")
    assert (plain["unit"], sized["unit"], sized["cell"]) == ("cells", "m", 0.1)
    for key in ("path_length", "min_clearance", "link_clearance"):
        assert sized[key] == pytest.approx(0.1 * plain[key], rel=1e-6), key
    assert sized["u_start"] == pytest.approx(plain["u_start"], rel=1e-9) and sized["start"] == [0.5, 0.5]
    # no link overlaps a wall at any increment: links of half the corridor's width
    assert plain["link_clearance"] > 0.0 and plain["unsettled"] == 0 and plain["warnings"] == []
    # the map's own cell size, also where it is 1 m
    for cell in (0.1, 1.0):
        named = tmp_path / "sized.txt"
        named.write_text(f"cell {cell}\nstart {2 * cell},{2 * cell}\ngoal {12 * cell},{2 * cell}\n" + map_rows())
        _, said, _ = asked("--map", str(named), "--links", "2", "--link-length", str(1.5 * cell))
        assert said["unit"] == "m" and said["cell"] == cell and said["path_length"] == pytest.approx(10.0 * cell)


def map_rows() -> str:
    """A plain room of 16 x 5 nodes."""
    return "#" * 16 + "\n" + 3 * ("#" + 14 * "." + "#\n") + "#" * 16 + "\n"


def test_robot_of_real_size(asked: Asked) -> None:
    code, said, _ = asked("--map", "maze", "--robot", "ms1")
    assert code == 0 and said["status"] == "reached" and said["links"] == 7 and said["unit"] == "cells"
    assert said["cell"] == 0.05 and said["half_width"] == pytest.approx(0.035 / 0.05) and "0.05 m" in said["assumed"][0]
    _, wide, _ = asked("--map", "maze", "--cell", "0.05", "--robot", "ms1", "--half-width", "0.1")
    assert wide["half_width"] == 0.1 and wide["path_length"] < 0.05 * 1.1 * said["path_length"]
    assert wide["link_clearance"] < 0.05 * said["link_clearance"]


def test_several_goals_and_reflecting_walls(asked: Asked) -> None:
    _, both, _ = asked("--map", "two-walls", "--goal", "54,52", "--goal", "10,50")
    way = read_table(both["files"]["path"])
    assert both["status"] == "reached" and way[-1, 1:3] == pytest.approx([10.0, 50.0])
    _, shy, _ = asked("--map", "rubble")
    _, near, _ = asked("--map", "rubble", "--walls", "neumann")
    assert near["u_start"] == 0.0 and near["ln_u_start"] is None
    # a path along the walls is one that links of this length cut across
    assert near["status"] == "blocked" and "overlaps a wall" in near["reason"] and near["link_clearance"] == 0.0
    assert near["min_clearance"] < 0.5 * shy["min_clearance"] and near["path_length"] < shy["path_length"]


def test_literal_search_fails_and_says_so(asked: Asked) -> None:
    code, said, _ = asked("--map", "two-walls", "--search", "literal", "--no-project", "--tolerance", "0.3")
    assert code == 0 and said["status"] == "stalled" and "do not settle" in said["reason"]
    assert said["unsettled"] == len(said["unsettled_links"]) > 30 and said["head_to_goal"] > 20.0
    assert read_table(said["files"]["postures"])[:, 21].astype(bool).sum() == said["unsettled"]


def test_long_corridor_has_only_a_logarithm(asked: Asked) -> None:
    _, said, _ = asked("--map", "corridor", "--links", "4", "--link-length", "3")
    assert said["status"] == "reached" and said["u_start"] == 0.0 and said["ln_u_start"] < -745.0
    assert said["link_clearance"] > 0.0 and "exceed half the corridor" in said["warnings"][0]
    assert "3 cells" in said["warnings"][0] and "(3, 3) cells" in said["warnings"][0]


def test_unreachable_is_an_answer(asked: Asked, files: Path) -> None:
    words = ("--map", str(files / "divided.npy"), "--start", "5,5", "--goal", "25,25")
    assert asked(*words)[0] == 0
    code, said, err = asked(*words, "--execute", "feed")
    assert code == 3 and "was not carried out" in err
    code, said, err = asked(*words, "--execute", "feed", "--anyway")
    assert code == 3 and "there is nothing of it" in err
    assert said["status"] == "unreachable" and "no way" in said["reason"]
    assert "(5, 5) cells" in said["reason"] and said["executed"] is None and said["unsettled"] == 0
    assert all(said[key] is None for key in ("path_length", "head_to_goal", "link_clearance", "ln_u_start"))
    assert set(said["files"]) == {"figure"}


def test_gap_of_one_cell_is_warned_of(asked: Asked, files: Path) -> None:
    words = ("--map", str(files / "gap.npy"), "--start", "5,5", "--goal", "35,15", "--link-length", "3")
    _, said, _ = asked(*words)
    assert said["status"] == "reached" and any(
        "gap of one cell, at (20, 10) cells" in text for text in said["warnings"]
    )
    _, wide, _ = asked(*words, "--half-width", "0.8")
    assert wide["status"] == "unreachable"


@pytest.mark.parametrize(("kind", "name"), [("feed", "maze"), ("creep", "maze"), ("creep", "rubble")])
def test_executed(asked: Asked, kind: str, name: str) -> None:
    """Links of half the corridor's width arrive; walls are entered by less than a millimetre."""
    code, said, _ = asked("--map", name, "--link-length", "4.5", "--execute", kind)
    assert code == 0 and said["status"] == "reached" and said["executed"] == "ok" and said["execution"]["message"] == ""
    made, metrics = said["execution"]["provenance"]["plan"], said["execution"]["metrics"]
    assert made["penetration_max"] < 1e-3 and metrics["slip_per_link"] > 0.0 and made["lateral_error_max"] > 0.0
    assert made["head_to_goal"] < (0.02 if kind == "feed" else 0.5 * 6 * 4.5 * 0.05) and made["torque_max"] > 0.5
    assert kind == "creep" or (made["feed_force_max"] > 0.05 * 6.0 * 9.81 and made["feed_work"] > 0.0)
    assert metrics["positive_work"] > 0.0
    assert len(said["assumed"]) == 3 and "0.05 m" in said["assumed"][0] and said["half_width"] == pytest.approx(0.675)
    run = sp.load(said["files"]["executed_trajectory"])
    goal = 0.05 * np.array(said["goals"][0])
    assert np.hypot(*(run["node"][-1, -1, :2] - goal)) == pytest.approx(made["head_to_goal"], abs=1e-2)
    assert run.scenario["plan"]["kind"] == "path" and run.scenario["plan"]["execute"] == kind
    assert Path(said["files"]["executed_figure"]).stat().st_size > 20_000


def test_what_the_ground_does(asked: Asked) -> None:
    """Friction is passed on: without grip across the links a free body has no way; that run has failed, and is written all the same."""
    code, said, _ = asked("--map", "rubble", "--execute", "creep", "--friction", "0.2,0.2")
    assert code == 3 and said["status"] == "reached" and said["executed"] == "stalled"
    assert "no headway" in said["execution"]["message"] and any("0.2 / 0.2" in w for w in said["execution"]["warnings"])
    assert Path(said["files"]["executed_trajectory"]).exists()


def test_summary_and_film(capsys: pytest.CaptureFixture[str], files: Path) -> None:
    np.save(files / "room.npy", box(12, 7))
    words = [
        "--map",
        str(files / "room.npy"),
        "--start",
        "2,3",
        "--goal",
        "9,3",
        "--links",
        "2",
        "--link-length",
        "1.4",
    ]
    assert cli.main(["plan", "path", *words, "--out", str(files / "out")]) == 0
    out, _ = capsys.readouterr()
    assert out.startswith("reached\n  path: 7 cells") and "2 links" in out and "0 of them unsettled" in out
    for name in ("map.png", "plan.mp4", "path.csv", "postures.csv", "plan.json"):
        assert (files / "out" / name).stat().st_size > 100 and name in out
    assert not list((files / "out").glob("*.part"))


TWO = ("--map", "two-walls")
REFUSED: dict[str, tuple[str, ...]] = {
    "goal (100, 3) cells lies outside": (*TWO, "--goal", "100,3"),
    "start (-3, 1) cells lies outside": (*TWO, "--start=-3,1"),
    "goal (21, 5) cells lies inside an obstacle": (*TWO, "--goal", "21,5"),
    "start (0, 0) cells lies inside an obstacle": (*TWO, "--start", "0,0"),
    "start (1, 8) cells lies closer than 1.5 cells": (*TWO, "--start", "1,8", "--half-width", "1"),
    "start and goal lie in one cell": (*TWO, "--goal", "6.2,8.3"),
    "--start needs 2 finite numbers": (*TWO, "--start", "nan,8"),
    "--goal needs 2 finite numbers": (*TWO, "--goal", "54"),
    "link length must be finite and > 0, got 0": (*TWO, "--link-length", "0"),
    "link length must be finite and > 0, got nan": (*TWO, "--link-length", "nan"),
    "below twice the path's spacing": (*TWO, "--link-length", "0.9"),
    "cap must be finite and >= 0.001": (*TWO, "--cap", "0"),
    "and < 3.14159": (*TWO, "--cap", "180"),
    "cap must be finite": (*TWO, "--cap", "nan"),
    "tolerance must be finite and > 0 m or cells, got 0": (*TWO, "--tolerance", "0"),
    "tolerance must be finite and > 0 m or cells, got nan": (*TWO, "--tolerance", "nan"),
    "below half the path's spacing": (*TWO, "--no-project", "--tolerance", "0.1"),
    "step must be finite": (*TWO, "--step", "nan"),
    "step must be finite and >= 0.01 and <= 1 cells": (*TWO, "--step", "0"),
    "longer than the path": (*TWO, "--links", "40"),
    "no map 'none.png': no such file, and bundled are": ("--map", "none.png"),
    "--map": (),
    "cell must be finite and >= 1e-06 and <= 1e+06 m, got 0": (*TWO, "--cell", "0"),
    "cell must be finite and >= 1e-06 and <= 1e+06 m, got nan": (*TWO, "--cell", "nan"),
    "margin must be finite": (*TWO, "--margin", "nan"),
    "margin must be finite and >= 0 and <= 1e+09 m or cells, got -1": (*TWO, "--margin=-1"),
    "half_width must be finite": (*TWO, "--half-width", "inf"),
    "nothing of map 'two-walls' is left free": (*TWO, "--half-width", "30"),
    "--links must be a whole number from 1": (*TWO, "--links", "0"),
    "invalid int value: '2.5'": (*TWO, "--links", "2.5"),
    "unknown robot 'cobra'": (*TWO, "--robot", "cobra"),
    "alternating joints": (*TWO, "--robot", "alternating"),
    "brings its own links": (*TWO, "--robot", "ms1", "--links", "6"),
    "half width above 0": (*TWO, "--execute", "feed", "--half-width", "0"),
    "links must be a whole number from 2": (*TWO, "--execute", "feed", "--links", "1"),
    "--execute feed or creep": (*TWO, "--friction", "0.1,0.5"),
    "--friction needs 2 finite numbers": (*TWO, "--execute", "feed", "--friction", "0.1,nan"),
    "got -1": (*TWO, "--execute", "feed", "--friction=-1,1"),
    "no --execute 'jump'": (*TWO, "--execute", "jump"),
    "no --walls 'soft'": (*TWO, "--walls", "soft"),
    "--out needs": (*TWO, "--out", ""),
}
BAD_FILES = {
    "photo.png": "a picture but no map",
    "torn.png": "no PNG picture",
    "words.png": "no PNG picture",
    "nothing.txt": "an empty map",
    "solid.txt": "an empty map: it has no free cell",
    "open.txt": "the map is open",
    "ragged.txt": "line 3 has 3 cells",
    "strange.txt": "line 2 has 'x'",
    "cell.txt": "cell needs a number",
    "binary.txt": "neither a PNG picture nor a text map",
    "empty.npy": "is an empty file",
    "none.npy": "an empty map",
    "cube.npy": "two-dimensional",
    "objects.npy": "no plain array of numbers",
    "nan.npy": "node (4, 4) has nan",
    "two.npy": "start is needed",
    ".": "a folder",
}


@pytest.mark.parametrize("text", REFUSED)
def test_refused(capsys: pytest.CaptureFixture[str], tmp_path: Path, text: str) -> None:
    words = REFUSED[text]
    out = () if "--out" in words else ("--out", str(tmp_path / "out"))
    code = cli.main(["plan", "path", *words, *out, "--json"])
    shown, err = capsys.readouterr()
    check_refusal(code, json.loads(shown), err, text)


@pytest.mark.parametrize("name", BAD_FILES)
def test_bad_map_files(asked: Asked, files: Path, name: str) -> None:
    check_refusal(*asked("--map", str(files / name)), BAD_FILES[name])


def test_no_room_for_a_wave(asked: Asked, files: Path) -> None:
    words = (
        "--map",
        str(files / "narrow.npy"),
        "--start",
        "3,2",
        "--goal",
        "75,2",
        "--links",
        "6",
        "--link-length",
        "4",
    )
    code, said, err = asked(*words, "--half-width", "1.2", "--margin", "0.1", "--execute", "creep")
    check_refusal(code, said, err, "a straight body has no thrust")


def check_refusal(code: int, said: Any, err: str, text: str) -> None:
    assert code == 2 and said["status"] == "error" and said["exit_code"] == 2
    assert text in said["error"] and "Traceback" not in err and len(err.splitlines()) < 8


def test_a_cell_of_a_hundred_metres_is_not_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--map", "maze", "--cell", "100", "--link-length", "450", "--execute", "feed"]
    code = cli.main(["plan", "path", *words, "--json", "--out", str(tmp_path)])
    assert code == 2 and "size of a cell" in capsys.readouterr().out


@pytest.mark.parametrize("words", [("--half-width", "1e200"), ("--margin", "1e200"), ("--cell", "1e-300"), ("--cell", "1e300"), ("--tolerance", "20"), ("--cap", "1e-5")])  # fmt: skip
def test_extreme_numbers(tmp_path: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, str]) -> None:
    assert cli.main(["plan", "path", "--map", "two-walls", *words, "--json", "--out", str(tmp_path)]) == 2
    assert "unexpected" not in capsys.readouterr().out
