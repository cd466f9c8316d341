"""The joint servo of the mechanical snake: the active joint holds, the passive one goes with the outer torque."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import serpenoid as sp
from serpenoid.control.motor_joint import MotorJoint, joint_response

JOINT = MotorJoint()  # K_m = 1, tau = 0.05 s, K_p = 20, R / K_t = 1
# travel of the passive joint in 2 s under 0.5 N m, by sample time, of the restored equation of Shan, Koren (1993); that given for
# 1 ms, 0.967, is 0.0014 too much: the exact step and an integration in steps of 1e-5 s both give 0.9656
TRAVEL = {0.1: 0.491, 0.01: 0.889, 0.001: 0.9656}


@pytest.mark.parametrize(("sample", "travel"), TRAVEL.items())
def test_passive_travel(sample: float, travel: float) -> None:
    assert joint_response(JOINT, 0.5, 2.0, sample=sample, mode="passive").angle[-1] == pytest.approx(travel, abs=5e-4)


def test_passive_tends_to_the_free_motor() -> None:
    """With h to 0 nothing resists: tau theta'' + theta' = K_m (R / K_t) T."""
    free = 0.5 * (2.0 - 0.05 * (1.0 - np.exp(-2.0 / 0.05)))
    assert free == pytest.approx(0.975, abs=1e-4)
    gaps = [free - joint_response(JOINT, 0.5, 2.0, sample=h, mode="passive").angle[-1] for h in (4e-3, 2e-3, 1e-3)]
    assert gaps[0] / gaps[1] == pytest.approx(2.0, rel=0.05) and gaps[1] / gaps[2] == pytest.approx(2.0, rel=0.05)
    assert JOINT.passive_to(1e-3) == pytest.approx(0.01)


def test_active_holds() -> None:
    """At rest an outer torque is balanced by K_p times the error: 0.5 / 20."""
    held = joint_response(JOINT, 0.5, 2.0, mode="active").angle
    assert held[-1] == pytest.approx(-0.025, abs=1e-9)
    assert joint_response(JOINT, 0.0, 2.0, mode="active", reference=0.3).angle[-1] == pytest.approx(0.3, abs=1e-7)


def test_the_step_is_exact() -> None:
    """Coarse and fine samples agree for an active joint, and with an integration of the equation."""
    coarse, fine = (joint_response(JOINT, 0.4, 0.5, sample=h, reference=0.2) for h in (0.1, 1e-3))
    assert np.allclose(coarse.angle, fine.angle[::100], atol=1e-13)
    exact = solve_ivp(
        lambda t, x: [x[1], (-x[1] + 20.0 * (0.2 - x[0]) - 0.4) / 0.05], (0.0, 0.5), [0.0, 0.0], rtol=1e-10, atol=1e-12
    )
    assert fine.angle[-1] == pytest.approx(exact.y[0, -1], abs=1e-8)


def test_passive_stops_at_the_planned_angle() -> None:
    done = joint_response(JOINT, 0.5, 2.0, mode="passive", stop=0.4)
    assert done.angle.max() == 0.4 and done.angle[-1] == 0.4
    back = joint_response(JOINT, -0.5, 2.0, mode="passive", stop=0.1, angle=0.6)
    assert back.angle.min() == 0.1


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"mode": "loose"}, "active"), ({"sample": 0.0}, "sample"), ({"torque": np.nan}, "torque"), ({"duration": 1e-9}, "duration"),
        ({"torque": [1.0, 2.0]}, "torque"),
    ],
)  # fmt: skip
def test_refused(changes: dict, text: str) -> None:
    given = {"torque": 0.5, "duration": 1.0, **changes}
    with pytest.raises(sp.SerpenoidError, match=text):
        joint_response(JOINT, given.pop("torque"), given.pop("duration"), **given)
    with pytest.raises(sp.SerpenoidError, match="motor gain"):
        MotorJoint(gain=-1.0)
