"""Numbers of a description by the paths that `judgement.ledger` declares; the page reads them by the same rule.

A path is a chain of names from one of the roots ("robot.mass"), numbers among them being places in a list (from the end if negative). A kind counts as
a name: "gait.kind", "world.friction.law". What is not there is NaN. A path that ends in "?" is 1 where there is something, else 0; one that ends in
"=word" is 1 where that stands there, else 0.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from serpenoid.core import FloatArray
from serpenoid.core.declare import Description
from serpenoid.core.once import Same

_KINDS = ("kind", "law")  # tags of families, whose members say what they are by NAME


def inside(value: Any, name: str) -> Any:
    """What stands under a name, or at a place, of a value; None if there is nothing."""
    if value is None:
        return None
    if isinstance(value, Mapping):
        return value.get(name)
    if name.lstrip("-").isdigit():
        place, count = int(name), len(value) if hasattr(value, "__len__") else 0
        return value[place] if -count <= place < count else None
    return getattr(value, "NAME", None) if name in _KINDS else getattr(value, name, None)


@functools.cache
def _read(path: str) -> tuple[tuple[str, ...], bool, str]:
    """Names of a path, whether it asks if there is something, and the word that it compares with."""
    path, _, wanted = path.partition("=")
    return tuple(path.removesuffix("?").split(".")), path.endswith("?"), wanted


def number_at(value: Any, path: str) -> float:
    """The number at a path from a value."""
    names, asked, wanted = _read(path)
    for name in names:
        value = inside(value, name)
    if wanted or asked:
        return float(value == wanted if wanted else value is not None)
    return float(value) if isinstance(value, int | float | np.number | np.bool_) else math.nan


@functools.cache
def _by_root(paths: tuple[str, ...]) -> dict[str, tuple[list[int], tuple[str, ...]]]:
    """Places and rests of the paths that begin at each root."""
    found: dict[str, tuple[list[int], tuple[str, ...]]] = {}
    for k, path in enumerate(paths):
        root, dot, rest = path.partition(".")
        places, rests = found.get(root if dot else "", ([], ()))
        found[root if dot else ""] = [*places, k], (*rests, rest if dot else path)
    return found


@functools.lru_cache(maxsize=256)
def _of_frozen(described: Same, paths: tuple[str, ...]) -> list[float]:
    (value,) = described.items
    return [number_at(value, path) for path in paths]


def numbers_at(roots: Mapping[str, Any], paths: tuple[str, ...]) -> FloatArray:
    """The numbers at some paths; those of a description that was seen before are kept."""
    made = np.empty(len(paths))
    for root, (places, rests) in _by_root(paths).items():
        value = roots[root] if root else roots
        frozen = isinstance(value, Description)
        made[places] = _of_frozen(Same(value), rests) if frozen else [number_at(value, path) for path in rests]
    return made
