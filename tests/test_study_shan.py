"""The study of Shan and Koren (1993): its verdicts, the specification's numbers, and laws that its parts rest on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import serpenoid as sp
from serpenoid.core import Status
from serpenoid.gaits.concertina import Posture, basic_cycle, row
from serpenoid.planning import ConcertinaPlan, Disc
from serpenoid.studies.shan1993 import contact, crossing, effort, ground, joint, pattern, target
from study_cases import check_verdicts, quick_study

STUDY = Path(sp.__file__).parent / "studies" / "shan1993"
HOLDS, IN_PART, FAILS = "holds", "holds in part", "does not hold"
VERDICTS = {
    "MSK-1": HOLDS, "MSK-2a": HOLDS, "MSK-2b": HOLDS, "MSK-2c": HOLDS, "MSK-2d": HOLDS, "MSK-2e": IN_PART, "MSK-2f": HOLDS,
    "MSK-3a": FAILS, "MSK-3b": IN_PART, "MSK-3c": HOLDS, "MSK-4a": IN_PART, "MSK-4b": HOLDS, "MSK-4c": IN_PART, "MSK-5": HOLDS,
    "MSK-6a": HOLDS, "MSK-6b": IN_PART, "MSK-6c": HOLDS, "MSK-6d": IN_PART, "MSK-7": HOLDS, "MSK-8a": HOLDS, "MSK-8b": HOLDS,
    "MSK-8c": IN_PART, "MSK-8d": HOLDS, "MSK-9a": HOLDS, "MSK-9b": HOLDS, "MSK-9c": IN_PART, "MSK-9d": HOLDS, "MSK-10a": HOLDS,
    "MSK-10b": HOLDS, "MSK-10c": HOLDS, "MSK-10d": HOLDS, "MSK-10e": HOLDS, "MSK-10f": HOLDS, "MSK-10g": HOLDS, "MSK-11a": HOLDS,
    "MSK-11b": HOLDS, "MSK-11c": HOLDS, "MSK-12a": HOLDS, "MSK-12b": HOLDS,
}  # fmt: skip


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The quick study, once, with its folder and what it told of its progress."""
    return quick_study("shan1993", tmp_path_factory.mktemp("shan"))


def test_verdicts(result: dict[str, Any]) -> None:
    check_verdicts(result, VERDICTS, STUDY)


def test_numbers_that_the_specification_knows(result: dict[str, Any]) -> None:
    said = {claim["id"]: claim["measured"] + claim["reason"] for claim in result["claims"]}
    for claim, text in {
        "MSK-2b": "0.268 L at 30, 0.586 L at 45, 1.000 L at 60, 1.482 L at 75 deg",
        "MSK-2d": "tear it by 0.46 L",
        "MSK-3a": "(5.605, 3.679) L as printed, (1.616,",
        "MSK-4a": "104.48 deg",
        "MSK-8a": "a free joint 0.975 rad in 2 s moves it 0.025 rad",
        "MSK-8b": "0.491 rad at 100 ms, 0.889 rad at 10 ms, 0.966 rad at 1 ms",
    }.items():
        assert text in said[claim], claim


def test_files_and_progress(result: dict[str, Any]) -> None:
    for path in result["figures"]:
        assert Path(path).parent == result["out"] and Path(path).stat().st_size > 20_000
    names = {Path(path).name for path in result["figures"]}
    assert {"fig6-basic-pattern.png", "fig11-target.png", "fig14-servo.png", "fig15-16-contacts.png"} <= names
    assert result["told"] == sorted(result["told"]) and result["told"][-1] == 1.0


@pytest.mark.parametrize("fold", [0.3, np.pi / 3, 1.4])
def test_rows_of_the_table_are_the_ends_of_the_motion(fold: float) -> None:
    """Table I placed by its pinned links alone, against the closed-chain motion."""
    for number, leg in enumerate(basic_cycle(fold=fold), 2):
        assert np.abs(pattern.by_table(number, fold) - leg.nodes(1.0)[0]).max() < 1e-12


@pytest.mark.parametrize("bearing", [-100.0, -30.0, 20.0, 90.0])
def test_printed_second_stage_is_the_planned_one(bearing: float) -> None:
    """(7) to (11) against the motion of the planner from the same posture."""
    way = np.radians(bearing)
    found = ConcertinaPlan((2.0 + 8.0 * np.cos(way), 8.0 * np.sin(way)), bearing_limit=np.radians(104.0)).solve()
    printed = target.second(target.aimed(row(1), way))
    assert printed is not None
    assert found.legs[1].angles(1.0)[0] == pytest.approx(printed.angles, abs=1e-9)


def test_equations_alone_fail_behind() -> None:
    assert target.literal(np.array([10.0, 0.0])) == ("reached", 6)
    assert target.literal(np.array([-10.0, 0.0])) == ("no stage 2", 1)


@pytest.mark.parametrize("sample", [0.05, 0.002])
def test_joint_response_by_small_steps(sample: float) -> None:
    """The exact samples against an integration of the equation."""
    dt, angle, speed, reference = 1e-5, 0.0, 0.0, 0.0
    every = round(sample / dt)
    for k in range(round(0.5 / dt)):
        if k % every == 0:
            reference = angle
        rate = (joint.K_M * (joint.K_P * (reference - angle) + joint.R_OVER_K_T * joint.TORQUE) - speed) / joint.TAU
        speed += dt * rate
        angle += dt * speed
    assert joint.response(sample, passive=True, duration=0.5)[1][-1] == pytest.approx(angle, rel=1e-3)


def test_figure_15a_of_the_specification() -> None:
    """The post at (2.6, 0.55): link 5 stops at theta_4 = 116.735 deg, by the planner and by a general solver."""
    disc = Disc((2.6, 0.55), 0.2)
    start = Posture(angles=np.radians([0.0, 60.0, -120.0, 150.0, -60.0, 0.0]))  # clear of the post: row 1 is not
    leg = contact.one_cycle((10.0, 0.0), (disc,), start)[0]
    theta = np.degrees(leg.angles(1.0)[0])
    assert theta[3:] == pytest.approx([116.735, -63.137, 0.0], abs=2e-3)
    left = float(np.hypot(*(leg.nodes(1.0)[0, 7] - [10.0, 0.0])))
    assert left == pytest.approx(5.4982, abs=1e-4)
    assert contact.by_programming((10.0, 0.0), disc, start.headings[4:]) == pytest.approx(left, abs=1e-5)


def test_channel_stops_wider_folds() -> None:
    """A channel for folds of 45 degrees lets those of 45 pass as in the open, and refuses a start with folds of 60."""
    fold = np.radians(45.0)
    free, inside = ConcertinaPlan((8.0, 0.0), fold=fold).solve(), effort.channel(fold, np.sin(fold) + 0.01)
    assert inside.reached and inside.cycles == free.cycles and not inside.contacts
    with pytest.raises(sp.SerpenoidError, match="inside obstacle"):
        effort.channel(np.radians(60.0), np.sin(fold))


def test_fields_are_clear_of_the_start() -> None:
    discs = contact.clutter_of(5)
    assert len(discs) == 20 and discs != contact.clutter_of(6)
    body = Posture().nodes()
    assert all(np.hypot(*(body - d.centre).T).min() > d.radius + 0.2 for d in discs)


def climbed(height: float, passed: bool) -> sp.Trajectory:
    """A run over a step, as far as claims look at it."""
    own = {"step_height": height, "passed": float(passed), "node_height_min": height + 0.05, "bridged": 0.01}
    return sp.Trajectory({}, own, Status("ok"))


def test_the_highest_step_tells_where_it_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crossing, "climb_step", lambda height, *_: climbed(height, height < 0.1))
    highest, tried = crossing.highest_step()
    assert highest == pytest.approx(0.095) and not tried[-1].metrics["passed"] and not tried[-1].warnings
    bounded, some = crossing.highest_step(high=0.06)
    assert bounded == pytest.approx(0.06) and "higher ones were not tried" in some[-1].warnings[0]


def test_the_quick_study_says_that_it_tried_one_step_only() -> None:
    flat = climbed(0.05, True)
    quick = ground.claims(ground.Crossings(flat, flat, 0.05, (flat,)))[1]
    assert "one step only" in quick["measured"] and "one step only" in quick["reason"]
    whole = ground.claims(ground.Crossings(flat, flat, 0.05, (flat, climbed(0.055, False))))[1]
    assert "highest step passed 0.05 m" in whole["measured"] and "that of 0.055 m is not" in whole["measured"]
