"""Kernels as plain objects: called from Python they run from a library; Numba is only loaded where there is none, and where other code is compiled.

A `Kernel` is what the decorators of `serpenoid.compiled` make of a function. Called, it looks for code of the form of its arguments
(`compiled.forms`): first in the library that was made ahead of time (`compiled.library`), else it has Numba compile it (`compiled.jit`). Numba itself
sees a kernel as a compiled function of its own, by `_numba_type_`: so a kernel may call kernels, and so may code of users and of a GPU.

| variable of the environment | what it does |
|---|---|
| SERPENOID_JIT=1 | every kernel is compiled by Numba when it is called: to look at one by itself |
| SERPENOID_MISSING=FILE | calls that no library has are added to the file, as `compiled/calls.txt` lists them |
| NUMBA_DISABLE_JIT=1 | kernels are plain Python: slow, for the simulator of a GPU and for looking at numbers |
"""

from __future__ import annotations

import functools
import importlib.util
import os
import threading
from collections.abc import Callable
from typing import Any

from serpenoid.compiled import library
from serpenoid.compiled.forms import UnknownFormError, form_of


def has_numba() -> bool:
    """Whether Numba is installed."""
    return importlib.util.find_spec("numba") is not None


PLAIN = os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")  # kernels are plain Python
MISSING = os.environ.get("SERPENOID_MISSING")  # a file to which calls are added that no library has
OWN = os.environ.get("SERPENOID_JIT", "0") not in ("", "0")  # every kernel is compiled by Numba when it is called


def call_of(kernel: Kernel, form: str) -> library.Call | None:
    """The function of a library for a kernel and the form of its arguments; None where Numba has to compile it."""
    made = None if OWN else library.call_of(kernel.name, form)
    if made is None and MISSING:
        with open(MISSING, "a") as file:
            file.write(f"{kernel.name} {form}\n")
    return made


_making = threading.RLock()  # threads that ask for the same kernel at once share what Numba makes of it


class Kernel:
    """A function that is compiled: from a library, or by Numba when that is needed."""

    def __init__(self, function: Callable[..., Any], inline: bool, fastmath: frozenset[str]) -> None:
        functools.update_wrapper(self, function)
        self.py_func, self.inline, self.fastmath = function, inline, fastmath
        self.name = f"{function.__module__}:{function.__qualname__}"
        self._numba: Any = None
        self._calls: dict[tuple[str, ...], Callable[..., Any]] = {}

    def __call__(self, *args: Any) -> Any:
        """Run it."""
        try:
            form = tuple([form_of(value) for value in args])
        except UnknownFormError:
            return self.numba(*args)
        call = self._calls.get(form)
        if call is None:
            call = self._calls[form] = self._found(form)
        return call(*args)

    def _found(self, form: tuple[str, ...]) -> Callable[..., Any]:
        made = call_of(self, " ".join(form))
        return self.numba if made is None else made  # type: ignore[no-any-return]

    @property
    def numba(self) -> Any:
        """The function as Numba compiles it."""
        if self._numba is None:
            if not has_numba():
                raise ImportError(
                    f'{self.name} is in no library of this machine, and Numba, which would compile it, is not installed: pip install "serpenoid[compile]"'
                )
            from serpenoid.compiled.jit import dispatcher_of

            with _making:
                self._numba = self._numba or dispatcher_of(self)
        return self._numba

    @property
    def _numba_type_(self) -> Any:
        return self.numba._numba_type_

    def __reduce__(self) -> str:
        return self.name.partition(":")[2]

    def __repr__(self) -> str:
        return f"<kernel {self.name}>"


class Built:
    """Something of Numba's that kernels name, an intrinsic say: made when Numba asks for its type."""

    def __init__(self, make: Callable[[], Any], plain: Callable[..., Any] | None = None) -> None:
        self._make, self._plain = make, plain

    @functools.cached_property
    def _numba_type_(self) -> Any:
        from serpenoid.compiled.jit import type_of

        return type_of(self._make())

    def __call__(self, *args: Any) -> Any:
        """Run it in plain Python, if it has a form there."""
        if self._plain is None:
            raise NotImplementedError("this works in compiled code only")
        return self._plain(*args)


class Bound:
    """A kernel of the library with a table of its own, for callers that hand over the same groups again and again.

    Of what was handed over the last time, as the very same object, nothing is looked at again. One at a time: not for several threads at once.
    """

    def __init__(self, call: library.Call, args: tuple[Any, ...]) -> None:
        self._call, self._kept = call, list(args)
        self._words, self._places = call.table(args)

    def __call__(self, *args: Any) -> Any:
        """Run it."""
        for k, (value, kept) in enumerate(zip(args, self._kept, strict=True)):
            if value is not kept:
                self._call.put(self._words, self._places[k], value)
                self._kept[k] = value
        return self._call.run(self._words)


def entry(function: Callable[..., Any], *examples: Any) -> Callable[..., Any]:
    """A kernel for arguments of the forms of these, called without looking at their forms again.

    Only for callers that hand over the very same forms every time, one call at a time.
    """
    kernel: Any = function
    if PLAIN:
        return function
    made = call_of(kernel, " ".join([form_of(value) for value in examples]))
    if made is None:
        from serpenoid.compiled.jit import entry_point

        return entry_point(kernel, examples)
    return Bound(made, examples)


def native_address(function: Callable[..., Any], *examples: Any) -> int:
    """Where the code of a kernel for arguments of the forms of these is, by Numba's calling convention."""
    kernel: Any = function
    made = call_of(kernel, " ".join([form_of(value) for value in examples]))
    if made is None or made.code is None:
        from serpenoid.compiled.jit import address_of

        return address_of(kernel, examples)
    return made.code
