"""Servo presets: the law in the joint is that of a DC motor whose duty is proportional to the error of position."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import serpenoid as sp
from serpenoid.contact.joint import actuators_of, motor_impulse
from serpenoid.core.robot import Robot
from serpenoid.formats.scenario import checked, schema
from serpenoid.robots.servos import MOTORS, SERVOS

# github.com/Rhoban/bam, params/*/m1.json, rounded: kt, R, armature, Coulomb, viscous
BAM = {
    "mx64": (1.622, 3.949, 0.01195, 0.0904, 0.0117), "mx106": (2.191, 2.965, 0.02661, 0.1035, 0.0352),
    "xl320": (0.987, 35.61, 0.00112, 0.0275, 0.0033), "xl330": (0.387, 4.017, 0.00181, 0.0128, 0.0037),
    "sts3215": (1.212, 2.676, 0.0284, 0.0524, 0.0591),
}  # fmt: skip
RATED_SPEED = {"mx64": 63.0, "mx106": 45.0, "xl330": 103.0}  # rev/min without load, emanual.robotis.com
ROUNDING = 1e-12
SETTLED = 1e-4  # rad, rad/s: of a servo after many of its time constants


def two_links(servo: Any, **changes: Any) -> Robot:
    """Light links: their centrifugal torques, which change with the angle, are far below the servo's."""
    return Robot(links=2, link_length=0.1, link_mass=1e-3, servo=servo, **changes)


def motor_torque(servo: Any, error: float, rate: float) -> float:
    """What the kernel makes of an error at the end of a step, and of a rate."""
    robot = two_links(servo)
    dt = 1e-3
    first, slope = motor_impulse(actuators_of(robot, robot.axes), 0, error + dt * rate, 0.0, 0.0, rate, dt, 1.0)
    return float((first - slope * rate) / dt)


@pytest.mark.parametrize("name", BAM)
def test_numbers_of_the_source(name: str) -> None:
    motor = MOTORS[name]
    found = (motor.torque_constant, motor.resistance, motor.armature, motor.coulomb, motor.viscous)
    assert found == pytest.approx(BAM[name], rel=1e-3, abs=5e-5)  # what rounding leaves
    if name in RATED_SPEED:
        free = (motor.stall_torque(motor.voltage) - motor.coulomb) / motor.slope * 30.0 / np.pi
        assert free == pytest.approx(RATED_SPEED[name], rel=0.09)


@pytest.mark.parametrize("name", BAM)
def test_the_law_is_that_of_the_motor(name: str) -> None:
    """tau = kt (u - kt w) / R - b w with u within the duty, wherever the motor drives; at stall kt d V / R."""
    m = MOTORS[name]
    volts, gain = 0.5 * sum(m.voltages), 0.7 * m.gain
    servo = SERVOS[name](voltage=volts, gain=gain, backlash=0.0)
    free = m.no_load_speed(volts)
    for error in (-3.0, -0.11, 0.013, 0.4, 5.0):
        for share in (-0.9, -0.3, 0.0, 0.2, 0.8):
            rate = share * free
            duty = np.clip(m.duty_gain * gain * error, -m.most_duty, m.most_duty)
            real = m.torque_constant * (duty * volts - m.torque_constant * rate) / m.resistance - m.viscous * rate
            if real * rate >= 0.0 or (abs(duty) < m.most_duty and abs(real) < m.stall_torque(volts)):
                assert motor_torque(servo, error, rate) == pytest.approx(real, rel=1e-9, abs=ROUNDING)
            else:  # braking at full duty: the model stops at the stall torque
                assert abs(motor_torque(servo, error, rate)) <= m.stall_torque(volts) * (1.0 + ROUNDING)
    assert motor_torque(servo, 9.0, 0.0) == pytest.approx(m.stall_torque(volts), rel=ROUNDING)
    assert motor_torque(servo, 9.0, free) == pytest.approx(0.0, abs=ROUNDING)


def test_current_limit() -> None:
    m, servo = MOTORS["mx64"], SERVOS["mx64"](current_limit=1.3, backlash=0.0)
    assert motor_torque(servo, 9.0, 0.0) == pytest.approx(1.3 * m.torque_constant, rel=ROUNDING)
    assert SERVOS["mx64"](current_limit=50.0) == SERVOS["mx64"]()


def follow(robot: Robot, times: list[float], angles: list[float], duration: float) -> sp.Trajectory:
    gait = sp.gaits.Sampled(times, [[a] for a in angles], interpolation="linear")
    world = sp.World(sp.contact.Frictionless())
    return sp.simulate(robot, gait, world, duration=duration, step=5e-4, record_interval=0.01)


@pytest.mark.parametrize("name", ["mx64", "sts3215"])
def test_lag_under_a_ramp(name: str) -> None:
    """A free joint that follows an aim at constant rate w lags by (damping w + friction) / stiffness and half of the play."""
    servo, rate = SERVOS[name](), 1.7
    run = follow(two_links(servo), [0.0, 0.5, 1.0, 2.0], [0.0, 0.5 * rate, rate, 2.0 * rate], 1.5)
    lag = rate * run["time"][-1] - run["joint_angle"][-1, 0]
    assert lag == pytest.approx(
        (servo.damping * rate + servo.gear_friction) / servo.stiffness + 0.5 * servo.backlash, abs=SETTLED
    )
    assert run["joint_rate"][-1, 0] == pytest.approx(rate, abs=SETTLED)


def test_free_speed() -> None:
    """Far from its aim a free joint turns at (stall torque - friction) / slope."""
    m = MOTORS["mx106"]
    run = follow(two_links("mx106"), [0.0, 1e-3, 5.0, 9.0], [0.0, 20.0, 20.0, 20.0], 1.0)
    assert run["joint_rate"][-1, 0] == pytest.approx((m.stall_torque(12.0) - m.coulomb) / m.slope, abs=SETTLED)


def test_in_scenarios() -> None:
    """By name, as a table with changes, in lists; numbers take the place of names, and the schema knows the names."""
    data: dict[str, Any] = {
        "robot": {"preset": "rods", "links": 4, "servo": {"preset": "mx64", "voltage": 14.8, "backlash_deg": 0.0}},
        "gait": {"kind": "serpenoid", "winding_angle": 0.4, "waves": 1.0, "speed": 0.1}, "run": {"duration": 0.1},
    }  # fmt: skip
    table = checked(data)["robot"]["servo"]
    assert "preset" not in table and table == SERVOS["mx64"](voltage=14.8, backlash=0.0).keys()
    data["robot"]["servo"] = ["mx106", "limp", {"preset": "xl330"}]
    assert checked(data)["robot"]["servo"] == [SERVOS["mx106"]().keys(), "limp", SERVOS["xl330"]().keys()]
    assert set(SERVOS) == set(BAM) == set(MOTORS) and '"sts3215"' in str(schema()).replace("'", '"')


def test_set_on_the_command_line_drops_the_numbers_before() -> None:
    from serpenoid.formats.scenario import read

    servo = read("slope", ["robot.servo.voltage=10.5", "robot.servo.preset=mx64"])["robot"]["servo"]
    assert servo == SERVOS["mx64"](voltage=10.5).keys()
    assert read("slope", ["robot.servo=xl320"])["robot"]["servo"] == SERVOS["xl320"]().keys()


@pytest.mark.parametrize(
    ("servo", "text"),
    [
        ("mx65", "did you mean mx64"), ({"preset": "mx64", "voltage": 3.0}, "10 to 14.8 V"), ({"preset": "mx64", "gain": -1.0}, "gain"),
        ({"preset": "mx64", "current_limit": 0.0}, "current_limit"), ({"preset": "mx64", "volt": 3.0}, "volt"),
        ({"preset": "os:getcwd"}, "allow"), (3.0, "a Servo"), ({"preset": 3}, "must be one of"), ({"preset": "mx64", "torque_limit": -1}, "torque_limit"),
    ],
)  # fmt: skip
def test_refused(servo: Any, text: str) -> None:
    with pytest.raises(sp.SerpenoidError, match=text):
        sp.robots.rods(4, servo=servo)
