"""What the motors of a robot must do in a run, and which servos would do it.

The run is done once with servos without limits, friction or rotors: joint torques tau(t) and rates w(t). A motor with the torque constant kt, the
resistance R, the armature J, the friction tau_c and b would then need

    tau_m = tau + tau_c sign(w) + b w + J w'         torque
    i = tau_m / kt,   u = R i + kt w                 current and voltage
    P = max(u i, 0),  Q = R i^2                      power from the supply (nothing is fed back), heat in the winding

The margin is d V / |u|, where |u| is what the joint that needs most of it needs for 99 % of the time (`SHARE`): what contacts ask for in single
instants is shared by the body's own softness. It says how much voltage is there, not what the robot does: a servo with a soft position loop lags long before its
voltage runs out, and a robot may get on well with motors that are at their limits in some moments. So the verdict is that of the run itself, done with that servo, its torque-speed
line, gain, friction, rotor and play (`confirmed`): it will do if it covers at least half of the reference's way (`basis` "run"). On a slope that the robot is meant to climb
(`slopes`) the height gained decides: half of the reference's, and where that slides down itself, any (`basis` "height"). Only where the reference goes nowhere, so that there is no
way to compare, the margin decides (`basis` "margin"): from 1.25 (`SAFE`) on "will", below 0.8 (`SHORT`) "will not", between them "marginal". A servo runs hot if the RMS torque that its worst joint needs is
more than a fifth of the stall torque, the rule of its maker ("stable motions are possible with robots designed for loads with 1/5 or less of the stall torque",
emanual.robotis.com); heat is reported, not judged.

Known limits: the mass of the robot stays as it is; what is not steady motion (`steady`) is left out; gearboxes have no efficiency but their friction.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from serpenoid.core import Robot, Trajectory
from serpenoid.core.actuator import SERVOS, Servo
from serpenoid.core.door import door
from serpenoid.core.errors import InputError
from serpenoid.core.quantities import Number
from serpenoid.robots.servos import MOTORS, ServoMotor
from serpenoid.simulation.commands import kind_of_command
from serpenoid.simulation.loads import LOAD, loads_of
from serpenoid.simulation.run import execute
from serpenoid.simulation.setup import Setup
from serpenoid.simulation.slopes import STANDING, height_gained, meant_to_climb, rises_towards
from serpenoid.simulation.steady import frames_in, steady_motion

SHARE = 0.99  # of the time for which the voltage must be there
RESTING = 1e-3  # rad/s: below it dry friction has no side
SAFE, SHORT = 1.25, 0.8  # margins from which a motor will, and below which it will not, where no run can tell
COVERED = 0.5  # of the reference's way: what a robot whose motors do covers at least


def unlimited(setup: Setup) -> Setup:
    """The same run with servos that have no limits, friction or rotors."""
    if kind_of_command(setup.command) != "gait":
        raise InputError("sizing needs a run whose command is a gait")
    if setup.settings.duration is None:
        raise InputError("sizing needs run.duration")
    if not setup.robot.axes:
        raise InputError(f"{setup.robot.name} has no joints that move: there is nothing to size")
    return replace(setup, robot=fitted(setup.robot, Servo()))


def fitted(robot: Robot, servo: Servo) -> Robot:
    """The robot with that servo in every joint that has a motor; a list of servos says which have none."""
    each = robot.servo
    found = tuple(None if one is None else servo for one in each) if isinstance(each, tuple) else servo
    return robot.but(servo=found, joint_damping=0.0)


def with_motor(robot: Robot, limp: bool = False) -> list[int]:
    """Which degrees of freedom have a motor that works; `limp`: those where it failed, too."""
    each = robot.servos if not limp else robot.servo if isinstance(robot.servo, tuple) else (robot.servo,) * robot.links
    return [k for k, (joint, _) in enumerate(robot.axes) if each[joint - 1] is not None]


def demand_of(setup: Setup, run: Trajectory) -> dict[str, Any]:
    """What the joints need: the greatest torques of the run and in steady motion, with their joints; in steady motion torque (peak, RMS), speed, power of each, and summed power."""
    loads = loads_of(run.variables, steady_motion(setup, run.duration))
    power = np.maximum(loads.torque * loads.rate, 0.0)
    return {
        **{name: run.metrics[name] for name in ("torque_max", "torque_steady_max", "torque_rms_max")}, "torques": run.provenance["torques"],
        "torque_peak": np.abs(loads.torque).max(axis=0).tolist(), "torque_rms": loads.rms().tolist(),
        "rate_peak": np.abs(loads.rate).max(axis=0).tolist(), "power_peak": power.max(axis=0).tolist(), "power_mean": power.mean(axis=0).tolist(),
        "work_hour_Wh": float(power.mean(axis=0).sum()),
    }  # fmt: skip


def judged_motor(
    name: str, motor: ServoMotor, setup: Setup, run: Trajectory, voltage: float | None = None
) -> dict[str, Any]:
    """What a motor would need in that run, in the joints that have one that works, against what it has."""
    volts = motor.voltage if voltage is None else voltage
    keep = frames_in(run["time"], steady_motion(setup, float(run["time"][-1])))
    have = with_motor(setup.robot)
    rate = run["joint_rate"][:, have]
    speeding = np.gradient(rate, run["time"], axis=0)
    dry = motor.coulomb * np.where(np.abs(rate) > RESTING, np.sign(rate), 0.0)
    torque = (run["joint_torque"][:, have] + dry + motor.viscous * rate + motor.armature * speeding)[keep]
    current = torque / motor.torque_constant
    need = motor.resistance * current + motor.torque_constant * rate[keep]
    most = float(np.quantile(np.abs(need), SHARE, axis=0).max())
    rms = np.sqrt((torque**2).mean(axis=0))
    heat = motor.resistance * (current**2).mean(axis=0)
    supply = np.maximum(need * current, 0.0).mean(axis=0)
    margin = motor.most_duty * volts / most
    stall = motor.stall_torque(volts)
    return {
        "name": name, "text": motor.text, "voltage": volts, "verdict": verdict_of(margin), "basis": "margin", "margin": margin, "voltage_needed": most,
        "torque_peak": float(np.abs(torque).max()), "torque_rms": float(rms.max()), "stall_torque": stall, "load": float(rms.max() / stall),
        "hot": bool(rms.max() > LOAD * stall), "current_peak": float(np.abs(current).max()), "heat_most": float(heat.max()), "heat": float(heat.sum()),
        "battery_hour_Wh": float(supply.sum()), "mass": motor.mass * len(with_motor(setup.robot, limp=True)),
    }  # fmt: skip


def verdict_of(margin: float) -> str:
    """A margin in words."""
    return "will" if margin >= SAFE else "will not" if margin < SHORT else "marginal"


def confirmed(
    setup: Setup, reference: Trajectory, name: str, voltage: float | None = None, climbs: bool = False
) -> dict[str, Any]:
    """The run with that servo and its limits: what share of the reference's way (of one that `climbs`: of its height) it covers, and whether that is enough."""
    servo = SERVOS[name]() if voltage is None else SERVOS[name](voltage=voltage)
    robot = fitted(setup.robot, servo)
    run = execute(replace(setup, robot=robot))
    way, own = (r["com"][-1] - r["com"][0] for r in (reference, run))
    length, height, gained = float(np.linalg.norm(way)), height_gained(setup, reference), height_gained(setup, run)
    if length < STANDING:
        raise InputError("the run with unlimited servos goes nowhere: there is no way to compare with")
    share = float(own @ way) / length**2 if not climbs else gained / height if height > STANDING else None
    enough = (share is not None and share >= COVERED) if not climbs or height > STANDING else gained > STANDING
    keep = frames_in(run["time"], steady_motion(setup, run.duration))
    have = with_motor(robot)
    lag = (run["joint_target"] - run["joint_angle"])[keep][:, have]
    return {
        "covered": share if run.status.ok else 0.0,
        "does": bool(enough and run.status.ok),
        "height_gained": gained,
        "basis": "height" if climbs else "run",
        "error_rms": float(np.sqrt((lag**2).mean())),
        "status": run.status.name,
    }


def _tried(motor: dict[str, Any], found: dict[str, Any]) -> dict[str, Any]:
    """The report on a motor with its run, which decides."""
    return {**motor, **found, "verdict": "will" if found["does"] else "will not"}


def done_in_words(motor: dict[str, Any]) -> str:
    """What the run with a motor came to; empty where there was none."""
    if "does" not in motor:
        return ""
    covered, gained = motor["covered"], motor["height_gained"]
    if motor["basis"] == "height" and gained <= 0.0:
        return f"slides down {-gained:.3g} m"
    if covered is None:
        return f"climbs {gained:.3g} m"
    return f"{100 * covered:.0f} % of the {'height' if motor['basis'] == 'height' else 'way'}"


def check_asked(names: tuple[str, ...], voltage: float | None) -> None:
    """Refuse unknown servos, and a voltage that one of those asked for does not stand."""
    for name in names:
        if name not in MOTORS:
            raise InputError(f"unknown servo {name!r}; allowed are {', '.join(MOTORS)}")
    if voltage is not None:
        for name in names or MOTORS:
            low, high = MOTORS[name].voltages
            if not low <= voltage <= high:
                raise InputError(
                    f"{name} stands {low:g} to {high:g} V, got {voltage:g}; name the servos that stand it by --servo"
                )


@door(voltage=Number(above=0.0))
def sized(
    setup: Setup, names: tuple[str, ...] = (), voltage: float | None = None, check: bool = False
) -> tuple[dict[str, Any], Trajectory]:
    """Demand of a run and verdict on servos (all presets if none is named), with the run; `check`: refuse a run that goes nowhere, where no servo's own run could decide."""
    check_asked(names, voltage)
    free = unlimited(setup)
    run = execute(free)
    if not run.status.ok:
        raise InputError(f"the run with unlimited servos ended as {run.status.name}: {run.status.message}")
    if not np.any(run["joint_torque"]):
        raise InputError("the joints of this run need no torque: there is nothing to size")
    motors = [judged_motor(name, MOTORS[name], free, run, voltage) for name in names or MOTORS]
    goes = bool(np.linalg.norm(run["com"][-1] - run["com"][0]) >= STANDING)
    climbs = meant_to_climb(free, run)
    if check or goes:
        motors = [_tried(m, confirmed(setup, run, m["name"], voltage, climbs)) for m in motors]
    gained = height_gained(setup, run)
    return {
        "status": "ok",
        "robot": setup.robot.name,
        "joints": len(with_motor(free.robot)),
        "demand": demand_of(free, run),
        "slope": None if rises_towards(setup) is None else {"climbs": climbs, "height_gained": gained},
        "servos": motors,
    }, run
