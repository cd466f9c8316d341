"""Files that version 0.4.0 wrote: they load, show, verify and export; its saved states and its sweeps are not gone on with, in words.

`older/0.4.0.tar.xz` holds `planar.nc` and `spatial.nc` (finished runs of 4 links, 0.1 s), `state.nc` (`Simulation.save` after 0.06 of them) and `store`
(a sweep of two cells in two chunks).
"""

from __future__ import annotations

import tarfile
from pathlib import Path

import numpy as np
import pytest

import serpenoid as sp
from serpenoid.cli.entry import main
from serpenoid.core.errors import InputError, StorageError
from serpenoid.formats.store import chunk_name
from serpenoid.formats.verifying import verify
from serpenoid.simulation import restoring
from serpenoid.sweeps import identity

OLDER = Path(__file__).parent / "older" / "0.4.0.tar.xz"
RUNS = {"planar.nc": 0.002978982730631672, "spatial.nc": 4.460875901125916e-06}  # com_distance, m
CELLS = [5.798923171558721e-06, 2.3194597551648457e-05]  # com_distance of the sweep, m
LATER = "0.4.999"  # a version that has not written them, whatever this one is


@pytest.fixture
def older(tmp_path: Path) -> Path:
    """The files in a folder of their own."""
    with tarfile.open(OLDER) as packed:
        packed.extractall(tmp_path, filter="data")
    return tmp_path


@pytest.mark.parametrize("name", RUNS)
def test_a_run_loads_shows_verifies_and_exports(name: str, older: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = sp.load(older / name)
    assert run.status.ok and run.provenance["version"] == "0.4.0" and run.scenario["robot"]["links"] == 4
    assert run.metrics["com_distance"] == RUNS[name]
    assert all(np.all(np.isfinite(run.variables[key].data)) for key in ("time", "node", "contact_force"))
    assert "distance" in run.summary()
    assert [item.verdict for item in verify(older / name)] == ["ok"]
    assert run.plot() is not None
    assert main(["export", str(older / name), "--to", "csv", "--out", str(older / "angles.csv")]) == 0
    capsys.readouterr()
    assert len((older / "angles.csv").read_text().splitlines()) > 5


def test_a_sweep_verifies_and_is_read(older: Path) -> None:
    assert {item.verdict for item in verify(older / "store")} == {"ok"}
    data = sp.sweeps.open(older / "store")
    assert data.com_distance.values == pytest.approx(CELLS, rel=1e-12, abs=0.0)
    assert data.attrs["serpenoid"] == "0.4.0"


@pytest.mark.parametrize("name", ["state.nc", "planar.nc"])
def test_a_saved_state_of_another_version_is_refused(name: str, older: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(restoring, "__version__", LATER)
    run = sp.load(older / name)
    with pytest.raises(InputError, match=r"computed by serpenoid 0\.4\.0 .*run its scenario again"):
        sp.resume(run, duration=0.2)
    with pytest.raises(InputError, match=r"computed by serpenoid 0\.4\.0 .*run its scenario again"):
        sp.Simulation.of(sp.simulation.setup.setup_of(run.scenario)).restore(older / name)


def test_a_sweep_of_another_version_is_not_repaired(older: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(identity, "__version__", LATER)
    (older / "store" / chunk_name(1)).unlink()
    with pytest.raises(StorageError, match=r"cannot be repaired here, the numbers would not be the same: versions\."):
        sp.sweeps.repair(older / "store")
