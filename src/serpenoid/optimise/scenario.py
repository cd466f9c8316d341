"""The best values of numbers of a scenario: one door for every search.

| what is asked | how it is searched |
|---|---|
| one variable, one objective | a coarse scan, then golden section (`golden`) |
| several variables, one objective | CMA-ES with restarts (`evolution`) |
| several objectives, or none (speed against cost of transport) | the Pareto front (`front`) |

Limits (`goals`) may be set on any metric in all three. A place that keeps no limit or whose run fails is never an optimum; how many there were is
reported. The optimum is run once more and checked like any run.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from serpenoid import signals
from serpenoid.core.door import door
from serpenoid.core.errors import InputError
from serpenoid.core.functions import keys_through
from serpenoid.core.quantities import Number, Whole
from serpenoid.formats.scenario import Scenario, checked, read, set_key
from serpenoid.optimise import evolution, front
from serpenoid.optimise.evaluation import Evaluator, Problem, hopeless
from serpenoid.optimise.goals import Limit, limit_of, motor_limits, objectives_of
from serpenoid.optimise.golden import Optimum, scan_and_refine
from serpenoid.optimise.ranges import near_best
from serpenoid.optimise.report import Findings, report
from serpenoid.optimise.variables import Varied, interval, own_place, variables_of
from serpenoid.simulation.budget import MOST_THREADS, check_memory, hours, threads_of
from serpenoid.simulation.cells import Variations
from serpenoid.simulation.metrics import never_there
from serpenoid.simulation.setup import Setup, setup_of
from serpenoid.simulation.steps import Progress

MOST_POINTS = 100_000  # of a search
EACH_WHOLE = 200  # values of a single whole number that are all looked at
ToKeys = Callable[[Mapping[str, Any]], dict[str, Any]]  # from values of variables to the keys that change
_FLOOR = -1e100  # below all values that keep the limits, in a search over one variable


@door(
    evaluations=Whole(low=20, high=MOST_POINTS), restarts=Whole(low=1, high=100), seed=Whole(low=0, high=2**32 - 1), threads=Whole(low=1, high=MOST_THREADS),
    points=Whole(low=3, high=1e9), tolerance=Number(above=0.0),
)  # fmt: skip
def optimise_scenario(
    name: str | Mapping[str, Any], changes: list[str] | None = None, *, over: str | list[str], maximise: str | list[str] | None = None,
    minimise: str | list[str] | None = None, subject_to: str | list[str] | None = None, motors: str | list[float] | None = None,
    points: int | None = None, tolerance: float | None = None, evaluations: int | None = None, restarts: int | None = None,
    seed: int | None = None, threads: int | None = None, progress: Progress | None = None, allow: tuple[str, ...] = (),
    outside: bool = False, before: Mapping[str, Any] | None = None, partial: bool = False, through: str | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Search numbers of a scenario for the best value of metrics.

    Parameters
    ----------
    name : a bundled scenario, a TOML file, or the keys of a scenario (`Setup.keys()`)
    changes : such as "gait.waves=2"
    over : "path.to.key=low:high", one or several
    maximise, minimise : metrics; several give a Pareto front; none: steady_speed against cost_of_transport
    subject_to : limits such as "torque_max<2"
    motors : stall torque (N m), no-load speed (rad/s) and perhaps continuous torque (N m) of the motors, or "robot": those that its servos declare
    points, tolerance : of one variable: places of the scan (default 18), width of the final bracket (default 1/500 of the interval)
    evaluations, restarts, seed : of several: runs in all (default 200 per variable and 200 more), independent searches (default 4; 2 of a front), of the random numbers (default 0)
    threads : number of them; the result does not depend on it
    progress : called with the fraction done
    allow, outside : as for `run_scenario`
    before : an earlier result of the same search that was interrupted: what it ran is not run again
    through : "module:function" (of an allowed module) from {variable: value} to the {key: value} that a run changes; the variables are then its own
    partial : an interrupt gives what was found so far, with the status "interrupted"

    Returns
    -------
    dict: optimum, value, how sure it is, what was run; with several objectives the front
    """
    data = _scenario(name, changes, allow, outside)
    asked = {"over": over, "maximise": maximise, "minimise": minimise, "subject_to": subject_to}
    wanted = {key: _listed(value) for key, value in asked.items()}
    to_keys = None if through is None else keys_through(through, allow)
    build = _builder(Variations(data).setup, wanted["over"], to_keys)
    objectives = objectives_of(wanted["maximise"], wanted["minimise"], allow)
    limits = [limit_of(text, allow) for text in wanted["subject_to"]]
    base = setup_of(data)
    variables = variables_of(wanted["over"], build)
    problem = Problem(variables, objectives, _merged([*limits, *motor_limits(motors, base)]))
    plan = _plan(problem, points, tolerance, evaluations, restarts, seed)
    ends = [build({v.key: v.rounded(end)}) for v in variables for end in (v.low, v.high)]
    _check_metrics(problem, [base, *ends])
    for end in ends:
        check_work(end, plan.runs)
    request = {
        "scenario": dict(data),
        **wanted,
        "motors": motors,
        **plan.given,
        **({"through": through} if through else {}),
    }
    evaluate = Evaluator(problem, build, threads, _fraction(progress, plan.runs))
    if before is not None:
        _recall(evaluate, before, request)
    return _with_changes(_searched(problem, evaluate, plan, base, request, partial), to_keys)


def _with_changes(result: dict[str, Any], to_keys: ToKeys | None) -> dict[str, Any]:
    """A result with the keys at its best place, where variables go through a function."""
    best = result["optimum"] if "optimum" in result else (result["knee"] or {}).get("place")
    return result if to_keys is None or best is None else {**result, "changes": to_keys(best)}


def _builder(
    setup: Callable[[Mapping[str, Any]], Setup],
    over: Sequence[str],
    through: ToKeys | None,
) -> Callable[[Mapping[str, Any]], Setup]:
    """From values of variables to a description; a function that they go through always gets all, those not given at their lower bounds."""
    if through is None:
        return setup
    lowest = {key: low for key, low, _ in map(interval, over)}
    return lambda values: setup(through({**lowest, **values}))


def _searched(
    problem: Problem, evaluate: Evaluator, plan: Plan, base: Setup, request: dict[str, Any], partial: bool
) -> dict[str, Any]:
    """Search, and report; with `partial` an interrupt leaves what was found so far."""
    own = own_place(base, problem.variables)
    found = Findings(own, request)
    try:
        if own is not None and plan.kind != "golden":
            evaluate([own])
        if plan.kind == "golden":
            found.scan = _golden(problem, evaluate, plan)
        elif plan.kind == "cma":
            found.restarts = []
            evolution.search(
                problem, evaluate, plan.runs, plan.restarts, np.random.default_rng(plan.seed), found.restarts
            )
        else:
            found.fronts = []
            front.search(problem, evaluate, plan.runs, plan.restarts, np.random.default_rng(plan.seed), found.fronts)
        best = None if plan.kind == "front" else evolution.best_of(problem, evaluate.outcomes)
        if best is not None:
            found.near = near_best(problem, evaluate, best)
    except KeyboardInterrupt:
        if not partial:
            raise
        signals.take()
        found.interrupted = True
    return report(problem, evaluate, found, base)


@dataclass(frozen=True)
class Plan:
    """How a search is made: its kind and its numbers; `given` are those that belong to its kind."""

    kind: str  # golden, cma, front
    runs: int
    points: int = 18
    tolerance: float | None = None
    restarts: int = 1
    seed: int = 0

    @property
    def given(self) -> dict[str, Any]:
        """The numbers by the names of the arguments."""
        if self.kind == "golden":
            return {"points": self.points, "tolerance": self.tolerance}
        return {"evaluations": self.runs, "restarts": self.restarts, "seed": self.seed}


def _plan(
    problem: Problem, points: int | None, tolerance: float | None, evaluations: int | None, restarts: int | None, seed: int | None
) -> Plan:  # fmt: skip
    """The kind of search that fits; numbers of another kind are refused."""
    if len(problem.variables) == 1 and len(problem.objectives) == 1:
        for name, value in (("evaluations", evaluations), ("restarts", restarts), ("seed", seed)):
            if value is not None:
                raise InputError(
                    f"--{name} is for several variables or objectives; one variable is searched by a scan (--scan) and golden section"
                )
        v, count = problem.variables[0], points or 18
        if count > MOST_POINTS:
            raise InputError(f"--scan: {count} places are more than {MOST_POINTS}")
        if v.whole and v.count <= max(EACH_WHOLE, count):
            return Plan("golden", v.count, v.count, 1.0)
        tolerance = v.span / 500.0 if tolerance is None else tolerance
        shrink = math.log(max(2.0 * v.span / (count - 1) / tolerance, 1.0)) / -math.log(0.618)
        return Plan("golden", count + math.ceil(shrink) + 2, count, tolerance)
    for name, number in (("scan", points), ("tolerance", tolerance)):
        if number is not None:
            raise InputError(
                f"--{name} is for one variable and one objective; here --evaluations sets the number of runs"
            )
    kind = "cma" if len(problem.objectives) == 1 else "front"
    runs = 200 * (len(problem.variables) + 1) if evaluations is None else evaluations
    times = (4 if kind == "cma" else 2) if restarts is None else restarts
    least = times * 4 * (4 + len(problem.variables))
    if runs < least:
        raise InputError(
            f"--evaluations {runs} is too few for --restarts {times} over {len(problem.variables)} variables; give at least {least}"
        )
    return Plan(kind, runs, restarts=times, seed=0 if seed is None else seed)


def _golden(problem: Problem, evaluate: Evaluator, plan: Plan) -> Optimum | None:
    """Scan and golden section over one variable; None where all values of a whole number were looked at."""
    v = problem.variables[0]
    places = [(v.rounded(v.low + v.span * k / (plan.points - 1)),) for k in range(plan.points)]
    outcomes = evaluate(places)
    losses = {float(problem.losses(o)[0]) for o in outcomes if o.ok}
    if not losses:
        text = f"the objective is undefined at all {plan.points} places scanned from {v.low:g} to {v.high:g}; the first: {outcomes[0].message}"
        raise hopeless(text, outcomes)
    if len(losses) == 1:
        raise InputError(
            f"{problem.objectives[0].metric} does not depend on {v.key} in this scenario; is the key used by its gait and law?"
        )
    if v.whole and plan.points == v.count:
        return None

    def height(x: float) -> float | None:
        outcome = evaluate([(v.rounded(x),)])[0]
        if not outcome.ok:
            return None
        broken = problem.broken(outcome)
        return -float(problem.losses(outcome)[0]) if broken == 0.0 else _FLOOR * (1.0 + min(broken, 1e3))

    best = scan_and_refine(height, v.low, v.high, points=plan.points, tolerance=plan.tolerance, threads=1)
    if v.whole:
        evaluate(evolution.neighbours(problem, evaluate([(v.rounded(best.place),)])[0]))
    return best


def _check_metrics(problem: Problem, setups: Sequence[Setup]) -> None:
    """Refuse a metric that no run can have; whether a whole period lies in a run depends on all variables together."""
    for metric in problem.metrics:
        whys = [never_there(metric, setup) for setup in setups]
        if all(whys) and not whys[0].startswith("no whole period"):
            raise InputError(f"no run of this search has {metric}: {whys[0]}")


def check_work(setup: Setup, runs: int) -> None:
    """Refuse a search whose runs take too long together."""
    step, duration = setup.settings.step, setup.settings.duration
    if duration is None or not isinstance(step, float):
        return
    work, most = runs * duration / step * setup.robot.links, setup.settings.max_link_steps
    if work > most:
        raise InputError(
            f"{runs} runs are {work:.3g} steps times links, more than run.max_link_steps = {most:.3g} ({hours(setup, work)}); "
            "use fewer places or a longer step, or raise the limit"
        )
    check_memory(setup, duration / max(step, setup.settings.record_interval), min(runs, threads_of(None)))


def _scenario(
    name: str | Mapping[str, Any], changes: list[str] | None, allow: tuple[str, ...], outside: bool
) -> Scenario:
    """The data of a scenario by name, path or keys."""
    if isinstance(name, str):
        return read(name, changes, allow=allow, outside=outside)
    if not isinstance(name, Mapping):
        raise InputError(f"the scenario must be a name, a path or the keys of one, got a {type(name).__name__}")
    data = copy.deepcopy(dict(name))
    for change in changes or []:
        set_key(data, change)
    return checked(data, "scenario", allow)


def _listed(value: str | Sequence[str] | None) -> list[str]:
    return [] if value is None else [value] if isinstance(value, str) else list(value)


def _merged(limits: Sequence[Limit]) -> list[Limit]:
    """Limits, each once."""
    return list(dict.fromkeys(limits))


def _fraction(progress: Progress | None, runs: int) -> Callable[[int], None] | None:
    return None if progress is None else lambda done: progress(min(done / runs, 1.0))


def _recall(evaluate: Evaluator, before: Mapping[str, Any], request: Mapping[str, Any]) -> None:
    """Take up what an earlier search ran; refused if it was another search or another version's."""
    from serpenoid.version import VERSION

    if not isinstance(before, Mapping) or not {"request", "log", "version"} <= set(before):
        raise InputError("this is not the result of a search that can be gone on with")
    if before["version"] != VERSION:
        raise InputError(f"this search was begun by version {before['version']!s:.20}; go on with that, or begin anew")
    if before["request"] != request:
        differ = [key for key in request if dict(before["request"]).get(key) != request[key]]
        raise InputError(f"the earlier result is of another search: {', '.join(differ)} differ")
    evaluate.recall(before["log"])


__all__ = ["Varied", "check_work", "optimise_scenario"]
