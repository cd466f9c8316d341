"""From here to there by concertina: the planner of the mechanical snake.

    plan((10.0, 10.0))                                      unit links, start as in the source: joint 4 at (2, 0), head at (4, 0)
    plan((20.0, 0.0), obstacles=(Disc((9.0, 0.2), 0.5),), half_width=0.05)

In free space the robot goes straight at the target (`walk`); among obstacles too, touching and sliding, and where that does not lead
there it searches over aims and elbows (`search`), guided by the distances of a grid (`field`). A heading asked for is searched for likewise. It always
ends, as

| status | meaning |
|---|---|
| reached | the head is on the target (and has the heading) after stage 1 of the last cycle |
| unreachable | proved: the target lies in an obstacle, or the tip of the head cannot get there through the free space |
| stalled | not reached: no posture left to try, or enough of them tried; `contacts` with `held` say what blocks |
| cycle-limit | not reached in `max_cycles` cycles |

Every leg is free of crossings at every instant: of links with each other (half widths included; centre lines stay 0.01 L apart even for thin
links) and with obstacles (to 1e-6 L); joint limits hold to 1e-5 rad. Limits: seven links, for the pattern needs two behind, two in the
middle, two in front and a head (other numbers have other stages, which the source does not give); lengths for which stage 2 closes (see `walk.closing_bearing`); obstacles as thick
as 0.02 L; a search that fails proves nothing.

Source: Y. Shan, Y. Koren, "Design and Motion Planning of a Mechanical Snake" (1993), sections III and IV.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from serpenoid.core.checks import FloatArray, per_item
from serpenoid.core.errors import InputError
from serpenoid.gaits.concertina import FOLD, Posture, checked_lengths, row
from serpenoid.gaits.concertina_legs import Leg, wrapped
from serpenoid.planning.cycles import Configuration, StageRunner
from serpenoid.planning.distances import DistanceField, distances_to
from serpenoid.planning.gaps import SevenLinkBody
from serpenoid.planning.obstacles import Upright, checked_point, point_distance, scene_of
from serpenoid.planning.refine import Contact, leg_of
from serpenoid.planning.search import search
from serpenoid.planning.start import check_start
from serpenoid.planning.walk import POLICIES, ConcertinaProblem, Walk, closing_bearing, walk

ELBOWS = ("paper", "mirror", "auto")
BEARING_LIMIT = np.pi / 2.0
_DETOUR = 1.3  # cycles a length of the way around the obstacles: a walk that takes more is searched for a shorter one
CLEARANCE = 0.01  # L: least distance of the centre lines of two thin links


@dataclass(frozen=True, eq=False)
class ConcertinaSolution:
    """A way to the target, leg by leg; lengths in m, angles in rad."""

    status: str
    reason: str
    cycles: int
    final_distance: float
    legs: tuple[Leg, ...] = field(repr=False)
    target: tuple[float, float]
    heading: float | None
    start: Posture = field(repr=False)
    end: Posture = field(repr=False)
    lengths: FloatArray = field(repr=False)
    half_width: float
    obstacles: tuple[Upright, ...] = field(repr=False)
    elbow: str
    tried: int  # postures that a search tried; 0: none was needed

    @property
    def reached(self) -> bool:
        """Whether the head is on the target."""
        return self.status == "reached"

    @property
    def contacts(self) -> tuple[Contact, ...]:
        """All contacts, in order of the legs."""
        return tuple(contact for leg in self.legs for contact in leg.contacts)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What is not as it should be: legs that could not be made fine enough where they slide."""
        return tuple(
            f"cycle {leg.cycle}, stage {leg.stage}: {leg.coarse} stretches may enter an obstacle by more than 1e-6 L"
            for leg in self.legs
            if leg.coarse
        )

    def nodes(self, points: int = 20) -> FloatArray:
        """Nodes (k, 8, 2) of the whole motion, `points` a leg."""
        s = np.linspace(0.0, 1.0, points)
        if not self.legs:
            return self.start.nodes(self.lengths)[None]
        return np.concatenate([leg.nodes(s) for leg in self.legs])


def plan(
    target: ArrayLike, *, lengths: ArrayLike = 1.0, heading: float | None = None, elbow: str = "paper",
    obstacles: tuple[Upright, ...] = (), half_width: float = 0.0, bearing_limit: float = BEARING_LIMIT,
    joint_limit: ArrayLike | None = None, max_cycles: int = 200, start: Posture | None = None, fold: float = FOLD,
    on_contact: str = "accommodate",
) -> ConcertinaSolution:  # fmt: skip
    """Plan the way of the head to a target (m), with a heading (rad) where asked, among obstacles that may be touched.

    `on_contact="stop"` ends the motion at the first contact instead, for comparison.
    """
    task, state, scale, posture = _task(
        target, lengths, heading, elbow, _several(obstacles), half_width, bearing_limit, joint_limit, max_cycles, start, fold, on_contact
    )  # fmt: skip
    walked, tried = _solve(task, state, elbow)
    legs = tuple(leg_of(ran, cycle, task.runner.body, task.runner.scene, scale) for cycle, ran in walked.done)
    end = walked.state
    return ConcertinaSolution(
        walked.status, walked.reason, walked.cycles, scale * float(np.hypot(*(end.nodes[7] - task.target))), legs,
        checked_point("target", target), heading, posture, _posture(end, scale), scale * task.lengths, float(half_width),
        _several(obstacles), elbow, tried,
    )  # fmt: skip


def _several(obstacles: Any) -> tuple[Any, ...]:
    """Obstacles as a tuple."""
    if obstacles is None:
        return ()
    if not isinstance(obstacles, tuple | list):
        raise InputError(f"obstacles must be a tuple of Disc, Polygon or Wall, got {obstacles!r}"[:200])
    return tuple(obstacles)


def _posture(state: Configuration, scale: float) -> Posture:
    x, y = scale * state.nodes[1]
    angles = np.clip([wrapped(a) for a in np.diff(state.psi)], -np.pi, np.pi)
    return Posture((float(x), float(y)), float(wrapped(state.psi[0])), angles)


def _task(
    target: Any, lengths: Any, heading: Any, elbow: str, obstacles: tuple[Any, ...], half_width: Any, bearing_limit: Any,
    joint_limit: Any, max_cycles: Any, start: Posture | None, fold: Any, on_contact: str,
) -> tuple[ConcertinaProblem, Configuration, float, Posture]:  # fmt: skip
    """Check everything that is given, and bring it to units of the mean link."""
    place = checked_point("target", target)
    links = checked_lengths(lengths)
    scale = float(links.mean())
    if elbow not in ELBOWS:
        raise InputError(f"elbow must be one of {', '.join(ELBOWS)}, got {elbow!r}")
    if on_contact not in ("accommodate", "stop"):
        raise InputError(f'on_contact must be "accommodate" or "stop", got {on_contact!r}')
    if isinstance(max_cycles, bool) or not isinstance(max_cycles, int | np.integer) or not 1 <= max_cycles <= 100_000:
        raise InputError(f"max_cycles must be a whole number from 1 to 100000, got {max_cycles!r}")
    if heading is not None:
        heading = float(wrapped(per_item("heading", heading, 1, -1e4, 1e4)[0]))
    bearing = float(per_item("bearing_limit", bearing_limit, 1, 0.0, np.pi, strict=True)[0])
    folding = float(per_item("fold", fold, 1, 0.0, np.pi / 2.0, strict=True)[0])
    width = float(per_item("half_width", half_width, 1, 0.0, 1e6)[0]) / scale
    limits = per_item("joint_limit", np.pi if joint_limit is None else joint_limit, 6, 0.0, np.pi, strict=True)
    body = SevenLinkBody(links / scale, limits, width, max(2.0 * width, CLEARANCE))
    if start is not None and not isinstance(start, Posture):
        raise InputError(f"start must be a Posture, got {start!r}"[:200])
    posture = Posture(angles=row(1, folding)) if start is None else start
    _check_pattern(body, folding)
    scene = scene_of(obstacles, scale)
    check_start(posture.nodes(links) / scale, body, scene, obstacles, scale, posture)
    side = 1 if posture.angles[2] <= 0.0 else -1  # type: ignore[index]
    task = ConcertinaProblem(
        StageRunner(body, scene, folding, on_contact == "stop"),
        np.array(place) / scale,
        heading,
        bearing,
        int(max_cycles),
    )
    return task, Configuration(posture.nodes(links) / scale, posture.headings, side), scale, posture


def _check_pattern(body: SevenLinkBody, fold: float) -> None:
    """Refuse lengths for which stage 2 cannot close, and limits that the pattern exceeds."""
    L = body.lengths
    middle = float(np.hypot((L[2] + L[3]) * np.cos(fold), (L[2] - L[3]) * np.sin(fold)))
    if closing_bearing(L, middle, body.clearance) < 0.0:
        need = 0.5 * (L[2] + L[3] - middle + body.clearance)
        raise InputError(
            f"stage 2 cannot close: the shorter of links 5 and 6 must be at least {need:.4g} mean links long to let links 3 and 4 "
            f"stretch from a fold of {np.degrees(fold):.3g} deg, got {min(L[4], L[5]):.4g}"
        )
    if body.limits.min() < 2.0 * fold - 1e-9:
        raise InputError(
            f"joint_limit {np.degrees(body.limits.min()):.4g} deg is below twice the fold of {np.degrees(fold):.4g} deg that the "
            "pattern needs; give a smaller fold"
        )


def _guide(task: ConcertinaProblem, start: Configuration) -> DistanceField | None:
    """Distances around the obstacles, or None where they prove that there is no way."""
    given = (task.runner.scene, task.target, start.nodes, task.runner.body.half_width)
    guide = distances_to(*given)
    if guide.connected(start.nodes[7]):
        return guide
    for cell in (0.1, 0.05, 0.025):  # narrow or closed: the finer the cells, the smaller the leaks
        guide = distances_to(*given, cell=cell, proof=True)
        if not guide.connected(start.nodes[7]):
            return None
    return guide


def _solve(task: ConcertinaProblem, start: Configuration, elbow: str) -> tuple[Walk, int]:
    """Choose the way of planning: straight walks first, then the search."""
    scene = task.runner.scene
    among = len(scene.discs) + len(scene.names) > 0
    guide = None
    if among:
        if point_distance(scene, *task.target) < task.runner.body.half_width:
            return Walk(
                start, "unreachable", "the target lies inside an obstacle, or closer to it than the head's half width"
            ), 0
        guide = _guide(task, start)
        if guide is None:
            return Walk(
                start, "unreachable", "the obstacles enclose the target or the head: no free way for its tip"
            ), 0
    if elbow == "auto":
        ways = [_go(task, start, policy, among, guide) for policy in ("paper", "mirror")]
        ways += [(walk(task, start, policy), 0) for policy in ("towards", "away") if task.heading is None]
        if not any(way.status == "reached" for way, _ in ways) and (among or task.heading is not None):
            ways.append(search(task, start, (1, -1), guide))
        return min(ways, key=lambda way: _rank(task, way[0]))
    return _go(task, start, elbow, among, guide)


def _rank(task: ConcertinaProblem, way: Walk) -> tuple[bool, int, float]:
    """What is better: reached in fewer cycles, or else nearer."""
    missed = way.status != "reached"
    return missed, 0 if missed else way.cycles, float(np.hypot(*(way.state.nodes[7] - task.target)))


def _go(
    task: ConcertinaProblem, start: Configuration, policy: str, among: bool, guide: DistanceField | None
) -> tuple[Walk, int]:
    """Walk straight at the target; search where that does not reach it, or only after a long detour."""
    way = None
    if task.heading is None:
        way = walk(task, start, policy)
        short = guide is None or way.cycles <= _DETOUR * guide.at(*start.nodes[7])
        if task.runner.stop or not among or (way.status == "reached" and short):
            return way, 0
    found, tried = search(task, start, (POLICIES[policy](0.0),), guide)
    return (way if way is not None and _rank(task, way) <= _rank(task, found) else found), tried
