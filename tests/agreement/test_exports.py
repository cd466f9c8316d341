"""Robots written for other packages are the same robots there: mass, places, mass matrix and bias, in MuJoCo, Pinocchio and Drake."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import serpenoid as sp
from cases import PROVE
from serpenoid import robots
from serpenoid.core import Robot, World
from serpenoid.core.actuator import Servo
from serpenoid.core.terrain import Ground
from serpenoid.formats.mjcf import mjcf_text, read_mjcf
from serpenoid.formats.sdf import sdf_text
from serpenoid.formats.urdf import read_urdf, urdf_text
from serpenoid.peers.mujoco_model import model_of

mujoco = pytest.importorskip("mujoco")
pinocchio = pytest.importorskip("pinocchio")

STATES = 1000 if PROVE else 40
MASS, PLACE, MATRIX = 1e-12, 1e-10, 1e-9  # relative; m; relative to the largest entry
SAME_DISTANCE = 1e-7  # relative: the last bits of a mass, over 300 steps of contact
SAME_MOTION = 1e-12  # m and rad: rounding of two orders of summation in 100 steps of contact
BUNDLED = dict(robots.ROBOTS)


@pytest.fixture(params=sorted(BUNDLED))
def robot(request: pytest.FixtureRequest) -> Robot:
    made: Robot = BUNDLED[request.param]()
    return made if made.radius.all() else made.but(radius=0.1 * made.link_length)


def bare(robot: Robot) -> Robot:
    """The robot without its rotors, of which URDF and SDF know nothing."""
    return robot.but(servo=None)


def random_states(model: Any, count: int) -> Any:
    rng = np.random.default_rng(3)
    for _ in range(count):
        q = rng.uniform(-1.0, 1.0, model.nq)
        q[3:7] /= np.linalg.norm(q[3:7])
        yield q, rng.uniform(-2.0, 2.0, model.nv)


def mass_and_bias(model: Any, data: Any, q: Any, v: Any) -> tuple[Any, Any, Any]:
    data.qpos[:], data.qvel[:] = q, v
    mujoco.mj_forward(model, data)
    full = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, full, data.qM) if hasattr(data, "qM") else mujoco.mj_fullM(model, data, full)
    return full, data.qfrc_bias.copy(), data.xpos.copy()


def same_in_mujoco(text: str, robot: Robot) -> None:
    ours, theirs = model_of(robot, World(ground=Ground())), mujoco.MjModel.from_xml_string(text)
    theirs.opt.gravity[:] = ours.opt.gravity
    theirs.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT
    assert (theirs.nq, theirs.nv) == (ours.nq, ours.nv)
    assert abs(theirs.body_mass.sum() - robot.mass) <= MASS * robot.mass
    links = [theirs.body(f"link{i}").id for i in range(robot.links)]
    one, other = mujoco.MjData(ours), mujoco.MjData(theirs)
    for q, v in random_states(ours, STATES):
        M, bias, places = mass_and_bias(ours, one, q, v)
        M2, bias2, places2 = mass_and_bias(theirs, other, q, v)
        M, M2 = M - np.diag(ours.dof_armature), M2 - np.diag(theirs.dof_armature)  # rotors: see below
        assert np.abs(places[1:] - places2[links]).max() <= PLACE
        assert np.abs(M - M2).max() <= MATRIX * np.abs(M).max()
        assert np.abs(bias - bias2).max() <= MATRIX * np.abs(bias).max()


def test_urdf_and_mjcf_in_mujoco(robot: Robot) -> None:
    same_in_mujoco(urdf_text(robot), bare(robot))
    same_in_mujoco(mjcf_text(robot), robot)


def test_rotors_are_armatures_in_mjcf() -> None:
    """A URDF knows no rotors; an MJCF has them as armatures of the joints."""
    robot = robots.dynamixel()
    model = mujoco.MjModel.from_xml_string(mjcf_text(robot))
    assert robot.servos[0] is not None and robot.servos[0].rotor_inertia > 0.01
    assert np.all(model.dof_armature[:6] == 0.0) and np.all(model.dof_armature[6:] == robot.servos[0].rotor_inertia)


def test_sparse_and_dense_jacobians_agree() -> None:
    """The solver's two ways to factor its matrix: MuJoCo 4.0.0 had an error in one of them."""
    robot, ends = robots.alternating(links=30), []
    model = mujoco.MjModel.from_xml_string(mjcf_text(robot, World()))
    for kind in (mujoco.mjtJacobian.mjJAC_DENSE, mujoco.mjtJacobian.mjJAC_SPARSE):
        model.opt.jacobian, data = kind, mujoco.MjData(model)
        data.qpos[2] = 0.99 * robot.radius.max()
        data.qpos[7::2] = data.ctrl[::2] = 0.2 * np.random.default_rng(5).standard_normal(
            (model.nu + 1) // 2
        )  # lies flat
        for _ in range(100):
            mujoco.mj_step(model, data)
        assert data.ncon > 10
        ends.append(data.qpos.copy())
    assert np.abs(ends[0] - ends[1]).max() <= SAME_MOTION


def test_urdf_in_pinocchio(robot: Robot, tmp_path: Path) -> None:
    path = tmp_path / "robot.urdf"
    path.write_text(urdf_text(robot, floating=False))
    model = pinocchio.buildModelFromUrdf(str(path), pinocchio.JointModelFreeFlyer())
    model.gravity.linear = np.array([0.0, 0.0, -World().gravity])
    data, ours = model.createData(), model_of(bare(robot), World(ground=Ground()))
    one = mujoco.MjData(ours)
    assert abs(sum(i.mass for i in model.inertias) - robot.mass) <= MASS * robot.mass
    order = [model.getJointId(f"{kind}{joint}") for joint, kind in robot.axes]
    for q, v in random_states(ours, STATES):
        M, bias, places = mass_and_bias(ours, one, q, v)
        turn = one.xmat[1].reshape(3, 3)
        base, speed = pinocchio.neutral(model), np.zeros(model.nv)
        base[:3], base[3:7] = q[:3], q[[4, 5, 6, 3]]
        speed[:3], speed[3:6] = turn.T @ v[:3], v[3:6]
        for k, joint in enumerate(order):
            i, iv, width = model.joints[joint].idx_q, model.joints[joint].idx_v, model.joints[joint].nq
            base[i : i + width] = [np.cos(q[7 + k]), np.sin(q[7 + k])] if width == 2 else q[7 + k]
            speed[iv] = v[6 + k]
        rows = [*range(6), *(model.joints[j].idx_v for j in order)]
        change = np.eye(ours.nv)  # from velocities as Pinocchio counts them (the tail's in its own axes) to MuJoCo's
        change[:3, :3] = turn
        theirs = pinocchio.crba(model, data, base)
        theirs = np.triu(theirs) + np.triu(theirs, 1).T
        assert np.abs(theirs[np.ix_(rows, rows)] - change.T @ M @ change).max() <= MATRIX * np.abs(M).max()
        pinocchio.forwardKinematics(model, data, base)
        pinocchio.updateFramePlacements(model, data)
        ids = [model.getFrameId(f"link{i}") for i in range(robot.links)]
        assert max(np.abs(data.oMf[f].translation - p).max() for f, p in zip(ids, places[1:], strict=True)) <= PLACE
        still = np.zeros(model.nv)  # no acceleration of the tail in world axes, as MuJoCo counts it
        still[:3] = -np.cross(speed[3:6], speed[:3])
        nle = pinocchio.rnea(model, data, base, speed, still)
        assert np.abs(nle[rows] - change.T @ bias).max() <= MATRIX * np.abs(bias).max()


def test_sdf_in_drake(robot: Robot) -> None:
    drake = pytest.importorskip("pydrake.all")
    plant = drake.MultibodyPlant(0.0)
    drake.Parser(plant).AddModelsFromString(sdf_text(robot), "sdf")
    plant.mutable_gravity_field().set_gravity_vector([0.0, 0.0, -World().gravity])
    plant.Finalize()
    context = plant.CreateDefaultContext()
    assert abs(plant.CalcTotalMass(context) - robot.mass) <= MASS * robot.mass
    ours = model_of(bare(robot), World(ground=Ground()))
    one, base = mujoco.MjData(ours), plant.GetBodyByName("link0")
    joints = [plant.GetJointByName(f"{kind}{joint}") for joint, kind in robot.axes]
    links = [plant.GetBodyByName(f"link{i}") for i in range(robot.links)]
    first = base.floating_velocities_start_in_v()
    rows = [*range(first + 3, first + 6), *range(first, first + 3), *(joint.velocity_start() for joint in joints)]
    for q, v in random_states(ours, STATES):
        M, bias, places = mass_and_bias(ours, one, q, v)
        turn = one.xmat[1].reshape(3, 3)
        plant.SetFreeBodyPose(context, base, drake.RigidTransform(drake.RotationMatrix(turn), q[:3]))
        plant.SetFreeBodySpatialVelocity(context, base, drake.SpatialVelocity(turn @ v[3:6], v[:3]))
        for k, joint in enumerate(joints):
            joint.set_angle(context, q[7 + k])
            joint.set_angular_rate(context, v[6 + k])
        theirs = np.array([link.EvalPoseInWorld(context).translation() for link in links])
        assert np.abs(theirs - places[1:]).max() <= PLACE
        change = np.eye(ours.nv)  # from velocities as Drake counts them (the tail's spin in world axes) to MuJoCo's
        change[3:6, 3:6] = turn.T
        matrix = plant.CalcMassMatrix(context)[np.ix_(rows, rows)]
        assert np.abs(matrix - change.T @ M @ change).max() <= MATRIX * np.abs(M).max()
        force = (plant.CalcBiasTerm(context) - plant.CalcGravityGeneralizedForces(context))[rows]
        assert np.abs(force - change.T @ bias).max() <= MATRIX * np.abs(bias).max()


def random_servo(rng: Any) -> Servo:
    limits = {"torque_limit": float(rng.uniform(0.5, 9.0))} if rng.random() < 0.7 else {}
    speeds = {"speed_limit": float(rng.uniform(1.0, 9.0))} if rng.random() < 0.7 else {}
    return Servo(
        stiffness=float(rng.uniform(1.0, 90.0)), damping=float(rng.choice([0.0, 0.3])), gear_friction=float(rng.choice([0.0, 0.1])),
        rotor_inertia=float(rng.choice([0.0, 0.0123])), backlash=float(rng.choice([0.0, 0.01])), **limits, **speeds,
    )  # fmt: skip


def random_robot(seed: int) -> Robot:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 12))
    length, mass = rng.uniform(0.03, 0.4, n), rng.uniform(0.02, 2.0, n)
    kinds = [str(rng.choice(["yaw", "pitch", "roll", "universal", "pitch-yaw", "fixed"])) for _ in range(n - 1)]
    kinds[0] = str(rng.choice(["yaw", "pitch", "universal", "pitch-yaw"]))
    servo: Any = None
    if rng.random() < 0.5:
        servo = [random_servo(rng) for _ in range(n - 1)] if rng.random() < 0.5 else random_servo(rng)
    return Robot(
        links=n, link_length=length, link_mass=mass, link_inertia=rng.uniform(0.5, 2.0, n) * mass * length**2 / 12, com_offset=rng.uniform(0.2, 0.8, n) * length,
        joints=kinds, radius=rng.uniform(0.05, 0.2, n) * length, joint_damping=rng.choice([0.0, 0.05], n - 1),
        joint_limit=rng.choice([np.inf, 1.5, 0.7], n - 1), servo=servo, name=f"random {seed}",
    )  # fmt: skip


@pytest.mark.parametrize("block", range(4))
def test_export_and_import_is_a_fixed_point(block: int, tmp_path: Path) -> None:
    """The first file is the last: who reads it and writes it again gets the same text, limp and locked joints, stops, servos and losses included."""
    for seed in range(50 * block, 50 * block + (50 if PROVE else 12)):
        rng = np.random.default_rng([seed, 7])
        robot = random_robot(seed).but(source="")
        stuck = [i for i, kind in enumerate(robot.joint_kinds, 1) if kind != "fixed" and rng.random() < 0.2][1:]
        robot = robot.but(locked=stuck[::2], limp=stuck[1::2])
        for name, text, read in (("r.urdf", urdf_text, read_urdf), ("r.xml", mjcf_text, read_mjcf)):
            (tmp_path / name).write_text(text(robot))
            assert text(read(tmp_path / name).robot.but(source="")) == text(robot), (seed, name)


@pytest.mark.parametrize("name", [*sorted(BUNDLED), "all limp"])
def test_bundled_robots_are_fixed_points(name: str, tmp_path: Path) -> None:
    robot = robots.alternating(links=5, limp=[1, 2, 3, 4]) if name == "all limp" else BUNDLED[name]()
    for file, text, read in (("r.urdf", urdf_text, read_urdf), ("r.xml", mjcf_text, read_mjcf)):
        (tmp_path / file).write_text(text(robot.but(source="")))
        back = read(tmp_path / file).robot.but(source="")
        assert text(back) == text(robot.but(source="")), file
    assert back.limp == robot.limp and (back.servo is None) == (robot.servo is None)  # of the MJCF


@pytest.mark.parametrize("seed", range(60 if PROVE else 4))
def test_an_imported_robot_moves_as_the_original(seed: int, tmp_path: Path) -> None:
    rng = np.random.default_rng(seed)
    robot = random_robot(seed).but(servo=None)
    robot = robot.but(
        joints=["yaw" if "roll" in kind or kind == "fixed" else kind for kind in robot.joint_kinds], joint_limit=2.0
    )
    times = np.linspace(0.0, 0.3, 7)
    gait = sp.gaits.Sampled(
        times, 0.4 * np.sin(9.0 * times[:, None] + rng.uniform(0.0, 6.0, len(robot.axes))) * times[:, None] / 0.3
    )
    world = World(ground=Ground())
    moved = sp.simulate(robot, gait, world, duration=0.3)
    for name, text, read in (("r.urdf", urdf_text(robot), read_urdf), ("r.xml", mjcf_text(robot), read_mjcf)):
        (tmp_path / name).write_text(text)
        again = sp.simulate(read(tmp_path / name).robot.but(servo=None), gait, world, duration=0.3)
        assert again.metrics["com_distance"] == pytest.approx(moved.metrics["com_distance"], rel=SAME_DISTANCE)
