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
def _directions(m, G, rows, active, na, p, GN, S, Si, z, r):
    """Primal direction z and change r of the active multipliers when row p is enforced; False if S = N G N' is singular, N the active rows."""
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


@njit
def _first_to_leave(active, u, r, na, equal, sign):
    """The step at which the first multiplier of an inequality becomes zero, and its place; infinity and -1 if none does."""
    part, drop = np.inf, -1
    for a in range(na):
        if active[a] >= equal and sign * r[a] > 1e-14 and u[a] / (sign * r[a]) < part:
            part, drop = u[a] / (sign * r[a]), a
    return part, drop


@njit
def _curvatures(m, G, rows, p, z):
    """n' z and n' G n of row p: how fast its value rises along z, and with no row active."""
    bent, own = 0.0, 0.0
    for i in range(m):
        bent += rows[p, i] * z[i]
        for j in range(m):
            own += rows[p, i] * G[i, j] * rows[p, j]
    return bent, own


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
    active, u = np.empty(m + 1, np.int64), np.zeros(m + 1)
    GN, S, Si = np.empty((m, m + 1)), np.empty((m + 1, m + 1)), np.empty((m + 1, m + 1))
    z, r = np.empty(m), np.empty(m + 1)
    skipped = np.zeros(n, np.bool_)
    na, good = 0, True
    for _ in range(20 + 4 * n):
        p = _worst(m, n, equal, rows, bound, x, skipped)
        if p < 0:
            break
        # enforce row p until it is met or cannot be
        pressure, met, added = 0.0, False, False
        for _ in range(3 * m + 3):
            value = -bound[p]
            for j in range(m):
                value += rows[p, j] * x[j]
            sign = -1.0 if value > 0.0 else 1.0  # an equality may be met from above
            if not _directions(m, G, rows, active, na, p, GN, S, Si, z, r):
                break
            bent, own = _curvatures(m, G, rows, p, z)
            dependent = na >= m or bent <= _DEPENDENT * own
            full = np.inf if dependent else abs(value) / bent
            part, drop = _first_to_leave(active, u, r, na, equal, sign)
            t = min(full, part)
            if t == np.inf:
                met = abs(value) < 1e-9
                break
            for a in range(na):
                u[a] -= t * sign * r[a]
            pressure += t * sign
            if not dependent:
                for i in range(m):
                    x[i] += t * sign * z[i]
            if full <= part:
                active[na], u[na] = p, pressure
                na, met, added = na + 1, True, True
                break
            for a in range(drop, na - 1):
                active[a], u[a] = active[a + 1], u[a + 1]
            na -= 1
        skipped[p] = not added or p < equal
        good = good and (met or p < equal)
    for a in range(na):
        multipliers[active[a]] = u[a]
    return good
