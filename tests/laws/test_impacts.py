"""Contacts that strike: friction within its cone at the normal force of the same step, and the restitution asked for."""

from __future__ import annotations

import numpy as np
import pytest

import serpenoid as sp
from serpenoid.contact.cone import EDGE
from serpenoid.contact.spots import LEAVE, LINK, LOST, MU_B, MU_F, MU_N, NORMAL, VNORMAL
from serpenoid.contact.touch import FN, FT
from serpenoid.core.terrain import Ground
from serpenoid.spatial.engine import SpatialEngine
from space_cases import SERVO, WRITHE

MORE = 1.3  # static over sliding friction
STUCK = {"stick_length_along": 1e-4, "stick_length_across": 1e-4}
STATIC = {"static_along": MORE * 0.7, "static_across": MORE * 0.4}
LAWS = {
    "apart": sp.contact.Coulomb(0.7, 0.4),
    "together": sp.contact.Coulomb(0.7, 0.4, axes="together"),
    "equal": sp.contact.Coulomb(0.7, 0.7),
    "unit-slip": sp.contact.UnitSlip(0.7, 0.4),
    "stribeck": sp.contact.Stribeck(0.7, 0.4, static_ratio=MORE),
    "threshold": sp.contact.Threshold(0.7, 0.4),
    "bristle": sp.contact.Bristle(0.7, 0.4, **STUCK),
    "bristle-static": sp.contact.Bristle(0.7, 0.4, **STUCK, **STATIC),
}
APART = ("apart", "threshold", "bristle", "bristle-static")
ROUNDING = 1e-12  # of a newton


def fall(law: sp.core.Friction, ideal: bool, turned: float, **ground: float) -> SpatialEngine:
    """A writhing body that is thrown onto a slope."""
    robot = sp.robots.universal(5, length=0.6, mass=0.8, radius=0.015)
    world = sp.World(law, ground=Ground(slope=0.2, **ground))
    start = sp.Start(heading=turned, pitch=0.4, roll=turned, height=0.1, velocity=(0.8, -0.5))
    engine = SpatialEngine(
        robot if ideal else robot.but(servo=SERVO), world, start, step=1e-3, stride=10, ideal=ideal, first=WRITHE if ideal else None
    )  # fmt: skip
    engine.follow(WRITHE)
    return engine


def beyond(name: str, engine: SpatialEngine) -> float:
    """Greatest friction of the last step's contacts beyond its cone, of the edge; their normal forces are those of the step."""
    spots, touch = engine.scratch.contacts.spots, engine.scratch.contacts.touch
    normal, ft, fn = spots[NORMAL], touch[FT], touch[FN]
    assert (normal >= -EDGE * abs(normal).max()).all()
    scale = MORE if name in ("stribeck", "bristle-static") else 1.0
    along = scale * np.where(ft <= 0.0, spots[MU_F], spots[MU_B]) * normal + ROUNDING
    across = scale * spots[MU_N] * normal + ROUNDING
    u, w = abs(ft) / along, abs(fn) / across
    return float((np.maximum(u, w) if name in APART else np.hypot(u, w)).max()) - 1.0


@pytest.mark.parametrize("ideal", [True, False], ids=["prescribed", "servos"])
@pytest.mark.parametrize("name", list(LAWS))
def test_friction_stays_within_its_cone(name: str, ideal: bool) -> None:
    """In every step of a fall onto a slope, of every contact: at most what the normal force of that step allows."""
    struck = 0.0
    for turned in (0.3, 1.9):
        engine = fall(LAWS[name], ideal, turned)
        spots, touch = engine.scratch.contacts.spots, engine.scratch.contacts.touch
        for k in range(1, 301):
            spots[NORMAL], touch[FT], touch[FN] = 0.0, 0.0, 0.0
            assert engine.advance(k)
            assert beyond(name, engine) <= 1.01 * EDGE, (k, int(spots[LINK, spots[NORMAL].argmax()]))
            struck = max(struck, float(spots[NORMAL].max()))
    assert struck > 2.0 * engine.robot.mass * 9.81  # it does strike


RODS = {
    "ball": sp.robots.rods(links=2, length=0.04, mass=0.3, radius=0.03),
    "rod": sp.robots.universal(4, length=0.6, mass=0.8, radius=0.01),
    "heavy": sp.robots.sarrafan2012(),
}
LEVEL = sp.gaits.CompoundSerpenoid(ramp=0.0)
G = 9.81


@pytest.mark.parametrize("name", list(RODS))
@pytest.mark.parametrize("asked", [0.1, 0.3, 0.6, 0.9])
def test_a_drop_gives_back_what_is_asked(name: str, asked: float) -> None:
    """At the default step: root of the height that is reached over that of the fall, within 2 %."""
    world = sp.World(sp.contact.Frictionless(), ground=Ground(restitution=asked))
    for height in (0.01, 0.1, 1.0):
        time = np.sqrt(2.0 * height / G) * (1.0 + 1.9 * asked)
        run = sp.simulate(RODS[name], LEVEL, world, time, start=sp.Start(height=height), record_interval=1e-3)
        speed, place = run["com_velocity"][:, 2], run["com"][:, 2]
        k = int(speed.argmax())
        reached = place[k] + speed[k] ** 2 / (2.0 * G) - place[0] + height
        assert np.sqrt(reached / height) == pytest.approx(asked, rel=0.02)
        assert not any("scheme" in text for text in run.warnings)


@pytest.mark.parametrize("ideal", [True, False], ids=["prescribed", "servos"])
@pytest.mark.parametrize("asked", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("friction", [0.0, 0.6])
def test_every_contact_that_strikes_leaves_as_asked(asked: float, friction: float, ideal: bool) -> None:
    """Flat, askew and on its end, on a level and on a slope: normal velocities after an impact, and no energy out of nothing."""
    robot = sp.robots.universal(6, length=0.9, mass=2.0, radius=0.02)
    robot = robot if ideal else robot.but(servo=sp.core.Servo(stiffness=40.0, damping=0.5))
    law = sp.contact.Coulomb(friction, friction) if friction else sp.contact.Frictionless()
    struck = 0
    for pitch, slope in ((0.0, 0.0), (0.5, 0.3), (1.4, 0.0)):
        world = sp.World(law, ground=Ground(restitution=asked, slope=slope))
        start = sp.Start(height=0.2, pitch=pitch)
        engine = SpatialEngine(robot, world, start, step=1e-3, stride=10, ideal=ideal, first=LEVEL if ideal else None)
        engine.follow(LEVEL)
        spots, first = engine.scratch.contacts.spots, engine.totals()
        for k in range(1, 401):
            spots[NORMAL], spots[LEAVE] = 0.0, -1.0
            assert engine.advance(k)
            hit = (spots[LEAVE] >= 0.0) & (spots[NORMAL] > 0.0)
            fast = 2.0 * spots[LOST] / (1.0 - asked)  # speed with which it strikes
            assert np.all(abs(spots[VNORMAL] - spots[LEAVE])[hit] <= 0.02 * np.maximum(asked * fast, 0.02)[hit])
            struck += int(hit.sum())
        now = engine.totals()
        made = now["kinetic"] + now["potential"] - first["kinetic"] - first["potential"]
        assert made < 1e-6 and now["unconverged"] <= 5
    assert struck > 10
