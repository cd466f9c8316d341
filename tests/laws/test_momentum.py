"""Without friction nothing outside acts: the centre of gravity keeps its velocity, the angular momentum stays."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import serpenoid as sp
from cases import random_drive, random_gait, random_robot, random_start
from planar_runs import PlanarResult, planar_run

SEED = st.integers(0, 2**32 - 1)
ICE = sp.World(sp.contact.Frictionless())
ROUNDING = 1e-11  # of the scale of the quantity: sums over some thousand steps


def angular_momentum(run: PlanarResult) -> np.ndarray:
    """About the centre of gravity, from the recorded motion of the links alone."""
    robot, heading, rate = run.robot, run.heading, run["link_angular_velocity"][..., 2]
    nodes = run["node"][:, :-1, :2]
    along = np.stack([np.cos(heading), np.sin(heading)], axis=-1)
    across = np.stack([-np.sin(heading), np.cos(heading)], axis=-1)
    place = nodes + robot.com_offset[:, None] * along
    tips = np.cumsum(robot.link_length[:, None] * across * rate[..., None], axis=1)
    speed = np.concatenate([np.zeros_like(tips[:, :1]), tips[:, :-1]], axis=1)
    speed = speed + robot.com_offset[:, None] * across * rate[..., None]
    m = robot.link_mass[:, None]
    place = place - (m * place).sum(axis=1, keepdims=True) / robot.mass
    speed = speed - (m * speed).sum(axis=1, keepdims=True) / robot.mass
    spin = robot.link_mass * (place[..., 0] * speed[..., 1] - place[..., 1] * speed[..., 0])
    return (spin + robot.link_inertia * rate).sum(axis=1)


def check(run: PlanarResult, start: sp.Start) -> None:
    expected = run["com"][0] + run["time"][:, None] * np.array([*start.velocity, 0.0])
    assert np.abs(run["com"] - expected).max() < ROUNDING * run.robot.length
    spin = angular_momentum(run)
    scale = run.robot.mass * run.robot.length**2 * (1.0 + np.abs(run["link_angular_velocity"]).max())
    assert np.abs(spin - spin[0]).max() < ROUNDING * scale


@given(SEED)
def test_prescribed_shape_keeps_momentum(seed: int) -> None:
    rng = np.random.default_rng(seed)
    robot, gait, start = random_robot(rng), random_gait(rng), random_start(rng)
    check(planar_run(robot, gait, ICE, 1.0, start=start, step=1e-3), start)


@given(SEED)
def test_torques_keep_momentum(seed: int) -> None:
    rng = np.random.default_rng(seed)
    robot, drive, start = random_robot(rng, high=12), random_drive(rng), random_start(rng)
    check(planar_run(robot, drive, ICE, 0.3, start=start, step=1e-3), start)


def test_the_check_has_teeth() -> None:
    """With friction the same check must fail."""
    robot = sp.robots.ma2001()
    gait = sp.gaits.Serpenoid(0.8, 2.0, speed=0.8)
    run = planar_run(robot, gait, sp.World(sp.contact.Coulomb(0.1, 0.5)), 1.0, step=1e-3)
    try:
        check(run, sp.Start())
    except AssertionError:
        return
    raise AssertionError("friction went unnoticed")


def test_a_body_that_coasts_has_not_diverged():
    """Nothing is turned over but what the step itself makes, 3e-7 of the kinetic energy: no reason to distrust the run."""
    world = sp.World(sp.contact.Frictionless(), ground=sp.core.terrain.Ground("point"))
    start = sp.Start(heading=1.5, velocity=(0.26, 0.19), angular_velocity=-0.63, rates=(0.93,))
    run = sp.simulate(sp.Robot(3, 0.1, 0.3, locked=(2,)), None, world, 0.3, start=start, step=1e-3, checked=False)
    assert 0.0 < abs(run.metrics["scheme_loss"]) < 1e-6 * run["kinetic_energy"].max()
    assert run.status.ok and not any("scheme" in text for text in run.warnings)


def test_an_explicit_scheme_is_judged_by_all_that_is_turned_over():
    """A limp body that friction brings to rest: no motor works, and what the scheme loses is a small part of the friction."""
    world = sp.World(sp.contact.Coulomb(0.2, 0.5, smoothing=1e-2))
    start = sp.Start(velocity=(0.4, 0.3), angles=(0.3, -0.2), rates=(2.0, -1.0))
    run = sp.simulate(
        sp.Robot(3, 0.1, 0.3), None, world, 0.2, start=start, step=1e-4, integrator="euler", checked=False
    )
    assert run.metrics["positive_work"] < 1e-12 and run.metrics["friction_loss"] > 0.01
    assert 0.0 < abs(run.metrics["scheme_loss"]) < 0.1 * run.metrics["friction_loss"]
    assert run.status.ok
