"""What the joints are told at a time: by a gait, a drive, a curve tracked, or a torque held.

| mode | command |
|---|---|
| IDLE | nothing: joints without torque |
| GAIT | angles of a compiled gait; ideal joints follow them exactly, servos aim at them |
| DRIVE | torques of a compiled drive |
| TRACK | angles on the cubic (Hermite) from (q0, v0) at t0 to (q1, v1) at t1, as with a gait |
| PUSH | torques held |

Past its end a tracked curve goes on along its tangent for a step at most (calls end between steps), and then stays. Servos with a
control period see the command of the last sampling instant; their aim moves no faster than their speed limit.
"""

from __future__ import annotations

import math

from serpenoid.compiled import kernel, njit
from serpenoid.contact.joint import moved_aim
from serpenoid.gaits.custom import CustomGait
from serpenoid.gaits.drives import DRIVES, torques
from serpenoid.gaits.function import FunctionGait
from serpenoid.gaits.joints import SAMPLED, WAVES, joint_angles
from serpenoid.gaits.serpenoid import Serpenoid
from serpenoid.gaits.standing_wave import StandingWave
from serpenoid.spatial.layout import (
    AIM,
    COMMAND_KIND,
    DRIVE,
    DT,
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

GAIT_KINDS = (WAVES, SAMPLED, Serpenoid.KIND, StandingWave.KIND, CustomGait.KIND, FunctionGait.KIND)
DRIVE_KINDS = tuple(drive.KIND for drive in DRIVES.values())


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


@kernel
def set_command(constants, state, scratch, t):
    """Targets (or torques) of all degrees of freedom at time t; False if the kind of gait or drive is unknown."""
    chain, numbers, q, dofs = constants.chain, constants.numbers, state.motion, state.dofs
    axes, rows, dt = scratch.axes, scratch.command, numbers[DT]
    mode, kind = int(q[MODE]), int(numbers[COMMAND_KIND])
    if mode == DRIVE:
        if kind not in DRIVE_KINDS:
            return False
        torques(kind, constants.par, constants.tab, t, scratch.torques, 0)
        for k in range(axes.shape[1]):
            dofs[HELD, k] = scratch.torques[0, k + 1]
        return True
    if mode != GAIT and mode != TRACK:
        return True
    prescribed = numbers[IDEAL] > 0.0
    held = t
    if numbers[HOLD] > 0.0 and not prescribed:
        held = numbers[HOLD] * math.floor(t / numbers[HOLD] * (1.0 + 1e-12))
    if mode == GAIT:
        if kind not in GAIT_KINDS:
            return False
        joint_angles(kind, constants.par, constants.tab, held, rows)
    keep = mode == TRACK and held < q[FROM]  # sampled before the curve began: the command before it stands
    for i in range(1, rows.shape[1]):
        for k in range(chain.first[i], chain.first[i + 1]):
            if mode == TRACK:
                angle, rate = tracked(q, dofs, k, held, dt)
                angle = dofs[TARGET, k] if keep else angle
            else:
                row = 2 * chain.kinds[k]
                angle, rate = rows[row, i], rows[row + 1, i]
            dofs[TARGET, k] = angle
            if prescribed:
                axes[Q, k], axes[QP, k], dofs[AIM, k] = angle, rate, angle
            else:
                dofs[AIM, k] = moved_aim(chain.actuators, k, dofs[AIM, k], angle, dt)
    return True
