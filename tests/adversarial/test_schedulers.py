"""A dask scheduler that goes in the middle of a sweep: told in words, nothing is lost, the same command goes on."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from cases import PROVE
from sweep_cases import CELLS, chunks, sweep

KILLS = 20 if PROVE else 1
PROGRAM = """
import sys
from pathlib import Path
from serpenoid.cli import entry
from serpenoid.cli import sweep as command
from serpenoid.sweeps import running
import sweep_cases
def small(args):
    sweep_cases.sweep(Path(args.out), executor="dask", scheduler=args.scheduler, progress=lambda done, total: print(done, "%", file=sys.stderr, flush=True))
    return 0
command.command = small
sys.exit(entry.main(["sweep", "creep", "--json", "--out", sys.argv[1], "--executor", "dask", "--scheduler", sys.argv[2]]))
"""


@contextmanager
def scheduler(folder: Path) -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    """A scheduler with one worker, and its address."""
    quiet = {"cwd": folder, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    file = folder / "scheduler.json"
    module = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "0"]
    head = subprocess.Popen([*module, "--no-dashboard", "--scheduler-file", str(file)], **quiet)  # type: ignore[call-overload]
    while not file.exists() or not file.read_text().rstrip().endswith("}"):
        assert head.poll() is None
        time.sleep(0.05)
    address = json.loads(file.read_text())["address"]
    module = [sys.executable, "-m", "distributed.cli.dask_worker", address, "--nthreads", "1", "--no-nanny"]
    worker = subprocess.Popen([*module, "--no-dashboard"], **quiet)  # type: ignore[call-overload]
    try:
        yield head, address
    finally:
        for process in (head, worker):
            process.kill()
            process.wait()


@pytest.mark.parametrize("number", range(KILLS))
def test_a_scheduler_that_is_killed_costs_nothing_that_was_done(number: int, tmp_path: Path) -> None:
    pytest.importorskip("distributed")
    store = tmp_path / "store"
    with scheduler(tmp_path) as (head, address):
        paths = os.pathsep.join([str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
        process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, str(store), address], cwd=tmp_path, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": paths},
        )  # fmt: skip
        assert process.stderr is not None
        for line in process.stderr:
            if line.endswith("%\n") and int(line.split()[0]) > 3 * (number % 10):
                break
        killed = threading.Timer(0.013 * number, head.kill)
        killed.start()
        out, err = process.communicate(timeout=300)
    answer = json.loads(out)
    assert process.returncode == answer["exit_code"] == 3, err
    assert "does not answer any more" in answer["error"] and "the same command goes on" in answer["error"]
    assert not any(word in err for word in ("Traceback", "asyncio", "Error:", "tornado", "please report")), err
    before = chunks(store)
    made = sweep(store)
    assert made.whole and 0 < made.computed < CELLS and before.items() <= chunks(store).items()
