"""Joints that fail or meet their stops: ideal joints stop dead, limp ones move among them; the account closes, plane and space agree."""

from __future__ import annotations

import numpy as np
import pytest

import serpenoid as sp
from serpenoid.core.errors import InputError
from serpenoid.core.terrain import Ground
from serpenoid.gaits.drives import SineTorque

ROBOT = sp.robots.ma2001(links=10)
GAIT = sp.gaits.Serpenoid(0.6, 1.5, 0.5)
GROUND = sp.World(ground=Ground("point", damping=200.0))
WORLDS = {"plane": None, "space": GROUND}
LIMIT = 0.3  # rad; the gait asks for 0.485
CLOSED = 1e-9  # of the work: rounding
APART = 0.05  # of the way: plane and space differ in their order


def balance(run: sp.Trajectory) -> float:
    """What is left of the energy account, J."""
    m = run.metrics
    losses = (
        "friction_loss",
        "damping_loss",
        "stop_loss",
        "ground_loss",
        "scheme_loss",
        "kinetic_energy_change",
        "potential_energy_change",
    )
    return m["net_work"] - sum(m[name] or 0.0 for name in losses)


@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize("limp", [(), (4,)])
def test_an_ideal_joint_stays_at_its_stop(world, limp):
    run = sp.simulate(ROBOT.but(joint_limit=LIMIT, limp=limp), GAIT, WORLDS[world], duration=1.5, step=5e-4)
    angle, target = run["joint_angle"], run["joint_target"]
    held = [k for k in range(9) if k + 1 not in limp]
    wanted = np.array([GAIT.angles(ROBOT, t) for t in run["time"]])
    assert np.abs(angle[:, held] - np.clip(wanted, -LIMIT, LIMIT)[:, held]).max() < 1e-12
    assert np.abs(target - wanted)[1:].max() < 1e-12  # what was commanded is kept beside it
    assert abs(balance(run)) < CLOSED * run.metrics["net_work"]
    assert run.metrics["stop_loss"] > 0.01 * run.metrics["net_work"]
    assert run.metrics["moment_residual"] < 1e-8
    assert any("meets its stop of 17.2 deg at t = " in text for text in run.warnings)


@pytest.mark.parametrize("world", WORLDS)
def test_the_motor_does_not_push_back_what_the_stop_bears(world):
    """At the upper stop the motor's torque is never negative, at the lower one never positive: a stop pushes back."""
    run = sp.simulate(ROBOT.but(joint_limit=LIMIT), GAIT, WORLDS[world], duration=1.5, step=5e-4)
    angle, torque = run["joint_angle"][1:], run["joint_torque"][1:]
    assert torque[angle >= LIMIT - 1e-12].min() >= 0.0
    assert torque[angle <= -LIMIT + 1e-12].max() <= 0.0


@pytest.mark.parametrize("world", WORLDS)
def test_a_stop_takes_the_energy_of_the_impact(world):
    """Two free rods fold at the rate w until the stop: it takes J w^2 / 2, J their reduced inertia (momenta are zero)."""
    rate, limit, length, mass = 0.8, 0.4, 0.5, 1.2
    robot = sp.Robot(2, length, mass, joint_limit=limit)
    world = sp.World(sp.contact.Frictionless(), gravity=0.0, ground=None if world == "plane" else Ground("point"))
    times = np.array([0.0, 0.4, 0.8, 1.2])
    gait = sp.gaits.Sampled(times, rate * times[:, None], interpolation="linear")
    run = sp.simulate(robot, gait, world, duration=1.0, step=1e-3)
    # about the joint: kinetic energy of rates a, b with b - a = w and no angular momentum
    inertia, m = mass * length**2 / 12.0, mass / 2.0
    half = 0.5 * length
    c, s = np.cos(limit), np.sin(limit)

    def energy(a: float) -> float:
        b = a + rate
        u = np.array([half * b * -s, half * (a + b * c)])  # velocity of the middles relative to each other
        return 0.5 * inertia * (a * a + b * b) + 0.5 * m * (u @ u)

    a, b, d = energy(-1.0), energy(0.0), energy(1.0)  # least over a: a parabola
    top = 0.5 * (a - d) / (a - 2.0 * b + d)
    assert run.metrics["stop_loss"] == pytest.approx(energy(top), rel=1e-3)
    assert abs(run["joint_rate"][-1]).max() == 0.0
    assert run.metrics["kinetic_energy_change"] == pytest.approx(-energy_at_start(robot, rate), rel=1e-6)


def energy_at_start(robot: sp.Robot, rate: float) -> float:
    """Kinetic energy of the straight pair that folds at a rate without angular momentum: each half turns at half of it."""
    mass, length = robot.link_mass[0], robot.link_length[0]
    about, turn = mass * length**2 / 12.0, 0.5 * rate
    across = 0.0  # both middles move alike: relative velocity half (a + b) = 0
    return float(about * turn**2 + across)


@pytest.mark.parametrize("change", [{"joint_limit": LIMIT}, {"limp": (4,)}, {"locked": (3, 7)}])
def test_plane_and_space_agree(change):
    plane, space = (sp.simulate(ROBOT.but(**change), GAIT, w, duration=1.5, step=5e-4) for w in WORLDS.values())
    healthy = sp.simulate(ROBOT, GAIT, duration=1.5, step=5e-4)
    gap = np.abs(plane["com"][-1, :2] - space["com"][-1, :2]).max()
    assert gap < APART * healthy.metrics["com_distance"]
    assert abs(plane.metrics["com_distance"] - healthy.metrics["com_distance"]) > 2.0 * gap
    assert plane.metrics["net_work"] == pytest.approx(space.metrics["net_work"], rel=APART)


@pytest.mark.parametrize("world", WORLDS)
def test_a_limp_joint_among_ideal_ones_takes_no_torque_and_resumes(world):
    robot, world = ROBOT.but(limp=(4,), joint_damping=0.02), WORLDS[world]
    run = sp.simulate(robot, GAIT, world, duration=1.0, step=5e-4)
    assert np.abs(run["joint_torque"][:, 3]).max() == 0.0
    assert np.abs((run["joint_angle"] - run["joint_target"])[1:, 3]).max() > 0.05
    assert abs(balance(run)) < CLOSED * run.metrics["net_work"]
    half = sp.simulate(robot, GAIT, world, duration=1.0, step=5e-4, until=0.4)
    assert np.array_equal(sp.resume(half)["node"], run["node"])


def test_explicit_integrators_refuse_a_stop():
    smooth = sp.World(sp.contact.Coulomb(0.1, 0.5, smoothing=1e-3))
    with pytest.raises(InputError, match="meets its stop at t ="):
        sp.simulate(ROBOT.but(joint_limit=LIMIT), GAIT, smooth, duration=0.5, integrator="rk4")


def test_limits_that_are_not_met_change_nothing():
    one, two = (sp.simulate(robot, GAIT, duration=0.5) for robot in (ROBOT, ROBOT.but(joint_limit=0.6)))
    assert np.array_equal(one["node"], two["node"])
    assert two.metrics["stop_loss"] == 0.0 and not any("stop" in text for text in two.warnings)
    assert two.metrics["net_work"] == pytest.approx(one.metrics["net_work"], rel=1e-12)


def test_a_joint_is_named_by_its_number_not_by_its_degree_of_freedom():
    robot = sp.robots.ma2001(links=10, joints="universal", radius=0.02).but(joint_limit=0.25)
    gait = sp.gaits.CompoundSerpenoid(yaw_amplitude=0.2, yaw_temporal=4.0, pitch_offset=0.0, ramp=0.0)
    bent = sp.gaits.CustomGait(_last_joint, cycle=1.0)
    run = sp.simulate(robot, bent, sp.World(ground=Ground()), duration=0.3)
    assert any(text.startswith("joint 9 (yaw) meets its stop") for text in run.warnings), run.warnings
    assert gait.period(robot) is not None


def _make():
    import math

    import numba

    @numba.njit
    def last(t, k, p):
        return 0.6 * math.sin(2.0 * math.pi * t) if k == 16 else 0.0

    return last


_last_joint = _make()


@pytest.mark.parametrize(
    ("kinds", "locked", "numbers"),
    [
        ("yaw", (3,), [1, 2, 4, 5]),
        ("universal", (2,), [1, 2, 5, 6, 7, 8, 9, 10]),
        (("yaw", "fixed", "yaw", "pitch", "yaw"), (), [1, 3, 4, 5]),
    ],
)
def test_a_locked_joint_leaves_the_torques_of_the_others(kinds, locked, numbers):
    """In space as in the plane a wave of torques goes by the joints' own numbers."""
    robot = sp.Robot(6, 0.1, 0.3, radius=0.02, joints=kinds, locked=locked)
    drive = SineTorque(0.02, 5.0, 0.9)
    worlds = [sp.World(ground=Ground())] + ([sp.World()] if robot.planar else [])
    for world in worlds:
        run = sp.simulate(robot, drive, world, duration=0.02, step=1e-3, checked=False)
        assert run["joint_torque"][-1] == pytest.approx(0.02 * np.sin(0.9 * np.array(numbers) + 5.0 * 0.02), rel=1e-9)
