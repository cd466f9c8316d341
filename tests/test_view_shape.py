"""Pictures of shapes: the faces are where the theory puts them, scales are equal, files are whole, wrong input is refused."""

from __future__ import annotations

import imageio_ffmpeg
import numpy as np
import pytest
from PIL import Image

from serpenoid import shapes
from serpenoid.core.errors import InputError
from serpenoid.view import shape as view
from serpenoid.view import style
from serpenoid.view.rolling import RollingStage, rolled, rolling_film, tube

INKED = 0.02  # share of a picture's pixels that must differ from white
RED = np.array([0xD5, 0x5E, 0x00]) / 255.0


@pytest.fixture(scope="module")
def helix() -> shapes.Curve:
    return shapes.to_bellows(shapes.frenet(2.1, 0.8, 3.0)).trace(150)


def inked(path) -> float:
    picture = np.asarray(Image.open(path).convert("RGB"), dtype=int)
    return float(np.mean(np.abs(picture - 255).sum(axis=2) > 30))


def panel(curve, **options):
    fig = style.canvas(6.0, 4.0, dpi=60)
    ax = fig.add_axes((0.05, 0.05, 0.9, 0.9), projection="3d")
    made = view.dorsal_panel(ax, curve, **options)
    return fig, ax, made


@pytest.mark.parametrize("name", sorted(shapes.NAMED))
def test_figure_of_every_named_shape(tmp_path, name: str) -> None:
    path = view.shape_figure(shapes.named(name).trace(200), tmp_path / f"{name}.png", note="a note")
    assert inked(path) > INKED
    assert Image.open(path).size == (1500, 1560)
    assert [p.name for p in tmp_path.iterdir()] == [path.name]


def test_robot_over_the_curve(tmp_path, helix) -> None:
    nodes = helix.at(np.linspace(0.0, 3.0, 8)).position
    with_robot = view.shape_figure(helix, tmp_path / "robot.png", nodes=nodes, title="fitted")
    without = view.shape_figure(helix, tmp_path / "plain.png")
    assert inked(with_robot) > INKED
    assert not np.array_equal(np.asarray(Image.open(with_robot)), np.asarray(Image.open(without)))
    for bad in (np.zeros((5, 2)), np.zeros((1, 3)), np.zeros(3)):
        with pytest.raises(InputError, match="nodes"):
            view.shape_figure(helix, tmp_path / "bad.png", nodes=bad)
    assert not (tmp_path / "bad.png").exists()


def test_tube_lies_round_the_backbone_and_its_line_on_the_back(helix) -> None:
    radius = 0.05
    place, frame = view.resampled(helix, 120)
    exact = helix.at(np.linspace(0.0, 3.0, 120))
    assert np.abs(place - exact.position).max() < 1e-6
    assert np.abs(frame - exact.frame).max() < 1e-4
    faces = view._body(place, frame, radius, 1.0, False)
    from_backbone = np.linalg.norm(faces.corner[:, :, None] - place, axis=3).min(axis=2)
    assert from_backbone.max() == pytest.approx(radius, rel=0.01)
    # normals look outwards, and those of the dorsal line along eb
    middle = faces.corner.mean(axis=1)
    nearest = np.linalg.norm(middle[:, None] - place, axis=2).argmin(axis=1)
    out = middle - place[nearest]
    assert np.all(np.sum(out * faces.normal, axis=1) > 0.0)
    red = np.all(np.abs(faces.colour[:, :3] - RED) < 1e-9, axis=1)
    inner = red & (nearest > 3) & (nearest < 116)
    assert inner.sum() > 100
    assert np.sum(faces.normal[inner] * frame[nearest[inner], :, 2], axis=1).min() > 0.95


def test_rods_are_closed_and_look_outwards() -> None:
    start, end = np.array([0.2, -0.1, 0.4]), np.array([0.9, 0.5, -0.3])
    faces = view.rod(start, end, 0.1, "#808080", pieces=5)
    out = faces.corner.mean(axis=1) - 0.5 * (start + end)
    assert np.all(np.sum(out * faces.normal, axis=1) > 0.0)
    one, two, three, four = np.swapaxes(faces.corner, 0, 1)
    area = 0.5 * np.linalg.norm(np.cross(three - one, four - two), axis=1)
    assert np.abs(faces.normal.T @ area).max() < 1e-12  # a closed surface


def test_scales_are_equal_and_the_body_fills_the_panel(helix) -> None:
    fig, ax, _ = panel(helix, axes=False, fin=False, fill=0.9)
    fig.canvas.draw()
    base = ax.transData.transform(view.proj_point(ax, np.zeros(3)))
    sight = view.best_sight(helix.position)
    for seen, direction in zip(np.eye(2), sight.axes[:2], strict=True):
        step = ax.transData.transform(view.proj_point(ax, 0.1 * direction)) - base
        assert step @ seen == pytest.approx(np.linalg.norm(step), rel=1e-6)
    scale = [np.linalg.norm(ax.transData.transform(view.proj_point(ax, 0.1 * d)) - base) for d in sight.axes[:2]]
    assert scale[0] == pytest.approx(scale[1], rel=1e-6)
    picture = np.asarray(fig.canvas.buffer_rgba())[..., :3].astype(int)
    rows, columns = np.nonzero(np.abs(picture - 255).sum(axis=2) > 6)
    share = np.ptp(columns) / (0.9 * picture.shape[1]), np.ptp(rows) / (0.9 * picture.shape[0])
    assert max(share) == pytest.approx(0.9, abs=0.03)
    assert abs(0.5 * (columns.min() + columns.max()) - 0.5 * picture.shape[1]) < 4.0  # in the middle


def test_hidden_back_is_not_drawn() -> None:
    """A straight body with its back away from the camera shows no red; towards it, much."""
    sight = view.Sight(20.0, -90.0)
    shares = []
    for angle in (0.5 * np.pi, -0.5 * np.pi):
        curve = shapes.roll(shapes.named("line"), angle).trace(20)
        fig, _, _ = panel(curve, fin=False, axes=False, sight=sight)
        fig.canvas.draw()
        picture = np.asarray(fig.canvas.buffer_rgba())[..., :3].astype(int)
        shares.append(float(np.mean((picture[..., 0] > 120) & (picture[..., 2] < 60))))
    assert min(shares) == 0.0
    assert max(shares) > 0.005


def test_flat_shapes_are_seen_from_above() -> None:
    assert view.best_sight(shapes.named("serpenoid").trace(100).position).elevation > 45.0
    assert view.best_sight(shapes.named("helix").trace(100).position).elevation < 45.0
    assert view.best_sight(shapes.named("line").trace(100).position).elevation < 45.0


@pytest.mark.parametrize("suffix", ["mp4", "gif"])
def test_film_turns(tmp_path, suffix: str) -> None:
    base = shapes.to_bellows(shapes.frenet(1.4, 0.5, 2.0))
    curves = [shapes.roll(base, x).trace(60) for x in np.linspace(0.0, 2.0, 4)]
    told: list[float] = []
    path = rolling_film(
        curves, tmp_path / f"roll.{suffix}", fps=10, size=(320, 240), progress=told.append, title="rolling"
    )
    assert told[-1] == 1.0 and len(told) == 4
    if suffix == "gif":
        film = Image.open(path)
        assert film.n_frames == 4 and film.size == (320, 240)
        return
    reader = imageio_ffmpeg.read_frames(str(path))
    assert next(reader)["size"] == (320, 240)
    pictures = [np.frombuffer(x, np.uint8).astype(int) for x in reader]
    assert len(pictures) == 4
    assert np.abs(pictures[0] - pictures[-1]).max() > 60


def test_film_of_a_shape_is_smooth_titled_and_tells_the_angle() -> None:
    """The angle told is that by which the shape was rolled; normals of neighbouring faces agree, so that no facet is seen."""
    base = shapes.to_bellows(shapes.frenet(1.4, 0.5, 2.0))
    angles = np.linspace(0.0, 2.0 * np.pi, 12, endpoint=False)
    curves = [shapes.roll(base, x).trace(60) for x in angles]
    assert rolled(curves) == pytest.approx(angles, abs=1e-9)
    place, frame = view.resampled(curves[0], 80)
    faces = tube(place, frame, 0.04)
    inner = faces.normal.reshape(-1, 40, 4, 3)[20:-20]
    assert np.linalg.norm(faces.normal, axis=-1) == pytest.approx(np.ones(faces.normal.shape[:2]), abs=1e-9)
    assert np.array_equal(inner[:, :-1, 3], inner[:, 1:, 0])  # one normal where two faces meet
    stage = RollingStage(curves, (640, 480), "")
    assert stage.title == f"{curves[0].shape.name}: lateral rolling"
    assert np.abs(stage.picture(0)[:60].astype(int) - stage.backdrop[:60]).max() > 100  # the title is there


def test_films_that_cannot_be(tmp_path, helix) -> None:
    for curves, path, options in (
        ([helix], "one.mp4", {}),
        ([helix] * 2, "two.avi", {}),
        ([helix] * 2, "two.mp4", {"fps": 0.0}),
        ([helix] * 2, "two.mp4", {"size": (8, 8)}),
    ):
        with pytest.raises(InputError):
            rolling_film(curves, tmp_path / path, **options)
    assert not list(tmp_path.iterdir())


def test_study_of_yamada(tmp_path) -> None:
    """What is known of the paper: four statements hold in part, all others hold."""
    from serpenoid.studies import find

    result = find("yamada2006").run(tmp_path, quick=True)
    verdicts = {c["id"]: c["verdict"] for c in result["claims"]}
    assert {key for key, x in verdicts.items() if x == "holds in part"} == {"ACM-2b", "ACM-6b", "ACM-6c", "ACM-8b"}
    assert set(verdicts.values()) == {"holds", "holds in part"}
    assert {key[:5] for key in verdicts} == {f"ACM-{k}" for k in range(1, 10)}
    assert (tmp_path / "rolling.mp4").stat().st_size > 5000
