"""Where the energy of a run went: work, losses, changes, and whether the account closes."""

from __future__ import annotations

import math

from serpenoid.compiled import kernel, njit
from serpenoid.contact import sums
from serpenoid.judgement import ledger as at
from serpenoid.judgement.effort import per_time
from serpenoid.judgement.ledger import Metric, greatest
from serpenoid.judgement.travel import distance, went

PLACE = 5
METRICS = {
    "net_work": Metric("J", "int sum_k tau_k theta_k' dt, each step with its mean joint rate", scale="energy"),
    "positive_work": Metric("J", "sum_k int max(0, tau_k theta_k') dt", scale="energy"),
    "friction_loss": Metric("J", "-int sum f . v dt over the contacts (what bristles store included)", scale="energy"),
    "damping_loss": Metric("J", "in the joints: damping and gear friction", scale="energy"),
    "stop_loss": Metric("J", "taken by the joints' stops (what their springs store included)", scale="energy"),
    "ground_loss": Metric("J", "taken by springs and dampers of ground and obstacles (what the springs store included)", scale="energy"),
    "scheme_loss": Metric("J", "energy that the integrator itself loses: see planar.account", unjudged="a check of the step itself"),
    "kinetic_energy_change": Metric("J", "kinetic energy at the end less that at the start", scale="energy"),
    "potential_energy_change": Metric("J", "M g times the rise of the centre of gravity", scale="energy"),
    "stored_energy": Metric("J", "energy in the bristles at the end", scale="energy"),
    "energy_residual": Metric("J", "net work less all losses and changes of energy: a check, 0 but for rounding", unjudged="a check, rounding"),
    "mean_power": Metric("W", "positive_work / T", scale="power"),
    "peak_power": Metric("W", "largest sum_k max(0, tau_k theta_k') of any step", scale="power"),
    "cost_of_transport": Metric("-", "positive_work / (M g S)", scale="itself", absent="it did not move, or there is no gravity", better="less"),
}  # fmt: skip


@njit
def span(row):
    """Greatest less least of some numbers; 0 where that is not a number."""
    low = high = row[0]
    for x in row:
        if x != x:
            return 0.0
        low, high = min(low, x), max(high, x)
    return high - low if math.isfinite(high - low) else 0.0


@kernel
def turned_over(kinetic, potential, positive_work, friction_loss):
    """Energy turned over, J: the greatest of positive work, friction, and the ranges of kinetic and potential energy."""
    return max(max(span(kinetic), span(potential)), max(span(positive_work), span(friction_loss)))


@kernel
def prepare(run):
    """Note the energy turned over, and the greatest kinetic energy (NaN where one is not a number; of those that are)."""
    frames, parts = run.frames, run.parts
    parts[at.TURNED] = turned_over(
        frames[at.KINETIC], frames[at.POTENTIAL], frames[at.POSITIVE_WORK], frames[at.FRICTION_LOSS]
    )
    parts[at.KINETIC_MAX] = greatest(frames[at.KINETIC])
    moving = 0.0
    for x in frames[at.KINETIC]:
        moving = max(moving, x) if x == x else moving  # not a number after it diverged
    parts[at.MOVING] = moving


@njit
def residual(run):
    """Net work less all losses and changes of energy."""
    s = run.sums
    lost = (
        s[sums.FRICTION_LOSS]
        + s[sums.DAMPING_LOSS]
        + s[sums.STOP_LOSS]
        + s[sums.GROUND_LOSS]
        + s[sums.SELF_LOSS]
        + s[sums.SCHEME_LOSS]
    )
    return s[sums.NET_WORK] - (
        lost + s[sums.KINETIC] - s[sums.KINETIC_START] + s[sums.POTENTIAL] - s[sums.POTENTIAL_START]
    )


@kernel
def measure(run, out):
    """Fill in the metrics of this file."""
    s = run.sums
    out[0] = s[sums.NET_WORK]
    out[1] = s[sums.POSITIVE_WORK]
    out[2] = s[sums.FRICTION_LOSS]
    out[3] = s[sums.DAMPING_LOSS]
    out[4] = s[sums.STOP_LOSS]
    out[5] = s[sums.GROUND_LOSS]
    out[6] = s[sums.SCHEME_LOSS]
    out[7] = s[sums.KINETIC] - s[sums.KINETIC_START]
    out[8] = s[sums.POTENTIAL] - s[sums.POTENTIAL_START]
    out[9] = s[sums.STORED]
    out[10] = residual(run)
    out[11] = per_time(run, sums.POSITIVE_WORK)
    out[12] = s[sums.PEAK_POWER]
    weight = run.facts[at.MASS] * run.facts[at.GRAVITY]
    out[13] = s[sums.POSITIVE_WORK] / (weight * distance(run)) if weight > 0.0 and went(run) else at.ABSENT
