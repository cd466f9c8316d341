"""Checkpoints: what a killed process had reached is gone on from, bit for bit, and less than a minute of it is lost."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from asking import asked
from processes import lines, started, verdicts, write

import serpenoid as sp
from cases import PROVE
from serpenoid.core.errors import StorageError
from serpenoid.formats import manifest, result, trajectory
from serpenoid.simulation import simulation
from serpenoid.simulation.keeping import Keeper
from serpenoid.simulation.run import execute
from serpenoid.simulation.setup import setup_of


def test_a_killed_run_goes_on_from_its_checkpoint(tmp_path: Path) -> None:
    """kill -9 after a checkpoint: --resume FOLDER goes on, and the file is equal to that of a run that was left alone, byte for byte."""
    long = [
        "run",
        "creep",
        "--set",
        "run.step=1e-5",
        "--set",
        "run.duration=4",
        "--set",
        "run.checked=false",
        "--no-film",
        "--json",
    ]
    process = started([*long, "--out", "o"], tmp_path, SERPENOID_CHECKPOINT="0.01")
    for _ in lines(process):
        if list(tmp_path.glob(".o.*.part/checkpoint.nc")):
            break
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    assert not (tmp_path / "o").exists() and verdicts(tmp_path) == {"unfinished"}
    answers = asked([["run", "--resume", "o", "--json"], [*long, "--out", "whole"]], tmp_path)
    assert [code for code, *_ in answers] == [0, 0], answers
    assert (tmp_path / "o/trajectory.nc").read_bytes() == (tmp_path / "whole/trajectory.nc").read_bytes()
    assert sorted(os.listdir(tmp_path)) == ["o", "whole"]


CLOCKED = {
    "creep": ["run.duration=0.2"], "sidewind": ["run.duration=0.2"], "ma2001-torque-damped": ["run.duration=0.2"], "concertina": [],
}  # fmt: skip


@pytest.mark.parametrize(("name", "checked"), [*((name, False) for name in CLOCKED), ("creep", True)])
def test_checkpoints_by_the_clock_change_nothing(
    name: str, checked: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whenever it is kept, the run is the same; from each checkpoint it goes on to the same numbers; the clock says when."""
    monkeypatch.setattr(simulation, "STRETCH", 5)
    changes = [*CLOCKED[name], *(["run.step=8e-3", "run.duration=0.8"] if checked else ["run.checked=false"])]
    until = 3.0 if name == "concertina" else None
    setup = setup_of(sp.formats.read(name, changes))
    now, kept = [0.0], []

    def tick(fraction: float) -> None:
        now[0] += 1.0

    def save(run: sp.Trajectory) -> None:
        kept.append(trajectory.load(trajectory.save(run, tmp_path / "kept.nc")))

    every = 0.5 if checked else {"concertina": 60.0, "sidewind": 1.5}.get(name, 40.0)
    run = execute(setup, until=until, progress=tick, keeper=Keeper(save, every, lambda: now[0]))
    plain = execute(setup, until=until)
    assert len(kept) >= 2
    if checked:  # both twins were under way, too
        assert {part.state["twin"]["ratio"] for part in kept if "twin" in part.state} == {2.0, 0.5}
    for part in kept if PROVE else kept[::6] if checked else kept[-1:]:
        rest = sp.resume(part, until=until)
        assert rest.warnings == run.warnings == plain.warnings and rest.provenance["check"] == plain.provenance["check"]
        assert rest.metrics == run.metrics == plain.metrics and rest.status == run.status
        assert all(np.array_equal(rest[n], plain[n], equal_nan=True) for n in plain.variables)


def test_checkpoints_every_minute_and_below_a_tenth() -> None:
    """Less than a minute is lost, while a save takes 5 s at most; one that takes longer is made less often."""
    now, saved = [0.0], []

    def save(run: Any) -> None:
        saved.append(now[0])
        now[0] += takes

    for takes, pause in ((4.0, 60.0), (20.0, 230.0)):
        saved.clear()
        keeper = Keeper(save, clock=lambda: now[0])
        for _ in range(10_000):
            now[0] += 1.0
            keeper.look(lambda: None)  # type: ignore[arg-type, return-value]
        assert max(np.diff(saved)) < pause and takes * (len(saved) - 1) < 0.1 * (saved[-1] - saved[0])
    short = Keeper(save, clock=lambda: now[0])
    saved.clear()
    short.end(lambda: None)  # type: ignore[arg-type, return-value]
    assert saved == []
    now[0] += 50.0
    short.end(lambda: None)  # type: ignore[arg-type, return-value]
    assert len(saved) == 1  # a long run is kept at its end, before it is checked and drawn


def test_a_checkpoint_stays_until_all_is_on_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk that fills up with the last file of a long run: the checkpoint can be gone on from; the next success removes it."""
    part = sp.run_scenario("creep", ["run.duration=0.1", "run.checked=false"], until=0.05)

    def full(*_: Any) -> None:
        raise StorageError("cannot write: no space left on device")

    monkeypatch.setattr(result, "write_json", full)
    with pytest.raises(StorageError), result.result(tmp_path / "r") as made:
        made.keep(part)
        (made.path / "film.mp4").write_bytes(b"drawn")
    monkeypatch.undo()
    file, place = result.find_saved(tmp_path / "r")
    assert place == tmp_path / "r" and os.listdir(file.parent) == ["checkpoint.nc"]
    assert sp.resume(trajectory.load(file)).status.ok
    write(tmp_path / "r", "at last")
    assert os.listdir(tmp_path) == ["r"] and sorted(os.listdir(tmp_path / "r")) == ["a.txt", "manifest.json"]


def test_a_killed_plan_goes_on_from_its_checkpoint(tmp_path: Path) -> None:
    """kill -9 while a plan is carried out: --resume FOLDER goes on, byte for byte; another plan's arguments are refused."""
    plan = ["plan", "concertina", "--target", "7.5,0.3", "--execute", "--no-film", "--json"]
    process = started([*plan, "--out", "o"], tmp_path, SERPENOID_CHECKPOINT="0.01")
    for _ in lines(process):
        if list(tmp_path.glob(".o.*.part/checkpoint.nc")):
            break
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    assert not (tmp_path / "o").exists() and verdicts(tmp_path) == {"unfinished"}
    other = [word.replace("7.5,0.3", "7.5,0.4") for word in plan]
    answers = asked([[*other, "--resume", "o"], [*plan, "--resume", "o"], [*plan, "--out", "whole"]], tmp_path)
    assert [code for code, *_ in answers] == [2, 0, 0], answers
    assert "plan.target" in answers[0][2]
    one, two = (manifest.read_manifest(tmp_path / name)["files"] for name in ("o", "whole"))
    assert one["trajectory.nc"] == two["trajectory.nc"] and set(one) == set(two) and "plan.json" in one
    assert verdicts(tmp_path) == {"ok"} and sorted(os.listdir(tmp_path)) == ["o", "whole"]
