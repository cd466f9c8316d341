"""What Numba does for kernels: compile them when they are asked for, and keep what it made. The only way to Numba at run time.

The cache is Numba's own, in the folders of `compiled.cache`: found by the meaning of the source, sealed, checked before it is loaded.
"""

from __future__ import annotations

import contextlib
import io
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numba
from numba.core import caching, event
from numba.core.registry import cpu_target

from serpenoid import signals
from serpenoid.compiled import progress
from serpenoid.compiled.cache import CACHE, PACKAGE, module_key, read_sealed, write_sealed
from serpenoid.compiled.forms import form_of
from serpenoid.compiled.kernel import Kernel


class _Watch(event.Listener):  # type: ignore[misc]
    """Tells who listens that Numba compiles (cached kernels are not compiled)."""

    depth = 0

    def on_start(self, happened: Any) -> None:
        """A compilation begins; a signal that was noted is answered first."""
        signals.check()
        self.depth += 1
        if self.depth == 1:
            progress.tell(getattr(happened.data["dispatcher"].py_func, "__module__", ""))

    def on_end(self, happened: Any) -> None:
        """A compilation ends."""
        self.depth -= 1
        if self.depth == 0:
            progress.tell(None)


event.register("numba:compile", _Watch())


class _ByMeaning(caching._CacheLocator):  # type: ignore[misc]
    """Where Numba keeps the kernels of this package: a folder for each module and meaning of its source."""

    def __init__(self, py_file: str) -> None:
        self.key = module_key(py_file)
        name = ".".join(Path(py_file).relative_to(PACKAGE).with_suffix("").parts)
        self.path = CACHE / f"{name}-{self.key}"

    def get_cache_path(self) -> str:
        """Folder of the module's kernels."""
        return str(self.path)

    def get_source_stamp(self) -> str:
        """What the kernels are made of."""
        return self.key

    def get_disambiguator(self) -> str:
        """Functions of one module differ by name."""
        return "0"

    @classmethod
    def from_function(cls, py_func: Any, py_file: str) -> _ByMeaning | None:
        """Locator for a function of this package, None for others."""
        if not Path(py_file).is_relative_to(PACKAGE):
            return None
        self = cls(py_file)
        try:
            self.ensure_cache_path()
            os.utime(self.path)
        except OSError:
            return None
        return self


class _SealedFile(caching.IndexDataCacheFile):  # type: ignore[misc]
    """Numba's index and data files of a function: Numba reads and writes them, here they are sealed and checked first."""

    def _load_index(self) -> Any:
        return {} if read_sealed(Path(self._index_path)) is None else super()._load_index()

    def _load_data(self, name: str) -> Any:
        if read_sealed(Path(self._data_path(name))) is None:
            raise FileNotFoundError(name)  # Numba compiles again
        return super()._load_data(name)

    @contextlib.contextmanager
    def _open_for_write(self, filepath: str) -> Iterator[io.BytesIO]:
        buffer = io.BytesIO()
        yield buffer
        write_sealed(Path(filepath), buffer.getvalue())


class _KernelImpl(caching.CompileResultCacheImpl):  # type: ignore[misc]
    """How Numba's results are kept: by the meaning of their source."""

    _locator_classes = [_ByMeaning]  # type: ignore[list-item]  # noqa: RUF012


class _KernelCache(caching.FunctionCache):  # type: ignore[misc]
    """The cache of one kernel."""

    _impl_class = _KernelImpl

    def __init__(self, function: Any) -> None:
        super().__init__(function)
        locator = self._impl.locator
        self._cache_file = _SealedFile(self._cache_path, self._impl.filename_base, locator.get_source_stamp())


KEPT = True  # whether kernels are kept on disk
OPTIONS: dict[str, Any] = {}  # of every kernel


def dispatcher_of(kernel: Kernel) -> Any:
    """The kernel as Numba's compiled function, kept on disk."""
    # a called function must not name the option at all: forceinline=False keeps what it calls from being built in
    options: dict[str, Any] = {**OPTIONS, **({"forceinline": True} if kernel.inline else {})}
    made: Any = numba.njit(nogil=True, error_model="numpy", fastmath=set(kernel.fastmath), **options)(kernel.py_func)
    own = PACKAGE in Path(kernel.py_func.__code__.co_filename).parents
    if KEPT and own and kernel.py_func.__closure__ is None:
        made._cache = _KernelCache(kernel.py_func)
    return made


def type_of(value: Any) -> Any:
    """The type of a global value of Numba's."""
    context = cpu_target.typing_context
    context.refresh()
    return context.resolve_value_type(value)


_entries: dict[Any, Callable[..., Any]] = {}


def entry_point(kernel: Kernel, examples: tuple[Any, ...]) -> Callable[..., Any]:
    """The compiled function for arguments of the types of these, called without looking at the types again."""
    key = (kernel, *map(form_of, examples))
    if key not in _entries:
        types = tuple(map(numba.typeof, examples))
        kernel.numba.compile(types)
        _entries[key] = kernel.numba.overloads[types].entry_point
    return _entries[key]


def address_of(kernel: Kernel, examples: tuple[Any, ...]) -> int:
    """Where the compiled code of a kernel for arguments of the types of these is."""
    kinds = tuple(map(numba.typeof, examples))
    kernel.numba.compile(kinds)
    made = kernel.numba.overloads[kinds]
    return int(made.library.get_pointer_to_function(made.fndesc.llvm_func_name))
