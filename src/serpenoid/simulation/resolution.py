"""What a step can resolve: periods of gaits and drives, the swing of servos, obstacles that a link may pass within a step.

A twin at another step (see `twin`) cannot see these: steps of whole periods agree with each other, and so do two steps that are both far
too long for a servo.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from serpenoid.core import Robot
from serpenoid.core.errors import InputError
from serpenoid.judgement.commanded import STEPS_PER_PERIOD
from serpenoid.simulation.setup import Setup

if TYPE_CHECKING:
    from serpenoid.simulation.warnings import Evidence

FEWEST = 2  # steps per period: below that the samples belong to another command
RINGING = 0.5  # ratio of damping to critical damping below which servos ring
RESOLVED = 1.0  # rad of a servo's swing per step
PASSED = 0.5  # of the way through an obstacle: steps longer than that may pass it unseen


def shortest_period(setup: Setup) -> float | None:
    """Shortest period of the gait or the drive, s; None if it has none."""
    command, robot = setup.command, setup.robot
    fastest = getattr(command, "shortest_period", None)
    if callable(fastest):
        return None if fastest(robot) is None else float(fastest(robot))
    return None if setup.gait is None else setup.gait.period(robot)


def check_sampling(setup: Setup, dt: float) -> None:
    """Refuse a step that takes fewer than two samples of a period: it would run another command."""
    period = shortest_period(setup)
    if period is not None and dt * FEWEST > period * (1.0 + 1e-9):
        raise InputError(
            f"run.step: a step of {dt:.3g} s takes {period / dt:.2g} samples of the command's period of {period:.3g} s, which is another "
            f"command; give a step of at most {period / STEPS_PER_PERIOD:.2g} s, or a slower command"
        )


def inertia_at_joints(robot: Robot) -> Any:
    """Inertia (n - 1,) of the outer link alone about its tail-side joint, kg m^2: what a servo moves at least."""
    return (robot.link_inertia + robot.link_mass * robot.com_offset**2)[1:]


def ringing_servos(run: Evidence) -> Iterator[str]:
    """Servos that swing faster than the step can show."""
    robot, dt = run.setup.robot, run.engine.dt
    if robot.servo is None or run.setup.drive is not None:
        return
    servos = robot.servo if isinstance(robot.servo, tuple) else (robot.servo,) * (robot.links - 1)
    worst, rate = 0.0, 0.0
    for servo, inertia in zip(servos, inertia_at_joints(robot), strict=False):
        if servo is None or servo.stiffness == 0.0:
            continue
        swung = inertia + servo.rotor_inertia
        swing = float(np.sqrt(servo.stiffness / swung))
        damping = (servo.damping + float(np.max(robot.joint_damping))) / (2.0 * np.sqrt(servo.stiffness * swung))
        if damping < RINGING and swing * dt > worst:
            worst, rate = swing * dt, swing
    if worst > RESOLVED:
        yield (
            f"servos of this stiffness swing at {rate / (2.0 * np.pi):.3g} Hz, which a step of {dt:.3g} s cannot resolve: the scheme damps it, "
            f"and work and torque of it are missing; use a step of {0.1 / rate:.1g} s, less stiffness or more damping"
        )


def _thickness(obstacle: Any) -> float:
    """Thinnest way through an obstacle, m; infinite where there is none."""
    for name, value in (("radius", 2.0), ("thickness", 1.0), ("cell", 1.0)):
        if hasattr(obstacle, name):
            return np.inf if obstacle.NAME == "pipe" else value * float(getattr(obstacle, name))
    if hasattr(obstacle, "size"):
        return float(min(obstacle.size))
    corners = getattr(obstacle, "corners", np.empty((0, 2)))
    if len(corners) == 0:
        return np.inf
    sides = np.roll(corners, -1, axis=0) - corners
    normals = np.stack([-sides[:, 1], sides[:, 0]], axis=1) / np.linalg.norm(sides, axis=1)[:, None]
    return float(np.ptp(corners @ normals.T, axis=0).min())


def thin_obstacles(run: Evidence) -> Iterator[str]:
    """Obstacles that a link may pass between two steps."""
    obstacles, dt = run.setup.world.obstacles, run.engine.dt
    if not obstacles:
        return
    time, node = run.variables["time"].data, run.variables["node"].data
    if len(time) < 2 or not np.isfinite(node).all():
        return
    thinnest = min(_thickness(obstacle) for obstacle in obstacles) + 2.0 * float(run.setup.robot.radius.min())
    moved = np.linalg.norm(np.diff(node, axis=0), axis=-1).max(axis=1) / np.diff(time)
    way = dt * max(float(moved.max()), float(np.linalg.norm(run.variables["com_velocity"].data, axis=-1).max()))
    if way > PASSED * thinnest:
        yield (
            f"links move up to {way:.2g} m in a step of {dt:.3g} s, and the thinnest obstacle with a link is {thinnest:.2g} m across: it may be "
            f"passed unseen; use a step of {dt * PASSED * thinnest / way / 2.0:.1g} s"
        )
