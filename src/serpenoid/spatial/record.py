"""What a run in space recorded, as named variables with dimensions and units, world axes."""

from __future__ import annotations

from typing import Any

import numpy as np

from serpenoid.contact import sums as slots
from serpenoid.contact.spots import G_END, G_POST
from serpenoid.contact.sums import SLOTS
from serpenoid.core import FloatArray, Variable, chassis
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

Table = dict[str, tuple[tuple[str, ...], Any, str, str]]


def blocks_of(engine: Any) -> tuple[FloatArray, ...]:
    """Frames so far, the last one now: motion (f, rows), sums (f, slots), links (f, rows, n), dofs (f, rows, m), anchors (f, rows, k)."""
    n, m, k = engine.robot.links, len(engine.axes), engine.state.anchors.shape[1]
    rows = engine.rows()
    f = len(rows)
    ends = np.cumsum([MOTION_ROWS, SLOTS, FRAME_LINK_ROWS * n, FRAME_DOF_ROWS * m, FRAME_ANCHOR_ROWS * k])
    motion, sums, links, dofs, anchors = np.split(rows[:, : ends[-1]], ends[:-1], axis=1)
    return (
        motion,
        sums,
        links.reshape(f, -1, n),
        dofs.reshape(f, FRAME_DOF_ROWS, m),
        anchors.reshape(f, FRAME_ANCHOR_ROWS, k),
    )


def _vector(block: FloatArray, row: int) -> FloatArray:
    """Three rows of a block (f, rows, n) as vectors (f, n, 3)."""
    return np.moveaxis(block[:, row : row + 3], 1, 2)


def variables_of(engine: Any) -> dict[str, Variable]:
    """Recorded quantities with dimensions, units and meaning."""
    motion, sums, links, dofs, anchors = blocks_of(engine)
    loads = links[:, R_LOADS:]
    table = (
        _coordinates(engine)
        | _motion(engine, motion, links)
        | _joints(dofs)
        | _contacts(loads)
        | _account(engine, sums)
    )
    ground = engine.constants.terrain.ground
    if ground[G_END] > ground[G_POST]:
        tl = ("time", "link", "xyz")
        table["wall_force"] = (tl, _vector(loads, WALL_FORCE), "N", "force of upright obstacles on the link")
        table["wall_point"] = (tl, _vector(loads, WALL_POINT), "m", "where upright obstacles press most on the link")
    if anchors.shape[2]:
        force = np.zeros((len(anchors), anchors.shape[2], 3))
        force[..., :2] = np.moveaxis(anchors[:, R_FX : R_FX + 2], 1, 2)
        table["anchor_force"] = (("time", "anchor", "xyz"), force, "N", "force of the anchor on its link")
        table["anchor_set"] = (("time", "anchor"), anchors[:, R_ON], "1", "1 while the anchor holds")
    return {
        k: Variable(dims, np.ascontiguousarray(data, dtype=float), unit, text)
        for k, (dims, data, unit, text) in table.items()
    }


def _coordinates(engine: Any) -> Table:
    n, axes = engine.robot.links, engine.axes
    times = np.arange(engine.first_frame, engine.first_frame + engine.frames) * engine.stride * engine.dt
    return {
        "time": (("time",), times if engine.on_grid else np.append(times, engine.time), "s", "time"),
        "link": (("link",), np.arange(n), "1", "link, 0 at the tail"),
        "point": (("point",), np.arange(n + 1), "1", "tail's end, joints, head's tip"),
        "dof": (("dof",), np.arange(len(axes)), "1", "degree of freedom of the joints, from the tail"),
        "dof_joint": (("dof",), [joint for joint, _ in axes], "1", "joint of the degree of freedom; joint i joins links i-1 and i"),
        "dof_kind": (("dof",), engine.constants.chain.kinds, "1", "0 yaw, 1 pitch, 2 roll"),
    }  # fmt: skip


def _motion(engine: Any, motion: FloatArray, links: FloatArray) -> Table:
    t, tx, tlx = ("time",), ("time", "xyz"), ("time", "link", "xyz")
    axis, back, spin, place = (_vector(links, row) for row in (R_AXIS, R_BACK, R_SPIN, R_PLACE))
    tip = place[:, -1:] + engine.robot.link_length[-1] * axis[:, -1:]
    with np.errstate(over="ignore", invalid="ignore"):  # a run that diverged may have anything
        mean, change = axis.mean(axis=1), np.cross(spin, axis).mean(axis=1)
        size = np.maximum(mean[:, 0] ** 2 + mean[:, 1] ** 2, 1e-300)
        turning = (mean[:, 0] * change[:, 1] - mean[:, 1] * change[:, 0]) / size
    return {
        "com": (tx, motion[:, X : X + 3], "m", "centre of gravity"),
        "com_velocity": (tx, motion[:, VX : VX + 3], "m/s", "velocity of the centre of gravity"),
        "heading": (t, motion[:, HEADING], "rad", "direction of the mean link axis seen from above"),
        "angular_velocity": (t, turning, "rad/s", "angular velocity of the mean link axis seen from above"),
        "roll": (t, chassis.roll(axis, back).mean(axis=1), "rad", "roll of the links about their axes, mean"),
        "node": (
            ("time", "point", "xyz"),
            np.concatenate([place, tip], axis=1),
            "m",
            "tail's end, joints and head's tip",
        ),
        "link_axis": (tlx, axis, "1", "direction of the link, towards the head"),
        "link_back": (tlx, back, "1", "direction of the link's back"),
        "link_com": (tlx, place + engine.robot.com_offset[:, None] * axis, "m", "centre of gravity of the link"),
        "link_angular_velocity": (tlx, spin, "rad/s", "angular velocity of the link"),
    }


def _joints(dofs: FloatArray) -> Table:
    td = ("time", "dof")
    return {
        "joint_angle": (td, dofs[:, R_ANGLE], "rad", "joint angle"),
        "joint_rate": (td, dofs[:, R_RATE], "rad/s", "joint rate"),
        "joint_torque": (td, dofs[:, R_TORQUE], "N m", "torque of the actuator, on the outer link"),
        "joint_target": (td, dofs[:, R_TARGET], "rad", "joint angle commanded; NaN under torques"),
    }


def _contacts(loads: FloatArray) -> Table:
    tl, tlx = ("time", "link"), ("time", "link", "xyz")
    return {
        "contact_point": (
            tlx,
            _vector(loads, POINT),
            "m",
            "centre of the link's contacts by load; NaN without contact",
        ),
        "contact_force": (tlx, _vector(loads, FORCE), "N", "force of ground, obstacles and anchors on the link"),
        "contact_force_along": (tl, loads[:, FORCE_T], "N", "friction force along the edge"),
        "contact_force_across": (tl, loads[:, FORCE_N], "N", "friction force across the edge"),
        "contact_velocity_along": (tl, loads[:, SLIP_T], "m/s", "velocity of the contacts along the edge, mean"),
        "contact_velocity_across": (tl, loads[:, SLIP_N], "m/s", "velocity of the contacts across the edge, mean"),
        "normal_force": (tl, loads[:, PRESS], "N", "normal force of ground and obstacles on the link, summed"),
        "touching": (tl, loads[:, TOUCHING], "1", "contacts of the link that press"),
        "contact_count": (("time",), loads[:, TOUCHING].sum(axis=1), "1", "contacts that press"),
    }


def _account(engine: Any, sums: FloatArray) -> Table:
    t = ("time",)
    made: Table = {
        "slip": (
            t, sums[:, slots.SLIP_ACROSS] / engine.robot.links, "m", "path slipped across the edges so far, mean of the links",
        )
    }  # fmt: skip
    for name, slot, unit, text in (
        ("net_work", slots.NET_WORK, "J", "work of the joints so far"),
        ("positive_work", slots.POSITIVE_WORK, "J", "positive work of the joints so far"),
        ("friction_loss", slots.FRICTION_LOSS, "J", "energy lost to friction so far"),
        ("damping_loss", slots.DAMPING_LOSS, "J", "energy lost in the joints so far"),
        ("stop_loss", slots.STOP_LOSS, "J", "energy taken by the stops of the joints so far"),
        ("self_contact_loss", slots.SELF_LOSS, "J", "energy taken up by contact between links so far"),
        ("scheme_loss", slots.SCHEME_LOSS, "J", "energy lost to the time stepping so far"),
        (
            "ground_loss",
            slots.GROUND_LOSS,
            "J",
            "energy taken by the springs and dampers of ground and obstacles so far",
        ),
        ("kinetic_energy", slots.KINETIC, "J", "kinetic energy, rotors included"),
        ("potential_energy", slots.POTENTIAL, "J", "potential energy of gravity"),
        ("stored_energy", slots.STORED, "J", "energy stored in the bristles"),
        ("power", slots.POWER, "W", "positive power of the joints"),
    ):
        made[name] = (t, sums[:, slot], unit, text)
    return made
