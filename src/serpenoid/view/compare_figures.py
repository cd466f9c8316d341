"""Motions of one robot by several engines on paper: starts and ends, paths, rolls and contacts.

A motion is anything with engine (a name), time, place, axis, back and com, and for the number of contacts, contacts;
see `poses.poses_of`.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from serpenoid.core import FloatArray, World
from serpenoid.view import style
from serpenoid.view.camera import ELEVATION, Camera, distance_for, elevation_over, sight, with_room
from serpenoid.view.compare import actor, checked, colour_of, land_from
from serpenoid.view.figure import BINS, MOST_SWINGS, _swings
from serpenoid.view.land import Land
from serpenoid.view.picture import Picture
from serpenoid.view.poses import Poses
from serpenoid.view.snapshots import fill
from serpenoid.view.space_stage import ground_normal, scale_bar

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDE, ROW, HEAD = 10.0, 2.9, 0.75  # inches: width, height of a picture, room for the title
ACROSS = np.radians(90.0)  # between the line of sight and the way: it runs to the right
GHOST = "#c9cdd3"


def start_end(
    motions: Sequence[Any],
    path: str | Path,
    *,
    link_length: Any,
    radius: Any,
    world: World | None = None,
    title: str = "",
) -> Path:
    """Write start (pale) and end (coloured) of each motion in a picture of its own, all under the same camera."""
    bodies, land = checked(motions, link_length), land_from(world)
    high = HEAD + ROW * len(bodies)
    fig = style.canvas(WIDE, high)
    fig.text(0.03, 1.0 - 0.4 / high, title or "Start and end", fontsize=style.TITLE, fontweight="bold", va="center")
    camera = _camera(bodies, land, (WIDE - 0.4) / (ROW - 0.12))
    for k, (motion, body) in enumerate(zip(motions, bodies, strict=True)):
        box = (0.2 / WIDE, 1.0 - (HEAD + ROW * (k + 1)) / high + 0.06 / high, 1.0 - 0.4 / WIDE, (ROW - 0.12) / high)
        ax = fig.add_axes(box)
        first, last = body.pick(slice(0, 1)), body.pick(slice(-1, None))
        ghost = actor(first, first, radius, GHOST, False)._replace(mark=GHOST)
        scene = Picture(ax, [ghost, actor(last, body, radius, colour_of(k), False)], land, [camera], forces=False)
        scene.show(0)
        _way(ax, body, land, camera, colour_of(k))
        _says(
            ax, str(getattr(motion, "engine", f"motion {k + 1}")), body, colour_of(k), str(getattr(motion, "note", ""))
        )
        if k == len(bodies) - 1:
            scale_bar(ax, camera.scale, scene.aspect, None if land.bare else scene.spacing, size=style.LABEL)
    return style.save(fig, path)


def _camera(bodies: list[Poses], land: Land, aspect: float) -> Camera:
    """One camera that sees all starts and ends, the way of the first motion running to the right."""
    first = bodies[0]
    way = first.com[-1] - first.com[0]
    far = np.hypot(way[0], way[1]) > 0.2 * first.length
    ahead = np.arctan2(way[1], way[0]) if far else np.arctan2(*(first.node[0, -1] - first.node[0, 0])[1::-1])
    azimuth = np.array([ahead + ACROSS])
    axes = sight(float(azimuth[0]), max(ELEVATION, elevation_over(ground_normal(land), azimuth)))
    node = np.concatenate([body.node[k] for body in bodies for k in (0, -1)])
    flat = node @ axes.T
    target = (0.5 * (flat.min(axis=0) + flat.max(axis=0))) @ axes
    room = with_room(node[None], 0.1 * first.length)
    return Camera(target, axes, distance_for(room, target[None], axes[None], (0.47 * aspect, 0.4)))


def _way(ax: Axes, body: Poses, land: Land, camera: Camera, colour: str) -> None:
    """An arrow on the ground from where the centre of gravity was to where it is."""
    ends = body.com[[0, -1]] if land.bare else land.laid(body.com[[0, -1]])
    start, end = camera.see(ends)
    look = {"arrowstyle": "-|>", "color": style.INK, "lw": 1.6, "shrinkA": 0.0, "shrinkB": 0.0, "mutation_scale": 14}
    if np.hypot(*(end - start)) > 0.02:
        ax.annotate("", end, start, arrowprops=look, zorder=12)  # type: ignore[arg-type]
    ax.plot(*start, "o", ms=5, mfc="white", mec=style.INK, mew=1.2, zorder=13)
    ax.plot(*end, "o", ms=5, mfc=colour, mec=style.INK, mew=1.2, zorder=13)


def _says(ax: Axes, name: str, body: Poses, colour: str, note: str) -> None:
    """Name, displacement and time; below, what the engine has to say."""
    way, roll = body.com[-1] - body.com[0], np.degrees(body.roll)
    paper = {"facecolor": style.GROUND, "alpha": 0.85, "edgecolor": "none", "pad": 2.0}
    base: Any = {"transform": ax.transAxes, "va": "center", "zorder": 20, "bbox": paper}
    ax.text(0.015, 0.92, name, fontsize=style.LABEL + 3, fontweight="bold", color=colour, **base)
    said = f"{np.hypot(way[0], way[1]):.3g} m in {body.time[-1] - body.time[0]:.4g} s"
    parts = f"dx {way[0]:+.3f} m, dy {way[1]:+.3f} m, rolled {roll[-1] - roll[0]:+.0f}°".replace("-", "\u2212")
    ax.text(0.985, 0.92, said, fontsize=style.LABEL + 3, fontweight="bold", color=style.INK, ha="right", **base)
    ax.text(0.985, 0.82, parts, fontsize=style.LABEL, color=style.GREY, ha="right", **base)
    if note:
        ax.text(
            0.015, 0.82, note if len(note) < 70 else note[:67] + "...", fontsize=style.TICK, color=style.GREY, **base
        )


def compare_figure(motions: Sequence[Any], path: str | Path, *, link_length: Any = 0.0, title: str = "") -> Path:
    """Write the paths of the centres of gravity (equal scales), rolls and numbers of contacts of several motions."""
    bodies = checked(motions, link_length)
    fig = style.canvas(12.0, 6.2)
    paths = fig.add_axes((0.07, 0.11, 0.42, 0.71))
    rolls, touches = fig.add_axes((0.58, 0.545, 0.4, 0.275)), fig.add_axes((0.58, 0.11, 0.4, 0.275))
    means = False
    for k, (motion, body) in enumerate(zip(motions, bodies, strict=True)):
        look: Any = {"color": colour_of(k), "lw": max(3.4 - 0.7 * k, 1.2), "zorder": 2 + k}
        way = body.com[-1, :2] - body.com[0, :2]
        name = str(getattr(motion, "engine", f"motion {k + 1}"))
        paths.plot(*body.com[:, :2].T, label=f"{name}, {np.hypot(*way):.3g} m", **look)
        paths.plot(*body.com[-1, :2], "o", ms=6, mfc=colour_of(k), mec=style.INK, mew=1.0, zorder=12)
        thin = {**look, "lw": max(2.6 - 0.6 * k, 1.0)}
        rolls.plot(body.time, np.degrees(body.roll), **thin)
        count = np.asarray(getattr(motion, "contacts", ()), dtype=float)
        time = np.asarray(motion.time, dtype=float)
        if count.shape == time.shape:
            calm = _calmed(time, count)
            touches.plot(*calm, **thin)
            means = means or len(calm[0]) < len(time)
    places = np.concatenate([body.com[:, :2] for body in bodies])
    low, high = places.min(axis=0), places.max(axis=0)
    pad = 0.08 * max(float((high - low).max()), 1e-3)
    fill(paths, low - pad, high + pad)
    paths.plot(*bodies[0].com[0, :2], "o", ms=6, mfc="white", mec=style.INK, mew=1.2, zorder=13)
    style.dress(paths, "x (m)", "y (m)", "Paths of the centre of gravity")
    style.dress(rolls, "time (s)", "roll (deg)", "Roll about the axis, mean over the links")
    style.dress(touches, "time (s)", "contacts, means" if means else "contacts", "Contacts with the ground")
    if not touches.lines:
        touches.text(0.5, 0.5, "not recorded", transform=touches.transAxes, ha="center", color=style.GREY)
    for ax in (rolls, touches):
        ax.set_xlim(min(b.time[0] for b in bodies), max(max(b.time[-1] for b in bodies), 1e-9))
    touches.set_ylim(bottom=0.0)
    fig.text(0.02, 0.955, title or "One robot, several engines", fontsize=style.TITLE, fontweight="bold", va="center")
    fig.legend(*paths.get_legend_handles_labels(), loc="center left", bbox_to_anchor=(0.012, 0.9), ncols=len(bodies),
               fontsize=style.LABEL, frameon=False, handlelength=1.6)  # fmt: skip
    return style.save(fig, path)


def _calmed(time: FloatArray, values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """A curve, or its means over stretches of time where it swings too often to be read."""
    good = np.isfinite(values)
    time, values = time[good], values[good]
    size = len(values) // BINS
    if size < 2 or _swings(values[:, None]) <= MOST_SWINGS:
        return time, values
    part = slice(0, size * BINS)
    return time[part].reshape(BINS, -1).mean(axis=1), values[part].reshape(BINS, -1).mean(axis=1)
