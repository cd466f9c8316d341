"""What the terminal shows: messages, the one JSON object, progress bars, and a word about compilation."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any


def say(text: str) -> None:
    """Write a line to standard error."""
    print(text, file=sys.stderr, flush=True)


def give(value: Any) -> None:
    """Write the one JSON object to standard output."""
    from serpenoid.formats.files import json_text

    print(json_text(value), flush=True)


@contextmanager
def _announced() -> Iterator[None]:
    """Say once that kernels are being compiled, if they are."""
    from serpenoid.compiled import announcing

    told = False

    def tell(module: str | None) -> None:
        nonlocal told
        if module is not None and not told:
            told = True
            say("Compiling the kernels: once on this machine, about half a minute ...")

    with announcing(tell):
        yield


@contextmanager
def bar(label: str) -> Iterator[Callable[[float], None]]:
    """A progress bar on standard error that appears when the work takes longer than a second."""
    began = time.monotonic()
    shown: Any = None
    task: Any = None

    def update(fraction: float) -> None:
        nonlocal shown, task
        if shown is None and sys.stderr.isatty() and time.monotonic() - began > 1.0 and fraction < 1.0:
            from rich.console import Console
            from rich.progress import Progress

            shown = Progress(console=Console(stderr=True), transient=True)
            shown.start()
            task = shown.add_task(label, total=1.0)
        if shown is not None:
            shown.update(task, completed=min(fraction, 1.0))

    try:
        with _announced():
            yield update
    finally:
        if shown is not None:
            shown.stop()
