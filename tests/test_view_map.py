"""Pictures and films of a way through a map: they show walls, path, body and forces, in the unit of the map."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import serpenoid as sp
from serpenoid.core import Status, Trajectory, Variable
from serpenoid.planning import find_path, follow, maps
from serpenoid.planning.follow import Following
from serpenoid.simulation.run import run_scenario
from serpenoid.view import style
from serpenoid.view.above import AboveStage
from serpenoid.view.film import HOLD, stage_of
from serpenoid.view.map import clearance_panel, field_panel, map_figure, path_panel
from serpenoid.view.plans import following_scene, plan_film
from serpenoid.view.scene import Scene, scene_of
from serpenoid.view.yard import clearance

SIZE = (640, 360)


def walls(cell: float = 1.0) -> maps.Map:
    grid = np.ones((31, 21), bool)
    grid[1:-1, 1:-1] = False
    grid[15, :13] = True
    return maps.from_array(grid, cell, "bend")


@pytest.fixture(scope="module")
def body() -> Following:
    return follow(find_path(walls(), (4.0, 4.0), (26.0, 4.0)), np.full(4, 3.0), half_width=0.4)


def axes() -> Any:
    return style.canvas(6.0, 4.0).add_subplot()


def words(ax: Any) -> str:
    return " ".join(text.get_text() for text in ax.findobj(lambda artist: hasattr(artist, "get_text")))


def test_field_is_drawn_to_its_last_free_cell(body: Following) -> None:
    ax = axes()
    field_panel(ax, body.path.field, "cells")
    assert ax.get_xlabel() == "x [cells]"
    below = ax.images[-1].get_array()  # cells under the contours
    assert below.shape == (21, 31) and np.ma.getmaskarray(below).T[walls().free].sum() == 0
    assert np.ma.getmaskarray(below).T[walls().walls].all() and below.max() == 0.0 and below.min() < -2.0
    assert ax.images[-1].get_extent() == [-0.5, 30.5, -0.5, 20.5]


def test_bodies_on_the_path_do_not_hide_it(body: Following) -> None:
    ax = axes()
    path_panel(ax, body.path, body, "cells")
    drawn = [line.get_xydata() for line in ax.lines if len(line.get_xydata()) == 5]
    assert len(drawn) >= 2 and np.array_equal(drawn[0], body.joints[0]) and np.array_equal(drawn[-1], body.joints[-1])
    chosen = [int(np.argmin(np.abs(body.joints - one).max(axis=(1, 2)))) for one in drawn]
    assert np.diff(body.base[chosen]).min() > 4 * 3.0  # one begins where the one before has ended


def test_clearances_are_those_of_path_and_links(body: Following) -> None:
    ax = axes()
    clearance_panel(ax, body.path, body, "cells")
    path, links = ax.lines[0].get_xydata(), ax.lines[1].get_xydata()
    assert path[:, 1].min() == body.path.min_clearance and links[:, 1].min() == body.link_clearance
    assert ax.get_ylabel() == "clearance [cells]" and len(links) == len(body.base)


def test_figure_of_a_way_and_of_none(body: Following, tmp_path: Path) -> None:
    assert map_figure(body.path, tmp_path / "way.png", body).stat().st_size > 50_000
    grid = walls().walls.copy()
    grid[15] = True
    none = find_path(maps.from_array(grid), (4.0, 4.0), (26.0, 4.0))
    file = map_figure(none, tmp_path / "none.svg", unit="cells")
    assert none.status == "unreachable" and file.stat().st_size > 5_000
    with pytest.raises(sp.SerpenoidError, match="figure is written"):
        map_figure(body.path, tmp_path / "way.bmp")


def test_a_map_that_counts_in_cells_does_so_whatever_their_size(body: Following) -> None:
    """The same way with cells of 0.05 m: all lengths are drawn in m, and all numbers that are read are those in cells."""
    share = 0.05
    area = walls().sized(share, "cells")
    small = follow(find_path(area, (0.2, 0.2), (1.3, 0.2)), np.full(4, 0.15), half_width=0.02)
    ax = axes()
    path_panel(ax, small.path, small)
    assert ax.get_xlabel() == "x [cells]" and ax.get_xlim() == pytest.approx((-0.5 * share, 30.5 * share))
    ticks = {text.get_text(): place for place, text in zip(ax.get_xticks(), ax.get_xticklabels(), strict=True)}
    assert len(ticks) >= 4 and all(place == pytest.approx(share * float(name)) for name, place in ticks.items())
    scene = following_scene(small)
    assert scene.unit == "m" and scene.events[-1][1].startswith(
        f"nearest link {small.clearance[-1].min() / share:.3g} cells"
    )


def stage(scene: Scene, speed: float = 8.0) -> AboveStage:
    made = stage_of(scene, 10.0, SIZE, speed)
    assert isinstance(made, AboveStage)
    return made


def test_film_shows_every_increment_and_stays(body: Following) -> None:
    scene = following_scene(body, "cells")
    made = stage(scene)
    shown = made.times
    assert shown[0] == 0.0 and shown[-1] == scene.body.time[-1] and (shown == shown[-1]).sum() >= int(10.0 * HOLD) - 1
    assert set(made.frame) == set(range(len(body.base)))
    first, last = made.picture(0).copy(), made.picture(len(shown) - 1)
    assert not np.array_equal(first, last)
    clock, said = made.told(len(shown) - 1)
    assert clock == f"increment {len(body.base) - 1} of {len(body.base) - 1}"
    assert said == f"nearest link {body.clearance[-1].min():.3g} cells from a wall, reached"
    assert made.shown.node[-1, :, :2] == pytest.approx(body.joints[-1], abs=1e-9)


def test_body_has_its_width_and_lies_where_it_is(body: Following) -> None:
    made = stage(following_scene(body, "cells"))
    pixels = made.picture(0)[..., :3].astype(int)
    skin = [tuple(int(c[k : k + 2], 16) for k in (1, 3, 5)) for c in (style.SKIN, style.SKIN_DARK, style.ORANGE)]
    drawn = np.any([np.abs(pixels - colour).max(axis=2) < 12 for colour in skin], axis=0)
    count = drawn.sum() / made.pixels**2
    assert count == pytest.approx(4 * 3.0 * 0.8 + np.pi * 0.4**2, rel=0.25)
    x, y = made.flat(body.joints[0].mean(axis=0), 0)
    assert np.hypot(*(np.argwhere(drawn).mean(axis=0)[::-1] - (x, y))) < 0.15 * 12.0 * made.pixels


def test_walls_are_where_the_map_has_them(body: Following) -> None:
    made = stage(following_scene(body, "cells"))
    pixels = made.picture(0)[..., :3].astype(int)
    grey = np.abs(pixels - [int(style.GREY[k : k + 2], 16) for k in (1, 3, 5)]).max(axis=2) < 6
    for i, j, solid in ((15, 5, True), (15, 16, False), (0, 10, True), (8, 17, False), (30, 20, True)):
        x, y = made.flat(np.array([float(i), float(j)]), 0)
        assert grey[int(y), int(x)] == solid


def test_unsettled_links_and_overlaps_are_named() -> None:
    area = walls()
    path = find_path(area, (4.0, 4.0), (26.0, 4.0))
    bad = follow(path, np.full(2, 8.0), half_width=1.5, search="literal", project=False)
    assert bad.unsettled and bad.link_clearance <= 0.0
    told = following_scene(bad).events
    frame = next(iter(bad.unsettled))
    assert f"{len(bad.unsettled[frame])} links unsettled" in told[frame][1]
    assert "in a wall" in told[int(np.argmin(bad.clearance.min(axis=1)))][1]


def test_film_file(body: Following, tmp_path: Path) -> None:
    seen: list[float] = []
    file = plan_film(body, tmp_path / "way.gif", fps=4, size=(320, 180), unit="cells", progress=seen.append)
    assert file.stat().st_size > 5_000 and seen[-1] == 1.0


def passage(force: float, fed: bool = True) -> Trajectory:
    """A made-up run of two links over 40 frames along a wall."""
    t = np.linspace(0.0, 2.0, 40)
    nodes = np.stack([np.stack([0.2 * k + 0.1 * t + 0.1, 0.2 + 0.0 * t, 0.0 * t], axis=1) for k in range(3)], axis=1)
    pressed = np.zeros((40, 2, 3))
    pressed[20, 1, 1] = -force
    place = np.where(pressed.any(axis=2, keepdims=True), nodes[:, 1:], np.nan)
    variables = {
        "time": (("time",), t, "s"), "node": (("time", "node", "xyz"), nodes, "m"), "com": (("time", "xyz"), nodes.mean(axis=1), "m"),
        "joint_torque": (("time", "dof"), np.sin(t)[:, None], "N m"), "wall_force": (("time", "link", "xyz"), pressed, "N"),
        "wall_point": (("time", "link", "xyz"), place, "m"), "lateral_error": (("time",), 0.01 * t, "m"),
        "path": (("path_point", "xyz"), nodes[:, -1], "m"), "feed_force": (("time",), 3.0 * t, "N"),
    }  # fmt: skip
    if not fed:
        del variables["feed_force"]
    made = {name: Variable(*value, name) for name, value in variables.items()}
    grid = {"kind": "grid", "cells": walls(0.05).solid, "cell": 0.05, "origin": (0.0, 0.0)}
    keys = {"robot": {"radius": 0.03}, "world": {"obstacles": [grid]}}
    return Trajectory(made, {}, Status("ok"), (), keys, {"robot": "two links", "drive": "feed"}, {})


@pytest.mark.parametrize("fed", [True, False])
def test_plot_of_an_execution(fed: bool) -> None:
    touched, free = (sp.view.plot(passage(force, fed)) for force in (7.0, 0.0))
    assert (
        len(touched.axes) == 3 + fed
        and ("no obstacle is touched" in words(free))
        and "no obstacle" not in words(touched)
    )
    assert touched.axes[-2].lines[0].get_ydata().max() == 7.0
    assert touched.axes[-1].lines[0].get_ydata().max() == pytest.approx(20.0)  # mm
    assert (touched.axes[0].get_ylabel() == "feed force [N]") == fed


def test_figure_of_an_execution(tmp_path: Path) -> None:
    assert sp.view.figure(passage(7.0), tmp_path / "run.png").stat().st_size > 50_000


def test_clearance_is_the_distance_of_links_from_walls() -> None:
    """Links along y = 0.2 between a wall whose top is at 0.025 and one that begins at x = 0.725."""
    scene = scene_of(passage(0.0))
    _, gap = clearance(scene)
    aside = 0.725 - scene.body.node[:, -1, 0]
    assert gap == pytest.approx(np.minimum(aside, 0.1 + 0.1 * scene.body.time - 0.025).clip(max=0.175) - 0.03, abs=1e-9)


def test_force_of_a_wall_is_an_arrow_where_it_presses() -> None:
    scene = scene_of(passage(7.0))
    made = stage_of(scene, 10.0, (1280, 720), 0.5)
    assert isinstance(made, AboveStage)
    pressed = int(np.flatnonzero(made.frame == 20)[0])
    clock, said = made.told(pressed)
    assert clock == f"t = {made.times[pressed]:.2f} s" and "feed force" in said and "lateral error" in said
    red = tuple(int(style.FORCE[k : k + 2], 16) for k in (1, 3, 5))
    counts = [(np.abs(made.picture(k)[90:640, ..., :3].astype(int) - red).max(axis=2) < 8).sum() for k in (pressed, 0)]
    assert counts[0] > 60 and counts[1] == 0
    x, y = made.flat(scene.press[20, 1], pressed)
    near = made.picture(pressed)[int(y) - 4 : int(y) - 1, int(x), :3].astype(
        int
    )  # the force points down: its shaft is above
    assert np.abs(near - red).max() < 60


def test_a_plan_of_a_scenario_is_drawn_among_its_walls() -> None:
    """The walls come from the plan's map, not from the scenario's own world."""
    run = run_scenario("maze", ["run.duration=0.1"])
    scene = scene_of(run)
    assert scene.kind == "above" and scene.cells is not None and scene.path is not None
    area = maps.read("maze", cell=scene.cells.cell)
    assert np.array_equal(scene.cells.solid, area.solid)
    concertina = scene_of(run_scenario("concertina", ["run.duration=0.1"]))
    assert concertina.kind == "above" and concertina.pins is not None and concertina.pins.held[-1].any()
