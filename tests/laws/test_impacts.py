"""Contacts that strike: friction within its cone at the normal force of the same step."""

from __future__ import annotations

import numpy as np
import pytest

import serpenoid as sp
from serpenoid.contact.cone import EDGE
from serpenoid.contact.spots import LINK, MU_B, MU_F, MU_N, NORMAL
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
