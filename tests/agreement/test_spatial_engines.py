"""MuJoCo's and Drake's chains in space = our recursion; our contacts and joints in their dynamics give our motion."""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np
import pytest
from kernel_face import disagreement

import serpenoid as sp
from serpenoid.contact import Bristle, Coulomb, Frictionless, UnitSlip, Viscous
from serpenoid.core import Patch, Robot, Start, World
from serpenoid.core.actuator import Servo
from serpenoid.core.errors import InputError
from serpenoid.core.terrain import Box, Cylinder, Ground, HeightField, Pipe
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
OURS = ("mujoco", "drake")  # with our contacts and joints
SERVO = Servo(stiffness=60.0, damping=1.5)


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


def sidewinder(servo: Servo | None = SERVO, **changes: Any) -> Robot:
    l, m, r = 0.2, 0.3, 0.015
    given = {"joint_damping": 0.0, **changes}
    return Robot(
        name="sidewinder", links=6, link_length=l, link_mass=m, link_inertia=m * (3 * r * r + l * l) / 12, com_offset=l / 2,
        contact_offset=l / 2, joints="pitch-yaw", radius=r, servo=servo, **given,
    )  # fmt: skip


def level(law: Any = None, **ground: Any) -> World:
    return World(law or Coulomb(0.8, 0.8), ground=Ground(**{"stiffness": 2e4, "damping": 50.0, **ground}))


def engine(
    name: str, robot: Robot, gait: Any, world: World, step: float, start: Start | None = None, **options: Any
) -> Any:
    """An engine that follows a gait, with a frame every 20 ms."""
    kind = SpatialEngine if name == "own" else engine_class(name)
    made = kind(
        robot,
        world,
        start or Start(),
        step=step,
        stride=max(1, round(0.02 / step)),
        ideal=robot.servo is None,
        first=gait,
        **options,
    )
    made.follow(gait)
    return made


class Run:
    """What an engine came to after a time."""

    def __init__(
        self, name: str, robot: Robot, gait: Any, world: World, duration: float, step: float, **options: Any
    ) -> None:
        self.engine = engine(name, robot, gait, world, step, **options)
        self.good = self.engine.advance(round(duration / step))
        self.variables, self.totals = self.engine.variables(), self.engine.totals()

    def __getitem__(self, name: str) -> Any:
        return self.variables[name].data


def far(a: Run, b: Run) -> float:
    """Largest distance of the nodes in the same frames."""
    assert a.good and b.good and len(a["time"]) == len(b["time"])
    return float(np.linalg.norm(a["node"] - b["node"], axis=-1).max())


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


FEATURES = {
    "plain": {}, "torque limit": {"torque_limit": 0.4}, "rotor": {"rotor_inertia": 2e-3}, "gear friction": {"gear_friction": 0.05},
    "backlash": {"backlash": 0.02}, "torque-speed line": {"torque_limit": 1.0, "no_load_speed": 4.0}, "speed limit": {"speed_limit": 1.0},
    "sampled": {"control_period": 0.02},
}  # fmt: skip


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
