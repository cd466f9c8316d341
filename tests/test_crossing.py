"""The mechanical snake in three dimensions: hinges lie down on uneven ground; a raised head leads over a step."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import serpenoid as sp
from serpenoid.studies.shan1993 import crossing

ROUGH = crossing.rough_ground(0.015)


def test_passive_hinges_follow_uneven_ground() -> None:
    """With hinges the middles of the links lie on the ground; without them the robot bridges its hollows."""
    hinged = crossing.follow_ground(ROUGH)
    stiff = crossing.follow_ground(ROUGH, sp.robots.ms1(joints="yaw"))
    assert hinged.metrics["bridged"] < 0.3 * stiff.metrics["bridged"]
    assert hinged.metrics["head_error"] < 0.25 * 0.18 and np.ptp(hinged["node"][..., 2]) > 0.02
    assert hinged.status.ok


def test_a_raised_head_leads_over_a_step() -> None:
    run = crossing.climb_step(0.05)
    assert run.metrics["passed"] and run.metrics["node_height_min"] > 0.05 + 0.035 - crossing.LEVEL
    # no node lies deeper in the step than springs give, at any instant
    x, z = run["node"][..., 0], run["node"][..., 2]
    inside = x > crossing.AHEAD * 0.18
    assert (0.05 + 0.035 - z[inside]).max() < 2e-3
    assert z[:, -1].max() > 0.05 + 0.035 + 0.02  # the head was raised above the step
    assert z[0].max() < 0.04  # and began on the ground
    assert run.status.ok and run.metrics["com_dz"] > 0.04


def test_too_high_a_step_is_not_passed() -> None:
    run = crossing.climb_step(0.12)
    assert not run.metrics["passed"] and run.metrics["head_error"] > 0.18


def test_the_head_must_be_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crossing, "SPARE", -0.05)  # as good as not raised
    assert not crossing.climb_step(0.05).metrics["passed"]


def test_the_run_can_be_saved(tmp_path: Path) -> None:
    run = crossing.climb_step(0.03)
    assert run["node"].shape[1:] == (8, 3) and run.scenario["world"]["obstacles"][0]["kind"] == "box"
    again = sp.load(run.save(tmp_path / "step.nc"))
    assert np.array_equal(again["node"], run["node"]) and again.metrics["passed"] == run.metrics["passed"]


def test_refused() -> None:
    for height in (0.0, -0.1, np.nan, 2.0):
        with pytest.raises(sp.SerpenoidError, match="step height"):
            crossing.climb_step(height)
    with pytest.raises(sp.SerpenoidError, match="universal"):
        crossing.climb_step(0.03, sp.robots.ms2())
