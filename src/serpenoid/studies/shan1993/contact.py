"""Mobility after contact: Table II, Figs 15 and 16, and cluttered fields (section IV)."""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np

from serpenoid.core.checks import FloatArray
from serpenoid.gaits.concertina import FOLD, Posture, basic_cycle
from serpenoid.gaits.concertina_legs import Leg
from serpenoid.planning import TABLE_2, ConcertinaPlan, ConcertinaSolution, Disc, degrees_of_freedom, mobility_table
from serpenoid.planning.cycles import Configuration, StageRunner
from serpenoid.planning.gaps import SevenLinkBody
from serpenoid.planning.obstacles import scene_of
from serpenoid.planning.refine import leg_of
from serpenoid.studies.claims import judged
from serpenoid.studies.shan1993.pattern import SOURCE

STILL, SLIDES = 1e-6, 0.05  # link lengths: a link that stops, and one that slides, moves so far
FIELDS = {True: 3, False: 20}  # cluttered fields of the quick and of the whole study
HALF_WIDTH = 0.05


@dataclass(frozen=True)
class PaperCase:
    """An obstacle in the way of one link (Figs 15 and 16)."""

    name: str
    link: int
    stage: int
    target: tuple[float, float]
    disc: Disc


CASES = (
    PaperCase("15 (a)", 5, 1, (10.0, 0.0), Disc((2.62, 0.28), 0.15)),
    PaperCase("15 (b)", 6, 1, (8.0, 8.0), Disc((2.95, 0.95), 0.3)),
    PaperCase("15 (c)", 7, 1, (10.0, 0.0), Disc((4.3, 0.2), 0.3)),
    PaperCase("16 (a)", 4, 2, (10.0, 0.0), Disc((2.05, 0.5), 0.15)),
    PaperCase("16 (b)", 5, 2, (10.0, 0.0), Disc((2.62, 0.28), 0.15)),
    PaperCase("link 3", 3, 2, (10.0, 0.0), Disc((1.45, 0.35), 0.15)),
    PaperCase("link 6", 6, 2, (8.0, 8.0), Disc((2.5, 1.85), 0.3)),
)


def one_cycle(target: tuple[float, float], obstacles: tuple[Any, ...], start: Posture | None = None) -> list[Leg]:
    """The legs of one cycle straight at the target among obstacles, thin unit links."""
    body, scene, posture = (
        SevenLinkBody(np.ones(7), np.full(6, np.pi), 0.0, 0.01),
        scene_of(obstacles),
        start or Posture(),
    )
    nodes, aim = posture.nodes(), np.array(target)
    runner = StageRunner(body, scene, FOLD)
    runner.run(Configuration(nodes, posture.headings, 1), float(np.arctan2(*(aim - nodes[4])[::-1])), aim, 1)
    return [leg_of(ran, 1, body, scene, 1.0) for ran in runner.ran()]


@dataclass(frozen=True)
class Seen:
    """What became of a case: the leg, and what happened while its link was in touch."""

    case: PaperCase
    legs: list[Leg]
    leg: Leg
    span: tuple[float, float]  # fractions of the leg between which the link touches
    moved: float  # link lengths: of its farther end while it touches
    gap: float  # link lengths: largest distance from the obstacle at the knots of the leg meanwhile
    gained: float  # link lengths: by how much the stage's distance falls meanwhile


def seen(case: PaperCase) -> Seen:
    """Run a case."""
    legs = one_cycle(case.target, (case.disc,))
    leg = legs[case.stage - 1]
    span = next(c.s for c in leg.contacts if c.link == case.link)
    nodes = leg.nodes(leg.knots[(leg.knots >= span[0] - 1e-12) & (leg.knots <= span[1] + 1e-12)])
    a, b = nodes[:, case.link - 1], nodes[:, case.link]
    moved = max(float(np.hypot(*(x - x[0]).T).max()) for x in (a, b))
    f = np.clip(np.sum((np.array(case.disc.centre) - a) * (b - a), axis=1), 0.0, 1.0)[:, None]
    gap = float(np.abs(np.hypot(*(a + f * (b - a) - case.disc.centre).T) - case.disc.radius).max())
    far = np.hypot(*(nodes[:, 7] - case.target).T) if case.stage == 1 else np.hypot(*(nodes[:, 4] - nodes[:, 6]).T)
    return Seen(case, legs, leg, span, moved, gap, float(far[0] - far[-1]))


def claims(fields: list[Field]) -> list[dict[str, Any]]:
    """All claims of section IV."""
    return [*mobility(), *cases(), *clutter(fields)]


def mobility() -> list[dict[str, Any]]:
    """Table II, with and without contacts."""
    table = np.array(mobility_table())
    uneven = np.array(mobility_table([0.8, 1.3, 1.0, 0.7, 1.0, 0.7, 1.2]))
    touched = _touched(table)
    differ = [len(set(column)) == 3 for column in table.T]
    return [
        judged("MSK-9a", f"{SOURCE}, Table II", "Degrees of freedom of each link in each stage.",
               f"rank of the constraints equals the table in {int((table == np.array(TABLE_2)).sum())} of 21 places; with unequal links in {int((uneven == np.array(TABLE_2)).sum())}",
               [bool((table == np.array(TABLE_2)).all()), bool((uneven == np.array(TABLE_2)).all())]),
        judged("MSK-9b", f"{SOURCE}, section IV-B", "Each link has more than one degree of freedom in at least one stage.",
               f"most freedom of links 1 to 7: {', '.join(str(x) for x in table.max(axis=0))}", [bool((table.max(axis=0) > 1).all())]),
        judged("MSK-9c", f"{SOURCE}, abstract and section V", "Each link has a different number of degrees of freedom in each motion stage.",
               f"three different numbers for {sum(differ)} of 7 links", [any(differ), all(differ)],
               "Not the head: it has none in stages 2 and 3."),
        judged("MSK-9d", f"{SOURCE}, section IV-A", "A contact reduces the number of degrees of freedom of the link by one.",
               f"rank with a contact on the link is one less in {touched[0]} of {touched[1]} places where it was not zero", [touched[0] == touched[1]]),
    ]  # fmt: skip


def _touched(table: np.ndarray) -> tuple[int, int]:
    """In how many places of Table II a contact on the link takes one degree of freedom, of how many."""
    right = total = 0
    for leg in basic_cycle():
        nodes = leg.nodes(0.4)[0]
        for link in leg.moving:
            a, b = nodes[link - 1], nodes[link]
            way = (b - a) / np.hypot(*(b - a))
            hit = SimpleNamespace(link=link, point=0.3 * a + 0.7 * b, direction=(-way[1], way[0]))
            total += 1
            right += degrees_of_freedom(leg.stage, nodes, [hit])[link - 1] == table[leg.stage - 1, link - 1] - 1
    return right, total


def by_programming(target: tuple[float, float], disc: Disc, start: FloatArray) -> float:
    """Least distance of head and target in stage 1 with links 5 to 7 clear of a disc, by a general solver from an arm's headings."""
    from scipy.optimize import minimize

    def nodes(psi: FloatArray) -> FloatArray:
        return np.cumsum([[2.0, 0.0], *np.stack([np.cos(psi), np.sin(psi)], axis=1)], axis=0)

    def gaps(psi: FloatArray) -> FloatArray:
        x, c = nodes(psi), np.array(disc.centre)
        f = np.clip(np.sum((c - x[:-1]) * np.diff(x, axis=0), axis=1), 0.0, 1.0)[:, None]
        return np.asarray(np.hypot(*(x[:-1] + f * np.diff(x, axis=0) - c).T) - disc.radius)

    found = minimize(lambda psi: np.hypot(*(nodes(psi)[-1] - target)), start, method="SLSQP", constraints={"type": "ineq", "fun": gaps},
                     options={"ftol": 1e-12, "maxiter": 500})  # fmt: skip
    return float(found.fun)


def cases() -> list[dict[str, Any]]:
    """Figs 15 and 16."""
    all_seen = {case.name: seen(case) for case in CASES}
    a, b, c, d, e = (all_seen[name] for name in ("15 (a)", "15 (b)", "15 (c)", "16 (a)", "16 (b)"))
    stop = [all_seen["link 3"], all_seen["link 6"]]
    arm = a.leg.nodes(np.array([a.span[0], 1.0]))
    went = float(np.hypot(*(arm[1, 7] - arm[0, 7])))
    left = float(np.hypot(*(arm[1, 7] - a.case.target)))
    least = by_programming(a.case.target, a.case.disc, a.leg.headings(a.span[0])[0, 4:])
    said = {
        s.case.name: f"link {s.case.link} moves {s.moved:.2f} L at a gap below {max(s.gap, 1e-10):.0e} L, distance {s.gained:.2f} L less"
        for s in (b, c, d, e)
    }
    slides = {s.case.name: [s.moved > SLIDES, s.gap < 1e-8, s.gained > 0.01] for s in (b, c, d, e)}
    return [
        judged("MSK-10a", f"{SOURCE}, Fig. 15 (a)", "Stage 1, contact on link 5: it does not move further, while links 6 and 7 keep moving the head toward the target.",
               f"link 5 moves {a.moved:.0e} L after the touch, the head {went:.2f} L, {a.gained:.2f} L nearer; {left:.4f} L left, {least:.4f} L by a general solver",
               [a.moved < STILL, a.gained > 0.01, abs(left - least) < 1e-4]),
        judged("MSK-10b", f"{SOURCE}, Fig. 15 (b)", "Stage 1, contact on link 6: it can slide along the obstacle.", said["15 (b)"], slides["15 (b)"]),
        judged("MSK-10c", f"{SOURCE}, Fig. 15 (c)", "Stage 1, contact on the head: it slides along the obstacle.", said["15 (c)"], slides["15 (c)"]),
        judged("MSK-10d", f"{SOURCE}, Fig. 16 (a)", "Stage 2, contact on link 4: the robot can move further.", said["16 (a)"], slides["16 (a)"]),
        judged("MSK-10e", f"{SOURCE}, Fig. 16 (b), section IV-B", "Stage 2, contact on link 5, which was blocked in stage 1: it can slide along the obstacle.",
               f"the same post as in 15 (a): {said['16 (b)']}", slides["16 (b)"]),
        judged("MSK-10f", f"{SOURCE}, section IV-A", "Stage 2, contact on links 3 and 6: they cannot move as long as the contact remains.",
               "; ".join(f"link {s.case.link} moves {s.moved:.0e} L, while joints 4 and 6 come {s.gained:.2f} L nearer" for s in stop),
               [s.moved < STILL and s.gained > 0.0 for s in stop],
               "The rest of the chain keeps one degree of freedom and goes on."),
    ]  # fmt: skip


@dataclass(frozen=True)
class Field:
    """A cluttered field crossed by accommodating obstacles, and by stopping at the first contact."""

    accommodated: ConcertinaSolution
    stopped: ConcertinaSolution


def clutter_of(seed: int) -> tuple[Disc, ...]:
    """20 discs of 0.3 to 0.6 L in [2, 18] x [-6, 6], clear of the start and of the target (20, 0)."""
    rng = np.random.default_rng(seed)
    body = Posture().nodes()
    start = np.concatenate(
        [a + np.linspace(0.0, 1.0, 20)[:, None] * (b - a) for a, b in zip(body[:-1], body[1:], strict=True)]
    )
    discs: list[Disc] = []
    while len(discs) < 20:
        x, y, radius = float(rng.uniform(2.0, 18.0)), float(rng.uniform(-6.0, 6.0)), float(rng.uniform(0.3, 0.6))
        if np.hypot(*(start - (x, y)).T).min() > radius + 0.3:
            discs.append(Disc((x, y), radius))
    return tuple(discs)


def fields_of(quick: bool) -> list[Field]:
    """The study's cluttered fields."""
    found = []
    for seed in range(FIELDS[quick]):
        discs = clutter_of(seed)
        made = [
            ConcertinaPlan((20.0, 0.0), obstacles=discs, half_width=HALF_WIDTH, on_contact=how).solve()
            for how in ("accommodate", "stop")
        ]
        found.append(Field(*made))
    return found


def deepest(found: ConcertinaSolution) -> float:
    """How deep links enter discs at most along a plan, in m; 40 instants a leg."""
    worst = 0.0
    for leg in found.legs:
        nodes = leg.nodes(np.linspace(0.0, 1.0, 40))
        a, along = nodes[:, :-1], np.diff(nodes, axis=1)
        for disc in (item for item in found.obstacles if isinstance(item, Disc)):
            c = np.array(disc.centre)
            f = np.clip(np.sum((c - a) * along, axis=2) / np.sum(along**2, axis=2), 0.0, 1.0)[..., None]
            far = np.hypot(*np.moveaxis(a + f * along - c, 2, 0)) - disc.radius - found.half_width
            worst = max(worst, -float(far.min()))
    return worst


def clutter(fields: list[Field]) -> list[dict[str, Any]]:
    """Accommodation is worth it."""
    made, stopped = (sum(getattr(f, how).reached for f in fields) for how in ("accommodated", "stopped"))
    touched = sum(len(f.accommodated.contacts) for f in fields)
    links = sorted({c.link for f in fields for c in f.accommodated.contacts})
    deep = max(deepest(f.accommodated) for f in fields)
    return [
        judged("MSK-10g", f"{SOURCE}, sections I and IV", "The snake moves through cluttered environments in contact with obstacles instead of avoiding them.",
               f"{len(fields)} fields of 20 posts: {made} crossed with {touched} contacts, of links {', '.join(map(str, links))}, entered by at most {deep:.0e} L; "
               f"{stopped} crossed by a robot that stops at its first contact",
               [made > stopped, made >= 0.85 * len(fields), deep < 1e-6], "By a search over aims; the paper leaves the choice of the way open."),
    ]  # fmt: skip
