"""Compile one entry to an object file: `python entry.py NAME FILE`, run by `build.py` with a processor and a cache of its own."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

import numba
from groups import source_of
from numba import types
from numba.extending import intrinsic
from retarget import object_of

from serpenoid.compiled import carray, pointer

_OPTIONS = {"nogil": True, "error_model": "numpy", "fastmath": {"contract", "reassoc", "arcp", "nsz"}}
_WHOLE = types.CPointer(types.int64)


def _whole_pointer(typing: Any, address: Any) -> Any:
    """Pointer to the int64 at an address."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        place = context.cast(builder, args[0], signature.args[0], types.intp)
        return builder.inttoptr(place, context.get_value_type(signature.return_type))

    return _WHOLE(address), code


def compiled(name: str) -> Any:
    """The function of an operation's number and the address of the table, compiled."""
    module = importlib.import_module(name)
    examples = module.example()
    text, names = source_of("groups_at", examples)
    names.update(carray=carray, pointer=pointer, whole_pointer=intrinsic(_whole_pointer))
    exec(text, names)  # noqa: S102  (source made here, of the layouts' own names)
    names["groups"] = numba.njit(forceinline=True, **_OPTIONS)(names["groups_at"])
    names["work"] = numba.njit(**_OPTIONS)(getattr(module, name))
    arguments = ", ".join(f"a{k}" for k in range(len(examples)))
    exec(f"def entry(op, at):\n    {arguments} = groups(at)\n    return work(op, {arguments})\n", names)  # noqa: S102
    function = numba.njit(**_OPTIONS)(names["entry"])
    function.compile((types.float64, types.float64))
    return function


def main(name: str, file: str) -> None:
    """Write the object file of an entry."""
    (result,) = compiled(name).overloads.values()
    made = Path(file)
    part = made.with_suffix(".part")
    part.write_bytes(object_of(result.library.get_llvm_str(), result.fndesc.llvm_func_name, name))
    part.replace(made)


if __name__ == "__main__":
    main(*sys.argv[1:])
