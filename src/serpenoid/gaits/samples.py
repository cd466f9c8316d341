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

from serpenoid.compiled import njit
from serpenoid.core import FloatArray
from serpenoid.core.errors import InputError
from serpenoid.core.quantities import Choice, Flag

INTERPOLATIONS = ("cubic", "linear")
ENDS = ("natural", "clamped", "not-a-knot")
INTERPOLATION = Choice("between the samples", options=INTERPOLATIONS)
ENDS_OF_SPLINE = Choice("how a cubic that is not periodic meets its ends; none: natural", options=ENDS)
PERIODIC = Flag("the samples repeat themselves after the last time; the last row must be the first again")
_CLOSED = 1e-9  # of the largest value: first and last row count as equal
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
    from scipy.interpolate import CubicSpline

    count, columns = values.shape
    table = np.zeros((count, 1 + 4 * columns))
    table[:, 0] = times
    if interpolation == "linear":
        slope = np.diff(values, axis=0) / np.diff(times)[:, None]
        table[:-1, 1 + 2 * columns : 1 + 3 * columns], table[:-1, 1 + 3 * columns :] = slope, values[:-1]
    else:
        closed = np.concatenate([values[:-1], values[:1]]) if periodic else values
        spline = CubicSpline(times, closed, bc_type="periodic" if periodic else ends)
        table[:-1, 1:] = np.moveaxis(spline.c, 0, 1).reshape(count - 1, -1)
    table[-1, 1 + 3 * columns :] = values[0] if periodic else values[-1]
    return table


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
