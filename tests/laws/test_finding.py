"""Findings: a sentence made from code and numbers, that survives files, copies and processes."""

from __future__ import annotations

import copy
import math
import pickle
from dataclasses import replace
from pathlib import Path

import pytest

import serpenoid as sp
from serpenoid.core.finding import TEXTS, Finding, finding_of, names_in, said, text_of
from serpenoid.judgement.findings import FINDINGS
from serpenoid.judgement.ledger import WIDTH

CODES = (*TEXTS, *FINDINGS)


def an_example(code: str) -> Finding:
    """A finding with a number in each place of its text, a place of a word where words are to be chosen from."""
    text = text_of(code)
    return Finding(
        code,
        **{name: 1 if "{" + name + ":" in text and "|" in text else k + 2 for k, name in enumerate(names_in(text))},
    )


@pytest.mark.parametrize("code", CODES)
def test_text_is_made_from_code_and_numbers(code: str) -> None:
    found = an_example(code)
    again = [finding_of(found.keys()), copy.deepcopy(found), copy.copy(found), pickle.loads(pickle.dumps(found))]  # noqa: S301
    for other in again:
        assert isinstance(other, Finding)
        assert (other, other.code, dict(other.numbers)) == (found, found.code, dict(found.numbers))
    assert "{" not in found and "[" not in found


@pytest.mark.parametrize("code", FINDINGS)
def test_numbers_of_a_finding_fit_into_its_row(code: str) -> None:
    assert len(names_in(FINDINGS[code].text)) < WIDTH and code not in TEXTS


def test_a_template_shows_numbers_by_the_rules() -> None:
    """A number, a share, a whole number, a word by its number, words that a number lets out, shares by name."""
    text = "[late?late ]{who:tail|head} {a:.3g} m, {b:.1%}, {c:d} of {d:g}, {e:.0f}: {errors}"
    numbers = {
        "late": 0.0,
        "who": 1.0,
        "a": 1.23456,
        "b": 0.0456,
        "c": 7.0,
        "d": 2.5,
        "e": 3.6,
        "errors": {"x_y": 0.034, "z": 0.12},
    }
    assert names_in(text) == ["late", "who", "a", "b", "c", "d", "e", "errors"]
    assert said(text, numbers) == "head 1.23 m, 4.6%, 7 of 2.5, 4: z 12%, x y 3.4%"
    assert said(text, {**numbers, "late": 1.0, "who": 0.0, "c": math.inf}).startswith("late tail 1.23 m, 4.6%, inf of")


def test_findings_are_saved_with_a_run(tmp_path: Path) -> None:
    gait = sp.gaits.Serpenoid(winding_angle=0.5, waves=1.0, speed=0.2)
    run = sp.simulate(sp.robots.ma2001(links=4), gait, duration=0.02)
    found = Finding("unsolved-steps", count=3, steps=7)
    odd = Finding("unsolved-steps", count=math.inf, steps=7)
    told = replace(run, warnings=("a sentence", found, odd))
    back = sp.load(told.save(tmp_path / "run.nc"))
    assert back.warnings == told.warnings
    assert [f.keys() for f in back.findings] == [found.keys(), odd.keys()]


def test_an_unknown_finding_is_refused() -> None:
    for stored in ({"code": "no-such-thing", "numbers": {}}, {"code": "unsolved-steps", "numbers": {}}, 7, {}):
        with pytest.raises(sp.SerpenoidError, match="finding"):
            finding_of(stored)
