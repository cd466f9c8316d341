"""From a tree of bodies (URDF, MJCF) to a `Robot`: the longest chain, straight at angle 0, its axes along x, y or z.

| in the file | in the robot |
|---|---|
| bodies that hang at almost right angles (1.57, 1.5708), within 2.5e-3 rad | at right angles, with a warning |
| joints beside the body's axis by up to 2e-3 of its length | on the axis, with a warning |
| frames before the body: without mass and shape, fixed to it, not on its axis | left out, with a remark |
| bodies fixed to each other | one link; two in a row along the body, with no turn between them, stay two links with a fixed joint |
| a root between two arms on one line | the whole body: one arm is hung the other way round (`formats.rerooted`), with a warning |
| a body with mass between two axes that meet | lumped into the link outside, with a warning |
| branches that leave the longest chain | lumped into the link they hang on, at angle 0, with a warning |
| axes that meet in one point | one joint of two axes |
| an axis that points the other way | the same joint; `signs` is -1 there: angles of the file are minus ours |
| inertia across a link, different about its two sides | their mean, with a warning beyond 1 % |
| centre of gravity beside the link's axis | on the axis, with a warning beyond a tenth of the radius |
| stops that differ to the two sides | the nearer one to both sides, with a warning |
| stops that leave no way to one side | none, with a warning |
| no moments of inertia | those of a thin rod, with a warning |
| effort, velocity | torque and speed limit of a servo with the usual gains, with a remark: files have no gains |

The first link begins where its shapes do, or at the root's frame; the last one ends where its shapes or frames do. Implausible masses (bodies of
exactly 1 kg, denser than lead or lighter than cork, more inertia than a body of that size can have) are warned of.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from serpenoid.core import FloatArray, Robot
from serpenoid.core.actuator import Servo
from serpenoid.core.errors import InputError
from serpenoid.formats.plausible import doubts
from serpenoid.formats.rerooted import from_one_end
from serpenoid.formats.tree import (
    ALIGNED,
    STRAIGHT,
    Node,
    body_frame,
    longest,
    ordered,
    own_link,
    set_square,
    without_dummies,
    world_poses,
)

NEARLY = 2e-3  # of the body's length: joints that lie beside its axis by no more are put onto it, with a warning
UNLIMITED = 1e5  # N m, rad/s: from here on a limit means none
CROSS = 1e-6  # of the heaviest body: a body between two axes up to that is only the cross of a universal joint
BEWARE = "Beware: "  # in the source of an imported robot, before what was lost on the way


class Imported(NamedTuple):
    """A robot from a file, with what it took to make one of it."""

    robot: Robot
    signs: FloatArray  # one per axis: -1 where the file counts the angle the other way
    joints: tuple[str, ...]  # names of the axes in the file, tail first
    warnings: tuple[str, ...]


class _Link:
    """A link under way: masses collected in the axes of the body frame, from its tail-side joint."""

    def __init__(self) -> None:
        self.parts: list[tuple[float, FloatArray, FloatArray]] = []  # mass, place, inertia
        self.radius, self.reach, self.behind = 0.0, 0.0, 0.0

    def total(self) -> tuple[float, FloatArray, FloatArray]:
        """Mass, centre and inertia about it."""
        if len(self.parts) == 1:
            return self.parts[0]
        mass = sum(m for m, _, _ in self.parts)
        centre = sum((m * c for m, c, _ in self.parts), np.zeros(3)) / mass if mass > 0.0 else np.zeros(3)
        inertia = np.zeros((3, 3))
        for m, c, own in self.parts:
            d = c - centre
            inertia += own + m * (float(d @ d) * np.eye(3) - np.outer(d, d))
        return mass, centre, inertia


def robot_from_tree(nodes: list[Node], name: str, source: str) -> Imported:
    """The robot that a tree of bodies is."""
    order = ordered(nodes, source)
    warnings = set_square(order)
    poses = world_poses(order)
    if (end := from_one_end(order, poses)) is not None:
        order = ordered(nodes, source)
        poses = world_poses(order)
        warnings.append(
            f"the root of the file stands in the middle of the body; the body was read from its end {end[:60]} on"
        )
    chain, dummies = without_dummies(longest(order, source), poses)
    if follow := sum(node.mimic for node in chain):
        warnings.append(f"{follow} joints follow others in the file (mimic); here each has an angle of its own")
    if dummies:
        names = ", ".join(node.name[:60] for node in dummies[:3])
        warnings.append(f"left out as a frame without mass and shape before the body: {names}")
    frame, ends = body_frame(chain, poses, source)
    home = dict.fromkeys((node.name for node in dummies), 0)  # what else hangs on them belongs to the first link
    return _assembled(order, chain, poses, frame, ends, name, source, home, warnings)


def _assembled(
    order: list[Node], chain: list[Node], poses: dict[str, FloatArray], frame: FloatArray, places: list[FloatArray],
    name: str, source: str, home: dict[str, int], warnings: list[str],
) -> Imported:  # fmt: skip
    """Links and joints along the body, everything else lumped into them."""
    origin = poses[chain[0].name][:3, 3]
    plain = np.array_equal(frame, np.eye(3))

    def along(place: FloatArray) -> FloatArray:
        return place - origin if plain else np.asarray(frame.T @ (place - origin))

    length = max(float(np.linalg.norm(places[-1] - origin)), 1e-9)
    joints: list[list[Node]] = []
    starts, links = [np.zeros(3)], [_Link()]  # tail-side joints, (axes of each joint), links
    gaps, gap = [], 0.0  # from joint to joint: sums of shifts, so that lengths come back to the last bit
    pending: list[Node] = []
    beside: list[float] = []  # how far off the body's axis joints lie that are put onto it, m
    weighs = False  # whether anything on the way so far has mass
    for node in chain:
        place = along(poses[node.name][:3, 3])
        if node is not chain[0]:
            straight = plain and np.array_equal(poses[node.name][:3, :3], np.eye(3)) and not node.pose[1:3, 3].any()
            gap += float(node.pose[0, 3]) if straight else np.nan
        if node.kind == "hinge":
            place = _onto_axis(place, node, length, beside, source)
            if joints and np.abs(place - starts[-1]).max() <= 1e-9 * length and joints[-1] and not _heavy(pending):
                joints[-1].append(node)  # a second axis at the same place
            else:
                starts.append(place)
                joints.append([node])
                links.append(_Link())
                gaps.append(gap)
                gap = 0.0
        elif node.kind == "fixed" and own_link(node) and (weighs or joints):  # a frame behind the body is no link
            starts.append(place)
            joints.append([])
            links.append(_Link())
            gaps.append(gap)
            gap = 0.0
        home[node.name], weighs = len(links) - 1, weighs or node.mass > 0.0
        pending = [node]
    crosses = {id(n) for j in joints for n in j[:-1]}
    _collect(order, home, poses, frame, plain, along, starts, links, crosses, warnings)
    warnings += [f"{len(beside)} joints lie up to {max(beside):.2g} m beside the body's axis and were put onto it"] if beside else []  # fmt: skip
    lengths = [_shift(starts[i], starts[i + 1]) if np.isnan(gap) else gap for i, gap in enumerate(gaps)]
    lengths[0] += _begun_behind(links[0], STRAIGHT * length)
    made = _robot(links, lengths, joints, poses, frame, name, source, warnings)
    return made._replace(warnings=(*made.warnings, *doubts(made.robot, order)))


def _onto_axis(place: FloatArray, node: Node, length: float, beside: list[float], source: str) -> FloatArray:
    """The place of a joint along the body; one almost on its axis is put onto it and noted."""
    aside = float(np.abs(place[1:]).max())
    if aside <= STRAIGHT * length:
        return place
    if aside > NEARLY * length:
        raise InputError(f"{source}: joint {node.joint[:60]} lies {aside:.3g} m beside the body's axis; at angle 0 the chain must be straight, to {NEARLY:g} of its length")  # fmt: skip
    beside.append(aside)
    return np.array([place[0], 0.0, 0.0])


def _begun_behind(link: _Link, least: float) -> float:
    """How far the first link begins behind the root's frame, m; its parts are counted from there."""
    if not link.behind < -least:
        return 0.0
    link.parts = [(m, c - [link.behind, 0.0, 0.0], own) for m, c, own in link.parts]
    return -link.behind


def _heavy(pending: list[Node]) -> bool:
    """Whether a body between two axes is more than the cross of a universal joint."""
    return any(bool(node.sizes) for node in pending)


def _collect(
    order: list[Node], home: dict[str, int], poses: dict[str, FloatArray], frame: FloatArray, plain: bool,
    along: Any, starts: list[FloatArray], links: list[_Link], crosses: set[int], warnings: list[str],
) -> None:  # fmt: skip
    """Put the mass and size of every body into the link it belongs to."""
    branches, heavy, light = 0, 0, CROSS * max(node.mass for node in order)
    for node in order:
        if node.name not in home:
            if node.parent is None or node.parent not in home:
                continue  # the world
            home[node.name] = home[node.parent]
            branches += node.kind == "hinge"
        k = home[node.name]
        link, pose = links[k], poses[node.name]
        turn = pose[:3, :3] if plain else frame.T @ pose[:3, :3]
        upright = np.array_equal(turn, np.eye(3))
        place = along(pose[:3, 3]) - starts[k]
        heavy += id(node) in crosses and node.mass > light
        if id(node) in crosses and node.mass <= light:  # between two axes: it belongs to the link outside
            link.parts.append((node.mass, np.zeros(3), node.inertia))
        elif node.mass > 0.0:
            centre = place + (node.com if upright else turn @ node.com)
            link.parts.append((node.mass, centre, node.inertia if upright else turn @ node.inertia @ turn.T))
        for size, span, radius in node.sizes:
            centre = place + (size[:3, 3] if upright else turn @ size[:3, 3])
            lies = abs((turn @ size[:3, 2])[0])
            link.reach = (
                max(link.reach, span)
                if centre[0] == 0.5 * span and lies > 0.9
                else max(link.reach, centre[0] + 0.5 * span * lies)
            )
            link.behind = min(link.behind, centre[0] - 0.5 * span * lies)
            link.radius = max(link.radius, radius if lies > 0.5 else 0.5 * span)
        if not node.mass > 0.0 and not node.sizes and np.abs(place[1:]).max() <= 1e-6 * abs(place[0]):
            link.reach = max(link.reach, float(place[0]))  # a frame at its tip
    if heavy:
        warnings.append(f"{heavy} bodies between two axes that meet were lumped into the link outside, at angle 0")
    if branches:
        warnings.append(
            f"{branches} joints beside the longest chain were taken as fixed at angle 0, and what hangs on them was lumped into its links"
        )


def _joined(parts: list[tuple[float, FloatArray, FloatArray]]) -> tuple[float, FloatArray, FloatArray]:
    """Mass, centre and inertia of a link: crosses (at the joint, with tiny mass) are added to the rest without moving its centre."""
    bodies = [p for p in parts if p[1].any() or p[0] > 1e-9 * max(q[0] for q in parts)]
    small = [p for p in parts if not any(p is q for q in bodies)]
    link = _Link()
    link.parts = bodies
    mass, centre, inertia = link.total()
    for m, _, own in small:
        mass, inertia = mass + m, inertia + own
    return mass, centre, inertia


def _robot(
    links: list[_Link], lengths: list[float], joints: list[list[Node]], poses: dict[str, FloatArray], frame: FloatArray, name: str, source: str,
    warnings: list[str],
) -> Imported:  # fmt: skip
    """The description from what was collected."""
    n = len(links)
    totals = [_joined(link.parts) if link.parts else (0.0, np.zeros(3), np.zeros((3, 3))) for link in links]
    bare = [i for i, (mass, _, _) in enumerate(totals) if not mass > 0.0]
    if bare:
        raise InputError(f"{source}: link {bare[0]} (from the tail) has no mass; a link that moves needs one")
    last = links[-1].reach if links[-1].reach > 0.0 else 2.0 * float(totals[-1][1][0])
    lengths = [*lengths, last]
    if not min(lengths) > 0.0:
        i = int(np.argmin(lengths))
        raise InputError(f"{source}: link {i} (from the tail) has a length of {lengths[i]:g} m; the root's frame must stand at the tail's end, ahead of the first joint")  # fmt: skip
    kinds, signs, names = _axes_of(joints, poses, frame, source)
    axial, across, com = _inertias(totals, lengths, links, warnings)
    values: dict[str, Any] = {
        "link_length": lengths, "link_mass": [mass for mass, _, _ in totals], "link_inertia": across, "com_offset": com, "axial_inertia": axial,
        "radius": [link.radius for link in links], "joints": kinds, "joint_limit": _limits(joints, warnings),
        "joint_damping": [max((node.damping for node in joint), default=0.0) for joint in joints], "servo": _servos(joints, warnings),
    }  # fmt: skip
    robot = Robot(links=n, name=_plain(name), source=f"imported from {source}"[:200], **values)
    return Imported(robot, np.array(signs), tuple(names), tuple(warnings))


def _shift(one: FloatArray, other: FloatArray) -> float:
    return float(other[0] - one[0]) if not (one[1:].any() or other[1:].any()) else float(np.linalg.norm(other - one))


def _plain(name: str) -> str:
    import re

    return re.sub(r"[^A-Za-z0-9 _.-]", "_", name)[:60] or "robot"


def _axes_of(
    joints: list[list[Node]], poses: dict[str, FloatArray], frame: FloatArray, source: str
) -> tuple[list[str], list[float], list[str]]:
    kinds, signs, names = [], [], []
    for joint in joints:
        words = []
        for node in joint:
            axis = frame.T @ poses[node.name][:3, :3] @ (node.axis / np.linalg.norm(node.axis))
            k = int(np.abs(axis).argmax())
            if abs(abs(axis[k]) - 1.0) > ALIGNED:
                raise InputError(f"{source}: joint {node.joint[:60]} turns about {np.round(axis, 4).tolist()} in the body's frame; axes here lie along x, y or z")  # fmt: skip
            words.append(("roll", "pitch", "yaw")[k])
            signs.append(float(np.sign(axis[k])))
            names.append(node.joint)
        kind = {(): "fixed", ("yaw", "pitch"): "universal", ("pitch", "yaw"): "pitch-yaw"}.get(
            tuple(words), words[0] if len(words) == 1 else ""
        )
        if not kind:
            raise InputError(
                f"{source}: joint {joint[0].joint[:60]} has the axes {', '.join(words)} in one point; known are yaw and pitch, in either order"
            )
        kinds.append(kind)
    return kinds, signs, names


def _inertias(
    totals: list[tuple[float, FloatArray, FloatArray]], lengths: list[float], links: list[_Link], warnings: list[str]
) -> tuple[list[float], list[float], list[float]]:
    axial, across, com, uneven, beside, clipped, none = [], [], [], 0, 0, 0, 0
    for (mass, centre, inertia), length, link in zip(totals, lengths, links, strict=True):
        yy, zz = float(inertia[1, 1]), float(inertia[2, 2])
        mean = yy if yy == zz else 0.5 * (yy + zz)
        rod = mass * length * length / 12.0
        axial.append(float(inertia[0, 0]) if inertia[0, 0] > 0.0 else 1e-3 * rod)
        across.append(mean if mean > 0.0 else rod)
        none += not (inertia[0, 0] > 0.0 and mean > 0.0)
        uneven += abs(yy - zz) > 0.01 * max(mean, 1e-300) or np.abs(
            inertia - np.diag(np.diag(inertia))
        ).max() > 0.01 * max(mean, 1e-300)
        beside += float(np.hypot(*centre[1:])) > 0.1 * max(link.radius, 1e-3 * length)
        clipped += not 0.0 <= centre[0] <= length
        com.append(float(min(max(centre[0], 0.0), length)))
    if none:
        warnings.append(
            f"{none} links have no moments of inertia in the file; those of thin rods were taken: set robot.link_inertia and robot.axial_inertia"
        )
    if uneven:
        warnings.append(
            f"{uneven} links have different inertias about their two sides, or oblique ones; their means were taken"
        )
    if beside:
        warnings.append(f"{beside} links have their centre of gravity beside their axis; it was put onto the axis")
    if clipped:
        warnings.append(f"{clipped} links have their centre of gravity beyond their ends; it was put at the end")
    return axial, across, com


def _limits(joints: list[list[Node]], warnings: list[str]) -> list[float]:
    found, uneven, left = [], 0, 0
    for joint in joints:
        stops = [min(-node.low, node.high) for node in joint]
        limit = min(stops, default=np.inf)
        left += not limit > 0.0
        uneven += limit > 0.0 and (any(node.low != -node.high for node in joint) or len(set(stops)) > 1)
        found.append(limit if limit > 0.0 else np.inf)
    if left:
        warnings.append(
            f"{left} joints cannot bend to both sides of 0 in the file; stops here are the same to both sides, so these have none: set robot.joint_limit"
        )
    if uneven:
        warnings.append(
            f"{uneven} joints have stops that differ to the two sides or between their axes; the nearest was taken"
        )
    return found


def _servos(joints: list[list[Node]], warnings: list[str]) -> Any:
    """Servos with the limits of the file; None where no joint has any."""
    made: list[Servo | None] = []
    for joint in joints:
        given = next((node.servo for node in joint if node.servo is not None), None)
        efforts = [node.effort for node in joint if 0.0 < node.effort < UNLIMITED]
        speeds = [node.velocity for node in joint if 0.0 < node.velocity < UNLIMITED]
        friction = max((node.friction for node in joint), default=0.0)
        rotor = max((node.rotor for node in joint), default=0.0)
        if given is not None:
            made.append(given)
        elif efforts or speeds or friction > 0.0 or rotor > 0.0:
            made.append(
                Servo(
                    torque_limit=min(efforts, default=None),
                    speed_limit=min(speeds, default=None),
                    gear_friction=friction,
                    rotor_inertia=rotor,
                )
            )
        else:
            made.append(None)
    if all(servo is None for servo in made):
        return None
    if none := sum(servo is None and bool(joint) for servo, joint in zip(made, joints, strict=True)):
        warnings.append(f"{none} joints have no motor in the file, while others have; they are limp")
    if any(node.servo is None and (node.effort > 0.0) for joint in joints for node in joint):
        warnings.append(
            "the file has limits of torque and speed but no gains: servos have the usual stiffness and damping; change robot.servo to yours"
        )
    return made[0] if len({repr(servo) for servo in made}) == 1 else made
