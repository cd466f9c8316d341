"""What acts in a planar joint: servos, gears, rotors, stops, locks, against closed forms, the other engine and the balance."""

from __future__ import annotations

import numpy as np
import pytest

import serpenoid as sp
from serpenoid.contact import sums as slot
from serpenoid.contact.joint import GEAR_SMOOTHING, STOP_STIFFNESS
from serpenoid.core.actuator import Servo
from serpenoid.core.terrain import Ground
from serpenoid.planar import dense, switch
from serpenoid.planar.engine import PlanarEngine
from serpenoid.planar.step import FINE, march_driven
from serpenoid.spatial.engine import SpatialEngine

CLOSED = 1e-9  # of the positive work
ROUNDING = 1e-11  # of the scale of the quantity
ICE = sp.World(sp.contact.Frictionless())
GROUND = sp.World(sp.contact.Coulomb(0.1, 0.5))
GAIT = sp.gaits.Serpenoid(0.7, 1.2, speed=0.5, acceleration=1.0)  # speeds up from rest


def engine(robot: sp.Robot, world: sp.World = GROUND, step: float = 1e-3, **more) -> PlanarEngine:
    return PlanarEngine(robot, world, sp.Start(heading=0.4), step=step, stride=10, ideal=robot.servo is None, **more)


def followed(robot: sp.Robot, time: float, step: float, world: sp.World = GROUND, gait=GAIT) -> PlanarEngine:
    made = engine(robot, world, step, first=gait)
    made.follow(gait)
    assert made.advance(round(time / step))
    return made


def remainder(made: PlanarEngine) -> float:
    """What is missing in the balance of energy, of the positive work."""
    s = made.sums
    parts = s[slot.FRICTION_LOSS] + s[slot.DAMPING_LOSS] + s[slot.STOP_LOSS] + s[slot.SCHEME_LOSS]
    return (s[slot.NET_WORK] - (s[slot.KINETIC] - s[slot.KINETIC_START]) - parts) / max(s[slot.POSITIVE_WORK], 1e-6)


FULL = Servo(
    stiffness=30.0, damping=0.4, torque_limit=1.2, speed_limit=4.0, control_period=0.013, gear_friction=0.05, backlash=0.03,
    rotor_inertia=2e-3, no_load_speed=9.0,
)  # fmt: skip


def equipped(**changes) -> sp.Robot:
    """A robot with everything on: eight links, servos with all features, damping, stops that are met, a lock, a limp joint."""
    rng = np.random.default_rng(8)
    length, mass = rng.uniform(0.06, 0.12, 8), rng.uniform(0.3, 0.8, 8)
    made = {
        "links": 8, "link_length": length, "link_mass": mass, "joint_damping": rng.uniform(0.01, 0.03, 7), "servo": FULL,
        "joint_limit": [0.3, 2.0, 0.35, 2.0, 2.0, 0.3, 2.0], "locked": (4,), "limp": (6,), "com_offset": length * rng.uniform(0.3, 0.7, 8),
        "contact_offset": length * rng.uniform(0.3, 0.7, 8), **changes,
    }  # fmt: skip
    return sp.Robot(**made)


@pytest.mark.parametrize("world", [GROUND, ICE, sp.World(sp.contact.UnitSlip(0.2, 0.6))])
def test_balance_closes_with_everything_on(world: sp.World) -> None:
    made = engine(equipped(), world)  # straight at first: the gait asks for more than the stops allow
    made.follow(GAIT)
    assert made.advance(2000)
    s = made.sums
    assert s[slot.POSITIVE_WORK] > 0.05 and s[slot.DAMPING_LOSS] > 0.0 and s[slot.STOP_LOSS] > 1e-6
    assert s[slot.SATURATED] > 0.0
    assert abs(remainder(made)) < CLOSED


def test_momentum_is_kept_with_everything_on() -> None:
    made = engine(equipped(), ICE)
    spin = []
    made.follow(GAIT)
    for to in range(0, 1001, 100):
        assert made.advance(to)
        k = made.state.links
        spin.append(float(k[4].sum() + made.robot.link_inertia @ k[1]))
    assert np.abs(made.com_velocity()).max() < ROUNDING
    scale = made.robot.mass * made.robot.length**2
    assert np.abs(spin).max() < ROUNDING * scale
    assert np.abs(made.joint_rates()).max() > 0.1


def test_servos_are_those_of_the_spatial_engine() -> None:
    """The same robot on level point ground: links touch at their centres of gravity, so each presses with its own weight."""
    servo = Servo(
        stiffness=20.0, damping=0.5, torque_limit=1.5, gear_friction=0.03, rotor_inertia=1e-3, no_load_speed=12.0
    )
    robot = sp.robots.ma2001(6, com_offset=0.04, contact_offset=0.04).but(servo=servo, joint_damping=0.02)
    gaps = []
    for step in (4e-4, 2e-4, 1e-4):
        plane = followed(robot, 1.0, step)
        world = sp.World(GROUND.friction, ground=Ground("point", 2e4, 200.0))
        space = SpatialEngine(robot, world, sp.Start(heading=0.4), step=step, stride=100, ideal=False, first=GAIT)
        space.follow(GAIT)
        assert space.advance(round(1.0 / step))
        gaps.append(np.abs(plane.nodes()[:, :2] - space.nodes()[:, :2]).max())
        assert np.abs(plane.joint_torques() - space.joint_torques()).max() < 60.0 * step
    assert np.abs(plane.joint_angles()).max() > 0.1
    assert gaps[2] < 2e-4 and 1.5 < gaps[0] / gaps[1] < 2.7 and 1.5 < gaps[1] / gaps[2] < 2.7


def test_a_stiff_servo_is_an_ideal_joint() -> None:
    robot = sp.robots.ma2001(8)
    ideal = followed(robot, 1.0, 2e-4).nodes()
    gaps = []
    for stiffness, damping in ((1e3, 1.0), (1e4, 3.0), (1e5, 10.0)):
        made = followed(robot.but(servo=Servo(stiffness=stiffness, damping=damping)), 1.0, 2e-4)
        gaps.append(np.abs(made.nodes() - ideal).max())
    assert gaps[0] > 2.0 * gaps[1] > 4.0 * gaps[2] and gaps[2] < 3e-4


# one joint: a light link on one that is too heavy to move


def arm(servo: Servo | None = None, **changes) -> sp.Robot:
    return sp.Robot(links=2, link_length=0.2, link_mass=[1e7, 0.6], servo=servo, **changes)


INERTIA = 0.6 * 0.2**2 / 3.0  # of the light link about the joint


def swung(robot: sp.Robot, aim: float, time: float, step: float = 1e-4) -> PlanarEngine:
    made = engine(robot, ICE, step)
    made.track(0.0, 1e-9, [[aim], [0.0], [aim], [0.0]])
    assert made.advance(round(time / step))
    return made


def test_terminal_speed_on_the_torque_speed_line() -> None:
    """tau_s (1 - w / w_s) = c w + tau_g."""
    servo = Servo(stiffness=1e3, damping=0.0, torque_limit=0.8, no_load_speed=7.0, gear_friction=0.1)
    made = swung(arm(servo, joint_damping=0.03), 1e4, 2.0)
    assert made.joint_rates()[0] == pytest.approx((0.8 - 0.1) / (0.03 + 0.8 / 7.0), rel=1e-6)
    w = made.joint_rates()[0]
    assert made.joint_torques()[0] == pytest.approx(0.8 * (1.0 - w / 7.0), rel=1e-9)


def test_torque_limit_and_aim_speed() -> None:
    limited = swung(arm(Servo(stiffness=1e3, damping=0.0, torque_limit=0.3)), 1e4, 0.2, 1e-3)
    assert limited.joint_rates()[0] == pytest.approx(0.3 / INERTIA * 0.2, rel=1e-6)
    slow = swung(arm(Servo(stiffness=1e4, damping=1.0, speed_limit=1.5)), 10.0, 1.0, 1e-3)
    assert slow.joint_aims()[0] == pytest.approx(1.5, rel=1e-12)
    assert slow.joint_rates()[0] == pytest.approx(1.5, rel=1e-3)


def test_backlash_is_a_dead_band() -> None:
    servo = Servo(stiffness=40.0, damping=1.0, backlash=0.1)
    still = swung(arm(servo), 0.049, 0.5)
    assert still.joint_angles()[0] == 0.0 and still.joint_rates()[0] == 0.0
    turned = swung(arm(servo, joint_damping=0.3), 0.3, 4.0)
    assert turned.joint_angles()[0] == pytest.approx(
        0.25, abs=1e-9
    )  # damped more than critically: at the near end of the play
    assert abs(turned.joint_rates()[0]) < 1e-9 and abs(turned.joint_torques()[0]) < 1e-9


@pytest.mark.parametrize("spatial", [False, True])
def test_little_play_is_nearly_none(spatial: bool) -> None:
    """A motor behind play still brakes: torques and angles tend to those without play, they do not jump by a multiple."""
    servo = Servo(stiffness=60.0, damping=1.5, torque_limit=8.0, no_load_speed=9.0)
    world = sp.World(sp.contact.Coulomb(0.1, 0.5), ground=Ground("point", 2e4, 200.0)) if spatial else GROUND
    none, little = (
        sp.simulate(sp.robots.ma2001(links=6, servo=servo.but(backlash=play)), GAIT, world, 0.5, checked=False)
        for play in (0.0, 1e-9)
    )
    for name in ("joint_angle", "joint_torque"):
        assert np.abs(little[name] - none[name]).max() < 1e-4 * np.abs(none[name]).max()


def test_gear_friction_holds_and_gives_way() -> None:
    servo = Servo(gear_friction=0.5)
    for torque in (0.4, 0.7):
        made = engine(arm(servo), ICE, 1e-3)
        made.push([torque])
        assert made.advance(500)
        if torque < 0.5:  # it creeps: tau = tau_g w / sqrt(w^2 + eps^2)
            creep = GEAR_SMOOTHING * torque / np.sqrt(0.5**2 - torque**2)
            assert made.joint_rates()[0] == pytest.approx(creep, rel=1e-6)
        else:
            assert made.joint_rates()[0] == pytest.approx((torque - 0.5) / INERTIA * 0.5, rel=1e-3)


def test_sampled_aims_are_held() -> None:
    made = engine(arm(Servo(stiffness=100.0, damping=1.0, control_period=0.02)), ICE, 1e-3)
    made.track(0.0, 1.0, [[0.0], [0.5], [0.5], [0.5]])
    seen = []
    for to in range(1, 101):
        made.advance(to)
        seen.append(float(made.joint_aims()[0]))
    times = np.arange(1, 101) * 1e-3
    assert seen == pytest.approx(0.5 * 0.02 * np.floor(times / 0.02 * (1.0 + 1e-12)), abs=1e-12)


def test_rotor_inertia_is_an_armature() -> None:
    """Two free links: relative acceleration tau / (1 / a + J), a the acceleration per torque without a rotor."""
    robot = sp.Robot(links=2, link_length=[0.2, 0.3], link_mass=[0.5, 0.8], joint_damping=0.0)
    phi = np.array([0.3, -0.4])
    _, ddphi = dense.torque_to_motion(robot, phi, np.zeros(2), np.ones(1), np.zeros((2, 2)))
    free = ddphi[1] - ddphi[0]
    for rotor in (0.0, 0.004):
        made = PlanarEngine(
            robot.but(servo=Servo(rotor_inertia=rotor)), ICE, sp.Start(), step=1e-6, ideal=False, first=[phi[1] - phi[0]]
        )  # fmt: skip
        made.push([0.7])
        assert made.advance(1)
        assert made.joint_rates()[0] / 1e-6 == pytest.approx(0.7 / (1.0 / free + rotor), rel=1e-5)
        assert abs(remainder(made)) < CLOSED
        assert made.advance(20_000)
        assert abs(remainder(made)) < CLOSED


def test_a_stop_holds_a_torque() -> None:
    robot = arm(joint_limit=0.4, joint_damping=0.2)
    made = PlanarEngine(robot, ICE, sp.Start(), step=1e-3, ideal=False)
    made.push([0.9])
    assert made.advance(4000)
    stiffness = made.constants.joints[STOP_STIFFNESS, 1]
    assert made.joint_angles()[0] == pytest.approx(0.4 + 0.9 / stiffness, rel=1e-6)
    assert abs(made.joint_rates()[0]) < 1e-6 and abs(remainder(made)) < CLOSED


def test_a_stop_throws_back() -> None:
    """No farther beyond than the speed over the stop's frequency; back with less than it came with; the lost energy is the stop's."""
    robot = sp.Robot(
        links=2, link_length=[1e-4, 0.2], link_mass=[1e5, 0.6], link_inertia=[1e5, 0.002], com_offset=[0.0, 0.1], joint_limit=0.4
    )  # fmt: skip
    made = PlanarEngine(robot, ICE, sp.Start(), step=1e-5, ideal=False)
    made.push([0.5])
    made.advance(1)
    while made.joint_angles()[0] < 0.3:
        made.advance(made.done + 1)
    made.push([0.0])
    speed, before = made.joint_rates()[0], made.sums[slot.KINETIC]
    assert made.advance(made.done + 20_000)
    frequency = np.sqrt(made.constants.joints[STOP_STIFFNESS, 1] / INERTIA)
    angle = made.variables()["joint_angle"].data
    assert 0.4 < angle.max() < 0.4 + speed / frequency
    assert -0.5 * speed < made.joint_rates()[0] < -0.01 * speed
    assert abs(remainder(made)) < CLOSED
    assert made.sums[slot.STOP_LOSS] == pytest.approx(before - made.sums[slot.KINETIC], rel=0.02)


# locked and limp joints


def test_a_locked_joint_makes_two_links_one() -> None:
    length, mass, com = (
        np.array([0.1, 0.14, 0.12, 0.09]),
        np.array([0.4, 0.7, 0.5, 0.3]),
        np.array([0.04, 0.09, 0.05, 0.05]),
    )
    inertia = mass * length**2 / 10.0
    drive = sp.gaits.drives.SineTorque(0.01, 5.0, 0.0)
    whole = sp.Robot(links=4, link_length=length, link_mass=mass, link_inertia=inertia, com_offset=com, locked=(2,))
    m = mass[1] + mass[2]
    centre = (mass[1] * com[1] + mass[2] * (length[1] + com[2])) / m
    joined = inertia[1] + inertia[2] + mass[1] * (com[1] - centre) ** 2 + mass[2] * (length[1] + com[2] - centre) ** 2
    rigid = sp.Robot(
        links=3, link_length=[length[0], length[1] + length[2], length[3]], link_mass=[mass[0], m, mass[3]],
        link_inertia=[inertia[0], joined, inertia[3]], com_offset=[com[0], centre, com[3]],
    )  # fmt: skip
    angles = []
    for robot in (whole, rigid):
        made = PlanarEngine(robot, ICE, sp.Start(), step=1e-3, ideal=False, first=[0.2, -0.5], tolerance=1e-12)
        made.drive(drive)
        assert made.advance(1000)
        assert abs(remainder(made)) < CLOSED
        angles.append(made.joint_angles())
        if robot is whole:
            heading = made.recorded()["links"][:, 0]
            assert np.array_equal(heading[:, 1], heading[:, 2])
            assert made.joint_angles().shape == (2,)
    assert np.abs(angles[0] - angles[1]).max() < 1e-9
    assert np.abs(angles[0] - [0.2, -0.5]).max() > 0.3


def test_a_locked_joint_stays_straight_where_the_others_follow() -> None:
    robot = sp.robots.ma2001(8)
    free, locked = followed(robot, 0.7, 1e-3), followed(robot.but(locked=(3, 4)), 0.7, 1e-3)
    assert np.abs(locked.joint_angles() - np.delete(free.joint_angles(), [2, 3])).max() < 1e-13
    heading = locked.recorded()["links"][:, 0]
    assert np.array_equal(heading[:, 2], heading[:, 3]) and np.array_equal(heading[:, 3], heading[:, 4])
    assert abs(remainder(locked)) < CLOSED


def test_limp_joints_have_no_torque() -> None:
    """Among servos and among ideal joints, from the start and from some moment on."""
    for robot in (sp.robots.ma2001(8), sp.robots.ma2001(8).but(servo=Servo())):
        made = followed(robot.but(limp=(3,)), 0.5, 1e-3)
        assert made.joint_torques()[2] == 0.0 and np.abs(np.delete(made.joint_torques(), 2)).min() > 1e-3
        assert abs(remainder(made)) < CLOSED
        made = followed(robot, 0.5, 1e-3)
        before = made.nodes(), made.joint_rates(), made.com_velocity()
        made.passive([False, True, False, False, False, False, True])
        for old, new in zip(before, (made.nodes(), made.joint_rates(), made.com_velocity()), strict=True):
            assert np.abs(old - new).max() < 1e-14
        assert made.advance(900)
        assert np.all(made.joint_torques()[[1, 6]] == 0.0) and abs(remainder(made)) < CLOSED
        if robot.servo is None:
            wanted = np.delete(GAIT.angles(robot, 0.9), [1, 6])
            assert np.abs(np.delete(made.joint_angles(), [1, 6]) - wanted).max() < 1e-12


def test_held_joints_are_prescribed_joints() -> None:
    """Every joint held in the recursion of driven ones: the prescribed shape, by another formulation."""
    gaps = []
    for step in (1e-3, 5e-4):
        shape = followed(sp.robots.ma2001(8), 1.0, step)
        held = engine(sp.robots.ma2001(8), GROUND, step, first=GAIT)
        held.follow(GAIT)
        switch.release(held.constants, held.state, held.scratch)
        steps = round(1.0 / step)
        held._grow(steps)
        assert march_driven(held.constants, held.state, held.scratch, held._frames, 0, steps) == FINE
        assert abs(remainder(held)) < CLOSED
        gaps.append(np.abs(held.nodes() - shape.nodes()).max())
    assert gaps[1] < 2e-3 and 1.6 < gaps[0] / gaps[1] < 2.4


def test_creeping_gears_are_told() -> None:
    """Gear friction is smoothed by an absolute rate: slow joints are warned of, fast ones are not."""
    robot = sp.robots.rods(3, length=0.3, mass=0.6).but(servo=Servo(stiffness=20.0, damping=0.2, gear_friction=0.05))
    for frequency, told in ((1e-3, True), (3.0, False)):
        gait = sp.gaits.StandingWave(0.2, 0.5, frequency)
        run = sp.simulate(robot, gait, sp.World(sp.contact.Viscous(0.5, 2.0)), 0.5, checked=False)
        assert any("gear friction gives way" in text for text in run.warnings) is told
