"""How physics is compiled: three decorators, one cache, one announcement.

Every kernel in serpenoid is a module-level function under one of these decorators: compiled once, kept on disk, callable from
Python, from threads (it releases the interpreter lock) and from other kernels. `fastmath` is limited to the flags that keep NaN
and infinity meaningful. `exact` leaves out re-association, for code whose order of operations matters.

The cache is keyed by meaning, not by text: the digest of a module's syntax tree without docstrings, and of every module whose
kernels or constants it imports. So a changed comment compiles nothing, a changed kernel compiles only what uses it, and two
versions of the source do not disturb each other. (Numba alone looks only at the file of the function itself, so that a change in
a called function in another file would silently run the old code.)
"""

from __future__ import annotations

import ast
import contextlib
import functools
import hashlib
import json
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])

_PACKAGE = Path(__file__).parent
_KEPT_FOR = 30 * 24 * 3600.0  # s: compiled modules that were not used for so long are removed


def _usable(folder: Path) -> bool:
    """Whether the folder is there (or can be made) and ours alone to write: compiled code is loaded from it."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return folder.stat().st_uid == os.getuid() and os.access(folder, os.W_OK)
    except OSError:
        return False


def cache_dir() -> Path:
    """Folder for compiled kernels: SERPENOID_CACHE, else the user's cache, else a new temporary folder."""
    root = os.environ.get("SERPENOID_CACHE") or os.environ.get("XDG_CACHE_HOME")
    bases = [Path(root)] if root else []
    for base in [*bases, Path(os.path.expanduser("~")) / ".cache"]:
        folder = base / "serpenoid" / "kernels"
        if _usable(folder):
            return folder
    return Path(tempfile.mkdtemp(prefix="serpenoid-"))


CACHE = cache_dir()


class _Digests:
    """What each source file means: digest of its syntax tree and the modules it builds on, remembered by its contents."""

    def __init__(self, path: Path) -> None:
        self.path, self.changed = path, False
        self.known: dict[str, tuple[str, list[str], bool]] = {}
        with contextlib.suppress(OSError, ValueError, TypeError):
            self.known = {k: (v[0], v[1], v[2]) for k, v in json.loads(path.read_text()).items()}

    def of(self, file: Path) -> tuple[str, list[str], bool]:
        """Digest of a file's syntax tree without docstrings, what it imports, and whether it has kernels."""
        content = file.read_bytes()
        key = hashlib.sha256(file.as_posix().encode() + b"\0" + content).hexdigest()
        if key not in self.known:
            self.known[key] = _parsed(content.decode())
            self.changed = True
        return self.known[key]

    def save(self) -> None:
        """Write what was learned; a failure only costs time."""
        if self.changed:
            with contextlib.suppress(OSError):
                part = self.path.with_name(f".{self.path.name}.{os.getpid()}")
                part.write_text(json.dumps(self.known))
                os.replace(part, self.path)
            self.changed = False


def _parsed(text: str) -> tuple[str, list[str], bool]:
    tree = ast.parse(text)
    wanted: list[str] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "serpenoid":
            wanted += [f"{node.module}:{a.name}" for a in node.names]
        body = getattr(node, "body", None)
        if isinstance(body, list) and body and isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            first = body[0]
            if (
                isinstance(first, ast.Expr)
                and isinstance(first.value, ast.Constant)
                and isinstance(first.value.value, str)
            ):
                del body[0]
    kernels = any(w.startswith("serpenoid.compiled:") for w in wanted)
    return hashlib.sha256(ast.dump(tree).encode()).hexdigest(), wanted, kernels


_digests = _Digests(CACHE / "digests.json")


def _module_file(name: str) -> Path | None:
    """File of a module of this package, None if there is none."""
    base = _PACKAGE.joinpath(*name.split(".")[1:])
    for file in (base.with_suffix(".py"), base / "__init__.py"):
        if file.is_file():
            return file
    return None


def _closure(file: Path) -> Iterator[Path]:
    """The file, this one (how kernels are compiled), and every file whose kernels or constants it builds on."""
    seen, open_ = {file, Path(__file__)}, [file, Path(__file__)]
    while open_:
        here = open_.pop()
        yield here
        for wanted in _digests.of(here)[1]:
            module, name = wanted.split(":")
            inner = _module_file(f"{module}.{name}")
            target = inner or _module_file(module)
            constant = inner is not None or name == "*" or name.lstrip("_").isupper()
            if target and target not in seen and (constant or _digests.of(target)[2]) and name != "FloatArray":
                seen.add(target)
                open_.append(target)


@functools.cache
def module_key(file: str) -> str:
    """Digest of everything that the kernels of a source file are made of."""
    parts = sorted(_digests.of(part)[0] for part in _closure(Path(file)))
    _digests.save()
    return hashlib.sha256("".join(parts).encode()).hexdigest()[:16]


import numba  # noqa: E402
from numba.core import caching, event  # noqa: E402


class _ByMeaning(caching._CacheLocator):  # type: ignore[misc]
    """Where Numba keeps the kernels of this package: a folder for each module and meaning of its source."""

    def __init__(self, py_file: str) -> None:
        self.key = module_key(py_file)
        name = ".".join(Path(py_file).relative_to(_PACKAGE).with_suffix("").parts)
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
        if not Path(py_file).is_relative_to(_PACKAGE):
            return None
        self = cls(py_file)
        try:
            self.ensure_cache_path()
            os.utime(self.path)
        except OSError:
            return None
        return self


caching.CacheImpl._locator_classes.insert(0, _ByMeaning)  # type: ignore[attr-defined, arg-type]


def _forget_old_modules() -> None:
    """Remove compiled modules that have not been used for a month; nothing else is touched."""
    for folder in CACHE.glob("*-" + "[0-9a-f]" * 16):
        with contextlib.suppress(OSError):
            if time.time() - folder.stat().st_mtime > _KEPT_FOR:
                shutil.rmtree(folder, ignore_errors=True)


_forget_old_modules()


class _Watch(event.Listener):  # type: ignore[misc]
    """Tells who listens that Numba compiles (cached kernels are not compiled)."""

    def __init__(self) -> None:
        self.depth, self.tell = 0, None

    def on_start(self, happened: Any) -> None:
        """A compilation begins."""
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


def _decorated(function: F, inline: bool, fastmath: set[str]) -> F:
    # a called function must not name the option at all: forceinline=False keeps what it calls from being built in
    options: dict[str, Any] = {"forceinline": True} if inline else {}
    compiled: Any = numba.njit(cache=True, nogil=True, error_model="numpy", fastmath=fastmath, **options)(function)
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
    key = (function, *map(_form, examples))
    if key not in _entries:
        kernel_: Any = function
        types = tuple(numba.typeof(example) for example in examples)
        kernel_.compile(types)
        _entries[key] = kernel_.overloads[types].entry_point
    return _entries[key]


from numba import types  # noqa: E402
from numba.extending import intrinsic  # noqa: E402

# void f(double x, double *par, intp count, double *table, intp rows, intp columns, intp stride, double *out, intp ..., intp ..., intp ...)
_NUMBERS = types.CPointer(types.float64)
_TABLE = (_NUMBERS, types.intp, types.intp, types.intp)  # data, rows, columns, numbers from row to row
OUTSIDE = types.void(types.float64, _NUMBERS, types.intp, *_TABLE, *_TABLE)  # what `call_address` can call


def _call_address(typing: Any, address: Any, x: Any, par: Any, table: Any, out: Any) -> Any:
    """Call the function of signature OUTSIDE at an address (a whole number, which a float64 holds exactly).

    `par` has one dimension, `table` and `out` have two, all of float64 with the elements of a row side by side. So a function that
    a user compiled runs inside our kernels, which need not be compiled anew for it.
    """
    shapes = [getattr(kind, "ndim", 0) for kind in (par, table, out)]
    if not isinstance(address, types.Number) or shapes != [1, 2, 2]:
        return None
    return types.void(address, types.float64, par, table, out), _call_by_address


def _call_by_address(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    """Code of a call by address: pointers, sizes and row strides of the arrays, in the order of OUTSIDE."""
    from llvmlite import ir
    from numba.core import cgutils

    place = context.cast(builder, args[0], signature.args[0], types.intp)
    given, word = [args[1]], ir.Constant(ir.IntType(64), 8)
    for kind, value in zip(signature.args[2:], args[2:], strict=True):
        view = context.make_array(kind)(context, builder, value)
        sizes = cgutils.unpack_tuple(builder, view.shape)
        given += [view.data, *sizes]
        if kind.ndim == 2:
            given.append(builder.sdiv(cgutils.unpack_tuple(builder, view.strides)[0], word))
    function = ir.FunctionType(ir.VoidType(), [value.type for value in given]).as_pointer()
    builder.call(builder.inttoptr(place, function), given)
    return context.get_dummy_value()


def _pointer(typing: Any, address: Any) -> Any:
    """Pointer to the float64 at an address, for `numba.carray`."""
    if not isinstance(address, types.Number):
        return None

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        place = context.cast(builder, args[0], signature.args[0], types.intp)
        return builder.inttoptr(place, context.get_value_type(signature.return_type))

    return _NUMBERS(address), code


call_address: Any = intrinsic(_call_address)
pointer: Any = intrinsic(_pointer)
carray: Any = numba.carray  # type: ignore[attr-defined]
