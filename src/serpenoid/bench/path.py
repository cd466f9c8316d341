"""`serpenoid bench path`: the direct solve of the harmonic field against relaxation, in one run.

| key | what is divided by what |
|---|---|
| ratio_vs_sor | time of successive over-relaxation (red-black, compiled) over ours, to a relative residual of 1e-14 |
| ratio_vs_gauss_seidel | the same with omega = 1 |
| ratio_vs_sor_coarse, ratio_vs_gauss_seidel_coarse | the same to a relative residual of 1e-12 |
| ratio_vs_sor_absolute, ratio_vs_gauss_seidel_absolute | the same to an absolute residual of 1e-15: u at the start is still wrong then |
| ratio_vs_superlu | SuperLU with minimum degree ordering over ours |
| time_1000_over_250 | our time at 1,000 x 1,000 over that at 250 x 250 nodes |

The map is `two-walls`, enlarged to 200 x 200 nodes. The residual is that of (2), the largest over all nodes: of u (absolute), or each divided by the u of its
node (relative), which is what the direction of a path depends on. Ours is about 1e-15 relative. Omega is the one of a list that needs the fewest sweeps to that residual: near 2 (2 / (1 + sin(pi / 200))
= 1.969) sweeps converge fastest, but their own rounding holds them above 3e-14 relative. Times are processor times, the shortest of several repeats: ours from the map to the field, of a relaxation the sweeps
alone, their number known before. `error` is the relative error of u at the start against SuperLU with residuals in long double.
"""

from __future__ import annotations

import resource
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from serpenoid.bench.planar import machine
from serpenoid.compiled import kernel
from serpenoid.core.checks import FloatArray
from serpenoid.planning import maps
from serpenoid.planning.dissection import system
from serpenoid.planning.harmonic import HarmonicField, solve

Progress = Callable[[float, str], None]
SIDE, SMALL, LARGE = 200, 250, 1000  # nodes
OMEGAS = (1.5, 1.6, 1.7, 1.8, 1.85, 1.88, 1.9, 1.92, 1.93, 1.94, 1.95, 1.96, 1.97)
TARGETS = (
    ("", True, 1e-14),
    ("_coarse", True, 1e-12),
    ("_absolute", False, 1e-15),
)  # name, relative, residual to reach
CHECK = 20  # sweeps between two looks at the residual
MOST_SWEEPS = 100_000
REPEATS = 5


def enlarged(side: int) -> maps.Map:
    """The map `two-walls` with `side` x `side` nodes; start and goal at the same share of it."""
    small = maps.read("two-walls")
    old = np.rint(np.arange(side) * (small.walls.shape[0] - 1) / (side - 1)).astype(int)
    walls = small.walls[np.ix_(old, old)].copy()
    walls[0] = walls[-1] = walls[:, 0] = walls[:, -1] = True
    grow = (side - 1) / (small.walls.shape[0] - 1)
    places = [(round(x * grow), round(y * grow)) for x, y in ((6, 8), (54, 52))]
    return maps.Map(walls, 1.0, f"two-walls {side}", places[0], places[1])


@kernel
def relax(u, unknown, omega, sweeps):
    """Red-black sweeps over the grid, in place; `unknown` is 1 where u is sought, else 0."""
    nx, ny = u.shape
    for _ in range(sweeps):
        for colour in range(2):
            for i in range(1, nx - 1):
                for j in range(1 + ((i + colour) & 1), ny - 1, 2):
                    mean = 0.25 * (u[i + 1, j] + u[i - 1, j] + u[i, j + 1] + u[i, j - 1])
                    u[i, j] += unknown[i, j] * omega * (mean - u[i, j])


@kernel
def residuals(u, unknown):
    """Largest residual of (2), absolute and relative to the node's u."""
    nx, ny = u.shape
    absolute, relative = 0.0, 0.0
    for i in range(1, nx - 1):
        for j in range(1, ny - 1):
            if unknown[i, j] > 0.0:
                gap = abs(0.25 * (u[i + 1, j] + u[i - 1, j] + u[i, j + 1] + u[i, j - 1]) - u[i, j])
                absolute = max(absolute, gap)
                relative = max(relative, gap / abs(u[i, j]) if u[i, j] != 0.0 else np.inf)
    return absolute, relative


def shortest(task: Callable[[], Any], repeats: int = REPEATS) -> float:
    """Shortest processor time of a task in s."""
    best = np.inf
    for _ in range(repeats):
        began = time.thread_time()
        task()
        best = min(best, time.thread_time() - began)
    return best


def sweeps_to(
    blank: FloatArray, unknown: FloatArray, omega: float, target: float, relative: bool, most: int
) -> int | None:
    """Number of sweeps to a residual, None if `most` are not enough."""
    u = blank.copy()
    for done in range(CHECK, most + 1, CHECK):
        relax(u, unknown, omega, CHECK)
        if residuals(u, unknown)[relative] <= target:
            return done
    return None


def relaxation(
    field: HarmonicField, omegas: tuple[float, ...], target: float, relative: bool, exact: float
) -> dict[str, Any]:
    """The relaxation that needs the fewest sweeps to a residual: omega, sweeps, time, error of u at the start."""
    unknown = field.reach.astype(float)
    unknown[tuple(field.goals.T)] = 0.0
    blank = np.zeros_like(unknown)
    blank[tuple(field.goals.T)] = 1.0
    most, best = MOST_SWEEPS, None
    for omega in omegas:
        sweeps = sweeps_to(blank, unknown, omega, target, relative, most)
        if sweeps is not None and (best is None or sweeps < best[1]):
            best, most = (omega, sweeps), sweeps
    if best is None:
        return {"omega": None, "sweeps": None, "time_s": None, "error": None}
    u = blank.copy()
    spent = shortest(lambda: relax(blank.copy(), unknown, best[0], best[1]), REPEATS if best[1] < 10_000 else 1)
    relax(u, unknown, *best)
    return {"omega": best[0], "sweeps": best[1], "time_s": spent, "error": abs(_at_start(field, u) / exact - 1.0)}


def _at_start(field: HarmonicField, u: Any) -> float:
    """u at the node of the map's start."""
    i, j = field.map.node("start", field.map.start)  # type: ignore[arg-type]
    return float(u[i, j])


def superlu(field: HarmonicField) -> tuple[float, float]:
    """Time (s) of SuperLU with minimum degree ordering, and u at the start refined with residuals in long double."""
    from scipy.sparse.linalg import splu

    unknown = field.reach.copy()
    unknown[tuple(field.goals.T)] = False
    four, zero = np.full(unknown.shape, 4), np.zeros(unknown.shape, np.int64)

    def once() -> tuple[Any, Any, Any, Any]:
        matrix, right, nodes = system(unknown, four, field.goals, zero)
        factor = splu(matrix, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True})
        return matrix, right, nodes, (factor, factor.solve(right))

    spent = shortest(once, 2)
    matrix, right, nodes, (factor, u) = once()
    rows, columns, entries = matrix.tocoo().row, matrix.tocoo().col, matrix.tocoo().data.astype(np.longdouble)
    best = u.astype(np.longdouble)
    for _ in range(4):
        rest = right.astype(np.longdouble)
        np.subtract.at(rest, rows, entries * best[columns])
        best += factor.solve(rest.astype(float))
    grid = np.zeros(unknown.size, np.longdouble)
    grid[nodes] = best
    return spent, _at_start(field, grid.reshape(unknown.shape))


def bench_relaxation() -> dict[str, Any]:
    """Ours against relaxation at 200 x 200, to the same residual."""
    area = enlarged(SIDE)
    field = solve(area, area.goal)  # type: ignore[arg-type]
    ours = shortest(lambda: solve(enlarged_again(area), area.goal), 3 * REPEATS)  # type: ignore[arg-type]
    theirs, exact = superlu(field)
    absolute, relative = field.residual()
    result: dict[str, Any] = {
        "nodes": SIDE, "u_start": _at_start(field, field.u), "residual": absolute, "residual_relative": relative,
        "direct": {"time_s": ours, "error": abs(_at_start(field, field.u) / exact - 1.0)},
        "ratio_vs_superlu": theirs / ours,
    }  # fmt: skip
    for name, omegas in (("sor", OMEGAS), ("gauss_seidel", (1.0,))):
        for suffix, kind, target in TARGETS:
            got = relaxation(field, omegas, target, kind, exact)
            result[f"{name}{suffix}"] = got
            result[f"ratio_vs_{name}{suffix}"] = None if got["time_s"] is None else got["time_s"] / ours
    return result


def enlarged_again(area: maps.Map) -> maps.Map:
    """The same map without what it remembers, so that a repeat does all the work again."""
    return maps.Map(np.array(area.walls), area.cell, area.name, area.start, area.goal)


def bench_size() -> dict[str, Any]:
    """Our times at 250 x 250 and 1,000 x 1,000 nodes, and the memory of the process."""
    times = []
    for side, repeats in ((SMALL, 2 * REPEATS), (LARGE, 2)):
        area = enlarged(side)
        times.append(shortest(lambda area=area: solve(enlarged_again(area), area.goal), repeats))  # type: ignore[misc]
    small, large = times
    return {
        "time_250_s": small, "time_1000_s": large, "time_1000_over_250": large / small,
        "peak_memory_gb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9,
    }  # fmt: skip


def run(progress: Progress | None = None) -> dict[str, Any]:
    """All figures of the table above, with the machine they were measured on."""
    told = progress or (lambda share, text: None)
    result: dict[str, Any] = {}
    parts: list[tuple[str, Callable[[], dict[str, Any]]]] = [("relaxation", bench_relaxation), ("size", bench_size)]
    for k, (name, part) in enumerate(parts):
        told(k / len(parts), name)
        result.update(part())
    told(1.0, "done")
    return {**result, **machine()}
