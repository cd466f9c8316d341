"""The pictures of the atlas: maps with contours, and Figs 7 to 9 of Ma, Li and Wang (2001) as slices."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from serpenoid.studies.atlas.optima import best_angle
from serpenoid.view.style import INK, LINES, PALE, TICK, dress, legend_below, plain_log, save, titled

if TYPE_CHECKING:
    import xarray
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WORDS = {
    "winding_angle_deg": "winding angle [deg]", "waves": "waves on the body", "ratio": "friction along / across", "level": "friction across",
    "links": "number of links", "along": "friction along", "amplitude_deg": "amplitude in yaw [deg]", "phase_deg": "phase of the two waves [deg]",
    "slope_deg": "slope [deg]", "com_distance": "way in 8 s [m]", "com_dy": "way uphill in 8 s [m]", "cost_of_transport": "cost of transport [-]",
    "torque_max": "peak torque [N m]", "slip_per_link": "slip per link [mm]", "efficiency": "efficiency J [1/(N m)$^2$]",
    "torque_sq_mean": "mean square torque [N$^2$ m$^2$]",
}  # fmt: skip
FOUR = ("com_distance", "cost_of_transport", "torque_max", "slip_per_link")
LOGARITHMIC = ("cost_of_transport", "torque_max", "slip_per_link")
MAPS = "Colours are the values, white lines join equal ones. Too little winding slips and gets nowhere; too much goes a shorter way at a higher cost. "
LINKS = "One body cut into more links: it bends more smoothly, goes a little further and costs less. Colours and marks are winding angles. "
CLIMB = (
    "Above: the way uphill (on level ground: the same way to the left). Below: its cost. Grey: it goes less than 0.1 m, or slides down. The steeper the slope, the larger the "
    "amplitude must be; it climbs fastest with waves about a quarter apart. 24 links with servos, friction 0.7."
)
CLIMBS = 0.1  # m uphill in 8 s; less is no climbing
ADVANCE = 0.8  # m in 8 s, half the body: a gait that goes less is not looked at for the optimum
MARKS = ("o", "s", "^", "D", "v")


def all_figures(made: Mapping[str, xarray.Dataset], out: Path) -> list[Path]:
    """Draw all pictures into a folder."""
    creep, paper, side = (_in_millimetres(made[name]) for name in ("creeping", "figures", "sidewinding"))
    at = {"waves": 2.0, "ratio": 0.2, "level": 0.8, "links": 20}
    return [
        optimum_map(creep, out / "optimal-winding-angle.png"),
        four_maps(creep, "ratio", at, out / "winding-and-ratio.png"),
        four_maps(creep, "waves", at, out / "winding-and-waves.png"),
        four_maps(creep, "level", at, out / "winding-and-level.png"),
        links_lines(creep, at, out / "links.png"),
        figure7(paper, out / "fig7.png"),
        figure8(paper, out / "fig8.png"),
        figure9(paper, out / "fig9.png"),
        climbing(side, out / "sidewinding.png"),
    ]


def _in_millimetres(data: xarray.Dataset) -> xarray.Dataset:
    """The same with the slip in mm."""
    return data.assign(slip_per_link=1e3 * data["slip_per_link"]) if "slip_per_link" in data else data


def _at(data: xarray.Dataset, place: Mapping[str, Any]) -> xarray.Dataset:
    """A slice at the nearest places of some axes."""
    return data.sel({dim: x for dim, x in place.items() if dim in data.dims}, method="nearest")


def _said(data: xarray.Dataset, place: Mapping[str, Any]) -> str:
    """Where a slice lies, in words."""
    return (
        "Here: "
        + ", ".join(f"{WORDS[dim]} {float(_at(data, place)[dim]):g}" for dim in place if dim in data.dims)
        + "."
    )


def _grid(rows: int, columns: int, title: str, text: str, wide: float = 4.6) -> tuple[Figure, list[Axes]]:
    """Axes in rows and columns below a title."""
    figure = titled(wide * columns, 3.5 * rows + 0.8, title, text)
    return figure, [figure.add_subplot(rows, columns, k + 1) for k in range(rows * columns)]


def _map(
    ax: Axes, values: xarray.DataArray, x: str, y: str, label: str, log: bool = False, limits: tuple[float, float] | None = None
) -> None:  # fmt: skip
    """A map with contours, and its colour bar."""
    from matplotlib.colors import LogNorm, Normalize
    from matplotlib.ticker import LogLocator

    table = values.transpose(y, x).values.astype(float)
    known = table[np.isfinite(table) & ((table > 0.0) if log else np.isfinite(table))]
    low, high = limits or ((float(known.min()), float(known.max())) if known.size else (0.0, 1.0))
    clipped = log and limits is None and known.size > 0
    if clipped:
        low, high = (float(edge) for edge in np.quantile(known, (0.01, 0.99)))
    if not high > low:
        high = low + (abs(low) or 1.0)
    log = log and high > 20.0 * low
    norm = LogNorm(low, high) if log else Normalize(low, high)
    drawn = ax.pcolormesh(values[x].values, values[y].values, table, norm=norm, cmap="viridis", shading="nearest", rasterized=True)  # fmt: skip
    if min(table.shape) > 4:  # on fewer places contours follow nothing but the cells
        levels = np.geomspace(low, high, 8)[1:-1] if log else np.linspace(low, high, 8)[1:-1]
        ax.contour(values[x].values, values[y].values, table, levels=levels, colors="white", linewidths=0.7, alpha=0.8)
    dress(ax, WORDS[x], WORDS[y], label)
    ax.set_facecolor(PALE)  # where there is no value
    ax.grid(False)
    figure = ax.get_figure(root=True)
    assert figure is not None
    bar = figure.colorbar(drawn, ax=ax, extend="both" if clipped else "neither", format="%g", pad=0.02)
    bar.outline.set_visible(False)  # type: ignore[operator]
    if log:
        bar.ax.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    bar.ax.minorticks_off()
    bar.ax.tick_params(labelsize=TICK - 1, colors=INK)


def optimum_map(data: xarray.Dataset, path: Path) -> Path:
    """The optimal winding angle over friction ratio and waves: by efficiency and by cost of transport, on three grounds."""
    levels = data["level"].values[np.unique(np.linspace(0, data.sizes["level"] - 1, 3).astype(int))]
    text = (
        "Colours are the winding angle that is best of those that go half a body length in 8 s: above by the efficiency J of Ma, Li and Wang (2001), below by the cost of transport. "
        f"More friction along the body wants more winding. {_said(data, {'links': 20})}"
    )
    figure, axes = _grid(2, len(levels), "The optimal winding angle [deg]", text)
    for row, (metric, least) in enumerate((("efficiency", False), ("cost_of_transport", True))):
        for k, level in enumerate(levels):
            place = _at(data, {"level": level, "links": 20})
            chosen = place[metric].where(place["com_distance"] >= ADVANCE)
            ax = axes[row * len(levels) + k]
            title = f"{'Cost' if least else 'J'}: {WORDS['level']} {level:g}"
            _map(ax, best_angle(chosen, least=least), "ratio", "waves", title, limits=(5.0, 90.0))
    return save(figure, path)


def four_maps(data: xarray.Dataset, other: str, place: Mapping[str, Any], path: Path) -> Path:
    """Way, cost of transport, peak torque and slip over the winding angle and another axis."""
    rest = {dim: x for dim, x in place.items() if dim != other}
    figure, axes = _grid(2, 2, f"Creeping: winding angle and {WORDS[other]}", MAPS + _said(data, rest), 5.6)
    for ax, metric in zip(axes, FOUR, strict=True):
        _map(ax, _at(data, rest)[metric], "winding_angle_deg", other, WORDS[metric], metric in LOGARITHMIC)
    return save(figure, path)


def links_lines(data: xarray.Dataset, place: Mapping[str, Any], path: Path) -> Path:
    """The four metrics over the number of links, for some winding angles."""
    rest = {dim: x for dim, x in place.items() if dim != "links"}
    figure, axes = _grid(2, 2, "Creeping: into how many links the same body is cut", LINKS + _said(data, rest), 5.6)
    for ax, metric in zip(axes, FOUR, strict=True):
        for k, angle in enumerate((15.0, 30.0, 45.0, 60.0, 75.0)):
            line = _at(data, {**rest, "winding_angle_deg": angle})
            ax.plot(line["links"], line[metric], marker=MARKS[k], color=LINES[k], ms=5, label=f"winding angle {float(line['winding_angle_deg']):g} deg")  # fmt: skip
        if metric in LOGARITHMIC:
            plain_log(ax)
        dress(ax, WORDS["links"], WORDS[metric])
        ax.set_xticks(data["links"].values)
    legend_below(figure, axes[0], 3)
    return save(figure, path)


def figure7(data: xarray.Dataset, path: Path) -> Path:
    """Fig. 7: way, slip and torque over the friction along, for numbers of waves."""
    text = (
        "Up to a friction along of 0.3 the way hardly changes, slip and torque do, most with one wave; beyond about 0.4 (one wave) or 0.55 (more) the body slips on the "
        "spot. Winding angle 60 deg, friction across 0.8, 20 links."
    )
    figure, axes = _grid(1, 3, "Fig. 7 of Ma, Li and Wang (2001): waves and friction along", text)
    chosen = _at(data, {"winding_angle_deg": 60.0})
    for ax, metric in zip(axes, ("com_distance", "slip_per_link", "torque_sq_mean"), strict=True):
        for k, waves in enumerate(chosen["waves"].values):
            ax.plot(chosen["along"], chosen[metric].sel(waves=waves), "-", color=LINES[k], lw=1.8, label=f"$K_n$ = {waves:g}")  # fmt: skip
        dress(ax, WORDS["along"], WORDS[metric])
    plain_log(axes[1])
    legend_below(figure, axes[0])
    return save(figure, path)


def figure8(data: xarray.Dataset, path: Path) -> Path:
    """Fig. 8: the efficiency over winding angle and friction along, for numbers of waves."""
    shown = [w for w in data["waves"].values if w <= 3.0]
    figure, axes = _grid(1, len(shown), "Fig. 8 of Ma, Li and Wang (2001): efficiency J of the winding angle", "Colours: J over the best that this friction allows. The dashed line is the best winding angle: it grows with the friction along. Friction across 0.8, 20 links.")  # fmt: skip
    for ax, waves in zip(axes, shown, strict=True):
        chosen = data["efficiency"].sel(waves=waves)
        share = chosen / chosen.max("winding_angle_deg")
        _map(ax, share, "winding_angle_deg", "along", f"$K_n$ = {waves:g}: J over its best", limits=(0.0, 1.0))
        best = best_angle(chosen)
        ax.plot(best, best["along"], "-", color="white", lw=2.5)
        ax.plot(best, best["along"], "--", color=INK, lw=1.0)
    return save(figure, path)


def figure9(data: xarray.Dataset, path: Path) -> Path:
    """Fig. 9: the optimal winding angle over the friction along, for numbers of waves."""
    text = "The winding angle of the greatest J grows with the friction along the body; more waves wind less. Friction across 0.8, 20 links; the table ends at 90 deg."
    figure = titled(8.0, 5.0, "Fig. 9 of Ma, Li and Wang (2001): the best winding angle", text)
    ax = figure.subplots()
    best = best_angle(data["efficiency"])
    for k, waves in enumerate(best["waves"].values):
        ax.plot(best["along"], best.sel(waves=waves), "-", color=LINES[k], lw=1.8, label=f"$K_n$ = {waves:g}")
    dress(ax, WORDS["along"], "best winding angle [deg]")
    ax.set_xlim(0.0, float(best["along"].max()))
    legend_below(figure, ax)
    return save(figure, path)


def climbing(data: xarray.Dataset, path: Path) -> Path:
    """Sidewinding: the way uphill and its cost over amplitude and phase, on some slopes."""
    slopes = data["slope_deg"].values[np.unique(np.linspace(0, data.sizes["slope_deg"] - 1, 3).astype(int))]
    figure, axes = _grid(2, len(slopes), "Sidewinding up a slope", CLIMB)
    reach = float(np.nanmax(data["com_dy"].values))
    for k, slope in enumerate(slopes):
        chosen = data.sel(slope_deg=slope)
        climbs = chosen.where(chosen["com_dy"] > CLIMBS)
        for row, (metric, label) in enumerate(
            (("com_dy", "Way uphill in 8 s [m]"), ("cost_of_transport", "Cost of transport [-]"))
        ):
            limits = (0.0, reach) if row == 0 else None
            ax = axes[row * len(slopes) + k]
            _map(ax, climbs[metric], "amplitude_deg", "phase_deg", f"{label}, slope {slope:g} deg", row == 1, limits)
    return save(figure, path)
