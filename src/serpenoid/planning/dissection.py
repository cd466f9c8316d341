"""Laplace's equation on a map by sparse elimination in nested dissection order (George 1973).

A line of nodes across the longer side of a rectangle parts it in two; both halves are eliminated first, the line last, and so on
within the halves. Unknowns are the nodes of `inside`; the matrix is an M-matrix, row i:

    d_i w_i - sum_j 2^(e_i - e_j) w_j = sum_g 2^(e_i - e_g) w_g        j: unknown neighbours, g: neighbours that are goals

d_i = 4 (walls hold u = 0) or the number of neighbours that are no wall (walls reflect). Elimination without pivoting keeps every sign, so
no sum cancels and the *relative* accuracy of the smallest w survives.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from serpenoid.core.checks import FloatArray
from serpenoid.core.errors import NumericalError

IntArray = NDArray[np.int64]
LEAF = 8  # cells: a rectangle no longer than this is not parted


def order(nx: int, ny: int) -> IntArray:
    """All nodes i ny + j of a grid in nested dissection order."""
    parts: list[IntArray] = []

    def part(x0: int, x1: int, y0: int, y1: int) -> None:
        if x1 <= x0 or y1 <= y0:
            return
        if x1 - x0 <= LEAF and y1 - y0 <= LEAF:
            parts.append((np.arange(x0, x1)[:, None] * ny + np.arange(y0, y1)).ravel())
        elif x1 - x0 >= y1 - y0:
            middle = (x0 + x1) // 2
            part(x0, middle, y0, y1)
            part(middle + 1, x1, y0, y1)
            parts.append(middle * ny + np.arange(y0, y1))
        else:
            middle = (y0 + y1) // 2
            part(x0, x1, y0, middle)
            part(x0, x1, middle + 1, y1)
            parts.append(np.arange(x0, x1) * ny + middle)

    part(0, nx, 0, ny)
    return np.concatenate(parts)


def system(inside: Any, degree: Any, goals: IntArray, e: IntArray) -> tuple[Any, FloatArray, IntArray]:
    """Matrix (CSC) and right side in nested dissection order, and the nodes i ny + j of its rows."""
    from scipy.sparse import csc_array

    nx, ny = inside.shape
    nodes = order(nx, ny)
    nodes = nodes[inside.ravel()[nodes]]
    row = np.full(nx * ny, -1, np.int64)
    row[nodes] = np.arange(len(nodes))
    flat = e.ravel()
    is_goal = np.zeros(nx * ny, bool)
    is_goal[goals[:, 0] * ny + goals[:, 1]] = True
    rows, columns, entries = [np.arange(len(nodes))], [np.arange(len(nodes))], [degree.ravel()[nodes].astype(float)]
    right = np.zeros(len(nodes))
    for shift in (1, -1, ny, -ny):
        other = nodes + shift
        joined = row[other] >= 0
        rows.append(np.flatnonzero(joined))
        columns.append(row[other[joined]])
        entries.append(-np.ldexp(1.0, flat[nodes[joined]] - flat[other[joined]]))
        fed = is_goal[other]
        right[fed] += np.ldexp(1.0, flat[nodes[fed]])
    shape = (len(nodes), len(nodes))
    return (
        csc_array((np.concatenate(entries), (np.concatenate(rows), np.concatenate(columns))), shape=shape),
        right,
        nodes,
    )


def solve_sparse(inside: Any, degree: Any, goals: IntArray, e: IntArray) -> FloatArray:
    """w on all nodes (0 outside `inside`, 2^e at goals) by SuperLU."""
    from scipy.sparse.linalg import splu

    matrix, right, nodes = system(inside, degree, goals, e)
    w = np.zeros(inside.size)
    if len(nodes):
        try:
            factor = splu(
                matrix, permc_spec="NATURAL", diag_pivot_thresh=0.0, options={"SymmetricMode": True, "Equil": False}
            )
        except RuntimeError as error:
            raise NumericalError(f"the field has no solution: {error}") from error
        w[nodes] = factor.solve(right)
    grid = w.reshape(inside.shape)
    grid[goals[:, 0], goals[:, 1]] = 1.0
    return grid
