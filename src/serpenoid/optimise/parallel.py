"""Evaluate a function at many places, on threads: the compiled kernels release the interpreter lock."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from serpenoid import signals
from serpenoid.core.door import door
from serpenoid.core.quantities import Whole
from serpenoid.core.theirs import theirs
from serpenoid.simulation.budget import MOST_THREADS, threads_of

T = TypeVar("T")
R = TypeVar("R")


@door(threads=Whole(low=1, high=MOST_THREADS))
def evaluate_all(
    function: Callable[[T], R], items: Iterable[T], *, threads: int | None = None,
    progress: Callable[[float], None] | None = None,
) -> list[R]:  # fmt: skip
    """Values of the function at all items, in their order; the first error stops the rest."""
    todo = list(items)
    results: list[R] = []

    def one(item: T) -> R:
        signals.check()
        with theirs("the function", function):
            return function(item)

    with ThreadPoolExecutor(threads_of(threads)) as pool:
        futures = [pool.submit(one, item) for item in todo]
        try:
            for k, future in enumerate(futures):
                results.append(future.result())
                if progress is not None:
                    progress((k + 1) / len(todo))
        except BaseException:
            for future in futures:
                future.cancel()
            raise
    return results
