"""Height fields: the distance from the surface itself against brute force, continuous, with its gradient as the normal."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.spatial import cKDTree

import serpenoid as sp
from cases import PROVE
from serpenoid.contact import patch_table
from serpenoid.contact.field import WIDEST, field_distance, height_clear
from serpenoid.contact.spots import field_gap, terrain_of
from serpenoid.core.errors import InputError
from serpenoid.core.terrain import Ground, HeightField

POINTS = 4000 if PROVE else 400
FINE = 2e-3  # m: spacing of the points by which the surface is drawn
CELL, ORIGIN = 0.07, (-0.3, 0.2)
HEIGHTS = np.random.default_rng(5).uniform(-0.05, 0.1, (9, 12))
FAR = 10.0  # m: exact distances everywhere


def height(x: Any, y: Any) -> Any:
    """Height of the surface, by its definition: four triangles a cell, the middle at the mean of its corners; the border goes on."""
    u, v = (np.asarray(x) - ORIGIN[0]) / CELL, (np.asarray(y) - ORIGIN[1]) / CELL
    ny, nx = HEIGHTS.shape
    i, j = np.floor(u).astype(int), np.floor(v).astype(int)
    south_west, south_east, north_west, north_east = (
        HEIGHTS[np.clip(j + f, 0, ny - 1), np.clip(i + e, 0, nx - 1)] for f in (0, 1) for e in (0, 1)
    )
    s, t = u - i - 0.5, v - j - 0.5
    # the triangle that holds (s, t): its two corners of the cell, and their barycentric weights a, b
    sides = [s >= np.abs(t), -s >= np.abs(t), t > 0.0, t <= 0.0]
    first = np.select(sides, [south_east, south_west, north_west, south_west])
    second = np.select(sides, [north_east, north_west, north_east, south_east])
    a = np.select(sides, [s - t, -s - t, t - s, -t - s])
    b = np.select(sides, [s + t, -s + t, t + s, -t + s])
    middle = (south_west + south_east + north_west + north_east) / 4.0
    return a * first + b * second + (1.0 - a - b) * middle


def distance(p: np.ndarray, reach: float = FAR) -> tuple[float, ...]:
    return field_distance(HEIGHTS, CELL, p[0] - ORIGIN[0], p[1] - ORIGIN[1], p[2], reach)


def places(seed: int) -> np.ndarray:
    """Points above and below the field, beyond its border too."""
    return np.random.default_rng(seed).uniform([-0.4, 0.1, -0.1], [0.6, 0.9, 0.25], (POINTS, 3))


def test_distance_is_that_from_the_surface_drawn_by_points() -> None:
    x, y = np.arange(-0.7, 0.9, FINE), np.arange(-0.2, 1.2, FINE)
    a, b = (grid.ravel() for grid in np.meshgrid(x, y))
    tree = cKDTree(np.column_stack([a, b, height(a, b)]))
    points = places(1)
    got = np.array([distance(p)[0] for p in points])
    assert np.abs(np.abs(got) - tree.query(points)[0]).max() < FINE
    below = np.array([p[2] < height(p[0], p[1]) for p in points])
    assert np.array_equal(got < 0.0, below) and 0.1 < below.mean() < 0.9


def test_normal_is_the_gradient_of_the_distance() -> None:
    h, seen = 1e-6, 0
    for p in places(2):
        near = [[distance(p + s * e)[0] for s in (-h, 0.0, h)] for e in np.eye(3)]
        if max(abs(a - 2 * b + c) for a, b, c in near) > 1e-9:
            continue  # two places of the surface are as near: no gradient
        seen += 1
        assert distance(p)[1:] == pytest.approx([(c - a) / (2 * h) for a, _, c in near], abs=1e-5)
        assert np.linalg.norm(distance(p)[1:]) == pytest.approx(1.0)
    assert seen > 0.9 * POINTS


def test_distance_does_not_jump_anywhere() -> None:
    """Along any way the distance changes by no more than the way: at creases, below the surface, at the border."""
    rng, step = np.random.default_rng(3), 1e-4
    for _ in range(POINTS // 20):
        p, way = rng.uniform([-0.4, 0.1, -0.08], [0.6, 0.9, 0.15]), rng.normal(size=3)
        way *= step / np.linalg.norm(way)
        ways = np.array([distance(p + k * way)[0] for k in range(300)])
        assert np.abs(np.diff(ways)).max() <= step * (1.0 + 1e-9)


def test_gap_is_the_distance_less_the_radius_wherever_it_touches() -> None:
    world = sp.World(ground=Ground(heights=HeightField(HEIGHTS, CELL, ORIGIN)))
    terrain = terrain_of(sp.robots.alternating(4, 0.4, 1.0, radius=0.03), world, patch_table(world))
    for p in places(4):
        gap, true = field_gap(terrain.ground, terrain.field, *p, 0.03), distance(p)
        assert (gap[0] < 0.0) == (true[0] < 0.03)
        if gap[0] < 0.0:
            assert gap[0] == pytest.approx(true[0] - 0.03, abs=1e-14)
            assert gap[1:] == pytest.approx(true[1:], abs=1e-12)


def test_a_ball_let_down_touches() -> None:
    for x, y in np.random.default_rng(6).uniform([-0.4, -0.2], [1.0, 0.7], (50, 2)):
        z = height_clear(HEIGHTS, CELL, x, y, 0.03)
        assert field_distance(HEIGHTS, CELL, x, y, z, FAR)[0] == pytest.approx(0.03, abs=1e-9)


def test_field_of_a_plane_is_that_plane() -> None:
    n = Ground(slope=0.3, slope_direction=1.1).normal
    x, y = np.meshgrid(0.1 * np.arange(8), 0.1 * np.arange(6))
    flat = -(n[0] * x + n[1] * y) / n[2]
    for p in np.random.default_rng(7).uniform([0.2, 0.2, -0.06], [0.5, 0.3, 0.06], (50, 3)):
        p[2] -= (n[0] * p[0] + n[1] * p[1]) / n[2]
        assert field_distance(flat, 0.1, *p, FAR) == pytest.approx((n @ p, *n), abs=1e-13)


def test_a_field_too_fine_for_the_links_is_refused() -> None:
    fine = HeightField(np.zeros((4, 4)), 0.03 / WIDEST)
    with pytest.raises(InputError, match="too fine"):
        sp.simulate(sp.robots.alternating(4, 0.4, 1.0, radius=0.03), None, sp.World(ground=Ground(heights=fine)), 0.1)
