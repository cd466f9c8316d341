"""The spatial recursion against Pinocchio's, and against itself backwards.

Pinocchio with revolute joints only: its universal joint loses accuracy.
"""

from __future__ import annotations

import numpy as np
import pytest

import serpenoid as sp
import space_cases as cases
from cases import PROVE
from serpenoid.spatial._old.body import Acceleration, Body
from serpenoid.spatial._old.kinematics import axes_of

pin = pytest.importorskip("pinocchio", reason="the test environment has it", exc_type=ImportError)

ACCELERATION = 1e-9  # relative
INVERSE = 1e-9


def model_of(robot: sp.Robot):
    """The robot in Pinocchio: a free base and revolute joints."""
    model = pin.Model()
    joint = model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "base")
    for i in range(robot.links):
        place = pin.SE3(np.eye(3), np.array([robot.link_length[i - 1], 0.0, 0.0])) if i else pin.SE3.Identity()
        rigid = place
        for axis in axes_of(robot, i) if i else ():
            kind = pin.JointModelRZ() if axis == 0 else pin.JointModelRY()
            joint = model.addJoint(joint, kind, rigid, f"joint {i} {axis}")
            rigid = pin.SE3.Identity()
        inertia = np.diag([robot.axial_inertia[i], robot.link_inertia[i], robot.link_inertia[i]])
        com = np.array([robot.com_offset[i], 0.0, 0.0])
        model.appendBodyToJoint(joint, pin.Inertia(robot.link_mass[i], com, inertia), rigid)
    model.gravity.linear[:] = 0.0
    return model


def random_state(rng: np.random.Generator, robot: sp.Robot):
    body = Body(robot)
    q, qd, tau = (rng.uniform(-1.2, 1.2, body.axes) for _ in range(3))
    R, w, v = cases.random_frame(rng), rng.uniform(-2, 2, 3), rng.uniform(-1, 1, 3)
    return body.put(frame=R, angles=q, spin=w, velocity=v, rates=qd), q, qd, tau, R, w, v


@pytest.mark.parametrize("seed", range(40 if PROVE else 8))
@pytest.mark.parametrize("joints", cases.KINDS)
def test_accelerations_equal_pinocchio(joints: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    # a locked joint is a rigid connection of links: Pinocchio's body then has several links
    robot = cases.random_chain(rng, joints).but(locked=())
    body, q, qd, tau, R, w, v = random_state(rng, robot)
    model = model_of(robot)
    quaternion = pin.Quaternion(R).coeffs()
    applied = tau - np.repeat(robot.joint_damping, [len(axes_of(robot, i)) for i in range(1, robot.links)]) * qd
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
    # energy and momentum
    data = model.createData()
    state = np.concatenate([np.zeros(3), quaternion, q]), np.concatenate([R.T @ v, R.T @ w, qd])
    assert body.energy() == pytest.approx(pin.computeKineticEnergy(model, data, *state), rel=1e-12)
    pin.computeCentroidalMomentum(model, data, *state)
    linear, angular = body.momentum()
    assert np.abs(linear - data.hg.linear).max() < 1e-12 * (1 + np.abs(linear).max())
    assert np.abs(angular - data.hg.angular).max() < 1e-11


@pytest.mark.parametrize("seed", range(40 if PROVE else 8))
@pytest.mark.parametrize("joints", cases.KINDS)
def test_inverse_dynamics_of_forward_dynamics(joints: str, seed: int) -> None:
    """Torques, forces and moments in, accelerations out, torques back; nothing is left to hold the tail."""
    rng = np.random.default_rng(100 + seed)
    robot = cases.random_chain(rng, joints, low=3, high=20)
    body, _, _, tau, *_ = random_state(rng, robot)
    forces, moments = rng.uniform(-3, 3, (robot.links, 3)), rng.uniform(-1, 1, (robot.links, 3))
    found, left = body.torques(body.accelerations(tau, forces, moments), forces, moments)
    assert np.abs(found - tau).max() < INVERSE * max(1.0, np.abs(tau).max())
    assert np.abs(left).max() < 1e-8
    wrong, _ = body.torques(Acceleration(np.ones(body.axes), np.ones(3), np.ones(3)), forces, moments)
    assert np.abs(wrong - tau).max() > 1e-3
