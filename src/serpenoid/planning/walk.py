"""Cycle after cycle straight at the target: the paper's planner, with its gaps closed.

Each cycle stretches links 5 to 7 towards the target: with joint 4 as origin and the body axis from joint 2 to joint 4, the bearing eta of the target is
kept within a limit (90 degrees; beyond acos(-1/4) = 104.48 degrees joints 2 and 6 of equal links come closer than L3 + L4, and stage 2 cannot
stretch). A target within L5 + L6 + L7 of joint 4 and within the bearing limit is reached by inverse kinematics after stage 1, and the
walk ends. Targets near or behind the robot can lead it round and round: after 4 cycles without improvement of the
head's distance it goes 4 cycles straight ahead.

The elbow side of a cycle is a policy: +1 always (as in the paper), -1 always (mirrored), towards the side to which it turns, or away from it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from serpenoid.core.checks import FloatArray
from serpenoid.gaits.concertina import Posture
from serpenoid.gaits.concertina_legs import wrapped
from serpenoid.planning.accommodate import BLOCKED, FREE, STOPPED
from serpenoid.planning.cycles import Configuration, StageRun, StageRunner
from serpenoid.planning.inverse import REACH_HAIR, arm_goals

PATIENCE, STRAIGHT = 4, 4  # cycles
REACHED = 1e-6  # L: distance that counts as reached when the head slid there; free motion ends at rounding
GIVE_UP = 12  # cycles without improvement among obstacles

POLICIES: dict[str, Callable[[float], int]] = {
    "paper": lambda turn: 1,
    "mirror": lambda turn: -1,
    "towards": lambda turn: -1 if turn < -1e-9 else 1,
    "away": lambda turn: 1 if turn < -1e-9 else -1,
}


@dataclass(frozen=True)
class ConcertinaProblem:
    """What to do: the target and its heading, how the robot may turn, and the runner of stages; lengths in mean links."""

    runner: StageRunner
    target: FloatArray  # (2,) mean links
    heading: float | None  # rad
    bearing_limit: float  # rad
    max_cycles: int
    begin: Configuration
    posture: Posture  # the same in m
    plan: Any  # the ConcertinaPlan that it comes from, in m
    scale: float  # m: the mean link
    unit: str  # in which lengths are named
    unit_length: float  # m: that unit

    def length_text(self, length: float) -> str:
        """A length (mean links) in the unit of the plan."""
        return f"{length * self.scale / self.unit_length:.3g} {self.unit}"

    @property
    def lengths(self) -> FloatArray:
        """Lengths of the links (7,)."""
        return self.runner.body.lengths


@dataclass
class Walk:
    """What came of it: stages of all cycles, the state, how it ended and why."""

    state: Configuration
    status: str = "cycle-limit"
    reason: str = ""
    cycles: int = 0
    done: list[tuple[int, StageRun]] = field(default_factory=list)

    def add(self, cycle: int, stages: list[StageRun]) -> None:
        """Add the stages of a cycle."""
        self.cycles = cycle
        self.done += [(cycle, ran) for ran in stages]


class TargetBearing(NamedTuple):
    """A point as seen from joint 4: distance, bearing from the body axis; the axis, and the largest bearing that stage 2 can use."""

    distance: float
    bearing: float
    axis: float
    limit: float


def closing_bearing(lengths: FloatArray, middle: float, clearance: float) -> float:
    """Largest bearing of the stretched arm at which stage 2 can stretch, for joints 2 and 4 `middle` apart; -1 if there is none.

    d_62^2 = middle^2 + R^2 + 2 middle R cos(eta) with R = L5 + L6 must be at least (L3 + L4 + abs(L5 - L6) + clearance)^2.
    """
    front = lengths[4] + lengths[5]
    least = lengths[2] + lengths[3] + abs(lengths[4] - lengths[5]) + clearance
    cosine = (least**2 - middle**2 - front**2) / (2.0 * middle * front)
    return float(np.arccos(max(cosine, -1.0))) if cosine <= 1.0 else -1.0


def bearing_to(task: ConcertinaProblem, state: Configuration, point: FloatArray) -> TargetBearing:
    """See a point from joint 4."""
    joint_2, joint_4 = state.nodes[2], state.nodes[4]
    along, to = joint_4 - joint_2, point - joint_4
    axis = float(np.arctan2(along[1], along[0]))
    closing = closing_bearing(task.lengths, max(float(np.hypot(*along)), 1e-9), task.runner.body.clearance)
    return TargetBearing(
        float(np.hypot(*to)), float(wrapped(np.arctan2(to[1], to[0]) - axis)), axis, min(task.bearing_limit, max(closing, 0.0))
    )  # fmt: skip


def try_to_reach(
    task: ConcertinaProblem, state: Configuration, side: int
) -> tuple[Configuration, list[StageRun]] | None:
    """Stage 1 that puts the head on the target (with its heading), or None."""
    seen = bearing_to(task, state, task.target)
    reach = float(task.lengths[4:].sum())
    if seen.distance > reach + REACH_HAIR or (task.heading is None and abs(seen.bearing) > seen.limit + REACH_HAIR):
        return None
    goals = arm_goals(state.nodes[4], float(state.psi[3]), task.target, task.lengths, task.heading)
    for goal in goals:
        new, how = task.runner.run(state, 0.0, task.target, side, last=1, arm=goal)
        if how == [FREE]:
            return new, task.runner.ran()
        if how == [STOPPED]:
            continue
        turned = 0.0 if task.heading is None else abs(wrapped(new.psi[6] - task.heading))
        if np.hypot(*(new.nodes[7] - task.target)) <= REACHED and turned <= REACHED:
            return new, task.runner.ran()
    return None


def walk(task: ConcertinaProblem, start: Configuration, policy: str) -> Walk:
    """Go straight at the target until it is reached, nothing helps any more, or the cycles are used up."""
    result = Walk(start)
    state, best, approach, idle, waited, straight = start, np.inf, np.inf, 0, 0, 0
    among = len(task.runner.scene.discs) + len(task.runner.scene.names) > 0
    for cycle in range(1, task.max_cycles + 1):
        seen = bearing_to(task, state, task.target)
        if straight == 0:
            reached = try_to_reach(task, state, POLICIES[policy](seen.bearing))
            if reached is not None:
                result.add(cycle, reached[1])
                result.state, result.status = reached[0], "reached"
                return result
            if seen.distance <= task.lengths[4:].sum() and abs(seen.bearing) <= seen.limit:
                straight = STRAIGHT  # in reach, but its own body is in the way: leave and come again
        turn = 0.0 if straight > 0 else float(np.clip(seen.bearing, -seen.limit, seen.limit))
        aim = task.target if turn == seen.bearing else ahead(state, seen.axis + turn, task.lengths)
        new, how = task.runner.run(state, seen.axis + turn, aim, POLICIES[policy](turn))
        result.add(cycle, task.runner.ran())
        result.state = new
        if STOPPED in how:
            result.status, result.reason = "stalled", "stopped at the first contact"
            return result
        moved = float(np.abs(new.nodes - state.nodes).max())
        state = new
        # progress, escape from limit cycles, end
        distance = float(np.hypot(*(task.target - state.nodes[7])))
        if straight > 0:  # leaving: a new approach begins where it ends
            straight, approach, waited = straight - 1, np.inf, 0
        else:
            approach, waited = (distance, 0) if distance < approach - 1e-9 else (approach, waited + 1)
            straight = STRAIGHT if waited >= PATIENCE else 0
        best, idle = (distance, 0) if distance < best - 1e-9 else (best, idle + 1)
        if among and (idle >= GIVE_UP or (moved < 1e-6 and how.count(BLOCKED) == 3)):
            result.status, result.reason = "stalled", "no cycle brings the head nearer to the target"
            return result
    result.reason = f"not reached in {task.max_cycles} cycles"
    return result


def ahead(state: Configuration, heading: float, lengths: FloatArray) -> FloatArray:
    """A point to aim at in a direction, well beyond the reach of the arm."""
    return state.nodes[4] + 2.0 * float(lengths[4:].sum()) * np.array([np.cos(heading), np.sin(heading)])
