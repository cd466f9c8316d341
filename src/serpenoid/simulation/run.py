"""A whole run in one call: `simulate` takes objects, `run_scenario` a scenario, `resume` goes on from where a run stopped."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from serpenoid import signals
from serpenoid.core import Robot, Start, Status, Trajectory, World
from serpenoid.core.door import door
from serpenoid.core.errors import InputError
from serpenoid.core.quantities import Anything
from serpenoid.simulation.commands import check_parts, kind_of_command
from serpenoid.simulation.engines import step_of
from serpenoid.simulation.judge import trajectory_of
from serpenoid.simulation.keeping import Keeper, checkpoint_of, kept
from serpenoid.simulation.resolution import check_sampling
from serpenoid.simulation.restoring import (
    FOREIGN,
    STRANGE,
    check_description,
    check_version,
    own_of,
    planned,
    time_of,
    twin_of,
)
from serpenoid.simulation.setup import Settings, Setup, setup_of
from serpenoid.simulation.simulation import Simulation, check_until
from serpenoid.simulation.steps import Progress, auto_step, grid
from serpenoid.simulation.twin import HORIZON, Keep, Twins, check, part_of, provenance_of, warning_of, why_not


@door(robot=Anything(), world=Anything(), start=Anything())  # `check_parts` tells the order, too
def simulate(
    robot: Robot, command: Any = None, world: World | None = None, duration: float | None = None, *, start: Start | None = None,
    step: float | str | None = None, tolerance: float = 1e-3, integrator: str = "implicit", record_interval: float = 0.01,
    checked: bool = True, until: float | None = None, engine: str | None = None, progress: Progress | None = None,
) -> Trajectory:  # fmt: skip
    """Simulate a robot under a command in a world.

    Parameters
    ----------
    robot : Robot; with a `servo` its joints follow the command by servos, else exactly
    command : a gait (time to joint angles), a drive (time to torques), a controller (state to either) or a plan
    world : World, default: level ground with Coulomb friction 0.1 along and 0.5 across the links
    duration : s; the end of the run, unless a plan is done before; default 8 s, for a plan what it needs at most
    start : Start, pose and velocity at t = 0
    step : s (default 2.5e-4 in the plane, 1e-3 in space), or "auto": halved until the result changes by less than `tolerance`
    integrator : "implicit" (default), or in the plane "euler", "rk4"
    record_interval : s between recorded frames
    checked : run it once more at twice the step, (half as much time again), where that leaves a doubt at half the step, and say which numbers are rough
    until : s; stop there, to be continued by `sp.resume`
    engine : None (the one that fits), "planar", "spatial", "mujoco", "mujoco-native", "drake", "drake-native"
    progress : called with the fraction done

    Returns
    -------
    Trajectory, whose `status` tells whether it can be used
    """
    check_parts(robot, command, world, start)
    settings = Settings(
        duration_of(command) if duration is None else duration,
        step,
        tolerance,
        integrator,
        record_interval,
        checked=checked,
    )
    setup = Setup(robot, world or World(), command, start or Start(), settings)
    return execute(setup, until=until, engine=engine, progress=progress)


def duration_of(command: Any) -> float | None:
    """Duration in s of a run that names none: what a plan or its controller needs at most (None: it says when it is solved), else 8 s."""
    if kind_of_command(command) == "plan":
        return None
    return float(getattr(command, "longest", 8.0))


def execute(
    setup: Setup, *, until: float | None = None, before: Trajectory | None = None, engine: str | None = None,
    progress: Progress | None = None, partial: bool = False, keeper: Keeper | None = None,
) -> Trajectory:  # fmt: skip
    """Run a description, or go on from where `before` stopped, up to the frame at or after `until`, or the end.

    An interrupt is raised on, unless `partial`: then what there is comes back with the status "interrupted". A `keeper` saves the run
    now and then.
    """
    signals.check()
    goal = None if until is None else check_until("until", until)
    setup = setup.prepared(progress)
    sim, notes = begun(setup, engine, progress) if before is None else _continued(setup, before)
    frame = sim.step * sim._engine.stride
    end = notes["steps_planned"] * sim.step
    under_way = (
        before is not None and not before.variables
    )  # killed before it was judged: it may have come as far as asked
    if goal is not None and (goal < sim.time * (1.0 - 1e-9) or (goal <= sim.time and not under_way)):
        raise InputError(f"until {goal:g} s lies before the time reached, {sim.time:g} s")
    saved = None if before is None or sim.time < end * (1.0 - 1e-9) else twin_of(before)
    last = end if goal is None else min(end, float(np.ceil(goal / frame - 1e-9)) * frame)
    reason = why_not(setup, sim.engine_name)
    share = 1.0 if reason else 0.4  # of the run in the work, its twins included
    try:
        report = kept(sim, notes, keeper, part_of(progress, 0.0, share))
        sim.advance(last - sim._asked if before is None else last - sim.time, progress=report)
    except KeyboardInterrupt:
        if not partial:
            raise
        signals.take()
        return trajectory_of(sim, {**notes, "check": {"skipped": "it was interrupted"}}, interrupted=True)
    run = trajectory_of(sim, notes)
    if keeper is not None and sim._good:
        keeper.end(lambda: checkpoint_of(sim, notes))
    if run.status.name == "stalled" and last < end * (1.0 - 1e-9) and not sim.finished:  # it was asked to stop here
        run = replace(run, status=Status("ok", f"stopped at t = {sim.time:.6g} s as asked, under way"))
    run = replace(run, warnings=(*run.warnings, *chosen(sim, notes)))
    if not run.status.ok:
        reason = f"it ended as {run.status.name}"
    if reason:
        return _noted(run, check={"skipped": reason})
    try:
        keep = None if keeper is None else _keeping(sim, notes, keeper)
        twins = Twins(sim, run, setup, keep, saved)
        return _checked(twins, part_of(progress, share, 1.0))
    except KeyboardInterrupt:
        if not partial:
            raise
        signals.take()
        status = Status("interrupted", "stopped while the run was checked; the run itself is whole", sim.time)
        return replace(_noted(run, check={"skipped": "it was interrupted"}), status=status)


def begun(
    setup: Setup, engine: str | None = None, progress: Progress | None = None
) -> tuple[Simulation, dict[str, Any]]:
    """A simulation at its start, with the step that was given or found."""
    notes: dict[str, Any] = {}
    step = setup.settings.step
    if isinstance(step, str):
        step, notes["auto_change"] = auto_step(setup, progress)
    dt, steps, stride = grid(setup, step if isinstance(step, float) else step_of(setup))
    notes["steps_planned"] = steps
    check_sampling(setup, dt)
    return Simulation._made(setup.copied(), engine, dt, stride), notes


def chosen(sim: Simulation, notes: Mapping[str, Any]) -> tuple[str, ...]:
    """What is said of a step that was found."""
    if "auto_change" not in notes:
        return ()
    return (f'step = "auto" chose {sim.step:.3g} s (last change {notes["auto_change"]:.2g})',)


def _noted(run: Trajectory, **notes: Any) -> Trajectory:
    return replace(run, provenance={**run.provenance, **notes})


def _keeping(sim: Simulation, notes: dict[str, Any], keeper: Keeper) -> Keep:
    """What saves a run that is done, with its twin under way."""
    return lambda twin, ratio: keeper.look(lambda: checkpoint_of(sim, notes, twin, ratio))


def _checked(twins: Twins, progress: Progress | None) -> Trajectory:
    """The run with what its twin tells: warnings, and under torques its horizon."""
    found, sim = check(twins, progress), twins.sim
    run = _noted(twins.run, check=provenance_of(found))
    run = replace(run, warnings=(*run.warnings, *warning_of(found, sim.step)))
    if sim.setup.drive is not None:
        run = _noted(run, twin_parting=found.parting)
        if found.left is not None and run.status.ok:
            text = f"at half the step a node is {HORIZON:.0%} of the body length away at t = {found.left:.4g} s; later values are one of many possible motions"
            run = replace(run, status=Status("left-horizon", text, found.left))
    return run


def _continued(setup: Setup, before: Trajectory) -> tuple[Simulation, dict[str, Any]]:
    """A simulation at the state in which `before` stopped, with its frames."""
    state = before.state
    if "simulation" not in state or "arrays" not in state or "record" not in state:
        raise InputError("this run was saved without the state to continue it")
    dt, steps, stride = planned(setup, before)
    try:
        sim = Simulation.of(setup.copied(), engine=state["simulation"].get("engine"), step=dt, stride=stride)
        sim.recall(state)
        sim._engine.put_recorded(state["record"])
        notes = {"auto_change": float(before.provenance["auto_change"])} if setup.settings.step == "auto" else {}
    except InputError:
        raise
    except STRANGE as error:
        raise InputError(f"{FOREIGN}: {type(error).__name__}: {error}"[:200]) from error
    if sim._engine.done > steps:
        raise InputError(f"{FOREIGN}: {sim._engine.done} steps taken of {steps}")
    sim._asked = sim.time
    return sim, {**notes, "steps_planned": steps}


@door
def run_scenario(
    name: str, changes: list[str] | None = None, *, until: float | None = None, progress: Progress | None = None, allow: tuple[str, ...] = (),
    outside: bool = False,
) -> Trajectory:  # fmt: skip
    """Run a scenario by bundled name or path, with changes like "gait.waves=2".

    `allow` names modules it may take kinds from; `outside` lets it name files that do not lie in its folder.
    """
    from serpenoid.formats.scenario import read

    return execute(setup_of(read(name, changes, allow=allow, outside=outside)), until=until, progress=progress)


@door
def resume(
    run: Trajectory, *, command: Any = None, until: float | None = None, duration: float | None = None, progress: Progress | None = None,
    partial: bool = False, allow: tuple[str, ...] = (), keeper: Keeper | None = None,
) -> Trajectory:  # fmt: skip
    """Continue a run from where it stopped, bit for bit as if it had never stopped; a `duration` (s) extends it, finished or not.

    An extended run keeps its own step. That is the step of a run of that duration wherever the duration is a whole number of frames,
    and then the two are equal bit for bit; otherwise it ends with the frame at or after the duration, and says so. A run under a
    controller of one's own needs it again as `command`: a file holds numbers, not functions. `allow` names modules from which the
    run's description may take kinds and functions.
    """
    if run.status.name == "diverged":
        raise InputError(f"this run diverged and cannot be continued: {run.status.message}")
    check_version(run)
    check_description(run)
    setup = setup_of(dict(run.scenario), allow=allow, command=command, limp=True)
    checkpoint = not run.variables  # of a run that was killed before it was judged and drawn: it may be at its end
    if own_of(run).get("finished") and not checkpoint:
        raise InputError("this run has already come to its end: its controller is done")
    if duration is not None:
        setup, run = _extended(setup, run, duration)
    end = setup.settings.duration
    if end is None or (time_of(run) >= end * (1.0 - 1e-9) and not checkpoint):
        raise InputError("this run has already come to its end; give a longer duration to extend it")
    made = execute(setup, until=until, before=run, progress=progress, partial=partial, keeper=keeper)
    if duration is None or abs(end - duration) <= 1e-9 * duration:
        return made
    said = f"extended with the step of {made.provenance['step']:.6g} s and the frames of the run: it ends at {end:.6g} s, not at {duration:g} s"
    return replace(made, warnings=(*made.warnings, said))


def _extended(setup: Setup, run: Trajectory, duration: float) -> tuple[Setup, Trajectory]:
    """The description with a later end and the run with more steps planned; where the step does not fit, up to the next frame."""
    reached = time_of(run)
    step, _, stride = planned(setup, run)
    later = setup.settings.but(duration=duration)
    if duration <= reached * (1.0 + 1e-9):
        raise InputError(f"duration must be longer than the {reached:.6g} s of this run, got {duration:g} s")
    auto = isinstance(later.step, str)
    steps = stride * int(np.ceil(duration / (step * stride) - 1e-9))
    kept = later.but(duration=steps * step) if auto else later.but(duration=steps * step, step=step)
    for settings in (later, kept):
        longer = replace(setup, settings=settings)
        found = grid(longer, step if auto else step_of(longer))
        if (found[0], found[2]) == (step, stride):
            return longer, _noted(run, steps_planned=found[1])
    raise InputError(
        f"a run of {duration:g} s has other frames than this one, which has one every {step * stride:.6g} s; extend it to a multiple of "
        f"{10 * step * stride:.6g} s, or run it anew"
    )
