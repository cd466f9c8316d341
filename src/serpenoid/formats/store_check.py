"""Is a store whole? One verdict per thing that is not, one for all that is; and mending what needs no computing.

Mending: the plan comes back from the first record of a journal, a journal loses the bytes between its records, a damaged piece is removed. What
then is missing is computed again by `sweeps.repair`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from serpenoid.core.errors import InputError, StorageError
from serpenoid.formats.files import json_text, write_bytes
from serpenoid.formats.journal import read_journal, rewrite_journal
from serpenoid.formats.manifest import digest_of_file
from serpenoid.formats.opening import content
from serpenoid.formats.store import (
    CHUNKS,
    MOST_CHUNK,
    PLAN,
    Contents,
    chunk_name,
    journals_of,
    number_of,
    read_contents,
    read_plan,
    unsealed,
)  # fmt: skip


class Found(NamedTuple):
    """A thing of a store, its verdict (as in `verifying`), and what is the matter."""

    name: str
    verdict: str
    text: str = ""


def check_store(folder: Path) -> list[Found]:
    """Verdicts of a store; the first is about its plan."""
    found = _of_plan_and_journals(folder)
    if any(item.verdict == "damaged" or item.verdict == "missing" for item in found):
        return found + _unrecorded(folder, set(), None)
    contents = read_contents(folder)
    bad = [item for number in sorted(contents.pieces) if (item := _of_piece(contents, number)) is not None]
    files = [item for name in sorted(contents.files) if (item := _of_file(contents, name)) is not None]
    strange = _unrecorded(folder, {*map(chunk_name, contents.pieces), *contents.files}, contents.plan["id"])
    done = sum(record["count"] for record in contents.pieces.values())
    cells = contents.plan["cells"]
    whole = Found(PLAN, "ok", f"{done} of {cells} cells in {len(contents.pieces)} chunks")
    if done < cells:
        whole = Found(PLAN, "unfinished", f"{done} of {cells} cells are there; the same sweep command goes on")
    return [whole, *found, *bad, *files, *strange]


def _of_plan_and_journals(folder: Path) -> list[Found]:
    """What is the matter with the plan and the journals."""
    found: list[Found] = []
    try:
        read_plan(folder)
    except (InputError, StorageError) as error:
        found.append(Found(PLAN, "damaged" if (folder / PLAN).exists() else "missing", str(error)))
    paths = journals_of(folder)
    if not paths:
        found.append(Found("journal.log", "missing", "no journal says which chunks there are"))
    for path in paths:
        read = read_journal(path)
        if read.damaged:
            found.append(Found(path.name, "damaged", f"at byte {read.damaged[0]}, before records that are whole"))
        elif read.torn:
            found.append(Found(path.name, "unfinished", "its last record was cut off; the next writer drops it"))
        if read.records and "plan" not in read.records[0]:
            found.append(Found(path.name, "damaged", "its first record is missing"))
    return found


def _of_piece(contents: Contents, number: int) -> Found | None:
    try:
        contents.chunk(number)
        return None
    except (InputError, StorageError) as error:
        there = (contents.folder / chunk_name(number)).exists()
        return Found(chunk_name(number), "damaged" if there else "missing", str(error))


def _of_file(contents: Contents, name: str) -> Found | None:
    path = contents.folder / name
    if not path.is_file():
        return Found(name, "missing", "the sweep command makes it again")
    if digest_of_file(path) != contents.files[name]["sha256"]:
        return Found(name, "damaged", "its digest differs from the journal")
    return None


def _unrecorded(folder: Path, recorded: set[str], store: str | None) -> list[Found]:
    """Files that no journal names."""
    found: list[Found] = []
    own = {PLAN, *(path.name for path in journals_of(folder))}
    for path in sorted([*folder.iterdir(), *(folder / CHUNKS).glob("*")]):
        name = str(path.relative_to(folder))
        if name in recorded or name in own or name == CHUNKS or path.name.endswith(".lock"):
            continue
        if path.name.startswith(".") and path.name.endswith(".part"):
            found.append(Found(name, "unfinished", "left by a process that was killed"))
        elif (number := number_of(path)) is not None:
            if store is None:
                continue
            whole = unsealed(store, chunk_name(number), content(path, "chunk", MOST_CHUNK)) is not None
            text = "whole, but not recorded: the next writer takes it over" if whole else "neither recorded nor whole"
            found.append(Found(name, "unfinished" if whole else "damaged", text))
        else:
            found.append(Found(name, "foreign", "the journal does not name it"))
    return found


def mend_store(folder: Path) -> list[Found]:
    """Mend the plan and the journals, remove damaged pieces; whoever calls holds the store's lock. What was mended, in words."""
    mended: list[Found] = []
    readings = {path: read_journal(path) for path in journals_of(folder)}
    plans = [record["plan"] for read in readings.values() for record in read.records if "plan" in record]
    try:
        plan: dict[str, Any] = read_plan(folder)
    except (InputError, StorageError):
        if not plans:
            raise StorageError(
                f"{folder}: {PLAN} is lost, and no journal holds it; the sweep must be computed anew"
            ) from None
        plan = plans[0]
        write_bytes(folder / PLAN, (json_text(plan, indent=1) + "\n").encode())
        read_plan(folder)
        mended.append(Found(PLAN, "repaired", "restored from the journal"))
    for path, read in readings.items():
        if read.damaged or (read.records and "plan" not in read.records[0]):
            rest = [record for record in read.records if "plan" not in record]
            rewrite_journal(path, [{"plan": plan}, *rest])
            mended.append(Found(path.name, "repaired", f"{len(read.records)} records that are whole were kept"))
    contents = read_contents(folder)
    for number in contents.pieces:
        if (item := _of_piece(contents, number)) is not None and item.verdict == "damaged":
            (folder / chunk_name(number)).unlink()
    return mended
