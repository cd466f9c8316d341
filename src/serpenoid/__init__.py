"""serpenoid: a laboratory for snake-like robots.

    import serpenoid as sp

Describe a robot (`sp.robots`, `sp.Robot`), give it a gait (`sp.gaits`), torques or a controller (`sp.control`), put it in a world
(`sp.World`, `sp.contact`), and `sp.simulate` it, or step it yourself with `sp.Simulation`; look at the result with `run.summary()`,
`run.plot()`, `run.film(...)`. Lengths are in m, angles in rad, times in s. The import is light: each room loads when it is first used.

| room | what lives there |
|---|---|
| `robots`, `gaits`, `contact`, `control`, `planning`, `shapes` | what a simulation is described by |
| `simulation`, `peers` | how it is run: our engines, MuJoCo and Drake |
| `view`, `formats`, `optimise`, `studio`, `studies`, `bench` | what is done with it |
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from serpenoid.version import __version__

if TYPE_CHECKING:
    from serpenoid.core.errors import SerpenoidError
    from serpenoid.core.robot import Robot
    from serpenoid.core.start import Start
    from serpenoid.core.terrain import Ground
    from serpenoid.core.trajectory import Trajectory
    from serpenoid.core.world import Patch, World
    from serpenoid.formats.trajectory import load
    from serpenoid.gradients.run import gradient
    from serpenoid.simulation.batch import simulate_many
    from serpenoid.simulation.run import resume, run_scenario, simulate
    from serpenoid.simulation.simulation import Simulation

_ROOMS = (
    "bench", "contact", "control", "core", "formats", "gaits", "gradients", "optimise", "peers", "planning", "robots", "shapes", "simulation",
    "studies", "studio", "sweeps", "view",
)  # fmt: skip
_HOMES = {
    "Ground": "core", "Patch": "core", "Robot": "core", "SerpenoidError": "core.errors", "Simulation": "simulation.simulation", "Start": "core",
    "Trajectory": "core", "World": "core", "gradient": "gradients.run", "load": "formats.trajectory", "resume": "simulation.run", "run_scenario": "simulation.run",
    "simulate": "simulation.run", "simulate_many": "simulation.batch",
}  # fmt: skip

__all__ = [
    "Ground", "Patch", "Robot", "SerpenoidError", "Simulation", "Start", "Trajectory", "World", "__version__", "gradient", "load", "resume", "run_scenario",
    "simulate", "simulate_many",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name in _ROOMS:
        return importlib.import_module(f"serpenoid.{name}")
    if name in _HOMES:
        return getattr(importlib.import_module(f"serpenoid.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'serpenoid' has no attribute {name!r}{_hint(name)}")


_INSTEAD = {  # what is often looked for at the top, and where it is
    "run": "sp.simulate(robot, gait, world), or sp.run_scenario('creep') for a scenario", "plot": "run.plot(), of what sp.simulate gives",
    "film": "sp.view.film(run, path)", "make": "gymnasium.make('serpenoid.envs:serpenoid/Creep-v0')", "show": "print(run.summary()), run.plot()",
    "scenario": "sp.run_scenario(name), sp.formats.scenario", "sweep": "sp.sweeps.sweep(...)", "metrics": "run.metrics, sp.simulation.metrics",
}  # fmt: skip


def _hint(name: str) -> str:
    """Where a name may be found that is not here: in a room, or under another spelling."""
    if name.startswith("_"):
        return ""
    if name in _INSTEAD:
        return f"; there is {_INSTEAD[name]}"
    from serpenoid.spelling import near

    homes = [room for room in _ROOMS if name in _names_of(room)]
    if homes:
        return "; there is " + " and ".join(f"sp.{room}.{name}" for room in homes)
    return near(name, [*_HOMES, *_ROOMS])


def _names_of(room: str) -> list[str]:
    """The public names of a room, read without importing it."""
    import ast
    from pathlib import Path

    for node in ast.parse((Path(__file__).parent / room / "__init__.py").read_text(encoding="utf-8")).body:
        if (
            isinstance(node, ast.Assign)
            and ast.unparse(node.targets[0]) == "__all__"
            and isinstance(node.value, ast.List)
        ):
            return [str(ast.literal_eval(item)) for item in node.value.elts if isinstance(item, ast.Constant)]
    return []


def __dir__() -> list[str]:
    return sorted([*__all__, *_ROOMS])
