"""Where the links of a floating chain are in space and how they move: sweeps from the tail to the head.

Axes are the world's, positions are relative to the centre of gravity O of the whole body, so that no number grows
with the distance travelled. A link's frame has x along the link towards the head, z at its back. Joint i turns link i
against link i-1 by one or two axes: yaw about z, pitch about y, in the order of the robot (see docs/conventions).

A twist (w, v) is the angular velocity and the velocity of the body's point that passes O. With S_k = (a_k, p_k x a_k)
the axis of degree of freedom k through the joint at p_k,

    (w, v)_i = (w, v)_{i-1} + sum over the joint's axes S_k q'_k

| array | shape | what |
|---|---|---|
| `chain.link` | (n, LINK_SLOTS) | constants of the links |
| `chain.first` | (n+1,) | degrees of freedom of the joint at the tail side of link i: first[i] to first[i+1] |
| `chain.axis` | (m,) | 0 yaw, 1 pitch |
| `b` | (n, BODY_SLOTS) | frames, places, twists, momenta of the links |
| `d` | (m, DOF_SLOTS) | angles, rates, axes, torques of the degrees of freedom |
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from serpenoid.compiled import njit
from serpenoid.core import FloatArray, Robot, per_item
from serpenoid.core.errors import InputError
from serpenoid.core.robot import AXES
from serpenoid.frames import sincos1

YAW, PITCH = 0, 1

# constants of a link
LENGTH, MASS, COM, TRANSVERSE, AXIAL, RADIUS, EDGE_C, EDGE_S, CONTACT = range(9)
LINK_SLOTS = 9

# working slots of a link; three numbers each unless said
EX, EY, EZ = 0, 3, 6  # axes of the frame
PJ, PG = 9, 12  # tail-side joint, centre of gravity
W, V = 15, 18  # twist
HA, HL = 21, 24  # momentum at the end of the last step: angular about O, linear
NA, NL = 27, 30  # momentum at the end of this step
FA, FL = 33, 36  # wrench of gravity and contacts about O: torque, force
A = 39  # 21: symmetric matrix of the implicit step
B = 60  # 6: its right side
WB, VB = 66, 69  # twist at which the contacts were last evaluated
BODY_SLOTS = 72

# working slots of a degree of freedom
Q, QD = 0, 1  # angle, rate
QP = 2  # rate predicted
AIM = 3  # angle asked for
TAU = 4  # torque of the actuator
SA, SL = 5, 8  # axis: direction, moment about O (three each)
U = 11  # 6
UR = 17
T, D = 18, 19  # drive and damping of the implicit step (impulses)
QD0, Q0 = 20, 21  # rate and angle at the last step's end
DAMP, KP, KD, LIMIT, SPEED = (
    22,
    23,
    24,
    25,
    26,
)  # joint's own damping; servo: stiffness, damping, torque and speed limits
QT, QB = 27, 28  # rate tried, rate at which the contacts were last evaluated
DQ = 29  # last change of the rate
DRIVEN = 30  # 1, or 0 where the joint is limp
QS = 31  # rate at which the drive was last evaluated
PEAK = 32  # largest torque of the actuator so far
DOF_SLOTS = 33


class SpatialChain(NamedTuple):
    """Constants of a chain in space for the kernels."""

    link: FloatArray
    first: np.ndarray
    axis: np.ndarray
    total: float


def axes_of(robot: Robot, joint: int) -> tuple[int, ...]:
    """Axes of a joint (from 1) in the order of their rotations; none if it is locked."""
    kind = robot.joint_kinds[joint - 1]
    if kind == "roll":
        raise InputError(f"joint {joint} of {robot.name} rolls, which this engine lacks")
    return tuple(YAW if axis == "yaw" else PITCH for axis in AXES[kind])


def chain_of(robot: Robot, edge_angle: FloatArray | float = 0.0) -> SpatialChain:
    """Constants of a robot for the kernels."""
    n = robot.links
    edge = per_item("edge_angle", edge_angle, n, -np.inf)
    link = np.column_stack(
        [
            robot.link_length, robot.link_mass, robot.com_offset, robot.link_inertia,
            robot.axial_inertia if robot.axial_inertia is not None else robot.link_inertia,
            robot.radius, np.cos(edge), np.sin(edge), robot.contact_offset,
        ]
    )  # fmt: skip
    axes = [axes_of(robot, i) for i in range(1, n)]
    first = np.concatenate([[0, 0], np.cumsum([len(a) for a in axes])]).astype(np.int64)
    axis = np.array([a for joint in axes for a in joint], dtype=np.int64)
    return SpatialChain(np.ascontiguousarray(link), first, axis, float(robot.mass))


def body_for(robot: Robot) -> tuple[FloatArray, FloatArray]:
    """Empty working arrays b, d of a robot."""
    chain = chain_of(robot)
    d = np.zeros((len(chain.axis), DOF_SLOTS))
    for i in range(1, robot.links):
        span = slice(chain.first[i], chain.first[i + 1])
        d[span, DAMP] = robot.joint_damping[i - 1]
        d[span, DRIVEN] = float(i not in robot.limp)
    b = np.zeros((robot.links, BODY_SLOTS))
    b[:, EX], b[:, EY + 1], b[:, EZ + 2] = 1.0, 1.0, 1.0
    return b, d


@njit
def turn_plane(b, i, first, second, c, s):
    """Turn two axes of frame i in their plane: first towards second."""
    for e in range(3):
        x, y = b[i, first + e], b[i, second + e]
        b[i, first + e] = c * x + s * y
        b[i, second + e] = c * y - s * x


@njit
def place(chain, b, d):
    """Frames, joints and centres of gravity, relative to the body's own; b[0] holds the first frame, d the angles."""
    n = b.shape[0]
    px, py, pz = 0.0, 0.0, 0.0
    gx, gy, gz = 0.0, 0.0, 0.0
    for i in range(n):
        if i > 0:
            for e in range(9):
                b[i, EX + e] = b[i - 1, EX + e]
            for k in range(chain.first[i], chain.first[i + 1]):
                c, s = sincos1(d[k, Q])
                if chain.axis[k] == YAW:
                    for e in range(3):
                        d[k, SA + e] = b[i, EZ + e]
                    turn_plane(b, i, EX, EY, c, s)
                else:
                    for e in range(3):
                        d[k, SA + e] = b[i, EY + e]
                    turn_plane(b, i, EZ, EX, c, s)
        l, m, g = chain.link[i, LENGTH], chain.link[i, MASS], chain.link[i, COM]
        ex, ey, ez = b[i, EX], b[i, EX + 1], b[i, EX + 2]
        b[i, PJ], b[i, PJ + 1], b[i, PJ + 2] = px, py, pz
        b[i, PG], b[i, PG + 1], b[i, PG + 2] = px + g * ex, py + g * ey, pz + g * ez
        gx, gy, gz = gx + m * (px + g * ex), gy + m * (py + g * ey), gz + m * (pz + g * ez)
        px, py, pz = px + l * ex, py + l * ey, pz + l * ez
    r = 1.0 / chain.total
    gx, gy, gz = gx * r, gy * r, gz * r
    for i in range(n):
        b[i, PJ], b[i, PJ + 1], b[i, PJ + 2] = b[i, PJ] - gx, b[i, PJ + 1] - gy, b[i, PJ + 2] - gz
        b[i, PG], b[i, PG + 1], b[i, PG + 2] = b[i, PG] - gx, b[i, PG + 1] - gy, b[i, PG + 2] - gz
        x, y, z = b[i, PJ], b[i, PJ + 1], b[i, PJ + 2]
        for k in range(chain.first[i], chain.first[i + 1]):
            ax, ay, az = d[k, SA], d[k, SA + 1], d[k, SA + 2]
            d[k, SL], d[k, SL + 1], d[k, SL + 2] = y * az - z * ay, z * ax - x * az, x * ay - y * ax


@njit
def spread_twists(chain, b, d, rate):
    """Twists of all links from that of link 0 and the rates in slot `rate` of d."""
    for i in range(1, b.shape[0]):
        w0, w1, w2, v0, v1, v2 = (
            b[i - 1, W],
            b[i - 1, W + 1],
            b[i - 1, W + 2],
            b[i - 1, V],
            b[i - 1, V + 1],
            b[i - 1, V + 2],
        )
        for k in range(chain.first[i], chain.first[i + 1]):
            r = d[k, rate]
            w0, w1, w2 = w0 + r * d[k, SA], w1 + r * d[k, SA + 1], w2 + r * d[k, SA + 2]
            v0, v1, v2 = v0 + r * d[k, SL], v1 + r * d[k, SL + 1], v2 + r * d[k, SL + 2]
        b[i, W], b[i, W + 1], b[i, W + 2], b[i, V], b[i, V + 1], b[i, V + 2] = w0, w1, w2, v0, v1, v2
