"""What a run tells about itself: whether it has converged, whether its energy is accounted for, whether its units can be meant."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import serpenoid as sp
from serpenoid.core.errors import InputError
from serpenoid.core.obstacles import Disc
from serpenoid.formats.scenario import bundled, read
from serpenoid.judgement.metrics import METRICS as COMPUTED
from serpenoid.simulation.formulas import Measured
from serpenoid.simulation.metrics import METRICS
from serpenoid.simulation.run import execute
from serpenoid.simulation.scales import SCALES, UNJUDGED, WHOLE, changed, scales_of
from serpenoid.simulation.setup import setup_of
from serpenoid.simulation.twin import LIMITS, Check, warning_of

ROBOT = sp.robots.ma2001(links=8)
GAIT = sp.gaits.Serpenoid(0.6, 1.0, speed=0.4)
CLOSED = 1e-10  # of the energy turned over: an account is exact but for rounding


def said(run: sp.Trajectory, word: str) -> list[str]:
    return [w for w in run.warnings if word in w]


def test_a_servo_too_stiff_for_the_step_is_said_in_percent() -> None:
    """At a tenth of the step the work is another: so it must not stand without a word."""
    changes = ["robot.servo.stiffness=6e7", "run.duration=0.6"]
    run = sp.run_scenario("slope", changes)
    fine = sp.run_scenario("slope", [*changes, "run.step=1e-4", "run.checked=false"])
    change = abs(fine.metrics["positive_work"] / run.metrics["positive_work"] - 1.0)
    assert change > 0.2 and said(run, "not converged") and "%" in said(run, "not converged")[0]
    assert said(run, "cannot resolve")


def test_the_error_by_the_twin_is_that_of_a_far_finer_run() -> None:
    """First order: the change from the twin is the error of the run, to a factor."""
    world = sp.World(sp.contact.Viscous(2.0, 9.0))
    start = sp.Start(velocity=(1.1, 0.3))
    run = sp.simulate(ROBOT, GAIT, world, 1.3, start=start, step=8e-3)
    fine = sp.simulate(ROBOT, GAIT, world, 1.3, start=start, step=2e-5, checked=False)
    moved = [r["com"][-1] - r["com"][0] for r in (run, fine)]
    true = np.linalg.norm(moved[1] - moved[0]) / max(run.metrics["path_length"], 0.1 * ROBOT.length)
    check = run.provenance["check"]
    told = check["figures"]["place_reached"]
    assert true > 1e-4 and 0.5 * true < told < 2.0 * true
    work = abs(fine.metrics["positive_work"] / run.metrics["positive_work"] - 1.0)
    assert 0.4 * work < check["figures"]["work"] < 2.5 * work
    for name in (
        "positive_work",
        "slip_per_link",
        "friction_loss",
        "mean_power",
        "torque_sq_mean",
    ):  # each by its own change
        change = abs(fine.metrics[name] / run.metrics[name] - 1.0)
        assert 0.4 * change < check["errors"][name] < 2.5 * change, name


def test_a_run_that_was_not_checked_says_why() -> None:
    plain = sp.simulate(ROBOT, GAIT, duration=0.2, checked=False)
    assert plain.provenance["check"] == {"skipped": "run.checked = false"} and plain.scenario["run"]["checked"] is False
    calls: list[float] = []

    def steer(state: object, t: float) -> np.ndarray:
        calls.append(t)
        return GAIT.angles(ROBOT, t)

    own = sp.simulate(ROBOT, sp.control.Controller(steer, period=0.1), duration=0.5)
    assert "skipped" in own.provenance["check"] and calls.count(0.4) == 1
    checked = sp.simulate(ROBOT, GAIT, duration=0.2)
    check = checked.provenance["check"]
    assert set(check["figures"]) == set(LIMITS)
    assert {*check["errors"], *check["not_judged"], *checked.reasons} == set(checked.metrics)
    assert "no number is judged by a second run: run.checked = false" in plain.summary()
    assert "no number is judged" not in checked.summary()
    for name in ("com_distance", "net_work", "torque_max"):  # the twin leaves no trace in the run
        assert plain.metrics[name] == checked.metrics[name]


def test_every_number_has_its_scale_or_is_not_judged() -> None:
    """The metrics that are there without any of a user's own, and all that the summary prints."""
    own = {name for name, metric in METRICS.items() if metric.function is not None}
    assert set(SCALES) | set(UNJUDGED) == set(METRICS) - own == set(COMPUTED)
    assert not set(SCALES) & set(UNJUDGED)

    class Asked(dict):
        """Metrics that note which of them are asked for."""

        def get(self, name: str, default: object = None) -> object:
            printed.add(name)
            return super().get(name, default)

    printed: set[str] = set()
    run = sp.simulate(ROBOT, GAIT, duration=0.1)
    replace(run, metrics=Asked(run.metrics)).summary()
    assert "torque_max" in printed and printed <= set(SCALES), printed - set(SCALES)
    assert set(SCALES.values()) == {"angle", *scales_of(run.metrics, 1.0, 9.81, 1.0, 0.1, 1.0, 1.0)}


def test_small_numbers_count_by_their_scale_and_angles_go_round() -> None:
    scales = {"way": 2.0, "itself": 0.0}
    assert changed("com_dx", 1.0, 1.1, scales) == pytest.approx(0.1)
    assert changed("com_dx", 0.01, 0.03, scales) == pytest.approx(0.01)
    assert changed("heading", 3.13, -3.13, scales) == pytest.approx((2.0 * np.pi - 6.26) / WHOLE)
    assert changed("efficiency", None, None, scales) == 0.0 and np.isinf(changed("efficiency", None, 1.0, scales))


def test_the_larger_of_two_estimates_counts() -> None:
    """A number whose error is not of first order changes less by one of the two other steps."""
    first = Check((2e-3,), {"work": 0.001}, {"net_work": 0.04, "heading": 0.02})
    both = Check((5e-4,), {"work": 0.03}, {"net_work": 0.01, "heading": 0.03}).with_first(first)
    assert both.figures == {"work": 0.03} and both.numbers == {"net_work": 0.04, "heading": 0.03}
    told = warning_of(both, 1e-3)
    assert [finding.code for finding in told] == ["rough-numbers", "not-converged"]
    assert told[0].numbers["errors"] == both.numbers and "net work 4%, heading 3%" in told[0]
    assert not warning_of(Check((2e-3,), {"work": 0.001}, {"net_work": 0.02}), 1e-3)


def test_a_resumed_run_is_checked_as_if_it_had_never_stopped() -> None:
    whole = sp.run_scenario("ma2001-case-two", ["run.duration=0.5"])
    part = sp.run_scenario("ma2001-case-two", ["run.duration=0.5"], until=0.2)
    assert sp.resume(part).provenance["check"] == whole.provenance["check"] and "errors" in part.provenance["check"]


def test_an_interrupt_while_the_twin_runs_leaves_the_run_whole() -> None:
    def stop(fraction: float) -> None:
        if fraction > 0.45:
            raise KeyboardInterrupt

    setup = setup_of(read("creep", ["run.duration=8", "run.step=5e-5"]))
    run = execute(setup, progress=stop, partial=True)
    assert run.status.name == "interrupted" and "whole" in run.status.message and run.duration == pytest.approx(8.0)
    assert run.metrics["com_distance"] == pytest.approx(4.69, abs=0.01)
    with pytest.raises(KeyboardInterrupt):  # searches and loops must not swallow it
        execute(setup, progress=stop)


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("ma2001-torque", ["drive.frequency=62831.85", "run.step=1e-3", "run.duration=1"]),
        ("creep", ["gait={kind='standing-wave',waves=1.5,amplitude=0.5,frequency=62832}", "run.duration=0.5"]),
        ("sidewind", ["gait.frequency=9000", "run.duration=0.5"]),
    ],
)
def test_a_command_faster_than_the_step_is_refused(name: str, changes: list[str]) -> None:
    """Two samples of a period at least: the step may be a whole number of periods, which no twin can see."""
    with pytest.raises(InputError, match="samples of the command's period"):
        sp.run_scenario(name, changes)
    half = [c.replace("62831.85", "600").replace("62832", "3000").replace("9000", "800") for c in changes]
    assert said(sp.run_scenario(name, half), "is long for a")


def test_the_automatic_step_begins_below_the_period() -> None:
    gait = sp.gaits.StandingWave(0.2, 1.0, 2.0 * np.pi / 2e-3)
    run = sp.simulate(ROBOT, gait, duration=0.02, step="auto", tolerance=0.5)
    assert run.provenance["step"] <= 1e-4


def test_energy_lost_by_the_scheme_is_said_in_joules_and_percent() -> None:
    robot = sp.robots.rods(links=4, length=0.5, mass=0.5, radius=0.02)
    ground = sp.Ground(stiffness=1e7, damping=0.0)
    world = sp.World(sp.contact.Frictionless(), ground=ground)
    run = sp.simulate(robot, None, world, 0.4, start=sp.Start(height=0.3))
    fallen = 0.5 * 9.81 * 0.3
    assert run.metrics["scheme_loss"] > 0.1 * fallen
    text = said(run, "the scheme itself lost")[0]
    assert f"{run.metrics['scheme_loss']:.3g} J" in text and "%" in text
    aloft = sp.simulate(robot, None, world, 0.2, start=sp.Start(height=0.3))  # falls, and loses nothing
    assert not said(aloft, "scheme")


@pytest.mark.parametrize("name", sorted(set(bundled()) - {"concertina", "maze"}))
def test_bundled_scenarios_close_their_account_and_raise_no_alarm(name: str, tmp_path) -> None:
    """At every frame of the saved file: work = friction + damping + stops + ground + scheme + changes of energy."""
    path = sp.run_scenario(name, ["run.duration=2.0", "robot.joint_damping=0.01"]).save(tmp_path / "run.nc")
    run = sp.load(path)
    losses = sum(run[f"{part}_loss"] for part in ("friction", "damping", "stop", "ground", "scheme"))
    change = sum(run[kind] - run[kind][0] for kind in ("kinetic_energy", "potential_energy"))
    left = run["net_work"] - losses - change
    assert np.abs(left).max() < CLOSED * run["positive_work"][-1] and run["damping_loss"][-1] > 0.0
    assert run.metrics["energy_residual"] == pytest.approx(left[-1], abs=CLOSED * run["positive_work"][-1])
    assert not said(run, "not converged") and not said(run, "scheme") and not said(run, "hint:")
    target = run["joint_target"]
    assert target.shape == run["joint_angle"].shape and (np.isnan(target).all() if "torque" in name else True)


def test_rounding_is_no_loss() -> None:
    """Free flight turns nothing over: what the account leaves is rounding, and nothing is said."""
    robot = sp.robots.rods(links=4, length=0.4, mass=0.4, radius=0.01)
    world = sp.World(sp.contact.Frictionless(), gravity=0.0, ground=sp.Ground())
    run = sp.simulate(robot, None, world, 0.05, start=sp.Start(velocity=(0.3, 7.0), height=0.5), checked=False)
    assert not said(run, "scheme") and not said(run, "account")


def test_a_simulation_by_hand_says_that_it_was_not_checked() -> None:
    sim = sp.Simulation(ROBOT, sp.World(), GAIT)
    sim.advance(0.1)
    assert "skipped" in sim.finish().provenance["check"]


def test_a_missing_part_of_the_account_is_not_zero() -> None:
    sim = sp.Simulation(ROBOT, sp.World(), GAIT)
    sim.advance(0.2)
    variables, sums = sim._engine.variables(), sim._engine.totals()

    def missing(**other: float) -> float | None:
        return Measured(sim.setup, variables, {**sums, **other}, sim.time)["energy_residual"]

    assert abs(missing()) < CLOSED * sums["positive_work"] and missing(ground_loss=np.nan) is None
    assert missing(friction_loss=0.0) == pytest.approx(sums["friction_loss"])


def test_the_moment_balance_is_relative_to_the_robot() -> None:
    """Rounding of a heavy robot is no fault; the balance itself scales with the mass."""
    light, heavy = (
        sp.simulate(sp.robots.ma2001(link_mass=m), sp.gaits.Serpenoid(0.8, 2.0, speed=0.5), duration=0.3)
        for m in (0.5, 5e7)
    )
    assert heavy.metrics["moment_residual"] > 1e-5 > light.metrics["moment_residual"]
    assert not said(heavy, "moment balance")


def test_a_peg_thinner_than_a_step_is_remarked() -> None:
    robot = sp.robots.rods(links=4, length=0.4, mass=0.4, radius=0.005)
    world = sp.World(obstacles=(Disc((1.0, 0.0), 0.002),))
    fast = sp.simulate(robot, None, world, 0.1, start=sp.Start(velocity=(0.0, 9.0)), step=2e-3)
    slow = sp.simulate(robot, None, world, 0.1, start=sp.Start(velocity=(0.0, 0.9)), step=2e-3)
    assert said(fast, "passed unseen") and not said(slow, "passed unseen")


UNITS = {
    "millimetres meant": ("creep", ["robot.link_length=80"]),
    "was 0.8 rad meant": ("creep", ["gait.winding_angle_deg=0.8"]),
    "3 degrees meant": ("creep", ["gait={kind='standing-wave',waves=1.5,amplitude=3.0,frequency=0.1}"]),
    "kg/m^3": ("ma2001-spatial", ["robot.link_mass=50.0"]),
    "gravity is 9810": ("creep", ["world.gravity=9810"]),
    "grams meant": ("creep", ["robot.link_mass=500"]),
}


@pytest.mark.parametrize("word", UNITS)
def test_units_that_give_themselves_away_are_hinted_at(word: str) -> None:
    name, changes = UNITS[word]
    still = ["gait.acceleration=8.0", "gait.stop_time=60.0", "run.duration=0.02", "run.checked=false"]
    run = sp.run_scenario(name, [*still, *changes])
    assert any(w.startswith("hint: ") and word in w for w in run.warnings)
    assert "hint: " in run.summary() and "warning: hint" not in run.summary()
    assert not said(sp.run_scenario(name, still), "hint:")
