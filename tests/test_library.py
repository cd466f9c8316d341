"""Libraries of kernels: the same numbers as the sources, nothing that is not whole is loaded, and nothing built in needs Numba."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cases import PROVE
from serpenoid.compiled import build, forms, library, processor, program

ROUNDING = 1e-7  # of the motion: plain Python and compiled code round apart, contacts magnify it
BLOCKED = """
import sys
class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("numba", "llvmlite"):
            raise ImportError(name + " is blocked")
sys.meta_path.insert(0, Blocked())
from serpenoid.__main__ import main
sys.argv[0] = "serpenoid"
sys.exit(main())
"""


def of_form(text: str, rng: np.random.Generator) -> Any:
    """Some value of a form."""

    def value(form: forms.FormTree) -> Any:
        if not form.kind:
            parts = [value(part) for part in form.parts]
            return form.group(*parts) if form.group else tuple(parts)
        if form.dimensions < 0:
            return {"f": float, "i": int, "b": bool, "u": int}[form.kind[0]](rng.integers(0, 9))
        whole = np.zeros(rng.integers(2, 5, form.dimensions), form.kind)
        return whole if form.in_rows else whole[..., :1] if form.dimensions > 1 else whole[::2]

    (made,) = forms.parsed(text)
    return value(made)


def test_forms_of_all_calls_are_read_and_written_alike() -> None:
    rng = np.random.default_rng(4)
    calls = [call for part in program.PARTS for call in program.calls_in(part)]
    assert len(calls) > 60 and len(set(calls)) == len(calls)
    for name, form in calls:
        values = [of_form(text, rng) for text in _split(form)]
        assert " ".join(forms.form_of(value) for value in values) == form, name
        words = [word for value in values for word in forms.words_of(value)]
        assert len(words) == forms.words_in(forms.parsed(form))


def _split(form: str) -> list[str]:
    found, depth = [""], 0
    for letter in form:
        depth += {"(": 1, ")": -1}.get(letter, 0)
        if letter == " " and not depth:
            found.append("")
        else:
            found[-1] += letter
    return [text for text in found if text]


@pytest.mark.parametrize("part", program.PARTS)
def test_every_listed_call_has_its_function(part: str) -> None:
    made = library.library_of(part)
    assert made is not None and made.level == processor.levels()[0]
    for name, form in program.calls_in(part):
        call = made.call(name, form)
        assert call is not None and (call.code is not None) == (name in program.BY_ADDRESS), name
    assert made.call("serpenoid.frames:sincos1", "f8 f8") is None


def test_groups_arrays_and_numbers_come_back() -> None:
    """An answer of several numbers, one of an array, a number that a kernel changes in an array of the caller."""
    from serpenoid.gaits.concertina_legs import elbow
    from serpenoid.gaits.waves import ramp
    from serpenoid.planning.shortest import grid_distances

    for kernel, given in ((ramp, (0.3, 2.0, 0.1)), (elbow, (0.1, 0.2, 1.3, 0.7, 1.0, 1.0, 1.0))):
        answer = kernel(*given)
        assert kernel._numba is None and np.allclose(
            answer, kernel.py_func(*given), rtol=1e-15
        )  # not compiled by Numba
    cost, reach = np.full((3, 4), 0.7), np.ones((3, 4), bool)
    reach[1, 1:] = False
    far = grid_distances(cost, reach, np.array([[0, 3]]), 0.5, False)
    expected = [[2.1, 1.4, 0.7, 0.0], [2.8, np.inf, np.inf, np.inf], [3.5, 4.2, 4.9, 5.6]]
    assert np.allclose(far, expected, rtol=1e-14) and far.flags.owndata


PLAIN = """
import json, sys, numpy as np
from serpenoid.formats.scenario import read
from serpenoid.simulation.setup import setup_of
from serpenoid.simulation.simulation import Simulation
made = []
for name, keys in json.loads(sys.argv[1]):
    sim = Simulation.of(setup_of(read(name, keys)), step=0.002, stride=5)
    sim.advance(0.05)
    run = sim.finish()
    made.append([run["node"].tolist(), float(run.metrics["friction_loss"])])
print(json.dumps(made))
"""


def test_the_library_is_the_source() -> None:
    """Robots of the plane and of space, prescribed, driven and under servos: as plain Python runs the same kernels, without any compiler."""
    cases = [
        ("creep", ["robot.links=5"]),
        ("ma2001-torque", ["robot.links=5"]),
        ("sidewind", ["robot.links=4"]),
        ("sea-snake", ["robot.links=4"]),
    ]
    made = []
    for own in ({}, {"NUMBA_DISABLE_JIT": "1"}):
        words = [sys.executable, "-c", PLAIN, json.dumps(cases)]
        done = subprocess.run(words, env={**os.environ, **own}, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr[-2000:]
        made.append(json.loads(done.stdout))
    for case, (node, loss), (plain, other) in zip(cases, *made, strict=True):
        one, two = np.array(node), np.array(plain)
        moved = np.ptp(one, axis=0).max()
        assert moved > 1e-7, case
        assert np.abs(one - two).max() <= ROUNDING * moved, case
        assert abs(loss - other) <= 1e-6 * abs(loss), case


@pytest.fixture
def copied(tmp_path: Path) -> tuple[Path, dict[str, Any]]:
    """A library of this machine with its sheet, in a folder of its own."""
    made = library.library_of("rooms")
    assert made is not None
    for path in (made.path, made.path.with_suffix(".json")):
        shutil.copy2(path, tmp_path / path.name)
    path = tmp_path / made.path.name
    sheet = library.sheet_of(path)
    assert sheet is not None and library.whole(path, sheet) and library.fresh(path, sheet)
    return path, sheet


@pytest.mark.parametrize("damage", ["flipped", "cut", "emptied", "sheet cut", "version", "no calls", "source"])
def test_nothing_damaged_or_stale_is_loaded(copied: tuple[Path, dict[str, Any]], damage: str) -> None:
    path, sheet = copied
    code, beside = path.read_bytes(), path.with_suffix(".json")
    if damage == "flipped":
        path.write_bytes(code[:5000] + bytes([code[5000] ^ 4]) + code[5001:])
    elif damage == "cut":
        path.write_bytes(code[: len(code) // 2])
    elif damage == "emptied":
        path.write_bytes(b"")
    elif damage == "sheet cut":
        beside.write_text(beside.read_text()[:-9])
    elif damage == "version":
        beside.write_text(json.dumps({**sheet, "version": "0.0.1"}))
    elif damage == "no calls":
        beside.write_text(json.dumps({**sheet, "calls": {}}))
    else:
        beside.write_text(json.dumps({**sheet, "meaning": "of other sources", "sources": {"frames.py": [1, 2]}}))
    now = library.sheet_of(path)
    assert now is None or not library.whole(path, now) or not library.fresh(path, now)


def test_a_touched_source_that_means_the_same_is_noted(copied: tuple[Path, dict[str, Any]]) -> None:
    path, sheet = copied
    name = next(iter(sheet["sources"]))
    older = {**sheet, "sources": {**sheet["sources"], name: [1, 2]}}
    assert library.fresh(path, older)
    assert json.loads(path.with_suffix(".json").read_text())["sources"] == build.sources_of_part("rooms")


def test_a_processor_without_a_level_takes_the_one_below(monkeypatch: pytest.MonkeyPatch) -> None:
    flags = {level: set().union(*list(processor._X86.values())[: k + 1]) for k, level in enumerate(processor._X86)}
    monkeypatch.setattr(processor.platform, "machine", lambda: "x86_64")
    for k, level in enumerate(flags):
        monkeypatch.setattr(processor, "_flags", lambda level=level: flags[level])
        assert processor.levels.__wrapped__() == tuple(reversed(list(flags)[: k + 1]))
    monkeypatch.setattr(processor, "_flags", set)
    assert processor.levels.__wrapped__() == ()


COMMANDS = [
    ["run", "creep", "--set", "run.duration=0.3"],
    ["run", "sidewind", "--no-film", "--set", "run.duration=0.1"],
    ["run", "pegs", "--no-film", "--set", "run.duration=0.1"],
    ["plan", "path", "--map", "two-walls"],
    ["sweep", "creep", "--over", "gait.winding_angle_deg=20:40:20", "--set", "run.duration=0.2", "--out", "swept"],
    ["export", "sidewind", "--to", "mjcf"],
    ["shape", "helix"],
]


@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: " ".join(words[:2]))
def test_what_is_built_in_needs_no_numba(words: list[str], tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", BLOCKED, *words], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]


@pytest.mark.skipif(not PROVE, reason="every bundled scenario, by SERPENOID_PROVE=1")
def test_no_bundled_scenario_needs_numba(tmp_path: Path) -> None:
    from serpenoid.formats.scenario import bundled

    for name in bundled():
        words = [sys.executable, "-c", BLOCKED, "run", name, "--no-film"]
        done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, (name, done.stderr[-2000:])
