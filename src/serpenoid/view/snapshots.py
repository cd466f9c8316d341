"""The body at some instants, with the friction forces on it (the form of Fig. 4 of Ma 2001).

Scales are equal in both directions. Where the instants lie apart they are drawn where they are ("map"). Where
they would lie on each other, which is what a creeping body does, each is set apart in a lane of its own
("lanes"): along the lane the places are true, across it only lengths are. The lanes are rows or columns,
whichever fills the panel better.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from serpenoid.core import FloatArray, Trajectory
from serpenoid.core.door import door
from serpenoid.core.errors import InputError
from serpenoid.core.quantities import Whole
from serpenoid.view import style
from serpenoid.view.poses import poses

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ARROW = 0.11  # longest force arrow, in body lengths
ARROWS = 25  # arrows a body at most; a longer chain shows every second, third, ... of them
MARGIN, MARGIN_LEAST = 0.06, 0.05  # room around the whole: in body lengths, and at least of the whole
SMALL = 45.0  # pt: a body shorter than this on paper shows no forces and no centre of gravity
JOINT_DOTS = 40  # a chain of more links shows no joints
LABEL_WIDTH = 66.0  # pt: columns closer than this get shorter labels
LAYOUTS = ("auto", "map", "lanes")


class _Seen(NamedTuple):
    """A motion seen from above."""

    time: FloatArray  # (t,) s
    node: FloatArray  # (t, n+1, 2) m
    com: FloatArray  # (t, 2) m
    contact: FloatArray  # (t, n, 2) m
    force: FloatArray  # (t, n, 2) N


class _Plan(NamedTuple):
    """Where each instant is put: its shift; for lanes, the direction across them and their distance."""

    shift: FloatArray  # (k, 2) m
    across: int | None  # 0: columns, 1: rows, None: a map
    pitch: float  # m


@door(count=Whole(low=1, high=1000))
def snapshots(ax: Axes, run: Trajectory, count: int = 7, layout: str = "auto", forces: bool = True) -> None:
    """Draw the body at `count` equally spaced instants, its head, its trail and the friction forces."""
    if layout not in LAYOUTS:
        raise InputError(f"layout must be one of {', '.join(LAYOUTS)}, got {layout!r}")
    if count < 1:
        raise InputError(f"count must be at least 1, got {count}")
    body = poses(run)
    whole = _Seen(body.time, *(x[..., :2] for x in (body.node, body.com, body.place, body.force)))
    wanted = np.linspace(whole.time[0], whole.time[-1], count)
    halfway = 0.5 * (whole.time[1:] + whole.time[:-1])
    shown = np.unique(np.searchsorted(halfway, wanted))  # the nearest frames
    length = body.length
    arrow = ARROW * length if forces and np.any(whole.force[shown]) else 0.0
    plan = _plan(ax, whole, shown, length, arrow, layout)

    colours = style.time_colours(shown.size)
    scale = _frame(ax, whole, shown, plan, colours, length, arrow)
    points = scale * length
    for k, frame in enumerate(shown):
        _body(ax, whole.node[frame] + plan.shift[k], colours[k], points, first=k == 0)
        if points > SMALL:
            ax.plot(*(whole.com[frame] + plan.shift[k]), "o", ms=4.5, mfc="white", mec=style.INK, mew=1.1,
                    zorder=6, label="centre of gravity" if k == 0 else None)  # fmt: skip
    _trails(ax, whole, shown, plan)
    if arrow and points > SMALL:
        _forces(ax, whole, shown, plan, arrow, scale)
    style.legend(ax, loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=3, borderpad=0.1, columnspacing=1.2,
                 framealpha=0.0)  # fmt: skip


def _boxes(whole: _Seen, shown: Any) -> tuple[FloatArray, FloatArray]:
    """Lower and upper corners of the bodies, (k, 2) each."""
    return whole.node[shown].min(axis=1), whole.node[shown].max(axis=1)


def _plan(ax: Axes, whole: _Seen, shown: Any, length: float, arrow: float, layout: str) -> _Plan:
    low, high = _boxes(whole, shown)
    if layout == "map" or (layout == "auto" and _apart(low - arrow / 2, high + arrow / 2)):
        return _Plan(np.zeros((shown.size, 2)), None, 0.0)
    # try rows and columns; keep those that can be drawn larger
    panel = ax.get_window_extent()
    best: tuple[float, _Plan] | None = None
    for across in (1, 0):
        pitch = float((high - low)[:, across].max()) + 1.4 * arrow + 0.02 * length
        size = high.max(axis=0) - low.min(axis=0) + 2 * arrow
        size[across] = pitch * shown.size
        scale = float(min(panel.width / size[0], panel.height / size[1]))
        shift = np.zeros((shown.size, 2))
        lanes = np.arange(shown.size) * (pitch if across == 0 else -pitch)
        shift[:, across] = lanes - 0.5 * (low + high)[:, across]
        if best is None or scale > best[0]:
            best = (scale, _Plan(shift, across, pitch))
    assert best is not None
    return best[1]


def _apart(low: FloatArray, high: FloatArray) -> bool:
    """Whether no two boxes overlap."""
    meet = np.all((low[:, None] < high[None]) & (low[None] < high[:, None]), axis=-1)
    return int(meet.sum()) == len(low)


def _trails(ax: Axes, whole: _Seen, shown: Any, plan: _Plan) -> None:
    """Path of the centre of gravity: whole on a map, up to the instant and inside the lane otherwise."""
    line: dict[str, Any] = {"color": style.TRAIL, "lw": 1.1, "zorder": 1}
    if plan.across is None:
        ax.plot(*whole.com.T, label="path of the centre of gravity", **line)
        return
    thin = max(1, whole.time.size // 2000)
    for k, frame in enumerate(shown):
        path = whole.com[: frame + 1 : thin] + plan.shift[k]
        middle = plan.pitch * (k if plan.across == 0 else -k)
        path[np.abs(path[:, plan.across] - middle) > 0.5 * plan.pitch] = np.nan
        ax.plot(*path.T, label="path of the centre of gravity" if k == 0 else None, **line)


def _body(ax: Axes, nodes: FloatArray, colour: Any, points: float, first: bool) -> None:
    """Links, joints and head; `points` is the length of the body on paper."""
    ax.plot(
        *nodes.T,
        color=colour,
        lw=3.2 if points > SMALL else 2.2,
        solid_capstyle="round",
        solid_joinstyle="round",
        zorder=3,
    )
    if len(nodes) <= JOINT_DOTS + 1 and points > 2.0 * SMALL:
        ax.plot(*nodes[1:-1].T, "o", ms=1.6, mfc="white", mec="none", zorder=4)
    ax.plot(*nodes[-1], "o", ms=np.clip(0.2 * points, 3.5, 7.5), mfc=colour, mec=style.INK,
            mew=1.3 if points > SMALL else 0.8, zorder=5, label="head" if first else None)  # fmt: skip


def _forces(ax: Axes, whole: _Seen, shown: Any, plan: _Plan, arrow: float, scale: float) -> None:
    """Friction forces as arrows at the contact points, with a key; `scale` is in points a metre."""
    every = -(-whole.force.shape[1] // ARROWS)
    place = (whole.contact[shown] + plan.shift[:, None])[:, every // 2 :: every].reshape(-1, 2)
    force = whole.force[shown][:, every // 2 :: every].reshape(-1, 2)
    largest = float(np.hypot(*force.T).max(initial=0.0))
    if largest <= 0.0:
        return
    arrows = ax.quiver(
        *place.T, *force.T, angles="xy", scale_units="xy", scale=largest / arrow, units="inches", width=0.014,
        headwidth=3.6, headlength=4.2, headaxislength=3.8, color=style.FORCE, zorder=7, minlength=0.6,
    )  # fmt: skip
    key = style.round_below(largest)
    width = ax.get_window_extent().width * 72.0 / ax.get_figure(root=True).dpi  # type: ignore[union-attr]
    tail = 1.0 - key / largest * arrow * scale / width  # so that the key's arrow ends where the panel does
    ax.quiverkey(
        arrows, tail, -0.115, key, f"friction force {key:g} N", labelpos="W", coordinates="axes",
        fontproperties={"size": style.TICK}, labelcolor=style.INK,
    )  # fmt: skip


def fill(ax: Axes, low: FloatArray, high: FloatArray) -> float:
    """Show the rectangle at equal scales, widened to the panel's shape; returns points a metre."""
    panel = ax.get_window_extent()
    shape = np.array([panel.width, panel.height])
    half = 0.5 * shape * float(((high - low) / shape).max())
    middle = 0.5 * (low + high)
    ax.set_xlim(*(middle[0] + half[0] * np.array([-1.0, 1.0])))
    ax.set_ylim(*(middle[1] + half[1] * np.array([-1.0, 1.0])))
    ax.set_aspect("equal")
    return float(panel.width / (2.0 * half[0]) * 72.0 / ax.get_figure(root=True).dpi)  # type: ignore[union-attr]


def _frame(ax: Axes, whole: _Seen, shown: Any, plan: _Plan, colours: Any, length: float, arrow: float) -> float:
    """Limits, axes, labels of the instants; returns the scale in points on paper a metre."""
    low, high = (corner + plan.shift for corner in _boxes(whole, shown))
    edges = np.vstack([low - arrow, high + arrow, *([whole.com] if plan.across is None else [])])
    floor, roof = edges.min(axis=0), edges.max(axis=0)
    if plan.across is not None:
        ends = plan.pitch * np.array([-0.5, shown.size - 0.5]) * (-1 if plan.across == 1 else 1)
        floor[plan.across], roof[plan.across] = ends.min(), ends.max()
    pad = np.maximum(MARGIN * length, MARGIN_LEAST * (roof - floor).max())
    room = np.full(2, pad)
    if plan.across is not None:
        room[plan.across] = 0.0
    scale = fill(ax, floor - room, roof + room)
    labels = [f"t = {whole.time[frame]:.3g} s" for frame in shown]
    if plan.across == 0 and plan.pitch * scale < LABEL_WIDTH:
        labels = [text.removeprefix("t = ") for text in labels]
    note = "Body and friction forces"
    style.dress(ax, "x [m]", "y [m]", note)
    if plan.across is None:
        for k, text in enumerate(labels):
            ax.annotate(
                text, (0.5 * (low + high)[k, 0], high[k, 1]), (0, 9), textcoords="offset points", ha="center",
                fontsize=style.TICK, color=style.INK, zorder=8,
            )  # fmt: skip
    else:
        axis = ax.yaxis if plan.across == 1 else ax.xaxis
        axis.set_ticks(plan.pitch * np.arange(shown.size) * (-1 if plan.across == 1 else 1), labels)
        axis.grid(False)
        axis.set_label_text("instants, set apart in " + "xy"[plan.across])
        for tick, colour in zip(axis.get_ticklabels(), colours, strict=True):
            tick.set_color(colour)
            tick.set_fontweight("bold")
        axis.set_tick_params(length=0)
    return scale
