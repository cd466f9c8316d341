"""The engine of the page: kernels as WebAssembly and their set-up in TypeScript give what Python gives, in node.

The set-up is compared array by array, the runs frame by frame. Both use the same kernels, compiled for other processors: sums are taken in another
order, and no other difference is allowed.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from serpenoid.core.errors import InputError
from serpenoid.simulation.setup import setup_of
from web_cases import CASES, PLANE, SPACE, SPATIAL, with_
from web_runs import arrays_of, page_runs, simulation_of

PACKED = 1e-15  # of the largest number of a row: the same formulas in the same order
FITTED = 1e-9  # likewise, of a helix that is fitted by slopes that are differences: rounding of the mathematical functions, magnified
PLACED = (
    1e-12  # likewise, of what kernels compute of them: sums in another order, and small differences of large numbers
)
SAME_PATH = 1e-9  # of the path of the nodes
PERTURBED = 1e-12  # of masses, inertias, places of the centre of gravity: rounding natively, magnified by contacts that are made and broken
DRAWS = 12  # of it: they tell the size of the effect, which is spread over two decades, and do not bound it
HAIRS = 10.0  # times the greatest of them may lie between two ways of rounding
METRICS = 1e-7  # of the largest value of a quantity or of a metric
SOLVED_IN_SPACE = 1e-6  # likewise in space, where a step is solved to 1e-2 of the smoothing, which is 1e-4 of the speed
LEAST = 1e-6  # m, m/s, N, ...: what is smaller is rounding
RESIDUALS = ("energy_residual", "moment_residual")  # rounding itself
FRAMES = {
    "node": "node", "axis": "link_axis", "back": "link_back", "jointAngle": "joint_angle", "jointRate": "joint_rate", "jointTorque": "joint_torque",
    "jointTarget": "joint_target", "contactForce": "contact_force", "contactPoint": "contact_point", "normalForce": "normal_force",
    "slipAlong": "contact_velocity_along", "slipAcross": "contact_velocity_across", "touching": "touching", "com": "com",
    "comVelocity": "com_velocity", "heading": "heading", "power": "power", "slip": "slip", "contactCount": "contact_count", "kineticEnergy": "kinetic_energy",
    "potentialEnergy": "potential_energy", "positiveWork": "positive_work", "frictionLoss": "friction_loss", "time": "time",
}  # fmt: skip


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    """All cases in the page's engine."""
    folder = tmp_path_factory.mktemp("web")
    return page_runs(folder, [{"name": name, "description": case, "arrays": True} for name, case in CASES.items()])


@pytest.fixture(scope="module")
def native() -> dict[str, tuple[dict[str, np.ndarray], Any]]:
    """The same in Python: arrays at the start, and the finished run."""
    made = {}
    for name, case in CASES.items():
        sim, end = simulation_of(case)
        arrays = {key: value.copy() for key, value in arrays_of(sim).items()}
        sim.advance(end)
        made[name] = arrays, sim.finish()
    return made


def apart(one: np.ndarray, other: np.ndarray) -> float:
    """Greatest difference over the largest number of its row; infinite where shapes or undefined numbers differ."""
    if one.shape != other.shape:
        return np.inf
    if one.size == 0:
        return 0.0
    a, b = (x.reshape(x.shape[0], -1) if x.ndim > 1 else x.reshape(1, -1) for x in (one, other))
    known = np.isfinite(a)
    if not (np.array_equal(known, np.isfinite(b)) and np.array_equal(a[~known], b[~known], equal_nan=True)):
        return np.inf
    size = np.where(known, np.abs(a), 0.0).max(axis=1, keepdims=True)
    gap = np.abs(np.where(known, a, 0.0) - np.where(known, b, 0.0))
    return float(np.max(gap / np.where(size > 0.0, size, 1.0)))


def allowed(case: dict[str, Any], array: str) -> float:
    """By how much an array of a set-up may differ."""
    gait = case.get("gait", {})
    if gait.get("kind") == "pole-climbing":
        return FITTED
    return PLACED if array.startswith("state") else PACKED


def test_every_kind_has_a_case() -> None:
    """Each law, load, gait, drive, obstacle, preset and ground model that the page can run occurs."""
    from serpenoid.contact import LAWS, LOADS
    from serpenoid.core.terrain import MODELS, OBSTACLES
    from serpenoid.gaits import GAITS
    from serpenoid.gaits.drives import DRIVES
    from serpenoid.robots import ROBOTS

    text = json.dumps(list(CASES.values()))
    own = {"custom", "function"}  # code of users, which the page refuses
    for names, key in ((LAWS, "law"), (LOADS, "kind"), (GAITS, "kind"), (DRIVES, "kind"), (OBSTACLES, "kind")):
        assert [name for name in names if name not in own and f'"{key}": "{name}"' not in text] == []
    assert [name for name in ROBOTS if f'"preset": "{name}"' not in text] == []
    assert [name for name in MODELS if f'"model": "{name}"' not in text] == []
    assert len(CASES) >= 40


@pytest.mark.parametrize("name", CASES)
def test_set_up(name: str, page: Any, native: Any) -> None:
    """Constants and state are packed as Python packs them; scratch has the same shapes."""
    told, arrays = page[name], native[name][0]
    assert "errors" not in told
    assert set(arrays) <= set(told["arrays"])
    for key, value in arrays.items():
        other = told["arrays"][key]
        if key.startswith("scratch"):
            assert other.shape == value.shape, key
        else:
            gap, most = apart(value, other), allowed(CASES[name], key)
            assert gap <= most, f"{key}: {gap:.3g} apart"


@pytest.mark.parametrize("name", CASES)
def test_full_description(name: str, page: Any) -> None:
    """Presets, defaults and degrees are written out as Python writes them."""
    keys = json.loads(json.dumps(setup_of(CASES[name]).keys()))
    gaps: list[str] = []

    def compare(one: Any, other: Any, path: str) -> None:
        if isinstance(one, dict) and isinstance(other, dict):
            for key in {**one, **other}:
                compare(one.get(key), other.get(key), f"{path}.{key}")
        elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
            for k, (a, b) in enumerate(zip(one, other, strict=True)):
                compare(a, b, f"{path}[{k}]")
        elif isinstance(one, float) and isinstance(other, float | int):
            if abs(one - other) > PACKED * abs(one):
                gaps.append(f"{path}: {one} {other}")
        elif one != other:
            gaps.append(f"{path}: {one} {other}")

    compare(keys, page[name]["full"], "")
    assert gaps == []


def path_of(node: np.ndarray) -> float:
    """Longest path of a node, m."""
    return float(np.linalg.norm(np.diff(node, axis=0), axis=-1).sum(axis=0).max())


@functools.cache
def perturbed(name: str) -> tuple[Any, ...]:
    """Runs in Python whose links' numbers differ by a hair, up or down at random (in the later draws of one mass alone): what rounding makes of the motion."""
    full = json.loads(json.dumps(setup_of(CASES[name]).keys()))
    links, runs = full["robot"]["links"], []
    for seed in range(DRAWS):
        rng, robot = np.random.default_rng(seed), dict(full["robot"])
        for key in ("link_mass", "link_inertia", "axial_inertia", "com_offset"):
            hairs = PERTURBED * rng.choice([-1.0, 1.0], links)
            if seed >= DRAWS // 2:
                hairs[np.arange(links) != seed % links] = 0.0
                hairs *= key == "link_mass"
            robot[key] = (np.broadcast_to(robot[key], links) * (1.0 + hairs)).tolist()
        sim, end = simulation_of({**full, "robot": robot})
        sim.advance(end)
        runs.append(sim.finish())
    return tuple(runs)


def gap_of(one: Any, other: Any) -> float:
    """Greatest difference of two arrays; infinite where one is undefined and the other is not."""
    a, b = np.asarray(one, dtype=float), np.asarray(other, dtype=float).reshape(np.shape(one))
    if not np.array_equal(np.isnan(a), np.isnan(b)):
        return np.inf
    return float(np.nanmax(np.abs(a - b), initial=0.0))


@pytest.mark.parametrize("name", CASES)
def test_same_motion(name: str, page: Any, native: Any) -> None:
    """Nodes to 1e-9 of their path, all else to 1e-7; in space, where contacts come and go, at least within what a hair changes in Python."""
    told, run = page[name], native[name][1]
    assert (told["outcome"]["status"], run.status.name) == ("ok", "ok")
    may_differ = name in SPATIAL and (np.ptp(run["contact_count"]) > 0.0 or run.metrics["contact_count_mean"] > 0.0)
    path, share = path_of(run["node"]), SOLVED_IN_SPACE if name in SPATIAL else METRICS
    assert path > 1e-3
    wrong: list[str] = []

    def compare(what: str, mine: Any, value: Any, most: float, of: Callable[[Any], Any]) -> None:
        gap = gap_of(value, mine)
        if gap > most and not (
            may_differ and gap <= HAIRS * max(gap_of(value, of(other)) for other in perturbed(name))
        ):
            wrong.append(f"{what}: {gap:.3g} apart, {most:.3g} allowed")

    compare(
        "node",
        told["frames"]["node"],
        run["node"],
        SAME_PATH * path,
        lambda other: other["node"],
    )
    for key, variable in FRAMES.items():
        value = np.asarray(run[variable])
        scale = max(float(np.nanmax(np.abs(value), initial=0.0)), LEAST)
        compare(key, told["frames"][key], value, share * scale, lambda other, variable=variable: other[variable])
    for key, metric in run.metrics.items():
        mine = told["metrics"][key]
        assert (mine is None) == (metric is None), key
        if metric is not None and key not in RESIDUALS:
            compare(key, mine, metric, share * max(abs(metric), LEAST), lambda other, key=key: other.metrics[key])
    assert wrong == []
    assert set(told["metrics"]) == set(run.metrics)


SILENT = (  # subjects of which only Python warns: about the step and the unit; what a twin at another step tells is in test_web_check
    "hint:", "servos of this stiffness", "links move up to", "the gait's accelerations jump", "gear friction gives way", "not converged", "samples of",
)  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_warnings(name: str, page: Any, native: Any) -> None:
    """The page warns of what Python warns of, in the same words (numbers that are rounding aside)."""

    def words(texts: Any) -> list[str]:
        kept = [text for text in texts if not text.startswith(SILENT)]
        if name in SPATIAL:  # rounding decides which of the steps at a jump of the contacts converge
            kept = [text for text in kept if "did not converge" not in text]
        return [re.sub(r"[\d.e+-]+", "#", text) if re.match(r"slip per|\d+ of", text) else text for text in kept]

    assert words(page[name]["outcome"]["warnings"]) == words(native[name][1].warnings)


def test_published_numbers(tmp_path: Path) -> None:
    """Case two of Ma, Li and Wang: 4.143 m; with two waves of 45 degrees 4.450 m."""
    from serpenoid.formats.scenario import read

    case = dict(read("ma2001-case-two"))
    better = with_(case, gait__waves=2, gait__winding_angle_deg=45, gait__winding_angle=None)
    made = page_runs(tmp_path, [{"name": "two", "description": case}, {"name": "best", "description": better}])
    assert made["two"]["metrics"]["com_distance"] == pytest.approx(4.143, abs=5e-4)
    assert made["best"]["metrics"]["com_distance"] == pytest.approx(4.450, abs=5e-4)


WRONG: dict[str, dict[str, Any]] = {
    "text": with_(PLANE, gait__speed="fast"), "bounds": with_(PLANE, gait__winding_angle=4.0), "degrees": with_(PLANE, gait__winding_angle=None, gait__winding_angle_deg=200),
    "unknown": with_(PLANE, gait__winding=0.4), "kind": with_(PLANE, gait__kind="creep"), "law": with_(PLANE, world__friction__law="sand"),
    "other-law": with_(PLANE, world__friction__static_ratio=1.2), "links": with_(PLANE, robot__links=1), "fraction": with_(PLANE, robot__links=7.5),
    "several": with_(PLANE, gait__waves=-1, world__friction__along=-0.1, run__duration=0), "missing": with_(PLANE, gait__waves=None),
    "stop": with_(PLANE, gait__stop_time=0.1), "long-step": with_(PLANE, run__step=2.0), "no-command": with_(PLANE, gait=None), "table": with_(PLANE, extra={}),
    "plane-height": with_(PLANE, start__height=0.1), "both": with_(PLANE, robot__locked=[2], robot__limp=[2]), "joint": with_(PLANE, robot__locked=[9]),
    "radius": with_(SPACE, robot__radius=0.0), "axis": with_(SPACE, robot__preset="rods"), "pitch": with_(PLANE, robot={"preset": "alternating"}),
    "obstacle": with_(PLANE, world__obstacles=[{"kind": "box", "centre": [1.0, 0.0, 0.0], "size": [1.0, 1.0, 1.0]}]), "points": with_(SPACE, world__ground__points=1),
    "angles": with_(PLANE, start__angles=[0.1]), "preset": with_(PLANE, robot__preset="ma2002"), "wave": with_(PLANE, gait=SPACE["gait"]),
    "bristle": with_(PLANE, world__friction={"law": "bristle", "along": 0.1, "across": 0.4, "static_across": 0.2}), "patches": with_(PLANE, world__friction={"law": "none"}, world__patches=[{"rectangle": [0, 0, 1, 1], "along": 0.1, "across": 0.2}]),
    "inside": with_(SPACE, world__obstacles=[{"kind": "box", "centre": [0.5, -0.1, 0.0], "size": [1.0, 1.0, 1.0]}]), "rectangle": with_(PLANE, world__patches=[{"rectangle": [1, 0, 0, 1], "along": 0.1, "across": 0.2}]),
    "explicit": with_(PLANE, run__integrator="rk4"), "load": with_(PLANE, world__friction={"law": "viscous", "along": 1.0, "across": 2.0}, world__load={"kind": "bends", "curvature": 3.0}),
    "samples": with_(PLANE, gait={"kind": "sampled", "times": [0, 1, 2, 2], "values": [[0.0] * 8] * 4}), "sampling": with_(PLANE, gait__speed=40.0, run__step=0.05),
    "posture": with_(PLANE, robot__servo={}, robot__joint_limit=0.05), "nothing": {},
}  # fmt: skip


def test_wrong_descriptions(tmp_path: Path) -> None:
    """What Python refuses the page refuses, with the same paths; what is of users' own code the page leaves to Python, and says so."""
    own = with_(PLANE, gait={"kind": "function", "function": "mine:wave"})
    law = with_(PLANE, world__friction={"law": "mine:Sand"})
    plan = with_(PLANE, gait=None, plan={"kind": "concertina"})
    cases = {**WRONG, "own": own, "law-own": law, "plan": plan}
    made = page_runs(tmp_path, [{"name": name, "description": case} for name, case in cases.items()])
    for name, case in WRONG.items():
        with pytest.raises(InputError) as refused:
            from serpenoid.simulation.run import execute

            execute(setup_of(case))
        assert made[name].get("errors"), f"{name}: {refused.value}"
        lines = [line.strip() for line in str(refused.value).splitlines()]
        for error in made[name]["errors"]:
            path = error["path"]
            assert not path or any(path in line for line in lines), (name, error, lines)
            assert error["text"] and not any(bad in error["text"] for bad in ("undefined", "NaN", "[object")), error
    for name in ("own", "law-own", "plan"):
        assert any("page cannot" in error["text"] for error in made[name]["errors"]), made[name]


def test_questions(tmp_path: Path) -> None:
    """The best place of a number and a traced curve are Python's; previews keep the distance to half a per cent."""
    from serpenoid.optimise.golden import scan_and_refine
    from serpenoid.shapes import Pose, named
    from web_runs import in_node

    case = with_(PLANE, run__duration=0.6, gait__acceleration=None)
    shape = named("helix").but(start=Pose(position=(0.1, 0.2, 0.3)))
    s = shape.grid(40)
    curve = shape.trace(40)
    values = np.ascontiguousarray(shape.sampled(s[:-1], np.diff(s), 4, 0.0))
    previews = ["creep", "ma2001-case-two", "ma2001-torque-damped", "slope", "sidewind", "sidewind-rolling", "rectilinear", "sinus-lifting", "ma2001-spatial", "pole"]  # fmt: skip
    asked = {
        "best": {"description": case, "key": "gait.winding_angle", "low": 0.2, "high": 1.2, "metric": "com_distance", "points": 5},
        "trace": {"step": np.diff(s).tolist(), "values": values.ravel().tolist(), "pose": shape.start.vector.tolist()},
        "previews": previews,
    }  # fmt: skip
    (tmp_path / "asked.json").write_text(json.dumps(asked))
    in_node(tmp_path, "questions", str(tmp_path / "asked.json"), str(tmp_path / "told.json"))
    told = json.loads((tmp_path / "told.json").read_text())

    def distance(x: float) -> float:
        sim, end = simulation_of(with_(case, gait__winding_angle=x))
        sim.advance(end)
        return float(sim.finish().metrics["com_distance"])

    best = scan_and_refine(distance, 0.2, 1.2, points=5)
    assert told["best"]["place"] == pytest.approx(best.place, abs=1e-6)
    assert told["best"]["value"] == pytest.approx(best.value, rel=1e-9)
    assert len(told["best"]["evaluations"]) == len(best.evaluations)
    assert told["best"]["atEnd"] == best.at_end
    assert np.allclose(np.reshape(told["position"], (-1, 3)), curve.position, rtol=0.0, atol=1e-13)
    assert np.allclose(np.swapaxes(np.reshape(told["frame"], (-1, 3, 3)), 1, 2), curve.frame, rtol=0.0, atol=1e-13)
    for preview in told["previews"]:
        own, coarse = preview["distances"]
        assert abs(coarse - own) <= 5e-3 * own, preview
    assert told["previews"][0]["step"] == pytest.approx(2e-3)


STEERED: dict[str, tuple[dict[str, Any], list[dict[str, Any]]]] = {
    "plane": (with_(PLANE, run__record_interval=5e-4), [{"at": 0.5, "changes": {"winding_angle": 0.4, "speed": 1.0}}, {"at": 0.9, "changes": {"turn": 0.6}}]),
    "held": (with_(PLANE, gait__winding_angle=0.02, run__record_interval=5e-4), [{"at": 0.5 + 0.15 * k, "changes": {"turn": 0.5 * k}} for k in range(1, 5)]),
    "servo": (with_(PLANE, robot__servo={"stiffness": 55.0}, run__record_interval=5e-4), [{"at": 0.7, "changes": {"speed": -0.5}}]),
    "space": (with_(SPACE, run__record_interval=1e-3), [{"at": 0.3, "changes": {"amplitude": 0.2, "frequency": 5.0}}, {"at": 0.6, "changes": {"turn": 0.3}}]),
}  # fmt: skip


def test_steering(tmp_path: Path) -> None:
    """A gait steered while it runs: angles and rates do not jump, the new numbers take effect, and nothing changes while nothing is changed."""
    cases = [{"name": name, "description": case, "steer": steer} for name, (case, steer) in STEERED.items()]
    same = with_(PLANE, gait__acceleration=None, run__record_interval=5e-4)
    cases += [
        {"name": "plain", "description": same},
        {"name": "idle", "description": same, "steer": [{"at": 0.5, "changes": {}}]},
    ]
    made = page_runs(tmp_path, cases)
    for name in STEERED:
        frames = made[name]["frames"]
        assert made[name]["outcome"]["status"] == "ok"
        angle, rate, time = frames["jointAngle"], frames["jointRate"], frames["time"][:, 0]
        fastest = np.abs(rate).max()
        assert np.abs(np.diff(angle, axis=0)).max() <= 1.2 * fastest * np.diff(time).max()
        jumps = np.abs(np.diff(rate, axis=0)).max(axis=1)
        assert jumps.max() <= 0.05 * fastest, name  # 2 % of a period at most between two frames
    wave = made["plane"]["frames"]
    before, after = (
        wave["jointAngle"][(wave["time"][:, 0] > a) & (wave["time"][:, 0] < b)] for a, b in ((0.3, 0.5), (1.35, 1.5))
    )
    assert (
        np.ptp(after, axis=0).max() < 0.75 * np.ptp(before, axis=0).max() or np.abs(after).max() < np.abs(before).max()
    )
    assert after.sum(axis=1).mean() - before.sum(axis=1).mean() > 0.2  # it bends to the left
    plain, idle = made["plain"]["frames"], made["idle"]["frames"]  # cubics between commands instead of the gait itself
    assert np.abs(plain["jointAngle"] - idle["jointAngle"]).max() < 2e-6
    node = plain["node"].reshape(len(plain["node"]), -1, 3)
    assert np.abs(plain["node"] - idle["node"]).max() < 1e-3 * path_of(
        node
    )  # dry friction answers to the sign of the smallest slip


def test_the_program_of_the_page_about_the_browser_runs(tmp_path, capfd) -> None:
    """The TypeScript of docs/browser.md, with the built kernels as its bytes."""
    import re

    from web_runs import ROOT, WEB, in_node

    (program,) = re.findall(r"```ts\n(.*?)```", (ROOT / "docs" / "browser.md").read_text(), re.DOTALL)
    program = program.replace('"./engine"', f'"{WEB / "src" / "engine"}"')
    bytes_of = 'import { readFileSync } from "node:fs";\nconst bytes = readFileSync(process.argv[2]!);\n'
    (tmp_path / "shown.ts").write_text(bytes_of + program)
    in_node(tmp_path, str(tmp_path / "shown"))
    assert float(capfd.readouterr().out.split()[0]) > 1.0  # m: the metric that it prints
