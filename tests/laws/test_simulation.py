"""The hall: a simulation however cut, steered, saved, branched; plane and space alike."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import serpenoid as sp
from serpenoid.control import Command, Controller
from serpenoid.core.errors import InputError

ROBOT = sp.robots.ma2001(links=9)
GAIT = sp.gaits.Serpenoid(winding_angle=0.7, waves=1.3, speed=0.6)
FLAT = sp.World(sp.contact.Coulomb(along=0.1, across=0.55))
SNAKE = sp.robots.universal(8, 0.9, radius=0.03)
SIDE = sp.gaits.Sidewinding(amplitude=0.45, ramp=0.3)
LEVEL = sp.World(sp.contact.Coulomb(along=0.4, across=0.45), ground=sp.Ground())
CASES = {"plane": (ROBOT, GAIT, FLAT), "space": (SNAKE, SIDE, LEVEL)}
SERVO = sp.control.Servo(stiffness=80.0, damping=1.2, torque_limit=6.0)


def same(one: sp.Trajectory, other: sp.Trajectory) -> None:
    assert one.metrics == other.metrics
    for name in one.variables:
        assert np.array_equal(one[name], other[name], equal_nan=True), name


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("servo", [None, SERVO])
def test_however_the_time_is_cut_it_is_the_same_bit_for_bit(case: str, servo: Any) -> None:
    robot, gait, world = CASES[case]
    robot = robot.but(servo=servo)
    whole = sp.simulate(robot, gait, world, duration=0.6)
    for cuts in ([0.6], [0.1] * 6, np.random.default_rng(3).dirichlet(np.ones(23)) * 0.6):
        sim = sp.Simulation(robot, world, gait)
        for cut in cuts:
            sim.advance(float(cut))
        same(sim.finish(), whole)


@pytest.mark.parametrize("case", CASES)
def test_saved_restored_and_branched_it_goes_on_bit_for_bit(case: str, tmp_path: Path) -> None:
    robot, gait, world = CASES[case]
    sim = sp.Simulation(robot, world, gait)
    sim.advance(0.3)
    sim.save(tmp_path / "half.nc")
    twin, again = sim.branch(), sp.Simulation(robot, world, gait).restore(tmp_path / "half.nc")
    kept = sim.memory()
    for one in (sim, twin, again):
        one.advance(0.25)
    for other in (twin, again):
        assert np.array_equal(other.state.nodes, sim.state.nodes)
        assert np.array_equal(other.state.joint_torques, sim.state.joint_torques)
    end = sim.state.nodes
    sim.restore(kept).advance(0.25)
    assert np.array_equal(sim.state.nodes, end)


def test_a_state_stays_what_it_was() -> None:
    sim = sp.Simulation(ROBOT, FLAT, GAIT)
    sim.advance(0.2)
    then, com = sim.state, sim.state.com.copy()
    sim.advance(0.2)
    assert then.time == pytest.approx(0.2) and np.array_equal(then.com, com)
    assert not np.array_equal(sim.state.com, com)
    assert "joint angles" in repr(then) and len(repr(then)) < 200


@pytest.mark.parametrize("case", CASES)
def test_angles_of_a_gait_give_the_gait(case: str) -> None:
    """Angles and rates of a gait at every call: the motion of the gait itself, to the order of the interpolation."""
    robot, gait, world = CASES[case]
    whole = sp.simulate(robot, gait, world, duration=1.0, step=5e-4)
    errors = []
    for period in (0.02, 0.01):
        sim = sp.Simulation(robot, world, start=sp.Start(angles=gait.angles(robot, 0.0)), step=5e-4)
        for k in range(1, round(1.0 / period) + 1):
            t = k * period
            rates = (gait.angles(robot, t + 1e-6) - gait.angles(robot, t - 1e-6)) / 2e-6
            sim.advance(period, angles=gait.angles(robot, t), rates=rates)
        errors.append(float(np.abs(sim.state.joint_angles - gait.angles(robot, 1.0)).max()))
        assert abs(sim.finish().metrics["com_distance"] - whole.metrics["com_distance"]) < 0.03 * robot.length
    assert max(errors) < 1e-9


def test_angles_without_rates_are_continuous_in_velocity_and_torques_converge_with_the_step() -> None:
    period, found, jumps = 0.02, [], []
    for step in (4e-4, 2e-4, 1e-4):
        sim = sp.Simulation(
            ROBOT, FLAT, start=sp.Start(angles=GAIT.angles(ROBOT, 0.0)), step=step, record_interval=step
        )
        for k in range(1, 26):
            sim.advance(period, angles=GAIT.angles(ROBOT, k * period))
        run = sim.finish()
        jumps.append(float(np.abs(np.diff(run["joint_rate"], axis=0)).max()))
        found.append(run.metrics["torque_sq_mean"])
    assert (
        jumps[1] < 0.55 * jumps[0] and jumps[2] < 0.55 * jumps[1]
    )  # changes of rate over a step shrink with it: none jumps
    assert abs(found[2] - found[1]) < 0.7 * abs(found[1] - found[0]) and abs(found[2] / found[1] - 1.0) < 0.01


@pytest.mark.parametrize("case", CASES)
def test_nothing_given_and_no_command_is_limp(case: str) -> None:
    robot, gait, world = CASES[case]
    sim = sp.Simulation(robot, world, start=sp.Start(velocity=(0.4, 0.2), angles=gait.angles(robot, 0.3)))
    sim.advance(0.5)
    run = sim.finish()
    assert run.metrics["positive_work"] == pytest.approx(0.0, abs=1e-12) and run.metrics["com_distance"] > 0.01


@pytest.mark.parametrize("smoothing", [1e-3, 1e-6, None])
def test_torques_given_are_the_torques_recorded(smoothing: float | None) -> None:
    """They follow from the balance of momenta, so they carry the rounding of contact velocities times the slope mu N / eps of friction."""
    world = sp.World(FLAT.friction.but(smoothing=smoothing))
    sim, torques = sp.Simulation(ROBOT, world), 0.05 * np.sin(np.arange(8.0))
    sim.advance(0.2, torques=torques)
    run = sim.finish()
    speed = np.linalg.norm(run["com_velocity"], axis=1).max() + ROBOT.length * np.abs(run["joint_rate"]).max()
    eps = smoothing or sim._engine.totals()["smoothing"]
    slope = 0.55 * 9.81 * ROBOT.mass / eps
    rounding = np.finfo(float).eps * ROBOT.length * slope * speed  # 1e-12 N m where eps is 1e-3 m/s
    assert np.abs(run["joint_torque"][-1] - torques).max() < rounding
    assert rounding < 1e-9


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("servo", [None, SERVO])
def test_the_second_touchstone(case: str, servo: Any) -> None:
    robot, gait, world = CASES[case]
    robot = robot.but(servo=servo)

    def steer(state: Any, t: float) -> Any:
        return gait.angles(robot, t) - 0.2 * state.heading

    run = sp.simulate(robot, Controller(steer, period=0.02), world, duration=2.0)
    assert run.status.ok and run.metrics["positive_work"] > 0.0


def test_a_controller_cut_saved_and_resumed_is_the_same(tmp_path: Path) -> None:
    def steer(state: Any, t: float) -> Any:
        return GAIT.angles(ROBOT, t) - 0.1 * state.heading

    command = Controller(steer, period=0.013)
    whole = sp.simulate(ROBOT, command, FLAT, duration=1.0)
    part = sp.simulate(ROBOT, command, FLAT, duration=1.0, until=0.47)
    part.save(tmp_path / "part.nc")
    same(sp.resume(sp.load(tmp_path / "part.nc"), command=command), whole)
    with pytest.raises(InputError, match="command"):
        sp.resume(sp.load(tmp_path / "part.nc"))


BAD: dict[str, Callable[[Any, float], Any]] = {
    "8 numbers": lambda state, t: np.zeros(3),
    "finite": lambda state, t: np.full(8, np.nan),
    "must be 8 numbers": lambda state, t: "straight",
    "not both": lambda state, t: Command(angles=np.zeros(8), torques=np.zeros(8)),
}


@pytest.mark.parametrize("said", BAD)
def test_a_controller_that_answers_nonsense_is_refused_with_time_and_name(said: str) -> None:
    late = BAD[said]

    def control(state: Any, t: float) -> Any:
        return GAIT.angles(ROBOT, t) if t < 0.1 else late(state, t)

    with pytest.raises(InputError, match=said) as caught:
        sp.simulate(ROBOT, Controller(control, 0.02), FLAT, duration=1.0)
    assert "control" in str(caught.value) and "t = 0.1" in str(caught.value)


def test_a_controller_that_raises_loses_nothing() -> None:
    def control(state: Any, t: float) -> Any:
        if t > 0.3:
            raise RuntimeError("the battery is empty")
        return GAIT.angles(ROBOT, t)

    sim = sp.Simulation(ROBOT, FLAT, Controller(control, 0.02))
    with pytest.raises(InputError, match="RuntimeError: the battery is empty") as told:
        sim.advance(1.0)
    assert isinstance(told.value.__cause__, RuntimeError)
    run = sim.finish()
    assert run["time"][-1] == pytest.approx(0.32) and run.status.ok


def test_a_state_of_another_robot_is_refused() -> None:
    sim = sp.Simulation(ROBOT, FLAT, GAIT)
    sim.advance(0.1)
    other = sp.Simulation(sp.robots.ma2001(links=12), FLAT, GAIT)
    with pytest.raises(InputError, match=r"shape|belong"):
        other.restore(sim.memory())
    heavier = sp.Simulation(ROBOT.but(link_mass=0.7), FLAT, GAIT)
    with pytest.raises(InputError, match="link_mass"):
        heavier.restore(sim.finish())


def test_memory_is_numbers_texts_lists_and_arrays() -> None:
    sim = sp.Simulation(ROBOT, FLAT, GAIT)
    sim.advance(0.1)
    memory = sim.memory()
    json.dumps(memory["simulation"])
    assert all(isinstance(a, np.ndarray) for a in memory["arrays"].values())


WRONG: dict[str, Callable[[], Any]] = {
    "robots.ma2001\\(\\)": lambda: sp.simulate(sp.robots.ma2001, GAIT, FLAT),
    "order is": lambda: sp.simulate(ROBOT, FLAT, GAIT),
    "order is simulate": lambda: sp.simulate(GAIT, ROBOT, FLAT),
    "Controller\\(": lambda: sp.simulate(ROBOT, lambda state, t: None, FLAT),
    "duration=": lambda: sp.simulate(ROBOT, GAIT, 8.0),
    "duration": lambda: sp.simulate(ROBOT, GAIT, FLAT, duration="8"),
    "engine must be": lambda: sp.Simulation(ROBOT, FLAT, GAIT, engine="bullet"),
    "did you mean joint_angle": lambda: sp.simulate(ROBOT, GAIT, FLAT, duration=0.1)["joint_angles"],
    "duration must be": lambda: sp.Simulation(ROBOT, FLAT, GAIT).advance(-1.0),
    "rates need angles": lambda: sp.Simulation(ROBOT, FLAT).advance(0.1, rates=np.zeros(8)),
    "got shape": lambda: sp.Simulation(ROBOT, FLAT).advance(0.1, angles=np.zeros(7)),
}


@pytest.mark.parametrize("said", WRONG)
def test_wrong_calls_get_a_helpful_error(said: str) -> None:
    with pytest.raises(InputError, match=said):
        WRONG[said]()


def test_a_run_shows_itself_shortly() -> None:
    run = sp.simulate(ROBOT, GAIT, FLAT, duration=0.2)
    assert len(repr(run)) < 200 and "ok" in repr(run) and "0.2 s" in repr(run)
