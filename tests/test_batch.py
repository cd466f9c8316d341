"""Many runs in one call: each cell equals its single run bit for bit, and a cell that fails is told by its status."""

from __future__ import annotations

import signal
import threading
from typing import Any

import numpy as np
import pytest

import serpenoid as sp
from serpenoid import signals
from serpenoid.core.errors import InputError
from serpenoid.simulation.batch import execute_many
from serpenoid.simulation.setup import Setup

ROBOT = sp.robots.ma2001(links=6)
GAITS = [sp.gaits.Serpenoid(winding_angle=angle, waves=1.3, speed=0.4) for angle in (0.3, 0.7, 1.1)]


def test_cells_equal_single_runs_and_keep_their_order() -> None:
    batch = sp.simulate_many(ROBOT, GAITS, None, [0.1, 0.2, 0.15], threads=2)
    for k, (gait, duration) in enumerate(zip(GAITS, (0.1, 0.2, 0.15), strict=True)):
        run = sp.simulate(ROBOT, gait, None, duration, checked=False)
        assert batch.status[k] == run.status.name and batch.warnings[k] == run.warnings
        for name, value in run.metrics.items():
            assert batch.metrics[name][k] == value if value is not None else np.isnan(batch.metrics[name][k]), name


def test_a_cell_that_is_refused_is_data_of_that_cell() -> None:
    batch = sp.simulate_many(ROBOT, GAITS, None, [0.1, -1.0, 0.1], metrics=["com_distance"])
    assert batch.status == ("ok", "invalid", "ok") and "duration" in batch.messages[1]
    assert np.isnan(batch.metrics["com_distance"]).tolist() == [False, True, False]


def test_lists_of_different_lengths_are_refused() -> None:
    with pytest.raises(InputError, match="command has 3, duration has 2"):
        sp.simulate_many(ROBOT, GAITS, None, [0.1, 0.2])


def test_frames_are_kept_as_far_apart_as_asked() -> None:
    batch = sp.simulate_many(ROBOT, GAITS, None, 0.3, trajectories=0.05, threads=2)
    assert batch.trajectories is not None
    for gait, kept in zip(GAITS, batch.trajectories, strict=True):
        run = sp.simulate(ROBOT, gait, None, 0.3, checked=False)
        assert kept is not None and np.allclose(np.diff(kept["time"]), 0.05)
        assert np.array_equal(kept["node"], run["node"][::5]) and dict(kept.metrics) == dict(run.metrics)


class Leaning:
    """A controller that remembers how far it turned, and says so."""

    period, turned, lock = 0.01, 0.0, threading.Lock()

    def command(self, state: Any, t: float) -> np.ndarray:
        self.turned += state.heading
        return 0.3 * np.sin(6.0 * t - np.arange(5)) * np.tanh(9.0 * t) - 0.1 * self.turned

    def memory(self) -> dict[str, float]:
        return {"turned": self.turned}

    def recall(self, memory: dict[str, float]) -> None:
        self.turned = memory["turned"]


@pytest.mark.parametrize("copied", [True, False])
def test_a_controller_remembers_nothing_of_other_cells(copied: bool) -> None:
    """One controller for all cells is one of its own for each; even one that cannot be copied, by its memory."""
    shared, worlds = Leaning(), [sp.World(sp.contact.Coulomb(0.05 * k, 0.5)) for k in range(1, 5)]
    if not copied:
        shared.lock = threading.Lock()
    batch = sp.simulate_many(ROBOT, shared, worlds, 0.3, threads=2)
    assert shared.turned == 0.0
    for k, world in enumerate(worlds):
        run = sp.simulate(ROBOT, Leaning(), world, 0.3, checked=False)
        assert run.status.ok and batch.metrics["com_distance"][k] == run.metrics["com_distance"]


def test_metrics_of_ones_own_are_measured() -> None:
    from serpenoid.simulation import metrics

    metrics.register("widest", "m", lambda run: float(np.ptp(run["node"][..., 1])), "greatest spread across")
    try:
        batch = sp.simulate_many(ROBOT, GAITS, None, 0.1, metrics=["widest", "com_dx"])
        run = sp.simulate(ROBOT, GAITS[1], None, 0.1, checked=False)
        assert batch.metrics["widest"][1] == run.metrics["widest"] and list(batch.metrics) == ["widest", "com_dx"]
    finally:
        del metrics.METRICS["widest"]


def test_an_interrupt_ends_all_threads() -> None:
    """A signal that is noted while threads work is raised, and no thread goes on."""
    before = threading.active_count()

    def interrupt(_fraction: float) -> None:
        signals._note.number = signal.SIGINT

    try:
        with pytest.raises(signals.Stopped):
            sp.simulate_many(ROBOT, GAITS * 100, None, 0.5, threads=2, progress=interrupt)
    finally:
        signals._note.number = None
    assert threading.active_count() == before


def test_a_long_cell_is_left_within_itself() -> None:
    """The other thread is in the middle of a run of hours when the first one is interrupted."""

    class Interrupting(sp.control.Controller):
        def command(self, state: object, t: float) -> None:
            raise KeyboardInterrupt

    long = sp.core.Settings(duration=1e5, step=1e-3, record_interval=1e3)
    endless = Setup(ROBOT, sp.World(), GAITS[0], settings=long)
    stopped = Setup(ROBOT, sp.World(), Interrupting(lambda state, t: None, period=0.1), settings=long)
    with pytest.raises(KeyboardInterrupt):
        execute_many([endless, stopped], threads=2)


def test_a_float32_batch_needs_a_gpu() -> None:
    with pytest.raises(InputError, match="float32"):
        sp.simulate_many(ROBOT, GAITS, None, 0.1, precision="float32")
    with pytest.raises(InputError, match="executor must be one of threads, gpu"):
        sp.simulate_many(ROBOT, GAITS, None, 0.1, executor="cloud")


def test_the_dataset_has_units_and_status() -> None:
    data = sp.simulate_many(ROBOT, GAITS, None, [0.1, -1.0, 0.1]).to_dataset()
    assert data["com_distance"].attrs["units"] == "m" and data["status"].values.tolist() == ["ok", "invalid", "ok"]
    assert data.sizes == {"cell": 3}
