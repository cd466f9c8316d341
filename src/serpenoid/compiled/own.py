"""Functions of users as code at an address: compiled by Numba where it is installed, else called back in Python (some 0.2 us a call, and slower inside).

Both run the same function: arrays come as addresses and sizes, of which `carray` makes arrays.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

from serpenoid.compiled.address import outside
from serpenoid.compiled.kernel import has_numba

_WORD = ctypes.c_ssize_t
_OUTSIDE = ctypes.CFUNCTYPE(None, ctypes.c_double, *(_WORD,) * 10)  # pointers as whole numbers


class Back:
    """A Python function that compiled code calls back."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._called = _OUTSIDE(function)
        self.address: int = ctypes.cast(self._called, ctypes.c_void_p).value or 0


def code_of(function: Callable[..., Any]) -> Any:
    """Code of the signature `outside()`, at an `address` that stays valid as long as this object lives."""
    if not has_numba():
        return Back(function)
    import numba

    return numba.cfunc(outside(), error_model="numpy")(function)


def inner(function: Callable[..., Any]) -> Any:
    """A function that such code calls."""
    if not has_numba():
        return function
    import numba

    return numba.njit(error_model="numpy")(function)
