"""A field that holds a function: given as one in Python, named as "module:function" in a scenario whose module is allowed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from serpenoid.core.family import outside
from serpenoid.core.quantities import Quantity, Say, shown


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
