"""A concertina plan in dynamics: it tracks the kinematic plan; weak pins slip, and the run says so."""

from __future__ import annotations

import numpy as np
import pytest

import serpenoid as sp
from serpenoid import execution
from serpenoid.gaits.concertina import Posture, basic_cycle, row

LENGTH = 0.2
TRACKS = 0.02  # of a link's length: head against the plan after five cycles


def snake() -> sp.Robot:
    return sp.robots.rods(7, 7 * LENGTH, 7.0, radius=0.03)


def cycles(count: int) -> list:
    legs, start = [], None
    for cycle in range(1, count + 1):
        legs += basic_cycle(np.full(7, LENGTH), start=start, cycle=cycle)
        nodes, psi = legs[-1].at(1.0)
        start = Posture((float(nodes[0, 1, 0]), float(nodes[0, 1, 1])), float(psi[0, 0]), row(1))
    return legs


def test_five_cycles_track_the_plan() -> None:
    done = execution.execute(snake(), cycles(5))
    assert done.settled.all() and not done.warnings
    assert done.head_errors.max() < TRACKS * LENGTH
    advance = done.nodes[-1, -1] - done.nodes[0, -1]
    assert advance[0] == pytest.approx(5 * LENGTH, abs=TRACKS * LENGTH)  # d = L a cycle at 60 degrees
    assert np.all(done.pin_slip == 0.0) and np.all(done.pin_force_max > 0.0)
    assert 0.3 < done.torque_max.max() < 10.0 and done.positive_work > 1.0
    # pinned links stay while they are pinned
    for link in range(7):
        held = done.pinned[:, link] & np.roll(done.pinned[:, link], 1)
        moved = np.abs(np.diff(done.nodes[:, link], axis=0)).max(axis=1)
        assert moved[held[1:]].max() < 2e-3 * LENGTH


def test_weak_pins_slip_and_the_run_says_so() -> None:
    done = execution.execute(snake(), cycles(2), execution.Motors(hold=4.0))
    assert done.pin_slip.max() > 1e-3 * LENGTH and any("pins slipped" in w for w in done.warnings)


def test_refused() -> None:
    with pytest.raises(sp.SerpenoidError, match="seven links"):
        execution.execute(sp.robots.rods(6, 1.2, 6.0), cycles(1))
    with pytest.raises(sp.SerpenoidError, match="no leg"):
        execution.execute(snake(), [])
