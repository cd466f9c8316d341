"""Runs of one robot by several engines on paper: starts and ends, paths, rolls and contacts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from serpenoid.core import FloatArray, Trajectory
from serpenoid.core.door import door
from serpenoid.view import style
from serpenoid.view.camera import ELEVATION, Camera, distance_for, elevation_over, sight, with_room
from serpenoid.view.compare import colour_of, names_of, scenes_of
from serpenoid.view.panels import BINS, MOST_SWINGS, swings
from serpenoid.view.picture import Picture, actor_of
from serpenoid.view.poses import Poses
from serpenoid.view.scene import Scene
from serpenoid.view.sheet import Sheet
from serpenoid.view.snapshots import fill

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDE, ROW, HEAD = 10.0, 2.9, 0.75  # inches: width, height of a picture, room for the title
ACROSS = np.radians(90.0)  # between the line of sight and the way: it runs to the right
GHOST = "#c9cdd3"


@door
def start_end(
    runs: Sequence[Trajectory], path: str | Path, *, names: Sequence[str] | None = None, title: str = ""
) -> Path:
    """Write start (pale) and end (coloured) of each run in a picture of its own, all under the same camera."""
    scenes, called = scenes_of(runs), names_of(runs, names)
    high = HEAD + ROW * len(scenes)
    fig = style.canvas(WIDE, high)
    fig.text(0.03, 1.0 - 0.4 / high, title or "Start and end", fontsize=style.TITLE, fontweight="bold", va="center")
    camera = _camera(scenes, (WIDE - 0.4) / (ROW - 0.12))
    for k, (run, scene, name) in enumerate(zip(runs, scenes, called, strict=True)):
        box = (0.2 / WIDE, 1.0 - (HEAD + ROW * (k + 1)) / high + 0.06 / high, 1.0 - 0.4 / WIDE, (ROW - 0.12) / high)
        ax, body = fig.add_axes(box), scene.body
        first, last = body.pick(slice(0, 1)), body.pick(slice(-1, None))
        ghost = actor_of(scene, first, GHOST, False)._replace(whole=first, mark=GHOST)
        view = space_axes(ax, [ghost, actor_of(scene, last, colour_of(k), False)], scene, camera)
        _way(ax, scene, camera, colour_of(k))
        _tell(ax, name, body, colour_of(k), str(run.provenance.get("note", "")))
        if k == len(scenes) - 1:
            _scale(ax, camera.scale, view.aspect, "" if scene.land.bare else f"  (grid {view.spacing:g} m)")
    return style.save(fig, path)


def space_axes(ax: Axes, actors: list[Any], scene: Scene, camera: Camera, fade: float = 12.0) -> Picture:
    """Draw bodies in space on Axes, whose coordinates become picture heights from the middle."""
    box = ax.get_window_extent()
    size = (max(2, round(box.width)), max(2, round(box.height)))
    sheet = Sheet(size, unit=ax.get_figure(root=True).dpi / 100.0)  # type: ignore[union-attr]
    picture = Picture(actors, scene.land, [camera], size, unit=sheet.unit, forces=False, fade=fade)
    picture.draw(sheet, 0)
    half = 0.5 * picture.aspect
    ax.imshow(sheet.pixels[..., :3], extent=(-half, half, -0.5, 0.5), aspect="auto", interpolation="nearest", zorder=0)
    ax.set_xlim(-half, half)
    ax.set_ylim(-0.5, 0.5)
    ax.set_axis_off()
    return picture


def _scale(ax: Axes, scale: float, aspect: float, more: str) -> None:
    """A bar of round length in the lower left corner; `scale` in picture heights of a metre."""
    bar = style.round_below(0.25 * aspect / scale)
    share = bar * scale / aspect
    ax.plot(
        [0.025, 0.025 + share], [0.05, 0.05], solid_capstyle="butt", color=style.INK, lw=3.4, transform=ax.transAxes
    )
    ax.text(0.025, 0.085, f"{bar:g} m{more}", fontsize=style.LABEL, color=style.INK, transform=ax.transAxes)


def _camera(scenes: list[Scene], aspect: float) -> Camera:
    """One camera that sees all starts and ends, the way of the first run running to the right."""
    first = scenes[0].body
    way = first.com[-1] - first.com[0]
    far = np.hypot(way[0], way[1]) > 0.2 * first.length
    ahead = np.arctan2(way[1], way[0]) if far else np.arctan2(*(first.node[0, -1] - first.node[0, 0])[1::-1])
    azimuth = np.array([ahead + ACROSS])
    axes = sight(float(azimuth[0]), max(ELEVATION, elevation_over(scenes[0].normal, azimuth)))
    node = np.concatenate([scene.body.node[k] for scene in scenes for k in (0, -1)])
    flat = node @ axes.T
    target = (0.5 * (flat.min(axis=0) + flat.max(axis=0))) @ axes
    room = with_room(node[None], 0.1 * first.length)
    return Camera(target, axes, distance_for(room, target[None], axes[None], (0.47 * aspect, 0.4)))


def _way(ax: Axes, scene: Scene, camera: Camera, colour: str) -> None:
    """An arrow on the ground from where the centre of gravity was to where it is."""
    ends = scene.body.com[[0, -1]]
    ends = ends if scene.land.bare else scene.land.laid(ends)
    start, end = camera.see(ends)
    look = {"arrowstyle": "-|>", "color": style.INK, "lw": 1.6, "shrinkA": 0.0, "shrinkB": 0.0, "mutation_scale": 14}
    if np.hypot(*(end - start)) > 0.02:
        ax.annotate("", end, start, arrowprops=look, zorder=12)  # type: ignore[arg-type]
    ax.plot(*start, "o", ms=5, mfc="white", mec=style.INK, mew=1.2, zorder=13)
    ax.plot(*end, "o", ms=5, mfc=colour, mec=style.INK, mew=1.2, zorder=13)


def _tell(ax: Axes, name: str, body: Poses, colour: str, note: str) -> None:
    """Name, displacement and time; below, what is to be noted."""
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


@door
def compare_figure(
    runs: Sequence[Trajectory], path: str | Path, *, names: Sequence[str] | None = None, title: str = ""
) -> Path:
    """Write the paths of the centres of gravity (equal scales), rolls and numbers of contacts of several runs."""
    bodies, called = [scene.body for scene in scenes_of(runs)], names_of(runs, names)
    fig = style.canvas(12.0, 6.2)
    paths = fig.add_axes((0.07, 0.11, 0.42, 0.71))
    rolls, touches = fig.add_axes((0.58, 0.545, 0.4, 0.275)), fig.add_axes((0.58, 0.11, 0.4, 0.275))
    means = False
    for k, (run, body, name) in enumerate(zip(runs, bodies, called, strict=True)):
        look: Any = {"color": colour_of(k), "lw": max(3.4 - 0.7 * k, 1.2), "zorder": 2 + k}
        way = body.com[-1, :2] - body.com[0, :2]
        paths.plot(*body.com[:, :2].T, label=f"{name}, {np.hypot(*way):.3g} m", **look)
        paths.plot(*body.com[-1, :2], "o", ms=6, mfc=colour_of(k), mec=style.INK, mew=1.0, zorder=12)
        thin = {**look, "lw": max(2.6 - 0.6 * k, 1.0)}
        rolls.plot(body.time, np.degrees(body.roll), **thin)
        if "contact_count" in run.variables:
            calm = _calmed(run["time"], run["contact_count"])
            touches.plot(*calm, **thin)
            means = means or len(calm[0]) < len(run["time"])
    places = np.concatenate([body.com[:, :2] for body in bodies])
    low, high = places.min(axis=0), places.max(axis=0)
    pad = 0.08 * max(float((high - low).max()), 1e-3)
    fill(paths, low - pad, high + pad)
    paths.plot(*bodies[0].com[0, :2], "o", ms=6, mfc="white", mec=style.INK, mew=1.2, zorder=13)
    style.dress(paths, "x [m]", "y [m]", "Paths of the centre of gravity")
    style.dress(rolls, "time [s]", "roll [deg]", "Roll about the axis, mean over the links")
    style.dress(touches, "time [s]", "contacts, means" if means else "contacts", "Contacts with the ground")
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
    if size < 2 or swings(values[:, None]) <= MOST_SWINGS:
        return time, values
    part = slice(0, size * BINS)
    return time[part].reshape(BINS, -1).mean(axis=1), values[part].reshape(BINS, -1).mean(axis=1)
