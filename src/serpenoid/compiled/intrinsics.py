"""Code that kernels ask for and Python cannot say: calls by address, tables at an address, a counter for several threads, 1 / sqrt(x).

All are Numba's intrinsics; kernels name them by `compiled.address`, which loads this file when Numba compiles something that needs them.
"""

from __future__ import annotations

from typing import Any

import numba
from numba import types
from numba.extending import intrinsic

# void f(double x, double *par, intp count, double *table, intp rows, intp columns, intp stride, double *out, intp ..., intp ..., intp ...)
_NUMBERS = types.CPointer(types.float64)
_TABLE = (_NUMBERS, types.intp, types.intp, types.intp)  # data, rows, columns, numbers from row to row
OUTSIDE = types.void(types.float64, _NUMBERS, types.intp, *_TABLE, *_TABLE)  # what `call_address` can call


def _call_address(typing: Any, address: Any, x: Any, par: Any, table: Any, out: Any) -> Any:
    """Call the function of signature OUTSIDE at an address (a whole number, which a float64 holds exactly).

    `par` has one dimension, `table` and `out` have two, all of float64 with the elements of a row side by side. So a function that
    a user compiled runs inside our kernels, which need not be compiled anew for it.
    """
    shapes = [getattr(kind, "ndim", 0) for kind in (par, table, out)]
    if not isinstance(address, types.Number) or shapes != [1, 2, 2]:
        return None
    return types.void(address, types.float64, par, table, out), _call_by_address


def _call_by_address(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    """Code of a call by address: pointers, sizes and row strides of the arrays, in the order of OUTSIDE."""
    from llvmlite import ir
    from numba.core import cgutils

    if (
        "cuda" in type(context).__module__
    ):  # a device has no functions of users: those who call it refuse such commands and laws before
        return context.get_dummy_value()
    place = context.cast(builder, args[0], signature.args[0], types.intp)
    given, word = [args[1]], ir.Constant(ir.IntType(64), 8)
    for kind, value in zip(signature.args[2:], args[2:], strict=True):
        view = context.make_array(kind)(context, builder, value)
        sizes = cgutils.unpack_tuple(builder, view.shape)
        given += [view.data, *sizes]
        if kind.ndim == 2:
            given.append(builder.sdiv(cgutils.unpack_tuple(builder, view.strides)[0], word))
    function = ir.FunctionType(ir.VoidType(), [value.type for value in given]).as_pointer()
    builder.call(builder.inttoptr(place, function), given)
    return context.get_dummy_value()


def _pointer(typing: Any, address: Any) -> Any:
    """Pointer to the float64 at an address, for `numba.carray`."""
    if not isinstance(address, types.Number):
        return None

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        place = context.cast(builder, args[0], signature.args[0], types.intp)
        return builder.inttoptr(place, context.get_value_type(signature.return_type))

    return _NUMBERS(address), code


def _put_table(context: Any, builder: Any, kind: Any, data: Any, rows: Any, columns: Any) -> Any:
    """Code of a table of two dimensions, its elements side by side from `data` on."""
    from llvmlite import ir
    from numba.core import cgutils
    from numba.np.arrayobj import populate_array

    made = context.make_array(kind)(context, builder)
    size = ir.Constant(ir.IntType(64), kind.dtype.bitwidth // 8)
    strides = cgutils.pack_array(builder, [builder.mul(columns, size), size])
    shape = cgutils.pack_array(builder, [rows, columns])
    data = builder.bitcast(data, made.data.type)
    populate_array(made, data=data, shape=shape, strides=strides, itemsize=size, meminfo=None)
    return made._getvalue()


def _table_at(typing: Any, address: Any, rows: Any, columns: Any) -> Any:
    """The table of float64 (rows, columns) at an address."""
    if (
        not isinstance(address, types.Number)
        or not isinstance(rows, types.Integer)
        or not isinstance(columns, types.Integer)
    ):
        return None

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        place = context.cast(builder, args[0], signature.args[0], types.intp)
        rows, columns = (context.cast(builder, args[k], signature.args[k], types.intp) for k in (1, 2))
        data = builder.inttoptr(place, context.get_value_type(_NUMBERS))
        return _put_table(context, builder, signature.return_type, data, rows, columns)

    return types.Array(types.float64, 2, "C")(address, rows, columns), code


def _table_in(typing: Any, row: Any, first: Any, rows: Any, columns: Any) -> Any:
    """The table (rows, columns) that stands in an array of one dimension from its element `first` on; nothing is copied or counted."""
    if getattr(row, "ndim", 0) != 1 or not all(isinstance(x, types.Integer) for x in (first, rows, columns)):
        return None

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        begin, rows, columns = (context.cast(builder, args[k], signature.args[k], types.intp) for k in (1, 2, 3))
        view = context.make_array(signature.args[0])(context, builder, args[0])
        return _put_table(context, builder, signature.return_type, builder.gep(view.data, [begin]), rows, columns)

    return types.Array(row.dtype, 2, "C")(row, first, rows, columns), code


def _product(typing: Any, address: Any, a: Any, b: Any, out: Any) -> Any:
    """out = a b^T for tables of float64 whose rows lie side by side, by the BLAS function dgemm at an address."""
    if not isinstance(address, types.Integer) or [getattr(kind, "ndim", 0) for kind in (a, b, out)] != [2, 2, 2]:
        return None
    return types.void(address, a, b, out), _code_of_product


def _code_of_product(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    """Code of dgemm: it counts by columns, so out^T = b a^T, and what is a row here is a column there."""
    from llvmlite import ir
    from numba.core import cgutils

    views = [
        context.make_array(kind)(context, builder, value)
        for kind, value in zip(signature.args[1:], args[1:], strict=True)
    ]
    (rows, inner), (columns, _) = (cgutils.unpack_tuple(builder, view.shape) for view in views[:2])
    small, real, letter = ir.IntType(32), ir.DoubleType(), ir.IntType(8)

    def at(value: Any) -> Any:
        return cgutils.alloca_once_value(builder, value)

    def count(value: Any) -> Any:
        return at(builder.trunc(value, small))

    turned, plain = at(ir.Constant(letter, ord("T"))), at(ir.Constant(letter, ord("N")))
    one, none = at(ir.Constant(real, 1.0)), at(ir.Constant(real, 0.0))
    left, right, out = (view.data for view in views)
    given = [
        turned, plain, count(columns), count(rows), count(inner), one, right, count(inner), left, count(inner), none, out, count(columns),
    ]  # fmt: skip
    form = ir.FunctionType(ir.VoidType(), [value.type for value in given])
    place = context.cast(builder, args[0], signature.args[0], types.intp)
    builder.call(builder.inttoptr(place, form.as_pointer()), given)
    return context.get_dummy_value()


def _caller(result: Any) -> Any:
    """An intrinsic that calls the kernel at an address with a tuple of arguments."""

    def called(typing: Any, address: Any, args: Any) -> Any:
        if not isinstance(address, types.Integer) or not isinstance(args, types.BaseTuple):
            return None
        return result(address, args), code

    def code(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        from numba.core import cgutils

        kinds = list(signature.args[1].types)
        values = cgutils.unpack_tuple(builder, given[1])
        form = context.call_conv.get_function_type(result, kinds)
        place = context.cast(builder, given[0], signature.args[0], types.intp)
        callee = builder.inttoptr(place, form.as_pointer())
        status, out = context.call_conv.call_function(builder, callee, result, kinds, values)
        with cgutils.if_unlikely(builder, status.is_error):
            context.call_conv.return_status_propagate(builder, status)
        return out

    return intrinsic(called)


call_whole: Any = _caller(types.int64)
call_flag: Any = _caller(types.boolean)


def _claim(typing: Any, counter: Any, many: Any) -> Any:
    """Add `many` to the first number of an array of int64 in one uninterrupted step; what stood there before. No two threads get the same."""
    if getattr(counter, "ndim", 0) != 1 or counter.dtype != types.int64 or not isinstance(many, types.Integer):
        return None

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        view = context.make_array(signature.args[0])(context, builder, args[0])
        added = context.cast(builder, args[1], signature.args[1], types.int64)
        return builder.atomic_rmw("add", view.data, added, "monotonic")

    return types.int64(counter, many), code


claim: Any = intrinsic(_claim)


def _inverse_root(typing: Any, x: Any) -> Any:
    """One over the square root of a number."""
    if not isinstance(x, types.Float):
        return None

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        from llvmlite import ir
        from numba.core import cgutils

        real = args[0].type
        if "cuda" in type(context).__module__:
            name = "__nv_rsqrt" if signature.return_type == types.float64 else "__nv_rsqrtf"
            function = cgutils.get_or_insert_function(builder.module, ir.FunctionType(real, [real]), name)
            return builder.call(function, args)
        root = builder.module.declare_intrinsic("llvm.sqrt", [real])
        return builder.fdiv(ir.Constant(real, 1.0), builder.call(root, args))

    return x(x), code


call_address: Any = intrinsic(_call_address)
call_product: Any = intrinsic(_product)
pointer: Any = intrinsic(_pointer)
table_at: Any = intrinsic(_table_at)
table_in: Any = intrinsic(_table_in)
inverse_root: Any = intrinsic(_inverse_root)
carray: Any = numba.carray  # type: ignore[attr-defined]
