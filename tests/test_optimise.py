"""Searches in many dimensions: against grids and known optima; limits kept, whole numbers, restarts, threads, interrupts."""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import serpenoid as sp
from cases import PROVE
from serpenoid.cli.entry import main
from serpenoid.core.errors import InputError, NumericalError
from serpenoid.formats.scenario import read
from serpenoid.optimise import evolution, front
from serpenoid.optimise.bundled import same_robot
from serpenoid.optimise.evaluation import Evaluator, Outcome, Problem
from serpenoid.optimise.goals import Limit, Objective, limit_of, motor_limits
from serpenoid.optimise.ranges import near_best
from serpenoid.optimise.variables import Place, Varied, variables_of
from serpenoid.simulation.batch import execute_many
from serpenoid.simulation.run import execute
from serpenoid.simulation.setup import setup_of
from serpenoid.view.search import search_figure

search = sp.optimise.optimise_scenario
SHORT = ["run.step=2e-3", "run.duration=5", "gait.stop_time=5", "run.record_interval=0.05"]
OVER = ["gait.winding_angle_deg=10:70", "gait.waves=1:3", "gait.speed=0.2:1.2"]
TORQUE = 2.0  # N m
FEWER = 20  # times fewer runs than the grid
GRID = (26, 25, 25) if PROVE else (16, 16, 16)
TINY = [
    "run.step=4e-3",
    "run.duration=1",
    "gait.stop_time=1",
    "gait.speed=0.4",
    "run.record_interval=0.05",
    "robot.links=6",
]
SMALL = ["gait.winding_angle_deg=20:60", "gait.waves=1:2"]


class Known(Evaluator):
    """An evaluator of functions: no robot runs."""

    def __init__(self, problem: Problem, *functions: Any) -> None:
        super().__init__(problem, lambda keys: None)  # type: ignore[arg-type,return-value]
        self.functions, self.asked = functions, 0

    def child(self) -> Evaluator:
        made = Known(self.problem, *self.functions)
        made.logged = {**self.logged, **self.seen}
        return made

    def _run(self, places: Sequence[Place]) -> list[Outcome]:
        self.asked += len(places)
        names = self.problem.metrics
        values = [{n: f(np.array(p)) for n, f in zip(names, self.functions, strict=True)} for p in places]
        return [self._outcome(p, v, "ok", "") for p, v in zip(places, values, strict=True)]


def box(*bounds: tuple[float, float], whole: Sequence[int] = ()) -> list[Varied]:
    return [Varied(f"x{k}", low, high, k in whole) for k, (low, high) in enumerate(bounds)]


def best(problem: Problem, evaluate: Evaluator, runs: int, seed: int = 3, restarts: int = 2) -> Outcome:
    made: list[evolution.Restart] = []
    evolution.search(problem, evaluate, runs, restarts, np.random.default_rng(seed), made)
    found = evolution.best_of(problem, evaluate.outcomes)
    assert found is not None and len(made) == restarts
    return found


# known optima


@pytest.mark.parametrize("seed", range(3))
def test_a_known_optimum_on_a_limit_is_found_and_the_limit_kept(seed: int) -> None:
    """Maximise x + 2 y within a circle of radius 1.3 about (0.2, -0.1): the optimum is on it, in the direction (1, 2)."""
    problem = Problem(
        box((-3.0, 2.0), (-2.0, 4.0)), [Objective("com_dx", 1.0)], [Limit("com_dy", "<=", 1.3), Limit("com_dz", ">", -9.0)]
    )  # fmt: skip
    centre = np.array([0.2, -0.1])
    evaluate = Known(problem, lambda p: p[0] + 2.0 * p[1], lambda p: float(np.hypot(*(p - centre))), lambda p: 0.0)
    found = best(problem, evaluate, 500, seed)
    assert np.hypot(*(np.array(found.place) - centre)) <= 1.3
    assert np.array(found.place) == pytest.approx(centre + 1.3 * np.array([1.0, 2.0]) / np.sqrt(5.0), abs=0.05)
    assert found.values["com_dx"] == pytest.approx(0.0 + 1.3 * np.sqrt(5.0), rel=5e-3)
    assert len(evaluate.seen) <= 500


def test_an_optimum_inside_and_one_at_a_bound() -> None:
    inside = Problem(box((-1.0, 4.0), (2.0, 9.0), (0.0, 1.0)), [Objective("com_dx", -1.0)])
    aim = np.array([1.234, 7.5, 0.31])
    skew = np.array([[1.0, 0.9, 0.0], [0.0, 2.0, 5.0], [0.0, 0.0, 30.0]])
    found = best(inside, Known(inside, lambda p: float(np.sum((skew @ (p - aim)) ** 2))), 900)
    assert np.array(found.place) == pytest.approx(aim, abs=0.02)
    corner = Problem(box((-1.0, 4.0), (2.0, 9.0)), [Objective("com_dx", 1.0)])
    found = best(corner, Known(corner, lambda p: float(p[0] - p[1])), 400)
    ends = [v.bound_near(x) for v, x in zip(corner.variables, found.place, strict=True)]
    assert ends == [4.0, 2.0]


def test_whole_numbers_are_searched_as_whole_numbers() -> None:
    """Of a function with its best whole place beside the rounded continuous optimum."""
    problem = Problem(box((2.0, 40.0), (-1.0, 1.0), whole=[0]), [Objective("com_dx", -1.0)])

    def value(p: np.ndarray) -> float:
        assert p[0] == int(p[0]) and 2 <= p[0] <= 40
        return float((p[0] - 17.4) ** 2 + 3.0 * (p[1] - 0.25) ** 2 - (5.0 if p[0] == 18 else 0.0))

    evaluate = Known(problem, value)
    found = best(problem, evaluate, 400)
    assert found.place[0] == 18 and isinstance(found.place[0], int)
    assert found.place[1] == pytest.approx(0.25, abs=0.02)
    assert {17, 19} <= {p[0] for p in evaluate.seen}  # its neighbours were looked at


def test_whole_numbers_have_equal_shares() -> None:
    v = Varied("robot.links", 3.0, 7.0, True)
    counts = np.bincount([int(v.at(u)) for u in np.linspace(0.0, 1.0, 50_001)])
    assert set(np.flatnonzero(counts)) == {3, 4, 5, 6, 7} and np.ptp(counts[3:]) <= 2
    assert all(v.at(v.coordinate(n)) == n for n in range(3, 8))


def test_places_that_cannot_be_used_are_avoided_and_counted() -> None:
    problem = Problem(box((-1.0, 4.0), (2.0, 9.0)), [Objective("com_dx", 1.0)])
    evaluate = Known(problem, lambda p: float(p[0]) if p[0] < 3.0 else float("nan"))
    found = best(problem, evaluate, 400)
    assert 2.95 < found.place[0] < 3.0
    assert evaluate.counts()["undefined"] == sum(p[0] >= 3.0 for p in evaluate.seen) > 0
    with pytest.raises(NumericalError, match="can be used"):
        best(problem, Known(problem, lambda p: float("inf")), 400)
    with pytest.raises(InputError, match="does not depend"):
        best(problem, Known(problem, lambda p: 2.5), 400)


def test_the_same_seed_gives_the_same_search_and_leaves_the_global_generator_alone() -> None:
    problem = Problem(box((-1.0, 4.0), (2.0, 9.0)), [Objective("com_dx", 1.0)], [Limit("com_dy", "<", 7.0)])
    found = []
    for k in range(2):
        np.random.seed(k)
        before = np.random.get_state()[1].copy()  # type: ignore[index,union-attr]
        evaluate = Known(problem, lambda p: float(np.sin(p[0]) * p[1]), lambda p: float(p[0] + p[1]))
        best(problem, evaluate, 200, 5)
        assert np.array_equal(before, np.random.get_state()[1])  # type: ignore[index]
        found.append(list(evaluate.seen))
    assert found[0] == found[1]
    evaluate = Known(problem, lambda p: float(np.sin(p[0]) * p[1]), lambda p: float(p[0] + p[1]))
    best(problem, evaluate, 200, 6)
    assert list(evaluate.seen) != found[0]


# fronts


def test_ranks_and_fronts_are_those_of_the_definition() -> None:
    rng = np.random.default_rng(8)
    losses = rng.integers(0, 12, (60, 3)).astype(float)
    slow = [not any(np.all(b <= a) and np.any(b < a) for b in losses) for a in losses]
    assert front.non_dominated(losses).tolist() == slow
    broken = np.where(rng.random(60) < 0.3, rng.random(60), 0.0)
    level = front.ranks(losses, broken)
    for i, j in itertools.permutations(range(60), 2):
        if broken[i] == 0.0 and broken[j] == 0.0 and front.dominates(losses[i], losses[j]):
            assert level[i] < level[j]
        if broken[i] < broken[j]:
            assert level[i] < level[j]
    assert front.crowding(np.array([[0.0, 3.0], [1.0, 1.0], [3.0, 0.0]])).tolist() == [np.inf, 2.0, np.inf]


def test_a_known_front_is_found() -> None:
    """Distances to two places: the front is the line between them; with a limit, what the limit leaves of it."""
    a, b = np.array([0.3, 4.0, 0.5]), np.array([2.5, 6.0, 0.4])
    variables = box((-1.0, 4.0), (2.0, 9.0), (0.0, 1.0))
    to_a, to_b = (lambda p, c=c: float(np.linalg.norm(p - c)) for c in (a, b))
    for limits, functions in (([], (to_a, to_b)), ([Limit("com_dz", "<", 1.4)], (to_a, to_b, lambda p: float(p[0])))):
        problem = Problem(variables, [Objective("com_dx", -1.0), Objective("com_dy", -1.0)], limits)
        evaluate = Known(problem, *functions)
        fronts: list[list[Outcome]] = []
        front.search(problem, evaluate, 1000, 2, np.random.default_rng(1), fronts)
        found = front.front_of(problem, evaluate.outcomes)
        assert len(evaluate.seen) <= 1000 and len(fronts) == 2 and len(found) > 30
        assert all(problem.feasible(o) for o in found)
        for share in np.linspace(0.0, 1.0 if not limits else 0.49, 12):
            place = a + share * (b - a)
            behind = min(max(o.values["com_dx"] - to_a(place), o.values["com_dy"] - to_b(place)) for o in found)  # type: ignore[operator]
            assert behind < 0.04 * np.linalg.norm(b - a)
        assert 0.0 <= (front.shortfall(problem, fronts[0], found) or 0.0) < 0.1


# robots


@cache
def grid_optimum(counts: tuple[int, int, int]) -> tuple[float, float, tuple[float, ...], int]:
    """The best distance on a grid that keeps the torque, by runs that know nothing of searches; the best one step beside it; place; runs."""
    base = setup_of(read("creep", SHORT))
    axes = [np.linspace(10.0, 70.0, counts[0]), np.linspace(1.0, 3.0, counts[1]), np.linspace(0.2, 1.2, counts[2])]
    cells = list(itertools.product(*(axis.tolist() for axis in axes)))
    gaits = (sp.gaits.Serpenoid(np.radians(a), w, v, acceleration=1.0, stop_time=5.0) for a, w, v in cells)
    batch = execute_many([replace(base, command=gait) for gait in gaits], metrics=["com_distance", "torque_max"])
    assert set(batch.status) == {"ok"}
    kept = np.where(batch.metrics["torque_max"] < TORQUE, batch.metrics["com_distance"], -np.inf)
    table = np.pad(kept.reshape(counts), 1, constant_values=-np.inf)
    best = np.unravel_index(int(table.argmax()), table.shape)
    beside = max(float(table[(*best[:k], best[k] + s, *best[k + 1 :])]) for k in range(3) for s in (-1, 1))  # fmt: skip
    return float(kept.max()), beside, cells[int(kept.argmax())], len(cells)


@pytest.mark.parametrize("seed", range(3) if PROVE else [0])
def test_cma_finds_the_optimum_of_a_grid_in_twenty_times_fewer_runs(seed: int) -> None:
    """To the grid's resolution: better than every place one step beside the grid's best."""
    value, beside, place, runs = grid_optimum(GRID)
    found = search("creep", SHORT, over=OVER, maximise="com_distance", subject_to=f"torque_max<{TORQUE}",
                   evaluations=runs // FEWER, restarts=4 if PROVE else 2, seed=seed)  # fmt: skip
    print(f"\ngrid: {value:.4f} m at {place} (beside it {beside:.4f}), {runs} runs; CMA-ES: {found['value']:.4f} m at {found['optimum']}, {found['evaluations']} runs")  # fmt: skip
    assert found["evaluations"] * FEWER <= runs
    assert found["value"] > beside
    best_run = sp.run_scenario("creep", [*SHORT, *(f"{k}={x!r}" for k, x in found["optimum"].items())])
    assert best_run.metrics["torque_max"] < TORQUE and best_run.metrics["com_distance"] == found["value"]
    assert found["limits"][0]["value"] == best_run.metrics["torque_max"]


FITTING = {
    "creep": (SHORT, ["gait.winding_angle_deg=10:80", "gait.waves=0.8:3", "gait.speed=0.2:1.2"], 600),
    "ma2001-case-one": (SHORT, ["gait.winding_angle_deg=10:80", "gait.waves=0.8:3", "gait.speed=0.2:1.2"], 600),
    "ma2001-case-two": (SHORT, ["gait.winding_angle_deg=10:80", "gait.waves=0.8:3", "gait.speed=0.2:1.2"], 600),
    "sidewind": (["run.duration=12", "run.step=4e-3", "run.record_interval=0.1"], [
        "gait.amplitude_deg=10:50", "gait.phase_per_joint_deg=-110:-20", "gait.phase_offset_deg=-90:90", "gait.frequency=0.8:4"], 500),
    "rectilinear": (["run.duration=6", "run.step=2e-3", "run.record_interval=0.05"], [
        "gait.amplitude_deg=10:50", "gait.phase_per_joint_deg=15:60", "gait.frequency=1:6"], 500),
    "slope": (["run.duration=8", "run.step=2e-3", "run.record_interval=0.05"], [
        "gait.amplitude_deg=15:60", "gait.vertical_amplitude_deg=4:25", "gait.phase_per_joint_deg=15:60", "gait.frequency=1:5"], 600),
    "sinus-lifting": (["run.duration=6", "run.step=2e-3", "run.record_interval=0.05"], [
        "gait.amplitude_deg=10:50", "gait.lift_amplitude_deg=0:8", "gait.phase_per_joint_deg=20:70", "gait.frequency=1:5"], 500),
}  # fmt: skip


@pytest.mark.parametrize("name", FITTING if PROVE else ["creep"])
def test_the_front_weakly_dominates_the_bundled_gaits(name: str) -> None:
    """To 1 %, every bundled gait of that robot on that ground; the scenario's own gait is no part of the front."""
    changes, over, runs = FITTING[name]
    found = search(name, changes, over=over, evaluations=runs if PROVE else 300, restarts=1)
    gaits = {gait["name"]: gait["values"] for gait in found["bundled"]}
    assert name in gaits
    own = found["start"]["place"] if found["start"] else None
    points = [p["values"] for p in found["front"] if p["place"] != own]
    for gait, values in gaits.items():
        short = min(max(values["steady_speed"] / p["steady_speed"] - 1.0, p["cost_of_transport"] / values["cost_of_transport"] - 1.0) for p in points)  # fmt: skip
        print(f"{name}: front falls short of {gait} by {short:.2%}")
        assert short <= 0.01, gait


def test_bundled_gaits_are_those_of_the_robot() -> None:
    base = setup_of(read("creep", SHORT))
    assert set(same_robot(base)) == {"creep", "ma2001-case-one", "ma2001-case-two"}
    assert set(same_robot(setup_of(read("sidewind")))) == {"sidewind", "sidewind-rolling"}
    assert all(setup.world is base.world and setup.settings is base.settings for setup in same_robot(base).values())
    assert same_robot(setup_of(read("ma2001-torque"))) == {}


def rest_of(result: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in result.items() if key not in ("scenario", "metrics")}


@pytest.mark.parametrize("goals", [{"maximise": "com_distance", "subject_to": "torque_max<1.5"}, {}])
def test_threads_and_interrupts_change_nothing(goals: dict[str, Any]) -> None:
    asked: dict[str, Any] = {"over": SMALL, "evaluations": 100, "restarts": 2, **goals}
    if not goals:
        asked |= {"maximise": "com_distance", "minimise": "cost_of_transport"}
    whole = search("creep", TINY, **asked, threads=1)
    assert rest_of(search("creep", TINY, **asked, threads=3)) == rest_of(whole)

    def stop(done: float) -> None:
        if done > 0.6:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        search("creep", TINY, **asked, progress=stop)
    part = search("creep", TINY, **asked, progress=stop, partial=True)
    assert part["status"] == "interrupted" and 40 < part["evaluations"] < whole["evaluations"]
    assert part["log"]["rows"] == whole["log"]["rows"][: part["evaluations"]]
    counted: list[int] = []
    kept = Evaluator._run
    try:
        Evaluator._run = lambda self, places: counted.append(len(places)) or kept(self, places)  # type: ignore[func-returns-value,method-assign,assignment]
        after = search("creep", TINY, **asked, before=json.loads(json.dumps(part)))
    finally:
        Evaluator._run = kept  # type: ignore[method-assign]
    assert rest_of(after) == rest_of(whole)
    assert (
        sum(counted) == whole["evaluations"] - part["evaluations"] + (whole["sure"].get("near") or {"runs": 0})["runs"]
    )
    with pytest.raises(InputError, match="another search: evaluations"):
        search("creep", TINY, **{**asked, "evaluations": 120}, before=part)
    with pytest.raises(InputError, match="version"):
        search("creep", TINY, **asked, before={**part, "version": "0.0.1"})
    damaged = {**part, "log": {**part["log"], "rows": [[[1.0], [2.0], "ok", ""]]}}
    with pytest.raises(InputError, match="cannot be read"):
        search("creep", TINY, **asked, before=damaged)


def test_refused_places_are_infeasible_and_counted() -> None:
    """A gait that cannot stop in time is refused by its description."""
    found = search("creep", [*TINY, "gait.stop_time=2", "run.duration=2"], over=["gait.acceleration=0.41:3", "gait.speed=0.2:1"],
                   maximise="com_distance", evaluations=80, restarts=1)  # fmt: skip
    assert found["counts"]["invalid"] > 0 and found["counts"]["feasible"] > 0
    assert any("invalid" in w and "stop_time" in w for w in found["warnings"])
    place = found["optimum"]
    assert 2.0 * place["gait.speed"] / place["gait.acceleration"] <= 2.0


def test_one_variable_keeps_limits_and_looks_at_every_whole_number() -> None:
    free = search("creep", SHORT, over="gait.speed=0.2:1.2", maximise="com_distance", points=6, tolerance=0.02)
    kept = search(
        "creep",
        SHORT,
        over="gait.speed=0.2:1.2",
        maximise="com_distance",
        points=6,
        tolerance=0.02,
        subject_to="torque_max<3",
    )
    torques = {row[0][0]: row[1][1] for row in kept["log"]["rows"]}
    place = kept["optimum"]["gait.speed"]
    assert torques[place] < 3.0 < min(torque for speed, torque in torques.items() if speed > place + 0.02)
    assert (
        kept["limits"][0]["reached"] and kept["value"] < free["value"] and any("end of" in w for w in free["warnings"])
    )
    found = search("creep", SHORT, over="robot.links=8:14", minimise="torque_max")
    assert [x for x, _ in found["evaluations_list"]] == list(range(8, 15)) and found["optimum"]["robot.links"] in range(
        8, 15
    )
    assert found["value"] == min(v for _, v in found["evaluations_list"])
    with pytest.raises(NumericalError, match=r"none of .* keeps all limits"):
        search(
            "creep", SHORT, over="gait.speed=0.5:1.2", maximise="com_distance", points=4, subject_to="torque_max<0.1"
        )


def test_how_flat_an_optimum_is() -> None:
    """Closed form: 3 - (x/4)^2 - ((y-1)/2)^4 is within 1 % of its best for |x| <= 4 sqrt(0.03), |y-1| <= 2 0.03^(1/4); a limit and a bound cut it off; of a
    whole number the values themselves; what was run before is not run again."""
    variables = (Varied("x", -5.0, 5.0), Varied("y", 0.5, 20.0), Varied("z", 1, 9, whole=True))
    problem = Problem(variables, [Objective("com_distance", 1.0)], [Limit("com_dx", "<=", 0.4)])
    evaluate = Evaluator(problem, lambda _: pytest.fail("nothing is simulated"))
    runs: list[Place] = []

    def run(places: Sequence[Place]) -> list[Outcome]:
        runs.extend(places)
        found = [3.0 - (x / 4.0) ** 2 - ((y - 1.0) / 2.0) ** 4 - 0.008 * (z - 4) ** 2 for x, y, z in places]
        return [Outcome(p, {"com_distance": f, "com_dx": p[0]}, "ok") for p, f in zip(places, found, strict=True)]

    evaluate._run = run  # type: ignore[method-assign,assignment]
    child = Evaluator.child

    def own(self: Evaluator) -> Evaluator:
        made = child(self)
        made._run = run  # type: ignore[method-assign,assignment]
        return made

    (best,) = evaluate([(0.0, 1.0, 4)])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Evaluator, "child", own)
        found = near_best(problem, evaluate, best)
    (left, right), (low, high), whole = found["place"].values()
    assert 0.9 <= left / (-4.0 * 0.03**0.5) <= 1.0 and 0.9 * 0.4 <= right <= 0.4
    assert low == 0.5 and 0.9 <= (high - 1.0) / (2.0 * 0.03**0.25) <= 1.0 and whole == [3, 5]
    assert found["runs"] == len(runs) - 1 == len(set(runs)) - 1 < 45 and len(evaluate.seen) == 1


def test_a_flat_goal_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The range is printed beside the bracket, stands in the result, and the goal there is as good; beyond its ends it is not."""
    words = [word for change in SHORT for word in ("--set", change)]
    over = ["--over", "gait.winding_angle_deg=20:70", "--maximise", "com_forward"]
    assert main(["optimise", "creep", *words, *over, "--out", str(tmp_path / "best")]) == 0
    told, found = capsys.readouterr().out, json.loads((tmp_path / "best" / "optimum.json").read_text())
    low, high = found["sure"]["near"]["place"]["gait.winding_angle_deg"]
    assert (
        f"within 1 % of the best for gait.winding_angle_deg = {low:.4g} to {high:.4g}" in told
        and "found to 0.1 by" in told
    )
    assert low < found["optimum"]["gait.winding_angle_deg"] < high
    wide = high - low
    for place, near in ((low, True), (high, True), (low - 0.2 * wide, False), (high + 0.2 * wide, False)):
        value = sp.run_scenario("creep", [*SHORT, f"gait.winding_angle_deg={place}"]).metrics["com_forward"]
        assert value is not None and (value >= 0.99 * found["value"]) is near


def test_motor_limits_come_from_the_robot_or_from_the_caller() -> None:
    bare = setup_of(read("creep"))
    assert [str(x) for x in motor_limits("2,6", bare)] == ["torque_rms_max <= 0.4", "motor_line(2,6) <= 1"]
    assert [str(x) for x in motor_limits([2, 6, 0.5], bare)] == ["torque_rms_max <= 0.5", "motor_line(2,6) <= 1"]
    with pytest.raises(InputError, match="declares no limits"):
        motor_limits("robot", bare)
    servo = setup_of(
        read(
            "sidewind", ["robot.servo.torque_limit=7.0", "robot.servo.speed_limit=5.0", "robot.servo.no_load_speed=4.0"]
        )
    )
    assert [str(x) for x in motor_limits("robot", servo)] == [
        "torque_rms_max <= 1.4",
        "motor_line(7,4) <= 1",
        "joint_rate_max <= 5",
    ]
    run = sp.run_scenario("creep", SHORT)
    assert run.metrics["joint_rate_max"] == np.abs(run["joint_rate"]).max() > 0.0
    found = search("creep", TINY, over=SMALL, maximise="com_distance", motors=[4.0, 4.0], evaluations=60, restarts=1)
    best = execute(setup_of(found["scenario"]))
    torque, rate = (
        best[name][best["time"] >= best.provenance["torques"]["from"] - 1e-9] for name in ("joint_torque", "joint_rate")
    )
    assert (
        np.abs(torque) / 4.0 + np.where(torque * rate > 0.0, np.abs(rate), 0.0) / 4.0
    ).max() <= 1.0  # no frame lies outside the line
    assert np.sqrt((torque**2).mean(axis=0)).max() <= 0.8 and found["metrics"]["motor_line(4,4)"] <= 1.0
    assert [limit["limit"] for limit in found["limits"]] == ["torque_rms_max <= 0.8", "motor_line(4,4) <= 1"]


@pytest.mark.parametrize(
    ("text", "value", "kept"), [("torque_max<2", 2.0, False), ("torque_max <= 2", 2.0, True), ("com_dx>-1e-3", -1e-3, False), ("com_dx >= 0", 0.0, True), ("com_dx>0", 1e-9, True)]
)  # fmt: skip
def test_limits_are_kept_to_the_letter(text: str, value: float, kept: bool) -> None:
    limit = limit_of(text)
    assert limit.keeps(value) is kept and (limit.margin(value) <= 0.0) is kept
    assert not limit.keeps(float("nan")) and limit.margin(None) == np.inf


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "unknown key": ({"over": ["gait.wave=1:2", *SMALL]}, "did you mean waves"),
    "twice": ({"over": ["gait.winding_angle=0.1:0.2", *SMALL]}, "given twice"),
    "no interval": ({"over": ["gait.waves=2:1", *SMALL]}, "low < high"),
    "no number": ({"over": ["run.integrator=1:2"]}, "integrator"),
    "halves of a whole number": ({"over": ["robot.links=4.5:9", *SMALL]}, "whole"),
    "beyond what is allowed": ({"over": ["gait.waves=-1:2"]}, "waves"),
    "unknown limit": ({"subject_to": "torque<2"}, "torque_max or torque_steady_max"),
    "no limit": ({"subject_to": "torque_max=2"}, "METRIC, one of"),
    "infinite limit": ({"subject_to": "torque_max<inf"}, "finite"),
    "a metric that no run has": ({"maximise": "roll_angle"}, "third dimension"),
    "both ways": ({"maximise": "com_dx", "minimise": "com_dx"}, "twice"),
    "too many objectives": ({"maximise": ["com_dx", "com_dy", "com_dz", "heading"]}, "at most 3"),
    "few runs": ({"evaluations": 30, "restarts": 9}, "give at least"),
    "too few": ({"evaluations": 3}, "from 20"),
    "a scan of several": ({"points": 9}, "one variable"),
    "hours": ({"evaluations": 90_000, "changes": ["run.duration=1e4", "run.max_link_steps=1e9"]}, "hours"),
    "motors": ({"motors": [2.0]}, "torque in N m"),
    "motors in words": ({"motors": "two,3"}, "TORQUE,RATE"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_bad_input_is_refused_before_anything_runs(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Evaluator, "_run", lambda *_: pytest.fail("something ran"))
    changes, words = REFUSED[name]
    with pytest.raises(InputError, match=words):
        search("creep", **{"over": SMALL, "maximise": "com_distance", **changes})
    with pytest.raises(InputError, match="several variables"):
        search("creep", over="gait.waves=1:2", maximise="com_dx", seed=3)


def test_figures_of_all_searches(tmp_path: Path) -> None:
    asked: dict[str, Any] = {"evaluations": 60, "restarts": 1, "subject_to": "torque_max<1.5"}
    results = {
        "one": search("creep", TINY, over=SMALL[0], maximise="com_distance", points=4, subject_to="torque_max<1.5"),
        "several": search("creep", TINY, over=SMALL, maximise="com_distance", **asked),
        "front": search("creep", TINY, over=SMALL, maximise="com_distance", minimise="cost_of_transport", **asked),
    }
    for name, result in results.items():
        assert search_figure(json.loads(json.dumps(result)), tmp_path / f"{name}.png").stat().st_size > 20_000
    with pytest.raises(InputError):
        search_figure(results["one"], tmp_path / "one.bmp")


def test_a_scenario_may_be_given_by_its_keys() -> None:
    keys = setup_of(read("creep", TINY)).keys()
    by_name = search("creep", TINY, over="gait.waves=1:2", maximise="com_dx", points=3, tolerance=0.4)
    by_keys = search(keys, over="gait.waves=1:2", maximise="com_dx", points=3, tolerance=0.4)
    assert by_keys["evaluations_list"] == by_name["evaluations_list"]
    assert variables_of(["robot.links=3:8"], lambda changes: setup_of(read("creep", [f"{k}={x}" for k, x in changes.items()])))[0].whole  # fmt: skip
