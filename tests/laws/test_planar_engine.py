"""The planar engine: cut, saved, told otherwise: the motion does not notice; what it does not know it refuses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import serpenoid as sp
from serpenoid.contact import sums as slot
from serpenoid.core.actuator import Servo
from serpenoid.core.errors import InputError
from serpenoid.gaits.drives import SampledTorque, SineTorque
from serpenoid.planar.engine import PlanarEngine
from serpenoid.planar.layout import COMMAND, LAW

SAME = 1e-12
STEP, STEPS = 1e-3, 600
CUTS = (1, 2, 3, 10, 11, 137, 140, 599, 600)
GAIT = sp.gaits.Serpenoid(0.7, 1.3, speed=0.6)
DRIVE = SineTorque(0.2, 5.0, 0.6)
GROUND = sp.World(
    sp.contact.Coulomb(0.1, 0.5, 0.3), patches=(sp.Patch((0.15, -0.5, 0.45, 0.5), 0.35, 0.3),), edge_angle=0.1
)
STICKY = sp.World(
    sp.contact.Bristle(0.1, 0.4, static_force_across=9.0, static_force_along=5.0, stick_length_along=1e-5)
)
SMOOTH = sp.World(sp.contact.Coulomb(0.1, 0.5, smoothing=3e-2))
ROBOT = sp.robots.ma2001(7).but(joint_damping=0.01)
SERVOS = ROBOT.but(
    servo=Servo(stiffness=20.0, damping=0.5, torque_limit=0.8, control_period=0.007, speed_limit=3.0, backlash=0.01)
)
START = sp.Start((0.1, -0.2), 0.3, (0.2, -0.1), 0.4)


@dataclass(frozen=True)
class Case:
    world: sp.World
    robot: sp.Robot = ROBOT
    ideal: bool = True
    drive: bool = False
    integrator: str = "implicit"

    def ready(self, stride: int = 10) -> PlanarEngine:
        made = PlanarEngine(
            self.robot,
            self.world,
            START,
            step=STEP,
            stride=stride,
            ideal=self.ideal,
            first=GAIT,
            integrator=self.integrator,
        )
        if self.drive:
            made.drive(DRIVE)
        else:
            made.follow(GAIT)
        return made

    def run(self, stride: int = 10) -> PlanarEngine:
        made = self.ready(stride)
        assert made.advance(STEPS)
        return made


CASES = {
    "shape": Case(GROUND), "bristles": Case(STICKY), "torques": Case(GROUND, ideal=False, drive=True),
    "torques-bristles": Case(STICKY, ideal=False, drive=True), "servos": Case(GROUND, SERVOS, ideal=False),
    "mixed": Case(GROUND, ROBOT.but(limp=(3,), locked=(5,))), "rk4-shape": Case(SMOOTH, integrator="rk4"),
    "rk4-torques": Case(SMOOTH, ideal=False, drive=True, integrator="rk4"), "euler": Case(SMOOTH, integrator="euler"),
    "points": Case(STICKY.but(contact_points=3)), "points-torques": Case(STICKY.but(contact_points=2), ideal=False, drive=True),
    "bends": Case(GROUND.but(load=sp.contact.LiftedBends(6.0))), "wave-torques": Case(GROUND.but(load=sp.contact.LoadWave(1.5, 1.2, 4.0)), ideal=False, drive=True),
}  # fmt: skip


def equal(a: PlanarEngine, b: PlanarEngine) -> None:
    for name, array in a.arrays().items():
        assert np.array_equal(array, b.arrays()[name]), name


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_cut_as_you_like(case: Case) -> None:
    whole, parts = case.run(), case.ready()
    for to in CUTS:
        assert parts.advance(to)
    equal(whole, parts)
    ours, theirs = whole.variables(), parts.variables()
    for name, variable in ours.items():
        assert np.array_equal(variable.data, theirs[name].data, equal_nan=True), name
    assert np.isfinite(ours["node"].data).all() and ours["time"].data[-1] == STEPS * STEP


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
@pytest.mark.parametrize("at", [0, 1, 233, 240])
def test_saved_and_put_back(case: Case, at: int) -> None:
    whole, first, second = case.run(), case.ready(), case.ready()
    first.advance(at)
    saved = {name: array.copy() for name, array in first.arrays().items()}
    second.advance(17)
    second.put(saved)
    assert second.done == at and second.advance(STEPS)
    equal(whole, second)
    late = second.variables()
    frames = len(late["time"].data)
    for name, variable in whole.variables().items():
        if variable.dims[0] == "time" and at > 1:
            assert np.array_equal(variable.data[-frames:], late[name].data, equal_nan=True), name


def test_frames_do_not_depend_on_how_many_there_are() -> None:
    many, few = CASES["shape"].run(1), CASES["shape"].run(100)
    for name, variable in few.variables().items():
        if variable.dims[0] == "time":
            assert np.array_equal(variable.data, many.variables()[name].data[::100], equal_nan=True), name


def seen(made: PlanarEngine) -> np.ndarray:
    """Places and velocities of all links, in the world."""
    k = made.variables()
    return np.concatenate([made.nodes().ravel(), made.com_velocity(), k["link_angular_velocity"].data[-1].ravel()])


def momenta(made: PlanarEngine) -> np.ndarray:
    links = made.state.links
    spin = links[4].sum() + made.robot.link_inertia @ links[1]
    return np.array([*(made.robot.mass * made.com_velocity()), spin])


SWITCHES = {
    "push": lambda e: e.push(np.full(6, 0.1)), "drive": lambda e: e.drive(DRIVE), "rest": lambda e: e.rest(),
    "track": lambda e: e.track(e.time, e.time + 0.2, [e.joint_angles(), e.joint_rates(), np.full(6, 0.3), np.zeros(6)]),
    "follow": lambda e: e.follow(sp.gaits.StandingWave(0.4, 1.0, 3.0)),
}  # fmt: skip


@pytest.mark.parametrize("robot", [ROBOT, SERVOS], ids=["ideal", "servos"])
@pytest.mark.parametrize("first", SWITCHES)
@pytest.mark.parametrize("second", SWITCHES)
def test_a_switch_carries_everything_over(robot: sp.Robot, first: str, second: str) -> None:
    made = Case(GROUND, robot, ideal=robot.servo is None).ready()
    made.advance(150)
    for name in (first, second):
        before, momentum, energy = seen(made), momenta(made), made.sums[slot.KINETIC]
        SWITCHES[name](made)
        assert np.abs(seen(made) - before).max() < SAME
        assert np.abs(momenta(made) - momentum).max() < SAME
        assert made.sums[slot.KINETIC] == energy
        assert made.advance(made.done + 1)
        assert np.abs(made.nodes() - before[: 3 * 8].reshape(8, 3)).max() < 0.2  # it is where it was, but for a step
        assert made.advance(made.done + 60)
    s = made.sums
    losses = s[slot.FRICTION_LOSS] + s[slot.DAMPING_LOSS] + s[slot.STOP_LOSS] + s[slot.SCHEME_LOSS]
    assert abs(s[slot.NET_WORK] - s[slot.KINETIC] + s[slot.KINETIC_START] - losses) < 1e-9 * s[slot.POSITIVE_WORK]


def test_the_same_gait_told_again_changes_nothing() -> None:
    whole, told = CASES["shape"].run(), CASES["shape"].ready()
    for to in range(50, STEPS + 1, 50):
        told.follow(GAIT)
        told.advance(to)
    assert np.abs(told.nodes() - whole.nodes()).max() < SAME


def test_a_gait_tracked_piece_by_piece_converges_to_it() -> None:
    """Cubics between exact angles and rates of the gait: off by the fourth power of their span."""
    whole = CASES["shape"].run()
    gaps = []
    for span in (40, 20):
        made = CASES["shape"].ready()
        for at in range(0, STEPS, span):
            ends = [(at * STEP, (at + span) * STEP)]
            (t0, t1) = ends[0]
            h = 1e-5
            rates = [(GAIT.angles(ROBOT, t + h) - GAIT.angles(ROBOT, t - h)) / (2 * h) for t in (t0, t1)]
            made.track(t0, t1, [GAIT.angles(ROBOT, t0), rates[0], GAIT.angles(ROBOT, t1), rates[1]])
            assert made.advance(at + span)
            assert np.abs(made.joint_angles() - GAIT.angles(ROBOT, t1)).max() < 1e-13
            assert np.abs(made.joint_rates() - rates[1]).max() < 1e-9
        gaps.append(np.abs(made.nodes() - whole.nodes()).max())
    assert gaps[1] < 1e-3  # of first order in the step: the body frame is another


def test_a_curve_is_held_at_its_end() -> None:
    made = CASES["shape"].ready()
    made.track(0.0, 0.1, [GAIT.angles(ROBOT, 0.0), np.zeros(6), np.linspace(-0.3, 0.4, 6), np.full(6, 0.2)])
    made.advance(300)
    assert np.abs(made.joint_angles() - np.linspace(-0.3, 0.4, 6)).max() < 1e-14
    assert np.abs(made.joint_rates()).max() < 1e-14
    assert np.abs(made.joint_targets() - made.joint_angles()).max() < 1e-14


def test_torques_pushed_are_torques_of_the_drive() -> None:
    """A sampled drive that is constant, and the same torques held."""
    torques = np.linspace(-0.1, 0.2, 6)
    a, b = Case(GROUND, ideal=False).robot, []
    for way in ("drive", "push"):
        made = PlanarEngine(a, GROUND, START, step=STEP, stride=10, ideal=False)
        if way == "drive":
            made.drive(SampledTorque([0.0, 1.0, 2.0, 5.0], [torques] * 4))
        else:
            made.push(torques)
        assert made.advance(200)
        b.append(made.nodes())
    assert np.abs(b[0] - b[1]).max() < SAME


def test_without_a_command_the_joints_are_limp() -> None:
    made = PlanarEngine(ROBOT.but(joint_damping=0.0), GROUND, START, step=STEP, stride=10, first=np.full(6, 0.2))
    assert made.advance(100) and np.abs(made.joint_torques()).max() < 1e-10
    assert np.abs(made.joint_angles() - 0.2).max() > 1e-6
    assert made.sums[slot.POSITIVE_WORK] < 1e-12


class Unknown:
    KIND, NAME = 17, "unknown"

    def row(self, robot: Any, axes: int = 0) -> tuple[np.ndarray, np.ndarray]:
        return np.zeros(1), np.zeros((1, 1))


@pytest.mark.parametrize(
    ("work", "text"),
    [
        (lambda e: e.follow(Unknown()), "knows the gaits"),
        (lambda e: e.follow(sp.gaits.Sidewinding()), "knows the gaits"),
        (lambda e: e.drive(Unknown()), "knows the drives"),
        (lambda e: e.push([1.0]), "6 finite numbers"),
        (lambda e: e.push([np.nan] * 6), "6 finite numbers"),
        (lambda e: e.track(0.0, 0.0, [np.zeros(6)] * 4), "end after it begins"),
        (lambda e: e.track(0.0, 1.0, np.zeros((4, 5))), "6 finite numbers"),
        (lambda e: e.put({"motion": np.zeros(3)}), "does not belong"),
        (lambda e: e.put({**e.arrays(), "sums": np.full(slot.SLOTS, np.nan)}), "not finite"),
        (lambda e: e.anchor(0, True), "space"),
    ],
)
def test_refused_and_nothing_lost(work: Any, text: str) -> None:
    whole, made = CASES["shape"].run(), CASES["shape"].ready()
    made.advance(100)
    with pytest.raises(InputError, match=text):
        work(made)
    made.advance(STEPS)
    equal(whole, made)


@pytest.mark.parametrize("slot_", [COMMAND, LAW])
@pytest.mark.parametrize("drive", [False, True])
def test_kernels_refuse_an_unknown_kind(slot_: int, drive: bool) -> None:
    made = Case(GROUND, ideal=not drive, drive=drive).ready()
    made.constants.numbers[slot_] = 99.0
    with pytest.raises(InputError, match="do not know"):
        made.advance(1)
    assert made.done == 0


@pytest.mark.parametrize(
    ("case", "text"),
    [
        (Case(STICKY, integrator="rk4"), "memory"), (Case(SMOOTH, SERVOS, ideal=False, integrator="euler"), "servo"),
        (Case(SMOOTH, ROBOT.but(joint_limit=1.5), ideal=False, drive=True, integrator="rk4"), "stops"),
        (Case(SMOOTH, ROBOT.but(limp=(2,)), integrator="rk4"), "limp"), (Case(SMOOTH, integrator="rk5"), "one of"),
        (Case(SMOOTH, ideal=False), "without servos"), (Case(SMOOTH, sp.robots.ma2001(7).but(joints="pitch")), "along z"),
        (Case(SMOOTH, ROBOT.but(joint_limit=0.1), ideal=False, drive=True), "beyond its stop"),
    ],
)  # fmt: skip
def test_refused_at_the_start(case: Case, text: str) -> None:
    with pytest.raises(InputError, match=text):
        case.ready()
