"""Runs at the places that a search asks for: a batch at a time, each place once, all of them logged.

A place that cannot be used (its description is refused, its run diverges, a metric does not apply) is an outcome too: it counts as worse than
everything, and the search reports how many there were. The log is all that a search needs to go on: with the same seed it asks for the same
places again, and those that are logged are not run a second time.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from serpenoid.core.errors import InputError, NumericalError, SerpenoidError
from serpenoid.optimise.goals import Limit, Objective, total_excess
from serpenoid.optimise.parallel import evaluate_all
from serpenoid.optimise.variables import Place, Varied
from serpenoid.simulation.batch import INVALID, execute_many
from serpenoid.simulation.metrics import values_of
from serpenoid.simulation.run import execute
from serpenoid.simulation.setup import Setup

UNDEFINED = "undefined"  # status of a run that is ok but has no value of a metric that was asked for


class Outcome(NamedTuple):
    """What came of one place: the metrics asked for, and its status ("ok" where all of them can be used)."""

    place: Place
    values: dict[str, float | None]
    status: str
    message: str = ""

    @property
    def ok(self) -> bool:
        """Whether its values can be used."""
        return self.status == "ok"


def hopeless(text: str, outcomes: Sequence[Outcome]) -> SerpenoidError:
    """The error of a search without a usable place: its input is wrong where every place is refused, else its runs failed."""
    refused = all(outcome.status == INVALID for outcome in outcomes)
    return (InputError if refused else NumericalError)(text)


@dataclass(frozen=True)
class Problem:
    """What is varied, what is wanted, what must be kept."""

    variables: Sequence[Varied]
    objectives: Sequence[Objective]
    limits: Sequence[Limit] = ()

    @property
    def metrics(self) -> list[str]:
        """Names of all metrics that matter, each once."""
        return list(dict.fromkeys([*(o.metric for o in self.objectives), *(limit.metric for limit in self.limits)]))

    def place(self, point: Sequence[float]) -> Place:
        """The values of the variables at a point of the unit cube."""
        return tuple(v.at(u) for v, u in zip(self.variables, point, strict=True))

    def point(self, place: Sequence[float]) -> np.ndarray:
        """The point of the unit cube of a place."""
        return np.array([v.coordinate(x) for v, x in zip(self.variables, place, strict=True)])

    def changes(self, place: Sequence[float]) -> dict[str, float]:
        """The keys of the scenario at a place."""
        return {v.key: x for v, x in zip(self.variables, place, strict=True)}

    def losses(self, outcome: Outcome) -> np.ndarray:
        """The objectives as numbers to make small; infinite where the outcome cannot be used."""
        if not outcome.ok:
            return np.full(len(self.objectives), math.inf)
        return np.array([-o.sign * float(outcome.values[o.metric] or 0.0) for o in self.objectives])

    def broken(self, outcome: Outcome) -> float:
        """By how much limits are broken, 0 if all are kept; infinite where the outcome cannot be used."""
        return total_excess(self.limits, outcome.values) if outcome.ok else math.inf

    def feasible(self, outcome: Outcome) -> bool:
        """Whether an outcome can be used and keeps all limits."""
        return outcome.ok and self.broken(outcome) == 0.0


@dataclass
class Evaluator:
    """Runs places in batches and remembers what came of them."""

    problem: Problem
    build: Callable[[Mapping[str, Any]], Setup]
    threads: int | None = None
    progress: Callable[[int], None] | None = None  # called with the number of places done
    seen: dict[Place, Outcome] = field(default_factory=dict)  # in the order in which they were asked for first
    logged: dict[Place, Outcome] = field(default_factory=dict)  # of an earlier search: not run again

    def __call__(self, places: Sequence[Place]) -> list[Outcome]:
        """What comes of each place; only those not yet known are run."""
        new = [place for place in dict.fromkeys(places) if place not in self.seen]
        todo = [place for place in new if place not in self.logged]
        made = dict(zip(todo, self._run(todo), strict=True)) if todo else {}
        for place in new:
            self.seen[place] = self.logged[place] if place in self.logged else made[place]
        if self.progress is not None:
            self.progress(len(self.seen))
        return [self.seen[place] for place in places]

    def _run(self, places: Sequence[Place]) -> list[Outcome]:
        """Run the places that are not known."""
        setups: list[Setup | InputError] = []
        for place in places:
            try:
                setups.append(self.build(self.problem.changes(place)))
            except InputError as error:
                setups.append(error)
        done = len(self.seen)
        report = None if self.progress is None else lambda share: self.progress(done + int(share * len(places)))  # type: ignore[misc]
        if any(isinstance(setup, Setup) and setup.drive is not None for setup in setups):
            return self._checked(places, setups)
        batch = execute_many(setups, metrics=self.problem.metrics, threads=self.threads, progress=report)
        values = [{name: float(column[k]) for name, column in batch.metrics.items()} for k in range(len(places))]
        return [self._outcome(*row) for row in zip(places, values, batch.status, batch.messages, strict=True)]

    def _checked(self, places: Sequence[Place], setups: Sequence[Setup | InputError]) -> list[Outcome]:
        """Under torques every run may leave its horizon: each is checked, one by one."""

        def one(item: tuple[Place, Setup | InputError]) -> Outcome:
            place, setup = item
            if isinstance(setup, InputError):
                return Outcome(place, {}, INVALID, str(setup))
            try:
                run = execute(replace(setup, settings=setup.settings.but(checked=True)))
            except InputError as error:
                return Outcome(place, {}, INVALID, str(error))
            return self._outcome(
                place, values_of(setup, run, self.problem.metrics), run.status.name, run.status.message
            )

        return evaluate_all(one, list(zip(places, setups, strict=True)), threads=self.threads)

    def _outcome(self, place: Place, values: Mapping[str, float | None], status: str, message: str) -> Outcome:
        """The outcome of a run; it is undefined where a metric that matters does not apply."""
        known = {name: values.get(name) for name in self.problem.metrics}
        kept = {n: None if v is None or not math.isfinite(v) else float(v) for n, v in known.items()}
        missing = [name for name, value in kept.items() if value is None]
        if status == "ok" and missing:
            status, message = UNDEFINED, f"{', '.join(missing)} does not apply to this run; serpenoid run tells why"
        return Outcome(place, kept, status, message)

    def child(self) -> Evaluator:
        """An evaluator that has seen nothing yet, for an independent search; what is known here is not run again."""
        done, report = len(self.seen), self.progress
        progress = None if report is None else lambda count: report(done + count)
        return Evaluator(self.problem, self.build, self.threads, progress, {}, {**self.logged, **self.seen})

    def join(self, child: Evaluator) -> None:
        """Take over what a child has seen."""
        for place, outcome in child.seen.items():
            self.seen.setdefault(place, outcome)

    # what was seen

    @property
    def outcomes(self) -> list[Outcome]:
        """All outcomes, in the order in which they were asked for."""
        return list(self.seen.values())

    def counts(self) -> dict[str, int]:
        """How many places were usable, broke a limit, or failed by status."""
        found = Counter(
            "feasible" if self.problem.feasible(o) else "infeasible" if o.ok else o.status for o in self.outcomes
        )
        return dict(sorted(found.items()))

    def failures(self) -> list[str]:
        """One line per kind of failure, with how often it came and its first place."""
        first: dict[str, Outcome] = {}
        for outcome in self.outcomes:
            if not outcome.ok:
                first.setdefault(outcome.status, outcome)
        counts = self.counts()
        return [
            f"{counts[status]} of {len(self.seen)} places were {status}, such as {_named(self.problem.changes(o.place))}: {o.message.splitlines()[-1].strip() if o.message else ''}"
            for status, o in first.items()
        ]

    def log(self) -> dict[str, Any]:
        """All outcomes as plain data: keys, metrics, and one row per place: its values, its metrics, its status, its message."""
        names = self.problem.metrics
        rows = [[list(o.place), [o.values.get(n) for n in names], o.status, o.message] for o in self.outcomes]
        return {"keys": [v.key for v in self.problem.variables], "metrics": names, "rows": rows}

    def recall(self, log: Any) -> None:
        """Take up the log of an earlier search of the same problem."""
        names, keys = self.problem.metrics, [v.key for v in self.problem.variables]
        try:
            if list(log["metrics"]) != names or list(log["keys"]) != keys:
                raise InputError("the log belongs to another search: its variables or metrics differ")
            for place, values, status, message in log["rows"]:
                where = tuple(
                    int(x) if v.whole else float(x) for v, x in zip(self.problem.variables, place, strict=True)
                )
                known = {n: None if x is None else float(x) for n, x in zip(names, values, strict=True)}
                if not all(math.isfinite(x) if x is not None else status != "ok" for x in known.values()):
                    raise ValueError("a value is missing or not finite")
                self.logged[where] = Outcome(where, known, str(status), str(message))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            if isinstance(error, InputError):
                raise
            raise InputError(f"the log of the search cannot be read: {type(error).__name__}: {error}"[:200]) from None


def _named(changes: Mapping[str, float]) -> str:
    return ", ".join(f"{key} = {value:.6g}" for key, value in changes.items())
