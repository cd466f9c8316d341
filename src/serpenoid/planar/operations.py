"""What the page asks of the planar kernels: one entry, the number of an operation and the groups it works on.

Nothing is computed here: every operation calls the package's own kernels. Numbers that an operation needs stand in `given`, and so do its
answers.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from serpenoid.compiled import kernel
from serpenoid.core import World
from serpenoid.gaits import headings
from serpenoid.planar import runge_kutta, switch
from serpenoid.planar import step as stepping
from serpenoid.planar.command import lock, stop_headings
from serpenoid.planar.constants import constants_for
from serpenoid.planar.ground import stand_on_ground
from serpenoid.planar.layout import ANGLE, COMMAND, RATE, PlanarFrames, PlanarState, scratch_for
from serpenoid.robots import ma2001

OPERATIONS = (
    "HEADINGS", "LOCK", "BALANCE", "STOP_HEADINGS", "BEGIN", "PRESCRIBE", "RELEASE", "STAND", "RECORD_MOTION", "RECORD_FORCES", "PACK", "SLOPE",
    "MARCH_PRESCRIBED", "MARCH_DRIVEN", "MARCH_EXPLICIT",
)  # fmt: skip
(
    HEADINGS, LOCK, BALANCE, STOP_HEADINGS, BEGIN, PRESCRIBE, RELEASE, STAND, RECORD_MOTION, RECORD_FORCES, PACK, SLOPE,
    MARCH_PRESCRIBED, MARCH_DRIVEN, MARCH_EXPLICIT,
) = range(15)  # fmt: skip


@kernel
def operate(op, constants, state, scratch, frames, given):
    """Carry out an operation; returns how a march ended, else 0 (-1: there is no such operation)."""
    b = scratch.links
    if op == HEADINGS:
        headings(int(constants.numbers[COMMAND]), constants.row, constants.table, given[0], b)
    elif op == LOCK:
        lock(constants.joints, b, ANGLE)
        lock(constants.joints, b, RATE)
    elif op == BALANCE:
        switch.balance(constants, scratch)
    elif op == STOP_HEADINGS:
        stop_headings(constants, state, given[0], b)
    elif op == BEGIN:
        switch.begin(constants, state, scratch)
    elif op == PRESCRIBE:
        switch.prescribe(constants, state, scratch)
    elif op == RELEASE:
        switch.release(constants, state, scratch)
    elif op == STAND:
        stand_on_ground(constants, scratch, given[0], given[1], given[2], given[3])
    elif op == RECORD_MOTION:
        stepping.record_motion(state, frames, int(given[0]))
    elif op == RECORD_FORCES:
        stepping.record_forces(state, frames, int(given[0]))
    elif op == PACK:
        runge_kutta.pack(constants, state, scratch)
    elif op == SLOPE:
        runge_kutta.slope(constants, state, scratch, given[0], state.vector[0], state.vector[1])
    elif op == MARCH_PRESCRIBED:
        return float(stepping.march_prescribed(constants, state, scratch, frames, int(given[0]), int(given[1])))
    elif op == MARCH_DRIVEN:
        return float(stepping.march_driven(constants, state, scratch, frames, int(given[0]), int(given[1])))
    elif op == MARCH_EXPLICIT:
        return float(stepping.march_explicit(constants, state, scratch, frames, int(given[0]), int(given[1])))
    else:
        return -1.0
    return 0.0


def example() -> dict[str, Any]:
    """Groups of a small robot, for the types."""
    constants = constants_for(
        ma2001(links=4), World(), step=1e-3, stride=1, ideal=True, integrator="implicit", tolerance=None
    )
    row, table = np.zeros(1), np.zeros((1, 1))
    state = PlanarState(row, table, table, row, table, table)
    frames = PlanarFrames(table, np.zeros((1, 1, 1)))
    return {"constants": constants, "state": state, "scratch": scratch_for(constants), "frames": frames, "given": row}
