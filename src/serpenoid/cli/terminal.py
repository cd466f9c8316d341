"""What the terminal shows: messages, the one JSON object, progress, and compilation as such.

On a terminal, work that takes longer than a second gets a bar, and kernels that are being compiled a line with their name and time.
Elsewhere such work is named in one line on standard error, and compiling in another; with SERPENOID_PROGRESS=1 every whole percent is a line.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from serpenoid import signals

PATIENCE = 1.0  # s without a bar
WORTH_SAYING = 2.0  # s of compilation from which it is reported afterwards
COLOURS = {"holds": "green", "holds in part": "yellow", "does not hold": "red"}


_streams = {"closed": False, "given": False}  # standard output was closed at the start; the JSON object is out


def open_streams() -> None:
    """Make the three standard streams usable: closed ones lead nowhere, and no character is too strange for a terminal."""
    _streams.update(closed=False, given=False)
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(number)
        except OSError:  # closed: nothing that is opened later may take its number
            os.dup2(os.open(os.devnull, os.O_RDWR), number)
            _streams["closed"] = _streams["closed"] or name == "stdout"
        if getattr(sys, name) is None:
            setattr(sys, name, open(number, "r" if number == 0 else "w", closefd=False))  # noqa: SIM115  (for good)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    os.environ["MPLBACKEND"] = "agg"  # figures go into files; whatever the variable held may not exist


def say(text: str) -> None:
    """Write a line to standard error; nobody may be listening."""
    with suppress(OSError, ValueError):
        print(text, file=sys.stderr, flush=True)


def given() -> bool:
    """Whether the JSON object is out."""
    return _streams["given"]


def give(value: Any, indent: int | None = None) -> None:
    """Write the one JSON object to standard output."""
    from serpenoid.formats.files import json_text

    if _streams["closed"]:
        raise OSError("standard output is closed: the JSON object has nowhere to go")
    _streams["given"] = True
    print(json_text(value, indent), flush=True)


def write_object(value: dict[str, Any]) -> None:
    """Write a small JSON object with nothing but the system's own means: the program is about to end."""
    import json

    os.write(1, json.dumps(value).encode() + b"\n")


def coloured(text: str, colour: str) -> str:
    """The text in a colour where standard output is a terminal that shows colours."""
    codes = {"red": 31, "green": 32, "yellow": 33}
    if colour not in codes or not sys.stdout.isatty() or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return text
    return f"\033[{codes[colour]}m{text}\033[0m"


class Display:
    """A bar of one piece of work, and what is compiled meanwhile; without a terminal a line for each of the two."""

    def __init__(self, label: str) -> None:
        self.label, self.fraction, self.percent = label, 0.0, -1
        self.drawn: Any = None
        self.task: Any = None
        self.compiling: Any = None
        self.began = 0.0  # of the compilation under way
        self.compiled = 0.0  # s, so far
        self.lock = threading.RLock()
        self.timer = threading.Timer(PATIENCE, self.show)
        self.timer.daemon = True
        self.lines = bool(os.environ.get("SERPENOID_PROGRESS"))
        self.over = False
        self.named = self.told = False  # without a terminal: the work was named, its compiling was told
        self.counted: tuple[float, int] | None = None  # when counting began, and at what
        self.text = ""

    def start(self) -> None:
        """Begin to wait."""
        self.timer.start()

    def show(self) -> None:
        """Draw the bar; without a terminal, name the work once."""
        with self.lock:
            if self.drawn is not None or self.over:
                return
            if not sys.stderr.isatty():
                if not self.named and not self.lines:
                    say(f"{self.label} ...")
                self.named = True
                return
            from rich.console import Console
            from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

            columns = (
                TextColumn("{task.description}"),
                BarColumn(),
                TextColumn("{task.fields[share]}"),
                TimeElapsedColumn(),
            )
            self.drawn = Progress(*columns, console=Console(stderr=True), transient=True)
            self.drawn.start()
            self.task = self.drawn.add_task(self.label, total=1.0 if self.fraction > 0.0 else None, share="")

    def update(self, fraction: float) -> None:
        """So much is done; a signal that was noted is answered here."""
        signals.check()
        self.fraction = min(fraction, 1.0)
        if self.lines and int(100 * self.fraction) > self.percent:
            self.percent = int(100 * self.fraction)
            say(f"{self.label} {self.percent} %" + (f" ({self.text})" if self.text else ""))
        with self.lock:
            if self.drawn is not None:
                self.drawn.update(
                    self.task, total=1.0, completed=self.fraction, share=self.text or f"{self.fraction:4.0%}"
                )

    def count(self, done: int, total: int) -> None:
        """So many things of all are done: with their rate and the time left, from when this began to count."""
        now = time.monotonic()
        if self.counted is None:
            self.counted = (now, done)
        began, first = self.counted
        rate = (done - first) / (now - began) if now > began and done > first else 0.0
        left = f", {rate:.3g} per s, {_clock((total - done) / rate)} left" if rate > 0.0 else ""
        self.text = f"{done:,} of {total:,}{left}"
        self.update(done / max(total, 1))

    def compile(self, module: str | None) -> None:
        """Kernels of a module begin to be compiled; None: they are done."""
        with self.lock:
            if module is None:
                self.compiled += time.monotonic() - self.began
                if self.compiling is not None:
                    self.drawn.remove_task(self.compiling)
                    self.compiling = None
                    self.drawn.update(self.task, visible=True)
                return
            self.began = time.monotonic()
            name = module.removeprefix("serpenoid.")
            if self.lines:
                say(f"compiling {name}")
            self.show()
            if not (self.lines or self.told or sys.stderr.isatty()):
                say("compiling kernels, once on this machine ...")
                self.told = True
            if self.drawn is not None:
                self.drawn.update(self.task, visible=False)
                self.compiling = self.drawn.add_task(
                    f"compiling {name} (once on this machine) ...", total=None, share=""
                )

    def stop(self) -> None:
        """Take everything away, and report a long compilation."""
        self.timer.cancel()
        with self.lock:
            self.over = True
            if self.drawn is not None:
                self.drawn.stop()
        if self.compiled > WORTH_SAYING:
            say(f"Compiled kernels for {self.compiled:.0f} s; the next run does not need that.")


def _clock(seconds: float) -> str:
    """A time left, short."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02d} min" if hours else f"{minutes} min {rest:02d} s" if minutes else f"{rest} s"


@contextmanager
def counter(label: str) -> Iterator[Callable[[int, int], None]]:
    """Progress of work that counts things; call what it yields with the number done and that of all."""
    with _displayed(label) as display:
        yield display.count


@contextmanager
def bar(label: str) -> Iterator[Callable[[float], None]]:
    """Progress of a piece of work on standard error; call what it yields with the fraction done."""
    with _displayed(label) as display:
        yield display.update


@contextmanager
def _displayed(label: str) -> Iterator[Display]:
    signals.check()
    from serpenoid.compiled import announcing

    display = Display(label)
    display.start()
    try:
        with announcing(display.compile):
            yield display
    finally:
        display.stop()
