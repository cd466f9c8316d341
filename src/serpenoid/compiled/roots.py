"""1 / sqrt(x): on a processor as written, on a GPU by its library, where it takes a third of the instructions."""

from __future__ import annotations

import math
from typing import Any

from numba import types
from numba.core import config
from numba.extending import intrinsic


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


def _as_python(x: float) -> float:
    """The same where numba was told not to compile."""
    return 1.0 / math.sqrt(x)


inverse_root: Any = _as_python if getattr(config, "DISABLE_JIT", False) else intrinsic(_inverse_root)
