"""When is it the same sweep? The digest of everything that decides its numbers: a store never mixes two of them.

Description, design, metrics, the arithmetic, the versions of what computes, the meaning of our own source (its syntax, so that a comment
changes nothing) and the bytes of users' own modules, those that they import included.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import importlib.util
import platform
import sys
import sysconfig
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from serpenoid.formats.manifest import digest_of, digest_of_file
from serpenoid.version import __version__

_PACKAGE = Path(__file__).parents[1]
_ASIDE = ("bench", "cli", "envs", "optimise", "studies", "studio", "sweeps", "view")  # rooms that compute no cell


@functools.cache
def code_digest() -> str:
    """Digest of the meaning of all source files that compute a cell."""
    from serpenoid.compiled.cache import meaning_of, remember_meanings

    files = sorted(path for path in _PACKAGE.rglob("*.py") if path.relative_to(_PACKAGE).parts[0] not in _ASIDE)
    names = {str(path.relative_to(_PACKAGE)): meaning_of(path) for path in files}
    remember_meanings()
    return digest_of(names)


def versions(arithmetic: str) -> dict[str, str]:
    """Versions of what computes a cell."""
    import llvmlite
    import numba
    import numpy
    import scipy

    return {
        "serpenoid": __version__, "code": code_digest(), "arithmetic": arithmetic, "python": platform.python_version(),
        "numpy": numpy.__version__, "scipy": scipy.__version__, "numba": numba.__version__, "llvmlite": llvmlite.__version__,
    }  # fmt: skip


def sources(modules: Iterable[str]) -> dict[str, str]:
    """Digests of users' modules and of those that they import, but not of installed packages."""
    found: dict[str, str] = {}
    todo = list(modules)
    seen = set(todo)
    while todo:
        name = todo.pop()
        file = _file_of(name)
        if file is None:
            continue
        found[name] = digest_of_file(file)
        for inner in _imported(file, name):
            if inner not in seen:
                seen.add(inner)
                todo.append(inner)
    return dict(sorted(found.items()))


def _file_of(name: str) -> Path | None:
    """Source file of a module that belongs to the user: neither of Python, nor installed, nor ours."""
    loaded = sys.modules.get(name)
    origin = getattr(loaded, "__file__", None)
    if origin is None:
        try:
            spec = importlib.util.find_spec(name)
        except (ImportError, ValueError, AttributeError):
            return None
        origin = spec.origin if spec is not None else None
    if origin is None or not origin.endswith(".py"):
        return None
    file = Path(origin).resolve()
    homes = [Path(sysconfig.get_path(key)).resolve() for key in ("stdlib", "purelib", "platlib")]
    return None if any(file.is_relative_to(home) for home in (*homes, _PACKAGE)) or not file.is_file() else file


def _imported(file: Path, name: str) -> list[str]:
    """Names of modules that a source file imports."""
    try:
        tree = ast.parse(file.read_bytes())
    except (SyntaxError, ValueError, OSError):
        return []
    package = name if file.name == "__init__.py" else name.rpartition(".")[0]
    found: list[str] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            parts = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            home = ".".join([*parts, *([node.module] if node.module else [])])
            found += [home, *(f"{home}.{alias.name}" for alias in node.names)]
    return [item for item in found if item]


def cell_seed(base: str, values: Mapping[str, Any]) -> int:
    """The seed of a cell, by what it is and not by its place: from 0 to 2^31 - 1."""
    text = f"{base}/{digest_of(dict(values))}"
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "little") >> 1


def differences(mine: Any, theirs: Any, path: str = "") -> list[str]:
    """What differs between two identities, in words."""
    if isinstance(mine, Mapping) and isinstance(theirs, Mapping):
        found: list[str] = []
        for key in {**mine, **theirs}:
            found += differences(mine.get(key), theirs.get(key), f"{path}.{key}" if path else str(key))
        return found
    if mine == theirs:
        return []
    return [f"{path} is {_short(theirs)} there and {_short(mine)} here"]


def _short(value: Any) -> str:
    text = "not given" if value is None else repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
