"""Every public name with arguments that work, from a table of examples: what the attack on all names starts from."""

from __future__ import annotations

import importlib
import inspect
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2] / "docs" / "site"))

import public

import serpenoid as sp
from serpenoid import contact, control, core, formats, gaits, optimise, planning, shapes, simulation, studio, sweeps
from serpenoid.control.simulated_bus import SimulatedBus
from serpenoid.envs.known import TASKS
from serpenoid.formats import bus, motion
from serpenoid.robots.servos import MOTORS

Example = Callable[[], Any]
PATH = [[0.0, 0.0], [1.0, 0.0], [2.0, 0.2], [4.0, 0.2]]  # m
MAP = "########\n#......#\n#...#..#\n#......#\n########"
SHUT = np.pad(np.zeros((3, 4), dtype=bool), 1, constant_values=True)
SHORT = ["run.duration=0.01", "robot.links=3"]
WAVE = [0.5, 3.0, 0.5, 0.1]
BODY = np.column_stack([np.arange(8.0), 0.1 * np.arange(8.0) % 0.2])


class Case(NamedTuple):
    """A public callable, by its place in the list, and a maker of arguments that work."""

    name: str
    call: Callable[..., Any]
    good: dict[str, Example]
    free: tuple[str, ...]  # arguments to attack
    needed: tuple[str, ...]  # those without a default


@cache
def run() -> Any:
    return sp.simulate(robot(), gait(), duration=0.02)


@cache
def robot() -> Any:
    return sp.robots.ma2001(links=4)


@cache
def gait() -> Any:
    return gaits.Serpenoid(winding_angle=0.5, waves=1.0, speed=0.2)


@cache
def area() -> Any:
    return planning.maps.from_text(MAP, 1.0)


@cache
def found() -> Any:
    return planning.find_path(area(), (1.0, 3.0), (6.0, 1.0), step=0.1)


@cache
def legs() -> Any:
    return planning.ConcertinaPlan((2.0, 1.0)).solve()


@cache
def table() -> Any:
    return bus.table_of(motion.commands_of(run()), "dynamixel")


@cache
def optimum() -> Any:
    return optimise.optimise_scenario(
        "creep", SHORT, over="gait.waves=1:2", maximise="com_distance", points=3, tolerance=0.5
    )


def store() -> Any:
    sweeps.sweep("creep", {"gait.waves": [1, 2]}, "swept", changes=SHORT, metrics="com_distance")
    return "swept"


def axes() -> Any:
    from matplotlib.figure import Figure

    return Figure().subplots()


def shape() -> Any:
    return shapes.planar(2.0, 1.0)


def setup() -> Any:
    return simulation.setup_of(formats.read("creep", SHORT))


def env() -> Any:
    import gymnasium

    return gymnasium.make_vec("serpenoid/Creep-v0", num_envs=2)


def task() -> Any:
    return next(iter(TASKS.values()))()


def begun(env: Any) -> Any:
    env.reset(seed=1)
    return env


def ripple(t: float, k: int, p: Any) -> float:
    return 0.1


def law(v_along: float, v_across: float, load: float, p: Any) -> tuple[float, float]:
    return -0.1 * v_along, -0.5 * v_across


def many() -> Any:
    return sp.robots.universal(20)


@cache
def spatial() -> Any:
    return sp.simulate(
        sp.robots.alternating(5, radius=0.02), gaits.Sidewinding(), sp.World(ground=sp.Ground()), duration=0.02
    )


def rods() -> Any:
    return sp.robots.rods(7, 7.0, 7.0)


@cache
def executed() -> Any:
    driver = control.ConcertinaDriver(rods(), legs().legs[:1])
    return sp.simulate(driver.body, driver, duration=driver.longest, record_interval=0.02)


def picture() -> str:
    from PIL import Image

    Image.fromarray(np.where(SHUT, 0, 255).astype(np.uint8)).save("free.png")
    return "free.png"


def of(value: Any) -> Example:
    return lambda: value


def written(name: str, text: str) -> Example:
    def write() -> str:
        Path(name).write_text(text)
        return name

    return write


BY_NAME: dict[str, Example] = {
    "robot": robot, "run": run, "runs": lambda: [run(), run()], "gait": gait, "gaits": lambda: (gait(),), "command": gait, "shape": shape, "shapes": lambda: [shape(), shape()],
    "world": sp.World, "start": sp.Start, "setup": setup, "setups": lambda: [setup(), setup()], "area": area, "map": area, "table": table, "curve": lambda: shape().trace(20),
    "curves": lambda: [shape().trace(20)] * 2, "ax": axes, "fig": lambda: axes().figure, "task": task, "plan": legs, "path": of("written.png"), "file": of("written.png"),
    "function": of(lambda x: -x * x), "links": of(4), "link_length": of(0.1), "link_mass": of(0.2), "along": of(0.1), "across": of(0.5), "amplitude": of(0.3), "frequency": of(1.0),
    "waves": of(1.0), "winding_angle": of(0.5), "speed": of(0.2), "acceleration": of(0.1), "duration": of(0.01), "phase_per_joint": of(0.3), "phase": of(0.1), "offset": of(0.0), "angle": of(0.2),
    "t": of(0.3), "s": of([0.1, 0.2]), "arc": of(0.5), "length": of(1.0), "radius": of(0.1), "cell": of(0.5), "low": of(0.0), "high": of(1.0), "tolerance": of(0.1), "kappa": of(1.0), "kappa_a": of(1.0),
    "kappa_b": of(0.5), "tau": of(0.3), "phi": of(0.1), "name": of("creep"), "half_width": of(0.2), "width": of(4.0), "height": of(3.0), "text": of("words"), "points": of([[0.5, 0.5], [1.0, 0.5], [1.0, 1.0]]),
    "point": of((1.5, 1.5)), "goal": of((6.0, 1.0)), "x": of("x (m)"), "y": of("y (m)"), "polygons": of([[(1, 1), (2, 1), (2, 2)]]), "size": of((4.0, 4.0)), "walls": of(SHUT),
    "array": of(SHUT), "voltage": of(12.0), "seed": of(1), "changes": of(SHORT), "data": lambda: formats.read("creep", SHORT), "times": of([0.0, 1.0, 2.0, 3.0]),
    "values": of([[0.0], [0.1], [0.2], [0.1]]), "parameters": of(WAVE), "wave": of(WAVE), "bus": of("dynamixel"), "ids": of((1, 2, 3)), "commands": lambda: motion.commands_of(run()), "angles": of([0.1, 0.1, 0.1]),
    "unit": of("m"), "items": lambda: [studio.item_of(run())], "centre": of((0.3, 0.4)), "heights": of([[0, 1], [2, 3]]), "curvature": of(0.5), "period": of(0.02), "weights": of([0.25] * 4), "count": of(3),
    "value": of(0.5), "fps": of(5.0), "threads": of(1), "state": run, "f": of(lambda s: 0.1 * s), "edges": of([0.0, 0.5, 1.0]), "lengths": of([0.2, 0.2, 0.2]), "headings": of([0.0, 0.0, 0.0]),
    "level": of(1.0), "wave_number": of(3.0), "duration of": of(0.0), "target": of((2.0, 1.0)), "timeout": of(0.01), "frame": of(0), "over": of({"gait.waves": [1, 2]}), "out": of("store"), "base": of("creep"),
}  # fmt: skip
OWN: dict[str, Example] = {  # of one name; also of arguments that are not needed
    "Patch.rectangle": of((0, 0, 1, 2)), "simulate.duration": of(0.01), "simulate_many.duration": of(0.01), "simulate_many.command": lambda: [gait(), gait()], "run_scenario.changes": of(SHORT),
    "resume.duration": of(0.03), "load.path": lambda: run().save("saved.nc"), "read.changes": of(SHORT), "Trajectory.at_frames.name": of("time"), "Trajectory.film.path": of("written.gif"),
    "Trajectory.save.path": of("again.nc"), "Simulation.save.path": of("again.nc"), "save.path": of("again.nc"), "save_csv.path": of("again.csv"), "film.path": of("written.gif"), "film.size": of((96, 64)),
    "Anchor.link": of(1), "Anchor.at": of(0.05), "Anchor.hold": of(10.0), "Box.centre": of((0, 0, 0)), "Box.size": of((1, 1, 1)), "Cylinder.base": of((0, 0, 0)), "Pipe.point": of((0, 0, 0)), "Grid.cells": of([[0, 1], [1, 0]]),
    "Polygon.points": of(((0, 0), (1, 0), (0, 1))), "Wall.start": of((0, 0)), "Wall.end": of((1, 0)), "FrictionMap.along": of([[1.0, 2.0], [1.0, 1.0]]), "FrictionMap.sampled.low": of((0.0, 0.0)), "FrictionMap.sampled.high": of((1.0, 1.0)),
    "FrictionMap.sampled.factor": of(lambda x, y: 1.0), "HeightField.sampled.height": of(lambda x, y: 0.0), "HeightField.sampled.low": of((0.0, 0.0)), "HeightField.sampled.high": of((1.0, 1.0)),
    "description.cls": of(None), "declare.quantity": lambda: core.quantities.Number(), "alternating.links": of(5), "Description.but.changes": of({}), "CustomGait.function": of(ripple),
    "FunctionGait.function": of(lambda t: np.zeros(3)), "LateralRolling.angle": lambda: core.declare, "Sequence.parts": lambda: (gait(), gait()), "Sequence.times": of((1.0,)), "PoleClimbing.axis_of.nodes": of(np.arange(24.0).reshape(8, 3) % 5),
    "PoleClimbing.helix.robot": many, "PoleClimbing.yaw_and_pitch.robot": many, "PoleClimbing.row.robot": many, "LateralRolling.row.robot": many, "LateralRolling.angles.robot": many, "LateralRolling.joint_angles.robot": many, "ConcertinaDriver.robot": rods, "CustomLaw.function": of(law), "touch_map.run": spatial, "tracks.run": spatial, "GivenLoad.weights": of((1.0, 1.0, 1.0, 1.0)), "GivenLoad.row.robot": robot, "Controller.function": of(lambda state, t: None), "Controller.command.state": lambda: sp.Simulation(robot()).state,
    "ConcertinaDriver.robot.robot": lambda: sp.robots.rods(7, 7.0, 7.0), "ConcertinaDriver.legs": lambda: legs().legs, "Creeper.path": of(PATH), "Feeder.path": of(PATH), "LineOfSight.path": of(PATH), "LineOfSight.look_ahead": of(0.5),
    "motors_of.fittings": lambda: importlib.import_module("serpenoid.robots.ms1").FITTINGS, "HarmonicField.ln_u_at.point": of((2.0, 2.0)), "Map.cell": of(1.0), "find_path.start": of((1.0, 3.0)), "path_from.start": of((1.0, 3.0)),
    "path_from.source": lambda: planning.solve(area(), (6.0, 1.0)), "follow.path": found, "follow.body": of([0.5, 0.5]), "laid.path": found, "laid.lengths": of([0.5, 0.5]), "laid.base": of(0.0), "settle.path": found, "settle.lengths": of([0.5, 0.5]),
    "settle.headings": of([0.0, 0.0]), "degrees_of_freedom.stage": of(1), "degrees_of_freedom.nodes": of(BODY), "signed_distance.obstacles": lambda: (core.Disc((0.3, 0.4), 0.1),), "map_figure.path": found, "from_points.points": of([[0, 0, 0], [1, 0, 0], [1, 1, 0], [2, 1, 1]]),
    "from_curve.curve": of(lambda u: np.stack([u, u * u, 0 * u], axis=-1)), "from_curve.end": of(1.0), "from_curve.samples": of(51), "named.name": of("helix"), "Samples.s": of([0.0, 0.3, 0.6, 1.0]), "Samples.values": of([0.0, 1.0, 0.5, 0.0]),
    "Steps.values": of([1.0, 2.0, 1.0, 0.0]), "style.save.path": of("written.png"), "JointPolicy.parameters": of([0.1] * 37), "engine_class.name": of("mujoco"), "golden_section.low": of(-1.0), "golden_section.high": of(2.0), "scan_and_refine.low": of(-1.0), "scan_and_refine.high": of(2.0), "evaluate_all.function": of(str), "evaluate_all.items": of([1, 2]),
    "gradient_figure.gradients": lambda: sp.gradient(run(), of=["com_dx"], over="world.friction.across"), "gradient.of": of("com_dx"), "gradient.over": of("world.friction.across"), "optimise_scenario.over": of("gait.waves=1:2"), "optimise_scenario.maximise": of("com_distance"), "optimise_scenario.points": of(3), "optimise_scenario.tolerance": of(0.5), "optimise_scenario.changes": of(SHORT),
    "sweep.changes": of(SHORT), "sweep.metrics": of(["com_distance"]), "open.path": store, "repair.path": store, "compare.path": of("written.png"), "rolling_film.path": of("written.gif"), "rolling_film.size": of((96, 64)),
    "side_by_side.path": of("written.gif"), "side_by_side.size": of((96, 64)), "compare_figure.path": of("written.png"), "read_log.path": written("log.csv", "time,j1,j2\n0,0,0\n0.1,0.1,0.1\n0.2,0.2,0.1\n"),
    "read_mjcf.path": lambda: written("two.xml", MJCF)(), "read_urdf.path": lambda: written("two.urdf", importlib.import_module("serpenoid.formats.urdf").urdf_text(sp.robots.alternating(3, 1.0, 1.0, radius=0.02)))(), "item_of.thing": run, "write_html.path": of("page.html"),
    "find.name": of("ma2001"), "judged.id": of("A"), "judged.source": of("p"), "judged.claim": of("c"), "judged.measured": of("m"), "judged.parts": of([True]), "report.result": of({"claims": [], "figures": []}), "report.name": of("x"),
    "tally.claims": of([{"verdict": "holds"}]), "tally_text.counts": lambda: importlib.import_module("serpenoid.studies").tally([]), "SnakeEnv.task": of("Creep"), "SnakeVectorEnv.task": of("Creep"), "SnakeVectorEnv.num_envs": of(2),
    "SnakeEnv.step.action": of(np.zeros(9)), "SnakeVectorEnv.step.actions": of(np.zeros((2, 9))), "forward.angles": of([0.1, 0.1, 0.1]), "forward.robot": robot, "off_curve.points": of([[0.1, 0.0, 0.0]]), "fit.robot": robot,
    "SerialPort.name": of("nowhere"), "ServoDriver.port": lambda: SimulatedBus("dynamixel", (1, 2, 3)), "write.data": of(b"xy"), "read.timeout": of(0.01), "sleep.duration": of(0.0),
    "from_picture.path": lambda: picture(), "light_of.path": lambda: picture(), "from_text.text": of(MAP), "maps.read.source": of("two-walls"), "Map.node.name": of("start"),
    "ServoMotor.servo.gain": of(32.0), "Variations.scenario.changes": of({"gait.waves": 1.5}), "Variations.setup.changes": of({"gait.waves": 1.5}), "register.name": of("mine"), "register.function": of(lambda run: 1.0),
    "sized.setup": setup, "Bus.name": of("own"), "Bus.protocol": of(2), "BusTable.bus": lambda: bus.BUSES["dynamixel"], "BusTable.times": of(np.array([0.0, 0.1])), "BusTable.positions": of(np.full((2, 2), 2048)), "BusTable.ids": of((1, 2)),
    "BusTable.directions": of((1, 1)), "commands_from.path": written("angles.csv", "time,j1,j2\n0,0,0\n0.1,0.1,0.1\n"), "read_bus_table.path": lambda: bus.write_bus_table(table(), "table.csv"), "write_bus_table.path": of("again.csv"),
    "table_of.bus": of("dynamixel"), "bus_named.name": of("dynamixel"), "Commands.times": of(np.array([0.0, 0.1])), "Commands.angles": of(np.zeros((2, 2))), "Commands.names": of(["a", "b"]), "Commands.notes": of(()),
    "write_csv.path": of("again.csv"), "write_vtk.path": of("vtk"), "write_mcap.path": of("a.mcap"), "write_rosbag.path": of("bag"), "forces_figure.run": lambda: executed(), "plan_film.path": of("written.gif"), "plan_film.size": of((96, 64)),
    "plan_film.fps": of(1.0), "plan_film.speed": of(100.0), "search_figure.result": optimum, "using.name": of("screen"), "sweep_figure.data": lambda: sweeps.open(store()), "sweep_plot.data": lambda: sweeps.open(store()), "rollout.env": env,
    "rollout.policy": lambda: importlib.import_module("serpenoid.envs.policies").RandomPolicy(task()), "rollout.most": of(2), "score.task": of("Creep"), "score.make": of(lambda task: importlib.import_module("serpenoid.envs.policies").RandomPolicy(task)),
    "score.episodes": of(2), "best_wave.name": of("Creep"), "best_wave.episodes": of(1), "best_wave.most": of(1), "train.name": of("Creep"), "train.policy": lambda: importlib.import_module("serpenoid.envs.policies").WavePolicy,
    "train.first": of(np.array(WAVE)), "train.generations": of(1), "train.population": of(4), "train.episodes": of(1), "train.most": of(1), "Simulation.of.setup": setup, "ConcertinaSolution.nodes.points": of(4),
    "Simulation.advance.duration": of(0.01), "Simulation.restore.state": lambda: sp.Simulation(robot(), command=gait()).finish(), "CPGController.ask.gait": gait, "bundled.x": of(None),
    "GivenLoad.at_rest.robot": robot, "LiftedBends.curvature": of(1.0), "Drive.row.robot": robot, "trace.steps": of(10), "Shape.trace.steps": of(10), "solve.goal": of((6.0, 1.0)), "from_polygons.size": of((4.0, 4.0)),
    "PathPlan.solve.body": lambda: sp.robots.ma2001(2, link_length=1.2), "Map.sized.cell": of(0.5), "ConcertinaPlan.solve.body": of(np.ones(7)),
}  # fmt: skip
MJCF = '<mujoco><worldbody><body name="a"><freejoint/><geom type="capsule" size=".02" fromto="0 0 0 .1 0 0" mass=".1"/><body name="b" pos=".1 0 0"><joint axis="0 0 1"/><geom type="capsule" size=".02" fromto="0 0 0 .1 0 0" mass=".1"/></body></body></worldbody></mujoco>'
OBJECTS: dict[str, Example] = {  # what methods are called on
    "Simulation": lambda: sp.Simulation(robot(), command=gait()), "Trajectory": run, "Description": lambda: core.Disc((0.3, 0.4), 0.1), "FrictionMap": of(core.FrictionMap), "HeightField": of(core.HeightField),
    "CompoundSerpenoid": lambda: gaits.CompoundSerpenoid(0.1, yaw_temporal=1.0), "CustomGait": lambda: gaits.CustomGait(ripple), "FunctionGait": lambda: gaits.FunctionGait(lambda t: np.zeros(3)),
    "LateralRolling": lambda: gaits.LateralRolling(shapes.named("arc", curvature=1.5, length=1.0), 2.0), "Sampled": lambda: gaits.Sampled(*SAMPLES), "Sequence": lambda: gaits.Sequence((gait(), gaits.Serpenoid(0.3, 1.0, 0.2)), (1.0,)), "Serpenoid": gait,
    "StandingWave": lambda: gaits.StandingWave(0.3, 1.0, 1.0), "GivenLoad": lambda: contact.GivenLoad((1.0, 1.0, 1.0, 1.0)), "LiftedBends": lambda: contact.LiftedBends(1.0), "LoadWave": lambda: contact.LoadWave(0.1, 1.0, 1.0),
    "AdmittanceController": lambda: control.AdmittanceController(robot(), control.Admittance(gait())), "CPGController": lambda: control.CPGController(robot(), control.CPG((gait(),))), "ConcertinaDriver": lambda: control.ConcertinaDriver(rods(), legs().legs),
    "Creeper": lambda: control.Creeper(robot(), PATH), "Feeder": lambda: control.Feeder(robot(), PATH), "SampledTorque": lambda: control.SampledTorque(*SAMPLES), "SineTorque": lambda: control.SineTorque(0.1, 1.0, 0.2), "Undulation": control.Undulation,
    "ConcertinaPlan": lambda: planning.ConcertinaPlan((2.0, 1.0)), "ConcertinaSolution": legs, "HarmonicField": lambda: planning.solve(area(), (6.0, 1.0)), "Map": area, "PathPlan": lambda: planning.PathPlan(area(), (1.0, 3.0), ((6.0, 1.0),)), "PlannedPath": found,
    "Curve": lambda: shape().trace(20), "Pose": shapes.Pose, "Shape": shape, "Setup": setup, "Scene": lambda: sp.view.scene_of(run()), "SnakeEnv": lambda: begun(sp.envs.SnakeEnv("Creep")), "SnakeVectorEnv": lambda: begun(sp.envs.SnakeVectorEnv("Creep", 2)),
    "WaveGait": gaits.Rolling, "ServoDriver": lambda: control.servo_driver.ServoDriver(SimulatedBus("dynamixel", (1, 2, 3))), "SimulatedBus": lambda: SimulatedBus("dynamixel", (1, 2, 3)), "ServoMotor": lambda: next(iter(MOTORS.values())),
    "Variations": lambda: simulation.cells.Variations(formats.read("creep", SHORT)), "BusTable": table,
}  # fmt: skip
SAMPLES = [0.0, 1.0, 2.0, 3.0], [[0.0, 0.0, 0.0], [0.1, 0.1, 0.1], [0.2, 0.1, 0.1], [0.1, 0.0, 0.0]]
NOT_ASKED = {
    "core.Drive",
    "core.Gait",
    "control.servo_driver.Port",
    "control.servo_driver.SerialPort",
}  # protocols, and what needs a device


def cases() -> Iterator[Case]:
    """A case of every public callable that takes arguments, each function once."""
    seen: set[Any] = set()
    for place, name, thing in public.names():
        path = f"{place}.{name}".strip(".")
        if public.is_data(thing) or thing in seen or path in NOT_ASKED:
            continue
        seen.add(thing)
        if not inspect.isclass(thing):
            yield made(path, thing, (f"{place.rpartition('.')[2]}.{name}", name))
            continue
        if not public.received(thing):
            yield made(path, thing, (name,))
        for kind, method, item in public.members(thing):
            home = inspect.unwrap(getattr(item, "__func__", item))
            if kind == "method" and home not in seen:
                seen.add(home)
                yield made(
                    f"{path}.{method}", on(thing, name, method), (f"{name}.{method}", method), inspect.signature(item)
                )


def on(cls: type, name: str, method: str) -> Callable[..., Any]:
    """A method of a new object of a class; of the class itself where it belongs to that."""
    itself = isinstance(inspect.getattr_static(cls, method), classmethod | staticmethod)
    return lambda **given: getattr(cls if itself else OBJECTS.get(name, cls)(), method)(**given)


def made(
    path: str, call: Callable[..., Any], names: tuple[str, ...], signature: inspect.Signature | None = None
) -> Case:
    """The case of a callable: examples of the arguments that it needs and of those that have an example of their own."""
    good, free, needed = {}, [], []
    parameters = (signature or inspect.signature(call)).parameters.values()
    for item in parameters:
        if item.name in ("self", "cls") or item.kind in (item.VAR_KEYWORD, item.VAR_POSITIONAL):
            continue
        free.append(item.name)
        needed += [item.name] if item.default is item.empty else []
        own = next((OWN[f"{name}.{item.name}"] for name in names if f"{name}.{item.name}" in OWN), None)
        if own is not None:
            good[item.name] = own
        elif item.default is item.empty and item.name in BY_NAME:
            good[item.name] = BY_NAME[item.name]
    return Case(path, call, good, tuple(free), tuple(needed))
