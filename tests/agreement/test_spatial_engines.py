"""MuJoCo's and Drake's chains in space = our recursion; our contacts and joints in their dynamics give our motion."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from kernel_face import disagreement
from peer_cases import FEATURES, OURS, SERVO, Run, engine, far, level, sidewinder

from serpenoid.contact import Bristle, Coulomb, UnitSlip, Viscous
from serpenoid.core import Robot, Start, World
from serpenoid.core.actuator import Servo
from serpenoid.frames import matrix_from_quaternion
from serpenoid.gaits.sidewinding import Sidewinding
from serpenoid.peers import PEERS, engine_class
from serpenoid.peers.coordinates import Base
from serpenoid.peers.drake_plant import load_drake, plant_of
from serpenoid.peers.mujoco import put_state
from serpenoid.peers.mujoco_model import model_of
from serpenoid.spatial.body import Body
from serpenoid.spatial.engine import SpatialEngine

mujoco = pytest.importorskip("mujoco")
pytest.importorskip("pydrake")
SAME = 1e-9  # relative: rounding times the condition of the inertia matrix, with room
ARRIVED = 1e-9  # m/s, rad/s: a linear system of a few dozen unknowns solved twice


def random_robot(seed: int) -> Robot:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(3, 12))
    length, mass = rng.uniform(0.05, 0.2, n), rng.uniform(0.1, 1.0, n)
    kinds = ("yaw", "pitch", "alternating", "universal", "pitch-yaw", "mixed")
    joints: Any = kinds[seed % 6]
    if joints == "mixed":
        joints = [str(rng.choice(["yaw", "pitch", "roll", "universal", "fixed"])) for _ in range(n - 1)]
    return Robot(
        name="random", links=n, link_length=length, link_mass=mass, link_inertia=mass * length**2 * rng.uniform(0.1, 1.0, n),
        axial_inertia=mass * length**2 * rng.uniform(0.05, 0.19, n), com_offset=length * rng.uniform(0.1, 0.9, n),
        contact_offset=0.5 * length, joint_damping=rng.uniform(0.01, 0.1, n - 1), radius=0.02,
        joints=joints, locked=(2,) if seed % 3 == 0 else (),
    )  # fmt: skip


class State:
    """A random robot in a random state of motion with torques and forces on its links."""

    def __init__(self, seed: int, rotor: float = 0.0) -> None:
        rng = np.random.default_rng([seed, 1])
        self.robot = robot = random_robot(seed).but(servo=Servo(rotor_inertia=rotor) if rotor else None)
        m = len(robot.axes)
        quaternion = rng.normal(size=4)
        self.attitude = quaternion / np.linalg.norm(quaternion)
        self.place, self.velocity, self.spin = rng.uniform(-1, 1, 3), rng.uniform(-1, 1, 3), rng.uniform(-2, 2, 3)
        self.angles, self.rates, self.tau = rng.uniform(-1, 1, m), rng.uniform(-2, 2, m), rng.uniform(-1, 1, m)
        self.force, self.torque = rng.uniform(-2, 2, (robot.links, 3)), rng.uniform(-0.3, 0.3, (robot.links, 3))


Accelerations = tuple[Any, Any, Any]  # of link 0 (angular, of the tail's end), of the joints


def our_accelerations(s: State, gravity: float) -> Accelerations:
    body = Body(s.robot)
    frame = matrix_from_quaternion(s.attitude)
    body.put(frame=frame, angles=s.angles, spin=s.spin, velocity=s.velocity, rates=s.rates)
    force = s.force - np.outer(s.robot.link_mass, [0.0, 0.0, gravity])
    found = body.accelerations(s.tau, force, s.torque)
    return found.spin, found.tail, found.joints


def mujoco_accelerations(s: State, world: World) -> Accelerations:
    rotor = 0.0 if s.robot.servo is None else s.robot.servo.rotor_inertia
    model = model_of(s.robot, world, rotor=rotor)
    data = mujoco.MjData(model)
    put_state(data, Base(s.place, s.attitude, s.velocity, s.spin), s.angles, s.rates)
    data.qfrc_applied[6:] = s.tau
    data.xfrc_applied[1:, :3], data.xfrc_applied[1:, 3:] = s.force, s.torque
    mujoco.mj_forward(model, data)
    assert mujoco.mj_getTotalmass(model) == pytest.approx(s.robot.mass, rel=1e-12)
    frames = data.xmat[1:].reshape(-1, 3, 3)
    return frames[0] @ data.qacc[3:6], data.qacc[:3].copy(), data.qacc[6:].copy()


def drake_accelerations(s: State, world: World) -> Accelerations:
    drake = load_drake()
    plant, links, _ = plant_of(s.robot, world)
    plant.Finalize()
    context = plant.CreateDefaultContext()
    plant.SetPositions(context, np.concatenate([s.attitude, s.place, s.angles]))
    plant.SetVelocities(context, np.concatenate([s.spin, s.velocity, s.rates]))
    plant.get_applied_generalized_force_input_port().FixValue(context, np.concatenate([np.zeros(6), s.tau]))
    loads = []
    for i, body in enumerate(links):
        load = drake.ExternallyAppliedSpatialForce()
        load.body_index, load.p_BoBq_B = body.index(), np.array([s.robot.com_offset[i], 0.0, 0.0])
        load.F_Bq_W = drake.SpatialForce(tau=s.torque[i], f=s.force[i])
        loads.append(load)
    plant.get_applied_spatial_force_input_port().FixValue(context, loads)
    assert plant.CalcTotalMass(context) == pytest.approx(s.robot.mass, rel=1e-12)
    a = plant.get_generalized_acceleration_output_port(links[0].model_instance()).Eval(context)
    return a[:3], a[3:6], a[6:]


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("peer", [mujoco_accelerations, drake_accelerations])
def test_forward_dynamics_agree(peer: Any, seed: int) -> None:
    """Every kind of joint, unequal links, locked joints: accelerations under torques, forces and gravity."""
    s, world = State(seed), World(Coulomb(0.1, 0.5), gravity=9.81)
    for ours, theirs in zip(our_accelerations(s, 9.81), peer(s, world), strict=True):
        assert disagreement(ours, theirs) < SAME


@pytest.mark.parametrize("seed", range(5))
def test_rotors_are_the_armature_of_mujoco(seed: int) -> None:
    s, world = State(seed, rotor=4e-3), World(Coulomb(0.1, 0.5), gravity=9.81)
    ours, theirs = our_accelerations(s, 9.81), mujoco_accelerations(s, world)
    for mine, other in zip(ours, theirs, strict=True):
        assert disagreement(mine, other) < SAME
    assert disagreement(ours[-1], our_accelerations(State(seed), 9.81)[-1]) > 1e-3


@pytest.mark.parametrize("name", PEERS)
def test_the_first_state_is_ours(name: str) -> None:
    """Poses, velocities, energy and heading at t = 0, ideal joints and servos, level and sloping ground."""
    gait, start = Sidewinding(phase_offset=0.7, ramp=0.0), Start((0.3, -0.2), 0.8, (0.1, 0.05), 0.4)
    for servo in (SERVO, None):
        for world in (level(), level(slope=0.2, slope_direction=0.7)):
            ours, theirs = (engine(n, sidewinder(servo), gait, world, 1e-3, start) for n in ("own", name))
            a, b = ours.variables(), theirs.variables()
            for key in (
                "node",
                "link_axis",
                "link_back",
                "com",
                "com_velocity",
                "link_angular_velocity",
                "joint_angle",
                "joint_rate",
            ):
                assert np.abs(a[key].data[0] - b[key].data[0]).max() < 1e-12, key
            assert theirs.heading() == pytest.approx(ours.heading(), abs=1e-12)
            again = engine(name, sidewinder(servo), gait, world, 1e-3, start)
            assert again.done == 0 and np.array_equal(again.nodes(), theirs.nodes())


def test_a_resting_robot_is_carried() -> None:
    """The forces on a robot that lies still, pressed in by its weight, are what the ground carries, level or sloping."""
    robot, gait = random_robot(3).but(servo=SERVO), Sidewinding(amplitude=0.0)
    for slope in (0.0, 0.2):
        world = level(Coulomb(0.8, 0.8, smoothing=1e-3), slope=slope, slope_direction=0.7)
        run = engine("mujoco", robot, gait, world, 1e-7, application="present")
        assert run.advance(1) and world.ground is not None
        normal, weight = world.ground.normal, robot.mass * world.gravity * np.cos(slope)
        assert run.contact_forces().sum(axis=0) == pytest.approx(weight * normal, rel=1e-5, abs=1e-5)
        assert run.variables()["contact_count"].data[0] == 2 * robot.links
        assert run.totals()["normal_max"] == pytest.approx(weight / (2 * robot.links), rel=1e-5)


LAWS = (
    Coulomb(0.3, 0.8, backward=0.5, smoothing=1e-3), UnitSlip(0.3, 0.8, smoothing=1e-3), Viscous(2.0, 5.0),
    Bristle(0.3, 0.8, static_across=1.0, smoothing=1e-3),
)  # fmt: skip


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.NAME)
def test_the_law_is_that_of_our_engine(law: Any) -> None:
    """From the state of our engine, a small step of a peer under the explicit law feels the forces that ours feels."""
    gait, step = Sidewinding(phase_offset=np.pi / 2), 1e-5
    ours, theirs = engine("own", sidewinder(), gait, level(law), step), None
    assert ours.advance(60_000)
    theirs = engine("mujoco", sidewinder(), gait, level(law), step, application="present")
    theirs.take(ours.arrays())
    assert ours.advance(60_001) and theirs.advance(60_001)
    weight = ours.robot.mass * 9.81
    assert np.abs(ours.contact_forces()).max() > 0.05 * weight
    assert np.abs(ours.contact_forces() - theirs.contact_forces()).max() < 1e-4 * weight
    assert np.abs(ours.normal_forces() - theirs.normal_forces()).max() < 1e-4 * weight
    assert np.abs(ours.joint_torques() - theirs.joint_torques()).max() < 1e-3
    assert np.abs(ours.nodes() - theirs.nodes()).max() < 1e-8


def reached(made: Any) -> Any:
    return made.data.qvel if made.NAME == "mujoco" else made.plant.GetVelocities(made.context)


@pytest.mark.parametrize("feature", FEATURES)
@pytest.mark.parametrize("name", OURS)
def test_a_step_arrives_where_the_law_was_taken(name: str, feature: str) -> None:
    """The package's own step under the forces handed to it ends at the velocity at which our laws were evaluated."""
    servo = Servo(60.0, 1.5, **FEATURES[feature])
    robot = sidewinder(servo, joint_damping=0.05, limp=(2,))
    made = engine(name, robot, Sidewinding(ramp=0.05), level(), 1e-3)
    for k in range(150):
        assert made.advance(k + 1)
        assert np.abs(made.velocity - reached(made)).max() < ARRIVED
    assert made.totals()["normal_max"] > 1.0
    assert np.abs(made.joint_torques()[2:4]).max() == 0.0  # joint 2 is limp
    if feature == "torque limit":
        assert made.totals()["saturated"] > 0.01
        assert made.totals()["torque_max"] <= 0.4 * (1.0 + 1e-9)


@pytest.mark.parametrize("feature", FEATURES)
@pytest.mark.parametrize("name", OURS)
def test_every_feature_of_a_servo_acts_as_in_our_engine(name: str, feature: str) -> None:
    """A third of a second: joints within 2 mrad, nodes within 2 mm of our own run; play leaves joints free within it."""
    gait, world, servo = Sidewinding(ramp=0.1), level(), Servo(60.0, 1.5, **FEATURES[feature])
    robot = sidewinder(servo)
    fine = feature == "backlash"
    ours = Run("own", robot, gait, world, 0.3, 1e-5 if fine else 1e-4)
    theirs = Run(name, robot, gait, world, 0.3, 5e-5 if fine else 1e-4)
    apart = np.abs(ours["joint_angle"] - theirs["joint_angle"])
    assert far(ours, theirs) < 2e-3
    assert np.sqrt((apart**2).mean()) < 1e-3
    assert apart.max() < (0.5 * servo.backlash if fine else 2e-3)
    assert theirs.totals["positive_work"] == pytest.approx(ours.totals["positive_work"], rel=0.02)
    assert theirs.totals["damping_loss"] == pytest.approx(ours.totals["damping_loss"], rel=0.02, abs=1e-4)


@pytest.mark.parametrize("name", PEERS)
def test_stops_hold_as_in_our_engine(name: str) -> None:
    """Torques drive the joints of a robot in the air against their stops: they stay there, with ours or the package's own."""
    robot, angles = sidewinder(None, joint_limit=0.25), {}
    for n in ("own", name):
        kind = SpatialEngine if n == "own" else engine_class(n)
        made = kind(robot, level(), Start(height=3.0), step=2e-4, stride=50, ideal=False, first=None)
        made.push(np.linspace(0.05, 0.1, len(robot.axes)) * (-1.0) ** np.arange(len(robot.axes)))
        assert made.advance(1500)
        angles[n] = made.joint_angles()
        assert 0.2 < np.abs(made.joint_angles()).max() < 0.27
    if name in OURS:
        assert np.abs(angles["own"] - angles[name]).max() < 5e-3


@pytest.fixture(scope="module", params=[0.0, np.pi / 2], ids=["in-phase", "helix"])
def winding(request: pytest.FixtureRequest) -> tuple[Sidewinding, Run]:
    gait = Sidewinding(phase_offset=request.param)
    return gait, Run("own", sidewinder(), gait, level(), 1.5, 1e-5)


@pytest.mark.parametrize("name", OURS)
def test_a_run_with_our_law_is_ours(name: str, winding: tuple[Sidewinding, Run]) -> None:
    """Sidewinding with steps of 1e-4 s: all nodes within 1 mm of our own fine run (they travel 0.1 m), work within 0.5 %."""
    gait, ours = winding
    theirs = Run(name, sidewinder(), gait, level(), 1.5, 1e-4)
    assert far(ours, theirs) < 1e-3
    a, b = ours.totals, theirs.totals
    assert b["positive_work"] == pytest.approx(a["positive_work"], rel=5e-3)
    assert b["net_work"] == pytest.approx(a["net_work"], rel=1e-2)
    assert b["friction_loss"] == pytest.approx(a["friction_loss"], rel=1e-2)
    assert b["normal_max"] == pytest.approx(a["normal_max"], rel=0.1)
    assert b["contacts"] == pytest.approx(a["contacts"], rel=0.03)
    assert b["roll"] == pytest.approx(a["roll"], abs=2e-3)
    assert theirs["kinetic_energy"] == pytest.approx(ours["kinetic_energy"], rel=0.05, abs=2e-3)


def test_the_explicit_law_comes_to_the_same() -> None:
    gait, world = Sidewinding(phase_offset=np.pi / 2, ramp=0.2), level(Coulomb(0.8, 0.8, smoothing=1e-2))
    ours = Run("own", sidewinder(), gait, world, 0.3, 1e-5)
    for name in OURS:
        theirs = Run(name, sidewinder(), gait, world, 0.3, 5e-5, application="present")
        assert far(ours, theirs) < 2e-3, name


@pytest.mark.parametrize("name", OURS)
def test_prescribed_joints_are_followed(name: str) -> None:
    gait, world, robot = Sidewinding(phase_offset=np.pi / 2), level(), sidewinder(None)
    ours, theirs = Run("own", robot, gait, world, 0.6, 1e-5), Run(name, robot, gait, world, 0.6, 5e-4)
    bend = [np.einsum("fne,fne->fn", r["link_axis"][:, 1:], r["link_axis"][:, :-1]) for r in (ours, theirs)]
    assert np.abs(bend[0] - bend[1]).max() < 1e-5
    assert far(ours, theirs) < 3e-3
    assert "prescribed" in theirs.engine.note
    native = Run(f"{name}-native", robot, gait, world, 0.6, 5e-4)["link_axis"]
    assert np.abs(bend[0] - np.einsum("fne,fne->fn", native[:, 1:], native[:, :-1])).max() < 1e-4
