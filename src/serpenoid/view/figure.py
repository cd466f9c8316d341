"""One summary figure of a run for a talk: bodies with forces, torques, slip, power, the numbers that count.

The panels also draw on Axes of your own: `torques`, `slip`, `power`, and `snapshots` of the module so named.
"""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from serpenoid.core import FloatArray, Trajectory
from serpenoid.view import style
from serpenoid.view.poses import is_spatial
from serpenoid.view.record import BEYOND, masked
from serpenoid.view.snapshots import snapshots

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SIZE = (12.8, 8.8)  # inches
DETAIL = 4000  # points of a curve at most; a screen shows no more
MOST_SWINGS = 100  # a curve that crosses its mean more often is a blot; it is cut out or averaged
BINS = 120  # stretches of such an averaged curve
OFF_SCALE = 20.0  # a diverged curve is cut at this many times its usual size
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


def figure(run: Trajectory, path: str | Path) -> Path:
    """Write the summary figure of a run (.png, .pdf or .svg); returns the path."""
    if is_spatial(run):
        from serpenoid.view.space_figure import space_figure

        return space_figure(run, path)
    fig = style.canvas(*SIZE)
    top = fig.add_axes((0.083, 0.475, 0.687, 0.405))
    snapshots(top, run)
    for k, panel in enumerate((torques, slip, power)):
        panel(fig.add_axes((0.062 + 0.325 * k, 0.075, 0.225, 0.28)), run)

    _titles(fig, run, _headline(run))
    _numbers(fig.add_axes((0.797, 0.43, 0.19, 0.45)), run)
    return style.save(fig, path)


def _titles(fig: Figure, run: Trajectory, headline: str) -> None:
    """Headline, what was run, and how it ended."""
    about = run.provenance
    fig.text(0.02, 0.955, headline, fontsize=style.TITLE, color=style.INK, fontweight="bold", va="center")
    line = f"{about.get('drive', 'motion')}, {_span(run):.4g} s on {about.get('law', 'unknown')} ground"
    fig.text(0.02, 0.925, line, fontsize=style.LABEL, color=style.GREY, va="center")
    fig.text(0.98, 0.955, f"status: {run.status.name}", fontsize=style.LABEL + 1, ha="right", va="center",
             color=style.GREEN if run.status.ok else style.RED, fontweight="bold")  # fmt: skip


def _headline(run: Trajectory) -> str:
    distance = run.metrics.get("com_distance")
    robot = str(run.provenance.get("robot", "robot"))
    if run.status.name == "diverged" or distance is None or not np.isfinite(distance):
        return f"{robot}: {run.status.name}, distance not defined"
    return f"{robot} moves {_metres(distance)}"


def _metres(distance: float) -> str:
    for unit, size in (("m", 1.0), ("cm", 1e-2), ("mm", 1e-3)):
        if distance >= 0.5 * size:
            return f"{distance / size:.3g} {unit}"
    return "less than 0.5 mm"


def _span(run: Trajectory) -> float:
    return float(run["time"][-1] - run["time"][0])


def _short(value: float) -> str:
    """Three digits; no exponent below a million, zero for what is only rounding."""
    if abs(value) < 1e-12:
        return "0"
    return f"{value:.0f}" if 1e3 <= abs(value) < 1e6 else f"{value:.3g}"


def _numbers(
    ax: Axes,
    run: Trajectory,
    table: tuple[tuple[str, str, str], ...] = NUMBERS,
    least: Mapping[str, float] | None = None,
) -> None:
    """The metrics as a column of text, 0 where one is smaller than its `least`; below it what went wrong."""
    ax.set_axis_off()
    y = 0.985
    for key, name, unit in table:
        value = run.metrics.get(key)
        value = 0.0 if value is not None and abs(value) < (least or {}).get(key, 0.0) else value
        text = "–" if value is None or not abs(value) < BEYOND else f"{_short(value)} {unit}".strip()
        ax.text(0.0, y, name, fontsize=style.LABEL, color=style.GREY, va="center", transform=ax.transAxes)
        ax.text(1.0, y, text, fontsize=style.LABEL, color=style.INK, va="center", ha="right",
                fontweight="bold", transform=ax.transAxes)  # fmt: skip
        y -= 0.068
    said = [run.status.message or run.status.name] if not run.status.ok else []
    said += [f"warning: {w}" for w in run.warnings if not w.startswith("step =")]
    room, lines = max(1, int(y / 0.042)), []
    for text in said:
        lines += textwrap.wrap(text, 36)
    if len(lines) > room:
        lines = [*lines[: room - 1], "... (see the summary)"]
    ax.text(0.0, y + 0.01, "\n".join(lines), fontsize=style.TICK - 0.5, color=style.RED, va="top",
            linespacing=1.25, transform=ax.transAxes)  # fmt: skip


def spread(count: int, wanted: int = 5) -> list[int]:
    """Joint numbers spread over the body, first to last: 1, 5, 10, 15, 19 of 19."""
    links = count + 1
    return sorted({int(np.clip(links * k // (wanted - 1), 1, count)) for k in range(wanted)})


def torques(ax: Axes, run: Trajectory, joints: list[int] | None = None) -> None:
    """Draw the joint torques over time, of five joints over the body or of those named (from 1)."""
    values = masked(run["joint_torque"])
    chosen = spread(values.shape[1]) if joints is None else joints
    part = _excerpt(run, values[:, [j - 1 for j in chosen]])
    colours = style.LINES if len(chosen) <= len(style.LINES) else style.time_colours(len(chosen))
    for joint, colour in zip(chosen, colours, strict=False):
        ax.plot(
            run["time"][part],
            values[part, joint - 1],
            color=colour,
            lw=1.4,
            label=f"{joint}" if joint != chosen[0] else f"joint {joint}",
        )
    whole = part == slice(None)
    style.dress(ax, "time (s)" if whole else "time (s), an excerpt", "joint torque (N m)", "Joint torques")
    _limits(ax, run, values[part][:, [j - 1 for j in chosen]], run["time"][part], above=0.2)
    style.legend(ax, loc="upper center", ncols=len(chosen), handlelength=0.8, columnspacing=0.7,
                 handletextpad=0.3, borderpad=0.2)  # fmt: skip


def _swings(values: FloatArray) -> int:
    """How often a curve crosses its mean; the most of all columns."""
    seen = np.nan_to_num(values - np.nanmean(values, axis=0)) if np.isfinite(values).any() else np.zeros((1, 1))
    return int((np.diff(seen >= 0.0, axis=0) != 0).sum(axis=0).max(initial=0))


def _excerpt(run: Trajectory, values: FloatArray) -> slice:
    """The whole run, or its middle where the curves swing too often for a panel to show them."""
    swings, count = _swings(values), len(values)
    if swings <= MOST_SWINGS:
        return slice(None)
    half = max(4, round(0.15 * MOST_SWINGS / swings * count))
    return slice(max(count // 2 - half, 0), count // 2 + half + 1)


def slip(ax: Axes, run: Trajectory) -> None:
    """Draw the path slipped across the edges so far: mean of the links, and the range over them."""
    mean = masked(run["slip"])
    paths = _paths(run)
    if paths is not None:
        t, low, high = run["time"], paths.min(axis=1), paths.max(axis=1)
        ax.fill_between(t, low, high, color=style.BLUE, alpha=0.18, lw=0, label="least to most of a link")
    _curve(ax, run, mean, style.BLUE, "mean of the links", width=2.0)
    style.dress(ax, "time (s)", "slip per link (m)", "Slip across the links")
    _limits(ax, run, mean if paths is None else np.column_stack([mean, paths]), run["time"], floor=True, above=0.3)
    style.legend(ax, loc="upper left")


def _paths(run: Trajectory) -> FloatArray | None:
    """Slipped path of each link, (t, n), from the recorded velocities; None where frames are too coarse."""
    speed, t = np.abs(masked(run["contact_velocity_across"])), run["time"]
    if t.size < 3 or not np.isfinite(speed).all():
        return None
    paths = np.zeros_like(speed)
    np.cumsum(0.5 * (speed[1:] + speed[:-1]) * np.diff(t)[:, None], axis=0, out=paths[1:])
    total = float(run["slip"][-1])
    return paths if abs(paths[-1].mean() - total) <= 0.02 * abs(total) else None


def power(ax: Axes, run: Trajectory) -> None:
    """Draw the positive power of the joints, and on the right the energy lost to friction so far."""
    now, lost = masked(run["power"]), masked(run["friction_loss"])
    if _swings(now[:, None]) > MOST_SWINGS:
        _band(ax, run, now)
    else:
        _curve(ax, run, now, style.BLUE, "positive power")
    style.dress(ax, "time (s)", "power (W)", "Power and friction loss")
    _limits(ax, run, now, run["time"], floor=True)
    twin = ax.twinx()
    _curve(twin, run, lost, style.RED, "lost to friction", width=2.0)
    twin.set_ylabel("energy lost to friction (J)", fontsize=style.LABEL, color=style.RED)
    twin.tick_params(labelsize=style.TICK, colors=style.RED)
    twin.spines[["top", "left"]].set_visible(False)
    twin.spines["right"].set_color(style.RED)
    _limits(twin, run, lost, run["time"], floor=True)
    ax.yaxis.label.set_color(style.BLUE)
    ax.tick_params(axis="y", colors=style.BLUE)


def _band(ax: Axes, run: Trajectory, values: FloatArray, colour: str = style.BLUE, key: bool = True) -> None:
    """A fast curve as its mean and range over stretches of time."""
    whole = len(values) // BINS * BINS
    t = run["time"][:whole].reshape(BINS, -1).mean(axis=1)
    stretches = values[:whole].reshape(BINS, -1)
    ax.fill_between(t, stretches.min(axis=1), stretches.max(axis=1), color=colour, alpha=0.18, lw=0, label="range")
    ax.plot(t, stretches.mean(axis=1), color=colour, lw=2.0, label="mean")
    if key:
        style.legend(ax, loc="lower center")


def _curve(ax: Axes, run: Trajectory, values: FloatArray, colour: str, label: str, width: float = 1.4) -> None:
    every = -(-len(values) // DETAIL)
    ax.plot(run["time"][::every], values[::every], color=colour, lw=width, label=label)


def _limits(
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
