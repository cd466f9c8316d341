"""When going straight at the target does not do: a search over the aim and the elbow of every cycle.

Best first: of all postures found so far the most promising is tried with AIMS directions of the stretched arm, evenly over the bearing limit,
and with the elbow sides allowed; each whole cycle is run among the obstacles, touching and sliding where it must, and its end is a new
posture unless one like it (joint 4, body axis, bend of joint 3) is known. Promising is a small

    distance of the head to the target around the obstacles + COST (cycles) + UNFOLDED (what joint 3 lacks of its fold)
    + TURN (body axis against the heading asked, near the target)

The distance is that of `field`; where it is infinite the target is unreachable. The search ends when the target is reached, when
no posture is left, or after EXPANSIONS postures; then the answer is the best posture, with what blocks it.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass

import numpy as np

from serpenoid.core.checks import FloatArray
from serpenoid.gaits.concertina_legs import wrapped
from serpenoid.planning.cycles import Configuration
from serpenoid.planning.distances import DistanceField
from serpenoid.planning.walk import ConcertinaProblem, Walk, ahead, bearing_to, try_to_reach

AIMS = 11
EXPANSIONS = 300
COST, UNFOLDED, TURN = 0.3, 0.5, 1.0  # L a cycle, L a rad, L a rad
_NEAR = 6.0  # L: from here on the heading counts


@dataclass(frozen=True)
class SearchNode:
    """A posture of the search, how many cycles led there, and the last of them."""

    state: Configuration
    cycle: int
    parent: SearchNode | None = None
    turn: float = 0.0
    side: int = 1


def _key(state: Configuration) -> tuple[int, ...]:
    """Postures with the same key count as one."""
    joint_2, joint_4 = state.nodes[2], state.nodes[4]
    axis = np.arctan2(joint_4[1] - joint_2[1], joint_4[0] - joint_2[0])
    fold = state.psi[3] - state.psi[2]
    return tuple(round(float(x)) for x in (joint_4[0] / 0.3, joint_4[1] / 0.3, axis / 0.4, fold / 0.5))


def _distance(task: ConcertinaProblem, field: DistanceField | None, place: FloatArray) -> float:
    return float(np.hypot(*(place - task.target))) if field is None else field.at(place[0], place[1])


def _score(
    task: ConcertinaProblem, field: DistanceField | None, state: Configuration, cycle: int, fold: float
) -> float:
    distance = _distance(task, field, state.nodes[7])
    score = distance + COST * cycle + UNFOLDED * max(0.0, 2.0 * fold - abs(state.psi[3] - state.psi[2]))
    if task.heading is not None:
        along = state.nodes[4] - state.nodes[2]
        off = abs(wrapped(np.arctan2(along[1], along[0]) - task.heading))
        score += TURN * off * min(max(2.0 - 2.0 * distance / _NEAR, 0.0), 1.0)
    return score


def _children(task: ConcertinaProblem, node: SearchNode, sides: tuple[int, ...]) -> list[SearchNode]:
    seen = bearing_to(task, node.state, task.target)
    found = []
    for turn in np.linspace(-seen.limit, seen.limit, AIMS):
        for side in sides:
            heading = seen.axis + float(turn)
            state, _ = task.runner.run(node.state, heading, ahead(node.state, heading, task.lengths), side)
            found.append(SearchNode(state, node.cycle + 1, node, float(turn), side))
    return found


def _retrace(task: ConcertinaProblem, node: SearchNode) -> Walk:
    """Run the cycles that led to a posture again, and keep them."""
    line = [node]
    while line[-1].parent is not None:
        line.append(line[-1].parent)
    result = Walk(line[-1].state)
    for step in line[-2::-1]:
        assert step.parent is not None
        seen = bearing_to(task, step.parent.state, task.target)
        heading = seen.axis + step.turn
        result.state, _ = task.runner.run(
            step.parent.state, heading, ahead(step.parent.state, heading, task.lengths), step.side
        )
        result.add(step.cycle, task.runner.ran())
    return result


def search(
    task: ConcertinaProblem, start: Configuration, sides: tuple[int, ...], field: DistanceField | None
) -> tuple[Walk, int]:
    """Best-first search over aims and elbows; what came of it, and how many postures were tried."""
    root = SearchNode(start, 0)
    heap: list[tuple[float, int, SearchNode]] = [(0.0, 0, root)]
    known = {_key(start)}
    best, nearest, cut = root, _distance(task, field, start.nodes[7]), False
    count = 0
    while heap and count < EXPANSIONS:
        node = heapq.heappop(heap)[2]
        if node.cycle >= task.max_cycles:
            cut = True
            continue
        count += 1
        for side in sides:
            reached = try_to_reach(task, node.state, side)
            if reached is not None:
                result = _retrace(task, node)
                result.add(node.cycle + 1, reached[1])
                result.state, result.status = reached[0], "reached"
                return result, count
        for child in _children(task, node, sides):
            key = _key(child.state)
            if key in known:
                continue
            known.add(key)
            score = _score(task, field, child.state, child.cycle, task.runner.fold)
            heapq.heappush(heap, (score, len(known), child))
            distance = _distance(task, field, child.state.nodes[7])
            if distance < nearest:
                best, nearest = child, distance
    result = _retrace(task, best)
    result.status = "cycle-limit" if cut and not heap else "stalled"
    result.reason = (
        f"not reached in {task.max_cycles} cycles" if result.status == "cycle-limit" else _why(count, bool(heap))
    )
    return result, count


def _why(count: int, more: bool) -> str:
    if more:
        return f"not reached after trying {count} postures; the nearest is returned"
    return f"no aim leads on from any of the {count} postures found; the nearest is returned"
