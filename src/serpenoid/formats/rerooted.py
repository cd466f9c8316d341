"""Trees whose root stands in the middle of the body: turned round, so that the root is one of its ends.

Many files hang both halves of a snake on a body between them. There two arms of hinges leave the root in opposite directions, on one line. The
bodies of one arm, from its end to the root, are then hung on each other the other way round: a joint stays where it is and keeps the sense of its
angle, so its axis, seen from the other body, is the opposite one. A body that changes sides gets its frame in the joint on which it now hangs.
"""

from __future__ import annotations

import copy

import numpy as np

from serpenoid.core import FloatArray
from serpenoid.formats.tree import ALIGNED, STRAIGHT, Node

MOST_ARMS = 12  # of a root that are looked at, those with the most hinges
# what belongs to a joint, not to the body outside it
JOINT = ("joint", "kind", "low", "high", "effort", "velocity", "damping", "friction", "rotor", "servo", "mimic")


def from_one_end(order: list[Node], poses: dict[str, FloatArray]) -> str | None:
    """Turn the tree round if its root is between two arms on one line; the name of the body that is the root then."""
    children: dict[str, list[Node]] = {}
    for node in order:
        if node.parent is not None:
            children.setdefault(node.parent, []).append(node)
    root = order[0]
    while not root.mass > 0.0 and not root.sizes and len(children.get(root.name, ())) == 1:
        root = children[root.name][0]
    arms = [arm for arm in (_arm(child, children) for child in children.get(root.name, ())) if _hinges(arm)]
    arms = sorted(arms, key=lambda arm: -len(_hinges(arm)))[:MOST_ARMS]
    for one, other in ((a, b) for i, a in enumerate(arms) for b in arms[i + 1 :]):
        if _on_one_line(_hinges(one), _hinges(other), poses):
            tail = one if _is_tail(one, other, root, poses) else other
            _turn_round([root, *tail], children, poses)
            return tail[-1].name
    return None


def _arm(first: Node, children: dict[str, list[Node]]) -> list[Node]:
    """Bodies from a child of the root to the end with the most hinges."""
    depth, before = {first.name: int(first.kind == "hinge")}, {first.name: first}
    waiting, best, parents = [first], first, {first.name: ""}
    while waiting:
        node = waiting.pop()
        if depth[node.name] > depth[best.name]:
            best = node
        for child in children.get(node.name, ()):
            depth[child.name] = depth[node.name] + (child.kind == "hinge")
            before[child.name], parents[child.name] = child, node.name
            waiting.append(child)
    path = [best]
    while parents[path[-1].name]:
        path.append(before[parents[path[-1].name]])
    return path[::-1]


def _hinges(arm: list[Node]) -> list[Node]:
    return [node for node in arm if node.kind == "hinge"]


def _on_one_line(one: list[Node], other: list[Node], poses: dict[str, FloatArray]) -> bool:
    """Whether two rows of hinges go on one line from each other."""
    places = np.array([poses[node.name][:3, 3] for node in [*one[::-1], *other]])
    span = places[-1] - places[0]
    length = float(np.linalg.norm(span))
    if not length > 0.0:
        return False
    steps = np.diff(places, axis=0)
    beside = np.linalg.norm(np.cross(places - places[0], span / length), axis=1).max()
    return bool(beside <= STRAIGHT * length and np.all(steps @ span >= -STRAIGHT * length**2) and steps[len(one) - 1] @ span > 0.0)  # fmt: skip


def _is_tail(one: list[Node], other: list[Node], root: Node, poses: dict[str, FloatArray]) -> bool:
    """Whether the first arm lies behind the second: by the root's own x axis where that lies along the body, else the shorter one does."""
    span = poses[_hinges(other)[0].name][:3, 3] - poses[_hinges(one)[0].name][:3, 3]
    ahead = float(poses[root.name][:3, 0] @ span) / float(np.linalg.norm(span))
    if abs(ahead) > 1.0 - ALIGNED:
        return ahead > 0.0
    return len(_hinges(one)) < len(_hinges(other))


def _turn_round(path: list[Node], children: dict[str, list[Node]], poses: dict[str, FloatArray]) -> None:
    """Hang the bodies of a path, from the root outwards, on each other the other way round."""
    were = [copy.copy(node) for node in path]
    frames = [poses[node.name] for node in path[1:]] + [
        _outer_end(path[-1], poses)
    ]  # in the joint on which each hangs now
    on_path = {node.name for node in path}
    for k, (node, frame) in enumerate(zip(path, frames, strict=True)):
        _set_frame(
            node,
            np.linalg.inv(frame) @ poses[node.name],
            [c for c in children.get(node.name, ()) if c.name not in on_path],
        )
        if k < len(path) - 1:
            outside = were[k + 1]
            node.parent, node.axis = outside.name, -outside.axis
            node.pose = np.linalg.inv(frames[k + 1]) @ frame
            for name in JOINT:
                setattr(node, name, getattr(outside, name))
    first, end = were[0], path[-1]
    end.parent, end.axis = first.parent, first.axis
    end.pose = (
        frames[-1] if first.parent is None or first.kind == "free" else np.linalg.inv(poses[first.parent]) @ frames[-1]
    )
    for name in JOINT:
        setattr(end, name, getattr(first, name))


def _outer_end(node: Node, poses: dict[str, FloatArray]) -> FloatArray:
    """The frame of the body that becomes the root: its own, or that of its outer end where only its centre of gravity shows where that is."""
    frame = poses[node.name].copy()
    if not node.sizes:
        frame[:3, 3] += 2.0 * frame[:3, :3] @ node.com
    return np.asarray(frame)


def _set_frame(node: Node, change: FloatArray, hanging: list[Node]) -> None:
    """See a body from another frame, together with what hangs on it."""
    turn = change[:3, :3]
    node.com = turn @ node.com + change[:3, 3]
    node.inertia = turn @ node.inertia @ turn.T
    node.sizes = [(change @ pose, length, radius) for pose, length, radius in node.sizes]
    for child in hanging:
        child.pose = change @ child.pose
