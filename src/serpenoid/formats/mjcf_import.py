"""A robot from an MJCF file: reduced to what makes a robot, compiled by MuJoCo, read from the compiled model.

MuJoCo's compiler knows dozens of elements, and some of them grow without bound (`replicate`, `composite`, sizes of textures and height fields, arenas of
memory) or take in code (`plugin`). Files that it includes lie in its folder (`mjcf_parts`). So the file is parsed here first, within budgets; bodies, joints, shapes, inertias, defaults, meshes
of its own folder and position servos are handed to MuJoCo, and nothing else.
"""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import numpy as np

from serpenoid.core import FloatArray, Robot
from serpenoid.core.door import door
from serpenoid.core.errors import InputError
from serpenoid.formats.imported import Imported, robot_from_tree
from serpenoid.formats.mjcf_motors import JointMotors, lost_of, motors_of, servo_of
from serpenoid.formats.mjcf_parts import slides_in_plane, with_included
from serpenoid.formats.mujoco_package import load_mujoco, silence
from serpenoid.formats.opening import content, inside, named, parsing
from serpenoid.formats.tree import Node, box_size
from serpenoid.formats.xml import Element, read_xml
from serpenoid.frames import matrix_from_quaternion

MOST_ASSET = 50_000_000  # bytes of all meshes
MOST_BODIES, MOST_PARTS = 2_000, 20_000  # bodies; all elements that are kept
OUTSIDE = ("plugin", "extension", "attach", "model")
GROWING = ("replicate", "composite", "flexcomp", "flex", "skin", "hfield")
KEPT = {
    "compiler": (), "default": None, "asset": ("mesh",), "worldbody": ("body", "frame", "geom", "joint", "freejoint", "inertial"), "actuator": ("position", "velocity", "general"),
}  # fmt: skip
JOINTS = {0: "free", 1: "ball", 2: "slide", 3: "hinge"}
LEFT_OUT = ("equality", "tendon", "deformable")  # what changes how a robot moves
FOLDERS = ("meshdir", "assetdir")


@door
def read_mjcf(path: str | Path, within: str | None = None) -> Imported:
    """A robot from an MJCF file: its longest chain, with what hangs off it lumped."""
    root, source = read_xml(path, "MJCF", within), named(path)
    if root.tag != "mujoco":
        raise InputError(f"{source}: an MJCF file begins with <mujoco>, this with <{root.tag[:40]}>")
    with parsing(path, "is no robot of an MJCF file that can be read"):
        return _robot_of(root, Path(path).parent, source)


def _robot_of(root: Element, folder: Path, source: str) -> Imported:
    """The robot that a parsed file describes."""
    with_included(root, folder, source)
    _check_elements(root, source)
    mujoco = load_mujoco()
    lost = [section.tag for section in root if section.tag in LEFT_OUT and len(section)]
    reduced = _reduced(root)
    assets = _assets(root, reduced, folder, source)
    try:
        with silence(mujoco):
            model = mujoco.MjModel.from_xml_string(ElementTree.tostring(reduced, encoding="unicode"), assets)
    except ValueError as error:
        raise InputError(
            f"{source}: MuJoCo does not take it: {str(error).splitlines()[0][:200] if str(error) else error}"
        ) from None
    for name in ("body_mass", "body_pos", "body_ipos", "body_inertia", "jnt_axis", "jnt_range", "geom_size"):
        if not np.isfinite(getattr(model, name)).all():
            raise InputError(f"{source}: all numbers must be finite; {name} is not")
    moving = [b for b in range(1, model.nbody) if model.body_parentid[b] == 0 and model.body_jntnum[b]]
    if len(moving) > 1:
        raise InputError(f"{source}: a robot has one root, this file {len(moving)} bodies that move on their own")
    made = robot_from_tree(_nodes(model, mujoco, source), str(root.get("model") or "robot"), source)
    made = made._replace(robot=_with_limp_joints(made, root))
    motors = [motor for section in root.findall("actuator") for motor in section]
    said = [f"left out: {', '.join(sorted(set(lost)))}"] if lost else []
    said += ["the root slides and turns in the plane (two slides and a hinge): it was taken as a free base"] * bool(
        _planar_root(model)
    )
    said += lost_of(model, sum(motor.get("joint") is not None for motor in motors))
    return made._replace(warnings=(*made.warnings, *said, *_usual(made, model)))


def _usual(made: Imported, model: Any) -> list[str]:
    """What to say of joints whose friction or rotor makes a servo of them, for which the file has no gains."""
    moved = {model.joint(j).name or f"joint{j}" for j in motors_of(model)}
    robot, names = made.robot, zip(made.robot.axes, made.joints, strict=True)
    found = {
        i for (i, _), name in names if robot.servos[i - 1] is not None and i not in robot.limp and name not in moved
    }
    found -= {i for (i, _), name in zip(robot.axes, made.joints, strict=True) if name in moved}
    if not found:
        return []
    return [f"{len(found)} joints have dry friction or a rotor but no position servo in the file: theirs have the usual stiffness and damping; change robot.servo to yours"]  # fmt: skip


def _with_limp_joints(made: Imported, root: Element) -> Robot:
    """The robot with its joints limp that no motor moves; files without a word on motors leave that open."""
    motors = [motor for section in root.findall("actuator") for motor in section]
    if root.find("actuator") is None or not all(motor.get("joint") for motor in motors):
        return made.robot
    moved = {motor.get("joint") for motor in motors}
    with_motor = {joint for (joint, _), name in zip(made.robot.axes, made.joints, strict=True) if name in moved}
    return made.robot.but(limp=sorted({joint for joint, _ in made.robot.axes} - with_motor))


def _check_elements(root: Element, source: str) -> None:
    """Refuse what reaches outside, what grows without bound, and what is too much."""
    bodies = 0
    for element in root.iter():
        if element.tag in OUTSIDE:
            raise InputError(
                f"{source}: <{element.tag}> takes in other files or code, which is not allowed; give one whole file"
            )
        if element.tag in GROWING:
            raise InputError(f"{source}: <{element.tag}> is not read; write the bodies themselves")
        for key, value in element.items():
            if "nan" in value.lower() and "nan" in value.lower().split():
                raise InputError(f"{source}: {key} of <{element.tag[:40]}> must be finite numbers, got {value[:60]!r}")
        bodies += element.tag == "body"
    if bodies > MOST_BODIES:
        raise InputError(f"{source}: a robot of an MJCF file has {MOST_BODIES} bodies at most, this has {bodies}")


def _reduced(root: Element) -> Element:
    """The model with only what makes a robot."""
    made = Element("mujoco", {"model": root.get("model", "robot")})
    for section in root:
        if section.tag not in KEPT:
            continue
        tags = KEPT[section.tag]
        copy = Element(
            section.tag, {k: v for k, v in section.items() if k not in (*FOLDERS, "texturedir", "strippath")}
        )
        _take(section, copy, tags)
        if section.tag == "actuator":
            for one in [one for one in copy if not one.get("joint")]:
                copy.remove(one)
        made.append(copy)
    return made


def _take(section: Element, copy: Element, tags: tuple[str, ...] | None) -> None:
    """Copy the children of a section, without recursion: files may be nested deep."""
    waiting = [(section, copy)]
    while waiting:
        old, new = waiting.pop()
        for child in old:
            if tags is None or child.tag in tags:
                one = Element(
                    child.tag, {k: v for k, v in child.items() if k not in ("material", "hfield", "fluidcoef")}
                )
                new.append(one)
                waiting.append((child, one))


def _assets(root: Element, reduced: Element, folder: Path, source: str) -> dict[str, bytes]:
    """Meshes of the model, of its own folder or below; they get names of their own."""
    parts = sum(1 for _ in reduced.iter())
    if parts > MOST_PARTS:
        raise InputError(f"{source}: a robot has {MOST_PARTS} elements at most, this has {parts}")
    places = [folder]
    for compiler in root.findall("compiler"):
        for key in FOLDERS:
            if compiler.get(key):
                places = [folder / str(compiler.get(key))]
    found: dict[str, bytes] = {}
    for mesh in reduced.iter("mesh"):
        name = mesh.get("file")
        if mesh.get("builtin"):
            raise InputError(f"{source}: meshes that MuJoCo makes itself (builtin) are not read")
        if not name:
            continue
        if not mesh.get("name"):
            mesh.set("name", Path(name).stem)
        real = inside(str(places[0] / name), f"{source}: the mesh", folder)
        key = f"mesh{len(found)}{Path(name).suffix.lower()}"
        found[key] = content(real, "mesh", MOST_ASSET - sum(len(one) for one in found.values()))
        mesh.set("file", key)
    return found


def _nodes(model: Any, mujoco: Any, source: str) -> list[Node]:
    """Bodies of a compiled model as a tree; a joint of several hinges becomes a row of bodies in one point."""
    nodes: list[Node] = [Node("world")]
    last, motors, planar = {0: "world"}, motors_of(model), _planar_root(model)
    for b in range(1, model.nbody):
        made, pose = _body(model, mujoco, b)
        first = int(model.body_jntadr[b])
        joints = [] if b == planar else list(range(first, first + int(model.body_jntnum[b])))
        parent = last[int(model.body_parentid[b])]
        if b == planar:
            made.parent, made.kind, made.joint, made.pose = parent, "free", f"free-{made.name}", pose
        elif not joints:
            made.parent, made.kind, made.joint, made.pose = parent, "fixed", f"fixed-{made.name}", pose
        for k, j in enumerate(joints):
            node = made if k == len(joints) - 1 else Node(f"{made.name}~{k}")
            node.parent, node.joint = parent, model.joint(j).name or f"joint{j}"
            node.kind = JOINTS[int(model.jnt_type[j])]
            if node.kind == "ball":
                raise InputError(f"{source}: joint {node.joint} is a ball; joints here have axes")
            if model.jnt_pos[j].any():
                raise InputError(
                    f"{source}: joint {node.joint} does not stand in its body's origin; move the body's frame there"
                )
            if node.kind == "hinge" and model.qpos0[int(model.jnt_qposadr[j])] != 0.0:
                raise InputError(f"{source}: joint {node.joint} has a ref: its body must stand where its angle is 0")
            _take_joint(node, model, j, motors)
            node.pose = pose if k == 0 else np.eye(4)
            if node is not made:
                nodes.append(node)
            parent = node.name
        nodes.append(made)
        last[b] = made.name
    return nodes


def _planar_root(model: Any) -> int:
    """The body that hangs on the world by two slides and a hinge square to each other; 0: none."""
    for b in range(1, model.nbody):
        joints = range(int(model.body_jntadr[b]), int(model.body_jntadr[b]) + int(model.body_jntnum[b]))
        kinds = [JOINTS[int(model.jnt_type[j])] for j in joints]
        if model.body_parentid[b] == 0 and slides_in_plane(kinds, [model.jnt_axis[j] for j in joints]):
            return b
    return 0


def _body(model: Any, mujoco: Any, b: int) -> tuple[Node, FloatArray]:
    """A body with its mass and size, and its pose in its parent's frame."""
    plain = [1.0, 0.0, 0.0, 0.0]
    pose, quat = np.eye(4), model.body_quat[b]
    pose[:3, :3] = np.eye(3) if np.array_equal(quat, plain) else matrix_from_quaternion(quat)
    pose[:3, 3] = model.body_pos[b]
    own, turn = np.diag(model.body_inertia[b]), matrix_from_quaternion(model.body_iquat[b])
    inertia = own if np.array_equal(model.body_iquat[b], plain) else turn @ own @ turn.T
    name, mass, com = model.body(b).name or f"body{b}", float(model.body_mass[b]), np.array(model.body_ipos[b])
    return Node(name, mass=mass, com=com, inertia=inertia, sizes=_sizes(model, mujoco, b)), pose


def _take_joint(node: Node, model: Any, j: int, motors: dict[int, JointMotors]) -> None:
    """Axis, stops, losses and servo of a joint."""
    node.axis = np.array(model.jnt_axis[j])
    if node.kind != "hinge":
        return
    v = int(model.jnt_dofadr[j])
    node.damping, node.friction = float(np.ravel(model.dof_damping[v])[0]), float(model.dof_frictionloss[v])
    node.rotor = float(model.dof_armature[v])
    if model.jnt_limited[j]:
        node.low, node.high = (float(x) for x in model.jnt_range[j])
    if j in motors:
        node.servo = servo_of(motors[j], node.friction, node.rotor)


def _sizes(model: Any, mujoco: Any, b: int) -> list[tuple[FloatArray, float, float]]:
    """Capsules, cylinders and spheres of a body; boxes and all other shapes by their boxes."""
    found, round_ones = [], (int(mujoco.mjtGeom.mjGEOM_CAPSULE), int(mujoco.mjtGeom.mjGEOM_CYLINDER))
    for g in range(int(model.body_geomadr[b]), int(model.body_geomadr[b]) + int(model.body_geomnum[b])):
        pose, size, kind = np.eye(4), model.geom_size[g], int(model.geom_type[g])
        pose[:3, :3], pose[:3, 3] = matrix_from_quaternion(model.geom_quat[g]), model.geom_pos[g]
        if kind in round_ones:
            found.append((pose, 2.0 * float(size[1]), float(size[0])))
        elif kind == int(mujoco.mjtGeom.mjGEOM_SPHERE):
            found.append((pose, 0.0, float(size[0])))
        elif kind != int(mujoco.mjtGeom.mjGEOM_PLANE):
            pose[:3, 3] += pose[:3, :3] @ model.geom_aabb[g, :3]
            found.append(box_size(pose, 2.0 * model.geom_aabb[g, 3:]))
    return found
