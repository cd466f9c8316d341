"""Starters, what things contain, and citations: `serpenoid new`, `show`, `cite`."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import serpenoid as sp
from cases import PROVE
from serpenoid.cli import list as listing
from serpenoid.cli.entry import main
from serpenoid.cli.new import STARTERS, place_of, texts_of
from serpenoid.core.world import LAWS
from serpenoid.formats.citations import SOURCES, bibtex, reasons_to_cite, sources_in, text_of_kind
from serpenoid.gaits import GAITS
from serpenoid.robots import ROBOTS

COMMENTED = 0.3  # least share of a starter's lines that say what a key means


def serpenoid(line: str, folder: Path) -> subprocess.CompletedProcess[str]:
    words = [sys.executable, "-m", "serpenoid", *shlex.split(line)]
    return subprocess.run(words, cwd=folder, capture_output=True, text=True, stdin=subprocess.DEVNULL)


@pytest.mark.parametrize("kind", STARTERS)
def test_every_starter_runs_unchanged(kind: str, tmp_path: Path) -> None:
    wrote = json.loads(serpenoid(f"new {kind} --json", tmp_path).stdout)
    assert {path.name for path in tmp_path.iterdir()} == set(wrote["files"])
    done = serpenoid(f"{wrote['next'].removeprefix('serpenoid ')} --json", tmp_path)
    assert done.returncode == 0 and json.loads(done.stdout)["status"] == "ok", done.stderr
    text = (tmp_path / f"my_{kind}.toml").read_text().splitlines()
    assert sum("#" in line for line in text) >= COMMENTED * len(text)


@pytest.mark.parametrize("robot", ROBOTS)
def test_starters_take_every_robot(robot: str, tmp_path: Path) -> None:
    """Each robot has a starter, and it runs: in full by `make prove`, else its beginning."""
    assert serpenoid(f"new --robot {robot}", tmp_path).returncode == 0
    (path,) = tmp_path.glob("*.toml")
    assert f'preset = "{robot}"' in path.read_text()
    short = () if PROVE else ("run.duration=0.3", "run.checked=false")
    assert sp.run_scenario(str(path), list(short)).status.ok


def test_a_starter_is_never_written_over_a_file(tmp_path: Path) -> None:
    (tmp_path / "my_gait.py").write_text("mine")
    done = serpenoid("new gait", tmp_path)
    assert done.returncode == 2 and "my_gait.py is there already" in done.stderr
    assert (tmp_path / "my_gait.py").read_text() == "mine" and not (tmp_path / "my_gait.toml").exists()


WRONG = {
    "new creap": "did you mean creep?",
    "new --robot dynamixl": "did you mean dynamixel?",
    "new creep --robot dynamixel": "which moves in the space; with it: sidewind",
    "new plan --robot ma2001": "has a robot of its own",
    "show dynamixl": "did you mean dynamixel?",
    "show nothing-like-it": "serpenoid list shows all names",
    "cite crep": "Did you mean creep?",
    "schema robot.dynamixel": "serpenoid show dynamixel",
    "run rsnake": "serpenoid new --robot rsnake",
}


@pytest.mark.parametrize("words", WRONG)
def test_what_is_wrong_gets_a_way_on(
    words: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(words.split()) == 2
    assert WRONG[words] in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("kind", listing.KINDS)
def test_everything_that_has_a_name_can_be_shown(kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    for item in listing.entries(kind):
        assert main(["show", item["name"]]) == 0
        told = capsys.readouterr().out
        assert item["name"] in told and max(map(len, told.splitlines())) <= 240, item


def test_a_robot_is_shown_with_units_and_its_source(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "sarrafan2012"]) == 0
    told = capsys.readouterr().out
    assert re.search(r"link_mass +0.3 .*kg", told) and "Sarrafan, Akbarzadeh" in told
    assert main(["show", "mx64", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["keys"]["torque_limit"] == pytest.approx(4.745, abs=1e-3)


def test_a_changed_scenario_is_shown_as_changed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "creep", "--set", "gait.waves=1.7"]) == 0
    assert re.search(r"waves +1.7 ", capsys.readouterr().out)


def entries(text: str) -> list[str]:
    return re.findall(r"^@\w+\{(\w+),$", text, re.MULTILINE)


def test_a_run_is_cited_with_all_that_it_rests_on(tmp_path: Path) -> None:
    run = sp.run_scenario("sidewind", ["run.duration=0.1", "run.checked=false", "world.friction.law=stribeck"])
    text = run.citations()
    assert set(entries(text)) == {"serpenoid", "sarrafan2012", "armstrong1994"}
    assert f"version = {{{run.provenance['version']}}}" in text and "serpenoid study sarrafan2012" in text
    run.save(tmp_path / "trajectory.nc")
    assert serpenoid(f"cite {tmp_path}/trajectory.nc", tmp_path).stdout.strip() == text


def test_bibtex_is_well_formed_and_nothing_is_invented() -> None:
    """Braces close, every field of a source stands in a text of ours, and each source is named somewhere."""
    texts = "\n".join(
        path.read_text() for path in Path(sp.__file__).parent.rglob("*.py") if path.name != "citations.py"
    )
    for key, source in SOURCES.items():
        assert re.search(source.words, texts), key
        for name in ("year", "volume", "pages"):
            assert source.fields.get(name, "") in texts
        title = source.fields.get("title", "").strip("{}").lower()
        assert " ".join(title.split()) in " ".join(texts.lower().split()), key
    for family, kinds in ((LAWS, "law"), (GAITS, "kind")):
        for name in family:
            scenario = {"robot": {"preset": "ma2001"}, "world": {"friction": {"law": name}}, "gait": {kinds: name}}
            text = bibtex(scenario, "1.2.3")
            assert text.count("{") == text.count("}") and entries(text)[:2] == ["serpenoid", "ma2001"]


def test_kinds_whose_texts_name_a_year_cite_it() -> None:
    for family in (LAWS, GAITS):
        for name in family:
            text = text_of_kind(family, name)
            assert sources_in(text) or not re.search(r"\((19|20)\d\d\)", text), name


def test_an_own_robot_is_cited_by_its_own_words() -> None:
    scenario = {"robot": {"name": "worm", "source": "weighed on our scales"}, "world": {}}
    assert reasons_to_cite(scenario) == {} and "note = {weighed on our scales}" in bibtex(scenario, "1.0")


def test_another_robot_takes_the_place_of_the_starters_own() -> None:
    assert place_of("rods") == "plane" and place_of("universal") == "space"
    text = texts_of("creep", "rods")["my_creep.toml"]
    assert 'preset = "rods"' in text and "serpenoid show rods" in text and "ma2001" not in text
