"""Energy: the joints' work is kinetic energy, friction and the scheme's own loss; friction never adds any."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import serpenoid as sp
from cases import random_drive, random_gait, random_law, random_robot, random_start
from planar_runs import planar_run

SEED = st.integers(0, 2**32 - 1)
CLOSED = 1e-9  # of the positive work
DEFAULT_STEP_LOSS = 2e-3  # of the positive work
HIGHER_ORDER = 1e-8  # of the positive work


@given(SEED)
def test_balance_closes_for_a_prescribed_shape(seed: int) -> None:
    rng = np.random.default_rng(seed)
    robot = random_robot(rng).but(joint_damping=rng.uniform(0.0, 0.1))
    world = sp.World(random_law(rng), edge_angle=rng.uniform(-0.3, 0.3))
    run = planar_run(robot, random_gait(rng), world, 1.0, start=random_start(rng), step=1e-3)
    assert abs(run.remainder) < CLOSED
    assert run.totals["residual_max"] < 1e-8


@given(SEED)
def test_balance_closes_under_torques(seed: int) -> None:
    rng = np.random.default_rng(seed)
    robot = random_robot(rng, high=12).but(joint_damping=rng.uniform(0.0, 0.1))
    run = planar_run(robot, random_drive(rng), sp.World(random_law(rng)), 0.3, start=random_start(rng), step=5e-4)
    assert abs(run.remainder) < CLOSED


@given(SEED)
def test_friction_never_adds_energy(seed: int) -> None:
    rng = np.random.default_rng(seed)
    world = sp.World(random_law(rng))
    run = planar_run(random_robot(rng), random_gait(rng), world, 1.0, start=random_start(rng), step=1e-3)
    lost = run["friction_loss"] - run["stored_energy"]
    assert np.diff(lost).min() >= -1e-12 * max(lost[-1], 1.0)


def test_torques_of_the_balance_are_those_of_the_drive() -> None:
    """Inverse dynamics of the torque-driven step gives back the torques put in."""
    robot = sp.robots.ma2001(links=9).but(joint_damping=0.05)
    drive = sp.gaits.drives.SineTorque(0.3, 5.0, 0.7)
    run = planar_run(robot, drive, sp.World(sp.contact.Coulomb(0.05, 0.6)), 0.5)
    i = np.arange(1, 9)
    expected = 0.3 * np.sin(0.7 * i[None, :] + 5.0 * run["time"][1:, None])
    assert np.abs(run["joint_torque"][1:] - expected).max() < 1e-9


@pytest.mark.parametrize(
    "name", ["ma2001-case-one", "ma2001-case-two", "ma2001-torque", "ma2001-torque-damped", "creep"]
)
def test_default_step_loses_little(name: str) -> None:
    m = sp.run_scenario(name).metrics
    assert abs(m["scheme_loss"]) < DEFAULT_STEP_LOSS * m["positive_work"]


@pytest.mark.parametrize("law", [sp.contact.Viscous(0.5, 5.0), sp.contact.Coulomb(0.1, 0.5, smoothing=2e-2)])
def test_higher_order_closes_on_a_smooth_law(law: sp.core.Friction) -> None:
    """The gait's kinks at 0.8 and 7.2 s lie on the grid of steps."""
    gait = sp.gaits.Serpenoid.start_stop(0.8, 2.0, 1.0, 8.0)
    run = planar_run(sp.robots.ma2001(), gait, sp.World(law), 8.0, step=5e-4, integrator="rk4")
    assert abs(run.totals["scheme_loss"]) < HIGHER_ORDER * run.totals["positive_work"]


def test_scheme_loss_falls_with_the_step() -> None:
    losses = [
        abs(sp.run_scenario("ma2001-case-two", [f"run.step={h}"]).metrics["scheme_loss"]) for h in (2e-3, 1e-3, 5e-4)
    ]
    assert 1.6 < losses[0] / losses[1] < 2.4 and 1.6 < losses[1] / losses[2] < 2.4
