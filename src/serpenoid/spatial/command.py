"""What the joints are told at a time: by a gait, a drive, a curve tracked, or a torque held.

| mode | command |
|---|---|
| IDLE | nothing: joints without torque |
| GAIT | angles of a compiled gait; ideal joints follow them exactly, servos aim at them |
| DRIVE | torques of a compiled drive |
| TRACK | angles on the cubic (Hermite) from (q0, v0) at t0 to (q1, v1) at t1, as with a gait |
| PUSH | torques held |

Past its end a tracked curve goes on along its tangent for a step at most (calls end between steps), and then stays. Servos with a
control period see the command of the last sampling instant; their aim moves no faster than their speed limit. An ideal joint that is
told to go beyond its stop stays there, at rest, until it is told to come back.
"""

from __future__ import annotations

import math

from serpenoid.compiled import njit
from serpenoid.contact.joint import STOP_HIGH, STOP_LOW, at_stop, moved_aim
from serpenoid.gaits.custom import CustomGait
from serpenoid.gaits.drives import SampledTorque, SineTorque, torques
from serpenoid.gaits.function import FunctionGait
from serpenoid.gaits.joints import SAMPLED, WAVES, joint_angles
from serpenoid.gaits.sequence import Sequence
from serpenoid.gaits.serpenoid import Serpenoid
from serpenoid.gaits.standing_wave import StandingWave
from serpenoid.spatial.layout import (
    AIM,
    COMMAND_KIND,
    DRIVE,
    FROM,
    FROM_ANGLE,
    FROM_RATE,
    GAIT,
    HELD,
    HOLD,
    IDEAL,
    MODE,
    QP,
    TARGET,
    TO,
    TO_ANGLE,
    TO_RATE,
    TRACK,
    Q,
)  # fmt: skip

GAIT_KINDS = (WAVES, SAMPLED, Serpenoid.KIND, StandingWave.KIND, CustomGait.KIND, FunctionGait.KIND, Sequence.KIND)
DRIVE_KINDS = (SineTorque.KIND, SampledTorque.KIND)
_WAVES, _SAMPLED, _SERPENOID, _STANDING, _CUSTOM, _FUNCTION, _SEQUENCE = GAIT_KINDS
_LAST_DRIVE = max(DRIVE_KINDS)


@njit
def hermite(x, h, q0, v0, q1, v1):
    """Angle and rate at the share x of a cubic over the time h."""
    d0, d1, rise = h * v0, h * v1, q1 - q0
    a, b = d0 + d1 - 2.0 * rise, 3.0 * rise - 2.0 * d0 - d1
    return q0 + x * (d0 + x * (b + x * a)), (d0 + x * (2.0 * b + 3.0 * x * a)) / h


@njit
def tracked(q, dofs, k, t, dt):
    """Angle and rate of degree of freedom k on the curve tracked."""
    t0, t1 = q[FROM], q[TO]
    if t <= t1:
        return hermite(
            (t - t0) / (t1 - t0), t1 - t0, dofs[FROM_ANGLE, k], dofs[FROM_RATE, k], dofs[TO_ANGLE, k], dofs[TO_RATE, k]
        )  # fmt: skip
    if t <= t1 + dt * (1.0 + 1e-9):
        return dofs[TO_ANGLE, k] + dofs[TO_RATE, k] * (t - t1), dofs[TO_RATE, k]
    return dofs[TO_ANGLE, k] + dofs[TO_RATE, k] * dt, 0.0


@njit
def set_angle(chain, axes, dofs, k, angle, rate, prescribed, dt):
    """Command the angle of degree of freedom k: prescribed, or as what its servo aims at."""
    dofs[TARGET, k] = angle
    if prescribed:
        if at_stop(chain.actuators, k, angle) != 0.0:  # it stays there, at rest
            angle, rate = min(max(angle, chain.actuators[STOP_LOW, k]), chain.actuators[STOP_HIGH, k]), 0.0
        axes[Q, k], axes[QP, k], dofs[AIM, k] = angle, rate, angle
    else:
        dofs[AIM, k] = moved_aim(chain.actuators, k, dofs[AIM, k], angle, dt)


@njit
def sampled_time(t, hold):
    """Last sampling instant of servos with the control period `hold`; t itself without one."""
    return hold * math.floor(t / hold * (1.0 + 1e-12)) if hold > 0.0 else t


@njit
def set_gait(chain, numbers, par, tab, axes, dofs, rows, t, dt):
    """Command the angles of the gait at time t; False if its kind is unknown."""
    kind, prescribed = int(numbers[COMMAND_KIND]), numbers[IDEAL] > 0.0
    if (
        kind != _WAVES and kind != _SAMPLED and kind != _SERPENOID and kind != _STANDING and kind != _CUSTOM
        and kind != _FUNCTION and kind != _SEQUENCE
    ):  # fmt: skip
        return False
    joint_angles(kind, par, tab, t if prescribed else sampled_time(t, numbers[HOLD]), rows)
    for i in range(1, rows.shape[1]):
        for k in range(chain.first[i], chain.first[i + 1]):
            row = 2 * chain.kinds[k]
            set_angle(chain, axes, dofs, k, rows[row, i], rows[row + 1, i], prescribed, dt)
    return True


@njit
def set_tracked(chain, numbers, q, axes, dofs, t, dt):
    """Command the angles of the curve tracked; what was sampled before it began stands."""
    prescribed = numbers[IDEAL] > 0.0
    held = t if prescribed else sampled_time(t, numbers[HOLD])
    for k in range(axes.shape[1]):
        angle, rate = tracked(q, dofs, k, held, dt)
        set_angle(chain, axes, dofs, k, dofs[TARGET, k] if held < q[FROM] else angle, rate, prescribed, dt)


@njit
def set_torques(numbers, par, tab, dofs, row, t):
    """Hold the torques of the drive at time t; False if its kind is unknown."""
    kind = int(numbers[COMMAND_KIND])
    if kind < 0 or kind > _LAST_DRIVE:
        return False
    torques(kind, par, tab, t, row, 0)
    for k in range(dofs.shape[1]):
        dofs[HELD, k] = row[0, k + 1]
    return True


@njit
def set_command(constants, state, scratch, t, dt):
    """Targets (or torques) of all degrees of freedom at time t; False if the kind of gait or drive is unknown."""
    mode = state.motion[MODE]
    if mode == GAIT:
        return set_gait(
            constants.chain, constants.numbers, constants.par, constants.tab, scratch.axes, state.dofs, scratch.command, t, dt
        )  # fmt: skip
    if mode == TRACK:
        set_tracked(constants.chain, constants.numbers, state.motion, scratch.axes, state.dofs, t, dt)
    elif mode == DRIVE:
        return set_torques(constants.numbers, constants.par, constants.tab, state.dofs, scratch.torques, t)
    return True
