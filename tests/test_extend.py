"""A finished run goes on: bit for bit what a longer run would have been."""

from __future__ import annotations

import numpy as np
import pytest

import serpenoid as sp
from serpenoid.cli.entry import main
from serpenoid.core.errors import InputError
from serpenoid.core.terrain import Ground
from serpenoid.gaits.drives import SineTorque

ROBOT = sp.robots.ma2001(links=8)
GAIT = sp.gaits.Serpenoid(0.5, 1.2, 0.4)
GROUND = sp.World(ground=Ground("point", damping=200.0))


@pytest.mark.parametrize("world", [None, GROUND])
@pytest.mark.parametrize(
    "command", [GAIT, SineTorque(0.01, 3.0, 0.7), sp.gaits.Sequence((GAIT, sp.gaits.Serpenoid(0.3, 1.0, -0.3)), times=(0.5,), blend=0.6)],
    ids=lambda command: command.NAME,
)  # fmt: skip
def test_an_extended_run_is_the_longer_run(world, command, tmp_path):
    longer = sp.simulate(ROBOT, command, world, 1.5, step=1e-3)
    short = sp.simulate(ROBOT, command, world, 0.8, step=1e-3)
    run = sp.resume(sp.load(short.save(tmp_path / "run.nc")), duration=1.5)
    for name in longer.variables:
        assert np.array_equal(run[name], longer[name], equal_nan=True), name
    assert run.metrics == longer.metrics and run.scenario == longer.scenario
    assert sp.resume(sp.resume(short, duration=1.2), duration=1.5).metrics == longer.metrics


def test_a_duration_off_the_frames_is_said():
    short = sp.simulate(ROBOT, GAIT, duration=0.8, step=1e-3)
    run = sp.resume(short, duration=1.00037)
    assert any("extended with the step of" in text for text in run.warnings)
    assert run.duration == pytest.approx(1.01) and run.scenario["run"]["duration"] == pytest.approx(1.01)


def test_what_cannot_be_extended():
    short = sp.simulate(ROBOT, GAIT, duration=0.8, step=1e-3)
    with pytest.raises(InputError, match=r"longer than the 0\.8 s"):
        sp.resume(short, duration=0.8)
    with pytest.raises(InputError, match="give a longer duration"):
        sp.resume(short)


def test_by_command(tmp_path, capsys):
    out = tmp_path / "a"
    common = ["--no-film", "--json"]
    assert main(["run", "creep", "--duration", "0.5", "--out", str(out), *common]) == 0
    file = str(out / "trajectory.nc")
    assert main(["run", "--resume", file, "--duration", "0.8", "--out", str(tmp_path / "b"), *common]) == 0
    assert main(["run", "--resume", file, "--set", "run.duration=0.8", "--out", str(tmp_path / "c"), *common]) == 0
    assert main(["run", "creep", "--set", "run.duration=0.8", "--out", str(tmp_path / "d"), *common]) == 0
    runs = [sp.load(tmp_path / name / "trajectory.nc") for name in "bcd"]
    for run in runs[:2]:
        assert np.array_equal(run["node"], runs[2]["node"]) and run.duration == pytest.approx(0.8)
    capsys.readouterr()
    assert main(["run", "--resume", file, "--set", "gait.waves=3", "--out", str(tmp_path / "e"), *common]) == 2
    assert "only run.duration can change" in capsys.readouterr().out


def test_a_run_without_a_command_is_resumed_bit_for_bit() -> None:
    robot, world = sp.robots.rods(links=4, length=0.4, mass=0.4), sp.World(slope=0.5)
    whole = sp.simulate(robot, None, world, duration=0.4)
    halves = sp.resume(sp.simulate(robot, None, world, duration=0.4, until=0.2))
    assert np.array_equal(whole["com"], halves["com"]) and whole.metrics == halves.metrics
    assert np.hypot(*whole["com"][-1, :2] - whole["com"][0, :2]) > 0.01
