"""The planar step on a GPU: one thread per robot, the very functions that the CPU runs. Needs numba-cuda and a CUDA device.

    python benchmarks/gpu_planar.py [robots]

Every robot has its own winding angle. Prints steps per second, and the largest difference from the engine's results. It is a caller of
`planar.shape_step.step`, nothing more: no algorithm is written twice. Without a device a few robots march through the same arrays on the
CPU, and only their difference is printed.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

import numba
import numpy as np

if not hasattr(np, "row_stack"):
    np.row_stack = np.vstack  # numba-cuda still asks for it

from numba import cuda

from serpenoid.contact import Coulomb, custom
from serpenoid.contact.self_contact import Touching
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


@numba.njit
def march_one(constants, rows, tables, state, scratch, i, steps, dt):
    """March robot i, whose command, state and scratch are the i-th of the stacked arrays; its contact points are its links."""
    own = PlanarConstants(
        constants.links, constants.points, constants.joints, constants.numbers, constants.patches, constants.chart, rows[i], tables[i],
        constants.skin,
    )  # fmt: skip
    s = PlanarState(state.motion[i], state.links[i], state.joints[i], state.sums[i], state.vector[i], state.memory[i])
    o, x = scratch.own, scratch.links[i]
    touching = Touching(o.nodes[i], o.seen[i], o.tree[i], o.pairs[i], o.touch[i], o.work[i], o.counts[i])
    w = PlanarScratch(
        x, x, scratch.touch[i], scratch.limits[i], scratch.solve[i], scratch.newton[i], scratch.stages[i], touching
    )
    for k in range(steps):
        if not shape_step.step(own, s, w, (k + 1) * dt, dt):
            return


@cuda.jit
def march(constants, rows, tables, state, scratch, steps, dt):
    """March one robot per thread."""
    i = cuda.grid(1)
    if i < rows.shape[0]:
        march_one(constants, rows, tables, state, scratch, i, steps, dt)


def mapped(change: Callable[..., Any], *groups: Any) -> Any:
    """Groups of arrays, nested ones too, with a function applied to the arrays that stand at the same place in each."""
    if isinstance(groups[0], tuple):
        return type(groups[0])(*(mapped(change, *parts) for parts in zip(*groups, strict=True)))
    return change(*groups)


def stacked(groups: list[Any]) -> Any:
    """The groups of all robots as one: every array has a first axis of robots."""
    return mapped(lambda *arrays: np.stack(arrays), *groups)


def prepared(winding: float) -> PlanarEngine:
    """An engine of the paper's robot, ready to march."""
    gait = Serpenoid.start_stop(winding, 2.0, 1.0, DURATION)
    engine = PlanarEngine(ma2001(), World(Coulomb(0.2, 0.5)), Start(), step=DURATION / STEPS, stride=STEPS, first=gait)
    engine.follow(gait)
    return engine


def worst_difference(few: dict[int, PlanarEngine], motion: np.ndarray) -> float:
    """Largest difference of place and velocity between the engine and the stacked robots."""
    return max(float(np.abs(engine.state.motion[:6] - motion[k, :6]).max()) for k, engine in few.items())


def on_host(few: dict[int, PlanarEngine], arrays: tuple[Any, ...], steps: int) -> None:
    """March a few robots on the CPU through the arrays that a device would get."""
    for k in few:
        march_one(*arrays, k, steps, DURATION / STEPS)
    worst = worst_difference(few, arrays[3].motion)
    print(
        f"no CUDA device; {len(few)} robots, {steps} steps on the CPU: largest difference from the engine {worst:.2g}"
    )


def on_device(few: dict[int, PlanarEngine], arrays: tuple[Any, ...], steps: int) -> None:
    """Time the march of all robots on a device."""
    # functions of users are called by their address, which a device cannot do: leave them out of what is compiled for it
    command.headings, custom.evaluate = headings, no_law
    robots, best = len(arrays[1]), np.inf
    for _ in range(3):
        given = tuple(mapped(cuda.to_device, group) for group in arrays)
        cuda.synchronize()
        began = time.perf_counter()
        march[(robots + 63) // 64, 64](*given, steps, DURATION / STEPS)
        cuda.synchronize()
        best = min(best, time.perf_counter() - began)
    worst, speed = worst_difference(few, given[3].motion.copy_to_host()), robots * steps / best
    print(f"{robots} robots, {steps} steps: {speed:.3g} steps/s, largest difference from the engine {worst:.2g}")


def built(robots: int, steps: int) -> tuple[dict[int, PlanarEngine], tuple[Any, ...]]:
    """A few robots after so many steps of the engine, and the arrays of all of them before the first."""
    windings = np.linspace(0.6, 1.2, robots)
    engines = [prepared(float(w)) for w in windings]
    few = {int(k): prepared(float(windings[k])) for k in np.linspace(0, robots - 1, min(robots, 8)).astype(int)}
    for engine in few.values():
        engine.advance(steps)
    commands = [np.stack([getattr(e.constants, name) for e in engines]) for name in ("row", "table")]
    state, scratch = (stacked([getattr(e, name) for e in engines]) for name in ("state", "scratch"))
    return few, (engines[0].constants, *commands, state, scratch)


def main(robots: int, steps: int = STEPS) -> None:
    """Run, compare and time."""
    few, arrays = built(robots, steps)
    (on_device if cuda.is_available() else on_host)(few, arrays, steps)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 4096)
