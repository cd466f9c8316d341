"""How a robot lies at t = 0 in space: attitude from heading, pitch and roll on the ground, height, velocities, checks."""

from __future__ import annotations

from typing import Any

import numpy as np

from serpenoid.core import FloatArray, Robot, Start, World
from serpenoid.core.errors import InputError
from serpenoid.gaits.joints import first_heading
from serpenoid.spatial._old.contacts import Surface, look
from serpenoid.spatial._old.dynamics import body_inertia, momenta, solve6
from serpenoid.spatial._old.kinematics import (
    CONTACT,
    EX,
    LENGTH,
    PJ,
    QD,
    RADIUS,
    SpatialChain,
    V,
    W,
    place,
    spread_twists,
)
from serpenoid.spatial._old.spots import G_POINTS, G_STIFF, UPRIGHT, Terrain
from serpenoid.spatial._old.step import AW, VX, WX, X, Z, face

DEEPEST = 0.5  # radii that a robot may be pressed in at the start


def quaternion(R: FloatArray) -> FloatArray:
    """Unit quaternion (w, x, y, z) of a rotation matrix."""
    w = np.array([1.0 + R[0, 0] + R[1, 1] + R[2, 2], R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    if w[0] < 1e-6:  # turned by nearly half a turn: by its largest diagonal entry
        k = int(np.argmax(np.diag(R)))
        i, j = (k + 1) % 3, (k + 2) % 3
        w = np.zeros(4)
        w[0] = R[j, i] - R[i, j]
        w[1 + k] = 1.0 + R[k, k] - R[i, i] - R[j, j]
        w[1 + i], w[1 + j] = R[k, i] + R[i, k], R[k, j] + R[j, k]
    return np.asarray(w / np.linalg.norm(w))


def _turn(axis: int, angle: float) -> FloatArray:
    c, s = np.cos(angle), np.sin(angle)
    R = np.eye(3)
    i, j = (axis + 1) % 3, (axis + 2) % 3
    R[i, i], R[j, j], R[i, j], R[j, i] = c, c, -s, s
    return R


def _tilt(world: World) -> FloatArray:
    """Rotation that lays a level body onto the slope of the ground."""
    ground = world.ground
    if ground is None or ground.slope == 0.0:
        return np.eye(3)
    lead = _turn(2, ground.slope_direction)
    return np.asarray(lead @ _turn(1, -ground.slope) @ lead.T)


def begin(
    robot: Robot, gait: Any, world: World, start: Start, chain: SpatialChain, terrain: Terrain, b: FloatArray,
    d: FloatArray, q: FloatArray,
) -> None:  # fmt: skip
    """Set pose and velocities: q the centre of gravity and link 0, b the twists."""
    face(b, 1.0, 0.0, 0.0, 0.0)
    place(chain, b, d)
    planar = first_heading(gait, robot)
    if planar is not None:
        lead = planar[0]
    else:  # the mean direction of the links is the heading
        mean = (chain.link[:, LENGTH : LENGTH + 1] * b[:, EX : EX + 3]).sum(axis=0)
        lead = -float(np.arctan2(mean[1], mean[0])) if np.hypot(mean[0], mean[1]) > 1e-9 * robot.length else 0.0
    R = _tilt(world) @ _turn(2, start.heading) @ _turn(1, start.pitch) @ _turn(0, start.roll) @ _turn(2, lead)
    q[AW : AW + 4] = quaternion(R)
    face(b, *q[AW : AW + 4])
    place(chain, b, d)
    if hasattr(gait, "axis_of"):
        _wrap(gait, chain, b, d, q)
        _set_velocities(start, None, chain, b, d, q)
        return
    # tail's end over the start position, the lowest point on the ground or above it
    q[X : X + 2] = np.array(start.position) - b[0, PJ : PJ + 2]
    q[Z] = 0.0
    q[Z] = _height(robot, world, start, chain, terrain, b, q)
    rate = planar[1] if planar is not None and np.any(d[:, QD] != 0.0) else None
    _set_velocities(start, rate, chain, b, d, q)


def _set_velocities(
    start: Start, rate: float | None, chain: SpatialChain, b: FloatArray, d: FloatArray, q: FloatArray
) -> None:
    """Velocities: the centre of gravity's, and the rotation about the vertical.

    That is the rotation of a planar gait's body frame (link 0 turns at `rate` in it), else of the whole body: the one that
    a rigid body with the same angular momentum has.
    """
    b[:, W : W + 6] = 0.0
    spread_twists(chain, b, d, QD)
    if rate is not None:
        turn = np.array([0.0, 0.0, start.angular_velocity + rate])
    else:
        own = np.array(momenta(chain, b))
        back = np.array(solve6(body_inertia(chain, b), tuple(-own)))
        turn = back[:3] + np.array([0.0, 0.0, start.angular_velocity])
    b[:, W : W + 6] = 0.0
    b[0, W : W + 3] = turn
    spread_twists(chain, b, d, QD)
    total = momenta(chain, b)
    velocity = np.array([*start.velocity, 0.0])
    b[:, V : V + 3] += velocity - np.array(total[3:]) / chain.total
    q[VX : VX + 3], q[WX : WX + 3] = velocity, b[0, W : W + 3]


def _wrap(gait: Any, chain: SpatialChain, b: FloatArray, d: FloatArray, q: FloatArray) -> None:
    """Put a helix round its pole: its axis on the pole's, the lowest joint at the base height."""
    tips = b[-1:, PJ : PJ + 3] + chain.link[-1, LENGTH] * b[-1:, EX : EX + 3]
    nodes = np.concatenate([b[:, PJ : PJ + 3], tips])
    _, direction = gait.axis_of(nodes)
    # the shortest rotation that turns the helix's axis upright
    v, c = np.cross(direction, [0.0, 0.0, 1.0]), float(direction[2])
    K = np.array([[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]])
    upright = np.eye(3) + K + K @ K / (1.0 + c) if c > -0.999 else np.diag([1.0, -1.0, -1.0])
    face(b, *q[AW : AW + 4])
    R = b[0, EX : EX + 9].reshape(3, 3).T
    q[AW : AW + 4] = quaternion(upright @ R)
    face(b, *q[AW : AW + 4])
    place(chain, b, d)
    tips = b[-1:, PJ : PJ + 3] + chain.link[-1, LENGTH] * b[-1:, EX : EX + 3]
    nodes = np.concatenate([b[:, PJ : PJ + 3], tips])
    centre, _ = gait.axis_of(nodes)
    q[X : X + 2] = np.array(gait.pole) - centre[:2]
    q[Z] = gait.base_height - nodes[:, 2].min()


def _height(
    robot: Robot, world: World, start: Start, chain: SpatialChain, terrain: Terrain, b: FloatArray, q: FloatArray
) -> float:
    """Height of the centre of gravity at which the lowest contact point has the gap asked for."""
    ground = world.ground
    if ground is None:
        raise InputError("a run in space needs a ground: give the world a Ground")
    point = ground.model == "point"
    along = np.array([0.5]) if point else np.linspace(0.0, 1.0, max(2, int(terrain.ground[G_POINTS])))
    at = chain.link[:, CONTACT : CONTACT + 1] if point else chain.link[:, LENGTH : LENGTH + 1] * along
    points = b[:, None, PJ : PJ + 3] + at[..., None] * b[:, None, EX : EX + 3] + q[X : X + 3]
    radius = np.zeros(robot.links) if point else chain.link[:, RADIUS]
    n = ground.normal
    if ground.heights is not None:
        from serpenoid.spatial._old.spots import field_gap

        lift = -np.inf
        for i, row in enumerate(points):
            for x, y, z in row:
                gap, _, _, nz = field_gap(terrain.ground, terrain.field, x, y, z, radius[i])
                lift = max(lift, -gap / nz)
    elif ground.plane:
        lift = float((radius[:, None] - points @ n).max() / n[2])
    else:
        lift = 0.0
    if start.height is not None:
        return lift + start.height
    if not ground.plane and ground.heights is None:
        return lift
    count = robot.links * int(terrain.ground[G_POINTS])
    return lift - robot.mass * world.gravity / (count * float(terrain.ground[G_STIFF]))


def check_start(
    robot: Robot, world: World, chain: SpatialChain, terrain: Terrain, surface: Surface, b: FloatArray, q: FloatArray
) -> None:
    """Refuse a start inside the ground or an obstacle, and friction without direction under an upright link."""
    _, count, _ = look(chain, terrain, surface, b, q[X], q[X + 1], q[Z], 0.0, False)
    spots = surface.spots[:count]
    size = float(robot.radius.mean()) if robot.radius.max() > 0.0 else 0.1 * float(robot.link_length.mean())
    if count and -spots[:, 2].min() > DEEPEST * size:
        k = int(spots[:, 2].argmin())
        raise InputError(
            f"the robot starts {-spots[k, 2]:.3g} m inside the ground or an obstacle (link {int(spots[k, 0])}); "
            "move start.position or start.height"
        )
    law = world.friction
    isotropic = law.along == law.across and law.backward in (None, law.along)
    n = world.ground.normal if world.ground is not None else np.array([0.0, 0.0, 1.0])
    sine = np.linalg.norm(np.cross(b[:, EX : EX + 3], n), axis=1)
    if not isotropic and law.NAME != "none" and sine.min() < max(UPRIGHT, 1e-3):
        raise InputError(
            f"link {int(sine.argmin())} stands upright on the ground: friction along and across it has no direction there; "
            "tilt it, or give along = across"
        )
