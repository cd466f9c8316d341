"""How physics is compiled: four decorators, one cache, one announcement.

Every kernel in serpenoid is a module-level function under one of these decorators: compiled once, kept on disk (`compiled.cache`),
callable from Python, from threads (it releases the interpreter lock) and from other kernels. `fastmath` is limited to the flags that keep
NaN and infinity meaningful. `exact` leaves out re-association, for code whose order of operations matters; `literal` changes nothing at all, for what
prepares a run: its bits are the same on every processor.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import numba
from numba.core import event

from serpenoid import signals
from serpenoid.compiled.address import OUTSIDE, call_address, carray, pointer, table_at, table_in
from serpenoid.compiled.cache import keep_on_disk
from serpenoid.compiled.roots import inverse_root

__all__ = [
    "OUTSIDE",
    "announcing",
    "call_address",
    "carray",
    "entry",
    "exact",
    "inverse_root",
    "kernel",
    "literal",
    "njit",
    "pointer",
    "table_at",
    "table_in",
]

F = TypeVar("F", bound=Callable[..., Any])


class _Watch(event.Listener):  # type: ignore[misc]
    """Tells who listens that Numba compiles (cached kernels are not compiled)."""

    def __init__(self) -> None:
        self.depth, self.tell = 0, None

    def on_start(self, happened: Any) -> None:
        """A compilation begins; a signal that was noted is answered first."""
        signals.check()
        self.depth += 1
        if self.depth == 1 and self.tell is not None:
            self.tell(getattr(happened.data["dispatcher"].py_func, "__module__", ""))

    def on_end(self, happened: Any) -> None:
        """A compilation ends."""
        self.depth -= 1
        if self.depth == 0 and self.tell is not None:
            self.tell(None)

    tell: Callable[[str | None], None] | None


_watch = _Watch()
event.register("numba:compile", _watch)


@contextlib.contextmanager
def announcing(tell: Callable[[str | None], None]) -> Iterator[None]:
    """Call `tell` with the module's name when a kernel begins to be compiled, and with None when it is done."""
    before, _watch.tell = _watch.tell, tell
    try:
        yield
    finally:
        _watch.tell = before


_LOOSE = {"contract", "reassoc", "arcp", "nsz"}
_EXACT = {"contract", "nsz"}


def _decorated(function: F, inline: bool, fastmath: set[str] | bool) -> F:
    if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]  # plain Python: slow, for the simulator of a GPU and for looking at numbers
        return function
    # a called function must not name the option at all: forceinline=False keeps what it calls from being built in
    options: dict[str, Any] = {"forceinline": True} if inline else {}
    compiled: Any = numba.njit(nogil=True, error_model="numpy", fastmath=fastmath, **options)(function)
    if hasattr(compiled, "py_func"):  # else numba was told not to compile (NUMBA_DISABLE_JIT)
        keep_on_disk(compiled)
    result: F = compiled
    return result


def njit(function: F) -> F:
    """Compile a small function that is built into its callers: cached, no interpreter lock, NaN and infinity kept."""
    return _decorated(function, True, _LOOSE)


def kernel(function: F) -> F:
    """Compile a large function that is called, not built in (it keeps compilation short)."""
    return _decorated(function, False, _LOOSE)


def exact(function: F) -> F:
    """Compile a small function whose order of operations is part of the algorithm."""
    return _decorated(function, True, _EXACT)


def literal(function: F) -> F:
    """Compile a function whose operations are carried out as they are written, neither fused nor reordered; it is called, not built in."""
    return _decorated(function, False, False)


_entries: dict[Any, Callable[..., Any]] = {}


def _form(example: Any) -> Any:
    """What decides the type of an argument: class, kind of numbers, dimensions and order in memory."""
    if isinstance(example, tuple):
        return (type(example), *map(_form, example))
    if hasattr(example, "flags"):
        return example.dtype.char, example.ndim, example.flags.c_contiguous
    return type(example)


def entry(function: Callable[..., Any], *examples: Any) -> Callable[..., Any]:
    """The compiled function for arguments of the types of these, called without looking at the types again.

    A call with 25 arrays costs 1.5 us instead of 6. Only for callers that hand over the very same types every time.
    """
    if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
        return function
    key = (function, *map(_form, examples))
    if key not in _entries:
        kernel_: Any = function
        types = tuple(numba.typeof(example) for example in examples)
        kernel_.compile(types)
        _entries[key] = kernel_.overloads[types].entry_point
    return _entries[key]
