"""A small quadratic programme: the step that lowers an objective most without closing a gap further than to zero.

    minimise x' H x / 2 + g' x    subject to    r_i x = b_i (i < equal),  r_i x >= b_i (the others)

for at most five unknowns, by the dual method of D. Goldfarb and A. Idnani (1983): start from the minimum without constraints, add the
most violated one at a time, drop those whose multiplier would become negative. Rows may depend on each other (one obstacle
touched by two links in their common joint): a row that lies in the span of the active ones is left out once it is satisfied.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from serpenoid.compiled import kernel, njit
from serpenoid.core.checks import FloatArray

_HAIR = 1e-12  # of a row of length one: violations below it are rounding
_DEPENDENT = 1e-9  # share of a row that must not lie in the span of the active ones


class QuadraticProgramme(NamedTuple):
    """The programme and room for its answer; only the leading m unknowns and n rows count."""

    H: FloatArray  # (m, m) positive definite
    g: FloatArray  # (m,)
    rows: FloatArray  # (n, m), each of length one
    bound: FloatArray  # (n,)
    x: FloatArray  # (m,) the answer
    multipliers: FloatArray  # (n,)


class _ActiveSet(NamedTuple):
    """The inverse of H, the rows that are active with their multipliers, and scratch arrays."""

    G: FloatArray
    rows: np.ndarray  # numbers of the active rows
    u: FloatArray
    GN: FloatArray
    S: FloatArray
    Si: FloatArray
    z: FloatArray
    r: FloatArray


@njit
def invert(matrix, m, out):
    """Inverse of a positive definite matrix (leading m x m) by Gauss and Jordan; False if it is singular."""
    for i in range(m):
        for j in range(m):
            out[i, j] = 1.0 if i == j else 0.0
    for i in range(m):
        pivot = matrix[i, i]
        if not pivot > 1e-300:
            return False
        for j in range(m):
            matrix[i, j] /= pivot
            out[i, j] /= pivot
        for k in range(m):
            if k != i:
                f = matrix[k, i]
                for j in range(m):
                    matrix[k, j] -= f * matrix[i, j]
                    out[k, j] -= f * out[i, j]
    return True


@njit
def _directions(m, rows, active_set, na, p):
    """Primal direction z and change r of the active multipliers when row p is enforced; False if S is singular."""
    G, active, _, GN, S, Si, z, r = active_set
    for i in range(m):
        z[i] = 0.0
        for j in range(m):
            z[i] += G[i, j] * rows[p, j]
    for a in range(na):
        for i in range(m):
            GN[i, a] = 0.0
            for j in range(m):
                GN[i, a] += G[i, j] * rows[active[a], j]
    for a in range(na):
        for b in range(na):
            S[a, b] = 0.0
            for i in range(m):
                S[a, b] += rows[active[a], i] * GN[i, b]
    if not invert(S, na, Si):
        return False
    for a in range(na):
        r[a] = 0.0
        for b in range(na):
            for i in range(m):
                r[a] += Si[a, b] * GN[i, b] * rows[p, i]
    for a in range(na):
        for i in range(m):
            z[i] -= GN[i, a] * r[a]
    return True


@njit
def _worst(m, n, equal, rows, bound, x, skipped):
    """The row to enforce next: an unmet equality, else the most violated inequality; -1 if there is none."""
    best, which = -_HAIR, -1
    for i in range(n):
        if skipped[i]:
            continue
        value = -bound[i]
        for j in range(m):
            value += rows[i, j] * x[j]
        if i < equal:
            return i
        if value < best:
            best, which = value, i
    return which


@kernel
def quadratic_step(m, n, equal, programme):
    """Fill the minimum x (m,) and the multipliers (n,); False if the rows contradict each other."""
    H, g, rows, bound, x, multipliers = programme
    G, work = np.empty((m, m)), H.copy()
    multipliers.fill(0.0)
    if not invert(work, m, G):
        return False
    for i in range(m):
        x[i] = 0.0
        for j in range(m):
            x[i] -= G[i, j] * g[j]
    active_set = _ActiveSet(
        G, np.empty(m + 1, np.int64), np.zeros(m + 1), np.empty((m, m + 1)), np.empty((m + 1, m + 1)), np.empty((m + 1, m + 1)),
        np.empty(m), np.empty(m + 1),
    )  # fmt: skip
    skipped = np.zeros(n, np.bool_)
    na, good = 0, True
    for _ in range(20 + 4 * n):
        p = _worst(m, n, equal, rows, bound, x, skipped)
        if p < 0:
            break
        na, met, added = _enforce(m, equal, p, programme, active_set, na)
        skipped[p] = not added or p < equal
        good = good and (met or p < equal)
    for a in range(na):
        multipliers[active_set.rows[a]] = active_set.u[a]
    return good


@njit
def _enforce(m, equal, p, programme, active_set, na):
    """Enforce row p until it is met or cannot be; the number of active rows, whether it is met, and whether it has become active."""
    _, _, rows, bound, x, _ = programme
    G, active, u, _, _, _, z, r = active_set
    pressure = 0.0
    for _ in range(3 * m + 3):
        value, own = -bound[p], 0.0
        for j in range(m):
            value += rows[p, j] * x[j]
        sign = -1.0 if value > 0.0 else 1.0  # an equality may be met from above
        if not _directions(m, rows, active_set, na, p):
            return na, False, False
        bent = 0.0
        for i in range(m):
            bent += rows[p, i] * z[i]
            for j in range(m):
                own += rows[p, i] * G[i, j] * rows[p, j]
        dependent = na >= m or bent <= _DEPENDENT * own
        full = np.inf if dependent else abs(value) / bent
        part, drop = np.inf, -1
        for a in range(na):
            if active[a] >= equal and sign * r[a] > 1e-14 and u[a] / (sign * r[a]) < part:
                part, drop = u[a] / (sign * r[a]), a
        t = min(full, part)
        if t == np.inf:
            return na, abs(value) < 1e-9, False
        for a in range(na):
            u[a] -= t * sign * r[a]
        pressure += t * sign
        if not dependent:
            for i in range(m):
                x[i] += t * sign * z[i]
        if full <= part:
            active[na], u[na] = p, pressure
            return na + 1, True, True
        for a in range(drop, na - 1):
            active[a], u[a] = active[a + 1], u[a + 1]
        na -= 1
    return na, False, False
