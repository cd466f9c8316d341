"""Pictures of concertina: outlines, pins, touches and captions are where the motion says; files are written whole or refused."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import serpenoid as sp
from figure_cases import drawn
from serpenoid.core import Status, Trajectory, Variable
from serpenoid.gaits.concertina import Posture, basic_cycle
from serpenoid.planning import ConcertinaPlan, ConcertinaSolution, Disc, Polygon, Wall
from serpenoid.view import concertina as view
from serpenoid.view import saving
from serpenoid.view.above import AboveStage, capsules
from serpenoid.view.figure import _above
from serpenoid.view.film import film, stage_of
from serpenoid.view.plans import concertina_scene, plan_film
from serpenoid.view.scene import scene_of

YARD = (Disc((6.6, 0.9), 0.45), Wall((9.0, -2.0), (9.0, -0.7), 0.2), Polygon(((3.0, 4.0), (5.0, 4.0), (4.0, 5.0))))


@pytest.fixture(scope="module")
def yard() -> ConcertinaSolution:
    made = ConcertinaPlan((10.0, 0.0), obstacles=YARD, half_width=0.05).solve()
    assert made.reached and made.contacts
    return made


def run_of(made: ConcertinaSolution) -> Trajectory:
    """What an execution without errors would record: ten frames for each leg."""
    s = np.linspace(0.0, 1.0, 10)
    links = [1, 2, 3, 4, 5, 6, 7, 7]
    held = np.array([[link in leg.pinned for link in links] for leg in made.legs for _ in s], dtype=float)
    flat = np.concatenate([leg.nodes(s) for leg in made.legs])
    nodes = np.concatenate([flat, np.zeros((*flat.shape[:2], 1))], axis=2)
    t = 0.1 * np.arange(len(nodes))
    forces = np.zeros((len(t), 8, 3))
    forces[..., 0] = np.outer(np.sin(t) ** 2, np.arange(8.0))
    variables = {
        "time": (("time",), t, "s"), "node": (("time", "node", "xyz"), nodes, "m"), "com": (("time", "xyz"), nodes.mean(axis=1), "m"),
        "joint_torque": (("time", "dof"), np.outer(np.sin(t), np.arange(6.0)), "N m"),
        "anchor_set": (("time", "anchor"), held, "1"), "anchor_force": (("time", "anchor", "xyz"), forces, "N"),
    }  # fmt: skip
    shares = [*[0.5] * 6, *view.HEAD_PINS]
    world = {
        "obstacles": [{"kind": type(o).__name__.lower(), **vars(o)} for o in made.obstacles],
        "anchors": [
            {"link": k - 1, "at": x * made.lengths[k - 1], "hold": 9.0} for k, x in zip(links, shares, strict=True)
        ],
    }
    keys = {"robot": {"radius": made.half_width}, "world": world, "plan": {"target": list(made.target)}}
    wrapped = {name: Variable(*value, name) for name, value in variables.items()}
    return Trajectory(wrapped, {}, Status("ok"), (), keys, {"robot": "ms1", "drive": "concertina"}, {})


def test_outlines_lie_half_a_width_from_their_links() -> None:
    nodes = Posture().nodes()
    for k, outline in enumerate(capsules(nodes, np.full(7, 0.07))):
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
    pinned = np.array([[link in leg.pinned for link in range(1, 8)] for leg in basic_cycle() for _ in range(10)])
    assert view.stage_of(pinned).tolist() == [1] * 10 + [2] * 10 + [3] * 10
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


def test_scene_of_a_plan(yard: ConcertinaSolution) -> None:
    """Pinned links stand still between frames, touches are shown while they last, the stages are told in their order."""
    scene = concertina_scene(yard)
    node = scene.body.node[..., :2]
    assert node[0] == pytest.approx(yard.start.nodes()) and node[-1] == pytest.approx(yard.legs[-1].nodes(1.0)[0])
    held = scene.pins.held[:, :7]
    both = held[1:] & held[:-1]
    moved = np.abs(np.diff(node, axis=0)).max(axis=2)
    assert held.sum(axis=1).min() >= 2
    assert max(moved[:, :-1][both].max(), moved[:, 1:][both].max()) < 1e-9
    touched = np.isfinite(scene.press).all(axis=2)
    assert 0 < touched.sum() < len(node)
    assert np.abs(sp_distance(YARD[0], scene.press[touched][:, :2])).min() < 1e-9
    assert np.linalg.norm(scene.push[touched], axis=1) == pytest.approx(1.0) and not scene.push[~touched].any()
    assert len(scene.events) == len(yard.legs) and "cycle 1 of" in scene.events[0][1]
    assert scene.notes[0].values[-1] < 1e-6 and scene.unit == "link lengths"
    made = stage_of(scene, 20.0, (320, 180), 10.0)
    assert isinstance(made, AboveStage) and made.told(len(made.times) - 1)[1].endswith("reached")


def test_scene_of_an_execution(yard: ConcertinaSolution) -> None:
    """Obstacles, pins and target come from the description alone; pins lie on their links."""
    scene = scene_of(run_of(yard))
    assert scene.kind == "above" and len(scene.blocks) == 3 and scene.target == pytest.approx(yard.target)
    node = scene.body.node[0]
    held = np.flatnonzero(scene.pins.held[0][:7]) + 1
    assert scene.pins.places(node, 0)[:, :2] == pytest.approx(view.pin_places(node[:, :2], held))
    assert np.abs(sp_distance(YARD[0], scene.blocks[0])).max() < 1e-9
    assert np.abs(sp_distance(YARD[1], scene.blocks[1])).max() < 1e-9


def test_picture_changes_with_the_pins(yard: ConcertinaSolution) -> None:
    """The same posture with other pins gives another picture, and only there."""
    scene = concertina_scene(yard)
    made = stage_of(scene, 5.0, (320, 180), 30.0)
    before = made.picture(0).copy()
    assert before.shape == (180, 320, 4) and np.array_equal(before, made.picture(0))
    scene.pins.held[0] = ~scene.pins.held[0]
    assert 20 < np.any(before != made.picture(0), axis=2).sum() < 0.1 * 320 * 180


def test_files(yard: ConcertinaSolution, tmp_path: Path) -> None:
    told: list[float] = []
    done = run_of(yard)
    assert view.steps_figure(yard, tmp_path / "steps.png").stat().st_size > 50_000
    assert view.forces_figure(done, tmp_path / "forces.png").stat().st_size > 10_000
    assert sp.view.figure(done, tmp_path / "run.png").stat().st_size > 50_000
    short = plan_film(yard, tmp_path / "plan.gif", fps=5, size=(320, 180), speed=60.0, progress=told.append)
    assert short.stat().st_size > 2000 and told[-1] == 1.0
    assert film(done, tmp_path / "run.mp4", fps=5, size=(320, 180), speed=4.0).stat().st_size > 2000
    with pytest.raises(sp.SerpenoidError, match=r"mp4 or \.gif"):
        plan_film(yard, tmp_path / "plan.avi")
    with pytest.raises(sp.SerpenoidError, match="png"):
        view.steps_figure(yard, tmp_path / "steps.bmp")
    shut = ConcertinaPlan((4.0, 4.3), obstacles=YARD).solve()
    assert not shut.reached and not shut.legs
    with pytest.raises(sp.SerpenoidError, match="nothing to film"):
        plan_film(shut, tmp_path / "shut.mp4")
    assert view.steps_figure(shut, tmp_path / "shut.png").exists()
    left = ["forces.png", "plan.gif", "run.mp4", "run.png", "shut.png", "steps.png"]
    assert sorted(p.name for p in tmp_path.iterdir()) == left


def test_units_are_said(yard: ConcertinaSolution) -> None:
    metres = ConcertinaPlan((1.0, 0.2)).solve(0.2)
    assert view.unit_of(yard) == "link lengths" and view.unit_of(metres) == "m"
    assert view.headline(metres).startswith("Concertina to (1, 0.2) m: reached in")
    assert "contact" in view.headline(yard)


def test_legend_of_a_narrow_way_keeps_off_its_title(tmp_path: Path) -> None:
    """A way along the diagonal makes a narrow map; its legend is wider than it."""
    with drawn() as found:
        view.steps_figure(ConcertinaPlan((10.0, 10.0)).solve(), tmp_path / "steps.png")
    assert found == {"steps.png": []}


def test_figure_without_obstacles_has_no_idle_panel(yard: ConcertinaSolution) -> None:
    free = run_of(ConcertinaPlan((5.0, 0.0)).solve())
    for run, among in ((run_of(yard), True), (free, False)):
        fig = _above(run, scene_of(run))
        titles = [ax.get_title(loc="left") for ax in fig.axes]
        assert ("Least distance of a link from an obstacle" in titles) == among
        assert ("obstacle" in saving.caption_of(fig)) == among
