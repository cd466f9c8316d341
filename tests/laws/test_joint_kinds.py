"""Joints of every kind in any sequence, their stops and rotors: kinematics, limits, energy, and a change of command in flight."""

from __future__ import annotations

import numpy as np
import pytest

import serpenoid as sp
import space_cases as cases
from serpenoid.contact import sums
from serpenoid.contact.joint import STOP_HIGH, STOP_STIFFNESS
from serpenoid.core.actuator import Servo
from serpenoid.core.errors import InputError
from serpenoid.core.obstacles import Anchor, Disc, Wall
from serpenoid.core.terrain import Ground
from serpenoid.spatial import exponentials
from serpenoid.spatial.body import Body
from serpenoid.spatial.engine import SpatialEngine

CLOSED = 1e-9  # of the positive work: the account is exact
EXACT = 1e-12
KINDS = ("roll", "yaw", "universal", "fixed", "pitch-yaw", "pitch", "roll")
FREE = sp.World(friction=sp.contact.Coulomb(0.5, 0.5), gravity=0.0, ground=Ground())
ALOFT = sp.Start(height=5.0)
SPENT = (sums.FRICTION_LOSS, sums.GROUND_LOSS, sums.DAMPING_LOSS, sums.SCHEME_LOSS, sums.STOP_LOSS)


def mixed(**changes) -> sp.Robot:
    """Eight unequal links with joints of every kind."""
    n = len(KINDS) + 1
    length = 0.12 + 0.01 * np.arange(n)
    return sp.Robot(
        links=n, link_length=length, link_mass=0.2 + 0.03 * np.arange(n), joints=KINDS, radius=0.02,
        **{"joint_damping": 0.01, **changes},
    )  # fmt: skip


def balance(engine: SpatialEngine) -> float:
    """What is missing in the account of energy, over the positive work."""
    acc = engine.sums
    gained = acc[sums.KINETIC] - acc[sums.KINETIC_START] + acc[sums.POTENTIAL] - acc[sums.POTENTIAL_START]
    return float(abs(acc[sums.NET_WORK] - gained - sum(acc[k] for k in SPENT)) / acc[sums.POSITIVE_WORK])


def hinge(servo: Servo | None = None, **changes) -> sp.Robot:
    """Two equal links that turn about a joint between them."""
    return sp.robots.rods(2, 0.4, 1.0, radius=0.02).but(servo=servo, **changes)


def test_links_lie_where_the_product_of_exponentials_puts_them() -> None:
    robot, rng = mixed(), np.random.default_rng(7)
    assert robot.axes == (
        (1, "roll"),
        (2, "yaw"),
        (3, "yaw"),
        (3, "pitch"),
        (5, "pitch"),
        (5, "yaw"),
        (6, "pitch"),
        (7, "roll"),
    )
    angles, rates = rng.uniform(-1.2, 1.2, 8), rng.uniform(-1.0, 1.0, 8)
    engine = SpatialEngine(robot, FREE, ALOFT, step=1e-3, stride=1, ideal=True, first=angles)
    base = np.eye(4)
    base[:3, :3], base[:3, 3] = engine.link_frames()[0], engine.nodes()[0]
    poses = exponentials.poses(robot, base, angles)
    assert np.abs(poses[:, :3, :3] - engine.link_frames()).max() < EXACT
    assert np.abs(exponentials.nodes(robot, base, angles) - engine.nodes()).max() < EXACT
    # velocities: kinetic energy by the Jacobians
    frame, spin, velocity = cases.random_frame(rng), rng.uniform(-1, 1, 3), rng.uniform(-1, 1, 3)
    base[:3, :3], base[:3, 3] = frame, 0.0
    twists = exponentials.velocities(robot, base, angles, np.concatenate([spin, velocity]), rates)
    axis = exponentials.poses(robot, base, angles)[:, :3, 0]
    along = np.einsum("ie,ie->i", twists[:, :3], axis)
    energy = 0.5 * robot.link_mass * (twists[:, 3:] ** 2).sum(axis=1) + 0.5 * robot.link_inertia * (
        (twists[:, :3] ** 2).sum(axis=1) - along**2
    )
    energy += 0.5 * robot.axial_inertia * along**2
    body = Body(robot).put(frame=frame, angles=angles, spin=spin, velocity=velocity, rates=rates)
    assert body.energy() == pytest.approx(energy.sum(), rel=EXACT)


def test_a_stop_holds_a_torque_by_its_stiffness_and_never_pulls() -> None:
    robot = hinge(joint_limit=0.6)
    engine = SpatialEngine(robot, FREE, ALOFT, step=5e-4, stride=10, ideal=False)
    act = engine.constants.chain.actuators
    engine.push([0.2])
    assert engine.advance(4000)
    assert act[STOP_HIGH, 0] == 0.6
    assert engine.joint_angles()[0] == pytest.approx(0.6 + 0.2 / act[STOP_STIFFNESS, 0], abs=1e-7)
    assert engine.sums[sums.STOP_LOSS] > 0.9 * engine.sums[sums.NET_WORK] > 0.0
    assert balance(engine) < CLOSED
    engine.push([-0.2])  # away from the stop as if there were none
    free = SpatialEngine(hinge(), FREE, ALOFT, step=5e-4, stride=10, ideal=False, first=engine.joint_angles())
    free.push([-0.2])
    begin = engine.joint_angles()[0]
    assert engine.advance(4200) and free.advance(200)
    assert engine.joint_angles()[0] - begin == pytest.approx(free.joint_angles()[0] - begin, rel=2e-2)


@pytest.mark.parametrize("step", [1e-3, 2e-2])
def test_servos_do_not_break_through_stops(step: float) -> None:
    """Aims beyond the limits end at the stops, at any step."""
    robot = mixed(servo=Servo(stiffness=30.0, damping=0.5), joint_limit=0.4)
    engine = SpatialEngine(robot, FREE, ALOFT, step=step, stride=1, ideal=False)
    goal = 1.2 * np.array([1, -1, 1, -1, 1, -1, 1, -1.0])
    engine.track(0.0, 0.5, [np.zeros(8), np.zeros(8), goal, np.zeros(8)])
    assert engine.advance(round(1.5 / step))
    assert np.abs(engine.joint_angles()).max() < 0.43 and np.abs(engine.joint_angles()).min() > 0.39


def test_a_rotor_takes_its_share_of_a_torque() -> None:
    """Free hinge: the joint's acceleration is tau / (I_r + J), I_r the inertia of relative turning; the account counts the rotor."""
    rotor, torque, h = 3e-3, 0.05, 1e-4
    ends = {}
    for j in (0.0, rotor):
        robot = hinge(Servo(stiffness=0.0, damping=0.0, rotor_inertia=j))
        engine = SpatialEngine(robot, FREE, ALOFT, step=h, stride=10, ideal=False)
        engine.push([torque])
        assert engine.advance(200)
        ends[j] = torque / (engine.joint_rates()[0] / (200 * h))
        assert balance(engine) < CLOSED
    assert ends[rotor] - ends[0.0] == pytest.approx(rotor, rel=1e-3)


def test_prescribed_joints_pay_for_their_rotors() -> None:
    rotor = 2e-3
    torques, rates = [], []
    for j in (0.0, rotor):
        robot = mixed(servo=Servo(rotor_inertia=j))
        engine = SpatialEngine(robot, FREE, ALOFT, step=1e-3, stride=1, ideal=True)
        engine.track(0.0, 0.4, [np.zeros(8), np.zeros(8), np.linspace(-0.6, 0.8, 8), np.full(8, 0.3)])
        assert engine.advance(300) and balance(engine) < CLOSED
        found = engine.variables()
        torques.append(found["joint_torque"].data)
        rates.append(found["joint_rate"].data)
    assert np.array_equal(*rates)
    share = rotor * np.diff(rates[0], axis=0) / 1e-3
    assert np.abs(torques[1] - torques[0])[1:] == pytest.approx(np.abs(share), abs=1e-9)
    assert np.abs(share).max() > 1e-3


@pytest.mark.parametrize(
    "law", [sp.contact.Coulomb(0.3, 0.7), sp.contact.Bristle(0.3, 0.6, static_across=0.9, stick_length_across=1e-3)]
)
def test_energy_balance_with_everything_at_once(law) -> None:
    """Servos with limits, gear friction, backlash and rotors, stops, walls, anchors, limp joints, changes of command."""
    servo = Servo(
        stiffness=20.0, damping=0.4, torque_limit=1.5, no_load_speed=9.0, speed_limit=3.0, gear_friction=0.02, backlash=0.02,
        rotor_inertia=5e-4,
    )  # fmt: skip
    robot = mixed(servo=servo, joint_limit=0.5, limp=(6,))
    world = sp.World(
        friction=law, ground=Ground(), obstacles=(Disc(centre=(0.5, 0.09), radius=0.05), Wall(start=(0.0, -0.09), end=(1.2, -0.09), thickness=0.1)),
        anchors=(Anchor(link=2, at=0.05, hold=4.0),),
    )  # fmt: skip
    engine = SpatialEngine(robot, world, sp.Start(), step=1e-3, stride=10, ideal=False)
    goal = 0.9 * np.array([1, 1, -1, 0.3, 0.2, 1, -1, 0.5])
    engine.track(0.0, 0.4, [np.zeros(8), np.zeros(8), goal, np.zeros(8)])
    engine.anchor(0, True)
    assert engine.advance(500)
    engine.push(np.array([0.2, -0.3, 0.3, -0.1, 0.1, -0.3, 0.0, 0.2]))
    engine.anchor(0, False)
    assert engine.advance(800)
    engine.passive(np.arange(8) == 2)
    engine.track(engine.time, engine.time + 0.3, [engine.joint_angles(), engine.joint_rates(), -goal, np.zeros(8)])
    assert engine.advance(1300)
    acc = engine.sums
    assert balance(engine) < CLOSED
    assert min(acc[sums.STOP_LOSS], acc[sums.DAMPING_LOSS], acc[sums.FRICTION_LOSS]) > 0.0
    assert (
        acc[sums.UNCONVERGED] <= 20
        and engine.peaks()["wall_force"].max() > 0.5
        and engine.peaks()["anchor_force"][0] > 0.5
    )
    assert engine.joint_torques()[2] == 0.0 == engine.joint_torques()[6]


def test_a_change_of_command_carries_pose_and_velocities_over() -> None:
    """Ideal joints become torque-driven and ideal again; in flight momenta stay what they are, to rounding."""
    robot, rng = mixed(joint_damping=0.0), np.random.default_rng(3)
    start = sp.Start(height=5.0, velocity=(0.3, -0.2), angular_velocity=1.0)
    engine = SpatialEngine(robot, FREE, start, step=1e-3, stride=1, ideal=True)
    engine.track(0.0, 0.3, [np.zeros(8), np.zeros(8), rng.uniform(-0.6, 0.6, 8), rng.uniform(-1, 1, 8)])
    assert engine.advance(200)
    spin = engine.state.momenta[:3].sum(axis=1)
    before = engine.joint_angles(), engine.joint_rates(), engine.com(), engine.com_velocity(), engine.nodes()
    engine.push(rng.uniform(-1e-4, 1e-4, 8))
    after = engine.joint_angles(), engine.joint_rates(), engine.com(), engine.com_velocity(), engine.nodes()
    assert all(np.array_equal(a, b) for a, b in zip(before, after, strict=True))
    assert engine.advance(400)
    assert np.isnan(engine.joint_targets()).all()
    engine.track(
        engine.time, engine.time + 0.2, [engine.joint_angles(), engine.joint_rates(), np.zeros(8), np.zeros(8)]
    )
    assert engine.advance(600) and np.abs(engine.joint_angles()).max() < EXACT
    assert np.abs(engine.state.momenta[:3].sum(axis=1) - spin).max() < 1e-13
    assert np.abs(engine.com_velocity() - [0.3, -0.2, 0.0]).max() < 1e-13
    rate = np.abs(np.diff(engine.variables()["joint_rate"].data, axis=0)).max()
    assert rate < 0.2  # rad/s in a step: nothing jumps


def test_however_the_way_is_cut_the_state_is_the_same_bit_for_bit() -> None:
    robot = mixed(servo=Servo(stiffness=20.0, damping=0.4, rotor_inertia=1e-3, control_period=0.02), joint_limit=0.5)
    law = sp.contact.Bristle(0.3, 0.6, static_across=0.9, stick_length_across=1e-3)
    world = sp.World(friction=law, ground=Ground(), obstacles=(Disc(centre=(0.5, 0.12), radius=0.05),))

    def run(*cuts: int, moved: bool = False) -> SpatialEngine:
        engine = SpatialEngine(robot, world, sp.Start(), step=1e-3, stride=7, ideal=False)
        engine.track(0.0, 0.4, [np.zeros(8), np.zeros(8), np.linspace(-0.7, 0.7, 8), np.zeros(8)])
        for to in cuts:
            assert engine.advance(to)
            if moved:  # into another engine
                other = SpatialEngine(robot, world, sp.Start(), step=1e-3, stride=7, ideal=False)
                other.put({name: array.copy() for name, array in engine.arrays().items()})
                engine = other
        return engine

    whole = run(500)
    for other in (run(1, 2, 9, 100, 101, 333, 500), run(123, 500, moved=True)):
        for name, array in whole.arrays().items():
            assert np.array_equal(array, other.arrays()[name], equal_nan=True), name
    cut = run(1, 2, 9, 100, 101, 333, 500).variables()
    for name, variable in whole.variables().items():
        assert np.array_equal(variable.data, cut[name].data, equal_nan=True), name


def test_refused() -> None:
    robot = mixed()
    engine = SpatialEngine(robot, FREE, ALOFT, step=1e-3, stride=1, ideal=False)
    with pytest.raises(InputError, match="no servos"):
        engine.track(0.0, 1.0, [np.zeros(8)] * 4)
    with pytest.raises(InputError, match="8 finite numbers"):
        engine.push(np.zeros(7))
    with pytest.raises(InputError, match="8 finite numbers"):
        engine.push(np.full(8, np.nan))
    ideal = SpatialEngine(robot, FREE, ALOFT, step=1e-3, stride=1, ideal=True)
    with pytest.raises(InputError, match="end after it begins"):
        ideal.track(1.0, 1.0, [np.zeros(8)] * 4)
    with pytest.raises(InputError, match="missing or has another shape"):
        ideal.put({"motion": np.zeros(3)})
    broken = {name: array.copy() for name, array in ideal.arrays().items()}
    broken["momenta"][0, 0] = np.inf
    with pytest.raises(InputError, match="not finite in momenta"):
        ideal.put(broken)

    class Unknown:
        KIND, NAME = 77, "unknown"

        def row(self, *_):
            return np.zeros(1), np.zeros((1, 1))

        def period(self, *_):
            return None

        def kinks(self):
            return []

    with pytest.raises(InputError, match="does not know the drive"):
        ideal.drive(Unknown())
    with pytest.raises(InputError):
        ideal.follow(Unknown())
    ideal.track(0.0, 1.0, [np.zeros(8)] * 4)
    ideal.state.motion[21] = 1.0  # a gait, but none was given: the kernels refuse
    with pytest.raises(InputError, match="do not know"):
        ideal.advance(3)
