"""Paths carried out in dynamics: a fed robot and a creeping one arrive, do not enter walls, and say what they needed or why not."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import serpenoid as sp
from serpenoid.contact import Coulomb
from serpenoid.control import creeper as creeping
from serpenoid.control.creeper import Course, Wave, creep
from serpenoid.control.feeder import HELD, Drive, Passage, base_end, feed, pace, path_track
from serpenoid.planning import find_path, maps, posture
from serpenoid.shapes.track import joint_angles, laid, off_track, track_of
from serpenoid.spatial._old.walls import STIFFNESS, Walls, clearance, walls_of_grid
from serpenoid.view.film import stage_of
from serpenoid.view.scene import scene_of
from serpenoid.view.today import map_film, of_passage

CELL, G = 0.05, 9.81
MILLIMETRE = 1e-3  # a wall may be entered by less, as the plan asks
TRACKS = 0.1  # of a link's length: a fed robot's link ends from the path


def snake(links: int = 6, link: float = 0.2, **changes: float) -> sp.Robot:
    return sp.robots.rods(links, links * link, float(links), radius=0.04, **changes)


def hook() -> np.ndarray:
    """Two corridors of 9 cells round the end of a wall."""
    mask = np.zeros((21, 41), bool)
    mask[[0, -1]], mask[:, [0, -1]], mask[10, :31] = True, True, True
    return mask


HOOK = hook()


@pytest.fixture(scope="module")
def way() -> tuple[np.ndarray, Walls]:
    found = find_path(maps.from_array(HOOK, CELL), (0.25, 0.25), (0.75, 0.25), robot=snake())
    return found.points, walls_of_grid(HOOK, CELL)


@pytest.fixture(scope="module")
def fed(way: tuple[np.ndarray, Walls]) -> Passage:
    return feed(snake(), *way)


@pytest.fixture(scope="module")
def crept(way: tuple[np.ndarray, Walls]) -> Passage:
    return creep(snake(), *way)


def check(run: Passage, robot: sp.Robot) -> None:
    """What holds of every run that arrived."""
    assert run.status == "reached" and run.reason == "" and run.penetration_max < MILLIMETRE
    sizes = np.hypot(*np.moveaxis(np.diff(run.nodes, axis=1), -1, 0))
    assert np.abs(sizes / robot.link_length - 1.0).max() < 1e-9
    assert run.head_to_goal == pytest.approx(np.hypot(*(run.nodes[-1, -1] - run.track[-1])))
    assert run.lateral_error_max == run.lateral_error.max() and run.torque_max >= np.abs(run.torques).max() - 1e-9
    numbers = {k: v for k, v in run.summary().items() if isinstance(v, float)}
    assert all(np.isfinite(v) for v in numbers.values()) and numbers["slip"] > 0.0 and json.dumps(run.summary())


def gaps(run: Passage, walls: Walls) -> np.ndarray:
    """Distance of points along the links from the walls, less the half width, of all frames."""
    x = np.linspace(0.0, 1.0, 9)[:, None]
    points = run.nodes[:, :-1, None] * (1.0 - x) + run.nodes[:, 1:, None] * x
    return clearance(walls, points.reshape(-1, 2)) - 0.04


def test_fed_robot_arrives_on_the_path(fed: Passage, way: tuple[np.ndarray, Walls]) -> None:
    check(fed, snake())
    assert fed.head_to_goal < TRACKS * 0.2 and fed.lateral_error_max < TRACKS * 0.2
    assert gaps(fed, way[1]).min() > 0.0 and fed.wall_force_max == 0.0
    assert fed.feed_force_max >= np.abs(fed.feed_force).max() > 0.05 * 6.0 * G
    assert 0.0 < fed.joint_speed_max < 1.2 * Drive().joint_speed
    # errors are distances from the path that was asked for
    track = path_track(snake(), way[0])
    worst = int(np.argmax(fed.lateral_error))
    away = np.abs(off_track(track, fed.nodes[worst], (0.0, track.length))[0])
    assert fed.lateral_error[worst] == pytest.approx(away.max(), rel=1e-6)


def test_feeder_pushes_against_friction_and_inertia() -> None:
    """On a straight path: mu m g while the speed is even, m a more where it rises; its work is what friction takes."""
    robot, drive = snake(), Drive(friction=Coulomb(0.08, 0.4), speed=0.2, acceleration=0.4)
    run = feed(robot, [[0.0, 0.0], [3.0, 0.0]], drive=drive)
    even = (run.time > 1.5) & (run.time < run.time[-1] - 2.0)
    assert run.feed_force[even] == pytest.approx(0.08 * 6.0 * G, rel=1e-4)
    rising = (run.time > 0.2) & (run.time < 0.45)
    assert run.feed_force[rising].mean() == pytest.approx(6.0 * (0.08 * G + 0.4), rel=1e-3)
    assert run.feed_work == pytest.approx(0.08 * 6.0 * G * 1.8, rel=2e-3)
    assert run.slip < 1e-9 and run.torque_max < 1e-6 and run.head_to_goal < 1e-4


def test_pace_keeps_every_limit() -> None:
    robot, drive = snake(), Drive(joint_speed=0.8, joint_acceleration=3.0)
    track = track_of([[0.0, 0.0], [1.5, 0.0], [1.5, 1.5], [3.0, 1.5]], 0.005, 0.08)
    s = np.linspace(0.0, base_end(track, robot.link_length), 700)
    when, speed = pace(s, joint_angles(laid(track, robot.link_length, s)[0]), drive)
    from scipy.interpolate import CubicHermiteSpline

    t = np.linspace(0.0, when[-1], 4000)
    angles = joint_angles(laid(track, robot.link_length, CubicHermiteSpline(when, s, speed)(t))[0])
    rates = np.gradient(angles, t, axis=0)
    assert 0.9 * 0.8 < np.abs(rates).max() < 0.8 * 1.02 and speed.max() <= drive.speed
    smooth = np.apply_along_axis(lambda x: np.convolve(x, np.full(25, 0.04), "same"), 0, rates)
    assert np.abs(np.gradient(smooth, t, axis=0))[30:-30].max() < 3.0
    assert np.abs(np.diff(speed**2) / np.diff(s)).max() <= 2.0 * drive.acceleration * (1.0 + 1e-9)
    fast, _ = pace(s, joint_angles(laid(track, robot.link_length, s)[0]), Drive())
    assert fast[-1] < when[-1]


def test_servos_do_not_lag() -> None:
    """Strongly damped servos keep the body on a bend where hardly any force disturbs it."""
    drive = Drive(friction=Coulomb(1e-3, 1e-3), servo=sp.control.Servo(1500.0, 150.0))
    run = feed(snake(), [[0.0, 0.0], [1.5, 0.0], [1.5, 1.5]], drive=drive)
    assert run.lateral_error_max < 0.03 * 0.2


def test_postures_are_those_of_the_planner() -> None:
    area = maps.from_array(HOOK, CELL)
    found = find_path(area, (0.25, 0.25), (0.75, 0.25), robot=snake())
    track = track_of(found.points, 1e-3)
    lengths = snake().link_length
    for base in (0.1, 0.7, 1.5):
        arcs = posture.laid(found, lengths, base)
        nodes, places = laid(track, lengths, base)
        assert nodes[0] == pytest.approx(found.at(arcs), abs=2e-4) and places[0] == pytest.approx(arcs, abs=2e-3)


def test_weak_feeder_slips_and_says_so(way: tuple[np.ndarray, Walls]) -> None:
    run = feed(snake(), *way, Drive(hold=2.0))
    assert run.status == "stalled" and "more than 4 N" in run.reason and run.feed_force_max <= 4.0 * 1.02
    assert run.head_to_goal > 0.5


def test_links_too_long_for_the_corridor_press_on_its_walls(way: tuple[np.ndarray, Walls]) -> None:
    run = feed(snake(3, 0.4), *way)
    assert run.status == "stalled" and run.wall_force_max > 20.0
    assert run.penetration_max == pytest.approx(
        run.wall_force_max / STIFFNESS, rel=0.35
    )  # friction and damping beside the spring
    pressed = np.isfinite(run.wall_place[..., 0])
    assert pressed.any() and clearance(way[1], run.wall_place[pressed]).max() < 0.01
    assert np.hypot(*np.moveaxis(run.wall_force, -1, 0))[pressed].max() > 20.0 and np.all(
        run.wall_force[~pressed] == 0.0
    )


def test_head_is_pushed_against_a_wall() -> None:
    """A path that ends half a millimetre inside a wall: at rest the feeder presses as the wall does; without the wall not at all."""
    mask = np.ones((40, 11), bool)
    mask[1:34, 1:-1] = False
    tip = 33.5 * CELL - 0.04  # of the head where it touches
    path = [[0.2, 0.25], [tip + 5e-4, 0.25]]
    run = feed(snake(), path, walls_of_grid(mask, CELL), Drive(friction=Coulomb(0.05, 0.5)))
    force = 5e-4 / (1.0 / STIFFNESS + 1.0 / (2.0 * HELD))  # wall and two holds, springs in a row
    assert run.wall_force[-1, -1, 0] == pytest.approx(-force, rel=1e-3)
    assert run.feed_force[-1] == pytest.approx(force, rel=1e-3)
    assert run.penetration_max == pytest.approx(force / STIFFNESS, rel=1e-2)
    free = feed(snake(), path)
    assert np.all(free.wall_force == 0.0) and abs(free.feed_force[-1]) < 1e-3 * force


def test_creeping_robot_arrives_by_itself(crept: Passage, way: tuple[np.ndarray, Walls]) -> None:
    check(crept, snake())
    assert crept.head_to_goal < 0.5 * 1.2 and np.all(crept.feed_force == 0.0) and crept.feed_work == 0.0
    assert gaps(crept, way[1]).min() > -MILLIMETRE
    assert crept.lateral_error_max < 0.1 and crept.positive_work > 0.05 * 6.0 * G * 1.0
    assert not crept.warnings


def test_half_the_step_gives_the_same(fed: Passage, crept: Passage, way: tuple[np.ndarray, Walls]) -> None:
    half = Drive(step=5e-4)
    for run, finer in ((fed, feed(snake(), *way, half)), (crept, creep(snake(), *way, half))):
        assert finer.slip == pytest.approx(run.slip, rel=0.02) and finer.time[-1] == pytest.approx(
            run.time[-1], rel=0.01
        )
        assert finer.positive_work == pytest.approx(run.positive_work, rel=0.02)


def test_blind_robot_does_not(way: tuple[np.ndarray, Walls], crept: Passage, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without looks at its pose the same robot misses the goal: it is the feedback that brings it there."""
    monkeypatch.setattr(creeping, "GAIN", 0.0)
    monkeypatch.setattr(creeping, "LET", 0.0)
    blind = creep(snake(), *way)
    assert (
        blind.status == "stalled"
        and blind.head_to_goal > 0.6
        and blind.lateral_error_max > 2.0 * crept.lateral_error_max
    )


def test_less_friction_along_slips_less(way: tuple[np.ndarray, Walls], crept: Passage) -> None:
    easy = creep(snake(), *way, Drive(friction=Coulomb(0.02, 0.5)))
    assert easy.status == "reached" and easy.slip < 0.8 * crept.slip and easy.time[-1] < crept.time[-1]


def test_equal_friction_gives_no_way(way: tuple[np.ndarray, Walls]) -> None:
    run = creep(snake(), *way, Drive(friction=Coulomb(0.2, 0.2)))
    assert run.status == "stalled" and "no headway" in run.reason and any("above 0.1" in w for w in run.warnings)


def test_straight_body_has_no_thrust() -> None:
    with pytest.raises(sp.SerpenoidError, match=r"no thrust.*raise the wave's amplitude"):
        creep(snake(), [[0.0, 0.0], [3.0, 0.0]], wave=Wave(0.0))
    narrow = np.ones((60, 4), bool)
    narrow[1:-1, 1:-1] = False  # 0.1 m for a body of 0.08 m
    with pytest.raises(sp.SerpenoidError, match=r"no thrust.*no room"):
        creep(snake(), [[0.2, 0.075], [2.7, 0.075]], walls_of_grid(narrow, CELL))


def test_wave_has_room_and_is_taken_back_to_the_path(way: tuple[np.ndarray, Walls]) -> None:
    robot = snake()
    track = path_track(robot, way[0])
    course = Course(robot, track, way[1], Wave(0.3))  # more than the corridor has
    inside = (course.s >= 0.0) & (course.s <= track.length)
    curve = course.curve(0.0, track.length, aside=False)
    assert clearance(way[1], curve.points[3:-3]).min() > 0.04 and course.amplitude[inside].max() > 0.05
    # a body that is 3 cm aside: the curve comes to it, and ahead of its head runs back to the path within the line of sight
    normal = course.normal[np.searchsorted(course.s, 0.5)]
    ends, base = course.posture(0.0)[0] + 0.03 * normal, 0.0
    errors = []
    for _ in range(200):
        base, _error = course.look(base, ends)
        errors.append(float(np.hypot(*(course.posture(base)[0] - ends).T).max()))
    nodes, places = course.posture(base)
    assert errors[-1] < 0.25 * 0.03 and np.hypot(*np.diff(nodes, axis=0).T) == pytest.approx(
        robot.link_length, rel=1e-9
    )
    head, sight = places[-1], creeping.SIGHT * robot.length
    assert abs(float(np.interp(head, course.s, course.aside))) > 0.01
    assert np.abs(course.aside[course.s > head + sight]).max() < 1e-12


@pytest.mark.parametrize("name", ["maze", "rubble"])
def test_bundled_maps(name: str) -> None:
    """Fed with a penetration below a millimetre and crept to within half a body length, at friction 0.1 along to across."""
    area, robot = maps.read(name, cell=CELL), snake(8)
    start, goal = {"maze": ((5, 5), (65, 45)), "rubble": ((8, 10), (112, 70))}[name]
    found = find_path(area, CELL * np.array(start), CELL * np.array(goal), robot=robot)
    walls = walls_of_grid(area.solid, CELL)
    pushed = feed(robot, found.points, walls)
    check(pushed, robot)
    assert pushed.head_to_goal < TRACKS * 0.2 and gaps(pushed, walls).min() > 0.0
    free = creep(robot, found.points, walls)
    check(free, robot)
    assert free.head_to_goal < 0.5 * robot.length and free.lateral_error_max < 0.15


def test_film(tmp_path: Path, crept: Passage) -> None:
    film = map_film(crept, HOOK, CELL, tmp_path / "way.gif", fps=2, size=(320, 180), speed=6.0)
    assert film.stat().st_size > 2000
    pressed = int(np.argmax(np.hypot(*np.moveaxis(crept.wall_force, -1, 0)).max(axis=1)))
    scene = scene_of(of_passage(crept, HOOK, CELL))
    stage = stage_of(scene, 10.0, (640, 360))
    frame = int(np.argmin(np.abs(stage.times - crept.time[pressed])))
    assert len(np.unique(stage.picture(frame).reshape(-1, 4)[::7], axis=0)) > 20
    with pytest.raises(sp.SerpenoidError, match="an array"):
        scene_of(of_passage(crept, HOOK[0], CELL))


REFUSED = {
    "longer than the path": lambda: feed(snake(), [[0.0, 0.0], [1.0, 0.0]]),
    "at least two finite points": lambda: feed(snake(), [[0.0, 0.0], [np.nan, 0.0]]),
    "must have a length": lambda: feed(snake(), [[1.0, 2.0], [1.0, 2.0]]),
    "yaw joints": lambda: creep(sp.robots.ROBOTS["alternating"](), [[0.0, 0.0], [9.0, 0.0]]),
    "beyond its limit": lambda: feed(snake(joint_limit=0.3), [[0.0, 0.0], [1.5, 0.0], [1.5, 1.5]]),
    "bends joint": lambda: creep(snake(joint_limit=0.2), [[0.0, 0.0], [3.0, 0.0]]),
    "stiffness > 0": lambda: feed(snake(), [[0.0, 0.0], [3.0, 0.0]], drive=Drive(servo=sp.control.Servo(0.0))),
    "speed must be": lambda: Drive(speed=0.0),
    "step must be at most": lambda: Drive(step=0.1),
    "law of serpenoid.contact": lambda: Drive(friction=0.3),
    "wave amplitude": lambda: Wave(-0.1),
    "wavelength": lambda: Wave(0.1, 0.0),
}


@pytest.mark.parametrize("words", list(REFUSED))
def test_refused(words: str) -> None:
    with pytest.raises(sp.SerpenoidError, match=words):
        REFUSED[words]()


def test_a_robot_as_long_as_its_path_is_refused() -> None:
    with pytest.raises(sp.SerpenoidError, match="as long as the path"):
        feed(sp.robots.rods(6, 3.0, 6.0, radius=0.05), np.array([[0.0, 0.0], [3.0, 0.0]]))
    with pytest.raises(sp.SerpenoidError, match="servo"):
        Drive(servo=None)


def test_progress_is_told() -> None:
    robot, line = sp.robots.rods(4, 0.8, 4.0, radius=0.03), np.array([[0.0, 0.0], [1.2, 0.0]])
    for run in (feed, creep):
        told: list[float] = []
        run(robot, line, progress=told.append)
        assert len(told) > 20 and min(told) >= 0.0 and max(told) < 1.0 and told[-1] > 0.8
