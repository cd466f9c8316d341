"""What a film shows: ground with a grid, robot, forces, trail, clock and scale under a moving camera.

Every artist is made once; `Stage.picture` moves them to one instant and returns the pixels.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from serpenoid.core import FloatArray
from serpenoid.view import style
from serpenoid.view.record import Scene

WIDE = 12.8  # inches of every film; a smaller film is the same picture at fewer dots an inch
ROOM = 1.12  # view over what must be seen
GRID = 14  # lines across the view, about
ARROW = 0.11  # longest arrow, in body lengths
ARROWS = 60
THICK, THICK_LEAST, THICK_MOST = 0.5, 0.012, 0.045  # body width in links, and its bounds in body lengths
CALM = 0.6  # s, in film time: how smoothly the camera follows
ASTRAY = 0.1  # body lengths that the camera may be off the centre of gravity; a wilder path is followed closer
HEAD = 0.04  # of the body length coloured as head, one link at least
TRAIL = 6000  # points of the trail at most


def camera_path(com: FloatArray, fps: float, astray: float) -> FloatArray:
    """Centre of the view, (t, 2 or 3): the smoothest low-pass of `com` that stays within `astray` (m) of it."""
    for halving in range(12):
        path = smoothed(com, CALM * fps / 2**halving)
        if np.linalg.norm(path - com, axis=1).max() <= astray:
            return path
    return com


def smoothed(com: FloatArray, sigma: float) -> FloatArray:
    """Run a path through a Gaussian low-pass, which neither leads nor lags."""
    reach = int(min(4 * sigma, 5000)) + 1
    kernel = np.exp(-0.5 * (np.arange(-reach, reach + 1) / sigma) ** 2)
    kernel /= kernel.sum()
    # go on beyond both ends as the path does at them, by reflection through the end point
    before = 2.0 * com[0] - com[np.minimum(np.arange(reach, 0, -1), len(com) - 1)]
    after = 2.0 * com[-1] - com[np.maximum(len(com) - 1 - np.arange(1, reach + 1), 0)]
    padded = np.vstack([before, com, after])
    return np.column_stack([np.convolve(padded[:, k], kernel, mode="valid") for k in range(com.shape[1])])


class Stage:
    """The artists of a film of one scene."""

    def __init__(self, shown: Scene, whole: Scene, fps: float, size: tuple[int, int], title: str) -> None:
        """Lay out the instants `shown`; `whole` holds all recorded frames, for the trail."""
        wide, high = size
        self.shown, self.whole = shown, whole
        self.figure = style.canvas(WIDE, WIDE * high / wide, wide / WIDE, style.GROUND)
        self.axes = self.figure.add_axes((0.0, 0.0, 1.0, 1.0))
        self.axes.set_axis_off()
        links = np.hypot(*np.diff(shown.node[0], axis=0).T)
        self.length = float(links.sum())
        self.camera = camera_path(shown.com, fps, ASTRAY * self.length)
        self.view = self._view(wide / high)
        self.inch = WIDE / (2.0 * self.view[0])  # inches a metre
        thick = np.clip(THICK * links.mean(), THICK_LEAST * self.length, THICK_MOST * self.length)
        self.thick = float(thick) * self.inch * 72.0  # pt
        self.head_links = max(1, round(HEAD * len(links)))
        self._ground()
        self._robot()
        self._words(title)

    def _view(self, aspect: float) -> tuple[float, float]:
        """Half width and half height in m: the body at every instant, with room, and the film's aspect."""
        reach = np.abs(self.shown.node - self.camera[:, None]).max(axis=(0, 1))
        reach = np.maximum(reach * ROOM + ARROW * self.length, 0.3 * self.length)
        half = max(float(reach[0]), float(reach[1]) * 1.18 * aspect)  # the words take 18 % of the height
        return half, half / aspect

    def _ground(self) -> None:
        from matplotlib.collections import LineCollection

        self.spacing = style.round_below(2.0 * self.view[0] / GRID * 1.5)
        self.grid = [
            LineCollection([], colors=colour, linewidths=width, zorder=0)
            for colour, width in ((style.GROUND_LINE, 1.0), (style.GROUND_BOLD, 1.8))
        ]
        for lines in self.grid:
            self.axes.add_collection(lines, autolim=False)

    def _robot(self) -> None:
        from matplotlib.collections import LineCollection

        n = self.shown.force.shape[1]
        (self.trail,) = self.axes.plot([], [], color=style.TRAIL, lw=1.8, zorder=1, solid_capstyle="round")
        (self.edge,) = self.axes.plot([], [], color=style.OUTLINE, lw=self.thick + 2.4, zorder=3,
                                      solid_capstyle="round", solid_joinstyle="round")  # fmt: skip
        colours = [style.SKIN if i % 2 else style.SKIN_DARK for i in range(n)]
        colours[-self.head_links :] = [style.ORANGE] * self.head_links
        self.links = LineCollection([], colors=colours, linewidths=self.thick, capstyle="round", zorder=4)
        self.axes.add_collection(self.links, autolim=False)
        (self.eyes,) = self.axes.plot(
            [], [], "o", ms=max(0.24 * self.thick, 1.5), mfc=style.OUTLINE, mec="none", zorder=6
        )
        every = -(-n // ARROWS)
        self.armed = slice(every // 2, None, every)
        largest = float(np.hypot(self.shown.force[..., 0], self.shown.force[..., 1]).max(initial=0.0))
        self.force = largest
        start = np.zeros_like(self.shown.contact[0, self.armed])
        self.arrows = self.axes.quiver(
            *start.T, *start.T, angles="xy", scale_units="xy",
            scale=max(largest, 1e-12) / (ARROW * self.length), units="inches", width=0.028,
            headwidth=3.4, headlength=4.0, headaxislength=3.6, color=style.FORCE, zorder=7, minlength=0.5,
        )  # fmt: skip

    def _words(self, title: str) -> None:
        """Clock, distance, title; a scale of length and one of force."""
        paper = {"facecolor": style.GROUND, "alpha": 0.85, "edgecolor": "none", "pad": 3.0}
        base: dict[str, Any] = {"transform": self.axes.transAxes, "zorder": 10}
        word = {**base, "fontsize": 16, "color": style.INK, "bbox": paper}
        soft = {**word, "color": style.GREY, "va": "center"}
        self.clock = self.axes.text(0.025, 0.955, "", fontweight="bold", va="center", **{**word, "fontsize": 26})
        self.moved = self.axes.text(0.025, 0.895, "", **soft)
        self.axes.text(0.975, 0.955, title, ha="right", **soft)
        bar = style.round_below(0.5 * self.view[0])
        share = bar / (2.0 * self.view[0])
        self.axes.plot([0.025, 0.025 + share], [0.05, 0.05], lw=5, solid_capstyle="butt", color=style.INK, **base)
        self.axes.text(0.025 + share / 2, 0.072, f"{bar:g} m", ha="center", va="bottom", **word)
        unit = style.round_below(self.force)
        if unit > 0.0:
            self._force_scale(unit / self.force * ARROW * self.length * self.inch)
            self.axes.text(0.975, 0.072, f"friction force {unit:g} N", ha="right", va="bottom", **word)

    def _force_scale(self, long: float) -> None:
        """Put an arrow of `long` inches in the lower right corner."""
        from matplotlib.patches import FancyArrow

        x, y = 0.975 * WIDE, 0.05 * self.figure.get_figheight()
        arrow = FancyArrow(
            x - long, y, long, 0.0, width=0.028, head_width=0.095, head_length=min(0.11, long),
            color=style.FORCE, length_includes_head=True, transform=self.figure.dpi_scale_trans, zorder=10,
        )  # fmt: skip
        self.figure.add_artist(arrow)

    def picture(self, k: int) -> NDArray[np.uint8]:
        """Pixels of instant k, (height, width, 4)."""
        shown, nodes = self.shown, self.shown.node[k]
        low, high = self.camera[k] - self.view, self.camera[k] + self.view
        self.axes.set_xlim(low[0], high[0])
        self.axes.set_ylim(low[1], high[1])
        self._lay_grid(low, high)
        done = int(np.searchsorted(self.whole.time, shown.time[k], side="right"))
        head = np.vstack([self.whole.node[max(done - TRAIL, 0) : done, -1], nodes[-1]])
        near = np.abs(head - self.camera[k]).max(axis=1) < 3.0 * max(self.view)
        self.trail.set_data(*np.where(near[:, None], head, np.nan).T)
        self.edge.set_data(*nodes.T)
        self.links.set_segments(list(np.stack([nodes[:-1], nodes[1:]], axis=1)))
        forward = nodes[-1] - nodes[-2]
        forward = forward / max(float(np.hypot(*forward)), 1e-12) * self.thick / 72.0 / self.inch
        side = np.array([-forward[1], forward[0]]) * 0.25
        self.eyes.set_data(*np.stack([nodes[-1] + side, nodes[-1] - side]).T)
        self.arrows.set_offsets(shown.contact[k, self.armed])
        self.arrows.set_UVC(*shown.force[k, self.armed].T)
        self.clock.set_text(f"t = {shown.time[k]:.2f} s")
        self.moved.set_text(f"distance {np.hypot(*(shown.com[k] - shown.com[0])):.2f} m")
        canvas = self.figure.canvas
        canvas.draw()
        return np.asarray(canvas.buffer_rgba())  # type: ignore[attr-defined]

    def _lay_grid(self, low: FloatArray, high: FloatArray) -> None:
        """Lines of the ground at whole multiples of the spacing, every fifth one bold."""
        groups: tuple[list[FloatArray], list[FloatArray]] = ([], [])
        for a in (0, 1):
            for i in range(int(np.floor(low[a] / self.spacing)), int(np.ceil(high[a] / self.spacing)) + 1):
                ends = np.array([low, high])
                ends[:, a] = i * self.spacing
                groups[i % 5 == 0].append(ends)
        for lines, segments in zip(self.grid, groups, strict=True):
            lines.set_segments(segments)
