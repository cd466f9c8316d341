"""Whether a gait or a drive hands the kernels what they will read: kernels do not check sizes.

| kind | parameters | table |
|---|---|---|
| 0 serpenoid | 6 | 2 x links |
| 1 standing wave | 1 | 1 x links |
| 2 sampled headings | 1 | samples x (1 + 4 links) |
| 3 custom, 4 function | 3, 10 | 2 x degrees of freedom |
| 5 sequence | 2 + 8 per part, and what these say | any |
| 10 waves | 4 | 8 x links |
| 11 sampled joints | 1 | samples x (1 + 8 links) |
| drive 0 sine | 3 | any |
| drive 1 sampled | 1 | samples x (1 + 4 columns) |
"""

from __future__ import annotations

from typing import Any

import numpy as np

from serpenoid.compiled import literal
from serpenoid.core import FloatArray, Robot
from serpenoid.core.errors import InputError

SEQUENCE = 5


def check_gait(gait: Any, kind: Any, given: tuple[Any, Any], robot: Robot) -> tuple[int, FloatArray, FloatArray]:
    """Kind, parameters and table of a gait as arrays of numbers; refused where their sizes are not those that the kernel reads."""
    n, dofs = robot.links, len(robot.axes)
    sizes: dict[Any, tuple[int, int, int]] = {  # parameters at least, rows (0: any from 2), columns of the table
        0: (6, 2, n), 1: (1, 1, n), 2: (1, 0, 1 + 4 * n), 3: (3, 2, dofs), 4: (10, 2, dofs), 10: (4, 8, n), 11: (1, 0, 1 + 8 * n),
    }  # fmt: skip
    row, table = _numbers(gait, *given)
    if kind == SEQUENCE:
        return kind, row, table
    if kind not in sizes:
        raise InputError(f"the kernels know no gait of kind {kind!r} ({gait!r})"[:300])
    least, rows, columns = sizes[kind]
    if len(row) < least or table.shape[1] != columns or (table.shape[0] != rows if rows else table.shape[0] < 2):
        raise InputError(
            f"the gait {getattr(gait, 'NAME', type(gait).__name__)} gives {len(row)} parameters and a table of {table.shape[0]} x {table.shape[1]}; "
            f"its kind {kind} needs at least {least} and {rows or 'rows'} x {columns}"
        )
    return kind, row, table


def check_drive(drive: Any, given: tuple[Any, Any], axes: int) -> tuple[FloatArray, FloatArray]:
    """Parameters and table of a drive, likewise."""
    row, table = _numbers(drive, *given)
    least, columns = {0: (3, 0), 1: (1, 1 + 4 * axes)}[drive.KIND]
    if len(row) < least or (columns and (table.shape[1] != columns or table.shape[0] < 2)):
        raise InputError(
            f"the drive {getattr(drive, 'NAME', type(drive).__name__)} gives {len(row)} parameters and a table of {table.shape[0]} x "
            f"{table.shape[1]}; its kind {drive.KIND} needs at least {least}"
            + (f" and rows x {columns}" if columns else "")
        )
    return row, table


def _numbers(command: Any, par: Any, tab: Any) -> tuple[FloatArray, FloatArray]:
    try:
        row, table = np.array(par, dtype=float, ndmin=1), np.array(tab, dtype=float, ndmin=2)
    except (TypeError, ValueError) as error:
        raise InputError(f"{command!r}: row() must give numbers, {error}"[:300]) from error
    if row.ndim != 1 or table.ndim != 2:
        raise InputError(
            f"{command!r}: row() must give a row and a table, got shapes {row.shape} and {table.shape}"[:300]
        )
    return np.ascontiguousarray(row), np.ascontiguousarray(table)


def widened(table: FloatArray, places: Any, columns: int) -> FloatArray:
    """A table of samples with its columns at some places of wider blocks, zeros elsewhere."""
    wide = np.zeros((len(table), 1 + 4 * columns))
    put_widened(table, np.asarray(places, dtype=float), wide)
    return wide


@literal
def put_widened(table, places, wide):
    """Fill a wider table of samples, whose columns stand at these places of each block."""
    columns = (wide.shape[1] - 1) // 4
    for k in range(table.shape[0]):
        wide[k, 0] = table[k, 0]
        for block in range(4):
            for j in range(places.size):
                wide[k, 1 + block * columns + int(places[j])] = table[k, 1 + block * places.size + j]
