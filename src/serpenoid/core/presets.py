"""Descriptions that can be named: a preset of a family of functions, with changes, in the place of a table of numbers.

    servo = "mx64"                                                           # by its name
    [robot.servo]
    preset = "mx64"
    voltage = 14.8                                                           # an argument of the preset
    backlash = 0.0                                                           # a field of what it makes

A description says by PRESETS, a `Family` of functions that make one, that it can be named. What was read is the description itself: numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from inspect import Parameter, signature
from typing import Any

from serpenoid.core.declare import built, read_values
from serpenoid.core.quantities import Number, Say, shown


def named(value: Any) -> bool:
    """Whether a value names a preset."""
    return isinstance(value, str) or (isinstance(value, Mapping) and value.get("preset") is not None)


def made_by(of: Any, value: Any, path: str, say: Say) -> Any:
    """The description that a name, or a table with a preset and changes, stands for."""
    data = {"preset": value} if isinstance(value, str) else value
    make = of.PRESETS.find(data["preset"], path, say)
    if make is None:
        return None
    if not callable(make):
        say(f"{path}.preset", f"must be a function that builds a {of.__name__}, got {shown(make)}")
        return None
    failed: list[str] = []

    def said(where: str, what: str) -> None:
        failed.append(where)
        say(where, what)

    own, rest = own_of(make, of), {key: inner for key, inner in data.items() if key != "preset"}
    values = read_values(of, rest, path, said, frozenset(own))
    for name in own:
        if rest.get(name) is not None:
            values[name] = Number(above=0.0).take(rest[name], f"{path}.{name}", said, {})
    made = None if failed else built(make, values, path, say)
    if made is not None and not isinstance(made, of):
        say(f"{path}.preset", f"must be a function that builds a {of.__name__}, got one that gives {shown(made)}")
        return None
    return made


def own_of(make: Any, of: Any) -> list[str]:
    """The arguments of a preset that are no fields of what it makes."""
    known = of.__dataclass_fields__
    return [n for n, p in signature(make).parameters.items() if p.kind != Parameter.VAR_KEYWORD and n not in known]


def named_schema(of: Any, table: dict[str, Any]) -> dict[str, Any]:
    """Schema of a name, or of a table with or without a preset."""
    name = {"anyOf": [{"enum": list(of.PRESETS)}, {"type": "string", "pattern": ":"}], "description": of.PRESETS.name}
    own = {key: {"type": "number", "exclusiveMinimum": 0.0} for make in of.PRESETS.values() for key in own_of(make, of)}
    return {"anyOf": [{**table, "properties": {"preset": name, **own, **table["properties"]}}, name]}


def spell_out(table: Any, key: str, value: Any) -> None:
    """Put the numbers of a description (or a list of them) in the place of a preset's name at a key of a table."""
    given = table.get(key)
    if any(named(one) for one in (given if isinstance(given, list | tuple) else [given])):
        several = isinstance(value, tuple)
        plain = (
            [one if x is None else x.keys() for one, x in zip(given, value, strict=True)] if several else value.keys()
        )
        table[key] = plain
