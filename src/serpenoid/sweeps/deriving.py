"""Files that a store holds besides its pieces: its figure, its data as one netCDF file; recorded in the journal like them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from serpenoid.formats.files import replacing
from serpenoid.formats.manifest import digest_of_file
from serpenoid.formats.store import read_plan, writing

if TYPE_CHECKING:
    import xarray

Make = Callable[[Path], object]


@contextmanager
def adding(store: Path) -> Iterator[Callable[..., Path]]:
    """Add files to a store: by name, each by a function that writes it; one that is there as it was written stays, unless made again."""
    with writing(store, read_plan(store)) as writer:

        def add(name: str, make: Make, again: bool = False) -> Path:
            path, record = store / name, writer.contents.files.get(name)
            if again or record is None or not path.is_file() or digest_of_file(path) != record["sha256"]:
                make(path)
                writer.keep(name)
            return path

        yield add


def write_dataset(data: xarray.Dataset, path: Path) -> Path:
    """Write a data set as one netCDF-4 file, whole or not at all."""
    with replacing(path) as part:
        data.to_netcdf(part, engine="h5netcdf")
    return path
