"""How physics is compiled: four decorators. What they make runs from a library that was compiled ahead of time, else by Numba (`compiled.kernel`).

Every kernel in serpenoid is a module-level function under one of these decorators: callable from Python, from threads (it releases the
interpreter lock) and from other kernels. `fastmath` is limited to the flags that keep NaN and infinity meaningful. `exact` leaves out
re-association, for code whose order of operations matters; `literal` changes nothing at all, for what prepares a run: its bits are the same on
every processor.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from serpenoid.compiled.address import call_address, carray, inverse_root, outside, pointer, table_at, table_in
from serpenoid.compiled.kernel import PLAIN, Kernel, entry
from serpenoid.compiled.progress import announcing

__all__ = [
    "announcing",
    "call_address",
    "carray",
    "entry",
    "exact",
    "inverse_root",
    "kernel",
    "literal",
    "njit",
    "outside",
    "pointer",
    "table_at",
    "table_in",
]

F = TypeVar("F", bound=Callable[..., Any])

_LOOSE = frozenset({"contract", "reassoc", "arcp", "nsz"})
_EXACT = frozenset({"contract", "nsz"})


def _decorated(function: F, inline: bool, fastmath: frozenset[str]) -> F:
    made: Any = function if PLAIN else Kernel(function, inline, fastmath)
    result: F = made
    return result


def njit(function: F) -> F:
    """Compile a small function that is built into its callers: no interpreter lock, NaN and infinity kept."""
    return _decorated(function, True, _LOOSE)


def kernel(function: F) -> F:
    """Compile a large function that is called, not built in (it keeps compilation short)."""
    return _decorated(function, False, _LOOSE)


def exact(function: F) -> F:
    """Compile a small function whose order of operations is part of the algorithm."""
    return _decorated(function, True, _EXACT)


def literal(function: F) -> F:
    """Compile a function whose operations are carried out as they are written, neither fused nor reordered; it is called, not built in."""
    return _decorated(function, False, frozenset())
