"""How far a gradient can be trusted: two more runs for each parameter, at more and at less of it.

A derivative through dry friction is exact and local: where friction is sharp it wiggles from kink to kink. What a user wants to know is whether it holds over a
change that he has in mind. So the result is computed at plus and minus `delta` of the parameter; where a slope to one side is more than
TOLERATED off the gradient, the gradient is flagged.
"""

from __future__ import annotations

from serpenoid.core.errors import InputError
from serpenoid.gradients.measures import Ending, Measure, check_defined
from serpenoid.gradients.parameters import Parameter
from serpenoid.gradients.result import Secant, Slope
from serpenoid.gradients.way_back import kept_run_of
from serpenoid.simulation.setup import Setup

Neighbours = list[tuple[Setup, Ending]]  # at less and at more of a parameter
TOLERATED = 0.05  # of the gradient
_ROUNDING = 1e-9  # of the result: a change below it measures rounding


def runs_near(setup: Setup, parameter: Parameter, delta: float, step: float, steps: int) -> Neighbours:
    """Runs at less and at more of a parameter."""
    found: Neighbours = []
    for sign in (-1.0, 1.0):
        try:
            moved = parameter.moved(setup, sign * delta)
            found.append((moved, kept_run_of(moved, step, steps).outcome))
        except InputError as error:
            raise InputError(f"certify {delta:g}: no run at {sign * delta:+.3g} of {parameter.key}: {error}") from error
    return found


def secant_of(
    name: str, measure: Measure, runs: Neighbours, slope: Slope, result: float, delta: float, time: float
) -> Secant:
    """Slopes to either side, and whether they agree with the gradient; of several numbers along the change of all by one share."""
    values = []
    for setup, outcome in runs:
        check_defined(name, outcome, setup)
        values.append(float(measure.formula(outcome, setup, time)))
    share = float(slope.value) if slope.value.ndim == 0 else 1.0
    own = slope.along / share
    below, above = (result - values[0]) / (delta * share), (values[1] - result) / (delta * share)
    slack = TOLERATED * abs(own) + _ROUNDING * abs(result) / abs(delta * share)
    return Secant(delta, below, above, max(abs(below - own), abs(above - own)) <= slack)


def doubt(key: str, slope: Slope, secant: Secant) -> str:
    """What is said of a derivative that does not hold over the change: the result is curved, or has kinks."""
    share = float(slope.value) if slope.value.ndim == 0 else 1.0
    own = slope.along / share
    curved = abs(secant.mean - own) <= TOLERATED * abs(own)
    why = (
        "the result is curved there, and the derivative holds over less"
        if curved
        else "kinks of friction lie in between; give a smoother one (world.friction.smoothing), or a smaller change"
    )
    return (
        f"the derivative by {key}, {own:.4g}, does not hold over {secant.delta:.3g} of it: the slopes {secant.below:.4g} below and {secant.above:.4g} above "
        f"are more than {TOLERATED:.0%} off; {why}"
    )
