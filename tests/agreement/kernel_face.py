"""A face on the planar kernels, and random chains, for the agreement tests."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from serpenoid.contact import Frictionless, Viscous, evaluate
from serpenoid.contact.touch import TANGENT
from serpenoid.core import FloatArray, Robot, World
from serpenoid.frames import sincos
from serpenoid.planar.constants import constants_for
from serpenoid.planar.dynamics import (
    inertia_and_spin,
    kinetic_energy,
    reactions,
    shape_acceleration,
    torque_acceleration,
)
from serpenoid.planar.kinematics import face_ground, forward_kinematics, place_points, slip, spread_forces
from serpenoid.planar.layout import (
    ANGLE,
    BEND,
    BODY_ROWS,
    DRIVEN_BY,
    FM,
    FX,
    FY,
    LEVER,
    RATE,
    SOLVE_ROWS,
    TAU,
    TOTAL,
    UJ,
    VJ,
    C,
    S,
    scratch_for,
)


class State(NamedTuple):
    """A random robot with unequal links in a random state of motion, and what is given to it."""

    robot: Robot
    phi: FloatArray
    dphi: FloatArray
    forces: FloatArray  # (n, 2) N
    tau: FloatArray  # (n-1,) N m
    ddtheta: FloatArray  # (n-1,) rad/s^2


def random_state(links: int, seed: int, damped: bool = True) -> State:
    rng = np.random.default_rng([links, seed])
    length = rng.uniform(0.05, 0.3, links)
    robot = Robot(
        name="random",
        links=links,
        link_length=length,
        link_mass=rng.uniform(0.2, 2.0, links),
        link_inertia=rng.uniform(0.001, 0.02, links),
        com_offset=length * rng.uniform(0.1, 0.9, links),
        contact_offset=length * rng.uniform(0.1, 0.9, links),
        joint_damping=rng.uniform(0.01, 0.2, links - 1) if damped else 0.0,
    )
    return State(
        robot,
        rng.uniform(-2.5, 2.5, links),
        rng.uniform(-3.0, 3.0, links),
        rng.uniform(-4.0, 4.0, (links, 2)),
        rng.uniform(-1.5, 1.5, links - 1),
        rng.uniform(-20.0, 20.0, links - 1),
    )


def damping_torque(state: State) -> FloatArray:
    """Torque of the joint dampers on the outer links, N m."""
    return -state.robot.joint_damping * np.diff(state.dphi)


def body_of(state: State, phi: FloatArray, dphi: FloatArray, forces: FloatArray):
    """Constants of the robot and the rows of its links, placed, with forces on it."""
    constants = constants_for(
        state.robot, World(Frictionless()), step=1.0, stride=1, ideal=True, integrator="implicit", tolerance=None
    )
    b = np.zeros((BODY_ROWS, state.robot.links))
    b[ANGLE], b[RATE] = phi, dphi
    b[FX], b[FY] = forces.T
    b[FM] = state.robot.contact_offset * (np.cos(phi) * b[FY] - np.sin(phi) * b[FX])
    sincos(b, ANGLE, C, S)
    forward_kinematics(constants.links, constants.numbers[TOTAL], b)
    return constants, b


def kernel_torque_to_motion(state: State) -> tuple[FloatArray, FloatArray]:
    """Accelerations of the tail's end and of the headings by the O(n) recursion, joint damping included."""
    constants, b = body_of(state, state.phi, state.dphi, state.forces)
    b[DRIVEN_BY, 1:] = state.tau
    return np.array(torque_acceleration(constants, b, np.zeros((SOLVE_ROWS, state.robot.links)))), b[BEND].copy()


ALONG, ACROSS, EDGE, TAIL_VELOCITY = 1.3, 4.1, 0.4, (0.41, -0.67)  # N s/m, N s/m, rad, m/s


def viscous_forces(state: State, points: int) -> tuple[FloatArray, FloatArray]:
    """Places (n, k) of Gauss points from the tail-side joints and the viscous forces (n, k, 2) there, by hand."""
    robot, nodes, weights = state.robot, *np.polynomial.legendre.leggauss(points)
    offsets = 0.5 * robot.link_length[:, None] * (1.0 + nodes)
    swing = state.dphi * 1j * np.exp(1j * state.phi)
    joint = complex(*TAIL_VELOCITY) + np.concatenate([[0.0], np.cumsum(robot.link_length * swing)[:-1]])
    edge = np.exp(1j * (state.phi + EDGE))[:, None]
    seen = (joint[:, None] + offsets * swing[:, None]) / edge
    force = -0.5 * weights * (ALONG * seen.real + 1j * ACROSS * seen.imag) * edge
    return offsets, np.stack([force.real, force.imag], axis=-1)


def kernel_with_points(state: State, points: int) -> tuple[FloatArray, FloatArray]:
    """Accelerations of the tail's end and of the headings by the kernels, with viscous friction at several contact points."""
    robot = state.robot.but(contact_offset=0.5 * state.robot.link_length)
    world = World(Viscous(ALONG, ACROSS), contact_points=points, edge_angle=EDGE)
    constants = constants_for(robot, world, step=1.0, stride=1, ideal=True, integrator="rk4", tolerance=None)
    scratch = scratch_for(constants)
    b = scratch.links
    b[ANGLE], b[RATE] = state.phi, state.dphi
    b[DRIVEN_BY, 1:] = state.tau
    sincos(b, ANGLE, C, S)
    forward_kinematics(constants.links, constants.numbers[TOTAL], b)
    place_points(constants.points, b, scratch.points)
    face_ground(constants.points, scratch.points)
    slip(scratch.points, scratch.touch, TAIL_VELOCITY[0] - b[UJ, 0], TAIL_VELOCITY[1] - b[VJ, 0], 0.0)
    scalars = world.friction.scalars()
    evaluate(Viscous.KIND, scalars, 1.0, scratch.limits, np.zeros((4, 1)), 0.0, TANGENT, scratch.touch)
    spread_forces(constants.points, b, scratch.points, scratch.touch)
    return np.array(torque_acceleration(constants, b, scratch.solve)), b[BEND].copy()


def turned(vectors: FloatArray, angle: float) -> FloatArray:
    c, s = np.cos(angle), np.sin(angle)
    return vectors @ np.array([[c, s], [-s, c]])


def kernel_shape_to_motion(state: State, frame: float, turn: float) -> tuple[FloatArray, float, FloatArray]:
    """Accelerations of the tail's end and of its heading, and joint torques, by the O(n) sums.

    The kernel works in a body frame with heading `frame` and rate `turn`; the answer must not depend on it.
    """
    robot = state.robot
    bend = np.concatenate([[0.0], np.cumsum(state.ddtheta)])
    constants, b = body_of(state, state.phi - frame, state.dphi - turn, turned(state.forces, -frame))
    b[BEND] = bend
    inertia, _ = inertia_and_spin(constants.links, b)
    ax, ay, alpha = shape_acceleration(constants, b, inertia, turn)
    reactions(b)
    # from the centre of gravity back to the tail's end, in world axes
    ddphi = bend + alpha
    weight = constants.links[LEVER] / robot.mass
    pull = np.stack([-np.sin(state.phi), np.cos(state.phi)], 1) * ddphi[:, None]
    pull -= np.stack([np.cos(state.phi), np.sin(state.phi)], 1) * (state.dphi**2)[:, None]
    tail = turned(np.array([ax, ay]), frame) - weight @ pull
    return tail, float(ddphi[0]), b[TAU, 1:].copy()


def kernel_energy(state: State, tail_velocity: FloatArray) -> float:
    """Kinetic energy by the kernel for a tail's end that moves at the given velocity."""
    constants, b = body_of(state, state.phi, state.dphi, state.forces)
    swing = (
        constants.links[LEVER]
        / state.robot.mass
        @ (np.stack([-np.sin(state.phi), np.cos(state.phi)], 1) * state.dphi[:, None])
    )
    vx, vy = tail_velocity + swing
    return float(kinetic_energy(constants, b, vx, vy))


def disagreement(a: FloatArray, b: FloatArray) -> float:
    """Largest difference relative to the largest number."""
    a, b = np.atleast_1d(a), np.atleast_1d(b)
    return float(np.abs(a - b).max() / np.abs(b).max())
