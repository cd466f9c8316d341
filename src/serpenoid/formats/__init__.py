"""Files: scenarios in, trajectories in and out. Numbers, texts and bytes only; simulations are built in `simulation`."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from serpenoid.formats.scenario import bundled, read, schema
    from serpenoid.formats.trajectory import load, save, save_csv

_HOMES = {
    "bundled": "scenario",
    "load": "trajectory",
    "read": "scenario",
    "save": "trajectory",
    "save_csv": "trajectory",
    "schema": "scenario",
}

__all__ = ["bundled", "load", "read", "save", "save_csv", "schema"]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        home = importlib.import_module(f"serpenoid.formats.{_HOMES[name]}")
        return home if _HOMES[name] == name else getattr(home, name)
    raise AttributeError(f"module 'serpenoid.formats' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
