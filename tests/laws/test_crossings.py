"""A body that passes through itself is found: by brute force, between frames too, in the plane and in space."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import serpenoid as sp
from serpenoid.contact.crossings import SLIGHT, self_crossing
from serpenoid.core.terrain import Ground

SEED = st.integers(0, 2**32 - 1)
ROUNDING = 1e-9  # m, of distances of some tenths of a metre
FINE = 400  # instants between two frames of the brute force


def chain(rng: np.random.Generator, radius: bool) -> sp.Robot:
    n = int(rng.integers(4, 16))
    length = rng.uniform(0.06, 0.2, n)
    return sp.Robot(links=n, link_length=length, link_mass=0.3, radius=rng.uniform(0.002, 0.03, n) if radius else 0.0)


def curled(robot: sp.Robot, bend: np.ndarray, space: np.ndarray | None = None) -> np.ndarray:
    """Places of the joints (f, n+1, 3) from bends (f, n) and, in space, climbs (f, n) of the links."""
    heading, climb = np.cumsum(bend, axis=1), np.zeros_like(bend) if space is None else space
    axis = np.stack([np.cos(heading) * np.cos(climb), np.sin(heading) * np.cos(climb), np.sin(climb)], axis=-1)
    nodes = np.zeros((len(bend), robot.links + 1, 3))
    nodes[:, 1:] = np.cumsum(robot.link_length[:, None] * axis, axis=1)
    return nodes


def pairs(robot: sp.Robot, radius: np.ndarray) -> list[tuple[int, int]]:
    """Pairs that count, written down a second time."""
    arc = np.concatenate([[0.0], np.cumsum(robot.link_length)])
    found = []
    for i in range(robot.links):
        for j in range(i + 2, robot.links):
            between, thick = arc[j] - arc[i + 1], radius[i] + radius[j]
            if between >= (thick if j == i + 2 else 0.5 * np.pi * thick):
                found.append((i, j))
    return found


def apart(a: np.ndarray, b: np.ndarray, c: np.ndarray, d: np.ndarray) -> float:
    """Distance of two segments by minimising over a grid of places, refined twice."""
    low, high = np.zeros(2), np.ones(2)
    best = np.inf
    for _ in range(6):
        s, t = np.linspace(low[0], high[0], 21), np.linspace(low[1], high[1], 21)
        way = (a + s[:, None, None] * (b - a)) - (c + t[None, :, None] * (d - c))
        size = np.linalg.norm(way, axis=-1)
        k = np.unravel_index(np.argmin(size), size.shape)
        best, middle, half = float(size[k]), np.array([s[k[0]], t[k[1]]]), (high - low) / 10.0
        low, high = np.maximum(middle - half, 0.0), np.minimum(middle + half, 1.0)
    return best


@given(SEED)
def test_overlap_of_single_frames_in_space(seed: int) -> None:
    rng = np.random.default_rng(seed)
    robot = chain(rng, True)
    nodes = curled(robot, rng.normal(0.0, 0.9, (1, robot.links)), rng.normal(0.0, 0.5, (1, robot.links)))
    p = nodes[0]
    expected = max(
        (
            robot.radius[i] + robot.radius[j] - apart(p[i], p[i + 1], p[j], p[j + 1])
            for i, j in pairs(robot, robot.radius)
        ),
        default=0.0,
    )
    found = self_crossing(robot, np.zeros(1), nodes, False)
    assert abs(found.overlap - max(expected, 0.0)) < 1e-6  # of the refined grid
    assert (found.first is not None) == (found.overlap > SLIGHT * (robot.radius[list(found.links)].sum()))


def sides(a: np.ndarray, b: np.ndarray, x: np.ndarray) -> float:
    """On which side of the line from a to b a point lies."""
    return float(np.sign((b[0] - a[0]) * (x[1] - a[1]) - (b[1] - a[1]) * (x[0] - a[0])))


def cross(a: np.ndarray, b: np.ndarray, c: np.ndarray, d: np.ndarray) -> bool:
    """Whether the ends of each segment lie on both sides of the other."""
    return sides(a, b, c) != sides(a, b, d) and sides(c, d, a) != sides(c, d, b)


@given(SEED)
def test_crossing_axes_in_the_plane(seed: int) -> None:
    """Single frames of links without a radius: all pairs, one by one."""
    rng = np.random.default_rng(seed)
    robot = chain(rng, False)
    for bend in rng.normal(0.0, 0.7, (20, 1, robot.links)):
        nodes = curled(robot, bend)
        p, found = nodes[0], self_crossing(robot, np.zeros(1), nodes, True)
        crossed = [(i, j) for i, j in pairs(robot, robot.radius) if cross(p[i], p[i + 1], p[j], p[j + 1])]
        assert (found.first is not None) == bool(crossed) == (found.overlap > 0.0)
        assert not crossed or (found.first_links in crossed and found.links in crossed)


@given(SEED)
def test_what_happens_between_frames(seed: int) -> None:
    """Two frames far apart: as deep as the deepest of many instants between them, in the plane and in space."""
    rng = np.random.default_rng(seed)
    for flat in (True, False):
        robot = chain(rng, True)
        bend, climb = rng.normal(0.0, 0.7, (2, robot.links)), rng.normal(0.0, 0.4, (2, robot.links))
        nodes = curled(robot, bend, None if flat else climb)
        share = np.linspace(0.0, 1.0, FINE)[:, None, None]
        many = nodes[0] + share * (nodes[1] - nodes[0])
        coarse = self_crossing(robot, np.array([0.0, 1.0]), nodes, flat)
        fine = self_crossing(robot, np.linspace(0.0, 1.0, FINE), many, flat)
        thick = 2.0 * robot.radius.max()
        assert abs(coarse.overlap - fine.overlap) < 0.3 * thick  # it is followed in quarters of the thickness
        assert (coarse.first is None) == (fine.first is None) or max(coarse.overlap, fine.overlap) < 0.3 * thick
        if coarse.first is not None and fine.first is not None:
            assert fine.first <= coarse.first + 2.0 / FINE


def test_a_thin_link_that_whips_through_between_two_frames() -> None:
    """Neither frame crosses; the way from one to the other does, exactly when the end meets the axis."""
    robot = sp.Robot(links=3, link_length=(1.0, 1.0, 1.0), link_mass=1.0)
    one = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 0.5, 0.0], [0.3, 0.2, 0.0]]
    two = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, -0.5, 0.0], [0.3, -0.6, 0.0]]
    nodes = np.array([one, two])
    found = self_crossing(robot, np.array([2.0, 3.0]), nodes, True)
    assert found.first is not None and abs(found.first - 2.25) < ROUNDING and found.first_links == (0, 2)
    assert self_crossing(robot, np.zeros(1), nodes[:1], True).first is None
    assert self_crossing(robot, np.zeros(1), nodes[1:], True).first is None


def test_bending_as_tight_as_the_body_is_thick_is_no_crossing() -> None:
    """Short thick links overlap with their neighbours on any bend; that is no crossing."""
    for ratio in (0.3, 0.7, 1.1, 1.9, 3.0):
        robot = sp.Robot(links=40, link_length=0.03 * ratio, link_mass=0.1, radius=0.03)
        arc = np.arange(41) * 0.03 * ratio
        turn = np.minimum(arc / 0.0301, np.pi)  # half a circle about its own surface, then straight
        nodes = np.zeros((1, 41, 3))
        nodes[0, 1:, 0] = np.cumsum(np.cos(0.5 * (turn[1:] + turn[:-1]))) * 0.03 * ratio
        nodes[0, 1:, 1] = np.cumsum(np.sin(0.5 * (turn[1:] + turn[:-1]))) * 0.03 * ratio
        if ratio < 1.0:  # links that follow the circle
            assert self_crossing(robot, np.zeros(1), nodes, False).overlap < 0.15 * 0.03
        nodes[0, :, 0], nodes[0, :, 1] = arc, 0.0
        assert self_crossing(robot, np.zeros(1), nodes, False).overlap == 0.0


def test_runs_report_it() -> None:
    """Winding by 150 degrees in the plane, a curled body in space: status ok, a metric, a warning with time and links."""
    robot, gait = sp.robots.ma2001(), sp.gaits.Serpenoid(np.radians(150.0), 2.0, speed=0.8)
    run = sp.simulate(robot, gait, duration=0.2, step=1e-3)
    assert run.status.ok and run.metrics["self_overlap"] > 0.01
    assert any("the body crosses itself: links" in w and "t = 0" in w for w in run.warnings)
    calm = sp.simulate(robot, sp.gaits.Serpenoid(0.8, 2.0, speed=0.8), duration=0.2, step=1e-3)
    assert calm.metrics["self_overlap"] == 0.0 and not any("itself" in w for w in calm.warnings)
    thick = sp.Robot(links=24, link_length=0.06, link_mass=0.1, radius=0.026, joints="alternating")
    coil = sp.gaits.CompoundSerpenoid(yaw_offset=1.0, ramp=0.0)
    run = sp.simulate(thick, coil, sp.World(ground=Ground()), duration=0.02)
    assert run.metrics["self_overlap"] > 0.04 and any("crosses itself" in w for w in run.warnings)
