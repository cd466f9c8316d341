"""Samples over time as pieces of polynomials: what sampled gaits and sampled torques share.

A table has one row per sample: its time, then four blocks of coefficients a, b, c, d of all columns for the piece that begins there,

    value = ((a x + b) x + c) x + d,        x = time since the sample;

the last row holds the last values in block d. `interpolation` "cubic" is a spline with continuous second derivatives, "linear" joins
the samples by straight lines: rates jump at every sample. Periodic samples repeat themselves after their last time; the last row must
say the same as the first.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from serpenoid.compiled import literal, njit
from serpenoid.core import FloatArray
from serpenoid.core.errors import InputError
from serpenoid.core.quantities import Choice, Flag

INTERPOLATIONS = ("cubic", "linear")
ENDS = ("natural", "clamped", "not-a-knot")
INTERPOLATION = Choice("between the samples", options=INTERPOLATIONS)
ENDS_OF_SPLINE = Choice("how a cubic that is not periodic meets its ends; none: natural", options=ENDS)
PERIODIC = Flag("the samples repeat themselves after the last time; the last row must be the first again")
_CLOSED = 1e-9  # of the largest value: first and last row count as equal
CUBIC = 0  # place in INTERPOLATIONS
_NATURAL, _CLAMPED = 0, 1  # places in ENDS
BANDS = 5  # rows of the working space of a spline, one number a sample in each
_HAIR = 1e-9  # of the whole span: rounding of the time at its ends


def checked_samples(what: str, times: ArrayLike, values: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Times and values as arrays; refused unless finite, two-dimensional and rising in time."""
    try:
        t, v = np.asarray(times, dtype=float), np.asarray(values, dtype=float)
    except (TypeError, ValueError) as error:
        raise InputError(f"{what}: times and rows must be numbers, one row of equal length for each time") from error
    if t.ndim != 1 or v.ndim != 2 or v.shape[0] != t.size or t.size < 4:
        raise InputError(f"{what}: need at least 4 times and one row for each, got {t.shape} and {v.shape}")
    if not (np.isfinite(t).all() and np.isfinite(v).all()):
        raise InputError(f"{what}: samples must be finite")
    if np.any(np.diff(t) <= 0.0):
        raise InputError(f"{what}: times must rise, but time {t[1:][np.diff(t) <= 0.0][0]:g} s does not")
    return t, v


def check_ways(what: str, values: FloatArray, interpolation: str, periodic: bool, ends: str | None = None) -> None:
    """Refuse periodic samples that do not close, and ends that nothing would meet."""
    if ends is not None and (periodic or interpolation != "cubic"):
        way = "periodic samples have no ends" if periodic else "straight lines have none"
        raise InputError(f"{what}: ends is for a cubic spline that ends, and {way}; leave it out")
    if periodic:
        gap = np.abs(values[-1] - values[0])
        k = int(gap.argmax())
        if gap[k] > _CLOSED * max(float(np.abs(values).max()), 1e-300):
            raise InputError(
                f"{what}: periodic samples must end as they begin: column {k} is {values[0, k]:.6g} in the first row and {values[-1, k]:.6g} in "
                "the last; repeat the first row at the time of the period"
            )


def pieces(
    times: FloatArray, values: FloatArray, interpolation: str, periodic: bool, ends: str = "natural"
) -> FloatArray:
    """The table of samples, shape (m, 1 + 4 columns)."""
    count, columns = values.shape
    table = np.zeros((count, 1 + 4 * columns))
    table[:, 0], table[:, 1 + 3 * columns :] = times, values
    fill_pieces(table, interpolation == "cubic", periodic, ENDS.index(ends), np.empty((BANDS, count)))
    return table


@literal
def solve_banded(work, n):
    """Solve a system of three diagonals (work: lower, diagonal, upper, two right sides), by elimination with row exchanges, as LAPACK's gtsv."""
    low, middle, high, one, two = work[0], work[1], work[2], work[3], work[4]
    for i in range(n - 1):
        if abs(middle[i]) >= abs(low[i]):
            factor = low[i] / middle[i]
            middle[i + 1] = middle[i + 1] - factor * high[i]
            one[i + 1] = one[i + 1] - factor * one[i]
            two[i + 1] = two[i + 1] - factor * two[i]
            low[i] = 0.0
        else:
            factor = middle[i] / low[i]
            middle[i] = low[i]
            kept = middle[i + 1]
            middle[i + 1] = high[i] - factor * kept
            if i < n - 2:
                low[i] = high[i + 1]
                high[i + 1] = -factor * low[i]
            high[i] = kept
            kept = one[i]
            one[i] = one[i + 1]
            one[i + 1] = kept - factor * one[i + 1]
            kept = two[i]
            two[i] = two[i + 1]
            two[i + 1] = kept - factor * two[i + 1]
    for right in (one, two):
        right[n - 1] = right[n - 1] / middle[n - 1]
        right[n - 2] = (right[n - 2] - high[n - 2] * right[n - 1]) / middle[n - 2]
        for k in range(n - 2):
            i = n - 3 - k
            right[i] = (right[i] - high[i] * right[i + 1] - low[i] * right[i + 2]) / middle[i]


@literal
def slope_between(tab, j, k):
    """Slope of the straight line from sample k on of the values in column j."""
    return (tab[k + 1, j] - tab[k, j]) / (tab[k + 1, 0] - tab[k, 0])


@literal
def inner_rows(tab, j, n, work):
    """Equations of the slopes of a cubic spline at its inner samples: continuous second derivatives."""
    for i in range(1, n - 1):
        before, after = tab[i, 0] - tab[i - 1, 0], tab[i + 1, 0] - tab[i, 0]
        work[0, i - 1], work[1, i], work[2, i] = after, 2.0 * (before + after), before
        work[3, i] = 3.0 * (after * slope_between(tab, j, i - 1) + before * slope_between(tab, j, i))
        work[4, i] = 0.0


@literal
def periodic_slopes(tab, j, n, work):
    """Slopes of a periodic spline at its samples into work[3]: the last unknown is taken out, what it does is the second right side."""
    inner_rows(tab, j, n, work)
    first, second, last = tab[1, 0] - tab[0, 0], tab[2, 0] - tab[1, 0], tab[n - 1, 0] - tab[n - 2, 0]
    before, third = tab[n - 2, 0] - tab[n - 3, 0], tab[n - 3, 0] - tab[n - 4, 0]
    work[0, 0], work[1, 0], work[2, 0] = second, 2.0 * (last + first), last
    work[3, 0] = 3.0 * (first * slope_between(tab, j, n - 2) + last * slope_between(tab, j, 0))
    right = 3.0 * (last * slope_between(tab, j, n - 3) + before * slope_between(tab, j, n - 2))
    for i in range(n):
        work[4, i] = 0.0
    work[4, 0] = -first
    work[4, n - 3] = -third
    solve_banded(work, n - 2)
    found = (right - before * work[3, 0] - last * work[3, n - 3]) / (
        2.0 * (last + before) + before * work[4, 0] + last * work[4, n - 3]
    )
    for i in range(n - 2):
        work[3, i] = work[3, i] + found * work[4, i]
    work[3, n - 2], work[3, n - 1] = found, work[3, 0]


@literal
def open_slopes(tab, j, n, ends, work):
    """Slopes of a spline that ends, at its samples, into work[3]."""
    inner_rows(tab, j, n, work)
    first, second = tab[1, 0] - tab[0, 0], tab[2, 0] - tab[1, 0]
    last, before = tab[n - 1, 0] - tab[n - 2, 0], tab[n - 2, 0] - tab[n - 3, 0]
    s, t = slope_between(tab, j, 0), slope_between(tab, j, n - 2)
    if ends == _NATURAL:
        work[1, 0], work[2, 0], work[3, 0] = 2.0 * first, first, 3.0 * (tab[1, j] - tab[0, j])
        work[1, n - 1], work[0, n - 2], work[3, n - 1] = 2.0 * last, last, 3.0 * (tab[n - 1, j] - tab[n - 2, j])
    elif ends == _CLAMPED:
        work[1, 0], work[2, 0], work[3, 0] = 1.0, 0.0, 0.0
        work[1, n - 1], work[0, n - 2], work[3, n - 1] = 1.0, 0.0, 0.0
    else:
        wide = tab[2, 0] - tab[0, 0]
        work[1, 0], work[2, 0] = second, wide
        work[3, 0] = ((first + 2.0 * wide) * second * s + first * first * slope_between(tab, j, 1)) / wide
        wide = tab[n - 1, 0] - tab[n - 3, 0]
        work[1, n - 1], work[0, n - 2] = before, wide
        work[3, n - 1] = (last * last * slope_between(tab, j, n - 3) + (2.0 * wide + last) * before * t) / wide
    work[4, 0], work[4, n - 1] = 0.0, 0.0
    solve_banded(work, n)


@literal
def fill_pieces(tab, cubic, periodic, ends, work):
    """Turn a table with the times and, in its last block, the values of the samples into pieces; `work` (BANDS, m) is working space."""
    n, columns = tab.shape[0], (tab.shape[1] - 1) // 4
    for column in range(columns):
        a, b, c, d = 1 + column, 1 + columns + column, 1 + 2 * columns + column, 1 + 3 * columns + column
        last = tab[0, d] if periodic else tab[n - 1, d]
        if cubic:
            tab[n - 1, d] = last
            if periodic:
                periodic_slopes(tab, d, n, work)
            else:
                open_slopes(tab, d, n, ends, work)
        for k in range(n - 1):
            h, slope = tab[k + 1, 0] - tab[k, 0], slope_between(tab, d, k)
            if cubic:
                bend = (work[3, k] + work[3, k + 1] - 2.0 * slope) / h
                tab[k, a], tab[k, b], tab[k, c] = bend / h, (slope - work[3, k]) / h - bend, work[3, k]
            else:
                tab[k, a], tab[k, b], tab[k, c] = 0.0, 0.0, slope
        tab[n - 1, a], tab[n - 1, b], tab[n - 1, c], tab[n - 1, d] = 0.0, 0.0, 0.0, last


def time_scale(table: FloatArray) -> float:
    """Period of the sine whose rates and accelerations are in the same proportion, 2 pi sqrt(int q'^2 / int q''^2), s; infinite at rest."""
    first, second = _derivative_squares(table)
    return float(2.0 * np.pi * np.sqrt(first / second)) if second > 0.0 else np.inf


def _derivative_squares(table: FloatArray) -> tuple[float, float]:
    """Integrals of the squares of the first and the second derivative of all columns."""
    columns = (table.shape[1] - 1) // 4
    h = np.diff(table[:, 0])[:, None]
    a, b, c = (table[:-1, 1 + k * columns : 1 + (k + 1) * columns] for k in range(3))
    # (3 a x^2 + 2 b x + c)^2 and (6 a x + 2 b)^2 over a piece
    first = (
        h * c**2 + 2.0 * b * c * h**2 + (4.0 * b**2 + 6.0 * a * c) * h**3 / 3.0 + 3.0 * a * b * h**4 + 1.8 * a**2 * h**5
    )
    second = 4.0 * b**2 * h + 12.0 * a * b * h**2 + 12.0 * a**2 * h**3
    return float(first.sum()), float(second.sum())


def sharpness(times: FloatArray, values: FloatArray, periodic: bool) -> float:
    """By what factor the mean square acceleration of a cubic spline grows from every second sample to all of them: 1 for a smooth curve
    that is sampled well, 2 for one with corners, whose accelerations grow with the sampling without an end."""
    if len(times) < 9:
        return 1.0
    last = len(times) - 1
    half = np.unique(np.append(np.arange(0, last + 1, 2), last))
    fine, coarse = (_derivative_squares(pieces(times[s], values[s], "cubic", periodic))[1] for s in (slice(None), half))
    return fine / coarse if coarse > 0.0 else (1.0 if fine == 0.0 else np.inf)


@njit
def segment(times, t):
    """Index of the sample interval that holds t, by bisection."""
    low, high = 0, times.shape[0] - 1
    while high - low > 1:
        middle = (low + high) // 2
        if times[middle, 0] <= t:
            low = middle
        else:
            high = middle
    return low


@njit
def piece_at(tab, t, periodic):
    """Row of the piece that holds time t, the time since its sample, and whether t lies within the samples (else: the end to hold)."""
    last = tab.shape[0] - 1
    begin, end = tab[0, 0], tab[last, 0]
    if periodic:
        t -= (end - begin) * math.floor((t - begin) / (end - begin))
    hair = _HAIR * (end - begin)  # integrators look a hair beyond the ends of their steps
    if t > end + hair:
        return last, 0.0, False
    if t < begin - hair:
        return 0, 0.0, False
    k = segment(tab, t)
    return k, t - tab[k, 0], True
