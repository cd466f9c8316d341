"""What a film of a run in space shows: the picture under a moving camera, a map, clock, distance, roll, scales."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from serpenoid.core import FloatArray, Trajectory
from serpenoid.view import decals, style
from serpenoid.view.camera import azimuths, follow
from serpenoid.view.land import Land, contact_shares, land_of
from serpenoid.view.picture import ARROW, Actor, Picture
from serpenoid.view.poses import Poses, drawn_radius, poses, radius_of
from serpenoid.view.stage import WIDE

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ROOM = 0.07  # body lengths round the body that stay in the picture
HALF = (0.36, 0.36)  # of the picture's width and height from the middle: where the body stays
LONG, LONGEST = 30.0, 20.0  # s: a longer run is shown faster by itself, so that its film is not longer than that
CLIMB = 0.1  # body lengths of height from which it is told
FADE = 10.0  # s, in film time: how long a track stays strong


def playback(span: float) -> float:
    """How many times faster than it was a run of so many seconds is shown, where nothing else is asked for."""
    return 1.0 if span <= LONG else float(np.ceil(span / LONGEST - 1e-9))


def actor_of(run: Trajectory, shown: Poses, whole: Poses) -> Actor:
    """A run's body as the film draws it."""
    radius = radius_of(run)
    return Actor(shown, whole, drawn_radius(radius, whole), radius, contact_shares(run))


def ground_normal(land: Land) -> FloatArray:
    """Normal of the ground as a whole, for the camera."""
    return np.array([0.0, 0.0, 1.0]) if land.ground.heights is not None else land.ground.normal


class SpaceStage:
    """The artists of a film of one run in space."""

    def __init__(
        self, run: Trajectory, times: FloatArray, fps: float, size: tuple[int, int], title: str, speed: float = 1.0
    ) -> None:
        """Lay out the instants."""
        wide, high = size
        self.whole, self.land = poses(run), land_of(run)
        self.shown = self.whole.at(times)
        self.roll = np.degrees(np.interp(self.shown.time, self.whole.time, self.whole.roll))
        self.climbs = float(np.ptp(self.whole.com[:, 2])) > CLIMB * self.whole.length
        self.figure = style.canvas(WIDE, WIDE * high / wide, wide / WIDE, style.GROUND)
        self.axes = self.figure.add_axes((0.0, 0.0, 1.0, 1.0))
        half = (HALF[0] * wide / high, HALF[1])
        length, azimuth = self.whole.length, azimuths(self.shown, fps)
        cameras = follow(self.shown.node, azimuth, length, fps, ground_normal(self.land), half, ROOM * length)
        actor = actor_of(run, self.shown, self.whole)
        self.scene = Picture(self.axes, [actor], self.land, cameras, fade=FADE * speed)
        self.scale = cameras[0].scale  # picture heights a metre, at the body
        self.map = Map(self.figure.add_axes((0.855, 0.635, 0.12, 0.26)), [(self.whole, style.SKIN)], self.land)
        self._words(title)

    def _words(self, title: str) -> None:
        """Clock and distance; title and scales, which never change, once and for all."""
        self.clock = write(self.axes, 0.025, 0.955, "", fontsize=26, fontweight="bold", va="center")
        self.moved = write(self.axes, 0.025, 0.895, "", color=style.GREY, va="center")
        over, scene = Overlay(self.figure), self.scene
        write(over.axes, 0.975, 0.955, title, color=style.GREY, va="center", ha="right")
        write(over.axes, 0.915, 0.914, "from above", color=style.GREY, va="center", ha="center", fontsize=11)
        slope = abs(np.degrees(self.land.ground.slope))
        if slope > 0.0 and self.land.ground.heights is None:
            write(
                over.axes, 0.915, 0.61, f"uphill, {slope:.3g}°", color=style.RED, va="center", ha="center", fontsize=12
            )
        scale_bar(over.axes, self.scale, scene.aspect, None if self.land.bare else scene.spacing)
        unit = style.round_below(scene.force)
        if unit > 0.0:
            long = unit / scene.force * ARROW * self.shown.length * self.scale / scene.aspect
            over.axes.annotate(
                "", (0.975, 0.05), (0.975 - long, 0.05), xycoords="axes fraction",
                arrowprops={"color": style.FORCE, "arrowstyle": "-|>", "lw": 2.2, "shrinkA": 0.0, "shrinkB": 0.0},
            )  # fmt: skip
            write(over.axes, 0.975, 0.072, f"contact force {unit:g} N", ha="right", va="bottom")
        self.still = over.layers()

    def picture(self, k: int) -> NDArray[np.uint8]:
        """Pixels of instant k, (height, width, 4)."""
        self.scene.show(k)
        com, time = self.shown.com, float(self.shown.time[k])
        self.map.show([time])
        self.clock.set_text(f"t = {time:.2f} s")
        way = com[k] - com[0]
        height = f", height {round(way[2], 2) + 0.0:.2f} m" if self.climbs else ""
        self.moved.set_text(f"distance {np.hypot(way[0], way[1]):.2f} m{height}, roll {round(self.roll[k])}°")
        return pixels(self.figure, self.still)


class Overlay:
    """What is drawn once and laid over every picture: text takes Matplotlib longer than the whole robot."""

    def __init__(self, figure: Any) -> None:
        """Make an empty layer of a figure's size."""
        wide, high = figure.get_size_inches()
        self.figure = style.canvas(wide, high, figure.dpi)
        self.figure.patch.set_alpha(0.0)
        self.axes = self.figure.add_axes((0.0, 0.0, 1.0, 1.0))
        self.axes.set_axis_off()
        self.axes.set_xlim(0.0, 1.0)
        self.axes.set_ylim(0.0, 1.0)

    def layers(self) -> list[tuple[Any, Any, Any]]:
        """Place, opacity and colour times opacity of the parts that are not empty, one a quarter of the picture."""
        self.figure.canvas.draw()
        whole = np.asarray(self.figure.canvas.buffer_rgba()).astype(np.uint16)  # type: ignore[attr-defined]
        high, wide = whole.shape[0] // 2, whole.shape[1] // 2
        found = []
        for rows, columns in (
            (a, b) for a in (slice(0, high), slice(high, None)) for b in (slice(0, wide), slice(wide, None))
        ):
            inked = np.argwhere(whole[rows, columns, 3] > 0)
            if inked.size:
                (top, left), (bottom, right) = inked.min(axis=0), inked.max(axis=0) + 1
                y, x = rows.start + top, columns.start + left
                box = (slice(y, y + bottom - top), slice(x, x + right - left), slice(0, 3))
                alpha = whole[box[0], box[1], 3:]
                found.append((box, 255 - alpha, whole[box] * alpha))
        return found


def pixels(figure: Any, layers: list[tuple[Any, Any, Any]]) -> NDArray[np.uint8]:
    """Draw a figure, with layers over it, (height, width, 4)."""
    figure.canvas.draw()
    picture = np.array(figure.canvas.buffer_rgba())
    for box, clear, colour in layers:
        picture[box] = (picture[box] * clear + colour) // 255
    return picture


def write(ax: Axes, x: float, y: float, text: str, **options: Any) -> Any:
    """Put words at shares of a picture, on a ground that keeps them readable."""
    paper = {"facecolor": style.GROUND, "alpha": 0.85, "edgecolor": "none", "pad": 3.0}
    plain = {"transform": ax.transAxes, "zorder": 20, "fontsize": 16, "color": style.INK, "bbox": paper}
    return ax.text(x, y, text, **{**plain, **options})


def scale_bar(ax: Axes, scale: float, aspect: float, spacing: float | None, size: float = 16.0) -> None:
    """A bar of round length in the lower left corner, true at the body; `scale` in picture heights a metre."""
    bar = style.round_below(0.25 * aspect / scale)
    share, look = bar * scale / aspect, {"color": style.INK, "lw": 0.31 * size, "transform": ax.transAxes, "zorder": 20}
    ax.plot([0.025, 0.025 + share], [0.05, 0.05], solid_capstyle="butt", **look)  # type: ignore[arg-type]
    write(
        ax,
        0.025,
        0.072,
        f"{bar:g} m" + ("" if spacing is None else f"  (grid {spacing:g} m)"),
        va="bottom",
        fontsize=size,
    )


class Map:
    """The whole way from above, small, with the bodies where they are."""

    def __init__(self, ax: Axes, bodies: list[tuple[Poses, str]], land: Land) -> None:
        self.bodies = bodies
        ax.set_facecolor((1.0, 1.0, 1.0, 0.85))
        ax.set_xticks([])
        ax.set_yticks([])
        for spine in ax.spines.values():
            spine.set_color(style.PALE)
        places = np.concatenate([body.node[..., :2].reshape(-1, 2) for body, _ in bodies])
        low, high = places.min(axis=0), places.max(axis=0)
        box = ax.get_window_extent()
        shape = np.array([box.width, box.height])
        half = 0.5 * shape * float(((high - low) / shape).max()) * 1.16
        middle = 0.5 * (low + high)
        ax.set_xlim(middle[0] - half[0], middle[0] + half[0])
        ax.set_ylim(middle[1] - half[1], middle[1] + half[1])
        for outline in decals.footprints(land):
            ax.fill(*outline.T, fc=style.STONE, ec="none", zorder=0.5)
        if land.ground.slope != 0.0 and land.ground.heights is None:
            way = np.sign(land.ground.slope) * np.array(
                [np.cos(land.ground.slope_direction), np.sin(land.ground.slope_direction)]
            )
            look = {"color": style.RED, "arrowstyle": "-|>", "lw": 1.6, "shrinkA": 0.0, "shrinkB": 0.0}
            place = {"xycoords": "axes fraction", "textcoords": "axes fraction"}
            tail, reach = np.array([0.84, 0.86]), 0.09 * way * np.array([1.0, box.width / box.height])
            ax.annotate("", tail + reach, tail - reach, arrowprops=look, **place)  # type: ignore[arg-type]
        self.artists = []
        for body, colour in bodies:
            every = max(1, len(body.time) // 1500)
            ax.plot(*body.com[::every, :2].T, color=style.PALE, lw=1.2, zorder=1)
            (way,) = ax.plot([], [], color=style.GREY if len(bodies) == 1 else colour, lw=1.2, zorder=2)
            (line,) = ax.plot([], [], color=colour, lw=3.0, solid_capstyle="round", solid_joinstyle="round", zorder=3)
            (head,) = ax.plot([], [], "o", ms=5, mfc=style.ORANGE if len(bodies) == 1 else colour, mec="none", zorder=4)
            self.artists.append((way, line, head, every))

    def show(self, times: list[float]) -> None:
        """Move the bodies to a time each."""
        for (body, _), (way, line, head, every), time in zip(self.bodies, self.artists, times, strict=True):
            k = int(np.argmin(np.abs(body.time - time)))
            way.set_data(*body.com[: k + 1 : every, :2].T)
            line.set_data(*body.node[k, :, :2].T)
            head.set_data(*body.node[k, -1:, :2].T)
