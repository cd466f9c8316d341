"""A scenario as TOML text: tables, numbers, texts, truth values, lists; what has no value is left out.

Python reads TOML and does not write it; scenarios need little of it. Numbers are written so that they come back to the last bit.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

from serpenoid.core.errors import InputError

_BARE = re.compile(r"[A-Za-z0-9_-]+")


def toml_text(data: Mapping[str, Any]) -> str:
    """The TOML text of nested tables."""
    return "\n".join(_lines(data, ())).strip() + "\n"


def _key(name: Any) -> str:
    text = str(name)
    return text if _BARE.fullmatch(text) else _quoted(text)


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _is_tables(value: Any) -> bool:
    return isinstance(value, list | tuple) and bool(value) and all(isinstance(one, Mapping) for one in value)


def _lines(data: Mapping[str, Any], path: tuple[str, ...]) -> Iterator[str]:
    given = {key: value for key, value in data.items() if value is not None}
    for key, value in given.items():
        if not isinstance(value, Mapping) and not _is_tables(value):
            yield f"{_key(key)} = {value_text(value, (*path, str(key)))}"
    for key, value in given.items():
        inner = (*path, str(key))
        name = ".".join(_key(part) for part in inner)
        if isinstance(value, Mapping):
            yield f"\n[{name}]"
            yield from _lines(value, inner)
        elif _is_tables(value):
            for one in value:
                yield f"\n[[{name}]]"
                yield from _lines(one, inner)


def value_text(value: Any, path: tuple[str, ...] = ()) -> str:
    """One value; refused where TOML has no such thing."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise InputError(f"{'.'.join(path)} is {value}, which a scenario does not allow")
        return repr(value)
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, list | tuple):
        return f"[{', '.join(value_text(one, path) for one in value if one is not None)}]"
    if isinstance(value, Mapping):
        inner = ", ".join(f"{_key(k)} = {value_text(v, (*path, str(k)))}" for k, v in value.items() if v is not None)
        return f"{{{inner}}}"
    raise InputError(f"{'.'.join(path)}: a {type(value).__name__} cannot stand in a scenario file")
