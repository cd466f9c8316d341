"""Writing files so that nothing is ever half-written: temporary name, sync, rename.

A process killed while writing leaves at most a hidden `.NAME.THREAD.PID.part`, never a broken NAME; `clear_parts` removes
such remains of processes that are gone.
"""

from __future__ import annotations

import contextlib
import csv
import io
import json
import math
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from serpenoid.core.errors import InputError, StorageError
from serpenoid.formats.opening import content, named, parsing, text_of

MOST_TABLE, MOST_NUMBERS = 32_000_000, 1_000_000  # bytes and numbers of a table


def clear_parts(target: Path) -> None:
    """Remove `.NAME.THREAD.PID.part` files whose process no longer runs."""
    for part in target.glob(".*.part"):
        pid = part.name.split(".")[-2]
        if pid.isdigit() and not _alive(int(pid)):
            with contextlib.suppress(OSError):
                part.unlink()


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def reached(step: str) -> None:
    """A step of writing is done (its name says which); tests end the process here, or let it fail."""


@contextlib.contextmanager
def replacing(path: str | Path) -> Iterator[Path]:
    """Hand out a temporary path beside `path`; on success sync it and put it in place, on failure remove it."""
    target = Path(path)
    part = target.with_name(f".{target.name}.{threading.get_ident()}.{os.getpid()}.part")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        yield part
        reached("file: written")
        with open(part, "rb") as handle:
            os.fsync(handle.fileno())
        reached("file: synced")
        os.replace(part, target)
        reached("file: renamed")
        directory = os.open(target.parent, os.O_RDONLY)
        try:
            os.fsync(directory)
        finally:
            os.close(directory)
        reached("file: in place")
    except OSError as error:
        raise StorageError(f"cannot write {target}: {error.strerror or error}") from error
    finally:
        with contextlib.suppress(OSError):
            part.unlink()


def write_bytes(path: str | Path, content: bytes) -> Path:
    """Write a file atomically."""
    with replacing(path) as part:
        part.write_bytes(content)
    return Path(path)


def write_text(path: str | Path, text: str) -> Path:
    """Write a text file atomically."""
    return write_bytes(path, text.encode("utf-8"))


def write_json(path: str | Path, value: Any) -> Path:
    """Write a JSON file atomically; NaN and infinity are refused."""
    return write_bytes(path, (json_text(value, indent=2) + "\n").encode())


def json_text(value: Any, indent: int | None = None) -> str:
    """JSON text with NumPy numbers and arrays turned into plain ones; NaN and infinity are refused."""
    return json.dumps(value, indent=indent, allow_nan=False, default=_plain)


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, Path):
        return str(value)
    raise TypeError(f"cannot write {type(value).__name__} as JSON")


def write_table(path: str | Path, header: list[str], rows: Any) -> Path:
    """Write a CSV table atomically, row by row as they come."""
    with replacing(path) as part, open(part, "w", encoding="utf-8", newline="") as handle:
        writer = csv.writer(handle, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)
    return Path(path)


def read_table(path: str | Path, within: str | Path | None = None) -> np.ndarray:
    """Read a CSV table of numbers, below a header line if there is one; where `within` is given, from that folder only."""
    text = text_of(path, "table", MOST_TABLE, within)
    count = text.count(",") + text.count("\n") + 1
    if count > MOST_NUMBERS:
        raise InputError(f"{named(path)}: about {count} numbers; a table may have {MOST_NUMBERS}")
    with parsing(path, "is no table: expected numbers with commas between"):
        rows = [row for row in csv.reader(io.StringIO(text)) if row]
    _refuse_semicolons(rows, path)
    first = 0 if rows and all(_is_number(x) for x in rows[0]) else 1
    for number, row in enumerate(rows[first:], first + 1):
        if len(row) != len(rows[first]) or not all(_is_number(x) for x in row):
            raise InputError(
                f"{named(path)}: expected a header line and then numbers in every row, {len(rows[first])} of them; row {number} differs"
            )
    if len(rows) <= first:
        raise InputError(f"{named(path)}: expected rows of numbers")
    return np.array([[float(x) for x in row] for row in rows[first:]])


def _refuse_semicolons(rows: list[list[str]], path: str | Path) -> None:
    """Refuse a table whose columns are parted by semicolons or tabs, saying so; its commas may be decimal ones."""
    for sign, name in ((";", "semicolons"), ("\t", "tabs")):
        if rows and all(sign in ",".join(row) for row in rows[:3]):
            commas = " and decimal commas" if sign == ";" and any(len(row) > 1 for row in rows[1:3]) else ""
            raise InputError(
                f"{named(path)}: its columns are parted by {name}{commas}; write commas between the columns and points in the numbers "
                "(in pandas: read_csv(file, sep=None, engine='python').to_csv(file, index=False))"
            )


def read_grey(path: str | Path, within: str | Path | None = None) -> np.ndarray:
    """Brightness of a PNG picture from 0 (black) to 1 (white), rows from below (along y)."""
    from PIL import Image

    found = content(path, "picture", MOST_TABLE, within)
    with parsing(path, "is no PNG picture"), Image.open(io.BytesIO(found), formats=["PNG"]) as picture:
        if picture.size[0] * picture.size[1] > MOST_NUMBERS:
            raise InputError(
                f"{named(path)}: {picture.size[0]} x {picture.size[1]} pixels; a picture may have {MOST_NUMBERS}"
            )
        return brightness(picture)[::-1]


def brightness(picture: Any) -> np.ndarray:
    """Brightness of an open picture, 0 (black) to 1 (white), the first row on top."""
    deep = picture.mode.startswith("I")  # 16 bits, which Pillow would cut off at 255
    pixels = np.asarray(picture if deep else picture.convert("RGB"), dtype=float)
    return np.asarray(pixels / 65535.0 if deep else pixels.mean(axis=2) / 255.0)


def _is_number(text: str) -> bool:
    """Whether a field is a finite number; 1_0 is none, though Python reads it as ten."""
    try:
        return "_" not in text and math.isfinite(float(text))
    except ValueError:
        return False


def read_samples(path: str | Path, within: str | Path | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Read a CSV table of samples: time and one column per joint, below a header line if there is one; (times, values)."""
    table = read_table(path, within)
    if table.shape[1] < 2:
        raise InputError(f"{named(path)}: expected a time and at least one joint in every row")
    return table[:, 0], table[:, 1:]
