"""Nothing that a description says is ignored: every declared field, in every engine, changes the run, is refused, or is listed with a reason."""

from __future__ import annotations

import os
from dataclasses import fields, replace
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest

import serpenoid as sp
from serpenoid.contact import Coulomb, UnitSlip
from serpenoid.core import Robot, Settings, Start, World
from serpenoid.core.actuator import Servo
from serpenoid.core.errors import InputError
from serpenoid.core.obstacles import Anchor, Disc, Surface
from serpenoid.core.terrain import Box, Ground, HeightField
from serpenoid.core.world import Patch
from serpenoid.gaits import CompoundSerpenoid, Serpenoid
from serpenoid.simulation import Simulation
from serpenoid.simulation.run import execute
from serpenoid.simulation.setup import Setup

PROVE = os.environ.get("SERPENOID_PROVE") == "1"
OURS = ["planar", "spatial"]
PEERS = [name for name in ("mujoco", "drake") if find_spec({"drake": "pydrake"}.get(name, name))]
NATIVE = [f"{name}-native" for name in PEERS]
ENGINES = OURS + (PEERS + NATIVE if PROVE else PEERS[:1] + NATIVE[:1])
DURATION, STEP = 0.06, 2e-3  # s

PLAIN = Robot(6, 0.1, 0.2, radius=0.02)
SERVO = Servo(20.0, 0.4)
COULOMB = Coulomb(0.1, 0.5)
HILLS = HeightField(np.add.outer(np.arange(8.0), np.arange(8.0)) * 0.01, 0.3, (-0.7, -0.7))


def base(engine: str, drive: str) -> Setup:
    """A run of each engine: joints that follow a gait exactly, by servos, or limp ones."""
    flat = engine == "planar"
    robot = PLAIN if flat else PLAIN.but(joints="alternating")
    gait = (
        Serpenoid(0.6, 1.2, 0.8)
        if flat
        else CompoundSerpenoid(0.4, 0.3, 0.9, 0.7, 9.0, 7.0, 0.1, 0.05, 0.3, 0.8, ramp=0.0)
    )
    world = World(COULOMB) if flat else World(COULOMB, ground=Ground(damping=20.0))
    start = Start(velocity=(0.2, 0.1)) if flat else Start(velocity=(0.2, 0.1), roll=0.2)
    settings = Settings(DURATION, step=STEP, checked=False)
    if drive == "limp":
        start = start.but(angles=(0.2, -0.1, 0.3, 0.1, -0.2), angular_velocity=2.0)
        return Setup(robot, world, None, start, settings)
    return Setup(robot.but(servo=SERVO) if drive == "servo" else robot, world, gait, start, settings)


# field: (kind of run, value); a function of the present value where it depends on it
Change = tuple[str, Any]
ROBOT: dict[str, Change] = {
    "links": ("limp", 7), "link_length": ("gait", 0.12), "link_mass": ("gait", 0.3), "link_inertia": ("limp", 1e-3),
    "com_offset": ("gait", 0.03), "contact_offset": ("gait", 0.03), "joint_damping": ("limp", 0.05), "joints": ("gait", "universal"),
    "radius": ("gait", 0.03), "axial_inertia": ("limp", 1e-4), "joint_limit": ("gait", 0.15), "locked": ("gait", (3,)),
    "limp": ("gait", (3,)), "servo": ("gait", SERVO),
}  # fmt: skip
START: dict[str, Change] = {
    "position": ("gait", (0.3, 0.2)), "heading": ("gait", 0.5), "velocity": ("gait", (0.5, 0.0)), "angular_velocity": ("gait", 1.5),
    "height": ("gait", 0.05), "pitch": ("gait", 0.2), "roll": ("gait", 0.5), "angles": ("limp", (0.3, 0.3, -0.3, 0.2, 0.1)),
    "rates": ("limp", (1.0, -2.0, 0.5, 1.0, 2.0)),
}  # fmt: skip
WORLD: dict[str, Change] = {
    "friction": ("gait", UnitSlip(0.3, 0.6)), "gravity": ("gait", 3.0), "patches": ("gait", (Patch((-1.0, -1.0, 2.0, 2.0), 0.3, 0.9),)),
    "edge_angle": ("gait", 0.4), "ground": ("gait", lambda g: Ground(slope=0.2)), "obstacles": ("gait", (Box((0.3, 0.04, 0.0), (0.2, 0.1, 0.2)),)),
}  # fmt: skip
GROUND: dict[str, Change] = {
    "model": ("gait", "point"), "stiffness": ("gait", 4e3), "damping": ("gait", 5.0), "slope": ("gait", 0.2), "plane": ("gait", False),
    "heights": ("gait", HILLS), "points": ("gait", 5),
}  # fmt: skip
SETTINGS: dict[str, Change] = {
    "duration": ("gait", 0.1), "step": ("gait", 1e-3), "integrator": ("gait", "euler"), "record_interval": ("gait", 0.03),
    "max_link_steps": ("gait", 10.0), "max_memory": ("gait", 1000.0),
}  # fmt: skip
SERVOS: dict[str, Change] = {
    "stiffness": ("servo", 40.0), "damping": ("servo", 1.0), "torque_limit": ("servo", 0.05), "speed_limit": ("servo", 0.5),
    "control_period": ("servo", 0.02), "gear_friction": ("servo", 0.05), "backlash": ("servo", 0.05), "rotor_inertia": ("servo", 1e-3),
}  # fmt: skip

REASONS: dict[tuple[str, str, str], str] = {  # owner, field, engine ("*": all)
    ("Robot", "name", "*"): "a label",
    ("Robot", "source", "*"): "a label",
    ("Robot", "contact_offset", "spatial"): "round links touch along their whole length; the point ground heeds it",
    ("Robot", "contact_offset", "mujoco"): "as in space",
    ("Robot", "contact_offset", "drake"): "as in space",
    ("Robot", "contact_offset", "mujoco-native"): "as in space",
    ("Robot", "contact_offset", "drake-native"): "as in space",
    ("Robot", "radius", "planar"): "in the plane links are lines but for contact between them",
    ("Robot", "axial_inertia", "planar"): "in the plane nothing rolls",
    ("Ground", "damping", "mujoco-native"): "contacts are as MuJoCo's solref says, which the provenance names",
    ("World", "surface", "*"): "of upright obstacles: heeded where there are any (below)",
    ("World", "anchors", "*"): "hold when a controller sets them: tests/laws/test_anchors.py",
    ("World", "self_contact", "*"): "acts when the body meets itself: tests/laws/test_self_contact.py",
    ("World", "contact_points", "*"): "tests/laws/test_contact_points.py",
    ("World", "load", "*"): "tests/laws/test_load.py",
    ("World", "slope", "*"): "of the plane: tests of friction at rest",
    ("World", "slope_direction", "*"): "of a slope",
    ("World", "friction_map", "*"): "tests/laws/test_friction_map.py",
    ("Ground", "rolling", "*"): "tests of rolling resistance",
    ("Ground", "restitution", "*"): "tests of restitution",
    ("Ground", "slope_direction", "*"): "of a slope: heeded where there is one (below)",
    ("Settings", "tolerance", "*"): 'of step = "auto"',
    ("Settings", "checked", "*"): "a second run beside this one: tests/laws/test_converged.py",
    ("Servo", "no_load_speed", "*"): "needs a torque limit: heeded with one (below)",
}

TABLE = [("Robot", Robot, ROBOT), ("Start", Start, START), ("World", World, WORLD), ("Ground", Ground, GROUND), ("Settings", Settings, SETTINGS), ("Servo", Servo, SERVOS)]  # fmt: skip
CASES = [(owner, name, engine) for owner, _, changes in TABLE for name in changes for engine in ENGINES]


@pytest.mark.parametrize(("owner", "cls", "changes"), TABLE, ids=[row[0] for row in TABLE])
def test_every_field_is_crossed_or_has_a_reason(owner: str, cls: Any, changes: dict[str, Change]) -> None:
    listed = {name for who, name, engine in REASONS if who == owner and engine == "*"}
    assert {f.name for f in fields(cls)} == set(changes) | listed
    assert not set(changes) & listed


def changed(setup: Setup, owner: str, name: str, value: Any) -> Setup:
    """The same with one field changed."""
    if owner == "Robot":
        return replace(
            setup,
            robot=setup.robot.but(**{name: value}),
            start=setup.start.but(angles=None) if name == "links" else setup.start,
        )
    if owner == "Servo":
        return replace(setup, robot=setup.robot.but(servo=setup.robot.servo.but(**{name: value})))
    if owner == "Ground":
        if setup.world.ground is None:
            raise InputError("the plane has no ground in space: another engine")
        return replace(setup, world=setup.world.but(ground=setup.world.ground.but(**{name: value})))
    part = {"Start": "start", "World": "world", "Settings": "settings"}[owner]
    value = value(getattr(setup.world, name)) if callable(value) else value
    return replace(setup, **{part: getattr(setup, part).but(**{name: value})})


def outcome(setup: Setup, engine: str) -> tuple[np.ndarray, ...]:
    """What a run came to: places, angles, rates and torques at its end, and its frames."""
    if engine == "planar":
        run = execute(setup, engine=engine)
    else:
        sim = Simulation.of(setup, engine=engine)
        sim.advance(setup.settings.duration or DURATION)
        if setup.settings.max_link_steps < 100.0 or setup.settings.max_memory < 1e5:
            execute(setup, engine=engine)
        run = sim.finish()
    return tuple(np.asarray(run[name]) for name in ("time", "node", "joint_angle", "joint_rate", "joint_torque"))


BEFORE: dict[tuple[str, str], Any] = {}


def heeded(before: Any, after: Any) -> bool:
    """Whether two outcomes differ by more than rounding."""
    for a, b in zip(before, after, strict=True):
        if a.shape != b.shape or np.nanmax(np.abs(a - b), initial=0.0) > 1e-9 * max(
            1.0, np.nanmax(np.abs(a), initial=0.0)
        ):
            return True
    return False


@pytest.mark.parametrize(("owner", "name", "engine"), CASES, ids=["-".join(case) for case in CASES])
def test_heeded_refused_or_with_a_reason(owner: str, name: str, engine: str) -> None:
    drive, value = {row[0]: row[2] for row in TABLE}[owner][name]
    setup = base(engine, drive)
    key = (engine, drive)
    if key not in BEFORE:
        BEFORE[key] = outcome(setup, engine)
    try:
        after = outcome(changed(setup, owner, name, value), engine)
    except InputError as error:
        assert str(error)
        return
    assert heeded(BEFORE[key], after) != ((owner, name, engine) in REASONS)


@pytest.mark.parametrize("engine", [name for name in ENGINES if name != "planar"])
def test_what_needs_company_is_heeded_with_it(engine: str) -> None:
    """A slope's direction with a slope, a surface with an upright obstacle, a no-load speed with a torque limit."""
    setup = base(engine, "gait")
    pairs = [
        (replace(setup, world=setup.world.but(ground=Ground(slope=0.2))), replace(setup, world=setup.world.but(ground=Ground(slope=0.2, slope_direction=1.0)))),
    ]  # fmt: skip
    if not engine.endswith("native"):
        walled = setup.world.but(obstacles=(Disc((0.3, 0.06), 0.05),))
        pairs.append((replace(setup, world=walled), replace(setup, world=walled.but(surface=Surface(1e3)))))
    servo = base(engine, "servo")
    weak = servo.robot.but(servo=SERVO.but(torque_limit=0.3))
    line = servo.robot.but(servo=SERVO.but(torque_limit=0.3, no_load_speed=1.0))
    if engine != "drake-native":
        pairs.append((replace(servo, robot=weak), replace(servo, robot=line)))
    for one, two in pairs:
        assert heeded(outcome(one, engine), outcome(two, engine))


@pytest.mark.parametrize("engine", [name for name in ENGINES if not name.endswith("native") and name != "planar"])
def test_anchors_need_a_command_that_sets_them(engine: str) -> None:
    world = base(engine, "limp").world.but(anchors=(Anchor(0, 0.05, 100.0),))
    sim = Simulation(PLAIN, world, None, Start(velocity=(0.3, 0.0)), step=STEP, engine=engine)
    assert sim.state.time == 0.0
    sim._engine.anchor(0, True)
    sim.advance(DURATION)
    free = Simulation(PLAIN, world, None, Start(velocity=(0.3, 0.0)), step=STEP, engine=engine)
    free.advance(DURATION)
    assert np.abs(np.array(sim.state.com) - np.array(free.state.com)).max() > 1e-4


def test_the_face_is_the_package() -> None:
    assert sp.Robot is Robot and sp.Start is Start
