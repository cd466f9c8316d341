"""Which cells a sweep has: the values of all axes by the number of a cell.

| design | cells | values of cell k |
|---|---|---|
| `grid` | all combinations; the last axis runs fastest | by its place in the grid |
| `together` | as many as each axis has values | the k-th of each axis |
| `random` | `--cells N` | drawn by (seed, k): the same whatever the number of cells and the order they run in |
| `sobol` | `--cells N`, best a power of 2 | k-th point of the scrambled Sobol sequence of the seed |

Random and Sobol designs take a range `low:high` as all numbers in it, and a list or a range with steps as values of equal chance.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from serpenoid.core.errors import InputError
from serpenoid.core.quantities import shown
from serpenoid.sweeps.axes import Axis, axis_from

DESIGNS = ("grid", "together", "random", "sobol")
MOST_SOBOL = 1 << 30  # points of the sequence
DRAWS = 4  # that the generator of random designs gives per count


@dataclass(frozen=True)
class Design:
    """The cells of a sweep."""

    kind: str
    axes: tuple[Axis, ...]
    count: int
    seed: int = 0

    @property
    def shape(self) -> tuple[int, ...]:
        """Of the data: that of the grid, else the number of cells."""
        return tuple(axis.count for axis in self.axes) if self.kind == "grid" else (self.count,)

    def values(self, first: int, stop: int) -> list[tuple[Any, ...]]:
        """Values of the axes, for the cells from `first` to before `stop`."""
        cells = np.arange(first, stop)
        if self.kind == "grid":
            places = np.stack(np.unravel_index(cells, self.shape), axis=-1).tolist()
            return [tuple(axis.value(k) for axis, k in zip(self.axes, row, strict=True)) for row in places]
        if self.kind == "together":
            return [tuple(axis.value(k) for axis in self.axes) for k in cells.tolist()]
        return [
            tuple(axis.between(share) for axis, share in zip(self.axes, row, strict=True))
            for row in self.shares(first, stop).tolist()
        ]

    def shares(self, first: int, stop: int) -> np.ndarray:
        """Points (cells, axes) of the unit cube of a random or Sobol design."""
        if self.kind == "random":
            return np.hstack([self._drawn(group, first, stop) for group in range(-(-len(self.axes) // DRAWS))])[:, : len(self.axes)]  # fmt: skip
        from scipy.stats import qmc

        sequence = qmc.Sobol(len(self.axes), scramble=True, rng=np.random.default_rng(self.seed))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # of a number that is no power of 2: said in the estimate
            if first:
                sequence.fast_forward(first)
            return np.asarray(sequence.random(stop - first))

    def _drawn(self, group: int, first: int, stop: int) -> np.ndarray:
        """Draws (cells, 4) for the axes of a group: a generator that counts gives those of cell k without those before it."""
        key = np.random.SeedSequence([self.seed, group]).generate_state(2, np.uint64)
        counting = np.random.Philox(key=key).advance(first)
        return np.random.Generator(counting).random((stop - first, DRAWS))

    def plain(self) -> dict[str, Any]:
        """As it stands in the plan of a store."""
        made: dict[str, Any] = {"kind": self.kind, "axes": [axis.plain() for axis in self.axes], "cells": self.count}
        return {**made, "seed": self.seed} if self.kind in ("random", "sobol") else made


def design_from(data: Mapping[str, Any]) -> Design:
    """The design of a plan."""
    return Design(data["kind"], tuple(map(axis_from, data["axes"])), data["cells"], data.get("seed", 0))


def design_of(kind: str, axes: tuple[Axis, ...], cells: int | None = None, seed: int = 0) -> Design:
    """The design that was asked for."""
    if kind not in DESIGNS:
        raise InputError(f"the design must be one of {', '.join(DESIGNS)}, got {shown(kind)}")
    if isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed < 1 << 63:
        raise InputError(f"--seed must be a whole number >= 0, got {shown(seed)}")
    if kind in ("random", "sobol"):
        if cells is None or isinstance(cells, bool) or not isinstance(cells, int) or cells < 1:
            raise InputError(
                f"a {kind} design needs the number of its cells (--cells N, at least 1), got {shown(cells)}"
            )
        if kind == "sobol" and cells > MOST_SOBOL:
            raise InputError(f"a Sobol design has at most {MOST_SOBOL} cells, got {cells}")
        return Design(kind, axes, cells, seed)
    if cells is not None:
        raise InputError(
            f"--cells is for random and Sobol designs; a {kind} design has as many as its axes have values"
        )
    for axis in axes:
        if axis.continuous:
            raise InputError(
                f"--over {axis.key}={axis.low:g}:{axis.high:g}: a {kind} design needs a step, as in {axis.low:g}:{axis.high:g}:STEP; "
                "random and Sobol designs do not"
            )
    if kind == "together":
        counts = [axis.count for axis in axes]
        if len(set(counts)) > 1:
            said = ", ".join(f"{axis.key} has {axis.count}" for axis in axes)
            raise InputError(f"axes that go together need as many values each: {said}")
        return Design(kind, axes, counts[0])
    return Design(kind, axes, math.prod(axis.count for axis in axes))
