"""Who computes the pieces of a sweep: threads of this process, processes that may die, a GPU, the workers of a dask scheduler.

An executor gets a `Work`: the pieces to do, and a place to commit each as soon as it is done. Committing happens in the one process that
holds the store's lock; a worker only ever returns bytes.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from serpenoid import signals
from serpenoid.core.errors import InputError
from serpenoid.simulation.budget import threads_of
from serpenoid.sweeps.plan import SweepPlan

EXECUTORS = ("threads", "processes", "gpu", "dask")
LOOK = 0.1  # s between reports


@dataclass
class Work:
    """Pieces to compute: `commit` keeps one, `tell` reports how far it is and answers an interrupt."""

    plan: SweepPlan
    stored: dict[str, Any]  # the plan as the store has it
    pieces: list[int]
    keep: Callable[[int, bytes], None]
    before: int  # cells that were there
    total: int
    progress: Callable[[int, int], None] | None = None
    computed: int = 0
    under_way: dict[int, float] = field(default_factory=dict)  # cells done of pieces that are not
    lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self._order: Iterator[int] = iter(self.pieces)

    def workers(self, wanted: int | None) -> int:
        """How many can work at once: as many as wanted, else as there are cores; not more than there are pieces."""
        return max(1, min(threads_of(wanted), len(self.pieces)))

    def next_piece(self) -> int | None:
        """A piece that no worker has begun; None if there is none left."""
        with self.lock:
            return next(self._order, None)

    def cells(self, piece: int) -> tuple[int, int]:
        """First cell of a piece, and the one after its last."""
        first = piece * self.stored["chunk"]
        return first, min(first + self.stored["chunk"], self.stored["cells"])

    def values(self, piece: int) -> list[tuple[Any, ...]]:
        """Values of the axes of a piece's cells."""
        return self.plan.design.values(*self.cells(piece))

    def part_done(self, piece: int, share: float) -> None:
        """So much of a piece is done."""
        first, stop = self.cells(piece)
        self.under_way[piece] = share * (stop - first)

    def commit(self, piece: int, contents: bytes) -> None:
        """Keep a piece."""
        first, stop = self.cells(piece)
        with self.lock:
            self.keep(piece, contents)
            self.under_way.pop(piece, None)
            self.computed += stop - first

    def tell(self) -> None:
        """Report how far it is; an interrupt is answered here."""
        signals.check()
        if self.progress is not None:
            self.progress(self.before + self.computed + int(sum(list(self.under_way.values()))), self.total)


def run_workers(job: Work, workers: Sequence[Callable[[], None]], stop: Callable[[], None]) -> None:
    """Run workers, each on a thread of its own, and report meanwhile; where one fails or an interrupt comes, all are stopped."""
    with ThreadPoolExecutor(len(workers)) as pool:
        tasks = {pool.submit(worker) for worker in workers}
        try:
            while tasks:
                done, tasks = wait(tasks, timeout=LOOK, return_when=FIRST_COMPLETED)
                for task in done:
                    task.result()
                job.tell()
        finally:
            stop()


def executor_named(
    name: str, *, threads: int | None, scheduler: str | None, time_limit: float | None, seconds: float
) -> Callable[[Work], None]:
    """The executor of that name; what does not apply to it is refused."""
    if scheduler is not None and name != "dask":
        raise InputError(f"--scheduler is for --executor dask, got --executor {name}")
    if time_limit is not None and name not in ("processes", "dask"):
        raise InputError(
            f"--time-limit needs cells that can be ended: --executor processes or dask, got --executor {name}"
        )
    limit = time_limit or 600.0 + 100.0 * seconds
    if name == "threads":
        from serpenoid.sweeps.executors.threads import run_on_threads

        return partial(run_on_threads, threads=threads)
    if name == "processes":
        from serpenoid.sweeps.executors.processes import run_in_processes

        return partial(run_in_processes, processes=threads, limit=limit)
    if name == "gpu":
        from serpenoid.sweeps.executors.threads import check_gpu, run_on_gpu

        check_gpu()
        return run_on_gpu
    from serpenoid.sweeps.executors.cluster import run_on_dask

    return partial(run_on_dask, workers=threads, scheduler=scheduler, limit=limit)
