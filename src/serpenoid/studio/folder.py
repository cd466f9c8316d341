"""The folder that a studio reads and writes: what lies in it, and nothing that a link in it leads out to, at any depth.

With `outside` (`serpenoid studio --allow-outside`) links may lead elsewhere, as where results lie on other disks; what is saved stays in the folder.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from serpenoid.core.errors import InputError, StorageError
from serpenoid.formats.opening import named

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9 _.-]{0,99}")
MOST_LISTED = 200  # things of a folder
MARKS = {"trajectory.nc": "run", "sweep.json": "sweep"}  # the file by which a result is known


class Folder:
    """The folder that is served."""

    def __init__(self, place: Path, outside: bool = False) -> None:
        self.place, self.outside = _real(place), outside

    def held(self) -> list[tuple[Path, str]]:
        """What can be opened: each with what it is; names that a request may not have, and links that lead out, are left out."""
        found = []
        for path in sorted(self.place.iterdir()):
            if not NAME.fullmatch(path.name) or not self._here(path):
                continue
            if path.suffix == ".toml" and path.is_file():
                found.append((path, "scenario"))
                continue
            marks = [kind for mark, kind in MARKS.items() if self._here(path / mark) and (path / mark).is_file()]
            found += [(path, kind) for kind in marks[:1]]
        return found[:MOST_LISTED]

    def new(self, name: str) -> Path:
        """A path for something to be saved; in the folder, whatever is allowed."""
        path = self.place / _checked(name)
        if path.is_symlink() or _real(path).parent != self.place:
            raise InputError(f"{name} is a link; choose another name")
        return path

    def there(self, name: str) -> Path:
        """The path of something to be opened, or that is not there; a link that leads out of the folder is refused wherever it lies in it."""
        path = self.place / _checked(name)
        self.check(path)
        return _real(path)

    def check(self, path: Path) -> None:
        """Refuse what leads out of the folder by a link, itself or below."""
        waiting, seen = [path], set()
        while waiting and not self.outside:
            one = waiting.pop()
            real = _real(one)
            if not self._here(one):
                raise InputError(
                    f"{named(one.relative_to(self.place))} is a link that leads out of the folder of the studio; if results lie on other disks, "
                    "start it with `serpenoid studio --allow-outside`"
                )
            if real in seen:
                continue
            seen.add(real)
            try:
                inner = list(real.iterdir()) if real.is_dir() else []
            except OSError as error:
                raise StorageError(f"cannot read {named(one.relative_to(self.place))}: {error.strerror}") from error
            waiting += [item for item in inner if item.is_symlink() or item.is_dir()]

    def _here(self, path: Path) -> bool:
        """Whether a path lies in the folder, followed to its end."""
        return self.outside or _real(path).is_relative_to(self.place)


def _real(path: Path) -> Path:
    """A path followed to its end; a link that leads to itself ends there."""
    return Path(os.path.realpath(path))


def _checked(name: str) -> str:
    if not NAME.fullmatch(name):
        raise InputError("a name has letters, digits, spaces, dots, dashes and underscores, at most 100")
    return name
