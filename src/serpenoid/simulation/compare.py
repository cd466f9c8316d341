"""The same robot, world and command in several simulation packages, side by side.

| engine | what computes the motion |
|---|---|
| `own` | our engine: planar or spatial, the one that fits |
| `spatial` | our spatial engine, where `own` is the planar one |
| `mujoco`, `drake` | their dynamics, with *our* contacts and joints applied |
| `mujoco-native`, `drake-native` | their dynamics, their contacts, their joints |

Each is a run of the same `Simulation`. A planar scenario runs in space on a level ground with one contact point per link: there the weight of
a link rests on a spring and damper, the body can heave, pitch and roll about its joints' axes, and friction follows the normal force of the
moment; everything else is the same. Native contacts mean nothing there and are refused. An engine's native friction is reported beside the others, never as the truth: it has no anisotropic or sticking
law of ours. Times are those of the stepping alone, from the first step on, after everything has been compiled.
"""

from __future__ import annotations

import math
import textwrap
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from serpenoid.core import Trajectory
from serpenoid.core.errors import InputError
from serpenoid.peers import PEERS, engine_class
from serpenoid.simulation.engines import step_of
from serpenoid.simulation.judge import trajectory_of
from serpenoid.simulation.setup import Setup
from serpenoid.simulation.simulation import Simulation
from serpenoid.simulation.steps import grid

ENGINES = ("own", "planar", "spatial", "mujoco", "mujoco-native", "drake", "drake-native")
IN_SPACE = ("own", "mujoco", "mujoco-native", "drake", "drake-native")  # compared unless others are named
IN_PLANE = ("own", "spatial", "mujoco", "drake")
LIFTED = "the plane as a level ground: each link on one contact point, its load by a spring"
COMPARED = ("com_distance", "path_length", "heading", "roll_rate_mean", "contact_count_mean", "positive_work")
FIGURES = (
    "com_distance", "com_dx", "com_dy", "com_dz", "path_length", "travel_direction", "heading", "roll_angle", "roll_rate_mean",
    "contact_count_mean", "normal_force_max", "net_work", "positive_work",
)  # fmt: skip
Progress = Callable[[float], None]


def check_engines(names: str) -> list[str]:
    """Names of engines from a text with commas, each known and given once."""
    wanted = [name.strip() for name in names.split(",") if name.strip()]
    for name in wanted:
        if name not in ENGINES:
            raise InputError(f"unknown engine {name!r}; allowed are {', '.join(ENGINES)}")
    if not wanted or len(set(wanted)) < len(wanted):
        raise InputError(f"--engines needs different names of {', '.join(ENGINES)}, got {names!r}")
    return wanted


def usual_engines(setup: Setup) -> list[str]:
    """Engines that a scenario is compared in unless others are named."""
    return list(IN_SPACE if setup.prepared().spatial else IN_PLANE)


def able_engines(setup: Setup) -> tuple[list[str], dict[str, str]]:
    """The usual engines that can run a scenario, and why the others cannot."""
    able, left = [], {}
    for name in usual_engines(setup):
        if name not in PEERS or isinstance(setup.settings.step, str):
            able.append(name)
            continue
        engine_class(name)  # a package that is missing is an error, not an engine to be left out
        prepared = setup.prepared(None)
        dt, _, stride = grid(prepared, step_of(prepared))
        try:
            Simulation.of(prepared.copied(), engine=name, step=dt, stride=stride)
            able.append(name)
        except InputError as error:
            left[name] = str(error)
    return able, left


def run_in(name: str, setup: Setup) -> Trajectory:
    """Run a setup in one engine, with wall and processor time of its steps in the provenance."""
    engine, setup = None if name == "own" else name, setup.prepared()
    dt, steps, stride = grid(setup, step_of(setup))
    Simulation.of(setup.copied(), engine=engine, step=dt, stride=stride).advance(dt)  # compiled before the clock starts
    sim = Simulation.of(setup.copied(), engine=engine, step=dt, stride=stride)
    began, busy = time.perf_counter(), time.thread_time()
    sim.advance(steps * dt)
    times = {"wall_time": time.perf_counter() - began, "cpu_time": time.thread_time() - busy}
    return trajectory_of(sim, {**times, "steps_planned": steps, "compared_as": name})


def figures_of(run: Trajectory, setup: Setup) -> dict[str, Any]:
    """What an engine's run came to."""
    gait: Any = setup.gait
    period = gait.period(setup.robot) if gait is not None else None
    figures = {name: run.metrics.get(name) for name in FIGURES}
    path, p = figures["path_length"], run.provenance
    return {
        "status": run.status.name,
        **figures,
        "path_per_period": path * period / run.duration if path is not None and period and run.duration > 0.0 else None,
        "step": p["step"],
        "steps": p["steps"],
        "wall_time": p["wall_time"],
        "cpu_time": p["cpu_time"],
        "note": "; ".join(
            text
            for text in (p.get("note", ""), LIFTED if not setup.spatial and p["engine"] != "planar" else "")
            if text
        ),
    }


def differences(results: dict[str, dict[str, Any]]) -> dict[str, dict[str, float | None]]:
    """Relative difference of each engine's figures from the first engine's (of an angle: plain difference, rad)."""
    first = next(iter(results.values()))
    table: dict[str, dict[str, float | None]] = {}
    for name, result in results.items():
        row: dict[str, float | None] = {}
        for key in COMPARED:
            a, b = first.get(key), result.get(key)
            if a is None or b is None:
                row[key] = None
            elif key == "heading":
                row[key] = float((b - a + np.pi) % (2.0 * np.pi) - np.pi)
            else:
                row[key] = float((b - a) / a) if abs(a) > 1e-9 else None
        table[name] = row
    return table


def compare(
    setup: Setup, engines: list[str], progress: Progress | None = None
) -> tuple[dict[str, Any], list[Trajectory]]:
    """Run a setup in every engine; the figures of all, their differences from the first, and the runs."""
    if isinstance(setup.settings.step, str):
        raise InputError('compare needs a step in seconds, not "auto": all engines take the same one')
    setup = setup.prepared(None)
    native = [name for name in engines if name.endswith("-native")]
    if native and not setup.spatial:
        raise InputError(f"{native[0]}: native contacts need a scenario in space ([world.ground])")
    for name in engines:
        if name in PEERS:
            engine_class(name)  # a package that is missing is reported before anything is run
    results: dict[str, dict[str, Any]] = {}
    runs = []
    for k, name in enumerate(engines):
        runs.append(run_in(name, setup))
        results[name] = figures_of(runs[-1], setup)
        if progress is not None:
            progress((k + 1) / len(engines))
    failed = [r["status"] for r in results.values() if r["status"] != "ok"]
    report = {
        "status": failed[0] if failed else "ok",
        "scenario": setup.keys(),
        "reference": engines[0],
        "engines": results,
        "differences": differences(results),
    }
    return report, runs


def table(report: dict[str, Any]) -> str:
    """The figures of all engines as text, at most 100 letters wide."""
    columns = (  # name, unit, key, factor
        ("distance", "m", "com_distance", 1.0), ("path", "m", "path_length", 1.0), ("heading", "deg", "heading", 180.0 / math.pi),
        ("roll rate", "rad/s", "roll_rate_mean", 1.0), ("contacts", "mean", "contact_count_mean", 1.0), ("work", "J", "positive_work", 1.0),
        ("computed", "s", "wall_time", 1.0),
    )  # fmt: skip
    heads = [[column[k] for column in columns] + [("path diff", "")[k]] for k in (0, 1)]
    lines = [
        f"{name:17s}" + "".join(f"{cell:>10s}" for cell in cells)
        for name, cells in zip(("engine", ""), heads, strict=True)
    ]
    for name, result in report["engines"].items():
        cells = ["-" if result[key] is None else f"{factor * result[key]:.4g}" for *_, key, factor in columns]
        gap = report["differences"][name]["path_length"]
        cells.append("reference" if name == report["reference"] else "-" if gap is None else f"{gap:+.2%}")
        called = "serpenoid (own)" if name == "own" else name
        lines.append(f"{called:17s}" + "".join(f"{cell:>10s}" for cell in cells))
        if result["status"] != "ok":
            lines[-1] += f"  {result['status']}"
    notes: dict[str, list[str]] = {}
    for name, result in report["engines"].items():
        if result["note"]:
            notes.setdefault(str(result["note"]), []).append(name)
    for name, reason in report.get("left_out", {}).items():
        notes.setdefault(f"left out: {reason}", []).append(name)
    for note, names in notes.items():
        lines += textwrap.wrap(f"{', '.join(names)}: {note}", 98, initial_indent="  ", subsequent_indent="    ")
    return "\n".join(lines)


__all__ = [
    "ENGINES",
    "able_engines",
    "check_engines",
    "compare",
    "differences",
    "figures_of",
    "run_in",
    "table",
    "usual_engines",
]
