"""Pieces in processes of their own: a cell that kills its process, or never ends, costs that process and is marked as failed.

Each warden owns one child (`child.py`) and hands it cells one at a time. A child that dies did so of the cell it had begun: the cell is
tried again, three times in all, and then is data: status "failed", with the cause. No other cell loses a try.
"""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from serpenoid.core.errors import SerpenoidError
from serpenoid.sweeps.executors import LOOK, Work, run_workers
from serpenoid.sweeps.rows import FAILED, Rows

TRIES = 3
STARTING = 300.0  # s in which a child must be ready: it may have to compile


class ChildDied(Exception):  # noqa: N818  (what happened, not who is to blame)
    """The child is no more; the text says of what."""


class Warden:
    """Runs cells in a child process; starts another where one has died."""

    def __init__(self, plan: dict[str, Any], folder: str, limit: float) -> None:
        self.plan, self.folder, self.limit = plan, folder, limit
        self.child: subprocess.Popen[bytes] | None = None
        self.buffer = b""
        self.stopped = threading.Event()

    def run(self, values: list[tuple[Any, ...]], progress: Callable[[float], None] | None = None) -> Rows:
        """What cells with these values of the axes came to."""
        rows = Rows.empty(len(values), len(self.plan["columns"]))
        for k, row in enumerate(values):
            self._run_one(rows, k, row)
            if progress is not None:
                progress((k + 1) / len(values))
        return rows

    def _run_one(self, rows: Rows, k: int, row: tuple[Any, ...]) -> None:
        cause = ""
        for _ in range(TRIES):
            try:
                self._start()
                found = self._ask({"cell": list(row)})
            except ChildDied as death:
                cause = str(death)
                continue
            rows.values[k] = [float("nan") if x is None else float.fromhex(x) for x in found["values"]]
            rows.put(k, found["status"], found["message"], found["warnings"])
            return
        rows.put(k, FAILED, f"{cause} (tried {TRIES} times)")

    def _start(self) -> None:
        """Have a child that is ready."""
        if self.child is not None:
            return
        command = [sys.executable, "-m", "serpenoid.sweeps.executors.child"]
        self.child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
        self.buffer = b""
        try:
            self._write({"plan": self.plan, "allow": self.plan["allow"], "folder": self.folder})
            ready = self._line(STARTING)
        except ChildDied as death:
            raise SerpenoidError(f"a process for cells could not be started: {death}") from death
        if ready["ready"] != self.plan["id"]:
            self.close()
            raise SerpenoidError(
                "the process for cells has another version of serpenoid or of your modules than this one"
            )

    def _ask(self, question: dict[str, Any]) -> dict[str, Any]:
        self._write(question)
        self._line(STARTING)  # begun
        return self._line(self.limit)

    def _write(self, value: dict[str, Any]) -> None:
        assert self.child is not None and self.child.stdin is not None
        try:
            self.child.stdin.write(json.dumps(value).encode() + b"\n")
        except OSError:
            self._died()

    def _line(self, patience: float) -> dict[str, Any]:
        """The next answer, within that time."""
        assert self.child is not None and self.child.stdout is not None
        until = time.monotonic() + patience
        while b"\n" not in self.buffer:
            if self.stopped.is_set():
                self.close()
                raise InterruptedError
            left = until - time.monotonic()
            if left <= 0.0:
                self.close()
                raise ChildDied(f"it took longer than {patience:g} s and was ended")
            if select.select([self.child.stdout], [], [], min(left, LOOK))[0]:
                data = os.read(self.child.stdout.fileno(), 1 << 16)
                if not data:
                    self._died()
                self.buffer += data
        text, _, self.buffer = self.buffer.partition(b"\n")
        found: dict[str, Any] = json.loads(text)
        return found

    def _died(self) -> None:
        assert self.child is not None
        code = self.child.wait()
        self.close()
        if code < 0:
            name = signal.Signals(-code).name
            hint = "; was the memory used up?" if -code == signal.SIGKILL else ""
            raise ChildDied(f"its process was ended by signal {-code} ({name}){hint}")
        raise ChildDied(f"its process ended itself with exit code {code}")

    def close(self) -> None:
        """End the child."""
        if self.child is not None:
            self.child.kill()
            self.child.wait()
            for stream in (self.child.stdin, self.child.stdout):
                if stream is not None:
                    stream.close()
            self.child = None


def run_in_processes(job: Work, processes: int | None = None, limit: float = 3600.0) -> None:
    """Compute pieces, each in the process that is free next, and keep each as soon as it is done."""
    wardens = [Warden(job.stored, os.getcwd(), limit) for _ in range(job.workers(processes))]

    def work(warden: Warden) -> None:
        try:
            while not warden.stopped.is_set() and (piece := job.next_piece()) is not None:
                rows = warden.run(job.values(piece), partial(job.part_done, piece))
                job.commit(piece, rows.packed())
        except InterruptedError:
            return
        finally:
            warden.close()

    def stop() -> None:
        for warden in wardens:
            warden.stopped.set()

    run_workers(job, [partial(work, warden) for warden in wardens], stop)
