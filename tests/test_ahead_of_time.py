"""Compiling ahead of time: the versions of Numba with which it holds, what is left to LLVM, and objects that are kept."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numba
import pytest
from numba.core import codegen
from numba.core.dispatcher import Dispatcher
from numba.core.registry import cpu_target
from numba.core.targetconfig import TargetConfig

from serpenoid.compiled import private, targets
from serpenoid.compiled.meaning import digest


def test_the_private_parts_of_numba_are_those_of_this_version() -> None:
    """A new Numba: try the build and the tests of the page, then add it to HOLDS."""
    assert numba.__version__.startswith(tuple(f"{version}." for version in private.HOLDS))
    generator, library = codegen.JITCPUCodegen, codegen.JITCodeLibrary
    assert generator._library_class is library and "set_env" in vars(generator)
    for name in ("finalize", "_optimize_functions", "get_pointer_to_function"):
        assert callable(getattr(library, name)), name
    assert isinstance(cpu_target.target_context._internal_codegen, generator)
    assert hash(TargetConfig()) == hash(TargetConfig()) and TargetConfig()._values == {}
    made = numba.njit(no_cpython_wrapper=True, no_cfunc_wrapper=True)(lambda x: x)
    assert isinstance(made, Dispatcher) and made.targetoptions["no_cpython_wrapper"]
    made.compile((numba.float64,))
    (result,) = made.overloads.values()
    assert result.library._finalized and result.library._linking_libraries is not None
    assert result.library._final_module.get_function(result.fndesc.llvm_func_name)


def test_another_version_of_numba_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(private, "HOLDS", ("0.1",))
    with pytest.raises(RuntimeError, match=r"tried with Numba 0\.1, got .*requirements\.lock"):
        private.use_front_end()


BODY = "  %1 = fadd double 0.0, 0.0\n"
CODE = """
define void @outer() {{
{calls}  ret void
}}

define void @long() #0 {{
{body}  ret void
}}

define void @short() #0 {{
  ret void
}}

attributes #0 = {{ alwaysinline }}
"""


@pytest.mark.parametrize(("lines", "places", "left"), [(400, 3, True), (400, 2, False), (100, 3, False)])
def test_long_functions_at_several_places_are_left_to_llvm(lines: int, places: int, left: bool) -> None:
    calls = "  call void @long()\n  call void @short()\n" * places
    text = CODE.format(calls=calls, body=BODY * lines)
    assert targets.left_to_llvm(targets._functions(text)) == (["long"] if left else [])
    changed = targets._less_forced(text)
    assert ("define void @long() nounwind {" in changed) == left and "define void @short() #0 {" in changed


def test_an_object_is_kept_and_one_half_made_is_not_taken(tmp_path: Path) -> None:
    """A part of two small kernels goes all the way, once."""
    own = tmp_path / "calls.txt"
    own.write_text("serpenoid.frames:sincos1 f8\nserpenoid.frames:turned f8 f8 f8 f8\n")
    environment = {"SERPENOID_CALLS": str(own), "SERPENOID_CACHE": str(tmp_path)}
    code = "from serpenoid.compiled import build; print(*build.objects('rooms', (build.processor.levels()[0],)), sep='\\n')"
    half = tmp_path / "serpenoid" / "objects"
    half.mkdir(parents=True)
    (half / ".rooms.o.12").write_bytes(b"half")

    def made() -> dict[Path, int]:
        done = subprocess.run(
            [sys.executable, "-c", code], env={**os.environ, **environment}, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        return {Path(line): Path(line).stat().st_mtime_ns for line in done.stdout.splitlines()}

    first = made()
    assert [path.suffix for path in first] == [".json", ".o"] and list(first)[1].read_bytes()[:4] == b"\x7fELF"
    assert made() == first


ENTRY = """from serpenoid.compiled import kernel
from serpenoid.inner import inner


@kernel
def operate(x):
    return inner(x)
"""
INNER = """from serpenoid.compiled import njit

FACTOR = 2.0


@njit
def inner(x):
    return FACTOR * x


def shown(x):
    return f"{x}"
"""


@pytest.mark.parametrize(
    ("old", "new", "same"),
    [
        ("return FACTOR * x", "return FACTOR * x  # doubled", True),
        ("def shown(x):", 'def shown(x):\n    """As text."""', True),
        ('f"{x}"', "str(x)", True),
        ("FACTOR = 2.0", "FACTOR = 3.0", False),
        ("FACTOR * x", "x * FACTOR", False),
    ],
)
def test_only_what_kernels_mean_compiles_them_anew(old: str, new: str, same: bool, tmp_path: Path) -> None:
    package = tmp_path / "serpenoid"
    package.mkdir()
    (package / "entry.py").write_text(ENTRY)
    (package / "inner.py").write_text(INNER)
    before = digest([package / "entry.py"], tmp_path)
    assert old in INNER
    (package / "inner.py").write_text(INNER.replace(old, new))
    assert (digest([package / "entry.py"], tmp_path) == before) == same
