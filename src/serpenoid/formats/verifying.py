"""Is a result whole? One verdict per file: the manifest against the folder, and trajectories against their own digests.

| verdict | meaning |
|---|---|
| ok | as it was written |
| damaged | its bytes are not those that were written |
| missing | the manifest names it, and it is not there |
| foreign | the manifest does not name it |
| unfinished | left by a process that was killed; nothing is wrong with other results |
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import NamedTuple

from serpenoid.core.errors import InputError, StorageError
from serpenoid.formats.manifest import MANIFEST, file_names, read_manifest
from serpenoid.formats.opening import checked_name, contained, named, opened
from serpenoid.formats.result import CHECKPOINT, parts_of_dead
from serpenoid.formats.store import is_store
from serpenoid.formats.store_check import check_store
from serpenoid.formats.trajectory import load
from serpenoid.version import __version__

BAD = ("damaged", "missing", "foreign")
DEEPEST, MOST_FOLDERS = 6, 100_000
_ANY = 1 << 50  # bytes


class Verdict(NamedTuple):
    """What is the matter with one thing."""

    path: str
    verdict: str
    text: str = ""


def verify(path: str | Path) -> list[Verdict]:
    """Verdicts of a result, of all results in a folder, or of one file."""
    place = Path(checked_name(path, "result"))
    if not os.path.lexists(place):
        raise InputError(f"no result {named(place)!r}: there is no such folder or file")
    if place.is_dir():
        found = [verdict for folder in _folders(place) for verdict in _in_folder(folder)]
        if not found:
            raise InputError(f"{named(place)} holds no result: no {MANIFEST} and no trajectory.nc in it or below")
        return found
    listed = _manifest_of(place.parent)
    if listed is not None and place.name in listed:
        return [_of_file(place.parent, place.name, listed[place.name])]
    if place.suffix == ".nc":
        return [_of_trajectory(place)]
    raise InputError(f"{named(place)} is neither a result folder, nor a file of one, nor a trajectory.nc")


def _folders(place: Path) -> list[Path]:
    """The folder and those below, not too deep."""
    found: list[Path] = []
    for inner, folders, _ in os.walk(place):
        depth = len(Path(inner).relative_to(place).parts)
        folders[:] = sorted(folders) if depth < DEEPEST else []
        found.append(Path(inner))
        if len(found) > MOST_FOLDERS:
            raise InputError(f"{named(place)} has more than {MOST_FOLDERS} folders; verify a part of it")
    return found


def _manifest_of(folder: Path) -> dict[str, dict[str, object]] | None:
    try:
        return dict(read_manifest(folder)["files"]) if os.path.lexists(folder / MANIFEST) else None
    except (InputError, StorageError):
        return None


def _in_folder(folder: Path) -> list[Verdict]:
    """Verdicts of what lies in one folder itself."""
    if folder.name.startswith(".") and folder.name.endswith(".part"):
        return []
    if is_store(folder):
        return [Verdict(str(folder / item.name), item.verdict, item.text) for item in check_store(folder)]
    found = [
        Verdict(
            str(part), "unfinished", f"serpenoid run --resume {folder / name}" if (part / CHECKPOINT).exists() else ""
        )
        for part, name in parts_of_dead(folder)
    ]
    if not os.path.lexists(folder / MANIFEST):
        return found + [_of_trajectory(file) for file in sorted(folder.glob("*.nc"))]
    try:
        listed = read_manifest(folder)["files"]
    except (InputError, StorageError) as error:
        return [*found, Verdict(str(folder / MANIFEST), "damaged", str(error))]
    found.append(Verdict(str(folder / MANIFEST), "ok", f"{len(listed)} files"))
    found += [_of_file(folder, name, listed[name]) for name in sorted(listed)]
    own = {MANIFEST, *listed}
    strange = [name for name in file_names(folder) if name not in own and not _other_result(folder, name)]
    return found + [Verdict(str(folder / name), "foreign", "the manifest does not name it") for name in strange]


def _other_result(folder: Path, name: str) -> bool:
    """Whether a file below belongs to a result of its own."""
    return any((folder / inner / MANIFEST).exists() for inner in Path(name).parents if str(inner) != ".")


def _of_file(folder: Path, name: str, entry: dict[str, object]) -> Verdict:
    """The verdict of a file that a manifest names."""
    path = folder / name
    try:
        real = contained(str(path), "file", folder)
        with opened(real, "file", _ANY) as handle:
            digest = hashlib.file_digest(handle, "sha256").hexdigest()
    except InputError:
        return Verdict(str(path), "missing" if not os.path.lexists(path) else "damaged", "not a file of the result")
    except StorageError as error:
        return Verdict(str(path), "damaged", str(error))
    if digest != entry["sha256"]:
        return Verdict(str(path), "damaged", "its digest differs from the manifest")
    return _of_trajectory(path) if path.suffix == ".nc" else Verdict(str(path), "ok")


def _of_trajectory(path: Path) -> Verdict:
    """The verdict of a trajectory by itself."""
    try:
        run = load(path)
    except (InputError, StorageError) as error:
        return Verdict(str(path), "damaged", str(error).removeprefix(f"{named(path)}: "))
    version = str(run.provenance.get("version"))
    other = "" if version == __version__ else f"; of serpenoid {version[:40]}: it can be read, not resumed"
    return Verdict(str(path), "ok", f"status {run.status.name}{other}")
