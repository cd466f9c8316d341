"""What is computed once, of objects that do not change: properties (`once`), and results of functions of such objects (`Same`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar, overload

T = TypeVar("T")


class once(Generic[T]):  # noqa: N801
    """A property computed when it is first asked for; without the lock of `functools.cached_property`, which all threads share."""

    def __init__(self, function: Callable[[Any], T]) -> None:
        self.function, self.__doc__ = function, function.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @overload
    def __get__(self, item: None, owner: type) -> once[T]: ...
    @overload
    def __get__(self, item: object, owner: type) -> T: ...
    def __get__(self, item: Any, owner: type) -> Any:
        if item is None:
            return self
        made = item.__dict__[self.name] = self.function(item)
        return made


class Same:
    """Objects as the key of a cache: equal where they are the very same objects."""

    __slots__ = ("items", "number")

    def __init__(self, *items: Any) -> None:
        self.items, self.number = items, hash(tuple(map(id, items)))

    def __hash__(self) -> int:
        return self.number

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same) and all(a is b for a, b in zip(self.items, other.items, strict=True))
