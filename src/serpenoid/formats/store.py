"""A store: a folder of pieces that never change once written, a plan that says what they are pieces of, and journals that say which are there.

    STORE/sweep.json                the plan, with its digest
    STORE/chunks/0000017.chunk      a piece: its bytes, then their seal (SHA-256 of store, name and bytes)
    STORE/journal.log               which pieces there are, with their digests; its first record is the plan once more
    STORE/journal-3-of-8.log        the same of a shard
    STORE/.sweep.lock               held by the one writer alone, or by all shards together; each shard has a lock of its own besides

A piece is written to a temporary name, synced, renamed, its folder synced; then its record is appended to the journal and synced. Whatever
instant a process is killed at, a piece is recorded and whole, or it is not recorded. A piece that is whole but lacks its record (the process was
killed in between) is taken over by the next writer. A recorded piece that is missing or not as it was written is an error with its name.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from serpenoid.core.errors import InputError, StorageError
from serpenoid.formats import files
from serpenoid.formats.files import clear_parts, json_text, replacing, write_bytes
from serpenoid.formats.journal import Journal, read_journal
from serpenoid.formats.locks import lock_is_taken, take_lock
from serpenoid.formats.manifest import digest_of, digest_of_file
from serpenoid.formats.opening import checked_name, content, named, parsing, text_of
from serpenoid.formats.result import BusyError

PLAN, CHUNKS, LOCK = "sweep.json", "chunks", ".sweep.lock"
MOST_PLAN, MOST_CHUNK = 1 << 26, 1 << 30  # bytes
SEAL = 32  # bytes
_JOURNAL = re.compile(r"journal(?:-(\d+)-of-(\d+))?\.log")
_CHUNK = re.compile(r"(\d{7})\.chunk")
CHUNK_RECORD = {"chunk": int, "first": int, "count": int, "bytes": int, "sha256": str}
FILE_RECORD = {"file": str, "bytes": int, "sha256": str}

Shard = tuple[int, int]  # which, of how many; counted from 1


def is_store(path: Path) -> bool:
    """Whether a folder is a store, or what is left of one."""
    return path.is_dir() and (
        (path / PLAN).exists() or any(_JOURNAL.fullmatch(p.name) for p in path.glob("journal*.log"))
    )


def chunk_name(number: int) -> str:
    """Path of a piece in its store."""
    return f"{CHUNKS}/{number:07d}.chunk"


def number_of(path: Path) -> int | None:
    """Number of a piece by the name of its file; None if it is none."""
    found = _CHUNK.fullmatch(path.name)
    return int(found[1]) if found and path.parent.name == CHUNKS else None


def sealed(store: str, name: str, contents: bytes) -> bytes:
    """The bytes of a file of the store, with their seal."""
    return contents + hashlib.sha256(f"{store}/{name}\0".encode() + contents).digest()


def unsealed(store: str, name: str, data: bytes) -> bytes | None:
    """The bytes below the seal; None if they are not those that were written."""
    contents = data[:-SEAL]
    return contents if len(data) >= SEAL and data == sealed(store, name, contents) else None


# the plan


def read_plan(folder: Path) -> dict[str, Any]:
    """The plan of a store; one that is damaged or missing is refused."""
    if not (folder / PLAN).exists():
        if is_store(folder):
            raise StorageError(
                f"{named(folder)}: {PLAN} is missing; serpenoid verify {named(folder)} --repair restores it"
            )
        raise InputError(f"{named(folder)} is no store of a sweep: it has no {PLAN}; give the folder that --out named")
    says = f"is damaged or was changed since it was written; serpenoid verify {named(folder)} --repair restores it"
    with parsing(folder / PLAN, says, StorageError):
        found = json.loads(text_of(folder / PLAN, "plan", MOST_PLAN))
        content_of = {key: value for key, value in found.items() if key != "digest"}
        good = found["digest"] == digest_of(content_of) and found["title"] == "serpenoid sweep" and found["format"] == 1
        good = (
            good
            and isinstance(found["id"], str)
            and isinstance(found["chunk"], int)
            and isinstance(found["cells"], int)
        )
    if not good:
        raise StorageError(f"{named(folder / PLAN)} {says}")
    return dict(found)


def planned(plan: dict[str, Any]) -> dict[str, Any]:
    """A plan with its digest."""
    whole = {"title": "serpenoid sweep", "format": 1, **plan}
    return {**whole, "digest": digest_of(whole)}


# reading


@dataclass(frozen=True)
class Contents:
    """What the journals of a store say: its plan, the pieces there are, and other files of it; each with digest and size."""

    folder: Path
    plan: dict[str, Any]
    pieces: dict[int, dict[str, Any]]
    files: dict[str, dict[str, Any]]
    torn: list[str] = field(default_factory=list)  # journals with a torn tail

    def chunk(self, number: int) -> bytes:
        """The bytes of a piece, if they are those that were written; else an error that names its cells."""
        name = chunk_name(number)
        record = self.pieces[number]
        where = f"{named(self.folder / name)} (cells {record['first']} to {record['first'] + record['count'] - 1})"
        advice = f"serpenoid verify {named(self.folder)} --repair computes it again"
        if not (self.folder / name).exists():
            raise StorageError(f"{where} is missing; {advice}")
        data = content(self.folder / name, "chunk", MOST_CHUNK)
        found = unsealed(self.plan["id"], name, data)
        if found is None or hashlib.sha256(data).hexdigest() != record["sha256"]:
            raise StorageError(f"{where} is damaged; {advice}")
        return found


def journals_of(folder: Path) -> list[Path]:
    """All journals of a store."""
    return sorted(path for path in folder.glob("journal*.log") if _JOURNAL.fullmatch(path.name))


def read_contents(folder: Path) -> Contents:
    """What a store holds, by its journals."""
    plan = read_plan(folder)
    pieces: dict[int, dict[str, Any]] = {}
    files: dict[str, dict[str, Any]] = {}
    torn = []
    for path in journals_of(folder):
        found = read_journal(path)
        if found.damaged:
            raise StorageError(
                f"{named(path)} is damaged at byte {found.damaged[0]}; serpenoid verify {named(folder)} --repair mends it"
            )
        if found.torn:
            torn.append(path.name)
        says = f"holds records of another kind than a store's; serpenoid verify {named(folder)} --repair mends it"
        with parsing(path, says, StorageError):
            _gather(plan["id"], path, found.records, pieces, files)
    return Contents(folder, plan, pieces, files, torn)


def _gather(
    store: str, path: Path, records: list[dict[str, Any]], pieces: dict[int, dict[str, Any]], files: dict[str, dict[str, Any]]
) -> None:  # fmt: skip
    """Enter the records of a journal; the last word about a thing counts."""
    for record in records:
        if "plan" in record:
            if record["plan"].get("id") != store:
                raise StorageError(f"{named(path)} belongs to another sweep than {PLAN} beside it; move it away")
        elif "chunk" in record:
            _check_record(record, CHUNK_RECORD)
            pieces[record["chunk"]] = record
        elif "file" in record:
            _check_record(record, {"file": str} if record.get("gone") else FILE_RECORD)
            files[record["file"]] = record
    for name in [name for name, record in files.items() if record.get("gone")]:
        del files[name]


def _check_record(record: dict[str, Any], kinds: dict[str, type]) -> None:
    """Refuse a record whose values are of other types than those that `Writer` gives them; numbers count things."""
    for key, kind in kinds.items():
        value = record[key]
        if type(value) is not kind or (isinstance(value, int) and value < 0):
            raise TypeError(f"{key} is {value!r}"[:100])


# writing


class Writer:
    """The one who writes a store, or a shard of it."""

    def __init__(self, folder: Path, plan: dict[str, Any], journal: Journal) -> None:
        self.folder, self.plan, self.journal = folder, plan, journal
        self.contents = read_contents(folder)
        self._take_over()

    def _take_over(self) -> None:
        """Record pieces that are whole and lack their record; remove what is neither recorded nor whole."""
        for path in sorted((self.folder / CHUNKS).iterdir()):
            number = number_of(path)
            if number is None or number in self.contents.pieces or not self.mine(number):
                continue
            data = content(path, "chunk", MOST_CHUNK)
            if unsealed(self.plan["id"], chunk_name(number), data) is None:
                path.unlink()
            else:
                self._record(number, data)

    def mine(self, number: int) -> bool:
        """Whether a piece belongs to this writer's shard."""
        found = _JOURNAL.fullmatch(self.journal.path.name)
        if found is None or found[1] is None:
            return True
        return _of_shard(number, (int(found[1]), int(found[2])))

    def commit(self, number: int, contents: bytes) -> None:
        """Write a piece and its record; both are on disk when this returns."""
        name = chunk_name(number)
        data = sealed(self.plan["id"], name, contents)
        with replacing(self.folder / name) as part:
            files.reached("file: to be written")
            part.write_bytes(data)
        self._record(number, data)

    def _record(self, number: int, data: bytes) -> None:
        first = number * self.plan["chunk"]
        count = min(self.plan["chunk"], self.plan["cells"] - first)
        digest = hashlib.sha256(data).hexdigest()
        record = {"chunk": number, "first": first, "count": count, "bytes": len(data), "sha256": digest}
        if self.contents.pieces.get(number) != record:  # a piece that was computed again is as it was
            self.journal.append(record)
            self.contents.pieces[number] = record

    def keep(self, name: str) -> None:
        """Record a file of the store that is not a piece: a figure, the data set as one file."""
        path = self.folder / name
        record = {"file": name, "bytes": path.stat().st_size, "sha256": digest_of_file(path)}
        self.journal.append(record)
        self.contents.files[name] = record

    def forget(self, name: str) -> None:
        """Remove a file that is not a piece."""
        self.journal.append({"file": name, "gone": True})
        self.contents.files.pop(name, None)
        (self.folder / name).unlink(missing_ok=True)


@contextlib.contextmanager
def writing(folder: Path, plan: dict[str, Any], shard: Shard | None = None) -> Iterator[Writer]:
    """A store open for writing, made if there is none; refused while somebody else writes it, but for other shards of it."""
    checked_name(folder, "folder")
    with contextlib.ExitStack() as stack:
        try:
            _check_free(folder)
            (folder / CHUNKS).mkdir(parents=True, exist_ok=True)
            stack.enter_context(locked_store(folder, shard))
            if not (folder / PLAN).exists() and not journals_of(folder):
                write_bytes(folder / PLAN, (json_text(plan, indent=1) + "\n").encode())
            _clear_remains(folder, shard)
        except OSError as error:
            if isinstance(error, StorageError):
                raise
            raise StorageError(f"cannot write {named(folder)}: {error.strerror or error}") from error
        there = read_plan(folder)
        name = "journal.log" if shard is None else f"journal-{shard[0]}-of-{shard[1]}.log"
        journal = Journal(folder / name)
        stack.callback(journal.close)
        if not journal.records:
            journal.append({"plan": there})
        yield Writer(folder, there, journal)


def _clear_remains(folder: Path, shard: Shard | None) -> None:
    """Remove what killed writers left half written; a shard only its own, since others may be at work on other machines."""
    if shard is None:
        clear_parts(folder)
    for part in (folder / CHUNKS).glob(".*.part"):
        number = number_of(part.with_name(f"{part.name[1:].partition('.')[0]}.chunk"))
        if shard is None or (number is not None and _of_shard(number, shard)):
            part.unlink(missing_ok=True)


def _of_shard(number: int, shard: Shard) -> bool:
    """Whether a piece belongs to a shard."""
    return number % shard[1] == shard[0] - 1


def _check_free(folder: Path) -> None:
    """Refuse a folder that holds something else."""
    if folder.exists() and not folder.is_dir():
        raise StorageError(f"cannot write {named(folder)}: it is not a folder")
    if not folder.exists() or is_store(folder):
        return
    strange = [
        path.name for path in folder.iterdir() if path.name not in (CHUNKS, LOCK) and not path.name.startswith(".")
    ]
    if strange and not is_store(folder):  # unless another process has begun it meanwhile
        raise InputError(
            f"{named(folder)} holds what is not of a sweep, such as {named(strange[0])}; give another --out"
        )


@contextlib.contextmanager
def locked_store(folder: Path, shard: Shard | None = None) -> Iterator[None]:
    """The lock of the whole store, or those of a shard."""
    held: list[int] = []

    def take(name: str, shared: bool, text: str) -> None:
        number = take_lock(folder / name, shared)
        if number is None:
            raise BusyError(
                f"{named(folder)} is being written by another serpenoid{text}; wait for it, or give another --out"
            )
        held.append(number)

    try:
        take(LOCK, shard is not None, "")
        if shard is not None:
            which, count = shard
            take(f".shard-{which}-of-{count}.lock", False, f" that has shard {which}/{count}")
            for other in folder.glob(".shard-*-of-*.lock"):
                if not other.name.endswith(f"-of-{count}.lock") and lock_is_taken(other):
                    raise BusyError(
                        f"{named(folder)} is being written in another number of shards ({other.name.removesuffix('.lock')[1:]}); "
                        f"give all shards the same number"
                    )
        yield
    finally:
        for number in held:
            os.close(number)
