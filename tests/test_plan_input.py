"""What the concertina planner refuses, and what it says."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from serpenoid.core.errors import InputError
from serpenoid.gaits.concertina import Posture, basic_cycle, schedule
from serpenoid.planning import ConcertinaPlan, Disc, Polygon, Wall

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
        ({"obstacles": ("a post",)}, "obstacles must be"),
        ({"obstacles": (Wall((5.0, 0.0), (6.0, 0.0), 1e-3),)}, "thinner"),
        ({"start": Posture(angles=CURLED)}, "cross each other at the start"),
        ({"start": Posture(angles=FLAT), "half_width": 0.1}, "overlaps another link at the start"),
        ({"half_width": 0.5}, "overlaps another link at the start"),
        ({"lengths": [1.0, 1.0, 0.0, 1.0, 1.0, 1.0, 1.0]}, "link lengths"),
        ({"lengths": [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, -1.0]}, "link lengths"),
        ({"lengths": [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, np.nan]}, "link lengths"),
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
