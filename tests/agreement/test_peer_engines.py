"""MuJoCo and Drake as engines: torques and angles by turns, saving, their own contacts and servos, what they refuse."""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np
import pytest
from peer_cases import FEATURES, OURS, Run, engine, level, sidewinder

import serpenoid as sp
from serpenoid.contact import Bristle, Coulomb, Frictionless, Viscous
from serpenoid.core import Patch, Start, World
from serpenoid.core.actuator import Servo
from serpenoid.core.errors import InputError
from serpenoid.core.terrain import Box, Cylinder, Ground, HeightField, Pipe
from serpenoid.gaits.sidewinding import Sidewinding
from serpenoid.peers import PEERS, engine_class
from serpenoid.spatial.engine import SpatialEngine

pytest.importorskip("mujoco")
pytest.importorskip("pydrake")


@pytest.mark.parametrize("name", PEERS)
def test_torques_and_angles_by_turns(name: str) -> None:
    """Ideal joints follow a curve, are pushed, and follow again: nothing jumps, and the way is that of our engine."""
    made = {}
    for n in ("own", name):
        e = made[n] = SpatialEngine if n == "own" else engine_class(n)
        e = made[n] = made[n](sidewinder(None), level(), Start(), step=5e-4, stride=10, ideal=True, first=None)
        goal = np.linspace(-0.2, 0.3, len(e.joint_angles()))
        e.track(0.0, 0.1, [e.joint_angles(), e.joint_rates(), goal, np.zeros(len(goal))])
        assert e.advance(200)
        assert np.abs(e.joint_angles() - goal).max() < 1e-4
        e.push(np.full(len(goal), 0.02))
        assert e.advance(240)
        e.track(0.12, 0.2, [e.joint_angles(), e.joint_rates(), goal, np.zeros(len(goal))])
        assert e.advance(400)
        assert np.abs(e.joint_angles() - goal).max() < 1e-4
    ways = [np.diff(e.variables()["node"].data, axis=0) for e in made.values()]
    assert np.abs(ways[1]).max() < 3.0 * np.abs(ways[0]).max()
    if name in OURS:
        assert np.abs(made["own"].nodes() - made[name].nodes()).max() < 3e-3


@pytest.mark.parametrize("name", PEERS)
def test_saved_restored_and_cut_anywhere(name: str) -> None:
    """However the way is cut, and from a saved state in a new engine, the result is the same bit for bit."""
    gait, law = Sidewinding(ramp=0.1), Bristle(0.3, 0.8, static_across=1.0)
    robot, world = sidewinder(), level(law)
    whole, cut, other = (engine(name, robot, gait, world, 1e-3) for _ in range(3))
    assert whole.advance(80)
    assert cut.advance(17) and cut.advance(40)
    kept = {key: array.copy() for key, array in cut.arrays().items()}
    assert cut.advance(80)
    other.put(kept)
    assert other.done == 40 and other.advance(80)
    for e in (cut, other):
        for key, array in whole.arrays().items():
            assert np.array_equal(array, e.arrays()[key], equal_nan=True), key
    broken = dict(kept)
    broken.pop(next(key for key in kept if key.startswith("package_")))
    with pytest.raises(InputError, match="does not belong"):
        other.put(broken)


@pytest.mark.parametrize("name", PEERS)
def test_runs_are_saved_resumed_and_branched(name: str, tmp_path: Any) -> None:
    """Through the simulation: stopped, written, read and continued, or branched, a run in a peer is the same bit for bit."""
    case: Any = (sidewinder(), Sidewinding(ramp=0.1), level())
    options: Any = {"step": 1e-3, "engine": name, "record_interval": 0.01}
    whole, part = sp.simulate(*case, 0.1, **options), sp.simulate(*case, 0.1, until=0.04, **options)
    later = sp.resume(sp.load(part.save(tmp_path / "part.nc")))
    assert later.status.ok and later.provenance["engine"] == name and later.provenance["note"]
    for key in ("time", "node", "joint_torque", "contact_force", "positive_work"):
        assert np.array_equal(whole[key], later[key], equal_nan=True), key
    sim = sp.Simulation(case[0], case[2], case[1], **options)
    sim.advance(0.03)
    other = sim.branch()
    for one in (sim, other):
        one.advance(0.07)
        assert np.array_equal(one.state.nodes, whole["node"][-1])


def glide(name: str, world: World, start: Start, duration: float = 0.5) -> Run:
    """A stiff straight robot sliding without friction."""
    return Run(name, sidewinder(Servo(200.0, 5.0)), Sidewinding(amplitude=0.0), world, duration, 1e-3, start=start)


@pytest.mark.parametrize("name", PEERS)
def test_slopes_and_walls(name: str) -> None:
    """Without friction a slope gives g sin; walls and pegs stop the head where they stand."""
    slope, direction, time = 0.1, 0.8, 0.5
    m = glide(name, level(Frictionless(), slope=slope, slope_direction=direction), Start())
    moved = m["com"][-1] - m["com"][0]
    way = 0.5 * 9.81 * np.sin(slope) * time**2
    expected = -way * np.array([np.cos(slope) * np.cos(direction), np.cos(slope) * np.sin(direction), np.sin(slope)])
    assert np.abs(moved - expected).max() < 0.01 * way
    wall = Box(centre=(1.5, 0.0, 0.1), size=(0.2, 1.0, 0.4), yaw=np.pi)
    peg = Cylinder(base=(1.5, 0.0, -0.1), radius=0.1, length=0.5)
    for thing in (wall, peg):
        world = World(Frictionless(), ground=Ground(stiffness=2e4, damping=50.0), obstacles=(thing,))
        m = glide(name, world, Start(velocity=(1.0, 0.0)))
        tip = m["node"][:, -1, 0] + 0.015
        assert 1.395 < tip.max() < 1.43
        assert m["com"][-1, 0] < m["com"][:, 0].max() - 1e-3  # thrown back, or bent aside


def test_a_height_field_of_mujoco_is_that_of_the_world() -> None:
    """A plane written as a height field carries as the plane does."""
    x, y = np.meshgrid(np.arange(41) * 0.1 - 1.0, np.arange(31) * 0.1 - 1.5)
    field = HeightField(0.1 * x + 0.05 * y, 0.1, (-1.0, -1.5))
    along = Start(heading=float(np.arctan2(0.1, -0.05)))  # a level line of it
    m = glide("mujoco-native", World(Frictionless(), ground=Ground(heights=field)), along)
    n = np.array([-0.1, -0.05, 1.0]) / np.linalg.norm([-0.1, -0.05, 1.0])
    way = 0.5 * 0.5**2 * 9.81 * (n[2] * n - [0.0, 0.0, 1.0])
    assert np.abs(m["com"][-1] - m["com"][0] - way).max() < 0.03 * np.linalg.norm(way)
    with pytest.raises(InputError, match="height field"):
        glide("drake-native", World(Frictionless(), ground=Ground(heights=field)), Start())


@pytest.mark.parametrize("name", [n for n in PEERS if n not in OURS])
def test_native_contacts_carry_and_say_what_they_are(name: str) -> None:
    world, gait = level(Coulomb(0.1, 0.5)), Sidewinding(amplitude=0.0)
    m = Run(name, sidewinder(), gait, world, 0.5, 1e-3)
    assert m.good and name == m.engine.NAME
    assert m["contact_count"][-1] == 12
    assert m["normal_force"][-1].sum() == pytest.approx(1.8 * 9.81, rel=1e-3)
    assert m["contact_force"][-1].sum(axis=0) == pytest.approx([0.0, 0.0, 1.8 * 9.81], rel=1e-3, abs=0.02)
    assert np.abs(m["com"][-1] - m["com"][0]).max() < 1e-3
    assert m["com"][-1, 2] == pytest.approx(0.015, abs=5e-4)
    assert "isotropic friction 0.5" in m.engine.note
    assert np.isnan(m.totals["slip_across"]) and np.isnan(m["contact_velocity_along"]).all()
    patched = World(Coulomb(0.1, 0.5), patches=(Patch((0.0, 0.0, 1.0, 1.0), 0.1, 0.1),), ground=Ground())
    piped = World(Coulomb(0.1, 0.5), ground=Ground(), obstacles=(Pipe((0.0, 0.0, 0.5), 0.5),))
    for other, match in (
        (level(Viscous(1.0, 1.0)), "dry"), (level(model="point"), "capsule"), (patched, "patches"), (piped, "pipe"),
    ):  # fmt: skip
        with pytest.raises(InputError, match=match):
            engine(name, sidewinder(), gait, other, 1e-3)


@pytest.mark.parametrize("feature", ["torque limit", "rotor", "gear friction", "backlash", "torque-speed line"])
@pytest.mark.parametrize("name", [n for n in PEERS if n not in OURS])
def test_native_servos_have_the_features_or_refuse_them(name: str, feature: str) -> None:
    """In the air, where contacts do not matter, native actuators move as our servos do; Drake refuses what it lacks."""
    servo, gait = Servo(60.0, 1.5, **FEATURES[feature]), Sidewinding(ramp=0.1)
    robot, world, start = sidewinder(servo), level(), Start(height=2.0)
    if name == "drake-native" and feature in ("gear friction", "backlash", "torque-speed line"):
        with pytest.raises(InputError, match=feature.removeprefix("a ")):
            engine(name, robot, gait, world, 1e-3, start)
        return
    ours, theirs = (Run(n, robot, gait, world, 0.3, 2e-4, start=start) for n in ("own", name))
    assert np.abs(ours["joint_angle"] - theirs["joint_angle"]).max() < 0.02
    assert theirs.totals["positive_work"] == pytest.approx(ours.totals["positive_work"], rel=0.05)


def test_wrong_arguments_are_refused() -> None:
    gait = Sidewinding()
    with pytest.raises(InputError, match="application"):
        engine("mujoco", sidewinder(), gait, level(), 1e-3, application="later")
    with pytest.raises(InputError, match="axial_inertia"):
        engine("mujoco", sidewinder(axial_inertia=1.0), gait, level(), 1e-3)
    with pytest.raises(InputError, match="webots"):
        engine_class("webots")


def test_a_run_that_diverges_says_so() -> None:
    for name in OURS:
        world = level(Coulomb(0.8, 0.8, smoothing=1e-3), stiffness=1e12, damping=1e9)
        run = Run(name, sidewinder(), Sidewinding(), world, 1.0, 1e-2, application="present")
        assert not run.good, name
        assert np.isfinite(run["node"]).all()
    sim = sp.Simulation(sidewinder(), level(), Sidewinding(), step=1e-3, engine="mujoco")
    assert sim.advance(0.05) and sim.finish().status.ok


def test_missing_drake_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name, *args, **kwargs):
        if name.startswith("pydrake"):
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(InputError, match=r"serpenoid\[engines\]"):
        engine_class("drake")
