"""The manifest of a result: what it consists of, with digests.

manifest.json: format, version, what was asked for, digest of the description, size and SHA-256 of each file, and a digest of all that.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from pathlib import Path
from typing import Any

from serpenoid.core.errors import InputError, StorageError
from serpenoid.formats.files import json_text
from serpenoid.formats.opening import named, parsing, text_of
from serpenoid.version import __version__

MANIFEST = "manifest.json"
FORMAT = 1
MOST_MANIFEST = 4_000_000  # bytes


def file_names(folder: Path) -> list[str]:
    """Files of a folder and below, by their paths in it."""
    found = []
    for inner, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if not re.fullmatch(r"\..*\.part", name)]
        found += [os.path.relpath(os.path.join(inner, name), folder) for name in files]
    return sorted(name for name in found if not re.fullmatch(r"\..*\.lock", name))


def digest_of(value: Any) -> str:
    """SHA-256 of plain data, the same whatever the order of its keys."""
    return hashlib.sha256(json.dumps(json.loads(json_text(value)), sort_keys=True).encode()).hexdigest()


def digest_of_file(path: Path) -> str:
    """SHA-256 of a file."""
    with open(path, "rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


def manifest_of(folder: Path, about: dict[str, Any], description: Any, without: tuple[str, ...] = ()) -> dict[str, Any]:
    """What the result in a folder consists of."""
    files = {
        name: {"bytes": (folder / name).stat().st_size, "sha256": digest_of_file(folder / name)}
        for name in file_names(folder)
        if name not in (MANIFEST, *without)
    }
    content = {
        "title": "serpenoid result", "format": FORMAT, "version": __version__, "about": about,
        "description": digest_of(about if description is None else description), "files": files,
    }  # fmt: skip
    return {**content, "digest": digest_of(content)}


def read_manifest(folder: Path) -> dict[str, Any]:
    """The manifest of a result, if it is whole."""
    path = folder / MANIFEST
    says = "is damaged or was changed since it was written"
    with parsing(path, says):
        found = json.loads(text_of(path, "manifest", MOST_MANIFEST))
        content = {key: value for key, value in found.items() if key != "digest"}
        good = found["digest"] == digest_of(content) and found["title"] == "serpenoid result"
        entries = found["files"].items()
        good = good and all(isinstance(e["bytes"], int) and isinstance(e["sha256"], str) for _, e in entries)
    if not good:
        raise InputError(f"{named(path)} {says}")
    return dict(found)


def listed_names(folder: Path) -> set[str]:
    """Names of the files that a result consists of; nothing where there is no manifest."""
    try:
        return {MANIFEST, *read_manifest(folder)["files"]}
    except (InputError, StorageError):
        return set()
