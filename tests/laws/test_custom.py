"""Laws and gaits of users: equal to the built-in ones they copy, wherever and however they are called."""

from __future__ import annotations

import math

import numpy as np
import pytest

import serpenoid as sp
from serpenoid.contact import evaluate, limits_table
from serpenoid.contact.touch import FN, FT, KNN, KNT, KTN, KTT, TOUCH_ROWS
from serpenoid.core.errors import InputError
from serpenoid.gaits import headings
from serpenoid.gaits.joints import joint_angles, source_of

SLOPE = 1e-9  # of |f| / |v|: differences over 6e-6 of the velocity
MIXED = 1e-7  # the same where the other axis is 1e-6 times slower: rounding
RATE, BEND = 1e-8, 1e-6  # relative: five-point differences over 1/600 of the period; quintics over 1/64 of it


def own_coulomb(v, w, load, p):
    return -p[0] * load * v / math.sqrt(v * v + p[2] ** 2), -p[1] * load * w / math.sqrt(w * w + p[2] ** 2)


def own_unit_slip(v, w, load, p):
    r = 1.0 / math.sqrt(v * v + w * w + p[2] ** 2)
    return -p[0] * load * v * r, -p[1] * load * w * r


def forces(law: sp.core.Friction, velocities: np.ndarray, secant: bool) -> np.ndarray:
    touch = np.zeros((TOUCH_ROWS, velocities.shape[1]))
    touch[:2] = velocities
    limits = limits_table(sp.World(law), np.linspace(0.2, 0.9, velocities.shape[1]))
    evaluate(law.KIND, law.scalars(), 1e-3, limits, np.zeros((4, velocities.shape[1])), 1e-3, int(secant), touch)
    return touch


@pytest.mark.parametrize("secant", [False, True])
@pytest.mark.parametrize(("function", "law"), [(own_coulomb, "coulomb"), (own_unit_slip, "unit-slip")])
def test_a_law_of_ones_own_equals_the_one_it_copies(function, law: str, secant: bool) -> None:
    rng = np.random.default_rng(3)
    v = rng.normal(size=(2, 40)) * 10.0 ** rng.uniform(-6.0, 0.0, (2, 40))
    own = forces(sp.contact.CustomLaw(function=function, parameters=[0.13, 0.57, 1e-3]), v, secant)
    built_in = forces(sp.contact.LAWS[law](0.13, 0.57), v, secant)
    assert own[FT : FN + 1] == pytest.approx(built_in[FT : FN + 1], rel=1e-12)
    scale = forces(sp.contact.LAWS[law](0.13, 0.57), v, True)[KTT : KNN + 1].max(axis=0)  # |f| / |v|
    assert np.abs((own - built_in)[KTT : KNN + 1] / scale).max() < (1e-12 if secant else SLOPE)
    if law == "unit-slip" and not secant:
        assert np.abs((own - built_in)[[KTN, KNT]] / scale).max() < MIXED


def test_coefficients_scale_the_load() -> None:
    v = np.array([[0.3, -0.2], [0.05, 0.4]])
    plain = forces(sp.contact.CustomLaw(function=own_coulomb, parameters=[0.1, 0.5, 1e-3]), v, False)
    scaled = forces(
        sp.contact.CustomLaw(along=2.0, across=3.0, backward=4.0, function=own_coulomb, parameters=[0.1, 0.5, 1e-3]),
        v,
        False,
    )
    assert scaled[FT] == pytest.approx(plain[FT] * [2.0, 4.0]) and scaled[FN] == pytest.approx(plain[FN] * 3.0)


def test_an_unknown_kind_gives_no_number() -> None:
    touch = np.ones((TOUCH_ROWS, 3))
    evaluate(99, np.zeros(3), 1.0, np.ones((8, 3)), np.zeros((4, 3)), 1e-3, 0, touch)
    assert np.isnan(touch[FT : KNT + 1]).all()
    out = np.zeros((3, 4))
    headings(99, np.zeros(6), np.zeros((2, 4)), 0.1, out)
    assert np.isnan(out).all()
    aim = np.zeros((4, 4))
    joint_angles(99, np.zeros(6), np.zeros((8, 4)), 0.1, aim)
    assert np.isnan(aim[:2, 1:]).all()


def test_functions_that_do_not_compile_are_refused() -> None:
    with pytest.raises(InputError, match="does not compile"):
        sp.contact.CustomLaw(function=lambda v, w, load, p: no_such_name(v), parameters=[])  # noqa: F821
    with pytest.raises(InputError, match="does not compile"):
        sp.gaits.CustomGait(lambda t, k, p: no_such_name(t))  # noqa: F821
    with pytest.raises(InputError, match="must be a function"):
        sp.gaits.CustomGait(3.0)


def compiled_wave(t, k, p):
    """The standing serpenoid curve of the built-in gait, as joint angles."""
    return -2.0 * p[0] * math.sin(math.pi * p[1] / p[2]) * math.sin(p[3] * t + 2.0 * math.pi * p[1] * (k + 1) / p[2])


def pair(links: int) -> tuple[sp.Robot, object, object, object]:
    """A serpenoid gait, and the same as a compiled function and as a Python function."""
    robot = sp.robots.ma2001(links=links)
    built_in = sp.gaits.Serpenoid(0.8, 1.7, 0.6)
    period = built_in.period(robot)
    p = [0.8, 1.7, float(links), 2.0 * np.pi / period]
    compiled = sp.gaits.CustomGait(compiled_wave, p, cycle=period)
    python = sp.gaits.FunctionGait(lambda t: np.array([compiled_wave(t, k, p) for k in range(links - 1)]), cycle=period)
    return robot, built_in, compiled, python


def filled(gait, robot: sp.Robot, t: float) -> np.ndarray:
    out = np.zeros((3, robot.links))
    headings(gait.KIND, *gait.row(robot), t, out)
    return out - out.mean(axis=1, keepdims=True)


@pytest.mark.parametrize("t", [0.0, 0.0137, 0.9, 31.4159])
def test_gaits_of_ones_own_equal_the_one_they_copy(t: float) -> None:
    robot, built_in, compiled, python = pair(13)
    wanted = filled(built_in, robot, t)
    for gait, value in ((compiled, 1e-12), (python, 1e-8)):
        found = filled(gait, robot, t)
        for row, tolerance in ((0, value), (1, max(RATE, value)), (2, max(BEND, 10 * value))):
            scale = np.abs(wanted[row]).max()
            assert np.abs(found[row] - wanted[row]).max() < tolerance * scale + 1e-12, (gait.NAME, row)


def test_gaits_of_ones_own_in_space() -> None:
    robot, built_in, compiled, python = pair(9)
    wanted, aim = np.zeros((4, 9)), np.zeros((4, 9))
    joint_angles(*source_of(built_in, robot), 0.77, wanted)
    for gait, tolerance in ((compiled, 1e-9), (python, 1e-7)):
        joint_angles(*source_of(gait, robot), 0.77, aim)
        assert aim == pytest.approx(wanted, abs=tolerance * 10)


def test_a_function_without_period_is_sampled_alike_however_time_is_cut() -> None:
    robot = sp.robots.ma2001(links=6)
    gait = sp.gaits.FunctionGait(lambda t: 0.5 * np.sin(t * (1.0 + 0.3 * t)) * np.arange(1, 6) / 5.0)
    times = np.linspace(0.0, 5.9, 230)
    forward = [filled(gait, robot, t) for t in times]
    other = sp.gaits.FunctionGait(gait.function)
    par, tab = other.row(robot)
    out = np.zeros((3, 6))
    for t, wanted in reversed(list(zip(times, forward, strict=True))):
        headings(other.KIND, par, tab, t, out)
        assert np.array_equal(out - out.mean(axis=1, keepdims=True), wanted)
    worst = max(
        np.abs(np.diff(filled(gait, robot, t)[0]) - gait.angles(robot, t)).max()
        for t in np.random.default_rng(1).uniform(0, 5.9, 400)
    )
    assert worst <= 1.5 * max(gait.error, 1e-9) <= 1.5e-6


def test_functions_that_cannot_be_followed_are_refused() -> None:
    robot = sp.robots.ma2001(links=3)
    with pytest.raises(InputError, match=r"jumps or has a kink near t = 0\.(2999|3)"):
        sp.gaits.FunctionGait(lambda t: np.full(2, 0.4 if t < 0.3 else -0.4)).row(robot)
    with pytest.raises(InputError, match="does not repeat itself"):
        sp.gaits.FunctionGait(lambda t: np.full(2, 0.1 * t), cycle=1.0).row(robot)
    with pytest.raises(InputError, match=r"2 finite joint angles .* shape \(3,\)"):
        sp.gaits.FunctionGait(lambda t: np.zeros(3)).row(robot)
    with pytest.raises(InputError, match=r"at t = 0 s failed: ZeroDivisionError"):
        sp.gaits.FunctionGait(lambda t: np.full(2, 1.0 / t)).row(robot)


def test_what_fails_later_is_kept_and_raised() -> None:
    robot = sp.robots.ma2001(links=3)

    def angles(t: float) -> np.ndarray:
        if t > 2.5:
            raise RuntimeError("out of ideas")
        return np.full(2, 0.1 * np.sin(t))

    gait = sp.gaits.FunctionGait(angles)
    assert np.isfinite(filled(gait, robot, 0.5)).all()
    gait.raise_problem()
    assert np.isnan(filled(gait, robot, 2.2)).any()
    with pytest.raises(InputError, match="out of ideas"):
        gait.raise_problem()
    with pytest.raises(InputError, match="out of ideas"):
        sp.simulate(robot, sp.gaits.FunctionGait(angles), duration=4.0)


ALIKE = 1e-5  # built-in friction is held within its cone to 1e-6 of the edge in every step; a function of one's own has no cone


def test_runs_of_ones_own_things_equal_those_of_the_built_in() -> None:
    """In the plane and in space: the same distance and torques, and stepped as in one go."""
    robot, _, compiled, python = pair(9)
    robot = robot.but(radius=0.02)
    own = sp.contact.CustomLaw(function=own_coulomb, parameters=[0.1, 0.5, 1e-3])
    for ground in (None, sp.Ground()):
        wanted = sp.simulate(
            robot, compiled, sp.World(sp.contact.Coulomb(0.1, 0.5, smoothing=1e-3), ground=ground), duration=0.6
        )
        for gait in (compiled, python):
            run = sp.simulate(robot, gait, sp.World(own, ground=ground), duration=0.6)
            assert run.status.ok
            for name in ("com_dx", "com_dy", "torque_max", "friction_loss"):
                assert run.metrics[name] == pytest.approx(wanted.metrics[name], rel=ALIKE), (gait.NAME, name)
            sim = sp.Simulation(robot, sp.World(own, ground=ground), gait)
            for _ in range(30):
                sim.advance(0.02)
            assert np.array_equal(sim.state.com, run["com"][-1])
