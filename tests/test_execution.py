"""A concertina plan in dynamics: it tracks the kinematic plan without adding up errors; weak pins slip, and the run reports it."""

from __future__ import annotations

import json

import numpy as np
import pytest

import serpenoid as sp
from execution_cases import carried_out, link_points, resumed, told
from serpenoid.control import ConcertinaDriver, Motors, Servo
from serpenoid.core import Disc, Polygon, Wall
from serpenoid.gaits.concertina import Posture, basic_cycle, row
from serpenoid.planning import ConcertinaPlan, signed_distance

LENGTH = 0.2
TRACKS = 0.02  # of a link's length: head against the plan after five cycles
CORRECTED = 0.005  # of a link's length: the same after any number of cycles
ADDED_UP = 0.02  # of a link's length: what eleven cycles without correction miss at least


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
    run = carried_out(ConcertinaDriver(snake(), cycles(5)))
    made = told(run)
    assert (
        run.status.ok and set(made["ends"]) == {"settled"} and all(text.startswith("rough: ") for text in run.warnings)
    )
    assert max(made["head_errors"]) < TRACKS * LENGTH
    advance = run["node"][-1, -1] - run["node"][0, -1]
    assert advance[0] == pytest.approx(5 * LENGTH, abs=TRACKS * LENGTH)  # d = L per cycle at 60 degrees
    assert max(made["pin_slip"]) == 0.0 and min(made["pin_force_max"]) > 0.0
    assert 0.3 < max(made["torque_max"]) < 10.0 and run.metrics["positive_work"] > 1.0
    # pinned links stay while they are pinned
    pinned = run["anchor_set"][:, :7] > 0.0
    for link in range(7):
        held = pinned[1:, link] & pinned[:-1, link]
        moved = np.abs(np.diff(run["node"][:, link, :2], axis=0)).max(axis=1)
        assert moved[held].max() < 2e-3 * LENGTH
    # every leg begins and ends, and every frame belongs to one
    assert [e.kind for e in run.events].count("leg") == [e.kind for e in run.events].count("settled") == 15
    assert set(run["leg"]) == set(range(1, 16)) and run["leg_progress"].max() == 1.0
    assert json.dumps(made)


UNIT = 0.18  # m, link of ms1


def test_errors_do_not_add_up_over_eleven_cycles_with_turns() -> None:
    """Straight back by turns of 45 degrees: each leg begins at the measured pose; without that the head misses by percents."""
    robot = sp.robots.ms1()
    way = ConcertinaPlan((-4 * UNIT, 0.0), bearing_limit=np.radians(45.0)).solve(robot)
    assert way.cycles == 11
    motors = Motors(friction=0.03)
    errors = {
        c: told(carried_out(ConcertinaDriver(robot, way.legs, motors, correct=c)))["head_errors"] for c in (True, False)
    }
    assert max(errors[True]) < CORRECTED * UNIT
    assert errors[False][-1] > ADDED_UP * UNIT


def test_weak_pins_slip_and_the_run_reports_it() -> None:
    run = carried_out(ConcertinaDriver(snake(), cycles(2), Motors(hold=4.0)))
    assert max(told(run)["pin_slip"]) > 1e-3 * LENGTH and any("pins slipped" in w for w in run.warnings)


def test_refused() -> None:
    with pytest.raises(sp.SerpenoidError, match="seven links"):
        ConcertinaDriver(sp.robots.rods(6, 1.2, 6.0), cycles(1))
    with pytest.raises(sp.SerpenoidError, match="no leg"):
        ConcertinaDriver(snake(), [])


def scaled(*items: object) -> tuple:
    """Obstacles given in link lengths, in m."""
    out = []
    for item in items:
        if isinstance(item, Disc):
            out.append(Disc((item.centre[0] * UNIT, item.centre[1] * UNIT), item.radius * UNIT))
        else:
            out.append(Polygon(tuple((float(x) * UNIT, float(y) * UNIT) for x, y in item.corners)))
    return tuple(out)


def test_among_obstacles_the_plan_is_tracked_and_forces_stay_below_the_limit() -> None:
    yard = scaled(Wall((4.5, -0.6), (9.0, -0.4), 0.1), Polygon(((5.0, 1.0), (7.0, 1.0), (6.0, 2.0))))
    way = ConcertinaPlan((8 * UNIT, UNIT), obstacles=yard).solve(sp.robots.ms1())
    assert way.reached and way.contacts
    run = carried_out(ConcertinaDriver(sp.robots.ms1(), way.legs, obstacles=yard))
    made = told(run)
    assert (
        run.status.ok and set(made["ends"]) == {"settled"} and all(text.startswith("rough: ") for text in run.warnings)
    )
    assert max(made["head_errors"]) < TRACKS * UNIT
    assert 0.0 < max(made["contact_force_max"]) < Motors().force_limit
    assert 0.0 < made["penetration_max"] < 1e-3 * UNIT
    # what is touched in dynamics is what the plan touches
    planned = {(c.link, c.obstacle) for c in way.contacts}
    assert {(t["link"], t["obstacle"]) for t in made["touches"]} <= planned
    for touch in made["touches"]:
        assert abs(signed_distance(yard, [touch["point"]])[0]) < 1e-3
    # the links' capsules stay out of the obstacles by an independent measure
    assert signed_distance(yard, link_points(run, 7, every=5)).min() > 0.035 - 1e-3 * UNIT - 1e-6
    # and what the controller felt is what was recorded
    assert {e.data["link"] for e in run.events if e.kind == "felt"} == {t["link"] for t in made["touches"]}
    recorded = np.hypot(run["wall_force"][..., 0], run["wall_force"][..., 1]).max(axis=0)
    assert np.all(recorded <= np.array(made["contact_force_max"]) + 1e-9)


@pytest.mark.parametrize("sensor", ["tactile", "torque"])
def test_an_unknown_obstacle_is_felt_and_ends_the_execution(sensor: str) -> None:
    way = ConcertinaPlan((2 * UNIT, 8 * UNIT)).solve(sp.robots.ms1())
    motors = Motors(sensor=sensor, speed=0.3)
    run = carried_out(ConcertinaDriver(sp.robots.ms1(), way.legs[:3], motors, scaled(Disc((2.6, 2.2), 0.2))))
    made = told(run)
    assert run.status.name == "blocked" and made["ends"] == ["held"] and "does not know" in run.status.message
    assert run.status.message in run.warnings and run.metrics["com_distance"] is not None
    force = np.array(made["contact_force_max"])
    assert 0.0 < force[6] < motors.force_limit and force[:6].max() == 0.0
    assert [t["link"] for t in made["touches"]] == [7]
    suspects = made["feelings"][0]["suspects"]
    assert suspects[0]["link"] == 7 and suspects[0]["place"] is not None
    assert np.dot(suspects[0]["direction"], made["touches"][0]["direction"]) > 0.9


def test_nothing_is_felt_in_free_space() -> None:
    way = ConcertinaPlan((6 * UNIT, UNIT)).solve(sp.robots.ms1())
    run = carried_out(ConcertinaDriver(sp.robots.ms1(), way.legs, obstacles=scaled(Disc((50.0, 0.0), 0.1))))
    made = told(run)
    assert not made["feelings"] and not made["touches"] and max(made["contact_force_max"]) == 0.0
    alone = carried_out(ConcertinaDriver(sp.robots.ms1(), way.legs))
    assert np.allclose(alone["node"][-1], run["node"][-1], atol=2e-3 * UNIT)


def test_bad_motors() -> None:
    for changes, text in (
        ({"sensor": "nose"}, "sensor"),
        ({"hold": 0.0}, "hold"),
        ({"force_limit": np.nan}, "force_limit"),
    ):
        with pytest.raises(sp.SerpenoidError, match=text):
            Motors(**changes)


def free_plan() -> tuple:
    return ConcertinaPlan((5 * UNIT, 0.5 * UNIT)).solve(sp.robots.ms1()).legs


BEHIND = Disc((0.38599673, 0.13627245), 0.0076224)  # where links 3 and 4 fold in leg 3


def test_a_blocked_middle_is_no_success() -> None:
    """In stage 3 the head is pinned: what the tail runs into must be found by all joints, not by the head's."""
    run = carried_out(ConcertinaDriver(sp.robots.ms1(), free_plan(), obstacles=(BEHIND,)))
    made = told(run)
    assert run.status.name == "blocked" and len(made["ends"]) == 3 and made["ends"][-1] == "held"
    assert made["head_errors"][-1] < 0.02 * UNIT


def test_weak_motors_are_no_obstacles() -> None:
    run = carried_out(ConcertinaDriver(sp.robots.ms1(), free_plan(), Motors(Servo(400.0, 20.0, torque_limit=1e-3))))
    assert run.status.name == "blocked" and "too weak" in run.status.message


def test_a_plan_that_runs_out_of_time_is_stalled() -> None:
    driver = ConcertinaDriver(sp.robots.ms1(), free_plan())
    run = sp.simulate(driver.body, driver, duration=1.0)
    assert run.status.name == "stalled" and "leg 1" in run.status.message and run.duration == pytest.approx(1.0)


@pytest.mark.parametrize("cut", [3.333, 16.01])
def test_an_execution_resumes_bit_for_bit_in_the_middle_of_a_leg(cut: float) -> None:
    """Before the obstacle is felt, and while it presses."""
    whole, parts = resumed(lambda: ConcertinaDriver(sp.robots.ms1(), free_plan(), obstacles=(BEHIND,)), cut, 17.0)
    assert np.array_equal(whole["node"][-1], parts["node"][-1]) and told(whole) == told(parts)
    assert whole.status == parts.status and whole.events == parts.events
    assert np.array_equal(whole["leg_progress"], parts["leg_progress"])


def test_peak_torques_count_every_step() -> None:
    run = carried_out(ConcertinaDriver(sp.robots.ms1(), free_plan()[:3]))
    peaks = np.array(told(run)["torque_max"])
    assert np.all(peaks >= np.abs(run["joint_torque"]).max(axis=0))
    fine = carried_out(ConcertinaDriver(sp.robots.ms1(), free_plan()[:3]), step=5e-4)
    assert fine["time"][1] == pytest.approx(0.02) and np.array(told(fine)["torque_max"]) == pytest.approx(
        peaks, rel=0.15, abs=0.05
    )


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
        ConcertinaDriver(sp.robots.ms1(), legs, obstacles=(obstacle,))


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(sp.SerpenoidError, match="plan with its lengths"):
        ConcertinaDriver(sp.robots.ms1(), ConcertinaPlan((5.0, 0.5)).solve().legs)
    with pytest.raises(sp.SerpenoidError, match="robot must be a Robot"):
        ConcertinaDriver("ms1", free_plan())
    with pytest.raises(sp.SerpenoidError, match="obstacles must be"):
        ConcertinaDriver(sp.robots.ms1(), free_plan(), obstacles=None)
    for changes in ({"speed": 1e-9}, {"acceleration": 1e-9}):
        with pytest.raises(sp.SerpenoidError, match=next(iter(changes))):
            Motors(**changes)


def test_what_a_plan_brings_is_brought_once() -> None:
    driver = ConcertinaDriver(sp.robots.ms1(), free_plan(), obstacles=(Disc((3.0, 3.0), 0.1),))
    world = driver.world()
    assert len(world.anchors) == 8 and world == driver.world(world)
    other = Disc((-3.0, 0.0), 0.2)
    assert driver.world(sp.World(obstacles=(other,))).obstacles == (*driver.obstacles, other)
    assert driver.robot(driver.body).servo == driver.motors.servo
