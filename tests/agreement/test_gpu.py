"""Batches on a GPU: its simulator runs all laws and commands of the plane as the CPU does; what a device cannot do is refused in words."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent))
import gpu_cells

import serpenoid as sp
from serpenoid.core import Settings
from serpenoid.core.errors import InputError
from serpenoid.simulation import gpu_plane
from serpenoid.simulation.batch import execute_many
from serpenoid.simulation.packing import Begun, begun_cells
from serpenoid.simulation.setup import Setup

SAME = 1e-9  # relative to the largest of the metric: ten steps amplify rounding by the slopes of dry friction, not more
SINGLE = 2e-3  # the same in single precision


def simulated(precision: str) -> dict[str, Any]:
    """The cells in the simulator of a GPU: plain Python, without compiling anything."""
    environment = dict(os.environ, NUMBA_ENABLE_CUDASIM="1", NUMBA_DISABLE_JIT="1")
    command = [sys.executable, gpu_cells.__file__, "gpu", precision]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.fixture(scope="module")
def here() -> Any:
    return execute_many(gpu_cells.setups(), metrics=gpu_cells.METRICS, threads=1)


@pytest.mark.parametrize(("precision", "bound"), [("float64", SAME), ("float32", SINGLE)])
def test_every_law_and_command_as_on_the_cpu(here: Any, precision: str, bound: float) -> None:
    there = simulated(precision)
    assert there["status"] == list(here.status) and set(here.status) == {"ok"}, there["messages"]
    for name, values in there["metrics"].items():
        a, b = np.array(values, dtype=float), here.metrics[name]
        assert np.array_equal(np.isnan(a), np.isnan(b)), name
        scale = np.nanmax(np.abs(b), initial=1e-6)
        worst = int(np.nanargmax(np.abs(a - b)))
        assert abs(a[worst] - b[worst]) <= bound * scale, (name, worst, a[worst], b[worst])
    assert np.ptp(here.metrics["com_distance"]) > 1e-4  # the cells are different


def test_without_a_device_the_extra_is_named() -> None:
    from numba import cuda

    if cuda.is_available():
        pytest.skip("there is a device")
    with pytest.raises(InputError, match=r'executor "gpu" needs .*executor "threads"'):
        execute_many(gpu_cells.setups()[:1], metrics=["com_distance"], executor="gpu")


def steer(state: Any, t: float) -> Any:
    return np.zeros(4)


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"world": sp.World(sp.contact.Coulomb(0.1, 0.5), contact_points=2)}, "contact points"),
        ({"world": sp.World(sp.contact.Coulomb(0.1, 0.5), patches=(sp.Patch((0, 0, 1, 1), 0.3, 0.3),))}, "patches"),
        ({"robot": sp.robots.ma2001(links=5, joint_limit=1.0)}, "stops"),
        ({"settings": Settings(0.1, 1e-3, integrator="rk4", checked=False)}, "implicit"),
        ({"command": sp.control.Controller(steer, period=0.02)}, "Python"),
    ],
)
def test_what_a_device_cannot_do_is_refused(change: dict[str, Any], word: str) -> None:
    from serpenoid.simulation.gpu import refusal

    parts: dict[str, Any] = {"robot": gpu_cells.ROBOT, "world": sp.World(sp.contact.Coulomb(0.1, 0.5, smoothing=1e-2)), "command": gpu_cells.commands()[0],
                             "settings": Settings(0.1, 1e-3, checked=False)} | change  # fmt: skip
    (cell,) = begun_cells([Setup(**parts)])
    assert isinstance(cell, Begun), cell.message
    why = refusal(cell)
    assert why is not None and word in why


def test_functions_of_users_are_refused() -> None:
    def wave(t: float, k: int, p: Any) -> float:
        return 0.1 * t

    gait = sp.gaits.CustomGait(wave)
    (cell,) = begun_cells([Setup(gpu_cells.ROBOT, sp.World(), gait, settings=Settings(0.1, 1e-3, checked=False))])
    assert isinstance(cell, Begun) and "function of one's own" in str(gpu_plane.refusal(cell.sim._engine))


def test_cells_that_rounding_moves_are_marked() -> None:
    """In single precision a cell whose end hangs on rounding tells so; others do not."""
    from serpenoid.simulation.gpu import MOVED, finished

    def warnings(moved: float) -> list[str]:
        (cell,) = begun_cells(gpu_cells.setups()[:1])
        assert isinstance(cell, Begun)
        cell.sim.advance(0.05)
        return [text for text in finished(cell, ["com_distance"], "float32", moved).warnings if "rounding" in text]

    assert warnings(0.5 * MOVED) == []
    assert len(warnings(2.0 * MOVED)) == len(warnings(float("nan"))) == 1 and "float64" in warnings(2.0 * MOVED)[0]
