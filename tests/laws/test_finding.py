"""Findings: a sentence made from code and numbers, that survives files, copies and processes."""

from __future__ import annotations

import copy
import math
import pickle
import string
from dataclasses import replace
from pathlib import Path

import pytest

import serpenoid as sp
from serpenoid.core.finding import TEXTS, Finding, finding_of


def an_example(code: str) -> Finding:
    """A finding with a number in each place of its text."""
    names = {
        name.partition(".")[0].partition("[")[0] for _, name, _, _ in string.Formatter().parse(TEXTS[code]) if name
    }
    return Finding(code, **{name: k + 2 for k, name in enumerate(sorted(names))})


@pytest.mark.parametrize("code", TEXTS)
def test_text_is_made_from_code_and_numbers(code: str) -> None:
    found = an_example(code)
    again = [finding_of(found.keys()), copy.deepcopy(found), copy.copy(found), pickle.loads(pickle.dumps(found))]  # noqa: S301
    for other in again:
        assert isinstance(other, Finding)
        assert (other, other.code, dict(other.numbers)) == (found, found.code, dict(found.numbers))
    for value in found.numbers.values():
        assert str(value) in found


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
