"""Functions of users inside our kernels: called by their address, so that the kernels need not be compiled anew for them."""

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


call_address: Any = intrinsic(_call_address)
pointer: Any = intrinsic(_pointer)
carray: Any = numba.carray  # type: ignore[attr-defined]
