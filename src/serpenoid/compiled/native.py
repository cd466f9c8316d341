"""Kernels that call other kernels by address: the very code that Python calls, so the same bits, and nothing is compiled twice.

A kernel that is linked into another one is optimised anew there, and its last bits may change. `native_address` says where the code of a kernel for
some arguments is; `call_whole` and `call_flag` call it inside another kernel, by Numba's calling convention. `claim` divides work among threads.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
from numba import types
from numba.extending import intrinsic


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


def native_address(function: Callable[..., Any], *examples: Any) -> int:
    """Where the compiled code of a kernel for arguments of the types of these is."""
    kernel: Any = function
    kinds = tuple(numba.typeof(example) for example in examples)
    kernel.compile(kinds)
    made = kernel.overloads[kinds]
    return int(made.library.get_pointer_to_function(made.fndesc.llvm_func_name))
