"""A process that runs cells one at a time and may die of one: it reads lines of JSON and answers each cell with two.

    {"plan": ..., "allow": [...], "folder": ...}     what to sweep; answered by {"ready": identity}
    {"cell": [values of the axes]}                   answered by {"begun": true}, then {"status", "message", "warnings", "values"}

It ends when its input ends, and with the process that started it. What the user's code prints goes to standard error.
"""

from __future__ import annotations

import ctypes
import json
import math
import os
import signal
import sys
from contextlib import suppress
from typing import Any

DIE_WITH_PARENT = 1  # PR_SET_PDEATHSIG


def main() -> int:
    """Answer lines until there are no more."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(DIE_WITH_PARENT, signal.SIGKILL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the one who started it decides
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)

    def answer(value: dict[str, Any]) -> None:
        print(json.dumps(value, allow_nan=False), file=answers, flush=True)

    plan: Any = None
    for line in sys.stdin:
        asked = json.loads(line)
        if "plan" in asked:
            plan = _plan(asked)
            answer({"ready": plan.plain(1)["id"]})
        else:
            answer({"begun": True})
            answer(_run(plan, asked["cell"]))
    return 0


def _plan(asked: dict[str, Any]) -> Any:
    from serpenoid.sweeps.plan import plan_from

    if asked["folder"] not in sys.path:
        sys.path.insert(0, asked["folder"])  # users' modules lie beside where the sweep was started
    plan = plan_from(asked["plan"], tuple(asked["allow"]))
    _warm(plan)
    return plan


def _warm(plan: Any) -> None:
    """Load the kernels with a run of our own, so that the first cell takes no longer than the others."""
    from serpenoid.core.errors import SerpenoidError
    from serpenoid.formats.scenario import read
    from serpenoid.simulation.batch import execute_many
    from serpenoid.simulation.setup import setup_of

    with suppress(SerpenoidError):
        name = "sidewind" if plan.example().spatial else "creep"
        execute_many([setup_of(read(name, ["run.duration=0.002", "run.step=0.001"]))], threads=1)


def _run(plan: Any, values: list[Any]) -> dict[str, Any]:
    from serpenoid.sweeps.cells import run_cells

    rows = run_cells(plan, [values])
    numbers = [None if math.isnan(x) else x.hex() for x in rows.values[0].tolist()]
    return {
        "status": rows.status[0],
        "message": rows.messages.get(0, ""),
        "warnings": rows.warnings.get(0, []),
        "values": numbers,
    }


if __name__ == "__main__":
    sys.exit(main())
