"""Many runs in one call: descriptions that differ in anything, their metrics as arrays.

    batch = sp.simulate_many(robot, [sp.gaits.Serpenoid(winding_angle=a, waves=2, speed=0.8) for a in angles], world, 8.0)
    batch.metrics["com_distance"]          # (cells,), NaN where it does not apply

Each cell is the run that `sp.simulate(..., checked=False)` makes of the same description, bit for bit, whatever the number of threads. A cell
that fails is data of that cell: its status ("invalid" where the description itself is refused) and its message. Kernels run without the
interpreter lock, so threads use all cores; a controller written in Python runs under it, one cell at a time.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from serpenoid import signals
from serpenoid.core import FloatArray, Robot, Settings, Start, Trajectory, World
from serpenoid.core.door import door
from serpenoid.core.errors import InputError, NumericalError
from serpenoid.core.quantities import Anything, shown
from serpenoid.core.trajectory import Variables
from serpenoid.simulation.budget import threads_of
from serpenoid.simulation.commands import check_parts
from serpenoid.simulation.formulas import knows
from serpenoid.simulation.judge import judged, trajectory_of
from serpenoid.simulation.metrics import METRICS, check_metric, metric_of, values_of
from serpenoid.simulation.run import begun, chosen, duration_of
from serpenoid.simulation.setup import Setup
from serpenoid.simulation.simulation import Simulation, check_until

if TYPE_CHECKING:
    import xarray

Progress = Callable[[float], None]
INVALID = "invalid"  # status of a cell whose description is refused
EXECUTORS = ("threads", "gpu")
PRECISIONS = ("float64", "float32")


@dataclass(frozen=True, eq=False, repr=False)
class Batch:
    """What many runs came to: one entry per cell, in the order of the descriptions."""

    metrics: dict[str, FloatArray]
    status: tuple[str, ...]
    messages: tuple[str, ...]
    warnings: tuple[tuple[str, ...], ...]
    trajectories: tuple[Trajectory | None, ...] | None = None

    def __len__(self) -> int:
        return len(self.status)

    def __repr__(self) -> str:
        failed = len(self) - self.status.count("ok")
        return f"Batch({len(self)} cells, {failed} not ok, {len(self.metrics)} metrics)"

    def to_dataset(self) -> xarray.Dataset:
        """The metrics over the dimension "cell" as an xarray dataset with units; status and messages beside them."""
        import xarray

        data: dict[str, Any] = {
            name: ("cell", values, {"units": metric_of(name).unit, "long_name": metric_of(name).formula})
            for name, values in self.metrics.items()
        }
        texts = {
            "status": self.status,
            "message": self.messages,
            "warnings": tuple("\n".join(w) for w in self.warnings),
        }
        data |= {name: ("cell", np.array(values, dtype=object)) for name, values in texts.items()}
        return xarray.Dataset(data, coords={"cell": np.arange(len(self))})


class Cell:
    """What one run came to."""

    __slots__ = ("message", "metrics", "status", "trajectory", "warnings")

    def __init__(self, status: str, message: str) -> None:
        self.status, self.message = status, message
        self.metrics: dict[str, float | None] = {}
        self.warnings: tuple[str, ...] = ()
        self.trajectory: Trajectory | None = None


def run_cell(
    setup: Setup | InputError, names: Sequence[str], interval: float | None = None, look: Progress | None = None
) -> Cell:
    """Run one description; what goes wrong with it is in its status and message. `look` is called now and then, and may raise."""
    if isinstance(setup, InputError):
        return Cell(INVALID, str(setup))
    try:
        sim, notes = begun(setup.prepared())
        sim.advance(notes["steps_planned"] * sim.step, progress=look)
        return measured_cell(sim, notes, names, interval)
    except InputError as error:
        return Cell(INVALID, str(error))
    except NumericalError as error:
        return Cell("diverged", str(error))


def measured_cell(sim: Simulation, notes: dict[str, Any], names: Sequence[str], interval: float | None) -> Cell:
    """What a simulation at its end came to; a whole trajectory is made only where one is wanted, or a metric looks at one."""
    if not sim._good:
        try:
            sim._failed()
        except InputError as error:
            return Cell(INVALID, str(error))
    if interval is None and all(knows(name) for name in names):
        _, status, metrics, warnings = judged(sim, names)
        run = None
    else:
        run = trajectory_of(sim, notes)
        status, warnings, metrics = run.status, run.warnings, values_of(sim.setup, run, names)
    cell = Cell(status.name, status.message)
    cell.metrics, cell.warnings = metrics, (*warnings, *chosen(sim, notes))
    if run is not None and interval is not None:
        skipped = {"check": {"skipped": "cells of a batch are not run twice"}}
        run = replace(run, warnings=cell.warnings, provenance={**run.provenance, **skipped})
        cell.trajectory = thinned(run, interval)
    return cell


def thinned(run: Trajectory, interval: float) -> Trajectory:
    """The trajectory with frames about `interval` s apart, the first and the last among them; without the state to go on from."""
    time = run["time"]
    apart = float(time[1] - time[0]) if len(time) > 1 else interval
    every = max(1, round(min(interval / apart, len(time))))
    kept = np.unique(np.append(np.arange(0, len(time), every), len(time) - 1))
    variables = {
        name: v._replace(data=np.ascontiguousarray(v.data[kept])) if v.dims[:1] == ("time",) else v
        for name, v in run.variables.items()
    }
    return replace(run, variables=Variables(variables), state={})


@door
def execute_many(
    setups: Sequence[Setup | InputError], *, metrics: Sequence[str] | None = None, trajectories: float | None = None,
    threads: int | None = None, executor: str = "threads", precision: str = "float64", progress: Progress | None = None,
) -> Batch:  # fmt: skip
    """Run many descriptions; an InputError in the place of one is a cell that could not be described.

    `metrics` names those wanted (default all); `trajectories` keeps frames so many seconds apart. An interrupt ends all threads and is
    raised.
    """
    names = list(METRICS) if metrics is None else [check_metric(name) for name in metrics]
    _check_choice("executor", executor, EXECUTORS)
    _check_choice("precision", precision, PRECISIONS)
    if trajectories is not None:
        trajectories = check_until("trajectories", trajectories)
    if executor == "gpu":
        from serpenoid.simulation.gpu import execute_many as on_device

        made: Batch = on_device(setups, metrics=names, trajectories=trajectories, precision=precision, progress=progress)  # fmt: skip
        return made
    if precision != "float64":
        raise InputError('precision "float32" is for executor "gpu"; threads compute in float64')
    cells = _on_threads(setups, names, trajectories, threads_of(threads), progress)
    return gathered(cells, names, trajectories is not None)


def _check_choice(name: str, value: str, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise InputError(f"{name} must be one of {', '.join(allowed)}, got {shown(value)}")


def _on_threads(
    setups: Sequence[Setup | InputError], names: Sequence[str], interval: float | None, threads: int, progress: Progress | None
) -> list[Cell]:  # fmt: skip
    """Run all cells, each by whichever thread is free next; one that raises ends all."""
    cells: list[Any] = [None] * len(setups)
    order = iter(range(len(setups)))
    stop, lock, done = threading.Event(), threading.Lock(), 0

    def look(_fraction: float = 0.0) -> None:
        signals.check()
        if stop.is_set():
            raise signals.Stopped("another thread was interrupted")

    def work() -> None:
        nonlocal done
        try:
            while not stop.is_set():
                with lock:
                    k = next(order, None)
                if k is None:
                    return
                look()
                cells[k] = run_cell(setups[k], names, interval, look)
                with lock:
                    done += 1
                    if progress is not None:
                        progress(done / len(setups))
        except BaseException:
            stop.set()
            raise

    if min(threads, len(setups)) <= 1:
        work()
        return cells
    with ThreadPoolExecutor(threads) as pool:
        tasks = [pool.submit(work) for _ in range(min(threads, len(setups)))]
        try:
            for task in tasks:
                task.result()
        finally:
            stop.set()
    return cells


def gathered(cells: Sequence[Cell], names: Sequence[str], kept: bool) -> Batch:
    """The batch of what the cells came to."""
    table = {name: np.full(len(cells), np.nan) for name in names}
    for k, cell in enumerate(cells):
        for name, value in cell.metrics.items():
            if value is not None:
                table[name][k] = value
    return Batch(
        table,
        tuple(cell.status for cell in cells),
        tuple(cell.message for cell in cells),
        tuple(cell.warnings for cell in cells),
        tuple(cell.trajectory for cell in cells) if kept else None,
    )


@door(robot=Anything(), world=Anything(), start=Anything(), duration=Anything())
def simulate_many(
    robot: Any, command: Any = None, world: Any = None, duration: Any = None, *, start: Any = None, step: float | None = None,
    integrator: str = "implicit", record_interval: float = 0.01, metrics: Sequence[str] | None = None,
    trajectories: float | None = None, threads: int | None = None, executor: str = "threads", precision: str = "float64",
    progress: Progress | None = None,
) -> Batch:  # fmt: skip
    """Simulate many robots, commands, worlds: each of robot, command, world, duration and start is one for all cells, or one per cell.

    Parameters
    ----------
    robot, command, world, start : as for `sp.simulate`, or a list of these, one per cell
    duration : s, or a list; default as for `sp.simulate`
    step, integrator, record_interval : of all cells, as for `sp.simulate`
    metrics : names of those wanted; default all
    trajectories : s between the frames that are kept of each run; default: none are
    threads : number of them; default: one per core. A controller written in Python runs in one thread at a time
    executor : "threads", or "gpu"
    precision : "float64"; on a GPU also "float32"
    progress : called with the fraction done

    Returns
    -------
    Batch: metrics as arrays, status, messages and warnings per cell
    """
    given = {"robot": robot, "command": command, "world": world, "duration": duration, "start": start}
    count = _cells_of(given)
    setups: list[Setup | InputError] = []
    for k in range(count):
        one = {name: value[k] if _several(value) else value for name, value in given.items()}
        try:
            setups.append(_setup(**one, step=step, integrator=integrator, record_interval=record_interval))
        except InputError as error:
            setups.append(error)
    return execute_many(
        setups, metrics=metrics, trajectories=trajectories, threads=threads, executor=executor, precision=precision, progress=progress
    )  # fmt: skip


def _several(value: Any) -> bool:
    """Whether this is one thing per cell."""
    return isinstance(value, list | tuple) or (isinstance(value, np.ndarray) and value.ndim > 0)


def _cells_of(given: dict[str, Any]) -> int:
    """Number of cells: what all lists agree on, 1 without any."""
    lengths = {name: len(value) for name, value in given.items() if _several(value)}
    if len(set(lengths.values())) > 1:
        said = ", ".join(f"{name} has {count}" for name, count in lengths.items())
        raise InputError(
            f"lists need one entry per cell: {said}; give each as long as the others, or one for all cells"
        )
    return next(iter(lengths.values()), 1)


def _setup(
    robot: Robot, command: Any, world: World | None, duration: Any, start: Start | None, **settings: Any
) -> Setup:
    """The description of a cell."""
    check_parts(robot, command, world, start)
    length = duration_of(command) if duration is None else duration
    return Setup(
        robot, world or World(), command, start or Start(), Settings(duration=length, checked=False, **settings)
    )


__all__ = ["Batch", "execute_many", "simulate_many"]
