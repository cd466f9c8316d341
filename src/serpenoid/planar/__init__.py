"""The plane: one robot in time on level ground, O(n) in the links."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from serpenoid.planar.engine import PlanarEngine

__all__ = ["PlanarEngine"]


def __getattr__(name: str) -> Any:
    if name == "PlanarEngine":
        from serpenoid.planar.engine import PlanarEngine

        return PlanarEngine
    raise AttributeError(f"module 'serpenoid.planar' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
