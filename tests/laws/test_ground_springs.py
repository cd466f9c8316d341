"""The ground's springs and dampers: restitution asked for, stiffness from the load, energy of an undamped drop, things passed within a step."""

from __future__ import annotations

import numpy as np
import pytest

import serpenoid as sp
from cases import PROVE
from serpenoid.contact.springs import SAG, ratio_of, restitution_of
from serpenoid.core.errors import InputError
from serpenoid.core.obstacles import Disc, Wall
from serpenoid.core.terrain import Box, Cylinder, Ground
from serpenoid.spatial.engine import SpatialEngine

G = 9.81
BALL = sp.robots.rods(links=2, length=0.04, mass=0.3, radius=0.03)  # as good as a ball
ROD = sp.robots.universal(4, length=0.6, mass=0.8, radius=0.01)


def bounce(world: sp.World, robot: sp.Robot, height: float, **settings) -> tuple[float, sp.Trajectory]:
    """Speed after over speed before the first impact of a body let fall level, and the run."""
    fall = np.sqrt(2.0 * height / G)
    run = sp.simulate(
        robot, sp.gaits.CompoundSerpenoid(ramp=0.0), world, 1.6 * fall, start=sp.Start(height=height), record_interval=2e-3, **settings
    )  # fmt: skip
    speed = run["com_velocity"][:, 2]
    return float(speed.max() / -speed.min()), run


def test_ratio_of_damping_gives_the_restitution() -> None:
    """The closed form against the differential equation, integrated apart until the force would pull."""
    for ratio in (0.05, 0.3, 0.7, 0.95, 1.0, 1.5, 4.0):
        x, v, dt = 0.0, -1.0, 1e-4
        while True:
            f = -x - 2.0 * ratio * v
            if f <= 0.0 and x < 0.0:
                break
            # the midpoint rule
            xm, vm = x + 0.5 * dt * v, v + 0.5 * dt * f
            x, v = x + dt * vm, v + dt * (-xm - 2.0 * ratio * vm)
        assert restitution_of(ratio) == pytest.approx(v, abs=2e-4)
    for e in (0.02, 0.135, 0.5, 0.9, 1.0):
        assert restitution_of(ratio_of(e)) == pytest.approx(e, abs=1e-9)


@pytest.mark.parametrize("restitution", [0.0, 0.3, 0.6, 0.9])
def test_a_link_bounces_as_asked(restitution: float) -> None:
    world = sp.World(sp.contact.Frictionless(), ground=Ground(stiffness=3e4, restitution=restitution))
    measured, _ = bounce(world, BALL, 0.2, step=2e-6 if PROVE else 1e-5)
    assert measured == pytest.approx(restitution, abs=0.03)


def test_restitution_and_damping_exclude_each_other() -> None:
    with pytest.raises(InputError, match="not both"):
        Ground(damping=3.0, restitution=0.5)


@pytest.mark.parametrize("robot", [ROD, BALL, sp.robots.sarrafan2012()], ids=["rod", "ball", "heavy"])
def test_ground_without_a_stiffness_fits_the_load(robot: sp.Robot) -> None:
    """A robot of any weight rests with the sag that is reported, a thousandth of its radius."""
    world = sp.World(sp.contact.Coulomb(0.5, 0.5), ground=Ground())
    run = sp.simulate(robot, sp.gaits.CompoundSerpenoid(ramp=0.0), world, 0.3)
    sag = run.metrics["ground_sag"]
    assert sag == pytest.approx(SAG * robot.radius.mean(), rel=1e-6)
    assert run["com"][-1, 2] == pytest.approx(robot.radius.mean() - sag, abs=1e-3 * sag)
    assert run.metrics["penetration"] == pytest.approx(sag, rel=1e-2)


def test_stiffness_is_no_more_than_the_step_resolves() -> None:
    """At a long step the sag is g dt^2."""
    runs = [
        sp.simulate(ROD, sp.gaits.CompoundSerpenoid(ramp=0.0), sp.World(ground=Ground()), 0.1, step=step).metrics[
            "ground_sag"
        ]
        for step in (1e-3, 5e-3)
    ]
    assert runs == pytest.approx([SAG * 0.01, G * 5e-3**2], rel=1e-6)


def test_undamped_drop_keeps_its_energy_at_the_automatic_step() -> None:
    """From 0.3 m on a ground without damping: restitution within 2 % of 1; at the default step the loss is said in joules."""
    world = sp.World(sp.contact.Frictionless(), ground=Ground(stiffness=2e4, damping=0.0))
    restitution, run = bounce(world, ROD, 0.3, step="auto")
    assert restitution == pytest.approx(1.0, abs=0.02) and run.status.ok
    assert abs(run.metrics["scheme_loss"]) < 0.02 * ROD.mass * G * 0.3
    coarse, run = bounce(world, ROD, 0.3)
    m = run.metrics
    lost = -m["kinetic_energy_change"] - m["potential_energy_change"]  # it flies again, no spring is pressed
    assert coarse < 0.9 and m["scheme_loss"] == pytest.approx(lost, rel=1e-9) and lost > 0.2 * ROD.mass * G * 0.3
    assert any("scheme itself lost" in text for text in run.warnings)


def test_loss_of_the_dampers_is_the_grounds() -> None:
    """At a fine step what a damped drop loses is in `ground_loss`, next to nothing in `scheme_loss`."""
    world = sp.World(sp.contact.Frictionless(), ground=Ground(stiffness=3e4, restitution=0.5))
    _, run = bounce(world, BALL, 0.2, step=1e-5)
    drop = BALL.mass * G * 0.2
    assert run.metrics["ground_loss"] == pytest.approx(0.75 * drop, rel=0.05)
    assert abs(run.metrics["scheme_loss"]) < 0.03 * drop


THIN = {
    "peg": Cylinder((1.2, 0.2, -0.1), 2e-3, 0.5),
    "bar": Cylinder((1.2, -0.5, 0.025), 1e-3, 1.0, (0.0, 1.0, 0.0)),
    "plate": Box((1.2, 0.0, 0.1), (2e-3, 1.0, 0.4)),
    "wall": Wall((1.2, -0.5), (1.2, 0.5), 4e-3),
    "post": Disc((1.2, 0.2), 2e-3),
}


@pytest.mark.parametrize("name", list(THIN))
def test_what_is_passed_within_a_step_is_told(name: str) -> None:
    """Five offsets of the steps against a thin obstacle: hit, or the run says that and when it was passed."""
    world = sp.World(
        sp.contact.Frictionless(), gravity=0.0, ground=Ground(stiffness=1e5, damping=20.0), obstacles=(THIN[name],)
    )
    robot = ROD.but(radius=4e-3)
    for offset in 1.3e-3 + 5e-3 * np.arange(5):  # from 0 the peg is met exactly in the middle, where rounding decides
        turned = 0.0 if name in ("plate", "wall") else np.pi / 2
        start = sp.Start((offset, 0.0), turned, (25.0, 0.0), height=0.02)
        engine = SpatialEngine(robot, world, start, step=1e-3, stride=1, ideal=True)
        engine.follow(sp.gaits.CompoundSerpenoid(ramp=0.0))
        assert engine.advance(60)
        sums = engine.totals()
        through = engine.state.motion[0] > 1.35 and engine.state.motion[3] > 20.0
        assert not through or 0.0 < sums["crossed"] <= 0.06


def test_automatic_step_does_not_pass_a_peg() -> None:
    world = sp.World(
        sp.contact.Frictionless(), gravity=0.0, ground=Ground(stiffness=1e5, damping=20.0), obstacles=(THIN["peg"],)
    )
    start = sp.Start((0.7, -0.1), np.pi / 2, (12.0, 0.0), height=0.02)
    robot = ROD.but(radius=2e-3)
    run = sp.simulate(
        robot, sp.gaits.CompoundSerpenoid(ramp=0.0), world, 0.06, start=start, step=2e-3, record_interval=2e-3
    )
    assert any("passed through an obstacle" in text for text in run.warnings)
    run = sp.simulate(
        robot, sp.gaits.CompoundSerpenoid(ramp=0.0), world, 0.06, start=start, step="auto", tolerance=0.05
    )
    assert run.metrics["normal_force_max"] > 1.0 and not any("passed through" in text for text in run.warnings)


ROLLER = sp.robots.universal(4, length=0.6, mass=0.8, radius=0.02)


def rolls(command: sp.gaits.CompoundSerpenoid | None, world: sp.World, duration: float, **start) -> sp.Trajectory:
    """A straight body on its side across the way, prescribed straight or under servos that keep it straight."""
    robot = ROLLER if command is not None else ROLLER.but(locked=(1, 2, 3))
    return sp.simulate(robot, command, world, duration, start=sp.Start(heading=np.pi / 2, **start))


@pytest.mark.parametrize("mode", ["shape", "torque"])
def test_rolling_resistance_brakes_by_the_book(mode: str) -> None:
    """A solid cylinder that rolls without slip: c g / (1 + I / (m r^2)) = 2/3 c g, and the energy goes into friction."""
    c, first, t = 0.05, 0.6, 1.0
    world = sp.World(sp.contact.Coulomb(0.8, 0.8), ground=Ground(stiffness=5e4, damping=50.0, rolling=c))
    command = sp.gaits.CompoundSerpenoid(ramp=0.0) if mode == "shape" else None
    run = rolls(command, world, 2.0, velocity=(first, 0.0))
    v, time = run["com_velocity"][:, 0], run["time"]
    k = int(np.argmin(np.abs(time - 0.3)))  # it has slipped before, until it rolls
    end = int(np.argmin(np.abs(time - t)))
    assert (v[k] - v[end]) / (time[end] - time[k]) == pytest.approx(2.0 / 3.0 * c * G, rel=0.01)
    assert abs(run["com_velocity"][-1, 0]) < 1e-6 and run["kinetic_energy"][-1] < 1e-9  # it stops, and stays
    m = run.metrics
    parts = (
        "kinetic_energy_change",
        "potential_energy_change",
        "friction_loss",
        "ground_loss",
        "damping_loss",
        "scheme_loss",
    )
    assert m["net_work"] == pytest.approx(sum(m[part] for part in parts), abs=1e-9)
    assert m["friction_loss"] == pytest.approx(0.5 * ROLLER.mass * first**2, rel=0.05)


def test_rolling_resistance_holds_on_a_slope_below_its_angle() -> None:
    """tan(slope) below c: no roll at all; above it the acceleration is 2/3 g (sin - c cos)."""
    c = 0.1
    for slope, holds in ((0.08, True), (0.2, False)):
        world = sp.World(sp.contact.Coulomb(0.8, 0.8), ground=Ground(slope=slope, rolling=c))
        run = rolls(sp.gaits.CompoundSerpenoid(ramp=0.0), world, 1.0)
        way = float(np.hypot(run.metrics["com_dx"], run.metrics["com_dz"]))
        if holds:
            assert (
                0.02 * abs(run["roll"][-1] - run["roll"][0]) < 1e-6
            )  # m; what is left is the creep of smoothed friction
        else:
            assert way == pytest.approx(0.5 * 2.0 / 3.0 * G * (np.sin(slope) - c * np.cos(slope)), rel=0.01)


def test_rolling_resistance_is_refused_where_nothing_rolls() -> None:
    with pytest.raises(InputError, match="capsule"):
        Ground("point", rolling=0.1)
    world = sp.World(ground=Ground(rolling=0.1))
    with pytest.raises(InputError, match="rolling resistance"):
        sp.simulate(ROLLER, None, world, 0.1, engine="mujoco")
    with pytest.raises(InputError, match="edge_angle"):
        sp.simulate(ROLLER, None, sp.World(ground=Ground(rolling=0.1), edge_angle=0.2), 0.1)
