"""Figures and films: they exist, show something, have the size and length asked for, and never half-exist."""

from __future__ import annotations

import dataclasses
import json
import subprocess
import sys
from pathlib import Path

import imageio_ffmpeg
import numpy as np
import pytest
from PIL import Image

import serpenoid as sp
from serpenoid.core import Status, Trajectory
from serpenoid.core.errors import InputError, StorageError
from serpenoid.view import encode, snapshots, style
from serpenoid.view.camera import camera_path
from serpenoid.view.figure import SIZE
from serpenoid.view.film import stage_of
from serpenoid.view.panels import spread
from serpenoid.view.poses import masked, poses, sound
from serpenoid.view.scene import scene_of
from serpenoid.view.sheet import Sheet, arrow_loops

SMALL = (320, 180)
INKED = 0.02  # share of a picture's pixels that must differ from its background


def creep(links: int = 8, duration: float = 1.0, **options) -> Trajectory:
    gait = sp.gaits.Serpenoid.start_stop(winding_angle=0.7, waves=1.5, acceleration=1.2, duration=duration)
    world = sp.World(friction=sp.contact.Coulomb(along=0.15, across=0.6))
    return sp.simulate(sp.robots.ma2001(links=links), gait, world, duration=duration, **options)


def blown_up() -> Trajectory:
    """A run whose numbers grow beyond all bounds and then end."""
    run = creep(duration=0.5)
    variables = dict(run.variables)
    growth = np.exp(600.0 * np.linspace(0.0, 1.0, len(run["time"])) ** 4)
    growth[-3:] = np.nan
    for name, v in run.variables.items():
        if name.startswith(("com", "node", "link_com", "contact_", "joint_", "slip", "power", "friction_loss")):
            values = v.data * growth.reshape(-1, *[1] * (v.data.ndim - 1))
            variables[name] = v._replace(data=values)
    status = Status("diverged", "a number became infinite after t = 0.47 s", 0.47)
    return dataclasses.replace(run, variables=variables, status=status, metrics=dict.fromkeys(run.metrics))


@pytest.fixture(scope="module")
def run() -> Trajectory:
    return creep(links=12, duration=2.0)


@pytest.fixture(scope="module")
def odd_runs(run: Trajectory) -> dict[str, Trajectory]:
    far = dict(run.variables)
    for name in ("com", "node", "link_com", "contact_point"):
        values = far[name].data.copy()
        values[..., 0] += 30.0 * run["time"].reshape(-1, *[1] * (values.ndim - 2))
        far[name] = far[name]._replace(data=values)
    return {
        "two links": creep(links=2),
        "two hundred links": creep(links=200, duration=0.2),
        "two frames": creep(duration=0.01),
        "hardly moves": creep(duration=0.05),
        "sixty metres": dataclasses.replace(run, variables=far),
        "diverged": blown_up(),
        "warned": dataclasses.replace(run, warnings=("a long warning that has to be wrapped " * 12,)),
        "upwards": creep(start=sp.Start(heading=1.5)),
    }


ODD = (
    "two links", "two hundred links", "two frames", "hardly moves", "sixty metres", "diverged", "warned",
    "upwards",
)  # fmt: skip


def inked(pixels: np.ndarray) -> float:
    """Share of pixels that differ from the most frequent colour."""
    flat = pixels[..., :3].reshape(-1, 3).astype(np.int64) @ [65536, 256, 1]
    return 1.0 - np.unique(flat, return_counts=True)[1].max() / flat.size


def frames_of(path: Path) -> tuple[dict, list[np.ndarray]]:
    reader = imageio_ffmpeg.read_frames(str(path))
    about = next(reader)
    wide, high = about["size"]
    return about, [np.frombuffer(frame, np.uint8).reshape(high, wide, 3) for frame in reader]


def test_figure_has_its_size_and_is_not_blank(run, tmp_path):
    path = sp.view.figure(run, tmp_path / "run.png")
    pixels = np.asarray(Image.open(path).convert("RGB"))
    caption = pixels.shape[0] - round(SIZE[1] * style.DPI)  # rows below the figure
    assert 60 < caption < 150 and pixels.shape[1:] == (round(SIZE[0] * style.DPI), 3)
    assert inked(pixels[-caption:]) > INKED
    for rows in (slice(150, 660), slice(850, 1200)):  # bodies above, curves below
        assert inked(pixels[rows]) > INKED
    assert [p.name for p in tmp_path.iterdir()] == ["run.png"]


@pytest.mark.parametrize("kind", ["pdf", "svg"])
def test_figure_in_other_formats(run, tmp_path, kind):
    content = sp.view.figure(run, tmp_path / f"run.{kind}").read_bytes()
    assert (b"%PDF" if kind == "pdf" else b"<svg") in content[:2000]


@pytest.mark.parametrize("which", ODD)
def test_odd_runs_are_drawn(odd_runs, which, tmp_path):
    path = sp.view.figure(odd_runs[which], tmp_path / "run.png")
    assert inked(np.asarray(Image.open(path).convert("RGB"))) > INKED


@pytest.mark.parametrize("which", ODD)
def test_odd_runs_are_filmed(odd_runs, which, tmp_path):
    path = sp.view.film(odd_runs[which], tmp_path / "run.mp4", fps=10, size=SMALL)
    about, frames = frames_of(path)
    assert about["size"] == SMALL and len(frames) >= 2
    assert min(map(inked, frames)) > INKED


def test_film_has_frames_duration_size_and_codec(run, tmp_path):
    seen: list[float] = []
    path = sp.view.film(run, tmp_path / "run.mp4", fps=25, size=(640, 360), speed=0.5, progress=seen.append)
    assert imageio_ffmpeg.count_frames_and_secs(str(path)) == (100, pytest.approx(4.0, abs=0.05))
    about, frames = frames_of(path)
    assert about["size"] == (640, 360) and about["codec"] == "h264" and about["pix_fmt"].startswith("yuv420p")
    assert np.abs(frames[0].astype(int) - frames[-1]).max() > 50  # something moves
    assert len(seen) == 100 and seen[-1] == 1.0 and seen == sorted(seen)
    assert [p.name for p in tmp_path.iterdir()] == ["run.mp4"]


def test_film_shows_body_head_forces_and_ground(run):
    pixels = stage_of(scene_of(run), 30.0, (640, 360)).picture(30)[..., :3]
    for colour in (style.SKIN, style.SKIN_DARK, style.ORANGE, style.FORCE, style.GROUND_LINE, style.TRAIL):
        least = 1000 if colour == style.GROUND_LINE else 20  # edges of letters come near its colour
        wanted = [int(colour[k : k + 2], 16) for k in (1, 3, 5)]
        assert np.all(np.abs(pixels.astype(int) - wanted) <= 8, axis=-1).sum() > least, colour


def test_film_of_odd_size_is_made_even(run, tmp_path):
    about, _ = frames_of(sp.view.film(run, tmp_path / "run.mp4", fps=4, size=(323, 181)))
    assert about["size"] == (322, 180)


def test_gif_moves_and_is_small(run, tmp_path):
    with Image.open(sp.view.film(run, tmp_path / "run.gif", size=(1280, 720))) as picture:
        assert picture.size == (640, 360)
        assert 30 <= picture.n_frames <= 40  # 2 s at 20 fps; equal neighbours are merged
        assert picture.info["duration"] % 50 == 0


@pytest.mark.parametrize("name", ["run.png", "run.mp4", "run.gif"])
def test_unwritable_place_leaves_nothing(run, tmp_path, name):
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(StorageError, match="cannot write"):
        _write(run, tmp_path / "file" / name)
    assert [p.name for p in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize("name", ["run.mp4", "run.gif"])
def test_broken_off_film_leaves_the_old_one(run, tmp_path, name):
    (tmp_path / name).write_text("old")

    def stop(done: float) -> None:
        if done > 0.3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        sp.view.film(run, tmp_path / name, fps=10, size=SMALL, progress=stop)
    assert [p.name for p in tmp_path.iterdir()] == [name]
    assert (tmp_path / name).read_text() == "old"


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("run.avi", {}),
        ("run.mp4", {"fps": 0}),
        ("run.mp4", {"speed": float("nan")}),
        ("run.mp4", {"size": (8, 8)}),
        ("run.mp4", {"speed": 1e-9}),
    ],
)
def test_senseless_films_are_refused(run, tmp_path, name, options):
    with pytest.raises(InputError):
        sp.view.film(run, tmp_path / name, **options)
    assert list(tmp_path.iterdir()) == []


def test_senseless_figures_are_refused(run, tmp_path):
    with pytest.raises(InputError, match=r"\.png, \.pdf or \.svg"):
        sp.view.figure(run, tmp_path / "run.bmp")
    ax = style.canvas(4.0, 3.0).add_subplot()
    for options in ({"layout": "heap"}, {"count": 0}):
        with pytest.raises(InputError):
            snapshots(ax, run, **options)


def test_panels_draw_on_foreign_axes(run):
    fig = style.canvas(6.0, 4.0)
    for k, panel in enumerate((sp.view.snapshots, sp.view.torques, sp.view.slip, sp.view.power)):
        ax = fig.add_subplot(2, 2, k + 1)
        panel(ax, run)
        assert ax.get_xlabel() and ax.get_ylabel()
        assert "[s]" in ax.get_xlabel() or "[m]" in ax.get_xlabel() + ax.get_ylabel()


def test_snapshots_keep_equal_scales_and_true_places(run):
    ax = style.canvas(8.0, 4.0).add_subplot()
    snapshots(ax, run, count=4, layout="map")
    panel, x, y = ax.get_window_extent(), ax.get_xlim(), ax.get_ylim()
    assert panel.width / (x[1] - x[0]) == pytest.approx(panel.height / (y[1] - y[0]), rel=1e-9)
    heads = [line.get_xydata()[0] for line in ax.lines if line.get_marker() == "o" and line.get_markersize() > 6]
    assert heads[-1] == pytest.approx(run["node"][-1, -1, :2])


def test_joints_are_spread_over_the_body():
    assert spread(19) == [1, 5, 10, 15, 19]
    assert spread(1) == [1]
    assert spread(199)[0] == 1 and spread(199)[-1] == 199


@pytest.mark.parametrize(("value", "below"), [(2.45, 2.0), (1.0, 1.0), (0.07, 0.05), (999.0, 500.0), (0.0, 0.0)])
def test_round_below(value, below):
    assert style.round_below(value) == pytest.approx(below)


def test_body_between_frames_is_linear(run):
    t, node = run["time"], run["node"]
    middle = poses(run).at(np.array([0.25 * t[7] + 0.75 * t[8]]))
    assert middle.node[0] == pytest.approx(0.25 * node[7] + 0.75 * node[8], abs=1e-12)


def test_frames_of_a_blow_up_are_left_out():
    run = blown_up()
    frames = sound(run)
    assert frames[0] == 0 and 1 < frames.size < len(run["time"]) - 3
    assert np.linalg.norm(run["com"][frames], axis=1).max() < 20.0  # m; the last ones are 1e260 m away
    values = masked(np.array([1.5, np.nan, np.inf, -1e200]))
    assert values[0] == 1.5 and np.isnan(values[1:]).all()


def test_camera_follows_smoothly_and_closely():
    t = np.arange(200) / 30.0
    com = np.column_stack([0.7 * t, 0.03 * np.sin(9.0 * t)])
    path = camera_path(com, 30.0, 0.16)
    assert np.abs(path - com).max() <= 0.16
    assert np.ptp(path[40:-40, 1]) < 0.1 * np.ptp(com[:, 1])
    assert path[:, 0] == pytest.approx(com[:, 0], abs=1e-9)  # a steady run is followed without lag


def test_scene_is_plain_data(run):
    scene = scene_of(run)
    data = json.loads(json.dumps(scene.data(np.array([0.5, 1.0]))))
    assert data["kind"] == "plane" and data["time"] == [0.5, 1.0] and data["ground"]["plane"]
    assert np.array(data["node"]) == pytest.approx(scene.body.at(np.array([0.5, 1.0])).node)
    assert np.shape(data["contact_force"]) == np.shape(data["link_axis"]) == (2, 12, 3)


def darkness(sheet: Sheet) -> np.ndarray:
    """Covered share of each pixel of black on white."""
    return 1.0 - sheet.pixels[..., 0] / 255.0


def test_filled_area_is_that_of_the_polygon():
    """To the rounding of 8 bits per pixel, wherever the polygon lies, also partly outside."""
    rng = np.random.default_rng(3)
    for _ in range(10):
        sheet = Sheet((97, 61), "#ffffff")
        turn = np.sort(rng.uniform(0.0, 2.0 * np.pi, 7))
        loop = np.array([48.3, 30.7]) + 27.0 * np.stack([np.cos(turn), np.sin(turn)], axis=1)
        sheet.fill(loop[None], "#000000")
        x, y = loop.T
        area = 0.5 * abs(np.sum(x * np.roll(y, -1) - y * np.roll(x, -1)))
        edge = np.hypot(*(loop - np.roll(loop, 1, axis=0)).T).sum()
        assert darkness(sheet).sum() == pytest.approx(area, abs=edge / 255.0 + 0.5)
    half = Sheet((40, 30), "#ffffff")
    half.fill(np.array([[[-20.0, -7.0], [10.5, -7.0], [10.5, 50.0], [-20.0, 50.0]]]), "#000000")
    assert darkness(half)[:, :10].min() == 1.0 and darkness(half)[:, 10] == pytest.approx(0.5, abs=0.01)
    assert darkness(half)[:, 11:].max() == 0.0


def test_shapes_that_meet_or_overlap_show_no_seam():
    sheet = Sheet((60, 40), "#ffffff")
    left = np.array([[5.0, 5.0], [20.3, 5.0], [30.7, 35.0], [5.0, 35.0]])
    right = np.array([[20.3, 5.0], [50.0, 5.0], [50.0, 35.0], [30.7, 35.0]])
    sheet.fill(np.stack([left, right, left + 3.0]), "#000000", 0.5)
    inner = sheet.pixels[9:34, 9:49, 0]
    assert inner.min() == inner.max() == 128


def test_lines_and_arrows_have_their_width_and_ends():
    sheet = Sheet((1280, 100), "#ffffff")
    sheet.stroke([np.array([[100.0, 50.0], [700.0, 50.0], [1100.0, 50.0]])], 6.0, "#000000")
    assert darkness(sheet).sum() == pytest.approx(6.0 * 1000.0, rel=1e-3)
    assert darkness(sheet)[47:53, 100:1100].min() == 1.0 and darkness(sheet)[:, :100].max() == 0.0
    loops = arrow_loops(np.array([[10.0, 20.0]]), np.array([[110.0, 20.0]]), 4.0)[0]
    assert loops[3] == pytest.approx([110.0, 20.0]) and loops[:, 0].min() == 10.0
    assert np.ptp(loops[[0, 6], 1]) == pytest.approx(4.0)


@pytest.mark.parametrize("end", [(1100.0, 61.3), (230.0, 700.0), (1270.0, 640.0)])
def test_hairlines_look_like_lines(end):
    """Drawn pixel by pixel they cover what the polygon of the line covers, to a fifth of a pixel's ink anywhere but at the ends."""
    thin, whole = Sheet((1280, 720), "#ffffff"), Sheet((1280, 720), "#ffffff")
    line = np.array([[[150.0, 20.0], end]])
    thin.hairlines(line, 1.6, "#000000")
    whole.stroke(line, 1.6, "#000000")
    assert darkness(thin).sum() == pytest.approx(darkness(whole).sum(), rel=0.01)
    apart = np.abs(darkness(thin) - darkness(whole))
    far = [np.hypot(*(np.indices(apart.shape)[::-1] - np.array(p)[:, None, None])) > 4.0 for p in line[0]]
    assert apart[far[0] & far[1]].max() < 0.2


def test_a_failed_encoder_is_an_error_and_leaves_nothing(run, tmp_path, monkeypatch):
    monkeypatch.setattr(encode, "ENCODER", ("-preset", "no such preset"))
    with pytest.raises(StorageError, match="ffmpeg ended with"):
        sp.view.film(run, tmp_path / "run.mp4", fps=10, size=SMALL)
    assert list(tmp_path.iterdir()) == []


def test_sizes_by_name():
    assert encode.frame_size("1080p") == (1920, 1080) and encode.frame_size("720p") == (1280, 720)
    with pytest.raises(InputError, match="1080p"):
        encode.frame_size("4k")


def test_colours_survive_the_film(tmp_path):
    """Plain colours come back from the encoded film to a few of 255."""

    class Plain:
        times = np.arange(3.0)

        def picture(self, k):
            return Sheet((64, 64), (style.SKIN, style.ORANGE, style.FORCE)[k]).pixels

    _, frames = frames_of(encode.write_film(tmp_path / "plain.mp4", 10, (64, 64), 1.0, lambda fps, size: Plain()))
    for frame, colour in zip(frames, (style.SKIN, style.ORANGE, style.FORCE), strict=True):
        wanted = [int(colour[k : k + 2], 16) for k in (1, 3, 5)]
        assert np.abs(frame.reshape(-1, 3).mean(axis=0) - wanted).max() < 5.0


def test_plots_of_chosen_variables(run):
    usual = sp.view.plot(run)
    assert [ax.get_ylabel() for ax in usual.axes][:3] == ["distance [m]", "joint torque [N m]", "slip per link [mm]"]
    chosen = sp.view.plot(run, "com", "joint_angle")
    assert [ax.get_ylabel() for ax in chosen.axes] == ["com [m]", "joint angle [rad]"]
    assert chosen.axes[0].lines[1].get_ydata() == pytest.approx(run["com"][:, 1])
    with pytest.raises(InputError, match="did you mean joint_torque"):
        sp.view.plot(run, "joint_torques")


def test_import_of_view_is_light():
    heavy = ("matplotlib", "imageio_ffmpeg", "numba")
    code = f"import sys, serpenoid.view; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def _write(run: Trajectory, path: Path) -> None:
    if path.suffix == ".png":
        sp.view.figure(run, path)
    else:
        sp.view.film(run, path, fps=5, size=SMALL)
