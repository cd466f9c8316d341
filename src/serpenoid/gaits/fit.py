"""From a continuous shape to the joint angles of a robot: yaw or pitch only, alternating, or universal joints of either order.

| method | what it does | order in the link length |
|---|---|---|
| `integral` | each joint takes the shape functions integrated over its share of the body (equation (8) of Ma, Li and Wang) | 2 |
| `sequential` | links are laid one by one: joints (`keep="joints"`) or link centres (`keep="centres"`) on the curve; alternating joints pursue the point two links ahead | 2 |

Joints without roll cannot twist the body, so a shape with torsion is first converted to its bellows (same backbone); how far the posture then
differs is reported. Shares: a joint takes from mid-link to mid-link. Joints of an alternating robot take from joint to joint, centred
on themselves, so that yaw and pitch are staggered (a symmetric splitting). A universal joint turns about z, then about y, a "pitch-yaw" joint about
y, then about z; the roll that this leaves out is made up for in the next joint, by measuring the wanted direction in the frame that the links
really have.

The robot is placed on the curve by the rigid motion that fits its nodes best. Errors are the distances of nodes and link centres from the curve.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from serpenoid.core import FloatArray, Robot
from serpenoid.core.door import FiniteNumbers, door
from serpenoid.core.errors import InputError
from serpenoid.frames import axis_rotation, rotation_exponential
from serpenoid.shapes import Curve, Shape, posture_lost, to_bellows

METHODS, KEEPS = ("integral", "sequential"), ("joints", "centres")
EXTENDED = 1.5  # lengths of the curve along which links are laid
_FLAT = 1e-9  # of the largest curvature: one below it counts as none
_BOTH, _PITCH_FIRST = ("universal", "pitch-yaw"), ("pitch", "pitch-yaw")


@dataclass(frozen=True, eq=False)
class Fit:
    """Joint angles of a robot that lies along a curve, where its nodes are, and how far off the curve it is."""

    angles: FloatArray  # rad: (n-1,), or (n-1, 2) yaw and pitch for universal and pitch-yaw joints
    nodes: FloatArray  # m: tail's end, joints, head's tip, (n+1, 3)
    worst: float  # m, of nodes and link centres
    mean: float  # m
    posture_lost: float  # rad, largest roll between the shape's frame and that of its bellows
    exceeded: tuple[int, ...]  # joints (from 1) beyond the limit
    notes: tuple[str, ...]


@door
def fit(
    shape: Shape, robot: Robot, *, method: str = "integral", keep: str = "joints", limit: float | None = None,
    clip: bool = False, approximate: bool = False, t: float = 0.0,
) -> Fit:  # fmt: skip
    """Fit a robot to the first part of a shape; `limit` (rad) bounds the joints: exceeded ones are said, or clipped.

    A robot with yaw joints only (or pitch joints only) is refused on a curve out of their plane unless `approximate`.
    """
    if method not in METHODS or keep not in KEEPS:
        raise InputError(
            f"method must be one of {', '.join(METHODS)}, keep one of {', '.join(KEEPS)}; got {method!r}, {keep!r}"
        )
    if robot.length > shape.length * (1.0 + 1e-9):
        raise InputError(f"{robot.name} is {robot.length:g} m long, the curve only {shape.length:g} m")
    if not isinstance(robot.joints, str):
        raise InputError(
            f"a robot fitted to a curve has joints of one kind (or alternating); {robot.name} has {robot.joints_text}"
        )
    notes: list[str] = []
    lost = posture_lost(shape, t, robot.length)
    base = to_bellows(shape)
    if lost > 1e-9:
        notes.append(
            f"joints without roll cannot twist: fitted to the bellows of the same backbone, whose posture differs by up to {np.degrees(lost):.1f} deg"
        )
    _check_plane(base, robot, approximate, notes, t)
    # chords cut corners and get ahead of the arc length: beyond its end the curve goes on by its own shape functions
    curve = base.trace(t=t) if method == "integral" else base.but(length=EXTENDED * base.length).trace(t=t)
    target = curve.at(np.minimum(np.concatenate([[0.0], np.cumsum(robot.link_length)]), curve.s[-1])).position
    if method == "integral":
        angles = _integral(base, robot, t)
    elif robot.joints == "alternating":
        angles = _pursuit(curve, robot)
    else:
        target = _chords(curve, robot, keep)
        angles = _along(target, curve, robot)
    exceeded = _beyond(angles, limit)
    if exceeded:
        said = f"joint limit {np.degrees(limit or 0.0):.1f} deg exceeded by joints {', '.join(map(str, exceeded))}"
        notes.append(said + ("; clipped" if clip else ""))
        if clip:
            angles = np.clip(angles, -float(limit or 0.0), float(limit or 0.0))
    nodes = _placed(forward(robot, angles), target)
    # measured against the curve itself, not against what it was prolonged by
    given = curve if method == "integral" else base.trace(t=t)
    distances = off_curve(given, np.concatenate([nodes, 0.5 * (nodes[1:] + nodes[:-1])]))
    return Fit(angles, nodes, float(distances.max()), float(distances.mean()), lost, exceeded, tuple(notes))


def _check_plane(base: Shape, robot: Robot, approximate: bool, notes: list[str], t: float) -> None:
    """Refuse (or note) a robot with one kind of joint on a curve that leaves the plane of its bends."""
    if robot.joints not in ("yaw", "pitch"):
        return
    s = np.linspace(0.0, robot.length, 513)
    _, pitch, yaw = base.values(s, t)
    other = pitch if robot.joints == "yaw" else yaw
    if np.abs(other).max() <= _FLAT * max(float(np.hypot(pitch, yaw).max()), 1.0 / base.length):
        return
    if not approximate:
        raise InputError(
            f"{robot.name} has {robot.joints} joints only and the curve leaves the plane of their bends; use alternating or "
            "universal joints, or approximate"
        )
    notes.append(
        f"{robot.joints} joints follow only the {robot.joints} curvature of a curve out of their plane: the error does not "
        "vanish with more links"
    )


def _beyond(angles: FloatArray, limit: float | None) -> tuple[int, ...]:
    if limit is None:
        return ()
    if not (np.isfinite(limit) and limit > 0.0):
        raise InputError(f"joint limit must be finite and > 0 rad, got {limit}")
    over = np.abs(angles.reshape(len(angles), -1)).max(axis=1) > limit * (1.0 + 1e-12)
    return tuple((np.flatnonzero(over) + 1).tolist())


@door(angles=FiniteNumbers(dims=(1, 2)))
def forward(robot: Robot, angles: FloatArray) -> FloatArray:
    """Nodes (n+1, 3) of a robot with the given joint angles, tail's end at the origin, first link along x."""
    if len(angles) != robot.links - 1:
        raise InputError(f"angles must be those of {robot.links - 1} joints, got {len(angles)}")
    frame = np.eye(3)
    nodes = np.zeros((robot.links + 1, 3))
    for i in range(robot.links):
        if i > 0:
            frame = frame @ _joint(robot, i, angles[i - 1])
        nodes[i + 1] = nodes[i] + robot.link_length[i] * frame[:, 0]
    return nodes


def _joint(robot: Robot, i: int, angle: Any) -> FloatArray:
    """Rotation of joint i (from 1) by its angle, or by yaw and pitch; alternating robots begin with yaw."""
    if robot.joints in _BOTH:
        return _bend(robot, angle)
    if robot.joints == "pitch" or (robot.joints == "alternating" and i % 2 == 0):
        return axis_rotation(1, float(angle))
    return axis_rotation(2, float(angle))


def _bend(robot: Robot, angle: Any) -> FloatArray:
    """Rotation by yaw and pitch in the order of the robot's joints: yaw first, unless they pitch first."""
    yaw, pitch = axis_rotation(2, float(angle[0])), axis_rotation(1, float(angle[1]))
    return pitch @ yaw if robot.joints in _PITCH_FIRST else yaw @ pitch


def _integral(base: Shape, robot: Robot, t: float) -> FloatArray:
    """Joint angles by integrals of the bellows functions over each joint's share."""
    nodes = np.concatenate([[0.0], np.cumsum(robot.link_length)])
    if robot.joints == "alternating":
        low, high = nodes[:-2], nodes[2:]
        yaw, pitch = (f.area(high, t) - f.area(low, t) for f in (base.kappa_b, base.kappa_a))
        return np.where(np.arange(1, robot.links) % 2 == 1, yaw, pitch)
    middle = 0.5 * (nodes[1:] + nodes[:-1])
    yaw, pitch = (np.diff(f.area(middle, t)) for f in (base.kappa_b, base.kappa_a))
    if robot.joints in ("yaw", "pitch"):
        return yaw if robot.joints == "yaw" else pitch
    return _universal(robot, np.stack([np.zeros_like(yaw), pitch, yaw], axis=1))


def _universal(robot: Robot, bends: FloatArray) -> FloatArray:
    """Yaw and pitch of joints with both, whose links point as the frames turned by the rotation vectors `bends`."""
    wanted, real = np.eye(3), np.eye(3)
    angles = np.zeros((len(bends), 2))
    for i, bend in enumerate(bends):
        wanted = wanted @ rotation_exponential(bend)
        angles[i] = _direction(robot, real.T @ wanted[:, 0])
        real = real @ _bend(robot, angles[i])
    return angles


def _direction(robot: Robot, d: FloatArray) -> tuple[float, float]:
    """Yaw and pitch that turn x into the unit vector d, in the order of the robot's joints."""
    if robot.joints in _PITCH_FIRST:
        return float(np.arcsin(np.clip(d[1], -1.0, 1.0))), float(np.arctan2(-d[2], d[0]))
    return float(np.arctan2(d[1], d[0])), float(-np.arcsin(np.clip(d[2], -1.0, 1.0)))


def _along(nodes: FloatArray, curve: Curve, robot: Robot) -> FloatArray:
    """Joint angles of joints of one kind, or of both, whose links join the nodes."""
    links = np.diff(nodes, axis=0) / robot.link_length[:, None]
    first = curve.at(0.0).frame[0]
    real = first @ _bend(robot, _direction(robot, first.T @ links[0]))
    used = np.array([robot.joints != "pitch", robot.joints != "yaw"])
    angles = np.zeros((robot.links - 1, 2))
    for i in range(1, robot.links):
        angles[i - 1] = used * _direction(robot, real.T @ links[i])
        real = real @ _bend(robot, angles[i - 1])
    return angles if used.all() else angles[:, int(used[1])]


def _interpolant(curve: Curve) -> Any:
    from scipy.interpolate import CubicHermiteSpline

    return CubicHermiteSpline(curve.s, curve.position, curve.tangent)


def _ahead(place: Any, p: FloatArray, s: float, distance: float, end: float) -> float:
    """First arc length beyond s at which the curve is `distance` away from p."""
    from scipy.optimize import brentq

    low, high = s, s
    while np.linalg.norm(place(high) - p) < distance:
        low, high = high, high + 0.25 * distance
        if high > end:
            raise InputError("the links cut so many corners that they run past the end of the curve; use more links")
    return float(brentq(lambda x: float(np.linalg.norm(place(x) - p)) - distance, low, high, xtol=1e-14))


def _chords(curve: Curve, robot: Robot, keep: str) -> FloatArray:
    """Nodes laid one by one on the curve, or beside it by a link's sagitta so that the link centres lie on it."""
    from scipy.interpolate import CubicSpline

    end = float(curve.s[-1])
    place = _interpolant(curve)
    if keep == "centres":
        _, a, b = curve.shape.values(curve.s, curve.time)
        frame = curve.frame
        bend = b[:, None] * frame[..., 1] - a[:, None] * frame[..., 2]
        place = CubicSpline(curve.s, curve.position - float(np.mean(robot.link_length**2)) / 8.0 * bend)
    s = 0.0
    nodes = np.zeros((robot.links + 1, 3))
    nodes[0] = place(0.0)
    for i in range(robot.links):
        s = _ahead(place, nodes[i], s, float(robot.link_length[i]), end)
        nodes[i + 1] = place(s)
    return nodes


def _pursuit(curve: Curve, robot: Robot) -> FloatArray:
    """Alternating joints: each turns its link as near as its axis allows to the point two links ahead."""
    place, end = _interpolant(curve), float(curve.s[-1])
    nodes = np.concatenate([[0.0], np.cumsum(robot.link_length)])
    frame = curve.at(0.5 * float(robot.link_length[0])).frame[0]
    p = place(0.0)
    angles = np.zeros(robot.links - 1)
    for i in range(1, robot.links):
        p = p + robot.link_length[i - 1] * frame[:, 0]
        target = place(min(nodes[min(i + 2, robot.links)], end))
        d = frame.T @ (target - p)
        pitching = i % 2 == 0
        angles[i - 1] = np.arctan2(-d[2], d[0]) if pitching else np.arctan2(d[1], d[0])
        frame = frame @ _joint(robot, i, angles[i - 1])
    return angles


def _placed(nodes: FloatArray, target: FloatArray) -> FloatArray:
    """Nodes moved rigidly (Kabsch) as near as possible to the target points."""
    a, b = nodes - nodes.mean(axis=0), target - target.mean(axis=0)
    u, _, v = np.linalg.svd(a.T @ b)
    turn = np.diag([1.0, 1.0, np.sign(np.linalg.det(u @ v))])
    result: FloatArray = a @ (u @ turn @ v) + target.mean(axis=0)
    return result


@door(points=FiniteNumbers(width=3, dims=(2,)))
def off_curve(curve: Curve, points: FloatArray) -> FloatArray:
    """Distances of points from the curve."""
    from scipy.spatial import cKDTree

    place = _interpolant(curve)
    s = np.linspace(0.0, float(curve.s[-1]), max(4001, curve.s.size))
    path = place(s)
    _, k = cKDTree(path).query(points)
    best = np.full(len(points), np.inf)
    for shift in (-1, 0):
        i = np.clip(k + shift, 0, len(path) - 2)
        a, d = path[i], path[i + 1] - path[i]
        x = np.clip(np.sum((points - a) * d, axis=1) / np.sum(d * d, axis=1), 0.0, 1.0)
        best = np.minimum(best, np.linalg.norm(points - a - x[:, None] * d, axis=1))
    return best
