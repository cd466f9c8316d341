"""Samples: periodic, straight or cubic, in gaits and drives; what they do to steps and torques is said."""

from __future__ import annotations

import numpy as np
import pytest

import serpenoid as sp
from serpenoid.core.errors import InputError
from serpenoid.core.terrain import Ground
from serpenoid.gaits.drives import SampledTorque, SineTorque, torques
from serpenoid.gaits.samples import pieces, time_scale
from serpenoid.simulation.setup import setup_of

ROBOT = sp.robots.ma2001(links=8)
JOINTS = 7
PERIOD = 1.3  # s
GROUND = sp.World(ground=Ground("point", damping=200.0))
CLOSE = 2e-4  # rad: a spline through 60 samples per period
DOUBLED = 5e-3  # inertia changes with the angles while a corner is rounded


def wave(times: np.ndarray, amplitude: float = 0.35) -> np.ndarray:
    """A travelling wave of joint angles."""
    return amplitude * np.sin(2.0 * np.pi * times[:, None] / PERIOD + 0.8 * np.arange(JOINTS))


def samples(count: int, **ways) -> sp.gaits.Sampled:
    times = np.linspace(0.0, PERIOD, count)
    values = wave(times)
    values[-1] = values[0]
    return sp.gaits.Sampled(times, values, **ways)


@pytest.mark.parametrize("way", ["cubic", "linear"])
@pytest.mark.parametrize("world", [None, GROUND])
def test_periodic_samples_go_on(way, world):
    gait = samples(61, periodic=True, interpolation=way)
    run = sp.simulate(ROBOT, gait, world, duration=3.0, step=1e-3)
    tolerance = CLOSE if way == "cubic" else 0.35 * (2.0 * np.pi / 60.0) ** 2 / 8.0 * 1.1  # of straight lines
    assert np.abs(run["joint_angle"] - wave(run["time"])).max() < tolerance
    assert not any("outside them" in text for text in run.warnings)
    assert gait.period(ROBOT) == PERIOD


def test_periodic_samples_are_smooth_where_they_meet():
    gait = samples(41, periodic=True)
    times = PERIOD + np.linspace(-0.01, 0.01, 201)
    angles = np.array([gait.angles(ROBOT, t) for t in times])
    bend = np.diff(angles, 2, axis=0)
    assert np.abs(np.diff(bend, axis=0)).max() < 0.02 * np.abs(bend).max()


def test_periodic_samples_must_close():
    times = np.linspace(0.0, PERIOD, 20)
    for make in (sp.gaits.Sampled, SampledTorque):
        with pytest.raises(InputError, match="end as they begin: column"):
            make(times, wave(times) + times[:, None], periodic=True)
    with pytest.raises(InputError, match="ends is for"):
        samples(20, periodic=True, ends="clamped")


def test_scenarios_say_the_same():
    for command in (samples(12, periodic=True), samples(12, interpolation="linear")):
        setup = sp.Setup(ROBOT, command=command, settings=sp.Settings(1.0)) if hasattr(sp, "Setup") else None
        keys = command.keys()
        again = setup_of({"robot": ROBOT.keys(), "gait": keys, "run": {"duration": 1.0}})
        assert again.gait.keys() == keys
        assert setup is None or setup.keys()["gait"] == keys
    drive = SampledTorque(np.linspace(0, 1, 5), np.ones((5, JOINTS)), interpolation="cubic", periodic=True)
    assert (
        setup_of({"robot": ROBOT.keys(), "drive": drive.keys(), "run": {"duration": 1.0}}).drive.keys() == drive.keys()
    )


@pytest.mark.parametrize("way", ["linear", "cubic"])
def test_sampled_torques_follow_their_way(way):
    times = np.linspace(0.0, PERIOD, 31)
    values = np.sin(2.0 * np.pi * times / PERIOD)[:, None] * np.arange(1.0, JOINTS + 1.0)
    values[-1] = values[0]
    drive = SampledTorque(times, values, interpolation=way, periodic=True)
    out = np.zeros((1, JOINTS + 1))
    for t in (0.0, 0.21, PERIOD, 2.7 * PERIOD):
        torques(drive.KIND, *drive.row(ROBOT), t, out, 0)
        exact = np.sin(2.0 * np.pi * t / PERIOD) * np.arange(1.0, JOINTS + 1.0)
        assert np.abs(out[0, 1:] - exact).max() < (0.05 if way == "linear" else 3e-4)


@pytest.mark.parametrize("world", [None, GROUND])
@pytest.mark.parametrize("duration", [0.7, 1.1, 2.3])
def test_the_last_step_has_its_torque(world, duration):
    """Constant torques sampled up to the end of the run act in every step, the last included."""
    drive = SampledTorque(np.linspace(0.0, duration, 5), np.full((5, JOINTS), 0.01))
    run = sp.simulate(ROBOT, drive, world, duration=duration, step=1e-3)
    assert np.abs(run["joint_torque"][-1]).min() > 0.009
    steps = round(duration / 1e-3)
    out = np.zeros((1, JOINTS + 1))
    torques(drive.KIND, *drive.row(ROBOT), steps * (duration / steps) * (1.0 + 1e-15), out, 0)
    assert np.abs(out[0, 1:] - 0.01).max() < 1e-12


def test_a_torque_given_by_samples_moves_as_the_torque_itself():
    sine = SineTorque(0.02, 2.0 * np.pi / PERIOD, 0.8)
    times = np.linspace(0.0, PERIOD, 81)
    values = 0.02 * np.sin(2.0 * np.pi * times[:, None] / PERIOD + 0.8 * np.arange(1, JOINTS + 1))
    values[-1] = values[0]
    drive = SampledTorque(times, values, interpolation="cubic", periodic=True)
    one, two = (sp.simulate(ROBOT, command, duration=2.0, step=1e-3) for command in (sine, drive))
    assert np.abs(one["joint_angle"] - two["joint_angle"]).max() < 1e-4 * np.abs(one["joint_angle"]).max()


def test_the_time_scale_of_a_sine_is_its_period():
    times = np.linspace(0.0, 3.0 * PERIOD, 200)
    assert time_scale(pieces(times, wave(times), "cubic", False)) == pytest.approx(PERIOD, rel=2e-3)


def test_a_step_too_long_for_samples_is_said():
    gait = samples(61, periodic=True)
    said = [
        any("samples" in text for text in sp.simulate(ROBOT, gait, duration=2.0, step=s).warnings) for s in (2e-3, 0.1)
    ]
    assert said == [False, True]
    fast = SampledTorque(
        np.linspace(0.0, 1.0, 2001), np.sin(900.0 * np.linspace(0.0, 1.0, 2001))[:, None] * np.full(JOINTS, 1e-3)
    )
    run = sp.simulate(ROBOT, fast, duration=0.5, step=5e-3)
    assert any("samples of the torques" in text for text in run.warnings)


def triangle(count: int) -> sp.gaits.Sampled:
    times = np.linspace(0.0, 2.0 * PERIOD, count)
    tooth = 0.6 * (np.abs((times / PERIOD) % 1.0 - 0.5) - 0.25)
    return sp.gaits.Sampled(times, np.repeat(tooth[:, None], JOINTS, axis=1) * np.array([1, -1, 1, -1, 1, -1, 1]))


def test_corners_are_said_and_make_torques_grow():
    """A triangle wave's squared torque doubles with its samples (of inertia: this wave hardly slips, friction would hide it); a smooth wave has no warning."""
    free = sp.World(sp.contact.Frictionless())
    coarse, fine = (sp.simulate(ROBOT, triangle(n), free, duration=2.2, step=1e-3) for n in (41, 81))
    assert fine.metrics["torque_sq_mean"] == pytest.approx(2.0 * coarse.metrics["torque_sq_mean"], rel=DOUBLED)
    for run in (coarse, fine, sp.simulate(ROBOT, triangle(41), duration=0.5, step=1e-3)):
        assert any("have corners" in text for text in run.warnings)
    for count in (21, 61):
        smooth = sp.simulate(ROBOT, samples(count, periodic=True), duration=1.0, step=1e-3)
        assert not any("corners" in text for text in smooth.warnings)
    lines = sp.simulate(ROBOT, samples(21, interpolation="linear", periodic=True), duration=1.0, step=1e-3)
    assert any("straight lines" in text for text in lines.warnings)


FREE = {"plane": sp.World(sp.contact.Frictionless()), "space": sp.World(sp.contact.Frictionless(), 0.0, ground=Ground("point"))}  # fmt: skip
LINE_TIMES, LINE_ANGLES = np.array([0.0, 0.1, 0.2, 0.3]), np.array([0.3, 0.8, 0.2, 0.9])
SPLINE = sp.gaits.Sampled(LINE_TIMES, LINE_ANGLES[:, None], ends="not-a-knot")  # at rest from 0.3 s on, with a jump


def scissors_energy(angle: float, rate: float) -> float:
    """Kinetic energy of two free rods of 0.2 m and 0.4 kg whose joint turns, J: by symmetry each turns half as fast."""
    half, speed = 0.5 * angle, 0.5 * rate
    return 0.4 * speed**2 * ((0.1 * np.sin(half)) ** 2 + 0.2**2 / 12.0)


@pytest.mark.parametrize("limit", [np.inf, 2.0])
@pytest.mark.parametrize("world", list(FREE))
def test_work_of_impulses_where_rates_jump(world, limit):
    """Ideal joints whose rates jump put in just the kinetic energy: an impulse works with the mean of the rates before and after."""
    robot = sp.Robot(2, 0.2, 0.4, radius=0.01, joint_limit=limit)
    lines = sp.gaits.Sampled(LINE_TIMES, LINE_ANGLES[:, None], interpolation="linear")
    rates = np.diff(LINE_ANGLES) / np.diff(LINE_TIMES)
    for gait, first, end, last in ((lines, rates[0], 0.25, rates[2]), (SPLINE, None, 0.4, 0.0)):
        run = sp.simulate(robot, gait, FREE[world], duration=end, step=1e-3, checked=False)
        start = scissors_energy(LINE_ANGLES[0], run["joint_rate"][0, 0] if first is None else first)
        gained = scissors_energy(run["joint_angle"][-1, 0], last) - start
        assert run.status.ok
        assert run.metrics["kinetic_energy_change"] == pytest.approx(gained, abs=1e-9)
        assert run.metrics["net_work"] == pytest.approx(gained, abs=0.02 * start)  # off by the jump's energy before
        assert abs(run.metrics["scheme_loss"]) < 0.02 * start


def test_a_gait_that_stops_long_before_the_run_is_remarked() -> None:
    def said(stop: float) -> list[str]:
        gait = sp.gaits.Serpenoid(0.6, 1.5, speed=0.3, acceleration=1.0, stop_time=stop)
        run = sp.simulate(sp.robots.rods(links=6, length=0.5, mass=0.5), gait, duration=2.0)
        return [w for w in run.warnings if "comes to rest" in w]

    assert said(1.0) and not said(2.0)
