"""What a planar run recorded, as named variables with dimensions and units, world axes; vectors have three components, z = 0."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from serpenoid.contact import sums as slot
from serpenoid.core import FloatArray, Robot, Variable
from serpenoid.planar.layout import (
    ACTUATOR,
    FORCE_N,
    FORCE_T,
    FORCE_X,
    FORCE_Y,
    HEADING,
    JOINT_X,
    JOINT_Y,
    MOTION_SLOTS,
    PRESS,
    SLIP_N,
    SLIP_T,
    SPEED,
    TARGET,
    VX,
    VY,
    X,
    Y,
)  # fmt: skip

if TYPE_CHECKING:
    from serpenoid.planar.engine import PlanarEngine

_T, _TX = ("time",), ("time", "xyz")
_TL, _TLX = ("time", "link"), ("time", "link", "xyz")
_TD, _TJX = ("time", "dof"), ("time", "joint", "xyz")
Table = dict[str, tuple[tuple[str, ...], Any, str, str]]


def flat(x: FloatArray, y: FloatArray) -> FloatArray:
    """Vectors in the plane as vectors in space, the components last."""
    made = np.zeros((*np.shape(x), 3))
    made[..., 0], made[..., 1] = x, y
    return made


def upright(z: FloatArray) -> FloatArray:
    """Vectors along z, the components last."""
    made = np.zeros((*np.shape(z), 3))
    made[..., 2] = z
    return made


def axes_of(heading: FloatArray) -> FloatArray:
    """Directions of links (..., 3) from their headings."""
    return flat(np.cos(heading), np.sin(heading))


def nodes_of(robot: Robot, axis: FloatArray, centre: FloatArray) -> FloatArray:
    """Places (..., n+1, 3) of tail's end, joints and head's tip, from link directions (..., n, 3) and centre of gravity (..., 3)."""
    nodes = np.zeros((*axis.shape[:-2], robot.links + 1, 3))
    np.cumsum(robot.link_length[:, None] * axis, axis=-2, out=nodes[..., 1:, :])
    links = nodes[..., :-1, :] + robot.com_offset[:, None] * axis
    nodes += (centre - robot.link_mass @ links / robot.mass)[..., None, :]
    return nodes


def mean_heading(headings: FloatArray) -> FloatArray:
    """Direction of the mean of the links' axes (...,) from their headings (..., n), rad, without jumps."""
    middle = headings.mean(axis=-1, keepdims=True)
    apart = headings - middle
    return np.asarray(middle[..., 0] + np.arctan2(np.sin(apart).mean(axis=-1), np.cos(apart).mean(axis=-1)))


def coordinates(engine: PlanarEngine) -> Table:
    """Time, and what counts along the other dimensions."""
    n, dof = engine.robot.links, np.asarray(engine.joints, dtype=float)
    return {
        "time": (_T, engine.frame_times(), "s", "time"),
        "link": (("link",), np.arange(n, dtype=float), "1", "link, 0 at the tail"),
        "joint": (("joint",), np.arange(1.0, n), "1", "joint, joint i joins links i-1 and i"),
        "point": (("point",), np.arange(n + 1.0), "1", "tail's end, joints, head's tip"),
        "dof": (("dof",), np.arange(float(len(dof))), "1", "degree of freedom of the joints"),
        "dof_joint": (("dof",), dof, "1", "joint of the degree of freedom"),
        "dof_kind": (("dof",), np.zeros(len(dof)), "1", "its axis: 0 yaw, 1 pitch, 2 roll"),
    }


def body_variables(engine: PlanarEngine, motion: FloatArray, links: FloatArray) -> Table:
    """Where the body is and how it moves."""
    robot, heading, rate = engine.robot, links[:, HEADING], links[:, SPEED]
    axis, com, ahead = axes_of(heading), flat(motion[:, X], motion[:, Y]), mean_heading(heading)
    places = nodes_of(robot, axis, com)
    share = axis[..., 0] * np.cos(ahead)[:, None] + axis[..., 1] * np.sin(ahead)[:, None]
    turning = (rate * share).sum(axis=1) / share.sum(axis=1)
    return {
        "com": (_TX, com, "m", "centre of gravity"),
        "com_velocity": (_TX, flat(motion[:, VX], motion[:, VY]), "m/s", "velocity of the centre of gravity"),
        "heading": (_T, ahead, "rad", "direction of the mean link axis"),
        "angular_velocity": (_T, turning, "rad/s", "angular velocity of the mean link axis"),
        "node": (("time", "point", "xyz"), places, "m", "tail's end, joints and head's tip"),
        "link_axis": (_TLX, axis, "1", "direction of the link, towards the head"),
        "link_back": (_TLX, upright(np.ones_like(heading)), "1", "direction of the link's back"),
        "link_com": (_TLX, places[:, :-1] + robot.com_offset[:, None] * axis, "m", "centre of gravity of the link"),
        "link_angular_velocity": (_TLX, upright(rate), "rad/s", "angular velocity of the link"),
        "contact_point": (_TLX, places[:, :-1] + robot.contact_offset[:, None] * axis, "m", "contact point"),
    }  # fmt: skip


def joint_variables(engine: PlanarEngine, links: FloatArray) -> Table:
    """Angles, rates, torques and forces of the joints."""
    j = engine.joints
    inner = j - 1
    return {
        "joint_angle": (_TD, links[:, HEADING][:, j] - links[:, HEADING][:, inner], "rad", "joint angle"),
        "joint_rate": (_TD, links[:, SPEED][:, j] - links[:, SPEED][:, inner], "rad/s", "joint rate"),
        "joint_torque": (_TD, links[:, ACTUATOR][:, j], "N m", "torque of the actuator, on the outer link"),
        "joint_target": (_TD, links[:, TARGET][:, j], "rad", "angle commanded; NaN where torques are"),
        "joint_force": (
            _TJX, flat(links[:, JOINT_X, 1:], links[:, JOINT_Y, 1:]), "N", "force of the inner link on the outer one",
        ),
    }  # fmt: skip


def contact_variables(engine: PlanarEngine, links: FloatArray) -> Table:
    """Forces and velocities of the contacts."""
    press, points = links[:, PRESS], engine.constants.points.shape[1]
    frames, n = press.shape
    return {
        "contact_force": (_TLX, flat(links[:, FORCE_X], links[:, FORCE_Y]), "N", "friction force on the robot"),
        "contact_force_along": (_TL, links[:, FORCE_T], "N", "friction force along the edge"),
        "contact_force_across": (_TL, links[:, FORCE_N], "N", "friction force across the edge"),
        "contact_velocity_along": (
            _TL,
            links[:, SLIP_T],
            "m/s",
            "contact velocity along the edge (of several points: mean by load)",
        ),
        "contact_velocity_across": (
            _TL,
            links[:, SLIP_N],
            "m/s",
            "contact velocity across the edge (of several points: mean by load)",
        ),
        "normal_force": (_TL, press, "N", "normal force of the link's contacts"),
        "touching": (_TL, np.full_like(press, points / n), "1", "contacts of the link"),
        "contact_count": (_T, np.full(frames, float(points)), "1", "number of contacts"),
    }


def sum_variables(sums: FloatArray, links: int) -> Table:
    """What adds up, and energies."""
    names = {
        "net_work": (slot.NET_WORK, "J", "work of the actuators so far"),
        "positive_work": (slot.POSITIVE_WORK, "J", "positive work of the actuators so far"),
        "friction_loss": (slot.FRICTION_LOSS, "J", "energy lost to friction so far"),
        "damping_loss": (slot.DAMPING_LOSS, "J", "energy lost in the joints so far"),
        "stop_loss": (slot.STOP_LOSS, "J", "energy taken up by the joints' stops so far"),
        "self_contact_loss": (slot.SELF_LOSS, "J", "energy taken up by contact between links so far"),
        "scheme_loss": (slot.SCHEME_LOSS, "J", "energy lost by the integrator so far"),
        "ground_loss": (slot.GROUND_LOSS, "J", "energy taken up by the ground so far"),
        "kinetic_energy": (slot.KINETIC, "J", "kinetic energy"),
        "potential_energy": (slot.POTENTIAL, "J", "potential energy"),
        "stored_energy": (slot.STORED, "J", "energy stored in the bristles"),
        "power": (slot.POWER, "W", "positive power of the actuators"),
    }  # fmt: skip
    slipped = (_T, sums[:, slot.SLIP_ACROSS] / links, "m", "path slipped across the edges so far, mean of the links")
    return {"slip": slipped, **{name: (_T, sums[:, k], unit, text) for name, (k, unit, text) in names.items()}}


def recorded_variables(engine: PlanarEngine) -> dict[str, Variable]:
    """Everything recorded so far, with dimensions, units and meaning."""
    recorded, links = engine.rows()
    motion, sums = recorded[:, :MOTION_SLOTS], recorded[:, MOTION_SLOTS:]
    table: Table = {
        **coordinates(engine),
        **body_variables(engine, motion, links),
        **joint_variables(engine, links),
        **contact_variables(engine, links),
        **sum_variables(sums, engine.robot.links),
    }
    return {
        name: Variable(dims, np.ascontiguousarray(data), unit, text) for name, (dims, data, unit, text) in table.items()
    }
