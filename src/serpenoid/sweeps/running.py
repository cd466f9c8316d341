"""Sweeps: every cell of a design computed once, kept in a store, gone on with after any end.

made = sp.sweeps.sweep("creep", {"gait.winding_angle_deg": "5:90:5", "world.friction.along": [0.1, 0.2]}, "out/map")
made.dataset["com_distance"].sel(winding_angle_deg=45)
"""

from __future__ import annotations

import operator
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from serpenoid import signals
from serpenoid.core.door import door
from serpenoid.core.errors import InputError
from serpenoid.core.quantities import Anything, Number, Whole, shown
from serpenoid.formats.opening import checked_name, named
from serpenoid.formats.store import PLAN, Shard, Writer, writing
from serpenoid.simulation.batch import PRECISIONS
from serpenoid.simulation.budget import MOST_THREADS
from serpenoid.sweeps.axes import axes_of, ties_of
from serpenoid.sweeps.designs import design_of
from serpenoid.sweeps.estimate import MOST_CELLS, Estimate, check_estimate
from serpenoid.sweeps.executors import EXECUTORS, Work, executor_named
from serpenoid.sweeps.identity import differences
from serpenoid.sweeps.plan import SweepPlan, check_plan, chunk_of
from serpenoid.sweeps.reading import rows_of
from serpenoid.sweeps.request import base_of, texts

if TYPE_CHECKING:
    import xarray

Progress = Callable[[int, int], None]  # cells done, cells in all


@dataclass(frozen=True)
class Sweep:
    """What a sweep came to: its store, how many cells are done, of which status, and how long this call took."""

    store: Path
    cells: int
    done: int
    computed: int  # by this call
    statuses: Mapping[str, int]
    seconds: float
    estimate: Estimate

    @property
    def whole(self) -> bool:
        """Whether every cell is there."""
        return self.done == self.cells

    @property
    def dataset(self) -> xarray.Dataset:
        """The data, labelled: see `sp.sweeps.open`."""
        from serpenoid.sweeps.dataset import open_store

        return open_store(self.store)


@door(
    base=Anything(), over=Anything(optional=True), seed=Whole(low=0), cells=Whole(low=1), threads=Whole(low=1, high=MOST_THREADS), time_limit=Number(above=0.0),
    most_cells=Whole(low=1), chunk=Whole(low=1), seeded=Anything(optional=True), through=Anything(optional=True), ties=Anything(optional=True), metrics=Anything(optional=True), shard=Anything(optional=True),
)  # fmt: skip
def sweep(
    base: Any, over: Any, out: str | Path, *, changes: list[str] | None = None, metrics: Any = None, design: str | None = None,
    cells: int | None = None, seed: int | None = None, through: Any = None, seeded: Any = (), ties: Any = (), executor: str = "threads",
    precision: str = "float64", threads: int | None = None, scheduler: str | None = None, shard: Any = None, chunk: int | None = None,
    time_limit: float | None = None, most_cells: int = MOST_CELLS, allow: tuple[str, ...] | list[str] = (), outside: bool = False,
    progress: Progress | None = None,
) -> Sweep:  # fmt: skip
    """Compute every cell of a design and keep it in the store `out`; called again with the same arguments it goes on.

    Parameters
    ----------
    base : scenario by name or path (with a table [sweep], if it has one), its data, or a Setup
    over : None (that of the file's table [sweep]), {key: values} or ["key=values"]: "5:90:5" (both ends included), a list or an array; "low:high" for random and Sobol designs
    out : folder of the store
    changes : keys of the base to change first, like "gait.waves=2"
    metrics : names, "my_module:my_function" too; default: all of serpenoid's own that apply
    design : "grid" (default), "together" (the k-th value of each axis), "random", "sobol"
    cells, seed : of random and Sobol designs
    through : "module:function" from {key: value} of the axes to the keys that a cell changes, where axes are not keys themselves
    seeded : keys that get the seed of each cell; an axis "repeat" then repeats cells with other seeds
    ties : {key: axis} or ["key=axis"]: keys that take the value of an axis in every cell, {"world.friction.across": "world.friction.along"}
    executor : "threads", "processes" (each cell in a process that may die), "gpu", "dask"
    precision : "float64"; on a GPU also "float32"
    threads : threads or processes; default one per core
    scheduler : address of a dask scheduler; default: workers on this machine
    shard : (i, n) or "i/n": only that part of the cells, from 1 to n; parts may run at the same time
    chunk : cells in a piece of the store; default about a second of work
    time_limit : s per cell, for "processes" and "dask"
    most_cells : more cells are refused
    allow : modules of one's own that the sweep may use
    outside : whether the scenario may name files elsewhere
    progress : called with the number of cells done and that of all

    Returns
    -------
    Sweep: numbers of what was done; `.dataset` is the data
    """
    began = time.monotonic()
    plan, estimate = plan_of(
        base, over, changes=changes, metrics=metrics, design=design, cells=cells, seed=seed, through=through, seeded=seeded,
        ties=ties, executor=executor, precision=precision, allow=tuple(allow), outside=outside,
    )  # fmt: skip
    folder = Path(checked_name(out, "folder"))
    part = shard_of(shard)
    check_estimate(estimate, most_cells, folder)
    run = executor_named(
        executor, threads=threads, scheduler=scheduler, time_limit=time_limit, seconds=estimate.cell_seconds
    )
    with writing(folder, plan.plain(chunk or chunk_of(estimate)), part) as writer:
        check_same(plan, writer.plan, folder)
        computed = _carry_out(plan, writer, run, part, progress)
        contents = writer.contents
    done = sum(record["count"] for record in contents.pieces.values())
    statuses = Counter(status for number in contents.pieces for status in rows_of(contents, number).status)
    return Sweep(folder, plan.design.count, done, computed, dict(statuses), time.monotonic() - began, estimate)


def plan_of(
    base: Any, over: Any, *, changes: list[str] | None = None, metrics: Any = None, design: str | None = None, cells: int | None = None,
    seed: int | None = None, through: Any = None, seeded: Any = (), ties: Any = (), executor: str = "threads", precision: str = "float64",
    allow: tuple[str, ...] = (), outside: bool = False,
) -> tuple[SweepPlan, Estimate]:  # fmt: skip
    """What is asked for, looked through, and what it will take."""
    if executor not in EXECUTORS:
        raise InputError(f"executor must be one of {', '.join(EXECUTORS)}, got {shown(executor)}")
    if precision not in PRECISIONS or (precision != "float64" and executor != "gpu"):
        raise InputError(
            f'precision is "float64", or "float32" on a GPU, got {shown(precision)} with executor {executor}'
        )
    scenario, table = base_of(base, changes, allow, outside)
    axes = axes_of(table.get("over", {}) if over is None or (isinstance(over, list) and not over) else over)
    kind = design or table.get("design", "grid")
    wanted = table.get("metrics") if metrics is None else metrics
    keys = texts(
        table.get("seeded", ()) if seeded is None or (isinstance(seeded, tuple) and not seeded) else seeded, "seeded"
    )
    made = design_of(kind, axes, cells or table.get("cells"), table.get("seed", 0) if seed is None else seed)
    plan = SweepPlan(
        dict(scenario), made, (), allow, function_name(table.get("through") if through is None else through), keys,
        ties_of(ties or table.get("ties", ()), axes), f"{precision} gpu" if executor == "gpu" else "float64", Path(scenario.source).name,
    )  # fmt: skip
    return check_plan(plan, None if wanted is None else texts(wanted, "metrics"))


def function_name(given: Any) -> str:
    """The name of a function: given as that, or as the function of a module itself."""
    if isinstance(given, str) or given is None:
        return given or ""
    module, name = getattr(given, "__module__", ""), getattr(given, "__qualname__", "")
    if not callable(given) or module == "__main__" or not name.isidentifier():
        raise InputError(f'through must be a function of a module, or its name "module:function", got {shown(given)}')
    return f"{module}:{name}"


def shard_of(given: Any) -> Shard | None:
    """Which part of how many: (2, 8) or "2/8"."""
    if given is None:
        return None
    parts = given.split("/") if isinstance(given, str) else given if isinstance(given, tuple | list) else ()
    try:
        which, count = (int(part) if isinstance(part, str) else operator.index(part) for part in parts)
    except (ValueError, TypeError):
        which = count = 0
    if not 1 <= which <= count <= 100_000:
        raise InputError(f"--shard needs i/n with i from 1 to n, such as 3/8, got {shown(given)}")
    return which, count


def check_same(plan: SweepPlan, there: Mapping[str, Any], folder: Path) -> None:
    """Refuse a store of another sweep."""
    mine = plan.identity()
    found = differences(mine, there["identity"])
    if found:
        raise InputError(
            f"{named(folder)} holds another sweep: {'; '.join(found[:3])}{' ...' if len(found) > 3 else ''}. Nothing is mixed: give another --out, "
            f"or ask for what {named(folder / PLAN)} says"
        )


def _carry_out(
    plan: SweepPlan, writer: Writer, run: Callable[[Work], None], part: Shard | None, progress: Progress | None
) -> int:
    """Compute the pieces that are not there; the number of cells computed."""
    size, cells = writer.plan["chunk"], plan.design.count
    pieces = range(-(-cells // size))
    mine = [k for k in pieces if part is None or k % part[1] == part[0] - 1]
    todo = [k for k in mine if k not in writer.contents.pieces]
    total = sum(min(size, cells - k * size) for k in mine)
    job = Work(
        plan, writer.plan, todo, writer.commit, total - sum(min(size, cells - k * size) for k in todo), total, progress
    )
    signals.check()
    job.tell()
    if todo:
        run(job)
    return job.computed


__all__ = ["Sweep", "check_same", "function_name", "plan_of", "shard_of", "sweep"]
