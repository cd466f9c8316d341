"""Random runs near the bundled scenarios: every number moved within what the schema allows, mostly a little, sometimes far."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from serpenoid.core import Trajectory
from serpenoid.core.errors import InputError, NumericalError
from serpenoid.formats.scenario import bundled, read
from serpenoid.simulation.run import execute
from serpenoid.simulation.setup import setup_of

MOST_LINKS, MOST_TIME = 40, 5.0  # -, s
MOST_LINK_STEPS = 1.6e6  # of the finest run: keeps one case under a second
CHANGED = 0.05  # of the path or of the work, at a quarter of the step
SHORTEST = 0.1  # body lengths: a path shorter than that counts as that long
STATUSES = ("ok", "diverged", "left-horizon", "blocked", "stalled", "unreachable", "cycle-limit")
SAID = ("not converged", "is long for", "cannot resolve", "scheme itself", "does not close")  # a warning that says so
LAWS = ("coulomb", "threshold", "bristle", "unit-slip", "viscous", "none")
PLANS = ("concertina", "maze")  # slow: Python is called at every command
FIXED = {"run", "title", "obstacles", "target", "map", "cell", "pole", "base", "axes"}


class Case(NamedTuple):
    """A scenario's name, and the data that it came to."""

    name: str
    data: dict[str, Any]


def moved(rng: np.random.Generator, key: str, value: Any) -> Any:
    """A number near another, or far from it; whole numbers stay whole, signs stay."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value
    if isinstance(value, int) and key in ("links", "points"):
        return int(rng.integers(2, MOST_LINKS + 1)) if key == "links" else int(rng.integers(1, 5))
    wild = rng.random() < 0.1
    if value == 0.0:
        return float(rng.normal()) * (30.0 if key.endswith("_deg") else 0.3) if rng.random() < 0.5 else value
    if key.endswith("_deg"):
        return float(np.clip(value * rng.uniform(-1.5, 2.5), -170.0, 170.0))
    return float(value * 10.0 ** rng.uniform(*((-3.0, 3.0) if wild else (-0.6, 0.6))))


def scrambled(rng: np.random.Generator, data: Mapping[str, Any]) -> dict[str, Any]:
    """A table with about half of its numbers moved."""
    made: dict[str, Any] = {}
    for key, value in data.items():
        if key in FIXED:
            made[key] = value
        elif isinstance(value, Mapping):
            made[key] = scrambled(rng, value)
        else:
            made[key] = moved(rng, key, value) if rng.random() < 0.5 else value
    return made


def extras(rng: np.random.Generator, data: dict[str, Any]) -> None:
    """Other laws, servos, inertias, dampings, stuck joints, stops and starts than the scenarios have."""
    friction, robot = data.get("world", {}).get("friction"), data["robot"]
    if rng.random() < 0.35 and friction is not None:
        along, across = friction.get("along", 0.1), friction.get("across", 0.5)
        data["world"]["friction"] = {"law": str(rng.choice(LAWS)), "along": along, "across": across}
        if data["world"]["friction"]["law"] == "none":
            data["world"]["friction"] = {"law": "none"}
    if rng.random() < 0.2 and "gait" in data:
        robot["servo"] = {
            "stiffness": 10.0 ** rng.uniform(0.5, 4.0) * (1e4 if rng.random() < 0.1 else 1.0),
            "damping": 10.0 ** rng.uniform(-2.0, 1.0),
        }
    if rng.random() < 0.2:
        robot["joint_damping"] = 10.0 ** rng.uniform(-3.0, 0.5)
    if rng.random() < 0.2:
        robot["link_inertia"] = "uniform-rod"
    if rng.random() < 0.1 and "plan" not in data:
        robot["locked" if rng.random() < 0.5 else "limp"] = [int(rng.integers(1, 3))]
    if rng.random() < 0.1 and "plan" not in data:
        robot["joint_limit"] = float(rng.uniform(0.2, 1.2))
    if rng.random() < 0.2 and "plan" not in data:
        data["start"] = {"heading": rng.uniform(-3.0, 3.0), "velocity": rng.uniform(-1.0, 1.0, 2).tolist()}


def draw(seed: int) -> Case:
    """The case of a seed."""
    rng = np.random.default_rng(seed)
    names = sorted(bundled())
    name = str(rng.choice(names, p=weights(names)))
    data = dict(read(name))
    space = "ground" in data.get("world", {})
    run = dict(data["run"])
    data = {**scrambled(rng, data), "run": run}
    extras(rng, data)
    step = float(run.get("step", 1e-3)) * (1.0 if rng.random() < 0.5 else 10.0 ** rng.uniform(-0.5, 1.2))
    run["step"], run["duration"] = step, float(rng.uniform(0.1, MOST_TIME))
    links = int(data["robot"].get("links", 20))
    run["duration"] = min(run["duration"], MOST_LINK_STEPS * step / (4.0 * links))
    run["step"] = min(step, run["duration"])
    gait = data.get("gait", {})
    if "stop_time" in gait and rng.random() < 0.5:
        gait.pop("stop_time"), gait.pop("acceleration", None)
    if not space and rng.random() < 0.1 and "plan" not in data:
        run["integrator"] = str(rng.choice(["euler", "rk4"]))
    return Case(name, data)


def weights(names: list[str]) -> np.ndarray:
    """Chance of each scenario: plans are slow and drawn less often."""
    w = np.array([0.15 if name in PLANS else 1.0 for name in names])
    return np.asarray(w / w.sum())


class Outcome(NamedTuple):
    """What a case came to: refused, failed, warned, fine, or wrong without a word."""

    verdict: str
    text: str
    place: float = 0.0
    work: float = 0.0


def judge(case: Case) -> Outcome:
    """Run a case, and again at a quarter of the step."""
    try:
        setup = setup_of(case.data)
        run = execute(setup)
    except InputError as error:
        return Outcome("refused", str(error))
    except NumericalError as error:
        return Outcome("failed", str(error))
    if run.status.name not in STATUSES:
        return Outcome("WRONG", f"undocumented status {run.status.name}")
    bad = [k for k, v in run.metrics.items() if v is not None and not math.isfinite(v)]
    if bad:
        return Outcome("WRONG", f"not finite under {run.status.name}: {bad}")
    if not run.status.ok:
        return Outcome(run.status.name, run.status.message)
    said = [w for w in run.warnings if any(word in w for word in SAID)]
    step = float(run.provenance["step"])
    fine = execute(setup_of({**case.data, "run": {**case.data["run"], "step": step / 4.0, "checked": False}}))
    place, work = changes(run, fine) if fine.status.name != "diverged" else (math.inf, math.inf)
    off = place > CHANGED or work > CHANGED or not fine.status.ok
    text = f"place {place:.2%}, work {work:.2%}, {fine.status.name}; {said}"
    return Outcome(("told" if said else "WRONG") if off else "over-told" if said else "fine", text, place, work)


def changes(run: Trajectory, fine: Trajectory) -> tuple[float, float]:
    """Change of distance relative to the path, and of work relative to the work."""
    robot = setup_of(dict(run.scenario)).robot
    a, b = run.metrics, fine.metrics
    path = max(a["path_length"] or 0.0, SHORTEST * robot.length)
    nothing = 1e-6 * robot.mass * robot.length * max(9.81, (robot.length / run.duration**2))
    work = max(a["positive_work"], b["positive_work"], nothing)
    return abs(a["com_distance"] - b["com_distance"]) / path, abs(a["positive_work"] - b["positive_work"]) / work


__all__ = ["Case", "Outcome", "draw", "judge"]
