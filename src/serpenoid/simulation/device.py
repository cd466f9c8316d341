"""The same functions as device code of a GPU, in double and in single precision.

Numba types every decimal number in a source (0.5) as float64, and what it meets becomes float64. `single` makes them float32 while a kernel is
compiled for float32 arrays, so that the very same functions compute in single precision. The functions compiled then are kept apart from those in double
precision. Sine and cosine are those of the device's library there: the reduction in `frames` is made for float64.

Only `simulation.gpu` and `simulation.gpu_space` call this; nothing else imports numba.cuda.
"""

from __future__ import annotations

import contextlib
import importlib.util
import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from serpenoid.compiled import njit
from serpenoid.core.errors import InputError


def cuda() -> Any:
    """The module numba.cuda, with a device (or its simulator) behind it; refused in words where there is none."""
    if not hasattr(np, "row_stack"):
        np.row_stack = np.vstack  # type: ignore[attr-defined]  # numba-cuda asks for what NumPy 2.5 no longer has
    if importlib.util.find_spec("numba_cuda") is None:  # without it Numba has an old module of that name
        raise InputError('executor "gpu" needs the package numba-cuda: pip install "serpenoid[gpu]"')
    from numba import cuda as module
    from numba.cuda import is_available

    if not is_available():
        raise InputError(
            f'executor "gpu" needs an NVIDIA device; numba-cuda is installed, but found none ({_reason(module)}); use executor "threads"'
        )
    return module


def _reason(module: Any) -> str:
    """Why there is no device, as numba-cuda says it."""
    reason = getattr(module, "cuda_error", lambda: None)()
    return str(reason).strip().splitlines()[0][:200] if reason else "no CUDA device"


def simulated() -> bool:
    """Whether numba.cuda is its simulator: kernels run as Python."""
    from numba.core import config

    return bool(getattr(config, "ENABLE_CUDASIM", False))


def sincos_single(angle):  # type: ignore[no-untyped-def]
    """Cosine and sine of one angle by the device's library."""
    return math.cos(angle), math.sin(angle)


@njit
def clear(near):
    """Set a row to zero: local memory of a device holds anything at first."""
    for e in range(near.shape[0]):
        near[e] = 0.0


@njit
def copy_row(far, near, i, inwards):
    """Copy a row between the arrays of all robots, robot last, and robot i's own."""
    for e in range(near.shape[0]):
        if inwards:
            near[e] = far[e, i]
        else:
            far[e, i] = near[e]


@njit
def copy_table(far, near, i, columns, inwards):
    """The same of a table's first columns."""
    for e in range(near.shape[0]):
        for k in range(columns):
            if inwards:
                near[e, k] = far[e, k, i]
            else:
                far[e, k, i] = near[e, k]


_singles: dict[Any, Any] = {}  # function: its device code in single precision


@contextlib.contextmanager
def single() -> Iterator[None]:
    """While this lasts, kernels are compiled with decimal numbers as float32."""
    if simulated():
        yield
        return
    from numba import types
    from numba.core.dispatcher import Dispatcher
    from numba.cuda.descriptor import cuda_target
    from numba.cuda.dispatcher import CUDADispatcher

    from serpenoid.frames import sincos1

    context = cuda_target.typing_context
    plain = context.resolve_value_type

    def resolve(value: Any) -> Any:
        if type(value) is float:
            return types.float32
        if isinstance(value, Dispatcher) and not isinstance(value, CUDADispatcher):
            if value not in _singles:
                source = sincos_single if value is sincos1 else value.py_func
                _singles[value] = CUDADispatcher(source, dict(value.targetoptions, device=True, debug=False, opt=True))
            value = _singles[value]
        return plain(value)

    context.resolve_value_type = resolve
    try:
        yield
    finally:
        del context.resolve_value_type
