"""The robot of Sarrafan et al. (2012) on the ground: rolling, the flat wave, the point model, convergence (spec 4.4)."""

from __future__ import annotations

import numpy as np
import pytest

import serpenoid as sp
import space_cases as cases

OMEGA = cases.OMEGA
BAND = (0.8, 1.15)  # net distance over omega r T of a rolling capsule
ROLL = 0.01  # relative, of the roll rate
HALVED = 0.03  # of the path, when the step is halved


@pytest.mark.parametrize("radius", [0.015, 0.02])
def test_a_quarter_period_between_the_waves_rolls(radius: float) -> None:
    """delta_0 = +-pi/2: distance omega r T, roll rate omega, direction by the sign."""
    runs = {sign: cases.sidewind(sign * np.pi / 2, radius=radius) for sign in (1, -1)}
    for sign, run in runs.items():
        m = run.metrics
        assert run.status.ok
        assert BAND[0] < m["com_distance"] / (OMEGA * radius * 60.0) < BAND[1]
        assert sign * m["roll_rate_mean"] == pytest.approx(OMEGA, rel=ROLL)
    assert runs[1].metrics["com_dy"] * runs[-1].metrics["com_dy"] < 0.0


def test_waves_in_phase_lie_down_and_travel_flat() -> None:
    """delta_0 = 0: the body rolls by 43 degrees onto the plane of its wave and stays; path 6.5 to 7.6 m with servos."""
    run = cases.sidewind(0.0)
    m = run.metrics
    assert abs(abs(np.degrees(m["roll_angle"])) - 43.0) < 5.0
    assert abs(m["roll_rate_mean"]) < 0.002 * OMEGA
    assert 6.5 < m["path_length"] < 7.6
    late = np.degrees(run["roll"][run["time"] > 50.0])
    assert np.ptp(late) < 20.0  # it rocks, it does not roll on
    assert abs(m["com_distance"] - 7.07) < 0.5  # MuJoCo's own contact, spec 4.4


def test_the_point_model_cannot_roll() -> None:
    """No rolling radius: under 0.1 m in 60 s; delta_0 = 0 still travels (5.7 m at k = 2000, spec 4.4)."""
    law = sp.contact.Threshold(0.8, 0.8, static_along=0.8, static_across=0.8, critical_speed=0.01)
    point = cases.level(law, model="point", stiffness=2000.0, damping=10.0)
    assert cases.sidewind(np.pi / 2, world=point).metrics["com_distance"] < 0.1
    assert cases.sidewind(0.0, world=point).metrics["com_distance"] == pytest.approx(5.74, rel=0.05)


@pytest.mark.parametrize("phase", [0.0, -np.pi / 2])
def test_half_the_step_changes_little(phase: float) -> None:
    coarse, fine = (cases.sidewind(phase, step=h).metrics["path_length"] for h in (1e-3, 5e-4))
    assert abs(coarse - fine) < HALVED * fine


def test_mirror_of_the_phase() -> None:
    """delta_0 = 180 degrees: the same distance to the other side."""
    one, other = cases.sidewind(0.0).metrics, cases.sidewind(np.pi).metrics
    assert other["com_distance"] == pytest.approx(one["com_distance"], rel=0.05)
    assert one["com_dy"] * other["com_dy"] < 0.0


def test_the_order_of_the_joint_axes_matters() -> None:
    """Yaw before pitch (from the tail) mirrors the motion of the flat wave: where its lift comes from."""
    from serpenoid.gaits import Sidewinding

    robot = sp.robots.sarrafan2012().but(joints="universal")
    swapped = sp.simulate(
        robot.but(servo=cases.SERVO), Sidewinding(), cases.level(), 60.0, record_interval=0.02
    ).metrics
    plain = cases.sidewind(0.0).metrics
    assert swapped["com_dy"] * plain["com_dy"] < 0.0
    assert swapped["path_length"] == pytest.approx(plain["path_length"], rel=0.1)


def test_two_patches_touch() -> None:
    """Of twelve contact points about half press at a time; both ends of the run of links do not touch together all the time."""
    run = cases.sidewind(0.0, 20.0)
    assert 4.0 < run.metrics["contact_count_mean"] < 7.0
    assert run.metrics["normal_force_max"] < 60.0
    supported = run["contact_force"][..., 2][run["time"] > 5.0].sum(axis=1)
    assert supported.mean() == pytest.approx(1.8 * 9.81, rel=0.01)
