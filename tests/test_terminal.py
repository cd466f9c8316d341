"""What commands print for people: the next command is one that works, lists fit a screen, keys are described, reasons are given."""

from __future__ import annotations

import json
import shlex
import threading
from pathlib import Path

import pytest

from serpenoid import cli, run_scenario
from serpenoid.cli import run as cli_run
from serpenoid.cli import terminal
from serpenoid.formats.scenario import schema

MINE = """
[robot]
links = 6
link_length = 0.1
link_mass = 0.2

[gait]
kind = "serpenoid"
winding_angle = 0.5
waves = 1.0
speed = 0.3

[world.friction]
law = "coulomb"
along = 0.1
across = 0.5

[run]
duration = 0.2
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "mine.toml").write_text(MINE)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_next_command_after_a_file_names_the_file_and_its_changes(folder, capsys) -> None:
    assert cli.main(["run", "mine.toml", "--no-film", "--set", "run.step=1e-3"]) == 0
    told = capsys.readouterr().out.splitlines()[-1]
    words = shlex.split(told.partition("next: serpenoid ")[2])
    assert words[:4] == ["optimise", "mine.toml", "--set", "run.step=1e-3"]
    assert cli.main([*words, "--scan", "3"]) == 0
    told = capsys.readouterr().out.splitlines()[-1]
    words = shlex.split(told.partition("next: serpenoid ")[2])
    assert words[:4] == ["run", "mine.toml", "--set", "run.step=1e-3"]


def test_a_file_without_its_ending_is_suggested(folder, capsys) -> None:
    assert cli.main(["run", "mine"]) == 2
    assert "Did you mean the file mine.toml?" in capsys.readouterr().err


def test_a_metric_that_is_not_there_has_its_reason_in_the_summary(folder) -> None:
    run = run_scenario("mine.toml")
    assert run.metrics["steady_speed"] is None
    assert run.reasons["steady_speed"] in run.summary()
    assert run.figure("mine.svg").stat().st_size > 1000


def test_a_gait_beside_a_controller_is_told_its_place(folder, capsys) -> None:
    Path("mine.toml").write_text(MINE + '[controller]\nkind = "steering"\n')
    assert cli.main(["run", "mine.toml"]) == 2
    assert "[controller.gait]" in capsys.readouterr().err


def test_a_wrong_argument_is_told_in_one_line(folder, capsys) -> None:
    assert cli.main(["sweep", "creep"]) == 2
    told = capsys.readouterr().err.strip()
    assert "--out" in told and "sweep --help" in told and "\n" not in told


def test_everything_there_is_fits_a_screen(capsys) -> None:
    assert cli.main(["list"]) == 0
    told = capsys.readouterr().out
    assert len(told.splitlines()) <= 40 and max(len(line) for line in told.splitlines()) <= 120
    assert cli.main(["list", "--json"]) == 0
    for kind, items in json.loads(capsys.readouterr().out).items():
        assert kind in told and all(item["name"] in told for item in items)
    assert "steering" in told


@pytest.mark.parametrize("table", list(schema()["properties"]))
def test_each_table_of_a_scenario_is_described(table: str, capsys) -> None:
    assert cli.main(["schema", table]) == 0
    told = capsys.readouterr().out
    node = schema()["properties"][table]
    for key in node.get("properties", {}):
        assert key.removesuffix("_deg") in told
    for kind in node.get("oneOf", ()):
        assert kind["properties"]["kind"]["const"] in told
    assert len(told.splitlines()) <= 40


def test_a_table_that_is_not_there_is_refused_with_the_nearest(capsys) -> None:
    assert cli.main(["schema", "gait.sidewinder"]) == 2
    assert "did you mean sidewinding?" in capsys.readouterr().err
    assert cli.main(["schema", "world.friction.coulomb", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["properties"]["law"] == {"const": "coulomb"}


def test_exports_and_checks_end_with_what_to_do_or_a_count(folder, capsys) -> None:
    assert cli.main(["export", "mine.toml", "--to", "csv"]) == 0
    assert "next: " in capsys.readouterr().out
    assert cli.main(["run", "mine.toml", "--no-film"]) == 0
    capsys.readouterr()
    assert cli.main(["verify", "out/mine"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[-1] == f"{len(lines) - 1} checked: {len(lines) - 1} ok"


def test_the_summary_is_told_before_pictures_are_drawn(folder, capsys, monkeypatch) -> None:
    told: list[str] = []
    draw = cli_run.draw

    def drawing(*given) -> None:
        told.append(capsys.readouterr().out)
        draw(*given)

    monkeypatch.setattr(cli_run, "draw", drawing)
    assert cli.main(["run", "mine.toml", "--no-film"]) == 0
    assert run_scenario("mine.toml").summary() in told[0]
    rest = capsys.readouterr().out
    assert rest.startswith("  in out/mine: ") and "next: " in rest


def test_without_a_terminal_long_work_is_named_once(monkeypatch) -> None:
    said, heard = [], threading.Event()
    monkeypatch.setattr(terminal, "say", lambda text: (said.append(text), heard.set()))
    monkeypatch.setattr(terminal, "PATIENCE", 0.0)
    with terminal.bar("doing it") as progress:
        assert heard.wait(60.0)
        progress(0.5)
    assert said == ["doing it ..."]
    display = terminal.Display("doing that")
    for module in ("a", None, "b", None):
        display.compile(module)
    assert said[1:] == ["doing that ...", "compiling kernels, once on this machine ..."]


def test_without_a_terminal_short_work_is_silent(monkeypatch) -> None:
    said = []
    monkeypatch.setattr(terminal, "say", said.append)
    monkeypatch.setattr(terminal, "PATIENCE", 3600.0)
    with terminal.bar("doing it") as progress:
        progress(1.0)
    assert said == []
