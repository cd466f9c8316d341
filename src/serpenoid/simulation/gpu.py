"""Many runs on a GPU: what `execute_many(executor="gpu")` does.

    sp.simulate_many(robot, gaits, world, 8.0, executor="gpu", precision="float32")

Cells are set up on the CPU, marched on the device by the very step functions of the CPU (`gpu_plane`, `gpu_space`), and measured on the CPU by the formulas of any
run from the sums and frames that come back. What a device cannot do is refused with its reason, cell by cell: status "invalid".

In single precision (torques in the plane are computed in double precision) a cell is marked by a warning, and is to be run in double precision, if its account of energy does not
close (`SINGLE`), or, in space, if rounding alone moves its end (`UNSURE`): contacts that are made and broken magnify rounding, so every cell is marched once more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from serpenoid import signals
from serpenoid.core import FloatArray
from serpenoid.core.errors import InputError
from serpenoid.simulation import gpu_plane, gpu_space
from serpenoid.simulation.batch import INVALID, Batch, Cell, gathered, measured_cell
from serpenoid.simulation.device import cuda
from serpenoid.simulation.packing import Begun, Launch, begun_cells, launches, uncollected
from serpenoid.simulation.setup import Setup
from serpenoid.spatial.layout import DONE
from serpenoid.spatial.march import GOOD

SINGLE = "single precision: the account of energy is off by {:.2g} of the energy turned over; run this cell in float64"
UNSURE = "single precision: rounding alone moves the end by {:.2g} of the way; run this cell in float64"
OFF = 0.01  # of the energy turned over: what single precision may miss
MOVED = 5e-4  # of the way: with 2e-3, 2 of 26 cells that were 1 % away from float64 were not marked (of 1,000); with this, none


def execute_many(
    setups: Sequence[Setup | InputError], *, metrics: Sequence[str], trajectories: float | None = None, precision: str = "float64",
    progress: Callable[[float], None] | None = None,
) -> Batch:  # fmt: skip
    """Run many descriptions on the device; see `batch.execute_many`."""
    if trajectories is not None:
        raise InputError('trajectories are kept by executor "threads"; a GPU gives metrics')
    cuda()
    with uncollected():
        return gathered(_marched(setups, metrics, precision, progress), list(metrics), False)


def _marched(
    setups: Sequence[Setup | InputError],
    metrics: Sequence[str],
    precision: str,
    progress: Callable[[float], None] | None,
) -> list[Cell]:
    """What each description came to."""
    cells = [accepted(cell) for cell in begun_cells(setups)]
    made: list[Any] = list(cells)
    groups = launches(cells)
    total, done = sum(len(launch) for launch in groups) or 1, 0
    for launch in groups:
        for chosen, moved in march(launch, precision):
            signals.check()
            for k, share in zip(chosen, moved, strict=True):
                made[launch.cells[k]] = finished(launch.begun[k], metrics, precision, share)
            done += len(chosen)
            if progress is not None:
                progress(done / total)
    return made


def accepted(cell: Begun | Cell) -> Begun | Cell:
    """The cell; where a device cannot march it, the invalid one that says why."""
    reason = refusal(cell) if isinstance(cell, Begun) else None
    return cell if reason is None else Cell(INVALID, f'executor "gpu": {reason}; use executor "threads"')


def refusal(cell: Begun) -> str | None:
    """Why a cell cannot march on a device, if it cannot."""
    engine: Any = cell.sim._engine
    if not hasattr(cell.sim.setup.command, "KIND") and cell.sim.setup.command is not None:
        return "a controller written in Python runs on the CPU only"
    if engine.NAME == "planar":
        return gpu_plane.refusal(engine)
    if engine.NAME == "spatial":
        return gpu_space.refusal(engine)
    return f"the engine {engine.NAME} does not run on a GPU"


def march(launch: Launch, precision: str) -> Iterator[tuple[np.ndarray, FloatArray]]:
    """March the cells of a launch, some at a time; gives the places of those that are done, their states put back, and what rounding moves them by."""
    if launch.engine == "spatial":
        yield from march_space(launch, precision == "float32")
        return
    precision = gpu_plane.precision_of(launch, precision)
    for chosen in gpu_plane.chunks(launch, precision):
        gpu_plane.put_back(launch, chosen, gpu_plane.march(launch, chosen, precision))
        yield chosen, np.zeros(len(chosen))


def march_space(launch: Launch, single: bool) -> Iterator[tuple[np.ndarray, FloatArray]]:
    """The same in space: cells with the same terrain go together."""
    engines: list[Any] = [cell.sim._engine for cell in launch.begun]
    groups: dict[Any, list[int]] = {}
    for k, engine in enumerate(engines):
        groups.setdefault(gpu_space.alike([engine]), []).append(k)
    for chosen in groups.values():
        these, steps = [engines[k] for k in chosen], [int(launch.steps[k]) for k in chosen]
        kept, frames, status = gpu_space.advance_all(these, steps, single)
        moved = gpu_space.rounding_shares(these, steps, kept[0]) if single else np.zeros(len(chosen))
        for j, k in enumerate(chosen):
            state = {name: array[..., j] for name, array in zip(gpu_space.KEPT, kept, strict=True)}
            count = int(state["motion"][DONE]) // engines[k].stride + 1
            record = {"frames": np.asarray(frames[j, :count], dtype=float), "first": np.zeros(1)}
            launch.put_back(k, state, record, int(status[j]) == GOOD)
        yield np.array(chosen), moved


def finished(cell: Begun, names: Sequence[str], precision: str, moved: float = 0.0) -> Cell:
    """Metrics, status and warnings of a cell that has marched; `moved`: what rounding alone moves its end by, of its way."""
    made = measured_cell(cell.sim, cell.notes, names, None)
    if precision == "float32":
        share = _missing(cell)
        if share <= OFF:  # the moments left at the tail are rounding: a shorter step would not help
            made.warnings = tuple(text for text in made.warnings if not text.startswith("moment balance"))
        else:
            made.warnings = (*made.warnings, SINGLE.format(share))
    if not moved <= MOVED and made.status == "ok":
        made.warnings = (*made.warnings, UNSURE.format(moved))
    return made


def _missing(cell: Begun) -> float:
    """Share of the energy turned over that is missing from a run's account."""
    sums = cell.sim._engine.totals()
    losses = sum(sums[name] for name in ("friction_loss", "damping_loss", "stop_loss", "scheme_loss"))
    change = sums["kinetic"] - sums["kinetic_start"] + sums["potential"] - sums["potential_start"]
    over = max(sums["positive_work"], sums["friction_loss"], abs(change), 1e-30)
    return float(np.abs(sums["net_work"] - losses - change) / over)
