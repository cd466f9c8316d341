"""A concertina plan in dynamics: it tracks the kinematic plan; weak pins slip, and the run says so."""

from __future__ import annotations

import numpy as np
import pytest

import serpenoid as sp
from serpenoid import control as execution
from serpenoid.gaits.concertina import Posture, basic_cycle, row
from serpenoid.planning import ConcertinaPlan, Disc, Polygon, Wall, signed_distance

LENGTH = 0.2
TRACKS = 0.02  # of a link's length: head against the plan after five cycles


def snake() -> sp.Robot:
    return sp.robots.rods(7, 7 * LENGTH, 7.0, radius=0.03)


def cycles(count: int) -> list:
    legs, start = [], None
    for cycle in range(1, count + 1):
        legs += basic_cycle(np.full(7, LENGTH), start=start, cycle=cycle)
        nodes, psi = legs[-1].at(1.0)
        start = Posture((float(nodes[0, 1, 0]), float(nodes[0, 1, 1])), float(psi[0, 0]), row(1))
    return legs


def test_five_cycles_track_the_plan() -> None:
    done = execution.execute(snake(), cycles(5))
    assert done.settled.all() and not done.warnings
    assert done.head_errors.max() < TRACKS * LENGTH
    advance = done.nodes[-1, -1] - done.nodes[0, -1]
    assert advance[0] == pytest.approx(5 * LENGTH, abs=TRACKS * LENGTH)  # d = L a cycle at 60 degrees
    assert np.all(done.pin_slip == 0.0) and np.all(done.pin_force_max > 0.0)
    assert 0.3 < done.torque_max.max() < 10.0 and done.positive_work > 1.0
    # pinned links stay while they are pinned
    for link in range(7):
        held = done.pinned[:, link] & np.roll(done.pinned[:, link], 1)
        moved = np.abs(np.diff(done.nodes[:, link], axis=0)).max(axis=1)
        assert moved[held[1:]].max() < 2e-3 * LENGTH


def test_weak_pins_slip_and_the_run_says_so() -> None:
    done = execution.execute(snake(), cycles(2), execution.Motors(hold=4.0))
    assert done.pin_slip.max() > 1e-3 * LENGTH and any("pins slipped" in w for w in done.warnings)


def test_refused() -> None:
    with pytest.raises(sp.SerpenoidError, match="seven links"):
        execution.execute(sp.robots.rods(6, 1.2, 6.0), cycles(1))
    with pytest.raises(sp.SerpenoidError, match="no leg"):
        execution.execute(snake(), [])


UNIT = 0.18  # m, link of ms1
MS1 = {"half_width": 0.035, "joint_limit": np.radians(170.0)}


def scaled(*items: object) -> tuple:
    """Obstacles given in link lengths, in m."""
    out = []
    for item in items:
        if isinstance(item, Disc):
            out.append(Disc((item.centre[0] * UNIT, item.centre[1] * UNIT), item.radius * UNIT))
        else:
            out.append(Polygon(tuple((x * UNIT, y * UNIT) for x, y in item.corners)))
    return tuple(out)


def test_among_obstacles_the_plan_is_tracked_and_forces_stay_below_the_limit() -> None:
    yard = scaled(Wall((4.5, -0.6), (9.0, -0.4), 0.1), Polygon(((5.0, 1.0), (7.0, 1.0), (6.0, 2.0))))
    made = ConcertinaPlan((8 * UNIT, UNIT), obstacles=yard, **MS1).solve(UNIT)
    assert made.reached and made.contacts
    done = execution.execute(sp.robots.ms1(), made.legs, obstacles=yard)
    assert done.status == "done" and done.settled.all() and not done.warnings
    assert done.head_errors.max() < TRACKS * UNIT
    assert 0.0 < done.contact_force_max.max() < execution.Motors().force_limit
    assert 0.0 < done.penetration_max < 1e-3 * UNIT
    # what is touched in dynamics is what the plan touches
    planned = {(c.link, c.obstacle) for c in made.contacts}
    assert {(t.link, t.obstacle) for t in done.touches} <= planned
    for touch in done.touches:
        assert abs(signed_distance(yard, [touch.point])[0]) < 1e-3
    # the links' capsules stay out of the obstacles by an independent measure
    ends = done.nodes[::5]
    for f in np.linspace(0.0, 1.0, 7):
        inside = signed_distance(yard, ((1.0 - f) * ends[:, :-1] + f * ends[:, 1:]).reshape(-1, 2))
        assert inside.min() > 0.035 - 1e-3 * UNIT - 1e-6


@pytest.mark.parametrize("sensor", ["tactile", "torque"])
def test_an_unknown_obstacle_is_felt_and_ends_the_execution(sensor: str) -> None:
    made = ConcertinaPlan((2 * UNIT, 8 * UNIT), **MS1).solve(UNIT)
    unknown = scaled(Disc((2.6, 2.2), 0.2))
    motors = execution.Motors(sensor=sensor, speed=0.3)
    done = execution.execute(sp.robots.ms1(), made.legs[:3], motors, unknown)
    assert done.status == "blocked" and done.ends == ("held",) and "does not know" in done.warnings[0]
    assert 0.0 < done.contact_force_max[6] < motors.force_limit and done.contact_force_max[:6].max() == 0.0
    assert [t.link for t in done.touches] == [7]
    told = done.feelings[0].suspects
    assert told[0].link == 7 and told[0].place is not None
    assert np.dot(told[0].direction, done.touches[0].direction) > 0.9


def test_nothing_is_felt_in_free_space() -> None:
    made = ConcertinaPlan((6 * UNIT, UNIT), **MS1).solve(UNIT)
    done = execution.execute(sp.robots.ms1(), made.legs, obstacles=scaled(Disc((50.0, 0.0), 0.1)))
    assert not done.feelings and not done.touches and done.contact_force_max.max() == 0.0
    alone = execution.execute(sp.robots.ms1(), made.legs)
    assert np.allclose(alone.nodes[-1], done.nodes[-1], atol=2e-3 * UNIT)


def test_bad_motors() -> None:
    for changes, text in (
        ({"sensor": "nose"}, "sensor"),
        ({"hold": 0.0}, "hold"),
        ({"force_limit": np.nan}, "force_limit"),
    ):
        with pytest.raises(sp.SerpenoidError, match=text):
            execution.Motors(**changes)


def free_plan() -> tuple:
    return ConcertinaPlan((5 * UNIT, 0.5 * UNIT), **MS1).solve(UNIT).legs


def test_a_blocked_middle_is_no_success() -> None:
    """In stage 3 the head is pinned: what the tail runs into must be found by all joints, not by the head's."""
    done = execution.execute(sp.robots.ms1(), free_plan(), obstacles=(Disc((0.38599673, 0.13627245), 0.0076224),))
    assert done.status == "blocked" and len(done.ends) == 3 and done.ends[-1] == "held"
    assert done.head_errors[-1] < 0.02 * UNIT


def test_weak_motors_are_no_obstacles() -> None:
    done = execution.execute(
        sp.robots.ms1(), free_plan(), execution.Motors(sp.control.Servo(400.0, 20.0, torque_limit=1e-3))
    )
    assert done.status == "blocked" and "too weak" in done.warnings[0]


def test_peak_torques_count_every_step() -> None:
    done = execution.execute(sp.robots.ms1(), free_plan()[:3])
    assert np.all(done.torque_max >= np.abs(done.torques).max(axis=0))
    fine = execution.execute(sp.robots.ms1(), free_plan()[:3], execution.Motors(step=5e-4))
    assert fine.time[1] == pytest.approx(0.02) and fine.torque_max == pytest.approx(done.torque_max, rel=0.15, abs=0.05)


@pytest.mark.parametrize("kind", ["block", "disc", "pin", "wall"])
def test_a_start_in_an_obstacle_is_refused(kind: str) -> None:
    legs = free_plan()
    nodes = legs[0].nodes(0.0)[0]
    mid = 0.5 * (nodes[6] + nodes[7])
    obstacle = {
        "block": Polygon(((-5, -5), (5, -5), (5, 5), (-5, 5))), "disc": Disc(tuple(mid), 0.03), "pin": Disc(tuple(mid), 1e-9),
        "wall": Wall((mid[0], mid[1] - 1), (mid[0], mid[1] + 1), 0.02),
    }[kind]  # fmt: skip
    with pytest.raises(sp.SerpenoidError, match="inside obstacle 0"):
        execution.execute(sp.robots.ms1(), legs, obstacles=(obstacle,))


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(sp.SerpenoidError, match="plan with its lengths"):
        execution.execute(sp.robots.ms1(), ConcertinaPlan((5.0, 0.5)).solve().legs)
    with pytest.raises(sp.SerpenoidError, match="Robot and Motors"):
        execution.execute("ms1", free_plan())
    with pytest.raises(sp.SerpenoidError, match="obstacles must be"):
        execution.execute(sp.robots.ms1(), free_plan(), obstacles=None)
    for changes in ({"step": 0.1}, {"speed": 1e-9}, {"acceleration": 1e-9}):
        with pytest.raises(sp.SerpenoidError, match=next(iter(changes))):
            execution.Motors(**changes)
