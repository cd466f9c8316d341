"""Compile one part of the program: `python -m serpenoid.compiled.front PART TARGET ...`, run by `compiled.build` in a process of its own.

Written are what Numba's front end makes of the part, for every processor (.bc), which function answers which call (.json), and the objects. What
is there already is not made again.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
from typing import Any

from serpenoid.compiled import program
from serpenoid.compiled.build import OBJECTS, NotBuiltError, _write, meaning_of_part, object_name


def _kernel(name: str) -> Any:
    module, _, own = name.partition(":")
    found: Any = importlib.import_module(module)
    for part in own.split("."):
        found = getattr(found, part)
    return found


def front(part: str) -> tuple[bytes, dict[str, Any]]:
    """The code of a part as LLVM's bitcode, and what others see of it."""
    from serpenoid.compiled.forms import parsed
    from serpenoid.compiled.groups import entry_with, type_of
    from serpenoid.compiled.private import gathered, use_front_end

    calls = [(name, form, _kernel(name)) for name, form in program.calls_in(part)]
    entries = {name: importlib.import_module(module) for name, module in program.entries_in(part).items()}
    examples = {name: module.example() for name, module in entries.items()}
    use_front_end()
    results, seen, answers, wrong = [], {}, {}, []
    for k, (name, form, kernel) in enumerate(calls):
        try:
            result, answer, inner = entry_with(kernel, [type_of(one) for one in parsed(form)])
        except Exception as error:
            wrong.append(f"{name}: {str(error).strip().splitlines()[-1]}")
            continue
        code = f"code.{k}" if name in program.BY_ADDRESS else None
        results.append(result)
        seen[result.fndesc.llvm_func_name] = f"call.{k}"
        if code:
            seen[inner.fndesc.llvm_func_name] = code
        answers[f"{name} {form}"] = [f"call.{k}", answer, code]
    if wrong:
        raise NotBuiltError("; ".join(wrong))
    page = {}
    for name, module in entries.items():
        result = page_entry(module.operate, examples[name])
        results.append(result)
        page[result.fndesc.llvm_func_name] = name
    return gathered(results).as_bitcode(), {"calls": answers, "seen": seen, "page": page}


def page_entry(operate: Any, example: dict[str, Any]) -> Any:
    """The function of an operation's number and the address of a table, compiled."""
    import numba

    from serpenoid.compiled.forms import form_of, parsed
    from serpenoid.compiled.groups import compiled_with, groups_at, type_of

    groups = groups_at([type_of(parsed(form_of(value))[0]) for value in example.values()])

    def entry(op, at):  # type: ignore[no-untyped-def]
        return operate(op, *groups(at))

    return compiled_with(entry, (numba.float64, numba.float64))


def main(part: str, *targets: str) -> None:
    """Write what is not there yet."""
    from serpenoid.compiled.targets import TARGETS, object_of

    stem = f"{part}-{meaning_of_part(part)}"
    code, told = OBJECTS / f"{stem}.bc", OBJECTS / f"{stem}.json"
    if not (code.exists() and told.exists()):
        made, sheet = front(part)
        _write(code, made)
        _write(told, json.dumps(sheet).encode())
    sheet = json.loads(told.read_text())
    for target in targets:
        path = OBJECTS / object_name(part, target)
        if not path.exists():
            page = target == "wasm32"
            seen = sheet["page"] if page else {**sheet["seen"], "release": "release"}
            counted = not page and part in program.ALLOCATE
            _write(path, object_of(code.read_bytes(), seen, TARGETS[target], counted))


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except NotBuiltError as error:
        if os.environ.get("SERPENOID_DEBUG"):
            raise
        sys.exit(str(error))
