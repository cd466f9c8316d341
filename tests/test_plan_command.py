"""serpenoid plan concertina: its JSON object, files, obstacle files, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from serpenoid import cli

YARD = """
[[obstacles]]
kind = "disc"
centre = [0.9, 0.05]
radius = 0.07

[[obstacles]]
kind = "polygon"
points = [[0.9, 0.25], [1.3, 0.25], [1.1, 0.4]]

[[obstacles]]
kind = "wall"
start = [0.8, -0.25]
end = [1.6, -0.2]
thickness = 0.02
"""
# cycles of the paper's elbow for equal unit links: the planner's contract
CYCLES = {"10,0": 6, "10,10": 11, "2,12": 10, "-10,0": 10, "5.5,3": 3, "2,2": 1, "20,5": 17}


def asked(capsys: pytest.CaptureFixture[str], tmp_path: Path, *words: str) -> tuple[int, Any, str]:
    """Exit code, JSON object and messages of a plan."""
    code = cli.main(["plan", "concertina", *words, "--out", str(tmp_path / "out"), "--force", "--json"])
    out, err = capsys.readouterr()
    return code, json.loads(out), err


@pytest.mark.parametrize(("target", "cycles"), CYCLES.items())
def test_cycles(capsys: pytest.CaptureFixture[str], tmp_path: Path, target: str, cycles: int) -> None:
    code, said, _ = asked(capsys, tmp_path, f"--target={target}")
    assert code == 0 and said["status"] == "reached" and said["cycles"] == cycles and said["final_distance"] < 1e-12
    assert said["contacts"] == [] and said["reason"] == "" and said["unit"] == "link lengths"
    for path in said["files"].values():
        assert Path(path).stat().st_size > 1000
    assert "film" not in said["files"]


def test_executed_among_obstacles(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "yard.toml").write_text(YARD)
    words = ("--target", "1.8,0.1", "--robot", "ms1", "--obstacles", str(tmp_path / "yard.toml"), "--execute")
    code, said, _ = asked(capsys, tmp_path, *words)
    assert code == 0 and said["status"] == "reached" and said["executed"] == "ok" and said["unit"] == "m"
    assert {c["obstacle"] for c in said["contacts"]} <= {0, 1, 2} and len(said["contacts"]) > 0
    made = said["execution"]["provenance"]["plan"]
    assert (
        said["execution"]["metrics"]["positive_work"] > 0.0
        and len(made["torque_max"]) == 6
        and len(made["pin_force_max"]) == 8
    )
    assert max(made["pin_force_max"]) > 0.0 and max(made["head_errors"]) < 0.02 * 0.18
    assert 0.0 < max(made["contact_force_max"]) < 40.0
    assert {"executed_trajectory", "executed_summary", "executed_figure"} <= set(said["files"])


def test_motion_file_is_the_plan(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    from serpenoid.formats.files import read_table

    _, said, _ = asked(capsys, tmp_path, "--target", "6,1")
    table = read_table(said["files"]["motion"])
    assert table[-1, 15:17] == pytest.approx([6.0, 1.0], abs=1e-9)  # the head's tip
    pins = table[:, 23:]
    assert pins.shape[1] == 8 and set(pins.ravel()) == {0.0, 1.0} and pins.sum(axis=1).min() >= 2.0


def test_unreachable_is_an_answer(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "ring.toml").write_text(
        "".join(
            f'[[obstacles]]\nkind = "wall"\nstart = {a}\nend = {b}\nthickness = 0.2\n'
            for a, b in (([8, -2], [12, -2]), ([12, -2], [12, 2]), ([12, 2], [8, 2]), ([8, 2], [8, -2]))
        )
    )
    code, said, _ = asked(capsys, tmp_path, "--target", "10,0", "--obstacles", str(tmp_path / "ring.toml"))
    assert code == 0 and said["status"] == "unreachable" and "enclose" in said["reason"]


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (("--target", "nan,0"), "finite"),
        (("--target", "inf,0"), "finite"),
        (("--target", "1"), "2 finite numbers"),
        (("--target", "a,b"), "finite"),
        (("--target", "1e9,0"), "target"),
        ((), "--target"),
        (("--target", "5,0", "--robot", "cobra"), "unknown robot"),
        (("--target", "5,0", "--robot", "ma2001"), "seven links"),
        (("--target", "5,0", "--elbow", "left"), "elbow"),
        (("--target", "5,0", "--half-width", "-1"), "half_width"),
        (("--target", "5,0", "--half-width", "0.6"), "link"),
        (("--target", "5,0", "--max-cycles", "0"), "max_cycles"),
        (("--target", "5,0", "--heading", "nan"), "heading"),
        (("--target", "5,0", "--obstacles", "none.toml"), "no obstacle file"),
    ],
)
def test_refused(capsys: pytest.CaptureFixture[str], tmp_path: Path, words: tuple[str, ...], text: str) -> None:
    code, said, err = asked(capsys, tmp_path, *words)
    assert code == 2 and said["status"] == "error" and said["exit_code"] == 2
    assert text in said["error"] and "Traceback" not in err and len(err.splitlines()) < 8


@pytest.mark.parametrize(
    ("content", "texts"),
    [
        ('[[obstacles]]\nkind = "disc"\ncentre = [2.2, 0.1]\nradius = 0.3\n', ("inside obstacle 0",)),
        (
            '[[obstacles]]\nkind = "disc"\ncentre = [5, nan]\nradius = -1\ncolour = 3\n',
            ("obstacles[0].centre", "obstacles[0].radius", "colour"),
        ),
        ('[[obstacles]]\nkind = "disc"\ncentre = [5]\nradius = 1\n', ("two numbers",)),
        ('[[obstacles]]\nkind = "polygon"\npoints = [[0, 0], [1, 1]]\n', ("obstacles[0].points",)),
        ('[[obstacles]]\nkind = "polygon"\npoints = [[8, 0], [9, 2], [8.3, 1.5], [9, 0]]\n', ("cross",)),
        ('[[obstacles]]\nkind = "wall"\nstart = [5, 0]\nend = [5, 0]\n', ("length",)),
        ("obstacles = 3", ("obstacles",)),
        ("discs = 3", ("discs: unknown key",)),
        ('[[obstacles]]\nkind = "dics"\n', ("did you mean disc?",)),
        ('[[obstacles]]\nkind = "box"\ncentre = [0, 0, 0]\nsize = [1, 1, 1]\n', ("seen from above",)),
        ("= broken", ("TOML",)),
    ],
)
def test_bad_obstacle_files(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, content: str, texts: tuple[str, ...]
) -> None:
    (tmp_path / "yard.toml").write_text(content)
    code, said, _ = asked(capsys, tmp_path, "--target", "10,0", "--obstacles", str(tmp_path / "yard.toml"))
    assert code == 2
    for text in texts:
        assert text in said["error"]


def test_links_that_may_enter_an_obstacle_are_reported() -> None:
    from dataclasses import replace

    from serpenoid.planning import ConcertinaPlan

    made = ConcertinaPlan((6.0, 0.0)).solve()
    assert made.warnings == ()
    told = replace(made, legs=(replace(made.legs[0], coarse=2), *made.legs[1:])).warnings
    assert len(told) == 1 and "cycle 1, stage 1" in told[0]


def test_a_target_to_the_left_needs_no_equals_sign(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    code, said, _ = asked(capsys, tmp_path, "--target", "-10,0")
    assert code == 0 and said["cycles"] == 10


def test_carried_out_in_link_lengths_is_the_plan_that_is_reported(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    code, said, _ = asked(capsys, tmp_path, "--target", "0,3", "--half-width", "0.3", "--execute")
    made = said["execution"]["provenance"]["plan"]
    assert code == 0 and said["executed"] == "ok" and max(made["head_errors"]) < 0.02 * 0.18
    assert max(made["torque_max"]) < 5.0 and max(made["pin_force_max"]) < 80.0  # MS-1's own motors and pins
    code, said, _ = asked(capsys, tmp_path, "--target", "5,0", "--half-width", "0.01", "--execute")
    assert code == 2 and "less than that of ms1" in said["error"]
