"""Files: scenarios in, trajectories in and out. Numbers, texts and bytes only; simulations are built in `simulation`."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from serpenoid.formats.joint_logs import read_log
    from serpenoid.formats.mjcf_import import read_mjcf
    from serpenoid.formats.scenario import bundled, read, schema
    from serpenoid.formats.trajectory import load, save, save_csv
    from serpenoid.formats.urdf import read_urdf

_HOMES = {
    "bundled": "scenario",
    "load": "trajectory",
    "read": "scenario",
    "read_log": "joint_logs",
    "read_mjcf": "mjcf_import",
    "read_urdf": "urdf",
    "save": "trajectory",
    "save_csv": "trajectory",
    "schema": "scenario",
}

__all__ = ["bundled", "load", "read", "read_log", "read_mjcf", "read_urdf", "save", "save_csv", "schema"]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(importlib.import_module(f"serpenoid.formats.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'serpenoid.formats' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
