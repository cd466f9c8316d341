"""The form of what a kernel is given: what decides how it is compiled, as a short text; and how it is handed over, as a row of words.

| value | form | words |
|---|---|---|
| number | `f8`, `i8`, `b1` | the number, 0, 0, 0 |
| array | `f8[2]`: kind of numbers and dimensions | address, up to three sizes |
| array that does not lie in one piece | `f8[2:]` | likewise, then 0 and its strides in bytes |
| named tuple | `module.Class(form form ...)` | those of its fields |
| tuple | `(form form ...)` | those of its parts |

Sizes, contents and whether an array may be written to are no part of a form.
"""

from __future__ import annotations

import functools
import importlib
import re
from typing import Any, NamedTuple

import numpy as np

WIDTH = 4  # words per array or number
_NUMBERS: dict[type, str] = {float: "f8", int: "i8", bool: "b1", np.float64: "f8", np.int64: "i8", np.bool_: "b1"}


class UnknownFormError(TypeError):
    """A value that has no form: only Numba's own dispatcher may know it."""


def form_of(value: Any) -> str:
    """The form of a value."""
    known = _NUMBERS.get(type(value))
    if known is not None:
        return known
    if isinstance(value, np.ndarray):
        return array_form(value.dtype.str, value.ndim, value.flags.c_contiguous)
    if isinstance(value, tuple):
        parts = " ".join([form_of(item) for item in value])
        return f"{class_name(type(value))}({parts})"
    raise UnknownFormError(f"{type(value).__name__} has no form")


@functools.cache
def array_form(kind: str, dimensions: int, in_rows: bool) -> str:
    """The form of an array."""
    if kind[1:] not in ("f8", "i8", "b1", "u1", "u4", "i4", "f4") or dimensions > WIDTH - 1:
        raise UnknownFormError(f"an array of {kind} with {dimensions} dimensions has no form")
    return f"{kind[1:]}[{dimensions}{'' if in_rows else ':'}]"


@functools.cache
def class_name(kind: type) -> str:
    """Where the class of a named tuple is; empty for a tuple."""
    return f"{kind.__module__}.{kind.__qualname__}" if hasattr(kind, "_fields") else ""


def words_of(value: Any) -> list[float]:
    """The words of a value, in the order of its form."""
    if isinstance(value, np.ndarray):
        room = (0.0,) * (WIDTH - 1 - value.ndim)
        place = value.__array_interface__["data"][0]
        if value.flags.c_contiguous:
            return [place, *value.shape, *room]
        return [place, *value.shape, *room, 0.0, *value.strides, *room]
    if isinstance(value, tuple):
        return [word for item in value for word in words_of(item)]
    return [value, 0.0, 0.0, 0.0]


class FormTree(NamedTuple):
    """A form taken apart: a number ("f8", no parts), an array, or a tuple (its class and parts)."""

    kind: str  # of numbers; "" of a tuple
    dimensions: int  # -1: a number
    in_rows: bool
    group: type | None  # class of a named tuple
    parts: tuple[FormTree, ...]


def parsed(text: str) -> tuple[FormTree, ...]:
    """The forms of a text, one after the other."""
    found, at = _parsed(text, 0)
    if at != len(text):
        raise ValueError(f"not a list of forms: {text!r}")
    return found


_WORD = re.compile(r"([a-z]\d)(?:\[(\d)(:?)\])?|([\w.]*)\(")


def _parsed(text: str, at: int) -> tuple[tuple[FormTree, ...], int]:
    found: list[FormTree] = []
    while at < len(text) and text[at] != ")":
        if text[at] == " ":
            at += 1
            continue
        word = _WORD.match(text, at)
        if word is None:
            raise ValueError(f"not a form: {text[at : at + 40]!r}")
        kind, dimensions, loose, group = word.groups()
        at = word.end()
        if kind:
            found.append(FormTree(kind, int(dimensions or -1) if dimensions else -1, not loose, None, ()))
            continue
        parts, at = _parsed(text, at)
        found.append(FormTree("", -1, True, _class_named(group), parts))
        at += 1
    return tuple(found), at


def _class_named(name: str) -> type | None:
    if not name:
        return None
    module, _, own = name.rpartition(".")
    found: type = getattr(importlib.import_module(module), own)
    return found


def words_in(forms: tuple[FormTree, ...]) -> int:
    """How many words forms have."""
    return sum((WIDTH if form.in_rows else 2 * WIDTH) if form.kind else words_in(form.parts) for form in forms)


class Leaf(NamedTuple):
    """An array or a number of a group: its name, place in the table, dimensions (0: a number) and kind of numbers."""

    name: str
    slot: int
    ndim: int
    kind: str  # "f" or "i"


def leaves(groups: dict[str, Any]) -> list[Leaf]:
    """All arrays and numbers of the groups, in order."""
    found: list[Leaf] = []

    def look(name: str, value: Any) -> None:
        if isinstance(value, tuple):
            for key, item in zip(value._fields, value, strict=True):  # type: ignore[attr-defined]
                look(f"{name}.{key}", item)
        elif isinstance(value, np.ndarray):
            found.append(Leaf(name, WIDTH * len(found), value.ndim, value.dtype.kind))
        else:
            found.append(Leaf(name, WIDTH * len(found), 0, "f"))

    for name, value in groups.items():
        look(name, value)
    return found
