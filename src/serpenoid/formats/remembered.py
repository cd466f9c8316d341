"""Modules that a user allowed for good: of which folder, and what was in them then. It is kept with the user, never in a folder.

| where | what |
|---|---|
| `$XDG_CONFIG_HOME/serpenoid/allowed.json`, else `~/.config/...` | {folder: {module: digest of its source and of what it imports there}} |

A folder that somebody else sends can allow nothing; a module that was changed since is not imported and asked for again by its name.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

from serpenoid.core.errors import StorageError
from serpenoid.formats.files import write_json
from serpenoid.formats.opening import named

Allowed = dict[str, dict[str, str]]


def place() -> Path:
    """The file of this user."""
    home = os.environ.get("XDG_CONFIG_HOME")
    return (Path(home) if home else Path.home() / ".config") / "serpenoid" / "allowed.json"


def remembered() -> Allowed:
    """The modules that the user allowed, by their folders; empty where there are none."""
    path = place()
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, RecursionError) as error:
        raise StorageError(f"{named(path)} cannot be read: {type(error).__name__}; mend or remove it") from None
    tables = found.items() if isinstance(found, dict) else ()
    return {folder: {str(m): str(d) for m, d in one.items()} for folder, one in tables if isinstance(one, dict)}


def remember(folder: Path, module: str, digest: str | None) -> None:
    """Keep the digest of a module of a folder; None: forget it."""
    all_of, key = remembered(), str(folder.resolve())
    modules = {name: kept for name, kept in all_of.pop(key, {}).items() if name != module}
    if digest is not None:
        modules[module] = digest
    place().parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    write_json(place(), {**all_of, **({key: modules} if modules else {})})
