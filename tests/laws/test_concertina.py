"""Concertina of the mechanical snake: Table I, its motion and timing, the planner in free space (spec 3.2 to 3.4)."""

from __future__ import annotations

import numpy as np
import pytest

import plan_cases as cases
from cases import PROVE
from serpenoid.gaits import concertina as basic
from serpenoid.planning import ConcertinaPlan
from serpenoid.robots import ms1, ms2
from serpenoid.robots.ms1 import FITTINGS as MS1
from serpenoid.robots.ms2 import FITTINGS as MS2

SAMPLES = 1000
COUNTS = {(10, 0): 6, (10, 10): 11, (2, 12): 10, (-10, 0): 10, (5.5, 3): 3, (2, 2): 1, (20, 5): 17}  # spec 3.4
TABLE_1 = {  # spec 3.2: joint angles in degrees, solenoids of the motion that ends in the row
    1: ((0, 60, -120, 120, -120, 60), (0, 0, 1, 1, 0, 0, 0, 0)),
    2: ((-120, 120, -120, 60, 0, 0), (0, 0, 1, 1, 0, 0, 0, 0)),
    3: ((-120, 60, 0, 60, -120, 60), (1, 1, 0, 0, 0, 0, 1, 1)),
    4: ((0, 60, -120, 120, -120, 60), (0, 0, 0, 0, 1, 1, 1, 1)),
    5: ((0, 60, -120, 120, -120, 60), (0, 0, 1, 1, 0, 0, 0, 0)),
}


def test_rows_of_table_1_are_where_the_stages_end() -> None:
    legs = basic.basic_cycle()
    timed = basic.schedule(legs, handover=0.1)
    assert np.allclose(np.degrees(legs[0].angles(0.0)[0]), TABLE_1[1][0], atol=1e-12)
    for k, leg in enumerate(legs):
        angles, pins = TABLE_1[k + 2]
        assert np.allclose(np.degrees(leg.angles(1.0)[0]), angles, atol=1e-6)  # a stretched elbow: root of rounding
        middle = timed.begins[k] + timed.handover + 0.5 * timed.durations[k]
        assert tuple(timed.solenoids(middle)[0]) == pins
    for number, (angles, pins) in TABLE_1.items():
        assert np.allclose(np.degrees(basic.row(number)), angles)
        assert basic.TABLE[number - 1][1] == pins


@pytest.mark.parametrize("fold", [30.0, 45.0, 60.0, 75.0])
@pytest.mark.parametrize("side", [1, -1])
def test_basic_pattern(fold: float, side: int) -> None:
    """Pinned links do not move, the chain is closed, the head goes 2 L (1 - cos a) a cycle, all of it in stage 1."""
    a, s = np.radians(fold), np.linspace(0.0, 1.0, SAMPLES)
    length = 0.3
    start = basic.Posture((0.2, -0.1), 0.7, basic.row(1, a, side))
    ahead = np.array([np.cos(0.7), np.sin(0.7)])
    last = start.nodes(length)
    for cycle in (1, 2):
        head = last[7]
        legs = basic.basic_cycle(length, a, side, start, cycle)
        for leg in legs:
            nodes, psi = leg.at(s)
            assert np.abs(nodes[0] - last).max() < 1e-12
            for link in leg.pinned:
                assert np.abs(nodes[:, link - 1 : link + 1] - nodes[0, link - 1 : link + 1]).max() < 1e-12
                assert np.abs(psi[:, link - 1] - psi[0, link - 1]).max() < 1e-12
            assert np.abs(np.linalg.norm(np.diff(nodes, axis=1), axis=2) - length).max() < 1e-10
            along = np.stack([np.cos(psi), np.sin(psi)], axis=-1)
            assert np.abs(np.diff(nodes, axis=1) - length * along).max() < 1e-10
            last = nodes[-1]
        first = legs[0].nodes(1.0)[0, 7]
        assert first - head == pytest.approx(2.0 * length * (1.0 - np.cos(a)) * ahead, abs=1e-12)
        assert last[7] == pytest.approx(first, abs=1e-12)
        start = basic.Posture(tuple(last[1]), float(legs[2].headings(1.0)[0, 0]), basic.row(1, a, side))
        assert start.heading == pytest.approx(0.7, abs=1e-12)
        assert np.abs(start.nodes(length) - last).max() < 1e-12  # row 4 is the next row 1


def test_joints_in_a_straight_line_would_open_the_chain() -> None:
    """The trap of spec 3.2: joint 4 opens in the middle of stage 2, when joint 4 is 1.5 L from joints 2 and 6: 2 acos(3/4)."""
    angles = np.degrees(basic.basic_cycle()[1].angles(np.linspace(0.0, 1.0, SAMPLES)))
    assert angles[:, 3].max() == pytest.approx(2.0 * np.degrees(np.arccos(0.75)), abs=1e-3)
    assert angles[[0, -1], 3] == pytest.approx([60.0, 60.0], abs=1e-6)


def test_posture_from_the_displacement_of_the_head() -> None:
    """Equations (13), (14): a basic cycle from phi_0 = 0.3 takes joint 1 by (cos 0.3, sin 0.3)."""
    before = basic.Posture((0.4, 0.5), 0.3)
    after = basic.moved_posture(before, (1.0, 0.0), 0.0, before.angles)
    assert after.joint_1 == pytest.approx((0.4 + np.cos(0.3), 0.5 + np.sin(0.3)), abs=1e-14)
    assert after.heading == pytest.approx(0.3, abs=1e-14)


@pytest.mark.parametrize(("speed", "acceleration"), [(1.2, 3.0), (1.2, 0.6)])
def test_timing_is_bounded_and_a_pair_of_links_is_always_pinned(speed: float, acceleration: float) -> None:
    legs = basic.basic_cycle() + basic.basic_cycle(start=basic.Posture((1.0, 0.0)), cycle=2)
    timed = basic.schedule(legs, speed, acceleration, handover=0.15)
    t = np.linspace(0.0, timed.time, 20001)
    angles, pins = timed.angles(t), timed.solenoids(t)
    rate = np.diff(angles, axis=0) / t[1]
    shares = np.abs(rate).max() / speed, np.abs(np.diff(rate, axis=0) / t[1]).max() / acceleration
    assert 0.95 < max(shares) <= 1.0  # neither bound is exceeded, one is used
    assert set(np.unique(pins)) == {0, 1}
    held = np.concatenate([pins[:, :6], pins[:, 6:].max(axis=1)[:, None]], axis=1)
    assert (held[:, :-1] & held[:, 1:]).any(axis=1).all()  # two links that share a joint
    nodes = timed.at(t)[0]
    moved = np.abs(np.diff(nodes, axis=0)).max(axis=2)
    for link in range(7):  # a link with a pin at both instants does not move
        both = (held[:-1, link] & held[1:, link]).astype(bool)
        assert moved[both, link : link + 2].max() < 1e-12
    swap = (t >= timed.begins[3]) & (t < timed.begins[3] + 0.15)  # from step 4 to the next step 1
    assert swap.sum() > 50
    assert np.abs(nodes[swap] - nodes[swap][0]).max() < 1e-12
    assert (held[swap].sum(axis=0) > 0).tolist() == [False, False, True, True, True, True, True]


@pytest.mark.parametrize("target", COUNTS)
def test_cycles_of_the_spec(target: tuple[float, float]) -> None:
    found = ConcertinaPlan(target).solve()
    assert (found.status, found.cycles) == ("reached", COUNTS[target])
    assert found.final_distance < 1e-14
    assert ConcertinaPlan(target, elbow="auto").solve().cycles <= found.cycles
    worst = cases.faults(found, between=0)
    assert worst["drift"] < 1e-14


def test_straight_ahead_takes_one_cycle_a_link() -> None:
    for distance in (3.0, 3.5, 4.0, 7.0, 11.25):  # from joint 4, which starts at (2, 0)
        assert ConcertinaPlan((2.0 + distance, 0.0)).solve().cycles == int(np.ceil(distance - 3.0 - 1e-9)) + 1


def test_random_targets_are_reached_without_crossings() -> None:
    rng = np.random.default_rng(2024)
    targets = rng.uniform(-15.0, 15.0, (1000, 2))[: 1000 if PROVE else 120]
    for k, target in enumerate(targets):
        for half_width in (0.0, cases.HALF_WIDTH) if PROVE else (cases.HALF_WIDTH * (k % 2),):
            found = ConcertinaPlan(target, half_width=half_width).solve()
            assert found.reached, target
            assert found.cycles <= 40
            assert np.hypot(*(found.legs[-1].nodes(1.0)[0, 7] - target)) < 1e-6
            worst = cases.faults(found, even=61, between=0)
            assert worst["drift"] == 0.0
            assert worst["opened"] < 1e-12
            assert worst["jump"] < 1e-12
            assert worst["own"] > max(2.0 * half_width, 0.01) - 1e-6  # in touch at least
        assert k % (2 if PROVE else 8) or ConcertinaPlan(target, elbow="auto").solve().cycles <= found.cycles


def test_targets_by_its_side_lead_round_and_out_again() -> None:
    """Spec 3.4: (1.2, 0.2) is a limit cycle without the escape rule; at the joint itself as well."""
    for target in ((1.2, 0.2), (0.5, 0.5), (0.0, 0.0), (-1.0, 0.0), (2.0, 0.0), (-0.5, -0.5)):
        found = ConcertinaPlan(target, half_width=cases.HALF_WIDTH).solve()
        assert found.reached and found.cycles <= 40, target
        assert cases.faults(found, even=61, between=0)["own"] > 2.0 * cases.HALF_WIDTH


def test_a_limit_on_cycles_ends_the_plan() -> None:
    found = ConcertinaPlan((50.0, 0.0), max_cycles=7).solve()
    assert (found.status, found.cycles, len(found.legs)) == ("cycle-limit", 7, 21)
    assert "7 cycles" in found.reason


@pytest.mark.parametrize("degrees", [0.0, 90.0, 180.0, -135.0] if not PROVE else list(range(-180, 180, 15)))
@pytest.mark.parametrize("target", [(10.0, 0.0), (-6.0, 3.0), (4.0, 0.0)])
def test_heading_at_the_target(target: tuple[float, float], degrees: float) -> None:
    found = ConcertinaPlan(target, heading=np.radians(degrees), half_width=cases.HALF_WIDTH).solve()
    assert found.reached, found.reason
    nodes, psi = found.legs[-1].at(1.0)
    assert nodes[0, 7] == pytest.approx(target, abs=1e-6)
    assert np.abs(np.exp(1j * psi[0, 6]) - np.exp(1j * np.radians(degrees))) < 1e-6
    assert cases.faults(found, even=61, between=0)["own"] > 2.0 * cases.HALF_WIDTH - 1e-6


@pytest.mark.parametrize("fold", [30.0, 50.0, 70.0])
def test_other_folds_and_lengths(fold: float) -> None:
    """Unequal links and any fold through the same code; stage 2 must be able to close."""
    lengths = 0.2 * np.array([1.3, 0.8, 1.0, 0.9, 1.2, 1.1, 0.7])
    for target in ((2.0, 0.5), (-1.5, 1.0)):
        found = ConcertinaPlan(target, fold=np.radians(fold), half_width=0.01, max_cycles=400).solve(lengths)
        assert found.reached, (fold, target, found.reason)
        worst = cases.faults(found, even=61, between=0)
        assert worst["drift"] < 1e-12
        assert worst["opened"] < 1e-12
        assert worst["own"] > 0.02 - 1e-6 * lengths.mean()


def test_joint_limits_are_kept() -> None:
    limit = np.radians(128.0)
    for target in ((8.0, 6.0), (-9.0, 2.0)):
        free, found = ConcertinaPlan(target).solve(), ConcertinaPlan(target, joint_limit=limit).solve()
        assert found.reached
        assert cases.faults(free, between=0)["turn"] > limit + 0.01  # the limit means something
        assert cases.faults(found, between=0)["turn"] <= limit + 1e-5


def test_mechanical_snakes() -> None:
    """MSK-1: seven links, six joints and hinges, 8 solenoids with two in the head; MS-2: two a link, head pitch, no casters."""
    for robot in (ms1(), ms2()):
        assert robot.links == 7
        assert np.size(robot.joint_limit) in (1, 6)
        assert np.degrees(np.min(robot.joint_limit)) >= 166.6
    assert MS1.solenoids == (1, 1, 1, 1, 1, 1, 2) == basic.SOLENOIDS
    assert (sum(MS1.solenoids), MS1.hinges, MS1.head_pitch) == (8, 6, False)
    assert MS1.casters > 0
    assert MS2.solenoids == (2,) * 7
    assert (sum(MS2.solenoids), MS2.hinges, MS2.head_pitch, MS2.casters) == (14, 6, True, 0)
    both = basic.schedule(basic.basic_cycle(), solenoids_of_links=MS2.solenoids)
    assert both.solenoids([0.5 * both.time]).shape == (1, 14)
    robot = ms1()
    found = ConcertinaPlan((2.0, -1.0), half_width=float(np.max(robot.radius)), joint_limit=robot.joint_limit).solve(
        robot.link_length
    )
    assert found.reached
