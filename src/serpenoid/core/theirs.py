"""Code of users: whatever it raises is told as theirs, with file and line of their code and its own words.

    with theirs("the metric head_height", function):
        value = function(run)

A public function of the package (`core.door`) and the command line do the same for code that they do not call by name, such as methods of
a user's class: an exception that came through a frame of somebody else's file (`told`) is theirs; all others are ours.

Functions that are compiled and called by their address cannot raise: what is raised in them is noted instead of printed (`note_lost`), their
results are NaN, and the run that fails by these numbers raises what was noted (`raise_lost`).
"""

from __future__ import annotations

import os
import sys
import sysconfig
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any

from serpenoid.core.errors import InputError, SerpenoidError

_PACKAGE = f"{Path(__file__).parents[1]}{os.sep}"
_HOMES = (_PACKAGE, *(f"{sysconfig.get_path(key)}{os.sep}" for key in ("stdlib", "platstdlib", "purelib", "platlib")))

_lost: dict[
    int, InputError | KeyboardInterrupt
] = {}  # by thread: the first that a compiled function of a user raised there
_before: list[Any] = []  # what told of lost exceptions before `note_lost`


@contextmanager
def theirs(what: str, function: Any = None) -> Iterator[None]:
    """Call a user's function in this block; what it raises becomes an `InputError` that names it, chained to the original."""
    try:
        yield
    except SerpenoidError:
        raise
    except Exception as error:
        place = _place_in(error.__traceback__, function)
        if not place and _is_ours(getattr(getattr(_plain(function), "__code__", None), "co_filename", "")):
            raise  # a function of our own in the place of a user's
        place = place or _home_of(function)
        raise InputError(f"{what} failed: {_words(error)}{place}") from error


def told(error: BaseException) -> InputError | None:
    """The error that says whose code raised this, where it came through code that is not ours; None for errors of our own."""
    if not isinstance(error, Exception) or isinstance(error, SerpenoidError):
        return None
    place = _place_in(error.__traceback__, None)
    return InputError(f"your own code failed: {_words(error)}{place}") if place else None


def note_lost() -> None:
    """From now on note what compiled functions of users raise."""
    if not _before:
        _before.append(sys.unraisablehook)
        sys.unraisablehook = _note


def raise_lost() -> None:
    """Raise what a compiled function of a user has raised in this thread, else in any other."""
    if _lost:
        key = threading.get_ident()
        raise _lost.pop(key if key in _lost else next(iter(_lost)))


def _note(what: Any) -> None:
    error = what.exc_value
    called = "numba" in str(what.object) or _is_ours(getattr(getattr(what.object, "__code__", None), "co_filename", ""))
    if called and isinstance(error, KeyboardInterrupt):
        _lost[threading.get_ident()] = error
        return
    place = _place_in(error.__traceback__, None, below=True) if isinstance(error, Exception) else ""
    if not called or not isinstance(error, Exception) or (not place and "numba" in str(what.object)):
        _before[0](what)
    elif threading.get_ident() not in _lost:
        _lost[threading.get_ident()] = InputError(f"your own code failed: {_words(error)}{place}")


def _words(error: Exception) -> str:
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


def _place_in(traceback: TracebackType | None, function: Any, below: bool = False) -> str:
    """The innermost line of a user's code that an exception came through below the caller (or anywhere); empty if there is none."""
    own = getattr(_plain(function), "__code__", None)
    found = ""
    while traceback is not None:
        file, below = traceback.tb_frame.f_code.co_filename, below or _is_ours(traceback.tb_frame.f_code.co_filename)
        if below and (_is_theirs(file) or (own is not None and file == own.co_filename and not _is_ours(file))):
            found = f" ({file}, line {traceback.tb_lineno})"
        traceback = traceback.tb_next
    return found


def _home_of(function: Any) -> str:
    """Where a function is written, for an exception that did not even reach it."""
    code = getattr(_plain(function), "__code__", None)
    return f" ({code.co_filename}, line {code.co_firstlineno})" if code is not None else ""


def _plain(function: Any) -> Any:
    """The Python function in what can be called."""
    for name in ("py_func", "func", "__func__", "__wrapped__"):
        function = getattr(function, name, function)
    return function if hasattr(function, "__code__") else vars(type(function)).get("__call__")


def _is_ours(file: str) -> bool:
    return file.startswith(_PACKAGE)


def _is_theirs(file: str) -> bool:
    """Whether a file is neither ours nor Python's nor an installed package's; cells of a notebook are theirs."""
    made = file.startswith("<") and not file.startswith(("<ipython", "<stdin"))
    return not made and not file.startswith(_HOMES)
