"""From the gathered code of an entry to an object file, for one kind of processor.

- Everything but the entry becomes internal, and what it does not reach is dropped.
- Memory: engines own none, so counts of references become nothing; planners allocate, by the C library (`_COUNTED`).
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
_ALLOCATING = ("NRT_MemInfo_alloc_aligned", "NRT_MemInfo_alloc", "NRT_Allocate", "NRT_Free", "PyErr_SetString")
_FUNCTIONS = ("numba_ldexp", "numba_attempt_nocopy_reshape")
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
    "x86-64-v2": Target("x86_64-unknown-linux-gnu", "x86-64-v2", "", "pic"),
    "x86-64-v3": Target("x86_64-unknown-linux-gnu", "x86-64-v3", "", "pic"),
    "x86-64-v4": Target("x86_64-unknown-linux-gnu", "x86-64-v4", "", "pic"),
    "aarch64": Target("aarch64-unknown-linux-gnu", "generic", "+neon", "pic"),
    "arm64-macos": Target("arm64-apple-macosx11.0.0", "apple-m1", "", "pic"),
    "x86-64-macos": Target("x86_64-apple-macosx11.0.0", "x86-64-v3", "", "pic"),
}  # fmt: skip
LIBM = frozenset({"acos", "acosh", "asin", "atan", "atan2", "cbrt", "cos", "cosh", "exp", "expm1", "fmod", "hypot", "ldexp", "log", "log1p", "log10", "pow", "sin", "sinh", "sqrt", "tan", "tanh"})  # fmt: skip
MEMORY = frozenset({"free", "malloc", "memcpy", "memmove", "memset"})  # what a library may call besides


_COUNTED = """
declare ptr @malloc(i64)
declare void @free(ptr)

define weak_odr void @NRT_incref(ptr %p) alwaysinline {
  %none = icmp eq ptr %p, null
  br i1 %none, label %end, label %count
count:
  %before = load i64, ptr %p
  %after = add i64 %before, 1
  store i64 %after, ptr %p
  br label %end
end:
  ret void
}

define weak_odr void @NRT_decref(ptr %p) alwaysinline {
  call void @release(ptr %p)
  ret void
}

define void @release(ptr %p) {
  %none = icmp eq ptr %p, null
  br i1 %none, label %end, label %count
count:
  %before = load i64, ptr %p
  %after = sub i64 %before, 1
  store i64 %after, ptr %p
  %last = icmp eq i64 %after, 0
  br i1 %last, label %give, label %end
give:
  call void @free(ptr %p)
  br label %end
end:
  ret void
}

define weak_odr noalias ptr @NRT_MemInfo_alloc_aligned(i64 %size, i32 %align) {
  %room = add i64 %size, 128
  %p = call ptr @malloc(i64 %room)
  %none = icmp eq ptr %p, null
  br i1 %none, label %end, label %fill
fill:
  store i64 1, ptr %p
  %here = ptrtoint ptr %p to i64
  %there = add i64 %here, 111
  %data = and i64 %there, -64
  %at = inttoptr i64 %data to ptr
  %first = getelementptr i8, ptr %p, i64 24
  store ptr %at, ptr %first
  %second = getelementptr i8, ptr %p, i64 32
  store i64 %size, ptr %second
  br label %end
end:
  ret ptr %p
}

define weak_odr ptr @NRT_MemInfo_alloc(i64 %size) {
  %p = call ptr @NRT_MemInfo_alloc_aligned(i64 %size, i32 16)
  ret ptr %p
}

define weak_odr ptr @NRT_Allocate(i64 %size) {
  %p = call ptr @malloc(i64 %size)
  ret ptr %p
}

define weak_odr void @NRT_Free(ptr %p) {
  call void @free(ptr %p)
  ret void
}

define weak_odr void @PyErr_SetString(ptr %kind, ptr %text) {
  ret void
}
"""
_UNCOUNTED = """
define weak_odr void @NRT_incref(ptr %p) alwaysinline {
  ret void
}

define weak_odr void @NRT_decref(ptr %p) alwaysinline {
  ret void
}

define void @release(ptr %p) {
  ret void
}
"""

# functions of Numba: only arrays that lie in one piece are reshaped, so that is a matter of strides
_OWN = """
declare double @ldexp(double, i32)

define weak_odr double @numba_ldexp(double %x, i32 %e) alwaysinline {
  %y = call double @ldexp(double %x, i32 %e)
  ret double %y
}

define weak_odr i32 @numba_attempt_nocopy_reshape(i64 %nd, ptr %s, ptr %t, i64 %dimensions, ptr %sizes, ptr %strides, i64 %width, i32 %f) {
begin:
  br label %next
next:
  %left = phi i64 [ %dimensions, %begin ], [ %k, %turn ]
  %stride = phi i64 [ %width, %begin ], [ %wider, %turn ]
  %done = icmp eq i64 %left, 0
  br i1 %done, label %end, label %turn
turn:
  %k = sub i64 %left, 1
  %place = getelementptr i64, ptr %strides, i64 %k
  store i64 %stride, ptr %place
  %from = getelementptr i64, ptr %sizes, i64 %k
  %size = load i64, ptr %from
  %wider = mul i64 %stride, %size
  br label %next
end:
  ret i32 1
}
"""


def _with_memory(text: str, native: bool, counted: bool) -> str:
    """The code, for any processor and layout, with its own account of memory: Numba's struct of five words, without its atomic operations,
    since what a kernel allocates is seen by one thread alone. Uncounted: for code that owns no memory."""
    for name in (*_COUNTS, *(_ALLOCATING if counted else ()), *(_FUNCTIONS if native else ())):
        text = re.sub(rf"^define [^\n]*@{name}\([^\n]*\{{\n.*?^\}}$", "", text, flags=re.M | re.S)
        text = re.sub(rf"^declare [^\n]*@{name}\([^\n]*$", "", text, flags=re.M)
    text = re.sub(r'"(target-cpu|target-features|probe-stack|tune-cpu)"="[^"]*"', "", text)
    text = re.sub(r"^(source_filename|target datalayout|target triple) = .*$", "", text, flags=re.M)
    return text + (_COUNTED if counted else _UNCOUNTED) + (_OWN if native else "")


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


def _own(module: Any, target: Target, machine: Any, seen: dict[str, str]) -> None:
    """Make a module one of the target, with the functions that others see, by their names in the module."""
    module.triple, module.data_layout = target.triple, str(machine.target_data)
    for part in (*module.functions, *module.global_variables):
        if not part.is_declaration:
            part.linkage = "external" if part.name in seen else "internal"
    for name in seen:
        module.get_function(name).add_function_attribute("noinline")


def missing_in(module: Any) -> list[str]:
    """Functions that a module calls and no library has: what would allocate or raise."""
    names = {code.name for code in module.functions if code.is_declaration and not code.name.startswith("llvm.")}
    return sorted(names - LIBM - MEMORY)


def object_of(code: bytes, seen: dict[str, str], target: Target, counted: bool) -> bytes:
    """Object file of a gathered module (bitcode).

    `seen`: functions that others see, by their names in the module and from outside; `counted`: whether the kernels allocate.
    """
    for setup in (llvm.initialize_all_targets, llvm.initialize_all_asmprinters):
        setup()
    machine = llvm.Target.from_triple(target.triple).create_target_machine(
        cpu=target.cpu, features=target.features, opt=3, reloc=target.relocation
    )
    builder = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=3))
    module = llvm.parse_assembly(_with_memory(str(llvm.parse_bitcode(code)), target.relocation == "pic", counted))
    _own(module, target, machine, seen)
    for function in module.functions:
        if not function.is_declaration:
            builder.getFunctionPassManager().run(function, builder)
    module = llvm.parse_assembly(_less_forced(str(module)))
    builder = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=3))
    builder.getModulePassManager().run(module, builder)
    for inside, outside in seen.items():
        module.get_function(inside).name = outside
    module.verify()
    if target.relocation == "pic" and missing_in(module):
        raise RuntimeError(
            f"kernels that are compiled ahead of time must not allocate or raise; these call {', '.join(missing_in(module))}"
        )
    return bytes(machine.emit_object(module))
