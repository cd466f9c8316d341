"""One result, one set: a folder that is written under another name, described by a manifest, and put in place whole.

    out/creep                   the result: its files and manifest.json
    out/.creep.4711.part        a result under way, or what a killed process left of one
    out/.creep.lock             held (flock) while somebody writes out/creep; the system frees it when its holder dies

A result comes into being by one rename, after all its files are on disk; an earlier result of the same name is exchanged for it in one
act, and only if that was asked for and the folder holds nothing but that result. A folder that cannot be renamed (a mount point, the present
folder) is refused before anything is computed; where a rename fails all the same, the result is put beside it under a name of its own. Long runs leave a checkpoint in the folder under way; if
the process is killed, `find_checkpoint` finds it. Everything else that a killed process left is removed by the next one.
"""

from __future__ import annotations

import ctypes
import errno
import itertools
import os
import re
import shutil
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from serpenoid.core.errors import InputError, StorageError
from serpenoid.formats.files import clear_parts, write_json
from serpenoid.formats.locks import lock_is_taken, take_lock
from serpenoid.formats.manifest import MANIFEST, file_names, listed_names, manifest_of
from serpenoid.formats.opening import checked_name, named

CHECKPOINT = "checkpoint.nc"
PATIENCE = 5  # tries for a lock
PROBE = 65_536  # bytes written before anything is computed
_EXCHANGE, _HERE = 2, -100  # of renameat2
_PART = re.compile(r"\.(.+)\.\d+\.(?:old\.)?part")


class BusyError(StorageError):
    """Somebody else writes the result."""


class TakenError(InputError):
    """There are results already."""


@dataclass
class Result:
    """A result under way: files are written to `path`; when all is well it becomes `target`."""

    target: Path
    path: Path
    about: dict[str, Any] = field(default_factory=dict)  # what was asked for
    description: Any = None  # of what was computed; its digest goes into the manifest

    def final(self, value: Any) -> Any:
        """A path, or all paths in texts, lists and tables, as they are once the result is in place."""
        if isinstance(value, dict):
            return {key: self.final(inner) for key, inner in value.items()}
        if isinstance(value, list | tuple):
            return type(value)(self.final(inner) for inner in value)
        if isinstance(value, str | Path) and str(value).startswith(f"{self.path}{os.sep}"):
            return type(value)(self.target / os.path.relpath(value, self.path))
        return value

    def keep(self, run: Any) -> None:
        """Save a run under way, so that it can be gone on with after this process was killed."""
        from serpenoid.formats.trajectory import save

        save(run, self.path / CHECKPOINT, packed=False)


@contextmanager
def result(target: str | Path, *, replace: bool = False, about: dict[str, Any] | None = None) -> Iterator[Result]:
    """A folder for results of that name, put in place when the block ends well; refused if results are there, unless `replace`."""
    shown = Path(checked_name(target, "folder"))
    with _storing(shown):
        place = Path(os.path.realpath(shown))
        place.parent.mkdir(parents=True, exist_ok=True)
    with locked(place):
        _check_place(place, shown, replace)
        part = place.parent / f".{place.name}.{os.getpid()}.part"
        with _storing(shown):
            _recover(place)
            clear(place.parent, place.name)
            if part.exists():
                shutil.rmtree(part)
        made = Result(shown, part, about or {})
        try:
            with _storing(shown):
                part.mkdir()
                _probe(part)
            yield made
            with _storing(shown):
                _commit(made, place)
        finally:
            _discard(part)


@contextmanager
def _storing(shown: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if isinstance(error, StorageError):
            raise
        raise StorageError(f"cannot write {named(shown)}: {error.strerror or error}") from error


def _check_place(place: Path, shown: Path, replace: bool) -> None:
    """Refuse a place that is taken."""
    if place.exists() and not place.is_dir():
        raise StorageError(f"cannot write {named(shown)}: it is not a folder")
    if (kind := _fixed(place)) is not None:
        raise StorageError(
            f"cannot write {named(shown)}: a result is put in place by renaming, and this is {kind}; give a folder in it, such as "
            f"{named(shown / 'result')}"
        )
    if not has_results(place):
        return
    if not replace:
        raise TakenError(f"{named(shown)} has results already; give another --out, or --force to replace them")
    listed = listed_names(place)
    foreign = sorted(name for name in file_names(place) if name not in listed)
    if foreign:
        raise InputError(
            f"{named(shown)} holds what is not of a serpenoid result, such as {named(foreign[0])}; move it away, or give another --out"
        )


def _fixed(place: Path) -> str | None:
    """What a folder is that cannot be renamed; None if it can."""
    if not place.is_dir():
        return None
    with suppress(FileNotFoundError):
        here = Path(os.path.realpath(Path.cwd()))
        if place == here or place in here.parents:
            return "the present folder or one above it"
    return "a mount point" if os.path.ismount(place) or str(place) in _mounts() else None


def _mounts() -> set[str]:
    """Where file systems are mounted, folders of the same one (bind) included."""
    try:
        lines = Path("/proc/self/mountinfo").read_text(errors="surrogateescape").splitlines()
    except OSError:
        return set()
    return {re.sub(r"\\([0-7]{3})", lambda found: chr(int(found[1], 8)), line.split()[4]) for line in lines}


def has_results(path: Path) -> bool:
    """Whether a folder holds anything but remains of killed processes."""
    return path.is_dir() and any(not re.fullmatch(r"\..*\.(part|lock)", inner.name) for inner in path.iterdir())


@contextmanager
def new_result(path: str | Path, about: dict[str, Any] | None = None) -> Iterator[Result]:
    """A result of that name if nothing is there and nobody writes it, else NAME-2, NAME-3, ...; nothing is replaced."""
    wanted = Path(path)
    with ExitStack() as stack:
        for k in itertools.count(1):
            target = wanted if k == 1 else wanted.with_name(f"{wanted.name}-{k}")
            if target.exists() and (not target.is_dir() or has_results(target)):
                continue
            try:
                made = stack.enter_context(result(target, about=about))
                break
            except (BusyError, TakenError):  # another process was faster
                continue
        yield made


# locks


def _lock_of(place: Path) -> Path:
    return place.parent / f".{place.name}.lock"


@contextmanager
def locked(place: Path) -> Iterator[None]:
    """Nobody else writes this result meanwhile; refused if somebody does."""
    path = _lock_of(place)
    with _storing(place):
        for _ in range(PATIENCE):  # a look of somebody else (`is_locked`) lasts an instant
            if (number := take_lock(path)) is not None:
                break
            time.sleep(0.02)
        else:
            raise BusyError(f"{named(place)} is being written by another serpenoid; wait for it, or give another --out")
    try:
        yield
    finally:
        with suppress(OSError):
            os.unlink(path)
        os.close(number)


def is_locked(place: Path) -> bool:
    """Whether somebody writes this result now."""
    return lock_is_taken(_lock_of(place))


# remains of killed processes


def parts_of_dead(parent: Path, mine: str | None = None) -> Iterator[tuple[Path, str]]:
    """Folders that killed processes left, with the names that they were to have; `mine` is locked by this process."""
    for part in sorted(parent.glob(".*.part")):
        found = _PART.fullmatch(part.name)
        if found and part.is_dir() and not part.is_symlink() and (found[1] == mine or not is_locked(parent / found[1])):
            yield part, found[1]


def clear(parent: Path, mine: str | None = None) -> None:
    """Remove what killed processes left in a folder; checkpoints, and results moved aside whose successor is missing, stay."""
    clear_parts(parent)
    for part, name in parts_of_dead(parent, mine):
        if not part.name.endswith(".old.part") or (parent / name).exists():
            _discard(part)


def _discard(part: Path) -> None:
    """Remove a folder under way, but for its checkpoint."""
    if not (part / CHECKPOINT).exists():
        shutil.rmtree(part, ignore_errors=True)
        return
    for inner in part.iterdir():
        if inner.name != CHECKPOINT:
            shutil.rmtree(inner, ignore_errors=True) if inner.is_dir() else inner.unlink()


def checkpoints(place: Path) -> list[Path]:
    """Checkpoints that killed processes left of a result, the newest last."""
    beside = [part / CHECKPOINT for part in place.parent.glob(".*.part") if _named_for(part, place)]
    return sorted((file for file in beside if file.is_file()), key=lambda file: file.stat().st_mtime)


def _named_for(part: Path, place: Path) -> bool:
    found = _PART.fullmatch(part.name)
    return found is not None and found[1] == place.name


def find_saved(path: str | Path) -> tuple[Path, str | Path]:
    """The file to go on from, and the usual name (or, of a killed run, the place) of what comes of it.

    Given is a trajectory file, the folder of a result, or the folder that a killed process was to make: then its checkpoint is taken.
    """
    given = Path(checked_name(path, "trajectory file"))
    folder = given.parent if given.name == CHECKPOINT else given
    part = _PART.fullmatch(folder.name)
    place = folder.with_name(part[1]) if part else folder
    left = [folder / CHECKPOINT] if part else checkpoints(Path(os.path.realpath(folder)))
    if not left:
        file = given / "trajectory.nc" if given.is_dir() else given
        return file, file.absolute().parent.name or "resumed"
    if is_locked(Path(os.path.realpath(place))):
        raise BusyError(f"{named(place)} is being written by another serpenoid; wait for it, or stop it")
    return left[-1], place


# putting in place


def _probe(part: Path) -> None:
    """Write something and take it away: a disk that cannot be written is found before anything long begins."""
    probe = part / ".probe"
    with open(probe, "wb") as handle:
        handle.write(b"\0" * PROBE)
        handle.flush()
        os.fsync(handle.fileno())
    probe.unlink()


def _recover(place: Path) -> None:
    """Put a result back that was moved aside by a process killed between two renames."""
    for part in place.parent.glob(".*.old.part"):
        if _named_for(part, place) and not place.exists():
            os.rename(part, place)


def _commit(made: Result, place: Path) -> None:
    """Describe the files, bring them to disk, and put the folder in place."""
    write_json(made.path / MANIFEST, manifest_of(made.path, made.about, made.description, without=(CHECKPOINT,)))
    for name in file_names(made.path):
        _sync(made.path / name)
    (made.path / CHECKPOINT).unlink(missing_ok=True)  # needed until all is on disk
    _sync(made.path)
    try:
        if has_results(place):
            _exchange(made.path, place)
        else:
            if place.exists():
                clear_parts(place)
            os.rename(made.path, place)
    except OSError as error:
        spare = next(p for k in itertools.count(2) if not (p := place.with_name(f"{place.name}-{k}")).exists())
        os.rename(made.path, spare)
        raise StorageError(
            f"cannot put the result in place as {named(made.target)}: {error.strerror or error}; it is whole, in {named(spare)}"
        ) from error
    _sync(place)
    _sync(place.parent)
    for left in checkpoints(place):  # of runs that this one takes the place of
        shutil.rmtree(left.parent, ignore_errors=True)


def _exchange(part: Path, place: Path) -> None:
    """Let the two folders change names in one act, or nearly so where the system has no such act."""
    libc = ctypes.CDLL(None, use_errno=True)
    if hasattr(libc, "renameat2"):
        if libc.renameat2(_HERE, os.fsencode(part), _HERE, os.fsencode(place), _EXCHANGE) == 0:
            return
        code = ctypes.get_errno()
        if code not in (errno.ENOSYS, errno.EINVAL):
            raise OSError(code, os.strerror(code))
    aside = part.with_name(f"{part.name.removesuffix('.part')}.old.part")
    os.rename(place, aside)
    try:
        os.rename(part, place)
    except OSError:
        os.rename(aside, place)
        raise
    shutil.rmtree(aside, ignore_errors=True)


def _sync(path: Path) -> None:
    number = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(number)
    finally:
        os.close(number)
