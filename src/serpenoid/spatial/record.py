"""What a run in space recorded, as named variables with dimensions and units, world axes."""

from __future__ import annotations

from typing import Any

import numpy as np

from serpenoid.contact import sums as slots
from serpenoid.contact.spots import G_END, G_POST
from serpenoid.contact.sums import SLOTS
from serpenoid.core import FloatArray
from serpenoid.core.once import once
from serpenoid.core.recorded import Recorded, Table
from serpenoid.judgement.roll import mean_roll
from serpenoid.spatial.layout import (
    FORCE,
    FORCE_N,
    FORCE_T,
    FRAME_ANCHOR_ROWS,
    FRAME_DOF_ROWS,
    FRAME_LINK_ROWS,
    HEADING,
    MOTION_ROWS,
    POINT,
    PRESS,
    R_ANGLE,
    R_AXIS,
    R_BACK,
    R_FX,
    R_LOADS,
    R_ON,
    R_PLACE,
    R_RATE,
    R_SPIN,
    R_TARGET,
    R_TORQUE,
    SLIP_N,
    SLIP_T,
    TOUCHING,
    VX,
    WALL_FORCE,
    WALL_POINT,
    X,
)  # fmt: skip

_T, _TX, _TL, _TD = ("time",), ("time", "xyz"), ("time", "link"), ("time", "dof")
_TLX, _TA = ("time", "link", "xyz"), ("time", "anchor")


def _vector(block: FloatArray, row: int) -> FloatArray:
    """Three rows of a block (f, rows, n) as vectors (f, n, 3)."""
    return np.moveaxis(block[:, row : row + 3], 1, 2)


class SpatialRecord:
    """Frames of a run in space as arrays, and what several variables are made of; index 0 of all is the frame."""

    def __init__(self, engine: Any) -> None:
        self.robot, self.axes, self.kinds = engine.robot, engine.axes, engine.constants.chain.kinds
        times = np.arange(engine.first_frame, engine.first_frame + engine.frames) * engine.stride * engine.dt
        self.time = times if engine.on_grid else np.append(times, engine.time)
        self._cut(engine.rows(), engine.state.anchors.shape[1])

    def _cut(self, rows: FloatArray, anchors: int) -> None:
        """The parts of the frames: motion (f, rows), sums (f, slots), links (f, rows, n), dofs (f, rows, m), anchors (f, rows, k)."""
        f, n, m = len(rows), self.robot.links, len(self.axes)
        ends = np.cumsum([MOTION_ROWS, SLOTS, FRAME_LINK_ROWS * n, FRAME_DOF_ROWS * m, FRAME_ANCHOR_ROWS * anchors])
        self.motion, self.sums, links, dofs, held = np.split(rows[:, : ends[-1]], ends[:-1], axis=1)
        self.links, self.dofs = links.reshape(f, -1, n), dofs.reshape(f, FRAME_DOF_ROWS, m)
        self.held, self.loads = held.reshape(f, FRAME_ANCHOR_ROWS, anchors), self.links[:, R_LOADS:]

    @once
    def axis(self) -> FloatArray:
        """Directions of the links."""
        return _vector(self.links, R_AXIS)

    @once
    def place(self) -> FloatArray:
        """Tail-side joints of the links."""
        return _vector(self.links, R_PLACE)

    def turning(self) -> FloatArray:
        """Angular velocity of the mean link axis seen from above."""
        with np.errstate(over="ignore", invalid="ignore"):  # a run that diverged may have anything
            mean, change = self.axis.mean(axis=1), np.cross(_vector(self.links, R_SPIN), self.axis).mean(axis=1)
            size = np.maximum(mean[:, 0] ** 2 + mean[:, 1] ** 2, 1e-300)
            return np.asarray((mean[:, 0] * change[:, 1] - mean[:, 1] * change[:, 0]) / size)

    def roll(self) -> FloatArray:
        """Roll of the links about their axes, mean."""
        return mean_roll(self.axis, _vector(self.links, R_BACK))

    def nodes(self) -> FloatArray:
        """Tail's end, joints and head's tip."""
        tip = self.place[:, -1:] + self.robot.link_length[-1] * self.axis[:, -1:]
        return np.concatenate([self.place, tip], axis=1)

    def anchor_forces(self) -> FloatArray:
        """Forces of the anchors."""
        force = np.zeros((len(self.held), self.held.shape[2], 3))
        force[..., :2] = np.moveaxis(self.held[:, R_FX : R_FX + 2], 1, 2)
        return force


def _of_links(row: int) -> Any:
    return lambda r: _vector(r.links, row)


def _load(row: int) -> Any:
    return lambda r: r.loads[:, row]


def _loads(row: int) -> Any:
    return lambda r: _vector(r.loads, row)


def _dof(row: int) -> Any:
    return lambda r: r.dofs[:, row]


def _sum(slot: int) -> Any:
    return lambda r: r.sums[:, slot]


COORDINATES: Table = {
    "time": (_T, lambda r: r.time, "s", "time"),
    "link": (("link",), lambda r: np.arange(r.robot.links), "1", "link, 0 at the tail"),
    "point": (("point",), lambda r: np.arange(r.robot.links + 1), "1", "tail's end, joints, head's tip"),
    "dof": (("dof",), lambda r: np.arange(len(r.axes)), "1", "degree of freedom of the joints, from the tail"),
    "dof_joint": (
        ("dof",), lambda r: [joint for joint, _ in r.axes], "1", "joint of the degree of freedom; joint i joins links i-1 and i",
    ),
    "dof_kind": (("dof",), lambda r: r.kinds, "1", "0 yaw, 1 pitch, 2 roll"),
}  # fmt: skip
BODY: Table = {
    "com": (_TX, lambda r: r.motion[:, X : X + 3], "m", "centre of gravity"),
    "com_velocity": (_TX, lambda r: r.motion[:, VX : VX + 3], "m/s", "velocity of the centre of gravity"),
    "heading": (_T, lambda r: r.motion[:, HEADING], "rad", "direction of the mean link axis seen from above"),
    "angular_velocity": (_T, SpatialRecord.turning, "rad/s", "angular velocity of the mean link axis seen from above"),
    "roll": (_T, SpatialRecord.roll, "rad", "roll of the links about their axes, mean"),
    "node": (("time", "point", "xyz"), SpatialRecord.nodes, "m", "tail's end, joints and head's tip"),
    "link_axis": (_TLX, lambda r: r.axis, "1", "direction of the link, towards the head"),
    "link_back": (_TLX, _of_links(R_BACK), "1", "direction of the link's back"),
    "link_com": (_TLX, lambda r: r.place + r.robot.com_offset[:, None] * r.axis, "m", "centre of gravity of the link"),
    "link_angular_velocity": (_TLX, _of_links(R_SPIN), "rad/s", "angular velocity of the link"),
}
JOINTS: Table = {
    "joint_angle": (_TD, _dof(R_ANGLE), "rad", "joint angle"),
    "joint_rate": (_TD, _dof(R_RATE), "rad/s", "joint rate"),
    "joint_torque": (_TD, _dof(R_TORQUE), "N m", "torque of the actuator, on the outer link"),
    "joint_target": (_TD, _dof(R_TARGET), "rad", "joint angle commanded; NaN under torques"),
}
CONTACTS: Table = {
    "contact_point": (_TLX, _loads(POINT), "m", "centre of the link's contacts by load; NaN without contact"),
    "contact_force": (_TLX, _loads(FORCE), "N", "force of ground, obstacles and anchors on the link"),
    "contact_force_along": (_TL, _load(FORCE_T), "N", "friction force along the edge"),
    "contact_force_across": (_TL, _load(FORCE_N), "N", "friction force across the edge"),
    "contact_velocity_along": (_TL, _load(SLIP_T), "m/s", "velocity of the contacts along the edge, mean"),
    "contact_velocity_across": (_TL, _load(SLIP_N), "m/s", "velocity of the contacts across the edge, mean"),
    "normal_force": (_TL, _load(PRESS), "N", "normal force of ground and obstacles on the link, summed"),
    "touching": (_TL, _load(TOUCHING), "1", "contacts of the link that press"),
    "contact_count": (_T, lambda r: r.loads[:, TOUCHING].sum(axis=1), "1", "contacts that press"),
}
SUMS: Table = {
    "slip": (
        _T, lambda r: r.sums[:, slots.SLIP_ACROSS] / r.robot.links, "m", "path slipped across the edges so far, mean of the links",
    ),
    "net_work": (_T, _sum(slots.NET_WORK), "J", "work of the joints so far"),
    "positive_work": (_T, _sum(slots.POSITIVE_WORK), "J", "positive work of the joints so far"),
    "friction_loss": (_T, _sum(slots.FRICTION_LOSS), "J", "energy lost to friction so far"),
    "damping_loss": (_T, _sum(slots.DAMPING_LOSS), "J", "energy lost in the joints so far"),
    "stop_loss": (_T, _sum(slots.STOP_LOSS), "J", "energy taken by the stops of the joints so far"),
    "self_contact_loss": (_T, _sum(slots.SELF_LOSS), "J", "energy taken up by contact between links so far"),
    "scheme_loss": (_T, _sum(slots.SCHEME_LOSS), "J", "energy lost to the time stepping so far"),
    "ground_loss": (
        _T, _sum(slots.GROUND_LOSS), "J", "energy taken by the springs and dampers of ground and obstacles so far",
    ),
    "kinetic_energy": (_T, _sum(slots.KINETIC), "J", "kinetic energy, rotors included"),
    "potential_energy": (_T, _sum(slots.POTENTIAL), "J", "potential energy of gravity"),
    "stored_energy": (_T, _sum(slots.STORED), "J", "energy stored in the bristles"),
    "power": (_T, _sum(slots.POWER), "W", "positive power of the joints"),
}  # fmt: skip
WALLS: Table = {
    "wall_force": (_TLX, _loads(WALL_FORCE), "N", "force of upright obstacles on the link"),
    "wall_point": (_TLX, _loads(WALL_POINT), "m", "where upright obstacles press most on the link"),
}
ANCHORS: Table = {
    "anchor_force": ((*_TA, "xyz"), SpatialRecord.anchor_forces, "N", "force of the anchor on its link"),
    "anchor_set": (_TA, lambda r: r.held[:, R_ON], "1", "1 while the anchor holds"),
}
TABLE: Table = {**COORDINATES, **BODY, **JOINTS, **CONTACTS, **SUMS}


def variables_of(engine: Any) -> Recorded:
    """Recorded quantities with dimensions, units and meaning, each made when it is asked for."""
    ground, frames = engine.constants.terrain.ground, SpatialRecord(engine)
    table = TABLE if ground[G_END] <= ground[G_POST] else {**TABLE, **WALLS}
    return Recorded(frames, {**table, **ANCHORS} if frames.held.shape[2] else table)
