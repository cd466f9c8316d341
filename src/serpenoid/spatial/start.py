"""How a robot lies at t = 0 in space: attitude from heading, pitch and roll on the ground, height, velocities, checks."""

from __future__ import annotations

from typing import Any

import numpy as np

from serpenoid.compiled import kernel
from serpenoid.contact import sums
from serpenoid.contact.beginning import begin_contacts
from serpenoid.contact.field import height_clear
from serpenoid.contact.ground import LIMIT_ROWS
from serpenoid.contact.joint import ROTOR
from serpenoid.contact.spots import (
    G_CELL,
    G_POINTS,
    G_STIFF,
    G_X0,
    G_Y0,
    GAP,
    LINK,
    NORMAL,
    ROUNDED,
    SHARE,
    SLOT,
    UPRIGHT,
)
from serpenoid.core import FloatArray, Start, World
from serpenoid.core.errors import InputError
from serpenoid.frames import axis_rotation, quaternion_from_matrix, shortest_rotation
from serpenoid.gaits.joints import first_heading
from serpenoid.spatial.audit import spring_energy
from serpenoid.spatial.contacts import STAMP
from serpenoid.spatial.detect import assign_friction, contact_velocities, corner, find_spots, limit_friction
from serpenoid.spatial.dynamics import body_inertia, carried, kinetic_energy, momenta
from serpenoid.spatial.kinematics import forward_kinematics, propagate_twists, set_first_frame
from serpenoid.spatial.layout import (
    ANGLE,
    AW,
    CONTACT,
    DONE,
    ENERGY_SCALE,
    ENERGY_START,
    EX,
    GRAVITY,
    HEADING,
    KINETIC,
    KINETIC_MAX,
    LAW,
    LENGTH,
    MASS,
    NA,
    PJ,
    QD,
    RADIUS,
    RATE,
    VX,
    WX,
    Q,
    V,
    W,
    X,
    Z,
)  # fmt: skip
from serpenoid.spatial.matrices import solve6

DEEPEST = 0.5  # radii that a robot may be pressed in at the start


@kernel
def _place(chain, q, body, axes):
    set_first_frame(body, q[AW], q[AW + 1], q[AW + 2], q[AW + 3])
    forward_kinematics(chain, body, axes)


@kernel
def _spread(chain, body, axes):
    propagate_twists(chain, body, axes, QD)
    return momenta(chain, body)


@kernel
def _held_body(chain, body, r0, r1, r2, r3, r4, r5):
    return solve6(body_inertia(chain, body), (r0, r1, r2, r3, r4, r5))


@kernel
def _keep_momenta(chain, q, body, kept):
    """Momenta relative to the centre of gravity from the twists; returns the kinetic energy."""
    momenta(chain, body)
    for i in range(body.shape[1]):
        more = carried(chain, body, i, -q[VX], -q[VX + 1], -q[VX + 2])
        for e in range(6):
            kept[e, i] = body[NA + e, i] + more[e]
    return kinetic_energy(body)


@kernel
def _touching(chain, terrain, body, q, spots):
    return find_spots(chain, terrain, body, (q[X], q[X + 1], q[Z]), spots)


@kernel
def set_bristles(constants, state, contacts, body, count):
    """Load the bristles of the spots that slide, each under its share of the weight; for laws with memory."""
    spots, numbers, chain = contacts.spots, constants.numbers, constants.chain
    q, friction = state.motion, contacts.friction
    if state.memory.shape[1] == 0:
        return
    assign_friction(constants.terrain, numbers, (q[X], q[X + 1], q[Z]), spots, count)
    contact_velocities(body, spots, contacts.touch, count)
    for a in range(count):
        spots[NORMAL, a] = spots[SHARE, a] * chain.links[MASS, int(spots[LINK, a])] * numbers[GRAVITY]
    limit_friction(chain, numbers, spots, count, friction, True, NORMAL)
    friction[LIMIT_ROWS:, :count] = 0.0
    begin_contacts(int(numbers[LAW]), friction[:LIMIT_ROWS], friction[LIMIT_ROWS:], contacts.touch[:, :count])
    for a in range(count):
        slot = int(spots[SLOT, a])
        state.memory[STAMP, slot] = q[DONE]
        for e in range(4):
            state.memory[e, slot] = friction[LIMIT_ROWS + e, a]


@kernel
def _clear(ground, field, x, y, r):
    return height_clear(field, ground[G_CELL], x - ground[G_X0], y - ground[G_Y0], r)


@kernel
def _corner(chain, body, i, p, points):
    return corner(chain, body, i, p, points)


def begin(engine: Any, start: Start, first: Any) -> None:
    """Set pose, velocities and momenta of an engine whose joint angles and rates are set; `first` is the gait, if it is one."""
    constants, state, scratch = engine.constants, engine.state, engine.scratch
    chain, body, axes, q = constants.chain, scratch.body, scratch.axes, state.motion
    axes[Q], axes[QD] = state.dofs[ANGLE], state.dofs[RATE]
    q[AW] = 1.0
    _place(chain, q, body, axes)
    planar = first_heading(first, engine.robot)
    if planar is not None:
        lead = planar[0]
    else:  # the mean direction of the links is the heading
        mean = (chain.links[LENGTH] * body[EX : EX + 3]).sum(axis=1)
        lead = -float(np.arctan2(mean[1], mean[0])) if np.hypot(mean[0], mean[1]) > 1e-9 * engine.robot.length else 0.0
    R = (
        _tilt(engine.world)
        @ axis_rotation(2, start.heading)
        @ axis_rotation(1, start.pitch)
        @ axis_rotation(0, start.roll)
    )
    q[AW : AW + 4] = quaternion_from_matrix(R @ axis_rotation(2, lead))
    q[HEADING] = start.heading
    _place(chain, q, body, axes)
    if hasattr(first, "axis_of"):
        _wrap(first, chain, body, axes, q)
        _set_velocities(start, None, chain, body, axes, q)
    else:
        # tail's end over the start position, the lowest point on the ground or above it
        q[X : X + 2] = np.array(start.position) - body[PJ : PJ + 2, 0]
        q[Z] = 0.0
        q[Z] = _height(engine, start)
        rate = planar[1] if planar is not None and np.any(axes[QD] != 0.0) else None
        _set_velocities(start, rate, chain, body, axes, q)
    _begin_account(engine)
    check_start(engine)


def _begin_account(engine: Any) -> None:
    """Momenta of the links, energies at the start."""
    constants, state = engine.constants, engine.state
    chain, q, acc = constants.chain, state.motion, state.sums
    rotors = 0.5 * float(np.sum(chain.actuators[ROTOR] * state.dofs[RATE] ** 2))
    q[KINETIC] = _keep_momenta(chain, q, engine.scratch.body, state.momenta) + rotors
    acc[sums.KINETIC] = acc[sums.KINETIC_START] = q[KINETIC]
    acc[sums.POTENTIAL] = acc[sums.POTENTIAL_START] = chain.total * constants.numbers[GRAVITY] * q[Z]
    spots = engine.scratch.contacts.spots
    count, _ = _touching(chain, constants.terrain, engine.scratch.body, q, spots)
    set_bristles(constants, state, engine.scratch.contacts, engine.scratch.body, count)
    acc[sums.SPRING_STORED] = spring_energy(constants.terrain.ground, spots, count)
    q[ENERGY_START] = acc[sums.KINETIC] + acc[sums.POTENTIAL] + acc[sums.SPRING_STORED]
    q[ENERGY_SCALE] = q[KINETIC] + chain.total * constants.numbers[GRAVITY] * engine.robot.length
    q[KINETIC_MAX] = q[KINETIC]


def _tilt(world: World) -> FloatArray:
    """Rotation that lays a level body onto the slope of the ground."""
    ground = world.ground
    if ground is None or ground.slope == 0.0:
        return np.eye(3)
    lead = axis_rotation(2, ground.slope_direction)
    return np.asarray(lead @ axis_rotation(1, -ground.slope) @ lead.T)


def _set_velocities(
    start: Start, rate: float | None, chain: Any, body: FloatArray, axes: FloatArray, q: FloatArray
) -> None:
    """Velocities: the centre of gravity's, and the rotation about the vertical.

    That is the rotation of a planar gait's body frame (link 0 turns at `rate` in it), else of the whole body: the one that
    a rigid body with the same angular momentum has.
    """
    body[W : W + 6] = 0.0
    own = np.array(_spread(chain, body, axes))
    if rate is not None:
        turn = np.array([0.0, 0.0, start.angular_velocity + rate])
    else:
        back = np.array(_held_body(chain, body, *(-own)))
        turn = back[:3] + np.array([0.0, 0.0, start.angular_velocity])
    body[W : W + 6] = 0.0
    body[W : W + 3, 0] = turn
    total = _spread(chain, body, axes)
    velocity = np.array([*start.velocity, 0.0])
    body[V : V + 3] += (velocity - np.array(total[3:]) / chain.total)[:, None]
    q[VX : VX + 3], q[WX : WX + 3] = velocity, body[W : W + 3, 0]


def nodes_of(chain: Any, body: FloatArray) -> FloatArray:
    """Tail's end, joints and head's tip (n+1, 3), from the centre of gravity."""
    joints = body[PJ : PJ + 3].T
    tip = joints[-1] + chain.links[LENGTH, -1] * body[EX : EX + 3, -1]
    return np.vstack([joints, tip])


def _wrap(gait: Any, chain: Any, body: FloatArray, axes: FloatArray, q: FloatArray) -> None:
    """Put a helix round its pole: its axis on the pole's, the lowest joint at the base height."""
    _, direction = gait.axis_of(nodes_of(chain, body))
    R = body[EX : EX + 9, 0].reshape(3, 3).T
    q[AW : AW + 4] = quaternion_from_matrix(shortest_rotation(direction, [0.0, 0.0, 1.0]) @ R)
    _place(chain, q, body, axes)
    nodes = nodes_of(chain, body)
    centre, _ = gait.axis_of(nodes)
    q[X : X + 2] = np.array(gait.pole) - centre[:2]
    q[Z] = gait.base_height - nodes[:, 2].min()


def _contact_points(engine: Any) -> tuple[FloatArray, FloatArray]:
    """Points (n, k, 3) of the links that can touch the ground, and their radii (n,)."""
    chain, body, q = engine.constants.chain, engine.scratch.body, engine.state.motion
    model, count = engine.world.ground.model, int(engine.constants.terrain.ground[G_POINTS])
    if model == "flat":
        corners = [[_corner(chain, body, i, p, count) for p in range(count)] for i in range(body.shape[1])]
        return np.array(corners) + q[X : X + 3], ROUNDED * chain.links[RADIUS]
    if model == "point":
        at, radius = chain.links[CONTACT][:, None], np.zeros(body.shape[1])
    else:
        at, radius = chain.links[LENGTH][:, None] * np.linspace(0.0, 1.0, max(2, count)), chain.links[RADIUS]
    points = body[PJ : PJ + 3].T[:, None] + at[..., None] * body[EX : EX + 3].T[:, None] + q[X : X + 3]
    return points, radius


def _height(engine: Any, start: Start) -> float:
    """Height of the centre of gravity at which the lowest contact point has the gap asked for."""
    robot, world, terrain = engine.robot, engine.world, engine.constants.terrain
    ground, count = world.ground, int(terrain.ground[G_POINTS])
    points, radius = _contact_points(engine)
    n = ground.normal
    if ground.heights is not None:
        lift = -np.inf
        for i, row in enumerate(points):
            for x, y, z in row:
                lift = max(lift, _clear(terrain.ground, terrain.field, x, y, radius[i]) - z)
    elif ground.plane:
        lift = float((radius[:, None] - points @ n).max() / n[2])
    else:
        lift = 0.0
    if start.height is not None:
        return lift + start.height
    if not ground.plane and ground.heights is None:
        return lift
    return lift - robot.mass * world.gravity / (robot.links * count * float(terrain.ground[G_STIFF]))


def check_start(engine: Any) -> None:
    """Refuse a start inside the ground or an obstacle, and friction without direction under an upright link."""
    robot, world, body = engine.robot, engine.world, engine.scratch.body
    spots = engine.scratch.contacts.spots
    count, _ = _touching(engine.constants.chain, engine.constants.terrain, body, engine.state.motion, spots)
    size = float(robot.radius.mean()) if robot.radius.max() > 0.0 else 0.1 * float(robot.link_length.mean())
    if count and -spots[GAP, :count].min() > DEEPEST * size:
        k = int(spots[GAP, :count].argmin())
        raise InputError(
            f"the robot starts {-spots[GAP, k]:.3g} m inside the ground or an obstacle (link {int(spots[LINK, k])}); "
            "move start.position or start.height"
        )
    law = world.friction
    isotropic = law.along == law.across and law.backward in (None, law.along)
    n = world.ground.normal
    sine = np.linalg.norm(np.cross(body[EX : EX + 3].T, n), axis=1)
    if not isotropic and law.NAME != "none" and sine.min() < max(UPRIGHT, 1e-3):
        raise InputError(
            f"link {int(sine.argmin())} stands upright on the ground: friction along and across it has no direction there; "
            "tilt it, or give along = across"
        )
