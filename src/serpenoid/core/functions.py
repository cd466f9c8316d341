"""Functions of users: given as one in Python, named as "module:function" elsewhere; that runs the module's code, so the module must be allowed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from serpenoid.core.errors import InputError
from serpenoid.core.family import allowing, outside
from serpenoid.core.quantities import Quantity, Say, shown
from serpenoid.core.theirs import theirs


def function_named(name: str, allow: Sequence[str]) -> Callable[..., Any]:
    """The function that "module:function" names, of an allowed module."""

    def refuse(_path: str, what: str) -> None:
        raise InputError(what)

    if not all(name.partition(":")):
        raise InputError(f'a function is named as "module:function", got {shown(name)}')
    with allowing(list(allow)):
        found = outside(name, "", refuse)
    if not callable(found):
        raise InputError(f"{name} is not a function")
    return found  # type: ignore[no-any-return]


def keys_through(name: str, allow: Sequence[str]) -> Callable[[Mapping[str, Any]], dict[str, Any]]:
    """The function that "module:function" names, from {key: value} of axes or variables to the keys that change, its results checked."""
    module = name.partition(":")[0]
    function = function_named(name, (*allow, *((module,) if module.partition(".")[0] == "serpenoid" else ())))

    def changes(values: Mapping[str, Any]) -> dict[str, Any]:
        with theirs(name, function):
            made = function(dict(values))
        if not isinstance(made, Mapping) or not all(isinstance(key, str) for key in made):
            raise InputError(f"{name} must return a dict of keys and values, got {shown(made)}")
        return dict(made)

    return changes


@dataclass(frozen=True)
class FunctionField(Quantity):
    """A function; `of` are its arguments, for messages."""

    of: str = "(t)"

    @property
    def allowed(self) -> str:
        """What is allowed."""
        return f'a function {self.of}, or in a scenario its name as "module:function"'

    def take(self, value: Any, path: str, say: Say, before: Mapping[str, Any]) -> Any:
        """The function."""
        found = outside(value, path, say) if isinstance(value, str) and ":" in value else value
        if found is not None and not callable(found):
            say(path, f"must be {self.allowed}, got {shown(value)}")
            return None
        return found

    def plain(self, value: Any) -> Any:
        """Its name; that of a lambda or an inner function cannot be found again, and is refused on reading."""
        return f"{getattr(value, '__module__', '?')}:{getattr(value, '__qualname__', getattr(value, '__name__', '?'))}"

    def schema(self) -> dict[str, Any]:
        """A text with a colon."""
        return {"type": "string", "pattern": ":"}
