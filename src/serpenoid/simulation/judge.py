"""How a run ended: status, provenance, and the trajectory they go into; what to beware of is in `warnings`."""

from __future__ import annotations

import platform
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from serpenoid.core import Status, Trajectory, Variable
from serpenoid.core.trajectory import Variables
from serpenoid.judgement.findings import FINDINGS
from serpenoid.judgement.metrics import METRICS
from serpenoid.simulation.commands import name_of_command
from serpenoid.simulation.metrics import own_metrics
from serpenoid.simulation.warnings import Evidence, warnings_of
from serpenoid.version import __version__

if TYPE_CHECKING:
    from serpenoid.simulation.simulation import Simulation


class Judgement(NamedTuple):
    """What a run came to: the evidence, how it ended, metrics by name (None: does not apply), what to beware of."""

    run: Evidence
    status: Status
    metrics: dict[str, float | None]
    warnings: tuple[str, ...]


def judged(sim: Simulation, names: Iterable[str] = METRICS, interrupted: bool = False) -> Judgement:
    """What a simulation came to so far, with the metrics of these names."""
    run = Evidence(sim.setup, sim._engine)
    status = status_of(sim, run, interrupted)
    run.metrics.finite = status.name == "diverged"
    warnings = warnings_of(run)
    if sim._kind == "controller":
        warnings += list(getattr(sim.setup.command, "warnings", lambda: ())())
    return Judgement(run, status, {name: run.metrics[name] for name in names}, tuple(warnings))


def trajectory_of(sim: Simulation, notes: Mapping[str, Any] | None = None, interrupted: bool = False) -> Trajectory:
    """Everything a simulation came to so far."""
    setup, engine = sim.setup, sim._engine
    run, status, metrics, warnings = judged(sim, interrupted=interrupted)
    variables = Variables(run.variables)
    provenance = {**provenance_of(sim, run.sums, notes or {}), "torques": run.metrics.torques()}
    events: tuple[Any, ...] = ()
    if setup.origin is not None:  # the description has the plan only
        provenance["world"] = setup.world.keys()
    if sim._kind == "controller":
        command = setup.command
        variables.update(getattr(command, "variables", dict)())
        events = tuple(getattr(command, "events", ()))
        provenance["plan"] = dict(getattr(command, "report", dict)())
    made = Trajectory(
        variables,
        metrics,
        status,
        warnings,
        setup.keys(),
        provenance,
        {**sim.memory(), "record": engine.recorded()},
        events,
        run.metrics.reasons(),
    )
    own = own_metrics(made)
    return replace(made, metrics={**metrics, **own}) if own else made


def status_of(sim: Simulation, run: Evidence, interrupted: bool) -> Status:
    """How a simulation ended, as far as itself can tell."""
    setup, engine = sim.setup, sim._engine
    if not sim._good:
        remedy = ', or integrator = "implicit"' if setup.settings.integrator != "implicit" else ""
        text = f"a number became infinite or undefined after t = {engine.time:.6g} s{_where(setup.robot.axes, run.variables)}; use a shorter step{remedy}"
        return Status("diverged", text, engine.time)
    if interrupted:
        return Status("interrupted", f"stopped at t = {engine.time:.6g} s", engine.time)
    for code, found in run.metrics.findings.items():
        if FINDINGS[code].status:
            return Status(FINDINGS[code].status, str(found), engine.time)
    if sim._kind == "controller":
        status = sim.setup.command.status() if hasattr(sim.setup.command, "status") else None
        return status if isinstance(status, Status) else Status("ok")
    return Status("ok")


def _where(axes: tuple[tuple[int, str], ...], variables: Mapping[str, Variable]) -> str:
    """Which joint turned fastest at the end: where it broke."""
    rates = np.abs(variables["joint_rate"].data[-1])
    if not rates.size or np.isnan(rates).all():
        return ""
    joint, kind = axes[int(np.nanargmax(rates))]
    return f" (joint {joint}, {kind})"


def provenance_of(sim: Simulation, sums: Mapping[str, float], notes: Mapping[str, Any]) -> dict[str, Any]:
    """How the numbers came about: versions, engine, law, step."""
    setup, engine = sim.setup, sim._engine
    ground = setup.world.ground
    return {
        "version": __version__,
        "engine": engine.NAME,
        **({"note": engine.note} if getattr(engine, "note", "") else {}),
        **({"ground": ground.model} if ground is not None else {}),
        "integrator": setup.settings.integrator,
        "law": setup.world.friction.NAME,
        "robot": f"{setup.robot.name} ({setup.robot.links} links)",
        "command": name_of_command(setup.command),
        "joints": "servos" if setup.robot.servo is not None else "torque-driven" if not engine.ideal else "ideal",
        "step": engine.dt,
        "steps": engine.done,
        "time": engine.time,
        "iterations_per_step": sums["iterations"] / max(engine.done, 1),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "machine": platform.machine(),
        "check": {"skipped": "a simulation that is advanced by calls is not run twice"},
        **notes,
    }
