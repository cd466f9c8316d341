"""Gaits: the paper's joint angles, rates that are derivatives, smooth ramps, periods, samples that give the same motion."""

from __future__ import annotations

import numpy as np
import pytest

import serpenoid as sp
from serpenoid.gaits import GAITS, WAVE_GAITS, headings
from serpenoid.gaits.joints import joint_angles, source_of
from serpenoid.gaits.waves import ramp

ROBOT, MODULAR = sp.robots.ma2001(), sp.robots.alternating(13, 1.1, 2.0, radius=0.02)
TIMES = np.linspace(0.0, 8.0, 161)


def rows(gait, robot: sp.Robot, t: float) -> np.ndarray:
    out = np.zeros((3, robot.links))
    headings(gait.KIND, *gait.row(robot), t, out)
    return out


def sampled_from(gait, robot: sp.Robot, times: np.ndarray) -> sp.gaits.Sampled:
    angles = np.array([np.diff(rows(gait, robot, t)[0]) for t in times])
    return sp.gaits.Sampled(times, angles)


EXAMPLES = {
    "serpenoid": sp.gaits.Serpenoid.start_stop(0.8, 1.7, 1.0, 8.0),
    "standing-wave": sp.gaits.StandingWave(0.6, 1.3, 2.5),
    "sampled": sampled_from(sp.gaits.Serpenoid(0.8, 1.7, speed=0.7), ROBOT, TIMES),
    "sidewinding": sp.gaits.Sidewinding(0.5, 2.3, -0.7, 1.1, 0.3, 0.1, -0.05, -1, 0.4, ramp=1.3),
    "turn-in-place": sp.gaits.TurnInPlace(0.5, 0.3, 2.1, 0.6, 1.2, ramp=1.3),
    "rolling": sp.gaits.Rolling(0.2, -1.7, ramp=1.3),
    "helix-rolling": sp.gaits.HelixRolling(0.4, 1.7, 0.3, ramp=1.3),
    "pole-climbing": sp.gaits.PoleClimbing(0.13, 0.4, 1.2, 1.7, ramp=1.3),
    "rectilinear": sp.gaits.Rectilinear(0.3, 2.9, 0.7, ramp=1.3),
    "sinus-lifting": sp.gaits.SinusLifting(0.4, 0.05, 1.9, 0.6, -1.3, ramp=1.3),
    "compound-serpenoid": sp.gaits.CompoundSerpenoid(0.4, 0.3, 0.5, 0.9, 2.2, 2.2, 0.1, -0.1, 0.3, 0.8, ramp=1.3),
}
PLANAR = [name for name in EXAMPLES if name not in WAVE_GAITS]


def angles(name: str, t: float) -> np.ndarray:
    """Yaw, its rate, pitch, its rate, of the joints of an example, (4, n-1)."""
    robot = MODULAR if name in WAVE_GAITS else ROBOT
    aim = np.zeros((4, robot.links))
    joint_angles(*source_of(EXAMPLES[name], robot), t, aim)
    return aim[:, 1:]


def test_every_gait_has_an_example() -> None:
    assert set(EXAMPLES) | {"custom", "function", "sequence"} == set(GAITS)  # those: test_custom, test_sequence


@pytest.mark.parametrize("waves", [1.0, 2.0, 1.37])
def test_joint_angles_of_the_paper(waves: float) -> None:
    """Equation (8), and s(T) = 5.76 m with the paper's profile."""
    gait, n, L = sp.gaits.Serpenoid.start_stop(0.9, waves, 1.0, 8.0), 20, 1.6
    for t in (0.0, 0.53, 3.3, 7.7, 8.0):
        s = 0.5 * t**2 if t < 0.8 else 0.32 + 0.8 * (t - 0.8) if t < 7.2 else 5.76 - 0.5 * (8.0 - t) ** 2
        i = np.arange(1, n)
        expected = -2 * 0.9 * np.sin(waves * np.pi / n) * np.sin(2 * waves * np.pi * (s / L + i / n))
        assert np.abs(np.diff(rows(gait, ROBOT, t)[0]) - expected).max() < 2e-14
    assert gait.displacement(8.0) == pytest.approx(5.76)


@pytest.mark.parametrize("speed", [0.8, -0.8])
def test_serpenoid_starts_from_rest_and_stops_where_it_is_told(speed: float) -> None:
    """s(t) by integrating its speed; the profile goes on without an end where no stop is given."""
    gait = sp.gaits.Serpenoid(0.5, 1.0, speed, 0.4, 9.0)
    t = np.linspace(0.0, 10.0, 100001)
    pace = np.clip(np.minimum(0.4 * t, 0.4 * (9.0 - t)), 0.0, 0.8) * np.sign(speed)
    s = np.concatenate([[0.0], np.cumsum(0.5 * (pace[1:] + pace[:-1]) * np.diff(t))])
    for k in (1234, 20000, 45678, 70000, 83210, 90000, 99999):
        assert gait.displacement(t[k]) == pytest.approx(s[k], abs=1e-9)
    assert gait.kinks() == [2.0, 7.0, 9.0] and gait.steady_from(ROBOT) == 2.0 and gait.steady_until() == 7.0
    onward = sp.gaits.Serpenoid(0.5, 1.0, speed, 0.4)
    assert onward.displacement(1000.0) == pytest.approx(speed * 999.0) and np.isinf(onward.steady_until())
    assert gait.displacement(1.7) == onward.displacement(1.7)


@pytest.mark.parametrize("name", list(EXAMPLES))
def test_angles_at_a_time_are_those_of_the_kernel_for_each_degree_of_freedom(name: str) -> None:
    robot = (MODULAR if name in WAVE_GAITS else ROBOT).but(locked=(3,))
    yaw, _, pitch, _ = angles(name, 1.7)
    expected = [(yaw if kind == "yaw" else pitch)[joint - 1] for joint, kind in robot.axes]
    got = EXAMPLES[name].angles(robot, 1.7)
    assert got.shape == (robot.links - 2,) and np.array_equal(got, expected) and np.abs(got).max() > 0.01


@pytest.mark.parametrize("name", PLANAR)
def test_rates_are_derivatives(name: str) -> None:
    gait, h = EXAMPLES[name], 1e-5
    for t in (0.41, 2.33, 5.12, 7.52):
        before, now, after = (rows(gait, ROBOT, x) for x in (t - h, t, t + h))
        assert np.abs((after[0] - before[0]) / (2 * h) - now[1]).max() < 1e-7
        assert np.abs((after[1] - before[1]) / (2 * h) - now[2]).max() < 1e-6


@pytest.mark.parametrize("name", list(EXAMPLES))
def test_joint_rates_are_derivatives(name: str) -> None:
    """In space too; within the ramp and after it."""
    h = 1e-5
    for t in (0.41, 0.87, 1.3 - 1e-3, 2.33, 5.12, 7.52):
        before, now, after = (angles(name, x) for x in (t - h, t, t + h))
        assert np.abs((after[::2] - before[::2]) / (2 * h) - now[1::2]).max() < 1e-7
        assert np.abs(now[1::2]).max() > 0.01


@pytest.mark.parametrize("begin", [0.0, 0.7])
def test_ramp_has_no_jumps_up_to_the_second_derivative(begin: float) -> None:
    """It leaves its ends like the third power of time."""
    length, near = 1.3, np.array([1e-3, 2e-3])
    low = np.array([ramp(h, length, begin) for h in near]) - (begin, 0.0)
    high = np.array([ramp(length - h, length, begin) for h in near]) - (1.0, 0.0)
    for rest in (low, high):
        assert np.log2(np.abs(rest[1] / rest[0])) == pytest.approx([3.0, 2.0], abs=0.01)
    assert ramp(-1.0, length, begin) == (begin, 0.0) and ramp(2.0, length, begin) == (1.0, 0.0)
    assert ramp(0.0, 0.0, begin) == (1.0, 0.0)
    t = np.linspace(0.0, length, 100)
    assert np.all(np.diff([ramp(x, length, begin)[0] for x in t]) > 0.0)


@pytest.mark.parametrize("name", list(WAVE_GAITS))
def test_waves_grow_by_the_ramp_and_repeat_after_a_period(name: str) -> None:
    gait, robot = EXAMPLES[name], MODULAR
    period = gait.period(robot)
    assert np.abs(angles(name, 2.0 + period) - angles(name, 2.0)).max() < 1e-12
    assert np.abs(angles(name, 2.0 + 0.5 * period) - angles(name, 2.0)).max() > 0.05
    assert gait.kinks() == []
    start = np.abs(angles(name, 0.0)[::2]).max()
    if name == "pole-climbing":  # begins with the helix that just touches the pole
        assert start == pytest.approx(np.abs(angles(name, period)[::2]).max() / gait.grip, rel=1e-12)
    else:
        assert start == 0.0 and np.abs(angles(name, 0.01)[::2]).max() < 1e-5


@pytest.mark.parametrize("name", list(WAVE_GAITS))
def test_a_gait_without_numbers_is_the_same_in_python_and_in_a_scenario(name: str) -> None:
    problems: list[str] = []
    for gait, keys in ((WAVE_GAITS[name](), {"kind": name}), (EXAMPLES[name], EXAMPLES[name].keys())):
        back = GAITS.read(keys, "gait", lambda path, what: problems.append(what))
        assert not problems and type(back) is type(gait) and back == gait


def test_gaits_refuse_what_makes_no_sense() -> None:
    with pytest.raises(sp.core.errors.InputError, match="direction"):
        sp.gaits.Sidewinding(direction=2)
    with pytest.raises(sp.core.errors.InputError, match="finite"):
        sp.gaits.TurnInPlace(amplitude=np.nan)
    with pytest.raises(sp.core.errors.InputError, match="ramp"):
        sp.gaits.Rolling(ramp=-1.0)
    with pytest.raises(sp.core.errors.InputError, match="grip"):
        sp.gaits.PoleClimbing(grip=0.9)
    with pytest.raises(sp.core.errors.InputError, match="yaw and pitch"):
        source_of(sp.gaits.PoleClimbing(), ROBOT.but(radius=0.02))
    with pytest.raises(sp.core.errors.InputError, match="at least 6 links"):
        source_of(sp.gaits.PoleClimbing(), sp.robots.universal(2, radius=0.02))
    with pytest.raises(sp.core.errors.InputError, match="too long"):
        source_of(sp.gaits.PoleClimbing(pole_radius=0.01), sp.robots.alternating(6, 1.5, radius=0.02))
    with pytest.raises(sp.core.errors.InputError, match=r"no joint of .* can pitch"):
        source_of(sp.gaits.Sidewinding(), ROBOT)


def test_serpenoid_of_unequal_links_takes_the_curve_at_mid_link() -> None:
    robot = sp.robots.ma2001(links=3, link_length=[0.1, 0.2, 0.05], com_offset=0.01, contact_offset=0.02)
    got = rows(sp.gaits.Serpenoid(0.5, 1.0, speed=0.0), robot, 1.0)[0]
    middle = np.array([0.05, 0.2, 0.325])
    assert got == pytest.approx(0.5 * np.cos(2 * np.pi * middle / 0.35), abs=1e-15)


def test_sampled_gait_moves_as_the_gait_it_was_sampled_from() -> None:
    world = sp.World(sp.contact.Coulomb(0.1, 0.5))
    gait = sp.gaits.Serpenoid(0.8, 2.0, speed=0.5)
    times = np.linspace(-0.1, 4.1, 2101)
    copy = sampled_from(gait, ROBOT, times)
    a = sp.simulate(ROBOT, gait, world, duration=4.0, step=1e-3)
    b = sp.simulate(ROBOT, copy, world, duration=4.0, step=1e-3)
    assert np.abs(a["com"][:, 0] - b["com"][:, 0]).max() < 1e-7
    assert np.abs(a["joint_torque"] - b["joint_torque"]).max() < 1e-2


@pytest.mark.parametrize("integrator", ["implicit", "rk4"])
def test_samples_that_just_cover_the_run_cause_no_jump(integrator: str) -> None:
    """Rates at the first and last sample are the spline's own: torques converge and agree with the gait sampled."""
    world = sp.World(sp.contact.Coulomb(0.1, 0.5, smoothing=1e-2))
    gait = sp.gaits.Serpenoid(0.6, 1.0, speed=0.5)
    copy = sampled_from(gait, ROBOT, np.linspace(0.0, 1.0, 401))
    a, b = (sp.simulate(ROBOT, g, world, duration=1.0, step=5e-4, integrator=integrator) for g in (gait, copy))
    assert not b.warnings
    assert b.metrics["torque_sq_mean"] == pytest.approx(a.metrics["torque_sq_mean"], rel=0.02)
    assert b.metrics["torque_max"] == pytest.approx(a.metrics["torque_max"], rel=0.1)
    short = sp.simulate(ROBOT, sampled_from(gait, ROBOT, np.linspace(0.0, 0.5, 201)), world, duration=1.0)
    assert any("samples cover" in w for w in short.warnings)


def test_a_python_function_is_sampled_to_within_its_tolerance() -> None:
    """More samples where it bends more; off by no more than asked anywhere; a jump, NaN and changing lengths are refused."""

    def wave(t: float) -> np.ndarray:
        return np.array([0.4 * np.sin(2.0 * t + i) + 0.1 * np.tanh(40.0 * (t - 1.3)) for i in range(19)])

    for tolerance in (1e-4, 1e-7):
        gait = sp.gaits.FunctionGait(wave, tolerance=tolerance)
        par, tab = gait.row(ROBOT)
        out = np.zeros((3, ROBOT.links))
        far = []
        for t in np.linspace(0.0, 3.0, 1777):
            headings(gait.KIND, par, tab, t, out)
            far.append(np.abs(np.diff(out[0]) - wave(t)).max())
        assert max(far) < 2.0 * tolerance and gait.error <= tolerance
        knots = gait._block(19, 1)[0][:, 0]
        steps = np.diff(knots)
        assert steps[np.abs(knots[:-1] - 1.3).argmin()] < 0.6 * steps.max() or tolerance > 1e-6
    for bad, words in (
        (lambda t: [float(t > 0.234)] * 19, "jumps"), (lambda t: [np.nan] * 19, "finite joint angles"), (lambda t: [0.0] * (18 + int(t > 0.5)), "shape"),
    ):  # fmt: skip
        with pytest.raises(sp.core.errors.InputError, match=words):
            sp.gaits.FunctionGait(bad).row(ROBOT)


def test_sampled_gait_refuses_bad_samples() -> None:
    good = np.linspace(0, 1, 6)
    with pytest.raises(sp.core.errors.InputError, match="rise"):
        sp.simulate(ROBOT, sp.gaits.Sampled(good[::-1], np.zeros((6, 19))), duration=1.0)
    with pytest.raises(sp.core.errors.InputError, match="3 joint angles"):
        sp.simulate(ROBOT, sp.gaits.Sampled(good, np.zeros((6, 3))), duration=1.0)
    with pytest.raises(sp.core.errors.InputError, match="finite"):
        sp.simulate(ROBOT, sp.gaits.Sampled(good, np.full((6, 19), np.nan)), duration=1.0)


def test_replayed_torques_repeat_the_motion() -> None:
    """Shape to motion and torque to motion are the same physics: replay is exact for a while, then unstable."""
    from serpenoid.studies.ma2001.simulations import simulation_two

    two = simulation_two(lambda _: None)
    at = {t: float(np.interp(t, two.replay_time, two.replay_error)) for t in (0.8, 1.5)}
    assert at[0.8] < 1e-5 and at[1.5] < 1e-4
