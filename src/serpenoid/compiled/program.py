"""What is compiled ahead of time: every entry by name, and how it is made of its operations.

An entry is a function of two numbers, an operation and the address of a table (`compiled.groups`). Its module has `OPERATIONS`, their names in the
order of their numbers; `operate`, a kernel of the operation and the groups; `example`, groups of the right types. A room adds an entry by one
line here.
"""

from __future__ import annotations

import importlib
from typing import Any

import numba
from numba import types

from serpenoid.compiled.groups import groups_at

ENTRIES = {  # name that others see: module
    "planar": "serpenoid.planar.operations",
    "spatial": "serpenoid.spatial.operations",
    "curves": "serpenoid.contact.curves",
    "judgement": "serpenoid.judgement.operations",
    "gaits": "serpenoid.gaits.operations",
}
_OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "no_cpython_wrapper": True, "no_cfunc_wrapper": True}


def load(name: str) -> None:
    """Import the kernels of an entry, so that they are decorated."""
    importlib.import_module(ENTRIES[name])


def entry_of(name: str) -> Any:
    """The function of an operation's number and the address of the table, compiled."""
    module = importlib.import_module(ENTRIES[name])
    operate, groups = module.operate, groups_at(module.example())

    def entry(op, at):
        return operate(op, *groups(at))

    function: Any = numba.njit(**_OPTIONS)(entry)
    function.compile((types.float64, types.float64))
    return function
