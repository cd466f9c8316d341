"""Sizing: what a motor needs follows from the equations of a DC motor, and the verdict is what the run with the motor's limits does. CMU's gaits."""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import serpenoid as sp
from serpenoid.cli.entry import main
from serpenoid.cli.size import table
from serpenoid.core.actuator import Servo
from serpenoid.formats.scenario import read
from serpenoid.gaits.cmu import CMU, cmu_gait
from serpenoid.judgement import effort
from serpenoid.robots.servos import MOTORS, SERVOS
from serpenoid.simulation.loads import Loads
from serpenoid.simulation.metrics import values_of
from serpenoid.simulation.run import execute
from serpenoid.simulation.setup import Settings, Setup, setup_of
from serpenoid.simulation.sizing import COVERED, done_in_words, judged_motor, sized, verdict_of

TABLE = (Path(__file__).parents[2] / "docs" / "sizing.md").read_text()
# the table as quoted elsewhere: A, wS, wT of the even joints, delta
QUOTED = {"sidewinding": (0.6, 0.5, 5.0, np.pi / 4), "rolling": (0.3, 0.0, -2.0, np.pi / 2), "rolling_helix": (1.3, 0.1, -1.0, np.pi / 2), "linear_progression": (0.8, np.pi / 4, 1.0, 0.0)}  # fmt: skip


@pytest.mark.parametrize("name", CMU)
def test_gaits_of_cmu(name: str) -> None:
    """The joint angles are those of the source's formula, joints counted from the head."""
    robot, t = sp.robots.sea_snake(), 1.37
    beta, size, spatial, temporal, delta = CMU[name]
    found = cmu_gait(name, tempo=0.7, ramp=0.0).angles(robot, t)
    for k, (joint, axis) in enumerate(robot.axes):
        e, n = int(axis == "pitch"), robot.links - joint
        wanted = beta[e] + size[e] * np.sin(spatial[e] * n + 0.7 * temporal[e] * t + delta * e)
        assert np.ravel(found)[k] == pytest.approx(wanted, abs=1e-12)
    if name in QUOTED:
        assert (size[1], spatial[1], temporal[1], delta) == pytest.approx(QUOTED[name], abs=1e-9)
    with pytest.raises(sp.SerpenoidError, match="sidewinding"):
        cmu_gait("sidewinder")


def test_a_motor_that_turns_at_constant_speed() -> None:
    """Closed form: tau + tau_c + b w, i = that / kt, u = R i + kt w, heat R i^2, power u i."""
    m, torque, rate = MOTORS["mx64"], 1.9, 2.3
    frames = {
        "time": np.linspace(0, 1, 11),
        "joint_torque": np.full((11, 2), torque),
        "joint_rate": np.full((11, 2), rate),
    }
    setup: Any = SimpleNamespace(command=None, gait=None, robot=sp.Robot(3, 0.1, 0.1, servo=Servo()))
    found = judged_motor("mx64", m, setup, frames)  # type: ignore[arg-type]
    i = (torque + m.coulomb + m.viscous * rate) / m.torque_constant
    u = m.resistance * i + m.torque_constant * rate
    assert found["voltage_needed"] == pytest.approx(u) and found["margin"] == pytest.approx(0.9625 * 12.0 / u)
    assert found["heat"] == pytest.approx(2.0 * m.resistance * i**2) and found["battery_hour_Wh"] == pytest.approx(
        2.0 * u * i
    )
    assert [verdict_of(x) for x in (0.79, 0.81, 1.24, 1.26)] == ["will not", "marginal", "marginal", "will"]


def test_joints_without_a_motor_need_none() -> None:
    """Left out of a list of servos, or limp because it failed: nothing that it would need; one that failed has its mass, friction and rotor."""
    robot = sp.Robot(5, 0.1, 0.2, limp=(2,))
    listed = sp.Robot(5, 0.1, 0.2, servo=[Servo(9.0, 0.2), None, Servo(9.0, 0.2), Servo(9.0, 0.2)])
    world = sp.World(sp.contact.Viscous(0.2, 2.0))
    settings = Settings(1.0, step=1e-3, checked=False)
    found = [
        sized(Setup(body, world, sp.gaits.Serpenoid(0.5, 1.0, 0.3), settings=settings), ("xl320",), check=True)[0]
        for body in (robot, listed)
    ]
    assert found[0]["demand"] == found[1]["demand"] and found[0]["demand"]["torque_peak"][1] == 0.0
    failed, none = (one["servos"][0] for one in found)
    same = ("margin", "voltage_needed", "heat", "torque_peak", "battery_hour_Wh")
    assert {key: failed[key] for key in same} == {key: none[key] for key in same}
    mass = MOTORS["xl320"].mass
    assert failed["mass"] == pytest.approx(4 * mass) and none["mass"] == pytest.approx(3 * mass)
    assert failed["covered"] != none["covered"] and max(failed["error_rms"], none["error_rms"]) < 0.5


def test_the_verdict_is_what_the_run_with_the_motor_does() -> None:
    """The SEA Snake sidewinds up 20 degrees: motors that will carry it up, motors that let it slide down; the height decides."""
    setup = setup_of(read("sea-snake-slope"))
    report, run = sized(setup)
    verdicts = {m["name"]: m["verdict"] for m in report["servos"]}
    assert set(verdicts) == set(MOTORS) and set(verdicts.values()) == {"will", "will not"}
    uphill = run["com"][-1, 2] - run["com"][0, 2]
    assert uphill > 0.15 and report["slope"] == {"climbs": True, "height_gained": uphill}  # m
    for m in report["servos"]:
        own = execute(replace(setup, robot=setup.robot.but(servo=SERVOS[m["name"]](), joint_damping=0.0)))
        covered = (own["com"][-1, 2] - own["com"][0, 2]) / uphill
        assert (covered >= COVERED) == (m["verdict"] == "will"), m
        assert m["basis"] == "height" and m["covered"] == covered
        row = done_in_words(m)
        assert row == (
            f"{100 * covered:.0f} % of the height" if covered > 0.0 else f"slides down {-m['height_gained']:.3g} m"
        )
        assert re.search(
            rf"^\| {m['name']} \| {m['verdict']} \| {m['margin']:.2f} \| .* \| {row} \|$", TABLE, re.MULTILINE
        ), m
    assert len(report["demand"]["torque_rms"]) == 16 and max(report["demand"]["torque_rms"]) < 7.0


@pytest.mark.parametrize(
    ("scenario", "changes", "name"),
    [
        ("sidewind", ["robot.link_mass=0.02", "run.duration=4"], "xl330"),  # voltage enough and to spare, but a soft position loop
        ("pole", ["run.duration=4"], "mx106"),  # at its limits in some moments, and gets on all the same
        ("rectilinear", ["run.duration=4"], "sts3215"),
    ],
)  # fmt: skip
def test_the_run_decides_where_the_margin_misleads(scenario: str, changes: list[str], name: str) -> None:
    (motor,) = sized(setup_of(read(scenario, changes)), (name,))[0]["servos"]
    assert verdict_of(motor["margin"]) != motor["verdict"] == ("will" if motor["does"] else "will not")


@pytest.mark.parametrize(
    ("limp", "motors"), [({"limp": (8,)}, 16), ({"servo": ["mx64"] * 7 + ["limp"] + ["mx64"] * 8}, 15)]
)
def test_joints_without_a_motor_stay_so(limp: dict[str, Any], motors: int) -> None:
    """Neither the run that asks what is needed nor those with the servos drive a joint whose motor failed or that has none; a failed one has its mass."""
    setup = setup_of(read("sea-snake-slope", ["run.duration=0.5"]))
    setup = replace(setup, robot=sp.robots.sea_snake(**limp))
    report, run = sized(setup, ("mx106",))
    assert report["joints"] == 15 and report["servos"][0]["mass"] == pytest.approx(motors * MOTORS["mx106"].mass)
    assert not run["joint_torque"][:, 7].any() and run["joint_torque"][:, 6].any()
    assert np.abs(run["joint_angle"][-1, 7] - run["joint_target"][-1, 7]) > 0.05 or np.isnan(run["joint_target"][-1, 7])


@pytest.mark.parametrize("voltage", [10.5, 12.0, 14.0])
def test_the_margin_foretells_the_run_at_other_voltages(voltage: float) -> None:
    """On that slope the run says what the margin says, where that is clear."""
    report, _ = sized(setup_of(read("sea-snake-slope")), ("mx64", "mx106"), voltage, check=True)
    for m in report["servos"]:
        assert verdict_of(m["margin"]) in ("marginal", m["verdict"]), m


@pytest.mark.parametrize(
    ("scenario", "changes", "climbs"),
    [
        ("slope", ["gait.vertical_amplitude_deg=40", "run.duration=6"], True),  # lifted too high, it rolls down
        ("creep", ["world.slope_deg=20", "run.duration=2"], True),  # in the plane: it creeps to where the slope rises, and slides down
        ("creep", ["world.slope_deg=20", "world.slope_direction_deg=180", "run.duration=2"], False),  # downhill as it was meant to
    ],
)  # fmt: skip
def test_on_a_slope_height_decides(scenario: str, changes: list[str], climbs: bool) -> None:
    """A robot meant to climb that slides down will not do, whatever its motors; one sent downhill is judged by its way."""
    report, _ = sized(setup_of(read(scenario, changes)), ("mx106",))
    (motor,) = report["servos"]
    slope = report["slope"]
    assert slope["climbs"] is climbs and slope["height_gained"] < -0.3 and motor["height_gained"] < -0.3
    assert motor["covered"] is None if climbs else motor["covered"] > 0.9
    assert (motor["verdict"], motor["basis"]) == (("will not", "height") if climbs else ("will", "run"))
    text = table(report)
    assert ("even with servos without limits" in text) is climbs and ("slides down" in text) is climbs


def test_the_greatest_torques_with_joint_and_time() -> None:
    """Of the whole run (here the landing) and of steady motion, the last whole periods: in the run, its summary and the sizing alike; the rule of frames."""
    run = sp.run_scenario("slope", ["run.duration=6", "run.checked=false"])
    told, size, time = run.provenance["torques"], np.abs(run["joint_torque"]), run["time"]
    assert (
        told["max"]["time"] < 0.3 < 2.0 == told["from"] < told["steady_max"]["time"] <= told["until"] == 6.0
    )  # a period of 2 s
    inside = (time >= 2.0 - 1e-9) & (time <= 6.0 + 1e-9)
    joints = run["dof_joint"].astype(int)
    rms = np.sqrt((size[inside] ** 2).mean(axis=0))
    assert run.metrics["torque_steady_max"] == size[inside].max() < run.metrics["torque_max"]
    assert told["steady_max"]["joint"] == joints[size[inside].max(axis=0).argmax()]
    assert (
        run.metrics["torque_rms_max"] == pytest.approx(rms.max(), rel=1e-12)
        and told["rms_max"]["joint"] == joints[rms.argmax()]
    )
    for name in told.keys() - {"from", "until"}:
        assert f"joint {told[name]['joint']}" in run.summary()
    report, free = sized(setup_of(read("slope", ["run.duration=6"])), ("mx106",))
    assert report["demand"]["torques"] == free.provenance["torques"]
    text = table(report)
    for name in ("torque_max", "torque_steady_max", "torque_rms_max"):
        assert report["demand"][name] == free.metrics[name] and f"{free.metrics[name]:.3g} N m" in text


def test_the_line_of_a_motor() -> None:
    """Closed form: |tau|/stall + |rate|/free where a joint drives, the first alone where it brakes; of a named motor and of the robot's own."""
    torque, rate = np.array([[1.0, -2.0], [2.0, 1.0]]), np.array([[1.0, -1.0], [-1.0, 2.0]])
    loads = Loads(torque, rate, np.array([0.0, 1.0]))
    assert loads.use(4.0, 5.0) == pytest.approx(2.0 / 4.0 + 1.0 / 5.0) and loads.use(1.0, 1e9) == pytest.approx(2.0)
    assert effort.peak_of(torque, 0, 2) == (2.0, 1, 0) and loads.rms() == pytest.approx(np.sqrt([2.5, 2.5]))
    changes = ["run.duration=4", "robot.servo.torque_limit=3.0", "robot.servo.no_load_speed=4.0", "run.checked=false"]
    setup = setup_of(read("sidewind", changes))
    run = execute(setup)
    assert 0.3 < run.metrics["motor_line"] == values_of(setup, run, ["motor_line(3,4)"])["motor_line(3,4)"] <= 1.0
    assert sp.run_scenario("creep", ["run.duration=1", "run.step=2e-3"]).reasons["motor_line"].startswith("no servo")


def test_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "size"
    assert main(["size", "sea-snake", "--set", "run.duration=2", "--servo", "mx106", "--json", "--out", str(out)]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [m["name"] for m in told["servos"]] == ["mx106"] and told["servos"][0]["margin"] > 0.0
    assert (out / "size.png").is_file() and json.loads((out / "size.json").read_text())["joints"] == 16


@pytest.mark.parametrize("voltage", [[], ["--voltage", "14"]])
def test_the_command_that_follows_is_the_run_that_decided(
    voltage: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With the servo, its voltage, and without the damping that stood for the friction of the old servos."""
    words = ["sea-snake", "--set", "run.duration=1"]
    assert main(["size", *words, "--servo", "mx106", *voltage, "--out", str(tmp_path / "size")]) == 0
    following = shlex.split(capsys.readouterr().out.rpartition("next: serpenoid ")[2])
    (servo,) = json.loads((tmp_path / "size" / "size.json").read_text())["servos"]
    assert (
        following[:4] == ["run", *words]
        and main([*following, "--no-film", "--json", "--out", str(tmp_path / "run")]) == 0
    )
    own = json.loads(capsys.readouterr().out)["metrics"]
    reference = sized(setup_of(read("sea-snake", ["run.duration=1"])), ("mx106",))[1]
    way = reference["com"][-1] - reference["com"][0]
    covered = np.array([own["com_dx"], own["com_dy"], own["com_dz"]]) @ way / (way @ way)
    assert covered == pytest.approx(servo["covered"], rel=1e-9)  # the same run, once written and read


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["sea-snake", "--servo", "mx65"], "unknown servo"), (["sea-snake", "--voltage", "12"], "stands"), (["concertina"], "gait"),
        (["sea-snake", "--set", "robot.locked=[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16]"], "no joints"),
    ],
)  # fmt: skip
def test_refused(words: list[str], text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["size", *words, "--out", str(tmp_path / "x")]) == 2
    assert text in capsys.readouterr().err
