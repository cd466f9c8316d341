"""Robots as SDF, the format of Gazebo: links with their poses in the model, joints with axis, stops and losses."""

from __future__ import annotations

import math

from serpenoid.core import Robot
from serpenoid.formats.chain import ChainBody, ChainHinge, chain_of, headline
from serpenoid.formats.xml import Element, SubElement, number, numbers, plain_name, xml_text

UNLIMITED = 1e16  # what SDF takes for no limit


def sdf_text(robot: Robot) -> str:
    """The robot as SDF; a model floats in its world unless it is told otherwise."""
    bodies, hinges = chain_of(robot)
    root = Element("sdf", version="1.9")
    model = SubElement(root, "model", name=plain_name(robot.name))
    inner = {hinge.child: hinge for hinge in hinges}
    for body in bodies:
        _add_link(model, body, inner.get(body.name))
    for hinge in hinges:
        _add_joint(model, hinge)
    return xml_text(root, headline(robot))


def _text(parent: Element, tag: str, text: str, **attributes: str) -> Element:
    made = SubElement(parent, tag, attributes)
    made.text = text
    return made


def _add_link(model: Element, body: ChainBody, hinge: ChainHinge | None) -> None:
    """A link; its pose is given relative to the one that it hangs on."""
    link = SubElement(model, "link", name=body.name)
    if hinge is not None:
        _text(link, "pose", numbers([hinge.offset, 0.0, 0.0, 0.0, 0.0, 0.0]), relative_to=hinge.parent)
    inertial = SubElement(link, "inertial")
    _text(inertial, "pose", numbers([body.com, 0.0, 0.0, 0.0, 0.0, 0.0]))
    _text(inertial, "mass", number(body.mass))
    about = SubElement(inertial, "inertia")
    for key, value in zip(("ixx", "iyy", "izz"), body.inertia, strict=True):
        _text(about, key, number(value))
    for key in ("ixy", "ixz", "iyz"):
        _text(about, key, "0")
    if body.length > 0.0 and body.radius > 0.0:
        for use in ("visual", "collision"):
            one = SubElement(link, use, name=f"{use}-{body.name}")
            _text(one, "pose", numbers([0.5 * body.length, 0.0, 0.0, 0.0, 0.5 * math.pi, 0.0]))
            shape = SubElement(SubElement(one, "geometry"), "capsule")
            _text(shape, "radius", number(body.radius))
            _text(shape, "length", number(body.length))


def _add_joint(model: Element, hinge: ChainHinge) -> None:
    """A joint with its axis, stops and losses."""
    joint = SubElement(model, "joint", name=hinge.name, type="fixed" if hinge.axis is None else "revolute")
    _text(joint, "parent", hinge.parent)
    _text(joint, "child", hinge.child)
    if hinge.axis is None:
        return
    axis = SubElement(joint, "axis")
    _text(axis, "xyz", numbers(hinge.axis))
    limit, servo = SubElement(axis, "limit"), hinge.servo
    stop = hinge.limit if math.isfinite(hinge.limit) else UNLIMITED
    _text(limit, "lower", number(-stop))
    _text(limit, "upper", number(stop))
    if servo is not None and servo.torque_limit is not None:
        _text(limit, "effort", number(servo.torque_limit))
    if servo is not None and servo.speed_limit is not None:
        _text(limit, "velocity", number(servo.speed_limit))
    dynamics = SubElement(axis, "dynamics")
    _text(dynamics, "damping", number(hinge.damping))
    _text(dynamics, "friction", number(servo.gear_friction if servo is not None else 0.0))
