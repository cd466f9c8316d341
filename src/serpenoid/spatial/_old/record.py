"""What a run in space recorded, as named variables with dimensions and units, world axes."""

from __future__ import annotations

from typing import Any

import numpy as np

from serpenoid.contact import sums as tally
from serpenoid.core import FloatArray, Robot, Variable, chassis
from serpenoid.spatial._old.run import (
    AXIS,
    BACK,
    FORCE,
    FORCE_N,
    FORCE_T,
    PLACE,
    PRESS,
    SLIP_N,
    SLIP_T,
    TOUCHING,
    SpatialRun,
)  # fmt: skip


def nodes_of(robot: Robot, run: SpatialRun) -> FloatArray:
    """World positions (frames, n+1, 3) of tail's end, joints and head's tip."""
    links = run.rec.links[: run.frames]
    tip = links[:, -1:, PLACE : PLACE + 3] + robot.link_length[-1] * links[:, -1:, AXIS : AXIS + 3]
    return np.concatenate([links[..., PLACE : PLACE + 3], tip], axis=1)


def rolls_of(run: SpatialRun) -> FloatArray:
    """Roll of each link about its axis, (frames, n), rad."""
    links = run.rec.links[: run.frames]
    return chassis.roll(links[..., AXIS : AXIS + 3], links[..., BACK : BACK + 3])


def variables_of(robot: Robot, run: SpatialRun, nodes: FloatArray) -> dict[str, Variable]:
    """Recorded quantities with dimensions, units and meaning."""
    f, n, m = run.frames, robot.links, len(run.d)
    motion, links, joints, sums = (values[:f] for values in run.rec[:4])
    t, tl, ta, tn = ("time",), ("time", "link"), ("time", "axis"), ("time", "node")
    numbers = np.repeat(np.arange(n), np.diff(run.chain.first))
    middle = nodes[:, :-1] + robot.com_offset[:, None] * links[..., AXIS : AXIS + 3]
    table: dict[str, tuple[tuple[str, ...], Any, str, str]] = {
        "time": (t, np.arange(f) * run.stride * run.dt, "s", "time"),
        "link": (("link",), np.arange(n, dtype=float), "1", "link, 0 at the tail"),
        "axis": (("axis",), np.arange(m, dtype=float), "1", "degree of freedom of the joints, from the tail"),
        "node": (("node",), np.arange(n + 1.0), "1", "tail's end, joints, head's tip"),
        "axis_joint": (("axis",), numbers.astype(float), "1", "joint of the axis; joint i joins links i-1 and i"),
        "axis_kind": (("axis",), run.chain.axis.astype(float), "1", "0 yaw, 1 pitch"),
        "heading": (t, chassis.heading(nodes), "rad", "heading of the averaged body frame"),
        "roll": (t, rolls_of(run).mean(axis=1), "rad", "roll of the links about their axes, mean"),
        "joint_angle": (ta, joints[..., 0], "rad", "joint angle of the axis"),
        "joint_rate": (ta, joints[..., 1], "rad/s", "joint rate of the axis"),
        "joint_torque": (ta, joints[..., 2], "N m", "torque of the actuator of the axis, on the outer link"),
        "normal_force": (tl, links[..., PRESS], "N", "normal force of ground and obstacles on the link, summed"),
        "touching": (tl, links[..., TOUCHING], "1", "contacts of the link that press"),
        "contact_count": (t, links[..., TOUCHING].sum(axis=1), "1", "contacts that press"),
        "contact_force_along": (tl, links[..., FORCE_T], "N", "friction force along the edge"),
        "contact_force_across": (tl, links[..., FORCE_N], "N", "friction force across the edge"),
        "contact_velocity_along": (tl, links[..., SLIP_T], "m/s", "velocity of the contacts along the edge, mean"),
        "contact_velocity_across": (tl, links[..., SLIP_N], "m/s", "velocity of the contacts across the edge, mean"),
        "slip": (t, sums[:, tally.SLIP_ACROSS] / n, "m", "path slipped across the edges so far, mean of the links"),
        "net_work": (t, sums[:, tally.NET_WORK], "J", "work of the joints so far"),
        "positive_work": (t, sums[:, tally.POSITIVE_WORK], "J", "positive work of the joints so far"),
        "friction_loss": (t, sums[:, tally.FRICTION_LOSS], "J", "energy lost to friction so far"),
        "ground_loss": (t, sums[:, tally.GROUND_LOSS], "J", "energy taken by the ground's springs and dampers so far"),
        "kinetic_energy": (t, sums[:, tally.KINETIC], "J", "kinetic energy"),
        "potential_energy": (t, sums[:, tally.POTENTIAL], "J", "potential energy of gravity"),
        "stored_energy": (t, sums[:, tally.STORED], "J", "energy stored in the bristles"),
        "power": (t, sums[:, tally.POWER], "W", "positive power of the joints"),
    }
    vectors = (
        ("com", t, motion[:, 0:3], "m", "centre of gravity"),
        ("com_v", t, motion[:, 3:6], "m/s", "velocity of the centre of gravity"),
        ("node", tn, nodes, "m", "places of tail's end, joints and head's tip"),
        ("contact", tl, middle, "m", "centre of gravity of the link"),
        ("axis", tl, links[..., AXIS : AXIS + 3], "1", "direction of the link, towards the head"),
        ("back", tl, links[..., BACK : BACK + 3], "1", "direction of the link's back"),
        ("contact_force", tl, links[..., FORCE : FORCE + 3], "N", "force of ground and obstacles on the link"),
    )
    for name, dims, data, unit, text in vectors:
        for e, letter in enumerate("xyz"):
            key = f"{name}{letter}" if name.endswith("_v") else f"{name}_{letter}"
            table[key] = (dims, data[..., e], unit, f"{text}, {letter}")
    return {k: Variable(dims, np.ascontiguousarray(data), unit, text) for k, (dims, data, unit, text) in table.items()}
