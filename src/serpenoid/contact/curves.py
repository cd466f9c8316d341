"""What the page asks of kernels without a robot: curves with frames, and whether a body passes through itself."""

from __future__ import annotations

from typing import Any

import numpy as np

from serpenoid.compiled import kernel
from serpenoid.contact.crossings import find_crossings
from serpenoid.shapes.integrate import march

OPERATIONS = ("TRACE", "CROSSINGS")
TRACE, CROSSINGS = range(2)


@kernel
def operate(op, step, values, pose, out, nodes, arc, radius, tree, found, given):
    """Carry out an operation; returns 0 (-1: there is no such operation)."""
    if op == TRACE:
        march(int(given[0]), step, values, pose, out)
    elif op == CROSSINGS:
        find_crossings(nodes, arc, radius, given[0] > 0.0, tree, found)
    else:
        return -1.0
    return 0.0


def example() -> dict[str, Any]:
    """Groups of the types that both need."""
    row, table, block = np.zeros(1), np.zeros((1, 1)), np.zeros((1, 1, 1))
    return {
        "step": row, "values": block, "pose": row, "out": table, "nodes": block, "arc": row, "radius": row, "tree": table, "found": row, "given": row,
    }  # fmt: skip
