"""What a run recorded, as named variables with dimensions and units, world axes."""

from __future__ import annotations

from typing import Any

import numpy as np

from serpenoid.contact import sums as tally
from serpenoid.core import FloatArray, Robot, Variable
from serpenoid.planar.run import (
    FORCE_N,
    FORCE_T,
    FORCE_X,
    FORCE_Y,
    HEADING,
    JOINT_X,
    JOINT_Y,
    SLIP_N,
    SLIP_T,
    SPEED,
    TORQUE,
    PlanarRun,
)  # fmt: skip


def places(robot: Robot, run: PlanarRun) -> tuple[FloatArray, FloatArray, FloatArray]:
    """World positions (frames, nodes or links, 2) of tail's end, joints and head's tip; contacts; joint angles."""
    frames = run.frames
    heading = run.rec.links[:frames, HEADING]
    direction = np.stack([np.cos(heading), np.sin(heading)], axis=-1)
    nodes = np.zeros((frames, robot.links + 1, 2))
    nodes[:, 1:] = np.cumsum(robot.link_length[:, None] * direction, axis=1)
    centre = np.einsum("i,fie->fe", robot.link_mass, nodes[:, :-1] + robot.com_offset[:, None] * direction) / robot.mass
    nodes += (run.rec.motion[:frames, :2] - centre)[:, None, :]
    contacts = nodes[:, :-1] + robot.contact_offset[:, None] * direction
    return nodes, contacts, np.diff(heading, axis=1)


def variables_of(run: PlanarRun, nodes: FloatArray, contacts: FloatArray, angles: FloatArray) -> dict[str, Variable]:
    """Recorded quantities with dimensions, units and meaning."""
    f, rec, n = run.frames, run.rec, run.b.shape[1]
    motion, links, sums = rec.motion[:f], rec.links[:f], rec.sums[:f]
    t, tl, tj, tn = ("time",), ("time", "link"), ("time", "joint"), ("time", "node")
    joints = np.diff(links[:, SPEED], axis=1)
    table: dict[str, tuple[tuple[str, ...], Any, str, str]] = {
        "time": (t, np.arange(f) * run.stride * run.dt, "s", "time"),
        "link": (("link",), np.arange(n, dtype=float), "1", "link, 0 at the tail"),
        "joint": (("joint",), np.arange(1.0, n), "1", "joint, joint i joins links i-1 and i"),
        "node": (("node",), np.arange(n + 1.0), "1", "tail's end, joints, head's tip"),
        "com_x": (t, motion[:, 0], "m", "centre of gravity, x"),
        "com_y": (t, motion[:, 1], "m", "centre of gravity, y"),
        "heading": (t, motion[:, 2], "rad", "heading of the body frame"),
        "com_vx": (t, motion[:, 3], "m/s", "velocity of the centre of gravity, x"),
        "com_vy": (t, motion[:, 4], "m/s", "velocity of the centre of gravity, y"),
        "angular_velocity": (t, motion[:, 5], "rad/s", "angular velocity of the body frame"),
        "node_x": (tn, nodes[..., 0], "m", "places of tail's end, joints and head's tip, x"),
        "node_y": (tn, nodes[..., 1], "m", "places of tail's end, joints and head's tip, y"),
        "link_heading": (tl, links[:, HEADING], "rad", "heading of the link"),
        "link_rate": (tl, links[:, SPEED], "rad/s", "angular velocity of the link"),
        "joint_angle": (tj, angles, "rad", "joint angle"),
        "joint_rate": (tj, joints, "rad/s", "joint rate"),
        "joint_torque": (tj, links[:, TORQUE, 1:], "N m", "torque of the actuator, on the outer link"),
        "joint_force_x": (tj, links[:, JOINT_X, 1:], "N", "force of the inner link on the outer one, x"),
        "joint_force_y": (tj, links[:, JOINT_Y, 1:], "N", "force of the inner link on the outer one, y"),
        "contact_x": (tl, contacts[..., 0], "m", "contact point, x"),
        "contact_y": (tl, contacts[..., 1], "m", "contact point, y"),
        "contact_force_x": (tl, links[:, FORCE_X], "N", "friction force on the robot, x"),
        "contact_force_y": (tl, links[:, FORCE_Y], "N", "friction force on the robot, y"),
        "contact_force_along": (tl, links[:, FORCE_T], "N", "friction force along the edge"),
        "contact_force_across": (tl, links[:, FORCE_N], "N", "friction force across the edge"),
        "contact_velocity_along": (tl, links[:, SLIP_T], "m/s", "contact velocity along the edge"),
        "contact_velocity_across": (tl, links[:, SLIP_N], "m/s", "contact velocity across the edge"),
        "slip": (
            t,
            sums[:, tally.SLIP_ACROSS] / n,
            "m",
            "path slipped across the edges so far, mean of the links",
        ),
        "net_work": (t, sums[:, tally.NET_WORK], "J", "work of the joints so far"),
        "positive_work": (t, sums[:, tally.POSITIVE_WORK], "J", "positive work of the joints so far"),
        "friction_loss": (t, sums[:, tally.FRICTION_LOSS], "J", "energy lost to friction so far"),
        "kinetic_energy": (t, sums[:, tally.KINETIC], "J", "kinetic energy"),
        "stored_energy": (t, sums[:, tally.STORED], "J", "energy stored in the bristles"),
        "power": (t, sums[:, tally.POWER], "W", "positive power of the joints"),
    }
    return {
        name: Variable(dims, np.ascontiguousarray(data), unit, text) for name, (dims, data, unit, text) in table.items()
    }
