"""Checkpoints: a run under way is saved now and then, so that a killed process loses little.

A checkpoint is a trajectory without variables and metrics: the description, the state and the frames so far. `resume` goes on from it as from
any stopped run, bit for bit. While the run is checked by its twin (`simulation.twin`), what the twin has reached is kept beside it.

A checkpoint is made every 50 s of computing, and when a run of at least that length comes to its end: so a killed process loses less than a
minute. Saving takes a tenth of the time at most: if it takes more than 5 s, it is done less often.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from typing import Any

from serpenoid.core import Status, Trajectory, per_item
from serpenoid.core.errors import InputError
from serpenoid.simulation.judge import provenance_of
from serpenoid.simulation.simulation import Simulation

EVERY = 50.0  # s of computing between two checkpoints
SHARE = 10.0  # at least so many times what the last one took


def interval() -> float:
    """Seconds between two checkpoints: those of the environment variable SERPENOID_CHECKPOINT, or the usual ones."""
    text = os.environ.get("SERPENOID_CHECKPOINT", str(EVERY))
    try:
        return check_interval(float(text))
    except ValueError:
        raise InputError(f"SERPENOID_CHECKPOINT must be a time in s > 0, got {text[:40]!r}") from None


def check_interval(every: float) -> float:
    """A time in s, finite and > 0."""
    return float(per_item("the time between checkpoints", every, 1, 0.0, strict=True)[0])


class Keeper:
    """Saves a run under way by `save`, whenever the clock has gone on by `every` seconds."""

    def __init__(
        self, save: Callable[[Trajectory], Any], every: float = EVERY, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.save, self.every, self.clock = save, check_interval(every), clock
        self.begin = self.last = clock()
        self.cost = 0.0

    def look(self, make: Callable[[], Trajectory]) -> None:
        """Save the run if it is time."""
        if self.clock() - self.last >= max(self.every, SHARE * self.cost):
            self.keep(make)

    def end(self, make: Callable[[], Trajectory]) -> None:
        """Save a run that is done but not yet checked and drawn, if it was long."""
        if self.clock() - self.begin >= self.every:
            self.keep(make)

    def keep(self, make: Callable[[], Trajectory]) -> None:
        """Save the run now."""
        now = self.clock()
        self.save(make())
        self.last = self.clock()
        self.cost = self.last - now


def checkpoint_of(
    sim: Simulation, notes: Mapping[str, Any], twin: Simulation | None = None, ratio: float = 0.0
) -> Trajectory:
    """What a simulation can be gone on from, and its twin at `ratio` times the step where there is one already."""
    engine = sim._engine
    status = Status("interrupted", f"kept at t = {sim.time:.6g} s, under way", sim.time)
    provenance = provenance_of(sim, engine.totals(), notes)
    state = {**sim.memory(), "record": engine.recorded()}
    if twin is not None:
        state["twin"] = {**twin.memory(), "record": twin._engine.recorded(), "ratio": ratio}
    return Trajectory({}, {}, status, (), sim.setup.keys(), provenance, state)


def kept(
    sim: Simulation, notes: Mapping[str, Any], keeper: Keeper | None, progress: Callable[[float], None] | None
) -> Callable[[float], None] | None:
    """Progress of a simulation that is saved meanwhile."""
    if keeper is None:
        return progress

    def report(fraction: float) -> None:
        if sim._good:
            keeper.look(lambda: checkpoint_of(sim, notes))
        if progress is not None:
            progress(fraction)

    return report
