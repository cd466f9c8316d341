"""How freely can each link move in each stage, with and without contacts? Table II from the rank of the constraints.

Each link has three velocities: those of its tail-side end and its turn, (v_x, v_y, w); 21 in all. They obey

    joint k:      v_k + w_k x (node k - node k-1) - v_{k+1} = 0                         2 rows
    pinned link:  v = 0, w = 0                                                          3 rows
    contact:      n . (v + w x (p - node)) = 0: a link that stays in touch slides       1 row

The motions that are left are the null space of these rows; the degrees of freedom of a link are the rank of its three rows of it. A contact takes one
degree from the link it touches, to zero at least. Only postures without special symmetry count: at the end of stage 2, for
one, joints 2, 4, 6 lie on a line and the rank drops.

Source: Y. Shan, Y. Koren (1993), Table II.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from serpenoid.core.checks import FloatArray
from serpenoid.core.door import door
from serpenoid.core.errors import InputError
from serpenoid.core.quantities import shown
from serpenoid.gaits.concertina import LINKS, basic_cycle
from serpenoid.gaits.concertina_legs import PINNED

TABLE_2 = ((2, 1, 0, 0, 1, 2, 3), (0, 0, 1, 2, 2, 1, 0), (3, 3, 2, 1, 0, 0, 0))  # as printed: stages by links
_RANK = 1e-9  # singular values below it, of rows of the order of one, are zero


def constraint_rows(stage: int, nodes: FloatArray, contacts: Iterable[Any] = ()) -> FloatArray:
    """Rows (r, 21) on the links' velocities; contacts have `link` (from 1), `point` and `direction`."""
    if stage not in PINNED:
        raise InputError(f"stage must be 1, 2 or 3, got {stage!r}")
    if np.shape(nodes) != (LINKS + 1, 2):
        raise InputError(f"nodes must be the ends of {LINKS} links, ({LINKS + 1}, 2), got shape {np.shape(nodes)}")
    contacts = list(contacts)
    if not all(hasattr(contact, word) for contact in contacts for word in ("link", "point", "direction")):
        raise InputError(f"contacts must be those of a plan, got {shown(contacts)}")
    size = float(np.hypot(*np.diff(nodes, axis=0).T).mean())
    x = np.asarray(nodes, dtype=float) / size
    rows = []
    for k in range(LINKS - 1):
        arm = x[k + 1] - x[k]
        for axis, turn in ((0, -arm[1]), (1, arm[0])):
            row = np.zeros(3 * LINKS)
            row[3 * k + axis], row[3 * k + 2], row[3 * k + 3 + axis] = 1.0, turn, -1.0
            rows.append(row)
    for link in PINNED[stage]:
        rows += list(np.eye(3 * LINKS)[3 * link - 3 : 3 * link])
    for contact in contacts:
        k = contact.link - 1
        n, arm = np.asarray(contact.direction), np.asarray(contact.point) / size - x[k]
        row = np.zeros(3 * LINKS)
        row[3 * k : 3 * k + 3] = n[0], n[1], arm[0] * n[1] - arm[1] * n[0]
        rows.append(row)
    return np.array(rows)


@door
def degrees_of_freedom(stage: int, nodes: FloatArray, contacts: Iterable[Any] = ()) -> tuple[int, ...]:
    """Degrees of freedom of links 1 .. 7 in a posture (8, 2) of a stage."""
    _, values, right = np.linalg.svd(constraint_rows(stage, nodes, contacts))
    free = right[int(np.sum(values > _RANK)) :]
    ranks = [np.linalg.matrix_rank(free[:, 3 * k : 3 * k + 3], tol=_RANK) if len(free) else 0 for k in range(LINKS)]
    return tuple(int(rank) for rank in ranks)


@door
def mobility_table(lengths: ArrayLike = 1.0) -> tuple[tuple[int, ...], ...]:
    """Table II: degrees of freedom of links 1 .. 7 in the three stages, in postures of the basic pattern between its rows."""
    return tuple(degrees_of_freedom(leg.stage, leg.nodes(0.4)[0]) for leg in basic_cycle(lengths))
