"""The table of validation: its verdicts, its files, how a verdict comes about, and that the documents show it."""

from __future__ import annotations

import csv
import dataclasses
import json
import math
import re
from pathlib import Path
from typing import Any

import pytest

import serpenoid as sp
from cases import PROVE
from serpenoid.studies.validation import dry, engines, table, viscous
from serpenoid.studies.validation.comparison import (
    ABSOLUTE,
    AGREES,
    AT_LEAST,
    AT_MOST,
    EXPLAINED,
    NOT_RUN,
    OPEN,
    Comparison,
    Origin,
)
from serpenoid.studies.validation.figures import overview
from study_cases import check_study, check_verdicts, quick_study

STUDY = Path(sp.__file__).parent / "studies" / "validation"
PAGE = Path(__file__).parents[1] / "docs" / "validation.md"
COUNTS = {"VIS": 10, "DRY": 17, "CHN": 7, "GND": 7, "ENG": 7}
IDS = [f"{group}-{k}" for group, count in COUNTS.items() for k in range(1, count + 1)]
KNOWN = {**dict.fromkeys(IDS, AGREES), "DRY-13": OPEN, "ENG-7": EXPLAINED}
CLAIM = {AGREES: "holds", EXPLAINED: "holds in part", OPEN: "does not hold"}
SOURCE = Origin("someone", "somewhere")


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The quick study; without the other packages unless everything is to be proved."""
    with pytest.MonkeyPatch.context() as patch:
        if not PROVE:
            patch.setattr(engines, "missing", lambda name: engines.EXTRA)
        return quick_study("validation", tmp_path_factory.mktemp("validation"))


def test_verdicts(result: dict[str, Any]) -> None:
    found = {row["id"]: row["verdict"] for row in result["rows"]}
    if PROVE:
        pytest.importorskip("mujoco")
        pytest.importorskip("pydrake")
        check_verdicts(result, {name: CLAIM[verdict] for name, verdict in KNOWN.items()}, STUDY)
    else:
        check_study(result)
    absent = {} if PROVE else {name: NOT_RUN for name in IDS if name.startswith("ENG")}
    assert found == {**KNOWN, **absent}
    assert len(result["rows"]) >= 25 and len(result["sources"]) >= 8
    assert f"from {len(result['sources'])}" in (STUDY / "README.md").read_text()


def test_rows_that_need_a_package_say_so(result: dict[str, Any]) -> None:
    if PROVE:
        pytest.skip("the packages are there")
    some = [row for row in result["rows"] if row["id"].startswith("ENG")]
    assert all("serpenoid[engines]" in row["note"] and row["theirs"] is None and row["ours"] is None for row in some)
    assert not any(claim["id"].startswith("ENG") for claim in result["claims"])
    assert "not run: needs the extra engines" in (result["out"] / "validation.md").read_text()


def test_files_say_the_same(result: dict[str, Any]) -> None:
    out = result["out"]
    rows = json.loads((out / "validation.json").read_text())["rows"]
    assert rows == json.loads(json.dumps(result["rows"]))
    with (out / "validation.csv").open(newline="") as file:
        read = list(csv.DictReader(file))
    assert [row["id"] for row in read] == IDS and tuple(read[0]) == table.COLUMNS
    assert all(float(a["ours"]) == b["ours"] for a, b in zip(read, rows, strict=True) if b["ours"] is not None)
    assert result["told"] == sorted(result["told"]) and result["told"][-1] == 1.0


def test_the_page_shows_the_table() -> None:
    """Ids, verdicts and their numbers of the page are those of the study; ours come from a full run."""
    lines = re.findall(r"^\| ([A-Z]{3}-\d+) \|(.*)\|$", PAGE.read_text(), re.MULTILINE)
    shown = {name: cells.split("|")[0].strip() for name, cells in lines}
    assert shown == KNOWN
    for name in ("DRY-13", "ENG-7"):
        assert f"**{name}**" in PAGE.read_text()


def row(theirs: float | None, ours: float | None, tolerance: float, how: str = ABSOLUTE, **keys: Any) -> Comparison:
    return Comparison("X-1", SOURCE, "a thing", "m", theirs, ours, tolerance, "a reason", how, **keys)


@pytest.mark.parametrize(
    ("case", "verdict"),
    [
        (row(2.0, 2.1, 0.11), AGREES),
        (row(2.0, 2.1, 0.09), OPEN),
        (row(2.0, 1.9, 0.09), OPEN),
        (row(2.0, 2.1, 0.09, note="why", settled=True), EXPLAINED),
        (row(-2.0, -2.1, 0.06, "relative"), AGREES),
        (row(-2.0, -2.1, 0.04, "relative"), OPEN),
        (row(2.0, math.nan, 1.0), OPEN),
        (row(2.0, None, 1.0), OPEN),
        (row(None, None, 1.0, needs="a package"), NOT_RUN),
        (row(9.0, 0.5, 0.6, AT_MOST), AGREES),
        (row(9.0, 0.7, 0.6, AT_MOST), OPEN),
        (row(9.0, math.nan, 0.6, AT_MOST), OPEN),
        (row(None, 0.7, 0.6, AT_LEAST), AGREES),
        (row(None, 0.5, 0.6, AT_LEAST), OPEN),
    ],
)
def test_how_a_verdict_comes_about(case: Comparison, verdict: str) -> None:
    assert case.verdict == verdict
    claim = table.claim_of(case)
    assert (claim is None) == (verdict == NOT_RUN)
    assert claim is None or claim["verdict"] == CLAIM[verdict]
    assert verdict in table.markdown([case])


def test_a_run_that_failed_is_open_and_can_be_written_and_drawn(tmp_path: Path) -> None:
    rows = [
        row(2.0, 2.1, 0.2),
        row(2.0, math.nan, 0.2),
        row(math.nan, 2.0, 0.2),
        row(None, None, 1.0, needs="a package"),
    ]
    table.write(rows, tmp_path)
    read = json.loads((tmp_path / "validation.json").read_text())["rows"]
    assert [r["verdict"] for r in read] == [AGREES, OPEN, OPEN, NOT_RUN] and read[1]["ours"] is None
    assert "the run failed" in (tmp_path / "validation.md").read_text()
    assert overview(rows, tmp_path / "figure.png").stat().st_size > 5000


def test_a_wrong_number_is_seen() -> None:
    """A tenth more friction across, or a stroke with another drag ratio, is far beyond the tolerance."""
    wrong = dry.steady_speed(100, 7, sp.contact.UnitSlip(1.0, 2.2, 1.5))
    theirs = dry.continuum(40)[2]
    assert dataclasses.replace(theirs, ours=wrong).verdict == OPEN
    assert abs(viscous.stroke_by_balance(0.5, ratio=2.1) - viscous.STROKES[0.5]) > 100 * viscous.HALF_DIGIT


@pytest.mark.skipif(not PROVE, reason="full counts")
def test_the_full_study(tmp_path: Path) -> None:
    full = sp.studies.find("validation").run(tmp_path)
    assert {row["id"]: row["verdict"] for row in full["rows"]} == KNOWN


def test_engines_are_found_or_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    def without(name: str) -> None:
        raise sp.SerpenoidError("not installed")

    monkeypatch.setattr(engines, "engine_class", without)
    with pytest.raises(sp.SerpenoidError):  # another error than a missing package is not hidden
        engines.missing("mujoco")
    from serpenoid.core.errors import InputError

    def refused(name: str) -> None:
        raise InputError("needs serpenoid[engines]")

    monkeypatch.setattr(engines, "engine_class", refused)
    assert [r.verdict for r in engines.rows(True)] == [NOT_RUN] * COUNTS["ENG"]
