"""The arrays of many runs side by side, for a processor that takes all of them at once.

    sims = begun_cells(setups)                      # a simulation per cell, or what the cell came to where it is refused
    for launch in launches(sims):                   # cells whose arrays have the same shapes and kinds
        launch.constants["links"]                   # Shared: the different arrays (d, ...), and which one each cell has (c,)
        launch.state["motion"]                      # (c, ...)
        ...                                         # time passes elsewhere
        launch.put_back(k, state, record, good)     # state (and frames) of cell k of the launch
    batch.measured_cell(sim, notes, names, None)    # metrics, status, warnings by the formulas of any run

Nested groups of arrays are named with a dot: "skin.arc", "terrain.ground".
"""

from __future__ import annotations

import gc
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from serpenoid.core import FloatArray
from serpenoid.core.errors import InputError, NumericalError
from serpenoid.core.once import once
from serpenoid.planar.layout import MODE, PRESCRIBED
from serpenoid.simulation.batch import INVALID, Cell
from serpenoid.simulation.run import begun
from serpenoid.simulation.setup import Setup
from serpenoid.simulation.simulation import Simulation


class Begun(NamedTuple):
    """A cell at its start."""

    sim: Simulation
    notes: dict[str, Any]

    @property
    def steps(self) -> int:
        """Steps to be taken."""
        return int(self.notes["steps_planned"])


class Shared(NamedTuple):
    """An array of every cell, each different one once: `arrays[which[k]]` is that of cell k."""

    arrays: FloatArray  # (d, ...)
    which: np.ndarray  # (c,)


@contextmanager
def uncollected() -> Iterator[None]:
    """Without passes of the garbage collector: over thousands of simulations that all stay they cost as much as making them."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


def begun_cells(setups: Sequence[Setup | InputError]) -> list[Begun | Cell]:
    """The simulation of each cell at t = 0, its command in force; where a description is refused, the cell that says so."""
    made: list[Begun | Cell] = []
    for setup in setups:
        try:
            if isinstance(setup, InputError):
                raise setup
            made.append(Begun(*begun(setup.prepared())))
        except InputError as error:
            made.append(Cell(INVALID, str(error)))
        except NumericalError as error:
            made.append(Cell("diverged", str(error)))
    return made


def arrays_of(group: Any, path: str = "") -> Iterator[tuple[str, FloatArray]]:
    """The arrays of a (nested) NamedTuple by their dotted names."""
    for name, value in zip(group._fields, group, strict=True):
        if isinstance(value, tuple):
            yield from arrays_of(value, f"{path}{name}.")
        else:
            yield f"{path}{name}", np.asarray(value)


def _key(cell: Begun) -> tuple[Any, ...]:
    """What must be alike in one launch: engine, kind of joints, source and kind of the command, law, shapes of all arrays."""
    engine: Any = cell.sim._engine
    kinds = getattr(engine.constants, "chain", None)
    shapes = tuple(array.shape for group in (engine.constants, engine.state) for _, array in arrays_of(group))
    command, law = cell.sim.setup.command, cell.sim.setup.world.friction
    return (
        engine.NAME, engine.ideal, cell.sim._kind, getattr(command, "KIND", None), law.KIND, cell.sim.setup.settings.integrator,
        None if kinds is None else kinds.kinds.tobytes(), shapes,
    )  # fmt: skip


class Launch:
    """Cells that can go together: `cells` are their places in the list that `launches` was given."""

    def __init__(self, key: tuple[Any, ...], cells: Sequence[int], begun_: Sequence[Begun]) -> None:
        self.engine, self.key, self.cells, self.begun = str(key[0]), key, tuple(cells), tuple(begun_)
        engines = [cell.sim._engine for cell in begun_]
        self.steps = np.array([cell.steps for cell in begun_], dtype=np.int64)
        self.stride = np.array([engine.stride for engine in engines], dtype=np.int64)
        self.dt = np.array([engine.dt for engine in engines])

    def __len__(self) -> int:
        return len(self.cells)

    @property
    def driven(self) -> bool:
        """In the plane: whether torques drive the joints (else a gait prescribes them)."""
        engine: Any = self.begun[0].sim._engine
        return bool(engine.state.motion[MODE] != PRESCRIBED)

    @once
    def constants(self) -> dict[str, Shared]:
        """Constants by name, equal ones stored once."""
        groups = [dict(arrays_of(cell.sim._engine.constants)) for cell in self.begun]
        return {name: _shared([group[name] for group in groups]) for name in groups[0]}

    @once
    def state(self) -> dict[str, FloatArray]:
        """The state by name, (c, ...)."""
        groups = [cell.sim._engine.arrays() for cell in self.begun]
        return {name: np.stack([group[name] for group in groups]) for name in groups[0]}

    def put_back(self, k: int, state: Mapping[str, Any], record: Mapping[str, Any] | None, good: bool) -> None:
        """Give cell k its state, and the frames as `engine.recorded()` names them, up to the step that the state has reached.

        `good`: all numbers are finite; a cell that diverged may have any, and keeps its last good step.
        """
        sim = self.begun[k].sim
        engine: Any = sim._engine
        for name, own in engine.arrays().items():
            if name in state:
                own[...] = state[name]
        if record is not None:
            engine.put_recorded(record)
        sim._good = good


def _shared(arrays: Sequence[FloatArray]) -> Shared:
    """Different arrays once, and which one each cell has."""
    places: dict[Any, int] = {}
    by_object: dict[int, int] = {}
    kept: list[FloatArray] = []
    which = np.zeros(len(arrays), dtype=np.int64)
    for k, array in enumerate(arrays):
        place = by_object.get(id(array))
        if place is None:
            place = places.setdefault(array.tobytes(), len(kept))
            if place == len(kept):
                kept.append(array)
            by_object[id(array)] = place
        which[k] = place
    return Shared(np.stack(kept), which)


def launches(cells: Sequence[Begun | Cell]) -> list[Launch]:
    """The cells that are to run, grouped by what must be alike."""
    groups: dict[tuple[Any, ...], list[int]] = {}
    for k, cell in enumerate(cells):
        if isinstance(cell, Begun):
            groups.setdefault(_key(cell), []).append(k)
    return [Launch(key, places, [c for c in (cells[k] for k in places) if isinstance(c, Begun)]) for key, places in groups.items()]  # fmt: skip


__all__ = ["Begun", "Launch", "Shared", "begun_cells", "launches", "uncollected"]
