"""The figure of a sweep: a line over one axis, maps with contours over two, slices of them over more; clouds of points for random designs.

Cells that failed are grey; values that do not apply are left out.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from serpenoid.core.door import door
from serpenoid.core.errors import InputError
from serpenoid.core.trajectory import USABLE
from serpenoid.judgement.metrics import METRICS
from serpenoid.view.captions import metric_words
from serpenoid.view.style import (
    GREY,
    INK,
    LABEL,
    LINES,
    PALE,
    RED,
    TICK,
    TITLE,
    canvas,
    caption,
    dress,
    legend,
    length_unit,
    save,
)

if TYPE_CHECKING:
    import xarray

SHORT = ("slip_per_link", "slip_along_per_link")
TEXTS = ("status", "message", "warnings")
FIRST = ("steady_speed", "com_distance", "cost_of_transport", "torque_max", "slip_per_link", "efficiency", "mean_power")
MOST_PANELS, MOST_SLICES, MOST_LINES = 4, 9, 6
LEVELS = 6  # contours at most, at round numbers
OUTLIERS = 1.0  # percent of the cells at either end that do not stretch the colours


@door
def sweep_figure(data: xarray.Dataset, path: str | Path) -> Path:
    """Draw the data of a sweep (`sp.sweeps.open`) into a file (.png, .pdf, .svg)."""
    return save(sweep_plot(data), path)


@door
def sweep_plot(data: xarray.Dataset, metrics: list[str] | None = None) -> Any:
    """A matplotlib figure of the data of a sweep; `metrics` are shown, default those that matter."""
    if unknown := [name for name in metrics or () if name not in data]:
        raise InputError(f"the data have no {', '.join(unknown)}; there are {', '.join(map(str, data.data_vars))}")
    names = metrics or chosen(data)
    data = readable(data)
    if "cell" in data.dims:
        return _clouds(data, names)
    axes = sorted((d for d in data.dims), key=lambda d: (_numeric(data[d]), data.sizes[d] > 1), reverse=True)
    long = [d for d in axes if data.sizes[d] > 1] or axes[:1]
    numeric = [d for d in long if _numeric(data[d])]
    if len(long) == 1 or (len(long) == 2 and len(numeric) < 2):
        return _lines(data, names, long)
    if len(long) == 2:
        return _maps(data, names, numeric)
    return _slices(data, names[0], long)


def chosen(data: xarray.Dataset) -> list[str]:
    """The metrics to show: those that matter first, of those that vary."""
    known = [str(name) for name in data.data_vars if name not in TEXTS]
    if not known:
        raise InputError("there is no metric in these data")
    alive = [name for name in known if np.isfinite(data[name].values.astype(float)).any()]
    first = [name for name in FIRST if name in alive]
    if "steady_speed" in first and "com_distance" in first:
        first.remove("com_distance")
    kept = first if len(known) > MOST_PANELS else [*first, *(name for name in alive if name not in first)]
    return (kept or alive or known)[:MOST_PANELS]


def readable(data: xarray.Dataset) -> xarray.Dataset:
    """The same data, short slips in mm."""
    for name in SHORT:
        if name in data.data_vars and data[name].attrs.get("units") == "m":
            factor, unit = length_unit(data[name].values.astype(float))
            data = data.assign({name: (data[name] * factor).assign_attrs(data[name].attrs | {"units": unit})})
    return data


def _numeric(values: Any) -> bool:
    return bool(np.issubdtype(values.dtype, np.number))


def _called(values: xarray.DataArray) -> str:
    """Name of an axis (by its key, without the table) or of a metric, in words."""
    key = str(values.attrs.get("key", values.name))
    name = " ".join(key.split(".")[1:]) if "." in key else key
    return metric_words(name.removesuffix("_deg"))


def _unit(values: xarray.DataArray) -> str:
    unit = str(values.attrs.get("units", ""))
    return unit if unit != "-" else ""


def _label(values: xarray.DataArray) -> str:
    """Name and unit of an axis or of a metric."""
    return f"{_called(values)} [{_unit(values)}]" if _unit(values) else _called(values)


def _less(values: xarray.DataArray) -> bool:
    """Whether less of a metric is better: by the data, of older ones by the metric of that name."""
    known = METRICS.get(str(values.name))
    return bool((values.attrs.get("better") or (known.better if known is not None else "more")) == "less")


def _best(values: xarray.DataArray) -> dict[Any, int] | None:
    """Where a metric is best (greatest, or least where less is better): the number of the place on each axis; None where it applies nowhere."""
    table = values.values.astype(float)
    if not np.isfinite(table).any():
        return None
    at = np.nanargmin(table) if _less(values) else np.nanargmax(table)
    return dict(zip(values.dims, (int(k) for k in np.unravel_index(at, table.shape)), strict=True))


def _told(values: xarray.DataArray) -> str:
    """Where a metric is best, in a sentence: "Steady speed is greatest (0.72 m/s) at winding angle 30 deg."."""
    best = _best(values)
    if best is None:
        return ""
    seen = values.isel(best)
    axes = [d for d in values.dims if values.sizes[d] > 1 and d != "cell"]
    places = [seen[d] for d in (axes if "cell" not in values.dims else seen.coords) if d != "cell"]
    at = ", ".join(f"{_called(p)} {_shown(p)}".strip() for p in places)
    name, most = _called(values), "least" if _less(values) else "greatest"
    return f"{name[0].upper()}{name[1:]} is {most} ({_shown(seen)}) at {at}. " if at else ""


def _shown(values: xarray.DataArray) -> str:
    value = values.values.item()
    text = f"{value:.3g}" if isinstance(value, int | float) else str(value)
    return f"{text} {_unit(values)}".strip()


def _headline(figure: Any, data: xarray.Dataset, names: list[str], more: str = "", stars: bool = False) -> None:
    title = str(data.attrs.get("title", "")) or "Sweep"
    figure.suptitle(title, fontsize=TITLE, color=INK, x=0.02, ha="left", fontweight="bold")
    cells, bad = int(np.prod(data["status"].shape)), int((~data["status"].isin(USABLE)).sum())
    said = (
        f"{cells:,} cells, one run each"
        + (f", {bad:,} failed (grey)" if bad else "")
        + (f"; {more}" if more else "")
        + ". "
    )
    caption(
        figure,
        said
        + "".join(_told(data[name]) for name in names[:2])
        + (
            "Colours are the values, white lines join equal ones; a star marks the best: the greatest, of cost, torque, slip and what else is better small the least."
            if stars
            else ""
        ),
    )


def _grid(count: int, wide: float, high: float) -> tuple[Any, list[Any]]:
    """A figure with so many panels."""
    columns = 1 if count == 1 else 2 if count in (2, 4) else 3
    rows = -(-count // columns)
    figure = canvas(wide * columns, high * rows + 0.7)
    figure.set_layout_engine("constrained", rect=(0.0, 0.03, 1.0, 0.95))
    return figure, [figure.add_subplot(rows, columns, k + 1) for k in range(count)]


def _lines(data: xarray.Dataset, names: list[str], dims: list[Any]) -> Any:
    """Metrics over one axis; a line for each value of a second one that is of texts."""
    along = next((d for d in dims if _numeric(data[d])), dims[0])
    other = next((d for d in dims if d != along), None)
    data = data.squeeze([d for d in data.dims if d not in dims], drop=True).transpose(along, ...)
    figure, panels = _grid(len(names), 5.6, 3.6)
    place = data[along].values if _numeric(data[along]) else np.arange(data.sizes[along])
    many = len(place) > 40
    for ax, name in zip(panels, names, strict=True):
        columns = (
            [(None, data[name].values)]
            if other is None
            else [(v, data[name].values[:, k]) for k, v in enumerate(data[other].values)]
        )
        for k, (text, values) in enumerate(columns[:MOST_LINES]):
            ax.plot(place, values, "-" if many else "o-", ms=4, lw=1.6, color=LINES[k % len(LINES)], label=text)
        bad = ~np.isin(data["status"].values, USABLE)
        for x in place[bad if bad.ndim == 1 else bad.any(axis=1)]:
            ax.axvline(x, color=PALE, lw=4, zorder=0)
        dress(ax, _label(data[along]), _label(data[name]))
        if not _numeric(data[along]):
            ax.set_xticks(place, [str(v) for v in data[along].values], rotation=20)
        if other is not None:
            legend(ax, title=_label(data[other]))
    _headline(figure, data, names)
    return figure


def _maps(data: xarray.Dataset, names: list[str], dims: list[Any]) -> Any:
    """Metrics over two axes."""
    y, x = sorted(dims, key=lambda d: data.sizes[d])[:2]
    data = data.squeeze([d for d in data.dims if d not in dims], drop=True)
    figure, panels = _grid(len(names), 5.6, 4.3)
    for ax, name in zip(panels, names, strict=True):
        drawn = _map(ax, data, name, x, y)
        if drawn is not None:
            _bar(figure, drawn, ax, data[name])
        ax.set_title(_label(data[name]), fontsize=LABEL + 1, color=INK, loc="left", fontweight="bold")
    _headline(figure, data, names, stars=True)
    return figure


def _slices(data: xarray.Dataset, name: str, dims: list[Any]) -> Any:
    """One metric over two axes, at values of a third; further axes at their middle value."""
    numeric = sorted((d for d in dims if _numeric(data[d])), key=lambda d: -data.sizes[d])
    if len(numeric) < 2:
        first = [d for d in dims if d not in numeric]
        return _lines(data.isel({d: data.sizes[d] // 2 for d in first[1:]}), [name], [*numeric, first[0]])
    x, y = numeric[:2]
    rest = sorted((d for d in dims if d not in (x, y)), key=lambda d: -data.sizes[d])
    over, fixed = rest[0], rest[1:]
    at = ", ".join(f"{_label(data[d])} = {data[d].values[data.sizes[d] // 2]}" for d in fixed)
    part = data.isel({d: data.sizes[d] // 2 for d in fixed})
    part = part.squeeze([d for d in part.dims if d not in (x, y, over)], drop=True)
    picks = np.unique(np.linspace(0, part.sizes[over] - 1, min(part.sizes[over], MOST_SLICES)).round().astype(int))
    figure, panels = _grid(len(picks), 4.0, 3.4)
    values = part[name].values.astype(float)
    span = _span(values)
    drawn = None
    for ax, k in zip(panels, picks, strict=True):
        shown = part.isel({over: k})
        drawn = _map(ax, shown, name, x, y, span) or drawn
        value = shown[over].values.item()
        text = f"{value:.4g}" if isinstance(value, int | float) else str(value)
        ax.set_title(f"{_label(data[over])} = {text}", fontsize=LABEL, color=INK, loc="left")
    if drawn is not None:
        _bar(figure, drawn, panels, data[name], _label(data[name]))
    _headline(figure, data, [name], at, stars=True)
    return figure


def _bar(figure: Any, drawn: Any, ax: Any, values: Any, label: str = "") -> None:
    low, high = drawn.get_clim()
    found = np.asarray(values.values, dtype=float)
    under, over = bool(np.nanmin(found) < low), bool(np.nanmax(found) > high)
    extend = "both" if under and over else "min" if under else "max" if over else "neither"
    bar = figure.colorbar(drawn, ax=ax, shrink=0.9, pad=0.02, extend=extend)
    bar.outline.set_visible(False)
    bar.ax.tick_params(labelsize=TICK, colors=INK)
    bar.set_label(label, fontsize=LABEL, color=INK)


def _map(ax: Any, data: xarray.Dataset, name: str, x: Any, y: Any, span: tuple[float, float] | None = None) -> Any:
    """One map: colours of the cells, contours over them, failed cells grey."""
    values = data[name].transpose(y, x).values.astype(float)
    xs, ys = (_edges(data[d].values.astype(float)) for d in (x, y))
    ax.set_facecolor(PALE)
    low, high = span or _span(values)
    drawn = ax.pcolormesh(
        xs, ys, np.ma.masked_invalid(values), cmap="viridis", vmin=low, vmax=high, shading="flat", rasterized=True
    )
    if high > low and min(values.shape) > 3 and np.isfinite(values).sum() > 12:
        from matplotlib.ticker import MaxNLocator

        levels = np.asarray(MaxNLocator(LEVELS + 1).tick_values(low, high))
        ax.contour(
            data[x].values, data[y].values, np.ma.masked_invalid(values), levels=levels[(levels > low) & (levels < high)],
            colors="white", linewidths=0.8, alpha=0.85,
        )  # fmt: skip
    if np.isfinite(values).any():
        best = _best(data[name]) or {}
        ax.plot(
            data[x].values[best[x]], data[y].values[best[y]], "*", ms=11, mfc=RED, mec="white", mew=0.8, clip_on=False
        )
    dress(ax, _label(data[x]), _label(data[y]))
    ax.grid(False)
    return drawn


def _span(values: np.ndarray) -> tuple[float, float]:
    """Least and greatest value that the colours tell apart."""
    if not np.isfinite(values).any():
        return 0.0, 1.0
    low, high = np.nanpercentile(values, (OUTLIERS, 100.0 - OUTLIERS))
    return (float(low), float(high)) if high > low else (float(np.nanmin(values)), float(np.nanmax(values)))


def _edges(centres: np.ndarray) -> np.ndarray:
    """Edges between cells at these places."""
    if len(centres) == 1:
        return np.array([centres[0] - 0.5, centres[0] + 0.5])
    middle = 0.5 * (centres[1:] + centres[:-1])
    return np.concatenate([[2 * centres[0] - middle[0]], middle, [2 * centres[-1] - middle[-1]]])


def _clouds(data: xarray.Dataset, names: list[str]) -> Any:
    """Points of a design that is no grid: a metric over each axis, or over two axes as colour."""
    coords = [name for name in data.coords if name != "cell"]
    numeric = [name for name in coords if _numeric(data[name])]
    if len(coords) == 2 and len(numeric) == 2:
        figure, panels = _grid(len(names), 5.6, 4.3)
        for ax, name in zip(panels, names, strict=True):
            values = data[name].values.astype(float)
            good = np.isfinite(values)
            ax.plot(data[coords[0]].values[~good], data[coords[1]].values[~good], "x", color=GREY, ms=4)
            drawn = ax.scatter(
                data[coords[0]].values[good],
                data[coords[1]].values[good],
                c=values[good],
                s=_size(len(values)),
                cmap="viridis",
            )
            _bar(figure, drawn, ax, data[name])
            dress(ax, _label(data[coords[0]]), _label(data[coords[1]]))
            ax.set_title(_label(data[name]), fontsize=LABEL + 1, color=INK, loc="left", fontweight="bold")
        _headline(figure, data, names)
        return figure
    figure, panels = _grid(min(len(coords), MOST_SLICES), 4.6, 3.4)
    for ax, coord in zip(panels, coords, strict=False):
        values, place = data[names[0]].values.astype(float), data[coord].values
        if not _numeric(data[coord]):
            kinds, place = np.unique(place.astype(str), return_inverse=True)
            ax.set_xticks(range(len(kinds)), kinds, rotation=20)
        ax.plot(place, values, ".", ms=np.sqrt(_size(len(values))), color=LINES[0], alpha=0.6, mew=0)
        dress(ax, _label(data[coord]), _label(data[names[0]]))
    _headline(figure, data, names)
    return figure


def _size(count: int) -> float:
    """Area of a point among so many, square points."""
    return float(np.clip(20_000.0 / count, 3.0, 40.0))
