"""Without friction nothing outside acts: the centre of gravity keeps its velocity, the angular momentum stays."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import serpenoid as sp
from cases import random_drive, random_gait, random_robot, random_start

SEED = st.integers(0, 2**32 - 1)
ICE = sp.World(sp.contact.Frictionless())
ROUNDING = 1e-11  # of the scale of the quantity: sums over some thousand steps


def angular_momentum(run: sp.Trajectory, robot: sp.Robot) -> np.ndarray:
    """About the centre of gravity, from the recorded motion of the links alone."""
    heading, rate = run["link_heading"], run["link_rate"]
    nodes = np.stack([run["node_x"], run["node_y"]], axis=-1)[:, :-1]
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


def check(run: sp.Trajectory, robot: sp.Robot, start: sp.Start) -> None:
    assert run.status.name in ("ok", "left-horizon")
    for axis, name in enumerate(("com_x", "com_y")):
        expected = run[name][0] + start.velocity[axis] * run["time"]
        assert np.abs(run[name] - expected).max() < ROUNDING * robot.length
    spin = angular_momentum(run, robot)
    scale = robot.mass * robot.length**2 * (1.0 + np.abs(run["link_rate"]).max())
    assert np.abs(spin - spin[0]).max() < ROUNDING * scale


@given(SEED)
def test_prescribed_shape_keeps_momentum(seed: int) -> None:
    rng = np.random.default_rng(seed)
    robot, gait, start = random_robot(rng), random_gait(rng), random_start(rng)
    check(sp.simulate(robot, gait, ICE, duration=1.0, start=start, step=1e-3), robot, start)


@given(SEED)
def test_torques_keep_momentum(seed: int) -> None:
    rng = np.random.default_rng(seed)
    robot, drive, start = random_robot(rng, high=12), random_drive(rng), random_start(rng)
    check(sp.simulate(robot, None, ICE, duration=0.3, drive=drive, start=start, step=1e-3), robot, start)


def test_the_check_has_teeth() -> None:
    """With friction the same check must fail."""
    robot = sp.robots.ma2001()
    gait = sp.gaits.Serpenoid(0.8, 2.0, speed=0.8)
    run = sp.simulate(robot, gait, sp.World(sp.contact.Coulomb(0.1, 0.5)), duration=1.0, step=1e-3)
    try:
        check(run, robot, sp.Start())
    except AssertionError:
        return
    raise AssertionError("friction went unnoticed")
