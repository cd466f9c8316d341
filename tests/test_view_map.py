"""Pictures and films of a way through a map: they show walls, path, body and forces, in the unit of the map."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import serpenoid as sp
from serpenoid.planning import find_path, follow, maps
from serpenoid.planning.follow import Following
from serpenoid.view import style
from serpenoid.view.map import clearance_panel, field_panel, map_figure, passage_figure, path_panel
from serpenoid.view.map_film import HOLD, MapStage, followed_take, following_film, map_still

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


def stage(body: Following, times: list[float] | None = None) -> MapStage:
    area = body.path.map
    chosen = None if times is None else np.array(times)
    return MapStage(followed_take(body, "cells"), area.solid, area.cell, (0.0, 0.0), 10.0, SIZE, 1.0, chosen)


def test_film_shows_every_increment_and_stays(body: Following) -> None:
    take, made = followed_take(body, "cells"), stage(body)
    shown = made.shown.time
    assert shown[0] == 0.0 and shown[-1] == take.time[-1] and (shown == shown[-1]).sum() >= int(10.0 * HOLD) - 1
    assert set(made.shown.frame) == set(range(len(body.base) - 1))
    first, last = made.picture(0).copy(), made.picture(len(shown) - 1)
    assert not np.array_equal(first, last)
    said = words(made.axes)
    assert "following: reached" in said and f"increment {len(body.base) - 1} of {len(body.base) - 1}" in said
    assert f"nearest link {body.clearance[-1].min():.3g} cells from a wall" in said and "5 cells" in said
    ends = np.array([segment[1] for segment in made.links.get_segments()])
    assert ends == pytest.approx(body.joints[-1, 1:], abs=1e-9)


def test_body_has_its_width_and_lies_where_it_is(body: Following) -> None:
    made = stage(body, [0.0])
    pixels = made.picture(0)[..., :3].astype(int)
    per_cell = made.inch * SIZE[0] / 12.8
    skin = [tuple(int(c[k : k + 2], 16) for k in (1, 3, 5)) for c in (style.SKIN, style.SKIN_DARK, style.ORANGE)]
    drawn = np.any([np.abs(pixels - colour).max(axis=2) < 12 for colour in skin], axis=0)
    count = drawn.sum() / per_cell**2
    assert count == pytest.approx(4 * 3.0 * 0.8 + np.pi * 0.4**2, rel=0.25)
    low, high = made.axes.get_xlim(), made.axes.get_ylim()
    middle = body.joints[0].mean(axis=0)
    x = (middle[0] - low[0]) / (low[1] - low[0]) * SIZE[0]
    y = (1.0 - (middle[1] - high[0]) / (high[1] - high[0])) * SIZE[1]
    assert np.hypot(*(np.argwhere(drawn).mean(axis=0)[::-1] - (x, y))) < 0.15 * 12.0 * per_cell


def test_unsettled_links_and_overlaps_are_named() -> None:
    area = walls()
    path = find_path(area, (4.0, 4.0), (26.0, 4.0))
    bad = follow(path, np.full(2, 8.0), half_width=1.5, search="literal", project=False)
    assert bad.unsettled and bad.link_clearance <= 0.0
    take = followed_take(bad)
    frame = next(iter(bad.unsettled))
    assert f"{len(bad.unsettled[frame])} links unsettled" in take.words(0.0, frame)[1]
    assert "in a wall" in take.words(0.0, int(np.argmin(bad.clearance.min(axis=1))))[1]


def test_film_file(body: Following, tmp_path: Path) -> None:
    seen: list[float] = []
    file = following_film(body, tmp_path / "way.gif", fps=4, size=(320, 180), unit="cells", progress=seen.append)
    assert file.stat().st_size > 5_000 and seen[-1] == 1.0


def passage(kind: str, force: float) -> Any:
    """A made-up execution of two links over 40 frames."""
    t = np.linspace(0.0, 2.0, 40)
    nodes = np.stack([np.stack([0.2 * k + 0.1 * t, 0.2 + 0.0 * t], axis=1) for k in range(3)], axis=1)
    pressed = np.zeros((40, 2, 2))
    pressed[20, 1] = (0.0, -force)
    place = np.where(pressed.any(axis=2, keepdims=True), nodes[:, 1:], np.nan)
    return SimpleNamespace(
        kind=kind, status="reached", time=t, nodes=nodes, torques=np.sin(t)[:, None], feed_force=3.0 * t, wall_force=pressed,
        wall_place=place, lateral_error=0.01 * t, track=nodes[:, -1], radius=np.full(2, 0.03),
    )  # fmt: skip


@pytest.mark.parametrize(("kind", "panels"), [("feed", 4), ("creep", 3)])
def test_figure_of_an_execution(kind: str, panels: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Any] = []
    monkeypatch.setattr(style, "save", lambda fig, file: made.append(fig) or Path(file))
    for force in (7.0, 0.0):
        passage_figure(passage(kind, force), tmp_path / "run.png")
    touched, free = made
    assert len(touched.axes) == panels and ("no wall is touched" in words(free)) and "no wall" not in words(touched)
    assert touched.axes[-2].lines[0].get_ydata().max() == 7.0
    assert touched.axes[-1].lines[0].get_ydata().max() == pytest.approx(20.0)  # mm
    assert (touched.axes[0].get_ylabel() == "feed force [N]") == (kind == "feed")


def test_force_of_a_wall_is_an_arrow_where_it_presses() -> None:
    run = passage("feed", 7.0)
    solid = walls(0.05).solid
    figure = map_still(run, solid, 0.05, float(run.time[20]))
    said = words(figure)
    assert f"t = {run.time[20]:.2f} s" in said and "the largest drawn 7 N" in said and "feed force" in said
    pixels = np.asarray(figure.canvas.buffer_rgba())[..., :3].astype(int)
    red = tuple(int(style.FORCE[k : k + 2], 16) for k in (1, 3, 5))
    idle = np.asarray(map_still(run, solid, 0.05, 0.0).canvas.buffer_rgba())[..., :3].astype(int)
    count, none = ((np.abs(p - red).max(axis=2) < 8)[130:].sum() for p in (pixels, idle))
    assert count > 100 and none == 0
