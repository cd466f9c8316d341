"""How far a run has converged: the same run once more at another step, and what changes.

The steps are of first order: a figure at step h is off by c h. So a twin at r h is off by c r h, and

    error of the run = |twin - run| / |r - 1|

The twin takes twice the step, which costs half as much again as the run itself. Where it leaves a doubt, a second twin at half the step
decides. There is only this one where twice the step would be another thing: under torques (whose motion has a horizon), under an
explicit integrator (whose stability ends somewhere), for commands or servos sampled about as often as the step, in runs of a few steps.

| figure | what changes | relative to |
|---|---|---|
| place | displacement of the centre of gravity | its path, at least 0.1 body lengths |
| work | positive work of the joints | itself |
| | net work of the joints | energy turned over |
| torque | root of the mean square torque | itself |
| peak_torque | greatest torque | itself |
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from serpenoid.core import FloatArray, Trajectory
from serpenoid.core.errors import InputError, SerpenoidError
from serpenoid.simulation.commands import kind_of_command
from serpenoid.simulation.formulas import turned_over
from serpenoid.simulation.restoring import FOREIGN, STRANGE
from serpenoid.simulation.setup import Setup
from serpenoid.simulation.simulation import Simulation

Progress = Callable[[float], None]  # fraction done
Keep = Callable[[Simulation, float], None]  # a twin under way, and its step over that of the run

HORIZON = 0.01  # of the body length: how far any node of a run under torques and of its twin may part
LIMITS = {"place": 0.02, "work": 0.02, "torque": 0.1, "peak_torque": 0.3}  # beyond it a figure has not converged
DOUBT = 0.25  # of the limit: from there on by twice the step, half the step decides
GOAL = 0.25  # of the limit: what the step that is suggested aims at
SHORTEST = 0.1  # body lengths: a path shorter than that counts as that long
NOTHING = 1e-6  # of the weight times the body length, and of the greatest energy: work and torques below it are none
FEW_STEPS = 40


class Check(NamedTuple):
    """Steps of the twin, estimated errors of the run by figure, and under torques where it parts from the run."""

    step: float  # s, of the twin
    errors: dict[str, float]
    diverged: bool = False  # the twin
    parting: float | None = None  # m, greatest distance of a node from the twin's
    left: float | None = None  # s, when it first exceeds the horizon


def why_not(setup: Setup, engine: str | None) -> str:
    """Why a run of this description is not run twice; empty: it can be."""
    command = setup.command
    if not setup.settings.checked:
        return "run.checked = false"
    if engine is not None and engine not in ("planar", "spatial"):
        return f"it was computed by {engine}"
    if kind_of_command(command) == "controller" and not (
        hasattr(command, "first_angles") and type(command).__module__.startswith("serpenoid.")
    ):
        return "a function of one's own is not called for a second run"
    return ""


def ratio_of(sim: Simulation, steps: int) -> float:
    """Step of the twin over that of the run: 2, or 0.5."""
    setup, dt = sim.setup, sim.step
    periods = [getattr(setup.command, "period", np.inf)] if sim._kind == "controller" else []
    servos = setup.robot.servo if isinstance(setup.robot.servo, tuple) else (setup.robot.servo,)
    periods += [s.control_period for s in servos if s is not None and s.control_period]
    sampled = any(4.0 * dt > period for period in periods)
    fine = setup.drive is not None or setup.settings.integrator != "implicit" or sampled or steps < FEW_STEPS
    return 0.5 if fine else 2.0


class Compared(NamedTuple):
    """What is compared."""

    moved: FloatArray  # m, of the centre of gravity
    work: FloatArray  # J, net and positive
    torque: float  # N m, root of the mean square sum
    peak: float  # N m


def _figures(sim: Simulation) -> Compared:
    sums, com = sim._engine.totals(), sim._engine.variables()["com"].data
    return Compared(
        com[-1] - com[0],
        np.array([sums["net_work"], sums["positive_work"]]),
        float(np.sqrt(sums["torque_sq"] / max(sim.time, 1e-300))),
        sums["torque_max"],
    )


class Twins(NamedTuple):
    """Runs the twins of a simulation that is done, from `fresh` (its description before it began)."""

    sim: Simulation
    run: Trajectory
    fresh: Setup
    keep: Keep | None = None  # called between stretches
    saved: Any = None  # of a twin that was under way when the process was killed: see `keeping`

    def begun(self, ratio: float, step: float, stride: int) -> Simulation:
        """A twin at its start, or where it was saved."""
        twin = Simulation.of(self.fresh.copied(), engine=self.sim.engine_name, step=step, stride=stride)
        if self.saved is not None and self.saved["ratio"] == ratio:
            twin.recall(self.saved)
            try:
                twin._engine.put_recorded(self.saved["record"])
            except STRANGE as error:
                raise InputError(f"{FOREIGN}: {type(error).__name__}: {error}"[:200]) from error
            twin._asked = twin.time
        return twin

    def progress_of(self, twin: Simulation, ratio: float, progress: Progress | None) -> Progress | None:
        """Progress of a twin that is kept meanwhile."""
        keep = self.keep
        if keep is None:
            return progress

        def tell(fraction: float) -> None:
            if twin._good:
                keep(twin, ratio)
            if progress is not None:
                progress(fraction)

        return tell


def check(twins: Twins, progress: Progress | None = None) -> Check:
    """Run the twin of a simulation, and where that leaves a doubt a second one; compare."""
    ratio = ratio_of(twins.sim, twins.sim._engine.done)
    second = ratio > 1.0 and twins.saved is not None and twins.saved["ratio"] == 0.5  # the first had left a doubt
    found = None if second else _twin_at(ratio, twins, part_of(progress, 0.0, 0.4))
    doubt = (
        found is None
        or found.diverged
        or any(not error <= DOUBT * LIMITS[name] for name, error in found.errors.items())
    )
    if found is None or (doubt and ratio > 1.0):
        found = _twin_at(0.5, twins, part_of(progress, 0.4, 1.0))
    if progress is not None:
        progress(1.0)
    return found


def part_of(progress: Progress | None, low: float, high: float) -> Progress | None:
    """Progress of a part of the work as that of the whole."""
    return None if progress is None else lambda fraction: progress(low + (high - low) * fraction)


def _twin_at(ratio: float, twins: Twins, progress: Progress | None) -> Check:
    """Run the twin at so many times the step, and compare."""
    sim, engine = twins.sim, twins.sim._engine
    steps = max(1, round(engine.done / ratio))
    step, nodes_too = engine.time / steps, sim.setup.drive is not None
    stride = round(engine.stride / ratio) if nodes_too else steps
    twin = twins.begun(ratio, step, stride)
    try:
        fine = twin.advance(steps * step - twin.time, progress=twins.progress_of(twin, ratio, progress))
    except SerpenoidError:  # a controller that gives up at this step
        return Check(step, {}, diverged=True)
    parting = left = None
    if nodes_too:
        parting, left = _parting(sim, twin, fine)
    if not fine:
        return Check(step, {}, True, parting, left)
    return Check(step, _errors(sim, twins.run, twin, abs(step / engine.dt - 1.0)), False, parting, left)


def _errors(sim: Simulation, run: Trajectory, twin: Simulation, share: float) -> dict[str, float]:
    """Estimated errors of the run by figure."""
    mine, other, robot = _figures(sim), _figures(twin), sim.robot
    path = max(float(run.metrics["path_length"] or 0.0), float(np.linalg.norm(mine.moved)), SHORTEST * robot.length)
    turned = turned_over(run.variables)
    nothing = NOTHING * max(robot.mass * sim.world.gravity * robot.length, turned, 1e-300)
    net, positive = np.abs(other.work - mine.work)
    changes = {
        "place": float(np.linalg.norm(other.moved - mine.moved)) / path,
        "work": max(net / max(turned, other.work[1], nothing), positive / max(*mine.work, *other.work, nothing)),
        "torque": abs(other.torque - mine.torque) / max(mine.torque, other.torque, nothing),
        "peak_torque": abs(other.peak - mine.peak) / max(mine.peak, other.peak, nothing),
    }
    return {name: float(change / share) for name, change in changes.items()}


def _parting(sim: Simulation, twin: Simulation, fine: bool) -> tuple[float | None, float | None]:
    """Greatest distance of a node from the twin's, and when it first exceeds HORIZON body lengths."""
    engine = sim._engine
    nodes = [s._engine.variables()["node"].data for s in (sim, twin)]
    frames = min(len(n) for n in nodes)
    parting = np.linalg.norm(nodes[0][:frames] - nodes[1][:frames], axis=-1).max(axis=1)
    beyond = np.flatnonzero(~(parting <= HORIZON * sim.robot.length))
    if beyond.size:
        return float(parting.max()), float(beyond[0] * engine.stride * engine.dt)
    return (float(parting.max()), None) if fine else (None, twin.time)


NAMES = {"place": "the place reached", "work": "the work", "torque": "the torque", "peak_torque": "the greatest torque"}
SCALES = {"place": " of its path"}


def warning_of(found: Check, dt: float) -> list[str]:
    """What to beware of; nothing if every figure has converged."""
    if found.diverged:
        return [f"not converged: at a step of {found.step:.3g} s the same run fails; use a shorter step"]
    beyond = {name: error for name, error in found.errors.items() if not error <= LIMITS[name]}
    if not beyond:
        return []
    said = ", ".join(f"{NAMES[name]} by {error:.2%}{SCALES.get(name, '')}" for name, error in beyond.items())
    factor = max(error / LIMITS[name] for name, error in beyond.items()) / GOAL
    enough = dt / min(max(factor, 2.0), 100.0)
    return [
        f"not converged at a step of {dt:.3g} s: a second run at {found.step:.3g} s changes {said} (as error of this run); "
        f'try run.step = {enough:.1g}, or "auto"'
    ]


def provenance_of(found: Check) -> dict[str, Any]:
    """What the trajectory keeps of it."""
    kept: dict[str, Any] = {"twin_step": found.step, **{f"{name}_error": error for name, error in found.errors.items()}}
    if found.diverged:
        kept["twin_diverged"] = True
    return kept
