"""Several contact points per link: a published stroke, a link cut into short ones, the balance of energy, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import serpenoid as sp
from planar_runs import planar_run
from serpenoid.core.errors import InputError
from serpenoid.gaits.drives import SampledTorque, SineTorque

# Three-link swimmer at low Reynolds number, equal links, body length 1, drag ratio 2, base the middle link, a circle of the joint angles about 0
# run through from -45 degrees: net displacement per cycle in body lengths (sysplotter's model of Hatton and Choset, 2011 and 2013: drag spread
# evenly along the links). Radius of the circle in rad and displacement.
SWIMMER = {0.25: 0.00399, 0.5: 0.01530, 1.0: 0.05128}
HALF_DIGIT = 5.1e-6  # m: the numbers above are rounded to 1e-5
MID_LINK = 0.0468  # the same with the drag at mid-link


def stroke(radius: float, points: int) -> np.ndarray:
    """Displacement of the middle link per cycle, along and across it, and its turn; inertia is negligible."""
    t = np.linspace(0.0, 1.0, 401)
    turn = 2.0 * np.pi * t - 0.25 * np.pi
    gait = sp.gaits.Sampled(t, radius * np.stack([np.cos(turn), np.sin(turn)], 1), ends="not-a-knot")
    world = sp.World(sp.contact.Viscous(along=1000.0, across=2000.0), contact_points=points)
    run = planar_run(sp.robots.rods(links=3, length=1.0, mass=1e-3), gait, world, 1.0, step=1e-3)
    axis, middle = run["link_axis"][:, 1, :2], run["node"][:, 1:3, :2].mean(axis=1)
    (c, s), moved = axis[0], middle[-1] - middle[0]
    turned = np.arctan2(axis[0, 0] * axis[-1, 1] - axis[0, 1] * axis[-1, 0], axis[0] @ axis[-1])
    return np.array([c * moved[0] + s * moved[1], c * moved[1] - s * moved[0], turned])


@pytest.mark.parametrize("radius", list(SWIMMER))
def test_published_stroke_of_the_three_link_swimmer(radius: float) -> None:
    found = stroke(radius, 2)
    assert np.hypot(*found[:2]) == pytest.approx(SWIMMER[radius], abs=HALF_DIGIT)
    assert abs(found[2]) < 1e-6  # it does not turn
    # a viscous force varies linearly along a link: two points are exact
    assert stroke(radius, 3) == pytest.approx(found, abs=1e-9)


def test_one_point_is_not_enough() -> None:
    assert np.hypot(*stroke(1.0, 1)[:2]) == pytest.approx(MID_LINK, abs=5e-5)


# laws whose forces are smooth enough for Gauss points to converge fast
LAWS = {
    "coulomb": sp.contact.Coulomb(0.3, 0.9, 0.5, smoothing=0.1),
    "together": sp.contact.Coulomb(0.3, 0.9, axes="together", smoothing=0.1),
    "unit-slip": sp.contact.UnitSlip(0.3, 0.9, 0.5, smoothing=0.1),
    "viscous": sp.contact.Viscous(0.7, 2.0),
}
LINKS, PARTS, POINTS = 3, 27, 12
START = sp.Start((0.1, -0.2), 0.3, (0.4, -0.3), 0.8)
EDGE = 0.2


def cut(robot: sp.Robot) -> sp.Robot:
    """The same body with every link cut into parts that cannot move against each other, each with one contact."""
    n = robot.links * PARTS
    locked = [j for j in range(1, n) if j % PARTS]
    return sp.robots.rods(links=n, length=robot.length, mass=robot.mass).but(
        locked=locked, joint_damping=[0.0 if j in locked else 0.02 for j in range(1, n)]
    )


@pytest.mark.parametrize("drive", [False, True])
@pytest.mark.parametrize("law", list(LAWS))
def test_a_link_with_gauss_points_is_a_link_cut_into_parts(law: str, drive: bool) -> None:
    """Mid-points of 27 parts integrate with an error of second order in their length, here up to 7e-4 m and J."""
    robot = sp.robots.rods(links=LINKS, length=0.9, mass=1.5).but(joint_damping=0.02)
    friction = LAWS[law]
    t = np.linspace(0.0, 1.0, 21)
    bent = np.stack([0.9 * np.sin(5.0 * t), 0.7 * np.cos(4.0 * t)], 1)
    wide = np.zeros((len(t), LINKS * PARTS - 1))
    wide[:, PARTS - 1 :: PARTS] = bent

    def end(robot: sp.Robot, angles: np.ndarray, points: int, law: sp.core.Friction) -> np.ndarray:
        command: Any = sp.gaits.Sampled(t, angles, ends="not-a-knot")
        if drive:
            command = SampledTorque(t, 0.5 * bent)  # locked joints take none
        world = sp.World(law, contact_points=points, edge_angle=EDGE)
        run = planar_run(robot, command, world, 1.0, step=1e-3, start=START)
        return np.concatenate([run["node"][-1, 0, :2], run["node"][-1, -1, :2], [run.totals["friction_loss"]]])

    thin = sp.contact.Viscous(friction.along / PARTS, friction.across / PARTS) if law == "viscous" else friction
    wanted = end(cut(robot), wide, 1, thin)
    error = np.abs(end(robot, bent, POINTS, friction) - wanted).max()
    assert error < 2e-3
    assert np.abs(end(robot, bent, 1, friction) - wanted).max() > 10.0 * error


STICKY = sp.contact.Bristle(
    0.2, 0.5, static_across=0.6, static_along=0.3, stick_length_along=1e-4, stick_length_across=1e-4
)
ALL_LAWS = {
    **LAWS,
    "bristle": STICKY,
    "threshold": sp.contact.Threshold(0.2, 0.5, static_across=0.6),
    "none": sp.contact.Frictionless(),
}


@pytest.mark.parametrize("drive", [False, True])
@pytest.mark.parametrize("law", list(ALL_LAWS))
def test_balance_closes_with_several_points(law: str, drive: bool) -> None:
    patches = () if law == "none" else (sp.Patch((0.15, -0.5, 0.45, 0.5), 0.15, 0.3),)
    world = sp.World(ALL_LAWS[law], contact_points=3, patches=patches, edge_angle=EDGE)
    command = SineTorque(0.2, 5.0, 0.6) if drive else sp.gaits.Serpenoid(0.7, 1.3, speed=0.6)
    run = planar_run(
        sp.robots.rods(links=5, length=0.6, mass=1.0).but(joint_damping=0.01),
        command,
        world,
        0.4,
        step=1e-3,
        start=START,
    )
    assert abs(run.remainder) < 1e-9
    assert run.totals["friction_loss"] >= 0.0
    assert run.totals["residual_max"] < 1e-9  # N m: the moments of all points are in the joints' torques


@pytest.mark.parametrize("drive", [False, True])
def test_the_explicit_integrator_agrees(drive: bool) -> None:
    world = sp.World(
        sp.contact.Coulomb(0.1, 0.5, smoothing=0.1),
        contact_points=3,
        patches=(sp.Patch((0.2, -1.0, 0.5, 1.0), 0.1, 0.5),),
    )
    command = SineTorque(0.2, 5.0, 0.6) if drive else sp.gaits.Serpenoid(0.7, 1.3, speed=0.6)
    robot = sp.robots.rods(links=5, length=0.6, mass=1.0).but(joint_damping=0.01)

    def end(step: float, integrator: str) -> np.ndarray:
        return planar_run(robot, command, world, 0.4, step=step, start=START, integrator=integrator)["node"][-1].ravel()

    reference = end(1e-3, "rk4")
    assert np.abs(end(5e-4, "rk4") - reference).max() < 1e-7
    extrapolated = 2.0 * end(2e-4, "implicit") - end(4e-4, "implicit")
    assert np.abs(extrapolated - reference).max() < 2e-5


def test_forces_of_a_link_are_sums_and_velocities_means() -> None:
    """Of a straight body that turns: the mean velocity of a link is that of its middle, its forces are those of the points."""
    world = sp.World(sp.contact.Viscous(3.0, 6.0), contact_points=2)
    robot = sp.robots.rods(links=2, length=2.0, mass=1.0).but(locked=[1])
    gait = sp.gaits.Sampled([0.0, 1.0, 2.0, 3.0], np.zeros((4, 1)))
    run = planar_run(robot, gait, world, 1e-6, step=1e-6, start=sp.Start(angular_velocity=0.5, velocity=(0.2, 0.0)))
    assert run["contact_velocity_across"][-1] == pytest.approx([-0.25, 0.25], rel=1e-4)
    assert run["contact_velocity_along"][-1] == pytest.approx([0.2, 0.2], rel=1e-4)
    assert run["contact_force_across"][-1] == pytest.approx([1.5, -1.5], rel=1e-4)
    assert run["contact_force_along"][-1] == pytest.approx([-0.6, -0.6], rel=1e-4)
    assert run["touching"][-1].tolist() == [2.0, 2.0] and run["contact_count"][-1] == 4.0
    assert run["normal_force"].sum(axis=1) == pytest.approx(9.81)


def test_refused() -> None:
    with pytest.raises(InputError, match=r"ground\.points"):
        sp.World(contact_points=3, ground=sp.Ground())
    with pytest.raises(InputError, match="contact_points"):
        sp.World(contact_points=0)
    off = sp.robots.rods(links=4, length=1.0, mass=1.0).but(contact_offset=0.1)
    with pytest.raises(InputError, match="contact_offset"):
        planar_run(off, sp.gaits.Serpenoid(0.5, 1.0, speed=0.2), sp.World(contact_points=2), 0.1)
    flat = sp.simulation.Setup(
        sp.robots.rods(links=4), sp.World(contact_points=2), sp.gaits.Serpenoid(0.5, 1.0, speed=0.2)
    )
    for engine in ("spatial", "mujoco"):
        with pytest.raises(InputError, match="contact_points"):
            sp.Simulation.of(flat, engine=engine)
