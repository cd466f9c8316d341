"""What a run costs its joints: slip, torques, how near motors come to their torque-speed lines, efficiency.

Torques in steady motion (`pace`) are those of the recorded frames. A motor's line goes from the stall torque at rest to the no-load speed:

    use = |tau| / stall + |rate| / free     where it drives, |tau| / stall where it brakes;   1: on the line
"""

from __future__ import annotations

import math

from serpenoid.compiled import kernel, njit
from serpenoid.contact import sums
from serpenoid.judgement import ledger as at
from serpenoid.judgement.ledger import Metric
from serpenoid.judgement.pace import frames_within
from serpenoid.judgement.travel import distance, went

PLACE = 4
REFERENCE_STEP = 1e-3  # s, dt_ref of equation (13) of Ma, Li and Wang (2001); it only scales the efficiency
SLIP_FLOOR = 1e-9  # m per link: below it the efficiency would measure rounding
NO_TORQUE = "the robot has no joints, or their torques are not known"
METRICS = {
    "slip_per_link": Metric("m", "W_n = (1/n) sum_i int |v_n,i| dt", scale="slip", better="less"),
    "slip_along_per_link": Metric("m", "(1/n) sum_i int |v_t,i| dt", scale="slip", better="less"),
    "torque_sq_mean": Metric("N^2 m^2", "(1/T) int sum_k tau_k^2 dt", scale="torque_sq"),
    "torque_max": Metric("N m", "largest |tau_k| at any step", scale="torque", better="less"),
    "torque_steady_max": Metric(
        "N m", "largest |tau_k| of the recorded frames in steady motion: the last whole periods, of a run without such all but its first quarter",
        scale="torque", absent=NO_TORQUE,
    ),
    "torque_rms_max": Metric("N m", "root mean square of tau_k in steady motion, of the joint that has most: what heats a motor", scale="torque", absent=NO_TORQUE),
    "motor_line": Metric(
        "-", "largest |tau_k|/stall torque + |theta_k'|/no-load speed in steady motion (braking: the first part); above 1: beyond the servo's line; "
        "motor_line(3,5): of a motor of 3 N m and 5 rad/s", scale="itself", absent="no servo of the robot has a torque-speed line (no_load_speed)",
    ),
    "joint_angle_max": Metric("rad", "largest |theta_k| (prescribed in the plane: of the recorded frames, else of any step)", scale="itself"),
    "joint_rate_max": Metric("rad/s", "largest |theta_k'| of the recorded frames", scale="rate"),
    "efficiency": Metric(
        "1/(N m)^2", "J of (13): S / (torque_sq_mean * (n/T) W_n dt_ref), dt_ref = 1e-3 s", scale="itself",
        absent="it moved or slipped less than can be told from rounding, or without torque",
    ),
}  # fmt: skip


@njit
def per_time(run, slot):
    """A sum over the time simulated."""
    return run.sums[slot] / run.facts[at.ENDED] if run.facts[at.ENDED] > 0.0 else 0.0


@kernel
def known(torque, rate, begin, end):
    """Whether frames from one to before another have joints whose torques and rates are all known."""
    if end <= begin or torque.shape[1] == 0:
        return False
    for f in range(begin, end):
        for k in range(torque.shape[1]):
            if not (math.isfinite(torque[f, k]) and math.isfinite(rate[f, k])):
                return False
    return True


@kernel
def peak_of(torque, begin, end):
    """The greatest torque of these frames, the degree of freedom that has it, and the frame."""
    found, dof, frame = -1.0, 0, begin
    for f in range(begin, end):
        for k in range(torque.shape[1]):
            if abs(torque[f, k]) > found:
                found, dof, frame = abs(torque[f, k]), k, f
    return found, dof, frame


@kernel
def rms_of(torque, k, begin, end):
    """Root mean square torque of a degree of freedom in these frames."""
    total = 0.0
    for f in range(begin, end):
        total += torque[f, k] * torque[f, k]
    return math.sqrt(total / (end - begin))


@kernel
def use_of(torque, rate, stall, free, begin, end):
    """How much of the motors' torque-speed lines (by degree of freedom) the worst joint takes in these frames; infinite parts take none."""
    found = 0.0
    for f in range(begin, end):
        for k in range(torque.shape[1]):
            driving = abs(rate[f, k]) if torque[f, k] * rate[f, k] > 0.0 else 0.0
            found = max(found, abs(torque[f, k]) / stall[k] + driving / free[k])
    return found


@njit
def largest(table):
    """Largest size of a number of a table, 0 where it has none; NaN where one is not a number."""
    found = 0.0
    for f in range(table.shape[0]):
        for k in range(table.shape[1]):
            x = table[f, k]
            if x != x:
                return x
            found = max(found, abs(x))
    return found


@kernel
def prepare(run):
    """Give motors without a torque-speed line an infinite one."""
    stall, free = run.dofs[at.STALL], run.dofs[at.FREE]
    for k in range(free.shape[0]):
        if not free[k] > 0.0:
            stall[k] = free[k] = math.inf
        elif stall[k] != stall[k]:
            stall[k] = math.inf


@kernel
def loads(run, out):
    """The greatest torque and RMS torque in steady motion, and what they take of the servos' lines."""
    out[0] = out[1] = out[2] = at.ABSENT
    begin, end = frames_within(run.frames[at.TIME], run.parts[at.STEADY_FIRST], run.parts[at.STEADY_END])
    if not known(run.torque, run.rate, begin, end):
        return
    peak, dof, frame = peak_of(run.torque, begin, end)
    run.parts[at.PEAK_DOF], run.parts[at.PEAK_TIME] = dof, run.frames[at.TIME, frame]
    out[0] = peak
    lined = False
    for k in range(run.torque.shape[1]):
        rms = rms_of(run.torque, k, begin, end)
        if rms > out[1]:
            out[1], run.parts[at.WARM_DOF] = rms, k
        lined = lined or run.dofs[at.FREE, k] < math.inf
    if lined:
        out[2] = use_of(run.torque, run.rate, run.dofs[at.STALL], run.dofs[at.FREE], begin, end)


@kernel
def measure(run, out):
    """Fill in the metrics of this file."""
    n, time, square = run.facts[at.LINKS], run.facts[at.ENDED], per_time(run, sums.TORQUE_SQ)
    slip = run.sums[sums.SLIP_ACROSS] / n
    out[0] = slip
    out[1] = run.sums[sums.SLIP_ALONG] / n
    out[2] = square
    out[3] = run.sums[sums.TORQUE_MAX]
    loads(run, out[4:7])
    bent = largest(run.angle)
    out[7] = bent if bent != bent else max(run.sums[sums.ANGLE_MAX], bent)
    out[8] = largest(run.rate)
    effort = square * n / time * slip * REFERENCE_STEP if time > 0.0 else 0.0
    out[9] = distance(run) / effort if slip > SLIP_FLOOR and effort > 0.0 and went(run) else at.ABSENT
