"""A run among upright obstacles on paper: the way on its map with bodies, pins and forces; the clearance of the links.

Clearance: the least distance of a link's surface from any obstacle; links are sampled at points along their axes, cells are squares.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from serpenoid.core import FloatArray
from serpenoid.view import style
from serpenoid.view.above import TARGET, capsules, extent
from serpenoid.view.scene import CellMap, Scene

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SAMPLES = 5  # points of a link
INSTANTS = 600  # of a clearance curve at most
BODIES = 6
WALL = "#3b4048"


def ground_panel(ax: Axes, scene: Scene) -> None:
    """Draw map, obstacles, path and target at equal scales."""
    if scene.cells is not None:
        cells_image(ax, scene.cells)
        ax.fill([], [], fc=WALL, label="wall")
    draw_blocks(ax, scene.blocks)
    if scene.blocks:
        ax.fill([], [], fc=style.STONE, ec=style.GREY, lw=0.8, label="obstacle")
    if scene.path is not None:
        ax.plot(*scene.path.T, color=style.BLUE, lw=1.3, ls=(0, (5, 3)), zorder=2.5, label="planned path")
    goal = scene.target if scene.target is not None else None if scene.path is None else scene.path[-1]
    if goal is not None:
        ax.plot(*goal, "o", ms=12, mfc="none", mec=TARGET, mew=1.8, zorder=8, label="target")
        ax.plot(*goal, "+", ms=12, color=TARGET, mew=1.4, zorder=8)
    low, high = extent(scene)
    ax.set_aspect("equal")
    ax.set_xlim(low[0], high[0])
    ax.set_ylim(low[1], high[1])
    style.dress(ax, f"x [{scene.unit}]", f"y [{scene.unit}]")


def draw_blocks(ax: Axes, outlines: Sequence[FloatArray]) -> None:
    """Draw upright obstacles by their corners."""
    from matplotlib.collections import PolyCollection

    edge = style.mixed(style.STONE, style.INK, 0.45)
    look: Any = {"facecolors": style.STONE, "edgecolors": edge, "linewidths": 1.1, "zorder": 2}
    ax.add_collection(PolyCollection(list(outlines), **look), autolim=False)


def cells_image(ax: Axes, cells: CellMap, colour: str = WALL) -> None:
    """Draw solid cells."""
    paint = np.zeros((*cells.solid.T.shape, 4))
    paint[cells.solid.T] = style.rgba(colour)
    low, high = cells.box
    ax.imshow(
        paint,
        origin="lower",
        extent=(low[0], high[0], low[1], high[1]),
        interpolation="nearest",
        zorder=2,
        aspect="equal",
    )


def draw_body(ax: Axes, nodes: FloatArray, radius: Any, colour: Any, **look: Any) -> None:
    """Links (n) as capsules in one colour or in one each."""
    from matplotlib.collections import PolyCollection

    look = {"edgecolors": style.OUTLINE, "linewidths": 0.4, "zorder": 4, **look}
    shapes = list(capsules(nodes[:, :2], np.broadcast_to(radius, (len(nodes) - 1,))))
    ax.add_collection(PolyCollection(shapes, facecolors=colour, **look), autolim=False)


def way_panel(ax: Axes, scene: Scene, bodies: int = BODIES) -> None:
    """Draw the whole way: obstacles, the body at some instants (early to late), the trail of the head, where it was pressed."""
    ground_panel(ax, scene)
    body = scene.body
    wanted = np.linspace(body.time[0], body.time[-1], bodies)
    chosen = np.unique(np.argmin(np.abs(body.time[:, None] - wanted), axis=0))
    for k, colour in zip(chosen, style.time_colours(len(chosen)), strict=True):
        ends = k in (
            chosen[0],
            chosen[-1],
        )  # between them the body may lie on itself: an outline leaves what is below in sight
        draw_body(
            ax,
            body.node[k],
            scene.drawn,
            colour,
            alpha=0.95 if ends else 0.4,
            linewidths=0.9,
            zorder=4.1 if ends else 4,
        )
        ax.plot(*body.node[k, -1, :2], "o", ms=5.5, color=colour, mec=style.INK, mew=1.0, zorder=6, ls="none",
                label=f"head at {body.time[k]:.3g} s")  # fmt: skip
    ax.plot(*body.node[:, -1, :2].T, color=style.INK, lw=1.2, zorder=5, label="trail of the head")
    if scene.pins is not None and scene.pins.held.any():
        _pins(ax, scene, chosen)
    if scene.push.size and scene.push.any():
        touched = np.isfinite(scene.press).all(axis=-1) & (np.linalg.norm(scene.push, axis=-1) > 0.0)
        at = scene.press[touched][:: max(1, int(touched.sum()) // 400), :2]
        ax.plot(*at.T, "o", ms=3.0, color=style.FORCE, mec="none", ls="none", zorder=7, label="pressed by an obstacle")
    ax.set_title("The way, early to late", fontsize=style.LABEL + 1, color=style.INK, loc="left", fontweight="bold")
    style.legend(ax, loc="upper left", bbox_to_anchor=(1.01, 1.0), borderaxespad=0.0)


def _pins(ax: Axes, scene: Scene, frames: Any) -> None:
    """Diamonds where pins hold the body at some frames."""
    assert scene.pins is not None
    at = np.concatenate([scene.pins.places(scene.body.node[k], int(k))[:, :2] for k in frames])
    ax.plot(*at.T, "D", ms=4.5, mfc=style.INK, mec="white", mew=0.7, ls="none", zorder=6.5, label="pin that holds")


def clearance(scene: Scene) -> tuple[FloatArray, FloatArray]:
    """Times (k,) and least distance (k,) of a link's surface from an obstacle; infinite where there are none."""
    every = max(1, len(scene.body.time) // INSTANTS)
    node = scene.body.node[::every, :, :2]
    share = np.linspace(0.0, 1.0, SAMPLES)[:, None]
    point = node[:, :-1, None] + share * np.diff(node, axis=1)[:, :, None]  # (k, n, s, 2)
    gap = np.full(point.shape[:-1], np.inf)
    for block in scene.blocks:
        gap = np.minimum(gap, outline_distance(block, point))
    if scene.cells is not None:
        gap = np.minimum(gap, _cell_distance(scene.cells, point))
    return scene.body.time[::every], (gap - scene.radius[:, None]).min(axis=(1, 2))


def outline_distance(corners: FloatArray, point: FloatArray) -> FloatArray:
    """Signed distance of points (..., 2) from a polygon (k, 2); negative inside."""
    far, inside = np.full(point.shape[:-1], np.inf), np.zeros(point.shape[:-1], bool)
    for a, b in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        way = b - a
        share = np.clip((point - a) @ way / max(float(way @ way), 1e-300), 0.0, 1.0)
        far = np.minimum(far, np.linalg.norm(point - a - share[..., None] * way, axis=-1))
        above = (a[1] > point[..., 1]) != (b[1] > point[..., 1])
        with np.errstate(divide="ignore", invalid="ignore"):
            inside ^= above & (point[..., 0] < a[0] + (point[..., 1] - a[1]) / (b[1] - a[1]) * way[0])
    return np.where(inside, -far, far)


def _cell_distance(cells: CellMap, point: FloatArray) -> FloatArray:
    """Distance of points (..., 2) from the nearest solid square; 0 inside."""
    from scipy.spatial import KDTree

    solid = np.argwhere(cells.solid)
    if not len(solid):
        return np.full(point.shape[:-1], np.inf)
    flat = (point.reshape(-1, 2) - np.asarray(cells.origin)) / cells.cell
    found = KDTree(solid).query(flat, k=min(6, len(solid)))[1].reshape(len(flat), -1)
    out = np.maximum(np.abs(flat[:, None] - solid[found]) - 0.5, 0.0)
    return np.asarray(cells.cell * np.linalg.norm(out, axis=-1).min(axis=1)).reshape(point.shape[:-1])


def clearance_curve(ax: Axes, scene: Scene) -> None:
    """Draw the clearance of the links over time."""
    time, gap = clearance(scene)
    style.dress(ax, "time [s]", f"clearance [{scene.unit}]", "Least distance of a link from an obstacle")
    ax.set_xlim(float(time[0]), float(time[-1]) if time[-1] > time[0] else float(time[0]) + 1.0)
    if not np.isfinite(gap).any():
        ax.text(0.5, 0.5, "no obstacles", transform=ax.transAxes, ha="center", fontsize=style.LABEL)
        return
    factor, unit = style.length_unit(gap) if scene.unit == "m" else (1.0, scene.unit)
    gap = factor * gap
    style.dress(ax, "time [s]", f"clearance [{unit}]", "Least distance of a link from an obstacle")
    ax.plot(time, gap, color=style.GREEN, lw=1.6)
    ax.axhline(0.0, color=style.RED, lw=0.8, ls="--")
    ax.set_ylim(min(0.0, float(gap.min()) * 1.1), max(float(gap.max()) * 1.1, 1e-6))
