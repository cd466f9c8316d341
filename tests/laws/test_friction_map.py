"""Friction maps: the kernel's factor is the bilinear one, equal to patches where a map says the same, in the plane and in space."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import serpenoid as sp
from planar_runs import planar_run
from serpenoid.contact.ground import map_at
from serpenoid.core.errors import InputError
from serpenoid.core.friction_map import FrictionMap
from serpenoid.formats import scenario as scenarios

ROBOT = sp.robots.rods(links=6, length=0.6, mass=1.0)
GAIT = sp.gaits.Serpenoid(0.7, 1.3, speed=0.6)
START = sp.Start((0.1, -0.2), 0.3, (0.2, -0.1), 0.4)
LAWS = {
    "coulomb": sp.contact.Coulomb(0.1, 0.5, 0.3),
    "unit-slip": sp.contact.UnitSlip(0.1, 0.5, 0.3),
    "threshold": sp.contact.Threshold(0.1, 0.5),
    "bristle": sp.contact.Bristle(0.1, 0.5, stick_length_along=1e-4, stick_length_across=1e-4),
    "viscous": sp.contact.Viscous(0.5, 2.0),
    "custom": sp.contact.CustomLaw(
        along=0.1, across=0.5, function=lambda v, w, load, p: (-load * math.tanh(v / 0.01), -load * math.tanh(w / 0.01))
    ),
}


def end(world: sp.World, step: float = 1e-3, duration: float = 0.5, integrator: str = "implicit") -> np.ndarray:
    return planar_run(ROBOT, GAIT, world, duration, step=step, start=START, integrator=integrator)["node"][-1].ravel()


def test_the_kernel_is_bilinear_and_goes_on_beyond_the_edge() -> None:
    from scipy.interpolate import RegularGridInterpolator

    rng = np.random.default_rng(3)
    along, across = rng.uniform(0.2, 3.0, (2, 5, 7))
    made = FrictionMap(along, 0.13, (-0.4, 0.2), across)
    x, y = -0.4 + 0.13 * np.arange(7), 0.2 + 0.13 * np.arange(5)
    places = rng.uniform(-2.0, 2.0, (200, 2))
    for factors, k in ((along, 0), (across, 1)):
        inside = np.stack([np.clip(places[:, 1], y[0], y[-1]), np.clip(places[:, 0], x[0], x[-1])], 1)
        wanted = RegularGridInterpolator((y, x), factors)(inside)
        found = [map_at(made.row(), 0, px, py)[k] for px, py in places]
        assert found == pytest.approx(wanted, abs=1e-13)
    assert np.isfinite(map_at(made.row(), 0, math.nan, math.inf)).all()


@pytest.mark.parametrize("law", list(LAWS))
def test_a_constant_map_is_a_law_with_those_coefficients(law: str) -> None:
    plain = LAWS[law]
    flat = FrictionMap(np.full((2, 2), 1.5), 1.0, across=np.full((2, 2), 0.8))
    scaled = plain.but(
        along=1.5 * plain.along, across=0.8 * plain.across, backward=plain.backward and 1.5 * plain.backward
    )
    assert end(sp.World(plain, friction_map=flat)) == pytest.approx(end(sp.World(scaled)), abs=1e-12)


def test_a_steep_map_is_a_patch() -> None:
    """A step of the factor within a hair: the patch that begins there; several contact points too."""
    law = LAWS["coulomb"]
    x = np.arange(-20, 21)
    made = FrictionMap(np.broadcast_to(np.where(x * 0.05 < 0.3, 1.0, 3.0), (2, x.size)), 0.05, (-1.0, -1.0))
    for points in (1, 3):
        patch = sp.Patch((0.275, -5.0, 5.0, 5.0), 0.3, 1.5, 0.9)
        mapped = end(sp.World(law, friction_map=made, contact_points=points))
        patched = end(sp.World(law, patches=(patch,), contact_points=points))
        without = end(sp.World(law, contact_points=points))
        assert np.abs(mapped - patched).max() < 0.25 * np.abs(without - patched).max()
        # a patch replaces the map
        both = end(
            sp.World(
                law,
                friction_map=made,
                patches=(sp.Patch((-9.0, -9.0, 9.0, 9.0), 0.1, 0.5, 0.3),),
                contact_points=points,
            )
        )
        assert both == pytest.approx(without, abs=1e-12)


def test_steps_converge_on_a_map_and_agree_with_the_explicit_integrator() -> None:
    law = sp.contact.Coulomb(0.1, 0.5, smoothing=0.1)
    made = FrictionMap.sampled(lambda x, y: 1.0 + 0.8 * math.sin(8.0 * x) * math.cos(5.0 * y), (-2, -2), (2, 2), 0.02)
    world = sp.World(law, friction_map=made)
    reference = end(world, 2e-4, integrator="rk4")
    coarse, fine = end(world, 4e-4), end(world, 2e-4)
    assert np.abs(fine - reference).max() < 0.6 * np.abs(coarse - reference).max()
    assert np.abs(fine - reference).max() < 1e-3
    assert np.abs(end(sp.World(law), 2e-4) - reference).max() > 1e-2


@pytest.mark.parametrize("model", ["point", "capsule"])
def test_in_space_a_map_slows_what_slides(model: str) -> None:
    """A stiff body slides along x: the friction of a place is mu times the factor there, which grows linearly: harmonic motion."""
    robot = sp.robots.rods(links=2, length=0.1, mass=0.4).but(radius=0.02, locked=[1])
    ramp = FrictionMap(np.broadcast_to(np.linspace(0.0, 10.0, 11), (2, 11)), 1.0, (0.0, -0.5))
    world = sp.World(
        sp.contact.Coulomb(0.2, 0.2, smoothing=1e-4), ground=sp.Ground(model, damping=200.0), friction_map=ramp
    )
    start = sp.Start((2.0, 0.0), velocity=(1.5, 0.0))
    sim = sp.Simulation(robot, world, start=start, step=1e-3)
    x0 = float(sim.state.com[0])
    sim.advance(0.3)
    # x'' = -mu g x from x0 at 1.5 m/s
    w = math.sqrt(0.2 * 9.81)
    assert float(sim.state.com[0]) == pytest.approx(x0 * math.cos(0.3 * w) + 1.5 / w * math.sin(0.3 * w), abs=2e-3)


def test_a_sampled_function_must_fit_its_grid() -> None:
    with pytest.raises(InputError, match="smaller cell"):
        FrictionMap.sampled(lambda x, y: 1.0 + math.sin(50.0 * x), (0, 0), (1, 1), 0.1)
    assert FrictionMap.sampled(lambda x, y: 1.0 + math.sin(50.0 * x), (0, 0), (1, 1), 0.1, tolerance=None).most <= 2.0
    both = FrictionMap.sampled(lambda x, y: (1.0 + x, 2.0 - x), (0, 0), (1, 1), 0.5)
    assert (
        both.along[0].tolist() == [1.0, 1.5, 2.0]
        and both.across is not None
        and both.across[0].tolist() == [2.0, 1.5, 1.0]
    )


def write_scenario(folder: Path, table: str) -> Path:
    text = (scenarios.bundled()["creep"]).read_text() + f"\n[world.friction_map]\n{table}\n"
    (folder / "own.toml").write_text(text)
    return folder / "own.toml"


def test_a_picture_and_a_table_in_a_scenario(tmp_path: Path) -> None:
    from PIL import Image

    grey = np.array([[0, 51, 102], [153, 204, 255]], dtype=np.uint8)  # the first row has the largest y
    Image.fromarray(grey).save(tmp_path / "ground.png")
    path = write_scenario(tmp_path, 'file = "ground.png"\ncell = 0.5\norigin = [0.1, 0.2]\nblack = 0.5\nwhite = 1.5')
    world = scenarios.parts_of(scenarios.read(str(path)))["world"]
    assert world.friction_map.along == pytest.approx(np.array([[1.1, 1.3, 1.5], [0.5, 0.7, 0.9]]))
    assert sp.World(**world.keys()).friction_map == world.friction_map
    (tmp_path / "ground.csv").write_text("1,2\n3,4\n")
    path = write_scenario(tmp_path, 'file = "ground.csv"\ncell = 0.5')
    assert scenarios.parts_of(scenarios.read(str(path)))["world"].friction_map.along.tolist() == [[1, 2], [3, 4]]
    (tmp_path / "in").mkdir()
    path = write_scenario(tmp_path / "in", 'file = "../ground.csv"\ncell = 0.5')
    with pytest.raises(InputError, match="folder"):
        scenarios.read(str(path))
    (tmp_path / "in" / "no.png").write_bytes(b"nothing")
    with pytest.raises(InputError, match="no PNG"):
        scenarios.read(str(write_scenario(tmp_path / "in", 'file = "no.png"\ncell = 0.5')))


REFUSED = {
    "negative": (lambda: FrictionMap([[1.0, -0.1], [1.0, 1.0]], 1.0), ">= 0"),
    "grids": (lambda: FrictionMap(np.ones((2, 3)), 1.0, across=np.ones((3, 2))), "equal grids"),
    "none": (lambda: end(sp.World(sp.contact.Frictionless(), friction_map=FrictionMap(np.ones((2, 2)), 1.0))), "map"),
    "bristle": (
        lambda: end(sp.World(sp.contact.Bristle(0.1, 0.5, static_across=0.6), friction_map=FrictionMap(np.full((2, 2), 1.4), 1.0))),
        "static_across",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", list(REFUSED))
def test_refused(case: str) -> None:
    make, text = REFUSED[case]
    with pytest.raises(InputError, match=text):
        make()
