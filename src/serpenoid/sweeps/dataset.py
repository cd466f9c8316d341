"""A store as one labelled data set: a dimension per axis of a grid, or one dimension `cell` with the axes as coordinates.

Every value is read from its piece and checked against the digest in the journal. Cells that are not there yet, pieces that are missing or
damaged are errors that name them; nothing is filled in. NaN means only: this metric does not apply to this cell (`status` is "ok"), or the cell
failed (`status` and `message` say why).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from serpenoid.core.door import door
from serpenoid.core.errors import InputError, StorageError
from serpenoid.core.quantities import Anything
from serpenoid.core.trajectory import FAILED as RUN_FAILED
from serpenoid.formats.opening import checked_name, named, parsing
from serpenoid.formats.store import PLAN, Contents, read_contents
from serpenoid.spelling import near
from serpenoid.sweeps.designs import Design, design_from
from serpenoid.sweeps.reading import rows_of
from serpenoid.sweeps.request import texts
from serpenoid.sweeps.rows import FAILED

if TYPE_CHECKING:
    import xarray

WITHOUT_VALUES = (*RUN_FAILED, FAILED, "invalid")  # statuses of cells whose numbers are not those of a whole run


@door(metrics=Anything())
def open_store(path: str | Path, *, metrics: Any = None, partial: bool = False, failed: bool = False) -> xarray.Dataset:
    """The data of a sweep.

    Parameters
    ----------
    path : folder of the store
    metrics : names of those wanted; default all that it holds
    partial : accept a sweep that is not done yet; cells to come have the status "not run"
    failed : give the numbers of failed runs too, as far as they went (default NaN)

    Returns
    -------
    xarray.Dataset: metrics with unit and meaning, and per cell `status`, `message` and `warnings` (texts)
    """
    folder = Path(checked_name(path, "store"))
    contents = read_contents(folder)
    with parsing(
        folder / PLAN,
        f"is not what a store has there; serpenoid verify {named(folder)} --repair mends it",
        StorageError,
    ):
        return _opened(contents, metrics, partial, failed)


def _opened(contents: Contents, metrics: Any, partial: bool, failed: bool) -> xarray.Dataset:
    """The data that a store's plan and journals tell of."""
    plan, folder = contents.plan, contents.folder
    columns = plan["columns"]
    names = columns if metrics is None else texts(metrics, "metrics")
    for name in names:
        if name not in columns:
            raise InputError(
                f"{named(folder)} has no metric {name!r}{near(name, columns) or '; it has ' + ', '.join(columns)}"
            )
    design = design_from(plan["identity"]["design"])
    if design.count != plan["cells"]:  # before memory is taken for so many
        raise StorageError(
            f"{named(folder / PLAN)} is damaged: it counts {plan['cells']} cells, its design {design.count}"
        )
    _check_whole(contents, partial)
    return _dataset(contents, design, list(names), failed)


def _check_whole(contents: Contents, partial: bool) -> None:
    plan = contents.plan
    pieces = -(-plan["cells"] // plan["chunk"])
    missing = [k for k in range(pieces) if k not in contents.pieces]
    if missing and not partial:
        first = missing[0] * plan["chunk"]
        done = sum(record["count"] for record in contents.pieces.values())
        raise StorageError(
            f"{named(contents.folder)} is not done: {done:,} of {plan['cells']:,} cells are there, the first that is not is cell {first}; give the same "
            "sweep command once more, or open it with partial=True"
        )


def _dataset(contents: Contents, design: Design, names: list[str], failed: bool) -> xarray.Dataset:
    """Fill the arrays piece by piece."""
    import xarray

    plan, count = contents.plan, design.count
    places = [plan["columns"].index(name) for name in names]
    values = np.full((len(names), count), np.nan)
    words = {name: np.full(count, "", dtype=object) for name in ("message", "warnings")}
    status = np.full(count, "not run", dtype=object)
    for number, record in contents.pieces.items():
        rows, first = rows_of(contents, number), record["first"]
        inside = slice(first, first + record["count"])
        values[:, inside] = rows.values[:, places].T
        status[inside] = rows.status
        if not failed:
            lost = np.isin(rows.status, WITHOUT_VALUES)
            values[:, inside][:, lost] = np.nan
        for k, text in rows.messages.items():
            words["message"][first + k] = text
        for k, several in rows.warnings.items():
            words["warnings"][first + k] = "\n".join(several)
    dims, coords = coordinates(contents, design)
    shape = design.shape
    data: dict[str, Any] = {
        name: (dims, values[k].reshape(shape), plan["meanings"][name]) for k, name in enumerate(names)
    }
    data["status"] = (dims, status.reshape(shape), {"long_name": "status of the run of a cell"})
    data["message"] = (dims, words["message"].reshape(shape), {"long_name": "why a cell failed, or was refused"})
    data["warnings"] = (dims, words["warnings"].reshape(shape), {"long_name": "warnings of a cell, one per line"})
    versions = plan["identity"]["versions"]
    attributes = {
        "title": plan["name"], "design": design.kind, "scenario": json.dumps(plan["identity"]["description"]), "sweep": plan["id"],
        "serpenoid": versions["serpenoid"], "arithmetic": plan["arithmetic"], "versions": json.dumps(versions),
    }  # fmt: skip
    return xarray.Dataset(data, coords=coords, attrs=attributes)


def coordinates(contents: Contents, design: Design) -> tuple[tuple[str, ...], dict[str, Any]]:
    """Dimensions and coordinates of the data."""
    given = contents.plan["labels"]
    names = [label["name"] for label in given]
    labels = [{key: label[key] for key in ("key", "units", "long_name")} for label in given]
    if design.kind == "grid":
        coords = {
            name: ((name,), labelled(axis.values), label)
            for name, axis, label in zip(names, design.axes, labels, strict=True)
        }
        return tuple(names), coords
    rows = design.values(0, design.count)
    coords = {
        name: (("cell",), labelled([row[k] for row in rows]), label)
        for k, (name, label) in enumerate(zip(names, labels, strict=True))
    }
    return ("cell",), {"cell": np.arange(design.count), **coords}


def labelled(values: list[Any]) -> np.ndarray:
    """Values of a coordinate: numbers as numbers, lists and tables as their text."""
    if all(isinstance(value, int | float) and not isinstance(value, bool) for value in values):
        return np.array(values)
    return np.array([value if isinstance(value, str) else json.dumps(value) for value in values], dtype=object)
