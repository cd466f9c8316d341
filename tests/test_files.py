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


def test_storage_errors_are_reported(tmp_path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageError, match="cannot write"):
        files.write_bytes(tmp_path / "file" / "x", b"")


def test_remains_of_dead_processes_are_cleared(tmp_path) -> None:
    (tmp_path / ".a.nc.999999999.part").write_text("")
    (tmp_path / ".a.nc.1.part").write_text("")  # process 1 lives
    files.clear_parts(tmp_path)
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
    assert back.dataset["com"].attrs["units"] == "m" and back.dataset["com"].dims == ("time", "xyz")
    assert back.reasons == dict(run.reasons) and back.events == run.events
    same(back.state, run.state)


def same(a: object, b: object) -> None:
    """Equal to the last bit, arrays with their types."""
    if isinstance(a, dict):
        assert a.keys() == b.keys()
        for key in a:
            same(a[key], b[key])
    elif isinstance(a, np.ndarray):
        assert a.dtype == b.dtype and np.array_equal(a, b, equal_nan=a.dtype.kind == "f")
    elif isinstance(a, list | tuple):
        assert len(a) == len(b)
        for x, y in zip(a, b, strict=True):
            same(x, y)
    else:
        assert type(a) is type(b) and (a == b or a != a)


def test_any_memory_of_numbers_and_arrays_is_kept(run: sp.Trajectory, tmp_path) -> None:
    """What a controller remembers: arrays inside dicts and lists, numbers that JSON lacks, keys that are no texts."""
    from dataclasses import replace

    from serpenoid.core.trajectory import Event

    rng = np.random.default_rng(2)
    memory = {
        "angles": rng.normal(size=7), "flags": [np.array([True, False]), {"deep": rng.integers(0, 9, (2, 3)), "inf": np.inf}],
        "nothing": None, 5: "five", "empty": np.zeros((0, 3)), "nan": float("nan"), "single": np.arange(3, dtype=np.float32), "x": 0.1 + 0.2,
        "long": list(range(30_000)), "a/b c": np.ones(1),
    }  # fmt: skip
    state = {
        "simulation": {"controller": memory},
        "arrays": {"links": rng.normal(size=(40, 40))},
        "record": {"links": rng.normal(size=3)},
    }
    event = Event(0.3, "contact", "link 3 touches", {"place": np.array([1.0, 2.0])})
    back = trajectory.load(trajectory.save(replace(run, state=state, events=(event,)), tmp_path / "t.nc"))
    same(back.state, state)
    assert back.events[0][:3] == event[:3]
    same(back.events[0].data, event.data)
    with pytest.raises(InputError, match=r"state\.simulation\.tool cannot be saved: it is a function"):
        trajectory.save(replace(run, state={"simulation": {"tool": len and same}}), tmp_path / "t.nc")


def test_files_of_the_format_before_are_refused_by_name(tmp_path) -> None:
    import h5netcdf

    with h5netcdf.File(tmp_path / "old.nc", "w") as file:
        file.attrs["format"] = 1
    with pytest.raises(InputError, match=r"earlier serpenoid, .*run its scenario again"):
        trajectory.load(tmp_path / "old.nc")
    with pytest.raises(InputError, match="no trajectory file"):
        trajectory.load(tmp_path / "none.nc")


def test_damaged_trajectories_are_refused(run: sp.Trajectory, tmp_path) -> None:
    """Cut anywhere, or with a byte changed anywhere: refused before anything of it is interpreted."""
    path = trajectory.save(run, tmp_path / "t.nc")
    content = path.read_bytes()
    rng = np.random.default_rng(5)
    for cut in [0, 10, 100, len(content) - 1, *rng.integers(0, len(content) - 1, 10)]:
        path.write_bytes(content[:cut])
        with pytest.raises(InputError):
            trajectory.load(path)
    for place in [*rng.integers(0, len(content), 30), *range(len(content) - 90, len(content))]:
        damaged = bytearray(content)
        damaged[place] ^= 0xFF
        path.write_bytes(bytes(damaged))
        with pytest.raises(InputError, match="digest"):
            trajectory.load(path)


def test_csv(run: sp.Trajectory, tmp_path) -> None:
    path = trajectory.save_csv(run, tmp_path / "t.csv")
    lines = path.read_text().splitlines()
    header = lines[0].split(",")
    assert len(lines) == run["time"].size + 1 and header[0] == "time [s]"
    column = {name: k for k, name in enumerate(header)}
    last = [float(x) for x in lines[-1].split(",")]
    first = header.index(next(name for name in header if name.startswith("joint_torque_")))
    assert last[first + 18] == run["joint_torque"][-1, 18] and header[first + 18].endswith("[N m]")
    assert last[column["com_x [m]"]] == run["com"][-1, 0] and last[column["node_3_y [m]"]] == run["node"][-1, 3, 1]


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
