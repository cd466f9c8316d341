"""Where are the links of a floating chain in three dimensions, and how fast does each move? Product of exponentials.

With the base (link 0, the tail) at pose g, the screw axes S_k of the degrees of freedom in the straight posture, in
axes of the base, and M_i = TransX(l_0 + ... + l_{i-1}) the straight pose of link i,

    pose_i = g exp([S_1] q_1) ... exp([S_k] q_k) M_i        k: the last degree of freedom of joint i

A joint at the point p turns about the unit vector w: S = (w, -w x p), and

    exp([S] q) = ( R, (q + (1 - cos q) [w] + (q - sin q) [w]^2) v ),    R = 1 + sin q [w] + (1 - cos q) [w]^2

In a bent posture its axis is Ad(g exp([S_1] q_1) ... exp([S_{k-1}] q_{k-1})) S_k: a column of the Jacobian.

| name | meaning | shape, unit |
|---|---|---|
| base | pose of link 0: origin at the tail's end, x to the head, z the back | (4, 4), m |
| angles, rates | [yaw, pitch] of each joint; or one number each, if of one axis | (n-1, 2) or (n-1,), rad, rad/s |
| | joints in a list of kinds: one number per degree of freedom | (dof,) |
| pose | link frames: origin at the tail-side joint, x to the head, z the back | (n, 4, 4), m |
| twist | angular velocity, then velocity of the point concerned, both in world axes | (6,), rad/s, m/s |

The point of the base's twist is the tail's end, that of a link its centre of gravity. Joint i (from 1) carries link i:

| joints | rotation | | joints | rotation |
|---|---|---|---|---|
| yaw | Rz(yaw) | | universal | Rz(yaw) Ry(pitch) |
| pitch | Ry(pitch) | | pitch-yaw | Ry(pitch) Rz(yaw) |
| alternating | yaw of joints 1, 3, ..., pitch of 2, 4, ... | | | |

Pitch is right-handed about y: positive is nose down. Locked joints stay at zero whatever their angle, and have no
degree of freedom. Degrees of freedom count by joint, inside a joint in the order of rotation.

Source: R. W. Brockett 1984; K. M. Lynch and F. C. Park, "Modern Robotics" (2017), sections 3.3, 4.1, 5.1.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from serpenoid.core import FloatArray, Robot
from serpenoid.core.errors import InputError
from serpenoid.core.robot import AXES as JOINT_AXES
from serpenoid.core.robot import kinds_of
from serpenoid.frames import adjoint, cross_matrix, screw_exponential

AXES = {"yaw": np.array([0.0, 0.0, 1.0]), "pitch": np.array([0.0, 1.0, 0.0]), "roll": np.array([1.0, 0.0, 0.0])}
COLUMNS = {"yaw": 0, "pitch": 1}
_RIGID = 1e-9  # how far from a rotation the base may be


def axes_of(robot: Robot, joint: int) -> tuple[str, ...]:
    """Axes of a joint (from 1) in the order of rotation, locked or not."""
    kinds = kinds_of(robot.joints, robot.links - 1) if isinstance(robot.joints, str) else robot.joints
    return JOINT_AXES[kinds[joint - 1]]


def dofs(robot: Robot) -> list[tuple[int, str]]:
    """Degrees of freedom as (joint, "yaw", "pitch" or "roll"): by joint, then in order of rotation; locked ones have none."""
    return [(j, axis) for j in range(1, robot.links) if j not in robot.locked for axis in axes_of(robot, j)]


def coordinates(robot: Robot, angles: Any, name: str = "angles") -> FloatArray:
    """The angles (or rates) of the degrees of freedom, (dofs,), out of (n-1, 2) or (n-1,); joints of several kinds: (dofs,) already."""
    if not isinstance(robot.joints, str):
        return _numbers(name, angles, (len(dofs(robot)),))
    pairs = _pairs(robot, angles, name)
    return np.array([pairs[j - 1, COLUMNS[axis]] for j, axis in dofs(robot)])


def poses(robot: Robot, base: Any, angles: Any) -> FloatArray:
    """Frames (n, 4, 4) of the links: origin at the tail-side joint, x to the head, z the back."""
    start = _pose(base)
    found, _ = _march(robot, start, coordinates(robot, angles))
    found[:, :3, 3] += start[:3, 3]
    return found


def nodes(robot: Robot, base: Any, angles: Any) -> FloatArray:
    """Tail's end, joints, head's tip, (n+1, 3)."""
    found = poses(robot, base, angles)
    tip = found[-1, :3, 3] + robot.link_length[-1] * found[-1, :3, 0]
    return np.vstack([found[:, :3, 3], tip])


def jacobians(robot: Robot, base: Any, angles: Any) -> FloatArray:
    """Jacobians (n, 6, 6 + dofs): twists of the links' centres of gravity from the base's twist and the joint rates."""
    found, axes = _march(robot, _pose(base), coordinates(robot, angles))
    arm = found[:, :3, 3] + robot.com_offset[:, None] * found[:, :3, 0]  # from the tail's end
    made = np.zeros((robot.links, 6, 6 + len(axes)))
    made[:, :3, :3] = made[:, 3:, 3:6] = np.eye(3)
    made[:, 3:, :3] = -cross_matrix(arm)
    turning, moving = axes[:, :3], axes[:, 3:]
    carried = np.arange(robot.links)[:, None] >= np.array([j for j, _ in dofs(robot)], dtype=int)
    speed = moving + np.cross(turning, arm[:, None, :])
    made[:, :3, 6:] = np.where(carried[:, None, :], turning.T, 0.0)
    made[:, 3:, 6:] = np.where(carried[:, None, :], np.swapaxes(speed, 1, 2), 0.0)
    return made


def velocities(robot: Robot, base: Any, angles: Any, twist: Any, rates: Any) -> FloatArray:
    """Twists (n, 6) of the links' centres of gravity, from the base's twist (6,) and the joint rates."""
    return jacobians(robot, base, angles) @ np.concatenate(
        [_numbers("twist", twist, (6,)), coordinates(robot, rates, "rates")]
    )


def _march(robot: Robot, base: FloatArray, values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Poses (n, 4, 4) and screw axes (dofs, 6) of the bent posture, world axes, counted from the tail's end.

    Counting from there keeps the digits of a body far from the world's origin.
    """
    reach = np.concatenate([[0.0], np.cumsum(robot.link_length[:-1])])
    g, found, axes = np.eye(4), [], []
    g[:3, :3] = base[:3, :3]
    turns = iter(zip(dofs(robot), values, strict=True))
    pending = next(turns, None)
    for i in range(robot.links):
        while pending is not None and pending[0][0] == i:
            (_, axis), value = pending
            w = AXES[axis]
            screw = np.concatenate([w, np.cross(np.array([reach[i], 0.0, 0.0]), w)])
            axes.append(adjoint(g) @ screw)
            g = g @ screw_exponential(screw, value)
            pending = next(turns, None)
        straight = np.eye(4)
        straight[0, 3] = reach[i]
        found.append(g @ straight)
    return np.stack(found), np.array(axes).reshape(-1, 6)


def _numbers(name: str, value: Any, *shapes: tuple[int, ...]) -> FloatArray:
    """Finite numbers of one of the shapes."""
    allowed = " or ".join(map(str, shapes))
    try:
        array = np.asarray(value, dtype=float)
    except (TypeError, ValueError) as error:
        raise InputError(f"{name} must be numbers of shape {allowed}, got {value!r}") from error
    if array.shape not in shapes:
        raise InputError(f"{name} must have shape {allowed}, got {array.shape}")
    if not np.isfinite(array).all():
        raise InputError(f"{name} must be finite")
    return array


def _pose(base: Any) -> FloatArray:
    """The base as a pose, refused unless rigid."""
    g = _numbers("base", base, (4, 4))
    R = g[:3, :3]
    skew = max(np.abs(R.T @ R - np.eye(3)).max(), np.abs(g[3] - np.eye(4)[3]).max())
    if skew > _RIGID or np.linalg.det(R) < 0.0:
        raise InputError("base must be a pose: a right-handed rotation, a position, and the row 0 0 0 1")
    return g


def _pairs(robot: Robot, angles: Any, name: str) -> FloatArray:
    """The angles as [yaw, pitch] a joint, (n-1, 2); an angle about an axis that a joint lacks is refused."""
    n = robot.links - 1
    if robot.joints in ("universal", "pitch-yaw"):
        return _numbers(name, angles, (n, 2))
    values = _numbers(name, angles, (n, 2), (n,))
    column = np.array([COLUMNS[axes_of(robot, j)[0]] for j in range(1, n + 1)])
    if values.ndim == 1:
        pairs = np.zeros((n, 2))
        pairs[np.arange(n), column] = values
        return pairs
    wrong = np.flatnonzero(values[np.arange(n), 1 - column])
    if wrong.size:
        joint = int(wrong[0]) + 1
        raise InputError(
            f"joint {joint} of {robot.name} can only {axes_of(robot, joint)[0]}; its other angle must be 0"
        )
    return values
