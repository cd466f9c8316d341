"""Among obstacles: contacts stop a link or let it slide (Figs 15, 16), cluttered fields are crossed, nothing is entered."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

import plan_cases as cases
from cases import PROVE
from serpenoid.gaits.concertina import Posture, row
from serpenoid.gaits.concertina_legs import Leg
from serpenoid.planning import (
    ConcertinaPlan,
    ConcertinaSolution,
    Disc,
    Polygon,
    Upright,
    Wall,
    degrees_of_freedom,
    signed_distance,
)

ENTERED = 1e-6  # L
FIELDS = range(100 if PROVE else 12)
MIXED = range(60 if PROVE else 8)
AHEAD = (10.0, 0.0)
FOLDED = np.radians([0.0, 60.0, -120.0, 120.0, -30.0, 0.0])  # link 5 as in row 1, the arm in front of it open


def first_leg(found: ConcertinaSolution, stage: int) -> Leg:
    return next(leg for leg in found.legs if leg.stage == stage)


def test_a_link_stops_and_those_ahead_of_it_go_on() -> None:
    """Fig. 15(a), spec 3.4: link 5 stops at theta_4 = 116.735 degrees, the head ends 5.4982 from the target."""
    post = Disc((2.6, 0.55), 0.2)
    leg = first_leg(ConcertinaPlan(AHEAD, obstacles=(post,), start=Posture(angles=FOLDED), max_cycles=1).solve(), 1)
    angles, head = np.degrees(leg.angles(1.0)[0]), leg.nodes(1.0)[0, 7]
    assert angles[3:] == pytest.approx([116.735, -63.137, 0.0], abs=1e-3)
    distance = float(np.hypot(*(head - AHEAD)))
    assert distance == pytest.approx(5.4982, abs=5e-5)
    assert [(c.link, c.obstacle, c.held) for c in leg.contacts] == [(5, 0, True)]
    joint_4, heading = leg.base[4], leg.turned[3]

    def chain(theta: np.ndarray) -> np.ndarray:
        psi = heading + np.cumsum(theta)
        return joint_4 + np.concatenate([np.zeros((1, 2)), np.cumsum(np.stack([np.cos(psi), np.sin(psi)], 1), axis=0)])

    def gaps(theta: np.ndarray) -> np.ndarray:
        nodes = chain(theta)
        return cases.point_to_segments(np.array(post.centre), nodes[:-1], nodes[1:]) - post.radius

    other = minimize(
        lambda theta: float(np.sum((chain(theta)[-1] - AHEAD) ** 2)), leg.angles(0.0)[0, 3:], method="SLSQP",
        constraints={"type": "ineq", "fun": gaps}, options={"ftol": 1e-14, "maxiter": 500},
    )  # fmt: skip
    assert np.sqrt(other.fun) == pytest.approx(distance, abs=1e-5)
    assert np.degrees(other.x) == pytest.approx(angles[3:], abs=2e-2)


def test_without_the_post_the_arm_stretches() -> None:
    leg = first_leg(ConcertinaPlan(AHEAD, start=Posture(angles=FOLDED), max_cycles=1).solve(), 1)
    assert np.degrees(leg.angles(1.0)[0, 3:]) == pytest.approx([60.0, 0.0, 0.0], abs=1e-9)
    assert np.hypot(*(leg.nodes(1.0)[0, 7] - AHEAD)) == pytest.approx(5.0, abs=1e-12)


@pytest.mark.parametrize(
    ("stage", "link", "post"),
    [
        (1, 6, Disc((3.13, 0.41), 0.19)),  # Fig. 15(b)
        (1, 7, Disc((4.86, -0.03), 0.13)),  # Fig. 15(c): the head
        (2, 4, Disc((2.14, 0.13), 0.08)),  # Fig. 16(a)
        (2, 5, Disc((2.6, 0.11), 0.08)),  # Fig. 16(b)
    ],
)
def test_a_link_slides_and_the_stage_still_improves(stage: int, link: int, post: Disc) -> None:
    """The gap stays zero within 1e-8 while it slides, the objective falls, and one degree of freedom is lost."""
    begun = Posture((0.5, 0.5 * 3**0.5), np.radians(60.0), row(2)) if stage == 2 else None
    leg = first_leg(ConcertinaPlan(AHEAD, obstacles=(post,), start=begun, max_cycles=1).solve(), stage)
    assert [c.link for c in leg.contacts] == [link]
    touch = leg.contacts[0]
    nodes = leg.nodes(leg.knots[(leg.knots >= touch.s[0]) & (leg.knots <= touch.s[1])])
    assert len(nodes) > 20
    gaps = cases.gap(nodes, [post], 0.0)
    assert np.abs(gaps[:, link - 1]).max() < 1e-8
    objective = nodes[:, 7] - np.array(AHEAD) if stage == 1 else nodes[:, 4] - nodes[:, 6]
    size = np.hypot(*objective.T)
    assert np.diff(size).max() < 1e-12
    assert size[0] - size[-1] > 0.05
    assert np.hypot(*(np.array(touch.point) - post.centre)) == pytest.approx(post.radius, abs=1e-8)
    free = degrees_of_freedom(stage, nodes[-1])[link - 1]
    assert degrees_of_freedom(stage, nodes[-1], [touch])[link - 1] == free - 1 > 0


@pytest.mark.parametrize("seed", FIELDS)
def test_cluttered_fields_are_crossed(seed: int) -> None:
    """Nothing is entered by more than 1e-6 L at any instant; what is not reached says what is in the way."""
    found = ConcertinaPlan(cases.TARGET, obstacles=cases.disc_field(seed), half_width=cases.HALF_WIDTH).solve()
    check_motion(found)
    check_end(found)


def check_motion(found: ConcertinaSolution, parts: tuple[Upright, ...] | None = None) -> None:
    scale = float(np.mean(found.lengths))
    worst = cases.faults(found, parts=parts)
    assert worst["gap"] > -ENTERED * scale
    assert worst["own"] > max(2.0 * found.half_width, 0.01 * scale) - ENTERED * scale
    assert worst["drift"] == 0.0
    assert worst["opened"] < 1e-12
    assert worst["jump"] < 1e-8


def check_end(found: ConcertinaSolution) -> None:
    if found.status == "unreachable":
        assert cases.head_is_cut_off(found.obstacles, found.target, found.half_width)
    elif found.status == "reached":
        assert np.hypot(*(found.legs[-1].nodes(1.0)[0, 7] - found.target)) < 1e-6
    else:
        assert found.status in ("stalled", "cycle-limit")
        assert found.contacts


def test_accommodation_reaches_five_times_as_often_as_stopping() -> None:
    given = [cases.disc_field(seed) for seed in FIELDS]
    reached = [
        sum(
            ConcertinaPlan(cases.TARGET, obstacles=field, half_width=cases.HALF_WIDTH, on_contact=how).solve().reached
            for field in given
        )
        for how in ("accommodate", "stop")
    ]
    assert reached[0] >= 0.85 * len(given)
    assert reached[0] >= 5 * reached[1]


@pytest.mark.parametrize("seed", MIXED)
def test_fields_with_polygons_and_walls(seed: int) -> None:
    half_width = cases.HALF_WIDTH if seed % 2 == 0 else 0.0
    found = ConcertinaPlan(
        cases.TARGET, obstacles=cases.mixed_field(seed, half_width=half_width), half_width=half_width
    ).solve()
    check_motion(found)
    check_end(found)


def test_a_block_with_a_notch() -> None:
    """A polygon that is not convex, checked as the two boxes it consists of."""
    block = Polygon(((6.0, -1.0), (9.0, -1.0), (9.0, 1.5), (8.0, 1.5), (8.0, 0.0), (6.0, 0.0)))
    boxes = tuple(
        Polygon(((a, c), (b, c), (b, d), (a, d))) for a, b, c, d in ((6.0, 9.0, -1.0, 0.0), (8.0, 9.0, -1.0, 1.5))
    )
    found = ConcertinaPlan((13.0, 0.3), obstacles=(block,), half_width=cases.HALF_WIDTH).solve()
    assert found.reached
    assert found.contacts
    check_motion(found, boxes)


def ring(door: float = 0.0) -> tuple[Wall, ...]:
    """Four walls about (18, 0), with a door in the one that faces the robot."""
    corners = [(15.0, -3.0), (21.0, -3.0), (21.0, 3.0), (15.0, 3.0)]
    walls = [Wall(corners[k], corners[k + 1], 0.2) for k in range(3)]
    if door == 0.0:
        return (*walls, Wall(corners[3], corners[0], 0.2))
    return (*walls, Wall((15.0, 3.1), (15.0, 0.5 * door), 0.2), Wall((15.0, -0.5 * door), (15.0, -3.1), 0.2))


def test_a_closed_ring_is_unreachable_and_a_door_is_found() -> None:
    closed = ConcertinaPlan((18.0, 0.0), obstacles=ring(), half_width=cases.HALF_WIDTH).solve()
    assert (closed.status, closed.cycles, closed.legs) == ("unreachable", 0, ())
    assert "enclose" in closed.reason
    assert cases.head_is_cut_off(ring(), np.array([18.0, 0.0]), cases.HALF_WIDTH)
    opened = ConcertinaPlan((18.0, 0.0), obstacles=ring(1.4), half_width=cases.HALF_WIDTH).solve()
    assert not cases.head_is_cut_off(ring(1.4), np.array([18.0, 0.0]), cases.HALF_WIDTH)
    assert opened.status != "unreachable"
    check_motion(opened)
    check_end(opened)


def test_a_target_in_an_obstacle_is_unreachable() -> None:
    found = ConcertinaPlan((8.0, 0.0), obstacles=(Disc((8.0, 0.1), 0.3),), half_width=cases.HALF_WIDTH).solve()
    assert found.status == "unreachable"
    assert signed_distance(found.obstacles, [found.target])[0] < cases.HALF_WIDTH
    assert "inside an obstacle" in found.reason


def test_blocked_in_stage_2_moves_in_another_stage() -> None:
    """Links 3 and 6 have one degree of freedom in stage 2: in touch they stop there, and go on in stage 3 or the next stage 1."""
    seen = set()
    for seed in range(100):
        found = ConcertinaPlan(
            cases.TARGET, obstacles=cases.disc_field(seed), half_width=cases.HALF_WIDTH, max_cycles=25
        ).solve()
        for leg, later in zip(found.legs, found.legs[1:], strict=False):
            for touch in leg.contacts:
                if leg.stage != 2 or not touch.held or touch.link not in (3, 6) or touch.link in seen:
                    continue
                assert degrees_of_freedom(2, leg.nodes(1.0)[0], [touch])[touch.link - 1] == 0
                rest = [later, *found.legs[found.legs.index(later) + 1 :]][:2]
                turns = [abs(float(np.ptp(x.headings([0.0, 1.0])[:, touch.link - 1]))) for x in rest]
                if max(turns) > 0.1:
                    seen.add(touch.link)
        if seen == {3, 6}:
            return
    pytest.fail(f"no field in which both were blocked: {seen}")
