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
from serpenoid.contact.self_contact import skin_of
from serpenoid.core import FloatArray, Robot, per_item
from serpenoid.frames import frame_of_quaternion, sincos1
from serpenoid.spatial.layout import (
    ANGLE,
    AW,
    AX,
    AY,
    AZ,
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
    QD,
    RATE,
    SA,
    SL,
    WX,
    YAW,
    Q,
    SpatialChain,
    V,
    W,
)  # fmt: skip


def chain_of(robot: Robot, edge_angle: FloatArray | float = 0.0) -> SpatialChain:
    """Constants of a robot for the kernels."""
    n, axes = robot.links, robot.axes
    edge = per_item("edge_angle", edge_angle, n, -np.inf)
    links = np.stack(
        [
            robot.link_length, robot.link_mass, robot.com_offset, robot.link_inertia, robot.axial_inertia,
            robot.radius, np.cos(edge), np.sin(edge), robot.contact_offset,
        ]
    )  # fmt: skip
    joints = np.array([joint for joint, _ in axes], dtype=np.int64)
    first = np.searchsorted(joints, np.arange(n + 1)).astype(np.int64)
    kinds = np.array([KINDS.index(kind) for _, kind in axes], dtype=np.int64)
    actuators, skin = actuators_of(robot, axes), skin_of(robot)
    return SpatialChain(np.ascontiguousarray(links), first, kinds, actuators, float(robot.mass), skin)


@njit
def turned_pair(p, q, c, s):
    """Two axes turned in their plane by the angle with cosine c and sine s: the first towards the second."""
    return (
        (c * p[0] + s * q[0], c * p[1] + s * q[1], c * p[2] + s * q[2]),
        (c * q[0] - s * p[0], c * q[1] - s * p[1], c * q[2] - s * p[2]),
    )


@njit
def forward_kinematics(chain, body, axes):
    """Frames, joints and centres of gravity, relative to the body's own; frame 0 and the angles Q are set."""
    n = body.shape[1]
    px, py, pz = 0.0, 0.0, 0.0
    gx, gy, gz = 0.0, 0.0, 0.0
    x = (body[EX, 0], body[EX + 1, 0], body[EX + 2, 0])
    y = (body[EY, 0], body[EY + 1, 0], body[EY + 2, 0])
    z = (body[EZ, 0], body[EZ + 1, 0], body[EZ + 2, 0])
    for i in range(n):
        for k in range(chain.first[i], chain.first[i + 1]):
            c, s = sincos1(axes[Q, k])
            if chain.kinds[k] == YAW:
                axis = z
                x, y = turned_pair(x, y, c, s)
            elif chain.kinds[k] == PITCH:
                axis = y
                z, x = turned_pair(z, x, c, s)
            else:
                axis = x
                y, z = turned_pair(y, z, c, s)
            axes[SA, k], axes[SA + 1, k], axes[SA + 2, k] = axis
        body[EX, i], body[EX + 1, i], body[EX + 2, i] = x
        body[EY, i], body[EY + 1, i], body[EY + 2, i] = y
        body[EZ, i], body[EZ + 1, i], body[EZ + 2, i] = z
        l, m, g = chain.links[LENGTH, i], chain.links[MASS, i], chain.links[COM, i]
        body[PJ, i], body[PJ + 1, i], body[PJ + 2, i] = px, py, pz
        qx, qy, qz = px + g * x[0], py + g * x[1], pz + g * x[2]
        body[PG, i], body[PG + 1, i], body[PG + 2, i] = qx, qy, qz
        gx, gy, gz = gx + m * qx, gy + m * qy, gz + m * qz
        px, py, pz = px + l * x[0], py + l * x[1], pz + l * x[2]
    r = 1.0 / chain.total
    gx, gy, gz = gx * r, gy * r, gz * r
    for i in range(n):
        px, py, pz = body[PJ, i] - gx, body[PJ + 1, i] - gy, body[PJ + 2, i] - gz
        body[PJ, i], body[PJ + 1, i], body[PJ + 2, i] = px, py, pz
        body[PG, i], body[PG + 1, i], body[PG + 2, i] = body[PG, i] - gx, body[PG + 1, i] - gy, body[PG + 2, i] - gz
        for k in range(chain.first[i], chain.first[i + 1]):
            ax, ay, az = axes[SA, k], axes[SA + 1, k], axes[SA + 2, k]
            axes[SL, k], axes[SL + 1, k], axes[SL + 2, k] = py * az - pz * ay, pz * ax - px * az, px * ay - py * ax


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


@njit
def set_first_frame(body, w, x, y, z):
    """Set the frame of link 0 from its attitude."""
    frame = frame_of_quaternion(w, x, y, z)
    for e in range(9):
        body[EX + e, 0] = frame[e]


@njit
def place_body(chain, state, body, axes):
    """Frames, places and twists (of link 0's joint at rest) of the state's pose, in the scratch."""
    q = state.motion
    for k in range(axes.shape[1]):
        axes[Q, k], axes[QD, k] = state.dofs[ANGLE, k], state.dofs[RATE, k]
    set_first_frame(body, q[AW], q[AX], q[AY], q[AZ])
    forward_kinematics(chain, body, axes)
    for e in range(3):
        body[W + e, 0] = q[WX + e]
        body[V + e, 0] = 0.0
    propagate_twists(chain, body, axes, QD)
