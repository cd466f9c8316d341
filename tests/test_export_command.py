"""serpenoid export: runs of the plane and of space as every kind of file; nothing is replaced unasked, no option passes unheeded."""

from __future__ import annotations

import json
import resource
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import serpenoid as sp
from serpenoid.cli.entry import main
from serpenoid.core.actuator import Servo
from serpenoid.core.trajectory import Status
from serpenoid.formats.losses import robot_losses, world_losses
from serpenoid.robots import ma2001

TO = {"csv": "a.csv", "mjcf": "a.xml", "vtk": "a.pvd", "mcap": "a.mcap", "rosbag": "a-bag"}


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run in space whose joints are not alike: one limp, stops and speeds of their own."""
    servos = [Servo(speed_limit=2.0 + k) for k in range(4)]
    robot = ma2001(links=5).but(radius=0.02, servo=servos, joint_limit=[0.2, 0.3, 0.4, 0.5], limp=(4,))
    times = np.linspace(0.0, 0.3, 7)
    gait = sp.gaits.Sampled(
        times, 0.6 * np.sin(5.0 * times)[:, None] * [1.0, -1.0, 0.9, 1.0]
    )  # told to go beyond all stops
    world = sp.World(friction=sp.contact.Coulomb(along=0.2, across=0.2), ground=sp.core.terrain.Ground())
    run = sp.simulate(robot, gait, world, duration=0.3, record_interval=0.02)
    path = tmp_path_factory.mktemp("run") / "trajectory.nc"
    run.save(path)
    return path


def export(capsys: Any, *words: object) -> tuple[int, dict[str, Any]]:
    code = main(["export", *(str(word) for word in words), "--json"])
    return code, json.loads(capsys.readouterr().out)


@pytest.mark.parametrize("to", TO)
def test_nothing_is_replaced_unasked(to: str, saved: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    if to in ("mcap", "rosbag"):
        pytest.importorskip("foxglove" if to == "mcap" else "rosbags")
    words = (saved.parent, "--to", to, "--out", tmp_path / TO[to])  # the folder of a run is the run
    code, made = export(capsys, *words)
    assert code == 0 and made["status"] == "ok"
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}
    code, made = export(capsys, *words)
    assert code == 2 and "exists already" in made["error"]
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")} == before
    assert export(capsys, *words, "--force")[0] == 0
    assert {path.name for path in tmp_path.rglob("*")} == {path.name for path in before}


def test_files_beside_a_model_are_not_replaced_either(
    saved: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("a.py", "a-joints.csv"):
        own = tmp_path / name
        own.write_text("mine")
        code, made = export(capsys, saved, "--to", "mjcf", "--out", tmp_path / "a.xml")
        assert code == 2 and name in made["error"] and own.read_text() == "mine" and not (tmp_path / "a.xml").exists()
        own.unlink()
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "mine.txt").write_text("mine")
    code, made = export(capsys, saved, "--to", "vtk", "--out", tmp_path / "a.pvd", "--force")
    assert code == 2 and "something else" in made["error"] and (tmp_path / "a" / "mine.txt").exists()


WRONG = [
    (("--to", "csv", "--rate", "0"), "rate"), (("--to", "csv", "--rate", "nan"), "rate"), (("--to", "csv", "--limit", "-1"), "limit"),
    (("--to", "csv", "--speed", "inf"), "speed"), (("--to", "mcap", "--limit", "0.1"), "does not heed"), (("--to", "urdf", "--rate", "9"), "does not heed"),
    (("--to", "csv", "--fixed-base"), "fixed-base"), (("--to", "csv", "--set", "run.duration=1"), "saved"), (("--to", "csv", "--rate", "1e9"), "rate"),
]  # fmt: skip


@pytest.mark.parametrize(("words", "said"), WRONG)
def test_options_are_heeded_or_refused(
    words: tuple[str, ...], said: str, saved: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, made = export(capsys, saved, *words, "--out", tmp_path / "a.x")
    assert code == 2 and said in made["error"] and not list(tmp_path.iterdir())


def test_each_axis_keeps_its_own_limits(saved: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, made = export(capsys, saved, "--to", "csv", "--out", tmp_path / "a.csv", "--rate", "200", "--limit", "0.35")
    table = np.loadtxt(tmp_path / "a.csv", delimiter=",", skiprows=1)[:, 1:]
    most = np.array([0.2, 0.3, 0.35, 0.35])
    assert code == 0 and (np.abs(table).max(axis=0) <= most).all() and np.abs(table).max() > 0.3
    assert (np.abs(np.diff(table, axis=0)).max(axis=0) * 200.0 <= np.array([2.0, 3.0, 4.0, np.inf]) * (1 + 1e-9)).all()
    assert any("held" in note and "0.2 to" in note for note in made["warnings"])


def test_the_program_moves_the_model(saved: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With a limp joint, and a name that would break a careless program."""
    pytest.importorskip("mujoco")
    code, made = export(capsys, saved, "--to", "mjcf", "--out", tmp_path / 'a"""b\'.xml')
    assert code == 0 and any("speed_limit" in note for note in made["warnings"])
    done = subprocess.run([sys.executable, made["files"][2]], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0 and done.stdout.startswith("moved "), done.stderr[-500:]


def test_the_program_counts_the_way_up(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A robot that climbs a pole goes up, not along the ground."""
    pytest.importorskip("mujoco")
    _, made = export(
        capsys,
        "pole",
        "--set",
        "run.duration=5",
        "--set",
        "run.checked=false",
        "--to",
        "mjcf",
        "--out",
        tmp_path / "a.xml",
    )
    done = subprocess.run([sys.executable, made["files"][2]], capture_output=True, text=True, cwd=tmp_path)
    assert float(done.stdout.split()[1]) > 0.15, done.stdout + done.stderr[-500:]


def test_pins_that_a_model_lacks_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, made = export(capsys, "concertina", "--to", "mjcf", "--out", tmp_path / "a.xml")
    assert any("pins" in note for note in made["warnings"])


def test_what_a_file_cannot_carry_is_said() -> None:
    robot = ma2001(links=4).but(
        radius=0.02,
        servo=Servo(backlash=0.01, speed_limit=3.0, rotor_inertia=1e-4),
        locked=(2,),
        limp=(3,),
        contact_offset=0.03,
    )
    for to, words in (
        ("urdf", ("stiffness", "backlash", "rotor_inertia")),
        ("sdf", ("damping",)),
        ("mjcf", ("speed_limit", "backlash")),
    ):
        text = " ".join(robot_losses(robot, to))
        assert all(word in text for word in (*words, "locked", "contact_offset")), (to, text)
        assert ("without motors" in text) == (to != "mjcf")
    assert robot_losses(ma2001(links=4).but(radius=0.02, contact_offset=None), "urdf") == []
    assert any(
        "all directions" in note for note in world_losses(sp.World(friction=sp.contact.Coulomb(along=0.1, across=0.5)))
    )
    assert any("viscous" in note for note in world_losses(sp.World(friction=sp.contact.Viscous(along=0.1, across=0.5))))
    assert world_losses(sp.World(friction=sp.contact.Coulomb(along=0.3, across=0.3))) == []


@pytest.mark.parametrize("to", TO)
def test_a_full_disk_is_an_error_that_names_the_file(to: str, saved: Path, tmp_path: Path) -> None:
    if to in ("mcap", "rosbag"):
        pytest.importorskip("foxglove" if to == "mcap" else "rosbags")

    def full() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (600, 600))

    words = [
        sys.executable,
        "-m",
        "serpenoid",
        "export",
        str(saved),
        "--to",
        to,
        "--out",
        str(tmp_path / TO[to]),
        "--json",
    ]
    done = subprocess.run(words, capture_output=True, text=True, preexec_fn=full)
    made = json.loads(done.stdout)
    assert done.returncode not in (0, 1) and "cannot write" in made["error"] and "Traceback" not in done.stderr, (
        made,
        done.stderr[-400:],
    )
    assert not list(tmp_path.iterdir())


def test_a_failed_export_leaves_what_was_there(saved: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """--force replaces a folder by a new one, not by nothing."""
    path = tmp_path / "frames.pvd"
    assert export(capsys, saved, "--to", "vtk", "--out", path)[0] == 0
    before = {one.name: one.read_bytes() for one in (tmp_path / "frames").iterdir()}
    code, _ = export(capsys, "no-such-scenario", "--to", "vtk", "--out", path, "--force")
    assert code == 2
    assert {one.name: one.read_bytes() for one in (tmp_path / "frames").iterdir()} == before
    assert export(capsys, saved, "--to", "vtk", "--out", path, "--force")[0] == 0
    assert {one.name for one in tmp_path.iterdir()} == {"frames", "frames.pvd"}


@pytest.mark.parametrize("to", ["csv", "dynamixel"])
def test_a_saved_run_that_diverged_is_no_table(
    to: str, saved: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What a scenario refuses is refused of its saved run, too."""
    run = sp.load(saved)
    path = tmp_path / "run.nc"
    replace(run, status=Status("diverged", "not finite", 0.1)).save(path)
    code, told = export(capsys, path, "--to", to, "--out", tmp_path / "table.csv")
    assert code == 3 and "diverged" in told["error"]
    assert not (tmp_path / "table.csv").exists()
