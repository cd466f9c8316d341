"""Curves of a run over time, each on Axes of your own: torques, slip, power, contacts, roll, height, errors, forces.

A curve that swings too often for a panel to show is cut out or averaged; one of a run that blew up is cut off.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from serpenoid.core import FloatArray, Trajectory
from serpenoid.core.door import door
from serpenoid.view import style
from serpenoid.view.poses import masked

if TYPE_CHECKING:
    from matplotlib.axes import Axes

DETAIL = 4000  # points of a curve at most; a screen shows no more
MOST_SWINGS = 100  # a curve that crosses its mean more often is a blot; it is cut out or averaged
BINS = 120  # stretches of such an averaged curve
OFF_SCALE = 20.0  # a diverged curve is cut at this many times its usual size
LEAST_ROLL = 5.0  # degrees that the roll panel shows at least
TURNS = 720.0  # degrees of roll from which it is counted in turns
KINDS = ("yaw", "pitch", "roll")
DASHES = ("-", "--", ":")


def spread(count: int, wanted: int = 5) -> list[int]:
    """Joint numbers spread over the body, first to last: 1, 5, 10, 15, 19 of 19."""
    links = count + 1
    return sorted({int(np.clip(links * k // (wanted - 1), 1, count)) for k in range(wanted)})


@door
def torques(ax: Axes, run: Trajectory, joints: list[int] | None = None, whole: bool = False) -> None:
    """Draw joint torques over time: of the joints that have the greatest, or of those named (from 1); pitch dashed, roll dotted."""
    values, t = masked(run["joint_torque"]), run["time"]
    style.dress(
        ax, "time [s]", "joint torque [N m]", "Joint torques" if joints is not None else "Greatest joint torques"
    )
    if values.shape[1] == 0:
        return
    have = run.variables
    number = run["dof_joint"].astype(int) if "dof_joint" in have else np.arange(1, values.shape[1] + 1)
    kind = run["dof_kind"].astype(int) if "dof_kind" in have else np.zeros(values.shape[1], int)
    if joints is None:
        _greatest(ax, run, values, number, kind, whole)
        return
    columns = np.flatnonzero(np.isin(number, joints))
    part = slice(None) if whole else excerpt(values[:, columns])
    colours = style.LINES if len(joints) <= len(style.LINES) else style.time_colours(len(joints))
    for k, (joint, colour) in enumerate(zip(joints, colours, strict=False)):
        for a in np.flatnonzero(number == joint):
            ax.plot(t[part], values[part, a], color=colour, lw=1.3, ls=DASHES[kind[a]])
        ax.plot([], [], color=colour, label=f"joint {joint}" if k == 0 else str(joint))
    mixed = np.unique(kind[columns])
    for a in mixed if mixed.size > 1 else ():
        ax.plot([], [], color=style.INK, ls=DASHES[a], lw=1.2, label=KINDS[a])
    _framed(ax, run, values[:, columns], part)
    style.legend_above(ax, 3 if mixed.size > 1 else len(joints), 2 if mixed.size > 1 else 1)


def _framed(ax: Axes, run: Trajectory, values: FloatArray, part: slice) -> None:
    """Limits of a panel that shows a part of the run."""
    if part != slice(None):
        ax.set_xlabel("time [s], an excerpt")
    limits(ax, run, values[part], run["time"][part])


def _greatest(ax: Axes, run: Trajectory, values: FloatArray, number: Any, kind: Any, whole: bool) -> None:
    """Draw the joints that have the greatest torque of the run and of steady motion, with dots where they have it."""
    t, found = run["time"], greatest(run)
    columns = sorted({most.dof for most in found})
    part = slice(None) if whole else excerpt(values[:, columns])
    mixed, colours = np.unique(kind).size > 1, dict(zip(columns, style.LINES, strict=False))
    shown = values[:, columns].copy()
    for k in columns:
        name = f"{KINDS[kind[k]]} joint {number[k]}" if mixed else f"joint {number[k]}"
        name += ": " + ", ".join(most.words for most in found if most.dof == k)
        ax.plot(t[part], values[part, k], color=colours[k], lw=1.3, ls=DASHES[kind[k]], label=name)
    for most in found:
        near = int(np.abs(t - most.time).argmin())
        if t[part][0] <= t[near] <= t[part][-1]:  # between the frames it may be greater than in them
            shown[near, columns.index(most.dof)] = np.copysign(most.size, values[near, most.dof])
            ax.plot([most.time], [shown[near, columns.index(most.dof)]], "o", color=colours[most.dof], ms=4)
    _framed(ax, run, shown, part)
    style.legend_above(ax, 1, len(columns))


class Most(NamedTuple):
    """The greatest torque of something: degree of freedom, time (s), size (N m), in words."""

    dof: int
    time: float
    size: float
    words: str


def greatest(run: Trajectory) -> list[Most]:
    """The greatest torque of the run and that of steady motion; by the frames where a run does not tell."""
    told = run.provenance.get("torques")
    if not told:
        size = np.nan_to_num(np.abs(masked(run["joint_torque"])))
        frame, dof = np.unravel_index(int(size.argmax()), size.shape)
        return [Most(int(dof), float(run["time"][frame]), float(size[frame, dof]), f"{size[frame, dof]:.3g} N m")]
    found = [(told[name], float(run.metrics[f"torque_{name}"] or 0.0)) for name in ("max", "steady_max")]
    top, steady = (Most(of["dof"], of["time"], size, f"{size:.3g} N m") for of, size in found)
    if top[:2] == steady[:2]:
        return [top]
    return [top, steady._replace(words=f"{steady.words}, steady")]


def swings(values: FloatArray) -> int:
    """How often a curve crosses its mean; the most of all columns."""
    seen = np.nan_to_num(values - np.nanmean(values, axis=0)) if np.isfinite(values).any() else np.zeros((1, 1))
    return int((np.diff(seen >= 0.0, axis=0) != 0).sum(axis=0).max(initial=0))


def excerpt(values: FloatArray) -> slice:
    """The whole run, or its middle where the curves swing too often for a panel to show them."""
    often, count = swings(values), len(values)
    if often <= MOST_SWINGS:
        return slice(None)
    half = max(4, round(0.15 * MOST_SWINGS / often * count))
    return slice(max(count // 2 - half, 0), count // 2 + half + 1)


@door
def slip(ax: Axes, run: Trajectory) -> None:
    """Draw the path slipped across the edges so far: mean of the links, and the range over them."""
    mean = masked(run["slip"])
    paths = _paths(run)
    factor, unit = style.length_unit(mean if paths is None else paths)
    mean = factor * mean
    if paths is not None:
        paths = factor * paths
        t, low, high = run["time"], paths.min(axis=1), paths.max(axis=1)
        ax.fill_between(t, low, high, color=style.BLUE, alpha=0.18, lw=0, label="least to most")
    curve(ax, run, mean, style.BLUE, "mean of the links", width=2.0)
    style.dress(ax, "time [s]", f"slip per link [{unit}]", "Slip across the links")
    limits(ax, run, mean if paths is None else np.column_stack([mean, paths]), run["time"], floor=True)
    style.legend_above(ax, 2)


def _paths(run: Trajectory) -> FloatArray | None:
    """Slipped path of each link, (t, n), from the recorded velocities; None where frames are too coarse."""
    speed, t = np.abs(masked(run["contact_velocity_across"])), run["time"]
    if t.size < 3 or not np.isfinite(speed).all():
        return None
    paths = np.zeros_like(speed)
    np.cumsum(0.5 * (speed[1:] + speed[:-1]) * np.diff(t)[:, None], axis=0, out=paths[1:])
    total = float(run["slip"][-1])
    return paths if abs(paths[-1].mean() - total) <= 0.02 * abs(total) else None


@door
def power(ax: Axes, run: Trajectory) -> None:
    """Draw the positive power of the joints, and on the right the energy lost to friction so far."""
    now, lost = masked(run["power"]), masked(run["friction_loss"])
    if swings(now[:, None]) > MOST_SWINGS:
        band(ax, run, now)
    else:
        curve(ax, run, now, style.BLUE, "positive power")
    style.dress(ax, "time [s]", "power [W]", "Power and friction loss")
    limits(ax, run, now, run["time"], floor=True)
    twin = ax.twinx()
    curve(twin, run, lost, style.RED, "lost to friction", width=2.0)
    twin.set_ylabel("lost to friction [J]", fontsize=style.LABEL, color=style.RED)
    twin.tick_params(labelsize=style.TICK, colors=style.RED)
    twin.spines[["top", "left"]].set_visible(False)
    twin.spines["right"].set_color(style.RED)
    limits(twin, run, lost, run["time"], floor=True)
    ax.yaxis.label.set_color(style.BLUE)
    ax.tick_params(axis="y", colors=style.BLUE)
    if ax.get_legend_handles_labels()[1][-1:] == ["mean"]:
        style.legend_above(ax, 2)


def band(ax: Axes, run: Trajectory, values: FloatArray, colour: str = style.BLUE) -> None:
    """A fast curve as its mean and range over stretches of time."""
    whole = len(values) // BINS * BINS
    t = run["time"][:whole].reshape(BINS, -1).mean(axis=1)
    stretches = values[:whole].reshape(BINS, -1)
    ax.fill_between(t, stretches.min(axis=1), stretches.max(axis=1), color=colour, alpha=0.18, lw=0, label="range")
    ax.plot(t, stretches.mean(axis=1), color=colour, lw=2.0, label="mean")


def curve(ax: Axes, run: Trajectory, values: FloatArray, colour: str, label: str, width: float = 1.4) -> None:
    """Draw one curve, with no more points than can be seen."""
    every = -(-len(values) // DETAIL)
    ax.plot(run["time"][::every], values[::every], color=colour, lw=width, label=label)


def limits(
    ax: Axes, run: Trajectory, values: FloatArray, t: FloatArray, floor: bool = False, above: float = 0.06
) -> None:
    """Set limits that survive constant, empty and blown-up curves; `floor`: from zero if none is below."""
    ax.ticklabel_format(axis="y", scilimits=(-4, 5))
    ax.yaxis.get_offset_text().set_fontsize(style.TICK)
    ax.set_xlim(float(t[0]), float(t[-1]) if t[-1] > t[0] else float(t[0]) + 1.0)
    seen = values[np.isfinite(values)]
    if seen.size == 0:
        ax.text(0.5, 0.5, "no finite values", transform=ax.transAxes, ha="center", color=style.RED)
        return
    low, high = float(seen.min()), float(seen.max())
    usual = OFF_SCALE * float(np.quantile(np.abs(seen), 0.9))
    if run.status.name == "diverged" and max(-low, high) > usual > 0.0:
        low, high = max(low, -usual), min(high, usual)
        ax.text(0.98, 0.86, "goes off the scale", transform=ax.transAxes, ha="right", va="top",
                color=style.RED, fontsize=style.TICK)  # fmt: skip
    if floor and low >= 0.0:
        high = high or 1e-3
    elif high - low <= 1e-9 * max(abs(low), abs(high), 1e-9):
        low, high = low - 0.5 * max(abs(low), 1e-3), high + 0.5 * max(abs(high), 1e-3)
    ax.set_ylim(0.0 if floor and low >= 0.0 else low - 0.06 * (high - low), high + above * (high - low))


def contacts(ax: Axes, run: Trajectory) -> None:
    """Draw the number of contacts over time, and on the right the normal force on all links."""
    count, press = masked(run["contact_count"]), masked(run["normal_force"]).sum(axis=1)
    style.dress(ax, "time [s]", "contacts", "Contacts and normal force")
    twin = ax.twinx()
    for axes, values, colour, width in ((twin, press, style.PURPLE, 1.0), (ax, count, style.BLUE, 1.5)):
        if swings(values[:, None]) > MOST_SWINGS and len(values) > 2 * MOST_SWINGS:
            band(axes, run, values, colour)
        else:
            curve(axes, run, values, colour, "", width)
    ax.set_zorder(twin.get_zorder() + 1)
    ax.patch.set_visible(False)
    limits(ax, run, count, run["time"], floor=True, above=0.1)
    limits(twin, run, np.minimum(press, 3.0 * np.nanmedian(press) + 1e-9), run["time"], floor=True, above=0.1)
    twin.set_ylabel("normal force [N]", fontsize=style.LABEL, color=style.PURPLE)
    twin.tick_params(labelsize=style.TICK, colors=style.PURPLE)
    twin.spines[["top", "left"]].set_visible(False)
    ax.yaxis.label.set_color(style.BLUE)
    ax.tick_params(axis="y", colors=style.BLUE)


def roll(ax: Axes, run: Trajectory) -> None:
    """Draw the roll of the links about their own axes, mean over them."""
    angle = np.degrees(masked(run["roll"]))
    seen = angle[np.isfinite(angle)]
    turns = seen.size > 0 and float(np.ptp(seen)) > TURNS
    curve(ax, run, angle / 360.0 if turns else angle, style.GREEN, "", 1.8)
    style.dress(ax, "time [s]", f"roll [{'turns' if turns else 'deg'}]", "Roll about the axis")
    ax.axhline(0.0, color=style.GREY, lw=0.8)
    least = [0.0] if turns or not seen.size or float(np.ptp(seen)) > LEAST_ROLL else [-LEAST_ROLL, LEAST_ROLL]
    limits(ax, run, np.append(angle / 360.0 if turns else angle, least), run["time"])


def height(ax: Axes, run: Trajectory) -> None:
    """Draw how far the centre of gravity has risen."""
    up = masked(run["com"])[:, 2]
    up = up - up[0]
    curve(ax, run, up, style.GREEN, "", 1.8)
    style.dress(ax, "time [s]", "height gained [m]", "Height")
    limits(ax, run, np.append(up, 0.0), run["time"])


def distance(ax: Axes, run: Trajectory) -> None:
    """Draw how far the centre of gravity is from where it was, seen from above."""
    com = masked(run["com"])[:, :2]
    away = np.linalg.norm(com - com[0], axis=1)
    curve(ax, run, away, style.BLUE, "", 1.8)
    style.dress(ax, "time [s]", "distance [m]", "Distance from the start")
    limits(ax, run, away, run["time"], floor=True)


def pushes(ax: Axes, run: Trajectory) -> None:
    """Draw the largest force of upright obstacles on a link."""
    force = np.linalg.norm(masked(run["wall_force"]), axis=-1).max(axis=1)
    curve(ax, run, force, style.RED, "")
    style.dress(ax, "time [s]", "largest force [N]", "Forces of obstacles on a link")
    if not np.nan_to_num(force).any():
        ax.set_ylim(0.0, 1.0)
        ax.set_xlim(float(run["time"][0]), float(run["time"][-1]))
        ax.text(0.5, 0.5, "no obstacle is touched", transform=ax.transAxes, ha="center", fontsize=style.LABEL)
        return
    limits(ax, run, force, run["time"], floor=True)


def pin_forces(ax: Axes, run: Trajectory) -> None:
    """Draw the forces of the ground anchors."""
    size = np.linalg.norm(masked(run["anchor_force"]), axis=-1)
    for k, colour in enumerate(style.time_colours(size.shape[1])):
        ax.plot(run["time"], size[:, k], lw=1.2, color=colour, label=f"pin {k + 1}" if k == 0 else f"{k + 1}")
    style.dress(ax, "time [s]", "force [N]", "Forces of the pins")
    limits(ax, run, size, run["time"], floor=True)
    style.legend_above(ax, size.shape[1], handlelength=0.9)


def lateral_error(ax: Axes, run: Trajectory) -> None:
    """Draw how far the body is beside its path."""
    error = masked(run.at_frames("lateral_error"))
    factor, unit = style.length_unit(0.1 * error)  # mm up to 1 m: it is compared with a body's width
    error = factor * error
    curve(ax, run, error, style.ORANGE, "")
    style.dress(ax, "time [s]", f"lateral error [{unit}]", "Distance from the path")
    limits(ax, run, error, run["time"], floor=True)


def feed_force(ax: Axes, run: Trajectory) -> None:
    """Draw the force that feeds the body in."""
    force = masked(run.at_frames("feed_force"))
    curve(ax, run, force, style.BLUE, "")
    style.dress(ax, "time [s]", "feed force [N]", "Feed force")
    limits(ax, run, force, run["time"])


PANELS: dict[str, Callable[..., None]] = {
    "joint_torque": torques, "slip": slip, "power": power, "contact_count": contacts, "roll": roll, "height": height,
    "distance": distance, "wall_force": pushes, "anchor_force": pin_forces, "lateral_error": lateral_error, "feed_force": feed_force,
}  # fmt: skip


def variable(ax: Axes, run: Trajectory, name: str) -> None:
    """Draw any recorded variable over time: vectors by their parts, those of links, joints and nodes at five places over the body."""
    known = run.variables[name]
    values, vector = masked(known.data), known.dims[-1] == "xyz"
    style.dress(ax, "time [s]", f"{name.replace('_', ' ')} [{known.units}]", known.long_name[:60])
    if values.ndim == 3:  # vectors of links or nodes: their sizes
        values, vector = np.linalg.norm(values, axis=-1), False
    flat = values.reshape(len(values), -1)
    if vector:
        shown, labels = [0, 1, 2], list("xyz")
    else:
        first = 1 if known.dims[1:2] in (("dof",), ("joint",)) else 0
        shown = [0] if flat.shape[1] == 1 else [j - 1 for j in spread(flat.shape[1])]
        labels = (
            [f"{known.dims[1]} {j + first}" if k == 0 else f"{j + first}" for k, j in enumerate(shown)]
            if values.ndim > 1
            else [""]
        )
    for j, label, colour in zip(shown, labels, style.LINES, strict=False):
        curve(ax, run, flat[:, j], colour, label)
    limits(ax, run, flat[:, shown], run["time"])
    if len(shown) > 1:
        style.legend_above(ax, len(shown), handlelength=0.9)
