"""Sweeps: every cell is its single run, whatever the design, chunks, threads, order, shards and executor; what is asked wrongly is refused."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numba import cuda

import serpenoid as sp
from cases import PROVE
from serpenoid.cli import sweep as cli_sweep
from serpenoid.core.errors import InputError, StorageError
from serpenoid.formats.scenario import read
from serpenoid.formats.store import read_contents
from serpenoid.simulation.run import execute
from serpenoid.simulation.setup import setup_of
from serpenoid.sweeps.axes import axes_of
from serpenoid.sweeps.designs import design_of
from serpenoid.sweeps.identity import cell_seed
from serpenoid.sweeps.reading import alike
from serpenoid.sweeps.running import plan_of
from sweep_cases import CELLS, METRICS, OVER, TINY, chunks, sweep

SPACE = ["robot.links=5", "run.duration=0.03", "run.step=0.001"]


def command(*args: str, cwd: Path, **more: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "serpenoid", "sweep", *args], cwd=cwd, capture_output=True, text=True, **more
    )


def single(name: str, changes: list[str]) -> Any:
    return execute(setup_of(read(name, [*changes, "run.checked=false"])))


# cells are single runs


@pytest.mark.parametrize("base", ["creep", "sidewind"])
def test_cells_are_their_single_runs_bit_for_bit(tmp_path: Path, base: str) -> None:
    """Over laws, robots and gaits, in plane and space; the changes go through the same door as --set."""
    laws = [law for law in sp.contact.LAWS if law not in ("custom", "unit-slip")]
    fixed = TINY if base == "creep" else SPACE
    angle = "gait.winding_angle_deg" if base == "creep" else "gait.amplitude_deg"
    over = {"world.friction.law": laws, "robot.links": [4, 7], angle: [13.7, 41.3]}
    made = sp.sweeps.sweep(base, over, tmp_path / "s", changes=fixed, chunk=5)
    data = sp.sweeps.open(tmp_path / "s", failed=True)
    assert made.whole and data.sizes == {"law": len(laws), "links": 2, angle.partition(".")[2]: 2}
    seen = set()
    for law in laws:
        for links in (4, 7):
            for value in (13.7, 41.3):
                cell = data.sel({"law": law, "links": links, angle.partition(".")[2]: value})
                changes = [*fixed, f"world.friction.law={law}", f"robot.links={links}", f"{angle}={value}"]
                try:
                    run = single(base, changes)
                except InputError as error:
                    assert cell["status"].item() == "invalid" and str(error)[:100] in cell["message"].item()
                    continue
                seen.add(law)
                assert cell["status"].item() == run.status.name
                for name in read_contents(tmp_path / "s").plan["columns"]:
                    want = run.metrics[name]
                    assert cell[name].item() == want or (want is None and np.isnan(cell[name].item())), (law, name)
    assert len(seen) >= 4


def test_any_chunk_size_threads_and_shards_give_the_same(tmp_path: Path) -> None:
    whole = sweep(tmp_path / "a").dataset
    for k, more in enumerate(
        ({"chunk": 48, "threads": 1}, {"chunk": 1, "threads": 3}, {"chunk": 7}, {"chunk": 5, "shard": "2/2"})
    ):
        sweep(tmp_path / f"b{k}", **more)
        more.pop("shard", None)
        assert sweep(tmp_path / f"b{k}", **more).dataset.identical(whole)
    other = sweep(tmp_path / "c", over={key: OVER[key] for key in reversed(OVER)}).dataset  # another order of cells
    for name in METRICS:
        assert np.array_equal(other[name].transpose(*whole[name].dims), whole[name])


def test_processes_give_the_same_bytes(tmp_path: Path) -> None:
    sweep(tmp_path / "a", chunk=24)
    sweep(tmp_path / "b", chunk=24, executor="processes", threads=1)
    assert chunks(tmp_path / "a") == chunks(tmp_path / "b")


def test_seeds_and_refusals_are_the_same_wherever_cells_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers and repairs know the plan of the store alone: no title, no folder."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own_seed.py").write_text("def seed(run):\n    return run.scenario['run']['max_link_steps']\n")
    more: dict[str, Any] = {
        "over": {"repeat": [0, 1], "run.duration": [0.02, 0.01], "run.step": [0.001, 0.015]}, "seeded": "run.max_link_steps",
        "metrics": ["com_distance", "own_seed:seed"], "allow": ("own_seed",), "chunk": 2,
    }  # fmt: skip
    try:
        data = sweep(tmp_path / "a", **more).dataset
        seeds = data["seed"].values[np.isfinite(data["seed"].values)]
        assert len(set(seeds)) == 6 and sorted(set(data["status"].values.ravel())) == ["invalid", "ok"]
        sweep(tmp_path / "b", executor="processes", threads=1, **more)
        assert chunks(tmp_path / "a") == chunks(tmp_path / "b")
        (tmp_path / "b" / "chunks" / "0000001.chunk").unlink()
        done = sp.sweeps.repair(tmp_path / "b", allow=("own_seed",))
        assert [item.text for item in done] == ["computed again, byte for byte as it was"]
        assert sweep(tmp_path / "a", **{**more, "changes": [*TINY, "title=another"]}).computed == 0
    finally:
        sp.simulation.metrics.METRICS.pop("seed", None)
        sys.modules.pop("own_seed", None)


# designs


def values_of(text: str) -> list[Any]:
    return axes_of([f"a.b={text}"])[0].values


def test_values_of_an_axis() -> None:
    assert values_of("5:90:5") == list(range(5, 91, 5)) and all(isinstance(v, int) for v in values_of("5:90:5"))
    assert values_of("0:0.8:0.05")[2:4] == [0.1, 0.15] and len(values_of("0:0.8:0.05")) == 17
    assert values_of("1:2:0.3") == [1.0, 1.3, 1.6, 1.9]
    assert values_of("coulomb,viscous") == ["coulomb", "viscous"] and values_of("true,false") == [True, False]
    assert values_of("1, 2.5") == [1, 2.5] and values_of("[[5], [5, 10]]") == [[5], [5, 10]]
    assert axes_of({"a": np.linspace(0, 1, 3), "b": range(2)})[0].values == [0.0, 0.5, 1.0]


@pytest.mark.parametrize(
    "text",
    ["5:90:-5", "5:90:0", "90:5:5", "1,1", "1,1.0", "-0.0,0.0", "[[5], [5.0]]", "", "nan", "1e400:2:1", "1:inf:1"],
)
def test_wrong_values_are_refused(text: str, tmp_path: Path) -> None:
    with pytest.raises(InputError):
        sweep(tmp_path / "s", over=[f"gait.winding_angle_deg={text}"])
    assert not (tmp_path / "s").exists()


def test_designs_cover_their_range_and_depend_on_the_seed_alone() -> None:
    axes = axes_of(["a.x=2:5", "a.k=3:9:3", "a.t=u,v"])
    for kind in ("random", "sobol"):
        design = design_of(kind, axes, 64, 5)
        rows = design.values(0, 64)
        assert rows == [row for k in range(0, 64, 7) for row in design.values(k, min(k + 7, 64))]
        assert all(2.0 <= x < 5.0 and k in (3, 6, 9) and t in "uv" for x, k, t in rows)
        assert rows != design_of(kind, axes, 64, 6).values(0, 64)
        assert rows == design_of(kind, axes, 128, 5).values(0, 64)  # more cells change none
    halves = np.histogram([row[0] for row in design_of("sobol", axes, 64, 5).values(0, 64)], bins=8, range=(2, 5))[0]
    assert (halves == 8).all()  # a Sobol sequence fills every eighth equally
    with pytest.raises(InputError, match="needs a step"):
        design_of("grid", axes)
    with pytest.raises(InputError, match="--cells"):
        design_of("random", axes)


def test_a_random_design_has_one_dimension_with_coordinates(tmp_path: Path) -> None:
    made = sweep(
        tmp_path / "s",
        over=["gait.winding_angle_deg=10:60", "world.friction.along=0.05:0.2"],
        design="sobol",
        cells=16,
        seed=3,
    )
    data = made.dataset
    assert data.sizes == {"cell": 16} and set(data.coords) == {"cell", "winding_angle_deg", "along"}
    one = data.isel(cell=5)
    run = single(
        "creep",
        [
            *TINY,
            f"gait.winding_angle_deg={one.winding_angle_deg.item()!r}",
            f"world.friction.along={one.along.item()!r}",
        ],
    )
    assert run.metrics["com_distance"] == one["com_distance"].item()


def test_axes_that_go_together(tmp_path: Path) -> None:
    data = sweep(
        tmp_path / "s",
        design="together",
        over={"world.friction.along": [0.1, 0.2], "world.friction.across": [0.5, 0.7]},
    ).dataset
    assert data.sizes == {"cell": 2} and data.across.values.tolist() == [0.5, 0.7]
    with pytest.raises(InputError, match="as many values each"):
        sweep(
            tmp_path / "t", design="together", over={"world.friction.along": [0.1], "world.friction.across": [0.5, 0.7]}
        )


def ratio_and_level(values: dict[str, Any]) -> dict[str, Any]:
    """Friction by its level and ratio: axes that are no keys themselves."""
    return {"world.friction.along": values["level"], "world.friction.across": values["level"] * values["ratio"]}


def test_axes_through_a_function(tmp_path: Path) -> None:
    more: dict[str, Any] = {
        "over": {"level": [0.1, 0.2], "ratio": [2.5, 5.0]},
        "through": ratio_and_level,
        "allow": (__name__,),
    }
    data = sweep(tmp_path / "s", **more).dataset
    run = single("creep", [*TINY, "world.friction.along=0.2", "world.friction.across=0.5"])
    assert data.sel(level=0.2, ratio=2.5)["torque_max"].item() == run.metrics["torque_max"]
    with pytest.raises(InputError, match="--allow"):
        sweep(tmp_path / "t", **{**more, "allow": ()})


def test_seeds_are_of_the_cell_and_not_of_its_place() -> None:
    plan, _ = plan_of("creep", {"repeat": [0, 1], "gait.waves": [1, 2]}, seeded="run.max_link_steps")
    wider, _ = plan_of("creep", {"repeat": [0, 1, 2], "gait.waves": [1, 1.5, 2]}, seeded="run.max_link_steps")
    seeds = {row: plan.changes(row)["run.max_link_steps"] for row in plan.design.values(0, 4)}
    assert len(set(seeds.values())) == 4 and all(0 <= seed < 2**31 for seed in seeds.values())
    assert all(wider.changes(row)["run.max_link_steps"] == seed for row, seed in seeds.items())
    assert "repeat" not in plan.changes((0, 1))
    assert cell_seed("a", {"x": 1}) != cell_seed("b", {"x": 1})
    with pytest.raises(InputError, match="--seeded"):
        plan_of("creep", {"repeat": [0, 1]})


# data


def test_the_data_have_units_and_meaning(tmp_path: Path) -> None:
    data = sweep(tmp_path / "s").dataset
    assert data["torque_max"].attrs["units"] == "N m" and "tau" in data["torque_max"].attrs["long_name"]
    assert data["winding_angle_deg"].attrs == {
        "key": "gait.winding_angle_deg",
        "units": "deg",
        "long_name": data["winding_angle_deg"].attrs["long_name"],
    }
    assert json.loads(data.attrs["scenario"])["robot"]["links"] == 3 and data.attrs["serpenoid"] == sp.__version__
    assert (data["status"] == "ok").all() and not np.isnan(data["com_distance"]).any()
    assert list(sp.sweeps.open(tmp_path / "s", metrics="torque_max").data_vars) == [
        "torque_max",
        "status",
        "message",
        "warnings",
    ]
    with pytest.raises(InputError, match="torque_max"):
        sp.sweeps.open(tmp_path / "s", metrics=["torque_mx"])


def test_names_that_are_taken_are_whole_keys(tmp_path: Path) -> None:
    data = sweep(
        tmp_path / "s",
        metrics=["heading"],
        over={"start.heading_deg": [10, 20], "world.friction.along": [0.1], "world.gravity": [9.0]},
    ).dataset
    assert set(data.dims) == {"heading_deg", "along", "gravity"}
    data = sweep(tmp_path / "t", metrics=["heading"], over={"start.heading": [0.1, 0.2]}).dataset
    assert set(data.dims) == {"start_heading"}


def test_cells_that_fail_are_data(tmp_path: Path) -> None:
    """A refused combination, a diverged run: told by status and message, NaN, and the others are there."""
    over = {"run.duration": [0.01, 0.02], "run.step": [0.001, 0.015]}  # a step longer than the run
    with pytest.raises(
        InputError, match=r"run.step = 0.015"
    ):  # the first cell with it is refused: said before anything runs
        sweep(tmp_path / "s", over=over)
    data = sweep(tmp_path / "t", over={"run.duration": [0.02, 0.01], "run.step": [0.001, 0.015]}).dataset
    bad = data.sel(duration=0.01, step=0.015)
    assert (
        bad["status"].item() == "invalid" and "step" in bad["message"].item() and np.isnan(bad["com_distance"].item())
    )
    assert (data["status"] == "ok").sum() == 3 and np.isfinite(data["com_distance"]).sum() == 3


OWN = """
import os, time

def raising(run):
    raise RuntimeError("no luck")

def angle(run):
    return round(run.scenario["gait"]["winding_angle"] * 180 / 3.141592653589793)

def poison(run):
    value = angle(run)
    if value == 20: os._exit(7)
    if value == 30: os.kill(os.getpid(), 11)
    if value == 40:
        while True: pass
    if value == 50: raise RuntimeError("no luck")
    if value == 60:
        print("noise on standard output")
    return value
"""


def test_poison_cells_are_marked_and_all_others_finish(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "own_poison.py").write_text(OWN)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    try:
        data = sweep(
            tmp_path / "s", over={"gait.winding_angle_deg": "10:60:10"}, metrics=["own_poison:poison"], allow=("own_poison",), chunk=6, threads=1,
            executor="processes", time_limit=1.5,
        ).dataset  # fmt: skip
    finally:
        sp.simulation.metrics.METRICS.pop("poison", None)
        sys.modules.pop("own_poison", None)
    said = dict(zip(data.winding_angle_deg.values.tolist(), data.message.values, strict=True))
    assert data["status"].values.tolist() == ["ok", "failed", "failed", "failed", "invalid", "ok"]
    assert (
        "exit code 7" in said[20]
        and "SIGSEGV" in said[30]
        and "longer than 1.5 s" in said[40]
        and "no luck" in said[50]
    )
    assert all("3 times" in said[k] for k in (20, 30, 40))
    assert data["poison"].values[[0, 5]].tolist() == [10.0, 60.0]


@pytest.mark.parametrize("kills", [20 if PROVE else 2])
def test_killed_dask_workers_cost_only_time(tmp_path: Path, kills: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker of the embedded cluster is killed each time that cells were done, one after another, while they start too."""
    distributed = pytest.importorskip("distributed")
    clusters: list[Any] = []
    plain = distributed.LocalCluster

    def captured(**options: Any) -> Any:
        clusters.append(plain(**options))
        return clusters[0]

    monkeypatch.setattr(distributed, "LocalCluster", captured)
    more: dict[str, Any] = {"changes": [*TINY[:1], "run.duration=0.2", *TINY[2:]], "chunk": 1 if PROVE else 4}
    sweep(tmp_path / "a", **more)
    killed: list[int] = []
    seen: set[int] = set()

    def told(done: int, total: int) -> None:
        workers = [nanny.pid for nanny in clusters[0].workers.values() if nanny.pid] if clusters else []
        if workers and done not in seen and len(killed) < kills and done < total:
            seen.add(done)
            killed.append(workers[len(killed) % len(workers)])
            os.kill(killed[-1], signal.SIGKILL)

    made = sweep(tmp_path / "b", executor="dask", progress=told, **more)
    assert made.whole and len(killed) == kills
    assert chunks(tmp_path / "a") == chunks(tmp_path / "b")


def test_own_workers_listen_on_this_machine_only(tmp_path: Path) -> None:
    psutil = pytest.importorskip("psutil")
    pytest.importorskip("distributed")
    heard: set[str] = set()

    def told(done: int, total: int) -> None:
        everyone = [psutil.Process(), *psutil.Process().children(recursive=True)]
        for process in everyone:
            try:
                heard.update(c.laddr.ip for c in process.net_connections("inet") if c.status == psutil.CONN_LISTEN)
            except psutil.Error:
                continue

    sweep(tmp_path / "a", chunk=24)
    assert sweep(tmp_path / "b", chunk=24, executor="dask", threads=1, progress=told).whole
    assert heard == {"127.0.0.1"}
    assert chunks(tmp_path / "a") == chunks(tmp_path / "b")


def test_without_a_gpu_nothing_is_written(tmp_path: Path) -> None:
    if not cuda.is_available():
        with pytest.raises(InputError, match=r'executor "gpu" needs .*use executor "threads"'):
            sweep(tmp_path / "s", executor="gpu")
        assert not (tmp_path / "s").exists()
    with pytest.raises(InputError, match="float32"):
        sweep(tmp_path / "s", precision="float32")
    for more in ({"scheduler": "tcp://127.0.0.1:1"}, {"time_limit": 1.0}, {"executor": "magic"}):
        with pytest.raises(InputError):
            sweep(tmp_path / "s", **more)


# what is asked for


def test_too_much_is_refused_with_what_it_would_take(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"899,999,000,001 cells, .* steps, .* years .*GB.*--most-cells"):
        sp.sweeps.sweep("creep", ["gait.winding_angle_deg=0.0001:90:0.0000000001"], tmp_path / "s")
    with pytest.raises(InputError, match=r"no cell of this sweep can have it: .* cells, .* steps"):
        sweep(tmp_path / "s", metrics=["roll_angle"])
    with pytest.raises(InputError, match="steady_speed"):
        sweep(tmp_path / "s", metrics=["steady_speed"])  # 0.01 s have no whole period
    with pytest.raises(InputError, match="did you mean winding_angle"):
        sweep(tmp_path / "s", over=["gait.windng_angle=1,2"])
    with pytest.raises(InputError, match="did you mean com_distance"):
        sweep(tmp_path / "s", metrics=["com_distanc"])
    with pytest.raises(InputError, match="given twice"):
        sweep(tmp_path / "s", over=["gait.winding_angle=1,2", "gait.winding_angle_deg=1,2"])
    assert not (tmp_path / "s").exists()


def test_a_million_cells_open(tmp_path: Path) -> None:
    """A plan of 10^6 cells with three of them done: it opens in a process of less than 1 GB."""
    code = f"""
import sys
sys.path.insert(0, {str(Path(__file__).parent)!r})
import serpenoid as sp
from serpenoid.formats import store
from serpenoid.sweeps.running import plan_of
from sweep_cases import TINY
plan, estimate = plan_of("creep", ["gait.winding_angle_deg=0.1:50:0.05", "world.friction.along=0.0001:0.1001:0.0001"], changes=TINY)
with store.writing(__import__("pathlib").Path("s"), plan.plain(1000)) as writer: pass
data = sp.sweeps.open("s", partial=True)
assert data.sizes == {{"winding_angle_deg": 999, "along": 1001}} and (data.status == "not run").all()
print(next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM")))  # ru_maxrss would count the parent's, too
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < 1_000_000  # kB


def test_a_sweep_file(tmp_path: Path) -> None:
    (tmp_path / "map.toml").write_text(
        '[sweep]\nbase = "creep"\nmetrics = ["com_distance"]\n\n[sweep.over]\n"gait.winding_angle_deg" = "10:20:5"\nworld.friction.along = [0.1, 0.2]\n'
    )
    made = sp.sweeps.sweep(str(tmp_path / "map.toml"), None, tmp_path / "s", changes=TINY)
    assert made.whole and made.dataset["com_distance"].shape == (3, 2)
    (tmp_path / "bad.toml").write_text('[sweep]\nbase = "creep"\noverr = 1\n')
    with pytest.raises(InputError, match=r"sweep\.overr: unknown key; did you mean over"):
        sp.sweeps.sweep(str(tmp_path / "bad.toml"), None, tmp_path / "t")
    data = dict(read("creep", TINY))
    assert sp.sweeps.sweep(data, {"gait.waves": [1, 2]}, tmp_path / "u", metrics="com_distance").whole
    assert sp.sweeps.sweep(setup_of(data), {"gait.waves": [1, 2]}, tmp_path / "v", metrics="com_distance").whole


ASKED = [part for change in TINY for part in ("--set", change)]


def test_the_command_line(tmp_path: Path) -> None:
    words = [
        "creep",
        *ASKED,
        "--over",
        "gait.winding_angle_deg=10:50:10",
        "--over",
        "world.friction.along=0.1,0.2,0.3",
        "--out",
        "s",
        "--json",
    ]
    done = command(*words, cwd=tmp_path)
    told = json.loads(done.stdout)
    assert done.returncode == 0 and (told["status"], told["cells"], told["computed"]) == ("ok", 15, 15)
    assert Path(tmp_path / told["files"]["figure"]).stat().st_size > 10_000
    import xarray

    assert xarray.load_dataset(tmp_path / told["files"]["dataset"])["com_distance"].equals(
        sp.sweeps.open(tmp_path / "s")["com_distance"]
    )
    again = json.loads(command(*words, cwd=tmp_path).stdout)
    assert again["computed"] == 0 and again["files"] == told["files"]
    (tmp_path / "s" / "figure.png").write_bytes(b"x")
    verified = subprocess.run(
        [sys.executable, "-m", "serpenoid", "verify", "s", "--json"], cwd=tmp_path, capture_output=True, text=True
    )
    assert verified.returncode == 4 and [i["verdict"] for i in json.loads(verified.stdout)["items"]] == [
        "ok",
        "damaged",
    ]
    mended = subprocess.run(
        [sys.executable, "-m", "serpenoid", "verify", "s", "--repair"], cwd=tmp_path, capture_output=True, text=True
    )
    assert mended.returncode == 0 and "removed" in mended.stdout
    script = command(*words[:-1], "--slurm", "6", cwd=tmp_path).stdout
    assert "#SBATCH --array=1-6" in script and '--shard "$SLURM_ARRAY_TASK_ID/6"' in script
    assert subprocess.run(["bash", "-n"], input=script, text=True).returncode == 0
    ways = command(*words[:-1], "--slurm", "6", "--executor", "dask", cwd=tmp_path).stdout
    assert "dask worker" in ways and subprocess.run(["bash", "-n"], input=ways, text=True).returncode == 0


SRUN = """#!/bin/bash
exec > /dev/null 2>&1
file="${@: -1}"
case "$*" in
    *"dask scheduler"*) [ "$FAILS" = 1 ] && exit 1; echo '{"address": "new"}' > "$file"; sleep 60 ;;
    *) sleep 60 ;;
esac
"""


@pytest.mark.parametrize("fails", [False, True])
def test_a_slurm_job_that_is_queued_again_finds_its_new_scheduler(tmp_path: Path, fails: bool) -> None:
    """The file of the scheduler before is not read, and a scheduler that ends at once is not waited for."""
    from serpenoid.sweeps import slurm

    parser = argparse.ArgumentParser()
    cli_sweep.add(parser)
    words = ["creep", "--over", "gait.waves=1:2:1", "--out", "s t", "--most-cells", "7", "--vector", "pdf", "--slurm", "2", "--executor", "dask"]  # fmt: skip
    _, estimate = plan_of("creep", ["gait.waves=1:2:1"])
    text = slurm.script(parser.parse_args(words), estimate)
    for name, body in {"srun": SRUN, "serpenoid": '#!/bin/bash\nprintf "%s\\n" "$@"\n', "python": f'#!/bin/bash\nexec {sys.executable} "$@"\n'}.items():  # fmt: skip
        (tmp_path / name).write_text(body)
        (tmp_path / name).chmod(0o755)
    (tmp_path / "scheduler-5.json").write_text('{"address": "old"}')
    env = os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}", "SLURM_JOB_ID": "5", "FAILS": str(int(fails))}
    job = subprocess.Popen(["bash"], cwd=tmp_path, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True)  # fmt: skip
    try:
        told = job.communicate(text)[0].splitlines()
        assert (job.returncode == 0) is not fails
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(job.pid, signal.SIGKILL)
    if not fails:
        options = ["--vector", "pdf", "--out", "s t", "--most-cells", "7", "--executor", "dask", "--scheduler", "new"]
        assert told == ["sweep", "creep", "--over", "gait.waves=1:2:1", *options]


def test_an_interrupt_ends_cleanly_and_the_same_command_goes_on(tmp_path: Path) -> None:
    words = [
        "creep",
        *ASKED,
        "--set",
        "run.duration=0.5",
        "--over",
        "gait.winding_angle_deg=10:60:0.5",
        "--over",
        "world.friction.along=0.1,0.2,0.3",
        "--out",
        "s",
        "--json",
    ]
    process = subprocess.Popen(
        [sys.executable, "-m", "serpenoid", "sweep", *words], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env=os.environ | {"SERPENOID_PROGRESS": "1"},
    )  # fmt: skip
    assert process.stderr is not None and process.stdout is not None
    for line in process.stderr:
        if line.startswith("sweeping") and " of 303" in line and not line.startswith("sweeping 0 %"):
            assert " left" in line or "per s" not in line
            process.send_signal(signal.SIGINT)
            break
    out: list[str] = []
    reader = threading.Thread(target=lambda: out.append(process.stdout.read()))  # type: ignore[union-attr]
    reader.start()
    said = process.stderr.read()
    reader.join()
    assert process.wait() == 130 and "the same command goes on" in said and json.loads(out[0])["exit_code"] == 130
    with pytest.raises(StorageError, match="not done"):
        sp.sweeps.open(tmp_path / "s")
    told = json.loads(command(*words, cwd=tmp_path).stdout)
    assert told["done"] == 303 and 0 < told["computed"] < 303


def test_no_usable_cell_is_exit_code_3_and_an_axis_without_effect_is_told(tmp_path: Path) -> None:
    done = command(
        "creep", *ASKED, "--over", "gait.stop_time=5,6,7", "--metric", "com_distance", "--out", "s", cwd=tmp_path
    )
    assert done.returncode == 0 and "gait.stop_time changes nothing" in done.stdout
    (tmp_path / "own_never.py").write_text(OWN)
    done = command(
        "creep",
        *ASKED,
        "--over",
        "gait.waves=1,2",
        "--metric",
        "own_never:raising",
        "--allow",
        "own_never",
        "--out",
        "t",
        "--json",
        cwd=tmp_path,
    )
    assert done.returncode == 3 and json.loads(done.stdout)["status"] == "failed" and "no luck" in done.stdout


def test_cells_are_counted() -> None:
    assert design_of("grid", axes_of(OVER)).count == CELLS


def test_warnings_that_differ_in_numbers_are_told_once() -> None:
    given = [
        ["link 2 is pressed 0.0038 m into the ground: beware", "no contact"],
        ["link 11 is pressed 4.1e-3 m into the ground: beware"],
    ]
    said = alike(
        [*given, ["no contact", "link 3 is pressed 1 m into the ground", "link 4 is pressed 1 m into the ground"]], 5
    )
    assert said == [
        "3 of 5 cells have a warning such as: link 2 is pressed 0.0038 m into the ground",
        "2 of 5 cells have the warning: no contact",
    ]
    long = "{} waves on {} links are {} links per wave; under 5 the links no longer follow the curve of the body as they should"
    assert len(alike([[long.format(2, 8, 4)], [long.format(2.5, 8, 3.25)], [long.format(2.625, 32, 4.125)]], 3)) == 1
