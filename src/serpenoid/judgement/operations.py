"""What is asked of the kernels that judge runs: one entry, the number of an operation and the arrays it works on (`compiled.program`)."""

from __future__ import annotations

from typing import Any

import numpy as np

from serpenoid.compiled import kernel
from serpenoid.contact.sums import SLOTS
from serpenoid.judgement import ledger as at
from serpenoid.judgement.findings import FINDINGS, find
from serpenoid.judgement.ledger import Ledger
from serpenoid.judgement.metrics import METRICS, measure
from serpenoid.judgement.roll import roll_of

OPERATIONS = ("MEASURE", "ROLL", "FIND")
MEASURE, ROLL_OF, FIND = range(3)


@kernel
def operate(op, run, axis, back, given):
    """Carry out an operation; returns 0 (-1: there is no such operation)."""
    if op == MEASURE:
        measure(run)
    elif op == ROLL_OF:
        roll_of(axis, back, run.frames[at.ROLL])
    elif op == FIND:
        find(run)
    else:
        return -1.0
    return 0.0


def empty(links: int, dofs: int, frames: int, nodes: int) -> Ledger:
    """A ledger of zeros for a run of so many links, degrees of freedom and frames, with the nodes of so many."""
    return Ledger(
        np.zeros(len(at.FACT_PATHS)), np.zeros(SLOTS), np.zeros((len(at.LINK_PATHS), links)), np.zeros((len(at.DOF_PATHS), dofs)),
        np.zeros((len(at.FRAME_PATHS), frames)), np.zeros((frames, dofs)), np.zeros((frames, dofs)), np.zeros((frames, dofs)), np.zeros((frames, links)),
        np.zeros((nodes, links + 1, 3)), np.zeros(at.PARTS), np.zeros(2), np.zeros((2, dofs)), np.zeros(len(METRICS)), np.zeros((len(FINDINGS), at.WIDTH)),
    )  # fmt: skip


def example() -> dict[str, Any]:
    """Groups of the right types."""
    table = np.zeros((2, 3, 3))
    return {"run": empty(3, 2, 2, 2), "axis": table, "back": table.copy(), "given": np.zeros(1)}
