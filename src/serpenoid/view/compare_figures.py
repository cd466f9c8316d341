"""Runs of one robot by several engines on paper: starts and ends, paths, rolls and contacts."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from serpenoid.core import FloatArray, Trajectory
from serpenoid.core.door import door
from serpenoid.view import style
from serpenoid.view.camera import ELEVATION, Camera, distance_for, elevation_over, sight, with_room
from serpenoid.view.compare import colour_of, names_of, scenes_of
from serpenoid.view.inset import roll_text
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
WIDE_RANGE = 30.0  # from the least to the greatest difference: more, and the scale is logarithmic


@door
def start_end(
    runs: Sequence[Trajectory], path: str | Path, *, names: Sequence[str] | None = None, title: str = ""
) -> Path:
    """Write start (pale) and end (coloured) of each run in a picture of its own, all under the same camera."""
    scenes, called = scenes_of(runs), names_of(runs, names)
    high = HEAD + ROW * len(scenes)
    fig = style.canvas(WIDE, high)
    fig.text(0.03, 1.0 - 0.4 / high, title or "Start and end", fontsize=style.TITLE, fontweight="bold", va="center")
    style.caption(fig, "All engines under the same camera. Grey: start; coloured: end, with bands where it touches the ground; arrow: way of the centre of gravity. "
                  "Equal pictures are agreement.")  # fmt: skip
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
    parts = f"dx {way[0]:+.3f} m, dy {way[1]:+.3f} m, rolled {roll_text(roll[-1] - roll[0])}".replace("-", "\u2212")
    ax.text(0.985, 0.92, said, fontsize=style.LABEL + 3, fontweight="bold", color=style.INK, ha="right", **base)
    ax.text(0.985, 0.82, parts, fontsize=style.LABEL, color=style.GREY, ha="right", **base)
    if note:
        ax.text(
            0.015,
            0.85,
            "\n".join(textwrap.wrap(note, 62)[:3]),
            fontsize=style.TICK,
            color=style.GREY,
            **{**base, "va": "top"},
        )


@door
def compare_figure(
    runs: Sequence[Trajectory], path: str | Path, *, names: Sequence[str] | None = None, title: str = ""
) -> Path:
    """Write the paths of the centres of gravity (equal scales), and how far each run is from the first: place, roll, contacts."""
    bodies, called = [scene.body for scene in scenes_of(runs)], names_of(runs, names)
    fig = style.canvas(12.8, 7.2)
    paths = fig.add_axes((0.075, 0.1, 0.385, 0.71))
    rows = [fig.add_axes((0.56, 0.1 + 0.255 * k, 0.42, 0.165)) for k in (2, 1, 0)]
    _paths(paths, bodies, called)
    apart = [_apart(bodies[0], body) for body in bodies]
    for k, (run, body) in enumerate(zip(runs, bodies, strict=True)):
        if k == 0:
            continue
        look: Any = {"color": colour_of(k), "lw": 1.5, "zorder": 2 + k}
        rows[0].plot(body.time, 1e3 * apart[k][0], **look)
        rows[1].plot(body.time, np.degrees(apart[k][1]), **look)
        if all("contact_count" in r.variables for r in (runs[0], run)):
            first = np.interp(run["time"], runs[0]["time"], runs[0]["contact_count"])
            rows[2].plot(*_calmed(run["time"], run["contact_count"] - first), **look)
    _differences(rows, bodies, [1e3 * a[0] for a in apart[1:]], called[0])
    fig.text(0.02, 0.955, title or "One robot, several engines", fontsize=style.TITLE, fontweight="bold", va="center")
    fig.legend(*paths.get_legend_handles_labels(), loc="center left", bbox_to_anchor=(0.012, 0.9), ncols=len(bodies),
               fontsize=style.LABEL if len(bodies) < 5 else style.TICK - 1, frameon=False, handlelength=1.4, columnspacing=1.2)  # fmt: skip
    far = ", ".join(f"{name} {1e3 * a[0][-1]:.3g} mm" for name, a in zip(called[1:], apart[1:], strict=True))
    style.caption(
        fig,
        f"Left: the ways lie on each other where engines agree. Right: each engine less {called[0]} at the same time, so that a "
        f"line at zero is agreement." + (f" At the end the centres of gravity are apart by: {far}." if far else ""),
    )
    return style.save(fig, path)


def _paths(ax: Axes, bodies: list[Poses], called: list[str]) -> None:
    """The ways of the centres of gravity: the first as a wide pale band, the others as lines on it."""
    for k, (body, name) in enumerate(zip(bodies, called, strict=True)):
        colour = colour_of(k) if k else style.mixed(colour_of(0), "#ffffff", 0.45)
        way = body.com[-1, :2] - body.com[0, :2]
        look: Any = {"lw": 7.0 if k == 0 else 1.5, "solid_capstyle": "round", "zorder": 2 + k}
        ax.plot(*body.com[:, :2].T, color=colour, label=f"{name} {np.hypot(*way):.3g} m", **look)
        ax.plot(*body.com[-1, :2], "o", ms=8 - k, mfc=colour_of(k), mec=style.INK, mew=0.8, zorder=12)
    places = np.concatenate([body.com[:, :2] for body in bodies])
    low, high = places.min(axis=0), places.max(axis=0)
    pad = 0.08 * max(float((high - low).max()), 1e-3)
    fill(ax, low - pad, high + pad)
    ax.plot(*bodies[0].com[0, :2], "o", ms=7, mfc="white", mec=style.INK, mew=1.2, zorder=13)
    x, y = bodies[0].com[0, :2]
    ax.annotate("start", (x, y), (9, 7), textcoords="offset points", fontsize=style.TICK, color=style.INK)
    style.dress(ax, "x [m]", "y [m]", "Ways of the centre of gravity, from above")


def _apart(first: Poses, other: Poses) -> tuple[FloatArray, FloatArray]:
    """Distance (t,) m of the centres of gravity of two runs at the same times, and difference (t,) rad of their rolls."""
    at = np.clip(other.time, first.time[0], first.time[-1])
    place = np.stack([np.interp(at, first.time, first.com[:, e]) for e in range(3)], axis=1)
    return np.linalg.norm(other.com - place, axis=1), other.roll - np.interp(at, first.time, first.roll)


def _differences(rows: list[Axes], bodies: list[Poses], far: list[FloatArray], first: str) -> None:
    """Dress the panels of differences; distances of very different size get a logarithmic scale."""
    style.dress(rows[0], "", "apart [mm]", f"Distance from {first}, centre of gravity")
    style.dress(rows[1], "", "roll [deg]", f"Roll less that of {first}, mean over the links")
    style.dress(rows[2], "time [s]", "contacts", f"Contacts with the ground less those of {first}")
    largest = [float(np.nanmax(x)) for x in far if np.isfinite(x).any() and np.nanmax(x) > 0.0]
    if largest and max(largest) > WIDE_RANGE * min(largest):
        rows[0].set_yscale("log")
        rows[0].set_ylim(1e-3 * max(min(largest), 1e-6), 3.0 * max(largest))
    for ax in rows:
        ax.set_xlim(min(b.time[0] for b in bodies), max(max(b.time[-1] for b in bodies), 1e-9))
        if ax.get_yscale() == "linear":
            ax.axhline(0.0, color=style.GREY, lw=0.8)
            ax.locator_params(axis="y", nbins=4)
            ax.ticklabel_format(axis="y", scilimits=(-3, 4))
            ax.yaxis.get_offset_text().set_fontsize(style.TICK - 1)
        if len(bodies) == 1:
            ax.text(0.5, 0.6, "one run: nothing to compare with", transform=ax.transAxes, ha="center", color=style.GREY)
        elif not [line for line in ax.lines if len(line.get_xdata()) > 2]:  # type: ignore[arg-type]
            ax.text(0.5, 0.6, "not recorded", transform=ax.transAxes, ha="center", color=style.GREY)


def _calmed(time: FloatArray, values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """A curve, or its means over stretches of time where it swings too often to be read."""
    good = np.isfinite(values)
    time, values = time[good], values[good]
    size = len(values) // BINS
    if size < 2 or swings(values[:, None]) <= MOST_SWINGS:
        return time, values
    part = slice(0, size * BINS)
    return time[part].reshape(BINS, -1).mean(axis=1), values[part].reshape(BINS, -1).mean(axis=1)
