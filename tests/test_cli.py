"""The command line as a user meets it: a process, its exit code, what it prints and what it leaves on disk."""

from __future__ import annotations

import hashlib
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from serpenoid.cli.entry import COMMANDS

SHORT = ["--set", "run.duration=0.5"]


def serpenoid(*args: str, cwd: Path, **kwargs) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "serpenoid", *args]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=300, **kwargs)


def digests(folder: Path) -> dict[str, str]:
    return {p.name: hashlib.sha256(p.read_bytes()).hexdigest() for p in folder.iterdir()}


@pytest.mark.parametrize("command", ["", *COMMANDS, "plan path", "plan concertina"])
def test_help(command: str, tmp_path: Path) -> None:
    done = serpenoid(*command.split(), "--help", cwd=tmp_path)
    assert done.returncode == 0 and "usage: serpenoid" in done.stdout


def test_help_imports_nothing_heavy(tmp_path: Path) -> None:
    code = (
        "import sys, serpenoid.cli.entry as c\ntry:\n    c.main(['--help'])\nexcept SystemExit: pass\n"
        "print([m for m in ('numpy', 'numba', 'scipy', 'matplotlib', 'rich') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path)
    assert done.stdout.strip().endswith("[]")


def test_run_prints_one_json_object_and_writes_the_results(tmp_path: Path) -> None:
    done = serpenoid("run", "ma2001-case-two", *SHORT, "--set", "gait.waves=2", "--json", "--csv", cwd=tmp_path)
    assert done.returncode == 0
    result = json.loads(done.stdout)
    assert result["status"] == "ok" and result["warnings"] == []
    wanted = (
        "com_distance com_dx com_dy head_distance tail_distance slip_per_link slip_along_per_link torque_sq_mean "
        "torque_max steady_speed efficiency net_work positive_work friction_loss scheme_loss mean_power peak_power "
        "cost_of_transport"
    )
    assert set(wanted.split()) <= set(result["metrics"])
    assert {"version", "law", "engine", "step"} <= set(result["provenance"])
    assert result["scenario"]["gait"]["waves"] == 2
    out = tmp_path / "out" / "ma2001-case-two"
    assert {p.name for p in out.iterdir()} == {
        "manifest.json",
        "summary.json",
        "trajectory.nc",
        "trajectory.csv",
        "figure.png",
    }
    assert json.loads((out / "summary.json").read_text())["metrics"] == result["metrics"]


def test_the_file_is_readable_without_serpenoid(tmp_path: Path) -> None:
    import h5py
    import xarray

    serpenoid("run", "creep", *SHORT, "--out", "here", "--json", cwd=tmp_path)
    path = tmp_path / "here" / "trajectory.nc"
    with xarray.open_dataset(path, engine="h5netcdf") as data:
        assert data["joint_torque"].dims == ("time", "dof") and data["joint_torque"].units == "N m"
        assert data["com"].dims == ("time", "xyz") and data["time"].values[-1] == pytest.approx(0.5)
        for name in ("joint_force", "contact_force_across", "joint_torque", "power", "slip", "node"):
            assert name in data
        assert json.loads(data.attrs["metrics"])["com_distance"] > 0
    with h5py.File(path) as file:
        assert file["com"].attrs["units"] == "m"


def test_film_and_gif_on_request(tmp_path: Path) -> None:
    done = serpenoid("run", "creep", "--set", "run.duration=0.2", "--film", "--gif", cwd=tmp_path)
    assert done.returncode == 0 and "in out/creep: " in done.stdout and "creep.mp4, creep.gif" in done.stdout
    assert (tmp_path / "out/creep/creep.mp4").stat().st_size > 1000
    assert (tmp_path / "out/creep/creep.gif").stat().st_size > 1000


BAD = {
    "unknown key": 'colour = "red"\n',
    "nan": "[robot]\npreset = 'ma2001'\nlink_mass = nan\n",
    "empty": "",
    "cut": "[robot]\npreset = 'ma20",
}


@pytest.mark.parametrize("case", list(BAD))
def test_bad_files_exit_2_and_leave_earlier_results_alone(case: str, tmp_path: Path) -> None:
    assert serpenoid("run", "creep", *SHORT, "--out", "o", "--json", cwd=tmp_path).returncode == 0
    before = digests(tmp_path / "o")
    (tmp_path / "bad.toml").write_text(BAD[case])
    done = serpenoid("run", "bad.toml", "--out", "o", cwd=tmp_path)
    assert done.returncode == 2 and "bad.toml" in done.stderr
    assert "Traceback" not in done.stderr and len(done.stderr.splitlines()) <= 10
    assert digests(tmp_path / "o") == before


@pytest.mark.parametrize(
    ("args", "code"),
    [
        (["run"], 2),
        (["run", "nowhere"], 2),
        (["run", "creep", "--set", "robot.links"], 2),
        (["run", "creep", "--set", "run.step=1e-12"], 2),
        (["fly"], 2),
        ([], 2),
        (["study", "nobody"], 2),
        (["bench", "nothing"], 2),
        (["run", "--resume", "missing.nc"], 2),
        (["optimise", "creep", "--over", "gait.waves=3:1", "--maximise", "efficiency"], 2),
        (["optimise", "creep", "--over", "gait.waves", "--maximise", "efficiency"], 2),
        (["optimise", "creep", "--over", "gait.waves=1:3", "--maximise", "beauty"], 2),
        (["run", "creep", "--set", "run.integrator=euler", "--set", "run.step=1e-2", "--set", "world.friction.law=viscous",
          "--set", "world.friction.across=500", "--set", "world.friction.along=500", "--no-film"], 3),
        (["run", "creep", *SHORT, "--out", "file/below"], 4),
        (["run", "creep", *SHORT, "--out", "/proc"], 4),
        (["run", "creep", "--allow", "not a module"], 2),
    ],
)  # fmt: skip
def test_exit_codes(args: list[str], code: int, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    done = serpenoid(*args, cwd=tmp_path)
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    if code == 3:
        assert "diverged" in done.stderr and "t = " in done.stderr
        assert json.loads((tmp_path / "out/creep/summary.json").read_text())["status"] == "diverged"


BAD_CALLS = [
    ["run", "nowhere"], ["run", "creep", "--bogus"], ["run", "creep", "--dur", "0.1"], ["list", "foo"], ["studio", "--port", "99999"], ["studio", "--port", "-1"], ["run", "creep", "--until", "abc"], ["optimise", "creep"],
    ["run", "creep", "--until", "nan"], ["run", "creep", "--until", "-1"], ["run", "creep", "--out", ""], ["shape", "pretzel"],
    ["run", "creep", "--set", "run.step=9"], ["run", "creep", "--set", "start.heading_deg=1e308"],
    ["run", "creep", "--set", "robot.link_length=" + "9" * 400], ["run", "creep", "--set", "gait.waves=2\nx=3"],
    ["run", "creep", "--set", "start.position=[1e12, 0]"], ["run", "creep", "--set", "robot.name=$\\frac{1$"],
    ["run", "creep", "--set", 'gait={kind="sampled", times=[0,1,2,3], values=[[1],[2],[3],[4,5]]}'],
    ["optimise", "creep", "--over", "gait.waves=1:3", "--maximise", "efficiency", "--tolerance", "0"],
    ["optimise", "creep", *SHORT, "--over", "world.friction.stick_length_along=1:2", "--maximise", "efficiency", "--scan", "3"],
    ["shape", "helix", "--set", "curvature=nan"], ["shape", "helix", "--set", "length=-1"], ["shape", "helix", "--fit", "ma2001"],
    ["shape", "helix", "--set", "colour=1"], ["shape", "helix", "--set", "curvature=true"], ["shape", "helix", "--limit", "5"],
    ["shape", "arc", "--model", "frenet", "--roll", "30"], ["shape", "line", "--set", "length=1e-300"],
    ["shape", "helix", "--fit", "universal", "--limit", "-5"], ["shape", "spline", "--set", "points=[[0,0,0],[0,0,0],[1,0,0],[2,0,0]]"],
]  # fmt: skip


@pytest.mark.parametrize("args", BAD_CALLS, ids=lambda a: " ".join(a)[:60])
def test_errors_are_one_json_object_too(args: list[str], tmp_path: Path) -> None:
    done = serpenoid(*args, "--json", cwd=tmp_path)
    assert json.loads(done.stdout)["exit_code"] == done.returncode == 2, done.stderr
    assert "Traceback" not in done.stderr and len(done.stderr.splitlines()) <= 10


def test_resume_takes_no_changes_and_no_earlier_time(tmp_path: Path) -> None:
    serpenoid("run", "creep", *SHORT, "--until", "0.3", "--out", "o", "--json", cwd=tmp_path)
    for more in (["--set", "gait.waves=5"], ["--until", "0.1"]):
        assert serpenoid("run", "--resume", "o/trajectory.nc", *more, "--json", cwd=tmp_path).returncode == 2


def started(args: list[str], cwd: Path) -> subprocess.Popen[str]:
    """A command under way, whose progress comes as lines on standard error; it heeds SIGINT also where a shell has it ignored."""
    return subprocess.Popen(
        [sys.executable, "-m", "serpenoid", *args], cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
        env=os.environ | {"SERPENOID_PROGRESS": "1"}, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )  # fmt: skip


def progress(process: subprocess.Popen[str]) -> Iterator[str]:
    """Lines of progress of a command as they come: "simulating 3 %"."""
    assert process.stderr is not None
    return (line for line in process.stderr if line.strip().endswith("%"))


@pytest.mark.parametrize(("sent", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_a_stopped_run_is_saved_and_continued_exactly(sent: signal.Signals, code: int, tmp_path: Path) -> None:
    """A signal in the middle of a kernel: the saved part goes on to the same numbers as a run that was left alone."""
    whole = json.loads(serpenoid(*LONG, "--out", "whole", "--json", cwd=tmp_path).stdout)
    assert whole["status"] == "ok"
    for attempt in range(5):  # a test that is kept from running for seconds may send its signal too late
        process = started([*LONG, "--out", f"o{attempt}", "--json"], tmp_path)
        next(progress(process))
        process.send_signal(sent)
        out, _ = process.communicate()
        if json.loads(out)["status"] != "ok":
            break
    result = json.loads(out)
    assert result["status"] == "interrupted" and process.returncode == code
    done = serpenoid("run", "--resume", result["files"]["trajectory"], "--out", "rest", "--json", cwd=tmp_path)
    assert json.loads(done.stdout)["metrics"] == whole["metrics"]


def test_a_full_disk_behind_standard_output_is_reported(tmp_path: Path) -> None:
    with open("/dev/full", "w") as full:
        command = [sys.executable, "-m", "serpenoid", "schema"]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, cwd=tmp_path)
    assert done.returncode == 4 and "Traceback" not in done.stderr


@pytest.mark.parametrize("name", ["ma2001-case-two", "ma2001-torque-damped"])
def test_continued_run_equals_the_uninterrupted_one(name: str, tmp_path: Path) -> None:
    changes = ["--set", "run.duration=2.0"]
    serpenoid("run", name, *changes, "--out", "whole", "--json", cwd=tmp_path)
    serpenoid("run", name, *changes, "--out", "part", "--until", "0.777", "--json", cwd=tmp_path)
    done = serpenoid("run", "--resume", "part/trajectory.nc", "--out", "rest", "--json", cwd=tmp_path)
    assert done.returncode == 0
    whole, rest = (json.loads((tmp_path / d / "summary.json").read_text()) for d in ("whole", "rest"))
    assert whole["metrics"] == rest["metrics"] and whole["provenance"] == rest["provenance"]
    import h5py
    import numpy as np

    with h5py.File(tmp_path / "whole/trajectory.nc") as a, h5py.File(tmp_path / "rest/trajectory.nc") as b:
        for key in a:
            if isinstance(a[key], h5py.Dataset):
                assert np.array_equal(a[key][...], b[key][...], equal_nan=True), key


LONG = ["run", "creep", "--set", "run.step=2e-6", "--no-film"]


def test_list_schema_and_optimise(tmp_path: Path) -> None:
    found = json.loads(serpenoid("list", "--json", cwd=tmp_path).stdout)
    assert {"name": "creep", "text": "A 20-link robot creeps"} in found["scenarios"]
    assert {x["name"] for x in found["laws"]} == {
        "coulomb",
        "unit-slip",
        "threshold",
        "bristle",
        "stribeck",
        "viscous",
        "none",
        "custom",
    }
    assert {x["name"] for x in found["studies"]} >= {"ma2001"}
    assert set(json.loads(serpenoid("list", "laws", "--json", cwd=tmp_path).stdout)) == {"laws"}
    assert json.loads(serpenoid("schema", cwd=tmp_path).stdout)["title"] == "Scenario"
    args = [
        "optimise",
        "creep",
        *SHORT,
        "--over",
        "gait.winding_angle_deg=20:60",
        "--maximise",
        "com_distance",
        "--json",
    ]
    result = json.loads(serpenoid(*args, "--scan", "5", cwd=tmp_path).stdout)
    assert 20 <= result["optimum"]["gait.winding_angle_deg"] <= 60 and len(result["scan"]) == 5
    assert result["value"] == pytest.approx(max(v for _, v in result["evaluations_list"]))
    assert (tmp_path / "out/creep-optimum/optimum.png").exists()


def test_a_curve_that_no_number_can_turn_is_refused(tmp_path: Path) -> None:
    done = serpenoid("shape", "helix", "--set", "curvature=1e300", cwd=tmp_path)
    assert done.returncode == 2 and "1e+300" in done.stderr


def test_shape(tmp_path: Path) -> None:
    """The helix of the closed form, as bellows: the same backbone, the frame starts as the Frenet frame."""
    helix = ["shape", "helix", "--set", "curvature=2", "--set", "torsion=0.7", "--set", "length=5", "--json"]
    plain = json.loads(serpenoid(*helix, cwd=tmp_path).stdout)
    bellows = json.loads(
        serpenoid(*helix, "--model", "bellows", "--fit", "universal", "--links", "30", cwd=tmp_path).stdout
    )
    rolled = json.loads(serpenoid(*helix, "--roll", "40", cwd=tmp_path).stdout)
    assert (plain["model"], bellows["model"], rolled["model"]) == ("frenet", "bellows", "bellows")
    for other in (bellows, rolled):
        assert other["end_position"] == pytest.approx(plain["end_position"], abs=1e-8)
        assert other["end_frame"][0] == pytest.approx(plain["end_frame"][0], abs=1e-8)
    assert plain["end_position"] == pytest.approx([0.158543447, 0.619208079, 1.694509786], abs=1e-8)
    fitted = bellows["fit"]
    assert len(fitted["joint_angles"]) == 29 and 0 < fitted["mean_error"] < fitted["worst_error"] < 0.02
    assert (tmp_path / "out/shape-helix/shape.png").exists()
    done = serpenoid("shape", "serpenoid", "--fit", "ma2001", "--limit", "5", "--json", cwd=tmp_path)
    assert done.returncode == 0 and json.loads(done.stdout)["status"] == "limits-exceeded"


def test_closed_output_and_poor_surroundings(tmp_path: Path) -> None:
    """A closed pipe, no HOME, a C locale, a read-only folder: an answer or a clear message, never a traceback."""
    command = f"{sys.executable} -m serpenoid list | head -1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, cwd=tmp_path)
    assert "Traceback" not in done.stderr
    env = {k: v for k, v in os.environ.items() if k not in ("HOME", "XDG_CACHE_HOME")} | {
        "LANG": "C",
        "LC_ALL": "C",
    }
    assert serpenoid("list", "laws", cwd=tmp_path, env=env).returncode == 0


def test_results_go_into_a_new_folder(tmp_path: Path) -> None:
    """Nothing is overwritten unasked: a second run gets a folder of its own; --out with results is refused; an empty folder is used."""
    short = ["run", "creep", "--set", "run.duration=0.05", "--json"]
    (tmp_path / "out" / "creep").mkdir(parents=True)
    folders = [Path(json.loads(serpenoid(*short, cwd=tmp_path).stdout)["files"]["trajectory"]).parent for _ in range(3)]
    assert [str(f) for f in folders] == ["out/creep", "out/creep-2", "out/creep-3"]
    before = digests(tmp_path / "out" / "creep")
    refused = serpenoid(*short, "--out", "out/creep", cwd=tmp_path)
    assert refused.returncode == 2 and "--force" in json.loads(refused.stdout)["error"]
    assert digests(tmp_path / "out" / "creep") == before
    done = serpenoid(*short, "--set", "gait.waves=3", "--out", "out/creep", "--force", cwd=tmp_path)
    assert done.returncode == 0 and digests(tmp_path / "out" / "creep") != before


def test_what_matters_is_printed(tmp_path: Path) -> None:
    """The figures of the kind of run, where the files are, and what to do next."""
    done = serpenoid("run", "creep", *SHORT, "--no-film", cwd=tmp_path)
    for text in ("distance", "steady speed", "N m", "in out/creep: trajectory.nc", "next: serpenoid "):
        assert text in done.stdout
    assert len(done.stdout.splitlines()) <= 24
    part = serpenoid("run", "creep", *SHORT, "--until", "0.2", "--no-film", cwd=tmp_path)
    assert "next: serpenoid run --resume out/creep-2/trajectory.nc" in part.stdout


def test_a_study_ends_with_a_tally_and_a_report(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch
) -> None:
    import types

    from serpenoid import cli, studies

    claims = [
        studies.judged("A-1", "eq. (1)", "it moves " * 60, "1 m", [True]),
        studies.judged("A-2", "Fig. 2", "it slips", "0 m", [False, True], reason="slowly"),
        studies.judged("A-3", "p. 3", "it flies", "0 m", [False]),
    ]
    fake = types.SimpleNamespace(
        run=lambda out, quick, progress: {"status": "ok", "claims": claims, "figures": [str(out / "a.png")]}
    )
    monkeypatch.setattr(studies, "find", lambda name: fake)
    monkeypatch.chdir(tmp_path)
    assert cli.main(["study", "fake"]) == 0
    out, _ = capsys.readouterr()
    lines = out.splitlines()
    assert lines[3] == "3 claims: 1 holds, 1 in part, 1 does not" and len(lines) == 6 and "\033" not in out
    assert lines[5].strip().startswith("next: serpenoid verify")
    assert lines[1].split(maxsplit=4) == ["A-2", "holds", "in", "part", "it slips"]
    text = (tmp_path / "out/study-fake/report.md").read_text()
    assert claims[0]["claim"] in text and "slowly" in text and "![a](a.png)" in text
    assert json.loads((tmp_path / "out/study-fake/claims.json").read_text())["tally"] == {
        "holds": 1,
        "holds in part": 1,
        "does not hold": 1,
    }
    claims += [studies.judged(f"B-{k}", "p. 4", f"law {k}", "1 m", [True]) for k in range(60)]
    assert cli.main(["study", "fake"]) == 0
    lines = capsys.readouterr()[0].splitlines()
    assert lines[0] == "61 claims hold; the others:" and [line.split()[0] for line in lines[1:3]] == ["A-2", "A-3"]
    assert lines[3] == "63 claims: 61 hold, 1 in part, 1 does not" and len(lines) == 6


def test_plans_run_from_scenarios_and_are_resumed(tmp_path: Path) -> None:
    """A concertina plan as a scenario, stopped on the way and continued: the same numbers; what matters of it is printed."""
    target = ["--set", "plan.target=[1.3, 0.2]"]
    whole = serpenoid("run", "concertina", *target, "--out", "whole", "--no-film", cwd=tmp_path)
    assert (
        whole.returncode == 0
        and re.search(r"head error +\S+ m \(not judged\)\n", whole.stdout)
        and "next: serpenoid" in whole.stdout
    )
    part = json.loads(
        serpenoid("run", "concertina", *target, "--out", "part", "--until", "5", "--json", cwd=tmp_path).stdout
    )
    assert part["status"] == "ok" and "as asked" in part["message"]
    rest = json.loads(
        serpenoid("run", "--resume", "part/trajectory.nc", "--out", "rest", "--json", cwd=tmp_path).stdout
    )
    made = json.loads((tmp_path / "whole/summary.json").read_text())
    assert rest["status"] == made["status"] == "ok" and rest["metrics"] == made["metrics"]
    assert rest["provenance"]["plan"] == made["provenance"]["plan"] and rest["events"] == made["events"]


def test_a_plan_that_cannot_be_carried_out_fails(tmp_path: Path) -> None:
    ring = (
        "["
        + ", ".join(
            f'{{kind="wall", start={a}, end={b}, thickness=0.03}}'
            for a, b in (
                ([1.5, -0.3], [2.1, -0.3]),
                ([2.1, -0.3], [2.1, 0.5]),
                ([2.1, 0.5], [1.5, 0.5]),
                ([1.5, 0.5], [1.5, -0.3]),
            )
        )
        + "]"
    )
    done = serpenoid("run", "concertina", "--set", f"plan.obstacles={ring}", "--json", cwd=tmp_path)
    assert done.returncode == 3 and "unreachable" in json.loads(done.stdout)["error"]
