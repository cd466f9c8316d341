"""Films and figures of runs in space, odd runs among them; pictures of several engines."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from PIL import Image

import serpenoid as sp
from serpenoid.core import Status, Trajectory
from serpenoid.core.errors import InputError
from serpenoid.core.terrain import Box, Cylinder, Ground, Pipe
from serpenoid.view import panels, side, style
from serpenoid.view.above import AboveStage
from serpenoid.view.figure import SPACE_SIZE
from serpenoid.view.film import playback, stage_of, usual_speed
from serpenoid.view.ground import on_ground
from serpenoid.view.scene import Scene, scene_of
from serpenoid.view.tracks import touch_map, tracks
from test_view import INKED, SMALL, frames_of, inked
from view_cases import bumps, short, sidewinding


@pytest.fixture(scope="module")
def run() -> Trajectory:
    return sidewinding()


@pytest.fixture(scope="module")
def scene(run) -> Scene:
    return scene_of(run)


@pytest.fixture(scope="module")
def runs(run) -> list[Trajectory]:
    """The same run by three engines, one of which is slower and drifts off."""
    late = dict(run.variables)
    drift = np.linspace(0.0, 0.2, len(run["time"]))
    late["time"] = late["time"]._replace(data=0.8 * run["time"])
    late["com"] = late["com"]._replace(data=run["com"] + drift[:, None])
    made = [run, dataclasses.replace(run, variables=late), run]
    return [
        dataclasses.replace(r, provenance={"engine": name, "note": "slower" if name == "two" else ""})
        for r, name in zip(made, ("one", "two", "three"), strict=True)
    ]


def blown_up() -> Trajectory:
    """A run whose numbers grow beyond all bounds and then end."""
    run = short(duration=0.5)
    growth = np.exp(600.0 * np.linspace(0.0, 1.0, len(run["time"])) ** 4)
    growth[-3:] = np.nan
    variables = dict(run.variables)
    for name, v in run.variables.items():
        if "time" in v.dims and name not in ("time", "touching") and name not in ("link_axis", "link_back"):
            variables[name] = v._replace(data=v.data * growth.reshape(-1, *[1] * (v.data.ndim - 1)))
    status = Status("diverged", "a number became infinite after t = 0.47 s", 0.47)
    return dataclasses.replace(run, variables=variables, status=status, metrics=dict.fromkeys(run.metrics))


ODD = {
    "two links": lambda: short(links=2),
    "sixty-four links": lambda: short(links=64, duration=0.1),
    "two frames": lambda: short(duration=0.01),
    "diverged": blown_up,
    "slope": lambda: short(Ground(slope=0.3, slope_direction=1.0)),
    "height field": lambda: short(Ground(heights=bumps())),
    "posts": lambda: short(None, (Cylinder((0.5, 0.3, 0.0), 0.05, 0.4), Box((0.5, -0.4, 0.1), (0.3, 0.2, 0.2)))),
    "pipe": lambda: short(Ground(plane=False), (Pipe((0.0, 0.0, 0.1), 0.1),), height=0.03),
    "points": lambda: short(Ground(model="point")),
}


def test_film_shows_body_stripe_head_marks_and_forces(scene):
    made = stage_of(scene, 10, (640, 360))
    pixels = made.picture(20)[..., :3].astype(int)
    red, green, blue = np.moveaxis(pixels, -1, 0)
    assert ((green > red + 40) & (green > blue)).sum() > 300  # skin
    assert ((red > 180) & (green > 110) & (blue < 70)).sum() > 50  # head
    assert ((red > 200) & (green > 90) & (green < 170) & (blue > 50) & (blue < 130)).sum() > 30  # what touches
    forces = np.array([int(style.FORCE[k : k + 2], 16) for k in (1, 3, 5)])
    assert np.all(np.abs(pixels - forces) <= 12, axis=-1).sum() > 20
    assert np.abs(made.picture(0)[..., :3].astype(int) - pixels).max() > 80  # something moves
    assert np.array_equal(made.picture(20)[..., :3], pixels.astype(np.uint8))  # and comes back


def test_film_has_frames_duration_and_size(run, tmp_path):
    seen: list[float] = []
    path = sp.view.film(run, tmp_path / "run.mp4", fps=10, size=(322, 181), speed=0.5, progress=seen.append)
    about, frames = frames_of(path)
    assert about["size"] == (322, 180) and len(frames) == 60 == len(seen)
    assert min(map(inked, frames)) > INKED
    with Image.open(sp.view.film(run, tmp_path / "run.gif", fps=5, size=(800, 450))) as picture:
        assert picture.size == (640, 360) and 10 <= picture.n_frames <= 15


def test_long_runs_are_shown_faster(run, tmp_path):
    assert [playback(x) for x in (5.0, 30.0, 31.0, 60.0, 61.0, 600.0)] == [1.0, 1.0, 2.0, 3.0, 4.0, 30.0]
    slow = dict(run.variables)
    slow["time"] = slow["time"]._replace(data=20.0 * run["time"])
    path = sp.view.film(dataclasses.replace(run, variables=slow), tmp_path / "run.mp4", fps=1, size=SMALL)
    assert len(frames_of(path)[1]) == 20  # 60 s in 20 s


@pytest.mark.parametrize("which", ODD)
def test_odd_runs_are_drawn_and_filmed(which, tmp_path):
    run = ODD[which]()
    path = sp.view.figure(run, tmp_path / "run.png")
    assert inked(np.asarray(Image.open(path).convert("RGB"))) > INKED
    about, frames = frames_of(sp.view.film(run, tmp_path / "run.mp4", fps=10, size=SMALL))
    assert about["size"] == SMALL and len(frames) >= 2
    assert min(map(inked, frames)) > INKED
    if which == "pipe":  # contacts with obstacles leave no mark on the ground
        assert run["contact_count"].max() > 0
        scene = scene_of(run)
        assert not on_ground(scene.body, scene.radius, scene.land, scene.shares).any()


def test_figure_has_its_size(run, tmp_path):
    pixels = np.asarray(Image.open(sp.view.figure(run, tmp_path / "run.png")).convert("RGB"))
    caption = pixels.shape[0] - round(SPACE_SIZE[1] * style.DPI)  # rows below the figure
    assert 60 < caption < 150 and pixels.shape[1] == round(SPACE_SIZE[0] * style.DPI)
    for rows in (slice(190, 640), slice(740, 990), slice(1120, 1410)):  # map, bodies and contacts, curves
        assert inked(pixels[rows]) > INKED
    assert b"%PDF" in sp.view.figure(run, tmp_path / "run.pdf").read_bytes()[:2000]


def test_panels_draw_on_foreign_axes(run):
    fig = style.canvas(10.0, 6.0)
    some = (side.side_view, panels.torques, panels.contacts, panels.roll, panels.height, panels.power)
    for k, panel in enumerate(some):
        ax = fig.add_subplot(2, 3, k + 1)
        panel(ax, run)
        assert "[s]" in ax.get_xlabel() or "[m]" in ax.get_xlabel() + ax.get_ylabel()


def test_planar_runs_are_drawn_as_before(run, tmp_path):
    flat = dataclasses.replace(run, variables={k: v for k, v in run.variables.items() if k != "roll"})
    made = scene_of(flat)
    assert isinstance(stage_of(made, 10, SMALL), AboveStage) and usual_speed(made) == 1.0
    assert Image.open(sp.view.figure(flat, tmp_path / "run.png")).size[0] == 1920
    for draw in (tracks, touch_map):
        with pytest.raises(InputError, match="plane"):
            draw(style.canvas(4.0, 3.0).add_subplot(), flat)


@pytest.mark.parametrize("layout", ["beside", "together"])
def test_film_of_several_engines(runs, layout, tmp_path):
    path = sp.view.side_by_side(runs, tmp_path / "all.mp4", layout=layout, fps=4, size=SMALL, title="three")
    about, frames = frames_of(path)
    assert about["size"] == SMALL and len(frames) == 12
    assert min(map(inked, frames)) > INKED


def test_pictures_of_several_engines(runs, tmp_path):
    for what in ("ends", "paths"):
        path = sp.view.compare(runs, tmp_path / f"{what}.png", what=what)
        assert inked(np.asarray(Image.open(path).convert("RGB"))) > INKED
    bare = {k: v for k, v in runs[0].variables.items() if k != "contact_count"}
    sp.view.compare(
        [dataclasses.replace(runs[0], variables=bare)], tmp_path / "one.png"
    )  # an engine need not count them


def test_senseless_comparisons_are_refused(runs, tmp_path):
    with pytest.raises(InputError, match="runs can be shown"):
        sp.view.compare([], tmp_path / "none.png")
    with pytest.raises(InputError, match="one for each"):
        sp.view.compare(runs, tmp_path / "names.png", names=["one"])
    with pytest.raises(InputError, match="layout"):
        sp.view.compare(runs, tmp_path / "x.mp4", layout="heap")
    assert list(tmp_path.iterdir()) == []
