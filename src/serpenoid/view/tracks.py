"""Where and when a body touches the ground: its tracks from above, and a map of links over time.

A sidewinder lays parts of its body down, leaves them where they are and peels them off again: on the ground this makes
separate tracks, and at any time only about two stretches of the body touch (Fig. 3 of Sarrafan et al. 2012).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from serpenoid.core import FloatArray, Trajectory
from serpenoid.core.door import door
from serpenoid.core.errors import InputError
from serpenoid.core.quantities import Whole
from serpenoid.view import decals, style
from serpenoid.view.ground import Land, stretches
from serpenoid.view.poses import Poses, masked
from serpenoid.view.scene import scene_of
from serpenoid.view.snapshots import fill

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BINS = 48  # tones of time in the tracks
STRETCHES = 40_000  # looked at for the tracks, about
COLUMNS = 900  # of a touch map at most
USUAL = 0.985  # of the forces are within the colours of a touch map
CLEAR = 0.35  # links: bodies that come nearer to each other are not both drawn
NARROW = 400.0  # pt: a narrower map explains less
SHADES = ("force", "contacts")
HEAT = ("#fbe3c4", style.ORANGE, style.RED, "#5c1d00")


@door(bodies=Whole(low=0, high=1000))
def tracks(ax: Axes, run: Trajectory, bodies: int = 6, turn: int = 0) -> None:
    """Draw from above where the ground was touched, the body at some instants, and the way of its centre of gravity.

    Colours are time. `turn`: quarter turns (anticlockwise) of the whole map, whose axes still show x and y.
    """
    _check(run)
    if bodies < 0:
        raise InputError(f"bodies must be at least 0, got {bodies}")
    scene = scene_of(run)
    body, land = scene.body, scene.land
    c, s = [(1, 0), (0, 1), (-1, 0), (0, -1)][turn % 4]
    rotation = np.array([[c, s], [-s, c]], dtype=float)  # of row vectors
    _frame(ax, np.concatenate([body.node[..., :2].reshape(-1, 2), body.com[:, :2]]) @ rotation, body.length, turn % 4)
    if not land.bare:
        _bands(ax, body, scene.drawn, stretches_of(body, scene.radius, land, scene.shares), land, rotation)
    for outline in decals.footprints(land):
        ax.fill(*(outline @ rotation).T, fc=style.STONE, ec=style.GREY, lw=0.8, zorder=2)
    way = body.com[:: max(1, len(body.time) // 3000), :2] @ rotation
    ax.plot(*way.T, color=style.GREY, lw=1.2, zorder=3, label="centre of gravity")
    if bodies:
        _bodies(ax, body, bodies, rotation)
    handles, _ = ax.get_legend_handles_labels()
    narrow = ax.get_window_extent().width * 72.0 / ax.get_figure(root=True).dpi < NARROW  # type: ignore[union-attr]
    shown = handles[: 2 if narrow else None]
    style.legend(ax, loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=4, borderpad=0.1, columnspacing=1.2,
                 framealpha=0.0, handles=shown, handlelength=1.0, handletextpad=0.5)  # fmt: skip


def _check(run: Trajectory) -> None:
    if "roll" not in run.variables:
        raise InputError("a run in the plane touches everywhere; tracks and touch maps need one in space")


def stretches_of(body: Poses, radius: FloatArray, land: Land, shares: FloatArray) -> tuple[FloatArray, FloatArray, Any]:
    """Stretches (m, 2, 3) of all links at all times that touched the ground, their times (m,) and links (m,)."""
    part = body.pick(slice(None, None, max(1, len(body.time) * radius.size // STRETCHES)))
    feet = stretches(part, radius, land, shares)
    when, link = np.nonzero(np.isfinite(feet[:, :, 0, 0]))
    return feet[when, link], part.time[when], link


def _bands(ax: Axes, body: Poses, radius: FloatArray, found: Any, land: Land, rotation: FloatArray) -> None:
    """The touched ground, one patch a stretch of time, late ones on top."""
    from matplotlib.patches import PathPatch

    feet, time, link = found
    colours = style.time_colours(BINS)
    span = max(float(body.time[-1] - body.time[0]), 1e-9)
    number = np.minimum(((time - body.time[0]) / span * BINS).astype(int), BINS - 1)
    loops = decals.bands(feet[:, 0], feet[:, 1], 0.7 * radius[link], land, cap=5)[..., :2] @ rotation
    for k in np.unique(number):
        path = compound(loops[number == k])
        ax.add_artist(
            PathPatch(path, fc=colours[k], ec="none", alpha=0.55, zorder=1 + 0.001 * k)
        )  # add_patch would measure it, slowly
    ax.plot([], [], lw=5, color=colours[BINS // 2], alpha=0.55, label="touched")


def compound(loops: FloatArray) -> Any:
    """One path of closed loops (m, k, 2) of the picture; those not wholly in front of the camera are left out."""
    from matplotlib.path import Path

    loops = loops[np.isfinite(loops).all(axis=(1, 2))]
    m, k = loops.shape[:2]
    if m == 0:
        return Path(np.zeros((1, 2)))
    vertices = np.concatenate([loops, loops[:, :1]], axis=1).reshape(-1, 2)
    codes = np.full((m, k + 1), Path.LINETO, dtype=np.uint8)
    codes[:, 0], codes[:, -1] = Path.MOVETO, Path.CLOSEPOLY
    return Path(vertices, codes.ravel())


def apart(nodes: FloatArray, least: float) -> Any:
    """Which of some bodies (k, n+1, 2) can be drawn without one lying on another: from the last one back, and the first if it can."""
    kept: list[int] = []
    for k in [len(nodes) - 1, 0, *range(len(nodes) - 2, 0, -1)]:
        far = [np.linalg.norm(nodes[k][:, None] - nodes[j][None], axis=-1).min() for j in kept]
        if k not in kept and all(gap > least for gap in far):
            kept.append(k)
    return np.array(sorted(kept))


def _bodies(ax: Axes, body: Poses, count: int, rotation: FloatArray) -> None:
    """The body at instants equally far apart, with their times."""
    frames = np.unique(np.linspace(0, len(body.time) - 1, count).round().astype(int))
    colours = style.time_colours(frames.size)
    kept = apart(body.node[frames, :, :2], CLEAR * float(body.lengths.mean()))
    frames, colours = frames[kept], colours[kept]
    nodes = body.node[frames, :, :2] @ rotation
    for k, (place, colour) in enumerate(zip(nodes, colours, strict=True)):
        look: Any = {"solid_capstyle": "round", "solid_joinstyle": "round"}
        ax.plot(*place.T, color="white", lw=4.6, zorder=4 + 0.1 * k, **look)
        ax.plot(*place.T, color=colour, lw=2.8, zorder=4.01 + 0.1 * k, label="body" if k == 0 else None, **look)
        ax.plot(*place[1:-1].T, "o", ms=2.6, mfc="white", mec="none", zorder=4.02 + 0.1 * k)
        ax.plot(*place[-1], "o", ms=7, mfc=colour, mec=style.INK, mew=1.2, zorder=4.03 + 0.1 * k,
                label="head" if k == 0 else None)  # fmt: skip
    written: list[FloatArray] = []
    tops = nodes[np.arange(frames.size), nodes[..., 1].argmax(axis=1)]
    for frame, top, colour in zip(frames[::-1], tops[::-1], colours[::-1], strict=True):  # the last one is always named
        at = ax.transData.transform(top) * 72.0 / ax.get_figure(root=True).dpi  # type: ignore[union-attr]
        if any(np.all(np.abs(at - other) < (36.0, 14.0)) for other in written):
            continue
        written.append(at)
        ax.annotate(
            f"{body.time[frame]:.3g} s", top, (0, 7), textcoords="offset points", ha="center", va="bottom",
            fontsize=style.TICK, color=colour, fontweight="bold", zorder=9,
            bbox={"boxstyle": "round,pad=0.12", "fc": "white", "ec": "none", "alpha": 0.75},
        )  # fmt: skip


def _frame(ax: Axes, places: FloatArray, length: float, turn: int) -> None:
    """Equal scales; x and y where a turned map has them."""
    from matplotlib.ticker import FuncFormatter

    low, high = places.min(axis=0), places.max(axis=0)
    pad = np.array([0.06, 0.06]) * length + 0.03 * (high - low).max()
    fill(ax, low - pad, high + pad + np.array([0.0, 0.04 * length]))
    names = ("x [m]", "y [m]") if turn % 2 == 0 else ("y [m]", "x [m]")
    style.dress(ax, *names, "From above")
    for axis, minus in ((ax.xaxis, turn in (1, 2)), (ax.yaxis, turn in (2, 3))):
        if minus:
            axis.set_major_formatter(FuncFormatter(lambda v, _: f"{-v + 0.0:g}".replace("-", "\u2212")))


def quarter_turns(run: Trajectory) -> int:
    """Quarter turns after which a run's map is wide rather than tall, and goes to the right."""
    body = scene_of(run).body
    size = np.ptp(body.node[..., :2].reshape(-1, 2), axis=0)
    if size[0] >= size[1]:
        return 0
    return 1 if body.com[-1, 1] < body.com[0, 1] else 3


@door
def touch_map(ax: Axes, run: Trajectory, shade: str = "force", bar: bool = True) -> FloatArray:
    """Draw which links touch when, by normal force (N) or by contacts; returns what is drawn, (links, columns).

    A column is a frame; in runs with very many frames it is the largest of some.
    """
    from matplotlib.colors import LinearSegmentedColormap

    _check(run)
    if shade not in SHADES:
        raise InputError(f"shade must be one of {', '.join(SHADES)}, got {shade!r}")
    values = np.nan_to_num(masked(run["normal_force" if shade == "force" else "touching"])).T
    time = run["time"]
    every = -(-time.size // COLUMNS)
    whole = np.pad(values, ((0, 0), (0, -values.shape[1] % every)))
    drawn = whole.reshape(len(values), -1, every).max(axis=2)
    seen = drawn[drawn > 0.0]
    top = float(np.quantile(seen, USUAL)) if seen.size else 1.0
    colours = LinearSegmentedColormap.from_list("heat", HEAT)
    step = float(time[1] - time[0]) if time.size > 1 else 1.0
    extent = (
        float(time[0]) - 0.5 * step,
        float(time[0]) + (drawn.shape[1] * every - 0.5) * step,
        -0.5,
        len(values) - 0.5,
    )
    image = ax.imshow(
        np.ma.masked_equal(drawn, 0.0), origin="lower", aspect="auto", interpolation="nearest", extent=extent,
        cmap=colours, vmin=0.0, vmax=top,
    )  # fmt: skip
    style.dress(ax, "time [s]", "link, 0 = tail", "Which links touch")
    ax.set_xlim(float(time[0]), max(float(time[-1]), float(time[0]) + step))
    ax.locator_params(axis="y", integer=True, nbins=7)
    ax.grid(False)
    figure = ax.get_figure()
    if bar and figure is not None:
        beyond = "max" if top < drawn.max() else "neither"
        made = figure.colorbar(image, ax=ax, pad=0.015, fraction=0.04, extend=beyond)
        made.set_label("normal force [N]" if shade == "force" else "contacts", fontsize=style.TICK, color=style.INK)
        made.ax.tick_params(labelsize=style.TICK - 1, colors=style.INK)
        made.outline.set_visible(False)  # type: ignore[operator]
    return drawn
