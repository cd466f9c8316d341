"""The body from its side at some instants, and its last instant in space."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from serpenoid.core import FloatArray, Trajectory, chassis
from serpenoid.view import style
from serpenoid.view.camera import azimuths, follow
from serpenoid.view.compare_figures import space_axes
from serpenoid.view.ground import on_ground
from serpenoid.view.picture import actor_of
from serpenoid.view.poses import Poses
from serpenoid.view.scene import Scene, scene_of
from serpenoid.view.snapshots import fill

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LANES = 4  # instants of the side view


def still(ax: Axes, run: Trajectory) -> None:
    """Draw the last instant in space, as a film shows it."""
    scene = scene_of(run)
    body, box = scene.body, ax.get_window_extent()
    some = body.at(np.linspace(body.time[0], body.time[-1], 60))
    half = (0.42 * box.width / box.height, 0.4)
    cameras = follow(some.node, azimuths(some, 10.0), body.length, 10.0, scene.normal, half, 0.05 * body.length)
    last = actor_of(scene, body.pick(slice(-1, None)))
    space_axes(ax, [last], scene, cameras[-1], fade=0.3 * float(np.ptp(body.time)) or 1.0)
    ax.set_title("At the end", fontsize=style.LABEL + 1, color=style.INK, loc="left", fontweight="bold")
    ground = scene.land.ground
    if ground.slope != 0.0 and ground.heights is None:
        _wedge(ax, abs(float(ground.slope)), float(box.width / box.height))


def _wedge(ax: Axes, slope: float, aspect: float) -> None:
    """The slope from its side over a level line, in the upper right corner: without a horizon it would look flat."""
    wide = 0.24 * aspect
    corner = np.array([0.5 * aspect - wide - 0.05, 0.44 - wide * np.tan(slope)])
    points = corner + wide * np.array([[0.0, 0.0], [1.0, 0.0], [1.0, np.tan(slope)]])
    ax.fill(*points.T, fc=style.STONE, ec="none", alpha=0.9, zorder=14)
    ax.plot(*points[[0, 1]].T, color=style.GREY, lw=1.0, ls="--", zorder=15)
    ax.plot(*points[[0, 2]].T, color=style.INK, lw=1.8, zorder=15)
    look: Any = {"fontsize": style.TICK, "color": style.INK, "zorder": 16}
    ax.text(corner[0] + wide, corner[1] - 0.015, f"level; the ground rises {np.degrees(slope):.3g}°", ha="right", va="top",
            bbox={"facecolor": style.GROUND, "alpha": 0.85, "edgecolor": "none", "pad": 1.0}, **look)  # fmt: skip


def _instants(run: Trajectory, body: Poses, whole: bool) -> Any:
    """Frames spread over the last period of the gait, or over the run where it has none or `whole` is asked for."""
    rate = run.scenario.get("gait", {}).get("frequency")
    t = body.time
    span = float(t[-1] - t[0])
    if isinstance(rate, float | int) and rate != 0.0 and not whole:
        span = min(span, 2.0 * np.pi / abs(rate))
    wanted = (
        t[-1] - span * np.linspace(1.0, 0.0, LANES) if whole else t[-1] - span * np.arange(LANES - 1, -1, -1) / LANES
    )
    return np.unique(np.argmin(np.abs(t[:, None] - wanted), axis=0))


def is_tall(scene: Scene) -> bool:
    """Whether a body stands or climbs rather than lies."""
    node = scene.body.node
    return bool(float(np.ptp(node[..., 2], axis=1).max()) > 0.35 * float(np.ptp(node[..., :2], axis=1).max()))


def side_view(ax: Axes, run: Trajectory) -> None:
    """Draw the body from its side at some instants: along its averaged frame, and over the ground.

    A flat body is shown in rows, through the last period; one that stands or climbs in columns, through the whole run.
    """
    scene = scene_of(run)
    body, land, radius, shares = scene.body, scene.land, scene.drawn, scene.shares
    tall = is_tall(scene)
    part = body.pick(_instants(run, body, tall))
    origin, turn = chassis.chassis(part.node)
    way = turn[:, :2, 0] / np.maximum(np.linalg.norm(turn[:, :2, 0], axis=1, keepdims=True), 1e-9)
    along = np.einsum("fne,fe->fn", part.node[..., :2] - origin[:, None, :2], way)
    height = part.node[..., 2] - origin[:, None, 2] if land.bare else land.gap(part.node)
    number, shift = np.arange(len(part.time))[:, None], np.zeros((2, len(part.time), 1))
    if tall:
        box = ax.get_window_extent()
        wide = float(np.ptp(height)) * box.width / box.height / LANES
        shift[0] = max(1.3 * float(np.ptp(along)) + 4.0 * float(radius.max()), wide) * number
    else:
        floor = float(height.min() - radius.max()) if land.bare else 0.0
        shift[1] = -(1.25 * (float(np.ptp(height)) + 2.0 * float(radius.max())) + 0.02 * body.length) * number - floor
    along, height = along + shift[0], height + shift[1]
    room = np.array([0.05 * body.length, 1.2 * radius.max()])
    points = np.stack([along, height], axis=-1).reshape(-1, 2)
    scale = fill(ax, points.min(axis=0) - room, points.max(axis=0) + room)
    touch = on_ground(part, scene.radius, land, shares)
    ground = shift[1, :, 0]
    for k, colour in enumerate(style.time_colours(len(number))):
        ax.axhline(ground[k], color=style.PALE, lw=1.0, zorder=1)
        _lane(ax, along[k], height[k], 2.0 * radius * scale, colour)
        foot = along[k, :-1, None] + shares * np.diff(along[k])[:, None]
        ax.plot(foot[touch[k]], np.full(int(touch[k].sum()), ground[k]), "^", ms=5, mfc=style.PATCH, mec="none",
                zorder=6, label="touches the ground" if k == 0 else None)  # fmt: skip
    style.dress(ax, "" if tall else "along the body [m]", "height [m]" if tall else "", "From the side")
    _name_lanes(ax, part.time, shift[0, :, 0] if tall else ground, tall)
    if touch.any():
        style.legend(ax, loc="lower right", bbox_to_anchor=(1.0, 1.0), framealpha=0.0, borderpad=0.1)


def _name_lanes(ax: Axes, times: FloatArray, places: FloatArray, tall: bool) -> None:
    """Write the instants beside the bodies."""
    axis = ax.xaxis if tall else ax.yaxis
    axis.set_ticks(places, [f"{t:.2f} s" for t in times])
    axis.set_tick_params(length=0)
    ax.grid(False)
    for label, colour in zip(axis.get_ticklabels(), style.time_colours(len(times)), strict=True):
        label.set_color(colour)
        label.set_fontweight("bold")


def _lane(ax: Axes, along: FloatArray, height: FloatArray, width: FloatArray, colour: Any) -> None:
    """One body, links as thick as they are."""
    for i in range(len(along) - 1):
        part = slice(i, i + 2)
        ax.plot(along[part], height[part], color=colour, lw=max(width[i], 1.6), solid_capstyle="round", zorder=3)
    ax.plot(along[1:-1], height[1:-1], "o", ms=max(0.4 * float(width.mean()), 1.0), mfc="white", mec="none", zorder=4)
    ax.plot(along[-1], height[-1], "o", ms=max(float(width[-1]), 4.0), mfc=colour, mec=style.INK, mew=1.1, zorder=5)
