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


def test_what_rounding_moves_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    """A robot is marched again from an attitude turned a little; the share is of its way, short ways count as a thousandth of the body."""
    engines, asked = [made(0.2), made(0.3)], {}

    def again(robots: list[SpatialEngine], steps: list[int], single: bool, turned: float) -> tuple[list[np.ndarray]]:
        asked.update(steps=steps, single=single, turned=turned)
        return ([ends + np.array([[0.0], [0.006], [0.0]])],)

    begun = np.stack([engine.state.motion for engine in engines], axis=-1)
    ends = begun[:3] + np.array([[0.5, 0.0], [0.0, 0.0], [0.0, 0.0]])  # the second one comes back to its place
    monkeypatch.setattr(gpu_space, "advance_all", again)
    shares = gpu_space.rounding_shares(engines, [7, 8], ends)
    np.testing.assert_allclose(shares, [0.006 / 0.5, 0.006 / (1e-3 * 0.4)])
    assert asked == {"steps": [7, 8], "single": True, "turned": gpu_space.TURNED}


def test_a_robot_is_turned_about_the_vertical(monkeypatch: pytest.MonkeyPatch) -> None:
    """The attitude handed to the device is that of the state turned by the angle asked for."""
    engine, angle, handed = made(0.3), 1e-4, []
    engine.advance(20)
    monkeypatch.setattr(gpu_space, "launch", lambda shape, groups, *rest: handed.append(groups[2][0].copy()))
    for turned in (0.0, angle):
        gpu_space.advance_all([engine], [40], False, turned)
    w, x, y, z = engine.state.motion[6:10]
    c, s = np.cos(0.5 * angle), np.sin(0.5 * angle)
    np.testing.assert_array_equal(handed[0][6:10, 0], [w, x, y, z])
    np.testing.assert_allclose(
        handed[1][6:10, 0], [c * w - s * z, c * x - s * y, c * y + s * x, c * z + s * w], atol=angle**2
    )
    assert abs(handed[1][9, 0] - z) > 0.4 * angle * abs(w)
