"""Wrong calls of the Python interface: each ends in one of our errors, short and in words, or is a call that works."""

from __future__ import annotations

import random
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from calls import descriptions, functions

import serpenoid as sp
from cases import PROVE
from serpenoid.core.errors import SerpenoidError

MOST_LINES = 10
BAD: dict[str, Any] = {
    "none": None, "true": True, "word": "x", "empty": "", "bytes": b"x", "complex": 1 + 2j, "nan": np.nan, "inf": np.inf, "minus": -1, "zero": 0,
    "huge": 1e300, "minus huge": -1e300, "half": 0.5, "big int": 10**400, "list": [], "dict": {}, "object": object(), "set": {1}, "nul": "\0",
    "empty array": np.array([]), "texts": np.array(["a", "b"]), "complexes": np.array([1j]), "masked": np.ma.array([1.0, 2.0], mask=[0, 1]),
    "flags": np.array([True, False]), "cube": np.ones((2, 3, 4)), "nans": [np.nan, 1.0], "ragged": [[1], [2, 3]], "function": lambda *a: "x",
    "path": Path("nowhere/at/all"), "class": int, "objects": np.array([object()]), "date": np.datetime64("2020-01-01"), "slice": slice(3),
}  # fmt: skip


def outcome(call: Any, arguments: dict[str, Any]) -> str:
    """Empty if a call works or is refused in words; else what came instead."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        try:
            call(**arguments)
        except SerpenoidError as error:
            lines = str(error).count("\n") + 1
            return "" if lines <= MOST_LINES else f"a message of {lines} lines"
        except Exception as error:
            return f"{type(error).__name__}: {error}"
    return ""


def trials(table: dict[str, Any], count: int | None) -> list[tuple[str, str, str]]:
    """Every argument of every call with every bad value; a seeded sample of so many."""
    every = [(name, key, bad) for name, (_, good) in table.items() for key in good for bad in BAD]
    return every if count is None else random.Random(7).sample(every, count)


def failures(table: dict[str, Any], count: int | None) -> list[str]:
    found = []
    for name, key, bad in trials(table, count):
        call, good = table[name]
        problem = outcome(call, {**good, key: BAD[bad]})
        if problem:
            found.append(f"{name}({key}={bad}): {problem}")
    return found


@pytest.fixture(scope="module")
def calls(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return functions(tmp_path_factory.mktemp("calls"))


def test_the_calls_themselves_work(calls: dict[str, Any]) -> None:
    """What the attack starts from is right: a call that is refused as it stands would hide what its arguments do."""
    wrong = {}
    for name, (call, good) in {**descriptions(), **calls}.items():
        try:
            call(**good)
        except Exception as error:
            wrong[name] = f"{type(error).__name__}: {error}"
    assert not wrong


def test_wrong_values_of_descriptions_are_refused_in_words() -> None:
    assert not failures(descriptions(), None)


def test_wrong_arguments_of_functions_are_refused_in_words(
    calls: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert not failures(calls, None if PROVE else 300)


def test_unknown_and_missing_arguments_are_named(calls: dict[str, Any]) -> None:
    for name, (call, good) in calls.items():
        if name in ("advance", "push", "plot", "concertina"):
            continue
        with pytest.raises(SerpenoidError, match="nonsense"):
            call(**good, nonsense=1)


@pytest.mark.parametrize("mass", [1 + 2j, "0.2", True, np.ma.array([0.2, 0.3, 0.2], mask=[0, 1, 0]), [0.2, "0.3", 0.2]])
def test_masses_that_are_not_numbers_are_refused(mass: Any) -> None:
    with pytest.raises(SerpenoidError, match="link_mass"):
        sp.Robot(links=3, link_length=0.1, link_mass=mass)
