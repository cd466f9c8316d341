"""From descriptions to a `Trajectory`: the one place that puts robot, gait, world and engine together.

`simulate` takes objects, `run_scenario` a checked scenario; `resume` goes on from where a run stopped. Status, warnings and
provenance are decided here; steps in `stepping`.
"""

from __future__ import annotations

import platform
from collections.abc import Mapping
from importlib.metadata import version
from typing import Any

import numpy as np

from serpenoid.contact import Threshold
from serpenoid.contact import sums as tally
from serpenoid.core import Drive, Gait, Robot, Start, Status, Trajectory, Variable, World
from serpenoid.core.actuator import Servo
from serpenoid.core.errors import InputError
from serpenoid.formats.scenario import read
from serpenoid.gaits import Sampled
from serpenoid.gaits.drives import SampledTorque
from serpenoid.planar.record import places, variables_of
from serpenoid.planar.run import PlanarRun
from serpenoid.simulation import spatial_metrics
from serpenoid.simulation.metrics import SLIP_FLOOR, measure
from serpenoid.simulation.setup import (
    Settings,
    Setup,
    setup_of,
)
from serpenoid.simulation.stepping import HORIZON, Progress, Run, advance, auto_step, grid, horizon, start_run
from serpenoid.spatial._old import record as spatial_records
from serpenoid.spatial._old.run import SpatialRun

LINKS_A_WAVE = 5
RESIDUAL = 1e-5  # N m: contract on the moment left at the tail
EXPLICIT_LOSS = 1e-3  # of the positive work: more than that and an explicit scheme nears its stability limit
UNSTABLE_LOSS = 0.1  # of the positive work: more than that and it is beyond
STEPS_A_PERIOD = 20
SOFT = 0.01  # of the radius: static sag from which a ground counts as soft
ALOFT = 0.2  # of the frames without any contact
UNCONVERGED = 0.05  # of the steps: more than that and the run cannot be trusted


def _warnings(setup: Setup, run: Run, metrics: Mapping[str, float | None]) -> list[str]:
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
    loss, work = metrics["scheme_loss"] or 0.0, metrics["positive_work"] or 0.0
    if setup.settings.integrator != "implicit" and abs(loss) > EXPLICIT_LOSS * work:
        said.append(
            f"the explicit scheme itself lost {abs(loss) / max(work, 1e-300):.1%} of the work; use a shorter step"
        )
    slip = metrics["slip_per_link"]
    if slip is not None and slip <= SLIP_FLOOR:
        said.append(f"slip per link {slip:.1g} m is below {SLIP_FLOOR:g} m: the efficiency is not defined")
    period = gait.period(robot) if gait is not None and setup.drive is None else None
    if period is not None and run.dt > period / STEPS_A_PERIOD:
        said.append(
            f"a step of {run.dt:.3g} s is long for a gait with a period of {period:.3g} s; slip and torques are coarse"
        )
    if setup.settings.integrator == "rk4" and gait is not None and setup.drive is None:
        inner = [x for x in gait.kinks() if 0.0 < x < setup.settings.duration]
        off = [x for x in inner if abs(x / run.dt - round(x / run.dt)) > 1e-6]
        if off:
            said.append(f"the gait's accelerations jump at t = {off[0]:g} s, inside a step: order 4 is lost there")
    said += _coverage(setup)
    if isinstance(run, SpatialRun):
        said += _spatial_warnings(setup, run)
    return said


def _spatial_warnings(setup: Setup, run: SpatialRun) -> list[str]:
    """What a run in space has to say: soft ground, lost contact, upright links, servos at their limits, joints at theirs."""
    robot, ground, acc, said = setup.robot, setup.world.ground, run.acc, []
    assert ground is not None
    if ground.model == "capsule":
        sag = robot.mass * setup.world.gravity / (ground.stiffness * robot.links * run.terrain.ground[6])
        if sag > SOFT * robot.radius.min():
            said.append(
                f"soft ground: at rest the links press in by {sag:.2g} m, {sag / robot.radius.min():.0%} of their radius; raise its stiffness"
            )
    touching = run.rec.links[: run.frames, :, 13].sum(axis=1)
    aloft = np.flatnonzero(touching == 0.0)
    if setup.world.gravity > 0.0 and aloft.size > ALOFT * run.frames:
        when = float(aloft[0] * run.stride * run.dt)
        said.append(
            f"nothing touches the ground in {aloft.size / run.frames:.0%} of the frames, first at t = {when:.3g} s"
        )
    if acc[tally.UPRIGHT] > 0.0:
        said.append(f"{int(acc[tally.UPRIGHT])} contacts of upright links had no direction for their friction")
    if acc[tally.SATURATED] > 0.0:
        share = acc[tally.SATURATED] / max(run.time * len(run.d), 1e-300)
        said.append(f"servos were at their torque limit for {share:.1%} of the time")
    over = np.abs(run.rec.joints[: run.frames, :, 0]).max(axis=0) if len(run.d) else np.zeros(0)
    joints = np.repeat(np.arange(robot.links), np.diff(run.chain.first))
    beyond = np.flatnonzero(over > robot.joint_limit[joints - 1] * (1.0 + 1e-9))
    if beyond.size:
        j = int(joints[beyond[0]])
        said.append(
            f"joint {j} bends to {np.degrees(over[beyond[0]]):.1f} deg, beyond its limit of {np.degrees(robot.joint_limit[j - 1]):.1f} deg"
        )
    return said


def _coverage(setup: Setup) -> list[str]:
    """Warn of samples that do not cover the run: joints are held (torques zero) outside, and rates jump there."""
    source = setup.gait if setup.drive is None else setup.drive
    if not isinstance(source, Sampled | SampledTorque):
        return []
    times = np.asarray(source.times, dtype=float)
    if times[0] <= 0.0 and times[-1] >= setup.settings.duration * (1.0 - 1e-9):
        return []
    held = "joints are held" if setup.drive is None else "torques are zero"
    return [f"samples cover {times[0]:g} to {times[-1]:g} s of {setup.settings.duration:g} s; outside them the {held}"]


def _provenance(setup: Setup, run: Run, extra: Mapping[str, Any]) -> dict[str, Any]:
    """How the numbers came about: versions, engine, law, step."""
    return {
        "version": version("serpenoid"),
        "engine": "spatial" if setup.spatial else "planar",
        **({"ground": setup.world.ground.model} if setup.world.ground is not None else {}),
        "integrator": setup.settings.integrator,
        "law": setup.world.friction.NAME,
        "robot": f"{setup.robot.name} ({setup.robot.links} links)",
        "drive": setup.gait.NAME + " gait"
        if setup.drive is None and setup.gait
        else f"{setup.drive and setup.drive.NAME} torques",
        "mode": setup.mode,
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


def _status(setup: Setup, run: Run, finite: bool, interrupted: bool, extra: dict[str, Any]) -> Status:
    """How the run ended."""
    if not finite:
        broken = np.flatnonzero(~np.isfinite(run.b[1] if isinstance(run, PlanarRun) else run.b.sum(axis=1)))
        where = f" (link {int(broken[0])})" if broken.size else ""
        remedy = ', or integrator = "implicit"' if setup.settings.integrator != "implicit" else ""
        text = f"a number became infinite or undefined after t = {run.time:.6g} s{where}; use a shorter step{remedy}"
        return Status("diverged", text, run.time)
    if interrupted:
        return Status("interrupted", f"stopped at t = {run.time:.6g} s", run.time)
    loss, work = float(run.acc[tally.SCHEME_LOSS]), float(run.acc[tally.POSITIVE_WORK])
    if setup.settings.integrator != "implicit" and abs(loss) > UNSTABLE_LOSS * work and abs(loss) > 1e-9:
        text = f"the explicit scheme itself made or lost {abs(loss):.3g} J of {work:.3g} J: beyond its stability; use a shorter step"
        return Status("diverged", text, run.time)
    failed = int(run.acc[tally.UNCONVERGED])
    if failed > UNCONVERGED * run.done and not isinstance(setup.world.friction, Threshold):
        text = (
            f"{failed} of {run.done} steps did not converge on the friction law; use a shorter step or more smoothing"
        )
        return Status("diverged", text, run.time)
    if setup.drive is not None:
        left, extra["twin_parting"] = horizon(setup, run)
        if left is not None:
            text = f"at half the step a node is {HORIZON:.0%} of the body length away at t = {left:.4g} s; later values are one of many possible motions"
            return Status("left-horizon", text, left)
    return Status("ok")


def _measured(setup: Setup, run: Run) -> tuple[dict[str, Variable], dict[str, float | None]]:
    """Variables and metrics of a run."""
    gait = setup.gait if setup.drive is None else None
    common = (setup.robot, gait, setup.world, setup.start.heading, setup.settings.duration)
    if isinstance(run, SpatialRun):
        nodes = spatial_records.nodes_of(setup.robot, run)
        variables = spatial_records.variables_of(setup.robot, run, nodes)
        return variables, spatial_metrics.measure(run, *common, nodes, spatial_records.rolls_of(run))
    nodes, contacts, angles = places(setup.robot, run)
    return variables_of(run, nodes, contacts, angles), measure(run, *common, nodes, angles)


def _finish(setup: Setup, run: Run, finite: bool, interrupted: bool, notes: Mapping[str, Any]) -> Trajectory:
    """Status, metrics, warnings and provenance of a run that has stopped."""
    variables, metrics = _measured(setup, run)
    said, extra = _warnings(setup, run, metrics), dict(notes)
    try:
        status = _status(setup, run, finite, interrupted, extra)
    except KeyboardInterrupt:  # while the twin ran: the run itself is whole
        status = Status("interrupted", "stopped while looking for the horizon; the run itself is whole", run.time)
    if not finite:
        metrics = {k: (v if v is not None and np.isfinite(v) else None) for k, v in metrics.items()}
    if setup.settings.step == "auto":
        said.append(f'step = "auto" chose {run.dt:.3g} s (last change {notes["auto_change"]:.2g})')
    provenance = _provenance(setup, run, extra)
    return Trajectory(variables, metrics, status, tuple(said), setup.keys(), provenance, run.state())


def execute(
    setup: Setup, *, until: float | None = None, before: Trajectory | None = None, progress: Progress | None = None,
    partial: bool = False,
) -> Trajectory:  # fmt: skip
    """Run a setup, or go on from where `before` stopped, up to the frame at or after `until`, or the end.

    An interrupt is raised on, unless `partial`: then what there is comes back with the status "interrupted".
    """
    notes: dict[str, Any] = {}
    if until is not None and not (np.isfinite(until) and until > 0.0):
        raise InputError(f"until must be finite and > 0 s, got {until}")
    if before is not None:
        run = _continued(setup, before)
        notes = {k: v for k, v in before.provenance.items() if k == "auto_change"}
    else:
        step = setup.settings.step
        assert step is not None
        if isinstance(step, str):
            step, notes["auto_change"] = auto_step(setup, progress)
        run = start_run(setup, *grid(setup.settings, step, setup.robot.links))
    if until is not None and until <= run.time:
        raise InputError(f"until {until:g} s lies before the time reached, {run.time:g} s")
    last = None if until is None else int(np.ceil(until / (run.dt * run.stride) - 1e-9)) * run.stride
    finite, interrupted = True, False
    try:
        finite = advance(run, progress, last)
    except KeyboardInterrupt:
        if not partial:
            raise
        interrupted = True
    return _finish(setup, run, finite, interrupted, notes)


def _continued(setup: Setup, before: Trajectory) -> Run:
    """A run at the state in which `before` stopped, with its frames."""
    state = before.state
    if "grid" not in state:
        raise InputError("this run was saved without the state to continue it")
    dt, steps, stride = (float(x) for x in state["grid"])
    if abs(dt * steps - setup.settings.duration) > 1e-9 * setup.settings.duration:
        raise InputError("this state was saved on another grid of steps; continue it with the same duration")
    run = start_run(setup, int(steps), int(stride))
    run.restore(state)
    for name, values in zip(run.rec._fields, run.rec, strict=True):
        values[: run.frames] = state[f"rec_{name}"][: run.frames]
    return run


def simulate(
    robot: Robot, gait: Gait | None = None, world: World | None = None, duration: float = 8.0, *,
    drive: Drive | None = None, servo: Servo | None = None, start: Start | None = None, step: float | str | None = None,
    tolerance: float = 1e-3, integrator: str = "implicit", record_interval: float = 0.01, until: float | None = None,
    progress: Progress | None = None,
) -> Trajectory:  # fmt: skip
    """Simulate a robot: with a gait its shape is prescribed (or aimed at by servos), with a drive its joint torques are.

    A world with a ground is in three dimensions, one without in the plane.
    """
    settings = Settings(duration, step, tolerance, integrator, record_interval)
    setup = Setup(
        robot if servo is None else robot.but(servo=servo), World() if world is None else world, gait if drive is None else drive,
        start or Start(), settings, None if drive is None else gait,
    )  # fmt: skip
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


def resume(
    run: Trajectory, *, until: float | None = None, progress: Progress | None = None, partial: bool = False,
    allow: tuple[str, ...] = (),
) -> Trajectory:  # fmt: skip
    """Continue a run from where it stopped, bit for bit as if it had never stopped; `allow`: modules whose kinds it may use."""
    if run.status.name == "diverged":
        raise InputError(f"this run diverged and cannot be continued: {run.status.message}")
    if run.provenance["time"] >= run.scenario["run"]["duration"] * (1.0 - 1e-9):
        raise InputError("this run has already come to its end")
    setup = setup_of(run.scenario, "the scenario of the saved run", allow)
    return execute(setup, until=until, before=run, progress=progress, partial=partial)
