"""Gaits: the paper's joint angles, rates that are derivatives, samples that give the same motion."""

from __future__ import annotations

import numpy as np
import pytest

import serpenoid as sp
from serpenoid.gaits import GAITS, headings

ROBOT = sp.robots.ma2001()
TIMES = np.linspace(0.0, 8.0, 161)


def rows(gait, robot: sp.Robot, t: float, duration: float = 8.0) -> np.ndarray:
    out = np.zeros((3, robot.links))
    headings(gait.KIND, *gait.row(robot, duration), t, out)
    return out


def sampled_from(gait, robot: sp.Robot, times: np.ndarray) -> sp.gaits.Sampled:
    angles = np.array([np.diff(rows(gait, robot, t)[0]) for t in times])
    return sp.gaits.Sampled(times, angles)


EXAMPLES = {
    "serpenoid": sp.gaits.Serpenoid(0.8, 1.7, acceleration=1.0),
    "standing-wave": sp.gaits.StandingWave(0.6, 1.3, 2.5),
    "sampled": sampled_from(sp.gaits.Serpenoid(0.8, 1.7, speed=0.7), ROBOT, TIMES),
}


def test_every_gait_has_an_example() -> None:
    assert set(EXAMPLES) == set(GAITS)


@pytest.mark.parametrize("waves", [1.0, 2.0, 1.37])
def test_joint_angles_of_the_paper(waves: float) -> None:
    """Equation (8), and s(T) = 5.76 m with the paper's profile."""
    gait, n, L = sp.gaits.Serpenoid(0.9, waves, acceleration=1.0), 20, 1.6
    for t in (0.0, 0.53, 3.3, 7.7, 8.0):
        s = 0.5 * t**2 if t < 0.8 else 0.32 + 0.8 * (t - 0.8) if t < 7.2 else 5.76 - 0.5 * (8.0 - t) ** 2
        i = np.arange(1, n)
        expected = -2 * 0.9 * np.sin(waves * np.pi / n) * np.sin(2 * waves * np.pi * (s / L + i / n))
        assert np.abs(np.diff(rows(gait, ROBOT, t)[0]) - expected).max() < 2e-14
    assert gait.displacement(8.0) == pytest.approx(5.76)


@pytest.mark.parametrize("name", list(EXAMPLES))
def test_rates_are_derivatives(name: str) -> None:
    gait, h = EXAMPLES[name], 1e-5
    for t in (0.41, 2.33, 5.12, 7.52):
        before, now, after = (rows(gait, ROBOT, x) for x in (t - h, t, t + h))
        assert np.abs((after[0] - before[0]) / (2 * h) - now[1]).max() < 1e-7
        assert np.abs((after[1] - before[1]) / (2 * h) - now[2]).max() < 1e-6


def test_serpenoid_of_unequal_links_takes_the_curve_at_mid_link() -> None:
    robot = sp.robots.ma2001(links=3, link_length=[0.1, 0.2, 0.05], com_offset=0.01, contact_offset=0.02)
    got = rows(sp.gaits.Serpenoid(0.5, 1.0, speed=0.0), robot, 1.0)[0]
    middle = np.array([0.05, 0.2, 0.325])
    assert got == pytest.approx(0.5 * np.cos(2 * np.pi * middle / 0.35), abs=1e-15)


def test_sampled_gait_moves_as_the_gait_it_was_sampled_from() -> None:
    world = sp.World(sp.contact.Coulomb(0.1, 0.5))
    gait = sp.gaits.Serpenoid(0.8, 2.0, speed=0.5)
    times = np.linspace(-0.1, 4.1, 2101)
    copy = sampled_from(gait, ROBOT, times)
    a = sp.simulate(ROBOT, gait, world, duration=4.0, step=1e-3)
    b = sp.simulate(ROBOT, copy, world, duration=4.0, step=1e-3)
    assert np.abs(a["com_x"] - b["com_x"]).max() < 1e-7
    assert np.abs(a["joint_torque"] - b["joint_torque"]).max() < 1e-2


@pytest.mark.parametrize("integrator", ["implicit", "rk4"])
def test_samples_that_just_cover_the_run_cause_no_jump(integrator: str) -> None:
    """Rates at the first and last sample are the spline's own: torques converge and agree with the gait sampled."""
    world = sp.World(sp.contact.Coulomb(0.1, 0.5, smoothing=1e-2))
    gait = sp.gaits.Serpenoid(0.6, 1.0, speed=0.5)
    copy = sampled_from(gait, ROBOT, np.linspace(0.0, 1.0, 401))
    a, b = (sp.simulate(ROBOT, g, world, duration=1.0, step=5e-4, integrator=integrator) for g in (gait, copy))
    assert not b.warnings
    assert b.metrics["torque_sq_mean"] == pytest.approx(a.metrics["torque_sq_mean"], rel=0.02)
    assert b.metrics["torque_max"] == pytest.approx(a.metrics["torque_max"], rel=0.1)
    short = sp.simulate(ROBOT, sampled_from(gait, ROBOT, np.linspace(0.0, 0.5, 201)), world, duration=1.0)
    assert any("samples cover" in w for w in short.warnings)


def test_sampled_gait_refuses_bad_samples() -> None:
    good = np.linspace(0, 1, 6)
    with pytest.raises(sp.errors.InputError, match="rise"):
        sp.simulate(ROBOT, sp.gaits.Sampled(good[::-1], np.zeros((6, 19))), duration=1.0)
    with pytest.raises(sp.errors.InputError, match="3 joint angles"):
        sp.simulate(ROBOT, sp.gaits.Sampled(good, np.zeros((6, 3))), duration=1.0)
    with pytest.raises(sp.errors.InputError, match="finite"):
        sp.simulate(ROBOT, sp.gaits.Sampled(good, np.full((6, 19), np.nan)), duration=1.0)


def test_replayed_torques_repeat_the_motion() -> None:
    """Shape to motion and torque to motion are the same physics: replay is exact for a while, then unstable."""
    from serpenoid.studies.ma2001.simulations import simulation_two

    two = simulation_two(lambda _: None)
    at = {t: float(np.interp(t, two.replay_time, two.replay_error)) for t in (0.8, 1.5)}
    assert at[0.8] < 1e-5 and at[1.5] < 1e-4
