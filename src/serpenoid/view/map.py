"""Pictures of a map: the field with equipotentials and streamlines, the path, the body on it, and the clearances.

The field is drawn as log10 u, u = 1 - Phi: on a linear scale all but the goal's surroundings would be one colour. What is drawn is passed in; nothing is planned here.
`area`, `field`, `path` and `following` are the Map, Field, Path and Following of `planning`. Lengths are shown in the unit in which the map
names them, m or cells, or in the `unit` that is given.
"""

from __future__ import annotations

from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Any

import numpy as np

from serpenoid.core.door import Of, door
from serpenoid.view import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LEVELS = 30  # equipotentials
BODIES, APART = 9, 1.15  # postures drawn at most; body lengths between them
WALL, GROWN = "#3b4048", "#b9bec7"


def _measure(ax: Axes, area: Any, unit: str | None, axes: str = "xy") -> str:
    """Let the ticks of axes that are drawn in m count in the unit of the map; gives the unit."""
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    unit = unit or str(area.unit)
    size = area.cell if unit == "cells" else 1.0

    class Counted(MaxNLocator):
        def tick_values(self, vmin: float, vmax: float) -> Any:
            return size * np.asarray(super().tick_values(vmin / size, vmax / size))

    for axis in (getattr(ax, f"{name}axis") for name in axes if size != 1.0):
        axis.set_major_locator(Counted("auto", steps=[1, 2, 2.5, 5, 10]))
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value / size:g}"))
    return unit


def walls_panel(ax: Axes, area: Any, unit: str | None = None) -> None:
    """Draw the walls; what is only kept clear of them is paler."""
    from matplotlib.colors import ListedColormap

    c = area.cell
    width, height = area.size
    state = np.where(area.solid, 1.0, np.where(area.walls, 0.0, np.nan))
    extent = (-0.5 * c, width + 0.5 * c, -0.5 * c, height + 0.5 * c)
    ax.imshow(
        state.T,
        origin="lower",
        extent=extent,
        cmap=ListedColormap([GROWN, WALL]),
        vmin=0.0,
        vmax=1.0,
        interpolation="nearest",
        zorder=2,
    )
    ax.set_aspect("equal")
    unit = _measure(ax, area, unit)
    style.dress(ax, f"x [{unit}]", f"y [{unit}]")
    ax.grid(False)


def _name_walls(ax: Axes, area: Any) -> None:
    """Entries of a legend for walls, and for what is kept clear of them."""
    ax.fill([], [], fc=WALL, label="wall")
    if bool((np.asarray(area.walls) & ~np.asarray(area.solid)).any()):
        ax.fill([], [], fc=GROWN, label="kept clear of walls")


def field_panel(ax: Axes, field: Any, unit: str | None = None) -> None:
    """Draw log10 u with equipotentials and streamlines."""
    from matplotlib import colormaps

    area = field.map
    x, y = np.arange(area.walls.shape[0]) * area.cell, np.arange(area.walls.shape[1]) * area.cell
    depth = np.where(np.isfinite(field.ln_u), field.ln_u / np.log(10.0), np.nan)
    shown = np.ma.masked_invalid(depth.T)
    walls_panel(ax, area, unit)
    made = ax.contourf(x, y, shown, LEVELS, cmap=colormaps["viridis"], zorder=0.5)
    half = 0.5 * area.cell  # contours end at the outermost free nodes, cells half a cell beyond
    extent = (-half, area.size[0] + half, -half, area.size[1] + half)
    ax.imshow(
        shown, origin="lower", extent=extent, cmap=made.cmap, clim=made.get_clim(), interpolation="nearest", zorder=0
    )
    ax.contour(x, y, shown, LEVELS, colors="white", linewidths=0.4, linestyles="solid", zorder=1)
    gx, gy = _directions(depth, field)
    ax.streamplot(x, y, gx.T, gy.T, density=1.6, color=(1.0, 1.0, 1.0, 0.6), linewidth=0.6, arrowsize=0.7, zorder=1)
    ax.plot(*field.ends.T, "*", ms=13, color=style.ORANGE, mec="white", mew=0.6, zorder=5, label="goal")
    _name_walls(ax, area)
    style.legend(ax, loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=3, borderaxespad=0.2)
    bar = ax.figure.colorbar(made, ax=ax, fraction=0.04, pad=0.02)
    bar.set_label("log10 u, greatest at the goal", fontsize=style.LABEL, color=style.INK)
    bar.ax.tick_params(labelsize=style.TICK)


def _directions(depth: np.ndarray, field: Any) -> tuple[np.ndarray, np.ndarray]:
    """Unit vectors up the field, from one-sided differences beside walls; NaN in walls."""
    parts = []
    for axis in (0, 1):
        ahead, back = np.roll(depth, -1, axis) - depth, depth - np.roll(depth, 1, axis)
        both = np.where(np.isnan(ahead), back, np.where(np.isnan(back), ahead, 0.5 * (ahead + back)))
        parts.append(np.where(field.reach, np.nan_to_num(both), np.nan))
    size = np.hypot(*parts)
    size[~(size > 0.0)] = 1.0
    return parts[0] / size, parts[1] / size


def path_panel(ax: Axes, path: Any, following: Any = None, unit: str | None = None) -> None:
    """Draw the path on its map, and the body at some increments, early to late."""
    walls_panel(ax, path.map, unit)
    ax.plot(*path.points.T, color=style.RED, lw=1.4, zorder=3, label="path")
    ax.plot(*path.points[0], "o", ms=7, color=style.GREEN, mec="white", zorder=5, label="start")
    if path.status == "reached":
        ax.plot(*path.points[-1], "*", ms=13, color=style.ORANGE, mec="white", zorder=5, label="goal")
    if len(path.gaps):
        ax.plot(*path.gaps.T, "x", ms=8, color=style.PURPLE, zorder=5, label="gap of one cell")
    if following is not None:
        span, size = following.base[-1] - following.base[0], following.lengths.sum()
        count = int(np.clip(1.0 + span / (APART * size), 2, BODIES))
        chosen = np.unique(np.linspace(0, len(following.base) - 1, count).astype(int))
        for k, colour in zip(chosen, style.time_colours(len(chosen)), strict=True):
            label = "body, early to late" if k == chosen[len(chosen) // 2] else None
            ax.plot(*following.joints[k].T, "o-", color=colour, ms=2.6, lw=2.2, zorder=4, label=label)
    _name_walls(ax, path.map)
    style.legend(ax, loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=5, borderaxespad=0.2, columnspacing=1.0)


def clearance_panel(ax: Axes, path: Any, following: Any = None, unit: str | None = None) -> None:
    """Draw the path's distance to the nearest solid node over its length, and the least clearance of a link over the base's place."""
    ax.plot(path.arc, path.clearance, color=style.BLUE, lw=1.5, label="path to the nearest wall node")
    if following is not None:
        ax.plot(
            following.base, following.clearance.min(axis=1), color=style.ORANGE, lw=1.5, label="nearest link to a wall"
        )
        loose = list(following.unsettled)
        if loose:
            ax.plot(
                following.base[loose], following.clearance.min(axis=1)[loose], "x", color=style.RED, label="unsettled"
            )
        ax.axhline(0.0, color=style.RED, lw=0.8, ls="--")
    ax.set_ylim(bottom=min(0.0, ax.get_ylim()[0]))
    unit = _measure(ax, path.map, unit)
    style.dress(ax, f"arc length along the path [{unit}]", f"clearance [{unit}]")
    style.legend_above(ax, 3)


@door(path=Of(name="PlannedPath"), following=Of(name="Following"))
def map_figure(path: Any, file: str | FilePath, following: Any = None, unit: str | None = None) -> FilePath:
    """Write field, path with body, and clearances as one figure (.png, .pdf or .svg); returns the file."""
    width, height = path.map.size
    tall = float(np.clip(6.2 * height / width, 2.6, 7.5))
    fig = style.canvas(14.0, tall + 4.0)
    grid = fig.add_gridspec(
        2,
        2,
        wspace=0.24,
        height_ratios=(tall, 2.4),
        left=0.06,
        right=0.97,
        bottom=0.6 / (tall + 4.0),
        top=1.0 - 0.9 / (tall + 4.0),
    )
    left, right, below = fig.add_subplot(grid[0, 0]), fig.add_subplot(grid[0, 1]), fig.add_subplot(grid[1, :])
    if path.field is not None:
        field_panel(left, path.field, unit)
    else:
        walls_panel(left, path.map, unit)
    path_panel(right, path, following, unit)
    if len(path.points) > 1:
        clearance_panel(below, path, following, unit)
    else:
        below.set_axis_off()
        below.text(0.0, 0.5, path.reason, fontsize=style.LABEL, color=style.RED)
    body = f", body {following.status}" if following is not None and following.status != path.status else ""
    unit = unit or str(path.map.unit)
    size = path.map.cell if unit == "cells" else 1.0
    text = f"{path.map.name}: {path.status}{body}" + (
        f", {path.length / size:.4g} {unit}, clearance {path.min_clearance / size:.3g} {unit}"
        if len(path.points) > 1
        else ""
    )
    fig.text(
        0.02, 1.0 - 0.4 / (tall + 4.0), text, fontsize=style.TITLE, color=style.INK, fontweight="bold", va="center"
    )
    style.caption(fig, "Left: the harmonic field; bands of colour are equal values, the white arrows all lead to the goal. Right: the path "
                  "and the body on it. Below: how near path and body come to a wall; below zero a link would be in it.")  # fmt: skip
    return style.save(fig, file)
