"""A journal: a file to which records are only ever appended, each framed by its length and digest, and synced.

    record = mark (4 bytes) | length of the text (4, little-endian) | BLAKE2b of the text (16) | text: one JSON object

What a killed process or a machine without power leaves behind is a torn tail: bytes after the last whole record, none of which is one. It is
left out on reading and cut off by the next writer. Bytes that are no record *before* a whole one are damage, and are never cut off in silence.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import struct
from pathlib import Path
from typing import Any, NamedTuple

from serpenoid.core.errors import StorageError
from serpenoid.formats import files
from serpenoid.formats.files import json_text, write_bytes
from serpenoid.formats.opening import content, named

MARK = b"\xa5SJ\n"
MOST_JOURNAL = 1 << 31  # bytes
MOST_RECORD = 1 << 26
_HEAD, _DIGEST = struct.Struct("<4sI"), 16
SMALLEST = _HEAD.size + _DIGEST


class Reading(NamedTuple):
    """What a journal holds: its records, where the last whole one ends, whether bytes after that are left, and places of damage before."""

    records: list[dict[str, Any]]
    end: int
    torn: bool
    damaged: list[int]


def framed(record: dict[str, Any]) -> bytes:
    """The bytes of a record."""
    text = json_text(record).encode()
    return _HEAD.pack(MARK, len(text)) + hashlib.blake2b(text, digest_size=_DIGEST).digest() + text


def read_journal(path: Path) -> Reading:
    """The records of a journal; one that is not there has none."""
    if not path.exists():
        return Reading([], 0, False, [])
    return parsed(content(path, "journal", MOST_JOURNAL))


def parsed(data: bytes) -> Reading:
    """The records in these bytes."""
    records: list[dict[str, Any]] = []
    damaged: list[int] = []
    place = end = 0
    while place < len(data):
        found = _record_at(data, place)
        if found is None:  # look for a whole record further on
            place = data.find(MARK, place + 1)
            if place < 0:
                break
            continue
        if place > end:
            damaged.append(end)
        record, end = found
        records.append(record)
        place = end
    return Reading(records, end, end < len(data), damaged)


def _record_at(data: bytes, place: int) -> tuple[dict[str, Any], int] | None:
    """The whole record that begins here and where it ends, if there is one."""
    if len(data) - place < SMALLEST:
        return None
    mark, length = _HEAD.unpack_from(data, place)
    begin = place + SMALLEST
    if mark != MARK or length > MOST_RECORD or begin + length > len(data):
        return None
    text = data[begin : begin + length]
    if hashlib.blake2b(text, digest_size=_DIGEST).digest() != data[place + _HEAD.size : begin]:
        return None
    try:
        record = json.loads(text)
    except ValueError:
        return None
    return (record, begin + length) if isinstance(record, dict) else None


class Journal:
    """A journal open for writing; whoever opens it holds the lock of what it tells about."""

    def __init__(self, path: Path) -> None:
        found = read_journal(path)
        if found.damaged:
            raise StorageError(
                f"{named(path)} is damaged at byte {found.damaged[0]}: serpenoid verify {named(path.parent)} --repair mends it"
            )
        self.path, self.records, self._end = path, found.records, found.end
        try:
            self._number = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o644)
            if found.torn:
                os.ftruncate(self._number, found.end)
                os.fsync(self._number)
        except OSError as error:
            raise StorageError(f"cannot write {named(path)}: {error.strerror}") from error

    def append(self, record: dict[str, Any]) -> None:
        """Add a record; it is on disk when this returns, or not there at all."""
        data = framed(record)
        try:
            files.reached("journal: before writing")
            written = 0
            while written < len(data):
                written += os.pwrite(self._number, data[written:], self._end + written)
            files.reached("journal: written")
            os.fsync(self._number)
        except OSError as error:
            with contextlib.suppress(OSError):
                os.ftruncate(self._number, self._end)
            raise StorageError(f"cannot write {named(self.path)}: {error.strerror}") from error
        self._end += len(data)
        self.records.append(record)
        files.reached("journal: synced")

    def close(self) -> None:
        """Close the file."""
        os.close(self._number)


def rewrite_journal(path: Path, records: list[dict[str, Any]]) -> None:
    """Replace a damaged journal by the records that are whole."""
    write_bytes(path, b"".join(framed(record) for record in records))
