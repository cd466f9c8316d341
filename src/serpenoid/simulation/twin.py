"""How far a run has converged: the same run once more at other steps, and what changes.

The steps are of first order: a number at step h is off by c h. So a twin at r h is off by c r h, and

    error of the run = |twin - run| / |r - 1|

The twin takes twice the step, which costs half as much again as the run itself. Where it leaves a doubt, a second twin at half the step
decides: the error is then the larger of both estimates, since a number whose error is not of first order may change less by either. There
is only that one where twice the step would be another thing: under torques (whose motion has a horizon), under an
explicit integrator (whose stability ends somewhere), for commands or servos sampled about as often as the step, in runs of a few steps.

Every number is judged by its own change (`scales`). Beside them stand four figures beyond whose limits the whole run has not converged:

| figure | what changes | relative to |
|---|---|---|
| place_reached | displacement of the centre of gravity | its path, at least 0.1 body lengths |
| work | positive work of the joints | itself |
| | net work of the joints | energy turned over |
| torque | root of the mean square torque | itself |
| greatest_torque | greatest torque | itself |
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from serpenoid.contact.crossings import SelfCrossing
from serpenoid.core import FloatArray, Trajectory
from serpenoid.core.errors import InputError, SerpenoidError
from serpenoid.core.finding import Finding
from serpenoid.simulation.commands import kind_of_command
from serpenoid.simulation.formulas import Measured, turned_over
from serpenoid.simulation.metrics import METRICS
from serpenoid.simulation.restoring import FOREIGN, STRANGE
from serpenoid.simulation.scales import NAMED, NOTHING, ROUGH, SCALES, SHORTEST, UNJUDGED, estimates_of, scales_of
from serpenoid.simulation.setup import Setup
from serpenoid.simulation.simulation import Simulation

Progress = Callable[[float], None]  # fraction done
Keep = Callable[[Simulation, float], None]  # a twin under way, and its step over that of the run

HORIZON = 0.01  # of the body length: how far any node of a run under torques and of its twin may part
LIMITS = {
    "place_reached": 0.02,
    "work": 0.02,
    "torque": 0.1,
    "greatest_torque": 0.3,
}  # beyond it a run has not converged
DOUBT = 0.25  # of the limit: from there on by twice the step, half the step decides
GOAL = 0.25  # of the limit: what the step that is suggested aims at
FEW_STEPS = 40


class Check(NamedTuple):
    """Steps of the twins, estimated errors of the run by figure and by number, and under torques where it parts from the run."""

    steps: tuple[float, ...]  # s, of the twins
    figures: dict[str, float]
    numbers: dict[str, float]
    diverged: bool = False  # the last twin
    parting: float | None = None  # m, greatest distance of a node from the twin's
    left: float | None = None  # s, when it first exceeds the horizon

    @property
    def doubtful(self) -> bool:
        """Whether a run at another step should decide."""
        sure = all(error <= DOUBT * LIMITS[name] for name, error in self.figures.items())
        return self.diverged or not sure or not all(error <= NAMED for error in self.numbers.values())

    def with_first(self, first: Check) -> Check:
        """Both twins: the larger error of each."""
        if first.diverged or self.diverged:
            return self._replace(steps=first.steps + self.steps)
        figures = {name: max(error, first.figures[name]) for name, error in self.figures.items()}
        numbers = {name: max(error, first.numbers.get(name, 0.0)) for name, error in self.numbers.items()}
        return self._replace(steps=first.steps + self.steps, figures=figures, numbers=numbers)


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
    found = _twin_at(ratio, twins, part_of(progress, 0.0, 0.4))
    if ratio > 1.0 and found.doubtful:
        found = _twin_at(0.5, twins, part_of(progress, 0.4, 1.0)).with_first(found)
    if progress is not None:
        progress(1.0)
    return found


def part_of(progress: Progress | None, low: float, high: float) -> Progress | None:
    """Progress of a part of the work as that of the whole."""
    return None if progress is None else lambda fraction: progress(low + (high - low) * fraction)


def _twin_at(ratio: float, twins: Twins, progress: Progress | None) -> Check:
    """Run the twin at so many times the step, and compare."""
    sim, engine = twins.sim, twins.sim._engine
    stride = max(1, round(engine.stride / ratio))
    steps = stride * max(1, round(engine.done / ratio / stride))
    step = engine.time / steps
    twin = twins.begun(ratio, step, stride)
    try:
        fine = twin.advance(steps * step - twin.time, progress=twins.progress_of(twin, ratio, progress))
    except SerpenoidError:  # a controller that gives up at this step
        return Check((step,), {}, {}, diverged=True)
    parting = left = None
    if sim.setup.drive is not None:
        parting, left = _parting(sim, twin, fine)
    if not fine:
        return Check((step,), {}, {}, True, parting, left)
    share = abs(step / engine.dt - 1.0)
    return Check((step,), *_errors(sim, twins.run, twin, share), False, parting, left)


def _errors(sim: Simulation, run: Trajectory, twin: Simulation, share: float) -> tuple[dict[str, float], dict[str, float]]:  # fmt: skip
    """Estimated errors of the run by figure and by number."""
    mine, other, robot = _figures(sim), _figures(twin), sim.robot
    path = max(float(run.metrics["path_length"] or 0.0), float(np.linalg.norm(mine.moved)), SHORTEST * robot.length)
    turned = turned_over(run.variables)
    nothing = NOTHING * max(robot.mass * sim.world.gravity * robot.length, turned, 1e-300)
    net, positive = np.abs(other.work - mine.work)
    figures = {
        "place_reached": float(np.linalg.norm(other.moved - mine.moved)) / path,
        "work": max(net / max(turned, other.work[1], nothing), positive / max(*mine.work, *other.work, nothing)),
        "torque": abs(other.torque - mine.torque) / max(mine.torque, other.torque, nothing),
        "greatest_torque": abs(other.peak - mine.peak) / max(mine.peak, other.peak, nothing),
    }
    engine = twin._engine
    measured = Measured(twin.setup, engine.variables(), engine.totals(), engine.time, SelfCrossing(0.0))
    scales = scales_of(
        run.metrics, robot.mass, sim.world.gravity, robot.length, float(robot.radius.min()), turned, sim.time
    )
    numbers = estimates_of(run.metrics, measured, scales)
    return tuple({name: float(change / share) for name, change in found.items()} for found in (figures, numbers))  # type: ignore[return-value]


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


def warning_of(found: Check, dt: float) -> list[Finding]:
    """What to beware of; nothing if every number has converged."""
    other = found.steps[-1]
    if found.diverged:
        return [Finding("fails-at-another-step", other=other)]
    made = []
    if any(not error <= ROUGH for error in found.numbers.values()):
        rough = {name: error for name, error in found.numbers.items() if not error <= NAMED}
        factor = max(found.numbers.values()) / NAMED
        made.append(Finding("rough-numbers", step=dt, errors=rough, other=other, enough=_enough(dt, GOAL * factor)))
    beyond = {name: error for name, error in found.figures.items() if not error <= LIMITS[name]}
    if beyond:
        factor = max(error / LIMITS[name] for name, error in beyond.items())
        made.append(Finding("not-converged", step=dt, errors=beyond, other=other, enough=_enough(dt, factor)))
    return made


def _enough(dt: float, factor: float) -> float:
    """A step that brings an error of so many times its limit well below it."""
    return dt / min(max(factor / GOAL, 2.0), 100.0)


def provenance_of(found: Check) -> dict[str, Any]:
    """What the trajectory keeps of it."""
    own = {name: "a metric of one's own" for name in METRICS if name not in SCALES and name not in UNJUDGED}
    kept: dict[str, Any] = {"twin_steps": list(found.steps), "figures": found.figures, "errors": found.numbers, "not_judged": {**UNJUDGED, **own}}  # fmt: skip
    if found.diverged:
        kept["twin_diverged"] = True
    return kept
