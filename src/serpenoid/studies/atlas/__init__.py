"""The gait atlas: which gait for which robot on which ground, by computing all of it.

Three sweeps, each kept in a store beside the results so that an interrupted atlas goes on; one data set per sweep; pictures and claims read from
these alone.

| sweep | over | cells |
|---|---|---|
| creeping | winding angle, waves, friction ratio, friction level, number of links | 105,840 |
| figures | winding angle, waves, friction along: Figs 7 to 9 of Ma, Li and Wang (2001) at full resolution | 11,352 |
| sidewinding | amplitude, phase, slope | 5,301 |
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any


def run(
    out: Path, quick: bool = False, progress: Callable[[float], None] | None = None, executor: str = "threads"
) -> dict[str, Any]:
    """Compute the atlas, or what is missing of it; writes data sets and pictures into `out` and returns claims and figure paths.

    The stores lie beside `out`, in atlas-stores (atlas-quick-stores): they are gone on with, and may be removed when all is done.
    """
    from serpenoid.studies.atlas import cells, figures, judgement, publishing
    from serpenoid.sweeps.deriving import write_dataset

    stores = out.parent / ("atlas-quick-stores" if quick else "atlas-stores")

    def part(begin: float, end: float) -> Callable[[float], None]:
        return lambda f: progress(begin + (end - begin) * f) if progress is not None else None

    made = {
        name: cells.computed(name, stores, quick, executor, part(*share))
        for name, share in {"creeping": (0.0, 0.6), "figures": (0.6, 0.75), "sidewinding": (0.75, 0.97)}.items()
    }
    for name, data in made.items():
        write_dataset(publishing.published(name, data), out / f"{name}.nc")
    halves = cells.at_half_the_step(made, quick)
    drawn = figures.all_figures(made, out)
    if progress is not None:
        progress(1.0)
    return {
        "status": "ok",
        "study": "atlas",
        "quick": quick,
        "claims": judgement.claims(made, halves),
        "figures": [str(path) for path in drawn],
        "datasets": {name: str(out / f"{name}.nc") for name in made},
        "cells": {name: int(data["status"].size) for name, data in made.items()},
    }
