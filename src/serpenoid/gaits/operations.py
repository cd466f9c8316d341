"""What the page asks of gaits and drives: one entry, the number of an operation, and the number of a gait or drive among all that are registered.

Nothing is computed here: every operation calls the package's own kernels. A gait that is added to the registry is there too.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from serpenoid.compiled import kernel
from serpenoid.compiled.choice import one_of
from serpenoid.core.command import DRIVES, GAITS
from serpenoid.gaits import serpenoid
from serpenoid.gaits.joints import misfit
from serpenoid.gaits.pole import find_axis
from serpenoid.gaits.rows import put_widened
from serpenoid.gaits.steering import hold, way_of

OPERATIONS = ("SIZE", "FILL", "TIMES", "MISFIT", "WAY", "HOLD", "WIDEN", "AXIS")
SIZE, FILL, TIMES, MISFIT, WAY, HOLD, WIDEN, AXIS = range(8)
PREPARED = tuple(cls for cls in (*GAITS.values(), *DRIVES.values()) if getattr(cls, "KERNELS", None) is not None)

_size = one_of([cls.KERNELS.size for cls in PREPARED], serpenoid.size)
_fill = one_of([cls.KERNELS.fill for cls in PREPARED], serpenoid.fill)
_times = one_of([cls.KERNELS.times for cls in PREPARED], serpenoid.times)


@kernel
def operate(op, g, r, par, tab, work, out, given):
    """Carry out an operation for gait or drive given[0]; returns the number of what refuses it, else 0 (-1: there is no such operation)."""
    number, where = int(given[0]), given[1]
    if op == SIZE:
        return float(_size(number, g, r, where, out))
    if op == FILL:
        return float(_fill(number, g, r, where, par, tab, work))
    if op == TIMES:
        _times(number, g, r, par, tab, out)
    elif op == MISFIT:
        return float(misfit(number, r, tab))
    elif op == WAY:
        way_of(number, par, given[1], out)
    elif op == HOLD:
        hold(number, r, given[1], given[2], par, tab)
    elif op == WIDEN:
        put_widened(tab, par, work)
    elif op == AXIS:
        find_axis(work, number)
    else:
        return -1.0
    return 0.0


def example() -> dict[str, Any]:
    """Groups of the types that all need."""
    row, table = np.zeros(1), np.zeros((1, 1))
    return {"g": row, "r": row, "par": row, "tab": table, "work": table, "out": row, "given": row}
