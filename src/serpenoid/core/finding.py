"""A finding: something to beware of in a run, kept as a code and numbers; its sentence is made from them, here and in the page.

`TEXTS` holds one template per code, in the form of `str.format`. A code stays there as long as saved runs may name it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from serpenoid.core.errors import InputError

TEXTS = {
    "not-converged": (
        "not converged at a step of {step:.3g} s: off by {errors} (estimated by second runs, the last at {other:.3g} s); "
        'try run.step = {enough:.1g}, or "auto"'
    ),
    "fails-at-another-step": "not converged: at a step of {other:.3g} s the same run fails; use a shorter step",
    "rough-numbers": (
        "rough: at a step of {step:.3g} s these numbers may be off: {errors} (estimated by second runs, the last at {other:.3g} s); "
        "run.step = {enough:.1g} makes them better"
    ),
    "unsolved-steps": "{count} of {steps} steps did not converge on the friction law and used its secant",
}


WHOLE = 10.0  # percent: from there on without decimals
Number = float | str | Mapping[str, float]


def shares(values: Mapping[str, float]) -> str:
    """Names with shares in percent, the greatest first: "net work 12%, heading 3.4%"."""
    said = {name.replace("_", " "): f"{100.0 * share:.2g}" for name, share in values.items()}
    names = sorted(said, key=lambda name: (-float(said[name]), name))
    return ", ".join(
        f"{name} {f'{float(said[name]):.0f}' if float(said[name]) >= WHOLE else said[name]}%" for name in names
    )


class Finding(str):
    """A sentence with the code and the numbers that it was made from."""

    __slots__ = ("code", "numbers")

    code: str
    numbers: Mapping[str, Number]

    def __new__(cls, code: str, **numbers: Number) -> Finding:
        """Make the sentence of a code from its numbers; shares by name become percentages, the greatest first."""
        said = {name: shares(value) if isinstance(value, Mapping) else value for name, value in numbers.items()}
        made = super().__new__(cls, TEXTS[code].format(**said))
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
