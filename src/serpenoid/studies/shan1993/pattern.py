"""Design and basic motion pattern: section II of the paper, Table I and Fig. 6."""

from __future__ import annotations

from typing import Any

import numpy as np

from serpenoid import robots
from serpenoid.core.checks import FloatArray
from serpenoid.gaits.concertina import FOLD, SOLENOIDS, TABLE, Posture, basic_cycle, ease, row, schedule
from serpenoid.gaits.concertina_legs import PINNED
from serpenoid.robots.ms1 import FITTINGS as MS1
from serpenoid.robots.ms2 import FITTINGS as MS2
from serpenoid.studies.claims import judged

SOURCE = "Shan, Koren 1993"
SAMPLES = 1000  # instants of a stage
ROUNDING = 1e-12  # link lengths
FOLDS = (30.0, 45.0, 60.0, 75.0)  # deg


def claims() -> list[dict[str, Any]]:
    """All claims of section II."""
    return [*design(), *table_one(), *timing()]


def design() -> list[dict[str, Any]]:
    """What the two prototypes carry."""
    one, two = robots.ms1(), robots.ms2()
    counts = [
        (one.links, 7), (one.links - 1, 6), (MS1.hinges, 6), (sum(MS1.solenoids), 8), (MS1.solenoids[-1], 2), (MS1.casters, 2),
        (two.links, 7), (set(MS2.solenoids), {2}), (MS2.casters, 0), (MS2.head_pitch, True), (MS1.head_pitch, False),
    ]  # fmt: skip
    right = [found == said for found, said in counts]
    return [
        judged("MSK-1", f"{SOURCE}, section II-B, Figs 4 and 12",
               "MS-1 has 7 links, 6 controlled joints, 6 hinges, 8 solenoids (two on the head) and two casters a link; MS-2 two solenoids a "
               "link, head pitch and no casters.",
               f"robots ms1 and ms2 agree in {sum(right)} of {len(right)} counts", [all(right)],
               "The paper prints no length, mass, motor or caster value: those of the robots are assumed."),
    ]  # fmt: skip


def by_table(number: int, fold: float = FOLD) -> FloatArray:
    """Nodes (8, 2) of a row of Table I by its angles alone, placed by the links that are pinned in its stage."""
    nodes = Posture(angles=row(1, fold)).nodes()
    for r in range(2, number + 1):
        fixed = PINNED[r - 1][-1]  # the last pinned link keeps its place
        loose = Posture(angles=row(r, fold)).nodes()
        turn = np.arctan2(*(nodes[fixed] - nodes[fixed - 1])[::-1]) - np.arctan2(
            *(loose[fixed] - loose[fixed - 1])[::-1]
        )
        c, s = np.cos(turn), np.sin(turn)
        nodes = nodes[fixed] + (loose - loose[fixed]) @ np.array([[c, s], [-s, c]])
    return nodes


def table_one() -> list[dict[str, Any]]:
    """Rows of Table I: pinned links stay, the head goes d, nothing moves at the change of cycles."""
    rows = [by_table(r) for r in (1, 2, 3, 4)]
    moved = [max(np.abs(rows[s][k] - rows[s - 1][k]).max() for link in PINNED[s] for k in (link - 1, link)) for s in (1, 2, 3)]  # fmt: skip
    drift = _drift()
    legs = {f: basic_cycle(fold=np.radians(f)) for f in FOLDS}
    advance = {f: by_table(4, np.radians(f))[-1] - by_table(1, np.radians(f))[-1] for f in FOLDS}
    law = {f: 2.0 * (1.0 - np.cos(np.radians(f))) for f in FOLDS}
    wrong = max(float(np.hypot(advance[f][0] - law[f], advance[f][1])) for f in FOLDS)
    in_legs = max(abs(float(legs[f][0].nodes(1.0)[0, 7, 0] - legs[f][0].base[7, 0]) - law[f]) for f in FOLDS)
    repeats = TABLE[3][0] == TABLE[4][0] == TABLE[0][0] and TABLE[4][1] == TABLE[0][1] != TABLE[3][1]
    said = ", ".join(f"{law[f]:.3f} L at {f:g}" for f in FOLDS)
    return [
        judged("MSK-2a", f"{SOURCE}, Table I, Fig. 6", "In each stage the links with active solenoids do not move.",
               f"rows 1 to 4 by their angles alone: pinned links move {max(moved):.0e} L; along the motion ({SAMPLES} instants a stage) {drift[0]:.0e} L, "
               f"links keep their lengths and joints 2 and 6 their distance to {drift[1]:.0e} L",
               [max(moved) < ROUNDING, drift[0] < ROUNDING, drift[1] < 1e-10],
               "The table as scanned has one sign lost (row 1, theta_3 = -120); with +120 the chain does not close."),
        judged("MSK-2b", f"{SOURCE}, section II-C", "The head advances a distance d in every motion cycle.",
               f"d = 2 L (1 - cos a): {said} deg, to {max(wrong, in_legs):.0e} L, all of it in stage 1",
               [wrong < ROUNDING, in_legs < ROUNDING], "The paper does not print d; equal links."),
        judged("MSK-2c", f"{SOURCE}, section II-C", "The snake does not move between step 4 and step 1 of the next cycle; only the solenoids change.",
               f"row 4, the next row 1 and row 1 have the same angles: {repeats}", [repeats]),
    ]  # fmt: skip


def _drift() -> tuple[float, float]:
    """Along the basic cycle: how far pinned links move, and how far the chain opens."""
    moved, opened = 0.0, 0.0
    for leg in basic_cycle():
        nodes = leg.nodes(np.linspace(0.0, 1.0, SAMPLES))
        ends = [k for link in leg.pinned for k in (link - 1, link)]
        moved = max(moved, float(np.abs(nodes[:, ends] - nodes[0, ends]).max()))
        lengths = np.hypot(*np.moveaxis(np.diff(nodes, axis=1), 2, 0))
        opened = max(opened, float(np.abs(lengths - 1.0).max()))
    return moved, opened


def opening() -> float:
    """How far joint 6 leaves its place in stage 2 if all joint angles go linearly from row 2 to row 3, in link lengths."""
    before, after = row(2), row(3)
    start = basic_cycle()[1].base
    worst = 0.0
    for s in np.linspace(0.0, 1.0, SAMPLES):
        loose = Posture(angles=(1.0 - s) * before + s * after, heading=FOLD).nodes()
        worst = max(worst, float(np.hypot(*(loose[6] - loose[2] - (start[6] - start[2])))))
    return worst


def timing() -> list[dict[str, Any]]:
    """Smooth sequences, and pins at every instant."""
    legs = basic_cycle()
    x = np.linspace(0.0, 1.0, SAMPLES + 1)
    ends, peaks = 0.0, 0.0
    for leg in legs:
        speed = np.diff(leg.angles(np.clip(ease(x), 0.0, 1.0)), axis=0) / x[1]
        ends, peaks = max(ends, float(np.abs(speed[[0, -1]]).max())), max(peaks, float(np.abs(speed).max()))
    middle = np.degrees(legs[1].angles(np.linspace(0.0, 1.0, SAMPLES))[:, 3])
    plan = schedule((*legs, *_next(legs)))
    instants = np.linspace(0.0, plan.time, 6 * SAMPLES)
    on = plan.solenoids(instants)
    starts = np.concatenate([[0], np.cumsum(SOLENOIDS)[:-1]])
    fewest = int(on[:, starts].sum(axis=1).min())
    opened = opening()
    return [
        judged("MSK-2d", f"{SOURCE}, section II-C", "The concertina motion pattern has a very regular and smooth motion sequence.",
               f"with a quintic of time joint speeds at the ends of stages are {ends / peaks:.0e} of their peaks; joint 4 goes {middle[0]:.0f} -> "
               f"{middle.max():.1f} -> {middle[-1]:.0f} deg in stage 2",
               [ends < 1e-3 * peaks],
               f"Smooth only along the closed chain: angles taken linearly between rows 2 and 3 would tear it by {opened:.2f} L."),
        judged("MSK-2e", f"{SOURCE}, section II-C", "In the second stage links 2, 3, 4, 5 and 6 form a closed linkage.",
               f"moving links {', '.join(str(k) for k in legs[1].moving)}; link 2 is pinned and moves {_drift()[0]:.0e} L",
               [set(legs[1].moving) <= {2, 3, 4, 5, 6}, 2 in legs[1].moving],
               "Section III says 3, 4, 5 and 6, which is right: four moving links and the ground, a five-bar chain of the five joints 2 to 6."),
        judged("MSK-2f", f"{SOURCE}, section II", "Programmable static points hold the snake while it moves.",
               f"at least {fewest} links are pinned at each of {instants.size} instants of two cycles, changes of pins included",
               [fewest >= 2], "New pins go in before old ones are drawn; the paper does not say how the change is made."),
    ]  # fmt: skip


def _next(legs: Any) -> Any:
    nodes, psi = (end[0] for end in legs[-1].at(1.0))
    return basic_cycle(start=Posture((float(nodes[1, 0]), float(nodes[1, 1])), float(psi[0]), row(1)), cycle=2)
