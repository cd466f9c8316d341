"""What the concertina planner refuses, and what it says."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from serpenoid.core.command import PLANS
from serpenoid.core.errors import InputError
from serpenoid.gaits.concertina import Posture, basic_cycle, schedule
from serpenoid.planning import ConcertinaPlan, Disc, PathPlan, Polygon, Wall, maps
from serpenoid.robots import ms1

PLANNED_TO = 1e-6  # L: the accuracy of legs that slide; rounding of the scaled obstacles grows along them
UNEQUAL = [1.0, 1.0, 1.5, 1.5, 0.3, 0.3, 1.0]
CURLED = np.radians([0.0, 150.0, 150.0, 150.0, 0.0, 0.0])  # links 2 and 5 cross
FLAT = np.radians([0.0, 60.0, -178.0, 120.0, 0.0, 0.0])


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"target": (np.nan, 0.0)}, "target"),
        ({"target": (np.inf, 0.0)}, "target"),
        ({"target": (0.0, -np.inf)}, "target"),
        ({"target": (1e9, 0.0)}, "target"),
        ({"target": (1.0,)}, "target must be two numbers"),
        ({"target": "here"}, "target"),
        ({"obstacles": (Disc((3.0, 0.0), 0.3),)}, "starts .* inside obstacle 0"),
        ({"obstacles": (Disc((9.0, 0.0), 0.3), Wall((1.0, -2.0), (1.0, 2.0)))}, "inside obstacle 1"),
        ({"obstacles": (Polygon(((-9.0, -9.0), (9.0, -9.0), (9.0, 9.0), (-9.0, 9.0))),)}, "inside obstacle 0"),
        ({"obstacles": (Disc((4.3, 0.0), 0.29),), "half_width": 0.05}, "link 7 starts .* inside obstacle 0"),
        ({"obstacles": ("a post",)}, r"obstacles\[0\] must be"),
        ({"obstacles": (Wall((5.0, 0.0), (6.0, 0.0), 1e-3),)}, "thinner"),
        ({"start": Posture(angles=CURLED)}, "cross each other at the start"),
        ({"start": Posture(angles=FLAT), "half_width": 0.1}, "overlaps another link at the start"),
        ({"half_width": 0.5}, "overlaps another link at the start"),
        ({"lengths": [1.0, 1.0, 0.0, 1.0, 1.0, 1.0, 1.0]}, "link lengths"),
        ({"lengths": [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, -1.0]}, "link lengths"),
        ({"lengths": [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, np.nan]}, "body must be a Robot or finite numbers"),
        ({"lengths": [1.0] * 8}, "defined for 7 links"),
        ({"lengths": UNEQUAL}, "stage 2 cannot close"),
        ({"joint_limit": np.radians(100.0)}, "below twice the fold"),
        ({"joint_limit": 0.0}, "joint_limit"),
        ({"elbow": "left"}, "elbow must be one of paper, mirror, auto"),
        ({"on_contact": "push"}, "on_contact"),
        ({"heading": np.nan}, "heading"),
        ({"half_width": -0.1}, "half_width"),
        ({"fold": np.pi}, "fold"),
        ({"bearing_limit": 0.0}, "bearing_limit"),
        ({"max_cycles": 0}, "max_cycles"),
        ({"max_cycles": 2.5}, "max_cycles"),
    ],
)
def test_refused(given: dict[str, Any], words: str) -> None:
    given = dict(given)
    with pytest.raises(InputError, match=words):
        body = given.pop("lengths", None)
        ConcertinaPlan(**{"target": (10.0, 0.0), **given}).solve(body)


@pytest.mark.parametrize(
    ("kind", "given", "words"),
    [
        (Disc, ((np.nan, 0.0), 1.0), "Disc: centre"),
        (Disc, ((0.0, 0.0), 0.0), "Disc: radius"),
        (Polygon, (((0, 0), (1, 0)),), "at least 3 points"),
        (Polygon, (((0, 0), (1, 1), (2, 2)),), "area"),
        (Polygon, (((0, 0), (2, 1.5), (2, 0), (0, 1)),), "cross"),
        (Polygon, (((0, 0), (0, 0), (1, 0), (1, 1)),), "one place"),
        (Wall, ((1.0, 1.0), (1.0, 1.0)), "length"),
        (Wall, ((1.0, 1.0), (2.0, 1.0), -0.1), "thickness"),
    ],
)
def test_refused_obstacles(kind: Any, given: tuple[Any, ...], words: str) -> None:
    with pytest.raises(InputError, match=words):
        kind(*given)


def test_refused_patterns() -> None:
    with pytest.raises(InputError, match="L3 = L5"):
        basic_cycle([1.0, 1.0, 1.0, 1.0, 1.2, 1.0, 1.0])
    with pytest.raises(InputError, match="row 1"):
        basic_cycle(start=Posture(angles=np.zeros(6)))
    with pytest.raises(InputError, match="joint speed"):
        schedule(basic_cycle(), speed=0.0)
    with pytest.raises(InputError, match="s must be"):
        basic_cycle()[0].at(1.5)


@pytest.mark.parametrize(
    "given",
    [
        ConcertinaPlan(
            (6.25, 1.1), heading=0.3, obstacles=(Disc((9.0, 0.2), 0.5), Wall((4.0, 2.0), (7.0, 3.1))), half_width=0.05, elbow="auto",
            joint_limit=(2.2, 2.3, 2.4, 2.5, 2.6, 2.7), start=Posture((0.1, 0.2), 0.3),
        ),
        PathPlan("maze", start=(5.5, 5.0), goals=((65.0, 45.0),), cell=0.07, margin=0.01, cap=0.1, project=False),
        PathPlan(maps.from_text("cell 0.3\n#####\n#...#\n#..##\n#####"), start=(0.3, 0.3), goals=((0.9, 0.6),)),
    ],
)  # fmt: skip
def test_plans_are_kept_as_plain_keys(given: Any) -> None:
    """Through JSON and back: the same plan to the last bit."""
    problems: list[str] = []
    kept = json.loads(json.dumps(given.keys()))
    again = PLANS.read(kept, "plan", lambda path, what: problems.append(f"{path}: {what}"))
    assert problems == [] and type(again) is type(given) and again.keys() == kept
    if isinstance(given, PathPlan):
        assert np.array_equal(again.area.walls, given.area.walls) and again.area.cell == given.area.cell


def test_link_lengths_are_those_of_the_robot() -> None:
    """A plan in link lengths is planned once, in m: the same cycles, postures and contacts as with unit links, scaled."""
    robot = ms1()
    unit = float(robot.link_length.mean())
    yard = (
        Disc((5.0, 0.25), 0.39),
        Wall((4.5, -1.4), (8.9, -1.1), 0.12),
        Polygon(((5.0, 1.4), (7.2, 1.4), (6.1, 2.2))),
    )
    plan = ConcertinaPlan((9.7, 0.4), obstacles=yard, half_width=0.2, joint_limit=3.0)
    free, real = plan.solve(), plan.but(unit="link lengths").solve(robot)
    assert (free.unit, real.unit, real.status, real.cycles) == (
        "link lengths",
        "link lengths",
        free.status,
        free.cycles,
    )
    assert len(real.contacts) > 0 and real.unit_length == unit and real.target == (9.7 * unit, 0.4 * unit)
    assert np.abs(real.nodes() / unit - free.nodes()).max() < PLANNED_TO
    told, other = real.summary(), free.summary()
    assert told["target"] == pytest.approx(other["target"]) and told["cycles"] == other["cycles"]
    with pytest.raises(InputError, match=r"link 7 starts 0\.\d+ link lengths inside obstacle 0"):
        plan.but(obstacles=(Disc((4.3, 0.0), 0.4),)).solve()


def test_a_robot_makes_cells_real() -> None:
    """On a map without a size a robot takes cells as 0.05 m; the solution is in m, messages and summary in cells."""
    robot = ms1()
    found, sized = PathPlan("maze").solve(robot), PathPlan("maze", cell=0.05).solve(robot)
    assert (
        found.status == "reached"
        and found.unit == "cells"
        and sized.unit == "m"
        and found.assumed
        and not sized.assumed
    )
    assert np.array_equal(found.path.points, sized.path.points)
    assert found.summary()["path_length"] == pytest.approx(sized.summary()["path_length"] / 0.05)
    with pytest.raises(InputError, match=r"start \(0, 0\) cells lies inside an obstacle"):
        PathPlan("maze", start=(0.0, 0.0)).solve(robot)
