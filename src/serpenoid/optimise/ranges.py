"""How flat an optimum is: the range of each variable in which the goal stays within 1 % of its best, the other variables as they are there.

How closely a search brackets an optimum says nothing of how much the place matters: along a flat top another smoothing or step moves the place far and the value
hardly. From the best place each variable is followed both ways, in steps that double, until the goal is more than 1 % worse, a limit is broken or a bound reached;
the end is then bisected to a tenth of its distance. What a golden section has already run is used.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from serpenoid.optimise.evaluation import Evaluator, Outcome, Problem
from serpenoid.optimise.evolution import scale_of

NEAR = 0.01  # of the best value: within it the goal is as good
FIRST = 1.0 / 64.0  # of the interval: first step away from the best
FINE, FINEST = 0.1, 1e-3  # of the distance from the best, and of the interval: how closely an end is found


class Side:
    """One variable followed one way: the farthest value known to be near, and the nearest known not to be."""

    def __init__(self, problem: Problem, best: Outcome, which: int, way: int, known: list[tuple[float, bool]]) -> None:
        self.variable, self.best, self.which, self.way = problem.variables[which], best, which, way
        self.inside = self.start = float(best.place[which])
        self.outside: float | None = None
        self.step = FIRST * self.variable.span
        for value, near in sorted(known, key=lambda item: abs(item[0] - self.start)):
            if (value - self.start) * way > 0.0 and self.outside is None:
                self.learn(value, near)

    def learn(self, value: float, near: bool) -> None:
        """Take in what came of a value."""
        if near:
            self.inside = value
        else:
            self.outside = value

    def next(self) -> float | None:
        """The value to look at next; None where the end is known."""
        v, bound = self.variable, self.variable.low if self.way < 0 else self.variable.high
        if self.outside is None:
            aim = v.rounded(self.inside + self.way * max(self.step, float(v.whole)))
            self.step *= 2.0
            return None if self.inside == bound else aim
        gap, far = abs(self.outside - self.inside), abs(self.outside - self.start)
        if gap <= max(FINE * far, FINEST * v.span) or (v.whole and gap <= 1.0):
            return None
        return v.rounded(0.5 * (self.inside + self.outside))


def near_best(problem: Problem, evaluate: Evaluator, best: Outcome) -> dict[str, Any]:
    """Range of each variable in which the goal is within `NEAR` of its best and all limits are kept, and how many runs that took."""
    top = float(problem.losses(best)[0])
    allowed = top + NEAR * (abs(top) or scale_of(problem, evaluate.outcomes))

    def near(outcome: Outcome) -> bool:
        return problem.feasible(outcome) and float(problem.losses(outcome)[0]) <= allowed

    place = np.array(best.place, dtype=float)
    sides = []
    for which in range(len(place)):
        others = np.arange(len(place)) != which
        on_line = [
            o for o in evaluate.outcomes if np.array_equal(np.array(o.place, dtype=float)[others], place[others])
        ]
        known = [(float(o.place[which]), near(o)) for o in on_line]
        sides += [Side(problem, best, which, way, known) for way in (-1, 1)]
    look, runs = evaluate.child(), 0
    while True:
        asked = [(side, value) for side in sides if (value := side.next()) is not None]
        if not asked:
            break
        places = [(*best.place[: s.which], value, *best.place[s.which + 1 :]) for s, value in asked]
        runs += sum(place not in look.logged and place not in look.seen for place in places)
        for (side, value), outcome in zip(asked, look(places), strict=True):
            side.learn(value, near(outcome))
    ends = {v.key: [sides[2 * k].inside, sides[2 * k + 1].inside] for k, v in enumerate(problem.variables)}
    return {"within": NEAR, "place": ends, "runs": runs}
