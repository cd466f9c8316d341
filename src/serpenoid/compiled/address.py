"""What kernels may call besides kernels; each is code of Numba's that is made when something is compiled (`compiled.intrinsics`).

| name | what it does in a kernel |
|---|---|
| `call_address(address, x, par, table, out)` | calls the C function of signature `outside()` at an address: functions of users |
| `call_product(address, a, b, out)` | out = a b^T by the BLAS function dgemm at an address (`product_address()`) |
| `pointer(address)`, `carray(pointer, shape)` | the float64 at an address, as an array |
| `table_at(address, rows, columns)` | the table at an address |
| `table_in(row, first, rows, columns)` | the table that stands in an array of one dimension |
| `inverse_root(x)` | 1 / sqrt(x); on a GPU by its library, where it takes a third of the instructions |
| `call_whole(address, args)`, `call_flag(address, args)` | calls the kernel at an address (`native_address`): the very code that Python calls, so the same bits |
| `claim(counter, many)` | divides work among threads: adds to a counter in one uninterrupted step, gives what stood there before |
"""

from __future__ import annotations

import ctypes
import functools
import math
from typing import Any

import numpy as np

from serpenoid.compiled.kernel import Built


def _named(name: str) -> Any:
    from serpenoid.compiled import intrinsics

    return getattr(intrinsics, name)


def _table_in(row: Any, first: int, rows: int, columns: int) -> Any:
    return row[first : first + rows * columns].reshape(rows, columns)


def _carray(address: int, shape: tuple[int, ...]) -> Any:
    numbers = (ctypes.c_double * math.prod(shape)).from_address(int(address))
    return np.ctypeslib.as_array(numbers).reshape(shape)


def outside() -> Any:
    """What `call_address` can call, as Numba's signature.

    void f(double x, double *par, intp count, double *table, intp rows, intp columns, intp stride, double *out, intp ..., intp ..., intp ...)
    """
    return _named("OUTSIDE")


@functools.cache
def product_address() -> int:
    """Where SciPy's dgemm is."""
    from scipy.linalg import cython_blas

    capsule = cython_blas.__pyx_capi__["dgemm"]
    name, place = ctypes.pythonapi.PyCapsule_GetName, ctypes.pythonapi.PyCapsule_GetPointer
    name.restype, name.argtypes = ctypes.c_char_p, [ctypes.py_object]
    place.restype, place.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return int(place(capsule, name(capsule)))


call_product = Built(lambda: _named("call_product"), lambda address, a, b, out: np.dot(a, b.T, out))
call_address = Built(lambda: _named("call_address"))
pointer = Built(lambda: _named("pointer"), int)
carray = Built(lambda: _named("carray"), _carray)
table_at = Built(lambda: _named("table_at"), lambda address, rows, columns: _carray(address, (rows, columns)))
table_in = Built(lambda: _named("table_in"), _table_in)
inverse_root = Built(lambda: _named("inverse_root"), lambda x: 1.0 / math.sqrt(x))
call_whole = Built(lambda: _named("call_whole"))
call_flag = Built(lambda: _named("call_flag"))
claim = Built(lambda: _named("claim"))
