"""What this machine's processor can do: the levels of code that it runs, the best first."""

from __future__ import annotations

import functools
import platform
import sys
from pathlib import Path

_X86 = {  # level: what /proc/cpuinfo says of it, beyond the level before
    "x86-64-v2": {"cx16", "lahf_lm", "popcnt", "sse4_1", "sse4_2", "ssse3"},
    "x86-64-v3": {"avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "abm", "movbe", "xsave"},
    "x86-64-v4": {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"},
}


@functools.cache
def levels() -> tuple[str, ...]:
    """Levels of code that this processor runs, the best first."""
    machine = platform.machine().lower()
    if machine in ("arm64", "aarch64"):
        return ("arm64-macos",) if sys.platform == "darwin" else ("aarch64",)
    if machine not in ("x86_64", "amd64"):
        return ()
    if not sys.platform.startswith("linux"):
        return ("x86-64-macos",) if sys.platform == "darwin" else ()
    found: list[str] = []
    flags = _flags()
    for level, needed in _X86.items():
        if not needed <= flags:
            break
        found.insert(0, level)
    return tuple(found)


def _flags() -> set[str]:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return set()
    return next((set(line.split(":", 1)[1].split()) for line in lines if line.startswith("flags")), set())
