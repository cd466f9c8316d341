"""Pieces on threads of this process (kernels release the interpreter lock), or many pieces at once on a GPU."""

from __future__ import annotations

import threading

from serpenoid.core.errors import InputError
from serpenoid.sweeps.cells import run_cells
from serpenoid.sweeps.executors import Work, run_workers
from serpenoid.sweeps.rows import Rows

AT_ONCE = 65_536  # cells in one launch on a GPU


class _StoppedError(Exception):
    """Another thread has failed, or an interrupt has come."""


def run_on_threads(job: Work, threads: int | None = None) -> None:
    """Compute pieces, each on the thread that is free next, and keep each as soon as it is done."""
    stop = threading.Event()

    def work() -> None:
        try:
            while not stop.is_set() and (piece := job.next_piece()) is not None:

                def report(share: float, piece: int = piece) -> None:
                    if stop.is_set():
                        raise _StoppedError
                    job.part_done(piece, share)

                rows = run_cells(job.plan, job.values(piece), progress=report)
                job.commit(piece, rows.packed())
        except _StoppedError:
            return
        except BaseException:
            stop.set()
            raise

    run_workers(job, [work] * job.workers(threads), stop.set)


def check_gpu() -> None:
    """Refuse a machine without a GPU before anything is written."""
    try:
        from serpenoid.simulation import gpu  # type: ignore[attr-defined,unused-ignore]  # noqa: F401
        from serpenoid.simulation.device import cuda  # type: ignore[import-not-found,unused-ignore]
    except ImportError as error:
        raise InputError(f"--executor gpu needs an NVIDIA GPU and pip install 'serpenoid[gpu]': {error}") from error
    cuda()


def run_on_gpu(job: Work) -> None:
    """Compute many pieces in one launch."""
    todo = list(job.pieces)
    per_launch = max(1, AT_ONCE // job.stored["chunk"])
    while todo:
        group, todo = todo[:per_launch], todo[per_launch:]
        counts = [stop - first for first, stop in map(job.cells, group)]
        values = [row for piece in group for row in job.values(piece)]
        rows = run_cells(job.plan, values, executor="gpu")
        begin = 0
        for piece, count in zip(group, counts, strict=True):
            job.commit(piece, part_of(rows, begin, begin + count).packed())
            begin += count
        job.tell()


def part_of(rows: Rows, first: int, stop: int) -> Rows:
    """Some of the rows."""
    inside = range(first, stop)
    return Rows(
        rows.values[first:stop], rows.status[first:stop],
        {k - first: rows.messages[k] for k in inside if k in rows.messages}, {k - first: rows.warnings[k] for k in inside if k in rows.warnings},
    )  # fmt: skip
