"""The best value of one number of a scenario: a coarse scan, then golden section."""

from __future__ import annotations

import importlib
from dataclasses import replace
from typing import Any

import numpy as np

from serpenoid.core.door import door
from serpenoid.core.errors import InputError
from serpenoid.formats.scenario import read
from serpenoid.optimise.golden import scan_and_refine
from serpenoid.simulation.metrics import METRICS, check_metric, register
from serpenoid.simulation.run import execute
from serpenoid.simulation.setup import Setup, setup_of
from serpenoid.simulation.steps import Progress

MOST_POINTS = 100_000  # of a scan


def _interval(over: str) -> tuple[str, float, float]:
    """Key path and bounds of "path.to.key=low:high"."""
    key, equals, span = over.partition("=")
    low, colon, high = span.partition(":")
    try:
        if not (equals and colon and key.strip()):
            raise ValueError
        return key.strip(), float(low), float(high)
    except ValueError:
        raise InputError(f"--over needs path.to.key=low:high, got {over!r}") from None


def metric_named(name: str, allow: tuple[str, ...] = ()) -> str:
    """Name of a metric: a known one, or a function of the trajectory of an allowed module, as "my_module:my_metric"."""
    if ":" not in name:
        return check_metric(name)
    module, _, function = name.partition(":")
    if module not in allow:
        raise InputError(f"the metric {name} would run code of the module {module}; allow it with --allow {module}")
    found = getattr(importlib.import_module(module), function, None)
    if not callable(found):
        raise InputError(f"the module {module} has no function {function!r} of a trajectory")
    if function not in METRICS:
        register(function, "", found)
    return check_metric(function)


def check_work(setup: Setup, points: int) -> None:
    """Refuse a scan of too many places, or of runs that take too long together."""
    if points > MOST_POINTS:
        raise InputError(f"--scan: {points} places are more than {MOST_POINTS}")
    step, duration = setup.settings.step, setup.settings.duration
    if duration is None or not isinstance(step, float):
        return
    work, most = points * duration / step * setup.robot.links, setup.settings.max_link_steps
    if work > most:
        raise InputError(
            f"--scan: {points} runs are {work:.3g} steps times links, more than run.max_link_steps = {most:.3g} (about {work * 4e-8 / 3600:.3g} "
            "hours); use fewer places or a longer step, or raise the limit"
        )


@door
def optimise_scenario(
    name: str, changes: list[str] | None = None, *, over: str, maximise: str | None = None, minimise: str | None = None,
    points: int = 18, tolerance: float | None = None, progress: Progress | None = None, allow: tuple[str, ...] = (),
    outside: bool = False,
) -> dict[str, Any]:  # fmt: skip
    """Search one number of a scenario for the best value of a metric: coarse scan, then golden section."""
    key, low, high = _interval(over)
    metric = metric_named(maximise or minimise or "", allow)
    sign = 1.0 if maximise else -1.0
    if tolerance is not None and not (np.isfinite(tolerance) and tolerance > 0.0):
        raise InputError(f"tolerance must be finite and > 0, got {tolerance}")

    def setup_at(x: float) -> Setup:
        return setup_of(read(name, [*(changes or []), f"{key}={x!r}"], allow=allow, outside=outside))

    for end in (low, high):  # both ends must be acceptable, before anything runs
        check_work(setup_at(end), points)
    failures: list[str] = []

    def objective(x: float) -> float | None:
        setup = setup_at(x)
        if setup.drive is None:  # the optimum alone is checked; under torques every run may leave its horizon
            setup = replace(setup, settings=setup.settings.but(checked=False))
        run = execute(setup)
        if not run.status.ok:
            failures.append(f"{key} = {x:.6g}: {run.status.name}: {run.status.message}")
        value = run.metrics.get(metric)
        return None if value is None or not run.status.ok else sign * value

    best = scan_and_refine(objective, low, high, points=points, tolerance=tolerance, progress=progress)
    if len({v for _, v in best.scan}) == 1:
        raise InputError(f"{metric} does not depend on {key} in this scenario; is the key used by its gait and law?")
    failures += [w for w in execute(setup_at(best.place)).warnings if w.startswith("not converged")]
    signed = [[x, None if v is None else sign * v] for x, v in best.evaluations]
    if best.at_end:
        failures.append(f"the optimum lies at the end of {key} = {low:g}:{high:g}; widen the interval")
    return {
        "status": "ok",
        "optimum": {key: best.place},
        "value": sign * best.value,
        "objective": metric,
        "goal": "maximise" if maximise else "minimise",
        "unit": METRICS[metric].unit,
        "evaluations": len(signed),
        "evaluations_list": signed,
        "scan": [[x, None if v is None else sign * v] for x, v in best.scan],
        "warnings": failures,
        "scenario": setup_at(best.place).keys(),
    }
