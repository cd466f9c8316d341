"""The planar adjoint against dual numbers through the step of production, and compiled against plain."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import serpenoid as sp
from cases import PROVE
from serpenoid.gradients import gradient
from serpenoid.gradients.measures import MEASURES
from serpenoid.gradients.parameters import parameter_of
from serpenoid.gradients.way_back import kept_run_of
from serpenoid.simulation.setup import Settings, Setup

JUDGE = Path(__file__).parents[1] / "reference" / "judge.py"
EXACT = 1e-8  # of the largest derivative of a case, at a smoothing of 1e-4 m/s and above
SHARP = 1e-6  # the same below
SHARPER = ("sharpest", "follows")  # cases below 1e-4 m/s
RICHARDSON = 1e-6  # of a derivative, at a smoothing of 1e-2 m/s; not of sums of sizes (slip, positive work), which have kinks within the differences


def judged(*words: str) -> dict[str, float]:
    """What the judge says; kernels are plain Python there."""
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    told = subprocess.run(
        [sys.executable, str(JUDGE), *words], env=environment, capture_output=True, text=True, check=False
    )
    assert told.returncode == 0, told.stderr[-2000:]
    return json.loads(told.stdout)


def test_every_law_with_every_gait_against_duals() -> None:
    found = judged()
    assert len(found) >= 40
    wrong = {
        name: error for name, error in found.items()
        if not error <= (SHARP if any(word in name for word in SHARPER) else EXACT)
    }  # fmt: skip
    assert wrong == {}


def test_random_descriptions_against_duals() -> None:
    found = judged("--random", "200" if PROVE else "12")
    assert {name: error for name, error in found.items() if not error <= SHARP} == {}


def test_an_error_in_any_table_of_slopes_is_found() -> None:
    found = judged("--planted")
    assert min(found.values()) > 100.0 * EXACT, found


@pytest.fixture(scope="module")
def setup() -> Setup:
    """A robot that creeps, turned, on smooth friction."""
    world = sp.World(sp.contact.Coulomb(0.12, 0.47, 0.21, smoothing=1e-2), slope=0.04, slope_direction=1.1)
    gait, start = sp.gaits.Serpenoid(0.8, 1.4, 0.31), sp.Start(heading=0.4, velocity=(0.02, 0.01))
    return Setup(
        sp.robots.ma2001(links=6).but(joint_damping=0.02),
        world,
        gait,
        start,
        Settings(0.7, 2e-3, 1e-3, "implicit", 0.02),
    )


@pytest.mark.parametrize(
    "of", ["com_distance", "heading", "head_distance", "friction_loss", "net_work", "travel_direction"]
)
def test_against_differences_of_whole_runs(setup: Setup, of: str) -> None:
    over = [
        "world.friction.across",
        "robot.link_mass",
        "robot.link_length",
        "gait.speed",
        "world.slope",
        "world.friction.smoothing",
    ]
    found, measure = gradient(setup, of=of, over=over), MEASURES[of]
    for key in over:
        parameter = parameter_of(setup, key)

        def value(share: float, parameter=parameter) -> float:
            moved = parameter.moved(setup, share)
            return float(measure.formula(kept_run_of(moved, 2e-3, 350).outcome, moved, 0.7))

        def slope(h: float, value=value) -> float:
            return (value(h) - value(-h)) / (2.0 * h)

        h = 1e-3
        theirs = (4.0 * slope(0.5 * h) - slope(h)) / 3.0 / float(parameter.value)
        assert abs(found[key] - theirs) <= RICHARDSON * max(
            abs(theirs), 1e-2 * abs(found.value / float(parameter.value))
        )


def test_a_kept_run_is_the_run(setup: Setup) -> None:
    run = sp.simulate(setup.robot, setup.command, setup.world, 0.7, start=setup.start, step=2e-3, checked=False)
    made = kept_run_of(setup, 2e-3, 350)
    assert np.allclose(made.outcome.last[:2], run["com"][-1, :2], atol=1e-7, rtol=0.0)
    assert made.unsolved == 0
