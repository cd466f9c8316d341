"""A robot's way through a map as a film: walls, path, body with its half width, trail of the head, and what walls press on.

The whole map is always in view. Every artist is made once; `MapStage.picture` moves them to one instant and returns the pixels.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from serpenoid.core import FloatArray
from serpenoid.core.errors import InputError
from serpenoid.view import style
from serpenoid.view.film import instants, write_film

WIDE = 12.8  # inches of every film
ABOVE, BELOW, BESIDE = 0.13, 0.08, 0.02  # of the picture, for words
ARROW = 0.06  # longest arrow, of the map's larger side
FAINT = 0.01  # of the largest force: smaller ones are not drawn
LONGEST = 20.0  # s that a film without a given speed lasts at most
INCREMENT = 0.12  # s for an increment of a body that follows a path
HOLD = 0.8  # s: the last picture stays
THIN = 3.0  # pt: a body is drawn at least so wide


class Passed(Protocol):
    """What a film needs of an executed path (`execution.Passage`)."""

    kind: str
    status: str
    time: FloatArray  # (f,) s
    nodes: FloatArray  # (f, n + 1, 2) m
    feed_force: FloatArray  # (f,) N
    wall_force: FloatArray  # (f, n, 2) N
    wall_place: FloatArray  # (f, n, 2) m
    lateral_error: FloatArray  # (f,) m
    track: FloatArray  # (k, 2) m
    radius: FloatArray  # (n,) m


class Shown(NamedTuple):
    """Instants of a film and the frames before and after them."""

    time: FloatArray
    frame: NDArray[np.int64]
    share: FloatArray


@dataclass(frozen=True, eq=False)
class Take:
    """What is shown: a motion over time, forces where there are any, and words for an instant and its nearest frame."""

    time: FloatArray  # (f,) s
    nodes: FloatArray  # (f, n + 1, 2)
    radius: FloatArray  # (n,)
    track: FloatArray  # (k, 2)
    force: FloatArray  # (f, n, 2) N
    place: FloatArray  # (f, n, 2)
    title: str
    ending: str
    unit: str  # of lengths
    words: Callable[[float, int], tuple[str, str]]


def executed_take(run: Passed, speed: float = 1.0) -> Take:
    """The take of an executed path."""

    def words(time: float, frame: int) -> tuple[str, str]:
        push = f"feed force {run.feed_force[frame]:.1f} N, " if run.kind == "feed" else ""
        return f"t = {time:.2f} s", f"{push}lateral error {100.0 * run.lateral_error[frame]:.1f} cm"

    title = run.kind + (f", {speed:g} x speed" if speed != 1.0 else "")
    return Take(
        run.time, run.nodes, run.radius, run.track, run.wall_force, run.wall_place, title, run.status, "m", words
    )


def followed_take(following: Any, unit: str = "m") -> Take:
    """The take of a body that follows a path link by link (`planning.Following`)."""
    count, n = len(following.base), len(following.lengths)
    nearest, loose = following.clearance.min(axis=1), (~following.settled).sum(axis=1)

    def words(time: float, frame: int) -> tuple[str, str]:
        said = f", {loose[frame]} links unsettled" if loose[frame] else ""
        gap = f"{nearest[frame]:.3g} {unit} from a wall" if nearest[frame] > 0.0 else "in a wall"
        return f"increment {frame} of {count - 1}", f"nearest link {gap}{said}"

    nothing = np.zeros((count, n, 2))
    return Take(
        np.arange(count, dtype=np.float64) * min(INCREMENT, LONGEST / count), following.joints, np.full(n, following.half_width), following.path.points,
        nothing, np.full_like(nothing, np.nan), "following", following.status, unit, words,
    )  # fmt: skip


def following_film(
    following: Any, path: str | Path, fps: float = 30, size: tuple[int, int] = (1280, 720), *, unit: str = "m",
    progress: Callable[[float], None] | None = None,
) -> Path:  # fmt: skip
    """Write a film of a body following its path through the path's map, whose lengths are in `unit`."""
    take, area = followed_take(following, unit), following.path.map
    return write_film(
        path,
        fps,
        size,
        1.0,
        lambda fps, size: MapStage(take, area.solid, area.cell, (0.0, 0.0), fps, size, 1.0),
        progress,
    )


def map_film(
    run: Passed, walls: ArrayLike, cell: float, path: str | Path, fps: float = 30, size: tuple[int, int] = (1280, 720),
    speed: float | None = None, *, origin: tuple[float, float] = (0.0, 0.0), progress: Callable[[float], None] | None = None,
) -> Path:  # fmt: skip
    """Write a film of an executed path; `walls[i, j]` is a solid square of side `cell` (m) about origin + cell (i, j)."""
    if speed is None:
        speed = max(1.0, float(np.ceil((run.time[-1] - run.time[0]) / LONGEST)))
    rate = speed
    return write_film(
        path,
        fps,
        size,
        rate,
        lambda fps, size: MapStage(executed_take(run, rate), walls, cell, origin, fps, size, rate),
        progress,
    )


def map_still(
    run: Passed, walls: ArrayLike, cell: float, at: float, *, origin: tuple[float, float] = (0.0, 0.0)
) -> Any:
    """A figure of one instant `at` (s) of the film."""
    stage = MapStage(executed_take(run), walls, cell, origin, 1.0, (1280, 720), 1.0, np.array([at]))
    stage.picture(0)
    return stage.figure


class MapStage:
    """The artists of a film through a map."""

    def __init__(
        self, take: Take, walls: ArrayLike, cell: float, origin: tuple[float, float], fps: float, size: tuple[int, int],
        speed: float, times: FloatArray | None = None,
    ) -> None:  # fmt: skip
        self.take, solid = take, np.asarray(walls, dtype=bool)
        if solid.ndim != 2 or solid.size == 0:
            raise InputError(f"a map must have two dimensions, got shape {solid.shape}")
        if len(take.time) < 2:
            raise InputError("a film needs at least two recorded frames")
        end = float(take.time[-1])
        times = instants(float(take.time[0]), end + HOLD * speed, fps, speed) if times is None else times
        times = np.minimum(times, end)
        frame = np.clip(np.searchsorted(take.time, times, side="right") - 1, 0, len(take.time) - 2)
        share = (times - take.time[frame]) / (take.time[frame + 1] - take.time[frame])
        self.shown = Shown(times, frame, np.clip(share, 0.0, 1.0))
        wide, high = size
        self.figure = style.canvas(WIDE, WIDE * high / wide, wide / WIDE, style.GROUND)
        self.axes = self.figure.add_axes((0.0, 0.0, 1.0, 1.0))
        self.axes.set_axis_off()
        low = np.asarray(origin, dtype=float) - 0.5 * cell
        self.span = np.array(solid.shape) * cell
        self._set_view(low, wide / high)
        self._map(solid, low)
        self._body()
        self._words()

    def _set_view(self, low: FloatArray, aspect: float) -> None:
        """The whole map in the picture, with room for words above and below."""
        tall = max(self.span[1] / (1.0 - ABOVE - BELOW), self.span[0] / (1.0 - 2.0 * BESIDE) / aspect)
        middle = low + 0.5 * self.span
        bottom = middle[1] - 0.5 * tall * (1.0 + BELOW - ABOVE)
        self.axes.set_xlim(middle[0] - 0.5 * tall * aspect, middle[0] + 0.5 * tall * aspect)
        self.axes.set_ylim(bottom, bottom + tall)
        self.inch = WIDE / (tall * aspect)  # inches a metre

    def _map(self, solid: NDArray[np.bool_], low: FloatArray) -> None:
        paint = np.zeros((*solid.T.shape, 4))
        paint[solid.T] = style.rgba(style.GREY)
        extent = (low[0], low[0] + self.span[0], low[1], low[1] + self.span[1])
        self.axes.imshow(paint, origin="lower", extent=extent, interpolation="nearest", zorder=1, aspect="auto")
        self.axes.plot(*self.take.track.T, color=style.BLUE, lw=1.4, ls=(0, (5, 3)), zorder=2)
        self.axes.plot(*self.take.track[-1], marker="*", ms=16, color=style.ORANGE, mec=style.INK, mew=0.8, zorder=6)

    def _body(self) -> None:
        from matplotlib.collections import LineCollection

        n = len(self.take.radius)
        thick = np.maximum(2.0 * self.take.radius * self.inch * 72.0, THIN)
        self.thick = float(thick.max())
        (self.trail,) = self.axes.plot([], [], color=style.ORANGE, lw=1.4, zorder=3)
        self.edges = LineCollection([], colors=style.OUTLINE, linewidths=thick + 1.6, capstyle="round", zorder=4)
        colours = [style.SKIN if i % 2 else style.SKIN_DARK for i in range(n - 1)] + [style.ORANGE]
        self.links = LineCollection([], colors=colours, linewidths=thick, capstyle="round", zorder=5)
        for lines in (self.edges, self.links):
            self.axes.add_collection(lines, autolim=False)
        self.force = float(np.hypot(*np.moveaxis(self.take.force, -1, 0)).max(initial=0.0))
        long = ARROW * float(self.span.max())
        zero = np.zeros(n)
        self.arrows = self.axes.quiver(
            zero, zero, zero, zero, angles="xy", scale_units="xy", scale=max(self.force, 1e-12) / long, units="inches", width=0.03,
            headwidth=3.4, headlength=4.0, headaxislength=3.6, color=style.FORCE, zorder=7, minlength=0.5,
        )  # fmt: skip

    def _words(self) -> None:
        base: dict[str, Any] = {"transform": self.axes.transAxes, "zorder": 10, "va": "center"}
        soft = {**base, "fontsize": 16, "color": style.GREY}
        self.clock = self.axes.text(
            0.025, 1.0 - 0.38 * ABOVE, "", fontsize=24, fontweight="bold", color=style.INK, **base
        )
        self.said = self.axes.text(0.025, 1.0 - 0.8 * ABOVE, "", **soft)
        self.named = self.axes.text(0.975, 1.0 - 0.38 * ABOVE, "", ha="right", **soft)
        if self.force > 0.0:
            words = f"forces of the walls, the largest drawn {self.force:.3g} N"
            self.axes.text(0.975, 1.0 - 0.8 * ABOVE, words, ha="right", **{**soft, "color": style.FORCE})
        bar = style.round_below(0.25 * float(self.span[0]))
        share = bar * self.inch / WIDE
        self.axes.plot(
            [0.025, 0.025 + share], [0.5 * BELOW] * 2, lw=5, solid_capstyle="butt", color=style.INK, zorder=10,
            transform=self.axes.transAxes,
        )  # fmt: skip
        self.axes.text(0.035 + share, 0.5 * BELOW, f"{bar:g} {self.take.unit}", **{**soft, "color": style.INK})

    def picture(self, k: int) -> NDArray[np.uint8]:
        """Pixels of instant k, (height, width, 4)."""
        take, frame, share = self.take, int(self.shown.frame[k]), float(self.shown.share[k])
        nodes = (1.0 - share) * take.nodes[frame] + share * take.nodes[frame + 1]
        near = frame + int(share > 0.5)
        segments = list(np.stack([nodes[:-1], nodes[1:]], axis=1))
        self.edges.set_segments(segments)
        self.links.set_segments(segments)
        self.trail.set_data(*np.vstack([take.nodes[: frame + 1, -1], nodes[-1]]).T)
        self._press(near)
        ended = self.shown.time[k] >= take.time[-1]
        self.named.set_text(f"{take.title}: {take.ending}" if ended else take.title)
        clock, said = take.words(float(self.shown.time[k]), near)
        self.clock.set_text(clock)
        self.said.set_text(said)
        canvas = self.figure.canvas
        canvas.draw()
        return np.asarray(canvas.buffer_rgba())  # type: ignore[attr-defined]

    def _press(self, frame: int) -> None:
        """Arrows of the walls' forces, with their tips where they press."""
        force, place = self.take.force[frame], self.take.place[frame]
        size = np.hypot(force[:, 0], force[:, 1])
        seen = np.isfinite(place).all(axis=1) & (size > FAINT * max(self.force, 1e-12))
        shown = np.where(seen[:, None], force, 0.0)
        tail = np.where(seen[:, None], place, 0.0) - shown / max(self.force, 1e-12) * ARROW * float(self.span.max())
        self.arrows.set_offsets(tail)
        self.arrows.set_UVC(*shown.T)
