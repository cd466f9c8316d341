"""What acts in a joint: servo or given torque, gear, stops. Angle and rate in, torque and its slope out; plane and space alike.

An implicit step of length h asks for the impulse h tau as a linear function of the rate w at its end, T - D w, in three parts that
are accounted for separately:

| part | law |
|---|---|
| motor | servo: tau = kp play(aim - angle) - kd w, within the torque limit and the motor's line; or a torque given |
| losses | joint damping c w; gear friction tau_g w / sqrt(w^2 + eps^2) |
| stop | spring and damper beyond the stops: k (stop - angle) - d w, never pulling |

The angle at the end of the step is angle_0 + h ((1 - s) w_0 + s w), with the `share` s = 1/2 in space and 1 in the plane. `play`
leaves out the backlash: within half of it the position loop does not push. The rotor turns with the joint all the same, and so
does its damping: no play is the limit of little play. Stops that are met within a step damp only the way from there on, so that T - D w is
continuous in w and the step always has a solution. A motor on its torque-speed line gives at most tau_s (1 - w sign(tau) / w_s), tau_s at stall, and tau_s where it brakes. Rotor
inertia J (at the joint's side of the gear) adds J w_0 - J w; the step counts it as kinetic energy.

An ideal joint that is told to go beyond its stop stays there at rest (`at_stop`): the stop bears the torque that
pushes the joint back (`stop_share`), and takes the work of the impact.

| row | meaning | unit |
|---|---|---|
| SERVO | 1: position servo, 0: the aim is a torque | - |
| DRIVEN | 1, or 0 where the joint is limp | - |
| STIFFNESS, DAMPING_GAIN | kp, kd of the servo | N m/rad, N m s/rad |
| TORQUE_LIMIT, NO_LOAD_SPEED | tau_s, w_s; 1e300: none | N m, rad/s |
| AIM_SPEED | how fast the aim of a servo may move | rad/s |
| BACKLASH | half of the play | rad |
| JOINT_DAMPING, GEAR_FRICTION | c, tau_g | N m s/rad, N m |
| ROTOR | J | kg m^2 |
| STOP_LOW, STOP_HIGH | angles of the stops; -1e300, 1e300: none | rad |
| STOP_STIFFNESS, STOP_DAMPING | k, d | N m/rad, N m s/rad |
"""

from __future__ import annotations

import math

import numpy as np

from serpenoid.compiled import njit
from serpenoid.contact.smoothing import smoothed
from serpenoid.core import FloatArray, Robot
from serpenoid.core.actuator import Servo
from serpenoid.core.errors import InputError

(
    SERVO, DRIVEN, STIFFNESS, DAMPING_GAIN, TORQUE_LIMIT, NO_LOAD_SPEED, AIM_SPEED, BACKLASH, JOINT_DAMPING, GEAR_FRICTION, ROTOR,
    STOP_LOW, STOP_HIGH, STOP_STIFFNESS, STOP_DAMPING,
) = range(15)  # fmt: skip
ACTUATOR_ROWS = 15
UNLIMITED = 1e300
GEAR_SMOOTHING = 1e-3  # rad/s: below it gear friction gives way


def actuators_for(axes: int) -> np.ndarray:
    """Rows of so many axes without motor, gear or stops: limp joints."""
    table = np.zeros((ACTUATOR_ROWS, axes))
    table[DRIVEN] = 1.0
    for row, value in (
        (TORQUE_LIMIT, UNLIMITED),
        (NO_LOAD_SPEED, UNLIMITED),
        (AIM_SPEED, UNLIMITED),
        (STOP_LOW, -UNLIMITED),
        (STOP_HIGH, UNLIMITED),
    ):
        table[row] = value
    return table


NEAR_STOP = 0.05  # rad: a stop that near may be reached within a step
STOP_FREQUENCY = (
    1000.0  # rad/s, of a mean link against its stop: stiffness J w^2, damping 2 J w (critical), J = m l^2 / 3
)


def servos_of(robot: Robot) -> list[Servo | None]:
    """Servo of each joint from the tail (n-1,), None: none; all of one control period."""
    servo = robot.servo
    each = list(servo) if isinstance(servo, tuple) else [servo] * (robot.links - 1)
    if len({s.control_period for s in each if s is not None}) > 1:
        raise InputError("all servos of a robot must have the same control_period")
    return each


def actuators_of(robot: Robot, axes: tuple[tuple[int, str], ...]) -> FloatArray:
    """Rows of a robot's axes (joint from 1, kind): its servos, damping and stops; joints that are limp or lack a servo are not driven."""
    table, servos = actuators_for(len(axes)), servos_of(robot)
    inertia = float(np.mean(robot.link_mass * robot.link_length**2)) / 3.0
    any_servo = any(servo is not None for servo in servos)
    for k, (joint, _) in enumerate(axes):
        servo, limit = servos[joint - 1], robot.joint_limit[joint - 1]
        table[JOINT_DAMPING, k] = robot.joint_damping[joint - 1]
        table[DRIVEN, k] = float(joint not in robot.limp and (servo is not None or not any_servo))
        if limit < 0.1 * UNLIMITED:
            table[STOP_LOW, k], table[STOP_HIGH, k] = -limit, limit
            table[STOP_STIFFNESS, k] = inertia * STOP_FREQUENCY**2
            table[STOP_DAMPING, k] = 2.0 * inertia * STOP_FREQUENCY
        if servo is not None:
            table[SERVO, k], table[STIFFNESS, k], table[DAMPING_GAIN, k] = 1.0, servo.stiffness, servo.damping
            for row, name, scale in (
                (TORQUE_LIMIT, "torque_limit", 1.0), (AIM_SPEED, "speed_limit", 1.0), (NO_LOAD_SPEED, "no_load_speed", 1.0),
                (BACKLASH, "backlash", 0.5), (GEAR_FRICTION, "gear_friction", 1.0), (ROTOR, "rotor_inertia", 1.0),
            ):  # fmt: skip
                value = getattr(servo, name)
                if value is not None:
                    table[row, k] = scale * value
    return table


def nonlinearity(table: FloatArray) -> float:
    """0: what acts in the joints is linear in their rates, 1: but for stops, 2: motors or gears are not."""
    limited = (table[TORQUE_LIMIT] < UNLIMITED) | (table[NO_LOAD_SPEED] < UNLIMITED) | (table[BACKLASH] > 0.0)
    if np.any(limited | (table[GEAR_FRICTION] > 0.0)):
        return 2.0
    return float(np.any(table[STOP_HIGH] < UNLIMITED))


@njit
def nonlinear(act, k, angle):
    """Whether what acts in a joint near an angle is not a linear function of its rate: limits, play, gear friction, stops."""
    limited = act[TORQUE_LIMIT, k] < UNLIMITED or act[NO_LOAD_SPEED, k] < UNLIMITED or act[BACKLASH, k] > 0.0
    stopped = angle > act[STOP_HIGH, k] - NEAR_STOP or angle < act[STOP_LOW, k] + NEAR_STOP
    return limited or act[GEAR_FRICTION, k] > 0.0 or stopped


@njit
def at_stop(act, k, angle):
    """1 or -1 where an angle is at or beyond the upper or lower stop, else 0."""
    return 1.0 if angle >= act[STOP_HIGH, k] else (-1.0 if angle <= act[STOP_LOW, k] else 0.0)


@njit
def stop_share(side, torque):
    """What a stop bears of the torque in an ideal joint that rests at it: a stop pushes back, all else is the motor's."""
    return min(torque, 0.0) if side > 0.0 else (max(torque, 0.0) if side < 0.0 else 0.0)


@njit
def moved_aim(act, k, aim, wanted, dt):
    """The aim after a step: towards the wanted angle, no faster than the servo allows."""
    most = act[AIM_SPEED, k] * dt
    return aim + min(max(wanted - aim, -most), most)


@njit
def motor_impulse(act, k, aim, angle0, rate0, rate, dt, share=0.5, predicted=np.inf):
    """T and D of the motor at the rate tried; at its limit D may be taken with the impulse that was predicted (`contact.smoothing`)."""
    driven = act[DRIVEN, k]
    if act[SERVO, k] == 0.0:
        return dt * aim * driven, 0.0
    kp, kd, play = act[STIFFNESS, k] * driven, act[DAMPING_GAIN, k] * driven, act[BACKLASH, k]
    error = aim - angle0 - (1.0 - share) * dt * rate0
    ahead = error - share * dt * rate
    steady, slope = kp * error, share * dt * kp + kd
    if play > 0.0:
        if abs(ahead) <= play:  # loose: nothing aims, the motor still brakes
            steady, slope = 0.0, kd
        else:
            steady = kp * (error - math.copysign(play, ahead))
    torque = steady - slope * rate
    sign = math.copysign(1.0, torque)
    limit, stall = act[TORQUE_LIMIT, k], act[NO_LOAD_SPEED, k]
    line = 0.0 if stall >= UNLIMITED or sign * rate <= 0.0 else limit / stall
    if abs(torque) > limit - line * sign * rate:
        if line == 0.0 and predicted < np.inf:
            slope *= max(0.0, dt * limit - max(sign * predicted, -dt * limit)) / abs(torque)
            return dt * sign * limit * driven + slope * rate, slope
        return dt * sign * limit * driven, dt * line * driven
    return dt * steady, dt * slope


@njit
def loss_impulse(act, k, rate, dt, secant=False):
    """T and D of joint damping and gear friction at the rate tried; by the secant -torque / rate where asked for."""
    friction = act[GEAR_FRICTION, k]
    if friction == 0.0:
        return 0.0, dt * act[JOINT_DAMPING, k]
    r = 1.0 / math.sqrt(rate * rate + GEAR_SMOOTHING * GEAR_SMOOTHING)
    if secant:
        return 0.0, dt * (friction * r + act[JOINT_DAMPING, k])
    slope = friction * GEAR_SMOOTHING * GEAR_SMOOTHING * r * r * r
    return dt * (slope * rate - friction * rate * r), dt * (slope + act[JOINT_DAMPING, k])


@njit
def gear_impulse(act, k, rate, dt, by, predicted):
    """T and D of gear friction at the rate tried; slopes are taken as those of dry friction (`contact.smoothing`)."""
    torque, slope = smoothed(rate, act[GEAR_FRICTION, k], GEAR_SMOOTHING, by, predicted)
    return dt * (torque + slope * rate), dt * slope


@njit
def stop_impulse(act, k, angle0, rate0, rate, dt, share=0.5):
    """T and D of the stops at the rate tried."""
    middle = angle0 + (1.0 - share) * dt * rate0
    angle = middle + share * dt * rate
    if act[STOP_LOW, k] <= angle <= act[STOP_HIGH, k]:
        return 0.0, 0.0
    side = 1.0 if angle > act[STOP_HIGH, k] else -1.0
    stop = act[STOP_HIGH, k] if side > 0.0 else act[STOP_LOW, k]
    stiff, damp = act[STOP_STIFFNESS, k], act[STOP_DAMPING, k]
    if side * (angle0 - stop) < 0.0:  # met within the step: damping only from there on
        stiff += damp / dt
        return dt * stiff * (stop - middle), dt * dt * share * stiff
    steady, slope = stiff * (stop - middle), share * dt * stiff + damp
    if side * (steady - slope * rate) > 0.0:  # it would pull
        return 0.0, 0.0
    return dt * steady, dt * slope
