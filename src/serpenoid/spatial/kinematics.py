"""Where the links of a floating chain are in space and how they move: sweeps from the tail to the head.

Axes are the world's, positions are relative to the centre of gravity O of the whole body, so that no number grows
with the distance travelled. A link's frame has x along the link towards the head, z at its back. Joint i turns link i
against link i-1 about its axes, in the order of the robot: yaw about z, pitch about y, roll about x (see docs/conventions).

A twist (w, v) is the angular velocity and the velocity of the body's point that passes O. With S_k = (a_k, p_k x a_k)
the axis of degree of freedom k through the joint at p_k,

    (w, v)_i = (w, v)_{i-1} + sum over the joint's axes S_k q'_k

Rows and shapes of the arrays: `spatial.layout`.
"""

from __future__ import annotations

import numpy as np

from serpenoid.compiled import njit
from serpenoid.contact.joint import actuators_of
from serpenoid.core import FloatArray, Robot, per_item
from serpenoid.core.errors import InputError
from serpenoid.frames import sincos1
from serpenoid.spatial.layout import (
    COM,
    EX,
    EY,
    EZ,
    KINDS,
    LENGTH,
    MASS,
    PG,
    PITCH,
    PJ,
    SA,
    SL,
    YAW,
    Q,
    SpatialChain,
    V,
    W,
)  # fmt: skip

_SEQUENCES = {
    "yaw": ("yaw",), "pitch": ("pitch",), "roll": ("roll",), "universal": ("yaw", "pitch"), "pitch-yaw": ("pitch", "yaw"),
    "fixed": (),
}  # fmt: skip


def axes_of(robot: Robot) -> tuple[tuple[int, str], ...]:
    """Degrees of freedom in order: (joint from 1 at the tail, "yaw", "pitch" or "roll"); locked and fixed joints have none."""
    if hasattr(robot, "axes"):
        return tuple(robot.axes)
    joints = robot.joints
    if isinstance(joints, str):
        each = ["yaw", "pitch"] * robot.links if joints == "alternating" else [joints] * robot.links
    else:
        each = list(joints)
    made = []
    for joint, kind in enumerate(each[: robot.links - 1], 1):
        if kind not in _SEQUENCES:
            raise InputError(f"joint {joint} must be one of {', '.join(_SEQUENCES)}, got {kind!r}")
        if joint not in robot.locked:
            made += [(joint, axis) for axis in _SEQUENCES[kind]]
    return tuple(made)


def chain_of(robot: Robot, edge_angle: FloatArray | float = 0.0) -> SpatialChain:
    """Constants of a robot for the kernels."""
    n, axes = robot.links, axes_of(robot)
    edge = per_item("edge_angle", edge_angle, n, -np.inf)
    axial = robot.axial_inertia if robot.axial_inertia is not None else robot.link_inertia
    links = np.stack(
        [
            robot.link_length, robot.link_mass, robot.com_offset, robot.link_inertia, axial,
            robot.radius, np.cos(edge), np.sin(edge), robot.contact_offset,
        ]
    )  # fmt: skip
    joints = np.array([joint for joint, _ in axes], dtype=np.int64)
    first = np.searchsorted(joints, np.arange(n + 1)).astype(np.int64)
    kinds = np.array([KINDS.index(kind) for _, kind in axes], dtype=np.int64)
    return SpatialChain(np.ascontiguousarray(links), first, kinds, actuators_of(robot, axes), float(robot.mass))


@njit
def turn_plane(body, i, first, second, c, s):
    """Turn two axes of frame i in their plane: first towards second."""
    for e in range(3):
        x, y = body[first + e, i], body[second + e, i]
        body[first + e, i] = c * x + s * y
        body[second + e, i] = c * y - s * x


@njit
def turn_frame(body, axes, i, k, kind):
    """Turn frame i about the axis of degree of freedom k; the axis is kept in SA."""
    c, s = sincos1(axes[Q, k])
    if kind == YAW:
        for e in range(3):
            axes[SA + e, k] = body[EZ + e, i]
        turn_plane(body, i, EX, EY, c, s)
    elif kind == PITCH:
        for e in range(3):
            axes[SA + e, k] = body[EY + e, i]
        turn_plane(body, i, EZ, EX, c, s)
    else:
        for e in range(3):
            axes[SA + e, k] = body[EX + e, i]
        turn_plane(body, i, EY, EZ, c, s)


@njit
def forward_kinematics(chain, body, axes):
    """Frames, joints and centres of gravity, relative to the body's own; frame 0 and the angles Q are set."""
    n = body.shape[1]
    px, py, pz = 0.0, 0.0, 0.0
    gx, gy, gz = 0.0, 0.0, 0.0
    for i in range(n):
        if i > 0:
            for e in range(9):
                body[EX + e, i] = body[EX + e, i - 1]
            for k in range(chain.first[i], chain.first[i + 1]):
                turn_frame(body, axes, i, k, chain.kinds[k])
        l, m, g = chain.links[LENGTH, i], chain.links[MASS, i], chain.links[COM, i]
        ex, ey, ez = body[EX, i], body[EX + 1, i], body[EX + 2, i]
        body[PJ, i], body[PJ + 1, i], body[PJ + 2, i] = px, py, pz
        body[PG, i], body[PG + 1, i], body[PG + 2, i] = px + g * ex, py + g * ey, pz + g * ez
        gx, gy, gz = gx + m * (px + g * ex), gy + m * (py + g * ey), gz + m * (pz + g * ez)
        px, py, pz = px + l * ex, py + l * ey, pz + l * ez
    r = 1.0 / chain.total
    gx, gy, gz = gx * r, gy * r, gz * r
    for i in range(n):
        body[PJ, i], body[PJ + 1, i], body[PJ + 2, i] = body[PJ, i] - gx, body[PJ + 1, i] - gy, body[PJ + 2, i] - gz
        body[PG, i], body[PG + 1, i], body[PG + 2, i] = body[PG, i] - gx, body[PG + 1, i] - gy, body[PG + 2, i] - gz
        x, y, z = body[PJ, i], body[PJ + 1, i], body[PJ + 2, i]
        for k in range(chain.first[i], chain.first[i + 1]):
            ax, ay, az = axes[SA, k], axes[SA + 1, k], axes[SA + 2, k]
            axes[SL, k], axes[SL + 1, k], axes[SL + 2, k] = y * az - z * ay, z * ax - x * az, x * ay - y * ax


@njit
def propagate_twists(chain, body, axes, rate):
    """Twists of all links from that of link 0 and the rates in row `rate` of axes."""
    w0, w1, w2, v0, v1, v2 = body[W, 0], body[W + 1, 0], body[W + 2, 0], body[V, 0], body[V + 1, 0], body[V + 2, 0]
    for i in range(1, body.shape[1]):
        for k in range(chain.first[i], chain.first[i + 1]):
            r = axes[rate, k]
            w0, w1, w2 = w0 + r * axes[SA, k], w1 + r * axes[SA + 1, k], w2 + r * axes[SA + 2, k]
            v0, v1, v2 = v0 + r * axes[SL, k], v1 + r * axes[SL + 1, k], v2 + r * axes[SL + 2, k]
        body[W, i], body[W + 1, i], body[W + 2, i] = w0, w1, w2
        body[V, i], body[V + 1, i], body[V + 2, i] = v0, v1, v2
