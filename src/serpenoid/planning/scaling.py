"""How small does u become? Widths of the free room, and exponents that keep u = 2^-e w within the range of a double.

In a corridor of W free cells between walls u falls by the factor exp(-k) a cell, cosh k = 2 - cos(pi / (W + 1)): width 5 leaves the range
of a double after some 1,400 cells. The exponents e are the distance to the goal with that rate of the local width, rounded to whole
numbers. They need not be right, only near: w takes up the rest, and multiplying by powers of two is exact.
"""

from __future__ import annotations

import numpy as np

from serpenoid.compiled import kernel

ROOT_2 = np.sqrt(2.0)


@kernel
def widths(free):
    """Shortest free run through each node along rows, columns and both diagonals, in cells; 0 in walls, (nx, ny)."""
    nx, ny = free.shape
    best = np.empty((nx, ny))
    for i in range(nx):
        for j in range(ny):
            best[i, j] = np.inf if free[i, j] else 0.0
    run = np.zeros(nx + ny, np.int64)
    for turn in range(4):
        unit = 1.0 if turn < 2 else ROOT_2
        for line in range(nx + ny):
            count = 0
            for step in range(nx + ny):
                if turn == 0:
                    i, j = line, step
                elif turn == 1:
                    i, j = step, line
                elif turn == 2:
                    i, j = line - ny + step, step
                else:
                    i, j = line - step, step
                inside = 0 <= i < nx and 0 <= j < ny
                if inside and free[i, j]:
                    run[count] = i * ny + j
                    count += 1
                elif count:
                    for k in range(count):
                        a, b = run[k] // ny, run[k] % ny
                        best[a, b] = min(best[a, b], count * unit)
                    count = 0
                if j >= ny or (i < 0 if turn == 3 else i >= nx):
                    break
    return best


@kernel
def rates(width):
    """Bits by which u falls a cell in a corridor of that width (cells), (nx, ny)."""
    rate = np.zeros_like(width)
    for i in range(width.shape[0]):
        for j in range(width.shape[1]):
            if width[i, j] > 0.0:
                rate[i, j] = np.arccosh(2.0 - np.cos(np.pi / (width[i, j] + 1.0))) / np.log(2.0)
    return rate


@kernel
def rough_decay(reach, rate, goals):
    """Largest sum of rates from a goal along the ways with the fewest cells: a quick guess of the bits that u loses."""
    nx, ny = reach.shape
    bits = np.full((nx, ny), -1.0)
    queue = np.empty(nx * ny, np.int64)
    head, tail, most = 0, 0, 0.0
    for k in range(len(goals)):
        bits[goals[k, 0], goals[k, 1]] = 0.0
        queue[tail] = goals[k, 0] * ny + goals[k, 1]
        tail += 1
    while head < tail:
        i, j = queue[head] // ny, queue[head] % ny
        head += 1
        for di, dj in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            a, b = i + di, j + dj
            if reach[a, b] and bits[a, b] < 0.0:
                bits[a, b] = bits[i, j] + rate[a, b]
                most = max(most, bits[a, b])
                queue[tail] = a * ny + b
                tail += 1
    return most
