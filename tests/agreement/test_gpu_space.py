"""The spatial engine on a GPU, by numba's simulator of one: the kernel's arrays and its loop over the steps give what the engine gives.

Runs on a device are recorded in `benchmarks/`.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import serpenoid as sp
from serpenoid.contact import sums
from serpenoid.core.errors import InputError
from serpenoid.core.terrain import Ground
from serpenoid.robots import alternating
from serpenoid.simulation import gpu_space
from serpenoid.spatial.engine import SpatialEngine

STEPS = (60, 53)
PITCHES = (0.2, 0.45)  # rad
CLOSE = 1e-9  # relative: other orders of operations, contacts made and broken
SCRIPT = """
import sys
import numpy as np
from serpenoid.simulation import gpu_space

given = np.load(sys.argv[1])
groups = [tuple(given[f"{name}{k}"] for k in range(count)) for name, count in (("given", 7), ("fixed", 6), ("kept", 6))]
shape = gpu_space.Size(*(int(x) for x in given["shape"][:5]), False)
kept, frames, status = gpu_space.launch(shape, groups, given["frames"], given["strides"], given["steps"], block=2)
np.savez(sys.argv[2], frames=frames, status=status, **{f"kept{k}": a for k, a in enumerate(kept)})
"""


def made(pitch: float) -> SpatialEngine:
    """A small robot that lifts parts of its body."""
    robot = alternating(4, length=0.4, mass=0.8, radius=0.02).but(servo=sp.control.Servo(60.0, 1.5))
    gait = sp.gaits.CompoundSerpenoid(
        yaw_amplitude=0.5, yaw_spatial=0.9, yaw_temporal=9.0, pitch_amplitude=pitch, pitch_spatial=0.9, pitch_temporal=9.0,
        pitch_phase=0.7, ramp=0.02,
    )  # fmt: skip
    world = sp.World(sp.contact.Coulomb(0.3, 0.3), ground=Ground())
    engine = SpatialEngine(robot, world, sp.Start(), step=1e-3, stride=20, ideal=False, first=gait)
    engine.follow(gait)
    return engine


def test_kernel_in_the_simulator(tmp_path: Path) -> None:
    """Two robots with gaits and numbers of steps of their own, in one launch; the kernel and all it calls run as Python."""
    engines = [made(pitch) for pitch in PITCHES]
    given, fixed, kept = gpu_space.stacked(engines, False)
    groups = {
        f"{name}{k}": a
        for name, group in (("given", given), ("fixed", fixed), ("kept", kept))
        for k, a in enumerate(group)
    }
    frames = np.zeros((2, 4, engines[0].record.shape[1]))
    np.savez(
        tmp_path / "in.npz", shape=gpu_space.shape_of(engines[0], False), frames=frames, strides=[20, 20], steps=STEPS, **groups
    )  # fmt: skip
    environment = {**os.environ, "NUMBA_ENABLE_CUDASIM": "1", "NUMBA_DISABLE_JIT": "1"}
    command = [sys.executable, "-c", SCRIPT, str(tmp_path / "in.npz"), str(tmp_path / "out.npz")]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    found = np.load(tmp_path / "out.npz")
    assert list(found["status"]) == [0, 0]
    for k, engine in enumerate(engines):
        engine.advance(STEPS[k])
        assert engine.state.sums[sums.CONTACTS] > 0.0 and engine.state.sums[sums.POSITIVE_WORK] > 0.0
        for j, name in enumerate(("motion", "momenta", "dofs", "sums")):
            own = getattr(engine.state, name)
            np.testing.assert_allclose(
                found[f"kept{j}"][..., k], own, rtol=CLOSE, atol=CLOSE * np.abs(own).max(), err_msg=name
            )
        np.testing.assert_allclose(found["frames"][k, 1], engine.record[1], rtol=CLOSE, atol=CLOSE * 10.0)


def engine_of(**changes: object) -> SpatialEngine:
    """A robot whose description has one thing that a device cannot do."""
    robot = alternating(4, length=0.4, mass=0.8, radius=0.02).but(servo=sp.control.Servo(60.0, 1.5))
    gait = sp.gaits.CompoundSerpenoid(yaw_amplitude=0.3, yaw_spatial=0.9, yaw_temporal=3.0)
    ideal = bool(changes.pop("ideal", False))
    given = {"friction": sp.contact.Coulomb(0.3, 0.3), "ground": Ground(), **changes}
    engine = SpatialEngine(robot, sp.World(**given), sp.Start(), step=1e-3, stride=20, ideal=ideal, first=gait)  # type: ignore[arg-type]
    engine.follow(gait)
    return engine


def test_what_a_device_cannot_do_is_refused_in_words() -> None:
    """Nothing is dropped in silence: ideal joints and torques that are held run on the CPU."""
    assert gpu_space.refusal(engine_of()) is None
    assert "ideal" in str(gpu_space.refusal(engine_of(ideal=True)))
    held = engine_of()
    held.push([0.0] * len(held.axes))
    assert "built-in" in str(gpu_space.refusal(held))


def test_without_a_device_there_is_a_word() -> None:
    """No device: an error that says so, not a crash."""
    with pytest.raises(InputError, match=r"gpu|device|GPU"):
        gpu_space.advance_all([engine_of()], [3])
