"""Motors of an MJCF file as servos: what each joint's position and velocity servos give together, seen at the joint.

A motor with gear g that has `gainprm` k, `biasprm` (b_0, b_1, b_2) and the aim u gives the torque

    tau = g (k u + b_0 + b_1 g q + b_2 g w),   held within the force range times |g|

to its joint. So stiffness is the sum of -b_1 g^2 of all servos of a joint, damping that of -b_2 g^2; the nearer end of the range counts, and that of the
joint's own `actuatorfrcrange`. Aims are angles of the joint here. Motors that only push (no b_1) leave a joint without a servo.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from serpenoid.core.actuator import Servo

IDEAL = "ideal-"  # names of motors that stand for joints that do what they are told begin so


class JointMotors(NamedTuple):
    """All servos of a joint together."""

    stiffness: float = 0.0
    damping: float = 0.0
    torque_limit: float | None = 0.0  # none: no limit


def motors_of(model: Any) -> dict[int, JointMotors]:
    """The servos of each joint that has one that aims at an angle."""
    found: dict[int, JointMotors] = {}
    for a in _servos(model):
        j, gear = int(model.actuator_trnid[a, 0]), float(model.actuator_gear[a, 0])
        before = found.get(j, JointMotors())
        stiff, damp = (-float(model.actuator_biasprm[a, k]) * gear**2 + 0.0 for k in (1, 2))
        most = None
        if model.actuator_forcelimited[a] and before.torque_limit is not None:
            low, high = model.actuator_forcerange[a]
            most = before.torque_limit + float(min(-low, high)) * abs(gear)
        found[j] = JointMotors(before.stiffness + stiff, before.damping + damp, most)
    return {j: _held(model, j, motors) for j, motors in found.items() if motors.stiffness > 0.0}


def _servos(model: Any) -> list[int]:
    """Motors that turn a joint towards an angle or brake it, without those that stand for joints without motors."""
    return [
        a
        for a in range(model.nu)
        if int(model.actuator_trntype[a]) == 0
        and int(model.actuator_biastype[a]) == 1  # affine
        and not model.actuator(a).name.startswith(IDEAL)
    ]


def _held(model: Any, j: int, motors: JointMotors) -> JointMotors:
    """Motors within the range that a joint sets for all of them."""
    if not model.jnt_actfrclimited[j]:
        return motors
    low, high = model.jnt_actfrcrange[j]
    own = float(min(-low, high))
    return motors._replace(torque_limit=own if motors.torque_limit is None else min(own, motors.torque_limit))


def servo_of(motors: JointMotors, friction: float, rotor: float) -> Servo:
    """The servo that they are, with the dry friction and the rotor of its joint; a range without room to both sides is no limit."""
    most = motors.torque_limit
    return Servo(
        stiffness=motors.stiffness,
        damping=max(motors.damping, 0.0),
        torque_limit=most if most is not None and most > 0.0 else None,
        gear_friction=friction,
        rotor_inertia=rotor,
    )


def lost_of(model: Any, given: int) -> list[str]:
    """What joints and motors have that a servo has not; `given`: motors of joints in the file."""
    servos, hinges = _servos(model), [j for j in range(model.njnt) if int(model.jnt_type[j]) == 3]
    moved = motors_of(model)
    ideal = sum(model.actuator(a).name.startswith(IDEAL) for a in range(model.nu))
    useless = [a for a in servos if int(model.actuator_trnid[a, 0]) not in moved]
    narrow = [a for a in servos if model.actuator_ctrllimited[a] and a not in useless and _narrow(model, a)]
    scaled = [a for a in servos if a not in useless and _scaled(model, a)]
    uneven = [
        a
        for a in servos
        if model.actuator_forcelimited[a] and -model.actuator_forcerange[a, 0] != model.actuator_forcerange[a, 1]
    ]
    said = (
        (given - ideal - len(servos) + len(useless), "motors that aim at no angle"),
        (len(narrow), "ranges of what motors are told (ctrlrange)"),
        (len(scaled), "scales and shifts of what motors are told; here that is the angle itself"),
        (sum(int(model.actuator_dyntype[a]) != 0 for a in servos), "filters of motors"),
        (sum(bool(np.any(model.jnt_stiffness[j])) for j in hinges), "springs of joints"),
        (sum(bool(np.any(np.ravel(model.dof_damping[int(model.jnt_dofadr[j])])[1:])) for j in hinges), "dampings of joints beyond the linear one"),
    )  # fmt: skip
    warnings = [f"left out: {count} {what}" for count, what in said if count > 0]
    if uneven:
        warnings.append(
            f"{len(uneven)} motors have force ranges that differ to the two sides; the nearer end was taken"
        )
    return warnings


def _narrow(model: Any, a: int) -> bool:
    """Whether a motor cannot be told every angle that its joint can take."""
    j, gear = int(model.actuator_trnid[a, 0]), float(model.actuator_gear[a, 0])
    if not float(model.actuator_biasprm[a, 1]) < 0.0:
        return False  # of speeds
    low, high = sorted(float(u) / gear for u in model.actuator_ctrlrange[a]) if gear else (0.0, 0.0)
    return not model.jnt_limited[j] or low > model.jnt_range[j, 0] + 1e-9 or high < model.jnt_range[j, 1] - 1e-9


def _scaled(model: Any, a: int) -> bool:
    """Whether what a motor aims at is not the angle that it is told."""
    gain, (constant, slope) = float(model.actuator_gainprm[a, 0]), model.actuator_biasprm[a, :2]
    return slope < 0.0 and (abs(gain + slope * float(model.actuator_gear[a, 0])) > 1e-9 * abs(slope) or constant != 0.0)
