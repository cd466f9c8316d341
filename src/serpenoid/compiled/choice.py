"""One of several compiled functions by its number: what an entry needs where a registry, not a list in the code, says which there are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from serpenoid.compiled.kernel import Kernel


def one_of(functions: Sequence[Callable[..., Any]], otherwise: Callable[..., Any]) -> Callable[..., Any]:
    """A compiled function of a number and arguments that calls the function of that number; `otherwise` where there is none."""
    made = _ignoring(otherwise)
    for number in reversed(range(len(functions))):
        made = _joined(number, functions[number], made)
    return made


def _ignoring(function: Callable[..., Any]) -> Callable[..., Any]:
    def other(number, *args):  # type: ignore[no-untyped-def]
        return function(*args)

    return Kernel(other, False, frozenset())


def _joined(own: int, function: Callable[..., Any], rest: Callable[..., Any]) -> Callable[..., Any]:
    def joined(number, *args):  # type: ignore[no-untyped-def]
        if number == own:
            return function(*args)
        return rest(number, *args)

    return Kernel(joined, False, frozenset())
