"""`serpenoid bench shape`: tracing a shape against SciPy's `solve_ivp` at the same final error, in one run.

| key | what is divided by what |
|---|---|
| ratio_vs_solve_ivp | time of `solve_ivp` as it is called by default (RK45) over ours, both with a final error below 1e-8 m, on the bellows helix |
| ratio_vs_fastest_method | the same for the fastest of its methods RK45, DOP853, LSODA |
| batch_seconds | time for 10,000 helices of 200 points in one batch, two threads |

The shape is the helix kappa = 2, tau = 0.7 of 5 m drawn by its bellows functions, whose end is known in closed form. `solve_ivp` integrates position
and three axes (12 numbers) with the shape functions as plain Python; its tolerances are the loosest of a list that meet the error. Our
time is the whole call of `trace`, evaluation of the shape functions included. Best of several repeats, wall clock.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from serpenoid.bench.acceleration import best_of
from serpenoid.bench.planar import machine
from serpenoid.core import FloatArray
from serpenoid.core.errors import NumericalError
from serpenoid.shapes import named, to_bellows
from serpenoid.shapes.shape import march_batch

ERROR = 1e-8  # m
KAPPA, TAU, LENGTH = 2.0, 0.7, 5.0
STEPS = (50, 100, 150, 200, 220, 250, 300, 400, 800)
TOLERANCES = (1e-6, 3e-7, 1e-7, 3e-8, 1e-8, 3e-9, 1e-9, 1e-10, 1e-11)
METHODS = ("RK45", "DOP853", "LSODA")


def helix_end() -> FloatArray:
    """End of the helix in closed form, from the identity frame."""
    w, s = np.hypot(KAPPA, TAU), LENGTH
    square = KAPPA * KAPPA
    return np.array(
        [
            (TAU**2 * s + square * np.sin(w * s) / w) / w**2,
            KAPPA * (1.0 - np.cos(w * s)) / w**2,
            KAPPA * TAU * (s - np.sin(w * s) / w) / w**2,
        ]
    )


def ours() -> dict[str, Any]:
    """Our fewest steps that meet the error, and their time."""
    shape = to_bellows(named("helix", curvature=KAPPA, torsion=TAU, length=LENGTH))
    for steps in STEPS:
        error = float(np.linalg.norm(shape.trace(steps).position[-1] - helix_end()))
        if error < ERROR:
            seconds = best_of(300, lambda n=steps: shape.trace(n))  # type: ignore[misc]
            return {"steps": steps, "error": error, "seconds": seconds}
    raise NumericalError("bench shape: no number of steps of the list is accurate enough")


def solve_ivp_times() -> dict[str, dict[str, Any]]:
    """For each method the loosest tolerance that meets the error, and its time."""
    from scipy.integrate import solve_ivp

    def slope(s: float, y: FloatArray) -> FloatArray:
        angle = TAU * s
        a, b = -KAPPA * np.sin(angle), KAPPA * np.cos(angle)
        e1, ea, eb = y[3:6], y[6:9], y[9:12]
        return np.concatenate([e1, b * ea - a * eb, -b * e1, a * e1])

    start = np.concatenate([np.zeros(3), np.eye(3).ravel()])
    found: dict[str, dict[str, Any]] = {}
    for method in METHODS:
        for tolerance in TOLERANCES:

            def run(m: str = method, tol: float = tolerance) -> Any:
                return solve_ivp(slope, (0.0, LENGTH), start, method=m, rtol=tol, atol=tol)

            error = float(np.linalg.norm(run().y[:3, -1] - helix_end()))
            if error < ERROR:
                found[method] = {"tolerance": tolerance, "error": error, "seconds": best_of(20, run)}
                break
    return found


def batch(count: int = 10_000, points: int = 200) -> float:
    """Seconds for many helices in one batch: constant functions, different curvatures and torsions."""
    rng = np.random.default_rng(1)
    s = np.linspace(0.0, LENGTH, points + 1)
    samples = np.zeros((count, 3, points, 2))
    samples[:, 0], samples[:, 2] = rng.uniform(0.2, 1.0, (count, 1, 1)), rng.uniform(1.0, 3.0, (count, 1, 1))
    poses = np.tile([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0], (count, 1))
    return best_of(5, lambda: march_batch(s, samples, poses))


def run(progress: Callable[[float, str], None] | None = None) -> dict[str, Any]:
    """Measure everything; returns the ratio, the raw figures behind it and the machine."""
    began = time.perf_counter()

    def tell(fraction: float, text: str) -> None:
        if progress is not None:
            progress(fraction, text)

    own = ours()
    tell(0.4, "solve_ivp")
    peers = solve_ivp_times()
    fastest = min(peers, key=lambda name: peers[name]["seconds"])
    tell(0.8, "batch")
    seconds = batch()
    tell(1.0, "done")
    return {
        "ratio_vs_solve_ivp": peers["RK45"]["seconds"] / own["seconds"],
        "ratio_vs_fastest_method": peers[fastest]["seconds"] / own["seconds"],
        "fastest_method": fastest,
        "ours": own,
        "solve_ivp": peers,
        "batch_seconds": seconds,
        "batch_nanoseconds_per_point": 1e9 * seconds / (10_000 * 200),
        "machine": machine(),
        "seconds": time.perf_counter() - began,
    }
