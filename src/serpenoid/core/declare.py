"""Descriptions: frozen objects whose fields are declared once, and everything that follows from a declaration.

    @description
    class Servo(Description):
        stiffness: float = declare(Number(low=0.0, unit="N m/rad", meaning="of the position loop"), default=60.0)

From it follow the check in Python (with a suggestion for a misspelt keyword), the keys of a scenario and back (`keys`, `read`: exact,
angles in radians; `name_deg` is accepted on reading), the JSON schema and the table of the documentation (`schema`). What
depends on several fields is checked in the method `check`. A field of another description is a `Part` or `Parts`, one of several
kinds of them is chosen by a key such as `kind` (see `family`).
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import MISSING, Field, dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar, dataclass_transform

import numpy as np

from serpenoid.core.copying import Fixed
from serpenoid.core.errors import InputError
from serpenoid.core.quantities import Anything, Quantity, Say, brief, shown
from serpenoid.spelling import near

if TYPE_CHECKING:
    from serpenoid.core.family import Family

T = TypeVar("T")
_KEY = "quantity"


def declare(quantity: Quantity, *, default: Any = MISSING, default_factory: Any = MISSING) -> Any:
    """A field of a description; a default of None makes it optional."""
    if default is None:
        quantity = replace(quantity, optional=True)
    metadata = {_KEY: quantity}
    if default_factory is not MISSING:
        return field(default_factory=default_factory, metadata=metadata)
    return field(metadata=metadata) if default is MISSING else field(default=default, metadata=metadata)


def quantity_of(item: Field[Any]) -> Quantity:
    """Declaration of a field."""
    found = item.metadata.get(_KEY)
    return found if isinstance(found, Quantity) else Anything(optional=True)


def required(item: Field[Any]) -> bool:
    """Whether a field has no default."""
    return item.default is MISSING and item.default_factory is MISSING


@dataclass_transform(frozen_default=True, field_specifiers=(declare,))
def description(cls: type[T] | None = None, *, eq: bool = True) -> Any:
    """Make a class a frozen description; `eq=False` compares by identity."""

    def made(given: type[T]) -> type[T]:
        done = dataclass(frozen=True, repr=False, eq=eq)(given)
        _guard_keywords(done)
        return done

    return made if cls is None else made(cls)


def _guard_keywords(cls: Any) -> None:
    """Refuse unknown, missing and superfluous arguments in words."""
    plain_init, names = cls.__init__, [f.name for f in fields(cls) if f.init]
    needed = [f.name for f in fields(cls) if f.init and required(f)]

    @functools.wraps(plain_init)
    def guarded(self: Any, *args: Any, **kwargs: Any) -> None:
        for key in kwargs:
            if key not in names:
                raise InputError(f"{cls.__name__} has no {key!r}{_keyword_hint(key, names, kwargs[key])}")
        given = [*names[: len(args)], *kwargs]
        if len(args) > len(names) or len(given) > len(set(given)):
            raise InputError(f"{cls.__name__} takes {', '.join(names)}, each once; got {len(args)} values and {', '.join(kwargs) or 'no keywords'}")  # fmt: skip
        missing = [name for name in needed if name not in given]
        if missing:
            raise InputError(f"{cls.__name__} needs {', '.join(missing)}")
        plain_init(self, *args, **kwargs)

    cls.__init__ = guarded


def _keyword_hint(key: str, names: list[str], value: Any) -> str:
    """What to write instead of an unknown keyword."""
    bare = key.removesuffix("_deg")
    if bare != key and bare in names:
        return f"; angles are in radians in Python: {bare}=np.radians({shown(value)})"
    return near(key, names) or f"; it has {', '.join(names)}"


class Description(Fixed):
    """What all descriptions share."""

    TAG: ClassVar[str] = ""  # key that names the kind, where there are several

    def __init_subclass__(cls, **more: Any) -> None:
        from serpenoid.core.door import inherit

        super().__init_subclass__(**more)
        inherit(cls)

    def __post_init__(self) -> None:
        problems: list[str] = []
        values: dict[str, Any] = {}
        for item in fields(self):  # type: ignore[arg-type]
            quantity, value = quantity_of(item), getattr(self, item.name)
            say: Say = lambda path, what: problems.append(line(path, what))  # noqa: E731
            values[item.name] = taken(quantity, value, item.name, say, values)
            object.__setattr__(self, item.name, values[item.name])
        if problems:
            raise InputError(f"{type(self).__name__}: " + "\n  ".join(problems))
        self.check()

    def check(self) -> None:
        """Refuse what does not fit together, with an InputError; fill in what follows from other fields."""

    def keys(self) -> dict[str, Any]:
        """The keys of a scenario that say the same: plain numbers, texts, lists and tables, exact to the last bit."""
        result: dict[str, Any] = {self.TAG: kind_of(type(self))} if self.TAG else {}
        for item in fields(self):  # type: ignore[arg-type]
            value = getattr(self, item.name)
            if value is not None:
                result[item.name] = quantity_of(item).plain(value)
        return result

    def but(self, **changes: Any) -> Self:
        """The same with some fields changed."""
        names = [f.name for f in fields(self)]  # type: ignore[arg-type]
        for key in changes:
            if key not in names:
                raise InputError(f"{type(self).__name__} has no {key!r}{_keyword_hint(key, names, changes[key])}")
        return replace(self, **changes)  # type: ignore[type-var]

    def __repr__(self) -> str:
        parts = []
        for item in fields(self):  # type: ignore[arg-type]
            value = getattr(self, item.name)
            default = item.default_factory() if item.default_factory is not MISSING else item.default
            if default is MISSING or not _same(value, default):
                parts.append(f"{item.name}={_short(value)}")
        return f"{type(self).__name__}({', '.join(parts)})"


def _same(value: Any, default: Any) -> bool:
    """Whether a value is the default."""
    if isinstance(value, np.ndarray):
        return isinstance(default, int | float) and bool(np.all(value == default))
    return type(value) is type(default) and bool(value == default)


def _short(value: Any) -> str:
    """A value in a repr: short."""
    if isinstance(value, float):
        return brief(value)
    if isinstance(value, np.ndarray):
        if value.size and np.all(value == value.flat[0]):
            return brief(float(value.flat[0]))
        return f"<{' x '.join(str(n) for n in value.shape)} numbers>"
    if isinstance(value, tuple):
        inner = ", ".join(_short(x) for x in value[:4]) + (", ..." if len(value) > 4 else "")
        return f"({inner}{',' if len(value) == 1 else ''})"
    return repr(value)


def kind_of(cls: type) -> str:
    """Name of a kind in scenarios: the registered one, or "module:Class" for one from outside."""
    name = cls.__dict__.get("_registered")
    return name if isinstance(name, str) else f"{cls.__module__}:{cls.__qualname__}"


def line(path: str, what: str) -> str:
    """One line of an error message."""
    return f"{path} {what}" if what.startswith(("must", "has", "needs")) else f"{path}: {what}"


def taken(quantity: Quantity, value: Any, path: str, say: Say, before: Mapping[str, Any]) -> Any:
    """A value checked by its declaration; None passes where the field is optional."""
    if value is None:
        if not quantity.optional:
            say(path, f"must be {quantity.allowed}, got None")
        return None
    return quantity.take(value, path, say, before)


def read_values(
    cls: Any, data: Mapping[str, Any], path: str, say: Say, ignored: frozenset[str] = frozenset(), before: Mapping[str, Any] | None = None
) -> dict[str, Any]:  # fmt: skip
    """The checked values of the keys that a table of a description gives; unknown keys are reported."""
    items = {f.name: f for f in fields(cls)}
    angles = {f"{name}_deg": name for name, f in items.items() if quantity_of(f).angle}
    for key in data:
        if key not in items and key not in angles and key not in ignored:
            known = [*items, *angles]
            say(_join(path, key), f"unknown key{near(key, known) or '; allowed are ' + ', '.join(items)}")
    values: dict[str, Any] = {}
    for name, item in items.items():
        quantity, degrees, known_before = quantity_of(item), f"{name}_deg", {**(before or {}), **values}
        if degrees in angles and degrees in data:
            if name in data:
                say(_join(path, degrees), f"given twice, as {name} too")
            values[name] = quantity.take_degrees(data[degrees], _join(path, degrees), say, known_before)
        elif name in data:
            values[name] = taken(quantity, data[name], _join(path, name), say, known_before)
    return values


def read(cls: Any, data: Any, path: str, say: Say, *, ignored: frozenset[str] = frozenset()) -> Any:
    """A description from the plain data of its table; says all that is wrong with it, and is then None."""
    if not isinstance(data, Mapping):
        say(path, f"must be a table of keys, got {shown(data)}")
        return None
    failed: list[str] = []

    def said(where: str, what: str) -> None:
        failed.append(where)
        say(where, what)

    values = read_values(cls, data, path, said, ignored)
    for item in fields(cls):
        if required(item) and item.name not in values:
            said(
                _join(path, item.name),
                "missing" + (f" ({quantity_of(item).meaning})" if quantity_of(item).meaning else ""),
            )
    return None if failed else built(cls, values, path, say)


def built(make: Any, values: Mapping[str, Any], path: str, say: Say) -> Any:
    """The object made of checked values; says what does not fit together."""
    try:
        return make(**values)
    except InputError as error:
        text = str(error)
        say(path, text.partition(": ")[2] if text.split(":")[0].isidentifier() and ": " in text else text)
        return None


def _join(path: str, key: str) -> str:
    """Path of a key in a table."""
    return f"{path}.{key}" if path else str(key)


@dataclass(frozen=True)
class Part(Quantity):
    """Another description: of one class, or one kind of a family; given as an object or as a table of its keys."""

    of: type | Family = Description

    @property
    def allowed(self) -> str:
        """What is allowed."""
        return f"a {self.of.__name__}" if isinstance(self.of, type) else self.of.allowed

    def take(self, value: Any, path: str, say: Say, before: Mapping[str, Any]) -> Any:
        """The description."""
        if getattr(self.of, "PRESETS", None) is not None:
            from serpenoid.core.presets import made_by, named

            if named(value):
                return made_by(self.of, value, path, say)
        if isinstance(value, Mapping):
            return read(self.of, value, path, say) if isinstance(self.of, type) else self.of.read(value, path, say)
        if isinstance(value, self.of if isinstance(self.of, type) else self.of.base):
            return value
        say(path, f"must be {self.allowed}, got {shown(value)}")
        return None

    def plain(self, value: Any) -> Any:
        """Its keys."""
        return value.keys()

    def schema(self) -> dict[str, Any]:
        """The schema of its table."""
        from serpenoid.core.schema import schema_of

        if getattr(self.of, "PRESETS", None) is not None:
            from serpenoid.core.presets import named_schema

            return named_schema(self.of, schema_of(self.of))
        return schema_of(self.of)


@dataclass(frozen=True)
class Parts(Quantity):
    """Several descriptions, kept as a tuple."""

    of: type | Family = Description

    @property
    def allowed(self) -> str:
        """What is allowed."""
        return f"a list, each {Part(of=self.of).allowed}"

    def take(self, value: Any, path: str, say: Say, before: Mapping[str, Any]) -> Any:
        """A tuple of descriptions."""
        if not isinstance(value, list | tuple):
            say(path, f"must be {self.allowed}, got {shown(value)}")
            return None
        item = Part(of=self.of)
        return tuple(item.take(x, f"{path}[{k}]", say, before) for k, x in enumerate(value))

    def plain(self, value: Any) -> Any:
        """A list of their keys."""
        return [x.keys() for x in value]

    def schema(self) -> dict[str, Any]:
        """A list of tables."""
        return {"type": "array", "items": Part(of=self.of).schema()}
