"""A case for every public class: see `copy_cases`."""

from __future__ import annotations

import functools
import hashlib
import importlib
import inspect
from dataclasses import fields
from typing import Any

import numpy as np

import serpenoid as sp
from cases import own_angle, own_angles, own_law
from copy_cases import (
    LINE,
    PACE,
    WAVE,
    Case,
    acted,
    area,
    asked,
    batch,
    begun,
    bus,
    carried,
    driven,
    episodes,
    fleet,
    followed,
    limp,
    marched,
    onward,
    path,
    planar,
    robot,
    short,
    snake,
    solved,
    spatial,
    steered,
    swept,
    told,
)  # fmt: skip
from serpenoid import contact, control, core, envs, gaits, optimise, planning, shapes
from serpenoid.control.servo_driver import DriveReport, ServoDriver
from serpenoid.control.simulated_bus import SimulatedServo
from serpenoid.envs.policies import CPGPolicy, JointPolicy, RandomPolicy, WavePolicy, joint_size, wave_size


def descriptions() -> dict[str, Case]:
    """Frozen objects: what robots, worlds, starts, laws, gaits, drives and plans are described by."""
    w, friction = gaits.Serpenoid(**WAVE), {"along": 0.1, "across": 0.5}
    own, plain = contact.CustomLaw(function=own_law, parameters=[0.1, 0.5, 1e-2]), lambda gait: gait
    made: dict[str, Case] = {
        "core.robot.Robot": Case(lambda: robot(servo=core.Servo(stiffness=9.0), joint_limit=1.0)),
        "core.actuator.Servo": Case(lambda: core.Servo(stiffness=10.0, damping=0.1, torque_limit=2.0)),
        "core.world.World": Case(lambda: sp.World(contact.Coulomb(**friction), patches=[sp.Patch((0, 0, 1, 2), 0.1, 0.3)])),
        "core.world.Patch": Case(lambda: sp.Patch((0, 0, 1, 2), 0.1, 0.3)),
        "core.terrain.Ground": Case(lambda: sp.Ground(slope=0.1)),
        "core.terrain.HeightField": Case(lambda: core.HeightField([[0, 1], [2, 3]], 0.1)),
        "core.terrain.Cylinder": Case(lambda: core.Cylinder((0, 0, 0), 0.1, 1.0, (0, 0, 1))),
        "core.terrain.Box": Case(lambda: core.Box((0, 0, 0), (1, 1, 1), 0.1)),
        "core.terrain.Pipe": Case(lambda: core.Pipe((0, 0, 0), 0.1, (1, 0, 0))),
        "core.obstacles.Cells": Case(lambda: _module("core.obstacles").Cells("taken cells")),
        "core.obstacles.Disc": Case(lambda: core.Disc((0.3, 0.4), 0.1)),
        "core.obstacles.Polygon": Case(lambda: core.Polygon(((0, 0), (1, 0), (0, 1)))),
        "core.obstacles.Wall": Case(lambda: core.Wall((0, 0), (1, 0))),
        "core.obstacles.Grid": Case(lambda: core.Grid(np.eye(3, dtype=bool), 0.1)),
        "core.obstacles.Surface": Case(core.Surface),
        "core.obstacles.SelfContact": Case(core.SelfContact),
        "core.obstacles.Anchor": Case(lambda: core.Anchor(1, 0.1, 1.0)),
        "core.friction_map.FrictionMap": Case(lambda: core.FrictionMap(along=np.full((3, 3), 0.1), across=np.full((3, 3), 0.5), cell=0.1)),
        "core.start.Start": Case(lambda: sp.Start(angles=[0.1, 0.2])),
        "core.settings.Settings": Case(lambda: core.Settings(duration=1.0)),
        "contact.load.LoadWave": Case(lambda: contact.LoadWave(0.3, 1.0, 1.0)),
        "contact.load.LiftedBends": Case(lambda: contact.LiftedBends(1.0)),
        "contact.load.GivenLoad": Case(lambda: contact.GivenLoad(weights=[0.5] * 4)),
        "contact.custom.CustomLaw": Case(lambda: own, lambda law: onward(planar(world=sp.World(law)))),
        "gaits.custom.CustomGait": Case(lambda: gaits.CustomGait(own_angle, [0.4, 5.0, 0.6], 1.2), driven(plain)),
        "gaits.function.FunctionGait": Case(lambda: _sampled(gaits.FunctionGait(own_angles)), driven(plain, sp.robots.ma2001())),
        "gaits.sequence.Sequence": Case(lambda: gaits.Sequence([w, w.but(speed=0.3)], times=[0.01]), driven(plain)),
        "gaits.lateral_rolling.LateralRolling": Case(lambda: gaits.LateralRolling(shapes.planar(2.0, 1.0), 1.0), lambda g: told(g.angles(snake(), 0.3))),
        "gaits.waves.Wave": Case(lambda: _module("gaits.waves").Wave(0.1, 2.0, 1.0, 3.0)),
        "gaits.sampled.Sampled": Case(lambda: gaits.Sampled([0, 1, 2, 3], [[0, 0, 0], [0.1, 0, 0], [0.2, 0, 0], [0.1, 0, 0]]), driven(plain)),
        "gaits.drives.SampledTorque": Case(lambda: control.SampledTorque([0, 1, 2, 3], [[0, 0, 0], [0.1, 0, 0], [0.2, 0, 0], [0.1, 0, 0]]), driven(plain)),
        "gaits.drives.SineTorque": Case(lambda: control.SineTorque(0.1, 1.0, 0.3), driven(plain)),
        "gaits.serpenoid.Serpenoid": Case(lambda: w, driven(plain)),
        "gaits.standing_wave.StandingWave": Case(lambda: gaits.StandingWave(0.3, 1.2, 1.0), driven(plain)),
        "control.admittance.Admittance": Case(lambda: control.Admittance(w, period=PACE)),
        "control.cpg.CPG": Case(lambda: control.CPG([gaits.StandingWave(0.3, 1.2, 1.0)], period=PACE)),
        "control.steering.Steering": Case(lambda: control.Steering(w, period=PACE)),
        "control.line_of_sight.LineOfSight": Case(lambda: control.LineOfSight(w, LINE, period=PACE)),
        "control.course.Undulation": Case(control.Undulation),
        "control.motors.Motors": Case(control.Motors),
        "control.paths.PathDrive": Case(control.PathDrive),
        "planning.concertina.ConcertinaPlan": Case(lambda: planning.ConcertinaPlan((12.0, 0.0))),
        "planning.path_plan.PathPlan": Case(lambda: planning.PathPlan(area(), start=(0.1, 0.1), goals=((0.6, 0.3),))),
    }  # fmt: skip
    for name in ("Coulomb", "UnitSlip", "Threshold", "Bristle", "Viscous", "Stribeck", "Frictionless"):
        law = getattr(contact, name)
        given = {} if name == "Frictionless" else friction
        made[f"{law.__module__.removeprefix('serpenoid.')}.{name}"] = Case(functools.partial(law, **given))
    for name in ("Sidewinding", "TurnInPlace", "Rolling", "HelixRolling", "PoleClimbing", "Rectilinear", "SinusLifting", "CompoundSerpenoid"):  # fmt: skip
        gait = getattr(gaits, name)
        made[f"{gait.__module__.removeprefix('serpenoid.')}.{name}"] = Case(
            functools.partial(_wave, gait), lambda g: told(g.angles(snake(), 0.3))
        )
    for name, task in envs.TASKS.items():
        made[f"{task.__module__.removeprefix('serpenoid.')}.{name}Task"] = Case(
            task, lambda t: told(t.draw(np.random.default_rng(2)))
        )
    return made


def _wave(gait: Any) -> Any:
    needed = [
        f.name
        for f in fields(gait)
        if f.init and f.name in ("amplitude", "bend", "curvature", "radius", "lift", "angle")
    ]
    return gait(**dict.fromkeys(needed, 0.3))


def _sampled(gait: Any) -> Any:
    gait.row(sp.robots.ma2001())  # its samples are there, and the callback that hands them out
    return gait


def moving() -> dict[str, Case]:
    """Things in which time passes, or that remember something."""
    w, body = gaits.Serpenoid(**WAVE), robot()
    straight = sp.robots.rods(links=7, length=7.0, mass=7.0)
    task = envs.TASKS["Creep"]()
    seen = np.zeros((2, sum(size for _, size in task.layout)))
    act = lambda p: [told(p.act(seen, np.array([0.1 * k, 0.1 * k]))) for k in range(3)]  # noqa: E731
    return {
        "simulation.simulation.Simulation": Case(planar, onward, True),
        "simulation.simulation.Simulation in space": Case(spatial, onward, True),
        "simulation.simulation.Simulation on a curve": Case(limp, onward, True),
        "simulation.simulation.Simulation by a function": Case(lambda: planar(gaits.CustomGait(own_angle, [0.4, 5.0, 0.6], 1.2)), onward, True),
        "simulation.simulation.Simulation by samples": Case(lambda: planar(gaits.FunctionGait(own_angles), body=sp.robots.ma2001()), onward, True),
        "simulation.simulation.Simulation of a law": Case(lambda: planar(world=sp.World(contact.CustomLaw(function=own_law, parameters=[0.1, 0.5, 1e-2]))), onward, True),
        "simulation.simulation.Simulation steered": Case(lambda: planar(control.SteeringController(body, control.Steering(w, period=PACE / 2))), onward, True),
        "simulation.simulation.Simulation by runge-kutta": Case(lambda: planar(integrator="rk4", world=sp.World(contact.Coulomb(0.1, 0.5, smoothing=1e-3))), onward, True),
        "simulation.simulation.Simulation in MuJoCo": Case(lambda: planar(engine="mujoco"), onward, True),
        "simulation.simulation.Simulation in Drake": Case(lambda: planar(engine="drake"), onward, True),
        "simulation.state.State": Case(lambda: _left(planar()), _seen),
        "simulation.state.State in space": Case(lambda: _left(spatial()), _seen),
        "simulation.setup.Setup": Case(lambda: planar().setup),
        "simulation.fleet.Fleet": Case(fleet, marched, True),
        "simulation.fleet.Fleet on threads": Case(lambda: fleet(2), marched, True),
        "simulation.fleet.Fleet in space": Case(lambda: fleet(1, True), marched, True),
        "simulation.fleet.Sensed": Case(lambda: fleet().sensed),
        "envs.episodes.Episodes": Case(episodes, lambda e: told(e.step(np.full((2, e.dofs), 0.1))), True),
        "envs.episodes.Acted": Case(lambda: episodes().step(np.zeros((2, 9)))),
        "envs.single.SnakeEnv": Case(lambda: begun(envs.SnakeEnv("Creep")), acted, True),
        "envs.single.SnakeEnv in a maze": Case(lambda: begun(envs.SnakeEnv("Maze")), acted, True),
        "envs.vector.SnakeVectorEnv": Case(lambda: begun(envs.SnakeVectorEnv("Target", 3, threads=2)), acted, True),
        "envs.maze.Ways": Case(lambda: envs.maze.Ways(np.array([[0.0, 0.0, 1.0, 0.0]]))),  # type: ignore[attr-defined]
        "envs.policies.RandomPolicy": Case(lambda: RandomPolicy(task, 3), act, True),
        "envs.policies.WavePolicy": Case(lambda: WavePolicy(task, np.full(wave_size(task), 0.3)), act),
        "envs.policies.JointPolicy": Case(lambda: JointPolicy(task, np.full(joint_size(task), 0.3)), act),
        "envs.policies.CPGPolicy": Case(lambda: CPGPolicy(task, np.full(wave_size(task), 0.3)), act, True),
        "control.controller.Controller": Case(lambda: control.Controller(_still, PACE), driven(lambda c: c)),
        "control.admittance.AdmittanceController": Case(lambda: control.AdmittanceController(body, control.Admittance(w, period=PACE)), steered, True),
        "control.cpg.CPGController": Case(lambda: control.CPGController(body, control.CPG([gaits.StandingWave(0.3, 1.2, 1.0)], period=PACE)), steered, True),
        "control.steering.SteeringController": Case(lambda: control.SteeringController(body, control.Steering(w, period=PACE)), steered, True),
        "control.line_of_sight.LineOfSightController": Case(lambda: control.LineOfSightController(body, control.LineOfSight(w, LINE, period=PACE)), steered, True),
        "control.creeper.Creeper": Case(lambda: control.Creeper(straight, [[0.0, 0.0], [20.0, 0.0]]), carried, True),
        "control.feeder.Feeder": Case(lambda: control.Feeder(straight, [[0.0, 0.0], [20.0, 0.0]]), carried, True),
        "control.concertina.ConcertinaDriver": Case(lambda: control.ConcertinaDriver(straight, solved().legs), carried, True),
        "control.simulated_bus.SimulatedBus": Case(bus, asked, True),
        "control.simulated_bus.SimulatedServo": Case(lambda: SimulatedServo(3)),
        "control.servo_driver.ServoDriver": Case(lambda: ServoDriver(bus())),
        "control.servo_port.SerialPort": Case(_port, refuses="open it there"),
        "planar.engine.PlanarEngine": Case(lambda: planar()._engine, refuses="Simulation"),
        "spatial.engine.SpatialEngine": Case(lambda: spatial()._engine, refuses="Simulation"),
    }  # fmt: skip


def _left(sim: sp.Simulation) -> Any:
    """A state that the simulation has left behind."""
    state = sim.state
    sim.advance(PACE)
    return state


def _seen(state: Any) -> Any:
    made = {}
    for name, item in inspect.getmembers(type(state)):
        if isinstance(item, functools.cached_property | property):
            try:
                made[name] = getattr(state, name)
            except sp.SerpenoidError as error:  # the plane keeps no peaks
                made[name] = str(error)
    return told(made), state.time, repr(state)


def _still(state: Any, t: float) -> Any:
    return [0.1 * t, 0.2 * t, 0.0]


def _port() -> Any:
    from serpenoid.control.servo_driver import SerialPort

    made = SerialPort.__new__(SerialPort)
    made.port = open(__file__)  # noqa: SIM115
    return made


def results() -> dict[str, Case]:
    """What comes of runs, plans, searches and files."""
    event = core.trajectory.Event(0.1, "stage", "it", {"a": 1.0})
    return {
        "core.trajectory.Trajectory": Case(short, lambda run: (told(run), told({n: run[n] for n in run.variables}), told(run.metrics), run.summary())),
        "core.trajectory.Status": Case(lambda: short().status),
        "core.trajectory.Variable": Case(lambda: short().variables["time"]),
        "core.trajectory.Variables": Case(lambda: short().variables),
        "core.trajectory.Event": Case(lambda: event),
        "core.finding.Finding": Case(lambda: core.finding.Finding("unsolved-steps", count=1, steps=2)),  # type: ignore[attr-defined]
        "core.family.Family": Case(lambda: gaits.GAITS, lambda f: (f is gaits.GAITS, sorted(f))),
        "core.errors.SerpenoidError": Case(lambda: sp.SerpenoidError("so")),
        "core.errors.InputError": Case(lambda: core.errors.InputError("so")),  # type: ignore[attr-defined]
        "core.errors.NumericalError": Case(lambda: core.errors.NumericalError("so")),  # type: ignore[attr-defined]
        "core.errors.StorageError": Case(lambda: core.errors.StorageError("so")),  # type: ignore[attr-defined]
        "control.controller.Command": Case(lambda: control.Command(angles=[0.1], anchors={0: control.Hold((0.0, 1.0))})),
        "control.controller.Hold": Case(lambda: control.Hold((0.0, 1.0))),
        "control.feeling.Touch": Case(lambda: _filled(control.Touch)),
        "control.feeling.Feeling": Case(lambda: _filled(control.Feeling)),
        "control.servo_driver.DriveReport": Case(lambda: DriveReport("done", times=np.arange(3.0))),
        "gaits.fit.Fit": Case(lambda: _module("gaits.fit").fit(shapes.planar(2.0, 1.2), snake())),
        "robots.servos.ServoMotor": Case(lambda: _module("robots.servos").MOTORS["mx64"]),
        "core.quantities.Angle": Case(lambda: _module("core.quantities").Angle("turn", low=0.0)),
        "core.quantities.Choice": Case(lambda: _module("core.quantities").Choice("of two", options=("a", "b"))),
        "core.quantities.Flag": Case(lambda: _module("core.quantities").Flag("whether")),
        "core.quantities.Number": Case(lambda: _module("core.quantities").Number("so much", "m", low=0.0)),
        "core.quantities.Text": Case(lambda: _module("core.quantities").Text("a name")),
        "core.quantities.Whole": Case(lambda: _module("core.quantities").Whole("so many", low=1)),
        "envs.task.Draw": Case(lambda: envs.TASKS["Pegs"]().draw(np.random.default_rng(1))),
        "formats.bus.Bus": Case(lambda: _module("formats.bus").BUSES["dynamixel"]),
        "formats.bus.BusTable": Case(lambda: _table()),
        "formats.bus.Register": Case(lambda: _module("formats.bus").Register(1, 2)),
        "formats.motion.Commands": Case(lambda: _module("formats.motion").commands_of(short())),
        "formats.joint_logs.JointLog": Case(lambda: _module("formats.joint_logs").JointLog(np.arange(2.0), np.ones((2, 1)), ("a",))),
        "formats.verifying.Verdict": Case(lambda: _module("formats.verifying").Verdict("a", "good")),
        "gradients.result.Slope": Case(_slope),
        "gradients.result.Gradient": Case(lambda: _gradient(), str),
        "gradients.result.Gradients": Case(lambda: _module("gradients").Gradients({"com_dx": _gradient()}), str),
        "optimise.golden.Optimum": Case(lambda: optimise.scan_and_refine(lambda x: -x * x, -1.0, 2.0, points=4, tolerance=0.1)),
        "planning.concertina.ConcertinaSolution": Case(solved),
        "planning.follow.Following": Case(followed),
        "planning.follow.SettledPosture": Case(lambda: planning.settle(path(), [0.1, 0.1], [0.0, 0.0])),
        "planning.harmonic.HarmonicField": Case(lambda: planning.solve(area(), (0.6, 0.3)), lambda f: (told(f), told(f.u))),
        "planning.maps.Map": Case(area, lambda a: (told(a), told(a.grown(0.05).walls))),
        "planning.path.PlannedPath": Case(path),
        "planning.path_plan.PathSolution": Case(lambda: planning.PathPlan(area(), start=(0.1, 0.1), goals=((0.6, 0.3),)).solve()),
        "planning.refine.Contact": Case(lambda: _filled(planning.Contact)),
        "shapes.functions.Constant": Case(lambda: shapes.Constant(1.0)),
        "shapes.functions.Given": Case(lambda: shapes.Given(np.cos, np.sin), _curved),
        "shapes.functions.Samples": Case(lambda: shapes.Samples([0, 1, 2, 3], [0, 1, 0, 1]), _curved),
        "shapes.functions.Sine": Case(lambda: shapes.Sine(1.0, 2.0), _curved),
        "shapes.functions.Steps": Case(lambda: shapes.Steps([1.0], [0.0, 1.0]), _curved),
        "shapes.functions.Sum": Case(lambda: shapes.Sine(1.0, 2.0) + 1.0, _curved),
        "shapes.functions.Scaled": Case(lambda: 2.0 * shapes.Sine(1.0, 2.0), _curved),
        "shapes.functions.Integral": Case(lambda: _module("shapes.functions").Integral(shapes.Sine(1.0, 2.0)), _curved),
        "shapes.functions.Turned": Case(lambda: shapes.roll(shapes.bellows(1.0, 2.0, 1.0), 0.3).kappa_a, _curved),
        "shapes.shape.Curve": Case(lambda: shapes.planar(2.0, 1.0).trace(20), lambda c: (told(c), told(c.at([0.1]).position))),
        "shapes.shape.Model": Case(lambda: shapes.planar(2.0, 1.0).model()),
        "shapes.shape.Pose": Case(shapes.Pose),
        "shapes.shape.Shape": Case(lambda: shapes.named("helix"), lambda s: (told(s), told(s.trace(20).position))),
        "simulation.batch.Batch": Case(batch),
        "simulation.cells.Variations": Case(lambda: _module("simulation.cells").Variations(sp.formats.read("creep")), lambda v: told(v.setup({"gait.waves": 2.0}).keys())),
        "sweeps.running.Sweep": Case(swept, lambda s: (told(s), told(s.dataset["com_distance"].values))),
        "view.scene.Scene": Case(lambda: sp.view.scene_of(short())),
    }  # fmt: skip


def _module(name: str) -> Any:
    return importlib.import_module(f"serpenoid.{name}")


def _curved(f: Any) -> Any:
    s = np.linspace(0.1, 2.9, 7)
    return told(f.value(s, 0.1)), told(f.slope(s, 0.1)), told(f.area(s, 0.1))


def _table() -> Any:
    return _module("formats.bus").table_of(_module("formats.motion").commands_of(short()), "dynamixel")


def _filled(cls: Any) -> Any:
    """An object of a class whose fields are numbers, one after the other."""
    return cls(*[k + 0.5 if f.type == "float" else k for k, f in enumerate(fields(cls)) if f.init])


# what others are made of, and nobody makes by itself: each is a base or a protocol of classes that have a case
BASES = {
    "control.servo_port.Port", "core.command.Drive", "core.command.Gait", "core.declare.Description", "core.obstacles.Upright", "core.terrain.Obstacle",
    "core.world.DryFriction", "core.world.Friction", "core.world.Load", "envs.policies.Policy", "envs.task.Task", "gaits.waves.WaveGait", "shapes.functions.Function",
}  # fmt: skip


@functools.cache
def cases() -> dict[str, Case]:
    """All cases by the full name of the class, and what more is said of one of several."""
    return {**descriptions(), **moving(), **results()}


def _slope() -> Any:
    """A derivative by two numbers."""
    return _module("gradients").Slope("start.velocity", np.array([0.3, -0.2]), np.array([0.1, 0.4]), "s", None)


def _gradient() -> Any:
    """The derivatives of a result."""
    return _module("gradients").Gradient("com_dx", "m", 0.31, 0.32, {"start.velocity": _slope()}, ("a flag",))


def class_of(name: str) -> str:
    """The full name of the class of a case."""
    return name.partition(" ")[0]


def outcome(name: str, item: Any) -> str:
    """What an object of a case gives, in a few letters."""
    return hashlib.sha256(repr(told(cases()[name].use(item))).encode()).hexdigest()[:16]
