"""Numbers computed elsewhere, beside their source.

S: reference programs for Ma, Li and Wang (2001) (backward Euler, smoothed Coulomb friction, eps = 1e-3 m/s, step 2.5e-4 s); K:
kinematic_snake 1.0.0, a continuum model with unit-slip friction; L: equation (11) integrated with LSODA at rtol
1e-8.
"""

from __future__ import annotations

import numpy as np
import pytest

import serpenoid as sp

# S: (K_n, alpha_0 deg, case): distance, slip per link, mean squared torque, largest torque
SIMULATION_ONE = {
    (1, 30, "one"): (5.321, 0.0021, 21.6, 3.38),
    (1, 45, "one"): (4.854, 0.0018, 22.4, 2.44),
    (1, 60, "one"): (4.231, 0.0025, 30.7, 2.97),
    (2, 30, "one"): (5.174, 0.0018, 11.2, 2.00),
    (2, 45, "one"): (4.698, 0.0025, 21.9, 2.44),
    (2, 60, "one"): (4.064, 0.0051, 35.2, 3.11),
    (1, 30, "two"): (0.063, 1.431, 150.8, 6.23),
    (1, 45, "two"): (2.571, 0.908, 142.1, 6.39),
    (1, 60, "two"): (4.143, 0.047, 84.0, 5.78),
    (2, 30, "two"): (0.240, 1.658, 24.3, 3.14),
    (2, 45, "two"): (4.450, 0.111, 29.6, 3.58),
    (2, 60, "two"): (4.051, 0.0095, 39.8, 3.51),
}
STALLED = 0.005  # m, for distances under 1 m
LAST_DIGIT = {"slip": {0.0021: 5e-5, 0.0018: 5e-5, 0.0025: 5e-5, 0.0051: 5e-5, 0.0095: 5e-5, 0.047: 5e-4}}


@pytest.mark.parametrize(("waves", "winding", "case"), list(SIMULATION_ONE))
def test_simulation_one(waves: int, winding: int, case: str) -> None:
    distance, slip, torque, top = SIMULATION_ONE[waves, winding, case]
    m = sp.run_scenario(f"ma2001-case-{case}", [f"gait.waves={waves}", f"gait.winding_angle_deg={winding}"]).metrics
    assert m["com_distance"] == pytest.approx(distance, rel=0.003, abs=STALLED if distance < 1.0 else 0.0)
    assert m["slip_per_link"] == pytest.approx(slip, rel=0.02, abs=LAST_DIGIT["slip"].get(slip, 0.0))
    assert m["torque_sq_mean"] == pytest.approx(torque, rel=0.02)
    assert m["torque_max"] == pytest.approx(top, rel=0.02)


# S: case two, (K_n, alpha_0): distance with the threshold law (step 5e-5 s) and with bristles (step 1e-5 s)
OTHER_LAWS = {
    (1, 45): (2.854, 2.624),
    (1, 60): (4.141, 4.175),
    (2, 45): (4.549, 4.475),
    (3, 60): (3.737, 3.769),
}


@pytest.mark.parametrize(("waves", "winding"), list(OTHER_LAWS))
def test_other_readings_of_the_friction_law(waves: int, winding: int) -> None:
    for law, step, distance in zip(("threshold", "bristle"), (1e-4, 2e-5), OTHER_LAWS[waves, winding], strict=True):
        changes = [f"gait.waves={waves}", f"gait.winding_angle_deg={winding}", f"run.step={step}"]
        stick = ["world.friction.static_force_across=4.0", "world.friction.stick_length_across=1e-5"]
        m = sp.run_scenario("ma2001-case-two", [*changes, *stick, f"world.friction.law={law}"]).metrics
        assert m["com_distance"] == pytest.approx(distance, rel=0.001)


def test_agrees_with_lsoda() -> None:
    """L: case two, K_n = 2, 45 degrees, eps = 1e-2, t = 2 s: tail (0.737955, -0.056880), phi_0 = -0.511879."""
    changes = ["gait.waves=2", "gait.winding_angle_deg=45", "world.friction.smoothing=1e-2"]
    reference = np.array([0.737955, -0.056880, -0.511879])

    def end(*more: str) -> np.ndarray:
        run = sp.run_scenario("ma2001-case-two", [*changes, *more], until=2.0)
        return np.array([*run["node"][-1, 0, :2], np.arctan2(*run["link_axis"][-1, 0, 1::-1])])

    assert np.abs(end("run.integrator=rk4", "run.step=5e-4") - reference).max() < 2e-6
    coarse, fine = end("run.step=4e-4"), end("run.step=2e-4")
    assert np.abs(2 * fine - coarse - reference).max() < 2e-5


def test_torque_driven() -> None:
    """S: (14) literally: CoM x at .5, 1, 1.5, 2 s and joint angle at 2 s; damped reading at 5, 10, 20 s."""
    run = sp.run_scenario("ma2001-torque")
    x = np.interp([0.5, 1.0, 1.5, 2.0], run["time"], run["com"][:, 0] - run["com"][0, 0])
    assert x == pytest.approx([-0.0088, -0.0130, 0.038, 0.090], abs=1e-3)
    assert np.degrees(run.metrics["joint_angle_max"]) == pytest.approx(2750, rel=0.01)
    assert run.status.ok and any("spins up" in w for w in run.warnings)
    run = sp.run_scenario("ma2001-torque-damped")
    x = np.interp([5.0, 10.0, 20.0], run["time"], run["com"][:, 0] - run["com"][0, 0])
    assert x == pytest.approx([0.0814, 0.1368, 0.2991], rel=0.02)
    assert np.degrees(run.metrics["joint_angle_max"]) == pytest.approx(81, abs=1)
    assert run.status.ok and not [w for w in run.warnings if "crosses itself" not in w]  # its head curls in at the end


def test_long_torque_runs_say_that_they_left_the_horizon() -> None:
    run = sp.run_scenario("ma2001-torque", ["run.duration=8"])
    assert run.status.name == "left-horizon"
    assert 2.0 < run.status.time < 8.0


# K: Fr = 0.1, mu = (1, 1.5, 2), k = 1: amplitude of the curvature and mean speed in body lengths a period
KINEMATIC_SNAKE = {3: 0.03662, 5: 0.10096, 7: 0.15942, 9: 0.18003, 11: 0.14693}


@pytest.mark.parametrize("amplitude", list(KINEMATIC_SNAKE))
def test_kinematic_snake(amplitude: int) -> None:
    gait = sp.gaits.Serpenoid(amplitude / (2 * np.pi), 1.0, speed=1.0)
    world = sp.World(sp.contact.UnitSlip(1.0, 2.0, 1.5), gravity=10.0)
    run = sp.simulate(sp.robots.rods(100), gait, world, duration=6.0, step=2e-3)
    assert run.metrics["steady_speed"] == pytest.approx(KINEMATIC_SNAKE[amplitude], rel=0.005)


def test_standing_wave_travels_only_by_a_ratchet() -> None:
    def travelled(forward: float, backward: float) -> float:
        world = sp.World(sp.contact.UnitSlip(forward, 2.0, backward), gravity=10.0)
        run = sp.simulate(
            sp.robots.rods(20), sp.gaits.StandingWave(0.8, 1.0, 2 * np.pi), world, duration=5.0, step=1e-3
        )
        return run.metrics["com_dx"]

    ahead, back, nowhere = travelled(1, 3), travelled(3, 1), travelled(1, 1)
    assert ahead > 0.1
    assert back == pytest.approx(-ahead, rel=1e-9)
    assert abs(nowhere) < 1e-12


CREEP = ["gait.waves=2", "gait.winding_angle_deg=45"]


@pytest.mark.parametrize(
    ("changes", "dx"),
    [
        (["world.friction.along=0.5"], -0.8),  # isotropic, per axis
        (["world.friction.along=0.5", "world.friction.law=unit-slip"], -0.26),  # isotropic, unit slip
        (
            ["world.friction.along=0.5", "world.friction.across=0.2"],
            -1.15,
        ),  # along and across of case two, swapped
    ],
)
def test_wrong_way_round(changes: list[str], dx: float) -> None:
    """S: isotropic Coulomb friction creeps slowly backward; swapped anisotropy reverses the travel."""
    assert sp.run_scenario("ma2001-case-two", [*CREEP, *changes]).metrics["com_dx"] == pytest.approx(dx, rel=0.03)


@pytest.mark.parametrize("coefficient", [0.5, 5.0, 50.0])
def test_isotropic_viscous_friction_does_not_propel(coefficient: float) -> None:
    same = [
        f"world.friction.along={coefficient}",
        f"world.friction.across={coefficient}",
        "world.friction.law=viscous",
    ]
    assert sp.run_scenario("ma2001-case-two", [*CREEP, *same]).metrics["com_distance"] < 1e-3 * 1.6


def test_viscous_speed_grows_with_the_square_of_a_small_amplitude() -> None:
    """Liljeback et al. 2010: mean speed ~ amplitude^2 and ~ frequency."""

    def speed(winding: float, pace: float) -> float:
        gait = sp.gaits.Serpenoid(winding, 1.0, speed=pace)
        world = sp.World(sp.contact.Viscous(0.5, 5.0))
        periods = 6.0 / pace
        return sp.simulate(sp.robots.rods(20), gait, world, duration=periods, step=2e-3 / pace).metrics["steady_speed"]

    small = speed(0.05, 1.0)
    assert speed(0.1, 1.0) / small == pytest.approx(4.0, rel=0.03)
    assert speed(0.05, 2.0) / small == pytest.approx(2.0, rel=0.05)


def test_optimal_winding_angle() -> None:
    """S: mu_t = .1, mu_n = .8, K_n = 2: 33.3 degrees (J* = 4.3e4)."""
    changes = ["world.friction.along=0.1", "world.friction.across=0.8", "gait.waves=2", "run.step=5e-4"]
    found = sp.optimise.optimise_scenario(
        "ma2001-case-two", changes, over="gait.winding_angle_deg=5:90", maximise="efficiency", tolerance=0.2
    )
    assert found["optimum"]["gait.winding_angle_deg"] == pytest.approx(33.3, abs=1.0)
    assert found["value"] == pytest.approx(4.3e4, rel=0.02)
    assert found["evaluations"] > len(found["scan"]) == 18


def test_no_side_slip_limit() -> None:
    """On ideal wheels the links nearly make the continuous curve's progress s(T) J_0(alpha_0); no ground makes more."""
    from serpenoid.planar.wheels import ideal_progress, roll_along

    # S: 5.37 / 4.91 / 4.29 m for 30 / 45 / 60 degrees
    for degrees, progress in ((30, 5.37), (45, 4.91), (60, 4.29)):
        gait = sp.gaits.Serpenoid.start_stop(np.radians(degrees), 1.0, 1.0, 8.0)
        assert ideal_progress(gait, 8.0) == pytest.approx(progress, abs=0.005)
        path = roll_along(sp.robots.rods(80, length=1.6), gait, 8.0)
        assert np.hypot(*path[-1, :2]) == pytest.approx(progress, rel=0.01)
        real = sp.run_scenario("ma2001-case-one", [f"gait.winding_angle_deg={degrees}", "run.step=1e-3"])
        assert real.metrics["com_distance"] < progress
    straight = roll_along(sp.robots.rods(10), sp.gaits.Serpenoid(0.0, 1.0, speed=0.5), 1.0)
    assert np.abs(straight).max() < 1e-9
