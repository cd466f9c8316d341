"""A kernel that calls the kernels of several files one after another, each with its own part of a row of answers.

Numba can loop over functions only by pointers to them, so the calls are written out; the files decide which.
"""

from __future__ import annotations

import types
from collections.abc import Sequence
from typing import Any

from serpenoid.compiled import kernel


def files_of(names: dict[str, Any], declared: str) -> list[Any]:
    """The modules among the names of another one that declare something, in the order of their PLACE."""
    found = [m for m in names.values() if isinstance(m, types.ModuleType) and hasattr(m, declared)]
    return sorted(found, key=lambda m: float(m.PLACE))


def chained(name: str, first: Sequence[str], rows: str, files: Sequence[tuple[Any, int]], names: dict[str, Any]) -> Any:
    """The kernel `name` of a ledger: the calls that come first, then each file's own of that name, with as many places of the row `rows` as it fills."""
    lines, at = [f"def {name}(run):", *(f"    {call}(run)" for call in first)], 0
    for file, count in files:
        lines.append(f"    {file.__name__.rpartition('.')[2]}.{name}(run, run.{rows}[{at}:{at + count}])")
        at += count
    code = compile("\n".join(lines), names["__file__"], "exec").co_consts[0]
    return kernel(types.FunctionType(code, names))
