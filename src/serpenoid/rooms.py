"""Rooms that load what is asked for: the public names of a package, each imported from its module when it is first used.

    if TYPE_CHECKING:
        from serpenoid.view.figure import figure as figure

    __getattr__ = opener(__name__, {"figure": "figure"})           # name: module in this package

Type checkers and editors read the first, the running program the second; a test compares the two.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from typing import Any


def opener(package: str, homes: dict[str, str]) -> Callable[[str], Any]:
    """What finds the names of a package: the module of each, in the package unless it has a dot."""

    def opened(name: str) -> Any:
        home = homes.get(name)
        if home is None:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module = importlib.import_module(home if "." in home else f"{package}.{home}")
        found = getattr(module, name)
        setattr(sys.modules[package], name, found)
        return found

    return opened
