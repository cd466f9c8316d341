"""Dry friction whose smoothing follows the motion: rest is rest, slow gaits go as far as fast ones, and any sharpness is solved."""

from __future__ import annotations

import numpy as np
import pytest

import serpenoid as sp
from planar_runs import planar_run
from serpenoid.contact import Coulomb, UnitSlip, evaluate, limits_table
from serpenoid.contact.smoothing import REST, SHARE
from serpenoid.contact.touch import FN, FT, KNN, KNT, KTN, KTT, PREDICTED, TANGENT, TOUCH_ROWS, VN, VT
from serpenoid.core.errors import InputError

G, MU = 9.81, 0.5
CREEP = 1e-6  # m in a minute: what a body at rest may move
SLIDE = 2e-3  # relative, of the acceleration
SAME_WAY = 5e-3  # relative, of the distance per cycle
BALANCED = 1e-9  # of the energy that changed hands: rounding of some 1e4 steps
ROBOT = sp.robots.rods(6, length=0.6, mass=1.2)
STILL = sp.gaits.StandingWave(0.0, 1.0, 1.0)
LAWS = {
    "coulomb": Coulomb(MU, MU),
    "together": Coulomb(MU, MU, axes="together"),
    "unit-slip": UnitSlip(MU, MU),
}


def on_slope(degrees: float, spatial: bool, law=None) -> sp.World:
    angle, law = np.radians(degrees), law or Coulomb(MU, MU)
    if spatial:
        return sp.World(law, ground=sp.Ground(slope=angle, slope_direction=0.3))
    return sp.World(law, slope=angle, slope_direction=0.3)


@pytest.mark.parametrize("spatial", [False, True], ids=["plane", "space"])
@pytest.mark.parametrize("gait", [STILL, None], ids=["prescribed", "limp"])
def test_rest_is_rest(gait, spatial: bool) -> None:
    """A minute on 10 degrees, head uphill (a round body across the slope would roll)."""
    robot = ROBOT.but(radius=0.03, joint_damping=0.1)
    run = sp.simulate(robot, gait, on_slope(10.0, spatial), 60.0, start=sp.Start(heading=0.3), record_interval=1.0)
    moved = run["node"] - run["node"][0]
    uphill = np.array([np.cos(0.3), np.sin(0.3), 0.0])
    assert run.status.ok and np.abs(moved @ uphill).max() < CREEP


@pytest.mark.parametrize("law", LAWS.values(), ids=list(LAWS))
@pytest.mark.parametrize("gait", [STILL, None], ids=["prescribed", "limp"])
def test_rest_of_every_law(law, gait) -> None:
    world = on_slope(10.0, False, law)
    run = sp.simulate(ROBOT, gait, world, 5.0, start=sp.Start(heading=1.1), record_interval=1.0)
    assert run.status.ok and np.abs(run["node"] - run["node"][0]).max() < CREEP / 12.0


@pytest.mark.parametrize("spatial", [False, True], ids=["plane", "space"])
@pytest.mark.parametrize("gait", [STILL, None], ids=["prescribed", "limp"])
def test_a_steep_slope_lets_it_slide(gait, spatial: bool) -> None:
    robot = ROBOT.but(radius=0.03, joint_damping=0.1)
    run = sp.simulate(robot, gait, on_slope(30.0, spatial), 1.0, start=sp.Start(heading=0.3), record_interval=0.1)
    speed = np.linalg.norm(run["com_velocity"][-1])
    assert run.status.ok
    assert speed == pytest.approx(G * (np.sin(np.pi / 6) - MU * np.cos(np.pi / 6)), rel=SLIDE)


@pytest.mark.parametrize("integrator", ["implicit", "rk4"])
@pytest.mark.parametrize("command", ["gait", "drive"])
def test_energy_on_a_sloping_plane(command: str, integrator: str) -> None:
    """Work in = kinetic + potential energy + losses, with torques and forces from the balance of momenta."""
    made = sp.gaits.Serpenoid(0.6, 1.0, speed=0.5) if command == "gait" else sp.gaits.drives.SineTorque(0.1, 6.0, 0.7)
    world = sp.World(Coulomb(0.1, 0.4, smoothing=2e-2), slope=0.4, slope_direction=-0.7)
    run = planar_run(ROBOT, made, world, 0.5, start=sp.Start(heading=0.5), integrator=integrator, step=1e-4)
    t = run.totals
    used = t["kinetic"] - t["kinetic_start"] + t["potential"] - t["potential_start"]
    used += t["friction_loss"] + t["damping_loss"] + t["scheme_loss"]
    fallen = ROBOT.mass * G * np.sin(0.4) * np.diff(run["com"][[0, -1], :2] @ [np.cos(0.7), -np.sin(0.7)], axis=0)[0]
    assert t["potential"] - t["potential_start"] == pytest.approx(fallen, rel=1e-9)
    assert abs(fallen) > 0.1 * t["friction_loss"]
    assert used == pytest.approx(t["net_work"], abs=BALANCED * t["friction_loss"])
    if integrator == "rk4":  # there the scheme's loss is what is left over
        assert abs(t["scheme_loss"]) < 1e-6 * t["friction_loss"]


def test_slow_gaits_cover_the_same_way() -> None:
    """At a twentieth, 1/200 and 1/2000 of a speed, in steps of the same phase: inertia plays no role, friction sets no speed."""
    robot, ways = sp.robots.rods(10, length=1.0, mass=2.0), []
    for slower in (20.0, 200.0, 2000.0):
        gait = sp.gaits.Serpenoid(np.radians(50.0), 1.5, speed=0.4 / slower)
        period = gait.period(robot)
        world = sp.World(Coulomb(0.2, 0.5))
        run = sp.simulate(robot, gait, world, 2.0 * period, step=5e-5 * period, record_interval=0.25 * period)
        com = run["com"][:, :2]
        ways.append(np.linalg.norm(com[-1] - com[4]))
        assert run.status.ok and run.provenance["iterations_per_step"] < 1.2
    assert ways[0] > 0.1 * robot.length
    assert ways == pytest.approx([ways[0]] * 3, rel=SAME_WAY)


@pytest.mark.parametrize("law", LAWS.values(), ids=list(LAWS))
def test_predicted_slopes_are_the_tangent_where_the_prediction_is_right(law) -> None:
    rng, eps = np.random.default_rng(4), 3e-3
    tangent, predicted, over = (np.zeros((TOUCH_ROWS, 50)) for _ in range(3))
    limits = limits_table(sp.World(law), np.full(50, 0.4))
    v = rng.normal(0.0, 5e-3, (2, 50))
    for touch in (tangent, predicted, over):
        touch[VT], touch[VN] = v
    evaluate(law.KIND, law.scalars(), eps, limits, np.zeros((4, 50)), 1e-3, TANGENT, tangent)
    predicted[FT : FN + 1] = tangent[FT : FN + 1]
    evaluate(law.KIND, law.scalars(), eps, limits, np.zeros((4, 50)), 1e-3, PREDICTED, predicted)
    assert predicted[FT : KNT + 1] == pytest.approx(tangent[FT : KNT + 1], rel=1e-9, abs=1e-12)
    # a wild prediction still gives a matrix that dissipates
    over[FT : FN + 1] = rng.normal(0.0, 50.0, (2, 50))
    evaluate(law.KIND, law.scalars(), eps, limits, np.zeros((4, 50)), 1e-3, PREDICTED, over)
    matrices = np.stack([[over[KTT], over[KTN]], [over[KNT], over[KNN]]]).transpose(2, 0, 1)
    least = np.linalg.eigvalsh(0.5 * (matrices + matrices.transpose(0, 2, 1))).min()
    assert least >= -1e-9 * np.abs(matrices).max()


@pytest.mark.parametrize("eps", [1e-6, 1e-7])
@pytest.mark.parametrize("law", [Coulomb(0.05, 0.6), UnitSlip(0.05, 0.6)], ids=["coulomb", "unit-slip"])
def test_any_sharpness_is_solved(law, eps: float) -> None:
    """Torques that make links stick and slip in turn, from rest."""
    drive = sp.gaits.drives.SineTorque(0.25, 7.0, 0.4)
    run = planar_run(ROBOT, drive, sp.World(law.but(smoothing=eps)), 1.0, step=5e-4)
    assert run.totals["unconverged"] == 0.0
    assert np.abs(run["contact_velocity_across"]).max() > 1e4 * eps  # they do slip


def test_smoothing_follows_the_kinetic_energy_and_is_saved() -> None:
    gait, world = sp.gaits.Serpenoid(0.6, 1.0, speed=0.3), sp.World(Coulomb(0.1, 0.5))
    sim = sp.Simulation(ROBOT, world, gait)
    sim.advance(0.2)
    sums = sim._engine.totals()
    assert sums["smoothing"] == pytest.approx(SHARE * np.sqrt(2.0 * sums["kinetic"] / ROBOT.mass), rel=1e-12)
    other = sim.branch()
    sim.advance(0.1)
    other.advance(0.1)
    assert np.array_equal(sim.state.com, other.state.com)
    still = sp.Simulation(ROBOT, world, STILL)
    still.advance(0.01)
    assert still._engine.totals()["smoothing"] == pytest.approx(REST * np.sqrt(G * ROBOT.length))


def test_what_cannot_follow_the_motion_is_refused() -> None:
    gait = sp.gaits.Serpenoid(0.6, 1.0, speed=0.3)
    with pytest.raises(InputError, match="needs a smoothing speed"):
        sp.simulate(ROBOT, gait, sp.World(Coulomb(0.1, 0.5)), 0.1, integrator="rk4")
    with pytest.raises(InputError, match=r"world\.ground\.slope"):
        sp.World(Coulomb(0.1, 0.5), slope=0.1, ground=sp.Ground())
    with pytest.raises(InputError, match="planar engine"):
        sp.Simulation(ROBOT, sp.World(Coulomb(0.1, 0.5), slope=0.1), gait, engine="spatial")
