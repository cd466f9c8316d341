"""serpenoid: a laboratory for snake-like robots.

    import serpenoid as sp

Describe a robot (`sp.robots`), give it a gait (`sp.gaits`) or torques (`sp.control`), put it on a ground
(`sp.World`, `sp.contact`), and `sp.simulate` it; look at it with `sp.view`. The import is light: each part loads
when it is first used.
"""

from __future__ import annotations

import importlib
from typing import Any

_MODULES = (
    "bench",
    "contact",
    "control",
    "core",
    "formats",
    "gaits",
    "optimise",
    "peers",
    "planning",
    "robots",
    "shapes",
    "simulation",
    "studies",
    "view",
)
_NAMES = {
    "Ground": "core", "Patch": "core", "Robot": "core", "Start": "core", "Trajectory": "core", "World": "core",
    "load": "formats.trajectory", "resume": "simulation.run", "run_scenario": "simulation.run", "simulate": "simulation.run", "Simulation": "simulation.simulation",
    "SerpenoidError": "core.errors",
}  # fmt: skip

__all__ = sorted([*_MODULES, *_NAMES])


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return importlib.import_module(f"serpenoid.{name}")
    if name in _NAMES:
        return getattr(importlib.import_module(f"serpenoid.{_NAMES[name]}"), name)
    raise AttributeError(f"module 'serpenoid' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
