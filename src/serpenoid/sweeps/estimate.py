"""What a sweep will take: cells, steps, hours of one core, bytes; and when that is too much."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from serpenoid.core.errors import InputError, StorageError
from serpenoid.formats.opening import named, size_text
from serpenoid.simulation.budget import PLANE_COST, SPACE_COST
from serpenoid.simulation.setup import Setup
from serpenoid.sweeps.designs import Design

MOST_CELLS = 10_000_000  # more of them are refused, unless the limit is raised
CELL_COST = 3e-3  # s per cell for setting up and judging
TEXT_BYTES = 24  # per cell: status, messages of some
USUAL_STEPS = 4000  # per second of a step that is not known yet


@dataclass(frozen=True)
class Estimate:
    """What a sweep will take on one core."""

    cells: int
    steps: float  # of all cells
    cell_seconds: float  # of a mean cell
    bytes: int

    @property
    def hours(self) -> float:
        """Of one core."""
        return self.cells * self.cell_seconds / 3600.0

    @property
    def text(self) -> str:
        """In words."""
        return f"{self.cells:,} cells, {self.steps:.3g} steps, about {duration_text(3600.0 * self.hours)} of one core, {size_text(self.bytes)}"


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
        settings = setup.settings
        duration = settings.duration or 10.0
        count = duration / settings.step if isinstance(settings.step, float) else duration * USUAL_STEPS
        steps += count / len(setups)
        cost = SPACE_COST if setup.spatial else PLANE_COST
        seconds += (CELL_COST + count * setup.robot.links * cost) / len(setups)
    return Estimate(design.count, design.count * steps, seconds, design.count * (8 * metrics + TEXT_BYTES))


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
