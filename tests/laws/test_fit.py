"""Fits: equation (8) exactly in the plane; errors that fall at order 2; limits and refusals."""

from __future__ import annotations

import numpy as np
import pytest

import serpenoid as sp
from serpenoid import shapes as S
from serpenoid.core.errors import InputError
from serpenoid.gaits.fit import fit, forward

SHAPES = {
    "serpenoid": S.named("serpenoid"),
    "helix": S.named("helix", length=3.0),
    "sidewinding": S.named("sidewinding"),
}
CASES = [
    (name, robot, method, keep)
    for name in SHAPES
    for robot in ("rods", "alternating", "universal")
    if robot != "rods" or name == "serpenoid"
    for method, keep in (("integral", "joints"), ("sequential", "joints"), ("sequential", "centres"))
    if not (robot == "alternating" and keep == "centres")
]


@pytest.mark.parametrize(("name", "robot", "method", "keep"), CASES)
def test_error_falls_at_order_two(name: str, robot: str, method: str, keep: str) -> None:
    shape = SHAPES[name]
    errors = np.array(
        [fit(shape, sp.robots.ROBOTS[robot](n, shape.length), method=method, keep=keep).worst for n in (10, 20, 40, 80)]
    )
    order = np.log2(errors[:-1] / errors[1:])
    pursuit = robot == "alternating" and method == "sequential"  # reaches its order later
    assert np.all(order > (1.65 if pursuit else 1.85)) and np.all(order < 2.2), (errors, order)


def test_equation_8_of_the_creeping_paper() -> None:
    for waves, winding in ((2.0, 45.0), (1.3, 70.0)):
        angles = fit(S.named("serpenoid", waves=waves, winding_angle_deg=winding), sp.robots.ma2001()).angles
        i = np.arange(1, 20)
        expected = -2 * np.radians(winding) * np.sin(waves * np.pi / 20) * np.sin(2 * waves * np.pi * i / 20)
        assert np.abs(angles - expected).max() < 1e-13


def test_sequential_keeps_its_points_on_the_curve() -> None:
    from serpenoid.gaits.fit import off_curve

    shape = SHAPES["helix"]
    curve = S.to_bellows(shape).but(length=1.5 * shape.length).trace()
    robot = sp.robots.universal(20, shape.length)
    joints = fit(shape, robot, method="sequential").nodes
    assert off_curve(curve, joints).max() < 1e-6
    nodes = fit(shape, robot, method="sequential", keep="centres").nodes
    centres = 0.5 * (nodes[1:] + nodes[:-1])
    assert off_curve(curve, centres).max() < 0.05 * off_curve(curve, nodes).max()


@pytest.mark.parametrize("keep", ["joints", "centres"])
def test_the_error_is_that_from_the_curve_itself(keep: str) -> None:
    """Chords are longer than the arc they span has left: the head runs past the curve's end, and that counts."""
    from serpenoid.gaits.fit import off_curve

    shape = SHAPES["helix"]
    found = fit(shape, sp.robots.universal(8, shape.length), method="sequential", keep=keep)
    points = np.concatenate([found.nodes, 0.5 * (found.nodes[1:] + found.nodes[:-1])])
    apart = off_curve(S.to_bellows(shape).trace(), points)
    assert found.worst == pytest.approx(apart.max(), rel=1e-9)
    assert keep == "centres" or apart.argmax() == 8  # the head's tip
    assert found.mean == pytest.approx(apart.mean(), rel=1e-9)


@pytest.mark.parametrize("robot", ["rods", "alternating", "universal"])
def test_nodes_are_those_of_the_angles(robot: str) -> None:
    """Links keep their lengths, and forward kinematics of the angles is the placed robot up to a rigid motion."""
    shape = SHAPES["serpenoid"] if robot == "rods" else SHAPES["sidewinding"]
    made = sp.robots.ROBOTS[robot](15, shape.length)
    found = fit(shape, made)
    assert np.linalg.norm(np.diff(found.nodes, axis=0), axis=1) == pytest.approx(made.link_length, rel=1e-12)
    free = forward(made, found.angles)
    distances = [np.linalg.norm(x[:, None] - x[None], axis=-1) for x in (free, found.nodes)]
    assert np.abs(distances[0] - distances[1]).max() < 1e-12
    assert found.mean <= found.worst


def test_yaw_robots_are_refused_out_of_the_plane() -> None:
    with pytest.raises(InputError, match="leaves the plane"):
        fit(SHAPES["helix"], sp.robots.rods(20, 3.0))
    coarse, fine = (fit(SHAPES["helix"], sp.robots.rods(n, 3.0), approximate=True) for n in (20, 80))
    assert "does not vanish" in fine.notes[-1] and fine.worst > 0.5 * coarse.worst


def test_torsion_is_said_to_be_lost() -> None:
    found = fit(SHAPES["helix"], sp.robots.universal(20, 3.0))
    assert found.posture_lost == pytest.approx(0.7 * 3.0) and "cannot twist" in found.notes[0]
    assert fit(SHAPES["sidewinding"], sp.robots.universal(20, 2.0)).posture_lost == 0.0
    assert fit(S.named("helix"), sp.robots.universal(5, 0.5)).posture_lost == pytest.approx(
        0.35
    )  # only the robot's part


def test_limits() -> None:
    robot = sp.robots.universal(10, 2.0)
    free = fit(SHAPES["sidewinding"], robot)
    limit = 0.5 * float(np.abs(free.angles).max())
    said = fit(SHAPES["sidewinding"], robot, limit=limit)
    assert said.exceeded and np.array_equal(said.angles, free.angles)
    clipped = fit(SHAPES["sidewinding"], robot, limit=limit, clip=True)
    assert np.abs(clipped.angles).max() <= limit and clipped.worst > free.worst and "clipped" in clipped.notes[-1]
    with pytest.raises(InputError, match="limit"):
        fit(SHAPES["sidewinding"], robot, limit=-1.0)


def test_refusals() -> None:
    with pytest.raises(InputError, match="long"):
        fit(SHAPES["serpenoid"], sp.robots.rods(10, 5.0))
    with pytest.raises(InputError, match="method"):
        fit(SHAPES["serpenoid"], sp.robots.ma2001(), method="magic")
    with pytest.raises(InputError, match="joints"):
        sp.robots.rods(4, joints="ball")
    with pytest.raises(InputError, match="the planar engine lacks"):
        sp.simulate(sp.robots.universal(), sp.gaits.Serpenoid(0.5, 1.0, speed=0.3), duration=1.0)


def test_lateral_rolling_gait() -> None:
    """Over time the backbone stays; after a whole turn the joints are where they were."""
    gait = sp.gaits.LateralRolling(S.named("arc", curvature=1.5, length=1.0), 2.0)
    robot = sp.robots.universal(12, 1.0)
    a, b = gait.shape_at(0.3).trace(200), gait.shape_at(1.1).trace(200)
    assert np.abs(a.position - b.position).max() < 1e-12
    assert gait.joint_angles(robot, np.pi) == pytest.approx(gait.joint_angles(robot, 0.0), abs=1e-12)
    assert np.abs(gait.joint_angles(robot, np.pi / 4)[:, 0]).max() < 1e-12  # a quarter turn: all pitch, no yaw
    moving = sp.gaits.LateralRolling(S.named("sidewinding", frequency=1.3), 0.0)
    assert (
        np.abs(
            moving.joint_angles(sp.robots.universal(10, 2.0), 2.0)
            - moving.joint_angles(sp.robots.universal(10, 2.0), 0.0)
        ).max()
        > 0.5
    )
    with pytest.raises(InputError, match="not finite"):
        sp.gaits.LateralRolling(S.named("arc"), lambda t: np.nan).shape_at(1.0)


def test_lateral_rolling_runs_in_space() -> None:
    """The joints follow the fitted angles; the samples are as close as they promise."""
    robot = sp.robots.universal(10, 1.0, 2.0, radius=0.03)
    gait = sp.gaits.LateralRolling(S.named("arc", curvature=1.0, length=1.0), 1.3)
    run = sp.simulate(robot, gait, sp.World(sp.contact.Coulomb(0.4, 0.4), ground=sp.Ground()), duration=0.6)
    assert run.status.ok
    for k in (0, 20, len(run["time"]) - 1):
        assert run["joint_angle"][k] == pytest.approx(gait.angles(robot, run["time"][k]), abs=2e-6)
