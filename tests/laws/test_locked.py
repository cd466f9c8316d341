"""A locked joint takes its load in its structure: what it bears is no torque of an actuator, in no metric and no mode."""

from __future__ import annotations

import numpy as np
import pytest

import serpenoid as sp
from serpenoid.core.actuator import Servo

ROBOT = sp.Robot(5, 0.1, 0.2, locked=(2,), joint_damping=0.01)
GAIT, SERVO, DRIVE = sp.gaits.Serpenoid(0.5, 1.0, 0.3), Servo(20.0, 0.4), sp.control.SineTorque(0.1, 5.0, 0.6)
LAW = sp.contact.Viscous(0.2, 0.8)
BENT = sp.Start(velocity=(0.0, 0.5), angles=(0.3, 0.2, 0.1))
STEP = 1e-3  # s; every step is recorded
CASES = {
    "gait": (ROBOT, GAIT, sp.Start(), "implicit"), "gait rk4": (ROBOT, GAIT, sp.Start(), "rk4"),
    "stops": (ROBOT.but(joint_limit=0.2), GAIT, sp.Start(), "implicit"), "servos": (ROBOT.but(servo=SERVO), GAIT, sp.Start(), "implicit"),
    "drive": (ROBOT, DRIVE, BENT, "implicit"), "limp": (ROBOT, None, BENT, "implicit"),
    "limp beside driven": (ROBOT.but(limp=(3,)), GAIT, sp.Start(), "implicit"),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_metrics_count_what_actuators_give(name: str) -> None:
    robot, command, start, integrator = CASES[name]
    run = sp.simulate(
        robot, command, sp.World(LAW), 0.2, start=start, step=STEP, record_interval=STEP, checked=False, integrator=integrator
    )  # fmt: skip
    torque = run["joint_torque"]
    assert torque.shape[1] == 3 and list(run["dof_joint"]) == [1, 3, 4]
    assert run.metrics["torque_max"] == pytest.approx(
        np.abs(torque[1:]).max(), rel=1e-3 if integrator == "rk4" else 1e-12
    )
    square = float((torque[1:] ** 2).sum(axis=1).mean())  # of whole steps; rk4 integrates between them
    assert run.metrics["torque_sq_mean"] == pytest.approx(square, rel=1e-2 if integrator == "rk4" else 1e-12)
    assert (run.metrics["torque_max"] == 0.0) == (name == "limp")
