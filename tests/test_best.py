"""Which gait is best here: the ranking of `serpenoid best`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import serpenoid as sp
from serpenoid.cli.entry import main
from serpenoid.optimise.best import SPACES, best_gaits

SHORT = ["run.duration=1.3", "run.step=2e-3"]


def test_gaits_are_ranked_by_runs_that_can_be_repeated_within_the_limits() -> None:
    """Each value is that of the run at its place; order, limits and reasons hold; the same seed gives the same."""
    found = best_gaits("sea-snake", SHORT, evaluations=32, seed=5, threads=2)
    values = [row["value"] for row in found["ranking"]]
    assert values == sorted(values, reverse=True) and len(values) >= 3
    assert {row["gait"] for row in found["ranking"]} | set(found["left_out"]) == set(SPACES)
    assert "bends in the plane" in found["left_out"]["serpenoid"]
    best = found["ranking"][0]
    gait = {"kind": best["gait"], **{key.removeprefix("gait."): x for key, x in best["place"].items()}}
    inline = ", ".join(f"{key}={json.dumps(x)}" for key, x in gait.items())
    run = sp.run_scenario("sea-snake", [*SHORT, f"gait={{{inline}}}"])
    assert run.metrics["com_distance"] == pytest.approx(best["value"], rel=1e-9)
    assert "torque_rms_max <= 1.4" in found["limits"] and run.metrics["torque_rms_max"] <= 1.4
    assert run.metrics["joint_rate_max"] <= 2.21


def test_the_command_writes_a_ranking_a_figure_and_a_command_that_runs(tmp_path: Path, monkeypatch, capsys) -> None:
    import shlex

    monkeypatch.chdir(tmp_path)
    changes = [word for change in [*SHORT, "robot.links=8"] for word in ("--set", change)]
    assert main(["best", "creep", *changes, "--evaluations", "32", "--out", "o"]) == 0
    told = capsys.readouterr().out
    assert (tmp_path / "o" / "best.png").stat().st_size > 5000 and "  serpenoid " in told
    assert json.loads((tmp_path / "o" / "best.json").read_text())["ranking"][0]["gait"] == "serpenoid"
    words = shlex.split(told.split("next: serpenoid ")[1].splitlines()[0])
    assert main([*words, "--no-film", "--json"]) == 0
    run = json.loads(capsys.readouterr().out)
    assert run["status"] == "ok" and run["scenario"]["gait"]["kind"] == "serpenoid"


def test_on_a_slope_the_height_decides() -> None:
    found = best_gaits("slope", [*SHORT, "robot.links=8"], evaluations=32)
    assert found["metric"] == "com_dz"


def test_a_robot_that_no_gait_fits_is_told_why() -> None:
    with pytest.raises(sp.SerpenoidError, match="no gait fits"):
        best_gaits("creep", ["robot.links=2", *SHORT, "robot.joints=pitch"], evaluations=32)
