"""What a run adds up step by step: the slots of the accumulator, and the account of a step's energy.

A step of length h with end velocities v' takes its joint forces from the change of each link's momentum, so

    sum tau_i theta'_i h = dE_kin + sum m |dv|^2 / 2 + sum I dw^2 / 2 + sum d_k w'_k - sum f_k . v'_k h

holds exactly (d_k is the part of the angular momentum balance that comes from the step's finite motion). The
joints' work is taken with their *mean* rate over the step; what then remains besides kinetic energy and friction is
the scheme's own loss:

    scheme = sum m |dv|^2 / 2 + sum I dw^2 / 2 + sum d_k w'_k + sum tau_i (mean rate_i - theta'_i) h

It is computed from these terms, not as the remainder, so the closed balance is a check of all torques and forces.
"""

from __future__ import annotations

from serpenoid.compiled import njit
from serpenoid.contact.sums import (
    ANGLE_MAX,
    ANGLE_MAX_JOINT,
    DAMPING_LOSS,
    FRICTION_LOSS,
    NET_WORK,
    PEAK_POWER,
    POSITIVE_WORK,
    POWER,
    RESIDUAL_MAX,
    SCHEME_LOSS,
    SLIP_ACROSS,
    SLIP_ALONG,
    TORQUE_MAX,
    TORQUE_MAX_JOINT,
    TORQUE_MAX_TIME,
    TORQUE_SQ,
)
from serpenoid.contact.touch import FN, FT, VN, VT
from serpenoid.planar.kinematics import (
    ANGLE,
    ANGLE0,
    PM,
    PX,
    PY,
    RATE,
    SPIN0,
    TAU,
    TURN0,
    WX,
    WX0,
    WY,
    WY0,
    XG,
    YG,
)


@njit
def momentum_rates(chain, b, dvx, dvy, c, s, dt, acc):
    """Rates of momentum px, py, pm over the step, from velocities then (turned by -angle with cosine c, sine s) and now.

    wx, wy, rate are complete velocities now. Adds the kinetic parts of the scheme's loss.
    """
    n = b.shape[1]
    kinetic, loss = 0.0, 0.0
    r = 1.0 / dt
    # changes of velocity relative to the centre of gravity, in px, py for now
    for i in range(n):
        b[PX, i] = b[WX, i] - (c * b[WX0, i] + s * b[WY0, i])
    for i in range(n):
        b[PY, i] = b[WY, i] - (c * b[WY0, i] - s * b[WX0, i])
    # angular momentum: in pm what comes from the finite motion of the step, in spin0 the new one
    for i in range(n):
        b[PM, i] = -b[SPIN0, i] - chain.mass[i] * (b[XG, i] * b[PY, i] - b[YG, i] * b[PX, i])
    for i in range(n):
        b[SPIN0, i] = chain.mass[i] * (b[XG, i] * b[WY, i] - b[YG, i] * b[WX, i])
    for i in range(n):
        turn = b[RATE, i] - b[TURN0, i]
        ex, ey = b[PX, i] + dvx, b[PY, i] + dvy
        loss += 0.5 * chain.mass[i] * (ex * ex + ey * ey) + 0.5 * chain.inertia[i] * turn * turn
        loss += (b[PM, i] + b[SPIN0, i]) * b[RATE, i]
    for i in range(n):
        kinetic += (
            chain.mass[i] * (b[WX, i] * b[WX, i] + b[WY, i] * b[WY, i]) + chain.inertia[i] * b[RATE, i] * b[RATE, i]
        )
    # rates of momentum
    for i in range(n):
        b[PX, i] = chain.mass[i] * (b[PX, i] + dvx) * r
    for i in range(n):
        b[PY, i] = chain.mass[i] * (b[PY, i] + dvy) * r
    for i in range(n):
        b[PM, i] = (b[PM, i] + b[SPIN0, i] + chain.inertia[i] * (b[RATE, i] - b[TURN0, i])) * r
    for i in range(n):
        b[PM, i] += b[XG, i] * b[PY, i] - b[YG, i] * b[PX, i]
    for i in range(n):
        b[WX0, i] = b[WX, i]
    for i in range(n):
        b[WY0, i] = b[WY, i]
    for i in range(n):
        b[TURN0, i] = b[RATE, i]
    acc[SCHEME_LOSS] += loss
    return 0.5 * kinetic


@njit
def count_contacts(touch, dt, acc):
    """Add slip and friction loss of a step."""
    across, along, loss = 0.0, 0.0, 0.0
    for i in range(touch.shape[1]):
        across += abs(touch[VN, i])
        along += abs(touch[VT, i])
        loss -= touch[FT, i] * touch[VT, i] + touch[FN, i] * touch[VN, i]
    acc[SLIP_ACROSS] += across * dt
    acc[SLIP_ALONG] += along * dt
    acc[FRICTION_LOSS] += loss * dt


@njit
def watch_torques(chain, b, t, acc):
    """Keep the greatest torque so far, its joint and time."""
    for i in range(1, b.shape[1]):
        torque = abs(b[TAU, i] + chain.damping[i] * (b[RATE, i] - b[RATE, i - 1]))
        if torque > acc[TORQUE_MAX]:
            acc[TORQUE_MAX], acc[TORQUE_MAX_JOINT], acc[TORQUE_MAX_TIME] = torque, i, t


@njit
def count_joints(chain, b, dt, t, acc):
    """Add work and torques of a step: tau, angle, angle0 and the rates of the joints are set."""
    n = b.shape[1]
    square, work, positive, damping, loss = 0.0, 0.0, 0.0, 0.0, 0.0
    top = acc[TORQUE_MAX]
    for i in range(1, n):
        rate = b[RATE, i] - b[RATE, i - 1]
        moved = (b[ANGLE, i] - b[ANGLE, i - 1]) - (b[ANGLE0, i] - b[ANGLE0, i - 1])
        drive = b[TAU, i] + chain.damping[i] * rate
        square += drive * drive
        work += drive * moved
        positive += max(0.0, drive * moved)
        damping += chain.damping[i] * rate * moved
        loss += b[TAU, i] * (moved - rate * dt)
        top = max(top, abs(drive))
    acc[TORQUE_SQ] += square * dt
    acc[NET_WORK] += work
    acc[POSITIVE_WORK] += positive
    acc[DAMPING_LOSS] += damping
    acc[SCHEME_LOSS] += loss
    acc[POWER] = positive / dt
    acc[PEAK_POWER] = max(acc[PEAK_POWER], positive / dt)
    acc[RESIDUAL_MAX] = max(acc[RESIDUAL_MAX], abs(b[TAU, 0]))
    if top > acc[TORQUE_MAX]:
        watch_torques(chain, b, t, acc)


@njit
def watch_joints(b, acc):
    """Keep the greatest joint angle so far and its joint."""
    for i in range(1, b.shape[1]):
        angle = abs(b[ANGLE, i] - b[ANGLE, i - 1])
        if angle > acc[ANGLE_MAX]:
            acc[ANGLE_MAX] = angle
            acc[ANGLE_MAX_JOINT] = i
