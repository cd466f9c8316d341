"""Several objectives: the Pareto front, the places of which no other is better in one objective without being worse in another.

1. A Sobol design over all bounds, and one CMA-ES per objective from its best place: the ends of the front.
2. Generations by NSGA-II (Deb et al. 2002): parents are the best of all places seen so far, by front and then by crowding distance; places that break
   limits come after those that keep them, in the order of how much they break. Children are made by simulated binary crossover and polynomial
   mutation, or as in differential evolution, half by half: the latter follows fronts that lie askew.

The front reported is that of all places that were run, not of the last generation alone. All random numbers come from one generator.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from serpenoid.core.errors import NumericalError
from serpenoid.optimise import evolution
from serpenoid.optimise.evaluation import Evaluator, Outcome, Problem

ENDS = 1.0 / 4.0  # of the runs, for the ends of the front together
ETA_CROSS, ETA_MUTATE = 10.0, 15.0  # how near children are to their parents


def dominates(one: np.ndarray, other: np.ndarray) -> bool:
    """Whether losses are nowhere worse than others and somewhere better."""
    return bool(np.all(one <= other) and np.any(one < other))


def non_dominated(losses: np.ndarray) -> np.ndarray:
    """Mask (m,) of the rows of losses (m, k) that no other row dominates; of equal rows all stay."""
    kept = np.ones(len(losses), dtype=bool)
    for i, row in enumerate(losses):
        kept[i] = not np.any(np.all(losses <= row, axis=1) & np.any(losses < row, axis=1))
    return kept


def ranks(losses: np.ndarray, broken: np.ndarray, enough: int | None = None) -> np.ndarray:
    """Number of the front of each row (0 is the best); rows that break limits follow all others, in the order of how much they do.

    Fronts beyond the first `enough` rows are not told apart.
    """
    made = np.full(len(losses), len(losses))
    left, level = np.flatnonzero(broken == 0.0), 0
    fewest = 0 if enough is None else max(len(left) - enough, 0)
    while len(left) > fewest:
        best = non_dominated(losses[left])
        made[left[best]] = level
        left, level = left[~best], level + 1
    for k, i in enumerate(sorted(np.flatnonzero(broken > 0.0), key=lambda i: broken[i])):
        made[i] = len(losses) + 1 + k
    return made


def crowding(losses: np.ndarray) -> np.ndarray:
    """Crowding distance of each row within its front: half the perimeter of the box of its neighbours; infinite at the ends."""
    found = np.zeros(len(losses))
    for column in losses.T:
        order = np.argsort(column, kind="stable")
        span = float(column[order[-1]] - column[order[0]]) or 1.0
        found[order[0]] = found[order[-1]] = np.inf
        found[order[1:-1]] += (column[order[2:]] - column[order[:-2]]) / span
    return found


def survivors(problem: Problem, outcomes: Sequence[Outcome], count: int) -> list[Outcome]:
    """The best `count` outcomes by front, then by crowding distance."""
    usable = [o for o in outcomes if o.ok]
    losses = np.array([problem.losses(o) for o in usable])
    level = ranks(losses, np.array([problem.broken(o) for o in usable]), count)
    space = np.zeros(len(usable))
    for front in set(level.tolist()):
        inside = np.flatnonzero(level == front)
        space[inside] = crowding(losses[inside])
    order = np.lexsort((-space, level))
    return [usable[i] for i in order[:count]]


def children(parents: np.ndarray, count: int, rng: np.random.Generator) -> np.ndarray:
    """New points of the unit cube (count, n) from those of parents (m, n), the best first."""
    m, n = parents.shape
    made = np.empty((count, n))
    for k in range(count):
        a, b, c = (parents[min(rng.integers(m), rng.integers(m))] for _ in range(3))  # of two, the better
        if k % 2:
            made[k] = a + rng.uniform(0.3, 0.9) * (b - c)
        else:
            u = rng.random(n)
            beta = np.where(u < 0.5, 2.0 * u, 0.5 / (1.0 - u)) ** (1.0 / (ETA_CROSS + 1.0))
            made[k] = 0.5 * ((1.0 + beta) * a + (1.0 - beta) * b)
        u, hit = rng.random(n), rng.random(n) < 1.0 / n
        delta = np.where(u < 0.5, (2.0 * u) ** (1.0 / (ETA_MUTATE + 1.0)) - 1.0, 1.0 - (2.0 - 2.0 * u) ** (1.0 / (ETA_MUTATE + 1.0)))  # fmt: skip
        made[k] += np.where(hit, delta, 0.0)
    return np.abs(1.0 - np.abs(1.0 - np.clip(made, -1.0, 2.0)))  # what leaves a bound is reflected


def search(
    problem: Problem, evaluate: Evaluator, evaluations: int, restarts: int, rng: np.random.Generator, made: list[list[Outcome]]
) -> None:  # fmt: skip
    """Look for the front `restarts` times, independently, with `evaluations` runs in all; each front found is added to `made`."""
    for k in range(restarts):
        alone = evaluate.child()
        try:
            _search(problem, alone, (evaluations - len(evaluate.seen)) // (restarts - k), rng)
        finally:
            evaluate.join(alone)
        made.append(front_of(problem, alone.outcomes))


def _search(problem: Problem, evaluate: Evaluator, evaluations: int, rng: np.random.Generator) -> None:
    """One look for the front."""
    outcomes = evolution.design(problem, evaluate, max(int(evolution.DESIGN * evaluations), 8), rng)
    share = int(ENDS * evaluations) // len(problem.objectives)
    for which in range(len(problem.objectives)):
        weight = evolution.STEEP * evolution.scale_of(problem, outcomes, which)
        start = evolution.starts_of(problem, outcomes, weight, 1, which)[0]
        evolution.Restart(problem, start, weight, rng, which).advance(evaluate, share)
    size = int(np.clip(evaluations // 30, 8, 100))
    asked = len(evaluate.seen)  # places that were asked for twice count: else whole numbers could go on for ever
    while asked < evaluations:
        parents = np.array([problem.point(o.place) for o in survivors(problem, evaluate.outcomes, size)])
        count = min(size, evaluations - asked)
        evaluate([problem.place(point) for point in children(parents, count, rng)])
        asked += count


def front_of(problem: Problem, outcomes: Sequence[Outcome]) -> list[Outcome]:
    """The outcomes that keep all limits and that no other dominates, one for each set of losses, ordered by the first objective."""
    kept = [o for o in outcomes if problem.feasible(o)]
    if not kept:
        return []
    losses = np.array([problem.losses(o) for o in kept])
    best = {tuple(losses[i]): kept[i] for i in np.flatnonzero(non_dominated(losses))[::-1]}
    return [best[key] for key in sorted(best)]


def shortfall(problem: Problem, front: Sequence[Outcome], whole: Sequence[Outcome]) -> float | None:
    """By what part of its span at most another front falls short of a whole one (the additive epsilon indicator); None without a front."""
    if not front or not whole:
        return None
    mine, best = (np.array([problem.losses(o) for o in some]) for some in (front, whole))
    span = np.where(np.ptp(best, axis=0) > 0.0, np.ptp(best, axis=0), 1.0)
    behind = ((mine[None, :, :] - best[:, None, :]) / span).max(axis=2).min(axis=1)
    return float(max(behind.max(), 0.0))


def knee(problem: Problem, front: Sequence[Outcome]) -> Outcome:
    """The place of the front nearest to the best of every objective, each scaled by its span on the front."""
    if not front:
        raise NumericalError("no place keeps all limits, so there is no front; loosen a limit or widen the intervals")
    losses = np.array([problem.losses(o) for o in front])
    low, span = losses.min(axis=0), np.ptp(losses, axis=0)
    scaled = (losses - low) / np.where(span > 0.0, span, 1.0)
    return front[int(np.argmin(np.linalg.norm(scaled, axis=1)))]
