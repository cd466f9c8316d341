"""How physics is compiled: one decorator, one cache.

Every kernel in serpenoid is a module-level function under `njit`: compiled once, kept on disk, callable from
Python, from threads (it releases the interpreter lock) and from other kernels. `fastmath` is limited to the flags
that keep NaN and infinity meaningful. `exact` leaves out re-association, for code whose order of operations matters.

The disk cache is keyed by the contents of the package's own kernels: Numba looks only at the file of the function
itself, so without that key a change in a called function in another file would silently run the old code.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])

_PACKAGE = Path(__file__).parent
_ROOMS = (
    "bench", "compiled.py", "contact", "control.py", "dynamics", "engines", "frames.py", "gaits", "kinematics", "planning", "shapes",
)  # fmt: skip
_KEPT_FOR = 30 * 24 * 3600.0  # s: caches of other source states older than this are removed


def source_key() -> str:
    """Digest of the contents of every source file that kernels, or constants built into them, come from."""
    digest = hashlib.sha256()
    for path in sorted(_PACKAGE.rglob("*.py")):
        if path.relative_to(_PACKAGE).parts[0] in _ROOMS:
            digest.update(path.relative_to(_PACKAGE).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


def _usable(folder: Path) -> bool:
    """Whether the folder is there (or can be made), ours alone to write, and no link: compiled code is loaded from it."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return folder.stat().st_uid == os.getuid() and os.access(folder, os.W_OK)
    except OSError:
        return False


def cache_dir() -> Path:
    """Folder for compiled kernels: SERPENOID_CACHE, else the user's cache, else a new temporary folder."""
    root = os.environ.get("SERPENOID_CACHE") or os.environ.get("XDG_CACHE_HOME")
    bases = [Path(root)] if root else []
    for base in [*bases, Path(os.path.expanduser("~")) / ".cache"]:
        folder = base / "serpenoid" / source_key()
        if _usable(folder):
            with contextlib.suppress(OSError):
                os.utime(folder)
            return folder
    return Path(tempfile.mkdtemp(prefix="serpenoid-"))


def _forget_old_caches(current: Path) -> None:
    """Remove caches of other source states that have not been used for a month; nothing else is touched."""
    for folder in current.parent.glob("[0-9a-f]" * 16):
        with contextlib.suppress(OSError):
            if folder != current and folder.is_dir() and time.time() - folder.stat().st_mtime > _KEPT_FOR:
                shutil.rmtree(folder, ignore_errors=True)


CACHE = cache_dir()
_forget_old_caches(CACHE)

import numba  # noqa: E402

numba.config.CACHE_DIR = str(CACHE)  # type: ignore[attr-defined]

_LOOSE = {"contract", "reassoc", "arcp", "nsz"}
_EXACT = {"contract", "nsz"}


def is_compiled(name: str) -> bool:
    """Whether the kernel of that name lies compiled in the cache."""
    return any(CACHE.rglob(f"*.{name}-*.nbi"))


def njit(function: F) -> F:
    """Compile a small function that is built into its callers: cached, no interpreter lock, NaN and infinity kept."""
    compiled: Any = numba.njit(
        cache=True, nogil=True, error_model="numpy", forceinline=True, fastmath=_LOOSE
    )(function)  # fmt: skip
    result: F = compiled
    return result


def kernel(function: F) -> F:
    """Compile a large function that is called, not built in (it keeps compilation short)."""
    compiled: Any = numba.njit(cache=True, nogil=True, error_model="numpy", fastmath=_LOOSE)(function)
    result: F = compiled
    return result


def exact(function: F) -> F:
    """Compile a small function whose order of operations is part of the algorithm."""
    compiled: Any = numba.njit(
        cache=True, nogil=True, error_model="numpy", forceinline=True, fastmath=_EXACT
    )(function)  # fmt: skip
    result: F = compiled
    return result
