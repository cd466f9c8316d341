"""One summary figure of a run for a talk, and figures of chosen variables.

What is shown depends on the kind of run: bodies with friction forces, torques, slip and power in the plane; the way from above, the
body from the side, contacts, torques and roll in space (height for a climber); the map with path and bodies, clearance, forces of
obstacles and pins for a plan.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from serpenoid.core import Trajectory
from serpenoid.core.door import door
from serpenoid.core.errors import InputError
from serpenoid.spelling import near
from serpenoid.view import captions, panels, style
from serpenoid.view.poses import BEYOND
from serpenoid.view.scene import Scene, scene_of
from serpenoid.view.snapshots import snapshots

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Panel = Callable[..., Any]
SIZE = (12.8, 8.8)  # inches
SPACE_SIZE = (12.8, 10.0)
WIDE, SLIM = 1.7, 6.0  # times as long as broad: a map that takes the whole width, and one that need not
SLOW_ROLL = 5e-3  # rad/s: a slower roll is none
NUMBERS = (  # metric, name, unit
    ("com_distance", "distance", "m"),
    ("steady_speed", "steady speed", "m/s"),
    ("slip_per_link", "slip per link", "m"),
    ("torque_max", "largest torque", "N m"),
    ("mean_power", "mean power", "W"),
    ("peak_power", "peak power", "W"),
    ("friction_loss", "lost to friction", "J"),
    ("cost_of_transport", "cost of transport", ""),
)
SPACE_NUMBERS = (
    ("path_length", "path length", "m"),
    ("com_distance", "displacement", "m"),
    ("com_dz", "height gained", "m"),
    ("steady_speed", "steady speed", "m/s"),
    ("roll_rate_mean", "roll rate", "rad/s"),
    ("contact_count_mean", "contacts, mean", ""),
    ("normal_force_max", "normal force, max", "N"),
    ("torque_max", "largest torque", "N m"),
    ("mean_power", "mean power", "W"),
    ("peak_power", "peak power", "W"),
    ("friction_loss", "lost to friction", "J"),
    ("cost_of_transport", "cost of transport", ""),
)
SHORT = ("slip_per_link",)  # in mm where they are small
TWIN = ("contacts", "power", "touch")  # panels with a second axis or a bar of colours on their right
MAP_WIDTH = 8.5  # inches of the map of a run among obstacles; its legend stands beside it
LEAST = {"roll_rate_mean": SLOW_ROLL, "com_dz": 5e-3}


@door
def figure(run: Trajectory, path: str | Path) -> Path:
    """Write the summary figure of a run (.png, .pdf or .svg); returns the path."""
    scene = scene_of(run)
    draw = {"plane": _plane, "space": _space, "above": _above}[scene.kind]
    return style.save(draw(run, scene), path)


@door
def plot(run: Trajectory, *names: str) -> Figure:
    """Return a figure of chosen variables over time, one panel each; without names, of those that matter for the kind of run."""
    chosen = list(names) or [name for name in _matter(run, scene_of(run)) if name in panels.PANELS]
    for name in chosen:
        if name not in panels.PANELS and (name not in run.variables or run.variables[name].dims[:1] != ("time",)):
            _refuse(run, name)
    fig = style.canvas(8.0, 2.5 * len(chosen) + 0.3)
    fig.set_layout_engine("constrained")
    for k, name in enumerate(chosen):
        ax = fig.add_subplot(len(chosen), 1, k + 1)
        draw = panels.PANELS.get(name)
        if draw is None:
            panels.variable(ax, run, name)
        else:
            draw(ax, run)
        if k + 1 < len(chosen) and "excerpt" not in ax.get_xlabel():
            ax.set_xlabel("")
    return fig


def _refuse(run: Trajectory, name: str) -> None:
    known = [k for k, v in run.variables.items() if v.dims[:1] == ("time",) and k != "time"] + list(panels.PANELS)
    raise InputError(
        f"there is nothing called {name!r} to plot" + (near(name, known) or f"; known: {', '.join(known)}")
    )


def _matter(run: Trajectory, scene: Scene) -> list[str]:
    """Panels that matter for a kind of run."""
    have = run.variables
    if scene.kind == "plane":
        wanted = ["distance", "joint_torque", "slip", "power"]
    elif scene.kind == "space":
        wanted = ["height" if climbs(scene) else "distance", "joint_torque", "contact_count", "roll", "power"]
    else:
        wanted = ["feed_force", "joint_torque", "wall_force", "anchor_force", "lateral_error"]
    return [name for name in wanted if name in ("distance", "height") or name in have]


def climbs(scene: Scene) -> bool:
    """Whether a body rises more than it moves along the ground."""
    way = scene.body.com[-1] - scene.body.com[0]
    return bool(way[2] > np.hypot(way[0], way[1]))


def _plane(run: Trajectory, scene: Scene) -> Figure:
    fig = style.canvas(*SIZE)
    above = fig.add_axes((0.1, 0.475, 0.67, 0.405))
    snapshots(above, run)
    wanted = [n for n in ("joint_torque", "slip", "power") if n in run.variables]
    for k, name in enumerate(wanted):
        panels.PANELS[name](fig.add_axes((0.062 + 0.325 * k, 0.075, 0.225, 0.27)), run)
    _titles(fig, run, scene)
    _numbers(fig.add_axes((0.797, 0.43, 0.19, 0.45)), run, NUMBERS)
    style.caption(fig, captions.plane(run, "set apart" in above.get_ylabel() + above.get_xlabel()))
    return fig


def _space(run: Trajectory, scene: Scene) -> Figure:
    from serpenoid.view.side import is_tall, side_view, still
    from serpenoid.view.tracks import quarter_turns, touch_map, tracks

    fig, body, turn = style.canvas(*SPACE_SIZE), scene.body, quarter_turns(run)
    size = np.sort(np.ptp(body.node[..., :2].reshape(-1, 2), axis=0))
    if size[1] > WIDE * size[0] and (size[1] > 2.0 * body.length or size[1] < SLIM * size[0]):
        tracks(fig.add_axes((0.07, 0.585, 0.68, 0.29)), run, turn=turn)
    else:
        tracks(fig.add_axes((0.07, 0.585, 0.31, 0.29)), run, turn=turn)
        still(fig.add_axes((0.415, 0.562, 0.35, 0.322)), run)
    middle: list[tuple[str, Panel]] = [("side", side_view)] if _stands_out(scene) else []
    middle += [("touch", touch_map)] if _touches_by_turns(run) else []
    spare: list[tuple[str, Panel]] = [("distance", panels.distance)]
    spare += [("slip", panels.slip)] if "slip" in run.variables else []
    while len(middle) < 2 and spare:  # a panel that would show nothing makes room for another
        middle.append(spare.pop(0))
    lower: list[tuple[str, Panel]] = [("torque", panels.torques)]
    lower += [("contacts", panels.contacts)] if _varies(run, "contact_count") else []
    lower += [("height", panels.height)] if climbs(scene) else [("roll", panels.roll)] if _rolls(run) else []
    lower += [("power", panels.power)]
    _row(fig, run, middle, 0.352, 0.15)
    _row(fig, run, lower, 0.06, 0.165)
    _titles(fig, run, scene)
    _numbers(fig.add_axes((0.79, 0.53, 0.195, 0.37)), run, SPACE_NUMBERS)
    style.caption(fig, captions.space(scene, [name for name, _ in middle], is_tall(scene)))
    return fig


def _row(fig: Figure, run: Trajectory, shown: list[tuple[str, Panel]], low: float, high: float) -> None:
    """Draw panels beside each other, equally wide; those with a second axis get room for it on their right."""
    room = [0.055 if name in TWIN else 0.012 for name, _ in shown]
    wide = (0.985 - 0.062 * len(shown) - sum(room)) / len(shown)
    left = 0.006
    for (_, draw), right in zip(shown, room, strict=True):
        draw(fig.add_axes((left + 0.055, low, wide, high)), run)
        left += 0.062 + wide + right


def _settled(run: Trajectory, name: str) -> np.ndarray:
    """A recorded variable after the start of a run (t, ...), which is no part of what it does in the long run."""
    values = np.nan_to_num(np.asarray(run[name])) if name in run.variables else np.zeros((1, 1))
    return np.asarray(values[len(values) // 5 :])


def _varies(run: Trajectory, name: str) -> bool:
    """Whether a recorded number changes after the start of the run."""
    return bool(np.ptp(_settled(run, name)) > 0.0)


def _rolls(run: Trajectory) -> bool:
    """Whether the links turn about their axes far enough to be seen."""
    angle = np.degrees(np.asarray(run["roll"]))
    angle = angle[np.isfinite(angle)]
    return bool(angle.size and float(np.ptp(angle)) > panels.LEAST_ROLL)


def _stands_out(scene: Scene) -> bool:
    """Whether parts of the body leave the ground by half a radius: else a view from the side is a bar."""
    gap = scene.body.node[..., 2] if scene.land.bare else scene.land.gap(scene.body.node)
    return bool(float(np.ptp(gap, axis=1).max()) > 0.5 * float(scene.drawn.mean()))


def _touches_by_turns(run: Trajectory) -> bool:
    """Whether links touch at some times and not at others."""
    touching = _settled(run, "touching") > 0.0
    return bool((touching.any(axis=0) & ~touching.all(axis=0)).any())


def _above(run: Trajectory, scene: Scene) -> Figure:
    from serpenoid.view.above import extent
    from serpenoid.view.yard import clearance_curve, way_panel

    wanted, among = _matter(run, scene), bool(scene.blocks) or scene.cells is not None
    rows = among + len(wanted)
    low, high = extent(scene)
    tall = float(np.clip(MAP_WIDTH * (high[1] - low[1]) / (high[0] - low[0]), 2.2, 4.6))  # inches of the map
    height = tall + 0.6 + 1.9 * rows
    fig = style.canvas(12.0, height)
    grid = fig.add_gridspec(rows + 1, 1, height_ratios=[tall, *[1.7] * rows], left=0.08, right=0.97, hspace=0.62,
                            bottom=0.5 / height, top=1.0 - 1.1 / height)  # fmt: skip
    above = fig.add_subplot(grid[0])
    place = above.get_position()
    above.set_position((place.x0, place.y0, 0.8 * place.width, place.height))  # the rest is for the legend
    way_panel(above, scene)
    if among:
        clearance_curve(fig.add_subplot(grid[1]), scene)
    for k, name in enumerate(wanted):
        ax = fig.add_subplot(grid[1 + among + k])
        if name == "joint_torque":  # over the same time as the panels above and below
            panels.torques(ax, run, whole=True)
        else:
            panels.PANELS[name](ax, run)
    for ax in fig.axes[1:-1]:
        ax.set_xlabel("")
    _titles(fig, run, scene, 0.35 / height)
    style.caption(fig, captions.above(run, scene))
    return fig


def _titles(fig: Figure, run: Trajectory, scene: Scene, below: float = 0.045) -> None:
    """Headline, what was run, and how it ended."""
    about, span = run.provenance, float(np.ptp(run["time"]))
    high = float(fig.get_figheight())
    fig.text(
        0.02, 1.0 - below, headline(run, scene), fontsize=style.TITLE, color=style.INK, fontweight="bold", va="center"
    )
    line = f"{about.get('command', 'motion')}, {span:.4g} s" + (f" on {about['law']} ground" if "law" in about else "")
    fig.text(0.02, 1.0 - below - 0.264 / high, line, fontsize=style.LABEL, color=style.GREY, va="center")
    fig.text(0.98, 1.0 - below, f"status: {run.status.name}", fontsize=style.LABEL + 1, ha="right", va="center",
             color=style.GREEN if run.status.ok else style.RED, fontweight="bold")  # fmt: skip


def headline(run: Trajectory, scene: Scene) -> str:
    """What a run came to, in a line."""
    robot = str(run.provenance.get("robot", "robot"))
    way = scene.body.com[-1] - scene.body.com[0]
    far = run.metrics.get("com_distance")
    if scene.kind == "above" and far is None:
        far = float(np.hypot(way[0], way[1]))
    if run.status.name == "diverged" or far is None or not np.isfinite(far):
        return f"{robot}: {run.status.name}, distance not defined"
    return f"{robot} climbs {captions.metres(way[2])}" if way[2] > far else f"{robot} moves {captions.metres(far)}"


def _short(value: float) -> str:
    """Three digits; no exponent below a million, zero for what is only rounding."""
    if abs(value) < 1e-12:
        return "0"
    return f"{value:.0f}" if 1e3 <= abs(value) < 1e6 else f"{value:.3g}"


def _numbers(
    ax: Axes, run: Trajectory, table: tuple[tuple[str, str, str], ...], least: Mapping[str, float] = LEAST
) -> None:
    """The metrics as a column of text, without those smaller than their `least`; below it what went wrong."""
    ax.set_axis_off()
    y = 0.985
    base: dict[str, Any] = {"fontsize": style.LABEL, "va": "center", "transform": ax.transAxes}
    for key, name, unit in table:
        value = run.metrics.get(key)
        if key in least and (value is None or abs(value) < least[key]):
            continue  # nothing to tell
        text = "–" if value is None or not abs(value) < BEYOND else f"{_short(value)} {unit}".strip()
        text = captions.short_length(value) if key in SHORT and text != "–" and value else text
        ax.text(0.0, y, name, color=style.GREY, **base)
        ax.text(1.0, y, text, color=style.INK, ha="right", fontweight="bold", **base)
        y -= 0.068
    wrong = [run.status.message or run.status.name] if not run.status.ok else []
    wrong += [f"warning: {w}" for w in run.warnings if not w.startswith("step =")]
    room, lines = max(1, int(y / 0.05)), []
    for text in wrong:
        lines += textwrap.wrap(text, 30)  # fits in larger styles too
    if len(lines) > room:
        lines = [*lines[: room - 1], "... (see the summary)"]
    ax.text(0.0, y + 0.01, "\n".join(lines), fontsize=style.TICK - 0.5, color=style.RED, va="top",
            linespacing=1.25, transform=ax.transAxes)  # fmt: skip
