"""What a sweep will take: cells, steps, hours of one core, bytes; and when that is too much."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from serpenoid import signals
from serpenoid.core.errors import InputError, SerpenoidError, StorageError
from serpenoid.formats.opening import named, size_text
from serpenoid.simulation.batch import measured_cell
from serpenoid.simulation.budget import PLANE_COST, SPACE_COST
from serpenoid.simulation.run import begun
from serpenoid.simulation.setup import Setup
from serpenoid.sweeps.designs import Design

MOST_CELLS = 10_000_000  # more of them are refused, unless the limit is raised
CELL_COST = 3e-3  # s per cell for setting up and judging
TEXT_BYTES = 24  # per cell: status, messages of some
ENOUGH = 2.0  # s that a cell is measured for, or a little more
USUAL_STEPS = 4000  # per second of a step that is not known yet


@dataclass(frozen=True)
class Estimate:
    """What a sweep will take on one core."""

    cells: int
    steps: float  # of all cells
    cell_seconds: float  # of a mean cell
    bytes: int
    measured: bool = False  # by a cell that was run, or else by what laws and gaits of the package usually take

    @property
    def hours(self) -> float:
        """Of one core."""
        return self.cells * self.cell_seconds / 3600.0

    @property
    def text(self) -> str:
        """In words."""
        how = " (measured on a cell)" if self.measured else ""
        return f"{self.cells:,} cells, {self.steps:.3g} steps, about {duration_text(3600.0 * self.hours)} of one core{how}, {size_text(self.bytes)}"


def duration_text(seconds: float) -> str:
    """A duration in words."""
    for unit, size in (("years", 31_557_600.0), ("days", 86_400.0), ("h", 3600.0), ("min", 60.0)):
        if seconds >= 1.5 * size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds:.2g} s"


def estimate_of(design: Design, setups: Sequence[Setup], metrics: int) -> Estimate:
    """What the cells of a design take, by some of their descriptions."""
    steps = seconds = 0.0
    for setup in setups:
        count = steps_in(setup)
        steps += count / len(setups)
        seconds += usual_seconds(setup, count) / len(setups)
    return Estimate(design.count, design.count * steps, seconds, design.count * (8 * metrics + TEXT_BYTES))


def steps_in(setup: Setup) -> float:
    """Steps of a cell, as far as they are known before it runs."""
    settings = setup.settings
    duration = settings.duration or 10.0
    return duration / settings.step if isinstance(settings.step, float) else duration * USUAL_STEPS


def usual_seconds(setup: Setup, steps: float) -> float:
    """What so many steps of a cell usually take, s."""
    return CELL_COST + steps * setup.robot.links * (SPACE_COST if setup.spatial else PLANE_COST)


def measured(estimate: Estimate, make: Callable[[], Setup], names: Sequence[str]) -> Estimate:
    """The estimate by what a cell takes, described anew by each call of `make`, over what it would usually take: the whole of it, or its first seconds; as it was where the cell does not run."""
    try:
        setup, taken, steps = _timed(make, names)
    except SerpenoidError:
        return estimate
    factor = taken / usual_seconds(setup, steps)
    return replace(estimate, cell_seconds=factor * estimate.cell_seconds, measured=True)


def _timed(make: Callable[[], Setup], names: Sequence[str]) -> tuple[Setup, float, float]:
    """A cell, seconds that it took, and steps taken in them; its first steps, which compile its kernels, are not counted."""
    for first in (True, False):
        begin, setup = time.perf_counter(), make()
        sim, notes = begun(setup.prepared())
        planned = notes["steps_planned"]
        stretch = min(planned, 2 * sim._engine.stride)
        while sim._engine.done < planned and (time.perf_counter() - begin < ENOUGH or not sim._engine.done):
            signals.check()
            if not sim.advance(min(stretch, planned - sim._engine.done) * sim.step) or first:
                break
            stretch *= 2
        measured_cell(sim, notes, names, None)
        taken = time.perf_counter() - begin
    return setup, taken, float(sim._engine.done)


def check_estimate(estimate: Estimate, most_cells: int, out: Path) -> None:
    """Refuse what is too much, with what it would take."""
    if estimate.cells > most_cells:
        raise InputError(
            f"this sweep is {estimate.text}: more than {most_cells:,} cells; use longer steps or fewer axes, or raise the limit "
            f"(--most-cells)"
        )
    place = out
    while not place.exists() and place != place.parent:
        place = place.parent
    free = shutil.disk_usage(place).free
    if estimate.bytes > free:
        raise StorageError(
            f"this sweep is {estimate.text}: {named(place)} has {size_text(free)} free; give another --out"
        )
