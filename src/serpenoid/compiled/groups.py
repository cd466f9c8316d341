"""From a table of words to groups of arrays, in compiled code: how an entry finds what it works on, and where it leaves what it answers.

The kernels take numbers, arrays and named tuples of arrays. From outside, from Python as from the page, there is one table of float64 instead: the words of all
that is given (`compiled.forms`), then a word for every number of the answer. Table and code follow from the forms, so a field that is added to a
layout is there too.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numba
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np.arrayobj import populate_array

from serpenoid.compiled.forms import WIDTH, FormTree, class_name

_WORD, _NUMBER = ir.IntType(64), ir.DoubleType()


_KINDS = {
    "f8": types.float64,
    "f4": types.float32,
    "i8": types.int64,
    "i4": types.int32,
    "u4": types.uint32,
    "u1": types.uint8,
}


def type_of(form: FormTree) -> Any:
    """Numba's type of what has this form."""
    if form.kind:
        kind = types.boolean if form.kind == "b1" else _KINDS[form.kind]
        return kind if form.dimensions < 0 else types.Array(kind, form.dimensions, "C" if form.in_rows else "A")
    fields = getattr(form.group, "_fields", form.parts)
    if len(fields) != len(form.parts):
        raise TypeError(
            f"{form.group} has {len(fields)} fields and not {len(form.parts)}: list the call anew, by SERPENOID_MISSING"
        )
    parts = [type_of(part) for part in form.parts]
    return types.Tuple(parts) if form.group is None else types.NamedTuple(parts, form.group)


def groups_at(kinds: list[Any]) -> Any:
    """The function, for kernels, of a table's address that gives what is there, of these types, in order."""
    whole = types.Tuple(kinds)

    def groups_there(typing: Any, address: Any) -> Any:
        """What stands in the table at an address."""

        def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            table = _table(context, builder, args[0], address)
            return _read(context, builder, whole, table, iter(range(0, 1 << 20, WIDTH)))

        return whole(address), code

    return intrinsic(groups_there)


def kept_at(slot: int) -> Any:
    """The function, for kernels, that leaves an answer's numbers in the table at an address, from a slot on."""

    def keep(typing: Any, address: Any, value: Any) -> Any:
        """Leave the numbers of a value."""

        def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            table = _table(context, builder, args[0], address)
            _write(context, builder, value, args[1], table, iter(range(slot, 1 << 20)))
            return context.get_dummy_value()

        return types.void(address, value), code

    return intrinsic(keep)


def answer_form(kind: Any) -> str:
    """The form of an answer of a type; refused where it is more than numbers and arrays."""
    if isinstance(kind, types.BaseTuple):
        parts: Any = kind
        name = class_name(parts.instance_class) if isinstance(kind, types.NamedTuple) else ""
        return f"{name}({' '.join(answer_form(part) for part in parts.types)})"
    if isinstance(kind, types.NoneType):
        return ""
    if isinstance(kind, types.Array) and kind.layout == "C":
        return f"{answer_form(kind.dtype)}[{kind.ndim}]"
    if isinstance(kind, types.Boolean):
        return "b1"
    number: Any = kind
    if isinstance(kind, types.Float | types.Integer):
        return f"{'f' if isinstance(kind, types.Float) else 'i' if number.signed else 'u'}{number.bitwidth // 8}"
    raise TypeError(f"an answer of type {kind} cannot leave a library")


def _table(context: Any, builder: Any, value: Any, kind: Any) -> Any:
    return builder.inttoptr(context.cast(builder, value, kind, types.intp), _NUMBER.as_pointer())


def _read(context: Any, builder: Any, kind: Any, table: Any, slots: Iterator[int]) -> Any:
    """Code of a group, an array or a number, from the next slots of the table on."""
    if isinstance(kind, types.BaseTuple):
        inner: Any = kind
        parts = [_read(context, builder, part, table, slots) for part in inner.types]
        return context.make_tuple(builder, kind, parts)
    slot = next(slots)

    def number(at: int) -> Any:
        return builder.load(builder.gep(table, [ir.Constant(_WORD, at)]))

    if not isinstance(kind, types.Array):
        return context.cast(builder, number(slot), types.float64, kind)
    made = context.make_array(kind)(context, builder)
    size = kind.dtype.bitwidth // 8 if kind.dtype != types.boolean else 1
    sizes = [builder.fptosi(number(slot + 1 + k), _WORD) for k in range(kind.ndim)]
    strides = [ir.Constant(_WORD, size)]
    for rows in sizes[:0:-1]:
        strides.insert(0, builder.mul(rows, strides[0]))
    if kind.layout != "C":
        beside = next(slots)
        strides = [builder.fptosi(number(beside + 1 + k), _WORD) for k in range(kind.ndim)]
    populate_array(
        made, data=builder.inttoptr(builder.fptosi(number(slot), _WORD), made.data.type), itemsize=ir.Constant(_WORD, size), meminfo=None,
        shape=cgutils.pack_array(builder, sizes), strides=cgutils.pack_array(builder, strides),
    )  # fmt: skip
    return made._getvalue()


def _write(context: Any, builder: Any, kind: Any, value: Any, table: Any, slots: Iterator[int]) -> None:
    """Code that leaves the numbers of an answer in the next slots of the table."""
    if isinstance(kind, types.NoneType):
        return
    if isinstance(kind, types.BaseTuple):
        inner: Any = kind
        for part, item in zip(inner.types, cgutils.unpack_tuple(builder, value), strict=True):
            _write(context, builder, part, item, table, slots)
        return

    def leave(number: Any) -> None:
        builder.store(number, builder.gep(table, [ir.Constant(_WORD, next(slots))]))

    if not isinstance(kind, types.Array):
        leave(context.cast(builder, value, kind, types.float64))
        return
    context.nrt.incref(builder, kind, value)  # given up by who reads it
    made = context.make_array(kind)(context, builder, value)
    sizes = [*cgutils.unpack_tuple(builder, made.shape), *(ir.Constant(_WORD, 0),) * (WIDTH - 1 - kind.ndim)]
    for number in (builder.ptrtoint(made.data, _WORD), *sizes, builder.ptrtoint(made.meminfo, _WORD)):
        leave(builder.sitofp(number, _NUMBER))


def entry_with(function: Any, kinds: list[Any]) -> tuple[Any, str, Any]:
    """The compiled function of the address of a table, the form of its answer, and Numba's result for the function itself."""
    dispatcher = function.numba
    dispatcher.compile(tuple(kinds))
    inner = dispatcher.overloads[tuple(kinds)]
    form = answer_form(inner.signature.return_type)
    groups, keep = groups_at(kinds), kept_at(WIDTH * sum(_rows(kind) for kind in kinds))

    def entry(at):  # type: ignore[no-untyped-def]
        keep(at, function(*groups(at)))

    return compiled_with(entry, (types.float64,)), form, inner


def compiled_with(function: Any, kinds: tuple[Any, ...]) -> Any:
    """Numba's result for a function of arguments of some types, without what calls it from Python."""
    options: Any = {"nogil": True, "error_model": "numpy", "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    made: Any = numba.njit(**options)(function)
    made.compile(kinds)
    (result,) = made.overloads.values()
    return result


def _rows(kind: Any) -> int:
    """How many rows of words a type has."""
    if isinstance(kind, types.BaseTuple):
        inner: Any = kind
        return sum(map(_rows, inner.types))
    return 2 if isinstance(kind, types.Array) and kind.layout != "C" else 1
