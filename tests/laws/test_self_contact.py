"""Contact between the links of one body: closed forms, momentum, energy, bodies that wind into themselves."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import serpenoid as sp
from serpenoid.contact import sums as slot
from serpenoid.contact.crossings import self_crossing
from serpenoid.contact.self_contact import LISTED, TOUCHES
from serpenoid.core import SelfContact, Servo
from serpenoid.core.errors import InputError
from serpenoid.core.terrain import Ground
from serpenoid.planar import layout as at
from serpenoid.planar.engine import PlanarEngine
from serpenoid.simulation.run import run_scenario
from serpenoid.spatial.engine import SpatialEngine

CLOSED = 1e-9  # of the positive work
ROUNDING = 1e-11
RADIUS, STIFF = 0.02, 5e4
ICE = sp.contact.Frictionless()
GROUND = sp.contact.Coulomb(0.1, 0.5, smoothing=1e-3)
SERVO = Servo(stiffness=20.0, damping=1.0, torque_limit=5.0)
FIRM = SelfContact(stiffness=STIFF, damping=50.0)
SMOOTH = SelfContact(stiffness=STIFF, damping=50.0, friction=0.0)


def chain(links: int = 20, **changes) -> sp.Robot:
    made = {"links": links, "link_length": 0.08, "link_mass": 0.1, "radius": RADIUS, "joint_damping": 0.02, **changes}
    return sp.Robot(**made)


def made(robot: sp.Robot, world: sp.World, step: float = 1e-3, **more) -> PlanarEngine:
    return PlanarEngine(robot, world, sp.Start(), step=step, stride=20, ideal=robot.servo is None, **more)


def wound(engine: Any, angles: np.ndarray, time: float = 2.0, rest: float = 1.0) -> Any:
    """The engine after its joints were told to bend to these angles, at rest at the end."""
    now = engine.joint_angles()
    speed = (np.asarray(angles) - now) / time
    engine.track(engine.time, engine.time + time, np.stack([now, speed, angles, 0.0 * speed]))
    assert engine.advance(engine.done + round((time + rest) / engine.dt))
    return engine


def remainder(engine: PlanarEngine | SpatialEngine) -> float:
    """What is missing in the balance of energy, of the positive work."""
    s = engine.sums
    parts = (slot.FRICTION_LOSS, slot.DAMPING_LOSS, slot.STOP_LOSS, slot.SELF_LOSS, slot.SCHEME_LOSS, slot.GROUND_LOSS)
    change = s[slot.KINETIC] - s[slot.KINETIC_START] + s[slot.POTENTIAL] - s[slot.POTENTIAL_START]
    return float((s[slot.NET_WORK] - change - sum(s[k] for k in parts)) / max(s[slot.POSITIVE_WORK], 1e-6))


def overlap(engine: PlanarEngine | SpatialEngine) -> float:
    """Deepest overlap in the frames, of the sum of two radii."""
    made = engine.variables()
    flat = isinstance(engine, PlanarEngine)
    return self_crossing(engine.robot, made["time"].data, made["node"].data, flat).overlap / (2.0 * RADIUS)


def in_space(robot: sp.Robot, world: sp.World, step: float = 1e-3, start: sp.Start | None = None) -> SpatialEngine:
    """On level ground, or floating where there is no weight."""
    ground = Ground(plane=world.gravity > 0.0)
    given = start if start is not None else sp.Start()
    return SpatialEngine(robot, world.but(ground=ground), given, step=step, stride=20, ideal=robot.servo is None)


def spin(engine: PlanarEngine) -> float:
    """Angular momentum about the centre of gravity."""
    links = engine.state.links
    return float(links[at.SPIN0].sum() + (engine.constants.links[at.INERTIA] * links[at.TURN0]).sum())


def fold(**changes) -> sp.Robot:
    """Three links that bend to a U: arms longer than half of the base meet at their tips."""
    return sp.Robot(links=3, link_length=(0.3, 0.4, 0.3), link_mass=0.1, radius=RADIUS, joint_damping=0.05, **changes)


def test_torques_against_the_contact_force_in_closed_form() -> None:
    """Its head upright on the base, a long arm is pressed against the head's tip: one force, two levers."""
    robot = sp.Robot(
        links=3, link_length=(0.5, 0.3, 0.2), link_mass=0.1, radius=RADIUS, servo=Servo(stiffness=8.0, damping=0.5)
    )
    world = sp.World(ICE, gravity=0.0, self_contact=SMOOTH)
    engine = wound(made(robot, world, tolerance=1e-13), np.array([2.6, 1.5]), 2.0, 4.0)
    (joint, base), nodes = engine.joint_torques(), engine.variables()["node"].data[-1, :, :2]
    assert np.abs(engine.joint_rates()).max() < 1e-9
    arm = (nodes[0] - nodes[1]) / 0.5
    along = (nodes[3] - nodes[1]) @ arm
    away = nodes[3] - nodes[1] - along * arm
    depth = 2.0 * RADIUS - np.linalg.norm(away)
    force, normal = STIFF * depth, away / np.linalg.norm(away)
    lever = (nodes[3] - nodes[2])[0] * normal[1] - (nodes[3] - nodes[2])[1] * normal[0]
    assert 0.1 < along < 0.4 and force > 2.0
    assert joint == pytest.approx(force * along, rel=1e-6)
    assert base == pytest.approx(-force * lever, rel=1e-6)
    assert engine.sums[slot.SELF_STORED] == pytest.approx(0.5 * force * depth, rel=1e-6)
    assert abs(remainder(engine)) < CLOSED


def test_prescribed_joints_carry_the_contact_force() -> None:
    engine = made(
        fold(), sp.World(ICE, gravity=0.0, self_contact=SelfContact(stiffness=STIFF, damping=0.0, friction=0.0))
    )
    angle = np.pi - np.arccos((0.2 - RADIUS + 1e-4) / 0.3)  # tips 2e-4 m inside each other
    wound(engine, np.array([angle, angle]))
    height = 0.3 * np.sin(angle)
    assert engine.joint_torques() == pytest.approx(2.0 * STIFF * 2e-4 * height, rel=1e-6)
    assert engine.state.sums[slot.SELF_FORCE_MAX] == pytest.approx(STIFF * 2e-4, rel=1e-6)
    assert abs(remainder(engine)) < CLOSED


@pytest.mark.parametrize("friction", [0.0, 0.4])
def test_momentum_and_angular_momentum_are_kept(friction: float) -> None:
    robot, world = chain(12), sp.World(ICE, gravity=0.0, self_contact=SelfContact(stiffness=STIFF, friction=friction))
    start = sp.Start(velocity=(0.3, -0.2), angular_velocity=1.5)
    engine = PlanarEngine(robot, world, start, step=1e-3, stride=5, ideal=False)
    engine.push(np.full(11, 0.05))
    assert engine.advance(1)
    before, touched = spin(engine), 0
    for _ in range(60):
        assert engine.advance(engine.done + 25)
        touched += int(engine.scratch.own.counts[TOUCHES] > 0)
    assert touched > 10 and engine.sums[slot.SELF_LOSS] > 1e-3
    assert engine.com_velocity()[:2] == pytest.approx([0.3, -0.2], abs=ROUNDING)
    assert spin(engine) == pytest.approx(before, rel=ROUNDING)
    assert abs(remainder(engine)) < CLOSED


def test_a_body_that_winds_into_itself_stops_at_its_surface() -> None:
    angles = sp.gaits.Serpenoid(np.radians(150.0), 2, speed=0.2).angles(chain(), 0.0)
    through, stopped = (
        wound(made(chain(servo=SERVO), sp.World(GROUND, self_contact=own)), angles) for own in (None, SelfContact())
    )
    assert overlap(through) > 1.0  # axes crossed
    assert overlap(stopped) < 0.02
    assert np.abs(stopped.joint_angles() - angles).max() > 0.2 and np.abs(stopped.joint_rates()).max() < 0.02
    assert stopped.sums[slot.SELF_FORCE_MAX] > 1.0 and stopped.sums[slot.UNCONVERGED] == 0.0
    assert abs(remainder(stopped)) < CLOSED and through.sums[slot.SELF_LOSS] == 0.0


def test_a_coil_of_many_turns_stays_apart() -> None:
    robot = chain(40, servo=SERVO)
    tight = np.full(39, 0.6)  # a circle of 0.27 m round: four turns on one place
    world = sp.World(sp.contact.Coulomb(0.05, 0.05, smoothing=1e-3), self_contact=SelfContact())
    engine = wound(made(robot, world, 2.5e-4), tight, 3.0)
    assert overlap(engine) < 0.05 and engine.scratch.own.counts[TOUCHES] > 5
    assert engine.sums[slot.UNCONVERGED] == 0.0
    assert abs(remainder(engine)) < CLOSED


def test_the_damped_torque_run_of_the_paper_no_longer_curls_through_itself() -> None:
    keys = [f"robot.radius={RADIUS}", "run.duration=20", "run.step=1e-3"]
    runs = [run_scenario("ma2001-torque-damped", [*keys, *more]) for more in ([], ["world.self_contact={}"])]
    through, stopped = (run.metrics["self_overlap"] / (2.0 * RADIUS) for run in runs)
    assert through > 0.5 and stopped < 0.02
    assert not any("cross" in text for text in runs[1].warnings)


def test_off_is_off_and_on_costs_nothing_where_nothing_touches() -> None:
    gait = sp.gaits.Serpenoid(0.6, 1.5, speed=0.4)
    plain, own = (sp.simulate(chain(), gait, sp.World(self_contact=s), duration=0.5) for s in (None, SelfContact()))
    assert plain.metrics == own.metrics and own.metrics["self_contact_loss"] == 0.0


def test_a_run_continues_bit_for_bit_and_the_list_has_no_say() -> None:
    angles = sp.gaits.Serpenoid(np.radians(150.0), 2, speed=0.2).angles(chain(), 0.0)
    world = sp.World(GROUND, self_contact=SelfContact())
    whole = wound(made(chain(servo=SERVO), world), angles)
    half = wound(made(chain(servo=SERVO), world), angles, rest=0.0)
    other = made(chain(servo=SERVO), world)
    other.put({name: array.copy() for name, array in half.arrays().items()})
    for _ in range(10):
        other.scratch.own.counts[LISTED] = 0.0  # make the list anew
        assert other.advance(other.done + 100)
    for name, array in whole.arrays().items():
        assert np.array_equal(array, other.arrays()[name]), name


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(InputError, match="give the robot a radius"):
        made(chain(radius=0.0), sp.World(self_contact=SelfContact()))
    with pytest.raises(InputError, match="implicit"):
        made(chain(), sp.World(self_contact=SelfContact()), integrator="rk4")
    gait = sp.gaits.Serpenoid(np.radians(150.0), 2, speed=0.2)
    with pytest.raises(InputError, match="first posture overlaps itself"):
        made(chain(), sp.World(self_contact=SelfContact()), first=gait)


def test_ideal_joints_that_push_through_are_remarked() -> None:
    bent = np.linspace(0.0, 1.0, 50)[:, None] * np.full(19, 0.5)
    gait = sp.gaits.Sampled(times=np.linspace(0.0, 2.0, 50), values=bent)
    run = sp.simulate(chain(), gait, sp.World(self_contact=FIRM), duration=2.0)
    assert any("ideal joints push them through" in text for text in run.warnings)
    assert run.metrics["self_contact_force_max"] > 100.0


def test_plane_and_space_agree_on_level_ice() -> None:
    angles = sp.gaits.Serpenoid(np.radians(150.0), 2, speed=0.2).angles(chain(), 0.0)
    world = sp.World(ICE, self_contact=SelfContact(stiffness=2e4, damping=40.0))
    flat = wound(made(chain(servo=SERVO), world), angles)
    space = wound(in_space(chain(servo=SERVO), world), angles)
    assert overlap(space) < 0.06 and overlap(flat) < 0.06 and flat.scratch.own.counts[TOUCHES] >= 6
    assert space.joint_angles() == pytest.approx(flat.joint_angles(), abs=2e-3)
    assert space.joint_torques() == pytest.approx(flat.joint_torques(), abs=0.05)
    assert space.sums[slot.SELF_STORED] == pytest.approx(flat.sums[slot.SELF_STORED], rel=0.02)
    assert np.ptp(space.nodes()[:, 2]) < 1e-6
    assert abs(remainder(space)) < CLOSED and space.sums[slot.UNCONVERGED] == 0.0


def test_prescribed_joints_in_space_carry_what_they_carry_in_the_plane() -> None:
    world = sp.World(ICE, gravity=0.0, self_contact=FIRM)
    angle = np.pi - np.arccos((0.2 - RADIUS + 1e-4) / 0.3)
    flat, space = (wound(make(fold(), world), np.array([angle, angle]), rest=0.1) for make in (made, in_space))
    assert np.abs(flat.joint_torques()).min() > 1.0
    assert space.joint_torques() == pytest.approx(flat.joint_torques(), rel=1e-6)
    assert abs(remainder(space)) < CLOSED


def tangled(own: SelfContact | None, seed: int) -> SpatialEngine:
    """A weightless body that torques wind into a knot."""
    rng = np.random.default_rng(seed)
    robot = chain(14, joints="universal", joint_damping=0.01)
    start = sp.Start(velocity=(0.1, 0.2), angular_velocity=0.5)
    engine = in_space(robot, sp.World(ICE, gravity=0.0, self_contact=own), start=start)
    engine.push(rng.uniform(0.02, 0.05, 26) * rng.choice([1.0, 1.0, -1.0], 26))
    assert engine.advance(2500)
    return engine


def spatial_momentum(engine: SpatialEngine) -> np.ndarray:
    """Velocity of the centre of gravity, angular momentum about it."""
    return np.concatenate([engine.com_velocity(), engine.state.momenta[:3].sum(axis=1)])


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_knot_in_space_keeps_apart_and_keeps_its_momentum(seed: int) -> None:
    through, knot = tangled(None, seed), tangled(SelfContact(stiffness=STIFF, friction=0.2), seed)
    assert overlap(through) > 0.5 and overlap(knot) < 0.05
    assert spatial_momentum(knot) == pytest.approx(spatial_momentum(through), abs=1e-10)
    assert knot.sums[slot.SELF_LOSS] > 1e-3 and abs(remainder(knot)) < CLOSED
    assert knot.sums[slot.UNCONVERGED] <= 0.01 * knot.done


def test_a_run_in_space_continues_bit_for_bit() -> None:
    angles = sp.gaits.Serpenoid(np.radians(150.0), 2, speed=0.2).angles(chain(), 0.0)
    world = sp.World(GROUND, self_contact=SelfContact())
    whole = wound(in_space(chain(servo=SERVO), world), angles)
    half = wound(in_space(chain(servo=SERVO), world), angles, rest=0.0)
    other = in_space(chain(servo=SERVO), world)
    other.put({name: array.copy() for name, array in half.arrays().items()})
    for _ in range(10):
        other.scratch.contacts.own.counts[LISTED] = 0.0
        assert other.advance(other.done + 100)
    for name, array in whole.arrays().items():
        assert np.array_equal(array, other.arrays()[name], equal_nan=True), name


def test_other_packages_refuse() -> None:
    pytest.importorskip("mujoco")
    from serpenoid.peers import engine_class

    with pytest.raises(InputError, match="knows no contact between links"):
        engine_class("mujoco")(
            chain(), sp.World(ground=Ground(), self_contact=SelfContact()), sp.Start(), step=1e-3, stride=1, ideal=False, first=None
        )  # fmt: skip
