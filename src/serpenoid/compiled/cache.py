"""Where compiled kernels are kept: keyed by meaning, sealed, in a folder that is ours alone.

The cache is keyed by meaning, not by text: the digest of a module's syntax tree without docstrings, and of every module whose
kernels or constants it imports. So a changed comment compiles nothing, a changed kernel compiles only what uses it, and two
versions of the source do not disturb each other. (Numba alone looks only at the file of the function itself, so that a change in
a called function in another file would silently run the old code.)

What is loaded from here is run, so it is checked first: folder and file belong to the user, nobody else may write to them, neither is
a link, and the file ends with the digest of its name and contents. What fails the check is removed and compiled again. The folder is
SERPENOID_CACHE, else the user's cache, else one stable folder of the user among the temporary files.
"""

from __future__ import annotations

import ast
import atexit
import contextlib
import functools
import hashlib
import json
import os
import shutil
import stat
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).parents[1]
_MEANS = tuple(Path(__file__).with_name(name) for name in ("jit.py", "intrinsics.py"))  # how kernels are compiled
_KEPT_FOR = 30 * 24 * 3600.0  # s: compiled modules that were not used for so long are removed
_SEAL = 32  # bytes of the digest at the end of a file, where what reads a pickle does not look


def _ours(folder: Path) -> bool:
    """Whether the folder is there (or can be made) and ours alone; one that others could write to is emptied first."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        seen = folder.lstat()
        if not stat.S_ISDIR(seen.st_mode) or seen.st_uid != os.getuid():
            return False
        if seen.st_mode & 0o022:
            folder.chmod(0o700)
            for item in folder.iterdir():
                shutil.rmtree(item) if item.is_dir() and not item.is_symlink() else item.unlink()
        return os.access(folder, os.W_OK | os.X_OK)
    except OSError:
        return False


def cache_dir() -> Path:
    """Folder for compiled kernels."""
    root = os.environ.get("SERPENOID_CACHE") or os.environ.get("XDG_CACHE_HOME")
    bases = [Path(root)] if root else []
    temporary = Path(tempfile.gettempdir())
    homes = [base / "serpenoid" for base in (*bases, Path(os.path.expanduser("~")) / ".cache")]
    for home in (*homes, temporary / f"serpenoid-{os.getuid()}"):
        if _ours(home) and _ours(home / "kernels"):
            return home / "kernels"
    folder = Path(tempfile.mkdtemp(prefix="serpenoid-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _sealed(name: str, contents: bytes) -> bytes:
    return contents + hashlib.sha256(name.encode() + b"\0" + contents).digest()


def read_sealed(path: Path) -> bytes | None:
    """Contents of a file of the cache; None if there is none that can be trusted, which is then removed."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    except OSError:  # a link, or not to be opened
        _remove(path)
        return None
    with open(handle, "rb") as file:
        seen = os.fstat(handle)
        good = stat.S_ISREG(seen.st_mode) and seen.st_uid == os.getuid() and not seen.st_mode & 0o022
        contents = file.read() if good else b""
    if good and contents == _sealed(path.name, contents[:-_SEAL]):
        return contents[:-_SEAL]
    _remove(path)
    return None


def write_sealed(path: Path, contents: bytes) -> None:
    """Write a file of the cache whole or not at all; a failure only costs time."""
    part = path.with_name(f".{path.name}.{os.getpid()}.{time.monotonic_ns()}")
    try:
        handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with open(handle, "wb") as file:
            file.write(_sealed(path.name, contents))
        os.replace(part, path)
    except OSError:
        _remove(part)


def _remove(path: Path) -> None:
    with contextlib.suppress(OSError):
        path.unlink()


CACHE = cache_dir()


class _Digests:
    """What each source file means: digest of its syntax tree and the modules it builds on, remembered by its contents."""

    def __init__(self, path: Path) -> None:
        self.path, self.changed = path, False
        self.seen: dict[Path, tuple[str, list[str], bool]] = {}  # in this process
        self.known: dict[str, tuple[str, list[str], bool]] = {}
        with contextlib.suppress(ValueError, TypeError, AttributeError, IndexError, KeyError):
            self.known = {k: (v[0], v[1], v[2]) for k, v in json.loads(read_sealed(path) or b"{}").items()}

    def of(self, file: Path) -> tuple[str, list[str], bool]:
        """Digest of a file's syntax tree without docstrings, what it imports, and whether it has kernels."""
        if file in self.seen:
            return self.seen[file]
        content = file.read_bytes()
        key = hashlib.sha256(file.as_posix().encode() + b"\0" + content).hexdigest()
        if key not in self.known:
            self.known[key] = _parsed(content.decode())
            self.changed = True
        self.seen[file] = self.known[key]
        return self.known[key]

    def save(self) -> None:
        """Write what was learned."""
        if self.changed:
            write_sealed(self.path, json.dumps(self.known).encode())
            self.changed = False


def _parsed(text: str) -> tuple[str, list[str], bool]:
    tree = ast.parse(text)
    wanted: list[str] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "serpenoid":
            wanted += [f"{node.module}:{a.name}" for a in node.names]
        body = getattr(node, "body", None)
        if isinstance(body, list) and body and isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            first = body[0]
            if (
                isinstance(first, ast.Expr)
                and isinstance(first.value, ast.Constant)
                and isinstance(first.value.value, str)
            ):
                del body[0]
    kernels = any(w.startswith("serpenoid.compiled:") for w in wanted)
    return hashlib.sha256(ast.dump(tree).encode()).hexdigest(), wanted, kernels


_digests = _Digests(CACHE / "digests.json")


@functools.cache
def _module_file(name: str) -> Path | None:
    """File of a module of this package, None if there is none."""
    base = PACKAGE.joinpath(*name.split(".")[1:])
    for file in (base.with_suffix(".py"), base / "__init__.py"):
        if file.is_file():
            return file
    return None


def _closure(file: Path) -> Iterator[Path]:
    """The file, how kernels are compiled, and every file whose kernels or constants it builds on."""
    open_ = list({file, *_MEANS})
    seen = set(open_)
    while open_:
        here = open_.pop()
        yield here
        for wanted in _digests.of(here)[1]:
            module, name = wanted.split(":")
            inner = _module_file(f"{module}.{name}")
            target = inner or _module_file(module)
            constant = inner is not None or name == "*" or name.lstrip("_").isupper()
            if target and target not in seen and (constant or _digests.of(target)[2]) and name != "FloatArray":
                seen.add(target)
                open_.append(target)


def meaning_of(file: Path) -> str:
    """Digest of what a source file means: its syntax tree without docstrings."""
    return _digests.of(file)[0]


def remember_meanings() -> None:
    """Keep what was learned of source files for the next process."""
    _digests.save()


@functools.cache
def module_key(file: str) -> str:
    """Digest of everything that the kernels of a source file are made of."""
    parts = sorted(_digests.of(part)[0] for part in _closure(Path(file)))
    _digests.save()
    return hashlib.sha256("".join(parts).encode()).hexdigest()[:16]


def _forget_old_modules() -> None:
    """Remove compiled modules that have not been used for a month; nothing else is touched."""
    for folder in CACHE.glob("*-" + "[0-9a-f]" * 16):
        with contextlib.suppress(OSError):
            if time.time() - folder.stat().st_mtime > _KEPT_FOR:
                shutil.rmtree(folder, ignore_errors=True)


_forget_old_modules()
