"""Compile the parts of the program ahead of time: `python -m serpenoid.compiled.build [PART ...]` makes the libraries of this machine.

Each part (`compiled.program`) goes through Numba's front end once, in a process of its own; of the code that comes out, an object is made for each
target (`compiled.targets`): this machine's level for the library, wasm32 for the page, others for wheels. Code and objects are kept in the user's cache
under a digest of what the sources mean: a changed comment or a plain Python function compiles nothing, and several checkouts share them.
What is half made is never taken for whole: a file gets its name when it is complete.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import hashlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version
from pathlib import Path
from typing import Any

from serpenoid.compiled import library, processor, program
from serpenoid.compiled.cache import CACHE
from serpenoid.compiled.meaning import digest, module_file, texts_of
from serpenoid.version import __version__

try:
    import fcntl
except ImportError:  # not on Windows: builds at once may do the same work twice there
    fcntl = None  # type: ignore[assignment]

SOURCE = Path(__file__).resolve().parents[2]
OBJECTS = CACHE.parent / "objects"
_MAKES = ("forms", "front", "groups", "intrinsics", "jit", "private")  # modules that say how a part is compiled
_USUAL = {"planar": 30, "spatial": 40, "rooms": 30, "planning": 20, "gradient": 25}  # s of one processor
_KEPT = 6  # versions of a part's code and objects that stay in the cache


class NotBuiltError(Exception):
    """A part could not be compiled or linked; the text says why."""


def _files(part: str) -> list[Path]:
    found = [module_file(SOURCE, name) for name in program.modules_in(part)]
    return [file for file in found if file is not None]


def _code_of(name: str) -> str:
    """All of a module of this room but its comments."""
    return ast.dump(ast.parse(Path(__file__).with_name(f"{name}.py").read_text()))


@functools.cache
def meaning_of_part(part: str) -> str:
    """Digest of what a part is made of: sources, calls, how it is compiled."""
    asked = repr((program.calls_in(part), program.entries_in(part), program.BY_ADDRESS))
    given = [digest(_files(part), SOURCE), *map(_code_of, _MAKES), asked, version("numba"), version("llvmlite")]
    return hashlib.sha256("\0".join(given).encode()).hexdigest()[:24]


def object_name(part: str, target: str) -> str:
    """Name of the object of a part for a target, by what it is made of."""
    how = _code_of("targets") + str(part in program.ALLOCATE)
    return f"{part}-{meaning_of_part(part)}-{target}-{hashlib.sha256(how.encode()).hexdigest()[:8]}.o"


def sources_of_part(part: str) -> dict[str, list[int]]:
    """Files that a part is made of, with the time and size by which a change is noticed."""
    package = SOURCE / "serpenoid"
    names = [Path(name).relative_to("serpenoid").as_posix() for name in texts_of(_files(part), SOURCE)]
    names += [f"compiled/{name}.py" for name in (*_MAKES, "program")] + ["compiled/calls.txt"]
    found = {name: (package / name).stat() for name in sorted(set(names))}
    return {name: [seen.st_mtime_ns, seen.st_size] for name, seen in found.items()}


def write_sheet(path: Path, sheet: dict[str, Any]) -> None:
    """Write the sheet of a library, whole or not at all."""
    with contextlib.suppress(OSError):
        _write(path.with_suffix(".json"), json.dumps(sheet).encode())


def _write(path: Path, contents: bytes) -> None:
    part = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with open(part, "wb") as file:
            file.write(contents)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def objects(part: str, targets: tuple[str, ...]) -> tuple[Path, ...]:
    """Objects of a part, kept or compiled now in a process of its own; the first file is what was compiled, as JSON."""
    stem = f"{part}-{meaning_of_part(part)}"
    made = (OBJECTS / f"{stem}.json", *(OBJECTS / object_name(part, target) for target in targets))
    OBJECTS.mkdir(parents=True, exist_ok=True)
    with open(OBJECTS / f".{part}.lock", "w") as file:
        waits = False
        while not all(path.exists() for path in made):
            if _locked(file):
                _compile(part, targets, made)
                break
            if not waits:
                print(f"another process compiles the {part} kernels ...", file=sys.stderr, flush=True)
            waits = True
            time.sleep(0.2)
    return made


def _locked(file: Any) -> bool:
    """Whether nobody else has this lock."""
    if fcntl is None:
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _compile(part: str, targets: tuple[str, ...], made: tuple[Path, ...]) -> None:
    """Compile a part in a process of its own."""
    told = f"compiling the {part} kernels for {' and '.join(targets)}"
    print(f"{told} ahead of time, usually {_USUAL[part]} s", file=sys.stderr, flush=True)
    began = time.monotonic()
    path = os.pathsep.join(filter(None, [str(SOURCE), os.environ.get("PYTHONPATH")]))
    environment = {
        **os.environ,
        "NUMBA_CPU_NAME": "generic",
        "NUMBA_CPU_FEATURES": "",
        "PYTHONPATH": path,
        "SERPENOID_JIT": "1",
    }
    command = [sys.executable, "-m", "serpenoid.compiled.front", part, *targets]
    done = subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if done.returncode or not all(file.exists() for file in made):
        raise NotBuiltError(f"{told} failed: {(done.stderr.strip().splitlines() or ['no reason given'])[-1]}")
    print(f"{told}: {time.monotonic() - began:.0f} s", file=sys.stderr, flush=True)
    _forget(part)


def for_page() -> list[Path]:
    """Objects for the page, of the parts that have something for it; two compiled at once."""
    parts = [part for part in program.PARTS if program.entries_in(part)]
    with ThreadPoolExecutor(2) as pool:
        return [made[-1] for made in pool.map(lambda part: objects(part, (*processor.levels()[:1], "wasm32")), parts)]


def _forget(part: str) -> None:
    """Remove what was compiled of older sources."""
    kept = sorted(OBJECTS.glob(f"{part}-*.json"), key=lambda path: -path.stat().st_mtime_ns)
    for old in kept[_KEPT:]:
        for path in OBJECTS.glob(f"{old.stem}*"):
            path.unlink(missing_ok=True)


def link(made: Path, target: Path) -> None:
    """A library of an object, by the C compiler, else by zig."""
    if cc := shutil.which("cc"):
        command = [cc, "-shared", "-o", str(target), str(made), "-lm"]
    elif importlib.util.find_spec("ziglang"):
        command = [sys.executable, "-m", "ziglang", "cc", "-shared", "-o", str(target), str(made)]
    else:
        raise NotBuiltError("a linker is needed: a C compiler (cc), or the package ziglang")
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise NotBuiltError(f"linking failed: {(done.stderr.strip().splitlines() or ['no reason given'])[-1]}")


def folder() -> Path:
    """Where libraries of this checkout are written: in the package, else in the user's cache."""
    inside, outside = library.folders()
    for place in (inside, outside):
        with contextlib.suppress(OSError):
            place.mkdir(parents=True, exist_ok=True)
            if os.access(place, os.W_OK):
                return place
    raise NotBuiltError(f"libraries can be written neither to {inside} nor to {outside}")


def install(part: str, level: str, place: Path) -> Path:
    """Put the library of a part into a folder, with its sheet."""
    told, made = objects(part, (level,))
    path = place / f"{part}-{level}.so"
    raw = place / f".{path.name}.{os.getpid()}"
    try:
        link(made, raw)
        code = raw.read_bytes()
    finally:
        raw.unlink(missing_ok=True)
    _write(path, code)
    write_sheet(path, sheet_for(part, level, path, told, shipped=False))
    return path


def sheet_for(part: str, level: str, path: Path, told: Path, *, shipped: bool) -> dict[str, Any]:
    """The sheet of a library; that of a wheel does not look at the sources again."""
    return {
        "part": part, "level": level, "version": __version__, "meaning": meaning_of_part(part), "object": object_name(part, level),
        "digest": hashlib.sha256(path.read_bytes()).hexdigest(), "sources": None if shipped else sources_of_part(part),
        "calls": json.loads(told.read_text())["calls"],
    }  # fmt: skip


@contextlib.contextmanager
def alone(place: Path) -> Iterator[None]:
    """Wait until no other build works in the folder."""
    place.mkdir(parents=True, exist_ok=True)
    with open(place / ".lock", "w") as file:
        if fcntl is not None:
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def up_to_date(part: str, place: Path) -> bool:
    """Whether the library of a part is there and of these sources."""
    path = place / f"{part}-{processor.levels()[0]}.so"
    sheet = library.sheet_of(path)
    made = object_name(part, processor.levels()[0])
    return (
        sheet is not None and sheet.get("object") == made and library.whole(path, sheet) and library.fresh(path, sheet)
    )


def make(parts: Iterable[str] = tuple(program.PARTS)) -> bool:
    """Make the libraries of this machine that are missing or stale; whether all are there. Why not is said on standard error."""
    lacking = [name for name in ("numba", "llvmlite") if importlib.util.find_spec(name) is None]
    if lacking or not processor.levels():
        return False
    try:
        place = folder()
        with alone(place), ThreadPoolExecutor(2) as pool:  # each compiles in a process of its own
            wanted = [part for part in parts if not up_to_date(part, place)]
            list(pool.map(lambda part: install(part, processor.levels()[0], place), wanted))
    except (NotBuiltError, OSError) as error:
        print(
            f"kernels are not compiled ahead of time: {error}; Numba compiles each when it is called", file=sys.stderr
        )
        return False
    return True


if __name__ == "__main__":
    sys.exit(0 if make(tuple(sys.argv[1:]) or tuple(program.PARTS)) else 1)
