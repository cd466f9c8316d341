"""Trajectories on disk: one netCDF-4 file a run, readable by anything that reads netCDF or HDF5; CSV on request.

The file has the variables with their dimensions, `units` and `long_name`; the attributes `status`, `metrics`,
`scenario`, `provenance`, `warnings` (JSON text); and a group `state` with the arrays from which the run can be
continued.
"""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import numpy as np

from serpenoid.core import Status, Trajectory, Variable
from serpenoid.core.errors import InputError
from serpenoid.formats.files import json_text, write_bytes, write_table

FORMAT = 1
_JSON = ("metrics", "scenario", "provenance", "warnings")


def save(run: Trajectory, path: str | Path) -> Path:
    """Write a run as netCDF-4."""
    import h5netcdf

    buffer = io.BytesIO()
    with h5netcdf.File(buffer, "w") as file:
        file.attrs["Conventions"] = "CF-1.11"
        file.attrs["title"] = "serpenoid trajectory"
        file.attrs["format"] = FORMAT
        file.attrs["status"] = json_text(list(run.status))
        for name in _JSON:
            file.attrs[name] = json_text(_plain(getattr(run, name)))
        for variable in run.variables.values():
            for dim, size in zip(variable.dims, variable.data.shape, strict=True):
                if dim not in file.dimensions:
                    file.dimensions[dim] = size
        for name, variable in run.variables.items():
            stored = file.create_variable(
                name, variable.dims, dtype="f8", data=variable.data, **_packing(variable.data)
            )
            stored.attrs["units"] = variable.units
            stored.attrs["long_name"] = variable.long_name
        state = file.create_group("state")
        for name, array in run.state.items():
            dims = tuple(f"{name}_{k}" for k in range(array.ndim))
            for dim, size in zip(dims, array.shape, strict=True):
                state.dimensions[dim] = size
            state.create_variable(name, dims, dtype="f8", data=np.asarray(array), **_packing(array))
    return write_bytes(path, buffer.getvalue())


def _packing(array: np.ndarray) -> dict[str, Any]:
    return (
        {"compression": "gzip", "compression_opts": 1, "shuffle": True, "fletcher32": True} if array.size > 512 else {}
    )


def _plain(value: Any) -> Any:
    if isinstance(value, dict) or hasattr(value, "items"):
        return {k: _plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(v) for v in value]
    if isinstance(value, float) and not np.isfinite(value):
        return None
    return value


def load(path: str | Path) -> Trajectory:
    """Read a run that `save` wrote."""
    import h5netcdf

    try:
        with h5netcdf.File(str(path), "r") as file:
            if int(file.attrs.get("format", 0)) != FORMAT:
                raise InputError(f"{path}: not a serpenoid trajectory of format {FORMAT}")
            variables = {
                name: Variable(tuple(v.dimensions), v[...], str(v.attrs["units"]), str(v.attrs["long_name"]))
                for name, v in file.variables.items()
            }
            texts = {name: json.loads(str(file.attrs[name])) for name in _JSON}
            status = Status(*json.loads(str(file.attrs["status"])))
            state = {name: v[...] for name, v in file.groups["state"].variables.items()}
    except InputError:
        raise
    except (OSError, RuntimeError, KeyError, ValueError, TypeError, AttributeError) as error:
        raise InputError(f"{path}: cannot be read as a serpenoid trajectory: {error}") from error
    texts["warnings"] = tuple(texts["warnings"])
    return Trajectory(variables=variables, status=status, state=state, **texts)


def save_csv(run: Trajectory, path: str | Path) -> Path:
    """Write a run as a table: one row a frame, one column a scalar or a link, joint or node; units in the header."""
    header, columns = [], []
    for name, variable in run.variables.items():
        if variable.dims == ("time",):
            header.append(f"{name} [{variable.units}]")
            columns.append(variable.data)
        elif variable.dims[0] == "time":
            first = 1 if variable.dims[1] == "joint" else 0
            for k in range(variable.data.shape[1]):
                header.append(f"{name}_{k + first} [{variable.units}]")
                columns.append(variable.data[:, k])
    return write_table(path, header, np.stack(columns, axis=1).tolist())
