"""What a planar run recorded, as named variables with dimensions and units, world axes; vectors have three components, z = 0."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from serpenoid.contact import sums as slot
from serpenoid.core import FloatArray, Robot
from serpenoid.core.once import once
from serpenoid.core.recorded import Recorded, Table
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


class PlanarRecord:
    """Frames of a planar run as arrays, and what several variables are made of; index 0 of all is the frame."""

    def __init__(self, engine: PlanarEngine) -> None:
        self.robot, self.joints, self.points = engine.robot, engine.joints, engine.constants.points.shape[1]
        self.time = engine.frame_times()
        rows, self.links = engine.rows()
        self.motion, self.sums = rows[:, :MOTION_SLOTS], rows[:, MOTION_SLOTS:]

    @once
    def axis(self) -> FloatArray:
        """Directions of the links."""
        return axes_of(self.links[:, HEADING])

    @once
    def com(self) -> FloatArray:
        """Centre of gravity."""
        return flat(self.motion[:, X], self.motion[:, Y])

    @once
    def ahead(self) -> FloatArray:
        """Direction of the mean link axis."""
        return mean_heading(self.links[:, HEADING])

    @once
    def places(self) -> FloatArray:
        """Tail's end, joints and head's tip."""
        return nodes_of(self.robot, self.axis, self.com)

    def ends(self) -> FloatArray:
        """The same in the first and the last frame alone, (2, n + 1, 3)."""
        return nodes_of(self.robot, axes_of(self.links[[0, -1], HEADING]), flat(*self.motion[[0, -1]][:, [X, Y]].T))

    def heading_at(self, frames: Any) -> FloatArray:
        """Direction of the mean link axis in some frames alone."""
        return mean_heading(self.links[frames, HEADING])

    def headings(self) -> FloatArray:
        """Headings of the links, (f, n)."""
        return self.links[:, HEADING]

    def turning(self) -> FloatArray:
        """Angular velocity of the mean link axis."""
        share = self.axis[..., 0] * np.cos(self.ahead)[:, None] + self.axis[..., 1] * np.sin(self.ahead)[:, None]
        return np.asarray((self.links[:, SPEED] * share).sum(axis=1) / share.sum(axis=1))

    def along(self, offset: FloatArray) -> FloatArray:
        """Points at a distance from the tail-side joints."""
        return np.asarray(self.places[:, :-1] + offset[:, None] * self.axis)

    def bent(self, row: int) -> FloatArray:
        """Difference of a row from link to link, of the joints that bend."""
        rows = self.links[:, row]
        if len(self.joints) == self.robot.links - 1:
            return np.asarray(rows[:, 1:] - rows[:, :-1])
        return np.asarray(rows[:, self.joints] - rows[:, self.joints - 1])

    def of_joints(self, row: int) -> FloatArray:
        """A row that stands in the columns of the outer links."""
        return self.links[:, row][:, self.joints]


def _row(row: int) -> Any:
    return lambda r: r.links[:, row]


def _sum(slot_: int) -> Any:
    return lambda r: r.sums[:, slot_]


COORDINATES: Table = {
    "time": (_T, lambda r: r.time, "s", "time"),
    "link": (("link",), lambda r: np.arange(r.robot.links), "1", "link, 0 at the tail"),
    "joint": (("joint",), lambda r: np.arange(1, r.robot.links), "1", "joint, joint i joins links i-1 and i"),
    "point": (("point",), lambda r: np.arange(r.robot.links + 1), "1", "tail's end, joints, head's tip"),
    "dof": (("dof",), lambda r: np.arange(len(r.joints)), "1", "degree of freedom of the joints"),
    "dof_joint": (("dof",), lambda r: r.joints, "1", "joint of the degree of freedom"),
    "dof_kind": (("dof",), lambda r: np.zeros(len(r.joints)), "1", "its axis: 0 yaw, 1 pitch, 2 roll"),
}
BODY: Table = {
    "com": (_TX, lambda r: r.com, "m", "centre of gravity"),
    "com_velocity": (_TX, lambda r: flat(r.motion[:, VX], r.motion[:, VY]), "m/s", "velocity of the centre of gravity"),
    "heading": (_T, lambda r: r.ahead, "rad", "direction of the mean link axis"),
    "angular_velocity": (_T, PlanarRecord.turning, "rad/s", "angular velocity of the mean link axis"),
    "node": (("time", "point", "xyz"), lambda r: r.places, "m", "tail's end, joints and head's tip"),
    "link_axis": (_TLX, lambda r: r.axis, "1", "direction of the link, towards the head"),
    "link_back": (_TLX, lambda r: upright(np.ones_like(r.links[:, HEADING])), "1", "direction of the link's back"),
    "link_com": (_TLX, lambda r: r.along(r.robot.com_offset), "m", "centre of gravity of the link"),
    "link_angular_velocity": (_TLX, lambda r: upright(r.links[:, SPEED]), "rad/s", "angular velocity of the link"),
    "contact_point": (_TLX, lambda r: r.along(r.robot.contact_offset), "m", "contact point"),
}
JOINTS: Table = {
    "joint_angle": (_TD, lambda r: r.bent(HEADING), "rad", "joint angle"),
    "joint_rate": (_TD, lambda r: r.bent(SPEED), "rad/s", "joint rate"),
    "joint_torque": (_TD, lambda r: r.of_joints(ACTUATOR), "N m", "torque of the actuator, on the outer link"),
    "joint_target": (_TD, lambda r: r.of_joints(TARGET), "rad", "angle commanded; NaN where torques are"),
    "joint_force": (
        _TJX, lambda r: flat(r.links[:, JOINT_X, 1:], r.links[:, JOINT_Y, 1:]), "N", "force of the inner link on the outer one",
    ),
}  # fmt: skip
_MEAN = "(of several points: mean by load)"
CONTACTS: Table = {
    "contact_force": (_TLX, lambda r: flat(r.links[:, FORCE_X], r.links[:, FORCE_Y]), "N", "friction force on the robot"),
    "contact_force_along": (_TL, _row(FORCE_T), "N", "friction force along the edge"),
    "contact_force_across": (_TL, _row(FORCE_N), "N", "friction force across the edge"),
    "contact_velocity_along": (_TL, _row(SLIP_T), "m/s", f"contact velocity along the edge {_MEAN}"),
    "contact_velocity_across": (_TL, _row(SLIP_N), "m/s", f"contact velocity across the edge {_MEAN}"),
    "normal_force": (_TL, _row(PRESS), "N", "normal force of the link's contacts"),
    "touching": (_TL, lambda r: np.full_like(r.links[:, PRESS], r.points / r.robot.links), "1", "contacts of the link"),
    "contact_count": (_T, lambda r: np.full(len(r.time), float(r.points)), "1", "number of contacts"),
}  # fmt: skip
SUMS: Table = {
    "slip": (
        _T, lambda r: r.sums[:, slot.SLIP_ACROSS] / r.robot.links, "m", "path slipped across the edges so far, mean of the links",
    ),
    "net_work": (_T, _sum(slot.NET_WORK), "J", "work of the actuators so far"),
    "positive_work": (_T, _sum(slot.POSITIVE_WORK), "J", "positive work of the actuators so far"),
    "friction_loss": (_T, _sum(slot.FRICTION_LOSS), "J", "energy lost to friction so far"),
    "damping_loss": (_T, _sum(slot.DAMPING_LOSS), "J", "energy lost in the joints so far"),
    "stop_loss": (_T, _sum(slot.STOP_LOSS), "J", "energy taken up by the joints' stops so far"),
    "self_contact_loss": (_T, _sum(slot.SELF_LOSS), "J", "energy taken up by contact between links so far"),
    "scheme_loss": (_T, _sum(slot.SCHEME_LOSS), "J", "energy lost by the integrator so far"),
    "ground_loss": (_T, _sum(slot.GROUND_LOSS), "J", "energy taken up by the ground so far"),
    "kinetic_energy": (_T, _sum(slot.KINETIC), "J", "kinetic energy"),
    "potential_energy": (_T, _sum(slot.POTENTIAL), "J", "potential energy"),
    "stored_energy": (_T, _sum(slot.STORED), "J", "energy stored in the bristles"),
    "power": (_T, _sum(slot.POWER), "W", "positive power of the actuators"),
}  # fmt: skip
TABLE: Table = {**COORDINATES, **BODY, **JOINTS, **CONTACTS, **SUMS}


def recorded_variables(engine: PlanarEngine) -> Recorded:
    """Everything recorded so far, with dimensions, units and meaning, each made when it is asked for."""
    return Recorded(PlanarRecord(engine), TABLE)
