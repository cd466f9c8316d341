"""Sweeps of tiny cells for tests, run here or in a forked process that may be killed."""

from __future__ import annotations

import os
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import serpenoid as sp

TINY = ["robot.links=3", "run.duration=0.01", "run.step=0.001", "gait.waves=1"]
METRICS = ["com_distance", "torque_max", "friction_loss"]
OVER = {"gait.winding_angle_deg": "11:71:4", "world.friction.along": [0.07, 0.11, 0.23]}  # 48 cells
CELLS, CHUNK = 48, 3


def sweep(store: Path, **more: Any) -> Any:
    """A sweep of 48 tiny cells in 16 chunks."""
    given = {"changes": TINY, "metrics": METRICS, "chunk": CHUNK, "threads": 2, **more}
    over = given.pop("over", OVER)
    return sp.sweeps.sweep(given.pop("base", "creep"), over, store, **given)


def forked(work: Callable[[], object]) -> int:
    """Do something in a copy of this process; its number. The exit code is 0, or that of the error."""
    number = os.fork()
    if number:
        return number
    code = 1
    try:
        work()
        code = 0
    except sp.SerpenoidError as error:
        code = error.exit_code
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(code)


def ended(number: int) -> int:
    """Exit code of a copy of this process; less its signal, if one ended it."""
    return os.waitstatus_to_exitcode(os.waitpid(number, 0)[1])


def chunks(store: Path) -> dict[str, bytes]:
    """Names and bytes of the chunks of a store."""
    return {path.name: path.read_bytes() for path in sorted((store / "chunks").iterdir())}
