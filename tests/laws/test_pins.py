"""Ground anchors: they hold without creep up to their limit, and slip beyond it, which is counted."""

from __future__ import annotations

import numpy as np
import pytest

import serpenoid as sp
import space_cases as cases
from serpenoid.gaits import Sampled
from serpenoid.spatial._old import anchors as pins
from serpenoid.spatial._old.run import SpatialRun

LENGTH = 0.2
FOLDED = np.radians([0.0, 60.0, -120.0, 120.0, -120.0, 60.0])
UNFOLDED = np.radians([-120.0, 120.0, -120.0, 60.0, 0.0, 0.0])


def unfold(hold: float, held: tuple[int, ...] = (2, 3), step: float = 1e-3) -> tuple[SpatialRun, np.ndarray]:
    """Seven links of which some are pinned unfold as in the first stage of a concertina cycle."""
    robot = sp.robots.rods(7, 7 * LENGTH, 7.0, radius=0.03)
    t = np.linspace(0.0, 2.0, 81)
    s = (t / 2) ** 3 * (10 - 15 * t / 2 + 6 * (t / 2) ** 2)
    world = cases.level(sp.contact.Coulomb(0.05, 0.05), model="point", damping=200.0)
    table = pins.pin_table(np.arange(7), np.full(7, LENGTH / 2), robot.link_mass, hold)
    steps = round(4.0 / step)
    run = SpatialRun(
        robot, Sampled(t, FOLDED + (UNFOLDED - FOLDED) * s[:, None], "clamped"), None, world, sp.Start(), mode="servo",
        duration=4.0, steps=steps, stride=steps // 40, servo=sp.control.Servo(200.0, 10.0), pins=table,
    )  # fmt: skip
    middle = run.rec.links[0, :, :2] + 0.5 * LENGTH * run.rec.links[0, :, 3:5]
    for k in held:
        table[k, pins.P_ON], table[k, pins.P_X : pins.P_Y + 1] = 1.0, middle[k]
    assert run.advance(steps)
    return run, table


def test_pinned_links_stay_and_the_others_arrive() -> None:
    run, table = unfold(hold=200.0)
    places = run.rec.links[: run.frames, 2:4, :2]
    assert np.abs(places[-1] - places[0]).max() < 1e-6 and np.abs(places - places[0]).max() < 5e-5
    assert np.all(table[:, pins.P_SLIPPED] == 0.0) and 1.0 < table[:, pins.P_PEAK].max() < 200.0
    assert np.abs(run.rec.joints[run.frames - 1, :, 0] - UNFOLDED).max() < 1e-3


def test_weak_pins_slip_and_say_so() -> None:
    _, table = unfold(hold=3.0)
    assert table[[2, 3], pins.P_SLIPPED].min() > 1e-5
    assert table[:, pins.P_PEAK].max() < 3.0 * 1.02
    _, none = unfold(hold=3.0, held=())
    assert np.all(none[:, pins.P_SLIPPED] == 0.0)


def test_a_pin_holds_a_push_below_its_limit_without_creep() -> None:
    """A rod pinned at its middle on a slope: no friction, gravity pulls; the pin holds it for ten seconds."""
    robot = sp.robots.rods(2, 0.4, 2.0, radius=0.02)
    slope = 0.3
    world = cases.level(sp.contact.Coulomb(0.0, 0.0), slope=slope)
    pull = robot.mass * 9.81 * np.sin(slope) * np.cos(slope)  # level part of the force along the slope
    for hold, stays in ((1.3 * pull, True), (0.8 * pull, False)):
        table = pins.pin_table(np.arange(2), np.full(2, 0.1), robot.link_mass, 0.5 * hold)
        run = SpatialRun(
            robot,
            cases.posture(),
            None,
            world,
            sp.Start(),
            mode="shape",
            duration=3.0,
            steps=3000,
            stride=100,
            pins=table,
        )
        middle = run.rec.links[0, :, :2] + 0.1 * run.rec.links[0, :, 3:5]
        table[:, pins.P_ON], table[:, pins.P_X : pins.P_Y + 1] = 1.0, middle
        assert run.advance(3000)
        moved = np.abs(np.diff(run.rec.motion[10 : run.frames, 0])).max()
        assert (moved < 1e-9) == stays
        assert (table[:, pins.P_SLIPPED].max() == pytest.approx(0.0)) == stays
