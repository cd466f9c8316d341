"""What a robot or a world has that a file of another format cannot carry: sentences for whoever writes such a file."""

from __future__ import annotations

from typing import Any

import numpy as np

from serpenoid.core import Robot, World
from serpenoid.formats.mjcf import STIFF, friction_of

GAINS = ("stiffness", "damping")
UNKNOWN = {
    "urdf": (*GAINS, "control_period", "backlash", "rotor_inertia", "no_load_speed"),
    "sdf": (*GAINS, "control_period", "backlash", "rotor_inertia", "no_load_speed"),
    "mjcf": ("speed_limit", "control_period", "backlash", "no_load_speed"),
}  # of servos


def robot_losses(robot: Robot, to: str) -> list[str]:
    """What a file of this format says not, or otherwise, of a robot."""
    servos = [servo for servo in robot.servos if servo is not None]
    keys = [key for key in UNKNOWN[to] if any(getattr(servo, key) for servo in servos)]
    notes = [f"{to.upper()} knows no {', '.join(keys)} of servos: not written"] if keys else []
    if to == "mjcf" and not servos and len(robot.axes):
        notes.append(
            f"joints of {robot.name} do what they are told; in MuJoCo servos of {STIFF.stiffness:g} N m/rad and {STIFF.damping:g} N m s/rad stand for that"
        )
    if to != "mjcf" and robot.limp:
        notes.append(f"{to.upper()} knows no joints without motors: joint {robot.limp[0]} looks like the others")
    if robot.locked:
        notes.append("joints that are locked are written as fixed")
    if not np.allclose(robot.contact_offset, 0.5 * robot.link_length, rtol=1e-9):
        notes.append(
            "contact points (contact_offset) are not written: other packages touch the ground where the shapes do"
        )
    if to == "mjcf" and not robot.radius.all():
        notes.append("links without a radius are written as capsules of a twentieth of their length")
    return notes


def world_losses(world: World) -> list[str]:
    """What an MJCF file says not, or otherwise, of a world."""
    law: Any = world.friction
    notes, mu = [], friction_of(world)
    if not law.DRY and law.NAME != "none":
        notes.append(f"the {law.NAME} law of friction has no counterpart in MuJoCo: the ground is without friction")
    elif law.DRY and (law.along != law.across or law.backward not in (None, law.along)):
        notes.append(
            f"MuJoCo's friction is the same in all directions: {mu:g} stands for {law!r}; the robot will move otherwise"
        )
    parts = {
        "patches": world.patches, "friction_map": world.friction_map is not None, "edge_angle": np.any(np.asarray(world.edge_angle) != 0.0),
        "load": world.load is not None, "self_contact": world.self_contact is not None, "anchors": world.anchors,
    }  # fmt: skip
    lost = [key for key, there in parts.items() if there]
    if lost:
        notes.append(f"not written of the world: {', '.join(lost)}")
    return notes
