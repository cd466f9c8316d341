"""A run that is made again far enough to be differentiated, and the way back through it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from serpenoid import signals
from serpenoid.compiled import entry
from serpenoid.core import FloatArray
from serpenoid.core.errors import InputError, NumericalError
from serpenoid.gradients import refusals
from serpenoid.gradients.measures import Ending
from serpenoid.gradients.reading import ReadNumbers, engine_of
from serpenoid.planar import adjoint, kept_run
from serpenoid.planar import layout as at
from serpenoid.planar.adjoint_layout import KEPT, SEEDED, MotionSeeds, adjoint_for, slopes_for
from serpenoid.planar.engine import PlanarEngine
from serpenoid.planar.layout import PlanarState, scratch_for
from serpenoid.simulation.setup import Setup

MOST_KEPT = 2e9  # bytes of the history


class KeptRun(NamedTuple):
    """A run with its history: engine at the end, state at the start, outcome, and the steps that were not solved."""

    engine: PlanarEngine
    start: PlanarState
    history: FloatArray  # (steps + 1, KEPT)
    outcome: Ending
    unsolved: int
    first_unsolved: float  # s


def _copied(state: PlanarState) -> PlanarState:
    return PlanarState(*(array.copy() for array in state))


def _place(state: PlanarState) -> FloatArray:
    """Centre of gravity and headings of the links, world axes."""
    q = state.motion
    return np.concatenate([q[[at.X, at.Y]], state.links[at.ANGLE0] + q[at.PSI]])


def kept_run_of(setup: Setup, step: float, steps: int) -> KeptRun:
    """Make a run with its history; refused where it has no derivative."""
    signals.check()
    refusals.check_description(setup)
    size = 8.0 * KEPT * (steps + 1)
    if size > MOST_KEPT:
        raise InputError(
            f"the way back keeps {8 * KEPT} bytes a step, {size:.3g} bytes for {steps} steps; shorten run.duration, or use a longer run.step"
        )
    engine = engine_of(setup, step)
    refusals.check_engine(engine)
    refusals.check_limits(setup, engine.scratch.limits)
    start, history, unsolved = _copied(engine.state), np.zeros((steps + 1, KEPT)), np.zeros(2)
    given = (engine.constants, engine.state, _copied(engine.state), engine.scratch, history, unsolved)
    taken = entry(kept_run.march_kept, *given)(*given)
    if taken < steps:
        raise NumericalError(
            f"the run diverged at t = {(taken + 1) * step:.6g} s: a number is not finite; use a shorter run.step"
        )
    refusals.check_run(engine.state.sums)
    outcome = Ending(_place(start), _place(engine.state), engine.state.sums.copy())
    return KeptRun(engine, start, history, outcome, int(unsolved[0]), float(unsolved[1]) * step)


def slopes_back(run: KeptRun, by: Ending, torques: bool) -> ReadNumbers:
    """Derivatives of a result by everything that the kernels read, from those by the outcome."""
    constants, n = run.engine.constants, len(by.first) - 2
    adjoints, slopes = adjoint_for(constants), slopes_for(constants)
    adjoints.sums[:] = by.sums
    seed = np.zeros((1, SEEDED + n))
    seed[0, :2], seed[0, at.PSI], seed[0, SEEDED:] = by.last[:2], by.last[2:].sum(), by.last[2:]
    seeds = MotionSeeds(np.array([len(run.history) - 1.0]), seed)
    given = (
        constants, run.start, run.engine.scratch, scratch_for(constants), adjoints, slopes, run.history, seeds, torques,
    )  # fmt: skip
    entry(adjoint.march_back, *given)(*given)
    motion, state = adjoints.motion, adjoints.state
    motion[[at.X, at.Y]] += by.first[:2]
    motion[at.PSI] += by.first[2:].sum()
    state[at.ANGLE0] += by.first[2:]
    alike = constants.points is constants.links
    links, points = (slopes.links + slopes.points, slopes.points[:, :0]) if alike else (slopes.links, slopes.points)
    return ReadNumbers(
        links, points, slopes.joints, slopes.numbers, slopes.row, slopes.table, motion, state, adjoints.sums
    )


def total(by: ReadNumbers, change: ReadNumbers) -> float:
    """The derivative along a change of everything that the kernels read."""
    return float(sum((one * other).sum() for one, other in zip(by, change, strict=True)))


__all__ = ["KeptRun", "kept_run_of", "slopes_back", "total"]
