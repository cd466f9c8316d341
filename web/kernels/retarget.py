"""From the LLVM code that Numba makes for this machine to an object file for WebAssembly.

Numba is told to make code for a plain processor (`NUMBA_CPU_NAME=generic`), whose vectors hold two numbers as those of WebAssembly do. Then

- everything but the entry becomes internal, and what it does not reach is dropped (the wrappers that Python calls among it);
- counts of references become nothing: the kernels own no memory, the tables do;
- triple and data layout become those of wasm32: addresses have 32 bits there, whole numbers stay what they are.
"""

from __future__ import annotations

import re

import llvmlite.binding as llvm

TRIPLE = "wasm32-unknown-unknown"
FEATURES = "+simd128,+nontrapping-fptoint,+bulk-memory,+sign-ext,+mutable-globals"
_COUNTS = ("NRT_incref", "NRT_decref")


def without_counts(text: str) -> str:
    """The code with counting of references made empty."""
    for name in _COUNTS:
        text = re.sub(
            rf"^define [^\n]*@{name}\([^\n]*\{{\n.*?^\}}$",
            f"define linkonce_odr void @{name}(ptr %p) alwaysinline {{\n  ret void\n}}",
            text,
            flags=re.M | re.S,
        )
    return text


def object_of(text: str, entry: str, name: str) -> bytes:
    """Object file for wasm32 of LLVM code in which the function `entry` is called `name` from outside."""
    for setup in (llvm.initialize_all_targets, llvm.initialize_all_asmprinters):
        setup()
    text = without_counts(text)
    text = re.sub(r'"(target-cpu|target-features|probe-stack|tune-cpu)"="[^"]*"', "", text)
    machine = llvm.Target.from_triple(TRIPLE).create_target_machine(
        cpu="generic", features=FEATURES, opt=3, reloc="static"
    )
    module = llvm.parse_assembly(
        re.sub(r"^(source_filename|target datalayout|target triple) = .*$", "", text, flags=re.M)
    )
    module.triple, module.data_layout = TRIPLE, str(machine.target_data)
    for function in module.functions:
        if function.is_declaration:
            continue
        if function.name == entry:
            function.linkage = "external"
            function.name = name
        else:
            function.linkage = "internal"
    for variable in module.global_variables:
        if not variable.is_declaration:
            variable.linkage = "internal"
    builder = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=3))
    passes = builder.getModulePassManager()
    passes.run(module, builder)
    module.verify()
    return machine.emit_object(module)
