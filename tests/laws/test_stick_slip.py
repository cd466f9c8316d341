"""Friction that falls from static to sliding, and bristles whose effort converges."""

from __future__ import annotations

import numpy as np
import pytest

import serpenoid as sp
from planar_runs import planar_run
from serpenoid.contact import Bristle, Coulomb, Stribeck, evaluate, limits_table
from serpenoid.contact.touch import FN, FT, TANGENT, TOUCH_ROWS, VN, VT

G, MASS = 9.81, 0.4
ROBOT = sp.robots.rods(4, length=0.4, mass=4 * MASS)
STILL = sp.gaits.StandingWave(0.0, 1.0, 1.0)
EFFORT = 0.01  # relative, of work and mean square torque at the usual step: at 5e-6 s they stay within 0.5 %


def test_bristle_effort_is_converged_at_the_usual_step() -> None:
    """25 bristles on a body with three degrees of freedom: their ringing decides how they share the load."""
    robot = sp.robots.rods(25, length=0.332, mass=11.2)
    gait = sp.gaits.Serpenoid(0.373, 2.9, speed=0.147)
    world = sp.World(Bristle(0.0, 2.0, static_across=2.4, stick_length_across=5.2e-5))
    usual, fine = (planar_run(robot, gait, world, 2.3, step=step).totals for step in (2.5e-4, 2.5e-5))
    for name in ("positive_work", "torque_sq", "net_work"):
        assert usual[name] == pytest.approx(fine[name], rel=EFFORT), name


@pytest.mark.parametrize("points", [1, 2])
def test_a_gait_at_full_rate_begins_without_a_spike(points: int) -> None:
    """Contacts that slide at t = 0 have loaded bristles: else the damping of an unloaded one makes a peak of 0.1 ms, 4 times as high."""
    robot, gait = sp.robots.ma2001(links=8), sp.gaits.Serpenoid(0.6, 1.0, speed=0.4)
    world = sp.World(Bristle(0.1, 0.5), contact_points=points)
    peaks = [sp.simulate(robot, gait, world, 0.05, step=step, checked=False).metrics for step in (2.5e-4, 2e-5)]
    for name in ("torque_max", "peak_power"):
        assert peaks[0][name] == pytest.approx(peaks[1][name], rel=2e-3), name


@pytest.mark.parametrize("step", [2e-5, 5e-4])
def test_a_bristle_rings_as_it_should(step: float) -> None:
    """A body pushed below breakaway: amplitude after five periods exp(-5 2 pi zeta / sqrt(1 - zeta^2)), at any step that shows them."""
    zeta, reach = 0.05, 1e-4
    law = Bristle(0.5, 0.5, stick_length_along=reach, stick_length_across=reach, bristle_damping=zeta)
    omega = np.sqrt(0.5 * MASS * G / reach / MASS)
    start = sp.Start(velocity=(0.0, 0.5 * reach * omega))
    period = 2.0 * np.pi / (omega * np.sqrt(1.0 - zeta**2))
    engine_run = planar_run(ROBOT, STILL, sp.World(law), round(5.25 * period / step) * step, start=start, step=step)
    y = engine_run["com"][:, 1] - engine_run["com"][0, 1]
    time = engine_run["time"]
    first, last = y[time < 0.5 * period].max(), y[time > 4.75 * period].max()
    assert last / first == pytest.approx(np.exp(-5.0 * 2.0 * np.pi * zeta / np.sqrt(1.0 - zeta**2)), rel=0.1)


def test_stribeck_is_its_equation() -> None:
    law = Stribeck(0.3, 0.3, static_ratio=1.5, stribeck_speed=0.01, viscous=2.0)
    speed, angle, eps = np.array([1e-7, 3e-3, 0.01, 0.05, 0.4]), 0.7, 1e-9
    touch = np.zeros((TOUCH_ROWS, 5))
    touch[VT], touch[VN] = speed * np.cos(angle), speed * np.sin(angle)
    limits = limits_table(sp.World(law), np.full(5, MASS))
    evaluate(law.KIND, law.scalars(), eps, limits, np.zeros((4, 5)), 1e-3, TANGENT, touch)
    mu = 0.3 * (1.0 + 0.5 * np.exp(-((speed / 0.01) ** 2)) + 2.0 * speed)
    assert np.hypot(touch[FT], touch[FN]) == pytest.approx(mu * MASS * G, rel=1e-3)  # in every direction the same
    assert np.arctan2(-touch[FN], -touch[FT]) == pytest.approx(np.full(5, angle))


@pytest.mark.parametrize("spatial", [False, True], ids=["plane", "space"])
def test_stribeck_without_its_bump_is_coulomb(spatial: bool) -> None:
    robot, gait = ROBOT.but(radius=0.02), sp.gaits.Serpenoid(0.5, 1.0, speed=0.4)
    ground = {"ground": sp.Ground()} if spatial else {}
    runs = [
        sp.simulate(robot, gait, sp.World(law, **ground), 0.5, checked=False)
        for law in (Stribeck(0.1, 0.5, static_ratio=1.0), Coulomb(0.1, 0.5, axes="together"))
    ]
    for name in ("com_distance", "friction_loss", "positive_work"):
        assert runs[0].metrics[name] == pytest.approx(runs[1].metrics[name], rel=1e-9)


@pytest.mark.parametrize("spatial", [False, True], ids=["plane", "space"])
def test_stribeck_holds_more_than_it_brakes(spatial: bool) -> None:
    """Between the angles of sliding and static friction a body at rest stays, and one that moves keeps on sliding."""
    law, robot = Stribeck(0.4, 0.4, static_ratio=1.5, stribeck_speed=0.02), ROBOT.but(radius=0.02)
    angle = np.arctan(0.5)
    world = sp.World(law, ground=sp.Ground(slope=angle)) if spatial else sp.World(law, slope=angle)
    at_rest = sp.simulate(robot, STILL, world, 2.0, start=sp.Start(heading=np.pi), record_interval=0.1, checked=False)
    settled = at_rest["com"][1:]  # the ground gives way by a micrometre at first
    assert at_rest.status.ok and np.abs(settled - settled[0]).max() < 1e-8
    thrown = sp.Start(heading=np.pi, velocity=(-0.3, 0.0))
    moving = sp.simulate(robot, STILL, world, 1.0, start=thrown, record_interval=0.1, checked=False)
    speed = np.linalg.norm(moving["com_velocity"], axis=1)
    gained = speed[-1] - speed[2]
    assert moving.status.ok
    assert gained / 0.8 == pytest.approx(G * (np.sin(angle) - 0.4 * np.cos(angle)), rel=0.01)
