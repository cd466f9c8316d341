"""Paths carried out in dynamics: a fed robot and a creeping one arrive, do not enter walls, and report what they needed or why not."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import serpenoid as sp
from execution_cases import carried_out, link_points, resumed, told
from serpenoid.contact import Coulomb
from serpenoid.contact.walls import STIFFNESS, clearance, walls_around
from serpenoid.control import Creeper, Feeder, PathDrive, Servo, Undulation, course
from serpenoid.control.course import Course
from serpenoid.control.feeder import STIFFNESS as HELD
from serpenoid.control.paths import base_end, pace, path_track
from serpenoid.core import Grid
from serpenoid.planning import find_path, maps, posture
from serpenoid.shapes.track import joint_angles, laid, off_track, track_of

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


WALLS = (Grid(HOOK, CELL),)


@pytest.fixture(scope="module")
def way() -> np.ndarray:
    return find_path(maps.from_array(HOOK, CELL), (0.25, 0.25), (0.75, 0.25), robot=snake()).points


def feed(robot: sp.Robot, *given: Any, step: float | None = None, **options: Any) -> sp.Trajectory:
    return carried_out(Feeder(robot, *given, **options), step=step)


def creep(robot: sp.Robot, *given: Any, step: float | None = None, **options: Any) -> sp.Trajectory:
    return carried_out(Creeper(robot, *given, **options), step=step)


@pytest.fixture(scope="module")
def fed(way: np.ndarray) -> sp.Trajectory:
    return feed(snake(), way, WALLS)


@pytest.fixture(scope="module")
def crept(way: np.ndarray) -> sp.Trajectory:
    return creep(snake(), way, WALLS)


def check(run: sp.Trajectory, robot: sp.Robot) -> None:
    """What holds of every run that arrived."""
    made = told(run)
    assert run.status.ok and run.status.message == "" and made["penetration_max"] < MILLIMETRE
    sizes = np.linalg.norm(np.diff(run["node"], axis=1), axis=-1)
    assert np.abs(sizes / robot.link_length - 1.0).max() < 1e-9
    assert made["head_to_goal"] == pytest.approx(np.hypot(*(run["node"][-1, -1, :2] - run["path"][-1, :2])))
    assert made["lateral_error_max"] == run["lateral_error"].max()
    assert made["torque_max"] >= np.abs(run["joint_torque"]).max() - 1e-9
    assert all(np.isfinite(v) for v in made.values()) and run.metrics["slip_per_link"] > 0.0 and json.dumps(made)
    assert run.events[-1].kind == "reached"


def gaps(run: sp.Trajectory, walls: Any = WALLS) -> np.ndarray:
    """Distance of points along the links from the walls, less the half width, of all frames."""
    return clearance(walls_around(walls), link_points(run)) - 0.04


def sizes_of(forces: np.ndarray) -> np.ndarray:
    return np.asarray(np.hypot(forces[..., 0], forces[..., 1]))


def test_fed_robot_arrives_on_the_path(fed: sp.Trajectory, way: np.ndarray) -> None:
    check(fed, snake())
    made = told(fed)
    assert made["head_to_goal"] < TRACKS * 0.2 and made["lateral_error_max"] < TRACKS * 0.2
    assert gaps(fed).min() > 0.0 and made["wall_force_max"] == 0.0
    assert made["feed_force_max"] >= np.abs(fed["feed_force"]).max() > 0.05 * 6.0 * G
    assert 0.0 < made["joint_speed_max"] < 1.2 * PathDrive().joint_speed
    # errors are distances from the path that was asked for
    track = path_track(snake(), way)
    worst = int(np.argmax(fed["lateral_error"]))
    frame = int(np.argmin(np.abs(fed["time"] - fed["call_time"][worst])))
    away = np.abs(off_track(track, fed["node"][frame, :, :2], (0.0, track.length))[0])
    assert fed["lateral_error"][worst] == pytest.approx(away.max(), rel=1e-6)
    # the feeder's force is that of its two anchors
    way_of_link = fed["node"][frame, 1, :2] - fed["node"][frame, 0, :2]
    along = fed["anchor_force"][frame, :, :2].sum(axis=0) @ way_of_link / 0.2
    assert fed["feed_force"][worst] == pytest.approx(along, abs=0.01 * made["feed_force_max"])


def test_feeder_pushes_against_friction_and_inertia() -> None:
    """On a straight path: mu m g while the speed is even, m a more where it rises; its work is what friction takes."""
    drive = PathDrive(friction=Coulomb(0.08, 0.4), speed=0.2, acceleration=0.4)
    run = feed(snake(), [[0.0, 0.0], [3.0, 0.0]], drive=drive)
    time, force = run["call_time"], run["feed_force"]
    even = (time > 1.5) & (time < time[-1] - 2.0)
    assert force[even] == pytest.approx(0.08 * 6.0 * G, rel=1e-4)
    rising = (time > 0.2) & (time < 0.45)
    assert force[rising].mean() == pytest.approx(6.0 * (0.08 * G + 0.4), rel=1e-3)
    made = told(run)
    assert made["feed_work"] == pytest.approx(0.08 * 6.0 * G * 1.8, rel=2e-3)
    assert run.metrics["slip_per_link"] < 1e-9 and made["torque_max"] < 1e-6 and made["head_to_goal"] < 1e-4


def test_pace_keeps_every_limit() -> None:
    robot, drive = snake(), PathDrive(joint_speed=0.8, joint_acceleration=3.0)
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
    fast, _ = pace(s, joint_angles(laid(track, robot.link_length, s)[0]), PathDrive())
    assert fast[-1] < when[-1]


def test_servos_do_not_lag() -> None:
    """Strongly damped servos keep the body on a bend where hardly any force disturbs it."""
    drive = PathDrive(friction=Coulomb(1e-3, 1e-3), servo=Servo(1500.0, 150.0))
    run = feed(snake(), [[0.0, 0.0], [1.5, 0.0], [1.5, 1.5]], drive=drive)
    assert told(run)["lateral_error_max"] < 0.03 * 0.2


def test_postures_are_those_of_the_planner() -> None:
    area = maps.from_array(HOOK, CELL)
    found = find_path(area, (0.25, 0.25), (0.75, 0.25), robot=snake())
    track = track_of(found.points, 1e-3)
    lengths = snake().link_length
    for base in (0.1, 0.7, 1.5):
        arcs = posture.laid(found, lengths, base)
        nodes, places = laid(track, lengths, base)
        assert nodes[0] == pytest.approx(found.at(arcs), abs=2e-4) and places[0] == pytest.approx(arcs, abs=2e-3)


def test_weak_feeder_slips_and_reports_it(way: np.ndarray) -> None:
    run = feed(snake(), way, WALLS, PathDrive(hold=2.0))
    made = told(run)
    assert (
        run.status.name == "stalled" and "more than 4 N" in run.status.message and made["feed_force_max"] <= 4.0 * 1.02
    )
    assert made["head_to_goal"] > 0.5 and run.metrics["com_distance"] is not None
    assert [e.kind for e in run.events] == ["slip", "stalled"] and run.events[0].data["slip"] > 0.01


def test_links_too_long_for_the_corridor_press_on_its_walls(way: np.ndarray) -> None:
    run = feed(snake(3, 0.4), way, WALLS)
    made = told(run)
    assert run.status.name == "blocked" and made["wall_force_max"] > 20.0
    # friction and damping beside the spring
    assert made["penetration_max"] == pytest.approx(made["wall_force_max"] / STIFFNESS, rel=0.35)
    pressed = np.isfinite(run["wall_point"][..., 0])
    assert pressed.any() and clearance(walls_around(WALLS), run["wall_point"][pressed][:, :2]).max() < 0.01
    assert sizes_of(run["wall_force"])[pressed].max() > 20.0 and np.all(run["wall_force"][~pressed] == 0.0)
    first = next(e for e in run.events if e.kind == "felt")
    assert (
        first.data["obstacle"] == 0 and clearance(walls_around(WALLS), [[first.data["x"], first.data["y"]]])[0] < 0.01
    )


def test_head_is_pushed_against_a_wall() -> None:
    """A path that ends half a millimetre inside a wall: at rest the feeder presses as the wall does; without the wall as friction holds."""
    mask = np.ones((40, 11), bool)
    mask[1:34, 1:-1] = False
    tip = 33.5 * CELL - 0.04  # of the head where it touches
    path = [[0.2, 0.25], [tip + 5e-4, 0.25]]
    run = feed(snake(), path, (Grid(mask, CELL),), PathDrive(friction=Coulomb(0.05, 0.5)))
    force = 5e-4 / (1.0 / STIFFNESS + 1.0 / (2.0 * HELD))  # wall and two holds, springs in a row
    assert run["wall_force"][-1, -1, 0] == pytest.approx(-force, rel=1e-3)
    assert run["feed_force"][-1] == pytest.approx(force, rel=1e-3)
    assert told(run)["penetration_max"] == pytest.approx(force / STIFFNESS, rel=1e-2)
    free, held = feed(snake(), path), 0.05 * snake().mass * 9.81
    assert told(free)["wall_force_max"] == 0.0 and abs(free["feed_force"][-1]) < 0.2 * held
    creeping = feed(snake(), path, (), PathDrive(friction=Coulomb(0.05, 0.5, smoothing=1e-3)))
    assert abs(creeping["feed_force"][-1]) < 1e-3 * force


def test_creeping_robot_arrives_by_itself(crept: sp.Trajectory) -> None:
    check(crept, snake())
    made = told(crept)
    assert made["head_to_goal"] < 0.5 * 1.2 and "feed_force" not in crept and "feed_work" not in made
    assert gaps(crept).min() > -MILLIMETRE
    assert made["lateral_error_max"] < 0.1 and crept.metrics["positive_work"] > 0.05 * 6.0 * G * 1.0
    assert all(text.startswith("rough: ") for text in crept.warnings)


def test_half_the_step_gives_the_same(fed: sp.Trajectory, crept: sp.Trajectory, way: np.ndarray) -> None:
    for run, finer in ((fed, feed(snake(), way, WALLS, step=5e-4)), (crept, creep(snake(), way, WALLS, step=5e-4))):
        assert finer.metrics["slip_per_link"] == pytest.approx(run.metrics["slip_per_link"], rel=0.02)
        assert finer.duration == pytest.approx(run.duration, rel=0.01)
        assert finer.metrics["positive_work"] == pytest.approx(run.metrics["positive_work"], rel=0.02)


@pytest.mark.parametrize("kind", [Feeder, Creeper])
def test_a_passage_resumes_bit_for_bit(kind: Any, way: np.ndarray) -> None:
    whole, parts = resumed(lambda: kind(snake(), way, WALLS), 2.713, 3.5)
    assert np.array_equal(whole["node"][-1], parts["node"][-1]) and told(whole) == told(parts)
    assert whole.events == parts.events and np.array_equal(whole["lateral_error"], parts["lateral_error"])
    assert whole.status.name == "stalled" and "time ran out" in whole.status.message


def test_blind_robot_does_not(way: np.ndarray, crept: sp.Trajectory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without looks at its pose the same robot misses the goal: it is the feedback that brings it there."""
    monkeypatch.setattr(course, "GAIN", 0.0)
    monkeypatch.setattr(course, "LET", 0.0)
    blind = creep(snake(), way, WALLS)
    made = told(blind)
    assert not blind.status.ok and made["head_to_goal"] > 0.6
    assert made["lateral_error_max"] > 2.0 * told(crept)["lateral_error_max"]


def test_less_friction_along_slips_less(way: np.ndarray, crept: sp.Trajectory) -> None:
    easy = creep(snake(), way, WALLS, PathDrive(friction=Coulomb(0.02, 0.5)))
    assert easy.status.ok and easy.metrics["slip_per_link"] < 0.8 * crept.metrics["slip_per_link"]
    assert easy.duration < crept.duration


def test_equal_friction_gives_no_way(way: np.ndarray) -> None:
    run = creep(snake(), way, WALLS, PathDrive(friction=Coulomb(0.2, 0.2)))
    assert run.status.name in ("stalled", "blocked") and "no headway" in run.status.message
    assert any("above 0.1" in w for w in run.warnings)


def test_straight_body_has_no_thrust() -> None:
    with pytest.raises(sp.SerpenoidError, match=r"no thrust.*raise the wave's amplitude"):
        creep(snake(), [[0.0, 0.0], [3.0, 0.0]], wave=Undulation(0.0))
    narrow = np.ones((60, 4), bool)
    narrow[1:-1, 1:-1] = False  # 0.1 m for a body of 0.08 m
    with pytest.raises(sp.SerpenoidError, match=r"no thrust.*no room"):
        creep(snake(), [[0.2, 0.075], [2.7, 0.075]], (Grid(narrow, CELL),))


def test_wave_has_room_and_is_taken_back_to_the_path(way: np.ndarray) -> None:
    robot = snake()
    track, walls = path_track(robot, way), walls_around(WALLS)
    curved = Course(robot, track, walls, Undulation(0.3))  # more than the corridor has
    inside = (curved.s >= 0.0) & (curved.s <= track.length)
    curve = curved.curve(0.0, track.length, aside=False)
    assert clearance(walls, curve.points[3:-3]).min() > 0.04 and curved.amplitude[inside].max() > 0.05
    # a body that is 3 cm aside: the curve comes to it, and ahead of its head runs back to the path within the line of sight
    normal = curved.normal[np.searchsorted(curved.s, 0.5)]
    ends, base = curved.posture(0.0)[0] + 0.03 * normal, 0.0
    errors = []
    for _ in range(200):
        base, _error = curved.look(base, ends)
        errors.append(float(np.hypot(*(curved.posture(base)[0] - ends).T).max()))
    nodes, places = curved.posture(base)
    assert errors[-1] < 0.25 * 0.03 and np.hypot(*np.diff(nodes, axis=0).T) == pytest.approx(
        robot.link_length, rel=1e-9
    )
    head, sight = places[-1], course.SIGHT * robot.length
    assert abs(float(np.interp(head, curved.s, curved.aside))) > 0.01
    assert np.abs(curved.aside[curved.s > head + sight]).max() < 1e-12


@pytest.mark.parametrize("name", ["maze", "rubble"])
def test_bundled_maps(name: str) -> None:
    """Fed with a penetration below a millimetre and crept to within half a body length, at friction 0.1 along to across."""
    area, robot = maps.read(name, cell=CELL), snake(8)
    start, goal = {"maze": ((5, 5), (65, 45)), "rubble": ((8, 10), (112, 70))}[name]
    found = find_path(area, CELL * np.array(start), CELL * np.array(goal), robot=robot)
    walls = (Grid(area.solid, CELL),)
    pushed = feed(robot, found.points, walls)
    check(pushed, robot)
    assert told(pushed)["head_to_goal"] < TRACKS * 0.2 and gaps(pushed, walls).min() > 0.0
    free = creep(robot, found.points, walls)
    check(free, robot)
    assert told(free)["head_to_goal"] < 0.5 * robot.length and told(free)["lateral_error_max"] < 0.15


LINE = [[0.0, 0.0], [3.0, 0.0]]
REFUSED = {
    "longer than the path": lambda: Feeder(snake(), [[0.0, 0.0], [1.0, 0.0]]),
    "path must be finite numbers": lambda: Feeder(snake(), [[0.0, 0.0], [np.nan, 0.0]]),
    "must have a length": lambda: Feeder(snake(), [[1.0, 2.0], [1.0, 2.0]]),
    "yaw joints": lambda: Creeper(sp.robots.ROBOTS["alternating"](), [[0.0, 0.0], [9.0, 0.0]]),
    "beyond its limit": lambda: Feeder(snake(joint_limit=0.3), [[0.0, 0.0], [1.5, 0.0], [1.5, 1.5]]),
    "bends joint": lambda: Creeper(snake(joint_limit=0.2), LINE),
    "stiffness > 0": lambda: PathDrive(servo=Servo(0.0)),
    "speed must be": lambda: PathDrive(speed=0.0),
    "friction law": lambda: PathDrive(friction=0.3),
    "amplitude": lambda: Undulation(-0.1),
    "wavelength": lambda: Undulation(0.1, 0.0),
    "obstacles must be": lambda: Feeder(snake(), LINE, None),
    "inside obstacle 0": lambda: Feeder(snake(), LINE, (sp.core.Disc((0.5, 0.0), 0.1),)),
    "takes": lambda: Feeder(snake(), LINE, drive=PathDrive(speed=1e-4)),
}


@pytest.mark.parametrize("words", list(REFUSED))
def test_refused(words: str) -> None:
    with pytest.raises(sp.SerpenoidError, match=words):
        REFUSED[words]()


def test_a_robot_as_long_as_its_path_is_refused() -> None:
    with pytest.raises(sp.SerpenoidError, match="as long as the path"):
        Feeder(sp.robots.rods(6, 3.0, 6.0, radius=0.05), np.array(LINE))
    with pytest.raises(sp.SerpenoidError, match="servo"):
        PathDrive(servo=None)


def test_progress_is_told() -> None:
    robot, line = sp.robots.rods(4, 0.8, 4.0, radius=0.03), np.array([[0.0, 0.0], [1.2, 0.0]])
    for kind in (Feeder, Creeper):
        shares: list[float] = []
        carried_out(kind(robot, line), progress=shares.append)
        assert len(shares) > 20 and min(shares) >= 0.0 and max(shares) <= 1.0
