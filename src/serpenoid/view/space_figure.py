"""One summary figure of a run in space: from above, from the side, contacts, torques, roll, power, numbers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from serpenoid.core import FloatArray, Trajectory, chassis
from serpenoid.view import style
from serpenoid.view.camera import azimuths, follow
from serpenoid.view.figure import (
    MOST_SWINGS,
    _band,
    _curve,
    _excerpt,
    _headline,
    _limits,
    _metres,
    _numbers,
    _swings,
    _titles,
    power,
    spread,
)  # fmt: skip
from serpenoid.view.land import contact_shares, land_of, on_ground
from serpenoid.view.picture import Picture
from serpenoid.view.poses import Poses, drawn_radius, poses, radius_of
from serpenoid.view.record import masked
from serpenoid.view.snapshots import fill
from serpenoid.view.space_stage import actor_of, ground_normal
from serpenoid.view.tracks import quarter_turns, touch_map, tracks

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SIZE = (12.8, 10.0)  # inches
WIDE, SLIM = 1.7, 6.0  # times as long as broad: a map that takes the whole width, and one that need not
SLOW_ROLL = 1e-3  # rad/s: a slower roll is none
LANES = 4  # instants of the side view
LEAST_ROLL = 5.0  # degrees that the roll panel shows at least
TURNS = 720.0  # degrees of roll from which it is counted in turns
NUMBERS = (  # metric, name, unit
    ("path_length", "path length", "m"),
    ("com_distance", "displacement", "m"),
    ("steady_speed", "steady speed", "m/s"),
    ("roll_rate_mean", "roll rate", "rad/s"),
    ("contact_count_mean", "contacts, mean", ""),
    ("normal_force_max", "largest normal force", "N"),
    ("torque_max", "largest torque", "N m"),
    ("mean_power", "mean power", "W"),
    ("peak_power", "peak power", "W"),
    ("friction_loss", "lost to friction", "J"),
    ("cost_of_transport", "cost of transport", ""),
)


def space_figure(run: Trajectory, path: str | Path) -> Path:
    """Write the summary figure of a run in space (.png, .pdf or .svg); returns the path."""
    fig = style.canvas(*SIZE)
    turn = quarter_turns(run)
    body = poses(run)
    size = np.sort(np.ptp(body.node[..., :2].reshape(-1, 2), axis=0))
    if size[1] > WIDE * size[0] and (size[1] > 2.0 * body.length or size[1] < SLIM * size[0]):
        tracks(fig.add_axes((0.06, 0.585, 0.69, 0.29)), run, turn=turn)
    else:
        tracks(fig.add_axes((0.06, 0.585, 0.32, 0.29)), run, turn=turn)
        still(fig.add_axes((0.415, 0.562, 0.35, 0.322)), run)
    side_view(fig.add_axes((0.085, 0.345, 0.4, 0.155)), run)
    touch_map(fig.add_axes((0.56, 0.345, 0.41, 0.155)), run)
    panels = ((axis_torques, 0.055, 0.185), (contacts, 0.3, 0.165), (roll, 0.57, 0.155), (power, 0.785, 0.145))
    for panel, left, width in panels:
        panel(fig.add_axes((left, 0.065, width, 0.185)), run)
    _titles(fig, run, _climbed(run))
    _numbers(fig.add_axes((0.79, 0.53, 0.195, 0.37)), run, NUMBERS, {"roll_rate_mean": SLOW_ROLL})
    return style.save(fig, path)


def still(ax: Axes, run: Trajectory) -> None:
    """Draw the last instant in space, as a film shows it."""
    body, land = poses(run), land_of(run)
    box = ax.get_window_extent()
    some = body.at(np.linspace(body.time[0], body.time[-1], 60))
    half = (0.42 * box.width / box.height, 0.4)
    camera = follow(some.node, azimuths(some, 10.0), body.length, 10.0, ground_normal(land), half, 0.05 * body.length)[
        -1
    ]
    last = body.pick(slice(-1, None))
    scene = Picture(
        ax, [actor_of(run, last, body)], land, [camera], forces=False, fade=0.3 * float(np.ptp(body.time)) or 1.0
    )
    scene.show(0)
    ax.text(0.03, 0.94, f"t = {body.time[-1]:.4g} s", transform=ax.transAxes, fontsize=style.LABEL, color=style.INK,
            fontweight="bold", va="center", zorder=20)  # fmt: skip


def _climbed(run: Trajectory) -> str:
    far, up = run.metrics.get("com_distance"), run.metrics.get("com_dz")
    if run.status.name != "diverged" and far is not None and up is not None and up > far:
        return f"{run.provenance.get('robot', 'robot')} climbs {_metres(up)}"
    return _headline(run)


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


def side_view(ax: Axes, run: Trajectory) -> None:
    """Draw the body from its side at some instants: along its averaged frame, and over the ground.

    A flat body is shown in rows, through the last period; one that stands or climbs in columns, through the whole run.
    """
    body, land = poses(run), land_of(run)
    radius, shares = drawn_radius(radius_of(run), body), contact_shares(run)
    tall = float(np.ptp(body.node[..., 2], axis=1).max()) > 0.35 * float(np.ptp(body.node[..., :2], axis=1).max())
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
    touch = on_ground(part, radius_of(run), land, shares)
    ground = shift[1, :, 0]
    for k, colour in enumerate(style.time_colours(len(number))):
        ax.axhline(ground[k], color=style.PALE, lw=1.0, zorder=1)
        _lane(ax, along[k], height[k], 2.0 * radius * scale, colour)
        foot = along[k, :-1, None] + shares * np.diff(along[k])[:, None]
        ax.plot(foot[touch[k]], np.full(int(touch[k].sum()), ground[k]), "^", ms=5, mfc=style.PATCH, mec="none",
                zorder=6, label="touches the ground" if k == 0 else None)  # fmt: skip
    style.dress(ax, "" if tall else "along the body (m)", "height (m)" if tall else "", "From the side")
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


def axis_torques(ax: Axes, run: Trajectory) -> None:
    """Draw the torques of three joints over the body (or pairs of joints that yaw and pitch by turns), pitch dashed."""
    values, t = masked(run["joint_torque"]), run["time"]
    joint, kind = run["axis_joint"].astype(int), run["axis_kind"].astype(int)
    style.dress(ax, "time (s)", "joint torque (N m)", "Joint torques")
    if values.shape[1] == 0:
        return
    numbers = np.unique(joint)
    pairs = bool(numbers.size > 1 and np.bincount(joint).max() == 1 and np.unique(kind).size == 2)
    groups = [numbers[j - 1 : j + pairs].tolist() for j in spread(numbers.size - pairs, 3)]
    axes = np.flatnonzero(np.isin(joint, [j for group in groups for j in group]))
    part = _excerpt(run, values[:, axes])
    for k, (group, colour) in enumerate(zip(groups, style.LINES, strict=False)):
        for a in np.flatnonzero(np.isin(joint, group)):
            ax.plot(t[part], values[part, a], color=colour, lw=1.3, ls="--" if kind[a] else "-")
        name = ", ".join(str(j) for j in group)
        ax.plot([], [], color=colour, label=f"joint{'s' * pairs} {name}" if k == 0 else name)
    for name, dash in (("yaw", "-"), ("pitch", "--")):
        if (kind == (name == "pitch")).any():
            ax.plot([], [], color=style.INK, ls=dash, lw=1.2, label=name)
    if part != slice(None):
        ax.set_xlabel("time (s), an excerpt")
    _limits(ax, run, values[part][:, axes], t[part], above=0.32)
    style.legend(ax, loc="upper center", ncols=3, handlelength=1.5, columnspacing=0.8, handletextpad=0.3, borderpad=0.1,
                 labelspacing=0.2)  # fmt: skip


def contacts(ax: Axes, run: Trajectory) -> None:
    """Draw the number of contacts over time, and on the right the normal force on all links."""
    count, press = masked(run["contact_count"]), masked(run["normal_force"]).sum(axis=1)
    style.dress(ax, "time (s)", "contacts", "Contacts and normal force")
    twin = ax.twinx()
    for axes, values, colour, width in ((twin, press, style.PURPLE, 1.0), (ax, count, style.BLUE, 1.5)):
        if _swings(values[:, None]) > MOST_SWINGS and len(values) > 2 * MOST_SWINGS:
            _band(axes, run, values, colour, key=False)
        else:
            _curve(axes, run, values, colour, "", width)
    ax.set_zorder(twin.get_zorder() + 1)
    ax.patch.set_visible(False)
    _limits(ax, run, count, run["time"], floor=True, above=0.1)
    _limits(twin, run, np.minimum(press, 3.0 * np.nanmedian(press) + 1e-9), run["time"], floor=True, above=0.1)
    twin.set_ylabel("normal force (N)", fontsize=style.LABEL, color=style.PURPLE)
    twin.tick_params(labelsize=style.TICK, colors=style.PURPLE)
    twin.spines[["top", "left"]].set_visible(False)
    ax.yaxis.label.set_color(style.BLUE)
    ax.tick_params(axis="y", colors=style.BLUE)


def roll(ax: Axes, run: Trajectory) -> None:
    """Draw the roll of the links about their own axes, mean over them."""
    angle = np.degrees(masked(run["roll"]))
    seen = angle[np.isfinite(angle)]
    turns = seen.size > 0 and float(np.ptp(seen)) > TURNS
    _curve(ax, run, angle / 360.0 if turns else angle, style.GREEN, "", 1.8)
    style.dress(ax, "time (s)", f"roll ({'turns' if turns else 'deg'})", "Roll about the axis")
    ax.axhline(0.0, color=style.GREY, lw=0.8)
    least = [0.0] if turns or not seen.size or float(np.ptp(seen)) > LEAST_ROLL else [-LEAST_ROLL, LEAST_ROLL]
    _limits(ax, run, np.append(angle / 360.0 if turns else angle, least), run["time"])
