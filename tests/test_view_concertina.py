"""Pictures of concertina: outlines, pins, touches and captions are where the motion says; files are written whole or refused."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import serpenoid as sp
from serpenoid.gaits.concertina import Posture, basic_cycle, schedule
from serpenoid.planning import ConcertinaPlan, ConcertinaSolution, Disc, Polygon, Wall
from serpenoid.view import concertina as view
from serpenoid.view import concertina_film as film

YARD = (Disc((6.6, 0.9), 0.45), Wall((9.0, -2.0), (9.0, -0.7), 0.2), Polygon(((3.0, 4.0), (5.0, 4.0), (4.0, 5.0))))


@pytest.fixture(scope="module")
def yard() -> ConcertinaSolution:
    made = ConcertinaPlan((10.0, 0.0), obstacles=YARD, half_width=0.05).solve()
    assert made.reached and made.contacts
    return made


def run_of(legs: tuple) -> SimpleNamespace:
    """What an execution without errors would record: ten frames a leg."""
    s = np.linspace(0.0, 1.0, 10)
    pinned = np.array([[link in leg.pinned for link in range(1, 8)] for leg in legs for _ in s])
    nodes = np.concatenate([leg.nodes(s) for leg in legs])
    return SimpleNamespace(
        time=0.1 * np.arange(len(nodes)), nodes=nodes, pinned=pinned, torques=np.zeros((len(nodes), 6)), pin_force_max=np.arange(8.0)
    )  # fmt: skip


def test_outlines_lie_half_a_width_from_their_links() -> None:
    nodes = Posture().nodes()
    for k, outline in enumerate(view.capsules(nodes, 0.07)):
        a, b = nodes[k], nodes[k + 1]
        f = np.clip((outline - a) @ (b - a), 0.0, 1.0)[:, None]
        assert np.hypot(*(outline - a - f * (b - a)).T) == pytest.approx(0.07)
        x, y = outline.T
        area = 0.5 * abs(np.sum(x * np.roll(y, -1) - y * np.roll(x, -1)))
        assert area == pytest.approx(0.14 + np.pi * 0.07**2, rel=0.01)


def test_pins_lie_on_their_links() -> None:
    nodes = Posture().nodes()
    assert view.pin_places(nodes, (3, 4)) == pytest.approx(0.5 * (nodes[[2, 3]] + nodes[[3, 4]]))
    head = view.pin_places(nodes, (7,))
    assert head.shape == (2, 2) and head.mean(axis=0) == pytest.approx(0.5 * (nodes[6] + nodes[7]))
    assert view.pin_places(nodes, ()).shape == (0, 2)


@pytest.mark.parametrize("item", YARD)
def test_touch_is_the_nearest_pair(item: object) -> None:
    """Against a dense search over the link; the border point is on the border."""
    rng = np.random.default_rng(1)
    for _ in range(20):
        a = rng.uniform((0.0, 6.0), (10.0, 16.0))  # clear of all
        b = a + rng.uniform(-1.0, 1.0, 2)
        point, own = view.touch(a, b, item)
        link = a + np.linspace(0.0, 1.0, 400)[:, None] * (b - a)
        least = sp_distance(item, link).min()
        assert np.hypot(*(point - own)) == pytest.approx(least, abs=3e-3)
        assert abs(sp_distance(item, point[None])[0]) < 1e-9


def sp_distance(item: object, points: np.ndarray) -> np.ndarray:
    from serpenoid.planning import signed_distance

    return signed_distance((item,), points)


def test_stage_of_frames() -> None:
    done = run_of(basic_cycle())
    assert view.stage_of(done.pinned).tolist() == [1] * 10 + [2] * 10 + [3] * 10
    with pytest.raises(sp.SerpenoidError, match="pinned"):
        view.stage_of(np.ones((4, 6)))


def test_legs_that_tell_most() -> None:
    legs = [SimpleNamespace(number=k, contacts=("touch",) if k in (20, 41) else ()) for k in range(60)]
    numbers = [leg.number for leg in view.told_legs(legs)]
    assert len(numbers) == view.PANELS and numbers == sorted(set(numbers))
    assert {0, 1, 2, 20, 41, 59} <= set(numbers)
    assert view.told_legs(legs[:5]) == legs[:5]


def test_extent_holds_the_motion_and_the_target(yard: ConcertinaSolution) -> None:
    low, high = view.extent(yard, yard.nodes(20))
    assert np.all(yard.nodes(20) > low) and np.all(yard.nodes(20) < high)
    assert np.all(low < yard.target) and np.all(np.array(yard.target) < high)


def test_take_of_a_plan(yard: ConcertinaSolution) -> None:
    """Pinned links stand still between pictures, touches are shown while they last, the last caption says how it ended."""
    take = film.planned(yard, schedule(yard.legs), 20.0, 10.0)
    assert take.nodes[0] == pytest.approx(yard.start.nodes())
    assert take.nodes[-1] == pytest.approx(yard.legs[-1].nodes(1.0)[0])
    both = take.pinned[1:] & take.pinned[:-1]
    moved = np.abs(np.diff(take.nodes, axis=0)).max(axis=2)
    assert take.pinned.sum(axis=1).min() >= 2
    assert max(moved[:, :-1][both].max(), moved[:, 1:][both].max()) < 1e-9
    shown = [pair for pairs in take.touches for pair in pairs]
    assert shown and len(shown) < len(take.time)
    assert np.abs(sp_distance(YARD[0], np.array([p for p, _ in shown]))).min() < 1e-9
    assert all(np.hypot(*way) == pytest.approx(1.0) for _, way in shown)
    assert "cycle 1 of" in take.captions[0] and take.captions[-1].startswith("reached")
    assert np.hypot(*(take.trail[take.passed[-1] - 1] - yard.target)) < 1e-6


def test_take_of_an_execution(yard: ConcertinaSolution) -> None:
    take = film.done(run_of(yard.legs), yard, 20.0, 5.0)
    assert take.captions[-1].endswith(f"cycle {yard.cycles}, stage 1: push the head")
    assert sum(map(len, take.touches)) > 0 and all(way is None for pairs in take.touches for _, way in pairs)


def test_picture_changes_with_the_pins(yard: ConcertinaSolution) -> None:
    """The same posture with other pins gives another picture, and only there."""
    take = film.planned(yard, schedule(yard.legs), 5.0, 30.0)
    stage = film.ConcertinaStage(take, yard, 5.0, (320, 180), "test")
    before = stage.picture(0).copy()
    assert before.shape == (180, 320, 4) and np.array_equal(before, stage.picture(0))
    take.pinned[0] = ~take.pinned[0]
    assert np.any(before != stage.picture(0), axis=2).sum() > 20


def test_files(yard: ConcertinaSolution, tmp_path: Path) -> None:
    told: list[float] = []
    done = run_of(yard.legs)
    assert view.steps_figure(yard, tmp_path / "steps.png").stat().st_size > 50_000
    peaks = view.forces_figure(done, tmp_path / "forces.png").read_bytes()
    done.pin_forces = np.outer(np.sin(done.time) ** 2, np.arange(8.0))  # a record that has them over time
    assert len(peaks) > 10_000 and view.forces_figure(done, tmp_path / "forces.png").read_bytes() != peaks
    short = film.plan_film(yard, tmp_path / "plan.gif", fps=5, size=(320, 180), speed=60.0, progress=told.append)
    assert short.stat().st_size > 2000 and told[-1] == 1.0
    assert film.executed_film(done, yard, tmp_path / "run.mp4", fps=5, size=(320, 180), speed=4.0).stat().st_size > 2000
    with pytest.raises(sp.SerpenoidError, match=r"mp4 or \.gif"):
        film.plan_film(yard, tmp_path / "plan.avi")
    with pytest.raises(sp.SerpenoidError, match="png"):
        view.steps_figure(yard, tmp_path / "steps.bmp")
    shut = ConcertinaPlan((4.0, 4.3), obstacles=YARD).solve()
    assert not shut.reached and not shut.legs
    with pytest.raises(sp.SerpenoidError, match="nothing to film"):
        film.plan_film(shut, tmp_path / "shut.mp4")
    assert view.steps_figure(shut, tmp_path / "shut.png").exists()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["forces.png", "plan.gif", "run.mp4", "shut.png", "steps.png"]


def test_units_are_said(yard: ConcertinaSolution) -> None:
    metres = ConcertinaPlan((1.0, 0.2)).solve(0.2)
    assert view.unit_of(yard) == "link lengths" and view.unit_of(metres) == "m"
    assert view.headline(metres).startswith("to (1, 0.2) m: reached in")
    assert "contact" in view.headline(yard)
