"""Servos that people buy: a DC motor behind a gear, whose duty is proportional to the error of position.

    u = min(max(g K (aim - angle), -d), d) V          voltage at the motor: gain K of the firmware, duty g K a radian, at most d
    tau = kt (u - kt w) / R - b w - tau_c sign(w)     torque at the joint; the rotor adds its armature J to the joint's inertia

That is the servo of `core.actuator` with

| field | value | reading |
|---|---|---|
| stiffness | g K V kt / R | of the position loop |
| damping | kt^2 / R + b | back-EMF and viscous friction: such a servo needs no derivative gain |
| torque_limit | tau_s = kt d V / R, or kt I where a current limit I is lower | at stall |
| no_load_speed | tau_s / (kt^2 / R + b) | the speed-torque line at full duty |
| gear_friction, rotor_inertia, backlash | tau_c, J, play | at the joint's side of the gear |

The line is exact while the motor drives. Where it brakes at full duty the model gives tau_s, a motor that much more by its back-EMF. A
current limit lowers the whole line; a motor holds the limit until its voltage runs out: between the two the model is the weaker one (held to 40 % of the stall current, a step of 1 rad lags by up to 0.19 rad more). Play is a dead
zone of the position error; the rotor, its friction and its damping stay with the joint.

kt, R, J, tau_c, b, g K and d were identified by Rhoban (github.com/Rhoban/bam, Apache-2.0, commit 1b5a1ce: `bam/params/*/m1.json`, and the control
laws of `bam/dynamixel/actuator.py`, `bam/feetech/actuator.py`). Voltages, masses, play and what the makers rate are those of their manuals (emanual.robotis.com); the
play of the STS3215 is its data sheet's (0.5 degrees; 0.9 were measured, robonine.com), its mass that of the shops.

| servo | kt (N m/A) | R (ohm) | J (kg m^2) | tau_c (N m) | b (N m s/rad) | at V | here: stall, free speed | rated |
|---|---|---|---|---|---|---|---|---|
| mx64 | 1.622 | 3.949 | 0.01195 | 0.0904 | 0.0117 | 12 | 4.74 N m, 66 rev/min | 6.0 N m, 63 rev/min |
| mx106 | 2.191 | 2.965 | 0.02661 | 0.1035 | 0.0352 | 12 | 8.54 N m, 49 rev/min | 8.4 N m, 45 rev/min |
| xl320 | 0.987 | 35.61 | 0.00112 | 0.0275 | 0.0033 | 7.4 | 0.205 N m, 55 rev/min | 0.39 N m, 114 rev/min |
| xl330 | 0.387 | 4.017 | 0.00181 | 0.0128 | 0.0037 | 5 | 0.481 N m, 109 rev/min | 0.52 N m, 103 rev/min (M288) |
| sts3215 | 1.212 | 2.676 | 0.0284 | 0.0524 | 0.0591 | 7.4 | 3.25 N m, 50 rev/min | 30 kg cm = 2.94 N m, 45 rev/min at 12 V (another winding) |

Known limits: the xl320 as identified has half of its rated torque and speed; the identification of the xl330 is disputed by its own authors (it seems to measure the
current on the supply's side); friction that grows with the load (their models m2 to m6) is not modelled. All numbers are those of single servos.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from serpenoid.core.actuator import SERVOS, Servo
from serpenoid.core.door import door
from serpenoid.core.errors import InputError

ARCMIN = math.pi / 180.0 / 60.0


@dataclass(frozen=True)
class ServoMotor:
    """What a servo is made of; torques, speeds and inertias at its output."""

    torque_constant: float  # N m/A, and V s/rad
    resistance: float  # ohm
    armature: float  # kg m^2
    coulomb: float  # N m
    viscous: float  # N m s/rad
    duty_gain: float  # duty per rad of error and unit of the firmware's gain
    most_duty: float
    gain: float  # usual gain of the firmware
    voltage: float  # V, recommended
    voltages: tuple[float, float]  # V, that it stands
    mass: float  # kg
    backlash: float = 0.0  # rad; 0: not given
    aim_speed: float | None = None  # rad/s at which the firmware moves its aim; none: at once
    text: str = ""

    @door
    def stall_torque(self, voltage: float) -> float:
        """Torque at rest and full duty (N m)."""
        return self.torque_constant * self.most_duty * voltage / self.resistance

    @property
    def slope(self) -> float:
        """How much torque a speed costs: back-EMF and viscous friction (N m s/rad)."""
        return self.torque_constant**2 / self.resistance + self.viscous

    @door
    def no_load_speed(self, voltage: float) -> float:
        """Speed at which the motor gives no torque (rad/s); its dry friction takes coulomb / slope of it."""
        return self.stall_torque(voltage) / self.slope

    def servo(self, voltage: float, gain: float, current_limit: float | None, changes: dict[str, Any]) -> Servo:
        """The servo at a supply voltage (V), with the gain of its firmware and a current limit (A)."""
        low, high = self.voltages
        if not low <= voltage <= high:
            raise InputError(f"servo preset: voltage must be {low:g} to {high:g} V, got {voltage:g}")
        for name, value in (("gain", gain), ("current_limit", current_limit)):
            if value is not None and not value > 0.0:
                raise InputError(f"servo preset: {name} must be > 0, got {value:g}")
        stall = self.stall_torque(voltage)
        values: dict[str, Any] = {
            "stiffness": self.duty_gain * gain * voltage * self.torque_constant / self.resistance,
            "damping": self.slope,
            "torque_limit": stall if current_limit is None else min(stall, self.torque_constant * current_limit),
            "no_load_speed": self.no_load_speed(voltage),
            "speed_limit": self.aim_speed,
            "gear_friction": self.coulomb,
            "rotor_inertia": self.armature,
            "backlash": self.backlash,
        }
        return Servo(**{**values, **changes})


MOTORS = {
    "mx64": ServoMotor(
        1.6224667906987444, 3.949433673232461, 0.011951238325312509, 0.09038677246291783, 0.011691602145974832,
        0.158, 0.9625, 32.0, 12.0, (10.0, 14.8), 0.135, 20.0 * ARCMIN, text="Dynamixel MX-64AT/AR",
    ),
    "mx106": ServoMotor(
        2.1913757006745245, 2.9649903987776804, 0.026609234235148084, 0.10352026623606064, 0.03520238029013507,
        0.158, 0.9625, 32.0, 12.0, (10.0, 14.8), 0.153, 20.0 * ARCMIN, text="Dynamixel MX-106T/R",
    ),
    "xl320": ServoMotor(
        0.9869471336819953, 35.609097347319235, 0.0011189506223419352, 0.027514504332133573, 0.003317607576942647,
        0.05048199, 1.0, 32.0, 7.4, (6.0, 8.4), 0.0167, text="Dynamixel XL-320",
    ),
    "xl330": ServoMotor(
        0.3866957639281311, 4.017129222290597, 0.0018141672784458866, 0.01283272036582759, 0.003661672282824312,
        4096.0 / (2.0 * math.pi) / (256.0 * 885.0), 1.0, 400.0, 5.0, (3.7, 6.0), 0.018, text="Dynamixel XL330-M288-T",
    ),
    "sts3215": ServoMotor(
        1.21164135295077, 2.6761663274455603, 0.02840336348682085, 0.05239296084748866, 0.05908515565091076,
        0.166, 0.97, 32.0, 7.4, (4.0, 7.4), 0.055, math.radians(0.5), 3400.0 * 2.0 * math.pi / 4096.0,
        text="Feetech STS3215, 7.4 V",
    ),
}  # fmt: skip


@SERVOS.register
@door
def mx64(voltage: float = 12.0, gain: float = 32.0, current_limit: float | None = None, **changes: Any) -> Servo:
    """Dynamixel MX-64 (126 to 135 g): 4.7 N m at stall and 7.0 rad/s at 12 V."""
    return MOTORS["mx64"].servo(voltage, gain, current_limit, changes)


@SERVOS.register
@door
def mx106(voltage: float = 12.0, gain: float = 32.0, current_limit: float | None = None, **changes: Any) -> Servo:
    """Dynamixel MX-106 (153 g): 8.5 N m at stall and 5.2 rad/s at 12 V."""
    return MOTORS["mx106"].servo(voltage, gain, current_limit, changes)


@SERVOS.register
@door
def xl320(voltage: float = 7.4, gain: float = 32.0, current_limit: float | None = None, **changes: Any) -> Servo:
    """Dynamixel XL-320 (17 g): 0.21 N m at stall and 6.7 rad/s at 7.4 V."""
    return MOTORS["xl320"].servo(voltage, gain, current_limit, changes)


@SERVOS.register
@door
def xl330(voltage: float = 5.0, gain: float = 400.0, current_limit: float | None = None, **changes: Any) -> Servo:
    """Dynamixel XL330-M288 (18 g): 0.48 N m at stall and 11.8 rad/s at 5 V; its identification is disputed."""
    return MOTORS["xl330"].servo(voltage, gain, current_limit, changes)


@SERVOS.register
@door
def sts3215(voltage: float = 7.4, gain: float = 32.0, current_limit: float | None = None, **changes: Any) -> Servo:
    """Feetech STS3215 for 7.4 V (55 g): 3.3 N m at stall and 5.3 rad/s."""
    return MOTORS["sts3215"].servo(voltage, gain, current_limit, changes)
