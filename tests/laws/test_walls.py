"""Upright walls: as the solid obstacles of the same place, by Hooke and Coulomb, without a loss of energy or a hole."""

from __future__ import annotations

import numpy as np
import pytest

import serpenoid as sp
from serpenoid.contact import sums
from serpenoid.contact.spots import CX, LINK, NORMAL, NX, WALL, spot_tables
from serpenoid.contact.walls import clearance, walls_around, walls_of, walls_of_grid
from serpenoid.core.actuator import Servo
from serpenoid.core.obstacles import Anchor, Disc, Grid, Obstacle, Polygon, Surface, Wall
from serpenoid.core.terrain import Box, Cylinder, Ground
from serpenoid.spatial.contacts import wall_loads
from serpenoid.spatial.engine import SpatialEngine
from serpenoid.spatial.layout import LOAD_ROWS, WALL_FORCE, WALL_NAME, WALL_PEAK, WALL_POINT, WALL_PRESS

G, MU = 9.81, 0.3
STIFF, DAMP = 2e4, 50.0  # as the ground
SAME = 1e-9  # m, N/N: two ways to compute one contact
ROBOT = sp.robots.rods(4, 0.8, 2.0, radius=0.03)
STILL = np.array([0.2, -0.3, 0.1])


def slide(velocity: tuple[float, float], *obstacles: Obstacle, seconds: float = 0.6, **ground: float) -> SpatialEngine:
    """A bent robot with servos slides into whatever stands there."""
    world = sp.World(
        friction=sp.contact.Coulomb(MU, MU), ground=Ground(stiffness=STIFF, damping=DAMP, **ground), obstacles=obstacles,
        surface=Surface(stiffness=STIFF, damping=DAMP, friction=MU),
    )  # fmt: skip
    robot, none = ROBOT.but(servo=Servo(stiffness=40.0, damping=1.0)), np.zeros(3)
    engine = SpatialEngine(robot, world, sp.Start(velocity=velocity), step=5e-4, stride=10, ideal=False, first=STILL)
    engine.track(0.0, seconds, [STILL, none, STILL, none])
    assert engine.advance(round(seconds / 5e-4))
    return engine


def places(engine: SpatialEngine) -> np.ndarray:
    return engine.variables()["node"].data[..., :2]


def test_a_post_is_the_cylinder_of_its_place() -> None:
    place = (0.37, 0.13)
    bar = slide((0.1, 1.0), Cylinder(base=(*place, -1.0), radius=0.04, length=3.0))
    post = slide((0.1, 1.0), Disc(centre=place, radius=0.04))
    free = slide((0.1, 1.0))
    assert np.abs(places(bar) - places(post)).max() < SAME
    force = [e.variables()["contact_force"].data[..., :2] for e in (bar, post)]
    assert np.abs(force[0] - force[1]).max() < SAME * STIFF
    assert np.abs(places(bar)[-1] - places(free)[-1]).max() > 0.02  # it was hit
    assert post.peaks()["wall_force"].max() > 5.0
    wall = post.variables()
    pressed = np.abs(wall["wall_force"].data).max(axis=-1) > 1e-9
    assert (
        pressed.any()
        and np.isfinite(wall["wall_point"].data[pressed]).all()
        and np.isnan(wall["wall_point"].data[~pressed]).all()
    )
    gap = np.hypot(*np.moveaxis(wall["wall_point"].data[pressed][:, :2] - place, -1, 0))
    assert (
        np.all(gap < 0.04) and 0.04 - gap.min() <= post.peaks()["wall_depth"].max() + SAME
    )  # the link's surface, pressed in


def test_a_side_is_the_face_of_a_box() -> None:
    turn, half = 0.1, np.array([[-2.0, -0.5], [2.0, -0.5], [2.0, 0.5], [-2.0, 0.5]])
    way, left = np.array([np.cos(turn), np.sin(turn)]), np.array([np.sin(turn), -np.cos(turn)])
    centre = np.array([0.4, 0.12]) - 0.5 * left
    box = slide((0.1, 1.0), Box(centre=(*centre, 0.0), size=(4.0, 1.0, 4.0), yaw=turn), points=2)
    corners = centre + half[:, :1] * way - half[:, 1:] * left
    block = slide((0.1, 1.0), Polygon(points=tuple(map(tuple, corners.tolist()))), points=2)
    bar = slide(
        (0.1, 1.0), Wall(start=tuple(centre - 2.0 * way), end=tuple(centre + 2.0 * way), thickness=1.0), points=2
    )
    assert np.abs(places(box) - places(block)).max() < SAME and np.abs(places(box) - places(bar)).max() < SAME
    assert block.peaks()["wall_force"].max() > 5.0


def test_energy_balance_closes_with_walls() -> None:
    corner = Polygon(points=((0.37, 0.13), (0.6, 0.6), (0.1, 0.6)))
    acc = slide((0.1, 1.0), corner, Wall(start=(-1.0, 0.2), end=(2.0, 0.25))).sums
    spent = (sums.FRICTION_LOSS, sums.GROUND_LOSS, sums.DAMPING_LOSS, sums.SCHEME_LOSS, sums.STOP_LOSS)
    gained = acc[sums.KINETIC] - acc[sums.KINETIC_START] + acc[sums.POTENTIAL] - acc[sums.POTENTIAL_START]
    assert acc[sums.NET_WORK] == pytest.approx(gained + sum(acc[k] for k in spent), abs=1e-9)
    assert acc[sums.FRICTION_LOSS] > 0.1 and acc[sums.GROUND_LOSS] > 0.01


def test_at_rest_a_wall_presses_by_its_stiffness_times_the_entry() -> None:
    """A straight rod without friction leans on a wall across a slope: m g tan(slope), level, at its two ends of each link."""
    slope, stiff = 0.1, 3e4
    robot = sp.robots.rods(2, 0.4, 2.0, radius=0.02).but(servo=Servo(stiffness=60.0, damping=1.5))
    world = sp.World(
        friction=sp.contact.Coulomb(0.0, 0.0), ground=Ground(slope=slope, slope_direction=np.pi / 2),
        obstacles=(Wall(start=(-1.0, -0.071), end=(1.0, -0.071), thickness=0.1),), surface=Surface(stiffness=stiff),
    )  # fmt: skip
    engine = SpatialEngine(robot, world, sp.Start(), step=1e-3, stride=50, ideal=False)
    engine.track(0.0, 3.0, [[0.0], [0.0], [0.0], [0.0]])
    assert engine.advance(3000)
    force, lean = engine.wall_forces(), robot.mass * G * np.tan(slope)
    assert force[:, 1].sum() == pytest.approx(lean, rel=1e-5) and np.abs(force[:, 0]).max() < 1e-6
    entry = 0.02 - (engine.nodes()[:-1, 1] + 0.021)
    assert 4 * stiff * entry.mean() == pytest.approx(lean, rel=1e-5)
    assert engine.peaks()["wall_depth"].max() >= entry.max()


def drag(speed: float, aside: float = 0.0, **surface: float) -> tuple[SpatialEngine, np.ndarray]:
    """A straight robot is carried along x by a feeder, `aside` towards a wall if there is one; the feeder's force on the robot."""
    robot = sp.robots.rods(3, 0.6, 3.0, radius=0.03).but(servo=Servo(stiffness=400.0, damping=10.0))
    walls = (Wall(start=(-1.0, 0.08), end=(3.0, 0.08), thickness=0.1),) if surface else ()
    anchors = tuple(Anchor(link=i, at=at, hold=500.0) for i, at in ((0, 0.0), (0, 0.2), (2, 0.2)))
    world = sp.World(
        friction=sp.contact.Coulomb(0.05, 0.05), obstacles=walls, anchors=anchors, surface=Surface(**surface)
    )
    engine = SpatialEngine(robot, world, sp.Start(), step=1e-3, stride=20, ideal=False)
    engine.track(0.0, 2.0, [np.zeros(2), np.zeros(2), np.zeros(2), np.zeros(2)])
    for k, at in enumerate((0.0, 0.2, 0.6)):
        engine.anchor(k, True, (at, aside), (speed, 0.0))
    assert engine.advance(2000)
    return engine, engine.anchor_forces().sum(axis=0)


def test_a_feeder_needs_the_friction_of_the_ground() -> None:
    _, force = drag(0.1)
    assert force[:2] == pytest.approx([0.05 * 3.0 * G, 0.0], rel=1e-4, abs=1e-6)


@pytest.mark.parametrize("mu", [0.0, 0.25])
def test_a_wall_rubs_with_its_own_coefficient(mu: float) -> None:
    """Pressed aside against a wall it needs mu_wall N more, and the wall's force has that slope."""
    engine, force = drag(0.1, aside=1e-3, friction=mu, stiffness=1e4)
    along, press = engine.wall_forces()[:, 0].sum(), -engine.wall_forces()[:, 1].sum()
    assert press > 10.0 and force[1] == pytest.approx(press, rel=1e-2)
    assert along == pytest.approx(-mu * press, rel=1e-3, abs=1e-9)
    assert force[0] == pytest.approx(0.05 * 3.0 * G + mu * press, rel=1e-3)


def test_obstacles_become_walls_and_keep_their_numbers() -> None:
    """A square by its corners either way round, as a bar and as the cell of a grid has the same sides and corners."""
    square = ((0.3, 0.1), (0.5, 0.1), (0.5, 0.3), (0.3, 0.3))
    cells = np.zeros((3, 3), bool)
    cells[1, 1] = True
    same = (
        Polygon(points=square), Polygon(points=square[::-1]), Wall(start=(0.3, 0.2), end=(0.5, 0.2), thickness=0.2),
        Grid(cells=cells, cell=0.2, origin=(0.2, 0.0)),
    )  # fmt: skip
    for obstacle in same:
        made = walls_around(
            (Disc(centre=(5.0, 5.0), radius=0.2), Box(centre=(9.0, 9.0, 0.0), size=(1.0, 1.0, 1.0)), obstacle)
        )
        assert made is not None
        own = made.posts[made.posts[:, 3] == 2.0], made.sides[made.sides[:, 6] == 2.0]
        assert sorted(map(tuple, np.round(own[0][:, :2], 12))) == sorted(square)
        assert len(own[1]) == 4 and len(made.posts) == 5
        outward = 0.5 * (own[1][:, :2] + own[1][:, 2:4]) - [0.4, 0.2]
        assert np.all(np.sum(outward * own[1][:, 4:6], axis=1) > 0.0)
    assert walls_around((Box(centre=(9.0, 9.0, 0.0), size=(1.0, 1.0, 1.0)),)) is None


def test_outline_of_a_random_grid() -> None:
    """Sides separate solid from free with the free space on the left, are as long as they can be, and lie where distances say."""
    rng = np.random.default_rng(3)
    mask, cell, origin = rng.random((14, 11)) < 0.35, 0.05, np.array([0.4, -0.2])
    mask[[0, -1]], mask[:, [0, -1]] = True, True
    walls = walls_of_grid(mask, cell, tuple(origin))
    faces = sum(int((np.diff(mask.astype(int), axis=axis) != 0).sum()) for axis in (0, 1))
    way = walls.sides[:, 2:4] - walls.sides[:, :2]
    assert np.abs(way).sum() == pytest.approx(faces * cell)

    def solid(points: np.ndarray) -> np.ndarray:
        i, j = np.rint((points - origin) / cell).astype(int).T
        return mask[i, j]

    for share in (0.01, 0.5, 0.99):
        points = walls.sides[:, :2] + share * way
        left = walls.sides[:, 4:6]
        assert not solid(points + 1e-4 * left).any() and solid(points - 1e-4 * left).all()
    for end, sign in ((walls.sides[:, :2], -1.0), (walls.sides[:, 2:4], 1.0)):  # a side does not go on beyond its end
        unit = way / np.hypot(*way.T)[:, None]
        beyond = end + sign * 1e-4 * unit
        assert np.all(solid(beyond + 1e-4 * left) | ~solid(beyond - 1e-4 * left))
    points = origin + cell * (rng.random((400, 2)) * (np.array(mask.shape) - 1.0))
    points = points[~solid(points)]
    squares = origin + cell * np.argwhere(mask)
    gap = np.maximum(np.abs(points[:, None] - squares) - 0.5 * cell, 0.0)
    assert clearance(walls, points) == pytest.approx(np.hypot(*np.moveaxis(gap, -1, 0)).min(axis=1), abs=1e-12)


def test_corners_are_posts_where_a_link_can_lean_on_them() -> None:
    mask = np.zeros((5, 5), bool)
    mask[2, 2] = mask[3, 3] = True  # two squares that meet in a corner
    corners = {tuple(c) for c in walls_of_grid(mask, 1.0).posts[:, :2]}
    assert corners == {(1.5, 1.5), (1.5, 2.5), (2.5, 1.5), (2.5, 2.5), (2.5, 3.5), (3.5, 2.5), (3.5, 3.5)}
    inner = ~mask
    inner[1:4, 1:4], inner[2, 2] = False, True
    assert len(walls_of_grid(inner, 1.0).posts) == 4  # of the pillar; the room's own corners are concave


@pytest.mark.parametrize("wrong", [np.zeros(4), np.zeros((0, 3))])
def test_refused(wrong: np.ndarray) -> None:
    with pytest.raises(sp.SerpenoidError, match="two dimensions"):
        walls_of_grid(wrong, 1.0)
    with pytest.raises(sp.SerpenoidError, match="cell"):
        walls_of_grid(np.ones((3, 3), bool), 0.0)


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"posts": [1, 2, 3, 4]}, "posts"), ({"posts": [["a", 1, 2]]}, "posts"), ({"posts": None}, "posts"),
        ({"posts": np.zeros((3, 2))}, "posts"), ({"sides": [[0, 0, np.nan, 1]]}, "sides"), ({"sides": [[-1e308, 0, 1e308, 0]]}, "sides"),
        ({"posts": [[0, 0, 1]], "names": ([0, 1], [])}, "names"), ({"posts": [[0, 0, 1]], "names": ([-1], [])}, "names"),
        ({"posts": [[0, 0, -1]]}, "radius"), ({"sides": [[0, 0, 0, 0]]}, "length"),
    ],
)  # fmt: skip
def test_bad_walls(given: dict, text: str) -> None:
    with pytest.raises(sp.SerpenoidError, match=text):
        walls_of(**given)


def test_a_pinch_presses_though_its_forces_cancel() -> None:
    """Place and name are the strongest spot's; the sizes add up, the vectors may cancel."""
    contacts, loads = spot_tables(3), np.zeros((LOAD_ROWS, 1))
    spots = contacts.spots
    for a, (force, nx, name) in enumerate(((300.0, 1.0, 4), (500.0, -1.0, 7), (200.0, 1.0, 5))):
        spots[LINK, a], spots[NORMAL, a], spots[NX, a], spots[WALL, a], spots[CX, a] = 0, force, nx, 1.0 + name, 0.1 * a
    wall_loads(loads, contacts, 3, (10.0, 0.0, 0.0))
    assert loads[WALL_FORCE, 0] == 0.0 and loads[WALL_PRESS, 0] == 1000.0 == loads[WALL_PEAK, 0]
    assert loads[WALL_NAME, 0] == 7.0 and loads[WALL_POINT, 0] == pytest.approx(10.1)
    wall_loads(loads, contacts, 0, (10.0, 0.0, 0.0))
    assert loads[WALL_NAME, 0] == -1.0 and loads[WALL_PRESS, 0] == 0.0 and loads[WALL_PEAK, 0] == 1000.0
