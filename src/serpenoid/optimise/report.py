"""What a search found, as plain data: the optimum or the front, how sure it is, what lies on a bound, what was run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from serpenoid.optimise import front as fronts
from serpenoid.optimise.bundled import bundled_gaits
from serpenoid.optimise.evaluation import Evaluator, Outcome, Problem, hopeless
from serpenoid.optimise.evolution import Restart, best_of
from serpenoid.optimise.goals import ACTIVE
from serpenoid.optimise.golden import Optimum
from serpenoid.optimise.variables import Place
from serpenoid.simulation.metrics import metric_of, values_of
from serpenoid.simulation.run import execute
from serpenoid.simulation.setup import Setup

AGREED = 0.01  # restarts within 1 % of the best value found it, too


@dataclass
class Findings:
    """What a search left; one of scan, restarts and fronts is not None, by the kind of the search."""

    own: Place | None  # where the scenario itself lies
    request: dict[str, Any]
    scan: Optimum | None = None
    restarts: list[Restart] | None = None
    fronts: list[list[Outcome]] | None = None
    near: dict[str, Any] | None = None  # how flat the optimum is: see `ranges`
    interrupted: bool = False
    warnings: list[str] = field(default_factory=list)


def report(problem: Problem, evaluate: Evaluator, found: Findings, base: Setup) -> dict[str, Any]:
    """The result of a search."""
    if len(problem.objectives) > 1:
        return _front(problem, evaluate, found, base)
    best = best_of(problem, evaluate.outcomes)
    if best is None and not found.interrupted:
        raise hopeless(_nothing(problem, evaluate), evaluate.outcomes)
    objective = problem.objectives[0]
    warnings = [*evaluate.failures(), *([] if best is None else _bounds(problem, best, found.scan))]
    result: dict[str, Any] = {
        "status": "interrupted" if found.interrupted else "ok",
        "optimum": None if best is None else problem.changes(best.place),
        "value": None if best is None else best.values[objective.metric],
        "objective": objective.metric,
        "goal": objective.goal,
        "unit": objective.unit,
        "limits": _limits(problem, best),
        "start": _start(problem, evaluate, found),
        "sure": {**_sure(problem, best, found), "near": found.near},
        **_shared(problem, evaluate, found),
    }
    if len(problem.variables) == 1:
        result |= _one_variable(problem, evaluate, found)
    if best is not None:
        result |= _checked(evaluate, problem, best, warnings, found.interrupted)
    result["warnings"] = warnings
    return result


def _front(problem: Problem, evaluate: Evaluator, found: Findings, base: Setup) -> dict[str, Any]:
    """The result of a search for a front."""
    front = fronts.front_of(problem, evaluate.outcomes)
    if not front and not found.interrupted:
        raise hopeless(_nothing(problem, evaluate), evaluate.outcomes)
    warnings = evaluate.failures()
    if front:
        middle = fronts.knee(problem, front)
        warnings += [f"the middle of the front: {text}" for text in _bounds(problem, middle)]
    short = [fronts.shortfall(problem, one, front) for one in found.fronts or []]
    known = [x for x in short if x is not None]
    result: dict[str, Any] = {
        "status": "interrupted" if found.interrupted else "ok",
        "objectives": [{"metric": o.metric, "goal": o.goal, "unit": o.unit} for o in problem.objectives],
        "front": [_point(problem, o) for o in front],
        "knee": _point(problem, middle) if front else None,
        "limits": _limits(problem, middle if front else None),
        "start": _start(problem, evaluate, found),
        "sure": {"restarts": len(short), "shortfall": max(known) if known and len(known) == len(short) > 1 else None},
        "bundled": [] if found.interrupted else bundled_gaits(base, problem, evaluate.threads),
        **_shared(problem, evaluate, found),
    }
    if front:
        result |= _checked(evaluate, problem, middle, warnings, found.interrupted)
    result["warnings"] = warnings
    return result


def _shared(problem: Problem, evaluate: Evaluator, found: Findings) -> dict[str, Any]:
    """What all results tell."""
    from serpenoid.version import VERSION

    variables = [
        {"key": v.key, "low": v.low, "high": v.high, "whole": v.whole, "unit": v.unit, "name": v.name, "meaning": v.meaning}
        for v in problem.variables
    ]  # fmt: skip
    metrics = {name: metric_of(name).unit for name in problem.metrics}
    return {
        "variables": variables,
        "units": metrics,
        "evaluations": len(evaluate.seen),
        "counts": evaluate.counts(),
        "request": found.request,
        "version": VERSION,
        "log": evaluate.log(),
    }


def _point(problem: Problem, outcome: Outcome) -> dict[str, Any]:
    """A place and its objectives."""
    values = {o.metric: outcome.values[o.metric] for o in problem.objectives}
    return {"place": problem.changes(outcome.place), "values": values}


def _start(problem: Problem, evaluate: Evaluator, found: Findings) -> dict[str, Any] | None:
    """What the scenario itself came to, where it lies within the bounds."""
    outcome = None if found.own is None else evaluate.seen.get(found.own)
    if outcome is None:
        return None
    values = {o.metric: outcome.values.get(o.metric) for o in problem.objectives}
    return {"place": problem.changes(outcome.place), "values": values, "feasible": problem.feasible(outcome)}


def _limits(problem: Problem, best: Outcome | None) -> list[dict[str, Any]]:
    """The limits, their values at the optimum, and whether it touches them."""
    made = []
    for limit in problem.limits:
        value = None if best is None else best.values[limit.metric]
        reached = value is not None and limit.margin(value) > -ACTIVE
        made.append({"limit": str(limit), "metric": limit.metric, "relation": limit.relation, "bound": limit.bound, "value": value, "reached": reached})  # fmt: skip
    return made


def _bounds(problem: Problem, best: Outcome, scan: Optimum | None = None) -> list[str]:
    """Which bounds the optimum lies on."""
    said = []
    for v, x in zip(problem.variables, best.place, strict=True):
        bound = v.bound_near(x)
        if bound is None and scan is not None and scan.at_end:
            bound = v.low if x - v.low < v.high - x else v.high
        if bound is not None:
            said.append(
                f"the optimum lies at the end of {v.key} = {v.low:g}:{v.high:g}, at {bound:g}; widen the interval if you may"
            )
    return said


def _sure(problem: Problem, best: Outcome | None, found: Findings) -> dict[str, Any]:
    """How sure the optimum is: what the restarts came to, how many agree, how far their places and values lie apart."""
    if found.restarts is None or best is None:
        width = found.request.get("tolerance")
        return {"bracket": None if best is None or found.scan is None else width}
    metric = problem.objectives[0].metric
    each = [
        {
            "value": None if r.best is None else r.best.values[metric],
            "place": None if r.best is None else problem.changes(r.best.place),
            "runs": [list(own) for own in r.runs],
            "ended": r.reason,
        }
        for r in found.restarts
    ]
    top = float(best.values[metric] or 0.0)
    agree = [
        r.best for r in found.restarts if r.best and abs(float(r.best.values[metric] or 0.0) - top) <= AGREED * abs(top)
    ]
    all_best = [r.best for r in found.restarts if r.best]
    return {"restarts": each, "agree": len(agree), "spread": _spread(problem, agree), "spread_all": _spread(problem, all_best)}  # fmt: skip


def _spread(problem: Problem, outcomes: Sequence[Outcome]) -> dict[str, Any] | None:
    """Ranges of value and place over outcomes; None without any."""
    if not outcomes:
        return None
    metric = problem.objectives[0].metric
    values = [float(o.values[metric] or 0.0) for o in outcomes]
    places = np.array([o.place for o in outcomes], dtype=float)
    ranges = {
        v.key: [float(low), float(high)]
        for v, low, high in zip(problem.variables, places.min(0), places.max(0), strict=True)
    }
    return {"value": [min(values), max(values)], "place": ranges}


def _one_variable(problem: Problem, evaluate: Evaluator, found: Findings) -> dict[str, Any]:
    """Evaluations and scan of a search over one variable: place and value, None where it cannot be used or breaks a limit."""
    metric = problem.objectives[0].metric
    rows = [[o.place[0], o.values[metric] if problem.feasible(o) else None] for o in evaluate.outcomes]
    return {"evaluations_list": rows, "scan": rows[: found.request["points"]]}


def _checked(
    evaluate: Evaluator, problem: Problem, best: Outcome, warnings: list[str], interrupted: bool
) -> dict[str, Any]:
    """The scenario of the optimum; unless interrupted also its metrics, after a checked run whose warnings are added."""
    setup = evaluate.build(problem.changes(best.place))
    if interrupted:
        return {"scenario": setup.keys()}
    run = execute(setup)
    warnings += [w for w in run.warnings if w.startswith("not converged")]
    if not run.status.ok:
        warnings.append(f"the run of the optimum ended as {run.status.name}: {run.status.message}")
    return {"scenario": setup.keys(), "metrics": {**run.metrics, **values_of(setup, run, problem.metrics)}}


def _nothing(problem: Problem, evaluate: Evaluator) -> str:
    """Why there is no optimum."""
    text = f"none of {len(evaluate.seen)} places keeps all limits"
    usable = [o for o in evaluate.outcomes if o.ok]
    if not usable:
        return "; ".join([f"none of {len(evaluate.seen)} places can be used", *evaluate.failures()])
    nearest = min(usable, key=problem.broken)
    what = ", ".join(f"{limit} has {nearest.values[limit.metric]:.4g}" for limit in problem.limits)
    place = ", ".join(f"{key} = {x:.4g}" for key, x in problem.changes(nearest.place).items())
    return f"{text}; nearest is {place}: {what}; loosen a limit or widen the intervals"
