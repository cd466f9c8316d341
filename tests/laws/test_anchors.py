"""Ground anchors: they hold without creep up to their limit, and slip beyond it, which is counted."""

from __future__ import annotations

import numpy as np
import pytest

import serpenoid as sp
from serpenoid.core.actuator import Servo
from serpenoid.core.errors import InputError
from serpenoid.core.obstacles import Anchor
from serpenoid.core.terrain import Ground
from serpenoid.gaits import Sampled
from serpenoid.spatial.engine import SpatialEngine

LENGTH = 0.2
FOLDED = np.radians([0.0, 60.0, -120.0, 120.0, -120.0, 60.0])
UNFOLDED = np.radians([-120.0, 120.0, -120.0, 60.0, 0.0, 0.0])
SLIPPERY = sp.contact.Coulomb(0.05, 0.05, smoothing=1e-3)  # at rest it creeps, so that what it held is let go


def unfold(hold: float, held: tuple[int, ...] = (2, 3), step: float = 1e-3) -> SpatialEngine:
    """Seven links of which some are anchored unfold as in the first stage of a concertina cycle."""
    robot = sp.robots.rods(7, 7 * LENGTH, 7.0, radius=0.03).but(servo=Servo(stiffness=200.0, damping=10.0))
    t = np.linspace(0.0, 2.0, 81)
    s = (t / 2) ** 3 * (10 - 15 * t / 2 + 6 * (t / 2) ** 2)
    gait = Sampled(t, FOLDED + (UNFOLDED - FOLDED) * s[:, None], "clamped")
    anchors = tuple(Anchor(link=i, at=LENGTH / 2, hold=hold) for i in range(7))
    world = sp.World(friction=SLIPPERY, anchors=anchors)  # without a ground: level, by contact points
    steps = round(4.0 / step)
    engine = SpatialEngine(robot, world, sp.Start(), step=step, stride=steps // 40, ideal=False, first=gait)
    engine.follow(gait)
    for k in held:
        engine.anchor(k, True)
    assert engine.advance(steps)
    return engine


def test_anchored_links_stay_and_the_others_arrive() -> None:
    engine = unfold(hold=200.0)
    places = engine.variables()["node"].data[:, 2:4, :2]
    assert np.abs(places[-1] - places[0]).max() < 1e-6 and np.abs(places - places[0]).max() < 5e-5
    assert np.all(engine.peaks()["anchor_slip"] == 0.0) and 1.0 < engine.peaks()["anchor_force"].max() < 200.0
    assert np.abs(engine.joint_angles() - UNFOLDED).max() < 1e-3
    held = engine.variables()["anchor_set"].data
    assert np.array_equal(held[-1], [0, 0, 1, 1, 0, 0, 0])
    pull = engine.variables()["anchor_force"].data
    assert np.abs(pull[:, [0, 1, 4]]).max() == 0.0 and np.abs(pull[:, 2]).max() > 1.0


def test_weak_anchors_slip_and_it_is_counted() -> None:
    engine = unfold(hold=3.0)
    assert engine.peaks()["anchor_slip"][[2, 3]].min() > 1e-5
    assert engine.peaks()["anchor_force"].max() < 3.0 * 1.02
    assert np.all(unfold(hold=3.0, held=()).peaks()["anchor_slip"] == 0.0)


def test_an_anchor_holds_a_push_below_its_limit_without_creep() -> None:
    """A rod anchored at its middle on a slope: no friction, gravity pulls; the anchor holds it."""
    robot = sp.robots.rods(2, 0.4, 2.0, radius=0.02)
    slope = 0.3
    pull = robot.mass * 9.81 * np.sin(slope) * np.cos(slope)  # level part of the force along the slope
    for hold, stays in ((1.3 * pull, True), (0.8 * pull, False)):
        anchors = tuple(Anchor(link=i, at=0.1, hold=0.5 * hold) for i in range(2))
        world = sp.World(friction=sp.contact.Coulomb(0.0, 0.0), ground=Ground(slope=slope), anchors=anchors)
        engine = SpatialEngine(robot, world, sp.Start(), step=1e-3, stride=100, ideal=True)
        engine.track(0.0, 10.0, [[0.0], [0.0], [0.0], [0.0]])
        engine.anchor(0, True)
        engine.anchor(1, True)
        assert engine.advance(3000)
        moved = np.abs(np.diff(engine.variables()["com"].data[10:, 0])).max()
        assert (moved < 1e-9) == stays
        assert (engine.peaks()["anchor_slip"].max() == pytest.approx(0.0)) == stays


def test_a_released_anchor_lets_go() -> None:
    robot = sp.robots.rods(2, 0.4, 2.0, radius=0.02)
    world = sp.World(
        friction=sp.contact.Coulomb(0.0, 0.0), ground=Ground(slope=0.3), anchors=(Anchor(link=0, at=0.1, hold=1e3),)
    )
    engine = SpatialEngine(robot, world, sp.Start(), step=1e-3, stride=100, ideal=True)
    engine.track(0.0, 10.0, [[0.0], [0.0], [0.0], [0.0]])
    engine.anchor(0, True)
    assert engine.advance(500)
    held = engine.com()
    assert np.abs(engine.anchor_forces()).max() > 1.0
    engine.anchor(0, False)
    assert np.all(engine.anchor_forces() == 0.0) and engine.advance(1000)
    assert np.abs(engine.com() - held).max() > 0.1


def test_wrong_anchors_are_refused() -> None:
    robot = sp.robots.rods(2, 0.4, 2.0, radius=0.02)
    beyond = sp.World(friction=SLIPPERY, anchors=(Anchor(link=1, at=0.3, hold=1.0),))
    with pytest.raises(InputError, match="beyond"):
        SpatialEngine(robot, beyond, sp.Start(), step=1e-3, stride=1, ideal=True)
    world = sp.World(friction=SLIPPERY, anchors=(Anchor(link=1, at=0.1, hold=1.0),))
    engine = SpatialEngine(robot, world, sp.Start(), step=1e-3, stride=1, ideal=True)
    with pytest.raises(InputError, match="anchors"):
        engine.anchor(1, True)
    with pytest.raises(InputError, match="finite"):
        engine.anchor(0, True, (np.nan, 0.0))
