"""Arrays of many runs side by side: a cell that is packed, marched elsewhere and put back is the run itself."""

from __future__ import annotations

from typing import Any

import numpy as np

from serpenoid.core.errors import InputError
from serpenoid.formats.scenario import read
from serpenoid.simulation.batch import Cell, execute_many, measured_cell
from serpenoid.simulation.cells import Variations
from serpenoid.simulation.metrics import METRICS
from serpenoid.simulation.packing import Begun, arrays_of, begun_cells, launches


def described() -> list[Any]:
    """Cells of the plane and of space that differ in numbers, links and commands, one of them refused."""
    creep, side = Variations(read("creep", ["run.duration=0.1"])), Variations(read("sidewind", ["run.duration=0.1"]))
    torque = Variations(read("ma2001-torque", ["run.duration=0.05"]))
    cells: list[Any] = [
        creep.setup({"gait.winding_angle": 0.3 + 0.1 * k, "run.duration": 0.1 + 0.05 * k}) for k in range(3)
    ]
    cells += [creep.setup({"robot.links": 7}), InputError("no such robot"), side.setup({"world.friction.along": 0.4})]
    return [*cells, creep.setup({"world.friction.along": 0.2}), torque.setup({}), side.setup({})]


def test_cells_are_grouped_by_what_must_be_alike() -> None:
    cells = begun_cells(described())
    made = launches(cells)
    assert sorted(launch.cells for launch in made) == [(0, 1, 2, 6), (3,), (5, 8), (7,)]
    assert [isinstance(cell, Cell) for cell in cells].index(True) == 4
    first = next(launch for launch in made if launch.cells == (0, 1, 2, 6))
    assert first.constants["links"].arrays.shape[0] == 2  # the friction limits of cell 6 are others
    assert first.constants["links"].which.tolist() == [0, 0, 0, 1]
    assert first.state["motion"].shape[0] == 4 and len(set(first.steps.tolist())) == 3


def test_packed_arrays_are_those_of_the_engines() -> None:
    cells = begun_cells(described())
    for launch in launches(cells):
        constants, state = launch.constants, launch.state
        for k, place in enumerate(launch.cells):
            cell = cells[place]
            assert isinstance(cell, Begun)
            engine = cell.sim._engine
            for name, array in arrays_of(engine.constants):
                assert np.array_equal(constants[name].arrays[constants[name].which[k]], array, equal_nan=True), name
            for name, array in engine.arrays().items():
                assert np.array_equal(state[name][k], array, equal_nan=True), name


def test_what_is_put_back_is_the_run() -> None:
    setups = described()
    names = [name for name, metric in METRICS.items() if metric.function is None]
    expected = execute_many(setups, metrics=names, threads=1)
    cells, elsewhere = begun_cells(setups), begun_cells(setups)
    for launch in launches(cells):
        for k, place in enumerate(launch.cells):
            other = elsewhere[place]
            assert isinstance(other, Begun)
            good = other.sim._engine.advance(other.steps)
            launch.put_back(k, other.sim._engine.arrays(), other.sim._engine.recorded(), good)
    for k, cell in enumerate(cells):
        found = cell if isinstance(cell, Cell) else measured_cell(*cell, names, None)
        assert (found.status, found.message, found.warnings) == (
            expected.status[k],
            expected.messages[k],
            expected.warnings[k],
        )
        values = [np.nan if found.metrics.get(name) is None else found.metrics[name] for name in names]
        assert np.array_equal(values, [expected.metrics[name][k] for name in names], equal_nan=True)
