"""Trajectories on disk: one netCDF-4 file per run, readable by anything that reads netCDF or HDF5; CSV on request.

| part of the file | what it holds |
|---|---|
| variables | recorded quantities with their dimensions, `units` and `long_name`; vectors have the dimension `xyz` |
| attributes `status`, `metrics`, `reasons`, `warnings`, `events`, `scenario`, `provenance` | JSON text |
| attribute `state` and group `state` | what the run can be continued from: JSON text, and the arrays that it names |

Numbers come back exactly as they were. In the JSON texts `{"__array__": name}` stands for an array of the group `state`, and
`{"__number__": "inf"}` for a number that JSON does not have. A text too long for an attribute (32 kB) is stored in the group `text`.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from serpenoid.core import Status, Trajectory, Variable
from serpenoid.core.door import door
from serpenoid.core.errors import InputError
from serpenoid.core.trajectory import Event
from serpenoid.formats.files import write_bytes, write_table

FORMAT = 2
LONGEST = 32_000  # bytes of an attribute
CHECKED = 512  # numbers from which an array is packed and has a checksum
_PARTS = ("metrics", "reasons", "warnings", "events", "scenario", "provenance", "state")


class _Store:
    """JSON text of any mixture of dicts, lists, numbers, texts and arrays; the arrays are put aside by name."""

    def __init__(self) -> None:
        self.arrays: dict[str, np.ndarray] = {}

    def text(self, value: Any, name: str) -> str:
        """The JSON text."""
        return json.dumps(self._plain(value, name), allow_nan=False)

    def _plain(self, value: Any, name: str) -> Any:
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


def _restored(value: Any, arrays: Mapping[str, np.ndarray]) -> Any:
    """What `_Store` made JSON of."""
    if isinstance(value, list):
        return [_restored(v, arrays) for v in value]
    if not isinstance(value, dict):
        return value
    if "__array__" in value:
        return arrays[value["__array__"]].astype(np.dtype(value["dtype"]))
    if "__empty__" in value:
        return np.zeros(value["__empty__"], dtype=np.dtype(value["dtype"]))
    if "__number__" in value:
        return float(value["__number__"])
    if "__items__" in value:
        return {_restored(k, arrays): _restored(v, arrays) for k, v in value["__items__"]}
    return {k: _restored(v, arrays) for k, v in value.items()}


@door
def save(run: Trajectory, path: str | Path) -> Path:
    """Write a run as netCDF-4."""
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
            stored = _write_array(file, name, np.asarray(variable.data), variable.dims)
            stored.attrs["units"] = variable.units
            stored.attrs["long_name"] = variable.long_name
        state = file.create_group("state")
        for name, array in store.arrays.items():
            _write_array(state, name, array, tuple(f"{name}_{k}" for k in range(array.ndim)))
    return write_bytes(path, buffer.getvalue())


def _write_text(file: Any, name: str, text: str) -> None:
    """A text as an attribute, or as bytes where it is too long for one."""
    content = text.encode()
    if len(content) <= LONGEST:
        file.attrs[name] = text
        return
    group = file.groups["text"] if "text" in file.groups else file.create_group("text")
    _write_array(group, name, np.frombuffer(content, dtype=np.uint8), (f"{name}_bytes",))


def _write_array(group: Any, name: str, array: np.ndarray, dims: tuple[str, ...]) -> Any:
    """An array with its dimensions; truth values are stored as bytes."""
    for dim, size in zip(dims, array.shape, strict=True):
        if dim not in group.dimensions:
            group.dimensions[dim] = size
    data = np.ascontiguousarray(array, dtype=np.uint8 if array.dtype.kind == "b" else array.dtype).reshape(array.shape)
    packed = {"compression": "gzip", "compression_opts": 1, "shuffle": True, "fletcher32": True}
    return group.create_variable(name, dims, dtype=data.dtype, data=data, **(packed if data.size > CHECKED else {}))


@door
def load(path: str | Path) -> Trajectory:
    """Read a run that `save` wrote."""
    import h5netcdf

    try:
        with h5netcdf.File(str(path), "r") as file:
            _check_format(path, file.attrs.get("format", 0))
            variables = {
                name: Variable(tuple(v.dimensions), v[...], str(v.attrs["units"]), str(v.attrs["long_name"]))
                for name, v in file.variables.items()
            }
            arrays = {name: v[...] for name, v in file.groups["state"].variables.items()}
            texts = {name: _restored(json.loads(_text(file, name)), arrays) for name in (*_PARTS, "status")}
        return Trajectory(
            variables=variables, metrics=texts["metrics"], status=Status(*texts["status"]), warnings=tuple(texts["warnings"]),
            scenario=texts["scenario"], provenance=texts["provenance"], state=texts["state"],
            events=tuple(Event(*event) for event in texts["events"]), reasons=texts["reasons"],
        )  # fmt: skip
    except InputError:
        raise
    except FileNotFoundError as error:
        raise InputError(f"no trajectory file {path}") from error
    except (OSError, RuntimeError, KeyError, ValueError, TypeError, AttributeError, IndexError, MemoryError) as error:
        raise InputError(f"{path}: cannot be read as a serpenoid trajectory: {error}") from error


def _check_format(path: str | Path, found: Any) -> None:
    if int(found) == 1:
        raise InputError(
            f"{path}: written by serpenoid 0.1 (format 1), which this version does not read; run its scenario again"
        )
    if int(found) != FORMAT:
        raise InputError(f"{path}: not a serpenoid trajectory of format {FORMAT}")


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
    return write_table(path, header, np.stack(columns, axis=1).tolist())


def _labels(run: Trajectory, dim: str, size: int) -> list[str]:
    """Names along a dimension: x, y, z, or the numbers of its coordinate, or counted from 0."""
    if dim == "xyz":
        return ["x", "y", "z"]
    coordinate = run.variables.get(dim)
    numbers = range(size) if coordinate is None or len(coordinate.data) != size else coordinate.data
    return [f"{number:g}" for number in numbers]
