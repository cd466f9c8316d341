"""`serpenoid bench sweep`: many runs at once against MuJoCo's, how they scale with threads, and what a sweep costs beside its computing.

| key | what is divided by what |
|---|---|
| ratio_vs_rollout | our steps per second over those of MuJoCo's threaded `rollout`, two threads, equal step |
| ratio_vs_batch | the same over those of `mujoco.batch` |
| thread_scaling | time of a batch on one thread over that on two |
| overhead_of_batch | time of 1,000 cells of 10 ms on two threads over that of their marching alone, less 1 |
| overhead_of_sweep | the same for a sweep that keeps them in a store, all metrics |
| overhead_of_..._processor | the same in processor time, which other programs on the machine disturb less |

Each is the median over repeats in which both sides take turns. The robot is that of Ma, Li and Wang (2001): 20 links, two waves, every cell with
another winding angle. Ours has friction, torques and metrics, and counts everything from descriptions to metrics; MuJoCo's is the same chain without
contact or friction under position servos, its controls computed before.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from serpenoid.bench.planar import machine
from serpenoid.core import FloatArray
from serpenoid.core.errors import NumericalError
from serpenoid.formats.scenario import read
from serpenoid.gaits import Serpenoid
from serpenoid.peers.mujoco_model import load_mujoco, plane_model, silence
from serpenoid.robots import ma2001
from serpenoid.simulation.batch import execute_many
from serpenoid.simulation.cells import Variations
from serpenoid.simulation.setup import Setup
from serpenoid.simulation.simulation import Simulation
from serpenoid.simulation.steps import grid

Progress = Callable[[float, str], None]

STEP = 2.5e-4  # s
THREADS = 2
STIFFNESS, DAMPING = 1e3, 8.0  # N m/rad, N m s/rad: MuJoCo's servos
SIMS, PEER_STEPS = 64, 2000  # of MuJoCo's batch
CELLS, CELL_TIME = 1000, 10e-3  # -, s of marching per cell
LOW, HIGH = 0.3, 1.2  # rad, winding angles
REPEATS = 7
OVERHEAD_REPEATS = 3
BLOCK = 100  # cells whose engines are kept at once


def spent(work: Callable[[], Any]) -> FloatArray:
    """Wall time and processor time (of all threads) of a piece of work, s."""
    wall, busy = time.perf_counter(), time.process_time()
    work()
    return np.array([time.perf_counter() - wall, time.process_time() - busy])


def timed(work: Callable[[], Any]) -> float:
    """Wall time of a piece of work, s."""
    return float(spent(work)[0])


def creeping(cells: int, duration: float) -> list[Setup]:
    """Cells that differ in the winding angle."""
    base = Variations(read("creep", [f"run.duration={duration!r}", f"run.step={STEP!r}", "gait.stop_time=1e6"]))
    return [base.setup({"gait.winding_angle": float(x)}) for x in np.linspace(LOW, HIGH, cells)]


def run_all(setups: list[Setup], threads: int) -> None:
    """Run cells with all metrics; one that is not ok ends the benchmark."""
    batch = execute_many(setups, threads=threads)
    bad = [status for status in batch.status if status != "ok"]
    if bad:
        raise NumericalError(f"bench sweep: {len(bad)} of {len(setups)} cells ended as {bad[0]}")


class FreeChains:
    """MuJoCo's batch: the same chain without contact, each simulation with the controls of its own gait."""

    def __init__(self) -> None:
        self.mujoco, robot = load_mujoco(), ma2001(links=20)
        self.model = plane_model(robot, STEP, STIFFNESS, DAMPING)
        self.controls = np.zeros((SIMS, PEER_STEPS, self.model.nu))
        full = self.mujoco.mjtState.mjSTATE_FULLPHYSICS
        self.first = np.zeros((SIMS, self.mujoco.mj_stateSize(self.model, full)))
        data = self.mujoco.MjData(self.model)
        for k, winding in enumerate(np.linspace(LOW, HIGH, SIMS)):
            gait = Serpenoid(winding_angle=float(winding), waves=2.0, speed=0.8)
            angles = np.array([gait.angles(robot, step * STEP) for step in range(0, PEER_STEPS, 20)])
            self.controls[k] = np.repeat(angles, 20, axis=0)
            data.qpos[:], data.qvel[:] = 0.0, 0.0
            data.qpos[3:] = angles[0]
            self.mujoco.mj_getState(self.model, data, self.first[k], full)

    def rollout(self) -> Callable[[], Any]:
        """A call of the threaded `rollout`."""
        from mujoco import rollout

        pool = rollout.Rollout(nthread=THREADS)
        spare = [self.mujoco.MjData(self.model) for _ in range(THREADS)]
        return lambda: pool.rollout(self.model, spare, self.first, self.controls)

    def batch(self) -> Callable[[], Any] | None:
        """A call of `mujoco.batch`; None where MuJoCo has none."""
        try:
            from mujoco.batch import Batch
        except ImportError:
            return None
        made = Batch(self.model, SIMS, THREADS)
        first = np.array(made.state)

        def work() -> None:
            made.state[...] = first
            made.rollout(PEER_STEPS, self.controls)

        return work


def bench_peers() -> dict[str, Any]:
    """Steps per second against MuJoCo's two batches, in turns."""
    peer, duration = FreeChains(), 2.0
    setups = creeping(SIMS, duration)
    steps = grid(setups[0], STEP)[1]
    theirs = {"rollout": peer.rollout(), "batch": peer.batch()}
    rates: dict[str, list[float]] = {"ours": [], **{name: [] for name, work in theirs.items() if work is not None}}
    run_all(setups[:4], THREADS)
    with silence(peer.mujoco):
        for _ in range(REPEATS):
            rates["ours"].append(SIMS * steps / timed(lambda: run_all(setups, THREADS)))
            for name, work in theirs.items():
                if work is not None:
                    rates[name].append(SIMS * PEER_STEPS / timed(work))
    ours = np.array(rates["ours"])
    return {
        "ratio_vs_rollout": float(np.median(ours / rates["rollout"])),
        "ratio_vs_batch": float(np.median(ours / rates["batch"])) if "batch" in rates else None,
        "steps_per_second": {name: float(np.median(values)) for name, values in rates.items()},
    }


def bench_threads() -> dict[str, Any]:
    """A batch on one thread and on two, in turns."""
    setups = creeping(100, round(CELL_TIME / _step_time()) * STEP)
    pairs = [(timed(lambda: run_all(setups, 1)), timed(lambda: run_all(setups, THREADS))) for _ in range(REPEATS)]
    return {
        "thread_scaling": float(np.median([one / two for one, two in pairs])),
        "threads": {"one": [one for one, _ in pairs], "two": [two for _, two in pairs]},
    }


def _step_time() -> float:
    """Processor time of marching per step, s."""
    return min(float(_marched(creeping(4, 1.0), 1)[1]) for _ in range(5)) / (4 * round(1.0 / STEP))


def _marched(setups: list[Setup], threads: int) -> FloatArray:
    """Wall and processor time of the marching alone; everything else is done before."""
    total = np.zeros(2)
    with ThreadPoolExecutor(threads) as pool:
        for first in range(0, len(setups), BLOCK):
            sims = []
            for setup in setups[first : first + BLOCK]:
                dt, steps, stride = grid(setup, STEP)
                sims.append((Simulation.of(setup, step=dt, stride=stride), steps * dt))
            total += spent(lambda sims=sims: _advanced(pool, sims))  # type: ignore[misc]
    return total


def _advanced(pool: ThreadPoolExecutor, sims: list[tuple[Simulation, float]]) -> None:
    if not all(pool.map(lambda pair: pair[0].advance(pair[1]), sims)):
        raise NumericalError("bench sweep: a cell diverged")


def bench_overhead() -> dict[str, Any]:
    """A thousand short cells: marching alone, a batch, a sweep with its store, in turns."""
    from serpenoid import sweeps

    duration = round(CELL_TIME / _step_time()) * STEP
    setups, rows = creeping(CELLS, duration), []
    changes = [f"run.duration={duration!r}", f"run.step={STEP!r}", "gait.stop_time=1e6"]
    over = {"gait.winding_angle": [float(x) for x in np.linspace(LOW, HIGH, CELLS)]}
    with tempfile.TemporaryDirectory() as folder:
        for k in range(OVERHEAD_REPEATS):
            out = Path(folder) / f"store{k}"
            alone, batch = _marched(setups, THREADS), spent(lambda: run_all(creeping(CELLS, duration), THREADS))
            kept = spent(lambda out=out: sweeps.sweep("creep", over, out, changes=changes, threads=THREADS))  # type: ignore[misc]
            rows.append((alone, batch, kept))
    alone, batch, kept = (np.array(column) for column in zip(*rows, strict=True))  # each (repeats, 2)
    of_batch, of_sweep = np.median(batch / alone, axis=0) - 1.0, np.median(kept / alone, axis=0) - 1.0
    return {
        "overhead_of_batch": float(of_batch[0]),
        "overhead_of_sweep": float(of_sweep[0]),
        "overhead_of_batch_processor": float(of_batch[1]),
        "overhead_of_sweep_processor": float(of_sweep[1]),
        "overhead": {
            "cells": CELLS,
            "marching_per_cell": float(np.median(alone[:, 1])) / CELLS,
            "marching": alone.tolist(),
            "batch": batch.tolist(),
            "sweep": kept.tolist(),
        },
    }


STAGES: tuple[tuple[str, Callable[[], dict[str, Any]]], ...] = (
    ("against MuJoCo", bench_peers),
    ("threads", bench_threads),
    ("overhead", bench_overhead),
)


def run(progress: Progress | None = None) -> dict[str, Any]:
    """Measure everything; returns the ratios, the raw figures behind them and the machine."""
    result: dict[str, Any] = {}
    for k, (text, stage) in enumerate(STAGES):
        if progress is not None:
            progress(k / len(STAGES), text)
        result.update(stage())
    if progress is not None:
        progress(1.0, "done")
    return {**result, "machine": machine()}
