"""From descriptions to a `Trajectory`: the one place that puts robot, gait, world and engine together.

`simulate` takes objects, `run_scenario` a checked scenario; `resume` goes on from where a run stopped. Step control
("auto"), the reproducible horizon of torque-driven runs, warnings and provenance are decided here.
"""

from __future__ import annotations

import platform
from collections.abc import Callable, Mapping
from dataclasses import replace
from importlib.metadata import version
from typing import Any

import numpy as np

from serpenoid.contact import Coulomb
from serpenoid.core import Drive, FloatArray, Gait, Robot, Start, Status, Trajectory, World
from serpenoid.engines import tally
from serpenoid.engines.planar import PlanarRun
from serpenoid.errors import InputError, NumericalError
from serpenoid.formats.scenario import checked, read
from serpenoid.metrics import METRICS, SLIP_FLOOR, measure
from serpenoid.optimise import scan_and_refine
from serpenoid.records import places, variables_of
from serpenoid.setups import Settings, Setup, setup_of

Progress = Callable[[float], None]  # fraction done

STRETCH = 20_000  # link-steps (times 20) between looks at the clock
HORIZON = 0.01  # of the body length: how far a run and its twin at half the step may part
AUTO_COARSEST, AUTO_HALVINGS = 8e-3, 12  # s, -
LINKS_A_WAVE = 5
RESIDUAL = 1e-5  # N m: contract on the moment left at the tail
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


def _march(run: PlanarRun, links: int, progress: Progress | None, until: int | None = None) -> tuple[bool, bool]:
    """Advance in stretches; returns (still finite, interrupted)."""
    last = run.steps if until is None else min(until, run.steps)
    stretch = max(1, STRETCH * 20 // links)
    try:
        while run.done < last:
            if not run.advance(min(run.done + stretch, last)):
                return False, False
            if progress is not None:
                progress(run.done / run.steps)
    except KeyboardInterrupt:
        return True, True
    return True, False


def _start_run(setup: Setup, step: float, record: bool = True) -> PlanarRun:
    s = setup.settings
    steps, stride = grid(s, step, setup.robot.links)
    return PlanarRun(
        setup.robot, setup.gait, setup.drive, setup.world, setup.start,
        duration=s.duration, steps=steps, stride=stride if record else steps, integrator=s.integrator,
    )  # fmt: skip


def _key_figures(run: PlanarRun, robot: Robot) -> FloatArray:
    """Displacement (2), slip, mean squared torque, and the floors below which differences do not count."""
    moved = run.q[:2] - run.rec.motion[0, :2]
    return np.array([*moved, run.acc[tally.SLIP_ACROSS] / robot.links, run.acc[tally.TORQUE_SQ] / run.time])


def auto_step(setup: Setup, progress: Progress | None = None) -> tuple[float, float]:
    """Halve the step until distance, slip and squared torque change by less than the tolerance; (step, change)."""
    tolerance, robot = setup.settings.tolerance, setup.robot
    step = min(AUTO_COARSEST, setup.settings.duration / 10.0)
    before: FloatArray | None = None
    change = np.inf
    for k in range(AUTO_HALVINGS):
        run = _start_run(setup, step, record=False)
        finite, interrupted = _march(run, robot.links, None)
        if interrupted:
            raise KeyboardInterrupt
        if finite:
            now = _key_figures(run, robot)
            if before is not None:
                distance = max(float(np.hypot(*now[:2])), 0.01 * robot.length)
                scale = np.array([distance, distance, max(now[2], 1e-4 * robot.length), max(now[3], 1e-12)])
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


def _horizon(setup: Setup, run: PlanarRun) -> tuple[float | None, float]:
    """Time at which a twin at half the step parts from the run by HORIZON body lengths, and the largest parting."""
    s = setup.settings
    twin = PlanarRun(
        setup.robot, setup.gait, setup.drive, setup.world, setup.start,
        duration=s.duration, steps=2 * run.steps, stride=2 * run.stride, integrator=s.integrator,
    )  # fmt: skip
    finite, interrupted = _march(twin, setup.robot.links, None, 2 * run.done)
    if interrupted:
        raise KeyboardInterrupt
    frames = min(run.frames, twin.frames)
    parting = np.hypot(*(run.rec.motion[:frames, :2] - twin.rec.motion[:frames, :2]).T)
    beyond = np.flatnonzero(parting > HORIZON * setup.robot.length)
    if beyond.size:
        return float(beyond[0] * run.stride * run.dt), float(parting.max())
    return (None, float(parting.max())) if finite else (twin.time, float("inf"))


def _warnings(setup: Setup, run: PlanarRun, metrics: Mapping[str, float | None]) -> list[str]:
    robot, gait, acc = setup.robot, setup.gait, run.acc
    said = []
    waves = getattr(gait, "waves", None)
    if waves is not None and robot.links / waves < LINKS_A_WAVE:
        said.append(
            f"{waves:g} waves on {robot.links} links are {robot.links / waves:.3g} links a wave; under {LINKS_A_WAVE} "
            "the links no longer follow the curve"
        )
    if setup.drive is not None and acc[tally.ANGLE_MAX] > np.pi:
        said.append(
            f"joint {int(acc[tally.ANGLE_MAX_JOINT])} spins up: its angle reaches {np.degrees(acc[tally.ANGLE_MAX]):.0f} deg; "
            "a real joint would meet its stop"
        )
    if acc[tally.UNCONVERGED] > 0:
        said.append(
            f"{int(acc[tally.UNCONVERGED])} of {run.done} steps did not converge on the friction law and used its secant"
        )
    if acc[tally.RESIDUAL_MAX] > RESIDUAL:
        said.append(f"moment balance: {acc[tally.RESIDUAL_MAX]:.2g} N m left at the tail; use a shorter step")
    slip = metrics["slip_per_link"]
    if slip is not None and slip <= SLIP_FLOOR:
        said.append(f"slip per link {slip:.1g} m is below {SLIP_FLOOR:g} m: the efficiency is not defined")
    return said


def _provenance(setup: Setup, run: PlanarRun, extra: Mapping[str, Any]) -> dict[str, Any]:
    """How the numbers came about: versions, engine, law, step."""
    return {
        "version": version("serpenoid"),
        "engine": "planar",
        "integrator": setup.settings.integrator,
        "law": setup.world.friction.NAME,
        "robot": f"{setup.robot.name} ({setup.robot.links} links)",
        "drive": setup.gait.NAME + " gait"
        if setup.drive is None and setup.gait
        else f"{setup.drive and setup.drive.NAME} torques",
        "mode": "shape" if setup.drive is None else "torque",
        "step": run.dt,
        "steps": run.done,
        "time": run.time,
        "seed": None,
        "iterations_per_step": float(run.acc[tally.ITERATIONS]) / max(run.done, 1),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "machine": platform.machine(),
        **extra,
    }


def _finish(setup: Setup, run: PlanarRun, finite: bool, interrupted: bool, notes: Mapping[str, Any]) -> Trajectory:
    """Status, metrics, warnings and provenance of a run that has stopped."""
    nodes, contacts, angles = places(setup.robot, run)
    metrics = measure(
        run, setup.robot, setup.gait, setup.world, setup.start.heading, setup.settings.duration, nodes, angles
    )
    said = _warnings(setup, run, metrics)
    status = Status("ok")
    extra = dict(notes)
    if not finite:
        rate = run.b[1]
        worst = int(np.argmax(np.where(np.isfinite(rate), np.abs(rate), np.inf)))
        status = Status(
            "diverged",
            f"a number became infinite or undefined after t = {run.time:.6g} s (link {worst} first); use a shorter step"
            + (', or integrator = "implicit"' if setup.settings.integrator != "implicit" else ""),
            run.time,
        )
        metrics = {k: (v if v is not None and np.isfinite(v) else None) for k, v in metrics.items()}
    elif interrupted:
        status = Status("interrupted", f"stopped at t = {run.time:.6g} s", run.time)
    elif setup.drive is not None:
        horizon, parting = _horizon(setup, run)
        extra["twin_parting"] = parting
        if horizon is not None:
            status = Status(
                "left-horizon",
                f"the same run at half the step parts from it by {HORIZON:.0%} of the body length at t = {horizon:.4g} s; "
                "later values are one of many possible motions",
                horizon,
            )
    if setup.settings.step == "auto":
        said.append(f'step = "auto" chose {run.dt:.3g} s (last change {notes["auto_change"]:.2g})')
    provenance = _provenance(setup, run, extra)
    return Trajectory(
        variables_of(run, nodes, contacts, angles),
        metrics,
        status,
        tuple(said),
        setup.keys(),
        provenance,
        run.state(),
    )


def execute(
    setup: Setup, *, until: float | None = None, state: Mapping[str, Any] | None = None, before: Trajectory | None = None,
    progress: Progress | None = None,
) -> Trajectory:  # fmt: skip
    """Run a setup, from a saved state if one is given, up to time `until` or the end."""
    notes: dict[str, Any] = {}
    if state is not None:
        dt = float(state["grid"][0])
        run = _start_run(replace(setup, settings=replace(setup.settings, step=dt)), dt * (1.0 + 1e-12))
        if (run.dt, run.steps, run.stride) != tuple(state["grid"]):
            raise InputError(
                "this state was saved on another grid of steps; continue it with the same duration and step"
            )
        run.restore(state)
        if before is not None:
            _refill(run, before)
        if setup.settings.step == "auto":
            notes["auto_change"] = float(before.provenance.get("auto_change", np.nan)) if before else np.nan
    else:
        step = setup.settings.step
        if isinstance(step, str):
            step, notes["auto_change"] = auto_step(setup, progress)
        run = _start_run(setup, step)
    last = None if until is None else int(np.ceil(until / run.dt - 1e-9))
    finite, interrupted = _march(run, setup.robot.links, progress, last)
    return _finish(setup, run, finite, interrupted, notes)


def _refill(run: PlanarRun, before: Trajectory) -> None:
    """Put the recorded frames of an earlier part back, so that the continued run holds the whole."""
    frames = run.frames
    for name, values in (("motion", run.rec.motion), ("links", run.rec.links), ("sums", run.rec.sums)):
        values[:frames] = before.state[f"rec_{name}"][:frames]


def simulate(
    robot: Robot, gait: Gait | None = None, world: World | None = None, duration: float = 8.0, *,
    drive: Drive | None = None, start: Start | None = None, step: float | str = 2.5e-4, tolerance: float = 1e-3,
    integrator: str = "implicit", record_interval: float = 0.01, until: float | None = None,
    progress: Progress | None = None,
) -> Trajectory:  # fmt: skip
    """Simulate a robot: with a gait its shape is prescribed, with a drive its joint torques are."""
    setup = Setup(
        robot=robot,
        world=world or World(Coulomb(along=0.1, across=0.5)),
        settings=Settings(duration, step, tolerance, integrator, record_interval),
        gait=gait,
        drive=drive,
        start=start or Start(),
    )
    return execute(setup, until=until, progress=progress)


def run_scenario(
    name: str,
    changes: list[str] | None = None,
    *,
    until: float | None = None,
    progress: Progress | None = None,
) -> Trajectory:
    """Run a scenario by bundled name or path, with changes like "gait.waves=2"."""
    return execute(setup_of(read(name, changes)), until=until, progress=progress)


def resume(run: Trajectory, *, until: float | None = None, progress: Progress | None = None) -> Trajectory:
    """Continue a run from where it stopped, bit for bit as if it had never stopped."""
    if run.status.name == "diverged":
        raise InputError(f"this run diverged and cannot be continued: {run.status.message}")
    setup = setup_of(checked(dict(run.scenario), "the scenario of the saved run"))
    return execute(setup, until=until, state=run.state, before=run, progress=progress)


def _interval(over: str) -> tuple[str, float, float]:
    """Key path and bounds of "path.to.key=low:high"."""
    key, equals, span = over.partition("=")
    low, colon, high = span.partition(":")
    try:
        if not (equals and colon and key.strip()):
            raise ValueError
        return key.strip(), float(low), float(high)
    except ValueError:
        raise InputError(f"--over needs path.to.key=low:high, got {over!r}") from None


def optimise_scenario(
    name: str, changes: list[str] | None = None, *, over: str, maximise: str | None = None, minimise: str | None = None,
    points: int = 18, tolerance: float | None = None, progress: Progress | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Search one number of a scenario for the best value of a metric: coarse scan, then golden section."""
    key, low, high = _interval(over)
    metric = maximise or minimise
    if metric not in METRICS:
        raise InputError(f"unknown metric {metric!r}; allowed are {', '.join(METRICS)}")
    sign = 1.0 if maximise else -1.0
    for end in (low, high):  # both ends must be acceptable, before anything runs
        setup_of(read(name, [*(changes or []), f"{key}={end!r}"]))
    failures: list[str] = []

    def objective(x: float) -> float | None:
        run = execute(setup_of(read(name, [*(changes or []), f"{key}={x!r}"])))
        if run.status.name == "diverged":
            failures.append(f"{key} = {x:.6g}: {run.status.message}")
        value = run.metrics[metric]
        return None if value is None or not run.status.ok else sign * value

    best = scan_and_refine(objective, low, high, points=points, tolerance=tolerance, progress=progress)
    signed = [[x, None if v is None else sign * v] for x, v in best.evaluations]
    if best.at_end:
        failures.append(f"the optimum lies at the end of {key} = {low:g}:{high:g}; widen the interval")
    return {
        "status": "ok",
        "optimum": {key: best.place},
        "value": sign * best.value,
        "objective": metric,
        "goal": "maximise" if maximise else "minimise",
        "unit": METRICS[metric].unit,
        "evaluations": len(signed),
        "evaluations_list": signed,
        "scan": [[x, None if v is None else sign * v] for x, v in best.scan],
        "warnings": failures,
        "scenario": setup_of(read(name, [*(changes or []), f"{key}={best.place!r}"])).keys(),
    }
