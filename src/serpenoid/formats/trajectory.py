"""Trajectories on disk: one netCDF-4 file per run, readable by anything that reads netCDF or HDF5; CSV on request.

| part of the file | what it holds |
|---|---|
| variables | recorded quantities with their dimensions, `units` and `long_name`; vectors have the dimension `xyz` |
| attributes `status`, `metrics`, `reasons`, `warnings`, `events`, `scenario`, `provenance` | JSON text |
| attribute `state` and group `state` | what the run can be continued from: JSON text, and the arrays that it names |

The file ends with a line that holds the SHA-256 digest of everything before it; readers of netCDF do not see it. A file whose digest is
missing or differs is refused before anything of it is interpreted, and one that is whole is still read as if an enemy had written it: no
links out of the file, no more memory than its size justifies, numbers and texts only. What the numbers mean is checked by the
engine that takes them over (`Simulation.recall`).

Numbers come back exactly as they were. In the JSON texts `{"__array__": name}` stands for an array of the group `state`, and
`{"__number__": "inf"}` for a number that JSON does not have. A text too long for an attribute (32 kB) is stored in the group `text`.
"""

from __future__ import annotations

import hashlib
import io
import itertools
import json
import math
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from serpenoid.core import Status, Trajectory, Variable
from serpenoid.core.door import door
from serpenoid.core.errors import InputError
from serpenoid.core.finding import Finding, finding_of
from serpenoid.core.trajectory import Event, Variables
from serpenoid.formats.files import write_bytes, write_table
from serpenoid.formats.opening import named, opened, parsing, size_text

FORMAT = 3
MOST_FILE = 4_000_000_000  # bytes
FREELY, MOST_RATIO = (
    64_000_000,
    100,
)  # bytes that any file may unpack to; more of them are at most so many times its size
MOST_OBJECTS = 4000  # arrays and groups
_MARK, _HEX = b"\nserpenoid sha256 ", 64
_TAIL = len(_MARK) + _HEX + 1  # bytes of the last line
LONGEST = 32_000  # bytes of an attribute
FRAMES_AT_ONCE = 500  # of a table
PACKED = 512  # numbers from which an array is packed
_PARTS = ("metrics", "reasons", "warnings", "events", "scenario", "provenance", "state")


class _Store:
    """JSON text of any mixture of dicts, lists, numbers, texts and arrays; the arrays are put aside by name."""

    def __init__(self) -> None:
        self.arrays: dict[str, np.ndarray] = {}

    def text(self, value: Any, name: str) -> str:
        """The JSON text."""
        return json.dumps(self._plain(value, name), allow_nan=False)

    def _plain(self, value: Any, name: str) -> Any:
        if isinstance(value, Finding):
            value = value.keys()
        if isinstance(value, np.generic):
            value = value.item()
        if isinstance(value, np.ndarray):
            return self._put(value, name)
        if isinstance(value, Mapping):
            if all(isinstance(k, str) and not k.startswith("__") for k in value):
                return {k: self._plain(v, f"{name}.{k}") for k, v in value.items()}
            return {"__items__": [[self._plain(k, name), self._plain(v, f"{name}.{k}")] for k, v in value.items()]}
        if isinstance(value, list | tuple):
            return [self._plain(v, f"{name}.{k}") for k, v in enumerate(value)]
        if isinstance(value, float) and not np.isfinite(value):
            return {"__number__": repr(value)}
        if isinstance(value, Path):
            return str(value)
        if value is None or isinstance(value, str | bool | int | float):
            return value
        raise InputError(
            f"{name} cannot be saved: it is a {type(value).__name__}; a run keeps numbers, texts, lists, dicts and arrays"
        )

    def _put(self, array: np.ndarray, name: str) -> dict[str, Any]:
        if array.dtype.kind not in "fiub":
            raise InputError(f"{name} cannot be saved: an array of {array.dtype}; a run keeps arrays of numbers")
        if array.size == 0:
            return {"__empty__": list(array.shape), "dtype": array.dtype.str}
        plain = re.sub(r"[^A-Za-z0-9_.]", "_", name.removeprefix("state."))
        key, k = plain, 1
        while key in self.arrays:
            key, k = f"{plain}_{k}", k + 1
        self.arrays[key] = array
        return {"__array__": key, "dtype": array.dtype.str}


def _plain_type(text: Any) -> np.dtype:
    """The type of an array of numbers."""
    made = np.dtype(str(text))
    if made.kind not in "fiub":
        raise InputError(f"an array of {str(text)[:40]!r}, which are no numbers")
    return made


def _restored(value: Any, arrays: Mapping[str, np.ndarray]) -> Any:
    """What `_Store` made JSON of."""
    if isinstance(value, list):
        return [_restored(v, arrays) for v in value]
    if not isinstance(value, dict):
        return value
    if "__array__" in value:
        return arrays[value["__array__"]].astype(_plain_type(value["dtype"]))
    if "__empty__" in value:
        if 0 not in value["__empty__"]:
            raise InputError("an array that should be empty is not")
        return np.zeros(value["__empty__"], dtype=_plain_type(value["dtype"]))
    if "__number__" in value:
        return float(value["__number__"])
    if "__items__" in value:
        return {_restored(k, arrays): _restored(v, arrays) for k, v in value["__items__"]}
    return {k: _restored(v, arrays) for k, v in value.items()}


@door
def save(run: Trajectory, path: str | Path, *, packed: bool = True) -> Path:
    """Write a run as netCDF-4; not `packed` it takes three times the room and a tenth of the time."""
    content, unpacked = _packed(run, packed)
    if packed and unpacked > max(FREELY, MOST_RATIO * len(content)):  # it would look like a bomb
        content, _ = _packed(run, False)
    return write_bytes(path, content + _MARK + hashlib.sha256(content).hexdigest().encode() + b"\n")


def _packed(run: Trajectory, pack: bool) -> tuple[bytes, int]:
    """The netCDF-4 file of a run, its large arrays packed or not, and how many bytes its arrays have."""
    import h5netcdf

    store, buffer = _Store(), io.BytesIO()
    texts = {name: store.text(getattr(run, name), name) for name in _PARTS}
    texts["status"] = store.text(list(run.status), "status")
    with h5netcdf.File(buffer, "w") as file:
        file.attrs["Conventions"] = "CF-1.11"
        file.attrs["title"] = "serpenoid trajectory"
        file.attrs["format"] = FORMAT
        for name, text in texts.items():
            _write_text(file, name, text)
        for name, variable in run.variables.items():
            stored = _write_array(file, name, np.asarray(variable.data), variable.dims, pack)
            stored.attrs["units"] = variable.units
            stored.attrs["long_name"] = variable.long_name
            for key, value in _told_of(name, run).items():
                stored.attrs[key] = value
        state = file.create_group("state")
        for name, array in store.arrays.items():
            _write_array(state, name, array, tuple(f"{name}_{k}" for k in range(array.ndim)), pack)
    arrays = [*store.arrays.values(), *(np.asarray(variable.data) for variable in run.variables.values())]
    return buffer.getvalue(), sum(array.nbytes for array in arrays)


def _told_of(name: str, run: Trajectory) -> dict[str, Any]:
    """What readers without us need to know of a variable that counts: the joints' names, and what a flag means (as in CF)."""
    from serpenoid.formats.motion import KINDS, axis_names

    if name == "dof_kind":
        return {"flag_values": np.arange(len(KINDS), dtype=float), "flag_meanings": " ".join(KINDS)}
    if name == "dof":
        return {"names": " ".join(axis_names(run))}
    return {}


def _write_text(file: Any, name: str, text: str) -> None:
    """A text as an attribute, or as bytes where it is too long for one."""
    content = text.encode()
    if len(content) <= LONGEST:
        file.attrs[name] = text
        return
    group = file.groups["text"] if "text" in file.groups else file.create_group("text")
    _write_array(group, name, np.frombuffer(content, dtype=np.uint8), (f"{name}_bytes",))


def _write_array(group: Any, name: str, array: np.ndarray, dims: tuple[str, ...], pack: bool = True) -> Any:
    """An array with its dimensions; truth values are stored as bytes."""
    for dim, size in zip(dims, array.shape, strict=True):
        if dim not in group.dimensions:
            group.dimensions[dim] = size
    data = np.ascontiguousarray(array, dtype=np.uint8 if array.dtype.kind == "b" else array.dtype).reshape(array.shape)
    packed = {"compression": "gzip", "compression_opts": 1, "shuffle": True}
    return group.create_variable(
        name, dims, dtype=data.dtype, data=data, **(packed if pack and data.size > PACKED else {})
    )


@contextmanager
def whole(path: str | Path) -> Iterator[BinaryIO]:
    """A trajectory file whose digest is right, open at its beginning."""
    with opened(path, "trajectory file", MOST_FILE) as handle:
        size = handle.seek(0, 2)
        handle.seek(max(size - _TAIL, 0))
        tail = handle.read()
        if not tail.startswith(_MARK):
            handle.seek(0)
            if handle.read(8) == b"\x89HDF\r\n\x1a\n":
                raise InputError(
                    f"{named(path)}: has no digest at its end: it is cut off, was changed, or comes from an earlier serpenoid, whose "
                    "files this version does not read; run its scenario again"
                )
            raise InputError(f"{named(path)}: not a serpenoid trajectory of format {FORMAT}")
        digest, left = hashlib.sha256(), size - _TAIL
        handle.seek(0)
        while left > 0 and (piece := handle.read(min(left, 1 << 20))):
            digest.update(piece)
            left -= len(piece)
        if digest.hexdigest().encode() != tail[len(_MARK) : -1] or tail[-1:] != b"\n":
            raise InputError(
                f"{named(path)}: is damaged or was changed since it was written (its digest differs); run its scenario again"
            )
        handle.seek(0)
        yield handle


@door
def load(path: str | Path) -> Trajectory:
    """Read a run that `save` wrote."""
    import h5netcdf

    with parsing(path, "cannot be read as a serpenoid trajectory"):
        try:
            with whole(path) as handle:
                _check_tree(path, handle)
                with h5netcdf.File(handle, "r") as file:
                    _check_format(path, file.attrs.get("format", 0))
                    variables = {
                        name: Variable(tuple(v.dimensions), v[...], str(v.attrs["units"]), str(v.attrs["long_name"]))
                        for name, v in file.variables.items()
                    }
                    arrays = {name: v[...] for name, v in file.groups["state"].variables.items()}
                    texts = {name: _restored(json.loads(_text(file, name)), arrays) for name in (*_PARTS, "status")}
            for name, kind in _KINDS.items():
                if not isinstance(texts[name], kind):
                    raise InputError(f"{named(path)}: {name} is not what a serpenoid trajectory has there")
            return Trajectory(
                variables=Variables(variables), metrics=texts["metrics"], status=Status(*texts["status"]), warnings=tuple(map(finding_of, texts["warnings"])),
                scenario=texts["scenario"], provenance=texts["provenance"], state=texts["state"],
                events=tuple(Event(*event) for event in texts["events"]), reasons=texts["reasons"],
            )  # fmt: skip
        except InputError as error:
            raise error if named(path) in str(error) else InputError(f"{named(path)}: {error}") from None


_KINDS = {"metrics": dict, "reasons": dict, "warnings": list, "events": list, "scenario": dict, "provenance": dict, "state": dict, "status": list}  # fmt: skip


def _check_tree(path: str | Path, handle: BinaryIO) -> None:
    """Refuse an HDF5 file that leads out of itself, or whose arrays take more memory than its size justifies."""
    import h5py

    size, total, seen = handle.seek(0, 2), 0, 0
    handle.seek(0)
    with h5py.File(handle, "r") as file:
        groups = [file]
        while groups:
            group = groups.pop()
            for name in group:
                seen += 1
                if seen > MOST_OBJECTS:
                    raise InputError(f"{named(path)}: more than {MOST_OBJECTS} arrays and groups")
                if not isinstance(group.get(name, getlink=True), h5py.HardLink):
                    raise InputError(f"{named(path)}: it refers to something outside itself")
                item = group[name]
                if isinstance(item, h5py.Group):
                    groups.append(item)
                elif isinstance(item, h5py.Dataset):
                    total += _bytes_of(path, item)
    if total > max(FREELY, MOST_RATIO * size):
        raise InputError(
            f"{named(path)}: {size_text(size)} that would unpack to {size_text(total)}; at most {size_text(FREELY)} or {MOST_RATIO} times "
            "the file's size are unpacked"
        )


def _bytes_of(path: str | Path, item: Any) -> int:
    """Bytes that a dataset takes in memory."""
    if item.external or item.is_virtual:
        raise InputError(f"{named(path)}: it refers to something outside itself")
    if item.dtype.kind not in "fiub":
        raise InputError(f"{named(path)}: an array of {item.dtype}, which are no numbers"[:300])
    chunk = math.prod(item.chunks) if item.chunks else 0
    return int(max(math.prod(item.shape or (1,)), chunk) * item.dtype.itemsize)


def _check_format(path: str | Path, found: Any) -> None:
    if int(found) != FORMAT:
        raise InputError(
            f"{named(path)}: not a serpenoid trajectory of format {FORMAT}, the one this version reads; run its scenario again"
        )


def _text(file: Any, name: str) -> str:
    if name in file.attrs:
        return str(file.attrs[name])
    content: bytes = file.groups["text"].variables[name][...].tobytes()
    return content.decode()


@door
def save_csv(run: Trajectory, path: str | Path) -> Path:
    """Write a run as a table: one row per frame; one column per scalar, link, joint, node and component, as in "node_3_x [m]"."""
    header, columns = [], []
    for name, variable in run.variables.items():
        if variable.dims[:1] != ("time",):
            continue
        labels = [_labels(run, dim, size) for dim, size in zip(variable.dims[1:], variable.data.shape[1:], strict=True)]
        for index in np.ndindex(variable.data.shape[1:]):
            header.append(
                "_".join([name, *(names[k] for names, k in zip(labels, index, strict=True))]) + f" [{variable.units}]"
            )
            columns.append(variable.data[(slice(None), *index)])
    frames = range(0, len(columns[0]) if columns else 0, FRAMES_AT_ONCE)
    pieces = (np.stack([column[k : k + FRAMES_AT_ONCE] for column in columns], axis=1).tolist() for k in frames)
    return write_table(path, header, itertools.chain.from_iterable(pieces))


def _labels(run: Trajectory, dim: str, size: int) -> list[str]:
    """Names along a dimension: x, y, z, or the numbers of its coordinate, or counted from 0."""
    if dim == "xyz":
        return ["x", "y", "z"]
    coordinate = run.variables.get(dim)
    numbers = range(size) if coordinate is None or len(coordinate.data) != size else coordinate.data
    return [f"{number:g}" for number in numbers]
