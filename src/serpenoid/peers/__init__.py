"""Other simulation packages behind the same `Simulation`: MuJoCo and Drake."""

from __future__ import annotations

from typing import Any

from serpenoid.core.errors import InputError

__all__ = ["PEERS", "engine_class"]

PEERS = ("mujoco", "mujoco-native", "drake", "drake-native")


def engine_class(name: str) -> Any:
    """Class of a peer's engine; the package is imported here, and missed with a hint how to get it."""
    if not isinstance(name, str) or name not in PEERS:
        raise InputError(f"engine must be one of {', '.join(PEERS)}, got {name!r}")
    if name.startswith("mujoco"):
        from serpenoid.peers.mujoco import MujocoEngine, MujocoNativeEngine
        from serpenoid.peers.mujoco_model import load_mujoco

        load_mujoco()
        return MujocoEngine if name == "mujoco" else MujocoNativeEngine
    from serpenoid.peers.drake import DrakeEngine, DrakeNativeEngine
    from serpenoid.peers.drake_plant import load_drake

    load_drake()
    return DrakeEngine if name == "drake" else DrakeNativeEngine


def __dir__() -> list[str]:
    return __all__
