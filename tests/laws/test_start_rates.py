"""A run under torques may begin with moving joints: momenta are what the rates make, and the plane and space agree."""

from __future__ import annotations

import numpy as np
import pytest

import serpenoid as sp
from serpenoid.core.errors import InputError
from serpenoid.core.terrain import Ground
from serpenoid.gaits.drives import SineTorque
from serpenoid.simulation import Simulation
from serpenoid.simulation.run import execute
from serpenoid.simulation.setup import Settings, Setup, setup_of

ROBOT = sp.robots.ma2001(links=6, joint_damping=0.02)
RATES = (0.4, -0.7, 0.3, 0.9, -0.2)
ANGLES = (0.1, 0.2, -0.3, 0.15, 0.05)
FREE = sp.World(sp.contact.Frictionless())
FREE_IN_SPACE = sp.World(sp.contact.Frictionless(), ground=Ground("point", damping=200.0))
START = sp.Start(angles=ANGLES, rates=RATES, velocity=(0.3, -0.1), angular_velocity=0.5, heading=0.4)
LIMP = None


@pytest.mark.parametrize("world", [FREE, FREE_IN_SPACE])
@pytest.mark.parametrize("engine", [None, "mujoco"])
def test_joints_begin_with_their_rates(world, engine):
    if engine:
        pytest.importorskip("mujoco")
    sim = Simulation(ROBOT, world, LIMP, START, engine=engine)
    assert sim.state.joint_rates == pytest.approx(RATES)
    assert sim.state.joint_angles == pytest.approx(ANGLES)
    before = sim.state
    com, turn = np.array(before.com), np.array(before.joint_angles)
    sim.advance(0.01)
    assert (np.array(sim.state.com) - com)[:2] / 0.01 == pytest.approx(
        (0.3, -0.1), abs=1e-4 if engine else 1e-6
    )  # nothing pushes it; MuJoCo's own step is of order 1
    assert (np.array(sim.state.joint_angles) - turn) / 0.01 == pytest.approx(RATES, abs=0.1)


def test_plane_and_space_begin_alike_and_move_alike():
    runs = [sp.simulate(ROBOT, LIMP, world, 0.5, start=START, step=5e-4) for world in (FREE, FREE_IN_SPACE)]
    for name in ("kinetic_energy", "joint_angle", "joint_rate", "heading"):
        a, b = (run[name] for run in runs)
        assert np.abs(a[0] - b[0]).max() < 1e-9 * max(1.0, np.abs(a[0]).max()), name
        assert np.abs(a - b).max() < 5e-3 * max(1.0, np.abs(a).max()), name


def test_angular_momentum_is_that_of_the_turn_alone():
    """With rates of the joints alone the body has no angular momentum: without friction its mean turn stays bounded."""
    still = sp.Start(angles=ANGLES, rates=RATES)
    robot = ROBOT.but(joint_damping=0.5)  # the joints come to rest soon
    run = sp.simulate(robot, LIMP, FREE, 4.0, start=still, step=5e-4)
    assert np.abs(run["joint_rate"][-1]).max() < 1e-3
    assert run["kinetic_energy"][-1] < 1e-4 * run["kinetic_energy"][0]


def test_rates_of_a_posture_gait():
    gait, drive = sp.gaits.Serpenoid(0.5, 1.0, 0.6), SineTorque(0.01, 3.0, 0.5)
    rates = (gait.angles(ROBOT, 1e-6) - gait.angles(ROBOT, 0.0)) / 1e-6
    for world in (FREE, FREE_IN_SPACE):
        setup = Setup(ROBOT, world, drive, sp.Start(rates="posture"), Settings(0.2), posture=gait)
        run = execute(setup)
        assert run["joint_rate"][0] == pytest.approx(rates, abs=1e-4)
        again = setup_of(setup.keys())
        assert again.start.rates == "posture" and again.keys() == setup.keys()
        at_rest = execute(Setup(ROBOT, world, drive, sp.Start(), Settings(0.2), posture=gait))
        assert np.abs(at_rest["joint_rate"][0]).max() == 0.0


def test_explicit_integrators_take_them_too():
    one, two = (
        sp.simulate(ROBOT, LIMP, FREE, 0.2, start=START, integrator=way, step=1e-4) for way in ("implicit", "rk4")
    )
    assert np.abs(one["joint_angle"] - two["joint_angle"]).max() < 1e-3


@pytest.mark.parametrize(
    "rates", [["posture", 0.1], ["posture"], ["posture"] * 5, [[0.1], 0.2], [None], "gait", [True], {}]
)
def test_a_word_stands_alone(rates):
    """A list that holds the word, and other things that are no numbers, are refused where they are given."""
    with pytest.raises(InputError, match="rates"):
        sp.Start(rates=rates)


@pytest.mark.parametrize(
    ("command", "start", "word"),
    [
        (sp.gaits.Serpenoid(0.5, 1.0, 0.6), sp.Start(rates=RATES), "its own rates"),
        (None, sp.Start(rates=RATES[:3]), "one rate per degree of freedom, 5, got 3"),
        (None, sp.Start(rates="posture"), "there is none"),
    ],
)
def test_refused(command, start, word):
    with pytest.raises(InputError, match=word):
        sp.simulate(ROBOT, command, FREE, 0.1, start=start)


def test_a_controller_begins_where_the_start_says():
    """start.angles of a run under a controller of torques, or of angles, are the first posture."""
    for answer in (lambda s, t: sp.control.Command(torques=np.zeros(5)), lambda s, t: np.zeros(5)):
        run = sp.simulate(ROBOT, sp.control.Controller(answer, period=0.05), FREE, 0.2, start=sp.Start(angles=ANGLES))
        assert run["joint_angle"][0] == pytest.approx(ANGLES)
