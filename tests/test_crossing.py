"""The mechanical snake in three dimensions: hinges lie down on uneven ground; a raised head leads over a step."""

from __future__ import annotations

import numpy as np
import pytest

import serpenoid as sp
from serpenoid.control import crossing

ROUGH = crossing.rough_ground(0.015)


def test_passive_hinges_follow_uneven_ground() -> None:
    """With hinges the middles of the links lie on the ground; without them the robot bridges its hollows."""
    hinged = crossing.follow_ground(ROUGH)
    stiff = crossing.follow_ground(ROUGH, sp.robots.ms1(joints="yaw"))
    assert hinged.bridged < 0.3 * stiff.bridged
    assert hinged.head_error < 0.25 * 0.18 and np.ptp(hinged.executed.heights) > 0.02
    assert hinged.executed.status == "done"


def test_a_raised_head_leads_over_a_step() -> None:
    climbed = crossing.climb_step(0.05)
    assert climbed.passed and climbed.heights.min() > 0.05 + 0.035 - crossing.LEVEL
    done = climbed.executed
    # no node lies deeper in the step than springs give, at any instant
    edge = crossing.AHEAD * 0.18
    inside = done.nodes[..., 0] > edge
    assert (0.05 + 0.035 - done.heights[inside]).max() < 2e-3
    assert done.heights[:, -1].max() > 0.05 + 0.035 + 0.02  # the head was raised above the step
    assert done.heights[0].max() < 0.04  # and began on the ground


def test_too_high_a_step_is_not_passed() -> None:
    climbed = crossing.climb_step(0.12)
    assert not climbed.passed and climbed.head_error > 0.18


def test_the_head_must_be_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crossing, "SPARE", -0.05)  # as good as not raised
    assert not crossing.climb_step(0.05).passed


def test_the_run_can_be_filmed_and_saved(tmp_path) -> None:
    run = crossing.climb_step(0.03).executed.trajectory()
    assert run["node_z"].shape[1] == 8 and run.scenario["world"]["obstacles"][0]["kind"] == "box"


def test_refused() -> None:
    for height in (0.0, -0.1, np.nan, 2.0):
        with pytest.raises(sp.SerpenoidError, match="step height"):
            crossing.climb_step(height)
    with pytest.raises(sp.SerpenoidError, match="universal"):
        crossing.climb_step(0.03, sp.robots.ms2())


def test_only_what_is_above_the_ground_is_drawn() -> None:
    solids = crossing.climb_step(0.03).executed.trajectory().scenario["world"]["obstacles"]
    assert solids[0]["size"][2] == pytest.approx(0.03) and solids[0]["centre"][2] == pytest.approx(0.015)
