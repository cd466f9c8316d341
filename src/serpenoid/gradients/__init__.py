"""Derivatives of a result with respect to its description: one pass backwards through the very same steps, whatever the number of parameters.

`gradient` is the front door: what of (`measures`), over what (`parameters`), through which run (`way_back`), how far it can be trusted
(`certificate`). What has no derivative is refused in words (`refusals`).
"""

from __future__ import annotations

from typing import Any

__all__ = ["Gradient", "Gradients", "Slope", "gradient"]
_HOMES = {"gradient": "run", "Gradient": "result", "Gradients": "result", "Slope": "result"}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        import importlib

        return getattr(importlib.import_module(f"serpenoid.gradients.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'serpenoid.gradients' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
