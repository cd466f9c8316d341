"""From descriptions to a trajectory: the only place that puts robot, command, world and engine together."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from serpenoid.simulation import metrics
    from serpenoid.simulation.batch import Batch, execute_many, simulate_many
    from serpenoid.simulation.run import resume, run_scenario, simulate
    from serpenoid.simulation.setup import Setup, setup_of
    from serpenoid.simulation.simulation import Simulation
    from serpenoid.simulation.state import State

_HOMES = {
    "Batch": "batch",
    "execute_many": "batch",
    "simulate_many": "batch",
    "Setup": "setup",
    "Simulation": "simulation",
    "State": "state",
    "metrics": "metrics",
    "resume": "run",
    "run_scenario": "run",
    "setup_of": "setup",
    "simulate": "run",
}

__all__ = [
    "Batch", "Setup", "Simulation", "State", "execute_many", "metrics", "resume", "run_scenario", "setup_of", "simulate", "simulate_many",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        home = importlib.import_module(f"serpenoid.simulation.{_HOMES[name]}")
        return home if _HOMES[name] == name else getattr(home, name)
    raise AttributeError(f"module 'serpenoid.simulation' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
