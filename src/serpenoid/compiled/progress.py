"""Who is told that kernels are compiled."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator

_listener: Callable[[str | None], None] | None = None


def tell(module: str | None) -> None:
    """A kernel of this module begins to be compiled; None: it is done."""
    if _listener is not None:
        _listener(module)


@contextlib.contextmanager
def announcing(listener: Callable[[str | None], None]) -> Iterator[None]:
    """Call `listener` with the module's name when a kernel begins to be compiled, and with None when it is done."""
    global _listener
    before, _listener = _listener, listener
    try:
        yield
    finally:
        _listener = before
