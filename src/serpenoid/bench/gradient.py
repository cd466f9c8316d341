"""`serpenoid bench gradient`: what a derivative costs beside a run, in one run.

| key | what is divided by what |
|---|---|
| ratio_prescribed | a run made again, solved far enough, and the way back of a distance, over a plain run of the engine |
| ratio_prescribed_torques | the same of a result that takes torques of the joints |
| ratio_kept_run | the run made again alone |
| bytes_a_step | memory that the way back needs |

The run: 20 links creep for 8 s in steps of 4 ms, two waves, friction 0.1 and 0.5 smoothed by 1 mm/s. Kernels alone, without what a description needs to become
tables (0.5 ms a parameter). Processor time, best of interleaved repeats.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any

from serpenoid.bench.planar import machine
from serpenoid.contact import Coulomb
from serpenoid.core import World
from serpenoid.gaits import Serpenoid
from serpenoid.gradients.measures import Ending, measure_of, slopes_of
from serpenoid.gradients.reading import engine_of
from serpenoid.gradients.way_back import KeptRun, kept_run_of, slopes_back
from serpenoid.planar.adjoint_layout import KEPT
from serpenoid.robots import ma2001
from serpenoid.simulation.setup import Settings, Setup

LINKS, STEP, STEPS = 20, 4e-3, 2000
REPEATS = 25


def creeping() -> Setup:
    """The run that is differentiated."""
    world = World(friction=Coulomb(along=0.1, across=0.5, smoothing=1e-3))
    settings = Settings(duration=STEP * STEPS, step=STEP, checked=False)
    return Setup(ma2001(links=LINKS), world, Serpenoid(0.8, 2.0, 0.35), settings=settings)


def seconds(work: Callable[[], Any]) -> float:
    """Processor time of a piece of work, s."""
    begin = time.process_time()
    work()
    return time.process_time() - begin


def slopes_in(run: KeptRun, setup: Setup, name: str) -> Ending:
    """Derivatives of a result by how the run ended."""
    return slopes_of(measure_of(name), run.outcome, setup, STEP * STEPS)


def run(progress: Callable[[float, str], None] | None = None, repeats: int = REPEATS) -> dict[str, Any]:
    """Measure everything; returns the ratios, the times behind them and the machine."""
    began, setup = time.perf_counter(), creeping()
    kept = kept_run_of(setup, STEP, STEPS)
    way, torques = slopes_in(kept, setup, "com_distance"), slopes_in(kept, setup, "cost_of_transport")
    best = dict.fromkeys(("plain", "kept", "back", "back_torques"), float("inf"))
    for k in range(repeats):
        works: dict[str, Callable[[], Any]] = {
            "plain": partial(engine_of(setup, STEP).advance, STEPS),
            "kept": partial(kept_run_of, setup, STEP, STEPS),
            "back": partial(slopes_back, kept, way, False),
            "back_torques": partial(slopes_back, kept, torques, True),
        }
        for name, work in works.items():
            best[name] = min(best[name], seconds(work))
        if progress is not None:
            progress((k + 1) / repeats, "gradient")
    return {
        "ratio_prescribed": (best["kept"] + best["back"]) / best["plain"],
        "ratio_prescribed_torques": (best["kept"] + best["back_torques"]) / best["plain"],
        "ratio_kept_run": best["kept"] / best["plain"],
        "bytes_a_step": 8 * KEPT,
        "milliseconds": {name: 1e3 * value for name, value in best.items()},
        "machine": machine(),
        "seconds": time.perf_counter() - began,
    }
