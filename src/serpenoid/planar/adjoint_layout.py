"""The arrays of the planar adjoint: what a run keeps for the way back, and where derivatives stand.

The adjoint of a quantity q is dJ/dq, the derivative of the result J. It stands in the same row of an array of the same shape: `links` of
`PlanarAdjoint` has the rows of `PlanarScratch.links`, and so on.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from serpenoid.contact import sums as slot
from serpenoid.contact.touch import TOUCH_ROWS
from serpenoid.core import FloatArray
from serpenoid.gaits import SLOPE_ROWS
from serpenoid.planar.layout import (
    BODY_ROWS,
    LINK_STATES,
    MOTION_SLOTS,
    PlanarConstants,
)

# columns of the history, one row per instant: the motion, and the smoothing of the step that follows
KEPT_X, KEPT_Y, KEPT_PSI, KEPT_VX, KEPT_VY, KEPT_TURN, KEPT_SMOOTHING = range(7)
KEPT = 7
SEEDED = 6  # columns of a seed: adjoints of the first six, then of the headings of the links in the body frame


class PlanarSlopes(NamedTuple):
    """Derivatives of the result by the numbers that the kernels read."""

    links: FloatArray  # (LINK_CONSTANTS, n)
    points: FloatArray  # (LINK_CONSTANTS, contact points)
    joints: FloatArray  # (JOINT_CONSTANTS, n)
    numbers: FloatArray
    row: FloatArray
    table: FloatArray


class PlanarAdjoint(NamedTuple):
    """Adjoints of the state and of what a step computes."""

    motion: FloatArray  # (MOTION_SLOTS,)
    state: FloatArray  # (LINK_STATES, n)
    sums: FloatArray  # (SLOTS,): weights of what adds up; adjoints of what is kept from step to step
    links: FloatArray  # (BODY_ROWS, n)
    points: FloatArray  # (BODY_ROWS, contact points); `links` itself where each link has one
    touch: FloatArray  # (TOUCH_ROWS, contact points)
    headings: FloatArray  # (2, n): of the headings commanded and their rates
    law: FloatArray  # (2, contact points): weights of the forces
    gait: FloatArray  # (SLOPE_ROWS, n): working space
    before: FloatArray  # (LINK_STATES, n): what the state held of the links before the step


class MotionSeeds(NamedTuple):
    """Derivatives of the result by the motion itself at some steps, in their order."""

    steps: FloatArray  # (m,): their numbers
    values: FloatArray  # (m, SEEDED + n)


def slopes_for(constants: PlanarConstants) -> PlanarSlopes:
    """No derivatives yet."""
    given = constants.links, constants.points, constants.joints, constants.numbers, constants.row, constants.table
    return PlanarSlopes(*(np.zeros_like(array) for array in given))


def adjoint_for(constants: PlanarConstants) -> PlanarAdjoint:
    """Adjoints at the end of a run: none yet."""
    n, points = constants.links.shape[1], constants.points.shape[1]
    links = np.zeros((BODY_ROWS, n))
    return PlanarAdjoint(
        np.zeros(MOTION_SLOTS), np.zeros((LINK_STATES, n)), np.zeros(slot.SLOTS), links,
        links if points == n else np.zeros((BODY_ROWS, points)), np.zeros((TOUCH_ROWS, points)), np.zeros((2, n)),
        np.zeros((2, points)), np.zeros((SLOPE_ROWS, n)), np.zeros((LINK_STATES, n)),
    )  # fmt: skip
