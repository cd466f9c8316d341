"""From the gathered code of an entry to an object file, for one kind of processor.

- Everything but the entry becomes internal, and what it does not reach is dropped.
- Counts of references become nothing: the kernels own no memory, the tables do.
- Triple and data layout become those of the target: on WebAssembly addresses have 32 bits; whole numbers stay what they are.
- LLVM's passes for functions come first. A function that is then long and built in at several places is left to LLVM's own judgement, however it
  was declared: the switches over families would otherwise make up most of the code.
"""

from __future__ import annotations

import functools
import re
from typing import Any, NamedTuple

import llvmlite.binding as llvm

LONG = 300  # lines of code of a function, with all that is built into it
SEVERAL = 2  # places; a long function that stands at more of them is not built in by force
_COUNTS = ("NRT_incref", "NRT_decref")
_NAME = r"@(\"[^\"]*\"|[\w.$]+)\("


class Target(NamedTuple):
    """A kind of processor, in LLVM's words."""

    triple: str
    cpu: str
    features: str
    relocation: str


TARGETS = {
    "wasm32": Target(
        "wasm32-unknown-unknown", "generic", "+simd128,+nontrapping-fptoint,+bulk-memory,+sign-ext,+mutable-globals", "static"
    ),
}  # fmt: skip


def _without_counts(text: str) -> str:
    """The code with counting of references made empty, for any processor and layout."""
    for name in _COUNTS:
        text = re.sub(
            rf"^define [^\n]*@{name}\([^\n]*\{{\n.*?^\}}$",
            f"define weak_odr void @{name}(ptr %p) alwaysinline {{\n  ret void\n}}",
            text,
            flags=re.M | re.S,
        )
    text = re.sub(r'"(target-cpu|target-features|probe-stack|tune-cpu)"="[^"]*"', "", text)
    return re.sub(r"^(source_filename|target datalayout|target triple) = .*$", "", text, flags=re.M)


class _Function(NamedTuple):
    head: str  # from `define` to the brace
    lines: int
    forced: bool  # to be built in
    calls: list[str]


def _functions(text: str) -> dict[str, _Function]:
    """The functions of a module by name."""
    groups = dict(re.findall(r"^attributes #(\d+) = \{(.*)\}$", text, re.M))
    found = {}
    for made in re.finditer(r"^define ([^\n]*)\{\n(.*?)^\}$", text, re.M | re.S):
        head, body = made.groups()
        name = re.search(_NAME, head)
        assert name is not None
        numbers = re.findall(r"#(\d+)", head.rsplit(")", 1)[1])
        forced = any("alwaysinline" in groups.get(number, "") for number in numbers)
        found[name.group(1)] = _Function(head, body.count("\n"), forced, re.findall(rf"\bcall [^\n]*?{_NAME}", body))
    return found


def left_to_llvm(functions: dict[str, _Function]) -> list[str]:
    """Names of the functions that are long and would be built in by force at several places."""

    @functools.cache
    def lines(name: str) -> int:
        here = functions[name]
        return here.lines + sum(lines(call) for call in here.calls if call in functions and functions[call].forced)

    places = dict.fromkeys(functions, 0)

    def count(name: str) -> None:
        for call in functions[name].calls:
            if call in functions and functions[call].forced:
                places[call] += 1
                count(call)

    for name, function in functions.items():
        if not function.forced:
            count(name)
    return [name for name in functions if functions[name].forced and places[name] > SEVERAL and lines(name) >= LONG]


def _less_forced(text: str) -> str:
    """The code in which long functions that stand at several places are called where LLVM finds that better."""
    functions = _functions(text)
    for name in left_to_llvm(functions):
        head = functions[name].head
        text = text.replace(f"define {head}{{", f"define {re.sub(r'#[0-9]+ *$', 'nounwind ', head)}{{")
    return text


def _own(module: Any, target: Target, machine: Any, entry: str) -> None:
    """Make a module one of the target, with one function that others see."""
    module.triple, module.data_layout = target.triple, str(machine.target_data)
    for part in (*module.functions, *module.global_variables):
        if not part.is_declaration:
            part.linkage = "external" if part.name == entry else "internal"


def object_of(code: Any, entry: str, name: str, target: Target) -> bytes:
    """Object file of a gathered module in which the function `entry` is called `name` from outside."""
    for setup in (llvm.initialize_all_targets, llvm.initialize_all_asmprinters):
        setup()
    machine = llvm.Target.from_triple(target.triple).create_target_machine(
        cpu=target.cpu, features=target.features, opt=3, reloc=target.relocation
    )
    builder = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=3))
    module = llvm.parse_assembly(_without_counts(str(code)))
    _own(module, target, machine, entry)
    for function in module.functions:
        if not function.is_declaration:
            builder.getFunctionPassManager().run(function, builder)
    module = llvm.parse_assembly(_less_forced(str(module)))
    builder = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=3))
    builder.getModulePassManager().run(module, builder)
    module.get_function(entry).name = name
    module.verify()
    return bytes(machine.emit_object(module))
