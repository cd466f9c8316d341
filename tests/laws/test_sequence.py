"""Gaits one after another: angles, rates and accelerations go through a blend without a jump; the same in plane and space."""

from __future__ import annotations

import numpy as np
import pytest

import serpenoid as sp
from serpenoid.core.errors import InputError
from serpenoid.core.terrain import Ground
from serpenoid.formats.scenario import checked
from serpenoid.gaits import joints as gait_joints
from serpenoid.simulation.setup import setup_of

ROBOT = sp.robots.ma2001(links=10)
FIRST = sp.gaits.Serpenoid(0.6, 1.5, 0.5)
SECOND = sp.gaits.Serpenoid(0.3, 1.1, -0.4, acceleration=0.8)
SWITCH, BLEND = 1.1, 0.45  # s
SEQUENCE = sp.gaits.Sequence((FIRST, SECOND), times=(SWITCH,), blend=BLEND)
GROUND = sp.World(ground=Ground("point", damping=200.0))
DIFFERENCE = 1e-5  # s, of numerical derivatives
EXACT = 1e-12  # rad
SLOPE = 1e-6  # relative: error of a difference quotient of that step
SAME_PLACE = 1e-4  # of the way, seen 3e-6: uniform rods touch below their centres of gravity (equal loads in space) and begin at rest
SPRUNG = 5e-3  # of a path of 8 cm: springs of the ground take up the start within the first steps


def rows(gait, t: float) -> np.ndarray:
    """Link headings, rates and accelerations at a time."""
    from serpenoid.gaits import headings

    out = np.zeros((6, ROBOT.links))
    headings(gait.KIND, *gait.row(ROBOT), t, out)
    return out[:3]


@pytest.mark.parametrize("t", [0.3, SWITCH + 0.1, SWITCH + 0.3, SWITCH + BLEND + 0.2])
def test_rates_are_derivatives(t):
    before, now, after = (rows(SEQUENCE, t + d) for d in (-DIFFERENCE, 0.0, DIFFERENCE))
    slope = (after - before) / (2.0 * DIFFERENCE)
    for row in (0, 1):
        assert np.abs(slope[row] - now[row + 1]).max() < SLOPE * max(np.abs(now[row + 1]).max(), 1.0)


def test_space_gives_the_same_angles_and_rates():
    source = gait_joints.source_of(SEQUENCE, ROBOT)
    for t in (0.3, SWITCH + 0.2, 2.5):
        aim = np.zeros((gait_joints.ROWS, ROBOT.links))
        gait_joints.joint_angles(*source, t, aim)
        flat = np.diff(rows(SEQUENCE, t), axis=1)
        assert np.abs(aim[:2, 1:] - flat[:2]).max() < EXACT
        assert np.abs(aim[2:4]).max() == 0.0


def test_nothing_jumps_at_the_ends_of_a_blend():
    for t in (SWITCH, SWITCH + BLEND):
        near = [rows(SEQUENCE, t + d) for d in (-1e-9, 1e-9)]
        assert np.abs(near[1] - near[0]).max() < 1e-5  # at 1e-9 s on either side


def test_before_and_after_it_is_the_gait_alone():
    assert np.abs(SEQUENCE.angles(ROBOT, 0.7) - FIRST.angles(ROBOT, 0.7)).max() < EXACT
    late = SWITCH + BLEND + 0.4
    assert np.abs(SEQUENCE.angles(ROBOT, late) - SECOND.angles(ROBOT, late - SWITCH)).max() < EXACT
    shared = sp.gaits.Sequence((FIRST, SECOND), times=(SWITCH,), blend=BLEND, clock="run")
    assert np.abs(shared.angles(ROBOT, late) - SECOND.angles(ROBOT, late)).max() < EXACT


def test_a_gait_after_itself_on_the_clock_of_the_run_is_the_gait():
    twice = sp.gaits.Sequence((FIRST, FIRST), times=(0.6,), blend=0.5, clock="run")
    one, two = (sp.simulate(ROBOT, gait, duration=1.5, step=1e-3) for gait in (FIRST, twice))
    assert np.abs(one["node"] - two["node"]).max() < 1e-9


def test_plane_and_space_go_the_same_way_and_resume_bit_for_bit():
    rods = sp.robots.rods(links=10, length=0.8, mass=5.0)
    first = FIRST.but(acceleration=2.0)
    gait = sp.gaits.Sequence((first, SECOND), times=(SWITCH,), blend=BLEND)
    plane, space = (sp.simulate(rods, gait, world, duration=2.4, step=1e-3) for world in (None, GROUND))
    assert plane.status.ok and space.status.ok
    gap = np.abs(plane["com"][-1, :2] - space["com"][-1, :2]).max()
    assert gap < SAME_PLACE * plane.metrics["path_length"]
    assert np.abs(plane["joint_angle"] - space["joint_angle"]).max() < EXACT
    for world, whole in ((None, plane), (GROUND, space)):
        half = sp.simulate(rods, gait, world, duration=2.4, step=1e-3, until=1.3)
        assert np.array_equal(sp.resume(half)["node"], whole["node"])


def test_rates_that_jump_at_the_start_turn_plane_and_space_alike():
    """Every gait of the plane has its body frame in space too: the same heading and the same turning at t = 0, at rest or not."""
    rods = sp.robots.rods(links=10, length=0.8, mass=5.0)
    wave = sp.gaits.Serpenoid(winding_angle=0.6, waves=1.2, speed=0.5)
    times = np.linspace(0.0, 1.0, 41)
    gaits = (
        sp.gaits.Sequence((wave, SECOND), times=(0.3,), blend=0.2),
        sp.gaits.Sampled(times=times, values=np.array([wave.angles(rods, t) for t in times])),
        sp.gaits.FunctionGait(lambda t: wave.angles(rods, t)),
    )
    for gait in gaits:
        plane, space = (
            sp.simulate(rods, gait, world, duration=0.5, step=1e-3, checked=False) for world in (None, GROUND)
        )
        for name in ("heading", "angular_velocity"):
            assert abs(plane[name][0] - space[name][0]) < EXACT, (gait, name)
        assert abs(plane["angular_velocity"][0]) > 1e-3  # there is something to turn
        assert np.abs(plane["com"][-1, :2] - space["com"][-1, :2]).max() < SPRUNG * plane.metrics["path_length"]


def test_waves_in_space_blend():
    robot = sp.robots.ma2001(links=9, joints="alternating", radius=0.03)
    first = sp.gaits.CompoundSerpenoid(yaw_amplitude=0.3, yaw_temporal=3.0, pitch_amplitude=0.2, pitch_temporal=3.0)
    second = sp.gaits.CompoundSerpenoid(yaw_amplitude=0.1, yaw_spatial=0.6, yaw_temporal=5.0)
    gait = sp.gaits.Sequence((first, second), times=(0.5,), blend=0.4)
    run = sp.simulate(robot, gait, sp.World(ground=Ground()), duration=1.2)
    assert run.status.ok
    assert np.abs(run["joint_angle"][-1] - gait.angles(robot, 1.2)).max() < EXACT


def test_a_scenario_says_the_same():
    setup = setup_of(
        checked(
            {
                "robot": {"preset": "ma2001", "links": 10},
                "gait": {
                    "kind": "sequence", "times": [SWITCH], "blend": BLEND,
                    "parts": [
                        {"kind": "serpenoid", "winding_angle": 0.6, "waves": 1.5, "speed": 0.5},
                        {"kind": "serpenoid", "winding_angle": 0.3, "waves": 1.1, "speed": -0.4, "acceleration": 0.8},
                    ],
                },
                "run": {"duration": 2.0},
            }
        )
    )  # fmt: skip
    assert np.array_equal(setup.gait.angles(setup.robot, 1.3), SEQUENCE.angles(ROBOT, 1.3))
    again = setup_of(setup.keys())
    assert again.keys() == setup.keys()


def test_steady_speed_is_that_of_the_last_gait():
    gait = sp.gaits.Sequence((SECOND, FIRST), times=(0.5,))
    alone = sp.simulate(ROBOT, FIRST, duration=9.0, step=2e-3, record_interval=0.02).metrics["steady_speed"]
    after = sp.simulate(ROBOT, gait, duration=9.0, step=2e-3, record_interval=0.02).metrics["steady_speed"]
    assert after == pytest.approx(alone, rel=1e-2)  # both have settled to 1 %


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"parts": (FIRST,), "times": (1.0,)}, "two gaits"),
        ({"times": (1.0, 2.0)}, "times"),
        ({"parts": (FIRST, SECOND, FIRST), "times": (1.0, 1.2)}, "blend"),
        ({"parts": (FIRST, SEQUENCE)}, "another one"),
        ({"parts": (FIRST, sp.gaits.drives.SineTorque(1.0, 1.0, 0.1))}, "must be gaits"),
        ({"times": (0.0,)}, "rise"),
    ],
)
def test_what_cannot_be_is_refused(change, word):
    with pytest.raises(InputError, match=word):
        sp.gaits.Sequence(**{"parts": (FIRST, SECOND), "times": (SWITCH,), "blend": BLEND, **change})


def test_gaits_of_space_are_refused_in_the_plane():
    wave = sp.gaits.CompoundSerpenoid(yaw_amplitude=0.3, yaw_temporal=3.0)
    with pytest.raises(InputError, match="bends in space"):
        sp.simulate(ROBOT, sp.gaits.Sequence((FIRST, wave), times=(1.0,), blend=0.3), duration=0.1)


def test_a_blend_that_the_step_cannot_follow_is_said():
    short = sp.gaits.Sequence((FIRST, SECOND), times=(0.5,), blend=0.02)
    assert any(
        "is long for a gait with a period of 0.04 s" in text
        for text in sp.simulate(ROBOT, short, duration=1.0, step=5e-3).warnings
    )
