"""Figs 4 to 9 of paper 002, redrawn from our runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from serpenoid import view
from serpenoid.gaits import Serpenoid
from serpenoid.planar.wheels import ideal_progress
from serpenoid.studies.ma2001.judgement import Optima, Waves, Winding
from serpenoid.studies.ma2001.simulations import (
    ACCELERATION,
    ACROSS,
    CASES,
    DURATION,
    JOINTS,
    WINDING,
    One,
    Two,
)
from serpenoid.view.style import BLUE, GREEN, GREY, ORANGE, PURPLE, RED, canvas, dress, legend, save

COLOURS = (BLUE, RED, GREEN, PURPLE, ORANGE, "#56B4E9")
ABOVE_LEGEND = 26  # pt: titles of panels whose legend stands above them
MARKS = ("o", "s", "^", "D", "v", "P")
PANELS = (
    ("torque_sq_mean", "mean $\\Sigma\\tau^2$ [N$^2$m$^2$]"),
    ("slip_per_link", "slip across per link [m]"),
    ("com_forward", "distance forward [m]"),
)


def _ideal(winding_deg: float) -> float:
    """Progress without any side slip, m."""
    return ideal_progress(Serpenoid.start_stop(float(np.radians(winding_deg)), 1.0, ACCELERATION, DURATION), DURATION)


def _figure(width: float, height: float) -> Any:
    """An empty figure whose panels keep out of each other's way."""
    fig = canvas(width, height)
    fig.set_layout_engine("constrained", rect=(0.0, 0.03, 1.0, 0.96))  # room for the key of the arrows
    return fig


def figure4(one: One, path: Path) -> Path:
    """Motion on two grounds, with the friction forces."""
    fig = _figure(15.0, 6.4)
    axes = fig.subplots(1, 2)
    for ax, (case, run) in zip(axes, one.runs.items(), strict=True):
        view.snapshots(ax, run, count=5)
        along, across, _ = CASES[case]
        m = run.metrics
        ax.set_title(
            f"case {case}: $\\mu_t$ = {along:g}, $\\mu_n$ = {across:g}   distance {m['com_distance']:.2f} m, "
            f"slip {m['slip_per_link']:.4f} m a link",
            loc="left",
            pad=ABOVE_LEGEND,
        )
    fig.suptitle(f"Fig. 4  Creeping on two grounds ($K_n$ = 1, $\\alpha_0$ = {WINDING:.0f}°)")
    return save(fig, path)


def figure5(one: One, path: Path) -> Path:
    """Joint torques on two grounds."""
    fig = _figure(11.0, 5.6)
    axes = fig.subplots(2, 1, sharex=True, sharey=True)
    for ax, (case, run) in zip(axes, one.runs.items(), strict=True):
        for joint, colour in zip(JOINTS, COLOURS, strict=False):
            ax.plot(run["time"], run["joint_torque"][:, joint - 1], color=colour, lw=1.3, label=f"joint {joint}")
        dress(ax, "time [s]", "torque [N m]", f"case {case}: $\\mu_t$ = {CASES[case][0]:g}")
        ax.set_xlim(0.0, DURATION)
    legend(axes[0], ncols=5, loc="upper right")
    fig.suptitle("Fig. 5  Joint torques that the motion of Fig. 4 takes")
    return save(fig, path)


def figure6(two: Two, path: Path) -> Path:
    """Torque-driven motion: the printed input and the damped reading."""
    fig = _figure(13.0, 8.6)
    axes = fig.subplots(2, 2, width_ratios=[2.0, 1.0])
    titles = (
        "(14) literally, 2 s: the end links spin up",
        "one cycle a second, joints damped (0.3 N m s/rad), 20 s: creeps forward",
    )
    for row, (run, title) in enumerate(zip((two.literal, two.damped), titles, strict=True)):
        view.snapshots(axes[row, 0], run, count=4)
        axes[row, 0].set_title(title, loc="left", pad=ABOVE_LEGEND)
        ax = axes[row, 1]
        ax.plot(run["time"], run["com"][:, 0] - run["com"][0, 0], color=COLOURS[0])
        dress(ax, "time [s]", "forward, x of the CoG [m]")
        ax.yaxis.label.set_color(COLOURS[0])
        twin = ax.twinx()
        twin.plot(run["time"], np.degrees(np.abs(run["joint_angle"]).max(axis=1)), color=COLOURS[1], lw=1.2)
        twin.set_ylabel("largest joint angle [deg]", color=COLOURS[1])
    fig.suptitle("Fig. 6  Motion under a sine of joint torques, amplitude 0.8 N m")
    return save(fig, path)


def figure7(sweep: Waves, path: Path) -> Path:
    """Performance over mu_t for the number of waves."""
    fig = _figure(12.0, 4.2)
    axes = fig.subplots(1, 3)
    waves, along = sorted({k for k, _ in sweep}), sorted({mu for _, mu in sweep})
    for ax, (key, label) in zip(axes, PANELS, strict=True):
        for k, colour, mark in zip(waves, COLOURS, MARKS, strict=False):
            ax.plot(
                along,
                [sweep[k, mu][key] for mu in along],
                color=colour,
                marker=mark,
                ms=4,
                label=f"$K_n$ = {k:g}",
            )
        dress(ax, "friction along, $\\mu_t$", label)
    axes[2].axhline(_ideal(WINDING), color=GREY, ls="--", lw=1.2, label="no side slip, $s(T) J_0(\\alpha_0)$")
    axes[2].axhline(0.0, color=GREY, lw=0.8)
    legend(axes[2], loc="lower left")
    fig.suptitle(f"Fig. 7  Number of waves and friction ($\\mu_n$ = {ACROSS:g}, $\\alpha_0$ = {WINDING:.0f}°)")
    return save(fig, path)


def figure8(sweep: Winding, path: Path) -> Path:
    """Performance over the winding angle, for friction along and number of waves."""
    fig = _figure(12.0, 9.6)
    axes = fig.subplots(3, 3, sharex=True, sharey="row")
    angles, along = sorted({a for _, a, _ in sweep}), sorted({mu for _, _, mu in sweep})
    fine = np.linspace(angles[0], angles[-1], 60)
    for row, (key, label) in enumerate(PANELS):
        for column, k in enumerate((1.0, 2.0, 3.0)):
            ax = axes[row, column]
            for mu, colour, mark in zip(along, COLOURS, MARKS, strict=False):
                values = [sweep[k, a, mu][key] for a in angles]
                ax.plot(angles, values, color=colour, marker=mark, ms=3.5, lw=1.2, label=f"$\\mu_t$ = {mu:g}")
            if key == "com_forward":
                ax.plot(fine, [_ideal(a) for a in fine], color=GREY, ls="--", lw=1.2, label="no side slip")
            dress(
                ax,
                "winding angle $\\alpha_0$ [deg]" if row == 2 else "",
                label if column == 0 else "",
                f"$K_n$ = {k:g}" if row == 0 else "",
            )
            if row == 0:
                ax.set_yscale("log")
    handles, labels = axes[2, 0].get_legend_handles_labels()
    fig.legend(handles, labels, loc="outside lower center", ncols=7, frameon=False)
    fig.suptitle(f"Fig. 8  Winding angle and friction ($\\mu_n$ = {ACROSS:g})")
    return save(fig, path)


def figure9(fig9: Optima, path: Path) -> Path:
    """The best winding angle and its efficiency."""
    fig = _figure(12.0, 4.2)
    axes = fig.subplots(1, 3)
    along = sorted({mu for _, mu, a in fig9 if a == ACROSS})
    across = sorted({a for _, mu, a in fig9 if mu == 0.1})
    for k, colour, mark in zip((1.0, 2.0, 3.0), COLOURS, MARKS, strict=False):
        style: dict[str, Any] = {"color": colour, "marker": mark, "ms": 5, "label": f"$K_n$ = {k:g}"}
        axes[0].plot(along, [fig9[k, mu, ACROSS].place for mu in along], **style)
        axes[1].semilogy(along, [fig9[k, mu, ACROSS].value for mu in along], **style)
        axes[2].plot(across, [fig9[k, 0.1, a].place for a in across], **style)
    for ax, x, y, title in (
        (axes[0], "friction along, $\\mu_t$", "best winding angle [deg]", f"(a) $\\mu_n$ = {ACROSS:g}"),
        (axes[1], "friction along, $\\mu_t$", "efficiency J [1/(N m)$^2$]", f"(b) $\\mu_n$ = {ACROSS:g}"),
        (axes[2], "friction across, $\\mu_n$", "best winding angle [deg]", "(c) $\\mu_t$ = 0.1"),
    ):
        dress(ax, x, y, title)
    legend(axes[0])
    fig.suptitle("Fig. 9  The winding angle of the best efficiency")
    return save(fig, path)
