"""How a run ended and what to beware of: status, warnings, provenance, and the trajectory they go into."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from serpenoid.contact import Threshold
from serpenoid.core import Status, Trajectory, Variable
from serpenoid.gaits import Sampled
from serpenoid.gaits.drives import SampledTorque
from serpenoid.simulation.commands import name_of_command
from serpenoid.simulation.metrics import SLIP_FLOOR, measure, own_metrics
from serpenoid.simulation.setup import Setup
from serpenoid.version import __version__

if TYPE_CHECKING:
    from serpenoid.simulation.simulation import Simulation

LINKS_PER_WAVE = 5
RESIDUAL = 1e-5  # N m: contract on the moment left at the tail
EXPLICIT_LOSS = 1e-3  # of the positive work: more than that and an explicit scheme nears its stability limit
UNSTABLE_LOSS = 0.1  # of the positive work: more than that and it is beyond
STEPS_PER_PERIOD = 20
SOFT = 0.01  # of the radius: static sag from which a ground counts as soft
ALOFT = 0.2  # of the frames without any contact
UNCONVERGED = 0.05  # of the steps: more than that and the run cannot be trusted


def trajectory_of(sim: Simulation, notes: Mapping[str, Any] | None = None, interrupted: bool = False) -> Trajectory:
    """Everything a simulation came to so far."""
    setup, engine = sim.setup, sim._engine
    variables, sums = engine.variables(), engine.totals()
    metrics, reasons = measure(setup, variables, sums, engine.time)
    status = status_of(sim, variables, sums, interrupted)
    if status.name == "diverged":
        metrics = {k: (v if v is not None and np.isfinite(v) else None) for k, v in metrics.items()}
    warnings = warnings_of(setup, engine, variables, sums, metrics)
    events: tuple[Any, ...] = ()
    provenance = provenance_of(sim, sums, notes or {})
    if setup.origin is not None:  # the description has the plan only
        provenance["world"] = setup.world.keys()
    if sim._kind == "controller":
        command = setup.command
        variables = {**variables, **getattr(command, "variables", dict)()}
        warnings += list(getattr(command, "warnings", lambda: ())())
        events = tuple(getattr(command, "events", ()))
        provenance["plan"] = dict(getattr(command, "report", dict)())
    run = Trajectory(
        variables,
        metrics,
        status,
        tuple(warnings),
        setup.keys(),
        provenance,
        {**sim.memory(), "record": engine.recorded()},
        events,
        reasons,
    )
    own = own_metrics(run)
    return replace(run, metrics={**metrics, **own}) if own else run


def status_of(
    sim: Simulation, variables: Mapping[str, Variable], sums: Mapping[str, float], interrupted: bool
) -> Status:
    """How a simulation ended, as far as itself can tell."""
    setup, engine = sim.setup, sim._engine
    if not sim._good:
        remedy = ', or integrator = "implicit"' if setup.settings.integrator != "implicit" else ""
        text = f"a number became infinite or undefined after t = {engine.time:.6g} s{_where(variables)}; use a shorter step{remedy}"
        return Status("diverged", text, engine.time)
    if interrupted:
        return Status("interrupted", f"stopped at t = {engine.time:.6g} s", engine.time)
    loss, work = sums["scheme_loss"], sums["positive_work"]
    if setup.settings.integrator != "implicit" and abs(loss) > UNSTABLE_LOSS * work and abs(loss) > 1e-9:
        text = f"the explicit scheme itself made or lost {abs(loss):.3g} J of {work:.3g} J: beyond its stability; use a shorter step"
        return Status("diverged", text, engine.time)
    failed = int(sums["unconverged"])
    if failed > UNCONVERGED * engine.done and not isinstance(setup.world.friction, Threshold):
        text = f"{failed} of {engine.done} steps did not converge on the friction law; use a shorter step or more smoothing"
        return Status("diverged", text, engine.time)
    if sim._kind == "controller":
        status = sim.setup.command.status()
        return status if isinstance(status, Status) else Status("ok")
    return Status("ok")


def _where(variables: Mapping[str, Variable]) -> str:
    """Which degree of freedom turned fastest at the end: where it broke."""
    rates = np.abs(variables["joint_rate"].data[-1])
    return f" (joint axis {int(np.nanargmax(rates)) + 1})" if rates.size and not np.isnan(rates).all() else ""


def warnings_of(
    setup: Setup,
    engine: Any,
    variables: Mapping[str, Variable],
    sums: Mapping[str, float],
    metrics: Mapping[str, float | None],
) -> list[str]:
    """What to beware of in any run."""
    robot, gait, found = setup.robot, setup.gait, []
    waves = getattr(gait, "waves", None)
    if waves is not None and robot.links / waves < LINKS_PER_WAVE:
        found.append(
            f"{waves:g} waves on {robot.links} links are {robot.links / waves:.3g} links per wave; under {LINKS_PER_WAVE} "
            "the links no longer follow the curve"
        )
    if setup.drive is not None and sums["angle_max"] > np.pi:
        found.append(
            f"joint {_joint(setup, sums['angle_max_joint'])} spins up: its angle reaches {np.degrees(sums['angle_max']):.0f} deg; "
            "a real joint would meet its stop"
        )
    if sums["unconverged"] > 0:
        found.append(
            f"{int(sums['unconverged'])} of {engine.done} steps did not converge on the friction law and used its secant"
        )
    if sums["residual_max"] > RESIDUAL:
        found.append(f"moment balance: {sums['residual_max']:.2g} N m left at the tail; use a shorter step")
    loss, work = sums["scheme_loss"], sums["positive_work"]
    if setup.settings.integrator != "implicit" and abs(loss) > EXPLICIT_LOSS * work:
        found.append(
            f"the explicit scheme itself lost {abs(loss) / max(work, 1e-300):.1%} of the work; use a shorter step"
        )
    slip = metrics["slip_per_link"]
    if slip is not None and slip <= SLIP_FLOOR:
        found.append(f"slip per link {slip:.1g} m is below {SLIP_FLOOR:g} m: the efficiency is not defined")
    found += _time_warnings(setup, engine)
    found += _joint_warnings(setup, engine, variables, sums)
    return found + (_ground_warnings(setup, variables, sums) if setup.spatial else [])


def _joint(setup: Setup, k: float) -> int:
    """Joint (from 1) of a degree of freedom."""
    axes = setup.robot.axes
    return int(axes[min(int(k), len(axes) - 1)][0]) if axes else 0


def _time_warnings(setup: Setup, engine: Any) -> list[str]:
    """Steps that are long for the gait, kinks inside steps, samples that do not cover the run."""
    robot, gait, found = setup.robot, setup.gait, []
    period = gait.period(robot) if gait is not None else None
    if period is not None and engine.dt > period / STEPS_PER_PERIOD:
        found.append(
            f"a step of {engine.dt:.3g} s is long for a gait with a period of {period:.3g} s; slip and torques are coarse"
        )
    if setup.settings.integrator == "rk4" and gait is not None:
        inner = [x for x in gait.kinks() if 0.0 < x < engine.time]
        off = [x for x in inner if abs(x / engine.dt - round(x / engine.dt)) > 1e-6]
        if off:
            found.append(f"the gait's accelerations jump at t = {off[0]:g} s, inside a step: order 4 is lost there")
    source = setup.command
    if isinstance(source, Sampled | SampledTorque):
        times = np.asarray(source.times, dtype=float)
        if times[0] > 0.0 or times[-1] < engine.time * (1.0 - 1e-9):
            held = "joints are held" if isinstance(source, Sampled) else "torques are zero"
            found.append(f"samples cover {times[0]:g} to {times[-1]:g} s of {engine.time:g} s; outside them the {held}")
    return found


def _joint_warnings(
    setup: Setup, engine: Any, variables: Mapping[str, Variable], sums: Mapping[str, float]
) -> list[str]:
    """Servos at their limits, joints beyond theirs."""
    robot, found = setup.robot, []
    if sums["saturated"] > 0.0:
        share = sums["saturated"] / max(engine.time * len(robot.axes), 1e-300)
        found.append(f"servos were at their torque limit for {share:.1%} of the time")
    angles = np.abs(variables["joint_angle"].data)
    if angles.size:
        limits = np.array([robot.joint_limit[joint - 1] for joint, _ in robot.axes])
        worst = angles.max(axis=0)
        beyond = np.flatnonzero(worst > limits * (1.0 + 1e-9))
        if beyond.size:
            k = int(beyond[0])
            found.append(
                f"joint {robot.axes[k][0]} bends to {np.degrees(worst[k]):.1f} deg, beyond its limit of {np.degrees(limits[k]):.1f} deg"
            )
    return found


def _ground_warnings(setup: Setup, variables: Mapping[str, Variable], sums: Mapping[str, float]) -> list[str]:
    """Soft ground, lost contact, upright links."""
    robot, ground, found = setup.robot, setup.world.ground, []
    if ground is not None and ground.model == "capsule" and robot.radius.min() > 0.0:
        from serpenoid.contact.spots import contact_points

        sag = robot.mass * setup.world.gravity / (ground.stiffness * robot.links * contact_points(robot, setup.world))
        if sag > SOFT * robot.radius.min():
            found.append(
                f"soft ground: at rest the links press in by {sag:.2g} m, {sag / robot.radius.min():.0%} of their radius; raise its stiffness"
            )
    touching, time = variables["contact_count"].data, variables["time"].data
    aloft = np.flatnonzero(touching == 0.0)
    if setup.world.gravity > 0.0 and aloft.size > ALOFT * len(time):
        found.append(
            f"nothing touches the ground in {aloft.size / len(time):.0%} of the frames, first at t = {time[aloft[0]]:.3g} s"
        )
    if sums["upright"] > 0.0:
        found.append(f"{int(sums['upright'])} contacts of upright links had no direction for their friction")
    return found


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
        **notes,
    }
