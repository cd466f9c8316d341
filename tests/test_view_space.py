"""Pictures of runs in space: what is seen where, what touches, what is drawn."""

from __future__ import annotations

import json

import numpy as np
import pytest

import serpenoid as sp
from serpenoid.contact import spots
from serpenoid.contact.field import field_distance
from serpenoid.core import Trajectory, World
from serpenoid.core.terrain import Box, Cylinder, Ground, Pipe
from serpenoid.view import decals, style
from serpenoid.view.boxes import box_faces
from serpenoid.view.camera import ASTRAY, FOCAL, Camera, azimuths, follow, sight, with_room
from serpenoid.view.film import stage_of
from serpenoid.view.ground import Land, distance_to, on_ground, stretches
from serpenoid.view.picture import Actor, Picture
from serpenoid.view.poses import Poses, poses
from serpenoid.view.scene import Scene, scene_of
from serpenoid.view.sheet import Sheet
from serpenoid.view.solids import STRIPE, Faces, ball, obstacle_faces, skin
from serpenoid.view.space_stage import SpaceStage
from serpenoid.view.tracks import compound, quarter_turns, touch_map, tracks
from test_view import SMALL
from view_cases import COULOMB, bumps, short, sidewinding

UP = np.array([0.0, 0.0, 1.0])
BAR, BOX = Cylinder((0.1, 0.2, -0.1), 0.2, 0.6, (0.3, 0.1, 1.0)), Box((0.1, -0.2, 0.3), (0.5, 0.3, 0.4), 0.7)
PIPE = Pipe((0.0, 0.1, 0.2), 0.5, (1.0, 0.4, 0.0))


@pytest.fixture(scope="module")
def run() -> Trajectory:
    return sidewinding()


@pytest.fixture(scope="module")
def scene(run) -> Scene:
    return scene_of(run)


def camera(azimuth: float = 0.7, elevation: float = 0.6, distance: float = 3.0, target=(0.2, -0.3, 0.1)) -> Camera:
    return Camera(np.array(target), sight(azimuth, elevation), distance)


def test_known_points_are_seen_where_they_must_be():
    cam = camera()
    right, up, towards = cam.axes
    assert np.cross(right, up) == pytest.approx(towards) and right[2] == 0.0 and up[2] > 0.0
    assert cam.see(cam.target) == pytest.approx([0.0, 0.0])
    assert cam.see(cam.target + 0.3 * right - 0.2 * up) == pytest.approx([0.3 * FOCAL / 3.0, -0.2 * FOCAL / 3.0])
    near = cam.see(cam.target + 0.3 * right + 1.5 * towards)
    assert near == pytest.approx([0.3 * FOCAL / 1.5, 0.0])  # at half the distance twice as large
    assert np.isnan(cam.see(cam.target + 3.5 * towards)).all()  # behind the camera
    ahead = np.array([np.cos(0.7), np.sin(0.7), 0.0])
    assert cam.see(cam.target + 0.5 * ahead)[1] > 0.0  # farther away on the ground is higher in the picture


def test_rays_through_the_corners_come_back_to_the_corners():
    cam, normal, point = camera(), Ground(slope=0.2, slope_direction=2.0).normal, np.array([0.1, 0.0, 0.0])
    corners = cam.corners(1.6, point, normal)
    assert (corners - point) @ normal == pytest.approx(np.zeros(4), abs=1e-12)
    assert cam.see(corners) == pytest.approx(0.51 * np.array([[-1.6, -1.0], [1.6, -1.0], [1.6, 1.0], [-1.6, 1.0]]))
    x, y = corners[:, 0], corners[:, 1]
    assert np.sum(x * np.roll(y, -1) - y * np.roll(x, -1)) > 0.0  # anticlockwise from above


def test_camera_keeps_the_body_inside_and_is_no_farther_than_needed(run):
    body, half = poses(run), (0.6, 0.35)
    look, way = azimuths(body, 50.0), body.com[-1] - body.com[0]
    assert np.cos(look[-1]) * way[0] + np.sin(look[-1]) * way[1] > 0.0  # from behind
    cameras = follow(body.node, look, body.length, 50.0, UP, half, 0.1)
    seen = np.stack([c.see(n) for c, n in zip(cameras, with_room(body.node, 0.1), strict=True)])
    assert (np.abs(seen) / half).max() == pytest.approx(1.0, abs=1e-9)
    away = [np.linalg.norm(c.target - n.mean(axis=0)) for c, n in zip(cameras, body.node, strict=True)]
    assert max(away) <= ASTRAY * body.length
    steps = np.linalg.norm(np.diff([c.axes[2] for c in cameras], axis=0), axis=1)
    assert steps.max() * 50.0 < 0.31  # rad/s: it turns slowly


def test_ground_and_obstacles_agree_with_the_engine():
    rng, field = np.random.default_rng(4), bumps()
    place = rng.uniform(-1.5, 2.5, (200, 3))
    for p in place:
        p[2] = Land(Ground(heights=field)).height(p)
        assert field_distance(field.heights, field.cell, *(p - (*field.origin, 0.0)), 1.0)[0] == pytest.approx(
            0.0, abs=1e-12
        )
    slope = Ground(slope=0.4, slope_direction=-1.0)
    assert Land(slope).gap(place) == pytest.approx(place @ slope.normal, abs=1e-12)
    world = World(COULOMB, ground=Ground(), obstacles=(BAR, BOX, PIPE))
    terrain = spots.terrain_of(sp.robots.sarrafan2012(), world, np.zeros((0, 7)))
    for p in rng.uniform(-0.8, 0.8, (200, 3)):
        assert distance_to(BOX, p) == pytest.approx(spots.box_gap(terrain.objects, 1, *p, 0.0)[0], abs=1e-12)
        assert distance_to(BAR, p) == pytest.approx(spots.bar_gap(terrain.objects, 0, *p, 0.0)[0], abs=1e-12)
        assert distance_to(PIPE, p) == pytest.approx(spots.pipe_gap(terrain.objects, 2, *p, 0.0)[0], abs=1e-12)


@pytest.mark.parametrize("ground", [Ground(), Ground(slope=0.35, slope_direction=0.8), Ground(heights=bumps())])
def test_shadows_lie_on_the_ground_along_the_light(ground):
    light = np.array([-0.4, 0.3, 0.9])
    land, place = Land(ground), np.random.default_rng(6).uniform(0.1, 0.5, (50, 3))
    laid = land.laid(place, light)
    assert land.height(laid) == pytest.approx(laid[:, 2], abs=1e-12)
    ray = place - laid
    across = np.cross(ray / np.linalg.norm(ray, axis=1, keepdims=True), light / np.linalg.norm(light))
    assert np.abs(across).max() < (1e-12 if ground.heights is None else 2e-3)  # three steps of Newton on a rough ground


def test_grid_lines_lie_inside_the_picture_at_whole_multiples():
    cam = camera(elevation=0.7)
    fine, bold = decals.grid_lines(Land(Ground()), cam, 1.7, 0.1)
    assert len(fine) > 20 and len(bold) > 4
    for line in np.concatenate([fine, bold]):
        assert np.abs(line[:, 0]).max() <= 0.51 * 1.7 + 1e-9 and np.abs(line[:, 1]).max() <= 0.51 + 1e-9
    a, b = cam.see(np.array([[0.5, -1.0, 0.0], [0.5, 1.0, 0.0]]))  # a bold line: five spacings from 0
    across = np.array([a[1] - b[1], b[0] - a[0]]) / np.linalg.norm(b - a)
    assert min(np.abs((line - a) @ across).max() for line in bold) < 1e-9


def test_contacts_are_as_many_as_counted_and_lie_under_their_links(run, scene):
    body, how = scene.body, (scene.radius, scene.land, scene.shares)
    assert np.array_equal(on_ground(body, *how).sum(axis=2), run["touching"])
    feet = stretches(body, *how)
    assert np.array_equal(np.isfinite(feet[:, :, 0, 0]), run["touching"] > 0)
    both = run["touching"] == 2
    assert feet[both][:, 0, :2] == pytest.approx(body.node[:, :-1][both][:, :2], abs=1e-12)
    assert feet[both][:, 1, :2] == pytest.approx(body.node[:, 1:][both][:, :2], abs=1e-12)
    assert np.abs(feet[both][..., 2]).max() == 0.0


def test_touch_map_adds_up_to_the_contacts(run):
    fig = style.canvas(6.0, 4.0)
    drawn = touch_map(fig.add_subplot(2, 1, 1), run, shade="contacts")
    assert np.array_equal(drawn.sum(axis=0), run["contact_count"])
    ax = fig.add_subplot(2, 1, 2)
    assert np.array_equal(touch_map(ax, run), run["normal_force"].T)
    assert "[s]" in ax.get_xlabel() and "link" in ax.get_ylabel()
    image = ax.images[0]
    assert np.array_equal(~np.ma.getmaskarray(image.get_array()), run["touching"].T > 0)  # white where nothing touches


def test_tracks_keep_equal_scales_and_true_places(run):
    for turn in (0, 1, 3):
        ax = style.canvas(8.0, 4.0).add_subplot()
        tracks(ax, run, bodies=3, turn=turn)
        panel, x, y = ax.get_window_extent(), ax.get_xlim(), ax.get_ylim()
        assert panel.width / (x[1] - x[0]) == pytest.approx(panel.height / (y[1] - y[0]), rel=1e-9)
        heads = [line.get_xydata()[0] for line in ax.lines if line.get_marker() == "o" and line.get_markersize() > 6]
        hx, hy, _ = run["node"][-1, -1]
        assert heads[-1] == pytest.approx({0: (hx, hy), 1: (-hy, hx), 3: (hy, -hx)}[turn])
        assert ax.get_xlabel() == ("x [m]" if turn == 0 else "y [m]")
        turned = {1: ax.xaxis, 3: ax.yaxis}.get(turn)
        if turned is not None:  # a turned map still names true coordinates
            assert turned.get_major_formatter()(0.25, None) == "\u22120.25"
    assert quarter_turns(run) in (0, 1)


def test_overlapping_bands_are_filled_once():
    from matplotlib.patches import PathPatch

    fig = style.canvas(2.0, 2.0, 100)
    ax = fig.add_axes((0.0, 0.0, 1.0, 1.0))
    ax.axis((0.0, 1.0, 0.0, 1.0))
    ax.axis("off")
    start, end = np.array([[0.2, 0.5, 0.0], [0.5, 0.2, 0.0]]), np.array([[0.8, 0.5, 0.0], [0.5, 0.8, 0.0]])
    loops = decals.bands(start, end, 0.1, Land(Ground()))
    x, y = loops[..., 0], loops[..., 1]
    area = 0.5 * np.sum(x * np.roll(y, -1, axis=1) - y * np.roll(x, -1, axis=1))
    assert area == pytest.approx(2 * (0.6 * 0.2 + np.pi * 0.01), rel=0.03)  # anticlockwise, so positive
    ax.add_patch(PathPatch(compound(loops[..., :2]), fc="black", ec="none", alpha=0.5))
    fig.canvas.draw()
    pixels = np.asarray(fig.canvas.buffer_rgba())[..., 0]
    assert pixels[100, 100] == pixels[100, 50] == pixels[50, 100] != pixels[10, 10]


def test_stripe_is_where_the_back_is(run):
    body, k = poses(run), 90
    made = skin(np.full(6, 0.2), np.full(6, 0.015), style.SKIN, style.SKIN_DARK)
    placed = made.placed(body.node[k], body.axis[k], body.back[k])
    stripe = style.rgba(style.mixed(style.SKIN, style.STRIPE, 0.86))
    marked = np.abs(placed.colour - stripe).max(axis=1) < 1e-9
    for i in range(6):
        here = marked & (made.link == i)
        middle = placed.corner[here].mean(axis=1) - body.node[k, i]
        out = middle - (middle @ body.axis[k, i])[:, None] * body.axis[k, i]
        cosine = out @ body.back[k, i] / np.linalg.norm(out, axis=1)
        assert here.sum() >= 4 and cosine.min() > np.cos(STRIPE)
        assert np.linalg.norm(out, axis=1).max() < 0.0151  # on the surface, not beyond


@pytest.mark.parametrize("rolled", [0.0, np.pi])
def test_stripe_is_seen_from_above_only_when_the_back_is_up(rolled):
    node = np.array([[[0.0, 0.0, 0.05], [0.3, 0.0, 0.05], [0.6, 0.0, 0.05]]])
    axis = np.broadcast_to([1.0, 0.0, 0.0], (1, 2, 3))
    back = np.broadcast_to([0.0, -np.sin(rolled), np.cos(rolled)], (1, 2, 3))
    body = Poses(np.zeros(1), node, axis, back, node.mean(axis=1), node[:, :-1], np.zeros((1, 2, 3)), np.zeros((1, 2)))
    radius, sheet = np.full(2, 0.05), Sheet((400, 400))
    cam = Camera(np.array([0.3, 0.0, 0.05]), sight(0.5, np.radians(80.0)), 2.0)
    actor = Actor(body, body, radius, radius, np.array([0.0, 1.0]))
    picture = Picture([actor], Land(Ground()), [cam], (400, 400), forces=False)
    picture.draw(sheet, 0)
    x, y = picture.flat(cam.see(np.array([0.15, 0.0, 0.1])))  # top of the tail link
    red, green, _ = sheet.pixels[round(y), round(x), :3].astype(int)
    assert (red > 0.9 * green and red > 170) if rolled == 0.0 else red < 0.6 * green


def drawn(faces: Faces, cam: Camera, **options) -> np.ndarray:
    """Pixels of faces on white."""
    sheet = Sheet((200, 200), "#ffffff")
    sheet.faces(faces, cam, UP, **options)
    sheet.resolve()
    return sheet.pixels[..., :3].astype(int)


def test_near_faces_hide_far_ones_in_any_order():
    cam = camera()
    near, far = (ball(cam.target + x * cam.axes[2], 0.1, c) for x, c in ((0.5, "#0000ff"), (-0.5, "#ff0000")))
    pictures = [drawn(Faces.joined(list(pair)), cam) for pair in ((near, far), (far, near))]
    assert np.array_equal(*pictures)
    middle = pictures[0][100, 100]
    assert middle[2] > middle[0] + 50  # the blue one in front
    assert np.abs(drawn(Faces.joined([far]), cam)[100, 100] - middle).max() > 50


def test_ball_is_seen_as_a_disc_of_its_size():
    """Perspective: the outline of a ball at distance d has the radius f r / sqrt(d^2 - r^2)."""
    cam = camera()
    pixels = drawn(ball(cam.target, 0.2, "#000000", steps=40), cam)
    cover = (255 - pixels[..., 1]).astype(float)
    whole = cover[100, 100]
    seen = 200.0 * FOCAL * 0.2 / np.sqrt(3.0**2 - 0.2**2)
    rows, columns = np.nonzero(cover > 0.5 * whole)
    assert 0.5 * (np.ptp(rows) + 1.0) == pytest.approx(seen, abs=1.0) == 0.5 * (np.ptp(columns) + 1.0)
    assert rows.mean() == pytest.approx(99.5, abs=0.5) and columns.mean() == pytest.approx(99.5, abs=0.5)
    assert cover[0].max() == 0.0  # white stays white


@pytest.mark.parametrize("obstacle", [BAR, BOX, PIPE])
def test_faces_of_obstacles_lie_on_their_surface_and_look_outwards(obstacle):
    about = np.array([2.0, 0.0, 0.0])
    faces = box_faces(obstacle, 0.1, 0.004) if obstacle is BOX else obstacle_faces(obstacle, 0.1, about, 1.0)
    assert np.abs(distance_to(obstacle, faces.corner)).max() < 1e-12
    assert (distance_to(obstacle, faces.corner.mean(axis=1) + 0.03 * faces.normal.mean(axis=1)) > 0.0).all()


def test_body_and_shadow_stay_in_the_picture(scene):
    made = stage_of(scene, 10, SMALL)
    assert isinstance(made, SpaceStage)
    land, light = scene.land, made.space.light
    for k in range(0, len(made.times), 5):
        cam, node = made.space.cameras[k], made.shown.node[k]
        for points in (node, land.laid(node, light)):
            seen = np.abs(cam.see(with_room(points[None], 2.0 * scene.drawn.max())[0]))
            assert seen[:, 0].max() < 0.5 * made.space.aspect and seen[:, 1].max() < 0.5
    # the shadow of a body above the ground lies below it, not on it
    lifted = made.shown.node[-1].copy()
    lifted[:, 2] += 0.2
    cam = made.space.cameras[-1]
    assert cam.see(land.laid(lifted, light))[:, 1].mean() < cam.see(lifted)[:, 1].mean()


def test_poses_between_frames_are_linear_with_unit_directions(run):
    body, t = poses(run), run["time"]
    middle = body.at(np.array([0.25 * t[70] + 0.75 * t[71]]))
    assert middle.node[0] == pytest.approx(0.25 * body.node[70] + 0.75 * body.node[71], abs=1e-12)
    assert np.linalg.norm(middle.back, axis=-1) == pytest.approx(np.ones((1, 6)), abs=1e-12)
    assert body.roll == pytest.approx(run["roll"], abs=1e-12)


def test_scene_in_space_is_plain_data():
    world = (Cylinder((0.5, 0.3, 0.0), 0.05, 0.4), Box((0.5, -0.4, 0.1), (0.3, 0.2, 0.2), 0.3))
    scene = scene_of(short(Ground(heights=bumps()), world))
    data = json.loads(json.dumps(scene.data(np.array([0.1]))))
    assert data["kind"] == "space" and [o["kind"] for o in data["obstacles"]] == ["cylinder", "box"]
    assert data["obstacles"][1]["yaw"] == pytest.approx(0.3) and np.shape(data["ground"]["heights"]) == (30, 30)
    assert data["radius"] == [0.02] * 6 and np.shape(data["link_back"]) == (1, 6, 3)
