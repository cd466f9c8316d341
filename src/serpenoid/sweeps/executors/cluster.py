"""Pieces on the workers of a dask scheduler: one that is there, by its address, or an own one on this machine, for this sweep alone.

Each worker runs cells through a warden (`processes`), so a cell that kills its process never kills the worker. A worker that dies all the same
(the machine goes, somebody kills it) costs the pieces it had: dask hands them to others, and after that so does this coordinator. Workers get
plain data and return bytes; only the coordinator writes the store. The own cluster listens on this machine only.
"""

from __future__ import annotations

import logging
import os
import re
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager
from typing import Any

from serpenoid.core.errors import InputError, NumericalError, SerpenoidError
from serpenoid.sweeps.executors import Work

LOOK = 0.2  # s between reports
PATIENCE = 5.0  # s for a result that is said to be there
AHEAD = 2  # pieces per worker that the scheduler has at a time
MOST_LOST = 50  # times that a piece may be lost with its worker


def run_on_dask(job: Work, workers: int | None = None, scheduler: str | None = None, limit: float = 3600.0) -> None:
    """Compute pieces on dask workers, and keep each as soon as it is done."""
    distributed = load_distributed()
    if scheduler is not None:
        try:
            client = distributed.Client(scheduler, timeout="15s")
        except (OSError, ValueError, TypeError) as error:
            raise InputError(f"no dask scheduler answers at {scheduler}: {error}") from error
        with client, _told_if_lost(client, scheduler):
            _run(job, client, limit)
        return
    count = job.workers(workers)
    import dask

    with (
        dask.config.set({"distributed.worker.daemon": False, "distributed.scheduler.allowed-failures": MOST_LOST}),
        _own_cluster(distributed, count) as cluster,
        distributed.Client(cluster) as client,
    ):
        # a worker killed while it starts is given up by its nanny: another takes its place
        _run(job, client, limit, lambda: cluster.scale(count))


@contextmanager
def _told_if_lost(client: Any, scheduler: str) -> Iterator[None]:
    """Say in words that the scheduler is gone; dask itself would say it in many lines, and its tasks in more when they are cleared away."""
    for log in (
        *logging.getLogger("distributed").handlers,
        logging.getLogger("asyncio"),
        logging.getLogger("tornado.application"),
    ):
        log.addFilter(_is_not_of_dask)  # for good: the last of them speak when the program ends
    try:
        yield
    except SerpenoidError:
        raise
    except Exception as error:
        if client.status == "running" and not isinstance(error, OSError | CancelledError):
            raise
        raise NumericalError(
            f"the dask scheduler at {scheduler} does not answer any more ({type(error).__name__}); what is done is kept, and the same command goes on, "
            "with a scheduler that is there"
        ) from error


def _is_not_of_dask(record: logging.LogRecord) -> bool:
    """Whether a line of a log is none of those by which dask and what it is made of mourn a connection."""
    said = f"{record.name} {record.pathname} {record.getMessage()} {record.exc_info}"
    return not (record.exc_info or record.levelno >= logging.WARNING) or re.search(r"distributed|tornado", said) is None


def _own_cluster(distributed: Any, count: int) -> Any:
    """Workers on this machine, for this sweep alone."""
    try:
        return distributed.LocalCluster(
            n_workers=count, threads_per_worker=1, processes=True, host="127.0.0.1", dashboard_address=None, silence_logs=50, memory_limit=0
        )  # fmt: skip
    except RuntimeError as error:
        raise InputError(
            f"dask's workers could not be started ({error}); each of them imports your program: call the sweep below "
            'if __name__ == "__main__":'
        ) from error


def load_distributed() -> Any:
    """The package distributed, or how to get it."""
    try:
        import distributed
    except ImportError:
        raise InputError("--executor dask needs the package distributed: pip install 'serpenoid[cluster]'") from None
    return distributed


def _run(job: Work, client: Any, limit: float, revive: Callable[[], object] = lambda: None) -> None:
    """Keep the workers busy, a few pieces ahead."""
    todo = list(reversed(job.pieces))
    lost: dict[int, int] = {}
    under_way: dict[Any, int] = {}
    own = uuid.uuid4().hex[:12]  # a scheduler may have others who do the same sweep, in other pieces
    try:
        while under_way or todo:
            room = AHEAD * max(1, len(client.scheduler_info(n_workers=-1)["workers"])) - len(under_way)
            for _ in range(min(room, len(todo))):
                piece = todo.pop()
                name = f"serpenoid-{own}-{piece}-{lost.get(piece, 0)}"
                future = client.submit(
                    compute_piece, job.stored, os.getcwd(), job.values(piece), limit, key=name, pure=False
                )
                under_way[future] = piece
            revive()
            job.tell()
            for future in _done(under_way):
                piece = under_way[future]
                kept = _kept(job, piece, future)
                if (
                    kept is None
                ):  # its result was lost with its worker: dask computes it again, on workers that may have to be replaced
                    break
                del under_way[future]
                if not kept:
                    lost[piece] = lost.get(piece, 0) + 1
                    if lost[piece] > MOST_LOST:
                        raise NumericalError(
                            f"the workers that had chunk {piece} died {lost[piece]} times; look at their logs"
                        )
                    todo.append(piece)
    finally:
        if client.status == "running":
            client.cancel(list(under_way), force=True)


def _done(under_way: dict[Any, int]) -> list[Any]:
    """Pieces that are done, after a moment of waiting for one."""
    import distributed

    try:
        found = distributed.wait(list(under_way), timeout=LOOK, return_when="FIRST_COMPLETED")
    except TimeoutError:
        return []
    return list(found.done)


def _kept(job: Work, piece: int, future: Any) -> bool | None:
    """Keep what a worker returned; False if the piece was lost with its worker, None if its result is not to be had now."""
    from distributed.scheduler import KilledWorker

    try:
        contents = future.result(timeout=PATIENCE)
    except TimeoutError:
        return None
    except (KilledWorker, CancelledError):
        if future.client.status != "running":
            raise
        return False
    except Exception as error:
        if isinstance(error, SerpenoidError) or future.status != "error":
            raise
        raise NumericalError(
            f"a dask worker could not compute chunk {piece}: {type(error).__name__}: {error}; does it have the same serpenoid and modules as this program?"
        ) from error
    job.commit(piece, contents)
    return True


_wardens: dict[str, Any] = {}  # of this worker, by sweep


def compute_piece(stored: dict[str, Any], folder: str, values: list[tuple[Any, ...]], limit: float) -> bytes:
    """On a worker: run cells in its child process; the bytes of the piece."""
    import threading

    from serpenoid.sweeps.executors.processes import Warden

    name = f"{stored['id']}/{threading.get_ident()}"
    if name not in _wardens:
        _wardens[name] = Warden(stored, folder, limit)
    contents: bytes = _wardens[name].run(values).packed()
    return contents
