"""Scenarios cut off, mutilated or filled with absurd values: a clear refusal, or the whole meaning; never anything else."""

from __future__ import annotations

import copy
import random
import tomllib
from pathlib import Path
from typing import Any

import pytest

from cases import PROVE
from serpenoid.core.errors import InputError, SerpenoidError
from serpenoid.formats import scenario
from serpenoid.simulation.setup import setup_of

CUTS, FUZZED = (500, 10_000) if PROVE else (150, 400)
LINES = 10
VALUES: tuple[Any, ...] = (
    1e308, -1e308, 1e154, 1e-308, 5e-324, 0, -1, 0.5, 3, 10**400, 10**18, True, "", "x" * 2000, [], {}, float("nan"), float("inf"), [1e308] * 3,
    [[1e308, 1e308]], "auto", "\0", "../../etc/passwd", [[]], {"kind": "serpenoid"},
)  # fmt: skip


def meaning(path: Path) -> Any:
    """What a scenario file says, every default included; None where it is refused, in ten lines at most."""
    try:
        return setup_of(scenario.read(str(path))).keys()
    except SerpenoidError as error:
        assert isinstance(error, InputError) and len(str(error).splitlines()) <= LINES, error
        return None


def test_cut_scenarios_are_refused_or_end_with_a_line(tmp_path: Path) -> None:
    """A cut within a line is refused, whatever is left of the value; a cut value never passes for a whole one."""
    rng, path = random.Random(11), tmp_path / "cut.toml"
    texts = [file.read_text() for file in scenario.bundled().values()]
    for _ in range(CUTS):
        text = rng.choice(texts)
        cut = rng.randrange(len(text))
        path.write_text(text[:cut])
        last = text[:cut].rpartition("\n")[2].strip()
        if meaning(path) is not None:
            assert last == "" or last.startswith("#") or text[:cut].rstrip("\n") == text.rstrip("\n"), text[:cut][-80:]


def test_each_cut_of_a_number_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "s.toml"
    text = '[robot]\npreset = "ma2001"\n[gait]\nkind = "serpenoid"\nwinding_angle = 0.8\nwaves = 2\nspeed = 0.8\n[run]\nduration = 9.0\nstep = 2.5e-4\n'
    path.write_text(text)
    whole = meaning(path)
    assert whole is not None and whole["run"]["step"] == 2.5e-4
    for cut in range(text.index("step"), len(text)):
        path.write_text(text[:cut])
        assert meaning(path) is None or cut == text.index("step"), text[:cut][-12:]
    path.write_text(text + "# the end")
    assert meaning(path) == whole


def places(table: dict[str, Any], path: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    found = []
    for key, value in table.items():
        found += [(*path, key), *(places(value, (*path, key)) if isinstance(value, dict) else [])]
    return found


def test_absurd_values_are_refused_or_described() -> None:
    """Any value anywhere: refused as bad input, or a description that says the same when it is read again."""
    rng = random.Random(17)
    known = [setup_of(scenario.read(name)).keys() for name in scenario.bundled()]
    refused = 0
    for _ in range(FUZZED):
        data = copy.deepcopy(rng.choice(known))
        for _ in range(rng.choice((1, 1, 2))):
            path = rng.choice(places(data))
            table: Any = data
            for key in path[:-1]:
                table = table.get(key) if isinstance(table, dict) else None
            if isinstance(table, dict):
                table[path[-1]] = rng.choice(VALUES)
        try:
            said = setup_of(scenario.checked(data)).keys()
        except SerpenoidError as error:
            refused += 1
            assert isinstance(error, InputError) and len(str(error).splitlines()) <= LINES, error
            continue
        assert setup_of(scenario.checked(said)).keys() == said
    assert refused > 0.4 * FUZZED


@pytest.mark.parametrize("value", [1, "x", [1], [{"kind": "cpg"}]])
@pytest.mark.parametrize("key", ["gait", "drive", "plan", "controller"])
def test_a_command_that_is_no_table(key: str, value: Any) -> None:
    """Data that no file has been through, too."""
    with pytest.raises(InputError, match=key):
        setup_of({"robot": {"preset": "ma2001"}, key: value, "run": {"duration": 1.0}})


def test_mutilated_texts_are_refused_or_read(tmp_path: Path) -> None:
    """Bytes replaced, doubled, removed and lines shuffled: the budgets and the parser agree on where strings end."""
    rng, path = random.Random(23), tmp_path / "m.toml"
    texts = [file.read_bytes() for file in scenario.bundled().values()]
    for _ in range(FUZZED // 4):
        data = bytearray(rng.choice(texts))
        for _ in range(rng.randint(1, 4)):
            at = rng.randrange(len(data))
            data[at : at + rng.choice((0, 1, 1, 9))] = rng.choice(
                (b"", b'"', b"'", b'"""', b"[", b"=", b".", b"\\", b"\n", b"\0", b"\xff", b"9" * 40)
            )
        path.write_bytes(bytes(data))
        meaning(path)


@pytest.mark.parametrize(
    "text",
    [
        'a = """x"""\n',
        "a = ''''x''''\n",
        'a = "\\""\n',
        "'a.b'.c = 1 # .\n",
        '"a.b" = [1.5, {c.d = 2}]\n',
        "a = 1.5e3\n",
    ],
)
def test_budgets_let_plain_toml_pass(text: str) -> None:
    from serpenoid.formats.opening import check_toml

    tomllib.loads(text)
    check_toml(text, "text")
