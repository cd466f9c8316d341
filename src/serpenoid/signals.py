"""Interrupts as a note: a signal is written down, and long work looks at the note between its stretches; nothing is torn in the middle.

| what happens | what follows |
|---|---|
| the first SIGINT or SIGTERM | it is noted; `check` raises `Stopped` wherever work looks next, in worker threads too |
| the note is not looked at for GRACE seconds | `Stopped` is raised where the main thread is, again and again, so that no `except` can lose it |
| that is where nobody can catch it (the compiler calls back, an object is cleared away) | nothing is printed; it is raised again AGAIN seconds later |
| a second signal | the program ends at once, with the exit code of the first |
| somebody saves what there is and ends by itself (`take`) | `check` is silent from then on; the exit code stays |

Only the command line listens (`listening`); a program that imports serpenoid keeps Python's own way with Ctrl-C.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from collections.abc import Callable, Iterator
from typing import Any

EXIT_CODES = {signal.SIGINT: 130, signal.SIGTERM: 143}
NAMES = {signal.SIGINT: "interrupted", signal.SIGTERM: "terminated"}
GRACE, AGAIN = 2.0, 0.02  # s


class Stopped(KeyboardInterrupt):
    """The user or the system asked the work to end."""


class _Note:
    """The signal that came first, whether it was taken care of, and what is written if a second one comes."""

    def __init__(self) -> None:
        self.number: int | None = None
        self.taken = False
        self.last_words: Callable[[], None] = lambda: None
        self.report: Callable[[Any], Any] = sys.__unraisablehook__  # what told of lost exceptions before we listened


_note = _Note()


def check() -> None:
    """Raise `Stopped` if a signal was noted that nobody has taken care of."""
    if _note.number is not None and not _note.taken:
        raise Stopped(NAMES[signal.Signals(_note.number)])


def take() -> None:
    """What there is will be saved: work may go on to its orderly end."""
    if _note.number is not None:
        _note.taken = True
        signal.setitimer(signal.ITIMER_REAL, 0.0)


def exit_code() -> int | None:
    """Exit code of the signal that was noted; None without one."""
    return None if _note.number is None else EXIT_CODES[signal.Signals(_note.number)]


def _write_down(number: int, _frame: Any) -> None:
    if _note.number is not None:
        with contextlib.suppress(Exception):
            _note.last_words()
        os._exit(EXIT_CODES[signal.Signals(_note.number)])
    _note.number = number
    signal.setitimer(signal.ITIMER_REAL, GRACE, GRACE)


def _insist(_number: int, _frame: Any) -> None:
    check()


def _lost(what: Any) -> None:
    """What was raised where Python can only report it: a `Stopped` comes again soon, all else is reported as ever."""
    if not issubclass(what.exc_type, Stopped):
        _note.report(what)
    elif not _note.taken:
        signal.setitimer(signal.ITIMER_REAL, AGAIN, GRACE)


def listen(last_words: Callable[[], None] | None = None) -> dict[int, Any]:
    """Note signals from now on; `last_words` is called before a second one ends the program. Returns the handlers before."""
    if last_words is not None:
        _note.last_words = last_words
    before: dict[int, Any] = {}
    with contextlib.suppress(ValueError):  # not the main thread: the program's own handlers stay
        for number, handler in (
            (signal.SIGINT, _write_down),
            (signal.SIGTERM, _write_down),
            (signal.SIGALRM, _insist),
        ):
            before[number] = signal.signal(number, handler)
        if sys.unraisablehook is not _lost:
            _note.report, sys.unraisablehook = sys.unraisablehook, _lost
    return before


def close() -> None:
    """Everything is said and written: no reminder comes any more, not even while the interpreter itself ends."""
    with contextlib.suppress(ValueError):
        signal.signal(signal.SIGALRM, signal.SIG_IGN)
        signal.setitimer(signal.ITIMER_REAL, 0.0)


@contextlib.contextmanager
def listening(last_words: Callable[[], None] | None = None) -> Iterator[None]:
    """Note signals while the block runs."""
    before = listen(last_words)
    try:
        yield
    finally:
        if before.get(signal.SIGINT) is not _write_down:  # else the whole program listens: it goes on to its end
            for number, handler in before.items():
                signal.signal(number, handler)
            if before:
                signal.setitimer(signal.ITIMER_REAL, 0.0)
                if sys.unraisablehook is _lost:
                    sys.unraisablehook = _note.report
            _note.number, _note.taken, _note.last_words = None, False, lambda: None
