"""What pictures say: styles and captions, units, names of engines, legends, keys of films; each was once missing or wrong."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from PIL import Image

import serpenoid as sp
from figure_cases import drawn
from serpenoid.core.errors import InputError
from serpenoid.core.terrain import Box, Ground
from serpenoid.view import boxes, inset, panels, saving, style
from serpenoid.view.camera import Camera
from serpenoid.view.compare import names_of
from serpenoid.view.compare_figures import _apart
from serpenoid.view.figure import _above, _plane, _space
from serpenoid.view.ground import Land, distance_to
from serpenoid.view.poses import poses
from serpenoid.view.scene import scene_of
from serpenoid.view.sheet import Sheet
from serpenoid.view.tracks import apart

PAGE = 180.0 / 25.4  # inches: width of a page
LEAST = 6.0  # pt: letters that are still read in print


@pytest.fixture(scope="module")
def run():
    gait = sp.gaits.Serpenoid(winding_angle=0.7, waves=1.5, speed=0.6)
    world = sp.World(friction=sp.contact.Coulomb(along=0.1, across=0.5))
    return sp.simulate(sp.robots.ma2001(links=10), gait, world, duration=1.0)


@pytest.fixture(scope="module")
def flat_in_space():
    """A creeper in space: it neither rolls nor lifts a link."""
    gait = sp.gaits.Serpenoid(winding_angle=0.7, waves=1.5, speed=0.6)
    world = sp.World(friction=sp.contact.Coulomb(along=0.1, across=0.5), ground=Ground(model="capsule"))
    return sp.simulate(sp.robots.ma2001(links=6, radius=0.02), gait, world, duration=1.0)


def texts(fig) -> list[str]:
    from matplotlib.text import Text

    return [t.get_text() for t in fig.findobj(Text) if t.get_text()]


def labels(ax) -> list[str]:
    return [t.get_text() for t in ax.get_legend().get_texts()]


def test_print_style_can_be_read_on_a_page(run, tmp_path):
    """Text in print is at least 6 pt on a page 180 mm wide, curves differ without colour, and the caption is for the document."""
    fig = _plane(run, scene_of(run))
    before = len(fig.texts)
    beside = style.canvas(4.0, 3.0)
    torques = beside.add_subplot()
    panels.torques(torques, run, [1, 5, 9])
    with style.using("print"):
        path = style.save(fig, tmp_path / "print.png")
        style.save(beside, tmp_path / "torques.png")
    from matplotlib.text import Text

    sizes = [t.get_fontsize() * PAGE / SIZE for t in fig.findobj(Text) if t.get_text()]
    assert min(sizes) > LEAST
    shown = [line for line in torques.lines if len(line.get_xdata()) > 2]
    assert len({str(line._dash_pattern) for line in shown}) == len(shown) > 2
    assert len(fig.texts) == before
    with Image.open(path) as picture:
        assert picture.size[0] >= round(SIZE * 300) and "sideways" in picture.info["Description"]


SIZE = 12.8  # inches


@pytest.mark.parametrize("kind", ["pdf", "svg"])
def test_vectors_beside_the_picture(run, tmp_path, kind):
    with style.using("talk", also=kind):
        sp.view.figure(run, tmp_path / "run.png")
    assert sorted(p.name for p in tmp_path.iterdir()) == sorted(["run.png", f"run.{kind}"])
    content = (tmp_path / f"run.{kind}").read_bytes()
    assert content.startswith(b"%PDF") if kind == "pdf" else b"sideways" in content
    with style.using("talk"):
        sp.view.figure(run, tmp_path / f"again.{kind}")
    assert (tmp_path / f"again.{kind}").read_bytes() == content  # the same figure is the same file


def test_styles_end_with_their_block_and_wrong_ones_are_refused(run, tmp_path):
    with pytest.raises(InputError, match="screen, print, talk"), style.using("poster"):
        pass
    with pytest.raises(InputError, match="pdf"), style.using("print", also="eps"):
        pass
    with style.using("print"):
        sp.view.figure(run, tmp_path / "a.png")
    sp.view.figure(run, tmp_path / "b.png")
    with Image.open(tmp_path / "a.png") as one, Image.open(tmp_path / "b.png") as two:
        assert one.size[0] > 1.9 * two.size[0]


def test_slip_is_told_in_millimetres(run):
    assert run.metrics["slip_per_link"] < 0.1
    ax = style.canvas(4.0, 3.0).add_subplot()
    panels.slip(ax, run)
    assert ax.get_ylabel() == "slip per link [mm]"
    mean = next(line for line in ax.lines if line.get_label() == "mean of the links")
    assert mean.get_ydata()[-1] == pytest.approx(1e3 * run["slip"][-1])
    assert style.length_unit([0.3, np.nan]) == (1.0, "m") and style.length_unit([0.0]) == (1.0, "m")
    assert f"{1e3 * run.metrics['slip_per_link']:.4g} mm across" in run.summary()


def test_legends_hide_no_curve(run):
    """Legends of panels stand above them, the title above these."""
    fig = style.canvas(6.0, 4.0)
    ax = fig.add_axes((0.15, 0.15, 0.8, 0.6))
    panels.torques(ax, run)
    fig.draw_without_rendering()
    assert ax.get_legend().get_window_extent().y0 >= ax.get_window_extent().y1 - 1.0
    title = ax._left_title.get_window_extent()
    assert title.y0 >= ax.get_legend().get_window_extent().y1 - 2.0


def test_the_torques_shown_are_the_greatest(run, flat_in_space):
    """Of the joint with the greatest torque and of that with the greatest in steady motion, and of no other; a dot where each is."""
    for made in (run, flat_in_space):
        ax = style.canvas(4.0, 3.0).add_subplot()
        panels.torques(ax, made)
        told = made.provenance["torques"]
        curves = [line for line in ax.lines if len(line.get_xdata()) > 2]
        dofs = sorted({told["max"]["dof"], told["steady_max"]["dof"]})
        assert len(curves) == len(dofs)
        for line, dof in zip(curves, dofs, strict=True):
            assert np.isin(line.get_ydata(), made["joint_torque"][:, dof]).all()
        dots = {
            (round(float(line.get_xdata()[0]), 9), abs(float(line.get_ydata()[0])))
            for line in ax.lines
            if len(line.get_xdata()) == 1
        }
        assert dots == {
            (round(told[name]["time"], 9), made.metrics[f"torque_{name}"]) for name in ("max", "steady_max")
        }
    old = dataclasses.replace(run, provenance={})  # a file of an earlier version
    frame, dof = np.unravel_index(np.abs(run["joint_torque"]).argmax(), run["joint_torque"].shape)
    (most,) = panels.greatest(old)
    assert (most.dof, most.time) == (dof, run["time"][frame])


def test_idle_panels_make_room(flat_in_space):
    fig = _space(flat_in_space, scene_of(flat_in_space))
    titles = [ax.get_title(loc="left") for ax in fig.axes]
    assert "Roll about the axis" not in titles and "From the side" not in titles
    assert "Distance from the start" in titles
    # a body that does not lift or roll tells no such number
    assert not {"roll rate", "height gained"} & set(texts(fig))


def test_bodies_on_a_map_do_not_lie_on_each_other():
    line = np.stack([np.linspace(0.0, 1.0, 6), np.zeros(6)], axis=1)
    stack = np.stack([line + np.array([0.0, y]) for y in (0.0, 0.02, 0.5, 0.52, 1.0)])
    assert apart(stack, 0.1).tolist() == [0, 3, 4]
    assert apart(stack[:1], 0.1).tolist() == [0]


def test_executed_path_names_all_it_shows():
    run = sp.simulate(sp.robots.ms1(), sp.planning.ConcertinaPlan(target=(0.9, 0.05)), sp.World())
    fig = _above(run, scene_of(run))
    named = labels(fig.axes[0])
    assert {"target", "trail of the head", "pin that holds"} <= set(named)
    assert sum(text.startswith("head at") for text in named) == 6
    fig.draw_without_rendering()
    assert fig.axes[0].get_legend().get_window_extent().x1 <= fig.bbox.width  # and none is cut off


def test_engines_are_called_by_their_names(run):
    assert names_of([run] * 3, ["own", "mujoco-native", "mine"]) == ["serpenoid", "MuJoCo, native contacts", "mine"]


def test_comparison_draws_differences(run, tmp_path):
    """A run 3 mm beside the first one is 3 mm apart from it at all times; the caption says so."""
    moved = dict(run.variables)
    for name in ("com", "node"):
        moved[name] = moved[name]._replace(data=run[name] + np.array([0.0, 0.003, 0.0]))
    other = dataclasses.replace(run, variables=moved)
    far, rolled = _apart(poses(run), poses(other))
    assert far == pytest.approx(np.full(len(run["time"]), 0.003), abs=1e-12) and np.all(rolled == 0.0)
    path = sp.view.compare([run, other], tmp_path / "two.png", names=["own", "mujoco"])
    with Image.open(path) as picture:
        assert "MuJoCo 3 mm" in picture.info["Description"]


@pytest.mark.parametrize(
    ("degrees", "text"), [(4781.0, "13.3 turns"), (-862.0, "-2.4 turns"), (90.4, "90°"), (-0.2, "0°")]
)
def test_many_turns_are_told_as_turns(degrees, text):
    assert inset.roll_text(degrees) == text


def test_box_has_a_grid_a_shadow_and_contacts():
    box = Box((0.4, 0.1, 0.15), (0.8, 0.6, 0.3), 0.4)
    faces = boxes.box_faces(box, 0.1, 0.005)
    kinds = {tuple(c) for c in faces.colour.round(6)}
    assert len(kinds) == 3  # surface, lines, edges
    area = np.linalg.norm(
        np.cross(faces.corner[:, 2] - faces.corner[:, 0], faces.corner[:, 3] - faces.corner[:, 1]), axis=1
    )
    assert 0.5 * area.sum() == pytest.approx(2.0 * (0.8 * 0.6 + 0.8 * 0.3 + 0.6 * 0.3))  # no gaps, nothing twice
    # a body that lies on the box throws its shadow onto it and touches it
    radius = np.full(3, 0.02)
    node = np.array([[0.2, 0.1, 0.32], [0.3, 0.1, 0.32], [0.4, 0.1, 0.32], [0.5, 0.1, 0.5]])
    light = np.array([0.3, -0.2, 0.9]) / np.linalg.norm([0.3, -0.2, 0.9])
    shade = boxes.shadow_faces(box, node, radius, light)
    assert len(shade.corner) == 3 and np.abs(distance_to(box, shade.corner)).max() < 1e-3
    still = np.zeros((1, 3, 3))
    body = poses_of(node, still)
    marks = boxes.contact_faces(box, body, 0, radius, np.array([0.0, 1.0]), style.PATCH, 0.01)
    places = np.unique(marks.corner[:, 0].round(6), axis=0)
    assert places[:, 2] == pytest.approx(np.full(len(places), 0.3), abs=2e-3) and len(places) == 3


def poses_of(node, still):
    from serpenoid.view.poses import Poses

    n = len(node) - 1
    return Poses(np.zeros(1), node[None], still, still, node.mean(axis=0)[None], still, still, np.full((1, n), 1.0))


def test_map_of_the_way_keeps_within_its_frame():
    """A box that is larger than the way does not cover the picture beside the map."""
    node = np.array([[0.0, 0.0, 0.02], [0.1, 0.0, 0.02], [0.2, 0.0, 0.02]])
    still = np.zeros((1, 2, 3))
    land = Land(Ground(), (Box((2.0, 0.0, 0.1), (3.0, 3.0, 0.2)),))
    sheet = Sheet((400, 300), "#ffffff")
    inset.WayMap((0.6, 0.2, 0.3, 0.4), [(poses_of(node, still), style.SKIN)], land).frame(sheet)
    inside = np.zeros((300, 400), bool)
    inside[58:183, 237:364] = True
    assert np.all(sheet.pixels[~inside][:, :3] == 255)
    assert np.any(sheet.pixels[inside][:, :3] != 255)


def test_film_keys_name_their_marks():
    sheet = Sheet((1280, 720), "#ffffff")
    inset.key(sheet, [("band", style.PATCH, "touches now"), ("dash", style.BLUE, "planned path")])
    for colour in (style.PATCH, style.BLUE):
        wanted = [int(colour[k : k + 2], 16) for k in (1, 3, 5)]
        assert np.all(np.abs(sheet.pixels[..., :3].astype(int) - wanted) <= 6, axis=-1).sum() > 20


def test_slopes_are_drawn_against_the_level():
    sheet = Sheet((1280, 720), "#ffffff")
    inset.slope_wedge(sheet, 0.2, 0.5, 0.3, np.radians(20.0))
    stone = np.array([int(style.STONE[k : k + 2], 16) for k in (1, 3, 5)])
    rows, columns = np.nonzero(np.all(np.abs(sheet.pixels[..., :3].astype(int) - stone) <= 3, axis=-1))
    high = rows.max() - rows[columns > columns.max() - 3].min()
    assert high / np.ptp(columns) == pytest.approx(np.tan(np.radians(20.0)), abs=0.02)


def test_captions_are_found_again():
    fig = style.canvas(3.0, 2.0)
    assert saving.caption_of(fig) == ""
    style.caption(fig, "Two   words,\n one line.")
    assert saving.caption_of(fig) == "Two words, one line."


def test_cameras_of_shapes_see_no_horizon():
    from serpenoid import shapes
    from serpenoid.view.rolling import RollingStage

    base = shapes.to_bellows(shapes.frenet(1.4, 0.5, 2.0))
    camera = RollingStage([shapes.roll(base, x).trace(60) for x in (0.0, 1.0)], (320, 240), "").camera
    assert isinstance(camera, Camera)
    assert np.arcsin(camera.axes[2, 2]) > np.arctan(0.5 / camera.focal)  # the upper edge still looks down


def test_commands_draw_in_a_style(tmp_path, capsys):
    """--style and --vector reach the figures; a style that is none is refused before anything runs."""
    from serpenoid.cli.entry import main

    few = ["run", "creep", "--duration", "0.05", "--set", "robot.links=4", "--no-film"]
    assert main([*few, "--out", str(tmp_path / "a"), "--style", "print", "--vector", "pdf"]) == 0
    assert (tmp_path / "a" / "figure.pdf").read_bytes().startswith(b"%PDF")
    with Image.open(tmp_path / "a" / "figure.png") as picture:
        assert picture.size[0] >= round(SIZE * 300)
    for wrong in (["--style", "poster"], ["--vector", "eps"]):
        assert main([*few, "--out", str(tmp_path / "b"), *wrong]) == 2
        assert wrong[1] in capsys.readouterr().err and not (tmp_path / "b").exists()


def test_sweeps_draw_in_a_style(tmp_path, capsys):
    """A sweep that is done is drawn anew in the style asked for, as vectors too; a style that is none is refused before a cell runs."""
    from serpenoid.cli.entry import main

    store = tmp_path / "store"
    few = ["sweep", "creep", "--set", "robot.links=4", "--set", "run.duration=0.05", "--over", "gait.winding_angle_deg=10,20,30", "--json"]  # fmt: skip
    assert main([*few, "--out", str(tmp_path / "b"), "--style", "poster"]) == 2
    assert "poster" in capsys.readouterr().out and not (tmp_path / "b").exists()
    assert main([*few, "--out", str(store)]) == 0
    with Image.open(store / "figure.png") as picture:
        plain = picture.size[0]
    assert main([*few, "--out", str(store), "--style", "print", "--vector", "pdf"]) == 0
    with Image.open(store / "figure.png") as picture:
        assert picture.size[0] >= 1.9 * plain
    assert (store / "figure.pdf").read_bytes().startswith(b"%PDF")
    assert main(["verify", str(store)]) == 0


def test_marks_of_films_from_above_are_named(run):
    from serpenoid.view.film import stage_of

    made = stage_of(scene_of(run), 10.0, (320, 180))
    assert [text for *_, text in made._marks()] == ["trail of the head"]
    guided = dataclasses.replace(scene_of(run), kind="above", path=np.zeros((3, 2)), target=np.ones(2))
    assert [text for *_, text in stage_of(guided, 10.0, (320, 180))._marks()] == [
        "trail of the head", "planned path", "target",
    ]  # fmt: skip


def test_axes_of_searches_are_named_in_words():
    """A variable is named by its words, without table and suffix; a metric by what it means."""
    from serpenoid.view import search

    variable = {"key": "gait.winding_angle_deg", "name": "gait winding angle", "unit": "deg"}
    assert search._axis(variable) == "winding angle [deg]"
    assert search._metric({"units": {"com_distance": "m"}}, "com_distance") == "distance travelled [m]"


def test_short_slips_of_sweeps_are_in_millimetres():
    import xarray

    from serpenoid.view.sweep import readable

    data = xarray.Dataset({"slip_per_link": ("x", [0.002, 0.003], {"units": "m"})})
    made = readable(data)
    assert made["slip_per_link"].attrs["units"] == "mm" and made["slip_per_link"].values == pytest.approx([2.0, 3.0])
    assert data["slip_per_link"].attrs["units"] == "m"


def test_grown_walls_are_named():
    from serpenoid.view.map import _name_walls

    class Area:
        solid = np.array([[True, False, False]])
        walls = np.array([[True, True, False]])

    ax = style.canvas(3.0, 2.0).add_subplot()
    _name_walls(ax, Area())
    assert ax.get_legend_handles_labels()[1] == ["wall", "kept clear of walls"]


def test_table_of_engines_fits_a_terminal():
    from serpenoid.simulation.compare import table

    one = {"com_distance": 1.0, "path_length": 1.0, "heading": 0.1, "roll_rate_mean": None, "contact_count_mean": 5.0,
           "positive_work": 2.0, "wall_time": 0.1, "status": "ok", "note": "a long note that is the same for both " * 6}  # fmt: skip
    report = {"engines": {"own": one, "drake-native": one}, "reference": "own",
              "differences": {"own": {"path_length": 0.0}, "drake-native": {"path_length": 0.012}}}  # fmt: skip
    lines = table(report).splitlines()
    assert max(map(len, lines)) <= 100 and lines[2].startswith("serpenoid (own)")
    assert "5.73" in lines[2] and lines[3].endswith("+1.20%")  # 0.1 rad in degrees
    assert sum("a long note" in line and line.startswith("  own") for line in lines) == 1


def test_units_stand_in_brackets_of_one_kind():
    """Labels of figures have their units in square brackets everywhere: "x [m]"."""
    import re
    from pathlib import Path

    root = Path(sp.__file__).parent
    wrong = re.compile(r'"[^"\n]*\((m|mm|s|N|N m|deg|rad|W|J|m/s)\)"')
    found = [
        f"{path.name}: {match.group()}"
        for room in ("view", "studies")
        for path in (root / room).rglob("*.py")
        for match in wrong.finditer(path.read_text())
    ]
    assert found == []


@pytest.mark.parametrize("name", ["screen", "print", "talk"])
def test_no_style_cuts_or_covers_words(run, flat_in_space, name, tmp_path):
    """Text is larger in print and in talks: still nothing leaves the page, and no words or legends lie on others."""
    with style.using(name), drawn() as found:
        sp.view.figure(run, tmp_path / "plane.png")
        sp.view.figure(flat_in_space, tmp_path / "space.png")
    assert found == {"plane.png": [], "space.png": []}
