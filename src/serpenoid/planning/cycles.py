"""One cycle of concertina towards an aim, in free space or among obstacles: three stages, and the legs that come of them.

| stage | free goal |
|---|---|
| 1 | links 5, 6, 7 stretched towards the aim; theta_1, theta_2 folded as in row 2 of Table I |
| 2 | joint 4 on the line from joint 2 to joint 6, links 3 and 4 stretched: d_64 = d_62 - L3 - L4, equation (10) |
| 3 | theta_1 .. theta_4 of the basic pattern, equation (12) |

`side` is that of the new folds (joint 5 in stage 2, joints 1 to 4 in stage 3); joint 3 keeps its side in stage 2, and so does joint 5 where
it is already bent. Lengths are in units of the mean link.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from serpenoid.compiled import kernel, njit
from serpenoid.core.checks import FloatArray
from serpenoid.gaits.concertina_legs import coordinates, place, wrapped
from serpenoid.planning.accommodate import CAPACITY, STOPPED, TOUCHED, run_stage
from serpenoid.planning.gaps import SIZE, Body
from serpenoid.planning.obstacles import Scene

HITS = 4000
STRAIGHT = 1e-6  # rad: an arm bent less is stretched


class State(NamedTuple):
    """Where the robot is between cycles."""

    nodes: FloatArray  # (8, 2)
    psi: FloatArray  # (7,)
    side: int  # of the folded middle


class Ran(NamedTuple):
    """What a stage did: its beginning, its path, what it touched."""

    stage: int
    how: int  # FREE, TOUCHED, BLOCKED or STOPPED
    nodes: FloatArray
    psi: FloatArray
    path: FloatArray
    hits: FloatArray
    rear: int
    front: int


@njit
def _near(nodes, body, scene, near):
    """Discs that links about joint 4 can touch in this stage; their number."""
    L = body.lengths
    reach = max(L[4] + L[5] + L[6], L[0] + L[1] + L[2] + L[3]) + body.half_width + 0.5
    count = 0
    for i in range(scene.discs.shape[0]):
        dx, dy = scene.discs[i, 0] - nodes[4, 0], scene.discs[i, 1] - nodes[4, 1]
        if dx * dx + dy * dy < (reach + scene.discs[i, 2]) ** 2:
            near[count] = i
            count += 1
    return count


@njit
def _bend_side(angle, wanted):
    """Side of an elbow: that of its bend, or the wanted one if it is stretched."""
    if abs(angle) > STRAIGHT:
        return -1.0 if angle > 0.0 else 1.0
    return wanted


@njit
def _goals(stage, nodes, psi, heading, aim_x, aim_y, rear, side, fold, lengths, free_goal, goal):
    """Fill the goal of the free motion (coordinates) and of the objective."""
    if stage == 1:
        goal[0], goal[1], goal[4], goal[5] = -2.0 * fold * rear, 2.0 * fold * rear, aim_x, aim_y
        free_goal[1] = psi[2] - goal[1]
        free_goal[0] = free_goal[1] - goal[0]
        for k in range(3):
            free_goal[2 + k] = psi[3] + wrapped(heading - psi[3])
    elif stage == 2:
        dx, dy = nodes[6, 0] - nodes[2, 0], nodes[6, 1] - nodes[2, 1]
        d = np.sqrt(dx * dx + dy * dy)
        f = min(lengths[2] + lengths[3], d) / d
        free_goal[0], free_goal[1] = nodes[2, 0] + f * dx, nodes[2, 1] + f * dy
    else:
        goal[0], goal[1], goal[2], goal[3] = 0.0, fold * side, -2.0 * fold * side, 2.0 * fold * side
        free_goal[3] = psi[4] - goal[3]
        for k in range(2, -1, -1):
            free_goal[k] = free_goal[k + 1] - goal[k]


@njit
def _straighten(nodes, psi, lengths, path, knots):
    """Stretch an arm that is all but stretched, so that stage 2 can begin from either side; the number of knots."""
    q = np.empty(SIZE)
    heading = np.arctan2(nodes[6, 1] - nodes[4, 1], nodes[6, 0] - nodes[4, 0])
    psi[4] = psi[4] + wrapped(heading - psi[4])
    psi[5] = psi[4]
    m = coordinates(np.int64(1), nodes, psi, q)
    place(np.int64(1), q, lengths, 1.0, 1.0, nodes, psi)
    for j in range(m):
        path[knots, j] = q[j]
    return knots + 1


@kernel
def run_stages(
    first, last, nodes, psi, old_side, side, heading, aim_x, aim_y, fold, arm, body, scene, stop, postures, turned, paths, hits, tally
):  # fmt: skip
    """Run stages first .. last; postures (4, 8, 2) and headings (4, 7) before each and at the end, `tally` (3, 5) of each:
    how it ended, knots, notes of touch, sides of joints 3 and 5. `arm` (3,): headings of links 5 to 7 instead of stretched ones."""
    free_goal, goal = np.zeros(SIZE), np.zeros(6)
    near = np.empty(max(scene.discs.shape[0], 1), np.int64)
    for stage in range(first, last + 1):
        for k in range(8):
            postures[stage - 1, k, 0], postures[stage - 1, k, 1] = nodes[k, 0], nodes[k, 1]
        for k in range(7):
            turned[stage - 1, k] = psi[k]
        rear = _bend_side(psi[3] - psi[2], old_side)
        front = _bend_side(psi[5] - psi[4], side)
        _goals(stage, nodes, psi, heading, aim_x, aim_y, rear, side, fold, body.lengths, free_goal, goal)
        if stage == 1 and arm.shape[0] == 3:
            for k in range(3):
                free_goal[2 + k] = arm[k]
        how, knots, noted = run_stage(
            stage, nodes, psi, free_goal, goal, body, scene, near, _near(nodes, body, scene, near), rear, front, stop,
            paths[stage - 1], hits[stage - 1],
        )  # fmt: skip
        if stage == 1 and how == TOUCHED and abs(psi[5] - psi[4]) <= STRAIGHT:
            knots = _straighten(nodes, psi, body.lengths, paths[0], knots)
        tally[stage - 1, 0], tally[stage - 1, 1], tally[stage - 1, 2] = how, knots, noted
        tally[stage - 1, 3], tally[stage - 1, 4] = rear, front
        if stage == 2:
            side = front  # an elbow that is bent by contact decides
        if how == STOPPED:
            return stage
    return last


def near_discs(nodes: FloatArray, body: Body, scene: Scene) -> np.ndarray:
    """Numbers of the discs that a stage from this posture can touch."""
    near = np.empty(max(len(scene.discs), 1), dtype=np.int64)
    return near[: _near(nodes, body, scene, near)]


class Runner:
    """Runs stages for one robot among obstacles; keeps the arrays that kernels fill."""

    def __init__(self, body: Body, scene: Scene, fold: float, stop: bool = False) -> None:
        self.body, self.scene, self.fold, self.stop = body, scene, fold, stop
        self._postures, self._turned = np.empty((3, 8, 2)), np.empty((3, 7))
        self._paths, self._hits = np.empty((3, CAPACITY, SIZE)), np.empty((3, HITS, 7))
        self._tally = np.empty((3, 5), dtype=np.int64)

    def run(
        self, state: State, heading: float, aim: FloatArray, side: int, first: int = 1, last: int = 3,
        arm: FloatArray | None = None,
    ) -> tuple[State, list[int]]:  # fmt: skip
        """Run stages of a cycle: the new state, and how each stage ended."""
        nodes, psi = state.nodes.copy(), state.psi.copy()
        ended = run_stages(
            first, last, nodes, psi, float(state.side), float(side), float(heading), float(aim[0]), float(aim[1]),
            self.fold, np.empty(0) if arm is None else arm, self.body, self.scene, self.stop, self._postures, self._turned,
            self._paths, self._hits, self._tally,
        )  # fmt: skip
        self._ended = (first, ended)
        new_side = int(self._tally[1, 4]) if ended == 3 else state.side
        return State(nodes, psi, new_side), [int(x) for x in self._tally[first - 1 : ended, 0]]

    def ran(self) -> list[Ran]:
        """Copies of what the last run did, stage by stage."""
        first, last = self._ended
        width = {1: 5, 2: 2, 3: 4}
        return [
            Ran(
                k + 1, int(self._tally[k, 0]), self._postures[k].copy(), self._turned[k].copy(),
                self._paths[k, : max(self._tally[k, 1], 1), : width[k + 1]].copy(), self._hits[k, : self._tally[k, 2]].copy(),
                int(self._tally[k, 3]), int(self._tally[k, 4]),
            )
            for k in range(first - 1, last)
        ]  # fmt: skip
