"""The spatial recursion against Pinocchio's, and against itself backwards.

Pinocchio with revolute joints only: its universal joint loses accuracy.
"""

from __future__ import annotations

import numpy as np
import pytest

import serpenoid as sp
import space_cases as cases
from cases import PROVE
from serpenoid.core.actuator import Servo
from serpenoid.spatial.body import Acceleration, Body

pin = pytest.importorskip("pinocchio", reason="the test environment has it", exc_type=ImportError)

ACCELERATION = 1e-9  # relative
SEQUENCE = "any sequence"  # of joints of every kind but fixed ones
INVERSE = 1e-9


def model_of(robot: sp.Robot):
    """The robot in Pinocchio: a free base and revolute joints."""
    model = pin.Model()
    joint = model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "base")
    for i in range(robot.links):
        place = pin.SE3(np.eye(3), np.array([robot.link_length[i - 1], 0.0, 0.0])) if i else pin.SE3.Identity()
        rigid = place
        for axis in (axis for number, axis in robot.axes if number == i):
            kind = {"yaw": pin.JointModelRZ, "pitch": pin.JointModelRY, "roll": pin.JointModelRX}[axis]()
            joint = model.addJoint(joint, kind, rigid, f"joint {i} {axis}")
            rigid = pin.SE3.Identity()
        inertia = np.diag([robot.axial_inertia[i], robot.link_inertia[i], robot.link_inertia[i]])
        com = np.array([robot.com_offset[i], 0.0, 0.0])
        model.appendBodyToJoint(joint, pin.Inertia(robot.link_mass[i], com, inertia), rigid)
    model.gravity.linear[:] = 0.0
    return model


def chain_with(rng: np.random.Generator, joints: str) -> sp.Robot:
    """A random chain with joints of one kind, or in a random sequence of kinds with rotors."""
    if joints != SEQUENCE:
        return cases.random_chain(rng, joints)
    robot = cases.random_chain(rng, "yaw").but(locked=())
    kinds = rng.choice(["yaw", "pitch", "roll", "universal", "pitch-yaw"], robot.links - 1)
    return robot.but(joints=tuple(str(kind) for kind in kinds), servo=Servo(rotor_inertia=3e-3))


def random_state(rng: np.random.Generator, robot: sp.Robot):
    body = Body(robot)
    q, qd, tau = (rng.uniform(-1.2, 1.2, body.axes) for _ in range(3))
    R, w, v = cases.random_frame(rng), rng.uniform(-2, 2, 3), rng.uniform(-1, 1, 3)
    return body.put(frame=R, angles=q, spin=w, velocity=v, rates=qd), q, qd, tau, R, w, v


@pytest.mark.parametrize("seed", range(40 if PROVE else 8))
@pytest.mark.parametrize("joints", [*cases.KINDS, SEQUENCE])
def test_accelerations_equal_pinocchio(joints: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    # a locked joint is a rigid connection of links: Pinocchio's body then has several links
    robot = chain_with(rng, joints).but(locked=())
    body, q, qd, tau, R, w, v = random_state(rng, robot)
    model = model_of(robot)
    if robot.servo is not None:
        model.armature[6:] = robot.servo.rotor_inertia
    quaternion = pin.Quaternion(R).coeffs()
    applied = tau - np.array([robot.joint_damping[number - 1] for number, _ in robot.axes]) * qd
    theirs = pin.aba(
        model, model.createData(), np.concatenate([np.zeros(3), quaternion, q]), np.concatenate([R.T @ v, R.T @ w, qd]),
        np.concatenate([np.zeros(6), applied]),
    )  # fmt: skip
    ours = body.accelerations(tau)
    scale = np.abs(theirs).max()
    assert np.abs(ours.joints - theirs[6:]).max() < ACCELERATION * scale
    assert np.abs(R.T @ ours.spin - theirs[3:6]).max() < ACCELERATION * scale
    # theirs is the body-frame derivative of the velocity: without the turning of the frame
    assert np.abs(R.T @ (ours.tail - np.cross(w, v)) - theirs[:3]).max() < ACCELERATION * scale
    # energy and momentum of the links
    model.armature[:] = 0.0
    data = model.createData()
    state = np.concatenate([np.zeros(3), quaternion, q]), np.concatenate([R.T @ v, R.T @ w, qd])
    assert body.energy() == pytest.approx(pin.computeKineticEnergy(model, data, *state), rel=1e-12)
    pin.computeCentroidalMomentum(model, data, *state)
    linear, angular = body.momentum()
    assert np.abs(linear - data.hg.linear).max() < 1e-12 * (1 + np.abs(linear).max())
    assert np.abs(angular - data.hg.angular).max() < 1e-11


@pytest.mark.parametrize("seed", range(40 if PROVE else 8))
@pytest.mark.parametrize("joints", [*cases.KINDS, SEQUENCE])
def test_inverse_dynamics_of_forward_dynamics(joints: str, seed: int) -> None:
    """Torques, forces and moments in, accelerations out, torques back; nothing is left to hold the tail."""
    rng = np.random.default_rng(100 + seed)
    robot = chain_with(rng, joints)
    body, _, _, tau, *_ = random_state(rng, robot)
    forces, moments = rng.uniform(-3, 3, (robot.links, 3)), rng.uniform(-1, 1, (robot.links, 3))
    found, left = body.torques(body.accelerations(tau, forces, moments), forces, moments)
    assert np.abs(found - tau).max() < INVERSE * max(1.0, np.abs(tau).max())
    assert np.abs(left).max() < 1e-8
    wrong, _ = body.torques(Acceleration(np.ones(body.axes), np.ones(3), np.ones(3)), forces, moments)
    assert np.abs(wrong - tau).max() > 1e-3
