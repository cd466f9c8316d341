"""Sweeps: designs of cells, a store that loses and mixes none, executors on threads, processes, a GPU, a cluster.

made = sp.sweeps.sweep("creep", {"gait.winding_angle_deg": "5:90:5", "world.friction.along": "0.05:0.4:0.05"}, "out/map")
data = sp.sweeps.open("out/map")         # an xarray.Dataset with one dimension per axis
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from serpenoid.sweeps.dataset import open_store as open
    from serpenoid.sweeps.repairing import repair
    from serpenoid.sweeps.running import Sweep, sweep

_HOMES = {
    "Sweep": ("running", "Sweep"),
    "open": ("dataset", "open_store"),
    "repair": ("repairing", "repair"),
    "sweep": ("running", "sweep"),
}

__all__ = ["Sweep", "open", "repair", "sweep"]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        home, inner = _HOMES[name]
        return getattr(importlib.import_module(f"serpenoid.sweeps.{home}"), inner)
    raise AttributeError(f"module 'serpenoid.sweeps' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
