"""How hard and how deep a run presses: on ground and obstacles, link on link."""

from __future__ import annotations

import math

from serpenoid.compiled import kernel, njit
from serpenoid.contact import sums
from serpenoid.judgement import ledger as at
from serpenoid.judgement.effort import per_time
from serpenoid.judgement.ledger import Metric

PLACE = 6
METRICS = {
    "contact_count_mean": Metric("-", "contacts that press, mean over time", scale="itself"),
    "penetration": Metric("m", "deepest that a contact was pressed into ground or obstacle, at any step", scale="depth", absent="in the plane nothing is pressed in"),
    "ground_sag": Metric(
        "m", "how deep contacts at rest on the level are pressed in: M g / (their number times the stiffness)", unjudged="of a body at rest: no step changes it",
        absent="there is no ground in three dimensions",
    ),
    "normal_force_max": Metric("N", "largest normal force of a contact at any step", scale="force"),
    "self_overlap": Metric(
        "m", "deepest overlap of two links that are not neighbours, frames and what lies between; 0: none",
        unjudged="of the recorded frames; a warning tells of links that cross",
    ),
    "self_contact_loss": Metric("J", "taken by contact between links, springs, dampers and friction (what springs store included)", scale="energy"),
    "self_contact_energy": Metric("J", "energy in the springs between links at the end", scale="energy"),
    "self_contact_force_max": Metric("N", "largest normal force between two links at any step", scale="force"),
    "moment_residual": Metric("N m", "largest moment left at the tail's free end by the joint torques: a check", unjudged="a check, rounding"),
}  # fmt: skip


@njit
def sag(run):
    """How deep contacts at rest on the level are pressed in."""
    facts = run.facts
    held = facts[at.STIFFNESS] * facts[at.LINKS] * facts[at.BEARING]
    return facts[at.MASS] * facts[at.GRAVITY] / held if held > 0.0 else at.ABSENT


@kernel
def measure(run, out):
    """Fill in the metrics of this file."""
    facts, s = run.facts, run.sums
    if facts[at.FLAT] > 0.0:  # every contact carries its weight all the time
        total = 0.0
        for count in run.frames[at.CONTACTS]:
            total += count
        out[0] = total / run.frames.shape[1]
        out[3] = -math.inf
        for f in range(run.press.shape[0]):
            for i in range(run.press.shape[1]):
                force = run.press[f, i]
                out[3] = force if force != force or out[3] != out[3] else max(out[3], force)
    else:
        out[0] = per_time(run, sums.CONTACTS)
        out[3] = s[sums.NORMAL_MAX]
    out[1] = s[sums.PENETRATION_MAX] if facts[at.SPATIAL] > 0.0 else at.ABSENT
    out[2] = sag(run)
    out[4] = facts[at.OVERLAP]
    out[5] = s[sums.SELF_LOSS]
    out[6] = s[sums.SELF_STORED]
    out[7] = s[sums.SELF_FORCE_MAX]
    out[8] = s[sums.RESIDUAL_MAX]
