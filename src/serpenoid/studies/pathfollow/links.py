"""Links on the path: closest point, turn and cap, propagation, and the advance; the kernels of `planning` beside the procedure told word by word."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from serpenoid.core.checks import FloatArray
from serpenoid.planning import Following, PlannedPath, SettledPosture, find_path, follow, maps, settle
from serpenoid.studies.claims import judged
from serpenoid.studies.pathfollow.field import SOURCE, FieldGround
from serpenoid.studies.pathfollow.told import (
    Told,
    advance_told,
    bearing,
    lies_along,
    nearest,
    sequential,
    settle_told,
    triangle,
)

LENGTH, TOL = 5.0, 0.3  # cells
CAP = np.radians(5.0)
UP = 0.5 * np.pi  # the first posture: a vertical chain
SIX = 6
CHAINS = {True: (2, 3, 4, 6, 8), False: (2, 3, 4, 6, 8, 10, 12, 16, 20)}
ROUNDING = 1e-12  # of a length
ARCCOS = 1e-6  # rad: what the cosine rule loses near 0
RANDOM = 50  # first postures


@dataclass(frozen=True)
class Chains:
    """All settlings of the study, and the bodies that advanced."""

    two: dict[float, Told]  # by cap, deg
    six: Told
    each: tuple[Told, Told]  # two and six links, re-settling after every turn
    random: list[Told]  # six links from random first postures
    fixed: list[Told]  # the same, always turned by E
    ahead: list[SettledPosture]  # the same by the planner
    forward: Following
    lost: Following  # with the printed search
    literal: FloatArray  # (m, n+1, 2), word by word: the printed search while the base goes to the end
    maze: Following


def told(path: PlannedPath, links: int, cap: float = CAP, each: bool = False) -> Told:
    """A vertical chain on the path's start, settled word by word."""
    return settle_told(path.points, np.full(links, LENGTH), np.full(links, UP), cap, TOL, each=each)


def tumbled(path: PlannedPath) -> tuple[list[Told], list[Told], list[SettledPosture]]:
    """Six links from random first postures: as printed, always by E, and by the planner."""
    rng, six = np.random.default_rng(0), np.full(SIX, LENGTH)
    first = rng.uniform(-np.pi, np.pi, (RANDOM, SIX))
    printed, fixed = ([settle_told(path.points, six, h, CAP, TOL, fixed=f) for h in first] for f in (False, True))
    return printed, fixed, [settle(path, six, h, tol=TOL, project=False) for h in first]


def chains(found: FieldGround) -> Chains:
    """Settle and advance."""
    path, six = found.path, np.full(SIX, LENGTH)
    area = maps.read("maze")
    way = find_path(area, area.start, area.goal)  # type: ignore[arg-type]
    options: dict[str, Any] = {"headings": np.full(SIX, UP), "tol": TOL, "project": False, "advance": 1.0}
    return Chains(
        {5.0: told(path, 2), 1.0: told(path, 2, np.radians(1.0))}, told(path, SIX), (told(path, 2, each=True), told(path, SIX, each=True)),
        *tumbled(path), follow(path, six, **options), follow(path, six, search="literal", **options), advance_told(path.points, six, np.full(SIX, UP), CAP, TOL), follow(way, np.full(SIX, 4.5)),
    )  # fmt: skip


def claims(found: FieldGround, made: Chains, quick: bool) -> list[dict[str, Any]]:
    """All claims on links."""
    rng = np.random.default_rng(0)
    return [
        *closest_point(found.path, made, rng), *rotation(made, rng), figure_2(found.path, made),
        order(found.path, made), extension(found.path, quick), anywhere(found.path, made), advance(made),
    ]  # fmt: skip


def off(made: Told | Any) -> str:
    """Distances of tips in words."""
    return "/".join(f"{far:.3f}" for far in made.off_path)


def length_error(joints: FloatArray) -> float:
    """Largest relative change of a link's length."""
    return float(np.abs(np.hypot(*np.moveaxis(np.diff(joints, axis=-2), -1, 0)) / LENGTH - 1.0).max())


def searched(path: PlannedPath, first: int, rng: np.random.Generator, count: int = 400) -> float:
    """Share of tips near the path, on a link whose joint is its point `first`, for which the printed search finds the nearest point."""
    right = 0
    for _ in range(count):
        k = int(np.searchsorted(path.arc, path.arc[first] + LENGTH))
        tip = path.points[k] + rng.uniform(-2.0, 2.0, 2)
        right += sequential(path.points, tip) == int(np.argmin(np.hypot(*(path.points - tip).T)))
    return right / count


def closest_point(path: PlannedPath, made: Chains, rng: np.random.Generator) -> list[dict[str, Any]]:
    """The printed search, at the start and when the robot has moved on."""
    half = len(path.points) // 2
    shares = [searched(path, 0, rng), searched(path, half, rng)]
    stopped = [
        max(np.hypot(*(path.points[sequential(path.points, tip)] - tip)) for tip in joints[1:])
        for joints in made.literal
    ]
    loose = int((np.array(stopped) > TOL).sum())
    worst = max(float(nearest(path.points, joints).max()) for joints in made.literal)
    missed = float(np.hypot(*(made.literal[-1, -1] - path.points[-1])))
    return [
        judged("PTH-4a", f"{SOURCE}, section 3", "The search from the first point on, until the distance grows, finds the shortest distance BC.",
               f"tips within 2 cells of the path: right for {shares[0]:.0%} of them on a link at the path's start, {shares[1]:.0%} on a link half way",
               [shares[0] == 1.0, shares[1] == 1.0],
               "It stops at the first local minimum of the distance; a path that winds has several."),
        judged("PTH-4b", f"{SOURCE}, section 3", "The procedure is carried out for each link and its path at each increment.",
               f"six links, base moved by two points at a time: searching from the path's first point, {loose} of {len(made.literal)} increments have unsettled links, a tip is {worst:.1f} cells off and "
               f"the head ends {missed:.1f} cells from the goal; by the planner, 1 cell at a time, {len(made.lost.unsettled)} of {len(made.lost.base)} and {made.lost.head_to_goal:.1f} cells; searching ahead of the link's own joint {len(made.forward.unsettled)} unsettled, {made.forward.head_to_goal:.2f} cells",
               [loose == 0, not made.lost.unsettled, not made.forward.unsettled],
               "The search must begin at the link's own joint ('its path'), not at the path's first point."),
    ]  # fmt: skip


def rotation(made: Chains, rng: np.random.Generator) -> list[dict[str, Any]]:
    """The cosine rule and the cap E."""
    worst = 0.0
    for a, b, c in rng.uniform(-5.0, 5.0, (2000, 3, 2)):
        worst = max(worst, abs(triangle(a, b, c) - bearing(a, b, c)))
    settled = (*made.two.values(), made.six, *made.each, *made.random)
    passed, turns = max(t.passed for t in settled), sum(t.turns for t in settled)
    shaken, fixed = (sum(bool(t.restless) for t in some) for some in (made.random, made.fixed))
    return [
        judged("PTH-5a", f"{SOURCE}, section 3, Fig. 1", "With all sides of the triangle ABC known, the cosine theorem gives the angle alpha.",
               f"2,000 random triangles: within {worst:.0e} rad of the angle between the sides; direction by the sign of (B - A) x (C - A)",
               [worst < ARCCOS], "Near 0 the arc cosine loses half of the digits."),
        judged("PTH-5b", f"{SOURCE}, section 3", "Turned by E at most and by alpha where it is less, a link never goes beyond what is required.",
               f"{turns} turns: none passes the direction of its C by more than {max(passed, 0.0):.0e} rad", [passed < ARCCOS]),
        judged("PTH-5c", f"{SOURCE}, section 3", "This prevents shaking.",
               f"six links from {RANDOM} random first postures: a link turns to and fro without end in {shaken} of them; in {fixed} where links always turn by E",
               [shaken < 0.1 * fixed, shaken == 0],
               "A turn by min(alpha, E) always brings the tip nearer to its C. What is left is the search: it may find another local minimum after the turn. The planner takes the nearest of all points ahead, so that the distance falls with every turn of a link."),
    ]  # fmt: skip


def figure_2(path: PlannedPath, made: Chains) -> dict[str, Any]:
    """Two links, two configurations."""
    two, fine = made.two[5.0], made.two[1.0]
    kernel = settle(path, np.full(2, LENGTH), np.full(2, UP), tol=TOL, project=False)
    return judged("PTH-6a", f"{SOURCE}, section 3.1, Fig. 2", "A two-link robot settles: the head first, then the other link and the head again.",
                  f"links of {LENGTH:g} cells from upright: {two.turns} turns at E = 5 deg, tips {off(two)} cells off; {fine.turns} turns at 1 deg; "
                  f"the planner's kernel {kernel.turns} turns, {off(kernel)}; lengths kept to {length_error(np.array(two.way)):.0e}",
                  [bool((two.off_path <= TOL).all()), bool((fine.off_path <= TOL).all()), bool(kernel.settled.all()), length_error(np.array(two.way)) < ROUNDING],
                  "The figure's path and lengths are not printed; these are the study's.")  # fmt: skip


def laid_out(path: PlannedPath, some: list[Any], tol: float = TOL) -> int:
    """How many of the settled chains have every tip on the path and lie along it."""
    return sum(bool((t.off_path <= tol).all()) and lies_along(path.points, t.joints) for t in some)


def order(path: PlannedPath, made: Chains) -> dict[str, Any]:
    """When the outer links settle again."""
    (pair, chain), six = made.each, made.six
    kernel = settle(path, np.full(SIX, LENGTH), np.full(SIX, UP), tol=TOL, project=False)
    words = {True: "laid along the path", False: "folded back on itself"}
    return judged("PTH-6b", f"{SOURCE}, section 3.1", "Link i-1 is moved and link i is settled again; as soon as i-1 is settled, link i-2 is moved and both are re-settled.",
                  f"outer links settle again once the inner has settled: two links {made.two[5.0].turns} turns, {off(made.two[5.0])} cells off; six {six.turns} turns, {six.off_path.max():.3f} at worst, {words[lies_along(path.points, six.joints)]}. "
                  f"After every turn of the inner: two {pair.turns}, {off(pair)}; six {chain.turns}, {chain.off_path.max():.3f}, {words[lies_along(path.points, chain.joints)]}; the planner's kernel, in this order, {kernel.turns}",
                  [laid_out(path, [made.two[5.0], pair]) == 2, laid_out(path, [chain, kernel]) == 2, laid_out(path, [six]) == 1],
                  "The text can be read either way. In both every tip settles, but only if the outer links settle after every turn does a chain of many links come to lie along the path: a link that "
                  "has swung past its neighbours finds the path behind its own joint.")  # fmt: skip


def extension(path: PlannedPath, quick: bool) -> dict[str, Any]:
    """Any number of links."""
    lines, once, good, settled = [], [], [], 0
    for n in CHAINS[quick]:
        plain, kernel = told(path, n, each=True), settle(path, np.full(n, LENGTH), np.full(n, UP))
        lines.append(f"{n}: {plain.turns}")
        once += [str(n)] * laid_out(path, [told(path, n)])
        settled += laid_out(path, [kernel])
        good.append(
            laid_out(path, [plain]) == 1 and max(length_error(plain.joints), length_error(kernel.joints)) < ROUNDING
        )
    return judged("PTH-6c", f"{SOURCE}, section 3.1", "The procedure continues until the base link is reached, for any number of links.",
                  f"turns by number of links, from upright, outer links re-settled after every turn: {', '.join(lines)}; {sum(good)} of {len(good)} lie along the path, of the planner's {settled}; "
                  f"re-settled only once the inner has settled: those of {', '.join(once) or 'no'} links",
                  [*good, settled == len(good)],
                  "The chain may go through walls while it settles: the procedure knows the path alone.",
                  reason_if_fails="Word by word, with the printed search, some long chains do not come to lie along the path; the planner's do.")  # fmt: skip


def anywhere(path: PlannedPath, made: Chains) -> dict[str, Any]:
    """From random first postures."""
    plain, ahead = laid_out(path, made.random), laid_out(path, made.ahead)
    return judged("PTH-6d", f"{SOURCE}, section 3.1", "A link is moved repeatedly until its tip reaches the path.",
                  f"six links from {RANDOM} random first postures: {plain} come to lie along the path as printed, {ahead} with the search ahead of the link's own joint",
                  [plain == RANDOM, ahead == RANDOM],
                  "A link that points backward finds C behind or at its own joint and rests there. Ahead of the joint, and not nearer to it than half a link, it is brought round.")  # fmt: skip


def advance(made: Chains) -> dict[str, Any]:
    """The base moves along the path."""
    both = (("two walls", made.forward), ("maze", made.maze))
    lines = [
        f"{name}: {len(b.base)} increments, {len(b.unsettled)} unsettled, head {b.head_to_goal:.2f} cells from the goal, links at least {b.link_clearance:.2f} cells from walls, lengths kept to {b.length_error:.0e}"
        for name, b in both
    ]
    good = [not b.unsettled and b.head_to_goal < 1.0 and b.length_error < ROUNDING for _, b in both]
    return judged("PTH-7a", f"{SOURCE}, section 3.1, and beyond it", "Settling is the first part of the snake-like motion.",
                  f"the base then goes along the path by 1 cell at a time, six links; {'; '.join(lines)}",
                  [*good, made.maze.link_clearance > 0.0],
                  "The second part of the text is lost: the advance of the base is what its users would expect. On two walls the first posture settles from upright.")  # fmt: skip
