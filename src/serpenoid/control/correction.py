"""A leg of a concertina plan that begins where the robot really is, and ends where the plan wants it.

Small errors of joints and pins would add up from leg to leg if each only repeated the plan's joint angles. So each leg is made anew
from the measured pose, with goals in the world instead of in the joints. Every stage has a goal that its moving links can always reach:

| stage | goal in the world | by |
|---|---|---|
| 1 | head's tip where the plan has it; links 1 and 2 with their headings | links 5, 6 by the law of cosines, link 7 with its heading; a stretched arm is turned |
| 2 | joint 4 where the plan has it; where links 3 and 4 end stretched: towards it | place of joint 4 |
| 3 | joint 2 where the plan has it; links 1 and 2 with their headings | links 4, 3 by the law of cosines |

The head of a cycle rests on joint 4, joint 4 on joint 2 of the stage before, and joint 2 is put in its place by two bent links: no
error survives a cycle, whatever the order of turns. Between its ends the leg is the plan's, shifted by what its ends are shifted.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from serpenoid.core.checks import FloatArray
from serpenoid.gaits.concertina_legs import elbow, wrapped

BENT = 0.2  # sine of an elbow: less bent ones are turned as a whole, or left as planned
FULL = 1e-6  # of their length: two links that span more are stretched
MOVING_HEADINGS = {1: [0, 1, 4, 5, 6], 3: [0, 1, 2, 3]}


def headings_of(nodes: FloatArray, near: FloatArray) -> FloatArray:
    """Headings (7,) of links with these ends (8, 2), each within half a turn of `near`."""
    way = np.diff(nodes, axis=0)
    return np.asarray(near + [wrapped(a) for a in np.arctan2(way[:, 1], way[:, 0]) - near])


def corrected(leg: Any, nodes: FloatArray) -> Any:
    """The leg from the measured link ends (8, 2) to the goal that the plan has in the world."""
    psi = headings_of(nodes, leg.turned)
    goal_nodes, goal_psi = (x[0] for x in leg.at(1.0))
    if leg.stage == 2:
        begin, end = nodes[4], _joint_4(leg, nodes, goal_nodes)
    else:
        moving = MOVING_HEADINGS[leg.stage]
        goal = _arm(leg, nodes, goal_nodes, goal_psi) if leg.stage == 1 else _rear(leg, nodes, goal_nodes, goal_psi)
        begin, end = psi[moving], goal[moving]
    f = leg.knots[:, None]
    path = leg.path + (1.0 - f) * (begin - leg.path[0]) + f * (end - leg.path[-1])
    return replace(leg, base=nodes.copy(), turned=psi, path=path)


def _joint_4(leg: Any, nodes: FloatArray, goal: FloatArray) -> FloatArray:
    """Where joint 4 ends in stage 2: the plan's place, or towards it with links 3 and 4 stretched if they are so in the plan."""
    reach = float(leg.lengths[2] + leg.lengths[3])
    planned, way = float(np.hypot(*(goal[4] - goal[2]))), goal[4] - nodes[2]
    if planned > (1.0 - FULL) * reach or np.hypot(*way) > reach:
        return np.asarray(nodes[2] + reach * way / np.hypot(*way))
    return np.asarray(goal[4])


def _two_links(a: FloatArray, b: FloatArray, lengths: Any, bend: float, near: Any) -> tuple[float, float] | None:
    """Headings of two links from a to b, bent to the side of `bend` (joint angle) and near those given; None if nearly stretched."""
    if abs(np.sin(bend)) < BENT or not abs(lengths[0] - lengths[1]) < np.hypot(*(b - a)) < lengths[0] + lengths[1]:
        return None
    found = elbow(a[0], a[1], b[0], b[1], lengths[0], lengths[1], -1.0 if np.sin(bend) > 0.0 else 1.0)
    first, second = (float(n + wrapped(x - n)) for x, n in zip(found, near, strict=True))
    return first, second


def _arm(leg: Any, nodes: FloatArray, goal: FloatArray, psi: FloatArray) -> FloatArray:
    """Headings (7,) at the end of stage 1: joint 6 in its place if the arm is bent, else the whole arm towards the goal of the head."""
    psi = psi.copy()
    bent = _two_links(nodes[4], goal[6], leg.lengths[4:6], psi[5] - psi[4], psi[4:6])
    if bent is not None:
        psi[4:6] = bent
        return psi
    own, way = goal[7] - goal[4], goal[7] - nodes[4]
    psi[4:] += wrapped(np.arctan2(way[1], way[0]) - np.arctan2(own[1], own[0]))
    return psi


def _rear(leg: Any, nodes: FloatArray, goal: FloatArray, psi: FloatArray) -> FloatArray:
    """Headings (7,) at the end of stage 3: joint 2 in its place, if links 3 and 4 are bent."""
    psi = psi.copy()
    bent = _two_links(goal[2], nodes[4], leg.lengths[2:4], psi[3] - psi[2], psi[2:4])
    if bent is not None:
        psi[2:4] = bent
    return psi
