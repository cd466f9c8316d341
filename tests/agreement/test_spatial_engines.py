"""MuJoCo's and Drake's chains in space = our recursion; our ground law in their dynamics gives our motion."""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np
import pytest
from kernel_face import disagreement

from serpenoid.compiled import kernel
from serpenoid.contact import Bristle, Coulomb, Frictionless, UnitSlip, Viscous
from serpenoid.contact import sums as tally
from serpenoid.core import Patch, Robot, Start, World
from serpenoid.core.actuator import Servo
from serpenoid.core.errors import InputError
from serpenoid.core.terrain import Box, Cylinder, Ground, HeightField, Pipe
from serpenoid.gaits.sidewinding import Sidewinding
from serpenoid.peers import drake as spatial_drake
from serpenoid.peers import mujoco as spatial_mujoco
from serpenoid.peers.ground import AppliedGround
from serpenoid.peers.motion import Motion, Recorder, Setup, motion_of
from serpenoid.spatial._old import kinematics as ks
from serpenoid.spatial._old.dynamics import torque_acceleration
from serpenoid.spatial._old.run import FORCE, SpatialRun
from serpenoid.spatial._old.step import face

mujoco = pytest.importorskip("mujoco")
pytest.importorskip("pydrake")

SAME = 1e-9  # relative: rounding times the condition of the inertia matrix, with room
PEERS = {"mujoco": spatial_mujoco, "drake": spatial_drake}
SERVO = Servo(stiffness=60.0, damping=1.5)


def random_robot(seed: int) -> Robot:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(3, 12))
    length, mass = rng.uniform(0.05, 0.2, n), rng.uniform(0.1, 1.0, n)
    return Robot(
        name="random", links=n, link_length=length, link_mass=mass, link_inertia=mass * length**2 * rng.uniform(0.1, 1.0, n),
        axial_inertia=mass * length**2 * rng.uniform(0.05, 0.19, n), com_offset=length * rng.uniform(0.1, 0.9, n),
        contact_offset=0.5 * length, joint_damping=rng.uniform(0.01, 0.1, n - 1), radius=0.02,
        joints=("yaw", "pitch", "alternating", "universal", "pitch-yaw")[seed % 5], locked=(2,) if seed % 3 == 0 else (),
    )  # fmt: skip


def sidewinder() -> Robot:
    l, m, r = 0.2, 0.3, 0.015
    return Robot(
        name="sidewinder", links=6, link_length=l, link_mass=m, link_inertia=m * (3 * r * r + l * l) / 12, com_offset=l / 2,
        contact_offset=l / 2, joint_damping=0.0, joints="pitch-yaw", radius=r,
    )  # fmt: skip


def level(law: Any = None, **ground: Any) -> World:
    return World(law or Coulomb(0.8, 0.8), ground=Ground(**{"stiffness": 2e4, "damping": 50.0, **ground}))


def own(robot: Robot, gait: Any, world: World, duration: float, step: float, mode: str = "servo") -> SpatialRun:
    steps = round(duration / step)
    run = SpatialRun(
        robot, gait, None, world, Start(), mode=mode, duration=duration, steps=steps, stride=max(1, round(0.02 / step)),
        servo=SERVO,
    )  # fmt: skip
    assert run.advance(steps)
    return run


class State:
    """A random robot in a random state of motion with torques and forces on its links."""

    def __init__(self, seed: int) -> None:
        rng = np.random.default_rng([seed, 1])
        self.robot = robot = random_robot(seed)
        m = int(ks.chain_of(robot).first[-1])
        quaternion = rng.normal(size=4)
        self.attitude = quaternion / np.linalg.norm(quaternion)
        self.place, self.velocity, self.spin = rng.uniform(-1, 1, 3), rng.uniform(-1, 1, 3), rng.uniform(-2, 2, 3)
        self.angles, self.rates, self.tau = rng.uniform(-1, 1, m), rng.uniform(-2, 2, m), rng.uniform(-1, 1, m)
        self.force, self.torque = rng.uniform(-2, 2, (robot.links, 3)), rng.uniform(-0.3, 0.3, (robot.links, 3))


@kernel
def place_and_spread(chain, b, d, v):
    ks.place(chain, b, d)
    w = b[0, ks.W : ks.W + 3]
    p = b[0, ks.PJ : ks.PJ + 3]
    b[0, ks.V : ks.V + 3] = v - np.cross(w, p)
    ks.spread_twists(chain, b, d, ks.QD)


@kernel
def accelerate(chain, b, d):
    torque_acceleration(chain, b, d, ks.QT)


def our_accelerations(s: State, gravity: float) -> tuple[Any, ...]:
    """Places, axes of the frames, and accelerations: of link 0 (angular, of the tail's end), of the joints."""
    chain, (b, d) = ks.chain_of(s.robot), ks.body_for(s.robot)
    face(b, *s.attitude)
    b[0, ks.W : ks.W + 3] = s.spin
    d[:, ks.Q], d[:, ks.QD], d[:, ks.TAU] = s.angles, s.rates, s.tau
    place_and_spread(chain, b, d, s.velocity)
    force = s.force - np.outer(s.robot.link_mass, [0.0, 0.0, gravity])
    b[:, ks.FA : ks.FA + 3] = s.torque + np.cross(b[:, ks.PG : ks.PG + 3], force)
    b[:, ks.FL : ks.FL + 3] = force
    place = b[:, ks.PJ : ks.PJ + 3] - b[0, ks.PJ : ks.PJ + 3] + s.place
    frames = b[:, ks.EX : ks.EX + 9].reshape(-1, 3, 3).transpose(0, 2, 1).copy()
    arm = b[0, ks.PJ : ks.PJ + 3].copy()
    accelerate(chain, b, d)
    turning = b[0, ks.W : ks.W + 3].copy()
    linear = b[0, ks.V : ks.V + 3] + np.cross(turning, arm) + np.cross(s.spin, s.velocity)
    return place, frames, turning, linear, d[:, ks.QT].copy()


def mujoco_accelerations(s: State, world: World) -> tuple[Any, ...]:
    model = spatial_mujoco.model_of(s.robot, world)
    data = mujoco.MjData(model)
    spatial_mujoco.put_state(data, s)  # type: ignore[arg-type]
    data.qfrc_applied[6:] = s.tau
    data.xfrc_applied[1:, :3], data.xfrc_applied[1:, 3:] = s.force, s.torque
    mujoco.mj_forward(model, data)
    assert mujoco.mj_getTotalmass(model) == pytest.approx(s.robot.mass, rel=1e-12)
    frames = data.xmat[1:].reshape(-1, 3, 3)
    return data.xpos[1:].copy(), frames.copy(), frames[0] @ data.qacc[3:6], data.qacc[:3].copy(), data.qacc[6:].copy()


def drake_accelerations(s: State, world: World) -> tuple[Any, ...]:
    drake = spatial_drake.load_drake()
    plant, links, _ = spatial_drake.plant_of(s.robot, world)
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
    poses = [body.EvalPoseInWorld(context) for body in links]
    place, frames = [x.translation() for x in poses], [x.rotation().matrix() for x in poses]
    return np.array(place), np.array(frames), a[:3], a[3:6], a[6:]


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("peer", [mujoco_accelerations, drake_accelerations])
def test_forward_dynamics_agree(peer: Any, seed: int) -> None:
    """Every kind of joint, unequal links, locked joints: poses and accelerations under torques, forces and gravity."""
    s, world = State(seed), World(Coulomb(0.1, 0.5), gravity=9.81)
    for ours, theirs in zip(our_accelerations(s, 9.81), peer(s, world), strict=True):
        assert disagreement(ours, theirs) < SAME


def test_a_resting_robot_is_carried() -> None:
    """The forces on a robot that lies still, pressed in by its weight, are what the ground carries, level or sloping."""
    robot, gait = random_robot(3), Sidewinding(amplitude=0.0)
    for slope in (0.0, 0.2):
        world = level(slope=slope, slope_direction=0.7)
        run = SpatialRun(robot, gait, None, world, Start(), mode="servo", duration=1.0, steps=1, stride=1, servo=SERVO)
        m = motion_of(run)
        frames = np.stack([m.axis[0], np.cross(m.back[0], m.axis[0]), m.back[0]], axis=-1)
        assert world.ground is not None
        normal, weight = world.ground.normal, robot.mass * world.gravity * np.cos(slope)
        deep = weight / (2 * robot.links * world.ground.stiffness)
        place = m.place[0] - np.outer(m.place[0] @ normal - robot.radius + deep, normal)
        ground, still = AppliedGround(robot, world, 1e-3), np.zeros((robot.links, 3))
        force, _ = ground.forces(place, frames, still, still)
        assert force.sum(axis=0) == pytest.approx(weight * normal, rel=1e-9, abs=1e-9)
        assert ground.contacts == 2 * robot.links
        assert ground.normal_force == pytest.approx(weight / (2 * robot.links), rel=1e-6)


LAWS = (Coulomb(0.3, 0.8, backward=0.5), UnitSlip(0.3, 0.8), Viscous(2.0, 5.0), Bristle(0.3, 0.8, static_across=1.0))


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.NAME)
def test_the_law_is_that_of_our_engine(law: Any) -> None:
    """At the state that a small step of our engine ends in, the explicit law gives the forces of that step."""
    gait = Sidewinding(phase_offset=np.pi / 2)
    run = SpatialRun(
        sidewinder(),
        gait,
        None,
        level(law),
        Start(),
        mode="servo",
        duration=0.6,
        steps=60_000,
        stride=2000,
        servo=SERVO,
    )
    assert run.advance(run.steps - 1)
    ground = AppliedGround(run.robot, run.world, run.dt)
    ground.surface.store[:], ground.surface.stamp[:], ground.calls = run.surface.store, run.surface.stamp, run.done
    assert run.advance(run.steps)
    links = run.rec.links[run.frames - 1]
    frames = np.stack([links[:, 3:6], np.cross(links[:, 6:9], links[:, 3:6]), links[:, 6:9]], axis=-1)
    b = run.b
    spin = b[:, ks.W : ks.W + 3].copy()
    velocity = b[:, ks.V : ks.V + 3] + np.cross(spin, b[:, ks.PJ : ks.PJ + 3])
    force, torque = ground.forces(links[:, :3].copy(), frames, spin, velocity)
    weight = run.robot.mass * run.gravity
    assert np.abs(force).max() > 0.05 * weight
    assert np.abs(force - links[:, FORCE : FORCE + 3]).max() < 1e-4 * weight
    load = b[:, ks.FL : ks.FL + 3] + np.outer(run.robot.link_mass, [0.0, 0.0, run.gravity])
    centre = b[:, ks.PG : ks.PG + 3]
    gravity = np.cross(centre, -np.outer(run.robot.link_mass, [0.0, 0.0, run.gravity]))
    theirs = b[:, ks.FA : ks.FA + 3] - gravity - np.cross(centre, load)
    assert np.abs(torque - theirs).max() < 1e-4 * weight * run.robot.link_length[0]


@pytest.mark.parametrize("name", PEERS)
def test_a_step_arrives_where_the_law_was_taken(name: str) -> None:
    """The package's own step under the forces handed to it ends at the velocity at which our law was evaluated."""
    robot, world, gait = sidewinder().but(joint_damping=0.05, limp=(2,)), level(), Sidewinding(ramp=0.1)
    setup = Setup(robot, gait, world, Start(), "servo", SERVO, 1.0)
    stepper = PEERS[name].Stepper(robot, world, setup, 1e-3, False, "ahead")
    recorder = Recorder(robot, 1.0, 1e-3, 0.02)
    if name == "drake":
        stepper.simulator.Initialize()
    for k in range(300):
        if name == "mujoco":
            mujoco.mj_step1(stepper.model, stepper.data)
        stepper.advance((k + 1) * 1e-3, recorder)
        reached = stepper.data.qvel if name == "mujoco" else stepper.plant.GetVelocities(stepper.context)
        assert np.abs(stepper.ground.velocity - reached).max() < 1e-9
    assert recorder.top > 1.0


def test_torque_limits_are_kept_in_the_prediction() -> None:
    robot, world, gait = sidewinder(), level(), Sidewinding(ramp=0.05)
    servo = Servo(60.0, 1.5, torque_limit=0.4)
    setup = Setup(robot, gait, world, Start(), "servo", servo, 1.0)
    stepper, recorder = (
        spatial_mujoco.Stepper(robot, world, setup, 1e-3, False, "ahead"),
        Recorder(robot, 1.0, 1e-3, 0.02),
    )
    saturated = 0
    for k in range(200):
        mujoco.mj_step1(stepper.model, stepper.data)
        stepper.advance((k + 1) * 1e-3, recorder)
        saturated += int((np.abs(stepper.data.actuator_force) >= 0.4).any())
        assert np.abs(stepper.ground.velocity - stepper.data.qvel).max() < 1e-9
    assert saturated > 10
    assert np.abs(stepper.data.actuator_force).max() <= 0.4


def far(a: Motion, b: Motion) -> float:
    """Largest distance of the tail-side joints in the same frames."""
    assert a.finite and b.finite and len(a.time) == len(b.time)
    return float(np.linalg.norm(a.place - b.place, axis=-1).max())


@pytest.fixture(scope="module", params=[0.0, np.pi / 2], ids=["in-phase", "helix"])
def winding(request: pytest.FixtureRequest) -> tuple[Sidewinding, Motion]:
    gait = Sidewinding(phase_offset=request.param)
    return gait, motion_of(own(sidewinder(), gait, level(), 1.5, 1e-5))


@pytest.mark.parametrize("name", PEERS)
def test_a_run_with_our_law_is_ours(name: str, winding: tuple[Sidewinding, Motion]) -> None:
    """Sidewinding with steps of 2e-4 s: all joints within 1 mm of our own fine run (they travel 0.1 m), work within 0.5 %."""
    gait, ours = winding
    theirs = PEERS[name].simulate(sidewinder(), gait, level(), mode="servo", servo=SERVO, duration=1.5, step=2e-4)
    assert far(ours, theirs) < 1e-3
    assert theirs.positive_work == pytest.approx(ours.positive_work, rel=5e-3)
    assert theirs.net_work == pytest.approx(ours.net_work, rel=1e-2)
    assert theirs.normal_force_max == pytest.approx(ours.normal_force_max, rel=0.1)
    assert theirs.contacts.mean() == pytest.approx(ours.contacts.mean(), rel=0.03)
    assert theirs.roll[-1] == pytest.approx(ours.roll[-1], abs=2e-3)


def test_the_explicit_law_comes_to_the_same() -> None:
    gait, world = Sidewinding(phase_offset=np.pi / 2, ramp=0.2), level(Coulomb(0.8, 0.8, smoothing=1e-2))
    ours = motion_of(own(sidewinder(), gait, world, 0.3, 1e-5))
    for name, peer in PEERS.items():
        theirs = peer.simulate(
            sidewinder(), gait, world, servo=SERVO, duration=0.3, step=2e-4, substeps=4, application="present"
        )
        assert far(ours, theirs) < 2e-3, name
        assert theirs.step == pytest.approx(5e-5)


@pytest.mark.parametrize("name", PEERS)
def test_prescribed_joints_are_followed(name: str) -> None:
    gait, world = Sidewinding(phase_offset=np.pi / 2), level()
    ours = motion_of(own(sidewinder(), gait, world, 0.6, 1e-5, mode="shape"))
    theirs = PEERS[name].simulate(sidewinder(), gait, world, mode="shape", duration=0.6, step=5e-4)
    bend = [np.einsum("fne,fne->fn", m.axis[:, 1:], m.axis[:, :-1]) for m in (ours, theirs)]
    assert np.abs(bend[0] - bend[1]).max() < 1e-5
    assert far(ours, theirs) < 3e-3
    native = PEERS[name].simulate(sidewinder(), gait, world, mode="shape", duration=0.6, step=5e-4, native=True).axis
    assert np.abs(bend[0] - np.einsum("fne,fne->fn", native[:, 1:], native[:, :-1])).max() < 1e-4


def glide(name: str, world: World, start: Start, native: bool, duration: float = 0.5) -> Motion:
    """A stiff straight robot sliding without friction."""
    return PEERS[name].simulate(
        sidewinder(),
        Sidewinding(amplitude=0.0),
        world,
        start,
        servo=Servo(200.0, 5.0),
        duration=duration,
        native=native,
    )


@pytest.mark.parametrize("native", [False, True], ids=["ours", "native"])
@pytest.mark.parametrize("name", PEERS)
def test_slopes_and_walls(name: str, native: bool) -> None:
    """Without friction a slope gives g sin; walls and pegs stop the head where they stand."""
    slope, direction, time = 0.1, 0.8, 0.5
    m = glide(name, level(Frictionless(), slope=slope, slope_direction=direction), Start(), native)
    moved = m.com[-1] - m.com[0]
    way = 0.5 * 9.81 * np.sin(slope) * time**2
    expected = -way * np.array([np.cos(slope) * np.cos(direction), np.cos(slope) * np.sin(direction), np.sin(slope)])
    assert np.abs(moved - expected).max() < 0.01 * way
    wall = Box(centre=(1.5, 0.0, 0.1), size=(0.2, 1.0, 0.4), yaw=np.pi)
    peg = Cylinder(base=(1.5, 0.0, -0.1), radius=0.1, length=0.5)
    for thing in (wall, peg):
        world = World(Frictionless(), ground=Ground(stiffness=2e4, damping=50.0), obstacles=(thing,))
        m = glide(name, world, Start(velocity=(1.0, 0.0)), native)
        tip = m.place[:, -1, 0] + 0.2 * m.axis[:, -1, 0] + 0.015
        assert 1.395 < tip.max() < 1.43
        assert m.com[-1, 0] < m.com[:, 0].max() - 1e-3  # thrown back, or bent aside


def test_a_height_field_of_mujoco_is_that_of_the_world() -> None:
    """A plane written as a height field carries as the plane does."""
    x, y = np.meshgrid(np.arange(41) * 0.1 - 1.0, np.arange(31) * 0.1 - 1.5)
    field = HeightField(0.1 * x + 0.05 * y, 0.1, (-1.0, -1.5))
    along = Start(heading=float(np.arctan2(0.1, -0.05)))  # a level line of it
    m = glide("mujoco", World(Frictionless(), ground=Ground(heights=field)), along, True)
    n = np.array([-0.1, -0.05, 1.0]) / np.linalg.norm([-0.1, -0.05, 1.0])
    way = 0.5 * 0.5**2 * 9.81 * (n[2] * n - [0.0, 0.0, 1.0])
    assert np.abs(m.com[-1] - m.com[0] - way).max() < 0.03 * np.linalg.norm(way)
    with pytest.raises(InputError, match="height field"):
        glide("drake", World(Frictionless(), ground=Ground(heights=field)), Start(), True)


@pytest.mark.parametrize("name", PEERS)
def test_native_contacts_carry_and_say_what_they_are(name: str) -> None:
    world, gait = level(Coulomb(0.1, 0.5)), Sidewinding(amplitude=0.0)
    m = PEERS[name].simulate(sidewinder(), gait, world, servo=SERVO, duration=0.5, native=True)
    assert m.finite and m.engine == name
    assert m.contacts[-1] == 12
    assert np.abs(m.com[-1] - m.com[0]).max() < 1e-3
    assert m.com[-1, 2] == pytest.approx(0.015, abs=5e-4)
    assert "isotropic friction 0.5" in m.note
    patched = World(Coulomb(0.1, 0.5), patches=(Patch((0.0, 0.0, 1.0, 1.0), 0.1, 0.1),), ground=Ground())
    piped = World(Coulomb(0.1, 0.5), ground=Ground(), obstacles=(Pipe((0.0, 0.0, 0.5), 0.5),))
    for other, match in (
        (level(Viscous(1.0, 1.0)), "dry"), (level(model="point"), "capsule"), (patched, "patches"), (piped, "pipe"),
    ):  # fmt: skip
        with pytest.raises(InputError, match=match):
            PEERS[name].simulate(sidewinder(), gait, other, servo=SERVO, duration=0.1, native=True)


def test_wrong_arguments_are_refused() -> None:
    for peer in PEERS.values():
        for wrong in ({"mode": "torque"}, {"application": "later"}, {"substeps": 0}):
            with pytest.raises(InputError, match=next(iter(wrong))):
                peer.simulate(sidewinder(), Sidewinding(), level(), duration=0.1, **wrong)


def test_a_run_that_diverges_says_so() -> None:
    for name, peer in PEERS.items():
        world = level(stiffness=1e12, damping=1e9)
        m = peer.simulate(sidewinder(), Sidewinding(), world, duration=1.0, step=1e-2, application="present")
        assert not m.finite, name


def test_missing_drake_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name, *args, **kwargs):
        if name.startswith("pydrake"):
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(InputError, match=r"serpenoid\[engines\]"):
        spatial_drake.load_drake()


def test_motion_of_our_own_run() -> None:
    run = own(sidewinder(), Sidewinding(phase_offset=np.pi / 2), level(), 1.0, 1e-3)
    m = motion_of(run, wall_time=2.0)
    assert m.finite and m.engine == "serpenoid" and m.wall_time == 2.0 and m.steps == 1000
    centre = m.place + 0.1 * m.axis
    assert np.abs(centre.mean(axis=1) - m.com).max() < 1e-9
    assert m.roll[-1] == pytest.approx(run.acc[tally.ROLL], rel=1e-2)
    assert m.path_length(10.0) == pytest.approx(np.hypot(*(m.com[-1] - m.com[0])[:2]), rel=1e-12)
