"""On a slope: sticking without creep, sliding with the right acceleration, rolling down."""

from __future__ import annotations

import numpy as np
import pytest

import serpenoid as sp
import space_cases as cases
from serpenoid.contact import Bristle, Coulomb

MU = 0.5
ANGLE = np.degrees(np.arctan(MU))
CREEP = 1e-9  # m in ten seconds
SLIDE = 0.002  # relative
STICKING = Bristle(MU, MU, static_along=MU, static_across=MU, stick_length_along=1e-5, stick_length_across=1e-5)


def lie(gait, degrees: float, law, duration: float, heading: float = 0.0, servo=None, record_interval: float = 0.01):
    world = cases.level(law, slope=np.radians(degrees))
    start = sp.Start(heading=heading)
    robot = sp.robots.sarrafan2012().but(servo=servo)
    return sp.simulate(robot, gait, world, duration, start=start, record_interval=record_interval)


@pytest.mark.parametrize("servo", [None, cases.SERVO], ids=["prescribed", "servo"])
@pytest.mark.parametrize(
    ("bend", "heading"), [(0.0, 0.0), (0.0, np.pi), (0.4, 0.0), (0.4, 1.2), (0.4, np.pi / 2), (-0.7, 2.0)]
)  # fmt: skip
def test_below_the_friction_angle_nothing_moves(bend: float, heading: float, servo) -> None:
    run = lie(cases.posture(yaw_offset=bend), ANGLE - 0.5, STICKING, 11.0, heading, servo)
    com, t = cases.com_of(run), run["time"]
    settled = com[np.searchsorted(t, 1.0 - 1e-9) :]
    assert run.status.ok and np.abs(settled - settled[0]).max() < CREEP
    assert 1e-6 < np.linalg.norm(settled[0] - com[0]) < 1e-3  # the elastic deflection of the first second


@pytest.mark.parametrize("law", [STICKING, Coulomb(MU, MU)], ids=["bristle", "coulomb"])
@pytest.mark.parametrize("degrees", [ANGLE + 1.0, ANGLE + 5.0, 45.0])
def test_above_it_slides(degrees: float, law) -> None:
    run = lie(cases.posture(), degrees, law, 2.0)
    a = np.radians(degrees)
    down = cases.com_of(run) @ np.array([-np.cos(a), 0.0, -np.sin(a)])
    late = run["time"] > 0.5
    found = 2.0 * np.polyfit(run["time"][late], down[late], 2)[0]
    assert found == pytest.approx(9.81 * (np.sin(a) - MU * np.cos(a)), rel=SLIDE)


def test_coulomb_creeps_with_a_smoothing_of_its_own() -> None:
    """A law smoothed by an absolute speed has no true sticking, and the run shows it."""
    run = lie(cases.posture(), ANGLE - 0.5, Coulomb(MU, MU, smoothing=1e-3), 3.0)
    assert np.linalg.norm(cases.com_of(run)[-1] - cases.com_of(run)[0]) > 1e-4


def test_across_the_slope_it_rolls_down() -> None:
    """A straight cylinder rolls: 2/3 of the acceleration of sliding freely."""
    run = lie(cases.posture(), 10.0, Coulomb(MU, MU), 3.0, np.pi / 2, record_interval=0.002)
    rolled = cases.com_of(run)[-1] - cases.com_of(run)[0]
    assert run.status.ok and np.isfinite(rolled).all()
    assert np.linalg.norm(rolled) == pytest.approx(0.5 * 9.81 * np.sin(np.radians(10.0)) / 1.5 * 9.0, rel=0.02)
    assert abs(run["roll"][-1]) * 0.015 == pytest.approx(np.linalg.norm(rolled), rel=0.02)


def test_a_box_across_the_slope_stays_where_a_cylinder_rolls() -> None:
    """Flat links stand on their edges: nothing rolls below the friction angle, and beyond it they slide like any block
    (rounded by half their radius they tip at 26.6 degrees, where the axis stands above the lower row of points)."""
    robot = sp.robots.sarrafan2012()
    for degrees, law, mu in ((10.0, STICKING, MU), (16.0, Coulomb(0.2, 0.2), 0.2)):
        a = np.radians(degrees)
        world = sp.World(friction=law, ground=sp.Ground("flat", slope=a, stiffness=2e4, damping=50.0))
        run = sp.simulate(robot, cases.posture(), world, 2.0, start=sp.Start(heading=np.pi / 2))
        down = cases.com_of(run) @ np.array([-np.cos(a), 0.0, -np.sin(a)])
        assert run.status.ok and abs(run["roll"][-1] - run["roll"][0]) < 0.02
        if np.tan(a) < mu:
            assert np.ptp(down[run["time"] > 1.0]) < 1e-6
        else:
            late = run["time"] > 0.5
            found = 2.0 * np.polyfit(run["time"][late], down[late], 2)[0]
            assert found == pytest.approx(9.81 * (np.sin(a) - mu * np.cos(a)), rel=0.02)
