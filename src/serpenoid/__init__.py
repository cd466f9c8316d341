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
    "bench", "checks", "compare", "contact", "control", "core", "dynamics", "engines", "errors", "execution", "formats", "forms", "frames", "gaits", "kinematics",
    "metrics", "optimise", "planning", "records", "robots", "runs", "servo", "setups", "shapes", "spatial_metrics", "spatial_records", "stepping", "studies", "terrain", "view",
)  # fmt: skip
_NAMES = {
    "Ground": "terrain", "Patch": "core", "Robot": "core", "Start": "core", "Trajectory": "core", "World": "core",
    "load": "formats.trajectory", "resume": "runs", "run_scenario": "runs", "simulate": "runs",
    "SerpenoidError": "errors",
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
