"""How a run is stepped: its grid of steps and frames, the automatic step, and the horizon of torque-driven runs."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from serpenoid.contact import sums as tally
from serpenoid.core import FloatArray
from serpenoid.core.errors import InputError, NumericalError
from serpenoid.planar.record import places
from serpenoid.planar.run import PlanarRun
from serpenoid.simulation.setup import Settings, Setup
from serpenoid.spatial._old.record import nodes_of
from serpenoid.spatial._old.run import SpatialRun

Run = PlanarRun | SpatialRun

Progress = Callable[[float], None]  # fraction done

STRETCH = 20_000  # steps of 20 links between looks at the clock
HORIZON = 0.01  # of the body length: how far any node of a run and of its twin at half the step may part
AUTO_COARSEST, AUTO_HALVINGS = 8e-3, 12  # s, -
FRAME_VALUES = 40_000_000  # recorded link values at most (320 MB)


def grid(settings: Settings, step: float, links: int) -> tuple[int, int]:
    """Number of steps and steps a frame, so that the last frame is the end of the run."""
    wanted = settings.duration / step
    if not wanted * links <= settings.max_link_steps:
        raise InputError(
            f"run.step: {wanted:.3g} steps of {links} links are more than run.max_link_steps = "
            f"{settings.max_link_steps:.3g} (about {wanted * links * 4e-8 / 3600:.3g} hours); use a longer step or raise the limit"
        )
    steps = max(1, int(np.ceil(wanted - 1e-9)))
    frames = max(1, min(round(settings.duration / settings.record_interval), steps, FRAME_VALUES // (16 * links) + 1))
    stride = max(1, round(steps / frames))
    for near in range(stride, 0, -1):
        if steps % near == 0 and steps // near <= 2 * frames:
            return steps, near
    return stride * int(np.ceil(steps / stride)), stride


def advance(run: Run, progress: Progress | None = None, until: int | None = None) -> bool:
    """Advance to step `until` (or the end) in stretches, between which an interrupt is answered; False if it diverged."""
    last = run.steps if until is None else min(until, run.steps)
    links = run.b.shape[1] if isinstance(run, PlanarRun) else run.b.shape[0]
    stretch = max(1, STRETCH * 20 // links)
    while run.done < last:
        if not run.advance(min(run.done + stretch, last)):
            return False
        if progress is not None:
            progress(run.done / run.steps)
    return True


def start_run(setup: Setup, steps: int, stride: int) -> Run:
    """A run of a setup on a grid of steps and frames, by the engine that fits: with a ground in space, without in the plane."""
    s = setup.settings
    if setup.world.upright or setup.world.anchors:
        raise InputError("this engine knows no upright obstacles and anchors of a world yet; use solids")
    if not setup.spatial and setup.mode == "servo":
        raise InputError("servos act in three dimensions: give the world a Ground")
    if setup.spatial:
        return SpatialRun(
            setup.robot, setup.gait, setup.drive, setup.world, setup.start,
            mode=setup.mode, duration=s.duration, steps=steps, stride=stride, servo=setup.servo,
        )  # fmt: skip
    return PlanarRun(
        setup.robot, setup.gait, setup.drive, setup.world, setup.start,
        duration=s.duration, steps=steps, stride=stride, integrator=s.integrator,
    )  # fmt: skip


def _figures(run: Run, setup: Setup) -> tuple[FloatArray, FloatArray]:
    """What the automatic step looks at, and the scales: displacement, slip, squared torque; under torques work and joint angle."""
    acc, length = run.acc, setup.robot.length
    moved = run.q[:2] - run.rec.motion[0, :2]
    distance = max(float(np.hypot(*moved)), 0.01 * length)
    slip, square = acc[tally.SLIP_ACROSS] / setup.robot.links, acc[tally.TORQUE_SQ] / run.time
    values, scales = [*moved, slip, square], [distance, distance, max(slip, 1e-4 * length), max(square, 1e-12)]
    if setup.drive is not None:
        values += [acc[tally.NET_WORK], acc[tally.ANGLE_MAX]]
        scales += [max(acc[tally.POSITIVE_WORK], 1e-12), max(acc[tally.ANGLE_MAX], 1e-3)]
    return np.array(values), np.array(scales)


def auto_step(setup: Setup, progress: Progress | None = None) -> tuple[float, float]:
    """Halve the step until the figures change by less than the tolerance; (step, last change)."""
    tolerance = setup.settings.tolerance
    step = min(AUTO_COARSEST, setup.settings.duration / 10.0)
    before: FloatArray | None = None
    change = np.inf
    for k in range(AUTO_HALVINGS):
        steps, _ = grid(setup.settings, step, setup.robot.links)
        run = start_run(setup, steps, steps)
        if advance(run):
            now, scale = _figures(run, setup)
            if before is not None:
                change = float(np.max(np.abs(now - before) / scale))
                if change <= tolerance:
                    return step, change
            before = now
        if progress is not None:
            progress((k + 1) / AUTO_HALVINGS)
        step /= 2.0
    raise NumericalError(
        f'run.step = "auto": no step down to {2 * step:.2g} s meets run.tolerance = {tolerance:g} '
        f"(last change {change:.2g}). The motion may be unstable (torque mode) or at a breakaway; raise the tolerance "
        "or give a step."
    )


def horizon(setup: Setup, run: Run) -> tuple[float | None, float | None]:
    """Time at which a node of the twin at half the step parts from the run's by HORIZON body lengths; largest parting."""
    twin = start_run(setup, 2 * run.steps, 2 * run.stride)
    finite = advance(twin, until=2 * run.done)
    frames = min(run.frames, twin.frames)
    nodes = [
        (places(setup.robot, r)[0] if isinstance(r, PlanarRun) else nodes_of(setup.robot, r))[:frames]
        for r in (run, twin)
    ]
    parting = np.linalg.norm(nodes[0] - nodes[1], axis=-1).max(axis=1)
    beyond = np.flatnonzero(~(parting <= HORIZON * setup.robot.length))
    if beyond.size:
        return float(beyond[0] * run.stride * run.dt), float(parting.max())
    return (None, float(parting.max())) if finite else (twin.time, None)
