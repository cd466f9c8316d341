"""Ground and obstacles: gaps against brute force, normals as gradients, weight carried at rest, laws of rolling and sliding, no way through."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy.spatial import cKDTree

import serpenoid as sp
from cases import PROVE
from serpenoid.contact import patch_table
from serpenoid.contact.spots import (
    CX,
    G_BOX,
    G_PIPE,
    GAP,
    NX,
    SPOT_ROWS,
    SX,
    TX,
    Terrain,
    bar_gap,
    bar_place,
    box_gap,
    keep,
    pipe_gap,
    plane_gap,
    terrain_of,
)
from serpenoid.core.actuator import Servo
from serpenoid.core.terrain import Box, Cylinder, Ground, HeightField, Pipe

POINTS = 4000 if PROVE else 400
FINE = 2e-3  # m: spacing of the points by which surfaces are drawn
STRAIGHT = sp.gaits.CompoundSerpenoid()
BENT = sp.gaits.CompoundSerpenoid(yaw_offset=0.1, ramp=0.0)  # an arc: it lies flat and does not roll away
ROBOT = sp.robots.alternating(10, 1.0, 2.0, radius=0.03)
G = 9.81

BOX, BAR = Box((0.3, -0.2, 0.1), (0.3, 0.16, 0.24), 0.7), Cylinder((0.1, 0.2, -0.1), 0.07, 0.3, (0.3, -0.5, 0.8))
PIPE = Pipe((0.2, -0.1, 0.3), 0.25, (0.9, 0.3, -0.2))
SLOPE = Ground(slope=0.3, slope_direction=1.1)


def terrain(*obstacles: sp.core.Obstacle, ground: Ground | None = None) -> Terrain:
    world = sp.World(sp.contact.Coulomb(0.6, 0.6), ground=ground or Ground(), obstacles=obstacles)
    return terrain_of(ROBOT, world, patch_table(world))


def surfaces() -> dict[str, Callable]:
    """Gap and normal of a point, for every kind of surface."""
    slope = terrain(ground=SLOPE)
    boxes, bars, pipes = (terrain(thing).objects for thing in (BOX, BAR, PIPE))
    return {
        "plane": lambda p, r: plane_gap(slope.ground, *p, r),
        "box": lambda p, r: box_gap(boxes, 0, *p, r),
        "bar": lambda p, r: bar_gap(bars, 0, *p, r),
        "pipe": lambda p, r: pipe_gap(pipes, 0, *p, r),
    }


def frame(axis: tuple[float, ...]) -> tuple[np.ndarray, ...]:
    a = np.array(axis)
    u = np.cross(a, [0.3, 0.5, -0.7])
    u /= np.linalg.norm(u)
    return a, u, np.cross(a, u)


def drawn(name: str) -> np.ndarray:
    """Points that cover a surface."""
    if name == "box":
        half = 0.5 * np.array(BOX.size)
        faces = []
        for k in range(3):
            i, j = (k + 1) % 3, (k + 2) % 3
            grid = np.meshgrid(*(np.arange(-half[e], half[e] + FINE, FINE) for e in (i, j)))
            for side in (-1.0, 1.0):
                face = np.zeros((grid[0].size, 3))
                face[:, i], face[:, j], face[:, k] = grid[0].ravel(), grid[1].ravel(), side * half[k]
                faces.append(np.clip(face, -half, half))
        c, s = np.cos(BOX.yaw), np.sin(BOX.yaw)
        return np.concatenate(faces) @ np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]]) + BOX.centre
    solid = BAR if name == "bar" else PIPE
    a, u, v = frame(solid.axis)
    angle = np.arange(0.0, 2 * np.pi, FINE / solid.radius)
    ring = np.cos(angle)[:, None] * u + np.sin(angle)[:, None] * v
    if name == "pipe":
        along = np.arange(-1.0, 1.0, FINE)
        return (solid.radius * ring[:, None] + along[:, None] * a).reshape(-1, 3) + PIPE.point
    along = np.arange(0.0, BAR.length, FINE)
    side = (BAR.radius * ring[:, None] + along[:, None] * a).reshape(-1, 3)
    disc = (np.arange(0.0, BAR.radius, FINE)[:, None, None] * ring).reshape(-1, 3)
    return np.concatenate([side, disc, disc + BAR.length * a]) + BAR.base


def places(name: str, rng: np.random.Generator) -> np.ndarray:
    """Random points round a surface, inside and outside."""
    if name == "pipe":
        return np.array(PIPE.point) + rng.uniform(-0.35, 0.35, (POINTS, 3))
    middle = {"box": BOX.centre, "bar": np.array(BAR.base) + 0.5 * BAR.length * np.array(BAR.axis)}
    return np.asarray(middle.get(name, (0.1, 0.48, 0.05))) + rng.uniform(-0.3, 0.3, (POINTS, 3))


@pytest.mark.parametrize("name", ["box", "bar", "pipe"])
def test_gap_is_the_distance_from_the_surface_drawn_by_points(name: str) -> None:
    rng, gap_of = np.random.default_rng(1), surfaces()[name]
    points = places(name, rng)
    brute = cKDTree(drawn(name)).query(points)[0]
    gaps = np.array([gap_of(p, 0.0)[0] for p in points])
    assert np.abs(np.abs(gaps) - brute).max() < FINE
    assert 0.02 < (gaps < 0.0).mean() < 0.98  # both sides were tried
    radius = 0.013
    assert np.allclose([gap_of(p, radius)[0] for p in points], gaps - radius, atol=1e-15)


def test_sides_of_the_surfaces() -> None:
    """Negative inside boxes and bars, outside pipes, below the ground."""
    gap = surfaces()
    assert gap["box"](BOX.centre, 0.0)[0] == pytest.approx(-0.08)  # to the nearest face
    assert gap["bar"](np.array(BAR.base) + 0.15 * np.array(BAR.axis) + 1e-6, 0.0)[0] == pytest.approx(-0.07, abs=1e-5)
    assert gap["pipe"](np.array(PIPE.point) + 1e-6, 0.0)[0] == pytest.approx(0.25, abs=1e-5)
    assert gap["plane"]((0.0, 0.0, -0.1), 0.0)[0] == pytest.approx(-0.1 * np.cos(0.3))
    assert gap["plane"](np.array([np.cos(1.1), np.sin(1.1), np.tan(0.3)]), 0.02)[0] == pytest.approx(-0.02)


@pytest.mark.parametrize("name", list(surfaces()))
def test_normal_is_the_gradient_of_the_gap(name: str) -> None:
    """Of unit length too; where two faces are as near, the gap has no gradient and is left out."""
    rng, gap_of, h = np.random.default_rng(2), surfaces()[name], 1e-6
    seen = 0
    for p in places(name, rng):
        near = [[gap_of(p + s * e, 0.0)[0] for s in (-h, 0.0, h)] for e in np.eye(3)]
        if max(abs(a - 2 * b + c) for a, b, c in near) > 1e-9:
            continue
        seen += 1
        gradient = [(c - a) / (2 * h) for a, _, c in near]
        assert gap_of(p, 0.0)[1:] == pytest.approx(gradient, abs=1e-5)
    assert seen > 0.8 * POINTS


def test_link_touches_a_bar_where_it_is_closest() -> None:
    """Links alongside the bar, within its length: crossing, askew and parallel."""
    rng, bars = np.random.default_rng(6), terrain(BAR).objects
    a, u, v = frame(BAR.axis)
    for k in range(POINTS):
        height, angle = rng.uniform(0.1, 0.2), rng.uniform(0.0, 2 * np.pi)
        start = np.array(BAR.base) + height * a + rng.uniform(0.1, 0.2) * (np.cos(angle) * u + np.sin(angle) * v)
        direction = rng.normal(size=3) if k else a
        direction /= np.linalg.norm(direction)
        x = np.linspace(0.0, 0.09, 901)
        gaps = [bar_gap(bars, 0, *(start + d * direction), 0.02)[0] for d in x[:: 1 if k < 20 else 10]]
        at = bar_place(bars, 0, *start, *direction, 0.09)
        assert 0.0 <= at <= 0.09
        if min(gaps) > -0.02:  # the link's axis is outside
            assert bar_gap(bars, 0, *(start + at * direction), 0.02)[0] < min(gaps) + 1e-6


def test_link_beside_the_end_of_a_bar_touches_where_it_is_closest() -> None:
    rng, bars = np.random.default_rng(8), terrain(BAR).objects
    top = np.array(BAR.base) + BAR.length * np.array(BAR.axis)
    for _ in range(POINTS):
        start, direction = top + rng.uniform(-0.12, 0.12, 3), rng.normal(size=3)
        direction /= np.linalg.norm(direction)
        gaps = [bar_gap(bars, 0, *(start + d * direction), 0.0)[0] for d in np.linspace(0.0, 0.09, 91)]
        at = bar_place(bars, 0, *start, *direction, 0.09)
        if min(gaps) > 0.0:  # the link's axis is outside
            assert bar_gap(bars, 0, *(start + at * direction), 0.0)[0] < min(gaps) + 1e-6


def test_link_flat_on_a_post_touches_in_its_middle() -> None:
    post = np.array([[0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.1, 0.2]]).T
    assert bar_place(post, 0, -0.05, 0.01, 0.12, 1.0, 0.0, 0.0, 0.1) == pytest.approx(0.05, abs=1e-6)


def test_spot_lies_on_the_surface_with_square_axes() -> None:
    rng, spots = np.random.default_rng(7), np.zeros((SPOT_ROWS, 1))
    for edge in (0.0, 0.4):
        for _ in range(50):
            n, e = (d / np.linalg.norm(d) for d in rng.normal(size=(2, 3)))
            p = rng.normal(size=3)
            assert keep(spots, 0, 3, 5, -1e-3, tuple(n), tuple(p), 0.02, tuple(e), (np.cos(edge), np.sin(edge)), 0.5)
            axes = spots[NX : NX + 3, 0], spots[TX : TX + 3, 0], spots[SX : SX + 3, 0]
            assert np.abs(np.stack(axes) @ np.stack(axes).T - np.eye(3)).max() < 1e-12
            assert np.linalg.det(np.stack(axes)) == pytest.approx(1.0)  # s = n x t
            assert spots[CX : CX + 3, 0] == pytest.approx(p - 0.02 * n) and spots[GAP, 0] == -1e-3
            laid = e - (e @ n) * n
            assert axes[1] @ laid / np.linalg.norm(laid) == pytest.approx(np.cos(edge))
    up = (0.0, 0.0, 1.0)
    assert not keep(spots, 0, 3, 5, -1e-3, up, tuple(p), 0.02, up, (1.0, 0.0), 0.5)  # an upright link


def hills() -> HeightField:
    x, y = np.meshgrid(np.arange(-10, 41) * 0.05, np.arange(-10, 31) * 0.05)
    return HeightField(0.02 * np.sin(4 * x) * np.cos(3 * y), 0.05, (-0.5, -0.5))


WALLS = (Box((0.5, 0.3, 0.25), (2.0, 0.1, 0.5)), Box((0.5, -0.3, 0.25), (2.0, 0.1, 0.5)))
RESTS = {
    "level": (Ground(), (), sp.Start(height=0.05, pitch=0.1), 0.03),
    "box": (Ground(), (Box((0.5, 0.0, 0.2), (2.0, 1.0, 0.4)),), sp.Start(height=0.45), 0.43),
    "walls": (Ground(), WALLS, sp.Start((0.0, -0.1), height=0.02, velocity=(0.0, 0.5)), 0.03),
    "pipe": (Ground(plane=False), (Pipe((0.0, 0.0, 0.3), 0.2),), sp.Start((0.0, 0.04), height=0.24), 0.1325),
    "hills": (Ground(heights=hills()), (), sp.Start((0.2, 0.3), height=0.02), 0.035),
}


@pytest.mark.parametrize("name", list(RESTS))
def test_dropped_robot_comes_to_rest_and_its_weight_is_carried(name: str) -> None:
    ground, obstacles, start, height = RESTS[name]
    world = sp.World(sp.contact.Coulomb(0.6, 0.6), ground=ground, obstacles=obstacles)
    run = sp.simulate(ROBOT.but(servo=Servo() if name == "hills" else None), BENT, world, 6.0, start=start)
    assert run.status.ok
    last = run["contact_force"][-1].sum(axis=0)
    assert last[2] == pytest.approx(ROBOT.mass * G, rel=1e-6)
    assert np.abs(last[:2]).max() < 1e-4
    assert run["kinetic_energy"][-1] < 1e-7
    assert run["com"][:, 2][-1] == pytest.approx(height, abs=1e-3)
    assert np.abs(run["com"][:, 2][-100:] - run["com"][:, 2][-1]).max() < 1e-5


def test_falls_freely_until_it_touches() -> None:
    world = sp.World(sp.contact.Coulomb(0.6, 0.6), ground=Ground())
    run = sp.simulate(ROBOT, BENT, world, 0.5, start=sp.Start(height=0.3))
    t, z = run["time"], run["com"][:, 2]
    air = t < np.sqrt(2 * 0.3 / G)
    assert np.abs(z[air] - z[0] + 0.5 * G * t[air] ** 2).max() < 1e-6
    assert np.all(run["contact_count"][1:][air[1:]] == 0.0) and run["contact_count"][-1] > 0.0


def test_slides_down_and_rolls_down_by_the_book() -> None:
    """Along the slope g (sin - mu cos); across it a straight round body rolls with 2/3 g sin, as a solid cylinder does."""
    angle, mu, t = 0.5, 0.2, 1.0
    for heading, friction, expected in (
        (0.0, mu, G * (np.sin(angle) - mu * np.cos(angle))),
        (np.pi / 2, 0.6, 2.0 / 3.0 * G * np.sin(angle)),
    ):
        world = sp.World(sp.contact.Coulomb(friction, friction), ground=Ground(slope=angle))
        run = sp.simulate(ROBOT, STRAIGHT, world, t, start=sp.Start(heading=heading))
        way = [run.metrics["com_dx"], run.metrics["com_dz"]]
        assert way == pytest.approx(-0.5 * expected * t**2 * np.array([np.cos(angle), np.sin(angle)]), rel=5e-3)
        assert abs(run.metrics["com_dy"]) < 1e-9


def test_bristles_hold_a_body_on_a_slope_for_ever() -> None:
    law = sp.contact.Bristle(
        0.5, 0.5, static_along=0.6, static_across=0.6, stick_length_along=1e-4, stick_length_across=1e-4
    )
    run = sp.simulate(ROBOT, BENT, sp.World(law, ground=Ground(slope=0.3)), 4.0)
    late = run["time"] > 1.0
    assert np.ptp(run["com"][late], axis=0).max() < 1e-6


@pytest.mark.parametrize("rolls", [False, True])
def test_swings_in_a_pipe_like_a_pendulum(rolls: bool) -> None:
    """T = 2 pi sqrt((R - r) / g) without friction; rolling, a solid cylinder has 3/2 of the inertia."""
    law = sp.contact.Coulomb(0.9, 0.9) if rolls else sp.contact.Frictionless()
    world = sp.World(law, ground=Ground(plane=False, stiffness=1e5), obstacles=(Pipe((0.0, 0.0, 0.0), 0.5),))
    arm, small = 0.47, 0.1
    start = sp.Start((0.0, arm * np.sin(small)), height=0.0)
    object.__setattr__(start, "height", -arm * np.cos(small))  # of the centre of gravity, where there is no plane
    run = sp.simulate(ROBOT, STRAIGHT, world, 6.0, start=start, record_interval=0.005)
    y, t = run["com"][:, 1], run["time"]
    crossing = [t[k] + y[k] / (y[k] - y[k + 1]) * (t[k + 1] - t[k]) for k in np.flatnonzero(y[1:] * y[:-1] < 0.0)]
    period = 2.0 * float(np.diff(crossing).mean())
    assert period == pytest.approx(2 * np.pi * np.sqrt((1.5 if rolls else 1.0) * arm / G), rel=0.01)


BLOCKS = {
    "wall": ((Box((0.5, 0.4, 0.25), (3.0, 0.1, 0.5)),), (0.0, 1.0)),
    "wall ahead": ((Box((1.3, 0.0, 0.25), (0.1, 1.0, 0.5)),), (1.0, 0.0)),
    "turned block": ((Box((1.4, 0.0, 0.25), (0.3, 0.3, 0.5), 0.5),), (1.0, 0.0)),
    "step": ((Box((1.5, 0.0, 0.05), (0.6, 1.0, 0.1)),), (1.0, 0.0)),
    "peg": ((Cylinder((0.6, 0.3, 0.0), 0.04, 0.3),), (0.0, 0.6)),
    "peg ahead": ((Cylinder((1.3, 0.01, 0.0), 0.04, 0.3),), (0.6, 0.0)),
    "pegs": ((Cylinder((0.3, 0.3, 0.0), 0.04, 0.3), Cylinder((0.8, 0.3, 0.0), 0.04, 0.3)), (0.0, 1.0)),
}


def clearance(run: sp.Trajectory, obstacles: tuple) -> float:
    """Smallest gap between links and obstacles of all frames."""
    here = terrain(*obstacles)
    nodes = run["node"][::2]
    x = np.linspace(0.0, 1.0, 9)[:, None]
    points = (nodes[:, :-1, None] * (1.0 - x) + nodes[:, 1:, None] * x).reshape(-1, 3)
    bars, boxes = int(here.ground[G_BOX]), range(int(here.ground[G_BOX]), int(here.ground[G_PIPE]))
    gaps = [box_gap(here.objects, k, *p, 0.03)[0] for k in boxes for p in points]
    return min(gaps + [bar_gap(here.objects, k, *p, 0.03)[0] for k in range(bars) for p in points])


@pytest.mark.parametrize("servo", [None, Servo()], ids=["shape", "servo"])
@pytest.mark.parametrize("name", list(BLOCKS))
def test_nothing_passes_through_a_block(name: str, servo: Servo | None) -> None:
    """A robot runs into it, is pressed in by less than a quarter of its radius, and never has more energy than before."""
    obstacles, velocity = BLOCKS[name]
    world = sp.World(sp.contact.Coulomb(0.05, 0.05), ground=Ground(), obstacles=obstacles)
    run = sp.simulate(ROBOT.but(servo=servo), STRAIGHT, world, 1.5, start=sp.Start(velocity=velocity))
    m = run.metrics
    assert run.status.ok and m["normal_force_max"] > 3.0 * ROBOT.mass * G / ROBOT.links  # it was hit
    assert -0.25 * 0.03 < clearance(run, obstacles) < 0.1 * 0.03
    energy = run["kinetic_energy"] + run["potential_energy"]
    first = 0.5 * ROBOT.mass * (velocity[0] ** 2 + velocity[1] ** 2)
    assert np.all(energy - energy[0] < 1e-9) and run["kinetic_energy"][0] == pytest.approx(first)
    ahead, brake = "com_dx" if velocity[0] else "com_dy", 0.05 * G
    stop = min(1.5, np.hypot(*velocity) / brake)
    assert m[ahead] < 0.8 * (np.hypot(*velocity) * stop - 0.5 * brake * stop**2)  # than it would have slid or rolled
    parts = ("kinetic_energy_change", "potential_energy_change", "friction_loss", "ground_loss", "damping_loss")
    assert m["net_work"] == pytest.approx(sum(m[part] for part in (*parts, "scheme_loss")), abs=1e-9)


def test_momentum_is_given_back_by_what_was_hit() -> None:
    """The impulse of the wall is the change of the robot's momentum across it."""
    world = sp.World(sp.contact.Frictionless(), ground=Ground(), obstacles=(Box((0.5, 0.4, 0.25), (3.0, 0.1, 0.5)),))
    run = sp.simulate(ROBOT, STRAIGHT, world, 1.0, start=sp.Start(velocity=(0.0, 0.5)), record_interval=1e-3)
    impulse = float(run["contact_force"][..., 1][1:].sum() * 1e-3)
    assert impulse == pytest.approx(ROBOT.mass * (run["com_velocity"][:, 1][-1] - 0.5), rel=1e-9)
    assert -0.5 <= run["com_velocity"][:, 1][-1] < 0.0 and abs(run["com_velocity"][:, 0][-1]) < 1e-9


@pytest.mark.parametrize(("roll", "slope", "pitch"), [(0.3, 0.0, 0.0), (-np.pi / 4, 0.2, 0.0), (0.2, -0.1, 0.15)])
def test_a_flat_link_on_its_edge_starts_on_the_ground(roll, slope, pitch):
    """A box that is rolled stands on a rounded edge, higher than one that lies flat: pressed in it would be thrown off."""
    radius, length = 0.02, 0.1
    robot = sp.Robot(2, length, 0.3, radius=radius, locked=(1,))
    world = sp.World(ground=Ground("flat", slope=slope))
    run = sp.simulate(robot, None, world, duration=0.03, start=sp.Start(roll=roll, pitch=pitch), checked=False)
    half = 0.5 * radius  # from the axis to the middle of the rounding, which has the other half as its radius
    high = half * (abs(np.sin(roll)) + np.cos(roll)) * np.cos(pitch) + half + length * np.sin(pitch)
    normal = np.array([-np.sin(slope), 0.0, np.cos(slope)])
    assert run["com"][0] @ normal == pytest.approx(high, abs=2e-3 * radius)
    energy = run["kinetic_energy"] + run["potential_energy"]
    assert energy.max() - energy[0] < 1e-3 * robot.mass * 9.81 * radius
