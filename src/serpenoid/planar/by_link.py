"""One link at a time: the arrays of one column with which `shape_by_link` and `drive_by_link` call the stages of a step, and what they cover.

`rows` (WORK_ROWS, n) is all that these steps keep per link beside the state: heading, rate, cosine and sine. Rows 0, 1 and 2 are those that gaits fill; the
acceleration of the heading, which the implicit step does not need, gives its row to the cosine. Rows 3, 4, 5 are working space of gaits in
sequence, then sine and predicted forces.
"""

from __future__ import annotations

from typing import NamedTuple

from serpenoid.compiled import njit
from serpenoid.contact import Bristle
from serpenoid.contact.ground import LIMIT_ROWS
from serpenoid.contact.self_contact import ON
from serpenoid.contact.touch import LAW_ROWS
from serpenoid.core import FloatArray
from serpenoid.planar.layout import (
    ANY_STOP,
    BODY_ROWS,
    COM,
    CONTACT,
    EDGE_C,
    EDGE_S,
    INERTIA,
    LENGTH,
    LEVER,
    LINK_CONSTANTS,
    MASS,
    ORDER,
    PLAIN,
    RATE,
    SOLVE_ROWS,
    UNEVEN,
    C,
    PlanarConstants,
    S,
)  # fmt: skip

ROW_C, ROW_S, PREDICTED_T, PREDICTED_N = 2, 3, 4, 5  # rows after ANGLE and RATE
WORK_ROWS = 6
# driven joints: torques, in the place of the headings; what was eliminated of each link; the rates tried, in the first row of that
DRIVE_T, DRIVE_E, DRIVE_OLD, DRIVE_ROWS = 0, 6, 6, 10
STATE_ROWS = 8  # of PlanarState.links: those that the next step needs
_BRISTLE = Bristle.KIND


class OneLink(NamedTuple):
    """Arrays of one column."""

    links: FloatArray  # (LINK_CONSTANTS, 1)
    body: FloatArray  # (BODY_ROWS, 1)
    touch: FloatArray  # (LAW_ROWS, 1)
    limits: FloatArray  # (LIMIT_ROWS, 1)
    memory: FloatArray  # (4, 1)
    state: FloatArray  # (STATE_ROWS, 1)
    cast: FloatArray  # (3, 1): see `working`
    solve: FloatArray  # (SOLVE_ROWS, 1)


ONE_LINK_ROWS = OneLink(LINK_CONSTANTS, BODY_ROWS, LAW_ROWS, LIMIT_ROWS, 4, STATE_ROWS, 3, SOLVE_ROWS)  # type: ignore[arg-type]


def covers(constants: PlanarConstants) -> bool:
    """Whether the steps by link do all that these constants ask for."""
    n, numbers = constants.links.shape[1], constants.numbers
    plain = numbers[UNEVEN] == 0.0 and numbers[ANY_STOP] == 0.0 and numbers[ORDER] == 0.0
    return bool(plain and constants.points.shape[1] == n and constants.skin.numbers[ON] == 0.0)


@njit
def working(one, a, b, c):
    """The same three numbers in the precision of the arrays of the links; motion and sums of a run are kept in double precision in any case."""
    one.cast[0, 0], one.cast[1, 0], one.cast[2, 0] = a, b, c
    return one.cast[0, 0], one.cast[1, 0], one.cast[2, 0]


@njit
def take_link(links, i, one):
    """Constants of link i and the friction limits of its contact."""
    own, limits = one.links, one.limits
    own[LENGTH, 0], own[MASS, 0], own[INERTIA, 0] = links[LENGTH, i], links[MASS, i], links[INERTIA, i]
    own[COM, 0], own[CONTACT, 0], own[LEVER, 0] = links[COM, i], links[CONTACT, i], links[LEVER, i]
    own[EDGE_C, 0], own[EDGE_S, 0] = links[EDGE_C, i], links[EDGE_S, i]
    limits[0, 0], limits[1, 0] = links[PLAIN, i], links[PLAIN + 1, i]
    limits[2, 0], limits[3, 0] = links[PLAIN + 2, i], links[PLAIN + 3, i]
    limits[4, 0], limits[5, 0] = links[PLAIN + 4, i], links[PLAIN + 5, i]
    limits[6, 0], limits[7, 0] = links[PLAIN + 6, i], links[PLAIN + 7, i]


@njit
def take_pose(rows, i, one):
    """Cosine, sine and rate of link i."""
    one.body[C, 0], one.body[S, 0], one.body[RATE, 0] = rows[ROW_C, i], rows[ROW_S, i], rows[RATE, i]


@njit
def take_memory(law, memory, i, one):
    """Memory of the contact of link i, where the law has one."""
    if law == _BRISTLE:
        for row in range(4):
            one.memory[row, 0] = memory[row, i]


@njit
def keep_memory(law, memory, i, one):
    """The same back again."""
    if law == _BRISTLE:
        for row in range(4):
            memory[row, i] = one.memory[row, 0]


@njit
def step_back(one, x, y, u, v):
    """Place and velocity of the tail-side joint of a link from those at its head-side end."""
    l, c, s, rate = one.links[LENGTH, 0], one.body[C, 0], one.body[S, 0], one.body[RATE, 0]
    return x - l * c, y - l * s, u + l * s * rate, v - l * c * rate
