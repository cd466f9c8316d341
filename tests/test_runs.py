"""Runs: step control, status, warnings, continuation, and the Python interface's own checks."""

from __future__ import annotations

import numpy as np
import pytest

import serpenoid as sp
from serpenoid.core.errors import InputError, NumericalError

ROBOT = sp.robots.ma2001()
GAIT = sp.gaits.Serpenoid.start_stop(0.8, 2.0, 1.0, 8.0)
WORLD = sp.World(sp.contact.Coulomb(0.2, 0.5))


@pytest.mark.parametrize("tolerance", [1e-2, 1e-3])
def test_auto_step_meets_its_tolerance_and_says_which_step(tolerance: float) -> None:
    run = sp.simulate(ROBOT, GAIT, WORLD, duration=8.0, step="auto", tolerance=tolerance)
    exact = sp.simulate(ROBOT, GAIT, WORLD, duration=8.0, step=2e-5)
    for key in ("com_distance", "slip_per_link", "torque_sq_mean"):
        assert run.metrics[key] == pytest.approx(exact.metrics[key], rel=tolerance)
    assert any("auto" in w and f"{run.provenance['step']:.3g}" in w for w in run.warnings)


def test_auto_step_gives_up_clearly() -> None:
    drive = sp.control.SineTorque(0.8, 1.0, 2 * np.pi / 20)
    with pytest.raises(NumericalError, match="tolerance"):
        sp.simulate(
            ROBOT,
            drive,
            sp.World(sp.contact.Coulomb(0.001, 0.9)),
            duration=6.0,
            step="auto",
            tolerance=1e-6,
        )


@pytest.mark.parametrize("mode", ["shape", "torque"])
def test_divergence_is_said_and_nothing_infinite_leaves(mode: str) -> None:
    stiff = sp.World(sp.contact.Viscous(300.0, 300.0))
    drive = sp.control.SineTorque(0.5, 3.0, 0.3) if mode == "torque" else None
    run = sp.simulate(
        ROBOT,
        GAIT if mode == "shape" else drive,
        stiff,
        duration=8.0,
        step=1e-2,
        integrator="euler",
    )
    assert run.status.name == "diverged" and 0.0 <= run.status.time < 8.0
    assert "t = " in run.status.message
    assert all(v is None or np.isfinite(v) for v in run.metrics.values())
    with pytest.raises(InputError, match="diverged"):
        sp.resume(run)


def test_the_implicit_step_survives_what_breaks_the_explicit_one() -> None:
    run = sp.simulate(ROBOT, GAIT, sp.World(sp.contact.Viscous(300.0, 300.0)), duration=8.0, step=1e-2)
    assert run.status.ok


def test_few_links_a_wave_are_warned_of() -> None:
    run = sp.simulate(ROBOT, sp.gaits.Serpenoid(0.5, 5.0, speed=0.4), WORLD, duration=0.5)
    assert any("links per wave" in w for w in run.warnings)
    run = sp.simulate(ROBOT, sp.gaits.Serpenoid(0.5, 4.0, speed=0.4), WORLD, duration=0.5)
    assert not any("links per wave" in w for w in run.warnings)


def test_no_slip_no_infinite_efficiency() -> None:
    still = sp.gaits.StandingWave(0.0, 1.0, 1.0)
    run = sp.simulate(ROBOT, still, WORLD, duration=0.5)
    assert run.metrics["efficiency"] is None and any("efficiency" in w for w in run.warnings)


@pytest.mark.parametrize("law", ["coulomb", "threshold", "bristle", "unit-slip"])
@pytest.mark.parametrize("integrator", ["implicit", "rk4"])
def test_continued_run_is_the_same_bit_for_bit(law: str, integrator: str) -> None:
    if law == "bristle" and integrator == "rk4":
        pytest.skip("bristles need the implicit step")
    changes = [
        f"world.friction.law={law}",
        f"run.integrator={integrator}",
        "run.duration=1.0",
        "world.friction.smoothing=1e-2",
    ]
    whole = sp.run_scenario("ma2001-case-two", changes)
    part = sp.run_scenario("ma2001-case-two", changes, until=0.123)
    middle = sp.resume(part, until=0.5)
    rest = sp.resume(middle)
    assert part["time"][-1] < 0.2 and middle["time"][-1] == pytest.approx(0.5)
    assert whole.metrics == rest.metrics
    for name in whole.variables:
        assert np.array_equal(whole[name], rest[name]), name


def test_continued_run_with_angles_and_grids_that_do_not_round_trip() -> None:
    """Angles that degrees cannot hold exactly, a step that does not divide the duration, patches, edges, automatic step."""
    world = sp.World(
        sp.contact.Coulomb(0.1, 0.5),
        patches=(sp.Patch((0.3, -1, 0.9, 1), 0.3, 0.4),),
        edge_angle=tuple(np.linspace(0.1, 0.2, 20)),
    )
    gait, start = sp.gaits.Serpenoid(0.8, 2.0, speed=0.7), sp.Start(heading=0.3)
    for step in (3e-4, 2.5e-4, "auto"):
        whole, part = (
            sp.simulate(ROBOT, gait, world, duration=1.0, start=start, step=step, tolerance=1e-2, until=u)
            for u in (None, 0.31)
        )
        rest = sp.resume(part)
        assert whole.metrics == rest.metrics
        assert all(np.array_equal(whole[name], rest[name]) for name in whole.variables)


def test_resume_refuses_what_does_not_belong() -> None:
    run = sp.simulate(ROBOT, GAIT, WORLD, duration=1.0, until=0.5)
    for name, value in (("motion", np.zeros(1)), ("links", np.zeros((4, 3)))):
        arrays = {**run.state["arrays"], name: value}
        broken = sp.Trajectory(**{**vars(run), "state": {**run.state, "arrays": arrays}})
        with pytest.raises(InputError, match=name):
            sp.resume(broken)
    with pytest.raises(InputError, match="already come to its end"):
        sp.resume(sp.simulate(ROBOT, GAIT, WORLD, duration=1.0))


def test_an_interrupt_is_raised_on_unless_asked_for() -> None:
    """Searches and loops must not swallow it; asked for, what there is comes back and can be continued exactly."""

    def stop(fraction: float) -> None:
        if fraction > 0.3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        sp.simulate(ROBOT, GAIT, WORLD, duration=8.0, step=5e-5, progress=stop)
    setup = sp.simulation.setup.Setup(ROBOT, WORLD, GAIT, settings=sp.core.Settings(8.0, 5e-5))
    part = sp.simulation.run.execute(setup, progress=stop, partial=True)
    assert part.status.name == "interrupted" and 0.2 < part.status.time / 8.0 < 0.9
    assert sp.resume(part).metrics == sp.simulation.run.execute(setup).metrics


def test_horizon_sees_joints_that_part_while_the_centre_of_gravity_stays() -> None:
    drive = sp.control.SineTorque(0.3, 3.0, 0.8)
    run = sp.simulate(sp.robots.ma2001(links=6), drive, sp.World(sp.contact.Frictionless()), duration=20.0, step=1e-3)
    assert run.status.name == "left-horizon"


def test_a_run_under_torques_starts_in_the_posture_given() -> None:
    gait = sp.gaits.Serpenoid(0.8, 2.0, speed=0.8)
    start = sp.Start(angles=gait.angles(ROBOT, 0.0))
    run = sp.simulate(ROBOT, sp.control.SineTorque(0.1, 3.0, 0.3), WORLD, duration=0.2, start=start)
    assert not run["joint_rate"][0].any() and np.abs(run["joint_angle"][0]).max() > 0.1
    assert run.metrics["steady_speed"] is None


def test_little_smoothing_stays_within_the_law() -> None:
    run = sp.simulate(ROBOT, GAIT, sp.World(sp.contact.Coulomb(0.2, 0.5, smoothing=1e-6)), duration=1.0)
    assert run.status.ok
    assert np.abs(run["contact_force_across"]).max() <= 0.5 * 0.5 * 9.81 * (1 + 1e-3)


def test_explicit_steps_beyond_stability_are_warned_of() -> None:
    world = sp.World(sp.contact.Coulomb(0.2, 0.5, smoothing=1e-3))
    run = sp.simulate(ROBOT, GAIT, world, duration=8.0, step=5e-3, integrator="rk4")
    assert run.status.name == "diverged" or any("explicit scheme" in w for w in run.warnings)


def test_kinks_inside_a_step_are_warned_of() -> None:
    smooth = sp.World(sp.contact.Coulomb(0.2, 0.5, smoothing=3e-2))
    on, off = (
        sp.simulate(ROBOT, GAIT, smooth, duration=8.0, step=h, integrator="rk4", record_interval=8.0)
        for h in (5e-4, 8.0 / 15999)
    )
    assert not on.warnings and any("inside a step" in w for w in off.warnings)


def test_same_run_twice_is_the_same_bit_for_bit() -> None:
    a, b = (sp.run_scenario("ma2001-torque-damped", ["run.duration=1"]) for _ in range(2))
    assert a.metrics == b.metrics and np.array_equal(a["node"], b["node"])


def test_progress_is_reported() -> None:
    seen: list[float] = []
    sp.simulate(ROBOT, GAIT, WORLD, duration=8.0, step=1e-4, progress=seen.append)
    assert seen == sorted(seen) and seen[-1] == 1.0 and len(seen) > 2


def test_start_is_where_it_was_asked_for() -> None:
    start = sp.Start((1.0, -2.0), 0.7, (0.3, 0.1), 0.2)
    run = sp.simulate(ROBOT, GAIT, WORLD, duration=0.5, start=start)
    assert tuple(run["node"][0, 0, :2]) == pytest.approx((1.0, -2.0), abs=1e-14)
    assert tuple(run["com_velocity"][0, :2]) == pytest.approx((0.3, 0.1), abs=1e-14)
    assert run["heading"][0] == pytest.approx(0.7, abs=1e-12)


def test_links_stay_links() -> None:
    run = sp.simulate(ROBOT, GAIT, WORLD, duration=2.0)
    length = np.linalg.norm(np.diff(run["node"], axis=1), axis=-1)
    assert np.abs(length - 0.08).max() < 1e-14


def test_forces_balance_the_momentum() -> None:
    """Sum of friction forces = mass times the change of the velocity: a check on the recorded forces themselves."""
    run = sp.simulate(ROBOT, GAIT, WORLD, duration=1.0, step=1e-3, record_interval=1e-3)
    change = np.diff(run["com_velocity"], axis=0) / 1e-3 * ROBOT.mass
    assert np.abs(run["contact_force"][1:].sum(axis=1) - change).max() < 1e-8


BAD_API = {
    "links": lambda: sp.robots.ma2001(links=1),
    "link_mass": lambda: sp.robots.ma2001(link_mass=[0.5] * 3),
    "link_length": lambda: sp.robots.ma2001(link_length="long"),
    "link_inertia": lambda: sp.robots.ma2001(link_inertia=np.nan),
    "com_offset": lambda: sp.robots.ma2001(com_offset=1.0),
    "joint_damping": lambda: sp.robots.ma2001(joint_damping=-1.0),
    "along": lambda: sp.contact.Coulomb(-0.1, 0.5),
    "smoothing": lambda: sp.contact.Coulomb(0.1, 0.5, smoothing=0.0),
    "winding_angle": lambda: sp.gaits.Serpenoid(np.inf, 2.0, speed=1.0),
    "waves": lambda: sp.gaits.Serpenoid(0.5, 0.0, speed=1.0),
    "acceleration": lambda: sp.gaits.Serpenoid(0.5, 2.0, 0.5, acceleration=0.0),
    "stop_time needs": lambda: sp.gaits.Serpenoid(0.5, 2.0, 0.5, stop_time=3.0),
    "stop_time 3 s is too early": lambda: sp.gaits.Serpenoid(0.5, 2.0, 0.5, 0.2, 3.0),
    "frequency": lambda: sp.gaits.StandingWave(0.5, 2.0, -1.0),
    "rectangle": lambda: sp.Patch((1.0, 0.0, 0.0, 1.0), 0.1, 0.2),
    "gravity": lambda: sp.World(sp.contact.Coulomb(0.1, 0.5), gravity=np.nan),
    "duration": lambda: sp.simulate(ROBOT, GAIT, WORLD, duration=0.0),
    "record_interval": lambda: sp.simulate(ROBOT, GAIT, WORLD, record_interval=0.0),
    "tolerance": lambda: sp.simulate(ROBOT, GAIT, WORLD, step="auto", tolerance=-1.0),
    "until": lambda: sp.simulate(ROBOT, GAIT, WORLD, until=np.nan),
    "step": lambda: sp.simulate(ROBOT, GAIT, WORLD, step=np.nan),
    "integrator": lambda: sp.simulate(ROBOT, GAIT, WORLD, integrator="rk5"),
    "edge_angle": lambda: sp.simulate(ROBOT, GAIT, sp.World(WORLD.friction, edge_angle=(0.1, 0.2))),
    "position": lambda: sp.Start((np.nan, 0.0)),
    "static_force_across": lambda: sp.simulate(
        ROBOT, GAIT, sp.World(sp.contact.Bristle(0.1, 0.5, static_force_across=1.0)), duration=1.0
    ),
    "memory": lambda: sp.simulate(ROBOT, GAIT, sp.World(sp.contact.Bristle(0.1, 0.5)), integrator="rk4"),
}


@pytest.mark.parametrize("name", list(BAD_API))
def test_bad_arguments_are_named(name: str) -> None:
    with pytest.raises(InputError, match=name):
        BAD_API[name]()
