"""Optimal winding angles read from tables: the best of an axis, refined by a parabola through its neighbours."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from serpenoid.core import FloatArray

if TYPE_CHECKING:
    import xarray


def best_angle(values: xarray.DataArray, axis: str = "winding_angle_deg", least: bool = False) -> xarray.DataArray:
    """Where along `axis` the values are greatest (or least), between the places of the axis; NaN where all are."""
    import xarray

    x = values[axis].values
    table = np.moveaxis(values.values, values.get_axis_num(axis), -1)
    found = np.apply_along_axis(lambda row: _peak(x, -row if least else row), -1, table)
    dims = [dim for dim in values.dims if dim != axis]
    return xarray.DataArray(found, dims=dims, coords={dim: values[dim] for dim in dims}, name="best_angle")


def _peak(x: FloatArray, row: FloatArray) -> float:
    """Place of the greatest value of a row, by a parabola through it and its neighbours."""
    if not np.isfinite(row).any():
        return np.nan
    k = int(np.nanargmax(row))
    if k in (0, len(row) - 1) or not np.isfinite(row[k - 1 : k + 2]).all():
        return float(x[k])
    a, b, c = row[k - 1 : k + 2]
    bend = a - 2.0 * b + c
    shift = 0.5 * (a - c) / bend if bend < 0.0 else 0.0
    return float(x[k] + shift * (x[k + 1] - x[k - 1]) / 2.0)
