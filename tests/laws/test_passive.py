"""Passive bodies never have more energy than at the start, ground springs counted, on whatever they fall."""

from __future__ import annotations

import numpy as np
import pytest

import serpenoid as sp
from cases import PROVE
from serpenoid.contact import sums
from serpenoid.contact.spots import G_STIFF, G_WALL_STIFF, GAP, WALL
from serpenoid.core.obstacles import Disc, Polygon, Surface, Wall
from serpenoid.core.terrain import Box, Cylinder, Ground, HeightField, Pipe
from serpenoid.spatial.engine import SpatialEngine
from serpenoid.spatial.layout import Z
from serpenoid.spatial.start import _touching

WORLDS = 200 if PROVE else 24
DURATION = 1.0 if PROVE else 0.4  # s
GAIN = 1e-6  # of kinetic energy at the start and weight times length
ROUNDING = 1e-12  # of the energy at the start: what springs without damping may seem to lose
KINDS = ("field", "box", "field at rest", "bar", "field", "wall", "field at rest", "pipe")
G = 9.81


def noise(rng: np.random.Generator) -> HeightField:
    """Random heights, rough or smoothed, with slopes to 60 degrees."""
    n, cell, slope = 40, rng.uniform(0.03, 0.12), np.tan(rng.uniform(0.1, np.radians(60.0)))
    h = rng.normal(size=(n, n))
    for _ in range(int(rng.integers(0, 3))):
        h = 0.25 * (h + np.roll(h, 1, 0) + np.roll(h, 1, 1) + np.roll(h, (1, 1), (0, 1)))
    steepest = max(np.abs(np.diff(h, axis=0)).max(), np.abs(np.diff(h, axis=1)).max()) / cell
    return HeightField(h * slope / steepest, cell, (-0.5 * n * cell, -0.5 * n * cell))


def obstacles(kind: str, rng: np.random.Generator) -> tuple:
    if kind == "box":
        return tuple(
            Box((*rng.uniform((0.3, -0.5, 0.0), (1.0, 0.5, 0.05)),), (*rng.uniform(0.05, 0.4, 3),), rng.uniform(0, 3))
            for _ in range(3)
        )
    if kind == "bar":
        return tuple(
            Cylinder(
                (rng.uniform(0.0, 1.0), rng.uniform(-0.5, 0.5), 0.0), rng.uniform(0.01, 0.1), rng.uniform(0.05, 0.4),
                (*(rng.normal(size=3) * (0.3, 0.3, 1.0)),),
            )
            for _ in range(3)
        )  # fmt: skip
    if kind == "wall":
        block, post = Polygon(((2.0, -0.3), (2.3, 0.0), (2.0, 0.3))), Disc((rng.uniform(1.2, 1.6), 0.0), 0.2)
        return Wall((-2.0, 0.4), (3.0, 0.6), 0.05), Wall((-2.0, -0.4), (3.0, -0.6), 0.1), post, block
    return (Pipe((0.0, 0.0, 0.5), rng.uniform(0.2, 0.5), (1.0, 0.0, rng.uniform(-0.2, 0.2))),) if kind == "pipe" else ()


def begun(seed: int) -> SpatialEngine:
    """A rigid or limp body above or on a random world, with or without friction and damping."""
    rng, kind = np.random.default_rng(seed), KINDS[seed % len(KINDS)]
    robot = sp.robots.universal(
        int(rng.integers(2, 7)), length=rng.uniform(0.3, 1.2), mass=rng.uniform(0.3, 4.0), radius=rng.uniform(0.01, 0.05)
    )  # fmt: skip
    limp, free = bool(rng.random() < 0.5), kind.startswith("field")
    mu, damping = (0.0 if rng.random() < 0.5 else rng.uniform(0.1, high) for high in (0.9, 60.0))
    stiffness = 10.0 ** rng.uniform(3.5, 5.5)
    rest = kind == "field at rest"
    start = sp.Start(
        (*rng.uniform(-0.5, -0.1, 2),) if free else (-0.5, 0.0),
        rng.uniform(-3.0, 3.0) if free else 0.0,
        (*rng.uniform(-0.05, 0.05, 2),) if rest else (*rng.uniform(-1.5, 1.5, 2),),
        0.0 if rest else rng.uniform(-3.0, 3.0),
        height=None if rest else {"wall": 0.0, "pipe": 0.5}.get(kind, 0.1 if free else 0.5),
        pitch=rng.uniform(-0.5, 0.5) if kind not in ("wall", "pipe") else 0.0,
        roll=rng.uniform(-1.0, 1.0),
    )
    ground = Ground(stiffness=stiffness, damping=damping, plane=kind != "pipe", heights=noise(rng) if free else None)
    law = sp.contact.Coulomb(mu, mu) if mu else sp.contact.Frictionless()
    surface = Surface(stiffness=stiffness, damping=damping, friction=mu)
    world = sp.World(law, ground=ground, obstacles=obstacles(kind, rng), surface=surface)
    step = 10.0 ** rng.uniform(-4.0, -3.0)
    engine = SpatialEngine(robot, world, start, step=step, stride=10**9, ideal=not limp)
    if not limp:
        engine.follow(sp.gaits.CompoundSerpenoid(ramp=0.0))
    return engine


def springs(engine: SpatialEngine) -> float:
    """Energy in the ground's springs at the pose of the state, by the gaps found there."""
    engine._place_entry(engine.constants, engine.state, engine.scratch)
    spots, ground = engine.scratch.contacts.spots, engine.constants.terrain.ground
    count, _ = _touching(
        engine.constants.chain, engine.constants.terrain, engine.scratch.body, engine.state.motion, spots
    )
    stiffness = np.where(spots[WALL, :count] > 0.0, ground[G_WALL_STIFF], ground[G_STIFF])
    return float(0.5 * (stiffness * spots[GAP, :count] ** 2).sum())


def most_above_start(engine: SpatialEngine, duration: float) -> float:
    """Greatest total energy at any step above that at the start, over the scale; the energies are finite."""
    energies = []
    for k in range(round(duration / engine.dt) + 1):
        assert engine.advance(k)
        energies.append(engine.sums[sums.KINETIC] + engine.sums[sums.POTENTIAL] + springs(engine))
    first, robot = engine.sums[sums.KINETIC_START], engine.robot
    assert engine.sums[sums.CONTACTS] > 0.0 or duration < 0.5  # it did fall on something
    return float((max(energies) - energies[0]) / (first + robot.mass * G * robot.length))


@pytest.mark.parametrize("seed", range(WORLDS))
def test_passive_body_gains_no_energy(seed: int) -> None:
    assert most_above_start(begun(seed), DURATION) <= GAIN


@pytest.mark.parametrize("step", [1e-3, 1e-4])
def test_rod_on_a_ramp_gains_no_energy(step: float) -> None:
    """Without friction against a ramp of 30 degrees at 1 m/s: a crease across the way."""
    ramp = HeightField.sampled(lambda x, y: max(0.0, x - 0.8) * np.tan(np.radians(30.0)), (-1.0, -1.0), (2.0, 1.0), 0.1)
    robot = sp.robots.universal(4, length=0.6, mass=1.0, radius=0.02)
    world = sp.World(sp.contact.Frictionless(), ground=Ground(damping=0.0, heights=ramp))
    engine = SpatialEngine(robot, world, sp.Start(velocity=(1.0, 0.0)), step=step, stride=10**9, ideal=True)
    engine.follow(sp.gaits.CompoundSerpenoid(ramp=0.0))
    assert most_above_start(engine, 0.6) <= GAIN
    assert engine.state.motion[Z] > 0.05  # it is on the ramp


def test_account_of_the_ground_closes() -> None:
    """What the springs hold at the end of a run is what the energies at that pose say; all losses together are what is missing."""
    engine = begun(2)
    first = engine.sums[sums.KINETIC] + engine.sums[sums.POTENTIAL] + springs(engine)
    for k in range(1, 200):
        engine.advance(k)
        held = springs(engine)
        assert engine.sums[sums.SPRING_STORED] == pytest.approx(held, rel=0.02, abs=1e-6)
    assert first > 0.0 and engine.sums[sums.DAMPER_LOSS] >= -ROUNDING * first
