"""The door of a public function: its arguments are checked by their declarations, and what is wrong is said in words.

    @door
    def find_path(area: Map, start: ArrayLike, *, step: float = 0.5) -> PlannedPath: ...

    @door(fps=Number(above=0.0))
    def film(run: Trajectory, path: str | Path, fps: float = 30) -> Path: ...

The annotation of an argument is its declaration; where it says too little, a quantity (`core.quantities`) is given by name. Wrong, missing
and unknown arguments raise `InputError` with the name, the value and what is allowed, as descriptions do. A class has its door before its
`__init__`; a method of a description that has one keeps it where a subclass writes the method anew (`inherit`).

| annotation | what is accepted |
|---|---|
| `float`, `int`, `bool`, `str` | a finite number, a whole number, true or false, a text |
| `str | Path` | the name of a file |
| `ArrayLike`, `FloatArray` | finite numbers: one, a list, an array |
| `Callable[...]` | a function |
| `list[...]`, `Sequence[...]`, `tuple[...]` | several of these |
| `Mapping[...]`, `dict[...]` | a table |
| the name of a class | an object of that class |
| `Any`, and whatever is not listed | anything: the function itself looks at it |
"""

from __future__ import annotations

import ast
import functools
import inspect
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar, overload

import numpy as np

from serpenoid.core.declare import line, taken
from serpenoid.core.errors import InputError
from serpenoid.core.quantities import Flag, Number, Quantity, Say, Text, Whole, shown
from serpenoid.core.theirs import told
from serpenoid.spelling import near

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True)
class FileName(Quantity):
    """The name of a file or folder."""

    @property
    def allowed(self) -> str:
        """What is allowed."""
        return "the name of a file"

    def take(self, value: Any, path: str, say: Say, before: Mapping[str, Any]) -> Any:
        """What came."""
        name = os.fspath(value) if isinstance(value, str | os.PathLike) else None
        if not isinstance(name, str) or not name or "\0" in name or not _has_bytes(name):
            say(path, f"must be {self.allowed}, got {shown(value)}")
            return None
        return value


def _has_bytes(name: str) -> bool:
    """Whether a text can be the name of a file here."""
    try:
        os.fsencode(name)
    except UnicodeEncodeError:
        return False
    return True


@dataclass(frozen=True)
class FiniteNumbers(Quantity):
    """Finite numbers: one, a list, an array; handed on as they came. `width`: of the last dimension, where that is fixed."""

    width: int | None = None
    dims: tuple[int, ...] = ()  # how many dimensions are allowed; none named: any
    empty: bool = False  # whether none at all are allowed
    infinite: bool = False  # whether infinity is: no bound

    @property
    def allowed(self) -> str:
        """What is allowed."""
        return ("numbers" if self.infinite else "finite numbers") + (
            f", {self.width} for a point (x, y)" if self.width is not None else ""
        )

    def take(self, value: Any, path: str, say: Say, before: Mapping[str, Any]) -> Any:
        """What came."""
        try:
            array = np.asarray(value)
            there = ~np.isnan(array) if self.infinite else np.isfinite(array)
            good = array.dtype.kind in "iuf" and bool(there.all()) and not np.ma.isMaskedArray(value)
            good = good and (not self.dims or array.ndim in self.dims)
            good = good and (self.empty or array.size > 0) and (self.width is None or array.shape[-1:] == (self.width,))
        except (TypeError, ValueError, OverflowError):
            good = False
        if not good:
            say(path, f"must be {self.allowed}, got {shown(value)}")
            return None
        return value


@dataclass(frozen=True)
class Of(Quantity):
    """An object of a class, by the name of that class."""

    name: str = ""

    @property
    def allowed(self) -> str:
        """What is allowed."""
        return f"{'an' if self.name[:1] in 'AEIOU' else 'a'} {self.name}"

    def take(self, value: Any, path: str, say: Say, before: Mapping[str, Any]) -> Any:
        """The object."""
        if self.name not in {cls.__name__ for cls in type(value).__mro__}:
            say(path, f"must be {self.allowed}, got {shown(value)}")
            return None
        return value


@dataclass(frozen=True)
class AFunction(Quantity):
    """Something that can be called."""

    @property
    def allowed(self) -> str:
        """What is allowed."""
        return "a function"

    def take(self, value: Any, path: str, say: Say, before: Mapping[str, Any]) -> Any:
        """The function."""
        if not callable(value):
            say(path, f"must be {self.allowed}, got {shown(value)}")
            return None
        return value


@dataclass(frozen=True)
class Several(Quantity):
    """A list or tuple, each element of one kind; so many of them where that is fixed."""

    item: Quantity | None = None
    count: int | None = None

    @property
    def allowed(self) -> str:
        """What is allowed."""
        number = f"a list of {self.count}" if self.count is not None else "a list"
        return number + (f", each {self.item.allowed}" if self.item is not None else "")

    def take(self, value: Any, path: str, say: Say, before: Mapping[str, Any]) -> Any:
        """What came; an array as a list."""
        value = value.tolist() if isinstance(value, np.ndarray) and value.ndim > 0 else value
        if not isinstance(value, list | tuple) or self.count not in (None, len(value)):
            say(path, f"must be {self.allowed}, got {shown(value)}")
            return None
        for k, element in enumerate(value):
            if self.item is not None:
                taken(self.item, element, f"{path}[{k}]", say, before)
        return value


@dataclass(frozen=True)
class Table(Quantity):
    """A dict, or another mapping; with these keys at least."""

    keys: tuple[str, ...] = ()

    @property
    def allowed(self) -> str:
        """What is allowed."""
        return "a table (a dict)" + (f" with {', '.join(self.keys)}" if self.keys else "")

    def take(self, value: Any, path: str, say: Say, before: Mapping[str, Any]) -> Any:
        """What came."""
        if not isinstance(value, Mapping) or not all(key in value for key in self.keys):
            say(path, f"must be {self.allowed}, got {shown(value)}")
            return None
        return value


class Iterables(Quantity):
    """Anything that can be gone through, once; it is not gone through here."""

    @property
    def allowed(self) -> str:
        """What is allowed."""
        return "a list or another iterable"

    def take(self, value: Any, path: str, say: Say, before: Mapping[str, Any]) -> Any:
        """What came."""
        try:
            iter(value)
        except TypeError:
            say(path, f"must be {self.allowed}, got {shown(value)}")
            return None
        return value


@dataclass(frozen=True)
class OneOf(Quantity):
    """One of several kinds of values."""

    kinds: tuple[Quantity, ...] = ()

    @property
    def allowed(self) -> str:
        """What is allowed."""
        return " or ".join(kind.allowed for kind in self.kinds)

    def take(self, value: Any, path: str, say: Say, before: Mapping[str, Any]) -> Any:
        """The value as the first kind that accepts it takes it."""
        for kind in self.kinds:
            wrong: list[str] = []
            found = taken(kind, value, path, lambda _, what, wrong=wrong: wrong.append(what), before)  # type: ignore[misc]
            if not wrong:
                return found
        say(path, f"must be {self.allowed}, got {shown(value)}")
        return None


_PLAIN: dict[str, Quantity] = {
    "float": Number(), "int": Whole(high=1e9), "bool": Flag(), "str": Text(most=100_000), "Path": FileName(), "FilePath": FileName(), "ArrayLike": FiniteNumbers(), "FloatArray": FiniteNumbers(),
    "Callable": AFunction(), "Progress": AFunction(), "Iterable": Iterables(), "Mapping": Table(), "dict": Table(),
}  # fmt: skip
_LISTS = ("list", "tuple", "Sequence")


def quantity_from(annotation: Any) -> Quantity | None:
    """The declaration that an annotation amounts to; None if it says nothing that can be checked."""
    if not isinstance(annotation, str):
        return None
    kinds = [kind for kind in _parts(ast.parse(annotation, mode="eval").body) if kind is not None]
    parts = _parts(ast.parse(annotation, mode="eval").body)
    optional = any(isinstance(kind, _Nothing) for kind in kinds)
    if len(kinds) < len(parts):  # one of its parts says nothing
        return None
    kinds = [kind for kind in kinds if not isinstance(kind, _Nothing)]
    if any(isinstance(kind, FileName) for kind in kinds):
        kinds = [kind for kind in kinds if not isinstance(kind, Text)]
    if not kinds:
        return None
    return replace(kinds[0] if len(kinds) == 1 else OneOf(kinds=tuple(kinds)), optional=optional)


class _Nothing(Quantity):
    """The None of an optional argument."""


def _parts(node: ast.expr) -> list[Quantity | None]:
    """Quantities of the alternatives of an annotation."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return [*_parts(node.left), *_parts(node.right)]
    if isinstance(node, ast.Constant) and node.value is None:
        return [_Nothing()]
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
        name = node.value.id
        if name in _LISTS:
            inner = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
            fixed = name == "tuple" and not any(isinstance(e, ast.Constant) and e.value is ... for e in inner)
            return [Several(item=quantity_from(ast.unparse(inner[0])), count=len(inner) if fixed else None)]
        return [_PLAIN.get(name)]
    if isinstance(node, ast.Attribute):
        return [Of(name=node.attr) if node.attr[:1].isupper() else None]
    if isinstance(node, ast.Name):
        return [
            _PLAIN.get(node.id)
            or (Of(name=node.id) if node.id[:1].isupper() and node.id not in ("Any", "T", "R") else None)
        ]
    return [None]


@overload
def door(function: F, /) -> F: ...
@overload
def door(function: None = None, /, **declared: Quantity) -> Callable[[F], F]: ...
def door(function: F | None = None, /, **declared: Quantity) -> F | Callable[[F], F]:
    """Check the arguments of a public function, or of a class, by its annotations, or by quantities given by name."""

    def made(inner: F) -> F:
        if isinstance(inner, type):
            inner.__init__ = _guarded(inner.__init__, declared, inner.__name__)  # type: ignore[misc]
            return inner
        return _guarded(inner, declared)

    return made if function is None else made(function)


def _guarded(inner: Any, declared: Mapping[str, Quantity], title: str = "") -> Any:
    """A function behind its door; errors begin with its name, or that of its class."""
    signature, called = inspect.signature(inner), inner.__name__
    name = title or (inner.__qualname__.split(".")[-2] if called == "__init__" else called)
    known = _declarations(signature, declared)

    @functools.wraps(inner)
    def guarded(*args: Any, **kwargs: Any) -> Any:
        try:
            bound = signature.bind(*args, **kwargs)
        except TypeError as error:
            raise InputError(_usage(name, signature, str(error), kwargs)) from None
        problems: list[str] = []
        for key, quantity in known.items():
            if key in bound.arguments:
                say: Say = lambda path, what: problems.append(line(path, what))  # noqa: E731
                bound.arguments[key] = taken(quantity, bound.arguments[key], key, say, {})
        if problems:
            raise InputError(f"{name}: " + "\n  ".join(problems[:8]))
        try:
            return inner(*bound.args, **bound.kwargs)
        except Exception as error:
            if (found := told(error)) is not None:
                raise found from error
            raise

    guarded.behind_door = known  # type: ignore[attr-defined]
    return guarded


def inherit(cls: type) -> None:
    """Put a door before the methods of a class that have one in a class that it is made from."""
    for name, own in list(vars(cls).items()):
        if not inspect.isfunction(own) or hasattr(own, "behind_door"):
            continue
        bases = (vars(base)[name] for base in cls.__mro__[1:] if name in vars(base))
        known = getattr(next(bases, None), "behind_door", None)
        if known is not None:
            here = inspect.signature(own).parameters
            setattr(cls, name, _guarded(own, {key: quantity for key, quantity in known.items() if key in here}))


def _declarations(signature: inspect.Signature, declared: Mapping[str, Quantity]) -> dict[str, Quantity]:
    """Quantity of every argument that has one; a default of None makes it optional."""
    known: dict[str, Quantity] = {}
    for name, parameter in signature.parameters.items():
        quantity = declared.get(name) or quantity_from(parameter.annotation)
        if quantity is None or parameter.kind is parameter.VAR_KEYWORD:
            continue
        if parameter.kind is parameter.VAR_POSITIONAL:
            quantity = Several(item=quantity)
        known[name] = replace(quantity, optional=True) if parameter.default is None else quantity
    return known


def _usage(name: str, signature: inspect.Signature, problem: str, given: Mapping[str, Any]) -> str:
    """What is wrong with the arguments of a call, and which there are."""
    names = [p for p in signature.parameters if p != "self"]
    unknown = next((key for key in given if key not in names), None)
    hint = near(unknown, names) if unknown is not None else ""
    return f"{name}: {problem}{hint}; it takes {', '.join(names)}"
