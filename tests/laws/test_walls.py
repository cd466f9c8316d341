"""Upright walls: as the solid obstacles of the same place, by Hooke and Coulomb, without a loss of energy or a hole."""

from __future__ import annotations

import numpy as np
import pytest

import serpenoid as sp
import space_cases as cases
from serpenoid.contact import sums as tally
from serpenoid.spatial._old.walls import D_DEEPEST, D_FX, D_FY, D_PEAK, Walls, clearance, walls_of, walls_of_grid
from serpenoid.core.terrain import Box, Cylinder
from serpenoid.gaits import Sampled
from serpenoid.spatial._old import anchors as pins
from serpenoid.spatial._old.run import SpatialRun

G, MU = 9.81, 0.3
STIFF, DAMP = 2e4, 50.0  # as the ground
SAME = 1e-9  # m, N/N: two ways to compute one contact
ROBOT = sp.robots.rods(4, 0.8, 2.0, radius=0.03)
STILL = Sampled(np.linspace(0.0, 1.0, 4), np.tile([0.2, -0.3, 0.1], (4, 1)))


def slide(
    velocity: tuple[float, float],
    walls: Walls | None = None,
    obstacles: tuple = (),
    seconds: float = 0.6,
    **ground: float,
) -> SpatialRun:
    """A bent robot with servos slides into whatever stands there."""
    world = sp.World(
        sp.contact.Coulomb(MU, MU), ground=sp.Ground(stiffness=STIFF, damping=DAMP, **ground), obstacles=obstacles
    )
    steps = round(seconds / 5e-4)
    run = SpatialRun(
        ROBOT, STILL, None, world, sp.Start(velocity=velocity), mode="servo", duration=seconds, steps=steps, stride=10,
        servo=sp.control.Servo(40.0, 1.0), walls=walls,
    )  # fmt: skip
    assert run.advance(steps)
    return run


def test_a_post_is_the_cylinder_of_its_place() -> None:
    place = (0.37, 0.13)
    bar = slide((0.1, 1.0), obstacles=(Cylinder((*place, -1.0), 0.04, 3.0),))
    post = slide((0.1, 1.0), walls_of([[*place, 0.04]], stiffness=STIFF, damping=DAMP, friction=MU))
    free = slide((0.1, 1.0))
    assert np.abs(bar.rec.links[..., :2] - post.rec.links[..., :2]).max() < SAME
    assert np.abs(bar.rec.links[..., 9:11] - post.rec.links[..., 9:11]).max() < SAME * STIFF
    assert np.abs(bar.rec.links[-1, :, :2] - free.rec.links[-1, :, :2]).max() > 0.02  # it was hit
    assert post.surface.gates[:, D_PEAK].max() > 5.0


def test_a_side_is_the_face_of_a_box() -> None:
    y, turn = 0.12, 0.1
    way, left = np.array([np.cos(turn), np.sin(turn)]), np.array([np.sin(turn), -np.cos(turn)])
    middle = np.array([0.4, y])
    centre = middle - 0.5 * left
    box = slide((0.1, 1.0), obstacles=(Box((*centre, 0.0), (4.0, 1.0, 4.0), turn),), points=2)
    ends = np.concatenate([middle + 2.0 * way, middle - 2.0 * way])  # free space on the left: below
    side = slide((0.1, 1.0), walls_of(sides=[ends], stiffness=STIFF, damping=DAMP, friction=MU), points=2)
    assert np.abs(box.rec.links[..., :2] - side.rec.links[..., :2]).max() < SAME
    assert side.surface.gates[:, D_PEAK].max() > 5.0


def test_energy_balance_closes_with_walls() -> None:
    corner = walls_of([[0.37, 0.13, 0.0]], [[2.0, 0.2, -1.0, 0.15]], friction=MU)
    acc = slide((0.1, 1.0), corner).acc
    spent = (tally.FRICTION_LOSS, tally.GROUND_LOSS, tally.DAMPING_LOSS, tally.SCHEME_LOSS)
    gained = acc[tally.KINETIC] - acc[tally.KINETIC_START] + acc[tally.POTENTIAL] - acc[tally.POTENTIAL_START]
    assert acc[tally.NET_WORK] == pytest.approx(gained + sum(acc[k] for k in spent), abs=1e-9)
    assert acc[tally.FRICTION_LOSS] > 0.1 and acc[tally.GROUND_LOSS] > 0.01


def test_at_rest_a_wall_presses_by_its_stiffness_times_the_entry() -> None:
    """A straight rod without friction leans on a wall across a slope: m g tan(slope), level, at its two ends of each link."""
    robot, slope, stiff = sp.robots.rods(2, 0.4, 2.0, radius=0.02), 0.1, 3e4
    world = cases.level(sp.contact.Coulomb(0.0, 0.0), slope=slope, slope_direction=np.pi / 2)
    walls = walls_of(sides=[[-1.0, -0.021, 1.0, -0.021]], stiffness=stiff)
    straight = Sampled(np.linspace(0.0, 1.0, 4), np.zeros((4, 1)))
    run = SpatialRun(
        robot, straight, None, world, sp.Start(), mode="servo", duration=3.0, steps=3000, stride=50, servo=sp.control.Servo(60.0, 1.5), walls=walls,
    )  # fmt: skip
    assert run.advance(3000)
    force, lean = run.surface.gates[:, D_FY], robot.mass * G * np.tan(slope)
    assert force.sum() == pytest.approx(lean, rel=1e-5) and np.abs(run.surface.gates[:, D_FX]).max() < 1e-6
    entry = 0.02 - (run.rec.links[-1, :, 1] + 0.021)
    assert 4 * stiff * entry.mean() == pytest.approx(lean, rel=1e-5)
    assert run.surface.gates[:, D_DEEPEST].max() >= entry.max()


def drag(speed: float, walls: Walls | None, aside: float = 0.0) -> tuple[SpatialRun, np.ndarray]:
    """A straight robot is carried along x by a feeder, `aside` towards the wall; the feeder's force on the robot."""
    robot = sp.robots.rods(3, 0.6, 3.0, radius=0.03)
    straight = Sampled(np.linspace(0.0, 1.0, 4), np.zeros((4, 2)))
    table = pins.pin_table(np.array([0, 0, 2]), np.array([0.0, 0.2, 0.2]), robot.link_mass, 500.0)
    world = cases.level(sp.contact.Coulomb(0.05, 0.05), model="point", damping=200.0)
    run = SpatialRun(
        robot, straight, None, world, sp.Start(), mode="servo", duration=2.0, steps=2000, stride=20, servo=sp.control.Servo(400.0, 10.0),
        pins=table, walls=walls,
    )  # fmt: skip
    at = np.array([0.0, 0.2, 0.6])
    table[:, pins.P_ON], table[:, pins.P_Y], table[:, pins.P_VX] = 1.0, aside, speed
    table[:, pins.P_X] = at + speed * run.dt
    assert run.advance(2000)
    return run, table[:, pins.P_FX : pins.P_FY + 1].sum(axis=0)


def test_a_feeder_needs_the_friction_of_the_ground() -> None:
    _, force = drag(0.1, None)
    assert force == pytest.approx([0.05 * 3.0 * G, 0.0], rel=1e-4, abs=1e-6)


@pytest.mark.parametrize("mu", [0.0, 0.25])
def test_a_wall_rubs_with_its_own_coefficient(mu: float) -> None:
    """Pressed aside against a wall it needs mu_wall N more, and the wall's force has that slope."""
    walls = walls_of(sides=[[3.0, 0.03, -1.0, 0.03]], friction=mu, stiffness=1e4)
    run, force = drag(0.1, walls, aside=1e-3)
    along, press = run.surface.gates[:, D_FX].sum(), -run.surface.gates[:, D_FY].sum()
    assert press > 10.0 and force[1] == pytest.approx(press, rel=1e-2)
    assert along == pytest.approx(-mu * press, rel=1e-3, abs=1e-9)
    assert force[0] == pytest.approx(0.05 * 3.0 * G + mu * press, rel=1e-3)


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
    from serpenoid.contact import walls as w
    from serpenoid.spatial._old.spots import CX, LINK, NORMAL, NX, SPOT_COLUMNS, WALL
    from serpenoid.contact.touch import TOUCH_ROWS

    spots, touch, gates = np.zeros((3, SPOT_COLUMNS)), np.zeros((TOUCH_ROWS, 3)), w.gates_for(1)
    assert gates[0, w.D_NAME] == -1.0
    for a, (force, nx, name) in enumerate(((300.0, 1.0, 4), (500.0, -1.0, 7), (200.0, 1.0, 5))):
        spots[a, LINK], spots[a, NORMAL], spots[a, NX], spots[a, WALL], spots[a, CX] = 0, force, nx, 1.0 + name, 0.1 * a
    w.keep_gates(gates, spots, touch, 3, 10.0, 0.0)
    assert gates[0, w.D_FX] == 0.0 and gates[0, w.D_PRESS] == 1000.0 == gates[0, w.D_PEAK]
    assert gates[0, w.D_NAME] == 7.0 and gates[0, w.D_X] == pytest.approx(10.1)
