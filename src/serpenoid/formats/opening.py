"""The one door through which files come in: regular files of bounded size, from where they may lie; text within budgets.

Whoever wrote a file may mean harm or have been cut off. So a file is opened without waiting (a named pipe or a device would block or
never end) and looked at before anything is read; its size, and for TOML the number and depth of its keys, are compared with budgets before
it is parsed, for parsing may take a thousand times the memory of the text. What it holds is read inside `parsing`: whatever a parser raises
there, of whatever library, is an error of the file. Messages name the file, never what it holds.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedReader
from pathlib import Path

from serpenoid.core.errors import InputError, SerpenoidError, StorageError

LONGEST_NAME = 4096  # characters of a path
SHOWN_NAME = 200  # of them in a message
MOST_PARTS = 100_000  # of all keys of a TOML text
DEEPEST_KEY, DEEPEST_NEST = 16, 32
_OPEN = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY
# strings and comments of TOML; what is not closed ends with the line or the text, so that one pass is enough
_TEXTS = re.compile(
    r'"""(?:[^"\\]|\\.|"(?!""))*+(?:"{3,5}|\Z)|' r"'''(?:[^']|'(?!''))*+(?:'{3,5}|\Z)|"
    r'"(?:[^"\\\n]|\\[^\n])*+(?:"|\\?(?=\n)|\\?\Z)|' r"'[^'\n]*+(?:'|(?=\n)|\Z)|#[^\n]*+",
    re.DOTALL,
)  # fmt: skip
_FRACTIONS = re.compile(r"\d\.\d")
_KINDS = ((stat.S_ISDIR, "a folder"), (stat.S_ISFIFO, "a named pipe"), (stat.S_ISSOCK, "a socket"), (stat.S_ISCHR, "a device"), (stat.S_ISBLK, "a device"))  # fmt: skip


def named(path: str | Path) -> str:
    """A path in a message: short, and visible."""
    text = str(path)
    text = text if len(text) <= SHOWN_NAME else f"{text[:SHOWN_NAME]}..."
    return text if text.isprintable() else ascii(text)


def size_text(count: int | float) -> str:
    """A number of bytes in words."""
    for unit, size in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= size:
            return f"{count / size:.3g} {unit}"
    return f"{int(count)} bytes"


def checked_name(path: str | Path, what: str) -> str:
    """The path, if it can be one of a file on this machine."""
    text = str(path)
    if not text or "\0" in text or len(text) > LONGEST_NAME:
        raise InputError(f"no {what} {named(text)!r}: a path has 1 to {LONGEST_NAME} characters, none of them zero")
    if re.match(r"[A-Za-z][A-Za-z0-9+.-]+://", text):
        raise InputError(f"no {what} {named(text)}: addresses are not opened; give a file on this machine")
    return text


@contextmanager
def opened(path: str | Path, what: str, most: int, within: str | Path | None = None) -> Iterator[BufferedReader]:
    """A regular file open for reading, not larger than `most` bytes, and inside the folder `within` where one is given."""
    text = checked_name(path, what)
    if within is not None:
        text = contained(text, what, within)
    try:
        number = os.open(text, _OPEN)
    except (FileNotFoundError, NotADirectoryError) as error:
        raise InputError(f"no {what} {named(path)!r}: there is no such file") from error
    except (OSError, ValueError) as error:
        raise StorageError(f"cannot read {named(path)}: {getattr(error, 'strerror', error)}") from error
    try:
        found = os.fstat(number)
        if not stat.S_ISREG(found.st_mode):
            kind = next((name for test, name in _KINDS if test(found.st_mode)), "something else")
            raise InputError(f"{named(path)} is {kind}; {_article(what)} must be a regular file")
        if found.st_size > most:
            raise InputError(
                f"{named(path)} has {size_text(found.st_size)}; {_article(what)} may have {size_text(most)}"
            )
        with os.fdopen(number, "rb", closefd=False) as handle:
            yield handle
    finally:
        os.close(number)


def _article(what: str) -> str:
    return f"{'an' if what[0] in 'aeiou' else 'a'} {what}"


def content(path: str | Path, what: str, most: int, within: str | Path | None = None) -> bytes:
    """The bytes of a regular file, at most `most`."""
    with opened(path, what, most, within) as handle:
        try:
            found = handle.read(most + 1)
        except OSError as error:
            raise StorageError(f"cannot read {named(path)}: {error.strerror}") from error
    if len(found) > most:
        raise InputError(f"{named(path)} grew while it was read; {_article(what)} may have {size_text(most)}")
    return found


def inside(path: str, what: str, folder: str | Path) -> str:
    """The real path of a file that another file names, in that one's folder or below; links and ".." that lead out of it are refused."""
    home, real = os.path.realpath(folder), _real(path, what)
    if os.path.commonpath([home, real]) != home:
        raise InputError(f"{what} must lie in the file's folder or below, got {named(path)}")
    return real


def _real(path: str, what: str) -> str:
    """The path without links and ".."; one that can be no path of this machine is refused."""
    try:
        return os.path.realpath(checked_name(path, what))
    except (OSError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"no {what} {named(path)!r}: this can be no path ({error})") from None


def contained(path: str, what: str, within: str | Path) -> str:
    """The real path of a file that a scenario names, in the folder `within`; links and ".." that lead out of it are refused."""
    home, real = os.path.realpath(within), _real(path, what)
    if os.path.commonpath([home, real]) != home:
        raise InputError(
            f"{_article(what)} that a scenario names must lie in the scenario's folder or below, got {named(path)}; "
            "--allow-outside lets it lie elsewhere"
        )
    return real


@contextmanager
def parsing(path: str | Path, says: str, kind: type[SerpenoidError] = InputError) -> Iterator[None]:
    """Read what a file holds: anything that is raised meanwhile says `says` of the file, but our own errors, which say more."""
    try:
        yield
    except (SerpenoidError, NameError, ImportError):  # what no file is to blame for
        raise
    except Exception as error:  # parsers raise what they like, on bytes that nobody has foreseen
        raise kind(f"{named(path)} {says}") from error


def text_of(path: str | Path, what: str, most: int, within: str | Path | None = None) -> str:
    """The text of a file."""
    try:
        return content(path, what, most, within).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{named(path)} is no text: byte {error.start} is not UTF-8") from None


def check_toml(text: str, source: str) -> None:
    """Refuse a TOML text that takes too much to parse, or whose end may be missing."""
    bare = _TEXTS.sub('""', text)
    deepest = max(piece.count(".") for piece in re.split(r"[,=\[\]{}\n]", bare)) + 1
    if deepest > DEEPEST_KEY:
        raise InputError(f"{source}: a key has {deepest} parts; keys may have {DEEPEST_KEY}")
    plain = _FRACTIONS.sub("0", bare)
    parts = plain.count(".") + plain.count("=") + len(re.findall(r"^[ \t]*\[", plain, re.MULTILINE))
    if parts > MOST_PARTS:
        raise InputError(f"{source}: its keys have {parts} parts; a file may have {MOST_PARTS}")
    depth = 0
    for bracket in re.finditer(r"[\[{]|[\]}]", bare):
        depth = depth + 1 if bracket[0] in "[{" else max(depth - 1, 0)
        if depth > DEEPEST_NEST:
            raise InputError(f"{source}: lists and tables are nested more than {DEEPEST_NEST} deep")


def check_whole(text: str, source: str) -> None:
    """Refuse a text whose last line lacks its end: a value that was cut off there (`step = 2` of 2.5e-4) means something else."""
    last = text[text.rfind("\n") + 1 :].strip()
    if last and not last.startswith("#"):
        raise InputError(
            f"{source}: the last line does not end with a newline, so it may be cut off; check it and add one"
        )
