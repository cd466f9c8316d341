"""Compile the entries ahead of time: `objects(...)`, each in a process of its own, kept under a digest of what its sources mean.

    python -m serpenoid.compiled.build NAME TARGET FILE

writes the object file of one entry (`compiled.program`) for one target (`compiled.targets`). A changed comment, an unchanged engine or a plain Python
function compiles nothing. What is half made is never taken for an object: a file gets its name when it is whole.
"""

from __future__ import annotations

import ast
import contextlib
import hashlib
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version
from pathlib import Path

from serpenoid.compiled.meaning import digest, module_file

try:
    import fcntl
except ImportError:  # not on Windows: builds at once may do the same work twice there
    fcntl = None  # type: ignore[assignment]

SOURCE = Path(__file__).resolve().parents[2]
_MAKES = ("groups", "private", "program", "targets")  # modules that say how an entry is compiled
_USUAL = {"planar": 40, "spatial": 50, "curves": 10}  # s of one processor


def object_key(name: str, target: str) -> str:
    """Digest of what an object is made of."""
    from serpenoid.compiled.program import ENTRIES

    entry = module_file(SOURCE, ENTRIES[name])
    assert entry is not None
    parts = [target, digest(entry, SOURCE), version("numba"), version("llvmlite")]
    parts += [ast.dump(ast.parse(Path(__file__).with_name(f"{part}.py").read_text())) for part in _MAKES]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:24]


def _object(name: str, target: str, out: Path) -> Path:
    """Object file of an entry: kept, or compiled in a process of its own."""
    made = out / f"{name}-{target}-{object_key(name, target)}.o"
    if made.exists():
        return made
    out.mkdir(parents=True, exist_ok=True)
    usual = f", usually {_USUAL[name]} s" if name in _USUAL else ""
    print(f"compiling the {name} kernels for {target}{usual}", file=sys.stderr, flush=True)
    began = time.monotonic()
    path = os.pathsep.join(filter(None, [str(SOURCE), os.environ.get("PYTHONPATH")]))
    environment = {**os.environ, "NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": "", "PYTHONPATH": path}
    command = [sys.executable, "-m", "serpenoid.compiled.build", name, target, str(made)]
    subprocess.run(command, check=True, env=environment)
    print(f"compiled the {name} kernels for {target} in {time.monotonic() - began:.0f} s", file=sys.stderr, flush=True)
    for old in out.glob(f"{name}-{target}-*.o"):
        if old != made:
            old.unlink(missing_ok=True)
    return made


def objects(names: tuple[str, ...], target: str, out: Path) -> list[Path]:
    """Object files of the entries, two made at once; those that are there are kept."""
    with ThreadPoolExecutor(2) as pool:  # each compiles in a process of its own
        return list(pool.map(lambda name: _object(name, target, out), names))


@contextlib.contextmanager
def alone(out: Path) -> Iterator[None]:
    """Wait until no other build works in the folder."""
    out.mkdir(parents=True, exist_ok=True)
    with open(out / "lock", "w") as file:
        if fcntl is not None:
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def main(name: str, target: str, file: str) -> None:
    """Write the object file of an entry."""
    from serpenoid.compiled.private import gathered, use_front_end
    from serpenoid.compiled.program import entry_of, load
    from serpenoid.compiled.targets import TARGETS, object_of

    load(name)
    use_front_end()
    code, entry = gathered(entry_of(name))
    made = Path(file)
    part = made.with_name(f"{made.name}.{os.getpid()}.part")
    part.write_bytes(object_of(code, entry, name, TARGETS[target]))
    part.replace(made)


if __name__ == "__main__":
    main(*sys.argv[1:])
