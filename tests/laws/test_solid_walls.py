"""No link in a wall under a status that calls the result good: thin links among thin walls, creeps and feeds through random maps."""

from __future__ import annotations

import numpy as np
import pytest

import serpenoid as sp
import solid_cases as cases
from cases import PROVE
from serpenoid.contact import Coulomb
from serpenoid.control.depths import WallDepths, depth_in
from serpenoid.control.execution import ENTERED
from serpenoid.core import Grid
from serpenoid.core.errors import InputError, NumericalError
from serpenoid.gaits.concertina import Posture
from serpenoid.planning import ConcertinaPlan, Disc, PathPlan, Polygon, Wall, concertina
from serpenoid.planning.accommodate import TOUCHED
from serpenoid.planning.cycles import StageRun
from serpenoid.planning.gaps import SevenLinkBody, gap_table, gather
from serpenoid.planning.obstacles import scene_of
from serpenoid.planning.refine import leg_of

THROUGH = (28, 95, 117, 56)  # yards in which a link that touched a wall at its end or at a corner was drawn through it
YARDS = range(200) if PROVE else (*THROUGH[:3], 207)
CREEPS, FEEDS = (range(180), range(40)) if PROVE else (range(6), range(4))
SAMPLED = 1e-3  # of the half width: contacts at frames are a little less deep than at steps


@pytest.mark.parametrize("half_width", [0.0, 0.05])
def test_no_link_passes_a_thin_wall(half_width: float) -> None:
    """Plans through yards of walls 0.2 L thick: no link is in a wall at any instant, and most of them arrive."""
    reached = 0
    for seed in YARDS if half_width == 0.0 or PROVE else YARDS[:3]:
        walls, target = cases.yard(seed, half_width)
        made = ConcertinaPlan(target, obstacles=walls, half_width=half_width).solve()
        assert cases.entered(made) == [], seed
        reached += made.status == "reached"
    assert reached > 0.9 * len(YARDS) or (half_width > 0.0 and reached == 3)


LEANING = {
    "an end that is inside by rounding": ((1.0 - 1e-12, 0.3), (1.9, 0.35)),
    "an end that is outside by rounding": ((1.0 + 1e-12, 0.3), (1.9, 0.35)),
    "both ends on its sides": ((1.0, 0.3), (1.2, 1.2797958971132713)),
    "through a corner": ((0.5, 1.4), (1.3, 0.76)),
    "through a corner, inside by rounding": ((0.5, 1.4 - 3e-12), (1.3, 0.76 - 3e-12)),
}


@pytest.mark.parametrize("name", LEANING)
def test_a_link_across_a_wall_is_deep_in_it(name: str) -> None:
    """A link that is in touch with one side of a wall and lies across it has a gap far below zero."""
    a, b = (np.array(place) for place in LEANING[name])
    wall = Polygon(((1.0, 0.0), (1.2, 0.0), (1.2, 2.0), (1.0, 2.0)))
    if name.startswith("through"):
        wall = Polygon(((1.0, 0.0), (1.2, 0.0), (1.2, 1.0), (1.0, 1.0)))
    b = a + (b - a) / np.linalg.norm(b - a)
    nodes = np.array([a, b, *(b + k * np.array([0.6, 0.8]) for k in range(1, 7))])
    table = gap_table()
    body = SevenLinkBody(np.ones(7), np.full(6, np.pi), 0.0, 0.01)
    count = gather(1, nodes, np.empty((8, 2, 5)), 0, body, scene_of((wall,)), np.arange(0), 0.05, *table)
    own = [table.gap[i] for i in range(count) if table.info[i, 0] == 0 and table.info[i, 1] == 0]
    assert min(own) < -0.01


def test_more_gaps_than_are_kept_are_none_overlooked() -> None:
    """Among so many posts that not all gaps can be kept, the posture counts as deep inside."""
    x, y = np.meshgrid(np.arange(-2.0, 5.0, 0.12), np.arange(-1.0, 1.0, 0.12))
    posts = tuple(
        Polygon(((a, b), (a + 0.03, b), (a, b + 0.03))) for a, b in zip(x.ravel(), y.ravel() + 0.031, strict=True)
    )
    table = gap_table()
    body = SevenLinkBody(np.ones(7), np.full(6, np.pi), 0.0, 0.01)
    given = (1, Posture().nodes(), np.empty((8, 2, 5)), 0, body, scene_of(posts), np.arange(0), 0.25)
    assert gather(*given, *table) == len(table.gap) and table.gap.max() == -np.inf


@pytest.mark.parametrize("execute", ["creep", "feed"])
def test_no_link_in_a_wall_under_ok(execute: str) -> None:
    """Passages through random maps with cells of any size: by an independent measure no link is in a wall, or the status says so."""
    arrived = 0
    for seed in CREEPS if execute == "creep" else FEEDS:
        made = cases.passage(seed, execute)
        if made is None:
            continue
        robot, plan = made
        try:
            run = sp.simulate(robot, plan, sp.World(Coulomb(0.05, 0.5)), record_interval=0.04)
        except (InputError, NumericalError):
            continue
        half = float(robot.radius.max())
        depth = cases.deepest(run, cases.solid_of(plan.area), half)
        assert not run.status.ok or depth < ENTERED * half, seed
        assert run.provenance["plan"]["penetration_max"] > depth - SAMPLED * half, seed
        arrived += run.status.ok
    assert arrived > (20 if PROVE else 1)


def failing() -> tuple[sp.Robot, PathPlan]:
    """Cells so small that the robot's links are longer than the corridors are wide."""
    return sp.robots.ms1(), PathPlan("maze", cell=0.01, execute="creep")


def test_a_failed_plan_is_not_carried_out_unasked() -> None:
    robot, plan = failing()
    with pytest.raises(NumericalError, match=r"stalled.*anyway"):
        sp.simulate(robot, plan)
    with pytest.raises(InputError, match="inside obstacle 0"):  # asked for, the start itself is in the walls
        sp.simulate(robot, PathPlan("maze", cell=0.01, execute="creep", anyway=True))


def test_a_failed_plan_that_is_carried_out_is_never_ok() -> None:
    """Fed along a path on which its long links cut the corners, a body goes through walls, and says so."""
    robot = sp.robots.rods(6, 6 * 0.3, 6.0, radius=0.05)
    plan = PathPlan("rubble", cell=0.05, walls="neumann", margin=0.0)
    assert plan.solve(robot).status == "blocked"
    with pytest.raises(NumericalError, match="blocked"):
        sp.simulate(robot, plan)
    run = sp.simulate(robot, PathPlan("rubble", cell=0.05, walls="neumann", margin=0.0, anyway=True))
    assert not run.status.ok
    depth = cases.deepest(run, cases.solid_of(plan.area), 0.05)
    assert run.provenance["plan"]["penetration_max"] > depth - SAMPLED * 0.05


def test_a_leg_through_a_wall_is_found_out() -> None:
    """Increments on both sides of a thin wall are no way, whatever gave them."""
    start = Posture()
    nodes, psi = start.nodes(), start.headings
    wall = Polygon(((3.6, 0.9), (3.65, 0.9), (3.65, 3.0), (3.6, 3.0)))
    goal = np.array([psi[0], psi[1], psi[4] + 0.9, psi[4] + 0.9, psi[4] + 0.9])
    path = np.array([[psi[0], psi[1], *psi[4:]], goal])
    body = SevenLinkBody(np.ones(7), np.full(6, np.pi), 0.0, 0.01)
    for around, free in (((wall,), False), ((), True)):
        ran = StageRun(1, TOUCHED, nodes, psi, path, np.empty((0, 7)), 1, 1)
        leg = leg_of(ran, 1, body, scene_of(around), 1.0)
        tips = cases.lines_of(leg.nodes(np.linspace(0.0, 1.0, 400)))
        crossed = bool(cases.shapely.intersects(tips, cases.shapely.Polygon(wall.corners)).any())
        assert crossed and (leg.sunk == 0) == free
        assert concertina._sound((leg,), "reached", "")[0] == ("reached" if free else "stalled")


def test_a_concertina_that_failed_keeps_its_status() -> None:
    """A plan that needs more cycles than it may have is refused; carried out as far as it goes it is not ok."""
    with pytest.raises(NumericalError, match="cycle-limit"):
        sp.simulate(sp.robots.ms1(), ConcertinaPlan((1.8, 0.1), max_cycles=1))
    run = sp.simulate(sp.robots.ms1(), ConcertinaPlan((1.8, 0.1), max_cycles=1, anyway=True))
    assert run.status.name == "cycle-limit" and "the plan itself failed" in run.status.message


def test_depth_is_measured_on_the_wall() -> None:
    """Deep inside solid cells, beyond what a contact knows: by the same shape in shapely; polygons and discs likewise."""
    rng = np.random.default_rng(5)
    area = cases.random_map(rng, 0.1)
    solid, half = cases.solid_of(area), 0.013
    depths = WallDepths((Grid(area.solid, 0.1),), np.full(1, half), np.full(1, 0.4))
    found = 0
    for _ in range(200):
        a = rng.uniform((0.3, 0.3), np.array(area.size) - 0.3)
        angle = rng.uniform(0.0, np.pi)
        nodes = np.array([a, a + 0.4 * np.array([np.cos(angle), np.sin(angle)])])
        line = cases.lines_of(nodes[None])[0]
        inside = cases.deepest({"node": nodes[None]}, solid, half) if line.intersects(solid) else 0.0
        assert depths.of(nodes)[0] == pytest.approx(inside, abs=0.006)
        found += inside > half + 0.01
    assert found > 5
    post, bar = Disc((0.2, 0.1), 0.3), Wall((1.0, 0.0), (2.0, 0.5), 0.3)
    assert depth_in(post, np.array([[0.3, 0.1], [0.2, 0.5]])) == pytest.approx([0.2, -0.1])
    shape, places = cases.shapely.Polygon(bar.corners), rng.uniform((0.8, -0.3), (2.2, 0.8), (50, 2))
    apart = [cases.shapely.Point(p).distance(shape.exterior) * (1 if shape.contains(cases.shapely.Point(p)) else -1) for p in places]  # fmt: skip
    assert depth_in(bar, places) == pytest.approx(apart)


def test_walls_without_a_half_width_are_refused() -> None:
    """A link without width would pass walls without touching them."""
    with pytest.raises(InputError, match="half_width"):
        sp.simulate(sp.robots.ma2001(links=6), PathPlan("two-walls", execute="creep"))
    assert PathPlan("two-walls").solve(sp.robots.ma2001(links=6)).status == "reached"
