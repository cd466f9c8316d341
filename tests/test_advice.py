"""What the commands suggest is good advice: names that they print are understood, commands that they name run, estimates are near the truth."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import numpy as np
import pytest

import serpenoid as sp
from serpenoid.cli.entry import main
from serpenoid.core.errors import InputError
from serpenoid.formats.scenario import find
from serpenoid.gaits.function import FunctionGait
from serpenoid.optimise.goals import limit_of
from serpenoid.simulation.batch import run_cell
from serpenoid.simulation.metrics import METRICS, find_metric
from serpenoid.simulation.setup import Settings, Setup
from serpenoid.sweeps import estimate
from serpenoid.sweeps.estimate import estimate_of, measured, usual_seconds
from serpenoid.sweeps.running import plan_of

SPEAKING = re.compile(
    r"^  ([a-z][A-Za-z ()]*?)(?:  | )(?=-?\d|- )|(dx|dy|dz|efficiency J|height gained) ", re.MULTILINE
)
NO_METRICS = ("status",)


def test_names_that_a_summary_prints_are_metrics() -> None:
    """Each is accepted as it is printed, or refused with the names that it may be."""
    run = sp.run_scenario("slope", ["run.duration=3", "run.checked=false"])
    found = {part for match in SPEAKING.finditer(run.summary()) for part in match.groups() if part}
    said = {name.strip() for name in found} - set(NO_METRICS)
    assert said >= {"distance (CoM)", "dx", "dz", "steady speed", "slip per link", "torque", "steady torque", "work", "power (positive)", "cost of transport", "efficiency J"}  # fmt: skip
    several = set()
    for name in said:
        try:
            assert find_metric(name) in METRICS
        except InputError as error:
            several.add(name)
            assert all(one in METRICS for one in re.findall(r"\w+_\w+", str(error))) and "name one" in str(error)
    assert several == {"torque", "steady torque", "work", "power (positive)"}
    assert find_metric("motor_line( 3, 5.0 )") == "motor_line(3,5)" and find_metric("Largest torque") == "torque_max"
    assert (
        limit_of("efficiency J > 3").metric == "efficiency"
        and limit_of("motor_line(3,5)<=1").metric == "motor_line(3,5)"
    )
    with pytest.raises(InputError, match="did you mean torque_max"):
        find_metric("torque_mx")


FAST = ["--set", "run.duration=1", "--set", "run.step=4e-3", "--set", "run.checked=false"]


@pytest.mark.parametrize(
    ("words", "over", "wanted"),
    [
        (["creep"], "gait.winding_angle_deg=5:70", "--maximise com_forward"),  # the file has degrees
        (["creep", "--set", "gait.speed=-0.8"], "gait.winding_angle_deg=5:70", "--minimise com_forward"),
        (["creep", "--set", "world.slope_deg=5"], "gait.winding_angle_deg=5:70", "--maximise potential_energy_change"),
        (["slope", "--set", "run.step=1e-3"], "gait.amplitude_deg=5:70", "--maximise com_dz"),
        (["sidewind", "--set", "run.step=1e-3"], "gait.amplitude_deg=5:70", "imise com_d"),
    ],
)  # fmt: skip
def test_the_command_that_follows_a_run_runs(
    words: list[str], over: str, wanted: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With the keys of the file, towards where the robot was meant to go."""
    out = ["--no-film", "--out", str(tmp_path / "run")]
    assert main(["run", words[0], *FAST, *words[1:], *out]) == 0
    following = shlex.split(capsys.readouterr().out.rpartition("next: serpenoid ")[2])
    assert f"--over {over} " in " ".join(following) and wanted in " ".join(following)
    assert main([*following, "--scan", "4", "--tolerance", "30", "--json", "--out", str(tmp_path / "best")]) == 0


def test_radians_of_a_file_stay_radians(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "own.toml"
    path.write_text(re.sub(r"winding_angle_deg = \S+", "winding_angle = 0.5", find("creep").read_text()))
    assert main(["run", str(path), *FAST, "--no-film", "--out", str(tmp_path / "run")]) == 0
    assert "--over gait.winding_angle=0.1:1.2 --maximise com_forward" in capsys.readouterr().out


def test_an_estimate_is_measured_on_a_cell(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With a clock that only own code moves: so much a call of a Python gait, and all cells as that one by their links and steps."""
    calls = [0]

    def wave(t: float) -> np.ndarray:
        calls[0] += 1
        return 0.3 * np.sin(2.0 * t + np.arange(7))

    def cell(duration: float = 0.5) -> Setup:
        return Setup(
            sp.Robot(8, 0.1, 0.1), command=FunctionGait(wave), settings=Settings(duration, step=1e-3, checked=False)
        )

    design = plan_of("creep", ["gait.waves=1:2:1"])[0].design
    usual = estimate_of(design, [cell(), cell(1.0)], 1)
    monkeypatch.setattr(estimate.time, "perf_counter", lambda: 1e-3 * calls[0])
    found = measured(usual, cell, ["com_distance"])
    calls[0] = 0
    run_cell(cell(), ["com_distance"])
    own = 1e-3 * calls[0]  # s of the cell measured
    assert own > 10.0 * usual_seconds(cell(), 500.0) and found.measured and "measured on a cell" in found.text
    assert found.cell_seconds == pytest.approx(own / usual_seconds(cell(), 500.0) * usual.cell_seconds, rel=0.05)
    monkeypatch.undo()
    words = ["sweep", "creep", *FAST, "--over", "gait.waves=1:2:1", "--out", str(tmp_path / "store"), "--estimate"]
    assert main(words) == 0 and "(measured on a cell)" in capsys.readouterr().out
    assert main([*words, "--json"]) == 0 and json.loads(capsys.readouterr().out)["measured"] is True
    assert not (tmp_path / "store").exists()
