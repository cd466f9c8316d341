"""The same robot, world and gait in several simulation packages, side by side.

| engine | what computes the motion |
|---|---|
| `own` | our spatial engine |
| `mujoco`, `drake` | their dynamics, with *our* ground and friction law applied |
| `mujoco-native`, `drake-native` | their dynamics and their own contact |

An engine's native friction is reported beside the others, never as the truth: it has no anisotropic or sticking law of ours.
"""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from serpenoid.core import FloatArray, chassis
from serpenoid.core.errors import InputError
from serpenoid.peers.motion import Motion, motion_of
from serpenoid.simulation.setup import Setup
from serpenoid.simulation.spatial_metrics import travelled
from serpenoid.simulation.stepping import advance, grid, start_run
from serpenoid.spatial._old.run import SpatialRun

ENGINES = ("own", "mujoco", "mujoco-native", "drake", "drake-native")
COMPARED = ("com_distance", "path_length", "heading", "roll_rate_mean", "contact_count_mean", "positive_work")
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


def motion_by(name: str, setup: Setup) -> Motion:
    """Run a setup in one engine."""
    s = setup.settings
    step = s.step if isinstance(s.step, float) else 1e-3
    if name == "own":
        run = start_run(setup, *grid(s, step, setup.robot.links))
        assert isinstance(run, SpatialRun)
        run.advance(0)  # compiled before the clock starts
        began, busy = time.perf_counter(), time.thread_time()
        advance(run)
        return motion_of(run, time.perf_counter() - began, time.thread_time() - busy)
    package, _, native = name.partition("-")
    module = importlib.import_module(f"serpenoid.peers.{package}")
    motion: Motion = module.simulate(
        setup.robot, setup.gait, setup.world, setup.start, mode=setup.mode, servo=setup.servo, duration=s.duration, step=step,
        native=bool(native), record_interval=s.record_interval,
    )  # fmt: skip
    return motion


def nodes_of(motion: Motion, lengths: FloatArray) -> FloatArray:
    """Tail's end, joints and head's tip, (f, n+1, 3)."""
    tip = motion.place[:, -1:] + lengths[-1] * motion.axis[:, -1:]
    return np.concatenate([motion.place, tip], axis=1)


def figures_of(motion: Motion, setup: Setup) -> dict[str, Any]:
    """What an engine's motion came to."""
    gait: Any = setup.gait
    period = gait.period(setup.robot) if gait is not None else None
    rolls = chassis.roll(motion.axis, motion.back)
    result = travelled(motion.time, nodes_of(motion, setup.robot.link_length), motion.com, rolls, period)
    periods = motion.time[-1] / period if period else None
    return {
        "status": "ok" if motion.finite else "diverged",
        **result,
        "path_per_period": result["path_length"] / periods if periods else None,
        "contact_count_mean": float(motion.contacts.mean()),
        "normal_force_max": motion.normal_force_max,
        "net_work": motion.net_work,
        "positive_work": motion.positive_work,
        "step": motion.step,
        "steps": motion.steps,
        "wall_time": motion.wall_time,
        "cpu_time": motion.cpu_time,
        "note": motion.note,
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


def compare(setup: Setup, engines: list[str], progress: Progress | None = None) -> tuple[dict[str, Any], list[Motion]]:
    """Run a setup in every engine; the figures of all, their differences from the first, and the motions."""
    if not setup.spatial or setup.mode == "torque":
        raise InputError("compare needs a scenario in space ([world.ground]) in shape or servo mode")
    if isinstance(setup.settings.step, str):
        raise InputError('compare needs a step in seconds, not "auto": all engines take the same one')
    results: dict[str, dict[str, Any]] = {}
    motions = []
    for k, name in enumerate(engines):
        motion = motion_by(name, setup)
        motions.append(_named(motion, name))
        results[name] = figures_of(motion, setup)
        if progress is not None:
            progress((k + 1) / len(engines))
    status = "ok" if all(r["status"] == "ok" for r in results.values()) else "diverged"
    report = {
        "status": status,
        "scenario": setup.keys(),
        "reference": engines[0],
        "engines": results,
        "differences": differences(results),
    }
    return report, motions


def table(report: dict[str, Any]) -> str:
    """The figures of all engines as text."""
    columns = (
        ("distance [m]", "com_distance"), ("path [m]", "path_length"), ("per period", "path_per_period"), ("heading [rad]", "heading"),
        ("roll rate", "roll_rate_mean"), ("contacts", "contact_count_mean"), ("work [J]", "positive_work"), ("time [s]", "wall_time"),
    )  # fmt: skip
    lines = [f"{'engine':15s}" + "".join(f"{title:>15s}" for title, _ in columns)]
    for name, result in report["engines"].items():
        cells = ["-" if result[key] is None else f"{result[key]:.4g}" for _, key in columns]
        lines.append(f"{name:15s}" + "".join(f"{cell:>15s}" for cell in cells))
        gap = report["differences"][name]["path_length"]
        if name != report["reference"] and gap is not None:
            lines[-1] += f"   path {gap:+.2%}"
        if result["status"] != "ok":
            lines[-1] += "   diverged"
    lines += [f"  {name}: {result['note']}" for name, result in report["engines"].items() if result["note"]]
    return "\n".join(lines)


def _named(motion: Motion, name: str) -> Motion:
    from dataclasses import replace

    return replace(motion, engine=name)


__all__ = ["ENGINES", "compare", "differences", "figures_of", "motion_by", "table"]
