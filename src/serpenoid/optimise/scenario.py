"""The best value of one number of a scenario: a coarse scan, then golden section."""

from __future__ import annotations

from typing import Any

import numpy as np

from serpenoid.core.errors import InputError
from serpenoid.formats.scenario import read
from serpenoid.optimise.golden import scan_and_refine
from serpenoid.simulation.metrics import METRICS, SPATIAL_METRICS
from serpenoid.simulation.run import execute
from serpenoid.simulation.setup import setup_of
from serpenoid.simulation.stepping import Progress


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


def optimise_scenario(
    name: str, changes: list[str] | None = None, *, over: str, maximise: str | None = None, minimise: str | None = None,
    points: int = 18, tolerance: float | None = None, progress: Progress | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Search one number of a scenario for the best value of a metric: coarse scan, then golden section."""
    key, low, high = _interval(over)
    metric = maximise or minimise
    if metric not in METRICS and metric not in SPATIAL_METRICS:
        raise InputError(f"unknown metric {metric!r}; allowed are {', '.join([*METRICS, *SPATIAL_METRICS])}")
    sign = 1.0 if maximise else -1.0
    if tolerance is not None and not (np.isfinite(tolerance) and tolerance > 0.0):
        raise InputError(f"tolerance must be finite and > 0, got {tolerance}")
    for end in (low, high):  # both ends must be acceptable, before anything runs
        setup_of(read(name, [*(changes or []), f"{key}={end!r}"]))
    failures: list[str] = []

    def objective(x: float) -> float | None:
        run = execute(setup_of(read(name, [*(changes or []), f"{key}={x!r}"])))
        if run.status.name == "diverged":
            failures.append(f"{key} = {x:.6g}: {run.status.message}")
        value = run.metrics.get(metric)
        return None if value is None or not run.status.ok else sign * value

    best = scan_and_refine(objective, low, high, points=points, tolerance=tolerance, progress=progress)
    if len({v for _, v in best.scan}) == 1:
        raise InputError(f"{metric} does not depend on {key} in this scenario; is the key used by its gait and law?")
    signed = [[x, None if v is None else sign * v] for x, v in best.evaluations]
    if best.at_end:
        failures.append(f"the optimum lies at the end of {key} = {low:g}:{high:g}; widen the interval")
    return {
        "status": "ok",
        "optimum": {key: best.place},
        "value": sign * best.value,
        "objective": metric,
        "goal": "maximise" if maximise else "minimise",
        "unit": {**METRICS, **SPATIAL_METRICS}[metric].unit,
        "evaluations": len(signed),
        "evaluations_list": signed,
        "scan": [[x, None if v is None else sign * v] for x, v in best.scan],
        "warnings": failures,
        "scenario": setup_of(read(name, [*(changes or []), f"{key}={best.place!r}"])).keys(),
    }
