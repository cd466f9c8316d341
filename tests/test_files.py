"""Files: atomic writing, round trips, refusal of damaged files."""

from __future__ import annotations

import numpy as np
import pytest

import serpenoid as sp
from serpenoid.core.errors import InputError, StorageError
from serpenoid.formats import files, trajectory


@pytest.fixture(scope="module")
def run() -> sp.Trajectory:
    return sp.run_scenario("creep", ["run.duration=0.4"])


def test_a_failing_writer_leaves_the_old_file(tmp_path) -> None:
    path = tmp_path / "x.txt"
    files.write_bytes(path, b"old")
    with pytest.raises(RuntimeError), files.replacing(path) as part:
        part.write_bytes(b"half")
        raise RuntimeError
    assert path.read_bytes() == b"old" and list(tmp_path.iterdir()) == [path]


def test_storage_errors_are_said(tmp_path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageError, match="cannot"):
        files.folder(tmp_path / "file" / "below")
    with pytest.raises(StorageError, match="cannot write"):
        files.write_bytes(tmp_path / "file" / "x", b"")


def test_remains_of_dead_processes_are_cleared(tmp_path) -> None:
    (tmp_path / ".a.nc.999999999.part").write_text("")
    (tmp_path / ".a.nc.1.part").write_text("")  # process 1 lives
    files.folder(tmp_path)
    assert [p.name for p in tmp_path.iterdir()] == [".a.nc.1.part"]


def test_json_refuses_nan() -> None:
    with pytest.raises(ValueError):
        files.json_text({"x": float("nan")})
    assert files.json_text({"x": np.float64(1.5), "y": np.arange(2)}) == '{"x": 1.5, "y": [0, 1]}'


def test_round_trip(run: sp.Trajectory, tmp_path) -> None:
    path = trajectory.save(run, tmp_path / "t.nc")
    back = trajectory.load(path)
    assert back.status == run.status and back.metrics == dict(run.metrics) and back.warnings == run.warnings
    for name, variable in run.variables.items():
        assert back.variables[name].dims == variable.dims and back.variables[name].units == variable.units
        assert np.array_equal(back[name], variable.data)
    assert set(back.state) == set(run.state)
    assert back.dataset["com_x"].attrs["units"] == "m"


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # h5netcdf closing a broken file
def test_damaged_trajectories_are_refused(run: sp.Trajectory, tmp_path) -> None:
    """Cut anywhere, or with bytes changed in the data: an InputError or (metadata padding) the same numbers."""
    path = trajectory.save(run, tmp_path / "t.nc")
    content = path.read_bytes()
    rng = np.random.default_rng(5)
    for cut in [0, 10, 100, *rng.integers(0, len(content) - 1, 10)]:
        path.write_bytes(content[:cut])
        with pytest.raises(InputError):
            trajectory.load(path)
    for place in rng.integers(0, len(content), 60):
        damaged = bytearray(content)
        damaged[place] ^= 0xFF
        path.write_bytes(bytes(damaged))
        try:
            back = trajectory.load(path)
        except InputError:
            continue
        changed = [n for n in run.variables if n in back.variables and not np.array_equal(back[n], run[n])]
        small = [n for n in changed if run[n].size <= 512]  # small arrays carry no checksum
        assert changed == small


def test_csv(run: sp.Trajectory, tmp_path) -> None:
    path = trajectory.save_csv(run, tmp_path / "t.csv")
    lines = path.read_text().splitlines()
    header = lines[0].split(",")
    assert len(lines) == run["time"].size + 1 and header[0] == "time [s]"
    assert float(lines[-1].split(",")[header.index("joint_torque_19 [N m]")]) == run["joint_torque"][-1, 18]


def test_samples_file(tmp_path) -> None:
    path = tmp_path / "gait.csv"
    times = np.linspace(0, 1, 21)
    files.write_table(path, ["t", *(f"theta_{i}" for i in range(1, 20))], [[t, *[0.1 * np.sin(t)] * 19] for t in times])
    changes = [f'gait={{kind = "sampled", file = "{path}"}}', "run.duration=0.5"]
    run = sp.run_scenario("creep", changes)
    assert run["joint_angle"][-1] == pytest.approx(np.full(19, 0.1 * np.sin(0.5)), abs=1e-6)
    for bad in ("", "t\n1\n", "t,a\n1,x\n", "t,a\n1\n"):
        path.write_text(bad)
        with pytest.raises(InputError):
            sp.run_scenario("creep", changes)
    with pytest.raises(InputError):
        sp.run_scenario("creep", ['gait={kind="sampled", file="missing.csv"}'])
