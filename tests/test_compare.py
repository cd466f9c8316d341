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
FOUND = {"sidewind": 2e-4, "sidewind-rolling": 5e-4}  # of the path: measured 0.016 % and 0.040 %
PLANE = 0.005  # of the distance
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
    assert abs(report["differences"]["mujoco"]["path_length"]) < FOUND[name]
    run = sp.run_scenario(name, ["run.duration=10.0"])
    assert run.metrics["path_length"] == pytest.approx(own["path_length"], rel=1e-9)


@pytest.mark.parametrize("name", ["creep", "ma2001-case-one"])
def test_planar_scenarios_agree(name: str) -> None:
    """Coulomb friction in the plane, and in MuJoCo and Drake on contact points."""
    report, runs = compare.compare(
        setup_of(read(name, ["run.duration=2.0", "run.step=1e-3"])), ["own", "mujoco", "drake"]
    )
    assert report["status"] == "ok" and [run.provenance["engine"] for run in runs] == ["planar", "mujoco", "drake"]
    for peer in ("mujoco", "drake"):
        assert abs(report["differences"][peer]["com_distance"]) < PLANE
        assert report["engines"][peer]["wall_time"] > 0.0


def test_a_planar_scenario_is_compared_with_both_of_our_engines(tmp_path, capsys) -> None:
    """Without names of engines: the plane against space on level ground and the peers, and what differs is said."""
    code = main(
        [
            "compare",
            "creep",
            "--set",
            "run.duration=1.0",
            "--set",
            "run.step=1e-3",
            "--no-film",
            "--json",
            "--out",
            str(tmp_path),
        ]
    )
    report = json.loads(capsys.readouterr().out)
    assert code == 0 and list(report["engines"]) == ["own", "spatial", "mujoco", "drake"]
    own, spatial = report["engines"]["own"], report["engines"]["spatial"]
    assert own["note"] == "" and "level ground" in spatial["note"] and spatial["com_distance"] != own["com_distance"]
    for name in ("spatial", "mujoco", "drake"):
        assert abs(report["differences"][name]["com_distance"]) < PLANE
        assert abs(report["differences"][name]["positive_work"]) < 0.02
        assert report["engines"][name]["contact_count_mean"] == pytest.approx(own["contact_count_mean"], rel=0.01)


def test_a_controller_runs_in_mujoco() -> None:
    """The touchstone: a function of state and time steers the same gait back to the x axis, in our engine and in MuJoCo."""
    robot, world = sp.robots.ma2001(links=12), sp.World(friction=sp.contact.Coulomb(along=0.1, across=0.5))
    gait = sp.gaits.Serpenoid(winding_angle=0.8, waves=2, speed=0.8)

    def steer(state, t):
        return gait.angles(robot, t) - 0.2 * state.heading

    start = sp.Start(heading=0.5)
    ours, theirs = (
        sp.simulate(robot, sp.control.Controller(steer, period=0.02), world, 2.0, start=start, step=1e-3, engine=engine)
        for engine in (None, "mujoco")
    )
    assert theirs.status.ok
    assert theirs.metrics["com_distance"] == pytest.approx(ours.metrics["com_distance"], rel=PLANE)
    assert theirs["heading"][-1] == pytest.approx(ours["heading"][-1], abs=5e-3)
    assert abs(theirs["heading"][-1]) < abs(theirs["heading"][0])


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
        (["creep", "--engines", "own,mujoco-native"], "native contacts need a scenario in space"),
        (["sidewind", "--engines", "own,webots"], "unknown engine 'webots'"),
        (["sidewind", "--engines", "own,own"], "different names"),
        (["sidewind", "--engines", ""], "different names"),
        (["sidewind", "--set", "run.step=auto"], "a step in seconds"),
    ],
)
def test_refused(words: list[str], said: str, tmp_path, capsys) -> None:
    assert main(["compare", *words, "--no-film", "--out", str(tmp_path)]) == 2
    assert said in capsys.readouterr().err


def test_a_missing_package_is_told_before_anything_is_run(monkeypatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "mujoco", None)
    monkeypatch.setattr(compare, "run_in", lambda *_: pytest.fail("an engine ran"))
    with pytest.raises(sp.SerpenoidError, match=r"serpenoid\[engines\]"):
        compare.compare(setup_of(read("sidewind", ["run.duration=0.1"])), ["own", "mujoco"])


def test_an_engine_that_cannot_run_a_scenario_is_left_out_and_named() -> None:
    """Drake's own joints know no gear friction: the others are compared all the same; who asks for it by name is refused."""
    pytest.importorskip("mujoco")
    pytest.importorskip("pydrake.all")
    setup = setup_of(read("sea-snake", ["run.duration=0.05"]))
    able, left = compare.able_engines(setup)
    assert able == ["own", "mujoco", "mujoco-native", "drake"] and "no gear friction" in left["drake-native"]
    report, _ = compare.compare(setup, able[:2])
    assert "drake-native: left out: Drake's own joints have no gear" in compare.table({**report, "left_out": left})
    with pytest.raises(sp.SerpenoidError, match="no gear friction"):
        compare.compare(setup, ["own", "drake-native"])
    assert compare.able_engines(setup_of(read("creep")))[1] == {}
