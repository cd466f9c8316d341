"""What a sweep and its store cost beside the computing: the same cells by the batch alone, and as a sweep into a store.

| key | meaning |
|---|---|
| overhead | processor time of the sweep over that of the batch, less 1: median of interleaved repeats |
| overhead_wall | the same by the clock |
| cell_ms | processor time of a cell in the batch, ms |
"""

from __future__ import annotations

import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

from serpenoid.simulation.batch import execute_many
from serpenoid.sweeps.running import plan_of, sweep

OVER = {"gait.winding_angle_deg": "20:69:1", "world.friction.along": "0.05:0.145:0.005"}  # 1,000 cells
REPEATS = 5


def overhead(duration: float = 5.0, threads: int = 2, repeats: int = REPEATS) -> dict[str, Any]:
    """Measure it on 1,000 cells; `duration` (s) of each run makes them about 10 ms long."""
    changes = [f"run.duration={duration}"]
    plan, _ = plan_of("creep", OVER, changes=changes)
    setups = [plan.setup(row) for row in plan.design.values(0, plan.design.count)]
    execute_many(setups[:8], threads=threads)  # kernels are loaded
    shares: list[float] = []
    walls: list[float] = []
    cell = 0.0
    for _ in range(repeats):
        clock, work = time.perf_counter(), time.process_time()
        execute_many(setups, metrics=plan.columns, threads=threads)
        alone, busy = time.perf_counter() - clock, time.process_time() - work
        with tempfile.TemporaryDirectory() as folder:
            clock, work = time.perf_counter(), time.process_time()
            sweep("creep", OVER, Path(folder) / "store", changes=changes, threads=threads)
            walls.append((time.perf_counter() - clock) / alone - 1.0)
            shares.append((time.process_time() - work) / busy - 1.0)
        cell = 1e3 * busy / len(setups)
    return {
        "cells": len(setups),
        "cell_ms": cell,
        "overhead": statistics.median(shares),
        "overhead_wall": statistics.median(walls),
    }
