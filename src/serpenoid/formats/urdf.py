"""Robots as URDF, the format of ROS: written for every robot, read for every chain (`formats.imported` says what becomes of the rest).

The root is the body `world`, to which the tail floats: without that some simulators weld a robot to the world and others let it
float. Links are cylinders for collision and display. A URDF knows no servo gains, no rotors, no backlash: effort, velocity, damping and dry
friction of a joint are what it carries. MuJoCo's importer is told to keep what it would throw away.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np

from serpenoid.core import Robot
from serpenoid.core.door import door
from serpenoid.core.errors import InputError
from serpenoid.formats.chain import ChainBody, ChainHinge, chain_of, headline
from serpenoid.formats.imported import Imported, robot_from_tree
from serpenoid.formats.opening import named, parsing
from serpenoid.formats.tree import Node, box_size
from serpenoid.formats.xml import Element, SubElement, floats, number, numbers, plain_name, read_xml, xml_text
from serpenoid.frames import axis_rotation

UNLIMITED = 1e6  # N m, rad/s: what stands where a joint has no such limit
MOST_LINKS = 2_000
KINDS = {
    "revolute": "hinge", "continuous": "hinge", "fixed": "fixed", "floating": "free", "prismatic": "slide", "planar": "planar",
}  # fmt: skip


def urdf_text(robot: Robot, *, floating: bool = True) -> str:
    """The robot as URDF; `floating`: its tail floats free of the world, else it is the root."""
    bodies, hinges = chain_of(robot)
    root = Element("robot", name=plain_name(robot.name))
    extension = SubElement(root, "mujoco")
    SubElement(
        extension, "compiler", fusestatic="false", discardvisual="false", strippath="true", balanceinertia="false"
    )
    if floating:
        SubElement(root, "link", name="world")
    for body in bodies:
        root.append(_link(body))
    if floating:
        base = SubElement(root, "joint", name="base", type="floating")
        SubElement(base, "parent", link="world")
        SubElement(base, "child", link=bodies[0].name)
    for hinge in hinges:
        root.append(_joint(hinge))
    return xml_text(root, headline(robot))


def _link(body: ChainBody) -> Element:
    link = Element("link", name=body.name)
    inertial = SubElement(link, "inertial")
    SubElement(inertial, "origin", xyz=numbers([body.com, 0.0, 0.0]), rpy="0 0 0")
    SubElement(inertial, "mass", value=number(body.mass))
    xx, yy, zz = (number(v) for v in body.inertia)
    SubElement(inertial, "inertia", ixx=xx, ixy="0", ixz="0", iyy=yy, iyz="0", izz=zz)
    if body.length > 0.0 and body.radius > 0.0:
        for use in ("visual", "collision"):
            one = SubElement(link, use)
            SubElement(
                one, "origin", xyz=numbers([0.5 * body.length, 0.0, 0.0]), rpy=numbers([0.0, 0.5 * math.pi, 0.0])
            )
            shape = SubElement(one, "geometry")
            SubElement(shape, "cylinder", radius=number(body.radius), length=number(body.length))
    elif body.length > 0.0:  # a thin link: a line to be looked at, nothing to collide with
        one = SubElement(link, "visual")
        SubElement(one, "origin", xyz=numbers([0.5 * body.length, 0.0, 0.0]), rpy="0 0 0")
        shape = SubElement(one, "geometry")
        SubElement(shape, "box", size=numbers([body.length, 0.02 * body.length, 0.02 * body.length]))
    return link


def _joint(hinge: ChainHinge) -> Element:
    stopped = math.isfinite(hinge.limit)
    kind = "fixed" if hinge.axis is None else "revolute" if stopped else "continuous"
    joint = Element("joint", name=hinge.name, type=kind)
    SubElement(joint, "parent", link=hinge.parent)
    SubElement(joint, "child", link=hinge.child)
    SubElement(joint, "origin", xyz=numbers([hinge.offset, 0.0, 0.0]), rpy="0 0 0")
    if hinge.axis is None:
        return joint
    SubElement(joint, "axis", xyz=numbers(hinge.axis))
    servo = hinge.servo
    effort = UNLIMITED if servo is None or servo.torque_limit is None else servo.torque_limit
    velocity = UNLIMITED if servo is None or servo.speed_limit is None else servo.speed_limit
    stops: dict[str, Any] = {"lower": number(-hinge.limit), "upper": number(hinge.limit)} if stopped else {}
    SubElement(joint, "limit", **stops, effort=number(effort), velocity=number(velocity))
    friction = 0.0 if servo is None else servo.gear_friction
    SubElement(joint, "dynamics", damping=number(hinge.damping), friction=number(friction))
    return joint


@door
def read_urdf(path: str | Path, within: str | None = None) -> Imported:
    """A robot from a URDF file: its longest chain, with what hangs off it lumped; `within`: the folder in which it must lie."""
    root, source = read_xml(path, "URDF", within), named(path)
    if root.tag != "robot":
        raise InputError(f"{source}: a URDF begins with <robot>, this with <{root.tag[:40]}>")
    with parsing(path, "is no robot of a URDF file that can be read"):
        return _robot_of(root, source)


def _robot_of(root: Element, source: str) -> Imported:
    """The robot that a parsed file describes."""
    links, joints = root.findall("link"), root.findall("joint")
    if not 2 <= len(links) <= MOST_LINKS:
        raise InputError(f"{source}: a robot has 2 to {MOST_LINKS} links, this file {len(links)}")
    nodes: dict[str, Node] = {}
    for link in links:
        name = link.get("name", "")
        if not name or name in nodes:
            raise InputError(f"{source}: links need names of their own, got {name[:60]!r}{' twice' if name else ''}")
        nodes[name] = _node(link, name, source)
    seen: set[str] = set()
    for joint in joints:
        name = joint.get("name", "")
        if not name or name in seen:
            raise InputError(f"{source}: joints need names of their own, got {name[:60]!r}{' twice' if name else ''}")
        seen.add(name)
        _connect(joint, name, nodes, source)
    return robot_from_tree(list(nodes.values()), root.get("name", "robot"), source)


def _pose(element: Element | None, path: str) -> np.ndarray:
    """Position and rotation of an <origin>."""
    made = np.eye(4)
    if element is not None:
        made[:3, 3] = floats(element.get("xyz"), 3, f"{path} xyz", (0.0, 0.0, 0.0))
        roll, pitch, yaw = floats(element.get("rpy"), 3, f"{path} rpy", (0.0, 0.0, 0.0))
        made[:3, :3] = axis_rotation(2, yaw) @ axis_rotation(1, pitch) @ axis_rotation(0, roll)
    return made


def _node(link: Element, name: str, source: str) -> Node:
    """Mass, inertia and size of a link."""
    where = f"{source}: link {name[:60]}"
    mass, com, inertia = 0.0, np.zeros(3), np.zeros((3, 3))
    inertial = link.find("inertial")
    if inertial is not None:
        place = _pose(inertial.find("origin"), f"{where} inertial origin")
        mass = floats(_required(inertial, "mass", where).get("value"), 1, f"{where} mass")[0]
        about = inertial.find("inertia")
        if mass < 0.0:
            raise InputError(f"{where}: its mass must be >= 0 kg, got {mass:g}")
        if about is not None:
            xx, xy, xz, yy, yz, zz = (floats(about.get(key), 1, f"{where} inertia {key}", (0.0,))[0] for key in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz"))  # fmt: skip
            own = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
            if np.linalg.eigvalsh(own)[0] < -1e-9 * np.abs(own).max():
                raise InputError(f"{where}: its moments of inertia must be >= 0 about every axis")
            turned = np.abs(place[:3, :3] - np.eye(3)).max() > 0.0
            inertia = place[:3, :3] @ own @ place[:3, :3].T if turned else own
        com = place[:3, 3]
    return Node(name, mass=mass, com=com, inertia=inertia, sizes=_sizes(link, where))


def _sizes(link: Element, where: str) -> list[tuple[np.ndarray, float, float]]:
    """Cylinders and capsules of a link, boxes and spheres likewise: pose with z along the axis, length, radius."""
    found = []
    for use in ("collision", "visual"):
        for one in link.findall(use):
            pose, shape = _pose(one.find("origin"), f"{where} {use} origin"), one.find("geometry")
            for body in shape if shape is not None else ():
                if body.tag in ("cylinder", "capsule"):
                    length, radius = (
                        floats(body.get(key), 1, f"{where} {body.tag} {key}")[0] for key in ("length", "radius")
                    )
                    found.append((pose, length, radius))
                elif body.tag == "sphere":
                    found.append((pose, 0.0, floats(body.get("radius"), 1, f"{where} sphere radius")[0]))
                elif body.tag == "box":
                    size = np.array(floats(body.get("size"), 3, f"{where} box size"))
                    found.append(box_size(pose, size, 0.5 if use == "collision" else 0.0))
        if found:
            break
    return found


def _required(element: Element, tag: str, where: str) -> Any:
    found = element.find(tag)
    if found is None:
        raise InputError(f"{where}: <{tag}> is missing")
    return found


def _connect(joint: Element, name: str, nodes: dict[str, Node], source: str) -> None:
    """Hang a link onto another."""
    where = f"{source}: joint {name[:60]}"
    ends = [str(_required(joint, tag, where).get("link", "")) for tag in ("parent", "child")]
    for end in ends:
        if end not in nodes:
            raise InputError(f"{where}: there is no link {end[:60]!r}")
    node = nodes[ends[1]]
    if node.parent is not None:
        raise InputError(f"{where}: the link {ends[1][:60]} hangs on two joints; a robot is a tree")
    kind = KINDS.get(joint.get("type", ""))
    if kind is None:
        raise InputError(f"{where}: its type must be one of {', '.join(KINDS)}, got {joint.get('type', '')[:40]!r}")
    node.parent, node.joint, node.kind = ends[0], name, kind
    node.pose = _pose(joint.find("origin"), f"{where} origin")
    axis = joint.find("axis")
    node.axis = np.array(floats(None if axis is None else axis.get("xyz"), 3, f"{where} axis", (1.0, 0.0, 0.0)))
    limit, dynamics = joint.find("limit"), joint.find("dynamics")
    if limit is not None:
        lower, upper = (
            floats(limit.get(key), 1, f"{where} limit {key}", (0.0,), math.inf)[0] for key in ("lower", "upper")
        )
        if lower > upper:
            raise InputError(f"{where}: its lower limit must not lie above its upper one, got {lower:g} and {upper:g}")
        if joint.get("type") == "revolute":
            node.low, node.high = lower, upper
        node.effort, node.velocity = (
            floats(limit.get(key), 1, f"{where} limit {key}", (0.0,), math.inf)[0] for key in ("effort", "velocity")
        )
        if node.effort < 0.0 or node.velocity < 0.0:
            raise InputError(f"{where}: effort and velocity must be >= 0, got {node.effort:g} and {node.velocity:g}")
    node.mimic = joint.find("mimic") is not None
    if dynamics is not None:
        node.damping, node.friction = (floats(dynamics.get(key), 1, f"{where} dynamics {key}", (0.0,))[0] for key in ("damping", "friction"))  # fmt: skip
