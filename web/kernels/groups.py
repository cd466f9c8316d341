"""From groups of arrays to a table of addresses: how an entry of the browser's kernels finds what it works on.

The kernels take named tuples of arrays. In the browser there is one table of numbers instead: of every array its address and its sizes, of
every number the number itself. Table and code follow from an example of the groups, so a field that is added to a layout is there too.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

WIDTH = 4  # numbers of the table per array: address, then up to three sizes


class Leaf(NamedTuple):
    """An array or a number of a group: its name, place in the table, dimensions (0: a number) and kind of numbers."""

    name: str
    slot: int
    ndim: int
    kind: str  # "f" or "i"


def leaves(groups: dict[str, Any]) -> list[Leaf]:
    """All arrays and numbers of the groups, in order."""
    found: list[Leaf] = []

    def look(name: str, value: Any) -> None:
        if isinstance(value, tuple):
            for key, item in zip(value._fields, value, strict=True):  # type: ignore[attr-defined]
                look(f"{name}.{key}", item)
        elif isinstance(value, np.ndarray):
            found.append(Leaf(name, WIDTH * len(found), value.ndim, value.dtype.kind))
        else:
            found.append(Leaf(name, WIDTH * len(found), 0, "f"))

    for name, value in groups.items():
        look(name, value)
    return found


def source_of(name: str, groups: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """Source of the function that makes the groups of a table, and the classes that it names."""
    table = iter(leaves(groups))
    classes: dict[str, Any] = {}

    def made(value: Any) -> str:
        if isinstance(value, tuple):
            classes[type(value).__name__] = type(value)
            return f"{type(value).__name__}({', '.join(made(item) for item in value)})"
        leaf = next(table)
        if leaf.ndim == 0:
            return f"t[{leaf.slot}]"
        sizes = "".join(f"int(t[{leaf.slot + 1 + k}]), " for k in range(leaf.ndim))
        return f"carray({'pointer' if leaf.kind == 'f' else 'whole_pointer'}(t[{leaf.slot}]), ({sizes}))"

    body = ", ".join(made(value) for value in groups.values())
    size = WIDTH * len(leaves(groups))
    return f"def {name}(at):\n    t = carray(pointer(at), ({size},))\n    return {body}\n", classes
