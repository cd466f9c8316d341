"""What compiling ahead of time needs of Numba's inside: the only file that reaches into its code generator.

Numba types a function, lowers it to LLVM code, links into that all that it calls, optimises it and emits machine code: for every function anew,
each time with all inner functions. Compiled ahead of time only the entry is wanted. So the front end here stops after lowering; then the code
of every function is linked once (`gathered`), and what follows is LLVM's (`compiled.targets`).

| private part of Numba | what is done with it |
|---|---|
| `numba.core.codegen.JITCPUCodegen`, `JITCodeLibrary` | subclasses; `_library_class` names the one in the other |
| `finalize`, `_finalized`, `get_pointer_to_function`, `set_env` | do nothing: there is no machine code to find, no environment to set |
| `_optimize_functions` | only the layout of data is set. LLVM's passes would write places of 64-bit layouts into code that is also meant for 32 bits |
| `cpu_target.target_context._internal_codegen` | set to the subclass |
| `_final_module`, `_linking_libraries` | code of a function, and which others it calls |
| `TargetConfig._values`, `values`, `__eq__`, `__hash__` | a quick answer where two sets of options are the same: they are compared for every call of every function |
"""

from __future__ import annotations

import gc
from typing import Any

import llvmlite.binding as llvm
import numba
from numba.core import codegen
from numba.core.registry import cpu_target
from numba.core.targetconfig import TargetConfig

from serpenoid.compiled import jit

HOLDS = ("0.68",)  # versions of Numba with which this was tried


class _Library(codegen.JITCodeLibrary):  # type: ignore[misc]
    """The code of one function, and which others it calls."""

    def finalize(self) -> None:
        """Nothing is linked, optimised or emitted."""
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        """There is no machine code."""
        return 0

    def _optimize_functions(self, ll_module: Any) -> None:
        ll_module.data_layout = self._codegen._data_layout


class _FrontEnd(codegen.JITCPUCodegen):  # type: ignore[misc]
    """Numba's code generator without what comes after lowering."""

    _library_class = _Library

    def set_env(self, env_name: str, env: Any) -> None:
        """Nothing runs, so nothing needs an environment."""


def _same_options(self: Any, other: Any) -> Any:
    if not isinstance(other, TargetConfig):
        return NotImplemented
    return self is other or self._values == other._values or self.values() == other.values()


def _hash_of_options(self: Any) -> int:
    return hash(type(self))  # as Numba's own, which hashes the names of all options


def use_front_end() -> None:
    """From now on nothing that is compiled in this process can be run: only for a process that builds."""
    if not numba.__version__.startswith(tuple(f"{version}." for version in HOLDS)):
        raise RuntimeError(
            f"compiling ahead of time is tried with Numba {', '.join(HOLDS)}, got {numba.__version__}: install the one of requirements.lock"
        )
    gc.disable()  # the process is short, and half a million small objects are looked at again and again
    context = cpu_target.target_context
    context.refresh()
    context._internal_codegen = _FrontEnd("serpenoid")
    options: Any = TargetConfig
    options.__eq__, options.__hash__ = _same_options, _hash_of_options
    jit.KEPT = False
    jit.OPTIONS.update(no_cpython_wrapper=True, no_cfunc_wrapper=True)


def gathered(results: list[Any]) -> Any:
    """One LLVM module of compiled functions (Numba's results) and all that they call, each once."""
    first = results[0].library._final_module
    whole = llvm.parse_assembly("")
    whole.name, whole.triple, whole.data_layout = "serpenoid", first.triple, first.data_layout
    seen: set[int] = set()

    def visit(library: Any) -> None:
        if id(library) in seen:
            return
        seen.add(id(library))
        for inner in library._linking_libraries:
            visit(inner)
        part = library._final_module.clone()
        for code in part.functions:
            shared = code.linkage == llvm.Linkage.linkonce_odr or code.name.startswith("__excinfo_unwrap_args")
            if shared and not code.is_declaration:
                code.linkage = "weak_odr"  # else linking drops what nobody calls yet, or meets the same function twice
        whole.link_in(part)

    for result in results:
        visit(result.library)
    return whole
