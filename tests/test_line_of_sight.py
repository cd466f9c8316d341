"""Path following by line of sight: to a line from off it, round corners, crabbing, in the plane and in space."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import serpenoid as sp
from serpenoid.control import LineOfSight, LineOfSightController, Servo
from serpenoid.core import Ground

NEAR = 0.02  # m: of 1.28 m of body, from the line
LEVEL = 0.02  # rad: of the mean heading from the line
ROBOT = sp.robots.ma2001(links=16)
GAIT = sp.gaits.Serpenoid(winding_angle=0.7, waves=2, speed=0.8)
LINE = ((0.0, 0.0), (1.0, 0.0))
WORLDS = {"plane": sp.World(), "space": sp.World(ground=Ground("point", 2e4, 200.0))}


@pytest.mark.parametrize("world", list(WORLDS))
@pytest.mark.parametrize(("aside", "heading"), [(-1.5, 0.0), (2.0, 1.0), (0.7, 3.0)])
def test_it_converges_to_a_line(world: str, aside: float, heading: float) -> None:
    start = sp.Start((0.0, aside), heading=heading)
    run = sp.simulate(ROBOT, LineOfSight(GAIT, LINE, stop=False), WORLDS[world], duration=30.0, start=start, step=2e-3)
    last = run["time"] > 30.0 - 2.0 * float(GAIT.period(ROBOT) or 0.0)
    assert (
        run.status.ok and abs(run["com"][last][:, 1].mean()) < NEAR and abs(np.sin(run["heading"][last].mean())) < LEVEL
    )
    assert run["com"][-1, 0] > 10.0  # along the line, in its direction
    report = run.provenance["plan"]
    assert report["path_distance"] == pytest.approx(run["com"][last][:, 1].mean(), abs=NEAR)


def test_without_line_of_sight_it_goes_on_beside_the_line() -> None:
    run = sp.simulate(ROBOT, GAIT, sp.World(), duration=30.0, start=sp.Start((0.0, -1.5)), step=2e-3)
    assert abs(run["com"][-1, 1]) > 1.0


def test_round_corners_to_the_end() -> None:
    robot = ROBOT.but(servo=Servo(20.0, 0.3))
    path = ((0.0, 0.0), (4.0, 0.0), (4.0, 3.0), (0.0, 3.0))
    run = sp.simulate(robot, LineOfSight(GAIT, path), WORLDS["space"], duration=60.0, step=2e-3)
    assert run.status.ok and run.duration < 30.0
    assert [event.kind for event in run.events] == ["stretch", "stretch", "reached"]
    assert np.hypot(*(run["com"][-1, :2] - path[-1])) < 0.3 and run["path_left"][-1] <= 0.0
    assert np.all(np.diff(run["path_left"]) < 0.05)


def test_a_path_that_is_not_finished_is_not_ok() -> None:
    run = sp.simulate(ROBOT, LineOfSight(GAIT, ((0.0, 0.0), (4.0, 0.0))), sp.World(), duration=1.0)
    assert run.status.name == "stalled" and "before the end of the path" in run.status.message


def test_tail_first() -> None:
    back = GAIT.but(speed=-0.8)
    run = sp.simulate(
        ROBOT, LineOfSight(back, ((0.0, 0.0), (-1.0, 0.0)), gain=-2.0, stop=False), sp.World(), duration=30.0, start=sp.Start((0.0, 1.0)), step=2e-3
    )  # fmt: skip
    assert abs(run["path_distance"][-1]) < NEAR and run["com"][-1, 0] < -10.0


def test_integral_action_takes_away_what_crabbing_leaves() -> None:
    # edges turned by 0.1 rad make the robot crab: it goes along the line only with its heading off, hence beside the line
    world = sp.World(edge_angle=0.1)
    distances, headings = [], []
    for integral in (0.0, 0.1):
        sight = LineOfSight(GAIT, LINE, stop=False, integral=integral)
        run = sp.simulate(ROBOT, sight, world, duration=60.0, step=2e-3)
        distances.append(abs(run.provenance["plan"]["path_distance"]))
        headings.append(run.provenance["plan"]["heading_mean"])
    assert abs(headings[0]) > 0.05 and distances[0] == pytest.approx(ROBOT.length * np.tan(abs(headings[0])), rel=0.05)
    assert headings[1] == pytest.approx(headings[0], abs=0.01) and distances[1] < 0.5 * NEAR


def test_the_law_of_sight() -> None:
    controller: Any = LineOfSightController(ROBOT, LineOfSight(GAIT, ((1.0, 2.0), (1.0, 5.0)), look_ahead=0.8))
    distance, left, direction = controller.seen(np.array([0.4, 3.0]))
    assert (distance, left, direction) == pytest.approx((0.6, 2.0, np.pi / 2))
