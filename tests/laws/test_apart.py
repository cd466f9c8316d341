"""Headings that show that no links meet: then the close look finds nothing, either; and bodies that do cross are looked at."""

from __future__ import annotations

import numpy as np
import pytest

import serpenoid as sp
from cases import PROVE
from serpenoid.contact.apart import cannot_meet
from serpenoid.contact.crossings import self_crossing
from serpenoid.planar.record import axes_of, nodes_of

TRIES = 4000 if PROVE else 150


def bodies(rng: np.random.Generator, radius: float) -> tuple[sp.Robot, np.ndarray, np.ndarray]:
    """A robot of random links, and headings and joints' places in three frames that differ much."""
    n = int(rng.integers(3, 14))
    robot = sp.Robot(links=n, link_length=rng.uniform(0.05, 0.3, n), link_mass=1.0, radius=radius)
    spread = rng.uniform(0.2, 2.2)
    headings = rng.uniform(-4.0, 4.0) + rng.uniform(-spread, spread, (3, n)) + rng.uniform(-0.3, 0.3, (3, 1))
    places = np.concatenate([rng.uniform(-1.0, 1.0, (3, 2)), np.zeros((3, 1))], axis=1)
    return robot, headings, nodes_of(robot, axes_of(headings), places)


@pytest.mark.parametrize("radius", [0.0, 0.01, 0.03])
def test_what_cannot_meet_does_not(radius: float) -> None:
    rng, quick, met = np.random.default_rng(11), 0, 0
    for _ in range(TRIES):
        robot, headings, nodes = bodies(rng, radius)
        found = self_crossing(robot, np.arange(3.0), nodes, flat=True)
        if cannot_meet(robot, headings):
            quick += 1
            assert found.overlap == 0.0 and found.first is None
        met += found.first is not None
    assert quick > 0.05 * TRIES and met > 0.05 * TRIES  # both happen


def test_numbers_that_are_not_finite_are_looked_at() -> None:
    robot = sp.robots.ma2001(links=4)
    assert cannot_meet(robot, np.zeros((2, 4)))
    assert not cannot_meet(robot, np.array([[0.0, 0.0, 0.0, 0.0], [0.0, np.nan, 0.0, 0.0]]))
