"""The step of a run: its grid of steps and frames, and the automatic step."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from serpenoid.core import FloatArray
from serpenoid.core.errors import InputError, NumericalError
from serpenoid.judgement.commanded import STEPS_PER_PERIOD
from serpenoid.simulation.budget import check_memory, check_steps
from serpenoid.simulation.resolution import shortest_period
from serpenoid.simulation.setup import Setup
from serpenoid.simulation.simulation import Simulation

Progress = Callable[[float], None]  # fraction done

MOST_TRIED = 100_000  # numbers of steps per frame
AUTO_COARSEST, AUTO_HALVINGS = 8e-3, 12  # s, -
LOSS_COUNTS = 10.0  # times the energy turned over: by so much less the loss of the scheme counts than the motion


def grid(setup: Setup, step: float) -> tuple[float, int, int]:
    """Step, number of steps and steps per frame, so that the last frame is the end of the run."""
    settings = setup.settings
    duration = settings.duration
    if duration is None:
        raise InputError("run.duration: missing; a run needs a duration in s")
    wanted = duration / step
    check_steps(setup, wanted)
    steps = max(1, int(np.ceil(wanted - 1e-9)))
    dt = step if abs(steps * step - duration) <= 1e-12 * duration else duration / steps
    frames = max(1, round(min(duration / settings.record_interval, steps)))
    stride = max(1, round(steps / frames))
    for near in range(stride, max(stride - MOST_TRIED, 0), -1):
        if steps % near == 0 and steps // near <= 2 * frames:
            stride = near
            break
    else:
        steps = stride * int(np.ceil(steps / stride))
        dt = duration / steps
    check_memory(setup, steps // stride)
    return dt, steps, stride


def _figures(sim: Simulation) -> tuple[FloatArray, FloatArray]:
    """What the automatic step looks at, and the scales: displacement, slip, squared torque; under torques work and joint angle."""
    setup, engine, sums = sim.setup, sim._engine, sim._engine.totals()
    com, length = engine.variables()["com"].data, setup.robot.length
    moved = com[-1, :2] - com[0, :2]
    distance = max(float(np.hypot(*moved)), 0.01 * length)
    slip, square = sums["slip_across"] / setup.robot.links, sums["torque_sq"] / engine.time
    values, scales = [*moved, slip, square], [distance, distance, max(slip, 1e-4 * length), max(square, 1e-12)]
    if setup.drive is not None:
        values += [sums["net_work"], sums["angle_max"]]
        scales += [max(sums["positive_work"], 1e-12), max(sums["angle_max"], 1e-3)]
    return np.array(values), np.array(scales)


def _lost(sim: Simulation) -> float:
    """Energy that the scheme itself lost in space, over LOSS_COUNTS times what was turned over.

    Two steps that are both far too long lose all there is and agree, so it is the loss that counts and not its change.
    """
    if not sim.setup.spatial:
        return 0.0
    sums = sim._engine.totals()
    return abs(sums["scheme_loss"]) / (LOSS_COUNTS * max(sums["positive_work"] + sums["kinetic_max"], 1e-12))


def auto_step(setup: Setup, progress: Progress | None = None) -> tuple[float, float]:
    """Halve the step until the figures change by less than the tolerance; (step, last change)."""
    settings = setup.settings
    if settings.duration is None:
        raise InputError("run.duration: missing; a run needs a duration in s")
    period = shortest_period(setup) or np.inf
    step, before, change = min(AUTO_COARSEST, settings.duration / 10.0, period / STEPS_PER_PERIOD), None, np.inf
    for k in range(AUTO_HALVINGS):
        dt, steps, _ = grid(setup, step)
        sim = Simulation.of(setup.copied(), step=dt, stride=steps)
        if sim.advance(steps * dt) and sim._engine.totals()["crossed"] == 0.0:
            now, scale = _figures(sim)
            if before is not None:
                change = max(float(np.max(np.abs(now - before) / scale)), _lost(sim))
                if change <= settings.tolerance:
                    return step, change
            before = now
        if progress is not None:
            progress((k + 1) / AUTO_HALVINGS)
        step /= 2.0
    raise NumericalError(
        f'run.step = "auto": no step down to {2 * step:.2g} s meets run.tolerance = {settings.tolerance:g} '
        f"(last change {change:.2g}). The motion may be unstable (torque mode) or at a breakaway; raise the tolerance "
        "or give a step."
    )
