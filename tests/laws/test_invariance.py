"""The ground is the same everywhere and in every direction: shifted, turned and mirrored starts give the same motion."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import serpenoid as sp
from cases import random_drive, random_gait, random_law, random_robot, random_start
from planar_runs import planar_run

SEED = st.integers(0, 2**32 - 1)
SAME = 1e-10  # m: rounding, grown over a second of motion


def both(seed: int, start: sp.Start, other: sp.Start) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    robot, gait, world = random_robot(rng), random_gait(rng), sp.World(random_law(rng))
    a, b = (planar_run(robot, gait, world, 1.0, start=s, step=1e-3)["node"][..., :2] for s in (start, other))
    return a, b


@given(SEED)
def test_rotation_and_translation(seed: int) -> None:
    rng = np.random.default_rng(seed + 1)
    start, turn, shift = random_start(rng), rng.uniform(-3, 3), rng.uniform(-5, 5, 2)
    R = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    other = sp.Start(
        tuple(R @ np.array(start.position) + shift), start.heading + turn, tuple(R @ np.array(start.velocity)),
        start.angular_velocity,
    )  # fmt: skip
    a, b = both(seed, start, other)
    assert np.abs(a @ R.T + shift - b).max() < SAME


@given(SEED)
def test_mirror(seed: int) -> None:
    rng = np.random.default_rng(seed)
    robot, law = random_robot(rng), random_law(rng)
    wind, waves, speed, edge = (
        rng.uniform(0.2, 1.2),
        rng.uniform(0.5, 2.5),
        rng.uniform(0.2, 1.0),
        rng.uniform(-0.3, 0.3),
    )
    start = random_start(rng)
    other = sp.Start(
        (start.position[0], -start.position[1]), -start.heading, (start.velocity[0], -start.velocity[1]),
        -start.angular_velocity,
    )  # fmt: skip
    a, b = (
        planar_run(
            robot, sp.gaits.Serpenoid(sign * wind, waves, speed), sp.World(law, edge_angle=sign * edge), 1.0, start=at, step=1e-3
        )["node"][..., :2]
        for sign, at in ((1.0, start), (-1.0, other))
    )  # fmt: skip
    assert np.abs(a * [1.0, -1.0] - b).max() < 1e-12


@given(SEED)
def test_rotation_under_torques(seed: int) -> None:
    rng = np.random.default_rng(seed)
    robot, drive, law = (
        random_robot(rng, high=10),
        random_drive(rng),
        random_law(rng, ("coulomb", "viscous", "unit-slip")),
    )
    turn = rng.uniform(-3, 3)
    R = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    a, b = (
        planar_run(robot, drive, sp.World(law), 0.2, start=sp.Start(heading=h), step=5e-4)["node"][..., :2]
        for h in (0.0, turn)
    )
    assert np.abs(a @ R.T - b).max() < 1e-9


def test_a_gait_started_a_period_later_moves_the_same() -> None:
    """Two runs of sampled angles, the second a period later in the gait: the same motion."""
    robot, world = sp.robots.rods(12), sp.World(sp.contact.Coulomb(0.1, 0.6))
    gait = sp.gaits.Serpenoid(0.7, 1.0, speed=0.5)
    period = gait.period(robot)
    time = np.linspace(0.0, period, 401)
    first, later = (
        planar_run(robot, sp.gaits.Sampled(time, joint_angles(gait, robot, time + shift)), world, period, step=1e-3)
        for shift in (0.0, period)
    )
    assert np.abs(first["node"] - later["node"]).max() < 1e-9
    assert first.com_distance > 0.1


def joint_angles(gait: sp.gaits.Serpenoid, robot: sp.Robot, times: np.ndarray) -> np.ndarray:
    out = np.zeros((3, robot.links))
    rows = []
    par, tab = gait.row(robot)
    for t in times:
        sp.gaits.headings(gait.KIND, par, tab, t, out)
        rows.append(np.diff(out[0]))
    return np.array(rows)
