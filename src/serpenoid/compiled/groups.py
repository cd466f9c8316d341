"""From groups of arrays to a table of addresses: how an entry finds what it works on.

The kernels take named tuples of arrays. From outside, as from the page, there is one table of numbers instead: of every array its address and its sizes, of
every number the number itself. Table and code follow from an example of the groups, so a field that is added to a layout is there too.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np.arrayobj import populate_array

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


def groups_at(groups: dict[str, Any]) -> Any:
    """The function, for kernels, of a table's address that gives groups like these, in order."""
    kind = types.Tuple([numba.typeof(value) for value in groups.values()])
    slots = [leaf.slot for leaf in leaves(groups)]

    def groups_there(typing: Any, address: Any) -> Any:
        """The groups of the table at an address."""

        def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return _made(context, builder, kind, context.cast(builder, args[0], address, types.intp), iter(slots))

        return kind(address), code

    return intrinsic(groups_there)


def _made(context: Any, builder: Any, kind: Any, table: Any, slots: Iterator[int]) -> Any:
    """Code of a group, an array or a number, from the next slots of the table on."""
    if isinstance(kind, types.BaseTuple):
        inner: Any = kind
        parts = [_made(context, builder, part, table, slots) for part in inner.types]
        return context.make_tuple(builder, kind, parts)
    slot, word = next(slots), ir.IntType(64)
    place = builder.inttoptr(table, ir.DoubleType().as_pointer())

    def number(at: int) -> Any:
        return builder.load(builder.gep(place, [ir.Constant(word, at)]))

    if not isinstance(kind, types.Array):
        return number(slot)
    made = context.make_array(kind)(context, builder)
    sizes = [builder.fptosi(number(slot + 1 + k), word) for k in range(kind.ndim)]
    strides = [ir.Constant(word, kind.dtype.bitwidth // 8)]
    for size in sizes[:0:-1]:
        strides.insert(0, builder.mul(size, strides[0]))
    populate_array(
        made, data=builder.inttoptr(builder.fptosi(number(slot), word), made.data.type), itemsize=strides[-1], meminfo=None,
        shape=cgutils.pack_array(builder, sizes), strides=cgutils.pack_array(builder, strides),
    )  # fmt: skip
    return made._getvalue()
