"""Libraries of kernels that were compiled ahead of time (`compiled.build`): found, checked, loaded and called.

A part of the program (`compiled.program`) is one library with a sheet beside it:

| file | what it is |
|---|---|
| PART-LEVEL.so | the code, for processors of a level (`compiled.processor`) |
| PART-LEVEL.json | its sheet: what it was made of, the digest of the code, and each call with the name of its function and the form of its answer |

Both stand in the folder `libraries` of this room, or, where that cannot be written to, in the user's cache. A library is only loaded when its code is
that of the sheet, the sheet is of this version, and the sources still mean what it was made of; a checkout builds what is missing or
stale (`compiled.build`) and says so. Where that cannot be done, Numba compiles kernels one by one.
"""

from __future__ import annotations

import array
import ctypes
import hashlib
import json
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from serpenoid.compiled import processor
from serpenoid.compiled.cache import CACHE
from serpenoid.compiled.forms import WIDTH, FormTree, parsed, words_in, words_of
from serpenoid.compiled.program import part_of
from serpenoid.version import __version__

SHIPPED = Path(__file__).with_name("libraries")
_lock = threading.RLock()
_nothing = (
    ctypes.c_int64 * 16
)()  # where a function of Numba's convention leaves its (empty) result and what it raised


class KernelError(RuntimeError):
    """A kernel of a library raised: its reason is known only to the same kernel compiled by Numba."""


class Call:
    """A function of a library, for arguments of one form."""

    def __init__(self, name: str, function: Any, form: str, answer: str, code: int | None, release: Any) -> None:
        self.name, self.code, self._release = name, code, release
        self._function, self._forms = function, parsed(form)
        self._given = words_in(self._forms)
        self._answers = parsed(answer)
        self._more = [0.0] * _words_in(self._answers)

    def __call__(self, *args: Any) -> Any:
        """Run it."""
        words: list[float] = []
        for value in args:
            words += words_of(value)
        return self.run(array.array("d", words + self._more))

    def run(self, words: array.array[float]) -> Any:
        """Run it on a table."""
        if self._function(_nothing, _nothing, float(words.buffer_info()[0])):
            raise KernelError(f"{self.name} could not go on; SERPENOID_JIT=1 tells why")
        if not self._answers:
            return None
        only = self._answers[0]
        if only.kind and only.dimensions < 0:
            return _NUMBERS[only.kind[0]](words[self._given])
        return self._answer(only, iter(words[self._given :]))

    def _answer(self, form: FormTree, words: Iterator[float]) -> Any:
        """The answer of this form that stands in the next words."""
        if not form.kind:
            parts = [self._answer(part, words) for part in form.parts]
            return form.group(*parts) if form.group else tuple(parts)
        if form.dimensions < 0:
            return _NUMBERS[form.kind[0]](next(words))
        place, *sizes, owner = (int(next(words)) for _ in range(WIDTH + 1))
        made = np.empty(sizes[: form.dimensions], dtype=form.kind)
        ctypes.memmove(made.ctypes.data, place, made.nbytes)
        self._release(owner)
        return made

    def table(self, args: tuple[Any, ...]) -> tuple[array.array[float], list[int]]:
        """A table of the arguments, and where each begins in it."""
        words: list[float] = []
        places = []
        for value in args:
            places.append(len(words))
            words += words_of(value)
        return array.array("d", words + self._more), places

    def put(self, words: array.array[float], place: int, value: Any) -> None:
        """Put a value into a table."""
        for k, word in enumerate(words_of(value), place):
            words[k] = word


_NUMBERS: dict[str, Callable[[float], Any]] = {"f": float, "i": int, "u": int, "b": bool}


def _words_in(forms: tuple[FormTree, ...]) -> int:
    """Words that an answer needs: one for a number; for an array its address, sizes and owner."""
    return sum(_words_in(form.parts) if not form.kind else 1 if form.dimensions < 0 else WIDTH + 1 for form in forms)


class Library:
    """A loaded library with the sheet beside it."""

    def __init__(self, path: Path, sheet: dict[str, Any]) -> None:
        self.path, self.level, self.digest = path, sheet["level"], sheet["digest"]
        self._code = ctypes.CDLL(str(path))
        self._calls: dict[str, list[str]] = sheet["calls"]
        self._made: dict[str, Call] = {}
        self._release = self._code.release
        self._release.argtypes, self._release.restype = (ctypes.c_void_p,), None

    def call(self, name: str, form: str) -> Call | None:
        """The function for a call; None if it is not in the library."""
        key = f"{name} {form}"
        if key not in self._made:
            if key not in self._calls:
                return None
            symbol, answer, code = self._calls[key]
            function = getattr(self._code, symbol)
            function.argtypes, function.restype = (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_double), ctypes.c_int32
            address = ctypes.cast(getattr(self._code, code), ctypes.c_void_p).value if code else None
            self._made[key] = Call(name, function, form, answer, address, self._release)
        return self._made[key]


_loaded: dict[str, Library | None] = {}


def library_of(part: str) -> Library | None:
    """The library of a part, built first where a checkout has none; None where there is none."""
    if part not in _loaded:
        with _lock:
            if part not in _loaded:
                _loaded[part] = _found(part) or _built(part)
    return _loaded[part]


def call_of(name: str, form: str) -> Call | None:
    """The function of a library for a kernel and the form of its arguments; None where none has it."""
    found = library_of(part_of(name.partition(":")[0]))
    return None if found is None else found.call(name, form)


def folders() -> tuple[Path, Path]:
    """Where libraries may stand: in the package, or in the user's cache, by the place of the package."""
    place = hashlib.sha256(str(SHIPPED).encode()).hexdigest()[:16]
    return SHIPPED, CACHE.parent / f"libraries-{place}"


def _found(part: str) -> Library | None:
    """A library of this part that can be trusted."""
    for folder in folders():
        for level in processor.levels():
            path = folder / f"{part}-{level}.so"
            sheet = sheet_of(path)
            if sheet is not None and whole(path, sheet) and fresh(path, sheet):
                return Library(path, sheet)
    return None


def sheet_of(path: Path) -> dict[str, Any] | None:
    """The sheet of a library of this version; None if there is none that can be read."""
    try:
        sheet = json.loads(path.with_suffix(".json").read_text())
        return sheet if sheet["version"] == __version__ and sheet["calls"] and sheet["level"] else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def whole(path: Path, sheet: dict[str, Any]) -> bool:
    """Whether the code is that of the sheet, to the bit."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest() == sheet["digest"]
    except (OSError, KeyError):
        return False


def fresh(path: Path, sheet: dict[str, Any]) -> bool:
    """Whether the sources mean what the library was made of; those of a wheel are not looked at."""
    sources = sheet.get("sources")
    if sources is None:
        return True
    package = Path(__file__).parents[1]
    try:
        now = {name: [(package / name).stat().st_mtime_ns, (package / name).stat().st_size] for name in sources}
    except OSError:
        return False
    if now == sources:
        return True
    from serpenoid.compiled import build

    if build.meaning_of_part(sheet["part"]) != sheet["meaning"]:
        return False
    build.write_sheet(path, {**sheet, "sources": build.sources_of_part(sheet["part"])})
    return True


def _built(part: str) -> Library | None:
    """The library, built now if this is a checkout that can."""
    if not (Path(__file__).parents[3] / "pyproject.toml").is_file():
        return None
    from serpenoid.compiled import build

    return _found(part) if build.make(dict.fromkeys((part, "rooms"))) else None
