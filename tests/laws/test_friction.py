"""Each friction law against its equation; slopes against differences; patches and edge angles by what they must do."""

from __future__ import annotations

import numpy as np
import pytest

import serpenoid as sp
from cases import own_law
from planar_runs import planar_run
from serpenoid.contact import LAWS, evaluate, limits_table
from serpenoid.contact.smoothing import given_smoothing
from serpenoid.contact.touch import FN, FT, KNN, KNT, KTN, KTT, SECANT, TANGENT, TOUCH_ROWS, VN, VT
from serpenoid.optimise import evaluate_all

MASS, G = 0.7, 9.81
N = MASS * G
STICK = {
    "static_force_across": 6.0,
    "stick_length_across": 2e-5,
    "static_force_along": 3.0,
    "stick_length_along": 1e-5,
}
EXAMPLES = {
    "coulomb": sp.contact.Coulomb(0.2, 0.6, 0.4, smoothing=2e-3),
    "threshold": sp.contact.Threshold(0.2, 0.6, 0.4, **STICK),
    "bristle": sp.contact.Bristle(0.2, 0.6, 0.4, **STICK),
    "unit-slip": sp.contact.UnitSlip(0.2, 0.6, 0.4, smoothing=2e-3),
    "stribeck": sp.contact.Stribeck(0.2, 0.6, 0.4, static_ratio=1.4, stribeck_speed=8e-3, viscous=3.0, smoothing=2e-3),
    "viscous": sp.contact.Viscous(0.2, 0.6, 0.4),
    "none": sp.contact.Frictionless(),
    "custom": sp.contact.CustomLaw(function=own_law, parameters=[0.2, 0.6]),
}


def forces(law, vt, vn, memory=None, dt=0.0, secant=False) -> np.ndarray:
    vt, vn = np.atleast_1d(vt), np.atleast_1d(vn)
    touch = np.zeros((TOUCH_ROWS, vt.size))
    touch[VT], touch[VN] = vt, vn
    limits = limits_table(sp.World(law, gravity=G), np.full(vt.size, MASS))
    memory = np.zeros((4, vt.size)) if memory is None else memory
    evaluate(
        law.KIND, law.scalars(), given_smoothing(law) or 2e-3, limits, memory, dt, SECANT if secant else TANGENT, touch
    )
    return touch


def test_every_law_has_an_example() -> None:
    assert set(EXAMPLES) == set(LAWS)


def test_equations() -> None:
    vt, vn = np.array([0.03, -0.02, 1e-4]), np.array([-0.05, 0.001, 2e-3])
    mu = np.where(vt >= 0, 0.2, 0.4)
    eps = 2e-3
    f = forces(EXAMPLES["coulomb"], vt, vn)
    assert np.allclose(f[FT], -mu * N * vt / np.sqrt(vt**2 + eps**2), rtol=1e-13)
    assert np.allclose(f[FN], -0.6 * N * vn / np.sqrt(vn**2 + eps**2), rtol=1e-13)
    f = forces(EXAMPLES["unit-slip"], vt, vn)
    size = np.sqrt(vt**2 + vn**2 + eps**2)
    assert np.allclose(f[FT], -mu * N * vt / size, rtol=1e-13)
    assert np.allclose(f[FN], -0.6 * N * vn / size, rtol=1e-13)
    f = forces(EXAMPLES["viscous"], vt, vn)
    assert np.allclose(f[FT], -mu * vt) and np.allclose(f[FN], -0.6 * vn)
    v_s = 2e-5 / 1e-3
    f = forces(EXAMPLES["threshold"], vt, vn)
    assert np.allclose(f[FN], np.where(np.abs(vn) <= v_s, -6.0 * vn / v_s, -0.6 * N * np.sign(vn)), rtol=1e-13)
    assert not forces(EXAMPLES["none"], vt, vn)[FT : KNT + 1].any()


def test_unit_slip_at_ten_degrees() -> None:
    """mu = (0.1, 0.5), 1 N, slip 10 degrees off the axis: lateral force 0.087 N (where MuJoCo's cone gives 0.184)."""
    law = sp.contact.UnitSlip(0.1, 0.5, smoothing=1e-9)
    angle = np.radians(10.0)
    f = forces(law, np.cos(angle), np.sin(angle))
    assert f[FN, 0] / N == pytest.approx(-0.5 * np.sin(angle), rel=1e-6)
    assert abs(f[FN, 0] / N) == pytest.approx(0.087, abs=5e-4)


@pytest.mark.parametrize("name", list(LAWS))
def test_slopes_are_derivatives(name: str) -> None:
    law, rng, h, dt = EXAMPLES[name], np.random.default_rng(7), 1e-8, 1e-3
    vt, vn = rng.uniform(0.003, 0.012, 40) * rng.choice([-1, 1], 40), rng.uniform(0.003, 0.012, 40)
    base = forces(law, vt, vn, dt=dt)
    for rows, dvt, dvn in (((KTT, KNT), h, 0.0), ((KTN, KNN), 0.0, h)):
        up, down = forces(law, vt + dvt, vn + dvn, dt=dt), forces(law, vt - dvt, vn - dvn, dt=dt)
        for row, f in zip(rows, (FT, FN), strict=True):
            slope = -(up[f] - down[f]) / (2 * h)
            assert np.allclose(base[row], slope, rtol=1e-4, atol=1e-4 * max(1.0, np.abs(slope).max()))


@pytest.mark.parametrize("name", [n for n in LAWS if n not in ("none", "bristle")])
def test_dissipative_and_secant(name: str) -> None:
    rng = np.random.default_rng(3)
    vt, vn = rng.normal(0, 0.02, 200), rng.normal(0, 0.02, 200)
    f = forces(EXAMPLES[name], vt, vn)
    assert np.all(f[FT] * vt <= 0.0) and np.all(f[FN] * vn <= 0.0)
    s = forces(EXAMPLES[name], vt, vn, secant=True)
    assert np.allclose(-s[KTT] * vt, s[FT]) and np.allclose(-s[KNN] * vn, s[FN])


def test_l_s_zero_is_never_divided_by() -> None:
    for law in (sp.contact.Threshold, sp.contact.Bristle):
        f = forces(law(0.2, 0.6, static_force_across=5.0, stick_length_across=0.0), [0.0, 0.01], [0.0, -0.01])
        assert np.isfinite(f).all() and f[FT, 0] == 0.0


def test_bristle_holds_a_push_below_its_static_force_and_gives_way_above() -> None:
    """A straight robot pushed sideways sticks; pushed harder than the bristles can hold it slides at mu N."""
    robot = sp.robots.rods(2, length=0.2, mass=1.0)
    still = sp.gaits.StandingWave(0.0, 1.0, 1.0)

    def slid(speed: float, damping: float, step: float, duration: float) -> float:
        law = sp.contact.Bristle(
            0.3, 0.3, static_force_across=2.0, stick_length_across=1e-6, static_force_along=2.0,
            stick_length_along=1e-6, bristle_damping=damping,
        )  # fmt: skip
        start = sp.Start(velocity=(0.0, speed))
        run = planar_run(robot, still, sp.World(law), duration, start=start, step=step)
        assert abs(run["com_velocity"][-1, 1]) < 1e-3 * speed  # at rest at last
        return abs(run["com"][-1, 1] - run["com"][0, 1])

    # two bristles take up f_s l_s / 2 each: m v^2 / 2 = f_s l_s at v = 2 mm/s
    assert slid(1.3e-3, 0.5, 2e-6, 0.1) < 1e-6
    fast = 0.5
    assert slid(fast, 0.02, 2e-6, 0.3) == pytest.approx(fast**2 / (2 * 0.3 * G), rel=2e-3)


@pytest.mark.parametrize(("velocity", "mu"), [((0.0, 0.5), 0.5), ((0.5, 0.0), 0.1), ((-0.5, 0.0), 0.3)])
def test_a_thrown_robot_slides_by_its_bristles_as_far_as_it_must(velocity: tuple[float, float], mu: float) -> None:
    """At the default step too: a contact that breaks away within a step holds no longer than to its breakaway."""
    stick = {
        "static_force_across": 5.0,
        "stick_length_across": 1e-5,
        "static_force_along": 5.0,
        "stick_length_along": 1e-5,
    }
    law = sp.contact.Bristle(0.1, 0.5, 0.3, **stick)
    still = sp.gaits.StandingWave(0.0, 1.0, 1.0)
    run = planar_run(sp.robots.ma2001(), still, sp.World(law), 1.0, start=sp.Start(velocity=velocity))
    assert run.com_distance == pytest.approx(0.25 / (2 * mu * G), rel=0.02)
    forces = np.hypot(run["contact_force_along"], run["contact_force_across"])
    assert forces.max() < 15.0


def test_grounds_that_would_be_ignored_are_refused() -> None:
    from serpenoid.core.errors import InputError

    robot, gait = sp.robots.ma2001(), sp.gaits.Serpenoid(0.8, 2.0, speed=0.5)
    with pytest.raises(InputError, match="along"):
        sp.contact.Frictionless(along=0.1)
    with pytest.raises(InputError, match="patches"):
        planar_run(robot, gait, sp.World(sp.contact.Frictionless(), patches=(sp.Patch((0, 0, 1, 1), 0.1, 0.2),)), 1.0)
    steep = sp.Patch((0.0, 0.0, 1.0, 1.0), 0.1, 0.2, backward=3.0)
    law = sp.contact.Bristle(0.1, 0.5, static_force_along=5.0, stick_length_along=1e-5)
    with pytest.raises(InputError, match="static_force_along"):
        planar_run(robot, gait, sp.World(law, patches=(steep,)), 1.0)


def test_patch_is_a_ground_of_its_own() -> None:
    """A patch under the whole robot equals a world of that friction; one far away changes nothing."""
    robot, gait = sp.robots.ma2001(), sp.gaits.Serpenoid.start_stop(0.8, 2.0, 1.0, 4.0)
    slick, rough = sp.contact.Coulomb(0.02, 0.7), sp.contact.Coulomb(0.3, 0.4)
    everywhere = sp.Patch((-50.0, -50.0, 50.0, 50.0), 0.02, 0.7)
    far = sp.Patch((40.0, 40.0, 50.0, 50.0), 0.02, 0.7)
    half = sp.Patch((0.8, -5.0, 50.0, 5.0), 0.02, 0.7)

    def distance(world: sp.World) -> float:
        return planar_run(robot, gait, world, 4.0, step=1e-3).com_distance

    a, b = distance(sp.World(slick)), distance(sp.World(rough))
    assert distance(sp.World(rough, patches=(everywhere,))) == pytest.approx(a, abs=1e-12)
    assert distance(sp.World(rough, patches=(far,))) == pytest.approx(b, abs=1e-12)
    mixed = distance(sp.World(rough, patches=(half,)))
    assert min(abs(mixed - a), abs(mixed - b)) > 1e-3


def test_patch_under_torques_and_rk4() -> None:
    robot, drive = sp.robots.ma2001(links=6), sp.gaits.drives.SineTorque(0.3, 4.0, 0.6)
    rough, slick = sp.contact.Coulomb(0.3, 0.4, smoothing=1e-2), sp.contact.Coulomb(0.02, 0.7, smoothing=1e-2)
    everywhere = (sp.Patch((-50.0, -50.0, 50.0, 50.0), 0.02, 0.7),)
    for integrator in ("implicit", "rk4"):
        a, b = (
            planar_run(robot, drive, world, 0.5, integrator=integrator)["node"]
            for world in (sp.World(slick), sp.World(rough, patches=everywhere))
        )
        assert np.array_equal(a, b)


def test_edge_angle_of_a_right_angle_swaps_along_and_across() -> None:
    robot, gait = sp.robots.ma2001(), sp.gaits.Serpenoid.start_stop(0.8, 2.0, 1.0, 2.0)
    a = planar_run(robot, gait, sp.World(sp.contact.Coulomb(0.1, 0.5), edge_angle=np.pi / 2), 2.0)
    b = planar_run(robot, gait, sp.World(sp.contact.Coulomb(0.5, 0.1)), 2.0)
    assert np.abs(a["node"] - b["node"]).max() < 1e-9


def test_sliding_to_rest_takes_the_coulomb_distance() -> None:
    """A straight robot thrown forward stops after v^2 / (2 mu g), for each dry law, sideways too."""
    robot, still, v = sp.robots.rods(5), sp.gaits.StandingWave(0.0, 1.0, 1.0), 1.0
    laws = [sp.contact.Coulomb(0.2, 0.4, smoothing=1e-5), sp.contact.UnitSlip(0.2, 0.4, smoothing=1e-5)]

    def stop(case: tuple) -> float:
        law, velocity = case
        return planar_run(robot, still, sp.World(law), 1.0, start=sp.Start(velocity=velocity), step=1e-4).com_distance

    cases = [(law, velocity) for law in laws for velocity in ((v, 0.0), (0.0, v))]
    for (_, velocity), distance in zip(cases, evaluate_all(stop, cases), strict=True):
        mu = 0.2 if velocity[0] else 0.4
        assert distance == pytest.approx(v**2 / (2 * mu * G), rel=2e-3)
