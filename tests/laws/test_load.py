"""Load laws: the normal forces sum to the weight at all times and follow the law; lifting the bends makes a snake faster."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import serpenoid as sp
from planar_runs import planar_run
from serpenoid.core.errors import InputError
from serpenoid.gaits.drives import SineTorque

ROUNDING = 1e-13  # relative
ROBOT = sp.Robot(
    links=6,
    link_length=[0.1, 0.15, 0.12, 0.2, 0.1, 0.14],
    link_mass=[0.3, 0.5, 0.2, 0.6, 0.4, 0.35],
    joint_damping=0.01,
)
WEIGHT = 9.81 * ROBOT.mass
GAIT = sp.gaits.Serpenoid(0.8, 1.3, speed=0.4)
DRIVE = SineTorque(0.15, 5.0, 0.6)
START = sp.Start((0.1, -0.2), 0.3, (0.4, -0.3), 0.8)
LOADS = {
    "given": sp.contact.GivenLoad([1.0, 0.0, 2.0, 0.5, 0.0, 3.0]),
    "bends": sp.contact.LiftedBends(4.0),
    "wave": sp.contact.LoadWave(2.0, 1.5, 6.0, 0.4),
}
LAWS = {
    "coulomb": sp.contact.Coulomb(0.2, 0.6, 0.3),
    "unit-slip": sp.contact.UnitSlip(0.2, 0.6, 0.3),
    "threshold": sp.contact.Threshold(0.2, 0.5, static_across=0.6),
    "bristle": sp.contact.Bristle(
        0.2, 0.5, static_across=0.6, stick_length_along=1e-4, stick_length_across=1e-4, bristle_damping=0.0
    ),
}


def activation(load: Any, heading: np.ndarray, t: np.ndarray) -> np.ndarray:
    """Activation of the links (t, n) as the law is written, by hand."""
    if isinstance(load, sp.contact.GivenLoad):
        return np.broadcast_to(np.array(load.weights) / ROBOT.link_mass, heading.shape)
    length = ROBOT.link_length
    middle = np.cumsum(length) - 0.5 * length
    if isinstance(load, sp.contact.LoadWave):
        turn = 2 * np.pi * load.waves * middle / ROBOT.length + load.frequency * t[:, None] + load.phase
        return np.maximum(0.0, 1.0 + load.amplitude * np.cos(turn))
    curvature = np.empty_like(heading)
    curvature[:, 1:-1] = (heading[:, 2:] - heading[:, :-2]) / (middle[2:] - middle[:-2])
    curvature[:, 0] = (heading[:, 1] - heading[:, 0]) / (middle[1] - middle[0])
    curvature[:, -1] = (heading[:, -1] - heading[:, -2]) / (middle[-1] - middle[-2])
    return np.exp(-((curvature * ROBOT.length / load.curvature) ** 2))


@pytest.mark.parametrize("drive", [False, True])
@pytest.mark.parametrize("kind", list(LOADS))
@pytest.mark.parametrize("law", list(LAWS))
def test_the_sum_is_the_weight_and_the_balance_closes(kind: str, law: str, drive: bool) -> None:
    load = LOADS[kind]
    world = sp.World(LAWS[law], load=load, contact_points=2 if kind == "bends" else 1, edge_angle=0.1)
    run = planar_run(ROBOT, DRIVE if drive else GAIT, world, 0.4, step=1e-3, start=START)
    press = run["normal_force"]
    assert press.sum(axis=1) == pytest.approx(WEIGHT, rel=ROUNDING)
    assert press.min() >= 0.0 and np.ptp(press[1:] / WEIGHT, axis=0).max() > (0.05 if kind != "given" else -1.0)
    # the law itself; under torques the limits are those of the posture that the step begins to look at
    active = ROBOT.link_mass * activation(load, run.heading, run["time"])
    wanted = WEIGHT * active / active.sum(axis=1, keepdims=True)
    assert np.abs(press - wanted)[1:].max() < (1e-3 if drive else 1e-9) * WEIGHT
    # friction of every link stays within what its load allows, and is what it allows where the link slides
    assert np.all(np.abs(run["contact_force_across"]) <= 0.6 * press * (1 + 1e-6) + 1e-9)
    assert abs(run.remainder) < 1e-9
    assert run.totals["residual_max"] < 1e-9


def test_sliding_friction_is_the_coefficient_times_the_load() -> None:
    """A straight body pushed sideways: each link is braked by its own share."""
    load = sp.contact.GivenLoad([1.0, 2.0, 3.0])
    robot = sp.robots.rods(links=3, length=0.6, mass=0.9)
    gait = sp.gaits.Sampled([0.0, 1.0, 2.0, 3.0], np.zeros((4, 2)))
    world = sp.World(sp.contact.Coulomb(0.2, 0.5, smoothing=1e-6), load=load)
    run = planar_run(robot, gait, world, 1e-4, step=1e-5, start=sp.Start(velocity=(0.0, 2.0)))
    assert run["contact_force_across"][-1] == pytest.approx(-0.5 * 0.9 * 9.81 * np.array([1, 2, 3]) / 6, rel=1e-6)


@pytest.mark.parametrize("drive", [False, True])
@pytest.mark.parametrize("load", [LOADS["bends"], sp.contact.LoadWave(0.9, 1.5, 6.0, 0.4)])  # no kink at load 0
def test_the_explicit_integrator_agrees(load: Any, drive: bool) -> None:
    world = sp.World(sp.contact.Coulomb(0.2, 0.6, smoothing=0.1), load=load)

    def end(step: float, integrator: str) -> np.ndarray:
        run = planar_run(ROBOT, DRIVE if drive else GAIT, world, 0.4, step=step, start=START, integrator=integrator)
        return run["node"][-1].ravel()

    reference = end(1e-3, "rk4")
    assert np.abs(end(5e-4, "rk4") - reference).max() < 1e-7
    first, second = end(4e-4, "implicit"), end(2e-4, "implicit")
    assert np.abs(2.0 * second - first - reference).max() < 5e-5


# Hu et al. (2009): friction coefficients of milk snakes, forward, backward, across; curvature 7 cos(2 pi (s + t)) of a body of length 1
SNAKE = sp.contact.UnitSlip(0.11, 0.20, 0.14)


def test_snakes_that_lift_their_bends_are_faster_and_more_efficient() -> None:
    robot, gait = sp.robots.rods(links=40, length=1.0, mass=1.0), sp.gaits.Serpenoid(7 / (2 * np.pi), 1.0, speed=1.0)

    def speed(load: Any) -> tuple[float, float]:
        run = sp.simulate(robot, gait, sp.World(SNAKE, load=load, gravity=1000.0), duration=4.0, step=2e-3)
        return run.metrics["steady_speed"], run.metrics["cost_of_transport"]

    flat, cost = speed(None)
    lifted, lifted_cost = speed(sp.contact.LiftedBends(5.0))
    assert lifted > 1.2 * flat and lifted_cost < 0.8 * cost
    # a law that hardly lifts is no law
    assert speed(sp.contact.LiftedBends(1e4))[0] == pytest.approx(flat, rel=1e-4)


def test_equal_shares_are_the_own_weight() -> None:
    plain, given = sp.World(LAWS["coulomb"]), sp.World(LAWS["coulomb"], load=sp.contact.GivenLoad(ROBOT.link_mass))
    ends = [planar_run(ROBOT, GAIT, world, 0.2, start=START)["node"][-1] for world in (plain, given)]
    assert np.abs(ends[0] - ends[1]).max() < 1e-12


REFUSED = {
    "viscous": (lambda: sp.World(sp.contact.Viscous(1.0, 2.0), load=LOADS["bends"]), "does not depend on the load"),
    "none": (lambda: sp.World(sp.contact.Frictionless(), load=LOADS["bends"]), "does not depend on the load"),
    "newtons": (lambda: sp.World(sp.contact.Threshold(0.2, 0.5, static_force_across=2.0), load=LOADS["wave"]), "static_across"),
    "count": (lambda: sp.World(load=sp.contact.GivenLoad([1.0, 2.0])), "one per link"),
    "nothing": (lambda: sp.World(load=sp.contact.GivenLoad([0.0, 0.0])), "not all 0"),
    "all lifted": (lambda: sp.World(load=sp.contact.LoadWave(3.0, 0.1, 1.0)), "whole body"),
    "space": (lambda: sp.World(load=LOADS["bends"], ground=sp.Ground()), "in space"),
    "unknown": (lambda: sp.World(load={"kind": "bend", "curvature": 2.0}), "bends"),
}  # fmt: skip


@pytest.mark.parametrize("case", list(REFUSED))
def test_refused(case: str) -> None:
    make, text = REFUSED[case]
    with pytest.raises(InputError, match=text):
        planar_run(ROBOT, GAIT, make(), 0.01)


def test_a_scenario_says_it_and_back() -> None:
    run = sp.run_scenario("creep", ["world.load.kind=bends", "world.load.curvature=9", "run.duration=0.5"])
    assert sp.World(**run.scenario["world"]).load == sp.contact.LiftedBends(9.0)
    assert run["normal_force"].sum(axis=1) == pytest.approx(run["normal_force"][0].sum(), rel=ROUNDING)
