"""The planar step on a GPU: one thread a robot, the very functions that the CPU runs. Needs numba-cuda and a CUDA device.

    python benchmarks/gpu_planar.py [robots]

Every robot has its own winding angle. Prints steps a second, and the largest difference from the CPU's results. It is a caller of
`engines.implicit_shape.step`, nothing more: no algorithm is written twice.
"""

from __future__ import annotations

import sys
import time

import numpy as np

if not hasattr(np, "row_stack"):
    np.row_stack = np.vstack  # numba-cuda still asks for it

from numba import cuda

from serpenoid.contact import Coulomb
from serpenoid.core import Start, World
from serpenoid.gaits import Serpenoid
from serpenoid.planar import shape_step as implicit_shape
from serpenoid.planar.run import Law, PlanarRun, Source
from serpenoid.robots import ma2001

STEPS, DURATION = 2000, 8.0


@cuda.jit
def march(chain, kind, par, tab, law, b, touch, q, acc, sums, steps, dt, tolerance):
    """March one robot a thread."""
    i = cuda.grid(1)
    if i >= b.shape[0]:
        return
    gait = Source(kind, par[i], tab[i])
    for k in range(steps):
        if not implicit_shape.step(
            chain, gait, law, b[i], touch[i], q[i], acc[i], sums[i], (k + 1) * dt, dt, tolerance
        ):
            return


def prepared(winding: float) -> PlanarRun:
    """A run of the paper's robot, ready to march."""
    gait = Serpenoid.start_stop(winding, 2.0, 1.0, DURATION)
    return PlanarRun(
        ma2001(), gait, None, World(Coulomb(0.2, 0.5)), Start(), duration=DURATION, steps=STEPS, stride=STEPS
    )


def main(robots: int) -> None:
    """Run, compare and time."""
    windings = np.linspace(0.6, 1.2, robots)
    few = {int(k): prepared(float(windings[k])) for k in np.linspace(0, robots - 1, 8).astype(int)}
    first = prepared(0.8)
    rows = [Serpenoid.start_stop(float(w), 2.0, 1.0, DURATION).row(ma2001()) for w in windings]
    par, tab = (np.stack([row[j] for row in rows]) for j in (0, 1))
    state = {name: np.repeat(getattr(first, name)[None], robots, axis=0) for name in ("b", "touch", "q", "acc", "sums")}
    for i, w in enumerate(windings):  # the first posture depends on the winding angle
        if i in few:
            run = few[i]
        else:
            run = prepared(float(w)) if robots <= 4096 else first
        for name in state:
            state[name][i] = getattr(run, name)
    chain = type(first.chain)(*(cuda.to_device(x) if isinstance(x, np.ndarray) else x for x in first.chain))
    law = Law(first.law.kind, *(cuda.to_device(x) for x in first.law[1:]))
    fresh = [cuda.to_device(x) for x in (par, tab)]
    best = np.inf
    for _ in range(3):
        arrays = [cuda.to_device(state[name]) for name in ("b", "touch", "q", "acc", "sums")]
        cuda.synchronize()
        began = time.perf_counter()
        march[(robots + 63) // 64, 64](
            chain, first.source.kind, *fresh, law, *arrays, STEPS, DURATION / STEPS, first.tolerance
        )
        cuda.synchronize()
        best = min(best, time.perf_counter() - began)
    q = arrays[2].copy_to_host()
    worst = 0.0
    for k, run in few.items():
        run.advance(STEPS)
        worst = max(worst, float(np.abs(run.q[:6] - q[k, :6]).max()))
    print(
        f"{robots} robots, {STEPS} steps: {robots * STEPS / best:.3g} steps/s, largest difference from the CPU {worst:.2g}"
    )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 4096)
