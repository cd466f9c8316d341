"""Gaits in space do what their names say: sideways, on the spot, rolling, up a pole, straight ahead, with lifted bends."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import serpenoid as sp
from serpenoid.core.actuator import Servo
from serpenoid.core.slots import robot_numbers
from serpenoid.core.terrain import Cylinder, Ground
from serpenoid.formats.scenario import read
from serpenoid.gaits.fit import fit, forward
from serpenoid.gaits.pole import AXIS_ROWS, WIDTH, wrapped_radius
from serpenoid.gaits.rolling import helix_axis
from serpenoid.simulation.setup import setup_of

MODULAR = sp.robots.alternating(16, radius=0.03)
UNIVERSAL = sp.robots.universal(10, radius=0.03)
SERVO = Servo(60.0, 1.5)
QUARTER = np.pi / 2.0


def level(along: float = 0.6, across: float | None = None, **ground: float) -> sp.World:
    return sp.World(
        sp.contact.Coulomb(along, along if across is None else across),
        ground=Ground(**{"stiffness": 2e4, "damping": 50.0, **ground}),
    )


def moved(run: sp.Trajectory) -> np.ndarray:
    """Displacement of the centre of gravity; the run is ok."""
    assert run.status.ok, run.status
    return np.array([run.metrics[f"com_d{e}"] for e in "xyz"])


def turned(run: sp.Trajectory) -> float:
    """Change of heading in degrees."""
    return float(np.degrees(run["heading"][-1] - run["heading"][0]))


def sidewind(direction: int = 1, turn: float = 0.0) -> sp.Trajectory:
    gait = sp.gaits.Sidewinding(
        0.6, np.pi, np.radians(40.0), QUARTER, vertical_amplitude=0.3, direction=direction, turn=turn
    )
    return sp.simulate(MODULAR.but(servo=SERVO), gait, level(), 12.0)


def test_sidewinding_goes_sideways_and_its_mirror_to_the_other_side() -> None:
    left, right = (moved(sidewind(direction)) for direction in (1, -1))
    for way, side in ((left, 1.0), (right, -1.0)):
        assert side * way[1] > 0.8 * MODULAR.length and abs(way[0]) < 0.5 * abs(way[1])
    assert right[1] == pytest.approx(-left[1], rel=0.1)


def test_sidewinding_curves_by_the_sign_of_turn() -> None:
    straight = turned(sidewind())
    for direction in (1, -1):
        more, less = (turned(sidewind(direction, turn)) for turn in (0.8, -0.8))
        assert direction * more > 25.0 and direction * less < -25.0
        assert abs(straight) < 0.5 * min(abs(more), abs(less))


@pytest.mark.parametrize("robot", [MODULAR, sp.robots.universal(10, radius=0.03)], ids=lambda r: r.name)
def test_turn_in_place_turns_and_stays(robot: sp.Robot) -> None:
    gait = sp.gaits.TurnInPlace(phase_per_joint=np.radians(30.0 if robot is MODULAR else 60.0))
    back = replace(gait, vertical_amplitude=-gait.vertical_amplitude)
    reverse = replace(gait, frequency=-gait.frequency)
    for wanted, sense in ((gait, 1.0), (back, -1.0), (reverse, -1.0)):
        run = sp.simulate(robot.but(servo=SERVO), wanted, level(), 5.0)
        moved(run)
        assert sense * turned(run) > 90.0
        drift = np.hypot(run["com"][:, 0] - run["com"][:, 0][0], run["com"][:, 1] - run["com"][:, 1][0]).max()
        assert drift < 0.15 * robot.length


@pytest.mark.parametrize("robot", [MODULAR, UNIVERSAL], ids=lambda r: r.name)
def test_rolling_distance_is_omega_r_t(robot: sp.Robot) -> None:
    """Straight to the side: to the right for a positive rate, and nothing along."""
    for rate in (2.0, -2.0):
        run = sp.simulate(robot.but(servo=SERVO), sp.gaits.Rolling(0.1, rate), level(), 12.0)
        way = moved(run)
        assert way[1] == pytest.approx(-rate * 0.03 * 12.0, rel=0.08)
        assert abs(way[0]) < 0.01 * abs(way[1])
        assert run.metrics["roll_rate_mean"] == pytest.approx(rate, rel=1e-3)


def test_helix_rolls_at_its_rate() -> None:
    """Over its last two turns: at the start it falls over, by another angle with every step and every smoothing of friction."""
    for rate in (2.0, -2.0):
        gait = sp.gaits.HelixRolling(0.6, rate, 0.6)
        run = sp.simulate(UNIVERSAL.but(servo=SERVO), gait, level(), 22.0, record_interval=0.01)
        assert np.sign(moved(run)[1]) == -np.sign(rate)
        roll = (run["link_angular_velocity"] * run["link_axis"]).sum(axis=-1).mean(axis=1)
        last = run["time"] > 22.0 - 2.0 * np.pi
        assert roll[last].mean() == pytest.approx(rate, rel=2e-3)


def distances(points: np.ndarray, point: np.ndarray, direction: np.ndarray) -> np.ndarray:
    """Distances of points (., 3) from a line."""
    d = points - point
    return np.linalg.norm(d - np.outer(d @ direction, direction), axis=1)


@pytest.mark.parametrize("links", [16, 32, 64])
@pytest.mark.parametrize("slope", [0.3, -0.5])
def test_helix_round_a_pole_fits_it(links: int, slope: float) -> None:
    """The links touch the pole's surface and do not cut into it; its radius tends to that of the smooth helix."""
    robot, gait = sp.robots.alternating(links, 1.5, radius=0.025), sp.gaits.PoleClimbing(0.1, slope)
    yaw, pitch = gait.yaw_and_pitch(robot)
    angles = np.where(
        np.arange(1, links) % 2 == 1, yaw.amplitude * np.sin(yaw.phase), pitch.amplitude * np.sin(pitch.phase)
    )
    nodes = forward(robot, angles / gait.grip)
    point, axis = helix_axis(nodes)
    x = np.linspace(0.0, 1.0, 21)[:, None, None]
    away = distances(((1.0 - x) * nodes[:-1] + x * nodes[1:]).reshape(-1, 3), point, axis)
    assert away.min() == pytest.approx(0.125, rel=3e-3)
    radius = wrapped_radius(robot_numbers(robot), slope, 0.1, np.zeros((AXIS_ROWS + links + 1, WIDTH)))
    assert 0.0 < radius / 0.125 - 1.0 < 80.0 / links**2
    assert (nodes[-1] - nodes[0]) @ axis == pytest.approx(1.5 * np.sin(abs(slope)), rel=0.1)
    # right-handed for a positive slope: it turns about its axis as it goes along
    flat = nodes - point - np.outer((nodes - point) @ axis, axis)
    assert np.sign(np.cross(flat[:-1], flat[1:]) @ axis).sum() == np.sign(slope) * links


def climb(links: int, frequency: float, base: float = 0.1) -> tuple[sp.Trajectory, float]:
    """A run up (or down) a pole, and its vertical speed after a while."""
    robot = sp.robots.alternating(links, 1.5, 2.0, radius=0.025)
    world = replace(level(0.6), obstacles=(Cylinder((0.1, -0.2, 0.0), 0.08, 3.0),))
    gait = sp.gaits.PoleClimbing(0.08, 0.3, frequency=frequency, pole=(0.1, -0.2), base_height=base)
    run = sp.simulate(robot.but(servo=Servo(20.0, 0.5)), gait, world, 6.0)
    z, late = run["com"][:, 2], run["time"] >= 1.5
    steps = np.diff(z[late][::50])
    assert np.all(steps * frequency > 0.0)  # steadily
    return run, float(np.polyfit(run["time"][late], z[late], 1)[0])


def test_pole_climbing_rises_and_reversed_descends() -> None:
    up, speed = climb(24, 2.0)
    down, back = climb(24, -2.0, base=0.8)
    assert moved(up)[2] > 0.25 and moved(down)[2] < -0.25
    assert back == pytest.approx(-speed, rel=0.1)
    for run in (up, down):
        assert np.hypot(*moved(run)[:2]) < 0.03  # it stays round the pole
        assert run.metrics["slip_per_link"] < 0.3 * abs(moved(run)[2])


def test_climbing_speed_tends_to_that_of_a_rolling_body() -> None:
    """omega r cos(slope), with an error of second order in the links' length."""
    ratio = [climb(links, 2.0)[1] / (2.0 * 0.025 * np.cos(0.3)) for links in (24, 48)]
    assert ratio[1] == pytest.approx(1.0, abs=0.1)
    assert np.log2((ratio[0] - 1.0) / (ratio[1] - 1.0)) == pytest.approx(2.0, abs=0.4)


@pytest.mark.parametrize("robot", [MODULAR, UNIVERSAL], ids=lambda r: r.name)
def test_rectilinear_goes_straight_both_ways(robot: sp.Robot) -> None:
    gaits = [sp.gaits.Rectilinear(0.4, rate, np.radians(60.0)) for rate in (4.0, -4.0)]
    ways = [moved(sp.simulate(robot.but(servo=SERVO), gait, level(), 8.0)) for gait in gaits]
    assert ways[0][0] > 0.08 * robot.length and ways[1][0] == pytest.approx(-ways[0][0], rel=0.05)
    assert max(abs(way[1]) for way in ways) < 1e-3 * robot.length


def test_rectilinear_advance_is_what_the_wave_takes_up() -> None:
    """lambda (1 - J_0(Theta) + kappa r) a period, the better the finer the links."""
    from scipy.special import j0

    errors = []
    for links in (12, 24, 48):
        robot = sp.robots.rods(links, 1.0, 2.0, joints="pitch", radius=0.03)
        A, nu, l = 0.5 * 12 / links, np.radians(60.0) * 12 / links, 1.0 / links
        expected = 2 * np.pi * l / nu * (1.0 - j0(A / (2 * np.sin(0.5 * nu))) + 0.03 * A / l)
        run = sp.simulate(robot, sp.gaits.Rectilinear(A, 4.0, nu), level(), 8.0)
        moved(run)
        errors.append(run.metrics["steady_speed"] * 2 * np.pi / 4.0 / expected - 1.0)
    assert abs(errors[-1]) < 0.02 and abs(errors[0]) > 2.0 * abs(errors[1]) > 4.0 * abs(errors[2]) * 0.9


def test_sinus_lifting_is_faster_and_slips_less_than_the_same_wave_without() -> None:
    flat, lifted = (sp.run_scenario("sinus-lifting", [f"gait.lift_amplitude_deg={a}"]) for a in (0.0, 3.0))
    assert moved(lifted)[0] > 1.3 * moved(flat)[0] > 0.0
    loss = [run.metrics["friction_loss"] / moved(run)[0] for run in (flat, lifted)]
    assert loss[1] < 0.6 * loss[0]
    assert lifted.metrics["contact_count_mean"] < 0.5 * flat.metrics["contact_count_mean"]
    assert lifted.metrics["slip_per_link"] < 0.3 * flat.metrics["slip_per_link"]
    back = sp.run_scenario("sinus-lifting", ["gait.frequency=-3.0"])
    assert moved(back)[0] == pytest.approx(-moved(lifted)[0], rel=0.05)


def test_creeping_in_space_is_creeping_in_the_plane() -> None:
    """The paper's robot about as far as in the plane; with its weight over its contacts, on points, the same to 0.2 mm."""
    plane, space = sp.run_scenario("ma2001-case-one"), sp.run_scenario("ma2001-spatial")
    assert moved(space)[0] == pytest.approx(plane.metrics["com_dx"], rel=0.05)
    robot = sp.robots.ma2001(com_offset=0.04, radius=0.02)
    gait, flat = sp.gaits.Serpenoid.start_stop(0.8, 1.5, 1.0, 4.0), sp.World(sp.contact.Coulomb(0.1, 0.5))
    point = replace(flat, ground=Ground(model="point"))
    a, b = (sp.simulate(robot, gait, world, 4.0, step=1e-3) for world in (flat, point))
    for axis in (0, 1):
        assert np.abs(a["com"][:, axis] - b["com"][:, axis]).max() < 2e-4
    assert b.metrics["torque_max"] == pytest.approx(a.metrics["torque_max"], rel=1e-3)


def test_scenarios_up_a_slope_up_a_pole_and_straight_ahead() -> None:
    slope = sp.run_scenario("slope", ["run.duration=10.0"])
    way, n = moved(slope), setup_of(read("slope")).world.ground.normal
    assert way[2] > 0.2 and abs(way @ n) < 0.03  # along the slope, uphill
    assert moved(sp.run_scenario("pole", ["run.duration=8.0"]))[2] > 0.3
    assert moved(sp.run_scenario("rectilinear", ["run.duration=6.0"]))[0] > 0.4


def test_failed_joints_cost_distance() -> None:
    """Locked in the middle the same gait goes less far; a whole robot is the best."""
    gait = sp.gaits.Rectilinear(0.5, 4.0, np.radians(30.0))
    robot = sp.robots.rods(16, 1.0, 2.0, joints="pitch", radius=0.03)
    ways = [
        moved(sp.simulate(robot.but(locked=failed).but(servo=SERVO), gait, level(), 6.0))[0]
        for failed in ((), (4, 8, 12), (3, 5, 7, 9, 11, 13))
    ]
    assert ways[0] > ways[1] > ways[2]
    limp = moved(sp.simulate(robot.but(limp=(4, 8, 12)).but(servo=SERVO), gait, level(), 6.0))
    assert np.isfinite(limp).all() and limp[0] < ways[1]


def test_links_may_be_counted_by_numpy() -> None:
    """A numpy integer is a number of links: the body keeps its length and mass."""
    for links in (np.int64(5), np.int32(12)):
        for make in (sp.robots.rods, sp.robots.alternating, sp.robots.universal):
            robot = make(links, 1.3, 2.1)
            assert robot.length == pytest.approx(1.3) and robot.mass == pytest.approx(2.1)


@pytest.mark.parametrize("method", ["integral", "sequential"])
def test_joints_that_pitch_first_fit_a_helix_as_well(method: str) -> None:
    """The same nodes as universal joints, which yaw first; and a robot of pitch joints follows a standing curve."""
    helix = sp.shapes.named("helix", length=1.2)
    first, second = (
        fit(helix, robot, method=method)
        for robot in (sp.robots.sarrafan2012(12, link_length=0.1), sp.robots.universal(12, 1.2))
    )
    assert first.angles.shape == (11, 2) and np.abs(first.angles - second.angles).max() > 1e-3
    assert np.abs(first.nodes - second.nodes).max() < 1e-12
    arc = sp.shapes.roll(sp.shapes.to_bellows(sp.shapes.named("arc", curvature=1.5, length=1.0)), QUARTER)
    pitching = fit(arc, sp.robots.rods(10, joints="pitch"), method=method)
    yawing = fit(sp.shapes.named("arc", curvature=1.5, length=1.0), sp.robots.rods(10), method=method)
    assert np.abs(pitching.angles) == pytest.approx(np.abs(yawing.angles), abs=1e-6)
    with pytest.raises(sp.core.errors.InputError, match="leaves the plane"):
        fit(helix, sp.robots.rods(12, 1.2, joints="pitch"), method=method)
