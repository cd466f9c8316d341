"""Families: the kinds of a gait, a law, a drive, an obstacle, a robot, each chosen in a scenario by one key.

    GAITS = Family("gait", tag="kind", home="serpenoid.gaits", base=CompiledGait)

    @GAITS.register
    @description
    class Rolling(WaveGait): ...

A family is a mapping from names to classes (or, for robots, to the functions that build them). Its kinds are registered when `home` is
imported, which happens when the family is first asked. A scenario may also name a kind of a user's own module, as
`kind = "my_module:MyGait"`; because that runs the module's code, it is refused unless the module was allowed by the caller:

    with allowing(("my_module",)): ...
"""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Iterator, Mapping
from contextvars import ContextVar
from dataclasses import fields
from inspect import signature
from typing import Any, TypeVar

from serpenoid.core.declare import Description, quantity_of, read
from serpenoid.core.errors import InputError
from serpenoid.core.quantities import Say, shown
from serpenoid.spelling import near

T = TypeVar("T")
_ALLOWED: ContextVar[tuple[str, ...]] = ContextVar("allowed_modules", default=())


@contextlib.contextmanager
def allowing(modules: tuple[str, ...] | list[str]) -> Iterator[None]:
    """Let scenarios name kinds of these modules."""
    token = _ALLOWED.set(tuple(modules))
    try:
        yield
    finally:
        _ALLOWED.reset(token)


def outside(name: str, path: str, say: Say) -> Any:
    """What "module:name" names, imported if the caller allowed the module; None if not."""
    module, _, inner = name.partition(":")
    if module not in _ALLOWED.get():
        say(path, f"{name!r} would run the code of the module {module}; allow it explicitly if you trust it (allow=({module!r},), --allow {module}; for good: serpenoid allow . {module})")  # fmt: skip
        return None
    try:
        found: Any = importlib.import_module(module)
        for part in inner.split("."):
            found = getattr(found, part)
    except Exception as error:  # the module's own code may raise anything
        say(path, f"{name!r} cannot be imported: {type(error).__name__}: {error}")
        return None
    return found


_FAMILIES: dict[str, Family] = {}


def family_named(name: str, home: str) -> Family:
    """The family of a name, as a copy of it is found again."""
    importlib.import_module(home)
    return _FAMILIES[name]


class Family(Mapping[str, Any]):
    """The kinds of one thing by their names."""

    def __init__(self, name: str, *, tag: str, home: str, base: type = Description) -> None:
        self.name, self.tag, self.home, self.base = name, tag, home, base
        self._kinds: dict[str, Any] = {}
        self._looked = False
        _FAMILIES[name] = self

    def __reduce__(self) -> tuple[Any, ...]:
        return family_named, (self.name, self.home)  # there is one of each

    def register(self, item: T) -> T:
        """Add a kind under its NAME (a function: under its own name); usable as a decorator."""
        name = str(getattr(item, "NAME", None) or getattr(item, "__name__", item))
        there = self._kinds.get(name)
        if there is not None and getattr(there, "__qualname__", there) != getattr(item, "__qualname__", item):
            raise InputError(f"there is already a {self.name} named {name!r}: {there}")
        self._kinds[name] = item
        if isinstance(item, type):
            item._registered = name  # type: ignore[attr-defined]
        return item

    def _known(self) -> dict[str, Any]:
        if not self._looked:
            self._looked = True
            importlib.import_module(self.home)
        return self._kinds

    def __getitem__(self, name: str) -> Any:
        return self._known()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._known())

    def __len__(self) -> int:
        return len(self._known())

    def __repr__(self) -> str:
        return f"<{self.name}s: {', '.join(self)}>"

    @property
    def allowed(self) -> str:
        """What is allowed, in words."""
        names = [getattr(kind, "__name__", name) for name, kind in self.items()]
        return f"a {self.name} ({', '.join(names)})" if names else f"a {self.name}"

    def find(self, name: Any, path: str, say: Say) -> Any:
        """The kind of that name, or None if there is none; one from outside is imported if its module is allowed."""
        if isinstance(name, str) and ":" in name:
            return outside(name, f"{path}.{self.tag}", say)
        if isinstance(name, str) and name in self:
            return self[name]
        say(
            f"{path}.{self.tag}" if path else self.tag,
            f"must be one of {', '.join(self)}, got {shown(name)}{near(name, list(self))}",
        )
        return None

    def read(self, data: Any, path: str, say: Say) -> Any:
        """An object of the kind that a table names."""
        if not isinstance(data, Mapping):
            say(path, f"must be a table with the key {self.tag}, got {shown(data)}")
            return None
        if self.tag not in data:
            say(f"{path}.{self.tag}", f"missing; one of {', '.join(self)}")
            return None
        cls = self.find(data[self.tag], path, say)
        if cls is None:
            return None
        if not (isinstance(cls, type) and hasattr(cls, "__dataclass_fields__")):
            say(f"{path}.{self.tag}", f"must be a description (a class made by @description), got {shown(cls)}")
            return None
        rest = {k: v for k, v in data.items() if k != self.tag}
        own = keys_of(cls)
        for key in [key for key in rest if key not in own]:
            others = [name for name, kind in self.items() if isinstance(kind, type) and key in keys_of(kind)]
            if others:
                say(
                    f"{path}.{key}",
                    f"the {self.name} {data[self.tag]} has no such key; it is one of {', '.join(others)}",
                )
                del rest[key]
        return read(cls, rest, path, say)

    def suited(self, table: Mapping[str, Any], name: Any) -> dict[str, Any]:
        """The keys of a table that the kind `name` has too; all of them if there is no such kind."""
        cls = self.get(name) if isinstance(name, str) else None
        if cls is not None and not isinstance(cls, type):  # a function that builds one: its own arguments
            return {key: value for key, value in table.items() if key in signature(cls).parameters or key == self.tag}
        if cls is None:
            return dict(table)
        own = frozenset() if getattr(cls, "BARE", False) else keys_of(cls)
        return {key: value for key, value in table.items() if key in own or key == self.tag}


def keys_of(cls: Any) -> frozenset[str]:
    """Keys of a kind in a table."""
    names: set[str] = set()
    for item in fields(cls):
        names |= {item.name, f"{item.name}_deg"} if quantity_of(item).angle else {item.name}
    return frozenset(names)
