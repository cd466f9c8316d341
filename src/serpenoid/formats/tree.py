"""A tree of bodies as robot files have it: which is the longest chain of hinges, where everything is at angle 0, which way the body points."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from serpenoid.core import FloatArray
from serpenoid.core.actuator import Servo
from serpenoid.core.errors import InputError
from serpenoid.frames import axis_rotation

ALIGNED = 1e-6  # of an axis
STRAIGHT = 1e-6  # of the body's length: a chain is straight within that
SQUARE = (
    2.5e-3  # rad: what files write for right angles is within that of one: 1.57 misses it by 0.8e-3, 3.14 by 1.6e-3
)
NOTED = 1e-6  # rad: a turn that was set right by more than that is warned of; 1.57079633 is not, 1.5708 is


@dataclass
class Node:
    """A body of the tree, and how it hangs on its parent."""

    name: str
    mass: float = 0.0
    com: FloatArray = field(default_factory=lambda: np.zeros(3))
    inertia: FloatArray = field(
        default_factory=lambda: np.zeros((3, 3))
    )  # about the centre of gravity, axes of the body
    sizes: list[tuple[FloatArray, float, float]] = field(default_factory=list)  # pose, length, radius
    parent: str | None = None
    joint: str = ""
    kind: str = "root"  # hinge, fixed, free, slide, planar
    pose: FloatArray = field(default_factory=lambda: np.eye(4))  # in the parent's frame
    axis: FloatArray = field(default_factory=lambda: np.array([1.0, 0.0, 0.0]))
    low: float = -np.inf
    high: float = np.inf
    effort: float = 0.0
    velocity: float = 0.0
    damping: float = 0.0
    friction: float = 0.0
    rotor: float = 0.0
    servo: Servo | None = None
    mimic: bool = False  # its angle follows that of another joint


def ordered(nodes: list[Node], source: str) -> list[Node]:
    """Bodies, parents before children; refused where there is a cycle or more than one root."""
    children: dict[str, list[Node]] = {}
    roots = [node for node in nodes if node.parent is None]
    for node in nodes:
        if node.parent is not None:
            children.setdefault(node.parent, []).append(node)
    if len(roots) != 1:
        raise InputError(
            f"{source}: a robot has one root, this file {len(roots)}" + ("" if roots else ": its joints form a cycle")
        )
    order, waiting = [], [roots[0]]
    while waiting:
        node = waiting.pop()
        order.append(node)
        waiting.extend(children.get(node.name, ()))
    if len(order) < len(nodes):
        raise InputError(
            f"{source}: {len(nodes) - len(order)} bodies hang in a cycle, not on the root {roots[0].name[:60]}"
        )
    return order


def longest(order: list[Node], source: str) -> list[Node]:
    """Bodies from the root to the end with the most hinges on its way."""
    depth: dict[str, int] = {}
    for node in order:
        if node.kind in ("slide", "planar") and node.parent is not None:
            raise InputError(f"{source}: joint {node.joint[:60]} slides; snakes here have joints that turn")
        before = depth[node.parent] if node.parent is not None else 0
        depth[node.name] = before + (node.kind == "hinge")
    last = max(order, key=lambda node: depth[node.name])
    if depth[last.name] < 1:
        raise InputError(f"{source}: there is no joint that turns")
    by_name, chain = {node.name: node for node in order}, [last]
    while chain[-1].parent is not None:
        chain.append(by_name[chain[-1].parent])
    chain.reverse()
    while more := next(
        (node for node in order if node.parent == chain[-1].name and node.kind == "fixed" and own_link(node)), None
    ):
        chain.append(more)
    while chain[0].kind == "root" and len(chain) > 1 and chain[1].kind == "free":
        chain.pop(0)  # the world
    return chain


def set_square(nodes: list[Node]) -> list[str]:
    """Turn bodies that hang at almost right angles to their parents to exact ones; what to say of it."""
    moved, most = 0, 0.0
    for node in nodes:
        turn = node.pose[:3, :3]
        right = np.round(turn) + 0.0
        off = float(np.linalg.norm(turn - right)) / np.sqrt(2.0)  # the angle between them
        if 0.0 < off <= SQUARE and np.array_equal(right @ right.T, np.eye(3)):
            node.pose[:3, :3] = right
            moved, most = moved + (off > NOTED), max(most, off)
    if not moved:
        return []
    return [f"{moved} joints stand at almost right angles ({most:.2g} rad beside them at most, like 1.57 for pi/2); right angles were taken"]  # fmt: skip


def without_dummies(chain: list[Node], poses: dict[str, FloatArray]) -> tuple[list[Node], list[Node]]:
    """The chain from its first body that is one, and the frames before it: without mass and shape, fixed to the next, and not the end of the body's axis."""
    places = [poses[node.name][:3, 3] for node in chain if node.kind == "hinge"]
    left: list[Node] = []
    while len(chain) > 1 and chain[1].kind == "fixed" and not chain[0].mass > 0.0 and not chain[0].sizes:
        start = poses[chain[0].name][:3, 3]
        ahead, span = poses[chain[1].name][:3, 3] - start, places[-1] - start
        length = float(np.linalg.norm(span))
        if ahead @ span > 0.0 and np.linalg.norm(np.cross(ahead, span)) <= STRAIGHT * length * length:
            break  # where the tail ends
        left.append(chain[0])
        chain = chain[1:]
    return chain, left


def world_poses(order: list[Node]) -> dict[str, FloatArray]:
    """Poses of all bodies at angle 0."""
    poses: dict[str, FloatArray] = {}
    for node in order:
        poses[node.name] = (
            node.pose if node.parent is None or node.kind == "free" else _times(poses[node.parent], node.pose)
        )
    return poses


def _times(one: FloatArray, other: FloatArray) -> FloatArray:
    """Two poses in a row; plain shifts are added without rounding anything else."""
    if np.array_equal(one[:3, :3], np.eye(3)):
        made = other.copy()
        made[:3, 3] += one[:3, 3]
        return made
    return np.asarray(one @ other)


def body_frame(chain: list[Node], poses: dict[str, FloatArray], source: str) -> tuple[FloatArray, list[FloatArray]]:
    """Axes of the straight body as columns (x towards the end of the chain), and the places of its hinges."""
    places = [poses[node.name][:3, 3] for node in chain if node.kind == "hinge"]
    axes = [poses[node.name][:3, :3] @ (node.axis / np.linalg.norm(node.axis)) for node in chain if node.kind == "hinge" and np.linalg.norm(node.axis) > 0.0]  # fmt: skip
    if len(axes) < len(places):
        raise InputError(f"{source}: a joint has an axis without length")
    span = places[-1] - places[0]
    if np.linalg.norm(span) < 1e-9:  # one joint: the body points from the root to it
        span = places[0] - poses[chain[0].name][:3, 3]
    if np.linalg.norm(span) < 1e-12:
        raise InputError(f"{source}: all joints lie in one point; there is no direction along the body")
    x = span / np.linalg.norm(span)
    own = poses[chain[0].name][:3, :3]
    if np.abs(own[:, 0] - x).max() < ALIGNED:
        return own, places
    z = next((axis for axis in axes if abs(axis @ x) < 0.5), None)
    if z is None:
        raise InputError(f"{source}: every joint turns about the body's own axis; there is no back")
    z = z - (z @ x) * x
    z /= np.linalg.norm(z)
    return np.column_stack([x, np.cross(z, x), z]), places


def own_link(node: Node) -> bool:
    """Whether a body fixed to the one before is a link of its own: it has mass, and lies straight ahead."""
    ahead = node.pose[0, 3] > 0.0 and not node.pose[1:3, 3].any()
    return node.mass > 0.0 and ahead and np.array_equal(node.pose[:3, :3], np.eye(3))


def box_size(pose: FloatArray, size: FloatArray, share: float = 0.5) -> tuple[FloatArray, float, float]:
    """A box as a round bar along its longest edge: pose with z along the bar, length, radius (`share` of the mean of its other edges)."""
    k = int(np.argmax(size))
    turn = np.eye(4)
    turn[:3, :3] = np.eye(3) if k == 2 else axis_rotation(1 - k, 0.5 * np.pi)
    return pose @ turn, float(size[k]), share * float(np.delete(size, k).mean())
