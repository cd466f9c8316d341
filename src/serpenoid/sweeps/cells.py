"""From cells to rows: descriptions are built, run by the batch, and whatever goes wrong with one is reported in its row alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from serpenoid.core.errors import InputError, SerpenoidError
from serpenoid.core.theirs import told
from serpenoid.simulation.batch import execute_many
from serpenoid.simulation.setup import Setup
from serpenoid.sweeps.plan import SweepPlan
from serpenoid.sweeps.rows import FAILED, Rows

Progress = Callable[[float], None]


def setups_of(plan: SweepPlan, values: Sequence[Sequence[Any]]) -> list[Setup | InputError]:
    """Descriptions of cells; an error in the place of one that is refused."""
    found: list[Setup | InputError] = []
    for row in values:
        try:
            found.append(plan.setup(row))
        except InputError as error:
            found.append(error)
        except Exception as error:
            if (own := told(error)) is None:
                raise
            found.append(own)
    return found


def run_cells(
    plan: SweepPlan, values: Sequence[Sequence[Any]], *, threads: int = 1, executor: str = "threads", progress: Progress | None = None
) -> Rows:  # fmt: skip
    """Run cells with these values of the axes."""
    setups = setups_of(plan, values)
    options: dict[str, Any] = {"metrics": plan.columns, "threads": threads, "executor": executor}
    if executor == "gpu":
        options["precision"] = plan.arithmetic.split()[0]
    try:
        batch = execute_many(setups, progress=progress, **options)
    except SerpenoidError:
        if executor == "gpu" or len(setups) == 1:
            raise
        return _one_by_one(plan, values, options)
    except Exception as error:  # code of the user's own: which cell was it?
        if executor == "gpu":  # where none is run
            raise
        if len(setups) > 1:
            return _one_by_one(plan, values, options)
        rows = Rows.empty(1, len(plan.columns))
        rows.put(0, FAILED, str(told(error) or f"{type(error).__name__}: {error}"))
        return rows
    rows = Rows(np.stack([batch.metrics[name] for name in plan.columns], axis=-1), [""] * len(setups))
    for k in range(len(setups)):
        rows.put(k, batch.status[k], batch.messages[k], batch.warnings[k])
    return rows


def _one_by_one(plan: SweepPlan, values: Sequence[Sequence[Any]], options: dict[str, Any]) -> Rows:
    """Run cells each by itself: an error of one is the row of that one."""
    rows = Rows.empty(len(values), len(plan.columns))
    for k, row in enumerate(values):
        try:
            one = run_cells(plan, [row], threads=1, executor=options["executor"])
        except SerpenoidError as error:
            rows.put(k, FAILED, str(error))
            continue
        rows.values[k] = one.values[0]
        rows.put(k, one.status[0], one.messages.get(0, ""), one.warnings.get(0, ()))
    return rows
