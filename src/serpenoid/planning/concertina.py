"""From here to there by concertina: the planner of the mechanical snake.

    ConcertinaPlan((10.0, 10.0)).solve()                    link lengths; start as in the source: joint 4 at (2, 0), head at (4, 0)
    ConcertinaPlan((3.6, 0.0), obstacles=(Disc((1.6, 0.04), 0.09),)).solve(robots.ms1())        m

A plan is a description: what is asked, of any robot of seven links. Its lengths are in m, or in mean link lengths where `unit` says so or no robot
is given; the solution is in m (without a robot: links of 1 m). Messages and `summary` are in the unit of the plan.

In free space the robot goes straight at the target (`walk`); among obstacles too, touching and sliding, and where that does not lead
there it searches over aims and elbows (`search`), guided by the distances of a grid (`distances`). A heading asked for is searched for likewise. It always
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

from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from serpenoid.control.motors import SENSORS, Motors
from serpenoid.core import Robot, Start, World
from serpenoid.core.checks import FloatArray, per_item
from serpenoid.core.command import PLANS
from serpenoid.core.declare import Description, Part, Parts, declare, description
from serpenoid.core.door import door
from serpenoid.core.errors import InputError
from serpenoid.core.obstacles import Upright
from serpenoid.core.quantities import Angle, Choice, Flag, Number, Whole
from serpenoid.core.several import Numbers, Vector
from serpenoid.core.terrain import OBSTACLES
from serpenoid.gaits.concertina import FOLD, LINKS, Posture, checked_lengths, row
from serpenoid.gaits.concertina_legs import Leg, wrapped
from serpenoid.planning.cycles import Configuration, StageRunner
from serpenoid.planning.distances import DistanceField, distances_to
from serpenoid.planning.gaps import SevenLinkBody
from serpenoid.planning.obstacles import FARTHEST, PLANNED, point_distance, scaled, scene_of
from serpenoid.planning.refine import Contact, leg_of
from serpenoid.planning.search import search
from serpenoid.planning.start import check_start
from serpenoid.planning.walk import POLICIES, ConcertinaProblem, Walk, closing_bearing, walk

ELBOWS = ("paper", "mirror", "auto")
UNITS = ("m", "link lengths")
CONTACTS = ("accommodate", "stop")
PLACE = Vector("where the tip of the head is to go", "m or link lengths", item=Number(low=-FARTHEST, high=FARTHEST))
BEARING_LIMIT = np.pi / 2.0
_DETOUR = 1.3  # cycles a length of the way around the obstacles: a walk that takes more is searched for a shorter one
CLEARANCE = 0.01  # L: least distance of the centre lines of two thin links


@PLANS.register
@description(eq=False)
class ConcertinaPlan(Description):
    """The head to a target, with a heading where asked, among obstacles that may be touched. Lengths in m or mean link lengths, see `unit`."""

    target: tuple[float, float] = declare(PLACE)
    heading: float | None = declare(Angle("of the head at the target; none: any"), default=None)
    obstacles: tuple[Upright, ...] = declare(
        Parts("what stands in the way, and may be touched", of=OBSTACLES), default=()
    )
    half_width: float | None = declare(
        Number("none: that of the robot", "m or link lengths", low=0.0, high=1e6), default=None
    )
    elbow: str = declare(
        Choice("side to which joint 5 folds: left as in the source, right, or what takes the fewest cycles", options=ELBOWS),
        default="paper",
    )  # fmt: skip
    max_cycles: int = declare(Whole("cycles at most", low=1, high=100_000), default=200)
    bearing_limit: float = declare(
        Angle("largest turn of the arm in a cycle", above=0.0, high=np.pi), default=BEARING_LIMIT
    )
    joint_limit: Any = declare(
        Numbers("one or one per joint; none: those of the robot", item=Angle(above=0.0, high=np.pi)), default=None
    )
    start: Posture | None = declare(Part("none: the start of the basic pattern", of=Posture), default=None)
    fold: float = declare(Angle("folding angle of the basic pattern", above=0.0, high=np.pi / 2.0), default=FOLD)
    on_contact: str = declare(
        Choice("slide along what is touched, or stop there (for comparison)", options=CONTACTS), default="accommodate"
    )
    unit: str | None = declare(
        Choice("of the lengths here; none: m with a robot, link lengths without", options=UNITS), default=None
    )

    motors: Motors | None = declare(
        Part("servos, pins and pace of the execution; none: the robot's own, or the usual ones", of=Motors),
        default=None,
    )
    sensor: str = declare(Choice("how contact is felt in the execution", options=SENSORS), default="tactile")
    anyway: bool = declare(Flag("carry out what there is of a plan that does not reach its goal"), default=False)

    TAG: ClassVar[str] = "kind"
    NAME: ClassVar[str] = "concertina"
    SECTION: ClassVar[str] = "plan"

    def check(self) -> None:
        """Only some obstacles can be planned around."""
        for item in self.obstacles:
            if not isinstance(item, PLANNED):
                raise InputError(f"obstacles must be Disc, Polygon or Wall, got {item!r}"[:200])

    def prepare(self, robot: Robot, world: World, start: Start, progress: Any = None) -> Any:
        """What carries the plan out: robot, world, controller, start, longest time (s)."""
        from serpenoid.planning.carry_out import prepare_concertina

        return prepare_concertina(self, robot, world)

    @door
    def solve(self, body: Robot | ArrayLike | None = None) -> ConcertinaSolution:
        """Plan the way for a robot, for links of given lengths (m), or for unit links."""
        problem = posed(self, body)
        way, tried = _solve(problem, problem.begin, self.elbow)
        scale, runner = problem.scale, problem.runner
        legs = tuple(leg_of(ran, cycle, runner.body, runner.scene, scale) for cycle, ran in way.done)
        status, reason = _sound(legs, way.status, way.reason)
        return ConcertinaSolution(
            plan=problem.plan, status=status, reason=reason, cycles=way.cycles,
            final_distance=scale * float(np.hypot(*(way.state.nodes[7] - problem.target))), legs=legs, start=problem.posture,
            end=_posture(way.state, scale), lengths=scale * problem.lengths, half_width=scale * runner.body.half_width,
            unit=problem.unit, unit_length=problem.unit_length, tried=tried,
        )  # fmt: skip


@dataclass(frozen=True, eq=False)
class ConcertinaSolution:
    """A way to the target, leg by leg; lengths in m, angles in rad."""

    plan: ConcertinaPlan = field(repr=False)  # its lengths in m
    status: str
    reason: str
    cycles: int
    final_distance: float
    legs: tuple[Leg, ...] = field(repr=False)
    start: Posture = field(repr=False)
    end: Posture = field(repr=False)
    lengths: FloatArray = field(repr=False)
    half_width: float
    unit: str  # of the plan as it was given
    unit_length: float  # that unit in m
    tried: int  # postures that a search tried; 0: none was needed

    @property
    def target(self) -> tuple[float, float]:
        """Where the head was to go, m."""
        return self.plan.target

    @property
    def heading(self) -> float | None:
        """The heading asked for, rad."""
        return self.plan.heading

    @property
    def obstacles(self) -> tuple[Upright, ...]:
        """What stood in the way, m."""
        return self.plan.obstacles

    @property
    def reached(self) -> bool:
        """Whether the head is on the target."""
        return self.status == "reached"

    @property
    def partial(self) -> bool:
        """Whether there is a part of the way."""
        return bool(self.legs)

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

    @door(points=Whole(low=2, high=100_000))
    def nodes(self, points: int = 20) -> FloatArray:
        """Nodes (k, 8, 2) of the whole motion, `points` per leg."""
        s = np.linspace(0.0, 1.0, points)
        if not self.legs:
            return self.start.nodes(self.lengths)[None]
        return np.concatenate([leg.nodes(s) for leg in self.legs])

    def summary(self) -> dict[str, Any]:
        """What came of it in plain numbers, lists and texts; lengths in the unit of the plan."""
        u = self.unit_length
        return {
            "status": self.status, "reason": self.reason, "cycles": self.cycles, "final_distance": self.final_distance / u,
            "target": [x / u for x in self.target], "heading": self.heading, "elbow": self.plan.elbow, "unit": self.unit,
            "tried": self.tried, "warnings": list(self.warnings),
            "contacts": [
                {
                    "link": c.link, "obstacle": c.obstacle, "point": [x / u for x in c.point], "direction": list(c.direction),
                    "cycle": c.cycle, "stage": c.stage, "held": c.held,
                }
                for c in self.contacts
            ],
        }  # fmt: skip


def _sound(legs: tuple[Leg, ...], status: str, reason: str) -> tuple[str, str]:
    """Status and reason of a way: it is not reached by legs that enter obstacles."""
    for leg in legs:
        if status == "reached" and leg.sunk:
            return "stalled", f"cycle {leg.cycle}, stage {leg.stage} enters an obstacle and could not be led around it"
    return status, reason


def _posture(state: Configuration, scale: float) -> Posture:
    x, y = scale * state.nodes[1]
    angles = np.clip([wrapped(a) for a in np.diff(state.psi)], -np.pi, np.pi)
    return Posture((float(x), float(y)), float(wrapped(state.psi[0])), angles)


def _body(body: Any) -> tuple[FloatArray, Any, float]:
    """Lengths (m), joint limits (rad) and half width (m) of the robot, of plain lengths, or of unit links."""
    if isinstance(body, Robot):
        if body.links != LINKS:
            raise InputError(f"concertina is for seven links; {body.name} has {body.links}")
        return checked_lengths(body.link_length), np.minimum(body.joint_limit, np.pi), float(body.radius.max())
    return checked_lengths(1.0 if body is None else body), np.pi, 0.0


def _in_metres(plan: ConcertinaPlan, body: Any, links: FloatArray) -> tuple[ConcertinaPlan, str, float]:
    """The plan with its lengths in m; the unit in which it was given, and that unit in m."""
    unit = plan.unit or ("link lengths" if body is None else "m")
    if unit == "m" or body is None:
        return plan, unit, 1.0
    u = float(links.mean())
    start = plan.start
    if start is not None:
        start = replace(start, joint_1=(u * start.joint_1[0], u * start.joint_1[1]))
    width = None if plan.half_width is None else u * plan.half_width
    around = tuple(scaled(item, u) for item in plan.obstacles)
    place = (u * plan.target[0], u * plan.target[1])
    return replace(plan, target=place, obstacles=around, half_width=width, start=start, unit="m"), unit, u


def posed(given: ConcertinaPlan, body: Any) -> ConcertinaProblem:
    """Check everything that is given, and bring it to units of the mean link."""
    links, limits, radius = _body(body)
    plan, unit, unit_length = _in_metres(given, body, links)
    scale = float(links.mean())
    heading = None if plan.heading is None else float(wrapped(plan.heading))
    bearing, fold = plan.bearing_limit, plan.fold
    half_width = radius if plan.half_width is None else plan.half_width
    width = half_width / scale
    limits = limits if plan.joint_limit is None else plan.joint_limit
    limits = per_item("joint_limit", limits, LINKS - 1, 0.0, np.pi, strict=True)
    shape = SevenLinkBody(links / scale, limits, width, max(2.0 * width, CLEARANCE))
    posture = Posture(angles=row(1, fold)) if plan.start is None else plan.start
    _check_pattern(shape, fold)
    scene = scene_of(plan.obstacles, scale)
    side = 1 if posture.angles[2] <= 0.0 else -1
    problem = ConcertinaProblem(
        runner=StageRunner(shape, scene, fold, plan.on_contact == "stop"), target=np.array(plan.target) / scale,
        heading=heading, bearing_limit=bearing, max_cycles=int(plan.max_cycles), plan=plan, scale=scale, unit=unit,
        unit_length=unit_length, posture=posture, begin=Configuration(posture.nodes(links) / scale, posture.headings, side),
    )  # fmt: skip
    check_start(problem)
    return problem


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
