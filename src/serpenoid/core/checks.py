"""The one checker of numbers that people give: finite, in range, one or one for each; errors name the key."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from serpenoid.core.errors import InputError

FloatArray = NDArray[np.float64]
MOST_ITEMS = 100_000_000  # of one list
MOST_STEPS = 2.0**53  # a float counts no further


def check_steps(done: float) -> None:
    """Refuse a step counter that no run can have reached."""
    if not (0.0 <= done <= MOST_STEPS and done == np.floor(done)):
        raise InputError(f"a step counter must be a whole number from 0, got {done:g}")


def first_frame(value: ArrayLike, done: int, stride: int) -> int:
    """Number of the first frame of a saved record, which must lie before the step counter or at the next frame."""
    first = float(np.asarray(value, dtype=float).reshape(-1)[0])
    if not (0.0 <= first <= done // stride + 1 and first == np.floor(first)):
        raise InputError(f"a record cannot begin with frame {first:g} by step {done} at a frame every {stride}")
    return int(first)


def per_item(
    name: str, value: ArrayLike, count: int, low: float, high: float = np.inf, strict: bool = False
) -> FloatArray:
    """Array of `count` numbers from one number or a list, checked; errors name the key."""
    if isinstance(count, bool) or not isinstance(count, int | np.integer) or not 0 <= count <= MOST_ITEMS:
        raise InputError(f"count must be a whole number from 0 to {MOST_ITEMS}, got {repr(count)[:60]}")
    if not all(
        isinstance(bound, float | np.number) or (isinstance(bound, int) and abs(bound) <= MOST_STEPS)
        for bound in (low, high)
    ):
        raise InputError(f"low and high must be numbers, got {repr((low, high))[:60]}")
    if not isinstance(strict, bool | np.bool_):
        raise InputError(f"strict must be true or false, got {repr(strict)[:60]}")
    try:
        given = np.asarray(value)
        array = given.astype(float) if given.dtype.kind in "iuf" else None
    except (TypeError, ValueError, OverflowError):
        array = None
    if array is None or np.ma.isMaskedArray(value):
        raise InputError(f"{name} must be a number or a list of numbers, got {repr(value)[:60]}")
    if array.ndim > 1 or (array.ndim == 1 and array.size != count):
        raise InputError(f"{name} has {array.size} values; give one number or one for each of the {count}")
    wrong = ~np.isfinite(array) | (array <= low if strict else array < low) | (array > high)
    if np.any(wrong):
        worst = array if array.ndim == 0 else array[wrong][0]
        bound = f"{'>' if strict else '>='} {low:g}" + (f" and <= {high:g}" if np.isfinite(high) else "")
        raise InputError(f"{name} must be finite and {bound}, got {worst}")
    result = np.broadcast_to(array, (count,)).copy()
    result.flags.writeable = False
    return result
