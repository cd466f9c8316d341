"""May a saved run be gone on from? A file is read as if an enemy had written it: every number is checked before a kernel sees it.

| what | checked by |
|---|---|
| the file is the one that was written | its digest (`formats.trajectory`) |
| version | `check_version`: another version computes other numbers |
| step, frames, number of steps | `planned`: what the description itself gives |
| the simulation's own numbers | `check_own`: the same form as those of a fresh simulation, within what its time allows |
| the engine's arrays | `put` of the engine: shapes, finite numbers, step counter, kind of command |
| recorded frames | `put_recorded` of the engine |
| the twin under way, if there is one | as the run itself (`simulation.twin`) |
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from serpenoid.core import Trajectory
from serpenoid.core.errors import InputError
from serpenoid.formats.scenario import is_bundled_map
from serpenoid.simulation.engines import step_of
from serpenoid.simulation.setup import Setup
from serpenoid.version import __version__

MOST_TIME = 1e12  # s
FOREIGN = "this is not a state that serpenoid saved"
# what comes of numbers and texts that no run of ours can have left
STRANGE = (KeyError, TypeError, IndexError, ValueError, AttributeError, OverflowError, ZeroDivisionError, RecursionError)  # fmt: skip


def check_version(run: Trajectory) -> None:
    """Refuse a run of another version."""
    saved = run.provenance.get("version")
    if saved != __version__:
        raise InputError(
            f"this run was computed by serpenoid {str(saved)[:40]} and this is {__version__}, whose numbers may differ; resume it with that "
            "version, or run its scenario again"
        )


def check_description(run: Trajectory) -> None:
    """Refuse a saved description that names a file: what it needs, it holds."""
    plan = run.scenario.get("plan")
    source = plan.get("map") if isinstance(plan, Mapping) else None
    if isinstance(source, str) and "\n" not in source and not is_bundled_map(source):
        raise InputError(f"{FOREIGN}: its plan names a file, and a saved run holds its map itself")


def own_of(run: Trajectory) -> Mapping[str, Any]:
    """The simulation's own numbers in a saved run."""
    own = run.state.get("simulation", {})
    if not isinstance(own, Mapping) or not isinstance(run.state.get("arrays", {}), Mapping):
        raise InputError(f"{FOREIGN}: its numbers are no table")
    return own


def twin_of(run: Trajectory) -> Mapping[str, Any] | None:
    """What a saved run holds of the twin that checked it."""
    twin = run.state.get("twin")
    if twin is not None and not (isinstance(twin, Mapping) and twin.get("ratio") in (0.5, 2.0)):
        raise InputError(f"{FOREIGN}: its twin is none")
    return twin


def time_of(run: Trajectory) -> float:
    """Time that a saved run had reached, s."""
    time = run.provenance.get("time")
    if isinstance(time, bool) or not isinstance(time, int | float) or not 0.0 <= time <= MOST_TIME:
        raise InputError(f"{FOREIGN}: its time is {str(time)[:40]}")
    return float(time)


def planned(setup: Setup, run: Trajectory) -> tuple[float, int, int]:
    """Step (s), number of steps and steps per frame of a saved run, if they are those of its description."""
    from serpenoid.simulation.steps import grid

    try:
        own = run.state["simulation"]
        found = float(own["step"]), int(run.provenance["steps_planned"]), int(own["stride"])
    except STRANGE as error:
        raise InputError("this run was saved without what is needed to continue it") from error
    settings = setup.settings
    if isinstance(settings.step, str):  # which was found by trying: it must fit into the run, and the run be allowed
        steps, duration = found[1], settings.duration or math.nan
        fits = abs(steps * found[0] - duration) <= 1e-9 * duration and 1 <= found[2] <= steps
        if not (fits and steps * setup.robot.links <= 2.0 * settings.max_link_steps):
            raise InputError(f"{FOREIGN}: {steps} steps of {found[0]:g} s for a run of {duration:g} s")
        return found
    wanted = grid(setup, step_of(setup))
    if found != wanted:
        raise InputError(
            f"{FOREIGN}: {found[1]} steps of {found[0]:g} s with a frame every {found[2]}, and its description gives {wanted[1]} of {wanted[0]:g} s "
            f"with a frame every {wanted[2]}"
        )
    return found


def check_own(fresh: Mapping[str, Any], given: Any, time: float, period: float | None) -> None:
    """Refuse a simulation's own numbers where their form is not that of a fresh one, or their values cannot be at that time."""
    for name in ("curve", "earlier", "times"):
        values = np.asarray(given[name], dtype=float)
        if values.shape != np.shape(fresh[name]) or not np.isfinite(values).all():
            raise InputError(f"{FOREIGN}: {name} has another shape or is not finite")
    check_form(fresh, given, "simulation")
    if not 0.0 <= given["asked"] <= MOST_TIME:
        raise InputError(f"{FOREIGN}: the time asked for is {given['asked']}")
    due = 0.0 if period is None else time / period
    if not due - 2.0 <= given["calls"] <= due + 2.0:
        raise InputError(f"{FOREIGN}: {given['calls']} calls of the controller by {time:g} s")


def check_form(fresh: Any, given: Any, path: str) -> None:
    """Refuse a value whose form is not that of the fresh one: tables, arrays (those without entries may have grown), numbers, texts."""
    if isinstance(fresh, Mapping):
        good = isinstance(given, Mapping)
        for key in set(fresh) & set(given) if good else ():
            check_form(fresh[key], given[key], f"{path}.{key}")
    elif isinstance(fresh, np.ndarray):
        good = isinstance(given, np.ndarray | list) and _shaped(fresh, np.asarray(given))
    elif isinstance(fresh, bool):
        good = isinstance(given, bool)
    elif isinstance(fresh, int | float | np.number):
        good = isinstance(given, int | float) and not isinstance(given, bool)
    else:
        good = fresh is None or isinstance(given, list if isinstance(fresh, list | tuple) else type(fresh))
    if not good:
        raise InputError(f"{FOREIGN}: {path} is of another kind or shape")


def _shaped(fresh: np.ndarray, given: np.ndarray) -> bool:
    """Whether an array can be what became of another."""
    if given.dtype.kind not in "fiub" or given.ndim != fresh.ndim:
        return False
    return given.shape == fresh.shape if fresh.size else given.shape[1:] == fresh.shape[1:]
