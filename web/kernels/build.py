"""Build the kernels for the browser from the package's own sources: `python web/kernels/build.py [--out FOLDER]`.

| file in the folder (web/build) | what it is |
|---|---|
| physics.wasm | the kernels: planar and spatial engine, curves |
| generated.ts | rows of all arrays, numbers of all kinds, tables of addresses: what the TypeScript engine must know of the layout |
| declarations.json | every description with its fields (unit, bounds, default, meaning), families, presets, metrics, bundled scenarios |

Numba compiles the entries (`planar.py`, `spatial.py`, `curves.py`) for a plain processor, `retarget.py` turns them into objects for wasm32, zig
links them. Each object is kept under a digest of what its sources mean, so that a changed comment or an unchanged engine compiles nothing; if
no file changed at all, nothing is even imported. Needed: llvmlite (comes with Numba) and ziglang.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import hashlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version
from pathlib import Path

from meaning import digest

try:
    import fcntl
except ImportError:  # not on Windows: builds at once may do the same work twice there
    fcntl = None  # type: ignore[assignment]

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PACKAGE = ROOT / "src" / "serpenoid"
ENTRIES = ("planar", "spatial", "curves")
FILES = ("physics.wasm", "generated.ts", "declarations.json")
CPU = "generic+simd128+nontrapping_fptoint+bulk_memory+sign_ext"
STACK = 1 << 20  # bytes


def raw_digest() -> str:
    """Digest of every file that the build reads."""
    parts = hashlib.sha256(sys.version.encode())
    for path in sorted([*PACKAGE.rglob("*.py"), *PACKAGE.rglob("*.toml"), *HERE.glob("*.py"), *HERE.glob("*.zig")]):
        parts.update(path.relative_to(ROOT).as_posix().encode() + b"\0" + path.read_bytes())
    return parts.hexdigest()


def object_key(name: str) -> str:
    """Digest of what an entry is made of."""
    parts = [digest(HERE / f"{name}.py", ROOT / "src"), version("numba"), version("llvmlite")]
    parts += [ast.dump(ast.parse((HERE / file).read_text())) for file in ("retarget.py", "groups.py", "entry.py")]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:24]


def build_object(name: str, out: Path) -> Path:
    """Object file of an entry: kept, or compiled in a process of its own."""
    made = out / "objects" / f"{name}-{object_key(name)}.o"
    if not made.exists():
        made.parent.mkdir(parents=True, exist_ok=True)
        print(f"compiling the {name} kernels for the browser (a minute or two)", file=sys.stderr, flush=True)
        environment = {
            **os.environ, "NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": "", "SERPENOID_CACHE": str(out / "cache"),
            "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")]),
        }  # fmt: skip
        subprocess.run([sys.executable, str(HERE / "entry.py"), name, str(made)], check=True, env=environment)
        for old in made.parent.glob(f"{name}-*.o"):
            if old != made:
                old.unlink()
    return made


def link(objects: list[Path], out: Path) -> None:
    """One WebAssembly module of all objects and the stubs."""
    target = out / "physics.wasm"
    part = out / "physics.part.wasm"
    command = [
        sys.executable, "-m", "ziglang", "build-exe", str(HERE / "stubs.zig"), *map(str, objects), "-target", "wasm32-freestanding", f"-mcpu={CPU}",
        "-fno-entry", "-O", "ReleaseFast", "-fstrip", "--stack", str(STACK), *(f"--export={name}" for name in ENTRIES), "--export=__heap_base",
        f"-femit-bin={part}", "--global-cache-dir", str(out / "zig"), "--cache-dir", str(out / "zig"),
    ]  # fmt: skip
    subprocess.run(command, check=True)
    part.chmod(0o644)
    part.replace(target)


def missing_tools() -> list[str]:
    """Packages that the build needs and that are not installed."""
    import importlib.util

    return [name for name in ("ziglang", "llvmlite", "numba") if importlib.util.find_spec(name) is None]


@contextlib.contextmanager
def alone(out: Path) -> Iterator[None]:
    """Wait until no other build works in the folder."""
    out.mkdir(parents=True, exist_ok=True)
    with open(out / "lock", "w") as file:
        if fcntl is not None:
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def build(out: Path) -> dict[str, float]:
    """Build everything that is not up to date; returns sizes and the time it took."""
    with alone(out):
        return _build(out)


def _build(out: Path) -> dict[str, float]:
    began, digest, stamp = time.monotonic(), raw_digest(), out / "stamp"
    fresh = stamp.exists() and stamp.read_text() == digest and all((out / name).exists() for name in FILES)
    if not fresh:
        lacking = missing_tools()
        if lacking:
            raise SystemExit(f"the kernels for the browser need {', '.join(lacking)}: pip install {' '.join(lacking)}")
        sys.path[:0] = [str(ROOT / "src")]
        stamp.unlink(missing_ok=True)
        with ThreadPoolExecutor(2) as pool:  # each compiles in a process of its own
            link(list(pool.map(lambda name: build_object(name, out), ENTRIES)), out)
        import export

        export.write(out)
        stamp.write_text(digest)
    return {"seconds": round(time.monotonic() - began, 2), **{name: (out / name).stat().st_size for name in FILES}}


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description="Build the kernels for the browser.")
    parser.add_argument("--out", type=Path, default=ROOT / "web" / "build")
    print(json.dumps(build(parser.parse_args().out)))


if __name__ == "__main__":
    main()
