"""Whether a command can be carried out as it is given: waves against links, periods and samples against the step, stops and servos."""

from __future__ import annotations

import math

from serpenoid.compiled import kernel, njit
from serpenoid.contact import sums
from serpenoid.judgement import ledger as at
from serpenoid.judgement.ledger import Sentence

PLACE = 2
LINKS_PER_WAVE = 5
STEPS_PER_PERIOD = 20
STILL = 0.9  # of a run: a gait that stops earlier is remarked
JOINT_NAMED = "joint {joint:d}{axis:| (yaw)| (pitch)| (roll)}"
FINDINGS = {
    "short-waves": Sentence(
        f"{{waves:g}} waves on {{links:d}} links are {{share:.3g}} links per wave; under {LINKS_PER_WAVE} the links no longer follow the curve"
    ),
    "spinning-joint": Sentence(f"{JOINT_NAMED} spins up: its angle reaches {{angle:.0f}} deg; a real joint would meet its stop"),
    "long-step": Sentence(
        "a step of {step:.3g} s is long for a {command:gait|drive} with a period of {period:.3g} s; slip and torques are coarse"
    ),
    "servos-at-limit": Sentence("servos were at their torque limit for {share:.1%} of the time"),
    "joint-at-stop": Sentence(
        f"{JOINT_NAMED} meets its stop of {{limit:.3g}} deg at t = {{time:.4g}} s and does not go on as commanded"
        "[known?; the stops took {loss:.3g} J]"
    ),
    "stop-impulses": Sentence("ideal joints stop dead at their stops: torques in that instant are impulses, which grow as the step gets shorter"),
    "samples-end": Sentence("samples cover {first:g} to {last:g} s of {end:g} s; outside them the {held:joints are held|torques are zero}"),
    "gait-at-rest": Sentence("the gait comes to rest at t = {stop:g} s of {end:g} s, as its stop_time asks"),
    "linear-samples": Sentence(
        "the samples[part? of gait {gait:d}] are joined by straight lines: rates jump at every sample, and the torques of ideal joints are impulses "
        'that grow as the step gets shorter; use interpolation = "cubic", or servos'
    ),
    "idle-servos": Sentence(
        "the drive's torques act in place of the servos: their gains, limits and backlash have no part in the run, their gear friction and rotor "
        "inertia have"
    ),
}  # fmt: skip


@njit
def dof_of(run, column):
    """The degree of freedom that the sums' slot of a joint names: the column of its outer link in the plane, else itself; -1: the robot has none."""
    count = run.dofs.shape[1]
    if run.facts[at.PLANAR] > 0.0:
        for k in range(count):
            if run.dofs[at.JOINT, k] == column:
                return k
    return min(int(column), count - 1)


@njit
def name_joint(run, column, row):
    """Write joint and axis of the joint that a slot of the sums names; the axis only where the robot has several kinds of them."""
    k = dof_of(run, column)
    row[1] = row[2] = 0.0
    if run.facts[at.PLANAR] > 0.0 or k < 0:
        row[1] = column if run.facts[at.PLANAR] > 0.0 else 0.0
        return
    row[1] = run.dofs[at.JOINT, k]
    kind, mixed = run.dofs[at.PITCH, k] + 2.0 * run.dofs[at.ROLLS, k], False
    for j in range(run.dofs.shape[1]):
        mixed = mixed or run.dofs[at.PITCH, j] + 2.0 * run.dofs[at.ROLLS, j] != kind
    row[2] = kind + 1.0 if mixed else 0.0


@kernel
def bends(times, samples):
    """Whether straight lines between samples have corners."""
    steepest = sharpest = 0.0
    for j in range(samples.shape[1]):
        before = 0.0
        for k in range(1, times.shape[0]):
            slope = (samples[k, j] - samples[k - 1, j]) / (times[k] - times[k - 1])
            steepest = max(steepest, abs(slope))
            if k > 1:
                sharpest = max(sharpest, abs(slope - before))
            before = slope
    return sharpest > 1e-9 * max(steepest, 1e-300)


@kernel
def stops(run, out):
    """The findings of joints at their stops: two."""
    facts, s = run.facts, run.sums
    if not s[sums.FIRST_STOP] > 0.0:
        return
    name_joint(run, s[sums.FIRST_STOP_JOINT], out[0])
    taken = s[sums.STOP_LOSS]
    out[0, 0], out[0, 3] = 1.0, math.degrees(run.dofs[at.LIMIT, dof_of(run, s[sums.FIRST_STOP_JOINT])])
    out[0, 4], out[0, 5], out[0, 6] = s[sums.FIRST_STOP], 1.0 if taken == taken else 0.0, taken
    if facts[at.IDEAL] > 0.0 and (facts[at.GAIT] > 0.0 or not facts[at.DRIVE] > 0.0):
        out[1, 0] = 1.0


@kernel
def sampled(run, out):
    """The findings of samples, and of a gait that rests: three."""
    facts, end = run.facts, run.facts[at.ENDED]
    first, last = facts[at.FIRST_SAMPLE], facts[at.LAST_SAMPLE]
    if facts[at.SAMPLED] > 0.0 and not facts[at.PERIODIC] > 0.0 and (first > 0.0 or last < end * (1.0 - 1e-9)):
        out[0, 0], out[0, 1], out[0, 2], out[0, 3], out[0, 4] = (
            1.0,
            first,
            last,
            end,
            0.0 if facts[at.GAIT] > 0.0 else 1.0,
        )
    if facts[at.STOP_TIME] < STILL * end:
        out[1, 0], out[1, 1], out[1, 2] = 1.0, facts[at.STOP_TIME], end
    if facts[at.IDEAL] > 0.0 and facts[at.LINEAR] > 0.0 and bends(run.times, run.samples):
        out[2, 0], out[2, 1], out[2, 2] = 1.0, 0.0, -1.0


@kernel
def find(run, out):
    """Fill in the findings of this file."""
    facts, s = run.facts, run.sums
    if facts[at.LINKS] / facts[at.WAVES] < LINKS_PER_WAVE:
        out[0, 0], out[0, 1], out[0, 2], out[0, 3] = (
            1.0,
            facts[at.WAVES],
            facts[at.LINKS],
            facts[at.LINKS] / facts[at.WAVES],
        )
    if facts[at.DRIVE] > 0.0 and s[sums.ANGLE_MAX] > math.pi:
        name_joint(run, s[sums.ANGLE_MAX_JOINT], out[1])
        out[1, 0], out[1, 3] = 1.0, math.degrees(s[sums.ANGLE_MAX])
    if facts[at.STEP] > facts[at.SHORTEST] / STEPS_PER_PERIOD:
        out[2, 0], out[2, 1], out[2, 2], out[2, 3] = (
            1.0,
            facts[at.STEP],
            0.0 if facts[at.GAIT] > 0.0 else 1.0,
            facts[at.SHORTEST],
        )
    if s[sums.SATURATED] > 0.0:
        out[3, 0], out[3, 1] = 1.0, s[sums.SATURATED] / max(facts[at.ENDED] * run.dofs.shape[1], 1e-300)
    stops(run, out[4:6])
    sampled(run, out[6:9])
    if facts[at.DRIVE] > 0.0:
        for k in range(run.dofs.shape[1]):
            if run.dofs[at.SERVO, k] > 0.0:
                out[9, 0] = 1.0
