"""A cell of a batch is its single run, bit for bit, whatever its neighbours, the threads and the order."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import serpenoid as sp
from cases import PROVE
from fuzz_cases import draw
from serpenoid.core.errors import InputError, NumericalError
from serpenoid.formats.scenario import read
from serpenoid.simulation.batch import INVALID, Batch, execute_many
from serpenoid.simulation.run import execute
from serpenoid.simulation.setup import Setup, setup_of

CASES = 1000 if PROVE else 40
SEED = 52_000


def described(seed: int) -> Setup | InputError:
    """A random cell near a bundled scenario: plane or space, any law, gait, drive, plan, servo, start."""
    try:
        return setup_of(draw(seed).data)
    except InputError as error:
        return error


def single(setup: Setup | InputError) -> tuple[str, str, tuple[str, ...], dict[str, float | None]]:
    """What the single run of a description comes to."""
    if isinstance(setup, InputError):
        return INVALID, str(setup), (), {}
    try:
        run = execute(replace(setup, settings=setup.settings.but(checked=False)))
    except InputError as error:
        return INVALID, str(error), (), {}
    except NumericalError as error:
        return "diverged", str(error), (), {}
    return run.status.name, run.status.message, run.warnings, dict(run.metrics)


def cell(batch: Batch, k: int) -> tuple[str, str, tuple[str, ...], dict[str, float | None]]:
    """What a cell came to, in the same form."""
    values = {name: float(column[k]) for name, column in batch.metrics.items()}
    found = {name: None if np.isnan(value) else value for name, value in values.items()}
    return batch.status[k], batch.messages[k], batch.warnings[k], found


def agree(batch: Batch, k: int, expected: Any) -> None:
    status, message, warnings, metrics = cell(batch, k)
    assert (status, message, warnings) == expected[:3]
    wrong = {name: (value, expected[3].get(name)) for name, value in metrics.items() if value != expected[3].get(name)}
    assert not wrong, wrong


@pytest.mark.parametrize("first", range(0, CASES, 20))
def test_random_cells_equal_their_single_runs(first: int) -> None:
    setups = [described(SEED + first + k) for k in range(20)]
    expected = [single(setup) for setup in setups]
    order = np.random.default_rng(first).permutation(len(setups))
    whole = execute_many(setups, threads=2)
    mixed = execute_many([setups[k] for k in order], threads=3)
    one = execute_many(setups[3:5], threads=1)
    for k, wanted in enumerate(expected):
        agree(whole, k, wanted)
        agree(mixed, int(np.flatnonzero(order == k)[0]), wanted)
    for k in (3, 4):
        agree(one, k - 3, expected[k])


def test_asking_for_one_metric_changes_none() -> None:
    """Each metric alone is what it is among all."""
    setups = [setup_of(read(name, ["run.duration=0.4"])) for name in ("creep", "sidewind", "ma2001-torque")]
    whole = execute_many(setups, threads=1)
    for name in whole.metrics:
        alone = execute_many(setups, metrics=[name], threads=1)
        assert np.array_equal(alone.metrics[name], whole.metrics[name], equal_nan=True), name
        assert alone.warnings == whole.warnings and alone.status == whole.status


def test_controllers_run_on_threads() -> None:
    robot = sp.robots.ma2001(links=5)
    gait = sp.gaits.Serpenoid(winding_angle=0.6, waves=1.2, speed=0.5)

    def steering(gain: float) -> Any:
        return sp.control.Controller(lambda state, t: gait.angles(robot, t) - gain * state.heading, period=0.02)

    gains = [0.0, 0.2, 0.4]
    batch = sp.simulate_many(robot, [steering(gain) for gain in gains], None, 0.3, threads=3)
    for k, gain in enumerate(gains):
        run = sp.simulate(robot, steering(gain), None, 0.3, checked=False)
        agree(batch, k, (run.status.name, run.status.message, run.warnings, dict(run.metrics)))
    assert len(set(batch.metrics["com_distance"])) == 3
