"""Three dimensions: one robot in time on any ground, O(n) in the links."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from serpenoid.spatial.engine import SpatialEngine

__all__ = ["SpatialEngine"]


def __getattr__(name: str) -> Any:
    if name == "SpatialEngine":
        from serpenoid.spatial.engine import SpatialEngine

        return SpatialEngine
    raise AttributeError(f"module 'serpenoid.spatial' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
