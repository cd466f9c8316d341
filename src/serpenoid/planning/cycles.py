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
from serpenoid.gaits.concertina_legs import SIZE, coordinates, forward_kinematics, stage_kind, wrapped
from serpenoid.planning.accommodate import CAPACITY, STOPPED, TOUCHED, run_stage
from serpenoid.planning.gaps import SevenLinkBody
from serpenoid.planning.obstacles import ObstacleTable

HITS = 4000
STRAIGHT = 1e-6  # rad: an arm bent less is stretched


class Configuration(NamedTuple):
    """Where the robot is between cycles."""

    nodes: FloatArray  # (8, 2)
    psi: FloatArray  # (7,)
    side: int  # of the folded middle


class StageRun(NamedTuple):
    """What a stage did: its beginning, its path, what it touched."""

    stage: int
    how: int  # FREE, TOUCHED, BLOCKED or STOPPED
    nodes: FloatArray
    psi: FloatArray
    path: FloatArray
    hits: FloatArray
    rear: int
    front: int


class Aim(NamedTuple):
    """What one cycle is to do."""

    heading: float  # rad, of the stretched links 5 to 7
    x: float  # the point that the head is drawn to
    y: float
    side: float  # of the new folds
    old_side: float  # of the folded middle before the cycle
    fold: float  # rad
    arm: FloatArray  # (3,) headings of links 5 to 7 instead of stretched ones; (0,): stretched


class CycleRecord(NamedTuple):
    """Room for what the three stages of a cycle do."""

    nodes: FloatArray  # (3, 8, 2) before each stage
    headings: FloatArray  # (3, 7) before each stage
    paths: FloatArray  # (3, CAPACITY, SIZE) knots
    hits: FloatArray  # (3, HITS, 7) notes of touch
    counts: np.ndarray  # (3, 5) how it ended, knots, notes of touch, sides of joints 3 and 5


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
def _goals(stage, nodes, psi, aim, sides, lengths, free_goal, goal):
    """Fill the goal of the free motion (coordinates) and of the objective; `sides`: of the rear fold now, and of the new folds."""
    rear, side = sides
    fold = aim.fold
    if stage == 1:
        goal[0], goal[1], goal[4], goal[5] = -2.0 * fold * rear, 2.0 * fold * rear, aim.x, aim.y
        free_goal[1] = psi[2] - goal[1]
        free_goal[0] = free_goal[1] - goal[0]
        for k in range(3):
            free_goal[2 + k] = aim.arm[k] if aim.arm.shape[0] == 3 else psi[3] + wrapped(aim.heading - psi[3])
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
def _straighten(kind, nodes, psi, lengths, path, knots):
    """Stretch an arm that is all but stretched, so that stage 2 can begin from either side; the number of knots."""
    q = np.empty(SIZE)
    heading = np.arctan2(nodes[6, 1] - nodes[4, 1], nodes[6, 0] - nodes[4, 0])
    psi[4] = psi[4] + wrapped(heading - psi[4])
    psi[5] = psi[4]
    coordinates(kind.number, nodes, psi, q)
    forward_kinematics(kind, q, lengths, nodes, psi)
    for j in range(kind.size):
        path[knots, j] = q[j]
    return knots + 1


@kernel
def run_stages(first, last, nodes, psi, aim, body, scene, stop, record):
    """Run stages first .. last from a posture, which is left where they end; the number of the last stage that was run."""
    free_goal, goal = np.zeros(SIZE), np.zeros(6)
    near = np.empty(max(scene.discs.shape[0], 1), np.int64)
    side = aim.side
    for stage in range(first, last + 1):
        k = stage - 1
        for i in range(8):
            record.nodes[k, i, 0], record.nodes[k, i, 1] = nodes[i, 0], nodes[i, 1]
        for i in range(7):
            record.headings[k, i] = psi[i]
        kind = stage_kind(stage, _bend_side(psi[3] - psi[2], aim.old_side), _bend_side(psi[5] - psi[4], side))
        _goals(stage, nodes, psi, aim, (kind.rear, side), body.lengths, free_goal, goal)
        reached = near[: _near(nodes, body, scene, near)]
        how, knots, noted = run_stage(
            kind, nodes, psi, free_goal, goal, body, scene, reached, stop, record.paths[k], record.hits[k]
        )
        if stage == 1 and how == TOUCHED and abs(psi[5] - psi[4]) <= STRAIGHT:
            knots = _straighten(kind, nodes, psi, body.lengths, record.paths[0], knots)
        counts = record.counts[k]
        counts[0], counts[1], counts[2], counts[3], counts[4] = how, knots, noted, kind.rear, kind.front
        if stage == 2:
            side = kind.front  # an elbow that is bent by contact decides
        if how == STOPPED:
            return stage
    return last


def near_discs(nodes: FloatArray, body: SevenLinkBody, scene: ObstacleTable) -> np.ndarray:
    """Numbers of the discs that a stage from this posture can touch."""
    near = np.empty(max(len(scene.discs), 1), dtype=np.int64)
    return near[: _near(nodes, body, scene, near)]


class StageRunner:
    """Runs stages for one robot among obstacles; keeps the arrays that kernels fill."""

    def __init__(self, body: SevenLinkBody, scene: ObstacleTable, fold: float, stop: bool = False) -> None:
        self.body, self.scene, self.fold, self.stop = body, scene, fold, stop
        self._record = CycleRecord(
            np.empty((3, 8, 2)), np.empty((3, 7)), np.empty((3, CAPACITY, SIZE)), np.empty((3, HITS, 7)),
            np.empty((3, 5), dtype=np.int64),
        )  # fmt: skip

    def run(
        self, state: Configuration, heading: float, aim: FloatArray, side: int, first: int = 1, last: int = 3,
        arm: FloatArray | None = None,
    ) -> tuple[Configuration, list[int]]:  # fmt: skip
        """Run stages of a cycle: the new state, and how each stage ended."""
        nodes, psi = state.nodes.copy(), state.psi.copy()
        goal = Aim(
            float(heading), float(aim[0]), float(aim[1]), float(side), float(state.side), self.fold,
            np.empty(0) if arm is None else arm,
        )  # fmt: skip
        ended = run_stages(first, last, nodes, psi, goal, self.body, self.scene, self.stop, self._record)
        self._ended = (first, ended)
        counts = self._record.counts
        new_side = int(counts[1, 4]) if ended == 3 else state.side
        return Configuration(nodes, psi, new_side), [int(x) for x in counts[first - 1 : ended, 0]]

    def ran(self) -> list[StageRun]:
        """Copies of what the last run did, stage by stage."""
        first, last = self._ended
        width, record = {1: 5, 2: 2, 3: 4}, self._record
        runs = []
        for k in range(first - 1, last):
            how, knots, noted, rear, front = (int(x) for x in record.counts[k])
            path = record.paths[k, : max(knots, 1), : width[k + 1]].copy()
            runs.append(
                StageRun(
                    k + 1, how, record.nodes[k].copy(), record.headings[k].copy(), path, record.hits[k, :noted].copy(), rear, front
                )
            )  # fmt: skip
        return runs
