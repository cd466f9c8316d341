"""`serpenoid compare`: the same robot in several packages, as one command."""

from __future__ import annotations

import json

import pytest

import serpenoid as sp
import space_cases as cases
from serpenoid.cli.entry import main
from serpenoid.formats.scenario import read
from serpenoid.simulation import compare
from serpenoid.simulation.setup import setup_of

AGREE = 0.01  # of the path, at the default step
ROLL = 0.01  # of omega


@pytest.mark.parametrize("name", ["sidewind", "sidewind-rolling"])
def test_own_engine_and_mujoco_with_our_law_agree(name: str) -> None:
    report, _ = compare.compare(setup_of(read(name, ["run.duration=10.0"])), ["own", "mujoco"])
    own, peer = report["engines"]["own"], report["engines"]["mujoco"]
    assert peer["path_length"] == pytest.approx(own["path_length"], rel=AGREE)
    rates = own["roll_rate_mean"], peer["roll_rate_mean"]
    if name == "sidewind-rolling":
        assert rates[0] == pytest.approx(cases.OMEGA, rel=ROLL)
    assert abs(rates[0] - rates[1]) < ROLL * cases.OMEGA
    assert abs(report["differences"]["mujoco"]["path_length"]) < AGREE
    run = sp.run_scenario(name, ["run.duration=10.0"])
    assert run.metrics["path_length"] == pytest.approx(own["path_length"], rel=1e-9)


def test_command(tmp_path, capsys) -> None:
    words = [
        "compare",
        "sidewind",
        "--set",
        "run.duration=0.4",
        "--engines",
        "own,drake,mujoco-native",
        "--out",
        str(tmp_path),
    ]
    assert main([*words, "--json", "--no-film"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["status"] == "ok" and list(report["engines"]) == ["own", "drake", "mujoco-native"]
    for name in ("compare.png", "start-end.png", "compare.json"):
        assert (tmp_path / name).stat().st_size > 1000
    assert "native" in report["engines"]["mujoco-native"]["note"]
    assert report["differences"]["own"]["path_length"] == 0.0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["creep"], "needs a scenario in space"),
        (["sidewind", "--engines", "own,webots"], "unknown engine 'webots'"),
        (["sidewind", "--engines", "own,own"], "different names"),
        (["sidewind", "--engines", ""], "different names"),
        (["sidewind", "--set", "run.step=auto"], "a step in seconds"),
    ],
)
def test_refused(words: list[str], said: str, tmp_path, capsys) -> None:
    assert main(["compare", *words, "--no-film", "--out", str(tmp_path)]) == 2
    assert said in capsys.readouterr().err
