"""When is it the same sweep? The digest of everything that decides its numbers: a store never mixes two of them.

Description, design, metrics, the arithmetic, the versions of what computes, the meaning of our own source (its syntax, so that a comment
changes nothing), the files that values of an axis name, and the bytes of users' own modules, those that they import included.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import importlib.util
import platform
import sys
import sysconfig
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from serpenoid.core.errors import InputError
from serpenoid.formats.manifest import digest_of, digest_of_file
from serpenoid.formats.named_files import is_bundled_map, read_files
from serpenoid.formats.opening import named
from serpenoid.formats.scenario import robot_from
from serpenoid.sweeps.axes import Axis
from serpenoid.version import __version__

CHART, ROBOT = "plan.map", "robot.file"  # keys that name a map, a robot
_PACKAGE = Path(__file__).parents[1]
_ASIDE = ("bench", "cli", "envs", "optimise", "studies", "studio", "view")  # rooms that compute no cell
_loaded: dict[
    str, tuple[Any, str]
] = {}  # of users' modules in this process: how they were loaded, and their digest then


@functools.cache
def code_digest() -> str:
    """Digest of the meaning of all source files that compute a cell."""
    from serpenoid.compiled.cache import meaning_of, remember_meanings

    files = sorted(path for path in _PACKAGE.rglob("*.py") if path.relative_to(_PACKAGE).parts[0] not in _ASIDE)
    names = {str(path.relative_to(_PACKAGE)): meaning_of(path) for path in files}
    remember_meanings()
    return digest_of(names)


def _installed(name: str) -> str:
    """Version of a package that may not be there."""
    try:
        return version(name)
    except PackageNotFoundError:
        return "none"


def versions(arithmetic: str) -> dict[str, str]:
    """Versions of what computes a cell."""
    import numpy
    import scipy

    return {
        "serpenoid": __version__, "code": code_digest(), "arithmetic": arithmetic, "python": platform.python_version(),
        "numpy": numpy.__version__, "scipy": scipy.__version__, "numba": _installed("numba"), "llvmlite": _installed("llvmlite"),
    }  # fmt: skip


def named_in(key: str, value: Any) -> Iterator[tuple[str, str]]:
    """The files that the value of a key names, or a table within it, each with its own key."""
    if isinstance(value, Mapping):
        for inner, item in value.items():
            yield from named_in(f"{key}.{inner}", item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from named_in(key, item)
    elif isinstance(value, str) and (key.endswith(".file") or (key == CHART and not _is_chart(value))):
        yield key, value


def _is_chart(text: str) -> bool:
    """Whether the map of a plan is a map itself, or one of the package."""
    return "\n" in text or is_bundled_map(text)


def files_named(data: Mapping[str, Any], axes: Iterable[Axis], through: bool = False) -> dict[str, str]:
    """Digests of files whose contents are not in the description: the map of a plan, and what values of an axis name.

    Where axes go `through` a function, any text of theirs may be such a name.
    """
    listed = [(axis.key, value) for axis in axes for value in axis.listed]
    named_ones = [
        *named_in("plan", data.get("plan")),
        *(pair for key, value in listed for pair in named_in(key, value)),
    ]
    if through:
        named_ones += [("", value) for _, value in listed if isinstance(value, str) and Path(value).is_file()]
    found: dict[str, str] = {}
    for key, name in named_ones:
        with suppress(InputError):  # the cells report what is wrong with it
            if key == CHART:
                from serpenoid.planning import maps

                found[name] = digest_of(maps.read(name).text())
            elif key == ROBOT or (not key and Path(name).suffix.lower() in (".xml", ".mjcf")):
                found[name] = _digest_of_robot(name)
            elif Path(name).is_file():
                found[name] = digest_of_file(Path(name))
    return found


def _digest_of_robot(name: str) -> str:
    """Digest of a robot's file and of what is read from it: its meshes and other parts lie in files of their own."""
    table: dict[str, Any] = {"robot": {"file": name}}
    with suppress(InputError):
        read_files(table, robot_from)
    return digest_of([digest_of_file(Path(name)) if Path(name).is_file() else "", table["robot"]])


def sources(modules: Iterable[str]) -> dict[str, str]:
    """Digests of these modules and of those that they import, but of installed packages only those that are named."""
    found: dict[str, str] = {}
    todo = list(modules)
    asked, seen = set(todo), set(todo)
    homes = {name.partition(".")[0] for name in todo} - {_PACKAGE.name}
    while todo:
        name = todo.pop()
        file = _file_of(name, name in asked or name.partition(".")[0] in homes)
        if file is None:
            continue
        found[name] = _digest_as_loaded(name, file)
        for inner in (*_imported(file, name), name.rpartition(".")[0]):  # the package's own file runs too
            if inner and inner not in seen:
                seen.add(inner)
                todo.append(inner)
    return dict(sorted(found.items()))


def _digest_as_loaded(name: str, file: Path) -> str:
    """Digest of a module's file; refused where the file was changed after this process looked at the module that it runs."""
    digest, spec = digest_of_file(file), getattr(sys.modules.get(name), "__spec__", None)
    if spec is not None:
        known, before = _loaded.setdefault(name, (spec, digest))
        if known is not spec:  # loaded anew
            _loaded[name] = spec, digest
        elif before != digest:
            raise InputError(
                f"{named(file)} was changed since the module {name} was loaded: start Python anew, or importlib.reload it"
            )
    return digest


def _file_of(name: str, wanted: bool) -> Path | None:
    """File of a module that belongs to the user, neither of Python nor installed nor ours; or of any module that is `wanted`."""
    loaded = sys.modules.get(name)
    origin = getattr(loaded, "__file__", None)
    if origin is None:
        try:
            spec = importlib.util.find_spec(name)
        except (ImportError, ValueError, AttributeError):
            return None
        origin = spec.origin if spec is not None else None
    if origin is None or not Path(origin).is_file():
        return None
    file = Path(origin).resolve()
    homes = [Path(sysconfig.get_path(key)).resolve() for key in ("stdlib", "purelib", "platlib")]
    return file if wanted or not any(file.is_relative_to(home) for home in (*homes, _PACKAGE)) else None


def _imported(file: Path, name: str) -> list[str]:
    """Names of modules that a source file imports."""
    if file.suffix != ".py":
        return []
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
    table, _, name = path.partition(".")
    if table in ("modules", "files") and name:
        file = named(str(_file_of(name, True) or name)) if table == "modules" else named(name)
        return [
            f"{file} was changed since" if mine and theirs else f"{file} is used {'here' if mine else 'there'} alone"
        ]
    return [f"{path} is {_short(theirs)} there and {_short(mine)} here"]


def _short(value: Any) -> str:
    text = "not given" if value is None else repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
