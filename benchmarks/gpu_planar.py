"""The planar step on a GPU: one thread per robot, the very functions that the CPU runs. Needs numba-cuda and a CUDA device.

    python benchmarks/gpu_planar.py [robots]

Every robot has its own winding angle. Prints steps per second, and the largest difference from the CPU's results. It is a caller of
`planar.shape_step.step`, nothing more: no algorithm is written twice.
"""

from __future__ import annotations

import sys
import time

import numpy as np

if not hasattr(np, "row_stack"):
    np.row_stack = np.vstack  # numba-cuda still asks for it

from numba import cuda

from serpenoid.contact import Coulomb, custom
from serpenoid.core import Start, World
from serpenoid.gaits import Serpenoid
from serpenoid.gaits import serpenoid as curve
from serpenoid.planar import command, shape_step
from serpenoid.planar.engine import PlanarEngine
from serpenoid.planar.layout import PlanarConstants, PlanarScratch, PlanarState
from serpenoid.robots import ma2001

STEPS, DURATION = 2000, 8.0


@cuda.jit(device=True)
def headings(kind, par, tab, t, out):
    """The one gait of this benchmark."""
    curve.headings(par, tab, t, out)


@cuda.jit(device=True)
def no_law(scalars, limits, secant, touch):
    """There are no users' functions on the device."""


@cuda.jit
def march(constants, rows, tables, state, scratch, steps, dt):
    """March one robot per thread; every robot has its own command, state and scratch."""
    i = cuda.grid(1)
    if i >= rows.shape[0]:
        return
    own = PlanarConstants(
        constants.links, constants.points, constants.joints, constants.numbers, constants.patches, constants.chart, rows[i], tables[i],
        constants.skin,
    )  # fmt: skip
    s = PlanarState(state.motion[i], state.links[i], state.joints[i], state.sums[i], state.vector[i], state.memory[i])
    w = PlanarScratch(  # one contact point per link: its points are the links
        scratch.links[i], scratch.links[i], scratch.touch[i], scratch.limits[i], scratch.solve[i], scratch.newton[i], scratch.stages[i],
        scratch.own,
    )  # fmt: skip
    for k in range(steps):
        if not shape_step.step(own, s, w, (k + 1) * dt, dt):
            return


def prepared(winding: float) -> PlanarEngine:
    """An engine of the paper's robot, ready to march."""
    gait = Serpenoid.start_stop(winding, 2.0, 1.0, DURATION)
    engine = PlanarEngine(ma2001(), World(Coulomb(0.2, 0.5)), Start(), step=DURATION / STEPS, stride=STEPS, first=gait)
    engine.follow(gait)
    return engine


def main(robots: int, steps: int = STEPS) -> None:
    """Run, compare and time."""
    windings = np.linspace(0.6, 1.2, robots)
    engines = [prepared(float(w)) for w in windings]
    few = {int(k): prepared(float(windings[k])) for k in np.linspace(0, robots - 1, min(robots, 8)).astype(int)}
    for engine in few.values():
        engine.advance(steps)
    # functions of users are called by their address, which a device cannot do: leave them out of what is compiled for it
    command.headings, custom.evaluate = headings, no_law
    first = engines[0]
    groups = [
        type(group)(*(np.stack([getattr(e, name)[k] for e in engines]) for k in range(len(group))))
        for name, group in (("state", first.state), ("scratch", first.scratch))
    ]
    constants = PlanarConstants(*(cuda.to_device(x) for x in first.constants))
    commands = [cuda.to_device(np.stack([getattr(e.constants, name) for e in engines])) for name in ("row", "table")]
    best = np.inf
    for _ in range(3):
        state, scratch = (type(group)(*(cuda.to_device(x) for x in group)) for group in groups)
        cuda.synchronize()
        began = time.perf_counter()
        march[(robots + 63) // 64, 64](constants, *commands, state, scratch, steps, DURATION / STEPS)
        cuda.synchronize()
        best = min(best, time.perf_counter() - began)
    motion, worst = state.motion.copy_to_host(), 0.0
    for k, engine in few.items():
        worst = max(worst, float(np.abs(engine.state.motion[:6] - motion[k, :6]).max()))
    print(
        f"{robots} robots, {steps} steps: {robots * steps / best:.3g} steps/s, largest difference from the CPU {worst:.2g}"
    )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 4096)
