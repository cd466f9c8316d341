"""Controllers of shapes: oscillators lock and pass smoothly from gait to gait, parameters give way as a spring and damper do."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import serpenoid as sp
from serpenoid.control import CPG, Admittance, AdmittanceController, CPGController, LineOfSight, Servo
from serpenoid.control.admittance import held_force
from serpenoid.control.sines import sines_of
from serpenoid.core import Ground
from serpenoid.core.obstacles import Wall

LINKS = 9
ROBOT = sp.robots.ma2001(links=LINKS)
SPACE_ROBOT = sp.robots.rods(7, 0.7, 0.7, joints="alternating", radius=0.02)
CREEP = sp.gaits.Serpenoid(winding_angle=0.6, waves=1.3, speed=0.5)
BACK = sp.gaits.Serpenoid(winding_angle=0.4, waves=1.7, speed=-0.3)
WIND = sp.gaits.Sidewinding()
FLOOR = sp.World(ground=Ground("capsule", 5e3, 50.0))
EXACT = 1e-9  # rad, 1/s: rounding and the integration of the oscillators
CMU = 0.1, 3.0, 3.0  # M, B, K of snakelib's shape compliance (Carnegie Mellon University)


# gaits as sines


@pytest.mark.parametrize(
    ("gait", "robot"),
    [
        (CREEP, ROBOT),
        (BACK, ROBOT),
        (WIND, SPACE_ROBOT),
        (sp.gaits.Rolling(), SPACE_ROBOT),
        (CREEP.but(acceleration=0.4), ROBOT),
        (sp.gaits.CompoundSerpenoid(0.4, 0.3, 0.9, 0.7, -5.0, -5.0, 0.1, 0.05, 0.3, 0.8), SPACE_ROBOT),
    ],
)
def test_sines_are_the_gait(gait: Any, robot: sp.Robot) -> None:
    sines, t = sines_of(gait, robot), gait.steady_from(robot) + 12.34
    angles = sines.offset + sines.amplitude * np.sin(sines.frequency * t + sines.phase)
    assert sines.frequency > 0.0 and np.all(sines.amplitude >= 0.0)
    assert np.allclose(angles, gait.angles(robot, t), rtol=0.0, atol=EXACT)


def test_a_gait_of_two_frequencies_is_refused() -> None:
    two = sp.gaits.CompoundSerpenoid(0.4, 0.3, 0.9, 0.7, 5.0, 7.0)
    with pytest.raises(sp.SerpenoidError, match="sines of one frequency"):
        sines_of(two, SPACE_ROBOT)
    with pytest.raises(sp.SerpenoidError, match="stop_time"):
        sines_of(sp.gaits.Serpenoid(0.5, 1.5, 0.5, acceleration=0.5, stop_time=2.2), ROBOT)


# oscillators


def locked(controller: CPGController) -> tuple[float, float]:
    """Greatest error of a phase difference, and of a rate, against what the gait asks for."""
    m = controller.size
    lead = controller.phase - controller.target[2 * m : 3 * m]
    apart = np.abs(np.exp(1j * np.subtract.outer(lead, lead)) - 1.0).max()
    turn = controller.slope(np.concatenate([controller.phase, controller.value, controller.drift]))[:m]
    return float(apart), float(np.abs(turn - controller.target[-1]).max())


@pytest.mark.parametrize(("reach", "seed"), [(None, 0), (None, 1), (1, 2), (3, 3)])
def test_oscillators_lock_from_any_phases(reach: int | None, seed: int) -> None:
    controller = CPGController(ROBOT, CPG((CREEP,), reach=reach))
    controller.phase = np.random.default_rng(seed).uniform(-np.pi, np.pi, controller.size)
    assert min(locked(controller)) > 0.1
    controller.march(10.0 if reach is None else 80.0)
    apart, rate = locked(controller)
    assert apart < EXACT and rate < EXACT


@pytest.mark.parametrize("reach", [None, 1])
def test_phase_errors_die_away_at_the_rate_of_the_theory(reach: int | None) -> None:
    cpg = CPG((CREEP,), coupling=3.0, reach=reach)
    controller = CPGController(ROBOT, cpg)
    m = controller.size
    # the slowest pattern: any without a mean where all are neighbours, a cosine along the body in a chain
    chain = np.cos(np.pi * np.arange(m) / (m - 1))
    pattern, rate = (chain, 3.0 * (1.0 - np.cos(np.pi / (m - 1)))) if reach else (np.linspace(-1.0, 1.0, m), 3.0 * m / (m - 1))  # fmt: skip
    controller.phase = controller.phase + 1e-5 * pattern
    controller.march(0.7)
    left = controller.phase - controller.target[2 * m : 3 * m] - controller.target[-1] * 0.7
    assert np.allclose(left - left.mean(), 1e-5 * pattern * np.exp(-0.7 * rate), rtol=0.0, atol=1e-10)


def test_amplitudes_come_in_by_the_closed_form() -> None:
    controller = CPGController(ROBOT, CPG((CREEP,), convergence=5.0))
    controller.march(0.63)
    wanted = 1.0 - (1.0 + 2.5 * 0.63) * np.exp(-2.5 * 0.63)  # critically damped
    m = controller.size
    assert np.allclose(controller.value[:m], wanted * controller.target[:m], rtol=1e-6)


def test_without_coupling_nothing_locks() -> None:
    controller = CPGController(ROBOT, CPG((CREEP,), coupling=0.0))
    controller.phase = controller.phase + np.linspace(0.0, 1.0, controller.size) ** 2
    before = locked(controller)[0]
    controller.march(20.0)
    assert locked(controller)[0] == pytest.approx(before, rel=1e-9)


def greatest_changes(period: float) -> tuple[float, float]:
    """Of angles and of rates from call to call of a network that changes its gait twice."""
    controller = CPGController(ROBOT, CPG((CREEP, BACK, CREEP), times=(0.6, 1.1), period=period))
    rest = SimpleNamespace(joint_angles=np.zeros(controller.size))
    commands = [controller.command(rest, k * period) for k in range(round(1.6 / period))]
    rows = np.array([[c.angles, c.rates] for c in commands], dtype=float)
    angles, rates = np.abs(np.diff(rows, axis=0)).max(axis=(0, 2))
    return float(angles), float(rates)


def test_angles_and_rates_do_not_jump_from_gait_to_gait() -> None:
    coarse, fine = greatest_changes(0.01), greatest_changes(0.0025)
    assert np.divide(fine, coarse) == pytest.approx([0.25, 0.25], rel=0.05)  # a jump would stay as it is


def test_a_wave_turns_round_without_coiling_up() -> None:
    back = CREEP.but(speed=-0.5)
    run = sp.simulate(ROBOT, CPG((CREEP, back), times=(2.0,)), sp.World(), duration=6.0, step=2e-3)
    bend = np.abs(run["joint_angle"].sum(axis=1))  # of the whole body
    own = max(abs(CREEP.angles(ROBOT, t).sum()) for t in np.linspace(0.0, CREEP.period(ROBOT) or 0.0, 200))
    assert run.status.ok and all(text.startswith("rough: ") for text in run.warnings) and bend.max() < 1.01 * own
    assert run["com"][:, 0].max() - run["com"][-1, 0] > 0.3  # and it goes back


def test_rates_are_those_of_the_angles() -> None:
    controller = CPGController(ROBOT, CPG((CREEP, BACK), times=(0.6,)))
    controller.march(0.5)
    controller.ask(BACK)
    controller.march(0.1)
    angles, rates = controller.angles()
    controller.march(1e-5)
    assert np.allclose((controller.angles()[0] - angles) / 1e-5, rates, atol=1e-3)


def test_the_last_gait_is_reached() -> None:
    run = sp.simulate(ROBOT, CPG((BACK, CREEP), times=(1.0,)), sp.World(), duration=7.0, step=2e-3)
    report, left = (
        run.provenance["plan"],
        (1.0 + 2.0 * 6.0) * np.exp(-2.0 * 6.0),
    )  # of the low pass, 6 s after the change
    before, after = (sines_of(gait, ROBOT).frequency for gait in (BACK, CREEP))
    # the wave of the second gait runs the other way: its sines with the other sign of frequency and phases
    assert report["cpg_frequency"] == pytest.approx(-after + left * (before + after), rel=1e-7)
    assert report["phase_error"] < 1e-3


def test_the_settled_network_moves_the_robot_as_the_gait_does() -> None:
    run = sp.simulate(ROBOT, CPG((CREEP,)), sp.World(), duration=16.0)
    plain = sp.simulate(ROBOT, CREEP, sp.World(), duration=16.0)
    speeds = []
    for r in (run, plain):
        last = r["time"] > 8.0
        speeds.append(np.hypot(*np.diff(r["com"][last][[0, -1], :2], axis=0)[0]) / 8.0)
    assert speeds[0] == pytest.approx(speeds[1], rel=0.02) and speeds[1] > 0.2


def test_from_creeping_to_sidewinding_in_space() -> None:
    creep = sp.gaits.CompoundSerpenoid(0.5, 0.0, 1.0, 0.0, -4.0)
    run = sp.simulate(SPACE_ROBOT, CPG((creep, WIND), times=(1.0,)), FLOOR, duration=4.0)
    pitch = np.array([kind == "pitch" for _, kind in SPACE_ROBOT.axes])
    early, late = run["time"] < 1.0, run["time"] > 3.0
    assert run.status.ok and np.abs(run["joint_angle"][early][:, pitch]).max() < EXACT
    assert np.abs(run["joint_angle"][late][:, pitch]).max() == pytest.approx(WIND.amplitude, rel=0.05)


def test_a_given_posture_is_left_without_a_jump() -> None:
    start = sp.Start(angles=np.linspace(-0.4, 0.3, LINKS - 1))
    run = sp.simulate(ROBOT, CPG((CREEP,)), sp.World(), duration=0.1, start=start)
    assert np.abs(run["joint_angle"][-1] - start.angles).max() < 0.1 and np.abs(run["joint_rate"]).max() < 3.0


def test_another_gait_on_the_way() -> None:
    controller = CPGController(ROBOT, CPG((CREEP,)))
    sim = sp.Simulation(ROBOT, sp.World(), controller)
    sim.advance(1.0)
    controller.ask(BACK)
    sim.advance(0.5)
    other = sp.Simulation(ROBOT, sp.World(), CPGController(ROBOT, CPG((CREEP,)))).restore(sim.memory())
    for one in (sim, other):
        one.advance(5.5)
    assert np.array_equal(sim.state.nodes, other.state.nodes)  # what was asked for is remembered, too
    assert controller.value[-1] == pytest.approx(-sines_of(BACK, ROBOT).frequency, rel=1e-3)


# admittance


def closed_form(t: float, force: float, gap: float = 0.0) -> float:
    """Solution of M s'' + B s' + K s = F from s = gap at rest, by its two real roots."""
    mass, damping, stiffness = CMU
    root = np.sqrt(damping**2 - 4.0 * mass * stiffness)
    fast, slow = (-damping - root) / (2.0 * mass), (-damping + root) / (2.0 * mass)
    away = gap - force / stiffness
    return float(force / stiffness + away * (fast * np.exp(slow * t) - slow * np.exp(fast * t)) / (fast - slow))


@pytest.mark.parametrize("period", [0.02, 0.13])
@pytest.mark.parametrize("k", [0, 1, 2])
def test_a_parameter_gives_way_by_the_closed_form(period: float, k: int) -> None:
    controller = AdmittanceController(ROBOT, Admittance(CREEP, parameters="all", period=period))
    assert (controller.admittance.mass, controller.admittance.damping, controller.admittance.stiffness) == CMU
    force = np.zeros(3)
    force[k] = -0.47
    for _ in range(10):
        controller.give_way(force)
    moved = controller.parameters - controller.own
    assert moved[k] == pytest.approx(closed_form(10 * period, -0.47), abs=1e-13)
    assert np.all(np.delete(moved, k) == 0.0)
    held = float(moved[k])
    for _ in range(20):
        controller.give_way(np.zeros(3))
    assert abs(controller.parameters[k] - controller.own[k]) < abs(held)


def test_a_spring_without_damping_swings() -> None:
    ahead, _ = held_force(0.2, 0.0, 1.7, 0.3)
    w = np.sqrt(1.7 / 0.2)
    assert np.allclose(ahead, [[np.cos(0.3 * w), np.sin(0.3 * w) / w], [-w * np.sin(0.3 * w), np.cos(0.3 * w)]])


def test_only_what_may_give_way_does_and_within_its_reach() -> None:
    controller = AdmittanceController(ROBOT, Admittance(CREEP, parameters="amplitude", reach=0.2))
    for _ in range(200):
        controller.give_way(np.array([-50.0, -50.0, 50.0]))
    low = max(controller.own[0] - 0.2, 0.0)
    assert controller.parameters == pytest.approx([low, controller.own[1], 0.0]) and not controller.rates.any()


@pytest.mark.parametrize("name", ["amplitude", "spatial", "offset"])
def test_slopes_and_rates_are_differences_of_the_shape(name: str) -> None:
    controller = AdmittanceController(ROBOT, Admittance(CREEP, parameters="all", ramp=2.0))
    k = ("amplitude", "spatial", "offset").index(name)
    t, d = 1.37, 1e-6
    slope = controller.shape(t)[2][:, k]
    controller.parameters[k] += d
    up = controller.shape(t)[0]
    controller.parameters[k] -= 2.0 * d
    assert np.allclose((up - controller.shape(t)[0]) / (2.0 * d), slope, atol=1e-8)
    controller.rates = np.array([0.3, -0.2, 0.4])
    begin = controller.parameters.copy()
    ends = []
    for h in (d, -d):
        controller.parameters = begin + h * controller.rates
        ends.append(controller.shape(t + h)[0])
    controller.parameters = begin
    assert np.allclose((ends[0] - ends[1]) / (2.0 * d), controller.shape(t)[1], atol=1e-7)


def test_a_narrow_channel_makes_the_wave_smaller_and_spares_the_motors() -> None:
    robot = sp.robots.rods(10, 1.0, 1.0, radius=0.02, servo=Servo(20.0, 0.4))
    gait = sp.gaits.Serpenoid(winding_angle=0.9, waves=1.5, speed=0.25)
    ground = sp.contact.Coulomb(0.1, 0.3)
    bars = tuple(Wall((-1.5, y), (3.0, y), 0.1) for y in (-0.125, 0.125))
    pushed = {}
    for stiffness in (0.3, 1e4):
        world = sp.World(ground, obstacles=bars)
        run = sp.simulate(robot, Admittance(gait, "amplitude", stiffness=stiffness), world, duration=4.0, step=2e-3)
        assert run.status.ok
        pushed[stiffness] = run.provenance["plan"]["gait_amplitude"], float(np.abs(run["joint_torque"][-100:]).max())
    own = float(sines_of(gait, robot).amplitude.max())
    assert pushed[1e4][0] == pytest.approx(own, rel=0.02)
    assert pushed[0.3][0] < 0.8 * own and pushed[0.3][1] < 0.8 * pushed[1e4][1]


# what holds for all


COMMANDS: dict[str, Any] = {
    "cpg": CPG((CREEP, BACK), times=(1.0,)),
    "admittance": Admittance(CREEP, stiffness=1.0),
    "line-of-sight": LineOfSight(CREEP, ((0.0, 0.3), (0.3, 0.3), (0.3, 9.0)), integral=0.1),
}


@pytest.mark.parametrize("name", list(COMMANDS))
def test_a_run_is_saved_resumed_and_branched_bit_for_bit(name: str, tmp_path: Path) -> None:
    whole, first, second = (sp.Simulation(ROBOT, sp.World(), COMMANDS[name]) for _ in range(3))
    whole.advance(3.0)
    first.advance(1.713)
    file = first.save(tmp_path / "half.nc")
    second.restore(file).advance(3.0 - 1.713)
    other = first.branch()
    other.advance(3.0 - 1.713)
    first.advance(0.3)  # the branch goes by itself
    for sim in (second, other):
        assert np.array_equal(whole.state.nodes, sim.state.nodes)
        assert whole.finish().provenance["plan"] == sim.finish().provenance["plan"]
    assert whole.finish().events == second.finish().events


@pytest.mark.parametrize("name", list(COMMANDS))
def test_each_is_a_scenario(name: str) -> None:
    run = sp.simulate(ROBOT, COMMANDS[name], sp.World(), duration=0.1)
    keys = run.scenario["controller"]
    assert keys["kind"] == name and json.dumps(keys)
    again = sp.simulation.setup.setup_of(run.scenario).prepared().command
    assert name == again.NAME
    assert sp.simulation.setup.setup_of(run.scenario).command.keys() == keys


REFUSED: dict[str, Any] = {
    "at least one gait": lambda: CPG(()),
    "needs 1 times": lambda: CPG((CREEP, BACK)),
    "rise": lambda: CPG((CREEP, BACK, CREEP), times=(2.0, 1.0)),
    "coupling": lambda: CPG((CREEP,), coupling=-1.0),
    "reach": lambda: CPG((CREEP,), reach=0),
    "gaits": lambda: CPG((3.0,)),
    "no period": lambda: CPGController(ROBOT, CPG((sp.gaits.Serpenoid(0.5, 1.0, 0.0),))),
    "mass": lambda: Admittance(CREEP, mass=0.0),
    "parameters": lambda: Admittance(CREEP, parameters="winding_angle"),
    "yaw joints": lambda: AdmittanceController(
        sp.robots.rods(6, 1.0, 1.0, joints="pitch"), Admittance(sp.gaits.Rectilinear(), parameters="offset")
    ),
    "nothing moves": lambda: AdmittanceController(ROBOT, Admittance(sp.gaits.Serpenoid(0.0, 1.0, 0.5))),
    "same place": lambda: LineOfSight(CREEP, ((0.0, 0.0), (0.0, 0.0))),
    "path": lambda: LineOfSight(CREEP, ((0.0, 0.0),)),
    "look_ahead": lambda: LineOfSight(CREEP, ((0.0, 0.0), (1.0, 0.0)), look_ahead=0.0),
}


@pytest.mark.parametrize("words", list(REFUSED))
def test_refused(words: str) -> None:
    with pytest.raises(sp.SerpenoidError, match=words):
        REFUSED[words]()
