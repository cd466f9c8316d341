"""One robot in two engines: the planar chain lifted to space is the planar chain."""

from __future__ import annotations

import numpy as np
import pytest
from kernel_face import State, kernel_torque_to_motion

import serpenoid as sp
from serpenoid.core.terrain import Ground
from serpenoid.spatial.body import Body

ACCELERATION = 1e-10  # relative
RUN = 4e-4  # of the distance at a step of 2.5e-4 s: both are of first order
FINE = 1e-4  # at 5e-5 s


def test_accelerations(state: State) -> None:
    tail, ddphi = kernel_torque_to_motion(state)
    robot = state.robot
    c, s = np.cos(state.phi), np.sin(state.phi)
    frame = np.array([[c[0], -s[0], 0.0], [s[0], c[0], 0.0], [0.0, 0.0, 1.0]])
    body = Body(robot).put(
        frame=frame,
        angles=np.diff(state.phi),
        spin=(0.0, 0.0, state.dphi[0]),
        rates=np.diff(state.dphi),
        velocity=(0.3, -0.2, 0.0),
    )
    forces = np.column_stack([state.forces, np.zeros(robot.links)])
    arm = robot.contact_offset - robot.com_offset
    moments = np.zeros((robot.links, 3))
    moments[:, 2] = arm * (c * forces[:, 1] - s * forces[:, 0])
    found = body.accelerations(state.tau, forces, moments)
    scale = np.abs(ddphi).max()
    assert (
        np.abs(np.concatenate([[found.spin[2]], found.spin[2] + np.cumsum(found.joints)]) - ddphi).max()
        < ACCELERATION * scale
    )
    assert np.abs(found.tail[:2] - tail).max() < ACCELERATION * max(scale, np.abs(tail).max())
    assert np.abs(found.spin[:2]).max() < ACCELERATION * scale and abs(found.tail[2]) < ACCELERATION * scale


@pytest.mark.parametrize(("step", "limit"), [(2.5e-4, RUN), (5e-5, FINE)])
def test_two_seconds_with_friction(step: float, limit: float) -> None:
    """Links that touch at their centres of gravity: each presses with its own weight, in space as in the plane."""
    robot = sp.robots.ma2001(20, com_offset=0.04, contact_offset=0.04)
    gait, law = sp.gaits.Serpenoid(0.7, 1.5, speed=0.8), sp.contact.Coulomb(0.1, 0.5)
    plane = sp.simulate(robot, gait, sp.World(law), 2.0, step=step)
    space = sp.simulate(robot, gait, sp.World(law, ground=Ground("point", 2e4, 200.0)), 2.0, step=step)
    far = plane.metrics["com_distance"]
    assert abs(space.metrics["com_distance"] - far) < limit * far
    assert (
        abs(space.metrics["slip_per_link"] - plane.metrics["slip_per_link"])
        < 10 * limit * plane.metrics["slip_per_link"]
    )
    assert (
        abs(space.metrics["torque_sq_mean"] - plane.metrics["torque_sq_mean"])
        < 10 * limit * plane.metrics["torque_sq_mean"]
    )
    ends = [np.array([run["node"][..., 0][-1], run["node"][..., 1][-1]]) for run in (plane, space)]
    assert np.abs(ends[0] - ends[1]).max() < 2 * limit * far
    assert space["normal_force"][20:] == pytest.approx(0.5 * 9.81, rel=1e-6)


def test_torque_mode(step: float = 1e-4) -> None:
    robot = sp.robots.ma2001(8, com_offset=0.04, contact_offset=0.04, joint_damping=0.02)
    drive, law = sp.control.SineTorque(0.3, 5.0, 0.6), sp.contact.Coulomb(0.1, 0.5)
    plane = sp.simulate(robot, drive, sp.World(law), 1.0, step=step)
    space = sp.simulate(robot, drive, sp.World(law, ground=Ground("point", 2e4, 200.0)), 1.0, step=step)
    assert np.abs(space["joint_angle"][-1] - plane["joint_angle"][-1]).max() < 2e-3
    assert np.abs(plane["joint_angle"][-1]).max() > 0.05
