"""What the kernels read of a description, and how it depends on a parameter.

Everything between a description and the first step (tables of constants, the gait's numbers, the state at the start) is smooth and cheap, so its
derivatives are differences of fourth order over 3e-4 of the number: exact to some 1e-12. What the steps make of it is differentiated exactly (`way_back`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from serpenoid.core import FloatArray
from serpenoid.core.errors import InputError
from serpenoid.gradients.parameters import Parameter, Place, near_of
from serpenoid.planar import layout as at
from serpenoid.planar.engine import PlanarEngine
from serpenoid.simulation.engines import engine_for
from serpenoid.simulation.setup import Setup

CENTRAL = ((-2.0, 1.0 / 12.0), (-1.0, -8.0 / 12.0), (1.0, 8.0 / 12.0), (2.0, -1.0 / 12.0))  # fourth order
UPWARD = ((0.0, -25.0 / 12.0), (1.0, 4.0), (2.0, -3.0), (3.0, 4.0 / 3.0), (4.0, -0.25))  # the same from one side


class ReadNumbers(NamedTuple):
    """The numbers that the kernels read: constants, and the state at the start."""

    links: FloatArray
    points: FloatArray
    joints: FloatArray
    numbers: FloatArray
    row: FloatArray
    table: FloatArray
    motion: FloatArray
    state: FloatArray
    sums: FloatArray


def engine_of(setup: Setup, step: float) -> PlanarEngine:
    """The engine of a description at its start, which records nothing on its way."""
    engine, _ = engine_for(setup, "planar", step, 10**9)
    return engine  # type: ignore[no-any-return]


def reading_of(engine: PlanarEngine) -> ReadNumbers:
    """What the kernels read, copied; the table of contacts is empty where it is that of the links."""
    c, s = engine.constants, engine.state
    points = np.zeros((at.LINK_CONSTANTS, 0)) if c.points is c.links else c.points
    arrays = (c.links, points, c.joints, c.numbers, c.row, c.table, s.motion, s.links, s.sums)
    return ReadNumbers(*(array.copy() for array in arrays))


def rates(
    read: Callable[[Setup], tuple[FloatArray, ...]], setup: Setup, parameter: Parameter, place: Place
) -> tuple[list[FloatArray], bool]:
    """Derivatives of the arrays that `read` gives by one number, and whether they are those of one side (the number lies at its bound)."""
    h = near_of(parameter, place)
    for formula, sign in ((CENTRAL, 1.0), (UPWARD, 1.0), (UPWARD, -1.0)):
        try:
            found = [(weight, read(parameter.moved(setup, sign * k * h, place))) for k, weight in formula]
        except InputError as error:
            refused = error
            continue
        return [
            _combined([(w, arrays[j]) for w, arrays in found]) / (sign * h) for j in range(len(found[0][1]))
        ], formula is UPWARD
    raise InputError(f"over {parameter.key}: no number near {float(parameter.value[place]):g} is allowed: {refused}")


def _combined(parts: list[tuple[float, FloatArray]]) -> FloatArray:
    """The weighted sum of arrays, by weights whose sum is 0; what is infinite in all of them does not change."""
    if any(array.shape != parts[0][1].shape for _, array in parts):
        raise InputError("what the kernels read changes its size with this number: it has no derivative by it")
    with np.errstate(invalid="ignore"):
        total = sum(weight * (array - parts[0][1]) for weight, array in parts)
    return np.where(np.isfinite(parts[0][1]), total, 0.0)
