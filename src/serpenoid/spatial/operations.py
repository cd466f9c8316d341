"""What the page asks of the spatial kernels: one entry, the number of an operation and the groups it works on.

Nothing is computed here: every operation calls the package's own kernels. Numbers that an operation needs stand in `given`, and so do its
answers.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from serpenoid.compiled import kernel
from serpenoid.contact.field import height_clear
from serpenoid.contact.spots import G_CELL, G_X0, G_Y0
from serpenoid.core import Ground, World
from serpenoid.gaits import headings
from serpenoid.gaits.joints import joint_angles
from serpenoid.robots import alternating
from serpenoid.spatial.audit import spring_energy
from serpenoid.spatial.detect import corner, find_spots
from serpenoid.spatial.dynamics import body_inertia, carried, kinetic_energy, momenta
from serpenoid.spatial.kinematics import forward_kinematics, propagate_twists, set_first_frame
from serpenoid.spatial.layout import AW, COMMAND_KIND, NA, QD, VX, X, Z
from serpenoid.spatial.march import keep_frame, march, record_frame
from serpenoid.spatial.matrices import solve6
from serpenoid.spatial.setup import constants_of, scratch_of, state_of
from serpenoid.spatial.start import set_bristles

OPERATIONS = (
    "JOINT_ANGLES", "HEADINGS", "PLACE", "SPREAD", "HELD_BODY", "KEEP_MOMENTA", "TOUCHING", "CLEAR", "CORNER", "KEEP_FRAME", "RECORD_FRAME", "MARCH",
)  # fmt: skip
(
    JOINT_ANGLES, HEADINGS, PLACE, SPREAD, HELD_BODY, KEEP_MOMENTA, TOUCHING, CLEAR, CORNER, KEEP_FRAME, RECORD_FRAME, MARCH,
) = range(12)  # fmt: skip


@kernel
def operate(op, constants, state, scratch, frames, given):
    """Carry out an operation; returns how a march ended, else 0 (-1: there is no such operation)."""
    chain, terrain, body, axes, q = constants.chain, constants.terrain, scratch.body, scratch.axes, state.motion
    if op == JOINT_ANGLES:
        joint_angles(int(constants.numbers[COMMAND_KIND]), constants.par, constants.tab, given[0], scratch.command)
    elif op == HEADINGS:
        headings(int(constants.numbers[COMMAND_KIND]), constants.par, constants.tab, given[0], scratch.command)
    elif op == PLACE:
        set_first_frame(body, q[AW], q[AW + 1], q[AW + 2], q[AW + 3])
        forward_kinematics(chain, body, axes)
    elif op == SPREAD:
        propagate_twists(chain, body, axes, QD)
        total = momenta(chain, body)
        for e in range(6):
            given[e] = total[e]
    elif op == HELD_BODY:
        answer = solve6(body_inertia(chain, body), (given[0], given[1], given[2], given[3], given[4], given[5]))
        for e in range(6):
            given[e] = answer[e]
    elif op == KEEP_MOMENTA:
        momenta(chain, body)
        for i in range(body.shape[1]):
            more = carried(chain, body, i, -q[VX], -q[VX + 1], -q[VX + 2])
            for e in range(6):
                state.momenta[e, i] = body[NA + e, i] + more[e]
        given[0] = kinetic_energy(body)
    elif op == TOUCHING:
        count, _ = find_spots(chain, terrain, body, (q[X], q[X + 1], q[Z]), scratch.contacts.spots)
        set_bristles(constants, state, scratch.contacts, body, count)
        given[0], given[1] = count, spring_energy(terrain.ground, scratch.contacts.spots, count)
    elif op == CLEAR:
        ground = terrain.ground
        given[0] = height_clear(
            terrain.field, ground[G_CELL], given[0] - ground[G_X0], given[1] - ground[G_Y0], given[2]
        )
    elif op == CORNER:
        place = corner(chain, body, int(given[0]), int(given[1]), int(given[2]))
        given[0], given[1], given[2] = place[0], place[1], place[2]
    elif op == KEEP_FRAME:
        keep_frame(constants, state, scratch, frames[int(given[0])])
    elif op == RECORD_FRAME:
        record_frame(constants, state, scratch, frames[int(given[0])])
    elif op == MARCH:
        return float(march(constants, state, scratch, frames, int(given[0]), int(given[1])))
    else:
        return -1.0
    return 0.0


def example() -> dict[str, Any]:
    """Groups of a small robot, for the types."""
    robot = alternating(links=4, radius=0.02)
    constants = constants_of(robot, World(ground=Ground()), step=1e-3, stride=1, ideal=True)
    return {
        "constants": constants, "state": state_of(constants, False), "scratch": scratch_of(constants), "frames": np.zeros((1, 1)), "given": np.zeros(8),
    }  # fmt: skip
