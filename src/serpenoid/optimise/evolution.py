"""Search in several dimensions: CMA-ES (Hansen and Ostermeier 2001; the library `cma`) from the best places of a Sobol design.

1. A Sobol design over all bounds takes a sixth of the runs. It finds the basins, and the scale of the objective.
2. Restarts begin at its best places that lie apart from each other. Each is a CMA-ES of its own in the unit cube, whose populations are batches;
   the best of them then goes on with the last two fifths of the runs.
3. Limits enter by an exact penalty: loss + weight * (sum of the margins by which limits are broken), weight = twice the interquartile range of the losses
   in the design. As long as the best of a population breaks a limit three times in a row, the weight is doubled. The optimum is the best place
   seen that keeps all limits.
4. Whole numbers are the floor of their coordinate, of which the spread never falls below a fraction of one value; at the end the neighbours of the
   optimum are looked at one by one.

Of the library's augmented Lagrangian, a ranking by feasibility first and this penalty, the penalty came closest to the optimum of a grid for creeping
under a torque limit: the peak torque has kinks, and the Lagrangian is made for smooth limits.

All random numbers come from one generator: the same seed gives the same search, whatever the number of threads.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from serpenoid.core.errors import InputError
from serpenoid.optimise.evaluation import Evaluator, Outcome, Problem, hopeless

FINE = 1.0 / 1000.0  # of the interval: a restart ends when its spread is below it in every variable
DESIGN, LAST, STEEP = 1.0 / 6.0, 0.4, 2.0
STRICT = 2.0  # times the penalty, where a restart begins
APART = 0.2  # of the interval, in at least one variable: between the places where restarts begin
SPREAD = 0.08  # of a population at the start of a restart
WHOLE_SPREAD = 0.25  # of one value of a whole number
PATIENCE = 3  # populations whose best breaks a limit, before the penalty is doubled
MARK = 1e100  # stands for "worse than all" in the library, which takes no infinity


def design(problem: Problem, evaluate: Evaluator, count: int, rng: np.random.Generator) -> list[Outcome]:
    """Outcomes of a Sobol design over all bounds; refused where nothing can be told from it."""
    from scipy.stats import qmc

    sampler = qmc.Sobol(len(problem.variables), seed=rng)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of counts that are no power of two
        points = sampler.random(count)
    outcomes = evaluate([problem.place(point) for point in points])
    usable = [o for o in outcomes if o.ok]
    if not usable:
        why = outcomes[0].message.splitlines()[-1].strip() if outcomes[0].message else outcomes[0].status
        raise hopeless(f"none of the first {len(outcomes)} places can be used; the first: {why}", outcomes)
    names = " and ".join(o.metric for o in problem.objectives)
    if len(usable) > 2 and len({tuple(problem.losses(o)) for o in usable}) == 1:
        raise InputError(
            f"{names} does not depend on {', '.join(v.key for v in problem.variables)} in this scenario; are the keys used by its gait and law?"
        )
    return outcomes


def scale_of(problem: Problem, outcomes: Sequence[Outcome], which: int = 0) -> float:
    """Interquartile range of a loss; its size where that is 0."""
    losses = [float(problem.losses(o)[which]) for o in outcomes if o.ok]
    low, high = np.percentile(losses, [25.0, 75.0])
    return float(high - low) or float(np.max(np.abs(losses))) or 1.0


def starts_of(
    problem: Problem, outcomes: Sequence[Outcome], weight: float, count: int, which: int = 0
) -> list[Outcome]:
    """The best places of a design, apart from each other as far as there are such; then any."""

    def rank(outcome: Outcome) -> float:
        return float(problem.losses(outcome)[which]) + weight * problem.broken(outcome) if outcome.ok else math.inf

    ordered = sorted((o for o in outcomes if o.ok), key=rank)
    picked: list[Outcome] = []
    for outcome in ordered:
        point = problem.point(outcome.place)
        if all(np.abs(point - problem.point(o.place)).max() > APART for o in picked):
            picked.append(outcome)
    picked += [o for o in ordered if o not in picked]
    return picked[:count]


def _strategy(problem: Problem, start: np.ndarray, rng: np.random.Generator) -> Any:
    """A CMA-ES of the library in the unit cube that draws its numbers from `rng`, writes no files and reads none."""
    import cma

    least = [WHOLE_SPREAD / v.count if v.whole else 0.0 for v in problem.variables]
    options = {
        "bounds": [[0.0] * len(least), [1.0] * len(least)],
        "minstd": least,
        "randn": lambda *shape: rng.standard_normal(shape),
        "seed": math.nan,  # do nothing: numpy's global generator is not touched
        "verbose": -10,  # quiet, and no file of signals is read
        "verb_log": 0,
        "verb_disp": 0,
        "tolfun": 0.0,
        "tolfunhist": 0.0,
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return cma.CMAEvolutionStrategy(start, SPREAD, options)


class Restart:
    """One CMA-ES: where it began, the best it found that keeps the limits, which runs were its own (first, end), and why it ended."""

    def __init__(
        self, problem: Problem, start: Outcome, weight: float, rng: np.random.Generator, which: int = 0
    ) -> None:
        self.problem, self.start, self.weight, self.which = problem, start, weight, which
        self.best = start if problem.feasible(start) else None
        self.runs: list[tuple[int, int]] = []
        self.reason = "its runs are spent"
        self._es = _strategy(problem, problem.point(start.place), rng)
        self._continuous = np.array([not v.whole for v in problem.variables])
        self._broken = self._still = 0

    def advance(self, evaluate: Evaluator, budget: int) -> None:
        """Go on for at most `budget` runs, or until it has converged."""
        first, used = len(evaluate.seen), 0
        while used + self._es.popsize <= budget and self.reason == "its runs are spent":
            points = self._es.ask()
            outcomes = evaluate([self.problem.place(point) for point in points])
            used += len(points)
            losses = [_penalised(self.problem, o, self.weight, self.which) for o in outcomes]
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                self._es.tell(points, losses)
            self._look(outcomes, losses)
        if len(evaluate.seen) > first:
            self.runs.append((first, len(evaluate.seen)))

    def _look(self, outcomes: Sequence[Outcome], losses: Sequence[float]) -> None:
        """Keep the best, raise the penalty where limits stay broken, see whether it is done."""
        problem, which = self.problem, self.which
        self._broken = 0 if problem.feasible(outcomes[int(np.argmin(losses))]) else self._broken + 1
        if self._broken >= PATIENCE:
            self.weight, self._broken = 2.0 * self.weight, 0
        found = best_of(problem, outcomes, which)
        self._still += 1
        if found is not None and (self.best is None or problem.losses(found)[which] < problem.losses(self.best)[which]):
            self.best, self._still = found, 0
        fine = np.all(np.asarray(self._es.stds)[self._continuous] < FINE)
        if fine and self._continuous.any() and self.best is not None:
            self.reason = "converged"
        elif self._still * self._es.popsize > 40 * (1 + len(problem.variables)):
            self.reason = "no better place was found any more"


def _penalised(problem: Problem, outcome: Outcome, weight: float, which: int) -> float:
    """Loss with the penalty of broken limits; places that cannot be used are worse than all."""
    if not outcome.ok:
        return MARK
    return min(float(problem.losses(outcome)[which]) + weight * problem.broken(outcome), MARK)


def search(
    problem: Problem,
    evaluate: Evaluator,
    evaluations: int,
    restarts: int,
    rng: np.random.Generator,
    made: list[Restart],
) -> None:
    """Restarts of CMA-ES from the best places of a design, for `evaluations` runs in all, and a look at neighbours of whole numbers."""
    whole = 2 * sum(v.whole for v in problem.variables)
    count = max(int(DESIGN * evaluations), 8)
    outcomes = [*evaluate.outcomes, *design(problem, evaluate, count, rng)]
    weight = STEEP * scale_of(problem, outcomes)
    starts = starts_of(problem, outcomes, STRICT * weight, restarts)
    made += [Restart(problem, start, weight, rng) for start in starts]
    last = int(LAST * evaluations) if len(made) > 1 else 0
    for k, one in enumerate(made):
        left = evaluations - whole - last - len(evaluate.seen)
        one.advance(evaluate, left // (len(made) - k))
    going = sorted(
        (one for one in made if one.best is not None), key=lambda one: float(problem.losses(one.best or one.start)[0])
    )
    for one in going:  # the best first; where it has converged, the next
        one.advance(evaluate, evaluations - whole - len(evaluate.seen))
    best = best_of(problem, evaluate.outcomes)
    if best is not None and whole:
        evaluate(neighbours(problem, best))


def neighbours(problem: Problem, best: Outcome) -> list[tuple[float, ...]]:
    """Places that differ from the best by one in one whole number."""
    found = []
    for k, v in enumerate(problem.variables):
        for value in (best.place[k] - 1, best.place[k] + 1):
            if v.whole and v.low <= value <= v.high:
                found.append((*best.place[:k], value, *best.place[k + 1 :]))
    return found


def best_of(problem: Problem, outcomes: Sequence[Outcome], which: int = 0) -> Outcome | None:
    """The best place that keeps all limits; None if there is none."""
    kept = [o for o in outcomes if problem.feasible(o)]
    return min(kept, key=lambda o: problem.losses(o)[which], default=None)
