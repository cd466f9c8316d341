"""The limit without side slip: ideal wheels, a kinematic baseline without forces.

At each instant the body moves so that the sum of the squared velocities across the edges is least: n conditions for
three velocities, which the continuous serpenoid curve meets exactly and its links nearly. The continuous curve then
travels

    s(T) J_0(alpha_0)         J_0 the Bessel function: the mean of cos(alpha_0 cos u)

along its axis, the ideal progress that every run on a real ground stays below.
"""

from __future__ import annotations

import numpy as np

from serpenoid.compiled import kernel
from serpenoid.contact import Frictionless
from serpenoid.core import FloatArray, Robot, World
from serpenoid.frames import sincos, sincos1
from serpenoid.gaits import Serpenoid, headings
from serpenoid.planar.constants import link_table
from serpenoid.planar.dynamics import solve3
from serpenoid.planar.kinematics import face_ground, forward_kinematics
from serpenoid.planar.layout import ANGLE, BODY_ROWS, MASS, MN, TX, TY, VN0, C, S


def ideal_progress(gait: Serpenoid, duration: float) -> float:
    """Progress s(T) J_0(alpha_0) of the continuous serpenoid curve without side slip, m."""
    from scipy.special import j0

    return float(gait.displacement(duration) * j0(gait.winding_angle))


@kernel
def _march(links, kind, par, tab, b, steps, dt, path):
    x, y, psi, total = 0.0, 0.0, 0.0, np.sum(links[MASS])
    for k in range(steps):
        # midpoint rule: velocities at the middle of the step
        headings(kind, par, tab, (k + 0.5) * dt, b)
        sincos(b, ANGLE, C, S)
        forward_kinematics(links, total, b)
        face_ground(links, b)
        a00, a01, a02, a11, a12, a22 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        r0, r1, r2 = 0.0, 0.0, 0.0
        for i in range(b.shape[1]):
            nx, ny, m, v = -b[TY, i], b[TX, i], b[MN, i], b[VN0, i]
            a00 += nx * nx
            a01 += nx * ny
            a02 += nx * m
            a11 += ny * ny
            a12 += ny * m
            a22 += m * m
            r0 -= nx * v
            r1 -= ny * v
            r2 -= m * v
        # where the body is straight any motion along it will do: take the least
        least = 1e-12 * (a00 + a11 + a22)
        a00, a11, a22 = a00 + least, a11 + least, a22 + least
        vx, vy, turn = solve3(a00, a01, a02, a11, a12, a22, r0, r1, r2)
        c, s = sincos1(psi + 0.5 * dt * turn)
        x, y, psi = x + dt * (c * vx - s * vy), y + dt * (s * vx + c * vy), psi + dt * turn
        path[k + 1, 0], path[k + 1, 1], path[k + 1, 2] = x, y, psi


def roll_along(robot: Robot, gait: Serpenoid, duration: float, step: float = 1e-3) -> FloatArray:
    """Path (x, y, heading) of the centre of gravity on ideal wheels, shape (steps + 1, 3)."""
    steps = max(1, int(np.ceil(duration / step - 1e-9)))
    par, tab = gait.row(robot)
    path = np.zeros((steps + 1, 3))
    _march(
        link_table(robot, World(Frictionless())),
        gait.KIND,
        par,
        tab,
        np.zeros((BODY_ROWS, robot.links)),
        steps,
        duration / steps,
        path,
    )
    return path
