"""A trajectory file as an enemy's: flipped bits, cuts and tampered fields are refused, or harmless; no kernel writes outside its arrays."""

from __future__ import annotations

import copy
import json
import random
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import serpenoid as sp
from cases import PROVE
from serpenoid.core.errors import InputError
from serpenoid.formats import trajectory

FLIPS, CUTS, TAMPERED = (2000, 500, 500) if PROVE else (60, 30, 24)
SHORT = ["run.duration=0.2", "run.checked=false"]
STOPPED = {
    "creep": 0.1, "sidewind": 0.05, "ma2001-torque-damped": 0.1, "concertina": 2.0,
}  # fmt: skip  # until when, s


def stopped(name: str) -> sp.Trajectory:
    """A run that was stopped on the way."""
    changes = ["run.checked=false"] if name == "concertina" else SHORT
    return sp.run_scenario(name, changes, until=STOPPED[name])


@pytest.fixture(scope="module")
def part() -> sp.Trajectory:
    return stopped("creep")


def test_flipped_bits_and_cuts_are_refused(part: sp.Trajectory, tmp_path: Path) -> None:
    """Any bit, anywhere: the digest is looked at before anything is interpreted."""
    path, rng = trajectory.save(part, tmp_path / "t.nc"), random.Random(13)
    content = path.read_bytes()
    assert trajectory.load(path).status.ok
    for _ in range(FLIPS):
        damaged = bytearray(content)
        damaged[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
        path.write_bytes(bytes(damaged))
        with pytest.raises(InputError):
            trajectory.load(path)
    for cut in {rng.randrange(len(content)) for _ in range(CUTS)} | {0, 1, 84, len(content) - 1}:
        path.write_bytes(content[:cut])
        with pytest.raises(InputError):
            trajectory.load(path)
    path.write_bytes(content + b"\n")
    with pytest.raises(InputError):
        trajectory.load(path)


def test_edited_files_are_refused(part: sp.Trajectory, tmp_path: Path) -> None:
    """Another label on old numbers, or another step counter, written into the file by the usual library."""
    import h5py

    for change in ("scenario", "counter"):
        path = trajectory.save(part, tmp_path / f"{change}.nc")
        with h5py.File(path, "r+") as file:
            if change == "scenario":
                data = json.loads(file.attrs["scenario"])
                data["world"]["friction"]["along"] = 0.9
                file.attrs["scenario"] = json.dumps(data)
            else:
                file["state/arrays.motion"][10] = -4000.0
        with pytest.raises(InputError, match="digest"):
            trajectory.load(path)


def test_another_version_is_refused_with_what_to_do(part: sp.Trajectory, tmp_path: Path) -> None:
    other = replace(part, provenance={**part.provenance, "version": "99.0.0"})
    back = trajectory.load(trajectory.save(other, tmp_path / "t.nc"))  # it can be read
    for go_on in (sp.resume, lambda run: sp.Simulation.of(sp.simulation.setup.setup_of(run.scenario)).restore(run)):
        with pytest.raises(InputError, match=r"serpenoid 99\.0\.0 .*run its scenario again"):
            go_on(back)


@pytest.mark.parametrize("done", [-4000.0, -1.0, 0.5, 1e300, 2.0**60, 10_000_000.0, np.nan])
@pytest.mark.parametrize("name", ["creep", "sidewind"])
def test_step_counters_are_refused(name: str, done: float, part: sp.Trajectory) -> None:
    """A counter of steps that this run cannot have taken, in a file whose digest is right."""
    run = part if name == "creep" else STORE.setdefault(name, stopped(name))
    state = copy.deepcopy(dict(run.state))
    state["arrays"]["motion"][10 if name == "creep" else 19] = done
    with pytest.raises(InputError):
        sp.resume(replace(run, state=state))
    if done == np.floor(done) and abs(done) < 1e9:  # and the record's beginning made to fit it
        first, stride = state["record"]["first"], int(state["simulation"]["stride"])
        first[0] = done // stride + 1 - len(state["record"]["motion" if name == "creep" else "frames"])
        with pytest.raises(InputError):
            sp.resume(replace(run, state=state))


STORE: dict[str, sp.Trajectory] = {}


@pytest.mark.parametrize("name", ["creep", "sidewind"])
def test_kernels_check_their_range(name: str) -> None:
    """Behind every other check: a march whose frames do not fit its storage refuses to begin."""
    engine = sp.Simulation.of(sp.simulation.setup.setup_of(sp.formats.read(name, SHORT)))._engine
    assert engine.advance(engine.stride)
    for first in (-3, 10**6):
        engine._first_frame = first
        with pytest.raises(InputError, match="record of this engine"):
            engine.advance(2 * engine.stride if first < 0 else engine.done + 1)
        engine._first_frame = 0
    engine.state.motion[10 if name == "creep" else 19] = -4000.0
    if name == "sidewind":
        engine._last = -4000  # so that the record is not begun anew
    with pytest.raises(InputError, match="record of this engine"):
        engine.advance(engine.stride)


def test_tampered_fields_neither_crash_nor_hang(tmp_path: Path) -> None:
    """Any number, text or list of a saved state replaced, the digest right again: refused, or a run that ends with a status."""
    script = Path(__file__).with_name("tampering.py")
    done = subprocess.run(
        [sys.executable, "-X", "faulthandler", str(script), str(TAMPERED)],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        timeout=3600,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    counts = json.loads(done.stdout.splitlines()[-1])
    assert counts["tried"] == TAMPERED and counts["refused"] > 0.3 * TAMPERED and not counts["strange"], counts


def test_links_out_of_the_file_are_refused(tmp_path: Path) -> None:
    """External and soft links, external storage, virtual arrays and texts: not followed."""
    import h5py

    (tmp_path / "other.nc").write_bytes(b"")

    def outside(file: Any) -> None:
        file["x"] = h5py.ExternalLink("other.nc", "/")

    def soft(file: Any) -> None:
        file["x"] = h5py.SoftLink("/nowhere")

    def stored(file: Any) -> None:
        file.create_dataset("x", (4,), dtype="u1", external=[(str(tmp_path / "other.nc"), 0, 4)])

    def virtual(file: Any) -> None:
        layout = h5py.VirtualLayout((4,), "f8")
        layout[:] = h5py.VirtualSource("other.nc", "a", (4,))
        file.create_virtual_dataset("x", layout)

    def texts(file: Any) -> None:
        file.create_dataset("x", data=["a"], dtype=h5py.string_dtype())

    def chunk(file: Any) -> None:
        file.create_dataset("x", (4,), maxshape=(None,), dtype="f8", chunks=(100_000_000,), compression="gzip")

    for change in (outside, soft, stored, virtual, texts, chunk):
        path = tmp_path / "t.nc"
        with h5py.File(path, "w") as file:
            change(file)
        signed(path)
        with pytest.raises(InputError, match=r"outside itself|no numbers|unpack"):
            trajectory.load(path)


def signed(path: Path) -> None:
    """Put a right digest to a file's end."""
    import hashlib

    content = path.read_bytes()
    path.write_bytes(content + b"\nserpenoid sha256 " + hashlib.sha256(content).hexdigest().encode() + b"\n")


def test_a_run_that_packs_well_is_read_back(
    part: sp.Trajectory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A true run that looks like a bomb, for nothing moves in it, is stored unpacked and read."""
    monkeypatch.setattr(trajectory, "FREELY", 10_000)
    monkeypatch.setattr(trajectory, "MOST_RATIO", 1)
    back = trajectory.load(trajectory.save(part, tmp_path / "t.nc"))
    assert np.array_equal(back["node"], part["node"])
