"""A finding: something to beware of in a run, kept as a code and numbers; its sentence is made from them, here and in the page.

`TEXTS` holds one template per code, in the form of `str.format`. A code stays there as long as saved runs may name it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from serpenoid.core.errors import InputError

TEXTS = {
    "unsolved-steps": "{count} of {steps} steps did not converge on the friction law and used its secant",
}


class Finding(str):
    """A sentence with the code and the numbers that it was made from."""

    __slots__ = ("code", "numbers")

    code: str
    numbers: Mapping[str, float | str]

    def __new__(cls, code: str, **numbers: float | str) -> Finding:
        """Make the sentence of a code from its numbers."""
        made = super().__new__(cls, TEXTS[code].format(**numbers))
        made.code, made.numbers = code, numbers
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        return finding_of, (self.keys(),)

    def keys(self) -> dict[str, Any]:
        """Code and numbers as what a file stores."""
        return {"code": self.code, "numbers": dict(self.numbers)}


def finding_of(stored: Any) -> str:
    """What `Finding.keys` stored, or a text as it is; an unknown code is refused."""
    if isinstance(stored, str):
        return stored
    try:
        return Finding(stored["code"], **stored["numbers"])
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        raise InputError(f"a finding of the file is unknown or damaged: {stored!r}"[:200]) from error
