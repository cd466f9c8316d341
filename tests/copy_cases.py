"""One object of every public class, and what it is used for: what a copy of it must do as well."""

from __future__ import annotations

import functools
import importlib
import inspect
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import serpenoid as sp
from serpenoid import contact, envs, gaits, planning, sweeps
from serpenoid.control.simulated_bus import SimulatedBus
from serpenoid.core.once import once
from serpenoid.envs.episodes import Episodes
from serpenoid.simulation.fleet import Fleet

# modules, beside those of `docs/api.txt`, whose objects users meet
MODULES = (
    "contact.load", "control.controller", "control.servo_driver", "control.simulated_bus", "core.command", "core.errors", "core.family", "core.finding",
    "core.obstacles", "core.terrain", "core.trajectory", "core.world", "envs.episodes", "envs.maze", "envs.plane", "envs.policies", "envs.space", "envs.task",
    "formats.bus", "formats.joint_logs", "formats.motion", "formats.verifying", "gaits.waves", "planar", "planning.refine", "shapes.functions",
    "simulation.cells", "simulation.fleet", "simulation.sizing", "spatial",
)  # fmt: skip
WAVE = {"winding_angle": 0.5, "waves": 1.2, "speed": 0.2}
PACE, LINKS = 0.02, 4  # s


class Case(NamedTuple):
    """How an object is made, and what it gives; `moves`: giving it changes the object, `refuses`: why it has no copies."""

    make: Callable[[], Any]
    use: Callable[[Any], Any] = lambda item: item
    moves: bool = False
    refuses: str = ""


def public_classes() -> dict[str, type]:
    """Every public class by its full name: those of `docs/api.txt`, and those of `MODULES`."""
    sys.path.insert(0, str(Path(__file__).parents[1] / "docs" / "site"))
    try:
        things = [thing for _, _, thing in importlib.import_module("public").names()]
    finally:
        sys.path.pop(0)
    for name in MODULES:
        module = importlib.import_module(f"serpenoid.{name}")
        own = [n for n, x in vars(module).items() if inspect.isclass(x) and x.__module__ == module.__name__]
        things += [getattr(module, n) for n in getattr(module, "__all__", own) if not n.startswith("_")]
    return {f"{x.__module__.removeprefix('serpenoid.')}.{x.__name__}": x for x in things if inspect.isclass(x)}


def told(item: Any, seen: frozenset[int] = frozenset()) -> Any:
    """What an object holds, as texts and tuples, arrays to the last bit; what it computes when asked is left out."""
    if id(item) in seen:
        return "itself"
    inner = seen | {id(item)}
    if isinstance(item, np.ndarray):
        return (
            item.dtype.str,
            item.shape,
            item.tobytes().hex() if item.dtype.kind != "O" else told(item.tolist(), inner),
        )
    if isinstance(item, np.random.Generator):
        return told(item.bit_generator.state, inner)
    if isinstance(item, Mapping):
        return ("table", *sorted((str(key), told(value, inner)) for key, value in item.items()))
    if isinstance(item, set | frozenset):  # in an order that every process has
        return (type(item).__name__, *sorted((told(value, inner) for value in item), key=repr))
    if isinstance(item, list | tuple):
        return (type(item).__name__, *(told(value, inner) for value in item))
    if item is None or isinstance(item, str | bytes | int | float | complex | np.generic | Path):
        return f"{type(item).__name__} {item!r}"
    if inspect.isroutine(item) or isinstance(item, type) or hasattr(item, "py_func"):
        return getattr(item, "__qualname__", repr(item))
    if is_dataclass(item):
        return (type(item).__name__, *((f.name, told(getattr(item, f.name), inner)) for f in fields(item)))
    asked = {
        name
        for cls in type(item).__mro__
        for name, value in vars(cls).items()
        if isinstance(value, functools.cached_property | once)
    }
    held = {
        **{n: getattr(item, n) for n in getattr(type(item), "__slots__", ()) if hasattr(item, n)},
        **getattr(item, "__dict__", {}),
    }
    return (
        type(item).__name__,
        str(item) if isinstance(item, BaseException) else "",
        told({k: v for k, v in held.items() if k not in asked}, inner),
    )


def robot(**more: Any) -> sp.Robot:
    return sp.robots.ma2001(links=LINKS, **more)


def snake() -> sp.Robot:
    return sp.robots.universal(links=7, length=1.0, mass=1.0, radius=0.02)


def planar(
    command: Any = None, world: sp.World | None = None, body: sp.Robot | None = None, **more: Any
) -> sp.Simulation:
    """A simulation under way."""
    sim = sp.Simulation(
        body or robot(), world or sp.World(), gaits.Serpenoid(**WAVE) if command is None else command, **more
    )
    sim.advance(PACE)
    return sim


def limp() -> sp.Simulation:
    """Joint angles of a user's own, on a curve."""
    sim = sp.Simulation(robot(), sp.World())
    sim.advance(PACE, angles=[0.1, 0.2, 0.1])
    sim.advance(PACE, angles=[0.2, 0.1, 0.0])
    return sim


def spatial(command: Any = None) -> sp.Simulation:
    ground = sp.World(friction=contact.Bristle(0.3, 0.5), ground=sp.Ground())
    return planar(gaits.Sidewinding(0.3) if command is None else command, ground, snake())


def onward(sim: sp.Simulation) -> Any:
    """Let a simulation go on: where it gets, and all that it recorded."""
    sim.advance(PACE, **({} if sim._own else {"angles": np.full(len(sim.robot.axes), 0.15)}))
    run = sim.finish()
    return told(sim.state.nodes), told({name: run[name] for name in run.variables}), told(run.metrics)


def driven(command: Any, body: sp.Robot | None = None) -> Callable[[Any], Any]:
    """What a run under a command gives."""

    def use(item: Any) -> Any:
        sim = sp.Simulation(body or robot(), sp.World(), command(item))
        return onward(sim)

    return use


def steered(item: Any) -> Any:
    """What a controller that remembers something asks for at its next call."""
    made = []
    state = planar().state
    for k in range(3):
        made.append(told(item.command(state, item.period * k)))
    return made, told(item.memory())


def carried(item: Any) -> Any:
    sim = sp.Simulation(item.body, None, item)
    sim.advance(2 * PACE)
    return told(sim.state.nodes), told(item.memory())


def fleet(threads: int = 1, space: bool = False) -> Fleet:
    body = snake() if space else robot()
    ground = sp.World(ground=sp.Ground()) if space else sp.World()
    made = Fleet([sp.Simulation(body, ground) for _ in range(3)], threads)
    made.advance(PACE, np.full((3, len(body.axes)), 0.1))
    return made


def marched(item: Fleet) -> Any:
    for k in range(3):
        item.advance(PACE, np.full((len(item), len(item.sims[0].robot.axes)), 0.1 * k))
    return told(item.sensed.rows), [onward_state(sim) for sim in item.sims]


def onward_state(sim: sp.Simulation) -> Any:
    return told(sim.memory())


def acted(env: Any) -> Any:
    """Some actions, and an episode that begins anew."""
    shape, rng, made = env.action_space.shape, np.random.default_rng(3), []
    for _ in range(3):
        made.append(told(env.step(rng.uniform(-1.0, 1.0, shape))))
    made.append(told(env.reset()))
    made.append(told(env.step(np.zeros(shape))))
    return made


def begun(env: Any) -> Any:
    env.reset(seed=3)
    env.step(np.zeros(env.action_space.shape))
    return env


def episodes() -> Episodes:
    made = Episodes(envs.TASKS["Creep"](), 2)
    made.reset([np.random.default_rng(k) for k in range(2)], np.arange(2))
    return made


def bus() -> SimulatedBus:
    made = SimulatedBus("dynamixel", (1, 2), loss=0.2, seed=4)
    made.sleep(0.1)
    return made


def asked(item: SimulatedBus) -> Any:
    from serpenoid.formats.packets import sync_read

    made = []
    for _ in range(6):
        item.write(sync_read(item.bus, item.bus.present, (1, 2)))
        made.append(item.read(0.05))
    return made, item.now(), item.lost


@functools.cache
def short() -> sp.Trajectory:
    return sp.simulate(robot(), gaits.Serpenoid(**WAVE), duration=0.02)


def batch() -> Any:
    command = gaits.Serpenoid(**WAVE)
    return sp.simulate_many(robot(), [command, command], duration=0.01, trajectories=0.01)


@functools.cache
def swept() -> Any:
    folder = Path(tempfile.mkdtemp()) / "store"
    return sweeps.sweep(
        "creep", {"gait.waves": [1]}, folder, changes=["run.duration=0.01", "robot.links=3"], metrics="com_distance"
    )


ROOM = "cell 0.1\n########\n#......#\n#......#\n#......#\n########"


def area() -> Any:
    return planning.maps.from_text(ROOM)


def path() -> Any:
    return planning.find_path(area(), (0.1, 0.1), (0.6, 0.3))


def followed() -> Any:
    return planning.follow(path(), [0.1, 0.1])


LINE = [[0.0, 0.0], [6.0, 0.0]]


@functools.cache
def solved() -> Any:
    return planning.ConcertinaPlan((12.0, 0.0)).solve()
