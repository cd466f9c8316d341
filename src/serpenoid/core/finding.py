r"""A finding: something to beware of in a run, kept as a code and numbers; its sentence is made from them, here and in the page.

`TEXTS` holds one template per code; files of `judgement` declare more of them. A code stays as long as saved runs may name it. In a template stand

| | |
|---|---|
| `{time:.3g}` | a number, by Python's format |
| `{steps:d}` | a whole number |
| `{errors}` | shares by name as percentages, the greatest first |
| `{command:gait\|drive}` | one of some words, by its number |
| `[known?; the stops took {loss:.3g} J]` | words that are there where a number is not 0 |
"""

from __future__ import annotations

import math
import re
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
}
_PART = re.compile(r"\[(\w+)\?([^\]]*)\]")
_FIELD = re.compile(r"\{(\w+)(?::([^}]*))?\}")
_NAME = re.compile(r"\[(\w+)\?|\{(\w+)")

WHOLE = 10.0  # percent: from there on without decimals
Number = float | str | Mapping[str, float]


def shares(values: Mapping[str, float]) -> str:
    """Names with shares in percent, the greatest first: "net work 12%, heading 3.4%"."""
    rounded = {name.replace("_", " "): f"{100.0 * share:.2g}" for name, share in values.items()}
    names = sorted(rounded, key=lambda name: (-float(rounded[name]), name))
    return ", ".join(
        f"{name} {f'{float(rounded[name]):.0f}' if float(rounded[name]) >= WHOLE else rounded[name]}%" for name in names
    )


def text_of(code: str) -> str:
    """The template of a code."""
    if code not in TEXTS:
        from serpenoid.judgement import findings

        return str(findings.FINDINGS[code].text)
    return TEXTS[code]


def names_in(text: str) -> list[str]:
    """Names of the numbers that a template needs, in the order in which they stand there."""
    return list(dict.fromkeys(part or field for part, field in _NAME.findall(text)))


def is_whole(text: str, name: str) -> bool:
    """Whether a template shows a number as a whole one."""
    return f"{{{name}:d}}" in text


def said(text: str, numbers: Mapping[str, Number]) -> str:
    """The sentence of a template with numbers."""

    def shown(found: re.Match[str]) -> str:
        value, form = numbers[found[1]], found[2] or ""
        if isinstance(value, Mapping):
            return shares(value)
        if "|" in form:
            return form.split("|")[int(value)]
        whole = form == "d"
        return str(int(value)) if whole and math.isfinite(float(value)) else format(value, "g" if whole else form)

    return _FIELD.sub(shown, _PART.sub(lambda found: found[2] if numbers[found[1]] else "", text))


class Finding(str):
    """A sentence with the code and the numbers that it was made from."""

    __slots__ = ("code", "numbers")

    code: str
    numbers: Mapping[str, Number]

    def __new__(cls, code: str, **numbers: Number) -> Finding:
        """Make the sentence of a code from its numbers; shares by name become percentages, the greatest first."""
        made = super().__new__(cls, said(text_of(code), numbers))
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
