"""Whether the numbers of a run can be trusted: its scheme, its equations, its account of energy."""

from __future__ import annotations

import math

from serpenoid.compiled import kernel, njit
from serpenoid.contact import sums
from serpenoid.judgement import ledger as at
from serpenoid.judgement.energy import residual
from serpenoid.judgement.ledger import Sentence

PLACE = 1
UNSTABLE_LOSS = 0.1  # of the energy turned over: more than that and an explicit scheme is beyond its stability
UNCONVERGED = 0.05  # of the steps: more than that and the run cannot be trusted
EXPLICIT_LOSS = 1e-3  # of the energy turned over: more than that and an explicit scheme nears its stability limit
LOSS = 0.05  # of the energy turned over: more than that lost or made by the scheme, and it shows
ROUNDING = 1e-9  # of weight times length and kinetic energy: less of energy is rounding
NEGLIGIBLE = (
    1e-6  # of the kinetic energy: less than that made or lost in a run is no matter, however little else goes on
)
RESIDUAL = 1e-7  # of weight times length, torque and energy: contract on the moment left at the tail
OPEN = 0.01  # of the energy turned over: more than that missing from the account, and it is wrong
FINDINGS = {
    "unstable": Sentence("the explicit scheme itself made or lost {loss:.3g} J of the {turned:.3g} J turned over: beyond its stability; use a shorter step", "diverged"),
    "made-energy": Sentence("the scheme itself made {made:.3g} J, more than everything else turned over; use a shorter step", "diverged"),
    "unconverged": Sentence("{count:d} of {steps:d} steps did not converge on the friction law; use a shorter step or more smoothing", "diverged"),
    "unsolved-steps": Sentence("{count:d} of {steps:d} steps did not converge on the friction law and used its secant"),
    "moment-left": Sentence("moment balance: {moment:.2g} N m left at the tail, {share:.1g} of weight, torque and energy; use a shorter step"),
    "scheme-loss": Sentence(
        "the [explicit?explicit ]scheme itself {made:lost|made} {loss:.3g} J, {share:.1%} of the {turned:.3g} J turned over; use a shorter step"
    ),
    "account-open": Sentence("the energy account does not close: {missing:.3g} J of the {turned:.3g} J turned over are missing; use a shorter step"),
}  # fmt: skip


@njit
def weight_by_length(run):
    """Weight times body length, the scale of moments and energies at rest, J."""
    return run.facts[at.MASS] * run.facts[at.GRAVITY] * run.facts[at.LENGTH]


@kernel
def settle(run, out):
    """Fill in the findings that decide how the run ended: three of them."""
    loss, turned, moving = run.sums[sums.SCHEME_LOSS], run.parts[at.TURNED], run.parts[at.KINETIC_MAX]
    rounding = ROUNDING * (weight_by_length(run) + moving)
    if not run.facts[at.IMPLICIT] > 0.0 and abs(loss) > max(UNSTABLE_LOSS * turned, rounding):
        out[0, 0], out[0, 1], out[0, 2] = 1.0, abs(loss), turned
    if -loss > max(max(turned, rounding), NEGLIGIBLE * moving):
        out[1, 0], out[1, 1] = 1.0, -loss
    failed, steps = run.sums[sums.UNCONVERGED], run.facts[at.DONE]
    if failed > UNCONVERGED * steps and not run.facts[at.THRESHOLD] > 0.0:
        out[2, 0], out[2, 1], out[2, 2] = 1.0, failed, steps


@kernel
def find(run, out):
    """Fill in the findings of this file."""
    settle(run, out)
    s, turned = run.sums, run.parts[at.TURNED]
    if s[sums.UNCONVERGED] > 0.0:
        out[3, 0], out[3, 1], out[3, 2] = 1.0, s[sums.UNCONVERGED], run.facts[at.DONE]
    left, scale = s[sums.RESIDUAL_MAX], weight_by_length(run) + s[sums.TORQUE_MAX] + turned
    if left > RESIDUAL * scale:
        out[4, 0], out[4, 1], out[4, 2] = 1.0, left, left / scale
    loss, moving, explicit = s[sums.SCHEME_LOSS], run.parts[at.MOVING], not run.facts[at.IMPLICIT] > 0.0
    rounding = ROUNDING * (weight_by_length(run) + moving)
    limit = (EXPLICIT_LOSS if explicit else LOSS) * turned
    if abs(loss) > max(max(limit, rounding), NEGLIGIBLE * moving):
        out[5, 0], out[5, 1], out[5, 2], out[5, 3] = (
            1.0,
            1.0 if explicit else 0.0,
            0.0 if loss > 0.0 else 1.0,
            abs(loss),
        )
        out[5, 4], out[5, 5] = abs(loss) / max(turned, 1e-300), turned
    missing = abs(residual(run))
    if math.isfinite(missing) and missing > max(OPEN * turned, rounding):
        out[6, 0], out[6, 1], out[6, 2] = 1.0, missing, turned
