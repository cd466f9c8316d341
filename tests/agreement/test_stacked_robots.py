"""Arrays of many robots as one, as a GPU gets them: each robot marches as its engine does, bit for bit."""

from __future__ import annotations

import runpy
from pathlib import Path

import numpy as np

BENCHMARK = Path(__file__).parents[2] / "benchmarks" / "gpu_planar.py"
STEPS = 25


def test_stacked_robots_march_as_their_engines() -> None:
    bench = runpy.run_path(str(BENCHMARK))
    few, arrays = bench["built"](3, STEPS)
    begun = arrays[3].motion.copy()
    for k in few:
        bench["march_one"].py_func(*arrays, k, STEPS, bench["DURATION"] / bench["STEPS"])
    assert np.abs(arrays[3].motion - begun).max() > 1e-6 and len(few) == 3
    assert bench["worst_difference"](few, arrays[3].motion) == 0.0
